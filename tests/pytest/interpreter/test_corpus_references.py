"""
Kernels of the corpus against NumPy in higher precision.

Arrays are passed as cuTile does: pointer, sizes, strides. Results are compared with float64
(or exact integer) references. A tolerance is that of the last rounding, half a unit in the
last place of the type of the result, plus that of the accumulation in float32 where there is
one; integers and moved data must be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import tileiras_xdsl

Array: TypeAlias = npt.NDArray[Any]

CORPUS = Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4"
bf16 = np.dtype(ml_dtypes.bfloat16)
e4m3, e5m2 = np.dtype(ml_dtypes.float8_e4m3fn), np.dtype(ml_dtypes.float8_e5m2)
f16, f32, f64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)

ULP: dict[np.dtype[Any], float] = {f16: 2**-10, bf16: 2**-7, f32: 2**-23, f64: 2**-52}
"""The distance of 1 to the next number."""


def flatten(argument: Array | float) -> list[Array | int | float]:
    """A parameter of a kernel: an array becomes its pointer, sizes and strides."""
    if not isinstance(argument, np.ndarray):
        return [argument]
    strides = [stride // argument.itemsize for stride in argument.strides]
    return [argument, *argument.shape, *strides]


def launch(name: str, grid: int | Sequence[int], *arguments: Array | float) -> None:
    """Calls a kernel like cuTile does, and checks what can be checked."""
    module = tileiras_xdsl.load(CORPUS / f"{name}.tileirbc")
    args = [part for argument in arguments for part in flatten(argument)]
    tileiras_xdsl.run(module, entry=name, grid=grid, args=args, check=["bounds", "division"])


def close(found: Array, expected: Array, *, units: float = 0.5, absolute: float = 0.0) -> None:
    """Results differ by so many units in their last place, or by an absolute error."""
    found64 = found.astype(np.float64)
    limit = ULP[found.dtype] * units * np.abs(expected) + absolute
    worst = np.max(np.abs(found64 - expected) - limit)
    assert worst <= 0, f"{worst} too far away"


def rng(name: str) -> np.random.Generator:
    return np.random.default_rng(sum(name.encode()))


def normal(generator: np.random.Generator, shape: Sequence[int], dtype: npt.DTypeLike) -> Array:
    return generator.standard_normal(tuple(shape)).astype(dtype)


def wide(array: Array) -> Array:
    return array.astype(np.float64)


# Elementwise


def vector_add(g: np.random.Generator) -> None:
    x, y, out = normal(g, [3000], f32), normal(g, [3000], f32), np.zeros(3000, f32)
    launch("vector_add", 3, x, y, out)
    close(out, wide(x) + wide(y))


def axpy(g: np.random.Generator) -> None:
    x, y = normal(g, [1536], f32), normal(g, [1536], f32)
    before = wide(y)
    launch("axpy", 2, x, y, 1.5, 1)
    close(y[512:], (1.5 * wide(x) + before)[512:], units=2, absolute=1e-6)
    assert np.array_equal(y[:512], before[:512].astype(f32))


def clamp_3d(g: np.random.Generator) -> None:
    x, out = normal(g, [4, 16, 64], f16), np.zeros((4, 16, 64), f16)
    launch("clamp_3d", (2, 2, 2), x, out, -0.5, 0.75)
    assert np.array_equal(out, np.clip(x, f16.type(-0.5), f16.type(0.75)))


def bool_logic(g: np.random.Generator) -> None:
    a, b, c = (g.random(256) < 0.5 for _ in range(3))
    out = np.zeros(256, np.bool_)
    launch("bool_logic", 2, a, b, c, out)
    majority, parity = (a & b) | (b & c) | (a & c), a ^ b ^ c
    assert np.array_equal(out, np.where(majority, ~parity, parity == c))


def tf32_residual(g: np.random.Generator) -> None:
    x, out = normal(g, [256], f32), np.zeros(256, f32)
    launch("tf32_residual", 2, x, out)
    # Ten bits of mantissa, ties to even; what is left is exact.
    scale = 2.0 ** (np.floor(np.log2(np.abs(wide(x)))) - 10)
    assert np.array_equal(wide(out), wide(x) - np.rint(wide(x) / scale) * scale)


# Matrix products


def check_matmul(
    name: str, lhs: npt.DTypeLike, rhs: npt.DTypeLike, result: npt.DTypeLike
) -> Callable[[np.random.Generator], None]:
    def check(g: np.random.Generator) -> None:
        a, b = normal(g, [100, 80], lhs), normal(g, [80, 90], rhs)
        c = np.zeros((100, 90), result)
        launch(name, (2, 2), a, b, c)
        # 80 products are added in f32 or f64; f16 is rounded to after each of three tiles.
        sizes = np.abs(wide(a)) @ np.abs(wide(b))
        roundings = 1 if c.dtype == f16 else 80
        close(c, wide(a) @ wide(b), absolute=float(sizes.max()) * roundings * ULP[c.dtype])

    return check


def check_integer_matmul(
    name: str, lhs: npt.DTypeLike, rhs: npt.DTypeLike
) -> Callable[[np.random.Generator], None]:
    def check(g: np.random.Generator) -> None:
        a = g.integers(0, 256, (64, 70)).astype(np.uint8).view(lhs)
        b = g.integers(0, 256, (70, 64)).astype(np.uint8).view(rhs)
        c = np.zeros((64, 64), np.int32)
        launch(name, (1, 1), a, b, c)
        assert np.array_equal(c, a.astype(np.int64) @ b.astype(np.int64))

    return check


def batched_matmul(g: np.random.Generator) -> None:
    a, b = normal(g, [2, 64, 96], f16), normal(g, [2, 96, 64], f16)
    c = np.zeros((2, 64, 64), f16)
    launch("batched_matmul", (1, 1, 2), a, b, c)
    close(c, wide(a) @ wide(b), absolute=1e-3)


def matmul_bias_relu(g: np.random.Generator) -> None:
    a, b, bias = normal(g, [128, 64], f16), normal(g, [128, 64], f16), normal(g, [128], f16)
    c = np.zeros((128, 128), f16)
    launch("matmul_bias_relu", (1, 1), a, b, bias, c)
    close(c, np.maximum(wide(a) @ wide(b).T + wide(bias), 0), absolute=1e-3)


# Normalisation


def softmax(x: Array, axis: int = -1) -> Array:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def row_softmax(g: np.random.Generator) -> None:
    x, out = normal(g, [5, 300], f16), np.zeros((5, 300), f16)
    launch("row_softmax", 5, x, out)
    close(out, softmax(wide(x)), units=1, absolute=2**-25)


def online_softmax(g: np.random.Generator) -> None:
    x, out = normal(g, [8, 600], bf16), np.zeros((8, 600), bf16)
    launch("online_softmax", 2, x, out)
    close(out, softmax(wide(x)), units=1)


def layer_norm(g: np.random.Generator) -> None:
    x, weight, bias = normal(g, [4, 700], f16), normal(g, [700], f16), normal(g, [700], f16)
    out, means, inverses = np.zeros((4, 700), f16), np.zeros(4, f32), np.zeros(4, f32)
    launch("layer_norm", 4, x, weight, bias, out, means, inverses, 1e-5)
    mean = wide(x).mean(axis=1, keepdims=True)
    inverse = 1 / np.sqrt(wide(x).var(axis=1, keepdims=True) + 1e-5)
    close(means, mean[:, 0], absolute=1e-6)
    close(inverses, inverse[:, 0], units=8)
    close(out, (wide(x) - mean) * inverse * wide(weight) + wide(bias), units=1, absolute=1e-5)


def rms_norm(g: np.random.Generator) -> None:
    x, weight = normal(g, [4, 1024], bf16), normal(g, [1024], bf16)
    out = np.zeros((4, 1024), bf16)
    launch("rms_norm", 2, x, weight, out)
    inverse = 1 / np.sqrt((wide(x) ** 2).mean(axis=1, keepdims=True) + 1e-6)
    close(out, wide(x) * inverse * wide(weight), units=1)


def cross_entropy(g: np.random.Generator) -> None:
    logits, labels = normal(g, [6, 200], f32), np.array([3, -1, 199, 0, 7, -5], np.int64)
    loss, gradient = np.zeros(6, f32), np.zeros((6, 200), f32)
    launch("cross_entropy", 6, logits, labels, loss, gradient)
    p = softmax(wide(logits))
    rows = np.arange(6)
    picked = np.where(labels < 0, 1, p[rows, np.maximum(labels, 0)])
    hot = np.arange(200)[None] == labels[:, None]
    close(loss, -np.log(picked), absolute=2e-6)
    close(gradient, np.where(labels[:, None] < 0, 0, p - hot), absolute=1e-6)


# Reductions and scans


def log_sum_exp(g: np.random.Generator) -> None:
    x, out = normal(g, [16, 200], f32) * f32.type(20), np.zeros(16, f32)
    launch("log_sum_exp", 2, x, out)
    close(out, np.logaddexp.reduce(wide(x), axis=1), units=8)


def welford(g: np.random.Generator) -> None:
    x, mean, variance = normal(g, [16, 128], f32), np.zeros(16, f32), np.zeros(16, f32)
    launch("welford", 2, x, mean, variance)
    close(mean, wide(x).mean(axis=1), absolute=1e-6)
    close(variance, wide(x).var(axis=1), units=16)


def xor_checksum(g: np.random.Generator) -> None:
    x, out = g.integers(0, 2**32, (16, 128), np.uint32), np.zeros(16, np.uint32)
    launch("xor_checksum", 2, x, out)
    assert np.array_equal(out, np.bitwise_xor.reduce(x, axis=1))


def any_and_all(g: np.random.Generator) -> None:
    mask = g.random((32, 32)) < np.linspace(0, 1, 32)[:, None]
    any_row, all_row, count = np.zeros(32, np.bool_), np.zeros(32, np.bool_), np.zeros(32, np.int32)
    launch("any_and_all", 2, mask, any_row, all_row, count)
    assert np.array_equal(any_row, mask.any(axis=1))
    assert np.array_equal(all_row, mask.all(axis=1))
    assert np.array_equal(count, mask.sum(axis=1))


def arg_reductions(g: np.random.Generator) -> None:
    x = normal(g, [8, 64], f32)
    largest, smallest, both = np.zeros(8, np.int32), np.zeros(64, np.int32), np.zeros(8, np.int32)
    launch("arg_reductions", 1, x, largest, smallest, both)
    assert np.array_equal(largest, x.argmax(axis=1))
    assert np.array_equal(smallest, x.argmin(axis=0))
    assert np.array_equal(both, x.argmax(axis=1) + x.argmin())


def dot_partial(g: np.random.Generator) -> None:
    x, y, out = normal(g, [3000], f32), normal(g, [3000], f32), np.zeros(2, f32)
    launch("dot_partial", 2, x, y, out)
    close(out.sum(keepdims=True), (wide(x) @ wide(y))[None], absolute=1e-3)


def max_pool_2x2(g: np.random.Generator) -> None:
    x, out = normal(g, [1, 2, 16, 32], f32), np.zeros((1, 2, 8, 16), f32)
    launch("max_pool_2x2", (1, 2, 2), x, out)
    assert np.array_equal(out, x.reshape(1, 2, 8, 2, 16, 2).max(axis=(3, 5)))


def running_sum_and_product_i32(g: np.random.Generator) -> None:
    x = g.integers(-9, 9, (16, 64)).astype(np.int32)
    sums, products = np.zeros_like(x), np.zeros_like(x)
    launch("running_sum_and_product_i32", 2, x, sums, products)
    assert np.array_equal(sums, x.cumsum(axis=1))
    tiles = x.reshape(2, 8, 64).astype(np.int64)
    assert np.array_equal(products, tiles.cumprod(axis=1).reshape(16, 64))


def running_maximum(g: np.random.Generator) -> None:
    x, out = g.integers(-(2**31), 2**31, 256).astype(np.int32), np.zeros(256, np.int32)
    launch("running_maximum", 2, x, out)
    assert np.array_equal(out, np.maximum.accumulate(x.reshape(2, 128), axis=1).reshape(-1))


def linear_recurrence(g: np.random.Generator) -> None:
    decay, drive = g.random((8, 128)).astype(f32), normal(g, [8, 128], f32)
    state = np.zeros((8, 128), f32)
    launch("linear_recurrence", 2, decay, drive, state)
    h, expected = np.zeros(8), np.zeros((8, 128))
    for t in range(128):
        h = wide(decay)[:, t] * h + wide(drive)[:, t]
        expected[:, t] = h
    close(state, expected, absolute=1e-5)


def long_prefix_sum(g: np.random.Generator) -> None:
    x, out = normal(g, [1000], f32), np.zeros(1000, f32)
    launch("long_prefix_sum", 1, x, out)
    close(out, wide(x).cumsum(), absolute=1e-4)


# Attention


def attention_forward(g: np.random.Generator) -> None:
    q, k, v = (normal(g, [1, 2, length, 64], f16) for length in (64, 128, 128))
    out = np.zeros((1, 2, 64, 64), f16)
    launch("attention_forward", (1, 2, 1), q, k, v, out, 0.125)
    scores = wide(q) @ wide(k).swapaxes(2, 3) * 0.125
    # Probabilities are rounded to f16 before they meet the values.
    close(out, softmax(scores) @ wide(v), absolute=2e-3)


def causal_attention(g: np.random.Generator) -> None:
    q = normal(g, [1, 4, 64, 64], bf16)
    k, v = (normal(g, [1, 1, 64, 64], bf16) for _ in range(2))
    out, lse = np.zeros((1, 4, 64, 64), bf16), np.zeros((1, 4, 64), f32)
    launch("causal_attention", (1, 4, 1), q, k, v, out, lse, 0.125)
    scores = wide(q) @ wide(k).swapaxes(2, 3) * 0.125
    scores = np.where(np.tri(64, dtype=np.bool_), scores, -np.inf)
    close(out, softmax(scores) @ wide(v), units=1, absolute=1.5e-2)


# Memory


def gather_1d(g: np.random.Generator) -> None:
    table = g.integers(-128, 128, 50).astype(np.int8)
    indices, out = g.integers(-10, 60, 256).astype(np.int32), np.ones(256, np.int8)
    launch("gather_1d", 2, table, indices, out)
    inside = (indices >= 0) & (indices < 50)
    assert np.array_equal(out, np.where(inside, table[np.clip(indices, 0, 49)], 0))


def embedding_lookup(g: np.random.Generator) -> None:
    table, tokens = normal(g, [20, 100], f32), g.integers(0, 25, 32)
    out = np.zeros((32, 128), f32)
    launch("embedding_lookup", (2, 2), table, tokens, out)
    padded = np.full((25, 128), -1, f32)
    padded[:20, :100] = table
    assert np.array_equal(out, padded[tokens])


def row_gather_view(g: np.random.Generator) -> None:
    table, rows = normal(g, [40, 128], f32), g.integers(0, 40, 32).astype(np.int32)
    out = np.zeros((32, 128), f32)
    launch("row_gather_view", (2, 2), table, rows, out)
    assert np.array_equal(out, table[rows])


def transpose_by_scatter(g: np.random.Generator) -> None:
    x, out = normal(g, [80, 120], f32)[::2, 10:60], np.zeros((50, 40), f32)
    launch("transpose_by_scatter", (2, 2), x, out)
    assert np.array_equal(out, x.T)


def csr_row_product(g: np.random.Generator) -> None:
    matrix = np.where(g.random((6, 100)) < 0.4, g.standard_normal((6, 100)), 0).astype(f32)
    starts = np.concatenate(([0], np.cumsum((matrix != 0).sum(axis=1)))).astype(np.int32)
    columns, values = np.nonzero(matrix)[1].astype(np.int32), matrix[matrix != 0]
    x, y = normal(g, [100], f32), np.zeros(6, f32)
    launch("csr_row_product", 6, starts, columns, values, x, y)
    close(y, wide(matrix) @ wide(x), absolute=1e-5)


def byte_histogram(g: np.random.Generator) -> None:
    x, bins = g.integers(0, 256, 3000).astype(np.uint8), np.zeros(256, np.int32)
    launch("byte_histogram", 3, x, bins)
    assert np.array_equal(bins, np.bincount(x, minlength=256))


def last_block_reduces(g: np.random.Generator) -> None:
    x, partial = normal(g, [1024], f32), np.zeros(4, f32)
    arrived, out = np.zeros(1, np.int32), np.zeros(1, f32)
    launch("last_block_reduces", 4, x, partial, arrived, out)
    close(out, wide(x).sum(keepdims=True), absolute=1e-4)
    assert arrived[0] == 0


def float_max_by_cas(g: np.random.Generator) -> None:
    x, out = normal(g, [512], f32), np.full(1, -100, f32)
    launch("float_max_by_cas", 8, x, out)
    assert out[0] == x.max()


# Conversions


def half_to_floats(g: np.random.Generator) -> None:
    x = normal(g, [128], f16)
    half, brain, single, double = (np.zeros(128, ty) for ty in (f16, bf16, f32, f64))
    launch("half_to_floats", 2, x, half, brain, single, double)
    assert np.array_equal(single, x)
    assert np.array_equal(double, x)
    assert np.array_equal(wide(brain), wide(x.astype(bf16)))


def integers_to_float(g: np.random.Generator) -> None:
    types = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
    arrays = [g.integers(0, 100, 128).astype(ty) for ty in types]
    out = np.zeros(128, f32)
    launch("integers_to_float", 2, *arrays, out)
    assert np.array_equal(out, sum(wide(array) for array in arrays))


def float_to_integers(g: np.random.Generator) -> None:
    x = (g.random(128) * 100).astype(f32)
    types = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
    arrays = [np.zeros(128, ty) for ty in types]
    launch("float_to_integers", 2, x, *arrays)
    assert all(np.array_equal(array, np.trunc(x)) for array in arrays)


@dataclass(frozen=True)
class Reference:
    """A kernel, and what checks it."""

    name: str
    check: Callable[[np.random.Generator], None]


REFERENCES = (
    *(
        Reference(check.__name__, check)
        for check in (
            vector_add,
            axpy,
            clamp_3d,
            bool_logic,
            tf32_residual,
            batched_matmul,
            matmul_bias_relu,
            row_softmax,
            online_softmax,
            layer_norm,
            rms_norm,
            cross_entropy,
            log_sum_exp,
            welford,
            xor_checksum,
            any_and_all,
            arg_reductions,
            dot_partial,
            max_pool_2x2,
            running_sum_and_product_i32,
            running_maximum,
            linear_recurrence,
            long_prefix_sum,
            attention_forward,
            causal_attention,
            gather_1d,
            embedding_lookup,
            row_gather_view,
            transpose_by_scatter,
            csr_row_product,
            byte_histogram,
            last_block_reduces,
            float_max_by_cas,
            half_to_floats,
            integers_to_float,
            float_to_integers,
        )
    ),
    *(
        Reference(f"matmul_{tag}", check_matmul(f"matmul_{tag}", lhs, rhs, result))
        for tag, lhs, rhs, result in (
            ("f16_f32", f16, f16, f32),
            ("f16_f16", f16, f16, f16),
            ("bf16_f32", bf16, bf16, f32),
            ("f32_f32", f32, f32, f32),
            ("f64_f64", f64, f64, f64),
            ("e4m3_f32", e4m3, e4m3, f32),
            ("e5m2_f16", e5m2, e5m2, f16),
        )
    ),
    *(
        Reference(f"matmul_{tag}", check_integer_matmul(f"matmul_{tag}", lhs, rhs))
        for tag, lhs, rhs in (
            ("i8_i8", np.int8, np.int8),
            ("u8_i8", np.uint8, np.int8),
            ("i8_u8", np.int8, np.uint8),
            ("u8_u8", np.uint8, np.uint8),
        )
    ),
)


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda reference: reference.name)
def test_kernel_is_right(reference: Reference) -> None:
    reference.check(rng(reference.name))
