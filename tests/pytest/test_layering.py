"""
Dependencies point one way: a module imports its own layer and those below.

Only what runs when a module is imported counts. An import inside a function is how a dialect
reaches its canonicalization patterns, and how the universe reaches everything.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tileiras_xdsl.pipeline import PIPELINE

PACKAGE = "tileiras_xdsl"
ROOT = Path(__file__).parents[2] / "src" / PACKAGE

LAYERS = (
    ("targets", "xdsl_extras"),
    ("dialects",),
    ("analysis", "bytecode", "interpreter", "proofs", "text", "transforms"),
    ("backend", "estimate", "frontend"),
    ("pipeline",),
    ("compiler", "reduction", "visual"),
    ("exploration", "profiling", "validation"),
    ("cutile", "service", "tools", "tuning"),
    ("demos",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
PURE = ("tileiras_xdsl.analysis.linear_layout",)
"""Mathematics that imports nothing of the project, so everything may import it."""

EXEMPT = ("", "universe")
"""The package itself and the list of what it has; their imports are pinned below."""

FILES = sorted(ROOT.rglob("*.py"))


def is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def eager_imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements that run with the module."""
    match node:
        case ast.Import() | ast.ImportFrom():
            yield node
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.expr():
            return
        case ast.If() if is_type_checking(node.test):
            for child in node.orelse:
                yield from eager_imports(child)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from eager_imports(child)


def module_parts(path: Path) -> tuple[str, ...]:
    parts = (PACKAGE, *path.relative_to(ROOT).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def imported_modules(source: str, package: tuple[str, ...]) -> Iterator[str]:
    """The modules, or names of modules, that the source imports when it runs in `package`."""
    for node in eager_imports(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            continue
        base = ".".join(package[: len(package) + 1 - node.level]) if node.level else ""
        module = ".".join(part for part in (base, node.module) if part)
        if module == PACKAGE:
            yield from (f"{module}.{alias.name}" for alias in node.names)
        else:
            yield module


def layer_of(module: str) -> str:
    """The part of the project that a module belongs to: `dialects`, `pipeline`, …"""
    return module.split(".")[1] if "." in module else ""


@cache
def project_imports(path: Path) -> frozenset[str]:
    parts = module_parts(path)
    package = parts if path.name == "__init__.py" else parts[:-1]
    return frozenset(
        module
        for module in imported_modules(path.read_text(), package)
        if module.split(".")[0] == PACKAGE
    )


def test_dependencies_point_one_way():
    for path in FILES:
        own = layer_of(".".join(module_parts(path)))
        if own in EXEMPT:
            continue
        assert own in LEVEL, f"give {own} a layer"
        for module in project_imports(path):
            imported = layer_of(module)
            if imported != "" and module not in PURE:
                assert imported in LEVEL, f"{path}: {module} has no layer"
                assert LEVEL[imported] <= LEVEL[own], f"{path}: {own} may not import {module}"


# Inside of transforms/

TRANSFORMS = f"{PACKAGE}.transforms"
TRANSFORM_LEVELS = ("common", "cuda_tile", "tileaa", "tileas", "nvgpu", "nvvm")
"""The folders, in the order in which programs go through them."""

INTEROP = "interop"
"""The folder of what several levels have for programs of others; it has no place in the order."""

TILEAS_FOLDERS = {
    "layouts": "tileas-assign-dot-layouts",
    "schedule": "tileas-generate-schedule",
}
"""Folders that passes share, with the first pass that they are for."""


AT_THE_END = ("tileas_insert_profiling",)
"""Passes that are not in the pipeline, and run at the end of level 2 if somebody asks for them."""


def tileas_order() -> list[str]:
    """What is in the folder of level 2, what others stand on first."""
    order = ["kernel_model"]
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
    if not module.startswith(f"{TRANSFORMS}.") or parts[0] == INTEROP:
        return None
    inner = TILEAS_ORDER.index(parts[1]) if parts[0] == "tileas" and len(parts) > 1 else 0
    return TRANSFORM_LEVELS.index(parts[0]), inner


def test_transforms_are_in_the_order_of_the_pipeline():
    for path in sorted((ROOT / "transforms").rglob("*.py")):
        own = rank_of(".".join(module_parts(path)))
        if own is None:
            continue
        for module in project_imports(path):
            if (imported := rank_of(module)) is not None:
                assert imported <= own, f"{path}: {module} comes later"


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
        *(ROOT / "compiler").rglob("*.py"),
        *(ROOT / "visual").rglob("*.py"),
        *(ROOT.parents[1] / "benchmarks").rglob("*.py"),
    ]
)
OPEN = (f"{TRANSFORMS}.common", f"{TRANSFORMS}.tileas.kernel_model")
"""What they may ask, beside the attributes of dialects."""


@pytest.mark.parametrize("path", ONLOOKERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_onlookers_ask_dialects_and_models_not_passes(path: Path):
    source = path.read_text()
    names = {
        module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module in imported_modules(ast.unparse(node), (PACKAGE, path.parent.name))
    }
    assert not {name for name in names if name.startswith(TRANSFORMS) and not name.startswith(OPEN)}


@pytest.mark.parametrize("module", PURE)
def test_pure_modules_import_nothing(module: str):
    path = ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")
    assert project_imports(path) == set()


@pytest.mark.parametrize("name", ["__init__.py", "universe.py"])
def test_exempt_modules_import_lazily(name: str):
    assert project_imports(ROOT / name) == set()


def test_eager_imports_are_told_from_lazy_ones():
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
try:
    import tileiras_xdsl.in_try
except ImportError:
    pass
class C:
    import tileiras_xdsl.in_class
    def f(self):
        import tileiras_xdsl.in_method
def f():
    from tileiras_xdsl import in_function
"""
    assert list(imported_modules(source, ("tileiras_xdsl", "dialects"))) == [
        "typing",
        "tileiras_xdsl.dialects.a",
        "numpy",
        "tileiras_xdsl.pipeline",
        "tileiras_xdsl.dialects",
        "tileiras_xdsl.text",
        "tileiras_xdsl.in_else",
        "tileiras_xdsl.in_try",
        "tileiras_xdsl.in_class",
    ]
