"""
The table that `tileiras_xdsl.tune` returns, and the configurations that it tries.

A space names constants of the kernel, and hints of its decorator, with the values to try:

    {"m": (64, 128), "n": (128, 256), "k": (64,), "occupancy": (1, 2)}
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from html import escape
from inspect import signature
from itertools import product
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, overload

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.cost.model import Launch, make_launch
from tileiras_xdsl.cutile import is_kernel
from tileiras_xdsl.driver.compiler import cache
from tileiras_xdsl.driver.compiler.many import Variant
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program

if TYPE_CHECKING:
    from tileiras_xdsl.driver.compiler.compiled import Compiled


HINTS: Final = ("num_ctas", "occupancy", "num_worker_warps")
"""Hints of the decorator `cuda.tile.kernel` that may be part of a space."""

Config: TypeAlias = Mapping[str, Any]
Space: TypeAlias = "Mapping[str, Sequence[Any]] | Sequence[Config]"
Grid: TypeAlias = "int | Sequence[int] | Callable[[Config], int | Sequence[int]]"
Arguments: TypeAlias = "Mapping[str, Any] | Sequence[Any] | Callable[[Config], Sequence[Any]]"


class TuneError(DiagnosticException):
    """A space, or arguments, that a kernel cannot be tuned with."""


def list_configs(space: Space, constraint: Callable[[Config], bool] | None) -> list[Config]:
    """All configurations of a space that meet a constraint, each once."""
    configs = list(_enumerate(space))
    if constraint is not None:
        configs = [config for config in configs if constraint(config)]
    unique: dict[tuple[tuple[str, str], ...], Config] = {}
    for config in configs:
        unique.setdefault(tuple(sorted((name, repr(config[name])) for name in config)), config)
    if not unique:
        raise TuneError("the space has no configuration")
    return list(unique.values())


def _enumerate(space: Space) -> Iterator[Config]:
    if isinstance(space, Mapping):
        for name, values in cast("Mapping[str, Any]", space).items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise TuneError(f"'{name}' of the space is not a sequence of values")
        for choice in product(*space.values()):
            yield dict(zip(space, choice, strict=True))
        return
    for config in cast("Sequence[Any]", space):
        if not isinstance(config, Mapping):
            raise TuneError("a space is a mapping of values, or a sequence of mappings")
        yield dict(cast("Config", config))


@dataclass(frozen=True)
class Candidate:
    """A configuration: its program, and how it is launched."""

    config: Config
    program: Program
    options: Options
    grid: tuple[int, int, int]
    arguments: Sequence[Any]
    """Those of the function, constants included."""
    launch: Launch


@dataclass(frozen=True)
class TunedKernel:
    """A kernel, and what makes programs and launches of its configurations."""

    kernel: Any
    arguments: Arguments
    grid: Grid
    options: Options

    def __post_init__(self):
        if not is_kernel(self.kernel):
            raise TuneError(
                f"only cuTile kernels are tuned, which '{type(self.kernel).__name__}' is not"
            )

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters of the function."""
        return list(signature(self.kernel._annotated_function.pyfunc).parameters)

    @property
    def name(self) -> str:
        return self.kernel._annotated_function.pyfunc.__name__

    def check(self, configs: Sequence[Config]) -> None:
        """Refuses names in configurations that would have no effect."""
        if callable(self.arguments):
            return
        known = {*self.parameters, *HINTS}
        for name in sorted({name for config in configs for name in config} - known):
            raise TuneError(
                f"'{name}' of the space is neither a parameter of {self.name} nor one of the hints "
                f"{', '.join(HINTS)}"
            )

    def make(self, config: Config) -> Candidate:
        """The program and launch of a configuration; what cuTile refuses is raised as it is."""
        arguments = self.arguments_of(config)
        hints = {name: config[name] for name in HINTS if config.get(name) is not None}
        variant = Variant(self.kernel, arguments, hints)
        program = variant.make_program(self.options.gpu)
        grid = self.grid_of(config)
        return Candidate(
            config,
            program,
            self.options,
            grid,
            arguments,
            make_launch(grid, program.flatten(arguments)),
        )

    def arguments_of(self, config: Config) -> Sequence[Any]:
        """The arguments of the function: those that are given, and constants of a configuration."""
        if callable(self.arguments):
            return list(self.arguments(config))
        names = self.parameters
        tuned = [name for name in names if name in config]
        if isinstance(self.arguments, Mapping):
            given: dict[str, Any] = dict(self.arguments)
        else:
            others = [name for name in names if name not in config]
            if len(others) != len(self.arguments):
                raise TuneError(
                    f"{self.name} takes {len(others)} arguments beside {', '.join(tuned)}, but got "
                    f"{len(self.arguments)}"
                )
            given = dict(zip(others, self.arguments, strict=True))
        given |= {name: config[name] for name in tuned}
        for name in names:
            if name not in given:
                raise TuneError(f"{self.name} has no argument '{name}'")
        return [given[name] for name in names]

    def grid_of(self, config: Config) -> tuple[int, int, int]:
        given: Any = self.grid
        if callable(given):
            try:
                given = given(config)
            except Exception as error:
                values = ", ".join(f"{name}={value!r}" for name, value in config.items())
                raise TuneError(
                    f"the grid function fails for {values}: {type(error).__name__}: {error}"
                ) from error
        sizes = (given,) if isinstance(given, int) else given
        try:
            x, y, z = (*map(index, sizes), 1, 1)[: max(3, len(sizes))]
        except (TypeError, ValueError):
            x = y = z = 0
        if min(x, y, z) < 1:
            raise TuneError(f"a grid is one to three positive numbers, not {given!r}")
        return x, y, z


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


@dataclass(frozen=True)
class Prediction:
    """
    How long a launch should take: what `predict` of an exploration says. For a GPU that has not
    been measured, the clocks of an SM at the clock of its data sheet.
    """

    milliseconds: float
    is_calibrated: bool
    """Whether the model was fitted to this GPU; if not, only ratios of predictions count."""
    limit: str
    """What binds it."""
    occupancy: int
    """CTAs per SM."""


@dataclass(repr=False)
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
    candidate: Candidate | None = None
    _compiled: Compiled | None = None

    def __repr__(self) -> str:
        config = ", ".join(f"{name}={value!r}" for name, value in self.config.items())
        time = self.milliseconds
        if time is None and self.prediction is not None and self.prediction.is_calibrated:
            time = self.predicted
        shown = "" if time is None else f" {time:.4g} ms"
        return f"Row({config}: {self.status}{shown})"

    @property
    def predicted(self) -> float | None:
        """Milliseconds; only their ratios mean something if the prediction is not calibrated."""
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
            from tileiras_xdsl.driver.compiler.compiled import compile

            options = self._candidate.options
            self._compiled = compile(
                self._candidate.program, options.gpu, opt=options.opt, abi=options.abi
            )
        return self._compiled

    @property
    def is_compiled(self) -> bool:
        """Whether the kernel is there already."""
        return self._compiled is not None

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
        predicted = "predicted, ms" if self._unit is None else "predicted, × best"
        return [*names, "measured, ms", predicted, "limit", "status"]

    @property
    def _unit(self) -> float | None:
        """What predictions are shown as multiples of: the best, if none is calibrated."""
        found = [row.prediction for row in self.rows if row.prediction is not None]
        if not found or any(each.is_calibrated for each in found):
            return None
        return min(each.milliseconds for each in found) or None

    def cells(self) -> Iterator[list[str]]:
        """The table as text, a list for each row."""
        names, unit = self.columns[:-4], self._unit
        for row in self.rows:
            predicted = row.predicted
            shown = _format(predicted)
            if predicted is not None and unit is not None:
                shown = f"{predicted / unit:.2f}"
            status = f"{row.status}: {row.reason}" if row.reason else row.status
            yield [
                *(str(row.config.get(name, "")) for name in names),
                _format(row.milliseconds),
                shown,
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


# Measurements on disk, in an SQLite file in the folder of the cache.
#
# A measurement is found again by the program with its launch, the GPU with its driver, and the
# compiler. Any number of processes may read and write at once: each access is a transaction of its
# own, for which others wait. A database that cannot be used is a warning, and tuning goes on
# without.


FILE: Final = "tuning.sqlite3"
VERSION: Final = 1
"""Of the schema; files of another version are left alone."""
PATIENCE: Final = 30.0
"""Seconds to wait for other processes."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS measurements (
    program TEXT NOT NULL,
    gpu TEXT NOT NULL,
    compiler TEXT NOT NULL,
    milliseconds REAL NOT NULL,
    samples INTEGER NOT NULL,
    kernel TEXT NOT NULL,
    config TEXT NOT NULL,
    measured TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (program, gpu, compiler)
)
"""


class DatabaseWarning(UserWarning):
    """A database of measurements that cannot be used."""


@dataclass(frozen=True)
class Key:
    """What a measurement is found by."""

    program: str
    """A hash of the program, its options, and its launch."""
    gpu: str
    """Its name and driver, and how it was measured."""
    compiler: str
    """A hash of what compiles."""


@dataclass(frozen=True)
class Stored:
    """A measurement."""

    milliseconds: float
    samples: int


class Database:
    """A file of measurements."""

    def __init__(self, path: Path | None = None):
        self.path = cache.folder() / FILE if path is None else path

    def load(self, key: Key) -> Stored | None:
        """What was measured, if anything was."""
        if not self.path.exists():
            return None
        try:
            with self._open() as connection:
                row = connection.execute(
                    "SELECT milliseconds, samples FROM measurements "
                    "WHERE program = ? AND gpu = ? AND compiler = ?",
                    (key.program, key.gpu, key.compiler),
                ).fetchone()
        except (sqlite3.Error, OSError) as error:
            self._warn(error)
            return None
        return None if row is None else Stored(*row)

    def store(self, key: Key, stored: Stored, kernel: str, config: str) -> None:
        """Keeps a measurement, in place of an earlier one."""
        values = (key.program, key.gpu, key.compiler, stored.milliseconds, stored.samples)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as connection:
                connection.execute(
                    "INSERT OR REPLACE INTO measurements "
                    "(program, gpu, compiler, milliseconds, samples, kernel, config) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*values, kernel, config),
                )
        except (sqlite3.Error, OSError) as error:
            self._warn(error)

    def clear(self) -> None:
        """Removes all measurements."""
        if self.path.exists():
            with self._open() as connection:
                connection.execute("DELETE FROM measurements")

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        """A transaction, which nobody else writes during."""
        connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        with closing(connection):
            connection.execute("BEGIN IMMEDIATE")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                raise sqlite3.DatabaseError(f"it has version {version}, not {VERSION}")
            if version == 0:
                connection.execute(_SCHEMA)
                connection.execute(f"PRAGMA user_version = {VERSION}")
            yield connection
            connection.execute("COMMIT")

    def _warn(self, error: Exception) -> None:
        text = f"measurements are not kept in '{self.path}': {error}"
        warnings.warn(text, DatabaseWarning, stacklevel=3)
