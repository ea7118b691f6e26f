"""
Ping-pong scheduling: the warpgroups of the consumer issue WGMMAs one after the other, in a fixed
order.

    %ping_pong = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
    nv_tileas.ping_pong.wait %ping_pong        // until it is the turn of this warpgroup
    %s = nv_tileas.async.dot %q, %k, %zero …
    %o = nv_tileas.async.dot %p, %v, %acc …
    nv_tileas.ping_pong.arrive %ping_pong      // now it is the turn of the next warpgroup
    … softmax of %s, while the tensor cores multiply for the other warpgroup …
    nv_tileas.ping_pong.end %ping_pong

Each warpgroup has a named barrier, of as many threads as two warpgroups have: `ping_pong.wait`
waits at its own one, `ping_pong.arrive` arrives at that of the next warpgroup, and does not wait.
Where it begins, the last warpgroup arrives at the barrier of the first; where it ends, the first
one waits for the last, so that no arrival is left. All warpgroups execute the same ops, as the
consumer is one program, so nobody waits forever as long as a turn that was waited for is passed on.

Its ops order when WGMMAs are issued, or exponentials computed, and nothing else: no access relies
on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from xdsl.dialects import gpu, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    eq,
    irdl_attr_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.memory_order import UnknownEffects
from tileiras_xdsl.dialects.nv_tileaa.attributes import TileaaOperation
from tileiras_xdsl.targets.machine import NAMED_BARRIERS, PING_PONG_BARRIER, WARPGROUP_WARPS

from .pipeline import AgentSwitchOp, ConsumerReleaseOp, ConsumerWaitOp
from .shared_memory import BarrierOp, get_buffers
from .types import Bare

MIN_WARPGROUPS: Final = 2
INTEGER: Final = IntegerAttr.constr(type=eq(i32))


@irdl_attr_definition
class PingPongType(Bare):
    """Ping-pong scheduling of the warpgroups of a consumer, from its begin to its end."""

    name = "nv_tileas.ping_pong"


PING_PONG: Final = PingPongType()


class PingPongOperation(TileaaOperation):
    """Something that warpgroups do under ping-pong scheduling."""

    traits = traits_def(UnknownEffects())

    ping_pong = operand_def(eq(PING_PONG))

    assembly_format = "$ping_pong attr-dict"

    def verify_(self) -> None:
        begin_of(self.ping_pong)


@diagnosed_op
class PingPongBeginOp(TileaaOperation):
    """
    The first turn is that of the first warpgroup. `barrier` is the named barrier of the first
    warpgroup; those of the others follow.
    """

    name = "nv_tileas.ping_pong.begin"

    barrier = prop_def(INTEGER)
    warpgroups = prop_def(INTEGER)
    result = result_def(eq(PING_PONG))

    traits = traits_def(UnknownEffects())
    assembly_format = "attr-dict"

    DEFAULTS: ClassVar = {"barrier": PING_PONG_BARRIER}

    def get_warpgroups(self) -> int:
        """How many warpgroups take turns."""
        return self.warpgroups.value.data

    def get_barrier(self) -> int:
        """The named barrier of the first warpgroup."""
        return self.barrier.value.data

    def verify_(self) -> None:
        warpgroups, barrier = self.get_warpgroups(), self.get_barrier()
        if warpgroups < MIN_WARPGROUPS:
            raise VerifyException(f"expects at least {MIN_WARPGROUPS} warpgroups, not {warpgroups}")
        if not PING_PONG_BARRIER <= barrier <= NAMED_BARRIERS - warpgroups:
            raise VerifyException(
                f"expects {warpgroups} named barriers from {PING_PONG_BARRIER} to "
                f"{NAMED_BARRIERS - 1}, the others are used elsewhere, but begins with {barrier}"
            )
        if (warps := _consumer_warps(self)) != warpgroups * WARPGROUP_WARPS:
            raise VerifyException(
                f"expects to be in an agent of {warpgroups} warpgroups that begins with warp 0"
                + (f", but that one has {warps} warps" if warps else "")
            )
        ends = [
            use.operation for use in self.result.uses if isinstance(use.operation, PingPongEndOp)
        ]
        if len(ends) != 1 or ends[0].parent_block() is not self.parent_block():
            raise VerifyException(f"expects one '{PingPongEndOp.name}', in the same block")


@diagnosed_op
class PingPongWaitOp(PingPongOperation):
    """
    Each warpgroup waits until it is its turn. Up to the `nv_tileas.ping_pong.arrive` of the same
    block, nobody may wait for the other warpgroups, as these wait for their turn: there is no
    barrier, no exchange between warps, and no wait for a buffer stage after one was released, which
    is filled only when the others have released it, too.
    """

    name = "nv_tileas.ping_pong.wait"

    def verify_(self) -> None:
        super().verify_()
        inside = list(_in_turn(self))
        last = inside[-1].next_op if inside else self.next_op
        if not isinstance(last, PingPongArriveOp) or last.ping_pong is not self.ping_pong:
            raise VerifyException(
                f"expects '{PingPongArriveOp.name}' after it in its block: the other "
                "warpgroups wait for it forever"
            )
        has_released = False
        for op in (inner for each in inside for inner in each.walk()):
            # A loop may wait in its next iteration for what it has released in this one.
            released = op.walk() if isinstance(op, scf.ForOp | scf.WhileOp) else (op,)
            has_released |= any(isinstance(each, ConsumerReleaseOp) for each in released)
            if has_released and isinstance(op, ConsumerWaitOp):
                raise VerifyException(
                    f"expects '{PingPongArriveOp.name}' before '{op.name}': others that wait for "
                    "their turns have not released the stages that this warpgroup has"
                )
            if isinstance(op, PingPongOperation) or _waits_for_others(op):
                raise VerifyException(
                    f"expects '{PingPongArriveOp.name}' before '{op.name}', where warpgroups wait "
                    "for each other"
                )


@diagnosed_op
class PingPongArriveOp(PingPongOperation):
    """
    Each warpgroup passes its turn on to the next one, and does not wait. If it is `delayed`, that
    happens while the warpgroup computes the exponentials that follow, after the first ones and
    before the last ones: so it is half a turn ahead of the next one.
    """

    name = "nv_tileas.ping_pong.arrive"

    delayed = opt_prop_def(UnitAttr)

    def verify_(self) -> None:
        super().verify_()
        before = self.prev_op
        while before is not None and not isinstance(before, PingPongOperation):
            before = before.prev_op
        if not isinstance(before, PingPongWaitOp) or before.ping_pong is not self.ping_pong:
            raise VerifyException(f"expects '{PingPongWaitOp.name}' before it in its block")


@diagnosed_op
class PingPongEndOp(PingPongOperation):
    """The first warpgroup waits until the last one has passed its last turn on."""

    name = "nv_tileas.ping_pong.end"


def begin_of(ping_pong: SSAValue) -> PingPongBeginOp:
    """Where ping-pong scheduling begins."""
    if not isinstance(ping_pong.owner, PingPongBeginOp):
        raise VerifyException(f"expects the result of '{PingPongBeginOp.name}'")
    return ping_pong.owner


def _consumer_warps(op: Operation) -> int:
    """The warps of the agent that an op is in, if these are the first ones of the CTA."""
    region = op.parent_region()
    switch = None if region is None else region.parent_op()
    if not isinstance(switch, AgentSwitchOp):
        return 0
    number = next(n for n, each in enumerate(switch.agents) if each is region)
    listed: list[int] = []
    for values in (switch.num_warps, switch.warp_id):
        # An invalid agent switch is verified after the ops in it.
        if not isinstance(values, DenseArrayBase) or len(values) <= number:
            return 0
        listed.append(int(values.get_values()[number]))
    warps, first = listed
    return 0 if first else warps


def _in_turn(wait: PingPongWaitOp) -> Iterator[Operation]:
    """The ops up to the next one of ping-pong scheduling, in the block of a wait."""
    following = wait.next_op
    while following is not None and not isinstance(following, PingPongOperation):
        yield following
        following = following.next_op


def _waits_for_others(op: Operation) -> bool:
    """Whether threads wait at an op for other warpgroups."""
    if isinstance(op, BarrierOp | gpu.BarrierOp):
        return True
    return any(buffer.wait or buffer.sync in ("threads", "copies") for buffer in get_buffers(op))


# The order of instructions, where it matters.
#
#     nv_tileas.async.dot …
#     nv_tileas.sched_barrier                    // WGMMAs are issued before the exponentials
#     nv_tileaa.exp2 %y …


@diagnosed_op
class SchedBarrierOp(TileaaOperation):
    """
    No instruction is moved across it, neither by LLVM nor by ptxas. It orders the instructions of a
    thread, not threads, and no access relies on it.
    """

    name = "nv_tileas.sched_barrier"

    traits = traits_def(UnknownEffects())
    assembly_format = "attr-dict"
