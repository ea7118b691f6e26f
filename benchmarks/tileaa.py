"""
How long the way from bytecode to clean `nv_tileaa` takes per op, step by step, over all
kernels of the corpus, against xDSL parsing `arith` text in the same run.

    python benchmarks/tileaa.py [--repeat 3] [--limit 206]

CPU time, the fastest of several turns; ops are those of the public program. The share is
that of conversion and canonicalisation in all steps there are so far.
"""

from __future__ import annotations

import argparse
import gc
import time
from pathlib import Path

from text import Subject, arith_module, seconds
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.frontend.bytecode import read
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.pipeline import make_pass, select_steps

CORPUS = Path(__file__).parents[1] / "tests" / "corpus" / "bytecode" / "13.4"
ARITH_OPS = 2000
STEPS = ("read", "verify", "convert", "canonicalize", "verify tileaa")


def run(files: list[bytes]) -> tuple[dict[str, float], int]:
    """The time of each step over all files, and how many ops they have."""
    ctx = make_context()
    passes = {step.name: make_pass(step, "sm_90") for step in select_steps(1, to="tileaa")}
    times: dict[str, float] = dict.fromkeys(STEPS, 0.0)
    ops = 0
    for data in files:
        module: ModuleOp | None = None
        for step in STEPS:
            gc.collect()
            start = time.process_time()
            match step:
                case "read":
                    module = read(data, verify=False)
                case "convert":
                    assert module is not None
                    passes["convert-cuda-tile-to-tileaa"].apply(ctx, module)
                case "canonicalize":
                    assert module is not None
                    passes["canonicalize-tileaa"].apply(ctx, module)
                case _:
                    assert module is not None
                    module.verify()
            times[step] += time.process_time() - start
            if step == "read":
                assert module is not None
                ops += sum(1 for _ in module.walk())
    return times, ops


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--limit", type=int, default=1000)
    options = arguments.parse_args()
    files = [path.read_bytes() for path in sorted(CORPUS.glob("*.tileirbc"))[: options.limit]]
    arith = Subject(arith_module(ARITH_OPS, "i32"))
    best: dict[str, float] = dict.fromkeys(STEPS, float("inf"))
    parse, ops = float("inf"), 0
    for _ in range(options.repeat):
        times, ops = run(files)
        best = {step: min(best[step], times[step]) for step in STEPS}
        parse = min(parse, seconds(arith.parse))
    print(f"{len(files)} kernels, {ops} ops")
    for step, spent in best.items():
        print(f"{step:14} {spent / ops * 1e6:7.1f} µs per op")
    print(f"{'parse arith':14} {parse / ARITH_OPS * 1e6:7.1f} µs per op")
    work = best["convert"] + best["canonicalize"]
    print(f"convert + canonicalize: {work / ops * 1e6:.1f} µs per op, ", end="")
    print(f"{work / sum(best.values()):.0%} of the way to clean nv_tileaa, ", end="")
    print(f"{work / ops / (parse / ARITH_OPS):.2f} times parsing arith")


if __name__ == "__main__":
    main()
