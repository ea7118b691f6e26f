"""Determinism on request: a row has the same bits alone, in every batch, and on every GPU."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import tileiras_xdsl as tx
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.options import OptionError
from tileiras_xdsl.driver.tools.tileiras_xdsl import main
from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.pipeline import ModuleStage
from tileiras_xdsl.transforms.cuda_tile.require_determinism import RequireDeterminismPass

from ..harness.passes import lower
from ..harness.running import run_printing

EXAMPLES = Path(__file__).parents[3] / "examples" / "cpp"
LEVELS: tuple[ModuleStage, ...] = ("cuda-tile", "nvgpu")

HINTED = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) optimization_hints=<default = {deterministic = true}> {
    %x = constant <f32: 1.0> : tile<f32>
    %old, %t = atomic_rmw_tko relaxed device %p, MODE, %x
        : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}
"""


@cache
def deterministic(name: str, level: ModuleStage, abi: str = "device-maps") -> ModuleOp:
    module = load(EXAMPLES / f"{name}.tilebc")
    RequireDeterminismPass(all=True).apply(Context(), module)
    return lower(module, level, abi=abi)


def bits(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def numbers(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape)


@pytest.mark.parametrize("level", LEVELS)
def test_rows_of_a_product(level: ModuleStage):
    """A persistent kernel on other numbers of SMs; rows alone, and in the second of two tiles."""
    m, n, k = 144, 136, 80
    a, b = numbers(m, k).astype(np.float16), numbers(k, n).astype(np.float16)
    module = deterministic("gemm", level, "host-maps")

    def product(part: Any, sm_count: int) -> Any:
        c = np.zeros((len(part), n), np.float16)
        args, grid = [part, b, c, len(part), n, k], (-(-len(part) // 128), 2)
        run_printing(module, "gemm", grid=grid, args=args, sm_count=sm_count)
        return c

    whole = product(a, 3)
    assert bits(product(a[130:].copy(), 1)) == bits(whole[130:])


@pytest.mark.parametrize("level", LEVELS)
def test_rows_of_a_softmax(level: ModuleStage):
    module, entry = deterministic("softmax", level), "_Z7softmaxIfLi2048EEvPT_PKS0_i"
    rows = numbers(3, 999).astype(np.float32)

    def softmax(part: Any) -> Any:
        out = np.zeros_like(part)
        run_printing(module, entry, grid=len(part), args=[out, part, part.shape[1]])
        return out

    whole = softmax(rows)
    assert bits(softmax(rows[1:2])) == bits(whole[1:2])
    assert bits(softmax(rows[::-1].copy())) == bits(whole[::-1])


@pytest.mark.parametrize("level", LEVELS)
def test_heads_of_attention(level: ModuleStage):
    module = deterministic("attention", level)
    entry = "_Z9attentionI13__nv_bfloat16Li256EEvPKT_S3_S3_PS1_f"
    q, k, v = numbers(3, 2, 256, 64).astype(ml_dtypes.bfloat16)

    def attention(heads: slice) -> Any:
        parts = [np.ascontiguousarray(each[heads]) for each in (q, k, v)]
        out = np.zeros_like(parts[0])
        run_printing(module, entry, grid=(2, len(out)), args=[*parts, out, 0.125])
        return out

    assert bits(attention(slice(1, 2))) == bits(attention(slice(0, 2))[1:])


def test_one_plan_for_all_sizes(oracle_module: Callable[[str], ModuleType]):
    """What cuTile makes for batches that are multiples of 16, and for others."""
    oracle_module("cuda.tile")
    kernel: Any = importlib.import_module("tests.pytest.cutile_kernels").transpose
    batches = [np.zeros((rows, 64), np.float16) for rows in (64, 65)]
    outs = [np.zeros((64, 80), np.float16)[:, :rows] for rows in (64, 65)]
    for asked in (True, False):
        codes = [
            tx.compile(kernel, "sm_90", args=[x, out, 64], deterministic=asked, cache=False).ptx
            for x, out in zip(batches, outs, strict=True)
        ]
        assert (codes[0] == codes[1]) == asked


def test_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    message = r"'cuda_tile\.atomic_r\w+_tko' op adds floats in the order in which tile blocks come"
    with pytest.raises(CompileError, match=message):
        tx.compile(EXAMPLES / "atomics.tilebc", "sm_90", deterministic=True, cache=False)
    # By the hint alone; what does not depend on the order is fine.
    with pytest.raises(CompileError, match=message):
        tx.compile(HINTED.replace("MODE", "addf"), "sm_90", cache=False)
    tx.compile(HINTED.replace("MODE", "xchg"), "sm_90", cache=False)
    with pytest.raises(OptionError, match=r"only programs of cuda_tile"):
        tx.compile(deterministic("softmax", "nvgpu"), "sm_90", deterministic=True, cache=False)

    output = str(tmp_path / "k.ptx")
    arguments = ["--gpu-name=sm_90", "--emit=ptx", "--deterministic", "-o", output]
    assert main([str(EXAMPLES / "atomics.tilebc"), *arguments]) == 1
    assert "adds floats in the order" in capsys.readouterr().err
    assert not Path(output).exists()


def test_refused_where_several_are_compiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    program = str(EXAMPLES / "atomics.tilebc")
    found = tx.compile_many([program], gpu="sm_90", jobs=1, deterministic=True, cache=False)
    assert "adds floats in the order" in str(found.results()[0].error)
    entries = [{"input": program, "output": str(tmp_path / "k.cubin"), "deterministic": True}]
    (tmp_path / "list").write_text(json.dumps(entries))
    command = ["--gpu-name=sm_90", "--no-cache"]
    assert main([*command, "--jobs=1", "--batch", str(tmp_path / "list")]) == 1
    assert main([*command, "--deterministic", program, "--export", str(tmp_path / "k")]) == 1
    assert capsys.readouterr().err.count("adds floats in the order") == 2
    assert [each.name for each in tmp_path.iterdir()] == ["list"]


def test_the_record_says_so(oracle_program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEIRAS_XDSL_PTXAS", str(oracle_program("ptxas")))
    for program, asked, expected in (
        (EXAMPLES / "vector_add.tilebc", True, True),
        (EXAMPLES / "vector_add.tilebc", False, False),
        (HINTED.replace("MODE", "xchg"), False, True),
    ):
        made = tx.compile(program, "sm_90", opt=1, cache=False, deterministic=asked)
        assert made.record().deterministic == expected
