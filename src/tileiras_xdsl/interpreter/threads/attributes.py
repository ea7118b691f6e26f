"""Attributes of ops, as words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation


def property_of(op: Operation, name: str) -> Attribute | None:
    """A property or attribute of an op."""
    return op.properties.get(name, op.attributes.get(name))


def word_of(op: Operation, name: str) -> str | None:
    """An enumeration of an op, as its word."""
    attribute = property_of(op, name)
    data = getattr(attribute, "data", None)
    return None if data is None else str(getattr(data, "value", data))


def integer_of(op: Operation, name: str, default: int | None = None) -> int:
    """An integer attribute of an op."""
    attribute = property_of(op, name)
    if not isinstance(attribute, IntegerAttr):
        assert default is not None, name
        return default
    return attribute.value.data


def integers_of(op: Operation, name: str) -> list[int]:
    """An array of integers of an op."""
    attribute = property_of(op, name)
    if isinstance(attribute, DenseArrayBase):
        return list(cast(DenseArrayBase[IntegerType], attribute).get_values())
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        return [int(number) for number in cast(Sequence[int], attribute.get_values())]
    assert isinstance(attribute, ArrayAttr)
    numbers = cast(Sequence[IntegerAttr], attribute.data)
    return [number.value.data for number in numbers]
