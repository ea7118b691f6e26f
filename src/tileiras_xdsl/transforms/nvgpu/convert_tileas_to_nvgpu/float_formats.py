"""
Conversions of narrow floats to f32 and back, on whole fragments.

Every float but f64 is exact in f32. Rounding to a narrow format is integer arithmetic on the bits:

- Values that are normal in the narrow format: the low bits are shifted out, after an increment
  that the rounding mode decides. A carry goes into the exponent, as it must.
- Values that are subnormal in it: they are added to the power of two at which the last bit of an
  f32 weighs as much as that of the format's subnormals. The hardware rounds the sum, and its bits
  minus those of the power of two are the result.
- Values that overflow: a minimum of the bits gives the largest number or infinity.

f64 to bf16, and in other modes than nearest even, is first rounded to odd: truncated to f32, with
the last bit set if that is inexact. This sticky bit is all that the second rounding has to know, so
the result is not rounded twice. To tf32 and types of 8 bits and less, f64 is rounded twice: the
hardware has these of f32 only, and NVIDIA's compiler does so.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    FloatTF32Type,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.cuda_tile.types import FloatNV8E5M3FNUType
from tileiras_xdsl.dialects.nvvm import RoundingMode
from tileiras_xdsl.transforms.common.expressions import Number
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .constants import TF32_SPARE_BITS
from .thread_builder import ThreadBuilder, element_of, with_element

F32_MANTISSA = 23
F32_BIAS = 127
F32_INFINITY = 0x7F800000
MAGNITUDE = 0x7FFFFFFF
QUIET = 0x400000
NAN = float("nan")


@dataclass(frozen=True)
class NarrowFloatFormat:
    """The bit patterns of a float narrower than f32."""

    bits: int
    mantissa: int
    """Bits of the mantissa, without the leading one."""
    bias: int
    largest: int
    """The bits of the largest finite number."""
    nan: int
    has_sign: bool = True
    infinity: int | None = None
    """None if values that overflow become the largest number."""

    @property
    def dropped(self) -> int:
        """How many more mantissa bits an f32 has."""
        return F32_MANTISSA - self.mantissa

    @property
    def magnitude(self) -> int:
        """All bits but that of the sign."""
        return (1 << self.bits - self.has_sign) - 1


FORMATS: dict[type[Attribute], NarrowFloatFormat] = {
    Float16Type: NarrowFloatFormat(16, 10, 15, 0x7BFF, 0x7FFF, infinity=0x7C00),
    BFloat16Type: NarrowFloatFormat(16, 7, 127, 0x7F7F, 0x7FFF, infinity=0x7F80),
    FloatTF32Type: NarrowFloatFormat(19, 10, 127, 0x3FBFF, 0x3FFFF, infinity=0x3FC00),
    Float8E4M3FNType: NarrowFloatFormat(8, 3, 7, 0x7E, 0x7F),
    Float8E5M2Type: NarrowFloatFormat(8, 2, 15, 0x7B, 0x7F),
    Float8E8M0FNUType: NarrowFloatFormat(8, 0, 127, 0xFE, 0xFF, has_sign=False),
    FloatNV8E5M3FNUType: NarrowFloatFormat(8, 3, 15, 0xFE, 0xFF, has_sign=False),
    Float4E2M1FNType: NarrowFloatFormat(4, 1, 1, 0x7, 0x7),
}


def clear_spare_bits(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A tf32 from an f32 whose low bits may be anything."""
    return (builder.number(value).bits(i32) & -1 << TF32_SPARE_BITS).bits(f32).value


# Wider


def widen(builder: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Floats converted to f32; f64 is left alone."""
    if element in (f32, f64) or isinstance(element, FloatTF32Type):
        return value
    number = builder.number(value)
    if element in (f16, bf16):
        return number.cast("fpext", f32).value
    if converts_in_hardware(builder, value, element):
        return builder.cast("fpext", widen_to_f16(builder, value, element), f32)
    if isinstance(element, Float8E5M2Type):
        # An f8E5M2 is the upper half of an f16.
        return (number.cast("zext", i16) << 8).bits(f16).cast("fpext", f32).value
    is_scale = isinstance(element, Float8E8M0FNUType)
    return widen_by_bits(number, FORMATS[type(element)], is_scale).value


def widen_by_bits(value: Number, fmt: NarrowFloatFormat, is_scale: bool) -> Number:
    """
    Shifts exponent and mantissa to their position in an f32. That is the value but for a power of
    two, the difference of the biases, by which it is multiplied; so subnormals become normal.
    """
    bits = value.cast("zext", i32)
    magnitude = bits & fmt.magnitude if fmt.has_sign else bits
    moved = magnitude << fmt.dropped
    if is_scale:
        # There is no zero: the least pattern is 2^-127, subnormal in f32.
        result = moved.apply("umax", QUIET).bits(f32)
    else:
        result = moved.bits(f32) * 2.0 ** (F32_BIAS - fmt.bias)
    if fmt.nan != fmt.largest:
        is_nan = magnitude.compare("eq", fmt.nan)
        result = is_nan.select_number(NAN, result)
    if not fmt.has_sign:
        return result
    sign = bits << 32 - fmt.bits & 1 << 31
    return (result.bits(i32) | sign).bits(f32)


def converts_in_hardware(builder: ThreadBuilder, value: SSAValue, element: Attribute) -> bool:
    """
    Whether there are conversion instructions for a narrow float (`cvt.rn.f16x2.e4m3x2`, …). These
    are packed: they convert two elements at once, so the fragment needs an even number of them.
    """
    return (
        isinstance(element, Float8E4M3FNType | Float8E5M2Type)
        and builder.kernel.target.has("cvt.f8")
        and isinstance(value.type, VectorType)
        and value.type.get_shape()[0] % 2 == 0
    )


def widen_to_f16(builder: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """FP8 as f16, which is exact."""
    halves = with_element(value.type, f16)
    return builder.emit(nvvm.FragmentFpextOp(value, halves, element)).result


# Narrower


def narrow(
    builder: ThreadBuilder,
    op: Operation,
    value: SSAValue,
    element: Attribute,
    mode: str = "nearest_even",
) -> SSAValue:
    """f32 or f64 rounded to an element, as it is in registers."""
    source = element_of(value.type)
    if element == source:
        return value
    if element == f64:
        return builder.cast("fpext", value, f64)
    if mode == "nearest_even" and (
        element == f32 or element == f16 or (element == bf16 and source == f32)
    ):
        return builder.cast("fptrunc", value, element)
    if element == f32:
        return round_f64_directed(builder, op, builder.number(value), mode).value
    if source == f64 and (element == bf16 or mode != "nearest_even"):
        value = round_to_odd(builder, op, builder.number(value)).value
    elif source == f64:
        value = builder.cast("fptrunc", value, f32)
    if mode == "nearest_even" and converts_in_hardware(builder, value, element):
        held = with_element(value.type, i8)
        return builder.emit(nvvm.FragmentFptruncOp(value, held, element)).result
    if source == f64 and mode == "nearest_even" and element == bf16:
        return builder.cast("fptrunc", value, bf16)
    if isinstance(element, FloatTF32Type) and mode in TF32_MODES:
        return round_to_tf32(builder, value, mode)
    return round_by_bits(builder, op, value, element, mode)


TF32_MODES = ("nearest_even", "nearest_away", "zero")
TF32_INSTRUCTIONS = {"nearest_even": RoundingMode.RN, "zero": RoundingMode.RZ}
"""That to nearest, ties away from zero, makes infinities of some NaNs."""


def round_to_tf32(builder: ThreadBuilder, value: SSAValue, mode: str) -> SSAValue:
    """f32 with the low bits of its pattern rounded away; a carry may make infinity of it."""
    if mode in TF32_INSTRUCTIONS and builder.kernel.target.has("cvt.tf32"):
        integers = with_element(value.type, i32)
        op = nvvm.ConvertFloatToTF32Op(value, integers, TF32_INSTRUCTIONS[mode])
        return builder.cast("bitcast", builder.emit(op).result, f32)
    number = builder.number(value)
    bits = rounded = number.bits(i32)
    half = 1 << TF32_SPARE_BITS - 1
    if mode == "nearest_even":
        rounded = bits + (bits >> TF32_SPARE_BITS & 1)
        half -= 1
    if mode != "zero":
        rounded = rounded + half
    result = (rounded & -1 << TF32_SPARE_BITS).bits(f32)
    return number.compare("uno", number).select_number(NAN, result).value


def round_by_bits(
    builder: ThreadBuilder, op: Operation, value: SSAValue, element: Attribute, mode: str
) -> SSAValue:
    """f32 rounded in integers."""
    fmt = FORMATS[type(element)]
    if mode not in MODES:
        fail(op, f"'{op.name}' op cannot round in mode '{mode}'")
    bits = builder.number(value).bits(i32)
    magnitude = bits & MAGNITUDE
    rounding = FloatRounding(builder, fmt, mode, bits, fmt.has_sign)
    pattern = rounding.round_normal(magnitude)
    if isinstance(element, Float8E8M0FNUType):
        if mode not in ("zero", "positive_inf"):
            fail(op, f"'{op.name}' op rounds to '{element}' to zero or up only")
        # There is no zero: all up to 2^-127 becomes that, whose pattern is 0.
        if mode == "positive_inf":
            pattern = magnitude.compare("ule", QUIET).select_number(0, pattern)
    elif fmt.bias != F32_BIAS:
        least = (F32_BIAS + 1 - fmt.bias) << F32_MANTISSA
        small = rounding.round_small()
        pattern = magnitude.compare("ult", least).select(small, pattern)
    pattern = rounding.limit(magnitude, pattern)
    if fmt.has_sign:
        pattern = pattern | bits >> 32 - fmt.bits & fmt.magnitude + 1
    pattern = magnitude.compare("ugt", F32_INFINITY).select_number(fmt.nan, pattern)
    return from_pattern(pattern, element, fmt).value


def from_pattern(pattern: Number, element: Attribute, fmt: NarrowFloatFormat) -> Number:
    """The register of a pattern in the low bits of an i32."""
    if isinstance(element, FloatTF32Type):
        return (pattern << TF32_SPARE_BITS).bits(f32)
    if fmt.bits == 16:
        return pattern.cast("trunc", i16).bits(element)
    return pattern.cast("trunc", i8)


MODES = ("nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away")


@dataclass(frozen=True)
class FloatRounding:
    """How magnitudes of f32 are rounded to a format."""

    builder: ThreadBuilder
    format: NarrowFloatFormat
    mode: str
    bits: Number
    """The patterns of the f32."""
    has_sign: bool

    @property
    def is_directed(self) -> bool:
        """Whether the sign decides."""
        return self.has_sign and self.mode in ("negative_inf", "positive_inf")

    @property
    def is_up(self) -> bool:
        """Whether all magnitudes are rounded up."""
        return not self.has_sign and self.mode == "positive_inf"

    def away(self) -> Number:
        """In a directed mode, where magnitudes are rounded up."""
        return self.bits.compare("slt" if self.mode == "negative_inf" else "sge", 0)

    def round_normal(self, magnitude: Number) -> Number:
        """The patterns of what is normal in the format, before the exponent's limits."""
        dropped = self.format.dropped
        unit = 1 << dropped
        increment: Number | None = None
        constant = (self.format.bias - F32_BIAS) << F32_MANTISSA
        if self.mode == "nearest_even":
            increment = magnitude >> dropped & 1
            constant += unit // 2 - 1
        elif self.mode == "nearest_away":
            constant += unit // 2
        elif self.is_up:
            constant += unit - 1
        elif self.is_directed:
            increment = self.away().select(magnitude.like(unit - 1), magnitude.like(0))
        total = magnitude + constant if constant else magnitude
        return (total if increment is None else total + increment) >> dropped

    def round_small(self) -> Number:
        """The bits of values that are subnormal in the format."""
        size = (self.bits & MAGNITUDE).bits(f32)
        power = F32_MANTISSA + 1 - self.format.bias - self.format.mantissa
        if self.mode == "nearest_even":
            return self._count(size, power, RoundingMode.RN)
        if self.is_up:
            return self._count(size, power, RoundingMode.RP)
        if self.is_directed:
            up = self._count(size, power, RoundingMode.RP)
            return self.away().select(up, self._count(size, power, RoundingMode.RZ))
        if self.mode == "nearest_away":
            return self._count(size, power - 1, RoundingMode.RZ) + 1 >> 1
        return self._count(size, power, RoundingMode.RZ)

    def _count(self, size: Number, power: int, mode: RoundingMode) -> Number:
        """How many units, the last bits of 2^power in f32, a magnitude has."""
        if mode is RoundingMode.RN:
            total = size + 2.0**power
        else:
            start = size.like(2.0**power)
            total = nvvm.AddOp(size.value, start.value, mode)
            total = size.like(self.builder.emit(total).results[0])
        return total.bits(i32) - ((power + F32_BIAS) << F32_MANTISSA)

    def limit(self, magnitude: Number, pattern: Number) -> Number:
        """The bits, with the largest number or infinity for values that overflow."""
        fmt = self.format
        if fmt.infinity is None:
            return pattern.apply("umin", fmt.largest)
        if self.mode in ("nearest_even", "nearest_away"):
            return pattern.apply("umin", fmt.infinity)
        bound = pattern.like(fmt.largest)
        if self.is_directed:
            bound = self.away().select_number(fmt.infinity, bound)
        limited = pattern.apply("umin", bound)
        return magnitude.compare("eq", F32_INFINITY).select_number(fmt.infinity, limited)


# f64


def round_f64_directed(builder: ThreadBuilder, op: Operation, value: Number, mode: str) -> Number:
    """f64 to f32 in a directed mode: the nearest f32, or the neighbour on the other side of it."""
    nearest = value.cast("fptrunc", f32)
    pattern = nearest.bits(i32)
    back = nearest.cast("fpext", f64)
    match mode:
        case "zero":
            sizes = [builder.emit(math.AbsFOp(each.value)).result for each in (back, value)]
            is_far = builder.number(sizes[0]).compare("ogt", sizes[1])
            step = pattern.like(-1)
        case "negative_inf" | "positive_inf":
            down = mode == "negative_inf"
            is_far = back.compare("ogt" if down else "olt", value)
            # Patterns of negative numbers grow downwards.
            step = pattern.compare("sge", 0)
            step = step.select(pattern.like(-1 if down else 1), pattern.like(1 if down else -1))
        case _:
            fail(op, f"'{op.name}' op cannot round f64 in mode '{mode}'")
    return is_far.select(pattern + step, pattern).bits(f32)


def round_to_odd(builder: ThreadBuilder, op: Operation, value: Number) -> Number:
    """f64 cut to f32, with the last bit set if it is inexact."""
    cut = round_f64_directed(builder, op, value, "zero")
    inexact = cut.cast("fpext", f64).compare("one", value)
    pattern = cut.bits(i32)
    return inexact.select(pattern | 1, pattern).bits(f32)
