"""
Arithmetic on arrays of one element type, as the ops of Tile IR define it.

Every function takes the element type, or the types of operand and result, then the arrays,
then modes by name. Arrays may have any shape, also none; results are arrays and never NumPy
scalars. Nothing here warns or raises, whatever the values are.

How results of floating-point functions come about:

- Sums, products, quotients and roots to nearest even are NumPy's. f16 and bf16 are computed in
  float32, which is wide enough that rounding twice is rounding once.
- In the directed modes, and for `fma`, an operation yields a *nearest* float64 and the sign of
  the *error* it has. These two make the result in any mode: of f64 by a step to a neighbour, of
  narrower types by rounding to odd, which keeps what a second rounding must know.
- Elements of f64 so large or small that the error cannot be computed in float64 are computed
  one by one as fractions.
- Transcendental functions of f16, bf16 and f32 are computed in float64 and rounded once; those
  of f64 are NumPy's. `approx` and `full` are computed like the rest.

What Tile IR leaves undefined is the same every time, and what an H200 does where that is one
thing: see `divi`, `remi`, `shli` and `ftoi`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
    f16,
    f32,
)
from xdsl.ir import Attribute

from .elements import (
    Array,
    bit_width,
    bits_of,
    dtype_of,
    float_format,
    from_bits,
    from_bytes,
    round_to,
    signed,
    to_bytes,
    unsigned,
    widen,
    wrap,
)

Doubles: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]

Wide: TypeAlias = Callable[..., Any]
"""A function of NumPy's."""
Numeric: TypeAlias = Callable[..., Array]
"""A function of an element type, arrays and modes."""

quietly = np.errstate(all="ignore")
"""Decorator: infinities, NaNs and wrapped integers are results, not events."""


# Integers


def _read(array: Array, is_signed: bool) -> Array:
    return signed(array) if is_signed else unsigned(array)


def _of_bits(function: Wide) -> Numeric:
    """A function of the bits of two integers, cut to the width."""

    def compute(element: Attribute, lhs: Array, rhs: Array) -> Array:
        return wrap(function(unsigned(lhs), unsigned(rhs)), element)

    return compute


addi, subi, muli = _of_bits(np.add), _of_bits(np.subtract), _of_bits(np.multiply)
andi, ori, xori = _of_bits(np.bitwise_and), _of_bits(np.bitwise_or), _of_bits(np.bitwise_xor)


@quietly
def mulhii(element: Attribute, lhs: Array, rhs: Array) -> Array:
    """The high half of the unsigned product."""
    width = bit_width(element)
    x, y = (unsigned(array).astype(np.uint64) for array in (lhs, rhs))
    if width < 64:
        return wrap(x * y >> np.uint64(width), element)
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    x_high, x_low, y_high, y_low = x >> half, x & mask, y >> half, y & mask
    middle = x_high * y_low + (x_low * y_low >> half)
    carry = (middle & mask) + x_low * y_high
    return wrap(x_high * y_high + (middle >> half) + (carry >> half), element)


@quietly
def divi(
    element: Attribute, lhs: Array, rhs: Array, *, signed: bool = True, rounding: str = "zero"
) -> Array:
    """
    The quotient, rounded to zero, up or down. Undefined cases: all bits are set after a
    division by zero, and the smallest number divided by -1 is itself.
    """
    x, y = _read(lhs, signed), _read(rhs, signed)
    quotient = np.floor_divide(x, y)
    if rounding != "negative_inf":
        inexact = quotient * y != x
        if rounding == "zero":
            inexact &= (x < 0) != (y < 0)
        quotient = quotient + inexact.astype(quotient.dtype)
    all_bits = np.asarray(~np.zeros((), quotient.dtype))
    return wrap(np.where(y == 0, all_bits, quotient), element)


@quietly
def remi(element: Attribute, lhs: Array, rhs: Array, *, signed: bool = True) -> Array:
    """The remainder of `divi` to zero, with the sign of `lhs`; all bits after one by zero."""
    x, y = _read(lhs, signed), _read(rhs, signed)
    all_bits = np.asarray(~np.zeros((), x.dtype))
    return wrap(np.where(y == 0, all_bits, np.fmod(x, y)), element)


def _shift_amount(amount: Array) -> Array:
    """The 32 bits of a shift amount that the hardware reads, unsigned."""
    bits = unsigned(amount)
    return bits & bits.dtype.type(0xFFFFFFFF) if bits.dtype.itemsize == 8 else bits


@quietly
def shli(element: Attribute, lhs: Array, rhs: Array) -> Array:
    """
    Shifts left by an unsigned amount. Amounts of the width or more shift out all bits, as in PTX;
    also there, only the low 32 bits of an amount count.
    """
    x, amount = unsigned(lhs), _shift_amount(rhs)
    width = bit_width(element)
    shifted = np.left_shift(x, np.minimum(amount, width - 1).astype(x.dtype))
    return wrap(np.where(amount < width, shifted, np.zeros((), x.dtype)), element)


@quietly
def shri(element: Attribute, lhs: Array, rhs: Array, *, signed: bool = True) -> Array:
    """Shifts right by an amount like that of `shli`, and fills with the sign or with zeros."""
    x, amount = _read(lhs, signed), _shift_amount(rhs)
    width = bit_width(element)
    shifted = np.right_shift(x, np.minimum(amount, width - 1).astype(x.dtype))
    if not signed:
        shifted = np.where(amount < width, shifted, np.zeros((), x.dtype))
    return wrap(shifted, element)


@quietly
def absi(element: Attribute, source: Array) -> Array:
    """The absolute value of a signed number, as an unsigned one."""
    return wrap(np.abs(signed(source)), element)


@quietly
def negi(element: Attribute, source: Array) -> Array:
    """The negated number; the smallest one is itself."""
    return wrap(np.negative(signed(source)), element)


def _of_order(choose: Wide) -> Numeric:
    """One of two numbers by their order."""

    def compute(element: Attribute, lhs: Array, rhs: Array, *, signed: bool = True) -> Array:
        return wrap(choose(_read(lhs, signed), _read(rhs, signed)), element)

    return compute


maxi, mini = _of_order(np.maximum), _of_order(np.minimum)


def _zeros_beside(is_leading: bool) -> Numeric:
    """The number of zero bits above the highest bit that is set, or below the lowest."""

    @quietly
    def compute(element: Attribute, value: Array) -> Array:
        width, bits = bit_width(element), unsigned(value)
        count = np.full(value.shape, width, np.int64)
        for zeros in reversed(range(width)):
            position = bits.dtype.type(width - 1 - zeros if is_leading else zeros)
            count = np.where((bits >> position) & 1 != 0, zeros, count)
        return wrap(count, element)

    return compute


leading_zeros, trailing_zeros = _zeros_beside(True), _zeros_beside(False)


def count_ones(element: Attribute, value: Array) -> Array:
    """The number of bits that are set."""
    return wrap(np.bitwise_count(unsigned(value)).astype(np.int64), element)


def swap_bytes(element: Attribute, value: Array) -> Array:
    """The bytes in the other order."""
    return np.ascontiguousarray(value).byteswap()


def reverse_bits(element: Attribute, value: Array) -> Array:
    """The bits in the other order."""
    bits, width = unsigned(value), bit_width(element)
    result = np.zeros_like(bits)
    for position in range(width):
        bit = (bits >> bits.dtype.type(position)) & bits.dtype.type(1)
        result |= bit << bits.dtype.type(width - 1 - position)
    return wrap(result, element)


def funnel_shift(
    element: Attribute, high: Array, low: Array, amount: Array, *, left: bool
) -> Array:
    """One half of two numbers side by side, shifted."""
    width = bit_width(element)
    count = wrap(unsigned(amount) % width, element)
    rest = wrap(width - unsigned(count).astype(np.int64), element)
    up, down = (count, rest) if left else (rest, count)
    return ori(element, shli(element, high, up), shri(element, low, down, signed=False))


def ipowi(element: Attribute, base: Array, exponent: Array) -> Array:
    """An integer to the power of another; a negative one is rounded to zero."""
    power = signed(exponent)
    result, factor = np.ones_like(base), base
    rest = np.maximum(power, 0)
    while rest.any():
        result = np.where(rest & 1 != 0, muli(element, result, factor), result)
        factor, rest = muli(element, factor, factor), rest >> 1
    inverse = np.where(base == 1, 1, np.where(base == -1, np.where(power & 1 != 0, -1, 1), 0))
    return wrap(np.where(power < 0, inverse, result), element)


def _always(x: Array, y: Array) -> Array:
    return np.ones(np.broadcast(x, y).shape, np.bool_)


def _never(x: Array, y: Array) -> Array:
    return np.zeros(np.broadcast(x, y).shape, np.bool_)


_RELATIONS: dict[str, Wide] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less_than": np.less,
    "less_than_or_equal": np.less_equal,
    "greater_than": np.greater,
    "greater_than_or_equal": np.greater_equal,
    "always": _always,
    "never": _never,
}
_TRUE_WITH_NAN = ("not_equal", "always")


def cmpi(
    element: Attribute, lhs: Array, rhs: Array, *, predicate: str, signed: bool = True
) -> Array:
    """Whether the relation holds."""
    return np.asarray(_RELATIONS[predicate](_read(lhs, signed), _read(rhs, signed)))


# Exact operations of float64: the nearest number, and the error that it has

Operation: TypeAlias = Callable[..., tuple[Doubles, Doubles]]
"""Operands to the nearest number and the error, of which only the sign is meant."""


def _two_sum(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Knuth's sum: the nearest number and the exact error."""
    total = x + y
    virtual = total - x
    return total, (x - (total - virtual)) + (y - virtual)


def _split(x: Doubles) -> tuple[Doubles, Doubles]:
    """Veltkamp's split into two halves of a significand."""
    scaled = x * 134217729.0
    high = scaled - (scaled - x)
    return high, x - high


def _two_product(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Dekker's product: the nearest number and the exact error."""
    product = x * y
    x_high, x_low = _split(x)
    y_high, y_low = _split(y)
    error = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, error


def _to_odd(nearest: Doubles, error: Doubles) -> Doubles:
    """The exact number rounded to odd: if it is inexact, the neighbour with the last bit set."""
    bits = nearest.view(np.int64)
    inexact = (error < 0) | (error > 0)
    outwards = (error > 0) == (nearest > 0)
    step = np.where(outwards, 1, -1) * (inexact & (bits & 1 == 0))
    return np.asarray(bits + step).view(np.float64)


_add: Operation = _two_sum
_mul: Operation = _two_product


def _div(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    quotient = np.divide(x, y)
    product, low = _two_product(quotient, y)
    remainder = (x - product) - low
    return quotient, np.copysign(1.0, y) * remainder


def _sqrt(x: Doubles) -> tuple[Doubles, Doubles]:
    root = np.sqrt(x)
    square, low = _two_product(root, root)
    return root, (x - square) - low


def _fma(x: Doubles, y: Doubles, z: Doubles) -> tuple[Doubles, Doubles]:
    """Boldo and Melquiond's: the two errors, rounded to odd, are added to the large part."""
    product, product_low = _two_product(x, y)
    inner, inner_low = _two_sum(z, product_low)
    outer, outer_low = _two_sum(product, inner)
    nearest, error = _two_sum(outer, _to_odd(*_two_sum(inner_low, outer_low)))
    # Zeros get their sign, infinities and NaNs come, from the operation itself.
    finite = np.isfinite(x) & np.isfinite(y)
    plain = np.where(finite & ~np.isfinite(z), z, x * y + z)
    is_plain = (nearest == 0) | ~finite | ~np.isfinite(z)
    return np.where(is_plain, plain, nearest), error


def _mul_narrow(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Of types whose products are exact in float64: there is one error for all, and it is zero."""
    return x * y, np.zeros(())


def _fma_narrow(x: Doubles, y: Doubles, z: Doubles) -> tuple[Doubles, Doubles]:
    """Of types whose products are exact in float64."""
    return _two_sum(x * y, z)


_NARROW: dict[Operation, Operation] = {_mul: _mul_narrow, _fma: _fma_narrow}
"""What is simpler for other types than f64."""


def _nearest(value: Fraction) -> tuple[float, int]:
    """The nearest float and the sign of the error."""
    try:
        # The quotient of two integers is rounded correctly.
        nearest = value.numerator / value.denominator
    except OverflowError:
        nearest = math.inf if value > 0 else -math.inf
    if math.isinf(nearest):
        return nearest, -1 if nearest > 0 else 1
    exact = Fraction(nearest)
    return nearest, (value > exact) - (value < exact)


def _nearest_sqrt(value: Fraction) -> tuple[float, int]:
    """
    The nearest float to a square root and the sign of the error. Only numbers whose root is
    normal come here.
    """
    shift = (300 + value.denominator.bit_length()) // 2 * 2
    scaled = (value.numerator << 2 * shift) // value.denominator
    root = math.isqrt(scaled)
    # An inexact root is never near a tie of float64; the odd last bit stands for the rest.
    nearest, _ = _nearest(Fraction(2 * root + (root * root != scaled), 2 << shift))
    square = Fraction(nearest) ** 2
    return nearest, (value > square) - (value < square)


def _divide(x: Any, y: Any) -> Any:
    return x / y


def _multiply_add(x: Any, y: Any, z: Any) -> Any:
    return x * y + z


_FORMULAS: dict[Operation, Callable[..., Any]] = {
    _add: operator.add,
    _mul: operator.mul,
    _div: _divide,
    _fma: _multiply_add,
}
"""The operations on fractions, or on floats."""


def _slowly(operation: Operation, *operands: float) -> tuple[float, int]:
    """The nearest float and the sign of the error, for finite operands."""
    fractions = [Fraction(operand) for operand in operands]
    if operation is _sqrt:
        return _nearest_sqrt(*fractions)
    formula = _FORMULAS[operation]
    nearest, error = _nearest(formula(*fractions))
    if nearest == 0:
        # A fraction has no sign to give to a zero.
        nearest = math.copysign(0.0, error) if error else formula(*operands)
    return nearest, error


_SMALL, _LARGE = 2.0**-450, 2.0**450
"""Numbers between these are exact in all operations above."""


def _is_far(x: Doubles) -> Bools:
    """Finite numbers that leave the range in which float64 arithmetic has exact errors."""
    size = np.abs(x)
    return ((size < _SMALL) & (size > 0)) | ((size > _LARGE) & (size < np.inf))


def _with_error(operation: Operation, *operands: Doubles) -> tuple[Doubles, Doubles]:
    """An exact operation on any numbers; those far off take the slow way."""
    operands = tuple(np.broadcast_arrays(*operands))
    nearest, error = operation(*operands)
    error = np.where(np.isnan(error), 0.0, error)
    finite = np.logical_and.reduce([np.isfinite(operand) for operand in operands])
    far = finite & np.logical_or.reduce([_is_far(operand) for operand in operands])
    if operation is _div:
        far &= operands[1] != 0
    if operation is _sqrt:
        far &= operands[0] > 0
    nearest, error = np.array(nearest), np.array(error)
    for index in zip(*np.nonzero(np.atleast_1d(far)), strict=True):
        place = index if far.ndim else ()
        values = [float(operand[place]) for operand in operands]
        nearest[place], error[place] = _slowly(operation, *values)
    return nearest, error


def _step(nearest: Doubles, error: Doubles, rounding: str) -> Doubles:
    """The float64 of a mode: the nearest number or its neighbour."""
    match rounding:
        case "zero":
            steps = np.where(np.signbit(nearest), error > 0, error < 0)
            steps &= nearest != 0
            towards = np.zeros_like(nearest)
        case "negative_inf":
            steps, towards = error < 0, np.full_like(nearest, -np.inf)
        case "positive_inf":
            steps, towards = error > 0, np.full_like(nearest, np.inf)
        case "nearest_away":
            # Of a tie, the nearest even number may be the one below.
            towards = np.copysign(np.inf, nearest)
            half = (np.nextafter(nearest, towards) - nearest) / 2
            steps = (error == half) & (error != 0)
        case _:
            return nearest
    return np.where(steps, np.nextafter(nearest, towards), nearest)


# Floating-point arithmetic


def _flush(values: Array, flush_to_zero: bool) -> Array:
    """Subnormal float32 numbers become zeros of their sign."""
    if not flush_to_zero:
        return values
    tiny = np.finfo(values.dtype).tiny
    return np.where(np.abs(values) < tiny, np.copysign(values.dtype.type(0), values), values)


_NORMAL = 2.0**-126
"""The smallest normal number of f32."""


def _is_flushed(values: Doubles, rounding: str) -> Bools:
    """
    Whether results are subnormal and so flushed: after they are rounded, but rounded as if
    there were smaller normal numbers. Those that reach the smallest one are kept.
    """
    size = np.abs(values)
    match rounding:
        case "zero":
            return size < _NORMAL
        case "negative_inf" | "positive_inf":
            outwards = np.signbit(values) == (rounding == "negative_inf")
            return np.where(outwards, size <= _NORMAL * (1 - 2.0**-24), size < _NORMAL)
        case _:
            return size < _NORMAL * (1 - 2.0**-25)


def _round_flushed(values: Doubles, rounding: str) -> Array:
    """Rounds float64 numbers, exact or rounded to odd, to f32 without subnormal numbers."""
    result = round_to(values, f32, rounding)
    flushed = _is_flushed(values, rounding)
    if not flushed.any():
        return result
    return np.where(flushed, np.copysign(np.float32(0), result), result)


_NEAREST = ("nearest_even", "approx", "full")
"""The modes that are computed as nearest even."""


def _narrow(values: Any, element: Attribute) -> Array:
    """Nearest even, from the values of a wide type to those of an element type."""
    return round_to(np.asarray(values), element)


def _negative_zeros(
    operation: Operation, nearest: Doubles, error: Doubles, operands: Sequence[Doubles]
) -> Doubles:
    """Rounding down, a sum that is zero is -0 unless both terms are +0."""
    if operation is _add:
        negative = np.signbit(operands[0]) | np.signbit(operands[1])
    else:
        product = np.signbit(operands[0]) ^ np.signbit(operands[1])
        negative = product | np.signbit(operands[2])
    return np.where((nearest == 0) & (error == 0) & negative, -0.0, nearest)


def _rounded_once(operation: Operation, plain: Wide | None) -> Numeric:
    """An operation that rounds once, in any mode; `plain` is NumPy's, if that does for nearest."""

    @quietly
    def compute(
        element: Attribute,
        *arrays: Array,
        rounding: str = "nearest_even",
        flush_to_zero: bool = False,
    ) -> Array:
        wide = [_flush(widen(array, element), flush_to_zero) for array in arrays]
        if rounding in _NEAREST:
            # Sums and roots that would be flushed are exact, or are not there.
            if plain is not None and not (flush_to_zero and operation in (_mul, _div)):
                return _flush(_narrow(plain(*wide), element), flush_to_zero)
            rounding = "nearest_even"
        doubles = [array.astype(np.float64, copy=False) for array in wide]
        if isinstance(element, Float64Type):
            nearest, error = _with_error(operation, *doubles)
        else:
            nearest, error = _NARROW.get(operation, operation)(*doubles)
        nearest, error = np.asarray(nearest), np.asarray(error)
        if rounding == "negative_inf" and operation in (_add, _fma):
            nearest = _negative_zeros(operation, nearest, error, doubles)
        if isinstance(element, Float64Type):
            return np.asarray(_step(nearest, error, rounding))
        odd = _to_odd(nearest, error) if error.ndim or not nearest.ndim else nearest
        return np.asarray(
            _round_flushed(odd, rounding) if flush_to_zero else round_to(odd, element, rounding)
        )

    return compute


addf, mulf = _rounded_once(_add, np.add), _rounded_once(_mul, np.multiply)
divf, sqrt = _rounded_once(_div, np.divide), _rounded_once(_sqrt, np.sqrt)


_subtract, _fma_once = _rounded_once(_add, np.subtract), _rounded_once(_fma, None)


def subf(element: Attribute, lhs: Array, rhs: Array, **modes: Any) -> Array:
    """The difference."""
    if modes.get("rounding", "nearest_even") in _NEAREST:
        return _subtract(element, lhs, rhs, **modes)
    return addf(element, lhs, negf(element, rhs), **modes)


def reciprocal(element: Attribute, source: Array, **modes: Any) -> Array:
    """One divided by a number."""
    return divf(element, np.ones_like(source), source, **modes)


@quietly
def fma(element: Attribute, lhs: Array, rhs: Array, acc: Array, **modes: Any) -> Array:
    """`lhs * rhs + acc`, rounded once."""
    arrays = lhs, rhs, acc
    is_nearest = modes.get("rounding", "nearest_even") in _NEAREST
    if isinstance(element, Float64Type) or not is_nearest or modes.get("flush_to_zero", False):
        return _fma_once(element, *arrays, **modes)
    return _fma_nearest(element, *(np.atleast_1d(array) for array in arrays)).reshape(acc.shape)


def _fma_nearest(element: Attribute, lhs: Array, rhs: Array, acc: Array) -> Array:
    """Rounds twice, and again with care where the first result is a tie of the second."""
    x, y, z = (widen(array, element).astype(np.float64) for array in (lhs, rhs, acc))
    nearest = x * y + z
    result = _narrow(nearest, element)
    fmt = float_format(element)
    tie = 1 << (52 - fmt.precision)
    doubtful = nearest.view(np.int64) & (2 * tie - 1) == tie
    # Subnormal numbers have their ties elsewhere.
    doubtful |= (np.abs(nearest) < 2.0**fmt.min_exponent) & (nearest != 0)
    if doubtful.any():
        operands = (array[doubtful] for array in (x, y, z))
        result[doubtful] = round_to(_to_odd(*_fma_narrow(*operands)), element)
    return result


@quietly
def remf(element: Attribute, lhs: Array, rhs: Array) -> Array:
    """The remainder of the quotient rounded to zero; it is exact and has the sign of `lhs`."""
    return _narrow(np.fmod(widen(lhs, element), widen(rhs, element)), element)


def _extremum(ignores_nan: Wide, propagates_nan: Wide, is_max: bool) -> Numeric:
    """One of two floats by their order, +0 above -0; NaN is ignored unless propagated or alone."""

    @quietly
    def compute(
        element: Attribute,
        lhs: Array,
        rhs: Array,
        *,
        propagate_nan: bool = False,
        flush_to_zero: bool = False,
    ) -> Array:
        x, y = (_flush(widen(array, element), flush_to_zero) for array in (lhs, rhs))
        if propagate_nan:
            result = propagates_nan(x, y)
        else:
            # What NumPy makes of a number and a signaling NaN depends on the machine.
            result = np.where(np.isnan(x), y, np.where(np.isnan(y), x, ignores_nan(x, y)))
        zero = result == 0
        if np.any(zero):
            # NumPy takes either of two zeros.
            first = np.signbit(x) != is_max
            result = np.where(zero & (x == y), np.where(first, x, y), result)
        return _narrow(result, element)

    return compute


maxf = _extremum(np.fmax, np.maximum, is_max=True)
minf = _extremum(np.fmin, np.minimum, is_max=False)


@quietly
def cmpf(
    element: Attribute, lhs: Array, rhs: Array, *, predicate: str, ordered: bool = True
) -> Array:
    """Whether the relation holds; with NaN it does exactly if the comparison is unordered."""
    x, y = widen(lhs, element), widen(rhs, element)
    holds = np.asarray(_RELATIONS[predicate](x, y))
    if ordered != (predicate in _TRUE_WITH_NAN):
        return holds
    nan = np.isnan(x) | np.isnan(y)
    return np.asarray(holds & ~nan if ordered else holds | nan)


def _sign_bit(element: Attribute) -> Array:
    width = bit_width(element)
    return np.asarray(1 << (width - 1), dtype=f"u{dtype_of(element).itemsize}")


def absf(element: Attribute, source: Array) -> Array:
    """Clears the sign, also of NaN."""
    return from_bits(bits_of(source, element) & ~_sign_bit(element), element)


def negf(element: Attribute, source: Array) -> Array:
    """Flips the sign, also of NaN."""
    return from_bits(bits_of(source, element) ^ _sign_bit(element), element)


def copysign(element: Attribute, magnitude: Array, sign: Array) -> Array:
    """The first number with the sign of the second."""
    top = _sign_bit(element)
    bits = bits_of(magnitude, element) & ~top | bits_of(sign, element) & top
    return from_bits(bits, element)


def of_doubles(function: Wide) -> Numeric:
    """A function computed in float64 and rounded once, in all modes that it has."""

    @quietly
    def compute(
        element: Attribute, *arrays: Array, rounding: str = "full", flush_to_zero: bool = False
    ) -> Array:
        doubles = [
            _flush(widen(array, element), flush_to_zero).astype(np.float64, copy=False)
            for array in arrays
        ]
        values = np.asarray(function(*doubles))
        return np.asarray(
            _round_flushed(values, "nearest_even") if flush_to_zero else _narrow(values, element)
        )

    return compute


def _reciprocal_sqrt(x: Doubles) -> Doubles:
    return 1.0 / np.sqrt(x)


exp, exp2, log, log2 = (of_doubles(f) for f in (np.exp, np.exp2, np.log, np.log2))
sin, cos, tan = of_doubles(np.sin), of_doubles(np.cos), of_doubles(np.tan)
sinh, cosh, tanh = of_doubles(np.sinh), of_doubles(np.cosh), of_doubles(np.tanh)
ceil, floor = of_doubles(np.ceil), of_doubles(np.floor)
power = of_doubles(np.power)
rsqrt = of_doubles(_reciprocal_sqrt)
"""The reciprocal of the square root; an infinity of the same sign for zeros."""
atan2 = of_doubles(np.arctan2)
"""
The angle of a point in its quadrant. The first operand, named `x` in Tile IR, is the ordinate: the
result is the arc tangent of `x / y`, as cuTile's `atan2(x1, x2)` has it.
"""


@quietly
def fpowi(element: Attribute, source: Array, exponent: Array) -> Array:
    """
    `source` to an integer power, which is signed: an i1 is 0 or -1. Squares are multiplied, in f32
    or f64, as libdevice does it: every product is rounded, and so is the reciprocal of the power
    if the exponent is negative.
    """
    power = signed(exponent).astype(np.int64)
    square = np.asarray(widen(source, element))
    rest = np.abs(power)
    one = square.dtype.type(1)
    value = np.where(rest & 1, square, one)
    while (rest := rest >> 1).any():
        square = square * square
        value = np.where(rest & 1, value * square, value)
    return _narrow(np.where(power < 0, one / value, value), element)


# Conversions


def type_between(source: Attribute, result: Attribute) -> Attribute | None:
    """
    The type that numbers are rounded to first, to nearest even, where the hardware has no
    conversion and NVIDIA's compiler takes two: f32 from f64 to tf32 and types of 8 bits and less,
    f32 from integers to tf32, and f16 from integers to types of 8 bits.
    """
    if isinstance(source, Float64Type):
        return f32 if bit_width(result) < 16 or isinstance(result, FloatTF32Type) else None
    if isinstance(source, IntegerType):
        if isinstance(result, FloatTF32Type):
            return f32
        return f16 if isinstance(result, Float8E4M3FNType | Float8E5M2Type) else None
    return None


def ftof(
    source: Attribute, result: Attribute, value: Array, *, rounding: str = "nearest_even"
) -> Array:
    """Floats to floats, as `round_to` says, in steps where `type_between` has one."""
    wide = widen(value, source)
    if rounding == "nearest_even" and (between := type_between(source, result)) is not None:
        wide = round_to(wide, between)
    return round_to(wide, result, rounding)


@quietly
def ftoi(
    source: Attribute,
    result: Attribute,
    value: Array,
    *,
    signed: bool = True,
    saturating: bool = True,
) -> Array:
    """
    Floats, rounded to zero, to integers. With and without `saturating`: what is out of range
    becomes the nearest integer of the type, NaN becomes zero; so it was defined up to 13.3.
    An i1 tells, as on the hardware, whether the number is another than zero.
    """
    width = bit_width(result)
    if width == 1:
        return np.asarray(widen(value, source) != 0)
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1)) if signed else (0, 2**width)
    values = widen(value, source).astype(np.float64)
    values = np.where(np.isnan(values), 0.0, values)
    if width < 64:
        return wrap(np.clip(values, low, high - 1).astype(np.int64), result)
    # The largest integer is no float64, but all that is less than the next one can be cast.
    integers = np.where((values >= low) & (values < high), values, 0.0)
    limited = integers.astype(np.int64 if signed else np.uint64)
    limited = np.where(values >= high, limited.dtype.type(high - 1), limited)
    return wrap(np.where(values < low, limited.dtype.type(low), limited), result)


@quietly
def itof(
    source: Attribute,
    result: Attribute,
    value: Array,
    *,
    signed: bool = True,
    rounding: str = "nearest_even",
) -> Array:
    """Integers to floats, in steps where `type_between` has one."""
    if rounding == "nearest_even" and (between := type_between(source, result)) is not None:
        return ftof(between, result, itof(source, between, value, signed=signed))
    integers = _read(value, signed)
    if bit_width(source) < 64:
        return round_to(integers.astype(np.float64), result, rounding)
    high = (integers >> integers.dtype.type(32)).astype(np.float64) * 2.0**32
    low = (integers & integers.dtype.type(0xFFFFFFFF)).astype(np.float64)
    nearest, error = _two_sum(high, low)
    if isinstance(result, Float64Type):
        return np.asarray(_step(np.asarray(nearest), np.asarray(error), rounding))
    return round_to(_to_odd(np.asarray(nearest), np.asarray(error)), result, rounding)


def exti(source: Attribute, result: Attribute, value: Array, *, signed: bool = True) -> Array:
    """Wider integers, by sign or by zeros."""
    return wrap(_read(value, signed).astype(np.int64), result)


def trunci(source: Attribute, result: Attribute, value: Array) -> Array:
    """Narrower integers."""
    return wrap(unsigned(value), result)


def bitcast(source: Attribute, result: Attribute, value: Array) -> Array:
    """Other elements of the same bits."""
    return from_bits(bits_of(value, source), result)


def pack(source: Attribute, result: Attribute, value: Array) -> Array:
    """The bytes of elements; eight i1 or two 4-bit elements to a byte, the first one lowest."""
    if bit_width(source) == 1:
        return np.packbits(value, bitorder="little").view(np.int8)
    return to_bytes(value, source).view(np.int8)


def unpack(source: Attribute, result: Attribute, value: Array) -> Array:
    """The elements that bytes hold."""
    data = np.ascontiguousarray(value).view(np.uint8)
    if bit_width(result) == 1:
        return np.unpackbits(data, bitorder="little").astype(np.bool_)
    return from_bytes(data, result)


# Dot


@quietly
def mmaf(
    lhs_element: Attribute,
    rhs_element: Attribute,
    acc_element: Attribute,
    lhs: Array,
    rhs: Array,
    acc: Array,
) -> Array:
    """
    `lhs @ rhs + acc`. Products and sums are those of float32, or float64 for f64: products of
    narrower types are exact there. An f16 result is rounded once, at the end.
    """
    result = np.matmul(widen(lhs, lhs_element), widen(rhs, rhs_element))
    result += widen(acc, acc_element)
    return _narrow(result, acc_element)


_MAX_EXACT_K = 256
"""Up to this many products of bytes have an exact sum in float32."""


@quietly
def mmai(
    lhs: Array, rhs: Array, acc: Array, *, lhs_signed: bool = True, rhs_signed: bool = True
) -> Array:
    """`lhs @ rhs + acc` of 8-bit integers, cut to the 32 bits of the accumulator."""
    is_short = lhs.shape[-1] <= _MAX_EXACT_K
    wide, whole = (np.float32, np.int32) if is_short else (np.float64, np.int64)
    x, y = _read(lhs, lhs_signed).astype(wide), _read(rhs, rhs_signed).astype(wide)
    return np.matmul(x, y).astype(whole).astype(np.int32) + acc


@quietly
def mmaf_scaled(
    elements: Sequence[Attribute],
    lhs: Array,
    rhs: Array,
    acc: Array,
    lhs_scale: Array,
    rhs_scale: Array,
) -> Array:
    """
    `lhs @ rhs + acc`, where each run of elements along K has a scale of its own. Computed in
    float64, where scaled products are exact, and rounded once.
    """
    x, y, total, x_scale, y_scale = (
        widen(array, element).astype(np.float64)
        for array, element in zip((lhs, rhs, acc, lhs_scale, rhs_scale), elements, strict=True)
    )
    x = x * np.repeat(x_scale, x.shape[-1] // x_scale.shape[-1], axis=-1)
    y = y * np.repeat(y_scale, y.shape[-2] // y_scale.shape[-2], axis=-2)
    return _narrow(np.matmul(x, y) + total, elements[2])
