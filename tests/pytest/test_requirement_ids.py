"""
Every requirement that is claimed is tested, and every one that is tested is claimed.

`tests/requirement_ids.txt` lists the claims. A FileCheck test names what it covers in a comment,
`// REQ: A-05, A-06`; a Python test in its name, `test_a_05_rejects_dynamic_extents` (with several
ids, `test_a_05_a_06_…`).
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]

ID = r"[A-Z]+-\d{2,}"
COMMENT = re.compile(rf"//\s*REQ:\s*({ID}(?:\s*,\s*{ID})*)\s*$", re.MULTILINE)
ANY_COMMENT = re.compile(r"//\s*REQ\b.*$", re.MULTILINE)
NAME = re.compile(r"test_((?:[a-z]+_\d{2,}_)+)")


def ids_in_comments(text: str) -> Iterator[str]:
    for match in COMMENT.finditer(text):
        yield from re.findall(ID, match[1])


def ids_in_name(name: str) -> Iterator[str]:
    if (match := NAME.match(name)) is not None:
        for area, number in re.findall(r"([a-z]+)_(\d{2,})_", match[1]):
            yield f"{area.upper()}-{number}"


def names_of_tests(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name


def claimed() -> list[str]:
    return (TESTS / "requirement_ids.txt").read_text().split()


def carried() -> set[str]:
    ids: set[str] = set()
    for path in (TESTS / "filecheck").rglob("*.mlir"):
        ids.update(ids_in_comments(path.read_text()))
    for path in (TESTS / "pytest").rglob("test_*.py"):
        for name in names_of_tests(path.read_text()):
            ids.update(ids_in_name(name))
    return ids


def test_claims_are_sorted_and_unique():
    assert claimed() == sorted(set(claimed()))


def test_every_claim_is_tested():
    assert sorted(set(claimed()) - carried()) == []


def test_every_tested_requirement_is_claimed():
    assert sorted(carried() - set(claimed())) == []


def test_every_comment_is_understood():
    for path in (TESTS / "filecheck").rglob("*.mlir"):
        text = path.read_text()
        assert len(COMMENT.findall(text)) == len(ANY_COMMENT.findall(text)), path


def test_ids_are_found():
    text = "// REQ: A-05\n  // REQ: B-10 , B-11\n// REQ: nonsense\n// A-07\n"
    assert list(ids_in_comments(text)) == ["A-05", "B-10", "B-11"]
    assert list(ids_in_name("test_a_05_rejects")) == ["A-05"]
    assert list(ids_in_name("test_a_05_b_10_rejects")) == ["A-05", "B-10"]
    assert list(ids_in_name("test_add_of_16_bits")) == []
    assert list(names_of_tests("def test_a_01_x(): pass\ndef other(): pass")) == ["test_a_01_x"]
