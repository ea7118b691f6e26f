"""
Random kernels in which order matters find each repair of the order that is undone: without it some
kernel races, diverges, or gives other results, and with it the same kernel does not.
"""

from __future__ import annotations

import pytest

from ..strategies.ordered_kernels import random_ordered_kernel
from .ordered_runs import SOURCE, examine
from .reverts import REVERTS, Revert

MOST_KERNELS = 32
"""Of a theme, until one shows what is wrong."""


@pytest.mark.every(8)
@pytest.mark.parametrize("revert", REVERTS, ids=str)
def test_reverts_are_found(revert: Revert) -> None:
    for seed in (*range(revert.begin, MOST_KERNELS), *range(revert.begin)):
        for theme in revert.themes:
            kernel = random_ordered_kernel(seed, theme)
            orders = range(seed, seed + revert.orders)
            with revert.planted():
                report = examine(kernel, ("nvgpu",), orders)
            if report.findings:
                assert SOURCE not in {finding.stage for finding in report.findings}, report
                repaired = examine(kernel, ("nvgpu",), orders)
                assert not repaired.findings, repaired
                assert repaired.refusal is None, repaired
                return
    pytest.fail(f"{MOST_KERNELS} kernels of {' and '.join(revert.themes)} do not show it")
