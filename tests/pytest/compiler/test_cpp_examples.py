"""
The kernels of `examples/cpp`: what nvcc made of them computes what the source says, as tiles and as
threads, and becomes machine code. TMA and WGMMA survive the way in which nvcc writes extents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp

import tileiras_xdsl as tx
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.dialects.cuda_tile.symbols import EntryOp
from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.interpreter.errors import ExecutionError

from ..harness.cases import every
from ..harness.passes import lower
from ..harness.running import run_printing

FOLDER = Path(__file__).parents[3] / "examples" / "cpp"
ENTRIES = {
    "vector_add": ("_Z10vector_addPKfS0_Pfi",),
    "softmax": ("_Z7softmaxI6__halfLi1024EEvPT_PKS1_i", "_Z7softmaxIfLi2048EEvPT_PKS0_i"),
    "gemm": ("gemm",),
    "attention": ("_Z9attentionI13__nv_bfloat16Li256EEvPKT_S3_S3_PS1_f",),
    "atomics": ("_Z9histogramPKhPji", "_Z10column_sumPKfPfi", "_Z4oncePiS_"),
    "printing": ("_Z11check_rangePKfffi",),
}
LEVELS = ("tiles", "threads")

Array: TypeAlias = npt.NDArray[Any]


def numbers(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


@cache
def module_of(name: str, level: str) -> ModuleOp:
    """The module of an example at a level."""
    module = load(FOLDER / f"{name}.tilebc")
    return module if level == "tiles" else lower(module, "nvgpu")


def run(name: str, level: str, grid: Any, args: Sequence[Any], entry: int = 0) -> str:
    """Runs a kernel on the CPU; returns what it prints."""
    return run_printing(module_of(name, level), ENTRIES[name][entry], grid=grid, args=args)


def test_every_example_has_bytecode():
    assert {path.stem for path in FOLDER.glob("*.cu")} == set(ENTRIES)
    for name, entries in ENTRIES.items():
        ops = module_of(name, "tiles").walk()
        assert tuple(op.sym_name.data for op in ops if isinstance(op, EntryOp)) == entries


@pytest.mark.parametrize("level", LEVELS)
def test_vector_add(level: str):
    a, b = numbers(2, 1500).astype(np.float32)
    c = np.zeros_like(a)
    run("vector_add", level, 2, [a, b, c, len(c)])
    np.testing.assert_array_equal(c, a + b)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("entry", "dtype", "columns"), [(0, "f2", 1000), (1, "f4", 9)])
def test_softmax(level: str, entry: int, dtype: str, columns: int):
    rows: Array = numbers(2, columns).astype(dtype)
    out = np.zeros_like(rows)
    run("softmax", level, len(rows), [out, rows, columns], entry)
    powers = np.exp(rows.astype(np.float64))
    # Sums are in f32; what is stored is rounded to `dtype` at the end.
    error = {"f2": 2.0**-10, "f4": 2.0**-23}[dtype] + 1e-5
    np.testing.assert_allclose(out, powers / powers.sum(1, keepdims=True), error, 1e-7)


@pytest.mark.parametrize("level", LEVELS)
def test_gemm(level: str):
    m, n, k = 144, 160, 80
    a, b = numbers(m, k).astype(np.float16), numbers(k, n, seed=1).astype(np.float16)
    c = np.zeros((m, n), np.float16)
    run("gemm", level, (2, 2), [a, b, c, m, n, k])
    exact = a.astype(np.float64) @ b.astype(np.float64)
    # Half a unit of f16, and of sums in f32 of products whose absolute values add up to this.
    bound = 2.0**-11 * abs(exact) + k * 2.0**-23 * (abs(a.astype(float)) @ abs(b.astype(float)))
    assert (abs(c.astype(np.float64) - exact) <= bound + 2.0**-24).all()


@pytest.mark.parametrize("level", LEVELS)
def test_gemm_of_a_negative_size_stores_nothing(level: str):
    """Sizes are strides as well here: TMA gets no such map."""
    a, b, c = (np.full((16, 16), 7, np.float16) for _ in range(3))
    run("gemm", level, 1, [a, b, c, 16, -16, 16])
    assert (c == 7).all()


@pytest.mark.parametrize("level", LEVELS)
def test_attention(level: str):
    q, k, v = numbers(3, 1, 256, 64).astype(ml_dtypes.bfloat16)
    out, scale = np.zeros_like(q), 0.125 * np.log2(np.e)
    run("attention", level, (2, 1), [q, k, v, out, scale])
    q, k, v = (each[0].astype(np.float64) for each in (q, k, v))
    powers = np.exp2(q @ k.T * scale)
    exact = powers @ v / powers.sum(1, keepdims=True)
    # Weights are rounded to bf16, and so is the result: each by half a unit of 2^-8.
    bound = 2.0**-8 * (powers @ abs(v) / powers.sum(1, keepdims=True) + abs(exact))
    assert (abs(out[0].astype(np.float64) - exact) <= bound).all()


@pytest.mark.parametrize("level", LEVELS)
def test_atomics(level: str):
    data = np.random.default_rng(0).integers(0, 256, 700).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    run("atomics", level, 3, [data, bins, len(data)])
    np.testing.assert_array_equal(bins, np.bincount(data, minlength=256))

    rows = np.random.default_rng(1).integers(-9, 10, (40, 512)).astype(np.float32)
    sums = np.zeros((1, 512), np.float32)
    run("atomics", level, (3, 4), [rows, sums, len(rows)], 1)
    np.testing.assert_array_equal(sums[0], rows.sum(0))

    lock, winner = np.zeros(1, np.int32), np.full(1, -1, np.int32)
    run("atomics", level, 3, [lock, winner], 2)
    assert lock[0] == 1
    assert 0 <= winner[0] < 3


@pytest.mark.parametrize("level", LEVELS)
def test_printing(level: str):
    values = np.linspace(0, 1, 100, dtype=np.float32)
    printed = run("printing", level, 2, [values, 0.0, 1.0, 100])
    assert sorted(printed.splitlines()) == [
        f"block {each} of 100: low 0.000000" for each in range(2)
    ]
    with pytest.raises(ExecutionError, match=r"printing\.cu:12: static_cast<bool>"):
        run("printing", level, 2, [values, 0.5, 1.0, 100])


@pytest.mark.parametrize("gpu", every(2, ["sm_90", "sm_80", "sm_100", "sm_120"]))
def test_ptx(gpu: str):
    for name, entries in ENTRIES.items():
        kernel = tx.compile(FOLDER / f"{name}.tilebc", gpu, cache=False)
        for entry in entries:
            assert f".entry {entry}(" in kernel.ptx


@pytest.mark.parametrize("name", every(2, list(ENTRIES)))
def test_cubin(name: str, oracle_program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEIRAS_XDSL_PTXAS", str(Ptxas(oracle_program("ptxas")).path))
    kernel = tx.compile(FOLDER / f"{name}.tilebc", "sm_90", cache=False)
    assert kernel.cubin.startswith(b"\x7fELF")


def test_matrices_keep_tma_and_wgmma():
    """Extents that are known at run time only, in gemm, and static ones."""
    for name, loads in (("gemm", 2), ("attention", 3)):
        ptx = tx.compile(FOLDER / f"{name}.tilebc", "sm_90", cache=False).ptx
        assert "wgmma.mma_async" in ptx
        assert len(re.findall(r"cp\.async\.bulk\.tensor.*global.*mbarrier", ptx)) >= loads
        assert "cp.async.bulk.tensor" in ptx
        assert "ld.global" not in ptx
