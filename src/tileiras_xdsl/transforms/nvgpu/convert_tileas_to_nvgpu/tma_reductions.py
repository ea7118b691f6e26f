"""
Atomics by TMA: a tile goes to scratch memory as in a store (`tma_stores`), from where TMA reduces
it into the tensor.

    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #nv_tileas.atom<tma_redg>,
        rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : …

becomes, for each TMA tile,

    nvvm.cp.async.bulk.tensor.reduce %map, %j256, %i128, %tile
        {red_op = #nvvm.tma_redux_kind<add>} : !llvm.ptr, i32, i32, !llvm.ptr<3>

Each element is updated atomically, with relaxed ordering.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import REDUCE_ATOM, has_atom
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import reduction_kind

from .atomics import lower_tile_update
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder
from .tma_stores import store_tma_tiles


@lowers("nv_tileas.tiled_atomic_rmw")
def lower_tiled_atomic_rmw(builder: ThreadBuilder, op: TiledAtomicRMWOp) -> None:
    """TMA reductions, if these were chosen and the subtiles fit, or atomics by all threads."""
    kind = reduction_kind(op.rmw_mode.data, get_element(op.value.type))
    if kind is None or not has_atom(op, REDUCE_ATOM):
        lower_tile_update(builder, op)
        return

    def copy(
        source: SSAValue, tensor: SSAValue, coordinates: Sequence[SSAValue]
    ) -> nvvm.BulkTensorReduceOp:
        red_op = nvvm.ReductionKindAttr(kind)
        return nvvm.BulkTensorReduceOp(tensor, *coordinates, source, red_op=red_op)

    store_tma_tiles(builder, op, copy, lambda: lower_tile_update(builder, op))
