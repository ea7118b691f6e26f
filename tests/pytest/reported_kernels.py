# pyright: basic
"""
Kernels of cuTile with the patterns of public reports about NVIDIA's compiler, see docs/crashes.md;
each does what its report is about, on other data. Importing them needs cuda-tile.
"""

import cuda.tile as ct


@ct.kernel
def normalize_rows(x):
    """Rows are read and written through the same indices, around a sum."""
    rows = ct.arange(4, dtype=ct.int32) * 2
    where = (rows, ct.Slice(0, 32))
    tile = ct.load_advanced_indexing(x, where)
    total = ct.sum(tile, axis=1)
    ct.store_advanced_indexing(x, where, tile / total[:, None])


@ct.kernel
def scale_columns(x, kept):
    """The same array through raw memory and as tiles, in loops around a reduction."""
    memory = x.get_raw_memory()
    rows = ct.arange(64, dtype=ct.int32)
    for panel in range(2):
        for column in range(2):
            ct.store(kept, (column, 0), memory.load_offset(rows * 32 + column)[None, :])
        tile = ct.load(x, (0, panel), (64, 16))
        largest = ct.max(tile, axis=0)
        ct.store(x, (0, panel), tile / largest[None, :])


def eliminate(a, size: ct.Constant[int]):
    """A column for each pivot, which the columns behind it lose."""
    columns = ct.arange(size, dtype=ct.int32)[None, :]
    for p in range(size):
        pivot = ct.extract(a, (p, p), shape=(1, 1))
        column = ct.extract(a, (0, p), shape=(size, 1))
        row = ct.extract(a, (p, 0), shape=(1, size))
        a = ct.where(columns > p, a - column * row / pivot, a)
    return a


@ct.kernel(occupancy=2)
def factor(a, out, size: ct.Constant[int]):
    """A factorization column by column, for which two CTAs on an SM are asked."""
    tile = ct.load(a, (0, 0), (size, size))
    ct.store(out, (0, 0), eliminate(tile, size))


@ct.kernel
def update_panels(a, out, steps, size: ct.Constant[int]):
    """Products in loops whose length is known at run time, a store between them, a condition."""
    work = ct.load(a, (0, 0), (4 * size, size))
    for step in range(steps):
        left = ct.load(a, (0, step), (4 * size, size)).astype(ct.tfloat32)
        right = ct.load(a, (step, 0), (size, size)).astype(ct.tfloat32)
        work = ct.mma(left, right, work)
    ct.store(out, (0, 0), work)
    other = ct.load(a, (0, 1), (4 * size, size))
    for step in range(steps):
        left = ct.load(a, (0, step), (4 * size, size)).astype(ct.tfloat32)
        right = ct.load(out, (step, 0), (size, size)).astype(ct.tfloat32)
        other = ct.mma(left, right, other)
    if steps > 1:
        ct.store(out, (0, 1), other)


@ct.kernel
def gathered_product(a, b, c, order, tile: ct.Constant[int]):
    """A product of gathered rows in a loop, whose result is scattered to the rows it came from."""
    rows = ct.gather(order, ct.arange(tile, dtype=ct.int32))
    total = ct.zeros((tile, tile), ct.float32)
    k = 0
    while k < ct.num_tiles(b, 0, (tile, tile)):
        columns = k * tile + ct.arange(tile, dtype=ct.int32)
        x = ct.gather(a, (rows[:, None], columns[None, :]))
        total = ct.mma(x, ct.load(b, (k, 0), (tile, tile)), total)
        k += 1
    columns = ct.arange(tile, dtype=ct.int32)
    ct.scatter(c, (rows[:, None], columns[None, :]), total.astype(c.dtype))


@ct.kernel
def scaled_steps(a, a_scale, b, b_scale, out, tile: ct.Constant[int]):
    """Block-scaled products are added up in a loop; a step has eight scales for each row."""
    total = ct.zeros((128, tile), ct.float32)
    for step in range(ct.num_tiles(a, 1, (128, 256))):
        x, y = ct.load(a, (0, step), (128, 256)), ct.load(b, (step, 0), (256, tile))
        xs, ys = ct.load(a_scale, (0, step), (128, 8)), ct.load(b_scale, (step, 0), (8, tile))
        total = ct.mma_scaled(x, xs, y, ys, total)
    ct.store(out, (0, 0), total)


@ct.kernel
def scatter_rows(out, order, tile: ct.Constant[int]):
    """A constant is scattered to rows that are read at run time."""
    rows = ct.gather(order, ct.arange(128, dtype=ct.int32))
    columns = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    ct.scatter(out, (rows[:, None], columns[None, :]), ct.full((128, tile), 1, out.dtype))


@ct.kernel
def store_both(x, w, product, powers, tile: ct.Constant[int]):
    """A product and the powers of its operand are stored over the edge of their arrays."""
    a = ct.load(x, (0, 0), (tile, tile), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(w, (0, 0), (tile, tile), padding_mode=ct.PaddingMode.ZERO)
    ct.store(product, (0, 0), ct.mma(a, b, ct.zeros((tile, tile), ct.float32)))
    ct.store(powers, (0, 0), ct.exp(a.astype(ct.float32)))
