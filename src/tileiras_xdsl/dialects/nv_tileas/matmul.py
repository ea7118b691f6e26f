"""Dot: matrix multiplication with an accumulator."""

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
from tileiras_xdsl.dialects.nv_tileaa.base import TensorConstraint
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation

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
