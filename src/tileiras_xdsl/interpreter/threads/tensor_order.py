"""
What accesses to tensor memory come after.

Every `tcgen05` operation that touches tensor memory is issued at one time and complete at a later
one; only completions are ordered. Who does it is a *party*, see `clocks`: the tensor core for a
thread that issues MMAs, copies and shifts; the loads of a warp; its stores. Each is known by three
numbers of `Clocks`: up to when a warp knows it complete, up to when it was known complete in front
of a `tcgen05.fence` before a synchronization, and what had been issued there. They travel with
arrivals and barriers.

    complete      by a commit and a wait for its barrier; by `wait` of loads and stores
    fenced        by a fence before the synchronization; a commit has one in itself
    after         by a fence after the synchronization: from here on accesses come after it

So an access is ordered behind another if it comes after its completion by all three. Of operations
that the tensor core takes in turn (`PIPELINED`) the second one need not come after the completion:
it is enough that the same thread issues it, or that there are both fences.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.errors import ExecutionError, place_of
from tileiras_xdsl.interpreter.values import Integers

from .clocks import Clocks
from .names import WARP
from .tensor_memory import Block, TensorMemory, Words

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
