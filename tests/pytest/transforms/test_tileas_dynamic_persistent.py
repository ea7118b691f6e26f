"""
Persistent kernels give what the others give, at every stage, however many CTAs are
launched; others are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

import tileiras_xdsl
from tileiras_xdsl import load
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.backend.launch_record import Abi
from tileiras_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr
from tileiras_xdsl.dialects.nv_tileaa.decisions import INVARIANT
from tileiras_xdsl.dialects.nv_tileaa.memory import GdcWaitOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.atoms import is_copied
from tileiras_xdsl.dialects.nv_tileas.decisions import DRAINED, EARLY_RETURN, MULTICAST
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp, find_resident_ctas
from tileiras_xdsl.dialects.nvgpu.types import PERSISTENT, get_persistent_ctas
from tileiras_xdsl.dialects.nvvm import (
    BULK_TENSOR_LOADS,
    BulkTensorLoadOp,
    ClusterArriveOp,
    MBarrierArriveClusterOp,
    MBarrierTryWaitParitySharedOp,
)
from tileiras_xdsl.driver.compiler.compiled import Compiled, KernelWarning
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.pipeline import MODULE_STAGES, ModuleStage, make_pass, select_steps
from tileiras_xdsl.transforms.tileas import tileas_dynamic_persistent
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import halve

from ..harness.cases import covering
from ..harness.modules import context
from ..harness.passes import lower_through, run_steps
from ..harness.remarks import asked, messages

LOADS = (BulkTensorLoadOp, *BULK_TENSOR_LOADS.values())
PASS = "tileas-dynamic-persistent"
DEVICE = "device-maps"
BENCHMARKS = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode"
ROWS, COLUMNS, DEPTH = TILE = (64, 32, 64)

FACTOR = "tensor_view<?x?xf16, strides=[?,1]>"
RESULT = "tensor_view<?x?xf32, strides=[?,1]>"
VIEWS = {
    "a": f"partition_view<tile=({ROWS}x{DEPTH}), {FACTOR}>",
    "b": f"partition_view<tile=({DEPTH}x{COLUMNS}), {FACTOR}>",
    "c": f"partition_view<tile=({ROWS}x{COLUMNS}), {RESULT}>",
}
SUM = f"tile<{ROWS}x{COLUMNS}xf32>"
STORE = (
    f"%done = store_view_tko weak %sum, %view_c[%x, %y] : {SUM}, {VIEWS['c']}, tile<i32> -> token"
)


def product(
    hints: str = "",
    end: str = "%steps#1",
    first: str = "%zero",
    before: str = "",
    store: str = STORE,
) -> str:
    """A program that multiplies matrices."""
    operands = [f"tile<{ROWS}x{DEPTH}xf16>", f"tile<{DEPTH}x{COLUMNS}xf16>"]
    loads = [
        f"%tile_{name}, %token_{name} = load_view_tko weak %view_{name}[{place}] : "
        f"{VIEWS[name]}, tile<i32> -> {ty}, token"
        for name, place, ty in zip("ab", ("%x, %i", "%i, %y"), operands, strict=True)
    ]
    return f"""
    entry @product(%a0: tile<ptr<f16>>, %b0: tile<ptr<f16>>, %c0: tile<ptr<f32>>, %m: tile<i32>,
                   %n0: tile<i32>, %k0: tile<i32>) {hints} {{
      %a = assume div_by<16>, %a0 : tile<ptr<f16>>
      %b = assume div_by<16>, %b0 : tile<ptr<f16>>
      %c = assume div_by<16>, %c0 : tile<ptr<f32>>
      %n1 = assume bounded<0, ?>, %n0 : tile<i32>
      %k1 = assume bounded<0, ?>, %k0 : tile<i32>
      %n = assume div_by<8>, %n1 : tile<i32>
      %k = assume div_by<8>, %k1 : tile<i32>
      %tensor_a = make_tensor_view %a, shape = [%m, %k], strides = [%k, 1] : tile<i32> -> {FACTOR}
      %tensor_b = make_tensor_view %b, shape = [%k, %n], strides = [%n, 1] : tile<i32> -> {FACTOR}
      %tensor_c = make_tensor_view %c, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {RESULT}
      %view_a = make_partition_view %tensor_a : {VIEWS["a"]}
      %view_b = make_partition_view %tensor_b : {VIEWS["b"]}
      %view_c = make_partition_view %tensor_c : {VIEWS["c"]}
      %x, %y, %z = get_tile_block_id : tile<i32>
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %steps:2 = get_index_space_shape %view_a : {VIEWS["a"]} -> tile<i32>
      %start = constant <f32: 0.0> : {SUM}
      {before}
      %sum = for %i in ({first} to {end}, step %one) : tile<i32>
          iter_values(%partial = %start) -> ({SUM}) {{
        {loads[0]}
        {loads[1]}
        %next = mmaf %tile_a, %tile_b, %partial : {", ".join(operands)}, {SUM}
        continue %next : {SUM}
      }}
      {store}
      return
    }}"""


def compiled(text: str | Path, to: Any = "tileas", abi: str = "host-maps") -> ModuleOp:
    """A program at a stage."""
    module = asked(load(text))
    run_steps(module, select_steps(to=to), "sm_90a", abi)
    module.verify()
    return module


def after_pass(text: str | Path, abi: str = "host-maps") -> FuncOp:
    """A kernel behind the pass."""
    module = asked(load(text))
    for step in select_steps():
        make_pass(step, "sm_90a", abi).apply(context(), module)
        if step.name == PASS:
            break
    module.verify()
    (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
    return kernel


def compiled_code(text: str, abi: Abi) -> Compiled:
    return tileiras_xdsl.compile(text, gpu="sm_90a", abi=abi, cache=False, isolate=False)


def matrices(
    m: int, n: int, k: int, result: type[np.floating[Any]] = np.float32
) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """Arguments, and what their product is, in small whole numbers."""
    generator = np.random.default_rng(m * n * k)
    a = generator.integers(-4, 5, (m, k)).astype(np.float16)
    b = generator.integers(-4, 5, (k, n)).astype(np.float16)
    exact = a.astype(np.float32) @ b.astype(np.float32)
    return [a, b, np.full((m, n), np.nan, result), m, n, k], exact


def grid_of(m: int, n: int) -> tuple[int, int]:
    return -(-m // ROWS), -(-n // COLUMNS)


# Results


Stages = Mapping[str, ModuleOp]
FROM_THE_PASS_ON = MODULE_STAGES[2:]


def at_stages(text: str, abi: str, stages: Sequence[ModuleStage] = FROM_THE_PASS_ON) -> Stages:
    return {**lower_through(load(text), *stages, arch="sm_90a", abi=abi)}


@pytest.fixture(scope="module")
def stages() -> Stages:
    """The program at all stages from the pass on."""
    return at_stages(product(), "host-maps")


@pytest.fixture(scope="module")
def resident() -> Stages:
    """The same, launched by anybody."""
    return at_stages(product(), DEVICE)


@pytest.fixture(scope="module", params=["host-maps", DEVICE])
def either(request: pytest.FixtureRequest, stages: Stages, resident: Stages) -> Stages:
    return resident if request.param == DEVICE else stages


@pytest.mark.every(22)
@pytest.mark.parametrize("stage", FROM_THE_PASS_ON)
@pytest.mark.parametrize("shape", [(200, 72, 136), (64, 32, 8), (130, 104, 200)])
def test_matmuls(either: Stages, stage: str, shape: tuple[int, int, int]):
    arguments, exact = matrices(*shape)
    run(either[stage], grid=grid_of(*shape[:2]), args=arguments)
    np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.part("kernels")
@pytest.mark.every(16, first=14)
@pytest.mark.parametrize("sm_count", [1, 3, 5, 100])
@pytest.mark.parametrize("stage", ["tileas", "nvgpu"])
def test_any_number_of_ctas(either: Stages, stage: str, sm_count: int):
    arguments, exact = matrices(130, 72, 72)
    run(either[stage], grid=(3, 3), args=arguments, sm_count=sm_count)
    np.testing.assert_array_equal(arguments[2], exact)


def test_tile_blocks_outside_of_the_grid_are_not_done(either: Stages):
    arguments, exact = matrices(128, 64, 64)
    run_threads(either["nvgpu"], grid=(1, 2), args=arguments, sm_count=4)
    np.testing.assert_array_equal(arguments[2][:ROWS], exact[:ROWS])
    assert np.isnan(arguments[2][ROWS:]).all()


def test_what_else_the_launcher_passes_is_no_argument(stages: Stages):
    arguments, _ = matrices(64, 32, 8)
    for stage, module in stages.items():
        with pytest.raises(ExecutionError, match="takes 6 arguments, but got 9"):
            run(module, grid=1, args=[*arguments, 1, 1, 1])
        if stage != "tileas":
            continue
        with pytest.raises(ExecutionError, match="a device has SMs, but got 0"):
            run(module, grid=1, args=arguments, sm_count=0)


SHAPE = "%gx, %gy, %gz = get_num_tile_blocks : tile<i32>"
REVERSED = f"""{SHAPE}
  %last = subi %gx, %one : tile<i32>
  %row = subi %last, %x : tile<i32>
  %is_first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
"""
NESTED = f"""if %is_first {{
    %u, %v, %w = get_tile_block_id : tile<i32>
    %gu, %gv, %gw = get_num_tile_blocks : tile<i32>
    %end_u = subi %gu, %one : tile<i32>
    %sum_u = subi %end_u, %u : tile<i32>
    %t0 = store_view_tko weak %sum, %view_c[%sum_u, %v] : {SUM}, {VIEWS["c"]}, tile<i32> -> token
  }} else {{
    %t1 = store_view_tko weak %sum, %view_c[%row, %y] : {SUM}, {VIEWS["c"]}, tile<i32> -> token
  }}
"""


@pytest.mark.every(4, first=3)
@pytest.mark.parametrize("stage", ["tileas", "nvgpu"])
@pytest.mark.parametrize(
    ("abi", "marks"), [("host-maps", [PERSISTENT.name]), (DEVICE, ["resident_ctas", "sreg.nsmid"])]
)
def test_sizes_of_the_grid_and_inner_blocks(abi: str, marks: list[str], stage: str):
    module = compiled(product(before=REVERSED, store=NESTED), stage, abi)
    assert any(mark in str(module) for mark in marks)
    arguments, exact = matrices(192, 64, 64)
    run(module, grid=(3, 2), args=arguments)
    expected = exact.reshape(3, ROWS, 64)[::-1].reshape(192, 64)
    np.testing.assert_array_equal(arguments[2], expected)


# Tile blocks that take longer than others


MORE = "%end = addi %x, %one : tile<i32>"
LESS = f"{SHAPE}\n%end = subi %gx, %x : tile<i32>"
ALONG_Y = "%end = addi %y, %one : tile<i32>"


def trips(before: str, x: int, y: int, grid: tuple[int, int]) -> int:
    """How many tiles of the operands are multiplied."""
    return {MORE: x + 1, LESS: grid[0] - x, ALONG_Y: y + 1}[before]


@pytest.mark.every(10, first=5)
@pytest.mark.parametrize("stage", ["tileas", "nvgpu"])
@pytest.mark.parametrize(("abi", "before"), covering(["host-maps", DEVICE], [MORE, LESS, ALONG_Y]))
def test_tile_blocks_that_take_longer(abi: str, before: str, stage: str):
    """Each CTA takes a tile block, and the one that is as far from the other end."""
    module = compiled(product(before=before, end="%end"), stage, abi)
    for grid in ((3, 3), (2, 2)) if stage == "tileas" else ((3, 1),):
        m, n, k = grid[0] * ROWS, grid[1] * COLUMNS, max(grid) * DEPTH
        for sm_count in (2, 100) if stage == "tileas" else (2,):
            arguments, _ = matrices(m, n, k)
            run(module, grid=grid, args=arguments, sm_count=sm_count)
            a, b, found = (each.astype(np.float32) for each in arguments[:3])
            for x in range(grid[0]):
                for y in range(grid[1]):
                    depth = trips(before, x, y, grid) * DEPTH
                    rows = slice(x * ROWS, (x + 1) * ROWS)
                    columns = slice(y * COLUMNS, (y + 1) * COLUMNS)
                    exact = a[rows, :depth] @ b[:depth, columns]
                    np.testing.assert_array_equal(found[rows, columns], exact)


def test_longer_tile_blocks_of_grids_that_cannot_be_counted(monkeypatch: pytest.MonkeyPatch):
    """Each CTA does its own tile block."""
    monkeypatch.setattr(tileas_dynamic_persistent, "COUNTABLE", 2)
    module = compiled(product(before=MORE, end="%end"), abi=DEVICE)
    arguments, _ = matrices(3 * ROWS, COLUMNS, 3 * DEPTH)
    run(module, grid=(3, 1), args=arguments, sm_count=1)
    assert not np.isnan(arguments[2]).any()


# Kernels


def test_one_loop_around_what_depends_on_the_tile_block():
    kernel = after_pass(product())
    (loop,) = (op for op in kernel.body.block.ops if isinstance(op, scf.ForOp))
    outside = [op.name for op in kernel.body.block.ops]
    assert outside.count("nv_tileaa.make_memref") == 3
    assert [argument.name_hint for argument in kernel.body.block.args[-3:]] == [
        *("grid_x", "grid_y", "grid_z")
    ]
    assert not {"gpu.block_id", "gpu.grid_dim"} & {op.name for op in loop.walk()}
    assert get_persistent_ctas(kernel) == 1


def test_hint_of_occupancy():
    text = product("optimization_hints=<sm_90 = {occupancy = 2}>")
    assert get_persistent_ctas(after_pass(text)) == 2
    residents = find_resident_ctas(after_pass(text, DEVICE))
    assert residents is not None
    assert residents.ctas_per_sm.value.data == 2


ATOMIC = (
    f"{STORE}\n%old, %t = atomic_rmw_tko relaxed device %counter, add, %one : "
    "tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
)
COUNTER = "%counter = ptr_to_ptr %c : tile<ptr<f32>> -> tile<ptr<i32>>"
WAIT = """%waited = loop iter_values(%w = %zero) : tile<i32> -> tile<i32> {
    %count, %t = load_ptr_tko acquire device %counter : tile<ptr<i32>> -> tile<i32>, token
    %there = cmpi not_equal %count, %zero, signed : tile<i32> -> tile<i1>
    if %there {
      break %count : tile<i32>
    }
    continue %count : tile<i32>
  }
"""


ROUND = "%end = remi %x, %m signed : tile<i32>"
"""Not all tile blocks have the same work, and which have more is not known."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(product(before=ROUND, end="%end"), id="work that nobody knows"),
        pytest.param(
            product(before=SHAPE, first="%x").replace("step %one", "step %gx"), id="own loop"
        ),
        pytest.param(product(before=COUNTER, store=ATOMIC), id="atomics"),
        pytest.param(product(before=f"{COUNTER}\n{WAIT}"), id="waits"),
    ],
)
@pytest.mark.parametrize("abi", ["host-maps", DEVICE])
def test_kernels_that_are_left_alone(text: str, abi: str):
    kernel = after_pass(text, abi)
    assert "mma.sm90" in str(kernel)
    assert not PERSISTENT.is_on(kernel)
    assert find_resident_ctas(kernel) is None
    assert len(kernel.body.block.args) == 6


def test_gathered_rows():
    """Producer threads copy them, by numbers that nothing in the kernel changes."""
    kernel = after_pass(BENCHMARKS / "matmul_grouped_128x128x64.tileirbc", DEVICE)
    assert "mma.sm90" in str(kernel)
    assert find_resident_ctas(kernel) is not None
    (load,) = (op for op in kernel.walk() if is_copied(op))
    (index,) = (op for op in backward_slice(load.operands) if isinstance(op, TiledLoadOp))
    assert INVARIANT.is_on(index)


def batch_of_one() -> str:
    """The program with operands, sums and products of rank 3."""
    a, b = f"tile<{ROWS}x{DEPTH}xf16>", f"tile<{DEPTH}x{COLUMNS}xf16>"
    batch_a, batch_b, batch = (ty.replace("<", "<1x") for ty in (a, b, SUM))
    text = product(store=f"%sum = reshape %batch : {batch} -> {SUM}\n{STORE}")
    for old, new in (
        (f"%start = constant <f32: 0.0> : {SUM}", f"%start = constant <f32: 0.0> : {batch}"),
        ("%sum = for", "%batch = for"),
        (f"-> ({SUM}) {{", f"-> ({batch}) {{"),
        (
            f"%next = mmaf %tile_a, %tile_b, %partial : {a}, {b}, {SUM}",
            f"""%batch_a = reshape %tile_a : {a} -> {batch_a}
        %batch_b = reshape %tile_b : {b} -> {batch_b}
        %next = mmaf %batch_a, %batch_b, %partial : {batch_a}, {batch_b}, {batch}""",
        ),
        (f"continue %next : {SUM}", f"continue %next : {batch}"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


@pytest.mark.every(2)
@pytest.mark.parametrize("stage", ["tileas", "nvgpu"])
def test_a_batch_of_one(stage: ModuleStage):
    """The loop carries sums without their batch: MMAs stay in flight, as without a batch."""
    module = compiled(batch_of_one(), stage)
    if stage == "tileas":
        (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
        assert get_persistent_ctas(kernel) == 1
    arguments, exact = matrices(130, 72, 200)
    run(module, grid=grid_of(130, 72), args=arguments, sm_count=2, check=True)
    np.testing.assert_array_equal(arguments[2], exact)


def test_batched_matmuls_are_the_same_with_dots_of_rank_3():
    """A program that reshapes what it loads, and one that multiplies tiles of rank 3."""
    kernels = [
        after_pass(BENCHMARKS / f"matmul_batched_{name}.tileirbc")
        for name in ("128x256x64", "rank3")
    ]
    assert [get_persistent_ctas(kernel) for kernel in kernels] == [1, 1]
    carried = [
        [result.type for op in kernel.walk() if isinstance(op, scf.ForOp) for result in op.results]
        for kernel in kernels
    ]
    assert carried[0] == carried[1]


def test_clusters_that_cannot_be_had():
    """The kernel is persistent without them, and says why."""
    kernel = after_pass(product("optimization_hints=<sm_90 = {num_cta_in_cga = 4}>"))
    assert get_persistent_ctas(kernel) == 1
    said = "num_cta_in_cga = 4 is ignored, clusters have 2 CTAs"
    assert messages(kernel, category="Hints") == [said]
    assert "num_ctas" not in str(kernel.attributes[KernelSpecAttr.name])


def test_kernels_that_are_neither_persistent_nor_in_clusters():
    kernel = after_pass(product(PAIRS, before=ROUND, end="%end"))
    assert not PERSISTENT.is_on(kernel)
    (said,) = messages(kernel, category="Hints")
    assert said.endswith("is ignored, the trip count of a loop depends on the tile block")


@pytest.mark.parametrize("abi", ["host-maps", DEVICE])
def test_once_is_enough(abi: str):
    kernel = after_pass(product(), abi)
    module = kernel.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    before = str(module)
    (step,) = (step for step in select_steps() if step.name == PASS)
    make_pass(step, "sm_90a", abi).apply(context(), module)
    assert str(module) == before


# Launches of others


def test_others_launch_all_tile_blocks():
    kernel = after_pass(product(), DEVICE)
    assert not PERSISTENT.is_on(kernel)
    assert len(kernel.body.block.args) == 6
    (loop,) = (op for op in kernel.body.block.ops if isinstance(op, scf.ForOp))
    assert EARLY_RETURN.is_on(loop)
    assert not {"gpu.block_id", "gpu.grid_dim"} & {op.name for op in loop.walk()}


@pytest.mark.every(16)
@pytest.mark.parametrize("stage", FROM_THE_PASS_ON)
@pytest.mark.parametrize(
    ("grid", "sm_count"), [((5, 1), 3), ((1, 7), 2), ((2, 2, 2), 3), ((2, 2, 2), 8), ((1, 1), 4)]
)
def test_each_tile_block_is_done_once(
    resident: Stages, stage: str, grid: tuple[int, ...], sm_count: int
):
    """Also those beyond the matrix, of which nothing is stored."""
    arguments, exact = matrices(130, 72, 72)
    run(resident[stage], grid=grid, args=arguments, sm_count=sm_count)
    rows, columns = grid[:2]
    done = arguments[2][: rows * ROWS, : columns * COLUMNS]
    np.testing.assert_array_equal(done, exact[: rows * ROWS, : columns * COLUMNS])
    assert np.isnan(arguments[2]).sum() == arguments[2].size - done.size


def test_ctas_without_work_set_nothing_up(resident: Stages):
    """They neither build tensor maps nor initialize mbarriers."""
    (kernel,) = (op for op in resident["nvgpu"].walk() if isinstance(op, FuncOp))
    *outside, work, _ = kernel.body.block.ops
    assert isinstance(work, scf.IfOp)
    assert {"nvgpu.tma.encode.descriptor", "gpu.barrier"} <= {op.name for op in work.walk()}
    dialects = {op.name.partition(".")[0] for op in outside}
    assert dialects <= {"arith", "gpu", "nvvm", "llvm", "vector"}
    assert all(op.has_trait(Pure) or op.name.startswith(("gpu.", "nvvm.sh")) for op in outside)


@pytest.mark.part("kernels")
@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(("stage", "sm_count"), covering(["tileas", "nvgpu"], [1, 2, 4]))
def test_no_tile_block_is_done_twice(accumulating: Stages, stage: str, sm_count: int):
    (a, b, c, *sizes), exact = matrices(130, 72, 72)
    start: np.ndarray[Any, Any] = np.arange(130 * 72).reshape(130, 72) % 7
    c[:] = start
    run(accumulating[stage], grid=(3, 3), args=[a, b, c, *sizes], sm_count=sm_count)
    np.testing.assert_array_equal(c, start + exact)


@pytest.fixture(scope="module")
def accumulating() -> Stages:
    """A program that adds to its result."""
    return at_stages(product(store=IN_PLACE), DEVICE, ("tileas", "nvgpu"))


@pytest.mark.every(2)
@pytest.mark.parametrize("stage", ["tileas", "nvgpu"])
def test_grids_that_cannot_be_counted(stage: str, monkeypatch: pytest.MonkeyPatch):
    """Then each CTA does its own tile block."""
    monkeypatch.setattr(tileas_dynamic_persistent, "COUNTABLE", 8)
    module = compiled(product(), stage, DEVICE)
    arguments, exact = matrices(130, 72, 72)
    run(module, grid=(3, 3), args=arguments, sm_count=2)
    np.testing.assert_array_equal(arguments[2], exact)


def test_side_by_side(resident: Stages):
    """CTAs that run at the same time do not race."""
    arguments, exact = matrices(128, 64, 72)
    run_threads(resident["nvgpu"], grid=(2, 2), args=arguments, side_by_side=True)
    np.testing.assert_array_equal(arguments[2], exact)


# Clusters

PAIRS = "optimization_hints=<sm_90 = {num_cta_in_cga = 2}>"


@pytest.fixture(scope="module")
def pairs() -> Stages:
    """The program with pairs of CTAs that share what they load."""
    return at_stages(product(PAIRS), "host-maps")


@pytest.mark.every(14)
@pytest.mark.parametrize("sm_count", [1, 4, 100])
@pytest.mark.parametrize("stage", FROM_THE_PASS_ON)
@pytest.mark.parametrize("shape", [(130, 72, 136), (64, 32, 8), (200, 32, 72)])
def test_matmuls_of_pairs(pairs: Stages, stage: str, shape: tuple[int, int, int], sm_count: int):
    arguments, exact = matrices(*shape)
    grid = grid_of(*shape[:2])
    run(pairs[stage], grid=grid, args=arguments, sm_count=sm_count)
    np.testing.assert_array_equal(arguments[2], exact)


def test_each_of_a_pair_loads_a_half_for_both(pairs: Stages):
    loads = [op for op in pairs["tileas"].walk() if isinstance(op, TiledLoadOp)]
    shared = [MULTICAST.is_on(load) for load in loads]
    # Both need the same tile of A, or the same tile of B, or none.
    assert shared == [True, False, False, True, False, False]
    copies = [op for op in pairs["nvgpu"].walk() if isinstance(op, LOADS)]
    assert [op.multicast_mask is not None for op in copies] == shared


def test_both_ctas_of_a_pair_wait_for_other_grids():
    """Also one behind the grid, which stores nothing: it loads for the other."""
    wait = "%ready = gdc_wait_tko token=%begin -> token"
    text = product(PAIRS, before=f"%begin = make_token : token\n{wait}")
    for place in ("%view_a[%x, %i]", "%view_b[%i, %y]"):
        text = text.replace(f"weak {place}", f"weak {place} token=%ready")
    kernel = after_pass(text)
    (waiting,) = (op for op in kernel.walk() if isinstance(op, GdcWaitOp))
    assert isinstance(waiting.parent_op(), scf.ForOp)
    module = compiled(text)
    waits = [op for op in module.walk() if isinstance(op, GdcWaitOp)]
    # That of the producer warp, and that of the others.
    assert [isinstance(op.parent_op(), scf.ForOp) for op in waits] == [True, True]


def test_barriers_of_pairs_order_what_is_over(pairs: Stages):
    """
    An arrival on a barrier of another CTA releases for no other CTA by itself, which takes long.
    Only WGMMAs read buffer stages, and they are waited for before.
    """
    ops = list(pairs["nvgpu"].walk())
    arrivals = [op.scope for op in ops if isinstance(op, MBarrierArriveClusterOp)]
    assert arrivals == [None] * len(arrivals) != []
    assert not any(op.scope for op in ops if isinstance(op, MBarrierTryWaitParitySharedOp))


@pytest.mark.parametrize("stage", ["nvgpu", "nvvm"])
def test_pairs_of_a_grid_with_fewer_tile_blocks(pairs: Stages, stage: str):
    """What is behind the grid is not stored, though there is room for it."""
    arguments, exact = matrices(256, 32, 64)
    run_threads(pairs[stage], grid=(3, 1), args=arguments, sm_count=2)
    np.testing.assert_array_equal(arguments[2][: 3 * ROWS], exact[: 3 * ROWS])
    assert np.isnan(arguments[2][3 * ROWS :]).all()


FEW_COLUMNS = f"partition_view<tile=(64x8), {FACTOR}, dim_map=[1, 0]>"
STACKED = "tensor_view<?x32x?xf16, strides=[?,?,1]>"
"""A matrix as matrices of 32 rows."""
STACKED_ROWS = f"partition_view<tile=(2x32x64), {STACKED}>"


def with_few_columns() -> str:
    """Operand B that lies transposed in memory, in tiles of 8 lines."""
    text = product(PAIRS).replace(VIEWS["b"], FEW_COLUMNS).replace("64x32", "64x8")
    return text.replace(
        "shape = [%k, %n], strides = [%n, 1]", "shape = [%n, %k], strides = [%k, 1]"
    )


def with_stacked_rows() -> str:
    """Operand A of three dimensions, none of which is 1."""
    before = f"""%rows = constant <i32: 32> : tile<i32>
      %count = divi %m, %rows signed : tile<i32>
      %far0 = muli %k, %rows : tile<i32>
      %far1 = assume bounded<0, ?>, %far0 : tile<i32>
      %far = assume div_by<8>, %far1 : tile<i32>
      %stack = make_tensor_view %a, shape = [%count, 32, %k], strides = [%far, %k, 1] :
          tile<i32> -> {STACKED}
      %view_s = make_partition_view %stack : {STACKED_ROWS}"""
    load = f"""%tile_s, %token_a = load_view_tko weak %view_s[%x, %zero, %i] : {STACKED_ROWS},
          tile<i32> -> tile<2x32x64xf16>, token
        %tile_a = reshape %tile_s : tile<2x32x64xf16> -> tile<64x64xf16>"""
    old = re.search("%tile_a, %token_a = .*", text := product(PAIRS, before=before))
    assert old is not None
    return text.replace(old[0], load)


@pytest.mark.every(2)
@pytest.mark.parametrize("stage", ["nvgpu", "nvvm"])
def test_tiles_that_are_not_halved(stage: str):
    """A pair in which both need the same tile of B, which has too few lines."""
    module = compiled(with_few_columns(), stage)
    (a, b, c, *sizes), exact = matrices(192, 16, 72)
    transposed = np.ascontiguousarray(b.T)
    run_threads(module, grid=(3, 2), args=[a, transposed, c, *sizes], sm_count=4)
    np.testing.assert_array_equal(c, exact)
    masks = {op.multicast_mask is not None for op in module.walk() if isinstance(op, LOADS)}
    assert stage == "nvvm" or masks == {False, True}


@pytest.mark.every(2)
@pytest.mark.parametrize("stage", ["nvgpu", "nvvm"])
def test_halves_of_tiles_of_three_dimensions(stage: str):
    module = compiled(with_stacked_rows(), stage)
    masks = [op.multicast_mask for op in module.walk() if isinstance(op, LOADS)]
    assert any(mask is not None for mask in masks)
    arguments, exact = matrices(64, 96, 72)
    run_threads(module, grid=(1, 3), args=arguments, sm_count=4)
    np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.parametrize(
    ("tile", "strides", "halves"),
    [
        ("128x64xf16", "?, 1", (64, 64)),
        ("16x64xf16", "?, 1", (8, 64)),
        ("8x64xf16", "?, 1", None),
        ("8x128xf16", "?, 1", (8, 64)),
        ("8x32xf16", "?, 1", None),
        ("16x8xf16", "?, 1", (8, 8)),
        ("8x8xf16", "?, 1", None),
        ("1x64xf16", "?, 1", None),
        ("64x16xf16", "1, ?", (64, 8)),
        ("2x32x64xf16", "?, ?, 1", (1, 32, 64)),
        ("1x32x64xf16", "?, ?, 1", (1, 16, 64)),
        ("16x1x64xf16", "?, ?, 1", (8, 1, 64)),
        ("512x64xf16", "?, 1", (256, 64)),
    ],
)
def test_halves(tile: str, strides: str, halves: tuple[int, ...] | None):
    shape, _, element = tile.rpartition("x")
    sizes = "x".join("?" * len(shape.split("x")))
    memref = f"!nv_tileaa.memref<{sizes}x{element}, strides = [{strides}]>"
    view = Parser(context(), f"!nv_tileaa.tiled_view<{shape}, {memref}>").parse_attribute()
    assert isinstance(view, TiledViewType)
    tiling = TmaTiling.of(view)
    assert tiling is not None
    found = halve(tiling)
    assert (found and found.box) == halves


IN_PLACE = f"""%old, %read = load_view_tko weak %view_c[%x, %y] :
          {VIEWS["c"]}, tile<i32> -> {SUM}, token
      %more = addf %old, %sum rounding<nearest_even> : {SUM}
      %done = store_view_tko weak %more, %view_c[%x, %y] token = %read :
          {SUM}, {VIEWS["c"]}, tile<i32> -> token"""

CARRIED = f"""%d = for %q in (%zero to %m, step %one) : tile<i32>
          iter_values(%at = %c) -> (tile<ptr<f32>>) {{
        %further = offset %at, %q : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
        continue %further : tile<ptr<f32>>
      }}
      %tensor_d = make_tensor_view %d, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {RESULT}
      %view_d = make_partition_view %tensor_d : {VIEWS["c"]}"""
FROM_CARRIED = IN_PLACE.replace("%view_c", "%view_d", 1)


@pytest.mark.every(3, first=2)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (product(PAIRS, before=REVERSED, store=NESTED), "tiled_store' is in a loop or a branch"),
        # The last tile block may be computed twice, and only one of both stores.
        (product(PAIRS, store=IN_PLACE), "tiled_load' reads what the kernel writes"),
        (
            product(PAIRS, before=CARRIED, store=FROM_CARRIED),
            "tiled_load' reads what the kernel writes",
        ),
    ],
)
def test_hints_that_are_not_met(text: str, reason: str):
    said = f"num_cta_in_cga = 2 is ignored, 'nv_tileas.{reason}"
    with pytest.warns(KernelWarning, match=said):
        result = compiled_code(text, "host-maps")
    assert result.launch_record.cluster == (1, 1, 1)
    assert result.launch_record.persistent == 1


def find_arrivals(module: ModuleOp) -> list[Operation]:
    """Arrivals at the barrier of the cluster."""
    return [op for op in module.walk() if isinstance(op, ClusterArriveOp)]


def run_pairs(module: ModuleOp, k: int = 136, seed: int | None = None) -> None:
    arguments, exact = matrices(130, 72, k)
    timing = "late" if seed is None else "random"
    grid = grid_of(130, 72)
    run_threads(module, grid, arguments, entry="product", sm_count=4, seed=seed, timing=timing)
    np.testing.assert_array_equal(arguments[2], exact)


TOO_LATE = "may still reach its shared memory|whose CTA has ended"


def find_tail(module: ModuleOp) -> scf.ForOp:
    """The loop in which a producer waits until all stages are empty."""
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    return [
        loop
        for loop in loops
        if not any(isinstance(op, LOADS) for op in loop.walk())
        and isinstance(loop.body.block.last_op, scf.YieldOp)
        and any(isinstance(op, MBarrierTryWaitParitySharedOp) for op in loop.walk())
    ][-1]


@pytest.mark.part("kernels")
def test_barriers_of_a_cluster(pairs: Stages):
    """
    There is one: it lets CTAs know that mbarriers are initialized. In the end a producer waits for
    its empty barriers, so that nobody arrives on them later.
    """
    module = pairs["nvgpu"].clone()
    assert len(find_arrivals(module)) == 1
    tail = find_tail(module)
    for value, start in zip(tail.results, tail.iter_args, strict=True):
        value.replace_all_uses_with(start)
    tail.detach()
    for seed in (None, 1, 2):
        with pytest.raises(ExecutionError, match=TOO_LATE):
            run_pairs(module, seed=seed)


@pytest.mark.every(8)
@pytest.mark.parametrize("trips", [0, 1, 2, 3, 7, 8, 9, 12])
def test_ends_of_pairs(pairs: Stages, trips: int):
    """Whether all buffer stages were filled, some, or none, and how many rounds there were."""
    for seed in (None, trips):
        run_pairs(pairs["nvgpu"], trips * DEPTH, seed)


@pytest.mark.part("kernels")
@pytest.mark.parametrize("trips", [1, 9])
def test_a_stage_that_is_not_waited_for_is_found(pairs: Stages, trips: int):
    """Each one counts: the producer waits for all but that which was filled last."""
    module = pairs["nvgpu"].clone()
    tail = find_tail(module)
    one = arith.ConstantOp(IntegerAttr(1, i32))
    fewer = arith.SubiOp(tail.ub, one)
    Rewriter.insert_op([one, fewer], InsertPoint.before(tail))
    tail.operands[1] = fewer.result
    for seed in (None, 1):
        with pytest.raises(ExecutionError, match=TOO_LATE):
            run_pairs(module, trips * DEPTH, seed)


@pytest.mark.part("kernels")
def test_pairs_that_do_not_drain_pipelines_meet(pairs: Stages):
    """A producer that does not say that it waits: CTAs meet before they end."""
    module = pairs["tileas"].clone()
    (switch,) = (op for op in module.walk() if isinstance(op, AgentSwitchOp))
    assert DRAINED.is_on(switch)
    DRAINED.drop(switch)
    run_steps(
        module, select_steps(to="nvgpu")[len(select_steps(to="tileas")) :], "sm_90a", "host-maps"
    )
    assert len(find_arrivals(module)) == 2
    run_pairs(module)


@pytest.mark.part("kernels")
def test_record_of_pairs():
    result = compiled_code(product(PAIRS), "host-maps")
    assert result.launch_record.cluster == (2, 1, 1)
    assert "multicast::cluster" in result.ptx
    needed = "clusters that multicast loads need --abi host-maps and -O3"
    with pytest.warns(KernelWarning, match=f"ignored, every tile has one CTA: {needed}"):
        result = compiled_code(product(PAIRS), "device-maps")
    assert result.launch_record.cluster == (1, 1, 1)


# Launches


@pytest.mark.every(2)
@pytest.mark.parametrize(("abi", "ctas"), [("host-maps", 1), ("device-maps", 0)])
def test_record(abi: Abi, ctas: int):
    names = ["a0", "b0", "c0", "m", "n0", "k0"]
    result = compiled_code(product(), abi)
    record = result.launch_record
    assert (record.abi, record.persistent) == (abi, ctas)
    assert [parameter.name for parameter in record.parameters] == names
    head = re.search(r"\.entry[^{]*", result.ptx)
    assert head is not None
    # Sizes of the grid, and nothing that outlives a launch: launches may overlap.
    added = 3 * ctas + len(record.tensor_maps)
    assert head[0].count(".param") == len(names) + added
