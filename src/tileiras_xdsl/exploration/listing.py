"""The text of a module, with the ops that begin on each line."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from itertools import takewhile

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.xdsl_extras.aliases import AliasPrinter, assign_aliases, drop_unused, wrap_line

from .provenance import Marks, get_marks


@dataclass(frozen=True)
class Listing:
    """A module as text, in the short form of `xdsl_extras.aliases`."""

    lines: tuple[str, ...]
    ops: dict[int, tuple[Operation, ...]] = field(repr=False)
    """By the number of a line, from 0, the ops that begin on it."""
    starts: tuple[int, ...] = field(repr=False)
    """The lines, from 0, that do not continue the one before them."""
    unwrapped: tuple[str, ...] = field(repr=False)
    """The lines as they are before they are wrapped: one for each of `starts`."""

    @staticmethod
    def of(module: ModuleOp) -> Listing:
        """The text that tools print."""
        output = StringIO()
        printer = _ListingPrinter(output, assign_aliases(module, short=True))
        printer.print_module(module)
        printed = output.getvalue().split("\n")
        unwrapped = tuple(drop_unused(printed))
        dropped = len(printed) - len(unwrapped)
        lines: list[str] = []
        starts: list[int] = []
        ops: dict[int, tuple[Operation, ...]] = {}
        for number, line in enumerate(unwrapped):
            if (starting := printer.starts.get(number + dropped)) is not None:
                ops[len(lines)] = tuple(starting)
            starts.append(len(lines))
            lines += wrap_line(line, stable=True)
        return Listing(tuple(lines), ops, tuple(starts), unwrapped)

    @property
    def definitions(self) -> tuple[str, ...]:
        """The lines that define aliases."""
        return tuple(takewhile(lambda line: line.startswith(("!", "#")), self.unwrapped))

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)

    def find(self, wanted: str | Operation) -> range | None:
        """
        The lines, of those that are not wrapped, of an op with all that is in it, or of the first
        line with a text.
        """
        if isinstance(wanted, Operation):
            numbers = (
                n
                for n, line in enumerate(self.starts)
                if any(op is wanted for op in self.ops.get(line, ()))
            )
        else:
            numbers = (
                n
                for n, line in enumerate(self.unwrapped)
                if wanted in line and self.starts[n] in self.ops
            )
        first = next(numbers, None)
        if first is None:
            return None
        indent = _indent(self.unwrapped[first])
        end = first + 1
        is_open = self.unwrapped[first].endswith("{")
        while is_open and end < len(self.unwrapped):
            line = self.unwrapped[end]
            end += 1
            is_open = _indent(line) > indent or line.endswith("{") or line.lstrip().startswith("^")
        return range(first, end)

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


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class _ListingPrinter(AliasPrinter):
    """Notes on which line ops begin."""

    def __init__(self, output: StringIO, aliases: dict[Attribute, str]):
        super().__init__(output, aliases)
        self.starts: dict[int, list[Operation]] = {}

    def print_op(self, op: Operation) -> None:
        self.starts.setdefault(self._current_line, []).append(op)
        super().print_op(op)
