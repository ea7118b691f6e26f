"""Shares of time, by role and activity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import compress
from statistics import median
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .profile import Profile, Span, Track

HEAD: Final = ("role", "activity", "share", "predicted", "clocks", "predicted")
"""Clocks are those of one occurrence."""
PREDICTED: Final = "predicted"
"""Columns that are left off if nothing was predicted beside what was recorded."""


@dataclass(frozen=True)
class Part:
    """How long warps of a role take for an activity."""

    share: float
    """Of their time."""
    clocks: float
    """The median."""
    count: int


@dataclass(frozen=True)
class Row:
    """An activity of a role; None where it was not recorded, or not predicted."""

    role: str
    activity: str
    kind: str
    measured: Part | None
    predicted: Part | None

    def cells(self) -> tuple[str, ...]:
        shares = (_percent(part) for part in (self.measured, self.predicted))
        clocks = (_clocks(part) for part in (self.measured, self.predicted))
        return (self.role, self.activity, *shares, *clocks)


@dataclass(frozen=True)
class Summary:
    """The shares of time of each role, measured beside predicted."""

    rows: Sequence[Row]
    period: float | None
    """The clocks of an iteration of the main loop."""
    predicted_period: float | None

    def share(self, role: str, kind: str) -> float:
        """How much of their time warps of a role spend on a kind of activity: `"wait"`."""
        return sum(
            row.measured.share
            for row in self.rows
            if row.role == role and row.kind == kind and row.measured is not None
        )

    def _table(self) -> list[list[str]]:
        """The head, and the cells of rows."""
        compares = any(row.predicted is not None for row in self.rows)
        kept = [compares or name != PREDICTED for name in HEAD]
        return [list(compress(row, kept)) for row in (HEAD, *(row.cells() for row in self.rows))]

    def __str__(self) -> str:
        table = self._table()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if number < 2 else cell.rjust(width)
                for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        ]
        return "\n".join([*lines, *self._period()])

    def __repr__(self) -> str:
        return str(self)

    def _period(self) -> list[str]:
        if self.period is None:
            return []
        text = f"an iteration of the main loop takes {self.period:.0f} clocks"
        if self.predicted_period is not None:
            text += f", predicted {self.predicted_period:.0f}"
        return [text]

    def _repr_html_(self) -> str:
        names, *rows = self._table()
        head = "".join(f"<th>{cell}</th>" for cell in names)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return table + "".join(f"<p>{line}</p>" for line in self._period())


def _percent(part: Part | None) -> str:
    return "-" if part is None else f"{100 * part.share:.1f}%"


def _clocks(part: Part | None) -> str:
    return "-" if part is None else f"{part.clocks:.0f}"


def summarize(profile: Profile) -> Summary:
    """The shares of all tracks of each role together."""
    rows: list[Row] = []
    for role in profile.roles:
        measured, predicted = (
            _parts(profile, [track for track in tracks if track.role == role])
            for tracks in (profile.tracks, profile.predicted)
        )
        for key in dict.fromkeys((*measured, *predicted)):
            kind, activity = key
            rows.append(Row(role, activity, kind, measured.get(key), predicted.get(key)))
    predicted_period = profile.find_period(profile.predicted) if profile.predicted else None
    return Summary(rows, profile.find_period(), predicted_period)


def _parts(profile: Profile, tracks: Sequence[Track]) -> dict[tuple[str, str], Part]:
    spans: dict[tuple[str, str], list[Span]] = {}
    for track in tracks:
        for span in profile.spans(track):
            if span.event.kind != "end":
                spans.setdefault((span.event.kind, span.event.name), []).append(span)
    total = sum(span.clocks for each in spans.values() for span in each)
    return {
        key: Part(
            sum(span.clocks for span in each) / max(1, total),
            median(span.clocks for span in each),
            len(each),
        )
        for key, each in spans.items()
    }
