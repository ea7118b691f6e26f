"""
Random programs of products, as agents of tiles, compute what they must; schedules that users wrote
are checked.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from tileiras_xdsl import load
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps

from ..harness.modules import context
from ..harness.passes import run_steps
from ..strategies.error_bounds import expected_results
from ..strategies.hopper_kernels import gemm
from ..strategies.matmul_programs import SMALL, random_matmul

ARCH = "sm_90a"
ABIS = ("device-maps", "host-maps")
PASS = "tileas-materialize-schedule"
SEEDS = 42
PARTS = 3


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.parametrize("part", range(PARTS))
def test_agents_compute_what_they_must(part: int):
    agents = 0
    for seed in range(part, SEEDS, PARTS):
        program = random_matmul(seed, SMALL)
        module = program.module.clone()
        for step in select_steps(to="tileas"):
            make_pass(step, ARCH, ABIS[seed % 2]).apply(context(), module)
            if step.name == PASS:
                break
        module.verify()
        agents += any(op.name == "nv_tileas.async.pipeline.agent_switch" for op in module.walk())
        arguments: list[Any] = program.arguments()
        run(module, grid=program.grid, args=arguments)
        results = expected_results(program.module, program.grid, program.arguments())
        for number, found in results.items():
            assert not found.wrong_in(arguments[number]).any(), f"seed {seed}, argument {number}"
    assert agents


STAGES, WARPS = "stages = [3]", "producer_warps = 1"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (STAGES, "stages = []", "has no pipeline 0"),
        (STAGES, 'stages = ["3"]', "Expected integer literal"),
        (STAGES, "stages = [40]", r"needs \d+ bytes of shared memory, but sm_90a has 232448"),
        (WARPS, "producer_warps = 0", "needs producer_warps, a positive number"),
        (WARPS, "registers = [24, 240]", "needs stages, producer_warps"),
        (STAGES, f"{STAGES}, registers = [24]", "registers of a producer and of a consumer"),
    ],
)
def test_schedules_of_users(old: str, new: str, message: str):
    names = [step.name for step in select_steps(to="nvgpu")]
    module = load(gemm())
    apply(module, 0, names.index(PASS))
    text = str(module)
    assert old in text
    with pytest.raises((DiagnosticException, ParseError, VerifyException), match=message):
        apply(load(text.replace(old, new)), names.index(PASS), len(names))


@pytest.mark.part("kernels")
@pytest.mark.every(4)
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_any_number_of_stages(stages: int):
    """The producer must not wait for stages that are only released behind the next WGMMA."""
    names = [step.name for step in select_steps(to="nvgpu")]
    module = load(gemm((64, 32, 32)))
    apply(module, 0, names.index(PASS))
    text, count = re.subn(r"stages = \[\d+\]", f"stages = [{stages}]", str(module))
    assert count == 1
    edited = load(text)
    apply(edited, names.index(PASS), len(names))
    a, b = (np.random.default_rng(n).normal(size=(48, 48)).astype("f2") for n in range(2))
    c = np.full((48, 48), np.nan, "f4")
    run(edited, grid=(1, 2), args=[a, b, c, 48], check=True)
    assert np.abs(c - a.astype("f8") @ b.astype("f8")).max() < 1e-3


@pytest.mark.parametrize(
    ("tile", "stages"), [((128, 256, 64), 3), ((128, 256, 128), 2), ((256, 256, 128), 2)]
)
def test_loads_are_double_buffered(tile: tuple[int, int, int], stages: int):
    """Stores take no shared memory that a second stage of the loads needs."""
    names = [step.name for step in select_steps(to="nvgpu")]
    module = load(gemm(tile))
    apply(module, 0, names.index(PASS))
    assert f"stages = [{stages}]" in str(module)


def apply(module: ModuleOp, first: int, end: int) -> None:
    """Passes of the pipeline, by their numbers."""
    run_steps(module, select_steps(to="nvgpu")[first:end], ARCH, "host-maps")


def test_scratch_memory_of_pointers():
    """A tile of pointers that changes its layout beside a product of warpgroups."""
    view, tensor = "tile=(64x64)", "tensor_view<64x64xf16, strides=[64,1]>"
    text = f"""
    entry @kernel(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>) {{
      %zero = constant <i32: 0> : tile<i32>
      %base = assume div_by<16>, %a : tile<ptr<f16>>
      %view = make_tensor_view %base, shape = [64, 64], strides = [64, 1] : {tensor}
      %tiles = make_partition_view %view : partition_view<{view}, {tensor}>
      %one = constant <i32: 1> : tile<i32>
      %none = constant <f32: 0.0> : tile<64x64xf32>
      %sum = for %i in (%zero to %one, step %one) : tile<i32>
        iter_values(%before = %none) -> (tile<64x64xf32>) {{
        %x, %t0 = load_view_tko weak %tiles[%zero, %i]
          : partition_view<{view}, {tensor}>, tile<i32> -> tile<64x64xf16>, token
        %w, %t3 = load_view_tko weak %tiles[%i, %zero]
          : partition_view<{view}, {tensor}>, tile<i32> -> tile<64x64xf16>, token
        %after = mmaf %x, %w, %before : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
        continue %after : tile<64x64xf32>
      }}
      %numbers = iota : tile<64xi32>
      %row = reshape %numbers : tile<64xi32> -> tile<1x64xi32>
      %across = broadcast %row : tile<1x64xi32> -> tile<64x64xi32>
      %column = reshape %numbers : tile<64xi32> -> tile<64x1xi32>
      %down = broadcast %column : tile<64x1xi32> -> tile<64x64xi32>
      %length = constant <i32: 64> : tile<64x64xi32>
      %starts = muli %down, %length : tile<64x64xi32>
      %steps = addi %starts, %across : tile<64x64xi32>
      %aligned = assume div_by<16>, %b : tile<ptr<f16>>
      %first = reshape %aligned : tile<ptr<f16>> -> tile<1x1xptr<f16>>
      %all = broadcast %first : tile<1x1xptr<f16>> -> tile<64x64xptr<f16>>
      %places = offset %all, %steps
        : tile<64x64xptr<f16>>, tile<64x64xi32> -> tile<64x64xptr<f16>>
      %y, %t1 = load_ptr_tko weak %places
        : tile<64x64xptr<f16>> -> tile<64x64xf16>, token
      %wide = ftof %y : tile<64x64xf16> -> tile<64x64xf32>
      %both = addf %sum, %wide : tile<64x64xf32>
      %top = reduce %both dim=0 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
        (%m: tile<f32>, %n: tile<f32>) {{
        %s = addf %m, %n : tile<f32>
        yield %s : tile<f32>
      }}
      %to = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
      %every = broadcast %to : tile<1xptr<f32>> -> tile<64xptr<f32>>
      %out = offset %every, %numbers : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
      %t2 = store_ptr_tko weak %out, %top : tile<64xptr<f32>>, tile<64xf32> -> token
      return
    }}
    """
    module = load(text)
    run_steps(module, select_steps(1, to="tileas"), ARCH)
    module.verify()
