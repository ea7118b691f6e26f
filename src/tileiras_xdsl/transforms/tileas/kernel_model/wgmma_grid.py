"""How warpgroups divide the output tile of a WGMMA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import wgmma_accumulator
from tileiras_xdsl.targets.warpgroups import WGMMA_M


@dataclass(frozen=True)
class WarpgroupGrid:
    """How warpgroups divide an output tile."""

    m: int
    n: int
    even_first: bool = False
    """Whether even columns come before odd ones, as operand B has them in shared memory."""


def choose_warpgroup_grid(shape: Sequence[int], num_warpgroups: int) -> WarpgroupGrid:
    """Divides rows first: warpgroups along M share nothing but operand B."""
    m = min(num_warpgroups, shape[0] // WGMMA_M)
    return WarpgroupGrid(m, num_warpgroups // m)


def find_warpgroup_grid(
    shape: Sequence[int], layout: LinearLayout, num_warpgroups: int
) -> WarpgroupGrid | None:
    """How warpgroups divide an output tile in a layout."""
    for even_first in (False, True):
        m = 1
        while m <= num_warpgroups:
            n = num_warpgroups // m
            if wgmma_accumulator(shape, m, n, even_first=even_first) == layout:
                return WarpgroupGrid(m, n, even_first)
            m *= 2
    return None
