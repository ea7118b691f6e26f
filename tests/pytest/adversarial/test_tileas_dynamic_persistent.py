"""
Attacks on `tileas-dynamic-persistent`: grids that are no power of two, with fewer tile blocks than
SMs, and more; tile blocks whose work grows with a coordinate; clusters of which one CTA has no
work.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .dot_loops import NAMES, Shape, Writer, programs

ATTACK = Attack(
    "tileas-dynamic-persistent{abi=host-maps}",
    arch="sm_90a",
    abi="host-maps",
    is_idempotent=False,
    then=("nvgpu",),
)
RESIDENT = ATTACK.but(spec="tileas-dynamic-persistent{abi=device-maps}", abi="device-maps")
SHAPE = Shape(64, 16, 32)
GRIDS = ((1, 1), (3, 1), (1, 5), (3, 3))
PLAIN = "two dots whose accumulators swap"
W = Writer(SHAPE)
GROWING = W.loop(
    f"{W.both}\n{W.mma('%np', '%x', '%y', '%p')}\n{W.mma('%nq', '%x', '%y', '%q')}",
    bounds=("%zero", "%j", "%one"),
)
"""Tile blocks have as many iterations as their second coordinate says."""


@pytest.mark.every(29, first=5)
@pytest.mark.parametrize("sm_count", [1, 2, 7])
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("attack", [ATTACK, RESIDENT], ids=["host", "device"])
def test_grids(attack: Attack, grid: tuple[int, int], sm_count: int):
    attack.run(
        programs(SHAPE)[PLAIN], [SHAPE.arguments(2, grid)], grid=(*grid, 1), sm_count=sm_count
    )


@pytest.mark.every(17, first=4)
@pytest.mark.parametrize("sm_count", [1, 2, 3])
@pytest.mark.parametrize("grid", GRIDS[1:])
@pytest.mark.parametrize("attack", [ATTACK, RESIDENT], ids=["host", "device"])
def test_work_that_grows(attack: Attack, grid: tuple[int, int], sm_count: int):
    attack.run(GROWING, [SHAPE.arguments(5, grid)], grid=(*grid, 1), sm_count=sm_count)


@pytest.mark.every(8, first=2)
@pytest.mark.parametrize("sm_count", [2, 4])
@pytest.mark.parametrize("grid", GRIDS)
def test_clusters(grid: tuple[int, int], sm_count: int):
    """An odd number of tile blocks leaves a CTA without one."""
    entry = "%n: tile<i32>, %m: tile<i32>)"
    hint = " optimization_hints=<default = {num_cta_in_cga = 2}>"
    text = programs(SHAPE)[PLAIN].replace(entry, entry + hint)
    assert hint in text
    ATTACK.run(text, [SHAPE.arguments(2, grid)], grid=(*grid, 1), sm_count=sm_count)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_loops(name: str):
    attack = ATTACK.but(fires=None)
    attack.run(programs(SHAPE)[name], [SHAPE.arguments(3, (2, 3))], grid=(2, 3, 1), sm_count=2)
