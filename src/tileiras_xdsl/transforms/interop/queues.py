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

from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator

from tileiras_xdsl.dialects.nv_tileaa.queues import QUEUE_OPS, ExecuteOp, MarkForReuseOp
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nv_tileas.types import PipelineType
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .iterators import IteratorThread
from .queue_edges import EndGroup, QueueEdge, find_edges
from .token_slots import walk_unit

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
