"""How many CTAs of a kernel share an SM, and what keeps it from having more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .machine import WARP_THREADS
from .target import Target


@dataclass(frozen=True)
class Occupancy:
    """CTAs per SM that a launch can have."""

    ctas: int
    warps: int
    """Of all those CTAs."""
    most_warps: int
    """That an SM can have."""
    limits: Mapping[str, int]
    """CTAs per SM that each resource alone would allow."""

    @property
    def share(self) -> float:
        """Of the warps that an SM can have."""
        return self.warps / self.most_warps

    @property
    def limit(self) -> str:
        """The resource that allows fewest CTAs."""
        return min(self.limits, key=lambda each: self.limits[each])

    def __str__(self) -> str:
        ctas = "1 CTA" if self.ctas == 1 else f"{self.ctas} CTAs"
        return f"{ctas} per SM, {self.warps} of {self.most_warps} warps, limited by {self.limit}"


def find_occupancy(
    target: Target, threads: int, registers: int | None, shared: int, columns: int = 0
) -> Occupancy:
    """
    The occupancy of a kernel whose CTAs have so many threads, with so many registers each (none if
    that is not known), bytes of shared memory, and columns of tensor memory.
    """
    warps = -(-threads // WARP_THREADS)
    most_warps = target.threads.per_sm // WARP_THREADS
    limits = {"CTAs": target.threads.blocks, "threads": most_warps // warps}
    if shared:
        limits["shared memory"] = target.shared.per_sm // (shared + target.shared.reserved)
    if registers:
        fitting = [
            count
            for count in range(1, most_warps // warps + 1)
            if registers <= target.registers.cap(count * warps)
        ]
        limits["registers"] = max(fitting, default=0)
    if columns and target.tensor_memory is not None:
        limits["tensor memory"] = target.tensor_memory.columns // columns
    ctas = min(limits.values())
    return Occupancy(ctas, ctas * warps, most_warps, limits)
