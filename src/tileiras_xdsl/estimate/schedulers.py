"""
The warp schedulers of an SM, which share its arithmetic units out to warpgroups.

Each warp of a warpgroup is in another sub-partition, so that all four schedulers have the same to
do. Instructions of ops on tiles that follow each other are mixed: together they need several units,
as many clocks of each as `work` says, and an issue slot for every instruction. Alone, a warpgroup
takes as long as the unit that it needs most.

Schedulers do not take turns: of the warps that can issue, the youngest one does. The others have
what it leaves of a unit, and go on with what other units do. So the more warpgroups need a unit at
the same time, the longer the oldest ones take, and all that wait for these:

    two warpgroups, 256 clocks of special functions each, the younger one 100 later

    older   |--- 100 ---|         waits for 256         |--- 156 ---|  ends at 512
    younger             |--- 256 as if it were alone ---|              ends at 356

R. Huerta et al., Analyzing Modern NVIDIA GPU Cores (2025), found that: "compiler guided greedy then
youngest" [B]. Shares that are equal, or by age, fit attention as well, but not loops whose warps
are in step, such as that of a histogram.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Final

from .clock import Signal, Stamp, Unit
from .work import UnitName

ROUNDING: Final = 1e-6
"""Clocks that are left of an op that is done."""


@dataclass
class Request:
    """An op of a warpgroup on the units of schedulers."""

    age: int
    """How many warpgroups began before."""
    ready: Stamp
    clocks: Mapping[UnitName, float]
    alone: float = field(init=False)
    """Clocks that it takes if no other warpgroup has any of its units."""
    left: float = field(init=False)
    """Of these."""
    shares: Mapping[UnitName, float] = field(init=False)
    """Of units that it has then."""
    rate: float = 0.0
    """How fast it goes on, 1 if as fast as alone."""
    done: Signal = field(default_factory=Signal)

    def __post_init__(self) -> None:
        self.alone = self.left = max(self.clocks.values())
        self.shares = {name: clocks / self.alone for name, clocks in self.clocks.items() if clocks}

    @property
    def unit(self) -> UnitName:
        """The unit that it takes longest."""
        return max(self.clocks, key=lambda name: self.clocks[name])


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
        for name, clocks in request.clocks.items():
            self.units[name].busy += clocks
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
        for each in self.running if clocks > 0 else ():
            each.left -= clocks * each.rate
        done = [each for each in self.running if each.left <= ROUNDING]
        self.running = [each for each in self.running if each.left > ROUNDING]
        for each in done:
            each.done.arrive(Stamp(self.now, each.unit, each.ready))

    def _share(self) -> None:
        """How fast ops go on until one begins or ends."""
        free = dict.fromkeys(self.units, 1.0)
        for each in self.running:
            each.rate = min(1.0, *(free[name] / share for name, share in each.shares.items()))
            for name, share in each.shares.items():
                free[name] = max(0.0, free[name] - each.rate * share)
        ends = [self.now + each.left / each.rate for each in self.running if each.rate]
        if ends:
            self.cursor = min(ends)
            self.push(self)
