"""
Attacks on `tileas-remove-layout-conversions`: tiles that are needed in two layouts at once, and
loops that carry them.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack(
    "tileas-remove-layout-conversions", fires=None, is_idempotent=False, then=("nvgpu",)
)
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120a")


@pytest.mark.every(17, first=8)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", NAMES)
def test_kernels(name: str, arch: str):
    ATTACK.but(arch=arch).run(text_of(name), [arguments_of(name)])


@pytest.mark.parametrize("name", ["halves"])
def test_it_fires(name: str):
    ATTACK.but(arch="sm_80", fires=True).run(text_of(name), [arguments_of(name, 1)])
