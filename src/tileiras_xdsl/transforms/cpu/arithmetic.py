"""
What ops on elements become: each case that LLVM leaves undefined is written out.

A value of a narrow format is held as memory has it: `bf16` as `i16`, a float of 8 bits as `i8`. Ops
on floats of 16 bits and less widen to `f32` and round once: sums, products, quotients and roots of
such numbers are the same as if they were rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from xdsl.dialects import arith
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
    IndexType,
    IntegerType,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.types import FloatNV8E5M3FNUType
from tileiras_xdsl.dialects.nv_tileaa.attributes import RELATIONS, get_element, word
from tileiras_xdsl.dialects.nv_tileaa.types import PtrType

from ..common.expressions import Number, multiply_high
from .emitter import INTEGER_PREDICATES, Emitter, Index, element_of, vector, width_of
from .functions import FUNCTIONS

Elementwise = Callable[[Emitter, Operation, Sequence[SSAValue]], SSAValue]


i4: Final = IntegerType(4)
NAN: Final = float("nan")


class Unsupported(Exception):
    """What this target does not compile."""


STORED: Final[dict[type[Attribute], Attribute]] = {
    Float16Type: f16,
    Float32Type: f32,
    Float64Type: f64,
    FloatTF32Type: f32,
    BFloat16Type: i16,
    Float8E4M3FNType: i8,
    Float8E5M2Type: i8,
    Float8E8M0FNUType: i8,
    FloatNV8E5M3FNUType: i8,
    Float4E2M1FNType: i4,
    IndexType: i64,
    PtrType: i64,
    LLVMPointerType: i64,
}
"""What holds an element; a pointer is its address."""


def stored(element: Attribute) -> Attribute:
    """The type that an element is held as."""
    if isinstance(element, IntegerType) and element.width.data in (1, 4, 8, 16, 32, 64):
        return element
    found = STORED.get(type(element))
    if found is None:
        raise Unsupported(f"elements of type '{element}'")
    return found


def bits_of(element: Attribute) -> int:
    """Bits of an element; a tf32 is held in 32."""
    held = stored(element)
    return held.width.data if isinstance(held, IntegerType) else 8 * bytes_of(element)


def bytes_of(element: Attribute) -> int:
    """Bytes of an element in memory; one that is narrower than a byte has one in scratch memory."""
    held = stored(element)
    if isinstance(held, IntegerType):
        return max(1, held.width.data // 8)
    return {Float16Type: 2, Float32Type: 4, Float64Type: 8}[type(held)]  # pyright: ignore[reportArgumentType]


def wide_type(element: Attribute) -> Attribute:
    """The type that floats are computed in."""
    return f64 if isinstance(element, Float64Type) else f32


def widen(e: Emitter, x: SSAValue, element: Attribute) -> SSAValue:
    """The value of a float in `wide_type`."""
    return _widen(Number(e, x), element).value


def _widen(x: Number, element: Attribute) -> Number:
    match element:
        case Float32Type() | Float64Type() | FloatTF32Type():
            return x
        case Float16Type():
            return x.cast("fpext", f32)
        case BFloat16Type():
            return (x.cast("zext", i32) << 16).bits(f32)
        case Float8E5M2Type():
            return (x.cast("zext", i16) << 8).bits(f16).cast("fpext", f32)
        case Float8E4M3FNType():
            bits = x.cast("sext", i16) << 7 & 0xBF80
            value = bits.bits(f16).cast("fpext", f32) * 256.0
            return (x & 0x7F).compare("eq", 0x7F).select_number(NAN, value)
        case FloatNV8E5M3FNUType():
            value = (x.cast("zext", i32) << 20).bits(f32) * 2.0**112
            return x.compare("eq", 0xFF).select_number(NAN, value)
        case Float4E2M1FNType():
            bits = x.cast("zext", i32)
            low = (bits & 7) << 22
            return (low | bits >> 3 << 31).bits(f32) * 2.0**126
        case Float8E8M0FNUType():
            bits = x.cast("zext", i32)
            shifted = bits.compare("eq", 0).select_number(0x00400000, bits << 23)
            return bits.compare("eq", 0xFF).select_number(0x7FC00000, shifted).bits(f32)
        case _:
            raise Unsupported(f"floats of type '{element}'")


def narrow(e: Emitter, x: SSAValue, element: Attribute, rounding: str = "nearest_even") -> SSAValue:
    """A float of `f32` or `f64`, rounded once."""
    held = element_of(x.type)
    if element == held or (held == f32 and element == f64):
        return e.cast("fpext", x, element)
    if rounding != "nearest_even":
        return _narrow_directed(e, x, element, rounding)
    if held == f64:
        is_rounded_again = isinstance(element, Float16Type | BFloat16Type | FloatTF32Type)
        x = _to_odd_f32(e, x) if is_rounded_again else _trunc(e, x)
    match element:
        case Float32Type():
            return x
        case Float16Type():
            return e.cast("fptrunc", x, f16)
        case BFloat16Type():
            return (_round_bits(Number(e, x), 16) >> 16).cast("trunc", i16).value
        case FloatTF32Type():
            return (_round_bits(Number(e, x), 13) & -1 << 13).bits(f32).value
        case Float8E4M3FNType():
            return _narrow_to_byte(e, x, 3, -6, 448.0)
        case Float8E5M2Type():
            # The NaN of `cvt.satfinite` and of ml_dtypes differ: 0x7F and 0x7E.
            return _narrow_to_byte(e, x, 2, -14, 57344.0, nan=0x7E)
        case FloatNV8E5M3FNUType():
            return _narrow_to_byte(e, e.function("fabs", x), 3, -14, 114688.0, nan=0xFF)
        case Float4E2M1FNType():
            return e.cast("trunc", _narrow_to_byte(e, x, 1, 0, 6.0, nan=7, sign_bit=3), i4)
        case Float8E8M0FNUType():
            return _narrow_to_power(e, x)
        case _:
            raise Unsupported(f"conversions to '{element}'")


def _narrow_directed(e: Emitter, x: SSAValue, element: Attribute, rounding: str) -> SSAValue:
    """The nearest number or its neighbour, where that is on the wrong side of what it is of."""
    if isinstance(element, Float8E8M0FNUType):
        x = narrow(e, e.function("fabs", x), f32, rounding)
        return _narrow_to_power(e, x, upwards=rounding != "zero")
    if rounding == "nearest_away" and not isinstance(element, FloatTF32Type):
        # Only conversions that are exact have it.
        return narrow(e, x, element)
    if rounding == "nearest_away":
        # A carry out of the bits that go away.
        number = Number(e, x)
        bits = number.bits(i32)
        rounded = number.compare("uno", x).select(bits | 1 << 22, bits + (1 << 12))
        return (rounded & -1 << 13).bits(f32).value
    number, nearest = Number(e, x), Number(e, narrow(e, x, element))
    back = _widen(nearest, element).cast("fpext", element_of(x.type))
    is_negative = number.compare("olt", 0.0)
    is_above, is_below = (back.compare(each, x) for each in ("ogt", "olt"))
    bits = nearest.bits(IntegerType(8 * bytes_of(element)))
    unit = 1 << 13 if isinstance(element, FloatTF32Type) else 1
    inwards, outwards = bits.like(-unit), bits.like(unit)
    if rounding == "zero":
        moves, step = is_negative.select(is_below, is_above), inwards
    elif rounding == "negative_inf":
        moves, step = is_above, is_negative.select(outwards, inwards)
    else:
        moves, step = is_below, is_negative.select(inwards, outwards)
    return moves.select((bits + step).bits(stored(element)), nearest).value


def _trunc(e: Emitter, x: SSAValue) -> SSAValue:
    return e.cast("fptrunc", x, f32)


def _to_odd_f32(e: Emitter, x: SSAValue) -> SSAValue:
    """Rounds f64 to odd: a second rounding to fewer bits then is as if it were the only one."""
    nearest = _trunc(e, x)
    back = e.cast("fpext", nearest, f64)
    magnitudes = [e.function("fabs", each) for each in (back, x)]
    return _to_odd(Number(e, nearest), e.compare("one", back, x), e.compare("ogt", *magnitudes))


def _to_odd(x: Number, is_inexact: SSAValue, is_above: SSAValue) -> SSAValue:
    """The neighbour of a number with an even end, on the side of what it was rounded from."""
    element = element_of(x.type)
    bits = x.bits(i64 if element == f64 else i32)
    is_even = (bits & 1).compare("eq", 0)
    step = x.like(is_above).select(bits.like(-1), bits.like(1))
    return (is_even & is_inexact).select((bits + step).bits(element), x).value


def _round_bits(x: Number, spare: int) -> Number:
    """The bits of f32, of which all but some at the end are rounded to nearest even."""
    bits = x.bits(i32)
    rounded = bits + ((bits >> spare & 1) + ((1 << (spare - 1)) - 1))
    return x.compare("uno", x).select(bits | 1 << 22, rounded)


def _narrow_to_byte(
    e: Emitter,
    x: SSAValue,
    mantissa: int,
    min_exponent: int,
    largest: float,
    nan: int = 0x7F,
    sign_bit: int = 7,
) -> SSAValue:
    """A float of 8 bits or less; beyond the largest number it is that."""
    number, magnitude = Number(e, x), Number(e, e.function("fabs", x))
    magnitude = magnitude.compare("ogt", largest).select_number(largest, magnitude)
    spare = 23 - mantissa
    normal = (_round_bits(magnitude, spare) >> spare) - ((126 + min_exponent) << mantissa)
    magic = magnitude.like(2.0 ** (min_exponent + spare))
    small = (magnitude + magic).bits(i32) - magic.bits(i32)
    value = magnitude.compare("olt", 2.0**min_exponent).select(small, normal)
    sign = number.bits(i32) >> 31 - sign_bit & 1 << sign_bit
    is_nan, value = number.compare("uno", x), value | sign
    if sign_bit == 7:
        return is_nan.select(sign | nan, value).cast("trunc", i8).value
    return is_nan.select_number(nan, value).cast("trunc", i8).value


def _narrow_to_power(e: Emitter, x: SSAValue, upwards: bool | None = None) -> SSAValue:
    """
    The power of two near a magnitude, by its exponent: the nearest, where a tie goes to the even
    one, or the next.
    """
    magnitude = Number(e, e.function("fabs", x))
    rounded = bits = magnitude.bits(i32)
    if upwards is None:
        rounded = _round_bits(magnitude, 23)
    elif upwards:
        rounded = bits + ((1 << 23) - 1)
    normal = rounded >> 23
    normal = normal.compare("ult", 254).select(normal, 254)
    limit = {None: 0x00600000, True: 0x00400000, False: 0x007FFFFF}[upwards]
    small = bits.compare("ugt", limit).cast("zext", i32)
    value = bits.compare("ult", 0x00800000).select(small, normal)
    return magnitude.like(x).compare("uno", x).select_number(0xFF, value).cast("trunc", i8).value


# Integers


def _is_signed(op: Operation) -> bool:
    return word(op.properties.get("signedness"), "signed") == "signed"  # pyright: ignore[reportArgumentType]


def plain(instruction: str) -> Elementwise:
    """An instruction that is defined for all operands."""
    return lambda e, op, args: e.binary(instruction, *args)


def divide(
    e: Emitter, x: SSAValue, y: SSAValue, *, signed: bool, rounding: str = "zero"
) -> SSAValue:
    """
    A quotient; all bits are set after a division by zero, the smallest number divided by -1 is
    itself.
    """
    number = Number(e, x)
    by_zero = number.like(y).compare("eq", 0)
    divisor = by_zero.select_number(1, y)
    if signed:
        is_minus = divisor.compare("eq", -1)
        quotient = number.apply("sdiv", is_minus.select_number(1, divisor))
        quotient = is_minus.select(0 - number, quotient)
    else:
        quotient = number.apply("udiv", divisor)
    if rounding != "zero":
        up = rounding == "positive_inf"
        inexact = (quotient * y).compare("ne", x)
        if signed:
            inexact = inexact & (number ^ y).compare("sge" if up else "slt", 0)
        elif rounding == "negative_inf":
            inexact = inexact ^ inexact
        quotient = inexact.select(quotient + (1 if up else -1), quotient)
    return by_zero.select_number(-1, quotient).value


def remainder(e: Emitter, x: SSAValue, y: SSAValue, *, signed: bool) -> SSAValue:
    """The remainder of `divide`; all bits are set after a division by zero."""
    number = Number(e, x)
    by_zero = number.like(y).compare("eq", 0)
    divisor = by_zero.select_number(1, y)
    if signed:
        divisor = divisor.compare("eq", -1).select_number(1, divisor)
    return by_zero.select_number(-1, number.apply("srem" if signed else "urem", divisor)).value


def shift(e: Emitter, x: SSAValue, amount: SSAValue, instruction: str) -> SSAValue:
    """A shift by the low 32 bits of an amount; the width or more shifts out all bits."""
    number, bits = Number(e, amount), element_of(x.type)
    assert isinstance(bits, IntegerType)
    width = bits.width.data
    if width == 64:
        number = number & 0xFFFFFFFF
    is_inside = number.compare("ult", width) if width > 1 else number.compare("eq", 0)
    shifted = number.like(x).apply(instruction, is_inside.select(number, width - 1))
    return (shifted if instruction == "ashr" else is_inside.select(shifted, 0)).value


def _high_half(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    x, y = args
    bits = element_of(x.type)
    assert isinstance(bits, IntegerType)
    width = bits.width.data
    if width == 64:
        return multiply_high(Number(e, x), Number(e, y)).value
    product, other = (Number(e, each).cast("zext", IntegerType(2 * width)) for each in args)
    return (product * other >> width).cast("trunc", bits).value


def _relation(op: Operation) -> str:
    return RELATIONS[word(op.properties.get("comparison_predicate"), "equal")]  # pyright: ignore[reportArgumentType]


def _cmpi(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    relation = _relation(op)
    if relation not in ("eq", "ne"):
        relation = ("s" if _is_signed(op) else "u") + relation
    return e.compare(relation, *args)


def _arith_cmpi(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    assert isinstance(op, arith.CmpiOp)
    return e.compare(INTEGER_PREDICATES[op.predicate.value.data], *args)


def _cmpf(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    element = get_element(op.operands[0].type)
    ordering = word(op.properties.get("comparison_ordering"), "ordered")  # pyright: ignore[reportArgumentType]
    x, y = (widen(e, each, element) for each in args)
    return e.compare(("o" if ordering == "ordered" else "u") + _relation(op), x, y)


# Floats


def modes(op: Operation) -> tuple[str, bool]:
    """The rounding mode of an op, and whether it flushes subnormal numbers."""
    rounding = word(op.properties.get("rounding_mode"), "nearest_even")  # pyright: ignore[reportArgumentType]
    if rounding in ("approx", "full"):
        rounding = "nearest_even"
    return rounding, "flush_to_zero" in op.properties


def _flush(e: Emitter, x: SSAValue) -> SSAValue:
    """Subnormal numbers become zeros of their sign."""
    is_small = Number(e, e.function("fabs", x)).compare("olt", 2.0**-126)
    return is_small.select(e.function("copysign", e.constant(0.0, x.type), x), x).value


def on_floats(function: Callable[[Emitter, Sequence[SSAValue]], SSAValue]) -> Elementwise:
    """An op on floats that rounds to nearest."""

    def compute(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
        element = get_element(op.operands[0].type)
        _, flushes = modes(op)
        wide = [widen(e, each, element) for each in args]
        if flushes:
            wide = [_flush(e, each) for each in wide]
        result = function(e, wide)
        if flushes:
            result = _flush(e, result)
        return narrow(e, result, element)

    return compute


def _rounded(name: str) -> Elementwise:
    """
    An op that rounds once, in any mode. In a mode other than to nearest it is a call of a function
    that changes the mode of the CPU, see `Emitter.rounded`; narrow floats are rounded twice in the
    same direction. What is flushed follows from the result in f64, see `_is_flushed`.
    """

    def compute(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
        element = get_element(op.operands[0].type)
        rounding, flushes = modes(op)
        wide = [widen(e, each, element) for each in args]
        if flushes:
            wide = [_flush(e, each) for each in wide]
        if rounding != "nearest_even":
            result = e.rounded(name, rounding, *wide)
        elif name == "fma" and not isinstance(element, Float32Type | Float64Type):
            return narrow(e, _narrow_fma(e, *wide), element)
        else:
            result = e.plain(name, *wide)
        if flushes:
            is_flushed = _is_flushed(e, name, rounding, wide)
            zero = e.function("copysign", e.constant(0.0, result.type), result)
            result = e.select(is_flushed, zero, result)
        return narrow(e, result, element, rounding)

    return compute


def _narrow_fma(e: Emitter, x: SSAValue, y: SSAValue, z: SSAValue) -> SSAValue:
    """In f64, where the product is exact; the sum is rounded to odd, by its error."""
    x, y, z = (e.cast("fpext", each, f64) for each in (x, y, z))
    product = Number(e, x) * y
    total = product + z
    back = total - product
    error = (product - (total - back)) + (product.like(z) - back)
    is_negative, is_below = (each.compare("olt", 0.0) for each in (total, error))
    is_above = is_negative ^ is_below
    return _to_odd(total, error.compare("one", 0.0).value, is_above.value)


def _is_flushed(e: Emitter, name: str, rounding: str, args: Sequence[SSAValue]) -> SSAValue:
    """
    Whether a result of f32 is subnormal, after it is rounded as if there were smaller normal
    numbers: those that reach the smallest one are kept.
    """
    args = [e.cast("fpext", each, f64) for each in args]
    result = e.rounded(name, "zero" if rounding == "nearest_even" else rounding, *args)
    size = e.function("fabs", result)
    zero, normal = e.constant(0.0, size.type), e.constant(2.0**-126, size.type)
    if rounding == "zero":
        return e.compare("olt", size, normal)
    if rounding == "nearest_even":
        return e.compare("olt", size, e.constant(2.0**-126 * (1 - 2.0**-25), size.type))
    is_outwards = e.compare("olt" if rounding == "negative_inf" else "oge", result, zero)
    limit = e.constant(2.0**-126 * (1 - 2.0**-24), size.type)
    return e.select(is_outwards, e.compare("ole", size, limit), e.compare("olt", size, normal))


def _extremum(name: str) -> Elementwise:
    def compute(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
        suffix = "" if "propagate_nan" in op.properties else "num"
        return on_floats(lambda e, wide: e.function(f"{name}{suffix}", *wide))(e, op, args)

    return compute


def _on_sign(instruction: str, is_mask: bool) -> Elementwise:
    """Changes the sign bit, also that of NaN."""

    def compute(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
        (x,) = args
        held = element_of(x.type)
        width = 8 * bytes_of(held)
        bits = e.cast("bitcast", x, IntegerType(width))
        top = 1 << (width - 1)
        number = e.constant(top - 1 if is_mask else top, bits.type)
        return e.cast("bitcast", e.binary(instruction, bits, number), held)

    return compute


# Conversions


def _fp_to_fp(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    source, result = (get_element(value.type) for value in (op.operands[0], op.results[0]))
    return narrow(e, widen(e, args[0], source), result, modes(op)[0])


def _to_integer(signed: bool) -> Elementwise:
    def compute(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
        x = widen(e, args[0], get_element(op.operands[0].type))
        result = get_element(op.results[0].type)
        if result == IntegerType(1):
            return e.compare("une", x, e.constant(0.0, x.type))
        ty = vector(result, width_of(x.type))
        name = f"llvm.fpto{'s' if signed else 'u'}i.sat"
        width = width_of(x.type)
        lanes = f"v{width}" if width > 1 else ""
        return e.call(f"{name}.{lanes}{result}.{lanes}{element_of(x.type)}", ty, x)

    return compute


def _integer_to_odd_f64(e: Emitter, x: SSAValue, instruction: str) -> SSAValue:
    """An integer in f64; of 64 bits, the last ones stand for those that there is no room for."""
    if element_of(x.type) != i64:
        return e.cast(instruction, x, f64)
    # From 2^53 on, 53 bits are enough for all that is to be rounded to: 11 at the end become one.
    number = Number(e, x)
    cut = number & ~0x7FF
    odd = (number & 0x7FF).compare("eq", 0).select(cut, cut | 0x800)
    lowest = -1 << 53 if instruction == "sitofp" else 0
    is_small = (number - lowest).compare("ult", (1 << 53) - lowest)
    return is_small.select(number, odd).cast(instruction, f64).value


def _to_float(signed: bool) -> Elementwise:
    def compute(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
        result = get_element(op.results[0].type)
        instruction = "sitofp" if signed else "uitofp"
        if isinstance(result, Float32Type | Float64Type):
            return e.cast(instruction, args[0], result)
        value = _integer_to_odd_f64(e, args[0], instruction)
        if isinstance(result, Float8E4M3FNType | Float8E5M2Type):
            value = widen(e, narrow(e, value, f16), f16)
        return narrow(e, value, result)

    return compute


def _resize(grow: str) -> Elementwise:
    def compute(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
        result = stored(get_element(op.results[0].type))
        source = element_of(args[0].type)
        assert isinstance(source, IntegerType)
        assert isinstance(result, IntegerType)
        is_wider = result.width.data > source.width.data
        return e.cast(grow if is_wider else "trunc", args[0], result)

    return compute


def _bitcast(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    return e.cast("bitcast", args[0], stored(get_element(op.results[0].type)))


def _select(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    return e.select(*args)


def _of(name: str) -> Elementwise:
    return on_floats(lambda e, wide: FUNCTIONS[name](e, *wide))


def _intrinsic(name: str) -> Elementwise:
    return lambda e, op, args: e.function(name, *args)


def _instruction(name: str) -> Elementwise:
    return on_floats(lambda e, wide: e.binary(name, *wide))


def _addptr(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    offset = e.cast("sext", args[1], i64)
    size = bytes_of(op.properties["elem_type"])
    if bits_of(op.properties["elem_type"]) == 4:
        return e.binary("add", args[0], e.binary("ashr", offset, e.constant(1, offset.type)))
    return e.binary("add", args[0], e.binary("mul", offset, e.constant(size, offset.type)))


def _fpowi(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    """Squares are multiplied, each product is rounded, and so is the reciprocal."""
    element = get_element(op.operands[0].type)
    x, power = widen(e, args[0], element), args[1]
    if bits_of(element_of(power.type)) < 8:
        power = e.cast("sext", power, i8)
    ty = power.type
    zero, lowest = e.constant(0, ty), e.constant(1, ty)
    is_negative = e.compare("slt", power, zero)
    rest = e.select(is_negative, e.binary("sub", zero, power), power)
    one = e.constant(1.0, x.type)

    def taken(rest: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        return e.select(e.compare("ne", e.binary("and", rest, lowest), zero), x, y)

    def step(_: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        value, square, rest = carried
        rest = e.binary("lshr", rest, lowest)
        square = e.binary("fmul", square, square)
        return taken(rest, e.binary("fmul", value, square), value), square, rest

    count = bits_of(element_of(ty)) - 1
    value, *_ = e.loop(0, count, 1, [taken(rest, x, one), x, rest], step)
    return narrow(e, e.select(is_negative, e.binary("fdiv", one, value), value), element)


def _absi(e: Emitter, op: Operation, args: Sequence[SSAValue]) -> SSAValue:
    number = Number(e, args[0])
    return number.compare("slt", 0).select(0 - number, number).value


AA: Final = "nv_tileaa."
ELEMENTWISE: Final[dict[str, Elementwise]] = {
    **{
        f"{dialect}{name}i": plain(instruction)
        for dialect in (AA, "arith.")
        for name, instruction in (
            *(("add", "add"), ("sub", "sub"), ("mul", "mul")),
            *(("and", "and"), ("or", "or"), ("xor", "xor")),
        )
    },
    f"{AA}mulhii": _high_half,
    f"{AA}divi": lambda e, op, args: divide(
        e,
        *args,
        signed=_is_signed(op),
        rounding=word(op.properties.get("rounding"), "zero"),  # pyright: ignore[reportArgumentType]
    ),
    f"{AA}remi": lambda e, op, args: remainder(e, *args, signed=_is_signed(op)),
    f"{AA}shli": lambda e, op, args: shift(e, args[0], args[1], "shl"),
    f"{AA}shri": lambda e, op, args: shift(
        e, args[0], args[1], "ashr" if _is_signed(op) else "lshr"
    ),
    f"{AA}absi": _absi,
    f"{AA}negi": lambda e, op, args: (0 - Number(e, args[0])).value,
    f"{AA}cmpi": _cmpi,
    arith.CmpiOp.name: _arith_cmpi,
    f"{AA}cmpf": _cmpf,
    **{
        f"arith.{name}i": _intrinsic(instruction)
        for name, instruction in (
            *(("maxs", "smax"), ("mins", "smin"), ("maxu", "umax"), ("minu", "umin")),
        )
    },
    **{f"{AA}{word}f": _rounded(f"f{word}") for word in ("add", "sub", "mul", "div")},
    f"{AA}remf": _instruction("frem"),
    f"{AA}fpowi": _fpowi,
    f"{AA}maxf": _extremum("maximum"),
    f"{AA}minf": _extremum("minimum"),
    f"{AA}absf": _on_sign("and", is_mask=True),
    f"{AA}negf": _on_sign("xor", is_mask=False),
    **{f"{AA}{name}": _of(name) for name in FUNCTIONS},
    **{f"{AA}{name}": _rounded(name) for name in ("fma", "sqrt")},
    f"{AA}fp_to_fp": _fp_to_fp,
    "arith.extf": _fp_to_fp,
    "arith.truncf": _fp_to_fp,
    "arith.fptosi": _to_integer(signed=True),
    "arith.fptoui": _to_integer(signed=False),
    "arith.sitofp": _to_float(signed=True),
    "arith.uitofp": _to_float(signed=False),
    "arith.extsi": _resize("sext"),
    "arith.extui": _resize("zext"),
    "arith.index_cast": _resize("sext"),
    f"{AA}trunci": _resize("sext"),
    f"{AA}bitcast": _bitcast,
    f"{AA}int_to_ptr": _bitcast,
    f"{AA}ptr_to_int": _resize("zext"),
    f"{AA}addptr": _addptr,
    arith.SelectOp.name: _select,
}
"""What ops compute of the elements of their operands, by name."""

COSTLY: Final = {
    f"{AA}{name}": 4 if name in ("sqrt", "rsqrt", "ceil", "floor") else 20 for name in FUNCTIONS
} | {f"{AA}{name}": 4 for name in ("divf", "divi", "remi")}
"""What takes longer than an access to memory in cache, in rough multiples of a sum."""
POLYNOMIALS: Final = {f"{AA}{name}" for name in ("exp", "exp2", "tanh")}
"""What is a long chain of ops on `f32`."""
