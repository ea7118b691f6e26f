"""
The patterns for `arith`. Its ops take tensors of any layout as they are, so all but one are legal:
a constant whose elements are equal becomes a scalar and a `splat`, which is free in any layout.

    %c = arith.constant dense<1.0> : tensor<8xf32>
    →
    %s = arith.constant 1.0 : f32
    %c = nv_tileaa.splat %s : f32 to tensor<8xf32>
"""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    PatternSet,
)
from tileiras_xdsl.xdsl_extras.structure import splat_of


def get_splat_value(op: Operation) -> int | float | None:
    """The value of all elements of a constant tensor; None for NaN, whose bits may matter."""
    if (
        isinstance(op, ConstantOp)
        and isinstance(op.value, DenseIntOrFPElementsAttr)
        and isinstance(op.value.type, TensorType)
        and splat_of(op.value) is not None
    ):
        value = op.value.get_values()[0]
        if isinstance(value, int | float) and value == value:
            return value
    return None


class SplatConstantPattern(ConversionPattern[ConstantOp]):
    """A constant tensor of equal elements → a scalar and a `splat`."""

    def convert(self, op: ConstantOp, rewriter: ConversionRewriter) -> None:
        assert isinstance(op.value, DenseIntOrFPElementsAttr)
        value, element = get_splat_value(op), op.value.get_element_type()
        assert value is not None
        if isinstance(element, IntegerType):
            scalar = ConstantOp(IntegerAttr(int(value), element))
        else:
            scalar = ConstantOp(FloatAttr(value, element))  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportCallIssue]
        rewriter.insert(scalar)
        rewriter.replace(op, SplatOp(scalar, op.result.type))


def populate_arith(patterns: PatternSet, target: ConversionTarget) -> None:
    """Adds the patterns for `arith`."""
    target.add_dynamically_legal_op(ConstantOp, lambda op: get_splat_value(op) is None)
    patterns.add(ConstantOp, SplatConstantPattern())
