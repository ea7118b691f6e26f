"""Lines of the IR: where something occurs, and what other passes made of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, overload

from xdsl.ir import Operation

from .provenance import Marks
from .steps import PassStep

WIDTH: Final = 110
"""Characters of a line that are shown."""


@dataclass(frozen=True)
class IrLine:
    """A line of the IR after a pass."""

    step: PassStep = field(repr=False)
    line: int
    """From 1."""

    @property
    def text(self) -> str:
        """The line without indentation."""
        return self.step.lines[self.line - 1].strip()

    @property
    def ops(self) -> tuple[Operation, ...]:
        """The ops that begin on the line; none of them may be changed."""
        return self.step.snapshot.listing.ops.get(self.line - 1, ())

    @property
    def op(self) -> Operation | None:
        """The op that begins on the line, if there is one."""
        return self.ops[0] if self.ops else None

    @property
    def marks(self) -> Marks:
        """Which ops of the first module the line came from."""
        return self.step.marks[self.line - 1]

    def __str__(self) -> str:
        text = self.text
        shown = text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
        return f"{self.step.stage:9} {self.step.name:34} {self.line:5}  {shown}"


class IrLines(Sequence[IrLine]):
    """Lines of the IR; as a string, a line for each."""

    def __init__(self, places: Iterable[IrLine]):
        self._places = tuple(places)

    @overload
    def __getitem__(self, index: int) -> IrLine: ...
    @overload
    def __getitem__(self, index: slice) -> IrLines: ...
    def __getitem__(self, index: int | slice) -> IrLine | IrLines:
        if isinstance(index, slice):
            return IrLines(self._places[index])
        return self._places[index]

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return "\n".join(map(str, self._places)) or "nowhere"


def search_steps(steps: Iterable[PassStep], wanted: str | re.Pattern[str]) -> Iterator[IrLine]:
    """The lines with a text, whatever the case of its letters, or a match of a pattern."""
    pattern = wanted
    if isinstance(pattern, str):
        pattern = re.compile(re.escape(pattern), re.IGNORECASE)
    for step in steps:
        for number, line in enumerate(step.lines, 1):
            if pattern.search(line):
                yield IrLine(step, number)


def places_of_marks(step: PassStep, marks: Iterable[int]) -> Iterator[IrLine]:
    """The lines of a step that came from ops of the first module."""
    lines = step.snapshot.listing.lines_of_marks
    numbers = {line for mark in marks for line in lines.get(mark, ())}
    return (IrLine(step, line + 1) for line in sorted(numbers))


@dataclass(frozen=True)
class Provenance:
    """Where something came from, and what became of it."""

    marks: Marks
    origins: IrLines
    """In the first module."""
    became: dict[str, IrLines]
    """In the last module of each stage."""
    gone: PassStep | None
    """The pass that removed it, if one did."""

    def __str__(self) -> str:
        parts = ["came from", *map(str, self.origins)]
        for stage, places in self.became.items():
            parts += [f"in {stage}", *map(str, places)]
        if self.gone is not None:
            parts.append(f"removed by {self.gone.name}")
        return "\n".join(parts)

    def __repr__(self) -> str:
        return str(self)
