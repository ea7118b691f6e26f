"""
The Python functions that a kernel was made from, with the ops that their lines became.

Which they are, the debug information of the program says: the kernel, and the helpers that it
calls. Ops of a helper belong to its lines and to those that call it. Files of cuTile itself are
left out.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Final

from xdsl.dialects.builtin import ArrayAttr, FileLineColLoc
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from tileiras_xdsl.xdsl_extras.walking import walk

from .provenance import Marks, get_marks
from .texts import MarkedText

_CUTILE: Final = ("/cuda/tile/", "_stub.py")
"""What is in the path of a file of cuTile itself."""

_NEWER: Final = 60.0
"""Seconds by which a file may be newer than the program: those of a checkout have any order."""


@dataclass(frozen=True)
class SourceText(MarkedText):
    """Functions of Python; `lines` are those of all of them, one after the other."""

    files: tuple[str, ...] = ()
    """Where they are."""
    places: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    """For each line its file and its number there, from 1; the number is 0 between functions."""
    faults: tuple[str, ...] = ()
    """What is wrong with the files: missing, or not those that the program was made from."""

    names: tuple[str, ...] = ()
    """What the program calls the files."""

    def __repr__(self) -> str:
        """The functions, with the numbers of their lines."""
        width = max((len(str(number)) for _, number in self.places), default=1)
        rows: list[str] = []
        last = None
        for line, (file, number) in zip(self.lines, self.places, strict=True):
            if file != last:
                rows.append(self.files[file])
                last = file
            if number:
                rows.append(f"{number:{width}}  {line}".rstrip())
            elif line == "":
                rows.append("")
        return "\n".join((*rows, *self.faults))

    def _repr_html_(self) -> str:
        return f'<pre style="line-height:1.4;white-space:pre">{escape(repr(self))}</pre>'

    def index(self, number: int) -> int | None:
        """The index of the line with a number, of the first file that has it."""
        found = (at for at, (_, each) in enumerate(self.places) if each == number)
        return next(found, None)

    def row(self, name: str, number: int) -> int | None:
        """The index of a line, by the name of its file as the program has it."""
        if name not in self.names:
            return None
        place = (self.names.index(name), number)
        return self.places.index(place) if place in self.places else None


@dataclass(eq=False)
class _File:
    """A file that ops have places in."""

    name: str
    """As the program has it."""
    text: Sequence[str]
    """Its lines; none if it cannot be read."""
    path: str
    """Where it was found."""
    marks: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    """By line, from 1, the marks of the ops that were made of it."""
    positions: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    """Lines and columns of ops."""

    def parse(self) -> ast.Module | None:
        """What is in it; none if that is not Python."""
        try:
            return ast.parse("".join(self.text))
        except (SyntaxError, ValueError):
            return None


def find_source(module: Operation, program: str | None = None) -> SourceText:
    """
    The functions that ops have places in. For a program that was read from a file, that is its
    path: source files that are not where they were are looked for beside it, and are told from
    others by the places of ops. Without one, it is a kernel of this process.
    """
    files: dict[str, _File] = {}
    lost: set[str] = set()
    for op in walk(module):
        places = list(_places(op.location))
        own = [place for place in places if _is_source(place.filename.data, program)]
        readable: list[tuple[_File, FileLineColLoc]] = []
        for place in own:
            name = place.filename.data
            if name not in files:
                files[name] = _read(name, program)
            if files[name].text:
                readable.append((files[name], place))
        if own and not readable:
            lost.update(place.filename.data for place in own)
        for file, place in readable:
            line = place.line.data
            file.marks.setdefault(line, set()).update(get_marks(op))
            file.positions.add((line, place.column.data))
    faults = [f"The source file {name} is not there." for name in sorted(lost)]
    return _make_text([file for file in files.values() if file.text], faults, program)


def _make_text(files: Iterable[_File], faults: list[str], program: str | None) -> SourceText:
    lines: list[str] = []
    marks: list[Marks] = []
    places: list[tuple[int, int]] = []
    shown: list[str] = []
    names: list[str] = []
    for file in files:
        tree = file.parse()
        if tree is None or not file.positions <= _positions(tree):
            faults.append(
                f"{file.name} has changed since the program was made: lines may be others."
            )
        elif _is_newer(file.path, program):
            faults.append(f"{file.name} is newer than the program: lines may have changed.")
        functions = [] if tree is None else _functions(tree, file.marks.keys())
        separator = "" if not functions or not shown else f"# {os.path.basename(file.path)}"
        if functions:
            shown.append(file.path)
            names.append(file.name)
        for function in functions:
            if lines:
                lines.append(separator)
                separator = ""
                marks.append(())
                places.append((len(shown) - 1, 0))
            for number in function:
                lines.append(file.text[number - 1].rstrip())
                marks.append(tuple(sorted(file.marks.get(number, ()))))
                places.append((len(shown) - 1, number))
    return SourceText(
        "python",
        tuple(lines),
        tuple(marks),
        files=tuple(shown),
        places=tuple(places),
        faults=tuple(faults),
        names=tuple(names),
    )


def _places(location: Attribute) -> Iterator[FileLineColLoc]:
    """All places in files that a location has: of a call, that in the function and the call."""
    match location:
        case FileLineColLoc():
            yield location
        case ArrayAttr():
            elements: Iterable[Attribute] = location.data
            for element in elements:
                yield from _places(element)
        case ParametrizedAttribute():
            for parameter in location.parameters:
                yield from _places(parameter)
        case _:
            pass


def _is_source(name: str, program: str | None) -> bool:
    """Whether somebody wrote the file for the kernel: one of Python, or a cell of a notebook."""
    is_python = program is None or name.endswith(".py")
    return is_python and not any(part in name for part in _CUTILE)


def _read(name: str, program: str | None) -> _File:
    """A file that a program names."""
    if program is None:
        # That of this process, as cuTile saw it; also cells of notebooks.
        return _File(name, linecache.getlines(name), name)
    folder = Path(program).parent
    for path in (Path(name), folder / name, folder / os.path.basename(name)):
        if path.is_file():
            try:
                text = path.read_text(encoding="utf-8").splitlines(keepends=True)
            except (OSError, UnicodeDecodeError):
                continue
            return _File(name, text, str(path))
    return _File(name, (), name)


def _is_newer(path: str, program: str | None) -> bool:
    if program is None:
        return False
    try:
        return os.path.getmtime(path) > os.path.getmtime(program) + _NEWER
    except OSError:
        return False


def _positions(tree: ast.Module) -> set[tuple[int, int]]:
    """Where expressions and statements begin, which is where ops are."""
    return {
        (node.lineno, node.col_offset)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.stmt | ast.arg)
    }


def _functions(tree: ast.Module, marked: Iterable[int]) -> list[range]:
    """The lines of the functions that lines are in, without those that are in one of them."""
    known = [_lines(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found: set[range] = set()
    for line in marked:
        around = [lines for lines in known if line in lines]
        if around:
            found.add(min(around, key=len))
    outermost = (each for each in found if not any(each.start in other for other in found - {each}))
    return sorted(outermost, key=lambda lines: lines.start)


def _lines(function: ast.FunctionDef) -> range:
    """Those of a function and its decorators."""
    first = min((each.lineno for each in function.decorator_list), default=function.lineno)
    return range(first, (function.end_lineno or function.lineno) + 1)
