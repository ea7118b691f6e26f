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

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Region, SSAValue

from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.memory import TiledStoreOp
from tileiras_xdsl.targets.tma import MAX_RANK
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import (
    STORE_ATOM,
    has_atom,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import (
    StoreSubtiles,
    TmaAccess,
)

from . import views
from .accesses import encode, unique_registers
from .barriers import only_if, sync_threads, take_scratch
from .lowering_registry import lowers
from .tensor_maps import tensor_map
from .thread_builder import ThreadBuilder
from .thread_index import is_first_thread, is_owner
from .tma_coordinates import (
    TmaCopy,
    clamp_store_coordinates,
    if_in_bounds,
    tma_tile_coordinates,
    write_at_offsets,
    writes_only_inside,
)
from .vectors import move_pointer, select_registers
from .warpgroup_stores import store_by_warpgroups


@lowers("nv_tileas.tiled_store")
def lower_tiled_store(builder: ThreadBuilder, op: TiledStoreOp) -> None:
    """A TMA store, if that was chosen and its subtiles fit, or a store by all threads."""
    if op.view_type.rank > MAX_RANK or not has_atom(op, STORE_ATOM):
        views.lower_tile_store(builder, op)
    else:
        store_tma_tiles(builder, op, _copy, lambda: views.lower_tile_store(builder, op))


def _copy(
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
