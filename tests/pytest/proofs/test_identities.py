"""Atomics that are combined in private copies."""

from __future__ import annotations

import pytest

from tileiras_xdsl.analysis.privatization import IDENTITIES

from .identities import prove_identity
from .solver import needs_solver


@needs_solver
@pytest.mark.parametrize("mode", IDENTITIES)
def test_identity(mode: str):
    assert prove_identity(mode).answer == "proven"
