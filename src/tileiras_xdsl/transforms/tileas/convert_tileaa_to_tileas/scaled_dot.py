"""
Block-scaled dots. Where the target has an instruction for the types and sizes, they stay what they
are (`nv_tileas.scaled_dot`). Else they are computed in f32 (`transforms/common/scaled_dots.py`).
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr

from tileiras_xdsl.dialects.nv_tileaa import matmul
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileas import matmul as products
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.scaled_dots import (
    emulate_scaled_dot,
    explain_emulation,
    why_not_scaled,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import ConversionPattern, ConversionRewriter


class ScaledDotPattern(ConversionPattern[matmul.MmaFScaledOp]):
    """`mmaf_scaled` → a scaled dot, or a dot of f32."""

    def __init__(self, target: Target):
        self._target = target

    def convert(self, op: matmul.MmaFScaledOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.values(op.operands)
        reason = why_not_scaled(op, self._target)
        if reason is None:
            lhs, rhs, acc, *scales = values
            flag = rewriter.insert(arith.ConstantOp(IntegerAttr.from_bool(True)))
            native = products.ScaledDotOp(lhs, rhs, acc, flag, *scales)
            native.attributes.update(op.attributes)
            rewriter.replace(op, native)
            return
        explain_emulation(op, get_shape(op.lhs.type)[-1], reason)
        dot = emulate_scaled_dot(values, None, op.attributes, rewriter.insert)
        rewriter.replace(op, dot)
