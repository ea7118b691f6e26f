"""
Attacks on `tileas-offer-clusters`: grids in which tile blocks of a cluster share one operand, the
other one, or none; trip counts of zero and of few iterations; loops of all kinds, of which most
cannot be loaded in clusters.
"""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl import load, run
from tileiras_xdsl.dialects.nvgpu.persistence import get_optional_ctas
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.pipeline import select_steps
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from ..harness.passes import run_steps
from .attacks import Attack, copies_of
from .dot_loops import NAMES, Shape, Writer, programs

ATTACK = Attack(
    "tileas-offer-clusters{abi=host-maps}",
    arch="sm_90a",
    abi="host-maps",
    fires=None,
    then=("nvgpu",),
)
SHAPE = Shape(64, 64, 32)
W = Writer(SHAPE)
SUM = W.loop(f"{W.both}\n{W.mma('%np', '%x', '%y', '%p')}\n{W.mma('%nq', '%x', '%y', '%q')}")


@pytest.mark.every(3)
@pytest.mark.parametrize("sm_count", [1, 2, 7])
@pytest.mark.parametrize("grid", [(1, 1), (3, 1), (2, 4), (1, 5)])
def test_grids(grid: tuple[int, int], sm_count: int):
    ATTACK.but(fires=True).run(SUM, [SHAPE.arguments(3, grid)], grid=(*grid, 1), sm_count=sm_count)


@pytest.mark.every(11, first=5)
@pytest.mark.parametrize("name", NAMES)
def test_loops(name: str):
    ATTACK.run(programs(SHAPE)[name], [SHAPE.arguments(3, (2, 3))], grid=(2, 3, 1), sm_count=8)


@pytest.mark.every(23, first=2)
@pytest.mark.parametrize("steps", [0, 1, 5])
@pytest.mark.parametrize("grid", [(2, 2), (1, 4), (3, 2), (4, 1)])
@pytest.mark.parametrize("name", [None, *NAMES])
def test_launches_in_clusters(name: str | None, grid: tuple[int, int], steps: int):
    """Of all kernels that leave it to the launch."""
    text = SUM if name is None else programs(SHAPE)[name]
    module = load(text)
    run_steps(module, select_steps(to="nvgpu"), "sm_90a", "host-maps")
    (kernel,) = kernels(module)
    assert name is not None or get_optional_ctas(kernel) == 2
    if get_optional_ctas(kernel) == 1:
        return
    arguments = SHAPE.arguments(steps, grid)
    expected, found = copies_of(arguments), copies_of(arguments)
    run(load(text), grid=(*grid, 1), args=expected)
    run_threads(module, None, (*grid, 1), found, sm_count=8, clusters=True)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)
