"""
Dense literals: every bit pattern survives printing and parsing, and numbers print as MLIR prints
them. Their syntax is tested in `tests/filecheck/dialects/cuda_tile/elements*.mlir`.
"""

import math
import random
import struct
import time
import tracemalloc
from collections.abc import Iterable, Sequence
from io import StringIO

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import (
    BytesAttr,
    IntegerType,
    bf16,
    f4E2M1FN,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
    tf32,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from tileiras_xdsl.dialects.cuda_tile import CudaTile
from tileiras_xdsl.dialects.cuda_tile.elements import (
    MAX_LISTED_ELEMENTS,
    DenseElementsAttr,
    bits_to_float,
    element_bit_width,
    element_bytes,
    float_to_bits,
    format_element,
    format_float,
    is_nan_bits,
    parse_literal,
)
from tileiras_xdsl.dialects.cuda_tile.types import PtrType, TileType, element_name, fnv8E5M3FNU

from ..harness.cases import every

SMALL_FLOATS = (f4E2M1FN, f8E4M3FN, f8E5M2, f8E8M0FNU, fnv8E5M3FNU)
FLOATS = (*SMALL_FLOATS, f16, bf16, tf32, f32, f64)
INTEGERS = (i1, i8, i16, i32, i64)
ELEMENTS = (*INTEGERS, *FLOATS)


def parser_of(text: str) -> Parser:
    context = Context()
    context.load_dialect(CudaTile)
    return Parser(context, text)


def reparse(patterns: Iterable[int], element: Attribute) -> list[int]:
    """What the texts of bit patterns parse to, read as one list."""
    texts = ", ".join(format_element(bits, element) for bits in patterns)
    return parse_literal(parser_of(f"{element_name(element)}: [{texts}]")).bits


def literal_text(attribute: DenseElementsAttr) -> str:
    stream = StringIO()
    attribute.print_literal(Printer(stream))
    return stream.getvalue()


def parse_attribute(text: str) -> DenseElementsAttr:
    attribute = parser_of(text).parse_attribute()
    assert isinstance(attribute, DenseElementsAttr)
    return attribute


def assert_survives(attribute: DenseElementsAttr) -> None:
    assert parse_attribute(str(attribute)) == attribute


# Every bit pattern


@pytest.mark.parametrize(
    ("element", "step"),
    [
        *((element, 1) for element in (*SMALL_FLOATS, i1, i8)),
        *((element, 15) for element in (f16, bf16, i16)),
        *(pytest.param(element, 1, marks=pytest.mark.long) for element in (f16, bf16, i16)),
    ],
)
def test_every_pattern_survives(element: Attribute, step: int):
    patterns = range(0, 1 << element_bit_width(element), step)
    assert reparse(patterns, element) == list(patterns)


@pytest.mark.parametrize("count", every(2, [2_000, 20_000]))
def test_tf32_patterns_survive(count: int):
    """All infinities and NaNs, all of the smallest exponent, and some between."""
    special = [*range(1 << 11), *range(0xFF << 10, 1 << 18)]
    patterns = [sign << 18 | pattern for sign in (0, 1) for pattern in special]
    patterns += random.Random(0).sample(range(1 << 19), count)
    assert reparse(patterns, tf32) == patterns


@pytest.mark.part("sweeps")
@settings(max_examples=300)
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20))
def test_f32_patterns_survive(patterns: list[int]):
    assert reparse(patterns, f32) == patterns


@pytest.mark.part("sweeps")
@settings(max_examples=300)
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_f64_patterns_survive(patterns: list[int]):
    assert reparse(patterns, f64) == patterns


@settings(max_examples=200)
@given(st.lists(st.floats(width=32), min_size=1, max_size=20))
def test_f32_values_survive(values: list[float]):
    """Other values than random patterns give: small integers, short fractions, limits."""
    patterns = [int.from_bytes(struct.pack("<f", value), "little") for value in values]
    assert reparse(patterns, f32) == patterns


@settings(max_examples=200)
@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_f64_values_survive(values: list[float]):
    patterns = [int.from_bytes(struct.pack("<d", value), "little") for value in values]
    assert reparse(patterns, f64) == patterns


@pytest.mark.every(2)
@pytest.mark.parametrize("element", [i32, i64])
@given(data=st.data())
def test_integers_survive(element: IntegerType, data: st.DataObject):
    width = element.width.data
    patterns = data.draw(st.lists(st.integers(0, (1 << width) - 1), min_size=1, max_size=20))
    assert reparse(patterns, element) == patterns


# Values of bit patterns, compared with another implementation

DTYPES: dict[Attribute, type[np.generic]] = {
    f16: np.float16,
    bf16: ml_dtypes.bfloat16,
    f8E4M3FN: ml_dtypes.float8_e4m3fn,
    f8E5M2: ml_dtypes.float8_e5m2,
    f8E8M0FNU: ml_dtypes.float8_e8m0fnu,
    f4E2M1FN: ml_dtypes.float4_e2m1fn,
}


@pytest.mark.every(6, first=5)
@pytest.mark.parametrize("element", DTYPES)
def test_values_of_patterns(element: Attribute):
    width = element_bit_width(element)
    storage = np.uint16 if width == 16 else np.uint8
    with np.errstate(invalid="ignore"):  # signaling NaNs become quiet ones
        expected = np.arange(1 << width, dtype=storage).view(DTYPES[element]).astype(np.float64)
    values = np.array([bits_to_float(bits, element) for bits in range(1 << width)])
    np.testing.assert_array_equal(values, expected)
    assert [is_nan_bits(bits, element) for bits in range(1 << width)] == list(np.isnan(expected))


LARGEST: dict[Attribute, float] = {
    f16: 65504.0,
    bf16: 255.0 * 2.0**120,
    f8E4M3FN: 448.0,
    f8E5M2: 57344.0,
    f4E2M1FN: 6.0,
}


@pytest.mark.every(5, first=3)
@pytest.mark.parametrize("element", LARGEST)
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1))
def test_values_are_rounded_to_nearest_even(element: Attribute, values: list[float]):
    dtype = DTYPES[element]
    largest = LARGEST[element]
    values = [value for value in values if abs(value) <= largest]
    storage = np.uint16 if element_bit_width(element) == 16 else np.uint8
    expected = np.array(values, np.float32).astype(dtype).view(storage)
    assert [float_to_bits(value, element) for value in values] == list(expected)


@pytest.mark.parametrize(
    ("element", "value", "bits"),
    [
        # Overflow: infinity, or NaN where there is none, or the largest value without both.
        (f64, math.inf, 0x7FF0000000000000),
        (f32, 1e39, 0x7F800000),
        (f32, -1e39, 0xFF800000),
        (f16, 65520.0, 0x7C00),
        (f16, 65519.0, 0x7BFF),
        (bf16, 3.4e38, 0x7F80),
        (tf32, 1e39, 0x3FC00),
        (f8E5M2, 1e6, 0x7C),
        (f8E4M3FN, 1e6, 0x7F),
        (f8E4M3FN, -1e6, 0xFF),
        (f8E8M0FNU, 2.0**128, 0xFF),
        (fnv8E5M3FNU, 1e6, 0xFF),
        (f4E2M1FN, 1e6, 0x7),
        (f4E2M1FN, -1e6, 0xF),
        # Underflow, and signs of zero.
        (f32, 1e-60, 0),
        (f32, -1e-60, 0x80000000),
        (f8E8M0FNU, 0.0, 0),
        (f8E8M0FNU, 1e-60, 0),
        (fnv8E5M3FNU, -0.0, 0),
        (f4E2M1FN, -0.0, 0x8),
        # Ties.
        (f4E2M1FN, 2.5, 0x4),
        (f4E2M1FN, 5.0, 0x6),
        (f8E4M3FN, 464.0, 0x7E),
        (tf32, 1.0 + 2.0**-11, 0x1FC00),
        (tf32, 1.0 + 3 * 2.0**-11, 0x1FC02),
    ],
)
def test_patterns_of_values(element: Attribute, value: float, bits: int):
    assert float_to_bits(value, element) == bits


@pytest.mark.parametrize("element", [f8E8M0FNU, fnv8E5M3FNU])
def test_unsigned_types_have_no_negative_values(element: Attribute):
    with pytest.raises(ParseError, match=f"'{element_name(element)}' has no negative values"):
        parse_literal(parser_of(f"{element_name(element)}: -1.0"))


# How numbers print


@pytest.mark.parametrize(
    ("bits", "element", "text"),
    [
        # Six digits if they read back exactly.
        (0x3F800000, f32, "1.000000e+00"),
        (0x00000000, f32, "0.000000e+00"),
        (0x80000000, f32, "-0.000000e+00"),
        (0xBF000000, f32, "-5.000000e-01"),
        (0x3DCCCCCD, f32, "1.000000e-01"),
        (0x501502F9, f32, "1.000000e+10"),
        (0x00000001, f32, "1.401300e-45"),
        (0x7FE1CCF385EBC8A0, f64, "1.000000e+308"),
        (0x3FB999999999999A, f64, "1.000000e-01"),
        (0x0000000000000001, f64, "4.940660e-324"),
        (0x3C00, f16, "1.000000e+00"),
        (0x7BFF, f16, "6.550400e+04"),
        (0x3F80, bf16, "1.000000e+00"),
        (0x1FC00, tf32, "1.000000e+00"),
        (0x7E, f8E4M3FN, "4.480000e+02"),
        (0x7B, f8E5M2, "5.734400e+04"),
        (0x00, f8E8M0FNU, "5.877470e-39"),
        (0x7F, f8E8M0FNU, "1.000000e+00"),
        (0xF, f4E2M1FN, "-6.000000e+00"),
        (0xFE, fnv8E5M3FNU, "1.146880e+05"),
        # All digits, if there is a dot among them.
        (0x47F12065, f32, "123456.789"),
        (0x40490FDB, f32, "3.14159274"),
        (0xC0490FDB, f32, "-3.14159274"),
        (0x62800000, f32, "1.18059162E+21"),
        (0x7F7FFFFF, f32, "3.40282347E+38"),
        (0x00800000, f32, "1.17549435E-38"),
        (0x4005BF0A8B145769, f64, "2.7182818284590451"),
        # The bits otherwise.
        (0x4B800000, f32, "0x4B800000"),
        (0x4340000000000000, f64, "0x4340000000000000"),
        (0x7F800000, f32, "0x7F800000"),
        (0xFF800000, f32, "0xFF800000"),
        (0x7FC00000, f32, "0x7FC00000"),
        (0x7F800001, f32, "0x7F800001"),
        (0x7FF0000000000000, f64, "0x7FF0000000000000"),
        (0x7C00, f16, "0x7C00"),
        (0xFFC1, bf16, "0xFFC1"),
        (0x3FC00, tf32, "0x3FC00"),
        (0x7F, f8E4M3FN, "0x7F"),
        (0xFF, f8E8M0FNU, "0xFF"),
        (0xFF, fnv8E5M3FNU, "0xFF"),
        # Integers.
        (0, i1, "false"),
        (1, i1, "true"),
        (0xFF, i8, "-1"),
        (0x7F, i8, "127"),
        (0x80, i8, "-128"),
        (0xFFFF, i16, "-1"),
        (0x80000000, i32, "-2147483648"),
        (0x7FFFFFFFFFFFFFFF, i64, "9223372036854775807"),
    ],
)
def test_text_of_patterns(bits: int, element: Attribute, text: str):
    assert format_element(bits, element) == text


@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1))
def test_form_of_f32(bits: int):
    """The rules of the reference, told apart by what each form must be."""
    text = format_float(bits, f32)
    value = bits_to_float(bits, f32)
    if text.startswith("0x"):
        assert text == f"0x{bits:X}"
        assert not math.isfinite(value) or value == int(value)
    elif "e" in text:
        mantissa, exponent = text.removeprefix("-").split("e")
        assert len(mantissa) == 8
        assert mantissa[1] == "."
        assert mantissa.endswith("0")
        assert exponent[0] in "+-"
        assert len(exponent) >= 3
    else:
        digits = text.removeprefix("-").split("E")[0].replace(".", "").lstrip("0")
        assert "." in text
        assert len(digits) <= 9
    assert text.startswith("-") == (not text.startswith("0x") and bits >> 31 == 1)


# Sizes


def test_sizes_of_elements():
    assert [element_bit_width(element) for element in ELEMENTS] == [
        *(1, 8, 16, 32, 64),
        *(4, 8, 8, 8, 8),
        *(16, 16, 19, 32, 64),
    ]
    assert [element_bytes(element) for element in ELEMENTS] == [
        *(1, 1, 2, 4, 8),
        *(1, 1, 1, 1, 1),
        *(2, 2, 3, 4, 8),
    ]


@pytest.mark.parametrize("element", ELEMENTS)
def test_long_literals_print_as_bytes(element: Attribute):
    """More than 100 elements; i1 and the 4-bit float take one byte each."""
    count, size = 128, element_bytes(element)
    assert count > MAX_LISTED_ELEMENTS
    patterns = [index % (1 << element_bit_width(element)) for index in range(count)]
    attribute = DenseElementsAttr.from_bits(TileType(element, (count,)), patterns)
    data = b"".join(pattern.to_bytes(size, "little") for pattern in patterns)
    assert literal_text(attribute) == f'{element_name(element)}: "0x{data.hex().upper()}"'
    assert attribute.data.data == data
    assert attribute.get_bits() == tuple(patterns)
    assert_survives(attribute)


@pytest.mark.parametrize("element", ELEMENTS)
def test_short_literals_print_as_lists(element: Attribute):
    patterns = [index % (1 << element_bit_width(element)) for index in range(64)]
    attribute = DenseElementsAttr.from_bits(TileType(element, (8, 8)), patterns)
    text = literal_text(attribute)
    assert text.count("[") == 9
    assert text.count(",") == 63
    assert '"' not in text
    assert_survives(attribute)


def test_lists_nest_row_by_row():
    attribute = DenseElementsAttr.from_values(TileType(i32, (2, 2, 2)), range(8))
    assert literal_text(attribute) == "i32: [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]"
    column = DenseElementsAttr.from_values(TileType(i32, (2, 1)), (0, 1))
    assert literal_text(column) == "i32: [[0], [1]]"


# Splats


@pytest.mark.parametrize("element", ELEMENTS)
def test_large_splats_cost_nothing(element: Attribute):
    """A tile of 4096x4096 equal elements holds one, and is printed, parsed and compared as one."""
    tile = TileType(element, (4096, 4096))
    tracemalloc.start()
    start = time.perf_counter()
    attribute = DenseElementsAttr.from_values(tile, (1,))
    assert parse_attribute(str(attribute)) == attribute
    assert attribute.is_splat
    assert attribute.get_splat_value() in (1, 1.0)
    seconds = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(attribute.data.data) == element_bytes(element)
    assert peak < 1_000_000
    assert seconds < 5.0


def test_equal_elements_are_a_splat_however_they_are_given():
    tile = TileType(i16, (2, 2))
    splat = DenseElementsAttr.from_bits(tile, (7,))
    assert splat.is_splat
    assert splat == DenseElementsAttr.from_bits(tile, (7, 7, 7, 7))
    assert splat == DenseElementsAttr.from_values(tile, (7,))
    assert splat == DenseElementsAttr.from_values(tile, (7, 7, 7, 7))
    assert splat == DenseElementsAttr.from_bytes(tile, b"\7\0")
    assert splat == DenseElementsAttr.from_bytes(tile, b"\7\0" * 4)
    assert splat == parse_attribute("#cuda_tile.dense<i16: [[7, 7], [7, 7]] : tile<2x2xi16>>")
    assert splat == parse_attribute('#cuda_tile.dense<i16: "0x0700070007000700" : tile<2x2xi16>>')
    assert splat.get_bits() == (7,)
    assert splat.get_values() == (7,)
    assert splat.get_splat_value() == 7


def test_patterns_are_compared_not_values():
    zeros = DenseElementsAttr.from_values(TileType(f32, (2,)), (0.0, -0.0))
    assert not zeros.is_splat
    assert zeros.get_splat_value() is None
    nans = DenseElementsAttr.from_bits(TileType(f32, (2,)), (0x7FC00000, 0x7FC00000))
    assert nans.is_splat
    other = DenseElementsAttr.from_bits(TileType(f32, (2,)), (0x7FC00000, 0x7FC00001))
    assert not other.is_splat
    assert_survives(other)


def test_values_are_signed():
    tile = TileType(i8, (4,))
    attribute = DenseElementsAttr.from_values(tile, (-1, 255, -128, 127))
    assert attribute.get_values() == (-1, -1, -128, 127)
    assert attribute.get_bits() == (0xFF, 0xFF, 0x80, 0x7F)
    bools = DenseElementsAttr.from_values(TileType(i1, (2,)), (True, False))
    assert bools.get_values() == (1, 0)


# What is refused


@pytest.mark.parametrize("length", [0, 1, 3, 5, 8, 15, 17, 32])
def test_bytes_fill_the_tile(length: int):
    with pytest.raises(VerifyException, match=f"^{length} bytes of elements do not fill"):
        DenseElementsAttr(TileType(i32, (4,)), BytesAttr(bytes(length)))


@pytest.mark.parametrize(
    ("element", "data"), [(i1, b"\2"), (i1, b"\xff"), (f4E2M1FN, b"\x10"), (tf32, b"\0\0\x08")]
)
def test_elements_fit_their_width(element: Attribute, data: bytes):
    with pytest.raises(VerifyException, match=r"^an element has more than the .* bits of a"):
        DenseElementsAttr(TileType(element, (2,)), BytesAttr(data))
    with pytest.raises(VerifyException, match=r"^an element has more than the .* bits of a"):
        DenseElementsAttr(TileType(element, (2,)), BytesAttr(bytes(len(data)) + data))


@pytest.mark.parametrize("element", [IntegerType(4), PtrType(f32)])
def test_only_numbers_have_literals(element: Attribute):
    with pytest.raises(VerifyException, match=r"^expect element type to be one of i1 or i8"):
        DenseElementsAttr(TileType(element, (2,)), BytesAttr(b"\0"))


DEEP = 20_000


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "brackets", ["[" * DEEP, "[" * DEEP + "1" + "]" * DEEP, "[1" + ", [" * DEEP]
)
def test_depth_of_lists_is_not_depth_of_the_stack(brackets: str):
    """Hostile nesting is an error like any other."""
    with pytest.raises(ParseError):
        parse_attribute(f"#cuda_tile.dense<i32: {brackets} : tile<1xi32>>")


@given(st.lists(st.integers(-300, 300), min_size=1, max_size=8))
def test_range_of_integers(values: Sequence[int]):
    """Signed and unsigned numbers of the width, and no others."""
    parser = parser_of(f"i8: [{', '.join(map(str, values))}]")
    if all(-128 <= value <= 255 for value in values):
        assert parse_literal(parser).bits == [value % 256 for value in values]
    else:
        with pytest.raises(ParseError, match="integer constant out of range for type"):
            parse_literal(parser)
