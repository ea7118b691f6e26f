"""Arithmetic lane by lane: `arith`, `math`, and what `llvm`, `nvvm` and `nvgpu` have of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erf
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import FloatTF32Type, IntegerType, f32, i8, i32
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.elements import (
    bit_width,
    bits_of,
    from_bits,
    round_to,
    signed,
    unsigned,
    widen,
    wrap,
)

from .attributes import integer_of, property_of, word_of
from .machine import Binder, Function, Program, binary, binds, unary
from .values import (
    Array,
    Value,
    choose,
    element_of,
    from_rows,
    literal_of,
    merge,
    shape_of,
    to_rows,
    zeros,
)

Numeric: TypeAlias = Callable[..., Any]

PTX_ROUNDING = {
    "rn": "nearest_even",
    "rz": "zero",
    "rm": "negative_inf",
    "rp": "positive_inf",
    "rna": "nearest_away",
}
ARITH_ROUNDING = {
    "to_nearest_even": "nearest_even",
    "downward": "negative_inf",
    "upward": "positive_inf",
    "toward_zero": "zero",
    "to_nearest_away": "nearest_away",
}


# Forms of ops


def alike(values: Sequence[Array]) -> Sequence[Array]:
    """Arrays of one shape, as functions of floats take them."""
    shape = values[0].shape
    if all(value.shape == shape for value in values):
        return values
    return [np.ascontiguousarray(value) for value in np.broadcast_arrays(*values)]


def _plain(function: Numeric, **options: Any) -> Binder:
    """`f(element, *operands)`."""

    def bind(op: Operation, program: Program) -> Function:
        element = element_of(op.operands[0].type)
        if isinstance(element, IntegerType) or len(op.operands) == 1:
            return lambda *values: function(element, *values, **options)
        return lambda *values: function(element, *alike(values), **options)

    return bind


def _conversion(function: Numeric, **options: Any) -> Binder:
    """`f(from element, to element, operand)`."""

    def bind(op: Operation, program: Program) -> Function:
        source, result = element_of(op.operands[0].type), element_of(op.results[0].type)
        return unary(lambda value: function(source, result, value, **options))

    return bind


def _of_doubles(function: Callable[..., Any]) -> Numeric:
    """A function of float64, rounded once."""

    def apply(element: Attribute, *values: Array) -> Array:
        doubles = [widen(value, element).astype(np.float64, copy=False) for value in values]
        return round_to(np.asarray(function(*doubles)), element)

    return apply


def _erf(values: Array) -> Array:
    return np.vectorize(erf, otypes=[np.float64])(values)


def _round_away(values: Array) -> Array:
    whole = np.trunc(values)
    return whole + np.copysign(np.abs(values - whole) >= 0.5, values)


def _copysign(element: Attribute, magnitude: Array, sign: Array) -> Array:
    top = 1 << (bit_width(element) - 1)
    a, b = bits_of(magnitude, element), bits_of(sign, element)
    kind = a.dtype.type
    return from_bits((a & kind(top - 1)) | (b & kind(top)), element)


def _leading_zeros(element: Attribute, value: Array) -> Array:
    width, bits = bit_width(element), unsigned(value)
    count = np.full(value.shape, width, np.int64)
    for position in range(width):
        count = np.where((bits >> bits.dtype.type(position)) & 1 != 0, width - 1 - position, count)
    return wrap(count, element)


def _trailing_zeros(element: Attribute, value: Array) -> Array:
    width, bits = bit_width(element), unsigned(value)
    count = np.full(value.shape, width, np.int64)
    for position in reversed(range(width)):
        count = np.where((bits >> bits.dtype.type(position)) & 1 != 0, position, count)
    return wrap(count, element)


def _ones(element: Attribute, value: Array) -> Array:
    return wrap(np.bitwise_count(unsigned(value)).astype(np.int64), element)


def _byte_swap(element: Attribute, value: Array) -> Array:
    return np.ascontiguousarray(value).byteswap()


def _bit_reverse(element: Attribute, value: Array) -> Array:
    bits = unsigned(value)
    result = np.zeros_like(bits)
    for position in range(bit_width(element)):
        bit = (bits >> bits.dtype.type(position)) & bits.dtype.type(1)
        result |= bit << bits.dtype.type(bit_width(element) - 1 - position)
    return wrap(result, element)


def _funnel(element: Attribute, high: Array, low: Array, amount: Array, *, left: bool) -> Array:
    width = bit_width(element)
    count = wrap(unsigned(amount) % width, element)
    rest = wrap(width - unsigned(count).astype(np.int64), element)
    if left:
        top, bottom = (
            numerics.shli(element, high, count),
            numerics.shri(element, low, rest, signed=False),
        )
    else:
        top, bottom = (
            numerics.shli(element, high, rest),
            numerics.shri(element, low, count, signed=False),
        )
    return numerics.ori(element, top, bottom)


def _integer_power(element: Attribute, base: Array, exponent: Array) -> Array:
    power = signed(exponent)
    result, factor = np.ones_like(base), base
    rest = np.maximum(power, 0)
    while rest.any():
        result = np.where(rest & 1 != 0, numerics.muli(element, result, factor), result)
        factor, rest = numerics.muli(element, factor, factor), rest >> 1
    inverse = np.where(base == 1, 1, np.where(base == -1, np.where(power & 1 != 0, -1, 1), 0))
    return wrap(np.where(power < 0, inverse, result), element)


def _reciprocal(element: Attribute, value: Array, **options: Any) -> Array:
    return numerics.divf(element, np.ones_like(value), value, **options)


PLAIN: dict[str, tuple[Numeric, dict[str, Any]]] = {
    "arith.addi llvm.add": (numerics.addi, {}),
    "arith.subi llvm.sub": (numerics.subi, {}),
    "arith.muli llvm.mul": (numerics.muli, {}),
    "arith.andi llvm.and": (numerics.andi, {}),
    "arith.ori llvm.or": (numerics.ori, {}),
    "arith.xori llvm.xor": (numerics.xori, {}),
    "arith.shli llvm.shl": (numerics.shli, {}),
    "arith.shrui llvm.lshr": (numerics.shri, {"signed": False}),
    "arith.shrsi llvm.ashr": (numerics.shri, {"signed": True}),
    "arith.divsi llvm.sdiv": (numerics.divi, {"signed": True}),
    "arith.divui llvm.udiv": (numerics.divi, {"signed": False}),
    "arith.floordivsi": (numerics.divi, {"signed": True, "rounding": "negative_inf"}),
    "arith.ceildivsi": (numerics.divi, {"signed": True, "rounding": "positive_inf"}),
    "arith.ceildivui": (numerics.divi, {"signed": False, "rounding": "positive_inf"}),
    "arith.remsi llvm.srem": (numerics.remi, {"signed": True}),
    "arith.remui llvm.urem": (numerics.remi, {"signed": False}),
    "arith.maxsi llvm.intr.smax": (numerics.maxi, {"signed": True}),
    "arith.maxui llvm.intr.umax": (numerics.maxi, {"signed": False}),
    "arith.minsi llvm.intr.smin": (numerics.mini, {"signed": True}),
    "arith.minui llvm.intr.umin": (numerics.mini, {"signed": False}),
    "math.absi llvm.intr.abs": (numerics.absi, {}),
    "math.ctlz llvm.intr.ctlz": (_leading_zeros, {}),
    "math.cttz llvm.intr.cttz": (_trailing_zeros, {}),
    "math.ctpop llvm.intr.ctpop": (_ones, {}),
    "llvm.intr.bswap": (_byte_swap, {}),
    "llvm.intr.bitreverse": (_bit_reverse, {}),
    "llvm.intr.fshl": (_funnel, {"left": True}),
    "llvm.intr.fshr": (_funnel, {"left": False}),
    "math.ipowi": (_integer_power, {}),
    "arith.addf llvm.fadd": (numerics.addf, {}),
    "arith.subf llvm.fsub": (numerics.subf, {}),
    "arith.mulf llvm.fmul": (numerics.mulf, {}),
    "arith.divf llvm.fdiv": (numerics.divf, {}),
    "arith.remf llvm.frem": (numerics.remf, {}),
    "arith.negf llvm.fneg": (numerics.negf, {}),
    "math.fma llvm.intr.fma vector.fma nvgpu.fma.packed.f32x2": (numerics.fma, {}),
    "nvgpu.mul.packed.f32x2": (numerics.mulf, {}),
    "arith.maximumf llvm.intr.maximum": (numerics.maxf, {"propagate_nan": True}),
    "arith.minimumf llvm.intr.minimum": (numerics.minf, {"propagate_nan": True}),
    "arith.maxnumf llvm.intr.maxnum": (numerics.maxf, {}),
    "arith.minnumf llvm.intr.minnum": (numerics.minf, {}),
    "math.absf llvm.intr.fabs": (numerics.absf, {}),
    "math.ceil llvm.intr.ceil": (numerics.ceil, {}),
    "math.floor llvm.intr.floor": (numerics.floor, {}),
    "math.trunc llvm.intr.trunc": (_of_doubles(np.trunc), {}),
    "math.round llvm.intr.round": (_of_doubles(_round_away), {}),
    "math.roundeven llvm.intr.roundeven llvm.intr.rint llvm.intr.nearbyint": (
        _of_doubles(np.rint),
        {},
    ),
    "math.copysign llvm.intr.copysign": (_copysign, {}),
    "math.exp llvm.intr.exp": (numerics.exp, {}),
    "math.exp2 llvm.intr.exp2": (numerics.exp2, {}),
    "math.expm1": (_of_doubles(np.expm1), {}),
    "math.log llvm.intr.log": (numerics.log, {}),
    "math.log2 llvm.intr.log2": (numerics.log2, {}),
    "math.log10 llvm.intr.log10": (_of_doubles(np.log10), {}),
    "math.log1p": (_of_doubles(np.log1p), {}),
    "math.sin llvm.intr.sin": (numerics.sin, {}),
    "math.cos llvm.intr.cos": (numerics.cos, {}),
    "math.tan llvm.intr.tan": (numerics.tan, {}),
    "math.sinh llvm.intr.sinh": (numerics.sinh, {}),
    "math.cosh llvm.intr.cosh": (numerics.cosh, {}),
    "math.tanh llvm.intr.tanh": (numerics.tanh, {}),
    "math.asin": (_of_doubles(np.arcsin), {}),
    "math.acos": (_of_doubles(np.arccos), {}),
    "math.atan": (_of_doubles(np.arctan), {}),
    "math.asinh": (_of_doubles(np.arcsinh), {}),
    "math.acosh": (_of_doubles(np.arccosh), {}),
    "math.atanh": (_of_doubles(np.arctanh), {}),
    "math.cbrt": (_of_doubles(np.cbrt), {}),
    "math.erf": (_of_doubles(_erf), {}),
    "math.sqrt llvm.intr.sqrt": (numerics.sqrt, {}),
    "math.rsqrt": (numerics.rsqrt, {}),
    "math.powf llvm.intr.pow": (numerics.pow, {}),
    "math.fpowi llvm.intr.powi": (numerics.fpowi, {}),
    "math.atan2 llvm.intr.atan2": (numerics.atan2, {}),
}

for names, (function, options) in PLAIN.items():
    binds(*names.split())(_plain(function, **options))

CONVERSIONS: dict[str, tuple[Numeric, dict[str, Any]]] = {
    "arith.extsi llvm.sext": (numerics.exti, {"signed": True}),
    "arith.extui llvm.zext": (numerics.exti, {"signed": False}),
    "arith.trunci llvm.trunc": (numerics.trunci, {}),
    "arith.fptosi llvm.fptosi llvm.intr.fptosi.sat": (numerics.ftoi, {"signed": True}),
    "arith.fptoui llvm.fptoui llvm.intr.fptoui.sat": (numerics.ftoi, {"signed": False}),
    "arith.sitofp llvm.sitofp": (numerics.itof, {"signed": True}),
    "arith.uitofp llvm.uitofp": (numerics.itof, {"signed": False}),
    "arith.extf llvm.fpext llvm.fptrunc nvgpu.cvt_fptrunc nvgpu.cvt_fpext nvvm.cvt.fpext.x2": (
        numerics.ftof,
        {},
    ),
    "arith.index_cast": (numerics.exti, {"signed": True}),
    "arith.index_castui": (numerics.exti, {"signed": False}),
}

for names, (function, options) in CONVERSIONS.items():
    binds(*names.split())(_conversion(function, **options))


@binds("arith.truncf")
def bind_truncf(op: Operation, program: Program) -> Function:
    """Narrows floats, rounded as said."""
    source, result = element_of(op.operands[0].type), element_of(op.results[0].type)
    rounding = ARITH_ROUNDING.get(word_of(op, "roundingmode") or "", "nearest_even")
    return unary(lambda value: numerics.ftof(source, result, value, rounding=rounding))


# Constants and choices


@binds("arith.constant", "llvm.mlir.constant")
def bind_constant(op: Operation, program: Program) -> Function:
    """A literal."""
    literal = property_of(op, "value")
    assert literal is not None
    value = literal_of(literal, op.results[0].type)
    return lambda: value


@binds("ub.poison", "llvm.mlir.poison", "llvm.mlir.undef", "llvm.mlir.zero")
def bind_poison(op: Operation, program: Program) -> Function:
    """A value that does not matter; zeros, so that runs are alike."""
    value = zeros(op.results[0].type)
    return lambda: value


@binds("llvm.freeze", "llvm.intr.ssa.copy")
def bind_identity(op: Operation, program: Program) -> Function:
    """The value itself."""
    return unary(lambda value: value)


@binds("arith.select", "llvm.select")
def bind_select(op: Operation, program: Program) -> Function:
    """One of two values by a condition."""
    is_scalar = not shape_of(op.operands[0].type)

    def apply(condition: Array, a: Value, b: Value) -> Value:
        if is_scalar and len(condition) == 1:
            return a if condition[0] else b
        return merge(condition, a, b) if is_scalar else choose(condition, a, b)

    return apply


PREDICATES = (
    ("equal", True),
    ("not_equal", True),
    ("less_than", True),
    ("less_than_or_equal", True),
    ("greater_than", True),
    ("greater_than_or_equal", True),
    ("less_than", False),
    ("less_than_or_equal", False),
    ("greater_than", False),
    ("greater_than_or_equal", False),
)


@binds("arith.cmpi", "llvm.icmp")
def bind_cmpi(op: Operation, program: Program) -> Function:
    """A comparison of integers."""
    element = element_of(op.operands[0].type)
    predicate, is_signed = PREDICATES[integer_of(op, "predicate")]
    return binary(lambda a, b: numerics.cmpi(element, a, b, predicate=predicate, signed=is_signed))


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": np.equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}
FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


@binds("arith.cmpf", "llvm.fcmp")
def bind_cmpf(op: Operation, program: Program) -> Function:
    """A comparison of floats, which NaNs fail if it is ordered."""
    element = element_of(op.operands[0].type)
    predicate = FLOAT_PREDICATES[integer_of(op, "predicate")]

    def apply(a: Array, b: Array) -> Array:
        x, y = widen(a, element), widen(b, element)
        unordered = np.isnan(x) | np.isnan(y)
        match predicate:
            case "false" | "true":
                return np.full(unordered.shape, predicate == "true")
            case "ord":
                return ~unordered
            case "uno":
                return unordered
            case "one":
                return ~unordered & (x != y)
            case "une":
                return unordered | (x != y)
            case _:
                found = COMPARISONS[predicate[1:]](x, y)
                return found | unordered if predicate[0] == "u" else found & ~unordered

    return apply


@binds("arith.bitcast", "vector.bitcast", "llvm.bitcast")
def bind_bitcast(op: Operation, program: Program) -> Function:
    """Other elements of the same bits."""
    source, result = op.operands[0].type, op.results[0].type
    return unary(lambda value: from_rows(to_rows(value, source), result))


@binds("arith.mulsi_extended", "arith.mului_extended")
def bind_extended_product(op: Operation, program: Program) -> Function:
    """Both halves of a product."""
    element, is_signed = element_of(op.operands[0].type), op.name == "arith.mulsi_extended"

    def apply(a: Array, b: Array) -> Value:
        low = numerics.muli(element, a, b)
        high = numerics.mulhii(element, a, b)
        if is_signed:
            zero = np.zeros_like(high)
            high = numerics.subi(element, high, np.where(signed(a) < 0, b, zero))
            high = numerics.subi(element, high, np.where(signed(b) < 0, a, zero))
        return low, high

    return apply


@binds("arith.addui_extended")
def bind_extended_sum(op: Operation, program: Program) -> Function:
    """A sum and whether it was too large."""
    element = element_of(op.operands[0].type)

    def apply(a: Array, b: Array) -> Value:
        total = numerics.addi(element, a, b)
        return total, unsigned(total) < unsigned(a)

    return apply


# nvvm and nvgpu


def _flushed(function: Numeric) -> Binder:
    """`f(element, *operands, flush_to_zero=…)`."""

    def bind(op: Operation, program: Program) -> Function:
        element, flush = element_of(op.operands[0].type), property_of(op, "ftz") is not None
        return lambda *values: function(element, *alike(values), flush_to_zero=flush)

    return bind


def _rounded(function: Numeric) -> Binder:
    """`f(element, *operands, rounding=…, flush_to_zero=…)`."""

    def bind(op: Operation, program: Program) -> Function:
        element, flush = element_of(op.operands[0].type), property_of(op, "ftz") is not None
        rounding = PTX_ROUNDING[word_of(op, "rnd") or "rn"]
        return lambda *values: function(
            element, *alike(values), rounding=rounding, flush_to_zero=flush
        )

    return bind


def _without_flush(function: Numeric) -> Numeric:
    """A function that has no denormals to flush, or where they make no difference that counts."""

    def apply(element: Attribute, *values: Array, flush_to_zero: bool) -> Array:
        return function(element, *values)

    return apply


def _flush_rcp(element: Attribute, value: Array) -> Array:
    return _reciprocal(element, value, flush_to_zero=True)


binds("nvvm.ex2.approx.f")(_flushed(numerics.exp2))
binds("nvvm.rsqrt.approx.f")(_flushed(numerics.rsqrt))
binds("nvvm.sqrt.approx.f")(_flushed(numerics.sqrt))
binds("nvvm.div.approx.f", "nvvm.div.full.f")(_flushed(numerics.divf))
binds("nvvm.lg2.approx.f")(_flushed(_without_flush(numerics.log2)))
binds("nvvm.sin.approx.f")(_flushed(_without_flush(numerics.sin)))
binds("nvvm.cos.approx.f")(_flushed(_without_flush(numerics.cos)))
binds("nvvm.tanh.approx.f")(_flushed(_without_flush(numerics.tanh)))
binds("nvvm.rcp.approx.ftz.f", "nvgpu.rcp")(_plain(_flush_rcp))
binds("nvvm.sqrt.f")(_rounded(numerics.sqrt))
binds("nvvm.rcp.f")(_rounded(_reciprocal))
binds("nvvm.add.f")(_rounded(numerics.addf))
binds("nvvm.sub.f")(_rounded(numerics.subf))
binds("nvvm.mul.f", "nvvm.mul.packed.f32x2")(_rounded(numerics.mulf))
binds("nvvm.div.f")(_rounded(numerics.divf))
binds("nvvm.fma.f", "nvvm.fma.packed.f32x2")(_rounded(numerics.fma))


@binds("nvvm.cvt.fptrunc.x2")
def bind_packed_truncation(op: Operation, program: Program) -> Function:
    """Narrows two floats; negative ones to zero, infinite ones to the largest, if it says so."""
    source, result = element_of(op.operands[0].type), element_of(op.results[0].type)
    rounding = PTX_ROUNDING[word_of(op, "rnd") or "rn"]
    relu = property_of(op, "relu") is not None
    saturate = True if property_of(op, "satfinite") is not None else None

    def apply(value: Array) -> Array:
        wide = widen(value, source)
        if relu:
            wide = np.where(wide < 0, wide.dtype.type(0), wide)
        return round_to(wide, result, rounding, saturate)

    return apply


@binds("nvvm.fragment.fptrunc")
def bind_fragment_truncation(op: Operation, program: Program) -> Function:
    """The bytes of narrow floats."""
    source, format = element_of(op.operands[0].type), property_of(op, "format")
    assert format is not None

    def apply(value: Array) -> Array:
        return numerics.bitcast(format, i8, round_to(widen(value, source), format))

    return apply


@binds("nvvm.fragment.fpext")
def bind_fragment_extension(op: Operation, program: Program) -> Function:
    """The values of bytes that are narrow floats."""
    result, format = element_of(op.results[0].type), property_of(op, "format")
    assert format is not None

    def apply(value: Array) -> Array:
        return numerics.ftof(format, result, numerics.bitcast(i8, format, value))

    return apply


@binds("nvvm.convert.float.to.tf32")
def bind_to_tf32(op: Operation, program: Program) -> Function:
    """The bits of a tf32."""
    rounding = PTX_ROUNDING[word_of(op, "rnd") or "rna"]
    relu = property_of(op, "relu") is not None

    def apply(value: Array) -> Array:
        wide = np.where(value < 0, np.float32(0), value) if relu else value
        rounded = round_to(wide, FloatTF32Type(), rounding)
        return numerics.bitcast(f32, i32, rounded)

    return apply


@binds("nvvm.prmt")
def bind_prmt(op: Operation, program: Program) -> Function:
    """Four bytes of eight, or the sign of one, by the halves of the bytes of a selector."""

    def apply(low: Array, high: Array, selector: Array) -> Array:
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

    return apply


LIBDEVICE: dict[str, Numeric] = {
    **{name: getattr(numerics, name) for name in ("exp", "exp2", "log", "log2", "sin", "cos")},
    **{name: getattr(numerics, name) for name in ("tan", "sinh", "cosh", "tanh", "sqrt")},
    **{name: getattr(numerics, name) for name in ("rsqrt", "pow", "atan2", "ceil", "floor")},
    **{"fabs": numerics.absf, "fma": numerics.fma, "fmod": numerics.remf, "powi": numerics.fpowi},
    **{"fmax": numerics.maxf, "fmin": numerics.minf, "erf": _of_doubles(_erf)},
    **{"expm1": _of_doubles(np.expm1), "log1p": _of_doubles(np.log1p)},
    **{"log10": _of_doubles(np.log10), "cbrt": _of_doubles(np.cbrt)},
    **{"asin": _of_doubles(np.arcsin), "acos": _of_doubles(np.arccos)},
    **{"atan": _of_doubles(np.arctan), "asinh": _of_doubles(np.arcsinh)},
    **{"acosh": _of_doubles(np.arccosh), "atanh": _of_doubles(np.arctanh)},
    **{"trunc": _of_doubles(np.trunc), "round": _of_doubles(_round_away)},
    **{"rint": _of_doubles(np.rint), "nearbyint": _of_doubles(np.rint)},
    "copysign": _copysign,
}
"""Functions of libdevice, which has them as `__nv_name` for f64 and `__nv_namef` for f32."""
