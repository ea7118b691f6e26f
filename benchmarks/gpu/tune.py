# pyright: basic
"""
`tileiras_xdsl.tune` beside cuTile's `exhaustive_search`, on the same spaces and arrays.

    python benchmarks/gpu/tune.py [--only matmul,attention] [--markdown FILE] [--json FILE]

It needs a GPU, torch, cuda-tile with NVIDIA's `tileiras`, and this compiler with ptxas. Both begin
with empty caches. The kernels are those of `kernels.py`.

For each kernel, in this order:

1. `tune`, which is timed;
2. `exhaustive_search`, which is timed; it compiles with `tileiras`;
3. `tune` without dropping anything, to see whether what was dropped in 1 would have won;
4. the winners of all three again, by turns: ours as compiled here, cuTile's as cuTile launches it.

The exit code is 1 if a bar is missed: `tune` takes at most a third of the time, and its winner is
as fast as the others, up to the noise of measuring.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(Path(__file__).parent)]

SHARE = 1 / 3
"""Of the time of `exhaustive_search`, what `tune` may take."""
NOISE = 1.02
"""How much slower a winner may measure and still count as the same."""
TURNS, LAUNCHES = 5, 20


@dataclass(frozen=True)
class Case:
    """A kernel, its arrays, and what is tried."""

    name: str
    kernel: Any
    arrays: Sequence[Any]
    """The arguments in front of what is tuned."""
    space: Mapping[str, Sequence[int]]
    order: Sequence[str]
    """The names of the constants, in the order of the parameters behind the arrays."""
    fixed: Mapping[str, int]
    """Constants that are not tuned."""
    grid: Callable[[Mapping[str, int]], tuple[int, ...]]
    reference: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def arguments(self, config: Mapping[str, int]) -> tuple[Any, ...]:
        """What a configuration is launched with."""
        return (*self.arrays, *({**self.fixed, **config}[name] for name in self.order))

    @property
    def configs(self) -> list[dict[str, int]]:
        return [dict(zip(self.space, each, strict=True)) for each in product(*self.space.values())]


def make_matmul() -> Case:
    import kernels
    import torch

    m = n = k = 4096
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    b = torch.randn(k, n, device="cuda", dtype=torch.float16)
    c = torch.empty(m, n, device="cuda", dtype=torch.float16)
    return Case(
        "matmul",
        kernels.matmul,
        (a, b, c),
        {"m": (64, 128, 256), "n": (64, 128, 256), "k": (32, 64)},
        ("m", "n", "k"),
        {},
        lambda config: (-(-m // config["m"]) * -(-n // config["n"]), 1, 1),
        lambda _: {"c": (a.float() @ b.float()).half()},
    )


def make_attention() -> Case:
    import kernels
    import torch
    from torch.nn import functional

    heads, length, depth = 32, 4096, 128
    q, k, v = (
        torch.randn(heads, length, depth, device="cuda", dtype=torch.float16) for _ in range(3)
    )
    out = torch.empty_like(q)
    scale = depth**-0.5 * 1.4426950408889634
    return Case(
        "attention",
        kernels.attention,
        (q, k, v, out, scale),
        {"m": (64, 128, 256), "n": (32, 64, 128)},
        ("m", "n", "d"),
        {"d": depth},
        lambda config: (length // config["m"], heads, 1),
        lambda _: {"out": functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]},
    )


CASES: dict[str, Callable[[], Case]] = {"matmul": make_matmul, "attention": make_attention}


@dataclass
class Finding:
    """What came out of a case."""

    name: str
    configurations: int
    tune_seconds: float
    search_seconds: float
    dropped: int
    failed: int
    search_failed: int
    ours: dict[str, int]
    theirs: dict[str, int]
    without_dropping: dict[str, int]
    milliseconds: dict[str, float]
    """Of the winners, measured by turns in the end."""
    table: str

    @property
    def problems(self) -> list[str]:
        found: list[str] = []
        if self.tune_seconds > SHARE * self.search_seconds:
            found.append(f"took {self.tune_seconds / self.search_seconds:.2f} of the time")
        best = self.milliseconds["ours"]
        for other in ("theirs", "without dropping"):
            if best > NOISE * self.milliseconds[other]:
                found.append(f"{best / self.milliseconds[other]:.3f} of the time of '{other}'")
        return found


class Progress:
    """Says what a case is at, and since when: an interrupted run shows how far it got."""

    def __init__(self, case: Case):
        self.case = case
        self.start = time.perf_counter()
        self.say(f"{len(case.configs)} configurations")

    def say(self, what: str) -> None:
        print(f"[{time.perf_counter() - self.start:6.1f} s] {self.case.name}: {what}", flush=True)

    def watch(self, what: str) -> Callable[[Mapping[str, int]], tuple[Any, ...]]:
        """The arguments of the case, which says so when a configuration asks for the first time."""
        seen: set[tuple[int, ...]] = set()

        def arguments(config: Mapping[str, int]) -> tuple[Any, ...]:
            if (values := tuple(config.values())) not in seen:
                seen.add(values)
                self.say(f"{what} {'×'.join(map(str, values))} ({len(seen)})")
            return self.case.arguments(config)

        return arguments


def run(case: Case, abi: str) -> Finding:
    import cuda.tile as ct
    import torch
    from cuda.tile.tune import exhaustive_search

    import tileiras_xdsl as tx

    progress = Progress(case)
    options: dict[str, Any] = {"abi": abi, "reference": case.reference}
    start = time.perf_counter()
    tuned = tx.tune(case.kernel, case.grid, progress.watch("tune exports"), case.configs, **options)
    tune_seconds = time.perf_counter() - start
    progress.say(f"tune: {tune_seconds:.1f} s\n{tuned.to_markdown()}")

    stream = torch.cuda.current_stream()
    start = time.perf_counter()
    searched = exhaustive_search(
        case.configs,
        stream,
        case.grid,
        case.kernel,
        progress.watch("exhaustive_search compiles"),
        quiet=True,
    )
    search_seconds = time.perf_counter() - start
    progress.say(f"exhaustive_search: {search_seconds:.1f} s\n{searched}")

    complete = tx.tune(case.kernel, case.grid, case.arguments, case.configs, margin=None, **options)

    progress.say("tune without dropping: done")

    def launch_theirs() -> None:
        config = searched.best.config
        ct.launch(stream, case.grid(config), case.kernel, case.arguments(config))

    def launcher(row: Any) -> Callable[[], None]:
        compiled, arguments = row.compiled, row.arguments
        return lambda: compiled.launch(row.grid, arguments, stream=stream)

    contenders = {
        "ours": launcher(tuned.best),
        "theirs": launch_theirs,
        "without dropping": launcher(complete.best),
    }
    return Finding(
        case.name,
        len(case.configs),
        tune_seconds,
        search_seconds,
        len(tuned.of("dropped")),
        len(tuned.of("failed")),
        len(searched.failures),
        dict(tuned.best.config),
        dict(searched.best.config),
        dict(complete.best.config),
        compare(contenders),
        tuned.to_markdown(),
    )


def compare(contenders: Mapping[str, Callable[[], None]]) -> dict[str, float]:
    """The median milliseconds of each, by turns, with other data in L2 before each launch."""
    import torch

    # Large enough for the GPU to be busy until the launch is queued, however slow Python is.
    other = torch.empty(1 << 30, dtype=torch.int32, device="cuda")
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(TURNS):
        for name, launch in contenders.items():
            events = [
                (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
                for _ in range(LAUNCHES)
            ]
            launch()
            for start, end in events:
                other.zero_()
                start.record()
                launch()
                end.record()
            torch.cuda.synchronize()
            times[name] += [start.elapsed_time(end) for start, end in events]
            time.sleep(0.1)
    return {name: median(each) for name, each in times.items()}


def to_markdown(findings: Sequence[Finding], device: str) -> str:
    def show(config: Mapping[str, int]) -> str:
        return "×".join(map(str, config.values()))

    lines = [
        device,
        "",
        "| kernel | configurations | tune, s | exhaustive_search, s | ratio | best of tune | "
        "of exhaustive_search | of tune without dropping | met |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for each in findings:
        times = each.milliseconds
        lines.append(
            f"| {each.name} | {each.configurations} | {each.tune_seconds:.1f} | "
            f"{each.search_seconds:.1f} | {each.tune_seconds / each.search_seconds:.2f} | "
            f"{show(each.ours)}, {times['ours']:.4g} ms | "
            f"{show(each.theirs)}, {times['theirs']:.4g} ms | "
            f"{show(each.without_dropping)}, {times['without dropping']:.4g} ms | "
            f"{'; '.join(each.problems) or 'yes'} |"
        )
    return "\n".join(lines) + "\n"


def use_empty_caches(folder: str) -> None:
    """Before cuTile or this compiler are imported; processes that they start use the same."""
    os.environ["TILEIRAS_XDSL_CACHE"] = "1"
    os.environ["TILEIRAS_XDSL_CACHE_DIR"] = str(Path(folder, "ours"))
    os.environ["CUDA_TILE_CACHE_DIR"] = str(Path(folder, "cutile"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares tune with exhaustive_search.")
    parser.add_argument("--only", default=",".join(CASES), help="kernels, by their names")
    parser.add_argument("--abi", default="device-maps", choices=("device-maps", "host-maps"))
    parser.add_argument("--markdown", type=Path, help="where the table goes")
    parser.add_argument("--json", type=Path, help="where everything goes")
    given = parser.parse_args()
    names = given.only.split(",")
    if unknown := sorted(set(names) - set(CASES)):
        parser.error(f"there is no kernel '{unknown[0]}' (expected {', '.join(CASES)})")
    with tempfile.TemporaryDirectory(prefix="tune-") as folder:
        use_empty_caches(folder)
        findings: list[Finding] = []
        for name in names:
            findings.append(run(CASES[name](), given.abi))
            # After each, so that an interrupted run leaves something.
            write(findings, given.markdown, given.json)
    return 1 if any(each.problems for each in findings) else 0


def write(findings: Sequence[Finding], markdown: Path | None, data: Path | None) -> None:
    """Prints what is known, and writes it where it is wanted."""
    import torch

    table = to_markdown(findings, torch.cuda.get_device_name())
    print(table, flush=True)
    if markdown is not None:
        markdown.write_text(table)
    if data is not None:
        data.write_text(json.dumps([asdict(each) for each in findings], indent=1))


if __name__ == "__main__":
    sys.exit(main())
