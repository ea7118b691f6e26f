"""
Pipelines: multi-stage buffers in shared memory, with a full and an empty mbarrier for each stage.

An iterator becomes a stage index and a phase parity; a token becomes a stage index. TMA fills a
stage and counts its bytes on the full barrier. Each consumer warpgroup arrives on the empty barrier
when it has read the stage.
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

TRY_WAIT_NANOSECONDS = 10_000_000
"""How long `mbarrier.try_wait` may suspend a thread before the wait loop tries again."""
NO_STAGE = -1


@dataclass(frozen=True)
class PipelineStorage:
    """The shared memory of a pipeline."""

    stages: int
    data: int
    """The offset of the first stage, in bytes."""
    stage_bytes: int
    offsets: Sequence[int]
    """The offset of each tile within a stage."""
    bytes: int
    """How many bytes TMA writes to a stage."""
    barriers: int
    """The offset of the full barriers; the empty ones follow."""

    @staticmethod
    def of(op: pl.CreatePipelineOp) -> PipelineStorage:
        """The shared memory that a pipeline was given."""
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
        return PipelineStorage(
            op.get_num_stages(), data.offset, total, offsets, filled, barriers.offset
        )

    def full(self, code: ThreadBuilder, stage: SSAValue) -> SSAValue:
        """The full barrier of a stage."""
        return _barrier(code, self.barriers, stage)

    def empty(self, code: ThreadBuilder, stage: SSAValue) -> SSAValue:
        """The empty barrier of a stage."""
        return _barrier(code, self.barriers + self.stages * BARRIER_BYTES, stage)

    def tiles(self, code: ThreadBuilder, stage: SSAValue) -> list[SSAValue]:
        """The addresses of the tiles of a stage."""
        return [
            _stage_address(code, self.data + offset, stage, self.stage_bytes)
            for offset in self.offsets
        ]


def _stage_address(code: ThreadBuilder, start: int, number: SSAValue, size: int) -> SSAValue:
    offset = code.compute(arith.MuliOp, number, code.constant(size))
    base = shared_address(code, start)
    return code.emit(index_pointer(base, offset, i8, base.type)).result


def _barrier(code: ThreadBuilder, start: int, number: SSAValue) -> SSAValue:
    """The barrier of a stage, given the offset of the barriers of all stages."""
    return code.emit(MBarrierAtOp(_stage_address(code, start, number, BARRIER_BYTES))).barrier


@lowers("nv_tileas.async.pipeline.create_pipeline")
def lower_create_pipeline(code: ThreadBuilder, op: pl.CreatePipelineOp) -> None:
    code.set(op.result)


def buffer_of(pipeline: SSAValue) -> PipelineStorage:
    """The multi-stage buffer of a pipeline."""
    assert isinstance(pipeline.owner, pl.CreatePipelineOp)
    return PipelineStorage.of(pipeline.owner)


def init_barriers(code: ThreadBuilder, groups: int) -> None:
    """One thread initializes the mbarriers of all pipelines; a CTA barrier has to follow."""
    pipelines = [op for op in code.kernel.ops if isinstance(op, pl.CreatePipelineOp)]
    with only_if(code, is_first_thread(code)):
        for buffer in map(PipelineStorage.of, pipelines):
            for stage in range(buffer.stages):
                for start, count in ((0, 1), (buffer.stages, groups * code.kernel.cluster)):
                    address = shared_address(
                        code, buffer.barriers + (start + stage) * BARRIER_BYTES
                    )
                    barrier = code.emit(MBarrierAtOp(address)).barrier
                    code.emit(MBarrierInitOp(barrier, code.constant(count)))
        code.emit(MBarrierInitFenceOp())


# Iterators


@lowers("nv_tileas.async.pipeline.create_iterator")
def lower_create_iterator(code: ThreadBuilder, op: pl.CreateIteratorOp) -> None:
    ty = op.result.type
    assert isinstance(ty, IteratorType)
    # All stages are empty. Waiting for the parity of the phase before the first one succeeds at
    # once, so the producer's first round does not block.
    parity = int(ty.role.data == "producer")
    code.set(op.result, code.constant(0), code.constant(parity))


@lowers("nv_tileas.async.pipeline.inc_iter")
def lower_inc_iter(code: ThreadBuilder, op: pl.IncIterOp) -> None:
    stage, parity = code.parts(op.iterator)
    buffer = buffer_of(find_pipeline(op.iterator))
    following = code.emit(arith.AddiOp(stage, code.constant(1))).result
    wraps = code.emit(CmpiOp(following, code.constant(buffer.stages), "eq")).result
    stage = code.emit(SelectOp(wraps, code.constant(0), following)).result
    flipped = code.emit(arith.XOrIOp(parity, code.constant(1))).result
    code.set(op.result, stage, code.emit(SelectOp(wraps, flipped, parity)).result)


def find_pipeline(iterator: SSAValue) -> SSAValue:
    """The pipeline of an iterator, through loops and branches that carry it."""
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
    # The other CTAs of a cluster arrive on it as well.
    scope = MemScope.CLUSTER if code.kernel.cluster > 1 else None
    wait(code, buffer_of(op.pipeline).empty(code, stage), parity, scope)
    code.set(op.result, stage)


@lowers("nv_tileas.async.pipeline.producer_write")
def lower_producer_write(code: ThreadBuilder, op: pl.ProducerWriteOp) -> None:
    stage, buffer = code.value(op.token), buffer_of(op.pipeline)
    barrier = buffer.full(code, stage)
    last = last_of(op.body.block)
    code.emit(MBarrierArriveExpectTxOp(barrier, code.constant(buffer.bytes)))
    for value, address in zip(last.operands, buffer.tiles(code, stage), strict=True):
        load = value.owner
        if not isinstance(load, TiledLoadOp) or not has_atom(load, "tma_load"):
            fail(op, "only tiles that are loaded by 'tma_load' can be written to a buffer stage")
        _copy_tile(code, load, address, barrier)
    code.set(op.result, stage)


def _copy_tile(code: ThreadBuilder, op: TiledLoadOp, address: SSAValue, barrier: SSAValue) -> None:
    """Issues the TMA loads of a tile, one for each TMA tile."""
    code.location = op.location
    tma_tile = TmaTile.of(op.view_type)
    if tma_tile is None:
        fail(op, f"'{op.view_type}' cannot be loaded by 'tma_load'")
    if MULTICAST.is_on(op):
        _copy_half(code, op, tma_tile, address, barrier)
        return
    tensor = tensor_map(code, op, op.view, tma_tile.box, tma_tile.swizzle, ELEMENT.get(op))
    for start, offset in tma_tile.parts():
        coordinates = tma_tile_coordinates(code, op.view, op.indices, start)
        target = address
        if offset:
            moved = index_pointer(address, code.constant(offset), i8, address.type)
            target = code.emit(moved).result
        code.emit(TmaAsyncLoadOp(target, barrier, tensor, coordinates))


def _copy_half(
    code: ThreadBuilder, op: TiledLoadOp, tma_tile: TmaTile, address: SSAValue, barrier: SSAValue
) -> None:
    """Issues multicast loads of one half of a tile to both CTAs; the other CTA loads the rest."""
    halves = halve(tma_tile)
    if halves is None:
        fail(op, f"'{op.view.type}' cannot be loaded by two CTAs, one half each")
    tma_tile = halves
    parts = list(tma_tile.parts())
    half = len(parts) // 2
    (first, _), (second, distance) = parts[0], parts[half]
    rank = get_cluster_rank(code)
    tensor = tensor_map(code, op, op.view, tma_tile.box, tma_tile.swizzle, ELEMENT.get(op))
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
    """Nothing is left to do: the write has announced its bytes, and TMA completes the phase."""


# Consumers


@lowers("nv_tileas.async.pipeline.consumer_wait")
def lower_consumer_wait(code: ThreadBuilder, op: pl.ConsumerWaitOp) -> None:
    stage, parity = code.parts(op.iterator)
    wait(code, buffer_of(op.pipeline).full(code, stage), parity)
    code.set(op.result, stage)


@lowers("nv_tileas.async.pipeline.consumer_read")
def lower_consumer_read(code: ThreadBuilder, op: pl.ConsumerReadOp) -> None:
    stage = code.value(op.token)
    block = op.body.block
    for argument, address in zip(block.args, buffer_of(op.pipeline).tiles(code, stage)):
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
    """
    One thread of each warpgroup arrives on the empty barrier. That suffices: WGMMAs complete for
    the whole warpgroup, and it has waited for those that read the stage.
    """
    buffer, stage = buffer_of(op.pipeline), code.value(op.token)
    condition = is_first_of_group(code)
    if not isinstance(op.token.owner, pl.ConsumerReadOp):
        # A null token: the first iteration has no stage to release.
        is_stage = code.emit(CmpiOp(stage, code.constant(0), "sge")).result
        condition = code.emit(arith.AndIOp(condition, is_stage)).result
    with only_if(code, condition):
        empty = buffer.empty(code, stage)
        if code.kernel.cluster == 1:
            code.emit(MBarrierArriveOp(empty, MBarrierTokenType()))
        else:
            # Multicast fills the stage in all CTAs of the cluster, so all of them have to know.
            for rank in range(code.kernel.cluster):
                place, count = code.constant(rank), code.constant(1)
                code.emit(MBarrierArriveRemoteOp(empty, place, count, scope=MemScope.CLUSTER))


@lowers("nv_tileas.async.pipeline.create_null_token")
def lower_create_null_token(code: ThreadBuilder, op: pl.CreateNullTokenOp) -> None:
    code.set(op.result, code.constant(NO_STAGE))


def wait(
    code: ThreadBuilder, barrier: SSAValue, parity: SSAValue, scope: MemScope | None = None
) -> None:
    """Waits for a phase of an mbarrier to complete, with acquire semantics at a scope."""
    phase = code.emit(TruncIOp(parity, i1)).result
    before, after = Block(), Block()
    with code.branch(before):
        ticks = code.constant(TRY_WAIT_NANOSECONDS)
        done = code.emit(MBarrierTryWaitParityOp(barrier, phase, ticks, scope=scope)).done
        again = code.emit(arith.XOrIOp(done, code.constant(1, i1))).result
        code.emit(scf.ConditionOp(again))
    with code.branch(after):
        code.emit(scf.YieldOp())
    code.emit(scf.WhileOp([], [], Region(before), Region(after)))
