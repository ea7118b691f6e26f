# pyright: basic
"""
The examples, written in cuTile. Their bytecode is next to this file; to write it anew:

    python -m tileiras_xdsl.driver.demos.kernels
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import cuda.tile as ct
from cuda.tile._bytecode.debug_info import DebugAttrTable
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    KernelSignature,
    export_kernel,
)

Const = ct.Constant[int]


@ct.kernel
def vector_add(a, b, c, tile: Const):
    """One tile of the sum of two vectors for each tile block."""
    block = ct.bid(0)
    x = ct.load(a, block, (tile,))
    y = ct.load(b, block, (tile,))
    ct.store(c, block, x + y)


@ct.kernel
def matmul(a, b, c, m: Const, n: Const, k: Const):
    """One tile of a matrix product for each tile block."""
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (row, step), (m, k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (step, column), (k, n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def softmax(x, out, rows: Const, columns: Const):
    """The softmax of some rows for each tile block; a row fits into a tile."""
    block = ct.bid(0)
    t = ct.load(x, (block, 0), (rows, columns), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(out, (block, 0), e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def attention(q, k, v, out, scale: ct.Constant[float], m: Const, n: Const, d: Const):
    """A tile of queries for each tile block, with an online softmax over tiles of keys."""
    row = ct.bid(0)
    query = ct.load(q, (row, 0), (m, d))
    largest = ct.full((m, 1), -math.inf, ct.float32)
    weights = ct.zeros((m, 1), ct.float32)
    total = ct.zeros((m, d), ct.float32)
    for step in range(ct.num_tiles(k, 0, (n, d))):
        key = ct.load(k, (0, step), (d, n), order=(1, 0))
        scores = ct.mma(query, key, ct.zeros((m, n), ct.float32)) * scale
        new = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        shares = ct.exp2(scores - new)
        fade = ct.exp2(largest - new)
        weights = weights * fade + ct.sum(shares, axis=1, keepdims=True)
        value = ct.load(v, (step, 0), (n, d))
        total = ct.mma(shares.astype(v.dtype), value, total * fade)  # pyright: ignore
        largest = new
    ct.store(out, (row, 0), (total / weights).astype(out.dtype))


def array(dtype: ct.DType, ndim: int, divisor: int = 1) -> ArrayConstraint:
    """A row-major array, whose sizes and strides are multiples of `divisor`."""
    return ArrayConstraint(
        dtype,
        ndim,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(*[None] * (ndim - 1), 1),
        stride_divisible_by=(*[divisor] * (ndim - 1), 1),
        shape_divisible_by=divisor,
        base_addr_divisible_by=16,
    )


HALF = array(ct.float16, 2, 16)


KERNELS = {
    "vector_add": (vector_add, [array(ct.float32, 1)] * 3, [65536]),
    "matmul": (
        matmul,
        [array(ct.float16, 2), array(ct.float16, 2), array(ct.float32, 2)],
        [128, 128, 64],
    ),
    "softmax": (softmax, [array(ct.float32, 2)] * 2, [16, 4096]),
    # The same as `matmul`, for arrays whose rows are multiples of 16 bytes: TMA can load them.
    "gemm": (matmul, [HALF, HALF, HALF], [128, 128, 64]),
    # The scale makes exp2 out of exp.
    "attention": (attention, [HALF] * 4, [math.log2(math.e) / math.sqrt(64), 64, 64, 64]),
}
"""The kernels by name, with their parameters: arrays, and constants such as the sizes of tiles."""


@contextmanager
def names_only() -> Iterator[None]:
    """Makes the front end name source files without the folders of this machine."""
    file, loc = DebugAttrTable.file, DebugAttrTable.loc

    def write_file(self, name, directory):
        return file(self, name, "")

    def write_loc(self, scope, filename, line, column):
        return loc(self, scope, Path(filename).name, line, column)

    with (
        mock.patch.object(DebugAttrTable, "file", write_file),
        mock.patch.object(DebugAttrTable, "loc", write_loc),
    ):
        yield


def main() -> None:
    for name, (kernel, arrays, sizes) in KERNELS.items():
        signature = KernelSignature((*arrays, *sizes), CallingConvention.cutile_python_v2(), name)
        with names_only():
            export_kernel(
                kernel,
                [signature],
                Path(__file__).with_name(f"{name}.tileirbc"),
                output_format="tileir_bytecode",
                bytecode_version="13.3",
            )


if __name__ == "__main__":
    main()
