"""
Takes memory tokens out of a program by enforcing what they promise, where that is cheap.

Before:  %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
         %t1 = nv_tileaa.tiled_store %x, %v[%i] token(%t0) : … -> !nv_tileaa.mem_token
         %y, %t2 = nv_tileaa.tiled_load %v[%j] token(%t1) : … -> tensor<8xf32>, !nv_tileaa.mem_token
After:   nv_tileaa.tiled_store %x, %v[%i] : …
         "gpu.barrier"() : () -> ()
         %y = nv_tileaa.tiled_load %v[%j] : … -> tensor<8xf32>

The threads of a block execute each access together, each of them some elements, and which is not
known here. What one thread does is in order; what different threads do is in order only across a
barrier. So a barrier is needed between two accesses if a token orders them, on any path, loops
included, and

- they may touch the same bytes (`analysis/alias.py`) and one of them writes, or
- the later one releases, or the earlier one acquires, whatever they touch: the thread that
  synchronises with other blocks does so for all threads, or
- one of them is `gdc_wait_tko` or `gdc_launch_dependents_tko`, or
- both print.

Nothing is needed between reads, or where no token orders, or if both accesses are stores or
atomics of rank 0, which are executed by one thread. `memory_fence_alias_tko` is a barrier, and
has to be lowered to one.

A barrier stands as late as it can: before the access that needs it, but before the whole loop if
that access needs it only because of what comes before the loop. There it serves all the pairs it
separates, so a straight line of code gets the least number. All control flow is uniform here,
so barriers may stand in branches and loops.

A weak load in a loop that nothing in the loop has to be done before, in this or an earlier
iteration, is marked `nv_tileaa.hoistable`: without tokens nobody could tell any more that it may be
moved across the stores and barriers of the loop, to be pipelined. One that nothing of the kernel
has to be done before is marked `nv_tileaa.independent` (see `analysis/memory_order.py`).

Then the tokens are dropped from accesses, loops and branches. Tokens that reach `queue`, `execute`,
`plugin` or `pragma` ops, where not all threads of the block come along, are left for
`convert-tileaa-to-tileas`, and so are all tokens of a function with unstructured control flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp, UnitAttr, i32
from xdsl.dialects.gpu import BarrierOp as AnyBarrierOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.analysis.alias import Aliases
from tileiras_xdsl.analysis.memory_order import HOISTABLE, INDEPENDENT
from tileiras_xdsl.dialects.gpu import BarrierOp
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa import memory, views
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.tokens import CreateMemTokenOp, JoinMemTokenOp, is_token

OPERAND_SEGMENTS = "operandSegmentSizes"

TokenMakers = CreateMemTokenOp | JoinMemTokenOp | arith.SelectOp | PoisonOp
"""Ops without any effect that yield a token."""

Structured = scf.ForOp | scf.WhileOp | scf.IfOp | scf.IndexSwitchOp | scf.ExecuteRegionOp
"""Ops that pass tokens on, and that all threads of a block go through together."""

Effects = memory.OrderedAccess | memory.TokenOperation | memory.PrintOp
"""What tokens order."""

Loops = frozenset[Operation]
"""The loops whose back edges were taken since an effect."""

Pending = frozenset[tuple[Operation, Loops]]
"""The effects with no barrier after them on some path to a point."""


@dataclass(frozen=True)
class DischargeMemTokensPass(ModulePass):
    """
    Puts barriers where tokens order accesses of different threads that conflict, and removes the
    tokens. See the module's docstring.
    """

    name = "discharge-mem-tokens"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(_functions(op.body)):
            if len(function.regions[0].blocks) == 1:
                _discharge(function)


def _functions(region: Region) -> Iterator[Operation]:
    """The functions in a module and the modules in it."""
    for block in region.blocks:
        for op in block.ops:
            if op.name.endswith(".func"):
                yield op
            else:
                for inner in op.regions:
                    yield from _functions(inner)


def _discharge(function: Operation) -> None:
    order = TokenOrder(function)
    if not order.tokens:
        return
    barriers = Barriers(order, Aliases(function))
    for op in barriers.hoistable():
        op.attributes[HOISTABLE] = UnitAttr()
    for op in barriers.independent():
        op.attributes[INDEPENDENT] = UnitAttr()
    for op in barriers.needed():
        barrier = BarrierOp()
        barrier.location = op.location
        Rewriter.insert_op(barrier, InsertPoint.before(op))
    _remove_tokens(order)


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
    The tokens of a function that can be discharged, and which effects come before each.

    Tokens that flow into each other are discharged together, or left together.
    """

    def __init__(self, function: Operation):
        self.function = function
        self.ops = list(_walk(function.regions[0]))
        self._leader: dict[SSAValue, SSAValue] = {}
        edges = [edge for op in self.ops for edge in _flows(op)]
        for source, target in edges:
            self._unite(source, target)
        foreign = [token for op in self.ops if not _is_understood(op) for token in _inside(op)]
        kept = {self._find(token) for token in foreign}
        everything = {
            token: None
            for op in self.ops
            for token in (*_tokens(op.results), *_tokens(_arguments(op)))
        }
        self.tokens = {token for token in everything if self._find(token) not in kept}
        """Those that are to be discharged."""
        self.effects: list[Operation] = [
            op for op in self.ops if isinstance(op, Effects) and self.has_discharged(op)
        ]
        self._bit = {op: 1 << number for number, op in enumerate(self.effects)}
        self._before: dict[SSAValue, int] = {}
        for op in self.effects:
            for token in _tokens(op.results):
                self._before[token] = self._bit[op]
        self._propagate(edges)

    def has_discharged(self, op: Operation) -> bool:
        """Whether an op has tokens, and these are to be discharged."""
        return any(token in self.tokens for token in (*op.operands, *op.results))

    def comes_before(self, first: Operation, second: Operation) -> bool:
        """Whether some token orders two effects, maybe of different iterations."""
        bits = 0
        for token in _tokens(second.operands):
            bits |= self._before.get(token, 0)
        return bool(bits & self._bit.get(first, 0))

    def _find(self, token: SSAValue) -> SSAValue:
        while (leader := self._leader.get(token, token)) is not token:
            token = leader
        return token

    def _unite(self, first: SSAValue, second: SSAValue) -> None:
        one, other = self._find(first), self._find(second)
        if one is not other:
            self._leader[one] = other

    def _propagate(self, edges: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        changed = True
        while changed:
            changed = False
            for source, target in edges:
                old = self._before.get(target, 0)
                new = old | self._before.get(source, 0)
                if new != old:
                    self._before[target] = new
                    changed = True


def _is_understood(op: Operation) -> bool:
    """Whether an op does with tokens what is known here."""
    if isinstance(op, Effects | TokenMakers | Structured | scf.YieldOp | scf.ConditionOp):
        return all(len(region.blocks) <= 1 for region in op.regions)
    return not op.regions and not _tokens((*op.operands, *op.results))


def _inside(op: Operation) -> Iterator[SSAValue]:
    """The tokens of an op and of all ops in it."""
    for inner in op.walk():
        yield from _tokens((*inner.operands, *inner.results))
        yield from _tokens(_arguments(inner))


def _arguments(op: Operation) -> Iterator[SSAValue]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _terminator(block: Block) -> Operation:
    assert block.last_op is not None
    return block.last_op


def _flows(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of tokens, the second of which comes after all that the first does."""
    for sources, targets in _parallel_values(op):
        for source, target in zip(sources, targets, strict=False):
            if is_token(source.type) and is_token(target.type):
                yield source, target


def _parallel_values(op: Operation) -> Iterator[tuple[Sequence[SSAValue], Sequence[SSAValue]]]:
    match op:
        case scf.ForOp():
            arguments = op.body.block.args[1:]
            for sources in (op.iter_args, _terminator(op.body.block).operands):
                yield sources, arguments
                yield sources, op.results
        case scf.WhileOp():
            before, after = op.before_region.block, op.after_region.block
            for sources in (op.arguments, _terminator(after).operands):
                yield sources, before.args
            passed = _terminator(before).operands[1:]
            yield passed, after.args
            yield passed, op.results
        case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
            for region in op.regions:
                for block in region.blocks:
                    yield _terminator(block).operands, op.results
        case _:
            for token in _tokens(op.operands):
                results = _tokens(op.results)
                yield [token] * len(results), results


# Barriers


class Barriers:
    """Where barriers are needed: a walk that knows which effects are pending at each point."""

    def __init__(self, order: TokenOrder, aliases: Aliases):
        self._order = order
        self._aliases = aliases
        self._effects = {op: Effect.of(op) for op in order.effects}
        self._conflicts: dict[tuple[Operation, Operation, Loops], bool] = {}

    def needed(self) -> list[Operation]:
        """The ops that need a barrier before them, in program order."""
        found: dict[Operation, None] = {}
        self._visit_block(self._order.function.regions[0].block, frozenset(), found)
        return list(found)

    def hoistable(self) -> Iterator[Operation]:
        """The loads that no effect of the innermost loop around them has to be done before."""
        for op in self._order.effects:
            loops = _loops_around(op)
            if loops and is_plain_load(op) and not self._waits_in_loop(op, loops[0]):
                yield op

    def independent(self) -> Iterator[Operation]:
        """The loads that no effect of the kernel has to be done before."""
        for op in self._order.effects:
            if is_plain_load(op) and not self._waits(op):
                yield op

    def _waits(self, load: Operation) -> bool:
        if any(self._waits_in_loop(load, loop) for loop in _loops_around(load)):
            return True
        for effect in self._order.effects:
            if effect is load:
                continue
            if self._effects[effect].is_barrier and self._order.comes_before(effect, load):
                return True
            around = frozenset(_loops_around(effect))
            if self._conflict(effect, load, frozenset()) or self._conflict(effect, load, around):
                return True
        return False

    def _waits_in_loop(self, load: Operation, loop: Operation) -> bool:
        for effect in self._order.effects:
            if effect is load or not loop.is_ancestor(effect):
                continue
            if self._effects[effect].is_barrier and self._order.comes_before(effect, load):
                return True
            # Of loops around the effect only, any may have gone on to another iteration.
            around = _loops_around(effect)
            inner = frozenset(around[: around.index(loop)])
            if any(
                self._conflict(effect, load, crossed)
                for crossed in (frozenset[Operation](), inner, inner | {loop}, frozenset({loop}))
            ):
                return True
        return False

    def _visit_region(
        self, region: Region, pending: Pending, found: dict[Operation, None]
    ) -> Pending:
        return self._visit_block(region.block, pending, found) if region.blocks else pending

    def _visit_block(self, block: Block, pending: Pending, found: dict[Operation, None]) -> Pending:
        for op in block.ops:
            if op in self._effects:
                if any(self._conflict(old, op, loops) for old, loops in pending):
                    found[op] = None
                    pending = frozenset()
                if isinstance(op, memory.MemoryFenceAliasOp):
                    pending = frozenset()
                else:
                    pending |= {(op, frozenset[Operation]())}
            elif not op.regions:
                if isinstance(op, AnyBarrierOp):
                    pending = frozenset()
            elif isinstance(op, scf.ForOp | scf.WhileOp):
                pending = self._visit_loop(op, pending, found)
            elif isinstance(op, Structured):
                results = [self._visit_region(region, pending, found) for region in op.regions]
                pending = frozenset[tuple[Operation, Loops]]().union(*results)
        return pending

    def _visit_loop(
        self, op: scf.ForOp | scf.WhileOp, pending: Pending, found: dict[Operation, None]
    ) -> Pending:
        alone, after_alone = self._find_in_loop(op, frozenset())
        if not pending:
            found.update(alone)
            return after_alone
        inside, after = self._find_in_loop(op, pending)
        if inside.keys() != alone.keys():
            found[op] = None
            inside, after = alone, after_alone
        found.update(inside)
        return after

    def _find_in_loop(
        self, op: scf.ForOp | scf.WhileOp, pending: Pending
    ) -> tuple[dict[Operation, None], Pending]:
        """The barriers in a loop, given what is pending before, and what is pending after it."""
        at_head = pending
        while True:
            found: dict[Operation, None] = {}
            if isinstance(op, scf.ForOp):
                at_end = self._visit_region(op.body, at_head, found)
                after = pending | at_end
            else:
                after = self._visit_region(op.before_region, at_head, found)
                at_end = self._visit_region(op.after_region, after, found)
            following = at_head | {(effect, loops | {op}) for effect, loops in at_end}
            if following == at_head:
                return found, after
            at_head = following

    def _conflict(self, first: Operation, second: Operation, crossed: Loops) -> bool:
        key = (first, second, crossed)
        if key not in self._conflicts:
            self._conflicts[key] = self._order.comes_before(
                first, second
            ) and self._must_be_ordered(first, second, crossed)
        return self._conflicts[key]

    def _must_be_ordered(self, first: Operation, second: Operation, crossed: Loops) -> bool:
        earlier, later = self._effects[first], self._effects[second]
        if earlier.is_single and later.is_single:
            return False
        if later.is_barrier:
            return False
        if earlier.is_print or later.is_print:
            return earlier.is_print and later.is_print
        if earlier.acquires or later.releases or earlier.orders_all or later.orders_all:
            return True
        if not (earlier.writes or later.writes):
            return False
        return self._aliases.may_alias(first, second, crossed)


def _loops_around(op: Operation) -> list[Operation]:
    """The loops around an op, innermost first."""
    found: list[Operation] = []
    around = op.parent_op()
    while around is not None:
        if isinstance(around, scf.ForOp | scf.WhileOp):
            found.append(around)
        around = around.parent_op()
    return found


@dataclass(frozen=True)
class Effect:
    """What an op does that tokens order."""

    writes: bool = False
    acquires: bool = False
    releases: bool = False
    is_single: bool = False
    """Whether one thread executes it, the same for all such effects."""
    is_barrier: bool = False
    is_print: bool = False
    orders_all: bool = False
    """Whether it has a place among effects that have nothing to do with memory it touches."""

    @staticmethod
    def of(op: Operation) -> Effect:
        match op:
            case memory.MemoryFenceAliasOp():
                return Effect(is_barrier=True)
            case memory.TokenOperation():
                return Effect(orders_all=True)
            case memory.PrintOp():
                return Effect(is_print=True)
            case _:
                pass
        assert isinstance(op, memory.OrderedAccess)
        reads_only = isinstance(op, memory.LoadOp | views.TileLoad)
        semantic = op.get_semantic()
        is_scalar = isinstance(
            op, memory.StoreOp | memory.AtomicRMWOp | memory.AtomicCASOp
        ) and not get_shape(op.pointer.type)
        return Effect(
            writes=not reads_only,
            acquires=semantic in ("acquire", "acq_rel", "seq_cst"),
            releases=semantic in ("release", "acq_rel", "seq_cst"),
            is_single=is_scalar,
        )


# Removal


def _remove_tokens(order: TokenOrder) -> None:
    """Drops tokens as operands first, so that nothing uses those that are results then."""
    gone = order.tokens
    for op in order.ops:
        if any(value in gone for value in op.operands):
            _drop_operands(op, gone)
    for op in order.ops:
        for region in op.regions:
            for block in region.blocks:
                for argument in tuple(block.args):
                    if argument in gone:
                        block.erase_arg(argument)
        if any(result in gone for result in op.results):
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
    op.operands = [value for value, keep in zip(op.operands, kept, strict=True) if keep]


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
        regions=[op.detach_region(region) for region in tuple(op.regions)],
        location=op.location,
    )
    Rewriter.insert_op(new, InsertPoint.before(op))
    for old, result in zip(kept, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    Rewriter.erase_op(op)
