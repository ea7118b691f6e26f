"""
A program on its way through the compiler as one web page, which needs nothing but itself.

The page is made of the data of `Exploration.to_data()`: the lines of all steps by their numbers in
a table of strings, and the marks of the ops on them. The data is packed, so that a program of
thousands of ops is a file of a few hundred kilobytes; the scripts are plain JavaScript in
`assets`, which let the browser unpack it and show no more of it than can be seen.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, Final

SCRIPTS: Final = (
    "unpack.js",
    "diff.js",
    "highlight.js",
    "list.js",
    "sass.js",
    "folding.js",
    "diff_view.js",
    "weights.js",
    "notes.js",
    "links.js",
    "split.js",
    "keys.js",
    "pictures.js",
    "cost.js",
    "report.js",
)
"""In the order in which they use each other."""

FRAME_HEIGHT: Final = 640

FRAME_STYLE: Final = """\
.tileiras-report { width: 100%; border: 1px solid #8886; border-radius: 6px; resize: vertical; }
[data-jp-theme-light="true"] .tileiras-report, .vscode-light .tileiras-report {
  color-scheme: light; }
[data-jp-theme-light="false"] .tileiras-report, .vscode-dark .tileiras-report {
  color-scheme: dark; }"""
"""JupyterLab and VS Code have colours of their own; elsewhere those of the system are used."""


def make_page(data: Mapping[str, Any]) -> str:
    """The text of the web page of a program."""
    title = escape(str(data["title"]))
    return fill_page("report.html", title, pack(data), SCRIPTS, ("report.css",))


def fill_page(
    template: str, title: str, data: str, scripts: Sequence[str], styles: Sequence[str]
) -> str:
    """A page that carries its scripts, styles and data."""
    script = _script(tuple(scripts))
    return Template(_asset(template)).substitute(
        title=title,
        style="\n".join(map(_asset, styles)),
        script=script,
        # Nothing but this script may run, and nothing be fetched.
        script_hash=f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'",
        data=data,
    )


def make_frame(data: Mapping[str, Any], height: int = FRAME_HEIGHT) -> str:
    """The page as a part of another, as Jupyter shows it; it cannot reach what is around it."""
    return (
        f"<style>{FRAME_STYLE}</style>"
        f'<iframe class="tileiras-report" sandbox="allow-scripts" '
        f'title="{escape(str(data["title"]))}" style="height: {height}px" '
        f'srcdoc="{escape(make_page(data))}"></iframe>'
    )


def pack(data: Mapping[str, Any]) -> str:
    """The data of a program as zlib in base64, with what is there often said once."""
    sets = _Sets()
    steps = [_pack_lines(step, sets) for step in data["steps"]]
    texts = [_pack_lines(text, sets) for text in data["texts"]]
    packed = {
        "options": dict(data["options"]),
        "error": data.get("error"),
        "strings": "\n".join(data["strings"]),
        "sets": sets.all,
        "steps": steps,
        "texts": texts,
        "pictures": list(data["pictures"]),
        **{name: list(data.get(name, ())) for name in ("notes", "faults", "weights")},
    }
    text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode(), 6)).decode()


class _Sets:
    """Numbers for sets of marks; 0 is that of no mark."""

    def __init__(self) -> None:
        self.all: list[list[int]] = [[]]
        self._numbers: dict[tuple[int, ...], int] = {(): 0}

    def number(self, marks: Sequence[int]) -> int:
        key = tuple(marks)
        if key not in self._numbers:
            self._numbers[key] = len(self.all)
            self.all.append(list(key))
        return self._numbers[key]


def _pack_lines(document: Mapping[str, Any], sets: _Sets) -> dict[str, Any]:
    """A step or a text with its lines and marks as numbers, each less the one before it."""
    packed = dict(document)
    if "lines" in document:
        packed["lines"] = differences(document["lines"])
    if document.get("marks"):
        packed["marks"] = differences(map(sets.number, document["marks"]))
    elif "lines" in document:
        packed["marks"] = [0] * len(document["lines"])
    return packed


def differences(numbers: Iterable[int]) -> list[int]:
    """Numbers, each less the one before it."""
    found: list[int] = []
    last = 0
    for number in numbers:
        found.append(number - last)
        last = number
    return found


@cache
def _asset(name: str) -> str:
    return files("tileiras_xdsl.exploration").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def _script(names: tuple[str, ...]) -> str:
    """Scripts as one, whose names nobody else sees."""
    return '(() => {\n"use strict";\n' + "\n".join(map(_asset, names)) + "})();\n"
