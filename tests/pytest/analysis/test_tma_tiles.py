"""TMA tiles, and WGMMA operands in them, against the addresses that hardware uses."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

import pytest
from xdsl.dialects.builtin import Float64Type, IntegerType, bf16, f16, f32, i8
from xdsl.ir import Attribute

from tileiras_xdsl.analysis.axis_info import AxisInfo
from tileiras_xdsl.analysis.axis_info_analysis import TileAxisInfo, ViewAxisInfo
from tileiras_xdsl.analysis.linear_layout import LinearLayout, flatten
from tileiras_xdsl.analysis.matrix_layouts import SharedOperand
from tileiras_xdsl.analysis.tma_tiles import TmaTiling, may_begin_outside, swizzled_layout
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType

SIZES: dict[Attribute, int] = {i8: 1, f16: 2, bf16: 2, f32: 4, Float64Type(): 8}


def flip(address: int, swizzle: int) -> int:
    """Bits 4-6 of an address are XORed with bits 7-9: all, two, one or none of them."""
    return address ^ (address >> 7 & {0: 0, 32: 1, 64: 3, 128: 7}[swizzle]) << 4


def view_of(
    element: Attribute, tile: tuple[int, ...], dims: tuple[int, ...], unit: int
) -> TiledViewType:
    """A view of a tensor whose elements lie next to each other along dimension `unit`."""
    rank = len(tile)
    strides = [1 if dim == unit else 1 << 12 for dim in range(rank)]
    return TiledViewType(tile, MemRefType(element, [None] * rank, strides), dims)


def addresses_of(layout: LinearLayout, size: int) -> dict[tuple[int, ...], int]:
    """Where each element of a tile lies, in bytes."""
    inverse = layout.inverse()
    return {
        position: inverse.apply(flatten(position, layout.shape)) * size
        for position in product(*(range(extent) for extent in layout.shape))
    }


TILES: list[tuple[Attribute, tuple[int, ...], tuple[int, ...], int]] = [
    (f16, (128, 64), (0, 1), 1),
    (f16, (16, 256), (0, 1), 1),
    (f16, (16, 32), (0, 1), 1),
    (f16, (32, 16), (0, 1), 1),
    (f16, (32, 8), (0, 1), 1),
    (bf16, (64, 128), (1, 0), 1),
    (bf16, (64, 32), (1, 0), 0),
    (f16, (128, 16), (0, 1), 0),
    (i8, (64, 128), (0, 1), 1),
    (i8, (64, 256), (0, 1), 1),
    (f32, (8, 64), (0, 1), 1),
    (Float64Type(), (16, 32), (0, 1), 1),
    (f16, (512, 64), (0, 1), 1),
    (f16, (64,), (0,), 0),
    (f16, (1, 64, 64), (0, 1, 2), 2),
    (f16, (4, 8, 128), (0, 1, 2), 2),
    (f16, (4, 16, 64), (2, 0, 1), 1),
    (f16, (2, 8, 32), (0, 2, 1), 2),
    (f16, (2, 1, 8, 64), (0, 1, 2, 3), 3),
    (f16, (64, 2, 4, 2), (3, 0, 1, 2), 3),
    (f16, (2, 1, 2, 4, 64), (0, 1, 2, 3, 4), 4),
    (i8, (2, 4, 2, 128, 2), (1, 0, 3, 4, 2), 4),
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("element", "tile", "dims", "unit"), TILES)
def test_tma_tiles_are_copied_to_where_the_layout_says(
    element: Attribute, tile: tuple[int, ...], dims: tuple[int, ...], unit: int
):
    tiling = TmaTiling.of(view_of(element, tile, dims, unit))
    assert tiling is not None
    assert tiling.traversed == tiling.box
    check_copies(tiling, SIZES[element], tile, dims, unit)


K_PERMUTATION: list[tuple[Attribute, tuple[int, ...], tuple[int, ...], int, int]] = [
    (i8, (128, 128), (0, 1), 1, 0),
    (i8, (128, 128), (1, 0), 1, 1),
    (i8, (1, 128, 256), (0, 2, 1), 2, 2),
    (i8, (64, 256), (0, 1), 1, 0),
    (i8, (16, 32), (0, 1), 1, 0),
    (f16, (256, 64), (0, 1), 1, 0),
    (f16, (32, 16), (0, 1), 1, 0),
    (f16, (4, 16, 64), (0, 1, 2), 2, 0),
    (f16, (4, 16, 64), (0, 1, 2), 2, 1),
    (f32, (2, 16, 8), (1, 0, 2), 2, 0),
]


@pytest.mark.parametrize(("element", "tile", "dims", "unit", "dim"), K_PERMUTATION)
def test_even_elements_are_copied_before_odd_ones(
    element: Attribute, tile: tuple[int, ...], dims: tuple[int, ...], unit: int, dim: int
):
    plain = TmaTiling.of(view_of(element, tile, dims, unit))
    assert plain is not None
    tiling = plain.k_permutation_or_reason(dim)
    assert isinstance(tiling, TmaTiling)
    assert len(list(tiling.tma_tiles())) == 2 * len(list(plain.tma_tiles()))
    assert tiling.traversed == plain.box
    assert prod(tiling.element_strides) == tiling.element_strides[dims[dim]] == 2
    check_copies(tiling, SIZES[element], tile, dims, unit)


@pytest.mark.parametrize(
    ("element", "tile", "unit", "dim", "reason"),
    [
        (i8, (128, 128), 1, 1, "dimension 1 is contiguous, of which TMA skips no elements"),
        (i8, (512, 64), 1, 0, "a TMA tile has at most 256 elements along a dimension, gaps inc"),
        (i8, (8, 64), 1, 0, "half of a TMA tile has 4 rows, fewer than 8"),
        (f16, (1, 16, 64), 2, 0, "half of a TMA tile has 8 rows"),
    ],
)
def test_elements_that_cannot_be_k_permuted(
    element: Attribute, tile: tuple[int, ...], unit: int, dim: int, reason: str
):
    plain = TmaTiling.of(view_of(element, tile, tuple(range(len(tile))), unit))
    assert plain is not None
    found = plain.k_permutation_or_reason(dim)
    assert isinstance(found, str)
    assert found.startswith(reason)


def check_copies(
    tiling: TmaTiling, size: int, tile: tuple[int, ...], dims: tuple[int, ...], unit: int
) -> None:
    """What copies write is where the layout says, by the rules of the hardware."""
    assert max(tiling.traversed) <= 256
    assert tiling.bytes == prod(tile) * size
    steps = tiling.element_strides or (1,) * len(tile)
    tma_tiles = list(tiling.tma_tiles())
    assert len(tma_tiles) * tiling.tma_tile_bytes == tiling.bytes
    assert len({offset for _, offset in tma_tiles}) == len(tma_tiles)
    # Copies go along the unit dimension first, then from the last one to the first.
    order = [unit, *(dim for dim in reversed(range(len(tile))) if dim != unit)]
    assert tiling.box[unit] * size == min(tile[dims.index(unit)] * size, 128)
    found: dict[tuple[int, ...], int] = {}
    for start, offset in tma_tiles:
        # Each begins at a swizzle atom, of 8 rows.
        assert offset % (max(8 * tiling.swizzle, 128) if len(tma_tiles) > 1 else 16) == 0
        for inside in product(*(range(extent) for extent in tiling.box)):
            place, stride = 0, 1
            for dim in order:
                place += inside[dim] * stride
                stride *= tiling.box[dim]
            tensor = [at + step * more for at, step, more in zip(start, steps, inside, strict=True)]
            position = tuple(tensor[dim] for dim in dims)
            found[position] = flip(offset + place * size, tiling.swizzle)
    assert found == addresses_of(tiling.layout, size)


@pytest.mark.parametrize(
    ("element", "tile", "dims", "unit"),
    [
        (f16, (64, 4), (0, 1), 1),
        (f16, (4, 128), (0, 1), 1),
        (f16, (512, 2, 64), (1, 0, 2), 2),
        (f16, (2, 2, 2, 2, 2, 64), (0, 1, 2, 3, 4, 5), 5),
        (IntegerType(1), (64, 64), (0, 1), 1),
    ],
)
def test_tiles_that_are_no_tma_tiles(
    element: Attribute, tile: tuple[int, ...], dims: tuple[int, ...], unit: int
):
    assert TmaTiling.of(view_of(element, tile, dims, unit)) is None


def test_no_tma_tiles_without_a_unit_stride():
    memref = MemRefType(f16, [None, None], [None, None])
    assert TmaTiling.of(TiledViewType((64, 64), memref)) is None
    memref = MemRefType(f16, [None, None], [None, 1])
    assert TmaTiling.of(TiledViewType((64, 64), memref)) is not None
    assert TmaTiling.of(TiledViewType((64, 64), memref, sparse_dim=0)) is None


# WGMMA operands

OPERANDS = [
    (rows, k, size, transposed)
    for rows, k in ((64, 64), (32, 128), (128, 32), (128, 16), (16, 128))
    for size, transposed in ((1, False), (2, False), (4, False), (2, True))
    if k * size >= 32
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("rows", "k", "size", "transposed"), OPERANDS)
@pytest.mark.parametrize("reduction_dim", [0, 1])
def test_descriptors_lead_to_all_elements(
    rows: int, k: int, size: int, transposed: bool, reduction_dim: int
):
    """Rows are those of m or n."""
    shape = (rows, k) if reduction_dim == 1 else (k, rows)
    fastest = 1 - reduction_dim if transposed else reduction_dim
    layout = swizzled_layout(shape, (fastest, 1 - fastest), size)
    expected = addresses_of(layout, size)
    operand = SharedOperand.of(layout, reduction_dim, size)
    assert operand is not None
    assert operand.is_transposed == transposed
    bits = operand.descriptor
    line = {1: 128, 2: 64, 3: 32}[bits >> 62]
    leading, stride = (bits >> 16 & 0x3FFF) << 4, (bits >> 32 & 0x3FFF) << 4
    assert operand.k * size == 32
    steps = k // operand.k
    block = next(n for n in (64, 32, 16) if rows % n == 0 and operand.offset(n) is not None)
    found: dict[tuple[int, ...], int] = {}
    uniform = operand.uniform_steps(steps)
    assert steps % uniform == 0
    for step in range(steps):
        first = step // uniform * uniform
        # These steps follow each other in equal distances.
        assert (
            operand.step_offset(step) == operand.step_offset(first) + (step - first) * operand.step
        )
        for row in range(rows):
            start = operand.offset(row // block * block)
            assert start is not None
            start += operand.step_offset(step)
            for i in range(operand.k):
                inside = row % block
                if transposed:
                    byte = inside * size
                    place = byte // line * leading + byte % line
                    place += i // 8 * stride + i % 8 * line
                else:
                    place = inside // 8 * stride + inside % 8 * line + i * size
                position = (row, step * operand.k + i)
                found[position if reduction_dim == 1 else position[::-1]] = flip(
                    start + place, line
                )
    assert found == expected


@pytest.mark.parametrize(("rows", "k", "size"), [(128, 128, 1), (64, 256, 1), (16, 32, 2)])
def test_even_columns_of_operand_b_come_first(rows: int, k: int, size: int):
    """It is read as all operands are, but its columns have other numbers."""
    shape = (k, rows)
    even = swizzled_layout(shape, (0, 1), size, k_permutation=1)
    plain = addresses_of(swizzled_layout(shape, (0, 1), size), size)
    operand = SharedOperand.of(even, 0, size)
    assert operand is not None
    assert operand.k_permutation
    found = SharedOperand.of(swizzled_layout(shape, (0, 1), size), 0, size)
    assert found is not None
    assert replace(operand, k_permutation=False) == found
    for (depth, column), address in addresses_of(even, size).items():
        assert address == plain[depth, column // 2 + column % 2 * rows // 2]
    # Rows of operand A, and columns that are contiguous, are in no other order.
    assert SharedOperand.of(even.permute((1, 0)), 1, size) is None
    turned = swizzled_layout((rows, k), (0, 1), 2, k_permutation=1)
    assert SharedOperand.of(turned, 1, 2) is None


def test_few_long_rows_are_not_cut():
    reason = TmaTiling.of_or_reason(view_of(f16, (2, 256), (0, 1), 1))
    assert reason == "a tile with rows of more than 128 bytes needs at least 8 rows, but has 2"


def test_a_long_row_is_one_tma_tile():
    tiling = TmaTiling.of(view_of(f16, (1, 256), (0, 1), 1))
    assert tiling is not None
    assert (tiling.box, tiling.swizzle) == ((1, 256), 0)
    assert tiling.is_long_row
    assert list(tiling.tma_tiles()) == [((0, 0), 0)]
    assert tiling.layout == LinearLayout.shared((1, 256), [1 << bit for bit in range(8)])
    assert isinstance(TmaTiling.of_or_reason(view_of(f16, (1, 512), (0, 1), 1)), str)


@pytest.mark.parametrize("size", [1, 4])
def test_other_sizes_than_16_bits_cannot_be_transposed(size: int):
    layout = swizzled_layout((64, 128), (0, 1), size)
    assert SharedOperand.of(layout, 1, size) is None
    reason = SharedOperand.of_or_reason(layout, 1, size)
    assert str(reason).endswith("has to be K-major")


def test_layouts_that_no_descriptor_describes():
    plain = LinearLayout.shared((64, 64), [1 << bit for bit in range(12)])
    assert SharedOperand.of(plain, 1, 2) is None
    # Too short rows, too few rows, and too many dimensions.
    assert SharedOperand.of(swizzled_layout((64, 8), (1, 0), 2), 1, 2) is None
    assert SharedOperand.of(swizzled_layout((4, 64), (1, 0), 2), 1, 2) is None
    deep = swizzled_layout((1, 64, 64), (2, 1, 0), 2)
    assert SharedOperand.of_or_reason(deep, 1, 2) == "it has 3 dimensions"


def test_places_that_no_descriptor_can_begin_at():
    operand = SharedOperand.of(swizzled_layout((64, 64), (1, 0), 2), 1, 2)
    assert operand is not None
    assert operand.offset(8) == 1024
    assert operand.offset(4) is None
    operand = SharedOperand.of(swizzled_layout((64, 128), (1, 0), 2), 0, 2)
    assert operand is not None
    assert operand.offset(64) == 64 * 128
    assert operand.offset(32) is None


@pytest.mark.parametrize(
    ("element", "step", "reason"),
    [(f16, 64, None), (f16, 8, None), (f16, 4, "multiples of 16"), (f32, 4, None), (i8, 8, "16")],
)
def test_tma_tiles_begin_at_units_of_16_bytes(element: Attribute, step: int, reason: str | None):
    """Others would be illegal instructions."""
    memref = MemRefType(element, [None, None], [1 << 12, 1])
    found = TmaTiling.of_or_reason(TiledViewType((64, 64), memref, steps=(1, step)))
    assert isinstance(found, TmaTiling) if reason is None else reason in str(found)


@pytest.mark.parametrize(
    ("steps", "low", "promised", "expected"),
    [
        ((64, 32), -3, (), False),
        ((1, 32), -3, (), True),
        ((1, 32), 0, (), False),
        ((1, 32), -3, (True, False), False),
        ((64, 16), -3, (True, False), True),
    ],
)
def test_tiles_that_lie_partly_before_their_tensor(
    steps: tuple[int, int], low: int, promised: tuple[bool, ...], expected: bool
):
    """Only overlapping tiles can begin before a tensor and still have elements of it."""
    ty = TiledViewType((64, 32), MemRefType(f16, [None, None], [1 << 12, 1]), steps=steps)
    some = AxisInfo.scalar(0, 1 << 20)
    starts = tuple(AxisInfo.scalar(low * step, 1 << 20) for step in steps)
    view = ViewAxisInfo(ty, (some, some), (some, some), 16)
    tile = TileAxisInfo(view, starts, promised or (False, False))
    assert may_begin_outside(tile) == expected
