"""
What arithmetic of element types must yield, by integers and fractions of Python and without
NumPy: the definitions that the tests compare with.

A number is a bit pattern. `decode` makes a `Number` of it, `encode` rounds a fraction to one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    FloatTF32Type,
    IntegerType,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.types import fnv8E5M3FNU

bf16 = BFloat16Type()
tf32 = FloatTF32Type()
f8E4M3FN = Float8E4M3FNType()
f8E5M2 = Float8E5M2Type()
f8E8M0FNU = Float8E8M0FNUType()
f4E2M1FN = Float4E2M1FNType()
i1, i4, i8, i16, i32, i64 = (IntegerType(width) for width in (1, 4, 8, 16, 32, 64))

MODES = ("nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away")
IEEE_MODES = MODES[:4]


@dataclass(frozen=True)
class Spec:
    """The layout of a floating-point type."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    top: str = "ieee"
    """What the largest bit patterns are: `ieee`, one `nan`, or `none` but numbers."""
    signed: bool = True
    clamps: bool = False
    """Whether conversions stop at the largest number."""

    @cached_property
    def width(self) -> int:
        return self.signed + self.exponent_bits + self.mantissa_bits

    @cached_property
    def magnitude_mask(self) -> int:
        return (1 << (self.exponent_bits + self.mantissa_bits)) - 1

    @cached_property
    def largest(self) -> int:
        """The bits of the largest finite number."""
        match self.top:
            case "ieee":
                return ((1 << self.exponent_bits) - 1 << self.mantissa_bits) - 1
            case "nan":
                return self.magnitude_mask - 1
            case _:
                return self.magnitude_mask

    @cached_property
    def min_exponent(self) -> int:
        """Of the smallest normal number; without a mantissa, all numbers are normal."""
        return (1 if self.mantissa_bits else 0) - self.bias


SPECS: dict[Attribute, Spec] = {
    f16: Spec(5, 10, 15),
    bf16: Spec(8, 7, 127),
    tf32: Spec(8, 10, 127),
    f32: Spec(8, 23, 127),
    f64: Spec(11, 52, 1023),
    f8E4M3FN: Spec(4, 3, 7, "nan", clamps=True),
    f8E5M2: Spec(5, 2, 15, clamps=True),
    f8E8M0FNU: Spec(8, 0, 127, "nan", signed=False, clamps=True),
    f4E2M1FN: Spec(2, 1, 1, "none", clamps=True),
    fnv8E5M3FNU: Spec(5, 3, 15, "nan", signed=False, clamps=True),
}
FLOATS = tuple(SPECS)
BASE_FLOATS = (f16, bf16, f32, f64)
"""The types that arithmetic takes."""
INTEGERS = (i1, i8, i16, i32, i64)


@dataclass(frozen=True)
class Number:
    """A magnitude and a sign; `None` is NaN, `math.inf` infinity."""

    magnitude: Fraction | float | None
    negative: bool = False

    @property
    def is_nan(self) -> bool:
        return self.magnitude is None

    @property
    def is_infinite(self) -> bool:
        return self.magnitude == math.inf

    @property
    def is_finite(self) -> bool:
        return isinstance(self.magnitude, Fraction)

    @property
    def is_zero(self) -> bool:
        return self.magnitude == 0

    @property
    def value(self) -> Fraction:
        assert isinstance(self.magnitude, Fraction)
        return -self.magnitude if self.negative else self.magnitude

    def negated(self) -> Number:
        return Number(self.magnitude, not self.negative)


NAN = Number(None)


def scaled(integer: int, exponent: int) -> Fraction:
    """An integer times a power of two."""
    return Fraction(integer << exponent) if exponent >= 0 else Fraction(integer, 1 << -exponent)


@lru_cache(1 << 16)
def decode(bits: int, element: Attribute) -> Number:
    """The number of a bit pattern."""
    spec = SPECS[element]
    negative = bool(spec.signed and bits >> (spec.width - 1))
    magnitude = bits & spec.magnitude_mask
    if spec.top == "ieee" and magnitude > spec.largest:
        return Number(math.inf, negative) if magnitude == spec.largest + 1 else NAN
    if spec.top == "nan" and magnitude == spec.magnitude_mask:
        return NAN
    exponent, fraction = magnitude >> spec.mantissa_bits, magnitude % (1 << spec.mantissa_bits)
    if spec.mantissa_bits and exponent == 0:
        exponent = 1
    else:
        fraction += 1 << spec.mantissa_bits
    return Number(scaled(fraction, exponent - spec.bias - spec.mantissa_bits), negative)


def floor_log2(value: Fraction) -> int:
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if exponent >= 0:
        return exponent - (value.numerator < value.denominator << exponent)
    return exponent - (value.numerator << -exponent < value.denominator)


def round_up(rest: int, step: int, odd: bool, negative: bool, mode: str) -> bool:
    """Whether a magnitude is rounded up that lies `rest / step` of a step above a number."""
    match mode:
        case "nearest_even":
            return 2 * rest > step or (2 * rest == step and odd)
        case "nearest_away":
            return 2 * rest >= step
        case "zero":
            return False
        case "negative_inf":
            return rest > 0 and negative
        case "positive_inf":
            return rest > 0 and not negative
        case _:
            raise AssertionError(mode)


def encode(number: Number, element: Attribute, mode: str, clamps: bool | None = None) -> int | None:
    """The bit pattern a number is rounded to; `None` stands for any NaN."""
    spec = SPECS[element]
    clamps = spec.clamps if clamps is None else clamps
    if number.magnitude is None:
        return spec.largest if spec.top == "none" else None
    negative = number.negative and spec.signed
    sign = negative << (spec.width - 1)
    beyond = {"ieee": spec.largest + 1, "nan": None, "none": spec.largest}[spec.top]
    if clamps:
        beyond = spec.largest
    magnitude = number.magnitude
    if not isinstance(magnitude, Fraction):
        return None if beyond is None else sign | beyond
    exponent = spec.min_exponent
    if magnitude:
        exponent = max(exponent, floor_log2(magnitude))
    numerator, step = magnitude.numerator, magnitude.denominator
    if exponent >= spec.mantissa_bits:
        step <<= exponent - spec.mantissa_bits
    else:
        numerator <<= spec.mantissa_bits - exponent
    steps, rest = divmod(numerator, step)
    below = ((exponent + spec.bias) << spec.mantissa_bits) + steps - (1 << spec.mantissa_bits)
    if spec.mantissa_bits == 0 and below < 0:
        return 0
    bits = below + round_up(rest, step, bool(below & 1), negative, mode)
    if bits <= spec.largest:
        return sign | bits
    overflows = {"zero": False, "negative_inf": negative, "positive_inf": not negative}
    if clamps or not overflows.get(mode, True):
        return sign | spec.largest
    return None if beyond is None else sign | beyond


# Arithmetic of decoded numbers; the result is encoded


def signed_zero(terms: Sequence[bool], mode: str) -> bool:
    """The sign of a sum that is zero."""
    return any(terms) if mode == "negative_inf" else all(terms)


def add(x: Number, y: Number, mode: str) -> Number:
    if x.is_nan or y.is_nan:
        return NAN
    if x.is_infinite or y.is_infinite:
        if x.is_infinite and y.is_infinite and x.negative != y.negative:
            return NAN
        return x if x.is_infinite else y
    total = x.value + y.value
    if total == 0:
        return Number(Fraction(0), signed_zero((x.negative, y.negative), mode))
    return Number(abs(total), total < 0)


def sub(x: Number, y: Number, mode: str) -> Number:
    return add(x, y.negated(), mode)


def mul(x: Number, y: Number, mode: str) -> Number:
    if x.is_nan or y.is_nan:
        return NAN
    negative = x.negative != y.negative
    if x.is_infinite or y.is_infinite:
        return NAN if x.is_zero or y.is_zero else Number(math.inf, negative)
    return Number(abs(x.value * y.value), negative)


def div(x: Number, y: Number, mode: str) -> Number:
    if x.is_nan or y.is_nan:
        return NAN
    negative = x.negative != y.negative
    if x.is_infinite:
        return NAN if y.is_infinite else Number(math.inf, negative)
    if y.is_infinite:
        return Number(Fraction(0), negative)
    if y.is_zero:
        return NAN if x.is_zero else Number(math.inf, negative)
    return Number(abs(x.value / y.value), negative)


def fma(x: Number, y: Number, z: Number, mode: str) -> Number:
    return add(mul(x, y, mode), z, mode)


def sqrt(x: Number, mode: str) -> Number:
    """The root to 600 bits, with an odd last one if it is not exact."""
    if x.is_nan or x.is_zero:
        return x
    if x.negative:
        return NAN
    if x.is_infinite:
        return x
    shift = 1200
    square = x.value * 4**shift
    assert square.denominator == 1
    root = math.isqrt(square.numerator)
    exact = root * root == square.numerator
    return Number(Fraction(2 * root + (not exact), 2 ** (shift + 1)))


Operation = Callable[..., Number]


def flush(bits: int | None, element: Attribute) -> int | None:
    """Subnormal numbers to zeros of their sign."""
    spec = SPECS[element]
    if bits is not None and bits & spec.magnitude_mask < 1 << spec.mantissa_bits:
        return bits & ~spec.magnitude_mask
    return bits


def compute(
    operation: Operation,
    element: Attribute,
    operands: Sequence[int],
    mode: str,
    *,
    flush_to_zero: bool = False,
) -> int | None:
    """An operation on bit patterns."""
    inputs: list[int | None] = list(operands)
    if flush_to_zero:
        inputs = [flush(bits, element) for bits in inputs]
    numbers = [decode(bits, element) for bits in inputs if bits is not None]
    number = operation(*numbers, mode)
    result = encode(number, element, mode)
    if flush_to_zero and result is not None and is_flushed(number, element, mode):
        return result & ~SPECS[element].magnitude_mask
    return result


def is_flushed(number: Number, element: Attribute, mode: str) -> bool:
    """
    Whether a number is less than normal ones after it is rounded as if exponents had no limit.
    So says an H200: (2^-63 + 2^-86) (2^-63 - 2^-86) is 2^-126, but 2^-126 (1 - 2^-24) is zero.
    """
    normal = SPECS[element].min_exponent
    if not isinstance(number.magnitude, Fraction) or number.magnitude >= scaled(1, normal):
        return False
    bits = encode(Number(number.magnitude * 2**64, number.negative), element, mode)
    assert bits is not None
    return abs(decode(bits, element).value) < scaled(1, normal + 64)


# Samples


def special_bits(element: Attribute) -> list[int]:
    """Zeros, the ends of subnormal and normal numbers, one and around it, infinity, NaN."""
    spec = SPECS[element]
    step = 1 << spec.mantissa_bits
    one = spec.bias << spec.mantissa_bits
    magnitudes = {0, 1, 2, 3, step - 1, step, step + 1, one - 1, one, one + 1, one + step // 2}
    magnitudes |= {one + step, spec.largest - 1, spec.largest, spec.magnitude_mask}
    if spec.top == "ieee":
        magnitudes |= {spec.largest + 1}
    magnitudes = {bits for bits in magnitudes if 0 <= bits <= spec.magnitude_mask}
    signs = (0, 1 << (spec.width - 1)) if spec.signed else (0,)
    return sorted(sign | bits for sign in signs for bits in magnitudes)


def sample_bits(element: Attribute, count: int, seed: int = 0) -> list[int]:
    """All bit patterns, or the special ones and random ones."""
    width = SPECS[element].width
    if 1 << width <= count:
        return list(range(1 << width))
    generator = random.Random(seed)
    special = special_bits(element)
    return special + [generator.getrandbits(width) for _ in range(count - len(special))]


def near_bits(bits: int, element: Attribute, generator: random.Random) -> int:
    """Another number of about the size of one, or not so far from it."""
    spec = SPECS[element]
    exponent = (bits & spec.magnitude_mask) >> spec.mantissa_bits
    exponent += generator.randint(-spec.mantissa_bits - 3, spec.mantissa_bits + 3)
    exponent = min(max(exponent, 0), (1 << spec.exponent_bits) - 2)
    fraction = generator.choice((0, 1, (1 << spec.mantissa_bits) - 1, None, None))
    if fraction is None:
        fraction = generator.getrandbits(spec.mantissa_bits)
    return generator.getrandbits(1) << (spec.width - 1) | exponent << spec.mantissa_bits | fraction


def sample_pairs(element: Attribute, count: int, seed: int = 0) -> list[tuple[int, int]]:
    """All pairs of special numbers, then pairs of random ones that affect each other."""
    generator = random.Random(seed)
    special = special_bits(element)
    pairs = [(x, y) for x in special for y in special]
    while len(pairs) < count:
        x = generator.getrandbits(SPECS[element].width)
        pairs.append((x, near_bits(x, element, generator)))
    return pairs


def integer_samples(width: int, count: int, seed: int = 0) -> list[int]:
    """Unsigned bit patterns of integers: the ends of both ranges, and random ones."""
    if 1 << width <= count:
        return list(range(1 << width))
    generator = random.Random(seed)
    half, full = 1 << (width - 1), 1 << width
    special = {
        0,
        1,
        2,
        3,
        width - 1,
        width,
        width + 1,
        half - 1,
        half,
        half + 1,
        full - 2,
        full - 1,
    }
    numbers = sorted(special)
    while len(numbers) < count:
        numbers.append(generator.getrandbits(generator.randint(1, width)))
    return numbers


def to_signed(bits: int, width: int) -> int:
    """A bit pattern as a number of two's complement."""
    return bits - (1 << width) if bits >> (width - 1) else bits
