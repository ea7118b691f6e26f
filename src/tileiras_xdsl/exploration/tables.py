"""Tables, as text for terminals and as HTML for notebooks and pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import ClassVar, Final

_CELL: Final = "padding:1px 10px;white-space:pre;text-align:"
"""Names of rows that belong to the one above are indented."""


@dataclass(frozen=True)
class Table:
    """Rows of cells below a head; all columns but the first are numbers, or as short as those."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        lines = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if at else cell.ljust(width)
                for at, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            return "".join(
                f'<{tag} style="{_CELL}{"right" if at else "left"}">{escape(cell)}</{tag}>'
                for at, cell in enumerate(cells)
            )

        body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in self.rows)
        return (
            f"<table><thead><tr>{line(self.head, 'th')}</tr></thead><tbody>{body}</tbody></table>"
        )


class NotedTable(ABC):
    """What is shown as a table, as text and in notebooks, with a note below it."""

    __slots__ = ()

    NOTE: ClassVar[str]

    @property
    @abstractmethod
    def table(self) -> Table:
        """All but the note."""

    def __str__(self) -> str:
        return f"{self.table}\n{self.NOTE}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        table = self.table._repr_html_()  # pyright: ignore[reportPrivateUsage]
        return f"{table}<p><small>{self.NOTE}</small></p>"


def number(value: float | None) -> str:
    """A number for people: `12,345`, `0.25`; a dash for what is not known."""
    if value is None:
        return "–"
    if value == int(value) or abs(value) >= 100:
        return f"{round(value):,}"
    return f"{value:.2f}".rstrip("0").rstrip(".")
