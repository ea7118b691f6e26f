"""
Integer tiles that are linear in the induction variable of a loop and in the places of elements.

The rows of a causal mask, `%block * 128 + iota`, or its columns, `%i * 128 + iota`, are sums of
multiples of scalars and of the coordinates of elements. Integers wrap around, so such a tile is
congruent to the sum, modulo 2³²: where the sum itself fits in 32 bits, it is the tile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.slices import operands_first
from tileiras_xdsl.dialects.cuda_tile.control_flow import ForOp
from tileiras_xdsl.dialects.cuda_tile.enums import Overflow, OverflowAttr
from tileiras_xdsl.dialects.cuda_tile.integer import AddIOp, MulIOp, NegIOp, ShLIOp, SubIOp
from tileiras_xdsl.dialects.cuda_tile.shape import (
    AssumeOp,
    BroadcastOp,
    IotaOp,
    PermuteOp,
    ReshapeOp,
)
from tileiras_xdsl.dialects.cuda_tile.types import TileType

from .canonicalization.values import get_constant

MAX_FACTOR: Final = 1 << 20
"""Of a factor: sums of fewer than 2¹⁰ products of such and an i32 fit in 64 bits."""

MAX_TERMS: Final = 16


@dataclass(frozen=True)
class Linear:
    """
    `induction · i + Σ factor · scalar + constant + Σ coordinates[d] · x[d]`, where i is the
    induction variable and x the place of an element of a tile.
    """

    shape: tuple[int, ...] = ()
    induction: int = 0
    scalars: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Values of one element that are defined outside of the loop, with their factors."""
    constant: int = 0
    coordinates: tuple[int, ...] = ()
    """A factor for each dimension, zero for those of size one."""

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """The sum with a multiple of another one of the same shape."""
        scalars = {**self.scalars}
        for value, each in other.scalars.items():
            scalars[value] = scalars.get(value, 0) + factor * each
        return Linear(
            self.shape,
            self.induction + factor * other.induction,
            {value: each for value, each in scalars.items() if each},
            self.constant + factor * other.constant,
            tuple(a + factor * b for a, b in zip(self.coordinates, other.coordinates, strict=True)),
        )

    def times(self, factor: int) -> Linear:
        return Linear(self.shape, coordinates=(0,) * len(self.shape)).plus(self, factor)

    @property
    def is_small(self) -> bool:
        """Whether its exact values fit in 64 bits, with room to add some."""
        factors = [self.induction, *self.scalars.values(), *self.coordinates]
        return (
            len(factors) <= MAX_TERMS
            and all(abs(each) <= MAX_FACTOR for each in factors)
            and abs(self.constant) <= 1 << 48
        )

    def offset(self, choose: Callable[[int, int], int]) -> int:
        """The constant with the least (`min`) or the largest (`max`) that places add to it."""
        ends = zip(self.coordinates, self.shape, strict=True)
        return self.constant + sum(choose(0, factor * (size - 1)) for factor, size in ends)


def linear_of(value: SSAValue, loop: ForOp, known: dict[SSAValue, Linear | None]) -> Linear | None:
    """
    An i32 tile in a loop, or before it, as a sum; None if it is none that can be told. What is
    found out on the way is kept.
    """
    for each in operands_first(value, partial(_sources_of, loop=loop), known):
        known[each] = _linear_of(each, loop, known)
    return known[value]


def _sources_of(value: SSAValue, loop: ForOp) -> Sequence[SSAValue]:
    """The tiles that one is the sum of; none if it is a term, or no i32 tile."""
    op = value.owner
    ty = value.type
    if not isinstance(ty, TileType) or ty.element_type != i32 or not isinstance(op, Operation):
        return ()
    if get_constant(value) is not None or _is_scalar(value, loop):
        return ()
    # Poison where it overflows, which a branch must not depend on.
    return op.operands if op.properties.get("overflow", _WRAPS) == _WRAPS else ()


def _is_scalar(value: SSAValue, loop: ForOp) -> bool:
    """Whether a tile has one element, which is computed before a loop."""
    ty = value.type
    assert isinstance(ty, TileType)
    return ty.element_count() == 1 and not loop.is_ancestor(value.owner)


def _linear_of(
    value: SSAValue, loop: ForOp, known: Mapping[SSAValue, Linear | None]
) -> Linear | None:
    """A tile as a sum, given those that it is the sum of."""
    ty = value.type
    if not isinstance(ty, TileType) or ty.element_type != i32:
        return None
    shape = ty.get_shape()
    zeros = (0,) * len(shape)
    if value is loop.induction_variable:
        return Linear(induction=1)
    if (elements := get_constant(value)) is not None:
        number = elements.get_splat_value()
        return (
            Linear(shape, constant=int(number), coordinates=zeros) if number is not None else None
        )
    if _is_scalar(value, loop):
        while isinstance(value.owner, ReshapeOp):
            value = value.owner.source
        return Linear(shape, scalars={value: 1}, coordinates=zeros)
    op = value.owner
    if isinstance(op, IotaOp):
        return Linear(shape, coordinates=(int(shape[0] > 1),))
    sources = _sources_of(value, loop)
    found = [linear for source in sources if (linear := known[source]) is not None]
    if not isinstance(op, Operation) or not found or len(found) != len(sources):
        return None
    result = _combine(op, found, shape)
    return result if result is not None and result.is_small else None


_WRAPS: Final = OverflowAttr(Overflow.NONE)


def _combine(op: Operation, sources: Sequence[Linear], shape: tuple[int, ...]) -> Linear | None:
    """The result of an op from its operands."""
    match op, sources:
        case AddIOp(), (lhs, rhs):
            return lhs.plus(rhs)
        case SubIOp(), (lhs, rhs):
            return lhs.plus(rhs, -1)
        case NegIOp(), (source,):
            return source.times(-1)
        case MulIOp(), (lhs, rhs):
            if _is_constant(lhs):
                lhs, rhs = rhs, lhs
            return lhs.times(rhs.constant) if _is_constant(rhs) else None
        case ShLIOp(), (lhs, rhs) if _is_constant(rhs) and 0 <= rhs.constant < 31:
            return lhs.times(1 << rhs.constant)
        case AssumeOp(), (source,):
            return source
        case BroadcastOp(), (source,):
            # Dimensions of size one have no factor.
            return _with_shape(source, shape, source.coordinates)
        case PermuteOp(), (source,):
            order = op.get_permutation()
            return _with_shape(source, shape, [source.coordinates[dim] for dim in order])
        case ReshapeOp(), (source,):
            return _reshape(source, shape)
        case _:
            return None


def _is_constant(linear: Linear) -> bool:
    return not linear.induction and not linear.scalars and not any(linear.coordinates)


def _with_shape(source: Linear, shape: tuple[int, ...], coordinates: Sequence[int]) -> Linear:
    return Linear(shape, source.induction, source.scalars, source.constant, tuple(coordinates))


def _reshape(source: Linear, shape: tuple[int, ...]) -> Linear | None:
    """With dimensions of size one added or dropped, or no dimension that counts."""
    if any(source.coordinates):
        if [size for size in source.shape if size > 1] != [size for size in shape if size > 1]:
            return None
        factors = iter(
            factor
            for factor, size in zip(source.coordinates, source.shape, strict=True)
            if size > 1
        )
        return _with_shape(source, shape, [next(factors) if size > 1 else 0 for size in shape])
    return _with_shape(source, shape, (0,) * len(shape))
