"""
Loads that producer warps can do by TMA, and how their tiles reach a dot, as those do that threads
of producer warps copy (`copied_loads`).

    %a = nv_tileas.tiled_load %v[%i, %k]       a tile, in the layout of its TMA tiles
    %t = nv_tileaa.permute %a [1, 0]           reshapes, which only change how it is read
    %d = nv_tileas.dot %t, …
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from xdsl.dialects.builtin import FloatTF32Type, f32
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.memory_order import what_holds
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.analysis.tma_tiles import why_not_copied as why_no_tma
from tileiras_xdsl.analysis.wgmma_operands import SharedOperand
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ExpandDimsOperation, PermuteOp, ViewOperation
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.atoms import StagedLoad, is_copied
from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED, K_PERMUTATION
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nv_tileas.types import allows_tma

from .copied_loads import find_contiguous, is_by_tma, shared_layout, why_not_copied
from .layout_rules import result_layout
from .slicing import NotScalar, Slice

COPY_ALIGNMENT: Final = 128
"""Of a TMA tile in shared memory, in bytes."""

NEAREST: Final = "nearest_even"
"""How copies round."""


@cache
def _is_reshaping(kind: type[Operation]) -> bool:
    """Whether ops of a class change a shape or layout; cached, for every user is asked."""
    return issubclass(kind, (ViewOperation, ExpandDimsOperation, PermuteOp, ConvertLayoutOp))


def is_view_like(op: Operation) -> bool:
    """Whether an op only changes shape or layout of a tile, or rounds it to tf32 as TMA does."""
    return _is_reshaping(type(op)) or is_rounding(op)


def is_rounding(op: Operation) -> bool:
    """Whether an op rounds f32 to tf32 as copies do, to nearest."""
    if not isinstance(op, FpToFpOp) or get_element(op.operands[0].type) != f32:
        return False
    if op.rounding_mode is not None and op.rounding_mode.data != NEAREST:
        return False
    return isinstance(get_element(op.result.type), FloatTF32Type)


@dataclass(frozen=True)
class TileUse:
    """A use of a loaded tile, after reshapes."""

    op: Operation
    operand_index: int
    chain: Sequence[Operation]


def find_uses(value: SSAValue, chain: Sequence[Operation] = ()) -> Iterator[TileUse]:
    """All uses of a tile that are no reshapes or layout conversions."""
    pending = [(use, chain) for use in reversed([*value.uses])]
    while pending:
        use, chain = pending.pop()
        user = use.operation
        if isinstance(user, ConvertLayoutOp) or is_view_like(user):
            longer = chain if isinstance(user, ConvertLayoutOp) else (*chain, user)
            pending += [(each, longer) for each in reversed([*user.results[0].uses])]
        else:
            yield TileUse(user, use.index, chain)


def find_load(value: SSAValue) -> StagedLoad | None:
    """The load of a view, or one that is copied, that a value comes from, by reshapes only."""
    while True:
        op = value.owner
        if isinstance(op, TiledLoadOp) or is_copied(op):
            return op
        if not isinstance(op, Operation) or not is_view_like(op):
            return None
        value = op.operands[0]


@dataclass(frozen=True)
class SharedTile:
    """A tile that was loaded into shared memory, after some reshapes."""

    load: StagedLoad
    chain: Sequence[Operation]
    layout: LinearLayout


def find_tma_tiling(op: TiledLoadOp, axis_info: AxisInfoAnalysis) -> TmaTiling | None:
    """The TMA tiling of a load; None if TMA cannot do it."""
    tiling = tma_tiling_or_reason(op, axis_info)
    return tiling if isinstance(tiling, TmaTiling) else None


def tma_tiling_or_reason(op: TiledLoadOp, axis_info: AxisInfoAnalysis) -> TmaTiling | str:
    """The TMA tiling of a load, or why TMA cannot do it."""
    ty = op.view_type
    padding = ty.get_padding() if op.padding_value is None else op.padding_value.data
    if not allows_tma(op):
        return "its hints forbid TMA"
    if not is_plain_load(op) or op.token is not None or op.result_token is not None:
        return "it is ordered with other accesses"
    if (holder := what_holds(op)) is not None:
        return f"'{holder.name}' may have to come before it"
    if padding not in (None, "zero"):
        return f"TMA pads with zeros, not with {padding}"
    if (reason := why_no_tma(op.view, axis_info)) is not None:
        return reason
    return _tile_or_reason(op, ty)


def loaded_tiling(op: TiledLoadOp) -> TmaTiling | None:
    """
    How TMA copies what a CTA loads of a tile: all of it, or its half if it is one of a pair; None
    if it cannot.
    """
    dim = HALVED.get(op)
    view = op.view_type if dim is None else half_view(op.view_type, dim.data)
    tiling = _tile_or_reason(op, view)
    return tiling if isinstance(tiling, TmaTiling) else None


def whole_tiling(op: TiledLoadOp) -> TmaTiling | None:
    """How TMA copies the tile that both CTAs of a pair load; None if it cannot."""
    tiling = _tile_or_reason(op, op.view_type)
    return tiling if isinstance(tiling, TmaTiling) else None


def _tile_or_reason(op: TiledLoadOp, ty: TiledViewType) -> TmaTiling | str:
    """How TMA copies tiles of a view for a load, or why it cannot."""
    tiling, dim = TmaTiling.of_or_reason(ty), K_PERMUTATION.get(op)
    if isinstance(tiling, str) or dim is None:
        return tiling
    return tiling.k_permutation_or_reason(dim.data)


def why_not_scalar(op: Operation) -> str | None:
    """Why producer warps cannot compute the operands of an op by scalar code; None if they can."""
    try:
        Slice().add(op)
    except NotScalar as reason:
        return f"its address {reason}"
    return None


def tile_or_reason(value: SSAValue, axis_info: AxisInfoAnalysis) -> SharedTile | str:
    """
    The load that a value comes from, through reshapes only, or why there is no such load that
    producer warps can do.
    """
    chain: list[Operation] = []
    while True:
        op = value.owner
        if isinstance(op, TiledLoadOp) or is_copied(op):
            break
        if not isinstance(op, Operation):
            return "a loop carries it"
        if not is_view_like(op):
            return "it is computed"
        if not isinstance(op, ConvertLayoutOp):
            chain.insert(0, op)
        value = op.operands[0]
    layout = loaded_layout_or_reason(op, axis_info)
    if isinstance(layout, str):
        return layout
    for each in chain:
        changed = result_layout(each, layout)
        if changed is None:
            return f"'{each.name}' moves elements of the tile"
        layout = changed
    return SharedTile(op, chain, layout)


def loaded_layout_or_reason(op: StagedLoad, axis_info: AxisInfoAnalysis) -> LinearLayout | str:
    """The layout in shared memory of what a producer loads, or why it cannot load it."""
    if not is_by_tma(op):
        dim = find_contiguous(op, axis_info)
        if isinstance(dim, str):
            return dim
        return why_not_copied(op, axis_info) or shared_layout(op, dim)
    tiling = tma_tiling_or_reason(op, axis_info)
    if isinstance(tiling, str):
        return tiling
    return why_not_scalar(op) or tiling.layout


def operand_or_reason(
    value: SSAValue, summed: int, axis_info: AxisInfoAnalysis, *, transposes_bytes: bool = False
) -> SharedOperand | str:
    """How WGMMA, or `tcgen05`, can read an operand from shared memory, or why it cannot."""
    tile = tile_or_reason(value, axis_info)
    if isinstance(tile, str):
        return tile
    size = memory_bits(get_element(value.type)) // 8
    return SharedOperand.of_or_reason(tile.layout, summed, size, transposes_bytes=transposes_bytes)


def half_view(ty: TiledViewType, dim: int) -> TiledViewType:
    """A view of the first half of each tile along a dimension."""
    shape = list(ty.get_tile_shape())
    shape[dim] //= 2
    return TiledViewType(
        shape, ty.memref, ty.get_dim_map(), ty.get_steps(), ty.get_padding(), ty.get_sparse_dim()
    )


def halve(tile: TmaTiling) -> TmaTiling | None:
    """
    A tiling of at least two TMA tiles, half of them for each CTA of a cluster. None if the second
    half would not lie after the first, and begin at a swizzle atom: a tile of 8 rows cannot be
    halved.
    """
    if len(list(tile.tma_tiles())) > 1:
        return tile
    half = tile.bytes // 2
    for dim, extent in enumerate(tile.box):
        if extent > 1 and half % COPY_ALIGNMENT == 0:
            cut = replace(tile, box=(*tile.box[:dim], extent // 2, *tile.box[dim + 1 :]))
            if [offset for _, offset in cut.tma_tiles()] == [0, half]:
                return cut
    return None
