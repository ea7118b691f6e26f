"""Matrix products of every element type."""

import cuda.tile as ct

from .registry import Const, array, corpus, scalar

ZERO = ct.PaddingMode.ZERO


def plain(a, b, c, m: Const, n: Const, k: Const):
    """A product of two row-major matrices, accumulated in the type named by `c`."""
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), c.dtype)
    for i in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, i), (m, k), padding_mode=ZERO)
        y = ct.load(b, (i, column), (k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total)


for lhs, rhs, result, tag in (
    (ct.float16, ct.float16, ct.float32, "f16_f32"),
    (ct.float16, ct.float16, ct.float16, "f16_f16"),
    (ct.bfloat16, ct.bfloat16, ct.float32, "bf16_f32"),
    (ct.float32, ct.float32, ct.float32, "f32_f32"),
    (ct.float64, ct.float64, ct.float64, "f64_f64"),
    (ct.float8_e4m3fn, ct.float8_e4m3fn, ct.float32, "e4m3_f32"),
    (ct.float8_e5m2, ct.float8_e5m2, ct.float16, "e5m2_f16"),
    (ct.int8, ct.int8, ct.int32, "i8_i8"),
    (ct.uint8, ct.int8, ct.int32, "u8_i8"),
    (ct.int8, ct.uint8, ct.int32, "i8_u8"),
    (ct.uint8, ct.uint8, ct.int32, "u8_u8"),
):
    corpus(array(lhs, 2), array(rhs, 2), array(result, 2), 64, 64, 32, name=f"matmul_{tag}")(plain)


@corpus(array(ct.float32, 2), array(ct.float32, 2), array(ct.float32, 2), 64, 128, 32)
def matmul_tf32(a, b, c, m: Const, n: Const, k: Const):
    """f32 operands rounded to tf32 before they meet."""
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for i in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, i), (m, k), padding_mode=ZERO).astype(ct.tfloat32)
        y = ct.load(b, (i, column), (k, n), padding_mode=ZERO).astype(ct.tfloat32)
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total)


@corpus(
    array(ct.float8_e4m3fn, 2),
    array(ct.float8_e4m3fn, 2),
    array(ct.bfloat16, 2),
    scalar(ct.float32),
    128,
    128,
    64,
    since="13.3",
)
def matmul_fast_accumulation(a, b, c, scale, m: Const, n: Const, k: Const):
    """fp8 with the imprecise accumulator, promoted to f32 every four steps."""
    row, column = ct.bid(0), ct.bid(1)
    steps = ct.num_tiles(a, 1, (m, k))
    total = ct.zeros((m, n), ct.float32)
    for outer in range(0, steps, 4):
        partial = ct.zeros((m, n), ct.float32)
        for i in range(outer, min(outer + 4, steps)):
            x = ct.load(a, (row, i), (m, k), padding_mode=ZERO)
            y = ct.load(b, (i, column), (k, n), padding_mode=ZERO)
            partial = ct.mma(x, y, partial, use_fast_acc=True)
        total += partial
    ct.store(c, (row, column), (total * scale).astype(ct.bfloat16))


@corpus(array(ct.float16, 3), array(ct.float16, 3), array(ct.float16, 3), 64, 64, 64)
def batched_matmul(a, b, c, m: Const, n: Const, k: Const):
    """One batch entry per block in the third grid dimension, rank-3 products."""
    row, column, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    total = ct.zeros((1, m, n), ct.float32)
    for i in range(ct.num_tiles(a, 2, (1, m, k))):
        x = ct.load(a, (batch, row, i), (1, m, k), padding_mode=ZERO)
        y = ct.load(b, (batch, i, column), (1, k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (batch, row, column), total.astype(ct.float16))


@corpus(array(ct.bfloat16, 3), array(ct.bfloat16, 2), array(ct.float32, 3))
def broadcast_batch(a, b, c):
    """A batch of matrices times one shared matrix."""
    x = ct.load(a, (ct.bid(0), 0, 0), (4, 16, 32))
    y = ct.load(b, (0, 0), (32, 16))
    ct.store(c, (ct.bid(0), 0, 0), ct.mma(x, y, ct.zeros((4, 16, 16), ct.float32)))


@corpus(
    array(ct.float16, 2),
    array(ct.float16, 2),
    array(ct.float16),
    array(ct.float16, 2),
    128,
    128,
    64,
    num_ctas=2,
    occupancy=1,
)
def matmul_bias_relu(a, b, bias, c, m: Const, n: Const, k: Const):
    """B is stored transposed; bias and ReLU are applied before the result is rounded."""
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for i in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, i), (m, k), padding_mode=ZERO, latency=4)
        y = ct.load(b, (i, column), (k, n), order=(1, 0), padding_mode=ZERO, latency=4)
        total = ct.mma(x, y, total)
    total += ct.load(bias, column, n).astype(ct.float32)
    ct.store(c, (row, column), ct.maximum(total, 0.0).astype(ct.float16), allow_tma=False)


@corpus(
    array(ct.bfloat16, 2),
    array(ct.bfloat16, 2),
    array(ct.bfloat16, 2),
    scalar(ct.int32),
    128,
    256,
    64,
    8,
    num_ctas=ct.ByTarget(sm_100=2, sm_90=1, default=1),
)
def persistent_matmul(a, b, c, tiles, m: Const, n: Const, k: Const, group: Const):
    """A persistent kernel that walks tiles in groups of rows for reuse in the cache."""
    rows = ct.cdiv(a.shape[0], m)
    columns = ct.cdiv(b.shape[1], n)
    steps = ct.cdiv(a.shape[1], k)
    for tile in range(ct.bid(0), tiles, ct.num_blocks(0)):
        band = tile // (group * columns)
        first = band * group
        height = min(rows - first, group)
        inside = tile % (group * columns)
        row = first + inside % height
        column = inside // height
        total = ct.zeros((m, n), ct.float32)
        for i in range(steps):
            x = ct.load(a, (row, i), (m, k), padding_mode=ZERO)
            y = ct.load(b, (i, column), (k, n), padding_mode=ZERO)
            total = ct.mma(x, y, total)
        ct.store(c, (row, column), total.astype(ct.bfloat16))


@corpus(array(ct.float16, 2), array(ct.float16, 2), array(ct.float32, 2), 64, 64, 32)
def split_k_matmul(a, b, c, m: Const, n: Const, k: Const):
    """The third grid dimension splits the inner dimension; partial sums meet by atomics."""
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for i in range(ct.bid(2), ct.num_tiles(a, 1, (m, k)), ct.num_blocks(2)):
        x = ct.load(a, (row, i), (m, k), padding_mode=ZERO)
        y = ct.load(b, (i, column), (k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    i = row * m + ct.expand_dims(ct.arange(m, dtype=ct.int32), 1)
    j = column * n + ct.expand_dims(ct.arange(n, dtype=ct.int32), 0)
    ct.atomic_add(c, (i, j), total, memory_order=ct.MemoryOrder.RELAXED)


@corpus(
    array(ct.bfloat16, 2),
    array(ct.bfloat16, 2),
    array(ct.bfloat16, 2),
    array(ct.bfloat16, 2),
    64,
    64,
    64,
)
def dual_matmul_swiglu(x, gate, up, out, m: Const, n: Const, k: Const):
    """Two products share their left operand and are joined by a gated activation."""
    row, column = ct.bid(0), ct.bid(1)
    g = ct.zeros((m, n), ct.float32)
    u = ct.zeros((m, n), ct.float32)
    for i in range(ct.num_tiles(x, 1, (m, k))):
        t = ct.load(x, (row, i), (m, k), padding_mode=ZERO)
        g = ct.mma(t, ct.load(gate, (i, column), (k, n), padding_mode=ZERO), g)
        u = ct.mma(t, ct.load(up, (i, column), (k, n), padding_mode=ZERO), u)
    ct.store(out, (row, column), (g / (1.0 + ct.exp(-g)) * u).astype(ct.bfloat16))


@corpus(
    array(ct.int8, 2),
    array(ct.int8, 2),
    array(ct.float32),
    array(ct.float32),
    array(ct.float16, 2),
    64,
    64,
    64,
)
def dequantized_matmul(a, b, row_scale, column_scale, c, m: Const, n: Const, k: Const):
    """int8 product, scaled per row and per column at the end."""
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.int32)
    for i in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, i), (m, k), padding_mode=ZERO)
        y = ct.load(b, (i, column), (k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    left = ct.expand_dims(ct.load(row_scale, row, m), 1)
    right = ct.expand_dims(ct.load(column_scale, column, n), 0)
    ct.store(c, (row, column), (total.astype(ct.float32) * left * right).astype(ct.float16))


@corpus(array(ct.float16, 2), array(ct.float16), array(ct.float16), array(ct.float16, 2), 32, 64)
def matrix_vector_forms(a, x, y, outer, m: Const, k: Const):
    """The forms of `@`: matrix times vector and matrix times its transpose."""
    t = ct.load(a, (ct.bid(0), 0), (m, k))
    v = ct.load(x, 0, k)
    ct.store(y, ct.bid(0), t @ v)
    ct.store(outer, (ct.bid(0), 0), t @ ct.transpose(t))


@corpus(
    array(ct.float8_e5m2, 2),
    array(ct.float8_e8m0fnu, 2),
    array(ct.float8_e5m2, 2),
    array(ct.float8_e8m0fnu, 2),
    array(ct.float32, 2),
    128,
    4,
    since="13.3",
    gpu_code="sm_100",
)
def matmul_mxfp8(a, a_scale, b, b_scale, c, k: Const, ks: Const):
    """A product of 8-bit floats with a scale for every 32 of them."""
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((128, 128), ct.float32)
    for i in range(ct.num_tiles(a, 1, (128, k))):
        x = ct.load(a, (row, i), (128, k), padding_mode=ZERO)
        xs = ct.load(a_scale, (row, i), (128, ks))
        y = ct.load(b, (i, column), (k, 128), padding_mode=ZERO)
        ys = ct.load(b_scale, (i, column), (ks, 128))
        total = ct.mma_scaled(x, xs, y, ys, total)
    ct.store(c, (row, column), total)


def scaled_fp4(a, a_scale, b, b_scale, c, k: Const, ks: Const):
    """A block-scaled product of 4-bit floats stored two to a byte."""
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((128, 64), ct.float32)
    for i in range(ct.num_tiles(a, 1, (128, k // 2))):
        x = ct.reshape(ct.load(a, (row, i), (128, k // 2)), (64 * k,))
        x = ct.reshape(ct.unpack_from_bytes(x, ct.float4_e2m1fn), (128, k))
        y = ct.reshape(ct.load(b, (column, i), (64, k // 2)), (32 * k,))
        y = ct.transpose(ct.reshape(ct.unpack_from_bytes(y, ct.float4_e2m1fn), (64, k)))
        xs = ct.load(a_scale, (row, i), (128, ks))
        ys = ct.transpose(ct.load(b_scale, (column, i), (64, ks)))
        total = ct.mma_scaled(x, xs, y, ys, total)
    ct.store(c, (row, column), total)


for scale, tag, count, first in (
    (ct.float8_e8m0fnu, "mxfp4", 4, "13.3"),
    (ct.float8_e4m3fn, "nvfp4", 8, "13.3"),
    (ct.float8_e5m3fnu, "e5m3", 8, "13.4"),
):
    corpus(
        array(ct.uint8, 2),
        array(scale, 2),
        array(ct.uint8, 2),
        array(scale, 2),
        array(ct.float32, 2),
        128,
        count,
        name=f"matmul_fp4_{tag}",
        since=first,
        gpu_code="sm_107",
    )(scaled_fp4)
