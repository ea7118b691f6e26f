"""
The integers of a `cuda_tile` program, as far as the arguments of a launch and the index of a tile
block decide them: what trip counts are made of. What comes from memory is not known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.enums import ComparisonPredicate, Rounding
from tileiras_xdsl.interpreter.types import ViewLayout


def _divide(a: int, b: int, rounding: Rounding) -> int | None:
    if b == 0:
        return None
    if rounding is Rounding.NEGATIVE_INF:
        return a // b
    if rounding is Rounding.POSITIVE_INF:
        return -(-a // b)
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    """With the sign of the dividend."""
    return None if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)


_BINARY: Final[Mapping[type[Operation], Callable[[int, int], int | None]]] = {
    ct.AddIOp: int.__add__,
    ct.SubIOp: int.__sub__,
    ct.MulIOp: int.__mul__,
    ct.AndIOp: int.__and__,
    ct.OrIOp: int.__or__,
    ct.XOrIOp: int.__xor__,
    ct.MaxIOp: lambda a, b: max(a, b),
    ct.MinIOp: lambda a, b: min(a, b),
    ct.RemIOp: _remainder,
    ct.ShLIOp: lambda a, b: a << b if 0 <= b < 64 else None,
    ct.ShRIOp: lambda a, b: a >> b if 0 <= b < 64 else None,
}

_RELATIONS: Final[Mapping[ComparisonPredicate, Callable[[int, int], bool]]] = {
    ComparisonPredicate.EQUAL: operator.eq,
    ComparisonPredicate.NOT_EQUAL: operator.ne,
    ComparisonPredicate.LESS_THAN: operator.lt,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: operator.le,
    ComparisonPredicate.GREATER_THAN: operator.gt,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: operator.ge,
}


class KnownScalars:
    """
    The scalars of a tile block. Integers do not wrap around here: those of programs that run do
    not either where sizes are counted.
    """

    def __init__(self, grid: Sequence[int], block: Sequence[int]):
        self.grid = grid
        self.block = block
        self._values: dict[SSAValue, int] = {}
        self._sizes: dict[SSAValue, Sequence[int | None]] = {}
        """Sizes of the tensors of views."""

    def set(self, value: SSAValue, number: int | None) -> None:
        """Says what a value is; none if that is not known."""
        if number is None:
            self._values.pop(value, None)
        else:
            self._values[value] = number

    def get(self, value: SSAValue) -> int | None:
        return self._values.get(value)

    def visit(self, op: Operation) -> None:
        """Finds the results of an op without regions."""
        match op:
            case ct.GetTileBlockIdOp() | ct.GetNumTileBlocksOp():
                numbers = self.block if isinstance(op, ct.GetTileBlockIdOp) else self.grid
                for result, number in zip(op.results, numbers, strict=True):
                    self.set(result, number)
            case ct.MakeTensorViewOp():
                self._sizes[op.result] = self._view_sizes(op)
            case ct.MakePartitionViewOp() | ct.MakeStridedViewOp() | ct.MakeGatherScatterViewOp():
                self._sizes[op.results[0]] = self._sizes.get(op.operands[0], ())
            case ct.GetTensorShapeOp():
                self._set_all(op, self._sizes.get(op.operands[0], ()))
            case ct.GetIndexSpaceShapeOp():
                self._set_all(op, self._tile_counts(op))
            case _ if len(op.results) == 1:
                self.set(op.results[0], self._evaluate(op))
            case _:
                pass

    def _set_all(self, op: Operation, numbers: Sequence[int | None]) -> None:
        for result, number in zip(op.results, numbers, strict=False):
            self.set(result, number)

    def _view_sizes(self, op: ct.MakeTensorViewOp) -> list[int | None]:
        ty = op.result.type
        assert isinstance(ty, ct.TensorViewType)
        dynamic = iter(op.dynamic_shape)
        return [self.get(next(dynamic)) if size is None else size for size in ty.shape.data]

    def _tile_counts(self, op: ct.GetIndexSpaceShapeOp) -> list[int | None]:
        layout = ViewLayout.of(op.src.type)
        sizes = self._sizes.get(op.src, ())
        counts: list[int | None] = []
        for dim, step in zip(layout.dim_map, layout.steps, strict=True):
            size = sizes[dim] if dim < len(sizes) else None
            counts.append(None if size is None else -(-size // step))
        return counts

    def _evaluate(self, op: Operation) -> int | None:
        """The only result of an op; none if it is no integer, or not known."""
        ty = op.results[0].type
        if not isinstance(ty, ct.TileType) or ty.get_shape():
            return None
        if not isinstance(ty.element_type, IntegerType):
            return None
        if isinstance(op, ct.ConstantOp):
            is_signed = ty.element_type.width.data > 1
            return int.from_bytes(op.elements.data.data, "little", signed=is_signed)
        known = [self.get(operand) for operand in op.operands]
        if isinstance(op, ct.SelectOp):
            condition, *choices = known
            return None if condition is None else choices[0 if condition else 1]
        numbers = [number for number in known if number is not None]
        if not numbers or len(numbers) != len(known):
            return None
        match op:
            case ct.AssumeOp() | ct.ExtIOp() | ct.TruncIOp() | ct.ReshapeOp():
                return numbers[0]
            case ct.NegIOp():
                return -numbers[0]
            case ct.AbsIOp():
                return abs(numbers[0])
            case ct.DivIOp():
                return _divide(*numbers, rounding=op.rounding.data)
            case ct.CmpIOp():
                return int(_RELATIONS[op.comparison_predicate.data](*numbers))
            case _:
                function = _BINARY.get(type(op))
                return None if function is None else function(*numbers)
