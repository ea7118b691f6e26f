"""CTAs of a cluster that multicast what they share."""

from collections.abc import Iterator
from dataclasses import replace

from tileiras_xdsl.dialects.nv_tileas.plan import Plan
from tileiras_xdsl.plan.candidates import PlannedKernel


def propose(kernel: PlannedKernel) -> Iterator[Plan]:
    """
    Two CTAs or one. TMA loads a tile that both need once and writes it to both (CUDA C++
    Programming Guide, "Thread Block Clusters"); both then wait for each other.
    """
    if kernel.has_wgmma and kernel.host_maps:
        other = 1 if (kernel.chosen.cluster or 1) > 1 else 2
        yield replace(kernel.chosen, cluster=other, stages=None)
