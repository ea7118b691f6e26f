"""
What kernels take of an SM: registers, shared memory, occupancy, instructions by kind, and how long
they are expected to take. Registers and spills are what ptxas says, where there is one; all else is
read off the IR and the PTX, and times are static estimates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.cost.model import NOMINAL, Launch, estimate_fitting
from tileiras_xdsl.cost.report import LABEL, LEAST_SHARE, Estimate, Prediction, predict
from tileiras_xdsl.cost.threads import PtxKind, count_kinds, functions_of
from tileiras_xdsl.cost.warpgroups import UnknownScheduleError
from tileiras_xdsl.dialects.nv_tileas.decisions import TENSOR_MEMORY
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_shared_memory
from tileiras_xdsl.plan.ranking import RankedPlan
from tileiras_xdsl.targets.target import Occupancy, find_occupancy
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels

if TYPE_CHECKING:
    from .exploration import Exploration


# Tables, as text for terminals and as HTML for notebooks and pages.


_CELL: Final = "padding:1px 10px;white-space:pre;text-align:"
"""Names of rows that belong to the one above are indented."""


@dataclass(frozen=True)
class Table:
    """Rows of cells below a head. Numbers, and what is as short as those, stand on the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Collection[int] = (0,)
    """The columns of text, which stand on the left."""

    def __str__(self) -> str:
        lines = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if at in self.left else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        sides = ["left" if at in self.left else "right" for at in range(len(self.head))]

        def line(cells: Sequence[str], tag: str) -> str:
            return "".join(
                f'<{tag} style="{_CELL}{side}">{escape(cell)}</{tag}>'
                for cell, side in zip(cells, sides, strict=True)
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


NOTE: Final = (
    f"clocks and limits: {LABEL}; without a launch, loops whose trip count is not known have "
    f"{NOMINAL.inner} iterations"
)


@dataclass(frozen=True)
class KernelResources:
    """One kernel."""

    kernel: str
    threads: int
    """Of a CTA."""
    registers: int | None
    """Of a thread; none if there is no ptxas."""
    spills: int | None
    """Bytes that a thread writes and reads for want of registers."""
    shared: int
    """Bytes of a CTA."""
    occupancy: Occupancy
    instructions: Mapping[PtxKind, int]
    """Of PTX."""
    estimate: Estimate | None
    """None of kernels that the model does not understand."""
    cluster: int = 1
    persistent: int = 0
    """CTAs per SM of a persistent kernel, else 0."""

    def cells(self) -> Iterator[tuple[str, str]]:
        """What there is to say of it, in the order of a table."""
        yield "threads", number(self.threads)
        yield "registers", number(self.registers)
        yield "spilled bytes", number(self.spills)
        yield "shared memory, bytes", number(self.shared)
        yield "CTAs per SM", number(self.occupancy.ctas)
        yield "occupancy", f"{self.occupancy.share:.0%}"
        yield "occupancy limited by", self.occupancy.limit
        if self.cluster > 1:
            yield "CTAs of a cluster", number(self.cluster)
        if self.persistent:
            yield "persistent CTAs per SM", number(self.persistent)
        yield "PTX instructions", number(sum(self.instructions.values()))
        for kind, count in self.instructions.items():
            yield f"  {kind}", number(count)
        if (estimate := self.estimate) is not None:
            loop = estimate.main_loop
            if estimate.waves is None:
                yield "estimated clocks per CTA", number(round(estimate.clocks_per_cta))
            else:
                yield "estimated clocks", number(round(estimate.clocks))
                made = predict(estimate)
                time = estimate.milliseconds if made is None else made.microseconds / 1e3
                yield "estimated ms", f"{time:.4g}"
            if loop is not None:
                yield "  of an iteration", number(round(loop.clocks))
            if estimate.ideal:
                yield "  of tensor core peak", f"{estimate.share:.0%}"
            yield "  limited by", estimate.limit.partition(" (")[0]


class Resources(NotedTable, tuple[KernelResources, ...]):
    """All kernels of a program; as a string and in notebooks a table."""

    __slots__ = ()

    NOTE = NOTE

    @property
    def table(self) -> Table:
        """A column for each kernel."""
        return Table(("", *(each.kernel for each in self)), join_cells([*map(cells_of, self)]))


class HasCells(Protocol):
    """What is known of a kernel on a GPU or a CPU."""

    @property
    def kernel(self) -> str:
        """Its name."""
        ...

    def cells(self) -> Iterator[tuple[str, str]]:
        """What there is to say of it, in the order of a table."""
        ...


def cells_of(kernel: HasCells) -> dict[str, str]:
    """A column of a table."""
    return dict(kernel.cells())


def join_cells(columns: Sequence[Mapping[str, str]]) -> list[tuple[str, ...]]:
    """Rows of a table, of all names in the order in which columns have them."""
    names: list[str] = []
    for column in columns:
        at = 0
        for name in column:
            if name in names:
                at = names.index(name) + 1
            else:
                names.insert(at, name)
                at += 1
    return [(name, *(column.get(name, "–") for column in columns)) for name in names]


def find_resources(exploration: Exploration, launch: Launch | None = None) -> Resources:
    """Of all kernels of a program that went all the way."""
    texts = exploration.texts
    instructions = {name: count_kinds(lines) for name, lines in functions_of(texts.ptx.text)}
    tiled = exploration.step("tileas").snapshot.module
    functions = {function.sym_name.data: function for function in kernels(tiled)}
    found: list[KernelResources] = []
    for record in texts.records:
        function = functions[record.entry]
        threads = prod(record.threads or (1,))
        # Without ptxas, what was allocated for tiles.
        memory, columns = get_shared_memory(function), TENSOR_MEMORY.get(function)
        shared = record.static_shared or (0 if memory is None else memory.size)
        shared = max(shared, record.shared or 0)
        occupancy = find_occupancy(
            *(get_target(tiled), threads, record.registers, shared),
            0 if columns is None else columns.data,
        )
        found.append(
            KernelResources(
                kernel=record.entry,
                threads=threads,
                registers=record.registers,
                spills=None
                if record.registers is None
                else record.spill_stores + record.spill_loads,
                shared=shared,
                occupancy=occupancy,
                instructions=instructions.get(record.entry, {}),
                estimate=_estimate(function, occupancy.ctas, launch),
                cluster=prod(record.cluster),
                persistent=record.persistent,
            )
        )
    return Resources(found)


def _estimate(function: FuncOp, occupancy: int, launch: Launch | None) -> Estimate | None:
    try:
        return estimate_fitting(function, get_target(function), launch, occupancy)
    except UnknownScheduleError:
        return None


# How long a launch takes, in microseconds, what binds it, and how far above that limit it is;
# beside what was measured, if anybody says so.


PREDICTION_NOTE: Final = (
    "predicted from the schedule and what was measured of the machine once; a limit is the time "
    "that one resource alone would take"
)


@dataclass(frozen=True)
class MeasuredPrediction:
    """A prediction, and the microseconds that were measured, if they were."""

    prediction: Prediction
    measured: float | None = None

    def cells(self) -> Iterator[tuple[str, str]]:
        """What there is to say of it, in the order of a table."""
        made, measured = self.prediction, self.measured
        yield "predicted, µs", f"{made.microseconds:.4g}"
        if measured is not None:
            yield "measured, µs", f"{measured:.4g}"
            yield "prediction is off by", f"{made.error(measured):+.0%}"
        yield "bound by", made.bound
        above = made.distance(measured)
        yield "above the longest limit", f"{above:.0%}"
        if made.gigahertz:
            yield "clock, GHz", f"{made.gigahertz:.2f}"
        yield "launch, µs", f"{made.launch:.2g}"
        total = measured or made.microseconds
        for name, time in sorted(made.limits.items(), key=lambda each: -each[1]):
            if time >= LEAST_SHARE * total:
                yield f"  {name}", f"{time:.4g} µs, {time / total:.0%}"


class Predictions(NotedTable, tuple[MeasuredPrediction, ...]):
    """Of all kernels of a program; as a string and in notebooks a table."""

    __slots__ = ()

    NOTE = PREDICTION_NOTE

    @property
    def table(self) -> Table:
        """A column for each kernel."""
        columns = [dict(each.cells()) for each in self]
        return Table(("", *(each.prediction.kernel for each in self)), join_cells(columns))


def microseconds_of(measured: Any) -> float | None:
    """Of a number, or of a profile, whose kernel was timed without marks."""
    if measured is None or isinstance(measured, int | float):
        return measured
    milliseconds: float | None = measured.plain.milliseconds
    return None if milliseconds is None else 1e3 * milliseconds


def with_measured(found: Sequence[Prediction], measured: Any) -> Predictions:
    """Predictions beside a measurement."""
    time = microseconds_of(measured)
    return Predictions(MeasuredPrediction(each, time) for each in found)


class Plans(NotedTable, tuple[RankedPlan, ...]):
    """What a kernel could be, the best first; as a string and in notebooks a table."""

    __slots__ = ()

    NOTE = "predicted, not measured; passes choose before they know the sizes of a launch"

    @property
    def best(self) -> RankedPlan:
        """That with the least predicted cost."""
        return self[0]

    @property
    def chosen(self) -> RankedPlan:
        """What the passes make of the kernel on their own."""
        return next(each for each in self if each.is_chosen)

    @property
    def table(self) -> Table:
        """A row for each plan."""
        head = ("plan", "µs", "clocks", "limited by", "proposed by", "outcome")
        rows = [
            (
                *(str(each.plan), number(each.microseconds), number(each.clocks)),
                *(each.limit or "–", each.rule or "–"),
                each.why or ("chosen" if each.is_chosen else ""),
            )
            for each in self
        ]
        return Table(head, rows, left=(0, 3, 4, 5))
