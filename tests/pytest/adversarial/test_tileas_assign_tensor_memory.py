"""
Attacks on `tileas-assign-tensor-memory`: accumulators that swap, are used between dots, or go
through branches and inner loops; loops with no iteration and with many.
"""

from __future__ import annotations

import pytest

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
"""Stages that threads read beside MMAs; those of the largest tiles are filled again here."""


@pytest.mark.every(33, first=4)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_loops(name: str, shape: Shape):
    if name in READ_BY_THREADS and shape is SHAPES[-1]:
        pytest.xfail("the commit of an MMA does not release what threads have read")
    attack = ATTACK.but(then=("nvgpu",))
    attack.run(programs(shape)[name], map(shape.arguments, TRIPS))


def test_it_fires():
    shape = SHAPES[0]
    ATTACK.but(fires=True).run(programs(shape)["accumulators that swap"], [shape.arguments(2)])
