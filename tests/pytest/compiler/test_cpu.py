"""Programs compiled for the CPU of this machine: examples, random programs, the cache, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.driver.compiler.cpu import CompiledForCpu
from tileiras_xdsl.targets.cpu import CpuTarget

from ..strategies.programs import random_program


def described(array: np.ndarray[Any, Any]) -> list[Any]:
    """The arguments of an array: itself, its sizes, its strides."""
    return [array, *array.shape, *(stride // array.itemsize for stride in array.strides)]


def test_softmax():
    x = np.random.default_rng(0).standard_normal((40, 1000)).astype(np.float32)
    y = np.zeros_like(x)
    kernel = tx.compile(tx.examples["softmax"], "cpu")
    kernel.launch(3, [*described(x), *described(y)])
    wanted = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    wanted /= wanted.sum(1, keepdims=True)
    assert np.abs(y / wanted - 1).max() < 2e-6


@pytest.mark.parametrize("threads", [1, 2])
def test_gemm_of_tiles_that_are_cut(threads: int):
    rng = np.random.default_rng(1)
    a = rng.standard_normal((144, 80)).astype(np.float16)
    b = rng.standard_normal((80, 208)).astype(np.float16)
    c = np.zeros((144, 208), np.float16)
    args = [*described(a), *described(b), *described(c)]
    tx.compile(tx.examples["gemm"], "cpu").launch((2, 2), args, threads=threads)
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    # One rounding to f16 of a sum in f32.
    assert np.abs(c - wanted).max() <= 2**-11 * np.abs(wanted).max() + 1e-4


def test_attention():
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((128, 64)).astype(np.float16) for _ in range(3))
    o = np.zeros_like(q)
    args = [argument for each in (q, k, v, o) for argument in described(each)]
    tx.compile(tx.examples["attention"], "cpu").launch(2, args)
    scores = q.astype(np.float64) @ k.astype(np.float64).T / 8
    weights = np.exp(scores - scores.max(1, keepdims=True))
    wanted = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)
    assert np.abs(o - wanted).max() < 2e-3


SUPPORTED = (2, 3, 4, 5)
"""Seeds of random programs all of whose ops there are."""


@pytest.mark.parametrize("seed", SUPPORTED)
def test_random_programs(seed: int):
    program = random_program(seed)
    wanted, found = program.arguments(), program.arguments()
    tx.run(program.module, program.grid, wanted)
    tx.compile(program.module, "cpu").launch(program.grid, found)
    for number, (x, y) in enumerate(zip(wanted, found, strict=True)):
        if isinstance(x, np.ndarray):
            assert np.asarray(x).tobytes() == np.asarray(y).tobytes(), number


def test_the_cache_gives_back_what_was_compiled():
    first = tx.compile(tx.examples["vector_add"], "cpu", cache=True)
    second = tx.compile(tx.examples["vector_add"], "cpu", cache=True)
    assert (first.object, first.asm, first.llvm) == (second.object, second.asm, second.llvm)
    assert first.kernels == second.kernels


def test_what_is_compiled_can_be_looked_at():
    kernel = tx.compile(tx.examples["vector_add"], "cpu")
    assert isinstance(kernel, CompiledForCpu)
    assert "@vector_add(" in kernel.llvm
    assert "vector_add:" in kernel.asm


def test_arguments_that_do_not_fit():
    kernel = tx.compile(tx.examples["vector_add"], "cpu")
    with pytest.raises(BackendError, match="takes 9 arguments, but got 1"):
        kernel.launch(1, [np.zeros(1, np.float32)])
    with pytest.raises(BackendError, match="argument 0 is a pointer and takes an array"):
        kernel.launch(1, [1.0] * 9)


@pytest.mark.parametrize(
    ("triple", "features", "bits", "rows"),
    [
        ("x86_64-unknown-linux-gnu", "avx2 avx512f avx512bw avx512dq avx512vl", 512, 8),
        ("x86_64-unknown-linux-gnu", "avx2 avx512f", 256, 4),
        ("x86_64-unknown-linux-gnu", "", 128, 4),
        ("aarch64-unknown-linux-gnu", "neon", 128, 8),
    ],
)
def test_registers_by_features(triple: str, features: str, bits: int, rows: int):
    target = CpuTarget.of(triple, "generic", dict.fromkeys(features.split(), True))
    assert (target.vector_bits, target.rows) == (bits, rows)
