# pyright: basic
"""
Launches that overlap, on the GPU: kernels of which each reads what the one before has written, and
overwrites what that one has read, must have the same results bit for bit as with a pause after each
launch; one after the other on a stream, also if they are asked to overlap, in a graph, and with
kernels of torch between them.

    python benchmarks/gpu/make.py FOLDER matmul_partial matmul_128 vector_add
    python tests/gpu/check_overlapping_launches.py FOLDER [--count 100] [--seed 0]  # with the GPU

It needs torch, not xDSL.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "gpu"))
sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

import torch
from run import replace_missing

POISON = float("nan")
STEPS = 6
KERNELS = ("matmul_128", "matmul_partial_", "vector_add")
"""What the names of kernels begin with for which there are arguments here."""


def load_codes(folder: Path) -> dict:
    """The kernels of a bundle that wait for others by themselves."""
    from tileiras_xdsl.backend import cuda
    from tileiras_xdsl.backend.launch_record import LaunchRecord

    found = {}
    for name, each in json.loads((folder / "bundle.json").read_text())["kernels"].items():
        code = each["code"].get("host-maps")
        if code and code["record"].get("programmatic") and name.startswith(KERNELS):
            record = LaunchRecord.from_dict(code["record"])
            found[name] = cuda.load((folder / code["file"]).read_bytes(), record)
    return found


def flat(*arrays) -> list:
    return [value for array in arrays for value in (array, *array.shape, *array.stride())]


class Products:
    """C = A·B, A = C·B, and so on: square matrices B, so that all have the same shape."""

    def __init__(self, name: str, kernel, rng: random.Random):
        tile_m, tile_n = (int(size) for size in name.split("_")[-1].split("x")[:2])
        step = 8 if "partial" in name else 256
        # Tall ones have tile blocks for several waves, with few iterations.
        limits = rng.choice(((256, 256), (1024, 1024), (3072, 3072), (24576, 1024)))
        m, n = (step * rng.randint(1, most // step) for most in limits)
        self.kernel = kernel
        self.grid = (-(-m // tile_m) * -(-n // tile_n),)
        self.start = torch.randn(m, n, device="cuda").half()
        self.other = (torch.randn(n, n, device="cuda") * n**-0.5).half()
        self.work = [torch.empty_like(self.start) for _ in range(2)]

    def reset(self) -> None:
        self.work[0].copy_(self.start)
        self.work[1].fill_(POISON)

    def step(self, number: int, stream, *, asked: bool) -> None:
        source, target = self.work[number % 2], self.work[1 - number % 2]
        arguments = flat(source, self.other, target)
        self.kernel.prepare(self.grid, arguments, stream, programmatic=asked)()


class Sums(Products):
    """Sums of vectors, by threads that load and store."""

    def __init__(self, kernel, rng: random.Random):
        size = 1024 * rng.randint(1, 1 << 12)
        self.kernel = kernel
        self.grid = (size // 1024,)
        self.start, self.other = (torch.randn(size, device="cuda") for _ in range(2))
        self.work = [torch.empty_like(self.start) for _ in range(2)]


def run(
    work: Products, between: Callable[[int], None], stream, *, asked: bool = False
) -> torch.Tensor:
    """What is there after some steps."""
    for number in range(STEPS):
        work.step(number, stream, asked=asked)
        between(number)
    return work.work[STEPS % 2]


def check(work: Products) -> bool:
    """Whether results are the same however launches follow each other."""
    current = torch.cuda.current_stream()

    def nothing(number: int) -> None:
        del number

    def disturb(number: int) -> None:
        # Kernels of torch, which do not wait for anything by themselves.
        if number % 2:
            work.work[1 - number % 2].mul_(0.5)
            work.work[number % 2].fill_(POISON)

    def same(first: torch.Tensor, second: torch.Tensor) -> bool:
        return torch.equal(first.view(torch.int16), second.view(torch.int16))

    def with_pause(number: int) -> None:
        between(number)
        torch.cuda.synchronize()

    is_right = True
    for between in (nothing, disturb):
        work.reset()
        torch.cuda.synchronize()
        expected = run(work, with_pause, current).clone()
        is_right &= bool(expected.isfinite().all())
        for asked in (False, True, True):
            work.reset()
            is_right &= same(run(work, between, current, asked=asked), expected)
        stream = torch.cuda.Stream()
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            work.reset()
            result = run(work, between, torch.cuda.current_stream())
        for _ in range(3):
            graph.replay()
        torch.cuda.synchronize()
        is_right &= same(result, expected)
    return is_right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    replace_missing()
    rng = random.Random(options.seed)
    torch.manual_seed(options.seed)
    codes = load_codes(options.folder)
    wrong = 0
    for _ in range(options.count):
        name = rng.choice(sorted(codes))
        kernel = codes[name]
        work = Sums(kernel, rng) if name.startswith("vector") else Products(name, kernel, rng)
        if not check(work):
            wrong += 1
            print(f"WRONG: {name} {tuple(work.start.shape)}", flush=True)
    print(f"{options.count} chains of {STEPS} launches of {len(codes)} kernels: {wrong} wrong")
    return 1 if wrong or not codes else 0


if __name__ == "__main__":
    sys.exit(main())
