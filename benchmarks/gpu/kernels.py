# pyright: basic
"""
The kernels whose speed is measured, written in cuTile. Their bytecode lies in `bytecode/`, so that
only writing it anew needs the front end:

    python benchmarks/gpu/kernels.py
"""

from __future__ import annotations

from pathlib import Path

import cuda.tile as ct
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    KernelSignature,
    export_kernel,
)

Const = ct.Constant[int]


@ct.kernel
def vector_add(a, b, c, tile: Const):
    block = ct.bid(0)
    ct.store(c, block, ct.load(a, block, (tile,)) + ct.load(b, block, (tile,)))


@ct.kernel
def softmax(x, out, columns: Const):
    """A row for each block."""
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
def transpose(x, out, tile: Const):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, (j, i), ct.transpose(ct.load(x, (i, j), (tile, tile))))


@ct.kernel
def cumsum(x, out, columns: Const):
    row = ct.bid(0)
    ct.store(out, (row, 0), ct.cumsum(ct.load(x, (row, 0), (1, columns)), axis=1))


@ct.kernel
def row_gather(x, index, out, columns: Const):
    """Copies a row for each block, which another array names."""
    row = ct.bid(0)
    source = ct.gather(index, row)
    ct.store(out, (row, 0), ct.load(x, (source, 0), (1, columns)))


@ct.kernel
def histogram(x, counts, tile: Const):
    value = ct.load(x, ct.bid(0), (tile,))
    ct.atomic_add(counts, value, 1, memory_order=ct.MemoryOrder.RELAXED)


@ct.kernel
def matmul(a, b, c, m: Const, n: Const, k: Const):
    """Blocks in groups of 8 rows of tiles, which share columns in the cache."""
    rows = ct.cdiv(a.shape[0], m)
    columns = ct.cdiv(b.shape[1], n)
    block = ct.bid(0)
    group = 8 * columns
    first = block // group * 8
    height = min(rows - first, 8)
    row = first + block % group % height
    column = block % group // height
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (step, column), (k, n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total.astype(c.dtype))


def array(dtype: ct.DType, ndim: int) -> ArrayConstraint:
    """A row-major array of a size and at an address that are multiples of 16."""
    return ArrayConstraint(
        dtype,
        ndim,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(*[None] * (ndim - 1), 1),
        stride_divisible_by=(*[16] * (ndim - 1), 1),
        shape_divisible_by=16,
        base_addr_divisible_by=16,
    )


HALF, FLOAT, INT = ct.float16, ct.float32, ct.int32

KERNELS = {
    "vector_add": (vector_add, [array(FLOAT, 1)] * 3, [1024]),
    "softmax": (softmax, [array(HALF, 2)] * 2, [4096]),
    "layer_norm": (
        layer_norm,
        [array(HALF, 2), array(HALF, 1), array(HALF, 1), array(HALF, 2)],
        [4096],
    ),
    "transpose": (transpose, [array(FLOAT, 2)] * 2, [64]),
    "cumsum": (cumsum, [array(FLOAT, 2)] * 2, [4096]),
    "row_gather": (row_gather, [array(HALF, 2), array(INT, 1), array(HALF, 2)], [4096]),
    "histogram": (histogram, [array(INT, 1)] * 2, [1024]),
    "matmul_128x128x64": (matmul, [array(HALF, 2)] * 3, [128, 128, 64]),
    "matmul_128x256x64": (matmul, [array(HALF, 2)] * 3, [128, 256, 64]),
    "matmul_128x128x32": (matmul, [array(HALF, 2)] * 3, [128, 128, 32]),
}
"""By name: the kernel, its arrays, and the sizes of its tiles."""


def main() -> None:
    folder = Path(__file__).with_name("bytecode")
    for name, (kernel, arrays, sizes) in KERNELS.items():
        signature = KernelSignature((*arrays, *sizes), CallingConvention.cutile_python_v2(), name)
        export_kernel(
            kernel,
            [signature],
            folder / f"{name}.tileirbc",
            output_format="tileir_bytecode",
            bytecode_version="13.3",
        )


if __name__ == "__main__":
    main()
