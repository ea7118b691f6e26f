"""The kernels of examples/level3, at level 3 and lowered to level 4."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f16, f32

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nvgpu.types import HostMap
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads import run_threads

from .thread_levels import LEVELS, Lowering

FOLDER = Path(__file__).parents[3] / "examples" / "level3"


def example(name: str) -> str:
    """The text of an example."""
    return (FOLDER / f"{name}.mlir").read_text()


def random_floats(*shape: int, dtype: Any = np.float32) -> Any:
    """Numbers from -1 to 1."""
    return np.random.default_rng(3).uniform(-1, 1, shape).astype(dtype)


@LEVELS
def test_saxpy(lower: Lowering) -> None:
    n = 3001
    x, y = random_floats(n), random_floats(n)
    expected = (np.float64(2.5) * x + y).astype(np.float32)
    run_threads(lower(example("saxpy")), 2, [2.5, x, y, n], entry="saxpy")
    assert (y == expected).all()


@LEVELS
def test_block_reduction(lower: Lowering) -> None:
    x, sums = random_floats(5003), np.zeros(3, np.float32)
    run_threads(lower(example("block_reduction")), 3, [x, sums, len(x)], entry="block_reduction")
    np.testing.assert_allclose(sums.sum(), x.sum(), atol=1e-3)


@LEVELS
def test_cp_async_stencil(lower: Lowering) -> None:
    tiles, ctas = 3, 2
    x, out = random_floats(tiles * ctas * 512 + 8), np.zeros(tiles * ctas * 512, np.float32)
    run_threads(lower(example("cp_async_stencil")), ctas, [x, out, tiles], entry="cp_async_stencil")
    np.testing.assert_allclose(out, (x[3:-5] + x[4:-4] + x[5:-3]) / 3, atol=1e-6)


@pytest.mark.every(2)
@LEVELS
def test_mma_matmul(lower: Lowering) -> None:
    a, b = random_floats(128, 128, dtype=np.float16), random_floats(128, 128, dtype=np.float16)
    c = np.zeros((128, 128), np.float32)
    module = lower(example("mma_matmul").replace("2048", "128"))
    run_threads(module, (2, 2), [a, b, c], entry="mma_matmul")
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=1e-4)


@LEVELS
def test_assert_and_printf(lower: Lowering, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.arange(100, dtype=np.float32)
    module = lower(example("assert_printf"))
    run(module, grid=2, args=[x, 100])
    assert capsys.readouterr().out == (
        "block 0 of 100 elements begins with 0.000\nblock 1 of 100 elements begins with 64.000\n"
    )
    x[70] = -1
    with pytest.raises(ExecutionError, match=r"elements must not be negative .thread 6. .CTA .1"):
        run(module, grid=2, args=[x, 100])


def box_of(base: int) -> HostMap:
    """32 x 64 elements of a matrix whose extents are the arguments 2 and 3."""
    return HostMap(f32, base, ((1, 2), (1, 3)), ((4, 2),), (64, 32), 0)


@LEVELS
def test_tma_copy(lower: Lowering) -> None:
    x, out = random_floats(50, 100), np.zeros((50, 100), np.float32)
    arguments, maps = [x, out, 100, 50, 2.0], [box_of(0), box_of(1)]
    run_threads(lower(example("tma_copy")), 2, arguments, entry="tma_copy", tensor_maps=maps)
    assert (out == 2 * x).all()


@pytest.mark.every(2)
@LEVELS
def test_wgmma_matmul(lower: Lowering) -> None:
    n, k = 256, 320
    a, b = random_floats(n, k, dtype=np.float16), random_floats(k, n, dtype=np.float16)
    c = np.zeros((n, n), np.float32)
    maps = [
        HostMap(f16, 0, ((1, 3), (n, None)), ((2, 3),), (64, 128), 128),
        HostMap(f16, 1, ((n, None), (1, 3)), ((2 * n, None),), (64, 64), 128),
    ]
    module = lower(example("wgmma_matmul").replace("4096", str(n)))
    run_threads(module, (2, 1), [a, b, c, k], entry="wgmma_matmul", tensor_maps=maps)
    expected = a[:128].astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c[:128], expected, atol=1e-4)
    assert (c[128:] == 0).all()


def test_a_bug_of_wgmma_matmul() -> None:
    a, c = random_floats(128, 320, dtype=np.float16), np.zeros((128, 128), np.float32)
    maps = [
        HostMap(f16, 0, ((1, 3), (128, None)), ((2, 3),), (64, 128), 128),
        HostMap(f16, 1, ((128, None), (1, 3)), ((256, None),), (64, 64), 128),
    ]
    text = example("wgmma_matmul").replace("4096", "128").replace("%phase, %ticks", "%true, %ticks")
    with pytest.raises(ExecutionError, match=r"still writes"):
        run_threads(load(text), 1, [a, a, c, 320], tensor_maps=maps)
