"""As many threads of an SM, in twice as many CTAs."""

from collections.abc import Iterator
from dataclasses import replace

from tileiras_xdsl.dialects.nv_tileas.plan import Plan
from tileiras_xdsl.plan.candidates import PlannedKernel


def propose(kernel: PlannedKernel) -> Iterator[Plan]:
    """
    Half the warps in twice the CTAs. Where tiles take the registers of an SM, one CTA loads while
    another one computes, for what threads spill of all else (V. Volkov, "Better performance at
    lower occupancy", GTC 2010). Warpgroups that multiply share operands instead.
    """
    warps, ctas = kernel.chosen.warps or 1, kernel.chosen.occupancy or 1
    if warps > 1 and not kernel.has_wgmma:
        yield replace(kernel.chosen, warps=warps // 2, occupancy=2 * ctas, stages=None)
