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
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.targets.machine import WARPGROUP_BARRIER, WARPGROUP_THREADS
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import map_dims
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_stores import WarpgroupTmaTiles
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from . import rebuilt_maps
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
from .vectors import index_pointer


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
    _wait_for_staging_buffer(builder)
    write_at_offsets(builder, shared_address(builder, buffer), value, tma_tiles.offsets, None)
    # TMA reads through the async proxy: writes of the generic proxy have to be visible there.
    builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC_SHARED, nvvm.SharedSpace.CTA))
    _sync_warpgroup(builder)
    with (
        only_if(builder, is_first_of_warpgroup(builder)),
        rebuilt_maps.up_to_date_at(builder, op),
    ):
        _copy(builder, op, copy, tma_tiles)


def _wait_for_staging_buffer(builder: ThreadBuilder) -> None:
    """The warpgroup waits until its earlier TMA stores have read their staging buffers."""
    with only_if(builder, is_first_of_warpgroup(builder)):
        builder.emit(nvvm.CpAsyncBulkWaitGroupOp(0, read=True))
    _sync_warpgroup(builder)


def _copy(
    builder: ThreadBuilder, op: TmaAccess, copy: TmaCopy, tma_tiles: WarpgroupTmaTiles
) -> None:
    """One thread issues the TMA stores of what is in the buffer."""
    (placed,) = get_buffers(op)
    tiling, warpgroup = tma_tiles.tiling, get_warpgroup(builder)
    address = tensor_map(builder, op, op.view, tiling.box, tiling.swizzle)
    with if_in_bounds(builder, op):
        for start, offset in tma_tiles.tma_tiles:
            source = _moved(
                builder, shared_address(builder, placed.offset + offset), warpgroup, tma_tiles
            )
            coordinates = _find_coordinates(builder, op, tma_tiles, start)
            builder.emit(copy(source, address, coordinates))
    builder.emit(nvvm.CpAsyncBulkCommitGroupOp())


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
