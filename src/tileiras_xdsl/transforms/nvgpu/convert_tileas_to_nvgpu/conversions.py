"""
Conversions between integer and floating-point types.

Integers to floats: one instruction for f32 and f64, and for narrower floats if the integer is exact
in f32; otherwise through f64, or through f32 rounded to odd, so that the result is not rounded
twice.

Floats to integers: truncation and saturation, as the instructions do for i32 and i64; narrower
integers are clamped again.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatTF32Type, IntegerType, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Operation, SSAValue

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
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .vectors import element_of, with_element

F32_EXACT_BITS = 24
"""Integers of so many bits are exact in f32."""
F64_EXACT_BITS = 53


@lowers("nv_tileaa.fp_to_fp", "arith.extf", "arith.truncf")
def lower_fp_to_fp(code: ThreadBuilder, op: Operation) -> None:
    if get_memory(op.results[0].type) == "shared":
        # TMA has rounded the elements as it copied the tile.
        code.set(op.results[0], code.value(op.operands[0]))
        return
    source, result = get_element(op.operands[0].type), get_element(op.results[0].type)
    mode = "nearest_even"
    if isinstance(op, tileaa.FpToFpOp):
        mode = word(op.rounding_mode, mode)
    given = code.value(op.operands[0])
    if result == f16 and converts_in_hardware(code, given, source):
        code.set(op.results[0], widen_to_f16(code, given, source))
        return
    if source == f16 and mode == "nearest_even" and converts_in_hardware(code, given, result):
        result_type = with_element(given.type, i8)
        code.set(op.results[0], code.emit(FragmentFptruncOp(given, result, result_type)))
        return
    value = widen(code, given, source)
    if isinstance(result, FloatTF32Type) and source not in (f32, f64):
        # A tf32 has all values of smaller floats.
        code.set(op.results[0], value)
        return
    code.set(op.results[0], narrow(code, op, value, result, mode))


# Integers to floats


@lowers("arith.sitofp", "arith.uitofp")
def lower_itof(code: ThreadBuilder, op: Operation) -> None:
    value = code.value(op.operands[0])
    is_signed = op.name == "arith.sitofp"
    target = get_element(op.results[0].type)
    width = width_of(element_of(value.type))
    make = SIToFPOp if is_signed else UIToFPOp
    if target in (f32, f64):
        code.set(op.results[0], code.emit(make(value, with_element(value.type, target))))
        return
    if width <= F32_EXACT_BITS:
        wide = code.emit(make(value, with_element(value.type, f32))).result
    elif width <= F64_EXACT_BITS:
        wide = code.emit(make(value, with_element(value.type, f64))).result
    else:
        wide = round_integer_to_odd(code, value, is_signed)
    code.set(op.results[0], narrow(code, op, wide, target))


def round_integer_to_odd(code: ThreadBuilder, value: SSAValue, is_signed: bool) -> SSAValue:
    """
    f64 of i64. Numbers of more than 53 bits lose their lowest 11 bits; if there was one, the last
    bit of what is left is set.
    """
    ty = value.type
    zero = literal(code, 0, ty)
    low = code.emit(arith.AndIOp(value, literal(code, 0x7FF, ty))).result
    has_low = code.emit(CmpiOp(low, zero, "ne")).result
    cut = code.emit(arith.AndIOp(value, literal(code, -0x800, ty))).result
    sticky = code.emit(arith.OrIOp(cut, literal(code, 0x800, ty))).result
    joined = code.emit(SelectOp(has_low, sticky, cut)).result
    if is_signed:
        shifted = code.emit(arith.AddiOp(value, literal(code, 1 << 52, ty))).result
        small = code.emit(CmpiOp(shifted, literal(code, 1 << 53, ty), "ult")).result
    else:
        small = code.emit(CmpiOp(value, literal(code, 1 << 53, ty), "ult")).result
    chosen = code.emit(SelectOp(small, value, joined)).result
    make = SIToFPOp if is_signed else UIToFPOp
    return code.emit(make(chosen, with_element(ty, f64))).result


# Floats to integers


@lowers("arith.fptosi", "arith.fptoui")
def lower_ftoi(code: ThreadBuilder, op: Operation) -> None:
    source = get_element(op.operands[0].type)
    target = element_of(code.type(op.results[0]))
    assert isinstance(target, IntegerType)
    value = widen(code, code.value(op.operands[0]), source)
    zero = literal(code, 0.0, value.type)
    if target == i1:
        code.set(op.results[0], code.emit(CmpfOp(value, zero, "une")))
        return
    is_signed = op.name == "arith.fptosi"
    code.set(op.results[0], limited(code, value, target, is_signed))


def limited(code: ThreadBuilder, value: SSAValue, target: IntegerType, is_signed: bool) -> SSAValue:
    """An integer from a float; the nearest one it has if that is too large, 0 for NaN."""
    width = target.width.data
    held = with_element(value.type, target)
    if width >= 32:
        make = FPToSISatOp if is_signed else FPToUISatOp
        return code.emit(make(value, held)).res
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)
    wide = with_element(value.type, i32)
    number = code.emit(FPToSISatOp(value, wide)).res
    raised = code.emit(arith.MaxSIOp(number, literal(code, low, wide))).result
    bounded = code.emit(arith.MinSIOp(raised, literal(code, high, wide))).result
    return code.emit(TruncIOp(bounded, held)).result


# Bits

INTEGERS = {8: i8, 16: i16, 32: i32, 64: i64}


@lowers("nv_tileaa.bitcast", "arith.bitcast")
def lower_bitcast(code: ThreadBuilder, op: Operation) -> None:
    value = code.value(op.operands[0])
    source, result = get_element(op.operands[0].type), get_element(op.results[0].type)
    if isinstance(source, FloatTF32Type) != isinstance(result, FloatTF32Type):
        code.set(op.results[0], cast_tf32(code, value, isinstance(source, FloatTF32Type)))
        return
    ty = code.type(op.results[0])
    if value.type == ty:
        code.set(op.results[0], value)
        return
    from_bits, to_bits = width_of(element_of(value.type)), width_of(element_of(ty))
    if from_bits == to_bits:
        code.set(op.results[0], code.emit(arith.BitcastOp(value, ty)))
    elif from_bits < to_bits:
        code.set(op.results[0], code.emit(ExtUIOp(value, ty)))
    else:
        code.set(op.results[0], code.emit(TruncIOp(value, ty)))


def cast_tf32(code: ThreadBuilder, value: SSAValue, is_source: bool) -> SSAValue:
    """Between a tf32, which is in an f32, and the integer of its 19 bits."""
    integers = with_element(value.type, i32)
    own = with_element(value.type, IntegerType(32 - TF32_SPARE_BITS))
    spare = literal(code, TF32_SPARE_BITS, integers)
    if is_source:
        bits = code.emit(arith.BitcastOp(value, integers)).result
        moved = code.emit(arith.ShRUIOp(bits, spare)).result
        return code.emit(TruncIOp(moved, own)).result
    bits = code.emit(ExtUIOp(value, integers)).result
    moved = code.emit(arith.ShLIOp(bits, spare)).result
    return code.emit(arith.BitcastOp(moved, with_element(value.type, f32))).result
