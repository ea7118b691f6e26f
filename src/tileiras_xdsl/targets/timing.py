"""
How long the parts of an SM take, beside the rates of `machine` and `tcgen05_rates`: what static
estimates (`estimate`) ask.

Every number says where it is from, with the grades of `tcgen05_rates`: [A] NVIDIA publishes it, [B]
others measured it, [C] computed from those, [G] a guess. What was measured on an H200 says so.
"""

from __future__ import annotations

from dataclasses import dataclass


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
    reduction_latency: int = 0
    """What a reduction adds to that: shuffles between the threads of a warp."""
    in_order: bool = False
    """
    Whether a warp issues the instructions of ops on tiles in order, and schedulers share units out
    to warps (`estimate.clock`). If not, ops overlap as if they were independent.
    """
    load: int = 1600
    """Latency of tiles from L2 and memory while all SMs load: an H200, `warpgroups.load_cycles`."""
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
    division: int = 8
    """Operations of a division that is rounded, beside the special function [C]."""
    mma_sync_share: float = 1.0
    """Of the rates of the target, what `mma.sync` reaches."""
    agent_setup: int = 1000
    """Clocks before a CTA does something: barriers, tensor maps, the first instructions [G]."""
    setup: int = 1000
    """The same of a CTA without agents [G]."""
