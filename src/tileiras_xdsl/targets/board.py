"""
What the SMs of a GPU share: the clock that its power allows, memory, L2, and what launches kernels.

Everything here was measured on one GPU, whose name it has: `estimate.report` makes microseconds
of the clocks of an estimate with it. Where a target has none, estimates stay in clocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ClockDrop:
    """
    By how many MHz work lowers the clock, for what an SM does in each clock on average. The clock
    follows the power that work draws within microseconds, and its drop grows with that power in
    proportion, so that phases of a kernel can be averaged.
    """

    multiply_adds: Mapping[str, float]
    """Of tensor cores at their full rate on random numbers, by the type of operands."""
    l2_byte: float
    """For each byte to or from L2."""
    issue: float
    """Of threads that issue an instruction of each sub-partition."""

    def of_multiply_adds(self, element: str) -> float:
        """For operands of a type: as for f16, if it was not measured."""
        return self.multiply_adds.get(element, self.multiply_adds["f16"])


@dataclass(frozen=True)
class Board:
    """What SMs share."""

    gpu: str
    """A part of its name, as the driver says it."""
    gigahertz: float
    """The highest clock."""
    drop: ClockDrop
    memory_bandwidth: float
    """Bytes a nanosecond that large kernels achieve."""
    l2_bytes: int
    """What L2 keeps from one launch to the next."""
    launch: float
    """Microseconds from the end of a kernel to the first instruction of the next one."""
    cta: float
    """Nanoseconds to launch a CTA that returns at once, if an SM has room for one."""
    least_cta: float
    """The same, however many an SM has room for."""
    returning_cta: float
    """
    Nanoseconds of a CTA that finds out, after all that comes before its loop, that others do its
    work, if an SM has room for one.
    """

    def return_time(self, room: int) -> float:
        """Nanoseconds for each CTA that returns at once, if an SM has room for so many."""
        return max(self.least_cta, self.returning_cta / room)

    def launch_time(self, ctas: int, occupancy: int) -> float:
        """Microseconds to launch so many CTAs."""
        return ctas * max(self.least_cta, self.cta / occupancy) / 1e3
