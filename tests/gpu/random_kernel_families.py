# pyright: basic
"""
Families of cuTile kernels with random parameters, arguments, and what they must compute: the kinds
of kernels that language models are made of, beside those that `make_bundle.py --matmuls` writes
(`strategies/matmul_programs.py`). `random_kernels.py` compiles and runs them.

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
    "grouped": (1, make_grouped),
    "decode": (3, make_decode),
    "recurrence": (2, make_recurrence),
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
