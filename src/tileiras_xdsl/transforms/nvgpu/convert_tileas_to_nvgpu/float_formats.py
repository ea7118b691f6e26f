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

from xdsl.dialects import arith, math
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
from tileiras_xdsl.dialects.arith import CmpfOp, CmpiOp, ExtUIOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.cuda_tile.types import FloatNV8E5M3FNUType
from tileiras_xdsl.dialects.nvvm import RoundingMode
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .constants import TF32_SPARE_BITS, literal, literal_bits
from .thread_builder import ThreadBuilder, element_of, with_element

F32_MANTISSA = 23
F32_BIAS = 127
F32_INFINITY = 0x7F800000
MAGNITUDE = 0x7FFFFFFF
QUIET = 0x400000


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
    bits = builder.emit(arith.BitcastOp(value, with_element(value.type, i32))).result
    cut = _and(builder, bits, -1 << TF32_SPARE_BITS)
    return builder.emit(arith.BitcastOp(cut, value.type)).result


# Wider


def widen(builder: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Floats converted to f32; f64 is left alone."""
    if element in (f32, f64) or isinstance(element, FloatTF32Type):
        return value
    wide = with_element(value.type, f32)
    if element in (f16, bf16):
        return builder.emit(arith.ExtFOp(value, wide)).result
    if converts_in_hardware(builder, value, element):
        return builder.emit(arith.ExtFOp(widen_to_f16(builder, value, element), wide)).result
    if isinstance(element, Float8E5M2Type):
        # An f8E5M2 is the upper half of an f16.
        extended = builder.emit(ExtUIOp(value, with_element(value.type, i16))).result
        eight = literal(builder, 8, extended.type)
        moved = builder.emit(arith.ShLIOp(extended, eight)).result
        half = builder.emit(arith.BitcastOp(moved, with_element(value.type, f16))).result
        return builder.emit(arith.ExtFOp(half, wide)).result
    return widen_by_bits(
        builder, value, FORMATS[type(element)], isinstance(element, Float8E8M0FNUType)
    )


def widen_by_bits(
    builder: ThreadBuilder, value: SSAValue, fmt: NarrowFloatFormat, is_scale: bool
) -> SSAValue:
    """
    Shifts exponent and mantissa to their position in an f32. That is the value but for a power of
    two, the difference of the biases, by which it is multiplied; so subnormals become normal.
    """
    integers = with_element(value.type, i32)
    wide = with_element(value.type, f32)
    bits = builder.emit(ExtUIOp(value, integers)).result
    magnitude = bits
    if fmt.has_sign:
        magnitude = _and(builder, bits, fmt.magnitude)
    moved = builder.emit(arith.ShLIOp(magnitude, literal(builder, fmt.dropped, integers))).result
    if is_scale:
        # There is no zero: the least pattern is 2^-127, subnormal in f32.
        moved = builder.emit(arith.MaxUIOp(moved, literal(builder, QUIET, integers))).result
        result = builder.emit(arith.BitcastOp(moved, wide)).result
    else:
        number = builder.emit(arith.BitcastOp(moved, wide)).result
        factor = literal(builder, 2.0 ** (F32_BIAS - fmt.bias), wide)
        result = builder.emit(arith.MulfOp(number, factor)).result
    if fmt.nan != fmt.largest:
        is_nan = builder.emit(CmpiOp(magnitude, literal(builder, fmt.nan, integers), "eq")).result
        nan = literal_bits(builder, F32_INFINITY | QUIET, wide)
        result = builder.emit(SelectOp(is_nan, nan, result)).result
    if not fmt.has_sign:
        return result
    left = literal(builder, 32 - fmt.bits, integers)
    sign = _and(builder, builder.emit(arith.ShLIOp(bits, left)).result, 1 << 31)
    pattern = builder.emit(arith.BitcastOp(result, integers)).result
    signed = builder.emit(arith.OrIOp(pattern, sign)).result
    return builder.emit(arith.BitcastOp(signed, wide)).result


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
        return builder.emit(arith.ExtFOp(value, with_element(value.type, f64))).result
    if mode == "nearest_even" and (
        element == f32 or element == f16 or (element == bf16 and source == f32)
    ):
        return builder.emit(arith.TruncFOp(value, with_element(value.type, element))).result
    if element == f32:
        return round_f64_directed(builder, op, value, mode)
    if source == f64 and (element == bf16 or mode != "nearest_even"):
        value = round_to_odd(builder, op, value)
    elif source == f64:
        value = builder.emit(arith.TruncFOp(value, with_element(value.type, f32))).result
    if mode == "nearest_even" and converts_in_hardware(builder, value, element):
        held = with_element(value.type, i8)
        return builder.emit(nvvm.FragmentFptruncOp(value, held, element)).result
    if source == f64 and mode == "nearest_even" and element == bf16:
        return builder.emit(arith.TruncFOp(value, with_element(value.type, bf16))).result
    if isinstance(element, FloatTF32Type) and mode in TF32_MODES:
        return round_to_tf32(builder, value, mode)
    return round_by_bits(builder, op, value, element, mode)


TF32_MODES = ("nearest_even", "nearest_away", "zero")
TF32_INSTRUCTIONS = {"nearest_even": RoundingMode.RN, "zero": RoundingMode.RZ}
"""That to nearest, ties away from zero, makes infinities of some NaNs."""


def round_to_tf32(builder: ThreadBuilder, value: SSAValue, mode: str) -> SSAValue:
    """f32 with the low bits of its pattern rounded away; a carry may make infinity of it."""
    integers = with_element(value.type, i32)
    if mode in TF32_INSTRUCTIONS and builder.kernel.target.has("cvt.tf32"):
        op = nvvm.ConvertFloatToTF32Op(value, integers, TF32_INSTRUCTIONS[mode])
        rounded = builder.emit(op).result
        return builder.emit(arith.BitcastOp(rounded, value.type)).result
    bits = builder.emit(arith.BitcastOp(value, integers)).result
    half = 1 << TF32_SPARE_BITS - 1
    rounded = bits
    if mode == "nearest_even":
        spare = literal(builder, TF32_SPARE_BITS, integers)
        last = _and(builder, builder.emit(arith.ShRUIOp(bits, spare)).result, 1)
        rounded = builder.emit(arith.AddiOp(bits, last)).result
        half -= 1
    if mode != "zero":
        rounded = builder.emit(arith.AddiOp(rounded, literal(builder, half, integers))).result
    cut = _and(builder, rounded, -1 << TF32_SPARE_BITS)
    result = builder.emit(arith.BitcastOp(cut, value.type)).result
    is_nan = builder.emit(CmpfOp(value, value, "uno")).result
    nan = literal_bits(builder, F32_INFINITY | QUIET, value.type)
    return builder.emit(SelectOp(is_nan, nan, result)).result


def round_by_bits(
    builder: ThreadBuilder, op: Operation, value: SSAValue, element: Attribute, mode: str
) -> SSAValue:
    """f32 rounded in integers."""
    fmt = FORMATS[type(element)]
    if mode not in MODES:
        fail(op, f"'{op.name}' op cannot round in mode '{mode}'")
    integers = with_element(value.type, i32)
    bits = builder.emit(arith.BitcastOp(value, integers)).result
    magnitude = _and(builder, bits, MAGNITUDE)
    rounding = FloatRounding(builder, fmt, mode, bits, fmt.has_sign)
    pattern = rounding.round_normal(magnitude)
    if isinstance(element, Float8E8M0FNUType):
        if mode not in ("zero", "positive_inf"):
            fail(op, f"'{op.name}' op rounds to '{element}' to zero or up only")
        # There is no zero: all up to 2^-127 becomes that, whose pattern is 0.
        if mode == "positive_inf":
            pattern = rounding.choose(magnitude, "ule", QUIET, 0, pattern)
    elif fmt.bias != F32_BIAS:
        least = (F32_BIAS + 1 - fmt.bias) << F32_MANTISSA
        small = rounding.round_small(value)
        pattern = rounding.choose(magnitude, "ult", least, small, pattern)
    pattern = rounding.limit(magnitude, pattern)
    if fmt.has_sign:
        right = literal(builder, 32 - fmt.bits, integers)
        moved = builder.emit(arith.ShRUIOp(bits, right)).result
        pattern = builder.emit(arith.OrIOp(pattern, _and(builder, moved, fmt.magnitude + 1))).result
    pattern = rounding.choose(magnitude, "ugt", F32_INFINITY, fmt.nan, pattern)
    return from_pattern(builder, pattern, element, fmt)


def from_pattern(
    builder: ThreadBuilder, pattern: SSAValue, element: Attribute, fmt: NarrowFloatFormat
) -> SSAValue:
    """The register of a pattern in the low bits of an i32."""
    if isinstance(element, FloatTF32Type):
        left = literal(builder, TF32_SPARE_BITS, pattern.type)
        moved = builder.emit(arith.ShLIOp(pattern, left)).result
        return builder.emit(arith.BitcastOp(moved, with_element(pattern.type, f32))).result
    width = i16 if fmt.bits == 16 else i8
    cut = builder.emit(TruncIOp(pattern, with_element(pattern.type, width))).result
    if width == i8:
        return cut
    return builder.emit(arith.BitcastOp(cut, with_element(pattern.type, element))).result


MODES = ("nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away")


@dataclass(frozen=True)
class FloatRounding:
    """How magnitudes of f32 are rounded to a format."""

    builder: ThreadBuilder
    format: NarrowFloatFormat
    mode: str
    bits: SSAValue
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

    def away(self) -> SSAValue:
        """In a directed mode, where magnitudes are rounded up."""
        zero = literal(self.builder, 0, self.bits.type)
        predicate = "slt" if self.mode == "negative_inf" else "sge"
        return self.builder.emit(CmpiOp(self.bits, zero, predicate)).result

    def choose(
        self, value: SSAValue, predicate: str, bound: int, chosen: SSAValue | int, other: SSAValue
    ) -> SSAValue:
        """One pattern where a comparison holds, another where not."""
        builder, ty = self.builder, other.type
        if isinstance(chosen, int):
            chosen = literal(builder, chosen, ty)
        holds = builder.emit(CmpiOp(value, literal(builder, bound, ty), predicate)).result
        return builder.emit(SelectOp(holds, chosen, other)).result

    def round_normal(self, magnitude: SSAValue) -> SSAValue:
        """The patterns of what is normal in the format, before the exponent's limits."""
        builder, ty, dropped = self.builder, magnitude.type, self.format.dropped
        unit = 1 << dropped
        shift = literal(builder, dropped, ty)
        rebias = (F32_BIAS - self.format.bias) << F32_MANTISSA
        increment: SSAValue | None = None
        constant = -rebias
        if self.mode == "nearest_even":
            last = _and(builder, builder.emit(arith.ShRUIOp(magnitude, shift)).result, 1)
            increment = last
            constant += unit // 2 - 1
        elif self.mode == "nearest_away":
            constant += unit // 2
        elif self.is_up:
            constant += unit - 1
        elif self.is_directed:
            rest, none = literal(builder, unit - 1, ty), literal(builder, 0, ty)
            increment = builder.emit(SelectOp(self.away(), rest, none)).result
        total = magnitude
        if constant:
            total = builder.emit(arith.AddiOp(total, literal(builder, constant, ty))).result
        if increment is not None:
            total = builder.emit(arith.AddiOp(total, increment)).result
        return builder.emit(arith.ShRUIOp(total, shift)).result

    def round_small(self, value: SSAValue) -> SSAValue:
        """The bits of values that are subnormal in the format."""
        builder, ty = self.builder, self.bits.type
        size = builder.emit(arith.BitcastOp(_and(builder, self.bits, MAGNITUDE), value.type)).result
        power = F32_MANTISSA + 1 - self.format.bias - self.format.mantissa
        if self.mode == "nearest_even":
            return self._count(size, power, RoundingMode.RN)
        if self.mode == "zero":
            return self._count(size, power, RoundingMode.RZ)
        if self.is_up:
            return self._count(size, power, RoundingMode.RP)
        if self.is_directed:
            up = self._count(size, power, RoundingMode.RP)
            down = self._count(size, power, RoundingMode.RZ)
            return builder.emit(SelectOp(self.away(), up, down)).result
        if self.mode == "nearest_away":
            halves = self._count(size, power - 1, RoundingMode.RZ)
            one = literal(builder, 1, ty)
            more = builder.emit(arith.AddiOp(halves, one)).result
            return builder.emit(arith.ShRUIOp(more, one)).result
        return self._count(size, power, RoundingMode.RZ)

    def _count(self, size: SSAValue, power: int, mode: RoundingMode) -> SSAValue:
        """How many units, the last bits of 2^power in f32, a magnitude has."""
        builder = self.builder
        start = literal(builder, 2.0**power, size.type)
        if mode is RoundingMode.RN:
            total = builder.emit(arith.AddfOp(size, start)).result
        else:
            total = builder.emit(nvvm.AddOp(size, start, mode)).results[0]
        pattern = builder.emit(arith.BitcastOp(total, self.bits.type)).result
        base = literal(builder, (power + F32_BIAS) << F32_MANTISSA, self.bits.type)
        return builder.emit(arith.SubiOp(pattern, base)).result

    def limit(self, magnitude: SSAValue, pattern: SSAValue) -> SSAValue:
        """The bits, with the largest number or infinity for values that overflow."""
        builder, fmt, ty = self.builder, self.format, pattern.type
        largest = literal(builder, fmt.largest, ty)
        if fmt.infinity is None:
            return builder.emit(arith.MinUIOp(pattern, largest)).result
        infinity = literal(builder, fmt.infinity, ty)
        if self.mode in ("nearest_even", "nearest_away"):
            return builder.emit(arith.MinUIOp(pattern, infinity)).result
        bound = largest
        if self.is_directed:
            bound = builder.emit(SelectOp(self.away(), infinity, largest)).result
        limited = builder.emit(arith.MinUIOp(pattern, bound)).result
        return self.choose(magnitude, "eq", F32_INFINITY, infinity, limited)


# f64


def round_f64_directed(
    builder: ThreadBuilder, op: Operation, value: SSAValue, mode: str
) -> SSAValue:
    """f64 to f32 in a directed mode: the nearest f32, or the neighbour on the other side of it."""
    wide = value.type
    narrow_type, integers = with_element(wide, f32), with_element(wide, i32)
    nearest = builder.emit(arith.TruncFOp(value, narrow_type)).result
    pattern = builder.emit(arith.BitcastOp(nearest, integers)).result
    back = builder.emit(arith.ExtFOp(nearest, wide)).result
    one, minus_one = literal(builder, 1, integers), literal(builder, -1, integers)
    zero = literal(builder, 0, integers)
    match mode:
        case "zero":
            is_far = _is_larger(builder, back, value)
            step = minus_one
        case "negative_inf" | "positive_inf":
            predicate = "ogt" if mode == "negative_inf" else "olt"
            is_far = builder.emit(CmpfOp(back, value, predicate)).result
            # Patterns of negative numbers grow downwards.
            positive = builder.emit(CmpiOp(pattern, zero, "sge")).result
            up, down = (minus_one, one) if mode == "negative_inf" else (one, minus_one)
            step = builder.emit(SelectOp(positive, up, down)).result
        case _:
            fail(op, f"'{op.name}' op cannot round f64 in mode '{mode}'")
    moved = builder.emit(arith.AddiOp(pattern, step)).result
    result = builder.emit(SelectOp(is_far, moved, pattern)).result
    return builder.emit(arith.BitcastOp(result, narrow_type)).result


def round_to_odd(builder: ThreadBuilder, op: Operation, value: SSAValue) -> SSAValue:
    """f64 cut to f32, with the last bit set if it is inexact."""
    integers = with_element(value.type, i32)
    cut = round_f64_directed(builder, op, value, "zero")
    back = builder.emit(arith.ExtFOp(cut, value.type)).result
    inexact = builder.emit(CmpfOp(back, value, "one")).result
    pattern = builder.emit(arith.BitcastOp(cut, integers)).result
    odd = builder.emit(arith.OrIOp(pattern, literal(builder, 1, integers))).result
    result = builder.emit(SelectOp(inexact, odd, pattern)).result
    return builder.emit(arith.BitcastOp(result, cut.type)).result


def _is_larger(builder: ThreadBuilder, first: SSAValue, second: SSAValue) -> SSAValue:
    """Whether magnitudes of f64 are larger than others."""
    sizes = [builder.emit(math.AbsFOp(value)).result for value in (first, second)]
    return builder.emit(CmpfOp(sizes[0], sizes[1], "ogt")).result


def _and(builder: ThreadBuilder, value: SSAValue, mask: int) -> SSAValue:
    return builder.emit(arith.AndIOp(value, literal(builder, mask, value.type))).result
