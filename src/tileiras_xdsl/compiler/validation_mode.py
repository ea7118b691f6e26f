"""
Whether compilations are validated, see docs/validation.md.

    TILEIRAS_XDSL_VALIDATE    quick or full: all are, as far as kernels can be run on the CPU
"""

from __future__ import annotations

import os
from typing import Final, Literal

from .options import OptionError

VARIABLE: Final = "TILEIRAS_XDSL_VALIDATE"
ValidationMode = Literal["quick", "full"]
MODES: Final[tuple[ValidationMode, ...]] = ("quick", "full")
_OFF: Final = ("", "0", "off", "false", "no")


def find_mode(given: str | None = None) -> ValidationMode | None:
    """The mode that was asked for, or that the environment has; `None` for no validation."""
    mode = os.environ.get(VARIABLE, "").lower() if given is None else given
    if mode in MODES:
        return mode
    if mode in _OFF:
        return None
    raise OptionError(f"there is no validation '{mode}' (expected quick or full)")
