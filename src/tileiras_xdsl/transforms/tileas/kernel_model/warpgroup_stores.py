"""TMA stores in which each warpgroup stores TMA tiles of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    WARPGROUP_STORE,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.xdsl_extras.walking import walk

from .shared_memory import TMA_STORES, has_atom
from .tensor_maps import can_map, can_rebuild_map
from .tma_stores import TmaAccess


@dataclass(frozen=True)
class WarpgroupTmaTiles:
    """The TMA tiles of a tile, by the warpgroup that stores them."""

    tiling: TmaTiling
    offsets: LinearLayout
    """Registers, lanes and warps to offsets in the buffer, in elements."""
    tma_tiles: Sequence[tuple[tuple[int, ...], int]]
    """
    Those of the first warpgroup: where they begin in the tile, and in the buffer, in bytes.
    """
    moves: Sequence[tuple[tuple[int, ...], int]]
    """For each bit of the warpgroup index, how much further its TMA tiles begin."""

    @property
    def starts(self) -> Sequence[tuple[int, ...]]:
        """Where TMA tiles of the first warpgroup begin in the tile."""
        return [start for start, _ in self.tma_tiles]

    @staticmethod
    def of(ty: TiledViewType, layout: LinearLayout) -> WarpgroupTmaTiles | None:
        """The TMA tiles of a tile in a layout; None if warpgroups share some."""
        tile = TmaTiling.of(ty)
        if tile is None or layout.warps % WARPGROUP_WARPS or layout.compressed() != layout:
            return None
        if layout.free_bits("lane") or layout.free_bits("warp"):
            return None
        offsets = offsets_of(tile.layout, layout)
        warpgroup_bases = offsets.warp[log2(WARPGROUP_WARPS) :]
        others = (*offsets.register, *offsets.lane, *offsets.warp[: log2(WARPGROUP_WARPS)])
        for basis in warpgroup_bases:
            if basis.bit_count() != 1 or any(other & basis for other in others):
                return None
        small = _cut(tile, min(warpgroup_bases, default=0))
        if small is None:
            return None
        size, mask = tile.element_bytes, sum(warpgroup_bases)
        tma_tiles = list(small.tma_tiles())
        own = [(at, offset) for at, offset in tma_tiles if not offset // size & mask]
        moves: list[tuple[tuple[int, ...], int]] = []
        for basis in warpgroup_bases:
            moved = next((at for at, offset in tma_tiles if offset == basis * size), None)
            if moved is None:
                return None
            moves.append((moved, basis * size))
        return WarpgroupTmaTiles(small, offsets_of(small.layout, layout), own, moves)

    @staticmethod
    def of_store(op: TmaAccess) -> WarpgroupTmaTiles | None:
        """Those of a store."""
        layout = layout_of(op.value.type)
        return None if layout is None else WarpgroupTmaTiles.of(op.view_type, layout)


def _cut(tile: TmaTiling, elements: int) -> TmaTiling | None:
    """The same tile in TMA tiles of at most so many elements, all of them consecutive rows."""
    if not elements or elements * tile.element_bytes >= tile.tma_tile_bytes:
        return tile
    strides = tile.type.memref.strides.data
    contiguous = [dim for dim, stride in enumerate(strides) if stride == 1]
    inner = max(contiguous, key=lambda dim: tile.box[dim])
    rows = [dim for dim, extent in enumerate(tile.box) if extent > 1 and dim != inner]
    count = elements // tile.box[inner]
    if len(rows) != 1 or not count:
        return None
    return replace(tile, box=tuple(count if d == rows[0] else e for d, e in enumerate(tile.box)))


def mark_warpgroup_stores(function: Operation, limit: int) -> int:
    """
    Marks stores in loops that can have a staging buffer of their own, up to a limit in bytes, and
    returns how many bytes they take. Where nothing follows a store, warpgroups gain nothing by
    going on (675 instead of 682 TFLOP/s, `attention_d128`).
    """
    total, known = 0, set[tuple[TiledViewType, LinearLayout]]()
    for op in walk(function):
        WARPGROUP_STORE.drop(op)
        if not isinstance(op, TmaAccess) or not has_atom(op, *TMA_STORES):
            continue
        if isinstance(op.parent_op(), FuncOp):
            continue
        ty, layout = op.view_type, layout_of(op.value.type)
        if layout is None or (tiles := WarpgroupTmaTiles.of(ty, layout)) is None:
            continue
        if not (can_map(op.view) or can_rebuild_map(op.view)):
            continue
        key = ty, layout
        needed = 0 if key in known else tiles.tiling.bytes
        if total + needed <= limit:
            known.add(key)
            total += needed
            WARPGROUP_STORE.set(op, UnitAttr())
    return total


def warpgroup_store_bytes(function: Operation) -> int:
    """The bytes of staging buffers of marked stores."""
    sizes: dict[object, int] = {}
    for op in walk(function):
        if WARPGROUP_STORE.is_on(op) and isinstance(op, TmaAccess):
            sizes[op.view_type, op.value.type] = staging_bytes(op) or 0
    return sum(sizes.values())


def staging_bytes(op: TmaAccess) -> int | None:
    """The bytes of the staging buffer of a marked store."""
    tile = TmaTiling.of(op.view_type)
    return None if tile is None else tile.bytes
