"""The parts of a multiprocessor, in numbers; sources are those of `target`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

KIB: Final = 1024

WARP_THREADS: Final = 32
GROUP_WARPS: Final = 4
"""Warps of a warpgroup."""
GROUP_THREADS: Final = GROUP_WARPS * WARP_THREADS

WORD_BITS: Final = 32
"""Of a register."""
LINE_BYTES: Final = 128
"""What shared memory reads or writes at once."""

# Costs of exchanges are in cycles of a multiprocessor for one warp, where shared memory serves 128
# bytes a cycle, a shuffle takes the same path, and four warps compute at a time. No family has
# numbers of its own yet.
SHUFFLE_COST: Final = 1.5
SELECT_COST: Final = 0.25
ACCESS_COST: Final = 0.5
"""Of an instruction and its address, besides its wavefronts."""
PACK_COST: Final = 0.5
"""Of putting one more element into a 32-bit register of several."""
BLOCK_SYNC_COST: Final = 24.0
"""Of waiting for all warps before writing and before reading."""
WARP_SYNC_COST: Final = 12.0


@dataclass(frozen=True)
class SharedMemory:
    """Shared memory, in bytes."""

    multiprocessor: int
    opt_in: int
    """What a block has at most, if its launch asks for it (dynamic shared memory)."""
    static: int = 48 * KIB
    """
    What a block has without being asked for. ptxas takes all of it for variants with the suffix
    `a`, and 48 KiB for all others [P].
    """
    reserved: int = 1 * KIB
    """What each block loses to the system [G]."""

    def of_block(self, blocks: int) -> int:
        """What each of so many blocks of a multiprocessor has."""
        return self.multiprocessor // blocks - self.reserved

    def limit(self, *, asks: bool) -> int:
        """What a kernel has whose launches ask for it, or do not."""
        return max(self.opt_in, self.static) if asks else self.static


@dataclass(frozen=True)
class Threads:
    """What runs at once [G]."""

    multiprocessor: int
    """Threads of a multiprocessor."""
    blocks: int
    """Blocks of a multiprocessor."""
    block: int = 1024
    """Threads of a block."""
    barriers: int = 16
    """Named barriers of a block."""
    sm_count: int = 256
    """More than any GPU has."""


@dataclass(frozen=True)
class Registers:
    """Registers of 32 bits [G]; they are the same from sm_80 on."""

    multiprocessor: int = 1 << 16
    thread: int = 255
    step: int = 8
    """A thread has a multiple of that."""
    least: int = 24
    """What `setmaxnreg` and `.maxnreg` leave a thread at least."""
    quarters: int = 4
    """Of a multiprocessor, each with registers of its own."""

    def cap(self, warps: int) -> int:
        """
        Registers that a thread can have if so many warps, of all blocks together, have the same
        number. The quarters of a multiprocessor have a part each, so a warp may cost as much as
        four:

            warps        4-8   9-12   13-16   17-20
            registers    255    168     128      96
        """
        share = self.multiprocessor // (WARP_THREADS * self.quarters * -(-warps // self.quarters))
        return min(self.thread, share // self.step * self.step)


@dataclass(frozen=True)
class Rates:
    """How fast a multiprocessor is, per clock."""

    multiply_adds: Mapping[int, int]
    """Of the tensor cores, by the bits of factors; tf32 counts as 32."""
    memory_bytes: int
    """From memory, for each multiprocessor while all load."""
    l2_bytes: int = 64
    """From the second-level cache [W]."""
    lanes: int = 128
    """Elements that threads compute: one operation on f32."""
    special_lanes: int = 16
    """Exponentials and the like."""
