"""Scratch memory of stores and atomics by TMA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, TileAxisInfo
from tileiras_xdsl.analysis.linear_layout import BitMap, LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.analysis.tma_tiles import TmaTiling, may_begin_outside, why_not_copied
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileaa.types import GLOBAL_SPACE, TiledViewType
from tileiras_xdsl.dialects.nv_tileas.atoms import TMA_STORES, find_async_mmas, has_atom
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import TMA_TILE_ALIGNMENT
from tileiras_xdsl.dialects.nv_tileas.types import allows_tma
from tileiras_xdsl.dialects.nvvm.base import SHARED_POINTER, ReductionKind
from tileiras_xdsl.targets.choices import MAX_SUBTILE_BYTES
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.tma import find_map_element
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .staged_loads import find_staged_dots
from .tma_loads import can_map, can_rebuild_map

TmaAccess = TiledStoreOp | TiledAtomicRMWOp
"""Ops that TMA may do."""


KINDS: Final = {
    "addf": ReductionKind.ADD,
    "add": ReductionKind.ADD,
    "addu": ReductionKind.ADD,
    "and": ReductionKind.AND,
    "or": ReductionKind.OR,
    "xor": ReductionKind.XOR,
    "umax": ReductionKind.MAX,
    "umin": ReductionKind.MIN,
}
"""
What TMA does for each mode. Integers of a tile have no sign, so they are unsigned in its map, and
there is no signed minimum or maximum.
"""


FLOAT_MODES: Final = ("addf",)


def reduction_kind(mode: str, element: Attribute) -> ReductionKind | None:
    """The TMA reduction of an atomic; None if there is none."""
    kind, mapped = KINDS.get(mode), find_map_element(str(element))
    if kind is None or mapped is None or mapped.is_float != (mode in FLOAT_MODES):
        return None
    return kind if kind.value in mapped.reductions else None


@dataclass(frozen=True)
class StoreSubtile:
    """TMA tiles that are in scratch memory together."""

    registers: Sequence[int]
    """The registers of each thread that hold the elements."""
    tma_tiles: Sequence[tuple[tuple[int, ...], int]]
    """Where each begins: in the tile, by dimension of the tensor, and in scratch memory."""


@dataclass(frozen=True)
class StoreSubtiles:
    """A tile, cut into subtiles that are in scratch memory one after the other."""

    bytes: int
    """Bytes of a subtile."""
    offsets: LinearLayout
    """The registers of a subtile to their offsets in scratch memory, in elements."""
    subtiles: Sequence[StoreSubtile]

    @staticmethod
    def of(tile: TmaTiling, layout: LinearLayout, limit: int) -> StoreSubtiles | None:
        """
        The subtiles of a tile in a register layout without broadcasts. None if they do not fit a
        limit in bytes: then some thread would have nothing to do.

        A subtile is a choice of register bits: each bit of offsets beyond one TMA tile that just
        one register bit flips can be fixed, which halves the subtile and leaves all threads busy.
        """
        size = tile.element_bytes
        offsets = offsets_of(tile.layout, layout)
        bits = len(tile.layout.offset)
        if limit <= 0:
            return None
        count = 0
        while tile.bytes >> count > limit:
            count += 1
        first = log2(tile.tma_tile_bytes // size)
        free = [bit for bit in reversed(range(first, bits)) if _is_register_bit(offsets, bit)]
        if count > len(free):
            return None
        chosen = free[:count]
        fixed = [offsets.register.index(1 << bit) for bit in chosen]
        kept = [bit for bit in range(bits) if bit not in chosen]
        within = BitMap(
            tuple(1 << kept.index(bit) if bit in kept else 0 for bit in range(bits)),
        )
        rest = [basis for basis in offsets.register if basis not in {1 << bit for bit in chosen}]
        inside = offsets.replaced(register=rest).mapped(within, (1 << len(kept),))
        subtiles: list[StoreSubtile] = []
        for pattern in range(1 << count):
            registers = [
                index
                for index in range(layout.registers)
                if all(index >> at & 1 == pattern >> i & 1 for i, at in enumerate(fixed))
            ]
            tma_tiles = [
                (start, within.apply(offset // size) * size)
                for start, offset in tile.tma_tiles()
                if all(offset // size >> b & 1 == pattern >> i & 1 for i, b in enumerate(chosen))
            ]
            subtiles.append(StoreSubtile(registers, tma_tiles))
        return StoreSubtiles(tile.bytes >> count, inside, subtiles)


def _is_register_bit(offsets: LinearLayout, bit: int) -> bool:
    """Whether one register bit, and no other bit, flips a bit of the offset."""
    users = [basis for basis in offsets.all_bases if basis >> bit & 1]
    return users == [1 << bit] and 1 << bit in offsets.register


def tma_store_bytes(function: Operation) -> int:
    """The scratch memory that the stores of a kernel want, with padding for alignment."""
    sizes = [
        min(tiling.bytes, MAX_SUBTILE_BYTES)
        for op in find_all(function, TiledStoreOp, TiledAtomicRMWOp)
        if has_atom(op, *TMA_STORES) and not WARPGROUP_STORE.is_on(op)
        if (tiling := TmaTiling.of(op.view_type)) is not None
    ]
    return max(sizes) + TMA_TILE_ALIGNMENT if sizes else 0


# Selects stores and atomics for TMA.
#
#     nv_tileas.tiled_store %x, %v[%i] {atom = #nv_tileas.atom<tma_store>} : …
#     nv_tileas.tiled_atomic_rmw %v[%i], %x {atom = #nv_tileas.atom<tma_redg>,
#         rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : …
#
# Such an op takes its tile in any layout: it goes through shared memory, from where whole TMA
# tiles are copied. Elements outside of the tensor are left out.

SCOPES: Final = ("tl_blk", "cluster", "gpu")


def why_tma_stores_not_preferred(function: Operation) -> str | None:
    """
    Why TMA stores are not preferred in a kernel. They are, and this is None, if it has WGMMA, or
    dots by `mma.sync` that read buffer stages, whose accumulator layouts make other stores
    uncoalesced. An `alloca` may be in shared memory, where TMA cannot store.
    """
    if not find_async_mmas(function) and not find_staged_dots(function):
        return "stores of threads are coalesced already"
    if any(op.result.type != SHARED_POINTER for op in find_all(function, AllocaOp)):
        return "the kernel has an alloca, where TMA cannot store"
    return None


def is_reduction(op: TiledAtomicRMWOp) -> bool:
    """
    Whether TMA can reduce like an atomic: elements change in no order, each atomically for the
    threads of this GPU.
    """
    is_ordered = op.get_semantic() != "relaxed" or op.volatile is not None
    is_local = op.mem_scope is not None and op.mem_scope.data in SCOPES
    kind = reduction_kind(op.rmw_mode.data, op.view_type.element_type)
    return is_local and not is_ordered and kind is not None


def why_no_tma_store(
    op: TiledStoreOp | TiledAtomicRMWOp, axis_info: AxisInfoAnalysis
) -> str | None:
    """
    Why TMA cannot do a store or an atomic; None if it can, and the layout of its tensor in memory
    permits.
    """
    if not allows_tma(op):
        return "its hints forbid TMA"
    if isinstance(op, TiledStoreOp) and (
        op.get_semantic() != "weak" or op.volatile is not None or op.mask is not None
    ):
        return "it has a mask, or is ordered with other accesses"
    if isinstance(op, TiledAtomicRMWOp) and not is_reduction(op):
        return "TMA has no such reduction, or not in this memory order"
    if op.token is not None or op.result_token is not None:
        return "it is ordered with other accesses"
    ty = op.view_type
    memref = ty.memref
    if memref.address_space.data != GLOBAL_SPACE:
        return "it is not in global memory"
    if memref.strides.data.count(1) != 1:
        return "not exactly one stride is known to be 1"
    if isinstance(tiling := TmaTiling.of_or_reason(ty), str):
        return tiling
    if tiling.is_long_row:
        return "it is a row of more than 128 bytes"
    if not (can_map(op.view) or can_rebuild_map(op.view)):
        return "its tensor cannot have a tensor map"
    if may_begin_outside(TileAxisInfo.of(op.view, op.indices, axis_info, op.get_in_bounds())):
        return "a part of the tile may lie before the tensor, where TMA cannot store"
    return why_not_copied(op.view, axis_info)


# TMA stores in which each warpgroup stores TMA tiles of its own.


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
        taken = reduce(int.__or__, others, 0)
        for basis in warpgroup_bases:
            if basis.bit_count() != 1 or taken & basis:
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


def _cut(tile: TmaTiling, elements: int) -> TmaTiling | None:
    """The same tile in TMA tiles of at most this many elements, all of them consecutive rows."""
    if not elements or elements * tile.element_bytes >= tile.tma_tile_bytes:
        return tile
    strides = tile.type.memref.strides.data
    contiguous = [dim for dim, stride in enumerate(strides) if stride == 1]
    inner = max(contiguous, key=tile.box.__getitem__)
    rows = [dim for dim, extent in enumerate(tile.box) if extent > 1 and dim != inner]
    count = elements // tile.box[inner]
    if len(rows) != 1 or not count:
        return None
    return replace(tile, box=tuple(count if d == rows[0] else e for d, e in enumerate(tile.box)))


def mark_warpgroup_stores(function: FuncOp, limit: int) -> int:
    """
    Marks stores in loops that can have a staging buffer of their own, up to a limit in bytes, and
    returns how many bytes they take. Where nothing follows a store, warpgroups gain nothing by
    going on.
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
            WARPGROUP_STORE.set(function, UnitAttr())
    return total


def staging_bytes(op: TmaAccess) -> int | None:
    """The bytes of the staging buffer of a marked store."""
    tile = TmaTiling.of(op.view_type)
    return None if tile is None else tile.bytes
