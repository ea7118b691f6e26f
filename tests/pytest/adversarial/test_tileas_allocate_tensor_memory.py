"""
Attacks on `tileas-allocate-tensor-memory`: tiles that share columns of tensor memory, and dots in
flight whose operands and results are read, overwritten and swapped. Runs report what is not waited
for.
"""

from __future__ import annotations

import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.decisions import TENSOR_MEMORY
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from ..harness.passes import applied, lower
from .attacks import Attack, outcome
from .dot_loops import NAMES, Shape, programs

ATTACK = Attack("tileas-allocate-tensor-memory", arch="sm_100a", is_idempotent=False)
ARCHITECTURES = ("sm_100a", "sm_103a")
SHAPE = Shape(128, 64, 32)


@pytest.mark.part("kernels")
@pytest.mark.every(89, first=2)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("name", NAMES)
def test_threads(name: str, opt: int, arch: str):
    text = programs(SHAPE)[name]
    module = lower(load(text), arch=arch, opt=opt)
    for trips in (0, 1, 5):
        arguments = SHAPE.arguments(trips)
        expected = outcome(load(text), arguments, grid=1, check=True)
        for seed in range(2):
            assert outcome(module, arguments, grid=1, check=True, seed=seed) == expected


def test_it_fires():
    before = ATTACK.before(programs(SHAPE)["an accumulator that is used"])
    after = applied(before, ATTACK.make())
    (kernel,) = kernels(after)
    columns = TENSOR_MEMORY.get(kernel)
    assert columns is not None
    assert TENSOR_MEMORY.get(*kernels(before)) is None
