"""
`math`: what LLVM's NVPTX back end has instructions for. It ends the process on most others, so
those must have become calls of libdevice before, by `convert-gpu-to-nvvm`.
"""

from __future__ import annotations

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import BoolAttr, Float64Type
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.dialects.nvvm.base import element_of
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .building import ConvertOneToOne, FloatOneToOne, Properties, no_properties

FLOATS: tuple[tuple[type[Operation], type[Operation]], ...] = (
    (math.AbsFOp, llvm.FAbsOp),
    (math.CeilOp, llvm.FCeilOp),
    (math.FloorOp, llvm.FFloorOp),
    (math.TruncOp, own_llvm.FTruncOp),
    (math.RoundOp, own_llvm.RoundOp),
    (math.RoundEvenOp, own_llvm.RoundEvenOp),
    (math.SqrtOp, llvm.FSqrtOp),
    (math.CopySignOp, llvm.FCopySignOp),
    (math.FmaOp, llvm.FMAOp),
)


def defined_for_zero(op: Operation) -> dict[str, Attribute]:
    return {"is_zero_poison": BoolAttr.from_bool(False)}


def defined_for_least(op: Operation) -> dict[str, Attribute]:
    return {"is_int_min_poison": BoolAttr.from_bool(False)}


INTEGERS: tuple[tuple[type[Operation], type[Operation], Properties], ...] = (
    (math.AbsIOp, own_llvm.AbsOp, defined_for_least),
    (math.CountLeadingZerosOp, own_llvm.CountLeadingZerosOp, defined_for_zero),
    (math.CountTrailingZerosOp, own_llvm.CountTrailingZerosOp, defined_for_zero),
    (math.CtPopOp, own_llvm.CtPopOp, no_properties),
)


class ConvertExp2(FloatOneToOne):
    """
    %r = math.exp2 %x : f32
    →
    %r = llvm.intr.exp2(%x) : (f32) -> f32
    """

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        if isinstance(element_of(op.operands[0].type), Float64Type):
            raise ConversionError(NO_INSTRUCTION)
        super().convert(op, rewriter)


NO_INSTRUCTION = (
    "has no instruction, 'convert-gpu-to-nvvm' should have made a call of libdevice of it"
)


class RefuseLibdevice(ConversionPattern[Operation]):
    """An op that only libdevice has."""

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        raise ConversionError(NO_INSTRUCTION)


def populate_math(patterns: PatternSet) -> None:
    """Adds a pattern for each op of `math`."""
    for source, target in FLOATS:
        patterns.add(source, FloatOneToOne(target))
    for source, target, properties in INTEGERS:
        patterns.add(source, ConvertOneToOne(target, properties))
    patterns.add(math.Exp2Op, ConvertExp2(llvm.FExp2Op))
    for op_class in math.Math.operations:
        if op_class not in patterns:
            patterns.add(op_class, RefuseLibdevice())
