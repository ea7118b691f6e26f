"""
`tileiras-explore`: a program on its way through the compiler as one web page.

    $ tileiras-explore kernel.tileirbc -o report.html

The page has all that `tileiras_xdsl.explore` knows, and needs neither Python nor a network. What
goes wrong is one line on standard error and exit code 1, and no page is written.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from tileiras_xdsl.pipeline import DEFAULT_ABI, DEFAULT_OPT_LEVEL, OPT_LEVELS
from tileiras_xdsl.xdsl_extras.diagnostics import DEBUG_VARIABLE, UsageError, make_report

PROGRAM: Final = "tileiras-explore"


class Parser(argparse.ArgumentParser):
    """Reports mistakes as exceptions."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


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
        "--keep-going",
        action="store_true",
        help="write the page of a program that cannot be compiled, up to where that stops",
    )
    return parser


def write_report(given: argparse.Namespace) -> str:
    """Does what a command line asks for; returns why the program stops short, if it does."""
    from tileiras_xdsl.explore.exploration import explore
    from tileiras_xdsl.explore.report import make_page
    from tileiras_xdsl.frontend import Program
    from tileiras_xdsl.tools.files import write_file

    program = Program.read(given.input)
    exploration = explore(program, gpu=given.gpu_name, opt=given.opt_level, abi=given.abi)
    if exploration.error is not None and not given.keep_going:
        raise exploration.error
    page = make_page(exploration.to_data()).encode()
    if given.input == "-" and given.output_file is None:
        output = "-"
    else:
        output = given.output_file or f"{Path(given.input).stem}.html"
    if output == "-":
        sys.stdout.buffer.write(page)
        sys.stdout.flush()
    else:
        try:
            write_file(output, page)
        except OSError as error:
            raise UsageError(f"unable to write output file '{output}': {error.strerror}") from None
    return "" if exploration.error is None else str(exploration.error)


def run_tool(arguments: Sequence[str]) -> int:
    """Runs a command line; returns the exit code."""
    from tileiras_xdsl.compiler.compiled import CompileError

    name = PROGRAM
    try:
        given = make_parser().parse_args(arguments)
        name = "<stdin>" if given.input == "-" else given.input
        if message := write_report(given):
            print(message, file=sys.stderr)
            return 1
        return 0
    except BrokenPipeError:
        from tileiras_xdsl.tools.files import drop_output

        drop_output()
        return 1
    except Exception as error:
        if os.environ.get(DEBUG_VARIABLE):
            import traceback

            traceback.print_exception(error)
        if isinstance(error, CompileError):
            print(error, file=sys.stderr)
        else:
            report = make_report(error, tool=PROGRAM, input_name=name, root=None)
            print(report.with_mlir_location(), file=sys.stderr)
        return 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line `arguments`, by default that of the process."""
    from tileiras_xdsl.tools.deep_stack import call_with_deep_stack

    given = sys.argv[1:] if arguments is None else arguments
    try:
        return call_with_deep_stack(lambda: run_tool(given))
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
