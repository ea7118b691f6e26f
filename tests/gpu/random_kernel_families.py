# pyright: basic
"""
Families of cuTile kernels with random parameters, arguments, and what they must compute: the kinds
of kernels that language models are made of. `random_kernels.py` compiles and runs them.

Every output has a bound for each of its elements, derived from the roundings that the kernel asks
for: those of its own conversions, and an error of 2^-22 for each addition in f32 on tensor cores,
which truncate.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import cuda.tile as ct

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO

ADDITION = 2.0**-22
"""The relative error of an addition on tensor cores."""
ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-23, "int32": 0.0}
"""The relative error of a conversion to a type."""
TINY = {"float16": 2.0**-24, "bfloat16": 1e-38, "float32": 1e-38, "int32": 0.0}
"""The absolute one, of denormals."""


@dataclass(frozen=True)
class Array:
    """An argument: its shape, type, and how it is filled."""

    shape: tuple[int, ...]
    dtype: str
    fill: str = "normal"
    """`normal`, `small` (a tenth), `output` (poison), `in place` (normal), `zero`, `below N`."""
    copies: int = 0
    """Not 0: a list of so many arrays."""


@dataclass(frozen=True)
class Case:
    """A kernel with arguments, and a function from these to expected outputs and bounds."""

    name: str
    kernel: Any
    grid: tuple[int, ...]
    arrays: Sequence[Array]
    constants: Sequence[int | float]
    reference: Callable[..., Sequence[tuple[Any, Any]]]
    """Takes the arrays but pure outputs; gives a pair for each array that is written."""
    hints: dict[str, int] = field(default_factory=dict)


def rounded(expected: Any, bound: Any, dtype: str) -> tuple[Any, Any]:
    """With the conversion of the result to its type."""
    bound = bound + ROUNDING[dtype] * (expected.abs() + bound) + TINY[dtype]
    return expected, bound


def product(a: Any, b: Any, narrow: bool = False) -> tuple[Any, Any]:
    """A product of matrices and its bound; of operands that are rounded to tf32 if `narrow`."""
    size = a.abs() @ b.abs()
    return a @ b, size * (a.shape[-1] * ADDITION + (2.0**-10 if narrow else 0))


# Products.


@ct.kernel
def gemm(
    a, b, bias, c, tm: Const, tn: Const, tk: Const, a_t: Const, b_t: Const, end: Const, loop: Const
):
    """`end`: 0 nothing, 1 adds a row and is not negative, 2 is divided by the sums of rows."""
    columns = ct.num_tiles(c, 1, (tm, tn))
    tiles = ct.num_tiles(c, 0, (tm, tn)) * columns
    depth = ct.num_tiles(a, 0, (tk, tm)) if a_t else ct.num_tiles(a, 1, (tm, tk))
    last = tiles if loop else ct.bid(0) + 1
    for tile in range(ct.bid(0), last, ct.num_blocks(0)):
        i, j = tile // columns, tile % columns
        total = ct.zeros((tm, tn), ct.float32)
        for step in range(depth):
            if a_t:
                x = ct.load(a, (i, step), (tm, tk), order=(1, 0), padding_mode=ZERO)
            else:
                x = ct.load(a, (i, step), (tm, tk), padding_mode=ZERO)
            if b_t:
                y = ct.load(b, (step, j), (tk, tn), order=(1, 0), padding_mode=ZERO)
            else:
                y = ct.load(b, (step, j), (tk, tn), padding_mode=ZERO)
            if a.dtype == ct.float32:
                x, y = x.astype(ct.tfloat32), y.astype(ct.tfloat32)
            total = ct.mma(x, y, total)
        if end == 1:
            row = ct.load(bias, (j,), (tn,), padding_mode=ZERO).reshape((1, tn))
            total = ct.maximum(total + row.astype(ct.float32), 0.0)
        if end == 2:
            total = total / (1.0 + ct.sum(ct.abs(total), axis=1, keepdims=True))
        ct.store(c, (i, j), total.astype(c.dtype))


def make_gemm(rng: random.Random) -> Case:
    tm, tn, tk = rng.choice(
        [
            (64, 64, 32),
            (128, 128, 32),
            (128, 128, 64),
            (128, 256, 64),
            (256, 128, 64),
            (256, 256, 32),
            (256, 256, 64),
            (512, 128, 32),
            (128, 512, 64),
            (512, 256, 64),
            (64, 256, 128),
            (32, 128, 64),
            (16, 64, 64),
            (128, 16, 64),
            (256, 64, 16),
            (192 // 3, 32, 256),
        ]
    )
    dtype = rng.choice(["float16", "bfloat16", "float32"])
    end = rng.choice([0, 0, 1, 2])
    # Sums of rows are those of tiles, so with them there is one tile in a row.
    m = rng.choice([tm, 2 * tm, 3 * tm - 8, 8 * rng.randrange(1, 96), 1000])
    n = tn if end == 2 else rng.choice([tn, 2 * tn, tn + 8, 8 * rng.randrange(1, 96), 520])
    k = rng.choice([tk, 4 * tk, 5 * tk - 8, 8 * rng.randrange(1, 64), 8])
    a_t, b_t, loop = rng.randrange(2), rng.randrange(2), rng.randrange(2)
    tiles = -(-m // tm) * -(-n // tn)
    grid = rng.choice([1, 2, 7, tiles]) if loop else tiles
    out = "float16" if dtype == "float32" else dtype

    def reference(a: Any, b: Any, bias: Any) -> list[tuple[Any, Any]]:
        a, b = a.t() if a_t else a, b.t() if b_t else b
        total, bound = product(a, b, dtype == "float32")
        if end == 1:
            total, bound = (total + bias).clamp(min=0), bound + (total + bias).abs() * 2.0**-23
        if end == 2:
            size = 1 + total.abs().sum(1, keepdim=True)
            total = total / size
            bound = bound / size + total.abs() * (bound.sum(1, keepdim=True) / size + 2.0**-14)
        return [rounded(total, bound, out)]

    hints = {}
    if rng.random() < 0.4:
        hints["num_ctas"] = rng.choice([2, 4])
    if rng.random() < 0.2:
        hints["occupancy"] = rng.choice([1, 2])
    return Case(
        f"gemm {m}x{n}x{k} {dtype}",
        gemm,
        (grid,),
        [
            Array((k, m) if a_t else (m, k), dtype),
            Array((n, k) if b_t else (k, n), dtype),
            Array((n,), dtype),
            Array((m, n), out, "output"),
        ],
        [tm, tn, tk, a_t, b_t, end, loop],
        reference,
        hints,
    )


@ct.kernel
def batched(a, b, c, tm: Const, tn: Const, tk: Const):
    i, j, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    total = ct.zeros((tm, tn), ct.float32)
    for step in range(ct.num_tiles(a, 2, (1, tm, tk))):
        x = ct.load(a, (batch, i, step), (1, tm, tk), padding_mode=ZERO).reshape((tm, tk))
        y = ct.load(b, (batch, step, j), (1, tk, tn), padding_mode=ZERO).reshape((tk, tn))
        total = ct.mma(x, y, total)
    ct.store(c, (batch, i, j), total.astype(c.dtype).reshape((1, tm, tn)))


def make_batched(rng: random.Random) -> Case:
    tm, tn, tk = rng.choice([(64, 64, 64), (128, 128, 32), (256, 256, 64), (128, 256, 64)])
    dtype = rng.choice(["float16", "bfloat16"])
    count = rng.randrange(1, 5)
    m, n, k = (8 * rng.randrange(1, 64) for _ in range(3))

    def reference(a: Any, b: Any) -> list[tuple[Any, Any]]:
        return [rounded(*product(a, b), dtype)]

    return Case(
        f"batched {count}x{m}x{n}x{k} {dtype}",
        batched,
        (-(-m // tm), -(-n // tn), count),
        [
            Array((count, m, k), dtype),
            Array((count, k, n), dtype),
            Array((count, m, n), dtype, "output"),
        ],
        [tm, tn, tk],
        reference,
        {"num_ctas": rng.choice([1, 2, 4])},
    )


@ct.kernel
def grouped(a_list, b_list, c_list, count: Const, tm: Const, tn: Const, tk: Const):
    """Products of several pairs; the CTAs take turns at the tiles of all of them."""
    tile, first = ct.bid(0), 0
    for group in range(count):
        a, b, c = a_list[group], b_list[group], c_list[group]
        columns = ct.num_tiles(c, 1, (tm, tn))
        last = first + ct.num_tiles(c, 0, (tm, tn)) * columns
        while tile < last:
            i, j = (tile - first) // columns, (tile - first) % columns
            total = ct.zeros((tm, tn), ct.float32)
            for step in range(ct.num_tiles(a, 1, (tm, tk))):
                x = ct.load(a, (i, step), (tm, tk), padding_mode=ZERO)
                y = ct.load(b, (step, j), (tk, tn), padding_mode=ZERO)
                total = ct.mma(x, y, total)
            ct.store(c, (i, j), total.astype(c.dtype))
            tile += ct.num_blocks(0)
        first = last


def make_grouped(rng: random.Random) -> Case:
    tm, tn, tk = rng.choice([(64, 64, 64), (128, 128, 64), (128, 128, 32), (256, 256, 64)])
    dtype, count = rng.choice(["float16", "bfloat16"]), rng.randrange(1, 6)
    m, n, k = (8 * rng.randrange(1, 48) for _ in range(3))

    def reference(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[Any, Any]]:
        return [rounded(*product(x, y), dtype) for x, y in zip(a, b, strict=True)]

    return Case(
        f"grouped {count}x{m}x{n}x{k} {dtype}",
        grouped,
        (rng.choice([1, 5, 40]),),
        [
            Array((m, k), dtype, copies=count),
            Array((k, n), dtype, copies=count),
            Array((m, n), dtype, "output", copies=count),
        ],
        [count, tm, tn, tk],
        reference,
    )


# Attention.


@ct.kernel
def attention(q, k, v, out, scale: ct.Constant[float], m: Const, n: Const, d: Const, causal: Const):
    row, head = ct.bid(0), ct.bid(1)
    query = ct.load(q, (head, row, 0), (1, m, d), padding_mode=ZERO).reshape((m, d))
    largest = ct.full((m, 1), -1e30, ct.float32)
    weights = ct.zeros((m, 1), ct.float32)
    total = ct.zeros((m, d), ct.float32)
    i = row * m + ct.arange(m, dtype=ct.int32).reshape((m, 1))
    keys = k.shape[1]
    steps = ct.num_tiles(k, 1, (1, n, d))
    if causal:
        steps = min(steps, ct.cdiv((row + 1) * m, n))
    for step in range(steps):
        key = ct.load(k, (head, 0, step), (1, d, n), order=(0, 2, 1), padding_mode=ZERO)
        scores = ct.mma(query, key.reshape((d, n)), ct.zeros((m, n), ct.float32)) * scale
        j = step * n + ct.arange(n, dtype=ct.int32).reshape((1, n))
        seen = j < keys
        if causal:
            seen = seen & (i >= j)
        scores = ct.where(seen, scores, -1e30)
        new = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        p = ct.exp2(scores - new)
        shrink = ct.exp2(largest - new)
        weights = weights * shrink + ct.sum(p, axis=1, keepdims=True)
        value = ct.load(v, (head, step, 0), (1, n, d), padding_mode=ZERO).reshape((n, d))
        total = ct.mma(p.astype(q.dtype), value, total * shrink)
        largest = new
    ct.store(out, (head, row, 0), (total / weights).astype(out.dtype).reshape((1, m, d)))


def attention_reference(dtype: str, causal: int, scale: float) -> Callable[..., Any]:
    def reference(q: Any, k: Any, v: Any) -> list[tuple[Any, Any]]:
        import torch

        scores = q @ k.transpose(-1, -2) * scale * math.log(2)
        error = (q.abs() @ k.abs().transpose(-1, -2)).amax() * scale * k.shape[-1] * ADDITION
        if causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        p = scores.softmax(-1)
        # P is rounded before the product, not in the sum of weights; exp2 is good to 2^-21.
        each = ROUNDING[dtype] + 2 * error + 2.0**-18 + 2 * k.shape[1] * ADDITION
        # P is at most 1 in a row, and small ones may be denormal.
        bound = each * (p @ v.abs()) + TINY[dtype] * v.abs().sum(-2, keepdim=True)
        return [rounded(p @ v, bound, dtype)]

    return reference


def make_attention(rng: random.Random) -> Case:
    d = rng.choice([32, 64, 64, 128, 128])
    m, n = rng.choice([64, 128, 128, 256]), rng.choice([32, 64, 128])
    dtype, causal = rng.choice(["float16", "bfloat16"]), rng.randrange(2)
    heads, queries = rng.randrange(1, 4), rng.choice([m, 2 * m, 8 * rng.randrange(1, 80)])
    keys = queries if causal else rng.choice([n, 4 * n, 8 * rng.randrange(1, 80)])
    scale = math.log2(math.e) / math.sqrt(d)
    hints = {"num_ctas": 2} if rng.random() < 0.15 else {}
    return Case(
        f"attention {heads}x{queries}x{keys}x{d} {dtype}",
        attention,
        (-(-queries // m), heads),
        [
            Array((heads, queries, d), dtype),
            Array((heads, keys, d), dtype),
            Array((heads, keys, d), dtype),
            Array((heads, queries, d), dtype, "output"),
        ],
        [scale, m, n, d, causal],
        attention_reference(dtype, causal, scale),
        hints,
    )


@ct.kernel
def decode(q, k, v, out, scale: ct.Constant[float], g: Const, n: Const, d: Const, shared: Const):
    """A few queries and many keys: scores are transposed. `shared`: the keys are the values."""
    head = ct.bid(0)
    query = ct.load(q, (head, 0, 0), (1, d, g), order=(0, 2, 1), padding_mode=ZERO)
    query = query.reshape((d, g))
    largest = ct.full((1, g), -1e30, ct.float32)
    weights = ct.zeros((1, g), ct.float32)
    total = ct.zeros((d, g), ct.float32)
    keys = k.shape[1]
    for step in range(ct.num_tiles(k, 1, (1, n, d))):
        key = ct.load(k, (head, step, 0), (1, n, d), padding_mode=ZERO).reshape((n, d))
        scores = ct.mma(key, query, ct.zeros((n, g), ct.float32)) * scale
        j = step * n + ct.arange(n, dtype=ct.int32).reshape((n, 1))
        scores = ct.where(j < keys, scores, -1e30)
        new = ct.maximum(largest, ct.max(scores, axis=0, keepdims=True))
        p = ct.exp2(scores - new)
        shrink = ct.exp2(largest - new)
        weights = weights * shrink + ct.sum(p, axis=0, keepdims=True)
        if shared:
            value = ct.load(k, (head, step, 0), (1, n, d), padding_mode=ZERO).reshape((n, d))
        else:
            value = ct.load(v, (head, step, 0), (1, n, d), padding_mode=ZERO).reshape((n, d))
        total = ct.mma(ct.transpose(value), p.astype(q.dtype), total * shrink)
        largest = new
    result = ct.transpose(total / weights).astype(out.dtype)
    ct.store(out, (head, 0, 0), result.reshape((1, g, d)))


def make_decode(rng: random.Random) -> Case:
    d, g, n = rng.choice([64, 128, 256, 512]), rng.choice([8, 16, 32]), rng.choice([64, 128])
    dtype, shared = rng.choice(["float16", "bfloat16"]), rng.randrange(2)
    heads, keys = rng.randrange(1, 5), rng.choice([n, 4 * n, 8 * rng.randrange(1, 80)])
    queries = rng.choice([g, g, max(1, g - 3)])
    scale = math.log2(math.e) / math.sqrt(d)
    common = attention_reference(dtype, 0, scale)

    def reference(q: Any, k: Any, v: Any) -> list[tuple[Any, Any]]:
        return common(q, k, k if shared else v)

    return Case(
        f"decode {heads}x{queries}x{keys}x{d} {dtype}",
        decode,
        (heads,),
        [
            Array((heads, queries, d), dtype),
            Array((heads, keys, d), dtype),
            Array((heads, keys, d), dtype),
            Array((heads, queries, d), dtype, "output"),
        ],
        [scale, g, n, d, shared],
        reference,
        {"occupancy": 2} if rng.random() < 0.2 else {},
    )


# Products of what is computed.


@ct.kernel
def recurrence(q, k, v, out, keep: ct.Constant[float], n: Const, d: Const, e: Const):
    """Linear attention: a state that is both updated by products and an operand of them."""
    head = ct.bid(0)
    state = ct.zeros((d, e), ct.float32)
    narrow = ct.tfloat32 if q.dtype == ct.float32 else q.dtype
    i = ct.arange(n, dtype=ct.int32)
    for step in range(ct.num_tiles(q, 1, (1, n, d))):
        x = ct.load(q, (head, step, 0), (1, n, d), padding_mode=ZERO).reshape((n, d))
        y = ct.load(k, (head, step, 0), (1, n, d), padding_mode=ZERO).reshape((n, d))
        z = ct.load(v, (head, step, 0), (1, n, e), padding_mode=ZERO).reshape((n, e))
        x, y, z = x.astype(narrow), y.astype(narrow), z.astype(narrow)
        scores = ct.mma(x, ct.transpose(y), ct.zeros((n, n), ct.float32))
        scores = ct.where(i.reshape((n, 1)) >= i.reshape((1, n)), scores, 0.0)
        total = ct.mma(x, state.astype(narrow), ct.zeros((n, e), ct.float32))
        total = ct.mma(scores.astype(narrow), z, total)
        ct.store(out, (head, step, 0), total.astype(out.dtype).reshape((1, n, e)))
        state = ct.mma(ct.transpose(y), z, state * keep)


def make_recurrence(rng: random.Random) -> Case:
    n, d, e = rng.choice([32, 64, 128]), rng.choice([32, 64, 128]), rng.choice([32, 64, 128])
    dtype = rng.choice(["float16", "bfloat16", "float32", "float32"])
    heads, length = rng.randrange(1, 4), rng.choice([n, 3 * n, 8 * rng.randrange(1, 48)])
    keep = rng.choice([1.0, 0.75])
    each = 2.0**-10 if dtype == "float32" else ROUNDING[dtype]

    def reference(q: Any, k: Any, v: Any) -> list[tuple[Any, Any]]:
        import torch

        total, size = [], []
        state = q.new_zeros((heads, d, e))
        sizes = state
        for first in range(0, length, n):
            x, y, z = (t[:, first : first + n] for t in (q, k, v))
            scores = (x @ y.transpose(1, 2)).tril()
            total.append(x @ state + scores @ z)
            size.append(x.abs() @ sizes + (x.abs() @ y.abs().transpose(1, 2)).tril() @ z.abs())
            state = state * keep + y.transpose(1, 2) @ z
            sizes = sizes * keep + y.abs().transpose(1, 2) @ z.abs()
        expected, size = torch.cat(total, 1), torch.cat(size, 1)
        # Operands in tf32 are rounded each, and so is what is computed before it is multiplied.
        factor = (5 if dtype == "float32" else 1.1) * each + (length + 2 * d) * ADDITION
        bound = size * factor + TINY[dtype] * v.abs().sum(1, keepdim=True)
        return [rounded(expected, bound, dtype)]

    return Case(
        f"recurrence {heads}x{length}x{d}x{e} {dtype}",
        recurrence,
        (heads,),
        [
            Array((heads, length, d), dtype, "small"),
            Array((heads, length, d), dtype, "small"),
            Array((heads, length, e), dtype),
            Array((heads, length, e), dtype, "output"),
        ],
        [keep, n, d, e],
        reference,
    )


@ct.kernel
def chain(a, b, c, out, n: Const, d: Const, left: Const):
    """(A·B)·C or C·(A·B), where the first product is an operand of the second."""
    i = ct.bid(0)
    x = ct.load(a, (i, 0), (n, d), padding_mode=ZERO)
    first = ct.mma(x, ct.load(b, (0, 0), (d, d)), ct.zeros((n, d), ct.float32))
    first = (first * 0.125).astype(a.dtype)
    if left:
        total = ct.mma(first, ct.load(c, (0, 0), (d, d)), ct.zeros((n, d), ct.float32))
    else:
        total = ct.mma(ct.load(c, (0, 0), (n, n)), first, ct.zeros((n, d), ct.float32))
    ct.store(out, (i, 0), total.astype(out.dtype))


def make_chain(rng: random.Random) -> Case:
    n, d = rng.choice([16, 64, 128]), rng.choice([16, 32, 64, 128])
    dtype, left = rng.choice(["float16", "bfloat16"]), rng.randrange(2)
    tiles = rng.choice([1, 3, 200])

    def reference(a: Any, b: Any, c: Any) -> list[tuple[Any, Any]]:
        first, error = product(a, b)
        first, error = rounded(first / 8, error / 8, dtype)
        first, error = first.view(tiles, n, d), error.view(tiles, n, d)
        total = first @ c if left else c @ first
        size = first.abs() @ c.abs() if left else c.abs() @ first.abs()
        bound = error @ c.abs() if left else c.abs() @ error
        bound = bound * 1.01 + size * max(n, d) * ADDITION
        return [rounded(total.reshape(-1, d), bound.reshape(-1, d), dtype)]

    return Case(
        f"chain {tiles}x{n}x{d} {dtype}",
        chain,
        (tiles,),
        [
            Array((tiles * n, d), dtype),
            Array((d, d), dtype),
            Array((d, d) if left else (n, n), dtype),
            Array((tiles * n, d), dtype, "output"),
        ],
        [n, d, left],
        reference,
    )


# Rows, scans and atomics.


@ct.kernel
def rows(x, weight, out, r: Const, columns: Const, kind: Const, loop: Const, count: Const):
    """`kind`: 0 softmax, 1 division by the root mean square."""
    last = ct.num_tiles(x, 0, (r, columns)) if loop else ct.bid(0) + 1
    scale = ct.load(weight, (0,), (columns,), padding_mode=ZERO).astype(ct.float32)
    for i in range(ct.bid(0), last, ct.num_blocks(0)):
        padding = ct.PaddingMode.NEG_INF if kind == 0 else ZERO
        t = ct.load(x, (i, 0), (r, columns), padding_mode=padding).astype(ct.float32)
        if kind == 0:
            e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
            y = e / ct.sum(e, axis=1, keepdims=True)
        else:
            y = t * ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / count + 1e-5)
            y = y * scale.reshape((1, columns))
        ct.store(out, (i, 0), y.astype(out.dtype))


def make_rows(rng: random.Random) -> Case:
    columns, r = rng.choice([64, 256, 1024, 4096, 8192]), rng.choice([1, 1, 2, 4, 16])
    r = min(r, 32768 // columns)
    dtype, kind, loop = rng.choice(["float16", "bfloat16", "float32"]), rng.randrange(2), 1
    width = rng.choice([columns, columns, columns - 8])
    height = rng.choice([1, 3, 4 * r, rng.randrange(1, 400), 3000])
    tiles = -(-height // r)
    grid = rng.choice([1, 7, 132, tiles])
    if rng.random() < 0.3:
        loop, grid = 0, tiles

    def reference(x: Any, weight: Any) -> list[tuple[Any, Any]]:
        if kind == 0:
            y = x.softmax(1)
        else:
            y = x * (x.square().mean(1, keepdim=True) + 1e-5).rsqrt() * weight
        bound = y.abs() * (2.0**-16 + columns * 2.0**-24)
        return [rounded(y, bound, dtype)]

    return Case(
        f"rows {height}x{width} {dtype}",
        rows,
        (grid,),
        [
            Array((height, width), dtype),
            Array((width,), dtype),
            Array((height, width), dtype, "output"),
        ],
        [r, columns, kind, loop, width],
        reference,
        {"occupancy": rng.choice([1, 2, 4])} if rng.random() < 0.3 else {},
    )


@ct.kernel
def rows_in_place(x, r: Const, columns: Const, steps: Const):
    """The same rows are read and written again and again."""
    i = ct.bid(0)
    for _ in range(steps):
        t = ct.load(x, (i, 0), (r, columns), padding_mode=ZERO).astype(ct.float32)
        t = t * 0.5 + ct.sum(t, axis=1, keepdims=True) * 2.0**-10
        ct.store(x, (i, 0), t.astype(x.dtype))


def make_rows_in_place(rng: random.Random) -> Case:
    columns, r = rng.choice([64, 256, 1024]), rng.choice([1, 2, 4])
    height, steps = rng.randrange(1, 300), rng.randrange(0, 5)

    def reference(x: Any) -> list[tuple[Any, Any]]:
        bound = x * 0
        for _ in range(steps):
            total = x.sum(1, keepdim=True) * 2.0**-10
            error = bound * 0.5 + bound.sum(1, keepdim=True) * 2.0**-10
            error = error + x.abs().sum(1, keepdim=True) * columns * 2.0**-33
            x = x * 0.5 + total
            bound = error + x.abs() * 2.0**-22
        return [(x, bound + 1e-30)]

    return Case(
        f"rows in place {height}x{columns} {steps} times",
        rows_in_place,
        (-(-height // r),),
        [Array((height, columns), "float32", "in place")],
        [r, columns, steps],
        reference,
    )


@ct.kernel
def running_sum(x, out, r: Const, columns: Const):
    """A scan of rows in pieces; the sum so far is carried by the loop."""
    i = ct.bid(0)
    carry = ct.zeros((r, 1), ct.float32)
    for step in range(ct.num_tiles(x, 1, (r, columns))):
        t = ct.load(x, (i, step), (r, columns), padding_mode=ZERO).astype(ct.float32)
        ct.store(out, (i, step), (ct.cumsum(t, axis=1) + carry).astype(out.dtype))
        carry = carry + ct.sum(t, axis=1, keepdims=True)


def make_running_sum(rng: random.Random) -> Case:
    r, columns = rng.choice([1, 4, 16]), rng.choice([32, 128, 512])
    height, width = rng.randrange(1, 64), rng.choice([columns, 4 * columns, rng.randrange(1, 2000)])
    dtype = rng.choice(["float16", "float32"])

    def reference(x: Any) -> list[tuple[Any, Any]]:
        bound = x.abs().cumsum(1) * (width + columns) * 2.0**-24
        return [rounded(x.cumsum(1), bound, dtype)]

    return Case(
        f"running sum {height}x{width} {dtype}",
        running_sum,
        (-(-height // r),),
        [Array((height, width), dtype), Array((height, width), dtype, "output")],
        [r, columns],
        reference,
    )


@ct.kernel
def histogram(x, bins, n: Const, loop: Const):
    last = ct.num_tiles(x, 0, (n,)) if loop else ct.bid(0) + 1
    for i in range(ct.bid(0), last, ct.num_blocks(0)):
        where = i * n + ct.arange(n, dtype=ct.int32)
        chosen = ct.gather(x, where, padding_value=-1)
        ct.atomic_add(bins, chosen, 1, memory_order=ct.MemoryOrder.RELAXED)


def make_histogram(rng: random.Random) -> Case:
    n, bins = rng.choice([64, 256, 1024, 4096]), rng.choice([1, 2, 30, 256, 4096, 50000])
    size, loop = rng.choice([n, 10 * n, rng.randrange(1, 30000)]), rng.randrange(2)
    tiles = -(-size // n)
    # Some indices are outside, and are left out.
    beyond = rng.choice([0, 0, 5])

    def reference(x: Any, zeros: Any) -> list[tuple[Any, Any]]:
        counts = x.long()[x.long() < bins].bincount(minlength=bins).double()
        return [(counts, counts * 0)]

    return Case(
        f"histogram of {size} into {bins}",
        histogram,
        (rng.choice([1, 3, 132]) if loop else tiles,),
        [Array((size,), "int32", f"below {bins + beyond}"), Array((bins,), "int32", "zero")],
        [n, loop],
        reference,
    )


FAMILIES: dict[str, tuple[int, Callable[[random.Random], Case]]] = {
    "gemm": (6, make_gemm),
    "batched": (1, make_batched),
    "grouped": (1, make_grouped),
    "attention": (4, make_attention),
    "decode": (3, make_decode),
    "recurrence": (2, make_recurrence),
    "chain": (2, make_chain),
    "rows": (3, make_rows),
    "rows_in_place": (1, make_rows_in_place),
    "running_sum": (1, make_running_sum),
    "histogram": (1, make_histogram),
}
"""By name: how often, and how a case is made."""


def make_case(seed: int, only: str = "") -> Case:
    """The case of a seed."""
    rng = random.Random(seed)
    names = [only] if only else list(FAMILIES)
    (name,) = rng.choices(names, [FAMILIES[each][0] for each in names])
    return FAMILIES[name][1](rng)
