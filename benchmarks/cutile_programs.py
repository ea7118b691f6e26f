"""
Random kernels of cuTile, executed as Python over NumPy and compiled, at every stage; nothing is run
on a GPU.

    python benchmarks/cutile_programs.py [--seed 0] [--count 500] [--jobs 1]
        [--families matmuls,scans] [--failures DIR] [--verbose]
    python benchmarks/cutile_programs.py --show SEED

Programs are those of `tests/pytest/strategies/cutile_programs.py`, one for each seed from the first
on. The model that their results are compared with knows nothing of the compiler, so it finds what
all stages do wrong. Prints seeds of failures with their source, which `--failures` keeps in a
folder, and for each family how many programs there were, how many were refused, and of how many
elements of results it is known exactly what they have to be, or within a bound. The exit code is 1
if something is wrong.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.fuzz.cutile_runs import Verdict, examine
from tests.pytest.strategies.cutile_programs import (
    FAMILIES,
    family_of,
    random_cutile_program,
)


@dataclass(frozen=True)
class Result:
    """What became of a program."""

    seed: int
    text: str
    verdict: Verdict
    seconds: float

    @property
    def failure(self) -> str:
        return "" if self.verdict.finding is None else str(self.verdict.finding)


def work(seed: int) -> Result:
    """Runs one program."""
    start = time.process_time()
    program = random_cutile_program(seed)
    try:
        verdict = examine(program)
    except Exception:
        print(f"{seed}: {traceback.format_exc(limit=-4)}{program}", file=sys.stderr, flush=True)
        raise
    return Result(seed, str(program), verdict, time.process_time() - start)


def results(seeds: list[int], processes: int) -> Iterator[Result]:
    """Runs programs, in their order."""
    if processes == 1:
        yield from map(work, seeds)
        return
    # Processes are replaced now and then: interpreters of programs keep what they have compiled.
    with multiprocessing.get_context("spawn").Pool(processes, maxtasksperchild=100) as pool:
        yield from pool.imap(work, seeds)


def keep(result: Result, folder: Path) -> None:
    """Writes the source of a failure, with what is wrong and how it was compiled."""
    folder.mkdir(parents=True, exist_ok=True)
    comments = "".join(f"# {line}\n" for line in result.failure.splitlines())
    path = folder / f"{result.seed}-{family_of(result.seed)}.py"
    path.write_text(f"{comments}{result.text}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--families", default="", help="only these")
    parser.add_argument("--failures", type=Path, help="a folder for programs that fail")
    parser.add_argument("--verbose", action="store_true", help="a line for each program")
    parser.add_argument("--show", type=int, metavar="SEED", help="print a program")
    options = parser.parse_args()
    if options.show is not None:
        print(random_cutile_program(options.show), end="")
        return 0
    chosen = set(options.families.split(",")) if options.families else set(FAMILIES)
    if unknown := chosen - set(FAMILIES):
        parser.error(f"there is no family {min(unknown)} (expected {', '.join(FAMILIES)})")
    seeds = range(options.seed, options.seed + options.count)
    programs, refused, wrong = (Counter[str]() for _ in range(3))
    exact, bounded, unknown_elements = (Counter[str]() for _ in range(3))
    seconds = 0.0
    for result in results([seed for seed in seeds if family_of(seed) in chosen], options.jobs):
        family, verdict = family_of(result.seed), result.verdict
        seconds += result.seconds
        programs[family] += 1
        exact[family] += verdict.exact
        bounded[family] += verdict.bounded
        unknown_elements[family] += verdict.unknown
        label = f"{result.seed} ({family})"
        if options.verbose:
            print(f"{label}: {result.seconds:.1f} s", flush=True)
        if result.failure:
            wrong[family] += 1
            print(f"{label}: {result.failure}\n{result.text}", flush=True)
            if options.failures is not None:
                keep(result, options.failures)
        elif verdict.refusal:
            refused[family] += 1
            print(f"{label} refused: {verdict.refusal}", flush=True)
    heads = ("programs", "refused", "wrong", "exact", "bounded", "unknown")
    print(f"{'family':<14}{''.join(f'{head:>10}' for head in heads)}")
    for family in programs:
        counts = (programs, refused, wrong, exact, bounded, unknown_elements)
        print(f"{family:<14}{''.join(f'{each[family]:>10}' for each in counts)}")
    print(
        f"{programs.total()} programs in {seconds:.0f} s of the processor, "
        f"{refused.total()} refused, {wrong.total()} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
