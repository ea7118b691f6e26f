"""Matrix multiply-accumulate: `result = lhs @ rhs + acc`, with an optional batch dimension."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
)
from xdsl.ir import Attribute
from xdsl.irdl import VarConstraint, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from .base import (
    CudaTileOperation,
    MmaFAccTile,
    MmaFOperandTile,
    MmaIAccTile,
    MmaIOperandTile,
    MmaIResultTile,
    ScaledOperandTile,
    ScaledResultTile,
    ScaledScaleTile,
    same_element,
    same_rank,
    tile_op,
)
from .directives import SignednessKeyword
from .floating import UnitKind
from .integer import SignednessKind
from .shape import tile_type
from .types import FloatNV8E5M3FNUType, element_name, join_dims


class MmaOperation(CudaTileOperation):
    """Checks the shapes that all matrix multiplications share."""

    DEFAULT_HINT: ClassVar = "mm"
    traits = traits_def(Pure())

    def _shape(self, name: str) -> tuple[int, ...]:
        return tile_type(getattr(self, name)).get_shape()

    def verify_match(self, first: str, first_dim: int, second: str, second_dim: int) -> None:
        """Checks that a dimension of one operand equals a dimension of another."""
        left, right = self._shape(first), self._shape(second)
        if left[first_dim] == right[second_dim]:
            return
        # The public text has a second space in front of every mismatch but the batch's.
        space = "" if first_dim == second_dim == 0 and len(left) == 3 else " "
        self.fail(
            f"{space}shape error: dim {first_dim} of {first} ({left[first_dim]}) and dim "
            f"{second_dim} of {second} ({right[second_dim]}) must match, but got {first} shape "
            f"({join_dims(left)}) and {second} shape ({join_dims(right)})"
        )

    def verify_shapes(self) -> None:
        rank = len(self._shape("lhs"))
        if rank not in (2, 3):
            self.fail("operands must be 2D or 3D tiles")
        batch = rank - 2
        if batch:
            self.verify_match("lhs", 0, "rhs", 0)
            self.verify_match("lhs", 0, "acc", 0)
        self.verify_match("lhs", batch + 1, "rhs", batch)
        self.verify_match("lhs", batch, "acc", batch)
        self.verify_match("rhs", batch + 1, "acc", batch + 1)


_ACCUMULATORS: dict[type[Attribute], tuple[type[Attribute], ...]] = {
    Float8E4M3FNType: (Float16Type, Float32Type),
    Float8E5M2Type: (Float16Type, Float32Type),
    Float16Type: (Float16Type, Float32Type),
    BFloat16Type: (Float32Type,),
    FloatTF32Type: (Float32Type,),
    Float32Type: (Float32Type,),
    Float64Type: (Float64Type,),
}


@tile_op
class MmaFOp(MmaOperation):
    """Floating-point matrix multiply-accumulate; `fast_acc` since 13.3."""

    name = "cuda_tile.mmaf"

    ACC: ClassVar = VarConstraint("ACC", MmaFAccTile)
    lhs = operand_def(MmaFOperandTile)
    rhs = operand_def(MmaFOperandTile)
    acc = operand_def(ACC)
    fast_acc = opt_prop_def(UnitKind)
    result = result_def(ACC)

    TYPE_GROUPS: ClassVar = (
        same_element("lhs", "rhs"),
        same_rank("lhs", "rhs", "acc"),
    )
    assembly_format = (
        "$lhs `,` $rhs `,` $acc (`fast_acc` $fast_acc^)? attr-dict `:` "
        "type($lhs) `,` type($rhs) `,` type($acc)"
    )

    def verify_op(self) -> None:
        self.verify_shapes()
        element = tile_type(self.lhs).element_type
        accumulator = tile_type(self.acc).element_type
        allowed = _ACCUMULATORS[type(element)]
        if not isinstance(accumulator, allowed):
            names = ", ".join(f"'{definition.name}'" for definition in allowed)
            self.fail(
                f"unsupported combination of element types. Input type '{element}' expects "
                f"accumulator/result type to be one of {{{names}}}, but got '{accumulator}'"
            )


@tile_op
class MmaIOp(MmaOperation):
    """Integer matrix multiply-accumulate: 8-bit operands, 32-bit accumulator."""

    name = "cuda_tile.mmai"

    ACC: ClassVar = VarConstraint("ACC", MmaIAccTile)
    lhs = operand_def(MmaIOperandTile)
    rhs = operand_def(MmaIOperandTile)
    acc = operand_def(ACC)
    signedness_lhs = prop_def(SignednessKind)
    signedness_rhs = prop_def(SignednessKind)
    result = result_def(VarConstraint("ACC", MmaIResultTile))

    TYPE_GROUPS: ClassVar = (
        same_element("lhs", "rhs"),
        same_rank("lhs", "rhs", "acc"),
    )
    custom_directives = (SignednessKeyword,)
    assembly_format = (
        "$lhs `,` $rhs `,` $acc custom<SignednessKeyword>($signedness_lhs) "
        "custom<SignednessKeyword>($signedness_rhs) attr-dict `:` "
        "type($lhs) `,` type($rhs) `,` type($acc)"
    )

    def verify_op(self) -> None:
        self.verify_shapes()


@tile_op
class MmaFScaledOp(MmaOperation):
    """
    Matrix multiply-accumulate of block-scaled 8-bit and 4-bit floats (13.3): each run of V
    elements along K shares a scale.
    """

    name = "cuda_tile.mmaf_scaled"

    ACC: ClassVar = VarConstraint("ACC", ScaledResultTile)
    lhs = operand_def(ScaledOperandTile)
    rhs = operand_def(ScaledOperandTile)
    acc = operand_def(ACC)
    lhs_scale = operand_def(ScaledScaleTile)
    rhs_scale = operand_def(ScaledScaleTile)
    result = result_def(ACC)

    TYPE_GROUPS: ClassVar = (
        same_element("lhs", "rhs"),
        same_element("lhs_scale", "rhs_scale"),
        same_rank("lhs", "rhs", "acc", "lhs_scale", "rhs_scale"),
    )
    SINCE: ClassVar = "13.3"
    assembly_format = (
        "$lhs `,` $rhs `,` $acc `,` $lhs_scale `,` $rhs_scale attr-dict `:` type($lhs) `,` "
        "type($rhs) `,` type($acc) `,` type($lhs_scale) `,` type($rhs_scale)"
    )

    def verify_op(self) -> None:
        self.verify_shapes()
        batch = len(self._shape("lhs")) - 2
        if batch:
            self.verify_match("lhs", 0, "lhs_scale", 0)
            self.verify_match("rhs", 0, "rhs_scale", 0)
        self.verify_match("lhs", batch, "lhs_scale", batch)
        self.verify_match("rhs", batch + 1, "rhs_scale", batch + 1)
        self.verify_match("lhs_scale", batch + 1, "rhs_scale", batch)
        lhs, scale = self._shape("lhs"), self._shape("lhs_scale")
        depth, blocks = lhs[batch + 1], scale[batch + 1]
        if depth % blocks:
            self.fail(
                f" shape error: dim {batch + 1} of lhs_scale ({blocks}) must be a divisor of dim "
                f"{batch + 1} of lhs ({depth}), but got lhs_scale shape ({join_dims(scale)}) and "
                f"lhs shape ({join_dims(lhs)})"
            )
        self._verify_block(depth // blocks)

    def _verify_block(self, block: int) -> None:
        element = tile_type(self.lhs).element_type
        scale = tile_type(self.lhs_scale).element_type
        is_f4 = isinstance(element, Float4E2M1FNType)
        if not is_f4 and not isinstance(scale, Float8E8M0FNUType):
            self.fail(
                f"unsupported combination of element types. Scale type '{element_name(scale)}' "
                f"expects lhs and rhs element types to be 'f4E2M1FN', but got '{element}'"
            )
        if not is_f4:
            allowed, subject = (32,), "f8 element type"
        elif isinstance(scale, Float8E8M0FNUType | FloatNV8E5M3FNUType):
            allowed = (16, 32)
            subject = f"f4E2M1FN element type with {element_name(scale)} scales"
        else:
            allowed, subject = (16,), "f4E2M1FN element type with f8E4M3FN scales"
        if block not in allowed:
            self.fail(
                f"shape error: {subject} requires block scale factor of lhs_scale and rhs_scale "
                f"to be {' or '.join(map(str, allowed))}, but got {block}"
            )
