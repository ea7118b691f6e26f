"""
Performs the accesses of a CTA in another order than that of the program.

An access without a value may wait; it happens at the latest before an access that comes after it
by tokens, and at the end of the CTA. Meanwhile others that the program has later are performed,
so a load sees memory before or after an unordered store, and of two unordered stores either may
be the last. Values are computed in any case before the access that uses them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from .tokens import Token

MOST_WAITING = 64
"""So many accesses of a CTA wait at most: each holds the tile that it writes."""


class Waiting(NamedTuple):
    """An access that has not happened yet."""

    number: int
    token: Token
    happen: Callable[[], object]


class Shuffle:
    """The accesses of a CTA that wait, and the dice that say for how long."""

    def __init__(self, seed: int, place: tuple[int, int, int]):
        self.random = Random(f"{seed} {place}")
        self.waiting: list[Waiting] = []

    def add(self, number: int, token: Token, happen: Callable[[], object]) -> None:
        """Lets an access wait."""
        self.waiting.append(Waiting(number, token, happen))
        if len(self.waiting) > MOST_WAITING:
            self.finish()

    def before(self, token: Token) -> None:
        """Performs what must happen before an access after a token, and by chance some more."""
        chosen = token.own
        for one in self.waiting:
            if self.random.random() < 0.5:
                chosen |= one.token.own | 1 << one.number
        self._perform(chosen)

    def finish(self) -> None:
        """Performs all that still waits."""
        self._perform(-1)

    def _perform(self, numbers: int) -> None:
        """
        Performs accesses of given numbers, a set that has all that comes before each of them,
        in an order that tokens allow.
        """
        chosen = [one for one in self.waiting if numbers >> one.number & 1]
        self.waiting = [one for one in self.waiting if not numbers >> one.number & 1]
        while chosen:
            left = sum(1 << one.number for one in chosen)
            ready = [one for one in chosen if not one.token.own & left]
            one = self.random.choice(ready)
            chosen.remove(one)
            one.happen()
