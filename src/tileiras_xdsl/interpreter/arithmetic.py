"""
What is done element by element, at all levels: one table of functions of `numerics`, and the ops of
all dialects that stand for them.

A function takes the element type of the first operand, or those of operand and result, then the
arrays, then modes by name. Where a mode is said by an attribute, a reader finds it in the op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import erf
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa import NvTileaa
from tileiras_xdsl.dialects.nv_tileas import NvTileas

from . import numerics
from .errors import ExecutionError
from .machine import THREADS, TILES, Binder, BoundProgram, Function, binds, runs
from .numerics import Numeric, of_doubles
from .values import (
    Array,
    Reader,
    Value,
    alike,
    element_of,
    flag,
    integer_of,
    is_signed,
    literal_of,
    merge,
    property_of,
    shape_of,
    word,
    word_of,
    zeros,
)

Modes: TypeAlias = Mapping[str, Any]
"""Modes of a function by name: what they are, or readers of them."""

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


def ptx_rounding(default: str) -> Reader:
    """Reads a rounding mode of PTX."""
    return lambda op: PTX_ROUNDING[word_of(op, "rnd", default)]


def _arith_rounding(op: Operation) -> str:
    return ARITH_ROUNDING.get(word_of(op, "roundingmode"), "nearest_even")


# Comparisons

ORDERS = ("less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal")
INTEGER_PREDICATES = (
    *((word, True) for word in ("equal", "not_equal", *ORDERS)),
    *((word, False) for word in ORDERS),
)
"""The relations of `arith.cmpi` by number, and whether integers are signed in them."""
FLOAT_RELATIONS = (
    *("equal", "greater_than", "greater_than_or_equal", "less_than", "less_than_or_equal"),
    "not_equal",
)
FLOAT_PREDICATES = (
    *(("never", True), *((word, True) for word in FLOAT_RELATIONS), ("always", True)),
    *(*((word, False) for word in FLOAT_RELATIONS), ("never", False), ("always", False)),
)
"""The relations of `arith.cmpf` by number, and whether NaNs fail them."""


def _numbered(predicates: tuple[tuple[str, bool], ...], part: int) -> Reader:
    return lambda op: predicates[integer_of(op, "predicate")][part]


def _is_ordered(op: Operation) -> bool:
    return word_of(op, "comparison_ordering", "ordered") == "ordered"


# Functions

SIGNED: Modes = {"signed": True}
UNSIGNED: Modes = {"signed": False}
BY_SIGNEDNESS: Modes = {"signed": is_signed}
FLUSHED: Modes = {"flush_to_zero": flag("flush_to_zero")}
ROUNDED: Modes = {"rounding": word("rounding_mode", "nearest_even"), **FLUSHED}
CHOSEN: Modes = {"propagate_nan": flag("propagate_nan"), **FLUSHED}
PTX_FLUSHED: Modes = {"flush_to_zero": flag("ftz")}
PTX_ROUNDED: Modes = {"rounding": ptx_rounding("rn"), **PTX_FLUSHED}
RELATION: Modes = {"predicate": word("comparison_predicate", "equal")}


def _round_away(values: Array) -> Array:
    whole = np.trunc(values)
    return whole + np.copysign(np.abs(values - whole) >= 0.5, values)


FUNCTIONS: tuple[tuple[str, Numeric, Modes], ...] = (
    # Integers
    ("addi arith.addi llvm.add", numerics.addi, {}),
    ("subi arith.subi llvm.sub", numerics.subi, {}),
    ("muli arith.muli llvm.mul", numerics.muli, {}),
    ("mulhii", numerics.mulhii, {}),
    ("andi arith.andi llvm.and", numerics.andi, {}),
    ("ori arith.ori llvm.or", numerics.ori, {}),
    ("xori arith.xori llvm.xor", numerics.xori, {}),
    ("shli arith.shli llvm.shl", numerics.shli, {}),
    ("shri", numerics.shri, BY_SIGNEDNESS),
    ("arith.shrui llvm.lshr", numerics.shri, UNSIGNED),
    ("arith.shrsi llvm.ashr", numerics.shri, SIGNED),
    ("divi", numerics.divi, {**BY_SIGNEDNESS, "rounding": word("rounding", "zero")}),
    ("arith.divsi llvm.sdiv", numerics.divi, SIGNED),
    ("arith.divui llvm.udiv", numerics.divi, UNSIGNED),
    ("arith.floordivsi", numerics.divi, {**SIGNED, "rounding": "negative_inf"}),
    ("arith.ceildivsi", numerics.divi, {**SIGNED, "rounding": "positive_inf"}),
    ("arith.ceildivui", numerics.divi, {**UNSIGNED, "rounding": "positive_inf"}),
    ("remi", numerics.remi, BY_SIGNEDNESS),
    ("arith.remsi llvm.srem", numerics.remi, SIGNED),
    ("arith.remui llvm.urem", numerics.remi, UNSIGNED),
    ("maxi", numerics.maxi, BY_SIGNEDNESS),
    ("arith.maxsi llvm.intr.smax", numerics.maxi, SIGNED),
    ("arith.maxui llvm.intr.umax", numerics.maxi, UNSIGNED),
    ("mini", numerics.mini, BY_SIGNEDNESS),
    ("arith.minsi llvm.intr.smin", numerics.mini, SIGNED),
    ("arith.minui llvm.intr.umin", numerics.mini, UNSIGNED),
    ("absi math.absi llvm.intr.abs", numerics.absi, {}),
    ("negi", numerics.negi, {}),
    ("math.ctlz llvm.intr.ctlz", numerics.leading_zeros, {}),
    ("math.cttz llvm.intr.cttz", numerics.trailing_zeros, {}),
    ("math.ctpop llvm.intr.ctpop", numerics.count_ones, {}),
    ("llvm.intr.bswap", numerics.swap_bytes, {}),
    ("llvm.intr.bitreverse", numerics.reverse_bits, {}),
    ("llvm.intr.fshl", numerics.funnel_shift, {"left": True}),
    ("llvm.intr.fshr", numerics.funnel_shift, {"left": False}),
    ("math.ipowi", numerics.ipowi, {}),
    ("cmpi", numerics.cmpi, {**RELATION, **BY_SIGNEDNESS}),
    (
        "arith.cmpi llvm.icmp",
        numerics.cmpi,
        {"predicate": _numbered(INTEGER_PREDICATES, 0), "signed": _numbered(INTEGER_PREDICATES, 1)},
    ),
    # Floats
    ("addf", numerics.addf, ROUNDED),
    ("arith.addf llvm.fadd", numerics.addf, {}),
    ("nvvm.add.f", numerics.addf, PTX_ROUNDED),
    ("subf", numerics.subf, ROUNDED),
    ("arith.subf llvm.fsub", numerics.subf, {}),
    ("nvvm.sub.f", numerics.subf, PTX_ROUNDED),
    ("mulf", numerics.mulf, ROUNDED),
    ("arith.mulf llvm.fmul nvgpu.mul.packed.f32x2", numerics.mulf, {}),
    ("nvvm.mul.f nvvm.mul.packed.f32x2", numerics.mulf, PTX_ROUNDED),
    ("divf", numerics.divf, ROUNDED),
    ("arith.divf llvm.fdiv", numerics.divf, {}),
    ("nvvm.div.f", numerics.divf, PTX_ROUNDED),
    ("nvvm.div.approx.f nvvm.div.full.f", numerics.divf, PTX_FLUSHED),
    ("fma", numerics.fma, ROUNDED),
    ("math.fma llvm.intr.fma vector.fma nvgpu.fma.packed.f32x2 __nv_fma", numerics.fma, {}),
    ("nvvm.fma.f nvvm.fma.packed.f32x2", numerics.fma, PTX_ROUNDED),
    ("sqrt", numerics.sqrt, ROUNDED),
    ("math.sqrt llvm.intr.sqrt __nv_sqrt", numerics.sqrt, {}),
    ("nvvm.sqrt.f", numerics.sqrt, PTX_ROUNDED),
    ("nvvm.sqrt.approx.f", numerics.sqrt, PTX_FLUSHED),
    ("rsqrt", numerics.rsqrt, FLUSHED),
    ("math.rsqrt __nv_rsqrt", numerics.rsqrt, {}),
    ("nvvm.rsqrt.approx.f", numerics.rsqrt, PTX_FLUSHED),
    ("nvvm.rcp.f", numerics.reciprocal, PTX_ROUNDED),
    ("nvvm.rcp.approx.ftz.f nvgpu.rcp", numerics.reciprocal, {"flush_to_zero": True}),
    ("remf arith.remf llvm.frem __nv_fmod", numerics.remf, {}),
    ("negf arith.negf llvm.fneg", numerics.negf, {}),
    ("absf math.absf llvm.intr.fabs __nv_fabs", numerics.absf, {}),
    ("math.copysign llvm.intr.copysign __nv_copysign", numerics.copysign, {}),
    ("maxf", numerics.maxf, CHOSEN),
    ("arith.maximumf llvm.intr.maximum", numerics.maxf, {"propagate_nan": True}),
    ("arith.maxnumf llvm.intr.maxnum __nv_fmax", numerics.maxf, {}),
    ("minf", numerics.minf, CHOSEN),
    ("arith.minimumf llvm.intr.minimum", numerics.minf, {"propagate_nan": True}),
    ("arith.minnumf llvm.intr.minnum __nv_fmin", numerics.minf, {}),
    ("cmpf", numerics.cmpf, {**RELATION, "ordered": _is_ordered}),
    (
        "arith.cmpf llvm.fcmp",
        numerics.cmpf,
        {"predicate": _numbered(FLOAT_PREDICATES, 0), "ordered": _numbered(FLOAT_PREDICATES, 1)},
    ),
    ("ceil math.ceil llvm.intr.ceil __nv_ceil", numerics.ceil, {}),
    ("floor math.floor llvm.intr.floor __nv_floor", numerics.floor, {}),
    ("math.trunc llvm.intr.trunc __nv_trunc", of_doubles(np.trunc), {}),
    ("math.round llvm.intr.round __nv_round", of_doubles(_round_away), {}),
    (
        "math.roundeven llvm.intr.roundeven llvm.intr.rint llvm.intr.nearbyint "
        "__nv_rint __nv_nearbyint",
        of_doubles(np.rint),
        {},
    ),
    ("exp math.exp llvm.intr.exp __nv_exp", numerics.exp, {}),
    ("exp2", numerics.exp2, FLUSHED),
    ("math.exp2 llvm.intr.exp2 __nv_exp2", numerics.exp2, {}),
    ("nvvm.ex2.approx.f", numerics.exp2, PTX_FLUSHED),
    ("math.expm1 __nv_expm1", of_doubles(np.expm1), {}),
    ("log math.log llvm.intr.log __nv_log", numerics.log, {}),
    # To flush denormals would make no difference that counts here, nor in the three below.
    ("log2 math.log2 llvm.intr.log2 __nv_log2 nvvm.lg2.approx.f", numerics.log2, {}),
    ("math.log10 llvm.intr.log10 __nv_log10", of_doubles(np.log10), {}),
    ("math.log1p __nv_log1p", of_doubles(np.log1p), {}),
    ("sin math.sin llvm.intr.sin __nv_sin nvvm.sin.approx.f", numerics.sin, {}),
    ("cos math.cos llvm.intr.cos __nv_cos nvvm.cos.approx.f", numerics.cos, {}),
    ("tanh math.tanh llvm.intr.tanh __nv_tanh nvvm.tanh.approx.f", numerics.tanh, {}),
    ("tan math.tan llvm.intr.tan __nv_tan", numerics.tan, {}),
    ("sinh math.sinh llvm.intr.sinh __nv_sinh", numerics.sinh, {}),
    ("cosh math.cosh llvm.intr.cosh __nv_cosh", numerics.cosh, {}),
    ("math.asin __nv_asin", of_doubles(np.arcsin), {}),
    ("math.acos __nv_acos", of_doubles(np.arccos), {}),
    ("math.atan __nv_atan", of_doubles(np.arctan), {}),
    ("math.asinh __nv_asinh", of_doubles(np.arcsinh), {}),
    ("math.acosh __nv_acosh", of_doubles(np.arccosh), {}),
    ("math.atanh __nv_atanh", of_doubles(np.arctanh), {}),
    ("math.cbrt __nv_cbrt", of_doubles(np.cbrt), {}),
    ("math.erf __nv_erf", of_doubles(np.vectorize(erf, otypes=[np.float64])), {}),
    ("pow fpowf math.powf llvm.intr.pow __nv_pow", numerics.power, {}),
    ("fpowi math.fpowi llvm.intr.powi __nv_powi", numerics.fpowi, {}),
    ("atan2 math.atan2 llvm.intr.atan2 __nv_atan2", numerics.atan2, {}),
)
"""
Names of ops, their function, and its modes. A name without a dialect is that of the ops of
`cuda_tile` and `nv_tileaa`; one that begins with `__nv_` is a function of libdevice for f64, and
with an f after it for f32.
"""

TILE_ROUNDING: Modes = {"rounding": word("rounding_mode", "nearest_even")}
CONVERSIONS: tuple[tuple[str, Numeric, Modes], ...] = (
    ("exti", numerics.exti, BY_SIGNEDNESS),
    ("arith.extsi llvm.sext arith.index_cast", numerics.exti, SIGNED),
    ("arith.extui llvm.zext arith.index_castui", numerics.exti, UNSIGNED),
    ("trunci arith.trunci llvm.trunc", numerics.trunci, {}),
    ("ftoi", numerics.ftoi, BY_SIGNEDNESS),
    ("arith.fptosi llvm.fptosi llvm.intr.fptosi.sat", numerics.ftoi, SIGNED),
    ("arith.fptoui llvm.fptoui llvm.intr.fptoui.sat", numerics.ftoi, UNSIGNED),
    ("itof", numerics.itof, {**BY_SIGNEDNESS, **TILE_ROUNDING}),
    ("arith.sitofp llvm.sitofp", numerics.itof, SIGNED),
    ("arith.uitofp llvm.uitofp", numerics.itof, UNSIGNED),
    ("ftof fp_to_fp", numerics.ftof, TILE_ROUNDING),
    ("arith.truncf", numerics.ftof, {"rounding": _arith_rounding}),
    ("arith.extf llvm.fpext llvm.fptrunc", numerics.ftof, {}),
    ("nvgpu.cvt_fptrunc nvgpu.cvt_fpext nvvm.cvt.fpext.x2", numerics.ftof, {}),
    ("bitcast", numerics.bitcast, {}),
    ("pack", numerics.pack, {}),
    ("unpack", numerics.unpack, {}),
)
"""The same of functions of one operand whose result has another element type."""

LIBDEVICE: dict[str, Numeric] = {
    name: function
    for names, function, _ in FUNCTIONS
    for name in names.split()
    if name.startswith("__nv_")
}


def tile_ops(mnemonic: str) -> list[str]:
    """The ops of the tile dialects that have a mnemonic."""
    operations = (*ct.CudaTile.operations, *NvTileaa.operations, *NvTileas.operations)
    return [op.name for op in operations if op.name.partition(".")[2] == mnemonic]


def _register(names: str, binder: Binder) -> None:
    for name in names.split():
        if "." in name:
            binds(name)(binder)
        elif not name.startswith("__nv_"):
            TILES.binds(*tile_ops(name))(binder)


def _read(modes: Modes, op: Operation) -> dict[str, Any]:
    return {name: mode(op) if callable(mode) else mode for name, mode in modes.items()}


def _elementwise(function: Numeric, modes: Modes) -> Binder:
    """`f(element, *operands, **modes)`."""

    def bind(op: Operation, program: BoundProgram) -> Function:
        element, known = element_of(op.operands[0].type), _read(modes, op)
        if len(op.operands) == 1 or not is_float(element):
            return partial(function, element, **known)
        return lambda *values: function(element, *alike(values), **known)

    return bind


def _conversion(function: Numeric, modes: Modes) -> Binder:
    """`f(from element, to element, operand, **modes)`."""

    def bind(op: Operation, program: BoundProgram) -> Function:
        source, result = element_of(op.operands[0].type), element_of(op.results[0].type)
        return partial(function, source, result, **_read(modes, op))

    return bind


for names, function, modes in FUNCTIONS:
    _register(names, _elementwise(function, modes))
for names, function, modes in CONVERSIONS:
    _register(names, _conversion(function, modes))


# Constants and choices


@binds("arith.constant", "llvm.mlir.constant")
def bind_constant(op: Operation, program: BoundProgram) -> Function:
    """A literal."""
    literal = property_of(op, "value")
    assert literal is not None
    value = literal_of(literal, op.results[0].type, program.lead)
    return lambda: value


@binds("ub.poison", "llvm.mlir.poison", "llvm.mlir.undef", "llvm.mlir.zero")
@THREADS.binds("nvgpu.warpgroup.mma.init.accumulator")
def bind_poison(op: Operation, program: BoundProgram) -> Function:
    """A value that does not matter; zeros, so that runs are alike, and nothing for tokens."""
    try:
        value = zeros(op.results[0].type, program.lead)
    except ExecutionError:
        if program.registry is THREADS:
            raise
        value = None
    return lambda: value


@runs("llvm.freeze", "llvm.intr.ssa.copy")
def run_identity(value: Value) -> Value:
    """The value itself."""
    return value


@binds(*tile_ops("select"), "arith.select", "llvm.select")
def bind_select(op: Operation, program: BoundProgram) -> Function:
    """One of two values by a condition, or of their elements."""
    is_scalar = not shape_of(op.operands[0].type)

    def apply(condition: Array, a: Value, b: Value) -> Value:
        if is_scalar and condition.size == 1:
            return a if condition else b
        return merge(condition, a, b) if is_scalar else cast(Array, np.where(condition, a, b))

    return apply


# What two values are combined to: by atomics, and by reductions

Combine: TypeAlias = Callable[[Array, Array], Array]


def _nand(element: Attribute, a: Array, b: Array) -> Array:
    return ~numerics.andi(element, a, b)


def _exchange(element: Attribute, old: Array, new: Array) -> Array:
    return new


INTEGER_KINDS: tuple[tuple[str, Numeric, Modes], ...] = (
    ("add addu", numerics.addi, {}),
    ("sub", numerics.subi, {}),
    ("mul", numerics.muli, {}),
    ("and", numerics.andi, {}),
    ("nand", _nand, {}),
    ("or", numerics.ori, {}),
    ("xor", numerics.xori, {}),
    ("max maxsi smax", numerics.maxi, SIGNED),
    ("min minsi smin", numerics.mini, SIGNED),
    ("maxui umax", numerics.maxi, UNSIGNED),
    ("minui umin", numerics.mini, UNSIGNED),
    ("xchg", _exchange, {}),
)
FLOAT_KINDS: tuple[tuple[str, Numeric, Modes], ...] = (
    ("add addf fadd", numerics.addf, {}),
    ("sub fsub", numerics.subf, {}),
    ("mul fmul", numerics.mulf, {}),
    ("max maxnumf fmax", numerics.maxf, {}),
    ("min minnumf fmin", numerics.minf, {}),
    ("maximumf fmaximum", numerics.maxf, {"propagate_nan": True}),
    ("minimumf fminimum", numerics.minf, {"propagate_nan": True}),
    ("xchg", _exchange, {}),
)
"""By the words of `cuda_tile`, `vector`, `gpu`, `nvvm` and `llvm`."""


def combiner(kind: str, element: Attribute, what: str = "a reduction by") -> Combine:
    """How two values are combined, by a word of any dialect."""
    for words, function, modes in FLOAT_KINDS if is_float(element) else INTEGER_KINDS:
        if kind in words.split():
            return lambda a, b: function(element, *alike((a, b)), **modes)
    raise ExecutionError(f"{what} '{kind}' cannot be run on the CPU")
