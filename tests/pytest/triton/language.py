"""
The language of Triton, op by op: small kernels beside NumPy. They need Triton.

A case is the body of a kernel that has tensors `x` and `y` of `B` elements, and makes `r`, beside
what `r` is in terms of NumPy arrays `x` and `y`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

B = 64
HEAD = """
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def total(a, b):
    return a + b

@triton.jit
def last(a0, a1, b0, b1):
    return a0 * b0, a1 * b0 + b1

@triton.jit(noinline=True)
def apart(a, b):
    return a * 2 + b

@triton.jit
def larger(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)

@triton.jit
def kernel(px, py, po, pz, n, f, B: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(px + i)
    y = tl.load(py + i)
"""
TAIL = """
    tl.store(po + tl.arange(0, N), tl.reshape(r, (N,)))
"""

F32, F16, F64, I32, I8, U8, I64, U32 = (
    np.float32, np.float16, np.float64, np.int32, np.int8, np.uint8, np.int64, np.uint32
)  # fmt: skip
Case = tuple[str, str, Any, Any, Callable[[Any, Any], Any], float]


def both(body: str, of: Callable[[Any, Any], Any], *kinds: Any, error: float = 0.0) -> list[Case]:
    """A case for each type of element."""
    return [(f"{body} of {np.dtype(k).name}", f"    r = {body}", k, k, of, error) for k in kinds]


def steps(name: str, body: str, of: Callable[[Any, Any], Any], kind: Any = F32, error: float = 0):
    """A case with several lines."""
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return [(name, lines, kind, kind, of, error)]


def wide(x: Any) -> Any:
    return x.astype(np.float64)


def c_divide(x: Any, y: Any) -> Any:
    return (np.sign(x) * np.sign(y) * (np.abs(wide(x)) // np.abs(wide(y)))).astype(x.dtype)


SIGNED, FLOATS = (I8, I32, I64), (F16, F32, F64)
CASES: list[Case] = [
    *both("x + y", lambda x, y: x + y, *SIGNED, U8, U32, *FLOATS),
    *both("x - y", lambda x, y: x - y, *SIGNED, U8, *FLOATS),
    *both("x * y", lambda x, y: x * y, *SIGNED, U8, *FLOATS),
    *both("x / y", lambda x, y: x / y, F32, F64, error=1e-6),
    *both("tl.div_rn(x, y)", lambda x, y: x / y, F32),
    *both("x // y", c_divide, I32, I64),
    *both("x // y", lambda x, y: x // y, U8, U32),
    *both("x % y", lambda x, y: np.fmod(x, y), I32, U32, F32),
    *both("x & y", lambda x, y: x & y, I8, I32, U32),
    *both("x | y", lambda x, y: x | y, I32),
    *both("x ^ y", lambda x, y: x ^ y, I32, I64),
    *both("~x", lambda x, y: ~x, I8, I32),
    *both("-x", lambda x, y: -x, I32, *FLOATS),
    *both("x << (y & 3)", lambda x, y: x << (y & 3), I32, U32),
    *both("x >> (y & 3)", lambda x, y: x >> (y & 3), I32, U32),
    *both("(x < y).to(tl.int32)", lambda x, y: x < y, *SIGNED, U8, *FLOATS),
    *both("(x == y).to(tl.int32)", lambda x, y: x == y, I32, F32),
    *both("(x != x).to(tl.int32)", lambda x, y: x != x, F32),
    *both("((x > 0) & (y > 0)).to(tl.int8)", lambda x, y: (x > 0) & (y > 0), I32, F32),
    *both("tl.where(x > y, x, y)", np.maximum, I32, U8, F16, F32),
    *both("tl.maximum(x, y)", np.maximum, I32, U32, F16, F32),
    *both("tl.minimum(x, y)", np.minimum, I8, F32),
    *both("tl.clamp(x, -1.0, 1.0)", lambda x, y: np.clip(x, -1, 1), F32),
    *both("tl.abs(x)", lambda x, y: np.abs(x), I32, I8, F16, F32),
    *both("tl.floor(x)", lambda x, y: np.floor(x), F32),
    *both("tl.ceil(x)", lambda x, y: np.ceil(x), F32),
    *both("tl.exp(x)", lambda x, y: np.exp(wide(x)), F32, F64, error=1e-5),
    *both("tl.exp2(x)", lambda x, y: np.exp2(wide(x)), F32, error=1e-5),
    *both("tl.log(tl.abs(x) + 1)", lambda x, y: np.log(wide(abs(x)) + 1), F32, error=1e-5),
    *both("tl.log2(tl.abs(x) + 1)", lambda x, y: np.log2(wide(abs(x)) + 1), F32, error=1e-5),
    *both("tl.sin(x)", lambda x, y: np.sin(wide(x)), F32, error=1e-5),
    *both("tl.cos(x)", lambda x, y: np.cos(wide(x)), F32, error=1e-5),
    *both("tl.sqrt(tl.abs(x))", lambda x, y: np.sqrt(wide(abs(x))), F32, error=1e-5),
    *both("tl.sqrt_rn(tl.abs(x))", lambda x, y: np.sqrt(abs(x)), F32),
    *both("tl.rsqrt(tl.abs(x) + 1)", lambda x, y: 1 / np.sqrt(wide(abs(x)) + 1), F32, error=1e-5),
    *both("tl.sigmoid(x)", lambda x, y: 1 / (1 + np.exp(-wide(x))), F32, error=1e-5),
    *both("tl.softmax(x)", lambda x, y: np.exp(wide(x)) / np.exp(wide(x)).sum(), F32, error=1e-5),
    *both("tl.fma(x, y, x)", lambda x, y: wide(x) * y + x, F32, error=1e-5),
    *both("tl.umulhi(x, y)", lambda x, y: (x.astype(np.uint64) * y) >> 32, U32),
    *both("libdevice.tanh(x)", lambda x, y: np.tanh(wide(x)), F32, error=1e-5),
    *both("libdevice.pow(tl.abs(x), y)", lambda x, y: abs(wide(x)) ** y, F32, error=1e-4),
    *both("x.to(tl.float16)", lambda x, y: x.astype(F16), F32, I32),
    *both("x.to(tl.float32)", lambda x, y: x.astype(F32), F16, I8, U8, I32, F64),
    *both("x.to(tl.int32)", lambda x, y: x.astype(I32), F32, I8, U8, I64),
    *both("x.to(tl.int8)", lambda x, y: x.astype(I8), I32),
    *both("x.to(tl.int32, bitcast=True)", lambda x, y: x.view(I32), F32, U32),
    *both("x.to(tl.bfloat16).to(tl.float32)", lambda x, y: x, F32, error=2**-8),
    *both("x.to(tl.float8e5).to(tl.float32)", lambda x, y: x, F16, error=2**-2),
    *both("x + n", lambda x, y: x + 5, I32, F32),
    *both("x * f", lambda x, y: x * F32(0.5), F32),
    *both("x * apart(f, f)", lambda x, y: x * F32(1.5), F32),
    *both("x + tl.program_id(0) + tl.num_programs(0)", lambda x, y: x + 1, I32),
    *both("tl.sum(x, axis=0)", lambda x, y: x.sum(), I32, F32, error=1e-4),
    *both("tl.sum(x)", lambda x, y: x.sum(dtype=I32), I8),
    *both("tl.max(x, axis=0)", lambda x, y: x.max(), I32, U8, F16, F32),
    *both("tl.min(x, axis=0)", lambda x, y: x.min(), I8, F32),
    *both("tl.xor_sum(x, axis=0)", lambda x, y: np.bitwise_xor.reduce(x), I32),
    *both("tl.argmax(x, axis=0)", lambda x, y: x.argmax(), I32, F32),
    *both("tl.argmin(x, axis=0)", lambda x, y: x.argmin(), I8, F32),
    *both("tl.max(x, axis=0, return_indices=True)[1]", lambda x, y: x.argmax(), F32),
    *both("tl.reduce(x, 0, total)", lambda x, y: x.sum(), F32, error=1e-4),
    *both("tl.reduce((x, i), 0, larger)[1]", lambda x, y: x.argmax(), F32),
    *both("tl.cumsum(x, axis=0)", lambda x, y: x.cumsum(), F32, error=1e-4),
    *both("tl.cumsum(x, axis=0)", lambda x, y: x.cumsum(dtype=I32), I32),
    *both("tl.cumprod(x, axis=0)", lambda x, y: x.cumprod(), F64, error=1e-6),
    *both("tl.cumsum(x, 0, reverse=True)", lambda x, y: x[::-1].cumsum()[::-1], F32, error=1e-4),
    *both("tl.associative_scan(x, 0, total)", lambda x, y: x.cumsum(), F32, error=1e-4),
    *both("tl.sort(x)", lambda x, y: np.sort(x), I32, F32, F16),
    *both("tl.sort(x, descending=True)", lambda x, y: np.sort(x)[::-1], F32),
    *both("tl.topk(x, 8)", lambda x, y: np.sort(x)[::-1][:8], F32),
    *both("tl.flip(x, 0)", lambda x, y: x[::-1], F32),
    *both("tl.histogram(x & 15, 16)", lambda x, y: np.bincount(x & 15, minlength=16), I32),
    *both("tl.gather(x, y & 63, 0)", lambda x, y: x[y & 63], I32),
    *both("tl.join(x, y)", lambda x, y: np.stack((x, y), 1), F32),
    *both("tl.interleave(x, y)", lambda x, y: np.stack((x, y), 1), F32),
    *both("tl.cat(x, y, can_reorder=True)", lambda x, y: np.concatenate((x, y)), F32),
    *both("tl.trans(tl.reshape(x, (4, 16)))", lambda x, y: x.reshape(4, 16).T, F32),
    *both("tl.permute(tl.reshape(x, (2, 8, 4)), (2, 0, 1))",
          lambda x, y: x.reshape(2, 8, 4).transpose(2, 0, 1), F32),
    *both("x[:, None] + y[None, :]", lambda x, y: x[:, None] + y[None, :], F32, I32),
    *both("tl.broadcast_to(x[:, None], (B, 2))", lambda x, y: np.stack((x, x), 1), F32),
    *both("tl.full((B,), 3, tl.float32) + tl.zeros_like(x)", lambda x, y: np.full(B, 3.0), F32),
    *both("tl.sum(tl.reshape(x, (4, 16)), 1)", lambda x, y: x.reshape(4, 16).sum(1), F32,
          error=1e-4),
    *both("tl.sum(tl.reshape(x, (4, 16)), 0, keep_dims=True)",
          lambda x, y: x.reshape(4, 16).sum(0), F32, error=1e-4),
    *both("tl.rand(7, i) * 0 + x", lambda x, y: x, F32),
    *both("(tl.randint(7, i) * 0).to(tl.int32) + x", lambda x, y: x, I32),
    *steps("split", "a, b = tl.split(tl.reshape(x, (32, 2)))\nr = a - b",
           lambda x, y: x[::2] - x[1::2]),
    *steps("a loop", "r = x\nfor k in range(n):\n    r += y * k", lambda x, y: x + y * 10,
           error=1e-5),
    *steps("a static loop", "r = x\nfor k in tl.static_range(4):\n    r = r * 2",
           lambda x, y: x * 16),
    *steps("while", "r = x\nk = 0\nwhile k < n:\n    r += 1\n    k += 2", lambda x, y: x + 3,
           error=1e-5),
    *steps("if", "if n > 3:\n    r = x + y\nelse:\n    r = x - y", lambda x, y: x + y),
    *steps("if of a scalar that is loaded",
           "v = tl.load(px)\nr = x\nif v > 1e9:\n    r = y", lambda x, y: x),
    *steps("early return", "if n > 100:\n    return\nr = x", lambda x, y: x),
    *steps("masks", "r = tl.load(px + i, mask=i < 10, other=-1.0)",
           lambda x, y: np.where(np.arange(B) < 10, x, -1)),
    *steps("volatile and modifiers",
           "r = tl.load(px + i, volatile=True) + tl.load(py + i, cache_modifier='.cg',"
           " eviction_policy='evict_first')", lambda x, y: x + y),
    *steps("store and load", "tl.store(pz + i, x * 2)\ntl.debug_barrier()\n"
           "r = tl.load(pz + (B - 1 - i))", lambda x, y: (x * 2)[::-1]),
    *steps("a block pointer",
           "q = tl.make_block_ptr(px, (8, 8), (8, 1), (0, 0), (4, 8), (1, 0))\n"
           "q = tl.advance(q, (4, 0))\nr = tl.load(q, boundary_check=(0,))",
           lambda x, y: x[32:]),
    *steps("a descriptor",
           "d = tl.make_tensor_descriptor(px, [8, 8], [8, 1], [4, 8])\nr = d.load([2, 0])",
           lambda x, y: x.reshape(8, 8)[2:6]),
    *steps("a descriptor stores",
           "d = tl.make_tensor_descriptor(pz, [8, 8], [8, 1], [8, 8])\n"
           "d.store([0, 0], tl.reshape(x + 1, (8, 8)))\nr = tl.load(pz + i)",
           lambda x, y: x + 1),
    *steps("dot", "r = tl.dot(tl.broadcast_to(x[None, :], (16, B)),"
           " tl.broadcast_to(y[:, None], (B, 16)), input_precision='ieee')",
           lambda x, y: np.full(256, wide(x) @ wide(y)), error=1e-3),
    *steps("dot of f16", "r = tl.dot(tl.broadcast_to(x[None, :], (16, B)),"
           " tl.broadcast_to(y[:, None], (B, 16)))",
           lambda x, y: np.full(256, wide(x) @ wide(y)), F16, 1e-2),
    *steps("dot of i8", "r = tl.dot(tl.broadcast_to(x[None, :], (16, B)),"
           " tl.broadcast_to(y[:, None], (B, 16)), out_dtype=tl.int32)",
           lambda x, y: np.full(256, x.astype(I32) @ y.astype(I32)), I8),
    *steps("atomic add", "tl.atomic_add(pz + i, x)\nr = tl.load(pz + i)", lambda x, y: x),
    *steps("atomic add of f16", "tl.atomic_add(pz + i, x, sem='relaxed')\nr = tl.load(pz + i)",
           lambda x, y: x, F16),
    *steps("atomic max of floats", "tl.atomic_max(pz + i, x)\nr = tl.load(pz + i)",
           lambda x, y: np.maximum(x, 0)),
    *steps("atomic min", "tl.atomic_min(pz + i, x, mask=i < 9)\nr = tl.load(pz + i)",
           lambda x, y: np.where(np.arange(B) < 9, np.minimum(x, 0), 0), I32),
    *steps("atomic bits", "tl.atomic_or(pz + i, x)\ntl.atomic_and(pz + i, y)\n"
           "tl.atomic_xor(pz + i, y)\nr = tl.load(pz + i)", lambda x, y: (x & y) ^ y, I32),
    *steps("atomic exchange", "r = tl.atomic_xchg(px + i, y)", lambda x, y: x, I32),
    *steps("compare and swap", "r = tl.atomic_cas(px + i, x, y)", lambda x, y: x, I32),
    *steps("a scan of pairs", "a, b = tl.associative_scan((x * 0 + 1, y), 0, last)\nr = b",
           lambda x, y: y.cumsum(), error=1e-4),
    *steps("hints", "j = tl.max_contiguous(tl.multiple_of(i, B), B)\ntl.assume(n > 0)\n"
           "r = tl.load(px + j)", lambda x, y: x),
    *steps("print and assert", "tl.device_print('value', n)\ntl.device_assert(n == 5)\nr = x",
           lambda x, y: x),
    *steps("swizzle", "a, b = tl.swizzle2d(i // 8, i % 8, 8, 8, 4)\nr = a * 8 + b",
           lambda x, y: np.array([(k // 32 * 4 + k % 32 % 4) * 8 + k % 32 // 4 for k in range(B)]),
           I32),
]  # fmt: skip


def load(path: Path, text: str) -> Any:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def draw(rng: np.random.Generator, kind: Any) -> Any:
    if np.issubdtype(kind, np.floating):
        return rng.uniform(-3, 3, B).astype(kind)
    low = 0 if np.issubdtype(kind, np.unsignedinteger) else -60
    values = rng.integers(low, 60, B)
    values[values == 0] = 7
    return values.astype(kind)


def prepare(case: Case, folder: Path) -> tuple[Any, tuple[Any, ...], Any]:
    """The kernel of a case, its arguments on the CPU, and what the third of them has to be then."""
    _, body, first, second, of, _ = case
    rng = np.random.default_rng(len(body))
    x, y = draw(rng, first), draw(rng, second)
    expected = np.asarray(of(x.copy(), y.copy()))
    tail = TAIL if expected.ndim else "\n    tl.store(po, r)\n"
    kernel = load(folder / "case.py", HEAD + body + tail)
    expected = expected.ravel()
    kind = expected.dtype if expected.dtype.kind in "fui" else np.dtype(I32)
    if kind == F64 and first != F64:
        kind = np.dtype(F32)
    o = np.zeros(expected.size, kind)
    return kernel, (x, y, o, np.zeros_like(x), 5, 0.5, B, expected.size), expected.astype(kind)


def check(case: Case, result: Any, expected: Any) -> None:
    """Compares, exactly unless the case says how far results may be apart."""
    error = case[-1]
    if error:
        np.testing.assert_allclose(result.astype(F64), expected.astype(F64), error, error)
    else:
        np.testing.assert_array_equal(result, expected)
