"""Rules about floats."""

from __future__ import annotations

from typing import Any

import pytest

from .float_rules import (
    MODES,
    SMALL_FLOATS,
    exhaust_commutes,
    fused_steps,
    prove_commutes,
)
from .solver import needs_solver


@needs_solver
@pytest.mark.parametrize("name", ["fpAdd", "fpMul"])
@pytest.mark.every(5)
@pytest.mark.parametrize("is_flushed", [False, True])
def test_sums_and_products_commute(name: str, is_flushed: bool):
    """What `MoveProductToLeft` relies on, with NaNs, signed zeros and denormals, at eight bits."""
    assert prove_commutes(name, (4, 4), is_flushed=is_flushed).answer == "proven"


@needs_solver
@pytest.mark.long
@pytest.mark.parametrize("name", ["fpAdd", "fpMul"])
def test_sums_and_products_of_half_precision_commute(name: str):
    assert prove_commutes(name, (5, 11), is_flushed=False).answer != "refuted"


@pytest.mark.parametrize("dtype", SMALL_FLOATS, ids=lambda dtype: dtype.__name__)
def test_all_pairs_commute(dtype: Any):
    assert exhaust_commutes(dtype)


@needs_solver
@pytest.mark.parametrize("mode", MODES)
def test_fused_multiplication(mode: str):
    """`fuse-fma` changes nothing but the rounding of the product."""
    steps = fused_steps(mode)
    assert sum(step.rule == "FuseMultiplication" for step in steps) == 3
    for step in steps:
        assert step.verdict is not None
        assert step.verdict.answer == "proven", step
