"""
Executes notebooks without Jupyter: the code cells of a file, one after the other.

    python docs/run_notebooks.py                       # executes all of them
    python docs/run_notebooks.py gemm --write          # and keeps what they show

A cell shows what it prints, and the value of its last expression. Kept are text and small
pictures; pages are left for Jupyter to show.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import linecache
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notebooks"
MAX_PICTURE = 25_000
"""Characters of a picture that is kept."""

Output = dict[str, Any]
Cell = dict[str, Any]


class NotebookError(Exception):
    """A cell that failed; the cause says why."""


def find_notebooks() -> list[Path]:
    """All notebooks, by name."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> dict[str, Any]:
    """A notebook as it is stored."""
    return json.loads(path.read_text(encoding="utf-8"))


def execute(path: Path, *, keep_html: bool = False) -> dict[str, Any]:
    """
    Runs all cells in the notebook's folder; returns the notebook with what they showed, pages too
    if that is asked for.
    """
    notebook = read(path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    with contextlib.chdir(path.parent):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                cell["outputs"] = list(
                    execute_cell(path, number, cell, namespace, keep_html=keep_html)
                )
                cell["execution_count"] = None
    return notebook


def execute_cell(
    path: Path, number: int, cell: Cell, namespace: dict[str, Any], *, keep_html: bool = False
) -> Iterator[Output]:
    """Runs one cell, and gives what it showed."""
    source = "".join(cell["source"])
    name = f"{path.name}[{number}]"
    # Tracebacks, and whoever asks for the source of a function, find it here.
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            value = evaluate(source, name, namespace)
            shown = None if value is None else show(value, keep_html=keep_html)
    except Exception as error:
        raise NotebookError(f"{name} failed: {error!r}\n{source}") from error
    if printed.getvalue():
        yield {"output_type": "stream", "name": "stdout", "text": lines_of(printed.getvalue())}
    if shown is not None:
        yield {
            "output_type": "execute_result",
            "execution_count": None,
            "metadata": {},
            "data": shown,
        }


def evaluate(source: str, name: str, namespace: dict[str, Any]) -> object:
    """Runs statements; the value of the last one if it is an expression without a semicolon."""
    tree = ast.parse(source, name)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or source.rstrip().endswith(";"):
        exec(compile(tree, name, "exec"), namespace)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), name, "exec"), namespace)
    return eval(compile(ast.Expression(last.value), name, "eval"), namespace)


def show(value: object, *, keep_html: bool = False) -> dict[str, list[str]]:
    """What Jupyter shows of a value: all forms it has are made, the small ones are kept."""
    data: dict[str, list[str]] = {"text/plain": lines_of(repr(value))}
    for method, kind in (("_repr_svg_", "image/svg+xml"), ("_repr_html_", "text/html")):
        write = getattr(value, method, None)
        if write is None:
            continue
        data["text/plain"] = lines_of(str(value))
        text: object = write()
        if not isinstance(text, str):
            raise TypeError(f"{method} of {type(value).__name__} is no text")
        if keep_html or (kind == "image/svg+xml" and len(text) <= MAX_PICTURE):
            data[kind] = lines_of(text)
    return data


def lines_of(text: str) -> list[str]:
    """Text as notebooks store it."""
    return text.splitlines(keepends=True)


def write_notebook(path: Path, notebook: dict[str, Any]) -> None:
    """Stores a notebook as Jupyter does."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Executes the notebooks of docs/notebooks.")
    parser.add_argument("names", nargs="*", help="of notebooks; all without one")
    parser.add_argument("--write", action="store_true", help="keep what the cells show")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - {path.stem for path in find_notebooks()}:
        parser.error(f"there is no notebook {', '.join(sorted(unknown))}")
    for path in find_notebooks():
        if options.names and path.stem not in options.names:
            continue
        start = time.perf_counter()
        try:
            notebook = execute(path)
        except NotebookError as error:
            print(error, file=sys.stderr)
            return 1
        print(f"{path.stem}: {time.perf_counter() - start:.1f} s")
        if options.write:
            write_notebook(path, notebook)
    return 0


if __name__ == "__main__":
    # Cells of notebooks use no terminal and no cache.
    os.environ.setdefault("TILEIRAS_XDSL_CACHE", "0")
    sys.exit(main())
