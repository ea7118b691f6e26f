"""Warpgroups that multiply alternately."""

from collections.abc import Iterator
from dataclasses import replace

from tileiras_xdsl.dialects.nv_tileas.plan import Plan
from tileiras_xdsl.plan.candidates import PlannedKernel


def propose(kernel: PlannedKernel) -> Iterator[Plan]:
    """
    The other way. One warpgroup computes exponentials while another one multiplies (J. Shah et al.,
    "FlashAttention-3", 2024, section 3.1; CUTLASS calls such kernels "pingpong").
    """
    if kernel.has_wgmma and (kernel.chosen.warps or 0) >= 8:
        yield replace(kernel.chosen, ping_pong=1 - (kernel.chosen.ping_pong or 0))
