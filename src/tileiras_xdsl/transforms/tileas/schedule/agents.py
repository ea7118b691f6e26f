"""
A kernel as two agents: one that loads, one that does all the rest.

Both are written from the same ops. The producer keeps what its loads need; the consumer keeps all
but these loads, and takes tiles from the stages of pipes. Iterators say which stage an agent is
at; every loop and branch with loads in it carries them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.analysis.memory_order import follows_loads
from tileiras_xdsl.analysis.tma_tiles import TmaTile
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp, ToAsyncOp
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    CLUSTER,
    LAYOUT,
    MULTICAST,
    PIPE,
    get_pipeline_id,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    CreateNullTokenOp,
    IncIterOp,
    ProducerAcquireOp,
    ProducerCommitOp,
    ProducerWriteOp,
    YieldOp,
)
from tileiras_xdsl.dialects.nv_tileas.types import CONSUMER_TOKEN
from tileiras_xdsl.xdsl_extras.structure import condition_of, integer_of, last_of
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from ..kernel_model.layout_rules import reshaped
from ..kernel_model.registers import is_staged
from ..kernel_model.slicing import Slice
from ..kernel_model.staged_loads import (
    Use,
    find_uses,
    first_and_last,
    is_mma_operand,
    staged_type,
    staged_types,
)
from ..kernel_model.tma_loads import find_load, is_change
from ..kernel_model.wgmma import is_wgmma, needs_accumulator_promotion
from .clusters import Neighbour

OpT = TypeVar("OpT", bound=Operation)


@dataclass(frozen=True)
class Pipe:
    """A ring of stages, and the groups of loads that fill it, each at a place of its own."""

    value: SSAValue
    groups: Sequence[Sequence[TiledLoadOp]]


class AgentWriter(ABC):
    """Writes the ops of a kernel again, as one agent has them."""

    def __init__(self, pipelines: Sequence[Pipe], iterators: Sequence[SSAValue]):
        self.pipelines = pipelines
        self.iterators = list(iterators)
        self.values: dict[SSAValue, SSAValue] = {}
        self.block = Block()
        self._group_of = {
            load: (number, group)
            for number, pipe in enumerate(pipelines)
            for group in pipe.groups
            for load in group
        }

    def group_of(self, op: Operation) -> tuple[int, Sequence[TiledLoadOp]] | None:
        """The pipe that a load fills, and the loads that do so together."""
        return self._group_of.get(op) if isinstance(op, TiledLoadOp) else None

    def emit(self, op: OpT, source: Operation) -> OpT:
        """Appends an op; it and what was made in its regions get the location of the source."""
        for made in walk(op):
            if isinstance(made.location, UnknownLoc):
                made.location = source.location
        self.block.add_op(op)
        return op

    def get(self, value: SSAValue) -> SSAValue:
        """What a value became; one from outside of all agents is itself."""
        return self.values.get(value, value)

    def write(self, ops: Sequence[Operation]) -> Block:
        """The block of the agent."""
        self.write_ops(ops)
        self.emit(YieldOp(), ops[-1])
        return self.block

    @abstractmethod
    def write_ops(self, ops: Sequence[Operation]) -> None:
        """Writes ops that follow each other in a block, except for its last one."""

    @abstractmethod
    def keeps(self, value: SSAValue) -> bool:
        """Whether a value is needed."""

    def write_op(self, op: Operation) -> None:
        """Writes an op, with its regions."""
        match op:
            case scf.ForOp():
                self._write_for(op)
            case scf.WhileOp():
                self._write_while(op)
            case scf.IfOp():
                self._write_if(op)
            case _:
                clone = op.clone(self.values)
                clone.location = op.location
                self.emit(clone, op)

    def advance(self, number: int, source: Operation) -> None:
        """Goes to the next stage of a pipe."""
        self.iterators[number] = self.emit(IncIterOp(self.iterators[number]), source).result

    # Loops and branches

    def _pipelines_in(self, op: Operation) -> list[int]:
        found = [self.group_of(each) for each in walk(op)]
        return sorted({each[0] for each in found if each is not None})

    def _write_region(
        self,
        source: Block,
        olds: Sequence[SSAValue],
        types: Sequence[Attribute],
        pipelines: list[int],
    ) -> Block:
        """A block with arguments for some of the old ones, and for iterators of some pipes."""
        outer, block = self.block, Block(arg_types=types)
        self.block = block
        for old, new in zip(olds, block.args):
            self.values[old] = new
            new.name_hint = old.name_hint
        for number, argument in zip(pipelines, block.args[len(olds) :]):
            self.iterators[number] = argument
        self.write_ops([op for op in source.ops if op is not source.last_op])
        self.block = outer
        return block

    def _write_for(self, op: scf.ForOp) -> None:
        body, pipelines = op.body.block, self._pipelines_in(op)
        kept = [number for number, arg in enumerate(body.args[1:]) if self.keeps(arg)]
        carried = [self.get(op.iter_args[number]) for number in kept]
        carried += [self.iterators[number] for number in pipelines]
        olds = [body.args[0], *(body.args[number + 1] for number in kept)]
        types = [body.args[0].type, *(value.type for value in carried)]
        block = self._write_region(body, olds, types, pipelines)
        yields = [self.get(last_of(body).operands[number]) for number in kept]
        block.add_op(scf.YieldOp(*yields, *(self.iterators[number] for number in pipelines)))
        bounds = [self.get(bound) for bound in (op.lb, op.ub, op.step)]
        loop = scf.ForOp(bounds[0], bounds[1], bounds[2], carried, Region(block))
        self._finish(op, loop, kept, pipelines)

    def _write_while(self, op: scf.WhileOp) -> None:
        before, after, pipelines = (
            op.before_region.block,
            op.after_region.block,
            self._pipelines_in(op),
        )
        kept = [number for number, arg in enumerate(before.args) if self.keeps(arg)]
        carried = [self.get(op.arguments[number]) for number in kept]
        carried += [self.iterators[number] for number in pipelines]
        types = [value.type for value in carried]
        first = self._write_region(before, [before.args[n] for n in kept], types, pipelines)
        condition = condition_of(op)
        passed = [number for number, arg in enumerate(after.args) if self.keeps(arg)]
        values = [self.get(condition.args[number]) for number in passed]
        values += [self.iterators[number] for number in pipelines]
        first.add_op(scf.ConditionOp(self.get(condition.condition), *values))
        types = [value.type for value in values]
        second = self._write_region(after, [after.args[n] for n in passed], types, pipelines)
        yields = [self.get(last_of(after).operands[number]) for number in kept]
        second.add_op(scf.YieldOp(*yields, *(self.iterators[number] for number in pipelines)))
        loop = scf.WhileOp(carried, types, Region(first), Region(second))
        self._finish(op, loop, passed, pipelines)

    def _write_if(self, op: scf.IfOp) -> None:
        pipelines = self._pipelines_in(op)
        kept = [number for number, result in enumerate(op.results) if self.keeps(result)]
        start = list(self.iterators)
        regions: list[Region] = []
        types = [op.results[number].type for number in kept]
        types += [self.iterators[number].type for number in pipelines]
        for region in op.regions:
            self.iterators = list(start)
            if not region.blocks:
                region_block = Block()
                yields: list[SSAValue] = []
                if not pipelines:
                    regions.append(Region())
                    continue
            else:
                region_block = self._write_region(region.block, [], [], [])
                yields = [self.get(last_of(region.block).operands[number]) for number in kept]
            region_block.add_op(
                scf.YieldOp(*yields, *(self.iterators[number] for number in pipelines))
            )
            regions.append(Region(region_block))
        branch = scf.IfOp(self.get(op.cond), types, regions[0], regions[1])
        self.iterators = start
        self._finish(op, branch, kept, pipelines)

    def _finish(
        self, old: Operation, new: Operation, kept: Sequence[int], pipelines: Sequence[int]
    ) -> None:
        new.attributes.update(old.attributes)
        self.emit(new, old)
        for number, result in zip(kept, new.results):
            self.values[old.results[number]] = result
            result.name_hint = old.results[number].name_hint
        for number, result in zip(pipelines, new.results[len(kept) :]):
            self.iterators[number] = result


class ProducerWriter(AgentWriter):
    """The agent that loads."""

    def __init__(self, pipelines: Sequence[Pipe], iterators: Sequence[SSAValue]):
        super().__init__(pipelines, iterators)
        self._slice = Slice()
        for pipe in pipelines:
            for group in pipe.groups:
                for load in group:
                    self._slice.add(load)
        self._shared: dict[Operation, SSAValue] = {}
        """Whether blocks of a cluster load the same tile."""

    def keeps(self, value: SSAValue) -> bool:
        return value in self._slice.values

    def write_ops(self, ops: Sequence[Operation]) -> None:
        for op in ops:
            found = self.group_of(op)
            if found is not None:
                number, group = found
                if op is group[-1]:
                    self._fill(number, group)
            elif op in self._slice.ops:
                self._compare(op)
                self.write_op(op)

    def _compare(self, op: Operation) -> None:
        """Before an inner loop, finds out which of its loads the blocks of a cluster share."""
        loop = op.parent_op()
        if not op.regions or not isinstance(loop, scf.ForOp) or not CLUSTER.is_on(loop):
            return
        neighbour = Neighbour(loop, self.get)
        for load in find_all(op, TiledLoadOp):
            if self.group_of(load) is not None:
                same = neighbour.shares(load)
                if same is not None:
                    self._shared[load] = same
        for each in neighbour.ops:
            self.emit(each, op)

    def _fill(self, number: int, group: Sequence[TiledLoadOp]) -> None:
        """Loads all tiles of a stage."""
        pipe, source = self.pipelines[number].value, group[-1]
        token = self.emit(ProducerAcquireOp(pipe, self.iterators[number]), source).result
        shared = [load for load in group if load in self._shared]
        token = self._write(pipe, token, group, shared)
        self.emit(ProducerCommitOp(pipe, token), source)
        self.advance(number, source)

    def _write(
        self,
        pipe: SSAValue,
        token: SSAValue,
        group: Sequence[TiledLoadOp],
        candidates: Sequence[TiledLoadOp],
    ) -> SSAValue:
        """Loads all tiles, one of some together with other blocks if these need it, too."""
        if not candidates:
            return self._write_tiles(pipe, token, group, None)
        blocks: list[Block] = []
        for shared in (candidates[0], None):
            outer, self.block = self.block, Block()
            if shared is not None:
                result = self._write_tiles(pipe, token, group, shared)
            else:
                result = self._write(pipe, token, group, candidates[1:])
            self.block.add_op(scf.YieldOp(result))
            blocks.append(self.block)
            self.block = outer
        branch = scf.IfOp(
            self._shared[candidates[0]], [token.type], Region(blocks[0]), Region(blocks[1])
        )
        return self.emit(branch, group[-1]).results[0]

    def _write_tiles(
        self,
        pipe: SSAValue,
        token: SSAValue,
        group: Sequence[TiledLoadOp],
        shared: TiledLoadOp | None,
    ) -> SSAValue:
        """Loads all tiles, one of them together with other blocks."""
        source = group[-1]
        block = Block()
        tiles: list[SSAValue] = []
        for load in group:
            copy = TiledLoadOp.create(
                operands=[self.get(operand) for operand in load.operands],
                result_types=[staged_type(load)],
                properties={**load.properties, "atom": AtomAttr("tma_load")},
                attributes={
                    name: value
                    for name, value in load.attributes.items()
                    if name not in (LAYOUT.name, PIPE.name)
                },
            )
            copy.location = load.location
            if load is shared:
                MULTICAST.set(copy, UnitAttr())
            block.add_op(copy)
            tiles.append(copy.result)
        block.add_op(YieldOp(*tiles))
        return self.emit(ProducerWriteOp(pipe, token, Region(block)), source).result


@dataclass
class Pending:
    """A product that goes on, and the stages that it reads last."""

    dot: DotOp
    future: SSAValue
    releases: list[tuple[SSAValue, SSAValue]]
    """Pipes and tokens."""


@dataclass
class Carry:
    """A product that a loop carries into its next iteration."""

    dot: DotOp
    results: Sequence[SSAValue] = ()
    """What is carried: the product, and the stages that it reads."""
    pipelines: Sequence[SSAValue] = ()
    """The pipes of these stages."""


def find_carried_wgmma(loop: scf.ForOp) -> DotOp | None:
    """
    The product of a loop that only adds tiles from shared memory to a sum, so that the next one may
    begin before it is done.
    """
    body = loop.body.block
    products = find_all(loop, DotOp)
    if len(products) != 1 or (dot := products[0]).parent_block() is not body:
        return None
    if not is_wgmma(dot) or not is_always_added(dot):
        return None
    if needs_accumulator_promotion(dot):
        # Threads add what tensor cores have summed up.
        return None
    if not all(is_staged(value) and is_last_use(dot, value) for value in (dot.a, dot.b)):
        return None
    argument = dot.accumulator
    uses = [*argument.uses, *dot.result.uses]
    if argument.owner is not body or len(uses) != 2:
        return None
    (use,) = dot.result.uses
    is_carried = use.operation is body.last_op and body.args[use.index + 1] is argument
    return dot if is_carried else None


def is_last_use(dot: DotOp, value: SSAValue) -> bool:
    """Whether nothing in the block of a product uses the tile of a factor after it."""
    load = find_load(value)
    assert load is not None
    return load.parent_block() is not dot.parent_block() or first_and_last(load)[1] is dot


def before_writes(ops: Sequence[Operation], load: Operation, first: Operation) -> Operation:
    """
    Where a tile has to be there: at its first use, but before anything between the load and that
    use which loads have to be done before, such as what may change the memory that is loaded.
    """
    start, end = ops.index(load), ops.index(first)
    return next(filter(follows_loads, ops[start:end]), first)


def is_always_added(dot: DotOp) -> bool:
    """Whether the accumulator of a product is known to count."""
    return dot.accumulate is None or integer_of(dot.accumulate) not in (None, 0)


class ConsumerWriter(AgentWriter):
    """
    The agent that does all but load. Products go on until their result is needed; a stage is
    given back when the last product that reads it is done.
    """

    def __init__(self, pipelines: Sequence[Pipe], iterators: Sequence[SSAValue]):
        super().__init__(pipelines, iterators)
        self._pending: list[Pending] = []
        self._carry: Carry | None = None
        self._operands: dict[tuple[Operation, int], SSAValue] = {}
        self._tokens: dict[tuple[Operation, int], SSAValue] = {}
        """What gives back the stages of factors in shared memory."""

    def keeps(self, value: SSAValue) -> bool:
        return True

    def write_ops(self, ops: Sequence[Operation]) -> None:
        outer, self._pending = self._pending, []
        firsts: dict[Operation, list[tuple[int, Sequence[TiledLoadOp]]]] = {}
        lasts: dict[Operation, list[tuple[SSAValue, SSAValue]]] = {}
        ends: dict[Operation, list[tuple[int, Sequence[TiledLoadOp]]]] = {}
        for op in ops:
            found = self.group_of(op)
            if found is not None and op is found[1][0]:
                first, last = first_and_last(found[1][0])
                firsts.setdefault(before_writes(ops, op, first), []).append(found)
                ends.setdefault(last, []).append(found)
        rewritten = self._registers_of_dots(ops)
        for op in ops:
            if self.group_of(op) is not None or self._is_staged_shape(op):
                continue
            for number, group in firsts.get(op, ()):
                token = self._take(number, group, op)
                for last, groups in ends.items():
                    if (number, group) in groups:
                        lasts.setdefault(last, []).append((self.pipelines[number].value, token))
            self._settle(op, rewritten)
            if isinstance(op, DotOp) and is_wgmma(op):
                self._begin(op, lasts.get(op, []))
                continue
            self.write_op(op)
            self._give_back(lasts.get(op, []), op)
        while self._pending:
            self._wait(self._pending[0])
        self._pending = outer

    def _is_staged_shape(self, op: Operation) -> bool:
        """
        Whether an op changes the shape of a tile that lies in shared memory only, or was written
        where that tile was taken.
        """
        if not is_change(op):
            return False
        if op.operands[0] in self.values:
            return op.results[0] in self.values
        owner = op.operands[0].owner
        while isinstance(owner, Operation) and is_change(owner):
            owner = owner.operands[0].owner
        return isinstance(owner, TiledLoadOp) and get_pipeline_id(owner) is not None

    # Stages

    def _take(self, number: int, group: Sequence[TiledLoadOp], source: Operation) -> SSAValue:
        """Waits for a stage, and gives its tiles to all that use them."""
        pipe = self.pipelines[number].value
        token = self.emit(ConsumerWaitOp(pipe, self.iterators[number]), source).result
        types = staged_types(group)
        block = Block(arg_types=types)
        block.add_op(YieldOp(*block.args))
        read = self.emit(ConsumerReadOp(pipe, token, types, Region(block)), source)
        self.advance(number, source)
        for load, tile in zip(group, read.values, strict=True):
            box = TmaTile.of(load.view_type)
            assert box is not None
            others: list[Use] = []
            for use in find_uses(load.result):
                if is_mma_operand(use, box):
                    self._operands[use.op, use.number] = self._reshape(tile, use.chain)
                    self._tokens[use.op, use.number] = read.result_token
                else:
                    others.append(use)
            if others:
                copy = self.emit(CopyOp(tile, result_type=load.result.type), load)
                self.values[load.result] = copy.result
                self._write_changes(load.result, load.parent_block())
        return read.result_token

    def _write_changes(self, value: SSAValue, block: Block | None) -> None:
        """Changes of shape of a tile in registers; they may stand before the tile was taken."""
        for use in list(value.uses):
            op = use.operation
            if is_change(op) and op.parent_block() is block:
                self.write_op(op)
                self._write_changes(op.results[0], block)

    def _reshape(self, value: SSAValue, chain: Sequence[Operation]) -> SSAValue:
        """A tile in shared memory in another shape."""
        for op in chain:
            value = self.emit(reshaped(op, value), op).results[0]
        return value

    def _release(self, stages: Sequence[tuple[SSAValue, SSAValue]], source: Operation) -> None:
        for pipe, token in stages:
            self.emit(ConsumerReleaseOp(pipe, token), source)

    def _give_back(self, stages: Sequence[tuple[SSAValue, SSAValue]], source: Operation) -> None:
        """Releases stages; those that products still read, when the last of these is done."""
        for pipe, token in stages:
            readers = [
                each
                for each in self._pending
                if token in (self._tokens.get((each.dot, number)) for number in range(2))
            ]
            if readers:
                readers[-1].releases.append((pipe, token))
            else:
                self._release([(pipe, token)], source)

    # Products

    def _begin(self, op: DotOp, releases: list[tuple[SSAValue, SSAValue]]) -> None:
        """A product that goes on."""
        operands = [
            self._operands.get((op, number)) or self.get(value)
            for number, value in enumerate(op.operands)
        ]
        carry = self._carry
        dot = AsyncDotOp(
            operands[0],
            operands[1],
            operands[2],
            operands[3] if op.accumulate is not None else None,
            properties={
                name: value
                for name, value in op.properties.items()
                if name != "operandSegmentSizes"
            },
        )
        dot.attributes.update(op.attributes)
        self.emit(dot, op)
        if carry is None or carry.dot is not op:
            self._pending.append(Pending(op, dot.result, releases))
            return
        # The product of the iteration before is done, and with it its stages are free.
        self.emit(AsyncFutureWaitOp(operands[2]), op)
        tokens = self.block.args[len(self.block.args) - len(releases) :]
        self._release([(pipe, old) for (pipe, _), old in zip(releases, tokens)], op)
        carry.results = [dot.result, *(token for _, token in releases)]
        carry.pipelines = [pipe for pipe, _ in releases]

    def _count_released_by(self, dot: DotOp) -> int:
        """How many stages a product is the last to read."""
        block = dot.parent_block()
        groups = [group for pipe in self.pipelines for group in pipe.groups]
        return sum(
            group[0].parent_block() is block and first_and_last(group[0])[1] is dot
            for group in groups
        )

    def _write_for(self, op: scf.ForOp) -> None:
        """A loop whose product goes on while the next iteration begins, if it can."""
        dot = find_carried_wgmma(op)
        if dot is None:
            super()._write_for(op)
            return
        body, pipelines = op.body.block, self._pipelines_in(op)
        number = next(n for n, arg in enumerate(body.args[1:]) if arg is dot.accumulator)
        released = self._count_released_by(dot)
        carried = [self.get(value) for value in op.iter_args]
        carried[number] = self.emit(ToAsyncOp(carried[number]), op).result
        carried += [self.iterators[each] for each in pipelines]
        carried += [
            self.emit(CreateNullTokenOp(CONSUMER_TOKEN), op).result for _ in range(released)
        ]
        types = [body.args[0].type, *(value.type for value in carried)]
        outer = self._carry
        carry = self._carry = Carry(dot)
        block = self._write_region(body, body.args, types, pipelines)
        self._carry = outer
        yields = [self.get(value) for value in last_of(body).operands]
        yields[number], *tokens = carry.results
        yields += [self.iterators[each] for each in pipelines]
        block.add_op(scf.YieldOp(*yields, *tokens))
        bounds = [self.get(bound) for bound in (op.lb, op.ub, op.step)]
        loop = scf.ForOp(bounds[0], bounds[1], bounds[2], carried, Region(block))
        self._finish(op, loop, range(len(op.iter_args)), pipelines)
        done = self.emit(AsyncFutureWaitOp(loop.results[number]), op).result
        done.name_hint = op.results[number].name_hint
        self.values[op.results[number]] = done
        last = loop.results[len(loop.results) - released :]
        self._release(list(zip(carry.pipelines, last, strict=True)), op)

    def _settle(self, op: Operation, rewritten: dict[Operation, set[DotOp]]) -> None:
        """
        Waits for the products that an op needs, or whose registers it writes. Reductions wait for
        all: while threads of one warpgroup are at it, the tensor cores are better left to those of
        the other (467 instead of 443 TFLOP/s, `attention_d64`; both 695, `attention_d128`).
        """
        used = {operand for each in walk(op) for operand in each.operands}
        needed = [
            each
            for each in self._pending
            if op.regions or each.dot.result in used or each.dot in rewritten.get(op, ())
        ]
        if needed:
            last = self._pending.index(needed[-1])
            for each in self._pending[: last + 1]:
                self._wait(each)

    def _wait(self, pending: Pending) -> None:
        result = self.emit(AsyncFutureWaitOp(pending.future), pending.dot).result
        result.name_hint = pending.dot.result.name_hint
        self.values[pending.dot.result] = result
        self._release(pending.releases, pending.dot)
        self._pending.remove(pending)

    @staticmethod
    def _registers_of_dots(ops: Sequence[Operation]) -> dict[Operation, set[DotOp]]:
        """
        For ops whose results a loop carries into the registers that a product reads: these
        products, which have to be done before.
        """
        if not ops or not isinstance(loop := ops[0].parent_op(), scf.ForOp):
            return {}
        body = loop.body.block
        found: dict[Operation, set[DotOp]] = {}
        for argument, value in zip(body.args[1:], last_of(body).operands, strict=True):
            for use in find_uses(argument):
                dot = use.op
                if (
                    isinstance(dot, DotOp)
                    and use.number == 0
                    and isinstance(value.owner, Operation)
                ):
                    found.setdefault(value.owner, set()).add(dot)
        return found
