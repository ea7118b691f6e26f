"""
Memory tokens to mbarriers.

Before:  %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
         %t1 = nv_tileaa.store %p, %v token(%t0) : … -> !nv_tileaa.mem_token
         %x, %t2 = nv_tileaa.load %q token(%t1) : … -> i32, !nv_tileaa.mem_token
After:   %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : …
         nvvm.mbarrier.init.shared %slot0, %one : !llvm.ptr<3>, i32
         nv_tileaa.store %p, %v : …
         nvvm.mbarrier.arrive.shared %slot0 : !llvm.ptr<3> -> i64
         (spin on nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks)
         %x = nv_tileaa.load %q : … -> i32
         nvvm.mbarrier.arrive.shared %slot0 : !llvm.ptr<3> -> i64

Every function has a pool of 32 mbarriers of its own, `llvm.mlir.global internal @mbarriers_f`. A
token becomes the `i32` index of its mbarrier, which loops and branches carry in its place.
`token_slots` finds which mbarriers a token may stand for, `token_barriers` inserts waits and
arrivals. This module has the pool, the removal of tokens, and the check that none is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    StringAttr,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import AddressOfOp, ConstantOp, GEPOp, GlobalOp, LLVMArrayType
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
)
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator, SymbolTable

from tileiras_xdsl.dialects.nv_tileaa.aggregate import YieldOp
from tileiras_xdsl.dialects.nv_tileaa.memory import CreateMemTokenOp, JoinMemTokenOp, is_token
from tileiras_xdsl.dialects.nv_tileaa.queues import (
    PragmaOp,
    QueueGetOp,
    QueuePutOp,
    QueueYieldOp,
    ResourceOperation,
)
from tileiras_xdsl.dialects.nvvm import (
    SHARED_POINTER,
    SHARED_SPACE,
    MBarrierArriveSharedOp,
    MBarrierInitSharedOp,
    MBarrierTryWaitParitySharedOp,
)
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import last_of

# Which barriers a token may stand for.
#
# Every `create_mem_token` gets a slot of the pool of its function, in program order, and so does
# every access that yields a token in use without taking one, as if a `create_mem_token` stood
# before it. The successor of a token stands for the slot of the token, a join for that of its last
# token; through loops and branches a token may come to stand for one of several slots. A poisoned
# token, which nothing may depend on, stands for none.

POOL_SIZE = 32
"""Barriers of a CTA."""

NO_SLOT = -1
"""What a poisoned token stands for."""

Branch = scf.IfOp | scf.IndexSwitchOp
"""One of the regions runs."""

Sequel = scf.ExecuteRegionOp | PragmaOp | QueueGetOp | ResourceOperation
"""All of the regions run, once."""

FORWARDING = (
    *(scf.ForOp, scf.WhileOp, scf.IfOp, scf.IndexSwitchOp, scf.ExecuteRegionOp, PragmaOp),
    *(QueueGetOp, ResourceOperation, scf.YieldOp, scf.ConditionOp, YieldOp, QueueYieldOp),
    *(arith.SelectOp, PoisonOp),
)
"""Ops that pass tokens on without any effect of their own."""


@dataclass(frozen=True)
class Slot:
    """A barrier of the pool."""

    index: int
    producers: int
    """Arrivals that complete a phase."""
    announced: bool
    """Whether the program says how many producers there are."""


def tokens_in(values: Iterable[SSAValue]) -> list[SSAValue]:
    """Those of some values that are tokens."""
    return [value for value in values if is_token(value.type)]


def has_tokens(op: Operation) -> bool:
    """Whether an op takes, yields or passes on tokens."""
    arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
    return any(is_token(value.type) for value in (*op.operands, *op.results, *arguments))


def is_access(op: Operation) -> bool:
    """Whether an op is an effect that tokens order."""
    return (
        op.name.startswith("nv_tileaa.")
        and not op.regions
        and not op.has_trait(IsTerminator)
        and not isinstance(op, CreateMemTokenOp | JoinMemTokenOp | QueuePutOp)
        and bool(tokens_in((*op.operands, *op.results)))
    )


def needs_slot(op: Operation) -> bool:
    """Whether an op makes a token that is not the successor of another."""
    if isinstance(op, CreateMemTokenOp):
        return True
    if isinstance(op, JoinMemTokenOp) or is_access(op):
        return not tokens_in(op.operands) and any(result.uses for result in tokens_in(op.results))
    return False


def walk_unit(region: Region) -> Iterator[Operation]:
    """The ops of a function in program order, without those of functions in it."""
    for block in region.blocks:
        for op in block.ops:
            yield op
            if not op.has_trait(IsolatedFromAbove):
                for inner in op.regions:
                    yield from walk_unit(inner)


class TokenSlots:
    """The slots of a function, and what its tokens may stand for."""

    def __init__(self, function: Operation, name: str):
        self.slots: list[Slot] = []
        self.makers: list[Operation] = []
        """The op that each slot was made for."""
        self._slots_of: dict[SSAValue, set[int]] = {}
        ops = list(walk_unit(function.regions[0]))
        for op in ops:
            self._check(op)
            if needs_slot(op):
                self._take_slot(op, name)
            elif isinstance(op, PoisonOp):
                self._slots_of[op.result] = {NO_SLOT}
        self._propagate([edge for op in ops for edge in _flows(op)])
        for op in ops:
            self._check_origins(op)
        self._produced = {
            slot.index for op in ops if is_access(op) for slot in self.waited_for_by(op)
        }

    def of(self, token: SSAValue) -> list[Slot]:
        """The slots that a token may stand for, in order."""
        indices = sorted(self._slots_of.get(token, set()) - {NO_SLOT})
        return [self.slots[index] for index in indices]

    def waited_for_by(self, op: Operation) -> list[Slot]:
        """The slots of the tokens that an op takes, or of the ones it makes, in order."""
        tokens = tokens_in(op.operands) or tokens_in(op.results)
        indices = {slot.index for token in tokens for slot in self.of(token)}
        return [self.slots[index] for index in sorted(indices)]

    def is_foreign(self, slot: Slot) -> bool:
        """Whether the announced producers of a slot are no accesses of this function."""
        return slot.announced and slot.index not in self._produced

    def _check(self, op: Operation) -> None:
        for region in op.regions:
            if len(region.blocks) > 1 and any(map(has_tokens, walk_unit(region))):
                fail(op, f"'{op.name}' op has tokens in control flow that is not structured")
        if not has_tokens(op) or is_access(op):
            return
        if not isinstance(op, (CreateMemTokenOp, JoinMemTokenOp, *FORWARDING)):
            fail(op, f"'{op.name}' op has tokens, which only accesses and structured ops may")

    def _check_origins(self, op: Operation) -> None:
        arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
        for token in tokens_in((*op.results, *arguments)):
            if not self._slots_of.get(token) and token.uses:
                fail(op, f"'{op.name}' op has a token of unknown origin{_name(token)}")

    def _take_slot(self, op: Operation, name: str) -> None:
        index = len(self.slots)
        token = tokens_in(op.results)[0]
        if index == POOL_SIZE:
            fail(
                op,
                f"'{op.name}' op needs a barrier for its token{_name(token)}, "
                f"but {name} has taken all {POOL_SIZE}",
            )
        producers, announced = 1, False
        if isinstance(op, CreateMemTokenOp):
            producers, announced = op.get_num_producers(), op.num_producers is not None
        self.slots.append(Slot(index, producers, announced))
        self.makers.append(op)
        for result in tokens_in(op.results):
            self._slots_of[result] = {index}

    def _propagate(self, edges: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        changed = True
        while changed:
            changed = False
            for source, target in edges:
                new = self._slots_of.get(source, set())
                old = self._slots_of.setdefault(target, set())
                changed |= not new <= old
                old |= new


def _name(token: SSAValue) -> str:
    return "" if token.name_hint is None else f" '%{token.name_hint}'"


def yielded(region: Region) -> Sequence[SSAValue]:
    """What a region hands to the op it belongs to."""
    block = region.blocks.last
    last = None if block is None else block.last_op
    match last:
        case None:
            return ()
        case scf.ConditionOp():
            return last.args
        case _:
            return last.operands


def _flows(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of tokens, the second of which may stand for all that the first does."""
    for sources, targets in _parallel_values(op):
        for source, target in zip(sources, targets, strict=False):
            if is_token(target.type):
                yield source, target


def _parallel_values(op: Operation) -> Iterator[tuple[Sequence[SSAValue], Sequence[SSAValue]]]:
    match op:
        case JoinMemTokenOp():
            yield op.tokens[-1:], op.results
        case scf.ForOp():
            arguments = _arguments(op.body.block)[1:]
            for sources in (op.iter_args, yielded(op.body)):
                yield sources, arguments
                yield sources, op.results
        case scf.WhileOp():
            for sources in (op.arguments, yielded(op.after_region)):
                yield sources, _arguments(op.before_region.block)
            yield yielded(op.before_region), _arguments(op.after_region.block)
            yield yielded(op.before_region), op.results
        case arith.SelectOp():
            yield [op.lhs], op.results
            yield [op.rhs], op.results
        case _ if is_access(op):
            results = tokens_in(op.results)
            for token in tokens_in(op.operands):
                yield [token] * len(results), results
        case _ if isinstance(op, Branch | Sequel):
            for region in op.regions:
                yield yielded(region), op.results
                if isinstance(op, ResourceOperation | PragmaOp) and region.blocks:
                    yield op.operands, _arguments(region.block)
        case _:
            pass


def _arguments(block: Block) -> Sequence[BlockArgument]:
    return block.args


# Mbarriers in place of tokens: which ops wait for which phase, and which arrive.
#
# A slot is an mbarrier that counts the accesses of its tokens: an access waits, is performed, and
# arrives when it is complete, maybe much later. All arrivals come from this program, so the phase
# of an mbarrier is known at every point of it, but only its parity, and only up to accesses that
# are still in flight. These rules keep that true:
#
# 1. No op arrives on a phase before the previous one is complete: the first arrival on a phase has
#    waited for the one before. So an mbarrier is in the phase of the program or in the one before
#    that, which is what a parity can tell apart, and a wait for the last phase that was fully
#    issued is a wait for all before.
# 2. On every path to a point, the parities and the arrivals in the open phase are the same. The
#    end of a loop body goes back to the state that the body began with, and the arms of a branch
#    end alike, by extra arrivals. These follow rule 1, so they wait first.
# 3. A wait for the phase before the current one is always safe. After an even number of phases
#    that is parity 1, and a fresh mbarrier answers true to parity 1. So a loop need not know
#    whether it is in its first iteration: at the start of its body, every slot used in it counts
#    as issued.
# 4. A token with arrivals in a phase that is still open is completed, by the arrivals that the
#    phase lacks, before an op waits for it. That is the case only if `num_producers` is more than
#    1 and fewer have arrived. The token of `create_mem_token` has nothing before it: an access
#    that takes it leaves the phase open for the other producers.
# 5. A join of a token whose producers are announced by `num_producers`, and none of which has
#    arrived in program order, waits for phase 0: others will arrive. Without announced producers
#    there is nothing to wait for, so such a join arrives itself and then waits.
#
# The memory of a slot is initialised once, before the first op of the function in which its token
# is made, however often that runs: to initialise a barrier that is in use is not allowed.

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
        _insert(cursor, WhileOp([], [], [attempt, again, condition], [end]))


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


OPERAND_SEGMENTS = "operandSegmentSizes"
ALIGNMENT = 8
"""Bytes; hardware asks for it."""


def lower_tokens(module: ModuleOp) -> None:
    """Lowers the tokens of all functions in place; the module is broken if that fails."""
    functions = [op for op in module.walk() if op.regions and op.has_trait(IsolatedFromAbove)]
    for function in functions:
        _check_signature(function)
    for function in functions:
        if any(has_tokens(op) for op in walk_unit(function.regions[0])):
            _lower_function(function)
    _check_none_is_left(module)


def _check_signature(function: Operation) -> None:
    name = _symbol(function)
    label = "" if name is None else f" of @{name}"
    ty = function.properties.get("function_type")
    if isinstance(ty, FunctionType):
        for index, argument in enumerate(ty.inputs):
            if is_token(argument):
                fail(
                    function,
                    f"'{function.name}' op argument {index}{label} is a memory token, "
                    "which a function cannot receive",
                )
        if any(map(is_token, ty.outputs)):
            fail(
                function,
                f"'{function.name}' op result{label} is a memory token, "
                "which a function cannot return",
            )
    if len(function.regions[0].blocks) > 1 and any(
        has_tokens(op) for op in walk_unit(function.regions[0])
    ):
        fail(
            function,
            f"'{function.name}' op{label} has tokens in control flow that is not structured",
        )


def _lower_function(function: Operation) -> None:
    symbol = _symbol(function)
    slots = TokenSlots(function, "the module" if symbol is None else f"@{symbol}")
    removals = [Removal(op) for op in walk_unit(function.regions[0]) if has_tokens(op)]
    handles: dict[Operation, SSAValue] = {}
    if slots.slots:
        pool = _make_pool(function)
        barriers = TokenBarriers(function, slots, pool.sym_name.data)
        barriers.insert()
        _insert_pool(pool, function)
        handles = dict(zip(slots.makers, barriers.handles, strict=True))
    for removal in removals:
        removal.apply(handles)


# The pool


def _make_pool(function: Operation) -> GlobalOp:
    symbol = _symbol(function)
    name = wanted = "mbarriers" if symbol is None else f"mbarriers_{symbol}"
    taken = {_symbol(op) for op in _symbol_table(function).ops}
    suffix = 0
    while name in taken:
        name, suffix = f"{wanted}_{suffix}", suffix + 1
    pool = GlobalOp(POOL_TYPE, name, "internal", addr_space=SHARED_SPACE, alignment=ALIGNMENT)
    pool.location = function.location
    return pool


def _insert_pool(pool: GlobalOp, function: Operation) -> None:
    """Inserts a pool before its function, or first of all if that is the module."""
    table = _symbol_table(function)
    inside = table.find_ancestor_op_in_block(function)
    point = InsertPoint.at_start(table) if inside is None else InsertPoint.before(inside)
    Rewriter.insert_op(pool, point)


def _symbol_table(op: Operation) -> Block:
    """The symbols that an op can refer to."""
    while not op.has_trait(SymbolTable):
        parent = op.parent_op()
        assert parent is not None, "a module is a symbol table"
        op = parent
    return op.regions[0].block


def _symbol(op: Operation) -> str | None:
    name = op.properties.get("sym_name", op.attributes.get("sym_name"))
    return name.data if isinstance(name, StringAttr) else None


# Removal


class Removal:
    """
    Puts handles in the place of the tokens of an op. Which operands are tokens is noted when
    there still are tokens; removals apply in program order, so that the operands of each are
    handles by then.
    """

    def __init__(self, op: Operation):
        self.op = op
        self.operands = [i for i, value in enumerate(op.operands) if is_token(value.type)]
        self.is_access = is_access(op)

    def apply(self, handles: Mapping[Operation, SSAValue]) -> None:
        op = self.op
        handle = handles.get(op)
        if handle is None and self.operands:
            handle = op.operands[self.operands[-1]]
        if isinstance(op, CreateMemTokenOp | JoinMemTokenOp):
            if handle is not None:
                op.result.replace_all_uses_with(handle)
            Rewriter.erase_op(op)
        elif self.is_access:
            self._rebuild(handle)
        else:
            for region in op.regions:
                for block in region.blocks:
                    _retype(block.args)
            _retype(op.results)

    def _rebuild(self, handle: SSAValue | None) -> None:
        """`load %p token(%t0) : … -> i32, mem_token` → `load %p : … -> i32`"""
        op = self.op
        kept = [result for result in op.results if not is_token(result.type)]
        properties = dict(op.properties)
        sizes = properties.get(OPERAND_SEGMENTS)
        if sizes is not None:
            segments = cast("DenseArrayBase[IntegerType]", sizes).get_values()
            properties[OPERAND_SEGMENTS] = self._shrink(segments)
        new = type(op).create(
            operands=[value for i, value in enumerate(op.operands) if i not in self.operands],
            result_types=[result.type for result in kept],
            properties=properties,
            attributes=dict(op.attributes),
            location=op.location,
        )
        Rewriter.insert_op(new, InsertPoint.before(op))
        for old, result in zip(kept, new.results, strict=True):
            old.replace_all_uses_with(result)
        for token in tokens_in(op.results):
            if handle is not None:
                token.replace_all_uses_with(handle)
        Rewriter.erase_op(op)

    def _shrink(self, sizes: Sequence[int]) -> DenseArrayBase:
        """The sizes of operand segments without tokens."""
        left: list[int] = []
        begin = 0
        for size in sizes:
            tokens = sum(begin <= index < begin + size for index in self.operands)
            left.append(size - tokens)
            begin += size
        return DenseArrayBase.from_list(i32, left)


def _retype(values: Sequence[SSAValue]) -> None:
    """Makes numbers of tokens."""
    for value in tuple(values):
        if is_token(value.type):
            new = Rewriter.replace_value_with_new_type(value, i32)
            if isinstance(value, BlockArgument) and isinstance(new, BlockArgument):
                new.location = value.location


def _check_none_is_left(module: ModuleOp) -> None:
    # Few types are used by many ops.
    found: dict[Attribute, bool] = {}

    def has_token(ty: Attribute) -> bool:
        known = found.get(ty)
        if known is None:
            known = found[ty] = _has_token(ty)
        return known

    for op in module.walk():
        values = [*op.operands, *op.results]
        for region in op.regions:
            for block in region.blocks:
                values.extend(block.args)
        if isinstance(op, CreateMemTokenOp | JoinMemTokenOp) or any(
            has_token(value.type) for value in values
        ):
            fail(op, f"'{op.name}' op has memory tokens that could not be lowered")


def _has_token(ty: Attribute) -> bool:
    """Whether a type is, or is made of, memory tokens."""
    if isinstance(ty, ParametrizedAttribute):
        return is_token(ty) or any(map(_has_token, ty.parameters))
    return isinstance(ty, ArrayAttr) and any(map(_has_token, ty))
