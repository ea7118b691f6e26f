"""
Stores of the last tile of a CTA, by its threads.

A TMA store runs while the CTA goes on with its next tile. Behind the last tile there is nothing to
go on with, but the CTA may not end before TMA has read the staging buffer, which takes longer than
stores by threads. So each warp reads its own rows of the buffer, and stores them:

    nvvm.fragment.stmatrix %x, %rows …
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

from typing import Final

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.access_layouts import coalesced_bytes
from tileiras_xdsl.analysis.layout_conversion import SharedAccess
from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.dialects.arith import CmpiOp
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

from .convert_layout import vector_addresses
from .thread_builder import ThreadBuilder
from .thread_index import ALL_LANES
from .views import get_tile_access

MOST_ELEMENTS: Final = 64
"""
Of a thread. Twice as many, in tiles of 128x256, have 1.034 of the speed on an H200 where each CTA
has one tile (f16, 1000x1992x520), but 0.994 at 2048x8192x1024 and 0.998 at 4096x4096x4096.
"""


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
    cache line, or threads have more elements than it pays for.
    """
    ty = op.view_type
    inner = ty.get_dim_map().index(map_dims(op.view)[0])
    bits = element_bits(memory_type(ty.element_type))
    rows = rows_of_warps(builder.layout(op.value), inner, ALIGNMENT * 8 // bits)
    if rows is None or coalesced_bytes(rows, inner, bits) < LINE_BYTES:
        return None
    return rows if rows.registers <= MOST_ELEMENTS else None


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
    target = get_tile_access(builder, op, op.view, op.indices, rows, width).get()
    builder.emit(FragmentStoreOp(value, target.addresses, mask=target.mask, alignment=ALIGNMENT))
