"""
The order of instructions.

    nv_tileas.sched_barrier                nvvm.pmevent 1
    %y = nv_tileas.sched_barrier(%x)       %y = nvvm.pmevent 1, %x

ptxas orders instructions as it sees fit, and has no directive against that. It moves none across an
event of a performance monitor, which does nothing unless a profiler counts it. LLVM would move
what is computed from registers only; values that pass through are computed before, or after.
"""

from __future__ import annotations

from tileiras_xdsl.dialects.nv_tileas.instruction_order import SchedBarrierOp
from tileiras_xdsl.dialects.nvvm import PMEventOp

from .lowering_registry import lowers
from .thread_builder import ThreadBuilder


@lowers("nv_tileas.sched_barrier")
def lower_sched_barrier(builder: ThreadBuilder, op: SchedBarrierOp) -> None:
    event = builder.emit(PMEventOp([builder.lookup(value) for value in op.values]))
    for old, new in zip(op.results, event.results, strict=True):
        builder.map(old, new)
