"""Elementwise kernels over every element type."""

import cuda.tile as ct

from .registry import FLOATS, SIGNED, Const, array, corpus, corpus_for, scalar


@corpus(*[array(ct.float32)] * 3, 1024, debug=True)
def vector_add(x, y, out, tile: Const):
    """Add two vectors, one tile per block."""
    block = ct.bid(0)
    total = ct.load(x, block, tile) + ct.load(y, block, tile)
    ct.store(out, block, total)


@corpus_for(FLOATS, lambda t: (*[array(t, 2)] * 3, 32, 64))
def float_arithmetic(x, y, out, rows: Const, columns: Const):
    """All the basic operations on one float type."""
    index = (ct.bid(0), ct.bid(1))
    a = ct.load(x, index, (rows, columns))
    b = ct.load(y, index, (rows, columns))
    quotient = a / b
    spread = ct.maximum(a, b) - ct.minimum(a, b)
    mixed = ct.where(a > b, -quotient, ct.abs(spread))
    ct.store(out, index, mixed * a - b * 0.5)


@corpus_for((*SIGNED, ct.uint8, ct.uint64), lambda t: (*[array(t)] * 3, 256))
def int_arithmetic(x, y, out, tile: Const):
    """All the basic operations on one integer type."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    low, high = ct.minimum(a, b), ct.maximum(a, b)
    blended = ct.where(a != b, (high - low) * a, b + 3)
    ct.store(out, block, blended)


@corpus(*[array(ct.bool_)] * 3, array(ct.bool_), 128)
def bool_logic(x, y, z, out, tile: Const):
    """Logic on tiles of i1."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    c = ct.load(z, block, tile)
    majority = (a & b) | (b & c) | (a & c)
    parity = a ^ b ^ c
    ct.store(out, block, ct.where(majority, ct.bitwise_not(parity), parity == c))


@corpus(array(ct.float16), array(ct.float32), array(ct.int16), array(ct.float64), 64)
def mixed_types(half, single, short, out, tile: Const):
    """Operands of different types, promoted step by step up to f64."""
    block = ct.bid(0)
    a = ct.load(half, block, tile)
    b = ct.load(single, block, tile)
    c = ct.load(short, block, tile)
    ct.store(out, block, (a * b + c) - c * 2)


@corpus(array(ct.float32), array(ct.float32), scalar(ct.float32), scalar(ct.int32), 512)
def axpy(x, y, alpha, shift, tile: Const):
    """In-place `y = alpha * x + y` with a scalar argument, starting at a shifted block."""
    block = ct.bid(0) + shift
    ct.store(y, block, alpha * ct.load(x, block, tile) + ct.load(y, block, tile))


@corpus(array(ct.float16, 3), array(ct.float16, 3), scalar(ct.float16), scalar(ct.float16))
def clamp_3d(x, out, low, high):
    """Clamp a rank-3 array between two scalars of its own type."""
    index = (ct.bid(0), ct.bid(1), ct.bid(2))
    t = ct.load(x, index, (2, 8, 32))
    ct.store(out, index, min(max(t, low), high))


@corpus(array(ct.float32), array(ct.float32), 128)
def tf32_residual(x, out, tile: Const):
    """What is lost when f32 is rounded to tf32."""
    block = ct.bid(0)
    full = ct.load(x, block, tile)
    ct.store(out, block, full - full.astype(ct.tfloat32).astype(ct.float32))


@corpus(array(ct.int32), array(ct.uint32), array(ct.float32), array(ct.int32), 128)
def comparisons(i, u, f, out, tile: Const):
    """Every comparison predicate, signed, unsigned and float, with and without NaN checks."""
    block = ct.bid(0)
    a = ct.load(i, block, tile)
    b = ct.load(u, block, tile)
    c = ct.load(f, block, tile)
    score = (a < 5).astype(ct.int32) + (a <= -7) + (a > 9) + (a >= 11) + (a == 13) + (a != 15)
    score += (b < 5).astype(ct.int32) + (b <= 7) + (b > 9) + (b >= 11)
    score += (c < 0.5).astype(ct.int32) + (c <= 0.25) + (c > 1.5) + (c >= 2.5)
    score += (c == 4.0).astype(ct.int32) + (c != 8.0) + ct.isnan(c)
    ct.store(out, block, score)


@corpus(*[array(ct.float32)] * 4, scalar(ct.float32), scalar(ct.int32), 1024)
def adam_step(parameter, gradient, moment, variance, rate, step, tile: Const):
    """One step of the Adam optimizer with bias correction."""
    block = ct.bid(0)
    g = ct.load(gradient, block, tile)
    m = 0.9 * ct.load(moment, block, tile) + 0.1 * g
    v = 0.999 * ct.load(variance, block, tile) + 0.001 * g * g
    m_hat = m / (1.0 - ct.pow(0.9, ct.astype(step, ct.float32)))
    v_hat = v / (1.0 - ct.pow(0.999, ct.astype(step, ct.float32)))
    p = ct.load(parameter, block, tile)
    ct.store(parameter, block, p - rate * m_hat / (ct.sqrt(v_hat) + 1e-8))
    ct.store(moment, block, m)
    ct.store(variance, block, v)
