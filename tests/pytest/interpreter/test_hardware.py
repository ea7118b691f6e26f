"""
What NVIDIA's compiler and an H200 make of corner cases: recorded results of kernels compiled by
`tileiras` 13.4 for sm_90. Bit patterns of operands and result.
"""

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f16, f32, f64
from xdsl.ir import Attribute

from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.elements import bits_of, dtype_of, from_bits

from .exact import decode, f8E4M3FN, f8E5M2, i1, i8, i32, i64, tf32

ARITHMETIC: list[tuple[str, Attribute, tuple[int, ...], int, dict[str, Any]]] = [
    # Rounded to fewer bits than a subnormal number has, the first one is 2^-126.
    ("mulf", f32, (0x20000001, 0x1FFFFFFE), 0x00800000, {"flush_to_zero": True}),
    ("mulf", f32, (0x00800000, 0x3F7FFFFF), 0x00000000, {"flush_to_zero": True}),
    ("mulf", f32, (0x00800000, 0xBF7FFFFF), 0x80000000, {"flush_to_zero": True}),
    ("fma", f32, (0x17800003, 0x97000000, 0x00800000), 0x00800000, {"flush_to_zero": True}),
    ("fma", f32, (0x3F7FFFFF, 0x80800000, 0x807925B7), 0x80000000, {"flush_to_zero": True}),
    ("rsqrt", f32, (0x80000001,), 0xFF800000, {"flush_to_zero": True}),
    ("rsqrt", f32, (0x80000000,), 0xFF800000, {}),
    ("addf", f32, (0x3F800000, 0xBF800000), 0x80000000, {"rounding": "negative_inf"}),
    ("addf", f32, (0x00000000, 0x80000000), 0x80000000, {"rounding": "negative_inf"}),
    ("maxf", f32, (0x00000000, 0x80000000), 0x00000000, {}),
    ("maxf", f32, (0x80000000, 0x00000000), 0x00000000, {}),
    ("minf", f32, (0x00000000, 0x80000000), 0x80000000, {}),
    ("minf", f32, (0x80000000, 0x00000000), 0x80000000, {}),
    ("maxf", f32, (0x7FFFFFFF, 0x3F800000), 0x3F800000, {}),
    ("maxf", f32, (0x7FFFFFFF, 0x3F800000), 0x7FFFFFFF, {"propagate_nan": True}),
    ("remf", f32, (0xBF800000, 0x3F800000), 0x80000000, {}),
    ("remf", f32, (0x3F800000, 0x7F800000), 0x3F800000, {}),
    # The first operand is the ordinate.
    ("atan2", f32, (0x3F800000, 0x00000000), 0x3FC90FDB, {}),
    ("atan2", f32, (0x00000000, 0xBF800000), 0x40490FDB, {}),
    ("shli", i32, (3, 31), 0x80000000, {}),
    ("shli", i32, (3, 32), 0, {}),
    ("shri", i32, (0x80000000, 33), 0xFFFFFFFF, {"signed": True}),
    ("shri", i32, (0x80000000, 0xFFFFFFFF), 0xFFFFFFFF, {"signed": True}),
    ("shli", i64, (3, 64), 0, {}),
    # Only 32 bits of an amount count.
    ("shli", i64, (3, 1 << 63), 3, {}),
    ("shli", i1, (1, 1), 0, {}),
    ("divi", i32, (3, 0), 0xFFFFFFFF, {"signed": True}),
    ("divi", i32, (0x80000000, 0xFFFFFFFF), 0x80000000, {"signed": True}),
    ("remi", i32, (3, 0), 0xFFFFFFFF, {"signed": True}),
    ("remi", i32, (0x80000000, 0xFFFFFFFF), 0, {"signed": True}),
    ("mulhii", i8, (0xFF, 0xFF), 0xFE, {}),
    ("maxi", i1, (0, 1), 0, {"signed": True}),
    ("absi", i1, (1,), 1, {}),
]

CONVERSIONS: list[tuple[str, Attribute, Attribute, int, int, dict[str, Any]]] = [
    ("ftof", f32, f8E4M3FN, 0x7F7FFFFF, 0x7E, {}),
    ("ftof", f32, f8E4M3FN, 0x7F800000, 0x7E, {}),
    ("ftof", f32, f8E4M3FN, 0xFF800000, 0xFE, {}),
    ("ftof", f32, f8E4M3FN, 0x7FFFFFFF, 0x7F, {}),
    ("ftof", f32, f8E5M2, 0x7F7FFFFF, 0x7B, {}),
    ("ftof", f32, f8E5M2, 0x7F800000, 0x7B, {}),
    ("ftof", f32, tf32, 0x7F7FFFFF, 0x3FC00, {}),
    ("itof", i64, f16, 0x7FFFFFFFFFFFFFFF, 0x7C00, {"signed": True}),
    ("itof", i1, f32, 1, 0xBF800000, {"signed": True}),
    ("ftoi", f32, i32, 0x7F800000, 0x7FFFFFFF, {"signed": True, "saturating": True}),
    ("ftoi", f32, i32, 0xFF800000, 0x80000000, {"signed": True, "saturating": True}),
    ("ftoi", f32, i32, 0x7FFFFFFF, 0, {"signed": True, "saturating": True}),
    ("ftoi", f32, i32, 0xBF800000, 0, {"signed": False, "saturating": True}),
    ("ftoi", f32, i8, 0xFF7FFFFF, 0x80, {"signed": True, "saturating": True}),
    # To i1, anything but zero is true.
    ("ftoi", f32, i1, 0x00000001, 1, {"signed": True}),
    ("ftoi", f32, i1, 0x80000000, 0, {"signed": True}),
    ("ftoi", f32, i1, 0x7FFFFFFF, 1, {"signed": True}),
]


def value(bits: int, element: Attribute) -> np.ndarray[Any, np.dtype[Any]]:
    return from_bits(np.array([bits], np.uint64), element)


@pytest.mark.parametrize(("name", "element", "operands", "expected", "modes"), ARITHMETIC)
def test_arithmetic_is_that_of_an_h200(
    name: str, element: Attribute, operands: tuple[int, ...], expected: int, modes: dict[str, Any]
):
    arrays = [value(bits, element) for bits in operands]
    found = getattr(numerics, name)(element, *arrays, **modes)
    assert found.dtype == dtype_of(element)
    bits = bits_of(found, element).item()
    # NaNs have bits of their own.
    assert bits == expected or (
        element in (f16, f32, f64)
        and decode(bits, element).is_nan
        and decode(expected, element).is_nan
    )


@pytest.mark.parametrize(("name", "source", "result", "operand", "expected", "modes"), CONVERSIONS)
def test_conversions_are_those_of_an_h200(
    name: str,
    source: Attribute,
    result: Attribute,
    operand: int,
    expected: int,
    modes: dict[str, Any],
):
    found = getattr(numerics, name)(source, result, value(operand, source), **modes)
    assert found.dtype == dtype_of(result)
    assert bits_of(found, result).item() == expected


def test_exponents_of_fpowi_are_signed():
    found = numerics.fpowi(f32, value(0x40000000, f32), np.array([True]))
    assert found.tolist() == [0.5]
