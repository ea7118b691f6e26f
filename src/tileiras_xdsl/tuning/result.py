"""The table that `tileiras_xdsl.tune` returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from .cost import Prediction
from .space import Candidate, Config, TuneError

if TYPE_CHECKING:
    from tileiras_xdsl.compiler.compiled import Compiled

Status = Literal["measured", "known", "predicted", "dropped", "failed"]
"""
What became of a configuration: it was measured now, or earlier according to the database; it was
compiled and could not be measured; the cost model dropped it; or something went wrong.
"""

ORDER: Final[tuple[Status, ...]] = ("measured", "known", "predicted", "dropped", "failed")

_STYLE: Final = (
    "border-collapse:collapse;font-variant-numeric:tabular-nums",
    "text-align:right;padding:2px 8px",
    "text-align:left;padding:2px 8px",
)


@dataclass
class Row:
    """One configuration."""

    config: Config
    status: Status = "failed"
    prediction: Prediction | None = None
    milliseconds: float | None = None
    """The median of what was measured."""
    samples: int = 0
    reason: str = ""
    """Why it was dropped, or what went wrong; or why there is no prediction."""
    candidate: Candidate | None = field(default=None, repr=False)
    _compiled: Compiled | None = field(default=None, repr=False)

    @property
    def predicted(self) -> float | None:
        """Milliseconds."""
        return None if self.prediction is None else self.prediction.milliseconds

    @property
    def grid(self) -> tuple[int, int, int]:
        return self._candidate.grid

    @property
    def arguments(self) -> Sequence[Any]:
        """The arguments that it was measured with, constants included."""
        return self._candidate.arguments

    @property
    def compiled(self) -> Compiled:
        """The kernel for `launch`; compiled now if the database made that unnecessary before."""
        if self._compiled is None:
            from tileiras_xdsl.compiler.compiled import compile

            options = self._candidate.options
            self._compiled = compile(
                self._candidate.program, options.gpu, options.opt, abi=options.abi
            )
        return self._compiled

    def keep(self, compiled: Compiled | None) -> None:
        """Remembers what was compiled."""
        self._compiled = compiled

    def unload(self) -> None:
        """Frees what it has on GPUs; launches load the kernel again."""
        if self._compiled is not None:
            self._compiled.unload()

    @property
    def _candidate(self) -> Candidate:
        if self.candidate is None:
            raise TuneError(f"the configuration {dict(self.config)} is no program: {self.reason}")
        return self.candidate

    def sort_key(self) -> tuple[int, float, float]:
        """Best first: what was measured by its time, and what was not by its prediction."""
        rank = {"known": 0}.get(self.status, ORDER.index(self.status))
        infinite = float("inf")
        time = infinite if self.milliseconds is None else self.milliseconds
        return rank, time, infinite if self.predicted is None else self.predicted


@dataclass(frozen=True)
class TuneResult(Sequence[Row]):
    """
    All configurations, best first. `best` is the best of those that were measured, or where nothing
    could be, of those that the cost model ranked.
    """

    kernel: str
    rows: Sequence[Row]
    gpu: str
    """What it was measured on; empty if nothing was."""
    arch: str
    margin: float | None
    seconds: float
    """That tuning took."""
    note: str = ""
    """Why nothing was measured."""

    def __post_init__(self):
        object.__setattr__(self, "rows", tuple(sorted(self.rows, key=lambda row: row.sort_key())))

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        return self.rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def of(self, *statuses: Status) -> list[Row]:
        """The configurations of which this became."""
        return [row for row in self.rows if row.status in statuses]

    @property
    def best(self) -> Row:
        """The best configuration; `TuneError` if all failed."""
        first = self.rows[0]
        if first.status == "failed":
            raise TuneError(f"no configuration of {self.kernel} works: {first.reason}")
        return first

    @property
    def is_measured(self) -> bool:
        return bool(self.of("measured", "known"))

    @property
    def caption(self) -> str:
        """What the table is about."""
        counts = {status: len(self.of(status)) for status in ORDER}
        parts = [f"{counts['measured']} of {len(self)} configurations measured"]
        if counts["known"]:
            parts.append(f"{counts['known']} known from the database")
        if counts["predicted"]:
            parts.append(f"{counts['predicted']} not measured")
        if counts["dropped"]:
            parts.append(
                f"{counts['dropped']} dropped by the cost model (predicted to take more than "
                f"{self.margin:g} times as long as the best)"
            )
        if counts["failed"]:
            parts.append(f"{counts['failed']} failed")
        where = self.gpu or f"{self.arch}, ranked by the cost model alone"
        note = f" {self.note}." if self.note else ""
        return f"{self.kernel} on {where}: {', '.join(parts)}; {self.seconds:.1f} s.{note}"

    @property
    def columns(self) -> list[str]:
        names = dict.fromkeys(name for row in self.rows for name in row.config)
        return [*names, "measured, ms", "predicted, ms", "limit", "status"]

    def cells(self) -> Iterator[list[str]]:
        """The table as text, a list for each row."""
        names = self.columns[:-4]
        for row in self.rows:
            status = f"{row.status}: {row.reason}" if row.reason else row.status
            yield [
                *(str(row.config.get(name, "")) for name in names),
                _format(row.milliseconds),
                _format(row.predicted),
                "" if row.prediction is None else row.prediction.limit,
                status,
            ]

    def to_markdown(self) -> str:
        """A table in Markdown, with its caption in front."""
        lines = [self.columns, ["---"] * len(self.columns), *self.cells()]
        table = "\n".join(f"| {' | '.join(map(_plain, cells))} |" for cells in lines)
        return f"{self.caption}\n\n{table}\n"

    def __str__(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        table, number, text = _STYLE
        last = len(self.columns) - 1

        def line(tag: str, cells: Sequence[str], emphasis: str = "") -> str:
            styles = (text if index >= last - 1 else number for index in range(last + 1))
            made = (
                f'<{tag} style="{style}{emphasis}">{escape(cell)}</{tag}>'
                for style, cell in zip(styles, cells, strict=True)
            )
            return f"<tr>{''.join(made)}</tr>"

        rows = [
            line("td", cells, ";font-weight:bold" if index == 0 else "")
            for index, cells in enumerate(self.cells())
        ]
        return (
            f'<table style="{table}"><caption style="{text}">{escape(self.caption)}</caption>'
            f"<thead>{line('th', self.columns)}</thead><tbody>{''.join(rows)}</tbody></table>"
        )


def _format(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds:.4g}"


def _plain(text: str) -> str:
    """Text in a cell of Markdown."""
    return text.replace("|", "\\|").replace("\n", " ")
