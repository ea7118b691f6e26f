"""
Block-scaled dots, as `tcgen05` reads their operands and scales or, where it cannot do them, in f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.transforms.common.scaled_dots import (
    emulate_scaled_dot,
    explain_emulation,
    why_not_scaled_tcgen05,
)

from ..kernel_model.scaled_tcgen05 import prepare_scaled_dot, types_of

NO_ROOM = "accumulators, scales and operands do not fit in tensor memory and shared memory together"


@dataclass
class PreparedDots:
    """The block-scaled dots of a kernel, with the operands that they had in the program."""

    function: FuncOp
    operands: dict[ScaledDotOp, Sequence[SSAValue]] = field(
        default_factory=dict[ScaledDotOp, "Sequence[SSAValue]"]
    )

    def prepare(self, op: DotOp) -> DotOp:
        """The dot to be assigned in place of another one."""
        if not isinstance(op, ScaledDotOp):
            return op
        operands = (op.a, op.b, op.accumulator, *op.scales)
        if _why_not(op) is None:
            op = prepare_scaled_dot(op)
        self.operands[op] = operands
        return op

    def emulate_others(self) -> None:
        """Computes those in f32 that have no instruction, and removes what nothing needs."""
        for op, operands in self.operands.items():
            if op.atom is None:
                emulate(op, operands)
        if self.operands:
            region_dce(self.function.body)


def _why_not(op: ScaledDotOp) -> str | None:
    return why_not_scaled_tcgen05(types_of(op), get_shape(op.result.type), op.k)


def emulate(op: ScaledDotOp, operands: Sequence[SSAValue]) -> None:
    """Replaces a dot by one of f32; its operands may have changed since."""

    def insert(new: Operation) -> None:
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))

    values = (*operands[:2], op.accumulator, *operands[3:])
    explain_emulation(op, op.k, _why_not(op) or NO_ROOM)
    result = emulate_scaled_dot(values, op.accumulate, op.attributes, insert)
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)
