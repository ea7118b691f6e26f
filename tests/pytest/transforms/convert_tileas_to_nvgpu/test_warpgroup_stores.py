"""Which TMA tiles of a tile a warpgroup can store on its own, and when it knows where they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, f16, f32
from xdsl.ir import Attribute

from tileiras_xdsl.analysis.matrix_layouts import wgmma_accumulator
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nvvm import CpAsyncBulkWaitGroupOp, WgmmaWaitGroupOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import WarpgroupTmaTiles

from ..test_tileas_dynamic_persistent import (
    STORE,
    SUM,
    compiled,
    matrices,
    product,
)


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
    assert found.tiling.box == box
    assert found.starts == starts
    assert [start for start, _ in found.moves] == moves
    # The parts of all groups are the whole tile, each once.
    size = found.tiling.tma_tile_bytes
    offsets = {
        offset + sum(move for bit, (_, move) in enumerate(found.moves) if group >> bit & 1)
        for _, offset in found.tma_tiles
        for group in range(1 << len(moves))
    }
    assert sorted(offsets) == list(range(0, found.tiling.bytes, size))


def test_lines_that_groups_share():
    """Rows are shorter than a line that both groups have a part of."""
    assert tma_tiles_of((64, 32), (1, 2), f32) is None


def test_accumulators_of_a_branch_are_copied():
    """ptxas would serialize WGMMAs that go on with the registers of the branch."""
    text = product()
    loop = text[text.index("%sum = for") : text.index(STORE)]
    branch = f"""%is_first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
      %begun = if %is_first -> ({SUM}) {{
        {loop}
        yield %sum : {SUM}
      }} else {{
        yield %start : {SUM}
      }}
      """
    text = text.replace(loop, branch + loop.replace("%partial = %start", "%partial = %begun"))
    waits = [op for op in compiled(text, "nvgpu").walk() if isinstance(op, WgmmaWaitGroupOp)]
    (copied,) = (op for op in waits if op.copies is not None)
    assert isinstance(copied.accumulators[0].owner, scf.IfOp)


SCALED: Final = STORE.replace("%sum", "%scaled")
AGAIN: Final = SCALED.replace("%done", "%again").replace("] :", "] token = %done :")
SCALE: Final = f"%scaled = mulf %sum, %sum : {SUM}"


def staging_waits(module: ModuleOp) -> int:
    """How many waits for staging buffers come after that for the sums of a tile."""
    last = [op for op in module.walk() if isinstance(op, WgmmaWaitGroupOp)][-1]
    block = last.parent_block()
    assert block is not None
    branches = [
        block.find_ancestor_op_in_block(op)
        for op in module.walk()
        if isinstance(op, CpAsyncBulkWaitGroupOp)
    ]
    return sum(op is not None and last.is_before_in_block(op) for op in branches)


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("store", "waits"),
    [
        # What the loop leaves is stored as it is.
        (STORE, 1),
        (f"{SCALE}\n{SCALED}", 1),
        # The second store uses the buffer of the first one again.
        (f"{SCALE}\n{SCALED}\n{AGAIN}", 3),
    ],
    ids=["plain", "computed", "twice"],
)
def test_staging_buffers_of_epilogues(store: str, waits: int):
    """All tiles are right, and nobody writes what a copy still reads."""
    module = compiled(product(store=store), "nvgpu")
    assert staging_waits(module) == waits
    arguments, exact = matrices(130, 136, 72)
    run(module, grid=(3, 5), args=arguments, sm_count=2, check=True)
    np.testing.assert_array_equal(arguments[2], exact if store == STORE else exact * exact)


def test_a_missing_wait_for_the_buffer_is_found():
    module = compiled(product(store=f"{SCALE}\n{SCALED}"), "nvgpu")
    for op in list(module.walk()):
        if isinstance(op, CpAsyncBulkWaitGroupOp):
            op.detach()
    arguments, _ = matrices(130, 136, 72)
    with pytest.raises(ExecutionError, match="race"):
        run(module, grid=(3, 5), args=arguments, sm_count=2, check=True)
