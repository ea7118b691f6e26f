"""Layouts of tensor memory against the formulas of the PTX ISA."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tileiras_xdsl.analysis.linear_layout import rank
from tileiras_xdsl.analysis.tensor_memory_layouts import (
    AccumulatorKind,
    accumulator_columns,
    accumulator_kind,
    accumulator_layout,
)
from tileiras_xdsl.targets.tcgen05 import COLUMNS

Place = tuple[int, int]

ACCUMULATORS: dict[AccumulatorKind, Callable[[int, int, int], Place]] = {
    "D": lambda row, column, n: (row, column),
    "A": lambda row, column, n: (row, column),
    "F": lambda row, column, n: (row % 16 + 32 * (row // 16), column),
    "C": lambda row, column, n: (row % 16 + 32 * (row // 16), column),
    "B": lambda row, column, n: (row + 64 * (column // (n // 2)), column % (n // 2)),
    "E": lambda row, column, n: (row + 64 * (column // (n // 2)), column % (n // 2)),
    "G": lambda row, column, n: (row + 32 * (column // (n // 4)), column % (n // 4)),
}


@pytest.mark.parametrize("kind", list(ACCUMULATORS))
@pytest.mark.parametrize("n", [16, 128, 256])
def test_accumulators(kind: AccumulatorKind, n: int):
    layout, formula = accumulator_layout(kind, n), ACCUMULATORS[kind]
    rows = {"A": 128, "D": 128, "G": 32}.get(kind, 64)
    assert 1 << len(layout.bases("row")) == rows
    assert rank(layout.all_bases) == len(layout.all_bases)
    for row in (0, 1, 15, 16, rows // 2, rows - 1):
        for column in (0, 1, 7, n // 4, n // 2, n - 1):
            place = divmod(layout.element(row=row, column=column), COLUMNS)
            assert place == formula(row, column, n)
            assert place[1] < accumulator_columns(kind, n)


@pytest.mark.parametrize(
    ("m", "group", "kind"),
    [(128, 1, "D"), (64, 1, "F"), (256, 2, "A"), (128, 2, "B"), (32, 1, None)],
)
def test_kinds(m: int, group: int, kind: str | None):
    assert accumulator_kind(m, group) == kind
