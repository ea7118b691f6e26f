"""
The integers of a program, as far as the arguments of a launch and the index of a tile block decide
them: what trip counts are made of. What comes from memory is not known. It is the same for programs
of `cuda_tile` and for those at the stages `tileaa` and `tileas`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.nv_tileaa import elementwise, views
from tileiras_xdsl.dialects.nv_tileaa.attributes import RELATIONS, word
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, ViewLayout

from .axis_info_analysis import comparison_of
from .scalar_evolution import CASTS, DIFFERENCES, DIMENSIONS, PRODUCTS, REMAINDERS, SUMS

Function = Callable[[int, int], int | None]


def _floor(a: int, b: int) -> int | None:
    return a // b if b else None


def _ceil(a: int, b: int) -> int | None:
    return -(-a // b) if b else None


def _truncate(a: int, b: int) -> int | None:
    return None if not b else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    """With the sign of the dividend."""
    return None if not b else abs(a) % abs(b) * (-1 if a < 0 else 1)


def _shift_left(a: int, b: int) -> int | None:
    return a << b if 0 <= b < 64 else None


def _shift_right(a: int, b: int) -> int | None:
    return a >> b if 0 <= b < 64 else None


_FUNCTIONS: Final[Sequence[tuple[Function, Sequence[type[Operation]]]]] = (
    (int.__add__, (*SUMS, ct.AddIOp)),
    (int.__sub__, (*DIFFERENCES, ct.SubIOp)),
    (int.__mul__, (*PRODUCTS, ct.MulIOp)),
    (int.__and__, (arith.AndIOp, elementwise.AndIOp, ct.AndIOp)),
    (int.__or__, (arith.OrIOp, elementwise.OrIOp, ct.OrIOp)),
    (int.__xor__, (arith.XOrIOp, elementwise.XOrIOp, ct.XOrIOp)),
    (min, (arith.MinSIOp, arith.MinUIOp, ct.MinIOp)),
    (max, (arith.MaxSIOp, arith.MaxUIOp, ct.MaxIOp)),
    (_remainder, (*REMAINDERS, ct.RemIOp)),
    (_truncate, (arith.DivSIOp,)),
    (_floor, (arith.DivUIOp, arith.FloorDivSIOp)),
    (_ceil, (arith.CeilDivSIOp, arith.CeilDivUIOp)),
    (_shift_left, (arith.ShLIOp, elementwise.ShLIOp, ct.ShLIOp)),
    (_shift_right, (arith.ShRSIOp, arith.ShRUIOp, elementwise.ShRIOp, ct.ShRIOp)),
)
_ROUNDINGS: Final[Mapping[str, Function]] = {"positive_inf": _ceil, "negative_inf": _floor}
_SAME: Final = (*CASTS, ct.AssumeOp, ct.ExtIOp, ct.TruncIOp, ct.ReshapeOp)


@cache
def _function_of(kind: type[Operation]) -> Function | None:
    """What ops of a class compute from two integers."""
    return next((each for each, kinds in _FUNCTIONS if issubclass(kind, tuple(kinds))), None)


@dataclass
class ScalarValues:
    """
    The scalars of a tile block. Integers do not wrap around here: those of programs that run do not
    either where sizes are counted.
    """

    block: Sequence[int] = (0, 0, 0)
    grid: Sequence[int] | None = None
    """Tile blocks of the launch, along each dimension, if they are known."""
    tiles: int | None = None
    """How many tiles a view has along a dimension whose size is not known."""
    sizes: dict[SSAValue, Sequence[int | None]] = field(
        default_factory=dict[SSAValue, Sequence[int | None]]
    )
    """Sizes of tensors in memory, and of those that views are of."""
    values: dict[SSAValue, int | None] = field(default_factory=dict[SSAValue, int | None])
    """What is known of scalars, for those who visit one op after the other."""

    def visit(self, op: Operation) -> None:
        """Finds the results of an op without regions."""
        numbers = self.evaluate(op, [self.values.get(operand) for operand in op.operands])
        self.values.update(zip(op.results, numbers or (), strict=False))

    def evaluate(self, op: Operation, known: Sequence[int | None]) -> Sequence[int | None] | None:
        """The results of an op without regions, given its operands; None if none is an integer."""
        if len(op.results) == 1 and (function := _function_of(type(op))) is not None:
            first, second = known
            return (None if first is None or second is None else function(first, second),)
        match op:
            case arith.ConstantOp():
                return (op.value.value.data,) if isinstance(op.value, IntegerAttr) else None
            case ct.ConstantOp():
                return (_constant_of(op),)
            case gpu.BlockIdOp() | gpu.GridDimOp():
                numbers = self.block if isinstance(op, gpu.BlockIdOp) else self.grid
                at = DIMENSIONS.index(op.dimension.data)
                return (None if numbers is None else numbers[at],)
            case ct.GetTileBlockIdOp() | ct.GetNumTileBlocksOp():
                return self.block if isinstance(op, ct.GetTileBlockIdOp) else self.grid
            case views.MakeMemrefOp() | ct.MakeTensorViewOp():
                ty = op.result.type
                assert isinstance(ty, MemRefType | ct.TensorViewType)
                is_memref = isinstance(op, views.MakeMemrefOp)
                given = op.sizes if is_memref else op.dynamic_shape
                self.sizes[op.result] = fill_in(ty.shape.data, given, op, known)
                return None
            case views.BlockTileOp() | ct.MakePartitionViewOp() | ct.MakeStridedViewOp():
                self._pass_on(op)
                return None
            case ct.MakeGatherScatterViewOp():
                self._pass_on(op)
                return None
            case views.GetTensorShapeOp() | ct.GetTensorShapeOp():
                return self.sizes.get(op.operands[0]) or (None,) * len(op.results)
            case views.GetIndexSpaceShapeOp() | ct.GetIndexSpaceShapeOp():
                return self._count_tiles(op.operands[0])
            case _:
                return (_compute(op, known),) if len(op.results) == 1 else None

    def _pass_on(self, op: Operation) -> None:
        self.sizes[op.results[0]] = self.sizes.get(op.operands[0], ())

    def _count_tiles(self, view: SSAValue) -> list[int | None]:
        layout = ViewLayout.of(view.type)
        sizes = self.sizes.get(view, ())
        counts: list[int | None] = []
        for dim, step in zip(layout.dim_map, layout.steps, strict=True):
            size = sizes[dim] if dim < len(sizes) else None
            counts.append(self.tiles if size is None else -(-size // step))
        return counts


def fill_in(
    static: Sequence[int | None],
    dynamic: Sequence[SSAValue],
    op: Operation,
    known: Sequence[int | None],
) -> list[int | None]:
    """Sizes or strides of a type, with operands of an op for those that the type leaves open."""
    numbers = dict(zip(op.operands, known, strict=True))
    values = iter(dynamic)
    return [numbers.get(next(values)) if number is None else number for number in static]


def _constant_of(op: ct.ConstantOp) -> int | None:
    """The number of a constant of one integer."""
    ty = op.result.type
    assert isinstance(ty, ct.TileType)
    if ty.get_shape() or not isinstance(ty.element_type, IntegerType):
        return None
    is_signed = ty.element_type.width.data > 1
    return int.from_bytes(op.elements.data.data, "little", signed=is_signed)


def _compute(op: Operation, known: Sequence[int | None]) -> int | None:
    """The only result of an op that is no plain function of two integers."""
    if isinstance(op, arith.SelectOp | ct.SelectOp):
        condition, *choices = known
        return None if condition is None else choices[0 if condition else 1]
    numbers = [number for number in known if number is not None]
    if not numbers or len(numbers) != len(known):
        return None
    match op:
        case elementwise.NegIOp() | ct.NegIOp():
            return -numbers[0]
        case elementwise.AbsIOp() | ct.AbsIOp():
            return abs(numbers[0])
        case elementwise.DivIOp():
            return _ROUNDINGS.get(word(op.rounding, "zero"), _truncate)(*numbers)
        case ct.DivIOp():
            return _ROUNDINGS.get(op.rounding.data.value, _truncate)(*numbers)
        case elementwise.CmpIOp() | arith.CmpiOp():
            predicate, _ = comparison_of(op)
            return int(getattr(operator, predicate)(*numbers))
        case ct.CmpIOp():
            return int(getattr(operator, RELATIONS[op.comparison_predicate.data.value])(*numbers))
        case _:
            return numbers[0] if isinstance(op, _SAME) else None
