"""
A comparison as lists, strings and numbers, which JSON can hold, and as a web page made of it.

    {"titles": [str, str],
     "first": str,                          where they differ first
     "cost": {"head": [str, …], "rows": [[str, …], …], "note": str},
     "strings": [str, …],                   all lines, each once
     "documents": [[number of a string, …], …],
     "pairs": [{"name", "stage", "status", "is_step",
                "a": {"ops", "document": number} or None, "b": …}, …]}
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any, Final

from xdsl.utils.exceptions import DiagnosticException

from .data import Strings
from .line_matching import line_key
from .report import differences, fill_page
from .resources import NOTE

if TYPE_CHECKING:
    from .compare import Comparison
    from .steps import PassStep
    from .texts import MarkedText

SCRIPTS: Final = (
    "unpack.js",
    "diff.js",
    "highlight.js",
    "list.js",
    "folding.js",
    "compare.js",
)
"""In the order in which they use each other."""
STYLES: Final = ("report.css", "compare.css")


def make_data(comparison: Comparison) -> dict[str, Any]:
    """See above."""
    strings, documents = Strings(), dict[tuple[int, ...], int]()

    def add(step: PassStep | MarkedText | None, ops: int | None = None) -> dict[str, Any] | None:
        if step is None:
            return None
        lines = tuple(strings.add(step.lines))
        return {"ops": ops, "document": documents.setdefault(lines, len(documents))}

    pairs: list[dict[str, Any]] = []
    for pair in comparison.pairs:
        head = {"name": pair.name, "stage": pair.stage, "status": pair.status, "is_step": True}
        ops = [None if each is None else each.ops for each in (pair.a, pair.b)]
        pairs.append({**head, "a": add(pair.a, ops[0]), "b": add(pair.b, ops[1])})
    for name in ("llvm", "ptx"):
        try:
            both = [getattr(each.texts, name) for each in (comparison.a, comparison.b)]
        except (DiagnosticException, ValueError):
            continue
        keys = [[*map(line_key, text.lines)] for text in both]
        head = {"name": name, "stage": name, "is_step": False}
        head["status"] = "same" if keys[0] == keys[1] else "differs"
        pairs.append({**head, "a": add(both[0]), "b": add(both[1])})
    table, first = comparison.table, comparison.first
    return {
        "titles": list(comparison.titles),
        "first": "A and B are the same after every pass" if first is None else first.summary,
        "cost": {
            "head": list(table.head),
            "rows": [list(row) for row in table.rows],
            "note": NOTE,
        },
        "pairs": pairs,
        "documents": [list(lines) for lines in documents],
        "strings": strings.all(),
    }


def make_page(data: Mapping[str, Any]) -> str:
    """The text of the web page of a comparison."""
    packed = {
        **data,
        "strings": "\n".join(data["strings"]),
        "documents": [differences(lines) for lines in data["documents"]],
    }
    text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
    title = escape(f"{data['titles'][0]} beside {data['titles'][1]}")
    body = b64encode(zlib.compress(text.encode(), 6)).decode()
    return fill_page("compare.html", title, body, SCRIPTS, STYLES)
