"""
The integers of a kernel at the stage `tileas`, as far as the arguments of a launch and the index of
a CTA decide them: what trip counts are made of. What comes from memory is not known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import (
    BlockTileOp,
    GetIndexSpaceShapeOp,
    GetTensorShapeOp,
    MakeMemrefOp,
)
from tileiras_xdsl.dialects.nv_tileas.grid import ResidentCtasOp
from tileiras_xdsl.targets.machine import BYTE_BITS, SECTOR_BYTES

DIMENSIONS: Final = ("x", "y", "z")


def _floor(a: int, b: int) -> int | None:
    return a // b if b else None


def _ceil(a: int, b: int) -> int | None:
    return -(-a // b) if b else None


def _truncate(a: int, b: int) -> int | None:
    return None if not b else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    """With the sign of the dividend."""
    return None if not b else abs(a) % abs(b) * (-1 if a < 0 else 1)


_BINARY: Final[Mapping[str, Callable[[int, int], int | None]]] = {
    "addi": int.__add__,
    "subi": int.__sub__,
    "muli": int.__mul__,
    "andi": int.__and__,
    "ori": int.__or__,
    "xori": int.__xor__,
    "minsi": lambda a, b: min(a, b),
    "maxsi": lambda a, b: max(a, b),
    "minui": lambda a, b: min(a, b),
    "maxui": lambda a, b: max(a, b),
    "remi": _remainder,
    "remsi": _remainder,
    "remui": _remainder,
    "divsi": _truncate,
    "divui": _floor,
    "floordivsi": _floor,
    "ceildivsi": _ceil,
    "ceildivui": _ceil,
    "shli": lambda a, b: a << b if 0 <= b < 64 else None,
    "shri": lambda a, b: a >> b if 0 <= b < 64 else None,
    "shrsi": lambda a, b: a >> b if 0 <= b < 64 else None,
    "shrui": lambda a, b: a >> b if 0 <= b < 64 else None,
}
"""By the name of an op, without its dialect."""

_RELATIONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
}

_PREDICATES: Final = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
"""Of `arith.cmpi`, signed ones before unsigned ones: integers do not wrap around here."""

_CASTS: Final = frozenset({"index_cast", "extsi", "extui", "trunci", "exti", "index_castui"})
_ROUNDINGS: Final = {"positive_inf": _ceil, "negative_inf": _floor}


@dataclass
class Scalars:
    """The scalars of a CTA. Integers do not wrap around."""

    block: Sequence[int] = (0, 0, 0)
    grid: Sequence[int] | None = None
    """CTAs of the launch, along each dimension, if they are known."""
    resident: int = 1
    """SMs of the GPU."""
    tiles: int | None = None
    """How many tiles a view has along a dimension whose size is not known."""
    sizes: dict[SSAValue, Sequence[int | None]] = field(
        default_factory=dict[SSAValue, Sequence[int | None]]
    )
    """Sizes of tensors in memory."""
    pitches: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Bytes from a row to the next one, of tensors in memory whose rows are contiguous."""

    def count_crossed(self, view: SSAValue) -> float:
        """
        Sectors of L2 for each one that the rows of a tile would take: twice as many if rows do not
        begin where sectors do.
        """
        return 2.0 if self.pitches.get(view, 0) % SECTOR_BYTES else 1.0

    def evaluate(self, op: Operation, known: Sequence[int | None]) -> Sequence[int | None] | None:
        """The results of an op with these operands; None if it is none of integers."""
        match op:
            case MakeMemrefOp():
                self._add_memref(op, known)
                return None
            case BlockTileOp():
                self.sizes[op.results[0]] = self.sizes.get(op.operands[0], ())
                self.pitches[op.results[0]] = self.pitches.get(op.operands[0], 0)
                return None
            case GetIndexSpaceShapeOp():
                return self._count_tiles(op)
            case GetTensorShapeOp():
                found = self.sizes.get(op.operands[0], ())
                return found or (None,) * len(op.results)
            case ResidentCtasOp():
                return (self.resident * op.ctas_per_sm.value.data,)
            case AssumeOp():
                return known[:1]
            case _ if len(op.results) == 1 and not isinstance(op, arith.ConstantOp):
                return (self._evaluate(op, known),)
            case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
                return (op.value.value.data,)
            case _:
                return None

    def _add_memref(self, op: MakeMemrefOp, known: Sequence[int | None]) -> None:
        ty = op.result.type
        assert isinstance(ty, MemRefType)
        numbers = dict(zip(op.operands, known, strict=True))
        dynamic = iter(op.sizes)
        self.sizes[op.result] = [
            numbers.get(next(dynamic)) if size is None else size for size in ty.shape.data
        ]
        dynamic = iter(op.strides)
        strides = [numbers.get(next(dynamic)) if each is None else each for each in ty.strides.data]
        if len(strides) > 1 and strides[-1] == 1 and strides[-2] is not None:
            self.pitches[op.result] = strides[-2] * element_bit_width(ty.element_type) // BYTE_BITS

    def _count_tiles(self, op: GetIndexSpaceShapeOp) -> list[int | None]:
        ty = op.source.type
        assert isinstance(ty, TiledViewType)
        sizes = self.sizes.get(op.source, ())
        counts: list[int | None] = []
        for dim, step in zip(ty.get_dim_map(), ty.get_steps(), strict=True):
            size = sizes[dim] if dim < len(sizes) else None
            counts.append(self.tiles if size is None else -(-size // step))
        return counts

    def _evaluate(self, op: Operation, known: Sequence[int | None]) -> int | None:
        name = op.name.rpartition(".")[2]
        if isinstance(op, gpu.BlockIdOp | gpu.GridDimOp):
            numbers = self.block if isinstance(op, gpu.BlockIdOp) else self.grid
            return None if numbers is None else numbers[DIMENSIONS.index(op.dimension.data.value)]
        if name == "select":
            condition, *choices = known
            return None if condition is None else choices[0 if condition else 1]
        numbers = [number for number in known if number is not None]
        if not numbers or len(numbers) != len(known):
            return None
        if not isinstance(op.operands[0].type, IntegerType) and name not in _CASTS:
            return None
        if name in _CASTS:
            return numbers[0]
        if name == "negi":
            return -numbers[0]
        if name == "divi":
            rounding = _word(op, "rounding")
            return _ROUNDINGS.get(rounding, _truncate)(*numbers)
        if name == "cmpi":
            return int(_relation(op)(*numbers))
        function = _BINARY.get(name)
        return None if function is None or len(numbers) != 2 else function(*numbers)


def _word(op: Operation, name: str) -> str:
    attribute = op.properties.get(name)
    return attribute.data if isinstance(attribute, StringAttr) else ""


def _relation(op: Operation) -> Callable[[int, int], bool]:
    predicate = op.properties.get("predicate")
    if isinstance(predicate, IntegerAttr):
        return getattr(operator, _PREDICATES[predicate.value.data])
    return _RELATIONS.get(_word(op, "comparison_predicate"), operator.eq)
