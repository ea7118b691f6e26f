"""
CTAs that share tile blocks give what those give that do whole ones, bit for bit, at every stage;
every iteration of every tile block is done once, whatever the grid, the GPU and the trip count.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl import load, run
from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.backend.launch_record import LaunchRecord
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, SelectOp
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    COARSENED,
    SINGLE_TILE_BLOCKS,
    STREAM_K,
    WHOLE_TILE_BLOCKS,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.workspace import (
    FLAG_BYTES,
    WorkspaceLoadOp,
    WorkspaceStoreOp,
)
from tileiras_xdsl.dialects.nvgpu.persistence import get_workspace
from tileiras_xdsl.interpreter import ExecutionError, turns
from tileiras_xdsl.interpreter.arguments import launch_of
from tileiras_xdsl.interpreter.threads import run as thread_runs
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.common.abi import WORKSPACE_FLAGS
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import workspace
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.accesses import Order
from tileiras_xdsl.transforms.tileas import tileas_coarsen_tile_blocks, tileas_stream_k
from tileiras_xdsl.transforms.tileas.kernel_model import stream_k
from tileiras_xdsl.transforms.tileas.kernel_model.persistence import find_persistent_loop
from tileiras_xdsl.transforms.tileas.tileas_stream_k import StreamKRewriter
from tileiras_xdsl.xdsl_extras.structure import last_of
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import context
from ..harness.passes import lower_through
from .test_tileas_coarsen_tile_blocks import GROUP, GROUPED, ROWS_FIRST, Program
from .test_tileas_dynamic_persistent import matrices
from .test_warpgroup_kernels import Attention, as_arguments

tile_runs = import_module("tileiras_xdsl.interpreter.run")

PASS = "tileas-stream-k"
ARCH = "sm_90a"
HOST, DEVICE = "host-maps", "device-maps"
SIDE = 128
GANG, LEAST_CYCLES = tileas_stream_k.GANG, stream_k.LEAST_CYCLES
LEAST_ITERATIONS = tileas_coarsen_tile_blocks.LEAST_ITERATIONS

SINGLE = Program(row="%row", column="%row")
"""Tile blocks have no operand that another needs, or all of them."""

Stages = Mapping[str, ModuleOp]


def kernel_before(text: str, name: str, abi: str = HOST) -> FuncOp:
    """A kernel in front of a pass."""
    module = load(text)
    for step in select_steps(arch=ARCH):
        if step.name == name:
            break
        make_pass(step, ARCH, abi).apply(context(), module)
    (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
    return kernel


def kernel_after(text: str, abi: str = HOST) -> FuncOp:
    """A kernel behind the pass."""
    kernel = kernel_before(text, "tileas-order-tile-blocks", abi)
    kernel.verify()
    return kernel


# Who does what


def divided(a: int, b: int) -> int:
    """A loop without iterations would have -1 in front of its last one, and steps of 1."""
    assert b > 0
    return -1 if (a, b) == (-1, 1) else a // b


def least(a: int, b: int) -> int:
    return min(a, b)


def most(a: int, b: int) -> int:
    return max(a, b)


def chosen(condition: int, a: int, b: int) -> int:
    return a if condition else b


ARITHMETIC: Mapping[str, Callable[..., int]] = {
    "arith.index_cast": int,
    "nv_tileaa.assume": int,
    "arith.addi": int.__add__,
    "arith.subi": int.__sub__,
    "arith.muli": int.__mul__,
    "arith.divui": divided,
    "arith.shrui": int.__rshift__,
    "arith.minsi": least,
    "arith.maxsi": most,
    "arith.andi": int.__and__,
    "arith.select": chosen,
}
PREDICATES = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
"""By their numbers; all are signed."""
QUERIES = {
    "gpu.block_id": "index",
    "gpu.grid_dim": "ctas",
    "nv_tileaa.get_index_space_shape": "count",
}


class Evaluator:
    """Computes scalars of a kernel on numbers of Python, which i32 hold."""

    def __init__(self, kernel: FuncOp, index: int, total: int, ctas: int, count: int):
        self.index, self.ctas, self.count = index, ctas, count
        *_, x, y, z, _, idle = kernel.body.block.args
        self.values: dict[SSAValue, int] = {x: total, y: 1, z: 1, idle: -total % ctas}
        self.block, self.outer = kernel.body.block, self

    def inside(self, block: Block, arguments: Sequence[int]) -> Evaluator:
        """That of a block, whose arguments are known."""
        made = copy(self)
        made.block, made.outer = block, self
        made.values = dict(zip(block.args, arguments, strict=True))
        return made

    def __getitem__(self, value: SSAValue) -> int:
        if value not in self.values:
            op = value.owner
            if not self.block.is_ancestor(op):
                return self.outer[value]
            assert isinstance(op, Operation), value
            self.values.update(zip(op.results, self.results_of(op), strict=True))
        number = self.values[value]
        assert -(1 << 31) <= number < 1 << 31, f"{value.owner} wraps"
        return number

    def results_of(self, op: Operation) -> list[int]:
        if (query := QUERIES.get(op.name)) is not None:
            return [getattr(self, query)] * len(op.results)
        numbers = [self[value] for value in op.operands]
        match op:
            case scf.IfOp():
                region = op.true_region if numbers[0] else op.false_region
                return [self[value] for value in last_of(region.block).operands]
            case arith.ConstantOp(value=IntegerAttr() as number):
                return [number.value.data]
            case CmpiOp():
                return [int(PREDICATES[op.predicate.value.data](*numbers))]
            case _:
                return [ARITHMETIC[op.name](*numbers)]


class Unit(NamedTuple):
    """What a CTA does at a time: iterations of a tile block."""

    tile_block: int
    begin: int
    end: int


@dataclass(frozen=True)
class Division:
    """The code that says what a CTA does, of a kernel behind the pass."""

    kernel: FuncOp

    @staticmethod
    def make(program: Program = SINGLE) -> Division:
        kernel = kernel_after(program.text)
        assert STREAM_K.is_on(kernel)
        assert COARSENED.is_on(kernel) == (program is not SINGLE)
        return Division(kernel)

    def units_of(
        self, index: int, total: int, ctas: int, count: int, differs: Container[int] = ()
    ) -> list[Unit]:
        """All that a CTA does; what the first of a pair, of some pairs, shares nothing with."""
        outside = Evaluator(self.kernel, index, total, ctas, count)
        loop = find_persistent_loop(self.kernel)
        assert loop is not None
        if not COARSENED.is_on(self.kernel):
            return [*self.single_units(loop, outside)]
        units: list[Unit] = []
        for number in range(outside[loop.lb], outside[loop.ub], outside[loop.step]):
            values = outside.inside(loop.body.block, [number])
            test, branch = (op for op in loop.body.block.ops if isinstance(op, scf.IfOp))
            assert branch.cond is test.results[0]
            jammed = branch.true_region.block
            pair = [values[op.results[0]] for op in jammed.ops if isinstance(op, AssumeOp)]
            if values[test.cond] and pair[0] not in differs:
                assert len(pair) == 2
                units += (Unit(each, 0, count) for each in pair)
            else:
                (singles,) = (
                    op for op in branch.false_region.block.ops if isinstance(op, scf.ForOp)
                )
                units += self.single_units(singles, values)
        return units

    def single_units(self, loop: scf.ForOp, outside: Evaluator) -> Iterator[Unit]:
        """What the loop over single tile blocks does."""
        body = loop.body.block
        (main,) = (op for op in body.ops if isinstance(op, scf.ForOp))
        carried = [outside[value] for value in loop.iter_args]
        for number in range(outside[loop.lb], outside[loop.ub], outside[loop.step]):
            values = outside.inside(body, [number, *carried])
            assumed = next(op for op in body.ops if isinstance(op, AssumeOp))
            yield Unit(values[assumed.results[0]], values[main.lb], values[main.ub])
            carried = [values[value] for value in last_of(body).operands]


def grouped(group: int) -> Program:
    """Tile blocks by groups of so many rows: those that are as far apart share operand A."""
    return Program(place=GROUPED.replace(f"<i32: {GROUP}>", f"<i32: {group}>"))


@pytest.fixture(scope="module", params=[1, 2, 8])
def gang(request: pytest.FixtureRequest) -> Iterator[int]:
    """CTAs of gangs, and any trip count that is divided."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tileas_stream_k, "GANG", request.param)
        patch.setattr(stream_k, "LEAST_CYCLES", 1)
        yield request.param


@pytest.fixture(scope="module")
def division(gang: int) -> Division:
    return Division.make()


@pytest.fixture(scope="module", params=[ROWS_FIRST, grouped(2), grouped(8), grouped(3)])
def paired(gang: int, request: pytest.FixtureRequest) -> Iterator[Division]:
    """Kernels that also compute pairs of tile blocks, 1, 2, 8 and 3 apart, from 2 iterations on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tileas_coarsen_tile_blocks, "LEAST_ITERATIONS", 2)
        yield Division.make(request.param)


def check(
    division: Division, total: int, ctas: int, count: int, differs: Container[int] = ()
) -> bool:
    """Every iteration is done once, in order; whether CTAs share tile blocks."""
    gang = tileas_stream_k.GANG
    done: dict[int, list[tuple[int, int]]] = {}
    handed: dict[tuple[int, int], int] = {}
    longest = 0
    for index in range(ctas):
        units = division.units_of(index, total, ctas, count, differs)
        assert all(unit.begin < unit.end or count == 0 for unit in units)
        longest = max(longest, sum(unit.end - unit.begin for unit in units))
        for unit in units:
            if unit.begin > 0:
                # The CTA that began with it has done so before, and has a smaller index.
                assert handed.pop((index - gang, unit.tile_block)) == unit.begin
            if unit.end < count:
                assert unit.begin == 0
                handed[index, unit.tile_block] = unit.end
            done.setdefault(unit.tile_block, []).append((unit.begin, unit.end))
        # It hands over before it waits: so nobody waits for somebody who waits for somebody …
        stops = [number for number, unit in enumerate(units) if unit.end < count]
        resumes = [number for number, unit in enumerate(units) if unit.begin > 0]
        assert not stops or not resumes or stops[0] < resumes[0]
        assert max(len(stops), len(resumes)) <= 1
    assert not handed
    assert sorted(done) == list(range(total))
    for parts in done.values():
        (first, middle), *rest = sorted(parts)
        assert first == 0
        assert rest == ([] if middle == count else [(middle, count)])
    assert longest <= -(-total // ctas) * count
    return any(len(parts) > 1 for parts in done.values())


@pytest.mark.every(7, first=6)
@pytest.mark.parametrize("count", [0, 1, 2, 5, 16])
def test_every_iteration_is_done_once(division: Division, count: int):
    shared = [
        check(division, total, ctas, count)
        for ctas in (1, 2, 3, 7, 8, 11, 16, 18)
        for total in (*range(ctas, 3 * ctas + 2), 4 * ctas + 6, 9 * ctas - 1)
    ]
    assert any(shared) == (count > 1)


@pytest.mark.every(6, first=2)
def test_every_iteration_is_done_once_beside_pairs(paired: Division):
    """Whether pairs share an operand or not."""
    random = Random(0)
    shared = [
        check(paired, total, ctas, count, {n for n in range(total) if random.random() < wrong})
        for ctas in (1, 2, 3, 8, 11, 16)
        for total in (*range(ctas, 2 * ctas + 2, 3), 4 * ctas + 8, 7 * ctas + 3)
        for count, wrong in ((0, 0), (1, 0.5), (2, 0), (2, 0.5), (5, 0), (7, 0.5))
    ]
    assert any(shared)


def test_sizes_of_benchmarks(monkeypatch: pytest.MonkeyPatch):
    """On 132 SMs, with the costs that were measured."""
    monkeypatch.setattr(tileas_stream_k, "GANG", GANG)
    monkeypatch.setattr(stream_k, "LEAST_CYCLES", LEAST_CYCLES)
    division = Division.make()
    assert not check(division, 512, 132, 64)  # 4096x4096x4096: the last wave is nearly full
    assert check(division, 4096, 132, 1024)
    assert not check(division, 132 * 8, 132, 1024)
    assert not check(division, 100, 100, 1024)
    assert not check(division, 4096, 132, 1 << 20)  # more than an i32 counts


def test_pairs_of_benchmarks(monkeypatch: pytest.MonkeyPatch):
    """8192x8192x8192 on 132 SMs: 15 pairs for each CTA, and the rest is shared."""
    monkeypatch.setattr(tileas_stream_k, "GANG", GANG)
    monkeypatch.setattr(stream_k, "LEAST_CYCLES", LEAST_CYCLES)
    monkeypatch.setattr(tileas_coarsen_tile_blocks, "LEAST_ITERATIONS", LEAST_ITERATIONS)
    division = Division.make(grouped(8))
    assert check(division, 4096, 132, 128)
    for index in (0, 77, 131):
        units = division.units_of(index, 4096, 132, 128)
        whole = [unit.tile_block for unit in units[:30]]
        assert whole[1::2] == [number + (8 if number < 3952 else 4) for number in whole[::2]]
        assert sum(unit.end - unit.begin for unit in units[30:]) == (136 if index < 128 else 0)
    # A main loop that is too short for pairs, and one that is too short to be divided.
    assert division.units_of(5, 4096, 132, 47)[:2] == [Unit(5, 0, 47), Unit(137, 0, 47)]
    assert division.units_of(5, 1024, 132, 16)[:2] == [Unit(5, 0, 16), Unit(137, 0, 16)]


@pytest.mark.long
def test_no_more_ctas_than_flags():
    """Of 256 threads each."""
    division = Division.make()
    most = WORKSPACE_FLAGS // (256 * FLAG_BYTES)
    assert check(division, 3 * most + most // 2, most, 512)
    assert not check(division, 3 * (most + GANG) + most // 2, most + GANG, 512)


def test_a_cut_that_is_wrong_is_found(division: Division, monkeypatch: pytest.MonkeyPatch):
    def longer(self: StreamKRewriter, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(arith.MaxSIOp(first, second)).result

    monkeypatch.setattr(StreamKRewriter, "minus", longer)
    with pytest.raises(AssertionError):
        check(Division.make(), 40, 16, 16)


def test_pairs_of_what_is_divided_are_found(monkeypatch: pytest.MonkeyPatch):
    limit = StreamKRewriter.limit_pairs

    def forget(
        self: StreamKRewriter, paired: arith.MinSIOp, share: tileas_stream_k.Share, before: Block
    ) -> SSAValue:
        end = limit(self, paired, share, before)
        paired.operands[1] = paired.lhs
        return end

    monkeypatch.setattr(StreamKRewriter, "limit_pairs", forget)
    monkeypatch.setattr(tileas_coarsen_tile_blocks, "LEAST_ITERATIONS", LEAST_ITERATIONS)
    with pytest.raises(AssertionError):
        check(Division.make(grouped(8)), 4096, 132, 128)


# Results


@pytest.fixture(scope="module", params=[(1, 1), (2, 1), (1, 48)], ids=str)
def stages(request: pytest.FixtureRequest) -> Stages:
    """Gangs of one or two CTAs, with pairs of tile blocks and without."""
    gang, least_iterations = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tileas_stream_k, "GANG", gang)
        patch.setattr(stream_k, "LEAST_CYCLES", 1)
        patch.setattr(tileas_coarsen_tile_blocks, "LEAST_ITERATIONS", least_iterations)
        lowered = lower_through(
            load(Program().text), "tileas", "nvgpu", "nvvm", arch=ARCH, abi=HOST
        )
    return {**lowered}


def random_matrices(m: int, n: int, k: int) -> list[Any]:
    """Numbers whose sums are rounded, so that another order of additions shows."""
    random = np.random.default_rng(m * n + k)
    a, b = (random.normal(size=size).astype(np.float16) for size in ((m, k), (k, n)))
    return [a, b, np.full((m, n), np.nan, np.float16), m, n, k]


def grid_of(m: int, n: int) -> int:
    return -(-m // SIDE) * -(-n // SIDE)


@pytest.mark.every(6)
@pytest.mark.parametrize("sm_count", [2, 4, 5])
@pytest.mark.parametrize(
    "shape", [(640, 136, 160), (384, 392, 96), (136, 648, 192), (1024, 648, 96)]
)
def test_the_same_bits(stages: Stages, shape: tuple[int, int, int], sm_count: int):
    grid = grid_of(*shape[:2])
    expected, found = random_matrices(*shape), random_matrices(*shape)
    # One CTA for each tile block has nothing to share.
    run(stages["tileas"], grid=grid, args=expected, sm_count=grid)
    run(stages["tileas"], grid=grid, args=found, sm_count=sm_count)
    np.testing.assert_array_equal(found[2], expected[2])


@pytest.mark.every(3, first=1)
@pytest.mark.parametrize("stage", ["nvgpu", "nvvm"])
def test_threads(stages: Stages, stage: str):
    """A pair of tile blocks for each of three CTAs, and four tile blocks that they share."""
    shape = (640, 136, 64)
    grid, sm_count = grid_of(*shape[:2]), 3
    arguments, exact = matrices(*shape, np.float16)
    run(stages[stage], grid=grid, args=arguments, sm_count=sm_count)
    np.testing.assert_array_equal(arguments[2], exact)


ATTENTION = Attention("f16", 128, 64, 128)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("stage", "blocks", "trips", "sm_count"),
    [("tileas", 5, 4, 2), ("tileas", 7, 3, 4), ("tileas", 3, 5, 2), ("nvgpu", 3, 3, 2)],
)
def test_attention(
    stage: str, blocks: int, trips: int, sm_count: int, monkeypatch: pytest.MonkeyPatch
):
    """What the main loop carries, the maximum and sum of rows, is handed over, too."""
    find = tileas_stream_k.find_stream_k

    def find_rescaled(function: FuncOp, *, rescaled: bool) -> stream_k.StreamK:
        assert not rescaled
        return find(function, rescaled=True)

    monkeypatch.setattr(tileas_stream_k, "find_stream_k", find_rescaled)
    lowered: Stages = {
        **lower_through(load(ATTENTION.text()), "tileas", "nvgpu", arch=ARCH, abi=HOST)
    }
    assert find_all(lowered["tileas"], WorkspaceLoadOp)
    random = np.random.default_rng(blocks)
    shapes = ((blocks * 128, 128), (trips * 64, 128), (trips * 64, 128))
    arrays = [random.normal(size=shape).astype(np.float16) / 4 for shape in shapes]

    def results(sm_count: int) -> Any:
        out = np.full(shapes[0], np.nan, np.float32)
        arguments = as_arguments([*arrays, out], trips)
        run(lowered[stage], grid=blocks, args=arguments, sm_count=sm_count, check=True)
        return out

    found = results(sm_count)
    np.testing.assert_array_equal(found, results(blocks))
    q, k, v = (each.astype(np.float64) for each in arrays)
    weights = np.exp2(q @ k.T)
    exact = weights @ v / weights.sum(1, keepdims=True)
    np.testing.assert_allclose(found, exact, atol=2e-3)


@pytest.mark.parametrize(
    ("rescaled", "width", "is_divided"),
    # Exponentials take half as long as WGMMAs, as long, or longer.
    [(True, 128, True), (True, 64, False), (True, 32, False), (False, 128, False)],
)
def test_attention_that_is_divided(rescaled: bool, width: int, is_divided: bool):
    kernel = kernel_before(replace(ATTENTION, width=width).text(), PASS)
    module = kernel.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    tileas_stream_k.TileasStreamKPass(rescaled=rescaled).apply(context(), module)
    assert STREAM_K.is_on(kernel) == is_divided
    if not is_divided:
        reason = WHOLE_TILE_BLOCKS.get(kernel)
        assert reason is not None
        assert reason.data == "threads compute with what the main loop carries"


def test_attention_that_carries_a_scalar():
    """Workspaces have tiles only."""
    tiles = "tile<128xf32>, tile<128xf32>, tile<128x128xf32>"
    text = ATTENTION.text().replace("%top, %all, %sum = for", "%top, %all, %sum, %last = for")
    text = text.replace(
        f"%o0 = %nothing) -> ({tiles})", f"%o0 = %nothing, %e0 = %n) -> ({tiles}, tile<i32>)"
    )
    text = text.replace(
        f"continue %m1, %l2, %o2 : {tiles}",
        f"""%square = muli %e0, %e0 : tile<i32>
      %e1 = addi %square, %t : tile<i32>
      continue %m1, %l2, %o2, %e1 : {tiles}, tile<i32>""",
    )
    text = text.replace(
        "%result = divf %sum,",
        """%added = itof %last signed : tile<i32> -> tile<f32>
    %single = reshape %added : tile<f32> -> tile<1x1xf32>
    %spread = broadcast %single : tile<1x1xf32> -> tile<128x128xf32>
    %total = addf %sum, %spread : tile<128x128xf32>
    %result = divf %total,""",
    )
    kernel = kernel_before(text, PASS)
    module = kernel.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    tileas_stream_k.TileasStreamKPass(rescaled=True).apply(context(), module)
    reason = WHOLE_TILE_BLOCKS.get(kernel)
    assert reason is not None
    assert reason.data == "the main loop carries scalars, which are not handed over"


@pytest.mark.parametrize("accumulates", [False, True])
def test_threads_side_by_side(accumulates: bool, monkeypatch: pytest.MonkeyPatch):
    """Flags put stores in order with loads of another CTA, and what it read before them."""
    monkeypatch.setattr(tileas_stream_k, "GANG", 1)
    monkeypatch.setattr(stream_k, "LEAST_CYCLES", 1)
    text = Program(accumulates=accumulates).text
    module = lower_through(load(text), "nvgpu", arch=ARCH, abi=HOST)["nvgpu"]
    arguments, exact = matrices(264, 128, 96, np.float16)
    arguments[2][:] = 0
    run_threads(module, grid=3, args=arguments, sm_count=2, side_by_side=True)
    np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.parametrize("bug", ["relaxed store", "relaxed load", "no wait"])
def test_flags_that_order_nothing_are_found(bug: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tileas_stream_k, "GANG", 1)
    monkeypatch.setattr(stream_k, "LEAST_CYCLES", 1)
    if bug == "no wait":
        monkeypatch.setattr(workspace.Slot, "wait_for_flag", lambda _: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    else:
        name = "RELEASE" if bug == "relaxed store" else "ACQUIRE"
        monkeypatch.setattr(workspace, name, Order("relaxed", "gpu"))
    module = lower_through(load(Program().text), "nvgpu", arch=ARCH, abi=HOST)["nvgpu"]
    arguments, _ = matrices(264, 128, 96, np.float16)
    with pytest.raises(ExecutionError, match=r"race: thread .* of workspace, written by thread"):
        run_threads(module, grid=3, args=arguments, sm_count=2, side_by_side=True)


# Kernels that use the same workspace


class SharedWorkspace:
    """One for all launches, in which at first nothing but flags is zero."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.memory: np.ndarray[Any, Any] = np.full(WORKSPACE_FLAGS + (1 << 20), 0xFF, np.uint8)
        self.flags, self.tiles = np.split(self.memory, [WORKSPACE_FLAGS])
        self.flags[:] = 0
        for module in (tile_runs, thread_runs):
            monkeypatch.setattr(module, "launch_of", self.launch_of)

    def launch_of(self, kernel: Operation, grid: Any, sm_count: int, **options: Any) -> Any:
        """What the interpreter would pass, but for the workspace."""
        sizes, (*asked, own, idle) = launch_of(kernel, grid, sm_count, **options)
        assert np.size(own) <= self.memory.size
        return sizes, (*asked, self.memory, idle)


@dataclass(frozen=True)
class Tiled:
    """A kernel whose tiles have other sizes."""

    rows: int
    columns: int

    def lower(self, *stages: Any) -> Stages:
        text = ROWS_FIRST.text.replace("128x128", f"{self.rows}x{self.columns}")
        text = text.replace("32x128", f"32x{self.columns}").replace("128x32", f"{self.rows}x32")
        return {**lower_through(load(text), *stages, arch=ARCH, abi=HOST)}

    def run(self, module: ModuleOp, blocks: tuple[int, int], depth: int, sm_count: int) -> None:
        """So many tile blocks of so many iterations on so many SMs."""
        m, n = (count * size for count, size in zip(blocks, self.sizes, strict=True))
        arguments, exact = matrices(m, n, 32 * depth, np.float16)
        run(module, grid=blocks, args=arguments, sm_count=sm_count)
        np.testing.assert_array_equal(arguments[2], exact)

    @property
    def sizes(self) -> tuple[int, int]:
        return self.rows, self.columns


TILED = (Tiled(128, 128), Tiled(128, 64), Tiled(64, 64))
"""With slots of three sizes, and flags of 256 and 128 threads."""

LAUNCHES = ((0, (3, 2), 4), (1, (5, 1), 3), (2, (3, 3), 4), (0, (5, 1), 3), (2, (7, 1), 4))
"""A kernel, its tile blocks, and SMs."""


def run_in_turn(stage: Any, launches: Sequence[tuple[int, tuple[int, int], int]]) -> Iterator[None]:
    """Yields after each launch."""
    lowered = {number: TILED[number].lower(stage)[stage] for number, _, _ in launches}
    for number, blocks, sm_count in launches:
        TILED[number].run(lowered[number], blocks, 4, sm_count)
        yield


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few CTAs share tile blocks."""
    monkeypatch.setattr(tileas_stream_k, "GANG", 1)
    monkeypatch.setattr(stream_k, "LEAST_CYCLES", 1)


@pytest.mark.every(2)
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("stage", ["tileas", "nvgpu"])
def test_kernels_in_turn(stage: str, monkeypatch: pytest.MonkeyPatch):
    """Each launch clears the flags that it sets, and leaves tiles behind, which are no flags."""
    shared = SharedWorkspace(monkeypatch)
    before = shared.tiles.copy()
    for _ in run_in_turn(stage, LAUNCHES if stage == "tileas" else LAUNCHES[:3]):
        assert not shared.flags.any()
        assert (shared.tiles != before).any()
        before[:] = shared.tiles


def flags_behind_tiles(
    self: StreamKRewriter, workspace: SSAValue, index: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """Where they are no worse for one kernel: behind the tiles of each CTA."""
    wide = self.add(ExtSIOp(index, i64)).result
    size = self.wide_number(self.slot_bytes + self.flag_bytes)
    slot = self.move(workspace, self.add(arith.MuliOp(wide, size)).result)
    return slot, self.move(slot, self.wide_number(self.slot_bytes))


def flags_of_one_cta(
    self: StreamKRewriter, workspace: SSAValue, index: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """All CTAs have the same flags."""
    slot, _ = FIND_SLOT(self, workspace, index)
    return slot, workspace


def tiles_in_front(
    self: StreamKRewriter, workspace: SSAValue, index: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """Tiles begin where flags do."""
    slot, flags = FIND_SLOT(self, workspace, index)
    return self.move(slot, self.wide_number(-WORKSPACE_FLAGS)), flags


FIND_SLOT = StreamKRewriter.find_slot


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("bug", [flags_behind_tiles, flags_of_one_cta, tiles_in_front])
def test_flags_in_the_wrong_place_are_found(bug: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(StreamKRewriter, "find_slot", bug)
    if bug is flags_behind_tiles:
        assert list(run_in_turn("tileas", LAUNCHES)) == [None] * len(LAUNCHES)
    SharedWorkspace(monkeypatch)
    with pytest.raises(ExecutionError, match=r"stores tiles before|reads the same memory again"):
        list(run_in_turn("tileas", LAUNCHES))


@pytest.mark.every(3, first=1)
def test_launch_after_launch(stages: Stages, monkeypatch: pytest.MonkeyPatch):
    shared = SharedWorkspace(monkeypatch)
    for _ in range(2):
        arguments, exact = matrices(264, 136, 128, np.float16)
        run(stages["nvgpu"], grid=6, args=arguments, sm_count=4)
        np.testing.assert_array_equal(arguments[2], exact)
        assert (shared.tiles != 0xFF).any()
        assert not shared.flags.any()


@pytest.mark.every(3, first=2)
def test_order_of_ctas(stages: Stages):
    """A CTA that runs before the one that it waits for lets that run."""
    for seed in range(3):
        arguments, exact = matrices(384, 392, 160, np.float16)
        run(stages["tileas"], grid=12, args=arguments, sm_count=5, seed=seed, check=True)
        np.testing.assert_array_equal(arguments[2], exact)


def test_products_that_are_added(monkeypatch: pytest.MonkeyPatch):
    """Only one CTA of those that share a tile block reads and writes what is there."""
    monkeypatch.setattr(tileas_stream_k, "GANG", 1)
    monkeypatch.setattr(stream_k, "LEAST_CYCLES", 1)
    text = Program(accumulates=True).text
    module = lower_through(load(text), "tileas", arch=ARCH, abi=HOST)["tileas"]
    (a, b, c, *sizes), exact = matrices(392, 264, 160, np.float16)
    start: np.ndarray[Any, Any] = np.arange(392 * 264).reshape(392, 264) % 7
    c[:] = start
    run(module, grid=12, args=[a, b, c, *sizes], sm_count=5, check=True)
    np.testing.assert_array_equal(c, start + exact)


def test_two_ctas_that_store_a_tile_block_race(stages: Stages):
    """What is in order with tiles that are handed over is what was read, and no more."""
    module = stages["tileas"].clone()
    (store,) = (op for op in module.walk() if isinstance(op, WorkspaceStoreOp))
    branch, block = store.parent_op(), store.parent_block()
    assert isinstance(branch, scf.IfOp)
    assert block is not None
    copies: dict[SSAValue, SSAValue] = {}
    epilogue = [*branch.false_region.block.ops]
    block.insert_ops_before([op.clone(copies) for op in epilogue[:-1]], store)
    arguments, _ = matrices(640, 136, 160, np.float16)
    with pytest.raises(ExecutionError, match="in a race with"):
        run(module, grid=10, args=arguments, sm_count=4, check="races")


def test_processes(stages: Stages):
    """One that waits for tiles lets the CTA run that hands them over, whatever the order."""
    for seed in range(3):
        arguments, exact = matrices(384, 392, 160, np.float16)
        run(stages["tileas"], grid=12, args=arguments, sm_count=5, seed=seed, processes=2)
        np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.every(3, first=2)
def test_a_slot_that_nobody_fills_is_a_deadlock(stages: Stages, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "MOST_ROUNDS", 200)
    module = stages["tileas"].clone()
    (store,) = (op for op in module.walk() if isinstance(op, WorkspaceStoreOp))
    store.detach()
    arguments, _ = matrices(640, 136, 160, np.float16)
    with pytest.raises(ExecutionError, match="reads the same memory again and again"):
        run(module, grid=10, args=arguments, sm_count=4)


@pytest.mark.parametrize("program", [SINGLE, ROWS_FIRST], ids=["single", "paired"])
def test_where_loads_are_is_as_simple_as_before(program: Program):
    """It is known that iterations are as few as before: TMA coordinates of loads need no clamps."""
    ranges: list[list[tuple[int, int]]] = []
    for kernel in (kernel_before(program.text, PASS), kernel_after(program.text)):
        counters = [
            op.body.block.args[0]
            for op in kernel.walk()
            if isinstance(op, scf.ForOp) and any(isinstance(each, DotOp) for each in op.body.ops)
        ]
        axis_info = analyze(kernel)
        ranges.append([(axis_info[each].low, axis_info[each].high) for each in counters])
    before, after = ranges
    assert before == after
    assert before
    assert all(low == 0 for low, _ in before)


# Launches


def test_parameters(stages: Stages):
    """Their order: sizes of the grid, workspace, idle CTAs."""
    kernel = kernel_after(Program().text)
    names = [argument.name_hint for argument in kernel.body.block.args]
    assert names[-5:] == ["grid_x", "grid_y", "grid_z", "workspace", "idle_ctas"]
    # What 256 threads hold of a tile of 128x128.
    assert get_workspace(kernel) == 128 * 128 * 4


def test_idle_ctas():
    record = LaunchRecord("k", "sm_90a", (), (384, 1, 1), abi=HOST, persistent=1, workspace=128)
    assert record.idle_ctas((16, 128, 1), 132) == 64
    assert record.idle_ctas((132, 2, 1), 132) == 0
    assert record.idle_ctas((5, 1, 1), 132) == 0
    assert record.workspace_bytes(132) == WORKSPACE_FLAGS + 128 * 132
    assert replace(record, workspace=0).workspace_bytes(132) == 0


# Kernels that keep whole tile blocks

GROWING = """%first = constant <i32: 1> : tile<i32>
      %end = addi %x, %first : tile<i32>"""
"""Tile blocks have more iterations the larger their first coordinate is."""


def test_other_launchers_have_no_workspace():
    kernel = kernel_after(Program().text, DEVICE)
    assert not STREAM_K.is_on(kernel)
    assert not any(isinstance(op, WorkspaceLoadOp) for op in kernel.walk())


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (replace(ROWS_FIRST, place=GROWING, end="%end"), "CTAs do not take tile blocks in rounds"),
        (
            replace(ROWS_FIRST, hints="optimization_hints=<sm_90 = {num_cta_in_cga = 2}>"),
            "CTAs of clusters share loads",
        ),
    ],
    ids=["long and short ones in turn", "clusters"],
)
def test_reasons(program: Program, reason: str):
    kernel = kernel_after(program.text)
    assert not STREAM_K.is_on(kernel)
    assert WHOLE_TILE_BLOCKS.get(kernel) == StringAttr(reason)


def test_pairs_that_were_changed():
    """Another pass between the two may change what one looks for: then nothing is divided."""
    kernel = kernel_before(ROWS_FIRST.text, "tileas-stream-k", HOST)
    loops = [op for op in kernel.walk() if SINGLE_TILE_BLOCKS.is_on(op)]
    (singles,) = (op for op in loops if isinstance(op, scf.ForOp))
    assert isinstance(singles.ub.owner, SelectOp)
    singles.operands[1] = singles.ub.owner.rhs
    module = kernel.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    tileas_stream_k.TileasStreamKPass().apply(context(), module)
    assert not STREAM_K.is_on(kernel)
    reason = WHOLE_TILE_BLOCKS.get(kernel)
    assert reason is not None
    assert reason.data == "the loop over pairs of tile blocks is not as it was made"
