"""
CTAs that run side by side, and reach each other's shared memory.

The address of a byte of shared memory has the rank of its CTA from bit 24 on, also in the CTA
itself, as on the hardware. Threads and warps are numbered through all CTAs of the cluster, and of
all clusters that run side by side.

Who reaches the memory of another CTA must know that it has begun, and that CTA must not end
before it knows that this is over: both are checked by clocks, whatever the order of turns was.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.values import Array, Integers

from .shadow import WARP, Names

if TYPE_CHECKING:
    from tileiras_xdsl.interpreter.memory import Allocation

    from .clocks import Clocks
    from .state import CtaThreads

RANK_BIT = 24
"""Where the rank is in an address of shared memory."""
CTA_SPAN = 1 << RANK_BIT
MAX_CLUSTER_CTAS = 16
"""Of a cluster."""


def address_in_cluster(cta: CtaThreads, address: Array, rank: Array) -> Array:
    """The same address of shared memory in a CTA of the cluster."""
    for wanted in np.unique(cta.full(rank)[cta.active_mask()]):
        cta.cluster.check_rank(int(wanted))
    return address % CTA_SPAN + rank.astype(np.int64) * CTA_SPAN


class Cluster:
    """The CTAs of a cluster, most often one."""

    def __init__(
        self,
        sizes: tuple[int, int, int],
        threads: int,
        clocks: Clocks | None,
        *,
        number: int = 0,
        together: int = 1,
        names: Names | None = None,
    ):
        """`threads` of each of its CTAs; its `number` among clusters that run `together`."""
        self.together = together
        self.sizes, self.threads, self.clocks = sizes, threads, clocks
        self.size = prod(sizes)
        self.first = number * self.size * threads
        """The number of its first thread."""
        self.names = names or Names(threads if self.size > 1 else None)
        self.ctas: list[CtaThreads] = []
        self.data: dict[Any, Any] = {}
        """What families of ops keep for a cluster."""
        self.running = [threads] * self.size
        """How many threads of each CTA have not ended."""
        self.ended: set[int] = set()
        """The threads that have."""
        self.met: set[int] = set()
        """The warps that have passed a barrier of the cluster."""
        self.begun = 0 if clocks is None else clocks.now - 1
        """What all know of each other at first."""
        self.visits: Integers = np.zeros((self.size, self.size * threads), np.int64)
        """When threads have last reached the memory of each CTA."""

    def find(self, address: int) -> CtaThreads | None:
        """The CTA that an address of shared memory belongs to."""
        rank = address >> RANK_BIT
        return self.ctas[rank] if 0 <= rank < len(self.ctas) else None

    def piece_at(self, address: int) -> Allocation | None:
        """The shared memory that an address belongs to."""
        found = self.find(address)
        return None if found is None else found.shared

    def check_rank(self, rank: int) -> None:
        """Raises if there is no CTA of a rank."""
        if not 0 <= rank < self.size:
            ctas = "one CTA" if self.size == 1 else f"{self.size} CTAs"
            raise ExecutionError(f"asks for rank {rank} of a cluster that has {ctas}")

    def check_runs(self, rank: int, threads: Integers) -> None:
        """Raises if threads reach the memory of a CTA that has ended."""
        if not self.running[rank]:
            raise ExecutionError(
                f"{self.names.thread(threads[0])} reaches the shared memory of rank {rank}, whose "
                "CTA has ended"
            )

    def visit(self, rank: int, threads: Integers) -> None:
        """Threads reach the memory of a CTA, which must not end before it knows of that."""
        self.check_runs(rank, threads)
        visitors = threads[self._ranks(threads) != rank]
        if self.clocks is not None and len(visitors):
            self.visits[rank, visitors - self.first] = self.clocks.now

    def note_visit(self, rank: int, thread: int, time: int) -> None:
        """A thread has reached the memory of a CTA some time ago."""
        visits = self.visits[rank]
        visits[thread - self.first] = max(time, visits[thread - self.first])

    def check_begun(self, rank: int, threads: Integers) -> None:
        """Raises if threads do not know that a CTA has begun."""
        if self.clocks is None:
            return
        start = self.first + rank * self.threads
        others = slice(start, start + self.threads)
        for warp in np.unique(threads[self._ranks(threads) != rank] // WARP):
            if warp not in self.met and self.clocks.known[warp, others].max() <= self.begun:
                raise ExecutionError(
                    f"{self.names.warp(warp)} reaches the shared memory of rank {rank}, whose "
                    "CTA may not have begun"
                )

    def _ranks(self, threads: Integers) -> Integers:
        """The ranks of the CTAs of threads."""
        return (threads - self.first) // self.threads

    def leave(self, rank: int, threads: Integers) -> bool:
        """Threads of a CTA end; whether they were the last ones."""
        self.ended.update(int(thread) for thread in threads)
        self.running[rank] -= len(threads)
        return not self.running[rank]

    def check_visits(self, cta: CtaThreads, arrivals: Mapping[int, int]) -> None:
        """
        Raises if a CTA ends while others may still reach its shared memory, also by arrivals on
        its barriers: when threads did that of which nobody has waited for the phase.
        """
        if self.clocks is None:
            return
        count = -(-self.threads // WARP)
        start = cta.first // WARP
        mine = slice(self.first, self.first + self.size * self.threads)
        known = self.clocks.known[start : start + count, mine].max(axis=0)
        for thread, time in arrivals.items():
            self.note_visit(cta.rank, thread, time)
        early = self.visits[cta.rank] > known
        if early.any():
            visitor = self.names.thread(self.first + int(np.argmax(early)))
            raise ExecutionError(
                f"ends while {visitor} may still reach its shared memory, for nobody in it has "
                "waited for that",
                None,
                cta.index,
            )
