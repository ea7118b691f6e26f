"""
Time in an estimate.

A `Stamp` is a point in time that knows what it waited for last, so that the chain of stamps behind
the last one is the critical path. A `Unit` does one thing after the other. A `Signal` is what
strands wait for: an mbarrier, a barrier, or a token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Stamp:
    """A point in time, in clocks."""

    time: float
    cause: str = ""
    """What took the time since the stamp before."""
    before: Stamp | None = None

    def after(self, clocks: float, cause: str) -> Stamp:
        """So many clocks later."""
        return Stamp(self.time + clocks, cause, self) if clocks else self

    def path(self) -> dict[str, float]:
        """How many clocks of the critical path each cause took."""
        found: dict[str, float] = {}
        stamp = self
        while stamp.before is not None:
            clocks = stamp.time - stamp.before.time
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
    """Clocks in all."""
    on_take: Callable[[float, float], None] | None = None
    """What is told from when to when it is busy."""

    def take(
        self,
        ready: Stamp,
        clocks: float,
        cause: str | None = None,
        *,
        by_turns: bool = False,
    ) -> tuple[Stamp, Stamp]:
        """When something that is ready begins, and when it ends."""
        if not clocks:
            return ready, ready
        self.busy += clocks
        if by_turns and clocks < self.free.time - ready.time:
            # Instructions of several warps take turns: what is short does not wait for all else.
            end = ready.after(2 * clocks, cause or self.name)
            self.free = self.free.after(clocks, cause or self.name)
            if self.on_take is not None:
                self.on_take(ready.time, end.time)
            return ready, end
        begin = latest(ready, self.free)
        self.free = begin.after(clocks, cause or self.name)
        if self.on_take is not None:
            self.on_take(begin.time, self.free.time)
        return begin, self.free


@dataclass
class Signal:
    """Something that happens once so many have arrived."""

    count: int = 1
    stamp: Stamp = START
    arrived: int = 0
    waiting: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """What lets strands go on."""

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
