"""Accesses of others, as the race detector of tile programs sees them."""

from __future__ import annotations

import numpy as np

from .accesses import ATOMIC, READ, WRITE
from .checks import Checker, race_text
from .environment import ArrayElements, Observer
from .errors import ExecutionError
from .races import Race, RaceDetector
from .semantics import GPU, WEAK, Semantics
from .tokens import START, AccessOrdering, Event, Token

NOWHERE = (0, 0, 0)
"""The index of a CTA that is not in the grid."""
ANOTHER_CTA, PREVIOUS_GRID = "another CTA", "the previous grid"


def _cta_of(other: int) -> int:
    """The number of the CTA that stands for an other; those of the grid count from 0."""
    return -1 - other


class RaceObserver(Observer):
    """
    Each other is a CTA whose accesses are ordered as its steps are; the previous grid is one
    with a single access, which the token of a wait comes after.
    """

    def __init__(self, races: RaceDetector, checker: Checker):
        self.races, self.checker = races, checker
        self.tokens: dict[int, Token] = {}
        self.counts: dict[int, int] = {}

    def read(self, other: int, place: ArrayElements, semantics: Semantics) -> None:
        self._touch(other, place, semantics, READ)

    def write(
        self, other: int, place: ArrayElements, semantics: Semantics, *, updates: bool
    ) -> None:
        self._touch(other, place, semantics, ATOMIC if updates else WRITE)

    def hold(self, other: int, place: ArrayElements) -> None:
        self._touch(other, place, WEAK, WRITE, PREVIOUS_GRID)
        grid = self.tokens[other].seen_by(_cta_of(other), 0)
        self.checker.previous_grids.append(grid)

    def _touch(
        self,
        other: int,
        place: ArrayElements,
        semantics: Semantics,
        kind: str,
        who: str = ANOTHER_CTA,
    ) -> None:
        if not len(place.offsets):
            return
        ordering = AccessOrdering(
            strong=semantics.strong,
            wide=semantics.strong and semantics.scope >= GPU,
            acquires=semantics.acquires,
            releases=semantics.releases,
        )
        number = self.counts.get(other, 0)
        self.counts[other] = number + 1
        event = Event(None, ordering, NOWHERE, _cta_of(other), number, who)
        token = self.tokens.get(other, START)
        places = (place.offsets[:, None] + np.arange(place.size)).reshape(-1)
        found = self.races.touch(
            event, token, place.allocation, places, reads=kind != WRITE, writes=kind != READ
        )
        if isinstance(found, Race):
            text = race_text(found, kind, place.allocation, int(places[found.place]))
            raise ExecutionError(f"{who} {text}")
        self.tokens[other] = found.after(event)
