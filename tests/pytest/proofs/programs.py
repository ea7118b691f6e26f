"""
Small programs, the files in `modules`, on which every canonicalization pattern and fold of ours
does something. `{T}` stands for an integer type, each of some widths in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

WIDTHS = ("i1", "i8", "i16", "i32", "i64")

MODULES = Path(__file__).parent / "modules"
FILECHECK = Path(__file__).parents[2] / "filecheck" / "transforms"

ALLOWED = {
    "atomics": ("i32", "i64"),
    "accesses": WIDTHS[1:],
    "pointers": WIDTHS[1:],
    "truths": WIDTHS[1:],
}
"""Programs that there are not for all widths."""

FIXED = {
    "left_alone": "i1",
    "kept": "i32",
    "products": "f16, f32",
    "dots": "i8, f16, bf16",
    "results": "any",
    "conversions": "i1, i8, i32, i64",
}
"""Programs with types of their own."""


class Program(NamedTuple):
    """A module in which rules do something."""

    name: str
    width: str
    text: str


def own_programs(widths: tuple[str, ...] = WIDTHS) -> Iterator[Program]:
    """The programs for types of these widths, and those with types of their own."""
    for path in sorted(MODULES.glob("*.mlir")):
        name, text = path.stem, path.read_text()
        if name in FIXED:
            yield Program(name, FIXED[name], text)
            continue
        for width in widths:
            if width in ALLOWED.get(name, WIDTHS):
                yield Program(name, width, text.replace("{T}", width))


def own_program(name: str, width: str) -> Program:
    """One of them."""
    found = [each for each in own_programs((width,)) if each.name == name]
    return found[0]


def filecheck_programs() -> Iterator[Program]:
    """What the FileCheck tests of canonicalization have."""
    for path in sorted(FILECHECK.glob("canonicalize_*.mlir")):
        for number, text in enumerate(path.read_text().split("// -----")):
            yield Program(f"{path.stem}.{number}", "", text)
