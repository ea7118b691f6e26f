"""
Which lines of two listings are the same, were moved, or became which others.

Lines are compared without the numbers of their values and blocks, and without their indentation: an
op that goes renumbers all that follow, which is no change. Lines that came from the same op of the
input and are like no other hold the rest in its place, as in a patience diff; of what is between
them, and is there several times, `difflib` finds the longest common parts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from .provenance import Marks

_NAMES = re.compile(r"([%^])[\w$.]+(#\d+)?")
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
