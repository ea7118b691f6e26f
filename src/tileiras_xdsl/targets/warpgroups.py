"""
WGMMA: the limits of the instruction, and the scheduling model of kernels around it, and of kernels
by `mma.sync` whose tiles are loaded in the same way.

`wgmma` reads operands from multi-stage buffers in shared memory, which TMA fills ahead of use. The
number of consumer warpgroups, of buffer stages and of CTAs per SM follows from the numbers of a
`Warpgroups`, which `hopper` has with the measurements that they come from. `docs/hopper.md` tells
how passes use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import prod
from typing import Final

from .machine import (
    LINE_BYTES,
    WARP_THREADS,
    WARPGROUP_THREADS,
    WARPGROUP_WARPS,
    Rates,
    RegisterFile,
    SharedMemory,
)

WGMMA_M: Final = 64
"""M of the instruction."""
MIN_COLUMNS: Final = 8
MAX_COLUMNS: Final = 256
"""Limits of N of the instruction."""
CHOOSING_REGISTERS: Final = 16
"""For a producer thread that has to find out which of several multi-stage buffers it fills."""
ALTERNATING_REGISTERS: Final = 24
"""
For addresses, counters and the like of a thread whose CTA alternates with another one: their loops
are not software-pipelined. Attention with tiles of 128×64 and d = 64 has 394 TFLOP/s, 336 with one
CTA; 355 software-pipelined, where threads spill [H200].
"""
MIN_STAGES: Final = 2
"""Double buffering: one buffer stage is filled while another is used."""


@dataclass(frozen=True)
class IterationCycles:
    """Lower bounds on the cycles of an iteration of a loop, by what limits it."""

    tensor: int
    """The tensor cores, for its MMAs."""
    l2: int
    """For its tiles, if they are in L2."""
    memory: int
    """For its tiles, if they come from memory, and no other CTA loads them."""


@dataclass(frozen=True)
class IterationWork:
    """Cycles that an iteration of a loop takes of the parts of an SM, each by itself [C]."""

    tensor: int
    """Of tensor cores."""
    special: int
    """Of exponentials and other special functions."""
    is_serial: bool = False
    """Whether threads work on the result of its only MMA before they can issue the next one."""


@dataclass(frozen=True)
class MultiStageBuffer:
    """A multi-stage buffer whose number of stages is to be chosen."""

    bytes: int
    """The size of one buffer stage."""
    cycles: IterationCycles | None
    """An iteration of the loop that fills it; None if it is filled once."""
    latency: int | None = None
    """The hint `latency`: how many loads are in flight at most, 1 to 10."""
    overlay: int | None = None
    """The number of a larger one in whose memory it is: they are used one after the other."""


@dataclass(frozen=True)
class BufferStages:
    """How many stages each multi-stage buffer has."""

    stages: Sequence[int]
    bytes: int
    """The size of all stages of all buffers."""


def accumulator_registers(shape: Sequence[int], num_warpgroups: int) -> int:
    """Registers per thread for 32-bit accumulators of a shape that warpgroups share."""
    return prod(shape) // (WARPGROUP_THREADS * num_warpgroups)


def live_registers(live: Sequence[Sequence[Sequence[int]]], num_warpgroups: int) -> int:
    """The most registers per thread for accumulators, given the shapes of those live together."""
    needed = [sum(accumulator_registers(shape, num_warpgroups) for shape in each) for each in live]
    return max(needed, default=0)


@dataclass(frozen=True)
class Pipelining:
    """
    The scheduling model of kernels in which producer warps load tiles by TMA, and consumer warps
    multiply them.
    """

    shared: SharedMemory
    registers: RegisterFile
    rates: Rates
    consumer_registers: int
    producer_registers: int
    """Registers per consumer and producer thread after register reallocation, at most."""
    overhead_registers: int
    """Registers for addresses, counters and the like, beside tiles."""
    load_cycles: int
    """Latency of the loads of a buffer stage, while all SMs load."""
    min_stages: int
    """Lower bound on the buffer stages that are asked for: this many do no harm."""
    max_stages: int
    enough_stages: int
    """With fewer buffer stages than that loads are waited for: K of dots is split instead."""
    cluster_ctas: int
    """CTAs of a cluster that multicast loads, if a hint says so."""
    max_accumulator_registers: int
    """Registers per thread that the accumulators of one loop may take together."""
    copying_registers: int = field(default=48, kw_only=True)
    """
    Registers per producer thread for copies of a tile by `cp.async`, which two consumer threads
    give.
    """
    min_warps: int = field(default=WARPGROUP_WARPS, kw_only=True)
    """Consumer warps from which on it pays."""
    min_row_bytes: int = field(default=LINE_BYTES, kw_only=True)
    """Bytes of the rows of operands along K, where that is split: those of the widest swizzle."""

    def registers_of_consumers(self, warps: int, given: int = 0, occupancy: int = 1) -> int:
        """
        Registers per thread of this many consumer warps after register reallocation, with this many
        CTAs per SM: a CTA has those that it was launched with, of which a producer warpgroup keeps
        its own and this many more.
        """
        kept = (self.producer_registers + given) * WARPGROUP_WARPS
        all_warps = warps + WARPGROUP_WARPS
        share = (self.registers.cap(all_warps * occupancy) * all_warps - kept) // warps
        return min(
            share // self.registers.step * self.registers.step, self.consumer_registers - given // 2
        )

    def reallocated_registers(
        self, warps: int, *, copies: int, chooses: bool = False, occupancy: int = 1
    ) -> tuple[int, int]:
        """
        Registers per producer thread and thread of this many consumer warps after register
        reallocation. Threads that copy tiles by `cp.async` have the addresses of their rows, too,
        of this many tiles at a time, and those that choose between multi-stage buffers the
        coordinates of more tiles.
        """
        more = self.copying_registers * copies
        more = max(more, CHOOSING_REGISTERS if chooses else 0)
        own = self.registers_of_consumers(warps, more, occupancy)
        return self.producer_registers + more, own

    def is_exclusive(self, warps: int) -> bool:
        """Whether the warpgroups of this many consumer warps keep turns until WGMMAs are done."""
        return False

    def ping_pong_pays(self, warps: int, work: Sequence[IterationWork]) -> bool:
        """Whether the warpgroups of this many consumer warps should take turns in some loops."""
        return False

    def reallocates_registers(
        self, warps: int, needed: int, occupancy: int = 1, *, alternates: bool = False
    ) -> bool:
        """
        Whether producer warps should give registers to this many consumer warps, which takes a
        producer warpgroup: those need more than they have beside one producer warp. Two CTAs of
        more than one warpgroup would not have enough to give, unless they alternate.
        """
        is_large = occupancy > 1 and warps > WARPGROUP_WARPS
        if warps % WARPGROUP_WARPS or (is_large and not alternates):
            return False
        return needed + self.overhead_registers > self.registers.cap((warps + 1) * occupancy)

    def default_occupancy(self, warps: int) -> int:
        """CTAs per SM that a kernel with this many consumer warps should have, if they fit."""
        return 1

    def fits(self, shapes: Sequence[Sequence[int]], warps: int) -> bool:
        """
        Whether a CTA of this many warps has registers for accumulators that are live together.
        """
        elements = self.max_accumulator_registers * WARP_THREADS * warps
        return sum(map(prod, shapes)) <= elements

    def iteration_cycles(
        self, multiply_adds: Sequence[tuple[int, int]], num_bytes: int
    ) -> IterationCycles:
        """For this many multiply-adds, each with the bits of its operands, and bytes of tiles."""
        rates = self.rates
        tensor = sum(count / rates.multiply_adds_of(bits) for count, bits in multiply_adds)
        return IterationCycles(
            round(tensor), num_bytes // rates.l2_bytes, num_bytes // rates.memory_bytes
        )

    @property
    def nesting_cycles(self) -> IterationCycles:
        """Of a loop with inner loops, which take as long as loads."""
        return IterationCycles(self.load_cycles, 0, 0)

    def needed_stages(self, cycles: IterationCycles) -> int:
        """Buffer stages that hide the load latency: one of them is being used."""
        longest = max(1, cycles.tensor, cycles.l2)
        return min(self.max_stages, max(self.min_stages, 1 + -(-self.load_cycles // longest)))

    def wanted_stages(self, buffer: MultiStageBuffer) -> int:
        """
        The number of stages that suffices for a multi-stage buffer. A load with the hint `latency`
        has as many stages as that and one more, which is being used.
        """
        if buffer.cycles is None:
            return 1
        if buffer.latency is not None:
            return max(MIN_STAGES, buffer.latency + 1)
        return self.needed_stages(buffer.cycles)

    def choose_stages(
        self, buffers: Sequence[MultiStageBuffer], reserved: int, occupancy: int = 1
    ) -> BufferStages | None:
        """
        Caps the wanted stages of all buffers at the largest common limit that fits in the shared
        memory that is not reserved; None if not even one stage of each fits. If that is one stage,
        smaller buffers have two as far as that fits, so that they are filled while used. A buffer
        in the memory of another has as many stages as fit there, and in what is left.
        """
        free = self.shared.per_cta(occupancy) - reserved
        wanted = [*map(self.wanted_stages, buffers)]
        most = max(wanted, default=1)
        for limit in range(most, 0, -1):
            stages = [min(limit, number) for number in wanted]
            total = 0
            for buffer, count in zip(buffers, stages, strict=True):
                total += buffer.bytes * count if buffer.overlay is None else 0
            if total > free:
                continue
            if limit == 1:
                for index in sorted(range(len(buffers)), key=lambda index: buffers[index].bytes):
                    if buffers[index].overlay is not None:
                        continue
                    if wanted[index] > 1 and total + buffers[index].bytes <= free:
                        stages[index] += 1
                        total += buffers[index].bytes
            for index, buffer in enumerate(buffers):
                if buffer.overlay is not None:
                    shared = buffers[buffer.overlay].bytes * stages[buffer.overlay]
                    room = shared + free - total
                    stages[index] = min(wanted[index], room // buffer.bytes)
                    total += max(0, stages[index] * buffer.bytes - shared)
            return BufferStages(stages, total)
        return None

    def why_not_occupancy(
        self,
        occupancy: int,
        warps: int,
        others: int,
        registers: int,
        buffers: Sequence[MultiStageBuffer],
        reserved: int,
        *,
        alternates: bool = False,
    ) -> str | None:
        """
        Why there cannot be this many CTAs per SM of this many consumer warps and others; None if
        there can. Threads need their registers, and multi-stage buffers a stage to fill while
        another is used.
        """
        cap = self.registers.cap((warps + others) * occupancy)
        if others and (warps == WARPGROUP_WARPS or alternates):
            cap = max(cap, self.registers_of_consumers(warps, occupancy=occupancy))
        needed = registers + (ALTERNATING_REGISTERS if alternates else self.overhead_registers)
        if needed > cap:
            return f"threads need about {needed} registers and would have {cap}"
        chosen = self.choose_stages(buffers, reserved, occupancy)
        # Buffers that are released one after the other are filled while another one is used.
        filled = [each for each in buffers if each.cycles is not None and each.overlay is None]
        stages = MIN_STAGES if len(filled) == 1 else 1
        least = sum(
            each.bytes * min(stages, self.wanted_stages(each))
            for each in buffers
            if each.overlay is None
        )
        if chosen is None or chosen.bytes < least:
            free = max(0, self.shared.per_cta(occupancy) - reserved)
            return (
                f"multi-stage buffers need at least {least} bytes of shared memory and would have "
                f"{free}"
            )
        return None


@dataclass(frozen=True)
class Warpgroups(Pipelining):
    """The scheduling model of kernels with WGMMA."""

    max_warpgroups: int
    """Consumer warpgroups."""
    high_pressure_accumulator_registers: int
    """Accumulator registers per thread from which on addresses are rematerialized in the loop."""
    max_single_warpgroup_accumulator_registers: int
    """Up to this many accumulator registers per thread, one warpgroup suffices."""
    interleaved_warpgroups: int
    """Consumer warpgroups where threads compute between MMAs, if their tiles fit in registers."""
    least_overhead_registers: int = field(default=16, kw_only=True)
    """
    Registers beside tiles where threads make an operand and multiply it in the same iteration.
    """
    pair_ctas: int = field(default=1, kw_only=True)
    """CTAs of a cluster that multiply together, each with half of operand B; 1 if none do."""

    def fits(self, shapes: Sequence[Sequence[int]], warps: int) -> bool:
        """The same, however many warps there are: the number of warpgroups is chosen for them."""
        return self.choose_num_warpgroups([shapes]) is not None

    def can_interleave(self, live: Sequence[Sequence[Sequence[int]]], operand_words: int) -> bool:
        """
        Whether there can be more warpgroups than accumulators need, so that some issue WGMMAs while
        others compute: each has the rows of one instruction of all accumulators, and registers for
        those that are live together, the largest computed operand and all else.
        """
        count = self.interleaved_warpgroups
        if any(shape[0] != WGMMA_M * count for shapes in live for shape in shapes):
            return False
        operand = -(-operand_words // (WARPGROUP_THREADS * count))
        needed = live_registers(live, count) + operand + self.overhead_registers
        return needed <= self.registers_of_consumers(WARPGROUP_WARPS * count)

    def has_registers_for_made(
        self, accumulator: Sequence[int], operand_words: int, partial_sums: int = 0
    ) -> bool:
        """
        Whether the most warpgroups have registers for an accumulator, this many partial sums of it
        at most, and an operand that threads make: if not of two iterations, at least of one.
        """
        count = self.max_warpgroups
        sums = live_registers([[accumulator]], count)
        made = operand_words // (WARPGROUP_THREADS * count)
        needed = sums + min(sums, partial_sums) + made + self.least_overhead_registers
        return needed <= self.registers_of_consumers(WARPGROUP_WARPS * count)

    def has_rows_for_one(self, live: Sequence[Sequence[Sequence[int]]], operand_words: int) -> bool:
        """
        Whether accumulators have the rows of one instruction, and two CTAs of one warpgroup have
        registers for them. Two warpgroups of one CTA would divide columns: rows are then reduced,
        and computed operands exchanged, through shared memory.
        """
        shapes = [*chain.from_iterable(live)]
        if not shapes or any(shape[0] > WGMMA_M for shape in shapes):
            return False
        ctas, operand = self.default_occupancy(WARPGROUP_WARPS), operand_words // WARPGROUP_THREADS
        # An instruction cannot name more registers than threads are launched with: more
        # instructions pay if operands need not be exchanged.
        launched = self.registers.cap(2 * WARPGROUP_WARPS * ctas)
        widest = max(accumulator_registers(shape, 1) for shape in shapes)
        if widest >= launched and not operand_words:
            return False
        needed = live_registers(live, 1) + operand + self.overhead_registers
        return needed <= self.registers_of_consumers(WARPGROUP_WARPS, occupancy=ctas)

    def default_occupancy(self, warps: int) -> int:
        """
        As many CTAs as have the most consumer warpgroups together: while the threads of one
        compute, tensor cores work for another.
        """
        return max(1, self.max_warpgroups * WARPGROUP_WARPS // warps)

    def can_alternate(self, registers: int, warps: int) -> bool:
        """
        Whether two CTAs of as many warpgroups as accumulators need share an SM where threads
        compute between MMAs, given the registers per thread for accumulators and the largest
        computed operand: while threads of one compute, tensor cores work for the other.
        """
        if warps != self.max_warpgroups * WARPGROUP_WARPS:
            return False
        most = self.registers_of_consumers(warps, occupancy=2)
        return registers + ALTERNATING_REGISTERS <= most

    def is_interleaved(self, warps: int) -> bool:
        """Whether this many consumer warps are more than accumulators need (`can_interleave`)."""
        many = self.interleaved_warpgroups
        return many > self.max_warpgroups and warps == many * WARPGROUP_WARPS

    def is_exclusive(self, warps: int) -> bool:
        # If each of four did, the tensor cores would wait for the next one too often: attention
        # with d = 64 has 494 instead of 541 TFLOP/s.
        return warps == self.max_warpgroups * WARPGROUP_WARPS

    def ping_pong_pays(self, warps: int, work: Sequence[IterationWork]) -> bool:
        """
        More warpgroups than accumulators need always take turns. Others do where special functions
        take as long as WGMMAs, so that the tensor cores are not the limit: on an H200 attention
        with d = 64 gains 3 % by it, causal 7 %, of f8 with d = 128 9 %. With d = 128 in f16, where
        WGMMAs take twice as long, it loses 1.4 %, causal 2.4 %, gradients of queries 5.6 %. Where a
        loop has one WGMMA, whose result threads work on before the next one, the tensor cores would
        have nothing to do meanwhile: f8 with scales of blocks gains 6 % by it.
        """
        if self.is_interleaved(warps):
            return True
        return bool(work) and all(each.special >= each.tensor or each.is_serial for each in work)

    def is_short_of_registers(self, words: int, num_warpgroups: int) -> bool:
        """Whether this many warpgroups have too few registers for the words of all live tiles."""
        needed = words // (WARPGROUP_THREADS * num_warpgroups) + self.overhead_registers
        return needed > self.registers.thread

    def choose_num_warpgroups(
        self,
        live: Sequence[Sequence[Sequence[int]]],
        words: int = 0,
        operand_words: int | None = None,
    ) -> int | None:
        """
        The number of consumer warpgroups, given the shapes of accumulators that are live together,
        and the words of all tiles that are: one for small accumulators, or if there are rows for
        no more, else as many as it takes for them to fit. None if accumulators never do.

        If the words of the largest operand in registers are given, more accumulators fit as long
        as that operand does beside them.
        """
        if self.has_rows_for_one(live, operand_words or 0):
            return 1
        for num_warpgroups in range(1, self.max_warpgroups + 1):
            limit = (
                self.max_accumulator_registers
                if num_warpgroups > 1
                else self.max_single_warpgroup_accumulator_registers
            )
            if live_registers(live, num_warpgroups) > limit:
                continue
            is_last = num_warpgroups == self.max_warpgroups
            if is_last or not self.is_short_of_registers(words, num_warpgroups):
                return num_warpgroups
        if operand_words is None:
            return None
        most = self.max_warpgroups
        operand = -(-operand_words // (WARPGROUP_THREADS * most))
        limit = self.consumer_registers - self.overhead_registers
        return most if live_registers(live, most) + operand <= limit else None
