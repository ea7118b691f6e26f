"""
Links from terms to the glossary.

A row of its tables may name several terms, and others in brackets: `cluster (CGA), peer CTA`. Each
gets an anchor; on every other page the first place of a term that is no code, heading or link leads
there, and shows the meaning when it is pointed at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from links import slug

PAGE: Final = "glossary.md"
MIN_LETTERS: Final = 4
"""Of terms without capitals; shorter ones are common words. Single letters are in formulas."""
MAX_MEANING: Final = 160

_ROW: Final = re.compile(r"^\| ([^|]+) \| ([^|]+) \|", re.MULTILINE)
_TAG: Final = re.compile(r"(<!--.*?-->|<[^>]+>)", re.DOTALL)
_NAME: Final = re.compile(r"</?([a-zA-Z][\w-]*)")
_SKIPPED: Final = frozenset(
    ("a", "code", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "script", "style", "svg", "button")
)


@dataclass(frozen=True)
class Term:
    """An entry of the glossary."""

    anchor: str
    meaning: str


def split_terms(cell: str) -> list[str]:
    """The terms of the first cell of a row, and of those in brackets that are no common words."""
    inside = re.findall(r"\(([^)]*)\)", cell)
    outside = re.sub(r"\([^)]*\)", "", cell)
    names = [name.strip() for name in outside.split(",")]
    others = [name.strip() for part in inside for name in part.split(",")]
    special = [name for name in others if re.search("[A-Z-]", name)]
    return [name for name in (*names, *special) if name]


def read_terms(glossary: str) -> dict[str, Term]:
    """The terms that are linked, with where they are and what they mean; code is none."""
    found: dict[str, Term] = {}
    for cell, meaning in _ROW.findall(glossary):
        if set(cell) <= set("- ") or cell == "term":
            continue
        anchor = _anchor(cell)
        for name in split_terms(cell):
            is_common = name.islower() and len(name) < MIN_LETTERS
            is_variable = len(name) == 1
            if not is_common and not is_variable and "`" not in name:
                found.setdefault(name, Term(anchor, _plain(meaning)))
    return found


def _anchor(cell: str) -> str:
    return f"term-{slug(split_terms(cell)[0])}"


def _plain(meaning: str) -> str:
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", meaning).replace("`", "")
    return text if len(text) <= MAX_MEANING else f"{text[:MAX_MEANING].rsplit(' ', 1)[0]} …"


def add_anchors(glossary: str) -> str:
    """The glossary with an anchor in each row."""

    def add(match: re.Match[str]) -> str:
        cell = match[1]
        if set(cell) <= set("- ") or cell == "term":
            return match[0]
        return f'| <a id="{_anchor(cell)}"></a>{cell} | {match[2]} |'

    return _ROW.sub(add, glossary)


def make_pattern(terms: Mapping[str, Term]) -> re.Pattern[str]:
    """What finds terms in a text, the longest first, also at the beginning of a sentence."""
    forms: list[str] = []
    for name in sorted(terms, key=lambda name: -len(name)):
        first = name[0]
        forms.append(
            f"[{first}{first.upper()}]{re.escape(name[1:])}" if first.islower() else re.escape(name)
        )
    return re.compile(rf"(?<![\w.-])({'|'.join(forms)})(?:e?s)?(?![\w-]|\.\w| IR\b)")


def link_terms(page: str, terms: Mapping[str, Term], pattern: re.Pattern[str], target: str) -> str:
    """An HTML page whose first place of each term leads to the glossary, which is at `target`."""
    start, end = page.find("<article"), page.find("</article>")
    if start < 0 or end < 0:
        return page
    seen: set[str] = set()

    def link(match: re.Match[str]) -> str:
        name = match[1] if match[1] in terms else match[1][0].lower() + match[1][1:]
        term = terms[name]
        if term.anchor in seen:
            return match[0]
        seen.add(term.anchor)
        href = f"{target}#{term.anchor}"
        return f'<a class="term" href="{href}" title="{escape(term.meaning)}">{match[0]}</a>'

    depth = 0
    pieces: list[str] = []
    for piece in _TAG.split(page[start:end]):
        if piece.startswith("<"):
            name = _NAME.match(piece)
            if name is not None and name[1].lower() in _SKIPPED and not piece.endswith("/>"):
                depth += -1 if piece.startswith("</") else 1
            pieces.append(piece)
        else:
            pieces.append(pattern.sub(link, piece) if depth == 0 else piece)
    return page[:start] + "".join(pieces) + page[end:]
