"""
The tensor cores of an SM, to which warpgroups issue WGMMAs.

A dot is several instructions along K. They wait in a queue, which tensor cores empty in order. It
is short, and all warps of a sub-partition share it: where it is full, threads stop at an
instruction until there is room. A dot of another warpgroup that comes meanwhile waits until all
instructions of it are in the queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from .clock import Signal, Stamp, Unit, latest

if TYPE_CHECKING:
    from .strands import Strand
    from .trace import Trace


@dataclass
class Wgmma:
    """The instructions of a dot of a warpgroup."""

    strand: Strand
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
        strand = mma.strand
        later = strand.op
        if self.trace is not None:
            self.trace.strand, strand.op = strand, mma.op
        begin, end = self.unit.take(mma.ready, mma.clocks)
        _, read = self.shared.take(begin, mma.shared)
        end = latest(end, read)
        if end is not self.unit.free:
            # Operands come more slowly than they are multiplied.
            self.unit.free = end
        strand.op = later
        self.cursor = end.time
        mma.begun += 1
        self._fill(begin)
        if mma.begun == mma.number:
            done = end.after(mma.latency, "latency of MMAs")
            mma.on_done(done)
            mma.done.arrive(done)
