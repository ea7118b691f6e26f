"""
Hopper (sm_90a): the numbers that choices are made by, measured on an H200.

Accumulators of warpgroup products take registers; everything else of a kernel has to fit beside
them. The cap of a thread is what is left of 65536 registers when all warps have the same:

    warps of a block     4-8   9-12   13-16
    registers            255    168     128

A warpgroup more costs all others; a single producer warp costs as much as four.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

WARPS_IN_GROUP: Final = 4
GROUP_THREADS: Final = 128
GROUP_ROWS: Final = 64
"""Rows of an instruction of a warpgroup."""
MAX_GROUPS: Final = 2
"""Consumer warpgroups; with three, accumulators of a useful size do not fit."""
MAX_ACCUMULATORS: Final = 128
"""Registers of a thread that accumulators of one loop may take together."""
FEW_ACCUMULATORS: Final = 64
"""
Up to so many, one warpgroup is enough. Two that share more keep the tensor cores busy when one of
them waits (128x128x64: 708 instead of 602 TFLOP/s).
"""
SHARED_BYTES: Final = 227 * 1024
"""Of a block; two blocks of a multiprocessor share 228 KB, of which each loses one."""
ALU_REGISTERS: Final = 168
"""What a thread has beside a producer warp."""
LARGE_REGISTERS: Final = 240
SMALL_REGISTERS: Final = 24
"""What consumers and producers have if warps exchange registers."""


def accumulator_registers(shape: Sequence[int], groups: int) -> int:
    """Registers of a thread for a tile of 32-bit sums that warpgroups share."""
    return prod(shape) // (GROUP_THREADS * groups)


def choose_groups(loops: Sequence[Sequence[Sequence[int]]]) -> int | None:
    """
    The number of warpgroups that multiply, given for each loop the shapes of all sums in it: one
    for small sums, else as many as it takes for accumulators to fit. None if they never do.
    """
    for groups in range(1, MAX_GROUPS + 1):
        needed = [sum(accumulator_registers(shape, groups) for shape in loop) for loop in loops]
        limit = MAX_ACCUMULATORS if groups > 1 else FEW_ACCUMULATORS
        if max(needed, default=0) <= limit:
            return groups
    return None


MAX_STAGES: Final = 6
MIN_STAGES: Final = 2
OTHER_REGISTERS: Final = 32
"""What addresses, counters and the like take beside tiles."""


def choose_stages(single: int, ring: int, reserved: int) -> int | None:
    """
    How many stages rings have, given the bytes of tiles that are loaded once, of one stage of all
    rings, and of what else needs shared memory. None if not even one fits.
    """
    free = SHARED_BYTES - reserved - single
    if free < 0:
        return None
    if not ring:
        return 1
    stages = min(MAX_STAGES, free // ring)
    return stages or None


def register_cap(warps: int) -> int:
    """Registers that a thread can have if all warps of a block have the same number."""
    return min(255, 512 // -(-warps // WARPS_IN_GROUP) // 8 * 8)


def exchanges_registers(groups: int, needed: int) -> bool:
    """Whether producers should give registers to consumers, which takes four of them."""
    cap = register_cap(groups * WARPS_IN_GROUP + 1)
    return needed + OTHER_REGISTERS > cap
