"""Deeper and shallower multi-stage buffers."""

from collections.abc import Iterator
from dataclasses import replace

from tileiras_xdsl.dialects.nv_tileas.plan import Plan
from tileiras_xdsl.plan.candidates import PlannedKernel


def propose(kernel: PlannedKernel) -> Iterator[Plan]:
    """
    A stage less and one more, and double buffering. Stages keep loads in flight; by Little's law
    bytes in flight are bandwidth times latency. What they take of shared memory, other CTAs and
    staged stores do not have.
    """
    stages = kernel.chosen.stages
    if stages is None:
        return
    for other in (stages - 1, stages + 1, 2):
        if other >= 2:
            yield replace(kernel.chosen, stages=other)
