"""Random programs compiled for the CPU of this machine; `make fuzz` runs them by the thousand."""

from __future__ import annotations

import pytest

from .cpu_runs import examine


@pytest.mark.every(12)
@pytest.mark.parametrize("seed", range(48))
def test_random_programs(seed: int):
    assert not examine(seed)
