"""
Element types as NumPy arrays: their types, their bytes in memory, their bits, and rounding
to them.

A tile is an array of `dtype_of` its element type:

| element | array |
| --- | --- |
| `i1` | `bool` |
| `i4`, `i8` … `i64` | signed integers |
| `f16`, `f32`, `f64` | NumPy's |
| `bf16`, `f8E4M3FN`, `f8E5M2`, `f8E8M0FNU`, `f4E2M1FN` | those of `ml_dtypes` |
| `tf32` | `float32`, with values that ten mantissa bits can hold |
| `fnv8E5M3FNU` | `uint8`, the bit patterns |
| `ptr` | `int64`, the addresses |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias, cast

import ml_dtypes
import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
)
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.types import FloatNV8E5M3FNUType, PtrType
from tileiras_xdsl.dialects.nv_tileaa.types import PtrType as TileaaPtrType

Array: TypeAlias = npt.NDArray[Any]
DType: TypeAlias = "np.dtype[Any]"
RoundingName: TypeAlias = Literal[
    "nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away"
]
"""The modes of `round_to`; members of `Rounding` are such strings as well."""


@dataclass(frozen=True)
class FloatFormat:
    """What the values of a floating-point type are."""

    dtype: DType
    precision: int
    """Bits of a significand, with the leading one."""
    min_exponent: int
    """Exponent of the smallest normal number; subnormal numbers have the same quantum."""
    max_finite: float
    bits: int
    lacks: tuple[str, ...] = ()
    """What there is none of: a `sign`, `inf`, `nan` or `zero`."""

    @property
    def saturates(self) -> bool:
        """
        Whether conversions clamp to the largest number: all conversions that the hardware has to
        8-bit and 4-bit floats do (`cvt.satfinite`), those of infinities included.
        """
        return self.bits <= 8

    @property
    def wide(self) -> DType:
        """The NumPy type that has all values and that arithmetic runs in."""
        return _F64 if self.bits == 64 else _F32


_F32 = np.dtype(np.float32)
_F64 = np.dtype(np.float64)


def _format(dtype: Any, *lacks: str) -> FloatFormat:
    """The format of a type that NumPy or `ml_dtypes` knows."""
    info = cast(Any, ml_dtypes.finfo)(dtype)
    largest = float(info.max)
    return FloatFormat(np.dtype(dtype), info.nmant + 1, info.minexp, largest, info.bits, lacks)


_FLOATS: dict[type[Attribute], FloatFormat] = {
    Float16Type: _format(np.float16),
    BFloat16Type: _format(ml_dtypes.bfloat16),
    FloatTF32Type: FloatFormat(_F32, 11, -126, float.fromhex("0x1.ffcp127"), 19),
    Float32Type: _format(np.float32),
    Float64Type: _format(np.float64),
    Float8E4M3FNType: _format(ml_dtypes.float8_e4m3fn, "inf"),
    Float8E5M2Type: _format(ml_dtypes.float8_e5m2),
    Float8E8M0FNUType: _format(ml_dtypes.float8_e8m0fnu, "sign", "inf", "zero"),
    Float4E2M1FNType: _format(ml_dtypes.float4_e2m1fn, "inf", "nan"),
    FloatNV8E5M3FNUType: FloatFormat(np.dtype(np.uint8), 4, -14, 114688.0, 8, ("sign", "inf")),
}

_INTEGERS: dict[int, DType] = {
    1: np.dtype(np.bool_),
    4: np.dtype(ml_dtypes.int4),
    8: np.dtype(np.int8),
    16: np.dtype(np.int16),
    32: np.dtype(np.int32),
    64: np.dtype(np.int64),
    128: np.dtype("V16"),
}

_UNSIGNED: dict[int, DType] = {
    1: np.dtype(np.uint8),
    2: np.dtype(np.uint16),
    4: np.dtype(np.uint32),
    8: np.dtype(np.uint64),
}
"""Unsigned integers by their bytes."""

_TF32_SPARE_BITS = 13
"""The mantissa bits that a `float32` has more than a `tf32`."""


def float_format(element: Attribute) -> FloatFormat:
    """The format of a floating-point element type."""
    return _FLOATS[type(element)]


def bit_width(element: Attribute) -> int:
    """Bits of an element: 1 for i1, 19 for tf32, 64 for pointers."""
    if isinstance(element, IntegerType):
        return element.width.data
    if isinstance(element, PtrType | TileaaPtrType):
        return 64
    return float_format(element).bits


def dtype_of(element: Attribute) -> DType:
    """The type of the arrays that hold tiles of this element type."""
    if isinstance(element, IntegerType):
        return _INTEGERS[element.width.data]
    if isinstance(element, PtrType | TileaaPtrType):
        return np.dtype(np.int64)
    return float_format(element).dtype


# Memory


def is_packed(element: Attribute) -> bool:
    """Whether a byte of memory holds two elements, the first one in its low half."""
    return bit_width(element) == 4


def memory_bytes(element: Attribute) -> int:
    """Bytes of an element in memory, of two if it is packed: one for i1, four for tf32."""
    return 1 if is_packed(element) else dtype_of(element).itemsize


def storage_dtype(element: Attribute) -> DType:
    """
    The type of the units that memory of this element consists of: bytes for i1 (0 or 1) and
    for 4-bit types (two in a byte, the first one in the low half).
    """
    return np.dtype(np.uint8) if bit_width(element) < 8 else dtype_of(element)


def to_bytes(array: Array, element: Attribute) -> npt.NDArray[np.uint8]:
    """The bytes of elements in memory, in one dimension."""
    if is_packed(element):
        halves = bits_of(array, element).reshape(-1, 2)
        return np.asarray(halves[:, 0] | halves[:, 1] << np.uint8(4), np.uint8)
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def from_bytes(data: npt.NDArray[np.uint8], element: Attribute) -> Array:
    """The elements that bytes of memory hold, in one dimension."""
    data = np.ascontiguousarray(data).reshape(-1)
    if is_packed(element):
        halves = np.stack((data & 15, data >> 4), axis=-1)
        return from_bits(halves.reshape(-1), element)
    if bit_width(element) == 1:
        return data != 0
    values = data.view(dtype_of(element))
    if isinstance(element, FloatTF32Type):
        # Memory may hold any float32; the spare bits are not read.
        return from_bits(bits_of(values, element), element)
    return values


# Bits


def bits_of(array: Array, element: Attribute) -> Array:
    """The bit patterns of elements, as unsigned integers; those of tf32 have 19 bits."""
    bits = np.asarray(array).view(_UNSIGNED[array.dtype.itemsize])
    if isinstance(element, FloatTF32Type):
        return np.asarray(bits >> np.uint32(_TF32_SPARE_BITS))
    if bit_width(element) == 4:
        return np.asarray(bits & np.uint8(15))
    return bits


def from_bits(bits: npt.ArrayLike, element: Attribute) -> Array:
    """The elements of bit patterns."""
    dtype = dtype_of(element)
    patterns = np.asarray(bits)
    if patterns.dtype.kind != "u":
        patterns = patterns.astype(np.uint64)
    patterns = patterns.astype(_UNSIGNED[dtype.itemsize], copy=False)
    if dtype == np.bool_:
        return np.asarray(patterns & np.uint8(1) != 0)
    if isinstance(element, FloatTF32Type):
        patterns = np.asarray(patterns << np.uint32(_TF32_SPARE_BITS))
    elif isinstance(element, IntegerType) and bit_width(element) == 4:
        extended = np.asarray(patterns << np.uint8(4)).view(np.int8) >> np.int8(4)
        return np.asarray(extended).astype(dtype)
    elif bit_width(element) == 4:
        patterns = np.asarray(patterns & np.uint8(15))
    return patterns.view(dtype)


def unsigned(array: Array) -> Array:
    """Integers read as unsigned ones; i1 as 0 and 1, i4 as 0 to 15."""
    if array.dtype == ml_dtypes.int4:
        return np.asarray(array.astype(np.uint8) & np.uint8(15))
    return array.view(_UNSIGNED[array.dtype.itemsize])


def signed(array: Array) -> Array:
    """Integers read as signed ones; i1 as 0 and -1, i4 as -8 to 7."""
    if array.dtype == np.bool_:
        return np.asarray(-array.view(np.int8))
    if array.dtype == ml_dtypes.int4:
        return array.astype(np.int8)
    return array.view(np.dtype(f"i{array.dtype.itemsize}"))


def wrap(values: npt.ArrayLike, element: Attribute) -> Array:
    """Integers of any NumPy type, cut to the bits of an element type."""
    values = np.asarray(values)
    width = bit_width(element)
    if width == 1:
        return np.asarray(values & 1).astype(np.bool_)
    if width == 4:
        return from_bits(values.astype(np.uint8), element)
    dtype = dtype_of(element)
    if values.dtype.itemsize == dtype.itemsize and values.dtype.kind in "iu":
        return values.view(dtype)
    return values.astype(dtype)


# Floating-point values


@cache
def _nv8_values() -> npt.NDArray[np.float32]:
    """The value of each bit pattern of fnv8E5M3FNU; they ascend, but for the NaN at the end."""
    bits = np.arange(256)
    exponent, fraction = bits >> 3, bits & 7
    normal = np.ldexp(1 + fraction / 8, exponent - 15)
    values = np.where(exponent == 0, np.ldexp(fraction / 8, -14), normal)
    values[255] = np.nan
    return values.astype(np.float32)


@np.errstate(all="ignore")
def widen(array: Array, element: Attribute) -> Array:
    """The same values as float32, of f64 as float64."""
    if isinstance(element, FloatNV8E5M3FNUType):
        return np.asarray(_nv8_values()[array])
    return np.asarray(array).astype(float_format(element).wide, copy=False)


def _rounds_up(rest: Array, half: int, odd: Array, negative: Array, rounding: str) -> Array:
    """Whether magnitudes are rounded up, by what would be cut off of them."""
    match rounding:
        case "nearest_even":
            return (rest > half) | ((rest == half) & odd)
        case "nearest_away":
            return rest >= half
        case "zero":
            return np.zeros_like(negative)
        case "negative_inf":
            return (rest != 0) & negative
        case "positive_inf":
            return (rest != 0) & ~negative
        case _:
            raise ValueError(f"no rounding mode of floats: '{rounding}'")


def _round_normal(values: Array, spare_bits: int, rounding: str) -> Array:
    """
    Rounds float64 values as if exponents were unbounded: away goes the end of a significand,
    and a carry out of it goes to the exponent. NaNs become nonsense.
    """
    bits = values.view(np.uint64)
    unit = 1 << spare_bits
    rest = bits & np.uint64(unit - 1)
    odd = bits & np.uint64(unit) != 0
    up = _rounds_up(rest, unit >> 1, odd, np.signbit(values), rounding)
    return np.asarray(bits - rest + up * np.uint64(unit)).view(np.float64)


def _round_subnormal(values: Array, quantum: float, rounding: str) -> Array:
    """Rounds float64 values to multiples of a quantum, from which they are not far."""
    multiples = values / quantum
    match rounding:
        case "nearest_even":
            rounded = np.rint(multiples)
        case "zero":
            rounded = np.trunc(multiples)
        case "negative_inf":
            rounded = np.floor(multiples)
        case "positive_inf":
            rounded = np.ceil(multiples)
        case _:
            whole = np.trunc(multiples)
            rounded = whole + np.copysign(np.abs(multiples - whole) >= 0.5, multiples)
    return np.copysign(rounded * quantum, values)


def _overflows_to_inf(negative: Array, rounding: str) -> Array | bool:
    """Whether a number beyond the largest one of a sign rounds away from it."""
    match rounding:
        case "zero":
            return False
        case "negative_inf":
            return negative
        case "positive_inf":
            return ~negative
        case _:
            return True


def _encode(values: Array, element: Attribute) -> Array:
    """Values that the element type has, NaN included, to its arrays."""
    if isinstance(element, FloatNV8E5M3FNUType):
        return np.asarray(np.searchsorted(_nv8_values()[:255], values)).astype(np.uint8)
    # `ml_dtypes` converts from float32, which has all values but those of f64.
    fmt = float_format(element)
    wide = values.astype(fmt.wide, copy=False)
    if isinstance(element, FloatTF32Type):
        return np.asarray(_quiet_tf32(wide.view(np.uint32))).view(np.float32)
    return wide.astype(fmt.dtype, copy=False)


def _round_fast(values: Array, element: Attribute) -> Array | None:
    """Nearest even by a conversion of NumPy's or `ml_dtypes`, where there is a right one."""
    fmt = float_format(element)
    if values.dtype == fmt.dtype and not isinstance(element, FloatTF32Type):
        return values
    match element:
        case Float64Type() | Float32Type() | Float16Type():
            return values.astype(fmt.dtype)
        case BFloat16Type() if values.dtype == _F32:
            return values.astype(fmt.dtype)
        case FloatTF32Type() if values.dtype == _F32:
            bits = values.view(np.uint32)
            odd = bits >> np.uint32(_TF32_SPARE_BITS) & np.uint32(1)
            rounded = bits + np.uint32(0xFFF) + odd & np.uint32(0xFFFFE000)
            bits = np.where(np.isfinite(values), rounded, _quiet_tf32(bits))
            return np.asarray(bits).view(np.float32)
        case _:
            return None


def _saturate_fast(values: Array, element: Attribute) -> Array | None:
    """The same for conversions that saturate."""
    fmt = float_format(element)
    if values.dtype == _F32 and isinstance(element, Float8E4M3FNType | Float8E5M2Type):
        clipped = np.asarray(np.clip(values, -fmt.max_finite, fmt.max_finite))
        return clipped.astype(fmt.dtype)
    return None


def _quiet_tf32(bits: Array) -> Array:
    """Infinities unchanged; NaNs without the bits that tf32 has not, and quiet."""
    nan = bits & np.uint32(0x7FFFFFFF) > np.uint32(0x7F800000)
    return np.where(nan, bits & np.uint32(0xFFFFE000) | np.uint32(0x400000), bits)


@np.errstate(all="ignore")
def round_to(
    values: Array,
    element: Attribute,
    rounding: RoundingName | str = "nearest_even",
    saturate: bool | None = None,
) -> Array:
    """
    Rounds float32 or float64 values once, as `rounding` says, to an element type.

    - Beyond the largest number: with `saturate` it is the result, also for infinities. Without,
      the mode decides between it and infinity, and a type without infinity has NaN for it, or
      the largest number if it has no NaN either. By default 8-bit and 4-bit types saturate,
      as all conversions to them of the hardware do, and the others do not.
    - NaN stays NaN; f4E2M1FN has none and yields +6.
    - Types without a sign take the magnitude, and round that. f8E8M0FNU has no zero: all up to
      2^-127 becomes 2^-127. Its ties go to the even bit pattern.
    """
    values = np.asarray(values)
    fmt = float_format(element)
    if saturate is None:
        saturate = fmt.saturates
    if rounding == "nearest_even":
        rounded = _saturate_fast(values, element) if saturate else _round_fast(values, element)
        if rounded is not None:
            return rounded
    if "sign" in fmt.lacks:
        values = np.abs(values)
    if isinstance(element, Float64Type):
        rounded = values.astype(_F64)
        return np.asarray(
            np.clip(rounded, -fmt.max_finite, fmt.max_finite) if saturate else rounded
        )
    wide = np.asarray(values.astype(_F64, copy=False))
    rounded = _round_normal(wide, 53 - fmt.precision, rounding)
    normal = 2.0**fmt.min_exponent
    small = (np.abs(wide) < normal) & (wide != 0)
    if small.any():
        quantum = 2.0 ** (fmt.min_exponent + 1 - fmt.precision)
        rounded[small] = _round_subnormal(wide[small], quantum, rounding)
    if "zero" in fmt.lacks:
        rounded = np.maximum(rounded, normal)
    negative = np.signbit(wide)
    largest = np.copysign(fmt.max_finite, wide)
    beyond = np.abs(rounded) > fmt.max_finite
    infinite = np.isinf(wide)
    if saturate:
        rounded = np.where(beyond | infinite, largest, rounded)
    else:
        infinity = np.copysign(np.inf, wide)
        if "inf" in fmt.lacks:
            infinity = largest if "nan" in fmt.lacks else np.asarray(np.nan)
        away = beyond & _overflows_to_inf(negative, rounding)
        rounded = np.where(beyond, largest, rounded)
        rounded = np.where(away | infinite, infinity, rounded)
    nan = np.isnan(wide)
    rounded = np.where(nan, fmt.max_finite if "nan" in fmt.lacks else wide, rounded)
    return _encode(np.asarray(rounded), element)
