"""
LLVM IR, PTX, assembly and machine code of a module, with the ops that their lines came from.

A copy of the module is compiled with line tables, in which numbers of marks stand in place of
lines of a source; they are taken out of the texts again. LLVM and ptxas generate the same code
with line tables as without.
"""

from __future__ import annotations

import ast
import linecache
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from xdsl.dialects.builtin import ArrayAttr, FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend import host, worker
from tileiras_xdsl.backend.entries import make_records
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.launch_record import LaunchRecord
from tileiras_xdsl.backend.ptxas import FunctionUsage, Ptxas, PtxasResult
from tileiras_xdsl.backend.sass import SECTION, Sass, SassInstruction, disassemble, find_nvdisasm
from tileiras_xdsl.backend.translate import translate_module, translate_module_for_host
from tileiras_xdsl.cost.report import LABEL
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.driver.compiler.remarks import Remark
from tileiras_xdsl.xdsl_extras.walking import walk

from .provenance import NOWHERE, Branches, Marks, Place, get_marks, marks_of_name, place_of

if TYPE_CHECKING:
    from tileiras_xdsl.cost.report import Estimate
    from tileiras_xdsl.driver.compiler.cpu import CompiledForCpu

    from .exploration import Exploration


_FILE: Final = "marks"

_LLVM_PLACE: Final = re.compile(r"!dbg !(\d+)")
_LLVM_NODE: Final = re.compile(r"!(\d+) = !DILocation\(line: (\d+),")
_PTX_PLACE: Final = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_PTX_DEBUG: Final = re.compile(r"\s*(?:\.file\s|\.section\s+\.debug|\$L__(?:tmp|func_\w+?)\d+:)")
_PTX_FUNCTION: Final = re.compile(r"(?:\.\w+\s+)*\.(?:entry|func)\b")
_PTX_CODE: Final = re.compile(r"\s*(?!\.|//|\$|[{}()]\s*$)\S")
"""No directives, comments, labels, or brackets; lines of inline code are not indented."""
_PTX_NAME: Final = re.compile(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
_PTX_WGMMA: Final = re.compile(r"wgmma\.mma_async\S*?\.m(\d+)n(\d+)k(\d+)\.")
_ASM_CODE: Final = re.compile(r"\s+(?![.#/;@])\S")
"""No directives, comments or labels."""
_SASS_PLACE: Final = re.compile(rf'\s*//## File "[^"]*{_FILE}", line (\d+)')
_SASS_DEBUG: Final = re.compile(r"\s*//## ")
_SASS_CODE: Final = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s")
_SASS_WGMMA: Final = re.compile(r"\b[A-Z]GMMA\.\S*?(\d+)x(\d+)x(\d+)\b")


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
        return self._translate(module, debug=True), list(numbers)

    def _translate(self, module: ModuleOp, *, debug: bool) -> str:
        return translate_module(module, self.options.target, debug=debug)

    @cached_property
    def _ptx_with_lines(self) -> str:
        llvm, _ = self._numbered
        return worker.compile_to_ptx(llvm, self.options.target, self.options.opt).ptx

    @cached_property
    def llvm(self) -> MarkedText:
        """LLVM IR before any pass of LLVM."""
        text = self._translate(self.module, debug=False)
        return mark_llvm("llvm", text, *self._numbered)

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
            return mark_wgmma(read_sass(code, marks, instructions.result()), self.ptx)

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


@dataclass(eq=False)
class CpuTexts(Texts):
    """What comes after a module of `llvm` for a CPU."""

    code: CompiledForCpu | None = None

    def _translate(self, module: ModuleOp, *, debug: bool) -> str:
        assert self.code is not None
        target = self.code.target
        layout = host.data_layout(target)
        return translate_module_for_host(module, target.triple, layout, debug=debug)

    @cached_property
    def _llvm_with_lines(self) -> str:
        assert self.code is not None
        return host.optimize(self._numbered[0], self.code.target)[0]

    @cached_property
    def llvm_ir(self) -> MarkedText:
        """LLVM IR after LLVM's passes."""
        assert self.code is not None
        return mark_llvm("llvm-ir", self.code.llvm, self._llvm_with_lines, self._numbered[1])

    @cached_property
    def asm(self) -> MarkedText:
        """Assembly."""
        assert self.code is not None
        with_lines = host.assembly(self._llvm_with_lines, self.code.target)
        return mark_asm(self.code.asm, with_lines, self._numbered[1])

    def available(self) -> Iterable[MarkedText]:
        yield self.llvm_ir
        yield self.asm


def mark_llvm(name: str, text: str, numbered: str, places: Sequence[Place]) -> MarkedText:
    """LLVM IR, given the same with line tables, whose lines are numbers of places from 1."""
    nodes = dict(_LLVM_NODE.findall(numbered))
    lines = tuple(text.splitlines())
    found: list[Marks] = []
    # Metadata, which comes last, is longer with line tables.
    for _, line in zip(lines, numbered.splitlines(), strict=False):
        match = _LLVM_PLACE.search(line)
        number = 0 if match is None else int(nodes.get(match[1], 0))
        found.append(places[number - 1][0] if number else ())
    return MarkedText(name, lines, tuple(found))


def mark_asm(text: str, numbered: str, places: Sequence[Place]) -> MarkedText:
    """Assembly for a CPU, given the same with line tables, which have directives besides."""
    lines = tuple(text.splitlines())
    found: list[Marks] = []
    current: Marks = ()
    for line in numbered.splitlines():
        if (match := _PTX_PLACE.match(line)) is not None:
            current = places[int(match[1]) - 1][0] if int(match[1]) else ()
        elif len(found) < len(lines) and line == lines[len(found)]:
            found.append(current if _ASM_CODE.match(line) is not None else ())
    return MarkedText("asm", lines, (*found, *((),) * (len(lines) - len(found))))


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


def mark_wgmma(sass: MarkedText, ptx: MarkedText) -> MarkedText:
    """
    Machine code in which each WGMMA has the marks that it has in PTX. ptxas gives these
    instructions no lines: they seem to belong to whatever it has moved in front of them. It keeps
    their order, so they are matched one by one, if those of a function have the same shapes.
    """
    known = _find_wgmma(ptx, _PTX_NAME, _PTX_WGMMA)
    marks = list(sass.marks)
    for function, found in _find_wgmma(sass, SECTION, _SASS_WGMMA).items():
        wanted = known.get(function, [])
        if [shape for shape, _ in found] == [shape for shape, _ in wanted]:
            for (_, at), (_, line) in zip(found, wanted, strict=True):
                marks[at] = ptx.marks[line]
    return replace(sass, marks=tuple(marks))


def _find_wgmma(
    text: MarkedText, name: re.Pattern[str], wgmma: re.Pattern[str]
) -> dict[str, list[tuple[tuple[str, ...], int]]]:
    """The shapes and lines of the WGMMAs of a text, by function."""
    functions: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    function = ""
    for at, line in enumerate(text.lines):
        if (match := name.search(line)) is not None:
            function = match[1]
        elif (match := wgmma.search(line)) is not None:
            functions.setdefault(function, []).append((match.groups(), at))
    return functions


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
class _Named:
    """A file that a program names."""

    name: str
    marks: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    """By line, from 1, the marks of the ops that were made of it."""
    positions: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    """Lines and columns of ops."""


@dataclass(frozen=True)
class _File:
    """A file of Python that was found for a name."""

    path: str
    text: Sequence[str]
    """Its lines."""

    @cached_property
    def tree(self) -> ast.Module | None:
        """What is in it; none if that is not Python."""
        try:
            return ast.parse("".join(self.text))
        except (SyntaxError, ValueError):
            return None

    def fits(self, named: _Named) -> bool:
        """Whether something begins wherever an op was made of the file."""
        return self.tree is not None and named.positions <= _positions(self.tree)


def find_source(module: Operation, program: str | None = None) -> SourceText:
    """
    The functions that ops have places in. For a program that was read from a file, that is its
    path: source files are looked for beside it before anywhere else, and only those are shown in
    which something begins wherever an op was made. Without one, it is a kernel of this process.
    """
    named: dict[str, _Named] = {}
    for op in walk(module):
        for place in _places(op.location):
            name = place.filename.data
            if _is_source(name, program):
                each = named.setdefault(name, _Named(name))
                each.marks.setdefault(place.line.data, set()).update(get_marks(op))
                each.positions.add((place.line.data, place.column.data))
    shown: list[tuple[_Named, _File, ast.Module]] = []
    faults: list[str] = []
    for each in named.values():
        found = list(_find_files(each.name, program))
        file = next((file for file in found if file.fits(each)), None)
        if file is not None and file.tree is not None:
            shown.append((each, file, file.tree))
            if _is_newer(file.path, program):
                faults.append(f"{each.name} is newer than the program: lines may have changed.")
        elif found:
            faults.append(
                f"{each.name} is not shown: the program was not made from {found[0].path} as it is."
            )
        else:
            faults.append(f"The source file {each.name} is not there.")
    return _make_text(shown, faults)


def _make_text(
    files: Iterable[tuple[_Named, _File, ast.Module]], faults: Sequence[str]
) -> SourceText:
    lines: list[str] = []
    marks: list[Marks] = []
    places: list[tuple[int, int]] = []
    shown: list[str] = []
    names: list[str] = []
    for named, file, tree in files:
        functions = _functions(tree, named.marks.keys())
        separator = "" if not functions or not shown else f"# {os.path.basename(file.path)}"
        if functions:
            shown.append(file.path)
            names.append(named.name)
        for function in functions:
            if lines:
                lines.append(separator)
                separator = ""
                marks.append(())
                places.append((len(shown) - 1, 0))
            for number in function:
                lines.append(file.text[number - 1].rstrip())
                marks.append(tuple(sorted(named.marks.get(number, ()))))
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


def _find_files(name: str, program: str | None) -> Iterator[_File]:
    """The files that a program may mean by a name, the likeliest first."""
    if program is None:
        # That of this process, as cuTile saw it; also cells of notebooks.
        if text := linecache.getlines(name):
            yield _File(name, text)
        return
    folder = Path(program).parent
    # An absolute path is its own, whatever folder it is looked for in.
    for path in dict.fromkeys((folder / name, folder / os.path.basename(name), Path(name))):
        try:
            yield _File(str(path), path.read_text(encoding="utf-8").splitlines(keepends=True))
        except (OSError, UnicodeDecodeError):
            continue


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


# What there is to say about lines: remarks of the compiler, errors, what a kernel takes of an SM,
# spills, and what is likely to limit it. The page shows each at the lines that it is about.

NoteKind = Literal["passed", "missed", "analysis", "failure", "error"]

_LEFT: Final = ' style="text-align:left"'
_SPILL: Final = re.compile(r"\b(STL|LDL)\b")


@dataclass(frozen=True)
class Note:
    """Something about lines."""

    kind: NoteKind
    about: str
    """A word: `memory`, `tensorcore`, `resources`, `estimate`, `spills`."""
    text: str
    reason: str = ""
    marks: Marks = ()
    """The ops of the first module that it is about."""
    file: str = ""
    line: int | None = None
    """Where in the source, if that is known."""

    @property
    def place(self) -> str:
        """The same in words, `kernels.py:12`."""
        line = "" if self.line is None else f":{self.line}"
        return f"{os.path.basename(self.file)}{line}" if self.file else ""

    def __str__(self) -> str:
        place = f"{self.place}: " if self.file else ""
        reason = f"; {self.reason}" if self.reason else ""
        return f"{place}{self.kind}[{self.about}]: {self.text}{reason}"


class Notes(tuple[Note, ...]):
    """Notes of an exploration: as a string a line for each, in a notebook a table."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __repr__(self) -> str:
        return str(self) or "no notes"

    def _repr_html_(self) -> str:
        head = "".join(f"<th{_LEFT}>{name}</th>" for name in ("kind", "about", "note", "at"))
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td{_LEFT}>{escape(cell)}</td>"
                for cell in (
                    each.kind,
                    each.about,
                    "; ".join(filter(None, (each.text, each.reason))),
                    each.place,
                )
            )
            + "</tr>"
            for each in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def find_notes(exploration: Exploration, *, texts: bool) -> list[Note]:
    """
    All notes, without duplicates. With `texts`, also what only ptxas and the disassembler know, if
    they are there.
    """
    found = [*_of_error(exploration)]
    if texts and exploration.is_complete:
        found += _resources(exploration)
        found += _spills(exploration)
    found += (_of_remark(remark) for remark in exploration.remarks if remark.name != "Estimate")
    # Of ops that were made of the same line the same is said once, about all of them.
    merged: dict[Note, Marks] = {}
    for note in found:
        same = replace(note, marks=() if note.line is not None else note.marks)
        merged[same] = tuple(dict.fromkeys((*merged.get(same, ()), *note.marks)))
    return [replace(note, marks=marks) for note, marks in merged.items()]


def _of_error(exploration: Exploration) -> Iterator[Note]:
    error = exploration.error
    if error is not None:
        place = error.report.place
        message = error.report.message
        yield Note("error", "error", message, "", exploration.error_marks, place.name, place.line)


# Remarks


def _of_remark(remark: Remark) -> Note:
    kinds: dict[str, NoteKind] = {
        "Passed": "passed",
        "Missed": "missed",
        "Failure": "failure",
        "Analysis": "analysis",
    }
    return Note(
        kinds[remark.kind],
        remark.category.lower(),
        remark.message or remark.text,
        remark.reason,
        marks_of_name(remark.origin),
        remark.file,
        remark.line,
    )


# Resources and estimates


def _resources(exploration: Exploration) -> Iterator[Note]:
    """Registers, memory and occupancy of the kernels, and what limits them and their loops."""
    if "tileas" not in exploration.stages:
        return
    try:
        found = exploration.resources()
    except DiagnosticException:
        return
    for kernel in found:
        marks = _marks_of_kernel(exploration, kernel.kernel)
        taken = f"{kernel.shared} bytes of shared memory, {kernel.threads} threads per CTA"
        if kernel.registers is not None:
            taken = f"{kernel.registers} registers per thread, {taken}"
        yield Note("analysis", "resources", taken, "", marks)
        yield Note("analysis", "occupancy", str(kernel.occupancy), "", marks)
        if kernel.spills:
            yield Note("missed", "spills", f"{kernel.spills} bytes of spills", "", marks)
        if kernel.estimate is not None:
            yield from _estimate(kernel.estimate, marks)


def _estimate(estimate: Estimate, marks: Marks) -> Iterator[Note]:
    text = f"limited by {estimate.limit}"
    if estimate.ideal:
        text = f"{estimate.share:.0%} of the peak of the tensor cores, {text}"
    reason = "; ".join(filter(None, (estimate.describe_busy(), estimate.describe_clock())))
    yield Note("analysis", "estimate", text, f"{LABEL}: {reason}", marks)
    if (loop := estimate.main_loop) is not None:
        busy = sorted(loop.busy.items(), key=lambda unit: -unit[1])
        parts = ", ".join(f"{name} {clocks:.0f}" for name, clocks in busy if clocks >= 1)
        text = f"an iteration takes {loop.clocks:.0f} clocks"
        text += f", limited by {loop.limit}" if loop.limit else ""
        yield Note("analysis", "estimate", text, f"{LABEL}: {parts}", get_marks(loop.loop))


def _spills(exploration: Exploration) -> Iterator[Note]:
    """Where machine code stores registers to local memory, and loads them."""
    code = exploration.texts.try_sass()
    if code is None:
        return
    counts: Counter[tuple[Marks, str]] = Counter()
    for line, marks in zip(code.lines, code.marks, strict=True):
        if marks and (match := _SPILL.search(line)) is not None:
            counts[marks, match[1]] += 1
    for marks in dict.fromkeys(marks for marks, _ in counts):
        stores, loads = counts[marks, "STL"], counts[marks, "LDL"]
        text = f"spills: {_count(stores, 'store')} and {_count(loads, 'load')} of local memory"
        yield Note("missed", "spills", text, "more values are live than registers", marks)


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _marks_of_kernel(exploration: Exploration, name: str) -> Marks:
    """The mark of the kernel of a name."""
    for op in walk(exploration.steps[0].snapshot.module):
        if _symbol(op) == name:
            return get_marks(op)
    return ()


def _symbol(op: Operation) -> str | None:
    name = op.properties.get("sym_name", op.attributes.get("sym_name"))
    return name.data if isinstance(name, StringAttr) else None
