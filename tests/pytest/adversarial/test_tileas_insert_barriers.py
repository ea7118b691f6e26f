"""
Attacks on `tileas-insert-barriers`: memory that is used again in the next iteration, in a branch or
behind a loop. Runs report what threads do not wait for: nothing after the pass.
"""

from __future__ import annotations

import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BarrierOp
from tileiras_xdsl.interpreter import ExecutionError

from ..harness.cases import every
from ..harness.modules import ops_of
from ..harness.passes import applied, lower
from .attacks import Attack, outcome
from .dot_loops import NAMES as DOT_LOOPS
from .dot_loops import SMALL, programs
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack("tileas-insert-barriers")


@pytest.mark.every(17, first=6)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_120a"])
@pytest.mark.parametrize("name", NAMES)
def test_exchanges(name: str, arch: str):
    text, arguments = text_of(name), arguments_of(name)
    expected = outcome(load(text), arguments, grid=1, check=True)
    after = lower(load(text), "tileas", arch=arch)
    for module in (after, lower(after, "nvgpu", after="tileas", arch=arch)):
        assert outcome(module, arguments, grid=1, check=True) == expected


@pytest.mark.every(2)
@pytest.mark.parametrize("name", every(11, DOT_LOOPS))
@pytest.mark.parametrize("seed", every(3, range(3)))
def test_dots(name: str, seed: int):
    """Warps of agents in several orders."""
    text, arguments = programs()[name], SMALL.arguments(4)
    expected = outcome(load(text), arguments, grid=1, check=True)
    module = lower(load(text), arch="sm_90a")
    assert outcome(module, arguments, grid=1, check=True, seed=seed) == expected


def test_a_barrier_between_iterations():
    """Without it, what the next iteration writes may not have been read."""
    name = "a tile that a loop transposes"
    before = ATTACK.but(arch="sm_80").before(text_of(name))
    with pytest.raises(ExecutionError, match=r"missing nv_tileas\.barrier"):
        outcome(before, arguments_of(name), grid=1, check=True)
    after = applied(before, ATTACK.but(arch="sm_80").make())
    assert ops_of(after, BarrierOp)
    assert applied(after, ATTACK.make()).is_structurally_equivalent(after)
