"""Arrivals on mbarriers of other CTAs, and waits for mbarriers."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Region, SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.arith import TruncIOp

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
