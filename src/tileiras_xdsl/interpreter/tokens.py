"""
What is ordered with what: accesses of a CTA, and tokens between them.

Tile IR gives accesses of a CTA no order but that of tokens. That one stands before the other
in the program does not count, nor does it that one uses what the other has read: a compiler may
read a value twice, or lane by lane. Across CTAs an acquire that reads what a release has
written comes after it, and so after all that tokens put before the release.

Where tokens have been discharged, barriers order all accesses of a CTA, and those of rank 0
that write, or are strong, are executed by one thread, in order.

A token is the set of accesses that come before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.ir import Operation

from tileiras_xdsl.dialects.cuda_tile.enums import MemoryOrdering, MemoryScope
from tileiras_xdsl.dialects.nv_tileaa.decisions import OWN_ORDER
from tileiras_xdsl.dialects.nv_tileaa.types import MemTokenType

from .attributes import word_of
from .types import shape_of

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
            repeated=OWN_ORDER.is_on(op),
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
