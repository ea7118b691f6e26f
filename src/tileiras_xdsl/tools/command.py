"""
What our commands have in common: input may be nested deeply, and whatever goes wrong is one line on
standard error and exit code 1.

Importing this imports nothing of xDSL.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from tileiras_xdsl.xdsl_extras.deep_stack import call_with_deep_stack
from tileiras_xdsl.xdsl_extras.usage import DEBUG_VARIABLE, UsageError


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


def run_command(
    program: str, run: Callable[[], int], report: Callable[[BaseException], str]
) -> int:
    """The exit code of a command; `report` says what went wrong."""

    def run_or_report() -> tuple[int, str | None]:
        try:
            return run(), None
        except (KeyboardInterrupt, SystemExit):
            raise
        except BrokenPipeError:
            # For a reader of our output that has gone, Python would complain once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1, None
        except BaseException as error:  # What xDSL raises for a pipeline is no `Exception`.
            if os.environ.get(DEBUG_VARIABLE):
                import traceback

                traceback.print_exception(error)
            return 1, report(error)

    try:
        # What fails because a key interrupts it, such as ptxas, is not reported: that is done by
        # the thread that is interrupted.
        code, message = call_with_deep_stack(run_or_report)
        if message is not None:
            print(message, file=sys.stderr)
        return code
    except KeyboardInterrupt:
        print(f"{program}: interrupted", file=sys.stderr)
        return 130


def write_output(path: str, data: bytes, companions: Mapping[str, bytes] | None = None) -> None:
    """Writes a file and those beside it, see `files.write_file`; - is standard output."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    from tileiras_xdsl.tools.files import write_file

    try:
        write_file(path, data, companions)
    except OSError as error:
        raise UsageError(f"unable to write output file '{path}': {error.strerror}") from None
