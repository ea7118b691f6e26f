"""
`tileiras-explore`: a program on its way through the compiler as one web page.

    $ tileiras-explore kernel.tileirbc -o report.html

The page has all that `tileiras_xdsl.explore` knows, and needs neither Python nor a network. What
goes wrong is one line on standard error and exit code 1, and no page is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tileiras_xdsl.compiler.options import OptionError
from tileiras_xdsl.frontend import STDIN_NAME, Program
from tileiras_xdsl.pipeline import DEFAULT_ABI, DEFAULT_OPT_LEVEL, OPT_LEVELS
from tileiras_xdsl.tools.command import Parser, run_command, write_output

PROGRAM: Final = "tileiras-explore"


def make_parser() -> Parser:
    """The options of the command."""
    parser = Parser(
        prog=PROGRAM,
        description="Writes a web page that shows a Tile IR program after every pass.",
        allow_abbrev=False,
    )
    parser.add_argument("input", help="a file with bytecode or text, or - for standard input")
    parser.add_argument(
        "-o", "--output-file", help="- for standard output (the name of the input with .html)"
    )
    parser.add_argument(
        "--gpu-name", "--arch", default="sm_90", help="the architecture (%(default)s)"
    )
    parser.add_argument(
        "-O",
        "--opt-level",
        type=int,
        choices=OPT_LEVELS,
        default=DEFAULT_OPT_LEVEL,
        help="(%(default)s)",
    )
    parser.add_argument(
        "--abi",
        choices=("device-maps", "host-maps"),
        default=DEFAULT_ABI,
        help="who encodes tensor maps (%(default)s)",
    )
    parser.add_argument(
        *("-p", "--passes"),
        help="passes in place of the pipeline, which '...' stands for, as in 'my-pass,...'",
    )
    parser.add_argument(
        "--insert",
        action="append",
        default=[],
        metavar="WHERE=PASSES",
        help="passes in the pipeline, as in 'after:licm=my-pass{option=1}'",
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="write the page of a program that cannot be compiled, up to where that stops",
    )
    return parser


def write_report(given: argparse.Namespace) -> str:
    """Does what a command line asks for; returns why the program stops short, if it does."""
    from tileiras_xdsl.exploration.exploration import explore
    from tileiras_xdsl.exploration.report import make_page

    program = Program.read(given.input)
    exploration = explore(
        program,
        gpu=given.gpu_name,
        opt=given.opt_level,
        abi=given.abi,
        passes=given.passes,
        insert=join_insertions(given.insert),
    )
    if exploration.error is not None and not given.keep_going:
        raise exploration.error
    page = make_page(exploration.to_data()).encode()
    if given.input == "-" and given.output_file is None:
        output = "-"
    else:
        output = given.output_file or f"{Path(given.input).stem}.html"
    write_output(output, page)
    return "" if exploration.error is None else str(exploration.error)


def join_insertions(texts: Iterable[str]) -> dict[str, list[str]]:
    """Which passes are inserted where; those of one place in the order in which they are given."""
    found: dict[str, list[str]] = {}
    for where, passes in map(split_insertion, texts):
        found.setdefault(where, []).append(passes)
    return found


def split_insertion(text: str) -> tuple[str, str]:
    """Where passes are inserted, and which."""
    where, separator, passes = text.partition("=")
    if not separator:
        raise OptionError(f"--insert is WHERE=PASSES, as in 'after:licm=my-pass', not '{text}'")
    return where, passes


def report(error: BaseException, name: str) -> str:
    """The one line that is printed for an error."""
    from tileiras_xdsl.compiler.compiled import CompileError
    from tileiras_xdsl.xdsl_extras.diagnostics import make_error_report

    if isinstance(error, CompileError):
        return str(error)
    return make_error_report(error, tool=PROGRAM, input_name=name, root=None).for_cutile()


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line `arguments`, by default that of the process."""
    name = PROGRAM

    def run() -> int:
        nonlocal name
        given = make_parser().parse_args(arguments)
        name = STDIN_NAME if given.input == "-" else given.input
        if message := write_report(given):
            print(message, file=sys.stderr)
            return 1
        return 0

    return run_command(PROGRAM, run, lambda error: report(error, name))


if __name__ == "__main__":
    sys.exit(main())
