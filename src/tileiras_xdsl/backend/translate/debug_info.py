"""Line tables: which place in a source file an instruction came from."""

from __future__ import annotations

import os
from collections.abc import Callable

from xdsl.dialects.llvm import FuncOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.xdsl_extras.diagnostics import first_file_location

from .constants import escape

UNKNOWN_FILE = "<unknown>"


class DebugInfo:
    """
    The debug information of a module. Functions are scopes; an op is where its location says, or
    where its function is.
    """

    def __init__(self, node: Callable[..., str]):
        self._node = node
        self._unit: str | None = None
        self._scope = ""
        self._place = (0, 0)
        self._file = ""
        self._lines: dict[int, tuple[Attribute, str]] = {}
        """
        Of the function: what instructions end with, by the identity of their location, which is
        there so that it keeps it. Most ops share it with others.
        """

    def enter(self, function: FuncOp) -> str:
        """Makes a function the scope; returns what its first line ends with."""
        place = first_file_location(function.location)
        path = UNKNOWN_FILE if place is None else place.filename.data
        line = 1 if place is None else place.line.data
        self._file = self._file_node(path)
        if self._unit is None:
            self._unit = self._node(
                f"!DICompileUnit(language: DW_LANG_C, file: {self._file}, "
                'producer: "tileiras-xdsl", isOptimized: true, runtimeVersion: 0, '
                "emissionKind: DebugDirectivesOnly)",
                distinct=True,
            )
        types = self._node("!{null}")
        ty = self._node(f"!DISubroutineType(types: {types})")
        name = escape(function.sym_name.data)
        self._scope = self._node(
            f'!DISubprogram(name: "{name}", linkageName: "{name}", scope: {self._file}, '
            f"file: {self._file}, line: {line}, type: {ty}, scopeLine: {line}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: {self._unit})",
            distinct=True,
        )
        self._place = (line, 0)
        self._lines.clear()
        return f" !dbg {self._scope}"

    def line(self, op: Operation) -> str:
        """What the instructions of an op end with."""
        location = op.location
        known = self._lines.get(id(location))
        if known is None:
            known = self._lines[id(location)] = (location, self._make_line(location))
        return known[1]

    def _make_line(self, location: Attribute) -> str:
        place = first_file_location(location)
        scope = self._scope
        line, column = self._place
        if place is not None:
            line, column = place.line.data, place.column.data
            file = self._file_node(place.filename.data)
            if file != self._file:
                scope = self._node(
                    f"!DILexicalBlockFile(scope: {scope}, file: {file}, discriminator: 0)"
                )
        return (
            f", !dbg {self._node(f'!DILocation(line: {line}, column: {column}, scope: {scope})')}"
        )

    def named_metadata(self) -> str:
        """What tells LLVM that there is debug information."""
        if self._unit is None:
            return ""
        version = self._node('!{i32 2, !"Debug Info Version", i32 3}')
        dwarf = self._node('!{i32 2, !"Dwarf Version", i32 2}')
        return f"!llvm.dbg.cu = !{{{self._unit}}}\n!llvm.module.flags = !{{{version}, {dwarf}}}\n"

    def _file_node(self, path: str) -> str:
        folder, name = os.path.split(path)
        return self._node(f'!DIFile(filename: "{escape(name)}", directory: "{escape(folder)}")')
