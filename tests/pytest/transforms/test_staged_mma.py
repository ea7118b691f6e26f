"""Dots by `mma.sync` whose tiles producer warps load by TMA: all levels compute the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp as TileDotOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncTiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGED, WARP_RELEASE
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ConsumerReleaseOp, CreatePipelineOp
from tileiras_xdsl.dialects.nvvm import BarWarpSyncOp, BulkTensorLoadOp, MBarrierArriveSharedOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import PIPELINE, make_pass, select_steps
from tileiras_xdsl.targets import target as targets
from tileiras_xdsl.targets.machine import KIB, ComputeCapability, SharedMemory
from tileiras_xdsl.targets.target import all_targets, target_of
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..adversarial.attacks import outcome
from ..adversarial.dot_loops import Shape, programs
from ..harness.cases import every
from ..harness.modules import context
from ..harness.passes import verified_steps
from ..harness.remarks import asked, told
from ..strategies.error_bounds import expected_results
from ..strategies.hopper_kernels import attention, gemm
from ..strategies.matmul_programs import SMALL, random_matmul

ARCH = "sm_120a"


def change_model(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Other numbers of the scheduling model."""
    target = target_of(ComputeCapability.parse(ARCH))
    assert target.mma_pipelining is not None
    changed = replace(target, mma_pipelining=replace(target.mma_pipelining, **changes))
    known = dict(all_targets())
    monkeypatch.setattr(targets, "_KNOWN", known | {ARCH: changed})


@pytest.fixture(autouse=True)
def small_ctas(monkeypatch: pytest.MonkeyPatch):
    """CTAs of few warps are staged, too: others take long on the CPU."""
    change_model(monkeypatch, min_warps=1)


def lower(module: ModuleOp, last: str, arch: str = ARCH) -> ModuleOp:
    """A module after a pass of the pipeline."""
    for step in select_steps(to="nvvm", arch=arch):
        make_pass(step, arch).apply(context(), module)
        if step.name == last:
            break
    return module


def product(tile: tuple[int, int, int], trips: int) -> tuple[str, list[Any], np.ndarray[Any, Any]]:
    """A kernel of one CTA, its arguments, and what it computes."""
    m, n, k = tile
    size = max(m, n, k * trips)
    generator = np.random.default_rng(m + n + k + trips)
    a, b = (generator.integers(-3, 4, (size, size)).astype(np.float16) for _ in range(2))
    bound = f"%trips_{trips}"
    text = gemm(tile, bound=bound).replace(
        "%start = constant", f"{bound} = constant <i32: {trips}> : tile<i32>\n    %start = constant"
    )
    expected = np.zeros((size, size), np.float32)
    wide = [each.astype(np.float32) for each in (a[:m, : k * trips], b[: k * trips, :n])]
    expected[:m, :n] = wide[0] @ wide[1]
    return text, [a, b, np.zeros((size, size), np.float32), size], expected


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("tile", "trips"), [((16, 32, 32), 1), ((32, 16, 64), 5), ((64, 64, 32), 3), ((16, 16, 16), 0)]
)
def test_all_levels_compute_the_same(tile: tuple[int, int, int], trips: int):
    text, arguments, expected = product(tile, trips)
    module = load(text)
    passes = "tileas-materialize-schedule", "convert-tileas-to-nvgpu", "convert-to-llvm"
    done = 0
    for step in verified_steps(module, select_steps(to="nvvm", arch=ARCH), ARCH):
        if step.name in passes:
            copies = [np.array(each) for each in arguments]
            run(module, grid=1, args=copies, check=True)
            np.testing.assert_array_equal(copies[2], expected, step.name)
            done += 1
    assert done == len(passes)


def test_a_single_stage(monkeypatch: pytest.MonkeyPatch):
    """Where shared memory has room for one stage, producer and consumers take turns."""
    change_model(monkeypatch, shared=SharedMemory(16 * KIB, 15 * KIB, static=15 * KIB))
    text, arguments, expected = product((32, 32, 64), 4)
    module = lower(load(text), "convert-tileas-to-nvgpu")
    run(module, grid=1, args=arguments, check=True)
    np.testing.assert_array_equal(arguments[2], expected)
    module = lower(load(text), "tileas-materialize-schedule")
    assert [op.get_num_stages() for op in find_all(module, CreatePipelineOp)] == [1]


def test_tiles_in_pieces(monkeypatch: pytest.MonkeyPatch):
    """Accumulators that threads have no registers for: one half after the other, K in halves."""
    small = SharedMemory(40 * KIB, 39 * KIB, static=39 * KIB)
    change_model(monkeypatch, max_accumulator_registers=16, min_row_bytes=64, shared=small)
    text, arguments, expected = product((128, 64, 64), 2)
    module = lower(load(text), "split-tiles")
    assert [get_shape(op.a.type) for op in find_all(module, TileDotOp)] == [(64, 32)]
    module = lower(load(text), "convert-tileas-to-nvgpu")
    assert find_all(module, BulkTensorLoadOp)
    run(module, grid=1, args=arguments, check=True)
    np.testing.assert_array_equal(arguments[2], expected)


def test_a_loop_around_loops_of_dots(monkeypatch: pytest.MonkeyPatch):
    """Threads load what it loads itself, here Q of each half."""
    change_model(monkeypatch, max_accumulator_registers=64)
    module = lower(asked(load(attention(64))), "tileas-materialize-schedule")
    assert len(find_all(module, CreatePipelineOp)) == 2
    assert told(module, kind="Passed", category="Tiles")


@pytest.mark.long
def test_attention_in_pieces(monkeypatch: pytest.MonkeyPatch):
    change_model(monkeypatch, max_accumulator_registers=64)
    text = attention(64).replace("[%n, 64]", "[%rows, 64]")
    text = text.replace(
        "%n: tile<i32>) {", "%n: tile<i32>) {%rows = constant <i32: 128> : tile<i32>"
    )
    generator = np.random.default_rng(0)
    arguments: list[Any] = [generator.normal(size=(128, 64)).astype(np.float16) for _ in range(3)]
    results: list[np.ndarray[Any, Any]] = []
    for module in (load(text), lower(load(text), "sink-scalars")):
        result = np.zeros((128, 64), np.float16)
        run(module, grid=1, args=[*arguments, result, 1], check=True)
        results.append(result)
    np.testing.assert_allclose(results[1], results[0], rtol=4e-3)


def test_scalars_of_agents(monkeypatch: pytest.MonkeyPatch):
    """Each agent computes its own, if registers are reallocated."""
    change_model(monkeypatch, overhead_registers=255)
    text, arguments, expected = product((64, 64, 32), 3)
    module = lower(load(text), "convert-tileas-to-nvgpu")
    before = str(module)
    make_pass(next(step for step in PIPELINE if step.name == "sink-scalars"), ARCH).apply(
        context(), module
    )
    assert str(module) != before
    module.verify()
    run(module, grid=1, args=arguments, check=True)
    np.testing.assert_array_equal(arguments[2], expected)


@pytest.mark.part("sweeps")
@pytest.mark.every(2)
@pytest.mark.parametrize("seed", every(2, [3, 7, 16, 21]))
def test_random_products(seed: int):
    program = random_matmul(seed, SMALL)
    results = expected_results(program.module, program.grid, program.arguments())
    module = lower(program.module.clone(), "convert-tileas-to-nvgpu")
    arguments: list[Any] = program.arguments()
    run(module, grid=program.grid, args=arguments, check=True)
    for number, found in results.items():
        assert not found.wrong_in(arguments[number]).any(), number


def test_which_kernels_are_staged():
    module = lower(load(attention(64)), "tileas-materialize-schedule")
    pipelines = find_all(module, CreatePipelineOp)
    assert len(pipelines) == 2
    assert all(map(WARP_RELEASE.is_on, pipelines))
    assert not find_all(module, AsyncTiledLoadOp)


@pytest.mark.parametrize(
    ("text", "arch"),
    [
        (gemm((128, 128, 64)), "sm_89"),
        (gemm((128, 128, 64)), "sm_90a"),
        (gemm((128, 128, 64), divisor=2), ARCH),
        (gemm((128, 128, 64), padding="nan"), ARCH),
        (gemm((64, 64, 64)), "sm_121a"),
    ],
    ids=["no TMA", "WGMMA", "unaligned", "padding", "few warps"],
)
def test_which_kernels_are_not(text: str, arch: str):
    module = lower(load(text), "tileas-generate-schedule", arch)
    assert not any(STAGED.is_on(op) for op in module.walk())


def run_on_copies(module: ModuleOp, arguments: list[Any]) -> None:
    """Runs a kernel of one CTA, with all checks."""
    run(module, grid=1, args=[np.array(each) for each in arguments], check=True)


@pytest.mark.parametrize("trips", [0, 3])
def test_tiles_that_only_later_iterations_use(trips: int):
    """No stage holds them: nothing in their iteration waits for them."""
    shape = Shape(64, 64, 32)
    text, arguments = (
        programs(shape)["operands of the iteration before only"],
        shape.arguments(trips),
    )
    module = lower(load(text), "convert-tileas-to-nvgpu")
    expected = outcome(load(text), arguments, grid=1, check=True)
    assert outcome(module, arguments, grid=1, check=True) == expected


def test_a_stage_that_is_released_before_it_is_read():
    text, arguments, _ = product((32, 32, 32), 14)
    module = lower(load(text), "tileas-insert-barriers")
    (release,) = find_all(module, ConsumerReleaseOp)
    (dot,) = find_all(module, DotOp)
    release.detach()
    Rewriter.insert_op(release, InsertPoint.before(dot))
    make_pass(next(step for step in PIPELINE if step.stage == "nvgpu"), ARCH).apply(
        context(), module
    )
    with pytest.raises(ExecutionError, match="race"):
        run_on_copies(module, arguments)


@pytest.mark.part("kernels")
def test_a_stage_that_a_lane_releases_while_others_may_read_it():
    text, arguments, _ = product((32, 32, 32), 14)
    module = lower(load(text), "convert-tileas-to-nvgpu")
    syncs = [
        op
        for op in find_all(module, BarWarpSyncOp)
        if isinstance(op.next_op, scf.IfOp) and find_all(op.next_op, MBarrierArriveSharedOp)
    ]
    assert syncs
    run_on_copies(module, arguments)
    for op in syncs:
        Rewriter.erase_op(op)
    with pytest.raises(ExecutionError, match="race"):
        run_on_copies(module, arguments)


def test_targets():
    for name in ("sm_120", "sm_120a", "sm_121a"):
        target = target_of(ComputeCapability.parse(name))
        assert target.mma_pipelining is not None
        assert target.mma_pipelining.shared.opt_in == 99 * 1024
        assert target.mma_pipelining.min_warps == 8 or name == ARCH
        assert target.has("tma.cta")
