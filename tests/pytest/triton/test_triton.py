"""Kernels of Triton: as programs, and compiled for Triton. They need Triton, and no GPU."""

from __future__ import annotations

import json
import linecache
import re
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx

from ..harness.commands import python

triton: Any = pytest.importorskip("triton")
tl: Any = pytest.importorskip("triton.language")
from_triton: Any = pytest.importorskip("tileiras_xdsl.triton.kernels")
open_triton: Any = pytest.importorskip("tileiras_xdsl.triton")
compiler: Any = pytest.importorskip("triton.compiler.compiler")
targets: Any = pytest.importorskip("triton.backends.compiler")


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    tl.store(o + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def race(o, B: tl.constexpr):
    tl.store(o + tl.arange(0, B), tl.program_id(0))


@triton.jit
def with_assembly(x, B: tl.constexpr):
    i = tl.arange(0, B)
    value = tl.inline_asm_elementwise(
        "bfind.u32 $0, $1;", "=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1
    )
    tl.store(x + i, value)


@triton.jit
def copy_block(d, o, B: tl.constexpr):
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    tl.store(o + i * B + j, d.load([B, 0]))


@triton.jit
def sums(x, y, o, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(o + i, a * b + a)
    tl.store(o + B + i, b - a * a)


@triton.jit
def grouped(a, b, c, sizes, groups, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Products of matrices of one tile each, by tables of their addresses."""
    for group in range(tl.program_id(0), groups, tl.num_programs(0)):
        k = tl.load(sizes + group)
        first = tl.load(a + group).to(tl.pointer_type(tl.float16))
        second = tl.load(b + group).to(tl.pointer_type(tl.float16))
        third = tl.load(c + group).to(tl.pointer_type(tl.float32))
        i, j, z = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
        first += i[:, None] * k + z[None, :]
        second += z[:, None] * N + j[None, :]
        total = tl.zeros((M, N), tl.float32)
        for _ in range(0, k, K):
            x = tl.load(tl.multiple_of(first, [16, 16]))
            y = tl.load(tl.multiple_of(second, [16, 16]))
            total += tl.dot(x, y)
            first += K
            second += K * N
        tl.store(third + i[:, None] * N + j[None, :], total)


@triton.jit
def halves(x, o, n, B: tl.constexpr):
    """Products of the halves of rows of 512 elements, as inductor writes it."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    column, row = i % 256, i // 256
    first = tl.load(x + (column + 512 * row), i < n)
    second = tl.load(x + (256 + column + 512 * row), i < n)
    tl.store(o + i, first * second, i < n)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    yield
    open_triton.restore()


def arrays(n: int) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(n)
    return [rng.random(n, np.float32), rng.random(n, np.float32), np.full(n, np.nan, np.float32)]


def source(kernel: Any, **kinds: Any) -> Any:
    """What Triton compiles when a kernel is launched."""
    constants = {name: kind for name, kind in kinds.items() if not isinstance(kind, str)}
    signature = {name: "constexpr" if name in constants else kinds[name] for name in kinds}
    return compiler.ASTSource(kernel, signature, constexprs=constants, attrs={})


ADD = {"x": "*fp32", "y": "*fp32", "o": "*fp32", "n": "i32", "B": 128}


@pytest.mark.parametrize("check", [False, True])
def test_runs_on_the_cpu(check: bool):
    x, y, o = arrays(1000)
    tx.run(add, 8, (x, y, o, 1000, 128), check=check)
    np.testing.assert_array_equal(o, x + y)


@triton.jit
def add_parts(d, parts, o, scale, B: tl.constexpr = 16):
    x, rest = parts
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    value = d.load([B, 0]) * scale + tl.load(x + i * B + j) + rest[0] + rest[1]
    tl.store(o + i * B + j, value + d.shape[0])


@pytest.mark.parametrize("scale", [1, 3])
def test_arguments_have_parts_and_defaults(scale: int):
    block, x = np.random.rand(64, 32).astype(np.float32), np.ones((16, 16), np.float32)
    shape, strides = block.shape, [each // 4 for each in block.strides]
    # What Triton's own class has; it takes tensors of torch alone.
    descriptor: Any = SimpleNamespace(
        base=block, shape=shape, strides=strides, block_shape=[16, 16]
    )
    o = np.zeros((16, 16), np.float32)
    tx.run(add_parts, 1, (descriptor, (x, (1, 2.5)), o, scale))
    np.testing.assert_allclose(o, block[16:32, :16] * scale + 1 + 3.5 + 64, rtol=1e-6)
    with pytest.raises(Exception, match="add_parts"):
        tx.run(add_parts, 1, (descriptor, (x, (1, 2.5)), o, scale, 16, 5))


def test_tables_of_addresses():
    """
    Matrices whose addresses are loaded are views, as aligned as `tl.multiple_of` says. TMA loads
    tiles of them while others are stored through another table.
    """
    rng = np.random.default_rng(3)
    sizes = np.array([64, 96, 32], np.int32)
    left = [rng.random((64, k), np.float32).astype(np.float16) for k in sizes]
    right = [rng.random((k, 64), np.float32).astype(np.float16) for k in sizes]
    results = [np.full((64, 64), np.nan, np.float32) for _ in sizes]
    tables = [
        np.array([each.ctypes.data for each in matrices]) for matrices in (left, right, results)
    ]
    args = (*tables, sizes, 3, 64, 64, 32)
    tx.run(grouped, 2, args)
    for x, y, found in zip(left, right, results, strict=True):
        np.testing.assert_allclose(found, x.astype(np.float32) @ y.astype(np.float32), rtol=1e-3)
    made = tx.compile(grouped, "sm_90", args=args, explain=True)
    told = "\n".join(map(str, made.remarks))
    assert told.count("TMA load of") == 2
    assert "wgmma m64n64k16" in told


def test_remainders_of_indices_have_runs():
    """What lies side by side in a row is loaded together, though a remainder says where."""
    x = np.random.default_rng(5).random((7, 512), np.float32)
    found = np.full((7, 256), np.nan, np.float32)
    args = (x, found, found.size, 1024)
    tx.run(halves, 2, args)
    np.testing.assert_array_equal(found, x[:, :256] * x[:, 256:])
    told = "\n".join(map(str, tx.compile(halves, "sm_90", args=args, explain=True).remarks))
    assert told.count("load of 1024xf32 by threads, 4 elements per access") == 2


def test_races_are_found():
    with pytest.raises(Exception, match="race"):
        tx.run(race, 2, (np.zeros(16, np.int32), 16), check=True)


def test_lines_are_those_of_python():
    explored = tx.explore(add, 8, (*arrays(1000), 1000, 128), gpu="sm_90")
    assert explored.stages[0] == "cuda-tile"
    assert any("tl.store(o + i" in line for line in explored.source_text.lines)


def test_arguments_are_named():
    with pytest.raises(Exception, match="add has no argument for 'n'"):
        tx.compile(add, "sm_90", args=arrays(8))


def test_use_replaces_the_stages_and_restores_them():
    target = targets.GPUTarget("cuda", 90, 32)
    backend = compiler.make_backend(target)
    before = backend.hash()
    with open_triton.use():
        assert backend.hash() != before
        kernel = triton.compile(source(add, **ADD), target=target)
    assert backend.hash() == before
    assert "cuda_tile.module" in kernel.asm["cuda_tile"]
    made = open_triton.compiled("add")
    assert kernel.asm["cubin"] == made.cubin
    assert kernel.metadata.num_warps * 32 == made.record().threads[0]
    # The arguments and two pointers to scratch memory, as the launcher passes them.
    assert [each.type for each in made.record().parameters] == ["ptr"] * 3 + ["i32", "ptr", "ptr"]


def test_a_descriptor_has_the_parameters_that_triton_passes():
    driver: Any = pytest.importorskip("triton.backends.nvidia.driver")
    base: Any = type("Base", (), {"dtype": np.dtype(np.float16), "data_ptr": lambda _: 0})()
    descriptors: Any = pytest.importorskip("triton.tools.tensor_descriptor")
    descriptor = descriptors.TensorDescriptor(base, [64, 32], [32, 1], [16, 16])
    make = driver.make_tensordesc_arg
    passed = make(descriptor, None, *[None] * (make.__code__.co_argcount - 2))
    kinds = {"d": "tensordesc<fp16[16,16]>", "o": "*fp16", "B": 16}
    with open_triton.use(fallback=False):
        triton.compile(source(copy_block, **kinds), target=targets.GPUTarget("cuda", 90, 32))
    made = open_triton.compiled("copy_block").record().parameters
    # The descriptor, the other argument, and two pointers to scratch memory.
    assert len(made) == len(passed) + 1 + 2
    flags = [each for each in passed if isinstance(each, bool)]
    assert [each.type for each in made].count("i1") == len(flags)


@pytest.mark.parametrize("only", [race, [race], "race"])
def test_only_some_kernels(only: Any):
    with open_triton.use(only=only):
        kernel = triton.compile(source(add, **ADD), target=targets.GPUTarget("cuda", 90, 32))
    assert kernel.asm["cuda_tile"] == "// compiled by Triton\n"


@pytest.mark.parametrize("told", ["", "0", "off", "1", "add,race", "race"])
def test_the_environment_switches_it_on(told: str):
    script = (
        "import triton, tileiras_xdsl.triton.stages as stages\n"
        "print([use.covers('add') for use in stages._uses])"
    )
    found = python("-c", script, environment={"TILEIRAS_XDSL_TRITON": told})
    expected = [] if told in ("", "0", "off") else [told != "race"]
    assert found.out.splitlines()[-1:] == [str(expected)]


def test_what_is_refused_is_compiled_by_triton():
    target = targets.GPUTarget("cuda", 90, 32)
    with (
        open_triton.use(),
        pytest.warns(
            open_triton.RefusedWarning,
            match=r"'with_assembly' .*triton\.py:\d+:\d+: error: .*'bfind\.u32'",
        ),
    ):
        kernel = triton.compile(source(with_assembly, x="*i32", B=128), target=target)
    assert kernel.asm["cubin"].startswith(b"\x7fELF")
    with open_triton.use(fallback=False), pytest.raises(Exception, match="bfind"):
        triton.compile(source(with_assembly, x="*i32", B=256), target=target)


@pytest.mark.parametrize("fp_fusion", [False, True])
def test_products_are_fused_if_triton_fuses_them(fp_fusion: bool, monkeypatch: pytest.MonkeyPatch):
    target, options = targets.GPUTarget("cuda", 90, 32), {"enable_fp_fusion": fp_fusion}
    kinds = {"x": "*fp32", "y": "*fp32", "o": "*fp32", "B": 128}
    theirs = triton.compile(source(sums, **kinds), target=target, options=options)
    with open_triton.use(fallback=False):
        ours = triton.compile(source(sums, **kinds), target=target, options=options)
    for kernel in (theirs, ours):
        found = set(re.findall(r"\b(fma|mul|add|sub)\.(?:rn\.)?f32", kernel.asm["ptx"]))
        assert ("fma" in found) == fp_fusion
        assert found == {"fma"} or not fp_fusion

    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", str(int(fp_fusion)))
    (x, y, _), o = arrays(128), np.zeros((2, 128), np.float32)
    tx.run(sums, 1, (x, y, o, 128))
    wide, b = x.astype(np.float64), y.astype(np.float64)
    fused = np.array([wide * b + wide, b - wide * wide]).astype(np.float32)
    np.testing.assert_array_equal(o, fused if fp_fusion else [x * y + x, y - x * x])


def test_kernels_have_the_warps_that_were_asked_for():
    target = targets.GPUTarget("cuda", 90, 32)

    def count(**options: int) -> int:
        with open_triton.use(fallback=False):
            return triton.compile(
                source(add, **ADD), target=target, options=options
            ).metadata.num_warps

    chosen = count()
    asked = 2 if chosen != 2 else 1
    assert count(num_warps=asked) == asked
    assert count(num_warps=4) == chosen  # It is Triton's default.


def test_the_plug_in_compiles_without_a_gpu():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        target = targets.GPUTarget("tileiras", 90, 32)
        if "tileiras" not in pytest.importorskip("triton.backends").backends:
            pytest.skip("the package is not installed, so Triton cannot find it")
        kernel = triton.compile(source(add, **ADD), target=target)
    assert "cuda_tile.module" in kernel.asm["cuda_tile"]


def test_ttir_of_the_notebook_is_what_triton_makes_of_its_source(monkeypatch: pytest.MonkeyPatch):
    """`docs/notebooks/ttir` stands for the kernels of the notebook where Triton is missing."""
    folder = Path(__file__).parents[3] / "docs" / "notebooks"
    notebook = json.loads((folder / "triton.ipynb").read_text(encoding="utf-8"))
    cell = "".join(notebook["cells"][1]["source"])
    # As `run_notebooks.py` has it: Triton asks for the source of functions.
    name = "triton.ipynb[1]"
    monkeypatch.setitem(
        linecache.cache, name, (len(cell), None, cell.splitlines(keepends=True), name)
    )
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(cell, name, "exec"), names)
    half, single = tx.array("float16", 2), tx.array("float32", 1)
    launches = {
        "attention": ("attention", [*[half] * 4, 256, names["SCALE"], 64, 64, 64]),
        "column_sums": ("column_sums", [single, single, 64, False]),
        "column_sums_atomic": ("column_sums", [single, single, 64, True]),
        "pick_rows": ("pick_rows", [half, tx.array("int32", 1), half, 64, 64]),
    }
    assert {path.stem for path in (folder / "ttir").iterdir()} == set(launches)
    for file, (kernel, args) in launches.items():
        made = from_triton.export(names[kernel], args)
        stored = (folder / "ttir" / f"{file}.ttir").read_text(encoding="utf-8")
        # Triton's versions differ in words; ops and types are the same.
        assert ops_of(made.bytecode.decode()) == ops_of(stored), file


def ops_of(text: str) -> list[str]:
    """The names of ops in TTIR, in order."""
    return re.findall(r"(?:= |^ +)\"?((?:tt|arith|math|scf)\.[\w.]+)", text, re.MULTILINE)
