"""
Chooses layouts for memory accesses, and from there for every tensor.

Before:  %x = nv_tileas.tiled_load %v[%i] : … -> tensor<1024xf32>
After:   %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #nv_tileas.layout<…>,
             nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 0>}
             : … -> tensor<1024xf32, #nv_tileas.layout<…>>
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.dialects.nv_tileas.atoms import TMA_REDUCE_ATOM, TMA_STORE_ATOM
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.dialects.nv_tileas.types import AtomAttr
from tileiras_xdsl.dialects.tileiras import explains
from tileiras_xdsl.transforms.common.kernel_spec import get_warps, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .kernel_model.remarks import explain_stores
from .kernel_model.tma_stores import (
    why_no_tma_store,
    why_tma_stores_not_preferred,
)
from .layouts.memory_layouts import MemoryAnchors, hoist_tiles
from .layouts.rewriting import apply_layouts


@dataclass(frozen=True)
class TileasAssignLoadStoreLayoutsPass(ModulePass):
    """
    Chooses a layout for each memory access such that accesses are vectorized and coalesced, and
    marks accesses that are known to be in bounds, and stores that TMA does, which take any layout.
    Then every tensor gets a layout: that of the first operand, or a default one. Where two
    disagree a `convert_layout` is inserted; `tileas-remove-layout-conversions` finds better
    layouts.
    """

    name = "tileas-assign-load-store-layouts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            hoist_tiles(function)
            axis_info = analyze(function)
            assign_tma_stores(function, axis_info)
            anchors = MemoryAnchors(axis_info, get_warps(function))
            for each in walk(function):
                anchors.assign(each)
            if explains(function):
                explain_stores(function, axis_info)
            apply_layouts(function, is_lazy=False)


def assign_tma_stores(function: Operation, axis_info: AxisInfoAnalysis) -> None:
    """Marks the stores and atomics of a kernel that TMA does."""
    if why_tma_stores_not_preferred(function) is not None:
        return
    for op in find_all(function, TiledStoreOp, TiledAtomicRMWOp):
        if why_no_tma_store(op, axis_info) is None:
            name = TMA_STORE_ATOM if isinstance(op, TiledStoreOp) else TMA_REDUCE_ATOM
            op.properties["atom"] = AtomAttr(name)
