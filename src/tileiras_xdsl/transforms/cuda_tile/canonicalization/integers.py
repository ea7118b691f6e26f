"""
Folds of integer arithmetic, which C++ needs: nvcc computes the extents and strides of views from
constants that it does not fold, `cmpi equal 0, 0`, and products with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Final

from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr, element_bit_width
from tileiras_xdsl.dialects.cuda_tile.enums import (
    ComparisonPredicate,
    ComparisonPredicateAttr,
    Signedness,
    SignednessAttr,
)
from tileiras_xdsl.dialects.cuda_tile.integer import (
    AddIOp,
    AndIOp,
    CmpIOp,
    MulIOp,
    OrIOp,
    SubIOp,
    XOrIOp,
)
from tileiras_xdsl.dialects.cuda_tile.types import TileType, is_number

from .values import get_splat_bits

COMBINE: Final[Mapping[type[Operation], Callable[[int, int], int]]] = {
    AddIOp: int.__add__,
    SubIOp: int.__sub__,
    MulIOp: int.__mul__,
    AndIOp: int.__and__,
    OrIOp: int.__or__,
    XOrIOp: int.__xor__,
}
COMPARE: Final[Mapping[ComparisonPredicate, Callable[[int, int], bool]]] = {
    ComparisonPredicate.EQUAL: eq,
    ComparisonPredicate.NOT_EQUAL: ne,
    ComparisonPredicate.LESS_THAN: lt,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: le,
    ComparisonPredicate.GREATER_THAN: gt,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: ge,
}
NEUTRAL: Final[Mapping[type[Operation], int]] = {
    AddIOp: 0,
    SubIOp: 0,
    MulIOp: 1,
    AndIOp: -1,
    OrIOp: 0,
    XOrIOp: 0,
}
"""The right operand that leaves the left one as it is."""
ABSORBING: Final[Mapping[type[Operation], int]] = {MulIOp: 0, AndIOp: 0, OrIOp: -1}
"""The operand that is the result, whatever the other one is."""


def fold_integer(op: Operation) -> Sequence[SSAValue | Attribute] | None:
    """
    A constant if all operands are constants with equal elements; an operand if the other one
    changes nothing, as in `addi x, 0`, or decides, as in `muli x, 0`. A sum or product that
    overflows against its flag is poison, so it may be what wraps around.
    """
    bits = [get_splat_bits(operand) for operand in op.operands]
    known = [each for each in bits if each is not None]
    if not known:
        return None
    if len(known) == len(bits):
        return _fold_constants(op, known)
    return _fold_identity(op, bits)


def _fold_constants(op: Operation, bits: Sequence[int]) -> Sequence[Attribute] | None:
    source, result = op.operands[0].type, op.results[0].type
    assert isinstance(source, TileType)
    assert isinstance(result, TileType)
    if not is_number(result.element_type):
        # There are no constants of 4 bits.
        return None
    width = element_bit_width(source.element_type)
    if op.properties.get("signedness") == SignednessAttr(Signedness.SIGNED):
        bits = [each - (1 << width) if each >> (width - 1) else each for each in bits]
    match op:
        case CmpIOp():
            assert isinstance(op.comparison_predicate, ComparisonPredicateAttr)
            value = int(COMPARE[op.comparison_predicate.data](*bits))
        case _ if (combine := COMBINE.get(type(op))) is not None:
            value = combine(*bits)
        case _:
            # `exti` or `trunci`.
            (value,) = bits
    return (DenseElementsAttr.from_values(result, [value]),)


def _fold_identity(op: Operation, bits: Sequence[int | None]) -> Sequence[SSAValue] | None:
    if type(op) not in NEUTRAL:
        return None
    lhs, rhs = op.operands
    assert isinstance(lhs.type, TileType)
    mask = (1 << element_bit_width(lhs.type.element_type)) - 1
    neutral, absorbing = NEUTRAL[type(op)] & mask, ABSORBING.get(type(op))
    absorbing = None if absorbing is None else absorbing & mask
    if bits[1] == neutral or (absorbing is not None and bits[0] == absorbing):
        return (lhs,)
    if (bits[0] == neutral and not isinstance(op, SubIOp)) or (
        absorbing is not None and bits[1] == absorbing
    ):
        return (rhs,)
    return None
