"""Fragments of matrices, against the formulas of the PTX ISA."""

from collections.abc import Callable

import pytest

from tileiras_xdsl.analysis.linear_layout import (
    Bases,
    LinearLayout,
    is_permutation_of_registers,
    xor_all,
)
from tileiras_xdsl.analysis.matrix_layouts import (
    M8N8K4_F64,
    M16N8K8_TF32,
    M16N8K16_16BIT,
    M16N8K32_8BIT,
    M16N8K64_4BIT,
    Instruction,
    is_coalesced,
    matrix_access,
    mma_a,
    mma_accumulator,
    mma_b,
    wgmma_a,
    wgmma_accumulator,
)

M16N8K16_8BIT = Instruction(16, 8, 16, 8)
M16N8K8_16BIT = Instruction(16, 8, 8, 16)
M16N8K4_TF32 = Instruction(16, 8, 4, 32)
M16N8K4_F64 = Instruction(16, 8, 4, 64)
M16N8K8_F64 = Instruction(16, 8, 8, 64)
M16N8K16_F64 = Instruction(16, 8, 16, 64)

Formula = Callable[[int, int, int], tuple[int, int]]
"""Row and column of register i, for the group and the thread in the group of a lane."""

C16: Formula = lambda g, t, i: (g + 8 * (i >= 2), 2 * t + (i & 1))  # noqa: E731

FORMULAS: dict[Instruction, tuple[Formula, Formula, Formula]] = {
    M16N8K16_16BIT: (
        lambda g, t, i: (
            g if i < 2 or 4 <= i < 6 else g + 8,
            2 * t + (i & 1) + (8 if i >= 4 else 0),
        ),
        lambda g, t, i: (2 * t + (i & 1) + (8 if i >= 2 else 0), g),
        C16,
    ),
    M16N8K8_16BIT: (
        lambda g, t, i: (g if i < 2 else g + 8, 2 * t + (i & 1)),
        lambda g, t, i: (2 * t + i, g),
        C16,
    ),
    M16N8K8_TF32: (
        lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4),
        lambda g, t, i: (t if i == 0 else t + 4, g),
        C16,
    ),
    M16N8K4_TF32: (
        lambda g, t, i: (g if i == 0 else g + 8, t),
        lambda g, t, i: (t, g),
        C16,
    ),
    M16N8K32_8BIT: (
        lambda g, t, i: (
            g if i < 4 or 8 <= i < 12 else g + 8,
            4 * t + (i & 3) + (16 if i >= 8 else 0),
        ),
        lambda g, t, i: (4 * t + (i & 3) + (16 if i >= 4 else 0), g),
        C16,
    ),
    M16N8K16_8BIT: (
        lambda g, t, i: (g if i < 4 else g + 8, 4 * t + (i & 3)),
        lambda g, t, i: (4 * t + i, g),
        C16,
    ),
    M16N8K64_4BIT: (
        lambda g, t, i: (
            g if i < 8 or 16 <= i < 24 else g + 8,
            8 * t + (i & 7) + (32 if i >= 16 else 0),
        ),
        lambda g, t, i: (8 * t + (i & 7) + (32 if i >= 8 else 0), g),
        C16,
    ),
    M8N8K4_F64: (
        lambda g, t, i: (g, t),
        lambda g, t, i: (t, g),
        lambda g, t, i: (g, 2 * t + i),
    ),
    M16N8K4_F64: (
        lambda g, t, i: (g if i == 0 else g + 8, t),
        lambda g, t, i: (t, g),
        C16,
    ),
    M16N8K8_F64: (
        lambda g, t, i: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
        lambda g, t, i: (t + 4 * i, g),
        C16,
    ),
    M16N8K16_F64: (
        lambda g, t, i: (g if i % 2 == 0 else g + 8, t + 4 * (i // 2)),
        lambda g, t, i: (t + 4 * i, g),
        C16,
    ),
}


@pytest.mark.parametrize("instruction", FORMULAS)
def test_fragments(instruction: Instruction):
    layouts = (instruction.a(), instruction.b(), instruction.c())
    for layout, formula in zip(layouts, FORMULAS[instruction], strict=True):
        assert layout.is_surjective()
        assert layout.registers * 32 == layout.elements
        for lane in range(32):
            for register in range(layout.registers):
                number = layout.element(register=register, lane=lane)
                assert layout.coordinates(number) == formula(lane >> 2, lane & 3, register)


def check_tiling(layout: LinearLayout | None, tile: Callable[[int, int, int], tuple[int, ...]]):
    """`tile` says, for register, lane and warp, which element is expected."""
    assert layout is not None
    assert layout.is_surjective()
    for warp in range(layout.warps):
        for lane in range(32):
            for register in range(layout.registers):
                number = layout.element(register=register, lane=lane, warp=warp)
                assert layout.coordinates(number) == tile(register, lane, warp)


@pytest.mark.every(7)
@pytest.mark.parametrize("instruction", [M16N8K16_16BIT, M16N8K8_TF32, M16N8K32_8BIT, M8N8K4_F64])
@pytest.mark.parametrize("batch", [None, 4])
def test_operands_of_warps(instruction: Instruction, batch: int | None):
    """4 warps along m, 2 along n and 2 along the batch; 2 repetitions of each kind."""
    m, n, k = 8 * instruction.m, 4 * instruction.n, 2 * instruction.k
    a, b, c = FORMULAS[instruction]
    lead = () if batch is None else (batch,)
    warps_batch = 1 if batch is None else 2
    bits = instruction.element_bits

    def rep(register: int, count: int) -> tuple[int, int, int, int]:
        """The register in the fragment, then the three repetitions."""
        i, rest = register % count, register // count
        return i, rest % 2, rest // 2 % 2, rest // 4

    def at(warp: int, outer: int, row: int, column: int) -> tuple[int, ...]:
        return (row, column) if batch is None else (warp // 8 + 2 * outer, row, column)

    def left(register: int, lane: int, warp: int) -> tuple[int, ...]:
        i, step, repeat, outer = rep(register, instruction.a().registers)
        row, column = a(lane >> 2, lane & 3, i)
        return at(
            warp,
            outer,
            row + instruction.m * (warp % 4 + 4 * repeat),
            column + instruction.k * step,
        )

    def right(register: int, lane: int, warp: int) -> tuple[int, ...]:
        i, step, repeat, outer = rep(register, instruction.b().registers)
        row, column = b(lane >> 2, lane & 3, i)
        return at(
            warp,
            outer,
            row + instruction.k * step,
            column + instruction.n * (warp // 4 % 2 + 2 * repeat),
        )

    def result(register: int, lane: int, warp: int) -> tuple[int, ...]:
        i, repeat_n, repeat_m, outer = rep(register, instruction.c().registers)
        row, column = c(lane >> 2, lane & 3, i)
        return at(
            warp,
            outer,
            row + instruction.m * (warp % 4 + 4 * repeat_m),
            column + instruction.n * (warp // 4 % 2 + 2 * repeat_n),
        )

    check_tiling(
        mma_a((*lead, m, k), 4, 2, bits, warps_batch=warps_batch, instruction=instruction), left
    )
    check_tiling(
        mma_b((*lead, k, n), 4, 2, bits, warps_batch=warps_batch, instruction=instruction), right
    )
    check_tiling(
        mma_accumulator((*lead, m, n), 4, 2, warps_batch=warps_batch, instruction=instruction),
        result,
    )


def test_default_instructions():
    for bits in (4, 8, 16, 32, 64):
        a, b = mma_a((64, 128), 1, 1, bits), mma_b((128, 64), 1, 1, bits)
        assert a is not None
        assert b is not None
        assert a.registers == 64 * 128 // 32


def test_too_small_tiles():
    assert mma_a((8, 16), 1, 1, 16) is None
    assert mma_a((16, 8), 1, 1, 16) is None
    assert mma_b((16, 4), 1, 1, 16) is None
    assert mma_b((8, 8), 1, 1, 16) is None
    assert mma_accumulator((16, 4), 1, 1) is None
    assert mma_accumulator((8, 8), 1, 1) is None
    assert mma_accumulator((8, 8), 1, 1, instruction=M8N8K4_F64) is not None
    assert mma_accumulator((1, 16, 8), 1, 1) is not None
    assert wgmma_accumulator((32, 64)) is None
    assert wgmma_accumulator((64, 64), groups_m=2) is None
    assert wgmma_accumulator((64, 8), groups_n=2) is None
    assert wgmma_a((64, 8), 16) is None


def test_idle_warps_hold_copies():
    layout = mma_accumulator((16, 8), 4, 2)
    assert layout is not None
    assert layout.warp == (0, 0, 0)
    batched = mma_a((2, 16, 16), 1, 1, 16, warps_batch=4)
    assert batched is not None
    assert batched.warp == (256, 0)


@pytest.mark.every(5)
@pytest.mark.parametrize("columns", [8, 64, 256, 512])
def test_wgmma_accumulator(columns: int):
    def tile(register: int, lane: int, warp: int) -> tuple[int, int]:
        i, block = register % (columns // 2), register // (columns // 2)
        row = 16 * (warp % 4) + lane // 4 + 8 * (i >> 1 & 1)
        group = warp // 4
        column = 8 * (i >> 2) + 2 * (lane & 3) + (i & 1)
        return row + 64 * (group % 2 + 2 * block), column + columns * (group // 2)

    check_tiling(wgmma_accumulator((256, 2 * columns), 2, 2), tile)


@pytest.mark.every(3)
@pytest.mark.parametrize("columns", [8, 64, 256])
def test_wgmma_accumulator_of_even_columns_first(columns: int):
    """The instructions have their columns as always; those of the tile are what B has there."""
    shape = (256, 2 * columns)
    plain = wgmma_accumulator(shape, 2, 2)
    layout = wgmma_accumulator(shape, 2, 2, k_permutation=True)
    assert plain is not None
    assert layout is not None

    def tile(register: int, lane: int, warp: int) -> tuple[int, int]:
        number = plain.element(register=register, lane=lane, warp=warp)
        row, column = plain.coordinates(number)
        return row, 2 * column if column < columns else 2 * (column - columns) + 1

    check_tiling(layout, tile)


@pytest.mark.every(2)
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("columns", [32, 64, 128, 256])
def test_wgmma_operand_of_8_bits_is_an_accumulator(columns: int, groups: int):
    """Threads have what they need if even columns come first, and else they do not."""
    shape = (64 * groups, columns)
    operand = wgmma_a(shape, 8, groups)
    plain, even = (wgmma_accumulator(shape, groups, k_permutation=each) for each in (False, True))
    assert operand is not None
    assert plain is not None
    assert even is not None
    assert is_permutation_of_registers(even, operand)
    assert not is_permutation_of_registers(plain, operand)


def test_wgmma_operand_is_the_accumulator():
    for groups in (1, 2):
        total = wgmma_accumulator((128 * groups, 64), groups)
        assert wgmma_a((128 * groups, 64), 16, groups) == total


def ldmatrix(
    addresses: list[int], count: int, transposed: bool, element_bits: int
) -> dict[tuple[int, int], int]:
    """Offsets of the elements that lane l gets in register r, by the text of the ISA."""
    per_b16 = 16 // element_bits if element_bits < 16 else 1
    result: dict[tuple[int, int], int] = {}
    if element_bits == 32:
        for lane in range(32):
            for matrix in range(count):
                result[lane, matrix] = addresses[8 * matrix + lane // 4] + lane % 4
        return result
    for lane in range(32):
        for matrix in range(count):
            for half in range(2):
                row, column = lane // 4, 2 * (lane % 4) + half
                if transposed:
                    row, column = column, row
                for part in range(per_b16):
                    register = (2 * matrix + half) * per_b16 + part
                    result[lane, register] = addresses[8 * matrix + row] + column * per_b16 + part
    return result


def row_major(shape: tuple[int, int], swizzle: int = 0, row: int = 8) -> LinearLayout:
    """Rows one after the other; their pieces of 16 bytes are swizzled by the row number."""
    columns = shape[1].bit_length() - 1
    bases = [1 << bit for bit in range((shape[0] * shape[1]).bit_length() - 1)]
    for bit in range(swizzle):
        bases[columns + bit] ^= row << bit
    return LinearLayout.shared(shape, bases)


@pytest.mark.parametrize(
    ("registers", "shape", "bits", "transposed"),
    [
        (mma_a((64, 64), 2, 2, 16), (64, 64), 16, False),
        (mma_b((64, 64), 2, 2, 16), (64, 64), 16, True),
        (mma_a((16, 16), 1, 1, 16), (16, 16), 16, False),
        (mma_b((16, 8), 1, 1, 16), (16, 8), 16, True),
        (mma_a((64, 64), 2, 2, 8), (64, 64), 8, False),
        (mma_a((64, 32), 2, 2, 32), (64, 32), 32, False),
        (LinearLayout.distributed((8, 8), (1,), (2, 4, 8, 16, 32), ()), (8, 8), 16, False),
    ],
)
@pytest.mark.parametrize("swizzle", [0, 1])
def test_matrix_access(
    registers: LinearLayout, shape: tuple[int, int], bits: int, transposed: bool, swizzle: int
):
    row = 128 // bits
    swizzle = swizzle and min(3, (shape[1] // row).bit_length() - 1)
    shared = row_major(shape, swizzle, row)
    access = matrix_access(shared, registers, bits, transposed=transposed)
    assert access is not None
    place = shared.inverse()
    per_instruction = access.count * max(1, 32 // bits)
    assert per_instruction << len(access.register) == registers.registers
    for warp in range(registers.warps):
        for index in range(1 << len(access.register)):
            start = xor_all(access.warp, warp) ^ xor_all(access.register, index)
            addresses = [start ^ xor_all(access.lane, lane) for lane in range(8 * access.count)]
            moved = ldmatrix(addresses, access.count, transposed, bits)
            for (lane, register), offset in moved.items():
                number = registers.element(
                    register=index * per_instruction + register, lane=lane, warp=warp
                )
                assert place.apply(number) == offset
    if swizzle == 3:
        assert access.wavefronts(bits // 8) == access.count


def test_no_matrix_access():
    shared = row_major((64, 64))
    b = mma_b((64, 64), 2, 2, 16)
    f64 = mma_a((64, 64), 2, 2, 64)
    b8 = mma_b((64, 64), 2, 2, 8)
    assert b is not None
    assert f64 is not None
    assert b8 is not None
    assert matrix_access(shared, b, 16) is None
    assert matrix_access(shared, f64, 64) is None
    assert matrix_access(shared, b8, 8, transposed=True) is None
    # A row of a matrix must not be torn apart.
    assert matrix_access(row_major((64, 64), 1, 2), b, 16, transposed=True) is None


@pytest.mark.parametrize(
    ("columns", "register", "lane", "coalesced"),
    [
        (64, (1, 2, 4), (8, 64, 128, 256, 512), True),
        (64, (1, 2), (4, 64, 128, 256, 512), False),
        (64, (1, 2, 4), (64, 128, 256, 512, 1024), False),
        (8, (1, 2, 4), (8, 16, 32, 64, 128), True),
        (8, (1, 2), (8, 16, 32, 64, 128), False),
    ],
)
def test_coalesced(columns: int, register: Bases, lane: Bases, coalesced: bool):
    """Sectors have 32 bytes; rows of 8 f16 have 16."""
    layout = LinearLayout.distributed((64, columns), register, lane, ())
    assert is_coalesced(layout, 1, 16) == coalesced
