"""
Attacks on `sink-scalars`: loops that do not run, and scalars that agents, branches and code behind
loops share. Accumulators of small CTAs leave registers to spare, so the model says that there are
none.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tileiras_xdsl.targets import target as targets
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import all_targets, target_of

from .attacks import Attack
from .dot_loops import Shape, programs

ARCH = "sm_120a"
ATTACK = Attack("sink-scalars", ARCH, then=("nvvm",))
SHAPE = Shape(16, 16, 16)
UNSTAGED = "operands of the iteration before only", "loads in branches"


@pytest.fixture(autouse=True)
def scarce_registers(monkeypatch: pytest.MonkeyPatch):
    target = target_of(ComputeCapability.parse(ARCH))
    assert target.mma_pipelining is not None
    model = replace(target.mma_pipelining, min_warps=1, overhead_registers=255)
    known = dict(all_targets()) | {ARCH: replace(target, mma_pipelining=model)}
    monkeypatch.setattr(targets, "_KNOWN", known)


@pytest.mark.every(27)
@pytest.mark.parametrize("name", programs(SHAPE))
def test_loops_of_dots(name: str):
    """No loop, one iteration, or several; what threads load by themselves needs no agents."""
    attack = ATTACK.but(fires=name not in UNSTAGED)
    attack.run(programs(SHAPE)[name], [SHAPE.arguments(trips) for trips in (0, 1, 3)])
