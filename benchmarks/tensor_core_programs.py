"""
Random programs for tensor cores of Blackwell, run at every stage and compared; nothing is run on a
GPU.

    python benchmarks/tensor_core_programs.py [--first 0] [--count 500] [--jobs 1] [--quick]
        [--kinds gemm,attention] [--failures DIR] [--no-reduce] [--verbose]
    python benchmarks/tensor_core_programs.py --show SEED [--quick]

Programs are those of `tests/pytest/strategies/tensor_core_programs.py`, with `--quick` the small
ones of `make more`. Each is compiled for its architecture, run as tiles and as threads of `nvgpu`
and `nvvm`, with tensor cores late, early and at random, with races checked, and compared with the
tile program. Prints each failure, and for each kind how many programs there were and how many have
dots by `tcgen05`: the others say nothing about it. Reduced programs of failures are kept in a
folder. The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pickle
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.fuzz.tensor_core_runs import all_runs, examine, reduced
from tests.pytest.strategies.tensor_core_programs import (
    LARGE,
    QUICK,
    TensorCoreProgram,
    kind_of,
    random_tensor_core_program,
)

from tileiras_xdsl.xdsl_extras.aliases import print_ir

SHOWN = 2000
"""Characters of an error."""


@dataclass(frozen=True)
class Job:
    """A program to make and to run."""

    seed: int
    is_quick: bool
    folder: Path | None
    reduces: bool

    @property
    def program(self) -> TensorCoreProgram:
        return random_tensor_core_program(self.seed, QUICK if self.is_quick else LARGE)


@dataclass(frozen=True)
class Result:
    """What became of a program."""

    seed: int
    kind: str
    arch: str = ""
    instructions: frozenset[str] = frozenset()
    failure: str = ""
    refusal: str = ""
    seconds: float = 0.0


def work(job: Job) -> Result:
    """Runs one program."""
    kind = kind_of(job.seed).__name__
    start = time.process_time()
    try:
        program = job.program
        runs = all_runs(job.seed)
        verdict = examine(program, runs)
        failure = "" if verdict.finding is None else str(verdict.finding)
        if verdict.finding is not None and job.folder is not None:
            smaller, finding = program, verdict.finding
            if job.reduces:
                smaller, finding = reduced(program, runs, verdict.finding)
            keep(smaller, str(finding), job.folder)
    except Exception:
        return Result(job.seed, kind, failure=traceback.format_exc(limit=-4)[:SHOWN])
    seconds = time.process_time() - start
    return Result(
        job.seed, kind, program.arch, verdict.instructions, failure, verdict.refusal, seconds
    )


def keep(program: TensorCoreProgram, finding: str, folder: Path) -> None:
    """Writes a failure: the program, how it is compiled, and what it is called with."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{program.seed}-{program.family}"
    about = [*finding.splitlines(), f"{program.arch} {program.abi}, grid {program.grid}"]
    comments = "".join(f"// {line}\n" for line in about)
    path.with_suffix(".mlir").write_text(f"{comments}{print_ir(program.module)}\n")
    path.with_suffix(".pickle").write_bytes(pickle.dumps(program.values))


def results(jobs: list[Job], processes: int) -> Iterator[Result]:
    """Runs programs, in their order."""
    if processes == 1:
        yield from map(work, jobs)
        return
    # Processes are replaced now and then: interpreters of programs keep what they have compiled.
    with multiprocessing.get_context("spawn").Pool(processes, maxtasksperchild=50) as pool:
        yield from pool.imap(work, jobs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="the small programs of `make more`")
    parser.add_argument("--kinds", default="", help="only these")
    parser.add_argument("--failures", type=Path, help="a folder for programs that fail")
    parser.add_argument("--no-reduce", action="store_true", help="keep them as they are")
    parser.add_argument("--verbose", action="store_true", help="a line for each program")
    parser.add_argument("--show", type=int, metavar="SEED", help="print a program")
    options = parser.parse_args()
    if options.show is not None:
        program = Job(options.show, options.quick, None, False).program
        print(f"// {program.family} for {program.arch}, {program.abi}, grid {program.grid}")
        print(program.text)
        return 0
    chosen = {kind for kind in options.kinds.split(",") if kind}
    jobs = [
        Job(seed, options.quick, options.failures, not options.no_reduce)
        for seed in range(options.first, options.first + options.count)
        if not chosen or kind_of(seed).__name__ in chosen
    ]
    programs, wrong, refused = (Counter[str]() for _ in range(3))
    used = Counter[tuple[str, str]]()
    seconds = 0.0
    for result in results(jobs, options.jobs):
        seconds += result.seconds
        programs[result.kind] += 1
        used.update((result.kind, each) for each in result.instructions)
        label = f"{result.seed} ({result.kind}, {result.arch})"
        if options.verbose:
            words = " ".join(sorted(result.instructions))
            print(f"{label}: {words} ({result.seconds:.1f} s)", flush=True)
        if result.failure:
            wrong[result.kind] += 1
            print(f"{label}: {result.failure}", flush=True)
        elif result.refusal:
            refused[result.kind] += 1
            print(f"{label} refused: {result.refusal}", flush=True)
    print(f"{'kind':<20}{'programs':>10}{'tcgen05':>10}{'mma.sync':>10}{'refused':>10}{'wrong':>8}")
    for kind, count in programs.items():
        cells = (used[kind, "tcgen05"], used[kind, "mma.sync"], refused[kind])
        print(f"{kind:<20}{count:>10}{''.join(f'{each:>10}' for each in cells)}{wrong[kind]:>8}")
    total = sum(count for (_, name), count in used.items() if name == "tcgen05")
    print(
        f"{programs.total()} programs in {seconds:.0f} s of the processor, {total} with tcgen05, "
        f"{refused.total()} refused, {wrong.total()} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
