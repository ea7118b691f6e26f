"""Whether there is a solver."""

from __future__ import annotations

import importlib.util
import os

import pytest

IS_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")

needs_solver = pytest.mark.skipif(
    importlib.util.find_spec("z3") is None and not IS_CI,
    reason="z3 is not installed, see the extra `prove`",
)
"""Tests that need z3; with CI set, they fail without it."""
