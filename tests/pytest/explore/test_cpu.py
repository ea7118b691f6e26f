"""`explore` for this CPU: steps, where ops come from, code, the page, and what is for GPUs only."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.options import OptionError
from tileiras_xdsl.inspection.exploration.exploration import (
    NOT_FOR_CPUS,
    CpuExploration,
    Exploration,
    ExplorationError,
)
from tileiras_xdsl.pipeline import cpu_steps
from tileiras_xdsl.transforms.cpu.cpu_lower_tiles import HANDLERS

EXAMPLE = tx.examples["vector_add"]


@cache
def explored() -> CpuExploration:
    found = tx.explore(EXAMPLE, gpu="cpu")
    assert isinstance(found, CpuExploration)
    return found


def test_steps():
    s = explored()
    assert [step.name for step in s.steps[1:]] == [step.name for step in cpu_steps()]
    assert s.stages == ("cuda-tile", "tileaa", "cpu", "llvm")
    assert str(s).startswith("vector_add.tileirbc for this CPU\nstage ")
    assert "llvm.func @vector_add" in str(s["cpu"])
    assert "nv_tileaa.tiled_load" in str(s.diff("cpu-lower-tiles"))
    assert s.is_complete


def test_where_ops_come_from():
    s = explored()
    (add,) = s.search("cuda_tile.addf", step="cuda-tile")
    for stage, name in (("tileaa", "nv_tileaa.addf"), ("cpu", "llvm.fadd"), ("llvm", "llvm.fadd")):
        assert any(name in line.text for line in s.became(add, stage)), stage


def test_code():
    s = explored()
    assert "define void @vector_add" in s.llvm
    assert "vector_add:" in s.asm
    args = EXAMPLE.make_args()
    s.compiled.launch(EXAMPLE.grid, args)
    EXAMPLE.check(args)


def test_where_lines_of_code_come_from():
    """Those of LLVM IR and assembly, which are the ones of the code that runs."""
    s = explored()
    (add,) = s.search("cuda_tile.addf", step="cuda-tile")
    for name, text, instruction in (("llvm-ir", s.llvm, "fadd"), ("asm", s.asm, "add")):
        lines = s.became(add, name)
        assert any(re.search(instruction, line.text) for line in lines), name
        assert all(line.text == text.splitlines()[line.line - 1] for line in lines)
        assert s.origins((name, lines[0].line))[0].text == add.text
        assert ".loc" not in text
        assert "!dbg" not in text
    known = [line for line, marks in zip(s.texts.asm.lines, s.texts.asm.marks) if marks]
    code = [line for line in s.asm.splitlines() if re.match(r"\t[a-z]", line)]
    assert len(known) > len(code) / 2


def test_run():
    args = EXAMPLE.make_args()
    tx.explore(EXAMPLE, EXAMPLE.grid, args, gpu="cpu").run(step="tileaa")
    EXAMPLE.check(args)


def test_the_page(tmp_path: Path):
    s = explored()
    data = s.to_data()
    assert data["options"]["gpu"] == "cpu"
    assert [text["name"] for text in data["texts"]][-2:] == ["llvm-ir", "asm"]
    assert s.save(tmp_path / "page.html").stat().st_size > 0


@pytest.mark.parametrize("name", NOT_FOR_CPUS)
def test_what_is_for_gpus(name: str):
    assert hasattr(Exploration, name)
    with pytest.raises(ExplorationError, match=f"'{name}' is for GPUs only"):
        getattr(explored(), name)


@pytest.mark.parametrize("options", [{"opt": 2}, {"abi": "host-maps"}, {"passes": ["cse"]}])
def test_options_of_gpus(options: dict[str, Any]):
    with pytest.raises(OptionError, match="opt, abi, passes and insert are for GPUs only"):
        tx.explore(EXAMPLE, gpu="cpu", **options)


def test_a_kernel_that_cannot_be_compiled(monkeypatch: pytest.MonkeyPatch):
    """It is explored as far as it goes."""
    monkeypatch.delitem(HANDLERS, TiledLoadOp.name)
    s = tx.explore(EXAMPLE, gpu="cpu")
    assert isinstance(s, CpuExploration)
    assert s.stages == ("cuda-tile", "tileaa")
    assert isinstance(s.error, CompileError)
    assert "'nv_tileaa.tiled_load' op is not supported on a CPU" in str(s)
    assert s.to_data()["error"] == str(s.error)
    with pytest.raises(CompileError, match="is not supported on a CPU"):
        _ = s.asm


def test_what_is_no_program():
    with pytest.raises(CompileError):
        tx.explore("cuda_tile.module @m { what }", gpu="cpu")
