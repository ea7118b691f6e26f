"""
Races: two accesses that touch the same bytes, one of them writing, neither after the other.

Every byte has a *state*: the last weak write, and all accesses since that a later one may race
with. This is exact although earlier accesses are forgotten: nothing has raced so far, so they
all come before that write. States are immutable and numbered, and a byte holds the number of its
state; as bytes that were always accessed together share one, an access compares with few of them,
however many bytes it touches.

Accesses that are not weak do not race with each other if each is in the scope of the other, but
do with weak ones. Lanes of one access do not race with each other, and acquire as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .memory import Allocation, Memory
from .tokens import Event, Token, join_tokens

Numbers: TypeAlias = npt.NDArray[np.int32]
Places: TypeAlias = npt.NDArray[np.int64] | slice
"""Some bytes of an allocation."""


class Strong(NamedTuple):
    """An access that is not weak, in a list of them, newest first."""

    event: Event
    writes: bool
    rest: Strong | None
    has_narrow: bool
    """Whether the list has an access whose scope is only its CTA."""


class Weak(NamedTuple):
    """A weak read, in a list of them, newest first."""

    event: Event
    rest: Weak | None


class ByteState(NamedTuple):
    """What has happened to a byte that a later access may race with."""

    write: Event | None = None
    """The last weak write."""
    readers: Weak | None = None
    """Weak reads since then."""
    strong: Strong | None = None
    """Other accesses since then."""


@dataclass(frozen=True)
class CtaRelease:
    """What an acquire comes after that reads what was released."""

    cta: int
    wide: bool
    token: Token


class ByteShadow:
    """What is known of each byte of an allocation."""

    def __init__(self, size: int):
        self.states: Numbers = np.zeros(size, np.int32)
        self.releases: Numbers | None = None
        """Numbers of lists of releases; 0 is none."""

    def resize(self, size: int) -> None:
        """There are more bytes."""
        more = np.zeros(size - len(self.states), np.int32)
        self.states = np.concatenate((self.states, more))
        if self.releases is not None:
            self.releases = np.concatenate((self.releases, more))


class Race(NamedTuple):
    """An earlier access, and the place among the bytes of a later one that it races with."""

    event: Event
    place: int


class RaceDetector:
    """The states of all bytes."""

    COMPACT_AT = 1 << 16

    def __init__(self, memory: Memory):
        self.memory = memory
        self.states: list[ByteState] = [ByteState()]
        self.releases: list[tuple[CtaRelease, ...]] = [()]
        self.compact_at = self.COMPACT_AT

    def touch(
        self,
        event: Event,
        token: Token,
        allocation: Allocation,
        places: Places,
        *,
        reads: bool,
        writes: bool,
    ) -> Token | Race:
        """
        Notes an access that comes after a token to bytes of an allocation. Returns the token
        with what the access has acquired, or what it races with.
        """
        shadow: ByteShadow | None = allocation.shadow
        if shadow is None:
            shadow = allocation.shadow = ByteShadow(len(allocation.data))
        if reads and event.ordering.acquires and shadow.releases is not None:
            token = self._acquire(event, token, shadow.releases[places])
        numbers = shadow.states[places]
        present = _distinct(numbers)
        racing = {
            number: other
            for number in present
            if (other := self._find_race(self.states[number], event, token, writes)) is not None
        }
        if racing:
            place = int(np.flatnonzero(np.isin(numbers, list(racing)))[0])
            return Race(racing[int(numbers[place])], place)
        shadow.states[places] = self._advance(numbers, present, event, token, writes)
        if writes:
            self._release(event, token, shadow, places, reads)
        if len(self.states) > self.compact_at:
            self._compact()
        return token

    # Races

    def _find_race(
        self, state: ByteState, event: Event, token: Token, writes: bool
    ) -> Event | None:
        """An access of a state that a new one races with."""
        for other in _conflicts(state, event, writes):
            if other is not event and not token.covers(other, event.cta):
                return other
        return None

    def _advance(
        self, numbers: Numbers, present: list[int], event: Event, token: Token, writes: bool
    ) -> Numbers | int:
        """The numbers of the states after an access."""
        if writes and not event.ordering.strong:
            return self._number(ByteState(event))
        after = [
            self._number(_after(self.states[number], event, token, writes)) for number in present
        ]
        if len(after) == 1:
            return after[0]
        return np.array(after, np.int32)[np.searchsorted(present, numbers)]

    def _number(self, state: ByteState) -> int:
        self.states.append(state)
        return len(self.states) - 1

    def _compact(self) -> None:
        """Forgets states that no byte is in."""
        shadows: list[ByteShadow] = [each.shadow for each in self.memory if each.shadow is not None]
        used = np.unique(np.concatenate([np.zeros(1, np.int32), *(s.states for s in shadows)]))
        self.states = [self.states[number] for number in used]
        for shadow in shadows:
            shadow.states = np.searchsorted(used, shadow.states).astype(np.int32)
        self.compact_at = max(self.COMPACT_AT, 2 * len(self.states))

    # Acquire and release

    def _acquire(self, event: Event, token: Token, numbers: Numbers) -> Token:
        """The token after the releases that are read."""
        found = [
            release.token.seen_by(release.cta, event.cta)
            for number in _distinct(numbers)
            for release in self.releases[number]
            if release.cta == event.cta or (release.wide and event.ordering.wide)
        ]
        return join_tokens([token, *found])

    def _release(
        self,
        event: Event,
        token: Token,
        shadow: ByteShadow,
        places: Places,
        reads: bool,
    ) -> None:
        """A write hides earlier releases, unless it is part of an atomic update."""
        ordering = event.ordering
        if shadow.releases is None:
            if not ordering.releases:
                return
            shadow.releases = np.zeros_like(shadow.states)
        if not ordering.releases:
            if not reads:
                shadow.releases[places] = 0
            return
        own = (CtaRelease(event.cta, ordering.wide, token.after(event)),)
        before = _distinct(shadow.releases[places]) if reads else [0]
        first = len(self.releases)
        self.releases += [(*self.releases[number], *own) for number in before]
        if len(before) == 1:
            shadow.releases[places] = first
        else:
            positions = np.searchsorted(before, shadow.releases[places])
            shadow.releases[places] = positions.astype(np.int32) + np.int32(first)


def _distinct(numbers: Numbers) -> list[int]:
    """The different numbers, in order; most often there is one."""
    first = numbers[0]
    if (numbers == first).all():
        return [int(first)]
    return np.unique(numbers).tolist()


def _conflicts(state: ByteState, event: Event, writes: bool) -> Iterator[Event]:
    """The accesses of a state that race with a new one unless they come before it."""
    if state.write is not None:
        yield state.write
    readers = state.readers if writes else None
    while readers is not None:
        yield readers.event
        readers = readers.rest
    ordering, strong = event.ordering, state.strong
    if strong is not None and ordering.wide and not strong.has_narrow:
        return
    while strong is not None:
        other = strong.event
        both_strong = ordering.strong and (
            other.cta == event.cta or (ordering.wide and other.ordering.wide)
        )
        if (writes or strong.writes) and not both_strong:
            yield other
        strong = strong.rest


def _after(state: ByteState, event: Event, token: Token, writes: bool) -> ByteState:
    """The state after an access that is no weak write; what it stands for is dropped."""
    cta = event.cta
    if not event.ordering.strong:
        readers = state.readers
        while readers is not None and (readers.event is event or token.covers(readers.event, cta)):
            readers = readers.rest
        return ByteState(state.write, Weak(event, readers), state.strong)
    strong = state.strong
    narrow = not event.ordering.wide
    while (
        strong is not None
        and strong.event.cta == cta
        and (strong.event is event or token.covers(strong.event, cta))
        and writes >= strong.writes
        and narrow >= (not strong.event.ordering.wide)
    ):
        strong = strong.rest
    has_narrow = narrow or (strong is not None and strong.has_narrow)
    return ByteState(state.write, state.readers, Strong(event, writes, strong, has_narrow))
