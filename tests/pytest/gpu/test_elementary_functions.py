"""`tests/gpu/elementary_functions.py` without a GPU: its kernels, and the tables in the docs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tests.gpu.elementary_functions import (
    DOCS,
    FORMATS,
    TABLES,
    Case,
    Comparison,
    cases,
    fill_tables,
    module_of,
    tables,
)

from tileiras_xdsl.frontend.load import load


def test_each_kernel_has_a_name_of_its_own():
    chosen = cases()
    assert len({case.entry for case in chosen}) == len({case.name for case in chosen}) == 434
    assert {ty for case in chosen for ty in (*case.operands, case.result)} == FORMATS.keys()


@pytest.mark.parametrize(
    "pattern", ["fpowi f16 i8 f16", "ftoi signed saturating f32 i8", "divf*32"]
)
def test_kernels_are_valid(pattern: str):
    chosen = cases(pattern)
    assert chosen
    load(module_of(chosen)).verify()


def report_of(*found: tuple[Case, int]) -> dict[str, Any]:
    results = [
        Comparison(case.name, case.op, case.modifier, case.operands, case.result, 1024, n, n)
        for case, n in found
    ]
    return {"gpu": "GPU", "results": [asdict(each) for each in results]}


def test_tables():
    """A cell for an op and a type has what differs, by modifier."""
    report = report_of(
        (Case("exp", ("f32",), "f32"), 0),
        (Case("exp", ("f32",), "f32", "rounding<approx>"), 2),
        (Case("exp", ("f64",), "f64"), 0),
        (Case("ftof", ("f64",), "tf32"), 0),
    )
    assert tables(report) == (
        "4 kernels, 4,096 results; GPU.\n\n"
        "| op | f32 | f64 |\n| --- | --- | --- |\n"
        "| `exp` | rounding<approx>: 2, by 2 | equal |\n\n"
        "| `ftof` | to tf32 |\n| --- | --- |\n| from f64 | equal |\n\n"
    )


def test_the_docs_have_a_place_for_them(tmp_path: Path):
    page = tmp_path / "numerics.md"
    page.write_text(DOCS.read_text(encoding="utf-8"), encoding="utf-8")
    report = json.loads(json.dumps(report_of((Case("exp", ("f32",), "f32"), 0))))
    fill_tables(report, page)
    once = page.read_text(encoding="utf-8")
    assert "| `exp` | equal |" in once
    fill_tables(report, page)
    assert page.read_text(encoding="utf-8") == once
    assert len(TABLES.findall(once)) == 1
