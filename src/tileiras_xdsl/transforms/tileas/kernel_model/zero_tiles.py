"""Tiles that are known to be zero."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp


def is_zero(value: SSAValue) -> bool:
    """Whether a tile is known to be all zeros."""
    owner = value.owner
    if isinstance(owner, SplatOp):
        owner = owner.operands[0].owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    match owner.value:
        case FloatAttr() | IntegerAttr() as number:
            return number.value.data == 0
        case DenseIntOrFPElementsAttr() as numbers:
            return numbers.is_splat() and numbers.get_values()[0] == 0
        case _:
            return False


def is_positive_zero(value: SSAValue) -> bool:
    """Whether all elements of a tile are zeros as memory holds them: no bit is set."""
    match value.owner:
        case SplatOp() as splat:
            return is_positive_zero(splat.operands[0])
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data == 0
        case arith.ConstantOp(value=FloatAttr() as number):
            return str(number.value.data) == "0.0"
        case _:
            return False
