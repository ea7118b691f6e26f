"""
Turns of warpgroups, by a named barrier for each.

    nv_tileas.turn.wait %turns       nvvm.barrier id = 10 + warpgroup, number_of_threads = 256
    nv_tileas.turn.pass %turns       nvvm.barrier.arrive id = 10 + next, number_of_threads = 256

A barrier is complete when a warpgroup waits at it and the one before has arrived. All threads of a
warp are in one warpgroup, so that branches on the warpgroup do not diverge, and barriers in them
may be `.aligned`. Where a turn is passed on late is decided when all of the kernel is lowered
(`late_passes`).
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp
from tileiras_xdsl.dialects.nv_tileas.turns import (
    TurnBeginOp,
    TurnEndOp,
    TurnPassOp,
    TurnWaitOp,
    begin_of,
)
from tileiras_xdsl.dialects.nvvm import BarrierArriveOp, BarrierOp
from tileiras_xdsl.targets.machine import WARPGROUP_THREADS

from .barriers import only_if, shared_address
from .late_passes import LatePass
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder
from .thread_index import get_warpgroup

TURN_THREADS = 2 * WARPGROUP_THREADS
"""Those of the warpgroup that waits, and of the one that passes its turn on."""


@lowers("nv_tileas.turn.begin")
def lower_begin(builder: ThreadBuilder, op: TurnBeginOp) -> None:
    with only_if(builder, _is_warpgroup(builder, op.get_warpgroups() - 1)):
        _arrive(builder, builder.constant(op.get_barrier()))


@lowers("nv_tileas.turn.wait")
def lower_wait(builder: ThreadBuilder, op: TurnWaitOp) -> None:
    first = builder.constant(begin_of(op.turns).get_barrier())
    _wait(builder, builder.get_or_emit(arith.AddiOp, get_warpgroup(builder), first))


@lowers("nv_tileas.turn.pass")
def lower_pass(builder: ThreadBuilder, op: TurnPassOp) -> None:
    begin = begin_of(op.turns)
    first, warpgroup = begin.get_barrier(), get_warpgroup(builder)
    following = builder.emit(arith.AddiOp(warpgroup, builder.constant(first + 1))).result
    is_last = _is_warpgroup(builder, begin.get_warpgroups() - 1)
    barrier = builder.emit(SelectOp(is_last, builder.constant(first), following)).result
    if op.late is None:
        _arrive(builder, barrier)
        return
    word = shared_address(builder, 0)
    builder.kernel.late_passes.append(LatePass(_arrive(builder, barrier), word))


@lowers("nv_tileas.turn.end")
def lower_end(builder: ThreadBuilder, op: TurnEndOp) -> None:
    with only_if(builder, _is_warpgroup(builder, 0)):
        _wait(builder, builder.constant(begin_of(op.turns).get_barrier()))


def _is_warpgroup(builder: ThreadBuilder, number: int) -> SSAValue:
    return builder.emit(CmpiOp(get_warpgroup(builder), builder.constant(number), "eq")).result


def _wait(builder: ThreadBuilder, barrier: SSAValue) -> None:
    builder.emit(BarrierOp(barrier, builder.constant(TURN_THREADS)))


def _arrive(builder: ThreadBuilder, barrier: SSAValue) -> BarrierArriveOp:
    return builder.emit(BarrierArriveOp.create(operands=[barrier, builder.constant(TURN_THREADS)]))
