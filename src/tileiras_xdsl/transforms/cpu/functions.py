"""
Elementary functions: polynomials on vectors of `f32`, the C library for all others.

`exp` and `exp2` are exact to 1 ulp for normal results: 2^n · 2^f with f between -½ and ½, where 2^f
is a polynomial of degree 6. Results overflow or become subnormal by the last multiplication. `tanh`
comes from `exp`, with a polynomial for small arguments. NaN goes through all of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from xdsl.dialects.builtin import f32, i16, i32
from xdsl.ir import SSAValue

from .emitter import Emitter, element_of, width_of

LN2: Final = math.log(2)
EXP2: Final = (
    *(1.534581242594868e-4, 1.3399930903688073e-3, 9.618489071726799e-3),
    *(5.550328642129898e-2, 0.24022646248340607, 0.6931471824645996, 1.0),
)
"""
2^f for f between -½ and ½, the highest power first. By Remez' algorithm: the relative error is
1.9e-9, a thirtieth of an ulp.
"""
EXP: Final = (
    *(1.3836835278198123e-3, 8.374824188649654e-3, 4.166822507977486e-2),
    *(0.16666419804096222, 0.49999991059303284, 1.0, 1.0),
)
"""The same for the exponential of a number up to ½ ln 2."""
MAGIC: Final = 1.5 * 2.0**23
"""A small number plus this is rounded to a whole number, which the last bits of the sum hold."""


def polynomial(e: Emitter, x: SSAValue, coefficients: Sequence[float]) -> SSAValue:
    """By Horner's scheme, the highest power first."""
    result = e.constant(coefficients[0], x.type)
    for coefficient in coefficients[1:]:
        result = e.fma(result, x, e.constant(coefficient, x.type))
    return result


def _clamp(e: Emitter, x: SSAValue, low: float, high: float) -> SSAValue:
    """A number between two limits; a NaN stays one. An instruction of x86 for each limit."""
    least, most = e.constant(low, x.type), e.constant(high, x.type)
    x = e.select(e.compare("ogt", least, x), least, x)
    return e.select(e.compare("olt", most, x), most, x)


def _scale(e: Emitter, value: SSAValue, shifted: SSAValue) -> SSAValue:
    """`value` times two to a whole number, to which `MAGIC` was added: by two factors."""
    ty = shifted.type
    if e.vector_bits == 512 and width_of(ty) == 16:
        whole = e.binary("fsub", shifted, e.constant(MAGIC, ty))
        masks = e.constant(-1, i16), e.constant(4, i32)
        return e.call("llvm.x86.avx512.mask.scalef.ps.512", ty, value, whole, value, *masks)
    bits = e.cast("bitcast", shifted, i32)
    place, bias = e.constant(23, bits.type), e.constant(127 << 23, bits.type)
    half = e.binary("shl", e.binary("ashr", bits, e.constant(1, bits.type)), place)
    rest = e.binary("sub", e.binary("shl", bits, place), half)
    for part in (half, rest):
        value = e.binary("fmul", value, e.cast("bitcast", e.binary("add", part, bias), f32))
    return value


def exp2(e: Emitter, x: SSAValue) -> SSAValue:
    """Two to a power."""
    if element_of(x.type) != f32:
        return e.function("exp2", x)
    magic = e.constant(MAGIC, x.type)
    limited = _clamp(e, x, -160.0, 160.0)
    shifted = e.binary("fadd", limited, magic)
    rest = e.binary("fsub", limited, e.binary("fsub", shifted, magic))
    return _scale(e, polynomial(e, rest, EXP2), shifted)


def exp(e: Emitter, x: SSAValue) -> SSAValue:
    """The exponential; ln 2 is taken away in two parts, so that the rest is exact."""
    if element_of(x.type) != f32:
        return e.function("exp", x)
    magic = e.constant(MAGIC, x.type)
    limited = _clamp(e, x, -110.0, 110.0)
    shifted = e.fma(limited, e.constant(1 / LN2, x.type), magic)
    whole = e.binary("fsub", shifted, magic)
    high = 0.693145751953125
    rest = e.fma(whole, e.constant(-high, x.type), limited)
    rest = e.fma(whole, e.constant(high - LN2, x.type), rest)
    return _scale(e, polynomial(e, rest, EXP), shifted)


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
    return e.function("copysign", e.select(is_small, small, large), x)


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
