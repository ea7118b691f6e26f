"""
Attacks on `tileas-overlap-launches`: loops of all kinds, with all that may come before the first
access; grids of one wave and of several; kernels that wait by themselves.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .dot_loops import NAMES, Shape, Writer, programs

ATTACK = Attack(
    "tileas-overlap-launches{abi=host-maps}", abi="host-maps", fires=None, then=("nvgpu",)
)
SHAPE = Shape(128, 64, 32)
W = Writer(SHAPE)
SUM = W.loop(f"{W.both}\n{W.mma('%np', '%x', '%y', '%p')}\n{W.mma('%nq', '%x', '%y', '%q')}")


@pytest.mark.every(3)
@pytest.mark.parametrize("sm_count", [1, 4, 7])
@pytest.mark.parametrize("grid", [(1, 1), (2, 2), (3, 2)])
def test_grids(grid: tuple[int, int], sm_count: int):
    attack = ATTACK.but(fires=True)
    attack.run(SUM, [SHAPE.arguments(2, grid)], grid=(*grid, 1), sm_count=sm_count)


@pytest.mark.every(2)
@pytest.mark.parametrize("steps", [0, 1])
def test_trip_counts(steps: int):
    ATTACK.run(SUM, [SHAPE.arguments(steps, (2, 1))], grid=(2, 1, 1), sm_count=2)


@pytest.mark.every(11, first=5)
@pytest.mark.parametrize("name", NAMES)
def test_loops(name: str):
    ATTACK.run(programs(SHAPE)[name], [SHAPE.arguments(2, (2, 1))], grid=(2, 1, 1), sm_count=2)
