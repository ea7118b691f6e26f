"""
Attacks on `convert-nvgpu-to-nvvm`: copies, matrices and waits of kernels of dots and of exchanges.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack("convert-nvgpu-to-nvvm", fires=None)
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120a")


@pytest.mark.every(35, first=6)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", NAMES)
def test_kernels(name: str, arch: str):
    ATTACK.but(arch=arch).run(text_of(name), [arguments_of(name)])


@pytest.mark.parametrize("name", ["rows and their transposes"])
def test_it_fires(name: str):
    ATTACK.but(arch="sm_80", fires=True).run(text_of(name), [arguments_of(name, 1)])
