"""What stores and atomics by the tensor memory accelerator need of shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.ir import Attribute, Operation

from tileiras_xdsl.analysis.linear_layout import BitMap, LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.analysis.tma_tiles import TmaTile
from tileiras_xdsl.dialects.nv_tileas.decisions import GROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.dialects.nvvm.base import ReductionKind
from tileiras_xdsl.targets.tma import find_map_element
from tileiras_xdsl.xdsl_extras.walking import find_all

from .shared_memory import BOX_ALIGNMENT, BOX_STORES, has_atom

TmaAccess = TiledStoreOp | TiledAtomicRMWOp
"""What goes to memory as boxes."""


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
What a copy does for each mode. Integers of a tile have no sign, so they are unsigned in its map,
and there is no greatest or least with a sign.
"""


FLOAT_MODES: Final = ("addf",)


def reduction_kind(mode: str, element: Attribute) -> ReductionKind | None:
    """What a copy does for an atomic; none if no copy does that."""
    kind, mapped = KINDS.get(mode), find_map_element(str(element))
    if kind is None or mapped is None or mapped.is_float != (mode in FLOAT_MODES):
        return None
    return kind if kind.value in mapped.reductions else None


PART_BYTES: Final = 64 * 1024
"""The most scratch memory that a store takes."""


@dataclass(frozen=True)
class Part:
    """Boxes that are in scratch memory together."""

    registers: Sequence[int]
    """Those of each thread that hold the elements."""
    boxes: Sequence[tuple[tuple[int, ...], int]]
    """Where each begins: in the tile, by dimension of the tensor, and in scratch memory."""


@dataclass(frozen=True)
class Parts:
    """A tile, cut into parts that lie in scratch memory one after the other."""

    bytes: int
    """Of a part."""
    places: LinearLayout
    """The registers of a part to their numbers in scratch memory, in elements."""
    parts: Sequence[Part]

    @staticmethod
    def of(box: TmaTile, layout: LinearLayout, limit: int) -> Parts | None:
        """
        The parts of a tile that registers hold in a layout without copies of others. None if they
        do not fit a limit in bytes: then some thread would have nothing to do.
        """
        size = box.element_bytes
        places = offsets_of(box.layout, layout)
        bits = len(box.layout.offset)
        if limit <= 0:
            return None
        count = 0
        while box.bytes >> count > limit:
            count += 1
        first = log2(box.tma_tile_bytes // size)
        free = [bit for bit in reversed(range(first, bits)) if _is_register_bit(places, bit)]
        if count > len(free):
            return None
        chosen = free[:count]
        fixed = [places.register.index(1 << bit) for bit in chosen]
        kept = [bit for bit in range(bits) if bit not in chosen]
        within = BitMap(
            tuple(1 << kept.index(bit) if bit in kept else 0 for bit in range(bits)),
        )
        rest = [basis for basis in places.register if basis not in {1 << bit for bit in chosen}]
        inside = places.replaced(register=rest).mapped(within, (1 << len(kept),))
        parts: list[Part] = []
        for number in range(1 << count):
            registers = [
                index
                for index in range(layout.registers)
                if all(index >> at & 1 == number >> i & 1 for i, at in enumerate(fixed))
            ]
            boxes = [
                (start, within.apply(offset // size) * size)
                for start, offset in box.parts()
                if all(offset // size >> b & 1 == number >> i & 1 for i, b in enumerate(chosen))
            ]
            parts.append(Part(registers, boxes))
        return Parts(box.bytes >> count, inside, parts)


def _is_register_bit(places: LinearLayout, bit: int) -> bool:
    """Whether one bit of registers, and nothing else, flips a bit of the places."""
    users = [basis for basis in places.all_bases if basis >> bit & 1]
    return users == [1 << bit] and 1 << bit in places.register


def tma_store_bytes(function: Operation) -> int:
    """How much scratch memory the stores of a kernel want, with what alignment may cost."""
    sizes = [
        min(box.bytes, PART_BYTES)
        for op in find_all(function, TiledStoreOp, TiledAtomicRMWOp)
        if has_atom(op, *BOX_STORES) and not GROUP_STORE.is_on(op)
        if (box := TmaTile.of(op.view_type)) is not None
    ]
    return max(sizes) + BOX_ALIGNMENT if sizes else 0
