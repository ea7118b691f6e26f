"""Threads and warps in words."""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32


@dataclass(frozen=True)
class Names:
    """What threads and warps are called, whose numbers go on from block to block of a cluster."""

    size: int | None = None
    """The threads of a block, if there are several blocks."""

    def thread(self, number: int) -> str:
        """A thread, with the rank of its block."""
        return f"thread {self.in_block(number)}{self.whose(number)}"

    def warp(self, number: int) -> str:
        """A warp, with the rank of its block."""
        first = number * WARP
        return f"warp {self.in_block(first) // WARP}{self.whose(first)}"

    def in_block(self, number: int) -> int:
        """The number of a thread in its block."""
        return int(number) if self.size is None else int(number) % self.size

    def whose(self, number: int) -> str:
        """The rank of the block of a thread, if there are several."""
        return "" if self.size is None else f" of rank {int(number) // self.size}"
