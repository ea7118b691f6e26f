"""
Attacks on `tileas-generate-schedule`: hints that cannot be met, tiles that leave room for few
stages, loops in loops. A schedule changes when things happen, never what.
"""

from __future__ import annotations

import pytest

from tileiras_xdsl.dialects.nv_tileas.decisions import get_schedule
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from .attacks import Attack
from .dot_loops import NAMES, SMALL, Shape, programs

ATTACK = Attack("tileas-generate-schedule", arch="sm_90a", fires=None, then=("nvgpu",))
HINTS = ("occupancy = 1", "occupancy = 2", "occupancy = 32")
FEW = 4
ENTRY = "%n: tile<i32>, %m: tile<i32>)"


def hinted(text: str, hint: str) -> str:
    """A program with a hint."""
    assert ENTRY in text
    return text.replace(ENTRY, f"{ENTRY} optimization_hints=<default = {{{hint}}}>")


@pytest.mark.every(33, first=31)
@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("name", NAMES)
def test_hints(name: str, hint: str):
    ATTACK.run(hinted(programs()[name], hint), [SMALL.arguments(5)])


@pytest.mark.every(8)
@pytest.mark.parametrize("name", NAMES)
def test_tiles_that_leave_room_for_few_stages(name: str):
    shape = Shape(128, 64, 256)
    after = ATTACK.but(fires=True, then=()).run(programs(shape)[name], ())
    (kernel,) = kernels(after)
    schedule = get_schedule(kernel)
    assert schedule is not None
    # Operands of the iteration before alone are in registers.
    assert all(stages <= FEW for stages in schedule.stages)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_few_stages_run(name: str):
    shape = Shape(128, 64, 256)
    ATTACK.run(programs(shape)[name], [shape.arguments(4)])
