"""The text of a module, with the ops that begin on each line."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.xdsl_extras.aliases import AliasPrinter, assign_aliases, wrap_line

from .provenance import Marks, get_marks


@dataclass(frozen=True)
class Listing:
    """A module as text."""

    lines: tuple[str, ...]
    ops: dict[int, tuple[Operation, ...]] = field(repr=False)
    """By the number of a line, from 0, the ops that begin on it."""

    @staticmethod
    def of(module: ModuleOp) -> Listing:
        """The text that tools print."""
        output = StringIO()
        printer = _ListingPrinter(output, assign_aliases(module))
        printer.print_module(module)
        lines: list[str] = []
        ops: dict[int, tuple[Operation, ...]] = {}
        for number, line in enumerate(output.getvalue().split("\n")):
            if (starting := printer.starts.get(number)) is not None:
                ops[len(lines)] = tuple(starting)
            lines += wrap_line(line, stable=True)
        return Listing(tuple(lines), ops)

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)

    @cached_property
    def marks(self) -> tuple[Marks, ...]:
        """For each line, the marks of its ops."""
        marks: list[Marks] = [()] * len(self.lines)
        for line, ops in self.ops.items():
            marks[line] = tuple(sorted({mark for op in ops for mark in get_marks(op)}))
        return tuple(marks)

    @cached_property
    def lines_of_marks(self) -> dict[int, list[int]]:
        """The lines that have a mark."""
        found: dict[int, list[int]] = {}
        for line, marks in enumerate(self.marks):
            for mark in marks:
                found.setdefault(mark, []).append(line)
        return found


class _ListingPrinter(AliasPrinter):
    """Notes on which line ops begin."""

    def __init__(self, output: StringIO, aliases: dict[Attribute, str]):
        super().__init__(output, aliases)
        self.starts: dict[int, list[Operation]] = {}

    def print_op(self, op: Operation) -> None:
        self.starts.setdefault(self._current_line, []).append(op)
        super().print_op(op)
