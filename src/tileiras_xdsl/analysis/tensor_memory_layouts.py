"""
Layouts of tensor memory: where accumulators lie, and which register of which thread
`tcgen05.ld` and `tcgen05.st` move from or to where.

Tensor memory has 128 lanes, the rows, of 512 columns, the words of a row. All layouts are linear
maps into it: their `shape` is `(lanes, columns)`, and so an element's number, in the words of
`LinearLayout`, is the number of a word of tensor memory.

    accumulator_layout("D", 128)        row = [512 …]     column = [1 2 4 …]   a row is a lane
    access_layout("32x32b", 8)          register = [1 2 4]   lane = [512 …]   warp = [32 rows …]

The layout of the accumulator's tile in registers is what lies between the two: `loaded_layout`
gives it, so that a thread of `32x32b` holds a whole row of layout D.

Layouts are those of the PTX ISA, chapter 9.7.16, and of CUTLASS' copy traits. None was seen on a
GPU by us; but D, F and B agree with the addresses in what `tileiras` makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tileiras_xdsl.targets.choices import TENSOR_MEMORY_ACCESS_REGISTERS
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS, WORD_BITS

from .linear_layout import (
    LANE,
    LANE_BITS,
    REGISTER,
    WARP,
    Bases,
    LinearLayout,
    Solver,
    extend,
    log2,
)

LANES: Final = 128
COLUMNS: Final = 512
"""Of 32 bits."""
WARP_LANES: Final = LANES // WARPGROUP_WARPS
"""The lanes that a warp reaches: those of its number modulo 4."""

ROW: Final = "row"
COLUMN: Final = "column"

AccumulatorKind = Literal["A", "B", "C", "D", "E", "F", "G"]
"""The name of a layout of an accumulator in the PTX ISA."""


def _word(lane: int, column: int) -> int:
    """The number of a word of tensor memory."""
    return lane * COLUMNS + column


def place_of_word(word: int) -> tuple[int, int]:
    """Lane and column of a word of tensor memory."""
    return divmod(word, COLUMNS)


def _lanes(*lanes: int) -> Bases:
    return tuple(_word(lane, 0) for lane in lanes)


def _columns(first: int, count: int) -> Bases:
    """The columns `first`, twice, four times … that: this many of them."""
    return tuple(_word(0, first << bit) for bit in range(count))


# Accumulators


def accumulator_kind(
    m: int, cta_group: int = 1, *, is_sparse: bool = False, weight_stationary: bool = False
) -> AccumulatorKind | None:
    """The layout of the accumulator of an MMA of M rows; `None` if there is no such MMA."""
    if weight_stationary:
        if cta_group == 1:
            kinds: dict[int, AccumulatorKind] = {32: "G", 64: "E", 128: "D"}
            return kinds.get(m)
        return None
    if cta_group == 1:
        kinds = {64: "F", 128: "D"}
        return kinds.get(m)
    kinds = {128: "C" if is_sparse else "B", 256: "A"}
    return kinds.get(m)


ACCUMULATOR_ROWS: Final[dict[AccumulatorKind, int]] = {
    "A": 128,
    "B": 64,
    "C": 64,
    "D": 128,
    "E": 64,
    "F": 64,
    "G": 32,
}
"""Rows of an accumulator in the tensor memory of one CTA."""

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
            rows, column = _lanes(1, 2, 4, 8, 16, 32, 64), _columns(1, bits)
        case "C" | "F":
            rows, column = _lanes(1, 2, 4, 8, 32, 64), _columns(1, bits)
        case "B" | "E":
            rows, column = _lanes(1, 2, 4, 8, 16, 32), (*_columns(1, bits - 1), *_lanes(64))
        case "G":
            rows, column = _lanes(1, 2, 4, 8, 16), (*_columns(1, bits - 2), *_lanes(32, 64))
    return LinearLayout((LANES, COLUMNS), ((ROW, rows), (COLUMN, column)))


# tcgen05.ld and tcgen05.st


@dataclass(frozen=True)
class AccessShape:
    """A shape of `tcgen05.ld` and `tcgen05.st`, repeated once: what a warp moves."""

    name: str
    lanes: int
    """Lanes of tensor memory, of the 32 that the warp reaches."""
    columns: int
    registers: int
    most: int
    """How often it can be repeated."""
    register: Bases
    thread: Bases

    def registers_of(self, repeat: int) -> int:
        """32-bit registers of a thread at `.xN`."""
        return self.registers * repeat

    def repeats(self) -> tuple[int, ...]:
        """What N of `.xN` can be."""
        return tuple(1 << bit for bit in range(log2(self.most) + 1))


ACCESS_SHAPES: Final = {
    shape.name: shape
    for shape in (
        AccessShape("32x32b", 32, 1, 1, 128, (), _lanes(1, 2, 4, 8, 16)),
        AccessShape("16x64b", 16, 2, 1, 128, (), (_word(8, 0), _word(0, 1), *_lanes(1, 2, 4))),
        AccessShape("16x128b", 16, 4, 2, 64, _lanes(8), (*_columns(1, 2), *_lanes(1, 2, 4))),
        AccessShape(
            "16x256b",
            16,
            8,
            4,
            32,
            (_word(0, 1), _word(8, 0)),
            (*_columns(2, 2), *_lanes(1, 2, 4)),
        ),
        AccessShape("16x32bx2", 16, 1, 1, 128, (), (*_lanes(1, 2, 4, 8), 0)),
    )
}
"""By name; 16x32bx2 has its upper sixteen threads at another column, which the op says."""


def access_layout(
    name: str, repeat: int, *, half_offset: int = 0, pack: bool = False, warps: bool = True
) -> LinearLayout:
    """
    The words that the registers of the threads of a warpgroup hold, counted from the address of
    the access. `half_offset` is how many columns further the upper half of the threads of
    16x32bx2 reads: a power of two, and no less than the columns of the lower half.

    With `pack`, which is `pack::16b` or `unpack::16b`, a register is two elements, the low halves
    of two neighbouring columns: then there is one more bit of registers, the lowest one.
    """
    shape = ACCESS_SHAPES[name]
    assert repeat in shape.repeats(), f"{name} cannot be repeated {repeat} times"
    thread = shape.thread
    if name == "16x32bx2":
        assert half_offset >= repeat
        assert half_offset.bit_count() == 1
        thread = (*thread[:-1], _word(0, half_offset))
    register = (*shape.register, *_columns(shape.columns, log2(repeat)))
    if pack:
        # The half offset counts columns of memory, which do not become more.
        apart = thread[-1:] if name == "16x32bx2" else ()
        thread = (*(_spread(basis) for basis in thread[: 5 - len(apart)]), *apart)
        register = (_word(0, 1), *(_spread(basis) for basis in register))
    inputs = [(REGISTER, register), (LANE, thread)]
    if warps:
        inputs.append((WARP, _lanes(WARP_LANES, 2 * WARP_LANES)))
    return LinearLayout((LANES, COLUMNS), tuple(inputs))


def _spread(word: int) -> int:
    """A word among columns of which only every other one is counted."""
    lane, column = place_of_word(word)
    return _word(lane, 2 * column)


def accessed_columns(name: str, repeat: int, *, half_offset: int = 0, pack: bool = False) -> int:
    """Columns from the address of an access to the last one that it touches."""
    columns = ACCESS_SHAPES[name].columns * repeat * (2 if pack else 1)
    return columns + half_offset if name == "16x32bx2" else columns


def loaded_layout(
    accumulator: LinearLayout, access: LinearLayout, *, warpgroups: int = 1
) -> LinearLayout | None:
    """
    The layout in registers of an accumulator's tile, [rows, columns], that accesses of one shape
    load: first those of one access, then further columns, then further lanes. Several warpgroups
    share columns, the last ones of the loads. `None` if the access reaches words that the
    accumulator does not have.

        D of 128x64 by 32x32b.x32    register = [1 2 4 8 16 32]  lane = [64 …]  warp = [2048 4096]
    """
    rows, columns = (accumulator.bases(name) for name in (ROW, COLUMN))
    solver = Solver((*columns, *rows))

    def elements(words: Iterable[int]) -> list[int] | None:
        # Columns are solved for first: the solution is the row-major number of the element.
        found = [solver.solve(word) for word in words]
        return None if None in found else [number for number in found if number is not None]

    rest = extend(access.all_bases, sorted(accumulator.all_bases))
    groups = log2(warpgroups)
    if len(rest) < groups:
        return None
    first, last = rest[: len(rest) - groups], rest[len(rest) - groups :]
    register = elements((*access.register, *first))
    lane, warp = elements(access.lane), elements((*access.warp, *last))
    if register is None or lane is None or warp is None:
        return None
    return LinearLayout.distributed((1 << len(rows), 1 << len(columns)), register, lane, warp)


# Operands in tensor memory


def operand_layout(kind: AccumulatorKind, k: int, element_bits: int) -> LinearLayout:
    """
    Operand A, [rows, k], in tensor memory: rows as those of the accumulator, and elements along K
    packed into words. `shape` counts elements of a word as columns of their own.
    """
    assert kind in ("A", "D", "F", "C"), "operand A lies in tensor memory unfolded"
    packed = 32 // element_bits
    rows = accumulator_layout(kind, 1 << 1).bases(ROW)
    return LinearLayout(
        (LANES, COLUMNS * packed),
        ((ROW, tuple(row * packed for row in rows)), (COLUMN, _columns(1, log2(k)))),
    )


SCALE_LANES: Final = 32
"""Lanes of scale factors, which are repeated for each warp of a warpgroup."""
SCALES_PER_WORD: Final = 4


def scale_layout(rows: int, blocks: int) -> LinearLayout:
    """
    Scale factors of an operand of a block-scaled MMA, [rows, blocks along K], as
    `tcgen05.cp.32x128b.warpx4` leaves them: a word has the factors of four blocks of a row, lane
    is the row modulo 32, and columns are further rows, then further blocks. `shape` counts the
    bytes of words, in 32 lanes, of which all 128 have copies.
    """
    groups = max(1, rows // SCALE_LANES)
    width = COLUMNS * SCALES_PER_WORD
    row = [width << bit for bit in range(min(5, log2(rows)))]
    row += [SCALES_PER_WORD << bit for bit in range(log2(groups))]
    k = [1 << bit for bit in range(min(2, log2(blocks)))]
    k += [SCALES_PER_WORD * groups << bit for bit in range(max(0, log2(blocks) - 2))]
    return LinearLayout((SCALE_LANES, width), ((ROW, tuple(row)), (COLUMN, tuple(k))))


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


LANE_STEP: Final = WARP_LANES << 16
"""What the next warp of a warpgroup adds to an address in tensor memory."""
