"""
From queues and executes to pipelines and agents.

    %q = nv_tileaa.create_queue : !nv_tileaa.queue<f32>
    "nv_tileaa.execute"() <{max_registers = 60 : i32, …}> ({
      nv_tileaa.queue.put %q, %x : …
    }, {
      %y = "nv_tileaa.queue.get"(%q) ({ … }) : …
    })
    →
    %q = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !nv_tileas.pipeline<f32>
    %put = nv_tileas.async.pipeline.create_iterator %q : … -> !nv_tileas.iterator<producer, f32>
    %get = nv_tileas.async.pipeline.create_iterator %q : … -> !nv_tileas.iterator<consumer, f32>
    "nv_tileas.async.pipeline.agent_switch"(%put, %get) <{max_regs = array<i32: 64, 64>, …}> ({
    ^bb0(%put0: …, %get0: …):
      nv_tileas.async.pipeline.produce_one %q[%put0] : … { acquire; write; commit }
      %put1 = nv_tileas.async.pipeline.inc_iter %put0 : …
    }, {
    ^bb0(%put2: …, %get2: …):
      %y = nv_tileas.async.pipeline.consume_one %q[%get2] : … { wait; read; release }
      …
    })

`queue_edges` says which ends a queue has and refuses those without a slot; `iterators` lowers
the ends. What is left here: the pipelines, and the agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, UnitAttr, UnknownLoc, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator

from tileiras_xdsl.dialects.nv_tileaa.queues import (
    QUEUE_OPS,
    CreateQueueOp,
    ExecuteOp,
    MarkForReuseOp,
    QueueGetOp,
    QueuePutOp,
)
from tileiras_xdsl.dialects.nv_tileaa.types import QueueType
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nv_tileas.types import PipelineType
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import last_of

from .tokens import walk_unit

# Which ends the queues of a function have, and whether all of them have a slot.
#
# An agent is a region of an `execute`, or the function itself. A stage of a pipeline belongs to
# one agent at a time, and an agent finds it by counting. So a queue has one agent that puts, and
# for each `consumer_idx` one that takes; neither is started again and again by a loop that the
# queue is not in, as its count would start over.

DEFAULT_STAGES = 2
STAGES = "num_stages"
"""An attribute of `create_queue`."""

End: TypeAlias = QueuePutOp | QueueGetOp
Loop = scf.ForOp | scf.WhileOp


def fail_end(op: Operation, reason: str) -> NoReturn:
    """Fails at an end of a queue."""
    fail(op, f"'{op.name}' op maps to no pipeline slot: {reason}")


@dataclass
class EndGroup:
    """The ends of a queue that share an iterator."""

    agent: Region
    role: str
    number: int
    """Of the consumer."""
    ops: list[End] = field(default_factory=list[End])


@dataclass
class QueueEdge:
    """A queue with its ends."""

    create: CreateQueueOp
    groups: list[EndGroup] = field(default_factory=list[EndGroup])
    arguments: list[BlockArgument] = field(default_factory=list[BlockArgument])
    """What the queue is called in agents."""

    @property
    def home(self) -> Region:
        """The agent that makes the queue."""
        return agent_of(self.create)

    @property
    def stages(self) -> int:
        stages = self.create.attributes.get(STAGES)
        return stages.value.data if isinstance(stages, IntegerAttr) else DEFAULT_STAGES

    @property
    def consumer_count(self) -> int:
        return 1 + max((group.number for group in self.groups), default=0)

    @property
    def element_types(self) -> Sequence[Attribute]:
        ty = self.create.result.type
        assert isinstance(ty, QueueType)
        if ty.element_types.data:
            return ty.element_types.data
        for op in self.ends("producer"):
            return [value.type for value in op.operands[1:]]
        return ()

    def ends(self, role: str) -> Iterator[End]:
        for group in self.groups:
            if group.role == role:
                yield from group.ops


def agent_of(op: Operation) -> Region:
    """The agent that an op runs in."""
    region = op.parent_region()
    assert region is not None
    parent = region.parent_op()
    while not (parent is None or isinstance(parent, ExecuteOp)):
        outer = parent.parent_region()
        if outer is None:
            break
        region, parent = outer, outer.parent_op()
    return region


def find_edges(unit: Operation) -> list[QueueEdge]:
    """The queues of a function; fails at ends that no pipeline has a slot for."""
    ops = list(walk_unit(unit.regions[0]))
    edges: dict[SSAValue, QueueEdge] = {
        op.result: QueueEdge(op) for op in ops if isinstance(op, CreateQueueOp)
    }
    for edge in edges.values():
        _check_users(edge.create.result, edge)
    for op in ops:
        if isinstance(op, QueuePutOp | QueueGetOp):
            queue = None if op.queue is None else _resolve(op.queue)
            edge = None if queue is None else edges.get(queue)
            if edge is None:
                fail_end(op, "its queue is not made in this function")
            _add_end(edge, op)
    for edge in edges.values():
        _check(edge)
    return list(edges.values())


def _resolve(queue: SSAValue) -> SSAValue | None:
    """The result of `create_queue` that a value stands for."""
    while isinstance(queue, BlockArgument):
        execute = queue.block.parent_op()
        if not isinstance(execute, ExecuteOp) or queue.index >= len(execute.operands):
            return None
        queue = execute.operands[queue.index]
    return queue


def _check_users(queue: SSAValue, edge: QueueEdge) -> None:
    for use in queue.uses:
        match use.operation:
            case ExecuteOp() as execute:
                for region in execute.bodies:
                    if use.index < len(region.block.args):
                        edge.arguments.append(region.block.args[use.index])
                        _check_users(region.block.args[use.index], edge)
            case QueuePutOp() | QueueGetOp() | MarkForReuseOp():
                pass
            case other:
                fail_end(other, "only the ends of a queue may take it")


def _add_end(edge: QueueEdge, op: End) -> None:
    role, number = "producer", 0
    if isinstance(op, QueueGetOp):
        role, number = "consumer", 0 if op.consumer_idx is None else op.consumer_idx.value.data
    agent = agent_of(op)
    for group in edge.groups:
        if (group.role, group.number) == (role, number):
            if group.agent is not agent:
                fail_end(op, f"another agent is the {role} of its queue")
            group.ops.append(op)
            return
    edge.groups.append(EndGroup(agent, role, number, [op]))


def _check(edge: QueueEdge) -> None:
    producers, consumers = list(edge.ends("producer")), list(edge.ends("consumer"))
    if edge.stages < 1:
        fail(edge.create, f"'{edge.create.name}' op needs at least one stage, not {edge.stages}")
    for op in (*producers, *consumers):
        _check_types(edge, op)
        _check_nesting(edge, op)
    if consumers and not producers:
        fail_end(consumers[0], "its queue has no producer")
    if not consumers:
        _check_room(edge, producers)
    numbers = {group.number for group in edge.groups if group.role == "consumer"}
    for op in consumers:
        if missing := set(range(edge.consumer_count)) - numbers:
            fail_end(op, f"its queue has no consumer {min(missing)}")


def _check_room(edge: QueueEdge, producers: Sequence[End]) -> None:
    """Checks that values without a consumer fit into the buffer stages."""
    for count, op in enumerate(producers, 1):
        looped = any(isinstance(outer, Loop) for outer in _outer_ops(op, edge))
        if looped or count > edge.stages:
            fail_end(op, f"its queue of {edge.stages} stages has no consumer")


def _check_types(edge: QueueEdge, op: End) -> None:
    expected = list(edge.element_types)
    if isinstance(op, QueuePutOp):
        found = [value.type for value in op.values]
    else:
        found = [argument.type for argument in op.body.block.args] or expected
    if found != expected:
        listed, wanted = (", ".join(map(str, types)) for types in (found, expected))
        fail_end(op, f"it has ({listed}), and its queue ({wanted})")


def _check_nesting(edge: QueueEdge, op: End) -> None:
    outers = list(_outer_ops(op, edge))
    for outer in outers:
        if isinstance(outer, QueueGetOp):
            fail_end(op, "it is in the region of another end")
    # A loop within the agent carries the iterator; one around it cannot.
    agents = [number for number, outer in enumerate(outers) if isinstance(outer, ExecuteOp)]
    if agents and any(isinstance(outer, Loop) for outer in outers[agents[0] :]):
        fail_end(op, "its agent is in a loop that its queue is not in")


def _outer_ops(op: Operation, edge: QueueEdge) -> Iterator[Operation]:
    """The ops around an op, inner ones first, up to the block that the queue is made in."""
    home: Block | None = edge.create.parent_block()
    outer = op
    while outer.parent_block() is not home:
        parent = outer.parent_op()
        if parent is None:
            fail_end(op, "its queue is not made in a block around it")
        yield parent
        outer = parent


# The ends of queues become producers and consumers of pipelines, whose iterators are threaded
# through loops and branches.
#
#  scf.for %i = %a to %b step %c : i32 {
#    nv_tileaa.queue.put %q, %x : …
#  }
#  →
#  %it2 = scf.for %i = %a to %b step %c iter_args(%it = %put) -> (!nv_tileas.iterator<…>) : i32 {
#    nv_tileas.async.pipeline.produce_one %q[%it] : … { acquire; write; commit }
#    %it1 = nv_tileas.async.pipeline.inc_iter %it : …
#    scf.yield %it1 : !nv_tileas.iterator<…>
#  }


class IteratorThread:
    """Lowers the ends of a queue that share an iterator."""

    def __init__(self, pipeline: SSAValue, ends: AbstractSet[Operation]):
        self.pipeline = pipeline
        self.ends = ends

    def lower(self, block: Block, iterator: SSAValue) -> SSAValue:
        """Lowers the ends in a block; returns the iterator after the last of them."""
        for op in tuple(block.ops):
            match op:
                case QueuePutOp() if op in self.ends:
                    iterator = self._step(op, self._produce(op, iterator), iterator)
                case QueueGetOp() if op in self.ends:
                    iterator = self._step(op, self._consume(op, iterator), iterator)
                case _ if op.regions and not self.ends.isdisjoint(op.walk()):
                    iterator = self._enter(op, iterator)
                case _:
                    pass
        return iterator

    # Loops and branches

    def _enter(self, op: Operation, iterator: SSAValue) -> SSAValue:
        match op:
            case scf.ForOp():
                self._carry(op.body.block, iterator)
                body = op.detach_region(0)
                new = scf.ForOp(op.lb, op.ub, op.step, [*op.iter_args, iterator], body)
            case scf.WhileOp():
                self._carry(op.before_region.block, iterator)
                self._carry(op.after_region.block, iterator)
                types = [*op.result_types, iterator.type]
                before, after = (op.detach_region(region) for region in tuple(op.regions))
                new = WhileOp([*op.arguments, iterator], types, before, after)
            case scf.IfOp():
                for region in op.regions:
                    if not region.blocks:
                        region.add_block(Block([scf.YieldOp()]))
                    _append(region.block, self.lower(region.block, iterator))
                types = [*op.result_types, iterator.type]
                then, otherwise = (op.detach_region(region) for region in tuple(op.regions))
                new = scf.IfOp(op.cond, types, then, otherwise)
            case _:
                end = next(inner for inner in op.walk() if inner in self.ends)
                fail_end(end, f"a '{op.name}' op around it cannot carry an iterator")
        new.attributes.update(op.attributes)
        *results, last = new.results
        _replace(op, new, results)
        last.name_hint = iterator.name_hint
        return last

    def _carry(self, block: Block, iterator: SSAValue) -> None:
        """A block of a loop takes an iterator, and hands on the one at its end."""
        argument = block.insert_arg(iterator.type, len(block.args))
        argument.name_hint = iterator.name_hint
        _append(block, self.lower(block, argument))

    # Ends

    def _step(self, op: Operation, new: Operation, iterator: SSAValue) -> SSAValue:
        _replace(op, new, new.results)
        following = pl.IncIterOp(iterator)
        following.location = op.location
        Rewriter.insert_op(following, InsertPoint.after(new))
        following.result.name_hint = iterator.name_hint
        return following.result

    def _produce(self, op: QueuePutOp, iterator: SSAValue) -> Operation:
        values = Region(Block([pl.PipelineYieldOp(*op.values)]))
        acquire = pl.ProducerAcquireOp(self.pipeline, iterator)
        write = pl.ProducerWriteOp(self.pipeline, acquire, values)
        commit = pl.ProducerCommitOp(self.pipeline, write)
        body = Region(Block([acquire, write, commit, pl.PipelineYieldOp()]))
        return pl.ProduceOneOp(self.pipeline, iterator, (), body)

    def _consume(self, op: QueueGetOp, iterator: SSAValue) -> Operation:
        ty = self.pipeline.type
        assert isinstance(ty, PipelineType)
        block = op.body.block
        if not block.args:
            for element in ty.element_types:
                block.insert_arg(element, len(block.args))
        end = last_of(block)
        _replace(end, pl.PipelineYieldOp(*end.operands), ())
        wait = pl.ConsumerWaitOp(self.pipeline, iterator, op.consumer_idx)
        region = op.detach_region(0)
        read = pl.ConsumerReadOp(self.pipeline, wait, op.result_types, region, op.consumer_idx)
        release = pl.ConsumerReleaseOp(self.pipeline, read.result_token)
        body = Region(Block([wait, read, release, pl.PipelineYieldOp(*read.values)]))
        properties = {"consumer_idx": op.consumer_idx}
        return pl.ConsumeOneOp(self.pipeline, iterator, op.result_types, body, properties)


def _append(block: Block, value: SSAValue) -> None:
    """Lets the terminator of a block hand on one more value."""
    last = last_of(block)
    last.operands = [*last.operands, value]


def _replace(op: Operation, new: Operation, results: Sequence[SSAValue]) -> None:
    """Puts an op, whose parts without a location get that of the old one, in its place."""
    for made in new.walk():
        if isinstance(made.location, UnknownLoc):
            made.location = op.location
    Rewriter.replace_op(op, new, results)


CARRIED = (
    *("named_barriers", "shared_memory_bytes", "tensor_memory_bytes"),
    *("input_layouts", "output_layouts"),
)
"""What an `execute` needs for its agents together."""


@dataclass
class Thread:
    """An iterator on its way through the block where its agent begins to use it."""

    group: EndGroup
    pipeline: SSAValue
    iterator: SSAValue
    home: Block
    """Where the queue was made."""
    is_captured: bool
    """Whether that was another agent."""

    def lower(self) -> None:
        block = self.group.agent.block if self.is_captured else self.home
        IteratorThread(self.pipeline, set(self.group.ops)).lower(block, self.iterator)


def lower_queues(module: ModuleOp) -> None:
    """Lowers the queues and executes of all functions in place; a module is broken by failure."""
    ops = list(module.walk())
    if any(isinstance(op, QUEUE_OPS) for op in ops):
        for op in ops:
            if op.regions and op.has_trait(IsolatedFromAbove):
                _lower_unit(op)


def _lower_unit(unit: Operation) -> None:
    executes = [op for op in walk_unit(unit.regions[0]) if isinstance(op, ExecuteOp)]
    threads = [thread for edge in find_edges(unit) for thread in _make_pipeline(edge)]
    for execute in executes:
        _make_agents(execute, threads)
    for thread in threads:
        thread.lower()


def _make_pipeline(edge: QueueEdge) -> list[Thread]:
    """`create_queue` → `create_pipeline`, and an iterator for each agent at it."""
    create, home, types = edge.create, edge.home, edge.element_types
    count = edge.consumer_count
    new = pl.CreatePipelineOp(PipelineType(types), edge.stages, count if count > 1 else None)
    block = create.parent_block()
    assert block is not None
    _drop_marks(create.result, new)
    new.location = create.location
    Rewriter.replace_op(create, new)
    for argument in edge.arguments:
        Rewriter.replace_value_with_new_type(argument, new.result.type)
    threads: list[Thread] = []
    point = InsertPoint.after(new)
    for group in edge.groups:
        made = pl.CreateIteratorOp(new, group.role)
        made.location = new.location
        made.result.name_hint = "put" if group.role == "producer" else "get"
        Rewriter.insert_op(made, point)
        threads.append(
            Thread(group, new.result, made.result, block, is_captured=group.agent is not home)
        )
    return threads


def _drop_marks(queue: SSAValue, new: pl.CreatePipelineOp) -> None:
    for use in tuple(queue.uses):
        mark = use.operation
        if isinstance(mark, MarkForReuseOp):
            new.properties["mark_for_reuse"] = UnitAttr()
            mark.operands = [other for other in mark.operands if other is not queue]
            if not mark.operands:
                Rewriter.erase_op(mark)


def _make_agents(op: ExecuteOp, threads: list[Thread]) -> None:
    """`execute` → `agent_switch`, whose regions take the operands, and all iterators."""
    regions = [op.detach_region(region) for region in tuple(op.bodies)] or [Region()]
    used = [t for t in threads if t.is_captured and t.group.agent in regions]
    operands = [*op.arguments, *(thread.iterator for thread in used)]
    for region in regions:
        if not region.blocks:
            region.add_block(Block())
        if len(region.blocks) > 1:
            fail(op, f"'{op.name}' op has an agent with control flow that is not structured")
        block = region.block
        for value in operands[len(block.args) :]:
            argument = block.insert_arg(value.type, len(block.args))
            argument.name_hint = value.name_hint
        _end_agent(block, op)
    first = len(op.arguments)
    for index, thread in enumerate(used, first):
        thread.iterator = thread.group.agent.block.args[index]
    properties = {name: op.properties[name] for name in CARRIED}
    registers = op.max_registers.value.data
    rounded = -(-registers // pl.REGISTER_UNIT) * pl.REGISTER_UNIT
    properties["max_regs"] = DenseArrayBase.from_list(i32, [rounded] * len(regions))
    new = pl.AgentSwitchOp(operands, op.result_types, regions, properties)
    new.attributes.update(op.attributes)
    new.location = op.location
    Rewriter.replace_op(op, new)


def _end_agent(block: Block, op: Operation) -> None:
    last = block.last_op
    if last is not None and last.has_trait(IsTerminator):
        end = pl.PipelineYieldOp(*last.operands)
        end.location = last.location
        Rewriter.replace_op(last, end)
    else:
        end = pl.PipelineYieldOp()
        end.location = op.location
        block.add_op(end)
