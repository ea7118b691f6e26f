"""
Gives functions without debug information a scope.

Before:  entry @f() { return loc("d/a.py":12:4) } loc("d/a.py":10:4)
After:   entry @f() { return loc(#return) } loc(#f), with
         #f_scope = #cuda_tile.di_subprogram<file = <"a.py" in "d">, line = 10, name = "f",
                                             linkageName = "f", compileUnit = …, scopeLine = 10>
         #return = #cuda_tile.di_loc<loc("d/a.py":12:4) in #f_scope>
         #f = #cuda_tile.di_loc<loc("d/a.py":10:4) in #f_scope>

The compile unit is named after the location of the module. An op without a place in a file
gets its function's. A function that has debug information is left as it is, and so are
globals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.cuda_tile import EntryOp, ModuleOp, TestingFuncOp
from tileiras_xdsl.dialects.cuda_tile.debug_info import (
    DICompileUnitAttr,
    DIFileAttr,
    DILocAttr,
    DISubprogramAttr,
    contains_di_loc,
)
from tileiras_xdsl.xdsl_extras.walking import walk

UNKNOWN_FILE = "<unknown>"


def get_file_location(location: Attribute) -> FileLineColLoc | None:
    """
    The place in a file a location stands for: a name's is that of what it names, a call
    site's the caller's, a fusion's its first member that is one itself.
    """
    while True:
        match location:
            case FileLineColLoc():
                return location
            case NameLoc():
                location = location.location
            case CallSiteLoc():
                location = location.caller
            case FusedLoc() if not isinstance(location, DILocAttr):
                members = cast(ArrayAttr[Attribute], location.locations)
                files = (member for member in members if isinstance(member, FileLineColLoc))
                return next(files, None)
            case _:
                return None


def synthesize_scope(function: EntryOp | TestingFuncOp, unit_location: FileLineColLoc) -> None:
    """Puts a function that has no debug information, and all ops in it, in a new scope."""
    location = get_file_location(function.location) or unit_location
    line = location.line.data
    subprogram = DISubprogramAttr(
        DIFileAttr.from_path(location.filename.data),
        line,
        function.symbol,
        function.symbol,
        DICompileUnitAttr(DIFileAttr.from_path(unit_location.filename.data)),
        line,
    )
    for op in walk(function):
        op.location = DILocAttr(get_file_location(op.location) or location, subprogram)


def synthesize_scopes(module: ModuleOp) -> None:
    """Gives all functions of a module scopes."""
    location = get_file_location(module.location)
    path = StringAttr(UNKNOWN_FILE) if location is None else location.filename
    unit_location = FileLineColLoc(path, IntAttr(1), IntAttr(1))
    for op in module.body.block.ops:
        if isinstance(op, EntryOp | TestingFuncOp) and not contains_di_loc(op.location):
            synthesize_scope(op, unit_location)


@dataclass(frozen=True)
class SynthesizeDebugInfoScopesPass(ModulePass):
    """Puts the functions of every `cuda_tile.module` in scopes made from their locations."""

    name = "synthesize-debug-info-scopes"

    def apply(self, ctx: Context, op: builtin.ModuleOp) -> None:
        for module in walk(op):
            if isinstance(module, ModuleOp):
                synthesize_scopes(module)
