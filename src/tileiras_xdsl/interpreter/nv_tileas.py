"""
What the ops of `nv_tileas` do, and the barriers that tokens became.

Layouts are where values lie, not what they are: they are ignored, and `convert_layout` is the
identity. A tensor in shared memory is a buffer that copies change, and `extract_slice` a window on
it; to all other ops a tensor is a value.

Of a pipeline, an iterator is the number of the entry that an agent is at, and a token the number of
the entry that it owns. Agents take turns; if all have to wait, the program is stuck, and an error
says where.

Marks of a profile are what threads write to its buffer. Time is a number that moves when somebody
of the CTA asks for it, so that the records of a warp, and those of different warps that wait for
each other, are in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nv_tileas import async_ops, memory, shape, tensor_memory
from tileiras_xdsl.dialects.nv_tileas import ping_pong as pp
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nv_tileas.profiling import (
    EVENT_SHIFT,
    HEADER,
    ProfileBeginOp,
    ProfileEndOp,
    ProfileMarkOp,
    ProfileOperation,
)
from tileiras_xdsl.dialects.nvgpu import DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp

from . import numerics
from .accesses import ElementFormat, store
from .control_flow import assign
from .cta_state import Barrier, CtaState, PendingCopy
from .elements import dtype_of, from_bytes, to_bytes
from .errors import ExecutionError
from .machine import TILES, Body, BoundProgram, CallFrame, Direct, Function, InCta, slots
from .schedule import TaskScheduler
from .tokens import Token
from .values import (
    Array,
    Value,
    element_of,
    integer,
    operand_element,
    operand_shape,
    result_element,
    result_shape,
    result_type,
    shape_of,
    zeros,
)

if TYPE_CHECKING:
    from .checks import CheckedAccess


# Ping-pong scheduling.
#
# The consumer of a kernel is one program, so all warpgroups do the same things with their turns,
# one after the other. They wait forever if one keeps its turn: until it waits for the next one,
# which only those can give it that wait for this one, or at a barrier, to which they cannot come.


@dataclass
class WarpgroupPingPong:
    """Ping-pong scheduling of the warpgroups of a CTA."""

    has_ended: bool = False


@TILES.runs(pp.PingPongBeginOp)
def run_begin(cta: CtaState) -> WarpgroupPingPong:
    """The first warpgroup has the first turn."""
    return WarpgroupPingPong()


@TILES.runs(pp.PingPongWaitOp)
def run_wait(cta: CtaState, ping_pong: WarpgroupPingPong, *, op: Operation) -> None:
    """Each warpgroup has its turn."""
    cta.check_ping_pong("warpgroups wait for their next turns")
    if ping_pong.has_ended:
        raise ExecutionError("deadlock: waits for a turn after the last one")
    cta.ping_pong_held = op


@TILES.runs(pp.PingPongArriveOp)
def run_pass(cta: CtaState, ping_pong: WarpgroupPingPong) -> None:
    """Each warpgroup passes its turn on."""
    if cta.ping_pong_held is None:
        raise ExecutionError("passes a turn on that it does not have")
    cta.ping_pong_held = None


@TILES.runs(pp.PingPongEndOp)
def run_end(cta: CtaState, ping_pong: WarpgroupPingPong) -> None:
    """The last turn was passed on."""
    cta.check_ping_pong("the first warpgroup waits for the last turn of the last one")
    ping_pong.has_ended = True


# Buffers and parts of tensors


@TILES.runs(memory.AllocTensorOp, ty=result_type)
def run_alloc_tensor(*, ty: Attribute) -> Array:
    """A buffer."""
    return zeros(ty, ())


@TILES.runs(memory.CopyOp)
def run_copy(source: Array, destination: Array | None = None) -> Array:
    """A copy of a tensor, in a buffer if one is given."""
    if destination is None:
        return np.array(source)
    destination[...] = source
    return destination


def _column(op: Operation) -> int:
    assert isinstance(op, tensor_memory.TensorMemoryLoadOp)
    return 0 if op.column is None else op.column.value.data


@TILES.runs(tensor_memory.TensorMemoryLoadOp, ty=result_type, column=_column)
def run_tensor_memory_load(source: Array, *, ty: Attribute, column: int) -> Array:
    """A tile from tensor memory, or some of its columns."""
    return np.array(source[..., column : column + shape_of(ty)[-1]])


@TILES.runs(tensor_memory.TensorMemoryStoreOp)
def run_tensor_memory_store(source: Array, destination: Array) -> Array:
    """A tile in tensor memory."""
    return np.array(source)


@TILES.runs(tensor_memory.TensorMemoryScaleOp)
def run_tensor_memory_scale(destination: Array, factors: Array) -> Array:
    """A tile in tensor memory, times a factor for each row."""
    return numerics.mulf(f32, destination, np.broadcast_to(factors, destination.shape))


@TILES.runs(tensor_memory.CommitDotsOp, tensor_memory.WaitDotsOp, tensor_memory.TensorMemoryFenceOp)
@TILES.runs(async_ops.CreateNoneOp, pl.CreateNullTokenOp, llvm.AddressOfOp)
def run_nothing(*values: Value) -> None:
    """
    Dots and accesses are done when they are issued; a token of nothing, and the pool of barriers,
    are nothing.
    """


def _window(
    value: Array, part: tuple[int, ...], whole: tuple[int, ...], indices: Sequence[Value]
) -> Array:
    """The part of a tensor of some numbers."""
    steps = (*(1,) * (len(whole) - len(part)), *part)
    starts = [int(index) * step for index, step in zip(indices, steps, strict=True)]
    for start, step, size in zip(starts, steps, whole, strict=True):
        if not 0 <= start <= size - step:
            raise ExecutionError(f"takes a part at {start} of {size} elements")
    return value[tuple(slice(a, a + n) for a, n in zip(starts, steps, strict=True))]


@TILES.runs(shape.ExtractSliceOp, part=result_shape, whole=operand_shape(0))
def run_extract_slice(
    source: Array, *indices: Value, part: tuple[int, ...], whole: tuple[int, ...]
) -> Array:
    """A window on a part; only dimensions of size one are dropped, so that it stays one."""
    return _window(source, part, whole, indices).reshape(part)


@TILES.runs(shape.InsertSliceOp, part=operand_shape(0), whole=operand_shape(1))
def run_insert_slice(
    source: Array,
    destination: Array,
    *indices: Value,
    part: tuple[int, ...],
    whole: tuple[int, ...],
) -> Array:
    """A tensor with a part replaced."""
    target = np.array(destination)
    window = _window(target, part, whole, indices)
    window[...] = source.reshape(window.shape)
    return target


@TILES.runs(shape.ReinterpretOp, old=operand_element(0), new=result_element, dims=result_shape)
def run_reinterpret(
    source: Array, *, old: Attribute, new: Attribute, dims: tuple[int, ...]
) -> Array:
    """The same bytes as other elements."""
    return from_bytes(to_bytes(np.ascontiguousarray(source), old), new).reshape(dims)


@TILES.binds(shape.GenerateOp)
def bind_generate(op: shape.GenerateOp, program: BoundProgram) -> Direct:
    """A tensor of elements that a region makes of their coordinates."""
    body = program.bind_block(op.body.block)
    result = program.register(op.result)
    dims, dtype = shape_of(op.result.type), dtype_of(element_of(op.result.type))

    def step(frame: CallFrame) -> None:
        made = np.empty(dims, dtype)
        for index in np.ndindex(dims):
            coordinates = [np.asarray(number, np.int32) for number in index]
            (made[index],) = body.run(frame, coordinates).values
        frame.registers[result] = made

    return Direct(step)


# Asynchronous work


@TILES.runs(async_ops.AsyncCopyOp)
def run_async_copy(cta: CtaState, source: Array, destination: Array) -> PendingCopy:
    """Begins to copy a tensor."""
    return cta.copies.issue(destination, source)


@TILES.runs(async_ops.AsyncWaitOp, pending=integer("pending", -1))
def run_async_wait(cta: CtaState, *tokens: PendingCopy | None, pending: int) -> None:
    """Waits for copies, or until at most this many groups are in flight."""
    for token in tokens:
        if token is not None:
            token.finish()
    if pending >= 0:
        cta.copies.wait(pending)


@TILES.runs(DeviceAsyncCreateGroupOp)
def run_commit_group(cta: CtaState, *tokens: Value) -> Value:
    """Makes a group of the copies begun; its token is for the reader."""
    cta.copies.commit()
    return None


@TILES.runs(DeviceAsyncWaitOp, pending=integer("numGroups", 0))
def run_wait_group(cta: CtaState, *tokens: Value, pending: int) -> None:
    """Waits until at most this many groups are in flight."""
    cta.copies.wait(pending)


# Barriers


@TILES.runs(llvm.GEPOp)
def run_slot(pool: Value) -> Barrier:
    """A slot of the pool; each is addressed once in a function."""
    return Barrier()


@TILES.runs(nvvm.MBarrierInitSharedOp)
def run_init(barrier: Barrier, count: Value) -> None:
    """Sets a barrier up."""
    barrier.count = barrier.pending = int(count)


@TILES.runs(nvvm.MBarrierArriveSharedOp)
def run_arrive(barrier: Barrier) -> None:
    """Arrives; with the last arrival a phase is complete."""
    barrier.pending -= 1
    if barrier.pending == 0:
        barrier.pending, barrier.parity = barrier.count, 1 - barrier.parity


@TILES.runs(nvvm.MBarrierTryWaitParitySharedOp)
def run_try_wait(barrier: Barrier, parity: Value, ticks: Value) -> Array:
    """Waits for a phase: all that arrive run in this thread, so nobody will while it waits."""
    if barrier.parity == int(parity):
        raise ExecutionError("waits for a phase that nobody completes")
    return np.asarray(True)


# Pipelines


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


def _wait_for_stage(cta: CtaState, is_ready: Callable[[], bool], what: str) -> None:
    """Lets other agents run until a stage is as it must be."""
    while not is_ready():
        if cta.schedule is None or not cta.schedule.pause():
            raise ExecutionError(f"waits for a stage that nobody {what}")


def _stage_changed(cta: CtaState) -> None:
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
    _wait_for_stage(cta, lambda: pipeline.is_free(number), "empties")
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
    _stage_changed(cta)


@TILES.runs(pl.ConsumerWaitOp)
def run_consumer_wait(cta: CtaState, pipeline: PipelineState, number: int) -> int:
    """Waits until an entry is complete."""
    _wait_for_stage(cta, lambda: number in pipeline.committed, "fills")
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
    _stage_changed(cta)


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


# Profiles

_WORD = ElementFormat.of(i64)


def _write_words(cta: CtaState, op: ProfileOperation, buffer: Value, words: dict[int, int]) -> None:
    """Writes words, by their places, to the rows of the warps that an op is for."""
    layout = op.get_layout()
    x, y, z = cta.index
    slot, rest = divmod((z * cta.grid[1] + y) * cta.grid[0] + x, layout.every)
    if rest or slot >= layout.ctas:
        return
    rows = [(slot * layout.warps + warp) * layout.row for warp in op.get_warps()]
    places = np.array([row + place for row in rows for place in words], np.int64)
    values = np.array([word for _ in rows for word in words.values()], np.int64)

    def write(access: CheckedAccess | None) -> None:
        if access is not None:
            access.lanes(None, values.shape)
        store(cta, access, _WORD, int(np.asarray(buffer)) + places * _WORD.size, values)

    cta.perform(op, None, write, may_wait=True)


@TILES.binds(ProfileBeginOp)
def bind_begin(op: ProfileBeginOp, program: BoundProgram) -> InCta:
    """Warps begin."""

    def apply(cta: CtaState, buffer: Value) -> None:
        time = cta.read_clock()
        words = {"begin time": time, "begin": time, "entry": 0}
        _write_words(cta, op, buffer, {HEADER.index(name): word for name, word in words.items()})

    return InCta(apply, slots(op, "buffer"), [])


@TILES.binds(ProfileMarkOp)
def bind_mark(op: ProfileMarkOp, program: BoundProgram) -> InCta:
    """Warps begin something else."""
    event, records = op.event.value.data << EVENT_SHIFT, op.get_layout().records

    def apply(cta: CtaState, buffer: Value, count: Value) -> Array:
        number = int(np.asarray(count))
        if 0 <= number < records:
            _write_words(cta, op, buffer, {len(HEADER) + number: event | cta.read_clock()})
        return np.asarray(number + 1, np.int32)

    return InCta(apply, slots(op, "buffer count"), slots(op, "result"))


@TILES.binds(ProfileEndOp)
def bind_end(op: ProfileEndOp, program: BoundProgram) -> InCta:
    """Warps end."""

    def apply(cta: CtaState, buffer: Value, count: Value) -> None:
        time = cta.read_clock()
        words = {"end": time, "end time": time, "marks": int(np.asarray(count))}
        _write_words(cta, op, buffer, {HEADER.index(name): word for name, word in words.items()})

    return InCta(apply, slots(op, "buffer count"), [])
