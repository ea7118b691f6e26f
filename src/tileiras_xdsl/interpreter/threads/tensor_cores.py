"""
What the tensor cores do while threads run on: MMAs, copies to tensor memory, shifts and commits.

An operation is checked, and its operands are taken, when a thread issues it; it reads and writes
memory when it runs. When that is, `Timing` says:

| timing | an operation runs |
| --- | --- |
| late | when somebody waits for the barrier of a commit after it |
| early | when it is issued |
| random | at some time between, as a seed says; those that are not ordered, in any order |

So a missing barrier shows in numbers as well as in a report; without checks for races, in numbers
only. Stores of warps behave the same until these wait for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.values import Integers

from .clocks import Clocks
from .names import WARP
from .tensor_memory import TensorMemory, Words
from .tensor_order import AccessKind, TensorAccess, TensorOrder

if TYPE_CHECKING:
    from .mbarriers import MBarrier
    from .state import CtaThreads

# What happened to tensor memory during a run, for pictures of it


@dataclass
class TensorEvent:
    """An allocation or an access, in steps of the run."""

    kind: str
    """`alloc`, `dealloc`, `mma`, `cp`, `shift`, `ld` or `st`."""
    op: Operation
    who: str
    """The thread or warp, in words."""
    memory: int
    """The number of the SM."""
    columns: range
    lanes: range
    issued: int
    ran: int | None = None
    """When it read and wrote; not known of one that did not run."""


@dataclass
class TensorTrace:
    """The events of a run: `run_threads(…, trace=trace)`."""

    events: list[TensorEvent] = field(default_factory=list[TensorEvent])
    step: int = 0

    def add(self, kind: str, op: Operation, who: str, memory: int, words: Words) -> TensorEvent:
        """Something is issued."""
        self.step += 1
        columns = range(
            min(block.columns.start for block in words), max(block.columns.stop for block in words)
        )
        lanes = range(
            min(block.lanes.start for block in words), max(block.lanes.stop for block in words)
        )
        event = TensorEvent(kind, op, who, memory, columns, lanes, self.step)
        self.events.append(event)
        return event

    def run(self, event: TensorEvent) -> None:
        """Something runs."""
        self.step += 1
        event.ran = self.step


# Operations

Timing: TypeAlias = Literal["late", "early", "random"]


def _nothing() -> None:
    """Nobody asks for what happens."""


RUNS: Final = 0.3
"""How likely an operation that could run does, at each step of a random run."""


@dataclass
class OpenOperation:
    """An operation that a thread has issued, and that has not run."""

    op: Operation
    kind: AccessKind
    number: int
    run: Callable[[], None]
    access: TensorAccess | None
    before: Sequence[tuple[int, int]] = ()
    """Other threads, and the last of their operations that come before it."""


@dataclass
class Commit:
    """A commit, whose barrier hears when the operations before it are complete."""

    op: Operation
    thread: int
    last: int
    """The number of the last operation before it."""
    time: int
    known: Integers | None
    barrier: MBarrier
    cta: int
    """The number of the first thread of the CTA that the barrier is in."""
    is_done: bool = False


@dataclass
class TensorCores:
    """The tensor cores and tensor memories of SMs on which CTAs run side by side."""

    clocks: Clocks | None
    timing: Timing = "late"
    random: Random = field(default_factory=Random)
    ctas_per_sm: int = 1
    memories: dict[int, TensorMemory] = field(default_factory=dict[int, TensorMemory])
    queues: dict[int, list[OpenOperation]] = field(default_factory=dict[int, list[OpenOperation]])
    """What threads have issued, in order."""
    stores: dict[int, list[Callable[[], None]]] = field(
        default_factory=dict[int, list[Callable[[], None]]]
    )
    """What warps have stored that has not come to tensor memory."""
    commits: list[Commit] = field(default_factory=list[Commit])
    issued: int = 0
    group: tuple[int, Operation] | None = None
    """The group of CTAs that all instructions are for, and the first one that said so."""
    touched: dict[tuple[int, int], TensorAccess] = field(
        default_factory=dict[tuple[int, int], TensorAccess]
    )
    """The last access of each party to what belongs to a CTA, by the number of its first thread."""
    collector: dict[int, object] = field(default_factory=dict[int, object])
    """The left operands that are in collector buffers, by the thread that filled them."""
    trace: TensorTrace | None = None
    happened: Callable[[], None] = _nothing
    """Is called when something happened that threads may wait for."""

    def __post_init__(self) -> None:
        self.order = None if self.clocks is None else TensorOrder(self.clocks)

    # CTAs

    def memory_of(self, cta: CtaThreads) -> TensorMemory:
        """The tensor memory of the SM that a CTA is on."""
        cluster = cta.cluster
        number = cluster.first // (cluster.size * cluster.threads)
        place = number // self.ctas_per_sm * cluster.size + cta.rank
        return self.memories.setdefault(place, TensorMemory(place))

    def check_group(self, op: Operation, count: int) -> None:
        """Raises if instructions of a kernel are for different groups of CTAs."""
        if self.group is None:
            self.group = count, op
        elif self.group[0] != count:
            raise ExecutionError(
                f"is for cta_group::{count}, but '{self.group[1].name}' of the same kernel for "
                f"cta_group::{self.group[0]}"
            )

    def touch(self, ctas: Sequence[CtaThreads], access: TensorAccess) -> None:
        """An operation touches memories of CTAs, which must not end before it is complete."""
        for cta in ctas:
            self.touched[cta.first, access.party.number] = access

    def note(
        self, kind: str, op: Operation, cta: CtaThreads, words: Words, thread: int | None = None
    ) -> Callable[[], None]:
        """A thread issues something for a CTA, or the warp that runs: what to do when it runs."""
        trace = self.trace
        if trace is None:
            return _nothing
        names = cta.names
        who = names.warp(int(cta.warps[0])) if thread is None else names.thread(thread)
        event = trace.add(kind, op, who, self.memory_of(cta).number, words)
        return lambda: trace.run(event)

    # Operations

    def issue(
        self,
        op: Operation,
        kind: AccessKind,
        thread: int,
        run: Callable[[], None],
        access: TensorAccess | None,
    ) -> None:
        """A thread issues an operation."""
        self.issued += 1
        before = list(self._earlier(thread))
        queue = self.queues.setdefault(thread, [])
        queue.append(OpenOperation(op, kind, self.issued, run, access, before))
        if self.timing == "early":
            self._run(queue, 0)
        self.step()

    def _earlier(self, thread: int) -> Iterator[tuple[int, int]]:
        """The operations of other threads that those of a thread come after, by fences."""
        order = self.order
        for other, queue in self.queues.items():
            if other == thread:
                continue
            numbers = [
                operation.number
                for operation in queue
                if order is None
                or operation.access is None
                or order.is_issued_before(operation.access, thread)
            ]
            if numbers:
                yield other, numbers[-1]

    def finish(self, thread: int, last: int) -> None:
        """The operations of a thread up to one are complete."""
        queue = self.queues.get(thread, [])
        while queue and queue[0].number <= last:
            self._run(queue, 0)

    def store(self, warp: int, run: Callable[[], None]) -> None:
        """A warp stores."""
        if self.timing == "early":
            run()
        else:
            self.stores.setdefault(warp, []).append(run)
        self.step()

    def finish_stores(self, warp: int) -> None:
        """The stores of a warp are complete."""
        for run in self.stores.pop(warp, ()):
            run()

    def step(self) -> None:
        """In a random run, something that could run may do so."""
        if self.timing != "random":
            return
        for queue in self.queues.values():
            while queue and self.random.random() < RUNS:
                self._run(queue, self._next(queue))
        for warp in list(self.stores):
            if self.random.random() < RUNS:
                self.finish_stores(warp)
        for commit in list(self.commits):
            if self.random.random() < RUNS:
                self.complete(commit)

    def _next(self, queue: Sequence[OpenOperation]) -> int:
        """One of the operations that need not wait for those before: copies pass each other."""
        first = queue[0].kind
        free = 1
        while first == "cp" and free < len(queue) and queue[free].kind == "cp":
            free += 1
        return self.random.randrange(free)

    def _run(self, queue: list[OpenOperation], index: int) -> None:
        operation = queue.pop(index)
        for thread, last in operation.before:
            self.finish(thread, last)
        try:
            operation.run()
        except ExecutionError as error:
            raise ExecutionError(error.message, operation.op) from error

    # Commits

    def commit(self, op: Operation, thread: int, targets: Sequence[tuple[MBarrier, int]]) -> None:
        """A thread commits what it has issued, to barriers in CTAs by their first threads."""
        last, time, known = self.issued, 0, None
        if self.order is not None:
            _, time, known = self.order.commit(thread)
        for barrier, cta in targets:
            commit = Commit(op, thread, last, time, known, barrier, cta)
            self.commits.append(commit)
            barrier.commits.append(commit)
            if self.timing == "early":
                self.complete(commit)
        self.step()

    def complete(self, commit: Commit) -> None:
        """The operations before a commit are complete: it arrives."""
        if commit.is_done:
            return
        commit.is_done = True
        self.finish(commit.thread, commit.last)
        self.commits.remove(commit)
        commit.barrier.commits.remove(commit)
        commit.barrier.arrive(f"a commit in '{commit.op.name}'", 1, commit.known)
        self.happened()

    # Ends

    def check_end(self, cta: CtaThreads) -> None:
        """Raises if a CTA ends that has columns, or that operations in flight still need."""
        memory = self.memory_of(cta)
        left = memory.allocations_of(cta.first)
        if left:
            raise ExecutionError(
                f"ends with columns {left[0].first} to {left[0].first + left[0].count - 1} of "
                "tensor memory, which it has not deallocated",
                None,
                cta.index,
            )
        if memory.permit == cta.first:
            memory.permit = None
        warps = slice(cta.first // WARP, -(-(cta.first + cta.size) // WARP))
        for (first, _), access in self.touched.items():
            if first == cta.first and not self._is_known(warps, access.party.complete, access.time):
                raise ExecutionError(
                    f"of {access.party.name} may not be complete when a CTA ends, for nobody in it "
                    "has waited for that",
                    access.op,
                    cta.index,
                )
        for commit in self.commits:
            if commit.cta == cta.first and not cta.first <= commit.thread < cta.first + cta.size:
                raise ExecutionError(
                    f"of {cta.names.thread(commit.thread)} is to arrive on a barrier of a CTA that "
                    "ends, for nobody in it has waited for that",
                    commit.op,
                    cta.index,
                )

    def _is_known(self, warps: slice, party: int, time: int) -> bool:
        """Whether some of the warps know that something is complete."""
        assert self.clocks is not None
        return bool(time <= np.max(self.clocks.known[warps, party]))
