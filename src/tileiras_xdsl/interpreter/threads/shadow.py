"""
Which bytes of a memory have been written at all, and which are on their way.

Bytes are kept in cells as wide as the narrowest access allows; a narrower one splits them. Who has
touched them, and when, is added by `clocks`, where races are looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.accesses import WEAK, Semantics
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.values import Array, Integers, Mask

WARP = 32


@dataclass(frozen=True)
class Names:
    """What threads and warps are called, whose numbers go on from CTA to CTA."""

    size: int | None = None
    """The threads of a CTA, if there are several CTAs."""
    cta: str = "rank"
    """What CTAs are called: by their rank in a cluster, or by their number in a grid."""

    def thread(self, number: int) -> str:
        """A thread, with its CTA."""
        return f"thread {self.in_cta(number)}{self.whose(number)}"

    def warp(self, number: int) -> str:
        """A warp, with its CTA."""
        first = number * WARP
        return f"warp {self.in_cta(first) // WARP}{self.whose(first)}"

    def in_cta(self, number: int) -> int:
        """The number of a thread in its CTA."""
        return int(number) if self.size is None else int(number) % self.size

    def whose(self, number: int) -> str:
        """The CTA of a thread, if there are several."""
        return "" if self.size is None else f" of {self.cta} {int(number) // self.size}"


WIDEST = 16
"""Bytes of a cell at first."""


class Touch(NamedTuple):
    """Accesses of an op by threads: one each, of this many bytes starting at an offset."""

    op: Operation
    offsets: Integers
    size: int
    who: Integers


def grown(cells: Array, count: int, value: int = 0) -> Array:
    """The same cells, and more up to this many."""
    return np.concatenate((cells, np.full(count - len(cells), value, cells.dtype)))


class ShadowMemory:
    """What is known about the bytes of one memory."""

    def __init__(
        self,
        name: str,
        size: int,
        written: Mask | None = None,
        names: Names | None = None,
    ):
        """`written`: which bytes have been, if what is read must be."""
        self.name = name
        self.names = names or Names()
        is_fresh = written is None or not written.any()
        self.granule = WIDEST if is_fresh else 1
        count = -(-size // self.granule)
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
        if self.written is not None:
            self.written = np.repeat(self.written, parts)
        if self.arriving is not None:
            self.arriving = np.repeat(self.arriving, parts)
        self._near_barriers = np.repeat(self._near_barriers, parts)

    def resize(self, size: int) -> None:
        """There are more bytes, which nobody has touched."""
        count = -(-size // self.granule)
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

    # Accesses

    def read(self, touch: Touch, *, whole_warps: bool) -> None:
        """Threads read; `whole_warps`: for all lanes of their warps."""
        cells = self.cells(touch.offsets, touch.size)
        self._check_arrival(cells, touch, "reads")
        self._check_written(cells, touch, "reads")

    def write(self, touch: Touch, data: Array, kept: Array) -> None:
        """Threads have written `data`, after which memory holds `kept`."""
        cells = self.cells(touch.offsets, touch.size)
        self._check_arrival(cells, touch, "writes")
        if self.written is not None:
            self.written[cells] = True

    def update(
        self,
        touch: Touch,
        *,
        is_store: bool = False,
        is_load: bool = False,
        semantics: Semantics = WEAK,
    ) -> None:
        """Threads change memory by atomics, or just write or read it."""
        cells = self.cells(touch.offsets, touch.size)
        self._check_arrival(cells, touch, "changes")
        if is_store and self.written is not None:
            self.written[cells] = True
        self._check_written(cells, touch, "changes")

    def begin_arrival(self, touch: Touch) -> None:
        """Copies to these bytes are on their way: nobody may touch them until they are done."""
        cells = self.cells(touch.offsets, touch.size)
        self._check_arrival(cells, touch, "copies to")
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
