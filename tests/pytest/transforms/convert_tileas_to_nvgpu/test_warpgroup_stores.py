"""Which TMA tiles of a tile a warpgroup can store on its own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import f16, f32
from xdsl.ir import Attribute

from tileiras_xdsl.analysis.matrix_layouts import wgmma_accumulator
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_stores import WarpgroupTmaTiles


def tma_tiles_of(
    shape: tuple[int, int],
    grid: tuple[int, int],
    element: Attribute = f16,
    strides: Sequence[int | None] = (None, 1),
) -> WarpgroupTmaTiles | None:
    """The TMA tiles of an accumulator that warpgroups share."""
    layout = wgmma_accumulator(shape, *grid)
    assert layout is not None
    memref = MemRefType(element, (None, None), strides)
    return WarpgroupTmaTiles.of(TiledViewType(shape, memref), layout)


@pytest.mark.parametrize(
    ("shape", "grid", "strides", "box", "starts", "moves"),
    [
        # One group has all.
        ((64, 64), (1, 1), (None, 1), (64, 64), [(0, 0)], []),
        # Each has its rows, of two TMA tiles side by side.
        ((128, 128), (2, 1), (None, 1), (64, 64), [(0, 0), (0, 64)], [(64, 0)]),
        # Each has its TMA tiles.
        ((64, 256), (1, 2), (None, 1), (64, 64), [(0, 0), (0, 64)], [(0, 128)]),
        # Columns are contiguous, rows of a TMA tile: each has half of them.
        ((64, 64), (1, 2), (1, None), (64, 32), [(0, 0)], [(0, 32)]),
        ((64, 128), (1, 2), (1, None), (64, 64), [(0, 0)], [(0, 64)]),
    ],
)
def test_tma_tiles(
    shape: tuple[int, int],
    grid: tuple[int, int],
    strides: tuple[int | None, int | None],
    box: tuple[int, int],
    starts: list[tuple[int, int]],
    moves: list[tuple[int, int]],
):
    found = tma_tiles_of(shape, grid, strides=strides)
    assert found is not None
    assert found.tma_tile.box == box
    assert [start for start, _ in found.starts] == starts
    assert [start for start, _ in found.moves] == moves
    # The pieces of all groups are the whole tile, each once.
    size = found.tma_tile.tma_tile_bytes
    offsets = {
        offset + sum(move for bit, (_, move) in enumerate(found.moves) if group >> bit & 1)
        for _, offset in found.starts
        for group in range(1 << len(moves))
    }
    assert sorted(offsets) == list(range(0, found.tma_tile.bytes, size))


def test_lines_that_groups_share():
    """Rows are shorter than a line that both groups have a part of."""
    assert tma_tiles_of((64, 32), (1, 2), f32) is None
