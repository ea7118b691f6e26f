"""
Random invalid modules, judged by our verifier and by NVIDIA's.

    python -m tests.pytest.oracle.differential [--count 5000] [--seed 0] [--tool tileirdisasm]

run in the root of the repository. Prints every disagreement: modules that only one of the two
accepts, and faults that they describe in different words.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tileiras_xdsl.frontend.bytecode import BytecodeError, write

from .mutation import Mutator, valid_modules
from .verdicts import Agreement, Oracle, Verdict, compare, our_verdict


@dataclass(frozen=True)
class Case:
    """A module as bytes, and what was done to it."""

    change: str
    data: bytes


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    case: Case
    ours: Verdict
    theirs: Verdict
    agreement: Agreement

    @property
    def kind(self) -> str:
        """The messages without what differs from case to case."""
        both = f"{self.theirs.message[:80]} {self.ours.message[:80]}"
        return re.sub(r"'[^']*'|\"[^\"]*\"|%\w+|\d+|@\w+", "", both)

    def __str__(self) -> str:
        def show(verdict: Verdict) -> str:
            return "accepted" if verdict.accepted else verdict.message

        return (
            f"{self.agreement.value}\n  change: {self.case.change}\n"
            f"  theirs: {show(self.theirs)}\n  ours:   {show(self.ours)}"
        )


def cases(seed: int, count: int) -> Iterator[Case]:
    """Random modules that can be written; the same for the same seed."""
    rng = random.Random(seed)
    mutator = Mutator(rng)
    modules = valid_modules()
    made = 0
    while made < count:
        module = rng.choice(modules).clone()
        change = mutator.mutate(module)
        try:
            data = write(module)
        except BytecodeError:
            continue
        made += 1
        yield Case(change, data)


def judge(oracle: Oracle, chosen: list[Case]) -> list[Outcome]:
    """Both verdicts on all cases."""
    outcomes: list[Outcome] = []
    verdicts = oracle.verdicts([case.data for case in chosen])
    for case, theirs in zip(chosen, verdicts, strict=True):
        ours = our_verdict(case.data)
        outcomes.append(Outcome(case, ours, theirs, compare(ours, theirs)))
    return outcomes


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=5000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--tool", default="tileirdisasm")
    arguments.add_argument("--each", type=int, default=3, help="how many of each kind to print")
    options = arguments.parse_args()
    program: str | None = shutil.which(str(options.tool))
    if program is None:
        print(f"{options.tool} is not there")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(Path(program), Path(folder))
        outcomes = judge(oracle, list(cases(options.seed, options.count)))
    print(Counter(outcome.agreement.value for outcome in outcomes))
    print("accepted by both:", sum(outcome.ours.accepted for outcome in outcomes))
    shown: Counter[tuple[Agreement, str]] = Counter()
    for outcome in outcomes:
        if outcome.agreement is not Agreement.SAME:
            key = outcome.agreement, outcome.kind
            shown[key] += 1
            if shown[key] <= options.each:
                print(outcome)
    return any(outcome.agreement is not Agreement.SAME for outcome in outcomes)


if __name__ == "__main__":
    sys.exit(main())
