"""More and fewer warps per CTA."""

from collections.abc import Iterator
from dataclasses import replace

from tileiras_xdsl.dialects.nv_tileas.plan import Plan
from tileiras_xdsl.plan.candidates import PlannedKernel


def propose(kernel: PlannedKernel) -> Iterator[Plan]:
    """
    Half and twice as many warps. With more, a thread has fewer elements of a tile: fewer registers
    and less parallelism between instructions (V. Volkov, "Better performance at lower occupancy",
    GTC 2010). The stages of buffers and CTAs per SM follow by the passes' own rules.
    """
    warps = kernel.chosen.warps or 1
    for other in (warps // 2, 2 * warps):
        if 1 <= other <= kernel.target.threads.block // 32:
            yield replace(kernel.chosen, warps=other, occupancy=None, stages=None)
