"""What a pass changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Final, Literal

from tileiras_xdsl.visual.picture import plural

from .line_matching import Lines, differing_parts, find_moves, match_lines, pair_changes
from .steps import PassStep
from .texts import MarkedText

CONTEXT: Final = 3
"""Lines around a change that are shown."""

RowKind = Literal["same", "gone", "new", "from", "to", "fold"]
"""A line that stayed, went, came, was moved away, was moved here; lines that are not shown."""

_SIGNS: Final[dict[RowKind, str]] = {
    "same": " ",
    "gone": "-",
    "new": "+",
    "from": "<",
    "to": ">",
    "fold": "@",
}
_COLOURS: Final[dict[RowKind, str]] = {
    "gone": "#e5534b",
    "new": "#2da44e",
    "from": "#a475f9",
    "to": "#a475f9",
    "fold": "#8b949e",
}
"""Of borders, which show on dark pages as on light ones."""
_ANSI: Final[dict[RowKind, str]] = {
    "gone": "31",
    "new": "32",
    "from": "35",
    "to": "35",
    "fold": "90",
}
_REVERSE: Final = "\x1b[7m", "\x1b[27m"


@dataclass(frozen=True)
class DiffRow:
    """A line of a diff."""

    kind: RowKind
    text: str
    parts: tuple[tuple[int, int], ...] = ()
    """Where the line differs from the one that it became, or was."""

    def mark(self, begin: str, end: str, clean: Callable[[str], str] = str) -> str:
        """The text with its parts between marks."""
        pieces: list[str] = []
        at = 0
        for first, last in self.parts:
            pieces += [clean(self.text[at:first]), begin, clean(self.text[first:last]), end]
            at = last
        return "".join((*pieces, clean(self.text[at:])))


@dataclass(frozen=True)
class Diff:
    """
    The module before and after a pass. As a string, a diff: `-` and `+` are lines that went and
    came, `<` and `>` lines that were moved. That values have other numbers is no change. On a
    terminal and in notebooks, what differs within a line is marked.
    """

    before: PassStep | MarkedText = field(repr=False)
    after: PassStep | MarkedText
    has_same_marks: bool = field(default=True, kw_only=True, repr=False)
    """Whether marks stand for the ops of the same program."""

    @cached_property
    def rows(self) -> tuple[DiffRow, ...]:
        """All lines."""
        if self.before.lines is self.after.lines:
            return tuple(DiffRow("same", line) for line in self.after.lines)
        both = (self.before, self.after)
        if self.has_same_marks:
            return tuple(_compare(*(Lines(each.lines, each.marks) for each in both)))
        return tuple(_compare(*(Lines(each.lines, [()] * len(each.lines)) for each in both)))

    @cached_property
    def shown(self) -> tuple[DiffRow, ...]:
        """Lines that changed, those around them, and how many are between; none if none did."""
        return tuple(_fold(self.rows)) if self else ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text; none if nothing changed."""
        return tuple(f"{_SIGNS[row.kind]} {row.text}" for row in self.shown)

    @property
    def added(self) -> int:
        """How many lines are new."""
        return self._count("new")

    @property
    def removed(self) -> int:
        """How many lines are gone."""
        return self._count("gone")

    @property
    def moved(self) -> int:
        """How many lines are elsewhere."""
        return self._count("to")

    def _count(self, kind: RowKind) -> int:
        return sum(row.kind == kind for row in self.rows)

    @property
    def summary(self) -> str:
        """One line."""
        if not self:
            return f"{self.after.name} changed nothing"
        moved = f", {self.moved} moved" if self.moved else ""
        return (
            f"{self.after.name}: {plural(self.added, 'line')} added, {self.removed} removed{moved}"
        )

    def __bool__(self) -> bool:
        return any(row.kind != "same" for row in self.rows)

    def __str__(self) -> str:
        return "\n".join((self.summary, *self.lines))

    def coloured(self) -> str:
        """The same for a terminal."""
        lines = [f"\x1b[1m{self.summary}\x1b[0m"]
        for row in self.shown:
            text = f"{_SIGNS[row.kind]} {row.mark(*_REVERSE)}"
            colour = _ANSI.get(row.kind)
            lines.append(text if colour is None else f"\x1b[{colour}m{text}\x1b[0m")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            self.coloured() if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else str(self)
        )

    def _repr_html_(self) -> str:
        """The same in colours, for notebooks and the pages made from them."""
        rows = "".join(map(_html_row, self.shown))
        return (
            f"<p><b>{escape(self.summary)}</b></p>"
            f'<pre style="line-height:1.4;overflow-x:auto;white-space:pre">{rows}</pre>'
        )


def _compare(a: Lines, b: Lines) -> Iterator[DiffRow]:
    pairs = match_lines(a, b)
    kept_a, kept_b = {i for i, _ in pairs}, {j for _, j in pairs}
    moves = find_moves(
        *(a, [i for i in range(len(a)) if i not in kept_a]),
        *(b, [j for j in range(len(b)) if j not in kept_b]),
    )
    arrived = set(moves.values())
    i = j = 0
    for p, q in (*pairs, (len(a), len(b))):
        gone = [x for x in range(i, p) if x not in moves]
        new = [y for y in range(j, q) if y not in arrived]
        partners = pair_changes(a, gone, b, new)
        origins = {y: x for x, y in partners.items()}

        def row_of_new(y: int, origins: dict[int, int] = origins) -> DiffRow:
            if y in arrived:
                return DiffRow("to", b.texts[y])
            x = origins.get(y)
            parts = () if x is None else tuple(differing_parts(b.texts[y], a.texts[x]))
            return DiffRow("new", b.texts[y], parts)

        # What a line has become follows it at once.
        for x in range(i, p):
            if x in moves:
                yield DiffRow("from", a.texts[x])
                continue
            partner = partners.get(x)
            if partner is None:
                yield DiffRow("gone", a.texts[x])
                continue
            while j < partner:
                yield row_of_new(j)
                j += 1
            yield DiffRow("gone", a.texts[x], tuple(differing_parts(a.texts[x], b.texts[partner])))
            if j == partner:
                yield row_of_new(j)
                j += 1
        yield from map(row_of_new, range(j, q))
        if p < len(a):
            yield DiffRow("same", b.texts[q])
        i, j = p + 1, q + 1


def _fold(rows: Sequence[DiffRow]) -> Iterator[DiffRow]:
    """Rows with long runs of what stayed folded away."""
    changed = [at for at, row in enumerate(rows) if row.kind != "same"]
    near = {at + by for at in changed for by in range(-CONTEXT, CONTEXT + 1)}
    hidden = 0
    for at, row in enumerate(rows):
        if at not in near:
            hidden += 1
            continue
        if hidden:
            yield DiffRow("fold", plural(hidden, "line"))
            hidden = 0
        yield row
    if hidden:
        yield DiffRow("fold", plural(hidden, "line"))


def _html_row(row: DiffRow) -> str:
    colour = _COLOURS.get(row.kind, "transparent")
    tint = f"background:{colour}22;" if row.kind in ("gone", "new", "from", "to") else ""
    style = f"display:block;border-left:4px solid {colour};padding-left:6px;{tint}"
    text = row.mark(f'<b style="background:{colour}55">', "</b>", escape)
    return f'<span style="{style}">{escape(_SIGNS[row.kind])} {text}</span>'
