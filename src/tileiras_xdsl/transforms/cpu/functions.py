"""
Elementary functions: polynomials on vectors of `f32`, the C library for all others.

`exp` and `exp2` are exact to 1 ulp for normal results: 2^n · 2^f with f between -½ and ½, where 2^f
is a polynomial of degree 6. Results overflow or become subnormal by the last multiplication. NaN
goes through all of it.
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
TANH: Final = (
    *(0.0888480469584465, 0.26773056387901306, 0.6666752099990845),
    *(1.3333234786987305, 1.9999998807907104),
)
"""`(exp(2s) - 1 - 2s) / s²` for s up to ¼ ln 2: by it `exp(2s) - 1` is exact to 0.3 ulp."""
REGISTER: Final = 16
"""Elements of `f32` in a register of AVX-512."""
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


def in_registers(e: Emitter, compute: Callable[..., SSAValue], *args: SSAValue) -> SSAValue:
    """What an instruction of AVX-512 computes of vectors of one register or more."""
    width = width_of(args[0].type)
    if width == REGISTER:
        return compute(*args)
    parts = [
        compute(*(e.shuffle(x, x, range(start, start + REGISTER)) for x in args))
        for start in range(0, width, REGISTER)
    ]
    while len(parts) > 1:
        size = width_of(parts[0].type)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [e.shuffle(x, y, range(2 * size)) for x, y in pairs]
    return parts[0]


def _scale(e: Emitter, value: SSAValue, shifted: SSAValue) -> SSAValue:
    """`value` times two to a whole number, to which `MAGIC` was added: by two factors."""
    ty = shifted.type
    if e.vector_bits == 512 and width_of(ty) % REGISTER == 0:
        whole = e.binary("fsub", shifted, e.constant(MAGIC, ty))
        masks = e.constant(-1, i16), e.constant(4, i32)
        name = "llvm.x86.avx512.mask.scalef.ps.512"
        return in_registers(e, lambda *x: e.call(name, x[0].type, *x, x[0], *masks), value, whole)
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


def _reduce(e: Emitter, x: SSAValue, whole: SSAValue, parts: int = 1) -> SSAValue:
    """`x - whole * ln 2 / parts`, in two steps, so that it is exact."""
    high = 0.693145751953125
    x = e.fma(whole, e.constant(-high / parts, x.type), x)
    return e.fma(whole, e.constant((high - LN2) / parts, x.type), x)


def exp(e: Emitter, x: SSAValue) -> SSAValue:
    """The exponential."""
    if element_of(x.type) != f32:
        return e.function("exp", x)
    magic = e.constant(MAGIC, x.type)
    limited = _clamp(e, x, -110.0, 110.0)
    shifted = e.fma(limited, e.constant(1 / LN2, x.type), magic)
    rest = _reduce(e, limited, e.binary("fsub", shifted, magic))
    return _scale(e, polynomial(e, rest, EXP), shifted)


def tanh(e: Emitter, x: SSAValue) -> SSAValue:
    """
    `m / (m + 2)`, where `m` is `exp(2|x|) - 1`: with `2|x| = n ln 2 + 2s`, that is
    `2^n (exp(2s) - 1) + 2^n - 1`, which loses no bits of small numbers. What is lost in the sum and
    in the quotient is added at the end.
    """
    ty = x.type
    if element_of(ty) != f32:
        return e.function("tanh", x)
    most, one, two = (e.constant(number, ty) for number in (10.0, 1.0, 2.0))
    # The last bits of the sum are the exponent of 2^n.
    magic = e.constant(MAGIC + 127, ty)
    magnitude = e.function("fabs", x)
    limited = e.select(e.compare("olt", most, magnitude), most, magnitude)
    shifted = e.fma(limited, e.constant(2 / LN2, ty), magic)
    rest = _reduce(e, limited, e.binary("fsub", shifted, magic), 2)
    small = polynomial(e, rest, TANH)
    small = e.fma(e.binary("fmul", rest, rest), small, e.binary("fadd", rest, rest))
    bits = e.cast("bitcast", shifted, i32)
    power = e.cast("bitcast", e.binary("shl", bits, e.constant(23, bits.type)), f32)
    less = e.fma(small, power, e.binary("fsub", power, one))
    more = e.binary("fadd", less, two)
    lost = e.binary("fsub", less, e.binary("fsub", more, two))
    inverse = _inverse(e, more)
    result = e.binary("fmul", less, inverse)
    rest = e.fma(_minus(e, result), lost, e.fma(_minus(e, result), more, less))
    return e.function("copysign", e.fma(rest, inverse, result), x)


def _minus(e: Emitter, x: SSAValue) -> SSAValue:
    """For an FMA, of which it becomes a part."""
    return e.binary("fmul", x, e.constant(-1.0, x.type))


def _inverse(e: Emitter, x: SSAValue) -> SSAValue:
    """`1 / x` to 14 bits or more, for numbers that are neither large nor small."""
    if e.vector_bits != 512 or width_of(x.type) % REGISTER:
        return e.binary("fdiv", e.constant(1.0, x.type), x)

    def estimate(x: SSAValue) -> SSAValue:
        zero, mask = e.constant(0.0, x.type), e.constant(-1, i16)
        return e.call("llvm.x86.avx512.rcp14.ps.512", x.type, x, zero, mask)

    return in_registers(e, estimate, x)


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
