"""The tables of `docs/support.md` and `docs/reference/operations.md` are what the code says."""

import runpy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.pipeline import find_stage, select_steps

from ..harness.passes import run_steps

DOCS = Path(__file__).parents[3] / "docs"
OPS = sorted((Path(__file__).parents[2] / "corpus" / "ops").glob("*.mlir"))
"""Programs with every op of `cuda_tile`."""
BAD_PARAMETERS = {"arguments", "strided", "gather_scatter"}
"""Entries that take views or tokens, which have no representation in a launch."""


@pytest.fixture(scope="module")
def generator() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "generate_support.py"))


@pytest.fixture(scope="module")
def text(generator: dict[str, Any]) -> str:
    """Of both pages."""
    paths: Sequence[Path] = generator["FILES"]
    return "".join(path.read_text(encoding="utf-8") for path in paths)


def test_tables_are_up_to_date(generator: dict[str, Any], text: str):
    fill: Callable[[str], str] = generator["fill"]
    assert fill(text) == text, "run python docs/generate_support.py"


def test_every_table_has_a_place(generator: dict[str, Any], text: str):
    missing: Callable[[str], Iterator[str]] = generator["missing"]
    assert list(missing(text)) == []
    assert "mma" in list(missing(text.replace("<!-- table: mma -->", "")))


def test_changes_are_noticed(generator: dict[str, Any], text: str):
    fill: Callable[[str], str] = generator["fill"]
    changed = text.replace("| `f64` | `f64` | `m8n8k4` |", "| `f64` | `f64` | `m16n8k8` |")
    assert changed != text
    assert fill(changed) == text


@pytest.mark.part("docs")
@pytest.mark.every(2)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_every_op_is_compiled(arch: str):
    found: set[str] = set()
    for path in OPS:
        module = load(path)
        for op in list(module.walk()):
            if isinstance(op, ct.EntryOp) and str(op.sym_name).strip('"') in BAD_PARAMETERS:
                op.detach()
                op.erase()
        found |= {op.name for op in module.walk()}
        run_steps(module, select_steps(0), arch)
        assert find_stage(module) == "nvvm"
    public = {each.name for each in ct.CudaTile.operations if "$" not in each.name}
    # These are in text only, and become others when it is read or converted.
    assert public - found == {"cuda_tile.print", "cuda_tile.token.join", "cuda_tile.fpowf"}
