# pyright: basic
"""
The kernels whose speed is measured, written in cuTile. Their bytecode lies in `bytecode/`, so that
only writing it again needs the front end:

    python benchmarks/gpu/kernels.py [NAME …]

`cases.py` says with which arguments they run.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from unittest import mock

import cuda.tile as ct
from cuda.tile import _ir2bytecode
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    KernelSignature,
    export_kernel,
)

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
LN2 = math.log(2)


@ct.kernel
def vector_add(a, b, c, tile: Const):
    block = ct.bid(0)
    ct.store(c, block, ct.load(a, block, (tile,)) + ct.load(b, block, (tile,)))


@ct.kernel
def softmax(x, out, columns: Const):
    """A row for each CTA."""
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    t = t.astype(ct.float32)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(out, (row, 0), (e / ct.sum(e, axis=1, keepdims=True)).astype(out.dtype))


@ct.kernel
def layer_norm(x, weight, bias, out, columns: Const):
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, columns), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    mean = ct.sum(t, axis=1, keepdims=True) / columns
    centred = t - mean
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / columns
    scale = ct.load(weight, 0, (columns,)).astype(ct.float32).reshape((1, columns))
    shift = ct.load(bias, 0, (columns,)).astype(ct.float32).reshape((1, columns))
    y = centred * ct.rsqrt(variance + 1e-5) * scale + shift
    ct.store(out, (row, 0), y.astype(out.dtype))


@ct.kernel
def rms_norm(x, weight, out, rows: Const, columns: Const):
    """Persistent: a CTA does several rows at a time, one after the other."""
    scale = ct.load(weight, 0, (columns,)).astype(ct.float32).reshape((1, columns))
    for block in range(ct.bid(0), ct.cdiv(x.shape[0], rows), ct.num_blocks(0)):
        t = ct.load(x, (block, 0), (rows, columns), padding_mode=ZERO).astype(ct.float32)
        root = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / columns + 1e-5)
        ct.store(out, (block, 0), (t * root * scale).astype(out.dtype))


@ct.kernel
def silu_and_mul(x, out, columns: Const):
    """Both halves of a row."""
    row = ct.bid(0)
    a = ct.load(x, (row, 0), (1, columns)).astype(ct.float32)
    b = ct.load(x, (row, 1), (1, columns)).astype(ct.float32)
    one = ct.full((1, columns), 1.0, ct.float32)
    sigmoid = ct.truediv(
        one, one + ct.exp(-a), rounding_mode=ct.RoundingMode.APPROX, flush_to_zero=True
    )
    ct.store(out, (row, 0), (a * sigmoid * b).astype(out.dtype))


@ct.kernel
def transpose(x, out, tile: Const):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, (j, i), ct.transpose(ct.load(x, (i, j), (tile, tile))))


@ct.kernel
def cumsum(x, out, columns: Const):
    row = ct.bid(0)
    ct.store(out, (row, 0), ct.cumsum(ct.load(x, (row, 0), (1, columns)), axis=1))


@ct.kernel
def row_gather(x, index, out, columns: Const):
    """Copies a row for each CTA, which another array names."""
    row = ct.bid(0)
    source = ct.gather(index, row)
    ct.store(out, (row, 0), ct.load(x, (source, 0), (1, columns)))


@ct.kernel
def histogram(x, counts, tile: Const):
    value = ct.load(x, ct.bid(0), (tile,))
    ct.atomic_add(counts, value, 1, memory_order=ct.MemoryOrder.RELAXED)


def place(block, rows, columns):
    """Which tile a CTA works on: groups of 8 rows of tiles share columns in the cache."""
    group = 8 * columns
    first = block // group * 8
    height = min(rows - first, 8)
    return first + block % group % height, block % group // height


def product(a, b, row, column, m, n, k):
    """A tile of the product of two row-major matrices."""
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (step, column), (k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    return total


@ct.kernel
def matmul(a, b, c, m: Const, n: Const, k: Const):
    row, column = place(ct.bid(0), ct.cdiv(a.shape[0], m), ct.cdiv(b.shape[1], n))
    ct.store(c, (row, column), product(a, b, row, column, m, n, k).astype(c.dtype))


@ct.kernel
def matmul_left_transposed(a, b, c, m: Const, n: Const, k: Const):
    """Operand A is stored with rows and columns exchanged."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(b, 0, (k, n))):
        x = ct.load(a, (row, step), (m, k), order=(1, 0), padding_mode=ZERO)
        y = ct.load(b, (step, column), (k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_right_transposed(a, b, c, m: Const, n: Const, k: Const):
    """Operand B is stored with rows and columns exchanged, and loaded through a view."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (step, column), (k, n), order=(1, 0), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_tile_transposed(a, b, c, m: Const, n: Const, k: Const):
    """The same, but the tile is transposed after it was loaded."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (column, step), (n, k), padding_mode=ZERO)
        total = ct.mma(x, ct.transpose(y), total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_break(a, b, c, m: Const, n: Const, k: Const):
    """An endless loop that is left in the middle."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    steps = ct.num_tiles(a, 1, (m, k))
    total = ct.zeros((m, n), ct.float32)
    step = 0
    while True:
        if step >= steps:
            break
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (step, column), (k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
        step += 1
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_tf32(a, b, c, m: Const, n: Const, k: Const):
    """Matrices of f32, both K-major, that are rounded to tf32."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO).astype(ct.tfloat32)
        y = ct.load(b, (step, column), (k, n), order=(1, 0), padding_mode=ZERO)
        total = ct.mma(x, y.astype(ct.tfloat32), total)
    ct.store(c, (row, column), total)


@ct.kernel
def matmul_tf32_right(a, b, c, m: Const, n: Const, k: Const):
    """The same, but operand B is contiguous along N."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO).astype(ct.tfloat32)
        y = ct.load(b, (step, column), (k, n), padding_mode=ZERO).astype(ct.tfloat32)
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total)


@ct.kernel
def matmul_w8(a, b, scales, c, m: Const, n: Const, k: Const, group: Const):
    """Weights are integers of 8 bits; a group of rows has a scale for each column."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (step, column), (k, n), padding_mode=ZERO).astype(a.dtype)
        scale = ct.load(scales, (step * k // group, column), (1, n), padding_mode=ZERO)
        total = ct.mma(x, y * scale, total)
    ct.store(c, (row, column), total.astype(c.dtype))


def nibbles(packed, rows, columns):
    """The four-bit numbers of bytes that hold two rows each."""
    shifts = (ct.arange(2, dtype=ct.int32) * 4).astype(ct.uint8).reshape((1, 2, 1))
    both = (packed.reshape((rows // 2, 1, columns)) >> shifts) & 15
    return both.reshape((rows, columns))


@ct.kernel
def matmul_w4(a, b, scales, c, m: Const, n: Const, k: Const, group: Const):
    """Weights are integers of 4 bits plus 8, two rows of them in a row of bytes."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        packed = ct.load(b, (step, column), (k // 2, n), padding_mode=ZERO)
        scale = ct.load(scales, (step * k // group, column), (1, n), padding_mode=ZERO)
        y = (nibbles(packed, k, n).astype(a.dtype) - 8) * scale
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_w4_halves(a, b, scales, c, m: Const, n: Const, k: Const, group: Const):
    """The same, but the rows in a row of bytes are half a tile apart."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        packed = ct.load(b, (step, column), (k // 2, n), padding_mode=ZERO)
        scale = ct.load(scales, (step * k // group, column), (1, n), padding_mode=ZERO)
        y = ct.cat(((packed & 15).astype(a.dtype), (packed >> 4).astype(a.dtype)), 0)
        total = ct.mma(x, (y - 8) * scale, total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_w4_columns(a, b, scales, c, m: Const, n: Const, k: Const, group: Const):
    """Weights are stored transposed: a column of four-bit numbers is a row of bytes."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    shifts = (ct.arange(2, dtype=ct.int32) * 4).astype(ct.uint8).reshape((1, 1, 2))
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        packed = ct.load(b, (column, step), (n, k // 2), padding_mode=ZERO)
        scale = ct.load(scales, (column, step * k // group), (n, 1), padding_mode=ZERO)
        both = ((packed.reshape((n, k // 2, 1)) >> shifts) & 15).reshape((n, k))
        y = (both.astype(a.dtype) - 8) * scale
        total = ct.mma(x, ct.transpose(y), total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_w4_words(a, b, scales, c, m: Const, n: Const, k: Const, group: Const):
    """Eight rows of four-bit numbers are in a row of words."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    shifts = (ct.arange(8, dtype=ct.int32) * 4).reshape((1, 8, 1))
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        packed = ct.load(b, (step, column), (k // 8, n), padding_mode=ZERO)
        scale = ct.load(scales, (step * k // group, column), (1, n), padding_mode=ZERO)
        y = ((packed.reshape((k // 8, 1, n)) >> shifts) & 15).reshape((k, n))
        total = ct.mma(x, (y - 8).astype(a.dtype) * scale, total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_i8(a, b, c, m: Const, n: Const, k: Const):
    """Integers, both matrices K-major."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.int32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (step, column), (k, n), order=(1, 0), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total)


@ct.kernel
def matmul_mxf8(a, a_scale, b, b_scale, c, m: Const, n: Const, k: Const, block: Const):
    """8-bit floats with a scale for each block of a row; both matrices K-major."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        xs = ct.load(a_scale, (row, step), (m, k // block))
        y = ct.load(b, (step, column), (k, n), order=(1, 0), padding_mode=ZERO)
        ys = ct.load(b_scale, (step, column), (k // block, n), order=(1, 0))
        total = ct.mma_scaled(x, xs, y, ys, total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_f8_block(a, a_scale, b, b_scale, c, m: Const, n: Const, k: Const):
    """
    8-bit floats with a scale for each part of a row of operand A, and for each square block of
    operand B; both matrices K-major, and their scales as well.
    """
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (step, column), (k, n), order=(1, 0), padding_mode=ZERO)
        xs = ct.load(a_scale, (row, step), (m, 1))
        ys = ct.load(b_scale, (column, step), (1, 1))
        total = total + ct.mma(x, y, ct.zeros((m, n), ct.float32)) * (xs * ys)
    ct.store(c, (row, column), total.astype(c.dtype))


def four_bits(array, row, step, rows, k):
    """A tile of 4-bit floats, two of which are in a byte."""
    packed = ct.load(array, (row, step), (rows, k // 2), padding_mode=ZERO)
    flat = ct.unpack_from_bytes(packed.reshape((rows * k // 2,)), ct.float4_e2m1fn)
    return flat.reshape((rows, k))


@ct.kernel
def matmul_f4(a, a_scale, b, b_scale, c, m: Const, n: Const, k: Const, block: Const):
    """4-bit floats with a scale for each block of a row; both matrices K-major."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k // 2))):
        x = four_bits(a, row, step, m, k)
        xs = ct.load(a_scale, (row, step), (m, k // block))
        y = ct.transpose(four_bits(b, column, step, n, k))
        ys = ct.transpose(ct.load(b_scale, (column, step), (n, k // block)))
        total = ct.mma_scaled(x, xs, y, ys, total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel(occupancy=1)
def matmul_hinted(a, b, c, m: Const, n: Const, k: Const):
    """With what a programmer can tell the compiler; the others leave it to guess."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO, latency=4)
        y = ct.load(b, (step, column), (k, n), padding_mode=ZERO, latency=4)
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total.astype(c.dtype), latency=2)


@ct.kernel
def matmul_residual(a, b, residual, c, m: Const, n: Const, k: Const):
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = product(a, b, row, column, m, n, k)
    total += ct.load(residual, (row, column), (m, n), padding_mode=ZERO).astype(ct.float32)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def matmul_gelu(a, b, bias, c, m: Const, n: Const, k: Const):
    """A row of bias and GELU, in its form with tanh, in the end."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    t = product(a, b, row, column, m, n, k)
    t = t + ct.load(bias, column, (n,), padding_mode=ZERO).astype(ct.float32).reshape((1, n))
    t = 0.5 * t * (1.0 + ct.tanh(0.7978845608028654 * (t + 0.044715 * t * t * t)))
    ct.store(c, (row, column), t.astype(c.dtype))


@ct.kernel
def matmul_persistent(a, b, c, m: Const, n: Const, k: Const):
    """Each CTA works on many tiles, one after the other."""
    rows, columns = ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n)
    for tile in range(ct.bid(0), rows * columns, ct.num_blocks(0)):
        row, column = place(tile, rows, columns)
        total = product(a, b, row, column, m, n, k)
        ct.store(c, (row, column), total.astype(c.dtype))


def split_product(a, b, row, column, m, n, k):
    """The part of `product` that is this CTA's: the second dimension of the grid splits K."""
    steps = ct.num_tiles(a, 1, (m, k))
    share = ct.cdiv(steps, ct.num_blocks(1))
    first = ct.bid(1) * share
    total = ct.zeros((m, n), ct.float32)
    for step in range(first, min(first + share, steps)):
        x = ct.load(a, (row, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (step, column), (k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    return total


@ct.kernel
def matmul_split(a, b, c, m: Const, n: Const, k: Const):
    """The parts of a product are added by atomics, element by element."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = split_product(a, b, row, column, m, n, k)
    i = row * m + ct.arange(m, dtype=ct.int32).reshape((m, 1))
    j = column * n + ct.arange(n, dtype=ct.int32).reshape((1, n))
    ct.atomic_add(c, (i, j), total, memory_order=ct.MemoryOrder.RELAXED)


@ct.kernel
def matmul_split_tiled(a, b, c, m: Const, n: Const, k: Const):
    """The same tile by tile."""
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = split_product(a, b, row, column, m, n, k)
    c.tiled_view((m, n)).atomic_store_add((row, column), total)


@ct.kernel
def matmul_batched(a, b, c, m: Const, n: Const, k: Const):
    """The second dimension of the grid is that of the batch."""
    batch = ct.bid(1)
    row, column = place(ct.bid(0), ct.cdiv(c.shape[1], m), ct.cdiv(c.shape[2], n))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 2, (1, m, k))):
        x = ct.load(a, (batch, row, step), (1, m, k), padding_mode=ZERO).reshape((m, k))
        y = ct.load(b, (batch, step, column), (1, k, n), padding_mode=ZERO).reshape((k, n))
        total = ct.mma(x, y, total)
    ct.store(c, (batch, row, column), total.astype(c.dtype).reshape((1, m, n)))


@ct.kernel
def matmul_batched_rank3(a, b, c, m: Const, n: Const, k: Const):
    """The same with a product of tiles of rank 3."""
    batch = ct.bid(1)
    row, column = place(ct.bid(0), ct.cdiv(c.shape[1], m), ct.cdiv(c.shape[2], n))
    total = ct.zeros((1, m, n), ct.float32)
    for step in range(ct.num_tiles(a, 2, (1, m, k))):
        x = ct.load(a, (batch, row, step), (1, m, k), padding_mode=ZERO)
        y = ct.load(b, (batch, step, column), (1, k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (batch, row, column), total.astype(c.dtype))


@ct.kernel
def matmul_grouped(a, b, rows, experts, c, m: Const, n: Const, k: Const):
    """
    A layer of a mixture of experts: each block of `m` rows of the result belongs to one expert,
    whose matrix it is multiplied by; `rows` names the rows of `a`, outside of it for padding.
    """
    row, column = place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    expert = ct.gather(experts, row)
    source = ct.load(rows, row, (m,)).reshape((m, 1))
    inside = ct.arange(k, dtype=ct.int32).reshape((1, k))
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.gather(a, (source, step * k + inside))
        y = ct.load(b, (expert, step, column), (1, k, n), padding_mode=ZERO).reshape((k, n))
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total.astype(c.dtype))


def attend(state, scores, value, scale):
    """
    Online softmax: takes the scores of a block of keys, and its values, into account.

    The state is the largest score so far, times `scale`, the sum of weights, and that of values.
    """
    largest, weights, total = state
    new = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True) * scale)
    weight = ct.exp2(scores * scale - new, flush_to_zero=True)
    fade = ct.exp2(largest - new, flush_to_zero=True)
    weights = weights * fade + ct.sum(weight, axis=1, keepdims=True)
    total = ct.mma(weight.astype(value.dtype), value, total * fade)
    return new, weights, total


def initial_state(m, d):
    largest = ct.full((m, 1), -math.inf, ct.float32)
    return largest, ct.zeros((m, 1), ct.float32), ct.zeros((m, d), ct.float32)


@ct.kernel
def attention(q, k, v, out, scale: ct.Constant[float], m: Const, n: Const, d: Const):
    """A CTA for each tile of queries and, in the second dimension of the grid, each head."""
    row, head = ct.bid(0), ct.bid(1)
    query = ct.load(q, (head, row, 0), (1, m, d)).reshape((m, d))
    state = initial_state(m, d)
    for step in range(ct.num_tiles(k, 1, (1, n, d))):
        key = ct.load(k, (head, 0, step), (1, d, n), order=(0, 2, 1)).reshape((d, n))
        scores = ct.mma(query, key, ct.zeros((m, n), ct.float32))
        value = ct.load(v, (head, step, 0), (1, n, d)).reshape((n, d))
        state = attend(state, scores, value, scale)
    _, weights, total = state
    ct.store(out, (head, row, 0), (total * (1.0 / weights)).astype(out.dtype).reshape((1, m, d)))


@ct.kernel
def attention_causal(q, k, v, out, scale: ct.Constant[float], m: Const, n: Const, d: Const):
    """
    No query sees keys behind it: blocks of keys before the tile of queries, then those beside it
    with a mask. Tiles with most keys first, so that the last CTAs are short ones.
    """
    row, head = ct.num_blocks(0) - 1 - ct.bid(0), ct.bid(1)
    query = ct.load(q, (head, row, 0), (1, m, d)).reshape((m, d))
    state = initial_state(m, d)
    visible = row * m // n
    for step in range(visible):
        key = ct.load(k, (head, 0, step), (1, d, n), order=(0, 2, 1)).reshape((d, n))
        scores = ct.mma(query, key, ct.zeros((m, n), ct.float32))
        value = ct.load(v, (head, step, 0), (1, n, d)).reshape((n, d))
        state = attend(state, scores, value, scale)
    i = row * m + ct.arange(m, dtype=ct.int32).reshape((m, 1))
    for step in range(visible, ct.cdiv((row + 1) * m, n)):
        key = ct.load(k, (head, 0, step), (1, d, n), order=(0, 2, 1)).reshape((d, n))
        scores = ct.mma(query, key, ct.zeros((m, n), ct.float32))
        j = step * n + ct.arange(n, dtype=ct.int32).reshape((1, n))
        scores = ct.where(i >= j, scores, -math.inf)
        value = ct.load(v, (head, step, 0), (1, n, d)).reshape((n, d))
        state = attend(state, scores, value, scale)
    _, weights, total = state
    ct.store(out, (head, row, 0), (total * (1.0 / weights)).astype(out.dtype).reshape((1, m, d)))


@ct.kernel
def attention_causal_single(q, k, v, out, scale: ct.Constant[float], m: Const, n: Const, d: Const):
    """The same in one loop, with a mask in every iteration, and tiles in the order of the grid."""
    row, head = ct.bid(0), ct.bid(1)
    query = ct.load(q, (head, row, 0), (1, m, d)).reshape((m, d))
    state = initial_state(m, d)
    i = row * m + ct.arange(m, dtype=ct.int32).reshape((m, 1))
    for step in range(ct.cdiv((row + 1) * m, n)):
        key = ct.load(k, (head, 0, step), (1, d, n), order=(0, 2, 1)).reshape((d, n))
        scores = ct.mma(query, key, ct.zeros((m, n), ct.float32))
        j = step * n + ct.arange(n, dtype=ct.int32).reshape((1, n))
        scores = ct.where(i >= j, scores, -math.inf)
        value = ct.load(v, (head, step, 0), (1, n, d)).reshape((n, d))
        state = attend(state, scores, value, scale)
    _, weights, total = state
    ct.store(out, (head, row, 0), (total * (1.0 / weights)).astype(out.dtype).reshape((1, m, d)))


@ct.kernel
def attention_varlen(q, k, v, first, out, scale: ct.Constant[float], m: Const, n: Const, d: Const):
    """
    Sequences of several lengths behind each other: sequence i has the rows from `first[i]` to
    `first[i + 1]`. The grid has tiles for the longest one; the others have fewer.
    """
    row, head, sequence = ct.bid(0), ct.bid(1), ct.bid(2)
    start, stop = ct.gather(first, sequence), ct.gather(first, sequence + 1)
    length = stop - start
    if row * m < length:
        keys = k.slice(axis=1, start=start, stop=stop)
        values = v.slice(axis=1, start=start, stop=stop)
        queries = q.slice(axis=1, start=start, stop=stop)
        result = out.slice(axis=1, start=start, stop=stop)
        query = ct.load(queries, (head, row, 0), (1, m, d), padding_mode=ZERO).reshape((m, d))
        state = initial_state(m, d)
        for step in range(ct.cdiv(length, n)):
            key = ct.load(keys, (head, 0, step), (1, d, n), order=(0, 2, 1), padding_mode=ZERO)
            scores = ct.mma(query, key.reshape((d, n)), ct.zeros((m, n), ct.float32))
            j = step * n + ct.arange(n, dtype=ct.int32).reshape((1, n))
            scores = ct.where(j < length, scores, -math.inf)
            value = ct.load(values, (head, step, 0), (1, n, d), padding_mode=ZERO)
            state = attend(state, scores, value.reshape((n, d)), scale)
        _, weights, total = state
        tile = (total * (1.0 / weights)).astype(out.dtype).reshape((1, m, d))
        ct.store(result, (head, row, 0), tile)


def row_of(array, head, row, m):
    """A number for each query of a tile."""
    return ct.load(array, (head, row), (1, m))


@ct.kernel
def attention_dq(
    q, k, v, do, lse, delta, dq, scale: ct.Constant[float], m: Const, n: Const, d: Const
):
    """
    The gradient of queries. `lse` is the binary logarithm of the sum of weights, `delta` the sum of
    what came out times its gradient `do`, for each query.
    """
    row, head = ct.bid(0), ct.bid(1)
    query = ct.load(q, (head, row, 0), (1, m, d)).reshape((m, d))
    slope = ct.load(do, (head, row, 0), (1, m, d)).reshape((m, d))
    weight = row_of(lse, head, row, m).reshape((m, 1))
    mean = row_of(delta, head, row, m).reshape((m, 1))
    total = ct.zeros((m, d), ct.float32)
    for step in range(ct.num_tiles(k, 1, (1, n, d))):
        key = ct.load(k, (head, step, 0), (1, n, d)).reshape((n, d))
        scores = ct.mma(query, ct.transpose(key), ct.zeros((m, n), ct.float32))
        value = ct.load(v, (head, step, 0), (1, n, d)).reshape((n, d))
        slopes = ct.mma(slope, ct.transpose(value), ct.zeros((m, n), ct.float32))
        p = ct.exp2(scores * scale - weight, flush_to_zero=True)
        ds = p * (slopes - mean)
        total = ct.mma(ds.astype(k.dtype), key, total)
    total = total * (scale * LN2)
    ct.store(dq, (head, row, 0), total.astype(dq.dtype).reshape((1, m, d)))


@ct.kernel
def attention_dkdv(
    q, k, v, do, lse, delta, dkdv, scale: ct.Constant[float], m: Const, n: Const, d: Const
):
    """The gradients of keys, then of values; scores are transposed, queries are their columns."""
    row, head = ct.bid(0), ct.bid(1)
    key = ct.load(k, (head, row, 0), (1, n, d)).reshape((n, d))
    value = ct.load(v, (head, row, 0), (1, n, d)).reshape((n, d))
    dk, dv = ct.zeros((n, d), ct.float32), ct.zeros((n, d), ct.float32)
    for step in range(ct.num_tiles(q, 1, (1, m, d))):
        query = ct.load(q, (head, step, 0), (1, m, d)).reshape((m, d))
        scores = ct.mma(key, ct.transpose(query), ct.zeros((n, m), ct.float32))
        slope = ct.load(do, (head, step, 0), (1, m, d)).reshape((m, d))
        slopes = ct.mma(value, ct.transpose(slope), ct.zeros((n, m), ct.float32))
        p = ct.exp2(scores * scale - row_of(lse, head, step, m), flush_to_zero=True)
        dv = ct.mma(p.astype(do.dtype), slope, dv)
        ds = p * (slopes - row_of(delta, head, step, m))
        dk = ct.mma(ds.astype(q.dtype), query, dk)
    dk = dk * (scale * LN2)
    ct.store(dkdv, (0, head, row, 0), dk.astype(dkdv.dtype).reshape((1, 1, n, d)))
    ct.store(dkdv, (1, head, row, 0), dv.astype(dkdv.dtype).reshape((1, 1, n, d)))


@ct.kernel
def attention_backward(
    q, k, v, do, lse, delta, dk, dv, dq, scale: ct.Constant[float], m: Const, n: Const, d: Const
):
    """
    All gradients: those of keys and values as in `attention_dkdv`, and what these keys add to the
    gradients of queries, in f32 and without the scale. That product is transposed, so that the
    gradients of scores are its operand B; it comes before those of values and keys, so that its
    result is added to memory while these are computed.
    """
    row, head = ct.bid(0), ct.bid(1)
    key = ct.load(k, (head, row, 0), (1, n, d)).reshape((n, d))
    value = ct.load(v, (head, row, 0), (1, n, d)).reshape((n, d))
    of_keys, of_values = ct.zeros((n, d), ct.float32), ct.zeros((n, d), ct.float32)
    sums = dq.tiled_view((1, m, d))
    for step in range(ct.num_tiles(q, 1, (1, m, d))):
        query = ct.load(q, (head, step, 0), (1, m, d)).reshape((m, d))
        scores = ct.mma(key, ct.transpose(query), ct.zeros((n, m), ct.float32))
        slope = ct.load(do, (head, step, 0), (1, m, d)).reshape((m, d))
        slopes = ct.mma(value, ct.transpose(slope), ct.zeros((n, m), ct.float32))
        p = ct.exp2(scores * scale - row_of(lse, head, step, m), flush_to_zero=True)
        ds = (p * (slopes - row_of(delta, head, step, m))).astype(q.dtype)
        part = ct.mma(ct.transpose(key), ds, ct.zeros((d, m), ct.float32))
        of_values = ct.mma(p.astype(do.dtype), slope, of_values)
        of_keys = ct.mma(ds, query, of_keys)
        sums.atomic_store_add((head, step, 0), ct.transpose(part).reshape((1, m, d)))
    of_keys = of_keys * (scale * LN2)
    ct.store(dk, (head, row, 0), of_keys.astype(dk.dtype).reshape((1, n, d)))
    ct.store(dv, (head, row, 0), of_values.astype(dv.dtype).reshape((1, n, d)))


@ct.kernel
def backward_delta(out, do, delta, m: Const, d: Const):
    """`delta` of each query, which kernels for gradients need."""
    row, head = ct.bid(0), ct.bid(1)
    result = ct.load(out, (head, row, 0), (1, m, d)).astype(ct.float32)
    slope = ct.load(do, (head, row, 0), (1, m, d)).astype(ct.float32)
    ct.store(delta, (head, row), ct.sum(result * slope, axis=2))


@ct.kernel
def backward_queries(sums, dq, scale: ct.Constant[float], m: Const, d: Const):
    """The gradients of queries, of the sums of `attention_backward`."""
    row, head = ct.bid(0), ct.bid(1)
    total = ct.load(sums, (head, row, 0), (1, m, d)) * (scale * LN2)
    ct.store(dq, (head, row, 0), total.astype(dq.dtype))


@ct.kernel
def attention_flat(q, k, v, out, scale: ct.Constant[float], m: Const, n: Const, d: Const):
    """Heads below each other in matrices; tiles of keys are transposed after they were loaded."""
    row, head = ct.bid(0), ct.bid(1)
    first = head * ct.num_blocks(0)
    steps = ct.num_blocks(0) * m // n
    query = ct.load(q, (first + row, 0), (m, d))
    state = initial_state(m, d)
    for step in range(steps):
        key = ct.load(k, (head * steps + step, 0), (n, d))
        scores = ct.mma(query, ct.transpose(key), ct.zeros((m, n), ct.float32))
        value = ct.load(v, (head * steps + step, 0), (n, d))
        state = attend(state, scores, value, scale)
    _, weights, total = state
    ct.store(out, (first + row, 0), (total / weights).astype(out.dtype))


@ct.kernel
def attention_f8(
    q,
    k,
    v,
    out,
    scale: ct.Constant[float],
    value_scale: ct.Constant[float],
    m: Const,
    n: Const,
    d: Const,
):
    """
    Of 8-bit floats: products of queries and keys are scaled by the first factor, values, which are
    stored transposed, by the second. The largest weight of a query is 2^8 instead of 1, so that
    those down to 2^-14 of it keep all bits of their type. What a block of keys adds is a product of
    its own, so sums over many of them are in f32.
    """
    row, head = ct.bid(0), ct.bid(1)
    query = ct.load(q, (head, row, 0), (1, m, d)).reshape((m, d))
    largest, weights, total = initial_state(m, d)
    for step in range(ct.num_tiles(k, 1, (1, n, d))):
        key = ct.load(k, (head, 0, step), (1, d, n), order=(0, 2, 1)).reshape((d, n))
        scores = ct.mma(query, key, ct.zeros((m, n), ct.float32))
        new = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True) * scale - 8.0)
        weight = ct.exp2(scores * scale - new, flush_to_zero=True)
        fade = ct.exp2(largest - new, flush_to_zero=True)
        weights = weights * fade + ct.sum(weight, axis=1, keepdims=True)
        value = ct.load(v, (head, step, 0), (1, n, d), order=(0, 2, 1)).reshape((n, d))
        added = ct.mma(weight.astype(v.dtype), value, ct.zeros((m, d), ct.float32))
        total = total * fade + added
        largest = new
    total = total * (value_scale / weights)
    ct.store(out, (head, row, 0), total.astype(out.dtype).reshape((1, m, d)))


def array(
    dtype: ct.DType, ndim: int, *, shape_divisor: int = 16, stride_divisor: int = 16
) -> ArrayConstraint:
    """A row-major array at an address that is a multiple of 16; of a size that is one, too."""
    return ArrayConstraint(
        dtype,
        ndim,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(*[None] * (ndim - 1), 1),
        stride_divisible_by=(*[stride_divisor] * (ndim - 1), 1),
        shape_divisible_by=shape_divisor,
        base_addr_divisible_by=16,
    )


HALF, BRAIN, FLOAT, INT = ct.float16, ct.bfloat16, ct.float32, ct.int32
EIGHT = ct.float8_e4m3fn

PARTIAL = array(HALF, 2, shape_divisor=1, stride_divisor=8)
"""A matrix of any size, but rows are multiples of 16 bytes: what cuTile knows of 1000x1992."""

UNALIGNED = {
    2 * elements: array(HALF, 2, shape_divisor=1, stride_divisor=elements) for elements in (1, 2)
}
"""Matrices whose rows are multiples of so many bytes only: what cuTile knows of 4096x4094."""

UNEVEN = array(HALF, 3, shape_divisor=1)
"""Heads of any number of rows."""

ANY_NUMBERS = array(INT, 1, shape_divisor=1)

SMALL, LARGE = [128, 128, 64], [128, 256, 64]


def scaled(element: ct.DType, scale: ct.DType) -> list[ArrayConstraint]:
    """The arrays of a block-scaled product: operands, each followed by its scales, and result."""
    return [array(element, 2), array(scale, 2)] * 2 + [array(HALF, 2)]


def attention_sizes(d: int) -> list[int | float]:
    """The scale turns exp2 into exp."""
    return [math.log2(math.e) / math.sqrt(d), 128, 128, d]


KERNELS = {
    "vector_add": (vector_add, [array(FLOAT, 1)] * 3, [1024]),
    "softmax": (softmax, [array(HALF, 2)] * 2, [4096]),
    "layer_norm": (
        layer_norm,
        [array(HALF, 2), array(HALF, 1), array(HALF, 1), array(HALF, 2)],
        [4096],
    ),
    "rms_norm": (rms_norm, [array(HALF, 2), array(HALF, 1), array(HALF, 2)], [4, 4096]),
    "silu_and_mul": (silu_and_mul, [array(HALF, 2)] * 2, [8192]),
    "transpose": (transpose, [array(FLOAT, 2)] * 2, [64]),
    "cumsum": (cumsum, [array(FLOAT, 2)] * 2, [4096]),
    "row_gather": (row_gather, [array(HALF, 2), array(INT, 1), array(HALF, 2)], [4096]),
    "histogram": (histogram, [array(INT, 1)] * 2, [1024]),
    "matmul_128x128x64": (matmul, [array(HALF, 2)] * 3, [128, 128, 64]),
    "matmul_128x256x64": (matmul, [array(HALF, 2)] * 3, [128, 256, 64]),
    "matmul_256x256x64": (matmul, [array(HALF, 2)] * 3, [256, 256, 64]),
    "matmul_128x128x32": (matmul, [array(HALF, 2)] * 3, [128, 128, 32]),
    "matmul_128x256x32": (matmul, [array(HALF, 2)] * 3, [128, 256, 32]),
    "matmul_bf16_128x128x64": (matmul, [array(BRAIN, 2)] * 3, SMALL),
    "matmul_bf16_128x256x64": (matmul, [array(BRAIN, 2)] * 3, LARGE),
    "matmul_partial_128x128x64": (matmul, [PARTIAL] * 3, SMALL),
    "matmul_partial_128x256x64": (matmul, [PARTIAL] * 3, LARGE),
    **{
        f"matmul_unaligned{size}_{'x'.join(map(str, tile))}": (matmul, [rows] * 3, tile)
        for size, rows in UNALIGNED.items()
        for tile in (SMALL, LARGE)
    },
    "matmul_f8_128x128x128": (
        matmul_right_transposed,
        [array(EIGHT, 2), array(EIGHT, 2), array(HALF, 2)],
        [128, 128, 128],
    ),
    "matmul_f8_128x256x128": (
        matmul_right_transposed,
        [array(EIGHT, 2), array(EIGHT, 2), array(HALF, 2)],
        [128, 256, 128],
    ),
    "matmul_f8_block_128x128x128": (
        matmul_f8_block,
        [*[array(EIGHT, 2), array(FLOAT, 2)] * 2, array(HALF, 2)],
        [128, 128, 128],
    ),
    **{
        f"matmul_{what}_{m}x{n}x{k}": (kernel, arrays, [m, n, k, *block])
        for what, kernel, arrays, k, block in (
            ("tf32", matmul_tf32, [array(FLOAT, 2)] * 3, 32, []),
            ("i8", matmul_i8, [array(ct.int8, 2), array(ct.int8, 2), array(INT, 2)], 128, []),
            ("mxf8", matmul_mxf8, scaled(EIGHT, ct.float8_e8m0fnu), 128, [32]),
            ("mxf4", matmul_f4, scaled(ct.uint8, ct.float8_e8m0fnu), 256, [32]),
            ("nvf4", matmul_f4, scaled(ct.uint8, EIGHT), 256, [16]),
        )
        for m, n in ((128, 128), (128, 256), (256, 256))
        if m == 128 or block
    },
    "matmul_f8_right_128x128x128": (
        matmul,
        [array(EIGHT, 2), array(EIGHT, 2), array(HALF, 2)],
        [128, 128, 128],
    ),
    "matmul_f8_right_128x256x128": (
        matmul,
        [array(EIGHT, 2), array(EIGHT, 2), array(HALF, 2)],
        [128, 256, 128],
    ),
    "matmul_tf32_right_128x128x32": (matmul_tf32_right, [array(FLOAT, 2)] * 3, [128, 128, 32]),
    "matmul_tf32_right_128x256x32": (matmul_tf32_right, [array(FLOAT, 2)] * 3, [128, 256, 32]),
    **{
        f"matmul_{what}_{m}x{n}x{k}": (
            kernel,
            [array(half, 2), array(packed, 2), array(half, 2), array(half, 2)],
            [m, n, k, 128],
        )
        for m, n, k in (SMALL, LARGE)
        for what, kernel, half, packed in (
            ("w8", matmul_w8, HALF, ct.int8),
            ("w8_bf16", matmul_w8, BRAIN, ct.int8),
            ("w4", matmul_w4, HALF, ct.uint8),
            ("w4_bf16", matmul_w4, BRAIN, ct.uint8),
            ("w4_halves", matmul_w4_halves, HALF, ct.uint8),
            ("w4_columns", matmul_w4_columns, HALF, ct.uint8),
            ("w4_words", matmul_w4_words, HALF, INT),
        )
        if n == SMALL[1] or what in ("w8", "w4")
    },
    "matmul_left_transposed": (matmul_left_transposed, [array(HALF, 2)] * 3, LARGE),
    "matmul_right_transposed": (matmul_right_transposed, [array(HALF, 2)] * 3, LARGE),
    "matmul_tile_transposed": (matmul_tile_transposed, [array(HALF, 2)] * 3, LARGE),
    "matmul_break": (matmul_break, [array(HALF, 2)] * 3, LARGE),
    "matmul_hinted": (matmul_hinted, [array(HALF, 2)] * 3, LARGE),
    "matmul_persistent": (matmul_persistent, [array(HALF, 2)] * 3, LARGE),
    "matmul_residual": (matmul_residual, [array(HALF, 2)] * 4, LARGE),
    **{
        f"matmul_{what}_{'x'.join(map(str, sizes))}": (kernel, arrays, sizes)
        for sizes in (SMALL, LARGE)
        for what, kernel, arrays in (
            ("gelu", matmul_gelu, [array(HALF, 2), array(HALF, 2), array(HALF, 1), array(HALF, 2)]),
            ("split", matmul_split, [array(HALF, 2), array(HALF, 2), array(FLOAT, 2)]),
            ("split_tiled", matmul_split_tiled, [array(HALF, 2), array(HALF, 2), array(FLOAT, 2)]),
            ("batched", matmul_batched, [array(HALF, 3)] * 3),
            (
                "grouped",
                matmul_grouped,
                [array(HALF, 2), array(HALF, 3), array(INT, 1), ANY_NUMBERS, array(HALF, 2)],
            ),
        )
    },
    "matmul_batched_rank3": (matmul_batched_rank3, [array(HALF, 3)] * 3, LARGE),
    **{
        f"{name}_d{d}": (kernel, [array(HALF, 3)] * 4, attention_sizes(d))
        for name, kernel in (
            ("attention", attention),
            ("attention_causal", attention_causal),
            ("attention_causal_single", attention_causal_single),
        )
        for d in (128, 64)
    },
    **{
        f"{name}_256x64_d64": (kernel, [array(HALF, 3)] * 4, [attention_sizes(64)[0], 256, 64, 64])
        for name, kernel in (
            ("attention", attention),
            ("attention_causal", attention_causal),
            ("attention_causal_single", attention_causal_single),
        )
    },
    "attention_varlen_d128": (
        attention_varlen,
        [UNEVEN] * 3 + [ANY_NUMBERS, UNEVEN],
        attention_sizes(128),
    ),
    "attention_dq_d128": (
        attention_dq,
        [*[array(HALF, 3)] * 4, *[array(FLOAT, 2)] * 2, array(HALF, 3)],
        [*attention_sizes(128)[:1], 128, 64, 128],
    ),
    "attention_dkdv_d128": (
        attention_dkdv,
        [*[array(HALF, 3)] * 4, *[array(FLOAT, 2)] * 2, array(HALF, 4)],
        [*attention_sizes(128)[:1], 64, 128, 128],
    ),
    "attention_backward_d128": (
        attention_backward,
        [*[array(HALF, 3)] * 4, *[array(FLOAT, 2)] * 2, *[array(HALF, 3)] * 2, array(FLOAT, 3)],
        [*attention_sizes(128)[:1], 64, 128, 128],
    ),
    "backward_delta_d128": (
        backward_delta,
        [*[array(HALF, 3)] * 2, array(FLOAT, 2)],
        [32, 128],
    ),
    "backward_queries_d128": (
        backward_queries,
        [array(FLOAT, 3), array(HALF, 3)],
        [*attention_sizes(128)[:1], 32, 128],
    ),
    "attention_f8_d128": (
        attention_f8,
        [*[array(EIGHT, 3)] * 3, array(HALF, 3)],
        [attention_sizes(128)[0] / 4, 0.5, 128, 128, 128],
    ),
    "attention_flat_d128": (attention_flat, [array(HALF, 2)] * 4, attention_sizes(128)),
}
"""By name: the kernel, its arrays, and the sizes of its tiles."""


def export(name: str, folder: Path) -> None:
    """Writes bytecode without places in the source, which name folders of this machine."""
    kernel, arrays, sizes = KERNELS[name]
    signature = KernelSignature((*arrays, *sizes), CallingConvention.cutile_python_v2(), name)
    map_of_places = _ir2bytecode.DebugAttrMap

    def without_places(table, symbol, anonymize):
        return map_of_places(table, symbol, anonymize=True)

    with mock.patch.object(_ir2bytecode, "DebugAttrMap", without_places):
        export_kernel(
            kernel,
            [signature],
            folder / f"{name}.tileirbc",
            output_format="tileir_bytecode",
            bytecode_version="13.3",
        )


def main() -> None:
    for name in sys.argv[1:] or KERNELS:
        export(name, Path(__file__).with_name("bytecode"))


if __name__ == "__main__":
    main()
