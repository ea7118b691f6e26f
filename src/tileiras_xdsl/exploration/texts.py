"""
LLVM IR, PTX and machine code of a module, with the ops that their lines came from.

A copy of the module is compiled with line tables, in which numbers of marks stand in place of
lines of a source; they are taken out of the texts again. LLVM and ptxas generate the same code
with line tables as without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
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

from .provenance import NOWHERE, Branches, Marks, Place, place_of

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
