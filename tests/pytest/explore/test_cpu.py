"""`explore` for this CPU: steps, where ops come from, code, the page, and what is for GPUs only."""

from __future__ import annotations

import re
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend.host import host
from tileiras_xdsl.backend.host_rates import measure
from tileiras_xdsl.cost.model import NOMINAL
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileiras_xdsl.driver.compiler import cpu as compiler
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.options import OptionError
from tileiras_xdsl.inspection.exploration import cpu
from tileiras_xdsl.inspection.exploration.cost import CostError
from tileiras_xdsl.inspection.exploration.cpu import CpuResources
from tileiras_xdsl.inspection.exploration.exploration import (
    NOT_FOR_CPUS,
    CpuExploration,
    Exploration,
    ExplorationError,
)
from tileiras_xdsl.inspection.exploration.texts import CpuTexts
from tileiras_xdsl.pipeline import cpu_steps
from tileiras_xdsl.targets.cpu import CpuRates, CpuTarget
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
        assert all(line.text == text.splitlines()[line.line - 1].strip() for line in lines)
        assert s.origins((name, lines[0].line))[0].text == add.text
        assert ".loc" not in text
        assert "!dbg" not in text
    assert isinstance(s.texts, CpuTexts)
    known = [each for each in s.texts.asm.marks if each]
    code = [line for line in s.asm.splitlines() if re.match(r"\t[a-z]", line)]
    assert len(known) > len(code) / 2


RATES = CpuRates(cores=2, flops=1e11, cache=1e11, memory=1e10)


@pytest.fixture
def rates(monkeypatch: pytest.MonkeyPatch) -> CpuRates:
    monkeypatch.setattr(cpu, "host_rates", lambda: RATES)
    return RATES


def test_what_a_gemm_costs(rates: CpuRates):
    gemm = tx.examples["gemm"]
    args = gemm.make_args()
    m, n, k = args[1], args[6], args[2]
    s = tx.explore(gemm, gemm.grid, args, gpu="cpu")
    cost = s.cost()
    line, dot = cost.heaviest[0]
    assert dot.unit == "dots"
    assert "nv_tileaa.dot" in cost.lines[line - 1]
    total = 2 * m * n * k
    blocks = prod(gemm.grid)
    assert dot.times * dot.clocks * 1e-9 * rates.flops * blocks == pytest.approx(total)
    assert str(cost).splitlines()[1].split()[0] == "ns"
    (found,) = s.predict(measured=1e3)
    made = found.prediction
    assert made.limits["dots"] == pytest.approx(1e6 * total / rates.flops / rates.cores)
    arrays = sum(each.nbytes for each in args if isinstance(each, np.ndarray))
    assert made.limits["memory"] == pytest.approx(1e6 * arrays / rates.memory)
    assert (made.limit, found.measured) == ("dots", 1e3)
    assert made.microseconds > made.limits["dots"]
    assert "clock, GHz" not in str(s.predict())
    (picture,) = s.roofline()
    assert "FMA 0.2 TFLOP/s" in picture.text
    table: Any = s.resources()
    (resources,) = table
    assert isinstance(resources, CpuResources)
    assert 0 < resources.vectors < resources.instructions
    assert resources.scratch > 0
    with pytest.raises(CostError, match="ops of the stage cpu have no cost, those of tileaa have"):
        s.cost(step="cpu")


def test_what_binds_a_kernel(rates: CpuRates):
    """Of vectors, memory; loops that nobody knows count as often as for GPUs."""
    (found,) = tx.explore(EXAMPLE, EXAMPLE.grid, EXAMPLE.make_args(), gpu="cpu").predict()
    assert found.prediction.bound == "memory"
    times = {each.times for _, each in tx.explore(tx.examples["gemm"], gpu="cpu").cost().heaviest}
    assert times == {1.0, float(NOMINAL.inner)}


def test_the_speed_of_this_cpu_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE", "1")
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE_DIR", str(tmp_path))
    measured: list[int] = []

    def measure(target: CpuTarget, cores: int) -> CpuRates:
        measured.append(cores)
        return RATES

    monkeypatch.setattr(compiler, "host_rates_of", measure)
    for _ in range(2):
        compiler.host_rates.cache_clear()
        assert compiler.host_rates() == RATES
    compiler.host_rates.cache_clear()
    assert len(measured) == 1


def test_the_speed_of_this_cpu():
    found = measure(host(), 1)
    assert found.cores == 1
    assert min(found.flops, found.cache, found.memory) > 1e8


@pytest.mark.parametrize("gpu", ["cpu", "sm_90"])
def test_compare(gpu: str, rates: CpuRates, tmp_path: Path):
    """With another kernel on this CPU, and with the same on a GPU."""
    other = tx.examples["softmax"] if gpu == "cpu" else EXAMPLE
    c = tx.compare(explored(), tx.explore(other, gpu=gpu))
    assert c.titles[0] == "vector_add.tileirbc for this CPU"
    assert c.first is not None
    assert c.first.pair.name == ("read" if gpu == "cpu" else "convert-cuda-tile-to-tileaa")
    rows = {row[0]: row[1:] for row in c.table.rows}
    assert rows["scratch memory, bytes"][0] != "–"
    assert ("asm" in {pair["name"] for pair in c.to_data()["pairs"]}) == (gpu == "cpu")
    if gpu == "cpu":
        assert "B" in c.diff("asm").summary
    else:
        assert [pair.stage for pair in c.pairs if pair.b is None] == ["cpu", "llvm", "llvm"]
    c.save(tmp_path / "page.html")


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
