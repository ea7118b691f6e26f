"""The docstring of every package lists its modules; `make reference` writes the lists."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[3] / "docs" / "generate_modules.py"
GENERATOR: dict[str, Any] = runpy.run_path(str(SCRIPT))
ROOT: Path = GENERATOR["ROOT"]
PACKAGES: list[Path] = GENERATOR["find_packages"]()


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_lists_are_as_they_are_written(path: Path):
    assert GENERATOR["with_list"](path) == path.read_text()


def test_lists(tmp_path: Path):
    """Modules and packages; of a long sentence the part that fits."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "__init__.py").write_text('"""The inner\npart. It has more."""\n')
    (tmp_path / "__main__.py").write_text("")
    (tmp_path / "long.py").write_text(f'"""Something, {"long " * 30}."""\n')
    (tmp_path / "word.py").write_text(f'"""{"long " * 30}."""\n')
    package = tmp_path / "__init__.py"
    package.write_text('"""A package."""\n\nimport os\n')
    made = GENERATOR["with_list"](package)
    inner, something, word, *rest = made.splitlines()[5:]
    assert (inner, something) == ("    inner: The inner part", "    long: Something")
    assert word.endswith("long …")
    assert len(word) <= 100
    assert rest == ['"""', "", "import os"]
    package.write_text(made)
    assert GENERATOR["with_list"](package) == made
    (tmp_path / "word.py").unlink()
    assert GENERATOR["with_list"](package) == made.replace(f"{word}\n", "")
