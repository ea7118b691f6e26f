"""
TMA stores: a tile goes to scratch memory, from where TMA copies it while the kernel goes on.

    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #nv_tileas.atom<tma_store>} : …

becomes, with four TMA tiles of 128x64 elements,

    nvgpu.stmatrix %x, %rows {num = 4 : i32, …} : vector<128xf16>, vector<16x!llvm.ptr<3>>
    nvgpu.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, …}
    gpu.barrier
    scf.if %first {
      nvgpu.tma.async.store %tile0, %map[%j256, %i128] : !llvm.ptr<3>, !llvm.ptr
      …
      nvgpu.tma.commit_group
    }

Threads wait for the copies when scratch memory is needed again, or the kernel ends
(`nv_tileas.wait_copies`). A tile that is too large is stored in parts of some TMA tiles each, which
take turns in the same memory. Parts are chosen by registers: each thread writes its elements of a
part.

Atomics on tiles go the same way (`tma_reductions`).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import scf
from xdsl.ir import Block, Region

from tileiras_xdsl.analysis.tma_tiles import TmaTile
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.memory import TiledStoreOp
from tileiras_xdsl.dialects.nvgpu import FenceProxyOp, TmaAsyncStoreOp, TmaCommitGroupOp
from tileiras_xdsl.dialects.nvvm import ProxyKind, SharedSpace
from tileiras_xdsl.targets.tma import MAX_RANK
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import (
    STORE_ATOM,
    has_atom,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import (
    StoreParts,
    TmaAccess,
)

from . import views
from .accesses import encode, own_registers
from .barriers import is_in_agent, only_if, sync_threads, take_scratch
from .patterns import lowers
from .tensor_maps import acquire, tensor_map
from .thread_builder import ThreadBuilder
from .thread_index import is_first_thread, is_owner
from .tma_copies import (
    TmaCopy,
    stored_coordinates,
    tma_tile_coordinates,
    unless_outside,
    write_places,
    writes_only_inside,
)
from .vectors import move_pointer, select_registers
from .warpgroup_stores import store_by_warpgroups


@lowers("nv_tileas.tiled_store")
def lower_tiled_store(code: ThreadBuilder, op: TiledStoreOp) -> None:
    """A TMA store, if that was chosen and its parts fit, or a store by all threads."""
    if op.view_type.rank > MAX_RANK or not has_atom(op, STORE_ATOM):
        views.lower_tile_store(code, op)
    else:
        store_tma_tiles(code, op, TmaAsyncStoreOp, lambda: views.lower_tile_store(code, op))


def store_tma_tiles(
    code: ThreadBuilder, op: TmaAccess, copy: TmaCopy, otherwise: Callable[[], None]
) -> None:
    """
    Stores a tile by TMA, or in another way if TMA cannot. TMA writes whole units of 16 bytes, so
    the size of the tensor decides, which may be known only when the kernel runs: then both ways are
    emitted.
    """
    store = _find_store(code, op, copy)
    if store is None:
        otherwise()
        return
    condition = writes_only_inside(code, op)
    if condition is None:
        store()
        return
    blocks: list[Block] = []
    for write in (store, otherwise):
        block = Block()
        blocks.append(block)
        with code.branch(block):
            write()
            code.emit(scf.YieldOp())
    code.emit(scf.IfOp(condition, [], Region(blocks[0]), Region(blocks[1])))


def _find_store(code: ThreadBuilder, op: TmaAccess, copy: TmaCopy) -> Callable[[], None] | None:
    """What emits the TMA store, if TMA can do it."""
    if WARPGROUP_STORE.is_on(op):
        return lambda: store_by_warpgroups(code, op, copy)
    tma_tile, parts = TmaTile.of(op.view_type), code.kernel.model.store_parts(op)
    if tma_tile is None or parts is None:
        return None
    return lambda: _store_parts(code, op, tma_tile, parts, copy)


def _store_parts(
    code: ThreadBuilder, op: TmaAccess, tma_tile: TmaTile, parts: StoreParts, copy: TmaCopy
) -> None:
    layout = code.layout(op.value)
    value = own_registers(code, code.value(op.value), layout)
    value = encode(code, value, tma_tile.type.element_type)
    owner = is_owner(code, layout.compressed())
    address = tensor_map(code, op, op.view, tma_tile.box, tma_tile.swizzle)
    for part in parts.parts:
        scratch = take_scratch(code, parts.bytes)
        chosen = select_registers(code, value, part.registers)
        write_places(code, scratch, chosen, parts.places, owner)
        # TMA reads through the async proxy: writes of the generic proxy have to be visible there
        # before the barrier lets one thread issue the copy.
        code.emit(FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA))
        sync_threads(code)
        with only_if(code, is_first_thread(code)):
            if not is_in_agent(op):
                acquire(code, address)
            with unless_outside(code, op):
                for start, offset in part.tma_tiles:
                    source = code.emit(move_pointer(scratch, offset)).result
                    coordinates = tma_tile_coordinates(code, op.view, op.indices, start)
                    coordinates = stored_coordinates(code, op, coordinates)
                    code.emit(copy(source, address, coordinates))
            code.emit(TmaCommitGroupOp())
