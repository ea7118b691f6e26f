"""
Dependencies point one way: a module imports its own layer and those below, and no modules import
each other. `benchmarks/weight_imports.py` says which imports count, and what the layers are.
"""

from __future__ import annotations

import ast
import runpy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tileiras_xdsl.pipeline import PIPELINE

REPOSITORY = Path(__file__).parents[2]
IMPORTS: dict[str, Any] = runpy.run_path(str(REPOSITORY / "benchmarks" / "weight_imports.py"))
PACKAGE: str = IMPORTS["PACKAGE"]
ROOT: Path = IMPORTS["ROOT"]
PURE: tuple[str, ...] = IMPORTS["PURE"]
FIND_GRAPH: Callable[[], Mapping[str, frozenset[str]]] = IMPORTS["find_graph"]
STATEMENTS: Callable[[ast.AST], Iterator[ast.AST]] = IMPORTS["statements"]
IMPORTED: Callable[[ast.AST, str], Iterator[str]] = IMPORTS["imported"]

# All modules are read once, in one process.
pytestmark = pytest.mark.xdist_group("layering")


def test_no_modules_import_each_other():
    assert IMPORTS["find_circles"]() == []


def test_dependencies_point_one_way():
    assert IMPORTS["find_back_arrows"]() == []


def test_every_part_has_a_layer():
    assert {IMPORTS["layer_of"](name) for name in FIND_GRAPH()} == set(IMPORTS["LEVEL"])


def test_circles_and_arrows_are_found(monkeypatch: pytest.MonkeyPatch):
    """Planted ones, of two modules and of three."""
    low, high = f"{PACKAGE}.frontend", f"{PACKAGE}.driver"
    a, b, c, d = f"{low}.text.a", f"{low}.text.b", f"{high}.tools.c", f"{low}.bytecode.d"
    found = {a: {b}, b: {c}, c: {a, d}, d: set[str]()}
    for function in (IMPORTS["find_circles"], IMPORTS["find_back_arrows"]):
        monkeypatch.setitem(function.__globals__, "find_graph", lambda: found)
    assert IMPORTS["find_circles"]() == [sorted((a, b, c))]
    assert IMPORTS["find_back_arrows"]() == [(b, c)]
    found[c] = {d}
    assert IMPORTS["find_circles"]() == []
    found[d] = {c}
    assert IMPORTS["find_circles"]() == [sorted((c, d))]


# Inside of transforms/

TRANSFORMS = f"{PACKAGE}.transforms"
TRANSFORM_LEVELS = ("common", "tt", "cuda_tile", "tileaa", "tileas", "nvgpu", "nvvm", "cpu")
"""The folders, in the order in which programs go through them."""

TILEAS_FOLDERS = {
    "layouts": "tileas-assign-dot-layouts",
    "schedule": "tileas-generate-schedule",
}
"""Folders that passes share, with the first pass that they are for."""


AT_THE_START = ("tileas_plan",)
"""Passes that the pipeline has if somebody asks for them: those in front of level 2."""

AT_THE_END = ("tileas_insert_profiling",)
"""Those that run at the end of level 2."""


def tileas_order() -> list[str]:
    """What is in the folder of level 2, what others stand on first."""
    order = ["kernel_model", *AT_THE_START]
    folders = {first: name for name, first in TILEAS_FOLDERS.items()}
    for step in PIPELINE:
        if step.name in folders:
            order.append(folders[step.name])
        order.append(step.name.replace("-", "_"))
    return [*order, *AT_THE_END]


TILEAS_ORDER = tileas_order()


def rank_of(module: str) -> tuple[int, int] | None:
    """Where a module of transforms/ stands; none if it is elsewhere."""
    parts = module.removeprefix(f"{TRANSFORMS}.").split(".")
    if not module.startswith(f"{TRANSFORMS}."):
        return None
    inner = TILEAS_ORDER.index(parts[1]) if parts[0] == "tileas" and len(parts) > 1 else 0
    return TRANSFORM_LEVELS.index(parts[0]), inner


def test_transforms_are_in_the_order_of_the_pipeline():
    for name, others in FIND_GRAPH().items():
        own = rank_of(name)
        if own is None:
            continue
        for module in others:
            if (imported := rank_of(module)) is not None:
                assert imported <= own, f"{name}: {module} comes later"


def test_ranks_tell_levels_and_passes():
    def rank(name: str) -> tuple[int, int]:
        found = rank_of(f"{TRANSFORMS}.{name}")
        assert found is not None
        return found

    assert rank("common.x") < rank("cuda_tile.x") < rank("tileaa.x") < rank("tileas.kernel_model.x")
    assert rank("tileas.kernel_model.x") < rank("tileas.convert_tileaa_to_tileas.x")
    assert rank("tileas.convert_tileaa_to_tileas.x") < rank("tileas.layouts.x")
    assert rank("tileas.layouts.x") < rank("tileas.tileas_dynamic_persistent")
    assert rank("tileas.tileas_dynamic_persistent") < rank("tileas.schedule.clusters")
    assert rank("tileas.tileas_materialize_convert_layout") < rank("nvgpu.x") < rank("nvvm.x")
    assert rank_of(f"{PACKAGE}.analysis.axis_info_analysis") is None


# Those who look at decisions

ONLOOKERS = sorted(
    [
        *(ROOT / "driver/compiler").rglob("*.py"),
        *(ROOT / "inspection/visual").rglob("*.py"),
        *(ROOT.parents[1] / "benchmarks").rglob("*.py"),
    ]
)
OPEN = (f"{TRANSFORMS}.common", f"{TRANSFORMS}.tileas.kernel_model")
"""What they may ask, beside the attributes of dialects."""


def test_onlookers_are_found():
    assert {path.parent.name for path in ONLOOKERS} >= {"board", "compiler", "visual"}


@pytest.mark.parametrize("path", ONLOOKERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_onlookers_ask_dialects_and_models_not_passes(path: Path):
    names = {
        module
        for node in ast.walk(ast.parse(path.read_text()))
        for module in IMPORTED(node, f"{PACKAGE}.{path.parent.name}")
    }
    assert not {name for name in names if name.startswith(TRANSFORMS) and not name.startswith(OPEN)}


@pytest.mark.parametrize("module", PURE)
def test_pure_modules_import_nothing(module: str):
    assert FIND_GRAPH()[module] == set()


@pytest.mark.parametrize("name", ["__init__.py", "universe.py"])
def test_exempt_modules_import_lazily(name: str):
    source = ast.parse((ROOT / name).read_text())
    found = [each for node in source.body for each in IMPORTED(node, PACKAGE)]
    assert not [each for each in found if each.startswith(PACKAGE)]


def test_imports_that_may_run_count():
    source = """
from typing import TYPE_CHECKING
import tileiras_xdsl.dialects.a as a, numpy
from tileiras_xdsl import pipeline
from . import sibling
from ..text import parser
if TYPE_CHECKING:
    import tileiras_xdsl.backend
else:
    import tileiras_xdsl.in_else
class C:
    def get_canonicalization_patterns(self):
        import tileiras_xdsl.patterns
    def f(self):
        import tileiras_xdsl.in_method
def f():
    from tileiras_xdsl import in_function
"""
    found = [
        each for node in STATEMENTS(ast.parse(source)) for each in IMPORTED(node, "p.dialects")
    ]
    assert found == [
        "typing.TYPE_CHECKING",
        "tileiras_xdsl.dialects.a",
        "numpy",
        "tileiras_xdsl.pipeline",
        "p.dialects.sibling",
        "p.text.parser",
        "tileiras_xdsl.in_else",
        "tileiras_xdsl.in_method",
        "tileiras_xdsl.in_function",
    ]
