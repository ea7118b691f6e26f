"""
Selects stores and atomics for TMA.

    nv_tileas.tiled_store %x, %v[%i] {atom = #nv_tileas.atom<tma_store>} : …
    nv_tileas.tiled_atomic_rmw %v[%i], %x {atom = #nv_tileas.atom<tma_redg>,
        rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : …

Such an op takes its tile in any layout: it goes through shared memory, from where whole TMA tiles
are copied. Elements outside of the tensor are left out.
"""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.tma_tiles import TmaTiling, may_begin_outside, why_not_copied
from tileiras_xdsl.analysis.view_axis_info import TileAxisInfo
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileaa.types import GLOBAL_SPACE
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.transforms.common.access_hints import allows_tma
from tileiras_xdsl.xdsl_extras.walking import find_all

from .staged_mma import find_staged_dots
from .tensor_maps import can_map, can_rebuild_map
from .tma_stores import reduction_kind
from .wgmma import find_async_mmas

SCOPES: Final = ("tl_blk", "cluster", "gpu")


def prefers_tma_stores(function: Operation) -> bool:
    """
    Whether TMA stores are preferred in a kernel: if it has WGMMA, or dots by `mma.sync` that read
    buffer stages, whose accumulator layouts make other stores uncoalesced. An `alloca` may be in
    shared memory, where TMA cannot store.
    """
    return why_tma_stores_not_preferred(function) is None


def why_tma_stores_not_preferred(function: Operation) -> str | None:
    """Why TMA stores are not preferred in a kernel; None if they are."""
    if not find_async_mmas(function) and not find_staged_dots(function):
        return "without WGMMA, stores are coalesced already"
    if find_all(function, AllocaOp):
        return "the kernel has an alloca, where TMA cannot store"
    return None


def is_plain(op: TiledStoreOp) -> bool:
    """Whether a store is unordered, and without a mask."""
    return op.get_semantic() == "weak" and op.volatile is None and op.mask is None


def is_reduction(op: TiledAtomicRMWOp) -> bool:
    """
    Whether TMA can reduce like an atomic: elements change in no order, each atomically for the
    threads of this GPU.
    """
    is_ordered = op.get_semantic() != "relaxed" or op.volatile is not None
    is_local = op.mem_scope is not None and op.mem_scope.data in SCOPES
    kind = reduction_kind(op.rmw_mode.data, op.view_type.element_type)
    return is_local and not is_ordered and kind is not None


def why_no_tma_store(
    op: TiledStoreOp | TiledAtomicRMWOp, axis_info: AxisInfoAnalysis
) -> str | None:
    """
    Why TMA cannot do a store or an atomic; None if it can, and the layout of its tensor in memory
    permits.
    """
    if not allows_tma(op):
        return "its hints forbid TMA"
    if isinstance(op, TiledStoreOp) and not is_plain(op):
        return "it has a mask, or is ordered with other accesses"
    if isinstance(op, TiledAtomicRMWOp) and not is_reduction(op):
        return "TMA has no such reduction, or not in this memory order"
    if op.token is not None or op.result_token is not None:
        return "it is ordered with other accesses"
    ty = op.view_type
    memref = ty.memref
    if memref.address_space.data != GLOBAL_SPACE:
        return "it is not in global memory"
    if memref.strides.data.count(1) != 1:
        return "not exactly one stride is known to be 1"
    if isinstance(tiling := TmaTiling.of_or_reason(ty), str):
        return tiling
    if tiling.is_long_row:
        return "it is a row of more than 128 bytes"
    if not (can_map(op.view) or can_rebuild_map(op.view)):
        return "its tensor cannot have a tensor map"
    if may_begin_outside(TileAxisInfo.of(op.view, op.indices, axis_info, op.get_in_bounds())):
        return "a part of the tile may lie before the tensor, where TMA cannot store"
    return why_not_copied(op.view, axis_info)
