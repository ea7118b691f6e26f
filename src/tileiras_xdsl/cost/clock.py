"""
Time in an estimate.

A `Stamp` is a point in time that knows what it waited for last, so that the chain of stamps behind
the last one is the critical path. A `Unit` does one thing after the other. A `Signal` is what
warpgroups wait for: an mbarrier, a barrier, or a token.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from xdsl.ir import Operation

from .work import UnitName

if TYPE_CHECKING:
    from .report import Trace
    from .warpgroups import Warpgroup


@dataclass(slots=True, eq=False)
class Stamp:
    """A point in time, in clocks. None is changed; frozen ones take three times as long to make."""

    time: float
    cause: str = ""
    """What took the time since the stamp before."""
    before: Stamp | None = None

    def after(self, clocks: float, cause: str) -> Stamp:
        """This many clocks later."""
        return Stamp(self.time + clocks, cause, self) if clocks else self

    def path(self, since: float = 0.0) -> dict[str, float]:
        """How many clocks of the critical path each cause took, from a point in time on."""
        found: dict[str, float] = {}
        stamp = self
        while stamp.before is not None and stamp.time > since:
            clocks = stamp.time - max(since, stamp.before.time)
            found[stamp.cause] = found.get(stamp.cause, 0.0) + clocks
            stamp = stamp.before
        return found


START = Stamp(0.0)


def latest(*stamps: Stamp) -> Stamp:
    """The last of some stamps, the first one of those at the same time."""
    last = stamps[0]
    for stamp in stamps[1:]:
        if stamp.time > last.time:
            last = stamp
    return last


@dataclass
class Unit:
    """
    A part of an SM that does one thing after the other, in the order of requests.
    """

    name: str
    free: Stamp = START
    busy: float = 0.0
    """Clocks in all that was simulated."""
    total: float = 0.0
    """The same, with iterations that were left out."""
    on_take: Callable[[float, float], None] | None = None
    """What is told from when to when it is busy."""

    def count(self, clocks: float, times: float) -> None:
        """It is busy so long, in each of this many iterations."""
        self.busy += clocks
        self.total += clocks * times

    def take(
        self, ready: Stamp, clocks: float, times: float = 1.0, *, by_turns: bool = False
    ) -> tuple[Stamp, Stamp]:
        """When something that is ready begins, and when it ends."""
        if not clocks:
            return ready, ready
        self.count(clocks, times)
        if by_turns and clocks < self.free.time - ready.time:
            # Instructions of several warps take turns: what is short does not wait for all else.
            end = ready.after(2 * clocks, self.name)
            self.free = self.free.after(clocks, self.name)
            if self.on_take is not None:
                self.on_take(ready.time, end.time)
            return ready, end
        begin = latest(ready, self.free)
        self.free = begin.after(clocks, self.name)
        if self.on_take is not None:
            self.on_take(begin.time, self.free.time)
        return begin, self.free


@dataclass
class Signal:
    """Something that happens once this many have arrived."""

    count: int = 1
    stamp: Stamp = START
    arrived: int = 0
    waiting: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """What lets warpgroups go on."""

    @property
    def is_set(self) -> bool:
        return self.arrived >= self.count

    def arrive(self, stamp: Stamp) -> None:
        """One more arrives."""
        self.arrived += 1
        self.stamp = latest(self.stamp, stamp)
        if self.is_set:
            for resume in self.waiting:
                resume()
            self.waiting.clear()


# The warp schedulers of an SM, which share its arithmetic units out to warpgroups.
#
# Each warp of a warpgroup is in another sub-partition, so that all four schedulers have the same to
# do. Instructions of ops on tiles that follow each other are mixed: together they need several
# units, as many clocks of each as `work` says, and an issue slot for every instruction. Alone, a
# warpgroup takes as long as the unit that it needs most.
#
# Schedulers do not take turns: of the warps that can issue, the youngest one does. The others have
# what it leaves of a unit, and go on with what other units do. So the more warpgroups need a unit
# at the same time, the longer the oldest ones take, and all that wait for these:
#
#     two warpgroups, 256 clocks of special functions each, the younger one 100 later
#
#     older   |--- 100 ---|         waits for 256         |--- 156 ---|  ends at 512
#     younger             |--- 256 as if it were alone ---|              ends at 356
#
# R. Huerta et al., Analyzing Modern NVIDIA GPU Cores (2025), found that: "compiler guided greedy
# then youngest" [B]. Shares that are equal, or by age, fit attention as well, but not loops whose
# warps are in step, such as that of a histogram.


ROUNDING: Final = 1e-6
"""Clocks that are left of an op that is done."""


@dataclass(frozen=True)
class Demand:
    """What ops that run together take of the units of schedulers, whenever they do."""

    clocks: Mapping[UnitName, float]
    alone: float
    """Clocks that they take if no other warpgroup has any of these units."""
    shares: Sequence[tuple[UnitName, float]]
    """Of units that they have then."""
    unit: UnitName
    """The unit that they take longest."""

    @staticmethod
    def of(clocks: Mapping[UnitName, float], slow: float = 1.0) -> Demand:
        """Of warps that are in some sub-partitions only, and take so many times longer."""
        unit = max(clocks, key=lambda name: clocks[name])
        alone = clocks[unit] * slow
        shares: list[tuple[UnitName, float]] = [
            (name, each / alone) for name, each in clocks.items() if each
        ]
        return Demand(clocks, alone, shares, unit)


@dataclass(eq=False)
class Request:
    """A demand of a warpgroup at some time."""

    age: int
    """How many warpgroups began before."""
    ready: Stamp
    demand: Demand
    times: float = 1.0
    """In how many iterations."""
    left: float = field(init=False)
    """Of the clocks that it takes alone."""
    rate: float = 0.0
    """How fast it goes on, 1 if as fast as alone."""
    done: Signal = field(default_factory=Signal)

    def __post_init__(self) -> None:
        self.left = self.demand.alone


@dataclass
class Schedulers:
    """Shares units out to ops, those of the youngest warps first."""

    units: Mapping[UnitName, Unit]
    push: Callable[[Schedulers], None]
    """Lets it go on, in the order of time."""
    running: list[Request] = field(default_factory=list[Request])
    now: float = 0.0
    cursor: float = 0.0
    steps: Generator[Signal | None] = field(init=False)

    def __post_init__(self) -> None:
        self.steps = self._run()

    def request(self, request: Request) -> None:
        """A warpgroup comes to an op."""
        self._advance(request.ready.time)
        for name, clocks in request.demand.clocks.items():
            self.units[name].count(clocks, request.times)
        self.running.append(request)
        self.running.sort(key=lambda each: -each.age)
        self._share()

    def _run(self) -> Generator[Signal | None]:
        while True:
            self._advance(self.cursor)
            self._share()
            # It goes on where `_share` has asked for it.
            yield Signal()

    def _advance(self, time: float) -> None:
        """Goes on until then; nothing ends before."""
        clocks, self.now = time - self.now, max(time, self.now)
        if not self.running:
            return
        for each in self.running if clocks > 0 else ():
            each.left -= clocks * each.rate
        done = [each for each in self.running if each.left <= ROUNDING]
        if not done:
            return
        self.running = [each for each in self.running if each.left > ROUNDING]
        for each in done:
            each.done.arrive(Stamp(self.now, each.demand.unit, each.ready))

    def _share(self) -> None:
        """How fast ops go on until one begins or ends."""
        if not self.running:
            return
        if len(self.running) == 1:
            (only,) = self.running
            only.rate, self.cursor = 1.0, self.now + only.left
            self.push(self)
            return
        free = dict.fromkeys(self.units, 1.0)
        for each in self.running:
            shares = each.demand.shares
            each.rate = min(1.0, *(free[name] / share for name, share in shares))
            for name, share in shares:
                free[name] = max(0.0, free[name] - each.rate * share)
        # The youngest one always goes on.
        self.cursor = min(self.now + each.left / each.rate for each in self.running if each.rate)
        self.push(self)


# The tensor cores of an SM, to which warpgroups issue WGMMAs.
#
# A dot is several instructions along K. They wait in a queue, which tensor cores empty in order. It
# is short, and all warps of a sub-partition share it: where it is full, threads stop at an
# instruction until there is room. A dot of another warpgroup that comes meanwhile waits until all
# instructions of it are in the queue.


@dataclass
class Wgmma:
    """The instructions of a dot of a warpgroup."""

    warpgroup: Warpgroup
    op: Operation
    ready: Stamp
    number: int
    """Of its instructions."""
    clocks: float
    """Of an instruction."""
    shared: float
    """Clocks of shared memory for its operands."""
    latency: float
    """From the end of the last one until threads know."""
    on_done: Callable[[Stamp], None]
    times: float = 1.0
    """In how many iterations."""
    issued: int = 0
    """Instructions in the queue, or further."""
    begun: int = 0
    taken: Signal = field(default_factory=Signal)
    """All instructions are in the queue: threads go on."""
    done: Signal = field(default_factory=Signal)


@dataclass
class TensorCores:
    """Executes WGMMAs in the order of the queue."""

    unit: Unit
    shared: Unit
    depth: int
    """Of the queue."""
    push: Callable[[TensorCores], None]
    """Lets it go on, in the order of time."""
    trace: Trace | None = None
    queue: deque[Wgmma] = field(default_factory=deque["Wgmma"])
    issuing: deque[Wgmma] = field(default_factory=deque["Wgmma"])
    """Dots whose threads have stopped, one behind the other."""
    cursor: float = 0.0
    steps: Generator[Signal | None] = field(init=False)
    waiting: Signal = field(default_factory=Signal)
    """For something in the queue."""

    def __post_init__(self) -> None:
        self.steps = self._run()
        self.push(self)

    def issue(self, mma: Wgmma) -> None:
        """A warpgroup comes to a dot."""
        self.issuing.append(mma)
        self._fill(mma.ready)
        if not self.waiting.is_set:
            self.cursor = max(self.cursor, mma.ready.time)
            self.waiting.arrive(mma.ready)

    def _fill(self, now: Stamp) -> None:
        """Warpgroups issue instructions while there is room."""
        while self.issuing and len(self.queue) < self.depth:
            mma = self.issuing[0]
            self.queue.append(mma)
            mma.issued += 1
            if mma.issued == mma.number:
                self.issuing.popleft()
                mma.taken.arrive(latest(now, mma.ready))

    def _run(self) -> Generator[Signal | None]:
        while True:
            if not self.queue:
                self.waiting = Signal()
                yield self.waiting
            else:
                self._execute(self.queue.popleft())
                yield None

    def _execute(self, mma: Wgmma) -> None:
        """The next instruction of a dot."""
        warpgroup = mma.warpgroup
        later = warpgroup.op
        if self.trace is not None:
            self.trace.warpgroup, warpgroup.op = warpgroup, mma.op
        begin, end = self.unit.take(mma.ready, mma.clocks, mma.times)
        _, read = self.shared.take(begin, mma.shared, mma.times)
        end = latest(end, read)
        if end is not self.unit.free:
            # Operands come more slowly than they are multiplied.
            self.unit.free = end
        warpgroup.op = later
        self.cursor = end.time
        mma.begun += 1
        self._fill(begin)
        if mma.begun == mma.number:
            done = end.after(mma.latency, "latency of MMAs")
            mma.on_done(done)
            mma.done.arrive(done)
