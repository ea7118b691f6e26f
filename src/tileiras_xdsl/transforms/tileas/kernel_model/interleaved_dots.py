"""Loops in which threads compute between dots, as softmax does in attention."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp

from .wgmma import needs_accumulator_promotion


def are_interleaved(dots: Sequence[DotOp]) -> bool:
    """
    Whether threads compute between dots in each loop of some dots. Then warpgroups take longer for
    that than for WGMMAs, and with more of them some compute while others have the tensor cores.
    Accumulators that threads promote take the registers for that.
    """
    blocks = dict.fromkeys(op.parent_block() for op in dots)
    return (
        bool(dots)
        and not any(map(needs_accumulator_promotion, dots))
        and all(block is not None and _is_interleaved(block) for block in blocks)
    )


def _is_interleaved(block: Block) -> bool:
    """Whether operand A of a dot of a loop body depends on the result of another one."""
    if not isinstance(block.parent_op(), scf.ForOp):
        return False
    dots = {op for op in block.ops if isinstance(op, DotOp)}
    return any(
        backward_slice([op.a], lambda each: each.parent_block() is block) & (dots - {op})
        for op in dots
    )
