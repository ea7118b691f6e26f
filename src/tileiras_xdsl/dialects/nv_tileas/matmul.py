"""Dots: matrix multiplication with an accumulator, maybe of operands with scales."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.irdl import (
    VarConstraint,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from tileiras_xdsl.dialects.diagnosed import diagnosed_op
from tileiras_xdsl.dialects.nv_tileaa.base import TensorConstraint, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, verify_scaled_dot

from .attributes import DOT_ATOM


@diagnosed_op
class DotOp(DotOperation):
    """
    `accumulator + a * b` as by `nv_tileaa.dot`, or `a * b` alone where `accumulate` is zero:

        %d = nv_tileas.dot %a, %b, %c, %flag {atom = #nv_tileas.atom<mma.sm80>}
            : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>, i1
    """

    name = "nv_tileas.dot"

    C: ClassVar = VarConstraint("C", TensorConstraint())
    a = operand_def(TensorConstraint())
    b = operand_def(TensorConstraint())
    accumulator = operand_def(C)
    accumulate = opt_operand_def(IntegerType)
    result = result_def(C)
    atom = opt_prop_def(DOT_ATOM)

    traits = traits_def(Pure())
    assembly_format = (
        "$a `,` $b `,` $accumulator (`,` $accumulate^)? attr-dict `:` type($a) `,` type($b) `,` "
        "type($result) (`,` type($accumulate)^)?"
    )


@diagnosed_op
class ScaledDotOp(DotOperation):
    """
    `accumulator + (a * scale_a) * (b * scale_b)`, where each group of elements along K has a scale:

        %d = nv_tileas.scaled_dot %a, %b, %c, %flag scales(%sa, %sb)
            {atom = #nv_tileas.atom<mma.sm80>}
            : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>, i1,
              tensor<64x2xf8E8M0FNU>, tensor<2x64xf8E8M0FNU>
    """

    name = "nv_tileas.scaled_dot"

    C: ClassVar = VarConstraint("C", TensorConstraint())
    a = operand_def(TensorConstraint())
    b = operand_def(TensorConstraint())
    accumulator = operand_def(C)
    accumulate = opt_operand_def(IntegerType)
    scale_a = operand_def(TensorConstraint())
    scale_b = operand_def(TensorConstraint())
    result = result_def(C)
    atom = opt_prop_def(DOT_ATOM)

    traits = traits_def(Pure())
    assembly_format = (
        "$a `,` $b `,` $accumulator (`,` $accumulate^)? `scales` `(` $scale_a `,` $scale_b `)` "
        "attr-dict `:` type($a) `,` type($b) `,` type($result) (`,` type($accumulate)^)? `,` "
        "type($scale_a) `,` type($scale_b)"
    )

    @property
    def scale_index(self) -> int:
        """The index of the first scale among the operands."""
        return len(self.operands) - 2

    def get_block(self) -> int:
        """How many elements along K have a scale in common."""
        return get_shape(self.a.type)[-1] // get_shape(self.scale_a.type)[-1]

    def verify_(self) -> None:
        verify_scaled_dot(self.operands[:3], (self.scale_a, self.scale_b))
