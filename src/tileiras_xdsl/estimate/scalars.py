"""The integers of a kernel at the stage `tileas`, and of the launch that it is estimated for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from typing_extensions import override
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.scalar_values import ScalarValues, fill_in
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.grid import ResidentCtasOp
from tileiras_xdsl.targets.machine import BYTE_BITS, SECTOR_BYTES


@dataclass
class Scalars(ScalarValues):
    """The scalars of a CTA, and how rows of tensors lie in memory."""

    resident: int = 1
    """SMs of the GPU."""
    pitches: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Bytes from a row to the next one, of tensors in memory whose rows are contiguous."""

    def count_crossed(self, view: SSAValue) -> float:
        """
        Sectors of L2 for each one that the rows of a tile would take: twice as many if rows do not
        begin where sectors do.
        """
        return 2.0 if self.pitches.get(view, 0) % SECTOR_BYTES else 1.0

    @override
    def evaluate(self, op: Operation, known: Sequence[int | None]) -> Sequence[int | None] | None:
        match op:
            case ResidentCtasOp():
                return (self.resident * op.ctas_per_sm.value.data,)
            case MakeMemrefOp():
                self._add_pitch(op, known)
            case BlockTileOp():
                self.pitches[op.result] = self.pitches.get(op.memref, 0)
            case _:
                pass
        return super().evaluate(op, known)

    def _add_pitch(self, op: MakeMemrefOp, known: Sequence[int | None]) -> None:
        ty = op.result.type
        assert isinstance(ty, MemRefType)
        strides = fill_in(ty.strides.data, op.strides, op, known)
        if len(strides) > 1 and strides[-1] == 1 and strides[-2] is not None:
            self.pitches[op.result] = strides[-2] * element_bit_width(ty.element_type) // BYTE_BITS
