"""A CTA while it runs: its threads, who of them is active, and its memories."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.environment import Environment
from tileiras_xdsl.interpreter.errors import ExecutionError, place_of
from tileiras_xdsl.interpreter.memory import Allocation, Memory
from tileiras_xdsl.interpreter.output import get_writer
from tileiras_xdsl.interpreter.schedule import TaskScheduler
from tileiras_xdsl.interpreter.values import Array, Integers, Mask, Value, full

from .clocks import ClockedShadow, Clocks
from .cluster import CTA_SPAN, Cluster
from .shadow import WARP, Names, ShadowMemory

if TYPE_CHECKING:
    from .grid import Launches
    from .tensor_cores import TensorCores

SHARED_BASE = 1024
"""The first address of shared memory; CUDA keeps what is below for itself."""
SHARED_WINDOW = 0x7E00_0000_0000
"""Where shared memory lies in the generic address space."""
LOCAL_WINDOW = 0x7D00_0000_0000
"""Where the memory of each thread lies in the generic address space."""
WINDOW_SIZE = 1 << 32
CLUSTER_BARRIER = "of the cluster"
"""The name of the barrier of all threads of a cluster."""


class NamedBarrier:
    """A barrier of a CTA, and the threads that have come."""

    def __init__(self) -> None:
        self.arrived: set[int] = set()
        self.passed = 0
        """How many times it was complete."""
        self.op: Operation | None = None
        """Where those that came are, if all must be at the same op."""
        self.released: Integers | None = None
        """What those who came when it was last complete had done."""
        self._coming: Integers | None = None

    def release(self, known: Integers) -> None:
        """What threads that come have done."""
        self._coming = known if self._coming is None else np.maximum(self._coming, known)

    def arrive(self, threads: Integers, expected: int) -> None:
        """Threads come; the barrier is complete when they are as many as expected."""
        coming = {int(thread) for thread in threads}
        if not self.arrived.isdisjoint(coming):
            raise ExecutionError("arrives at a named barrier again before it is complete")
        self.arrived |= coming
        if len(self.arrived) < expected:
            return
        self.arrived.clear()
        self.passed += 1
        self.released, self._coming = self._coming, None


@dataclass
class PrivateAllocation(Allocation):
    """Memory that a CTA has for itself."""

    is_global: bool = False


@dataclass
class Variables:
    """The global variables of a module: their addresses, and how much is shared memory."""

    addresses: dict[str, int]
    shared: dict[str, int]
    """Of those in shared memory of the first CTA of a cluster."""
    places: dict[Operation, int]
    """The same of barriers that ops create."""
    shared_bytes: int


class CtaThreads:
    """One CTA, and those of its threads that run together."""

    active: Mask | None = None
    """The threads that execute, of those that run together, if not all do."""
    is_apart = False
    """Whether only some threads of the CTA run together."""
    schedule: TaskScheduler | None = None
    """How those that do not run together take turns."""
    environment: Environment | None = None
    """Who else touches global memory."""
    sm_count = 1
    """The SMs of the simulated device."""
    cores: TensorCores | None = None
    """The tensor cores with tensor memory, if the kernel uses them."""
    launches: Launches | None = None
    """The clusters of the grid that have not begun."""

    def __init__(
        self,
        index: tuple[int, int, int],
        grid: tuple[int, int, int],
        sizes: tuple[int, int, int],
        memory: GlobalMemory,
        variables: Variables,
        cluster: Cluster,
    ):
        self.index, self.grid, self.sizes = index, grid, sizes
        self.threads = self.size = sizes[0] * sizes[1] * sizes[2]
        self.cluster, self.rank, self.names = cluster, len(cluster.ctas), cluster.names
        cluster.ctas.append(self)
        clocks = cluster.clocks
        self.first = cluster.first + self.rank * self.size
        """The number of its first thread."""
        self.number = self.first // self.size
        """Among the CTAs that run side by side."""
        numbers = np.arange(self.threads, dtype=np.int64)
        self.thread_ids = (
            numbers % sizes[0],
            numbers // sizes[0] % sizes[1],
            numbers // (sizes[0] * sizes[1]),
        )
        self.numbers: Integers = numbers + self.first
        """Of threads, through all CTAs that run side by side, as those of warps."""
        self.lanes: Integers = numbers % WARP
        self.warps: Integers = self.numbers // WARP
        self.rows: Integers = numbers
        """Where threads are among those that run together."""
        self.memory = memory
        self.last_line = ""
        """What was printed last."""
        shift = self.rank * CTA_SPAN
        shared = {name: place + shift for name, place in variables.shared.items()}
        self.addresses = variables.addresses | shared
        self.places = {op: place + shift for op, place in variables.places.items()}
        """Where ops that have shared memory of their own have it."""
        self.clocks = clocks
        """Who comes after what, if races are looked for."""
        shared_bytes = variables.shared_bytes
        untouched = np.zeros(shared_bytes, np.bool_)
        name = f"shared memory{self.names.whose(self.first)}"
        shadow = make_shadow(name, shared_bytes, clocks, untouched, self.names, cta=self.number)
        base = SHARED_BASE + self.rank * CTA_SPAN
        self.shared = PrivateAllocation(base, np.zeros(shared_bytes, np.uint8), name, shadow=shadow)
        self.local = LocalMemory(self.threads)
        self._write = get_writer()
        self.data: dict[Any, Any] = {}
        """What families of ops keep for a CTA."""

    def write(self, text: str) -> None:
        """Prints."""
        self._write(text)
        self.last_line = text

    def read_clock(self) -> int:
        """A clock, which moves when it is read."""
        self.data["clock"] = time = self.data.get("clock", 0) + 1
        return time

    # Threads

    def active_mask(self) -> Mask:
        """The threads that execute."""
        return np.ones(self.threads, np.bool_) if self.active is None else self.active

    def full(self, value: Array) -> Array:
        """A value with a part for each thread."""
        return full(value, self.threads)

    def first_active(self) -> int:
        """One of the threads that execute."""
        return 0 if self.active is None else int(np.argmax(self.active))

    def uniform(self, value: Value, what: str) -> int:
        """A number that must be the same for all threads that execute."""
        numbers = np.unique(value if len(value) == 1 else self.full(value)[self.active_mask()])
        if len(numbers) != 1:
            raise ExecutionError(f"{what} differs between threads: {numbers[:4].tolist()}")
        return int(numbers[0])

    def apart(self, chosen: Integers) -> CtaThreads:
        """The same CTA for some threads, of whole warps, that run apart from others."""
        other = copy(self)
        other.is_apart, other.active = True, None
        other.threads = len(chosen)
        other.numbers, other.lanes, other.warps = (
            each[chosen] for each in (self.numbers, self.lanes, self.warps)
        )
        other.rows = np.arange(len(chosen), dtype=np.int64)
        x, y, z = self.thread_ids
        other.thread_ids = (x[chosen], y[chosen], z[chosen])
        return other

    def active_threads(self) -> Integers:
        """The numbers of the threads that execute."""
        return self.numbers if self.active is None else self.numbers[self.active]

    # Barriers

    def sync_threads(self, op: Operation) -> None:
        """A barrier of all threads, which is the same op for all."""
        here = self.active_mask()
        if not here.all():
            raise ExecutionError(
                f"divergent barrier: {int(here.sum())} of {self.size} threads are here, "
                f"{self.names.thread(self.numbers[np.argmin(here)])} is not"
            )
        if self.is_apart:
            self._check_same(op)
            self.meet_some(0, self.size, waits=True)
            return
        if self.clocks is not None:
            self.clocks.acquire(np.unique(self.warps), self.clocks.release(self.numbers))

    def _check_same(self, op: Operation) -> None:
        """Raises if threads of the CTA wait at a barrier that is another op."""
        barrier = self._named(0)
        if not barrier.arrived:
            barrier.op = op
        elif barrier.op is not None and barrier.op is not op:
            there = place_of(barrier.op).rstrip(": ")
            raise ExecutionError(
                f"divergent barrier: {self.names.thread(self.numbers[0])} is here, but "
                f"{self.names.thread(min(barrier.arrived))} is at another one"
                f"{f', {there}' if there else ''}"
            )

    def meet_some(self, name: int | str, expected: int, *, waits: bool) -> None:
        """A named barrier of this many threads, at which some may only arrive."""
        passed = self.arrive_at(name, expected)
        if waits:
            self.wait_at(name, expected, passed)

    def arrive_at(self, name: int | str, expected: int, *, is_relaxed: bool = False) -> int:
        """
        Arrives at a named barrier; how often it was complete before. If it is relaxed, memory is
        not ordered, except for barriers that were set up.
        """
        barrier = self._named(name)
        passed, threads = barrier.passed, self.active_threads()
        if self.clocks is not None:
            release = self.clocks.release_setups if is_relaxed else self.clocks.release
            barrier.release(release(threads))
        barrier.arrive(threads, expected)
        self.happened()
        return passed

    def wait_at(self, name: int | str, expected: int, passed: int) -> None:
        """Waits until a named barrier is complete once more."""
        barrier = self._named(name)
        while barrier.passed == passed:
            self.wait(f"at barrier {name}, where {len(barrier.arrived)} of {expected} threads are")
        if self.clocks is not None and barrier.released is not None:
            self.clocks.acquire(np.unique(self.warps[self.active_mask()]), barrier.released)

    def cluster_threads(self) -> int:
        """Threads that come to the barrier of the cluster: all, but for those that have ended."""
        gone = self.cluster.ended - self._named(CLUSTER_BARRIER).arrived
        return self.size * self.cluster.size - len(gone)

    def end(self) -> bool:
        """Threads end, for which no cluster waits; whether they are the last ones of the CTA."""
        is_last = self.cluster.leave(self.rank, self.numbers)
        barrier = self._named(CLUSTER_BARRIER)
        if barrier.arrived:
            barrier.arrive(np.zeros(0, np.int64), self.cluster_threads())
        return is_last

    def _named(self, name: int | str) -> NamedBarrier:
        data = self.cluster.data if name == CLUSTER_BARRIER else self.data
        barriers = data.setdefault("named barriers", {})
        return cast(NamedBarrier, barriers.setdefault(name, NamedBarrier()))

    def happened(self) -> None:
        """Something happened that other threads may wait for."""
        if self.schedule is not None:
            self.schedule.happened()

    def pause(self) -> bool:
        """Lets threads run that do not run together with these; whether any could."""
        return self.schedule is not None and self.schedule.pause()

    def rest(self) -> None:
        """Lets others run, though these threads need not wait: they may ask for what others do."""
        if self.schedule is not None:
            self.schedule.rest()

    def wait(self, what: str, op: Operation | None = None) -> None:
        """Lets others run; raises if nobody can do what these threads wait for."""
        place = "" if op is None else place_of(op).rstrip(": ")
        thread = int(self.active_threads()[0])
        if self.schedule is None:
            raise ExecutionError(f"{self.names.thread(thread)} waits {what}, but nobody else runs")
        reason = f"{what} ({place})" if place else what
        self.schedule.wait(self.names.in_cta(thread), reason, self.names.whose(thread))

    def meet_warps(self, lanes: Value) -> None:
        """A barrier of the lanes of masks, in each warp."""
        self.check_lanes(lanes)
        met = np.unique(self.warps[self.active_mask()])
        if self.clocks is not None:
            self.clocks.warps_met(met, self.active_threads())

    def check_lanes(self, lanes: Value) -> None:
        """Raises if a thread waits, by a mask of lanes, for one that does not come."""
        if self.active is None:
            return
        here = self.active
        wanted = self.full(lanes).astype(np.int64)
        for warp in np.unique(self.warps[here]):
            members = np.flatnonzero(self.warps == warp)
            present = members[here[members]]
            masks = wanted[present]
            for lane in self.lanes[members[~here[members]]]:
                if (masks >> int(lane) & 1).any():
                    raise ExecutionError(
                        f"lane {lane} of {self.names.warp(warp)} is in the mask, but does not come "
                        "here"
                    )


def make_shadow(
    name: str,
    size: int,
    clocks: Clocks | None,
    written: Mask | None,
    names: Names | None = None,
    *,
    is_global: bool = False,
    cta: int = 0,
) -> ShadowMemory:
    """What is known about a memory; also who touches it when, if there are clocks."""
    if clocks is not None:
        return ClockedShadow(name, size, clocks, written, is_global=is_global, cta=cta)
    return ShadowMemory(name, size, written, names)


class LocalMemory:
    """The memory that each thread has for itself: addresses are the same, bytes are not."""

    def __init__(self, threads: int):
        self.threads = threads
        self.size = 0
        self.piece = PrivateAllocation(LOCAL_WINDOW, np.zeros(0, np.uint8), "local memory")
        self.places: dict[Operation, int] = {}

    def place(self, op: Operation, size: int, alignment: int) -> int:
        """The address of the variable of an op; the same each time."""
        if op not in self.places:
            start = -(-self.size // alignment) * alignment
            self.places[op] = start
            old = self.piece.data.reshape(self.threads, -1) if self.size else None
            grown = np.zeros((self.threads, -(-(start + size) // 16) * 16), np.uint8)
            if old is not None:
                grown[:, : old.shape[1]] = old
            self.size = grown.shape[1]
            self.piece = PrivateAllocation(LOCAL_WINDOW, grown.reshape(-1), "local memory")
        return LOCAL_WINDOW + self.places[op]


class GlobalMemory:
    """The memory of the device, with what threads of the current CTA have done to it."""

    def __init__(self, memory: Memory, clocks: Clocks | None):
        self.memory, self.clocks = memory, clocks
        self._pieces: dict[int, Allocation] = {}

    def find(self, address: int) -> Allocation | None:
        """The piece an address lies in."""
        found = self.memory.find(address)
        if found is not None and found.base not in self._pieces:
            self._pieces[found.base] = found
            if self.clocks is not None or found.initialized is not None:
                about = (found.name, len(found.data), self.clocks, found.initialized)
                found.shadow = make_shadow(*about, is_global=True)
                found.shadow.offset_of = found.offset_of
        return found

    def allocate(self, size: int, name: str) -> int:
        """Memory that nothing has been written to yet: its address."""
        allocation = self.memory.allocate(np.zeros(size, np.uint8), name)
        allocation.initialized = np.zeros(size, np.bool_)
        return allocation.base

    def free(self, address: int) -> bool:
        """Takes memory back that begins at an address; whether there is any."""
        found = self.memory.find(address)
        if found is None or found.base != address:
            return False
        self._pieces = {key: each for key, each in self._pieces.items() if each is not found}
        self.memory.free([found])
        return True
