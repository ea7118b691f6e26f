"""`benchmarks/weight.py`: what `make weight` counts."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks/weight.py"


@pytest.fixture(scope="module")
def weight() -> ModuleType:
    spec = importlib.util.spec_from_file_location("weight", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lines_of_text(weight: ModuleType, tmp_path: Path):
    (tmp_path / "binary").write_text("\0\n\n")
    (tmp_path / "text.mlir").write_text("one\ntwo\n")
    assert weight.text_lines(tmp_path) == 2


def test_patches_are_found(weight: ModuleType, monkeypatch: pytest.MonkeyPatch):
    """A method that is exchanged, one that is added, and a function."""

    def patch(_: str, *, owns_process: bool) -> None:
        monkeypatch.setattr(textwrap.TextWrapper, "fill", len)
        monkeypatch.setattr(textwrap.TextWrapper, "__len__", len, raising=False)
        monkeypatch.setattr(textwrap, "indent", len)
        monkeypatch.setattr(textwrap, "_no_function", "text", raising=False)

    monkeypatch.setattr(weight, "compile_kernel", patch)
    assert weight.find_patches("", ["textwrap"]) == [
        *("textwrap.TextWrapper.__len__", "textwrap.TextWrapper.fill", "textwrap.indent")
    ]
