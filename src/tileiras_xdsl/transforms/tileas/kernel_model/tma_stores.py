"""Scratch memory of stores and atomics by TMA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.ir import Attribute, Operation

from tileiras_xdsl.analysis.linear_layout import BitMap, LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.dialects.nvvm.base import ReductionKind
from tileiras_xdsl.targets.tma import find_map_element
from tileiras_xdsl.xdsl_extras.walking import find_all

from .shared_memory import TMA_STORES, TMA_TILE_ALIGNMENT, has_atom

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


MAX_SUBTILE_BYTES: Final = 64 * 1024
"""The most scratch memory that a store takes at a time."""


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
