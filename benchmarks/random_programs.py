"""
Random programs for as long as one likes: compiled in all ways, run at all stages, compared.

    python benchmarks/random_programs.py --seconds 600 --jobs 2 --corpus DIR [--first 0]
    python benchmarks/random_programs.py --corpus DIR --replay       # what was interesting, again
    python benchmarks/random_programs.py --corpus DIR --again 17     # one program, and its text

The folder keeps what was interesting: seeds of programs that covered something new, in
`interesting.jsonl`, and for each failure a reduced program with its arguments and how it was
compiled, below `failures`. A later run goes on with the next seed. Prints what was covered, ops by
element types by passes that changed something, and every failure; the exit code is 1 if there were
any. Programs that the compiler refuses are counted, and listed with `--refusals`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import multiprocessing.pool
import pickle
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.fuzz.wide_coverage import Coverage
from tests.pytest.fuzz.wide_runs import (
    Configuration,
    Finding,
    entry_of,
    findings,
    matmul_findings,
    number_of,
    random_configuration,
    reduced,
)
from tests.pytest.strategies.matmul_programs import SMALL, random_matmul
from tests.pytest.strategies.wide_programs import WideProgram, random_wide_program
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.xdsl_extras.aliases import print_ir

CONFIGURATIONS = 2
"""Ways in which each program is compiled."""
SPECIAL_EVERY = 8
"""Of so many programs one has matrix products."""
BATCH = 8
"""Programs that a process is given at a time."""


@dataclass
class Report:
    """What came of some programs."""

    coverage: Coverage = field(default_factory=Coverage)
    interesting: list[int] = field(default_factory=list[int])
    failures: list[tuple[int, Configuration, Finding, str]] = field(
        default_factory=list[tuple[int, Configuration, Finding, str]]
    )
    refusals: Counter[str] = field(default_factory=Counter[str])
    compilations: int = 0


def examine_matmul(seed: int, report: Report) -> None:
    """Compiles a program of matrix products, for the passes that others do not reach."""
    # Families take turns, too.
    program = random_matmul(seed // SPECIAL_EVERY, SMALL)
    new, after_pass = report.coverage.watch(program.module)
    configuration = replace(random_configuration(seed), warps=None)
    if seed % (2 * SPECIAL_EVERY):
        configuration = replace(configuration, gpu="sm_90", opt=3)
    report.compilations += 1
    found = matmul_findings(program, configuration, after_pass=after_pass, refusals=True)
    note(seed, report, configuration, found, "(matrix products)")
    if new:
        report.interesting.append(seed)


def note(
    seed: int, report: Report, configuration: Configuration, found: Iterator[Finding], what: str
) -> None:
    """Counts refusals, and keeps failures."""
    for finding in found:
        if finding.what.startswith("refused: "):
            report.refusals[finding.what] += 1
        else:
            report.failures.append((seed, configuration, finding, what))


def examine(seed: int, report: Report, folder: Path) -> None:
    """Compiles a program in several ways; what is wrong is reduced and kept."""
    if seed % SPECIAL_EVERY == 0:
        examine_matmul(seed, report)
        return
    try:
        program = random_wide_program(seed)
        program.module.verify()
    except Exception:
        where = traceback.format_exc(limit=-3)[:500]
        configuration = random_configuration(seed)
        report.failures.append((seed, configuration, Finding("generator", where), ""))
        return
    is_new = False
    for number in range(CONFIGURATIONS):
        configuration = random_configuration(CONFIGURATIONS * seed + number)
        new, after_pass = report.coverage.watch(program.module)
        report.compilations += 1
        found = next(
            findings(program, program.module, configuration, after_pass=after_pass, refusals=True),
            None,
        )
        is_new |= bool(new)
        if found is None:
            continue
        if found.what.startswith("refused: "):
            report.refusals[found.what] += 1
            continue
        small, finding = reduced(program, configuration, found)
        path = keep(program, small, configuration, finding, folder)
        report.failures.append((seed, configuration, finding, path))
        break
    if is_new:
        report.interesting.append(seed)


def keep(
    program: WideProgram,
    small: ModuleOp,
    configuration: Configuration,
    finding: Finding,
    folder: Path,
) -> str:
    """Writes a failure: the program, how it is compiled, and what it is called with."""
    failures = folder / "failures"
    failures.mkdir(parents=True, exist_ok=True)
    path = failures / f"{program.seed}-{finding.stage}"
    text = print_ir(small)
    path.with_suffix(".mlir").write_text(f"// {finding}\n// {configuration}\n{text}\n")
    numbers = [number_of(parameter) for parameter in entry_of(small).body.block.args]
    about = {
        "seed": program.seed,
        "grid": program.grid,
        "configuration": asdict(configuration),
        "finding": str(finding),
        "parameters": numbers,
    }
    path.with_suffix(".json").write_text(json.dumps(about, indent=2) + "\n")
    arrays = {f"p{number}": program.values[number] for number in numbers}
    path.with_suffix(".pickle").write_bytes(pickle.dumps(arrays))
    return str(path.with_suffix(".mlir"))


def work(task: tuple[range, Path]) -> bytes:
    """What a process does with a batch of seeds."""
    seeds, folder = task
    report = Report()
    for seed in seeds:
        examine(seed, report, folder)
    return pickle.dumps(report)


def batches(first: int, end: float, seeds: list[int] | None) -> Iterator[range]:
    """Seeds by the batch, until time is over or none are left."""
    if seeds is not None:
        for seed in seeds:
            yield range(seed, seed + 1)
        return
    while time.monotonic() < end:
        yield range(first, first + BATCH)
        first += BATCH


def merge(total: Report, report: Report, corpus: Path, *, refusals: bool) -> None:
    """Adds what a process found to the whole, and to the folder."""
    known = total.coverage
    before = len(known.typed_ops) + len(known.ops_of_passes) + len(known.features)
    known.merge(report.coverage)
    after = len(known.typed_ops) + len(known.ops_of_passes) + len(known.features)
    total.compilations += report.compilations
    for seed, configuration, finding, path in report.failures:
        print(f"program {seed} ({configuration}): {finding} {path}", flush=True)
    total.failures += report.failures
    if refusals:
        for what in report.refusals.keys() - total.refusals.keys():
            print(what, flush=True)
    total.refusals.update(report.refusals)
    if after > before:
        with (corpus / "interesting.jsonl").open("a") as stream:
            for seed in report.interesting:
                stream.write(json.dumps({"seed": seed, "new": after - before}) + "\n")
        total.interesting += report.interesting


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--first", type=int, help="the first seed (where the last run stopped)")
    parser.add_argument("--replay", action="store_true", help="only seeds that were interesting")
    parser.add_argument("--again", type=int, metavar="SEED", help="one program, with its text")
    parser.add_argument("--refusals", action="store_true", help="list what the compiler refuses")
    options = parser.parse_args()
    corpus: Path = options.corpus
    corpus.mkdir(parents=True, exist_ok=True)
    state = corpus / "next-seed"
    first = options.first
    if first is None:
        first = int(state.read_text()) if state.exists() else 0
    seeds: list[int] | None = None
    if options.again is not None:
        seeds = [options.again]
        print(random_wide_program(options.again).module)
    elif options.replay:
        lines = (corpus / "interesting.jsonl").read_text().splitlines()
        seeds = sorted({json.loads(line)["seed"] for line in lines})
    start = time.monotonic()
    total, last = Report(), first
    tasks = ((batch, corpus) for batch in batches(first, start + options.seconds, seeds))
    # Each process is replaced now and then: interpreters of programs keep what they have compiled.
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=20) as pool:
        for packed in throttled(pool, tasks, options.jobs):
            report: Report = pickle.loads(packed)
            merge(total, report, corpus, refusals=options.refusals)
            last += BATCH
    if seeds is None:
        state.write_text(f"{last}\n")
    print("\n".join(total.coverage.report()))
    seconds = time.monotonic() - start
    print(
        f"{total.compilations} compilations of random programs at 5 stages in {seconds:.0f} s, "
        f"{total.refusals.total()} refused, {len(total.failures)} wrong"
    )
    return 1 if total.failures else 0


def throttled(
    pool: multiprocessing.pool.Pool, tasks: Iterator[tuple[range, Path]], jobs: int
) -> Iterator[bytes]:
    """Results of tasks in their order; no more of them are begun than processes can take."""
    pending: list[multiprocessing.pool.AsyncResult[bytes]] = []
    for task in tasks:
        pending.append(pool.apply_async(work, (task,)))
        while len(pending) > jobs:
            yield pending.pop(0).get()
    for result in pending:
        yield result.get()


if __name__ == "__main__":
    sys.exit(main())
