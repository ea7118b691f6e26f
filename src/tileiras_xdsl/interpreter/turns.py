"""
CTAs of a grid that wait for each other.

CTAs run one after the other. One that gets the same answer again and again, such as a flag that
a later CTA sets, rests: meanwhile the next one begins, and those that rest have another turn
whenever a CTA has ended or rests itself. Each runs on a thread of Python, of which one runs at a
time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from threading import Semaphore, Thread

import numpy as np
from xdsl.ir import Operation

from .errors import ExecutionError
from .memory import Array
from .schedule import Stopped, attempt

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
