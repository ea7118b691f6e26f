"""Prefix scans."""

import cuda.tile as ct
from cuda.tile import RoundingMode as Round

from .registry import Const, array, corpus, corpus_for, scalar


@corpus_for((ct.float64, ct.int32), lambda t: (array(t, 2), array(t, 2), array(t, 2), 8, 64))
def running_sum_and_product(x, sums, products, rows: Const, columns: Const):
    """Inclusive sums along rows and products along columns."""
    index = (ct.bid(0), 0)
    t = ct.load(x, index, (rows, columns))
    ct.store(sums, index, ct.cumsum(t, axis=1))
    ct.store(products, index, ct.cumprod(t, axis=0))


@corpus(array(ct.float32, 2), array(ct.float32, 2), array(ct.float32, 2), 8, 32)
def reverse_scans(x, sums, products, rows: Const, columns: Const):
    """Scans from the end, with a rounding mode and flushing."""
    index = (ct.bid(0), 0)
    t = ct.load(x, index, (rows, columns))
    ct.store(sums, index, ct.cumsum(t, axis=1, reverse=True, rounding_mode=Round.RZ))
    ct.store(products, index, ct.cumprod(t, axis=-2, reverse=True, flush_to_zero=True))


@corpus(array(ct.int32), array(ct.int32), 128)
def running_maximum(x, out, tile: Const):
    """A custom body on one operand."""
    t = ct.load(x, ct.bid(0), tile)
    ct.store(out, ct.bid(0), ct.scan(t, 0, lambda a, b: max(a, b), -2147483648))


@corpus(array(ct.float32, 2), array(ct.float32, 2), array(ct.float32, 2), 4, 128)
def linear_recurrence(decay, drive, state, rows: Const, columns: Const):
    """Solve `h[t] = a[t] * h[t - 1] + b[t]` by a scan over pairs."""

    def compose(a1, b1, a2, b2):
        return a1 * a2, a2 * b1 + b2

    index = (ct.bid(0), 0)
    a = ct.load(decay, index, (rows, columns))
    b = ct.load(drive, index, (rows, columns))
    _, h = ct.scan((a, b), 1, compose, (1.0, 0.0))
    ct.store(state, index, h)


@corpus(array(ct.float32), array(ct.bool_), array(ct.float32), 128)
def segmented_sum(x, starts, out, tile: Const):
    """Sums that restart where a flag is set: a float and an i1 operand."""

    def step(value_a, flag_a, value_b, flag_b):
        return ct.where(flag_b, value_b, value_a + value_b), flag_a | flag_b

    values = ct.load(x, ct.bid(0), tile)
    flags = ct.load(starts, ct.bid(0), tile)
    sums, _ = ct.scan((values, flags), 0, step, (0.0, False))
    ct.store(out, ct.bid(0), sums)


@corpus(array(ct.int32), array(ct.int32), array(ct.int32), scalar(ct.int32), 256)
def stream_compaction(x, out, count, threshold, tile: Const):
    """Keep the elements above a threshold: exclusive scan, then a masked scatter."""
    t = ct.load(x, ct.bid(0), tile)
    keep = t > threshold
    ones = keep.astype(ct.int32)
    position = ct.cumsum(ones) - ones
    base = ct.atomic_add(count, 0, ct.sum(ones))
    ct.scatter(out, base + position, t, mask=keep)


@corpus(array(ct.float32), array(ct.float32), 256)
def long_prefix_sum(x, out, tile: Const):
    """A scan of a whole vector by one block, carrying the total from tile to tile."""
    carry = ct.float32(0)
    for i in range(ct.num_tiles(x, 0, (tile,))):
        t = ct.load(x, i, tile, padding_mode=ct.PaddingMode.ZERO)
        ct.store(out, i, ct.cumsum(t) + carry)
        carry += ct.sum(t)
