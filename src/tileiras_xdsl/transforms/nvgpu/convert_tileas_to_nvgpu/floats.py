"""
Floating-point arithmetic and math functions, elementwise.

| what | how |
| --- | --- |
| `+`, `-`, `*`, `/`, sqrt, fma to nearest even | `arith`, LLVM's instructions: correctly rounded |
| the same in a directed mode, or flushing | `nvvm`; f16 and bf16 by way of f32 |
| approximations that an op asks for | one instruction |
| `exp2`, `rsqrt` of f32 and narrower types | one instruction of f32, within 2 ulp |
| other functions | libdevice, a call for each lane, of f32 for narrower types |

Two roundings in the same directed mode equal one, so narrower types are computed in f32. Functions
are the ones that NVIDIA's compiler takes, so that results are the same bit for bit
(docs/numerics.md).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import bf16, f16, f32, f64, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.arith import CmpfOp, ExtSIOp
from tileiras_xdsl.dialects.nv_tileaa import elementwise as tileaa
from tileiras_xdsl.dialects.nv_tileaa.base import RELATIONS, word
from tileiras_xdsl.dialects.nvvm import RoundingMode
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import width_of
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .constants import literal
from .division import divide_by_broadcast
from .float_formats import narrow, widen
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder
from .vectors import element_of, with_element

ROUNDINGS = {
    "nearest_even": RoundingMode.RN,
    "zero": RoundingMode.RZ,
    "negative_inf": RoundingMode.RM,
    "positive_inf": RoundingMode.RP,
}
HALVES = (f16, bf16)
LOG2_E = 1.4426950408889634


def require_float(builder: ThreadBuilder, op: Operation) -> Attribute:
    """The element of an op on floats, which must be one that the hardware computes with."""
    element = element_of(op.results[0].type)
    if element not in (*HALVES, f32, f64):
        fail(op, f"'{op.name}' op has no arithmetic of '{element}': convert it to f32 first")
    return element


# Rounded arithmetic

Plain = Callable[..., Operation]

ROUNDED: dict[str, tuple[Plain, Plain]] = {
    "nv_tileaa.addf": (arith.AddfOp, nvvm.AddOp),
    "nv_tileaa.subf": (arith.SubfOp, nvvm.SubOp),
    "nv_tileaa.mulf": (arith.MulfOp, nvvm.MulOp),
    "nv_tileaa.divf": (arith.DivfOp, nvvm.DivOp),
    "nv_tileaa.sqrt": (llvm.FSqrtOp, nvvm.SqrtOp),
    "nv_tileaa.fma": (math.FmaOp, nvvm.FmaOp),
}
"""To nearest even, and in any mode."""

APPROXIMATED: dict[tuple[str, str], Plain] = {
    ("nv_tileaa.divf", "approx"): nvvm.DivApproxOp,
    ("nv_tileaa.divf", "full"): nvvm.DivFullOp,
    ("nv_tileaa.sqrt", "approx"): nvvm.SqrtApproxOp,
}


@lowers(*ROUNDED)
def lower_rounded(builder: ThreadBuilder, op: tileaa.RoundedOperation | tileaa.SqrtOp) -> None:
    element = require_float(builder, op)
    operands = [builder.lookup(operand) for operand in op.operands]
    mode = word(op.rounding_mode, "nearest_even")
    ftz = op.flush_to_zero is not None
    plain, rounded = ROUNDED[op.name]
    approximated = APPROXIMATED.get((op.name, mode))
    if (ftz or approximated is not None) and element != f32:
        fail(op, f"'{op.name}' op flushes and approximates f32 only, not '{element}'")
    if approximated is not None:
        builder.map(op.result, builder.emit(approximated(*operands, ftz=ftz)))
    elif mode not in ROUNDINGS:
        fail(op, f"'{op.name}' op has no rounding mode '{mode}'")
    elif mode == "nearest_even" and not ftz:
        result = divide_by_broadcast(builder, op) if isinstance(op, tileaa.DivFOp) else None
        builder.map(op.result, builder.emit(plain(*operands)) if result is None else result)
    elif element in HALVES:
        wide = [widen(builder, value, element) for value in operands]
        result = builder.emit(rounded(*wide, ROUNDINGS[mode])).results[0]
        builder.map(op.result, narrow(builder, op, result, element, mode))
    else:
        builder.map(op.result, builder.emit(rounded(*operands, ROUNDINGS[mode], ftz=ftz)))


EXTREMA: dict[tuple[str, bool], Plain] = {
    ("nv_tileaa.maxf", False): arith.MaxnumfOp,
    ("nv_tileaa.maxf", True): arith.MaximumfOp,
    ("nv_tileaa.minf", False): arith.MinnumfOp,
    ("nv_tileaa.minf", True): arith.MinimumfOp,
}


@lowers("nv_tileaa.maxf", "nv_tileaa.minf")
def lower_extremum(builder: ThreadBuilder, op: tileaa.ExtremumOperation) -> None:
    element = require_float(builder, op)
    operands = [builder.lookup(op.lhs), builder.lookup(op.rhs)]
    if op.flush_to_zero is not None:
        if element != f32:
            fail(op, f"'{op.name}' op flushes f32 only, not '{element}'")
        operands = [flush(builder, value) for value in operands]
    make = EXTREMA[op.name, op.propagate_nan is not None]
    builder.map(op.result, builder.emit(make(*operands)))


def flush(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """f32 with zeros for subnormal numbers."""
    one = literal(builder, 1.0, value.type)
    return builder.emit(nvvm.MulOp(value, one, RoundingMode.RN, ftz=True)).results[0]


@lowers("nv_tileaa.cmpf")
def lower_cmpf(builder: ThreadBuilder, op: tileaa.CmpFOp) -> None:
    element = element_of(op.lhs.type)
    if element not in (*HALVES, f32, f64):
        fail(op, f"'{op.name}' op compares no '{element}': convert it to f32 first")
    relation = RELATIONS[word(op.comparison_predicate, "equal")]
    letter = "o" if word(op.comparison_ordering, "ordered") == "ordered" else "u"
    compare = CmpfOp(builder.lookup(op.lhs), builder.lookup(op.rhs), f"{letter}{relation}")
    builder.map(op.result, builder.emit(compare))


# One instruction

SIMPLE: dict[str, Plain] = {
    "nv_tileaa.negf": arith.NegfOp,
    "nv_tileaa.absf": math.AbsFOp,
    "nv_tileaa.ceil": math.CeilOp,
    "nv_tileaa.floor": math.FloorOp,
}


@lowers(*SIMPLE)
def lower_simple(builder: ThreadBuilder, op: tileaa.UnaryFloatOperation) -> None:
    require_float(builder, op)
    builder.map(op.result, builder.emit(SIMPLE[op.name](builder.lookup(op.source))))


# Functions

FUNCTIONS: dict[str, Plain] = {
    "nv_tileaa.remf": llvm.FRemOp,
    **dict.fromkeys(("nv_tileaa.sin", "math.sin"), llvm.FSinOp),
    **dict.fromkeys(("nv_tileaa.cos", "math.cos"), llvm.FCosOp),
    **dict.fromkeys(("nv_tileaa.tan", "math.tan"), own_llvm.TanOp),
    **dict.fromkeys(("nv_tileaa.sinh", "math.sinh"), own_llvm.SinhOp),
    **dict.fromkeys(("nv_tileaa.cosh", "math.cosh"), own_llvm.CoshOp),
    **dict.fromkeys(("nv_tileaa.log", "math.log"), llvm.FLogOp),
    **dict.fromkeys(("nv_tileaa.log2", "math.log2"), llvm.FLog2Op),
    **dict.fromkeys(("nv_tileaa.atan2", "math.atan2"), own_llvm.ATan2Op),
    **dict.fromkeys(("nv_tileaa.pow", "math.powf"), llvm.FPowOp),
    "math.exp": llvm.FExpOp,
    "math.exp2": llvm.FExp2Op,
    "math.log10": own_llvm.Log10Op,
    "math.sqrt": llvm.FSqrtOp,
    "math.tanh": own_llvm.TanhOp,
}
"""What libdevice has."""


@lowers(*FUNCTIONS)
def lower_function(builder: ThreadBuilder, op: Operation) -> None:
    require_float(builder, op)
    operands = [builder.lookup(operand) for operand in op.operands]
    builder.map(op.results[0], builder.emit(FUNCTIONS[op.name](*operands)))


@lowers("nv_tileaa.exp")
def lower_exp(builder: ThreadBuilder, op: tileaa.ExpOp) -> None:
    source = builder.lookup(op.source)
    if is_approximate(builder, op):
        scaled = builder.emit(arith.MulfOp(source, literal(builder, LOG2_E, source.type))).result
        builder.map(op.result, builder.emit(nvvm.Ex2ApproxOp(scaled)))
    else:
        builder.map(op.result, builder.emit(llvm.FExpOp(source)))


@lowers("nv_tileaa.tanh")
def lower_tanh(builder: ThreadBuilder, op: tileaa.TanhOp) -> None:
    make = nvvm.TanhApproxOp if is_approximate(builder, op) else own_llvm.TanhOp
    builder.map(op.result, builder.emit(make(builder.lookup(op.source))))


def is_approximate(builder: ThreadBuilder, op: tileaa.ExpOp | tileaa.TanhOp) -> bool:
    """Whether an op asks for the approximation, which f32 has."""
    return require_float(builder, op) == f32 and word(op.rounding_mode, "full") == "approx"


ONE_INSTRUCTION: dict[str, tuple[Plain, Plain]] = {
    "nv_tileaa.exp2": (nvvm.Ex2ApproxOp, llvm.FExp2Op),
    "nv_tileaa.rsqrt": (nvvm.RsqrtApproxOp, math.RsqrtOp),
}
"""Of f32, within 2 ulp, and the function of f64."""


@lowers(*ONE_INSTRUCTION)
def lower_one_instruction(builder: ThreadBuilder, op: tileaa.Exp2Op | tileaa.RsqrtOp) -> None:
    element = require_float(builder, op)
    source = builder.lookup(op.source)
    instruction, function = ONE_INSTRUCTION[op.name]
    ftz = op.flush_to_zero is not None
    if ftz and element != f32:
        fail(op, f"'{op.name}' op flushes f32 only, not '{element}'")
    if element == f64:
        builder.map(op.result, builder.emit(function(source)))
        return
    # An f16 is a normal f32, and results that are none become zero: instructions that flush, and
    # have less to do, give the same.
    value = widen(builder, source, element)
    value = builder.emit(instruction(value, ftz=ftz or element == f16)).results[0]
    builder.map(op.result, narrow(builder, op, value, element))


@lowers("nv_tileaa.fpowi")
def lower_fpowi(builder: ThreadBuilder, op: tileaa.FPowIOp) -> None:
    require_float(builder, op)
    base, exponent = builder.lookup(op.source), builder.lookup(op.exponent)
    if width_of(element_of(exponent.type)) < 32:
        wide = with_element(exponent.type, i32)
        exponent = builder.emit(ExtSIOp(exponent, wide)).result
    builder.map(op.result, builder.emit(math.FPowIOp(base, exponent)))
