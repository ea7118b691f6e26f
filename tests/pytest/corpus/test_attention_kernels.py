"""What is decided about the attention kernels of `benchmarks/gpu` for sm_90a."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

import tileiras_xdsl
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGE
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import is_wgmma
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import context

BENCHMARKS = Path(__file__).parents[3] / "benchmarks/gpu/bytecode"
LAST = "tileas-generate-schedule"

# Kernels are scheduled once.
pytestmark = pytest.mark.xdist_group("attention_kernels")


@lru_cache
def schedule(name: str) -> ModuleOp:
    """A kernel with its schedule."""
    module = tileiras_xdsl.load(BENCHMARKS / f"{name}.tileirbc")
    for step in select_steps(to="tileas", arch="sm_90a"):
        make_pass(step, "sm_90a", "host-maps").apply(context(), module)
        if step.name == LAST:
            break
    return module


def loops_with_dots(module: ModuleOp) -> list[scf.ForOp]:
    loops = find_all(module, scf.ForOp)
    return [loop for loop in loops if any(isinstance(op, DotOp) for op in loop.body.block.ops)]


@pytest.mark.parametrize("name", ["attention_causal_single_d64", "attention_varlen_d128"])
def test_one_loop_has_no_mask(name: str):
    """Of the two that `guard-masks` and `loop-split` make of one; both are software-pipelined."""
    first, second = loops_with_dots(schedule(name))
    names = [{op.name for op in loop.body.block.ops} for loop in (first, second)]
    assert ["nv_tileaa.cmpi" in each for each in names] == [False, True]
    for loop in (first, second):
        dots = [op for op in loop.body.block.ops if isinstance(op, DotOp)]
        assert all(map(is_wgmma, dots))
        assert [STAGE.is_on(dot) for dot in dots] == [True, True]


def test_keys_of_two_dots_do_not_cross_stages():
    """They would be in registers, and written to shared memory for the second dot."""
    (loop,) = loops_with_dots(schedule("attention_dq_d128"))
    dots = [op for op in loop.body.block.ops if isinstance(op, DotOp)]
    assert len(dots) == 3
    assert all(map(is_wgmma, dots))
    assert not any(map(STAGE.is_on, loop.body.block.ops))
