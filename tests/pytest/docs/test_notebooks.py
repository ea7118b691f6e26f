"""The notebooks of `docs/notebooks` run from the first cell to the last, without a GPU."""

import json
import os
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[3] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
WANTED = {
    *("attention", "first_look", "gemm", "layouts", "profiling", "python_to_sass", "tokens"),
    "writing_a_pass",
}
MAX_BYTES = 100_000
"""Of a notebook with what its cells showed."""


@pytest.fixture(scope="module")
def runner() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "run_notebooks.py"))


def write(path: Path, *cells: str):
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": c} for c in cells]}))


def test_all_notebooks_are_there():
    assert {path.stem for path in NOTEBOOKS} == WANTED


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path, runner: dict[str, Any]):
    before = os.getcwd()
    execute: Callable[[Path], dict[str, Any]] = runner["execute"]
    notebook = execute(path)
    assert any(cell.get("outputs") for cell in notebook["cells"])
    assert os.getcwd() == before


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_small_and_of_this_format(path: Path):
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert len(text) < MAX_BYTES
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert notebook["cells"][0]["cell_type"] == "markdown"


def test_failures_are_noticed(runner: dict[str, Any], tmp_path: Path):
    path = tmp_path / "wrong.ipynb"
    write(path, "x = 1", "assert x == 2, 'no'")
    with pytest.raises(runner["NotebookError"], match=r"wrong\.ipynb\[2\] failed: .*no"):
        runner["execute"](path)


def test_what_cells_show(runner: dict[str, Any], tmp_path: Path):
    path = tmp_path / "small.ipynb"
    picture = "type('P', (), {'_repr_svg_': lambda self: '<svg/>', '__str__': lambda self: 'P'})()"
    write(path, "print('hello')\n1 + 1", "2;", picture)
    first, second, third = (cell["outputs"] for cell in runner["execute"](path)["cells"])
    assert first[0]["text"] == ["hello\n"]
    assert first[1]["data"] == {"text/plain": ["2"]}
    assert second == []
    assert third[0]["data"] == {"text/plain": ["P"], "image/svg+xml": ["<svg/>"]}
