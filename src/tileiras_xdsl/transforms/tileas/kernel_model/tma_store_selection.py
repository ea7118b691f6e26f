"""
Which stores and atomics the tensor memory accelerator does.

    nv_tileas.tiled_store %x, %v[%i] {atom = #nv_tileas.atom<tma_store>} : …
    nv_tileas.tiled_atomic_rmw %v[%i], %x {atom = #nv_tileas.atom<tma_redg>,
        rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : …

Such an op takes its tile in any layout: it goes through shared memory, from where whole boxes are
copied. What lies outside of the tensor is left out.
"""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.tma_tiles import TmaTile, may_begin_outside, why_not_copied
from tileiras_xdsl.analysis.view_axis_info import TileAxisInfo
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileaa.types import GLOBAL_SPACE
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.transforms.common.access_hints import allows_tma
from tileiras_xdsl.xdsl_extras.walking import find_all

from .tensor_maps import can_map
from .tma_stores import reduction_kind

SCOPES: Final = ("tl_blk", "cluster", "gpu")
PRODUCT_ATOM: Final = AtomAttr("mma.sm90")


def prefers_tma_stores(function: Operation) -> bool:
    """
    Whether stores of a kernel are made of boxes where they can be: if it multiplies by warpgroups,
    whose sums lie in registers in an order that is bad for other stores. Memory of the kernel's own
    may be shared memory, where boxes cannot be stored.
    """
    return why_not_preferred(function) is None


def why_not_preferred(function: Operation) -> str | None:
    """Why stores of a kernel are not made of boxes; none if they are where they can be."""
    if not any(op.atom == PRODUCT_ATOM for op in find_all(function, DotOp)):
        return "the kernel has no products by warpgroups, whose sums are worth a detour"
    if find_all(function, AllocaOp):
        return "the kernel has memory of its own, where TMA cannot store"
    return None


def is_plain(op: TiledStoreOp) -> bool:
    """Whether a store is in no order with others, and without a mask."""
    return op.get_semantic() == "weak" and op.volatile is None and op.mask is None


def is_reduction(op: TiledAtomicRMWOp) -> bool:
    """
    Whether copies do what an atomic does: they change elements in no order, in one step for the
    threads of this GPU.
    """
    is_ordered = op.get_semantic() != "relaxed" or op.volatile is not None
    is_local = op.mem_scope is not None and op.mem_scope.data in SCOPES
    kind = reduction_kind(op.rmw_mode.data, op.view_type.element_type)
    return is_local and not is_ordered and kind is not None


def why_no_tma_store(op: TiledStoreOp | TiledAtomicRMWOp, facts: AxisInfoAnalysis) -> str | None:
    """
    Why a store or an atomic is not made of boxes; none if it can be, and its tensor lies in memory
    as boxes need it.
    """
    if not allows_tma(op):
        return "its hints forbid TMA"
    if isinstance(op, TiledStoreOp) and not is_plain(op):
        return "it has a mask, or is in an order with other accesses"
    if isinstance(op, TiledAtomicRMWOp) and not is_reduction(op):
        return "TMA does not do this in one step, or not in this order"
    if op.token is not None or op.result_token is not None:
        return "it is in an order with other accesses"
    ty = op.view_type
    memref = ty.memref
    if memref.address_space.data != GLOBAL_SPACE:
        return "it is not in global memory"
    if memref.strides.data.count(1) != 1:
        return "not exactly one stride is known to be 1"
    if isinstance(box := TmaTile.of_or_reason(ty), str):
        return box
    if not can_map(op.view):
        return "its tensor is not made at the start of the kernel"
    if may_begin_outside(TileAxisInfo.of(op.view, op.indices, facts, op.get_in_bounds())):
        return "a part of the tile may lie before the tensor, where TMA cannot store"
    return why_not_copied(op.view, facts)
