"""What constructors of ops take, and make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from xdsl.dialects.builtin import UnitAttr, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

Value: TypeAlias = SSAValue | Operation
"""A value, or the op that has it as its only result."""


def value_type(value: Value) -> Attribute:
    """The type of a value."""
    return SSAValue.get(value).type


def init_plain(
    op: Operation,
    operands: Sequence[Value],
    result_types: Sequence[Attribute],
    properties: Mapping[str, Attribute] = MappingProxyType({}),
) -> None:
    """
    `IRDLOperation.__init__` of an op that has one value for each operand and result, in half of
    the time: that one asks of each whether it is a list. For ops of which kernels have many.
    """
    values = [SSAValue.get(operand) for operand in operands]
    Operation.__init__(op, operands=values, result_types=result_types, properties=properties)


@lru_cache(maxsize=256)
def vector_of(element: Attribute, count: int) -> VectorType:
    """
    The type of some elements in a row. Code of threads has few such types, and many of each; xDSL
    checks one that is made anew.
    """
    return VectorType(element, [count])


def unit(flag: bool) -> UnitAttr | None:
    """A unit attribute, or none."""
    return UnitAttr() if flag else None
