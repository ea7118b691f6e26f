"""
Pipelines: rings of stages in shared memory, with a full and an empty barrier for each stage.

An iterator is the number of a stage and the parity of the turn that it is in; a token is the
number of a stage. The tensor memory accelerator fills a stage and counts its bytes on the full
barrier; each warpgroup that has read a stage arrives on the empty barrier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, i1, i8
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from tileiras_xdsl.analysis.tma_tiles import TmaTile
from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nv_tileas.decisions import ELEMENT, MULTICAST
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.dialects.nv_tileas.types import IteratorType, PipelineType
from tileiras_xdsl.dialects.nvgpu import (
    MBarrierArriveExpectTxOp,
    MBarrierArriveOp,
    MBarrierArriveRemoteOp,
    MBarrierAtOp,
    MBarrierInitFenceOp,
    MBarrierInitOp,
    MBarrierTokenType,
    MBarrierTryWaitParityOp,
    TmaAsyncLoadOp,
)
from tileiras_xdsl.dialects.nvvm import MemScope
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import tile_bytes
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import (
    BARRIER_BYTES,
    BUFFER_ALIGNMENT,
    has_atom,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import map_dims
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import halve
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.structure import condition_of, last_of

from .async_copies import is_shared
from .barriers import only_if, shared_address
from .patterns import lower_op, lowers
from .tensor_maps import tensor_map
from .thread_builder import ThreadBuilder
from .thread_index import get_cluster_rank, is_first_of_group, is_first_thread
from .tma_copies import tma_tile_coordinates
from .vectors import index_pointer

TICKS = 10_000_000
"""Nanoseconds after which a wait looks again."""
NO_STAGE = -1


@dataclass(frozen=True)
class Ring:
    """The memory of a pipeline."""

    stages: int
    data: int
    """Where the first stage begins, in bytes."""
    stage_bytes: int
    offsets: Sequence[int]
    """Where each tile of a stage begins in it."""
    bytes: int
    """What a stage is filled with."""
    barriers: int
    """Where full barriers begin; empty ones follow."""

    @staticmethod
    def of(op: pl.CreatePipelineOp) -> Ring:
        """The memory that a pipeline was given."""
        ty = op.result.type
        assert isinstance(ty, PipelineType)
        offsets: list[int] = []
        total = filled = 0
        for element in ty.element_types:
            size = tile_bytes(element)
            offsets.append(total)
            filled += size
            total += -(-size // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
        data, barriers = get_buffers(op)
        return Ring(op.get_num_stages(), data.offset, total, offsets, filled, barriers.offset)

    def full(self, code: ThreadBuilder, stage: SSAValue) -> SSAValue:
        """The barrier that says that a stage is full."""
        return _barrier(code, self.barriers, stage)

    def empty(self, code: ThreadBuilder, stage: SSAValue) -> SSAValue:
        """The barrier that says that a stage is empty."""
        return _barrier(code, self.barriers + self.stages * BARRIER_BYTES, stage)

    def tiles(self, code: ThreadBuilder, stage: SSAValue) -> list[SSAValue]:
        """The addresses of the tiles of a stage."""
        return [
            _place(code, self.data + offset, stage, self.stage_bytes) for offset in self.offsets
        ]


def _place(code: ThreadBuilder, start: int, number: SSAValue, size: int) -> SSAValue:
    offset = code.compute(arith.MuliOp, number, code.constant(size))
    base = shared_address(code, start)
    return code.emit(index_pointer(base, offset, i8, base.type)).result


def _barrier(code: ThreadBuilder, start: int, number: SSAValue) -> SSAValue:
    """The barrier of a stage, given where those of all stages begin."""
    return code.emit(MBarrierAtOp(_place(code, start, number, BARRIER_BYTES))).barrier


@lowers("nv_tileas.async.pipeline.create_pipeline")
def lower_create_pipeline(code: ThreadBuilder, op: pl.CreatePipelineOp) -> None:
    code.set(op.result)


def ring_of(pipeline: SSAValue) -> Ring:
    """The memory of a pipeline."""
    assert isinstance(pipeline.owner, pl.CreatePipelineOp)
    return Ring.of(pipeline.owner)


def init_barriers(code: ThreadBuilder, groups: int) -> None:
    """Makes the barriers of all pipelines, by one thread; a barrier of the block has to follow."""
    pipelines = [op for op in code.kernel.ops if isinstance(op, pl.CreatePipelineOp)]
    with only_if(code, is_first_thread(code)):
        for ring in map(Ring.of, pipelines):
            for stage in range(ring.stages):
                for start, count in ((0, 1), (ring.stages, groups * code.kernel.cluster)):
                    address = shared_address(code, ring.barriers + (start + stage) * BARRIER_BYTES)
                    barrier = code.emit(MBarrierAtOp(address)).barrier
                    code.emit(MBarrierInitOp(barrier, code.constant(count)))
        code.emit(MBarrierInitFenceOp())


# Iterators


@lowers("nv_tileas.async.pipeline.create_iterator")
def lower_create_iterator(code: ThreadBuilder, op: pl.CreateIteratorOp) -> None:
    ty = op.result.type
    assert isinstance(ty, IteratorType)
    # All stages are empty: the wait for the turn before the first one is over at once.
    parity = int(ty.role.data == "producer")
    code.set(op.result, code.constant(0), code.constant(parity))


@lowers("nv_tileas.async.pipeline.inc_iter")
def lower_inc_iter(code: ThreadBuilder, op: pl.IncIterOp) -> None:
    stage, parity = code.parts(op.iterator)
    ring = ring_of(find_pipeline(op.iterator))
    following = code.emit(arith.AddiOp(stage, code.constant(1))).result
    wraps = code.emit(CmpiOp(following, code.constant(ring.stages), "eq")).result
    stage = code.emit(SelectOp(wraps, code.constant(0), following)).result
    flipped = code.emit(arith.XOrIOp(parity, code.constant(1))).result
    code.set(op.result, stage, code.emit(SelectOp(wraps, flipped, parity)).result)


def find_pipeline(iterator: SSAValue) -> SSAValue:
    """The pipeline that an iterator goes round."""
    while True:
        owner = iterator.owner
        if isinstance(iterator, BlockArgument):
            block = iterator.owner
            match block.parent_op():
                case scf.ForOp() as loop:
                    iterator = loop.iter_args[iterator.index - 1]
                case scf.WhileOp() as loop if block is loop.before_region.block:
                    iterator = loop.arguments[iterator.index]
                case scf.WhileOp() as loop:
                    iterator = condition_of(loop).args[iterator.index]
                case _:
                    raise AssertionError("an iterator comes from nowhere")
            continue
        assert isinstance(owner, Operation)
        number = next(n for n, result in enumerate(owner.results) if result is iterator)
        match owner:
            case pl.CreateIteratorOp():
                return owner.pipeline
            case pl.IncIterOp():
                iterator = owner.iterator
            case scf.ForOp():
                iterator = owner.iter_args[number]
            case scf.WhileOp():
                iterator = condition_of(owner).args[number]
            case scf.IfOp():
                iterator = last_of(owner.true_region.block).operands[number]
            case _:
                raise AssertionError("an iterator comes from nowhere")


# Producers


@lowers("nv_tileas.async.pipeline.producer_acquire")
def lower_producer_acquire(code: ThreadBuilder, op: pl.ProducerAcquireOp) -> None:
    stage, parity = code.parts(op.iterator)
    # Other blocks of a cluster arrive on it as well.
    scope = MemScope.CLUSTER if code.kernel.cluster > 1 else None
    wait(code, ring_of(op.pipeline).empty(code, stage), parity, scope)
    code.set(op.result, stage)


@lowers("nv_tileas.async.pipeline.producer_write")
def lower_producer_write(code: ThreadBuilder, op: pl.ProducerWriteOp) -> None:
    stage, ring = code.value(op.token), ring_of(op.pipeline)
    barrier = ring.full(code, stage)
    last = last_of(op.body.block)
    code.emit(MBarrierArriveExpectTxOp(barrier, code.constant(ring.bytes)))
    for value, address in zip(last.operands, ring.tiles(code, stage), strict=True):
        load = value.owner
        if not isinstance(load, TiledLoadOp) or not has_atom(load, "tma_load"):
            fail(op, "only tiles that are loaded by 'tma_load' can be put into a stage")
        _copy_tile(code, load, address, barrier)
    code.set(op.result, stage)


def _copy_tile(code: ThreadBuilder, op: TiledLoadOp, address: SSAValue, barrier: SSAValue) -> None:
    """Begins to copy all boxes of a tile."""
    code.location = op.location
    box = TmaTile.of(op.view_type)
    if box is None:
        fail(op, f"'{op.view_type}' cannot be loaded by 'tma_load'")
    if MULTICAST.is_on(op):
        _copy_half(code, op, box, address, barrier)
        return
    tensor = tensor_map(code, op, op.view, box.box, box.swizzle, ELEMENT.get(op))
    for start, offset in box.parts():
        coordinates = tma_tile_coordinates(code, op.view, op.indices, start)
        target = address
        if offset:
            moved = index_pointer(address, code.constant(offset), i8, address.type)
            target = code.emit(moved).result
        code.emit(TmaAsyncLoadOp(target, barrier, tensor, coordinates))


def _copy_half(
    code: ThreadBuilder, op: TiledLoadOp, box: TmaTile, address: SSAValue, barrier: SSAValue
) -> None:
    """Begins to copy one half of a tile to both blocks of the cluster; the other does the rest."""
    halves = halve(box)
    if halves is None:
        fail(op, f"'{op.view.type}' cannot be loaded by two blocks, each a half")
    box = halves
    parts = list(box.parts())
    half = len(parts) // 2
    (first, _), (second, distance) = parts[0], parts[half]
    rank = get_cluster_rank(code)
    tensor = tensor_map(code, op, op.view, box.box, box.swizzle, ELEMENT.get(op))
    moved = code.compute(arith.MuliOp, rank, code.constant(distance))
    mask = code.constant((1 << code.kernel.cluster) - 1, IntegerType(16))
    for start, offset in parts[:half]:
        coordinates = tma_tile_coordinates(code, op.view, op.indices, start)
        for place, dim in enumerate(map_dims(op.view)):
            if second[dim] != first[dim]:
                step = code.constant(second[dim] - first[dim])
                further = code.compute(arith.MuliOp, rank, step)
                coordinates[place] = code.emit(arith.AddiOp(coordinates[place], further)).result
        total = code.emit(arith.AddiOp(moved, code.constant(offset))).result
        target = code.emit(index_pointer(address, total, i8, address.type)).result
        code.emit(TmaAsyncLoadOp(target, barrier, tensor, coordinates, mask))


@lowers("nv_tileas.async.pipeline.producer_commit")
def lower_producer_commit(code: ThreadBuilder, op: pl.ProducerCommitOp) -> None:
    """The stage was handed over when its bytes were announced."""


# Consumers


@lowers("nv_tileas.async.pipeline.consumer_wait")
def lower_consumer_wait(code: ThreadBuilder, op: pl.ConsumerWaitOp) -> None:
    stage, parity = code.parts(op.iterator)
    wait(code, ring_of(op.pipeline).full(code, stage), parity)
    code.set(op.result, stage)


@lowers("nv_tileas.async.pipeline.consumer_read")
def lower_consumer_read(code: ThreadBuilder, op: pl.ConsumerReadOp) -> None:
    stage = code.value(op.token)
    block = op.body.block
    for argument, address in zip(block.args, ring_of(op.pipeline).tiles(code, stage)):
        if not is_shared(argument):
            fail(op, f"'{argument.type}' is no tile in shared memory")
        code.set(argument, address)
    last = last_of(block)
    for each in block.ops:
        if each is not last:
            lower_op(code, each)
    for result, value in zip(op.values, last.operands, strict=True):
        code.set(result, *code.parts(value))
    code.set(op.result_token, stage)


@lowers("nv_tileas.async.pipeline.consumer_release")
def lower_consumer_release(code: ThreadBuilder, op: pl.ConsumerReleaseOp) -> None:
    """One thread of each warpgroup says so; products of the others were waited for with it."""
    ring, stage = ring_of(op.pipeline), code.value(op.token)
    condition = is_first_of_group(code)
    if not isinstance(op.token.owner, pl.ConsumerReadOp):
        # A loop that has not begun has read nothing.
        is_stage = code.emit(CmpiOp(stage, code.constant(0), "sge")).result
        condition = code.emit(arith.AndIOp(condition, is_stage)).result
    with only_if(code, condition):
        empty = ring.empty(code, stage)
        if code.kernel.cluster == 1:
            code.emit(MBarrierArriveOp(empty, MBarrierTokenType()))
        else:
            # Any block may fill the stages of all.
            for rank in range(code.kernel.cluster):
                place, count = code.constant(rank), code.constant(1)
                code.emit(MBarrierArriveRemoteOp(empty, place, count, scope=MemScope.CLUSTER))


@lowers("nv_tileas.async.pipeline.create_null_token")
def lower_create_null_token(code: ThreadBuilder, op: pl.CreateNullTokenOp) -> None:
    code.set(op.result, code.constant(NO_STAGE))


def wait(
    code: ThreadBuilder, barrier: SSAValue, parity: SSAValue, scope: MemScope | None = None
) -> None:
    """Waits for the end of a turn of a barrier; behind it is what threads of a scope did before."""
    phase = code.emit(TruncIOp(parity, i1)).result
    before, after = Block(), Block()
    with code.branch(before):
        ticks = code.constant(TICKS)
        done = code.emit(MBarrierTryWaitParityOp(barrier, phase, ticks, scope=scope)).done
        again = code.emit(arith.XOrIOp(done, code.constant(1, i1))).result
        code.emit(scf.ConditionOp(again))
    with code.branch(after):
        code.emit(scf.YieldOp())
    code.emit(scf.WhileOp([], [], Region(before), Region(after)))
