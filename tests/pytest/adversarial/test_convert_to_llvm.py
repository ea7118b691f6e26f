"""
Attacks on `convert-to-llvm`: vectors of all elements, branches and loops, accesses of all widths.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack("convert-to-llvm", fires=None)
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120a")


@pytest.mark.every(35, first=11)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", NAMES)
def test_kernels(name: str, arch: str):
    ATTACK.but(arch=arch).run(text_of(name), [arguments_of(name)])


@pytest.mark.parametrize("name", ["the first of the largest"])
def test_it_fires(name: str):
    ATTACK.but(arch="sm_80", fires=True).run(text_of(name), [arguments_of(name, 1)])
