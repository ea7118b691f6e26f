"""
Which stores the tensor memory accelerator does.

    nv_tileas.tiled_store %x, %v[%i] {atom = #nv_tileas.atom<tma_store>} : …

Such a store takes its tile in any layout: it goes through shared memory, from where whole boxes are
copied. What lies outside of the tensor is left out.
"""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation

from tileiras_xdsl.analysis.facts import Facts
from tileiras_xdsl.analysis.tensor_boxes import TileBox, can_copy
from tileiras_xdsl.analysis.view_facts import ViewFacts
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileaa.types import GLOBAL_SPACE, TiledViewType
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledStoreOp

from ..convert_tileas_to_nvgpu.tensor_maps import can_map
from .memory_anchors import BOX_STORE

PRODUCT_ATOM: Final = AtomAttr("mma.sm90")
MAX_SIZE: Final = (1 << 31) - 1
"""Coordinates of boxes have 32 bits and a sign."""


def assign_box_stores(function: Operation, facts: Facts) -> None:
    """Marks the stores of a kernel that are made of boxes."""
    if not prefers_boxes(function):
        return
    for op in function.walk():
        if isinstance(op, TiledStoreOp) and is_box(op, facts):
            op.properties["atom"] = BOX_STORE


def prefers_boxes(function: Operation) -> bool:
    """
    Whether stores of a kernel are made of boxes where they can be: if it multiplies by warpgroups,
    whose sums lie in registers in an order that is bad for other stores. Memory of the kernel's own
    may be shared memory, where boxes cannot be stored.
    """
    ops = list(function.walk())
    has_products = any(isinstance(op, DotOp) and op.atom == PRODUCT_ATOM for op in ops)
    return has_products and not any(isinstance(op, AllocaOp) for op in ops)


def is_box(op: TiledStoreOp, facts: Facts) -> bool:
    """
    Whether a store can be made of boxes: in no order with others, without a mask, of a tensor that
    lies in memory as boxes need it.
    """
    type = op.view.type
    assert isinstance(type, TiledViewType)
    is_plain = op.get_semantic() == "weak" and op.volatile is None
    if not is_plain or any(value is not None for value in (op.mask, op.token, op.result_token)):
        return False
    memref = type.memref
    if memref.address_space.data != GLOBAL_SPACE or memref.strides.data.count(1) != 1:
        return False
    if TileBox.of(type) is None or not can_map(op.view) or not can_copy(op.view, facts):
        return False
    return all(size.high <= MAX_SIZE for size in ViewFacts.of(op.view, facts).sizes)
