"""Persistent kernels, and kernels of one tile block per CTA."""

from collections.abc import Iterator
from dataclasses import replace

from tileiras_xdsl.dialects.nv_tileas.plan import Plan
from tileiras_xdsl.plan.candidates import PlannedKernel


def propose(kernel: PlannedKernel) -> Iterator[Plan]:
    """
    The other way. CTAs that stay load for the next tile block while they store one (CUTLASS,
    "Efficient GEMM", persistent kernels); CTAs of one tile block are balanced by the hardware.
    """
    if kernel.has_wgmma:
        yield replace(kernel.chosen, persistent=1 - (kernel.chosen.persistent or 0))
