"""
Provokes on a GPU what goes wrong when order is lost: see README.md.

    python tests/gpu/provoke.py make FOLDER [--gpu sm_100]    # needs the compiler, and no GPU
    python tests/gpu/provoke.py run FOLDER [--rounds N] [--only PATTERN]
    python tests/gpu/provoke.py check FOLDER memcheck|racecheck|synccheck|initcheck
    python tests/gpu/provoke.py show FOLDER     # the instructions that matter

`run` and `check` need a GPU and NumPy; they need neither the compiler nor xDSL. Kernels may hang:
they run in a process that is ended after a while, and the next one does the rest.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from provocations import runner
from provocations.bundle import INDEX, make


def make_bundle(chosen: argparse.Namespace) -> int:
    """Writes a bundle."""
    from tileiras_xdsl.backend.cuda import find_architecture

    index = make(chosen.folder, chosen.gpu or find_architecture("sm_90"))
    for name, each in index.items():
        if "refused" in each:
            print(f"{name}: refused: {each['refused']}")
    print(f"{len(index)} kernels in {chosen.folder}")
    return 0


def show(chosen: argparse.Namespace) -> int:
    """Prints the instructions that tell whether kernels are what they were written to be."""
    for name, each in json.loads((chosen.folder / INDEX).read_text()).items():
        print(f"{name}: {each.get('refused') or each['instructions']}")
    return 0


def run(chosen: argparse.Namespace) -> int:
    """Runs the cases, and prints a table."""
    return runner.run(chosen.folder, chosen.only, chosen.rounds)


def check(chosen: argparse.Namespace) -> int:
    """Runs the cases under a tool of the sanitizer."""
    return runner.check(chosen.folder, chosen.tool, chosen.only, chosen.rounds, chosen.limit)


def work(chosen: argparse.Namespace) -> int:
    """Runs cases for another process."""
    names = chosen.cases.split(",")
    return runner.work(chosen.folder, names, chosen.rounds, serial=chosen.serial)


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = options.add_subparsers(required=True)
    for function in (make_bundle, show, run, check, work):
        parser = commands.add_parser(function.__name__.removesuffix("_bundle"))
        parser.set_defaults(function=function)
        parser.add_argument("folder", type=Path)
        if function is make_bundle:
            parser.add_argument("--gpu", help="default: the GPU that is here, or sm_90")
        if function is check:
            tools = ("memcheck", "racecheck", "synccheck", "initcheck")
            parser.add_argument("tool", choices=tools)
            parser.add_argument("--limit", type=float, default=240, help="seconds for all")
        if function is work:
            parser.add_argument("cases")
            parser.add_argument("--serial", action="store_true")
        if function in (run, check):
            parser.add_argument("--only", default=".", help="a pattern, or the number of a defect")
        if function in (run, check, work):
            parser.add_argument("--rounds", type=int, default=0, help="instead of a case's own")
    chosen = options.parse_args()
    return chosen.function(chosen)


if __name__ == "__main__":
    sys.exit(main())
