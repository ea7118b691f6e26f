"""
Plants bugs in the compiler, one at a time, and reports which test notices.

    python benchmarks/mutants.py --count 60 --jobs 2 --seconds 1200
    python benchmarks/mutants.py --only transforms/tileas/tileas_insert_barriers --count 20

A mutant is a copy of one module, in memory, in which one rule is flipped: a comparison, an
operator, a condition, a number, or a statement that is left out. The tests that are about the
module run until one fails: those of its name first, FileCheck tests before others, then those that
import it, those of modules that import it, and all of the folder, then cases that `make test`
leaves to `make more`, and random programs. A mutant that no test notices is printed with its line:
either it makes no difference, or a test is missing.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
TESTS = ROOT / "tests/pytest"
FILECHECK = ROOT / "tests/filecheck"

FOLDERS = (
    *("transforms", "analysis", "backend/translate", "frontend/bytecode", "interpreter"),
    *("dialects/cuda_tile", "dialects/nv_tileaa", "dialects/nv_tileas"),
)
"""Where bugs are planted, below the package, unless modules are chosen."""
RANDOM_TESTS = ("fuzz",)
"""Folders of tests that run after those about the module."""

OPERATORS: dict[type[ast.AST], type[Any]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult},
    **{
        ast.LShift: ast.RShift,
        ast.RShift: ast.LShift,
        ast.BitAnd: ast.BitOr,
        ast.BitOr: ast.BitAnd,
    },
}


@dataclass(frozen=True)
class Site:
    """A place where a module can be changed."""

    number: int
    line: int
    what: str


class Mutator(ast.NodeTransformer):
    """Changes the place of a number, or with none only lists the places."""

    def __init__(self, number: int | None = None):
        self.number = number
        self.sites: list[Site] = []

    def _is_here(self, node: Any, what: str) -> bool:
        """Whether this place is to be changed."""
        site = Site(len(self.sites), node.lineno, what)
        self.sites.append(site)
        return site.number == self.number

    # What is no rule: types, messages, assertions

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        if "TYPE_CHECKING" in ast.unparse(node.test):
            return node
        for value in (True, False):
            if self._is_here(node, f"if {ast.unparse(node.test)} -> if {value}"):
                node.test = ast.copy_location(ast.Constant(value), node.test)
                return node
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(each) for each in node.body]
        return node

    # What is changed

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        other = OPERATORS.get(type(node.ops[0]))
        if len(node.ops) == 1 and other is not None:
            text = ast.unparse(node)
            if self._is_here(node, f"{text} -> {other.__name__}"):
                node.ops = [other()]
                return node
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        other = OPERATORS[type(node.op)]
        if self._is_here(node, f"{ast.unparse(node)} -> {other.__name__}"):
            node.op = other()
            return node
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        other = OPERATORS.get(type(node.op))
        if other is not None and not _is_type(node):
            if self._is_here(node, f"{ast.unparse(node)} -> {other.__name__}"):
                node.op = other()
                return node
            return self.generic_visit(node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not) and self._is_here(node, f"{ast.unparse(node)} -> without"):
            return node.operand
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and self._is_here(node, f"{node.value} -> {node.value + 1}"):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        if type(node.value) is bool and self._is_here(node, f"{node.value} -> {not node.value}"):
            return ast.copy_location(ast.Constant(not node.value), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Call) and self._is_here(
            node, f"left out: {ast.unparse(node)}"
        ):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


def _is_type(node: ast.BinOp) -> bool:
    """Whether `A | B` joins types, as in `isinstance`."""
    return isinstance(node.op, ast.BitOr) and bool(re.match(r"[A-Z]", ast.unparse(node.right)))


def sites_of(path: Path) -> list[Site]:
    """The places where a module can be changed."""
    mutator = Mutator()
    mutator.visit(ast.parse(path.read_text()))
    return mutator.sites


# In the processes of the tests

HOOK = f"""
import sys

sys.path.append({str(Path(__file__).parent)!r})
import mutants

sys.path.pop()
sys.meta_path.insert(0, mutants.MutantFinder($module, $number))
"""
"""`sitecustomize`, which Python imports at its start: servers and tools have the mutant, too."""


class MutantFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module with a change."""

    def __init__(self, module: str, number: int):
        self.module, self.number = module, number

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.module:
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path)
        assert found is not None
        assert found.origin is not None
        self.path = Path(found.origin)
        return importlib.util.spec_from_file_location(name, found.origin, loader=self)

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        tree = Mutator(self.number).visit(ast.parse(self.path.read_text()))
        code = compile(ast.fix_missing_locations(tree), str(self.path), "exec")
        exec(code, module.__dict__)


# Mutants and their tests


@dataclass(frozen=True)
class Mutant:
    """A module with a change."""

    path: Path
    site: Site

    @property
    def module(self) -> str:
        name = str(self.path.relative_to(SOURCE).with_suffix("")).replace("/", ".")
        return name.removesuffix(".__init__")

    def __str__(self) -> str:
        return (
            f"{self.path.relative_to(SOURCE / 'tileiras_xdsl')}:{self.site.line}: {self.site.what}"
        )


START = "start"
"""For the name of a test: no test ran, because nothing compiles or not even an import succeeds."""
IN_PARTS = ("--part=all",)
"""The option of pytest for what `make test` leaves out."""


def tests_of(mutant: Mutant) -> Iterator[tuple[list[Path], Sequence[str]]]:
    """Test files about a module and options of pytest, the nearest first, none twice."""
    stem = mutant.path.stem if mutant.path.stem != "__init__" else mutant.path.parent.name
    parts = mutant.module.split(".")[1:]
    files = sorted(TESTS.rglob("test_*.py"))
    checked = sorted(FILECHECK.rglob("*.mlir"))
    pattern = re.compile(rf"\b{re.escape('.'.join(parts[-2:]))}\b|from \.{stem}\b")
    users = {path.stem for path in SOURCE.rglob("*.py") if pattern.search(path.read_text())}
    chosen = [
        [path for path in checked if _is_about(path, parts, stem)],
        [path for path in checked if users.intersection((path.stem, path.parent.name))],
        [path for path in files if stem in path.stem or path.stem[5:] in parts],
        [path for path in files if pattern.search(path.read_text())],
        [path for path in files if path.stem[5:] in users],
        [path for path in checked if parts[0] in path.parts],
        *([path for path in files if path.parent.name == part] for part in reversed(parts[:-1])),
    ]
    seen: set[Path] = set()
    for paths in (chosen[0] + chosen[1], chosen[2] + chosen[3] + chosen[4], *chosen[5:]):
        yield [path for path in dict.fromkeys(paths) if path not in seen], ()
        seen.update(paths)
    in_parts = sorted({*chosen[2], *chosen[3]})
    yield in_parts, IN_PARTS
    random_tests = [path for path in files if path.parent.name in RANDOM_TESTS]
    yield [path for path in random_tests if path not in in_parts], IN_PARTS


def _is_about(path: Path, parts: Sequence[str], stem: str) -> bool:
    """Whether the name of a FileCheck test is that of a module, or of a part of its dialect."""
    name = path.stem.removesuffix("_invalid")
    if parts[0] == "dialects":
        return path.parent.name in parts and (name in stem or stem in name)
    if {name, path.parent.name} & {*parts[1:]} or (len(parts) > 3 and parts[-2][:10] in name):
        return True
    return any(word in name for word in stem.split("_") if len(word) > 4)


class Runner:
    """Runs tests, and knows those that fail without any change."""

    def __init__(self, limit: float):
        self.limit = limit
        """Seconds of tests for each mutant."""
        self.broken: set[str] = set()

    def first_failure(
        self, tests: Sequence[str], options: Sequence[str], mutant: Mutant | None, seconds: float
    ) -> str | None:
        """The first test that fails, `None` if there is none, or time is up."""
        with tempfile.TemporaryDirectory() as folder:
            if mutant is not None:
                hook = Template(HOOK).substitute(
                    module=repr(mutant.module), number=mutant.site.number
                )
                Path(folder, "sitecustomize.py").write_text(hook)
            return self._first_failure(tests, options, folder, seconds)

    def _first_failure(
        self, tests: Sequence[str], options: Sequence[str], folder: str, seconds: float
    ) -> str | None:
        is_pytest = not tests[0].endswith(".mlir")
        if is_pytest:
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
            command += ["--no-header", "--tb=no", *options, *tests]
            command += [f"--deselect={test}" for test in sorted(self.broken)]
        else:
            command = [sys.executable, "-c", "from lit.main import main; main()", "-q", "-j1"]
            command += ["--max-failures=1"]
            command += [test for test in tests if test not in self.broken]
        environment = {
            **os.environ,
            "TILEIRAS_XDSL_SERVER": "0",
            "TILEIRAS_XDSL_CACHE": "0",
            "PYTHONPATH": os.pathsep.join([folder, str(SOURCE), os.environ.get("PYTHONPATH", "")]),
        }
        try:
            result = subprocess.run(
                command,
                env=environment,
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return None
        if result.returncode in (0, 5):
            return None
        if is_pytest:
            found = re.search(
                r"^(?:FAILED|ERROR) ([^[\s]+(?:\[.*\])?)", result.stdout, re.MULTILINE
            )
            return found[1] if found else START
        found = re.search(r"^ *tileiras_xdsl :: (\S+)", result.stdout, re.MULTILINE)
        return str(FILECHECK / found[1]) if found else START

    def try_mutant(self, mutant: Mutant) -> tuple[str, float]:
        """
        Runs tests until one fails that does not fail without the change, or time is up: the test,
        empty if there is none, and seconds.
        """
        start = time.perf_counter()
        for paths, options in tests_of(mutant):
            while paths and (left := self.limit - (time.perf_counter() - start)) > 5:
                test = self.first_failure([str(path) for path in paths], options, mutant, left)
                if test is None:
                    break
                again = str(paths[0]) if test == START else test
                if self.first_failure([again], options, None, self.limit) is None:
                    return test, time.perf_counter() - start
                self.broken.add(again)
        return "", time.perf_counter() - start


def choose(count: int, only: Sequence[str], seed: int, line: int | None) -> list[Mutant]:
    """Mutants of different modules, as far as there are enough."""
    generator = random.Random(seed)
    package = SOURCE / "tileiras_xdsl"
    folders = ("",) if only else FOLDERS
    paths = [path for folder in folders for path in sorted((package / folder).rglob("*.py"))]
    if only:
        paths = [path for path in paths if any(part in str(path) for part in only)]
    generator.shuffle(paths)
    found: list[Mutant] = []
    sites = {path: sites_of(path) for path in paths}
    if line is not None:
        sites = {path: [each for each in sites[path] if each.line == line] for path in paths}
    while len(found) < count and any(sites.values()):
        for path in paths:
            if sites[path] and len(found) < count:
                site = sites[path].pop(generator.randrange(len(sites[path])))
                found.append(Mutant(path, site))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=40, help="how many mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=1200, help="start none after that")
    parser.add_argument("--limit", type=float, default=150, help="seconds of tests for each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", default=[], help="parts of paths of modules")
    parser.add_argument("--line", type=int, help="only changes of this line, with --only")
    parser.add_argument(
        "--json", type=Path, help="outcomes; mutants that were noticed do not run again"
    )
    given = parser.parse_args()
    start = time.perf_counter()
    mutants = choose(given.count, given.only, given.seed, given.line)
    known: dict[str, Sequence[Any]] = {}
    if given.json is not None and given.json.exists():
        known = json.loads(given.json.read_text())
    runner = Runner(given.limit)

    def run_one(mutant: Mutant) -> None:
        if known.get(str(mutant), [""])[0] or time.perf_counter() - start > given.seconds:
            return
        test, seconds = known[str(mutant)] = runner.try_mutant(mutant)
        print(f"{seconds:6.1f} s  {mutant}\n          {test or 'NOT NOTICED'}", flush=True)
        if given.json is not None:
            given.json.write_text(json.dumps(known, indent=1))

    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(run_one, sorted(mutants, key=lambda mutant: str(mutant) in known)))
    tests = [known[str(mutant)][0] for mutant in mutants if str(mutant) in known]
    print(f"{len(tests) - tests.count('')} of {len(tests)} noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
