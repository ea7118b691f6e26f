"""
Triton's plug-in: it has no driver of its own.

Launches are Triton's, with its driver for NVIDIA GPUs. Triton imports this module when it is
imported itself, which is when the environment is asked whether this compiler compiles.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Final

from tileiras_xdsl.frontend.uses import find_names, is_on

VARIABLE: Final = "TILEIRAS_XDSL_TRITON"
"""What switches this compiler on: 1, or names of kernels with commas between them."""

# Only one class may be visible here, so Triton's stays in its module.
_NVIDIA: Final[Any] = import_module("triton.backends.nvidia.driver")


class TileirasDriver(_NVIDIA.CudaDriver):
    """Never the active driver."""

    @staticmethod
    def is_active() -> bool:
        """No: NVIDIA's is."""
        return False


if is_on(os.environ, VARIABLE):
    from .stages import use

    use(find_names(os.environ, VARIABLE))
