"""Element types as arrays: types, bytes, bits, values and rounding, against `exact`."""

import struct
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import f16, f32, f64
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.elements import bits_to_float, element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import PtrType, element_name, fnv8E5M3FNU
from tileiras_xdsl.dialects.nv_tileaa.types import PtrType as TileaaPtrType
from tileiras_xdsl.interpreter.elements import (
    Array,
    bit_width,
    bits_of,
    dtype_of,
    from_bits,
    from_bytes,
    is_packed,
    memory_bytes,
    round_to,
    signed,
    storage_dtype,
    to_bytes,
    unsigned,
    widen,
    wrap,
)

from .exact import (
    FLOATS,
    MODES,
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
    integer_samples,
    sample_bits,
    tf32,
    to_signed,
)

INTEGERS = (i1, i4, i8, i16, i32, i64)
ELEMENTS = (*INTEGERS, *FLOATS)


def all_bits(element: Attribute) -> list[int]:
    """All bit patterns of narrow types, many of wide ones."""
    if element in SPECS:
        return sample_bits(element, 1 << 16)
    return integer_samples(bit_width(element), 1 << 16)


@pytest.mark.parametrize(
    ("element", "dtype", "size"),
    [
        (i1, np.bool_, 1),
        (i4, ml_dtypes.int4, 1),
        (i8, np.int8, 1),
        (i16, np.int16, 2),
        (i32, np.int32, 4),
        (i64, np.int64, 8),
        (f16, np.float16, 2),
        (bf16, ml_dtypes.bfloat16, 2),
        (f32, np.float32, 4),
        (tf32, np.float32, 4),
        (f64, np.float64, 8),
        (f8E4M3FN, ml_dtypes.float8_e4m3fn, 1),
        (f8E5M2, ml_dtypes.float8_e5m2, 1),
        (f8E8M0FNU, ml_dtypes.float8_e8m0fnu, 1),
        (f4E2M1FN, ml_dtypes.float4_e2m1fn, 1),
        (fnv8E5M3FNU, np.uint8, 1),
        (PtrType(f32), np.int64, 8),
        (TileaaPtrType(f32), np.int64, 8),
    ],
    ids=str,
)
def test_dtype_and_memory(element: Attribute, dtype: type, size: int):
    assert dtype_of(element) == np.dtype(dtype)
    assert memory_bytes(element) == size
    assert is_packed(element) == (element in (i4, f4E2M1FN))
    is_byte = is_packed(element) or element == i1
    assert storage_dtype(element) == (np.uint8 if is_byte else dtype)


@pytest.mark.parametrize("element", ELEMENTS, ids=element_name)
def test_width_is_that_of_the_dialect(element: Attribute):
    assert bit_width(element) == element_bit_width(element)


@pytest.mark.parametrize("element", ELEMENTS, ids=element_name)
def test_bits_round_trip(element: Attribute):
    bits = all_bits(element)
    array = from_bits(np.array(bits, np.uint64), element)
    assert array.dtype == dtype_of(element)
    assert bits_of(array, element).dtype.kind == "u"
    assert bits_of(array, element).tolist() == bits
    assert bits_of(array.reshape(2, -1)[:, ::2], element).shape == (2, len(bits) // 4 or 1)


@pytest.mark.parametrize("element", ELEMENTS, ids=element_name)
def test_bits_of_a_scalar(element: Attribute):
    array = from_bits(1, element)
    assert isinstance(array, np.ndarray)
    assert array.shape == ()
    assert bits_of(array, element).item() == 1


@pytest.mark.parametrize("element", INTEGERS, ids=element_name)
def test_integers_are_read_signed_and_unsigned(element: Attribute):
    width = bit_width(element)
    bits = all_bits(element)
    array = from_bits(np.array(bits, np.uint64), element)
    assert unsigned(array).tolist() == bits
    assert signed(array).tolist() == [to_signed(pattern, width) for pattern in bits]
    assert unsigned(array[0]).shape == signed(array[0]).shape == ()


@pytest.mark.parametrize("element", INTEGERS, ids=element_name)
@pytest.mark.parametrize("name", ["i8", "u8", "i1", "u1"])
def test_wrap(element: Attribute, name: str):
    dtype = np.dtype(name)
    numbers = np.array([0, 1, 2, 7, 8, 9, 15, 16, 100, 127], dtype)
    numbers = np.concatenate((numbers, np.negative(numbers)))
    mask = (1 << bit_width(element)) - 1
    wrapped = wrap(numbers, element)
    assert wrapped.dtype == dtype_of(element)
    if dtype.itemsize * 8 >= bit_width(element) or dtype.kind == "i":
        expected = [int(number) & mask for number in numbers]
        assert bits_of(wrapped, element).tolist() == expected


# Memory


@pytest.mark.parametrize("element", ELEMENTS, ids=element_name)
def test_bytes_round_trip(element: Attribute):
    bits = all_bits(element)
    array = from_bits(np.array(bits, np.uint64), element)
    data = to_bytes(array.reshape(2, -1), element)
    assert data.dtype == np.uint8
    assert data.shape == (len(bits) * memory_bytes(element) // (2 if is_packed(element) else 1),)
    assert bits_of(from_bytes(data, element), element).tolist() == bits


def test_bytes_are_those_of_little_endian_integers():
    for element in (i8, i16, i32, i64, f16, bf16, f32, f64, f8E4M3FN, fnv8E5M3FNU):
        bits = all_bits(element)[-2:]
        size = memory_bytes(element)
        expected = b"".join(pattern.to_bytes(size, "little") for pattern in bits)
        assert (
            to_bytes(from_bits(np.array(bits, np.uint64), element), element).tobytes() == expected
        )


def test_packed_elements_begin_in_the_low_half():
    for element in (i4, f4E2M1FN):
        array = from_bits(np.array([0x1, 0x2, 0xF, 0x0], np.uint64), element)
        assert to_bytes(array, element).tolist() == [0x21, 0x0F]


def test_any_byte_but_zero_is_true():
    assert from_bytes(np.array([0, 1, 2, 255], np.uint8), i1).tolist() == [False, True, True, True]
    assert to_bytes(np.array([False, True]), i1).tolist() == [0, 1]


def test_spare_bits_of_tf32_are_not_read():
    data = np.array([0x3F800001, 0x3F801FFF, 0x3F802000], np.uint32).view(np.uint8)
    assert from_bytes(data, tf32).tolist() == [1.0, 1.0, 1.0 + 2.0**-10]


# Values


def numbers_of(values: Array) -> list[Number]:
    """Floats of any width as exact numbers."""
    with np.errstate(all="ignore"):  # signalling NaNs
        doubles = values.astype(np.float64)
    return [decode(bits, f64) for bits in doubles.view(np.uint64).tolist()]


@pytest.mark.parametrize("element", FLOATS, ids=element_name)
def test_widen(element: Attribute):
    bits = sample_bits(element, 1 << 12)
    wide = widen(from_bits(np.array(bits, np.uint64), element), element)
    assert wide.dtype == (np.float64 if element == f64 else np.float32)
    for pattern, number in zip(bits, numbers_of(wide), strict=True):
        expected = decode(pattern, element)
        assert number.magnitude == expected.magnitude
        # Zeros have their sign, NaNs need not.
        assert number.is_nan or number.negative == expected.negative


def test_widen_all_of_16_bits():
    bits = np.arange(1 << 16)
    found = widen(from_bits(bits, f16), f16)
    expected = struct.unpack("<65536e", bits.astype("<u2").tobytes())
    assert np.array_equal(found, np.array(expected), equal_nan=True)
    found = widen(from_bits(bits, bf16), bf16)
    expected = struct.unpack("<65536f", (bits << 16).astype("<u4").tobytes())
    assert np.array_equal(found, np.array(expected), equal_nan=True)


@pytest.mark.parametrize("element", FLOATS, ids=element_name)
def test_the_reference_agrees_with_the_dialect(element: Attribute):
    for bits in sample_bits(element, 300):
        value, number = bits_to_float(bits, element), decode(bits, element)
        if number.is_nan:
            assert np.isnan(value)
        elif number.is_infinite:
            assert np.isinf(value)
        else:
            assert Fraction(value) == number.value


# Rounding


def rounding_inputs(element: Attribute, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """
    Numbers of the type, all the points where rounding of it changes, and what is just beside
    these; then anything.
    """
    with np.errstate(all="ignore"):
        numbers = from_bits(np.array(sample_bits(element, count), np.uint64), element)
        found = widen(numbers, element).astype(np.float64)
        positive = np.unique(np.abs(found[np.isfinite(found)]))
        if element != f64:
            bits = np.unique(bits_of(absolute(numbers, element), element).astype(np.uint64))
            largest = SPECS[element].largest
            following = from_bits(np.minimum(bits + np.uint64(1), np.uint64(largest)), element)
            here = widen(from_bits(bits, element), element).astype(np.float64)
            between = (here + widen(following, element).astype(np.float64)) / 2
            positive = np.concatenate((positive, between[np.isfinite(between)]))
        positive = np.concatenate(
            (positive, np.nextafter(positive, np.inf), np.nextafter(positive, 0), positive * 1.25)
        )
        generator = np.random.default_rng(1)
        anything = generator.integers(0, 1 << 64, 100, np.uint64).view(np.float64)
        special = np.array([0.0, np.inf, np.nan, 2.0**-1074, 1e308])
        top = float(decode(SPECS[element].largest, element).value) if element != f64 else 1.0
        beyond = top * np.array([1.0 + 2**-12, 1.03125, 1.0625, 1.125, 1.25, 2.0, 2.5])
        values = np.concatenate((positive, np.abs(anything), special, beyond))
        return np.concatenate((values, -values))


def absolute(numbers: Array, element: Attribute) -> Array:
    spec = SPECS[element]
    bits = bits_of(numbers, element).astype(np.uint64) & np.uint64(spec.magnitude_mask)
    return from_bits(np.minimum(bits, np.uint64(spec.largest)), element)


def assert_bits(found: Array, element: Attribute, expected: list[int | None]) -> None:
    """Compares bit patterns; `None` is any NaN."""
    assert found.dtype == dtype_of(element)
    bits = bits_of(found, element).tolist()
    wrong = [
        (index, hex(pattern), expected[index])
        for index, pattern in enumerate(bits)
        if pattern != expected[index]
        and not (expected[index] is None and decode(pattern, element).is_nan)
    ]
    assert not wrong, wrong[:5]


@pytest.mark.every(7)
@pytest.mark.parametrize("saturate", [None, False, True])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("element", FLOATS, ids=element_name)
def test_round_to(element: Attribute, mode: str, saturate: bool | None):
    count = 256 if SPECS[element].width <= 8 and saturate is None else 60
    values = rounding_inputs(element, count)
    expected = [encode(number, element, mode, saturate) for number in numbers_of(values)]
    assert_bits(round_to(values, element, mode, saturate), element, expected)


@pytest.mark.every(3)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("element", FLOATS, ids=element_name)
def test_round_to_from_float32(element: Attribute, mode: str):
    with np.errstate(all="ignore"):
        values = rounding_inputs(element, 100).astype(np.float32)
    expected = [encode(number, element, mode) for number in numbers_of(values)]
    assert_bits(round_to(values, element, mode), element, expected)


@pytest.mark.parametrize("element", [f8E4M3FN, f8E5M2, f4E2M1FN, f8E8M0FNU], ids=element_name)
def test_nearest_even_is_that_of_ml_dtypes(element: Attribute):
    """But for overflow, and for signs and zeros that a type has not."""
    largest = float(decode(SPECS[element].largest, element).value)
    values = np.random.default_rng(2).uniform(-1, 1, 5000) * largest
    if element == f8E8M0FNU:
        values = np.abs(values)
    values = values.astype(np.float32)
    assert np.array_equal(
        bits_of(round_to(values, element), element),
        bits_of(values.astype(dtype_of(element)), element),
    )


@pytest.mark.parametrize("element", FLOATS, ids=element_name)
@pytest.mark.parametrize("mode", MODES)
def test_round_to_takes_scalars(element: Attribute, mode: str):
    result = round_to(np.array(1.5), element, mode)
    assert isinstance(result, np.ndarray)
    assert result.shape == ()
    assert_bits(result.reshape(1), element, [encode(Number(Fraction(3, 2)), element, mode)])


def test_round_to_odd_ends():
    assert round_to(np.array([500.0, -np.inf]), f8E4M3FN).astype(np.float32).tolist() == [448, -448]
    assert np.isnan(round_to(np.array(500.0), f8E4M3FN, saturate=False).astype(np.float32))
    assert round_to(np.array(np.inf), f8E5M2).astype(np.float32) == 57344
    assert round_to(np.array(np.nan), f4E2M1FN).astype(np.float32) == 6
    assert bits_of(round_to(np.array([0.0, -1.0]), f8E8M0FNU), f8E8M0FNU).tolist() == [0, 127]
    assert round_to(np.array([-2.0, np.nan, 1e9]), fnv8E5M3FNU).tolist() == [0x80, 0xFF, 0xFE]


def test_unknown_rounding_mode():
    with pytest.raises(ValueError, match="no rounding mode of floats: 'approx'"):
        round_to(np.array([1.0]), f16, "approx")
