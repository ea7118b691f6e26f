"""Random programs give the same results at every stage of the compiler."""

from __future__ import annotations

import numpy as np
import pytest

import tileiras_xdsl

from ..strategies.programs import random_program
from .differential import Outcome, difference, differences, outcome, quick_stages

PROGRAMS = 42
"""How many programs there are; `make fuzz` takes thousands."""
CHUNK = 14


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.parametrize("first", range(0, PROGRAMS, CHUNK))
def test_stages_agree(first: int) -> None:
    for seed in range(first, first + CHUNK):
        program = random_program(seed)
        module, stages = program.module, quick_stages(seed)
        # To verify takes as long as to run; a third of the programs shows enough.
        verify = seed % 3 == 0
        if verify:
            module.verify()
        found = differences(module, program.arguments, program.grid, stages=stages, verify=verify)
        problems = list(found)
        assert not problems, f"program {seed}: {problems}"


@pytest.mark.part("kernels")
@pytest.mark.parametrize("first", range(0, PROGRAMS, 4 * CHUNK))
def test_programs_are_determined(first: int) -> None:
    """Nothing in them is undefined, and no order that tokens do not ask for matters."""
    for seed in range(first, first + CHUNK):
        program = random_program(seed)
        expected = outcome(program.module, program.arguments(), program.grid)
        checked = outcome(program.module, program.arguments(), program.grid, check=True)
        assert difference(expected, checked) is None, f"program {seed}"
        if "print" not in str(program.module):
            shuffled = outcome(program.module, program.arguments(), program.grid, seed=seed)
            assert difference(expected, shuffled) is None, f"program {seed}"


def test_same_seed_same_program() -> None:
    for seed in (0, 7, 23):
        first, second = random_program(seed), random_program(seed)
        assert str(first.module) == str(second.module)
        assert first.grid == second.grid
        pairs = zip(first.values, second.values, strict=True)
        assert all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs)


def test_differences_are_told() -> None:
    assert difference(Outcome((b"ab",), "x"), Outcome((b"ab",), "x")) is None
    assert difference(Outcome((b"ab",), "x"), Outcome((b"ac",), "x")) == (
        "array 0 differs in 1 bytes, the first at 1"
    )
    assert difference(Outcome((), "x"), Outcome((), "y")) == "printed 'y', not 'x'"


def test_offsets_of_i1_are_signed() -> None:
    """A true i1 is -1, whether two steps of a pointer are one or not."""
    text = """cuda_tile.module @m {
      entry @k(%p: tile<ptr<i32>>, %back: tile<i1>, %out: tile<ptr<i32>>) {
        %two = constant <i32: 2> : tile<i32>
        %q = offset %p, %two : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %r = offset %q, %back : tile<ptr<i32>>, tile<i1> -> tile<ptr<i32>>
        %v, %t0 = load_ptr_tko weak %r : tile<ptr<i32>> -> tile<i32>, token
        %t1 = store_ptr_tko weak %out, %v : tile<ptr<i32>>, tile<i32> -> token
        return
      }
    }"""
    result = np.zeros(1, np.int32)
    tileiras_xdsl.run(
        text, grid=1, args=[np.arange(4, dtype=np.int32), True, result], engine="interpreter"
    )
    assert result[0] == 1
