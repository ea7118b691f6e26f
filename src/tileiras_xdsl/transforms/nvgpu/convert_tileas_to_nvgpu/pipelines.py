"""
Pipelines: multi-stage buffers in shared memory, with a full and an empty mbarrier for each stage.

An iterator becomes a stage index and a phase parity; a token becomes a stage index. TMA fills a
stage and counts its bytes on the full barrier. If threads of producer warps copy tiles of it as
well, each arrives there when its copies are complete (`cp.async.mbarrier.arrive.noinc`), or when it
has stored them; as WGMMA reads by the async proxy, and they write by the generic one, consumers
then execute a proxy fence. Each consumer warpgroup arrives on the empty barrier when it has read
the stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, IntegerType, i8
from xdsl.ir import BlockArgument, Operation, SSAValue

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.building import unit
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp
from tileiras_xdsl.dialects.nv_tileas.atoms import CopiedLoad, has_atom, is_copied, is_stored
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    AGENTS,
    COLUMN,
    HALVED,
    LAYOUT,
    MULTICAST,
    TMA_ELEMENT_TYPE,
    WARP_RELEASE,
    find_agent,
    find_stage_read,
    is_released_by_warps,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp, LoadOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    BARRIER_BYTES,
    BUFFER_ALIGNMENT,
    get_buffers,
)
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TMEM
from tileiras_xdsl.dialects.nv_tileas.types import IteratorType, PipelineType, get_memory
from tileiras_xdsl.dialects.nvgpu.types import get_cluster_ctas
from tileiras_xdsl.dialects.nvvm.tcgen05 import Tcgen05Fence
from tileiras_xdsl.targets.machine import WARP_THREADS, WARPGROUP_WARPS
from tileiras_xdsl.targets.tma import OUTSIDE
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import stage_tile_bytes
from tileiras_xdsl.transforms.tileas.kernel_model.copied_loads import is_by_tma
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import get_anchor_layout
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_memory_webs import columns_of_type
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import (
    halve,
    is_view_like,
    loaded_tiling,
    map_dims,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import condition_of, last_of, walk

from . import tensor_maps
from .async_copies import copy_of_view, copy_through_pointers, is_shared
from .barriers import arrive_remotely, only_if, shared_address, sync_threads, wait
from .lowering_registry import lower_op, lowers
from .tcgen05 import (
    advance,
    commit,
    commit_barriers,
    cta_group,
    fence,
    is_issuing_warp,
    is_leader,
    issuing_thread,
    pair_barriers,
)
from .tensor_maps import loads_from_nowhere, tensor_map
from .thread_builder import ThreadBuilder, index_pointer
from .thread_index import (
    ALL_LANES,
    get_cluster_rank,
    get_thread,
    is_first_of_warp,
    is_first_of_warpgroup,
    is_first_thread,
)
from .tma_stores import tma_tile_coordinates

NO_STAGE = -1
"""A mask of the lanes of a warp."""


@dataclass(frozen=True)
class PipelineStorage:
    """The shared memory of a pipeline."""

    stages: int
    data: int
    """The offset of the first stage, in bytes."""
    stage_bytes: int
    offsets: Sequence[int]
    """The offset of each tile within a stage."""
    transaction_bytes: int
    """How many bytes TMA writes to a stage: the transaction count of its full barrier."""
    barriers: int
    """The offset of the full barriers; the empty ones follow."""

    @staticmethod
    def of(pipeline: SSAValue) -> PipelineStorage:
        """The shared memory that a pipeline was given."""
        op = pipeline.owner
        assert isinstance(op, pl.CreatePipelineOp)
        offsets: list[int] = []
        total = filled = 0
        for size in stage_tile_bytes(op):
            offsets.append(total)
            filled += size
            total += -(-size // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
        *data, barriers = get_buffers(op)
        start = data[0].offset if data else 0
        return PipelineStorage(op.get_num_stages(), start, total, offsets, filled, barriers.offset)

    def full(self, builder: ThreadBuilder, stage: SSAValue) -> SSAValue:
        """The full barrier of a stage."""
        return _stage_address(builder, self.barriers, stage, BARRIER_BYTES)

    def empty(self, builder: ThreadBuilder, stage: SSAValue) -> SSAValue:
        """The empty barrier of a stage."""
        start = self.barriers + self.stages * BARRIER_BYTES
        return _stage_address(builder, start, stage, BARRIER_BYTES)

    def tiles(self, builder: ThreadBuilder, stage: SSAValue) -> list[SSAValue]:
        """The addresses of the tiles of a stage."""
        return [
            _stage_address(builder, self.data + offset, stage, self.stage_bytes)
            for offset in self.offsets
        ]


def _stage_address(builder: ThreadBuilder, start: int, stage: SSAValue, size: int) -> SSAValue:
    offset = builder.get_or_emit(arith.MuliOp, stage, builder.constant(size))
    base = shared_address(builder, start)
    return builder.emit(index_pointer(base, offset, i8, base.type)).result


@lowers(pl.CreatePipelineOp)
def lower_create_pipeline(builder: ThreadBuilder, op: pl.CreatePipelineOp) -> None:
    builder.map(op.result)


def init_barriers(builder: ThreadBuilder, switch: pl.AgentSwitchOp) -> None:
    """
    One thread initializes the mbarriers of the pipelines before an agent switch, and those that its
    agents have; a CTA barrier has to follow.
    """
    block = switch.parent_block()
    assert switch.num_warps is not None
    assert block is not None
    num_warps, all_warps = builder.kernel.consumer_warps, sum(switch.num_warps.get_values())
    inside = walk(switch) if builder.kernel.columns is not None else ()
    with only_if(builder, is_first_thread(builder)):
        for barrier in commit_barriers(builder, inside):
            builder.emit(nvvm.MBarrierInitSharedOp(barrier, builder.constant(1)))
        for barrier in pair_barriers(builder, inside):
            builder.emit(
                nvvm.MBarrierInitSharedOp(barrier, builder.constant(builder.kernel.pair_ctas))
            )
        for op in block.ops:
            if not isinstance(op, pl.CreatePipelineOp):
                continue
            buffer = PipelineStorage.of(op.result)
            if AGENTS.is_on(switch):
                arrivals = count_arrivals(builder, op, num_warps)
            else:
                # Threads arrive when their copies are complete, and when they have stored.
                kinds = set(map(is_stored, find_copied_loads(op.result).values()))
                commits = 1 + len(kinds) * WARP_THREADS * (all_warps - num_warps)
                arrivals = commits, count_releases(builder, op) * multicast_ctas(builder, op.result)
            counts = [builder.constant(each) for each in arrivals]
            for stage in range(buffer.stages):
                for start, count in zip((0, buffer.stages), counts, strict=True):
                    address = shared_address(
                        builder, buffer.barriers + (start + stage) * BARRIER_BYTES
                    )
                    builder.emit(nvvm.MBarrierInitSharedOp(address, count))
        builder.emit(nvvm.FenceMBarrierInitOp())


def count_releases(builder: ThreadBuilder, op: pl.CreatePipelineOp) -> int:
    """How many threads, or MMAs, of a CTA without an MMA agent release a stage of a pipeline."""
    if WARP_RELEASE.is_on(op):
        return builder.kernel.consumer_warps
    if builder.kernel.columns is None:
        return max(1, builder.kernel.consumer_warps // WARPGROUP_WARPS)
    # One thread issues MMAs, which say when they have read a stage; it says so for threads.
    return 2 if is_read_by_threads(op.result) else 1


def find_copied_loads(pipeline: SSAValue) -> dict[int, CopiedLoad]:
    """The loads that threads of producer warps do, by the number of their tile in a stage."""
    for use in pipeline.uses:
        if isinstance(use.operation, pl.ProducerWriteOp):
            values = last_of(use.operation.body.block).operands
            return {
                number: load
                for number, value in enumerate(values)
                if is_copied(load := value.owner)
            }
    return {}


def count_arrivals(
    builder: ThreadBuilder, op: pl.CreatePipelineOp, num_warps: int
) -> tuple[int, int]:
    """
    How many arrive on the full and the empty barriers of a pipeline beside an MMA agent: a commit
    of MMAs is one, and each consumer warp, of both CTAs of a pair, tells of what it has read or
    written.
    """
    arrivals: list[int] = []
    num_warps *= builder.kernel.pair_ctas
    for kind in (pl.ProducerCommitOp, pl.ConsumerReleaseOp):
        agents = {
            find_agent(use.operation) for use in op.result.uses if isinstance(use.operation, kind)
        }
        arrivals.append(sum(num_warps if agent == "consumer" else 1 for agent in agents))
    commits, releases = arrivals
    return commits, releases * multicast_ctas(builder, op.result)


def multicast_ctas(builder: ThreadBuilder, pipeline: SSAValue) -> int:
    """How many CTAs of a cluster fill the stages of a pipeline: by multicast, all of them do."""
    writes = (use.operation for use in pipeline.uses)
    is_shared = any(
        MULTICAST.is_on(load)
        for write in writes
        if isinstance(write, pl.ProducerWriteOp)
        for load in write.body.block.ops
    )
    return get_cluster_ctas(builder.kernel.function) if is_shared else 1


def is_handed_over(pipeline: SSAValue) -> bool:
    """Whether MMAs or threads write the stages of a pipeline, for each other, and not TMA."""
    return any(
        isinstance(use.operation, pl.ProducerCommitOp) and find_agent(use.operation) != "producer"
        for use in pipeline.uses
    )


# Stages in tensor memory, which an MMA agent and threads hand to each other


def is_in_columns(pipeline: SSAValue) -> bool:
    """Whether the stages of a pipeline are in tensor memory."""
    ty = pipeline.type
    assert isinstance(ty, PipelineType)
    return any(get_memory(element) == TMEM for element in ty.element_types)


def find_column(builder: ThreadBuilder, pipeline: SSAValue, stage: SSAValue) -> SSAValue:
    """The address of a stage in tensor memory."""
    create, base = pipeline.owner, builder.agent.tensor_memory
    assert isinstance(create, pl.CreatePipelineOp)
    column = COLUMN.get(create)
    if column is None or base is None:
        fail(builder.op, "expects tensor memory to be allocated (tileas-allocate-tensor-memory)")
    (element,) = create.result.type.element_types
    address = advance(builder, base, column.data)
    if create.get_num_stages() == 1:
        return address
    step = builder.constant(columns_of_type(element))
    offset = builder.get_or_emit(arith.MuliOp, stage, step)
    return builder.binary("add", address, offset)


def wait_for_tile(builder: ThreadBuilder, barrier: SSAValue, parity: SSAValue) -> None:
    """Waits for the other agent; what it has done in tensor memory comes before what follows."""
    is_told_by_pair = builder.agent.name == "mma" and builder.kernel.pair_ctas > 1
    wait(builder, barrier, parity, nvvm.MemScope.CLUSTER if is_told_by_pair else None)
    fence(builder, Tcgen05Fence.AFTER)


def tell_of_tile(builder: ThreadBuilder, barrier: SSAValue) -> None:
    """
    Tells the other agent what was done in tensor memory so far: MMAs arrive on a barrier when they
    are complete, and one thread of each consumer warp when the warp has waited for its accesses. In
    a pair of CTAs MMAs tell the threads of both, and these tell the CTA that issues MMAs.
    """
    if builder.agent.name == "mma":
        with issuing_thread(builder):
            commit(builder, barrier, builder.kernel.pair_ctas)
        return
    fence(builder, Tcgen05Fence.BEFORE)
    arrive_of_warp(builder, barrier)


def arrive_of_warp(builder: ThreadBuilder, barrier: SSAValue) -> None:
    """One thread of a warp arrives on a barrier, after all of them."""
    builder.emit(nvvm.BarWarpSyncOp(builder.constant(ALL_LANES)))
    with only_if(builder, is_first_of_warp(builder)):
        if builder.kernel.pair_ctas == 1:
            builder.emit(nvvm.MBarrierArriveSharedOp(barrier))
            return
        arrive_remotely(builder, barrier, builder.constant(0), nvvm.MemScope.CLUSTER)


@lowers(pl.StageBufferOp)
def lower_stage_buffer(builder: ThreadBuilder, op: pl.StageBufferOp) -> None:
    stage = builder.lookup(op.token)
    if is_in_columns(op.pipeline):
        builder.map(op.result, find_column(builder, op.pipeline, stage))
    else:
        builder.map(op.result, *PipelineStorage.of(op.pipeline).tiles(builder, stage))


# Iterators


@lowers(pl.CreateIteratorOp)
def lower_create_iterator(builder: ThreadBuilder, op: pl.CreateIteratorOp) -> None:
    ty = op.result.type
    assert isinstance(ty, IteratorType)
    # All stages are empty. Waiting for the parity of the phase before the first one succeeds at
    # once, so the producer's first round does not block.
    parity = int(ty.role.data == "producer")
    builder.map(op.result, builder.constant(0), builder.constant(parity))


@lowers(pl.IncIterOp)
def lower_inc_iter(builder: ThreadBuilder, op: pl.IncIterOp) -> None:
    stage, parity = builder.lookup_all(op.iterator)
    buffer = PipelineStorage.of(find_pipeline(op.iterator))
    following = builder.binary("add", stage, 1)
    wraps = builder.compare("eq", following, buffer.stages)
    stage = builder.select(wraps, builder.constant(0), following)
    flipped = builder.binary("xor", parity, 1)
    builder.map(op.result, stage, builder.select(wraps, flipped, parity))


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
        index = next(n for n, result in enumerate(owner.results) if result is iterator)
        match owner:
            case pl.CreateIteratorOp():
                return owner.pipeline
            case pl.IncIterOp():
                iterator = owner.iterator
            case scf.ForOp():
                iterator = owner.iter_args[index]
            case scf.WhileOp():
                iterator = condition_of(owner).args[index]
            case scf.IfOp():
                iterator = last_of(owner.true_region.block).operands[index]
            case _:
                raise AssertionError("an iterator comes from nowhere")


# Producers


@lowers(pl.ProducerAcquireOp)
def lower_producer_acquire(builder: ThreadBuilder, op: pl.ProducerAcquireOp) -> None:
    stage, parity = builder.lookup_all(op.iterator)
    builder.map(op.result, stage)
    if is_in_columns(op.pipeline):
        wait_for_tile(builder, PipelineStorage.of(op.pipeline).empty(builder, stage), parity)
        return
    # The other CTAs of a cluster arrive on it as well.
    is_shared = multicast_ctas(builder, op.pipeline) > 1 and is_read_by_threads(op.pipeline)
    scope = nvvm.MemScope.CLUSTER if is_shared else None
    wait(builder, PipelineStorage.of(op.pipeline).empty(builder, stage), parity, scope)


@lowers(pl.ProducerWriteOp)
def lower_producer_write(builder: ThreadBuilder, op: pl.ProducerWriteOp) -> None:
    stage, buffer = builder.lookup(op.token), PipelineStorage.of(op.pipeline)
    builder.map(op.result, stage)
    if builder.agent.hands_over:
        # Tiles are written to their stage already.
        return
    if builder.agent.copying_threads:
        _copy_and_load(builder, op, stage)
        return
    barrier = buffer.full(builder, stage)
    last = last_of(op.body.block)
    ctas = builder.kernel.pair_ctas
    expects = nvvm.MBarrierArriveExpectTxSharedOp(
        barrier, builder.constant(ctas * buffer.transaction_bytes)
    )
    if ctas == 1:
        builder.emit(expects)
    else:
        # The CTA that issues MMAs waits for the tiles of both.
        with only_if(builder, is_leader(builder)):
            builder.emit(expects)
    with tensor_maps.up_to_date_at(builder, op):
        for value, address in zip(last.operands, buffer.tiles(builder, stage), strict=True):
            load = value.owner
            if not isinstance(load, TiledLoadOp) or not has_atom(load, "tma_load"):
                fail(
                    op, "only tiles that are loaded by 'tma_load' can be written to a buffer stage"
                )
            _copy_tile(builder, load, address, barrier)


def _copy_and_load(builder: ThreadBuilder, op: pl.ProducerWriteOp, stage: SSAValue) -> None:
    """
    One thread issues the TMA loads of a stage, and all threads of the producer copy the other
    tiles; each arrives when its copies are complete.
    """
    if any(not rebuilt.by_warpgroups for rebuilt in builder.kernel.maps.rebuilt.values()):
        fail(op, "threads that copy tiles cannot rebuild tensor maps")
    buffer = PipelineStorage.of(op.pipeline)
    values = last_of(op.body.block).operands
    tiles = list(zip(values, buffer.tiles(builder, stage), strict=True))
    copied = find_copied_loads(op.pipeline)
    barrier, num_bytes = buffer.full(builder, stage), buffer.transaction_bytes
    assert isinstance(op.pipeline.owner, pl.CreatePipelineOp)
    sizes = stage_tile_bytes(op.pipeline.owner)
    num_bytes -= sum(sizes[number] for number in copied)
    first = builder.constant(builder.kernel.consumer_threads)
    with only_if(builder, builder.compare("eq", get_thread(builder), first)):
        builder.emit(nvvm.MBarrierArriveExpectTxSharedOp(barrier, builder.constant(num_bytes)))
        for value, address in tiles:
            if is_by_tma(load := value.owner):
                _copy_tile(builder, load, address, barrier)
    for value, address in tiles:
        if is_copied(load := value.owner):
            builder.location = load.location
            _check_copying_threads(builder, load)
            if isinstance(load, LoadOp):
                copy_through_pointers(builder, load, value, address)
            else:
                copy_of_view(builder, load, value, address)
    kinds = set(map(is_stored, copied.values()))
    if True in kinds:
        builder.emit(nvvm.MBarrierArriveSharedOp(barrier))
    if False in kinds:
        builder.emit(nvvm.CpAsyncMBarrierArriveSharedOp(barrier, noinc=BoolAttr.from_bool(True)))


def _check_copying_threads(builder: ThreadBuilder, op: CopiedLoad) -> None:
    """The threads of the producer copy a tile in a layout of theirs, by the bits of their index."""
    threads, consumers = builder.agent.copying_threads, builder.kernel.consumer_threads
    layout = get_anchor_layout(op, LAYOUT, op.result.type)
    expected = 0 if layout is None else WARP_THREADS << len(layout.warp)
    if threads != expected or consumers % threads:
        fail(op, f"expects a layout of the {threads} threads of the producer")


def _copy_tile(
    builder: ThreadBuilder, op: TiledLoadOp, address: SSAValue, barrier: SSAValue
) -> None:
    """Issues the TMA loads of a tile."""
    make = _make_halves if MULTICAST.is_on(op) else _make_loads
    for load in make(builder, op, address, barrier):
        builder.emit(load)


def _get_tiling(op: TiledLoadOp) -> TmaTiling:
    """The TMA tiles of a tile that is loaded."""
    tiling = loaded_tiling(op)
    if tiling is None:
        fail(op, f"'{op.view_type}' cannot be loaded by 'tma_load'")
    return tiling


def _make_loads(
    builder: ThreadBuilder, op: TiledLoadOp, address: SSAValue, barrier: SSAValue
) -> Iterator[nvvm.BulkTensorLoadOp]:
    """The TMA loads of a tile, one for each TMA tile, that are to be emitted."""
    builder.location = op.location
    tiling = _get_tiling(op)
    tensor = _find_map(builder, op, tiling)
    is_nowhere = loads_from_nowhere(builder, op.view, tensor)
    for start, offset in tiling.tma_tiles():
        coordinates = tma_tile_coordinates(builder, op.view, op.indices, start)
        _move_to_half(builder, op, coordinates)
        _move_outside(builder, is_nowhere, coordinates)
        target = address
        if offset:
            moved = index_pointer(address, builder.constant(offset), i8, address.type)
            target = builder.emit(moved).result
        load = _make_load(target, tensor, coordinates, barrier)
        load.group = cta_group(builder)
        load.leader_barrier = unit(load.group is not None)
        yield load


def _find_map(builder: ThreadBuilder, op: TiledLoadOp, tiling: TmaTiling) -> SSAValue:
    """The address of the tensor map of a load."""
    how = tiling.traversed, tiling.swizzle, TMA_ELEMENT_TYPE.get(op), tiling.element_strides
    return tensor_map(builder, op, op.view, *how)


def _move_to_half(builder: ThreadBuilder, op: TiledLoadOp, coordinates: list[SSAValue]) -> None:
    """Of a tile that a pair of CTAs halves, the odd one loads the second half."""
    halved = HALVED.get(op)
    if halved is None:
        return
    at = halved.data
    position = list(map_dims(op.view)).index(op.view_type.get_dim_map()[at])
    step = builder.constant(op.view_type.get_tile_shape()[at] // 2)
    further = builder.get_or_emit(arith.MuliOp, get_cluster_rank(builder), step)
    coordinates[position] = builder.binary("add", coordinates[position], further)


def _move_outside(
    builder: ThreadBuilder, is_nowhere: SSAValue | None, coordinates: list[SSAValue]
) -> None:
    """A load of an empty tensor begins outside of all tensors, along the outermost dimension."""
    if is_nowhere is not None:
        outside = builder.constant(OUTSIDE)
        coordinates[-1] = builder.select(is_nowhere, outside, coordinates[-1])


def _make_halves(
    builder: ThreadBuilder, op: TiledLoadOp, address: SSAValue, barrier: SSAValue
) -> Iterator[nvvm.BulkTensorLoadOp]:
    """
    The multicast loads of one half of a tile to both CTAs, that are to be emitted; the other CTA
    loads the rest.
    """
    builder.location = op.location
    tiling = halve(_get_tiling(op))
    if tiling is None:
        fail(op, f"'{op.view.type}' cannot be loaded by two CTAs, one half each")
    tma_tiles = list(tiling.tma_tiles())
    half = len(tma_tiles) // 2
    (first, _), (second, distance) = tma_tiles[0], tma_tiles[half]
    rank = get_cluster_rank(builder)
    tensor = _find_map(builder, op, tiling)
    is_nowhere = loads_from_nowhere(builder, op.view, tensor)
    moved = builder.get_or_emit(arith.MuliOp, rank, builder.constant(distance))
    mask = builder.constant((1 << get_cluster_ctas(builder.kernel.function)) - 1, IntegerType(16))
    for start, offset in tma_tiles[:half]:
        coordinates = tma_tile_coordinates(builder, op.view, op.indices, start)
        for position, dim in enumerate(map_dims(op.view)):
            if second[dim] != first[dim]:
                step = builder.constant(second[dim] - first[dim])
                further = builder.get_or_emit(arith.MuliOp, rank, step)
                coordinates[position] = builder.binary("add", coordinates[position], further)
        _move_outside(builder, is_nowhere, coordinates)
        total = builder.binary("add", moved, offset)
        target = builder.emit(index_pointer(address, total, i8, address.type)).result
        yield _make_load(target, tensor, coordinates, barrier, mask)


def _make_load(
    target: SSAValue,
    tensor: SSAValue,
    coordinates: Sequence[SSAValue],
    barrier: SSAValue,
    mask: SSAValue | None = None,
) -> nvvm.BulkTensorLoadOp:
    """A TMA load that is to be emitted."""
    make = nvvm.BULK_TENSOR_LOADS[len(coordinates)]
    load = make(target, tensor, *coordinates, barrier, multicast_mask=mask)
    load.mode = nvvm.LoadModeAttr(nvvm.LoadMode.TILE)
    return load


@lowers(pl.ProducerCommitOp)
def lower_producer_commit(builder: ThreadBuilder, op: pl.ProducerCommitOp) -> None:
    """
    No code for loads: `producer_write` has set the expected bytes, and TMA completes the phase.
    """
    if not builder.agent.hands_over:
        return
    full = PipelineStorage.of(op.pipeline).full(builder, builder.lookup(op.token))
    if is_in_columns(op.pipeline):
        tell_of_tile(builder, full)
    else:
        # MMAs read what threads have written by the asynchronous proxy.
        builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC_SHARED, nvvm.SharedSpace.CTA))
        arrive_of_warp(builder, full)


# Consumers


@lowers(pl.ConsumerWaitOp)
def lower_consumer_wait(builder: ThreadBuilder, op: pl.ConsumerWaitOp) -> None:
    stage, parity = builder.lookup_all(op.iterator)
    full = PipelineStorage.of(op.pipeline).full(builder, stage)
    if is_in_columns(op.pipeline):
        wait_for_tile(builder, full, parity)
    elif builder.agent.name == "mma" or not builder.agent.issues_mmas:
        # Threads of both CTAs of a pair have written it.
        is_shared = builder.kernel.pair_ctas > 1 and is_handed_over(op.pipeline)
        wait(builder, full, parity, nvvm.MemScope.CLUSTER if is_shared else None)
        if find_copied_loads(op.pipeline):
            builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC_SHARED, nvvm.SharedSpace.CTA))
    elif is_read_by_threads(op.pipeline):
        # The stage is released by one thread: the others must have seen that it is full by then,
        # for it may be full again when they look.
        wait(builder, full, parity)
        sync_threads(builder)
    else:
        with only_if(builder, is_issuing_warp(builder)):
            wait(builder, full, parity)
    builder.map(op.result, stage)


def is_read_by_threads(pipeline: SSAValue) -> bool:
    """Whether threads read tiles of a pipeline, and not only MMAs."""
    values: list[SSAValue] = []
    for use in pipeline.uses:
        if isinstance(read := use.operation, pl.ConsumerReadOp):
            values += (*read.body.block.args, *read.values)
    while values:
        for use in values.pop().uses:
            if isinstance(use.operation, DotOp | AsyncDotOp | pl.PipelineYieldOp):
                continue
            if not is_view_like(use.operation):
                return True
            values += use.operation.results
    return False


@lowers(pl.ConsumerReadOp)
def lower_consumer_read(builder: ThreadBuilder, op: pl.ConsumerReadOp) -> None:
    stage = builder.lookup(op.token)
    block = op.body.block
    if is_in_columns(op.pipeline):
        addresses = [find_column(builder, op.pipeline, stage)]
    else:
        addresses = PipelineStorage.of(op.pipeline).tiles(builder, stage)
    for argument, address in zip(block.args, addresses, strict=True):
        if not is_shared(argument) and not is_in_columns(op.pipeline):
            fail(op, f"'{argument.type}' is no tile in shared memory")
        builder.map(argument, address)
    last = last_of(block)
    for each in block.ops:
        if each is not last:
            lower_op(builder, each)
    for result, value in zip(op.values, last.operands, strict=True):
        builder.map(result, *builder.lookup_all(value))
    builder.map(op.result_token, stage)


def is_made_ahead(op: pl.ConsumerReleaseOp) -> bool:
    """
    Whether threads make an operand A of what they have read of a stage, and issue other WGMMAs
    before they need it.
    """
    block, dots = op.parent_block(), list[Operation]()
    values: list[SSAValue] = []
    after = op.token.owner if isinstance(op.token.owner, pl.ConsumerReadOp) else None
    while after is not None:
        if isinstance(after, AsyncDotOp):
            # The first one waits for its operands.
            values += [after.a] if dots else []
            dots.append(after)
        elif isinstance(after, scf.ForOp | scf.YieldOp):
            values += after.operands
        after = after.next_op

    def is_read(each: Operation) -> bool:
        read = find_stage_read(each.source) if isinstance(each, CopyOp) else None
        return read is not None and read.result_token is op.token

    for value in values:
        made = backward_slice([value], lambda each: each.parent_block() is block)
        if any(map(is_read, made)) and not any(
            isinstance(each, AsyncDotOp | AsyncFutureWaitOp | DotOp) for each in made
        ):
            return True
    return False


@lowers(pl.ConsumerReleaseOp)
def lower_consumer_release(builder: ThreadBuilder, op: pl.ConsumerReleaseOp) -> None:
    """
    One thread of each warpgroup arrives on the empty barrier. That suffices: WGMMAs complete for
    the whole warpgroup, and it has waited for those that read the stage. Where threads read the
    stage, one thread of each warp arrives, when all of the warp have read it. MMAs by `tcgen05`
    arrive themselves; the thread that issues them arrives as well if threads read stages.
    """
    buffer, stage = PipelineStorage.of(op.pipeline), builder.lookup(op.token)
    if is_in_columns(op.pipeline):
        tell_of_tile(builder, buffer.empty(builder, stage))
        return
    if builder.agent.issues_mmas:
        ctas = max(multicast_ctas(builder, op.pipeline), builder.kernel.pair_ctas)
        with issuing_thread(builder):
            empty = buffer.empty(builder, stage)
            commit(builder, empty, ctas)
            if builder.agent.name == "consumer" and is_read_by_threads(op.pipeline):
                # A commit releases nothing that threads have read, before a barrier.
                _arrive(builder, op.pipeline, empty)
        return
    if is_released_by_warps(op.pipeline):
        if is_made_ahead(op):
            # WGMMAs and bulk copies come before loads of threads at the shared memory: what was
            # read has to be there before the next copy is asked for.
            builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC_SHARED, nvvm.SharedSpace.CTA))
        builder.emit(nvvm.BarWarpSyncOp(builder.constant(ALL_LANES)))
        condition = is_first_of_warp(builder)
    else:
        condition = is_first_of_warpgroup(builder)
    if not isinstance(op.token.owner, pl.ConsumerReadOp):
        # A null token: the first iteration has no stage to release.
        is_stage = builder.compare("sge", stage, 0)
        condition = builder.binary("and", condition, is_stage)
    with only_if(builder, condition):
        _arrive(builder, op.pipeline, buffer.empty(builder, stage))


def _arrive(builder: ThreadBuilder, pipeline: SSAValue, empty: SSAValue) -> None:
    """
    A thread arrives on an empty barrier. Multicast fills the stage in all CTAs of the cluster, so
    all of them have to know. WGMMAs that were waited for have read it, and no copy can change that:
    memory is ordered only for what threads read. A release to other CTAs is slow: the thread waits
    for all it has done.
    """
    builder.emit(nvvm.MBarrierArriveSharedOp(empty))
    scope = nvvm.MemScope.CLUSTER if is_read_by_threads(pipeline) else None
    for distance in range(1, multicast_ctas(builder, pipeline)):
        rank = builder.get_or_emit(
            arith.XOrIOp, get_cluster_rank(builder), builder.constant(distance)
        )
        arrive_remotely(builder, empty, rank, scope)


@lowers(pl.CreateNullTokenOp)
def lower_create_null_token(builder: ThreadBuilder, op: pl.CreateNullTokenOp) -> None:
    builder.map(op.result, builder.constant(NO_STAGE))
