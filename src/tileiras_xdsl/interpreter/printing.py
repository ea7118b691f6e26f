"""`print` and `assert`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from .elements import widen
from .machine import Value

CONVERSION = re.compile(r"%(%|[^diuoxXeEfFgGaAcsSpn%]*[diuoxXeEfFgGaAcsSpn])")


def format_values(format: str, values: Sequence[Value], elements: Sequence[Attribute]) -> str:
    """The text that `print` writes; a tile is the list of its elements."""
    remaining = iter(zip(values, elements, strict=True))

    def replace(match: re.Match[str]) -> str:
        conversion = match.group(1)
        if conversion == "%":
            return "%"
        value, element = next(remaining)
        return _format_value(f"%{conversion}", value, element)

    return CONVERSION.sub(replace, format)


def _format_value(conversion: str, value: Value, element: Attribute) -> str:
    is_integer = isinstance(element, IntegerType)
    numbers = np.asarray(value) if is_integer else widen(np.asarray(value), element)
    if numbers.ndim:
        parts = (_format_value_number(conversion, number) for number in numbers)
        return f"[{', '.join(parts)}]"
    return _format_number(conversion, numbers.item())


def _format_value_number(conversion: str, value: np.ndarray) -> str:
    array = np.asarray(value)
    if array.ndim:
        return f"[{', '.join(_format_value_number(conversion, part) for part in array)}]"
    return _format_number(conversion, array.item())


def _format_number(conversion: str, number: float | bool) -> str:
    """One number, as C would print it."""
    conversion = re.sub(r"(hh|h|ll|l|j|z|t|L)(?=[a-zA-Z]$)", "", conversion)
    kind = conversion[-1]
    if kind in "diuoxX":
        whole = int(number)
        if kind == "u" and whole < 0:
            whole += 1 << (32 if whole >= -(1 << 31) else 64)
        return (conversion[:-1] + ("d" if kind in "iu" else kind)) % whole
    if kind in "eEfFgG":
        return conversion % float(number)
    return str(number)
