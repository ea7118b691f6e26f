"""`arith` on scalars and vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseIntOrFPElementsAttr,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import arith as vector_arith
from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.dialects.nvvm.base import element_of
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .building import (
    ConvertOneToOne,
    FloatOneToOne,
    Properties,
    add,
    exact,
    fast_math,
    get_discardable,
    get_fast_math,
    get_width,
    make_integer,
    no_properties,
    non_negative,
    overflow,
    require_floats,
    with_element,
    with_type,
)

INTEGERS: tuple[tuple[type[Operation], type[Operation], Properties], ...] = (
    (arith.AddiOp, llvm.AddOp, overflow),
    (arith.SubiOp, llvm.SubOp, overflow),
    (arith.MuliOp, llvm.MulOp, overflow),
    (arith.ShLIOp, llvm.ShlOp, overflow),
    (arith.DivUIOp, llvm.UDivOp, exact),
    (arith.DivSIOp, llvm.SDivOp, exact),
    (arith.ShRUIOp, llvm.LShrOp, exact),
    (arith.ShRSIOp, llvm.AShrOp, exact),
    (arith.RemUIOp, llvm.URemOp, no_properties),
    (arith.RemSIOp, llvm.SRemOp, no_properties),
    (arith.AndIOp, llvm.AndOp, no_properties),
    (arith.OrIOp, llvm.OrOp, no_properties),
    (arith.XOrIOp, llvm.XOrOp, no_properties),
    (arith.MinSIOp, own_llvm.SMinOp, no_properties),
    (arith.MaxSIOp, own_llvm.SMaxOp, no_properties),
    (arith.MinUIOp, own_llvm.UMinOp, no_properties),
    (arith.MaxUIOp, own_llvm.UMaxOp, no_properties),
    (vector_arith.ExtSIOp, llvm.SExtOp, no_properties),
    (vector_arith.ExtUIOp, llvm.ZExtOp, non_negative),
    (vector_arith.TruncIOp, llvm.TruncOp, overflow),
    (vector_arith.SelectOp, own_llvm.SelectOp, fast_math),
)

FLOATS: tuple[tuple[type[Operation], type[Operation]], ...] = (
    (arith.AddfOp, llvm.FAddOp),
    (arith.SubfOp, llvm.FSubOp),
    (arith.MulfOp, llvm.FMulOp),
    (arith.DivfOp, llvm.FDivOp),
    (arith.NegfOp, llvm.FNegOp),
    (arith.MaxnumfOp, llvm.VectorFMaxOp),
    (arith.MinnumfOp, llvm.VectorFMinOp),
    (arith.MaximumfOp, own_llvm.MaximumOp),
    (arith.MinimumfOp, own_llvm.MinimumOp),
)

CASTS: tuple[tuple[type[Operation], type[Operation]], ...] = (
    (arith.ExtFOp, llvm.FPExtOp),
    (arith.TruncFOp, llvm.FPTruncOp),
    (vector_arith.SIToFPOp, llvm.SIToFPOp),
    (vector_arith.UIToFPOp, own_llvm.UIToFPOp),
    (vector_arith.FPToSIOp, own_llvm.FPToSIOp),
    (vector_arith.FPToUIOp, own_llvm.FPToUIOp),
)


def convert_constant(value: Attribute, ty: Attribute) -> Attribute:
    """A value with its converted type."""
    match value:
        case IntegerAttr() | FloatAttr() if value.type == ty:
            return value
        case IntegerAttr():
            assert isinstance(ty, IntegerType)
            return IntegerAttr(value.value.data, ty)
        case DenseIntOrFPElementsAttr() if isinstance(ty, VectorType):
            # Elements that become integers keep their bytes.
            return with_type(value, ty)
        case _:
            raise ConversionError(f"no constant '{value}' can be made")


class ConvertConstant(ConversionPattern[arith.ConstantOp]):
    """
    %r = arith.constant dense<[0, 1]> : vector<2xindex>
    →
    %r = llvm.mlir.constant(dense<[0, 1]> : vector<2xi64>) : vector<2xi64>
    """

    def convert(self, op: arith.ConstantOp, rewriter: ConversionRewriter) -> None:
        ty = rewriter.type(op.result.type)
        properties = {"value": convert_constant(op.value, ty)}
        rewriter.replace(op, llvm.ConstantOp.create(result_types=[ty], properties=properties))


class ConvertCmpi(ConversionPattern[arith.CmpiOp]):
    """
    %r = arith.cmpi slt, %a, %b : index
    →
    %r = llvm.icmp "slt" %a, %b : i64
    """

    def convert(self, op: arith.CmpiOp, rewriter: ConversionRewriter) -> None:
        new = own_llvm.ICmpOp.create(
            operands=rewriter.values(op.operands),
            result_types=[rewriter.type(op.result.type)],
            properties={"predicate": PREDICATES[op.predicate.value.data]},
            attributes=get_discardable(op),
        )
        rewriter.replace(op, new)


class ConvertCmpf(ConversionPattern[arith.CmpfOp]):
    """
    %r = arith.cmpf olt, %a, %b fastmath<nnan> : vector<4xf32>
    →
    %r = llvm.fcmp "olt" %a, %b {fastmathFlags = #llvm.fastmath<nnan>} : vector<4xf32>
    """

    def convert(self, op: arith.CmpfOp, rewriter: ConversionRewriter) -> None:
        require_floats(op.lhs.type)
        lhs, rhs = rewriter.value(op.lhs), rewriter.value(op.rhs)
        predicate, attributes = PREDICATES[op.predicate.value.data], get_discardable(op)
        flags = get_fast_math(op)
        rewriter.replace(op, own_llvm.FCmpOp(lhs, rhs, predicate, attributes, flags))


class ConvertCast(ConvertOneToOne):
    """
    %r = arith.truncf %x : vector<4xf32> to vector<4xf16>
    →
    %r = llvm.fptrunc %x : vector<4xf32> to vector<4xf16>
    """

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        types = (op.operands[0].type, op.results[0].type)
        require_floats(*(ty for ty in types if not isinstance(element_of(ty), IntegerType)))
        super().convert(op, rewriter)


class ConvertBitcast(ConversionPattern[arith.BitcastOp]):
    """
    %r = arith.bitcast %x : vector<4xf32> to vector<4xi32>
    →
    %r = llvm.bitcast %x : vector<4xf32> to vector<4xi32>
    """

    def convert(self, op: arith.BitcastOp, rewriter: ConversionRewriter) -> None:
        value, ty = rewriter.value(op.input), rewriter.type(op.result.type)
        new = value if value.type == ty else llvm.BitcastOp(value, ty)
        rewriter.replace(op, new)


@dataclass(frozen=True)
class ConvertIndexCast(ConversionPattern[Operation]):
    """
    %r = arith.index_cast %x : i32 to index
    →
    %r = llvm.sext %x : i32 to i64
    """

    extension: type[llvm.SExtOp | llvm.ZExtOp]

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        value, ty = rewriter.value(op.operands[0]), rewriter.type(op.results[0].type)
        source, target = get_width(value.type), get_width(ty)
        if source == target:
            rewriter.replace(op, value)
        elif source > target:
            rewriter.replace(op, llvm.TruncOp(value, ty))
        else:
            rewriter.replace(op, self.extension(value, ty))


class ConvertAddExtended(ConversionPattern[arith.AddUIExtendedOp]):
    """
    %s, %o = arith.addui_extended %a, %b : i32, i1
    →
    %s = llvm.add %a, %b : i32
    %o = llvm.icmp "ult" %s, %a : i32
    """

    def convert(self, op: arith.AddUIExtendedOp, rewriter: ConversionRewriter) -> None:
        lhs, rhs = rewriter.value(op.lhs), rewriter.value(op.rhs)
        total = rewriter.insert(llvm.AddOp(lhs, rhs)).res
        carry = rewriter.insert(compare("ult", total, lhs)).res
        rewriter.replace(op, [total, carry])


@dataclass(frozen=True)
class ConvertMulExtended(ConversionPattern[arith.MulExtendedBase]):
    """
    %l, %h = arith.mulsi_extended %a, %b : i32
    →
    %0 = llvm.sext %a : i32 to i64
    %1 = llvm.sext %b : i32 to i64
    %2 = llvm.mul %0, %1 : i64
    %l = llvm.trunc %2 : i64 to i32
    %3 = llvm.lshr %2, %c32 : i64
    %h = llvm.trunc %3 : i64 to i32
    """

    extension: type[llvm.SExtOp | llvm.ZExtOp]

    def convert(self, op: arith.MulExtendedBase, rewriter: ConversionRewriter) -> None:
        ty = rewriter.type(op.lhs.type)
        width = get_width(ty)
        wide = with_element(ty, IntegerType(2 * width))
        lhs, rhs = (
            rewriter.insert(self.extension(rewriter.value(value), wide)).res
            for value in (op.lhs, op.rhs)
        )
        product = rewriter.insert(llvm.MulOp(lhs, rhs)).res
        low = rewriter.insert(llvm.TruncOp(product, ty)).res
        shift = make_integer(rewriter, width, wide)
        top = rewriter.insert(llvm.LShrOp(product, shift)).res
        high = rewriter.insert(llvm.TruncOp(top, ty)).res
        rewriter.replace(op, [low, high])


class ConvertCeilDivUI(ConversionPattern[arith.CeilDivUIOp]):
    """
    %r = arith.ceildivui %a, %b : i32
    →
    %0 = llvm.sub %a, %one : i32
    %1 = llvm.udiv %0, %b : i32
    %2 = llvm.add %1, %one : i32
    %3 = llvm.icmp "eq" %a, %zero : i32
    %r = llvm.select %3, %zero, %2 : i1, i32
    """

    def convert(self, op: arith.CeilDivUIOp, rewriter: ConversionRewriter) -> None:
        lhs, rhs = rewriter.value(op.lhs), rewriter.value(op.rhs)
        zero = make_integer(rewriter, 0, lhs.type)
        one = make_integer(rewriter, 1, lhs.type)
        less = rewriter.insert(llvm.SubOp(lhs, one)).res
        quotient = rewriter.insert(llvm.UDivOp(less, rhs)).res
        more = rewriter.insert(llvm.AddOp(quotient, one)).res
        is_zero = rewriter.insert(compare("eq", lhs, zero)).res
        rewriter.replace(op, own_llvm.SelectOp(is_zero, zero, more))


@dataclass(frozen=True)
class ConvertRoundedDivSI(ConversionPattern[arith.CeilDivSIOp | arith.FloorDivSIOp]):
    """
    %r = arith.floordivsi %a, %b : i32
    →
    %q = llvm.sdiv %a, %b : i32
    %0 = llvm.mul %q, %b : i32
    %1 = llvm.icmp "ne" %0, %a : i32            // there is a rest
    %2 = llvm.icmp "slt" %a, %zero : i32
    %3 = llvm.icmp "slt" %b, %zero : i32
    %4 = llvm.icmp "ne" %2, %3 : i1             // "eq" for ceildivsi
    %5 = llvm.and %1, %4 : i1
    %6 = llvm.add %q, %minus_one : i32          // %one for ceildivsi
    %r = llvm.select %5, %6, %q : i1, i32
    """

    signs: str
    correction: int

    def convert(
        self, op: arith.CeilDivSIOp | arith.FloorDivSIOp, rewriter: ConversionRewriter
    ) -> None:
        lhs, rhs = rewriter.value(op.lhs), rewriter.value(op.rhs)
        zero = make_integer(rewriter, 0, lhs.type)
        correction = make_integer(rewriter, self.correction, lhs.type)
        quotient = rewriter.insert(llvm.SDivOp(lhs, rhs)).res
        product = rewriter.insert(llvm.MulOp(quotient, rhs)).res
        has_rest = rewriter.insert(compare("ne", product, lhs)).res
        negative = [rewriter.insert(compare("slt", value, zero)).res for value in (lhs, rhs)]
        signs = rewriter.insert(compare(self.signs, *negative)).res
        is_off = rewriter.insert(llvm.AndOp(has_rest, signs)).res
        corrected = rewriter.insert(llvm.AddOp(quotient, correction)).res
        rewriter.replace(op, own_llvm.SelectOp(is_off, corrected, quotient))


def compare(predicate: str, lhs: SSAValue, rhs: SSAValue) -> own_llvm.ICmpOp:
    """A comparison of integers."""
    number = llvm.ICmpPredicateFlag(predicate).to_int()
    return own_llvm.ICmpOp(lhs, rhs, IntegerAttr(number, i64))


PREDICATES: Final = tuple(
    IntegerAttr(number, i64)
    for number in range(
        max(len(arith.CMPI_COMPARISON_OPERATIONS), len(arith.CMPF_COMPARISON_OPERATIONS))
    )
)
"""The predicates of comparisons, which have the same numbers in `llvm`."""


def populate_arith(patterns: PatternSet) -> None:
    """Adds a pattern for each op of `arith`."""
    for source, target, properties in INTEGERS:
        add(patterns, source, ConvertOneToOne(target, properties))
    for source, target in FLOATS:
        add(patterns, source, FloatOneToOne(target))
    for source, target in CASTS:
        add(patterns, source, ConvertCast(target))
    add(patterns, arith.ConstantOp, ConvertConstant())
    add(patterns, vector_arith.CmpiOp, ConvertCmpi())
    add(patterns, vector_arith.CmpfOp, ConvertCmpf())
    add(patterns, arith.BitcastOp, ConvertBitcast())
    add(patterns, vector_arith.IndexCastOp, ConvertIndexCast(llvm.SExtOp))
    add(patterns, vector_arith.IndexCastUIOp, ConvertIndexCast(llvm.ZExtOp))
    add(patterns, arith.AddUIExtendedOp, ConvertAddExtended())
    add(patterns, arith.MulUIExtendedOp, ConvertMulExtended(llvm.ZExtOp))
    add(patterns, arith.MulSIExtendedOp, ConvertMulExtended(llvm.SExtOp))
    add(patterns, arith.CeilDivUIOp, ConvertCeilDivUI())
    add(patterns, arith.CeilDivSIOp, ConvertRoundedDivSI("eq", 1))
    add(patterns, arith.FloorDivSIOp, ConvertRoundedDivSI("ne", -1))


# `math`: what LLVM's NVPTX back end has instructions for. It ends the process on most others, so
# those must have become calls of libdevice before, by `convert-gpu-to-nvvm`.

FLOAT_FUNCTIONS: tuple[tuple[type[Operation], type[Operation]], ...] = (
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


INTEGER_FUNCTIONS: tuple[tuple[type[Operation], type[Operation], Properties], ...] = (
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
    for source, target in FLOAT_FUNCTIONS:
        patterns.add(source, FloatOneToOne(target))
    for source, target, properties in INTEGER_FUNCTIONS:
        patterns.add(source, ConvertOneToOne(target, properties))
    patterns.add(math.Exp2Op, ConvertExp2(llvm.FExp2Op))
    for op_class in math.Math.operations:
        if op_class not in patterns:
            patterns.add(op_class, RefuseLibdevice())
