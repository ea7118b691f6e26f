"""
Attacks on `tileas-assign-tensor-memory`: accumulators that swap, are used between dots, or go
through branches and inner loops; loops with no iteration and with many.
"""

from __future__ import annotations

import pytest

from ..harness.cases import every
from .attacks import Attack
from .dot_loops import NAMES, Shape, programs

ATTACK = Attack("tileas-assign-tensor-memory", arch="sm_100a", fires=None, is_idempotent=False)
SHAPES = (Shape(128, 64, 32), Shape(64, 64, 32), Shape(128, 128, 64))
TRIPS = (0, 1, 5)
READ_BY_THREADS = (
    "an operand that is carried as well",
    "operands of the iteration before",
    "operands that are computed",
)

ROTATING = (
    "an accumulator that is carried twice",
    "three dots whose accumulators rotate",
    "two inner loops whose accumulators swap",
    "two inner loops in a row, and what was before",
)


@pytest.mark.part("kernels")
@pytest.mark.every(67, first=4)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_loops(name: str, shape: Shape):
    attack = ATTACK.but(then=("nvgpu",))
    attack.run(programs(shape)[name], map(shape.arguments, TRIPS))


def test_it_fires():
    shape = SHAPES[0]
    ATTACK.but(fires=True).run(programs(shape)["accumulators that swap"], [shape.arguments(2)])


@pytest.mark.every(6)
@pytest.mark.parametrize("name", ROTATING)
def test_places_of_their_own(name: str):
    """Tiles that are needed at the same time are in different places."""
    shape = SHAPES[0]
    ATTACK.but(then=("nvgpu",)).run(programs(shape)[name], [shape.arguments(3)])


@pytest.mark.part("kernels")
@pytest.mark.parametrize("name", every(3, READ_BY_THREADS))
def test_stages_that_threads_read(name: str):
    """Stages are filled again: the commit of an MMA does not release what threads have read."""
    shape = SHAPES[-1]
    ATTACK.but(then=("nvgpu",)).run(programs(shape)[name], [shape.arguments(6)])
