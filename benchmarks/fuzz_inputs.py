"""
Damages all that is read from outside, guided by the lines of code that are reached.

    python benchmarks/fuzz_inputs.py [--seconds 600] [--jobs 2] [--seed 0] [--only TARGET]
        [--save DIR]

Targets are bytecode, text, kernels with a schedule, launch records, lists of `--batch`,
reproducers, and what reports are made of. Each mutant must end in a value or in a diagnostic,
within ten seconds of processor time and 500 MB; anything else is listed, written to `DIR`, and
makes the exit code 1. Atheris would do the same by libFuzzer, but has no binaries for all
platforms; `sys.monitoring` needs no build. Before Python 3.12 one mutant of eight is traced, so
that there are half as many.

All jobs are forks of one process that has imported everything and has made the inputs. What ends a
job, or keeps it in one call for a minute, is a failure like others: the job says what it reads, in
memory that it shares, and another takes its place.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import mmap
import os
import pickle
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.fuzz.input_fuzzing import (
    LARGEST,
    SECONDS,
    TARGETS,
    Failure,
    Fuzzing,
    save,
    seeds_of,
)

STUCK = 6 * SECONDS
"""Seconds after which a call that does not come back ends the job."""
GARBAGE = 50_000
"""How many new objects the garbage collector waits for."""
LENGTH_BYTES = 4


@dataclass
class Outcome:
    """What became of the mutants of one target."""

    mutants: int = 0
    ends: Counter[str] = field(default_factory=Counter[str])
    lines: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    kept: int = 0
    slowest: float = 0.0
    failures: dict[str, Failure] = field(default_factory=dict[str, Failure])

    def add(self, other: Outcome) -> None:
        self.mutants += other.mutants
        self.ends += other.ends
        self.lines |= other.lines
        self.kept = max(self.kept, other.kept)
        self.slowest = max(self.slowest, other.slowest)
        self.failures.update(other.failures)


@dataclass
class Job:
    """A process that fuzzes all targets, one after the other, and writes what it found."""

    number: int
    names: list[str]
    end: float
    """The time at which it has to be done."""

    def __post_init__(self) -> None:
        # The target, then the length of what it reads, then that.
        self.alarm_at = 0.0
        self.reads = mmap.mmap(-1, 1 + LENGTH_BYTES + LARGEST)
        self.results = tempfile.TemporaryFile()
        self.pid = os.fork()
        if not self.pid:
            try:
                self._work()
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)

    def _announce(self, data: bytes) -> None:
        head = len(data).to_bytes(LENGTH_BYTES, "little")
        self.reads[1 : 1 + LENGTH_BYTES + len(data)] = head + data
        # Which starts a thread.
        if (now := time.monotonic()) > self.alarm_at:
            faulthandler.dump_traceback_later(STUCK, exit=True)
            self.alarm_at = now + SECONDS

    def _work(self) -> None:
        gc.freeze()
        gc.set_threshold(GARBAGE)
        shares = [TARGETS[name].share for name in self.names]
        for index, name in enumerate(self.names):
            left = self.end - time.monotonic()
            end = time.monotonic() + left * shares[index] / sum(shares[index:])
            self.reads[0] = list(TARGETS).index(name)
            rng = random.Random(f"{name} {self.number}")
            with Fuzzing(name, rng, announce=self._announce) as fuzzing:
                while time.monotonic() < end:
                    fuzzing.step()
            faulthandler.cancel_dump_traceback_later()
            outcome = Outcome(
                fuzzing.mutants,
                fuzzing.outcomes,
                fuzzing.lines,
                len(fuzzing.corpus),
                fuzzing.slowest,
                fuzzing.failures,
            )
            pickle.dump((name, outcome), self.results)
            self.results.flush()

    def outcomes(self, status: int) -> dict[str, Outcome]:
        """What the job found before it ended, and what ended it."""
        found: dict[str, Outcome] = {}
        self.results.seek(0)
        while True:
            try:
                name, outcome = pickle.load(self.results)
            except EOFError:
                break
            found[name] = outcome
        if status:
            name = list(TARGETS)[self.reads[0]]
            start = 1 + LENGTH_BYTES
            length = int.from_bytes(self.reads[1:start], "little")
            code = os.waitstatus_to_exitcode(status)
            what = f"the process ended with {code}, or hung"
            failure = Failure(name, self.reads[start : start + length], what)
            found.setdefault(name, Outcome(1)).failures[failure.kind] = failure
        return found


def run(names: list[str], seconds: float, jobs: int, seed: int) -> dict[str, Outcome]:
    """Fuzzes targets in so many processes."""
    for name in names:
        seeds_of(name)
    end = time.monotonic() + seconds
    total = {name: Outcome() for name in names}
    running: dict[int, Job] = {}
    for index in range(jobs):
        # Not all are at the same target at the same time.
        turn = index % len(names)
        job = Job(seed + index, names[turn:] + names[:turn], end)
        running[job.pid] = job
    following = seed + jobs
    while running:
        pid, status = os.wait()
        job = running.pop(pid)
        outcomes = job.outcomes(status)
        for name, outcome in outcomes.items():
            total[name].add(outcome)
        if status and time.monotonic() < end:
            left = [name for name in job.names if name not in outcomes]
            again = Job(following, left or job.names, end)
            running[again.pid] = again
            following += 1
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(TARGETS))
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    names = list(TARGETS) if options.only is None else [options.only]
    outcomes = run(names, options.seconds, options.jobs, options.seed)
    failures: list[Failure] = []
    for name, outcome in outcomes.items():
        ends = outcome.ends
        print(
            f"{name:14}{outcome.mutants:9} mutants{ends['read']:9} read"
            f"{ends['diagnostics']:9} diagnostics{ends['failures']:6} failures"
            f"{len(outcome.lines):8} lines{outcome.kept:6} kept, slowest {outcome.slowest:.1f} s"
        )
        failures += outcome.failures.values()
    for failure in failures:
        print(f"{failure.target}, {len(failure.data)} bytes:\n{failure.what}")
    if options.save is not None:
        save(failures, options.save)
    count = sum(outcome.mutants for outcome in outcomes.values())
    print(
        f"{count} mutants in {options.seconds:.0f} s ({count / options.seconds:.0f} in a second), "
        f"{len(failures)} kinds of failures"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
