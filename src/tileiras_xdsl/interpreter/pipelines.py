"""
Pipelines of `nv_tileas`, and the agents at their ends.

An iterator is the number of the entry that an agent is at, and a token the number of the entry
that it owns. Agents take turns; if all have to wait, the program is stuck, and an error says where.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from tileiras_xdsl.dialects.nv_tileas import pipeline as pl

from .control_flow import assign
from .cta_state import CtaState
from .errors import ExecutionError
from .machine import TILES, Body, BoundProgram, CallFrame, Direct, Function
from .schedule import TaskScheduler
from .tokens import Token
from .values import Value, zeros


@dataclass
class PipelineState:
    """A multi-stage buffer: each entry takes a stage until its consumers have released it."""

    stages: int
    consumers: int
    entries: dict[int, Sequence[Value]] = field(default_factory=dict[int, "Sequence[Value]"])
    committed: set[int] = field(default_factory=set[int])
    releases: dict[int, int] = field(default_factory=dict[int, int])
    accesses: dict[int, Token] = field(default_factory=dict[int, Token])
    """What was read for entries, which comes before all that follows a wait for them."""

    def is_free(self, number: int) -> bool:
        """Whether the stage of an entry is empty."""
        before = number - self.stages
        return before < 0 or self.releases.get(before, 0) >= self.consumers


def _wait(cta: CtaState, is_ready: Callable[[], bool], what: str) -> None:
    """Lets other agents run until a stage is as it must be."""
    while not is_ready():
        if cta.schedule is None or not cta.schedule.pause():
            raise ExecutionError(f"waits for a stage that nobody {what}")


def _changed(cta: CtaState) -> None:
    """Something has happened that other agents may wait for."""
    if cta.schedule is not None:
        cta.schedule.happened()


@TILES.binds(pl.CreatePipelineOp)
def bind_create_pipeline(op: pl.CreatePipelineOp, program: BoundProgram) -> Function:
    """An empty pipeline."""
    stages, consumers = op.get_num_stages(), op.get_num_consumers()
    return lambda: PipelineState(stages, consumers)


@TILES.runs(pl.CreateIteratorOp)
def run_create_iterator(pipeline: PipelineState) -> int:
    """The first entry."""
    return 0


@TILES.runs(pl.IncIterOp)
def run_inc_iter(number: int) -> int:
    """The next entry."""
    return number + 1


@TILES.runs(pl.ProducerAcquireOp)
def run_acquire(cta: CtaState, pipeline: PipelineState, number: int) -> int:
    """Waits until the stage of an entry is empty."""
    _wait(cta, lambda: pipeline.is_free(number), "empties")
    return number


@TILES.binds(pl.StageBufferOp)
def bind_stage_buffer(op: pl.StageBufferOp, program: BoundProgram) -> Function:
    """A buffer."""
    ty = op.result.type

    def buffer(pipeline: PipelineState, number: int) -> Value:
        return zeros(ty, ())

    return buffer


@TILES.binds(pl.ProducerWriteOp)
def bind_write(op: pl.ProducerWriteOp, program: BoundProgram) -> Direct:
    """Makes an entry."""
    pipeline, token, result = program.all([op.pipeline, op.token, op.result])
    body = program.bind_block(op.body.block)

    def step(frame: CallFrame) -> None:
        registers = frame.registers
        number, order = registers[token], frame.cta.order
        before = 0 if order is None else order.count
        registers[pipeline].entries[number] = body.run(frame).values
        if order is not None:
            # Nobody else runs meanwhile.
            registers[pipeline].accesses[number] = order.since(before)
        registers[result] = number

    return Direct(step)


@TILES.runs(pl.ProducerCommitOp)
def run_commit(cta: CtaState, pipeline: PipelineState, number: int) -> None:
    """An entry is complete."""
    pipeline.committed.add(number)
    _changed(cta)


@TILES.runs(pl.ConsumerWaitOp)
def run_consumer_wait(cta: CtaState, pipeline: PipelineState, number: int) -> int:
    """Waits until an entry is complete."""
    _wait(cta, lambda: number in pipeline.committed, "fills")
    if cta.order is not None:
        cta.order.follow(pipeline.accesses.get(number))
    return number


@TILES.binds(pl.ConsumerReadOp)
def bind_read(op: pl.ConsumerReadOp, program: BoundProgram) -> Direct:
    """Uses an entry."""
    pipeline, token = program.all([op.pipeline, op.token])
    results, body = program.all(op.results), program.bind_block(op.body.block)

    def step(frame: CallFrame) -> None:
        number = frame.registers[token]
        values = body.run(frame, frame.registers[pipeline].entries[number]).values
        assign(frame, results, [number, *values])

    return Direct(step)


@TILES.runs(pl.ConsumerReleaseOp)
def run_release(cta: CtaState, pipeline: PipelineState, number: int | None) -> None:
    """A consumer needs an entry no more; after the last one, a read of it finds nothing."""
    if number is None:
        return
    count = pipeline.releases.get(number, 0) + 1
    pipeline.releases[number] = count
    if count == pipeline.consumers:
        del pipeline.entries[number]
        pipeline.accesses.pop(number, None)
    _changed(cta)


@TILES.binds(pl.AgentSwitchOp)
def bind_agents(op: pl.AgentSwitchOp, program: BoundProgram) -> Direct:
    """Agents that run side by side until all are done."""
    arguments, results = program.all(op.arguments), program.all(op.results)
    bodies = [program.bind_block(region.block) for region in op.agents]

    def step(frame: CallFrame) -> None:
        given = [frame.registers[argument] for argument in arguments]
        cta: CtaState = frame.cta

        def run(body: Body) -> None:
            if values := body.run(frame, given).values:
                assign(frame, results, values)
            if cta.threads_use is not None:
                cta.threads_use.finish_agent(cta)

        agents = [partial(run, body) for body in bodies]
        if cta.schedule is not None:
            cta.schedule.run_within(agents)
            return
        cta.schedule = TaskScheduler(agents)
        try:
            cta.schedule.run()
        finally:
            cta.schedule = None

    return Direct(step)
