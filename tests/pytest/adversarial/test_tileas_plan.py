"""
Attacks on `tileas-plan`: plans that can be had, that contradict each other and that cannot be had.
A plan changes how a kernel runs, never what it computes.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.plan import Plan
from tileiras_xdsl.pipeline import DEFAULT_ABI, make_pass, select_steps
from tileiras_xdsl.transforms.tileas.tileas_plan import TileasPlanPass

from ..harness.modules import context
from .attacks import outcome
from .dot_loops import NAMES, SMALL, programs
from .exchanges import NAMES as EXCHANGES
from .exchanges import arguments_of, text_of

BEFORE = "verify-no-cuda-tile"
"""Plans are written behind this pass."""
VALUES: Mapping[str, tuple[int | None, ...]] = {
    "warps": (None, 1, 2, 4, 8, 16, 32),
    "occupancy": (None, 1, 2, 4, 32),
    "stages": (None, 1, 2, 3, 7, 50),
    "persistent": (None, 0, 1),
    "ping_pong": (None, 0, 1),
    "cluster": (None, 1, 2),
}


def random_plan(seed: str) -> Plan:
    """A plan whose fields know nothing of each other."""
    random = Random(seed)
    return Plan(**{name: random.choice(values) for name, values in VALUES.items()})


def attack(text: str, plan: Plan, arguments: list[object], arch: str) -> None:
    """Lowers a program with a plan and compares what both compute."""
    module = load(text)
    for step in select_steps(3, arch=arch, to="nvgpu"):
        make_pass(step, arch, DEFAULT_ABI).apply(context(), module)
        if step.name == BEFORE:
            TileasPlanPass.of(plan).apply(context(), module)
    module.verify()
    options = {"grid": 1, "check": True}
    assert outcome(module, arguments, **options) == outcome(load(text), arguments, **options)


@pytest.mark.every(7)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_products(name: str, seed: int):
    attack(programs()[name], random_plan(f"{name} {seed}"), SMALL.arguments(5), "sm_90a")


@pytest.mark.every(11)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", EXCHANGES)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_exchanges(name: str, seed: int, arch: str):
    attack(text_of(name), random_plan(f"{name} {seed}"), arguments_of(name), arch)
