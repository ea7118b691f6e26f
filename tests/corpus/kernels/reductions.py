"""Reductions: built-in and custom, over one or several axes and operands."""

import cuda.tile as ct
from cuda.tile import RoundingMode as Round

from .registry import Const, array, corpus, corpus_for

INF = float("inf")


@corpus_for(
    (ct.bfloat16, ct.float64),
    lambda t: (array(t, 2), array(t), array(t), array(t), array(t), 16, 32),
)
def float_reductions(x, total, product, low, high, rows: Const, columns: Const):
    """Sum, product, minimum and maximum of one float type along both axes."""
    block = ct.bid(0)
    t = ct.load(x, (block, 0), (rows, columns))
    ct.store(total, block, ct.sum(t, axis=1))
    ct.store(product, block, ct.prod(t, axis=0))
    ct.store(low, block, ct.min(t, axis=1))
    ct.store(high, block, ct.max(t, axis=-2))


@corpus_for(
    (ct.int8, ct.uint16),
    lambda t: (array(t, 2), array(t), array(t), array(t), 32, 16),
)
def int_reductions(x, total, low, high, rows: Const, columns: Const):
    """Sum, minimum and maximum of one integer type."""
    block = ct.bid(0)
    t = ct.load(x, (block, 0), (rows, columns))
    ct.store(total, block, ct.sum(t, axis=0))
    ct.store(low, block, ct.min(t, axis=1))
    ct.store(high, block, ct.max(t, axis=1))


@corpus(array(ct.float32, 3), array(ct.float32, 3), array(ct.float32, 2), array(ct.float32))
def axes_of_reduction(x, kept, dropped, scalars):
    """One, two and all axes, with and without keeping them."""
    t = ct.load(x, (ct.bid(0), 0, 0), (4, 8, 16))
    ct.store(kept, (ct.bid(0), 0, 0), ct.sum(t, axis=(0, 2), keepdims=True))
    ct.store(dropped, (ct.bid(0), 0), ct.max(t, axis=1))
    everything = ct.sum(t) + ct.min(t) * ct.prod(t)
    ct.store(scalars, ct.bid(0), everything)


@corpus(array(ct.float32, 2), array(ct.int32), array(ct.int32), array(ct.int32), 8, 64)
def arg_reductions(x, largest, smallest, first_nan, rows: Const, columns: Const):
    """Positions of extrema, per row, per column and over the whole tile."""
    block = ct.bid(0)
    t = ct.load(x, (block, 0), (rows, columns))
    ct.store(largest, block, ct.argmax(t, axis=1))
    ct.store(smallest, block, ct.argmin(t, axis=0))
    ct.store(first_nan, block, ct.argmax(t, axis=1, propagate_nan=True) + ct.argmin(t))


@corpus(array(ct.float32, 2), array(ct.float32), array(ct.float32), 16, 64)
def reduction_modifiers(x, total, extreme, rows: Const, columns: Const):
    """Rounding modes, flushing and NaN propagation inside the body."""
    block = ct.bid(0)
    t = ct.load(x, (block, 0), (rows, columns))
    down = ct.sum(t, axis=1, rounding_mode=Round.RM)
    flushed = ct.prod(t, axis=1, flush_to_zero=True)
    ct.store(total, block, down + flushed)
    strict = ct.max(t, axis=1, propagate_nan=True)
    ct.store(extreme, block, strict - ct.min(t, axis=1, propagate_nan=True, flush_to_zero=True))


@corpus(array(ct.bool_, 2), array(ct.bool_), array(ct.bool_), array(ct.int32), 16, 32)
def any_and_all(mask, any_row, all_row, count, rows: Const, columns: Const):
    """Logic reductions over i1 and a count of set lanes."""
    block = ct.bid(0)
    t = ct.load(mask, (block, 0), (rows, columns))
    ct.store(any_row, block, ct.reduce(t, 1, lambda a, b: a | b, False))
    ct.store(all_row, block, ct.reduce(t, 1, lambda a, b: a & b, True))
    ct.store(count, block, ct.sum(t.astype(ct.int32), axis=1))


@corpus(array(ct.uint32, 2), array(ct.uint32), 8, 128)
def xor_checksum(x, out, rows: Const, columns: Const):
    """A custom associative body on unsigned words."""
    t = ct.load(x, (ct.bid(0), 0), (rows, columns))
    ct.store(out, ct.bid(0), ct.reduce(t, 1, lambda a, b: a ^ b, 0))


@corpus(array(ct.float32, 2), array(ct.float32), array(ct.float32), 8, 128, debug=True)
def welford(x, mean_out, variance_out, rows: Const, columns: Const):
    """Mean and variance in one pass: a reduction of three tiles with a merging body."""

    def merge(mean_a, m2_a, count_a, mean_b, m2_b, count_b):
        count = count_a + count_b
        share = ct.where(count > 0.0, count_b / ct.maximum(count, 1.0), 0.0)
        delta = mean_b - mean_a
        return (
            mean_a + delta * share,
            m2_a + m2_b + delta * delta * count_a * share,
            count,
        )

    block = ct.bid(0)
    t = ct.load(x, (block, 0), (rows, columns))
    zeros = ct.zeros((rows, columns), ct.float32)
    mean, m2, count = ct.reduce((t, zeros, zeros + 1.0), 1, merge, (0.0, 0.0, 0.0))
    ct.store(mean_out, block, mean)
    ct.store(variance_out, block, m2 / count)


@corpus(array(ct.float16, 2), array(ct.int64, 2), array(ct.float16), array(ct.int64), 4, 64)
def best_with_payload(score, identifier, best, winner, rows: Const, columns: Const):
    """The identifier that goes with the best score: operands of two types."""
    block = ct.bid(0)
    s = ct.load(score, (block, 0), (rows, columns))
    i = ct.load(identifier, (block, 0), (rows, columns))

    def better(sa, ia, sb, ib):
        take = (sa > sb) | ((sa == sb) & (ia < ib))
        return ct.where(take, sa, sb), ct.where(take, ia, ib)

    top, chosen = ct.reduce((s, i), 1, better, (-INF, -1), keepdims=False)
    ct.store(best, block, top)
    ct.store(winner, block, chosen)


@corpus(array(ct.float32, 2), array(ct.float32), 8, 256)
def log_sum_exp(x, out, rows: Const, columns: Const):
    """A stable logarithm of a sum of exponentials per row, padded with minus infinity."""
    t = ct.load(x, (ct.bid(0), 0), (rows, columns), padding_mode=ct.PaddingMode.NEG_INF)
    top = ct.max(t, axis=1, keepdims=True)
    ct.store(out, ct.bid(0), ct.log(ct.sum(ct.exp(t - top), axis=1)) + ct.max(t, axis=1))


@corpus(array(ct.float32), array(ct.float32), array(ct.float32), 512)
def dot_partial(x, y, out, tile: Const):
    """Grid-stride partial dot products, one result per block."""
    total = ct.zeros((tile,), ct.float32)
    for i in range(ct.bid(0), ct.num_tiles(x, 0, (tile,)), ct.num_blocks(0)):
        a = ct.load(x, i, tile, padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(y, i, tile, padding_mode=ct.PaddingMode.ZERO)
        total += a * b
    ct.store(out, ct.bid(0), ct.sum(total))


@corpus(array(ct.float32, 4), array(ct.float32, 4))
def max_pool_2x2(x, out):
    """Pooling as a reshape and a reduction of two axes."""
    n, c, band = ct.bid(0), ct.bid(1), ct.bid(2)
    t = ct.load(x, (n, c, band, 0), (1, 1, 8, 32), padding_mode=ct.PaddingMode.NEG_INF)
    windows = ct.reshape(t, (1, 1, 4, 2, 16, 2))
    ct.store(out, (n, c, band, 0), ct.max(windows, axis=(3, 5)))
