"""
How long a launch takes, in microseconds, and what binds it.

An estimate has the clocks of the busiest SM: CTAs or tiles in waves, each with its prologue,
iterations and epilogue, as far as units, latencies and waits let them overlap. What SMs share
(`targets.board`) makes time of it:

    time = launch + max(clocks / clock, ramp + bytes / memory bandwidth, launches of CTAs)

A kernel that starts while the one ahead of it ends has no launch time of its own.

The clock is what the power of the work allows: that of the types that tensor cores multiply, of the
bytes from L2, and of instructions. A limit is the time that one resource would take if it were all
that the kernel waited for, the roof over it; the distance is how much longer the kernel takes. The
limit `power` is that of tensor cores without a pause, at the clock that is left then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from .report import Estimate
from .work import UnitName

TOLERANCE: Final = 0.15
"""By how much a measurement may differ from what was predicted."""

MEMORY: Final = "memory"
POWER: Final = "power"
LAUNCHES: Final = "launches of CTAs"
LATENCY: Final = "latency"
"""Limits that are no units of an SM."""

BOUND: Final = 0.6
"""From this share of the time on, the longest limit is what binds a kernel; else it is latency."""

LEAST_SHARE: Final = 0.02
"""Limits that take less of the time are not shown."""

NAMES: Final[Mapping[UnitName, str]] = {"exponentials": "special functions"}
"""Units by the names of the trade."""


@dataclass(frozen=True)
class Prediction:
    """The time of a launch."""

    kernel: str
    gpu: str
    microseconds: float
    launch: float
    """Microseconds of it before the first instruction."""
    gigahertz: float
    """The clock that the power limit allows."""
    limits: Mapping[str, float]
    """Microseconds of each resource alone."""
    path: str = ""
    """The largest parts of the critical path."""

    @property
    def limit(self) -> str:
        """The resource that takes longest."""
        return max(self.limits, key=lambda name: self.limits[name])

    @property
    def bound(self) -> str:
        """What binds the kernel: a resource, or latency if none is busy most of the time."""
        name = self.limit
        return name if self.limits[name] >= BOUND * self.microseconds else LATENCY

    def distance(self, microseconds: float | None = None) -> float:
        """How much longer than its longest limit the launch takes, as predicted or measured."""
        return (microseconds or self.microseconds) / self.limits[self.limit] - 1

    def error(self, measured: float) -> float:
        """By how much the prediction is off, as a share of the measured microseconds."""
        return self.microseconds / measured - 1

    def describe(self, measured: float | None = None) -> str:
        """In words, with what was measured beside it."""
        text = f"predicted {_time(self.microseconds)}"
        if measured is not None:
            text += f", measured {_time(measured)} ({self.error(measured):+.0%} off)"
        shown = sorted(self.limits.items(), key=lambda each: -each[1])
        total = measured or self.microseconds
        shares = ", ".join(
            f"{name} {time / total:.0%}" for name, time in shown if time >= LEAST_SHARE * total
        )
        text += f", bound by {self.bound}, {self.distance(measured):.0%} above the limit"
        return f"{text} at {self.gigahertz:.2f} GHz: {shares}"

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {**asdict(self), "limit": self.limit, "bound": self.bound}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Prediction:
        names = Prediction.__dataclass_fields__
        return Prediction(**{name: data[name] for name in names if name in data})


def _time(microseconds: float) -> str:
    return f"{microseconds:.3g} µs" if microseconds < 1000 else f"{microseconds / 1000:.4g} ms"


def why_not(estimate: Estimate) -> str | None:
    """Why there is no prediction; None if there is one."""
    if estimate.target.board is None:
        return f"nothing was measured of a GPU with {estimate.target}"
    if estimate.waves is None:
        return "it is not known what is launched"
    if estimate.guessed:
        return f"{estimate.guessed} loops have trip counts that depend on data"
    return None


def predict(estimate: Estimate) -> Prediction | None:
    """The time of the launch of an estimate; None if there is no telling (`why_not`)."""
    target, board = estimate.target, estimate.target.board
    if board is None or why_not(estimate) is not None:
        return None
    # Kernels that wait for memory have the clocks of that.
    moved = estimate.array_bytes * target.rates.sm_count
    memory = moved / board.memory_bandwidth / 1e3 if moved > board.l2_bytes else 0.0
    timing = target.timing
    ramp = (timing.setup + timing.load + timing.store) / board.gigahertz / 1e3 if memory else 0.0
    clocks = max(estimate.sm_clocks, (memory + ramp) * board.gigahertz * 1e3)
    clock = estimate.clock_for(clocks)
    limits = {
        NAMES.get(name, name): busy / board.gigahertz / 1e3
        for name, busy in estimate.busy.items()
        if busy
    }
    if estimate.ideal:
        limits["tensor cores"] = estimate.ideal / board.gigahertz / 1e3
        # The same work without a pause of tensor cores, at the clock that its power allows.
        sustained = estimate.clock_for(estimate.ideal)
        limits[POWER] = estimate.ideal / sustained / 1e3
    if memory:
        limits[MEMORY] = memory
    occupancy, returning = estimate.occupancy, estimate.returning
    launches = board.launch_time(estimate.launched - returning, occupancy)
    time = max(estimate.sm_clocks / clock / 1e3, ramp + memory, launches)
    if estimate.free:
        # Those that return at once take turns in what room there is, and have all of it later.
        early = min(returning, time * 1e3 / board.return_time(estimate.free))
        limits[LAUNCHES] = launches + board.return_time(occupancy) * returning / 1e3
        launch = 0.0 if estimate.overlaps else board.launch
        time += (returning - early) * board.return_time(occupancy) / 1e3
    else:
        # Persistent CTAs leave no room for those, which come after them.
        limits[LAUNCHES] = launches
        launch = 0.0 if estimate.overlaps else board.launch
        launch += board.launch_time(returning, occupancy)
    return Prediction(
        kernel=estimate.kernel,
        gpu=board.gpu,
        microseconds=launch + time,
        launch=launch,
        gigahertz=clock,
        limits=limits,
        path=estimate.describe_path(),
    )
