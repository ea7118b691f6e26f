"""The text of a module, with the ops that begin on each line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.printer import Printer

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
        printer = _ListingPrinter(output)
        printer.print_op(module)
        ops = {line: tuple(starting) for line, starting in printer.starts.items()}
        return Listing(tuple(output.getvalue().split("\n")), ops)

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


class _ListingPrinter(Printer):
    """
    Notes on which line ops begin. It is faster than others: it writes without the detours of
    `print`, and prints a type once.
    """

    def __init__(self, output: StringIO):
        super().__init__(stream=output)
        self._write: Callable[[str], object] = output.write
        self._types: dict[int, tuple[Attribute, str]] = {}
        self._is_in_type = False
        self.starts: dict[int, list[Operation]] = {}

    def print_attribute(self, attribute: Attribute) -> None:
        # What is in a type may look otherwise than alone.
        if self._is_in_type or not isinstance(attribute, TypeAttribute):
            super().print_attribute(attribute)
            return
        if (known := self._types.get(id(attribute))) is not None:
            self.print_string(known[1])
            return
        parts: list[str] = []
        write, self._write, self._is_in_type = self._write, parts.append, True
        super().print_attribute(attribute)
        self._write, self._is_in_type = write, False
        text = "".join(parts)
        write(text)
        self._types[id(attribute)] = attribute, text

    def print_op(self, op: Operation) -> None:
        self.starts.setdefault(self._current_line, []).append(op)
        super().print_op(op)

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            super().print_string(text, indent=indent)
            return
        self._current_column += len(text)
        self._write(text)
