"""
What an architecture is, as passes and the back end ask for it.

A `Target` has numbers of the hardware, the instructions and launch features that exist, how fast
they are, and the numbers by which passes choose. There is one module for each family:

| module | architectures |
| --- | --- |
| `ampere` | sm_80, sm_86, sm_87, sm_88, sm_89 |
| `hopper` | sm_90, sm_90a |
| `blackwell_datacenter` | sm_100, sm_103, sm_107, sm_110, with the suffixes a and f |
| `blackwell_consumer` | sm_120, sm_121, with the suffixes a and f |

`target_of` finds the target of a capability. No pass compares the numbers of architectures: what
it wants to know is asked here, so that a new architecture is a new module and nothing else. What
does not differ between architectures is beside it: `tma` has the rules of TMA, `warpgroups` the
scheduling model of WGMMA.

Sources are named once, here: [G] the tables "Technical specifications per compute capability" of
the CUDA C++ programming guide, [I] the PTX ISA, [L] LLVM 22, which prints the code said or refuses
it, [P] ptxas 13.4, which does, [W] NVIDIA's whitepaper of the architecture. What was measured says
where, and names the case of `benchmarks/gpu` that guards it.

`find_occupancy` is how many CTAs of a kernel share an SM.

Importing this imports no dialects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from .machine import (
    KIB,
    WARP_THREADS,
    Board,
    ComputeCapability,
    Rates,
    RegisterFile,
    SharedMemory,
    Threads,
    Timing,
)
from .tcgen05 import Tcgen05Rates, TensorMemory
from .warpgroups import Pipelining, Warpgroups

Feature = Literal[
    "cp.async",
    "ldmatrix",
    "redux",
    "cvt.f8",
    "cvt.tf32",
    "stmatrix",
    "tma",
    "tma.cta",
    "multicast",
    "clusters",
    "griddepcontrol",
    "setmaxnreg",
    "wgmma",
    "cvt.f4",
    "f32x2",
    "max3",
    "mma.f8f6f4",
    "mma.block_scale",
    "tcgen05",
    "tcgen05.i8",
    "tcgen05.shift",
    "tcgen05.scale_input_d",
    "tcgen05.ld.red",
    "tcgen05.k96",
    "tma.cta_group",
    "tma.gather4",
    "tma.scatter4",
    "clusterlaunchcontrol",
]
"""
What an architecture may have, in the order in which they came:

- cp.async: copies of 4, 8 or 16 bytes to shared memory that threads wait for later;
- ldmatrix, stmatrix: 8x8 matrices between shared memory and the fragments of `mma`;
- redux: reductions of integers over a warp;
- cvt.f8, cvt.f4: conversions of pairs of floats of 8 or 4 bits;
- cvt.tf32: one instruction that rounds f32 to tf32, to nearest even or to zero;
- tma, multicast: TMA tiles, into the shared memory of one CTA or several;
- tma.cta: loads of TMA tiles for the CTA itself only, where those for clusters are slow;
- clusters: CTAs that reach each other's shared memory, and the scope `cluster`;
- griddepcontrol: programmatic dependent launch;
- setmaxnreg: register reallocation between warps;
- wgmma: MMAs of warpgroups, with operands in shared memory;
- f32x2, max3: arithmetic on pairs of f32, the minimum and maximum of three;
- mma.f8f6f4: `mma.sync` of floats of 8, 6 and 4 bits, each type with each, also into f16;
- mma.block_scale: `mma.sync` of floats of 8 and 4 bits that have a scale for each block along K;
- tcgen05: MMAs with accumulators in tensor memory; beside what all of these have: products of
  8-bit integers (i8), rows that move on to the next lane (shift), accumulators that are scaled by a
  power of two (scale_input_d), loads with the minimum or maximum of a row (ld.red), K = 96 of
  4-bit operands (k96);
- tma.cta_group, tma.gather4, tma.scatter4: TMA loads that complete on an mbarrier of the other CTA
  of a pair; TMA tiles of four rows that lie anywhere, to shared memory of a cluster, and from it;
- clusterlaunchcontrol: running CTAs take over the work of others that have not started.
"""


def features(*names: Feature) -> frozenset[Feature]:
    """Some features, with their type."""
    return frozenset(names)


Shape = tuple[int, int, int]
"""Instruction shape of an MMA: M, N and K."""


@dataclass(frozen=True)
class WarpChoice:
    """
    How many warps a kernel without hints has (`transforms/common/kernel_spec.py`). All of it was
    measured on an H200; no other family has numbers of its own yet.
    """

    elements: tuple[tuple[int, int], ...] = ((32768, 16), (8192, 8), (1024, 4), (128, 2))
    """
    Number of elements of the largest tensor from which on a kernel has this many warps. Large ones
    need the registers (`softmax`, `layer_norm`). Of 128 to 512, one warp waits for each step alone:
    split-k reductions of decoding and `chunk_cumsum` take 0.81 to 0.85 of the time by two,
    quantization and gated linear units as long (H200, 2026-11-19).
    """
    large_copy: int = 1024
    """
    From how many words on eight warps move them faster, if threads need not combine them
    (`vector_add`, `transpose`): each thread has an access of 16 bytes. Half as many words by four
    warps take 0.89 of the time (`relu` of TileGym).
    """
    most: int = 32
    """
    Warps that a kernel without dots has at most: three loads and two stores of 16384 bf16, for
    which an SM has registers once, take 0.89 of the time that they take by 16
    (`swiglu 8192x14336 backward`, H200, 2026-11-19).
    """
    most_combining: int = 16
    """
    The same, if threads combine elements: 32 take 1.03 to 1.16 of the time (softmax of rows of
    32768, cross entropy of 32000, H200, 2026-11-19).
    """
    small_dot: int = 64 * 64
    """Elements of the largest accumulator for which four warps suffice."""
    flat_dot: int = 128 * 128
    flat_k: int = 32
    flat_bits: int = 512
    """
    Four warps also suffice for a dot of small K: two such CTAs share an SM, and larger tiles per
    warp read less shared memory (430 instead of 298 TFLOP/s, in f16, by `mma`:
    `matmul_128x128x32` compiled for sm_80). With a larger K they would spill.
    """


@dataclass(frozen=True)
class Privatization:
    """
    When atomics update a copy in shared memory first (`privatize-atomics`). All of it was measured
    on an H200, with 2^24 numbers and hand-written PTX of the same structure (`histogram` guards
    it); no other family has numbers of its own yet.
    """

    bytes: int = 64 * KIB
    """
    Of the copy, if that is not more than half of what a CTA can have: 36 µs instead of 250 for
    16384 counts. A kernel that does not use it loses nothing (188 µs for 65536).
    """
    ctas: int = 2
    """
    CTAs per SM that share the work (4096 counts: 32 µs, with four 35, with one 38). There is room
    for one more: those without work start and end beside them.
    """
    elements: int = 4096
    """
    Updates of an iteration, whose loads are in flight together (4096 counts, two CTAs: 32 µs; with
    1024 updates 46).
    """
    warps: int = 8
    """Of a CTA, however small tiles are: what few CTAs per SM have in flight is all there is."""
    additions: int = 2
    """
    Additions to global memory for each update up to which it pays. Those of neighbouring elements
    take 4 ps, updates of random ones 48 ps (of 4096) to 11 (of 65536).
    """


@dataclass(frozen=True)
class ThreadLimits:
    """Limits of the code of a thread (`convert-tileas-to-nvgpu`)."""

    elements: int = 4096
    """Elements of a tile per thread. The time of ptxas grows faster than their number."""
    scratch_goal: int = 32 * KIB
    scratch_least: int = 8 * KIB
    """Scratch memory that layout conversions may take to save barriers and rounds."""
    scratch_share: int = 4
    """
    Multi-stage buffers without warp specialization leave layout conversions what these want of a
    quarter of shared memory; what does not fit, even in rounds, gets more.
    """
    store_buffers: int = 64 * KIB
    """
    Shared memory for tiles that warpgroups store asynchronously, each on its own
    (`matmul_persistent`, `matmul_128x256x64`).
    """


@dataclass(frozen=True)
class CtaResources:
    """What a CTA takes of an SM."""

    warps: int
    registers: int
    """Of a thread, for the tiles that are live at once."""
    shared: int
    """Bytes of shared memory."""
    held: int = 0
    """Registers for the tiles that are live across a reduction and the like, and cannot wait."""


@dataclass(frozen=True)
class Streaming:
    """
    How far ahead loops without dots load (`tileas-unspecialized-pipeline`). Of what memory delivers
    until a load returns, all must be on its way: on an H200 32 KiB per SM.
    """

    load_cycles: int = 1600
    """Latency of a load while all SMs load; `Warpgroups` has the same."""
    warps: int = 16
    """
    Warps of an SM that shared memory is to suffice for, all CTAs together, if the grid may be
    large: four for each sub-partition to choose from.
    """
    max_stages: int = 8
    """
    4x4096 bf16 of an `rms_norm` per stage, one CTA per SM: 52 µs, with 2, 4 and 6 stages 40.4, 40.0
    and 39.6.
    """
    resident_warps: int = 32
    """
    Warps of an SM that registers are to suffice for, in kernels without dots: when some wait for
    memory, others compute (`silu_and_mul`, two rows of 8192 bf16 by eight warps: 108 µs with 118
    registers, 98.5 with 64).
    """
    early_warps: int = 24
    """
    Warps of an SM that registers are to suffice for if what is needed behind a reduction is loaded
    before it (`layer_norm` of 8192 rows of 4096 bf16 by four warps: 37.9 µs with 91 registers, 35.8
    with 80; an `rms_norm` of 16 rows 1.6 µs instead of 1.8).
    """
    registers: int = 32
    """
    Registers of a thread for all that is no tile. Hints of more CTAs than have them, beside tiles
    that are live across a reduction, are not followed: a softmax of rows of 32768 by 16 warps of 64
    registers takes 1.31 of the time that it takes with 128, and 1.71 if stores are by TMA (H200,
    `softmax 8192x32768` of the board, 2026-11-19).
    """

    def latency_bytes(self, rates: Rates) -> int:
        """What memory delivers to an SM until a load returns."""
        return self.load_cycles * rates.memory_bytes

    def hides_loads(self, rates: Rates, size: int, ctas: int) -> bool:
        """
        Whether memory is busy while one of this many CTAs per SM computes, because each of the
        others loads this many bytes (softmax of 8192 x 8192 bf16, a row at a time by four CTAs per
        SM: 75.2 µs; 77.4 if each of them loads its next rows as well).
        """
        return (ctas - 1) * size >= self.latency_bytes(rates)

    def stages(
        self, rates: Rates, size: int, ctas: int, free: int, latency: int | None, least: int = 2
    ) -> int:
        """
        Buffer stages of this many bytes: one that is being used, and those that are on their way,
        of all CTAs of an SM together, but no more than the hint `latency` says. These are at least
        so many for each unless they do not fit in its share of shared memory, which two stages in
        all may exceed; more would leave room for fewer CTAs (`layer_norm` of rows of 4096 in tiles
        of 1024, 3 and 4 stages: 3354 and 3375 GB/s; 8 stages, for which 4 CTAs fit: 2855).
        """
        ahead = max(least, -(-self.latency_bytes(rates) // (size * ctas)))
        if latency is not None:
            ahead = min(latency, ahead)
        return max(2, min(1 + ahead, self.max_stages, free // size))

    def occupancy(self, target: Target, resources: CtaResources) -> int:
        """
        CTAs per SM, up to `resident_warps`, for which tiles and all else have registers; two if
        tiles have: a few spills cost less than half of the warps.
        """
        most = self.resident_warps // resources.warps
        fitting = (n for n in range(most, 2, -1) if self.has_room(target, resources, n))
        two = most > 1 and target.why_not_resident(2, resources) is None
        return next(fitting, 2 if two else 1)

    def has_room(self, target: Target, resources: CtaResources, occupancy: int) -> bool:
        """Whether there can be this many CTAs per SM, with registers for all else than tiles."""
        needed = replace(resources, registers=resources.registers + self.registers)
        return target.why_not_resident(occupancy, needed) is None


@dataclass(frozen=True)
class Relative:
    """An architecture whose PTX is also that of another, but for its first lines."""

    base_name: str
    """`sm_103`"""
    ptx_version: int
    """The first that has the other one [P]: 94 is PTX 9.4."""


@dataclass(frozen=True)
class Target:
    """An architecture: its limits, features and rates, and the numbers by which passes choose."""

    capability: ComputeCapability
    ptx_version: int
    """The first PTX version that has it [L]: 80 is PTX 8.0."""
    shared: SharedMemory
    threads: Threads
    rates: Rates
    features: frozenset[Feature]
    mma: Mapping[str, Shape]
    """The shape of `mma.sync` that passes use for operands of each type, by its name in PTX."""
    vector_reductions: Mapping[str, int]
    """
    How many neighbouring elements in global memory one `red` updates at most, each atomically, by
    element type; others one [I].
    """
    registers: RegisterFile = field(default_factory=RegisterFile)
    tensor_memory: TensorMemory | None = None
    """Of an SM, where accumulators of `tcgen05` are."""
    tcgen05: Tcgen05Rates | None = None
    """How fast MMAs with accumulators there are."""
    cluster: int = 1
    """CTAs per cluster at most, without asking for more [G]."""
    tile_ctas: int = 1
    """CTAs of a cluster that share a tile that does not fit in the registers of one."""
    block_neighbours: int = 8
    """
    Tile blocks of equal work that start together (`tileas-order-tile-blocks`). With 4 or more, the
    SMs finish at about the same time; all of them read other tensors.
    """
    warpgroups: Warpgroups | None = None
    """The scheduling model of WGMMA, where passes use it."""
    mma_pipelining: Pipelining | None = None
    """
    The scheduling model of kernels by `mma.sync` whose operands producer warps load by TMA, where
    passes use it; else threads load them by `cp.async`.
    """
    parameter_base: int = 0x160
    """Where the parameters of a kernel begin in constant memory, which cubins say, too [P]."""
    warps: WarpChoice = field(default_factory=WarpChoice)
    limits: ThreadLimits = field(default_factory=ThreadLimits)
    streaming: Streaming = field(default_factory=Streaming)
    privatization: Privatization = field(default_factory=Privatization)
    timing: Timing = field(default_factory=Timing)
    """What static estimates ask."""
    board: Board | None = None
    """What SMs share, where that was measured: it makes microseconds of clocks."""
    relative: Relative | None = None
    """What LLVM compiles for in its place, if LLVM does not know it."""

    @property
    def name(self) -> str:
        """`sm_90a`"""
        return self.capability.name

    @property
    def llvm_name(self) -> str:
        """What LLVM compiles for."""
        if self.relative is None:
            return self.name
        return f"{self.relative.base_name}{self.capability.suffix}"

    def has(self, feature: Feature) -> bool:
        """Whether the architecture has a feature."""
        return feature in self.features

    def meets(self, requirement: Requirement) -> bool:
        """Whether the architecture has an instruction with some requirement."""
        number = self.capability.number
        if requirement.feature is not None:
            return self.has(requirement.feature)
        if requirement.only:
            return number in requirement.only and bool(self.capability.suffix)
        return number >= requirement.lowest

    def why_not_resident(self, ctas: int, resources: CtaResources) -> str | None:
        """Why an SM cannot hold this many CTAs; None if it can."""
        have = self.registers.cap(ctas * resources.warps)
        if resources.registers > have:
            return f"tiles take about {resources.registers} registers per thread, of {have}"
        # What computes few elements of a thread takes few registers.
        others = min(self.streaming.registers, resources.held // 2)
        if resources.held + others > have:
            return (
                f"tiles that are live at once take about {resources.held} registers per thread and "
                f"all else {others}, of {have}"
            )
        return self.why_no_room(ctas, resources)

    def why_no_room(self, ctas: int, resources: CtaResources) -> str | None:
        """Why an SM cannot hold this many CTAs, even if their threads spill; None if it can."""
        if ctas > 1 and resources.shared > self.shared.per_cta(ctas):
            return (
                f"each takes {resources.shared} bytes of shared memory, and would have "
                f"{self.shared.per_cta(ctas)}"
            )
        threads = ctas * resources.warps * WARP_THREADS
        if threads > self.threads.per_sm or ctas > self.threads.blocks:
            return (
                f"an SM holds {self.threads.per_sm} threads and {self.threads.blocks} CTAs, not "
                f"{threads} threads in {ctas} CTAs"
            )
        return None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Requirement:
    """The architectures that have an instruction, as the PTX ISA says it."""

    lowest: int
    """90 for sm_90 and later."""
    only: tuple[int, ...] = ()
    """Only variants with a suffix of these, where there are any: (90,) is sm_90a."""
    feature: Feature | None = None
    """Only those that have this, whatever their numbers."""

    @staticmethod
    def of(feature: Feature) -> Requirement:
        """What has a feature."""
        return Requirement(0, feature=feature)

    def __str__(self) -> str:
        names = [f"sm_{number}a" for number in self.only]
        if self.feature is not None:
            having = (each for each in all_targets().values() if self.feature in each.features)
            names = [each.name for each in having if each.capability.suffix == "a"]
        if names:
            *others, last = names
            return f"{', '.join(others)} or {last}" if others else last
        return f"sm_{self.lowest} or later"


class UnknownTarget(ValueError):
    """An architecture that is unknown, or that cannot be compiled for."""


_KNOWN: Final[dict[str, Target]] = {}
"""Every architecture, by its name; the package adds those of its modules."""


def all_targets() -> Mapping[str, Target]:
    """Every architecture, by its name."""
    return _KNOWN


def add_target(target: Target) -> None:
    """Adds an architecture to this process."""
    if target.name in _KNOWN:
        raise ValueError(f"there is a target {target} already")
    _KNOWN[target.name] = target


def base_names() -> tuple[str, ...]:
    """The architectures that can be compiled for, without suffixes."""
    return tuple(dict.fromkeys(each.capability.base_name for each in all_targets().values()))


def expected_names() -> str:
    """What to say of an architecture that cannot be compiled for: which can."""
    return f"(expected one of {', '.join(base_names())})"


def target_of(capability: ComputeCapability) -> Target:
    """The target of a capability; `UnknownTarget` if there is none."""
    found = all_targets().get(capability.name)
    if found is None:
        raise UnknownTarget(f"cannot compile for {capability.name} {expected_names()}")
    return found


def with_suffix(capability: ComputeCapability) -> ComputeCapability:
    """
    What code for an architecture is compiled for: `sm_90`, `sm_100` and the like mean the variants
    with the suffix `a`, as with tileiras. The instructions that make those architectures what they
    are exist there only.
    """
    full = ComputeCapability(capability.major, capability.minor, "a")
    return full if not capability.suffix and full.name in all_targets() else capability


@dataclass(frozen=True)
class Occupancy:
    """CTAs per SM that a launch can have."""

    ctas: int
    warps: int
    """Of all those CTAs."""
    most_warps: int
    """That an SM can have."""
    limits: Mapping[str, int]
    """CTAs per SM that each resource alone would allow."""

    @property
    def share(self) -> float:
        """Of the warps that an SM can have."""
        return self.warps / self.most_warps

    @property
    def limit(self) -> str:
        """The resource that allows fewest CTAs."""
        return min(self.limits, key=lambda each: self.limits[each])

    def __str__(self) -> str:
        ctas = "1 CTA" if self.ctas == 1 else f"{self.ctas} CTAs"
        return f"{ctas} per SM, {self.warps} of {self.most_warps} warps, limited by {self.limit}"


def find_occupancy(
    target: Target, threads: int, registers: int | None, shared: int, columns: int = 0
) -> Occupancy:
    """
    The occupancy of a kernel whose CTAs have this many threads, with this many registers each (none
    if that is not known), bytes of shared memory, and columns of tensor memory.
    """
    warps = -(-threads // WARP_THREADS)
    most_warps = target.threads.per_sm // WARP_THREADS
    limits = {"CTAs": target.threads.blocks, "threads": most_warps // warps}
    if shared:
        limits["shared memory"] = target.shared.per_sm // (shared + target.shared.reserved)
    if registers:
        fitting = [
            count
            for count in range(1, most_warps // warps + 1)
            if registers <= target.registers.cap(count * warps)
        ]
        limits["registers"] = max(fitting, default=0)
    if columns and target.tensor_memory is not None:
        limits["tensor memory"] = target.tensor_memory.columns // columns
    ctas = min(limits.values())
    return Occupancy(ctas, ctas * warps, most_warps, limits)
