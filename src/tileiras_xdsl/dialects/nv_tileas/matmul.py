"""Dots: matrix multiplication with an accumulator, maybe of operands with scales."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Final

from xdsl.dialects.builtin import I32, IntegerAttr, IntegerType, i8
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    VarConstraint,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.nv_tileaa.attributes import TensorConstraint, get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, verify_dot, verify_scaled_dot

from .types import DOT_ATOM

PER_BYTE: Final = 2
"""Elements of 4 bits in a byte."""


class DotOp(DotOperation, ABC):
    """
    A dot that threads do, or that tensor cores do while threads wait or go on, with or without
    scales.
    """

    C: ClassVar = VarConstraint("C", TensorConstraint())
    a = operand_def(TensorConstraint())
    b = operand_def(TensorConstraint())
    accumulator = operand_def(C)
    accumulate = opt_operand_def(IntegerType)
    result = result_def(C)
    atom = opt_prop_def(DOT_ATOM)

    def with_accumulator(self, accumulator: SSAValue, accumulate: SSAValue | None) -> DotOp:
        """The same dot with another accumulator, which it may overwrite."""
        others = self.operands[3 if self.accumulate is None else 4 :]
        flags = () if accumulate is None else (accumulate,)
        return type(self).create(
            operands=[self.a, self.b, accumulator, *flags, *others],
            result_types=[accumulator.type],
            properties=dict(self.properties),
            attributes=dict(self.attributes),
        )


@diagnosed_op
class PlainDotOp(DotOp):
    """
    `accumulator + a * b` as by `nv_tileaa.dot`, or `a * b` alone where `accumulate` is zero:

        %d = nv_tileas.dot %a, %b, %c, %flag {atom = #nv_tileas.atom<mma.sm80>}
            : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>, i1
    """

    name = "nv_tileas.dot"

    traits = traits_def(Pure())
    assembly_format = (
        "$a `,` $b `,` $accumulator (`,` $accumulate^)? attr-dict `:` type($a) `,` type($b) `,` "
        "type($result) (`,` type($accumulate)^)?"
    )


@diagnosed_op
class ScaledDotOp(DotOp):
    """
    `accumulator + (a * scale_a) * (b * scale_b)`, where each group of elements along K has a scale:

        %d = nv_tileas.scaled_dot %a, %b, %c, %flag scales(%sa, %sb)
            {atom = #nv_tileas.atom<mma.sm80>}
            : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>, i1,
              tensor<64x2xf8E8M0FNU>, tensor<2x64xf8E8M0FNU>

    For `tcgen05`, tiles are as the hardware reads them:

    - `packed`: A and B are bytes, each with two elements of this type that follow each other along
      K, the first one in the lower bits.
    - `block`: the elements along K that share a scale. Then there may be more scales than needed:
      those of further rows, columns and groups are not read.

        %d = nv_tileas.scaled_dot %a, %b, %c, %flag scales(%sa, %sb)
            {atom = #nv_tileas.atom<mma.sm100>, packed = f4E2M1FN, block = 32 : i32}
            : tensor<128x64xi8>, tensor<64x64xi8>, tensor<128x64xf32>, i1,
              tensor<128x4xf8E8M0FNU>, tensor<4x128xf8E8M0FNU>
    """

    name = "nv_tileas.scaled_dot"

    # Operands of a subclass come before those of its base, unless it lists all.
    C: ClassVar = VarConstraint("C", TensorConstraint())
    a = operand_def(TensorConstraint())
    b = operand_def(TensorConstraint())
    accumulator = operand_def(C)
    accumulate = opt_operand_def(IntegerType)
    scale_a = operand_def(TensorConstraint())
    scale_b = operand_def(TensorConstraint())
    result = result_def(C)
    atom = opt_prop_def(DOT_ATOM)
    packed = opt_prop_def(AnyAttr())
    block = opt_prop_def(IntegerAttr[I32])

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

    @property
    def scales(self) -> tuple[SSAValue, SSAValue]:
        """The scales of A and B."""
        return self.scale_a, self.scale_b

    @property
    def elements(self) -> tuple[Attribute, Attribute]:
        """The types of the elements of A and B, which may be packed into bytes."""
        a, b = get_element(self.a.type), get_element(self.b.type)
        return (a, b) if self.packed is None else (self.packed, self.packed)

    @property
    def k(self) -> int:
        """How many elements are summed."""
        return get_shape(self.a.type)[-1] * (1 if self.packed is None else PER_BYTE)

    def get_block(self) -> int:
        """How many elements along K have a scale in common."""
        if self.block is not None:
            return self.block.value.data
        return self.k // get_shape(self.scale_a.type)[-1]

    def verify_(self) -> None:
        if self.packed is None and self.block is None:
            verify_scaled_dot(self.operands[:3], self.scales)
            return
        verify_dot(self.a.type, self.b.type, self.result.type)
        if self.packed is not None and {get_element(x.type) for x in (self.a, self.b)} != {i8}:
            raise VerifyException(f"expects bytes of '{self.packed}', but got '{self.a.type}'")
        a, b = (get_shape(scale.type) for scale in self.scales)
        if len(a) != 2 or len(b) != 2:
            raise VerifyException("expects scales of two dimensions")
        block = self.get_block()
        (m, n), k = get_shape(self.result.type), self.k
        if block < 1 or k % block or a[0] < m or b[1] < n or min(a[1], b[0]) < k // block:
            raise VerifyException(
                f"scales '{self.scale_a.type}' and '{self.scale_b.type}' are too few for blocks of "
                f"{block} of {m}x{n}x{k}"
            )
