"""Attention and what surrounds it."""

import cuda.tile as ct

from .registry import Const, array, corpus, scalar

INF = float("inf")
LOG2_E = 1.4426950408889634
ZERO = ct.PaddingMode.ZERO


@corpus(*[array(ct.float16, 4)] * 4, scalar(ct.float32), 64, 64, 64, debug=True)
def attention_forward(q, k, v, out, scale, queries: Const, keys: Const, width: Const):
    """Fused attention with the online softmax, one block of queries per block."""
    block, head, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    query = ct.reshape(
        ct.load(q, (batch, head, block, 0), (1, 1, queries, width)), (queries, width)
    )
    top = ct.full((queries, 1), -INF, ct.float32)
    total = ct.zeros((queries, 1), ct.float32)
    result = ct.zeros((queries, width), ct.float32)
    for i in range(ct.num_tiles(k, 2, (1, 1, keys, width))):
        key = ct.load(
            k,
            (batch, head, 0, i),
            (1, 1, width, keys),
            order=(0, 1, 3, 2),
            padding_mode=ZERO,
            latency=2,
        )
        score = ct.mma(query, ct.reshape(key, (width, keys)), ct.zeros((queries, keys), ct.float32))
        new_top = ct.maximum(top, ct.max(score, axis=1, keepdims=True) * (scale * LOG2_E))
        p = ct.exp2(score * (scale * LOG2_E) - new_top, flush_to_zero=True)
        shrink = ct.exp2(top - new_top, flush_to_zero=True)
        total = total * shrink + ct.sum(p, axis=1, keepdims=True)
        value = ct.load(v, (batch, head, i, 0), (1, 1, keys, width), padding_mode=ZERO, latency=4)
        result = ct.mma(p.astype(ct.float16), ct.reshape(value, (keys, width)), result * shrink)
        top = new_top
    result = ct.truediv(result, total, flush_to_zero=True, rounding_mode=ct.RoundingMode.APPROX)
    ct.store(
        out, (batch, head, block, 0), ct.reshape(result, (1, 1, queries, width)).astype(ct.float16)
    )


@corpus(*[array(ct.bfloat16, 4)] * 4, array(ct.float32, 3), scalar(ct.float32), 64, 32, 64, 4)
def causal_attention(
    q, k, v, out, lse, scale, queries: Const, keys: Const, width: Const, sharing: Const
):
    """Causal attention with grouped heads; only the diagonal blocks are masked."""
    block, head, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    shared = head // sharing
    query = ct.reshape(
        ct.load(q, (batch, head, block, 0), (1, 1, queries, width)), (queries, width)
    )
    first = block * queries
    row = first + ct.expand_dims(ct.arange(queries, dtype=ct.int32), 1)
    lanes = ct.expand_dims(ct.arange(keys, dtype=ct.int32), 0)
    top = ct.full((queries, 1), -INF, ct.float32)
    total = ct.zeros((queries, 1), ct.float32)
    result = ct.zeros((queries, width), ct.float32)
    diagonal = first // keys
    last = min(ct.cdiv(first + queries, keys), ct.num_tiles(k, 2, (1, 1, keys, width)))
    for i in range(last):
        key = ct.load(k, (batch, shared, i, 0), (1, 1, keys, width), padding_mode=ZERO)
        key = ct.transpose(ct.reshape(key, (keys, width)))
        score = ct.mma(query, key, ct.zeros((queries, keys), ct.float32)) * scale
        if i >= diagonal:
            column = i * keys + lanes
            score = ct.where((column <= row) & (column < k.shape[2]), score, -INF)
        new_top = ct.maximum(top, ct.max(score, axis=1, keepdims=True))
        p = ct.exp(score - new_top)
        shrink = ct.exp(top - new_top)
        total = total * shrink + ct.sum(p, axis=1, keepdims=True)
        value = ct.load(v, (batch, shared, i, 0), (1, 1, keys, width), padding_mode=ZERO)
        result = ct.mma(p.astype(ct.bfloat16), ct.reshape(value, (keys, width)), result * shrink)
        top = new_top
    ct.store(
        out,
        (batch, head, block, 0),
        ct.reshape(result / total, (1, 1, queries, width)).astype(ct.bfloat16),
    )
    ct.store(lse, (batch, head, block), ct.reshape(top + ct.log(total), (1, 1, queries)))


@corpus(
    array(ct.float16, 3),
    array(ct.float16, 4),
    array(ct.float16, 4),
    array(ct.int32, 2),
    array(ct.int32),
    array(ct.float16, 3),
    scalar(ct.float32),
    16,
    64,
)
def paged_attention(
    q, key_pages, value_pages, page_table, lengths, out, scale, page: Const, width: Const
):
    """The cache lives in pages found through a table; the loop is a `while`."""
    head, batch = ct.bid(0), ct.bid(1)
    length = ct.gather(lengths, batch)
    query = ct.reshape(ct.load(q, (batch, head, 0), (1, 1, width)), (1, width))
    query = query.astype(ct.float32)
    top = ct.float32(-INF)
    total = ct.float32(0)
    result = ct.zeros((1, width), ct.float32)
    done = 0
    while done < length:
        number = ct.gather(page_table, (batch, done // page))
        key = ct.reshape(
            ct.load(key_pages, (number, head, 0, 0), (1, 1, page, width)), (page, width)
        ).astype(ct.float32)
        value = ct.reshape(
            ct.load(value_pages, (number, head, 0, 0), (1, 1, page, width)), (page, width)
        ).astype(ct.float32)
        score = ct.sum(query * key, axis=1) * scale
        score = ct.where(done + ct.arange(page, dtype=ct.int32) < length, score, -INF)
        new_top = max(top, ct.max(score))
        p = ct.exp(score - new_top)
        shrink = ct.exp(top - new_top)
        total = total * shrink + ct.sum(p)
        result = result * shrink + ct.sum(ct.expand_dims(p, 1) * value, axis=0, keepdims=True)
        top = new_top
        done += page
    ct.store(out, (batch, head, 0), ct.reshape(result / total, (1, 1, width)).astype(ct.float16))


@corpus(array(ct.bfloat16, 3), array(ct.float32, 2), array(ct.float32, 2), 16, 64)
def rotary_embedding(x, cosines, sines, tokens: Const, half: Const):
    """Rotate the two halves of each head in place."""
    block, head = ct.bid(0), ct.bid(1)
    first = ct.load(x, (block, head, 0), (tokens, 1, half)).astype(ct.float32)
    second = ct.load(x, (block, head, 1), (tokens, 1, half)).astype(ct.float32)
    c = ct.expand_dims(ct.load(cosines, (block, 0), (tokens, half)), 1)
    s = ct.expand_dims(ct.load(sines, (block, 0), (tokens, half)), 1)
    ct.store(x, (block, head, 0), (first * c - second * s).astype(ct.bfloat16))
    ct.store(x, (block, head, 1), (second * c + first * s).astype(ct.bfloat16))


@corpus(
    *[array(ct.float16, 2)] * 4,
    array(ct.float32),
    array(ct.float32),
    array(ct.float32, 2),
    array(ct.float16, 2),
    array(ct.float16, 2),
    scalar(ct.float32),
    32,
    32,
    64,
)
def attention_backward(
    q, k, v, dout, lse, delta, dq, dk, dv, scale, queries: Const, keys: Const, width: Const
):
    """Gradients for one block of keys; those of the queries are added atomically."""
    block = ct.bid(0)
    key = ct.load(k, (block, 0), (keys, width), padding_mode=ZERO)
    value = ct.load(v, (block, 0), (keys, width), padding_mode=ZERO)
    key_gradient = ct.zeros((keys, width), ct.float32)
    value_gradient = ct.zeros((keys, width), ct.float32)
    column = block * keys + ct.expand_dims(ct.arange(keys, dtype=ct.int32), 0)
    lane = ct.expand_dims(ct.arange(width, dtype=ct.int32), 0)
    for i in range(block * keys // queries, ct.num_tiles(q, 0, (queries, width))):
        query = ct.load(q, (i, 0), (queries, width), padding_mode=ZERO)
        gradient = ct.load(dout, (i, 0), (queries, width), padding_mode=ZERO)
        row = i * queries + ct.expand_dims(ct.arange(queries, dtype=ct.int32), 1)
        score = ct.mma(query, ct.transpose(key), ct.zeros((queries, keys), ct.float32)) * scale
        offset = ct.expand_dims(ct.load(lse, i, queries), 1)
        p = ct.where(row >= column, ct.exp(score - offset), 0.0)
        value_gradient = ct.mma(ct.transpose(p.astype(ct.float16)), gradient, value_gradient)
        dp = ct.mma(gradient, ct.transpose(value), ct.zeros((queries, keys), ct.float32))
        ds = p * (dp - ct.expand_dims(ct.load(delta, i, queries), 1)) * scale
        half = ds.astype(ct.float16)
        key_gradient = ct.mma(ct.transpose(half), query, key_gradient)
        query_gradient = ct.mma(half, key, ct.zeros((queries, width), ct.float32))
        ct.atomic_add(dq, (row, lane), query_gradient, memory_order=ct.MemoryOrder.RELAXED)
    ct.store(dk, (block, 0), key_gradient.astype(ct.float16))
    ct.store(dv, (block, 0), value_gradient.astype(ct.float16))


@corpus(*[array(ct.float32, 2)] * 4, 32, 32)
def linear_attention_chunks(q, k, v, out, chunk: Const, width: Const):
    """Attention without softmax, computed chunk by chunk with a carried state matrix."""
    state = ct.zeros((width, width), ct.float32)
    order = ct.arange(chunk, dtype=ct.int32)
    lower = ct.expand_dims(order, 1) >= ct.expand_dims(order, 0)
    for i in range(ct.num_tiles(q, 0, (chunk, width))):
        query = ct.load(q, (i, ct.bid(0)), (chunk, width))
        key = ct.load(k, (i, ct.bid(0)), (chunk, width))
        value = ct.load(v, (i, ct.bid(0)), (chunk, width))
        inside = ct.where(lower, query @ ct.transpose(key), 0.0)
        result = ct.mma(inside, value, query @ state)
        state = ct.mma(ct.transpose(key), value, state)
        ct.store(out, (i, ct.bid(0)), result)
