"""What goes wrong when a program is run."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError

from tileiras_xdsl.xdsl_extras.diagnostics import first_file_location


class ExecutionError(InterpretationError):
    """
    A program did something undefined, or cannot be run: names the op, its location, the
    CTA and the lane.
    """

    def __init__(
        self,
        message: str,
        op: Operation | None = None,
        cta: Sequence[int] | None = None,
        lane: Sequence[int] | None = None,
    ):
        self.message, self.op = message, op
        self.cta = None if cta is None else tuple(cta)
        self.lane = None if lane is None else tuple(lane)
        super().__init__(message)

    def at(self, op: Operation, cta: Sequence[int]) -> ExecutionError:
        """The same error at a place that was not known where it was raised."""
        return ExecutionError(self.message, self.op or op, self.cta or tuple(cta), self.lane)

    def __str__(self) -> str:
        text = self.message
        if self.op is not None and not text.startswith(f"'{self.op.name}'"):
            text = f"'{self.op.name}' op {text}"
        if self.op is not None:
            text = f"{place_of(self.op)}{text}"
        if self.cta is not None:
            text += f" (CTA {_tuple(self.cta)}"
            text += ")" if self.lane is None else f", lane {_tuple(self.lane)})"
        return text


class JitLaunchError(ExecutionError):
    """A launch that compiled code cannot do, and the interpreter can."""


class WaitingError(JitLaunchError):
    """More tile blocks may wait for each other than can run at once."""


class TileBlocksError(Exception):
    """The CTAs that do some tile blocks, and no others, are not known."""


class OutOfTimeError(Exception):
    """A run has taken longer than it may."""


def _tuple(numbers: Sequence[int]) -> str:
    return f"({', '.join(str(number) for number in numbers)})"


def place_of(op: Operation) -> str:
    """The location of an op, to put in front of a message; empty if it is not known."""
    found = first_file_location(op.location)
    if found is None:
        return ""
    return f"{found.filename.data}:{found.line.data}:{found.column.data}: "
