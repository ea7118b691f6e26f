"""
What is ordered with what: accesses of a CTA, and tokens between them.

Tile IR gives accesses of a CTA no order but that of tokens. That one stands before the other
in the program does not count, nor does it that one uses what the other has read: a compiler may
read a value twice, or lane by lane. Across CTAs an acquire that reads what a release has
written comes after it, and so after all that tokens put before the release.

Where tokens have been discharged, barriers order all accesses of a CTA, and those of rank 0
that write, or are strong, are executed by one thread, in order.

A token is the set of accesses that come before it. A `Shuffle` performs the accesses of a CTA in
another order than that of the program, which tokens allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from xdsl.ir import Operation

from tileiras_xdsl.dialects.cuda_tile.enums import MemoryOrdering, MemoryScope
from tileiras_xdsl.dialects.nv_tileaa.decisions import WARPGROUP_ORDER
from tileiras_xdsl.dialects.nv_tileaa.types import MemTokenType

from .values import shape_of, word_of

SINGLE = ("nv_tileaa.store", "nv_tileas.store", "nv_tileaa.atomic_rmw", "nv_tileaa.atomic_cas")
SINGLE_IF_STRONG = ("nv_tileaa.load", "nv_tileas.load")
"""Loads that one thread executes for all if they are strong; weak ones are executed by each."""
NO_CTAS: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True)
class AccessOrdering:
    """The memory semantics of an op."""

    strong: bool
    """Whether it is not weak: such accesses do not race with each other."""
    wide: bool
    """Whether its scope has other CTAs in it."""
    acquires: bool
    releases: bool
    single: bool = False
    """Whether one thread executes it, in order with the others it executes."""
    repeated: bool = False
    """Whether it is in order with itself in earlier iterations."""

    @staticmethod
    def of(op: Operation) -> AccessOrdering:
        """The semantics of an op of either level."""
        semantic = word_of(op, "mem_semantic", "", MemoryOrdering)
        semantic = semantic or word_of(op, "memory_ordering_semantics", "weak", MemoryOrdering)
        scope = word_of(op, "mem_scope", "", MemoryScope)
        scope = scope or word_of(op, "memory_scope", "", MemoryScope)
        values = (*op.operands, *op.results)
        has_tokens = any(isinstance(value.type, MemTokenType) for value in values)
        return AccessOrdering(
            strong=semantic != "weak",
            wide=semantic != "weak" and scope in ("gpu", "device", "sys"),
            acquires=semantic in ("acquire", "acq_rel", "seq_cst"),
            releases=semantic in ("release", "acq_rel", "seq_cst"),
            single=(
                (op.name in SINGLE or (op.name in SINGLE_IF_STRONG and semantic != "weak"))
                and not has_tokens
                and not shape_of(op.operands[0].type)
            ),
            repeated=WARPGROUP_ORDER.is_on(op),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One access: an op that a CTA has performed, or what others of the environment have."""

    op: Operation | None
    ordering: AccessOrdering
    place: tuple[int, int, int]
    """The index of the CTA."""
    cta: int
    """The number of the CTA, in the order in which CTAs run."""
    number: int
    """Counts the accesses of the CTA."""
    who: str = ""
    """Who it was, if it was no op."""


@dataclass(frozen=True, slots=True)
class Token:
    """The accesses that come before a point of a CTA, as bits at their numbers."""

    own: int = 0
    """Those of the CTA itself."""
    others: Mapping[int, int] = field(default_factory=lambda: NO_CTAS)
    """Those of other CTAs, by the number of the CTA."""

    def covers(self, event: Event, cta: int) -> bool:
        """Whether an access comes before this token of a CTA."""
        bits = self.own if event.cta == cta else self.others.get(event.cta, 0)
        return bool(bits >> event.number & 1)

    def after(self, event: Event) -> Token:
        """The token after an access that came after this one."""
        return Token(self.own | 1 << event.number, self.others)

    def seen_by(self, cta: int, reader: int) -> Token:
        """This token of one CTA, as a token of another."""
        if cta == reader:
            return self
        return Token(0, {**self.others, cta: self.own})


START = Token()
"""The token that comes after nothing."""


def join_tokens(tokens: Sequence[Token | None]) -> Token:
    """The token after several others; one that is missing comes after nothing."""
    found = [token for token in tokens if token is not None and token is not START]
    if len(found) <= 1:
        return found[0] if found else START
    own, others = found[0].own, found[0].others
    for token in found[1:]:
        own |= token.own
        if token.others is not others and token.others:
            merged = dict(others)
            for cta, bits in token.others.items():
                merged[cta] = merged.get(cta, 0) | bits
            others = merged
    return Token(own, others)


# Another order

MOST_WAITING = 64
"""This many accesses of a CTA wait at most: each holds the tile that it writes."""


class Waiting(NamedTuple):
    """An access that has not happened yet."""

    number: int
    token: Token
    happen: Callable[[], object]


class Shuffle:
    """
    The accesses of a CTA that wait, and the dice that say for how long.

    An access without a value may wait; it happens at the latest before an access that comes after
    it by tokens, and at the end of the CTA. Meanwhile others that the program has later are
    performed, so a load sees memory before or after an unordered store, and of two unordered stores
    either may be the last. Values are computed in any case before the access that uses them.
    """

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
