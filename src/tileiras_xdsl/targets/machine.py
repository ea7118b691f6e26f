"""The parts of an SM, in numbers; sources are those of `target`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

KIB: Final = 1024

WARP_THREADS: Final = 32
WARPGROUP_WARPS: Final = 4
"""Warps of a warpgroup."""
WARPGROUP_THREADS: Final = WARPGROUP_WARPS * WARP_THREADS
MAX_GRID_SIZE: Final = (1 << 24) - 1
"""Tile blocks along an axis of the grid, which Tile IR allows."""

NAMED_BARRIERS: Final = 16
"""Named barriers of a CTA. Barrier 0 is that of all its threads."""
CONSUMER_BARRIER: Final = 1
"""The named barrier of the consumer warps."""
WARPGROUP_BARRIER: Final = 2
"""That of the first warpgroup; those of the others, at most eight in all, follow."""
TURN_BARRIER: Final = 10
"""The first one that warpgroups may take turns by."""

BYTE_BITS: Final = 8
WORD_BITS: Final = 32
"""Bits of a register."""
SECTOR_BYTES: Final = 32
"""Bytes that L2 reads or writes at once."""
CACHE_LINE: Final = 128
"""Bytes of a line of the caches."""
LINE_BYTES: Final = 128
"""Bytes that shared memory reads or writes in one wavefront."""

HEAP_ALIGNMENT: Final = 16
"""Of what the heap of the device gives (CUDA programming guide, dynamic global memory)."""
LARGEST_HEAP: Final = 1 << 48
"""More bytes than any GPU addresses: an allocation of as many fails, and so does a larger one."""
HEAP_SLEEP: Final = 100_000
"""Nanoseconds that a thread sleeps before it asks the heap again; PTX allows a million at most."""
HEAP_RETRIES: Final = 100_000
"""
How often it does: for about ten seconds, longer than CTAs run. Without a limit, a program whose
CTAs wait for others that get no memory would hang.
"""

# Costs of layout conversions, in SM cycles per warp: shared memory serves 128 bytes a cycle, a
# shuffle takes the same path, and four warps compute at a time. No family has numbers of its own
# yet.
SHUFFLE_COST: Final = 1.5
SELECT_COST: Final = 0.25
ACCESS_COST: Final = 0.5
"""An instruction and its address, besides its wavefronts."""
PACK_COST: Final = 0.5
"""Inserting one more element into a packed 32-bit register."""
BLOCK_SYNC_COST: Final = 24.0
"""CTA barriers before writing and before reading."""
WARP_SYNC_COST: Final = 12.0


@dataclass(frozen=True)
class SharedMemory:
    """Sizes of shared memory, in bytes."""

    per_sm: int
    opt_in: int
    """Limit of a CTA whose launch asks for it (dynamic shared memory)."""
    static: int = 48 * KIB
    """
    Limit of a CTA whose launch does not ask. ptxas takes all of it for variants with the suffix
    `a`, and 48 KiB for all others [P].
    """
    reserved: int = 1 * KIB
    """Bytes of each CTA that the system takes [G]."""

    def per_cta(self, occupancy: int) -> int:
        """Limit of each CTA at so many CTAs per SM."""
        return self.per_sm // occupancy - self.reserved

    def limit(self, *, asks: bool) -> int:
        """Limit of a kernel whose launches ask for it, or do not."""
        return max(self.opt_in, self.static) if asks else self.static


@dataclass(frozen=True)
class Threads:
    """Limits of threads, warps and CTAs [G]."""

    per_sm: int
    """Threads per SM."""
    blocks: int
    """CTAs per SM."""
    block: int = 1024
    """Threads per CTA."""
    barriers: int = NAMED_BARRIERS
    """Named barriers per CTA."""
    sm_count: int = 256
    """SMs: more than any GPU has."""


@dataclass(frozen=True)
class RegisterFile:
    """32-bit registers [G]; the numbers are the same from sm_80 on."""

    per_sm: int = 1 << 16
    thread: int = 255
    step: int = 8
    """Allocation granularity: a thread has a multiple of it."""
    least: int = 24
    """Fewest registers that `setmaxnreg` and `.maxnreg` leave a thread."""
    partitions: int = 4
    """Sub-partitions of an SM, each with registers of its own."""

    def cap(self, warps: int) -> int:
        """
        The registers per thread if so many warps, of all CTAs of an SM together, have the same
        number. Warps are dealt out to sub-partitions with registers of their own, so one warp
        more may cost as much as four:

            warps        4-8   9-12   13-16   17-20
            registers    255    168     128      96
        """
        share = self.per_sm // (WARP_THREADS * self.partitions * -(-warps // self.partitions))
        return min(self.thread, share // self.step * self.step)


@dataclass(frozen=True)
class Rates:
    """Throughput of an SM, per cycle."""

    multiply_adds: Mapping[int, int]
    """Multiply-adds of the tensor cores, by the bits of operands; tf32 counts as 32."""
    memory_bytes: int
    """Bytes from global memory, per SM while all load."""
    sm_count: int
    """SMs of the GPU whose numbers these are."""
    gigahertz: float
    """Its clock under load."""
    l2_bytes: int = 64
    """Bytes from L2 [W]."""
    lanes: int = 128
    """Elementwise f32 operations of threads."""
    special_lanes: int = 16
    """Exponentials and other special functions."""

    def multiply_adds_of(self, bits: int) -> int:
        """For operands of so many bits: as for wider ones, if the tensor cores have no such."""
        known = self.multiply_adds
        return known[min(each for each in known if each >= min(bits, max(known)))]
