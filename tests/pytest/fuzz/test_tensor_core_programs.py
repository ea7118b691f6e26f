"""
Random programs for tensor cores of Blackwell compute at every level what tiles do.
"""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl.xdsl_extras.dominance import verify_module

from ..strategies.tensor_core_programs import LARGE, random_tensor_core_program
from .tensor_core_runs import Run, examine, some_runs

GROUP = 10
COUNT = 50
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
