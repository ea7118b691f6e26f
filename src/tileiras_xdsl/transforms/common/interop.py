"""
The package `tileiras_interop`, if it is installed: conversions of IR that our front ends do not
make (`docs/interop.md`). Passes ask for it where a program needs it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

PACKAGE = "tileiras_interop"
INSTALL = f"need the package '{PACKAGE}', see docs/interop.md"
HINT = f": ops of other front ends {INSTALL}"


def find_interop(module: str) -> Any:
    """A module of the package; `None` if that is not installed."""
    try:
        return import_module(f"{PACKAGE}.{module}")
    except ModuleNotFoundError as error:
        if error.name != PACKAGE:
            raise
        return None
