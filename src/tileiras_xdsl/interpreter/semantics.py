"""
The memory semantics of accesses and fences, and what synchronizes through them.

A release makes known what its thread has done and comes after; an acquire that reads what was
released, or what atomic updates or later stores of the thread have made of it, comes after that. It
counts only if each of the two is in the scope of the other. A fence does the same for the strong
writes after it, or the strong reads before it. Copies that are in flight are not part of what a
thread has done: they are after a wait for their group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import Operation

from tileiras_xdsl.dialects.llvm import ORDERINGS

from .values import Integers, integer_of, property_of, word_of

SCOPES = ("cta", "cluster", "gpu", "sys")
"""Whose accesses an acquire or a release orders, from few threads to all."""
CTA, CLUSTER, GPU, SYSTEM = range(len(SCOPES))
"""Scopes, from that of a CTA to that of the system."""
SYNC_SCOPES = {"block": CTA, "singlethread": CTA, "cluster": CLUSTER, "device": GPU}
"""As LLVM names them; all others are the system."""
ACQUIRES = ("acquire", "acq_rel", "seq_cst")
RELEASES = ("release", "acq_rel", "seq_cst")
WEAK_WORDS = ("", "weak", "not_atomic", "unordered")

Actor: TypeAlias = tuple[int, int] | int
"""A CTA: the number of its cluster, and its rank there; or the number of an other CTA."""


@dataclass(frozen=True)
class Semantics:
    """What an access orders, and for whom."""

    strong: bool
    acquires: bool = False
    releases: bool = False
    scope: int = SYSTEM


WEAK, RELAXED = Semantics(False), Semantics(True)
RELAXED_GLOBALLY = Semantics(True, scope=GPU)


def semantics_of(op: Operation) -> Semantics:
    """The semantics of an access or a fence: by words of PTX, or orderings of LLVM."""
    word, scope = word_of(op, "semantic"), SYSTEM
    for name in ("ordering", "success_ordering"):
        if property_of(op, name) is not None:
            word = ORDERINGS[integer_of(op, name)]
            scope = SYNC_SCOPES.get(word_of(op, "syncscope"), SYSTEM)
    if (given := word_of(op, "scope")) in SCOPES:
        scope = SCOPES.index(given)
    if word in WEAK_WORDS:
        return RELAXED if property_of(op, "volatile_") is not None else WEAK
    return Semantics(True, word in ACQUIRES, word in RELEASES, scope)


def update_semantics_of(op: Operation) -> Semantics:
    """The semantics of an atomic, which is relaxed if it does not say more."""
    found = semantics_of(op)
    return found if found.strong else RELAXED


def fence_of(op: Operation) -> Semantics:
    """The semantics of a fence, which acquires and releases if it does not say less."""
    found = semantics_of(op)
    if found.strong:
        return found
    scope = word_of(op, "scope")
    return Semantics(True, True, True, SCOPES.index(scope) if scope in SCOPES else SYSTEM)


@dataclass(frozen=True, eq=False)
class ActorRelease:
    """What an acquire comes after that reads what was released."""

    actor: Actor
    scope: int
    known: Integers
    thread: int | None = None
    """Whose strong stores, to the same place, go on with it."""

    def reaches(self, actor: Actor, scope: int) -> bool:
        """Whether an access of somebody, of a scope, and this one are in each other's scopes."""
        return min(scope, self.scope) >= needed_scope(self.actor, actor)


def needed_scope(first: Actor, second: Actor) -> int:
    """The narrowest scope that two are in."""
    if first == second:
        return CTA
    if isinstance(first, tuple) and isinstance(second, tuple) and first[0] == second[0]:
        return CLUSTER
    return GPU
