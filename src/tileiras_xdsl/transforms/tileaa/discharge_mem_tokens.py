"""
Enforces the memory order of tokens by CTA barriers where it is needed, and removes the tokens.

Before:  %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
         %t1 = nv_tileaa.tiled_store %x, %v[%i] token(%t0) : … -> !nv_tileaa.mem_token
         %y, %t2 = nv_tileaa.tiled_load %v[%j] token(%t1) : … -> tensor<8xf32>, !nv_tileaa.mem_token
After:   nv_tileaa.tiled_store %x, %v[%i] : …
         "gpu.barrier"() : () -> ()
         %y = nv_tileaa.tiled_load %v[%j] : … -> tensor<8xf32>

The threads of a CTA execute each access together, each of them some elements; which ones is not
decided yet. Effects of one thread are in program order, effects of different threads only across a
barrier. So a barrier is needed between two effects if a token orders them, on any path, loops
included, and `analysis/memory_order.py` says that they must not be reordered:

- they may alias (`analysis/alias.py`) and one of them writes, or both are strong reads (read-read
  coherence), or
- the later one releases, or the earlier one acquires, whatever they access: the thread that
  synchronizes with other CTAs does so for all threads, or
- one of them is `gdc_wait_tko` or `gdc_launch_dependents_tko`, or
- both print.

None is needed between weak reads, or where no token orders, or if both are stores, atomics or
strong loads of rank 0, which one thread executes. `memory_fence_alias_tko` is a barrier itself, and
has to be lowered to one.

Barriers are placed as late as possible: before the access that needs one, or before the whole loop
around it if only effects before the loop are to blame. So straight-line code gets the minimal
number of barriers. All control flow is uniform here, so barriers may be in branches and loops.

Weak loads are marked with what tokens knew about them, which program order does not tell. One that
depends on no effect of its loop, in this or an earlier iteration, is `nv_tileaa.hoistable`:
software pipelining may move it across the loop's stores and barriers. One that depends on no effect
of the kernel is `nv_tileaa.independent`, on waits for other grids only
`nv_tileaa.after_grid_wait`, and a load of a scalar, or of a tile that addresses are computed of,
whose memory no later effect changes `nv_tileaa.invariant` (see `analysis/memory_order.py`).

Then the tokens are dropped from accesses, loops and branches. Tokens that reach `queue`, `execute`,
`plugin` or `pragma` ops, which not all threads of the CTA execute, are left for
`convert-tileaa-to-tileas`, and so are all tokens of a function with unstructured control flow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import chain, compress, filterfalse, product
from typing import TypeGuard, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp, UnitAttr, i32
from xdsl.dialects.gpu import BarrierOp as AnyBarrierOp
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.analysis.alias import Aliases, AliasSets, crossed_by
from tileiras_xdsl.analysis.axis_info_analysis import memref_of
from tileiras_xdsl.analysis.memory_order import (
    AFTER_GRID_WAIT,
    HOISTABLE,
    INDEPENDENT,
    INVARIANT,
    AddressValues,
    Ordering,
    ordering,
)
from tileiras_xdsl.analysis.slices import passed_values, reaching
from tileiras_xdsl.dialects.gpu import BarrierOp
from tileiras_xdsl.dialects.memory_order import Effect, is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileaa import memory
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import WARPGROUP_ORDER
from tileiras_xdsl.dialects.nv_tileaa.memory import CreateMemTokenOp, JoinMemTokenOp, is_token
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.xdsl_extras.walking import find_around, walk

OPERAND_SEGMENTS = "operandSegmentSizes"

TokenMakers = CreateMemTokenOp | JoinMemTokenOp | arith.SelectOp | PoisonOp
"""Ops without any effect that yield a token."""

Structured = scf.ForOp | scf.WhileOp | scf.IfOp | scf.IndexSwitchOp | scf.ExecuteRegionOp
"""Ops that forward tokens, and that all threads of a CTA execute."""

Effects = memory.OrderedAccess | memory.TokenOperation | memory.PrintOp
"""What tokens order."""

Loop = scf.ForOp | scf.WhileOp
"""Ops whose regions are executed repeatedly."""

RELAXED_UPDATE = Effect.READ | Effect.WRITE | Effect.ATOMIC
"""What an atomic does that neither acquires nor releases."""

MAX_ROUNDS = 8
"""Iterations of the fixpoint of a loop's pending effects; after that all of them are pending."""


@dataclass(frozen=True)
class DischargeMemTokensPass(ModulePass):
    """
    Inserts CTA barriers where tokens order conflicting accesses of different threads, marks loads
    that may be moved, and removes the tokens.
    """

    name = "discharge-mem-tokens"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(_functions(op.body)):
            if len(function.regions[0].blocks) != 1:
                continue
            order = TokenOrder(function)
            if not order.tokens:
                continue
            if any(order.before.values()):
                _insert_barriers(order)
            else:
                _mark_unordered(order)
            _remove_tokens(order)


def _functions(region: Region) -> Iterator[Operation]:
    """The functions in a module and the modules in it."""
    for block in region.blocks:
        for op in block.ops:
            if op.name.endswith(".func"):
                yield op
            else:
                for inner in op.regions:
                    yield from _functions(inner)


def _mark_unordered(order: TokenOrder) -> None:
    """Marks the loads of a function whose tokens order no effect behind another one."""
    addresses = AddressValues(order.function)
    for op in filter(is_plain_load, order.effects):
        if find_around(op, scf.ForOp, scf.WhileOp) is not None:
            HOISTABLE.set(op, UnitAttr())
        INDEPENDENT.set(op, UnitAttr())
        if op.results[0] in addresses:
            INVARIANT.set(op, UnitAttr())


def _insert_barriers(order: TokenOrder) -> None:
    """Marks loads, and inserts barriers where they are needed."""
    barriers = Barriers(order, Aliases(order.function))
    for mark, loads in (
        (HOISTABLE, barriers.hoistable()),
        (INDEPENDENT, barriers.independent()),
        (AFTER_GRID_WAIT, barriers.after_grid_wait()),
        (INVARIANT, barriers.invariant()),
    ):
        for op in loads:
            mark.set(op, UnitAttr())
    needed = barriers.needed()
    own = barriers.warpgroup_order(needed)
    for op in needed:
        barrier = BarrierOp()
        barrier.location = op.location
        if op in own.barriers:
            WARPGROUP_ORDER.set(barrier, UnitAttr())
        Rewriter.insert_op(barrier, InsertPoint.before(op))
    for op in own.stores:
        WARPGROUP_ORDER.set(op, UnitAttr())


# The order


def _walk(region: Region) -> Iterator[Operation]:
    """
    The ops of a region that have tokens or regions, in program order, without those of
    functions in it.
    """
    for block in region.blocks:
        for op in block.ops:
            if op.regions:
                yield op
                if not op.has_trait(IsolatedFromAbove):
                    for inner in op.regions:
                        yield from _walk(inner)
            elif _tokens(op.results) or _tokens(op.operands):
                yield op


def _tokens(values: Iterable[SSAValue]) -> list[SSAValue]:
    return [value for value in values if is_token(value.type)]


class TokenOrder:
    """
    The tokens of a function that can be discharged, and the transitive order of effects.
    A set of effects is an integer with a bit for each, in program order.

    Tokens that flow into each other are discharged together, or kept together (union-find).
    """

    def __init__(self, function: Operation):
        self.function = function
        self.ops = list(_walk(function.regions[0]))
        self._leader: dict[SSAValue, SSAValue] = {}
        edges = [*chain.from_iterable(map(_flows, self.ops))]
        self.tokens = {
            token for op in self.ops for token in _tokens((*op.results, *_arguments(op)))
        }
        """Those that are to be discharged."""
        foreign = [*chain.from_iterable(map(_inside, filterfalse(_is_understood, self.ops)))]
        if foreign:
            for source, target in edges:
                self._unite(source, target)
            kept = {self._find(token) for token in foreign}
            self.tokens = {token for token in self.tokens if self._find(token) not in kept}
        self.effects: list[Operation] = [
            op
            for op in self.ops
            if isinstance(op, Effects) and not self.tokens.isdisjoint((*op.operands, *op.results))
        ]
        self.bit = {op: 1 << number for number, op in enumerate(self.effects)}
        """For each effect, the set with it alone."""
        before = reaching(
            edges, {token: self.bit[op] for op in self.effects for token in _tokens(op.results)}
        )
        self.before = {op: _union(before, op.operands) for op in self.effects}
        """For each effect, those that some token orders before it, maybe in other iterations."""
        self._edges = edges

    @cached_property
    def after(self) -> dict[Operation, int]:
        """For each effect, those that some token orders after it, maybe in other iterations."""
        users: dict[SSAValue, int] = {}
        for op in self.effects:
            for token in _tokens(op.operands):
                users[token] = users.get(token, 0) | self.bit[op]
        behind = reaching([(target, source) for source, target in self._edges], users)
        return {op: _union(behind, op.results) for op in self.effects}

    def _find(self, token: SSAValue) -> SSAValue:
        while (leader := self._leader.get(token, token)) is not token:
            # Path halving.
            self._leader[token] = token = self._leader.get(leader, leader)
        return token

    def _unite(self, first: SSAValue, second: SSAValue) -> None:
        one, other = self._find(first), self._find(second)
        if one is not other:
            self._leader[one] = other


def _union(sets: Mapping[SSAValue, int], values: Iterable[SSAValue]) -> int:
    """The effects that are in the set of one of some values."""
    found = 0
    for value in values:
        found |= sets.get(value, 0)
    return found


def _is_understood(op: Operation) -> bool:
    """Whether the token semantics of an op are known."""
    if isinstance(op, Effects | TokenMakers | Structured | scf.YieldOp | scf.ConditionOp):
        return all(len(region.blocks) <= 1 for region in op.regions)
    return not op.regions and not _tokens((*op.operands, *op.results))


def _inside(op: Operation) -> Iterator[SSAValue]:
    """The tokens of an op and of all ops in it."""
    for inner in walk(op):
        yield from _tokens((*inner.operands, *inner.results))
        yield from _tokens(_arguments(inner))


def _arguments(op: Operation) -> Iterator[SSAValue]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _flows(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Edges of the token graph: the second token is ordered after the first."""
    passed = [*passed_values(op)]
    for sources, targets in passed:
        for source, target in zip(sources, targets, strict=False):
            if is_token(source.type) and is_token(target.type):
                yield source, target
    if not passed:
        yield from product(_tokens(op.operands), _tokens(op.results))


# Barriers


class Barriers:
    """
    Where barriers are needed: a forward dataflow analysis of pending effects, those with no barrier
    after them on some path.

    A loop is summarized once, as if no effect preceded it. Effects pending before it are then
    compared with those of its effects that a barrier-free path from the loop's entry reaches; if
    they conflict, there is a barrier before the loop.
    """

    def __init__(self, order: TokenOrder, aliases: Aliases):
        self._order = order
        self._conflicts = Conflicts(order, aliases)
        self._found: list[Operation] = []
        self._own = 0
        """Stores and atomics that may follow themselves without a barrier."""
        self._warpgroup_ordered: dict[Operation, None] = {}
        """Those that do."""
        self._loops_around: dict[Operation, tuple[Operation, ...]] = {}
        """For each op that an effect is in, the loops around the effect, innermost first."""
        self._inside: dict[Operation, int] = {}
        """For each loop, its effects."""
        for op in order.effects:
            for loop in self._loops(op):
                self._inside[loop] = self._inside.get(loop, 0) | order.bit[op]

    def needed(self) -> list[Operation]:
        """The ops that need a barrier before them."""
        self._found.clear()
        walk = Walk()
        self._visit_block(self._order.function.regions[0].block, PendingEffects(), walk)
        return [*self._found, *walk.barriers]

    def warpgroup_order(self, needed: Sequence[Operation]) -> WarpgroupOrder:
        """
        What is ordered behind itself only, given the ops that need a barrier before them. Without
        the barriers that are there for such stores, no other may be needed instead.
        """
        for op in self._order.effects:
            if is_stored_tile_by_tile(op):
                self._own |= self._order.bit[op]
        if not self._own:
            return WarpgroupOrder()
        self._warpgroup_ordered.clear()
        others = set(self.needed())
        self._own = 0
        barriers = {op for op in needed if op not in others}
        if not barriers or not others <= set(needed):
            return WarpgroupOrder()
        return WarpgroupOrder(barriers, [*filter(is_stored_tile_by_tile, self._warpgroup_ordered)])

    def hoistable(self) -> Iterator[Operation]:
        """The loads that depend on no effect of the innermost loop around them."""
        for op in self._order.effects:
            loops = self._loops(op)
            if loops and is_plain_load(op) and not self._waits_in_loop(op, loops[0]):
                yield op

    def independent(self) -> Iterator[Operation]:
        """The loads that depend on no effect of the kernel."""
        for op in self._order.effects:
            if is_plain_load(op) and not self._waits(op):
                yield op

    def _loops(self, op: Operation) -> tuple[Operation, ...]:
        """The loops around an op, innermost first."""
        around = op.parent_op()
        if around is None:
            return ()
        if around not in self._loops_around:
            outer = self._loops(around)
            self._loops_around[around] = (around, *outer) if isinstance(around, Loop) else outer
        return self._loops_around[around]

    def after_grid_wait(self) -> Iterator[Operation]:
        """The loads that depend on waits for other grids only."""
        waits = self._conflicts.having(Effect.GRID_WAIT)
        for op in self._order.effects if waits else ():
            if is_plain_load(op) and self._order.before[op] & waits:
                if not self._waits(op, ~waits):
                    yield op

    def invariant(self) -> Iterator[Operation]:
        """
        The loads of scalars, and of tiles that addresses are computed of, whose memory no effect
        ordered after them changes, or lets other CTAs change.
        """
        writers = self._conflicts.having(Effect.WRITE)
        releases = self._conflicts.having(Effect.RELEASE)
        addresses = AddressValues(self._order.function)
        for op in self._order.effects:
            if is_plain_load(op) and op.results[0] in addresses:
                behind = writers & self._order.after[op]
                if not releases & self._order.after[op] and not any(
                    self._conflicts.may_touch(self._within(behind, loop), op, loop)
                    for loop in (None, *self._loops(op))
                ):
                    yield op

    def _within(self, effects: int, loop: Operation | None) -> int:
        """Those of some effects that are in a loop, if one is given."""
        return effects if loop is None else effects & self._inside[loop]

    def _waits(self, load: Operation, others: int = -1) -> bool:
        """Whether a load depends on one of some effects."""
        others &= ~self._order.bit[load]
        return self._conflicts.has_any(self._preceding(others, load), load, None) or any(
            self._conflicts.has_any(self._within(others, loop), load, loop)
            for loop in self._loops(load)
        )

    def _waits_in_loop(self, load: Operation, loop: Operation) -> bool:
        others = self._inside[loop] & ~self._order.bit[load]
        return self._conflicts.has_any(
            self._preceding(others, load), load, None
        ) or self._conflicts.has_any(others, load, loop)

    def _preceding(self, effects: int, op: Operation) -> int:
        """Those of some effects that come before an op if no back edge lies between them."""
        return effects & (self._order.bit[op] - 1)

    def _visit_region(self, region: Region, state: PendingEffects, walk: Walk) -> PendingEffects:
        return self._visit_block(region.block, state, walk) if region.blocks else state

    def _visit_block(self, block: Block, state: PendingEffects, walk: Walk) -> PendingEffects:
        bits = self._order.bit
        for op in block.ops:
            if op in bits:
                state = self._visit_effect(op, state, walk)
            elif not op.regions:
                if isinstance(op, AnyBarrierOp):
                    state = BARRIER
            elif isinstance(op, Loop):
                state = self._visit_loop(op, state, walk)
            elif isinstance(op, Structured):
                results = [self._visit_region(region, state, walk) for region in op.regions]
                state = reduce(PendingEffects.join, results)
        return state

    def _visit_effect(self, op: Operation, state: PendingEffects, walk: Walk) -> PendingEffects:
        if self._is_met(op, state, walk.loop):
            walk.barriers.append(op)
            state = BARRIER
        elif state.is_reached:
            walk.first.append(op)
            walk.before_first |= self._order.before[op]
        if isinstance(op, memory.MemoryFenceAliasOp):
            return BARRIER
        return PendingEffects(state.here | self._order.bit[op], state.earlier, state.is_reached)

    def _is_met(self, op: Operation, state: PendingEffects, loop: Operation | None) -> bool:
        """Whether an effect conflicts with a pending one."""
        own = self._own & self._order.bit[op]
        if self._conflicts.has_any(state.here & ~own, op, None) or (
            self._conflicts.has_any(state.earlier & ~own, op, loop)
        ):
            return True
        if self._conflicts.has_any(state.pending & own, op, loop):
            self._warpgroup_ordered[op] = None
        return False

    def _visit_loop(self, op: Loop, state: PendingEffects, walk: Walk) -> PendingEffects:
        if op not in walk.loops:
            walk.loops[op] = self._summarize(op)
        inside = walk.loops[op]
        if inside.walk.before_first & state.pending and any(
            self._is_met(first, state, walk.loop) for first in inside.walk.all_first()
        ):
            walk.barriers.append(op)
            state = BARRIER
        elif state.is_reached:
            walk.first.append(inside.walk)
            walk.before_first |= inside.walk.before_first
        if not inside.is_passed:
            state = BARRIER
        return PendingEffects(state.here | inside.after, state.earlier, state.is_reached)

    def _summarize(self, op: Loop) -> Summary:
        """Finds the barriers in a loop, and its summary for the code around it."""
        earlier, following = 0, 0
        loops: dict[Operation, Summary] = {}
        walk, after = Walk(op, loops), PendingEffects()
        for number in range(MAX_ROUNDS + 2):
            earlier = following if number <= MAX_ROUNDS else self._inside[op]
            walk = Walk(op, loops)
            if isinstance(op, scf.ForOp):
                end = self._visit_region(op.body, PendingEffects(0, earlier), walk)
                after = PendingEffects().join(end)
            else:
                after = self._visit_region(op.before_region, PendingEffects(0, earlier), walk)
                end = self._visit_region(op.after_region, after, walk)
            following = earlier | end.pending
            if following == earlier:
                break
        self._found += walk.barriers
        return Summary(walk, after.pending, after.is_reached)


@dataclass(frozen=True)
class WarpgroupOrder:
    """
    What is there because stores and atomics are ordered behind themselves, in earlier iterations.
    """

    barriers: Collection[Operation] = ()
    """The ops that need a barrier before them for that alone."""
    stores: Sequence[TiledStoreOp | TiledAtomicRMWOp] = ()
    """Stores and atomics."""


def is_stored_tile_by_tile(op: Operation) -> TypeGuard[TiledStoreOp | TiledAtomicRMWOp]:
    """
    Whether a weak store writes one tile of a partition of a tensor, or a relaxed atomic updates
    one, so that two tiles of it are the same or have no element in common. The tensor is the same
    in all iterations.
    """
    if not isinstance(op, TiledStoreOp | TiledAtomicRMWOp):
        return False
    if own_effects(op) not in (Effect.WRITE, RELAXED_UPDATE):
        return False
    made, make = op.view.owner, memref_of(op.view)
    if not isinstance(made, BlockTileOp) or make is None:
        return False
    ty = op.view_type
    if ty.get_sparse_dim() is not None or not isinstance(make.parent_op(), FuncOp):
        return False
    sizes = zip(ty.get_steps(), ty.get_tile_shape(), strict=True)
    return all(step > 0 and step % size == 0 for step, size in sizes)


@dataclass(frozen=True)
class PendingEffects:
    """The dataflow state at a point of the innermost loop around it, or of the function."""

    here: int = 0
    """Pending effects of this iteration."""
    earlier: int = 0
    """Pending effects of earlier iterations."""
    is_reached: bool = True
    """Whether a barrier-free path leads here from the loop's entry."""

    @property
    def pending(self) -> int:
        return self.here | self.earlier

    def join(self, other: PendingEffects) -> PendingEffects:
        """The join of the states of two paths."""
        return PendingEffects(
            self.here | other.here,
            self.earlier | other.earlier,
            self.is_reached or other.is_reached,
        )


BARRIER = PendingEffects(is_reached=False)
"""The state after a barrier."""


@dataclass
class Walk:
    """The results of one walk through the body of a loop, or of the function."""

    loop: Operation | None = None
    loops: dict[Operation, Summary] = field(default_factory=dict[Operation, "Summary"])
    """The loops directly inside; the same for all walks through one loop."""
    barriers: list[Operation] = field(default_factory=list[Operation])
    """The ops that need a barrier before them, without those of loops inside."""
    first: list[Operation | Walk] = field(default_factory=list["Operation | Walk"])
    """The effects, and loops inside, that a barrier-free path from the entry reaches."""
    before_first: int = 0
    """The effects that any of those is ordered after."""

    def all_first(self) -> Iterator[Operation]:
        """The effects that a barrier-free path from the entry reaches, nested loops included."""
        pending = list(self.first)
        while pending:
            found = pending.pop()
            if isinstance(found, Walk):
                pending += found.first
            else:
                yield found


@dataclass(frozen=True)
class Summary:
    """The summary of a loop for the code around it."""

    walk: Walk
    """The last walk through it."""
    after: int
    """Its effects that are pending after it."""
    is_passed: bool
    """Whether a barrier-free path leads through it."""


class Conflicts:
    """Conflicts between effects, for sets of effects."""

    def __init__(self, order: TokenOrder, aliases: Aliases):
        self._order = order
        self._aliases = aliases
        self._sets = AliasSets(aliases, order.effects)
        self._kinds = {op: OrderedEffect.of(op) for op in order.effects}
        self._of_kind: dict[OrderedEffect, int] = {}
        for op, kind in self._kinds.items():
            self._of_kind[kind] = self._of_kind.get(kind, 0) | order.bit[op]
        self._rules: dict[OrderedEffect, tuple[int, int]] = {}

    def having(self, effects: Effect) -> int:
        """The ops with some effects."""
        found = 0
        for kind, members in self._of_kind.items():
            if kind.effects & effects:
                found |= members
        return found

    def has_any(self, among: int, second: Operation, loop: Operation | None) -> bool:
        """
        Whether an effect conflicts with one of some earlier effects, if `loop` is the outermost
        loop around both whose back edge lies between them.
        """
        among &= self._order.before[second]
        if not among:
            return False
        always, if_aliased = self._rules_for(self._kinds[second])
        return bool(among & always) or self.may_touch(among & if_aliased, second, loop)

    def may_touch(self, among: int, op: Operation, loop: Operation | None) -> bool:
        """Whether one of some accesses may alias another one, likewise."""
        if not among:
            return False
        among = self._sets.candidates(op, among, loop)
        while among:
            number = among.bit_length() - 1
            if self._aliases.may_alias(self._order.effects[number], op, crossed_by(loop)):
                return True
            among ^= 1 << number
        return False

    def _rules_for(self, later: OrderedEffect) -> tuple[int, int]:
        """The effects that conflict with one of a kind always, and those that do if they alias."""
        if later not in self._rules:
            always, if_aliased = 0, 0
            for earlier, members in self._of_kind.items():
                match needs_cta_barrier(earlier, later):
                    case Ordering.ALWAYS:
                        always |= members
                    case Ordering.SAME_MEMORY:
                        if_aliased |= members
                    case Ordering.FREE:
                        pass
            self._rules[later] = (always, if_aliased)
        return self._rules[later]


def needs_cta_barrier(earlier: OrderedEffect, later: OrderedEffect) -> Ordering:
    """When two effects that a token orders need a CTA barrier in between."""
    if earlier.is_single and later.is_single:
        return Ordering.FREE
    if later.effects & Effect.FENCE:
        # It is a barrier itself.
        return Ordering.FREE
    return ordering(earlier.effects, later.effects)


@dataclass(frozen=True)
class OrderedEffect:
    """The effects of an op that tokens order, regardless of the location."""

    effects: Effect
    is_single: bool
    """Whether one thread executes it, the same thread for all such effects."""

    @staticmethod
    def of(op: Operation) -> OrderedEffect:
        effects = own_effects(op)
        match op:
            case memory.StoreOp() | memory.AtomicRMWOp() | memory.AtomicCASOp():
                is_single = not get_shape(op.pointer.type)
            case memory.LoadOp():
                # A weak load of a scalar is executed by all threads.
                is_single = bool(effects & Effect.ATOMIC) and not get_shape(op.pointer.type)
            case _:
                is_single = False
        return OrderedEffect(effects, is_single)


# Removal


def _remove_tokens(order: TokenOrder) -> None:
    """Drops tokens as operands first, so that nothing uses those that are results then."""
    gone = order.tokens
    for op in order.ops:
        if not gone.isdisjoint(op.operands):
            _drop_operands(op, gone)
    for op in order.ops:
        for region in op.regions:
            for block in region.blocks:
                for argument in tuple(block.args):
                    if argument in gone:
                        block.erase_arg(argument)
        if not gone.isdisjoint(op.results):
            _drop_results(op, gone)


def _drop_operands(op: Operation, gone: set[SSAValue]) -> None:
    kept = [value not in gone for value in op.operands]
    sizes = op.properties.get(OPERAND_SEGMENTS)
    if sizes is not None:
        left: list[int] = []
        begin = 0
        for size in cast("DenseArrayBase[IntegerType]", sizes).get_values():
            left.append(sum(kept[begin : begin + size]))
            begin += size
        op.properties[OPERAND_SEGMENTS] = DenseArrayBase.from_list(i32, left)
    op.operands = [*compress(op.operands, kept)]


def _drop_results(op: Operation, gone: set[SSAValue]) -> None:
    """Replaces an op by one without tokens, or removes it if it made nothing else."""
    if isinstance(op, TokenMakers):
        Rewriter.erase_op(op)
        return
    kept = [result for result in op.results if result not in gone]
    new = type(op).create(
        operands=op.operands,
        result_types=[result.type for result in kept],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=[*map(op.detach_region, tuple(op.regions))],
        location=op.location,
    )
    Rewriter.insert_op(new, InsertPoint.before(op))
    for old, result in zip(kept, new.results, strict=True):
        old.replace_all_uses_with(result)
    Rewriter.erase_op(op)
