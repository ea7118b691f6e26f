"""
Attacks on `convert-tileas-to-nvgpu`: scans and sums across registers, lanes and warps, in both
directions; atomics; slices at positions that are not known.
"""

from __future__ import annotations

import pytest

from .attacks import Attack
from .exchanges import NAMES, arguments_of, text_of

ATTACK = Attack("convert-tileas-to-nvgpu", fires=None, is_idempotent=False)
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120a")


@pytest.mark.every(7, first=2)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", NAMES)
def test_kernels(name: str, arch: str):
    ATTACK.but(arch=arch).run(text_of(name), [arguments_of(name)])


@pytest.mark.parametrize("name", ["a scan that keeps the last"])
def test_it_fires(name: str):
    ATTACK.but(arch="sm_80", fires=True).run(text_of(name), [arguments_of(name, 1)])
