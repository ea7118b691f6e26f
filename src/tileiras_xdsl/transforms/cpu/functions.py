"""
Elementary functions: polynomials on vectors of `f32`, the C library for all others.

`exp` and `exp2` are exact to 1 ulp for normal results: 2^n · 2^f with f between -½ and ½, where 2^f
is a polynomial of degree 7, and 2^n is two factors, so that results overflow or become subnormal
by the last multiplication. `tanh` comes from `exp`, with a polynomial for small arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from .emitter import Emitter, element_of, suffix, vector, width_of

LN2: Final = math.log(2)
EXP2: Final = tuple(LN2**k / math.factorial(k) for k in range(7, -1, -1))
"""2^f for f between -½ and ½, the highest power first: what is left out is below 6e-9."""
EXP: Final = tuple(1 / math.factorial(k) for k in range(7, -1, -1))
"""The same for the exponential of a number up to ½ ln 2."""


def polynomial(e: Emitter, x: SSAValue, coefficients: Sequence[float]) -> SSAValue:
    """By Horner's scheme, the highest power first."""
    result = e.constant(coefficients[0], x.type)
    for coefficient in coefficients[1:]:
        result = e.fma(result, x, e.constant(coefficient, x.type))
    return result


def _clamp(e: Emitter, x: SSAValue, low: float, high: float) -> SSAValue:
    """A NaN becomes a limit."""
    x = e.function("maximumnum", x, e.constant(low, x.type))
    return e.function("minimumnum", x, e.constant(high, x.type))


def _scale(e: Emitter, value: SSAValue, exponent: SSAValue) -> SSAValue:
    """`value` times two to a whole number, in two steps."""
    ty = vector(i32, width_of(exponent.type))
    name = f"llvm.fptosi.sat.{suffix(ty)}.{suffix(exponent.type)}"
    whole = e.call(name, ty, exponent)
    one = e.constant(1, whole.type)
    half = e.binary("ashr", whole, one)
    for part in (half, e.binary("sub", whole, half)):
        bits = e.binary("add", part, e.constant(127, part.type))
        bits = e.binary("shl", bits, e.constant(23, bits.type))
        value = e.binary("fmul", value, e.cast("bitcast", bits, f32))
    return value


def exp2(e: Emitter, x: SSAValue) -> SSAValue:
    """Two to a power."""
    if element_of(x.type) != f32:
        return e.function("exp2", x)
    limited = _clamp(e, x, -160.0, 160.0)
    whole = e.function("rint", limited)
    rest = e.binary("fsub", limited, whole)
    result = _scale(e, polynomial(e, rest, EXP2), whole)
    return e.select(e.compare("uno", x, x), x, result)


def exp(e: Emitter, x: SSAValue) -> SSAValue:
    """The exponential; ln 2 is taken away in two parts, so that the rest is exact."""
    if element_of(x.type) != f32:
        return e.function("exp", x)
    limited = _clamp(e, x, -110.0, 110.0)
    share = e.binary("fmul", limited, e.constant(1 / LN2, x.type))
    whole = e.function("rint", share)
    high = 0.693145751953125
    minus = e.binary("fsub", e.constant(-0.0, x.type), whole)
    rest = e.fma(minus, e.constant(high, x.type), limited)
    rest = e.fma(minus, e.constant(LN2 - high, x.type), rest)
    result = _scale(e, polynomial(e, rest, EXP), whole)
    return e.select(e.compare("uno", x, x), x, result)


def tanh(e: Emitter, x: SSAValue) -> SSAValue:
    """`1 - 2 / (exp(2|x|) + 1)`, and a series for small numbers."""
    if element_of(x.type) != f32:
        return e.function("tanh", x)
    magnitude = e.function("fabs", x)
    one, two = e.constant(1.0, x.type), e.constant(2.0, x.type)
    power = exp(e, e.binary("fmul", magnitude, two))
    large = e.binary("fdiv", two, e.binary("fadd", power, one))
    large = e.binary("fsub", one, large)
    square = e.binary("fmul", x, x)
    series = (-1382 / 155925, 62 / 2835, -17 / 315, 2 / 15, -1 / 3)
    small = polynomial(e, square, series)
    small = e.fma(e.binary("fmul", magnitude, square), small, magnitude)
    is_small = e.compare("olt", magnitude, e.constant(0.35, x.type))
    result = e.function("copysign", e.select(is_small, small, large), x)
    return e.select(e.compare("uno", x, x), x, result)


def rsqrt(e: Emitter, x: SSAValue) -> SSAValue:
    """The reciprocal of the square root."""
    return e.binary("fdiv", e.constant(1.0, x.type), e.function("sqrt", x))


def _library(name: str) -> Callable[..., SSAValue]:
    def call(e: Emitter, *args: SSAValue) -> SSAValue:
        return e.function(name, *args)

    return call


FUNCTIONS: Final[dict[str, Callable[..., SSAValue]]] = {
    "exp": exp,
    "exp2": exp2,
    "tanh": tanh,
    "rsqrt": rsqrt,
    **{name: _library(name) for name in ("sqrt", "ceil", "floor", "log", "log2", "pow", "atan2")},
    **{name: _library(name) for name in ("sin", "cos", "tan", "sinh", "cosh")},
}
"""By the names of ops; `log` … `cosh` are those of the C library."""
