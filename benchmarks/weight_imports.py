"""
The imports between modules of the project: circles, and arrows from a lower layer to a higher one.

    python benchmarks/weight_imports.py            both, by name

Every import that may run counts, also one inside a function. Those for the type checker never run.
Three exceptions: a dialect reaches its canonicalization patterns inside methods, as xDSL has it;
`universe.py` is the list of all dialects and passes; the package itself imports what somebody asks
it for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

PACKAGE: Final = "tileiras_xdsl"
ROOT: Final = Path(__file__).parents[1] / "src" / PACKAGE

LAYERS: Final = (
    ("targets", "xdsl_extras"),
    ("dialects",),
    ("analysis", "frontend.bytecode", "frontend.text", "transforms.common"),
    ("cost",),
    ("transforms",),
    ("pipeline",),
    ("frontend",),
    ("backend", "interpreter"),
    ("checking", "driver.compiler", "inspection.visual"),
    ("plan",),
    ("inspection",),
    ("cutile", "triton", "driver"),
    ("driver.demos",),
)
"""The parts of the project, those that others stand on first; a folder of a part may be apart."""
LEVEL: Final = {name: level for level, names in enumerate(LAYERS) for name in names}
PURE: Final = (f"{PACKAGE}.analysis.linear_layout",)
"""Mathematics that imports nothing of the project, so everything may import it."""
EXEMPT: Final = (PACKAGE, f"{PACKAGE}.universe")
"""The package itself and the list of what it has."""
ASKED_FOR_PATTERNS: Final = ("get_canonicalization_patterns", "fold")
"""Methods of dialects that import patterns of `transforms`."""

Graph = Mapping[str, frozenset[str]]


def name_of(path: Path) -> str:
    """The name of the module in a file."""
    parts = (PACKAGE, *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def find_modules() -> Mapping[str, Path]:
    """The files of the project by the names of their modules."""
    return {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


def imported(node: ast.AST, package: str) -> Iterator[str]:
    """The modules that an import statement in a package names, or what it takes from them."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parts = package.split(".")
        base = ".".join(parts[: len(parts) + 1 - node.level]) if node.level else ""
        module = ".".join(part for part in (base, node.module) if part)
        yield from (f"{module}.{alias.name}" for alias in node.names)


def module_in(name: str) -> str | None:
    """The module that a name is, or is taken from."""
    modules = find_modules()
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def is_exempt(node: ast.AST) -> bool:
    """Whether a node is for the type checker, or a method by which xDSL asks for patterns."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    return isinstance(node, ast.FunctionDef) and node.name in ASKED_FOR_PATTERNS


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements in a node that count."""
    if is_exempt(node):
        fields = ("orelse",) if isinstance(node, ast.If) else ()
    else:
        fields = ("body", "handlers", "cases", "orelse", "finalbody")
    for field in fields:
        for child in getattr(node, field, ()):
            yield child
            yield from statements(child)


@cache
def find_graph() -> Graph:
    """Which modules each module imports."""
    graph: dict[str, frozenset[str]] = {}
    for name, path in find_modules().items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        found = {
            module
            for node in statements(ast.parse(path.read_text()))
            for each in imported(node, package)
            if (module := module_in(each)) is not None
        }
        graph[name] = frozenset(found - {name, *EXEMPT})
    return {name: found for name, found in graph.items() if name not in EXEMPT}


def find_circles() -> list[list[str]]:
    """The groups of modules that import each other, directly or by others; the largest first."""
    graph = find_graph()
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    circles: list[list[str]] = []

    def visit(root: str) -> None:
        pending = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while pending:
            name, left = pending[-1]
            for other in left:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    pending.append((other, iter(sorted(graph[other]))))
                    break
                if other in stack:
                    low[name] = min(low[name], index[other])
            else:
                pending.pop()
                if pending:
                    above = pending[-1][0]
                    low[above] = min(low[above], low[name])
                if low[name] == index[name]:
                    start = stack.index(name)
                    group = stack[start:]
                    del stack[start:]
                    if len(group) > 1:
                        circles.append(sorted(group))

    for name in graph:
        if name not in index:
            visit(name)
    return sorted(circles, key=len, reverse=True)


def layer_of(module: str) -> str:
    """The part of the project that a module belongs to: `dialects`, `driver.demos`, …"""
    parts = module.split(".")[1:]
    return folder if (folder := ".".join(parts[:2])) in LEVEL else parts[0]


def find_back_arrows() -> list[tuple[str, str]]:
    """Modules with one of a higher layer that they import."""
    return [
        (name, other)
        for name, others in find_graph().items()
        for other in sorted(others)
        if other not in PURE and LEVEL[layer_of(other)] > LEVEL[layer_of(name)]
    ]


def main() -> None:
    for circle in find_circles():
        print(f"circle of {len(circle)}: {' '.join(circle)}")
    for lower, higher in find_back_arrows():
        print(f"back arrow: {lower} -> {higher}")


if __name__ == "__main__":
    main()
