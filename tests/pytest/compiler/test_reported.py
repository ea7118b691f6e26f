"""
Public reports about programs that NVIDIA's compiler dies on or miscompiles: kernels with the same
patterns compute what they say, as tiles and as threads. `docs/crashes.md` lists the reports.
"""

from __future__ import annotations

import importlib
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.frontend.cutile_kernels import export
from tileiras_xdsl.frontend.load import load

from ..harness.cases import every
from ..harness.passes import lower
from ..harness.running import run_printing

PAGE = (Path(__file__).parents[3] / "docs" / "crashes.md").read_text()
ROWS = re.findall(r"^\| \[.*\| `(\w+)` \| (\w+) \| (\w+) \|$", PAGE, re.MULTILINE)
"""The kernel of each report, and what became of it with NVIDIA's compiler and with ours."""
NAMES = [name for name, *_ in ROWS]


@dataclass
class Case:
    """Arguments of a kernel, and what its arrays hold behind it."""

    arguments: Sequence[Any]
    expected: Sequence[Any]
    grid: int = 1
    tolerance: float = 4e-6
    """Relative: a sum of at most 32 positive numbers rounds 32 times by 2^-24, and some more."""
    absolute: float = 0.0


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape).astype(np.float32)


def tf32(x: Any) -> Any:
    """f32 rounded to 10 bits behind the point, ties to even."""
    bits = x.view(np.uint32)
    return ((bits + 0xFFF + (bits >> 13 & 1)) & np.uint32(0xFFFFE000)).view(np.float32)


def normalize_rows() -> Case:
    x = numbers(8, 32)
    y = x.copy()
    y[::2] /= x[::2].sum(1, keepdims=True)
    return Case([x], [y])


def scale_columns() -> Case:
    x = numbers(64, 32)
    y = x.copy()
    y[:, :32] /= x.max(0)
    return Case([x, np.zeros((2, 64), np.float32)], [y, y[:, :2].T * [[1], [1]]])


def factor() -> Case:
    x = (numbers(16, 16) + 16 * np.eye(16)).astype(np.float32)
    y = x.astype(np.float64)
    for p in range(16):
        y[:, p + 1 :] -= np.outer(y[:, p], y[p, p + 1 :]) / y[p, p]
    # Each of 16 steps rounds three times by 2^-24 of numbers that are less than 20.
    return Case([x, np.zeros_like(x), 16], [x, y], absolute=16 * 3 * 20 * 2.0**-24)


def update_panels() -> Case:
    size, steps = 16, 2
    x = numbers(4 * size, 4 * size)
    first = x[:, :size].astype(np.float64)
    parts = [slice(i * size, (i + 1) * size) for i in range(steps)]
    for part in parts:
        first += tf32(x[:, part].copy()) @ tf32(x[part, :size].copy()).astype(np.float64)
    second = x[:, size : 2 * size].astype(np.float64)
    rounded = tf32(first.astype(np.float32)).astype(np.float64)
    for part in parts:
        second += tf32(x[:, part].copy()) @ rounded[part]
    out = np.zeros((4 * size, 2 * size), np.float32)
    # What is stored in between may round to the next number of tf32.
    return Case([x, out, steps, size], [x, np.hstack([first, second])], tolerance=2e-3)


def gathered_product() -> Case:
    a, b = numbers(32, 48).astype(np.float16), numbers(48, 16, seed=1).astype(np.float16)
    order = np.random.default_rng(2).permutation(32)[:16].astype(np.int32)
    c = np.zeros((32, 16), np.float16)
    expected = c.astype(np.float32)
    expected[order] = a[order].astype(np.float32) @ b.astype(np.float32)
    return Case([a, b, c, order, 16], [a, b, expected, order], tolerance=2**-10)


def scaled_steps() -> Case:
    random = np.random.default_rng(0)
    steps = 2
    a, b = random.integers(-4, 5, (128, 256 * steps)), random.integers(-4, 5, (256 * steps, 64))
    x, y = (random.integers(-2, 3, shape) for shape in ((128, 8 * steps), (8 * steps, 64)))
    exact = (a * np.exp2(np.repeat(x, 32, 1))) @ (b * np.exp2(np.repeat(y, 32, 0)))
    values = [each.astype(ml_dtypes.float8_e4m3fn) for each in (a, b)]
    scales = [np.exp2(each).astype(ml_dtypes.float8_e8m0fnu) for each in (x, y)]
    out = np.zeros((128, 64), np.float32)
    # Multiples of 1/16 below 2^20: f32 has all sums.
    inputs = [values[0], scales[0], values[1], scales[1]]
    return Case([*inputs, out, 64], [*(each.astype(float) for each in inputs), exact])


def scatter_rows() -> Case:
    order = np.random.default_rng(2).permutation(256)[:128].astype(np.int32)
    out = np.zeros((256, 40), np.float16)
    expected = out.copy()
    expected[order] = 1
    return Case([out, order, 32], [expected, order], grid=2)


def store_both() -> Case:
    x, w = (numbers(20, 20, seed=seed).astype(ml_dtypes.bfloat16) for seed in (0, 1))
    full = x.astype(np.float32)
    outs = [np.zeros((20, 20), np.float32) for _ in range(2)]
    return Case([x, w, *outs, 32], [x, w, full @ w.astype(np.float32), np.exp(full)])


def case_of(name: str) -> Case:
    return globals()[name]()


def gpu_of(name: str) -> str:
    """The GPU that the page is about."""
    return "sm_103" if name == "scaled_steps" else "sm_90"


@pytest.fixture
def kernels(oracle_module: Callable[[str], ModuleType]) -> Any:
    oracle_module("cuda.tile")
    return importlib.import_module("tests.pytest.reported_kernels")


def test_the_page_has_all():
    source = (Path(__file__).parents[1] / "reported_kernels.py").read_text()
    assert re.findall(r"@ct\.kernel.*\ndef (\w+)", source) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_results(name: str, kernels: Any):
    case = case_of(name)
    made = export(getattr(kernels, name), case.arguments, gpu_of(name))
    module = load(made.bytecode)
    for level in (module, lower(module, "nvgpu", arch=gpu_of(name))):
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in case.arguments]
        run_printing(level, grid=case.grid, args=made.flatten(copies))
        arrays: list[Any] = [x for x in copies if isinstance(x, np.ndarray)]
        for found, expected in zip(arrays, case.expected, strict=True):
            np.testing.assert_allclose(
                found.astype(np.float64), expected, case.tolerance, case.absolute
            )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("gpu", every(2, ["sm_120", "sm_80", "sm_100"]))
def test_compiles(name: str, gpu: str, kernels: Any):
    case = case_of(name)
    kernel = getattr(kernels, name)
    if name == "scaled_steps" and gpu == "sm_80":
        gpu = gpu_of(name)
    assert ".entry" in tx.compile(kernel, gpu, args=case.arguments, cache=False).ptx


@pytest.mark.parametrize("row", every(4, ROWS), ids=lambda row: row[0])
def test_beside_nvidias(
    row: tuple[str, str, str],
    kernels: Any,
    oracle_program: Callable[[str], Path],
    tmp_path: Path,
):
    """What the page says of NVIDIA's compiler: compiled, or how it ended."""
    name, theirs, ours = row
    made = export(getattr(kernels, name), case_of(name).arguments, gpu_of(name))
    path = tmp_path / "k.tilebc"
    path.write_bytes(made.bytecode)
    command = [oracle_program("tileiras"), path, f"--gpu-name={gpu_of(name)}", "-o", tmp_path / "k"]
    code = subprocess.run(command, capture_output=True, check=False).returncode
    assert theirs == {0: "compiles", -11: "crashes"}.get(code, "fails")
    assert ours == "compiles"
