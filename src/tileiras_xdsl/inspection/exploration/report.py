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
from typing import TYPE_CHECKING, Any, Final

from .provenance import Marks
from .search import WEIGHTS
from .texts import SourceText

if TYPE_CHECKING:
    from tileiras_xdsl.backend.sass import SassInstruction

    from .cost import OpCost
    from .exploration import Exploration
    from .steps import Progress, Snapshot
    from .texts import MarkedText, Note


# An exploration as lists, strings and numbers, which JSON can hold; pages are made of it.
#
#     {"title": str,
#      "options": {"gpu": str, "opt": int, "abi": str},
#      "error": str | None,                    why there are no more steps
#      "strings": [str, …],                    all lines, each once
#      "steps": [{"name", "stage", "time_ms", "ops", "changed",
#                 "lines": [number of a string, …],
#                 "marks": [[mark, …], …],     for each line
#                 "costs": [[clocks, times, bytes, waits, unit] or [], …]}    at the end of stages
#                or, if nothing changed, "same_as": number of a step instead of lines and marks
#                , …],
#      "texts": [{"name": "python" | "llvm" | "ptx" | "sass", "lines": […], "marks": […],
#                 "control": [[control bits, live registers] or [], …],  for each line of SASS
#                 "files": [str, …], "places": [[file, number], …], "faults": [str, …]}  of Python
#                , …],
#      "notes": [{"kind", "about", "text", "reason", "marks": [mark, …],
#                 "row": number of a line of Python or None}, …],
#      "faults": [str, …],                     what is missing, and why
#      "weights": [[pattern, weight], …],      see `search.WEIGHTS`
#      "pictures": [{"title", "kind", "step": number, "marks": [mark, …], "svg": str}, …]}


class Strings:
    """A table of strings."""

    def __init__(self):
        self._numbers: dict[str, int] = {}

    def add(self, lines: Sequence[str]) -> list[int]:
        """The numbers of lines."""
        numbers = self._numbers
        return [numbers.setdefault(line, len(numbers)) for line in lines]

    def all(self) -> list[str]:
        """The strings in the order of their numbers."""
        return list(self._numbers)


def make_data(
    exploration: Exploration, *, texts: bool, pictures: bool, progress: Progress | None = None
) -> dict[str, Any]:
    """See above; without texts or pictures their lists are empty."""

    def tell(what: str) -> None:
        if progress is not None:
            progress(what)

    tell("the text of all passes")
    strings = Strings()
    costly, of_ptx = _costs(exploration) if texts else ({}, None)
    steps: list[dict[str, Any]] = []
    for step in exploration.steps:
        head = {
            "name": step.name,
            "stage": step.stage,
            "time_ms": round(step.time * 1e3, 3),
            "ops": step.ops,
            "changed": step.changed,
        }
        if step.changed:
            rest: dict[str, Any] = _lines(strings, step.lines, step.marks)
        else:
            rest = {"same_as": step.same_as}
        costs = {} if step.snapshot not in costly else {"costs": costly[step.snapshot]}
        steps.append({**head, **rest, **costs})
    shown: list[MarkedText] = []
    faults: list[str] = []
    if texts:
        faults += exploration.source_text.faults
        if exploration.source is not None:
            shown.append(exploration.source)
    if texts and exploration.is_complete:
        tell("LLVM IR, PTX and machine code")
        shown += exploration.texts.available()
        if exploration.texts.fault is not None:
            faults.append(exploration.texts.fault)
    if texts:
        tell("remarks, resources and estimates")
    notes = [_note(note, exploration.source) for note in exploration.notes] if texts else []
    if pictures:
        tell("pictures")
    shown_texts = [_text(strings, text) for text in shown]
    for text in shown_texts:
        if text["name"] == "ptx" and of_ptx is not None:
            text["costs"] = of_ptx
    options = exploration.options
    return {
        "title": exploration.title,
        "options": {"gpu": options.gpu, "opt": options.opt, "abi": options.abi},
        "error": None if exploration.error is None else str(exploration.error),
        "steps": steps,
        "texts": shown_texts,
        "notes": notes,
        "faults": faults,
        "weights": [[pattern.pattern, weight] for pattern, weight in WEIGHTS],
        "pictures": _pictures(exploration) if pictures else [],
        "strings": strings.all(),
    }


Cells = list[list[float | str]]
"""The cost of lines."""


def _costs(exploration: Exploration) -> tuple[dict[Snapshot, Cells], Cells | None]:
    """Of the ends of stages, and of PTX; nothing where the model does not understand a kernel."""
    from xdsl.utils.exceptions import DiagnosticException

    from .cost import CostError, CostModel

    if not exploration.is_complete or "tileas" not in exploration.stages:
        return {}, None
    try:
        model = CostModel(exploration)
        steps = [exploration.step(stage) for stage in ("tileas", "nvgpu", "nvvm")]
        found = {step.snapshot: _cells(model.of_step(step).costs) for step in steps}
        return found, _cells(model.of_ptx(exploration.texts.ptx).costs)
    except (CostError, DiagnosticException):
        return {}, None


def _cells(costs: Sequence[OpCost | None]) -> Cells:
    return [
        []
        if cost is None
        else [
            *(round(number, 2) for number in (cost.clocks, cost.times, cost.bytes, cost.waits)),
            cost.unit,
        ]
        for cost in costs
    ]


def _lines(strings: Strings, lines: Sequence[str], marks: Sequence[Marks]) -> dict[str, Any]:
    return {"lines": strings.add(lines), "marks": [list(each) for each in marks]}


def _text(strings: Strings, text: MarkedText) -> dict[str, Any]:
    entry = {"name": text.name, **_lines(strings, text.lines, text.marks)}
    if text.instructions:
        entry["control"] = [_control(instruction) for instruction in text.instructions]
    if isinstance(text, SourceText):
        entry |= {
            "files": list(text.files),
            "places": [list(place) for place in text.places],
            "faults": list(text.faults),
        }
    return entry


def _control(instruction: SassInstruction | None) -> list[int]:
    return [] if instruction is None else [instruction.control.bits, instruction.registers]


def _note(note: Note, source: SourceText | None) -> dict[str, Any]:
    row = None if source is None or note.line is None else source.row(note.file, note.line)
    return {
        "kind": note.kind,
        "about": note.about,
        "text": note.text,
        "reason": note.reason,
        "marks": list(note.marks),
        "row": row,
    }


def _pictures(exploration: Exploration) -> list[dict[str, Any]]:
    """Those of all steps; of the same pictures, the first."""
    found: dict[str, dict[str, Any]] = {}
    for step in exploration.steps:
        for picture in exploration.pictures(step):
            entry = {
                "title": picture.title,
                "kind": picture.kind,
                "step": step.index,
                "marks": list(picture.marks),
                "svg": picture.svg,
            }
            found.setdefault(picture.svg, entry)
    return list(found.values())


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
    assets = files("tileiras_xdsl.inspection.exploration").joinpath("assets")
    return assets.joinpath(name).read_text(encoding="utf-8")


@cache
def _script(names: tuple[str, ...]) -> str:
    """Scripts as one, whose names nobody else sees."""
    return '(() => {\n"use strict";\n' + "\n".join(map(_asset, names)) + "})();\n"
