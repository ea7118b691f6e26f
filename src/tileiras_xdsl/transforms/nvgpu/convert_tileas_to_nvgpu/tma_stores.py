"""
TMA stores: a tile goes to scratch memory, from where TMA copies it while the kernel goes on.

    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #nv_tileas.atom<tma_store>} : …

becomes, with four TMA tiles of 128x64 elements,

    nvvm.fragment.stmatrix %x, %rows {num = 4 : i64} : vector<128xf16>, vector<16x!llvm.ptr<3>>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, …}
    gpu.barrier
    scf.if %first {
      nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile %map, %j256, %i128, %tile0 : …
      …
      nvvm.cp.async.bulk.commit.group
    }

Threads wait for the copies when scratch memory is needed again, or the kernel ends
(`nv_tileas.wait_copies`). A tile that is too large is stored in subtiles of some TMA tiles each,
which take turns in the same memory. Subtiles are chosen by registers: each thread writes its
elements of a subtile.

Atomics on tiles go the same way (`tma_reductions`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i8, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import TileAxisInfo
from tileiras_xdsl.analysis.layout_conversion import SharedAccess
from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import matrix_access
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.atoms import TMA_REDUCE_ATOM, TMA_STORE_ATOM, has_atom
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentStMatrixOp,
    FragmentStoreOp,
    count_lanes,
    element_bits,
)
from tileiras_xdsl.targets.machine import WARPGROUP_BARRIER, WARPGROUP_THREADS
from tileiras_xdsl.targets.tma import ALIGNMENT, COORDINATES, MAX_RANK, OUTSIDE
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import memory_type
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import map_dims
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import (
    StoreSubtiles,
    TmaAccess,
    WarpgroupTmaTiles,
    reduction_kind,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from . import tensor_maps, views
from .accesses import encode, unique_registers
from .barriers import only_if, shared_address, sync_threads, take_scratch
from .exchange import ElementOffsets, vector_addresses
from .lowering_registry import lowers
from .memory import lower_tile_update
from .tensor_maps import tensor_map
from .thread_builder import (
    ThreadBuilder,
    all_of,
    element_of,
    index_pointer,
    move_pointer,
    select_registers,
    splat,
)
from .thread_index import get_warpgroup, is_first_of_warpgroup, is_first_thread, is_owner

# TMA tiles: their coordinates in the tensor, bounds checks, and how threads stage them in shared
# memory. The copies are issued in `pipelines` (loads), `tma_stores`, `warpgroup_stores` and
# `tma_reductions`.

VECTOR_BITS: Final = 128
"""The widest store of a thread."""

TmaCopy = Callable[[SSAValue, SSAValue, Sequence[SSAValue]], Operation]
"""Makes a TMA copy from an address in shared memory, a tensor map and coordinates."""


def write_at_offsets(
    builder: ThreadBuilder,
    address: SSAValue,
    value: SSAValue,
    offsets: LinearLayout,
    owner: SSAValue | None,
) -> None:
    """Writes registers to their offsets, by `stmatrix` where the layout allows."""
    bits = element_bits(element_of(value.type))
    row_major = LinearLayout.shared(
        offsets.shape, (1 << bit for bit in range(log2(offsets.elements)))
    )
    for transposed in (False, True) if owner is None else ():
        access = matrix_access(row_major, offsets, bits, transposed=transposed)
        if access is not None:
            rows = vector_addresses(
                builder, address, access, element_of(value.type), rematerialize=True
            )
            builder.emit(FragmentStMatrixOp(value, rows, access.count, transposed))
            return
    width = min(ElementOffsets.of(offsets).width, VECTOR_BITS // bits)
    vectors = SharedAccess(width, offsets.register[log2(width) :], offsets.lane, offsets.warp)
    targets = vector_addresses(
        builder, address, vectors, element_of(value.type), rematerialize=True
    )
    mask = None if owner is None else splat(builder, owner, count_lanes(targets.type))
    builder.emit(FragmentStoreOp(value, targets, mask=mask, alignment=width * bits // 8))


def tile_axis_info(builder: ThreadBuilder, op: TmaAccess) -> TileAxisInfo:
    """What is known of the tile of a store or an atomic."""
    return TileAxisInfo.of(op.view, op.indices, builder.kernel.model.axis_info, op.get_in_bounds())


def writes_only_inside(builder: ThreadBuilder, op: TmaAccess) -> SSAValue | None:
    """
    Whether TMA stores of a tile write nothing past the end of the rows of its tensor, as an i1;
    `None` if statically known to hold. TMA writes whole units of 16 bytes, the last of which may
    reach over the end.
    """
    view, ty = op.view, op.view_type
    dim = map_dims(view)[0]
    at = ty.get_dim_map().index(dim)
    tile = tile_axis_info(builder, op)
    size = element_bits(memory_type(ty.element_type)) // 8
    if tile.is_in_bounds(at) or tile.size(at).divisor * size % ALIGNMENT == 0:
        return None
    row_length = views.value_of(builder, views.get_tensor(builder, view).sizes[dim])
    mask = builder.constant(ALIGNMENT // size - 1, i64)
    rest = builder.get_or_emit(arith.AndIOp, row_length, mask)
    return builder.compare("eq", rest, 0)


@contextmanager
def if_in_bounds(builder: ThreadBuilder, op: TmaAccess) -> Generator[None]:
    """
    Appends to a branch that is taken if the tensor of a view is not empty and the rows of the tile
    do not begin before it; to no branch if both are statically known. The tensor map of an empty
    tensor describes a zero, which loads read and stores must not overwrite. Along the innermost
    dimension no coordinate can stand for one before the tensor (`clamp_store_coordinates`).
    """
    ty, tile = op.view_type, tile_axis_info(builder, op)
    conditions: list[SSAValue | None] = []
    for at, dim in enumerate(ty.get_dim_map()):
        if tile.is_in_bounds(at):
            continue
        if tile.size(at).low <= 0:
            size = views.value_of(builder, views.get_tensor(builder, op.view).sizes[dim])
            conditions.append(builder.compare("sgt", size, 0))
        if tile.starts[at].low < 0 and dim == map_dims(op.view)[0]:
            index = views.value_of(builder, views.fold_integer(builder, op.indices[at]))
            conditions.append(builder.compare("sge", index, 0))
    condition = all_of(builder, conditions)
    if condition is None:
        yield
        return
    with only_if(builder, condition):
        yield


def tma_tile_coordinates(
    builder: ThreadBuilder, view: SSAValue, indices: Sequence[SSAValue], start: Sequence[int]
) -> list[SSAValue]:
    """The coordinates of a TMA tile in its tensor, given its start in the tile."""
    ty = view.type
    assert isinstance(ty, TiledViewType)
    tile = TileAxisInfo.of(view, indices, builder.kernel.model.axis_info)
    coordinates: list[SSAValue] = []
    for position, dim in enumerate(map_dims(view)):
        at = ty.get_dim_map().index(dim)
        origin = views.start_of_tile(builder, indices[at], ty.get_steps()[at])
        value = views.add(builder, origin, start[dim])
        info = tile.starts[at]
        is_small = COORDINATES[0] <= info.low and info.high + start[dim] <= COORDINATES[1]
        coordinates.append(_coordinate(builder, value, is_small, is_innermost=position == 0))
    return coordinates


def clamp_store_coordinates(
    builder: ThreadBuilder, op: TmaAccess, coordinates: Sequence[SSAValue]
) -> list[SSAValue]:
    """
    The coordinates of a TMA store: negative ones fault, so the greatest coordinate replaces them,
    which is out of bounds as well. A tile that begins before its tensor has no elements of it
    (`tma_tiles.may_begin_outside`).
    """
    ty, tile = op.view_type, tile_axis_info(builder, op)
    innermost, *others = coordinates
    found = [innermost]
    for coordinate, dim in zip(others, map_dims(op.view)[1:], strict=True):
        at = ty.get_dim_map().index(dim)
        if tile.starts[at].low < 0 and not tile.promised[at]:
            most = builder.constant(COORDINATES[1])
            coordinate = builder.get_or_emit(arith.MinUIOp, coordinate, most)
        found.append(coordinate)
    return found


def _coordinate(
    builder: ThreadBuilder, value: views.OpFoldResult, is_small: bool, *, is_innermost: bool
) -> SSAValue:
    """
    A coordinate as an i32. One that does not fit is out of bounds, since the tensor is smaller:
    it is clamped, or along the innermost dimension, where coordinates have to stay multiples of
    16 bytes, replaced by one that is out of bounds.
    """
    least, most = COORDINATES
    if isinstance(value, int):
        return builder.constant(value if least <= value <= most else OUTSIDE)
    if not is_small and not is_innermost:
        value = builder.get_or_emit(arith.MaxSIOp, value, builder.constant(least, i64))
        value = builder.get_or_emit(arith.MinSIOp, value, builder.constant(most, i64))
    short = builder.get_or_emit(TruncIOp, value, i32)
    if is_small or not is_innermost:
        return short
    fits = builder.get_or_emit(CmpiOp, value, builder.get_or_emit(ExtSIOp, short, i64), "eq")
    return builder.get_or_emit(SelectOp, fits, short, builder.constant(OUTSIDE))


# TMA stores by single warpgroups.
#
# Where each TMA tile belongs to one warpgroup, as it does for WGMMA accumulators, its threads
# write it to a buffer of the store and issue the TMA store without a barrier of all consumer
# warps: the other warpgroups may still be in their main loop.
#
#     scf.if %first_of_warpgroup { nvvm.cp.async.bulk.wait_group 0 {read} }   the buffer is free
#     nvvm.barrier id = %warpgroup number_of_threads = %c128
#     nvvm.fragment.stmatrix %x, %rows …
#     nvvm.fence.proxy …
#     nvvm.barrier id = %warpgroup number_of_threads = %c128
#     scf.if %first_of_warpgroup {
#       nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile …
#       nvvm.cp.async.bulk.commit.group
#     }


def store_by_warpgroups(builder: ThreadBuilder, op: TmaAccess, copy: TmaCopy) -> None:
    """Each warpgroup stores its own TMA tiles."""
    ty, layout = op.view_type, builder.layout(op.value)
    tma_tiles = WarpgroupTmaTiles.of(ty, layout)
    if tma_tiles is None:
        fail(op, "warpgroups share TMA tiles")
    value = unique_registers(builder, builder.lookup(op.value), layout)
    value = encode(builder, value, ty.element_type)
    (placed,) = get_buffers(op)
    buffer = placed.offset
    # Earlier stores of the warpgroup have to have read the buffer.
    with only_if(builder, is_first_of_warpgroup(builder)):
        builder.emit(nvvm.CpAsyncBulkWaitGroupOp(0, read=True))
    _sync_warpgroup(builder)
    write_at_offsets(builder, shared_address(builder, buffer), value, tma_tiles.offsets, None)
    # TMA reads through the async proxy: writes of the generic proxy have to be visible there.
    builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC_SHARED, nvvm.SharedSpace.CTA))
    _sync_warpgroup(builder)
    with (
        only_if(builder, is_first_of_warpgroup(builder)),
        tensor_maps.up_to_date_at(builder, op),
    ):
        warpgroup, tiling = get_warpgroup(builder), tma_tiles.tiling
        address = tensor_map(builder, op, op.view, tiling.box, tiling.swizzle)
        with if_in_bounds(builder, op):
            for start, offset in tma_tiles.tma_tiles:
                staged = shared_address(builder, buffer + offset)
                source = _moved(builder, staged, warpgroup, tma_tiles)
                coordinates = tma_tile_coordinates(builder, op.view, op.indices, start)
                coordinates = _move_coordinates(builder, op, coordinates, warpgroup, tma_tiles)
                coordinates = clamp_store_coordinates(builder, op, coordinates)
                builder.emit(copy(source, address, coordinates))
        builder.emit(nvvm.CpAsyncBulkCommitGroupOp())


def _sync_warpgroup(builder: ThreadBuilder) -> None:
    """The named barrier of the warpgroup."""
    barrier = builder.get_or_emit(
        arith.AddiOp, get_warpgroup(builder), builder.constant(WARPGROUP_BARRIER)
    )
    builder.emit(nvvm.BarrierOp(barrier, builder.constant(WARPGROUP_THREADS)))


def _bit(builder: ThreadBuilder, warpgroup: SSAValue, bit: int, size: int) -> SSAValue:
    """`size` if a bit of the warpgroup index is set, else 0."""
    shifted = (
        builder.get_or_emit(arith.ShRUIOp, warpgroup, builder.constant(bit)) if bit else warpgroup
    )
    single = builder.get_or_emit(arith.AndIOp, shifted, builder.constant(1))
    return builder.get_or_emit(arith.MuliOp, single, builder.constant(size))


def _moved(
    builder: ThreadBuilder, address: SSAValue, warpgroup: SSAValue, tma_tiles: WarpgroupTmaTiles
) -> SSAValue:
    for bit, (_, offset) in enumerate(tma_tiles.moves):
        moved = index_pointer(address, _bit(builder, warpgroup, bit, offset), i8, address.type)
        address = builder.emit(moved).result
    return address


def _move_coordinates(
    builder: ThreadBuilder,
    op: TmaAccess,
    coordinates: Sequence[SSAValue],
    warpgroup: SSAValue,
    tma_tiles: WarpgroupTmaTiles,
) -> list[SSAValue]:
    """The coordinates of a TMA tile of this warpgroup, given those of the first warpgroup."""
    result = list(coordinates)
    for bit, (start, _) in enumerate(tma_tiles.moves):
        for position, dim in enumerate(map_dims(op.view)):
            if start[dim]:
                step = _bit(builder, warpgroup, bit, start[dim])
                result[position] = builder.binary("add", result[position], step)
    return result


@lowers(TiledStoreOp)
def lower_tiled_store(builder: ThreadBuilder, op: TiledStoreOp) -> None:
    """A TMA store, if that was chosen and its subtiles fit, or a store by all threads."""
    if op.view_type.rank > MAX_RANK or not has_atom(op, TMA_STORE_ATOM):
        views.store_by_threads(builder, op)
    else:
        store_tma_tiles(builder, op, _copy_to_tensor, lambda: views.store_by_threads(builder, op))


def _copy_to_tensor(
    source: SSAValue, tensor: SSAValue, coordinates: Sequence[SSAValue]
) -> nvvm.BulkTensorStoreOp:
    """A TMA store that is to be emitted."""
    return nvvm.BULK_TENSOR_STORES[len(coordinates)](tensor, *coordinates, source)


def store_tma_tiles(
    builder: ThreadBuilder, op: TmaAccess, copy: TmaCopy, otherwise: Callable[[], None]
) -> None:
    """
    Stores a tile by TMA, or in another way if TMA cannot. TMA writes whole units of 16 bytes, so
    the size of the tensor decides, which may be known only when the kernel runs: then both ways are
    emitted.
    """
    store = _find_store(builder, op, copy)
    if store is None:
        otherwise()
        return
    condition = writes_only_inside(builder, op)
    if condition is None:
        store()
        return
    blocks: list[Block] = []
    for write in (store, otherwise):
        block = Block()
        blocks.append(block)
        with builder.at_end_of(block):
            write()
            builder.emit(scf.YieldOp())
    builder.emit(scf.IfOp(condition, [], Region(blocks[0]), Region(blocks[1])))


def _find_store(builder: ThreadBuilder, op: TmaAccess, copy: TmaCopy) -> Callable[[], None] | None:
    """What emits the TMA store, if TMA can do it."""
    if WARPGROUP_STORE.is_on(op):
        return lambda: store_by_warpgroups(builder, op, copy)
    tiling, store = TmaTiling.of(op.view_type), builder.kernel.model.store_subtiles(op)
    if tiling is None or store is None:
        return None
    return lambda: _store_subtiles(builder, op, tiling, store, copy)


def _store_subtiles(
    builder: ThreadBuilder, op: TmaAccess, tiling: TmaTiling, store: StoreSubtiles, copy: TmaCopy
) -> None:
    layout = builder.layout(op.value)
    value = unique_registers(builder, builder.lookup(op.value), layout)
    value = encode(builder, value, tiling.type.element_type)
    owner = is_owner(builder, layout.compressed())
    address = tensor_map(builder, op, op.view, tiling.box, tiling.swizzle)
    for subtile in store.subtiles:
        scratch = take_scratch(builder, store.bytes)
        chosen = select_registers(builder, value, subtile.registers)
        write_at_offsets(builder, scratch, chosen, store.offsets, owner)
        # TMA reads through the async proxy: writes of the generic proxy have to be visible there
        # before the barrier lets one thread issue the copy.
        builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC_SHARED, nvvm.SharedSpace.CTA))
        sync_threads(builder)
        with only_if(builder, is_first_thread(builder)):
            with if_in_bounds(builder, op):
                for start, offset in subtile.tma_tiles:
                    source = builder.emit(move_pointer(scratch, offset)).result
                    coordinates = tma_tile_coordinates(builder, op.view, op.indices, start)
                    coordinates = clamp_store_coordinates(builder, op, coordinates)
                    builder.emit(copy(source, address, coordinates))
            builder.emit(nvvm.CpAsyncBulkCommitGroupOp())


# Atomics by TMA: a tile goes to scratch memory as in a store (`tma_stores`), from where TMA
# reduces it into the tensor.
#
#     nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #nv_tileas.atom<tma_redg>,
#         rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : …
#
# becomes, for each TMA tile,
#
#     nvvm.cp.async.bulk.tensor.reduce %map, %j256, %i128, %tile
#         {red_op = #nvvm.tma_redux_kind<add>} : !llvm.ptr, i32, i32, !llvm.ptr<3>
#
# Each element is updated atomically, with relaxed ordering.


@lowers(TiledAtomicRMWOp)
def lower_tiled_atomic_rmw(builder: ThreadBuilder, op: TiledAtomicRMWOp) -> None:
    """TMA reductions, if these were chosen and the subtiles fit, or atomics by all threads."""
    kind = reduction_kind(op.rmw_mode.data, get_element(op.value.type))
    if kind is None or not has_atom(op, TMA_REDUCE_ATOM):
        lower_tile_update(builder, op)
        return

    def copy(
        source: SSAValue, tensor: SSAValue, coordinates: Sequence[SSAValue]
    ) -> nvvm.BulkTensorReduceOp:
        red_op = nvvm.ReductionKindAttr(kind)
        return nvvm.BulkTensorReduceOp(tensor, *coordinates, source, red_op=red_op)

    store_tma_tiles(builder, op, copy, lambda: lower_tile_update(builder, op))
