"""Integer arithmetic, divisions, shifts and bit tricks."""

import cuda.tile as ct

from .registry import Const, array, corpus, corpus_for, scalar


@corpus_for((ct.int8, ct.int64), lambda t: (array(t), array(t), array(t), 64))
def signed_division(x, y, out, tile: Const):
    """Division rounded down and up, and the remainder that goes with it."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    quotient, remainder = divmod(a, b)
    ct.store(out, block, ct.cdiv(a, b) + a // b + a % b + quotient * remainder)


@corpus(*[array(ct.uint32)] * 3, 64)
def unsigned_division(x, y, out, tile: Const):
    """Division rounded up and the remainder; see `rejected.py` for division rounded down."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    ct.store(out, block, ct.cdiv(a, b) + a % b)


@corpus_for((ct.int16, ct.uint32), lambda t: (array(t), array(t), array(t), 64))
def bit_operations(x, y, out, tile: Const):
    """And, or, exclusive or, complement and shifts."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    low = b & 7
    ct.store(out, block, ((a << low) | (a >> low)) ^ (~b & a))


@corpus(array(ct.int32), array(ct.int64), array(ct.int8), 128)
def negate_and_abs(x, y, z, tile: Const):
    """Negation and absolute value of several widths, in place."""
    block = ct.bid(0)
    ct.store(x, block, -ct.abs(ct.load(x, block, tile)))
    ct.store(y, block, ct.abs(-ct.load(y, block, tile)))
    ct.store(z, block, ct.negative(ct.load(z, block, tile)))


@corpus(array(ct.uint32), array(ct.uint32), scalar(ct.uint32), 256, debug=True)
def murmur_mix(x, out, seed, tile: Const):
    """A round and the finish of the 32-bit Murmur3 hash, one word per key."""

    def rotate_left(word, amount):
        return (word << amount) | (word >> (32 - amount))

    block = ct.bid(0)
    k = rotate_left(ct.load(x, block, tile) * ct.uint32(0xCC9E2D51), 15) * ct.uint32(0x1B873593)
    h = rotate_left(k ^ seed, 13) * ct.uint32(5) + ct.uint32(0xE6546B64)
    h = (h ^ (h >> 16)) * ct.uint32(0x85EBCA6B)
    h = (h ^ (h >> 13)) * ct.uint32(0xC2B2AE35)
    ct.store(out, block, h ^ (h >> 16))


@corpus(array(ct.uint64), scalar(ct.uint64), scalar(ct.int32), 128)
def xorshift(out, seed, rounds, tile: Const):
    """A 64-bit xorshift generator advanced a dynamic number of times."""
    block = ct.bid(0)
    state = ct.arange(tile, dtype=ct.uint64) * ct.uint64(0x9E3779B97F4A7C15) + seed
    for _ in range(rounds):
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
    ct.store(out, block, state)


@corpus(array(ct.int32), array(ct.int32), array(ct.int32), 64)
def greatest_common_divisor(x, y, out, tile: Const):
    """Euclid's algorithm on all lanes until every remainder is zero."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    while ct.max(b) != 0:
        safe = ct.where(b == 0, 1, b)
        a, b = ct.where(b == 0, a, b), ct.where(b == 0, 0, a % safe)
    ct.store(out, block, a)


@corpus(array(ct.int32), array(ct.int32), scalar(ct.int32), scalar(ct.int32), 128)
def fixed_point_scale(x, out, multiplier, shift, tile: Const):
    """Requantization: a 64-bit product, rounded and shifted back to 32 bits."""
    block = ct.bid(0)
    wide = ct.load(x, block, tile).astype(ct.int64) * multiplier
    rounding = ct.int64(1) << (shift - 1)
    scaled = (wide + rounding) >> shift
    clamped = ct.minimum(ct.maximum(scaled, -128), 127)
    ct.store(out, block, clamped.astype(ct.int32))


@corpus(array(ct.uint16), array(ct.int64), array(ct.uint8), array(ct.int64), 64)
def mixed_widths(a, b, c, out, tile: Const):
    """Extensions and truncations between integer types of different width and sign."""
    block = ct.bid(0)
    x = ct.load(a, block, tile)
    y = ct.load(b, block, tile)
    z = ct.load(c, block, tile)
    low = (x.astype(ct.uint8) + z).astype(ct.int8)
    high = y.astype(ct.int32).astype(ct.uint32) >> 3
    ct.store(out, block, low.astype(ct.int64) * y + high.astype(ct.int64) + x.astype(ct.int16))


@corpus(scalar(ct.int32), scalar(ct.int64), scalar(ct.uint32), array(ct.int64))
def scalar_integers(a, b, c, out):
    """Scalar arithmetic only, stored as one element."""
    total = a * 3 + b // 7 - (b % 5)
    total = total + ct.astype(c >> 2, ct.int64) * (a & 15)
    ct.store(out, ct.bid(0), max(total, 0))
