"""
Layouts of tensor memory: where accumulators lie, and in which registers threads hold their tiles.

Tensor memory has 128 lanes, the rows, of 512 columns, the words of a row. Layouts of accumulators
are linear maps into it: their `shape` is `(lanes, columns)`, and so an element's number, in the
words of `LinearLayout`, is the number of a word of tensor memory.

    accumulator_layout("D", 128)        row = [512 …]     column = [1 2 4 …]   a row is a lane

Layouts are those of the PTX ISA, chapter 9.7.16. None was seen on a GPU by us; but D, F and B
agree with the addresses in what `tileiras` makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tileiras_xdsl.targets.choices import TENSOR_MEMORY_ACCESS_REGISTERS
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS, WORD_BITS
from tileiras_xdsl.targets.tcgen05 import COLUMNS, LANE_SHIFT, LANES, WARP_LANES

from .linear_layout import LANE_BITS, Bases, LinearLayout, log2

ROW: Final = "row"
COLUMN: Final = "column"

AccumulatorKind = Literal["A", "B", "C", "D", "E", "F", "G"]
"""The name of a layout of an accumulator in the PTX ISA."""


def _lanes(*lanes: int) -> Bases:
    return tuple(lane * COLUMNS for lane in lanes)


def _columns(count: int) -> Bases:
    """Columns 1, 2, 4 …: this many of them."""
    return tuple(1 << bit for bit in range(count))


# Accumulators


def accumulator_kind(m: int, cta_group: int) -> AccumulatorKind | None:
    """The layout of the accumulator of a dense MMA of M rows; `None` if there is no such MMA."""
    kinds: dict[tuple[int, int], AccumulatorKind] = {
        (64, 1): "F",
        (128, 1): "D",
        (128, 2): "B",
        (256, 2): "A",
    }
    return kinds.get((m, cta_group))


FOLDS: Final[dict[AccumulatorKind, int]] = {
    "A": 1,
    "B": 2,
    "C": 1,
    "D": 1,
    "E": 2,
    "F": 1,
    "G": 4,
}
"""Into how many parts an accumulator's columns are folded, which lie in different lanes."""


def accumulator_columns(kind: AccumulatorKind, n: int) -> int:
    """Columns of tensor memory that an accumulator of N columns takes."""
    return n // FOLDS[kind]


def accumulator_layout(kind: AccumulatorKind, n: int) -> LinearLayout:
    """
    Where the rows and columns of one CTA's part of an accumulator are in tensor memory, for N a
    power of two. Each element has a word of its own, also one of 16 bits.

    | kind | MMA                    | lane                                | column        |
    | ---- | ---------------------- | ----------------------------------- | ------------- |
    | D, A | M 128; M 256 of a pair | row                                 | column        |
    | F, C | M 64; M 128 sparse     | 16 rows in each 32 lanes            | column        |
    | B, E | M 128 of a pair; M 64 `.ws` | row, 64 more in the right half | mod N / 2     |
    | G    | M 32 `.ws`             | row, 32 more in each further quarter | mod N / 4    |
    """
    bits = log2(n)
    match kind:
        case "A" | "D":
            rows, column = _lanes(1, 2, 4, 8, 16, 32, 64), _columns(bits)
        case "C" | "F":
            rows, column = _lanes(1, 2, 4, 8, 32, 64), _columns(bits)
        case "B" | "E":
            rows, column = _lanes(1, 2, 4, 8, 16, 32), (*_columns(bits - 1), *_lanes(64))
        case "G":
            rows, column = _lanes(1, 2, 4, 8, 16), (*_columns(bits - 2), *_lanes(32, 64))
    return LinearLayout((LANES, COLUMNS), ((ROW, rows), (COLUMN, column)))


SCALE_LANES: Final = 32
"""Lanes of scale factors, which are repeated for each warp of a warpgroup."""
SCALES_PER_WORD: Final = 4


# Tiles of dots by `tcgen05`: their layouts in tensor memory, and in the registers they are read
# into.
#
# An MMA has 64 or 128 rows; a tile of 256 rows is two of them, one behind the other in columns. A
# warpgroup reads 128 rows: warp w the lanes from 32·w on, and thread t the whole row t of them
# (`tcgen05.ld.32x32b`), so a reduction along columns stays in a thread. Of 64 rows, which are 16
# of each 32 lanes, two threads have one half of a row each (`16x32bx2`). Warpgroups divide rows
# first, then columns:
#
#     tile       warpgroups   rows by     columns by
#     128x128    1            1           1
#     128x256    2            1           2
#     256x128    2            2           1

HALF_ROWS: Final = 64
"""Rows of the smaller MMA."""
ELEMENT: Final = "element"


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
    """The numbers of the elements at this many rows, twice that, … as long as there are any."""
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
    size = min(width, TENSOR_MEMORY_ACCESS_REGISTERS)
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


LANE_STEP: Final = WARP_LANES << LANE_SHIFT
"""What the next warp of a warpgroup adds to an address in tensor memory."""
