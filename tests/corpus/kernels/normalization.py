"""Softmax, layer normalization and their relatives."""

import cuda.tile as ct

from .registry import Const, array, corpus, scalar

INF = float("inf")


@corpus(array(ct.float16, 2), array(ct.float16, 2), 512)
def row_softmax(x, out, columns: Const):
    """One row per block, the row fits into a tile."""
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    t = t.astype(ct.float32)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(out, (row, 0), (e / ct.sum(e, axis=1, keepdims=True)).astype(out.dtype))


@corpus(array(ct.bfloat16, 2), array(ct.bfloat16, 2), 4, 256)
def online_softmax(x, out, rows: Const, columns: Const):
    """Rows of any length: one pass for the maximum and the sum, one to write."""
    block = ct.bid(0)
    steps = ct.num_tiles(x, 1, (rows, columns))
    top = ct.full((rows, 1), -INF, ct.float32)
    total = ct.zeros((rows, 1), ct.float32)
    for i in range(steps):
        t = ct.load(x, (block, i), (rows, columns), padding_mode=ct.PaddingMode.NEG_INF)
        t = t.astype(ct.float32)
        new_top = ct.maximum(top, ct.max(t, axis=1, keepdims=True))
        total = total * ct.exp(top - new_top) + ct.sum(ct.exp(t - new_top), axis=1, keepdims=True)
        top = new_top
    for i in range(steps):
        t = ct.load(x, (block, i), (rows, columns), padding_mode=ct.PaddingMode.NEG_INF)
        p = ct.exp(t.astype(ct.float32) - top) / total
        ct.store(out, (block, i), p.astype(ct.bfloat16))


@corpus(
    array(ct.float16, 2),
    array(ct.float16),
    array(ct.float16),
    array(ct.float16, 2),
    array(ct.float32),
    array(ct.float32),
    scalar(ct.float32),
    1024,
)
def layer_norm(x, weight, bias, out, means, deviations, epsilon, columns: Const):
    """Layer normalization of rows that fit into a tile, with saved statistics."""
    row = ct.bid(0)
    width = x.shape[1]
    t = ct.load(x, (row, 0), (1, columns), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    mean = ct.sum(t, axis=1, keepdims=True) / width
    inside = ct.expand_dims(ct.arange(columns, dtype=ct.int32), 0) < width
    centered = ct.where(inside, t - mean, 0.0)
    variance = ct.sum(centered * centered, axis=1, keepdims=True) / width
    inverse = ct.rsqrt(variance + epsilon)
    w = ct.load(weight, 0, columns).astype(ct.float32)
    b = ct.load(bias, 0, columns).astype(ct.float32)
    ct.store(out, (row, 0), (centered * inverse * w + b).astype(ct.float16))
    ct.store(means, row, ct.reshape(mean, (1,)))
    ct.store(deviations, row, ct.reshape(inverse, (1,)))


@corpus(array(ct.bfloat16, 2), array(ct.bfloat16), array(ct.bfloat16, 2), 2, 512)
def rms_norm(x, weight, out, rows: Const, columns: Const):
    """Root mean square normalization, the row split into tiles."""
    block = ct.bid(0)
    steps = ct.num_tiles(x, 1, (rows, columns))
    squares = ct.zeros((rows, columns), ct.float32)
    for i in range(steps):
        t = ct.load(x, (block, i), (rows, columns), padding_mode=ct.PaddingMode.ZERO)
        t = t.astype(ct.float32)
        squares += t * t
    inverse = ct.rsqrt(ct.sum(squares, axis=1, keepdims=True) / x.shape[1] + 1e-6)
    for i in range(steps):
        t = ct.load(x, (block, i), (rows, columns)).astype(ct.float32)
        w = ct.load(weight, i, columns).astype(ct.float32)
        ct.store(out, (block, i), (t * inverse * w).astype(ct.bfloat16))


@corpus(array(ct.float32, 2), array(ct.int64), array(ct.float32), array(ct.float32, 2), 256)
def cross_entropy(logits, labels, loss, gradient, columns: Const):
    """Loss and gradient of a softmax classifier, one row per block."""
    row = ct.bid(0)
    t = ct.load(logits, (row, 0), (1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    label = ct.load(labels, row, ())
    top = ct.max(t)
    e = ct.exp(t - top)
    total = ct.sum(e)
    hot = ct.expand_dims(ct.arange(columns, dtype=ct.int64), 0) == label
    picked = ct.sum(ct.where(hot, t, 0.0))
    ignored = label < 0
    ct.store(loss, row, ct.where(ignored, 0.0, ct.log(total) + top - picked))
    slope = e / total - hot.astype(ct.float32)
    ct.store(gradient, (row, 0), ct.where(ignored, 0.0, slope))
