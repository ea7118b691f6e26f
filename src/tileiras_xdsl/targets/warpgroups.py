"""
Products of warpgroups: what the instruction takes, and how kernels around it are scheduled.

`wgmma` multiplies out of shared memory, which the tensor memory accelerator fills a few stages
ahead. How many warpgroups multiply, how deep rings are, and how many blocks share a multiprocessor
follows from the numbers of a `Warpgroups`, which `hopper` has with the measurements that they come
from. `docs/hopper.md` tells how passes use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from .machine import GROUP_THREADS, GROUP_WARPS, Rates, Registers, SharedMemory

GROUP_ROWS: Final = 64
"""Rows of an instruction of a warpgroup."""
MIN_COLUMNS: Final = 8
MAX_COLUMNS: Final = 256
"""Columns of an instruction of a warpgroup."""
MIN_STAGES: Final = 2
"""Of a ring: one is filled while another is used."""


@dataclass(frozen=True)
class StageClocks:
    """How long an iteration of a loop takes at least, by what limits it."""

    tensor: int
    """For its products."""
    l2: int
    """For its tiles, from the second-level cache."""
    memory: int
    """For its tiles, from memory, were none of them loaded by other blocks as well."""


@dataclass(frozen=True)
class Ring:
    """Tiles that are loaded again and again, and how far ahead."""

    bytes: int
    """Of a stage."""
    clocks: StageClocks | None
    """Of the loop it is filled in; none if it is filled once."""
    latency: int | None = None
    """What a hint says: how many loads are on their way at most, 1 to 10."""


@dataclass(frozen=True)
class Depths:
    """How many stages each ring has."""

    stages: Sequence[int]
    bytes: int
    """Of all of them."""
    is_cut: bool
    """Whether shared memory has no room for as many as there should be."""


def accumulator_registers(shape: Sequence[int], groups: int) -> int:
    """Registers of a thread for a tile of 32-bit sums that warpgroups share."""
    return prod(shape) // (GROUP_THREADS * groups)


def loop_registers(loops: Sequence[Sequence[Sequence[int]]], groups: int) -> int:
    """Registers of a thread for the sums of the loop that has most, given their shapes by loop."""
    needed = [sum(accumulator_registers(shape, groups) for shape in loop) for loop in loops]
    return max(needed, default=0)


@dataclass(frozen=True)
class Warpgroups:
    """The numbers by which kernels with products of warpgroups are scheduled."""

    shared: SharedMemory
    registers: Registers
    rates: Rates
    max_groups: int
    """Warpgroups that multiply."""
    consumer_registers: int
    producer_registers: int
    """What consumers and producers have if warps exchange registers."""
    overhead_registers: int
    """What addresses, counters and the like take beside tiles."""
    max_accumulators: int
    """Registers of a thread that accumulators of one loop may take together."""
    many_accumulators: int
    """From so many on no register is kept through the loop that need not be."""
    few_accumulators: int
    """Up to so many, one warpgroup is enough."""
    load_clocks: int
    """How long a stage may take to arrive, while all multiprocessors load."""
    few_stages: int
    """So many do no harm."""
    max_stages: int
    cluster_blocks: int
    """Blocks that share what they load, if a hint says so."""

    def choose_groups(self, loops: Sequence[Sequence[Sequence[int]]]) -> int | None:
        """
        The number of warpgroups that multiply, given for each loop the shapes of all sums in it:
        one for small sums, else as many as it takes for accumulators to fit. None if they never do.
        """
        for groups in range(1, self.max_groups + 1):
            limit = self.max_accumulators if groups > 1 else self.few_accumulators
            if loop_registers(loops, groups) <= limit:
                return groups
        return None

    def exchanges_registers(self, groups: int, needed: int, blocks: int = 1) -> bool:
        """
        Whether producers should give registers to consumers, which takes four of them. Two blocks
        of a multiprocessor would not have enough to give.
        """
        cap = self.registers.cap(groups * GROUP_WARPS + 1)
        return blocks == 1 and needed + self.overhead_registers > cap

    def stage_clocks(self, multiply_adds: Sequence[tuple[int, int]], num_bytes: int) -> StageClocks:
        """For so many multiplications, each with the bits of its factors, and bytes of tiles."""
        rates = self.rates
        tensor = sum(count / rates.multiply_adds[max(bits, 8)] for count, bits in multiply_adds)
        return StageClocks(
            round(tensor), num_bytes // rates.l2_bytes, num_bytes // rates.memory_bytes
        )

    @property
    def nesting_clocks(self) -> StageClocks:
        """Of a loop with loops inside, which take as long as loads."""
        return StageClocks(self.load_clocks, 0, 0)

    def needed_stages(self, clocks: StageClocks) -> int:
        """Stages with which loads that take long are there in time: one is being used."""
        longest = max(1, clocks.tensor, clocks.l2)
        return min(self.max_stages, max(self.few_stages, 1 + -(-self.load_clocks // longest)))

    def wanted_stages(self, ring: Ring) -> int:
        """
        The number of stages of a ring that is enough. A load with the hint `latency` has as many
        stages as that and one more, which is being used.
        """
        if ring.clocks is None:
            return 1
        if ring.latency is not None:
            return max(MIN_STAGES, ring.latency + 1)
        return self.needed_stages(ring.clocks)

    def choose_stages(self, rings: Sequence[Ring], reserved: int, blocks: int = 1) -> Depths | None:
        """
        As many stages as each ring wants, but none more than all can have in what shared memory is
        not reserved. None if it has no room for one of each.
        """
        free = self.shared.of_block(blocks) - reserved
        wanted = [self.wanted_stages(ring) for ring in rings]
        deepest = max(wanted, default=1)
        for depth in range(deepest, 0, -1):
            stages = [min(depth, number) for number in wanted]
            total = sum(ring.bytes * number for ring, number in zip(rings, stages, strict=True))
            if total <= free:
                return Depths(stages, total, depth < deepest)
        return None

    def why_not_blocks(
        self, blocks: int, warps: int, registers: int, rings: Sequence[Ring], reserved: int
    ) -> str | None:
        """
        Why so many blocks of so many warps cannot share a multiprocessor; none if they can.
        Threads need their registers, and rings a stage to fill while another is used.
        """
        cap, needed = self.registers.cap(warps * blocks), registers + self.overhead_registers
        if needed > cap:
            return f"threads need about {needed} registers and would have {cap}"
        depths = self.choose_stages(rings, reserved, blocks)
        least = sum(ring.bytes * min(MIN_STAGES, self.wanted_stages(ring)) for ring in rings)
        if depths is None or depths.bytes < least:
            free = max(0, self.shared.of_block(blocks) - reserved)
            return f"rings need at least {least} bytes of shared memory and would have {free}"
        return None
