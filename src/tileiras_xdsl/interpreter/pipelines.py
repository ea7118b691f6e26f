"""
Pipelines of `nv_tileas`, and the agents at their ends.

An iterator is the number of the entry that an agent is at, and a token the number of the entry
that it owns. Agents are threads of which one runs at a time, until it has to wait; if all have
to, the program is stuck, and an error says where.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Condition, Thread, local

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileas import pipeline as pl

from .blocks import BlockState
from .errors import ExecutionError
from .machine import (
    TERMINATORS,
    Body,
    Direct,
    Exit,
    Frame,
    Function,
    InBlock,
    Program,
    Value,
    binds,
)
from .tokens import START, Token

TERMINATORS[pl.YieldOp] = Exit.YIELD


class Stopped(Exception):
    """Another agent has failed."""


class Baton:
    """What the one of several agents has that runs."""

    def __init__(self) -> None:
        self.changed = Condition()
        self.agents = 1
        """Those that are not done."""
        self.waiting = 0
        self.error: BaseException | None = None
        self.stuck: Callable[[], ExecutionError] | None = None
        """What the last one that waited would fail with."""

    def change(self) -> None:
        """Those that wait look again."""
        self.waiting = 0
        self.changed.notify_all()

    def wait(self, is_ready: Callable[[], bool], stuck: Callable[[], ExecutionError]) -> None:
        """Lets others run until something has happened."""
        while not is_ready():
            self.stuck = stuck
            self.waiting += 1
            if self.waiting == self.agents:
                raise stuck()
            self.changed.wait()
            if self.error is not None:
                raise Stopped

    def run(self, agents: Sequence[Callable[[], None]]) -> None:
        """Runs agents until all are done."""
        done = 0

        def run(agent: Callable[[], None]) -> None:
            nonlocal done
            with self.changed, np.errstate(all="ignore"):
                CURRENT.baton = self
                try:
                    if self.error is None:
                        agent()
                except Stopped:
                    pass
                except BaseException as error:
                    self.error = error
                done += 1
                self.agents -= 1
                self.change()

        self.agents += len(agents)
        threads = [Thread(target=run, args=(agent,), daemon=True) for agent in agents]
        for thread in threads:
            thread.start()
        while done < len(agents):
            self.waiting += 1
            if self.waiting == self.agents and self.error is None and self.stuck is not None:
                self.error = self.stuck()
                self.changed.notify_all()
            self.changed.wait()
        for thread in threads:
            thread.join()


class _Current(local):
    """The baton of the agents that this thread is one of."""

    baton: Baton | None = None


CURRENT = _Current()


@dataclass
class Pipeline:
    """A ring of stages, of which each entry takes one until its consumers have released it."""

    stages: int
    consumers: int
    entries: dict[int, Sequence[Value]] = field(default_factory=dict[int, "Sequence[Value]"])
    fills: dict[int, Token] = field(default_factory=dict[int, Token])
    """The accesses to memory that filled each entry: they are done when it is committed."""
    committed: set[int] = field(default_factory=set[int])
    releases: dict[int, int] = field(default_factory=dict[int, int])

    def is_free(self, number: int) -> bool:
        """Whether the stage of an entry is empty."""
        before = number - self.stages
        return before < 0 or self.releases.get(before, 0) >= self.consumers


def _wait(op: Operation, block: BlockState, is_ready: Callable[[], bool], what: str) -> None:
    def stuck() -> ExecutionError:
        return ExecutionError(f"waits for a stage that nobody {what}", op, block.index)

    baton = CURRENT.baton
    if baton is not None:
        baton.wait(is_ready, stuck)
    elif not is_ready():
        raise stuck()


def _changed() -> None:
    if CURRENT.baton is not None:
        CURRENT.baton.change()


@binds(pl.CreatePipelineOp)
def bind_create_pipeline(op: pl.CreatePipelineOp, program: Program) -> Function:
    stages, consumers = op.get_num_stages(), op.get_num_consumers()

    def apply() -> Value:
        return Pipeline(stages, consumers)

    return apply


@binds(pl.CreateIteratorOp)
def bind_create_iterator(op: pl.CreateIteratorOp, program: Program) -> Function:
    def apply(pipeline: Pipeline) -> Value:
        return 0

    return apply


@binds(pl.IncIterOp)
def bind_inc_iter(op: pl.IncIterOp, program: Program) -> Function:
    def apply(number: int) -> Value:
        return number + 1

    return apply


@binds(pl.CreateNullTokenOp)
def bind_null_token(op: pl.CreateNullTokenOp, program: Program) -> Function:
    def apply() -> Value:
        return None

    return apply


@binds(pl.ProducerAcquireOp)
def bind_acquire(op: pl.ProducerAcquireOp, program: Program) -> InBlock:
    def apply(block: BlockState, pipeline: Pipeline, number: int) -> Value:
        _wait(op, block, lambda: pipeline.is_free(number), "empties")
        return number

    return InBlock(apply)


@binds(pl.ProducerWriteOp)
def bind_write(op: pl.ProducerWriteOp, program: Program) -> Direct:
    pipeline, token, result = (
        program.register(value) for value in (op.pipeline, op.token, op.result)
    )
    body = program.bind_block(op.body.block)

    def step(frame: Frame) -> None:
        registers = frame.registers
        number = registers[token]
        order = frame.block.order
        start = 0 if order is None else order.count
        registers[pipeline].entries[number] = body.run(frame).values
        if order is not None:
            registers[pipeline].fills[number] = order.since(start)
        registers[result] = number

    return Direct(step)


@binds(pl.ProducerCommitOp)
def bind_commit(op: pl.ProducerCommitOp, program: Program) -> Function:
    def apply(pipeline: Pipeline, number: int) -> Value:
        pipeline.committed.add(number)
        _changed()
        return ()

    return apply


@binds(pl.ConsumerWaitOp)
def bind_consumer_wait(op: pl.ConsumerWaitOp, program: Program) -> InBlock:
    def apply(block: BlockState, pipeline: Pipeline, number: int) -> Value:
        _wait(op, block, lambda: number in pipeline.committed, "fills")
        if block.order is not None:
            block.order.follow(pipeline.fills.get(number, START))
        return number

    return InBlock(apply)


@binds(pl.ConsumerReadOp)
def bind_read(op: pl.ConsumerReadOp, program: Program) -> Direct:
    pipeline, token = program.register(op.pipeline), program.register(op.token)
    first, *results = program.all(op.results)
    body = program.bind_block(op.body.block)

    def step(frame: Frame) -> None:
        registers = frame.registers
        number = registers[token]
        values = body.run(frame, registers[pipeline].entries[number]).values
        registers[first] = number
        for result, value in zip(results, values, strict=True):
            registers[result] = value

    return Direct(step)


@binds(pl.ConsumerReleaseOp)
def bind_release(op: pl.ConsumerReleaseOp, program: Program) -> Function:
    def apply(pipeline: Pipeline, number: int | None) -> Value:
        if number is None:
            return ()
        count = pipeline.releases.get(number, 0) + 1
        pipeline.releases[number] = count
        if count == pipeline.consumers:
            # A read after this finds nothing.
            del pipeline.entries[number]
            pipeline.fills.pop(number, None)
        _changed()
        return ()

    return apply


@binds(pl.ProduceOneOp, pl.ProduceOneAsyncOp, pl.ConsumeOneOp, pl.ConsumeOneAsyncOp)
def bind_entry(op: pl.EntryOperation, program: Program) -> Direct:
    body, results = program.bind_block(op.body.block), program.all(op.results)

    def step(frame: Frame) -> None:
        for result, value in zip(results, body.run(frame).values, strict=True):
            frame.registers[result] = value

    return Direct(step)


@binds(pl.AgentSwitchOp)
def bind_agents(op: pl.AgentSwitchOp, program: Program) -> Direct:
    arguments, results = program.all(op.arguments), program.all(op.results)
    bodies = [program.bind_block(region.block) for region in op.agents]

    def step(frame: Frame) -> None:
        registers = frame.registers
        given = [registers[argument] for argument in arguments]

        def run(body: Body) -> None:
            values = body.run(frame, given).values
            if values:
                for result, value in zip(results, values, strict=True):
                    registers[result] = value

        outer = CURRENT.baton
        baton = Baton() if outer is None else outer
        agents = [lambda body=body: run(body) for body in bodies]
        if outer is not None:
            baton.run(agents)
            if baton.error is not None:
                raise Stopped
            return
        with baton.changed:
            baton.run(agents)
        if baton.error is not None:
            raise baton.error

    return Direct(step)
