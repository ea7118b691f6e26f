"""Arrivals on mbarriers of other CTAs, and waits for mbarriers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.arith import TruncIOp
from tileiras_xdsl.transforms.tileas.kernel_model.slicing import is_pure

from .thread_builder import ThreadBuilder

TRY_WAIT_NANOSECONDS = 10_000_000
"""How long `mbarrier.try_wait` may suspend a thread before the wait loop tries again."""


def wait(
    builder: ThreadBuilder, barrier: SSAValue, parity: SSAValue, scope: nvvm.MemScope | None = None
) -> None:
    """Waits for a phase of an mbarrier to complete, with acquire semantics at a scope."""
    phase = builder.emit(TruncIOp(parity, i1)).result
    before, after = Block(), Block()
    with builder.at_end_of(before):
        time_hint = builder.constant(TRY_WAIT_NANOSECONDS)
        done = builder.emit(
            nvvm.MBarrierTryWaitParitySharedOp(barrier, phase, time_hint, scope=scope)
        ).done
        again = builder.emit(arith.XOrIOp(done, builder.constant(1, i1))).result
        builder.emit(scf.ConditionOp(again))
    with builder.at_end_of(after):
        builder.emit(scf.YieldOp())
    builder.emit(scf.WhileOp([], [], Region(before), Region(after)))


def arrive_remotely(
    builder: ThreadBuilder, barrier: SSAValue, rank: SSAValue, scope: nvvm.MemScope | None
) -> None:
    """Arrives on the mbarrier at the same offset in another CTA of the cluster."""
    there = builder.emit(nvvm.MapaOp(barrier, rank)).result
    builder.emit(nvvm.MBarrierArriveClusterOp(there, builder.constant(1), scope=scope))


def compute_before_wait(builder: ThreadBuilder, values: Sequence[SSAValue]) -> None:
    """
    Moves the scalar code of values in front of the last wait for an mbarrier in the block, if all
    of it is known there: when the wait is over, threads can use them at once.
    """
    block = builder.block
    loops = [op for op in block.ops if is_wait(op)]
    if not loops:
        return
    code = backward_slice(
        values, lambda op: op.parent is block and loops[-1].is_before_in_block(op)
    )
    if all(map(is_pure, code)):
        for op in [op for op in block.ops if op in code]:
            op.detach()
            block.insert_op_before(op, loops[-1])


def is_wait(op: Operation) -> bool:
    """Whether an op is what `wait` emits."""
    return isinstance(op, scf.WhileOp) and any(
        isinstance(each, nvvm.MBarrierTryWaitParitySharedOp) for each in op.before_region.block.ops
    )
