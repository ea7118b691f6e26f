"""
What there is to say about lines: remarks of the compiler, errors, what a kernel takes of an SM,
spills, and what is likely to limit it. The page shows each at the lines that it is about.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final, Literal

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.compiler.remarks import Remark
from tileiras_xdsl.estimate.report import LABEL
from tileiras_xdsl.xdsl_extras.walking import walk

from .provenance import Marks, get_marks, marks_of_name

if TYPE_CHECKING:
    from tileiras_xdsl.estimate.report import Estimate

    from .exploration import Exploration

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
    return list(dict.fromkeys(found))


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
        text = f"spills: {stores} stores and {loads} loads of local memory"
        yield Note("missed", "spills", text, "more values are live than registers", marks)


def _marks_of_kernel(exploration: Exploration, name: str) -> Marks:
    """The mark of the kernel of a name."""
    for op in walk(exploration.steps[0].snapshot.module):
        if _symbol(op) == name:
            return get_marks(op)
    return ()


def _symbol(op: Operation) -> str | None:
    name = op.properties.get("sym_name", op.attributes.get("sym_name"))
    return name.data if isinstance(name, StringAttr) else None
