"""
Mbarriers in place of tokens: which ops wait for which phase, and which arrive.

A slot is an mbarrier that counts the accesses of its tokens: an access waits, is performed, and
arrives when it is complete, maybe much later. All arrivals come from this program, so the phase of
an mbarrier is known at every point of it, but only its parity, and only up to accesses that are
still in flight. These rules keep that true:

1. No op arrives on a phase before the previous one is complete: the first arrival on a phase has
   waited for the one before. So an mbarrier is in the phase of the program or in the one before
   that, which is what a parity can tell apart, and a wait for the last phase that was fully issued
   is a wait for all before.
2. On every path to a point, the parities and the arrivals in the open phase are the same. The
   end of a loop body goes back to the state that the body began with, and the arms of a branch
   end alike, by extra arrivals. These follow rule 1, so they wait first.
3. A wait for the phase before the current one is always safe. After an even number of phases that
   is parity 1, and a fresh mbarrier answers true to parity 1. So a loop need not know whether it is
   in its first iteration: at the start of its body, every slot used in it counts as issued.
4. A token with arrivals in a phase that is still open is completed, by the arrivals that the phase
   lacks, before an op waits for it. That is the case only if `num_producers` is more than 1 and
   fewer have arrived. The token of `create_mem_token` has nothing before it: an access that takes
   it leaves the phase open for the other producers.
5. A join of a token whose producers are announced by `num_producers`, and none of which has
   arrived in program order, waits for phase 0: others will arrive. Without announced producers
   there is nothing to wait for, so such a join arrives itself and then waits.

The memory of a slot is initialised once, before the first op of the function in which its token
is made, however often that runs: to initialise a barrier that is in use is not allowed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, LocationAttr, i1, i32, i64
from xdsl.dialects.llvm import AddressOfOp, ConstantOp, GEPOp, LLVMArrayType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.dialects.nv_tileaa.queues import ResourceOperation
from tileiras_xdsl.dialects.nv_tileaa.tokens import CreateMemTokenOp, JoinMemTokenOp
from tileiras_xdsl.dialects.nvvm import (
    SHARED_POINTER,
    MBarrierArriveSharedOp,
    MBarrierInitSharedOp,
    MBarrierTryWaitParitySharedOp,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.structure import last_of

from .token_slots import (
    POOL_SIZE,
    Branch,
    Sequel,
    Slot,
    TokenSlots,
    is_access,
    tokens_in,
    walk_unit,
)

POOL_TYPE = LLVMArrayType(POOL_SIZE, i64)
TICKS = 10_000_000
"""Nanoseconds that one try may take; it is repeated until it succeeds."""


@dataclass(frozen=True)
class Phase:
    """The state of a barrier at a point of the program."""

    parity: int = 0
    """Of the open phase."""
    arrived: int = 0
    """Arrivals in the open phase."""
    issued: bool = False
    """Whether a phase may have been completed before."""


Phases = dict[int, Phase]
"""By the number of the slot; what is missing is fresh."""


@dataclass
class Cursor:
    """A place to insert ops at, with the location they get, and the phases there."""

    point: InsertPoint
    location: LocationAttr
    phases: Phases


class TokenBarriers:
    """Inserts the barriers of a function; its tokens stay as they are, but have no meaning."""

    def __init__(self, function: Operation, slots: TokenSlots, pool_name: str):
        self._slots = slots
        self._block = function.regions[0].block
        first = self._block.first_op
        assert first is not None
        self._head = Cursor(InsertPoint.before(first), first.location, {})
        self._constants: dict[tuple[int, IntegerType], SSAValue] = {}
        self._pool_name = pool_name
        self._addresses: list[SSAValue] = []
        self.handles: list[SSAValue] = []
        """What tokens become, for each slot: its number."""

    def insert(self) -> None:
        self._insert_slots()
        self._lower_block(self._block, {})

    # Slots

    def _insert_slots(self) -> None:
        pool = AddressOfOp(self._pool_name, SHARED_POINTER)
        _insert(self._head, pool)
        pool.result.name_hint = "mbarriers"
        for slot, maker in zip(self._slots.slots, self._slots.makers, strict=True):
            outermost = self._block.find_ancestor_op_in_block(maker)
            assert outermost is not None
            cursor = Cursor(InsertPoint.before(outermost), maker.location, {})
            address = GEPOp(
                pool.result, [0, slot.index], POOL_TYPE, result_type=SHARED_POINTER, inbounds=True
            )
            count = ConstantOp(IntegerAttr(slot.producers, i32), i32)
            handle = ConstantOp(IntegerAttr(slot.index, i32), i32)
            _insert(cursor, address, count, MBarrierInitSharedOp(address, count), handle)
            address.result.name_hint = f"slot{slot.index}"
            self._addresses.append(address.result)
            self.handles.append(handle.result)

    def _constant(self, value: int, ty: IntegerType, name: str) -> SSAValue:
        known = self._constants.get((value, ty))
        if known is None:
            op = ConstantOp(IntegerAttr(value, ty), ty)
            _insert(self._head, op)
            op.result.name_hint = name
            known = self._constants[value, ty] = op.result
        return known

    # Program order

    def _lower_block(self, block: Block, phases: Phases) -> None:
        for op in tuple(block.ops):
            self._lower_op(op, phases)

    def _lower_op(self, op: Operation, phases: Phases) -> None:
        match op:
            case JoinMemTokenOp():
                cursor = Cursor(InsertPoint.before(op), op.location, phases)
                for token in op.tokens:
                    for slot in self._slots.of(token):
                        self._join(slot, cursor)
            case _ if is_access(op):
                self._lower_access(op, phases)
            case _ if op.has_trait(IsolatedFromAbove) or not self._used_in(op.regions):
                pass
            case scf.ForOp():
                entry = self._enter_loop(op, phases)
                self._lower_block(op.body.block, body := dict(entry))
                self._restore(op.body, body, entry)
                phases.update(entry)
            case scf.WhileOp():
                entry = self._enter_loop(op, phases)
                self._lower_block(op.before_region.block, exit_kind := dict(entry))
                self._lower_block(op.after_region.block, body := dict(exit_kind))
                self._restore(op.after_region, body, entry)
                phases.update(exit_kind)
            case _ if isinstance(op, Branch):
                self._lower_branch(op, phases)
            case _ if isinstance(op, Sequel):
                self._check_agents(op)
                for region in op.regions:
                    if region.blocks:
                        self._lower_block(region.block, phases)
            case _:
                fail(op, f"'{op.name}' op has tokens in it, which only structured ops may")

    def _lower_access(self, op: Operation, phases: Phases) -> None:
        slots = self._slots.waited_for_by(op)
        before = Cursor(InsertPoint.before(op), op.location, phases)
        succeeded = {
            slot.index
            for token in tokens_in(op.operands)
            if not isinstance(token.owner, CreateMemTokenOp)
            for slot in self._slots.of(token)
        }
        for slot in slots:
            if slot.index in succeeded:
                self._complete(slot, before)
            self._wait(slot, before)
        after = Cursor(InsertPoint.after(op), op.location, phases)
        for slot in slots:
            self._arrive(slot, after)

    def _enter_loop(self, op: Operation, phases: Phases) -> Phases:
        """The phases at the start of every iteration."""
        return phases | {
            index: replace(phases.get(index, Phase()), issued=True)
            for index in self._used_in(op.regions)
        }

    def _lower_branch(self, op: Operation, phases: Phases) -> None:
        arms: list[tuple[Region, Phases]] = []
        for region in op.regions:
            arms.append((region, dict(phases)))
            if region.blocks:
                self._lower_block(region.block, arms[-1][1])
        fixed = [arm for region, arm in arms if not region.blocks]
        for index in sorted(self._used_in(op.regions)):
            slot = self._slots.slots[index]
            states = [arm.get(index, Phase()) for arm in (fixed or [arm for _, arm in arms])]
            target = min(
                states,
                key=lambda state: sum(
                    _distance(arm.get(index, Phase()), state, slot) for _, arm in arms
                ),
            )
            for region, arm in arms:
                if region.blocks:
                    self._reach(slot, target, _end(region, arm))
            issued = any(arm.get(index, Phase()).issued for _, arm in arms)
            phases[index] = replace(target, issued=issued)

    def _restore(self, body: Region, phases: Phases, entry: Phases) -> None:
        """Brings all slots back to what they were at the entry of a loop."""
        for index in sorted(phases):
            self._reach(self._slots.slots[index], entry.get(index, Phase()), _end(body, phases))

    def _check_agents(self, op: Operation) -> None:
        if not isinstance(op, ResourceOperation):
            return
        seen: set[int] = set()
        for region in op.regions:
            used = self._used_in([region])
            if shared := seen & used:
                numbers = ", ".join(str(index) for index in sorted(shared))
                fail(op, f"'{op.name}' op has agents that share tokens (barrier {numbers})")
            seen |= used

    def _used_in(self, regions: Iterable[Region]) -> set[int]:
        """The slots that are waited for or arrived on in some regions."""
        return {
            slot.index
            for region in regions
            for op in walk_unit(region)
            if isinstance(op, JoinMemTokenOp) or is_access(op)
            for token in (*tokens_in(op.operands), *tokens_in(op.results))
            for slot in self._slots.of(token)
        }

    # Barriers

    def _join(self, slot: Slot, cursor: Cursor) -> None:
        phase = cursor.phases.get(slot.index, Phase())
        if self._slots.is_foreign(slot):
            self._spin(slot, 0, cursor)
            return
        if phase == Phase():
            if slot.announced:
                self._spin(slot, 0, cursor)
                cursor.phases[slot.index] = Phase(1, 0, True)
                return
            self._arrive(slot, cursor)
        self._complete(slot, cursor)
        self._wait(slot, cursor)

    def _complete(self, slot: Slot, cursor: Cursor) -> None:
        """Ends an open phase that somebody has arrived in."""
        while cursor.phases.get(slot.index, Phase()).arrived:
            self._arrive(slot, cursor)

    def _reach(self, slot: Slot, target: Phase, cursor: Cursor) -> None:
        """Arrives until the barrier is in the same state as another."""
        while _distance(phase := cursor.phases.get(slot.index, Phase()), target, slot):
            if phase.arrived == 0:
                self._wait(slot, cursor)
            self._arrive(slot, cursor)

    def _wait(self, slot: Slot, cursor: Cursor) -> None:
        """Waits for the last phase that was fully issued, if there may be one."""
        phase = cursor.phases.get(slot.index, Phase())
        if phase.issued:
            self._spin(slot, 1 - phase.parity, cursor)

    def _arrive(self, slot: Slot, cursor: Cursor) -> None:
        _insert(cursor, MBarrierArriveSharedOp(self._addresses[slot.index]))
        phase = cursor.phases.get(slot.index, Phase())
        phase = replace(phase, arrived=phase.arrived + 1)
        if phase.arrived == slot.producers:
            phase = Phase(1 - phase.parity, 0, True)
        cursor.phases[slot.index] = phase

    def _spin(self, slot: Slot, parity: int, cursor: Cursor) -> None:
        """
        Waits until the phase of a parity is complete.

            scf.while () : () -> () {
              %done = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : …
              %again = arith.xori %done, %true : i1
              scf.condition(%again)
            } do {
              scf.yield
            }
        """
        phase = self._constant(parity, i1, f"phase{parity}")
        true = self._constant(1, i1, "phase1")
        ticks = self._constant(TICKS, i32, "ticks")
        attempt = MBarrierTryWaitParitySharedOp(self._addresses[slot.index], phase, ticks)
        again = arith.XOrIOp(attempt.done, true)
        condition = scf.ConditionOp(again)
        end = scf.YieldOp()
        for op in (attempt, again, condition, end):
            op.location = cursor.location
        _insert(cursor, scf.WhileOp([], [], [attempt, again, condition], [end]))


def _distance(start: Phase, end: Phase, slot: Slot) -> int:
    """How many arrivals lead from one state to another."""
    steps = slot.producers * (end.parity - start.parity) + end.arrived - start.arrived
    return steps % (2 * slot.producers)


def _end(region: Region, phases: Phases) -> Cursor:
    last = last_of(region.block)
    return Cursor(InsertPoint.before(last), last.location, phases)


def _insert(cursor: Cursor, *ops: Operation) -> None:
    for op in ops:
        op.location = cursor.location
    Rewriter.insert_op(ops, cursor.point)
