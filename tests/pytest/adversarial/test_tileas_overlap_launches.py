"""
Attacks on `tileas-overlap-launches`: loops of all kinds, with all that may come before the first
access; grids of one wave and of several; kernels ahead that still write.
"""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl.interpreter.environment import PreviousGrid
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import select_steps

from ..harness.modules import context
from ..harness.passes import run_steps
from .attacks import Attack, bits_of, copies_of, outcome
from .dot_loops import NAMES, Shape, Writer, programs

ATTACK = Attack(
    "tileas-overlap-launches{abi=host-maps}", abi="host-maps", fires=None, then=("nvgpu",)
)
SHAPE = Shape(128, 64, 32)
W = Writer(SHAPE)
SUM = W.loop(f"{W.both}\n{W.mma('%np', '%x', '%y', '%p')}\n{W.mma('%nq', '%x', '%y', '%q')}")


@pytest.mark.part("kernels")
@pytest.mark.every(9)
@pytest.mark.parametrize("sm_count", [1, 4, 7])
@pytest.mark.parametrize("grid", [(1, 1), (2, 2), (3, 2)])
def test_grids(grid: tuple[int, int], sm_count: int):
    attack = ATTACK.but(fires=True)
    attack.run(SUM, [SHAPE.arguments(2, grid)], grid=(*grid, 1), sm_count=sm_count)


@pytest.mark.every(2)
@pytest.mark.parametrize("steps", [0, 1])
def test_trip_counts(steps: int):
    ATTACK.run(SUM, [SHAPE.arguments(steps, (2, 1))], grid=(2, 1, 1), sm_count=2)


@pytest.mark.part("kernels")
@pytest.mark.every(21, first=2)
@pytest.mark.parametrize("trips", [0, 2])
@pytest.mark.parametrize("name", NAMES)
def test_loops_after_another_kernel(name: str, trips: int):
    """
    The kernel ahead still writes all matrices when these start. (For sm_100a, as threads compute
    with results of MMAs in most of these loops.)
    """
    text, arguments = programs(SHAPE)[name], SHAPE.arguments(trips, (2, 1))
    attack = ATTACK.but(arch="sm_100a", fires=True)
    module = attack.before(text)
    expected = outcome(module, arguments, grid=(2, 1, 1))
    attack.make().apply(context(), module)
    run_steps(
        module, select_steps(3, arch="sm_100a", after="tileas", to="nvgpu"), "sm_100a", attack.abi
    )
    copies = copies_of(arguments)
    ahead = PreviousGrid([each for each in copies if isinstance(each, np.ndarray)])
    run(module, grid=(2, 1, 1), args=copies, check=True, others=[ahead], sm_count=1)
    assert tuple(bits_of(each) for each in ahead.writes) == expected.arrays


@pytest.mark.part("kernels")
@pytest.mark.every(22, first=5)
@pytest.mark.parametrize("name", NAMES)
def test_loops(name: str):
    ATTACK.run(programs(SHAPE)[name], [SHAPE.arguments(2, (2, 1))], grid=(2, 1, 1), sm_count=2)
