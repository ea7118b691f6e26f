"""
Barriers in shared memory, which count arrivals of threads and bytes of copies.

They are kept beside the memory they lie in. Bytes that complete on a barrier come as late as they
may: when somebody waits for them. Lanes of a warp run in lockstep, so one that waits for what
another lane does on the other side of a branch waits forever: this is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nvvm import MemScope, MemScopeAttr
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS
from tileiras_xdsl.interpreter.values import Array, Integers, Value, flag, property_of
from tileiras_xdsl.targets.tma import MAX_MBARRIER_COUNT, MBARRIER_BYTES

from .cluster import CTA_SPAN, RANK_BIT
from .copies import Copies
from .shadow import WARP
from .state import CtaThreads

if TYPE_CHECKING:
    from .tensor_cores import Commit

CTA_SCOPE = MemScope.CTA.value
"""The scope of barriers that do not say otherwise."""
MAX_QUESTIONS = 1000
"""Times that all may ask in vain, without waiting, before nobody is taken to have an answer."""


class Visit(NamedTuple):
    """An arrival of a thread of another CTA."""

    phase: int
    time: int


@dataclass
class MBarrier:
    """A barrier in shared memory."""

    expected: int
    """Arrivals of each phase."""
    pending: int
    """Arrivals that are missing in this phase."""
    maker: int
    """The thread that set it up."""
    made: int = 0
    """When that was."""
    setup: int | None = None
    """Who stands for that, for those who learn of it by a fence."""
    phase: int = 0
    bytes: int = 0
    """Bytes that copies have still to bring in this phase."""
    party: int | None = None
    """Who the copies are that complete on it."""
    copies: list[Callable[[], int]] = field(default_factory=list[Callable[[], int]])
    """Those on their way: each comes when it is called, and says how many bytes it had."""
    commits: list[Commit] = field(default_factory=list["Commit"])
    """Those that arrive when tensor cores have completed what was issued before them."""
    coming: Integers | None = None
    """What those threads of the CTA have done that arrived in this phase."""
    released: Integers | None = None
    """The same of the phase before."""
    coming_remote: Integers | None = None
    """What threads of other CTAs have done that arrived in this phase, and release for them."""
    released_remote: Integers | None = None
    """The same of the phase before."""
    visits: dict[int, Visit] = field(default_factory=dict[int, "Visit"])
    """The latest arrivals of threads of other CTAs whose phase nobody has waited for."""

    def turn(self) -> None:
        """Goes on to the next phase if this one is complete."""
        if self.pending == 0 and self.bytes < 0:
            raise ExecutionError(
                f"{-self.bytes} bytes more have come than a barrier in shared memory expects in "
                f"phase {self.phase}"
            )
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.expected
            self.released, self.coming = self.coming, None
            self.released_remote, self.coming_remote = self.coming_remote, None

    def arrive(
        self, who: str, count: int, known: Integers | None, *, is_remote: bool = False
    ) -> int:
        """
        Threads arrive, this many times in all, and make known what they have done; yields the last
        phase in which they do.
        """
        phase = self.phase
        while count:
            phase = self.phase
            if not self.pending:
                raise ExecutionError(
                    f"{who} arrives on a barrier in shared memory that expects "
                    f"{self.expected} arrivals, all of which have come"
                )
            if known is not None and is_remote:
                self.coming_remote = _later(self.coming_remote, known)
            elif known is not None:
                self.add(known)
            arrivals = min(count, self.pending)
            count -= arrivals
            self.pending -= arrivals
            self.turn()
        return phase

    def forget_visits(self) -> None:
        """Somebody has waited for the phases that are complete: what arrived in them has come."""
        for thread in [thread for thread, at in self.visits.items() if at.phase < self.phase]:
            del self.visits[thread]

    def expect(self, count: int) -> None:
        """More bytes will come."""
        self.bytes += count
        if self.bytes > MAX_MBARRIER_COUNT:
            raise ExecutionError(
                f"expects {self.bytes} bytes, but a barrier counts to {MAX_MBARRIER_COUNT}"
            )

    def add(self, known: Integers) -> None:
        """What somebody who arrives has done."""
        self.coming = _later(self.coming, known)

    def deliver(self, cta: CtaThreads) -> None:
        """All copies that are on their way come."""
        for copy in self.copies:
            self.bytes -= copy()
            if cta.clocks is not None and self.party is not None:
                known = cta.clocks.nothing()
                known[self.party] = cta.clocks.tick()
                self.add(known)
        self.copies.clear()
        self.turn()


def _later(first: Integers | None, second: Integers) -> Integers:
    """What is known by either of two."""
    return second if first is None else np.maximum(first, second)


def _barriers(cta: CtaThreads) -> dict[int, MBarrier]:
    """The barriers of all CTAs of the cluster, by address."""
    return cast(dict[int, MBarrier], cta.cluster.data.setdefault("barriers", {}))


def barrier_at(cta: CtaThreads, address: int, threads: Integers) -> MBarrier:
    """The barrier at an address, which threads are about to use."""
    found = _barriers(cta).get(address)
    if found is None:
        offset = address % CTA_SPAN
        raise ExecutionError(f"there is no barrier at {offset:#x} of {_memory_of(cta, address)}")
    if cta.clocks is not None:
        known = cta.clocks.known
        early = (known[threads // WARP, found.maker] < found.made) & (threads != found.maker)
        early &= known[threads // WARP, found.setup] < found.made
        if early.any():
            raise ExecutionError(
                f"race: {cta.names.thread(threads[np.argmax(early)])} uses a barrier in "
                f"{_memory_of(cta, address)} that {cta.names.thread(found.maker)} has set up, "
                "without a barrier in between"
            )
    cta.cluster.check_runs(address >> RANK_BIT, threads)
    return found


def _memory_of(cta: CtaThreads, address: int) -> str:
    """The shared memory that an address belongs to, in words."""
    piece = cta.cluster.piece_at(address)
    return "shared memory" if piece is None else piece.name


def check_copies(cta: CtaThreads) -> None:
    """Raises if a CTA of a cluster ends while others copy to its shared memory."""
    for address, barrier in _barriers(cta).items():
        if barrier.copies and cta.cluster.size > 1 and address >> RANK_BIT == cta.rank:
            raise ExecutionError(
                f"ends while copies are on their way to the barrier at {address % CTA_SPAN:#x} "
                f"of {cta.shared.name}",
                None,
                cta.index,
            )


def find_arrivals(cta: CtaThreads) -> dict[int, int]:
    """When threads of other CTAs arrived on barriers of a CTA that has not waited for that."""
    found: dict[int, int] = {}
    for address, barrier in _barriers(cta).items():
        if address >> RANK_BIT == cta.rank:
            for thread, visit in barrier.visits.items():
                found[thread] = max(visit.time, found.get(thread, 0))
    return found


def _groups(cta: CtaThreads, address: Array) -> Iterator[tuple[int, Integers]]:
    """The addresses that active threads use, and where these are among all."""
    rows = np.flatnonzero(cta.active_mask())
    if len(address) == 1:
        if len(rows):
            yield int(address[0]), rows
        return
    places = address[rows]
    for place in np.unique(places):
        yield int(place), rows[places == place]


@THREADS.runs("nvgpu.mbarrier.create")
def run_create(cta: CtaThreads, *, op: Operation) -> Value:
    """The address of a barrier, which has been given its place before the run."""
    return np.array([cta.places[op]], np.int64)


@THREADS.runs("nvvm.mbarrier.init.shared", "nvgpu.mbarrier.init")
def run_init(cta: CtaThreads, address: Array, count: Array) -> None:
    """Sets a barrier up."""
    counts = cta.full(count)
    for place, rows in _groups(cta, address):
        if place % MBARRIER_BYTES:
            raise ExecutionError(f"a barrier at {place:#x} is not aligned to 8 bytes")
        number = int(counts[rows[0]])
        if not 1 <= number <= MAX_MBARRIER_COUNT:
            raise ExecutionError(f"a barrier cannot expect {number} arrivals")
        barrier = MBarrier(number, number, int(cta.numbers[rows[0]]))
        if cta.clocks is not None:
            barrier.made = cta.clocks.now
            where = f"the barrier at {place % CTA_SPAN:#x}{cta.names.whose(cta.first)}"
            barrier.party = cta.clocks.add_party(f"copies to {where}")
            cta.clocks.completed.append(barrier.party)
            barrier.setup = cta.clocks.add_party(f"the setup of {where}")
            cta.clocks.setups.append(barrier.setup)
        _end(cta, place)
        _barriers(cta)[place] = barrier
        if cta.shared.shadow is not None:
            cta.shared.shadow.reserve(place - cta.shared.base, MBARRIER_BYTES)


@THREADS.runs("nvvm.fence.mbarrier.init")
def run_init_fence(cta: CtaThreads) -> None:
    """Barriers that threads have set up are known to who hears of them, even without a release."""
    if cta.clocks is not None:
        makers = {int(thread) for thread in cta.active_threads()}
        for barrier in _barriers(cta).values():
            if barrier.maker in makers:
                cta.clocks.known[barrier.maker // WARP, barrier.setup] = barrier.made


def _end(cta: CtaThreads, place: int) -> None:
    """A barrier, if there is one, ends; that others have reached it is not forgotten."""
    barrier = _barriers(cta).pop(place, None)
    for thread, visit in barrier.visits.items() if barrier is not None else ():
        cta.cluster.note_visit(place >> RANK_BIT, thread, visit.time)


@THREADS.runs("nvvm.mbarrier.inval.shared")
def run_inval(cta: CtaThreads, address: Array) -> None:
    """Ends a barrier."""
    for place, rows in _groups(cta, address):
        barrier = barrier_at(cta, place, cta.numbers[rows])
        if barrier.copies or barrier.commits:
            raise ExecutionError("ends a barrier that copies or commits have still to complete on")
        _end(cta, place)
        if cta.shared.shadow is not None:
            del cta.shared.shadow.barriers[place - cta.shared.base]


def _arrive(
    cta: CtaThreads,
    address: Array,
    count: Array | None,
    num_bytes: Array | None = None,
    *,
    is_relaxed: bool = False,
    scope: str = CTA_SCOPE,
) -> Array:
    """
    Active threads arrive, each this many times, and may expect bytes; yields the phases. If it is
    relaxed, memory is not ordered; nor is it for another CTA, unless the scope is wider than
    this one. But copies and WGMMAs that threads have waited for are over before they arrive.
    """
    phases = np.zeros(cta.threads, np.int64)
    for place, rows in _groups(cta, address):
        threads = cta.numbers[rows]
        barrier = barrier_at(cta, place, threads)
        phases[rows] = barrier.phase
        if num_bytes is not None:
            barrier.expect(int(cta.full(num_bytes)[rows].sum()))
        arrivals = len(rows) if count is None else int(cta.full(count)[rows].sum())
        is_remote = place >> RANK_BIT != cta.rank
        now = 0 if cta.clocks is None else cta.clocks.now
        known, is_ordered = None, not is_relaxed and not (is_remote and scope == CTA_SCOPE)
        if cta.clocks is not None:
            clocks = cta.clocks
            known = clocks.release(threads) if is_ordered else clocks.release_completed(threads)
            if is_remote and is_ordered:
                # What is over is so for those, too, who do not acquire from other CTAs.
                barrier.add(clocks.release_completed(threads))
        who = cta.names.thread(threads[0])
        phase = barrier.arrive(who, arrivals, known, is_remote=is_remote and is_ordered)
        if is_remote:
            barrier.visits.update((int(thread), Visit(phase, now)) for thread in threads)
    cta.happened()
    return phases


@THREADS.runs(
    "nvvm.mbarrier.arrive.shared",
    "nvvm.mbarrier.arrive.nocomplete.shared",
    "nvgpu.mbarrier.arrive",
    "nvgpu.mbarrier.arrive.nocomplete",
)
def run_arrive(cta: CtaThreads, address: Array, *count: Array) -> Array:
    """Arrives; yields the number of the phase."""
    return _arrive(cta, address, count[0] if count else None)


def _scope_of(op: Operation) -> str:
    """For whom, or from whom, an op on a barrier orders memory."""
    scope = property_of(op, "scope")
    return scope.data.value if isinstance(scope, MemScopeAttr) else CTA_SCOPE


@THREADS.runs("nvvm.mbarrier.arrive.shared.cluster", is_relaxed=flag("relaxed"), scope=_scope_of)
def run_cluster_arrive(
    cta: CtaThreads, address: Array, count: Array, *, is_relaxed: bool, scope: str
) -> None:
    """Arrives on a barrier of any CTA of the cluster."""
    _arrive(cta, address, count, is_relaxed=is_relaxed, scope=scope)


@THREADS.runs("nvvm.cp.async.mbarrier.arrive.shared", noinc=flag("noinc"))
def run_copy_arrive(cta: CtaThreads, address: Array, *, noinc: bool) -> None:
    """Arrives when copies are done: they are done now."""
    Copies.of(cta).wait(cta, None)
    if not noinc:
        for place, rows in _groups(cta, address):
            barrier_at(cta, place, cta.numbers[rows]).pending += len(rows)
    _arrive(cta, address, None)


@THREADS.runs(
    "nvvm.mbarrier.arrive.expect_tx.shared",
    "nvgpu.mbarrier.arrive.expect_tx",
    "nvvm.mbarrier.arrive.expect_tx.shared.cluster",
)
def run_arrive_expect(cta: CtaThreads, address: Array, size: Array) -> None:
    """Expects bytes, and arrives."""
    _arrive(cta, address, None, size)


@THREADS.runs("nvvm.mbarrier.expect_tx.shared")
def run_expect(cta: CtaThreads, address: Array, size: Array) -> None:
    """Expects bytes."""
    for place, rows in _groups(cta, address):
        barrier = barrier_at(cta, place, cta.numbers[rows])
        barrier.expect(int(cta.full(size)[rows].sum()))


def _passed(
    cta: CtaThreads, address: Array, phases: Array, *, by_parity: bool, scope: str = CTA_SCOPE
) -> Array:
    """
    Whether phases are complete; what was done before the arrivals is then ordered, by other CTAs
    only if the scope is wider than this one.
    """
    done = np.zeros(cta.threads, np.bool_)
    if cta.cores is not None:
        cta.cores.step()
    for place, rows in _groups(cta, address):
        barrier = barrier_at(cta, place, cta.numbers[rows])
        asked = phases[rows].astype(np.int64)
        answer = _is_over(barrier, asked, by_parity)
        if not answer.all() and barrier.copies:
            barrier.deliver(cta)
            answer = _is_over(barrier, asked, by_parity)
        while cta.cores is not None and not answer.all() and barrier.commits:
            cta.cores.complete(barrier.commits[0])
            answer = _is_over(barrier, asked, by_parity)
        done[rows] = answer
        if answer.any():
            barrier.forget_visits()
        if cta.clocks is not None and answer.any():
            remote = None if scope == CTA_SCOPE else barrier.released_remote
            for known in (barrier.released, remote):
                if known is not None:
                    cta.clocks.acquire(np.unique(cta.warps[rows[answer]]), known)
    return done


def _is_over(barrier: MBarrier, phases: Integers, by_parity: bool) -> Array:
    if by_parity:
        return np.asarray(barrier.phase % 2 != (phases & 1))
    return np.asarray(barrier.phase > phases)


def _tested(cta: CtaThreads, done: Array) -> Array:
    """The answer to who asks without waiting; others go on before the next question."""
    schedule = cta.schedule
    if (~done & cta.active_mask()).any() and not cta.pause() and schedule is not None:
        if schedule.idle > MAX_QUESTIONS * len(schedule.waiting):
            raise ExecutionError("asks for a phase that nobody completes")
    return done


@THREADS.runs("nvvm.mbarrier.test.wait.shared", "nvgpu.mbarrier.test.wait")
def run_test_wait(cta: CtaThreads, address: Array, state: Array) -> Array:
    """Whether the phase of an arrival is complete."""
    return _tested(cta, _passed(cta, address, cta.full(state), by_parity=False))


@THREADS.runs("nvvm.mbarrier.test.wait.parity.shared")
def run_test_parity(cta: CtaThreads, address: Array, parity: Array) -> Array:
    """Whether the phase of a parity is complete."""
    return _tested(cta, _passed(cta, address, cta.full(parity), by_parity=True))


@THREADS.runs(
    "nvvm.mbarrier.try_wait.parity.shared", "nvgpu.mbarrier.try_wait.parity", scope=_scope_of
)
def run_try_wait(
    cta: CtaThreads, address: Array, parity: Array, ticks: Array, *, op: Operation, scope: str
) -> Array:
    """Waits for the phase of a parity."""
    parities = cta.full(parity)
    while True:
        done = _passed(cta, address, parities, by_parity=True, scope=scope)
        stuck = ~done & cta.active_mask()
        if not stuck.any():
            cta.happened()
            return done
        row = int(np.argmax(stuck))
        place = int(cta.full(address)[row])
        cta.wait(_state_of(_barriers(cta)[place], place, int(parities[row]) & 1), op)


def _state_of(barrier: MBarrier, place: int, parity: int) -> str:
    """What a barrier lacks, in words."""
    return (
        f"for parity {parity} of the barrier in shared memory at {place % CTA_SPAN:#x}, which is "
        f"in phase {barrier.phase} and lacks {barrier.pending} of {barrier.expected} arrivals and "
        f"{barrier.bytes} bytes"
    )
