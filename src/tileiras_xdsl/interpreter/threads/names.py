"""Threads and warps in words."""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32


@dataclass(frozen=True)
class Names:
    """What threads and warps are called, whose numbers go on from CTA to CTA."""

    size: int | None = None
    """The threads of a CTA, if there are several CTAs."""
    cta: str = "rank"
    """What CTAs are called: by their rank in a cluster, or by their number in a grid."""

    def thread(self, number: int) -> str:
        """A thread, with its CTA."""
        return f"thread {self.in_cta(number)}{self.whose(number)}"

    def warp(self, number: int) -> str:
        """A warp, with its CTA."""
        first = number * WARP
        return f"warp {self.in_cta(first) // WARP}{self.whose(first)}"

    def in_cta(self, number: int) -> int:
        """The number of a thread in its CTA."""
        return int(number) if self.size is None else int(number) % self.size

    def whose(self, number: int) -> str:
        """The CTA of a thread, if there are several."""
        return "" if self.size is None else f" of {self.cta} {int(number) // self.size}"
