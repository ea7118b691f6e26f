"""
Random programs for tensor cores of Blackwell compute at every level what tiles do; and tests like
these find bugs that are planted in the lowering.
"""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.xdsl_extras.dominance import verify_module

from ..harness.modules import context
from ..strategies.tensor_core_programs import LARGE, random_tensor_core_program
from ..transforms.test_warpgroup_kernels import (
    Attention,
    Gemm,
    View,
    as_arguments,
    kernel,
    numbers,
)
from .tensor_core_bugs import BUGS
from .tensor_core_runs import Run, examine, some_runs

GROUP = 10
COUNT = 50
MOST = 110
"""Programs of which one at least finds each planted bug."""
FOUND = [2037, 50428]
"""
A pair of CTAs of which one ended before MMAs told it that they had read its accumulator; threads
that missed a phase of a commit between tiles without products.
"""
FOUND_LARGE = [50585, 50698, 770019]
"""
Two warpgroups, of which one wrote the next accumulator where the other still read slices of the
last: where a loop may have no trips, and between two loops. An operand that threads wrote in
another layout than the one before it, which MMAs had read: no race, as they wait for that.
"""
INVALID = [50506]
"""An accumulator of f16 to which products of tf32 were added."""


@pytest.mark.every(5)
@pytest.mark.parametrize("first", range(0, COUNT, GROUP))
def test_programs(first: int):
    used = 0
    for seed in range(first, first + GROUP):
        program = random_tensor_core_program(seed)
        verdict = examine(program, some_runs(seed))
        assert verdict.finding is None, f"{seed}: {program.family}: {verdict.finding}"
        assert not verdict.refusal, f"{seed}: {program.family}: {verdict.refusal}"
        used += "tcgen05" in verdict.instructions
    assert used >= GROUP // 2, "programs without tcgen05 say nothing about it"


@pytest.mark.every(2)
@pytest.mark.parametrize("seed", FOUND)
def test_programs_that_found_bugs(seed: int):
    verdict = examine(random_tensor_core_program(seed), some_runs(seed))
    assert verdict.finding is None, str(verdict.finding)


@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("seed", FOUND_LARGE)
def test_large_programs_that_found_bugs(seed: int):
    verdict = examine(random_tensor_core_program(seed, LARGE), [Run("nvgpu")])
    assert verdict.finding is None, str(verdict.finding)
    assert "tcgen05" in verdict.instructions


@pytest.mark.parametrize("seed", INVALID)
def test_programs_are_valid(seed: int):
    verify_module(random_tensor_core_program(seed, LARGE).module)


def test_all_is_the_same_for_the_same_seed():
    first, second = (random_tensor_core_program(7) for _ in range(2))
    assert first.text == second.text
    assert [np.asarray(value).tobytes() for value in first.values] == [
        np.asarray(value).tobytes() for value in second.values
    ]


# Planted bugs

ARCH = "sm_100a"
WHERE = {
    "no fence after a wait": "attention",
    "no fence before a barrier": "attention",
    "no proxy fence": "written",
    "wrong phase": "gemm",
    "overlapping columns": "attention",
    "wrong descriptor stride": "gemm",
    "a stage is released too early": "gemm",
    "an operand is overwritten too early": "written",
    "a result is read too early": "kinds",
    "a tile is taken too early": "attention",
    "a tile is replaced too early": "tiles",
    "commits to the wrong barrier": "kinds",
    "the first MMA adds": "gemm",
    "no MMA adds": "gemm",
    "wrong lanes": "gemm",
    "no wait for stores": "attention",
    "no wait for loads": "attention",
    "tensor memory is not freed": "gemm",
    "wrong K step": "gemm",
}
"""
Kernels that find bugs: a product, several in turn, one of a computed operand, two of different
kinds, whose MMAs consumer warps issue, and attention.
"""


def run_kernel(name: str) -> bool:
    """Compiles and runs a kernel; whether its result is right."""
    if name == "attention":
        attention = Attention("f16", 128, 32, 32)
        arrays = [numbers("f16", rows, 32) for rows in (128, 96, 96)]
        scores = arrays[0].astype(np.float64) @ arrays[1].astype(np.float64).T
        weights = np.exp2(scores - scores.max(1, keepdims=True))
        total = weights @ arrays[2].astype(np.float64) / weights.sum(1, keepdims=True)
        text, trips = attention.text(), 3
    else:
        tiles = 5 if name == "tiles" else 1
        gemm, trips = Gemm("f16", 64, 32, 32), 20 // tiles
        *arrays, _ = gemm.arrays(64 * tiles, 32, gemm.k * trips)
        total = gemm.product(arrays)
        text = gemm.text() if tiles == 1 else gemm.rows_in_turn()
        if name == "written":
            operand = gemm.views[0].tile_type
            text = text.replace(
                "%d = mmaf %x,", f"%xx = addf %x, %x : {operand}\n      %d = mmaf %xx,"
            )
            total = 2 * total
        if name == "kinds":
            text, arrays, total = two_kinds(gemm, arrays, total)
    module = load(text)
    for step in select_steps(to="nvgpu"):
        make_pass(step, ARCH, "host-maps").apply(context(), module)
    assert any(op.name == "nvvm.tcgen05.mma" for op in module.walk())
    result = np.full(total.shape, 7, np.float32)
    run_threads(module, grid=1, args=as_arguments([*arrays, result], trips, 5))
    return bool(np.allclose(result, total, atol=0.01))


def two_kinds(
    gemm: Gemm, arrays: list[np.ndarray], total: np.ndarray
) -> tuple[str, list[np.ndarray], np.ndarray]:
    """A product of f16 and one of f8 that are added up."""
    a, b, c = gemm.views
    x, y = (View(name, "f8E4M3FN", view.tile) for name, view in (("x", a), ("y", b)))
    body = gemm.with_second(x, y)
    more = [numbers("f8E4M3FN", *array.shape) for array in arrays]
    product = more[0].astype(np.float64) @ more[1].astype(np.float64)
    return kernel([a, b, x, y, c], body), [*arrays, *more], total + product


@pytest.mark.every(5)
@pytest.mark.parametrize("name", ["attention", "gemm", "kinds", "tiles", "written"])
def test_kernels_are_right(name: str):
    assert run_kernel(name)


@pytest.mark.every(5)
@pytest.mark.parametrize("name", BUGS)
def test_planted_bugs_are_found(name: str):
    with BUGS[name].planted():
        try:
            assert not run_kernel(WHERE[name])
        except ExecutionError:
            pass


@pytest.mark.long
@pytest.mark.parametrize("name", BUGS)
def test_random_programs_find_planted_bugs(name: str):
    with BUGS[name].planted():
        for seed in range(MOST):
            verdict = examine(random_tensor_core_program(seed), some_runs(seed))
            if verdict.finding is not None:
                return
    pytest.fail("nothing is wrong with any program")
