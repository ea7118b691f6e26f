"""
Attributes of ops, as words and numbers.

What a function needs to know of its op before it runs is read by a *reader*, a function of the op;
see `Registry.runs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.cuda_tile.enums import NamedInt

from .types import element_of, shape_of

Reader: TypeAlias = Callable[[Operation], Any]
"""What is known of an op before it runs."""


def property_of(op: Operation, name: str) -> Attribute | None:
    """A property or attribute of an op."""
    return op.properties.get(name, op.attributes.get(name))


def word_of(
    op: Operation, name: str, default: str = "", names: type[NamedInt] | None = None
) -> str:
    """A text or an enumeration of an op, as its word; or a number with a name."""
    attribute = property_of(op, name)
    if isinstance(attribute, IntegerAttr):
        return default if names is None else names(attribute.value.data).keyword
    data = getattr(attribute, "data", None)
    return default if data is None else str(getattr(data, "value", data))


def is_signed(op: Operation, name: str = "signedness") -> bool:
    """Whether integers are signed, as they are unless an op says otherwise."""
    return word_of(op, name, "signed") == "signed"


def has(op: Operation, name: str) -> bool:
    """Whether an attribute is there, and is not false."""
    attribute = property_of(op, name)
    return (
        bool(attribute.value.data) if isinstance(attribute, IntegerAttr) else attribute is not None
    )


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


# Readers


def attribute(name: str) -> Reader:
    """Reads an attribute, which is there."""
    return lambda op: op.properties[name]


def word(name: str, default: str = "") -> Reader:
    """Reads a word."""
    return lambda op: word_of(op, name, default)


def flag(name: str) -> Reader:
    """Reads whether an attribute is there."""
    return lambda op: has(op, name)


def integer(name: str, default: int | None = None) -> Reader:
    """Reads an integer."""
    return lambda op: integer_of(op, name, default)


def integers(name: str) -> Reader:
    """Reads an array of integers."""
    return lambda op: integers_of(op, name)


def operand_type(number: int) -> Reader:
    """Reads the type of an operand."""
    return lambda op: op.operands[number].type


def operand_element(number: int) -> Reader:
    """Reads the element of the type of an operand."""
    return lambda op: element_of(op.operands[number].type)


def operand_shape(number: int) -> Reader:
    """Reads the shape of an operand."""
    return lambda op: shape_of(op.operands[number].type)


def has_results(op: Operation) -> bool:
    """Whether an op has results."""
    return bool(op.results)


def result_type(op: Operation) -> Attribute:
    """The type of the first result of an op."""
    return op.results[0].type


def result_element(op: Operation) -> Attribute:
    """The element of the type of the first result of an op."""
    return element_of(op.results[0].type)


def result_shape(op: Operation) -> tuple[int, ...]:
    """The shape of the first result of an op."""
    return shape_of(op.results[0].type)
