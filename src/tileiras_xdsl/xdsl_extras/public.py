"""
What functions of the package have in common: old names of parameters, hints for calls that do not
match the signature, and short tracebacks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .usage import DEBUG_VARIABLE

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class CallerError(Exception):
    """
    A mistake of the caller, such as an option that does not exist. The message says all of it, so
    `public` functions raise it without the frames below them; `TILEIRAS_DEBUG=1` keeps them.
    """


def public(**names: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """
    Decorates a function that users call.

    - Parameters may have had other names: with `public(arguments="args")` `arguments=` means
      `args=`. The signature shows the new names only.
    - A call that does not match the signature gets a hint: `did you mean 'args'?`.
    - Errors of cuTile about a kernel, and a `CallerError`, are raised from here, not from deep
      inside.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def call(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
            for old, new in names.items():
                if old in options:
                    _rename(options, old, new, function.__qualname__)
            try:
                return function(*args, **options)
            except TypeError as error:
                # Only the call itself: a function that was entered has a frame of its own.
                traceback = error.__traceback__
                hint = _hint(function, error) if traceback and traceback.tb_next is None else ""
                if not hint:
                    raise
                found: Exception = TypeError(f"{error}{hint}")
            except Exception as error:
                if not _is_short(error):
                    raise
                found = error.with_traceback(None)
            raise found from None

        return call

    return decorate


def _is_short(error: Exception) -> bool:
    if os.environ.get(DEBUG_VARIABLE):
        return False
    return isinstance(error, CallerError) or is_cutile_error(error)


def is_cutile_error(error: Exception) -> bool:
    """Whether cuTile has raised it, which need not be installed to ask."""
    return type(error).__module__.startswith("cuda.tile")


def _hint(function: Callable[..., object], error: TypeError) -> str:
    """What to write in place of a call that does not match the signature."""
    from difflib import get_close_matches
    from inspect import Parameter, signature

    parameters = signature(function).parameters
    unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
    if unknown is not None:
        close = get_close_matches(unknown[1], parameters, 1)
        return f", did you mean '{close[0]}'?" if close else ""
    if "positional argument" in str(error) and "given" in str(error):
        named = [
            f"{name}=…"
            for name, each in parameters.items()
            if each.kind is Parameter.KEYWORD_ONLY and each.default is Parameter.empty
        ]
        return f"; pass {' and '.join(named)} by name" if named else ""
    return ""


def _rename(options: dict[str, Any], old: str, new: str, function: str) -> None:
    if new in options:
        raise TypeError(f"{function}() got '{new}' twice, as '{old}' and as '{new}'")
    options[new] = options.pop(old)
