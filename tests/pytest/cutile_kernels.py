# pyright: basic
"""Kernels of cuTile that tests hand over as functions; importing them needs cuda-tile."""

import cuda.tile as ct


def double(x):
    return x + x


@ct.kernel
def scale_and_add(a, b, out, factor, tile: ct.Constant[int]):
    block = ct.bid(0)
    x = double(ct.load(a, block, (tile,)))
    ct.store(out, block, x * factor + ct.load(b, block, (tile,)))


@ct.kernel
def transpose(x, out, tile: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, (j, i), ct.transpose(ct.load(x, (i, j), (tile, tile))))


@ct.kernel
def shift(out, numbers: tuple[int, ct.Constant[int]]):
    block = ct.bid(0)
    ct.store(out, block, ct.load(out, block, (numbers[1],)) + numbers[0])


@ct.kernel
def read_again(a, b, tile: ct.Constant[int]):
    """What is read behind a store: the same as before, if the arrays have nothing in common."""
    row, column = ct.bid(0), ct.bid(1)
    first = ct.load(a, (row, column), (tile, tile))
    ct.store(b, (row, column), first)
    second = ct.load(a, (row, column), (tile, tile))
    ct.store(b, (row, column), first + second)


@ct.kernel
def add_all(arrays, out, tile: ct.Constant[int]):
    total = ct.zeros((tile,), ct.float32)
    for index in range(len(arrays)):
        total += ct.load(arrays[index], (0,), (tile,))
    ct.store(out, (0,), total)


@ct.kernel
def fill_all(outs, tile: ct.Constant[int]):
    for index in range(len(outs)):
        ct.store(outs[index], (0,), ct.ones((tile,), ct.float32))


@ct.kernel
def matmul(a, b, c, tile: ct.Constant[int], depth: ct.Constant[int]):
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((tile, tile), ct.float32)
    for step in range(ct.num_tiles(a, 1, (tile, depth))):
        x = ct.load(a, (row, step), (tile, depth))
        total = ct.mma(x, ct.load(b, (step, column), (depth, tile)), total)
    ct.store(c, (row, column), total.astype(c.dtype))


@ct.kernel
def multiply(a, b, out, factor, tile: ct.Constant[int]):
    block = ct.bid(0)
    ct.store(out, block, ct.load(a, block, (tile,)) * ct.load(b, block, (tile,)) * factor)


@ct.kernel
def tiled_product(a, b, c, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (i, step), (m, k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (step, j), (k, n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (i, j), total.astype(c.dtype))
