"""What an estimate wants to know of a launch: the grid, numbers, and the bytes of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

from tileiras_xdsl.interpreter.arguments import Grid, full_grid

from .model import Launch


def make_launch(grid: Grid, flat: Sequence[Any]) -> Launch:
    """Of a grid and the parameters of a kernel; arrays need not have elements, only sizes."""
    values: list[int | None] = []
    array_bytes = 0
    for value in flat:
        shape = getattr(value, "shape", None)
        values.append(_integer(value) if shape is None or shape == () else None)
        if shape:
            array_bytes += prod(map(int, shape)) * _itemsize(value)
    return Launch(full_grid(grid), values, float(array_bytes))


def _integer(value: object) -> int | None:
    try:
        return index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        return None


def _itemsize(value: Any) -> int:
    size = getattr(value, "itemsize", None)
    return int(size if size is not None else value.element_size())
