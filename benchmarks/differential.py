"""
Runs random programs at every stage of the compiler and compares the results bit for bit.

    python benchmarks/differential.py [--count 5000] [--first 0] [--check]

Prints each difference with the seed of its program, and in how many programs each op, element
type and form of control flow has occurred; the exit code is 1 if there was a difference. With
`--check` programs are also run with all checks, and in a shuffled order.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.interpreter.differential import STAGES, difference, differences, outcome
from tests.pytest.strategies.program_builder import TileProgram
from tests.pytest.strategies.program_coverage import CONTROL_FLOW, ELEMENTS, OPS, Coverage
from tests.pytest.strategies.programs import random_program


def problems(program: TileProgram, *, check: bool) -> list[str]:
    """What is wrong with a program: stages that differ, and whatever is raised."""
    module, grid = program.module, program.grid
    try:
        module.verify()
        found = [f"{one.stage}: {one.what}" for one in differences(module, program.arguments, grid)]
        if check:
            expected = outcome(module, program.arguments(), grid)
            checked = outcome(module, program.arguments(), grid, check=True)
            what = difference(expected, checked)
            found += [] if what is None else [f"with checks: {what}"]
    except Exception:
        return [traceback.format_exc(limit=-3)]
    return found


def print_coverage(coverage: Coverage) -> None:
    """How often things occur, the rarest ones first."""
    for title, names in (("ops", OPS), ("elements", ELEMENTS), ("control flow", CONTROL_FLOW)):
        print(f"{title}, and in how many of {coverage.count} programs they occur:")
        for name in sorted(names, key=lambda name: coverage.programs[name]):
            print(f"  {name:40}{coverage.programs[name]:6}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    coverage, failed = Coverage(), 0
    start = time.perf_counter()
    for seed in range(options.first, options.first + options.count):
        program = random_program(seed)
        coverage.add(program.module)
        found = problems(program, check=options.check)
        failed += bool(found)
        for problem in found:
            print(f"program {seed}: {problem}", flush=True)
    seconds = time.perf_counter() - start
    print_coverage(coverage)
    print(
        f"{coverage.count} programs at {len(STAGES)} stages in {seconds:.0f} s, "
        f"{failed} with differences"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
