"""
What is ordered before what, in kernels whose warps run apart from each other.

Time is one number, which grows whenever somebody lets others know what was done so far. An access
is stamped with the time, and with who did it: a *party*. Parties are the threads, the copies that
complete on a barrier in shared memory, the products of four warps, and the stores of boxes that a
thread has issued. For each warp it is known up to which time it comes after the accesses of each
party: barriers tell it. An access to bytes that another party has touched later is a race.

    warp 0                          warp 1
    writes x        (time 1)
    arrives         (1, then 2)     waits: knows warp 0 up to 1
    writes y        (time 2)        reads x: 1 <= 1, fine; reads y: 2 > 1, a race
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.errors import ExecutionError

from .names import WARP, Names
from .shadow import Log, Shadow
from .values import Array, Integers, Mask

PARTY_BITS = 12
"""Of the number of a party, at least: a stamp is the time, followed by this."""
ASYNCHRONOUS_PARTIES = 1024
"""Those who work for threads, for which there is room."""

Reader: TypeAlias = tuple[Literal["warp", "party"], int]
"""Whose reads are kept together."""


class Clocks:
    """
    The parties of a block, or of the blocks of a cluster: threads, several lanes of a warp, threads
    by atomics, and what works for threads asynchronously.
    """

    def __init__(self, threads: int, blocks: int = 1):
        """`threads` of each of the blocks, in whole warps if there are several."""
        self.thread_names = Names(threads if blocks > 1 else None)
        threads *= blocks
        warps = -(-threads // WARP)
        self.threads, self.warps = threads, warps
        self.several = threads
        """The first of the parties that are several lanes of a warp."""
        self.atomic = threads + warps
        """The first of the parties that are threads that use atomics."""
        self.others = self.atomic + threads
        self.bits = max(PARTY_BITS, (self.others + ASYNCHRONOUS_PARTIES).bit_length())
        """Of the number of a party in a stamp."""
        self.parties = 1 << self.bits
        self.thread_of = np.arange(self.parties)
        self.thread_of[self.atomic : self.others] = np.arange(threads)
        self.names: list[str] = []
        """Of the parties from `others` on."""
        self.setups: list[int] = []
        """The parties that are the setups of barriers, of which fences tell without a release."""
        self.now = 1
        self.known: Integers = np.zeros((warps, self.parties), np.int64)
        self.fenced: Integers = np.zeros(self.parties, np.int64)
        """Up to which time asynchronous accesses see what a party has written."""

    def add_party(self, name: str) -> int:
        """Somebody else who accesses memory."""
        number = self.others + len(self.names)
        if number >= self.parties:
            raise ExecutionError("has more barriers in shared memory than can be run on the CPU")
        self.names.append(name)
        self.known[:, number] = self.now - 1
        return number

    def name(self, party: int) -> str:
        """A party in words."""
        if party < self.threads:
            return self.thread_names.thread(party)
        if party < self.atomic:
            return f"threads of {self.thread_names.warp(party - self.several)}"
        if party < self.others:
            return f"an atomic of {self.thread_names.thread(party - self.atomic)}"
        return self.names[party - self.others]

    def tick(self) -> int:
        """The time until now; what is done from here on is later."""
        self.now += 1
        return self.now - 1

    def release(self, threads: Integers) -> Integers:
        """What threads know and have done so far, as times of parties."""
        known = self.known[np.unique(threads // WARP)].max(axis=0)
        known[threads] = self.now
        self._add_several(known)
        self.tick()
        return known

    def release_setups(self, threads: Integers) -> Integers:
        """What threads know of barriers that were set up, and of nothing else."""
        known = np.zeros_like(self.fenced)
        known[self.setups] = self.known[np.unique(threads // WARP)].max(axis=0)[self.setups]
        return known

    def _add_several(self, known: Integers) -> None:
        """Who comes after all lanes of a warp comes after several of them."""
        lanes = np.full(self.warps * WARP, known[: self.threads].max(initial=0))
        lanes[: self.threads] = known[: self.threads]
        several = known[self.several : self.several + self.warps]
        np.maximum(several, lanes.reshape(-1, WARP).min(axis=1), out=several)

    def acquire(self, warps: Sequence[int] | Integers, known: Integers) -> None:
        """Some warps come after what has been released."""
        for warp in warps:
            mine = self.known[warp]
            np.maximum(mine, known, out=mine)
            self._add_several(mine)

    def warps_met(self, warps: Integers, threads: Integers) -> None:
        """The lanes of some warps have met."""
        for warp in warps:
            lanes = threads[threads // WARP == warp]
            self.acquire([int(warp)], self.release(lanes))

    def fence(self, threads: Integers) -> None:
        """Shows what threads have done, and come after, to asynchronous accesses."""
        for warp in np.unique(threads // WARP):
            np.maximum(self.fenced, self.known[warp], out=self.fenced)
        self.fenced[threads] = self.now
        self._add_several(self.fenced)
        self.tick()

    def everything_ordered(self) -> None:
        """All that was done is over, as at the end of a block; who worked for threads is gone."""
        self.names.clear()
        self.setups.clear()
        self.known[:] = self.fenced[:] = self.tick()


class ClockedShadow(Shadow):
    """Who has touched the bytes of one memory, and when."""

    def __init__(self, name: str, size: int, clocks: Clocks, written: Mask | None = None):
        super().__init__(name, size, None, written, clocks.thread_names)
        self.clocks = clocks
        count = -(-size // self.granule)
        self.last_writes: Integers = np.zeros(count, np.int64)
        """The stamp of the latest write of each cell."""
        self.last_reads: dict[Reader, Integers] = {}
        """The same of reads: for each warp, and for those who read asynchronously."""
        self.newest: dict[Reader, int] = {}
        """When these read last."""
        self.log = Log()

    def split(self, parts: int) -> None:
        super().split(parts)
        self.last_writes = np.repeat(self.last_writes, parts)
        self.last_reads = {who: np.repeat(all, parts) for who, all in self.last_reads.items()}

    # Accesses of threads

    def read(
        self, op: Operation, offsets: Integers, size: int, who: Integers, *, whole_warps: bool
    ) -> None:
        super().read(op, offsets, size, who, whole_warps=whole_warps)
        cells = self.cells(offsets, size)
        self._check_writes(cells, who, "reads")
        clocks = self.clocks
        parties = clocks.several + who // WARP if whole_warps else who
        for warp in np.unique(who // WARP):
            mine = who // WARP == warp
            stamps = self._reads_of(("warp", int(warp)))
            self._add_reads(stamps, cells[mine], parties[mine], int(warp))
        self.log.entries.append((op, offsets, size))

    def write(
        self, op: Operation, offsets: Integers, size: int, who: Integers, data: Array, kept: Array
    ) -> None:
        super().write(op, offsets, size, who, data, kept)
        cells = self.cells(offsets, size)
        self._check_writes(cells, who, "writes")
        self._check_reads(cells, who, "writes")
        stamps = self._stamps(who)[:, None]
        self.last_writes[cells] = stamps
        lost = self.last_writes[cells] != stamps
        if lost.any():
            differs = (data != kept).any(axis=1)
            if differs.any():
                bad = lost & differs[:, None]
                self._report("writes", "written", self.last_writes, cells, who, bad, "the same op")
        self.log.entries.append((op, offsets, size))

    def update(
        self,
        op: Operation,
        offsets: Integers,
        size: int,
        who: Integers,
        *,
        is_store: bool = False,
        is_load: bool = False,
    ) -> None:
        super().update(op, offsets, size, who, is_store=is_store, is_load=is_load)
        cells = self.cells(offsets, size)
        parties = self.last_writes[cells] % self.clocks.parties
        is_atomic = (parties >= self.clocks.atomic) & (parties < self.clocks.others)
        bad = self._late(self.last_writes, cells, who) & ~is_atomic
        if bad.any():
            self._report("changes", "written", self.last_writes, cells, who, bad)
        if is_load:
            return
        self._check_reads(cells, who, "changes")
        self.last_writes[cells] = self._stamps(self.clocks.atomic + who)[:, None]
        self.log.entries.append((op, offsets, size))

    # Asynchronous accesses, for threads

    def begin_arrival(self, op: Operation, offsets: Integers, size: int, who: Integers) -> None:
        super().begin_arrival(op, offsets, size, who)
        cells = self.cells(offsets, size)
        self._check_writes(cells, who, "copies to")
        self._check_reads(cells, who, "copies to")
        self.log.entries.append((op, offsets, size))

    def arrive(self, offsets: Integers, size: int, party: int | None) -> None:
        super().arrive(offsets, size, party)
        assert party is not None
        self.last_writes[self.cells(offsets, size)] = self._stamp(party)

    def read_for(
        self, op: Operation, offsets: Integers, size: int, who: Integers, party: int | None
    ) -> None:
        assert party is not None
        super().read(op, offsets, size, np.repeat(who[:1], len(offsets)), whole_warps=False)
        cells = self.cells(offsets, size).reshape(-1, 1)
        for warp in np.unique(who // WARP):
            thread = who[who // WARP == warp][:1]
            self._check_writes(cells, np.repeat(thread, len(cells)), "reads")
        self._check_fences(cells)
        self._reads_of(("party", party))[cells] = self._stamp(party)
        self.log.entries.append((op, offsets, size))

    def _check_fences(self, cells: Integers) -> None:
        """Raises if threads have written what asynchronous accesses may not see yet."""
        clocks, writes = self.clocks, self.last_writes[cells]
        parties = clocks.thread_of[writes % clocks.parties]
        hidden = (writes // clocks.parties > clocks.fenced[parties]) & (parties < clocks.others)
        if hidden.any():
            at = int(np.argmax(hidden))
            offset = int(cells.reshape(-1)[at]) * self.granule
            raise ExecutionError(
                f"reads byte {offset} of {self.name} asynchronously, written by "
                f"{clocks.name(int(parties.reshape(-1)[at]))} in "
                f"{self.log.other(offset, self.granule)}, without a proxy fence in between"
            )

    def write_for(
        self, op: Operation, offsets: Integers, size: int, who: Integers, party: int | None
    ) -> None:
        assert party is not None
        super().write_for(op, offsets, size, who, party)
        cells = self.cells(offsets, size)
        self._check_writes(cells, who, "writes")
        self._check_reads(cells, who, "writes")
        self.last_writes[cells] = self._stamp(party)
        self.log.entries.append((op, offsets, size))

    def last_written(self, offset: int, size: int) -> int:
        """When bytes were written last, 0 if never."""
        cells = self.cells(np.array([offset]), size)
        return int(self.last_writes[cells].max()) >> self.clocks.bits

    # Checks

    def _stamp(self, party: int) -> int:
        return self.clocks.now * self.clocks.parties + party

    def _stamps(self, parties: Integers) -> Integers:
        return self.clocks.now * self.clocks.parties + parties

    def _reads_of(self, who: Reader) -> Integers:
        """The stamps of the reads of a warp, or of another party, which is about to read."""
        if who not in self.last_reads:
            self.last_reads[who] = np.zeros(len(self.last_writes), np.int64)
        self.newest[who] = self.clocks.now
        return self.last_reads[who]

    def _known_of(self, reader: Reader, warps: Integers) -> int:
        """Up to which time warps come after all that a reader has done."""
        kind, number = reader
        clocks = self.clocks
        parties = slice(number, number + 1)
        if kind == "warp":
            parties = slice(number * WARP, min(number * WARP + WARP, clocks.threads))
        return int(clocks.known[warps, parties].min())

    def _late(self, stamps: Integers, cells: Integers, who: Integers) -> Mask:
        """Which cells others have touched later than the threads know."""
        found = stamps[cells]
        clocks = self.clocks
        times, parties = found >> clocks.bits, clocks.thread_of[found & clocks.parties - 1]
        warps = who // WARP
        if (warps == warps[0]).all():
            known = clocks.known[warps[0]][parties]
        else:
            known = clocks.known[warps[:, None], parties]
        return (times > known) & (parties != who[:, None])

    def _check_writes(self, cells: Integers, who: Integers, verb: str) -> None:
        bad = self._late(self.last_writes, cells, who)
        if bad.any():
            self._report(verb, "written", self.last_writes, cells, who, bad)

    def _check_reads(self, cells: Integers, who: Integers, verb: str) -> None:
        warps = np.unique(who // WARP)
        for reader, stamps in self.last_reads.items():
            if self.newest[reader] <= self._known_of(reader, warps):
                continue
            bad = self._late(stamps, cells, who)
            if bad.any():
                self._report(verb, "read", stamps, cells, who, bad)

    def _add_reads(self, stamps: Integers, cells: Integers, parties: Integers, warp: int) -> None:
        """Threads of a warp have read; those that read before keep their stamps, or get one."""
        clocks = self.clocks
        found = stamps[cells]
        mine = np.broadcast_to(self._stamps(parties)[:, None], cells.shape)
        before = found & clocks.parties - 1
        is_old = (found >> clocks.bits <= clocks.known[warp, before]) | (before == parties[:, None])
        several = self._stamp(clocks.several + warp)
        stamps[cells] = np.where(is_old, mine, several)
        lost = stamps[cells] != mine
        if lost.any():
            stamps[cells[lost]] = several

    def _report(
        self,
        verb: str,
        done: str,
        stamps: Integers,
        cells: Integers,
        who: Integers,
        bad: Mask,
        other: str | None = None,
    ) -> None:
        row, column = (int(n) for n in np.argwhere(bad)[0])
        party = int(stamps[cells[row, column]]) % self.clocks.parties
        offset = int(cells[row, column]) * self.granule
        other = other or self.log.other(offset, self.granule)
        raise ExecutionError(
            f"race: {self.names.thread(who[row])} {verb} byte {offset} of {self.name}, {done} by "
            f"{self.clocks.name(party)} in {other}, without a barrier in between"
        )
