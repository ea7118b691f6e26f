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


def choose_warpgroup_grid(shape: Sequence[int], num_warpgroups: int) -> WarpgroupGrid:
    """Divides rows first: warpgroups along M share nothing but operand B."""
    m = min(num_warpgroups, shape[0] // WGMMA_M)
    return WarpgroupGrid(m, num_warpgroups // m)


def find_warpgroup_grid(
    shape: Sequence[int], layout: LinearLayout, num_warpgroups: int
) -> WarpgroupGrid | None:
    """How warpgroups divide an output tile in a layout."""
    m = 1
    while m <= num_warpgroups:
        if wgmma_accumulator(shape, m, num_warpgroups // m) == layout:
            return WarpgroupGrid(m, num_warpgroups // m)
        m *= 2
    return None
