"""
Attacks on `tileas-assign-load-store-layouts`: tiles of many shapes and types, whose accesses are
vectorized or cannot be.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack(
    "tileas-assign-load-store-layouts", fires=None, is_idempotent=False, then=("nvgpu",)
)
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120a")


@pytest.mark.every(17, first=5)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", NAMES)
def test_kernels(name: str, arch: str):
    ATTACK.but(arch=arch).run(text_of(name), [arguments_of(name)])


@pytest.mark.parametrize("name", ["scattered elements"])
def test_it_fires(name: str):
    ATTACK.but(arch="sm_80", fires=True).run(text_of(name), [arguments_of(name, 1)])
