"""
Who has touched which bytes of a memory since the last barrier, which bytes have been written at
all, and which are on their way.

Bytes are kept in cells as wide as the narrowest access allows; a narrower one splits them. A cell
names who has written and who has read it by a tag: a thread, the threads of one warp, or more.
Tags carry the number of barriers that were passed, so that a barrier makes all of them old.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import gcd
from typing import NamedTuple

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.errors import ExecutionError, place_of
from tileiras_xdsl.interpreter.semantics import WEAK, Semantics
from tileiras_xdsl.interpreter.values import Array, Integers, Mask

from .names import WARP, Names

LOGGED = 4096
"""Accesses that are remembered, to be named."""
WIDEST = 16
"""Bytes of a cell at first."""


class Tags:
    """
    The numbers of tags: those of threads come first, then those of warps whose lanes have met
    since, those of warps whose lanes have not, many threads, atomics of many threads, and atomics
    of one thread.
    """

    def __init__(self, threads: int):
        warps = -(-threads // WARP)
        self.threads = threads
        self.met = threads
        self.unmet = threads + warps
        self.many = threads + 2 * warps
        self.atomic = self.many + 1
        self.atomic_of = self.atomic + 1
        self.span = self.atomic_of + threads
        numbers, no_warp = np.arange(warps), np.full(2 + threads, -1)
        self.warp_of = np.concatenate(
            (np.arange(threads) // WARP, numbers, numbers, no_warp)
        ).astype(np.int64)

    def name(self, tag: int) -> str:
        """A tag in words."""
        if tag < self.threads:
            return f"thread {tag}"
        if tag < self.many:
            return f"threads of warp {self.warp_of[tag]}"
        return "several threads" if tag == self.many else "an atomic"


class Log:
    """The accesses since the last barrier, so that a race can name both ops."""

    def __init__(self) -> None:
        self.entries: deque[Touch] = deque(maxlen=LOGGED)

    def other(self, offset: int, size: int) -> str:
        """The latest access that touched bytes, in words."""
        for op, offsets, length, _ in reversed(self.entries):
            if ((offsets < offset + size) & (offset < offsets + length)).any():
                place = place_of(op)
                return f"'{op.name}'" + (f" at {place.rstrip(': ')}" if place else "")
        return "an earlier op"


class Touch(NamedTuple):
    """Accesses of an op by threads: one each, of so many bytes starting at an offset."""

    op: Operation
    offsets: Integers
    size: int
    who: Integers


def grown(cells: Array, count: int, value: int = 0) -> Array:
    """The same cells, and more up to so many."""
    return np.concatenate((cells, np.full(count - len(cells), value, cells.dtype)))


class ShadowMemory:
    """What is known about the bytes of one memory."""

    def __init__(
        self,
        name: str,
        size: int,
        tags: Tags | None,
        written: Mask | None = None,
        names: Names | None = None,
    ):
        """`written`: which bytes have been, if what is read must be; no tags: no races."""
        self.name = name
        self.tags = tags
        self.names = names or Names()
        is_fresh = written is None or not written.any()
        self.granule = WIDEST if is_fresh else 1
        count = -(-size // self.granule)
        self.epoch = 1
        self.log = Log()
        self.writer = np.zeros(count if tags is not None else 0, np.int64)
        self.reader = np.zeros(count if tags is not None else 0, np.int64)
        self.written = written
        if written is not None:
            self.written = np.zeros(count, np.bool_) if is_fresh else written.copy()
        self.arriving = None if written is None else np.zeros(count, np.bool_)
        self.barriers: dict[int, int] = {}
        """Where barriers are, and how many bytes they have."""
        self._near_barriers = np.zeros(0, np.bool_)
        """Which cells have bytes of them, if there are any."""
        self.offset_of: Callable[[int], int] = int
        """What byte of the memory one of the bytes here is, to be named."""

    def name_byte(self, offset: int) -> str:
        """A byte in words."""
        return f"byte {self.offset_of(offset)} of {self.name}"

    # Cells

    def cells(self, offsets: Integers, size: int) -> Integers:
        """The cells of accesses, one row for each."""
        combined = int(np.bitwise_or.reduce(offsets)) if len(offsets) else 0
        needed = gcd(gcd(self.granule, size), combined)
        if needed != self.granule:
            self.split(self.granule // needed)
            self.granule = needed
        first = offsets // self.granule
        return first[:, None] + np.arange(size // self.granule)

    def split(self, parts: int) -> None:
        """Makes cells smaller."""
        self.writer = np.repeat(self.writer, parts)
        self.reader = np.repeat(self.reader, parts)
        if self.written is not None:
            self.written = np.repeat(self.written, parts)
        if self.arriving is not None:
            self.arriving = np.repeat(self.arriving, parts)
        self._near_barriers = np.repeat(self._near_barriers, parts)

    def resize(self, size: int) -> None:
        """There are more bytes, which nobody has touched."""
        count = -(-size // self.granule)
        if self.tags is not None:
            self.writer, self.reader = grown(self.writer, count), grown(self.reader, count)
        if self.written is not None:
            self.written = grown(self.written, count, True)
        if self.arriving is not None:
            self.arriving = grown(self.arriving, count)

    def reserve(self, offset: int, size: int) -> None:
        """Bytes are a barrier from now on, which is not accessed as memory."""
        if not len(self._near_barriers) and self.arriving is not None:
            self._near_barriers = np.zeros(len(self.arriving), np.bool_)
        self.barriers[offset] = size
        self._near_barriers[offset // self.granule : -(-(offset + size) // self.granule)] = True

    # Barriers

    def all_met(self) -> None:
        """All threads have met."""
        self.epoch += 1
        self.log = Log()

    def warps_met(self, warps: Integers) -> None:
        """The lanes of some warps have met."""
        tags = self.tags
        if tags is None:
            return
        table = np.arange(tags.span)
        chosen = np.isin(tags.warp_of, warps)
        table[chosen] = tags.met + tags.warp_of[chosen]
        base = self.epoch * tags.span
        for owners in (self.writer, self.reader):
            recent = np.flatnonzero(owners >= base)
            owners[recent] = base + table[owners[recent] - base]

    def forget(self, who: Integers) -> None:
        """What some threads have done is ordered before all that comes."""
        tags = self.tags
        if tags is None:
            return
        base = self.epoch * tags.span
        gone = np.zeros(tags.span, np.bool_)
        gone[who] = gone[tags.atomic_of + who] = True
        sizes = np.bincount(tags.warp_of[: tags.threads])
        warps = np.flatnonzero(np.bincount(who // WARP, minlength=len(sizes)) == sizes)
        gone[tags.met + warps] = gone[tags.unmet + warps] = True
        gone[tags.many] = len(who) == tags.threads
        for owners in (self.writer, self.reader):
            recent = np.flatnonzero(owners >= base)
            owners[recent[gone[owners[recent] - base]]] = 0

    # Accesses

    def read(self, touch: Touch, *, whole_warps: bool) -> None:
        """Threads read; `whole_warps`: for all lanes of their warps."""
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        self._check_arrival(cells, touch, "reads")
        self._check_written(cells, touch, "reads")
        if self.tags is None:
            return
        tag = self._tag(who, whole_warps)
        bad = self._foreign(self.writer, cells, tag)
        if bad.any():
            self._race("reads", "written", self.writer, cells, who, bad)
        self._add_readers(cells, tag)
        self.log.entries.append(touch)

    def write(self, touch: Touch, data: Array, kept: Array) -> None:
        """Threads have written `data`, after which memory holds `kept`."""
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        self._check_arrival(cells, touch, "writes")
        if self.written is not None:
            self.written[cells] = True
        if self.tags is None:
            return
        tag = self._tag(who, False)
        self._check_owners(cells, who, tag)
        stored = self.epoch * self.tags.span + tag[:, None]
        self.writer[cells] = stored
        lost = self.writer[cells] != stored
        if lost.any():
            differs = (data != kept).any(axis=1)
            if differs.any():
                bad = lost & differs[:, None]
                self._race("writes", "written", self.writer, cells, who, bad, "the same op")
            self.writer[cells[lost]] = self.epoch * self.tags.span + self.tags.many
        self.log.entries.append(touch)

    def update(
        self,
        touch: Touch,
        *,
        is_store: bool = False,
        is_load: bool = False,
        semantics: Semantics = WEAK,
    ) -> None:
        """Threads change memory by atomics, or just write or read it."""
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        self._check_arrival(cells, touch, "changes")
        if is_store and self.written is not None:
            self.written[cells] = True
        self._check_written(cells, touch, "changes")
        if self.tags is None:
            return
        base, tag = self.epoch * self.tags.span, self._tag(who, False)
        is_atomic = self.writer[cells] >= base + self.tags.atomic
        bad = self._foreign(self.writer, cells, tag) & ~is_atomic
        if bad.any():
            self._race("changes", "written", self.writer, cells, who, bad)
        if is_load:
            return
        bad = self._foreign(self.reader, cells, tag)
        if bad.any():
            self._race("changes", "read", self.reader, cells, who, bad)
        mine = base + self.tags.atomic_of + tag[:, None]
        is_shared = is_atomic & (self.writer[cells] != mine)
        self.writer[cells] = mine
        is_shared |= self.writer[cells] != mine
        self.writer[cells[is_shared]] = base + self.tags.atomic
        self.log.entries.append(touch)

    def begin_arrival(self, touch: Touch) -> None:
        """Copies to these bytes are on their way: nobody may touch them until they are done."""
        cells, who = self.cells(touch.offsets, touch.size), touch.who
        self._check_arrival(cells, touch, "copies to")
        if self.tags is not None:
            self._check_owners(cells, who, self._tag(who, False))
            self.log.entries.append(touch)
        if self.arriving is not None:
            self.arriving[cells] = True

    def end_arrival(self, offsets: Integers, size: int) -> None:
        """The copies to these bytes are done."""
        if self.arriving is not None:
            self.arriving[self.cells(offsets, size)] = False

    def arrive(self, offsets: Integers, size: int, party: int | None) -> None:
        """What was on its way is there; a party has written it."""
        self.end_arrival(offsets, size)
        if self.written is not None:
            self.written[self.cells(offsets, size)] = True

    def read_for(self, touch: Touch, party: int | None) -> None:
        """A party reads for threads, each of which must come after what it reads."""
        who = np.repeat(touch.who[:1], len(touch.offsets))
        self.read(touch._replace(who=who), whole_warps=False)

    def write_for(self, touch: Touch, party: int | None) -> None:
        """A party writes for threads, which must come after what was there."""
        if self.written is not None:
            self.written[self.cells(touch.offsets, touch.size)] = True

    def update_for(self, touch: Touch, party: int | None, semantics: Semantics) -> None:
        """A party changes memory by atomics for threads."""
        self._check_written(self.cells(touch.offsets, touch.size), touch, "changes")

    # Checks

    def _tag(self, who: Integers, whole_warps: bool) -> Integers:
        assert self.tags is not None
        return self.tags.unmet + who // WARP if whole_warps else who

    def _foreign(self, owners: Integers, cells: Integers, tag: Integers) -> Mask:
        """Which cells others have touched since they last met the threads of the tags."""
        assert self.tags is not None
        found = owners[cells] - self.epoch * self.tags.span
        met = self.tags.met + self.tags.warp_of[tag]
        atomic = self.tags.atomic_of + tag
        is_own = (found == tag[:, None]) | (found == met[:, None]) | (found == atomic[:, None])
        return (found >= 0) & ~is_own

    def _add_readers(self, cells: Integers, tag: Integers) -> None:
        assert self.tags is not None
        tags, base = self.tags, self.epoch * self.tags.span
        found = self.reader[cells] - base
        mine = np.broadcast_to(tag[:, None], cells.shape)
        # Those that met the thread are ordered before whoever comes after it, as it is itself.
        met = found == tags.met + tags.warp_of[mine]
        self._combine(cells, mine, found, (found < 0) | (found == mine) | met)
        again = self.reader[cells] - base
        other = again != mine
        if other.any():
            self._combine(cells[other], mine[other], again[other], again[other] == tags.many)

    def _combine(self, cells: Integers, mine: Integers, found: Integers, is_simple: Mask) -> None:
        """Names readers by tags for their own and those that were there."""
        assert self.tags is not None
        tags, base = self.tags, self.epoch * self.tags.span
        warp = tags.warp_of[mine]
        same = tags.warp_of[np.maximum(found, 0)] == warp
        is_many = ~is_simple & ~same
        combined = np.where(is_simple, np.where(found == tags.many, found, mine), tags.unmet + warp)
        self.reader[cells] = base + combined
        if is_many.any():
            self.reader[cells[is_many]] = base + tags.many

    def _check_owners(self, cells: Integers, who: Integers, tag: Integers) -> None:
        for owners, done in ((self.writer, "written"), (self.reader, "read")):
            bad = self._foreign(owners, cells, tag)
            if bad.any():
                self._race("writes", done, owners, cells, who, bad)

    def _check_arrival(self, cells: Integers, touch: Touch, verb: str) -> None:
        if self.arriving is None:
            return
        if self.barriers and self._near_barriers[cells].any():
            self._check_barriers(touch, verb)
        early = np.asarray(self.arriving[cells].any(axis=1))
        if early.any():
            self._fail(
                f"{verb} {self.name} that an asynchronous copy, which nobody has waited for, "
                "still writes",
                touch,
                early,
            )

    def _check_written(self, cells: Integers, touch: Touch, verb: str) -> None:
        if self.written is None:
            return
        missing = np.asarray(~self.written[cells].all(axis=1))
        if missing.any():
            self._fail(f"{verb} {self.name}, which was never written", touch, missing)

    def _check_barriers(self, touch: Touch, verb: str) -> None:
        for place, length in self.barriers.items():
            bad = (touch.offsets < place + length) & (place < touch.offsets + touch.size)
            if bad.any():
                self._fail(f"{verb} {self.name} where a barrier is", touch, bad)

    def _fail(self, what: str, touch: Touch, bad: Array) -> None:
        index = int(np.argmax(bad))
        thread = self.names.thread(touch.who[index])
        raise ExecutionError(
            f"{thread} {what}, at byte {self.offset_of(int(touch.offsets[index]))}"
        )

    def _race(
        self,
        verb: str,
        done: str,
        owners: Integers,
        cells: Integers,
        who: Integers,
        bad: Mask,
        other: str | None = None,
    ) -> None:
        assert self.tags is not None
        row, column = (int(n) for n in np.argwhere(bad)[0])
        tag = int(owners[cells[row, column]]) - self.epoch * self.tags.span
        offset = int(cells[row, column]) * self.granule
        other = other or self.log.other(offset, self.granule)
        raise ExecutionError(
            f"race: thread {who[row]} {verb} {self.name_byte(offset)}, {done} by "
            f"{self.tags.name(tag)} in {other}, without a barrier in between"
        )
