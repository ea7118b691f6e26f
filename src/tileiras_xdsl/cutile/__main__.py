"""
Runs a cuTile program with this compiler.

    python -m tileiras_xdsl.cutile program.py args…
    python -m tileiras_xdsl.cutile --only matmul --launcher -m package.module args…

The environment variables of `startup` are set too, for processes that the program starts.
"""

from __future__ import annotations

import argparse
import builtins
import io
import os
import runpy
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from tileiras_xdsl.cutile.startup import DEVICE_VARIABLE, LAUNCHER_VARIABLE, VARIABLE, use_as_told
from tileiras_xdsl.driver.tools.command import call_quietly

PROGRAM: Final = "python -m tileiras_xdsl.cutile"


def make_parser() -> argparse.ArgumentParser:
    """The options, which end where those of the program begin."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Runs a cuTile program with this compiler instead of tileiras.",
        usage=f"{PROGRAM} [--only NAME[,NAME…]] [--launcher | --device cpu] "
        "(PROGRAM | -m MODULE) [ARGUMENT…]",
        allow_abbrev=False,
    )
    parser.add_argument("--only", default="1", help="the kernels that are compiled by it (all)")
    parser.add_argument(
        "--launcher",
        action="store_true",
        help="launch kernels with our launcher, which encodes tensor maps",
    )
    parser.add_argument(
        "--device", choices=("cpu",), help="run kernels on this CPU, which needs no GPU"
    )
    parser.add_argument("-m", action="store_true", dest="is_module", help="the program is a module")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program of a command line, which may end the process by itself."""
    from xdsl.utils.exceptions import DiagnosticException

    given = call_quietly(lambda: make_parser().parse_args(arguments), None)
    if given is None:
        return 1
    os.environ[VARIABLE] = given.only
    if given.device is not None:
        os.environ[DEVICE_VARIABLE] = given.device
    if given.launcher:
        os.environ[LAUNCHER_VARIABLE] = "1"
    if not given.is_module and not os.path.isfile(given.program):
        print(f"{PROGRAM}: error: there is no file '{given.program}'", file=sys.stderr)
        return 1
    try:
        use_as_told(os.environ)
    except DiagnosticException as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return 1
    sys.argv = [given.program, *given.arguments]
    # As Python has it: the folder of the program, or the one that it is run in.
    sys.path[0] = os.getcwd() if given.is_module else os.path.dirname(given.program)
    if given.is_module:
        runpy.run_module(given.program, run_name="__main__", alter_sys=True)
    else:
        run_file(given.program)
    return 0


def run_file(path: str) -> None:
    """Runs a file as the main module, which stays: `runpy` would clear it before exit handlers."""
    module = ModuleType("__main__")
    vars(module).update(__file__=path, __builtins__=builtins)
    sys.modules["__main__"] = module
    with io.open_code(os.path.abspath(path)) as file:
        code = compile(file.read(), path, "exec")
    exec(code, vars(module))


if __name__ == "__main__":
    sys.exit(main())
