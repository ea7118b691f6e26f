"""What random programs consist of: everything there is, and often enough."""

from __future__ import annotations

from functools import cache

import pytest

from ..strategies.program_coverage import CONTROL_FLOW, ELEMENTS, OPS, Coverage
from ..strategies.programs import random_program

PROGRAMS = 400
AT_LEAST = 8


@cache
def coverage() -> Coverage:
    """What occurs in how many programs; they are not run."""
    found = Coverage()
    for seed in range(PROGRAMS):
        found.add(random_program(seed).module)
    return found


@pytest.mark.xdist_group("program_coverage")
@pytest.mark.parametrize("kind", ["op", "element", "control flow"])
def test_everything_occurs(kind: str) -> None:
    wanted = {"op": OPS, "element": ELEMENTS, "control flow": CONTROL_FLOW}[kind]
    rare = {name: coverage().programs[name] for name in wanted}
    assert not {name: count for name, count in rare.items() if count < AT_LEAST}
