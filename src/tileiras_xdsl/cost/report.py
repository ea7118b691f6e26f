"""What an estimate says, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from xdsl.dialects.scf import IfOp
from xdsl.ir import Operation, Region

from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.xdsl_extras.walking import find_all

from .work import UnitName

if TYPE_CHECKING:
    from .warpgroups import Warpgroup


# What each op did while a kernel ran on the model of an SM: the units it kept busy, the bytes it
# moved, how long its agent waited there, and when.


@dataclass(frozen=True, slots=True)
class Event:
    """A unit that was busy, or an agent that waited."""

    op: Operation
    unit: UnitName | None
    """None for waiting."""
    agent: int
    """The number of the agent; -1 without agents."""
    warpgroup: int
    """The warpgroup of the agent."""
    begin: float
    end: float
    number: int
    """How often the warpgroup had run the op before."""


@dataclass
class OpUse:
    """All that an op did, of all CTAs and warpgroups."""

    times: int = 0
    """How often a CTA ran it, of all CTAs."""
    busy: dict[UnitName, float] = field(default_factory=dict[UnitName, float])
    bytes: float = 0.0
    waited: float = 0.0
    """Clocks that the first warpgroup waited, of all CTAs."""


@dataclass
class Trace:
    """A run."""

    uses: dict[Operation, OpUse] = field(default_factory=dict[Operation, OpUse])
    events: list[Event] = field(default_factory=list[Event])
    warpgroup: Warpgroup | None = None
    """The one that is running."""
    runs: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """How often loops began."""
    iterations: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """The iterations of loops, in all."""
    branches: dict[Region, int] = field(default_factory=dict[Region, int])
    """How often branches were taken."""
    _counts: dict[tuple[Operation, object], int] = field(
        default_factory=dict[tuple[Operation, object], int]
    )

    _last: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])
    """The last event of ops and units, each time that a warpgroup runs them."""

    def begin(self, op: Operation, warpgroup: Warpgroup) -> None:
        """A warpgroup comes to an op."""
        use = self.uses.setdefault(op, OpUse())
        if warpgroup.number == 0:
            use.times += 1
        key = op, warpgroup
        self._counts[key] = self._counts.get(key, -1) + 1

    def trips(self) -> Iterator[tuple[Operation, float]]:
        """How many iterations each loop has, on average."""
        for loop, runs in self.runs.items():
            yield loop, self.iterations.get(loop, 0) / runs

    def choose(self, op: IfOp, taken: Region) -> None:
        """A warpgroup takes a branch."""
        for region in op.regions:
            self.branches[region] = self.branches.get(region, 0) + (region is taken)

    def shares(self) -> Iterator[tuple[Region, float]]:
        """How often branches were taken, of the times that there was a choice."""
        for region, count in self.branches.items():
            op = region.parent_op()
            assert op is not None
            yield region, count / sum(self.branches[each] for each in op.regions)

    def take(self, unit: UnitName, begin: float, end: float) -> None:
        """A unit is busy for the op of the warpgroup that runs."""
        warpgroup = self.warpgroup
        if warpgroup is None or warpgroup.op is None:
            return
        use = self.uses.setdefault(warpgroup.op, OpUse())
        use.busy[unit] = use.busy.get(unit, 0.0) + end - begin
        self._add(warpgroup, unit, begin, end)

    def move(self, op: Operation, num_bytes: float) -> None:
        """An op loads or stores this many bytes."""
        self.uses.setdefault(op, OpUse()).bytes += num_bytes

    def wait(self, op: Operation, warpgroup: Warpgroup, begin: float, end: float) -> None:
        """A warpgroup could not go on."""
        if warpgroup.number == 0:
            self.uses[op].waited += end - begin
        warpgroup.op = op
        self._add(warpgroup, None, begin, end)

    def _add(self, warpgroup: Warpgroup, unit: UnitName | None, begin: float, end: float) -> None:
        op = warpgroup.op
        assert op is not None
        number = self._counts.get((op, warpgroup), 0)
        agent = warpgroup.agent.number
        key = op, unit, agent, warpgroup.number, number
        at = self._last.get(key)
        if at is not None and self.events[at].end == begin:
            # Another instruction of the same op, right after the one before.
            self.events[at] = replace(self.events[at], end=end)
            return
        self._last[key] = len(self.events)
        self.events.append(Event(op, unit, agent, warpgroup.number, begin, end, number))


LABEL: Final = "static estimate, not measured"
SATURATED: Final = 0.9
"""From this share of its time on, a unit limits what it is in."""


@dataclass(frozen=True)
class LoopEstimate:
    """An iteration of a loop in its steady state."""

    agent: int
    loop: Operation
    trips: int
    clocks: float
    """Of an iteration."""
    busy: Mapping[UnitName, float]
    """Clocks of units in that time, of all agents."""
    total: float = 0.0
    """Clocks of all iterations, however often the loop runs."""

    @property
    def limit(self) -> str | None:
        """The unit that is busy nearly all the time; None if none is."""
        name = max(self.busy, key=lambda each: self.busy[each])
        return name if self.busy[name] >= SATURATED * self.clocks else None

    @property
    def share(self) -> float:
        """How much of its time tensor cores work."""
        return self.busy["tensor cores"] / self.clocks if self.clocks else 0.0


@dataclass(frozen=True)
class Spills:
    """Bytes that the threads of a CTA store and load as they have too few registers."""

    stored: float
    loaded: float


NO_SPILLS: Final = Spills(0.0, 0.0)


@dataclass(frozen=True)
class Estimate:
    """How long a kernel takes on an SM."""

    kernel: str
    target: Target
    clocks: float
    ideal: float
    """Clocks of tensor cores that did all its products at their full rate."""
    busy: Mapping[UnitName, float]
    path: Mapping[str, float]
    """Clocks of the critical path, by what takes them."""
    loops: Sequence[LoopEstimate]
    occupancy: int
    waves: float | None
    """CTAs of the launch for each that the GPU holds; None without a launch."""
    memory: float
    """Clocks in which memory brings what has to come from there; 0 if that is not known."""
    multiply_adds: float = 0.0
    """Of products, of an SM on average."""
    operations: float = 0.0
    """Other operations on floats."""
    num_bytes: float = 0.0
    """Loaded and stored, through L2."""
    ctas: int = 1
    """That were run."""
    array_bytes: float = 0.0
    """The share of the arrays of a launch, which memory has to deliver; 0 without one."""
    kept_bytes: float = 0.0
    """What L2 would have to keep of that."""
    sm_clocks: float = 0.0
    """Clocks of the busiest SM, however long memory takes."""
    balance: float = 1.0
    """The work of an SM on average, by that of the busiest one."""
    by_element: Mapping[str, float] = field(default_factory=dict[str, float])
    """Multiply-adds of tensor cores by the type of operands, of an SM on average."""
    guessed: int = 0
    """Loops whose trip counts neither the grid nor arguments decide."""
    launched: int = 0
    """CTAs of the launch; 0 without one."""
    parameter_bytes: int = 0
    """Of all parameters."""
    returning: int = 0
    """CTAs of the launch that return at once, because others do their work."""
    free: int = 0
    """How many of those an SM has room for while others work."""
    overlaps: bool = False
    """Whether it starts while the kernel ahead of it ends (programmatic dependent launch)."""
    instructions: float = 0.0
    """Of a warp, each counted once."""
    rounds: float = 1.0
    """How often the CTAs of an SM run the body of their main loop, all together."""

    @property
    def share(self) -> float:
        """Of the peak of the tensor cores."""
        return self.ideal / self.clocks if self.clocks else 0.0

    @property
    def flops(self) -> float:
        """Operations on floats, of which a multiply-add is two."""
        return 2 * self.multiply_adds + self.operations

    def with_spills(self, spills: Spills) -> Estimate:
        """
        The same, of code whose threads keep tiles in local memory, once each time that they run
        the body of the main loop. L1 keeps none of it beside what else passes through it, and
        memory takes it later.
        """
        stored, moved = self.rounds * spills.stored, self.rounds * (spills.stored + spills.loaded)
        clocks = moved / self.target.rates.l2_bytes
        return replace(
            self,
            sm_clocks=self.sm_clocks + clocks,
            clocks=self.clocks + clocks,
            busy={**self.busy, "L2": self.busy["L2"] + clocks},
            array_bytes=self.array_bytes + stored,
            kept_bytes=self.kept_bytes + stored,
        )

    @property
    def clocks_per_cta(self) -> float:
        """Clocks of an SM for each of the CTAs that share it."""
        return self.clocks / self.occupancy

    def clock_for(self, clocks: float) -> float:
        """The clock, in GHz, that the power of the work allows if it takes so long."""
        board = self.target.board
        if board is None or not clocks:
            return self.target.rates.gigahertz
        drop, total = board.drop, sum(self.by_element.values())
        lowered = self.num_bytes * drop.l2_byte + self.busy["issue"] * self.balance * drop.issue
        for element, count in self.by_element.items():
            lowered += count / total * self.ideal * drop.of_multiply_adds(element)
        return board.gigahertz - lowered / clocks / 1e3

    @property
    def gigahertz(self) -> float:
        """The clock under its load."""
        return self.clock_for(self.clocks)

    @property
    def milliseconds(self) -> float:
        return self.clocks / self.gigahertz / 1e6

    @property
    def limit(self) -> str:
        """
        What limits it: memory, a unit that is busy nearly all the time, at least in the main loop,
        or else the critical path through what agents wait for.
        """
        if self.memory >= self.clocks:
            return MEMORY
        name = max(self.busy, key=lambda each: self.busy[each])
        if self.busy[name] >= SATURATED * self.clocks:
            return name
        loop = self.main_loop
        if loop is not None and loop.limit and loop.total > self.clocks / 2:
            return loop.limit
        return f"the critical path ({self.describe_path()})"

    def describe_path(self, most: int = 4) -> str:
        """The largest parts of the critical path."""
        total = sum(self.path.values()) or 1.0
        parts = [
            f"{cause} {clocks / total:.0%}"
            for cause, clocks in sorted(self.path.items(), key=lambda each: -each[1])
            if clocks >= 0.03 * total
        ]
        return ", ".join(parts[:most])

    def describe_busy(self) -> str:
        """How busy units are."""
        busy = sorted(self.busy.items(), key=lambda each: -each[1])
        parts = [f"{name} {each / self.clocks:.0%}" for name, each in busy]
        return ", ".join(part for part in parts if not part.endswith(" 0%"))

    def describe_clock(self) -> str | None:
        """What its power does to the clock; None if nothing, or if that is not known of the GPU."""
        board = self.target.board
        if board is None or self.gigahertz >= board.gigahertz:
            return None
        return f"power limit: expect {self.gigahertz:.2f} GHz on an {board.gpu}"

    @property
    def main_loop(self) -> LoopEstimate | None:
        """The loop that takes longest, of those with products if there are any."""
        multiplying = [each for each in self.loops if find_all(each.loop, DotOperation)]
        return max(multiplying or self.loops, key=lambda each: each.total, default=None)

    def summary(self) -> tuple[str, str]:
        """What a remark says, and why."""
        loop = self.main_loop
        text, reasons = LABEL, [f"in all, units are busy: {self.describe_busy()}"]
        if self.ideal:
            text += f": {self.share:.0%} of the peak of the tensor cores"
            text += f", {loop.share:.0%} in the main loop" if loop is not None else ""
        if loop is not None:
            busy = sorted(loop.busy.items(), key=lambda each: -each[1])
            parts = ", ".join(f"{name} {clocks:.0f}" for name, clocks in busy if clocks >= 1)
            reasons.insert(0, f"an iteration takes {loop.clocks:.0f} clocks: {parts}")
        if (clock := self.describe_clock()) is not None:
            reasons.append(clock)
        return f"{text}; limited by {self.limit}", "; ".join(reasons)


# How long a launch takes, in microseconds, and what binds it.
#
# An estimate has the clocks of the busiest SM: CTAs or tiles in waves, each with its prologue,
# iterations and epilogue, as far as units, latencies and waits let them overlap. What SMs share
# (`targets.board`) makes time of it:
#
#     time = launch + max(clocks / clock with ramp + bytes / memory bandwidth, launches of CTAs)
#
# SMs and memory work together (`Board.together`); products have buffers, and take the longer one.
#
# A kernel that starts while the one ahead of it ends has no launch time of its own.
#
# The clock is what the power of the work allows: that of the types that tensor cores multiply, of
# the bytes from L2, and of instructions. A limit is the time that one resource would take if it
# were all that the kernel waited for, the roof over it; the distance is how much longer the kernel
# takes. The limit `power` is that of tensor cores without a pause, at the clock that is left then.


TOLERANCE: Final = 0.15
"""By how much a measurement may differ from what was predicted."""

MEMORY: Final = "global memory"
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
    """The clock that the power limit allows; 0 of a CPU."""
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
        clock = f" at {self.gigahertz:.2f} GHz" if self.gigahertz else ""
        return f"{text}{clock}: {shares}"

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
    if estimate.waves is None:
        return "it is not known what is launched"
    if estimate.guessed:
        return f"{estimate.guessed} loops have trip counts that depend on data"
    if estimate.target.board is None:
        return f"the cost model is not calibrated for {estimate.target}: ask for clocks (`cost`)"
    return None


def predict(estimate: Estimate) -> Prediction | None:
    """The time of the launch of an estimate; None if there is no telling (`why_not`)."""
    target, board = estimate.target, estimate.target.board
    if board is None or why_not(estimate) is not None:
        return None
    # Kernels that wait for memory have the clocks of that.
    moved = estimate.array_bytes * target.rates.sm_count
    kept = estimate.kept_bytes * target.rates.sm_count
    memory = moved / board.memory_bandwidth / 1e3 if kept > board.l2_bytes else 0.0
    timing = target.timing
    ramp = (timing.setup + timing.load + timing.store) / board.gigahertz / 1e3 if memory else 0.0
    # Buffers of tensor cores are deep enough for both to be busy.
    together = max if estimate.multiply_adds else board.together
    clocks = together(estimate.sm_clocks, (memory + ramp) * board.gigahertz * 1e3)
    clock = estimate.clock_for(clocks)
    limits = {
        NAMES.get(name, name): busy / board.gigahertz / 1e3
        for name, busy in estimate.busy.items()
        if busy
    }
    if estimate.ideal:
        # Of the busiest SM, as all others.
        ideal = estimate.ideal / estimate.balance
        limits["tensor cores"] = ideal / board.gigahertz / 1e3
        # The same work without a pause of tensor cores, at the clock that its power allows.
        sustained = estimate.clock_for(ideal)
        limits[POWER] = ideal / sustained / 1e3
    if memory:
        limits[MEMORY] = memory
    occupancy, returning = estimate.occupancy, estimate.returning
    launches = board.launch_time(estimate.launched - returning, occupancy)
    # The last CTAs of the first wave begin when all others have been launched, if SMs wait.
    first = min(estimate.launched - returning, target.rates.sm_count * occupancy)
    waits = 1 - max(estimate.busy.values()) / estimate.sm_clocks if estimate.sm_clocks else 0.0
    sm = estimate.sm_clocks / clock / 1e3 + board.launch_time(first, occupancy) * max(0.0, waits)
    time = max(together(sm, ramp + memory), launches)
    if estimate.free:
        # Those that return at once take turns in what room there is, and have all of it later.
        early = min(returning, time * 1e3 / board.return_time(estimate.free))
        limits[LAUNCHES] = launches + board.return_time(occupancy) * returning / 1e3
        launch = 0.0 if estimate.overlaps else board.first_launch(estimate.parameter_bytes)
        time += (returning - early) * board.return_time(occupancy) / 1e3
    else:
        # Persistent CTAs leave no room for those, which come after them.
        limits[LAUNCHES] = launches
        launch = 0.0 if estimate.overlaps else board.first_launch(estimate.parameter_bytes)
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
