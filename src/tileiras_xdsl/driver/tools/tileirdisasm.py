"""
`tileirdisasm`: bytecode as the text that NVIDIA's disassembler prints, beside the stand-in for
`tileiras`.

    tileirdisasm [--print-debug-info] FILE
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tileiras_xdsl.driver.tools.command import Parser, run_command
from tileiras_xdsl.driver.tools.tileiras_xdsl import refuse_preview, version_text
from tileiras_xdsl.xdsl_extras.usage import UsageError

PROGRAM = "tileirdisasm"


def make_parser() -> Parser:
    """The options."""
    parser = Parser(
        prog=PROGRAM, description="Prints Tile IR bytecode as text.", allow_abbrev=False
    )
    parser.add_argument("input", nargs="?", help="a file of bytecode")
    parser.add_argument(
        "-g", "--print-debug-info", action="store_true", help="print locations, if there are any"
    )
    parser.add_argument("--preview", action="append", default=[], help="refused")
    parser.add_argument("--version", action="store_true")
    return parser


def disassemble(arguments: Sequence[str]) -> int:
    """Prints what the command line names."""
    parser = make_parser()
    given = parser.parse_args(parser.normalize(arguments))
    if given.version:
        print(version_text(PROGRAM))
        return 0
    refuse_preview(given.preview)
    if given.input is None:
        raise UsageError("no input file provided")
    from tileiras_xdsl.frontend.load import Program, make_context
    from tileiras_xdsl.frontend.targets import CudaTilePublicTarget

    module = Program.read(given.input).load_verified()
    CudaTilePublicTarget(debuginfo=given.print_debug_info).emit(make_context(), module, sys.stdout)
    return 0


def report(error: BaseException) -> str:
    """The one line that is printed for an error."""
    from tileiras_xdsl.xdsl_extras.diagnostics import make_error_report

    made = make_error_report(error, tool=PROGRAM, input_name=PROGRAM, root=None)
    return made.for_cutile()


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line `arguments`, by default that of the process."""
    given = sys.argv[1:] if arguments is None else arguments
    return run_command(PROGRAM, lambda: disassemble(given), report)


if __name__ == "__main__":
    sys.exit(main())
