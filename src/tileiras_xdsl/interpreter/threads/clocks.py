"""
What is ordered before what, and who races.

Time is one number, which grows whenever somebody lets others know what was done so far. An access
is stamped with the time, and with who did it: a *party*. Parties are the threads, the copies that
complete on a barrier in shared memory, the WGMMAs of a warpgroup, and the TMA stores that a
thread has issued; and who else touches memory, see `interpreter.environment`. For each warp it is
known up to which time it comes after the accesses of each party: barriers tell it, acquires that
read what was released, and the wait for the previous grid. An access to bytes that another party
has touched later is a race.

    warp 0                          warp 1
    writes x        (time 1)
    arrives         (1, then 2)     waits: knows warp 0 up to 1
    writes y        (time 2)        reads x: 1 <= 1, fine; reads y: 2 > 1, a race
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from tileiras_xdsl.interpreter.accesses import GPU, WEAK, Actor, ActorRelease, Semantics
from tileiras_xdsl.interpreter.errors import ExecutionError, place_of
from tileiras_xdsl.interpreter.values import Array, Integers, Mask

from .shadow import WARP, Names, ShadowMemory, Touch, grown

PARTY_BITS = 12
"""Of the number of a party, at least: a stamp is the time, followed by this."""
ASYNCHRONOUS_PARTIES = 1024
"""Those who work for threads, for which there is room."""

LOGGED = 4096
"""Accesses that are remembered, to be named."""

OUTSIDE = -1
"""The thread of a store from outside."""

Reader: TypeAlias = tuple[Literal["warp", "party", "strong", "strong party", "strong update"], int]
"""
Whose reads are kept together; strong ones race with ordinary writes only. Updates by atomics, of
which the latest need not come after those before, are kept, too: they race with ordinary reads.
"""


class Clocks:
    """
    The parties of a CTA, or of the CTAs of a cluster: threads, several lanes of a warp, threads
    by atomics, and what works for threads asynchronously.
    """

    def __init__(
        self,
        threads: int,
        ctas: int = 1,
        outsiders: Sequence[str] = (),
        *,
        clusters: int = 1,
        names: Names | None = None,
    ):
        """
        `threads` of each of the CTAs of clusters, in whole warps if there are several, and the
        names of those who are outside of them.
        """
        self.thread_names = names or Names(threads if ctas > 1 else None)
        self.cta_threads, self.cluster_ctas = threads, ctas
        threads *= ctas * clusters
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
        self.names: list[str] = [name for name in outsiders for _ in range(2)]
        """Of the parties from `others` on."""
        self.outsiders = len(outsiders)
        """Each is two parties: by ordinary accesses, and by strong ones."""
        self.outside = slice(self.others, self.others + 2 * self.outsiders)
        self.thread_of[self.others + 1 : self.outside.stop : 2] -= 1
        self.is_generic: Mask = np.zeros(self.parties, np.bool_)
        """Those who are outside whose writes asynchronous accesses see only after a fence."""
        self.is_update: Mask = np.zeros(self.parties, np.bool_)
        """Those who work for threads that change memory by atomics."""
        self.cluster = 0
        """The number of the first cluster that runs."""
        self.setups: list[int] = []
        """The parties that are the setups of barriers, of which fences tell without a release."""
        self.completed: list[int] = []
        """
        The parties that work for threads until these have waited for them: what they have read or
        written by then, no later access can change.
        """
        self.now = 1
        self.known: Integers = np.zeros((warps + self.outsiders, self.parties), np.int64)
        """What warps come after, then those who are outside."""
        self.fenced: Integers = np.zeros((ctas * clusters, self.parties), np.int64)
        """
        Up to which time asynchronous accesses see what a party has written to the shared memory of
        a CTA.
        """
        self.fences: dict[int, list[Fence]] = {}
        """Those of the shared memory of a CTA, for asynchronous accesses of other CTAs to it."""
        self.ordered = 0
        """Until when all that was done is over."""
        self.fenced_globally: Integers = np.zeros(self.parties, np.int64)
        """The same of global memory."""
        self.fence_releases: dict[int, ActorRelease] = {}
        """What the strong writes of warps publish, since a fence."""
        self.unfenced_reads: dict[int, list[ActorRelease]] = {}
        """The releases that strong reads of warps have seen, for the next fence to acquire."""

    def add_party(self, name: str) -> int:
        """Somebody else who accesses memory."""
        number = self.others + len(self.names)
        if number >= self.parties:
            raise ExecutionError("has more barriers in shared memory than can be run on the CPU")
        self.names.append(name)
        self.known[: self.warps, number] = self.now - 1
        return number

    def outsider(self, number: int) -> int:
        """The party of who is outside, by ordinary accesses."""
        return self.others + 2 * number

    def actor_of(self, thread: int) -> Actor:
        """The CTA of a thread, as scopes see it."""
        cluster, rank = divmod(thread // self.cta_threads, self.cluster_ctas)
        return self.cluster + cluster, rank

    def name(self, party: int) -> str:
        """A party in words."""
        if party < self.threads:
            return self.thread_names.thread(party)
        if party < self.atomic:
            return f"threads of {self.thread_names.warp(party - self.several)}"
        if party < self.others:
            return f"an atomic of {self.thread_names.thread(party - self.atomic)}"
        number = party - self.others
        # Those who worked for the threads of a CTA are forgotten when it has ended.
        return self.names[number] if number < len(self.names) else "a copy of an earlier CTA"

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

    def nothing(self) -> Integers:
        """What somebody knows who comes after no one."""
        return np.zeros(self.parties, np.int64)

    def release_setups(self, threads: Integers) -> Integers:
        """What threads know of barriers that were set up, and of nothing else."""
        known = self.nothing()
        known[self.setups] = self.known[np.unique(threads // WARP)].max(axis=0)[self.setups]
        return known

    def release_completed(self, threads: Integers) -> Integers:
        """What threads have waited for, and nothing that they have done themselves."""
        known = self.nothing()
        mine = self.known[np.unique(threads // WARP)].max(axis=0)
        known[self.completed] = mine[self.completed]
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

    def fence(self, threads: Integers, fenced: Integers, cta: int | None = None) -> None:
        """
        Shows what threads have done, and come after, to asynchronous accesses of a memory, which
        may be the shared memory of a CTA.
        """
        for warp in np.unique(threads // WARP):
            np.maximum(fenced, self.known[warp], out=fenced)
            if cta is not None and self.cluster_ctas > 1:
                mine = threads[threads // WARP == warp]
                shown = self.known[warp, : self.threads].copy()
                shown[mine] = self.now
                self.fences.setdefault(cta, []).append(Fence(int(mine[0]), self.now, shown))
        fenced[threads] = self.now
        self._add_several(fenced)
        self.tick()

    def everything_ordered(self) -> None:
        """
        All that was done is over, as at the end of a CTA; who worked for threads is gone. Those
        outside run on: nothing is known of them, nor they know anything.
        """
        del self.names[2 * self.outsiders :]
        self.is_update[:] = False
        self.setups.clear()
        self.completed.clear()
        self.cluster += 1
        self.fence_releases.clear()
        self.unfenced_reads.clear()
        self.fences.clear()
        self.ordered = before = self.tick()
        for known in (self.known[: self.warps], self.fenced, self.fenced_globally):
            known[:] = before
            known[..., self.outside] = 0

    # Memory fences

    def release_later(self, threads: Integers, scope: int) -> None:
        """A fence: strong writes after it publish what threads have done."""
        for warp in np.unique(threads // WARP):
            mine = threads[threads // WARP == warp]
            actor = self.actor_of(int(mine[0]))
            self.fence_releases[int(warp)] = ActorRelease(actor, scope, self.release(mine))

    def acquire_earlier(self, threads: Integers, scope: int) -> None:
        """A fence: threads come after what their strong reads have seen."""
        for warp in np.unique(threads // WARP):
            actor = self.actor_of(int(warp) * WARP)
            for release in self.unfenced_reads.pop(int(warp), ()):
                if release.reaches(actor, scope):
                    self.acquire([int(warp)], release.known)

    def wait_for_grids(self, threads: Integers, grids: Sequence[int]) -> None:
        """Threads come after what the previous grid has done."""
        warps = np.unique(threads // WARP)
        for number in grids:
            self.known[warps, self.outsider(number)] = self.now


class Fence(NamedTuple):
    """A proxy fence of threads of a warp."""

    thread: int
    """One of them."""
    time: int
    shown: Integers
    """Up to which time asynchronous accesses see what other threads have written."""


class Log:
    """The latest accesses, so that a race can name both ops."""

    def __init__(self) -> None:
        self.entries: deque[Touch] = deque(maxlen=LOGGED)

    def other(self, offset: int, size: int) -> str:
        """The latest access that touched bytes, in words."""
        for op, offsets, length, _ in reversed(self.entries):
            if ((offsets < offset + size) & (offset < offsets + length)).any():
                place = place_of(op)
                return f"'{op.name}'" + (f" at {place.rstrip(': ')}" if place else "")
        return "an earlier op"


class ClockedShadow(ShadowMemory):
    """Who has touched the bytes of one memory, and when."""

    def __init__(
        self,
        name: str,
        size: int,
        clocks: Clocks,
        written: Mask | None = None,
        *,
        is_global: bool = False,
        cta: int = 0,
    ):
        super().__init__(name, size, written, clocks.thread_names)
        self.clocks = clocks
        self.is_global = is_global
        self.cta = cta
        """The CTA whose shared memory it is."""
        count = -(-size // self.granule)
        self.last_writes: Integers = np.zeros(count, np.int64)
        """The stamp of the latest write of each cell."""
        self.last_reads: dict[Reader, Integers] = {}
        """The same of reads: for each warp, and for those who read asynchronously."""
        self.newest: dict[Reader, int] = {}
        """When these read last."""
        self.releases: list[tuple[ActorRelease, ...]] = [()]
        self.released: Integers | None = None
        """The numbers of the releases that a cell holds; 0 is none."""
        self.scopes: Integers | None = None
        """The scope of the latest write of each cell, if any was narrower than the device."""
        self.log = Log()

    def split(self, parts: int) -> None:
        super().split(parts)
        self.last_writes = np.repeat(self.last_writes, parts)
        self.last_reads = {who: np.repeat(every, parts) for who, every in self.last_reads.items()}
        if self.released is not None:
            self.released = np.repeat(self.released, parts)
        if self.scopes is not None:
            self.scopes = np.repeat(self.scopes, parts)

    def resize(self, size: int) -> None:
        super().resize(size)
        count = -(-size // self.granule)
        self.last_writes = grown(self.last_writes, count)
        self.last_reads = {who: grown(every, count) for who, every in self.last_reads.items()}
        if self.released is not None:
            self.released = grown(self.released, count)
        if self.scopes is not None:
            self.scopes = grown(self.scopes, count, GPU)

    # Accesses of threads

    def read(self, touch: Touch, *, whole_warps: bool) -> None:
        super().read(touch, whole_warps=whole_warps)
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        self._check_writes(cells, who, "reads")
        self._check_reads(cells, who, "reads")
        clocks = self.clocks
        parties = clocks.several + who // WARP if whole_warps else who
        self._add_reads("warp", cells, who, parties)
        self.log.entries.append(touch)

    def write(self, touch: Touch, data: Array, kept: Array) -> None:
        super().write(touch, data, kept)
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        self._check_writes(cells, who, "writes")
        self._check_reads(cells, who, "writes")
        stamps = self._stamps(who)[:, None]
        self.last_writes[cells] = stamps
        self._hide_releases(cells)
        lost = self.last_writes[cells] != stamps
        if lost.any():
            differs = (data != kept).any(axis=1)
            if differs.any():
                bad = lost & differs[:, None]
                self._report("writes", "written", self.last_writes, cells, who, bad, "the same op")
        self.log.entries.append(touch)

    def update(
        self,
        touch: Touch,
        *,
        is_store: bool = False,
        is_load: bool = False,
        semantics: Semantics = WEAK,
    ) -> None:
        super().update(touch, is_store=is_store, is_load=is_load)
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        clocks = self.clocks
        parties = self.last_writes[cells] & clocks.parties - 1
        bad = self._late(self.last_writes, cells, who) & ~self._is_strong(parties, semantics.scope)
        if bad.any():
            verb = "reads" if is_load else "changes"
            self._report(verb, "written", self.last_writes, cells, who, bad)
        if not is_store:
            self._acquire(cells, who, semantics)
        if is_load:
            self._add_reads("strong", cells, who, who)
            self.log.entries.append(touch)
            return
        self._check_reads(cells, who, "changes", is_strong=True)
        self.last_writes[cells] = self._stamps(clocks.atomic + who)[:, None]
        self._add_reads("strong update", cells, who, clocks.atomic + who)
        self._note_scope(cells, semantics.scope)
        self._release(cells, who, semantics, hides=is_store)
        self.log.entries.append(touch)

    def _is_strong(self, parties: Integers, scope: int) -> Mask:
        """Which of the writers are strong, so that an access of a scope does not race with them."""
        clocks = self.clocks
        is_atomic = (parties >= clocks.atomic) & (parties < clocks.others)
        is_atomic |= clocks.is_update[parties]
        if scope < GPU or not clocks.outsiders:
            return is_atomic
        first, last = clocks.outside.start, clocks.outside.stop
        return is_atomic | (parties >= first) & (parties < last) & ((parties - first) % 2 == 1)

    # What synchronizes

    def _hide_releases(self, cells: Integers) -> None:
        """An ordinary write: who reads it does not acquire what was there before."""
        if self.released is not None:
            self.released[cells] = 0
        if self.scopes is not None:
            self.scopes[cells] = GPU

    def _note_scope(self, cells: Integers, scope: int) -> None:
        if self.scopes is None and scope < GPU:
            self.scopes = np.full(len(self.last_writes), GPU)
        if self.scopes is not None:
            self.scopes[cells] = scope

    def _found_releases(self, cells: Integers) -> list[ActorRelease]:
        """The releases that somebody reads."""
        if self.released is None:
            return []
        numbers = np.unique(self.released[cells])
        return [release for number in numbers for release in self.releases[int(number)]]

    def _acquire(self, cells: Integers, who: Integers, semantics: Semantics) -> None:
        """Threads come after what was released where they read, or a fence after them does."""
        clocks = self.clocks
        for warp in np.unique(who // WARP):
            number = int(warp)
            actor = clocks.actor_of(number * WARP)
            for release in self._found_releases(cells[who // WARP == warp]):
                if not release.reaches(actor, semantics.scope):
                    continue
                if semantics.acquires:
                    clocks.acquire([number], release.known)
                else:
                    clocks.unfenced_reads.setdefault(number, []).append(release)

    def _release(
        self, cells: Integers, who: Integers, semantics: Semantics, *, hides: bool
    ) -> None:
        """
        Threads write what others may acquire; a store hides what other threads have released
        before, an update does not.
        """
        clocks = self.clocks
        for row, thread in enumerate(who.tolist()):
            found: ActorRelease | None = None
            if semantics.releases:
                known = clocks.release(np.array([thread]))
                found = ActorRelease(clocks.actor_of(thread), semantics.scope, known, thread)
            elif (fence := clocks.fence_releases.get(thread // WARP)) is not None:
                scope = min(fence.scope, semantics.scope)
                found = ActorRelease(fence.actor, scope, fence.known, thread)
            self._publish(cells[row], found, thread if hides else None)

    def _publish(self, cells: Integers, release: ActorRelease | None, storer: int | None) -> None:
        """
        Cells hold a release, and those that they held before: all of them if it is part of an
        update, otherwise those of the thread that stores.
        """
        if self.released is None:
            if release is None:
                return
            self.released = np.zeros(len(self.last_writes), np.int64)
        kept = [
            found
            for found in self._found_releases(cells)
            if storer is None or found.thread == storer
        ]
        if release is not None:
            kept.append(release)
        if kept:
            self.releases.append(tuple(kept))
        self.released[cells] = len(self.releases) - 1 if kept else 0

    # Those who are outside

    def read_from_outside(self, number: int, offsets: Integers, size: int, how: Semantics) -> None:
        """Who is outside reads, and may acquire."""
        cells, clocks = self.cells(offsets, size), self.clocks
        party = clocks.outsider(number)
        self._check_from_outside(cells, number, how, "reads", "written", self.last_writes)
        self._learn(number, cells, how)
        self._reads_of(("strong party" if how.strong else "party", party))[cells] = self._stamp(
            party
        )

    def write_from_outside(
        self, number: int, offsets: Integers, size: int, how: Semantics, *, updates: bool
    ) -> None:
        """Who is outside writes, and may release."""
        cells, clocks = self.cells(offsets, size), self.clocks
        party = clocks.outsider(number)
        verb = "changes" if updates else "writes"
        self._check_from_outside(cells, number, how, verb, "written", self.last_writes)
        for (kind, _), stamps in self.last_reads.items():
            if not (how.strong and kind.startswith("strong")):
                self._check_from_outside(cells, number, how, verb, "read", stamps)
        self._learn(number, cells, how)
        if self.written is not None:
            self.written[cells] = True
        self.last_writes[cells] = self._stamp(party + how.strong)
        if not how.strong:
            self._hide_releases(cells)
            clocks.tick()
            return
        self._note_scope(cells, how.scope)
        release = None
        if how.releases:
            known = clocks.known[clocks.warps + number].copy()
            known[party] = clocks.now
            release = ActorRelease(number, how.scope, known)
        clocks.tick()
        for row in cells:
            self._publish(row, release, None if updates else OUTSIDE)

    def _learn(self, number: int, cells: Integers, how: Semantics) -> None:
        """Who is outside comes after what was released where it reads, if it acquires."""
        mine = self.clocks.known[self.clocks.warps + number]
        for release in self._found_releases(cells) if how.acquires else ():
            if release.reaches(number, how.scope):
                np.maximum(mine, release.known, out=mine)

    def _check_from_outside(
        self,
        cells: Integers,
        number: int,
        how: Semantics,
        verb: str,
        done: str,
        stamps: Integers,
    ) -> None:
        """Raises if who is outside does not come after what others have done."""
        clocks = self.clocks
        found = stamps[cells]
        writers = found & clocks.parties - 1
        parties = clocks.thread_of[writers]
        bad = found >> clocks.bits > clocks.known[clocks.warps + number][parties]
        bad &= parties != clocks.outsider(number)
        if how.strong and stamps is self.last_writes:
            strong = self._is_strong(writers, how.scope)
            if self.scopes is not None:
                strong &= self.scopes[cells] >= GPU
            bad &= ~strong
        if not bad.any():
            return
        row, column = (int(n) for n in np.argwhere(bad)[0])
        offset = int(cells[row, column]) * self.granule
        raise ExecutionError(
            f"race: {clocks.name(clocks.outsider(number))} {verb} {self.name_byte(offset)}, "
            f"{done} by {clocks.name(int(writers[row, column]))} in "
            f"{self.log.other(offset, self.granule)}, which is not released to it"
        )

    def hold_from_outside(self, number: int, offsets: Integers, size: int) -> None:
        """The previous grid is writing bytes."""
        cells = self.cells(offsets, size)
        self.last_writes[cells] = self._stamp(self.clocks.outsider(number))

    # Asynchronous accesses, for threads

    def begin_arrival(self, touch: Touch) -> None:
        super().begin_arrival(touch)
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        self._check_writes(cells, who, "copies to")
        self._check_reads(cells, who, "copies to")
        self.log.entries.append(touch)

    def arrive(self, offsets: Integers, size: int, party: int | None) -> None:
        super().arrive(offsets, size, party)
        assert party is not None
        self.last_writes[self.cells(offsets, size)] = self._stamp(party)

    def read_for(self, touch: Touch, party: int | None) -> None:
        assert party is not None
        who, cells = touch.who, self.cells(touch.offsets, touch.size).reshape(-1, 1)
        first = touch._replace(who=np.repeat(who[:1], len(touch.offsets)))
        super().read(first, whole_warps=False)
        for warp in np.unique(who // WARP):
            thread = who[who // WARP == warp][:1]
            self._check_writes(cells, np.repeat(thread, len(cells)), "reads")
            self._check_fences(cells, int(thread[0]))
        self._reads_of(("party", party))[cells] = self._stamp(party)
        self.log.entries.append(touch)

    def _check_fences(self, cells: Integers, reader: int) -> None:
        """
        Raises if threads have written what asynchronous accesses of a thread may not see yet. What
        it reads in another CTA needs a fence there that it comes after.
        """
        clocks, writes = self.clocks, self.last_writes[cells]
        parties = clocks.thread_of[writes & clocks.parties - 1]
        fenced = clocks.fenced_globally if self.is_global else clocks.fenced[self.cta]
        is_generic = (parties < clocks.others) | clocks.is_generic[parties]
        hidden = (writes >> clocks.bits > fenced[parties]) & is_generic
        if not self.is_global and reader // clocks.cta_threads != self.cta:
            hidden |= self._is_unfenced(writes, parties, reader) & is_generic
        if hidden.any():
            at = int(np.argmax(hidden))
            offset = int(cells.reshape(-1)[at]) * self.granule
            raise ExecutionError(
                f"reads {self.name_byte(offset)} asynchronously, written by "
                f"{clocks.name(int(parties.reshape(-1)[at]))} in "
                f"{self.log.other(offset, self.granule)}, without a proxy fence in between"
            )

    def _is_unfenced(self, writes: Integers, parties: Integers, reader: int) -> Mask:
        """Which writes of threads no fence of this memory shows that a thread comes after."""
        clocks = self.clocks
        times, known = writes >> clocks.bits, clocks.known[reader // WARP]
        hidden = (times > clocks.ordered) & (parties < clocks.threads)
        for fence in reversed(clocks.fences.get(self.cta, ())):
            if not hidden.any():
                break
            if fence.time <= known[fence.thread]:
                hidden[hidden] = times[hidden] > fence.shown[parties[hidden]]
        return hidden

    def write_for(self, touch: Touch, party: int | None) -> None:
        assert party is not None
        super().write_for(touch, party)
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        self._check_writes(cells, who, "writes")
        self._check_reads(cells, who, "writes")
        self.last_writes[cells] = self._stamp(party)
        self._hide_releases(cells)
        self.log.entries.append(touch)

    def update_for(self, touch: Touch, party: int | None, semantics: Semantics) -> None:
        assert party is not None
        super().update_for(touch, party, semantics)
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        parties = self.last_writes[cells] & self.clocks.parties - 1
        bad = self._late(self.last_writes, cells, who) & ~self._is_strong(parties, semantics.scope)
        if bad.any():
            self._report("changes", "written", self.last_writes, cells, who, bad)
        self._check_reads(cells, who, "changes", is_strong=True)
        self.last_writes[cells] = self._stamp(party)
        self._note_scope(cells, semantics.scope)
        self.log.entries.append(touch)

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
        if kind in ("warp", "strong", "strong update"):
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
        if verb != "reads" and bad.any():
            bad &= ~self._is_read_since(cells, who)
        if bad.any():
            self._report(verb, "written", self.last_writes, cells, who, bad)

    def _is_read_since(self, cells: Integers, who: Integers) -> Mask:
        """
        Which cells were read asynchronously after they were written last, by what the threads come
        after. So they come after the write, too, though who has read, such as an MMA, may not have
        released that: a commit releases that MMAs are complete, and nothing else.
        """
        bits = self.clocks.bits
        found, times = np.zeros(cells.shape, bool), self.last_writes[cells] >> bits
        for (kind, _), stamps in self.last_reads.items():
            if kind == "party":
                found |= (stamps[cells] >> bits > times) & ~self._late(stamps, cells, who)
        return found

    def _check_reads(
        self, cells: Integers, who: Integers, verb: str, *, is_strong: bool = False
    ) -> None:
        warps = np.unique(who // WARP)
        for reader, stamps in self.last_reads.items():
            kind, _ = reader
            is_update = kind == "strong update"
            if (is_strong and kind.startswith("strong")) or (verb == "reads" and not is_update):
                continue
            if self.newest[reader] <= self._known_of(reader, warps):
                continue
            bad = self._late(stamps, cells, who)
            if bad.any():
                self._report(verb, "written" if is_update else "read", stamps, cells, who, bad)

    def _add_reads(
        self,
        kind: Literal["warp", "strong", "strong update"],
        cells: Integers,
        who: Integers,
        parties: Integers,
    ) -> None:
        """Threads have read; those of a warp that read before keep their stamps, or get one."""
        for warp in np.unique(who // WARP):
            mine = who // WARP == warp
            stamps = self._reads_of((kind, int(warp)))
            self._add_reads_of_warp(stamps, cells[mine], parties[mine], int(warp))

    def _add_reads_of_warp(
        self, stamps: Integers, cells: Integers, parties: Integers, warp: int
    ) -> None:
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
        what = f"race: {self.names.thread(who[row])} {verb} {self.name_byte(offset)}, {done} by"
        name = self.clocks.name(party)
        if self.clocks.outside.start <= party < self.clocks.outside.stop:
            raise ExecutionError(f"{what} {name}, which it does not come after")
        other = other or self.log.other(offset, self.granule)
        raise ExecutionError(f"{what} {name} in {other}, without a barrier in between")
