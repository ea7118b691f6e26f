"""
Attacks on `tileas-choose-occupancy`: hints that cannot be met, kernels that need all shared memory.
How many CTAs an SM has changes nothing that they compute.
"""

from __future__ import annotations

import pytest

from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack("tileas-choose-occupancy", arch="sm_80", options={"grid": 1})
"""Barriers are not there yet."""


def hinted(text: str, occupancy: int) -> str:
    """A kernel with a hint."""
    hint = f" optimization_hints=<default = {{occupancy = {occupancy}}}>"
    return text.replace(") {", f"){hint} {{", 1)


@pytest.mark.every(5)
@pytest.mark.parametrize("name", NAMES)
def test_without_a_hint(name: str):
    after = ATTACK.run(text_of(name), [arguments_of(name)])
    (kernel,) = kernels(after)
    spec = KERNEL_SPEC.get(kernel)
    assert spec is not None
    assert 1 < spec.get_fields()["occupancy"] <= 32


@pytest.mark.every(7)
@pytest.mark.parametrize("occupancy", [1, 2, 32])
@pytest.mark.parametrize("name", NAMES)
def test_hints(name: str, occupancy: int):
    after = ATTACK.but(fires=None, then=("nvgpu",)).run(
        hinted(text_of(name), occupancy), [arguments_of(name)]
    )
    (kernel,) = kernels(after)
    spec = KERNEL_SPEC.get(kernel)
    assert spec is not None
    # A hint of one CTA is what a kernel has anyway: it says nothing.
    assert 1 <= spec.get_fields()["occupancy"] <= (32 if occupancy == 1 else occupancy)
