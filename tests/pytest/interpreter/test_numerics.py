"""
Arithmetic of floats on arrays, against fractions of Python; `test_ops_integer.py` has integers.

Transcendental functions have no exact reference here: they are compared with those of
`longdouble`, within bounds that the tests state.
"""

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f16, f32, f64
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.enums import Rounding
from tileiras_xdsl.dialects.cuda_tile.types import element_name, fnv8E5M3FNU
from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.elements import (
    Array,
    bit_width,
    bits_of,
    dtype_of,
    from_bits,
    round_to,
    widen,
)

from . import exact
from .exact import (
    BASE_FLOATS,
    IEEE_MODES,
    SPECS,
    Number,
    bf16,
    decode,
    encode,
    f4E2M1FN,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    i1,
    i4,
    i8,
    i16,
    i32,
    i64,
    near_bits,
    sample_bits,
    sample_pairs,
    tf32,
    to_signed,
)

with_float = pytest.mark.parametrize("element", BASE_FLOATS, ids=element_name)


def array_of(bits: Sequence[int], element: Attribute) -> Array:
    return from_bits(np.array(bits, np.uint64), element)


def assert_floats(
    found: Array, element: Attribute, expected: Sequence[int | None], *operands: Sequence[int]
) -> None:
    """Compares bit patterns; `None` is any NaN."""
    assert found.dtype == dtype_of(element)
    bits: list[int] = bits_of(found, element).tolist()
    wrong = [
        ([hex(operand[index]) for operand in operands], hex(pattern), expected[index])
        for index, pattern in enumerate(bits)
        if pattern != expected[index]
        and not (expected[index] is None and decode(pattern, element).is_nan)
    ]
    assert len(bits) == len(expected)
    assert not wrong, wrong[:5]


# Floating-point arithmetic, rounded once

BINARY = {
    "addf": (numerics.addf, exact.add),
    "subf": (numerics.subf, exact.sub),
    "mulf": (numerics.mulf, exact.mul),
    "divf": (numerics.divf, exact.div),
}


@pytest.mark.every(7)
@with_float
@pytest.mark.parametrize("mode", IEEE_MODES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_floats(element: Attribute, mode: str, name: str):
    function, reference = BINARY[name]
    lhs, rhs = zip(*sample_pairs(element, 1300), strict=True)
    found = function(element, array_of(lhs, element), array_of(rhs, element), rounding=mode)
    expected = [
        exact.compute(reference, element, pair, mode) for pair in zip(lhs, rhs, strict=True)
    ]
    assert_floats(found, element, expected, lhs, rhs)


@pytest.mark.every(7)
@pytest.mark.parametrize("mode", IEEE_MODES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_floats_flushed(mode: str, name: str):
    function, reference = BINARY[name]
    pairs = sample_pairs(f32, 800)
    generator = random.Random(3)
    # Results about the smallest normal number.
    for _ in range(600):
        small = 0x00800000 + generator.randint(-(1 << 20), 1 << 24)
        pairs.append((small, small + generator.randint(-(1 << 21), 1 << 21)))
        pairs.append((small, 0x3F800000 + generator.randint(-(1 << 23), 1 << 23)))
        # 2^-63 (1 ± a little) each: products from which rounding leads to 2^-126 or not.
        offset = generator.randint(0, 40)
        pairs.append((0x20000000 + offset, 0x20000000 - 2 * offset + generator.randint(-2, 2)))
    lhs, rhs = zip(*pairs, strict=True)
    found = function(f32, array_of(lhs, f32), array_of(rhs, f32), rounding=mode, flush_to_zero=True)
    expected = [
        exact.compute(reference, f32, pair, mode, flush_to_zero=True)
        for pair in zip(lhs, rhs, strict=True)
    ]
    assert_floats(found, f32, expected, lhs, rhs)


def fma_operands(element: Attribute, count: int) -> list[tuple[int, int, int]]:
    """
    Special numbers; products and sums that nearly cancel; and sums that are a little beside a
    tie, where rounding twice goes wrong.
    """
    spec = SPECS[element]
    generator = random.Random(4)
    special = exact.special_bits(element)
    triples = [tuple(generator.choices(special, k=3)) for _ in range(count)]
    for _ in range(count):
        x = generator.getrandbits(spec.width)
        y = near_bits(spec.bias << spec.mantissa_bits, element, generator)
        number = exact.mul(decode(x, element), decode(y, element), "zero")
        product = encode(number, element, "nearest_even")
        if product is None:
            continue
        negated = product ^ 1 << (spec.width - 1)
        triples.append((x, y, negated))
        triples.append((x, y, near_bits(product, element, generator)))
        # (1 + a step) * 1.5 and the like end in half a step; then something tiny is added.
        one = spec.bias << spec.mantissa_bits
        odd = one + 2 * generator.getrandbits(spec.mantissa_bits - 1) + 1
        half = one + (1 << (spec.mantissa_bits - 1))
        tiny = generator.getrandbits(1) << (spec.width - 1) | generator.randint(1, one // 2)
        triples.append((odd, half, tiny))
    return [(x, y, z) for x, y, z in triples]


@pytest.mark.every(3)
@with_float
@pytest.mark.parametrize("mode", IEEE_MODES)
def test_fma(element: Attribute, mode: str):
    triples = fma_operands(element, 400)
    x, y, z = zip(*triples, strict=True)
    found = numerics.fma(
        element, array_of(x, element), array_of(y, element), array_of(z, element), rounding=mode
    )
    expected = [exact.compute(exact.fma, element, triple, mode) for triple in triples]
    assert_floats(found, element, expected, x, y, z)


@pytest.mark.parametrize("mode", IEEE_MODES)
def test_fma_beside_subnormal_ties(mode: str):
    """2^-150 (1 - 2^-46), which in float64 is half a step, is added to odd and even numbers."""
    triples = [
        (0x1A000001, 0x19FFFFFE | sign, number | other)
        for sign in (0, 1 << 31)
        for other in (0, 1 << 31)
        for number in range(0x00400000, 0x00400004)
    ]
    x, y, z = zip(*triples, strict=True)
    found = numerics.fma(f32, array_of(x, f32), array_of(y, f32), array_of(z, f32), rounding=mode)
    expected = [exact.compute(exact.fma, f32, triple, mode) for triple in triples]
    assert_floats(found, f32, expected, x, y, z)


def test_fma_with_an_overflowing_product():
    """Infinity wins over products that only seem to be infinite."""
    huge, infinity = np.array([1e200, 1e200]), np.array([-np.inf, 1e300])
    for mode in IEEE_MODES:
        found = numerics.fma(f64, huge, huge, infinity, rounding=mode)
        largest = mode in ("zero", "negative_inf")
        assert found.tolist() == [-math.inf, np.finfo(np.float64).max if largest else math.inf]


@pytest.mark.parametrize("mode", IEEE_MODES)
def test_fma_flushed(mode: str):
    triples = fma_operands(f32, 300)
    generator = random.Random(10)
    for exponent in range(20, 40):
        # 2^-126 less something of about the last places.
        for sign in (0, 1 << 31):
            little = (127 - 46 - exponent) << 23 | (sign ^ 1 << 31)
            smallest = sign | 1 << 23 | generator.randint(0, 1)
            triples.append(((127 - 80) << 23 | generator.getrandbits(3), little, smallest))
    x, y, z = zip(*triples, strict=True)
    operands = array_of(x, f32), array_of(y, f32), array_of(z, f32)
    found = numerics.fma(f32, *operands, rounding=mode, flush_to_zero=True)
    expected = [
        exact.compute(exact.fma, f32, triple, mode, flush_to_zero=True) for triple in triples
    ]
    assert_floats(found, f32, expected, x, y, z)


@pytest.mark.every(3)
@with_float
@pytest.mark.parametrize("mode", IEEE_MODES)
def test_sqrt(element: Attribute, mode: str):
    bits = [
        pattern
        for pattern in sample_bits(element, 1500)
        if pattern < 1 << 64 and not decode(pattern, element).negative
    ]
    bits += [1 << (SPECS[element].width - 1)]  # -0
    squares = [encode(Number(Fraction(n * n)), element, "zero") for n in range(1, 200)]
    bits += [pattern for pattern in squares if pattern is not None]
    found = numerics.sqrt(element, array_of(bits, element), rounding=mode)
    expected = [exact.compute(exact.sqrt, element, [pattern], mode) for pattern in bits]
    assert_floats(found, element, expected, bits)


def test_sqrt_of_all_f16():
    bits = range(1 << 16)
    found = numerics.sqrt(f16, array_of(bits, f16))
    with np.errstate(all="ignore"):
        values = array_of(bits, f16).astype(np.float64)
        negative = (values < 0) | np.isnan(values)
        roots = np.sqrt(np.where(negative, 0, values))
        # A root of eleven bits is never as near to a tie as float64 rounds.
        expected = np.where(negative, np.nan, roots).astype(np.float16)
    assert np.array_equal(found, expected, equal_nan=True)


def test_sqrt_flushed():
    bits = [0, 1, 0x7FFFFF, 0x800000, 0x80000000, 0x80000001, 0x3F800000, 0xBF800000]
    found = numerics.sqrt(f32, array_of(bits, f32), flush_to_zero=True)
    expected = [
        exact.compute(exact.sqrt, f32, [pattern], "nearest_even", flush_to_zero=True)
        for pattern in bits
    ]
    assert_floats(found, f32, expected, bits)


def test_approximate_modes_are_computed_to_nearest():
    x, y = array_of([0x3F800000, 0x40490FDB], f32), array_of([0x40400000, 0x402DF854], f32)
    for rounding in (Rounding.APPROX, Rounding.FULL):
        assert np.array_equal(numerics.divf(f32, x, y, rounding=rounding), x / y)
    assert np.array_equal(numerics.sqrt(f32, x, rounding=Rounding.APPROX), np.sqrt(x))
    assert np.array_equal(
        numerics.exp(f32, x, rounding="approx"), numerics.exp(f32, x, rounding="full")
    )
    assert np.array_equal(numerics.tanh(f32, x, rounding="approx"), numerics.tanh(f32, x))


def test_rounding_may_be_a_member_of_the_enum():
    x, y = np.array([1.0], np.float32), np.array([2.0**-30], np.float32)
    assert numerics.addf(f32, x, y, rounding=Rounding.POSITIVE_INF) == np.nextafter(
        np.float32(1), np.float32(2)
    )


# Other floating-point functions


def remainder(x: Number, y: Number, mode: str) -> Number:
    if x.is_nan or y.is_nan or x.is_infinite or y.is_zero:
        return exact.NAN
    if y.is_infinite:
        return x
    assert isinstance(x.magnitude, Fraction)
    assert isinstance(y.magnitude, Fraction)
    return Number(x.magnitude % y.magnitude, x.negative)


@with_float
def test_remf(element: Attribute):
    pairs = sample_pairs(element, 1300)
    lhs, rhs = zip(*pairs, strict=True)
    found = numerics.remf(element, array_of(lhs, element), array_of(rhs, element))
    expected = [exact.compute(remainder, element, pair, "nearest_even") for pair in pairs]
    assert_floats(found, element, expected, lhs, rhs)


@pytest.mark.parametrize("function", [numerics.maxf, numerics.minf])
def test_extrema_ignore_signaling_nans(function: Callable[..., Any]):
    """NumPy asks the processor, and some make a quiet NaN of a number and a signaling one."""
    signaling = np.full(16, 0x7FA00000, np.uint32).view(np.float32)
    numbers = np.arange(16, dtype=np.float32)
    for operands in ((signaling, numbers), (numbers, signaling)):
        for flush_to_zero in (False, True):
            found = function(f32, *operands, flush_to_zero=flush_to_zero)
            np.testing.assert_array_equal(found, numbers)


@with_float
@pytest.mark.parametrize("name", ["ceil", "floor"])
def test_rounding_to_integers(element: Attribute, name: str):
    bits = sample_bits(element, 4000)

    def reference(x: Number, mode: str) -> Number:
        if not x.is_finite:
            return x
        whole = math.ceil(x.value) if name == "ceil" else math.floor(x.value)
        return Number(Fraction(abs(whole)), x.negative if whole == 0 else whole < 0)

    found = getattr(numerics, name)(element, array_of(bits, element))
    expected = [exact.compute(reference, element, [pattern], "zero") for pattern in bits]
    assert_floats(found, element, expected, bits)


def test_rounding_of_all_f16_to_integers():
    numbers = array_of(range(1 << 16), f16)
    for function, reference in ((numerics.ceil, math.ceil), (numerics.floor, math.floor)):
        found = function(f16, numbers).tolist()
        values: list[float] = numbers.tolist()
        expected = [float(reference(value)) if math.isfinite(value) else value for value in values]
        assert np.array_equal(found, expected, equal_nan=True)


# Transcendental functions


def ulps(found: Array, expected: Array, element: Attribute) -> Array:
    """How far values are from those of `longdouble`, in units of the last place of a type."""
    spec = SPECS[element]
    wide = widen(found, element).astype(np.longdouble)
    _, exponents = np.frexp(expected)
    unit = np.ldexp(
        np.longdouble(1), np.maximum(exponents - 1, spec.min_exponent) - spec.mantissa_bits
    )
    return np.abs(wide - expected) / unit


def check_math(
    element: Attribute,
    function: Callable[..., Array],
    reference: Callable[..., Any],
    *operands: Array,
) -> None:
    """
    Half a unit in the last place of f16, bf16 and f32, but for what float64 is off before it
    is rounded; four units of f64. Infinities and NaNs are where they are in the reference.
    """
    with np.errstate(all="ignore"):
        found = function(element, *operands)
        expected = reference(*(widen(array, element).astype(np.longdouble) for array in operands))
        wide = widen(found, element).astype(np.longdouble)
        largest = np.longdouble(float(decode(SPECS[element].largest, element).value))
        step = np.ldexp(largest, -SPECS[element].mantissa_bits - 1)
        assert np.array_equal(np.isnan(wide), np.isnan(expected))
        infinite = np.isinf(wide)
        assert np.all(np.abs(expected[infinite]) >= largest + step * 0.999)
        assert np.array_equal(np.sign(wide[infinite]), np.sign(expected[infinite]))
        finite = np.isfinite(wide)
        assert np.all(np.abs(expected[finite]) <= largest + step * 1.001)
        bound = 4 if element == f64 else 0.501
        error = ulps(found[finite], expected[finite], element)
    worst = int(np.argmax(error))
    assert error[worst] <= bound, [array[finite][worst] for array in operands]
    assert found.dtype == dtype_of(element)


UNARY: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


@pytest.mark.every(3)
@with_float
@pytest.mark.parametrize("name", UNARY)
def test_unary_math(element: Attribute, name: str):
    """All numbers of f16; of the others some of all sizes, and many of common ones."""
    bits = sample_bits(element, 1 << 16 if element == f16 else 4000)
    numbers = array_of(bits, element)
    common = np.random.default_rng(5).normal(0, 20, 4000)
    numbers = np.concatenate((numbers, round_to(common, element)))
    check_math(element, getattr(numerics, name), UNARY[name], numbers)


@with_float
@pytest.mark.parametrize("name", ["power", "atan2"])
def test_binary_math(element: Attribute, name: str):
    generator = np.random.default_rng(6)
    lhs, rhs = zip(*sample_pairs(element, 2000), strict=True)
    x, y = (
        np.concatenate((array_of(operand, element), round_to(common, element)))
        for operand, common in (
            (lhs, generator.lognormal(0, 1, 3000)),
            (rhs, generator.normal(0, 6, 3000)),
        )
    )
    reference = {"power": np.power, "atan2": np.arctan2}[name]
    check_math(element, getattr(numerics, name), reference, x, y)


def test_first_operand_of_atan2_is_the_ordinate():
    one, zero = np.array([1.0], np.float32), np.array([0.0], np.float32)
    assert numerics.atan2(f32, one, zero) == np.float32(np.pi / 2)
    assert numerics.atan2(f32, zero, -one) == np.float32(np.pi)


@pytest.mark.every(3)
@with_float
@pytest.mark.parametrize("exponent", [i1, i8, i16, i32], ids=element_name)
def test_fpowi(element: Attribute, exponent: Attribute):
    generator = np.random.default_rng(7)
    base = round_to(generator.normal(0, 2, 500), element)
    width = bit_width(exponent)
    powers = [int(generator.integers(-6, 7)) % (1 << width) for _ in base]
    found = numerics.fpowi(element, base, array_of(powers, exponent))
    numbers = [to_signed(power, width) for power in powers]
    for result, number, power in zip(found, widen(base, element), numbers, strict=True):
        if number == 0 and power < 0:
            continue
        expected = product_of_squares(number, power)
        if element != f64:
            expected = round_to(np.asarray(expected), element)
        assert widen(np.asarray(result), element) == widen(np.asarray(expected), element)


def product_of_squares(base: Any, power: int) -> Any:
    """A power as libdevice computes it, of the lowest bit of the exponent first."""
    value = base.dtype.type(1)
    for bit in reversed(f"{abs(power):b}"):
        value = value * base if bit == "1" else value
        base = base * base
    return 1 / value if power < 0 else value


def test_flushed_math():
    bits = [0, 1, 0x7FFFFF, 0x807FFFFF, 0x80000001, 0xC2FC0000, 0xC2FE0000, 0xC3000000]
    numbers = array_of(bits, f32)
    # 2^-126 is normal, 2^-127 is not.
    assert numerics.exp2(f32, numbers, flush_to_zero=True).tolist() == [1] * 5 + [2.0**-126, 0, 0]
    assert numerics.exp2(f32, numbers)[6] == 2.0**-127
    flushed = numerics.rsqrt(f32, numbers[:5], flush_to_zero=True)
    assert flushed.tolist() == [math.inf, math.inf, math.inf, -math.inf, -math.inf]


# Conversions: `test_ops_conversion.py` has all pairs of types


def test_numbers_beside_ties_are_rounded_twice():
    """As NVIDIA's compiler does it: to the tie, and then to even."""
    number = np.array([1 + 2.0**-11 + 2.0**-40])
    assert numerics.ftof(f64, tf32, number) == 1
    assert numerics.ftof(f64, bf16, np.array([1 + 2.0**-8 + 2.0**-40])) == 1 + 2.0**-7
    integer = np.array([2**26 + 2**15 + 1], np.int32)
    assert numerics.itof(i32, tf32, integer) == 2.0**26
    integer = np.array([2**15 + 2**12 + 1], np.int32)
    assert bits_of(numerics.itof(i32, f8E5M2, integer), f8E5M2) == 0x78
    assert numerics.itof(i32, bf16, np.array([2**26 + 2**18 + 1], np.int32)) == 2**26 + 2**19


# Matrix products

MMAF_TYPES = [
    (f8E4M3FN, f16),
    (f8E4M3FN, f32),
    (f8E5M2, f16),
    (f8E5M2, f32),
    (f16, f16),
    (f16, f32),
    (bf16, f32),
    (tf32, f32),
    (f32, f32),
    (f64, f64),
]


def names_of(*elements: Attribute) -> str:
    return "-".join(map(element_name, elements))


def small_integers(shape: Sequence[int], element: Attribute, seed: int) -> Array:
    """Numbers that all types have and whose sums are exact."""
    values = np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float64)
    return round_to(values, element)


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize(
    ("element", "result"), MMAF_TYPES, ids=[names_of(*types) for types in MMAF_TYPES]
)
def test_mmaf_of_integers_is_exact(element: Attribute, result: Attribute, batch: tuple[int, ...]):
    lhs = small_integers((*batch, 8, 16), element, 1)
    rhs = small_integers((*batch, 16, 4), element, 2)
    acc = small_integers((*batch, 8, 4), result, 3)
    before = acc.copy()
    found = numerics.mmaf(element, element, result, lhs, rhs, acc)
    x, y, z = (array.astype(np.int64) for array in (lhs, rhs, acc))
    expected = np.einsum("...mk,...kn->...mn", x, y) + z
    assert found.dtype == dtype_of(result)
    assert np.array_equal(found.astype(np.int64), expected)
    assert np.array_equal(acc, before)


@pytest.mark.parametrize(
    ("element", "result"), MMAF_TYPES, ids=[names_of(*types) for types in MMAF_TYPES]
)
def test_mmaf_is_near_the_exact_sum(element: Attribute, result: Attribute):
    """Within the bound of any order of summation, and the rounding of the result."""
    generator = np.random.default_rng(4)
    lhs = round_to(generator.normal(size=(8, 64)), element)
    rhs = round_to(generator.normal(size=(64, 8)), element)
    acc = round_to(generator.normal(size=(8, 8)), result)
    found = widen(numerics.mmaf(element, element, result, lhs, rhs, acc), result)
    x, y = (widen(array, element).astype(np.longdouble) for array in (lhs, rhs))
    z = widen(acc, result).astype(np.longdouble)
    expected = x @ y + z
    sizes = np.abs(x) @ np.abs(y) + np.abs(z)
    accumulator = 2.0**-52 if result == f64 else 2.0**-23
    last = 2.0 ** -SPECS[result].mantissa_bits
    bound = 66 * accumulator * sizes + last * np.abs(expected)
    assert np.all(np.abs(found - expected) <= bound)


def test_f16_accumulator_is_rounded_once():
    # Each product is less than half a unit of the accumulator, their sum is sixteen.
    lhs = np.ones((1, 64), np.float16)
    rhs = np.full((64, 1), 0.25, np.float16)
    acc = np.full((1, 1), 1024, np.float16)
    assert numerics.mmaf(f16, f16, f16, lhs, rhs, acc).tolist() == [[1040]]
    top = np.full((1, 1), 65504, np.float16)
    assert numerics.mmaf(f16, f16, f16, lhs, rhs * 100, top).tolist() == [[math.inf]]


def test_mmaf_with_infinities():
    lhs = np.array([[np.inf, 1], [0, 1]], np.float16)
    rhs = np.array([[0, 1], [1, 1]], np.float16)
    found = numerics.mmaf(f16, f16, f32, lhs, rhs, np.zeros((2, 2), np.float32))
    assert np.array_equal(found, [[np.nan, np.inf], [1, 1]], equal_nan=True)


@pytest.mark.parametrize("lhs_signed", [True, False])
@pytest.mark.parametrize("rhs_signed", [True, False])
@pytest.mark.parametrize("shape", [(4, 8, 4), (2, 256, 2), (2, 512, 4), (2, 1 << 17, 1)])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_mmai(
    lhs_signed: bool, rhs_signed: bool, shape: tuple[int, int, int], batch: tuple[int, ...]
):
    m, k, n = shape
    generator = np.random.default_rng(5)
    for extreme in (False, True):
        lhs = generator.integers(-128, 128, (*batch, m, k)).astype(np.int8)
        rhs = generator.integers(-128, 128, (*batch, k, n)).astype(np.int8)
        if extreme:
            lhs[...], rhs[...] = -128 if lhs_signed else -1, -128 if rhs_signed else -1
        acc = generator.integers(-(2**31), 2**31, (*batch, m, n)).astype(np.int32)
        found = numerics.mmai(lhs, rhs, acc, lhs_signed=lhs_signed, rhs_signed=rhs_signed)
        x = lhs.astype(np.int64) if lhs_signed else lhs.astype(np.int64) & 255
        y = rhs.astype(np.int64) if rhs_signed else rhs.astype(np.int64) & 255
        expected = (np.einsum("...mk,...kn->...mn", x, y) + acc).astype(np.int32)
        assert found.dtype == np.int32
        assert np.array_equal(found, expected)


SCALED_TYPES = [
    (f8E4M3FN, f8E8M0FNU, 32),
    (f8E5M2, f8E8M0FNU, 32),
    (f4E2M1FN, f8E8M0FNU, 16),
    (f4E2M1FN, f8E8M0FNU, 32),
    (f4E2M1FN, f8E4M3FN, 16),
    (f4E2M1FN, fnv8E5M3FNU, 16),
    (f4E2M1FN, fnv8E5M3FNU, 32),
]


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize(
    ("element", "scale", "block"),
    SCALED_TYPES,
    ids=[f"{names_of(*types[:2])}-{types[2]}" for types in SCALED_TYPES],
)
def test_mmaf_scaled(element: Attribute, scale: Attribute, block: int, batch: tuple[int, ...]):
    m, n, k = 4, 2, 64
    generator = random.Random(6)

    def values(shape: tuple[int, ...], element: Attribute, near: float) -> Array:
        size = math.prod(shape)
        numbers = [near * generator.choice((0.25, 0.5, 1, 1.5, 2, 3)) for _ in range(size)]
        return round_to(np.array(numbers), element, "zero").reshape(shape)

    lhs, rhs = values((*batch, m, k), element, 1), values((*batch, k, n), element, -1)
    acc = values((*batch, m, n), f32, 8)
    lhs_scale = values((*batch, m, k // block), scale, 4)
    rhs_scale = values((*batch, k // block, n), scale, 0.5)
    types = (element, element, f32, scale, scale)
    found = numerics.mmaf_scaled(types, lhs, rhs, acc, lhs_scale, rhs_scale)
    x, y, z, p, q = (
        widen(array, ty).astype(np.float64)
        for array, ty in zip((lhs, rhs, acc, lhs_scale, rhs_scale), types, strict=True)
    )
    assert found.dtype == np.float32
    for index in np.ndindex(found.shape):
        *outer, row, column = index
        total = Fraction(float(z[index]))
        for depth in range(k):
            factors = (
                x[(*outer, row, depth)],
                y[(*outer, depth, column)],
                p[(*outer, row, depth // block)],
                q[(*outer, depth // block, column)],
            )
            total += math.prod(Fraction(float(factor)) for factor in factors)
        assert Fraction(float(found[index])) == total


def test_scales_may_leave_the_range_of_f32():
    lhs, rhs = round_to(np.ones((1, 32)), f8E4M3FN), round_to(np.ones((32, 1)), f8E4M3FN)
    acc = np.zeros((1, 1), np.float32)
    large, small = array_of([254], f8E8M0FNU), array_of([0], f8E8M0FNU)
    types = (f8E4M3FN, f8E4M3FN, f32, f8E8M0FNU, f8E8M0FNU)
    found = numerics.mmaf_scaled(types, lhs, rhs, acc, large[None], small[None])
    assert found.tolist() == [[32.0]]


# Shapes


def test_scalars_stay_arrays():
    """Arrays without dimensions go in and come out, of the right type."""
    number, integer = np.array(1.5, np.float32), np.array(3, np.int32)
    ones = "absf negf ceil floor exp exp2 log log2 sin cos tan sinh cosh tanh rsqrt sqrt".split()
    results: list[tuple[Attribute, Array]] = []
    results += [(f32, getattr(numerics, name)(f32, number)) for name in ones]
    twos = "addf subf mulf divf remf maxf minf power atan2".split()
    results += [(f32, getattr(numerics, name)(f32, number, number)) for name in twos]
    for mode in IEEE_MODES:
        results += [(f32, numerics.addf(f32, number, number, rounding=mode))]
        results += [(f32, numerics.fma(f32, number, number, number, rounding=mode))]
        results += [(f32, numerics.sqrt(f32, number, rounding=mode, flush_to_zero=True))]
        double = number.astype(np.float64)
        results += [(f64, numerics.fma(f64, double, double, double, rounding=mode))]
    twos = "addi subi muli mulhii divi remi shli shri andi ori xori maxi mini".split()
    results += [(i32, getattr(numerics, name)(i32, integer, integer)) for name in twos]
    results += [(i32, getattr(numerics, name)(i32, integer)) for name in ("absi", "negi")]
    results += [
        (i1, numerics.cmpi(i32, integer, integer, predicate="equal")),
        (i1, numerics.cmpf(f32, number, number, predicate="equal", ordered=False)),
        (f32, numerics.fpowi(f32, number, integer)),
        (f16, numerics.ftof(f32, f16, number)),
        (bf16, numerics.ftof(f32, bf16, number, rounding="zero")),
        (f8E4M3FN, numerics.ftof(f32, f8E4M3FN, number)),
        (fnv8E5M3FNU, numerics.ftof(f32, fnv8E5M3FNU, number)),
        (i64, numerics.ftoi(f32, i64, number)),
        (f32, numerics.itof(i32, f32, integer)),
        (f64, numerics.itof(i64, f64, integer.astype(np.int64))),
        (i64, numerics.exti(i32, i64, integer)),
        (i4, numerics.trunci(i32, i4, integer)),
        (i1, numerics.trunci(i32, i1, integer)),
        (f32, numerics.bitcast(i32, f32, integer)),
    ]
    for element, result in results:
        assert isinstance(result, np.ndarray)
        assert result.shape == ()
        assert result.dtype == dtype_of(element)


def test_operands_are_not_changed():
    numbers = np.array([1.5, -2.0, 1e-40, np.nan], np.float32)
    before = numbers.tobytes()
    for mode in IEEE_MODES:
        numerics.fma(f32, numbers, numbers, numbers, rounding=mode, flush_to_zero=True)
        numerics.divf(f32, numbers, numbers, rounding=mode)
    numerics.maxf(f32, numbers, numbers, flush_to_zero=True)
    assert numbers.tobytes() == before
