"""
Decisions: what the builders of this folder ask for.

Hypothesis makes them where an example is to be shrunk. A random generator makes them where
many examples are wanted: it is ten times as fast, and all choices are equally likely.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

CHARACTERS = 'ab"\\%{}<>#,\n\t\r\0\x7f é\u2028λ→😀'
"""Quotes, escapes, controls, line ends, and characters of one to four bytes in UTF-8."""

_integers = cache(st.integers)
_TEXT = st.text(st.sampled_from(CHARACTERS) | st.characters(), max_size=8)


@dataclass(frozen=True)
class Draws:
    """A source of decisions."""

    integer: Callable[[int, int], int]
    """A number from the first to the second, both included."""
    text: Callable[[], str]
    """A short string of any characters that UTF-8 can encode."""

    @staticmethod
    def from_strategy(draw: st.DrawFn) -> Draws:
        """Decisions of Hypothesis, for a composite strategy."""
        return Draws(lambda low, high: draw(_integers(low, high)), lambda: draw(_TEXT))

    @staticmethod
    def from_seed(seed: int | str) -> Draws:
        """The decisions of a random generator."""
        generator = random.Random(seed)

        def text() -> str:
            return "".join(generator.choices(CHARACTERS, k=generator.randint(0, 8)))

        return Draws(generator.randint, text)

    def flag(self, percent: int = 50) -> bool:
        """True in about so many of a hundred cases; shrinks to false."""
        return self.integer(0, 99) >= 100 - percent

    def choose(self, options: Sequence[T]) -> T:
        """One of the options; shrinks to the first."""
        return options[self.integer(0, len(options) - 1)]

    def optional(self, value: T, percent: int = 50) -> T | None:
        """The value in about so many of a hundred cases."""
        return value if self.flag(percent) else None

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in some order; shrinks to the given one."""
        rest = list(items)
        return [rest.pop(self.integer(0, len(rest) - 1)) for _ in items]
