"""
Damages all that is read from outside, guided by the lines of code that are reached.

    python benchmarks/fuzz_inputs.py [--seconds 600] [--jobs 2] [--seed 0] [--only TARGET]
        [--save DIR]

Targets are bytecode, text, kernels with a schedule, launch records, lists of `--batch`,
reproducers, and what reports are made of; each gets the same time. Each mutant must end in a value
or in a diagnostic, within ten seconds of processor time and 500 MB; anything else is listed,
written to `DIR`, and makes the exit code 1. Atheris would do the same by libFuzzer, but has no
binaries for all platforms; tracing one mutant of eight needs no build.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.fuzz.input_fuzzing import TARGETS, Failure, Fuzzing, save

Outcome = tuple[str, int, Counter[str], int, int, float, list[Failure]]


def work(task: tuple[str, int, float]) -> Outcome:
    """Fuzzes one target for some seconds."""
    name, seed, seconds = task
    fuzzing = Fuzzing(name, random.Random(f"{name} {seed}"))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(10):
            fuzzing.step()
    failures = list(fuzzing.failures.values())
    lines, corpus = len(fuzzing.lines), len(fuzzing.corpus)
    return name, fuzzing.mutants, fuzzing.outcomes, lines, corpus, fuzzing.slowest, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(TARGETS))
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    names = list(TARGETS) if options.only is None else [options.only]
    seconds = options.seconds * options.jobs / len(names) / options.jobs
    tasks = [(name, options.seed + job, seconds) for name in names for job in range(options.jobs)]
    totals: dict[str, list[Outcome]] = {name: [] for name in names}
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=1) as pool:
        for outcome in pool.imap_unordered(work, tasks):
            totals[outcome[0]].append(outcome)
    failures: dict[str, Failure] = {}
    count = 0
    for name, outcomes in totals.items():
        mutants = sum(outcome[1] for outcome in outcomes)
        ends = sum((outcome[2] for outcome in outcomes), Counter[str]())
        lines = max(outcome[3] for outcome in outcomes)
        corpus = max(outcome[4] for outcome in outcomes)
        slowest = max(outcome[5] for outcome in outcomes)
        count += mutants
        print(
            f"{name:14}{mutants:9} mutants{ends['read']:9} read{ends['diagnostics']:9} diagnostics"
            f"{ends['failures']:6} failures{lines:8} lines{corpus:6} kept, slowest {slowest:.1f} s"
        )
        for outcome in outcomes:
            failures.update({failure.kind: failure for failure in outcome[6]})
    for failure in failures.values():
        print(f"{failure.target}, {len(failure.data)} bytes:\n{failure.what}")
    if options.save is not None:
        save(list(failures.values()), options.save)
    print(f"{count} mutants in {options.seconds:.0f} s, {len(failures)} kinds of failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
