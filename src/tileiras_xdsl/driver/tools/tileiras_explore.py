"""
`tileiras-explore`: a program on its way through the compiler as one web page.

    $ tileiras-explore kernel.tileirbc -o report.html
    $ tileiras-explore kernels.py:matmul --args 'f16[4096,4096], f16[4096,4096], f16[?,?], 128'
    $ tileiras-explore --compare old.tileirbc new.tileirbc -o compare.html
    $ tileiras-explore --compare kernel.tileirbc --gpu-name sm_90,sm_100

The page has all that `tileiras_xdsl.explore` knows, and needs neither Python nor a network. What is
being done, and what was written, is said on standard error. What goes wrong is one line there and
exit code 1, and no page is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.options import OptionError
from tileiras_xdsl.driver.tools.command import Parser, name_input, run_command, write_output
from tileiras_xdsl.frontend.load import STDIN_NAME, Program
from tileiras_xdsl.pipeline import DEFAULT_ABI, DEFAULT_OPT_LEVEL, OPT_LEVELS
from tileiras_xdsl.transforms.common.abi import ABIS
from tileiras_xdsl.xdsl_extras.diagnostics import ErrorLocation, ErrorReport
from tileiras_xdsl.xdsl_extras.public import is_cutile_error

if TYPE_CHECKING:
    from tileiras_xdsl.inspection.exploration.exploration import Exploration

PROGRAM: Final = "tileiras-explore"


def make_parser() -> Parser:
    """The options of the command."""
    parser = Parser(
        prog=PROGRAM,
        description="Writes a web page that shows a Tile IR program after every pass.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "input",
        nargs="+",
        help="a file with bytecode or text, - for standard input, or a cuTile kernel as in "
        "kernels.py:matmul; two with --compare",
    )
    parser.add_argument(
        "--args",
        help="arguments of a cuTile kernel: arrays 'f16[4096,4096]' or 'f16[?,?]', numbers '128', "
        "types of numbers 'f32', by position or name",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only")
    parser.add_argument(
        "-o", "--output-file", help="a file, or - for standard output (the input's name with .html)"
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="compare two programs, or one for two architectures (--gpu-name sm_90,sm_100) or at "
        "two levels (-O 1,3); without -o as text",
    )
    parser.add_argument(
        "--gpu-name",
        "--arch",
        default="sm_90",
        help="the architecture, or cpu for this CPU (%(default)s)",
    )
    parser.add_argument(
        *("-O", "--opt-level"),
        default=str(DEFAULT_OPT_LEVEL),
        help=f"{', '.join(map(str, OPT_LEVELS))} (%(default)s)",
    )
    parser.add_argument(
        "--abi",
        choices=ABIS,
        default=DEFAULT_ABI,
        help="who encodes tensor maps (%(default)s)",
    )
    parser.add_argument(
        *("-p", "--passes"),
        help="replace the pipeline by passes; '...' stands for it, as in 'my-pass,...'",
    )
    parser.add_argument(
        "--insert",
        action="append",
        default=[],
        metavar="WHERE=PASSES",
        help="insert passes into the pipeline, as in 'after:licm=my-pass{option=1}'",
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="if compilation fails, write the page up to that pass",
    )
    return parser


def write_report(given: argparse.Namespace) -> str:
    """Does what a command line asks for; returns why a program stops short, if one does."""
    from tileiras_xdsl.inspection.exploration.report import make_page

    if given.compare:
        return write_comparison(given)
    if len(given.input) > 1:
        raise OptionError(f"{len(given.input)} programs are given: compare two with --compare")
    (name,) = given.input
    if name == "-" and given.output_file is None:
        output = "-"
    else:
        output = given.output_file or f"{default_stem(name)}.html"
    check_folder(output)
    tell = make_progress(given)
    exploration = explore_program(given, name, given.gpu_name, given.opt_level)
    page = make_page(exploration.to_data(progress=tell)).encode()
    write_output(output, page)
    if output != "-":
        passes = len(exploration.steps) - 1
        tell(f"wrote {output} ({passes} passes, {-(-len(page) // 1000)} kB): open it in a browser")
    return "" if exploration.error is None else str(exploration.error)


def check_folder(output: str) -> None:
    """Before anything is done: whether there is a folder for what is written."""
    if not Path(output).parent.is_dir():
        raise OptionError(f"unable to write output file '{output}': there is no such folder")


def explore_program(
    given: argparse.Namespace,
    name: str,
    gpu: str,
    opt_level: str,
    read: Callable[[str], Program] = Program.read,
) -> Exploration:
    """A program after every pass, with the options of a command line."""
    from tileiras_xdsl.driver.compiler.pass_plan import join_insertions
    from tileiras_xdsl.inspection.exploration.exploration import explore

    if opt_level not in map(str, OPT_LEVELS):
        known = ", ".join(map(str, OPT_LEVELS))
        raise OptionError(f"argument -O/--opt-level: invalid choice: {opt_level} (choose {known})")
    exploration = explore(
        read_program(name, given.args, gpu, read),
        gpu=gpu,
        opt=int(opt_level),
        abi=given.abi,
        passes=given.passes,
        insert=join_insertions(given.insert),
        progress=make_progress(given),
    )
    if exploration.error is not None and not given.keep_going:
        raise exploration.error
    return exploration


def make_progress(given: argparse.Namespace) -> Callable[[str], None]:
    """What says on standard error what is being done; nothing where text is asked for."""
    is_quiet = given.quiet or (given.compare and given.output_file is None)

    def tell(what: str) -> None:
        if not is_quiet:
            print(f"{PROGRAM}: {what}", file=sys.stderr, flush=True)

    return tell


def read_program(
    name: str, args: str | None, gpu: str, read: Callable[[str], Program] = Program.read
) -> Program:
    """A program that `read` reads from a file, or a kernel of cuTile or Triton in Python."""
    from tileiras_xdsl.cutile.described import load_kernel, split_name

    if (place := split_name(name)) is None:
        if args is not None:
            raise OptionError(
                f"--args are those of a kernel in Python, but '{name}' is no .py file"
            )
        return read(name)
    from tileiras_xdsl.cutile.described import parse_arguments
    from tileiras_xdsl.driver.compiler.cpu import FRONT_END_GPU
    from tileiras_xdsl.inspection.exploration.exploration import CPU
    from tileiras_xdsl.targets.machine import gpu_name

    kernel = load_kernel(*place)
    arguments = parse_arguments(args or "", kernel)
    try:
        return Program.of(kernel, arguments, FRONT_END_GPU if gpu == CPU else gpu_name(gpu))
    except Exception as error:
        if not is_cutile_error(error):
            raise
        raise explain_cutile_error(error) from None


def explain_cutile_error(error: Exception) -> DiagnosticException:
    """What cuTile has to say about a function, at its place if it has one."""
    from tileiras_xdsl.frontend.cutile_kernels import KernelError

    place: Any = getattr(error, "loc", None)
    if not getattr(place, "filename", None):
        return KernelError(f"{type(error).__name__}: {error}")
    location = ErrorLocation(place.filename, place.line, place.col + 1)
    return CompileError(ErrorReport(location, "error", getattr(error, "message")))


def default_stem(name: str) -> str:
    """What the page of a program is called: after its file, or after the kernel."""
    from tileiras_xdsl.cutile.described import split_name

    place = split_name(name)
    return Path(name).stem if place is None else place[1] or Path(place[0]).stem


def write_comparison(given: argparse.Namespace) -> str:
    """Two programs side by side: a page, or text where no file is named."""
    from tileiras_xdsl.inspection.exploration.compare import compare

    names, gpus, levels = (
        pair_of(given.input, "programs"),
        pair_of(given.gpu_name.split(","), "architectures"),
        pair_of(given.opt_level.split(","), "optimization levels"),
    )
    if len(given.input) == 1 and (gpus[0], levels[0]) == (gpus[1], levels[1]):
        raise OptionError("--compare takes two programs, architectures or optimization levels")
    if given.output_file is not None:
        check_folder(given.output_file)
    # Standard input can be read once only.
    read = cache(Program.read)
    a, b = (explore_program(given, *each, read) for each in zip(names, gpus, levels, strict=True))
    comparison = compare(a, b)
    if given.output_file is None:
        write_output("-", f"{comparison}\n".encode())
    else:
        write_output(given.output_file, comparison.page.encode())
        make_progress(given)(f"wrote {given.output_file}: open it in a browser")
    return "\n".join(str(each.error) for each in (a, b) if each.error is not None)


def pair_of(given: Sequence[str], noun: str) -> tuple[str, str]:
    """The values of both sides."""
    if len(given) > 2:
        raise OptionError(f"--compare takes two {noun}, not {len(given)}")
    return given[0], given[-1]


def report(error: BaseException, name: str) -> str:
    """The one line that is printed for an error."""
    from tileiras_xdsl.xdsl_extras.diagnostics import make_error_report

    if isinstance(error, CompileError):
        # What it was raised for says whether the file as a whole is wrong.
        return name_input(error.report, error.__context__ or error)
    made = make_error_report(error, tool=PROGRAM, input_name=name, root=None)
    return name_input(made, error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line `arguments`, by default that of the process."""
    name = PROGRAM

    def run() -> int:
        nonlocal name
        given = make_parser().parse_args(arguments)
        name = STDIN_NAME if given.input[0] == "-" else given.input[0]
        if message := write_report(given):
            print(message, file=sys.stderr)
            return 1
        return 0

    return run_command(PROGRAM, run, lambda error: report(error, name))


if __name__ == "__main__":
    sys.exit(main())
