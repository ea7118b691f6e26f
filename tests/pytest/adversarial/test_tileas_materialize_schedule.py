"""
Attacks on `tileas-materialize-schedule`: loops with no iteration, one, and more than pipelines have
stages twice over; values that swap; tiles that are operands and something else as well.
"""

from __future__ import annotations

from itertools import product

import pytest

from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    AgentSwitchOp,
    ConsumerReleaseOp,
    CreatePipelineOp,
)

from ..harness.modules import ops_of
from .attacks import Attack
from .dot_loops import NAMES, SMALL, Shape, programs

ATTACK = Attack(
    "tileas-materialize-schedule", arch="sm_90a", fires=None, is_idempotent=False, then=("nvgpu",)
)
"""Loads in branches are not those of pipelines."""
TRIPS = (0, 1, 2, 27)
"""The last is more than twice as many as pipelines have stages here."""
CARRIED = "an operand that is carried as well"


@pytest.mark.part("kernels")
def test_what_a_loop_carries_is_released():
    """It has been copied to registers: nobody would release its stage after the loop's `yield`."""
    after = ATTACK.but(fires=True).run(programs()[CARRIED], [SMALL.arguments(27)])
    assert ops_of(after, AgentSwitchOp)
    pipelines = {op.result for op in ops_of(after, CreatePipelineOp)}
    assert {op.pipeline for op in ops_of(after, ConsumerReleaseOp)} == pipelines != set()


@pytest.mark.part("kernels")
@pytest.mark.every(45, first=8)
@pytest.mark.parametrize(("name", "abi"), list(product(NAMES, ("device-maps", "host-maps"))))
def test_many_iterations(name: str, abi: str):
    ATTACK.but(abi=abi).run(programs()[name], [SMALL.arguments(TRIPS[-1])])


@pytest.mark.long
@pytest.mark.parametrize("shape", [SMALL, Shape(128, 128, 64), Shape(64, 256, 64)])
@pytest.mark.parametrize("name", NAMES)
def test_few_iterations(name: str, shape: Shape):
    ATTACK.run(programs(shape)[name], map(shape.arguments, TRIPS[:-1]))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_tiles_of_mma_sync(name: str):
    """Where `mma.sync` reads the tiles of pipelines."""
    ATTACK.but(arch="sm_120a").run(programs()[name], map(SMALL.arguments, (1, 27)))
