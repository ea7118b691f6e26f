"""
The eight patterns that other passes use on their own: each function adds exactly one to a
caller's set. The conversion pass adds them last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import arith as tensor_arith
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.elements import (
    DenseElementsAttr,
    bits_to_float,
    element_bit_width,
    float_to_bits,
)
from tileiras_xdsl.dialects.cuda_tile.enums import Rounding
from tileiras_xdsl.dialects.cuda_tile.types import FloatNV8E5M3FNUType, TileType
from tileiras_xdsl.dialects.nv_tileaa import elementwise as aa
from tileiras_xdsl.dialects.nv_tileaa import shape
from tileiras_xdsl.dialects.nv_tileaa.memory import GlobalOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .arithmetic import BySignedness
from .attributes import convert_predicate, convert_properties
from .one_to_one import ByFunction, OneToOne, carry_attributes


def has_literals(elements: DenseElementsAttr) -> bool:
    """
    Whether xDSL has literals of all elements. It has none of one type, and for other types its
    literals of NaNs may lose sign and payload. Zeros of both signs it takes for equal elements.
    """
    element = elements.element_type
    if isinstance(element, IntegerType | FloatTF32Type):
        return True
    if not elements.is_splat and len(set(elements.get_values())) == 1:
        return False
    return not isinstance(element, FloatNV8E5M3FNUType) and all(
        float_to_bits(bits_to_float(bits, element), element) == bits
        for bits in set(elements.get_bits())
    )


def make_literals(elements: DenseElementsAttr) -> DenseElementsAttr:
    """The same elements, or integers with their bits where xDSL has no literals of them."""
    if has_literals(elements):
        return elements
    bits = IntegerType(element_bit_width(elements.element_type))
    return DenseElementsAttr(TileType(bits, elements.type.get_shape()), elements.data)


def make_scalar(elements: DenseElementsAttr) -> IntegerAttr | FloatAttr:
    """The literal of one element."""
    element, (value, *_) = elements.element_type, elements.get_values()
    if not isinstance(element, IntegerType):
        return FloatAttr(value, element)  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportCallIssue]
    if element.width.data == 1:
        return IntegerAttr.from_bool(bool(value))
    return IntegerAttr(int(value), element)


def make_dense(elements: DenseElementsAttr) -> DenseIntOrFPElementsAttr:
    """The literal of all elements of a tile."""
    element, shape = elements.element_type, elements.type.get_shape()
    if isinstance(element, IntegerType):
        ty = TensorType(element, shape)
        return DenseIntOrFPElementsAttr.from_list(ty, [int(v) for v in elements.get_values()])
    data = elements.data.data
    if elements.is_splat:
        data *= elements.type.element_count()
    return DenseIntOrFPElementsAttr(TensorType(element, shape), BytesAttr(data))  # pyright: ignore[reportUnknownVariableType, reportArgumentType]


class ConvertTileConstant(ConversionPattern[ct.ConstantOp]):
    """
    %c = cuda_tile.constant <f32: 1.0> : tile<8xf32>
    →
    %s = arith.constant 1.000000e+00 : f32
    %c = nv_tileaa.splat %s : f32 to tensor<8xf32>

    A scalar has no `splat`; unequal elements are an `arith.constant` of a dense tensor.
    Elements that xDSL has no literals for come from their bits by a `bitcast`.
    """

    def convert(self, op: ct.ConstantOp, rewriter: ConversionRewriter) -> None:
        literals, ty = make_literals(op.elements), rewriter.type(op.result.type)
        if not literals.is_splat:
            value = self._typed(arith.ConstantOp(make_dense(literals)), ty, rewriter)
        else:
            scalar = arith.ConstantOp(make_scalar(literals))
            value = self._typed(scalar, op.elements.element_type, rewriter)
            if isinstance(ty, TensorType):
                value = rewriter.insert(shape.SplatOp(value, ty)).result
        carry_attributes(op, value.op)
        rewriter.replace(op, value)

    def _typed(self, constant: arith.ConstantOp, ty: Attribute, rewriter: ConversionRewriter):
        rewriter.insert(constant)
        if constant.result.type == ty:
            return constant.result
        return rewriter.insert(aa.BitcastOp(constant, ty)).result


class GlobalPattern(ConversionPattern[ct.GlobalOp]):
    """
    cuda_tile.global @g alignment = 128 <f32: [1.0, 2.0]> : tile<2xf32>
    →
    nv_tileaa.global @g {value = dense<[1.0, 2.0]> : tensor<2xf32>, alignment = 128 : i64}
    """

    def convert(self, op: ct.GlobalOp, rewriter: ConversionRewriter) -> None:
        properties = convert_properties(op)
        literals, element = make_literals(op.elements), op.elements.element_type
        properties["value"] = make_dense(literals)
        if literals.element_type != element:
            properties["elem_type"] = element
        new = GlobalOp.create(
            properties=properties,
            attributes=dict(op.attributes),
        )
        rewriter.replace(op, new)


def convert_assume(op: ct.AssumeOp, rewriter: ConversionRewriter) -> Operation:
    """`assume div_by<16>, %x` → `nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<16>}`."""
    return shape.AssumeOp(rewriter.value(op.value), convert_predicate(op.predicate))


def adder(
    op_class: type[Operation], pattern: ConversionPattern[Any]
) -> Callable[[PatternSet], None]:
    """A function that adds a pattern."""
    return lambda patterns: patterns.add(op_class, pattern)


add_trunci_pattern = adder(ct.TruncIOp, OneToOne(aa.TruncIOp))
add_rsqrt_pattern = adder(ct.RsqrtOp, OneToOne(aa.RsqrtOp))
add_maxi_pattern = adder(ct.MaxIOp, BySignedness(arith.MaxSIOp, arith.MaxUIOp))
add_itof_pattern = adder(
    ct.IToFOp,
    BySignedness(tensor_arith.SIToFPOp, tensor_arith.UIToFPOp, Rounding.NEAREST_EVEN),
)
add_global_pattern = adder(ct.GlobalOp, GlobalPattern())
add_fma_pattern = adder(ct.FmaOp, OneToOne(aa.FmaOp))
add_constant_pattern = adder(ct.ConstantOp, ConvertTileConstant())
add_assume_pattern = adder(ct.AssumeOp, ByFunction(convert_assume))

SINGLETON_ADDERS = (
    add_trunci_pattern,
    add_rsqrt_pattern,
    add_maxi_pattern,
    add_itof_pattern,
    add_global_pattern,
    add_fma_pattern,
    add_constant_pattern,
    add_assume_pattern,
)
