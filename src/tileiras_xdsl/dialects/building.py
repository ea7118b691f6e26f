"""What constructors of ops take, and make of it."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

Value: TypeAlias = SSAValue | Operation
"""A value, or the op that has it as its only result."""


def value_type(value: Value) -> Attribute:
    """The type of a value."""
    return SSAValue.get(value).type


def unit(flag: bool) -> UnitAttr | None:
    """A unit attribute, or none."""
    return UnitAttr() if flag else None
