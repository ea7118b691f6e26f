"""Layouts of tensor memory against the formulas of the PTX ISA."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tileiras_xdsl.analysis.linear_layout import LinearLayout, rank
from tileiras_xdsl.analysis.tensor_memory_layouts import (
    ACCESS_SHAPES,
    ACCUMULATOR_ROWS,
    AccumulatorKind,
    access_layout,
    accessed_columns,
    accumulator_columns,
    accumulator_kind,
    accumulator_layout,
    loaded_layout,
    operand_layout,
    place_of_word,
    scale_layout,
)

Place = tuple[int, int]

ACCUMULATORS: dict[AccumulatorKind, Callable[[int, int, int], Place]] = {
    "D": lambda row, column, n: (row, column),
    "A": lambda row, column, n: (row, column),
    "F": lambda row, column, n: (row % 16 + 32 * (row // 16), column),
    "C": lambda row, column, n: (row % 16 + 32 * (row // 16), column),
    "B": lambda row, column, n: (row + 64 * (column // (n // 2)), column % (n // 2)),
    "E": lambda row, column, n: (row + 64 * (column // (n // 2)), column % (n // 2)),
    "G": lambda row, column, n: (row + 32 * (column // (n // 4)), column % (n // 4)),
}

ACCESSES: dict[str, Callable[[int, int], Place]] = {
    "32x32b": lambda r, t: (t, r),
    "16x64b": lambda r, t: ((t >> 2) + 8 * (t & 1), (t >> 1 & 1) + 2 * r),
    "16x128b": lambda r, t: ((t >> 2) + 8 * (r & 1), (t & 3) + 4 * (r >> 1)),
    "16x256b": lambda r, t: ((t >> 2) + 8 * (r >> 1 & 1), 2 * (t & 3) + (r & 1) + 8 * (r >> 2)),
    "16x32bx2": lambda r, t: (t & 15, r + 64 * (t >> 4)),
}


@pytest.mark.parametrize("kind", list(ACCUMULATORS))
@pytest.mark.parametrize("n", [16, 128, 256])
def test_accumulators(kind: AccumulatorKind, n: int):
    layout, formula = accumulator_layout(kind, n), ACCUMULATORS[kind]
    rows = ACCUMULATOR_ROWS[kind]
    assert 1 << len(layout.bases("row")) == rows
    assert rank(layout.all_bases) == len(layout.all_bases)
    for row in (0, 1, 15, 16, rows // 2, rows - 1):
        for column in (0, 1, 7, n // 4, n // 2, n - 1):
            word = layout.element(row=row, column=column)
            assert place_of_word(word) == formula(row, column, n)
            assert place_of_word(word)[1] < accumulator_columns(kind, n)


@pytest.mark.parametrize("name", list(ACCESSES))
@pytest.mark.parametrize("repeat", [1, 4, 32])
def test_accesses(name: str, repeat: int):
    layout = access_layout(name, repeat, half_offset=64)
    registers = ACCESS_SHAPES[name].registers_of(repeat)
    assert layout.registers == registers
    assert rank(layout.all_bases) == len(layout.all_bases)
    for register in {0, 1 % registers, 2 % registers, registers - 1}:
        for thread in range(32):
            word = layout.element(register=register, lane=thread, warp=3)
            lane, column = ACCESSES[name](register, thread)
            assert place_of_word(word) == (lane + 96, column)
            assert column < accessed_columns(name, repeat, half_offset=64)


def test_packed():
    """The halves of a register are the low halves of neighbouring columns."""
    layout = access_layout("16x64b", 2, pack=True)
    assert layout.registers == 4
    for register in range(2):
        for half in range(2):
            for thread in range(32):
                lane, column = ACCESSES["16x64b"](register, thread)
                word = layout.element(register=2 * register + half, lane=thread)
                assert place_of_word(word) == (lane, 2 * column + half)
    halves = access_layout("16x32bx2", 4, half_offset=8, pack=True)
    assert place_of_word(halves.element(register=7, lane=16)) == (0, 8 + 7)


@pytest.mark.parametrize(
    ("m", "group", "kind"),
    [(128, 1, "D"), (64, 1, "F"), (256, 2, "A"), (128, 2, "B"), (32, 1, None)],
)
def test_kinds(m: int, group: int, kind: str | None):
    assert accumulator_kind(m, group) == kind


def _loaded(kind: AccumulatorKind, n: int, access: LinearLayout, groups: int = 1) -> LinearLayout:
    found = loaded_layout(accumulator_layout(kind, n), access, warpgroups=groups)
    assert found is not None
    return found


def test_a_thread_holds_a_row():
    layout = _loaded("D", 128, access_layout("32x32b", 32))
    assert layout.shape == (128, 128)
    for register, thread, warp in ((0, 0, 0), (5, 31, 1), (127, 7, 3)):
        number = layout.element(register=register, lane=thread, warp=warp)
        assert layout.coordinates(number) == (32 * warp + thread, register)


def test_two_warpgroups_share_columns():
    layout = _loaded("A", 64, access_layout("32x32b", 8), 2)
    assert (layout.registers, layout.warps) == (32, 8)
    assert layout.coordinates(layout.element(register=31, lane=3, warp=6)) == (67, 63)


def test_folded_columns():
    """Of a pair with M = 128 the upper warps hold the right half."""
    layout = _loaded("B", 128, access_layout("32x32b", 16))
    assert layout.coordinates(layout.element(register=3, lane=2, warp=3)) == (34, 64 + 3)


def test_sixteen_rows_of_a_warp():
    layout = _loaded("F", 128, access_layout("16x32bx2", 64, half_offset=64))
    assert layout.coordinates(layout.element(register=9, lane=17, warp=2)) == (33, 64 + 9)
    assert loaded_layout(accumulator_layout("F", 128), access_layout("32x32b", 64)) is None


def test_sixteen_lanes_twice():
    """Accesses of 16 lanes come twice for each warp of layout D."""
    layout = _loaded("D", 32, access_layout("16x256b", 4))
    assert layout.is_surjective()
    assert layout.registers == 32
    assert layout.coordinates(layout.element(register=16, lane=0, warp=1)) == (32 + 16, 0)
    assert layout.coordinates(layout.element(register=2, lane=5)) == (9, 2)


def test_operands():
    layout = operand_layout("D", 16, 16)
    assert layout.coordinates(layout.element(row=3, column=5)) == (3, 5)
    assert layout.shape == (128, 1024)


def test_scales():
    """Bytes lie as in the 512 bytes that are copied: 16 for each of 32 rows."""
    layout = scale_layout(128, 4)
    for row in (0, 1, 31, 32, 127):
        for block in range(4):
            number = layout.element(row=row, column=block)
            assert layout.coordinates(number) == (row % 32, row // 32 * 4 + block)
    assert scale_layout(256, 8).element(row=32, column=4) == 4 + 32
