"""
Accumulators in tensor memory whose rows are only multiplied between dots, as O of attention.

    %r = nv_tileas.tensor_memory_load %o
    %b = nv_tileaa.broadcast %factors : tensor<128x1xf32, …> -> tensor<128x128xf32, #row>
    %p = nv_tileaa.mulf %r, %b
    %s = nv_tileas.tensor_memory_store %p into %place

is one op, `tensor_memory_scale`, if nothing else uses the tile or the product, and each thread has
the factors of its rows.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from tileiras_xdsl.analysis.tensor_memory_tiles import choose_row_grid, row_layout
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape, word
from tileiras_xdsl.dialects.nv_tileaa.elementwise import MulFOp
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TensorMemoryLoadOp, TensorMemoryStoreOp
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS

Scaling = tuple[TensorMemoryLoadOp, MulFOp, BroadcastOp]
"""What reads a tile, multiplies it, and repeats the factors of its rows."""


def find_scaling(store: TensorMemoryStoreOp, warps: int) -> Scaling | None:
    """
    How what a store writes is computed from a tile whose rows are multiplied, if it is, in a kernel
    of so many warps.
    """
    product = store.source.owner
    if not isinstance(product, MulFOp) or not product.result.has_one_use() or not is_exact(product):
        return None
    if get_element(product.result.type) != f32:
        return None
    for tile, factors in (product.operands, reversed(product.operands)):
        load, broadcast = tile.owner, factors.owner
        if not isinstance(load, TensorMemoryLoadOp) or not isinstance(broadcast, BroadcastOp):
            continue
        if load.result.has_one_use() and has_own_factors(load.result, broadcast.source, warps):
            return load, product, broadcast
    return None


def is_exact(product: MulFOp) -> bool:
    """Whether a number times one is that number."""
    mode = word(product.rounding_mode, "nearest_even")
    return mode == "nearest_even" and product.flush_to_zero is None


def has_own_factors(tile: SSAValue, factors: SSAValue, warps: int) -> bool:
    """Whether threads have the factors of the rows that they access."""
    shape = get_shape(tile.type)
    if tuple(get_shape(factors.type)) != (shape[0], 1):
        return False
    layout = row_layout(shape, choose_row_grid(shape, max(1, warps // WARPGROUP_WARPS)))
    if layout is None or layout_of(tile.type) != layout:
        return False
    return layout_of(factors.type) == layout.restricted((shape[0], 1))
