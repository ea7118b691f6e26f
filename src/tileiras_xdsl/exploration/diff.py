"""What a pass changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import unified_diff
from functools import cached_property
from html import escape
from typing import Final

from .steps import PassStep

CONTEXT: Final = 3
"""Lines around a change that are shown."""

_COLOURS: Final = {"+": "#2da44e", "-": "#e5534b", "@": "#8250df"}
"""Of borders, which show on dark pages as on light ones."""


@dataclass(frozen=True)
class Diff:
    """The module before and after a pass. As a string, a unified diff."""

    before: PassStep = field(repr=False)
    after: PassStep

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the unified diff; none if nothing changed."""
        return tuple(
            unified_diff(
                self.before.lines,
                self.after.lines,
                f"before {self.after.name}",
                f"after {self.after.name}",
                n=CONTEXT,
                lineterm="",
            )
        )

    @property
    def added(self) -> int:
        """How many lines are new."""
        return sum(line.startswith("+") for line in self.lines[2:])

    @property
    def removed(self) -> int:
        """How many lines are gone."""
        return sum(line.startswith("-") for line in self.lines[2:])

    def __bool__(self) -> bool:
        return bool(self.lines)

    def __str__(self) -> str:
        return "\n".join(self.lines) if self.lines else f"{self.after.name} changed nothing"

    def _repr_html_(self) -> str:
        """The same in colours, for notebooks."""
        if not self.lines:
            return f"<p>{escape(str(self))}</p>"
        rows = "".join(_row(line) for line in self.lines[2:])
        head = f"{escape(self.after.name)}: {self.added} lines added, {self.removed} removed"
        return (
            f'<p><b>{head}</b></p><pre style="line-height:1.4;overflow-x:auto;white-space:pre">'
            f"{rows}</pre>"
        )


def _row(line: str) -> str:
    colour = _COLOURS.get(line[:1], "transparent")
    tint = f"background:{colour}22;" if line[:1] in ("+", "-") else ""
    style = f"display:block;border-left:4px solid {colour};padding-left:6px;{tint}"
    return f'<span style="{style}">{escape(line) or " "}</span>'
