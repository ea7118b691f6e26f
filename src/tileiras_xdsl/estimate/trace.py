"""
What each op did while a kernel ran on the model of an SM: the units it kept busy, the bytes it
moved, how long its agent waited there, and when.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from xdsl.dialects.scf import IfOp
from xdsl.ir import Operation, Region

from .work import UnitName

if TYPE_CHECKING:
    from .strands import Strand


@dataclass(frozen=True, slots=True)
class Event:
    """A unit that was busy, or an agent that waited."""

    op: Operation
    unit: UnitName | None
    """None for waiting."""
    agent: int
    """The number of the agent; -1 without agents."""
    strand: int
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
    strand: Strand | None = None
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

    def begin(self, op: Operation, strand: Strand) -> None:
        """A warpgroup comes to an op."""
        use = self.uses.setdefault(op, OpUse())
        if strand.number == 0:
            use.times += 1
        key = op, strand
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
        strand = self.strand
        if strand is None or strand.op is None:
            return
        use = self.uses.setdefault(strand.op, OpUse())
        use.busy[unit] = use.busy.get(unit, 0.0) + end - begin
        self._add(strand, unit, begin, end)

    def move(self, op: Operation, num_bytes: float) -> None:
        """An op loads or stores so many bytes."""
        self.uses.setdefault(op, OpUse()).bytes += num_bytes

    def wait(self, op: Operation, strand: Strand, begin: float, end: float) -> None:
        """A warpgroup could not go on."""
        if strand.number == 0:
            self.uses[op].waited += end - begin
        strand.op = op
        self._add(strand, None, begin, end)

    def _add(self, strand: Strand, unit: UnitName | None, begin: float, end: float) -> None:
        op = strand.op
        assert op is not None
        number = self._counts.get((op, strand), 0)
        agent = strand.agent.number
        key = op, unit, agent, strand.number, number
        at = self._last.get(key)
        if at is not None and self.events[at].end == begin:
            # Another instruction of the same op, right after the one before.
            self.events[at] = replace(self.events[at], end=end)
            return
        self._last[key] = len(self.events)
        self.events.append(Event(op, unit, agent, strand.number, begin, end, number))
