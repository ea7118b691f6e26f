"""
Where the pointers of a tile point to, as a linear expression for each element.

    %c = muli %i, %c512                             512 * %i
    %t = addi splat %c, make_range 0, 512           512 * %i + [0, 511]
    %p = addptr splat %q, %row + extsi %t           %q + 2 * %row + 1024 * %i + [0, 1022] bytes

Two such tiles are apart if their difference is a constant that is large enough. In different
iterations of a loop they are if the induction variable moves them far enough: each iteration of
this loop has other elements of a row.

Addresses and offsets of 64 bits are modulo 2^64, and so are differences. What is extended to 64
bits must not have wrapped around before; `scalar_evolution.py` knows that of scalars.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.dialects.nv_tileaa import elementwise, memory, shape

from .axis_info import integer_range_of
from .axis_info_analysis import AxisInfoAnalysis, element_bytes, may_wrap
from .scalar_evolution import PRODUCTS, LinearAnalysis, LinearExpression
from .slices import operands_first, reachable

ADDRESS_BITS = 64
RESHAPES = (
    *(shape.SplatOp, shape.BroadcastOp, shape.ExpandDimsOperation, shape.ViewOperation),
    *(shape.PermuteOp, shape.AssumeOp),
)
"""Ops on tiles whose elements are those of their first operand."""
ELEMENTS = (*RESHAPES, shape.ExtractOp)
SUMS = (arith.AddiOp, elementwise.AddIOp)
DIFFERENCES = (arith.SubiOp, elementwise.SubIOp)
EXTENSIONS = (arith.ExtSIOp, arith.ExtUIOp)


@dataclass(frozen=True)
class Spread:
    """A linear expression that all elements share, plus something of each from low to high."""

    shared: LinearExpression
    low: int = 0
    high: int = 0

    def plus(self, other: Spread, factor: int = 1) -> Spread:
        """The sum of this and a multiple of another one."""
        ends = sorted((factor * other.low, factor * other.high))
        shared = self.shared.plus(other.shared, factor)
        return Spread(shared, self.low + ends[0], self.high + ends[1])


ZERO = Spread(LinearExpression())


@dataclass(frozen=True)
class Extent:
    """
    The bytes from low to high, counted from a base pointer plus some terms: whatever these are,
    those from first to last, counted from the base.
    """

    base: SSAValue
    terms: frozenset[tuple[SSAValue, int]]
    low: int
    high: int
    first: int
    last: int


class PointerTiles:
    """The addresses of pointers, and of tiles of them, of a function."""

    def __init__(self, axis_info: AxisInfoAnalysis):
        self._axis_info = axis_info
        self._linear = LinearAnalysis(axis_info)
        self._known: dict[SSAValue, Spread] = {}
        self._extents: dict[tuple[SSAValue, int], Extent] = {}

    def extent(self, pointer: SSAValue, size: int) -> Extent:
        """What accesses of so many bytes through pointers touch at most."""
        key = pointer, size
        if key not in self._extents:
            self._extents[key] = self._find_extent(pointer, size)
        return self._extents[key]

    def movement(self, extent: Extent, crossed: Collection[Operation]) -> int | None:
        """
        By how many bytes accesses move at least if back edges of some loops lie between them; zero
        if they do not move, none if they may move in any way.
        """
        varying = [each for each in extent.terms if not is_invariant(each[0], crossed)]
        if not varying:
            return 0
        (counter, factor), *others = varying
        block = counter.owner
        loop = block.parent_op() if isinstance(block, Block) else None
        if others or not isinstance(loop, scf.ForOp) or loop not in crossed:
            return None
        if counter is not loop.body.block.args[0]:
            return None
        # An inner loop's counter may be any other one, or the same, if the outer loop went on.
        if any(other is not loop and not loop.is_ancestor(other) for other in crossed):
            return None
        return max(0, self._axis_info[loop.step].low) * abs(factor) or None

    def are_apart(self, one: Extent, other: Extent, crossed: Collection[Operation]) -> bool:
        """Whether bytes differ if back edges of some loops lie between the accesses."""
        base = one.base
        if base is not other.base or isinstance(base.type, TensorType):
            return False
        if not is_invariant(base, crossed):
            return False
        if one.last < other.first or other.last < one.first:
            return True
        if one.terms != other.terms or (moved := self.movement(one, crossed)) is None:
            return False
        if not moved:
            return one.high < other.low or other.high < one.low
        return other.high < one.low + moved and one.high < other.low + moved

    def _find_extent(self, pointer: SSAValue, size: int) -> Extent:
        base, found = pointer, ZERO
        while isinstance(op := base.owner, (memory.AddPtrOp, *ELEMENTS)):
            if isinstance(op, memory.AddPtrOp):
                if (unit := element_bytes(op.elem_type)) is None:
                    break
                found = found.plus(self._offset(op.offset), unit)
            base = op.operands[0]
        first, last = self._range(found)
        if not self._is_small(found):
            found = Spread(LinearExpression(), first, last)
        low = found.shared.constant + found.low
        high = found.shared.constant + found.high + size - 1
        terms = frozenset(found.shared.terms.items())
        return Extent(base, terms, low, high, first, last + size - 1)

    def _is_small(self, address: Spread) -> bool:
        """Whether what elements and iterations add is far from wrapping around."""
        terms = address.shared.terms
        counters = {each: number for each, number in terms.items() if _is_counter(each)}
        low, high = self._linear.range_of(LinearExpression(counters))
        return high - low + address.high - address.low + abs(address.shared.constant) < 1 << (
            ADDRESS_BITS - 2
        )

    def _offset(self, value: SSAValue) -> Spread:
        """An integer, or a tile of them: of 64 bits modulo 2^64, others exactly."""
        for each in operands_first(value, _tile_operands, self._known):
            found = self._find(each)
            if found is None and _is_uniform(each):
                # Whatever it is, all elements are the same.
                found = Spread(LinearExpression({each: 1}))
            info = self._axis_info[each]
            self._known[each] = found or Spread(LinearExpression(), info.low, info.high)
        return self._known[value]

    def _find(self, value: SSAValue) -> Spread | None:
        op = value.owner
        if not isinstance(value.type, TensorType):
            return Spread(self._linear[value])
        info = self._axis_info[value]
        if info.value is not None:
            return Spread(LinearExpression(constant=info.value))
        if isinstance(op, shape.MakeRangeOp):
            return Spread(LinearExpression(), info.low, info.high)
        operands = [self._known[each] for each in _tile_operands(value)]
        if not operands:
            return None
        first, *others = operands
        if isinstance(op, arith.ExtUIOp) and self._range(first)[0] < 0:
            return None
        if not others:
            return first
        assert isinstance(op, Operation)
        if isinstance(op, PRODUCTS):
            factors = [self._axis_info[each].value for each in op.operands]
            if factors[1] is not None:
                found = ZERO.plus(first, factors[1])
            elif factors[0] is not None:
                found = ZERO.plus(others[0], factors[0])
            else:
                return None
        else:
            found = first.plus(others[0], -1 if isinstance(op, DIFFERENCES) else 1)
        bounds = integer_range_of(value.type)
        if bounds.bits == ADDRESS_BITS or not may_wrap(op) or bounds.contain(*self._range(found)):
            return found
        return None

    def _range(self, sum_: Spread) -> tuple[int, int]:
        low, high = self._linear.range_of(sum_.shared)
        return low + sum_.low, high + sum_.high


def _tile_operands(value: SSAValue) -> Sequence[SSAValue]:
    """What the elements of a tile of integers are computed of, one by one."""
    op = value.owner
    if not isinstance(value.type, TensorType):
        return ()
    if isinstance(op, (*RESHAPES, *EXTENSIONS)):
        return op.operands[:1]
    return op.operands if isinstance(op, (*SUMS, *DIFFERENCES, *PRODUCTS)) else ()


def _is_uniform(value: SSAValue) -> bool:
    """Whether all elements of a tile are the same."""
    return all(
        not isinstance(each.type, TensorType) or _tile_operands(each)
        for each in reachable([value], _tile_operands)
    )


def _is_counter(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, Block) and isinstance(owner.parent_op(), scf.ForOp)


def is_invariant(value: SSAValue, loops: Collection[Operation]) -> bool:
    """Whether a value is invariant in some loops."""
    block = value.owner if isinstance(value, BlockArgument) else value.owner.parent_block()
    around = None if not isinstance(block, Block) else block.parent_op()
    while around is not None:
        if around in loops:
            return False
        around = around.parent_op()
    return True
