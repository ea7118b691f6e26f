"""
Loads that other warps can do ahead, by the tensor memory accelerator.

    %a = nv_tileas.tiled_load %v[%i, %k]       the box of the tile, where it lies in memory, and
    %t = nv_tileaa.permute %a [1, 0]           the changes of shape on the way to the product
    %d = nv_tileas.dot %t, …
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.facts import Facts, element_bytes, memref_of
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.tensor_boxes import TileBox, can_copy
from tileiras_xdsl.analysis.warpgroup_factors import SharedFactor
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.shape import ExpandDimsOperation, PermuteOp, ViewOperation
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp

from ..independence import is_independent
from ..tileas_layouts.rules import result_layout
from .slicing import NotScalar, Slice


@dataclass(frozen=True)
class SharedTile:
    """A tile that was loaded into shared memory, after some changes of shape."""

    load: TiledLoadOp
    chain: Sequence[Operation]
    layout: LinearLayout


def find_box(op: TiledLoadOp, facts: Facts) -> TileBox | None:
    """How a load can be done by the accelerator; none if it cannot."""
    type = op.view.type
    assert isinstance(type, TiledViewType)
    padding = type.get_padding() if op.padding_value is None else op.padding_value.data
    is_plain = is_independent(op) and op.token is None and op.result_token is None
    if not is_plain or padding not in (None, "zero") or not can_copy(op.view, facts):
        return None
    make = memref_of(op.view)
    if make is None or not isinstance(make.parent_op(), FuncOp):
        return None
    return TileBox.of(type)


def is_scalar_slice(op: Operation) -> bool:
    """Whether scalar code is enough to compute the operands of an op, as often as it runs."""
    try:
        Slice().add(op)
    except NotScalar:
        return False
    return True


def trace_tile(value: SSAValue, facts: Facts) -> SharedTile | None:
    """The load that a value comes from, with changes of shape only on the way."""
    chain: list[Operation] = []
    while not isinstance(op := value.owner, TiledLoadOp):
        if not isinstance(op, ViewOperation | ExpandDimsOperation | PermuteOp | ConvertLayoutOp):
            return None
        if not isinstance(op, ConvertLayoutOp):
            chain.insert(0, op)
        value = op.operands[0]
    box = find_box(op, facts)
    if box is None or not is_scalar_slice(op):
        return None
    layout = box.layout
    for each in chain:
        changed = result_layout(each, layout)
        if changed is None:
            return None
        layout = changed
    return SharedTile(op, chain, layout)


def find_factor(value: SSAValue, summed: int, facts: Facts) -> SharedFactor | None:
    """How a product can read a factor from shared memory, if it is loaded there."""
    tile = trace_tile(value, facts)
    size = element_bytes(get_element(value.type))
    if tile is None or size is None or not isinstance(value.type, TensorType):
        return None
    return SharedFactor.of(tile.layout, summed, size)
