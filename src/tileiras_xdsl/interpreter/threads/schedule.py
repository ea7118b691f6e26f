"""
Warps that wait for each other.

A kernel whose warps wait for what others do, at barriers of some of the threads or in shared
memory, runs warp by warp: each warp on a thread of Python, of which one runs at a time. One that
has to wait gives its turn to the next. If all of them wait, and nobody has done anything that they
could wait for, the kernel is stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from threading import Semaphore, Thread

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.errors import ExecutionError

from .values import Integers

WAITING = (
    "nvvm.barrier.arrive",
    "nvvm.cluster.arrive",
    "nvvm.cluster.arrive.relaxed",
    "nvvm.mbarrier.try_wait.parity.shared",
    "nvvm.mbarrier.test.wait.parity.shared",
    "nvvm.mbarrier.test.wait.shared",
    "nvgpu.mbarrier.try_wait.parity",
    "nvgpu.mbarrier.test.wait",
)
"""Ops that need others to run on."""

ASYNCHRONOUS = ("nvvm.wgmma.", "nvgpu.warpgroup.", "nvvm.cp.async.bulk.", "nvgpu.tma.")
"""Beginnings of names of ops that work while threads run on."""

GOES_ON = 0.4
"""How likely a task that need not wait for others goes on before them."""


def waits_for_others(op: Operation) -> bool:
    """Whether the warps of a kernel cannot run together, or are not the only ones who work."""
    return any(
        inner.name in WAITING
        or inner.name.startswith(ASYNCHRONOUS)
        or (inner.name == "nvvm.barrier" and getattr(inner, "thread_count", None) is not None)
        for inner in op.walk()
    )


class Stopped(Exception):
    """Another warp has failed, so this one need not go on."""


class Schedule:
    """Tasks that run in turns."""

    def __init__(self, tasks: Sequence[Callable[[], object]], order: Random | None = None):
        """`order`: chooses who comes after whom; by default they come one after the other."""
        self.tasks = tasks
        self.turns = [Semaphore(0) for _ in tasks]
        self.over = Semaphore(0)
        self.waiting = list(range(len(tasks)))
        """The tasks that are not done."""
        self.order = order
        if order is not None:
            order.shuffle(self.waiting)
        self.current = self.waiting[0]
        self.idle = 0
        """How many have waited in vain since something happened."""
        self.failure: BaseException | None = None
        self.reasons: dict[int, tuple[int, str, str]] = {}
        """The first thread of each task that waits, whose it is, and what it waits for."""

    def run(self) -> None:
        """Runs all tasks to their end."""
        threads = [Thread(target=self._run, args=(n,), daemon=True) for n in self.waiting]
        for thread in threads:
            thread.start()
        self.turns[self.current].release()
        self.over.acquire()
        for thread in threads:
            thread.join()
        if self.failure is not None:
            raise self.failure

    def _run(self, number: int) -> None:
        self.turns[number].acquire()
        try:
            if self.failure is None:
                with np.errstate(all="ignore"):
                    self.tasks[number]()
        except Stopped:
            pass
        except BaseException as error:
            # Whatever it is, it belongs to who runs the kernel.
            self.failure = self.failure or error
        following = self._next()
        self.waiting.remove(number)
        self.idle = 0
        if not self.waiting:
            self.over.release()
        else:
            self.current = following
            self.turns[following].release()

    def _next(self) -> int:
        place = self.waiting.index(self.current)
        return self.waiting[(place + 1) % len(self.waiting)]

    def happened(self) -> None:
        """Something happened that others may wait for."""
        self.idle = 0

    def pause(self) -> bool:
        """Lets the others run; whether there is a point in asking again."""
        self.idle += 1
        mine, following = self.current, self._next()
        if following == mine or self.idle > len(self.waiting):
            return False
        self._hand_over(mine, following)
        return True

    def rest(self) -> None:
        """
        Lets the others run once, or goes on: by chance one is several steps ahead of another. Who
        rests does not wait for them.
        """
        self.idle = 0
        if self.order is not None and self.order.random() < GOES_ON:
            return
        mine, following = self.current, self._next()
        if following != mine:
            self._hand_over(mine, following)

    def _hand_over(self, mine: int, following: int) -> None:
        self.current = following
        self.turns[following].release()
        self.turns[mine].acquire()
        if self.failure is not None:
            raise Stopped

    def wait(self, thread: int, reason: str, whose: str = "") -> None:
        """
        A thread, of a block that is named if there are several, lets the others run; raises, with
        what all wait for, if they all do.
        """
        self.reasons[self.current] = thread, whose, reason
        if not self.pause():
            raise ExecutionError(f"deadlock: {self._describe()}")
        del self.reasons[self.current]

    def _describe(self) -> str:
        """Who waits for what."""
        waiting: dict[tuple[str, str], list[str]] = {}
        for number in self.waiting:
            if number in self.reasons:
                thread, whose, reason = self.reasons[number]
                waiting.setdefault((whose, reason), []).append(str(thread))
        return "; ".join(
            f"thread {threads[0]}{whose} waits {reason}"
            if len(threads) == 1
            else f"threads {', '.join(threads)}{whose} wait {reason}"
            for (whose, reason), threads in waiting.items()
        )


class NamedBarrier:
    """A barrier of a block, and the threads that have come."""

    def __init__(self) -> None:
        self.arrived: set[int] = set()
        self.passed = 0
        """How many times it was complete."""
        self.op: Operation | None = None
        """Where those that came are, if all must be at the same op."""
        self.released: Integers | None = None
        """What those who came when it was last complete had done."""
        self._coming: Integers | None = None

    def release(self, known: Integers) -> None:
        """What threads that come have done."""
        self._coming = known if self._coming is None else np.maximum(self._coming, known)

    def arrive(self, threads: Integers, expected: int) -> Integers | None:
        """Threads come; all that came if they are as many as expected."""
        self.arrived.update(int(thread) for thread in threads)
        if len(self.arrived) < expected:
            return None
        everyone = np.array(sorted(self.arrived))
        self.arrived.clear()
        self.passed += 1
        self.released, self._coming = self._coming, None
        return everyone
