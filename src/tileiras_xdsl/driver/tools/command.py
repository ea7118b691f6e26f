"""
What our commands have in common: input may be nested deeply, and whatever goes wrong is one line on
standard error and exit code 1.

Importing this imports nothing of xDSL.
"""

from __future__ import annotations

import argparse
import errno
import os
import stat
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

from tileiras_xdsl.xdsl_extras.deep_stack import call_with_deep_stack
from tileiras_xdsl.xdsl_extras.usage import DEBUG_VARIABLE, PluginWarning, RefusedError, UsageError

if TYPE_CHECKING:
    from argparse import _ActionsContainer  # pyright: ignore[reportPrivateUsage]

    from xdsl.dialects.builtin import ModuleOp

    from tileiras_xdsl.xdsl_extras.diagnostics import ErrorReport

Result = TypeVar("Result")


class Parser(argparse.ArgumentParser):
    """Reports mistakes as exceptions, and reads options with one dash as LLVM's tools do."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)

    def normalize(self, arguments: Sequence[str]) -> list[str]:
        """
        `-gpu-name=sm_90` as `--gpu-name=sm_90`. An option whose value may be left out takes the
        next argument only if that is one of its choices; anything else may be the input.
        """
        actions = self._option_string_actions
        known = {option[1:] for option in actions if option.startswith("--")}
        found: list[str] = []
        left = list(reversed(arguments))
        while left:
            argument = left.pop()
            if argument.partition("=")[0] in known:
                argument = f"-{argument}"
            if (action := actions.get(argument)) is not None and action.nargs == "?":
                is_given = bool(left) and left[-1] in (action.choices or ())
                argument = f"{argument}={left.pop() if is_given else action.const}"
            found.append(argument)
        return found


def call_quietly(run: Callable[[], Result], otherwise: Result) -> Result:
    """
    Calls a function, and writes what it has printed. If nobody reads that any more, as in
    `… | head`, the result is another, and nothing is said.
    """
    try:
        try:
            return run()
        finally:
            if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
                sys.stdout.flush()
    except BrokenPipeError:
        # Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return otherwise


def name_input(report: ErrorReport, error: BaseException) -> str:
    """The line that reports an error; what is wrong with a file as a whole names the file."""
    from tileiras_xdsl.frontend.bytecode.primitives import BytecodeError
    from tileiras_xdsl.frontend.load import InputError

    text = report.for_cutile()
    is_named = report.place.line is not None or report.place.name in report.message
    if isinstance(error, InputError | BytecodeError) and not is_named:
        return f"{report.place.name}: {text}"
    return text


def run_command(
    program: str,
    run: Callable[[], int],
    report: Callable[[BaseException], str],
    exit_code: Callable[[BaseException], int] = lambda _: 1,
) -> int:
    """The exit code of a command; `report` says what went wrong."""

    def run_or_report() -> tuple[int, str | None]:
        try:
            return run(), None
        except (KeyboardInterrupt, SystemExit):
            raise
        except BrokenPipeError:
            raise
        except BaseException as error:  # What xDSL raises for a pipeline is no `Exception`.
            if os.environ.get(DEBUG_VARIABLE):
                import traceback

                traceback.print_exception(error)
            return exit_code(error), report(error)

    show = warnings.showwarning

    def tell(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if issubclass(category, PluginWarning):
            print(f"{program}: warning: {message}", file=sys.stderr)
        else:
            show(message, category, *place)

    warnings.showwarning = tell
    try:
        # What fails because a key interrupts it, such as ptxas, is not reported: that is done by
        # the thread that is interrupted.
        code, message = call_quietly(lambda: call_with_deep_stack(run_or_report), (1, None))
        if message is not None:
            print(message, file=sys.stderr)
        return code
    except KeyboardInterrupt:
        print(f"{program}: interrupted", file=sys.stderr)
        return 130
    finally:
        warnings.showwarning = show


def write_output(path: str, data: bytes, companions: Mapping[str, bytes] | None = None) -> None:
    """Writes a file and those beside it, see `write_file`; - is standard output."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    try:
        write_file(path, data, companions)
    except OSError as error:
        raise RefusedError(f"unable to write output file '{path}': {error.strerror}") from None


# Output that appears at once or not at all.


def write_file(path: str, data: bytes, companions: Mapping[str, bytes] | None = None) -> None:
    """
    Writes `data` to `path` at once: whoever looks sees the old file or the whole new one.
    Companions are files beside it, by what is put after its name; all are written or none.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        # A device or a pipe cannot be replaced and has nothing beside it, a directory is refused
        # here.
        with open(path, "wb") as stream:
            stream.write(data)
        return

    # The main file last: where it is new, those beside it are.
    files = {f"{path}{suffix}": content for suffix, content in (companions or {}).items()}
    files[path] = data
    new = [target for target in files if not os.path.exists(target)]
    temporaries: dict[str, str] = {}
    target = path
    try:
        for target, content in files.items():
            temporaries[target] = _write_temporary(target, content)
        for target, temporary in temporaries.items():
            os.replace(temporary, target)
    except OSError as error:
        for leftover in (*temporaries.values(), *new):
            if os.path.exists(leftover):
                os.remove(leftover)
        raise OSError(error.errno, error.strerror, target) from error


def _write_temporary(path: str, data: bytes) -> str:
    """Writes a file that is to replace the one at `path`; returns its name."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    directory, name = os.path.split(path)
    temporary = os.path.join(directory, f".{name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as stream:
            stream.write(data)
        if os.path.exists(path):
            import shutil

            shutil.copymode(path, temporary)
    except OSError:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise
    return temporary


# In which form commands print IR.


PrintForm = Literal["aliases", "local", "short", "brief"]
"""
With aliases for layouts and the like; without any; with aliases for all that is long; and for
somebody to read, see `xdsl_extras.reading`. All but the last can be parsed.
"""


def add_print_options(options: _ActionsContainer) -> None:
    """Adds the options; `print_form` is set by the last of them."""
    forms: tuple[tuple[str, PrintForm, str], ...] = (
        (
            "--print-local-scope",
            "local",
            "print attributes and types in full where they are used, without aliases",
        ),
        ("--print-short", "short", "print aliases for all long attributes and types"),
        (
            "--print-brief",
            "brief",
            "print IR to be read, not parsed: no types, assumptions and aliases folded",
        ),
    )
    for name, form, text in forms:
        options.add_argument(
            name,
            action="store_const",
            dest="print_form",
            const=form,
            default="aliases",
            help=text,
        )


def print_module(module: ModuleOp, form: PrintForm) -> str:
    """The text of a module in a form: a line for each op."""
    if form == "brief":
        from tileiras_xdsl.xdsl_extras.reading import read_ir

        return str(read_ir(module, wrap=False))
    from tileiras_xdsl.xdsl_extras.aliases import print_ir

    return print_ir(module, local_scope=form == "local", short=form == "short")


def wrap_for(stream: IO[Any], text: str) -> str:
    """The text with long lines wrapped, if it is for a terminal."""
    if not stream.isatty():
        return text
    from tileiras_xdsl.xdsl_extras.aliases import wrap

    return wrap(text)
