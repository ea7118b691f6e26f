"""
Attacks on `tileas-allocate-shared-memory`: exchanges of different sizes in loops and branches,
whose memory is that of others before and after them.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack("tileas-allocate-shared-memory", fires=None, then=("nvgpu",), options={"grid": 1})
"""Barriers are not there yet."""
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120a")


@pytest.mark.every(17, first=3)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", NAMES)
def test_kernels(name: str, arch: str):
    ATTACK.but(arch=arch).run(text_of(name), [arguments_of(name)])


@pytest.mark.parametrize("name", ["scans in a loop"])
def test_it_fires(name: str):
    ATTACK.but(arch="sm_80", fires=True).run(text_of(name), [arguments_of(name, 1)])
