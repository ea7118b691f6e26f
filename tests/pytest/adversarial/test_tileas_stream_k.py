"""
Attacks on `tileas-stream-k`: grids with fewer tile blocks than CTAs, as many, and any number more;
trip counts of zero, of one, and of few iterations; loops of all kinds, of which some cannot be
divided; epilogues that read what others write.
"""

from __future__ import annotations

import pytest

from tileiras_xdsl.transforms.tileas import tileas_coarsen_tile_blocks, tileas_stream_k
from tileiras_xdsl.transforms.tileas.kernel_model import stream_k

from .attacks import Attack
from .dot_loops import NAMES, Shape, Writer, programs

ATTACK = Attack("tileas-stream-k", arch="sm_90a", abi="host-maps", fires=None, is_idempotent=False)
SHAPE = Shape(128, 64, 32)
W = Writer(SHAPE)
SUM = W.loop(f"{W.both}\n{W.mma('%np', '%x', '%y', '%p')}\n{W.mma('%nq', '%x', '%y', '%q')}")
GROWING = W.loop(
    f"{W.both}\n{W.mma('%np', '%x', '%y', '%p')}\n{W.mma('%nq', '%x', '%y', '%q')}",
    bounds=("%zero", "%j", "%one"),
)
GRIDS = ((1, 1), (3, 1), (2, 4), (1, 5), (3, 3))


@pytest.fixture(autouse=True, params=[(1, 48), (2, 48), (1, 1)], ids=["alone", "gangs", "pairs"])
def _small_gangs(  # pyright: ignore[reportUnusedFunction]
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few CTAs divide loops of a few iterations, too, also behind pairs of tile blocks."""
    gang, least_iterations = request.param
    monkeypatch.setattr(tileas_stream_k, "GANG", gang)
    monkeypatch.setattr(tileas_coarsen_tile_blocks, "LEAST_ITERATIONS", least_iterations)
    monkeypatch.setattr(stream_k, "LEAST_CYCLES", 1)


@pytest.mark.every(7, first=3)
@pytest.mark.parametrize("sm_count", [1, 2, 4, 7])
@pytest.mark.parametrize("grid", GRIDS)
def test_grids(grid: tuple[int, int], sm_count: int):
    ATTACK.but(fires=True).run(SUM, [SHAPE.arguments(3, grid)], grid=(*grid, 1), sm_count=sm_count)


@pytest.mark.every(2)
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_trip_counts(steps: int):
    ATTACK.run(SUM, [SHAPE.arguments(steps, (3, 2))], grid=(3, 2, 1), sm_count=4)


def test_work_that_grows():
    ATTACK.run(GROWING, [SHAPE.arguments(4, (2, 3))], grid=(2, 3, 1), sm_count=2)


@pytest.mark.every(11, first=3)
@pytest.mark.parametrize("name", NAMES)
def test_loops(name: str):
    ATTACK.run(programs(SHAPE)[name], [SHAPE.arguments(3, (2, 3))], grid=(2, 3, 1), sm_count=4)
