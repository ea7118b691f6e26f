"""
`python -m tileiras_xdsl.driver.demos`, or `make demo`: takes kernels written in cuTile through
every level down to PTX, runs each level on the CPU, compares the results with NumPy, and writes a
page that shows all of it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

from tileiras_xdsl.driver.compiler.compiled import compile
from tileiras_xdsl.driver.demos.examples import Example, examples
from tileiras_xdsl.driver.tools.command import run_command
from tileiras_xdsl.inspection.exploration.exploration import Exploration, explore
from tileiras_xdsl.inspection.exploration.report import make_page
from tileiras_xdsl.inspection.visual.timeline import module_timelines
from tileiras_xdsl.pipeline import MODULE_STAGES, SCHEDULING

GPU = "sm_90"
KERNELS = ("gemm", "softmax")
"""The first one is shown in detail."""
LEVELS = {
    "cuda-tile": "as cuTile exported it",
    "tileaa": "views, pointers and tokens",
    "tileas": "layouts, warp specialization, software pipelining",
    "nvgpu": "the code of one thread",
    "nvvm": "ready for LLVM",
}
INSTRUCTIONS = ("wgmma.mma_async", "cp.async.bulk.tensor", "mbarrier.try_wait")

BOLD, GREEN, RED, CYAN = "1", "32", "31", "36"


class Printer:
    """Prints, in colours where there are some."""

    def __init__(self):
        self.has_colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def paint(self, text: str, colour: str) -> str:
        """A text in a colour."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self.has_colours else text

    def head(self, title: str) -> None:
        """The title of a part."""
        print(f"\n{self.paint(title, BOLD)}")


def show_source(example: Example) -> Iterator[str]:
    """The lines of a kernel, as it was written."""
    text = example.source.read_text()
    found = re.search(
        rf"^@ct\.kernel\ndef {example.function or example.name}\(.*?(?=\n\n\n)", text, re.M | re.S
    )
    assert found is not None
    for line in found[0].splitlines():
        if '"""' not in line:
            yield f"  {line}"


def run_levels(example: Example, explored: Exploration, printer: Printer) -> bool:
    """Runs a kernel at every level; returns whether all gave what was expected."""
    is_right = True
    for stage in MODULE_STAGES:
        args = example.make_args()
        start = time.perf_counter()
        explored.run(example.grid, args, step=stage)
        spent = time.perf_counter() - start
        error = example.error(args)
        right = error <= example.tolerance
        is_right &= right
        verdict = printer.paint("right", GREEN) if right else printer.paint("WRONG", RED)
        ops = explored.step(stage).ops
        print(
            f"  {stage:10} {ops:5} ops  {spent:6.2f} s on the CPU  {verdict}, "
            f"largest error {error:.0e}  {LEVELS[stage]}"
        )
    return is_right


def show_code(explored: Exploration, printer: Printer) -> None:
    """How the kernel is scheduled, and what it is compiled to."""
    printer.head("its schedule, as predicted")
    for timeline in module_timelines(explored.after(SCHEDULING)):
        for line in str(timeline).splitlines():
            print(f"  {line}")
    printer.head("its code")
    counts = ", ".join(f"{explored.ptx.count(name)} {name}" for name in INSTRUCTIONS)
    print(f"  PTX of {len(explored.ptx.splitlines())} lines: {counts}")
    remarks = compile(explored.program, explored.options.gpu, explain=True).remarks
    for remark in remarks.select("Passed"):
        print(f"  {printer.paint(remark.place, CYAN)} {remark.text}")


def short_path(path: Path) -> str:
    """A path as it is shortest to type here."""
    return min(str(path), os.path.relpath(path), key=len)


def command(name: str) -> str:
    """How a program of this environment is called here: by name only if it is first on the PATH."""
    path = Path(sys.executable).with_name(name)
    found = shutil.which(name)
    return name if found is not None and Path(found) == path else short_path(path)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(prog="python -m tileiras_xdsl.driver.demos", description=__doc__)
    parser.add_argument(
        *("--report", "-o"),
        type=Path,
        default=Path("build", "demo", f"{KERNELS[0]}.html"),
        help="where the page is written (default: %(default)s)",
    )
    report: Path = parser.parse_args(arguments).report
    printer = Printer()
    is_right = True
    for name in KERNELS:
        example = examples[name]
        explored = explore(example.path, gpu=GPU)
        printer.head(f"{name}: {example.description}")
        if name == KERNELS[0]:
            print("\n".join(show_source(example)))
            printer.head(f"{name} at every level, for {GPU}")
        is_right &= run_levels(example, explored, printer)
        if name == KERNELS[0]:
            show_code(explored, printer)
            report.parent.mkdir(parents=True, exist_ok=True)
            report.write_text(make_page(explored.to_data()), encoding="utf-8")
    attention = short_path(examples["attention"].path)
    printer.head("look inside")
    print(f"  every pass of {KERNELS[0]}, in a browser:")
    print(f"  {printer.paint(report.resolve().as_uri(), CYAN)}")
    print("  the same for attention:")
    print(f"  {command('tileiras-explore')} {attention} -o attention.html")
    print("  all examples:")
    print(f"  {command('python')} -c 'import tileiras_xdsl as tx; print(tx.examples)'")
    sys.stdout.flush()
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(run_command("demo", main, lambda error: f"error: {error}"))
