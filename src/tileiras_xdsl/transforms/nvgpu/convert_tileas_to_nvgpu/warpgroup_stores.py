"""
TMA stores by single warpgroups.

Where each TMA tile belongs to one warpgroup, as it does for WGMMA accumulators, its threads write
it to a buffer of the store and issue the TMA store without a barrier of all consumer warps: the
other warpgroups may still be in their main loop.

    scf.if %first_of_group { nvgpu.tma.wait_group 0 {read} }   the buffer is free
    nvvm.barrier id = %group number_of_threads = %c128
    nvgpu.stmatrix %x, %rows …
    nvgpu.fence.proxy …
    nvvm.barrier id = %group number_of_threads = %c128
    scf.if %first_of_group { nvgpu.tma.async.store … ; nvgpu.tma.commit_group }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.dialects.nvgpu import FenceProxyOp, TmaCommitGroupOp, TmaWaitGroupOp
from tileiras_xdsl.dialects.nvvm import (
    BarrierOp,
    ProxyKind,
    SharedSpace,
)
from tileiras_xdsl.targets.machine import GROUP_THREADS
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import map_dims
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_stores import WarpgroupTmaTiles
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .accesses import encode, own_registers
from .barriers import is_in_agent, only_if, shared_address
from .tensor_maps import acquire, tensor_map
from .thread_builder import ThreadBuilder
from .thread_index import get_group, is_first_of_group
from .tma_copies import (
    TmaCopy,
    stored_coordinates,
    tma_tile_coordinates,
    unless_outside,
    write_places,
)
from .vectors import index_pointer

FIRST_BARRIER: Final = 2
"""The named barrier of the first warpgroup; those of the others follow."""


def store_by_warpgroups(code: ThreadBuilder, op: TmaAccess, copy: TmaCopy) -> None:
    """Each warpgroup stores its own TMA tiles."""
    ty, layout = op.view_type, code.layout(op.value)
    tma_tiles = WarpgroupTmaTiles.of(ty, layout)
    if tma_tiles is None:
        fail(op, "warpgroups share TMA tiles")
    value = own_registers(code, code.value(op.value), layout)
    value = encode(code, value, ty.element_type)
    (placed,) = get_buffers(op)
    buffer = placed.offset
    address = tensor_map(code, op, op.view, tma_tiles.tma_tile.box, tma_tiles.tma_tile.swizzle)
    with only_if(code, is_first_of_group(code)):
        code.emit(TmaWaitGroupOp(0, read=True))
    _sync_warpgroup(code)
    write_places(code, shared_address(code, buffer), value, tma_tiles.places, None)
    # TMA reads through the async proxy: the writes of the generic proxy have to be visible there.
    code.emit(FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA))
    _sync_warpgroup(code)
    with only_if(code, is_first_of_group(code)):
        if not is_in_agent(op):
            acquire(code, address)
        group = get_group(code)
        with unless_outside(code, op):
            for start, offset in tma_tiles.starts:
                source = _moved(code, shared_address(code, buffer + offset), group, tma_tiles)
                coordinates = tma_tile_coordinates(code, op.view, op.indices, start)
                coordinates = _move_coordinates(code, op, coordinates, group, tma_tiles)
                coordinates = stored_coordinates(code, op, coordinates)
                code.emit(copy(source, address, coordinates))
        code.emit(TmaCommitGroupOp())


def _sync_warpgroup(code: ThreadBuilder) -> None:
    """The named barrier of the warpgroup."""
    number = code.compute(arith.AddiOp, get_group(code), code.constant(FIRST_BARRIER))
    code.emit(BarrierOp(number, code.constant(GROUP_THREADS)))


def _bit(code: ThreadBuilder, group: SSAValue, bit: int, size: int) -> SSAValue:
    """`size` if a bit of the warpgroup index is set, else 0."""
    shifted = code.compute(arith.ShRUIOp, group, code.constant(bit)) if bit else group
    single = code.compute(arith.AndIOp, shifted, code.constant(1))
    return code.compute(arith.MuliOp, single, code.constant(size))


def _moved(
    code: ThreadBuilder, address: SSAValue, group: SSAValue, tma_tiles: WarpgroupTmaTiles
) -> SSAValue:
    for bit, (_, offset) in enumerate(tma_tiles.moves):
        moved = index_pointer(address, _bit(code, group, bit, offset), i8, address.type)
        address = code.emit(moved).result
    return address


def _move_coordinates(
    code: ThreadBuilder,
    op: TmaAccess,
    coordinates: Sequence[SSAValue],
    group: SSAValue,
    tma_tiles: WarpgroupTmaTiles,
) -> list[SSAValue]:
    """The coordinates of a TMA tile of this warpgroup, given those of the first warpgroup."""
    result = list(coordinates)
    for bit, (start, _) in enumerate(tma_tiles.moves):
        for place, dim in enumerate(map_dims(op.view)):
            if start[dim]:
                step = _bit(code, group, bit, start[dim])
                result[place] = code.emit(arith.AddiOp(result[place], step)).result
    return result
