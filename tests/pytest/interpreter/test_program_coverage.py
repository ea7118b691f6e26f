"""What random programs consist of: everything there is, and often enough."""

from __future__ import annotations

from functools import cache

import pytest

from ..strategies.program_coverage import CONTROL_FLOW, ELEMENTS, OPS, Coverage
from ..strategies.programs import random_program

FEW = (100, 1)
MANY = (400, 8)
"""How many programs, and in how many of them everything has to occur."""


@cache
def coverage(programs: int) -> Coverage:
    """What occurs in how many programs; they are not run."""
    found = Coverage()
    for seed in range(programs):
        found.add(random_program(seed).module)
    return found


@pytest.mark.part("sweeps")
@pytest.mark.every(4, first=2)
@pytest.mark.xdist_group("program_coverage")
@pytest.mark.parametrize(
    ("programs", "at_least"), [FEW, pytest.param(*MANY, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("kind", ["op", "element", "control flow"])
def test_everything_occurs(kind: str, programs: int, at_least: int) -> None:
    wanted = {"op": OPS, "element": ELEMENTS, "control flow": CONTROL_FLOW}[kind]
    rare = {name: coverage(programs).programs[name] for name in wanted}
    assert not {name: count for name, count in rare.items() if count < at_least}
