"""
Loads that other warps can do ahead, by the tensor memory accelerator.

    %a = nv_tileas.tiled_load %v[%i, %k]       the box of the tile, where it lies in memory, and
    %t = nv_tileaa.permute %a [1, 0]           the changes of shape on the way to the product
    %d = nv_tileas.dot %t, …
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from xdsl.dialects.builtin import FloatTF32Type, f32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, memref_of
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.memory_order import what_holds
from tileiras_xdsl.analysis.tma_tiles import TmaTile, why_not_copied
from tileiras_xdsl.analysis.wgmma_operands import SharedOperand
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ExpandDimsOperation, PermuteOp, ViewOperation
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.transforms.common.access_hints import allows_tma

from .layout_rules import memory_bits, result_layout
from .slicing import NotScalar, Slice

COPY_ALIGNMENT: Final = 128
"""Of a box in shared memory, in bytes."""

NEAREST: Final = "nearest_even"
"""How copies round."""


@cache
def _is_reshaping(kind: type[Operation]) -> bool:
    """Whether ops of a kind change a shape or layout, which is asked of every user of a tile."""
    return issubclass(kind, (ViewOperation, ExpandDimsOperation, PermuteOp, ConvertLayoutOp))


def is_change(op: Operation) -> bool:
    """Whether an op changes the shape or layout of a tile, or rounds it as copies can do."""
    return _is_reshaping(type(op)) or is_rounding(op)


def is_rounding(op: Operation) -> bool:
    """Whether an op rounds f32 to tf32 as copies do, to nearest."""
    if not isinstance(op, FpToFpOp) or get_element(op.operands[0].type) != f32:
        return False
    if op.rounding_mode is not None and op.rounding_mode.data != NEAREST:
        return False
    return isinstance(get_element(op.result.type), FloatTF32Type)


@dataclass(frozen=True)
class Use:
    """A use of a tile that is loaded, behind changes of its shape."""

    op: Operation
    number: int
    chain: Sequence[Operation]


def find_uses(value: SSAValue, chain: Sequence[Operation] = ()) -> Iterator[Use]:
    """All uses of a tile that are no changes of shape or layout."""
    for use in value.uses:
        user = use.operation
        if isinstance(user, ConvertLayoutOp):
            yield from find_uses(user.results[0], chain)
        elif is_change(user):
            yield from find_uses(user.results[0], (*chain, user))
        else:
            yield Use(user, use.index, chain)


def find_load(value: SSAValue) -> TiledLoadOp | None:
    """The load that a value comes from, with changes of shape only on the way."""
    while not isinstance(op := value.owner, TiledLoadOp):
        if not isinstance(op, Operation) or not is_change(op):
            return None
        value = op.operands[0]
    return op


@dataclass(frozen=True)
class SharedTile:
    """A tile that was loaded into shared memory, after some changes of shape."""

    load: TiledLoadOp
    chain: Sequence[Operation]
    layout: LinearLayout


def find_tma_tile(op: TiledLoadOp, facts: AxisInfoAnalysis) -> TmaTile | None:
    """How a load can be done by the accelerator; none if it cannot."""
    box = tma_tile_or_reason(op, facts)
    return box if isinstance(box, TmaTile) else None


def tma_tile_or_reason(op: TiledLoadOp, facts: AxisInfoAnalysis) -> TmaTile | str:
    """How a load can be done by the accelerator, or why it cannot."""
    ty = op.view_type
    padding = ty.get_padding() if op.padding_value is None else op.padding_value.data
    if not allows_tma(op):
        return "its hints forbid TMA"
    if not is_plain_load(op) or op.token is not None or op.result_token is not None:
        return "it is in an order with other accesses"
    if (holder := what_holds(op)) is not None:
        return f"'{holder.name}' may have to be done before it"
    if padding not in (None, "zero"):
        return f"TMA pads with zeros, not with {padding}"
    if (reason := why_not_copied(op.view, facts)) is not None:
        return reason
    make = memref_of(op.view)
    if make is None or not isinstance(make.parent_op(), FuncOp):
        return "its tensor is not made at the start of the kernel"
    return TmaTile.of_or_reason(ty)


def is_scalar_slice(op: Operation) -> bool:
    """Whether scalar code is enough to compute the operands of an op, as often as it runs."""
    return why_not_scalar(op) is None


def why_not_scalar(op: Operation) -> str | None:
    """Why other warps cannot compute the operands of an op by themselves; none if they can."""
    try:
        Slice().add(op)
    except NotScalar as reason:
        return f"where it loads from {reason}"
    return None


def tile_or_reason(value: SSAValue, facts: AxisInfoAnalysis) -> SharedTile | str:
    """
    The load that a value comes from, with changes of shape only on the way, or why there is no
    such load that other warps can do.
    """
    chain: list[Operation] = []
    while not isinstance(op := value.owner, TiledLoadOp):
        if not isinstance(op, Operation):
            return "a loop carries it"
        if not is_change(op):
            return "it is computed"
        if not isinstance(op, ConvertLayoutOp):
            chain.insert(0, op)
        value = op.operands[0]
    box = tma_tile_or_reason(op, facts)
    if isinstance(box, str):
        return box
    if (reason := why_not_scalar(op)) is not None:
        return reason
    layout = box.layout
    for each in chain:
        changed = result_layout(each, layout)
        if changed is None:
            return f"'{each.name}' moves elements of the tile"
        layout = changed
    return SharedTile(op, chain, layout)


def operand_or_reason(value: SSAValue, summed: int, facts: AxisInfoAnalysis) -> SharedOperand | str:
    """How a product can read a factor from shared memory, or why it cannot."""
    tile = tile_or_reason(value, facts)
    if isinstance(tile, str):
        return tile
    size = memory_bits(get_element(value.type)) // 8
    return SharedOperand.of_or_reason(tile.layout, summed, size)


def halve(box: TmaTile) -> TmaTile | None:
    """
    A tile in at least two boxes, half of them for each block of a cluster. None if the second half
    would not lie behind the first, and begin where the permutation of pieces does: a tile of 8
    lines cannot be halved.
    """
    if len(list(box.parts())) > 1:
        return box
    half = box.bytes // 2
    for dim, extent in enumerate(box.box):
        if extent > 1 and half % COPY_ALIGNMENT == 0:
            cut = replace(box, box=(*box.box[:dim], extent // 2, *box.box[dim + 1 :]))
            if [offset for _, offset in cut.parts()] == [0, half]:
                return cut
    return None
