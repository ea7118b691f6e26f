"""
`tileiras-reduce`: the smallest program that a test still finds interesting.

    $ tileiras-reduce --test ./interesting.sh kernel.tileirbc -o small.mlir

    $ tileiras-reduce --passes canonicalize --error "has no uses" before.mlir -o small.mlir

The test is a command as for `llvm-reduce`: it gets the path of a candidate as its last argument and
exits with 0 if that shows what is looked for. Or it is whether passes fail with an error that has a
text, which is found out in this process. A program is bytecode or text of any level; each
candidate verifies. The output file has the smallest program so far at any time, so the command can
be interrupted. What goes wrong is one line on standard error and exit code 1.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.driver.tools.command import Parser, run_command, write_output
from tileiras_xdsl.frontend.load import MAGIC, STDIN_NAME, Program
from tileiras_xdsl.xdsl_extras.usage import UsageError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tileiras_xdsl.checking.reduction import Progress

PROGRAM: Final = "tileiras-reduce"
BYTECODE_SUFFIX: Final = ".tileirbc"


def make_parser() -> Parser:
    """The options of the command."""
    parser = Parser(
        prog=PROGRAM,
        description="Makes a Tile IR program smaller as long as a test finds it interesting.",
        allow_abbrev=False,
    )
    parser.add_argument("input", help="a file with bytecode or text, or - for standard input")
    parser.add_argument(
        "--test",
        metavar="COMMAND",
        help="a command that exits with 0 if the program, its last argument, is interesting",
    )
    parser.add_argument(
        "--passes", "-p", help="instead of a command: passes that fail, run in this process"
    )
    parser.add_argument("--error", metavar="TEXT", help="text that the error of --passes contains")
    parser.add_argument(
        "--test-arg",
        action="append",
        default=[],
        metavar="ARG",
        help="an argument for the command, before the program",
    )
    parser.add_argument(
        "-o",
        "--output-file",
        default="-",
        help=f"a file, or - for standard output; {BYTECODE_SUFFIX} makes it bytecode (%(default)s)",
    )
    parser.add_argument(
        "-j", "--jobs", type=int, default=1, help="tests that run at once (%(default)s)"
    )
    parser.add_argument(
        "--timeout", type=float, default=300, help="seconds for each test (%(default)g)"
    )
    parser.add_argument(
        "--candidates",
        choices=("text", "bytecode"),
        help="the form that the test gets (that of the input)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress")
    return parser


class TestCommand:
    """A test that is a command."""

    __test__ = False  # no test of pytest

    def __init__(self, command: Sequence[str], folder: str, timeout: float, form: str):
        self.command = command
        self.folder = folder
        self.timeout = timeout
        self.form = form
        self.number = 0
        self.lock = threading.Lock()

    def __call__(self, module: ModuleOp) -> bool:
        with self.lock:
            self.number += 1
            number = self.number
            try:
                data = encode(module, self.form)
            except DiagnosticException:
                # What is no program of `cuda_tile` is no bytecode.
                return False
        suffix = BYTECODE_SUFFIX if self.form == "bytecode" else ".mlir"
        path = Path(self.folder) / f"candidate{number}{suffix}"
        path.write_bytes(data)
        try:
            return self.exit_code(path) == 0
        finally:
            path.unlink(missing_ok=True)

    def exit_code(self, path: Path) -> int | None:
        """What the test says of a file; `None` if it takes too long."""
        try:
            process = subprocess.Popen(
                [*self.command, str(path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"unable to run '{self.command[0]}': {error.strerror}") from None
        try:
            return process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                # With what it has started itself.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


class PassTest:
    """A test in this process: whether passes fail with an error that has a text."""

    __test__ = False  # no test of pytest

    def __init__(self, passes: str, error: str):
        from tileiras_xdsl.driver.compiler.pass_plan import pass_from_spec, split_passes

        self.passes = [pass_from_spec(each) for each in split_passes(passes) if each is not ...]
        self.error = error

    def __call__(self, module: ModuleOp) -> bool:
        from tileiras_xdsl.frontend.load import make_context
        from tileiras_xdsl.xdsl_extras.diagnostics import describe
        from tileiras_xdsl.xdsl_extras.dominance import verify_module

        candidate, ctx = module.clone(), make_context()
        try:
            for each in self.passes:
                each.apply(ctx, candidate)
                verify_module(candidate)
        except Exception as error:
            text = describe(error, tool=PROGRAM, input_name=PROGRAM, root=candidate)
            return self.error in text
        return False


def encode(module: ModuleOp, form: str) -> bytes:
    """A program as it is written to a file."""
    if form == "bytecode":
        from tileiras_xdsl.frontend.bytecode import write

        return write(module)
    from tileiras_xdsl.xdsl_extras.aliases import print_ir

    return f"{print_ir(module)}\n".encode()


class Watcher:
    """Keeps the output up to date, and one line on a terminal."""

    def __init__(self, output: str, *, is_shown: bool):
        self.output = output
        self.is_shown = is_shown
        self.written = 0

    def write(self, module: ModuleOp) -> None:
        form = "bytecode" if self.output.endswith(BYTECODE_SUFFIX) else "text"
        write_output(self.output, encode(module, form))

    def __call__(self, progress: Progress) -> None:
        if progress.kept > self.written and self.output != "-":
            self.written = progress.kept
            self.write(progress.module)
        if self.is_shown:
            text = f"{progress.ops} ops, {progress.tried} tested, {progress.kept} kept"
            print(f"\r\033[K{PROGRAM}: {text} ({progress.strategy})", end="", file=sys.stderr)
            sys.stderr.flush()

    def close(self) -> None:
        if self.is_shown:
            print("\r\033[K", end="", file=sys.stderr)


def reduce_file(given: Namespace) -> None:
    """Does what a command line asks for."""
    from tileiras_xdsl.checking.reduction.search import NotInteresting, Search, count_ops

    if given.jobs < 1:
        raise UsageError(f"there is at least one job, not {given.jobs}")
    program = Program.read(given.input)
    program.check()
    assert program.data is not None
    module = program.load_verified()
    form = given.candidates or ("bytecode" if program.data.startswith(MAGIC) else "text")
    if not given.timeout > 0:
        raise UsageError(f"invalid timeout {given.timeout:g}")
    if (given.test is None) == (given.passes is None) or (given.passes is None) != (
        given.error is None
    ):
        raise UsageError("the test is --test COMMAND, or --passes PASSES with --error TEXT")
    command = split_command(given)
    watcher = Watcher(given.output_file, is_shown=not given.quiet and sys.stderr.isatty())
    before = count_ops(module)
    with tempfile.TemporaryDirectory(prefix="tileiras-reduce-") as folder:
        if given.passes is not None:
            test = PassTest(given.passes, given.error)
            reason = f"'{given.passes}' does not fail with '{given.error}'"
        else:
            test = TestCommand(command, folder, given.timeout, form)
            shown = shlex.join([*command, "PROGRAM"])
            reason = f"'{shown}' does not exit with 0 within {given.timeout:g} s"
        encode(module, form)
        if not test(module):
            raise NotInteresting(f"the test does not find the input interesting: {reason}")
        search = Search(module, test, given.jobs, watcher)
        try:
            search.run()
        finally:
            watcher.close()
    watcher.write(search.module)
    if not given.quiet:
        after = count_ops(search.module)
        print(f"{PROGRAM}: {before} ops became {after} in {search.tested} tests", file=sys.stderr)


def split_command(given: Namespace) -> list[str]:
    """The command that tests, and its arguments; nothing where passes do."""
    if given.test is None:
        return []
    try:
        command = [*shlex.split(given.test), *given.test_arg]
    except ValueError as error:
        raise UsageError(f"the test {given.test!r} is no command: {error}") from None
    if not command:
        raise UsageError("the test is a command, and this one is empty")
    return command


def report(error: BaseException, name: str) -> str:
    """The one line that is printed for an error."""
    from tileiras_xdsl.xdsl_extras.diagnostics import describe

    return describe(error, tool=PROGRAM, input_name=name, root=None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line `arguments`, by default that of the process."""
    name = PROGRAM

    def run() -> int:
        nonlocal name
        given = make_parser().parse_args(arguments)
        name = STDIN_NAME if given.input == "-" else given.input
        reduce_file(given)
        return 0

    return run_command(PROGRAM, run, lambda error: report(error, name))


if __name__ == "__main__":
    sys.exit(main())
