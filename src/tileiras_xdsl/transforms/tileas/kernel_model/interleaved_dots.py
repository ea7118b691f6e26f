"""Loops in which threads compute between dots, as softmax does in attention."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp

from .tma_loads import find_load
from .wgmma import needs_accumulator_promotion


def are_interleaved(dots: Sequence[DotOp]) -> bool:
    """
    Whether each loop of some dots is one of attention: operand A of one of its two dots is computed
    from the result of the other. Then warpgroups take longer for that than for WGMMAs, and with
    more of them some compute while others have the tensor cores.

    That takes registers: threads have no other tiles beside, neither loaded nor carried by the loop
    nor of accumulators that they promote. And warpgroups must not wait for each other: nothing is
    reduced or scanned across rows.
    """
    blocks = dict.fromkeys(op.parent_block() for op in dots)
    return (
        bool(dots)
        and not any(map(needs_accumulator_promotion, dots))
        and all(block is not None and _is_interleaved(block) for block in blocks)
    )


def _is_interleaved(block: Block) -> bool:
    loop = block.parent_op()
    if not isinstance(loop, scf.ForOp):
        return False
    dots = [op for op in block.ops if isinstance(op, DotOp)]
    operands = {find_load(value) for op in dots for value in (op.a, op.b)}
    loads = [op for op in block.ops if is_plain_load(op) and op not in operands]
    if len(dots) != 2 or any(_is_tile(value) for op in loads for value in op.results):
        return False
    if sum(map(_is_tile, loop.iter_args)) > 1:
        return False
    if any(isinstance(op, AggregateOperation) and op.get_axis() == 0 for op in block.ops):
        return False
    return any(
        backward_slice([op.a], lambda each: each.parent_block() is block) & ({*dots} - {op})
        for op in dots
    )


def _is_tile(value: SSAValue) -> bool:
    """Whether a value has more than one element in each row, unlike maxima and sums of rows."""
    ty = value.type
    return isinstance(ty, TensorType) and prod(ty.get_shape()[1:]) > 1
