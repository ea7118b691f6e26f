"""
TMA stores by single warpgroups.

Where each TMA tile belongs to one warpgroup, as it does for WGMMA accumulators, its threads write
it to a buffer of the store and issue the TMA store without a barrier of all consumer warps: the
other warpgroups may still be in their main loop.

    scf.if %first_of_warpgroup { nvvm.cp.async.bulk.wait_group 0 {read} }   the buffer is free
    nvvm.barrier id = %warpgroup number_of_threads = %c128
    nvvm.fragment.stmatrix %x, %rows …
    nvvm.fence.proxy …
    nvvm.barrier id = %warpgroup number_of_threads = %c128
    scf.if %first_of_warpgroup {
      nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile …
      nvvm.cp.async.bulk.commit.group
    }

A tile that is stored in parts (`nv_tileas.store_parts`) does this for one after the other. Threads
store the last tile of a CTA (`last_stores.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i8
from xdsl.ir import Block, Region, SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nv_tileas.decisions import get_store_parts
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.targets.machine import WARPGROUP_BARRIER, WARPGROUP_THREADS
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import map_dims
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import StoreSubtile, TmaAccess
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_stores import WarpgroupTmaTiles
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from . import last_stores, rebuilt_maps
from .accesses import encode, unique_registers
from .barriers import only_if, shared_address
from .tensor_maps import tensor_map
from .thread_builder import ThreadBuilder
from .thread_index import get_warpgroup, is_first_of_warpgroup
from .tma_coordinates import (
    TmaCopy,
    clamp_store_coordinates,
    if_in_bounds,
    tma_tile_coordinates,
    write_at_offsets,
)
from .vectors import index_pointer, select_registers


def store_by_warpgroups(builder: ThreadBuilder, op: TmaAccess, copy: TmaCopy) -> None:
    """Each warpgroup stores its own TMA tiles."""
    ty, layout = op.view_type, builder.layout(op.value)
    tma_tiles = find_tma_tiles(builder, op)
    if tma_tiles is None:
        fail(op, "warpgroups share TMA tiles")
    value = unique_registers(builder, builder.lookup(op.value), layout)
    value = encode(builder, value, ty.element_type)
    (placed,) = get_buffers(op)
    buffer = placed.offset
    for index, part in enumerate(tma_tiles.parts):
        if index or op not in builder.kernel.free_staging:
            wait_for_staging_buffer(builder)
        chosen = value
        if len(tma_tiles.parts) > 1:
            chosen = select_registers(builder, value, part.registers)
        write_at_offsets(builder, shared_address(builder, buffer), chosen, tma_tiles.offsets, None)
        rows = last_stores.find_rows(builder, op) if len(tma_tiles.parts) == 1 else None
        is_last = None if rows is None else last_stores.is_last_tile(builder, op)
        if rows is None or is_last is None:
            _copy_staged(builder, op, copy, tma_tiles, part)
            continue
        by_threads, by_tma = Block(), Block()
        with builder.at_end_of(by_threads):
            last_stores.store_rows(builder, op, rows, tma_tiles, shared_address(builder, buffer))
            builder.emit(scf.YieldOp())
        with builder.at_end_of(by_tma):
            _copy_staged(builder, op, copy, tma_tiles, part)
            builder.emit(scf.YieldOp())
        builder.emit(scf.IfOp(is_last, [], Region(by_threads), Region(by_tma)))


def _copy_staged(
    builder: ThreadBuilder,
    op: TmaAccess,
    copy: TmaCopy,
    tma_tiles: WarpgroupTmaTiles,
    part: StoreSubtile,
) -> None:
    """One thread issues the TMA stores of a part that the warpgroup has written to the buffer."""
    # TMA reads through the async proxy: writes of the generic proxy have to be visible there.
    builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC_SHARED, nvvm.SharedSpace.CTA))
    _sync_warpgroup(builder)
    with (
        only_if(builder, is_first_of_warpgroup(builder)),
        rebuilt_maps.up_to_date_at(builder, op),
    ):
        _copy_part(builder, op, copy, tma_tiles, part)


def wait_for_staging_buffer(builder: ThreadBuilder) -> None:
    """The warpgroup waits until its earlier TMA stores have read their staging buffers."""
    with only_if(builder, is_first_of_warpgroup(builder)):
        builder.emit(nvvm.CpAsyncBulkWaitGroupOp(0, read=True))
    _sync_warpgroup(builder)


def _copy_part(
    builder: ThreadBuilder,
    op: TmaAccess,
    copy: TmaCopy,
    tma_tiles: WarpgroupTmaTiles,
    part: StoreSubtile,
) -> None:
    """One thread issues the TMA stores of a part that is in the buffer."""
    (placed,) = get_buffers(op)
    tiling, warpgroup = tma_tiles.tiling, get_warpgroup(builder)
    address = tensor_map(builder, op, op.view, tiling.box, tiling.swizzle)
    with if_in_bounds(builder, op):
        known = builder.kernel.coordinates.get(op, {})
        for start, offset in part.tma_tiles:
            source = _moved(
                builder, shared_address(builder, placed.offset + offset), warpgroup, tma_tiles
            )
            coordinates = known.get(start) or _find_coordinates(builder, op, tma_tiles, start)
            builder.emit(copy(source, address, coordinates))
    builder.emit(nvvm.CpAsyncBulkCommitGroupOp())


def find_tma_tiles(builder: ThreadBuilder, op: TmaAccess) -> WarpgroupTmaTiles | None:
    """The TMA tiles of each warpgroup; None if warpgroups share some."""
    return WarpgroupTmaTiles.of(op.view_type, builder.layout(op.value), get_store_parts(op))


def find_coordinates(
    builder: ThreadBuilder, op: TmaAccess
) -> dict[tuple[int, ...], list[SSAValue]]:
    """The coordinates of the TMA tiles of this warpgroup, by where the first one has them."""
    tma_tiles = find_tma_tiles(builder, op)
    assert tma_tiles is not None
    return {start: _find_coordinates(builder, op, tma_tiles, start) for start in tma_tiles.starts}


def _find_coordinates(
    builder: ThreadBuilder, op: TmaAccess, tma_tiles: WarpgroupTmaTiles, start: tuple[int, ...]
) -> list[SSAValue]:
    coordinates = tma_tile_coordinates(builder, op.view, op.indices, start)
    coordinates = _move_coordinates(builder, op, coordinates, get_warpgroup(builder), tma_tiles)
    return clamp_store_coordinates(builder, op, coordinates)


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
                result[position] = builder.emit(arith.AddiOp(result[position], step)).result
    return result
