"""Threads and warps in words."""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32


@dataclass(frozen=True)
class Names:
    """What threads and warps are called, whose numbers go on from block to block."""

    size: int | None = None
    """The threads of a block, if there are several blocks."""
    block: str = "rank"
    """What blocks are called: by their rank in a cluster, or by their number in a grid."""

    def thread(self, number: int) -> str:
        """A thread, with its block."""
        return f"thread {self.in_block(number)}{self.whose(number)}"

    def warp(self, number: int) -> str:
        """A warp, with its block."""
        first = number * WARP
        return f"warp {self.in_block(first) // WARP}{self.whose(first)}"

    def in_block(self, number: int) -> int:
        """The number of a thread in its block."""
        return int(number) if self.size is None else int(number) % self.size

    def whose(self, number: int) -> str:
        """The block of a thread, if there are several."""
        return "" if self.size is None else f" of {self.block} {int(number) // self.size}"
