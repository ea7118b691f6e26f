"""
Attacks on `tileas-coarsen-thread-blocks`: grids with an odd number of tile blocks, of one, and of
fewer than there are SMs; loops of all kinds, of which some cannot be paired; trip counts that
differ between tile blocks, and that are zero.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .dot_loops import NAMES, Shape, Writer, programs

ATTACK = Attack(
    "tileas-coarsen-thread-blocks{enable=true}",
    arch="sm_90a",
    abi="host-maps",
    fires=None,
    is_idempotent=False,
)
RESIDENT = ATTACK.but(abi="device-maps")
SHAPE = Shape(128, 64, 32)
"""Two accumulators take as many registers as one of 128x128."""
W = Writer(SHAPE)
SUM = W.loop(f"{W.both}\n{W.mma('%np', '%x', '%y', '%p')}\n{W.mma('%nq', '%x', '%y', '%np')}")
GROWING = W.loop(
    f"{W.both}\n{W.mma('%np', '%x', '%y', '%p')}\n{W.mma('%nq', '%x', '%y', '%np')}",
    bounds=("%zero", "%j", "%one"),
)
GRIDS = ((1, 1), (3, 1), (1, 5), (3, 3))


@pytest.mark.every(9, first=6)
@pytest.mark.parametrize("sm_count", [1, 2, 7])
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("attack", [ATTACK, RESIDENT], ids=["host", "device"])
def test_grids(attack: Attack, grid: tuple[int, int], sm_count: int):
    attack.but(fires=True).run(SUM, [SHAPE.arguments(2, grid)], grid=(*grid, 1), sm_count=sm_count)


@pytest.mark.every(3)
@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("attack", [ATTACK, RESIDENT], ids=["host", "device"])
def test_trip_counts(attack: Attack, steps: int):
    attack.run(SUM, [SHAPE.arguments(steps, (3, 2))], grid=(3, 2, 1), sm_count=2)


@pytest.mark.every(2)
@pytest.mark.parametrize("attack", [ATTACK, RESIDENT], ids=["host", "device"])
def test_work_that_grows(attack: Attack):
    attack.run(GROWING, [SHAPE.arguments(4, (2, 3))], grid=(2, 3, 1), sm_count=2)


@pytest.mark.every(11, first=3)
@pytest.mark.parametrize("name", NAMES)
def test_loops(name: str):
    ATTACK.run(programs(SHAPE)[name], [SHAPE.arguments(3, (2, 3))], grid=(2, 3, 1), sm_count=2)
