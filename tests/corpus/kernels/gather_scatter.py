"""Gathers, scatters and raw memory access."""

import cuda.tile as ct

from .registry import Const, array, corpus, scalar, strided


@corpus(array(ct.int8), array(ct.int32), array(ct.int8), 128)
def gather_1d(table, indices, out, tile: Const):
    """Look up by index; indices outside of the table give zero."""
    i = ct.load(indices, ct.bid(0), tile)
    ct.store(out, ct.bid(0), ct.gather(table, i))


@corpus(array(ct.float32, 2), array(ct.int64), array(ct.float32, 2), 16, 64)
def embedding_lookup(table, tokens, out, rows: Const, columns: Const):
    """Rows of a table by 64-bit tokens, padded with a value of their own."""
    token = ct.load(tokens, ct.bid(0), rows)
    lane = ct.bid(1) * columns + ct.arange(columns, dtype=ct.int32)
    found = ct.gather(
        table, (ct.expand_dims(token, 1), ct.expand_dims(lane, 0)), padding_value=-1.0, latency=3
    )
    ct.store(out, (ct.bid(0), ct.bid(1)), found)


@corpus(array(ct.float32), array(ct.int32), array(ct.bool_), array(ct.float32), 64)
def masked_gather_scatter(x, indices, mask, out, tile: Const):
    """A user mask on both sides, bounds checks only on one of them."""
    i = ct.load(indices, ct.bid(0), tile)
    m = ct.load(mask, ct.bid(0), tile)
    t = ct.gather(x, i, mask=m, padding_value=float("nan"), check_bounds=False)
    ct.scatter(out, i, t * 2.0, mask=m & (t == t))


@corpus(array(ct.float32), array(ct.float32), scalar(ct.int32), 256)
def unchecked_shift(x, out, distance, tile: Const):
    """Copy with an offset, without any mask."""
    i = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    ct.scatter(
        out, i, ct.gather(x, i + distance, check_bounds=False), check_bounds=False, latency=8
    )


@corpus(strided(ct.float32, 2), strided(ct.float32, 2), 32)
def transpose_by_scatter(x, out, tile: Const):
    """Both arrays have arbitrary strides."""
    i = ct.bid(0) * tile + ct.expand_dims(ct.arange(tile, dtype=ct.int32), 1)
    j = ct.bid(1) * tile + ct.expand_dims(ct.arange(tile, dtype=ct.int32), 0)
    ct.scatter(out, (j, i), ct.gather(x, (i, j)))


@corpus(array(ct.float32, 3), array(ct.float32), scalar(ct.int32), scalar(ct.int32))
def scalar_access(volume, out, i, j):
    """Single elements of a volume through scalar indices."""
    total = ct.gather(volume, (i, j, 0)) + ct.gather(volume, (0, i, j))
    ct.scatter(out, ct.bid(0), total)


@corpus(
    array(ct.int32), array(ct.int32), array(ct.float32), array(ct.float32), array(ct.float32), 32
)
def csr_row_product(row_start, column, value, x, y, tile: Const):
    """One row of a sparse matrix per block, a dynamic number of tiles per row."""
    row = ct.bid(0)
    first = ct.gather(row_start, row)
    last = ct.gather(row_start, row + 1)
    total = ct.zeros((tile,), ct.float32)
    for base in range(first, last, tile):
        position = base + ct.arange(tile, dtype=ct.int32)
        inside = position < last
        j = ct.gather(column, position, mask=inside)
        a = ct.gather(value, position, mask=inside)
        total += a * ct.gather(x, j, mask=inside)
    ct.scatter(y, row, ct.sum(total))


@corpus(array(ct.float32, 2), array(ct.int32), array(ct.float32, 2), 16, 64, since="13.3")
def row_gather_view(table, rows, out, count: Const, columns: Const):
    """Rows picked by a tile of indices, columns as a dense slice."""
    index = ct.load(rows, ct.bid(0), count)
    picked = ct.load_advanced_indexing(
        table,
        (index, ct.Slice(ct.bid(1) * columns, columns)),
        padding_mode=ct.PaddingMode.ZERO,
        latency=5,
    )
    ct.store(out, (ct.bid(0), ct.bid(1)), picked)


@corpus(array(ct.bfloat16, 3), array(ct.int32), array(ct.bfloat16, 3), since="13.3")
def middle_scatter_view(x, positions, out):
    """Slices written to picked positions of the middle axis."""
    where = ct.load(positions, 0, 8)
    t = ct.load(x, (ct.bid(0), 0, 0), (4, 8, 32))
    ct.store_advanced_indexing(
        out, (ct.Slice(ct.bid(0) * 4, 4), where, ct.Slice(0, 32)), t * 2, allow_tma=False
    )


@corpus(array(ct.float32, 2), array(ct.uint32), array(ct.float32, 2), since="13.3")
def column_gather_view(x, columns, out):
    """Picked columns, padded with NaN beyond the end."""
    index = ct.load(columns, 0, 16)
    picked = ct.load_advanced_indexing(
        x, (ct.Slice(ct.bid(0) * 8, 8), index), padding_mode=ct.PaddingMode.NAN
    )
    ct.store(out, (ct.bid(0), 0), picked)


@corpus(array(ct.float32, 2), array(ct.float32, 2), scalar(ct.int64), 64)
def raw_offsets(x, out, pitch, tile: Const):
    """Addresses computed by hand with 64-bit offsets."""
    source = x.get_raw_memory()
    target = out.get_raw_memory()
    row = ct.astype(ct.bid(0), ct.int64) * pitch
    offset = row + ct.arange(tile, dtype=ct.int64)
    t = source.load_offset(offset, mask=offset < row + pitch, padding_value=1.0, latency=2)
    target.store_offset(offset, ct.sqrt(t), mask=offset < row + pitch)
    target.store_offset(row, source.load_offset(row))
