"""What functions of the package have in common: old names of parameters, and short tracebacks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def public(**names: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """
    Decorates a function that users call.

    - Parameters may have had other names: with `public(arguments="args")` `arguments=` means
      `args=`. The signature shows the new names only.
    - What cuTile has to say about a kernel is raised from here, not from deep inside.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def call(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
            for old, new in names.items():
                if old in options:
                    _rename(options, old, new, function.__qualname__)
            try:
                return function(*args, **options)
            except Exception as error:
                if not type(error).__module__.startswith("cuda.tile"):
                    raise
                found = error.with_traceback(None)
            raise found from None

        return call

    return decorate


def _rename(options: dict[str, Any], old: str, new: str, function: str) -> None:
    if new in options:
        raise TypeError(f"{function}() got '{new}' twice, as '{old}' and as '{new}'")
    options[new] = options.pop(old)
