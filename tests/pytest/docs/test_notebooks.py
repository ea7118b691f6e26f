"""The notebooks of `docs/notebooks` run from the first cell to the last, without a GPU."""

import json
import os
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tileiras_xdsl as tx

DOCS = Path(__file__).parents[3] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
PATH = (
    *("first_look", "python_to_sass", "layouts", "tokens", "gemm", "attention", "profiling"),
    *("writing_a_pass", "cpu", "triton"),
)
"""All notebooks, in the order in which they are read."""
MAX_BYTES = 100_000
"""Of a notebook with what its cells showed."""


@pytest.fixture(scope="module")
def runner() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "run_notebooks.py"))


def write(path: Path, *cells: str):
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": c} for c in cells]}))


def text_of(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def test_the_path_through_all_notebooks():
    """Titles are numbered, and each one ends with the next; all have exercises with solutions."""
    assert sorted(PATH) == [path.stem for path in NOTEBOOKS]
    for number, name in enumerate(PATH, 1):
        notebook = json.loads((DOCS / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
        first, *_, last = notebook["cells"]
        assert text_of(first).startswith(f"# {number}. ")
        if number < len(PATH):
            assert f"Next: [{number + 1}. " in text_of(last)
            assert f"]({PATH[number]}.ipynb)" in text_of(last).partition("Next: ")[2]
        exercises = re.findall(r"^\*\*\d\.\*\*", "\n".join(map(text_of, notebook["cells"])), re.M)
        solutions = [cell for cell in notebook["cells"] if is_solution(cell)]
        assert len(exercises) == len(solutions) > 0
        assert all(cell["metadata"]["jupyter"]["source_hidden"] for cell in solutions)


def is_solution(cell: dict[str, Any]) -> bool:
    return "solution" in cell["metadata"].get("tags", ())


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


@pytest.mark.parametrize(
    ("program", "kernel"),
    [
        (DOCS / "notebooks" / "transpose.tileirbc", "transpose"),
        (tx.examples["softmax"], "softmax"),
        (tx.examples["gemm"], "matmul"),
        (tx.examples["attention"], "attention"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_programs_of_notebooks_show_their_kernel(
    program: Any, kernel: str, monkeypatch: pytest.MonkeyPatch
):
    # Where notebooks run, another file `kernels.py` lies.
    monkeypatch.chdir(DOCS / "notebooks")
    source = tx.explore(program).source
    assert source is not None
    assert source.lines[1].startswith(f"def {kernel}(")
    assert source.faults == ()
