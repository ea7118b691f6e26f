"""What is decided about attention kernels of `benchmarks/gpu` for sm_90a, and what they compute."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

import tileiras_xdsl
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp
from tileiras_xdsl.dialects.nv_tileas.atoms import is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGE, WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp, TiledAtomicRMWOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.interpreter.checks import CHECKS
from tileiras_xdsl.pipeline import ModuleStage, make_pass, select_steps
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import context
from ..harness.passes import lower

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


# Four warpgroups

SMALL_TILES = (
    "attention_256x64_d64",
    "attention_causal_256x64_d64",
    "attention_causal_single_256x64_d64",
)


def test_four_warpgroups_take_rows_each():
    """Three compute while one has the tensor cores; with 128 rows there are two."""
    for name, warps, registers in (
        ("attention_256x64_d64", 16, [24, 112]),
        ("attention_d64", 8, [24, 240]),
    ):
        module = tileiras_xdsl.load(BENCHMARKS / f"{name}.tileirbc")
        module = lower(module, "tileas", arch="sm_90a", abi="host-maps")
        (switch,) = find_all(module, AgentSwitchOp)
        assert switch.num_warps is not None
        assert switch.max_regs is not None
        assert list(switch.num_warps.get_values()) == [4, warps]
        assert list(switch.max_regs.get_values()) == registers


@pytest.mark.part("kernels")
@pytest.mark.every(18, first=4)
@pytest.mark.parametrize("abi", ["host-maps", "device-maps"])
@pytest.mark.parametrize("stage", ["tileas", "nvgpu", "nvvm"])
@pytest.mark.parametrize("name", SMALL_TILES)
def test_attention_by_four_warpgroups(name: str, stage: ModuleStage, abi: str):
    """
    The last tile has few rows. Keys get larger, then smaller: in some iterations no row of a warp
    has a larger score than before, in others some or all have.
    """
    heads, n, d = 1, 320, 64
    random = np.random.default_rng(1)
    q, k, v = random.standard_normal((3, heads, n, d)).astype(np.float16)
    sizes = np.geomspace(0.03, 2, n // 2)
    k *= np.concatenate((sizes, sizes[::-1])).astype(np.float16)[:, None]
    out = np.full_like(q, np.nan)
    module = tileiras_xdsl.load(BENCHMARKS / f"{name}.tileirbc")
    module = lower(module, stage, arch="sm_90a", abi=abi)
    tileiras_xdsl.run(module, grid=(2, heads), args=flat([q, k, v, out]), check=True)
    wide = [each.astype(np.float64) for each in (q, k, v)]
    scores = wide[0] @ wide[1].transpose(0, 2, 1) / math.sqrt(d)
    if "causal" in name:
        scores[:, ~np.tri(n, dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(2, keepdims=True))
    expected = weights / weights.sum(2, keepdims=True) @ wide[2]
    np.testing.assert_allclose(out, expected, atol=2e-3, rtol=2e-3)


# All gradients by one kernel

BACKWARD = "attention_backward_d128"
Array = npt.NDArray[Any]


def make_gradients(heads: int, n: int, d: int = 128) -> tuple[list[Array], list[Array]]:
    """The arguments of the kernel, and the gradients of queries, keys and values that it adds."""
    random = np.random.default_rng(n)
    q, k, v, slope = random.standard_normal((4, heads, n, d)).astype(np.float16)
    wide = [each.astype(np.float64) for each in (q, k, v, slope)]
    scores = wide[0] @ wide[1].transpose(0, 2, 1) / math.sqrt(d)
    sums = np.exp(scores).sum(2)
    weights = np.exp(scores) / sums[:, :, None]
    slopes = wide[3] @ wide[2].transpose(0, 2, 1)
    delta = (weights * slopes).sum(2)
    inner = weights * (slopes - delta[:, :, None])
    keys = inner.transpose(0, 2, 1) @ wide[0] / math.sqrt(d)
    expected = [inner @ wide[1], keys, weights.transpose(0, 2, 1) @ wide[3]]
    given = [q, k, v, slope, np.log2(sums).astype(np.float32), delta.astype(np.float32)]
    results = np.full((2, heads, n, d), np.nan, np.float16)
    return [*given, *results, np.zeros((heads, n, d), np.float32)], expected


def flat(arrays: list[Array]) -> list[Any]:
    return [
        each
        for array in arrays
        for each in (array, *array.shape, *(step // array.itemsize for step in array.strides))
    ]


def check_gradients(module: ModuleOp, heads: int, n: int) -> None:
    """Runs a kernel, and compares: scores are rounded to f16, as the results are."""
    arrays, expected = make_gradients(heads, n)
    # The kernel is compiled for a multiple of 16 heads, which takes long here.
    checks = [check for check in CHECKS if check != "assumptions"]
    tileiras_xdsl.run(module, grid=(n // 128, heads), args=flat(arrays), check=checks)
    for found, wanted in zip([arrays[8], *arrays[6:8]], expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=2e-3 * np.abs(wanted).max(), rtol=0)


def load_backward() -> ModuleOp:
    return tileiras_xdsl.load(BENCHMARKS / f"{BACKWARD}.tileirbc")


def test_gradients_as_written():
    check_gradients(load_backward(), 2, 256)


@pytest.mark.every(10)
@pytest.mark.parametrize("abi", ["host-maps", "device-maps"])
@pytest.mark.parametrize("stage", ["tileaa", "tileas", "nvgpu", "nvvm"])
def test_gradients(stage: ModuleStage, abi: str):
    """Two CTAs add to the gradients of the same queries; tiles of these come again in no CTA."""
    check_gradients(lower(load_backward(), stage, arch="sm_90a", abi=abi), 1, 256)


@pytest.mark.part("kernels")
@pytest.mark.every(6, first=2)
@pytest.mark.parametrize("abi", ["host-maps", "device-maps"])
@pytest.mark.parametrize("stage", ["tileas", "nvgpu", "nvvm"])
def test_gradients_of_keys_and_values(stage: ModuleStage, abi: str):
    """Five iterations, so that each buffer stage of rows is filled again."""
    arrays, (_, *expected) = make_gradients(1, 320)
    found = np.full((2, 1, 320, 128), np.nan, np.float16)
    module = tileiras_xdsl.load(BENCHMARKS / "attention_dkdv_d128.tileirbc")
    module = lower(module, stage, arch="sm_90a", abi=abi)
    tileiras_xdsl.run(module, grid=(3, 1), args=flat([*arrays[:6], found]), check=True)
    for each, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(each, wanted, atol=2e-3 * np.abs(wanted).max(), rtol=0)


def test_five_products_by_wgmma_and_a_reduction_by_tma():
    """What threads add to memory holds no load back."""
    module = schedule(BACKWARD)
    (loop,) = loops_with_dots(module)
    dots = [op for op in loop.body.block.ops if isinstance(op, DotOp)]
    assert len(dots) == 5
    assert all(map(is_wgmma, dots))
    (added,) = find_all(module, TiledAtomicRMWOp)
    assert added.atom is not None
    assert added.atom.data == "tma_redg"
    assert WARPGROUP_STORE.is_on(added)
    loads = find_all(module, TiledLoadOp)
    assert len(loads) == 6
    assert all(op.attributes.keys() & {"nv_tileas.pipe"} for op in loads)


def test_values_and_keys_are_multiplied_while_queries_are_added():
    """Two WGMMAs are in flight where threads write the result of another to the staging buffer."""
    module = lower(load_backward(), "tileas", arch="sm_90a", abi="host-maps")
    (added,) = find_all(module, TiledAtomicRMWOp)
    block = added.parent_block()
    assert block is not None
    waits = [op for op in block.ops if isinstance(op, AsyncFutureWaitOp)]
    late = [op for op in waits if added.is_before_in_block(op)]
    assert len(late) == 2
    for wait in late:
        issued = wait.source.owner
        assert isinstance(issued, AsyncDotOp)
        assert issued.is_before_in_block(added)


def find_rows(kernel: str) -> tuple[list[CopyOp], list[AsyncDotOp]]:
    """The reads of rows in a loop, and its dots."""
    module = tileiras_xdsl.load(BENCHMARKS / f"{kernel}.tileirbc")
    module = lower(module, "tileas", arch="sm_90a", abi="host-maps")
    copies = find_all(module, CopyOp)
    rows = [op for op in copies if get_memory(op.operands[0].type) == "shared"]
    block = rows[0].parent_block()
    assert block is not None
    assert all(op.parent_block() is block for op in rows)
    return rows, [op for op in block.ops if isinstance(op, AsyncDotOp)]


@pytest.mark.parametrize(("kernel", "number"), [("attention_dkdv_d128", 4), (BACKWARD, 5)])
def test_rows_are_read_before_products_are_issued(kernel: str, number: int):
    """Behind products whose operands take all of shared memory, threads would wait for them."""
    (first, second), dots = find_rows(kernel)
    assert len(dots) == number
    assert first.is_before_in_block(dots[0])
    # The first two are issued together; the third when threads have waited for the first.
    assert dots[1].is_before_in_block(second)
    assert second.is_before_in_block(dots[2])
