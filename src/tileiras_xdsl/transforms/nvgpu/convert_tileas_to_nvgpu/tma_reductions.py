"""
Atomics by the tensor memory accelerator: a tile goes to scratch memory, as one that is stored does
(`tma_stores`), from where whole boxes are combined with the tensor.

    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #nv_tileas.atom<tma_redg>,
        rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : …

becomes, for each box,

    nvgpu.tma.reduce %box, %map[%j256, %i128] {red_op = #nvvm.tma_redux_kind<add>}
        : !llvm.ptr<3>, !llvm.ptr

Each element is changed in one step, and in no order with anything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp
from tileiras_xdsl.dialects.nvgpu import TmaReduceOp
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import REDUCE_ATOM, has_atom
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import reduction_kind

from .atomics import lower_tile_update
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .tma_stores import store_tma_tiles


@lowers("nv_tileas.tiled_atomic_rmw")
def lower_tiled_atomic_rmw(code: ThreadBuilder, op: TiledAtomicRMWOp) -> None:
    """Reductions of boxes, if it is to be these and its parts fit, or atomics by all threads."""
    kind = reduction_kind(op.rmw_mode.data, get_element(op.value.type))
    if kind is None or not has_atom(op, REDUCE_ATOM):
        lower_tile_update(code, op)
        return

    def copy(source: SSAValue, address: SSAValue, coordinates: Sequence[SSAValue]) -> TmaReduceOp:
        return TmaReduceOp(source, address, coordinates, red_op=kind)

    store_tma_tiles(code, op, copy, lambda: lower_tile_update(code, op))
