"""The reference in `docs/reference` is what the definitions say."""

import re
import runpy
from ast import literal_eval
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from xdsl.ir import Operation

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def generator() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "generate_reference.py"))


def test_reference_is_up_to_date(generator: dict[str, Any]):
    outdated: Callable[[Path], list[str]] = generator["outdated"]
    assert outdated(DOCS / "reference") == [], "run python docs/generate_reference.py"


def test_changes_are_noticed(generator: dict[str, Any], tmp_path: Path):
    pages: dict[str, str] = generator["pages"]()
    outdated: Callable[[Path], list[str]] = generator["outdated"]
    for name, text in pages.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert outdated(tmp_path) == []
    (tmp_path / "passes.md").write_text("## `fuse-fma`\n", encoding="utf-8")
    (tmp_path / "nvgpu.md").unlink()
    (tmp_path / "old.md").touch()
    assert outdated(tmp_path) == ["nvgpu.md", "old.md", "passes.md"]


def test_links_of_the_index_lead_to_headings(generator: dict[str, Any]):
    pages: dict[str, str] = generator["pages"]()
    anchor: Callable[[str], str] = generator["_anchor"]
    headings = {
        f"{name}#{anchor(line.strip('#` '))}"
        for name, text in pages.items()
        for line in text.splitlines()
        if line.startswith("##")
    }
    links = [part.partition(")")[0] for part in pages["dialects.md"].split("](") if ".md#" in part]
    assert len(links) > 500
    assert set(links) <= headings


def test_classes_are_where_the_reference_says(generator: dict[str, Any]):
    """Each op has the place of its class, by which it can be imported."""
    pages: dict[str, str] = generator["pages"]()
    places = r"^`(tileiras_xdsl\.[\w.]+)\.(\w+)(?:\[(.+)\])?`$"
    found = re.findall(places, "\n".join(pages.values()), re.M)
    assert len(found) > 500
    for module, name, key in found:
        value = getattr(import_module(module), name)
        assert issubclass(value[literal_eval(key)] if key else value, Operation)
