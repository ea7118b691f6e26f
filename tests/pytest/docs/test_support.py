"""The tables of `docs/support.md` are what the code says."""

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def generator() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "generate_support.py"))


@pytest.fixture(scope="module")
def text() -> str:
    return (DOCS / "support.md").read_text(encoding="utf-8")


def test_tables_are_up_to_date(generator: dict[str, Any], text: str):
    fill: Callable[[str], str] = generator["fill"]
    assert fill(text) == text, "run python docs/generate_support.py"


def test_every_table_has_a_place(generator: dict[str, Any], text: str):
    missing: Callable[[str], Iterator[str]] = generator["missing"]
    assert list(missing(text)) == []
    assert "products" in list(missing(text.replace("<!-- table: products -->", "")))


def test_changes_are_noticed(generator: dict[str, Any], text: str):
    fill: Callable[[str], str] = generator["fill"]
    changed = text.replace("| `f64` | `f64` | `m8n8k4` |", "| `f64` | `f64` | `m16n8k8` |")
    assert changed != text
    assert fill(changed) == text
