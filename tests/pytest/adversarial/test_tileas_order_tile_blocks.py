"""
Attacks on `tileas-order-tile-blocks`: grids of which no side is a power of two, or one is 1, with
more neighbours than are taken together, and fewer. Every tile block is done once.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .dot_loops import Shape, Writer

ATTACK = Attack("tileas-order-tile-blocks", arch="sm_90a", options={"check": True})
SHAPE = Shape(16, 16, 16)
"""Too few rows for WGMMA, so kernels are not persistent."""
W = Writer(SHAPE)
BODY = f"{W.both}\n{W.mma('%np', '%x', '%y', '%p')}\n{W.mma('%nq', '%x', '%y', '%np')}"
LOOPS = {
    "grows with x": W.loop(BODY, bounds=("%zero", "%i", "%one")),
    "falls with x": W.loop(BODY, bounds=("%i", "%n", "%one")),
    "grows with y": W.loop(BODY, bounds=("%zero", "%j", "%two")),
    "the same everywhere": W.loop(BODY, bounds=("%zero", "%n", "%one")),
}
GRIDS = ((1, 1), (5, 1), (1, 3), (3, 11), (9, 2))


@pytest.mark.every(7, first=3)
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("name", LOOPS)
def test_grids(name: str, grid: tuple[int, int]):
    attack = ATTACK.but(fires=name != "the same everywhere")
    attack.run(LOOPS[name], [SHAPE.arguments(max(grid), grid)], grid=(*grid, 1))


@pytest.mark.long
@pytest.mark.parametrize("name", LOOPS)
def test_threads(name: str):
    attack = ATTACK.but(fires=None, then=("nvgpu",))
    attack.run(LOOPS[name], [SHAPE.arguments(3, (3, 2))], grid=(3, 2, 1))
