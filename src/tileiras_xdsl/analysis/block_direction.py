"""How numbers grow with the coordinates of the tile block, as far as that is easy to tell."""

from __future__ import annotations

from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.gpu import BlockIdOp, DimensionEnum, FuncOp, GridDimOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import NoMemoryEffect

from tileiras_xdsl.analysis.slices import operands_of, reachable

CASTS: Final = frozenset(
    (
        *("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"),
        "nv_tileaa.assume",
    )
)
SUMS: Final = frozenset(
    (
        *("arith.addi", "nv_tileaa.addi"),
        *("arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui"),
    )
)
"""Ops that grow with both operands."""
DIFFERENCES: Final = frozenset(("arith.subi", "nv_tileaa.subi"))
SCALES: Final = frozenset(
    (
        *("arith.muli", "nv_tileaa.muli", "nv_tileaa.divi", "arith.divsi", "arith.divui"),
        *("arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"),
    )
)
"""Ops that grow with the first operand if the second is a positive constant."""


def direction_of(value: SSAValue, dimension: DimensionEnum) -> int | None:
    """
    How an integer changes as a coordinate of the tile block grows: 1 if it never decreases, -1 if
    it never increases, 0 if it does not depend on it, None if that is not known. Integers that wrap
    around are not thought of: the answer is for heuristics.
    """
    if not any(_is_coordinate(each, dimension) for each in reachable([value], operands_of)):
        return 0 if is_known_outside(value) else None
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, BlockIdOp):
        return 1
    if op.name in CASTS:
        return direction_of(op.operands[0], dimension)
    if op.name in SUMS | DIFFERENCES:
        first, second = (direction_of(each, dimension) for each in op.operands)
        if first is None or second is None:
            return None
        return combine(first, -second if op.name in DIFFERENCES else second)
    if op.name in SCALES and (factor := _constant(op.operands[1])) is not None and factor > 0:
        return direction_of(op.operands[0], dimension)
    return None


def combine(first: int, second: int) -> int | None:
    """The direction of a sum; None if its terms go in opposite directions."""
    return None if first * second < 0 else first or second


def trip_direction(loop: scf.ForOp, dimension: DimensionEnum) -> int | None:
    """
    How the trip count of a loop changes as a coordinate of the tile block grows. A loop whose ends
    move together, such as the one that `loop-split` puts behind another, has some iterations
    everywhere: it counts as one that does not change.
    """
    first, last = (direction_of(bound, dimension) for bound in (loop.lb, loop.ub))
    if first is None or last is None or direction_of(loop.step, dimension) != 0:
        return None
    return 0 if first == last else combine(last, -first)


def is_known_outside(value: SSAValue) -> bool:
    """Whether a number follows from the parameters of the kernel and the tile block alone."""

    def is_outside(owner: Operation | Block) -> bool:
        if isinstance(owner, Block):
            return isinstance(owner.parent_op(), FuncOp)
        return owner.has_trait(NoMemoryEffect) or isinstance(owner, BlockIdOp | GridDimOp)

    return all(is_outside(each.owner) for each in reachable([value], operands_of))


def _is_coordinate(value: SSAValue, dimension: DimensionEnum) -> bool:
    return isinstance(value.owner, BlockIdOp) and value.owner.dimension.data == dimension


def _constant(value: SSAValue) -> int | None:
    if isinstance(value.owner, ConstantOp) and isinstance(value.owner.value, IntegerAttr):
        return value.owner.value.value.data
    return None
