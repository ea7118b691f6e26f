"""
Who waits for whom: warps of threads, agents of pipelines, and CTAs of a grid.

Each runs on a thread of Python, of which one runs at a time.

A task, which is a warp or an agent, that has to wait gives its turn to the next. If all of them
wait, and nobody has done anything that they could wait for, the kernel is stuck.

CTAs of a grid run one after the other. One that gets the same answer again and again, such as a
flag that a later CTA sets, rests: meanwhile the next one begins, and those that rest have another
turn whenever a CTA has ended or rests itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random
from threading import Semaphore, Thread

import numpy as np
from xdsl.ir import Operation

from .errors import ExecutionError
from .memory import Array

# Warps and agents

GOES_ON = 0.4
"""How likely a task that need not wait for others goes on before them."""


class Stopped(Exception):
    """Another task has failed, so this one need not go on."""


def attempt(task: Callable[[], object]) -> BaseException | None:
    """Runs a task; whatever goes wrong belongs to who runs the kernel."""
    try:
        with np.errstate(all="ignore"):
            task()
    except Stopped:
        return None
    except BaseException as error:
        return error
    return None


class TaskScheduler:
    """Tasks that run in turns."""

    def __init__(self, tasks: Sequence[Callable[[], object]], order: Random | None = None):
        """`order`: chooses who comes after whom; by default they come one after the other."""
        self.tasks: list[Callable[[], object]] = []
        self.turns: list[Semaphore] = []
        self.over = Semaphore(0)
        self.waiting: list[int] = []
        """The tasks that are not done."""
        self._add(tasks)
        self.order = order
        if order is not None:
            order.shuffle(self.waiting)
        self.current = self.waiting[0]
        self.idle = 0
        """How many have waited in vain since something happened."""
        self.failure: BaseException | None = None
        self.reasons: dict[int, tuple[int, str, str]] = {}
        """The first thread of each task that waits, whose it is, and what it waits for."""

    def _add(self, tasks: Sequence[Callable[[], object]]) -> list[int]:
        numbers = list(range(len(self.tasks), len(self.tasks) + len(tasks)))
        self.tasks += tasks
        self.turns += [Semaphore(0) for _ in tasks]
        self.waiting += numbers
        return numbers

    def _start(self, numbers: Sequence[int]) -> list[Thread]:
        threads = [Thread(target=self._run, args=(n,), daemon=True) for n in numbers]
        for thread in threads:
            thread.start()
        return threads

    def run(self) -> None:
        """Runs all tasks to their end."""
        threads = self._start(self.waiting)
        self.turns[self.current].release()
        self.over.acquire()
        for thread in threads:
            thread.join()
        if self.failure is not None:
            raise self.failure

    def run_within(self, tasks: Sequence[Callable[[], object]]) -> None:
        """The task that runs waits for others, which take turns with all."""
        numbers, mine = self._add(tasks), self.current
        threads = self._start(numbers)
        while not set(numbers).isdisjoint(self.waiting):
            # It is stuck only if they are.
            self.idle += 1
            self._hand_over(mine, self._next())
        for thread in threads:
            thread.join()

    def _run(self, number: int) -> None:
        self.turns[number].acquire()
        if self.failure is None:
            error = attempt(self.tasks[number])
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
        A thread, of a CTA that is named if there are several, lets the others run; raises, with
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


# CTAs

MOST_REPEATED = 32
"""So often a CTA reads the same, and does nothing else, before it rests."""
MOST_ROUNDS = 2_000
"""So often all CTAs rest, and nothing happens, before they are taken to wait forever."""


class Turn:
    """A CTA that runs, or rests."""

    def __init__(self, turns: Turns, run: Callable[[Turn], None]):
        self.turns = turns
        self.mine, self.given_back = Semaphore(0), Semaphore(0)
        self.is_over = False
        self.answers: dict[Operation, Array] = {}
        """What strong accesses have read last."""
        self.repeated = 0
        """How often they have read that again, and the CTA has done nothing else."""
        self.asked: Operation | None = None
        """Where it rests."""
        self.failure: BaseException | None = None
        self.thread = Thread(target=self._run, args=(run,), daemon=True)

    def _run(self, run: Callable[[Turn], None]) -> None:
        self.mine.acquire()
        if not self.turns.is_stopped:
            self.failure = attempt(partial(run, self))
        self.is_over = True
        self.given_back.release()

    def take(self) -> None:
        """Runs until the CTA rests, or ends."""
        if self.thread.ident is None:
            self.thread.start()
        self.mine.release()
        self.given_back.acquire()
        if self.is_over:
            self.thread.join()

    def answer(self, op: Operation, value: Array) -> None:
        """The CTA has read what others may change; if nothing changes for long, it rests."""
        before = self.answers.get(op)
        self.answers[op] = value
        if before is None or not np.array_equal(before, value):
            self.repeated = 0
            return
        self.repeated += 1
        if self.repeated <= MOST_REPEATED:
            return
        self.repeated, self.asked = 0, op
        self.given_back.release()
        self.mine.acquire()
        if self.turns.is_stopped:
            raise Stopped

    def happened(self) -> None:
        """The CTA has done something that others may wait for."""
        self.repeated = 0
        self.turns.rounds = 0


class Turns:
    """The CTAs of a grid, some of which rest."""

    def __init__(self) -> None:
        self.resting: deque[Turn] = deque()
        self.rounds = 0
        """How often CTAs have rested since something happened."""
        self.is_stopped = False

    def run(self, ctas: Iterable[Callable[[Turn], None]]) -> None:
        """Runs CTAs to their end."""
        try:
            for cta in ctas:
                self._take(Turn(self, cta))
                for _ in range(len(self.resting)):
                    self._take(self.resting.popleft())
            while self.resting:
                self._take(self.resting.popleft())
                if self.rounds > MOST_ROUNDS * (len(self.resting) + 1):
                    what = "reads the same memory again and again, which nobody changes"
                    raise ExecutionError(what, self.resting[0].asked)
        finally:
            self.is_stopped = True
            for turn in self.resting:
                turn.take()

    def _take(self, turn: Turn) -> None:
        turn.take()
        if turn.failure is not None:
            raise turn.failure
        if turn.is_over:
            self.rounds = 0
        else:
            self.rounds += 1
            self.resting.append(turn)
