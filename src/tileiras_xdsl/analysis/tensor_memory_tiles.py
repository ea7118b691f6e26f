"""
Tiles of dots by `tcgen05`: their layouts in tensor memory, and in the registers they are read into.

An MMA has 64 or 128 rows; a tile of 256 rows is two of them, one behind the other in columns. A
warpgroup reads 128 rows: warp w the lanes from 32·w on, and thread t the whole row t of them
(`tcgen05.ld.32x32b`), so a reduction along columns stays in a thread. Of 64 rows, which are 16 of
each 32 lanes, two threads have one half of a row each (`16x32bx2`). Warpgroups divide rows first,
then columns:

    tile       warpgroups   rows by     columns by
    128x128    1            1           1
    128x256    2            1           2
    256x128    2            2           1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tileiras_xdsl.targets.machine import WARPGROUP_WARPS, WORD_BITS

from .linear_layout import LANE_BITS, LinearLayout, log2
from .tensor_memory_layouts import LANES, WARP_LANES

HALF_ROWS: Final = 64
"""Rows of the smaller MMA."""
ELEMENT: Final = "element"
ROW: Final = "row"
COLUMN: Final = "column"


@dataclass(frozen=True)
class RowGrid:
    """How warpgroups divide the rows and columns of a tile in tensor memory."""

    m: int
    n: int


def choose_row_grid(shape: Sequence[int], num_warpgroups: int) -> RowGrid:
    """Rows are divided first: then a row is in one warpgroup."""
    m = min(num_warpgroups, max(1, shape[0] // LANES))
    return RowGrid(m, num_warpgroups // m)


def is_tensor_memory_shape(shape: Sequence[int]) -> bool:
    """Whether MMAs of 64 or 128 rows make up a tile."""
    return len(shape) == 2 and shape[0] in (HALF_ROWS, LANES, 2 * LANES)


def instruction_rows(shape: Sequence[int]) -> int:
    """M of the MMAs of a tile."""
    return min(shape[0], LANES)


def _rows(shape: Sequence[int], rows: int) -> list[int]:
    """The numbers of the elements at so many rows, twice that, … as long as there are any."""
    return [rows * shape[1] << bit for bit in range(log2(shape[0] // rows))]


def tensor_memory_layout(shape: Sequence[int], element_bits: int) -> LinearLayout:
    """
    The layout in tensor memory of an accumulator, or of an operand A, whose elements share words
    along K.
    """
    packed = max(1, WORD_BITS // element_bits)
    rows = _rows(shape, 1)
    if shape[0] == HALF_ROWS:
        rows.insert(4, 0)
    lanes = log2(LANES)
    columns = [packed << bit for bit in range(log2(shape[1] // packed))]
    elements = tuple(1 << bit for bit in range(log2(packed)))
    return LinearLayout(
        tuple(shape),
        ((ELEMENT, elements), (ROW, tuple(rows[:lanes])), (COLUMN, (*columns, *rows[lanes:]))),
    )


def row_layout(shape: Sequence[int], grid: RowGrid) -> LinearLayout | None:
    """
    The layout of a tile in registers as threads read it from tensor memory; None if warpgroups
    cannot divide it so.
    """
    columns = shape[1] // grid.n
    if not is_tensor_memory_shape(shape) or columns < 2 or shape[0] < grid.m * HALF_ROWS:
        return None
    if grid.m > 1 and shape[0] // grid.m < LANES:
        return None
    groups = [columns << bit for bit in range(log2(grid.n))]
    if shape[0] == HALF_ROWS:
        rows = _rows(shape, 1)
        register = [1 << bit for bit in range(log2(columns // 2))]
        lane = [*rows[:4], columns // 2]
        return LinearLayout.distributed(shape, register, lane, (*rows[4:], *groups))
    rows = _rows(shape, 1)
    register = [1 << bit for bit in range(log2(columns))]
    warps = log2(WARPGROUP_WARPS)
    outer = rows[LANE_BITS + warps :]
    divided = log2(grid.m)
    register += outer[: len(outer) - divided]
    warp = (*rows[LANE_BITS : LANE_BITS + warps], *outer[len(outer) - divided :], *groups)
    return LinearLayout.distributed(shape, register, rows[:LANE_BITS], warp)


def find_row_grid(
    shape: Sequence[int], layout: LinearLayout, num_warpgroups: int
) -> RowGrid | None:
    """How warpgroups divide a tile in a layout of registers; None if it is none of `row_layout`."""
    m = 1
    while m <= num_warpgroups:
        grid = RowGrid(m, num_warpgroups // m)
        if row_layout(shape, grid) == layout:
            return grid
        m *= 2
    return None


@dataclass(frozen=True)
class AccessPiece:
    """One `tcgen05.ld` or `tcgen05.st` of a tile."""

    register: int
    """The first register, of 32 bits."""
    column: int
    """The first column, beside those that the warpgroup adds."""
    registers: int


MOST_REGISTERS: Final = 16
"""
Of one access: several small ones are interleaved with arithmetic, and ptxas needs registers for a
whole one in a row. With 32, attention needs more than 168 registers, with 16 it does not [P].
"""


def access_pieces(
    shape: Sequence[int], grid: RowGrid, element_bits: int, whole: int | None = None
) -> list[AccessPiece]:
    """
    The accesses by which a thread moves its part of a tile, or of a slice of one that has `whole`
    columns.
    """
    packed = max(1, WORD_BITS // element_bits)
    columns = (whole or shape[1]) // packed
    width = shape[1] // packed // grid.n
    if shape[0] == HALF_ROWS:
        width //= 2
    size = min(width, MOST_REGISTERS)
    blocks = max(1, shape[0] // (LANES * grid.m))
    return [
        AccessPiece(block * width + start, block * columns + start, size)
        for block in range(blocks)
        for start in range(0, width, size)
    ]


def warpgroup_column(
    shape: Sequence[int], grid: RowGrid, element_bits: int, whole: int | None = None
) -> tuple[int, int]:
    """
    The columns that each step of a warpgroup along rows, and along columns, adds; of a slice of a
    tile that has `whole` columns.
    """
    packed = max(1, WORD_BITS // element_bits)
    columns = (whole or shape[1]) // packed
    blocks = max(1, shape[0] // (LANES * grid.m))
    return blocks * columns, shape[1] // packed // grid.n


LANE_STEP: Final = WARP_LANES << 16
"""What the next warp of a warpgroup adds to an address in tensor memory."""
