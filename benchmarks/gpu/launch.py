# pyright: basic
"""
What a launch costs the CPU: cuTile's `ct.launch`, ours in its place, and a prepared launch.

    python benchmarks/gpu/launch.py [--launches 2000] [--json FILE]

It needs torch, cuda-tile and a GPU, and all that this compiler needs. The GPU is waited for before
and after a burst of launches, never within one; CPU time is that of the thread, wall time is what
passes, both as medians over bursts. Every way launches the same kernels with the same arguments,
and results are checked first. The exit code is 1 if a prepared launch takes more CPU time than its
limit, or a result is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

import cuda.tile as ct
import torch

import tileiras_xdsl.cutile as open_tileiras

LIMIT_US = 10
"""Of CPU time, for a prepared launch."""
BURSTS = 15
BURST = 200
"""Launches that are on the stream at once; the driver blocks beyond a thousand or so."""

Const = ct.Constant[int]


@ct.kernel
def vector_add(a, b, c, tile: Const):
    i = ct.bid(0)
    ct.store(c, i, ct.load(a, i, (tile,)) + ct.load(b, i, (tile,)))


@ct.kernel
def matmul(a, b, c, tile: Const, depth: Const):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((tile, tile), ct.float32)
    for step in range(ct.num_tiles(a, 1, (tile, depth))):
        x = ct.load(a, (i, step), (tile, depth))
        total = ct.mma(x, ct.load(b, (step, j), (depth, tile)), total)
    ct.store(c, (i, j), total.astype(c.dtype))


def measure(launch: Callable[[], None], launches: int) -> dict[str, float]:
    """Microseconds of CPU time and of wall time for one launch."""
    cpu: list[float] = []
    wall: list[float] = []
    for _ in range(100):
        launch()
    for _ in range(max(BURSTS, launches // BURST)):
        torch.cuda.synchronize()
        start, before = time.perf_counter(), time.thread_time()
        for _ in range(BURST):
            launch()
        cpu.append((time.thread_time() - before) / BURST * 1e6)
        wall.append((time.perf_counter() - start) / BURST * 1e6)
    torch.cuda.synchronize()
    return {"cpu_us": median(cpu), "wall_us": median(wall)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures what launches cost the CPU.")
    parser.add_argument("--launches", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    a, b = (torch.randn(4096, device="cuda") for _ in range(2))
    x, y = (torch.randn(256, 256, device="cuda", dtype=torch.float16) for _ in range(2))
    cases = {
        "vector_add": (vector_add, (4,), lambda out: (a, b, out, 1024), a + b),
        "matmul": (matmul, (2, 2), lambda out: (x, y, out, 128, 64), x @ y),
    }
    stream = torch.cuda.current_stream()
    found: dict[str, dict[str, dict[str, float]]] = {}
    is_right = True
    for name, (kernel, grid, make, expected) in cases.items():
        out = torch.empty_like(expected)
        arguments = make(out)
        theirs, ours = kernel.replace_hints(), kernel.replace_hints()
        cutile_launch = ct.launch
        with open_tileiras.use(only=kernel):
            # Compiled here, launched by cuTile: the same work on the GPU, nearly.
            cutile_launch(stream, grid, theirs, arguments)
        with open_tileiras.use(only=kernel, launcher=True):
            our_launch = ct.launch
            prepared = open_tileiras.prepare(stream, grid, ours, arguments)
            ways = {
                "ct.launch": lambda: cutile_launch(stream, grid, theirs, arguments),
                "ct.launch, ours": lambda: our_launch(stream, grid, ours, arguments),
                "prepared": prepared,
            }
            found[name] = {}
            for way, launch in ways.items():
                out.fill_(float("nan"))
                launch()
                torch.cuda.synchronize()
                error = (out.double() - expected.double()).norm() / expected.double().norm()
                is_right &= float(error) < 2e-3
                found[name][way] = measure(launch, given.launches)
                times = found[name][way]
                print(
                    f"{name:12}{way:18}{times['cpu_us']:8.2f} µs CPU{times['wall_us']:8.2f} µs wall"
                    f"   error {float(error):.1e}"
                )
    if given.json:
        given.json.write_text(json.dumps(found, indent=2))
    slow = [name for name, ways in found.items() if ways["prepared"]["cpu_us"] > LIMIT_US]
    for name in slow:
        print(f"{name}: a prepared launch takes more than {LIMIT_US} µs")
    if not is_right:
        print("a result is wrong")
    return 1 if slow or not is_right else 0


if __name__ == "__main__":
    sys.exit(main())
