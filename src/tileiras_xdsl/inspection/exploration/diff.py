"""What a pass changed."""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from html import escape
from typing import Final, Literal

from tileiras_xdsl.inspection.visual.picture import plural

from .provenance import Marks
from .steps import PassStep
from .texts import MarkedText

# Which lines of two listings are the same, were moved, or became which others.
#
# Lines are compared without the numbers of their values and blocks, and without their indentation:
# an op that goes renumbers all that follow, which is no change. Lines that came from the same op of
# the input and are like no other hold the rest in its place, as in a patience diff; of what is
# between them, and is there several times, `difflib` finds the longest common parts. Of lines that
# match, the values are compared afterwards: by what they are called where they first occur.


# Special registers of PTX such as `%tid.x` have no number that could change.
_NAMES = re.compile(r"([%^])(?!\w+\.[xyz]\b)[\w$.]+(#\d+)?")
_FUNCTION = re.compile(
    r'\s*(?:define\b|(?:\.\w+\s+)*\.(?:entry|func)\b|"?(?:\w+\.)*(?:entry|func)\b)'
)
_COUNT = re.compile(r":\d+ =")
_MNEMONIC = re.compile(r'\s*(?:[%^][^=]*=\s*)?"?(?:[\w$]+\.)*([\w$]+)')
_WORDS = re.compile(r"[%^][\w$.]+(?:#\d+)?|\w+|\s+|[^\w\s]")

LEAST_COMMON: Final = 0.3
"""How much of two lines has to be the same for the rest to be worth a mark."""

Key = tuple[Hashable, ...]
Pair = tuple[int, int]


def line_key(line: str) -> str:
    """A line without what says nothing about its op: the numbers of values and blocks."""
    return _COUNT.sub(" =", _NAMES.sub(r"\1", line.strip()))


def number_names(lines: Iterable[str]) -> list[str]:
    """
    The lines of a listing, without indentation, with values and blocks numbered as they occur in
    each function: two listings that differ in nothing else become the same.
    """
    found: list[str] = []
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        name, _, result = match[0].partition("#")
        return f"{match[1]}{numbers.setdefault(name, len(numbers))}#{result}"

    for line in lines:
        if _FUNCTION.match(line):
            numbers.clear()
        found.append(_COUNT.sub(" =", _NAMES.sub(number, line.strip())))
    return found


Span = tuple[int, int]
Parts = tuple[Span, ...]
"""Of a line, from where to where."""


@dataclass(frozen=True)
class _Name:
    """A value or a block where a line has it."""

    key: Hashable
    """What it is called, and in which function."""
    line: int
    """Where it first occurs."""
    result: str
    """The number of a result, `#1`, if it is one of several."""
    span: Span


def _find_names(lines: Sequence[str]) -> list[list[_Name]]:
    """The values and blocks of each line."""
    first: dict[Hashable, int] = {}
    function = 0
    found: list[list[_Name]] = []
    for at, line in enumerate(lines):
        function += _FUNCTION.match(line) is not None
        names: list[_Name] = []
        for match in _NAMES.finditer(line):
            name, _, result = match[0].partition("#")
            key = (function, name)
            names.append(_Name(key, first.setdefault(key, at), result, match.span()))
        found.append(names)
    return found


def find_rewired(a: Lines, b: Lines, pairs: Iterable[Pair]) -> dict[int, tuple[Parts, Parts]]:
    """
    The lines of `a` whose partners are the same but for using other values or blocks, and where
    both differ. What first occurs on a line without a partner may stand for anything: that line is
    a change of its own.
    """
    matched = sorted(pairs)
    in_a, in_b = {i for i, _ in matched}, {j for _, j in matched}
    names_a, names_b = _find_names(a.texts), _find_names(b.texts)
    became: dict[Hashable, Hashable] = {}
    was: dict[Hashable, Hashable] = {}
    found: dict[int, tuple[Parts, Parts]] = {}
    for i, j in matched:
        spans: list[tuple[Span, Span]] = []
        for x, y in zip(names_a[i], names_b[j], strict=True):
            if x.line not in in_a or y.line not in in_b:
                continue
            same = (
                became.setdefault(x.key, y.key) == y.key and was.setdefault(y.key, x.key) == x.key
            )
            if not same or x.result != y.result:
                spans.append((x.span, y.span))
        if spans:
            found[i] = tuple(x for x, _ in spans), tuple(y for _, y in spans)
    return found


class Lines:
    """The lines of a listing, in a form that can be compared."""

    def __init__(self, texts: Sequence[str], marks: Sequence[Marks]):
        self.texts = texts
        self.marks = marks
        self.keys: list[Key] = [(line_key(text),) for text in texts]
        self.origins: list[Key] = [(key, mark) for key, mark in zip(self.keys, marks, strict=True)]

    def __len__(self) -> int:
        return len(self.texts)


def match_lines(a: Lines, b: Lines) -> list[Pair]:
    """The lines that are the same, in order."""
    return list(_match(a, range(len(a)), b, range(len(b))))


def _match(a: Lines, all_a: range, b: Lines, all_b: range) -> Iterator[Pair]:
    # By a stack of what is left, since listings may be long.
    todo: list[tuple[range, range]] = [(all_a, all_b)]
    while todo:
        x, y = todo.pop()
        while x and y and a.keys[x[0]] == b.keys[y[0]]:
            yield x[0], y[0]
            x, y = x[1:], y[1:]
        end = x.stop, y.stop
        while x and y and a.keys[x[-1]] == b.keys[y[-1]]:
            x, y = x[:-1], y[:-1]
        # What ends alike is looked at again when all before it is done, and is then found at once.
        if x.stop < end[0]:
            todo.append((range(x.stop, end[0]), range(y.stop, end[1])))
        if not x or not y:
            continue
        anchors = _find_anchors(a.origins, x, b.origins, y) or _find_anchors(a.keys, x, b.keys, y)
        if not anchors:
            yield from _match_repeated(a.keys, x, b.keys, y)
            continue
        parts: list[tuple[range, range]] = []
        i, j = x.start, y.start
        for p, q in anchors:
            parts += [(range(i, p), range(j, q)), (range(p, p + 1), range(q, q + 1))]
            i, j = p + 1, q + 1
        parts.append((range(i, x.stop), range(j, y.stop)))
        todo += reversed(parts)


def _find_anchors(a: Sequence[Key], x: range, b: Sequence[Key], y: range) -> list[Pair]:
    """Lines that are there once on both sides, as many as there are in the same order."""
    mine, theirs = _unique(a, x), _unique(b, y)
    pairs = [(i, theirs[key]) for key, i in mine.items() if key in theirs]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [j]
        last[at : at + 1] = [number]
    chain: list[Pair] = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _unique(keys: Sequence[Key], where: range) -> dict[Key, int]:
    found: dict[Key, int] = {}
    for index in where:
        found[keys[index]] = -1 if keys[index] in found else index
    return {key: index for key, index in found.items() if index >= 0}


def _match_repeated(a: Sequence[Key], x: range, b: Sequence[Key], y: range) -> Iterator[Pair]:
    matcher = SequenceMatcher(None, [a[i] for i in x], [b[j] for j in y], autojunk=False)
    for block in matcher.get_matching_blocks():
        for k in range(block.size):
            yield x[block.a + k], y[block.b + k]


def find_moves(a: Lines, gone: Sequence[int], b: Lines, new: Sequence[int]) -> dict[int, int]:
    """Which lines that are gone are elsewhere, as they were: those that came from the same op."""
    places: dict[Key, list[int]] = {}
    for j in reversed(new):
        if b.marks[j]:
            places.setdefault(b.origins[j], []).append(j)
    moves: dict[int, int] = {}
    for i in gone:
        if a.marks[i] and places.get(a.origins[i]):
            moves[i] = places[a.origins[i]].pop()
    return moves


def pair_changes(a: Lines, gone: Sequence[int], b: Lines, new: Sequence[int]) -> dict[int, int]:
    """
    Which of the lines that were added is what one that was removed has become: one of the same
    origin, preferably an op of the same name, or the one in its place if as many were added as
    removed.
    """
    if len(gone) == len(new):
        return dict(zip(gone, new, strict=True))
    partners: dict[int, int] = {}
    for key_of in (_origin_and_name, _origin):
        taken = set(partners.values())
        free: dict[Key, list[int]] = {}
        for j in reversed(new):
            if j not in taken:
                free.setdefault(key_of(b, j), []).append(j)
        for i in gone:
            if a.marks[i] and i not in partners and (found := free.get(key_of(a, i))):
                partners[i] = found.pop()
    return partners


def _origin(lines: Lines, index: int) -> Key:
    return (lines.marks[index],)


def _origin_and_name(lines: Lines, index: int) -> Key:
    """The ops that a line came from, and the name of its op without the dialect."""
    name = _MNEMONIC.match(lines.texts[index])
    return lines.marks[index], "" if name is None else name[1]


def differing_parts(text: str, other: str) -> Iterator[tuple[int, int]]:
    """
    The parts of a line, from where to where, that are not in another; by words, whatever values
    are called and however far it is indented. None if little is the same: what would be marked is
    the line.
    """
    words, others = _WORDS.findall(text.lstrip()), _WORDS.findall(other.lstrip())
    a, b = (list(map(_word_key, each)) for each in (words, others))
    starts = [len(text) - len(text.lstrip())]
    for word in words:
        starts.append(starts[-1] + len(word))
    codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    common = sum(_letters(a[i:j]) for tag, i, j, _, _ in codes if tag == "equal")
    if common < LEAST_COMMON * max(_letters(a), _letters(b)):
        return
    for tag, i, j, _, _ in codes:
        if tag in ("replace", "delete"):
            yield starts[i], starts[j]


def _word_key(word: str) -> str:
    """A word as it is compared: values and blocks without their names, spaces as one."""
    return word[0] if word[0] in "%^" else word.strip() or " "


def _letters(words: Sequence[str]) -> int:
    return sum(len(word) for word in words if word[0].isalnum() or word[0] == "_")


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
    parts: Parts = ()
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
    came, `<` and `>` lines that were moved. That values have other numbers is no change; that an op
    uses other values is one. On a terminal and in notebooks, what differs within a line is marked.
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
            unseen = "the module, but no line of its text"
            return f"{self.after.name} changed {unseen if self.has_unseen_change else 'nothing'}"
        moved = f", {self.moved} moved" if self.moved else ""
        return (
            f"{self.after.name}: {plural(self.added, 'line')} added, {self.removed} removed{moved}"
        )

    @property
    def has_unseen_change(self) -> bool:
        """Whether the modules differ, but not their texts."""
        match self.before, self.after:
            case PassStep(snapshot=before), PassStep(snapshot=after) if not self:
                return not before.module.is_structurally_equivalent(after.module)
            case _:
                return False

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
    rewired = find_rewired(a, b, (*pairs, *moves.items()))
    parts_of_arrived = {moves[x]: parts for x, (_, parts) in rewired.items() if x in moves}
    i = j = 0
    for p, q in (*pairs, (len(a), len(b))):
        gone = [x for x in range(i, p) if x not in moves]
        new = [y for y in range(j, q) if y not in arrived]
        partners = pair_changes(a, gone, b, new)
        origins = {y: x for x, y in partners.items()}

        def row_of_new(y: int, origins: dict[int, int] = origins) -> DiffRow:
            if y in arrived:
                return DiffRow("to", b.texts[y], parts_of_arrived.get(y, ()))
            x = origins.get(y)
            parts = () if x is None else tuple(differing_parts(b.texts[y], a.texts[x]))
            return DiffRow("new", b.texts[y], parts)

        # What a line has become follows it at once.
        for x in range(i, p):
            if x in moves:
                yield DiffRow("from", a.texts[x], rewired.get(x, ((), ()))[0])
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
        if p in rewired:
            yield DiffRow("gone", a.texts[p], rewired[p][0])
            yield DiffRow("new", b.texts[q], rewired[p][1])
        elif p < len(a):
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
