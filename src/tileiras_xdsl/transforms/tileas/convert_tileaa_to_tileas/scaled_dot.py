"""
Block-scaled dots. Where the target has an instruction for the types and sizes, they stay what they
are (`nv_tileas.scaled_dot`). Else operands and scales, floats of at most 16 bits, are widened to
f32, in which they and their products are exact but for the range of f32:

    %d = nv_tileaa.mmaf_scaled %a, %b, %c, %sa, %sb : tensor<64x64xf8E4M3FN>, …
    →
    %a32 = nv_tileaa.fp_to_fp %a …             %s32 = nv_tileaa.fp_to_fp %sa …
    %s1 = nv_tileas.expand_dims %s32 …         (tensor<64x2x1xf32>)
    %s2 = nv_tileaa.broadcast %s1 …            (tensor<64x2x32xf32>)
    %s3 = nv_tileas.view %s2 …                 (tensor<64x64xf32>)
    %x = nv_tileaa.mulf %a32, %s3 …            and the same for %b
    %d = nv_tileas.dot %x, %y, %c, %true {input_precision = "ieee"} …
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, f32
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileaa import elementwise, matmul, shape
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape, with_element
from tileiras_xdsl.dialects.nv_tileas import matmul as products
from tileiras_xdsl.dialects.nv_tileas import shape as shapes
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.scaled_dots import is_scaled_by_instruction
from tileiras_xdsl.xdsl_extras.dialect_conversion import ConversionPattern, ConversionRewriter


class ScaledDotPattern(ConversionPattern[matmul.MmaFScaledOp]):
    """
    `mmaf_scaled` → a scaled dot, or a dot of f32, for which an accumulator of another type is
    converted.
    """

    def __init__(self, target: Target):
        self._target = target

    def convert(self, op: matmul.MmaFScaledOp, rewriter: ConversionRewriter) -> None:
        if is_scaled_by_instruction(op, self._target):
            lhs, rhs, acc, *scales = rewriter.values(op.operands)
            flag = rewriter.insert(arith.ConstantOp(IntegerAttr.from_bool(True)))
            native = products.ScaledDotOp(lhs, rhs, acc, flag, *scales)
            native.attributes.update(op.attributes)
            rewriter.replace(op, native)
            return
        lhs, rhs, acc, lhs_scale, rhs_scale = (
            _widen(value, rewriter) for value in rewriter.values(op.operands)
        )
        rank = len(get_shape(lhs.type))
        dot = products.DotOp(
            _scale(lhs, lhs_scale, rank - 1, rewriter),
            _scale(rhs, rhs_scale, rank - 2, rewriter),
            acc,
            rewriter.insert(arith.ConstantOp(IntegerAttr.from_bool(True))),
            {"input_precision": StringAttr("ieee")},
        )
        dot.attributes.update(op.attributes)
        result = rewriter.insert(dot).result
        if result.type != op.result.type:
            result = rewriter.insert(elementwise.FpToFpOp(result, op.result.type)).result
        rewriter.replace(op, result)


def _widen(value: SSAValue, rewriter: ConversionRewriter) -> SSAValue:
    if get_element(value.type) == f32:
        return value
    return rewriter.insert(elementwise.FpToFpOp(value, with_element(value.type, f32))).result


def _scale(value: SSAValue, scale: SSAValue, dim: int, rewriter: ConversionRewriter) -> SSAValue:
    """The elements times the scales of their groups along a dimension."""
    sizes, groups = get_shape(value.type), get_shape(scale.type)
    expanded = rewriter.insert(shapes.ExpandDimsOp(scale, dim + 1))
    group = (*groups[: dim + 1], sizes[dim] // groups[dim], *groups[dim + 1 :])
    repeated = rewriter.insert(shape.BroadcastOp(expanded, TensorType(f32, group)))
    scales = rewriter.insert(shapes.ViewOp(repeated, TensorType(f32, sizes)))
    return rewriter.insert(elementwise.MulFOp(value, scales)).result
