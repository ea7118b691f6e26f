"""
Stores of the last tile of a CTA, by its threads.

A TMA store runs while the CTA goes on with its next tile. Behind the last tile there is nothing to
go on with, but the CTA may not end before TMA has read the staging buffer, which takes longer than
stores by threads. So each warp reads its own rows of the buffer, and stores them:

    nvgpu.stmatrix %x, %rows …
    %left = arith.subi %total, %n
    %last = arith.cmpi ule, %left, %ctas
    scf.if %last {
      nvvm.bar.warp.sync %mask
      %y = nvvm.fragment.load %vectors            16 bytes of a row by each lane
      nvvm.fragment.store %y, %addresses, %mask
    } else {
      …                                           a TMA store
    }
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import VectorType, i64
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.access_layouts import coalesced_bytes
from tileiras_xdsl.analysis.layout_conversion import SharedAccess
from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.dialects.arith import CmpiOp, ExtUIOp, SelectOp
from tileiras_xdsl.dialects.nv_tileaa.decisions import OWN_ORDER
from tileiras_xdsl.dialects.nv_tileas.memory import TiledStoreOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nvvm import BarWarpSyncOp
from tileiras_xdsl.dialects.nvvm.fragments import FragmentLoadOp, FragmentStoreOp, element_bits
from tileiras_xdsl.targets.machine import LINE_BYTES, WARP_THREADS
from tileiras_xdsl.targets.tma import ALIGNMENT
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import TMA_STORES, has_atom
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import map_dims
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import memory_type
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_stores import WarpgroupTmaTiles

from .accesses import move
from .convert_layout import vector_addresses
from .thread_builder import ThreadBuilder
from .thread_index import ALL_LANES, get_coordinate_parts
from .vectors import all_of, index_pointers, select_registers, splat
from .views import (
    OpFoldResult,
    add,
    clamp,
    get_tensor,
    is_less,
    multiply,
    start_of_tile,
    value_of,
)


def is_last_tile(builder: ThreadBuilder, op: TmaAccess) -> SSAValue | None:
    """
    Whether a store is that of the last tile of its CTA, as an i1; `None` if TMA stores all tiles.

    A store that is ordered with others, or with itself in earlier iterations, stays as it is: what
    threads write comes in no order with what TMA writes. So do kernels that have to keep the code
    that they have (`KernelLowering.loads_for_wgmmas`).
    """
    loop = find_tile_loop(op)
    stores = [each for each in builder.kernel.ops if has_atom(each, *TMA_STORES)]
    if loop is None or stores != [op] or OWN_ORDER.is_on(op):
        return None
    if not builder.kernel.loads_for_wgmmas or not isinstance(op, TiledStoreOp):
        return None
    end, number = builder.lookup(loop.ub), builder.lookup(loop.body.block.args[0])
    # The number of a tile is less than the end, so their difference is exact if it has no sign.
    left = builder.emit(arith.SubiOp(end, number)).result
    return builder.emit(CmpiOp(left, builder.lookup(loop.step), "ule")).result


def find_tile_loop(op: Operation) -> scf.ForOp | None:
    """The loop of an agent that an op is in, if it is in no other loop."""
    found: scf.ForOp | None = None
    outer = op.parent_op()
    while isinstance(outer, scf.IfOp | scf.ForOp):
        if isinstance(outer, scf.ForOp):
            if found is not None:
                return None
            found = outer
        outer = outer.parent_op()
    return found if isinstance(outer, AgentSwitchOp) else None


def find_rows(builder: ThreadBuilder, op: TmaAccess) -> LinearLayout | None:
    """
    The layout in which each warp has the elements that it has in the layout of the tile, but lanes
    have vectors of 16 bytes that follow each other in a row; `None` if these are not rows of a
    cache line.
    """
    ty = op.view_type
    inner = ty.get_dim_map().index(map_dims(op.view)[0])
    bits = element_bits(memory_type(ty.element_type))
    rows = rows_of_warps(builder.layout(op.value), inner, ALIGNMENT * 8 // bits)
    if rows is None or coalesced_bytes(rows, inner, bits) < LINE_BYTES:
        return None
    return rows


def rows_of_warps(layout: LinearLayout, inner: int, width: int) -> LinearLayout | None:
    """The same for vectors of so many elements along a dimension, however long rows are."""
    strides = [1] * len(layout.shape)
    for dim in reversed(range(len(strides) - 1)):
        strides[dim] = strides[dim + 1] * layout.shape[dim + 1]
    order = [inner, *(dim for dim in reversed(range(len(strides))) if dim != inner)]
    bases = [strides[dim] << bit for dim in order for bit in range(log2(layout.shape[dim]))]
    own = [basis for basis in bases if basis not in layout.warp]
    vector, lanes = log2(width), log2(WARP_THREADS)
    is_divided = len(own) == len(layout.register) + lanes == len(bases) - len(layout.warp)
    if not is_divided or own[:vector] != bases[:vector] or len(own) < vector + lanes:
        return None
    registers = [*own[:vector], *own[vector + lanes :]]
    return LinearLayout.distributed(
        layout.shape, registers, own[vector : vector + lanes], layout.warp
    )


def store_rows(
    builder: ThreadBuilder,
    op: TmaAccess,
    rows: LinearLayout,
    tma_tiles: WarpgroupTmaTiles,
    address: SSAValue,
) -> None:
    """Each warp stores what it has written to the staging buffer. Rows are whole vectors."""
    element = memory_type(op.view_type.element_type)
    size = element_bits(element) // 8
    width = ALIGNMENT // size
    offsets = offsets_of(tma_tiles.tiling.layout, rows)
    access = SharedAccess(width, offsets.register[log2(width) :], offsets.lane, offsets.warp)
    builder.emit(BarWarpSyncOp(builder.constant(ALL_LANES)))
    sources = vector_addresses(builder, address, access, element, rematerialize=True)
    result = VectorType(element, [rows.registers])
    value = builder.emit(FragmentLoadOp(sources, result_type=result, alignment=ALIGNMENT)).result
    pointers, room = _find_places(builder, op, rows, width)
    for number, (pointer, coordinates) in enumerate(pointers):
        part = select_registers(builder, value, range(number * width, (number + 1) * width))
        zero = builder.constant_vector([0], i64)
        address = index_pointers(builder, pointer, zero, element)
        masks = [
            builder.get_or_emit(is_less, builder.constant(coordinates[dim]), end)
            for dim, end in room.items()
        ]
        mask = all_of(builder, masks)
        mask = None if mask is None else splat(builder, mask, 1)
        builder.emit(FragmentStoreOp(part, address, mask=mask, alignment=ALIGNMENT))


def _find_places(
    builder: ThreadBuilder, op: TmaAccess, rows: LinearLayout, width: int
) -> tuple[list[tuple[SSAValue, list[int]]], dict[int, SSAValue]]:
    """
    The address of each vector, with its distance from the first one along each dimension, and by
    dimensions how far it may be away to be in bounds. Each row follows from the one before by an
    addition, and has one comparison: behind the last WGMMA every instruction counts.
    """
    ty, tensor = op.view_type, get_tensor(builder, op.view)
    in_bounds = op.get_in_bounds() or [False] * ty.rank
    strides = [tensor.strides[dim] for dim in ty.get_dim_map()]
    origin: OpFoldResult = 0
    thread: OpFoldResult = 0
    room: dict[int, SSAValue] = {}
    distances: list[list[int]] = []
    conditions: list[SSAValue] = []
    for dim, (index, stride) in enumerate(zip(op.indices, strides, strict=True)):
        start = start_of_tile(builder, index, ty.get_steps()[dim])
        origin = add(builder, origin, multiply(builder, start, stride))
        own, constants = get_coordinate_parts(builder, rows, dim, width)
        distances.append(constants)
        if own is not None:
            wide = builder.get_or_emit(ExtUIOp, own, i64)
            thread = add(builder, thread, multiply(builder, wide, stride))
        if in_bounds[dim]:
            continue
        size = tensor.sizes[ty.get_dim_map()[dim]]
        end = clamp(builder, add(builder, size, multiply(builder, start, -1)), rows.shape[dim])
        if builder.kernel.axis_info[index].low < 0:
            # A tile that begins before its tensor has no elements of it.
            is_before = builder.get_or_emit(
                is_less, value_of(builder, start), builder.constant(0, i64)
            )
            end = builder.get_or_emit(SelectOp, is_before, builder.constant(0), end)
        if own is not None:
            end = builder.get_or_emit(arith.SubiOp, end, own)
        if any(constants):
            room[dim] = end
        else:
            conditions.append(builder.get_or_emit(is_less, builder.constant(0), end))
    condition = all_of(builder, conditions)
    if condition is not None:
        dim, end = next(iter(room.items()), (0, builder.constant(1)))
        room[dim] = builder.get_or_emit(SelectOp, condition, end, builder.constant(0))
    base, element = tensor.base, memory_type(ty.element_type)
    for part in (origin, thread):
        if part != 0:
            base = move(builder, base, value_of(builder, part), element)
    places = [list(each) for each in zip(*distances, strict=True)]
    found: list[tuple[SSAValue, list[int]]] = []
    known: list[tuple[list[int], SSAValue]] = [([0] * ty.rank, base)]
    for place in places:
        before, pointer = known[-1] if place >= known[-1][0] else known[0]
        offset: OpFoldResult = 0
        for stride, this, last in zip(strides, place, before, strict=True):
            offset = add(builder, offset, multiply(builder, stride, this - last))
        if offset != 0:
            pointer = move(builder, pointer, value_of(builder, offset), element)
        known.append((place, pointer))
        found.append((pointer, place))
    return found, room
