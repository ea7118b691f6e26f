"""
Conversions between integer and floating-point types.

Integers to floats: one instruction for f32 and f64. f16 and bf16 come from f32 if the integer is
exact in that; otherwise through f64, or through f32 rounded to odd, so that the result is not
rounded twice. tf32 is rounded twice, through f32, and so are types of 8 bits, through f16: the
hardware has no other conversions, and NVIDIA's compiler does the same.

Floats to integers: truncation and saturation, as the instructions do for i32 and i64; narrower
integers are clamped again.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatTF32Type,
    IntegerType,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.arith import (
    CmpfOp,
    CmpiOp,
    ExtUIOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from tileiras_xdsl.dialects.llvm import FPToSISatOp, FPToUISatOp
from tileiras_xdsl.dialects.nv_tileaa import elementwise as tileaa
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, word
from tileiras_xdsl.dialects.nv_tileas.attributes import get_memory
from tileiras_xdsl.dialects.nvvm import FragmentFptruncOp
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import width_of

from .constants import TF32_SPARE_BITS, literal
from .float_formats import converts_in_hardware, narrow, widen, widen_to_f16
from .lowering_registry import lowers
from .tcgen05 import is_narrowed_as_loaded
from .thread_builder import ThreadBuilder
from .vectors import element_of, with_element

F32_EXACT_BITS = 24
"""Integers of so many bits are exact in f32."""
F64_EXACT_BITS = 53


@lowers("nv_tileaa.fp_to_fp", "arith.extf", "arith.truncf")
def lower_fp_to_fp(builder: ThreadBuilder, op: Operation) -> None:
    if get_memory(op.results[0].type) == "shared":
        # TMA has rounded the elements as it copied the tile.
        builder.map(op.results[0], builder.lookup(op.operands[0]))
        return
    if is_narrowed_as_loaded(op, builder.kernel.mapping):
        return
    source, result = get_element(op.operands[0].type), get_element(op.results[0].type)
    mode = "nearest_even"
    if isinstance(op, tileaa.FpToFpOp):
        mode = word(op.rounding_mode, mode)
    given = builder.lookup(op.operands[0])
    builder.map(op.results[0], convert_float(builder, op, given, source, result, mode))


def convert_float(
    builder: ThreadBuilder,
    op: Operation,
    given: SSAValue,
    source: Attribute,
    result: Attribute,
    mode: str = "nearest_even",
) -> SSAValue:
    """Floats of one type as another."""
    if result == f16 and converts_in_hardware(builder, given, source):
        return widen_to_f16(builder, given, source)
    if source == f16 and mode == "nearest_even" and converts_in_hardware(builder, given, result):
        held = with_element(given.type, i8)
        return builder.emit(FragmentFptruncOp(given, result, held)).result
    value = widen(builder, given, source)
    if isinstance(result, FloatTF32Type) and source not in (f32, f64):
        # A tf32 has all values of smaller floats.
        return value
    return narrow(builder, op, value, result, mode)


# Integers to floats


@lowers("arith.sitofp", "arith.uitofp")
def lower_itof(builder: ThreadBuilder, op: Operation) -> None:
    value = builder.lookup(op.operands[0])
    is_signed = op.name == "arith.sitofp"
    target = get_element(op.results[0].type)
    width = width_of(element_of(value.type))
    make = SIToFPOp if is_signed else UIToFPOp
    if target in (f32, f64):
        builder.map(op.results[0], builder.emit(make(value, with_element(value.type, target))))
        return
    if isinstance(target, FloatTF32Type | Float8E4M3FNType | Float8E5M2Type):
        between = f32 if isinstance(target, FloatTF32Type) else f16
        rounded = builder.emit(make(value, with_element(value.type, between))).result
        builder.map(op.results[0], convert_float(builder, op, rounded, between, target))
        return
    if width <= F32_EXACT_BITS:
        wide = builder.emit(make(value, with_element(value.type, f32))).result
    elif width <= F64_EXACT_BITS:
        wide = builder.emit(make(value, with_element(value.type, f64))).result
    else:
        wide = round_integer_to_odd(builder, value, is_signed)
    builder.map(op.results[0], narrow(builder, op, wide, target))


def round_integer_to_odd(builder: ThreadBuilder, value: SSAValue, is_signed: bool) -> SSAValue:
    """
    f64 of i64. Numbers of more than 53 bits lose their lowest 11 bits; if there was one, the last
    bit of what is left is set.
    """
    ty = value.type
    zero = literal(builder, 0, ty)
    low = builder.emit(arith.AndIOp(value, literal(builder, 0x7FF, ty))).result
    has_low = builder.emit(CmpiOp(low, zero, "ne")).result
    cut = builder.emit(arith.AndIOp(value, literal(builder, -0x800, ty))).result
    sticky = builder.emit(arith.OrIOp(cut, literal(builder, 0x800, ty))).result
    joined = builder.emit(SelectOp(has_low, sticky, cut)).result
    if is_signed:
        shifted = builder.emit(arith.AddiOp(value, literal(builder, 1 << 52, ty))).result
        small = builder.emit(CmpiOp(shifted, literal(builder, 1 << 53, ty), "ult")).result
    else:
        small = builder.emit(CmpiOp(value, literal(builder, 1 << 53, ty), "ult")).result
    chosen = builder.emit(SelectOp(small, value, joined)).result
    make = SIToFPOp if is_signed else UIToFPOp
    return builder.emit(make(chosen, with_element(ty, f64))).result


# Floats to integers


@lowers("arith.fptosi", "arith.fptoui")
def lower_ftoi(builder: ThreadBuilder, op: Operation) -> None:
    source = get_element(op.operands[0].type)
    target = element_of(builder.converted_type(op.results[0]))
    assert isinstance(target, IntegerType)
    value = widen(builder, builder.lookup(op.operands[0]), source)
    zero = literal(builder, 0.0, value.type)
    if target == i1:
        builder.map(op.results[0], builder.emit(CmpfOp(value, zero, "une")))
        return
    is_signed = op.name == "arith.fptosi"
    builder.map(op.results[0], saturate(builder, value, target, is_signed))


def saturate(
    builder: ThreadBuilder, value: SSAValue, target: IntegerType, is_signed: bool
) -> SSAValue:
    """An integer from a float, saturated to the range of its type; 0 for NaN."""
    width = target.width.data
    held = with_element(value.type, target)
    if width >= 32:
        make = FPToSISatOp if is_signed else FPToUISatOp
        return builder.emit(make(value, held)).res
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)
    wide = with_element(value.type, i32)
    number = builder.emit(FPToSISatOp(value, wide)).res
    raised = builder.emit(arith.MaxSIOp(number, literal(builder, low, wide))).result
    bounded = builder.emit(arith.MinSIOp(raised, literal(builder, high, wide))).result
    return builder.emit(TruncIOp(bounded, held)).result


# Bits

INTEGERS = {8: i8, 16: i16, 32: i32, 64: i64}


@lowers("nv_tileaa.bitcast", "arith.bitcast")
def lower_bitcast(builder: ThreadBuilder, op: Operation) -> None:
    value = builder.lookup(op.operands[0])
    source, result = get_element(op.operands[0].type), get_element(op.results[0].type)
    if isinstance(source, FloatTF32Type) != isinstance(result, FloatTF32Type):
        builder.map(op.results[0], cast_tf32(builder, value, isinstance(source, FloatTF32Type)))
        return
    ty = builder.converted_type(op.results[0])
    if value.type == ty:
        builder.map(op.results[0], value)
        return
    from_bits, to_bits = width_of(element_of(value.type)), width_of(element_of(ty))
    if from_bits == to_bits:
        builder.map(op.results[0], builder.emit(arith.BitcastOp(value, ty)))
    elif from_bits < to_bits:
        builder.map(op.results[0], builder.emit(ExtUIOp(value, ty)))
    else:
        builder.map(op.results[0], builder.emit(TruncIOp(value, ty)))


def cast_tf32(builder: ThreadBuilder, value: SSAValue, is_source: bool) -> SSAValue:
    """Between a tf32, which is in an f32, and the integer of its 19 bits."""
    integers = with_element(value.type, i32)
    own = with_element(value.type, IntegerType(32 - TF32_SPARE_BITS))
    spare = literal(builder, TF32_SPARE_BITS, integers)
    if is_source:
        bits = builder.emit(arith.BitcastOp(value, integers)).result
        moved = builder.emit(arith.ShRUIOp(bits, spare)).result
        return builder.emit(TruncIOp(moved, own)).result
    bits = builder.emit(ExtUIOp(value, integers)).result
    moved = builder.emit(arith.ShLIOp(bits, spare)).result
    return builder.emit(arith.BitcastOp(moved, with_element(value.type, f32))).result
