"""More and fewer CTAs per SM."""

from collections.abc import Iterator
from dataclasses import replace

from tileiras_xdsl.dialects.nv_tileas.plan import Plan
from tileiras_xdsl.plan.candidates import PlannedKernel


def propose(kernel: PlannedKernel) -> Iterator[Plan]:
    """
    Half and twice as many CTAs per SM. While one waits, another one computes; each has fewer
    registers and less shared memory then (CUDA C++ Programming Guide, "Maximize Utilization").
    """
    ctas = kernel.chosen.occupancy or 1
    for other in (ctas // 2, 2 * ctas):
        if other >= 1:
            yield replace(kernel.chosen, occupancy=other, stages=None)
