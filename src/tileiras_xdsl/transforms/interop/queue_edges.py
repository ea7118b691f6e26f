"""
Which ends the queues of a function have, and whether all of them have a slot.

An agent is a region of an `execute`, or the function itself. A stage of a pipeline belongs to
one agent at a time, and an agent finds it by counting. So a queue has one agent that puts, and
for each `consumer_idx` one that takes; neither is started again and again by a loop that the
queue is not in, as its count would start over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from tileiras_xdsl.dialects.nv_tileaa.queues import (
    CreateQueueOp,
    ExecuteOp,
    MarkForReuseOp,
    QueueGetOp,
    QueuePutOp,
)
from tileiras_xdsl.dialects.nv_tileaa.types import QueueType
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .token_slots import walk_unit

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
