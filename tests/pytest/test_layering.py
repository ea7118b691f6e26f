"""
Dependencies point one way: a module imports its own layer and those below.

Only what runs when a module is imported counts. An import inside a function is how a dialect
reaches its canonicalization patterns, and how the universe reaches everything.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "tileiras_xdsl"
ROOT = Path(__file__).parents[2] / "src" / PACKAGE

LAYERS = (
    ("targets", "xdsl_extras"),
    ("dialects",),
    ("analysis", "bytecode", "interpreter", "text", "transforms"),
    ("backend", "cutile", "frontend"),
    ("pipeline",),
    ("compiler", "visual"),
    ("explore",),
    ("tools",),
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
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
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


def project_imports(path: Path) -> set[str]:
    parts = module_parts(path)
    package = parts if path.name == "__init__.py" else parts[:-1]
    return {
        module
        for module in imported_modules(path.read_text(), package)
        if module.split(".")[0] == PACKAGE
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_dependencies_point_one_way(path: Path):
    own = layer_of(".".join(module_parts(path)))
    if own in EXEMPT:
        return
    assert own in LEVEL, f"give {own} a layer"
    for module in project_imports(path):
        imported = layer_of(module)
        if imported != "" and module not in PURE:
            assert imported in LEVEL, f"{module} has no layer"
            assert LEVEL[imported] <= LEVEL[own], f"{own} may not import {module}"


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
