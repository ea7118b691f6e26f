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


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A package whose modules import each other."""
    files = {
        "src/tileiras_xdsl/__init__.py": "",
        "src/tileiras_xdsl/low/__init__.py": "from . import a",
        "src/tileiras_xdsl/low/a.py": "def f():\n    from .b import g\n",
        "src/tileiras_xdsl/low/b.py": "import tileiras_xdsl.low.c\nfrom .. import pure\n",
        "src/tileiras_xdsl/low/c.py": "from ..low import a\nfrom ..high.d import name\n",
        "src/tileiras_xdsl/high/__init__.py": "",
        "src/tileiras_xdsl/high/d.py": (
            "if TYPE_CHECKING:\n    from . import e\nfrom tileiras_xdsl.low.b import g\n"
        ),
        "src/tileiras_xdsl/high/e.py": "from . import d\n",
        "src/tileiras_xdsl/pure.py": "",
        "tests/pytest/test_layering.py": (
            'LAYERS = (("low",), ("high", "pure"))\nPURE = ("tileiras_xdsl.pure",)\n'
        ),
        "tests/binary": "\0\n\n",
        "tests/text.mlir": "one\ntwo\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_circles(weight: ModuleType, tree: Path):
    """Imports inside functions count, those for type checking do not."""
    circle = ["high.d", "low.a", "low.b", "low.c"]
    assert weight.find_circles(weight.import_graph(tree)) == [
        [f"tileiras_xdsl.{name}" for name in circle]
    ]


def test_imports_of_a_higher_layer(weight: ModuleType, tree: Path):
    assert weight.find_back_arrows(weight.import_graph(tree), tree) == [
        ("tileiras_xdsl.low.c", "tileiras_xdsl.high.d")
    ]


def test_lines_of_text(weight: ModuleType, tree: Path):
    assert weight.text_lines(tree / "tests") == 4


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
