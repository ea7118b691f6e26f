"""
Attacks on `convert-gpu-to-nvvm`: barriers and shuffles of exchanges, in loops and branches.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack("convert-gpu-to-nvvm", fires=None)
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120a")


@pytest.mark.every(17, first=2)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", NAMES)
def test_kernels(name: str, arch: str):
    ATTACK.but(arch=arch).run(text_of(name), [arguments_of(name)])


@pytest.mark.parametrize("name", ["scans in a loop"])
def test_it_fires(name: str):
    ATTACK.but(arch="sm_80", fires=True).run(text_of(name), [arguments_of(name, 1)])
