"""
The layouts of memory accesses.

    nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #nv_tileas.layout<…>,
        nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : …

A store or an atomic by TMA (`tma_store_selection`) takes any layout and is no anchor.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, TensorType, i1
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.analysis.access_layouts import coalesced, widest_atomic_add
from tileiras_xdsl.analysis.axis_info_analysis import (
    VECTOR_BYTES,
    AxisInfoAnalysis,
    max_vector_width,
)
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.view_axis_info import TileAxisInfo
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicRMWOp, OrderedAccess
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import TileLoad, TileStore, TileUpdate
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, VECTOR, Vector, VectorAttr
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.transforms.common.compute_capability import get_target

from ..kernel_model.copied_loads import copied_width, is_by_tma
from ..kernel_model.layout_rules import is_tensor, memory_bits, set_anchor_layout, tensors
from ..kernel_model.shared_memory import TMA_STORES, has_atom


class MemoryAnchors:
    """Selects layouts and vector widths of the memory accesses of a kernel."""

    def __init__(self, axis_info: AxisInfoAnalysis, warps: int):
        self._axis_info = axis_info
        self._warps = warps

    def assign(self, op: Operation) -> None:
        """Puts layout and vector width of an access into its attributes."""
        if isinstance(op, TileLoad | TileStore | TileUpdate):
            self._assign_tile(op)
        elif isinstance(op, OrderedAccess):
            self._assign_pointers(op)

    def _set(self, op: OrderedAccess, layout: LinearLayout, vector: int, dim: int) -> None:
        set_anchor_layout(op, LAYOUT, layout)
        VECTOR.set(op, VectorAttr(Vector(vector, dim)))

    # Views

    def _assign_tile(self, op: TileLoad | TileStore | TileUpdate) -> None:
        if has_atom(op, *TMA_STORES):
            return
        ty = op.view_type
        tile = TileAxisInfo.of(op.view, op.indices, self._axis_info, op.get_in_bounds())
        proven = [tile.is_in_bounds(dim) for dim in range(ty.rank)]
        fastest = self._fastest(ty)
        vector = 1
        limit = _widest(op, ty.element_type)
        if fastest is not None and limit > 1:
            if isinstance(op, TiledLoadOp) and not is_by_tma(op):
                vector = copied_width(op, tile, fastest)
            else:
                vector = min(tile.vector_width(fastest), limit)
        dim = ty.rank - 1 if fastest is None else fastest
        if any(proven):
            op.properties["in_bounds"] = DenseArrayBase.from_list(i1, [int(p) for p in proven])
        layout = coalesced(ty.get_tile_shape(), self._warps, vector, dim)
        self._set(op, layout, vector, dim)

    @staticmethod
    def _fastest(ty: TiledViewType) -> int | None:
        """The contiguous dimension of a tile: consecutive elements in memory."""
        for dim, source in enumerate(ty.get_dim_map()):
            if ty.memref.strides.data[source] == 1 and ty.get_tile_shape()[dim] > 1:
                return dim
        return None

    # Pointers

    def _assign_pointers(self, op: OrderedAccess) -> None:
        pointer = op.operands[0]
        if not is_tensor(pointer):
            return
        ty = pointer.type
        assert isinstance(ty, TensorType)
        shape = ty.get_shape()
        info = self._axis_info[pointer]
        if all(run == 1 for run in info.contiguity):
            # Scattered accesses do not coalesce in any layout: keep that of the pointers.
            return
        element = self._pointee(op)
        mask = getattr(op, "mask", None)
        mask_info = None if mask is None else self._axis_info[mask]
        best, dim = 1, len(shape) - 1
        if memory_bits(element) >= 8:
            size = memory_bits(element) // 8
            for candidate in reversed(range(len(shape))):
                width = max_vector_width(info, mask_info, candidate, size)
                if width > best:
                    best, dim = width, candidate
            if best == 1:
                # Along the dimension of greatest contiguity, for coalescing.
                dim = max(reversed(range(len(shape))), key=lambda each: info.contiguity[each])
            best = min(best, _widest(op, element))
        self._set(op, coalesced(shape, self._warps, best, dim), best, dim)

    @staticmethod
    def _pointee(op: OrderedAccess) -> Attribute:
        values = [*tensors(op.results), *op.operands[1:2]]
        ty = values[0].type
        return ty.get_element_type() if isinstance(ty, TensorType) else ty


def _widest(op: OrderedAccess, element: Attribute) -> int:
    """How many elements one instruction can access in the memory order of an op."""
    if not isinstance(op, AtomicRMWOp | TileUpdate):
        return VECTOR_BYTES if op.get_semantic() == "weak" else 1
    if isinstance(op, AtomicRMWOp) and op.result.first_use is not None:
        return 1
    module = op.get_toplevel_object()
    is_sum = op.rmw_mode.data == "addf" and op.get_semantic() in ("relaxed", "release")
    if not is_sum or not isinstance(module, ModuleOp):
        return 1
    return widest_atomic_add(element, get_target(module))
