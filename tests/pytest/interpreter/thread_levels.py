"""Kernels of level 3, as they are written and lowered to level 4."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.universe import XDSL_UNIVERSE

from tileiras_xdsl import load
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

from ..harness.passes import apply

PASSES = {**XDSL_UNIVERSE.all_passes, **TILEIRAS_UNIVERSE.all_passes}
TO_LEVEL_4 = (
    "convert-scf-while-to-cf",
    "convert-scf-to-cf",
    "convert-gpu-to-nvvm",
    "convert-nvgpu-to-nvvm",
    "convert-to-llvm",
)


def at_level_3(text: str) -> ModuleOp:
    """A kernel as it is written."""
    return load(text)


def at_level_4(text: str) -> ModuleOp:
    """A kernel in `llvm` and `nvvm`."""
    return apply(load(text), *(PASSES[name]()() for name in TO_LEVEL_4), check="never")


Lowering = Callable[[str], ModuleOp]
LEVELS = pytest.mark.parametrize("lower", [at_level_3, at_level_4])
