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

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.errors import ExecutionError, place_of
from tileiras_xdsl.interpreter.values import Integers

from .clocks import Clocks
from .shadow import WARP
from .tensor_memory import Block, TensorMemory, Words

if TYPE_CHECKING:
    from .mbarriers import MBarrier
    from .state import CtaThreads


# What accesses to tensor memory come after.
#
# Every `tcgen05` operation that touches tensor memory is issued at one time and complete at a
# later one; only completions are ordered. Who does it is a *party*, see `clocks`: the tensor core
# for a thread that issues MMAs, copies and shifts; the loads of a warp; its stores. Each is known
# by three numbers of `Clocks`: up to when a warp knows it complete, up to when it was known
# complete in front of a `tcgen05.fence` before a synchronization, and what had been issued there.
# They travel with arrivals and barriers.
#
#     complete      by a commit and a wait for its barrier; by `wait` of loads and stores
#     fenced        by a fence before the synchronization; a commit has one in itself
#     after         by a fence after the synchronization: from here on accesses come after it
#
# So an access is ordered behind another if it comes after its completion by all three. Of
# operations that the tensor core takes in turn (`PIPELINED`) the second one need not come after
# the completion: it is enough that the same thread issues it, or that there are both fences.

AccessKind: TypeAlias = Literal["mma", "cp", "shift", "ld", "st", "dealloc"]

PIPELINED: Final = {
    *(("cp", "mma"), ("shift", "mma"), ("mma", "shift"), ("shift", "cp 4x256b")),
}
"""Operations of one thread of which the second one waits for the first."""

WORDS: Final = {
    "mma": "multiplies into",
    "cp": "copies to",
    "shift": "shifts",
    "ld": "reads",
    "st": "writes",
    "dealloc": "deallocates",
}


class TensorOrderWarning(UserWarning):
    """An order that the PTX ISA does not promise, and compilers rely on."""


@dataclass(frozen=True)
class Party:
    """Who accesses tensor memory."""

    name: str
    number: int
    """Among the parties of tensor memory."""
    complete: int
    """Who it is for clocks, when it has completed what it did."""
    fenced: int
    """The same in front of a fence."""
    issued: int
    """The same of what it had begun there."""
    warp: int
    is_tensor_core: bool


@dataclass(frozen=True)
class TensorAccess:
    """An operation that touches tensor memory."""

    op: Operation
    kind: AccessKind
    thread: int
    party: Party
    time: int
    number: int
    shape: tuple[object, ...] = ()
    """Of an MMA: what its accumulator is."""
    what: str = ""
    """Of a copy: its shape."""


class TensorOrder:
    """The accesses to tensor memory of the CTAs that run side by side."""

    def __init__(self, clocks: Clocks):
        self.clocks = clocks
        self.parties: dict[tuple[str, int], Party] = {}
        self.accesses: list[TensorAccess | None] = [None]
        self.newest: list[int] = []
        """When parties have last accessed memory."""
        self._complete: Integers = np.zeros(0, np.int64)
        self._fenced: Integers = np.zeros(0, np.int64)
        self._issued: Integers = np.zeros(0, np.int64)
        self.after: Integers = np.zeros((clocks.warps, 0), np.int64)
        """Up to when accesses of warps come after those of parties."""
        self.after_issue: Integers = np.zeros((clocks.warps, 0), np.int64)
        """Up to when they come after those that the tensor core takes in turn with them."""

    def party(self, kind: Literal["tensor core", "ld", "st"], who: int) -> Party:
        """A party: the tensor core for a thread, or the loads or stores of a warp."""
        if (kind, who) not in self.parties:
            names, clocks = self.clocks.thread_names, self.clocks
            name = (
                f"the tensor core for {names.thread(who)}"
                if kind == "tensor core"
                else f"'tcgen05.{kind}' of {names.warp(who)}"
            )
            complete, fenced, issued = (clocks.add_party(name) for _ in range(3))
            clocks.completed += [complete, fenced, issued]
            is_core = kind == "tensor core"
            warp = who // WARP if is_core else who
            found = Party(name, len(self.parties), complete, fenced, issued, warp, is_core)
            self.parties[kind, who] = found
            self.newest.append(0)
            self._complete = np.append(self._complete, complete)
            self._fenced = np.append(self._fenced, fenced)
            self._issued = np.append(self._issued, issued)
            self.after = np.pad(self.after, ((0, 0), (0, 1)))
            self.after_issue = np.pad(self.after_issue, ((0, 0), (0, 1)))
        return self.parties[kind, who]

    def begin(
        self,
        op: Operation,
        kind: AccessKind,
        thread: int,
        shape: tuple[object, ...] = (),
        what: str = "",
    ) -> TensorAccess:
        """A thread issues an operation, or a warp by one of its threads."""
        if kind in ("ld", "st"):
            party = self.party("ld" if kind == "ld" else "st", thread // WARP)
        else:
            party = self.party("tensor core", thread)
        access = TensorAccess(
            op, kind, thread, party, self.clocks.now, len(self.accesses), shape, what
        )
        self.accesses.append(access)
        self.newest[party.number] = access.time
        return access

    # Fences

    def fence_before(self, warp: int) -> None:
        """What a warp knows complete comes before what others do after the synchronization."""
        known = self.clocks.known[warp]
        known[self._fenced] = np.maximum(known[self._fenced], known[self._complete])
        time = self.clocks.tick()
        for party in self.parties.values():
            if party.is_tensor_core and party.warp == warp:
                known[party.issued] = time

    def fence_after(self, warp: int) -> None:
        """What a warp does comes after what was complete before the synchronization."""
        known = self.clocks.known[warp]
        np.maximum(self.after[warp], known[self._fenced], out=self.after[warp])
        np.maximum(self.after_issue[warp], known[self._issued], out=self.after_issue[warp])

    def wait(self, kind: Literal["ld", "st"], warp: int) -> None:
        """A warp waits for its loads or stores."""
        party = self.party(kind, warp)
        time = self.clocks.tick()
        self.clocks.known[warp, party.complete] = time
        self.after[warp, party.number] = time

    def commit(self, thread: int) -> tuple[Party, int, Integers]:
        """What is complete when the operations are that a thread has issued: as times."""
        party = self.party("tensor core", thread)
        known = self.clocks.release_completed(np.array([thread]))
        time = self.clocks.tick()
        known[party.complete] = known[party.fenced] = known[party.issued] = time
        return party, time, known

    # Accesses

    def reads(self, memory: TensorMemory, words: Words, access: TensorAccess) -> None:
        """An operation reads words; raises if it does not come after who wrote them."""
        for block in words:
            self._check(memory.last_writes[block], block, access, "reads", "written")
            reads = memory.last_reads.get(access.party.number)
            if reads is None:
                reads = np.zeros_like(memory.last_writes)
                memory.last_reads[access.party.number] = reads
            reads[block] = access.number

    def writes(self, memory: TensorMemory, words: Words, access: TensorAccess) -> None:
        """An operation writes words; raises if it does not come after who touched them."""
        verb = WORDS[access.kind]
        warp = access.thread // WARP
        mine = memory.last_reads.get(access.party.number)
        for block in words:
            written = memory.last_writes[block]
            if mine is not None and access.kind == "cp":
                # What an MMA of the thread has read since is checked below, as a read.
                written = np.where(mine[block] > written, 0, written)
            self._check(written, block, access, verb, "written")
            for number, reads in memory.last_reads.items():
                if self.newest[number] > self.after[warp, number]:
                    self._check(reads[block], block, access, verb, "read")
            memory.last_writes[block] = access.number

    def _check(
        self, numbers: Integers, block: Block, access: TensorAccess, verb: str, done: str
    ) -> None:
        first = int(numbers[0, 0])
        found = [first] if (numbers == first).all() else np.unique(numbers).tolist()
        for number in found:
            other = self.accesses[number]
            if other is None or other is access or self._is_ordered(other, access, done):
                continue
            lane, column = (int(n) for n in np.argwhere(numbers == number)[0])
            where = f"lane {block.lanes.start + lane}, column {block.columns.start + column}"
            raise ExecutionError(
                f"race: {self.clocks.thread_names.thread(access.thread)} {verb} {where} of tensor "
                f"memory, {done} by {other.party.name} in '{other.op.name}'"
                f"{_place(other.op)}, {self._why(other, access)}"
            )

    def _is_ordered(self, first: TensorAccess, second: TensorAccess, done: str) -> bool:
        if first.time <= self.after[second.thread // WARP, first.party.number]:
            return True
        if first.party != second.party and not self.is_issued_before(first, second.thread):
            return False
        kind = second.kind if second.what != "4x256b" else f"{second.kind} 4x256b"
        if (first.kind, kind) in PIPELINED:
            return True
        if first.kind != "mma" or second.kind not in ("mma", "cp"):
            return False
        if second.kind == "mma" and first.shape == second.shape:
            return True
        if done == "read":
            # Whoever reads an operand has it before the next one writes: so compilers believe.
            warnings.warn(
                f"'{second.op.name}'{_place(second.op)} writes tensor memory that "
                f"'{first.op.name}'{_place(first.op)} reads: the PTX ISA does not order them",
                TensorOrderWarning,
                stacklevel=2,
            )
            return True
        return False

    def is_issued_before(self, first: TensorAccess, thread: int) -> bool:
        """Whether the tensor core takes an operation before those that another thread issues."""
        return bool(first.time <= self.after_issue[thread // WARP, first.party.number])

    def _why(self, first: TensorAccess, second: TensorAccess) -> str:
        """Why an access is not ordered behind another."""
        known = self.clocks.known[second.thread // WARP]
        if first.time > known[first.party.complete]:
            if first.kind == "ld":
                return "which has not waited for its loads, or not told of that"
            if first.kind == "st":
                return "which has not waited for its stores, or not told of that"
            return "which is not known to be complete: nobody has waited for a commit"
        if first.time > known[first.party.fenced]:
            return "without a tcgen05.fence::before_thread_sync before the synchronization"
        return "without a tcgen05.fence::after_thread_sync after the synchronization"


def _place(op: Operation) -> str:
    place = place_of(op).rstrip(": ")
    return f" at {place}" if place else ""


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
