"""
LLVM IR, PTX and machine code of a module, with the ops that their lines came from.

A copy of the module is compiled with line tables, in which numbers of marks stand in place of
lines of a source; they are taken out of the texts again. LLVM and ptxas generate the same code
with line tables as without.
"""

from __future__ import annotations

import ast
import linecache
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Final

from xdsl.dialects.builtin import ArrayAttr, FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend import worker
from tileiras_xdsl.backend.entries import make_records
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.launch_record import LaunchRecord
from tileiras_xdsl.backend.ptxas import FunctionUsage, Ptxas, PtxasResult
from tileiras_xdsl.backend.sass import SECTION, Sass, SassInstruction, disassemble, find_nvdisasm
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.compiler.options import Options
from tileiras_xdsl.xdsl_extras.walking import walk

from .provenance import NOWHERE, Branches, Marks, Place, get_marks, place_of

_FILE: Final = "marks"

_LLVM_PLACE: Final = re.compile(r"!dbg !(\d+)")
_LLVM_NODE: Final = re.compile(r"!(\d+) = !DILocation\(line: (\d+),")
_PTX_PLACE: Final = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_PTX_DEBUG: Final = re.compile(r"\s*(?:\.file\s|\.section\s+\.debug|\$L__(?:tmp|func_\w+?)\d+:)")
_PTX_FUNCTION: Final = re.compile(r"(?:\.\w+\s+)*\.(?:entry|func)\b")
_PTX_CODE: Final = re.compile(r"\s*(?!\.|//|\$|[{}()]\s*$)\S")
"""No directives, comments, labels, or brackets; lines of inline code are not indented."""
_SASS_PLACE: Final = re.compile(rf'\s*//## File "[^"]*{_FILE}", line (\d+)')
_SASS_DEBUG: Final = re.compile(r"\s*//## ")
_SASS_CODE: Final = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s")


@dataclass(frozen=True)
class MarkedText:
    """A text that is no module any more."""

    name: str
    lines: tuple[str, ...]
    marks: tuple[Marks, ...] = field(repr=False)
    """For each line, which ops of the first module it came from."""
    branches: tuple[Branches, ...] = field(default=(), repr=False)
    """For each line of PTX, the branches that it was in, as ops on tiles."""
    instructions: tuple[SassInstruction | None, ...] = field(default=(), repr=False)
    """For each line of machine code, its instruction, if it is one."""

    @property
    def stage(self) -> str:
        """The stage that has made it, named as the text is."""
        return self.name

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join((*self.lines, ""))

    def __str__(self) -> str:
        return self.text


@dataclass(eq=False)
class Texts:
    """What comes after a module of `llvm` and `nvvm`; made when first asked for."""

    module: ModuleOp
    options: Options
    fault: str | None = None
    """Why not all of it could be made."""

    @cached_property
    def _numbered(self) -> tuple[str, list[Place]]:
        """LLVM IR with line tables, and what each line stands for, from 1."""
        module = self.module.clone()
        numbers: dict[Place, int] = {}
        for op in walk(module):
            number = numbers.setdefault(place_of(op), len(numbers) + 1)
            op.location = FileLineColLoc(StringAttr(_FILE), IntAttr(number), IntAttr(0))
        return translate_module(module, self.options.target, debug=True), list(numbers)

    @cached_property
    def _ptx_with_lines(self) -> str:
        llvm, _ = self._numbered
        return worker.compile_to_ptx(llvm, self.options.target, self.options.opt).ptx

    @cached_property
    def llvm(self) -> MarkedText:
        """LLVM IR before any pass of LLVM."""
        numbered, known = self._numbered
        places = dict(_LLVM_NODE.findall(numbered))
        text = translate_module(self.module, self.options.target)
        lines = text.splitlines()
        found: list[Marks] = []
        # Metadata, which comes last, is longer with line tables.
        for _, line in zip(lines, numbered.splitlines(), strict=False):
            match = _LLVM_PLACE.search(line)
            number = None if match is None else places.get(match[1])
            found.append(() if number is None else known[int(number) - 1][0])
        return MarkedText("llvm", tuple(lines), tuple(found))

    @cached_property
    def ptx(self) -> MarkedText:
        """PTX."""
        return read_ptx(self._ptx_with_lines, self._numbered[1])

    @cached_property
    def assembled(self) -> PtxasResult:
        """What ptxas makes of the PTX; `MissingToolError` if there is no ptxas."""
        options = self.options
        return Ptxas.find().compile(
            self._ptx_with_lines, options.target, options.ptxas_level, options=("-lineinfo",)
        )

    @cached_property
    def records(self) -> tuple[LaunchRecord, ...]:
        """The launch record of each kernel; without registers and spills if there is no ptxas."""
        try:
            usage: Mapping[str, FunctionUsage] = self.assembled.functions
        except MissingToolError:
            usage = {}
        return make_records(self.module, self._ptx_with_lines, self.options.target, usage)

    @cached_property
    def sass(self) -> MarkedText:
        """Machine code; `MissingToolError` if there is no ptxas or no disassembler."""
        find_nvdisasm()
        cubin = self.assembled.cubin
        # nvdisasm prints either lines of the source or live registers: it runs twice, at once.
        with ThreadPoolExecutor(1) as pool:
            instructions = pool.submit(Sass.of, cubin)
            code = disassemble(cubin, ("--print-line-info",))
            marks = [marks for marks, _ in self._numbered[1]]
            return read_sass(code, marks, instructions.result())

    def try_sass(self) -> MarkedText | None:
        """The same; none if it cannot be made here."""
        try:
            return self.sass
        except DiagnosticException:
            return None

    def available(self) -> Iterable[MarkedText]:
        """All that can be made here: tools may be missing, and LLVM may refuse the code."""
        for name in ("llvm", "ptx", "sass"):
            try:
                yield getattr(self, name)
            except DiagnosticException as error:
                self.fault = f"There is no {name.upper()}: {error}"
                return


def read_ptx(text: str, places: Sequence[Place]) -> MarkedText:
    """PTX without its line tables, which are numbers of places from 1."""
    lines: list[str] = []
    found: list[Place] = []
    current = NOWHERE
    for line in text.splitlines():
        if (match := _PTX_PLACE.match(line)) is not None:
            current = places[int(match[1]) - 1]
        elif _PTX_DEBUG.match(line) is None:
            if _PTX_FUNCTION.match(line) is not None:
                current = NOWHERE
            lines.append(line)
            found.append(current if _PTX_CODE.match(line) is not None else NOWHERE)
    marks, branches = zip(*found, strict=True) if found else ((), ())
    return MarkedText("ptx", tuple(lines), marks, branches)


def read_sass(
    text: str, marks: Sequence[Marks], instructions: Iterable[SassInstruction] = ()
) -> MarkedText:
    """The same for what nvdisasm prints; the instructions are those of the same cubin."""
    known = {(each.function, each.offset): each for each in instructions}
    lines: list[str] = []
    found: list[Marks] = []
    at: list[SassInstruction | None] = []
    current: Marks = ()
    function = ""
    for line in text.splitlines():
        if (match := _SASS_PLACE.match(line)) is not None:
            current = marks[int(match[1]) - 1]
        elif _SASS_DEBUG.match(line) is None:
            if (section := SECTION.match(line)) is not None:
                function = section[1]
            code = _SASS_CODE.match(line)
            lines.append(line)
            found.append(() if code is None else current)
            at.append(None if code is None else known.get((function, int(code[1], 16))))
    return MarkedText("sass", tuple(lines), tuple(found), instructions=tuple(at))


# The Python functions that a kernel was made from, with the ops that their lines became.
#
# Which they are, the debug information of the program says: the kernel, and the helpers that it
# calls. Ops of a helper belong to its lines and to those that call it. Files of cuTile itself are
# left out.


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
