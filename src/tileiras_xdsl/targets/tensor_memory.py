"""
Tensor memory: its size, and which part of it each thread of a warp loads or stores.

An SM has 128 lanes of 512 columns of 32 bits. An address is `lane << 16 | column`. Columns are
allocated, all lanes of them; warp `w` of a warpgroup reaches lanes `32 * (w % 4)` to
`32 * (w % 4) + 31`. Sources are those of `target`, all of this is [I].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LANES: Final = 128
COLUMNS: Final = 512
COLUMN_BYTES: Final = 4
WARP_LANES: Final = 32
"""Lanes that a warp reaches."""
LANE_SHIFT: Final = 16
"""Where the lane of an address begins."""
LEAST_COLUMNS: Final = 32
"""Of an allocation, whose columns are a power of two."""


@dataclass(frozen=True)
class TensorMemory:
    """The tensor memory of an SM."""

    lanes: int = LANES
    columns: int = COLUMNS

    @property
    def bytes(self) -> int:
        return self.lanes * self.columns * COLUMN_BYTES

    def why_not_allocated(self, columns: int) -> str | None:
        """Why no allocation has this many columns; None if one does."""
        if LEAST_COLUMNS <= columns <= self.columns and columns & (columns - 1) == 0:
            return None
        return (
            f"columns of an allocation must be a power of two from {LEAST_COLUMNS} to "
            f"{self.columns}, but got {columns}"
        )


TENSOR_MEMORY: Final = TensorMemory()


@dataclass(frozen=True)
class AccessShape:
    """
    What `tcgen05.ld` and `tcgen05.st` of a shape move: of `num` repetitions, a thread holds
    `registers * num` registers. The formulas are Triton's, written out; 32x32b and 16x32bx2 were
    seen in code of tileiras, too.
    """

    name: str
    registers: int
    """For each repetition."""
    most: int
    """Repetitions, a power of two."""
    lanes: int
    """Of a warp, from the lane of the address on."""
    columns: int
    """For each repetition, from the column of the address on."""
    has_offset: bool = False
    """Whether the upper half of a warp is this many columns further on."""

    def why_not(self, num: int) -> str | None:
        """Why nothing moves this many repetitions; None if something does."""
        if 1 <= num <= self.most and num & (num - 1) == 0:
            return None
        return (
            f"num of shape {self.name} must be a power of two from 1 to {self.most}, but got {num}"
        )

    def place(self, register: int, thread: int, offset: int = 0) -> tuple[int, int]:
        """The lane, of those of its warp, and the column of a thread's register."""
        r, t = register, thread
        match self.name:
            case "32x32b":
                return t, r
            case "16x64b":
                return (t >> 2) + 8 * (t & 1), (t >> 1 & 1) + 2 * r
            case "16x128b":
                return (t >> 2) + 8 * (r & 1), (t & 3) + 4 * (r >> 1)
            case "16x256b":
                return (t >> 2) + 8 * (r >> 1 & 1), 2 * (t & 3) + (r & 1) + 8 * (r >> 2)
            case _:
                return t & 15, r + offset * (t >> 4)


ACCESS_SHAPES: Final[Mapping[str, AccessShape]] = {
    shape.name: shape
    for shape in (
        AccessShape("32x32b", 1, 128, 32, 1),
        AccessShape("16x64b", 1, 128, 16, 2),
        AccessShape("16x128b", 2, 64, 16, 4),
        AccessShape("16x256b", 4, 32, 16, 8),
        AccessShape("16x32bx2", 1, 128, 16, 1, has_offset=True),
    )
}
"""The shapes of accesses, by their names in PTX."""

CP_MULTICASTS: Final[Mapping[str, tuple[str, ...]]] = {
    "128x256b": ("none",),
    "4x256b": ("none",),
    "128x128b": ("none",),
    "64x128b": ("warpx2_02_13", "warpx2_01_23"),
    "32x128b": ("warpx4",),
}
"""The shapes of `tcgen05.cp`, and the warps whose lanes each may be repeated for."""
