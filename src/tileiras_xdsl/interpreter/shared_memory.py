"""
Shared memory of a CTA at level 2: buffers, copies to them while the program runs on, barriers.

A buffer is an array that ops of `nv_tileas` change in place, all of which get theirs from an
allocation there. When an asynchronous copy is issued nobody knows what the buffer holds, and when
it is waited for it holds what was copied. Barriers of the CTA are `CtaState.synchronize`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .memory import Array


@dataclass
class PendingCopy:
    """A copy that is in flight."""

    destination: Array
    data: Array
    is_done: bool = False

    def __post_init__(self) -> None:
        dtype = self.destination.dtype
        garbage = np.frombuffer(b"\xff" * dtype.itemsize, dtype)
        self.destination[...] = True if dtype == np.bool_ else garbage[0]

    def finish(self) -> None:
        """The data is there."""
        if not self.is_done:
            self.destination[...] = self.data
            self.is_done = True


@dataclass
class CopyGroups:
    """The copies of a CTA in groups, of which the oldest is waited for first."""

    issued: list[PendingCopy] = field(default_factory=list[PendingCopy])
    """Those that are in no group yet."""
    groups: list[list[PendingCopy]] = field(default_factory=list[list[PendingCopy]])

    def issue(self, destination: Array, data: Array) -> PendingCopy:
        """Begins a copy."""
        copy = PendingCopy(destination, np.array(data))
        self.issued.append(copy)
        return copy

    def commit(self) -> None:
        """Makes a group of the copies that are in none."""
        self.groups.append(self.issued)
        self.issued = []

    def wait(self, pending: int) -> None:
        """Waits until at most so many groups are in flight."""
        while len(self.groups) > pending:
            for copy in self.groups.pop(0):
                copy.finish()


@dataclass
class Barrier:
    """A barrier in shared memory: it counts arrivals, and phases by their parity."""

    count: int = 0
    pending: int = 0
    parity: int = 0
