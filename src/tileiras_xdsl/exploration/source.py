"""The Python functions that a kernel was made from, with the ops that their lines became."""

from __future__ import annotations

import ast
import linecache

from xdsl.ir import Operation

from tileiras_xdsl.xdsl_extras.diagnostics import source_location
from tileiras_xdsl.xdsl_extras.walking import walk

from .provenance import Marks, get_marks
from .texts import MarkedText

_Marked = dict[int, set[int]]
"""By line, from 1, the marks of the ops that were made of it."""


def find_source(module: Operation) -> MarkedText | None:
    """The functions that ops have places in; `None` if their files cannot be read."""
    files: dict[str, _Marked] = {}
    for op in walk(module):
        if (place := source_location(op)) is not None:
            found = files.setdefault(place.filename.data, {})
            found.setdefault(place.line.data, set()).update(get_marks(op))
    lines: list[str] = []
    marks: list[Marks] = []
    for path, marked in files.items():
        text = linecache.getlines(path)
        for function in _functions(text, marked):
            if lines:
                lines.append("")
                marks.append(())
            for number in function:
                lines.append(text[number - 1].rstrip())
                marks.append(tuple(sorted(marked.get(number, ()))))
    return MarkedText("python", tuple(lines), tuple(marks)) if lines else None


def _functions(text: list[str], marked: _Marked) -> list[range]:
    """The lines of the outermost functions with lines that are marked."""
    try:
        tree = ast.parse("".join(text))
    except SyntaxError:
        return []
    found: list[range] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        first = min((each.lineno for each in node.decorator_list), default=node.lineno)
        lines = range(first, (node.end_lineno or node.lineno) + 1)
        is_inner = any(lines.start in outer for outer in found)
        if not is_inner and not marked.keys().isdisjoint(lines):
            found.append(lines)
    return found
