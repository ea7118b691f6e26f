"""
Every requirement that is claimed is tested, and every one that is tested is claimed.

`tests/requirements.md` lists the claims. A FileCheck test names what it covers in a comment,
`// REQ: A-05, A-06`; a Python test in a marker, `@pytest.mark.requirement("A-05", "A-06")`. The
compiler and its documentation name no ids: they say the reason instead.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from .conftest import PARTS

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent

ID = r"[A-Z]+-\d{2,}"
CLAIM = re.compile(rf"- \*\*({ID})\*\* (\S.*)")
COMMENT = re.compile(rf"//\s*REQ:\s*({ID}(?:\s*,\s*{ID})*)\s*$", re.MULTILINE)
ANY_COMMENT = re.compile(r"//\s*REQ\b.*$", re.MULTILINE)
MARKER = "pytest.mark.requirement"
OUTSIDE_OF_TESTS = re.compile(r"\b[A-Z]-\d{2}\b|\bseed documents?\b")
"""Unlike `ID` it leaves words alone that only look like ids, such as `UTF-16`."""


def ids_in_list(text: str) -> Iterator[str]:
    """The ids of a list, each with a line of what it asks."""
    for line in text.splitlines():
        if line.startswith("- "):
            match = CLAIM.fullmatch(line)
            assert match is not None, line
            yield match[1]


def ids_in_comments(text: str) -> Iterator[str]:
    for match in COMMENT.finditer(text):
        yield from re.findall(ID, match[1])


def is_marker(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called) == MARKER


def ids_in_markers(text: str) -> Iterator[str]:
    """The ids that tests are marked with; each is written out."""
    if MARKER not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            if not is_marker(decorator):
                continue
            assert isinstance(decorator, ast.Call), node.name
            assert decorator.args, node.name
            assert not decorator.keywords, node.name
            for argument in decorator.args:
                assert isinstance(argument, ast.Constant), node.name
                assert re.fullmatch(ID, str(argument.value)), node.name
                yield str(argument.value)


def claimed() -> list[str]:
    return list(ids_in_list((TESTS / "requirements.md").read_text()))


def python_tests() -> Iterator[Path]:
    return (TESTS / "pytest").rglob("test_*.py")


@cache
def carried() -> frozenset[str]:
    ids: set[str] = set()
    for path in (TESTS / "filecheck").rglob("*.mlir"):
        ids.update(ids_in_comments(path.read_text()))
    for path in python_tests():
        ids.update(ids_in_markers(path.read_text()))
    return frozenset(ids)


def test_claims_are_sorted_and_unique():
    assert claimed() == sorted(set(claimed()))


def test_every_claim_is_tested():
    assert sorted(set(claimed()) - carried()) == []


def test_every_tested_requirement_is_claimed():
    assert sorted(carried() - set(claimed())) == []


def test_requirements_are_tested_in_every_run():
    """Not in a part that `make test` leaves out."""
    folder = TESTS / "pytest"
    for path in python_tests():
        text = path.read_text()
        if path.relative_to(folder).as_posix().startswith(tuple(chain(*PARTS.values()))):
            assert not list(ids_in_markers(text)), path
        if MARKER not in text or "pytest.mark.part" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                marks = {ast.unparse(mark).partition("(")[0] for mark in node.decorator_list}
                assert not {MARKER, "pytest.mark.part"} <= marks, f"{path}: {node.name}"


def test_every_comment_is_understood():
    for path in (TESTS / "filecheck").rglob("*.mlir"):
        text = path.read_text()
        assert len(COMMENT.findall(text)) == len(ANY_COMMENT.findall(text)), path


def test_names_of_tests_have_no_ids():
    for path in python_tests():
        assert not re.findall(r"def test_[a-z]_\d{2}_\w*", path.read_text()), path


def test_compiler_and_documentation_name_no_ids():
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for folder in ("src", "docs")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".md", ".ipynb", ".js", ".css", ".html", ".svg")
        for match in OUTSIDE_OF_TESTS.finditer(path.read_text())
    ]
    assert found == []


def test_ids_are_found():
    text = "// REQ: A-05\n  // REQ: B-10 , B-11\n// REQ: nonsense\n// A-07\n"
    assert list(ids_in_comments(text)) == ["A-05", "B-10", "B-11"]
    text = f'@{MARKER}("A-05", "B-10")\ndef test_x(): pass\n\n@other("A-06")\ndef test_y(): pass\n'
    assert list(ids_in_markers(text)) == ["A-05", "B-10"]
    text = "# A. Types\n\nAs in B-10:\n\n- **A-05** Shapes are static.\n- **A-06** Floats.\n"
    assert list(ids_in_list(text)) == ["A-05", "A-06"]
    text = "UTF-16 of sm_90, see (A-05) and the seed documents, seed=3"
    assert OUTSIDE_OF_TESTS.findall(text) == ["A-05", "seed documents"]
