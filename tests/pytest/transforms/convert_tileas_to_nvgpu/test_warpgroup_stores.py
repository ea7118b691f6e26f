"""Which TMA tiles of a tile a warpgroup can store on its own, and when it knows where they go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, f16, f32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation

from tileiras_xdsl import load, run
from tileiras_xdsl.analysis.access_layouts import coalesced_bytes
from tileiras_xdsl.analysis.layout_conversion import SharedAccess
from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2, unflatten
from tileiras_xdsl.analysis.matrix_layouts import offsets_of, wgmma_accumulator
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileas.decisions import get_schedule, get_store_parts
from tileiras_xdsl.dialects.nv_tileas.memory import TiledStoreOp
from tileiras_xdsl.dialects.nvvm import (
    BarWarpSyncOp,
    BulkTensorStoreOp,
    CpAsyncBulkCommitGroupOp,
    CpAsyncBulkWaitGroupOp,
    WgmmaWaitGroupOp,
)
from tileiras_xdsl.dialects.nvvm.fragments import FragmentLoadOp, FragmentStoreOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.pipeline import SCHEDULING, select_steps
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.last_stores import rows_of_warps
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_stores import (
    WarpgroupTmaTiles,
    mark_warpgroup_stores,
)
from tileiras_xdsl.transforms.tileas.tileas_generate_schedule import TileasGenerateSchedulePass

from ...harness.modules import context
from ...harness.passes import run_steps
from ..test_tileas_dynamic_persistent import (
    BENCHMARKS,
    PAIRS,
    STORE,
    SUM,
    VIEWS,
    compiled,
    matrices,
    product,
)


def tma_tiles_of(
    shape: tuple[int, int],
    grid: tuple[int, int],
    element: Attribute = f16,
    strides: Sequence[int | None] = (None, 1),
    parts: int = 1,
) -> WarpgroupTmaTiles | None:
    """The TMA tiles of an accumulator that warpgroups share."""
    layout = wgmma_accumulator(shape, *grid)
    assert layout is not None
    memref = MemRefType(element, (None, None), strides)
    return WarpgroupTmaTiles.of(TiledViewType(shape, memref), layout, parts)


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
    # The pieces of all groups are the whole tile, each once.
    size = found.tiling.tma_tile_bytes
    offsets = {
        offset + sum(move for bit, (_, move) in enumerate(found.moves) if group >> bit & 1)
        for _, offset in found.parts[0].tma_tiles
        for group in range(1 << len(moves))
    }
    assert sorted(offsets) == list(range(0, found.tiling.bytes, size))


def test_lines_that_groups_share():
    """Rows are shorter than a line that both groups have a part of."""
    assert tma_tiles_of((64, 32), (1, 2), f32) is None


@pytest.mark.parametrize(
    ("shape", "grid", "parts"),
    [((128, 256), (2, 1), 2), ((128, 256), (2, 1), 4), ((64, 256), (1, 2), 2)],
)
def test_parts(shape: tuple[int, int], grid: tuple[int, int], parts: int):
    """Parts have equal numbers of registers and TMA tiles, and the same places in the buffer."""
    whole, found = tma_tiles_of(shape, grid), tma_tiles_of(shape, grid, parts=parts)
    assert whole is not None
    assert found is not None
    assert len(found.parts) == parts
    assert found.bytes * parts == whole.bytes
    assert sorted(found.starts) == sorted(whole.starts)
    registers = [register for part in found.parts for register in part.registers]
    assert sorted(registers) == list(range(wgmma_registers(shape, grid)))
    size = found.tiling.tma_tile_bytes
    for part in found.parts:
        offsets = {
            offset + group * sum(move for _, move in found.moves)
            for _, offset in part.tma_tiles
            for group in range(2)
        }
        assert sorted(offsets) == list(range(0, found.bytes, size))


def wgmma_registers(shape: tuple[int, int], grid: tuple[int, int]) -> int:
    layout = wgmma_accumulator(shape, *grid)
    assert layout is not None
    return layout.registers


def test_no_parts():
    """Each thread has elements of a single TMA tile."""
    assert tma_tiles_of((128, 64), (2, 1), parts=2) is None


def test_coordinates_are_computed_before_the_wait():
    """
    Where a tile goes is known while the tensor cores are busy with its last products: divisions
    stand between the loop and the wait, which yields the coordinates. Accumulators pass through a
    wait when they are cleared, so that LLVM clears them once.
    """
    module = compiled(product(), "nvgpu")
    waits = [op for op in module.walk() if isinstance(op, WgmmaWaitGroupOp)]
    cleared, _, last = waits
    assert isinstance(cleared.accumulators[0].owner, arith.ConstantOp)
    (loop,) = (use.operation for use in cleared.results[0].uses)
    assert last.accumulators[0].owner is loop
    between: list[Operation] = []
    following = loop.next_op
    while following is not None and following is not last:
        between.append(following)
        following = following.next_op
    assert any(isinstance(op, arith.RemUIOp) for op in between)
    (store,) = (op for op in module.walk() if isinstance(op, BulkTensorStoreOp))
    assert set(store.coordinates) <= set(last.results[1:])


def test_coordinates_of_a_store_in_a_branch():
    """They are computed in front of the wait, whether the branch is taken or not."""
    branch = f"""%is_first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
      if %is_first {{
        {STORE}
      }}"""
    module = compiled(product(store=branch), "nvgpu")
    *_, last = (op for op in module.walk() if isinstance(op, WgmmaWaitGroupOp))
    (store,) = (op for op in module.walk() if isinstance(op, BulkTensorStoreOp))
    assert set(store.coordinates) <= set(last.results[1:])


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


def test_coordinates_of_a_reshaped_tile():
    """A batched matmul stores sums as a tile of rank 3, whose coordinates are early, too."""
    module = compiled(BENCHMARKS / "matmul_batched_128x256x64.tileirbc", "nvgpu")
    *_, last = (op for op in module.walk() if isinstance(op, WgmmaWaitGroupOp))
    stores = [op for op in module.walk() if isinstance(op, BulkTensorStoreOp)]
    assert [len(store.coordinates) for store in stores] == [3, 3, 3, 3]
    assert all(set(store.coordinates) <= set(last.results[1:]) for store in stores)


def scheduled(program: str | Path) -> ModuleOp:
    """A program with its schedule."""
    module = load(program)
    steps = select_steps(to="tileas")
    last = next(n for n, step in enumerate(steps) if step.name == SCHEDULING)
    run_steps(module, steps[: last + 1], "sm_90a", "host-maps")
    return module


def test_parts_for_one_more_stage():
    """A staging buffer of half the tile leaves shared memory for a fourth stage."""
    module = scheduled(BENCHMARKS / "matmul_128x256x64.tileirbc")
    TileasGenerateSchedulePass(store_parts=2).apply(context(), module)
    (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
    (store,) = (op for op in module.walk() if isinstance(op, TiledStoreOp))
    schedule = get_schedule(kernel)
    assert schedule is not None
    assert schedule.stages == (4,)
    assert get_store_parts(store) == 2


@pytest.mark.parametrize("stage", ["tileas", "nvgpu"])
def test_results_in_parts(stage: Any):
    """Two TMA tiles side by side, through a buffer for one of them."""
    module = scheduled(product().replace("64x32", "64x64"))
    (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
    assert mark_warpgroup_stores(kernel, 1 << 15, parts=2) == 64 * 32 * 4
    steps = select_steps(to=stage)
    last = next(n for n, step in enumerate(steps) if step.name == SCHEDULING)
    run_steps(module, steps[last + 1 :], "sm_90a", "host-maps")
    arguments, exact = matrices(130, 136, 72)
    run(module, grid=(3, 3), args=arguments, sm_count=2)
    np.testing.assert_array_equal(arguments[2], exact)
    if stage == "nvgpu":
        assert len([op for op in module.walk() if isinstance(op, CpAsyncBulkCommitGroupOp)]) == 2


SCALED: Final = STORE.replace("%sum", "%scaled")
AGAIN: Final = SCALED.replace("%done", "%again").replace("] :", "] token = %done :")
SCALE: Final = f"%scaled = mulf %sum, %sum : {SUM}"


def staging_waits(module: ModuleOp) -> tuple[int, int]:
    """How many waits for a staging buffer of a tile come before that for its sums, and after it."""
    last = [op for op in module.walk() if isinstance(op, WgmmaWaitGroupOp)][-1]
    block = last.parent_block()
    assert block is not None
    branches = [
        block.find_ancestor_op_in_block(op)
        for op in module.walk()
        if isinstance(op, CpAsyncBulkWaitGroupOp)
    ]
    found = [op for op in branches if op is not None]
    before = sum(op.is_before_in_block(last) for op in found)
    return before, len(found) - before


@pytest.mark.parametrize(
    ("store", "waits"),
    [
        # What the loop leaves is stored as it is.
        (STORE, (1, 0)),
        (f"{SCALE}\n{SCALED}", (1, 0)),
        # The buffer of the first store is free, but the second one uses it again, behind a store.
        (f"{SCALE}\n{SCALED}\n{AGAIN}", (1, 2)),
    ],
    ids=["plain", "computed", "twice"],
)
def test_staging_buffers_of_epilogues(store: str, waits: tuple[int, int]):
    """
    Threads wait for the buffer before they wait for the sums. All tiles are right, and nobody
    writes what a copy still reads.
    """
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


# Last tiles


def elements_of(layout: LinearLayout, warp: int) -> set[int]:
    """The elements that a warp has."""
    return {
        layout.element(register=register, lane=lane, warp=warp)
        for register in range(layout.registers)
        for lane in range(32)
    }


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("inner", [0, 1])
@pytest.mark.parametrize(
    ("shape", "grid"),
    [((128, 128), (2, 1)), ((128, 256), (2, 1)), ((64, 256), (1, 2)), ((64, 64), (1, 1))],
)
def test_rows_of_warps(shape: tuple[int, int], grid: tuple[int, int], inner: int, size: int):
    """
    Warps keep their elements, so that they need not wait for each other. Lanes have vectors of 16
    bytes side by side in memory, which are read from the staging buffer without bank conflicts.
    """
    layout = wgmma_accumulator(shape, *grid)
    assert layout is not None
    width = 16 // size
    rows = rows_of_warps(layout, inner, width)
    assert rows is not None
    for warp in range(layout.warps):
        assert elements_of(rows, warp) == elements_of(layout, warp)
    places = [
        unflatten(rows.element(register=register, lane=lane), shape)[inner]
        for lane in range(2)
        for register in range(width)
    ]
    assert places == list(range(2 * width))
    strides = (None, 1) if inner else (1, None)
    tma_tiles = tma_tiles_of(shape, grid, f16 if size == 2 else f32, strides)
    if tma_tiles is not None and coalesced_bytes(rows, inner, 8 * size) >= 128:
        offsets = offsets_of(tma_tiles.tiling.layout, rows)
        access = SharedAccess(width, offsets.register[log2(width) :], offsets.lane, offsets.warp)
        assert access.wavefronts(size) == 4


def test_no_rows_of_warps():
    """Elements of a vector are in two warps, or there are not enough vectors for all lanes."""
    apart = LinearLayout.distributed((8, 64), (2, 4), (8, 16, 32, 64, 128), (1, 256))
    assert rows_of_warps(apart, 1, 8) is None
    small = LinearLayout.distributed((8, 8), (1,), (2, 4, 8, 16, 32), ())
    assert rows_of_warps(small, 1, 8) is None
    copied = LinearLayout.distributed((16, 16), (1, 2, 4), (8, 16, 32, 64, 0), (128,))
    assert rows_of_warps(copied, 1, 8) is None


def stores_by_threads(module: ModuleOp) -> list[Block]:
    """Branches in which lanes wait for each other, read vectors, and store them."""
    blocks = [op.parent_block() for op in module.walk() if isinstance(op, BarWarpSyncOp)]
    kinds = FragmentLoadOp, FragmentStoreOp
    return [
        block
        for block in blocks
        if block is not None
        and all(any(isinstance(op, kind) for op in block.ops) for kind in kinds)
    ]


@pytest.mark.every(3, first=1)
@pytest.mark.parametrize("abi", ["host-maps", "device-maps"])
@pytest.mark.parametrize(
    ("grid", "sm_count"), [((3, 5), 2), ((3, 5), 4), ((3, 5), 15), ((1, 1), 4)]
)
def test_threads_store_the_last_tile(abi: str, grid: tuple[int, int], sm_count: int):
    """CTAs with one to eight tiles, of which those at the border are partly out of bounds."""
    module = compiled(product(), "nvgpu", abi)
    assert len(stores_by_threads(module)) == 1
    sizes = (130, 136, 72) if grid == (3, 5) else (61, 24, 72)
    arguments, exact = matrices(*sizes)
    run(module, grid=grid, args=arguments, sm_count=sm_count, check=True)
    np.testing.assert_array_equal(arguments[2], exact)


def test_clusters_store_the_last_tile():
    """Where the number of tiles is odd, one CTA has none to store."""
    module = compiled(product(PAIRS), "nvgpu")
    assert len(stores_by_threads(module)) == 1
    for sm_count in (2, 4, 100):
        arguments, exact = matrices(130, 136, 72)
        run(module, grid=(3, 5), args=arguments, sm_count=sm_count, check=True)
        np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.parametrize("sm_count", [2, 15])
def test_last_tiles_before_their_tensor(sm_count: int):
    """A tile that begins at a negative coordinate is not stored."""
    store = f"%before = subi %x, %one : tile<i32>\n{STORE.replace('[%x, ', '[%before, ')}"
    module = compiled(product(store=store), "nvgpu")
    assert len(stores_by_threads(module)) == 1
    arguments, exact = matrices(130, 136, 72)
    expected = arguments[2].copy()
    expected[:128] = 0
    expected[:66] = exact[64:]
    run(module, grid=(3, 5), args=arguments, sm_count=sm_count, check=True)
    np.testing.assert_array_equal(arguments[2], expected)


def test_only_the_last_tile():
    """Without TMA stores, CTAs with one tile each are right, and others store the last one only."""
    module = compiled(product(), "nvgpu")
    for op in list(module.walk()):
        if isinstance(op, BulkTensorStoreOp):
            op.detach()
    arguments, exact = matrices(130, 136, 72)
    run(module, grid=(3, 5), args=arguments, sm_count=15)
    np.testing.assert_array_equal(arguments[2], exact)
    arguments, exact = matrices(130, 136, 72)
    before = arguments[2].copy()
    run(module, grid=(3, 5), args=arguments, sm_count=4)
    for number in range(15):
        rows = slice(64 * (number % 3), 64 * (number % 3) + 64)
        columns = slice(32 * (number // 3), 32 * (number // 3) + 32)
        is_last = number + 4 >= 15
        expected = exact if is_last else before
        np.testing.assert_array_equal(arguments[2][rows, columns], expected[rows, columns])


@pytest.mark.parametrize(
    "store",
    [
        # Two stores of a tile, in order.
        f"{SCALE}\n{SCALED}\n{AGAIN}",
        # A sum by TMA.
        f"%done = atomic_red_view_tko relaxed device %view_c[%x, %y], addf, %sum : "
        f"{SUM}, {VIEWS['c']}, tile<i32> -> token",
    ],
    ids=["twice", "atomic"],
)
def test_tma_stores_all_tiles(store: str):
    """What threads write is in no order with what TMA writes."""
    assert not stores_by_threads(compiled(product(store=store), "nvgpu"))


@pytest.mark.parametrize(
    ("name", "count"),
    [("matmul_partial_128x128x64", 1), ("matmul_128x256x64", 0), ("matmul_128x128x64", 0)],
    ids=["one", "large", "pairs"],
)
def test_kernels_of_the_benchmark(name: str, count: int):
    """Large tiles, and kernels that compute tile blocks in pairs, keep the code that they have."""
    module = load(BENCHMARKS / f"{name}.tileirbc")
    run_steps(module, select_steps(to="nvgpu"), "sm_90a", "host-maps")
    assert len(stores_by_threads(module)) == count


def test_lanes_wait_for_each_other():
    """A lane reads what others of its warp have written."""
    module = compiled(product(), "nvgpu")
    (block,) = stores_by_threads(module)
    (barrier,) = (op for op in block.ops if isinstance(op, BarWarpSyncOp))
    barrier.detach()
    arguments, _ = matrices(130, 136, 72)
    with pytest.raises(ExecutionError, match="race"):
        run(module, grid=(3, 5), args=arguments, sm_count=2, check=True)
