"""
How long a launch takes, in microseconds, what binds it, and how far above that limit it is; beside
what was measured, if anybody says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tileiras_xdsl.estimate.prediction import LEAST_SHARE, Prediction

from .tables import NotedTable, Table

NOTE: Final = (
    "predicted from the schedule and what was measured of the GPU once; a limit is the time that "
    "one resource alone would take"
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
        yield "clock, GHz", f"{made.gigahertz:.2f}"
        yield "launch, µs", f"{made.launch:.2g}"
        total = measured or made.microseconds
        for name, time in sorted(made.limits.items(), key=lambda each: -each[1]):
            if time >= LEAST_SHARE * total:
                yield f"  {name}", f"{time:.4g} µs, {time / total:.0%}"


class Predictions(NotedTable, tuple[MeasuredPrediction, ...]):
    """Of all kernels of a program; as a string and in notebooks a table."""

    __slots__ = ()

    NOTE = NOTE

    @property
    def table(self) -> Table:
        """A column for each kernel."""
        from .resources import join_cells

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
