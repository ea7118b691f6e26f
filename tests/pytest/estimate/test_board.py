"""What `benchmarks/board/accuracy.py` says of predictions for the board, which are kept as data."""

from __future__ import annotations

import importlib
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parents[3] / "benchmarks/board"
SHARES = 0.72, 0.9
"""Of predictions within 15 % and 30 %."""


@cache
def script() -> ModuleType:
    """`accuracy.py`, which imports others of its folder as it does when it is run."""
    saved = sys.path[:]
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("accuracy")
    finally:
        sys.path[:] = saved


def rows() -> list[Any]:
    return [script().Row(**each) for each in json.loads((FOLDER / "predicted.json").read_text())]


def test_recorded_predictions() -> None:
    """They are of what was measured, and as good as docs/planning.md says."""
    measured = script().read_measured()
    found = rows()
    assert len(found) >= 190
    assert {row.name: row.measured for row in found}.items() <= measured.items()
    known = [row for row in found if row.predicted is not None]
    held_out = [row for row in known if row.is_held_out]
    assert 0.2 < len(held_out) / len(known) < 0.5
    for some in (known, held_out):
        assert script().share(some, script().CLOSE) >= SHARES[0]
        assert script().share(some, script().FAR) >= SHARES[1]


def test_summary() -> None:
    """The share of predictions that are close, and the names of those that are far off."""
    Row = script().Row
    found = [
        Row("a", "k", 100.0, 110.0, "L2"),
        Row("b", "k", 100.0, 80.0, "L2"),
        Row("c", "k", 100.0, 20.0, "L2"),
        Row("d", "k", 100.0, None, "2 loops have trip counts that depend on data"),
    ]
    lines = [*script().summarize(found)]
    assert lines[0] == "all: 3 predictions, 33% within 15%, 67% within 30%, 1 further off"
    assert lines[-1] == "  -80%  c, k"


def test_newest_run() -> None:
    """A kernel is compared with the newest run that has it."""
    measured = script().read_measured()
    assert measured["swiglu 8192x14336, _swiglu_forward_kernel"] == 164.003
    assert measured["relu 64x14336, _relu_fwd_kernel"] == 1.607
