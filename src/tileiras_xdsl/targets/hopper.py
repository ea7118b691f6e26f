"""
Hopper (sm_90a): what it has, how fast that is, and the choices that follow.

Everything here is per multiprocessor and clock unless it says otherwise. Where a choice was
measured, on an H200, the numbers stand beside it. `docs/hopper.md` tells how passes use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

# Threads and registers

WARPS_IN_GROUP: Final = 4
GROUP_THREADS: Final = 128
GROUP_ROWS: Final = 64
"""Rows of an instruction of a warpgroup."""
MAX_COLUMNS: Final = 256
"""Columns of an instruction of a warpgroup."""
MAX_GROUPS: Final = 2
"""Consumer warpgroups; with three, accumulators of a useful size do not fit."""
MAX_REGISTERS: Final = 255
"""Of a thread."""
WARP_REGISTERS: Final = 512
"""Of a thread if each quarter of the multiprocessor had one warp."""
LARGE_REGISTERS: Final = 240
SMALL_REGISTERS: Final = 24
"""What consumers and producers have if warps exchange registers."""
OTHER_REGISTERS: Final = 32
"""What addresses, counters and the like take beside tiles."""
MAX_ACCUMULATORS: Final = 160
"""
Registers of a thread that accumulators of one loop may take together. With 192, attention with
128 queries, 128 keys and d = 256 spills, and its products are serialized.
"""
MANY_ACCUMULATORS: Final = 128
"""From so many on no register is kept through the loop that need not be."""
FEW_ACCUMULATORS: Final = 64
"""
Up to so many, one warpgroup is enough. Two that share more keep the tensor cores busy when one of
them waits (128x128x64: 708 instead of 602 TFLOP/s).
"""

# Shared memory

ALL_SHARED_BYTES: Final = 228 * 1024
BLOCK_SHARED_BYTES: Final = 1024
"""What each block loses of it to the system."""
SHARED_BYTES: Final = ALL_SHARED_BYTES - BLOCK_SHARED_BYTES
"""What a block has that is alone."""

# Speeds

MULTIPLY_ADDS: Final = {8: 4096, 16: 2048, 32: 1024}
"""Of the tensor cores, by the bits of factors; tf32 counts as 32."""
LANES: Final = 128
SPECIAL_LANES: Final = 16
"""Elements that threads compute: one operation on f32, or one exponential and the like."""
L2_BYTES: Final = 64
"""From the second-level cache."""
MEMORY_BYTES: Final = 20
"""From memory: 4.8 TB/s for 132 multiprocessors at 1.8 GHz."""
LOAD_CLOCKS: Final = 1600
"""
How long a stage may take to arrive, while all multiprocessors load. More stages than that takes do
harm (128x128x64: 706 TFLOP/s with 6, 713 with 5, 704 with 4; gathered rows: 367 with 12, 410 with
5).
"""
FEW_STAGES: Final = 4
"""So many do no harm."""
MAX_STAGES: Final = 12
MIN_STAGES: Final = 2
CLUSTER_BLOCKS: Final = 2
"""
Blocks that share what they load, if a hint says so. With one block on a multiprocessor that costs
more than it saves (128x128x64: 702 instead of 721 TFLOP/s) unless rows of memory are not aligned.
"""


def accumulator_registers(shape: Sequence[int], groups: int) -> int:
    """Registers of a thread for a tile of 32-bit sums that warpgroups share."""
    return prod(shape) // (GROUP_THREADS * groups)


def loop_registers(loops: Sequence[Sequence[Sequence[int]]], groups: int) -> int:
    """Registers of a thread for the sums of the loop that has most, given their shapes by loop."""
    needed = [sum(accumulator_registers(shape, groups) for shape in loop) for loop in loops]
    return max(needed, default=0)


def choose_groups(loops: Sequence[Sequence[Sequence[int]]]) -> int | None:
    """
    The number of warpgroups that multiply, given for each loop the shapes of all sums in it: one
    for small sums, else as many as it takes for accumulators to fit. None if they never do.
    """
    for groups in range(1, MAX_GROUPS + 1):
        limit = MAX_ACCUMULATORS if groups > 1 else FEW_ACCUMULATORS
        if loop_registers(loops, groups) <= limit:
            return groups
    return None


def register_cap(warps: int) -> int:
    """
    Registers that a thread can have if so many warps, of all blocks together, have the same
    number. The quarters of a multiprocessor have a part each, so a warp may cost as much as four:

        warps        4-8   9-12   13-16   17-20
        registers    255    168     128      96
    """
    return min(MAX_REGISTERS, WARP_REGISTERS // -(-warps // WARPS_IN_GROUP) // 8 * 8)


def exchanges_registers(groups: int, needed: int, blocks: int = 1) -> bool:
    """
    Whether producers should give registers to consumers, which takes four of them. Two blocks of
    a multiprocessor would not have enough to give.
    """
    cap = register_cap(groups * WARPS_IN_GROUP + 1)
    return blocks == 1 and needed + OTHER_REGISTERS > cap


def shared_bytes(blocks: int) -> int:
    """What each of so many blocks of a multiprocessor has of shared memory."""
    return ALL_SHARED_BYTES // blocks - BLOCK_SHARED_BYTES


@dataclass(frozen=True)
class StageClocks:
    """How long an iteration of a loop takes at least, by what limits it."""

    tensor: int
    """For its products."""
    l2: int
    """For its tiles, from the second-level cache."""
    memory: int
    """For its tiles, from memory, were none of them loaded by other blocks as well."""

    @staticmethod
    def of(multiply_adds: Sequence[tuple[int, int]], bytes: int) -> StageClocks:
        """For so many multiplications, each with the bits of its factors, and bytes of tiles."""
        tensor = sum(count / MULTIPLY_ADDS[max(bits, 8)] for count, bits in multiply_adds)
        return StageClocks(round(tensor), bytes // L2_BYTES, bytes // MEMORY_BYTES)

    @property
    def needed_stages(self) -> int:
        """Stages with which loads that take long are there in time: one is being used."""
        clocks = max(1, self.tensor, self.l2)
        return min(MAX_STAGES, max(FEW_STAGES, 1 + -(-LOAD_CLOCKS // clocks)))


@dataclass(frozen=True)
class Ring:
    """Tiles that are loaded again and again, and how far ahead."""

    bytes: int
    """Of a stage."""
    clocks: StageClocks | None
    """Of the loop it is filled in; none if it is filled once."""
    latency: int | None = None
    """What a hint says: how many loads are on their way at most, 1 to 10."""

    @property
    def wanted(self) -> int:
        """
        The number of stages that is enough. A load with the hint `latency` has as many stages as
        that and one more, which is being used.
        """
        if self.clocks is None:
            return 1
        if self.latency is not None:
            return max(MIN_STAGES, self.latency + 1)
        return self.clocks.needed_stages


@dataclass(frozen=True)
class Depths:
    """How many stages each ring has."""

    stages: Sequence[int]
    bytes: int
    """Of all of them."""
    is_cut: bool
    """Whether shared memory has no room for as many as there should be."""


def choose_stages(rings: Sequence[Ring], reserved: int, blocks: int = 1) -> Depths | None:
    """
    As many stages as each ring wants, but none more than all can have in what shared memory is not
    reserved. None if it has no room for one of each.
    """
    free = shared_bytes(blocks) - reserved
    deepest = max((ring.wanted for ring in rings), default=1)
    for depth in range(deepest, 0, -1):
        stages = [min(depth, ring.wanted) for ring in rings]
        total = sum(ring.bytes * number for ring, number in zip(rings, stages, strict=True))
        if total <= free:
            return Depths(stages, total, depth < deepest)
    return None


def why_not_blocks(
    blocks: int, warps: int, registers: int, rings: Sequence[Ring], reserved: int
) -> str | None:
    """
    Why so many blocks of so many warps cannot share a multiprocessor; none if they can. Threads
    need their registers, and rings a stage to fill while another is used.
    """
    cap, needed = register_cap(warps * blocks), registers + OTHER_REGISTERS
    if needed > cap:
        return f"threads need about {needed} registers and would have {cap}"
    depths = choose_stages(rings, reserved, blocks)
    least = sum(ring.bytes * min(MIN_STAGES, ring.wanted) for ring in rings)
    if depths is None or depths.bytes < least:
        free = shared_bytes(blocks) - reserved
        return f"rings need at least {least} bytes of shared memory and would have {max(0, free)}"
    return None
