"""TMA stores in which each warpgroup stores TMA tiles of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    STORE_PARTS,
    WARPGROUP_STORE,
    get_store_parts,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.xdsl_extras.walking import walk

from .shared_memory import TMA_STORES, has_atom
from .tensor_maps import can_map, can_rebuild_map
from .tma_stores import StoreSubtile, StoreSubtiles, TmaAccess


@dataclass(frozen=True)
class WarpgroupTmaTiles:
    """The TMA tiles of a tile, by the warpgroup that stores them."""

    tiling: TmaTiling
    bytes: int
    """Of the staging buffer of all warpgroups."""
    offsets: LinearLayout
    """The registers of a part, lanes and warps to offsets in the buffer, in elements."""
    parts: Sequence[StoreSubtile]
    """
    What is in the buffer together, with the TMA tiles of the first warpgroup: where they begin in
    the tile, and in the buffer, in bytes.
    """
    moves: Sequence[tuple[tuple[int, ...], int]]
    """For each bit of the warpgroup index, how much further its TMA tiles begin."""

    @property
    def starts(self) -> Sequence[tuple[int, ...]]:
        """Where TMA tiles of the first warpgroup begin in the tile."""
        return [start for part in self.parts for start, _ in part.tma_tiles]

    @staticmethod
    def of(ty: TiledViewType, layout: LinearLayout, parts: int = 1) -> WarpgroupTmaTiles | None:
        """
        The TMA tiles of a tile in a layout, in so many parts; None if warpgroups share some, or
        the tile cannot be stored in parts.
        """
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
        subtiles = StoreSubtiles.of(small, layout, tile.bytes // parts)
        if subtiles is None or len(subtiles.subtiles) != parts:
            return None
        starts = {at for at, offset in tma_tiles if not offset // size & mask}
        own = [
            replace(part, tma_tiles=[each for each in part.tma_tiles if each[0] in starts])
            for part in subtiles.subtiles
        ]
        moves: list[tuple[tuple[int, ...], int]] = []
        places = subtiles.offsets.warp[log2(WARPGROUP_WARPS) :]
        for basis, place in zip(warpgroup_bases, places, strict=True):
            moved = next((at for at, offset in tma_tiles if offset == basis * size), None)
            if moved is None:
                return None
            moves.append((moved, place * size))
        return WarpgroupTmaTiles(small, subtiles.bytes, subtiles.offsets, own, moves)

    @staticmethod
    def of_store(op: TmaAccess) -> WarpgroupTmaTiles | None:
        """Those of a store, in as many parts as it says."""
        layout = layout_of(op.value.type)
        if layout is None:
            return None
        return WarpgroupTmaTiles.of(op.view_type, layout, get_store_parts(op))


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


def mark_warpgroup_stores(function: Operation, limit: int, parts: int = 1) -> int:
    """
    Marks stores in loops that can have a staging buffer of their own, up to a limit in bytes, and
    returns how many bytes they take. Tiles that can be are stored in so many parts, unless their
    tensor map is built in the loop. Where nothing follows a store, warpgroups gain nothing by
    going on (675 instead of 682 TFLOP/s, `attention_d128`).
    """
    total, known = 0, set[tuple[TiledViewType, LinearLayout]]()
    for op in walk(function):
        WARPGROUP_STORE.drop(op)
        STORE_PARTS.drop(op)
        if not isinstance(op, TmaAccess) or not has_atom(op, *TMA_STORES):
            continue
        if isinstance(op.parent_op(), FuncOp):
            continue
        ty, layout = op.view_type, layout_of(op.value.type)
        if layout is None or (tiles := WarpgroupTmaTiles.of(ty, layout)) is None:
            continue
        if not (can_map(op.view) or can_rebuild_map(op.view)):
            continue
        count = 1
        if parts > 1 and can_map(op.view) and (cut := WarpgroupTmaTiles.of(ty, layout, parts)):
            tiles, count = cut, parts
        key = ty, layout
        needed = 0 if key in known else tiles.bytes
        if total + needed <= limit:
            known.add(key)
            total += needed
            WARPGROUP_STORE.set(op, UnitAttr())
            if count > 1:
                STORE_PARTS.set(op, IntegerAttr(count, i32))
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
    return None if tile is None else tile.bytes // get_store_parts(op)
