"""Mathematical functions, rounding modes and flushing of subnormals."""

import cuda.tile as ct
from cuda.tile import RoundingMode as Round

from .registry import Const, array, corpus, corpus_for


@corpus_for((ct.float16, ct.float32), lambda t: (array(t), array(t), 64))
def transcendental(x, out, tile: Const):
    """Every unary function in one expression."""
    block = ct.bid(0)
    t = ct.load(x, block, tile)
    trigonometric = ct.sin(t) + ct.cos(t) * ct.tan(t)
    hyperbolic = ct.sinh(t) - ct.cosh(t) + ct.tanh(t)
    exponential = ct.exp(t) + ct.exp2(t)
    positive = ct.abs(t) + 1.0
    logarithmic = ct.log(positive) - ct.log2(positive)
    roots = ct.sqrt(positive) * ct.rsqrt(positive)
    steps = ct.floor(t) - ct.ceil(t)
    ct.store(out, block, trigonometric + hyperbolic + exponential + logarithmic + roots + steps)


@corpus(*[array(ct.float64)] * 3, 64)
def rounding_modes(x, y, out, tile: Const):
    """The four IEEE rounding modes on each operation that has them."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    total = ct.add(a, b, rounding_mode=Round.RZ)
    total = ct.sub(total, ct.mul(a, b, rounding_mode=Round.RP), rounding_mode=Round.RM)
    total = ct.truediv(total, b, rounding_mode=Round.RN)
    total = ct.truediv(total, b, rounding_mode=Round.RZ)
    total = ct.sqrt(total, rounding_mode=Round.RM)
    total = ct.add(total, ct.sqrt(a, rounding_mode=Round.RP), rounding_mode=Round.RP)
    fused = ct.add(ct.mul(a, total, rounding_mode=Round.RM), b, rounding_mode=Round.RM)
    ct.store(out, block, ct.mul(fused, total, rounding_mode=Round.RZ))


@corpus(array(ct.float32), array(ct.float32), array(ct.float32), 128)
def approximate_math(x, y, out, tile: Const):
    """Approximate and full-range modes of f32 division and square root."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    approx = ct.truediv(a, b, rounding_mode=Round.APPROX)
    full = ct.truediv(b, a, rounding_mode=Round.FULL)
    root = ct.sqrt(approx, rounding_mode=Round.APPROX)
    smooth = ct.tanh(full, rounding_mode=Round.FULL) + ct.exp(a, rounding_mode=Round.FULL)
    ct.store(out, block, root + smooth)


@corpus(array(ct.float32), array(ct.float32), 128, since="13.2")
def approximate_tanh(x, out, tile: Const):
    """The fast hyperbolic tangent."""
    block = ct.bid(0)
    ct.store(out, block, ct.tanh(ct.load(x, block, tile), rounding_mode=Round.APPROX))


@corpus(array(ct.float32), array(ct.float32), 128, since="13.3")
def approximate_exp(x, out, tile: Const):
    """The fast exponential."""
    block = ct.bid(0)
    ct.store(out, block, ct.exp(ct.load(x, block, tile), rounding_mode=Round.APPROX))


@corpus(array(ct.float32), array(ct.float32), array(ct.float32), 128)
def flush_to_zero(x, y, out, tile: Const):
    """Every operation that can flush subnormals."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    total = ct.add(a, b, flush_to_zero=True)
    total = ct.mul(total, ct.sub(a, b, flush_to_zero=True), flush_to_zero=True)
    total = ct.truediv(total, b, flush_to_zero=True, rounding_mode=Round.APPROX)
    total = ct.maximum(total, ct.minimum(a, b, flush_to_zero=True), flush_to_zero=True)
    total = ct.sqrt(total, flush_to_zero=True, rounding_mode=Round.RZ)
    total = ct.rsqrt(total, flush_to_zero=True)
    total = ct.exp2(total, flush_to_zero=True)
    ct.store(out, block, ct.add(ct.mul(a, total, flush_to_zero=True), b, flush_to_zero=True))


@corpus(*[array(ct.float32)] * 3, 128)
def nan_propagation(x, y, out, tile: Const):
    """Minimum and maximum that keep NaN next to those that drop it."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    strict = ct.maximum(a, b, propagate_nan=True) - ct.minimum(a, b, propagate_nan=True)
    loose = ct.maximum(a, b) - ct.minimum(a, b)
    ct.store(out, block, ct.where(ct.isnan(strict), loose, strict))


@corpus(*[array(ct.float32)] * 3, 64, since="13.2")
def polar_angle(x, y, out, tile: Const):
    """The angle of a point."""
    block = ct.bid(0)
    ct.store(out, block, ct.atan2(ct.load(y, block, tile), ct.load(x, block, tile)))


@corpus(array(ct.float32), array(ct.float32), array(ct.int32), array(ct.int8), 64)
def powers(x, out, wide, narrow, tile: Const):
    """Powers with float and integer exponents; 13.4 has an operation of its own for the latter."""
    block = ct.bid(0)
    base = ct.load(x, block, tile)
    total = base**1.5 + 2.0**base + ct.pow(base, ct.abs(base))
    total += base ** ct.load(wide, block, tile) + base ** ct.load(narrow, block, tile) + base**3
    ct.store(out, block, total)


@corpus(array(ct.float32), array(ct.float32), array(ct.float32), 128)
def float_remainder(x, y, out, tile: Const):
    """Floor division and modulo of floats."""
    block = ct.bid(0)
    a = ct.load(x, block, tile)
    b = ct.load(y, block, tile)
    ct.store(out, block, a % b + a % 3.0 - a // b)


@corpus(array(ct.int32), array(ct.float32), 64)
def math_on_integers(x, out, tile: Const):
    """Functions that turn integers into floats on the way."""
    block = ct.bid(0)
    t = ct.load(x, block, tile)
    ct.store(out, block, ct.exp(t) + ct.sqrt(t) + ct.cos(t) + t / 4)


@corpus(array(ct.float64), array(ct.float64), 64)
def horner(x, out, tile: Const):
    """A polynomial of degree seven as a chain of fused multiply-adds and their negations."""
    block = ct.bid(0)
    t = ct.load(x, block, tile)
    value = t * 0.125 - 0.5
    value = 3.0 - value * t
    value = value * t + 1.75
    value = t - value * t
    value = value * t - t
    value = 2.25 + t * value
    ct.store(out, block, value * t + 1.0)
