"""What only threads do element by element: bits of vectors, packed conversions, wide products."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import FloatTF32Type, f32, i8, i32
from xdsl.ir import Attribute

from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.arithmetic import ptx_rounding
from tileiras_xdsl.interpreter.attributes import (
    attribute,
    flag,
    operand_element,
    operand_type,
    result_element,
    result_type,
)
from tileiras_xdsl.interpreter.elements import round_to, signed, unsigned, widen, wrap
from tileiras_xdsl.interpreter.machine import THREADS
from tileiras_xdsl.interpreter.values import Array, Value, from_rows, to_rows


@THREADS.runs(
    "arith.bitcast",
    "vector.bitcast",
    "llvm.bitcast",
    source=operand_type(0),
    result=result_type,
)
def run_bitcast(value: Value, *, source: Attribute, result: Attribute) -> Array:
    """Other elements of the same bits."""
    return from_rows(to_rows(value, source), result)


@THREADS.runs("arith.mulsi_extended", element=operand_element(0))
def run_signed_product(a: Array, b: Array, *, element: Attribute) -> Value:
    """Both halves of a product."""
    low, high = run_unsigned_product(a, b, element=element)
    zero = np.zeros_like(high)
    high = numerics.subi(element, high, np.where(signed(a) < 0, b, zero))
    return low, numerics.subi(element, high, np.where(signed(b) < 0, a, zero))


@THREADS.runs("arith.mului_extended", element=operand_element(0))
def run_unsigned_product(a: Array, b: Array, *, element: Attribute) -> Value:
    """Both halves of a product of numbers without a sign."""
    return numerics.muli(element, a, b), numerics.mulhii(element, a, b)


@THREADS.runs("arith.addui_extended", element=operand_element(0))
def run_extended_sum(a: Array, b: Array, *, element: Attribute) -> Value:
    """A sum and whether it was too large."""
    total = numerics.addi(element, a, b)
    return total, unsigned(total) < unsigned(a)


@THREADS.runs(
    "nvvm.cvt.fptrunc.x2",
    source=operand_element(0),
    result=result_element,
    rounding=ptx_rounding("rn"),
    relu=flag("relu"),
    satfinite=flag("satfinite"),
)
def run_packed_truncation(
    value: Array,
    *,
    source: Attribute,
    result: Attribute,
    rounding: str,
    relu: bool,
    satfinite: bool,
) -> Array:
    """Narrows two floats; negative ones to zero, infinite ones to the largest, if it says so."""
    wide = widen(value, source)
    if relu:
        wide = np.where(wide < 0, wide.dtype.type(0), wide)
    return round_to(wide, result, rounding, True if satfinite else None)


@THREADS.runs("nvvm.fragment.fptrunc", source=operand_element(0), fmt=attribute("format"))
def run_fragment_truncation(value: Array, *, source: Attribute, fmt: Attribute) -> Array:
    """The bytes of narrow floats."""
    return numerics.bitcast(fmt, i8, round_to(widen(value, source), fmt))


@THREADS.runs("nvvm.fragment.fpext", result=result_element, fmt=attribute("format"))
def run_fragment_extension(value: Array, *, result: Attribute, fmt: Attribute) -> Array:
    """The values of bytes that are narrow floats."""
    return numerics.ftof(fmt, result, numerics.bitcast(i8, fmt, value))


@THREADS.runs("nvvm.convert.float.to.tf32", rounding=ptx_rounding("rna"), relu=flag("relu"))
def run_to_tf32(value: Array, *, rounding: str, relu: bool) -> Array:
    """The bits of a tf32."""
    wide = np.where(value < 0, np.float32(0), value) if relu else value
    return numerics.bitcast(f32, i32, round_to(wide, FloatTF32Type(), rounding))


@THREADS.runs("nvvm.prmt")
def run_prmt(low: Array, high: Array, selector: Array) -> Array:
    """Four bytes of eight, or the sign of one, by the halves of the bytes of a selector."""
    low, high, selector = np.broadcast_arrays(low, high, selector)
    both = unsigned(np.ascontiguousarray(low)).astype(np.uint64)
    both |= unsigned(np.ascontiguousarray(high)).astype(np.uint64) << np.uint64(32)
    result = np.zeros(low.shape, np.uint64)
    choice = unsigned(np.ascontiguousarray(selector)).astype(np.uint64)
    for position in range(4):
        nibble = choice >> np.uint64(4 * position)
        byte = both >> ((nibble & np.uint64(7)) * np.uint64(8)) & np.uint64(0xFF)
        sign = (byte >> np.uint64(7)) * np.uint64(0xFF)
        byte = np.where(nibble & np.uint64(8) != 0, sign, byte)
        result |= byte << np.uint64(8 * position)
    return wrap(result, i32)
