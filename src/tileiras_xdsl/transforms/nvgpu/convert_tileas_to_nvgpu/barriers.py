"""CTA and named barriers, code of single threads, and scratch memory."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.dialects.llvm import AddressOfOp
from xdsl.ir import Block, Region, SSAValue

from tileiras_xdsl.dialects import gpu, nvvm
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.ping_pong import (
    PingPongArriveOp,
    PingPongBeginOp,
    PingPongEndOp,
    PingPongWaitOp,
    begin_of,
)
from tileiras_xdsl.dialects.nvvm import BarrierArriveOp, BarrierOp
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.targets.machine import CONSUMER_BARRIER, WARPGROUP_THREADS

from .delayed_arrivals import DelayedArrival
from .lowering_registry import lowers
from .thread_builder import CTA, ThreadBuilder, move_pointer
from .thread_index import get_warpgroup, is_first_of_warpgroup, is_first_thread


def sync_threads(builder: ThreadBuilder) -> None:
    """A CTA barrier; within the consumer agent, the named barrier of its threads."""
    if builder.agent is not CTA:
        barrier = builder.constant(CONSUMER_BARRIER)
        num_threads = builder.constant(builder.kernel.consumer_threads)
        builder.emit(nvvm.BarrierOp(barrier, num_threads))
    else:
        builder.emit(gpu.BarrierOp())


@contextmanager
def only_if(builder: ThreadBuilder, condition: SSAValue) -> Generator[None]:
    """
    Appends to a branch that threads take if a condition holds. It may diverge, so no barrier may be
    emitted into it."""
    block = Block()
    with builder.at_end_of(block):
        yield
        builder.emit(scf.YieldOp())
    builder.emit(scf.IfOp(condition, [], Region(block)))


def wait_for_copies(builder: ThreadBuilder, *, written: bool = False) -> None:
    """
    The threads that issue bulk copies wait until these have read shared memory, or have written
    global memory. The other threads wait at the next barrier.
    """
    by_warpgroups = WARPGROUP_STORE.is_on(builder.kernel.function)
    is_first = is_first_of_warpgroup if by_warpgroups else is_first_thread
    with only_if(builder, is_first(builder)):
        builder.emit(nvvm.CpAsyncBulkWaitGroupOp(0, read=not written))


def take_scratch(builder: ThreadBuilder, size: int) -> SSAValue:
    """
    The address of the next scratch buffer of an op: all threads write it, `sync_threads`, all read
    it. A barrier comes first if other threads, or bulk copies, may still use the memory.
    """
    buffer = builder.take_buffer(size)
    if buffer.wait == "copies":
        wait_for_copies(builder)
    if buffer.wait:
        sync_threads(builder)
    return shared_address(builder, buffer.offset)


def shared_address(builder: ThreadBuilder, offset: int) -> SSAValue:
    """An address in the shared memory of the CTA."""
    name = {"global_name": builder.kernel.symbols.shared_reference}
    base = builder.emit(AddressOfOp.create(result_types=[nvvm.SHARED_POINTER], properties=name))
    return builder.emit(move_pointer(base.result, offset)).result


# Arrivals on mbarriers of other CTAs, and waits for mbarriers.

TRY_WAIT_NANOSECONDS = 10_000_000
"""How long `mbarrier.try_wait` may suspend a thread before the wait loop tries again."""


def wait(
    builder: ThreadBuilder, barrier: SSAValue, parity: SSAValue, scope: nvvm.MemScope | None = None
) -> None:
    """Waits for a phase of an mbarrier to complete, with acquire semantics at a scope."""
    phase = builder.cast("trunc", parity, i1)
    before, after = Block(), Block()
    with builder.at_end_of(before):
        time_hint = builder.constant(TRY_WAIT_NANOSECONDS)
        done = builder.emit(
            nvvm.MBarrierTryWaitParitySharedOp(barrier, phase, time_hint, scope=scope)
        ).done
        again = builder.binary("xor", done, 1)
        builder.emit(scf.ConditionOp(again))
    with builder.at_end_of(after):
        builder.emit(scf.YieldOp())
    builder.emit(WhileOp([], [], Region(before), Region(after)))


def arrive_remotely(
    builder: ThreadBuilder, barrier: SSAValue, rank: SSAValue, scope: nvvm.MemScope | None
) -> None:
    """Arrives on the mbarrier at the same offset in another CTA of the cluster."""
    there = builder.emit(nvvm.MapaOp(barrier, rank)).result
    builder.emit(nvvm.MBarrierArriveClusterOp(there, builder.constant(1), scope=scope))


# Ping-pong scheduling of warpgroups, by a named barrier for each.
#
#     nv_tileas.ping_pong.wait      nvvm.barrier id = 10 + warpgroup, number_of_threads = 256
#     nv_tileas.ping_pong.arrive    nvvm.barrier.arrive id = 10 + next, number_of_threads = 256
#
# A barrier is complete when a warpgroup waits at it and the one before has arrived. All threads of
# a warp are in one warpgroup, so that branches on the warpgroup do not diverge, and barriers in
# them may be `.aligned`. Where an arrival is delayed is decided when all of the kernel is
# lowered (`delayed_arrivals`).

PING_PONG_THREADS = 2 * WARPGROUP_THREADS
"""Those of the warpgroup that waits, and of the one that passes its turn on."""


@lowers(PingPongBeginOp)
def lower_begin(builder: ThreadBuilder, op: PingPongBeginOp) -> None:
    with only_if(builder, _is_warpgroup(builder, op.get_warpgroups() - 1)):
        _arrive(builder, builder.constant(op.get_barrier()))


@lowers(PingPongWaitOp)
def lower_wait(builder: ThreadBuilder, op: PingPongWaitOp) -> None:
    first = builder.constant(begin_of(op.ping_pong).get_barrier())
    _wait(builder, builder.get_or_emit(arith.AddiOp, get_warpgroup(builder), first))


@lowers(PingPongArriveOp)
def lower_pass(builder: ThreadBuilder, op: PingPongArriveOp) -> None:
    begin = begin_of(op.ping_pong)
    first, warpgroup = begin.get_barrier(), get_warpgroup(builder)
    following = builder.binary("add", warpgroup, first + 1)
    is_last = _is_warpgroup(builder, begin.get_warpgroups() - 1)
    barrier = builder.select(is_last, builder.constant(first), following)
    if op.delayed is None:
        _arrive(builder, barrier)
        return
    word = shared_address(builder, 0)
    builder.kernel.delayed_arrivals.append(DelayedArrival(_arrive(builder, barrier), word))


@lowers(PingPongEndOp)
def lower_end(builder: ThreadBuilder, op: PingPongEndOp) -> None:
    with only_if(builder, _is_warpgroup(builder, 0)):
        _wait(builder, builder.constant(begin_of(op.ping_pong).get_barrier()))


def _is_warpgroup(builder: ThreadBuilder, number: int) -> SSAValue:
    return builder.compare("eq", get_warpgroup(builder), number)


def _wait(builder: ThreadBuilder, barrier: SSAValue) -> None:
    builder.emit(BarrierOp(barrier, builder.constant(PING_PONG_THREADS)))


def _arrive(builder: ThreadBuilder, barrier: SSAValue) -> BarrierArriveOp:
    return builder.emit(
        BarrierArriveOp.create(operands=[barrier, builder.constant(PING_PONG_THREADS)])
    )
