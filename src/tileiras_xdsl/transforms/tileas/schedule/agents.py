"""
Warp specialization: a kernel as two agents, a producer that loads and a consumer that computes.

Both are cloned from the same ops. The producer keeps the loads and their backward slice; the
consumer keeps all but these loads, and reads tiles from buffer stages. Every loop and branch with
loads in it carries the pipeline iterators of its agent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    IntegerAttr,
    UnitAttr,
    UnknownLoc,
    i32,
)
from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.analysis.memory_order import may_move_above
from tileiras_xdsl.dialects.nv_tileas.atoms import (
    CopiedLoad,
    StagedLoad,
    is_copied,
    is_tcgen05,
)
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    CLUSTER,
    HALVED,
    LAYOUT,
    LOAD_GROUP,
    MULTICAST,
    PIPE,
)
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    IncIterOp,
    PipelineYieldOp,
    ProducerAcquireOp,
    ProducerCommitOp,
    ProducerWriteOp,
)
from tileiras_xdsl.dialects.nv_tileas.types import AtomAttr
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.targets.warpgroups import MIN_STAGES
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    is_tensor,
    set_anchor_layout,
)
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import (
    LoadGroup,
    find_wait_point,
    live_range,
    stage_order,
    staged_type,
)
from tileiras_xdsl.xdsl_extras.walking import condition_of, find_all, last_of, walk

from ..kernel_model.copied_loads import copying_layout, is_by_tma
from ..kernel_model.slicing import Slice
from .producer_tiles import PeerCta, ProducerTiles

OpT = TypeVar("OpT", bound=Operation)


@dataclass(frozen=True)
class ScheduledPipeline:
    """
    A pipeline, and the load groups that fill its stages, each in a different block unless they are
    successive ones.
    """

    value: SSAValue
    stages: int
    load_groups: Sequence[LoadGroup]
    alternative: int | None = None
    """The pipeline that has the same memory, and is filled in the other region of a branch."""


class LoopBounds(NamedTuple):
    """From where to where a loop counts, in which steps."""

    lower: SSAValue
    upper: SSAValue
    step: SSAValue


class AgentBuilder(ABC):
    """Clones the ops of a kernel into the region of one agent."""

    def __init__(self, pipelines: Sequence[ScheduledPipeline], iterators: Sequence[SSAValue]):
        self.pipelines = pipelines
        self.iterators = list(iterators)
        self.values: dict[SSAValue, SSAValue] = {}
        self.block = Block()
        self.load_groups: dict[Operation, tuple[int, LoadGroup]] = {
            load: (index, load_group)
            for index, pipeline in enumerate(pipelines)
            for load_group in pipeline.load_groups
            for load in load_group
        }
        """The pipeline that a load fills, and the loads that fill a stage together with it."""

    def emit(self, op: OpT, source: Operation) -> OpT:
        """Appends an op; it and the ops of its regions get the location of the source."""
        for made in walk(op):
            if isinstance(made.location, UnknownLoc):
                made.location = source.location
        self.block.add_op(op)
        return op

    def get(self, value: SSAValue) -> SSAValue:
        """The clone of a value; one from outside of all agents is itself."""
        return self.values.get(value, value)

    def build(self, ops: Sequence[Operation]) -> Block:
        """The block of the agent."""
        self.emit_ops(ops)
        self.emit(PipelineYieldOp(), ops[-1])
        return self.block

    def wait_until_empty(self, index: int, source: Operation) -> None:
        """The producer of a pipeline waits until all its stages are empty."""
        pipeline = self.pipelines[index]
        first, end, step = (
            self.emit(arith.ConstantOp(IntegerAttr(number, i32)), source).result
            for number in (0, pipeline.stages, 1)
        )
        iterator = self.iterators[index]
        outer, self.block = self.block, Block(arg_types=[i32, iterator.type])
        self.iterators[index] = self.block.args[1]
        self.emit(ProducerAcquireOp(pipeline.value, self.iterators[index]), source)
        self.advance(index, source)
        self.emit(scf.YieldOp(self.iterators[index]), source)
        body, self.block = self.block, outer
        loop = self.emit(scf.ForOp(first, end, step, [iterator], body), source)
        self.iterators[index] = loop.results[0]

    @abstractmethod
    def emit_ops(self, ops: Sequence[Operation]) -> None:
        """Emits consecutive ops of a block, except for its terminator."""

    @abstractmethod
    def keeps(self, value: SSAValue) -> bool:
        """Whether the agent needs a value."""

    def emit_op(self, op: Operation) -> None:
        """Emits an op, with its regions."""
        match op:
            case scf.ForOp():
                self._emit_for(op)
            case scf.WhileOp():
                self._emit_while(op)
            case scf.IfOp():
                self._emit_if(op)
            case _:
                clone = op.clone(self.values)
                clone.location = op.location
                self.emit(clone, op)

    def advance(self, index: int, source: Operation) -> None:
        """Advances an iterator to the next stage of its pipeline."""
        self.iterators[index] = self.emit(IncIterOp(self.iterators[index]), source).result

    # Loops and branches

    def reads(self, index: int) -> bool:
        """Whether the agent takes part in a pipeline of loads."""
        return True

    def advanced_at(self, op: Operation) -> Iterator[int]:
        """The pipelines whose iterators an op advances, without ops in it."""
        found = self.load_groups.get(op)
        if found is not None and self.reads(found[0]):
            yield found[0]

    def _pipelines_in(self, op: Operation) -> list[int]:
        return sorted({*chain.from_iterable(map(self.advanced_at, walk(op)[1:]))})

    def _iterators_of(self, pipelines: Sequence[int]) -> list[SSAValue]:
        return [self.iterators[index] for index in pipelines]

    def _emit_region(
        self,
        source: Block,
        olds: Sequence[SSAValue],
        passed: Sequence[SSAValue],
        pipelines: list[int],
    ) -> Block:
        """
        A block with arguments for some of the old ones, and for some pipeline iterators, given what
        is passed to it.
        """
        outer, block = self.block, Block(arg_types=[value.type for value in passed])
        self.block = block
        for old, new in zip(olds, block.args):
            self.values[old] = new
            new.name_hint = old.name_hint
        for index, argument in zip(pipelines, block.args[len(olds) :]):
            self.iterators[index] = argument
        self.emit_ops([*source.ops][:-1])
        self.block = outer
        return block

    def _emit_for(self, op: scf.ForOp) -> None:
        bounds = LoopBounds(*map(self.get, (op.lb, op.ub, op.step)))
        self._emit_loop(op, bounds, [*map(self.get, op.iter_args)])

    def _emit_loop(self, op: scf.ForOp, bounds: LoopBounds, inits: Sequence[SSAValue]) -> None:
        """Emits a loop with other bounds and initial values of what it carries."""
        body, pipelines = op.body.block, self._pipelines_in(op)
        kept = [index for index, arg in enumerate(body.args[1:]) if self.keeps(arg)]
        carried = [*(inits[index] for index in kept), *self._iterators_of(pipelines)]
        olds = [body.args[0], *(body.args[index + 1] for index in kept)]
        block = self._emit_region(body, olds, [body.args[0], *carried], pipelines)
        yields = [self.get(last_of(body).operands[index]) for index in kept]
        block.add_op(scf.YieldOp(*yields, *self._iterators_of(pipelines)))
        loop = scf.ForOp(bounds.lower, bounds.upper, bounds.step, carried, Region(block))
        self._replace(op, loop, kept, pipelines)

    def _emit_while(self, op: scf.WhileOp) -> None:
        before, after, pipelines = (
            op.before_region.block,
            op.after_region.block,
            self._pipelines_in(op),
        )
        kept = [index for index, arg in enumerate(before.args) if self.keeps(arg)]
        carried = [self.get(op.arguments[index]) for index in kept]
        carried += self._iterators_of(pipelines)
        first = self._emit_region(before, [before.args[n] for n in kept], carried, pipelines)
        condition = condition_of(op)
        passed = [index for index, arg in enumerate(after.args) if self.keeps(arg)]
        values = [self.get(condition.args[index]) for index in passed]
        values += self._iterators_of(pipelines)
        first.add_op(scf.ConditionOp(self.get(condition.condition), *values))
        types = [value.type for value in values]
        second = self._emit_region(after, [after.args[n] for n in passed], values, pipelines)
        yields = [self.get(last_of(after).operands[index]) for index in kept]
        second.add_op(scf.YieldOp(*yields, *self._iterators_of(pipelines)))
        loop = WhileOp(carried, types, Region(first), Region(second))
        self._replace(op, loop, passed, pipelines)

    def _emit_if(self, op: scf.IfOp) -> None:
        pipelines = self._pipelines_in(op)
        kept = [index for index, result in enumerate(op.results) if self.keeps(result)]
        start = list(self.iterators)
        regions: list[Region] = []
        types = [op.results[index].type for index in kept]
        types += [each.type for each in self._iterators_of(pipelines)]
        outside = dict(self.values)
        for region in op.regions:
            self.iterators = list(start)
            # What one region has in the place of a value is not there in the other one.
            self.values = dict(outside)
            if not region.blocks:
                region_block = Block()
                yields: list[SSAValue] = []
                if not pipelines:
                    regions.append(Region())
                    continue
            else:
                region_block = self._emit_region(region.block, [], [], [])
                yields = [self.get(last_of(region.block).operands[index]) for index in kept]
            region_block.add_op(scf.YieldOp(*yields, *self._iterators_of(pipelines)))
            regions.append(Region(region_block))
        self.values = outside
        branch = scf.IfOp(self.get(op.cond), types, regions[0], regions[1])
        self.iterators = start
        self._replace(op, branch, kept, pipelines)

    def _replace(
        self, old: Operation, new: Operation, kept: Sequence[int], pipelines: Sequence[int]
    ) -> None:
        new.attributes.update(old.attributes)
        self.emit(new, old)
        for index, result in zip(kept, new.results):
            self.values[old.results[index]] = result
            result.name_hint = old.results[index].name_hint
        for index, result in zip(pipelines, new.results[len(kept) :]):
            self.iterators[index] = result


class ProducerBuilder(AgentBuilder):
    """The agent of the producer warps, which loads."""

    def __init__(self, pipelines: Sequence[ScheduledPipeline], iterators: Sequence[SSAValue]):
        super().__init__(pipelines, iterators)
        self._slice = Slice(tiles=True)
        self._tiles = ProducerTiles()
        for load in self.load_groups:
            self._slice.add(load)
            if is_copied(load):
                self._tiles.add(load)
        self.is_shared: dict[Operation, SSAValue] = {}
        """For loads, whether both CTAs of the cluster load the same tile, as an i1."""

    def build(self, ops: Sequence[Operation]) -> Block:
        self.emit_ops(ops)
        halves = any(map(HALVED.is_on, self.load_groups))
        has_commits = halves and any(is_tcgen05(each) for op in ops for each in walk(op))
        if self.is_shared or has_commits:
            self._drain(ops[-1])
        self.emit(PipelineYieldOp(), ops[-1])
        return self.block

    def keeps(self, value: SSAValue) -> bool:
        return value in self._slice.values

    def _drain(self, source: Operation) -> None:
        """
        Waits until all stages are empty, as the next acquires of them would (`producer_tail` of
        CUTLASS): a stage that was filled n times has been released n times by the consumers of
        both CTAs then, or by MMAs by `tcgen05`, which say by themselves when they have read it.
        So none of them arrives on an empty barrier of a CTA that has ended, and what this CTA has
        multicast has come, for the peer has read it. Stages that were never filled are empty.
        """
        for index in range(len(self.pipelines)):
            self.wait_until_empty(index, source)

    def emit_ops(self, ops: Sequence[Operation]) -> None:
        for index in self._find_reused(ops):
            # Consumers may still read it.
            self._wait_for_last_stage(index, ops[0])
        successive = self._find_successive(ops)
        for op in self._advance_loads(ops):
            for index, loads in successive.get(op, ()):
                self._fill_stage(index, loads)
            found = self.load_groups.get(op)
            if found is not None:
                index, loads = found
                if op is loads[-1] and not LOAD_GROUP.is_on(op):
                    self._fill_stage(index, loads)
            elif op in self._slice.ops:
                self._compare_with_peer(op)
                if not self._tiles.emit(op, self.get, self.block.add_op):
                    self.emit_op(op)

    def _find_successive(
        self, ops: Sequence[Operation]
    ) -> dict[Operation, list[tuple[int, LoadGroup]]]:
        """
        By op, the successive load groups that are waited for there:
        stages are filled in the order in which they are read, whatever the order of loads is, or
        the producer would wait for a stage that is not read before what it has yet to load.
        """
        found: dict[Operation, list[tuple[int, LoadGroup]]] = {}
        for op in filter(LOAD_GROUP.is_on, ops):
            group = self.load_groups.get(op)
            if group is not None and op is group[1][0]:
                wait = find_wait_point(ops, op, live_range(group[1])[0])
                found.setdefault(wait, []).append(group)
        return found

    def _wait_for_last_stage(self, index: int, source: Operation) -> None:
        """
        Waits until the stage that was filled last is empty: consumers release stages in the order
        in which they were filled, so all are.
        """
        iterator = self.iterators[index]
        for _ in range(self.pipelines[index].stages - 1):
            self.advance(index, source)
        self.emit(ProducerAcquireOp(self.pipelines[index].value, self.iterators[index]), source)
        self.iterators[index] = iterator

    def _find_reused(self, ops: Sequence[Operation]) -> list[int]:
        """The pipelines whose memory is filled by others in a region of a branch."""
        if not ops or not isinstance(ops[0].parent_op(), scf.IfOp):
            return []
        used = sorted(
            {index for op in ops for each in walk(op) for index in self.advanced_at(each)}
        )
        others = [self.pipelines[index].alternative for index in used]
        return [index for index in others if index is not None and index not in used]

    def _advance_loads(self, ops: Sequence[Operation]) -> list[Operation]:
        """
        The ops of a block, with loads that can run ahead before those that cannot, for their
        pipeline has one stage: the producer waits there until consumers are done with it.
        """
        order = list(ops)
        for op in ops:
            found = self.load_groups.get(op)
            if found is None or len(found[1]) > 1 or self.pipelines[found[0]].stages < MIN_STAGES:
                continue
            if LOAD_GROUP.is_on(op):
                continue
            blocking = [
                each
                for each in order[: order.index(op)]
                if (other := self.load_groups.get(each)) is not None
                and self.pipelines[other[0]].stages < MIN_STAGES
            ]
            if not blocking:
                continue
            between = order[order.index(blocking[0]) : order.index(op)]
            if all(self._may_fill_before(op, found[0], each) for each in between):
                order.remove(op)
                order.insert(order.index(blocking[0]), op)
        return order

    def _may_fill_before(self, load: Operation, index: int, earlier: Operation) -> bool:
        """
        Whether a load of a pipeline may come before another op: one that it does not need, that is
        no wait for other grids, and fills no stages of the same pipeline.
        """
        if any(value.owner is earlier for value in load.operands):
            return False
        others = (self.load_groups.get(each) for each in walk(earlier))
        return may_move_above(load, earlier) and all(
            other is None or other[0] != index for other in others
        )

    def _compare_with_peer(self, op: Operation) -> None:
        """Before an inner loop, computes which of its tiles the peer CTA loads as well."""
        loop = op.parent_op()
        if not op.regions or not isinstance(loop, scf.ForOp) or not CLUSTER.is_on(loop):
            return
        peer = PeerCta(loop, self.get)
        for load in find_all(op, TiledLoadOp):
            if self.load_groups.get(load) is not None:
                same = peer.shares(load)
                if same is not None:
                    self.is_shared[load] = same
        for each in peer.ops:
            self.emit(each, op)

    def _fill_stage(self, index: int, loads: LoadGroup) -> None:
        """Acquires a buffer stage, fills it, and commits it."""
        pipeline, source = self.pipelines[index].value, loads[-1]
        token = self.emit(ProducerAcquireOp(pipeline, self.iterators[index]), source).result
        candidates = [load for load in loads if load in self.is_shared]
        token = self._load_or_multicast(pipeline, token, loads, candidates)
        self.emit(ProducerCommitOp(pipeline, token), source)
        self.advance(index, source)

    def _load_or_multicast(
        self,
        pipeline: SSAValue,
        token: SSAValue,
        loads: LoadGroup,
        candidates: Sequence[StagedLoad],
    ) -> SSAValue:
        """Loads all tiles of a stage; the first candidate that CTAs share is multicast."""
        if not candidates:
            return self._load_tiles(pipeline, token, loads, None)
        blocks: list[Block] = []
        for shared in (candidates[0], None):
            outer, self.block = self.block, Block()
            if shared is not None:
                result = self._load_tiles(pipeline, token, loads, shared)
            else:
                result = self._load_or_multicast(pipeline, token, loads, candidates[1:])
            self.block.add_op(scf.YieldOp(result))
            blocks.append(self.block)
            self.block = outer
        branch = scf.IfOp(
            self.is_shared[candidates[0]], [token.type], Region(blocks[0]), Region(blocks[1])
        )
        return self.emit(branch, loads[-1]).results[0]

    def _load_tiles(
        self,
        pipeline: SSAValue,
        token: SSAValue,
        loads: LoadGroup,
        shared: StagedLoad | None,
    ) -> SSAValue:
        """Loads all tiles of a stage, of which the shared one is multicast."""
        source = loads[-1]
        block = Block()
        tiles: list[SSAValue] = []
        for load in stage_order(loads):
            copy = self._load_tile(load) if is_by_tma(load) else self._copy_tile(load)
            copy.location = load.location
            if load is shared:
                assert MULTICAST.can_be_on(copy), "by a tensor map"
                MULTICAST.set(copy, UnitAttr())
            block.add_op(copy)
            tiles.append(copy.result)
        block.add_op(PipelineYieldOp(*tiles))
        return self.emit(ProducerWriteOp(pipeline, token, Region(block)), source).result

    def _load_tile(self, load: TiledLoadOp) -> TiledLoadOp:
        """Loads a tile by TMA."""
        return TiledLoadOp.create(
            operands=[*map(self.get, load.operands)],
            result_types=[staged_type(load)],
            properties={**load.properties, "atom": AtomAttr("tma_load")},
            attributes={
                name: value
                for name, value in load.attributes.items()
                if name not in (LAYOUT.name, PIPE.name, LOAD_GROUP.name)
            },
        )

    def _copy_tile(self, load: CopiedLoad) -> CopiedLoad:
        """Copies a tile by `cp.async`; what the mask leaves out becomes zeros."""
        attributes = {
            name: value
            for name, value in load.attributes.items()
            if name not in (PIPE.name, LOAD_GROUP.name)
        }
        copy = type(load).create(
            operands=[
                self._tiles.of_load(load, operand) if is_tensor(operand) else self.get(operand)
                for operand in load.operands
            ],
            result_types=[staged_type(load)],
            properties=dict(load.properties),
            attributes=attributes,
        )
        set_anchor_layout(copy, LAYOUT, copying_layout(load))
        return copy
