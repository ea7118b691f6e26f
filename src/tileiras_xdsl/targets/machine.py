"""
The parts of an SM, in numbers; sources are those of `target`.

Static estimates (`cost`) ask for a `Timing` as well: how long the parts take. Every number in it
says where it is from, with the grades of `tcgen05_rates`: [A] NVIDIA publishes it, [B] others
measured it, [C] computed from those, [G] a guess. What was measured on an H200 says so.
"""

from __future__ import annotations

import re
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
PING_PONG_BARRIER: Final = 10
"""The first named barrier of ping-pong scheduling."""

BYTE_BITS: Final = 8
WORD_BITS: Final = 32
"""Bits of a register."""
SECTOR_BYTES: Final = 32
"""Bytes that L2 reads or writes at once."""
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
        """Limit of each CTA at this many CTAs per SM."""
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
        The registers per thread if this many warps, of all CTAs of an SM together, have the same
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
        """For operands of this many bits: as for wider ones, if the tensor cores have no such."""
        known = self.multiply_adds
        return known[min(each for each in known if each >= min(bits, max(known)))]


# What the SMs of a GPU share: the clock that its power allows, memory, L2, and what launches
# kernels.
#
# Everything here was measured on one GPU, whose name it has: `cost.report` makes microseconds
# of the clocks of an estimate with it. Where a target has none, estimates stay in clocks.


@dataclass(frozen=True)
class ClockDrop:
    """
    By how many MHz work lowers the clock, for what an SM does in each clock on average. The clock
    follows the power that work draws within microseconds, and its drop grows with that power in
    proportion, so that phases of a kernel can be averaged.
    """

    multiply_adds: Mapping[str, float]
    """Of tensor cores at their full rate on random numbers, by the type of operands."""
    l2_byte: float
    """For each byte to or from L2."""
    issue: float
    """Of threads that issue an instruction of each sub-partition."""

    def of_multiply_adds(self, element: str) -> float:
        """For operands of a type: as for f16, if it was not measured."""
        return self.multiply_adds.get(element, self.multiply_adds["f16"])


FEW_PARAMETER_BYTES: Final = 32
"""
Of a kernel that is launched faster: the same copy of 132 CTAs takes 1.02 µs with 32 bytes, and 1.19
with 36 (H200, graphs, 2026-11-19).
"""


@dataclass(frozen=True)
class Board:
    """What SMs share."""

    gpu: str
    """A part of its name, as the driver says it."""
    gigahertz: float
    """The highest clock."""
    drop: ClockDrop
    memory_bandwidth: float
    """Bytes a nanosecond that large kernels achieve."""
    l2_bytes: int
    """What L2 keeps from one launch to the next."""
    launch: float
    """Microseconds from the end of a kernel to the first instruction of the next one."""
    cta: float
    """Nanoseconds to launch a CTA that returns at once, if an SM has room for one."""
    least_cta: float
    """The same, however many an SM has room for."""
    returning_cta: float
    """
    Nanoseconds of a CTA that finds out, after all that comes before its loop, that others do its
    work, if an SM has room for one.
    """
    parameters: float = 0.0
    """Microseconds that a launch takes longer with more than `FEW_PARAMETER_BYTES`."""
    overlap: float = 8.0
    """
    How well SMs work while memory does: what takes s and m alone takes (s^p + m^p)^(1/p) together.
    The closer both are, the more often one waits for the other.
    """

    def together(self, sm: float, memory: float) -> float:
        """How long SMs and memory take together that take so long alone."""
        longest = max(sm, memory)
        if not memory or not sm:
            return longest
        power = self.overlap
        return longest * ((sm / longest) ** power + (memory / longest) ** power) ** (1 / power)

    def first_launch(self, parameter_bytes: int) -> float:
        """Microseconds from the end of a kernel to the first instruction of one with parameters."""
        return self.launch + (self.parameters if parameter_bytes > FEW_PARAMETER_BYTES else 0.0)

    def return_time(self, room: int) -> float:
        """Nanoseconds for each CTA that returns at once, if an SM has room for this many."""
        return max(self.least_cta, self.returning_cta / room)

    def launch_time(self, ctas: int, occupancy: int) -> float:
        """Microseconds to launch this many CTAs."""
        return ctas * max(self.least_cta, self.cta / occupancy) / 1e3


# The name of an architecture, `sm_90a`, as options, attributes and launch records have it.

_NAME = re.compile(r"sm_(\d{1,2})(\d)([af]?)")
_NUMBER = re.compile(r"(\d{1,2})(\d)()")
_VERSION = re.compile(r"(\d{1,2})\.(\d)()")

CapabilityOption = str | int | float | None
"""xDSL reads `sm_90` as a string, `90` as an integer and `9.0` as a float."""


@dataclass(frozen=True, order=True)
class ComputeCapability:
    """An architecture: `sm_90a` is major 9, minor 0, suffix `a`."""

    major: int
    minor: int
    suffix: str = ""

    @staticmethod
    def parse(option: CapabilityOption) -> ComputeCapability:
        """From `sm_90`, `sm_90a`, `90` or `9.0`; `ValueError` for anything else."""
        text = "" if option is None or isinstance(option, bool) else str(option)
        for form in (_NAME, _NUMBER, _VERSION):
            if (match := form.fullmatch(text)) is not None:
                major, minor, suffix = match.groups()
                return ComputeCapability(int(major), int(minor), suffix)
        raise ValueError(f"'{text}' is no compute capability (expected sm_90, sm_90a, 90 or 9.0)")

    @property
    def number(self) -> int:
        """90 for sm_90a."""
        return self.major * 10 + self.minor

    @property
    def base_name(self) -> str:
        """`sm_90` for sm_90a."""
        return f"sm_{self.number}"

    @property
    def name(self) -> str:
        return f"{self.base_name}{self.suffix}"


# What people call GPUs: `sm_90`, `sm90`, `90`, `9.0`, `H200`.

PRODUCTS: Final = {
    "sm_80": ("A30", "A100", "A800"),
    "sm_86": ("A10", "A16", "A40", "RTX 30"),
    "sm_87": ("Orin",),
    "sm_89": ("L4", "L40", "L40S", "RTX 40"),
    "sm_90": ("H20", "H100", "H200", "H800", "GH200"),
    "sm_100": ("B100", "B200", "GB200"),
    "sm_103": ("B300", "GB300"),
    "sm_110": ("Thor",),
    "sm_120": ("RTX 50", "RTX PRO 6000"),
    "sm_121": ("GB10", "DGX Spark"),
}
"""
GPUs by architecture, as NVIDIA's table of CUDA GPUs lists them. Of GeForce cards the series: an
RTX 4090 is of `RTX 40`.
"""


DEFAULT_GPU: Final = "sm_90"
"""What programs are looked at for if nobody says which."""


def gpu_name(gpu: str | int) -> str:
    """
    The name of an architecture, for whatever names it; what names none is returned as it is, for
    others to refuse.
    """
    text = str(gpu)
    if (match := re.fullmatch(r"(?:sm[_-]?)?(\d{2,3}[af]?)", text, re.IGNORECASE)) is not None:
        return f"sm_{match[1].lower()}"
    try:
        return ComputeCapability.parse(text).name
    except ValueError:
        return _BY_PRODUCT.get(_key(text), text)


def closest_product(name: str) -> str | None:
    """The GPU of the table whose name is nearly this one, if there is one."""
    from difflib import get_close_matches

    known = {_key(product): product for products in PRODUCTS.values() for product in products}
    close = get_close_matches(_key(name), known, 1, cutoff=0.8)
    return known[close[0]] if close else None


def _key(name: str) -> str:
    """A product without what is not needed to tell it from others."""
    # Drivers also say how much memory there is: H100 80GB HBM3, A100-SXM4-80GB.
    key = re.sub(r"\b\d+ ?gb\b.*$", "", name.lower())
    key = re.sub(r"nvidia|geforce|[\s_-]", "", key)
    if (series := re.fullmatch(r"rtx([345])0\d0(ti|super|tisuper|d)?", key)) is not None:
        return f"rtx{series[1]}0"
    return re.sub(r"(?<=\d)(sxm|pcie|nvl)\d?$", "", key)


_BY_PRODUCT: Final = {
    _key(product): arch for arch, products in PRODUCTS.items() for product in products
}


@dataclass(frozen=True)
class Timing:
    """Throughput per clock of an SM, and latencies in clocks."""

    alu_lanes: int = 64
    """Integers, comparisons, minima and maxima, conversions: the CUDA C++ programming guide [A]."""
    packed_elements: int = 2
    """
    Elements that one instruction converts to 16 bits or less (`cvt.…x2`), or that one of a
    reduction takes in where there are minima of three [A].
    """
    shared_bytes: int = 128
    """
    Bytes of shared memory, for reads and writes by threads and tensor cores [B]: an H200 does
    m64n32k16 of operands there in 25.7 clocks, 64n64k16 in 32.5. Atomics of threads without old
    values take as long as stores. What TMA writes is not counted there: nobody says that it takes
    turns with reads of MMAs [G].
    """
    staging_elements: int = 0
    """
    Elements that threads convert and write into a staging buffer, from which TMA stores them; 0 if
    nobody measured it, and it is as fast as any write.
    """
    atomic_sectors: float = 0.32
    """
    Sectors of 32 bytes that L2 updates atomically, for each SM while all do: 79 a nanosecond for
    an H200, 2^24 counts of one address each (`histogram`).
    """
    tensor_memory_bytes: int = 512
    """
    Bytes of tensor memory that threads load, and as many that they store: a column of the lanes of
    each warp [G].
    """
    tensor_memory_latency: int = 40
    """From a load of tensor memory to its first words [G]."""
    mma_latency: int = 64
    """From the end of an asynchronous MMA to the arrival of its commit [G]."""
    mma_issue: int = 8
    """Clocks of the thread that issues an MMA of one instruction [G]."""
    mma_setup: int = 0
    """
    From the wait for a buffer stage to the only WGMMA of an iteration, where threads load tiles
    beside it: they compute addresses as well as descriptors, and have nothing else to do.
    """
    mma_queue: int = 6
    """
    WGMMAs that wait for the tensor cores of a sub-partition, of all its warps: threads stop at the
    next one until there is room. An H200: of m64n128k16 in a row, which take 64 clocks each, a warp
    issues 7 in 35 clocks, the eighth when the first is done, and so on, with operand A in registers
    as in shared memory. One of another warpgroup that comes meanwhile is issued when all of those
    are.
    """
    mma_slots: int = 0
    """
    Issue slots of a warp for each WGMMA: the instruction, two additions and a move that make the
    descriptors of the next one.
    """
    stage_slots: int = 0
    """The same for a buffer stage: its phase, the wait, a branch, the next stage, a release."""
    barrier_slots: int = 0
    """The same for a turn: a wait, and an arrival."""
    wait: int = 24
    """From an arrival on an mbarrier to threads that go on [G]."""
    barrier: int = 24
    """A named barrier of some warps [G]."""
    arithmetic_latency: int = 12
    """From the first elements of a tile to the first ones of a result [G]."""
    special_latency: int = 24
    """The same of special functions [G]."""
    in_order: bool = False
    """
    Whether a warp issues the instructions of ops on tiles in order, and schedulers share units out
    to warps (`cost.clock`). If not, ops overlap as if they were independent.
    """
    load: int = 1600
    """Latency of tiles from L2 and memory while all SMs load: an H200, `warpgroups.load_cycles`."""
    store_slots: float = 1.0
    """How many times longer L2 takes for bytes that threads store than for those that they load."""
    copy: int = 4
    """
    Clocks of shared memory, which is the L1 cache as well, of a `cp.async` of a warp: products of
    rows of 4 bytes on an H200 take 2200 to 2330 clocks for an iteration of 128x256x64, and 1320 to
    1340 of 128x128x64, of which MMAs read operands for 640 and 384; 384 and 256 copies are left.
    """
    element_copy: int = 6
    """
    The same of elements of 2 bytes that a warp loads and stores: 4990 and 3380 clocks for an
    iteration of these tiles, for 768 and 512 loads.
    """
    thread_load: int = 0
    """The same of tiles that threads load; 0 if it is as long."""
    memory_load: int = 0
    """The same if arrays are larger than what L2 keeps, and come from memory."""
    masked_atomic: int = 0
    """
    Clocks of a warp for each element of a thread that a masked atomic op updates: ptxas branches
    around each of them, and a warp waits at a branch.
    """
    store: int = 0
    """From the last store of a CTA to its end."""
    idle_share: float = 1.0
    """Of the latency of loads and stores, what is left of it while no other SM has any."""
    scalar_division: int = 130
    """
    Of a warp that divides integers of 32 bits: two conversions and a reciprocal, behind each other,
    and 12 additions and products. An H200, as `shuffle` and `exchange`.
    """
    branch: int = 60
    """Of a warp that jumps over the slow path of an element: it waits for the fast one [G]."""
    chained: int = 4
    """From an addition to the next one that needs its result [B]."""
    shuffle: int = 23
    """Of an exchange between lanes and what follows."""
    exchange: int = 60
    """Of an exchange between warps: a store, a barrier and a load of shared memory."""
    mma_sync_share: float = 1.0
    """Of the rates of the target, what `mma.sync` reaches."""
    agent_setup: int = 1000
    """Clocks before a CTA does something: barriers, tensor maps, the first instructions [G]."""
    setup: int = 1000
    """The same of a CTA without agents [G]."""
    fetch: float = 0.0
    """Clocks of an SM for each instruction that it executes first: it comes from L2."""
