"""Vectors and bounds of tiles of views."""

from __future__ import annotations

from random import Random

import pytest

from tileiras_xdsl.analysis.axis_info_analysis import TileAxisInfo

from .solver import needs_solver
from .views import draw_case, prove_view


@needs_solver
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 9))]
)
def test_vectors_of_tiles(seed: int):
    random = Random(seed)
    wide = 0
    for _ in range(25):
        case = draw_case(random)
        verdict = prove_view(case)
        assert verdict.answer != "refuted", f"{case}: {verdict.counterexample}"
        wide += case.tile.vector_width(1) > 1
    assert wide > 3


@needs_solver
def test_a_wrong_bound_is_found(monkeypatch: pytest.MonkeyPatch):
    def bounds_divisor(self: TileAxisInfo, dim: int) -> int:
        return self.starts[dim].divisor

    monkeypatch.setattr(TileAxisInfo, "bounds_divisor", bounds_divisor)
    random = Random(3)
    assert any(prove_view(draw_case(random)).answer == "refuted" for _ in range(40))
