"""How numbers grow with the coordinates of the tile block, as far as that is easy to tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.arith import ConstantOp, SelectOp
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.dialects.gpu import BlockIdOp, DimensionEnum, FuncOp, GridDimOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import NoMemoryEffect

from tileiras_xdsl.analysis.slices import operands_first, operands_of

DIMENSIONS: Final = (DimensionEnum.X, DimensionEnum.Y, DimensionEnum.Z)
"""In the order in which the GPU starts CTAs, the first one changing fastest."""

CASTS: Final = frozenset(
    (
        *("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"),
        *("nv_tileaa.trunci", "nv_tileaa.assume"),
    )
)
SUMS: Final = frozenset(
    (
        *("arith.addi", "nv_tileaa.addi"),
        *("arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui"),
    )
)
"""Ops that grow with both operands."""
PRODUCTS: Final = frozenset(("arith.muli", "nv_tileaa.muli"))
DIFFERENCES: Final = frozenset(("arith.subi", "nv_tileaa.subi"))
SCALES: Final = frozenset(
    (
        *("nv_tileaa.divi", "arith.divsi", "arith.divui", "arith.floordivsi"),
        *("arith.ceildivsi", "arith.ceildivui"),
    )
)
"""Ops that grow with the first operand if the second is a positive constant."""


def direction_of(value: SSAValue, dimension: DimensionEnum) -> int | None:
    """
    How an integer changes as a coordinate of the tile block grows: 1 if it never decreases, -1 if
    it never increases, 0 if it does not depend on it, None if that is not known. Integers that wrap
    around are not thought of: the answer is for heuristics.
    """
    found: dict[SSAValue, int | None] = {}
    fixed: dict[SSAValue, bool] = {}
    for each in operands_first(value, operands_of):
        operands = operands_of(each)
        fixed[each] = not _is_coordinate(each, dimension) and all(fixed[it] for it in operands)
        if fixed[each]:
            is_known = _is_outside(each.owner) and all(found[it] == 0 for it in operands)
            found[each] = 0 if is_known else None
        else:
            found[each] = _direction_of_result(each.owner, found)
    return found[value]


def _direction_of_result(op: Operation | Block, found: Mapping[SSAValue, int | None]) -> int | None:
    """How the result of an op changes, given how its operands do."""
    assert isinstance(op, Operation)
    if isinstance(op, BlockIdOp):
        return 1
    if op.name in CASTS:
        return found[op.operands[0]]
    if op.name in SUMS | DIFFERENCES or _is_extremum(op):
        first, second = (found[each] for each in op.operands[-2:])
        if first is None or second is None:
            return None
        return combine(first, -second if op.name in DIFFERENCES else second)
    if isinstance(op, SelectOp) and (usual := _usual_value(op)) is not None:
        return found[usual]
    if op.name in SCALES | PRODUCTS and _is_positive(op.operands[1]):
        return found[op.operands[0]]
    if op.name in PRODUCTS and _is_positive(op.operands[0]):
        return found[op.operands[1]]
    return None


def combine(first: int, second: int) -> int | None:
    """The direction of a sum; None if its terms go in opposite directions."""
    return None if first * second < 0 else first or second


def trip_direction(loop: scf.ForOp, dimension: DimensionEnum) -> int | None:
    """
    How the trip count of a loop changes as a coordinate of the tile block grows. A loop whose ends
    move together, such as the one that `loop-split` puts behind another, has some iterations
    everywhere: it counts as one that does not change. Steps have to be constant: a loop over tile
    blocks by the size of the grid is another matter.
    """
    first, last = (direction_of(bound, dimension) for bound in (loop.lb, loop.ub))
    if first is None or last is None or not _is_positive(loop.step):
        return None
    return 0 if first == last else combine(last, -first)


def trip_directions(loop: scf.ForOp) -> set[int | None]:
    """How the trip count of a loop changes with each of the coordinates of the tile block."""
    return {trip_direction(loop, dimension) for dimension in DIMENSIONS}


def _is_outside(owner: Operation | Block) -> bool:
    """Whether a result follows from operands, or a block argument is a parameter of the kernel."""
    if isinstance(owner, Block):
        return isinstance(owner.parent_op(), FuncOp)
    return owner.has_trait(NoMemoryEffect) or isinstance(owner, BlockIdOp | GridDimOp)


def _is_coordinate(value: SSAValue, dimension: DimensionEnum) -> bool:
    return isinstance(value.owner, BlockIdOp) and value.owner.dimension.data == dimension


def _is_extremum(op: Operation) -> bool:
    """Whether an op selects the larger of two numbers, or the smaller."""
    if not isinstance(op, SelectOp) or not isinstance(condition := op.cond.owner, Operation):
        return False
    is_comparison = condition.name in ("arith.cmpi", "nv_tileaa.cmpi")
    return is_comparison and set(condition.operands) == {op.lhs, op.rhs}


def _usual_value(op: SelectOp) -> SSAValue | None:
    """
    What an op selects where the other value is the least or the largest number of its type: the
    bound of a loop (`guard-masks`) that is replaced where integers would wrap around.
    """
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        owner = other.owner
        if (
            isinstance(owner, ConstantOp)
            and isinstance(owner.value, IntegerAttr)
            and isinstance(ty := owner.result.type, IntegerType)
            and abs(2 * owner.value.value.data + 1) == (1 << ty.width.data) - 1
        ):
            return value
    return None


def _is_positive(value: SSAValue) -> bool:
    """Whether a value is a positive constant."""
    owner = value.owner
    if isinstance(owner, ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data > 0
    return False
