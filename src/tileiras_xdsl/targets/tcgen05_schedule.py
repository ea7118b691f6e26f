"""
`tcgen05`: the scheduling model of kernels whose accumulators are in tensor memory.

Multi-stage buffers are filled and chosen as those of WGMMA (`warpgroups`). What differs is where
accumulators are: in tensor memory, from where consumer warps read one at a time into registers, so
registers limit the largest accumulator, not their sum, and columns limit the sum. Nothing here was
measured: the numbers follow from the sizes of the hardware, or are those of an H200, as said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final

from .machine import WARPGROUP_WARPS, Rates, RegisterFile, SharedMemory
from .warpgroups import IterationWork, MultiStageBuffer, Warpgroups, accumulator_registers

INSTRUCTION_ROWS: Final = 128
"""Rows of tensor memory, and M of the MMAs that use all of it [I]."""
LEAST_ROWS: Final = 64
"""Of an MMA, which then uses half of the data path [I]."""
COLUMN_STEP: Final = 16
"""N of an MMA is a multiple of it."""
MOST_COLUMNS: Final = 256
"""N of an MMA."""
SLICE_REGISTERS: Final = 64
"""
Of an accumulator, in a thread that stores it by itself: with addresses and masks beside them, 128
do not fit in the 168 registers of nine warps.
"""
SCALE_STAGES: Final = 4
"""
Sets of scales of an MMA agent: threads write, or wait for loads of, some of them while MMAs read
another.
"""
PAIR_CTAS: Final = 2
"""CTAs of `cta_group::2` [I]."""
PAIR_COLUMN_STEP: Final = 32
"""N of an MMA of a pair is a multiple of it, for all kinds; CTAs have half of B's columns each."""
ALLOCATED_COLUMNS: Final = (32, 64, 128, 256, 512)
"""What `tcgen05.alloc` gives out [I]."""


def accumulator_columns(shape: Sequence[int]) -> int:
    """Columns of tensor memory for 32-bit accumulators of a shape, each with all its rows."""
    *batches, rows, columns = shape
    return prod(batches) * max(1, rows // INSTRUCTION_ROWS) * columns


@dataclass(frozen=True)
class TensorMemoryWarpgroups(Warpgroups):
    """The scheduling model of kernels with `tcgen05`."""

    columns: int = ALLOCATED_COLUMNS[-1]
    """Columns of tensor memory of an SM."""
    pair_ctas: int = field(default=PAIR_CTAS, kw_only=True)
    row_overhead_registers: int = 40
    """Registers of a thread beside a row of an accumulator: so attention does not spill [P]."""
    pipelined_overhead_registers: int = 64
    """The same if loops are software-pipelined."""
    least_gain: float = 1.2
    """
    How much faster two CTAs per SM have to be than one: they do not take turns as well as that
    (attention with d = 128 gains by the estimate of its schedule on sm_100, at 1.3, and loses on
    sm_103, at 1.16).
    """

    def two_ctas_pay(self, work: IterationWork) -> bool:
        """Whether two CTAs per SM are expected to be faster than one."""
        return work.alone >= self.least_gain * max(1, work.side_by_side)

    def why_not_two_ctas(
        self,
        warps: int,
        row_registers: int,
        buffers: Sequence[MultiStageBuffer],
        reserved: int,
    ) -> str | None:
        """
        Why there cannot be two CTAs per SM with so many consumer warps, of which threads hold rows
        of so many registers, and a producer warp; None if there can.
        """
        needed = row_registers + self.row_overhead_registers
        limit = self.registers.cap(2 * (warps + 1))
        if needed > limit:
            return f"threads need about {needed} registers and would have {limit}"
        if self.choose_stages(buffers, reserved, 2) is None:
            return "a stage of each multi-stage buffer does not fit in half of the shared memory"
        return None

    def registers_of_two_ctas(self, warps: int, row_registers: int) -> tuple[int, int] | None:
        """
        Registers of producer and consumer threads of two CTAs per SM whose loops are
        software-pipelined: a warpgroup loads and issues MMAs, and leaves to so many consumer warps
        what it does not need. None if rows of so many registers fit without that.
        """
        needed = row_registers + self.pipelined_overhead_registers
        if needed <= self.registers.cap(2 * (warps + 2)) or warps % WARPGROUP_WARPS:
            return None
        all_warps = warps + WARPGROUP_WARPS
        total = self.registers.cap(2 * all_warps) * all_warps
        left = (total - self.producer_registers * WARPGROUP_WARPS) // warps
        return self.producer_registers, left // self.registers.step * self.registers.step

    def first_to_double(self, buffer: MultiStageBuffer) -> tuple[int, int]:
        return buffer.bytes, -self.wanted_stages(buffer)

    def choose_num_warpgroups(
        self,
        live: Sequence[Sequence[Sequence[int]]],
        words: int = 0,
        operand_words: int | None = None,
    ) -> int | None:
        """
        The number of consumer warpgroups, given the shapes of accumulators that are live together:
        one for each 128 rows, and twice as many if a thread could not hold its part of a row. None
        if accumulators do not fit in tensor memory, or one of them never does in registers.
        """
        if any(sum(map(accumulator_columns, each)) > self.columns for each in live):
            return None
        shapes = [shape for each in live for shape in each]
        rows = max((shape[-2] for shape in shapes), default=INSTRUCTION_ROWS)
        num_warpgroups = max(1, rows // INSTRUCTION_ROWS)
        while num_warpgroups <= self.max_warpgroups:
            limit = (
                self.max_accumulator_registers
                if num_warpgroups > 1
                else self.max_single_warpgroup_accumulator_registers
            )
            if all(accumulator_registers(each, num_warpgroups) <= limit for each in shapes):
                return num_warpgroups
            num_warpgroups *= 2
        return None

    def pair_pays(self, rows: int, columns: int, k: int, bits: int) -> bool:
        """
        Whether a CTA with so many rows of a product is faster in a pair: if a step along K takes
        longer to load than to multiply, as with half of operand B it is loaded sooner.
        """
        work = [(rows * columns * k, bits)]
        alone, paired = (
            self.iteration_cycles(work, (rows + loaded) * k * bits // 8)
            for loaded in (columns, columns // self.pair_ctas)
        )
        return max(alone.tensor, alone.l2) > max(paired.tensor, paired.l2)

    def reallocates_registers(self, warps: int, needed: int, occupancy: int = 1) -> bool:
        """
        As with WGMMA, unless consumer warps have as many registers without that, beside a producer
        warp and one that issues MMAs.
        """
        cap = self.registers.cap(warps + 2)
        if cap >= self.consumer_registers or warps % WARPGROUP_WARPS:
            return False
        return occupancy == 1 and needed + self.overhead_registers > cap


def tensor_memory_warpgroups(
    shared: SharedMemory, registers: RegisterFile, rates: Rates
) -> TensorMemoryWarpgroups:
    """
    The model of an architecture:

    - consumer_registers, producer_registers: the most that consumer threads have, and what those of
      a producer warpgroup keep (with 24, producers of grouped products spill), which leaves 224 to
      two consumer warpgroups;
    - max_accumulator_registers, max_single_warpgroup_accumulator_registers: half of what a thread
      has, as it holds what it computes of an accumulator beside it (128x128 by one warpgroup,
      128x256 by two);
    - load_cycles: as on an H200, whose memory is as far away;
    - min_stages, max_stages: MMAs take half the cycles of WGMMA for the same tile, so more stages
      are on their way.
    """
    return TensorMemoryWarpgroups(
        shared=shared,
        registers=registers,
        rates=rates,
        max_warpgroups=2,
        consumer_registers=232,
        producer_registers=48,
        overhead_registers=32,
        max_accumulator_registers=128,
        high_pressure_accumulator_registers=128,
        max_single_warpgroup_accumulator_registers=128,
        interleaved_warpgroups=2,
        load_cycles=1600,
        min_stages=4,
        max_stages=12,
        enough_stages=3,
        cluster_ctas=2,
    )
