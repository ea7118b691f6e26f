"""
Kernels of cuTile and their arguments as words of a command line.

    kernels.py:matmul --args 'f16[4096,4096], f16[4096,4096], f16[4096,4096], 128, 128, 64'
    kernels.py:scale  --args 'x=f32[?], out=f32[?], factor=f32, tile=1024'

| words | are |
| --- | --- |
| `f16[4096,4096]` | a row-major array; sizes that are not known are `?`, multiples of 16 |
| `f16[64,128]:[1,64]` | the same with strides, in elements |
| `f32`, `i64` | a number of a type |
| `2.5`, `128`, `true` | a number; of constants of the kernel, its value |
| `i64(5)` | a number of a type |
| `None`, `"text"` | constants that are no numbers |
| `(f32[?], 4)` | a tuple |
| `tile=128` | an argument by its name |

Parameters with a default may be left out.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import ml_dtypes
import numpy as np

from tileiras_xdsl.frontend.cutile_kernels import DTYPES, Array, KernelError, array

from .supported import BEYOND, OLDEST, PACKAGE

_NAMED: Final = re.compile(r"([A-Za-z_]\w*)\s*=\s*(.*)", re.DOTALL)
_ARRAY: Final = re.compile(r"(\w+)\s*\[([^\]]*)\]\s*(?::\s*\[([^\]]*)\])?")
_TYPED: Final = re.compile(r"(\w+)\s*\((.*)\)")
_WORDS: Final = {"true": True, "True": True, "false": False, "False": False, "None": None}
_EXAMPLE: Final = "f16[4096,4096], f32, 128"


def parse_arguments(text: str, kernel: Any) -> list[object]:
    """The arguments of a kernel that words describe; `KernelError` names the parameter."""
    function, constants = _function(kernel)
    parameters = list(signature(function).parameters.values())
    head = f"{function.__name__}({', '.join(each.name for each in parameters)})"
    given: dict[str, str] = {}
    for position, word in enumerate(_split(text)):
        named = _NAMED.fullmatch(word)
        if named is None and position >= len(parameters):
            raise KernelError(
                f"--args has {len(list(_split(text)))} arguments, but {head} takes "
                f"{len(parameters)}: what is '{word}'?"
            )
        name = parameters[position].name if named is None else named[1]
        if name not in {each.name for each in parameters}:
            raise KernelError(f"{head} has no parameter '{name}'")
        if name in given:
            raise KernelError(f"parameter '{name}' of {head} is given twice")
        given[name] = word if named is None else named[2].strip()
    found: list[object] = []
    for parameter, is_constant in zip(parameters, constants, strict=True):
        if parameter.name in given:
            found.append(_parse(given[parameter.name], parameter.name, is_constant=is_constant))
        elif parameter.default is not Parameter.empty:
            found.append(parameter.default)
        else:
            raise KernelError(
                f"--args says nothing about parameter '{parameter.name}' of {head}: "
                f"an array, type or number as in '{_EXAMPLE}'"
            )
    return found


def _function(kernel: Any) -> tuple[Any, list[bool]]:
    """The function of a kernel of cuTile or Triton, and which of its parameters are constants."""
    if _is_triton_kernel(kernel):
        from tileiras_xdsl.triton.kernels import find_function

        found = find_function(kernel)
        return found.fn, [each.is_constexpr for each in found.params]
    annotated = kernel._annotated_function
    annotations = annotated.parameter_annotations
    return annotated.pyfunc, [each.KIND == "leaf" and bool(each.constant) for each in annotations]


def _is_triton_kernel(value: object) -> bool:
    if type(value).__module__.partition(".")[0] != "triton":
        return False
    from tileiras_xdsl.triton.kernels import is_kernel

    return is_kernel(value)


def _split(text: str) -> Iterator[str]:
    """Parts between commas that are in no brackets or quotes."""
    depth, quote, word = 0, "", ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == "," and depth == 0:
            yield word.strip()
            word = ""
            continue
        word += letter
    if quote or depth:
        raise KernelError(f"--args ends inside of {'a text' if quote else 'brackets'}: '{text}'")
    if word.strip():
        yield word.strip()


def _parse(word: str, name: str, *, is_constant: bool) -> object:
    """One argument."""
    if not word:
        raise KernelError(f"parameter '{name}': nothing is given, as in '{_EXAMPLE}'")
    if word.startswith("(") and word.endswith(")"):
        parts = enumerate(_split(word[1:-1]))
        return tuple(
            _parse(part, f"{name}[{index}]", is_constant=is_constant) for index, part in parts
        )
    if (match := _ARRAY.fullmatch(word)) is not None:
        if is_constant:
            raise KernelError(
                f"parameter '{name}' is a constant of the kernel: give its value, not '{word}'"
            )
        return _array(match[1], match[2], match[3], name)
    if word in _WORDS:
        return _WORDS[word]
    if word in DTYPES:
        if is_constant:
            raise KernelError(
                f"parameter '{name}' is a constant of the kernel: give its value, not a type"
            )
        return _typed(word, 1, name)
    if (match := _TYPED.fullmatch(word)) is not None:
        return _typed(match[1], _number(match[2], name), name)
    if word[0] in "\"'":
        return ast.literal_eval(word)
    return _number(word, name)


def _array(dtype: str, sizes: str, strides: str | None, name: str) -> Array:
    known = _dtype(dtype, name)
    shape = [_size(size, name, "size") for size in _split(sizes)]
    if strides is None:
        if None in shape:
            row_major = array(known, len(shape))
            return Array(known, len(shape), tuple(shape), row_major.strides, row_major.divisor)
        steps: list[int | None] = [1] * len(shape)
        for dim in range(len(shape) - 2, -1, -1):
            steps[dim] = (steps[dim + 1] or 1) * (shape[dim + 1] or 1)
    else:
        steps = [_size(stride, name, "stride") for stride in _split(strides)]
        if len(steps) != len(shape):
            raise KernelError(
                f"parameter '{name}': an array of {len(shape)} dimensions has no "
                f"{len(steps)} strides"
            )
    divisor = array(known, 0).divisor if None in (*shape, *steps) else 1
    return Array(known, len(shape), tuple(shape), tuple(steps), divisor)


def _size(word: str, name: str, what: str) -> int | None:
    if word == "?":
        return None
    if not re.fullmatch(r"-?\d+" if what == "stride" else r"\d+", word):
        raise KernelError(f"parameter '{name}': '{word}' is no {what} of an array")
    return int(word)


def _typed(word: str, value: float, name: str) -> object:
    """A number of a type."""
    known = _dtype(word, name)
    return np.dtype(getattr(ml_dtypes, known, known)).type(value)


def _dtype(word: str, name: str) -> str:
    if word not in DTYPES:
        close = get_close_matches(word, DTYPES, 1)
        hint = f"did you mean '{close[0]}'?" if close else f"as in '{_EXAMPLE}'"
        raise KernelError(f"parameter '{name}': '{word}' is no type, {hint}")
    return DTYPES[word]


def _number(word: str, name: str) -> int | float:
    with suppress(ValueError):
        return int(word, 0)
    with suppress(ValueError):
        return float(word)
    known: Sequence[str] = [*DTYPES, *_WORDS]
    close = get_close_matches(word.partition("[")[0], known, 1)
    hint = f", did you mean '{close[0]}'?" if close else f": '{_EXAMPLE}' are an array, a type, …"
    raise KernelError(f"parameter '{name}': '{word}' is no array, type or number{hint}")


# Kernels of cuTile that are named by their file: `kernels.py:matmul`.


def split_name(text: str) -> tuple[str, str | None] | None:
    """The file and the name of a kernel; none if the text is not about a file of Python."""
    path, separator, name = text.rpartition(":")
    if separator and path.endswith(".py"):
        return path, name
    return (text, None) if text.endswith(".py") else None


def load_kernel(path: str, name: str | None) -> Any:
    """
    A kernel of a file, which is imported; without a name its only one. `KernelError` if there is
    none, or no cuda-tile.
    """
    if not Path(path).is_file():
        raise KernelError(f"there is no file '{path}'")
    package: Any = None
    try:
        package = import_module(PACKAGE)
    except ModuleNotFoundError as error:
        if error.name not in ("cuda", PACKAGE):
            raise
        if find_spec("triton") is None:
            raise KernelError(
                "kernels in Python are read by cuda-tile, which is not installed: pip install "
                "'cuda-tile>={}.{},<{}'".format(*OLDEST, *BEYOND)
            ) from None
    found: dict[str, Any] = {
        each: value
        for each, value in vars(_import(Path(path))).items()
        if (package is not None and isinstance(value, package.kernel)) or _is_triton_kernel(value)
    }
    known = f"{path} has {', '.join(found)}" if found else f"{path} has no kernels"
    if name is None:
        if len(found) != 1:
            raise KernelError(f"say which kernel, as in '{path}:name': {known}")
        (name,) = found
    if name not in found:
        close = get_close_matches(name, found, 1)
        hint = f"did you mean '{close[0]}'?" if close else known
        raise KernelError(f"there is no kernel '{name}' in {path}: {hint}")
    return found[name]


def _import(path: Path) -> ModuleType:
    """The module of a file, which may import those beside it."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        # Whatever a file does that is imported, it is no error of ours.
        raise KernelError(f"{path} cannot be imported: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove(folder)
        if sys.modules.get(path.stem) is module:
            del sys.modules[path.stem]
    return module
