"""
The language of Triton, op by op: small kernels beside NumPy. They need Triton.

A case is the body of a kernel that has tensors `x` and `y` of `B` elements, and makes `r`, beside
what `r` is in terms of NumPy arrays `x` and `y`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from math import erf
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
def mapped(a, b):
    if a < b:
        return a * 2
    else:
        return b

@triton.jit
def mapped2(a, b):
    r = a
    if a > 0:
        r = b
    return r, r + a

@triton.jit
def mapped3(a0, a1, b0, b1):
    return a0 + b0, a1 - b1

@triton.jit
def mapped_loop(a):
    s = a * 0
    k = 0
    while k < a:
        s += k
        k += 1
    return s

@triton.jit
def lin(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2

@triton.jit
def cmax(a, b):
    return tl.maximum(a, b)

@triton.jit
def first(a, b):
    return a

@triton.jit
def roll(a1, b1_last, b1_cur, a2, b2_last, b2_cur):
    return a1 + a2, tl.where(a2 == 1, b1_cur, 0) + b2_last, b2_cur

@triton.jit
def welford(m1, v1, w1, m2, v2, w2):
    d = m2 - m1
    w = w1 + w2
    r = w2 / w
    return m1 + d * r, v1 + v2 + d * d * w1 * r, w

@triton.jit(noinline=True)
def callee(a, b):
    if a > b:
        return a - b
    return b - a

@triton.jit(noinline=True)
def callee_store(p, v):
    tl.store(p, v)

@triton.jit
def many(t):
    return t[0] + t[1]

@triton.jit
def prefix_or(a, b):
    if a > b:
        return a
    else:
        return b

@triton.constexpr_function
def half(n):
    return n // 2

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


def recurrence(x: Any, y: Any) -> Any:
    """What `lin` computes: each number times the sum so far, plus another one."""
    found, total = [], 0.0
    for factor, term in zip(wide(x), wide(y), strict=True):
        total = total * factor + term
        found.append(total)
    return np.array(found)


def philox(seed: int) -> Any:
    """Philox 4x32 with ten rounds, of the counters of a tensor: four random integers for each."""
    mask = 0xFFFFFFFF
    c0, c1, c2, c3 = (np.zeros(B, np.uint64) for _ in range(4))
    c0 += np.arange(B, dtype=np.uint64)
    k0, k1 = seed & mask, seed >> 32
    for _ in range(10):
        low, high = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0 = (high >> np.uint64(32)) ^ c1 ^ np.uint64(k0)
        c2 = (low >> np.uint64(32)) ^ c3 ^ np.uint64(k1)
        c1, c3 = high & np.uint64(mask), low & np.uint64(mask)
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    return [each.astype(U32).view(I32) for each in (c0, c1, c2, c3)]


def uniform(bits: Any) -> Any:
    """Integers as numbers from zero to one."""
    return np.where(bits < 0, -bits.astype(I64) - 1, bits) * 4.6566127342e-10


def normal(first: Any, second: Any) -> Any:
    """By Box and Muller, two of them."""
    radius = np.sqrt(-2 * np.log(np.maximum(first, 1e-7)))
    return radius * np.cos(2 * np.pi * second), radius * np.sin(2 * np.pi * second)


def asm(name: str, text: str, words: str, args: str, of: Any, kind: Any, dtype: str,
        pack: int = 1, error: float = 0.0) -> list[Case]:  # fmt: skip
    """A case of inline assembly."""
    call = f"'''{text}''', '{words}', [{args}], dtype=tl.{dtype}, is_pure=True, pack={pack}"
    return steps(name, f"r = tl.inline_asm_elementwise({call})", of, kind, error)


def cut_to_two_bits(x: Any, y: Any) -> Any:
    """Floats with two bits of mantissa, cut."""
    fraction, exponent = np.frexp(wide(x))
    return np.ldexp(np.trunc(fraction * 8) / 8, exponent).astype(F32)


def e2m1_rows(x: Any) -> Any:
    """Floats of four bits, those in the low halves above those in the high halves, 16 times."""
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    halves = np.stack((x & 15, x >> 4))
    return np.tile(np.where(halves > 7, -1, 1) * values[halves & 7], (16, 1))


ERF = np.vectorize(erf)
RANDOM = philox(7)
UNIFORM = [uniform(bits) for bits in RANDOM]
I16, U16, U64 = np.int16, np.uint16, np.uint64
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
    *both("x + y", lambda x, y: x+y, I16, U16, U64),
    *both("x * y", lambda x, y: x*y, I16, U16, U64),
    *both("x // y", c_divide, I8, I16),
    *both("x // y", lambda x, y: x//y, U16, U64),
    *both("x % y", lambda x, y: np.fmod(x,y), I8, I16, I64, U8, U16, U64, F64, F16),
    *both("x / y", lambda x, y: wide(x)/wide(y), I32, I8, U32, F16, error=2e-3),
    *both("tl.fdiv(x, y)", lambda x, y: x/y, F32, error=1e-6),
    *both("tl.fdiv(x, y, ieee_rounding=True)", lambda x, y: x/y, F32, error=1e-6),
    *both("x & y", lambda x, y: x&y, U8, I16, U64, I64),
    *both("~x", lambda x, y: ~x, U32, I64),
    *both("(not n == 5) + x", lambda x, y: x, I32),
    *both("x << 2", lambda x, y: x<<2, I8, I16, I64, U64),
    *both("x >> 2", lambda x, y: x>>2, I8, U8, I16, I64, U64),
    *both("(x >= y).to(tl.int32)", lambda x, y: x>=y, I16, U16, U64, U32),
    *both("(x <= y).to(tl.int32)", lambda x, y: x<=y, I64, F64),
    *both("(x != y).to(tl.int32)", lambda x, y: x!=y, F32, I8),
    *both("((x > 0) ^ (y > 0)).to(tl.int32)", lambda x, y: (x>0)^(y>0), F32),
    *both("((x > 0) | (y > 0)).to(tl.int32)", lambda x, y: (x>0)|(y>0), F32),
    *both("(~(x > 0)).to(tl.int32)", lambda x, y: ~(x>0), F32),
    *both("(x > 0).logical_and(y>0).to(tl.int32)", lambda x, y: (x>0)&(y>0), F32),
    *both("tl.maximum(x, y)", np.maximum, I8, I16, I64, U8, U64, F64),
    *both("tl.minimum(x, y)", np.minimum, I64, U8, U16, F16, F64),
    *both("tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)", np.maximum, F32, F16),
    *both("tl.clamp(x, -1.0, 1.0)", lambda x, y: np.clip(x,-1,1), F16),
    *both("tl.clamp(x, x*0-1, x*0+1, propagate_nan=tl.PropagateNan.ALL)",
           lambda x, y: np.clip(x,-1,1), F32),
    *both("tl.abs(x)", lambda x, y: np.abs(x), I16, I64, F64),
    *both("tl.floor(x)", lambda x, y: np.floor(x), F64),
    *both("tl.ceil(x)", lambda x, y: np.ceil(x), F64),
    *both("tl.exp(x.to(tl.float32)).to(tl.float16)", lambda x, y: np.exp(wide(x)), F16, error=2e-3),
    *both("tl.exp2(x)", lambda x, y: np.exp2(wide(x)), F64, error=1e-8),
    *both("tl.log(tl.abs(x)+1)", lambda x, y: np.log(abs(wide(x))+1), F64, error=1e-8),
    *both("tl.log2(tl.abs(x)+1)", lambda x, y: np.log2(abs(wide(x))+1), F64, error=1e-8),
    *both("tl.sin(x)", lambda x, y: np.sin(wide(x)), F64, error=1e-8),
    *both("tl.cos(x)", lambda x, y: np.cos(wide(x)), F64, error=1e-8),
    *both("tl.sqrt(tl.abs(x))", lambda x, y: np.sqrt(abs(wide(x))), F64, error=1e-8),
    *both("tl.rsqrt(tl.abs(x)+1)", lambda x, y: 1/np.sqrt(abs(wide(x))+1), F64, error=1e-8),
    *both("tl.math.exp(x)", lambda x, y: np.exp(wide(x)), F32, error=1e-6),
    *both("tl.fma(x, y, x)", lambda x, y: wide(x)*y+x, F64, F16, error=1e-2),
    *both("tl.umulhi(x, y)",
           lambda x, y: np.array([int(a)*int(b)>>64 for a,b in zip(x,y)], U64), U64),
    *both("tl.cdiv(n, 2) + x", lambda x, y: x+3, I32),
    *both("tl.sum(x, axis=0)", lambda x, y: x.sum(), I64, U32, F64, F16, error=5e-2),
    *both("tl.sum(x > 0)", lambda x, y: (x>0).sum(), F32),
    *both("tl.sum(x, axis=0, dtype=tl.float64)", lambda x, y: wide(x).sum(), F32, error=1e-4),
    *both("tl.max(x, axis=0)", lambda x, y: x.max(), I8, I16, I64, U16, U32, U64, F64),
    *both("tl.min(x, axis=0)", lambda x, y: x.min(), I32, I64, U8, U64, F16),
    *both("tl.argmax(x, axis=0)", lambda x, y: x.argmax(), I8, I16, U32, I64, F16),
    *both("tl.argmin(x, axis=0)", lambda x, y: x.argmin(), I32, U8, F32, F64),
    *both("tl.argmax(x*0, axis=0, tie_break_left=True)", lambda x, y: 0, F32),
    *both("tl.argmin((i // 4) % 4, axis=0)", lambda x, y: 0, F32),
    *both("tl.min(x, axis=0, return_indices=True, return_indices_tie_break_left=False)[1]",
           lambda x, y: x.argmin(), F32),
    *both("tl.min(x, axis=0, return_indices=True)[0]", lambda x, y: x.min(), F32),
    *both("tl.reduce_or(x, axis=0)", lambda x, y: np.bitwise_or.reduce(x), I32),
    *both("tl.xor_sum(x, axis=0)", lambda x, y: np.bitwise_xor.reduce(x), I64, I8),
    *both("tl.max(tl.reshape(x, (4,16)), 1, return_indices=True)[1]",
           lambda x, y: x.reshape(4,16).argmax(1), F32, I32),
    *both("tl.argmin(tl.reshape(x, (4,16)), 0)", lambda x, y: x.reshape(4,16).argmin(0), F32),
    *both("tl.max(tl.reshape(x, (4,4,4)))", lambda x, y: x.max(), F32),
    *both("tl.sum(tl.reshape(x, (4,4,4)), 1)",
           lambda x, y: x.reshape(4,4,4).sum(1), F32, error=1e-5),
    *both("tl.cumsum(tl.reshape(x,(4,16)), 1)",
           lambda x, y: x.reshape(4,16).cumsum(1), F32, error=1e-5),
    *both("tl.cumsum(tl.reshape(x,(4,16)), 0, reverse=True)",
           lambda x, y: x.reshape(4,16)[::-1].cumsum(0)[::-1], F32, error=1e-5),
    *both("tl.cumsum(x, 0)", lambda x, y: x.cumsum(), I64, F64, error=1e-9),
    *both("tl.cumsum(x, 0)", lambda x, y: x.astype(F32).cumsum(), F16, error=1e-1),
    *both("tl.cumsum(x, 0)", lambda x, y: x.cumsum(dtype=I32), I8, I16),
    *both("tl.cumsum(x, 0, dtype=tl.float32)",
           lambda x, y: x.astype(F32).cumsum(), F16, error=1e-3),
    *both("tl.cumprod(x, 0, reverse=True)", lambda x, y: x[::-1].cumprod()[::-1], F64, error=1e-8),
    *both("tl.cumsum((x>0).to(tl.int32), 0)", lambda x, y: (x>0).cumsum(), F32),
    *both("tl.sort(x)", lambda x, y: np.sort(x), I8, I64, F64, U32, I16),
    *both("tl.sort(tl.reshape(x,(4,16)), dim=1)", lambda x, y: np.sort(x.reshape(4,16),1), F32),
    *both("tl.topk(tl.reshape(x,(4,16)), 4)",
           lambda x, y: np.sort(x.reshape(4,16),1)[:,::-1][:,:4], F32, I32),
    *both("tl.flip(tl.reshape(x,(4,16)), 1)", lambda x, y: x.reshape(4,16)[:,::-1], F32, I8, F16),
    *both("tl.flip(tl.reshape(x,(4,16)), 0)", lambda x, y: x.reshape(4,16)[::-1], F32),
    *both("tl.histogram(x & 255, 256)", lambda x, y: np.bincount(x&255,minlength=256), I32),
    *both("tl.histogram(x & 15, 16, mask=i<10)",
           lambda x, y: np.bincount((x&15)[:10],minlength=16), I32),
    *both("tl.gather(x, i ^ 5, 0)", lambda x, y: x[np.arange(64)^5], F32, F16, I8, F64, I64),
    *both("tl.gather(tl.reshape(x,(4,16)), tl.reshape(i & 3,(4,16)), 0)",
           lambda x, y: np.take_along_axis(x.reshape(4,16),(np.arange(64)&3).reshape(4,16),0), F32),
    *both("tl.join(x, y)", lambda x, y: np.stack((x,y),1), I8, F16, I64),
    *both("tl.interleave(tl.reshape(x,(4,16)), tl.reshape(y,(4,16)))",
           lambda x, y: np.stack((x,y),1), F32),
    *both("x.reshape(2,2,2,2,2,2).permute(5,4,3,2,1,0)",
           lambda x, y: x.reshape((2,)*6).transpose(5,4,3,2,1,0), F32),
    *both("tl.ravel(x.reshape(8,8))", lambda x, y: x, F32),
    *both("tl.expand_dims(x, (0,2))", lambda x, y: x, F32),
    *both("tl.broadcast(x[:,None], y[None,:])[0]",
           lambda x, y: np.broadcast_to(x[:,None],(64,64)), F32),
    *both("x[None, :, None].broadcast_to(2, 64, 2)",
           lambda x, y: np.broadcast_to(x[None,:,None],(2,64,2)), F32),
    *both("tl.where(i < 3, x, float('inf'))",
           lambda x, y: np.where(np.arange(64)<3,x,np.inf).astype(F32), F32),
    *both("tl.where(x > 0, 1, 0)", lambda x, y: (x>0), F32),
    *both("x.to(tl.int64)", lambda x, y: x.astype(I64), F32, I32, I8, U32),
    *both("x.to(tl.float64)", lambda x, y: x.astype(F64), F32, I32, I64, F16),
    *both("x.to(tl.uint8)", lambda x, y: x.astype(U8), I32),
    *both("tl.abs(x).to(tl.uint8)", lambda x, y: np.abs(x).astype(U8), F32),
    *both("tl.abs(x).to(tl.uint32)", lambda x, y: np.abs(x).astype(U32), F32),
    *both("x.to(tl.int16)", lambda x, y: x.astype(I16), F32, I32, F16),
    *both("x.to(tl.bfloat16, fp_downcast_rounding='rtz').to(tl.float32)",
           lambda x, y: x, F32, error=2**-7),
    *both("x.to(tl.float8e4nv).to(tl.float32)", lambda x, y: x, F32, F16, error=2**-3),
    *both("x.to(tl.float8e5).to(tl.float32)", lambda x, y: x, F32, error=2**-2),
    *both("x.to(tl.bfloat16).to(tl.float8e5).to(tl.float32)", lambda x, y: x, F32, error=2**-2),
    *both("(x.to(tl.bfloat16) + y.to(tl.bfloat16)).to(tl.float32)",
           lambda x, y: x+y, F32, error=2**-5),
    *both("tl.exp(x.to(tl.bfloat16).to(tl.float32))", lambda x, y: np.exp(x), F32, error=2**-5),
    *both("x.to(tl.int16, bitcast=True)", lambda x, y: x.view(I16), F16, U16),
    *both("tl.cast(x, tl.float32, bitcast=True)", lambda x, y: x.view(F32), I32),
    *steps("range options ws", "r = x\nfor k in tl.range(0, n, warp_specialize=True):\n    r += y",
           lambda x, y: x+y*5, error=1e-5),
    *steps("range down", "r = x\nfor k in range(n, 0, -1):\n    r += y*k",
           lambda x, y: x+y*15, error=1e-5),
    *steps("range down tl", "r = x\nfor k in tl.range(n, -1, -2):\n    r += y*k",
           lambda x, y: x+y*9, error=1e-5),
    *steps("range step", "r = x\nfor k in range(1, n, 3):\n    r += y*k",
           lambda x, y: x+y*5, error=1e-5),
    *steps("nested loops", "r = x\nfor k in range(n):\n    for j in range(k):\n        r += y",
           lambda x, y: x+y*10, error=1e-5),
    *steps("ternary", "r = x if n > 2 else y", lambda x, y: x),
    *steps("ternary scalars", "v = f if n > 9 else f * 2\nr = x * v", lambda x, y: x),
    *steps("scalar loads", "s = tl.load(px + 3)\nr = y * s", lambda x, y: y*x[3]),
    *steps("scalar stores", "tl.store(pz + 3, tl.load(px + 3))\nr = tl.load(pz + i)",
           lambda x, y: np.where(np.arange(64)==3,x,0)),
    *steps("scalar atomic", "o = tl.atomic_add(pz, 2)\nr = tl.load(pz + i) + o",
           lambda x, y: np.where(np.arange(64)==0,2,0), I32),
    *steps("scalar cas", "o = tl.atomic_cas(pz, 0, 7)\nr = tl.load(pz + i) + o",
           lambda x, y: np.where(np.arange(64)==0,7,0), I32),
    *steps("atomic add i64", "tl.atomic_add(pz + i, x)\nr = tl.load(pz+i)", lambda x, y: x, I64),
    *steps("atomic add u32", "tl.atomic_add(pz + i, x)\nr = tl.load(pz+i)", lambda x, y: x, U32),
    *steps("atomic add u64", "tl.atomic_add(pz + i, x)\nr = tl.load(pz+i)", lambda x, y: x, U64),
    *steps("atomic add f64", "tl.atomic_add(pz + i, x)\nr = tl.load(pz+i)", lambda x, y: x, F64),
    *steps("atomic add same address", "tl.atomic_add(pz + i*0, x)\nr = tl.load(pz+i)",
           lambda x, y: np.where(np.arange(64)==0,x.sum(),0), I32),
    *steps("atomic max f64", "tl.atomic_max(pz + i, x)\nr = tl.load(pz+i)",
           lambda x, y: np.maximum(x,0), F64),
    *steps("atomic min f32", "tl.atomic_min(pz + i, x)\nr = tl.load(pz+i)",
           lambda x, y: np.minimum(x,0), F32),
    *steps("atomic max i64", "tl.atomic_max(pz + i, x)\nr = tl.load(pz+i)",
           lambda x, y: np.maximum(x,0), I64),
    *steps("atomic max u32", "tl.atomic_max(pz + i, x)\nr = tl.load(pz+i)",
           lambda x, y: np.maximum(x,0), U32),
    *steps("atomic max u64", "tl.atomic_max(pz + i, x)\nr = tl.load(pz+i)",
           lambda x, y: np.maximum(x,0), U64),
    *steps("atomic xchg f32", "o=tl.atomic_xchg(pz + i, x)\nr = tl.load(pz+i)+o",
           lambda x, y: x, F32),
    *steps("atomic xchg f64", "o=tl.atomic_xchg(pz + i, x)\nr = tl.load(pz+i)+o",
           lambda x, y: x, F64),
    *steps("atomic xchg i64", "o=tl.atomic_xchg(pz + i, x)\nr = tl.load(pz+i)+o",
           lambda x, y: x, I64),
    *steps("atomic cas i64", "o=tl.atomic_cas(px + i, x, y)\nr = tl.load(px+i)",
           lambda x, y: y, I64),
    *steps("atomic cas f32", "o=tl.atomic_cas(px + i, x, y)\nr = tl.load(px+i)",
           lambda x, y: y, F32),
    *steps("int pointer", "q = px.to(tl.int64).to(tl.pointer_type(tl.float32))\nr = tl.load(q + i)",
           lambda x, y: x, F32),
    *steps("pointer diff", "d = (px + 4).to(tl.int64) - px.to(tl.int64)\nr = x + d",
           lambda x, y: x+16, F32, 1e-6),
    *steps("pointer tensor select", "q = tl.where(i < 3, px + i, py + i)\nr = tl.load(q)",
           lambda x, y: np.where(np.arange(64)<3,x,y), F32),
    *steps("pointer of if", "q = px\nif n > 3:\n    q = py\nr = tl.load(q + i)",
           lambda x, y: y, F32),
    *steps("descriptor 1d", "d = tl.make_tensor_descriptor(px, [60], [1], [64])\nr = d.load([0])",
           lambda x, y: np.where(np.arange(64)<60,x,0)),
    *both("tl.rand(7, i)", lambda x, y: UNIFORM[0], F32, error=1e-6),
    *both("tl.randint(7, i).to(tl.int32, bitcast=True)",
           lambda x, y: RANDOM[0], I32),
    *both("tl.rand4x(7, i)[3]", lambda x, y: UNIFORM[3], F32, error=1e-6),
    *both("tl.randint4x(7, i)[2].to(tl.int32, bitcast=True)",
           lambda x, y: RANDOM[2], I32),
    *both("tl.randn(7, i)", lambda x, y: normal(UNIFORM[0], UNIFORM[1])[0], F32, error=2e-5),
    *both("tl.randn4x(7, i)[3]", lambda x, y: normal(UNIFORM[2], UNIFORM[3])[1], F32, error=2e-5),
    *both("tl.rand(tl.cast(n, tl.int64) + 2, i)", lambda x, y: UNIFORM[0], F32, error=1e-6),
    *both("tl.map_elementwise(mapped, x, y)", lambda x, y: np.where(x<y,x*2,y), F32, I32),
    *both("tl.map_elementwise(mapped2, x, y)[1]", lambda x, y: np.where(x>0,y,x)+x, F32),
    *both("tl.map_elementwise(mapped_loop, x)",
           lambda x, y: np.array([sum(range(max(int(v),0))) for v in x]), I32),
    *both("tl.associative_scan((x, y), 0, lin)[1]", recurrence, F32, error=5e-2) ,
    *both("tl.associative_scan(x, 0, cmax)", lambda x, y: np.maximum.accumulate(x), F32, I32, I8),
    *both("tl.associative_scan(x, 0, prefix_or)", lambda x, y: np.maximum.accumulate(x), F32, I32),
    *both("tl.reduce(x, 0, prefix_or)", lambda x, y: np.max(x), F32, I32),
    *both("tl.associative_scan(x, 0, cmax, reverse=True)",
           lambda x, y: np.maximum.accumulate(x[::-1])[::-1], F32),
    *both("tl.associative_scan(x, 0, first)", lambda x, y: np.full(64,x[0]), F32),
    *both("tl.associative_scan(tl.reshape(x,(8,8)), 1, first)",
           lambda x, y: np.repeat(x.reshape(8,8)[:,0],8), F32),
    *both("tl.reduce((x, x*0, x*0+1), 0, welford)[1]",
           lambda x, y: wide(x).var()*64, F32, error=1e-4),
    *both("tl.reduce(x, None, cmax)", lambda x, y: x.max(), F32),
    *both("tl.reduce(tl.reshape(x,(8,8)), 1, cmax, keep_dims=True)",
           lambda x, y: x.reshape(8,8).max(1), F32),
    *both("x * callee(f, 2*f)", lambda x, y: x*F32(0.5), F32),
    *both("many((x, y))", lambda x, y: x+y, F32),
    *both("x + half(B)", lambda x, y: x+F32(32), F32),
    *both("x + tl.num_programs(1) + tl.program_id(2)", lambda x, y: x+1, I32),
    *both("tl.zeros((B,), tl.int32) + tl.full((1,), 3, tl.int32)", lambda x, y: np.full(64,3), I32),
    *both("tl.full((), 3, tl.float32) + x", lambda x, y: x+3, F32),
    *both("x + True", lambda x, y: x+1, I32),
    *both("x + 1e30", lambda x, y: x+F32(1e30), F32),
    *both("x - float('-inf')", lambda x, y: np.full(64,np.inf), F32),
    *both("x.to(tl.int64) * 10000000000", lambda x, y: x.astype(I64)*10000000000, I32),
    *steps("static", "tl.static_assert(B == 64)\ntl.static_print(B)\nr = x", lambda x, y: x, F32),
    *steps("noinline store", "callee_store(pz, f)\nr = tl.load(pz + i)",
           lambda x, y: np.where(np.arange(64)==0, F32(.5),0), F32),
    *steps("histogram in a loop",
           "r = i * 0\nfor k in range(n):\n    r += tl.histogram((x + k) & 63, 64) * (k + 1)",
           lambda x, y: sum(np.bincount((x+k)&63,minlength=64)*(k+1) for k in range(5)), I32),
    *steps("histogram outside", "r = tl.histogram(x - 3, 64, mask=i != 7)",
           lambda x, y: np.bincount((k:=(x-3)[np.arange(64)!=7])[(k>=0)&(k<64)],minlength=64), I32),
    *steps("gather bool", "r = tl.gather(x > 0, y & 63, 0)", lambda x, y: (x>0)[y&63], I32),
    *steps("gather in a loop", "r = x\nfor k in range(n):\n    r = tl.gather(r, i ^ k, 0) + k",
           lambda x, y: x[np.arange(64)^4]+10, I32),
    *steps("gather outside", "r = tl.gather(x, i + 32, 0)",
           lambda x, y: np.concatenate((x[32:],x[:32]*0)), I32),
    *steps("gather large", "j = tl.arange(0, 1024)\n"
           "r = tl.sum(tl.gather(j * 3, 1023 - j, 0) * (j < 2).to(tl.int32), 0) + x",
           lambda x, y: x+3*(1023+1022), I32),
    *steps("histogram large", "r = tl.histogram(x & 1023, 1024)",
           lambda x, y: np.bincount(x&1023,minlength=1024), I32),
    *steps("scalar ops", "s = tl.sum(x) \ns = tl.exp(s * 0) + tl.sqrt(4.0) + tl.abs(-1)\nr = x * s",
           lambda x, y: x*4, F32, 1e-5),
    *steps("scalar min max", "s = tl.minimum(n, 3) + tl.maximum(n, 9)\nr = x + s",
           lambda x, y: x+12, I32),
    *steps("scalar range mod", "s = n // 2 + n % 2\nr = x + s", lambda x, y: x+3, I32),
    *steps("loop carried tuple", "a = x\nb = y\nfor k in range(n):\n    a, b = b, a\nr = a",
           lambda x, y: y, F32),
    *steps("return in nested if", "r = x\nif n == 5:\n    if f > 9:\n        return\n    r = y",
           lambda x, y: y, F32),
    *steps("masked store", "tl.store(pz + i, x, mask=i % 2 == 0)\nr = tl.load(pz + i)",
           lambda x, y: np.where(np.arange(64)%2==0,x,0), F32),
    *steps("masked scalar load", "s = tl.load(px + 3, mask=n > 9, other=2.0)\nr = x * s",
           lambda x, y: x*2, F32),
    *steps("scalar mask for tensor", "r = tl.load(px + i, mask=n > 9, other=2.0)",
           lambda x, y: x*0+2, F32),
    *steps("other tensor", "r = tl.load(px + i, mask=i > 9, other=y)",
           lambda x, y: np.where(np.arange(64)>9,x,y), F32),
    *steps("load int other", "r = tl.load(px + i, mask=i > 9, other=0)",
           lambda x, y: np.where(np.arange(64)>9,x,0), F16),
    *steps("zero stride", "r = tl.load(px + i * 0)", lambda x, y: np.full(64,x[0]), F32),
    *steps("i64 index", "r = tl.load(px + i.to(tl.int64))", lambda x, y: x, F32),
    *steps("u32 index", "r = tl.load(px + i.to(tl.uint32))", lambda x, y: x, F32),
    *steps("negative index", "r = tl.load(px + 63 + (0 - i))", lambda x, y: x[::-1], F32),
    *steps("i8 index", "r = tl.load(px + i.to(tl.int8))", lambda x, y: x, F32),
    *steps("max constancy", "r = tl.load(px + tl.max_constancy(i // 4, 4))",
           lambda x, y: x[np.arange(64)//4], F32),
    *steps("tuple of pointers", "t = (px, py)\nr = tl.load(t[0] + i) + tl.load(t[1] + i)",
           lambda x, y: x+y, F32),
    *steps("const pointer", "r = tl.load(px.to(tl.pointer_type(tl.int32)) + i)",
           lambda x, y: x.view(I32), F32),
    *steps("atomic loop", "for k in range(n):\n    tl.atomic_add(pz + i, x)\nr = tl.load(pz + i)",
           lambda x, y: 5*x, I32),
    *steps("atomic scalar mask", "tl.atomic_add(pz + i, x, mask=n > 9)\nr = tl.load(pz + i)",
           lambda x, y: 0*x, I32),
    *steps("atomic and i64", "tl.atomic_and(px + i, y)\nr = tl.load(px + i)",
           lambda x, y: x&y, I64),
    *steps("atomic xor u32", "tl.atomic_xor(px + i, y)\nr = tl.load(px + i)",
           lambda x, y: x^y, U32),
    *steps("atomic min u32", "tl.atomic_min(px + i, y)\nr = tl.load(px + i)",
           lambda x, y: np.minimum(x,y), U32),
    *steps("gdc", "tl.extra.cuda.gdc_wait()\nr = x\ntl.extra.cuda.gdc_launch_dependents()",
           lambda x, y: x, F32),
    *steps("num threads", "r = x + tl.extra.cuda.num_threads()*0 + tl.extra.cuda.num_warps() * 0",
           lambda x, y: x, F32),
    *steps("lambda-free where", "r = tl.where((i > 3) & (x > 0), x, tl.where(y > 0, y, 0.0))",
           lambda x, y: np.where((np.arange(64)>3)&(x>0),x,np.where(y>0,y,0)), F32),
    *steps("pow int", "r = libdevice.pow(x, 2)", lambda x, y: x*x, F32, 1e-5),
    *steps("mod neg", "r = (x % 7)", lambda x, y: np.fmod(x,7), I32),
    *steps("concatenation", "a = tl.load(px + i, mask=i < 32, other=0)\n"
           "r = a + tl.load(py + (i - 32) % 32, mask=i >= 32, other=0)",
           lambda x, y: np.concatenate((x[:32], y[:32])), F32),
    *steps("pid math", "pid = tl.program_id(0)\nr = tl.load(px + pid * B + i) + tl.cdiv(n, B)",
           lambda x, y: x+1, F32, 1e-6),
    *asm("shf", "shf.l.wrap.b32 $0, $1, $2, 5;", "=r,r,r","x, y",
           lambda x, y: ((y.view(U32)<<5)|(x.view(U32)>>27)).view(I32), I32,"int32"),
    *asm("shfr", "shf.r.wrap.b32 $0, $1, $2, 37;", "=r,r,r","x, y",
           lambda x, y: ((x.view(U32)>>5)|(y.view(U32)<<27)).view(I32), I32,"int32"),
    *asm("mov", "mov.f32 $0, $1;", "=r,r","x", lambda x, y: x, F32,"float32"),
    *asm("fma", "fma.rn.f32 $0, $1, $2, 0f3F800000;", "=f, f, f","x, y",
           lambda x, y: wide(x)*y+1, F32,"float32", error=1e-5),
    *asm("ex2", "ex2.approx.ftz.f32 $0, $1;", "=f,f","x",
           lambda x, y: 2.0**x, F32,"float32", error=1e-5),
    *asm("tanh", "tanh.approx.f32 $0, $1;", "=f,f","x",
           lambda x, y: np.tanh(x), F32,"float32", error=1e-3),
    *asm("packed8", "and.b32 $0, $1, 0x1F1F1F1F; shl.b32 $0, $0, 3;", "=r,r","x",
           lambda x, y: (x&0x1f)<<3, U8,"uint8",4),
    *asm("packed16", "{ .reg .b32 t; and.b32 t, $1, 0x00FF00FF; mov.b32 $0, t; }", "=r,r","x",
           lambda x, y: x&0xff, U16,"uint16",2),
    *asm("pack2", "add.s32 $0, $2, 1; sub.s32 $1, $3, 1;", "=r,=r,r,r","x",
           lambda x, y: x+np.where(np.arange(64)%2==0,1,-1), I32,"int32",2),
    *asm("lop3", "lop3.b32 $0, $1, $2, 0x0f0f0f0f, 0xea;", "=r,r,r","x, y",
           lambda x, y: (x&y)|0x0f0f0f0f, I32,"int32"),
    *asm("prmt", "prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r","x, y",
           lambda x, y: ((x.view(U32) & 0xFFFF) | (y.view(U32) << 16)).view(I32), I32,"int32"),
    *asm("cvt", "cvt.rni.s32.f32 $0, $1;", "=r,f","x", lambda x, y: np.rint(x), F32,"int32"),
    *asm("cvt16", "{ .reg .b16 h; cvt.rn.f16.f32 h, $1; cvt.f32.f16 $0, h; }", "=f,f","x",
           lambda x, y: x.astype(F16).astype(F32), F32,"float32"),
    *asm("cvt64", "cvt.s64.s32 $0, $1;", "=l,r","x", lambda x, y: x.astype(I64), I32,"int64"),
    *asm("h", "add.s16 $0, $1, $2;", "=h,h,h","x, y", lambda x, y: x+y, I16,"int16"),
    *asm("f16", "mul.f16 $0, $1, $2;", "=h,h,h","x, y", lambda x, y: x*y, F16,"float16"),
    *asm("f16x2", "min.f16x2 $0, $1, $2;", "=r,r,r","x, y",
           lambda x, y: np.minimum(x,y), F16,"float16",2),
    *asm("shl over", "shl.b32 $0, $1, 33;", "=r,r","x", lambda x, y: x*0, I32,"int32"),
    *asm("sar", "shr.s32 $0, $1, 40;", "=r,r","x", lambda x, y: x>>31, I32,"int32"),
    *asm("max", "max.u32 $0, $1, $2;", "=r,r,r","x, y",
           lambda x, y: np.maximum(x.view(U32),y.view(U32)).view(I32), I32,"int32"),
    *asm("mad", "mad.lo.s32 $0, $1, $2, -7;", "=r,r,r","x, y", lambda x, y: x*y-7, I32,"int32"),
    *asm("mulhi", "mul.hi.u32 $0, $1, $2;", "=r,r,r","x, y",
           lambda x, y: ((x.astype(np.uint64)*y)>>32), U32,"uint32"),
    *steps("gdc", "tl.extra.cuda.gdc_wait()\nr = x\ntl.extra.cuda.gdc_launch_dependents()",
           lambda x, y: x, F32),
    *both("tl.erf(x)", lambda x, y: ERF(wide(x)), F32, error=1e-6),
    *both("tl.erf(x)", lambda x, y: ERF(x), F64, error=1e-15),
    *both("x.to(tl.float8e5, fp_downcast_rounding='rtz').to(tl.float32)",
          cut_to_two_bits, F32, F16),
    *steps("dot_scaled of rows", "a = tl.broadcast_to(x[None, :], (16, B))\n"
           "b = tl.broadcast_to(y[:, None], (B, 16))\n"
           "r = tl.dot_scaled(a, None, 'e2m1', b, None, 'e2m1',"
           " lhs_k_pack=False, rhs_k_pack=False)",
           lambda x, y: e2m1_rows(x) @ e2m1_rows(y).T, U8),
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
