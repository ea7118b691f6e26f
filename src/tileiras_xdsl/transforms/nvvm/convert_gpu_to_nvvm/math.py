"""
Functions of libdevice, NVIDIA's library of math in LLVM IR, and approximations that the hardware
has.

The function is chosen by op and element type. `f16` and `bf16` are computed as `f32`. Vectors are
split first: the library has scalars only. An op that says how it approximates (`approx`,
`flush_to_zero`, `rounding_mode = "approx"` or `"full"`) becomes an instruction, on whole vectors,
and never a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    StringAttr,
    VectorType,
    f32,
    i32,
)
from xdsl.dialects.llvm import CallOp, FastMathAttr, FPExtOp, FPTruncOp, LLVMFunctionType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nvvm import RoundingMode
from tileiras_xdsl.dialects.nvvm.base import element_of
from tileiras_xdsl.dialects.vector import ExtractOp, FromElementsOp
from tileiras_xdsl.transforms.nvvm.llvm_types import RuntimeSymbols
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    PatternSet,
)

SAME_NAMES: tuple[type[Operation], ...] = (
    *(math.AcosOp, math.AcoshOp, math.AsinOp, math.AsinhOp, math.AtanOp, math.Atan2Op),
    *(math.AtanhOp, math.CbrtOp, math.CosOp, math.CoshOp, math.ErfOp, math.ExpOp, math.Exp2Op),
    *(math.ExpM1Op, math.LogOp, math.Log10Op, math.Log1pOp, math.Log2Op, math.RsqrtOp),
    *(math.SinOp, math.SinhOp, math.SqrtOp, math.TanOp, math.TanhOp),
)

LIBDEVICE: dict[type[Operation], str] = {
    **{op: op.name.removeprefix("math.") for op in SAME_NAMES},
    math.FPowIOp: "powi",
    math.PowFOp: "pow",
}
"""Ops that are calls: `__nv_sqrt` for `f64`, `__nv_sqrtf` for `f32`."""

HAVE_FAST: tuple[type[Operation], ...] = (
    *(math.CosOp, math.ExpOp, math.Exp2Op, math.LogOp, math.Log10Op, math.Log2Op, math.PowFOp),
    *(math.SinOp, math.TanOp, math.TanhOp),
)

FAST: dict[type[Operation], str] = {
    **{op: f"__nv_fast_{LIBDEVICE[op]}f" for op in HAVE_FAST},
    arith.DivfOp: "__nv_unsafe_divf",
}
"""What `fastmath<afn>` chooses for `f32`."""

COUNTERPARTS = {
    "__nv_fast_exp2f": "__nv_exp2f",
    "__nv_unsafe_divf": "__nv_fast_fdividef",
}
"""What libdevice has in place of names that it has not."""

APPROXIMATIONS: dict[type[Operation], Callable[..., Operation]] = {
    math.CosOp: nvvm.CosApproxOp,
    math.Exp2Op: nvvm.Ex2ApproxOp,
    math.Log2Op: nvvm.Lg2ApproxOp,
    math.RsqrtOp: nvvm.RsqrtApproxOp,
    math.SinOp: nvvm.SinApproxOp,
    math.SqrtOp: nvvm.SqrtApproxOp,
    math.TanhOp: nvvm.TanhApproxOp,
    arith.DivfOp: nvvm.DivApproxOp,
}

ROUNDED: dict[type[Operation], Callable[..., Operation]] = {
    math.SqrtOp: nvvm.SqrtOp,
    arith.AddfOp: nvvm.AddOp,
    arith.SubfOp: nvvm.SubOp,
    arith.MulfOp: nvvm.MulOp,
    arith.DivfOp: nvvm.DivOp,
    math.FmaOp: nvvm.FmaOp,
}
"""Ops that are exact but for rounding, and can flush denormals."""

ROUNDINGS = {
    "nearest_even": RoundingMode.RN,
    "zero": RoundingMode.RZ,
    "negative_inf": RoundingMode.RM,
    "positive_inf": RoundingMode.RP,
}


@dataclass(frozen=True)
class Precision:
    """What an op says of its precision."""

    approx: bool = False
    full: bool = False
    ftz: bool = False
    rounding: RoundingMode | None = None

    @staticmethod
    def of(op: Operation) -> Precision:
        mode = op.attributes.get("rounding_mode")
        word = mode.data if isinstance(mode, StringAttr) else ""
        return Precision(
            "approx" in op.attributes or word == "approx",
            word == "full",
            "flush_to_zero" in op.attributes,
            ROUNDINGS.get(word),
        )

    @property
    def is_given(self) -> bool:
        return self != Precision()


def get_flags(op: Operation) -> tuple[FastMathFlag, ...]:
    """The `fastmath` flags of an op."""
    flags = op.properties.get("fastmath")
    return tuple(flags.data) if isinstance(flags, arith.FastMathFlagsAttr) else ()


def is_fast(op: Operation) -> bool:
    """Whether an op may be approximated."""
    return FastMathFlag.APPROX_FUNC in get_flags(op)


def get_callee(op: Operation, element: Attribute) -> str:
    """The function for an op on elements of a type, `f32` or `f64`."""
    if is_fast(op) and type(op) in FAST and isinstance(element, Float32Type):
        name = FAST[type(op)]
        return COUNTERPARTS.get(name, name)
    suffix = "f" if isinstance(element, Float32Type) else ""
    return f"__nv_{LIBDEVICE[type(op)]}{suffix}"


@dataclass(frozen=True)
class ConvertMath(ConversionPattern[Operation]):
    """
    A function: the call of one of libdevice, lane by lane, or an approximation.

        %r = math.sqrt %x : f16
        →
        %x32 = llvm.fpext %x : f16 to f32
        %r32 = llvm.call @__nv_sqrtf(%x32) : (f32) -> f32
        %r = llvm.fptrunc %r32 : f32 to f16

        %r = math.exp2 %v {flush_to_zero} : vector<4xf32>
        →
        %r = nvvm.ex2.approx.f %v {ftz} : vector<4xf32>
    """

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        precision = Precision.of(op)
        if precision.is_given:
            convert_approximation(op, precision, rewriter)
            return
        operands = rewriter.values(op.operands)
        ty = op.results[0].type
        if not isinstance(ty, VectorType):
            rewriter.replace(op, self.call(op, operands, rewriter))
            return
        if ty.get_num_dims() != 1 or ty.get_num_scalable_dims():
            raise ConversionError(
                f"cannot be split into scalars: '{ty}' is no vector of rank 1 and fixed length"
            )
        count = ty.get_shape()[0]
        lanes = [
            [rewriter.insert(ExtractOp(operand, [lane])).result for lane in range(count)]
            for operand in operands
        ]
        results = [self.call(op, scalars, rewriter) for scalars in zip(*lanes, strict=True)]
        rewriter.replace(op, FromElementsOp(results, ty))

    def call(
        self, op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter
    ) -> SSAValue:
        """The call for scalars."""
        ty = operands[0].type
        arguments = list(operands)
        match ty:
            case Float16Type() | BFloat16Type():
                element: Attribute = f32
                arguments = [
                    rewriter.insert(FPExtOp(value, f32)).result
                    if isinstance(value.type, AnyFloat)
                    else value
                    for value in operands
                ]
            case Float32Type() | Float64Type():
                element = ty
            case _:
                raise ConversionError(f"has no libdevice function for '{ty}'")
        for argument in arguments:
            if isinstance(argument.type, IntegerType) and argument.type != i32:
                raise ConversionError(f"has an exponent of '{argument.type}', but needs one of i32")
        callee = rewriter.state(RuntimeSymbols).declare(
            op,
            get_callee(op, element),
            LLVMFunctionType([argument.type for argument in arguments], element),
        )
        call = CallOp(callee, *arguments, return_type=element, fastmath=FastMathAttr(get_flags(op)))
        result = rewriter.insert(call).results[0]
        return result if element == ty else rewriter.insert(FPTruncOp(result, ty)).result


def convert_approximation(
    op: Operation, precision: Precision, rewriter: ConversionRewriter
) -> None:
    """An instruction, on scalars or vectors, that approximates, rounds or flushes as is said."""
    operands = rewriter.values(op.operands)
    ty = op.results[0].type
    element = element_of(ty)
    wide = VectorType(f32, ty.get_shape()) if isinstance(ty, VectorType) else f32
    if isinstance(element, Float16Type | BFloat16Type):
        operands = [rewriter.insert(arith.ExtFOp(value, wide)).result for value in operands]
    elif isinstance(element, Float64Type):
        if precision.approx or precision.full or precision.ftz:
            raise ConversionError("has no approximation for f64, and nothing that flushes it")
    elif not isinstance(element, Float32Type):
        raise ConversionError(f"has no approximation for '{ty}'")
    make = APPROXIMATIONS.get(op.__class__)
    rounded = ROUNDED.get(op.__class__)
    if precision.full and isinstance(op, arith.DivfOp):
        new: Operation = nvvm.DivFullOp(*operands, ftz=precision.ftz)
    elif make is not None and (precision.approx or rounded is None):
        new = make(*operands, ftz=precision.ftz)
    elif rounded is not None and not precision.approx and not precision.full:
        new = rounded(*operands, precision.rounding or RoundingMode.RN, ftz=precision.ftz)
    else:
        raise ConversionError("has no such approximation")
    if isinstance(element, Float16Type | BFloat16Type):
        result = rewriter.insert(new).results[0]
        new = arith.TruncFOp(result, ty)
    rewriter.replace(op, new)


def is_legal_arithmetic(op: Operation) -> bool:
    """Whether arithmetic is left to LLVM: it is, unless it says how it approximates."""
    if Precision.of(op).is_given:
        return False
    is_quotient = isinstance(op, arith.DivfOp)
    return not (is_quotient and is_fast(op) and isinstance(element_of(op.result.type), Float32Type))


def set_math_legality(target: ConversionTarget) -> None:
    target.add_illegal_op(*LIBDEVICE)
    for op in ROUNDED:
        if op not in LIBDEVICE:
            target.add_dynamically_legal_op(op, is_legal_arithmetic)


def populate_math(patterns: PatternSet) -> None:
    pattern = ConvertMath()
    for op in dict.fromkeys((*LIBDEVICE, *ROUNDED)):
        patterns.add(op, pattern)
