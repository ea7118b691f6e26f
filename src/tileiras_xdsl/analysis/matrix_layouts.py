"""
Layouts of MMA operands and accumulators, and of `ldmatrix` and `stmatrix`.

Fragments are those of the PTX ISA, written as bits. With `p` elements in a 32-bit register, a
lane of `mma.sync` holds (rows by the upper three bits of the lane, columns by its lower two)

    A   p columns; then 8 rows further down; then 4·p columns further right
    B   the same as A transposed, without the step of 8 rows
    C   2 columns; then 8 rows further down

A tile of many instructions is distributed over warps first, then over registers. Register numbers
of a thread count, lowest bits first,

    A             the fragment, then k, then m, then the batch
    B             the fragment, then k, then n, then the batch
    accumulator   the fragment, then n, then m, then the batch

so that a thread's vector divides into consecutive fragments. So the accumulator of one MMA can be
operand A of the next without a layout conversion, as in attention. Warp numbers count along M, then
N, then the batch; neighbouring warps have neighbouring instructions. Warps along N hold copies of
A, warps along M copies of B: their basis is 0. So do warps beyond the rows or columns of the tile.

# WGMMA operands in shared memory, and their matrix descriptors

An operand has the layout of `tma_tiles`. If it is K-major, one instruction reads 32 bytes of each
row; if it is MN-major (transposed), it reads as many rows as its K. Fields of the matrix descriptor
are in units of 16 bytes:

    bits  0-13  address
    bits 16-29  leading dimension byte offset: to the next TMA tile, if transposed
    bits 32-45  stride dimension byte offset: to the next 8 rows
    bits 62-63  1, 2, 3 for a swizzle of 128, 64, 32 bytes
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import prod
from typing import Final

from xdsl.ir import Attribute

from tileiras_xdsl.targets.machine import BYTE_BITS, LINE_BYTES, WARPGROUP_WARPS, WORD_BITS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tma import DESCRIPTOR_SWIZZLES, SWIZZLE_ATOM_ROWS
from tileiras_xdsl.targets.warpgroups import MAX_COLUMNS, MIN_COLUMNS, WGMMA_M

from .linear_layout import (
    LANE_BITS,
    REGISTER,
    WARP,
    Bases,
    BitMap,
    LinearLayout,
    bits_along,
    blocked,
    log2,
    wavefronts,
    xor_all,
)
from .tma_tiles import PIECE_BYTES, swizzled_layout

# Swizzled layouts of tiles in shared memory.
#
# Rows consist of chunks of 16 bytes. A swizzle puts the same chunk of eight consecutive rows at
# eight different offsets modulo 128 bytes. So eight lanes that access a column of chunks, as
# `ldmatrix` does, have no bank conflicts, nor have lanes that access neighbouring chunks of a row.

CHUNK_BYTES: Final = 16


def swizzled(shape: Sequence[int], fastest: int, element_bytes: int) -> LinearLayout:
    """
    A tile that is contiguous along `fastest`. The number of a chunk in 128 bytes, which are one row
    or several shorter ones, is XORed with the row number.
    """
    others = [dim for dim in reversed(range(len(shape))) if dim != fastest]
    inside = bits_along(shape, fastest)
    rows = [basis for dim in others for basis in bits_along(shape, dim)]
    first = log2(CHUNK_BYTES // element_bytes)
    chunks = inside[first : first + log2(LINE_BYTES // CHUNK_BYTES)]
    skipped = log2(LINE_BYTES // CHUNK_BYTES) - len(chunks)
    for chunk, row in zip(chunks, range(skipped, len(rows)), strict=False):
        rows[row] ^= chunk
    return LinearLayout.shared(shape, (*inside, *rows))


# Coalesced layouts for accesses to global memory.

SECTOR_BYTES = 32
"""The granularity of transfers from global memory."""


def coalesced(
    shape: Sequence[int], warps: int, vector: int = 1, fastest: int | None = None
) -> LinearLayout:
    """
    Vectors along the contiguous dimension, by default the last, then lanes and warps along it and
    the others. Vectors are shortened if otherwise some threads would have none.
    """
    rank = len(shape)
    fastest = rank - 1 if fastest is None else fastest
    order = [fastest, *(dim for dim in reversed(range(rank)) if dim != fastest)]
    share = max(1, prod(shape) // (32 * warps))
    vector = min(vector, share, shape[fastest] if rank else 1)
    return blocked(shape, warps, vector=vector, order=order)


def widest_atomic_add(element: Attribute, target: Target) -> int:
    """The widest vector of an atomic addition to global memory (`red.v2`, …)."""
    return target.vector_reductions.get(str(element), 1)


def coordinate_layout(tile: LinearLayout, dim: int) -> LinearLayout:
    """The slice layout of a 1-D tensor with an element for each coordinate along a dimension."""
    for axis in reversed(range(len(tile.shape))):
        if axis != dim:
            tile = tile.slice(axis)
    return tile


def contiguous_run(layout: LinearLayout, dim: int) -> int:
    """How many consecutive registers hold elements contiguous along a dimension."""
    step = prod(layout.shape[dim + 1 :])
    run = 1
    for bit, basis in enumerate(layout.register):
        if basis != step << bit or 1 << bit >= layout.shape[dim]:
            break
        run *= 2
    return run


def coalesced_bytes(layout: LinearLayout, dim: int, element_bits: int) -> int:
    """
    How many contiguous bytes one instruction of a warp accesses: a vector of registers, continued
    by the lanes.
    """
    step = prod(layout.shape[dim + 1 :])
    bits = log2(contiguous_run(layout, dim))
    bits = min(bits, log2(max(1, 128 // element_bits)))
    for basis in layout.lane:
        if basis == step << bits and 1 << bits < layout.shape[dim]:
            bits += 1
    return (element_bits << bits) // 8


def is_coalesced(layout: LinearLayout, dim: int, element_bits: int) -> bool:
    """Whether every instruction accesses whole sectors, or whole rows if these are smaller."""
    row = layout.shape[dim] * element_bits // 8
    return coalesced_bytes(layout, dim, element_bits) >= min(SECTOR_BYTES, row)


ROW_BYTES: Final = 16
"""A row of an 8x8 matrix of `ldmatrix` and `stmatrix`, whose address one lane gives."""


@dataclass(frozen=True)
class Instruction:
    """The instruction shape of an `mma.sync`, for elements of a width."""

    m: int
    n: int
    k: int
    element_bits: int

    @property
    def packed(self) -> int:
        """Elements along K in one 32-bit register."""
        return max(1, WORD_BITS // self.element_bits)

    def of_bytes(self) -> Instruction:
        """The same fragments as bytes, in each of which several elements follow each other."""
        return Instruction(self.m, self.n, self.k * self.element_bits // BYTE_BITS, BYTE_BITS)

    def a(self) -> LinearLayout:
        """The fragment of operand A, [m, k]."""
        row, column = self.k, 1
        registers = _steps(column, self.packed)
        registers += _steps(8 * row, self.m // 8)
        registers += _steps(4 * self.packed * column, self.k // (4 * self.packed))
        lanes = _steps(self.packed * column, 4) + _steps(row, 8)
        return LinearLayout.distributed((self.m, self.k), registers, lanes, ())

    def b(self) -> LinearLayout:
        """The fragment of operand B, [k, n]."""
        row, column = self.n, 1
        registers = _steps(row, self.packed)
        registers += _steps(4 * self.packed * row, self.k // (4 * self.packed))
        lanes = _steps(self.packed * row, 4) + _steps(column, 8)
        return LinearLayout.distributed((self.k, self.n), registers, lanes, ())

    def c(self) -> LinearLayout:
        """The fragment of the accumulator, [m, n]."""
        row, column = self.n, 1
        registers = _steps(column, 2) + _steps(8 * row, self.m // 8)
        lanes = _steps(2 * column, 4) + _steps(row, 8)
        return LinearLayout.distributed((self.m, self.n), registers, lanes, ())

    def scale_a(self) -> LinearLayout:
        """
        The scales of the rows of A that an instruction reads, [m, 1]: lane `4 r` has that of row r,
        the next one that of row `r + 8`. The other two of four lanes have copies.
        """
        return LinearLayout.distributed((self.m, 1), (), (8, 0, 1, 2, 4), ())

    def scale_b(self) -> LinearLayout:
        """The scales of the columns of B, [1, n]: four lanes have that of a column."""
        return LinearLayout.distributed((1, self.n), (), (0, 0, 1, 2, 4), ())


M16N8K64_4BIT: Final = Instruction(16, 8, 64, 4)
M16N8K32_8BIT: Final = Instruction(16, 8, 32, 8)
M16N8K16_16BIT: Final = Instruction(16, 8, 16, 16)
M16N8K8_TF32: Final = Instruction(16, 8, 8, 32)
M8N8K4_F64: Final = Instruction(8, 8, 4, 64)

DEFAULT_INSTRUCTIONS: Final = {
    4: M16N8K64_4BIT,
    8: M16N8K32_8BIT,
    16: M16N8K16_16BIT,
    32: M16N8K8_TF32,
    64: M8N8K4_F64,
}
"""The largest shape for each element width that every target with that width has."""


def _operand_layout(
    fragment: Callable[[Instruction], LinearLayout],
    warp_axes: tuple[int | None, int | None],
    registers: tuple[int, ...],
) -> Callable[..., LinearLayout | None]:
    """The layout of operand A or B; `warp_axes` are the axes of warps along M and N."""

    def layout(
        shape: Sequence[int],
        warps_m: int,
        warps_n: int,
        element_bits: int,
        *,
        warps_batch: int = 1,
        instruction: Instruction | None = None,
    ) -> LinearLayout | None:
        part = fragment(instruction or DEFAULT_INSTRUCTIONS[element_bits])
        warps = ((warp_axes[0], warps_m), (warp_axes[1], warps_n), (-3, warps_batch))
        return _operand(part, shape, warps, registers)

    return layout


mma_a = _operand_layout(Instruction.a, (-2, None), (-1, -2, -3))
"""Operand A, [m, k] or [batch, m, k]; `None` if it is smaller than the instruction."""
mma_b = _operand_layout(Instruction.b, (None, -1), (-2, -1, -3))
"""Operand B, [k, n] or [batch, k, n]; `None` if it is smaller than the instruction."""


mma_scale_a = _operand_layout(Instruction.scale_a, (-2, None), (-1, -2, -3))
"""Scales of operand A, [m, groups] or [batch, m, groups], for blocks along K."""
mma_scale_b = _operand_layout(Instruction.scale_b, (None, -1), (-2, -1, -3))
"""Scales of operand B, [groups, n] or [batch, groups, n]."""


def mma_accumulator(
    shape: Sequence[int],
    warps_m: int,
    warps_n: int,
    *,
    warps_batch: int = 1,
    instruction: Instruction = M16N8K16_16BIT,
) -> LinearLayout | None:
    """The accumulator, [m, n] or [batch, m, n]; `None` if it is smaller than the instruction."""
    return _operand(
        instruction.c(),
        shape,
        warps=((-2, warps_m), (-1, warps_n), (-3, warps_batch)),
        registers=(-1, -2, -3),
    )


def wgmma_accumulator(
    shape: Sequence[int],
    groups_m: int = 1,
    groups_n: int = 1,
    *,
    k_permutation: bool = False,
    row_permutation: RowPermutation | None = None,
) -> LinearLayout | None:
    """
    The WGMMA accumulator, [m, n]. A warpgroup has 64 rows at a time and n / groups_n contiguous
    columns: those of one instruction, up to 256, are the lowest registers, then come further
    columns, then further rows. None if there is less than one instruction per warpgroup.

    If even columns of operand B come before odd ones in shared memory (`k_permutation`), column c
    of the instructions is column 2 c of the tile in their first half, and the next one in the
    second. Then four lanes have four columns each that follow each other, as an operand A of 8 bits
    has. With `row_permutation` each thread has rows that follow each other (`wgmma_a`).
    """
    layout = _wgmma_accumulator(tuple(shape), groups_m, groups_n, k_permutation)
    if layout is None or row_permutation is None:
        return layout
    return _with_neighbouring_rows(layout, groups_m, row_permutation)


@lru_cache(maxsize=1024)
def _wgmma_accumulator(
    shape: tuple[int, ...], groups_m: int, groups_n: int, k_permutation: bool
) -> LinearLayout | None:
    rows, columns = shape[-2:]
    part = columns // groups_n
    if len(shape) != 2 or rows < WGMMA_M * groups_m or part < MIN_COLUMNS:
        return None
    width = min(part, MAX_COLUMNS)
    fragment = M16N8K16_16BIT.c().tile(_along(2, REGISTER, 1, width // 8))
    result = (
        fragment.tile(_along(2, WARP, 0, WARPGROUP_WARPS * groups_m))
        .tile(_along(2, REGISTER, 1, part // width))
        .tile(_along(2, WARP, 1, groups_n))
    )
    result = result.tile(_along(2, REGISTER, 0, rows // result.shape[0]))
    if not k_permutation:
        return result
    return result.mapped(_even_before_odd(log2(rows), log2(columns)), shape)


def _even_before_odd(row_bits: int, column_bits: int) -> BitMap:
    """Numbers of elements whose even columns come before odd ones to those in their order."""
    columns = [*_steps(2, 1 << (column_bits - 1)), 1]
    return BitMap((*columns, *_steps(1 << column_bits, 1 << row_bits)))


@dataclass(frozen=True)
class RowPermutation:
    """An order of the rows of a WGMMA in which threads have some that follow each other."""

    neighbours: int
    """How many bits of a row are lowest of those that registers have; others are highest."""
    lanes: tuple[int, ...]
    """Which bits lanes have of those that no register has; warps have the others."""


ROW_PERMUTATIONS: Final = tuple(
    RowPermutation(neighbours, lanes)
    for neighbours in (1, 2)
    for lanes in combinations(range(3 + log2(WARPGROUP_WARPS)), 3)
)


@lru_cache(maxsize=1024)
def _with_neighbouring_rows(
    layout: LinearLayout, groups_m: int, permutation: RowPermutation
) -> LinearLayout:
    """The layout of WGMMA with rows in another order."""
    rows, columns = layout.shape
    # Lanes have three bits of a row, registers the next one, then warps, then registers again.
    last = 4 + log2(WARPGROUP_WARPS * groups_m)
    lanes, warps = iter(range(3)), iter(range(4, last))
    threads = [next(lanes if place in permutation.lanes else warps) for place in range(last - 1)]
    registers = [3, *range(last, log2(rows))]
    lowest, highest = registers[: permutation.neighbours], registers[permutation.neighbours :]
    order = [*lowest, *threads, *highest]
    steps = tuple(columns << order.index(bit) for bit in range(log2(rows)))
    return layout.mapped(BitMap((*_steps(1, columns), *steps)), layout.shape)


def wgmma_a(
    shape: Sequence[int],
    element_bits: int,
    groups_m: int = 1,
    groups_n: int = 1,
    *,
    row_permutation: RowPermutation | None = None,
) -> LinearLayout | None:
    """
    Operand A of WGMMA in registers, [m, k]: the fragment, then K, then M. Warpgroups along N hold
    copies. None if there is less than one instruction per warpgroup.

    Rows of the tile may be rows of the instruction in any order, if accumulators have the same.
    With `row_permutation` each thread has rows that follow each other, so that it reads words of a
    tile that is contiguous along M.
    """
    fragment = DEFAULT_INSTRUCTIONS[element_bits].a()
    if len(shape) != 2 or shape[0] < WGMMA_M * groups_m or shape[1] < fragment.shape[1]:
        return None
    layout = _operand(
        fragment,
        shape,
        warps=((-2, WARPGROUP_WARPS * groups_m), (None, groups_n)),
        registers=(-1, -2),
    )
    if layout is None or row_permutation is None:
        return layout
    return _with_neighbouring_rows(layout, groups_m, row_permutation)


def _operand(
    fragment: LinearLayout,
    shape: Sequence[int],
    warps: Sequence[tuple[int | None, int]],
    registers: Sequence[int],
) -> LinearLayout | None:
    """
    Distributes fragments over a tile: over warps along the axes given, as far as the tile reaches,
    then over registers. An axis of none is one that the operand does not have.
    """
    dims = len(shape)
    if any(size < part for size, part in zip(shape[-2:], fragment.shape)):
        return None
    result = LinearLayout((1,) * (dims - 2) + fragment.shape, fragment.inputs)
    for axis, count in warps:
        used = 1
        if axis is not None and -axis <= dims:
            used = min(count, shape[axis] // result.shape[axis])
            result = result.tile(_along(dims, WARP, axis, used))
        copies = (0,) * log2(count // used)
        result = result.tile(LinearLayout((1,) * dims, ((WARP, copies),)))
    for axis in registers:
        if -axis <= dims:
            rest = shape[axis] // result.shape[axis]
            result = result.tile(_along(dims, REGISTER, axis, rest))
    return result


def _along(dims: int, name: str, axis: int, count: int) -> LinearLayout:
    """The layout of `count` elements along an axis, by one input."""
    shape = [1] * dims
    shape[axis] = count
    return LinearLayout(tuple(shape), ((name, _steps(1, count)),))


def _steps(first: int, count: int) -> Bases:
    """The bases of `count` steps of a size."""
    return tuple(first << bit for bit in range(log2(count)))


# ldmatrix and stmatrix


@dataclass(frozen=True)
class MatrixAccess:
    """
    How `ldmatrix` or `stmatrix` moves all registers of a layout: each instruction moves `count`
    matrices, which are consecutive registers of a thread. Offsets are in elements, those of several
    bits are combined by XOR.
    """

    count: int
    transposed: bool
    register: Bases
    """The offset for each bit of the number of an instruction."""
    lane: Bases
    """The offset of the row whose address a lane gives."""
    warp: Bases

    def wavefronts(self, element_bytes: int) -> int:
        """How often shared memory is accessed by one instruction of a warp."""
        lanes = 8 * self.count
        offsets = [xor_all(self.lane, lane) * element_bytes for lane in range(lanes)]
        return wavefronts(offsets, ROW_BYTES)


def matrix_access(
    shared: LinearLayout,
    registers: LinearLayout,
    element_bits: int,
    *,
    transposed: bool = False,
) -> MatrixAccess | None:
    """
    How `ldmatrix` or `stmatrix` moves a tile between shared memory and registers; `None` if it
    cannot. Other than 16-bit elements are moved in pairs or halves, but never transposed.
    """
    word = log2(max(1, WORD_BITS // element_bits))
    row = log2(ROW_BYTES * 8 // element_bits)
    if element_bits > WORD_BITS or (transposed and element_bits != 16):
        return None
    offsets = offsets_of(shared, registers)
    if len(offsets.register) < word or len(offsets.lane) != LANE_BITS:
        return None
    inside = (*offsets.register[:word], *offsets.lane[:2])
    rows = offsets.lane[2:]
    if transposed:
        inside, rows = rows, inside
    if inside != _steps(1, 1 << row):
        return None
    rest = offsets.register[word:]
    if any(basis % (1 << row) for basis in (*rows, *rest, *offsets.warp)):
        return None
    matrices = min(2, len(rest))
    lane = (*rows, *rest[:matrices], *(0,) * (2 - matrices))
    return MatrixAccess(1 << matrices, transposed, rest[matrices:], lane, offsets.warp)


@dataclass(frozen=True)
class SharedRead:
    """
    How threads read a tile in shared memory, with its registers in another order: the bits of their
    numbers in `order`, lowest first.
    """

    order: Sequence[int]
    matrices: MatrixAccess | None
    """For `ldmatrix`; elements of 8 bits are read as pairs of 16."""
    width: int
    """How many elements are contiguous, else."""
    offsets: LinearLayout

    @property
    def instructions(self) -> int:
        """How many a thread executes."""
        if self.matrices is not None:
            return 1 << len(self.matrices.register)
        return (1 << len(self.order)) // self.width

    def wavefronts(self, element_bytes: int) -> int:
        """How often shared memory is read for a warp."""
        if self.matrices is not None:
            return self.instructions * self.matrices.count
        lane = self.offsets.lane
        offsets = [element_bytes * xor_all(lane, each) for each in range(1 << len(lane))]
        return self.instructions * wavefronts(offsets, element_bytes * self.width)

    @staticmethod
    def plan(
        shared: LinearLayout, registers: LinearLayout, element_bits: int, *, ldmatrix: bool
    ) -> SharedRead:
        """By the fewest instructions, given the most that a thread reads at a time."""
        offsets = offsets_of(shared, registers)
        bits = sorted(range(len(offsets.register)), key=lambda bit: offsets.register[bit])
        ordered = offsets.replaced(register=[offsets.register[bit] for bit in bits])
        width = contiguous_registers(ordered, element_bits)
        plain = SharedRead(bits, None, width, ordered)
        pairs = element_bits == BYTE_BITS and width > 1
        if not ldmatrix or not (pairs or element_bits == 2 * BYTE_BITS):
            return plain
        halves = ordered
        if pairs:
            halves = LinearLayout(
                (ordered.elements // 2,),
                tuple(
                    (name, tuple(basis // 2 for basis in bases[name == REGISTER :]))
                    for name, bases in ordered.inputs
                ),
            )
        row_major = LinearLayout.shared(halves.shape, _steps(1, halves.elements))
        found = [plain]
        for transposed in (True,) if pairs else (False, True):
            access = matrix_access(row_major, halves, 2 * BYTE_BITS, transposed=transposed)
            if access is not None:
                found.append(SharedRead(bits, access, width, ordered))
        return min(found, key=lambda each: each.instructions)


def contiguous_registers(offsets: LinearLayout, element_bits: int) -> int:
    """How many registers one access to shared memory moves: they are contiguous and aligned."""
    width, most = 1, ROW_BYTES * BYTE_BITS // element_bits
    rest, thread = offsets.register, 0
    for basis in (*offsets.lane, *offsets.warp):
        thread |= basis
    while width < most and log2(width) < len(rest) and rest[log2(width)] == width:
        # Others are whole vectors.
        others = (*rest[log2(width) + 1 :], thread)
        if any(basis % (2 * width) for basis in others):
            break
        width *= 2
    return width


def offsets_of(shared: LinearLayout, registers: LinearLayout) -> LinearLayout:
    """The offset in shared memory of each register of each thread, as a layout."""
    offset: BitMap = shared.inverse()
    return registers.mapped(offset, (1 << len(shared.offset),))


STEP_BYTES: Final = 32
"""What one instruction reads of a row along K."""
ADDRESS_MASK: Final = 0x3FFFF
"""The address bits that a descriptor encodes; higher ones are the CTA's rank in its cluster."""


@dataclass(frozen=True)
class SharedOperand:
    """Operand A, [m, k], or B, [k, n], in shared memory."""

    is_transposed: bool
    """Whether it is MN-major: the contiguous dimension is not K."""
    line: int
    """Bytes of a row of the swizzle atom."""
    lines: int
    """Rows of a TMA tile, or of both that have its even and its odd rows."""
    element_bytes: int
    k_permutation: bool = False
    """Whether even columns of operand B come before odd ones."""

    @staticmethod
    def of(
        layout: LinearLayout,
        reduction_dim: int,
        element_bytes: int,
        *,
        transposes_bytes: bool = False,
    ) -> SharedOperand | None:
        """How an MMA reads an operand, given which of its dimensions is K; `None` if it cannot."""
        operand = SharedOperand.of_or_reason(
            layout, reduction_dim, element_bytes, transposes_bytes=transposes_bytes
        )
        return operand if isinstance(operand, SharedOperand) else None

    @staticmethod
    def of_or_reason(
        layout: LinearLayout,
        reduction_dim: int,
        element_bytes: int,
        *,
        transposes_bytes: bool = False,
    ) -> SharedOperand | str:
        """
        How an MMA reads an operand, given which of its dimensions is K, or why it cannot. WGMMA
        transposes elements of two bytes only, `tcgen05` those of one as well.
        """
        transposable = (1, 2) if transposes_bytes else (2,)
        if len(layout.shape) != 2:
            return f"it has {len(layout.shape)} dimensions"
        reason = "its layout in shared memory is not that of TMA tiles"
        for fastest in (reduction_dim, 1 - reduction_dim):
            order = (fastest, 1 - fastest)
            k_permutation = layout != swizzled_layout(layout.shape, order, element_bytes)
            if k_permutation and not (
                # Columns of operand B, which are rows in shared memory.
                order == (0, 1)
                and reduction_dim == 0
                and layout.shape[1] > 1
                and layout == swizzled_layout(layout.shape, order, element_bytes, k_permutation=1)
            ):
                continue
            line = min(layout.shape[fastest] * element_bytes, LINE_BYTES)
            lines = layout.shape[1 - fastest]
            is_transposed = fastest != reduction_dim
            if is_transposed and element_bytes not in transposable:
                size = f"{element_bytes} byte{'s' if element_bytes > 1 else ''}"
                reason = f"an operand with elements of {size} has to be K-major"
            elif line not in DESCRIPTOR_SWIZZLES:
                least = min(size for size in DESCRIPTOR_SWIZZLES if size)
                reason = f"rows of {line} bytes are shorter than {least}"
            elif lines < SWIZZLE_ATOM_ROWS:
                reason = f"it has {lines} rows, fewer than {SWIZZLE_ATOM_ROWS}"
            else:
                return SharedOperand(is_transposed, line, lines, element_bytes, k_permutation)
        return reason

    def half(self, columns: int) -> SharedOperand:
        """Half of operand B along this many columns, in shared memory of its own."""
        if not self.is_transposed:
            return replace(self, lines=self.lines // 2)
        return replace(self, line=min(columns // 2 * self.element_bytes, LINE_BYTES))

    @property
    def k(self) -> int:
        """K of one instruction."""
        return STEP_BYTES // self.element_bytes

    @property
    def leading(self) -> int:
        """The leading dimension byte offset."""
        return self.lines * self.line if self.is_transposed else PIECE_BYTES

    @property
    def stride(self) -> int:
        """The stride dimension byte offset."""
        return SWIZZLE_ATOM_ROWS * self.line

    @property
    def descriptor(self) -> int:
        """The matrix descriptor of an operand at address 0."""
        return (
            DESCRIPTOR_SWIZZLES.index(self.line) << 62
            | self.stride // PIECE_BYTES << 32
            | self.leading // PIECE_BYTES << 16
        )

    def uniform_steps(self, steps: int) -> int:
        """How many K steps have the same distance: those in one row, unless transposed."""
        return steps if self.is_transposed else min(steps, self.line // STEP_BYTES)

    @property
    def step(self) -> int:
        """Bytes from one K step to the next."""
        return self.k * self.line if self.is_transposed else STEP_BYTES

    def step_offset(self, step: int) -> int:
        """The byte offset of a K step."""
        if self.is_transposed:
            return step * self.step
        per_line = self.line // STEP_BYTES
        return step // per_line * self.lines * self.line + step % per_line * STEP_BYTES

    def offset(self, place: int) -> int | None:
        """The byte offset of row (or column) `place`; `None` if no descriptor can begin there."""
        if not self.is_transposed:
            return place * self.line if place % SWIZZLE_ATOM_ROWS == 0 else None
        per_line = self.line // self.element_bytes
        return place // per_line * self.lines * self.line if place % per_line == 0 else None

    def descriptor_offset(self, place: int, step: int = 0) -> int:
        """The same where a descriptor is known to be able to begin, for a K step."""
        offset = self.offset(place)
        assert offset is not None
        return offset + self.step_offset(step)
