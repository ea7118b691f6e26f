"""
What functions of the package have in common: one shape of call, hints for calls that do not match
it, options that are keywords or one object, and short tracebacks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from operator import index
from typing import Any, Final, ParamSpec, TypeVar, cast

from .usage import DEBUG_VARIABLE

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable[..., object])
Options = TypeVar("Options")

_MOST_SIZES: Final = 3


class CallerError(Exception):
    """
    A mistake of the caller, such as an option that does not exist. The message says all of it, so
    `public` functions raise it without the frames below them; `TILEIRAS_DEBUG=1` keeps them.
    """


def public(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """
    Decorates a function that users call.

    - A call that does not match the signature, or whose `grid`, `args` or `gpu` cannot be meant, is
      answered in one line with the call that is right.
    - Errors of cuTile about a kernel, and a `CallerError`, are raised from here, not from deep
      inside.
    """

    @wraps(function)
    def call(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        _check_call(call, args, options)
        try:
            return function(*args, **options)
        except Exception as error:
            if not _is_short(error):
                raise
            found = error.with_traceback(None)
        raise found from None

    return call


def _is_short(error: Exception) -> bool:
    if os.environ.get(DEBUG_VARIABLE):
        return False
    return isinstance(error, CallerError) or is_cutile_error(error)


def is_cutile_error(error: Exception) -> bool:
    """Whether cuTile has raised it, which need not be installed to ask."""
    return type(error).__module__.startswith("cuda.tile")


# Options of a function that has many: a frozen dataclass, and keywords of the same names.


def with_options(kind: type[Any]) -> Callable[[Function], Function]:
    """
    Decorates a function that takes `options`, an object of a dataclass, or its fields as keywords:
    its signature shows both.
    """

    def decorate(function: Function) -> Function:
        known = signature(function)
        kept = [
            each for each in known.parameters.values() if each.kind is not Parameter.VAR_KEYWORD
        ]
        shown = [
            Parameter(
                each.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if each.default is MISSING else each.default,
                annotation=each.type,
            )
            for each in fields(kind)
        ]
        cast("Any", function).__signature__ = known.replace(parameters=[*kept, *shown])
        return function

    return decorate


def choose_options(
    kind: type[Options], options: Options | None, given: Mapping[str, Any]
) -> Options:
    """Options that are given as an object, or as keywords."""
    if options is None:
        return kind(**given)
    if given:
        names = ", ".join(f"{name}=…" for name in given)
        raise TypeError(
            f"options are given twice, as {names} and as options=…: "
            f"give options=dataclasses.replace(options, {names})"
        )
    if not isinstance(options, kind):
        raise TypeError(f"options is of type {kind.__name__}, not {type(options).__name__}")
    return options


# Calls


@cache
def _signature_of(function: Callable[..., object]) -> Signature:
    return signature(function)


def _check_call(
    function: Callable[..., object], args: Sequence[Any], options: Mapping[str, Any]
) -> None:
    """Raises if a call cannot be meant as it is."""
    known, reason = _signature_of(function), ""
    try:
        given = known.bind(*args, **options).arguments
    except TypeError as error:
        reason = _explain(known, str(error))
        given = dict(zip(known.parameters, args, strict=False))
    if reason := _find_mistake(known, given) or reason:
        name, usage = function.__name__, _usage(known)
        raise TypeError(f"{name}(): {reason}" + (f": it is {name}({usage})" if usage else ""))


def _explain(known: Signature, message: str) -> str:
    from difflib import get_close_matches

    unknown = re.search(r"unexpected keyword argument '(\w+)'", message)
    if unknown is not None:
        close = get_close_matches(unknown[1], known.parameters, 1)
        hint = f" (did you mean '{close[0]}'?)" if close else ""
        return f"there is no '{unknown[1]}'{hint}"
    missing = re.search(r"missing a required (?:keyword-only )?argument: '(\w+)'", message)
    return f"{message}, others go by name" if missing is None else f"'{missing[1]}' is missing"


def _find_mistake(known: Signature, given: Mapping[str, Any]) -> str:
    """What is wrong with arguments that have a place; nothing if they may be meant."""
    takes_functions = "space" in known.parameters
    grid, args, gpu = (given.get(name) for name in ("grid", "args", "gpu"))
    if takes_functions and (callable(grid) or "grid" not in known.parameters):
        grid = None
    if takes_functions and (callable(args) or isinstance(args, Mapping)):
        args = None
    is_grid, is_args = grid is None or _is_grid(grid), args is None or _is_args(args)
    if not is_grid and _is_args(grid) and args and _is_grid(args):
        return "grid and args are swapped"
    if not is_grid:
        what = f"grid is one to three sizes, not {describe(grid)}"
        if isinstance(grid, str) and "gpu" in known.parameters:
            return f"{what} (did you mean gpu={grid!r}?)"
        return what
    if not is_args:
        return f"args is a sequence of all arguments, not {describe(args)}"
    if gpu is not None and not isinstance(gpu, str) and not _is_size(gpu):
        return f"gpu is a name such as 'sm_90', not {describe(gpu)}"
    return ""


def _is_size(value: Any) -> bool:
    try:
        index(value)
    except TypeError:
        return False
    return True


def _is_grid(value: Any) -> bool:
    """Whether something is meant as a grid, though perhaps not a legal one."""
    if isinstance(value, str | bytes | Mapping):
        return False
    # To look at what an iterator gives uses it up.
    if _is_size(value) or isinstance(value, Iterator):
        return True
    try:
        sizes = list(value)
    except TypeError:
        return False
    is_list = isinstance(value, list | tuple)
    return all(map(_is_size, sizes)) and (is_list or len(sizes) <= _MOST_SIZES)


def _is_args(value: Any) -> bool:
    is_array = hasattr(value, "dtype") or hasattr(value, "__array_interface__")
    return isinstance(value, Sequence) and not isinstance(value, str | bytes) and not is_array


def describe(value: Any) -> str:
    """What was given in place of something else, in a few words."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and hasattr(value, "dtype"):
        return f"an array of shape {shape}"
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return f"a {kind} of {len(cast('Sequence[Any]', value))} arguments"
    if isinstance(value, str | int | float):
        shown = repr(value)
        return shown if len(shown) < 40 else f"{shown[:36]}…{shown[-1]}"
    return f"of type {type(value).__name__}"


def _usage(known: Signature) -> str:
    """The parameters that have places, and those that have to be given."""
    shown: list[str] = []
    for name, each in known.parameters.items():
        if each.kind is Parameter.POSITIONAL_OR_KEYWORD and name != "self":
            shown.append(name)
        elif name == "args" or (
            each.kind is Parameter.KEYWORD_ONLY and each.default is Parameter.empty
        ):
            shown.append(f"{name}=…")
    return ", ".join(shown)
