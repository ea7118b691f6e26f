"""Integer and bitwise arithmetic. Operations wrap around unless an overflow flag says not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import VarConstraint, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Commutative, NoMemoryEffect, Pure

from tileiras_xdsl.dialects.building import TypeOf

from .base import CudaTileOperation, I1Tile, IntTile, attribute_of, same_type, tile_op
from .directives import OverflowClause, PredicateDirective, SignednessKeyword, TightRoundingClause
from .enums import (
    ComparisonPredicateAttr,
    Overflow,
    OverflowAttr,
    Rounding,
    RoundingAttr,
    Signedness,
    SignednessAttr,
)
from .types import TileType

SignednessKind = attribute_of("Signedness attribute", SignednessAttr)
OverflowKind = attribute_of("Integer overflow attribute", OverflowAttr)
RoundingKind = attribute_of("Rounding mode attribute", RoundingAttr)
PredicateKind = attribute_of("Comparison predicate attribute", ComparisonPredicateAttr)


class FoldableInteger(CudaTileOperation, HasFolderInterface):
    """Folds if its operands are constants, or one of them changes nothing."""

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        from tileiras_xdsl.transforms.cuda_tile.canonicalization.values import fold_integer

        return fold_integer(self)


class IntegerBinaryOperation(CudaTileOperation):
    """Two integer tiles of one type to a third of the same."""

    T: ClassVar = VarConstraint("T", IntTile)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())


class PlainIntegerBinaryOperation(IntegerBinaryOperation):
    """Without attributes: `andi %a, %b : tile<i32>`."""

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


class OverflowBinaryOperation(IntegerBinaryOperation):
    """With an overflow assumption: `addi %a, %b overflow<no_wrap> : tile<i32>`."""

    overflow = prop_def(OverflowKind, default_value=OverflowAttr(Overflow.NONE))

    custom_directives = (OverflowClause,)
    assembly_format = "$lhs `,` $rhs custom<OverflowClause>($overflow) attr-dict `:` type($result)"

    DEFAULTS: ClassVar = {"overflow": Overflow.NONE}


class SignedBinaryOperation(IntegerBinaryOperation):
    """With a signedness: `maxi %a, %b signed : tile<i32>`."""

    signedness = prop_def(SignednessKind)

    custom_directives = (SignednessKeyword,)
    assembly_format = (
        "$lhs `,` $rhs custom<SignednessKeyword>($signedness) attr-dict `:` type($result)"
    )


@tile_op
class AddIOp(OverflowBinaryOperation, FoldableInteger):
    """Element-wise sum."""

    name = "cuda_tile.addi"
    traits = traits_def(Commutative())


@tile_op
class SubIOp(OverflowBinaryOperation, FoldableInteger):
    """Element-wise difference."""

    name = "cuda_tile.subi"


@tile_op
class MulIOp(OverflowBinaryOperation, FoldableInteger):
    """Element-wise product, low half."""

    name = "cuda_tile.muli"
    traits = traits_def(Commutative())


@tile_op
class ShLIOp(OverflowBinaryOperation):
    """Left shift; the amount is unsigned."""

    name = "cuda_tile.shli"


@tile_op
class AndIOp(PlainIntegerBinaryOperation, FoldableInteger):
    """Bitwise and."""

    name = "cuda_tile.andi"
    traits = traits_def(Commutative())


@tile_op
class OrIOp(PlainIntegerBinaryOperation, FoldableInteger):
    """Bitwise or."""

    name = "cuda_tile.ori"
    traits = traits_def(Commutative())


@tile_op
class XOrIOp(PlainIntegerBinaryOperation, FoldableInteger):
    """Bitwise exclusive or."""

    name = "cuda_tile.xori"
    traits = traits_def(Commutative())


@tile_op
class MaxIOp(SignedBinaryOperation):
    """Element-wise maximum."""

    name = "cuda_tile.maxi"
    traits = traits_def(Commutative())


@tile_op
class MinIOp(SignedBinaryOperation):
    """Element-wise minimum."""

    name = "cuda_tile.mini"
    traits = traits_def(Commutative())


@tile_op
class RemIOp(SignedBinaryOperation):
    """Truncated remainder; it has the sign of `lhs`."""

    name = "cuda_tile.remi"
    TYPE_GROUPS: ClassVar = (same_type("result", "lhs", "rhs"),)


@tile_op
class ShRIOp(SignedBinaryOperation):
    """Right shift, arithmetic if signed; the amount is unsigned."""

    name = "cuda_tile.shri"


@tile_op
class DivIOp(CudaTileOperation):
    """
    Element-wise quotient, rounded to zero (default), down or up. Division by zero and the
    overflowing signed division are undefined, so the op may not be speculated.
    """

    name = "cuda_tile.divi"

    T: ClassVar = VarConstraint("T", IntTile)
    lhs = operand_def(T)
    rhs = operand_def(T)
    signedness = prop_def(SignednessKind)
    rounding = prop_def(RoundingKind, default_value=RoundingAttr(Rounding.ZERO))
    result = result_def(T)

    traits = traits_def(NoMemoryEffect())
    custom_directives = (SignednessKeyword, TightRoundingClause)
    assembly_format = (
        "$lhs `,` $rhs custom<SignednessKeyword>($signedness) "
        "custom<TightRoundingClause>($rounding) attr-dict `:` type($result)"
    )
    ROUNDING_MODES: ClassVar = (Rounding.ZERO, Rounding.NEGATIVE_INF, Rounding.POSITIVE_INF)
    ROUNDING_DEFAULT: ClassVar = Rounding.ZERO
    ROUNDING_PARSER_IS_STRICT: ClassVar = False

    DEFAULTS: ClassVar = {"rounding": Rounding.ZERO}

    def verify_op(self) -> None:
        mode = self.rounding.data
        if mode not in self.ROUNDING_MODES:
            self.fail(
                "invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]"
            )
        if mode is Rounding.NEGATIVE_INF and self.signedness == SignednessAttr(Signedness.UNSIGNED):
            self.fail("rounding mode 'negative_inf' is not allowed with 'unsigned' flag")


@tile_op
class MulhiIOp(CudaTileOperation):
    """High half of the unsigned product."""

    name = "cuda_tile.mulhii"

    T: ClassVar = VarConstraint("T", IntTile)
    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure(), Commutative())
    assembly_format = "$x `,` $y attr-dict `:` type($result)"


@tile_op
class AbsIOp(CudaTileOperation):
    """Absolute value: signed in, unsigned out."""

    name = "cuda_tile.absi"

    T: ClassVar = VarConstraint("T", IntTile)
    source = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($result)"


@tile_op
class NegIOp(CudaTileOperation):
    """Negation; since 13.2 with an overflow assumption."""

    name = "cuda_tile.negi"

    T: ClassVar = VarConstraint("T", IntTile)
    source = operand_def(T)
    overflow = prop_def(OverflowKind, default_value=OverflowAttr(Overflow.NONE))
    result = result_def(T)

    traits = traits_def(Pure())
    custom_directives = (OverflowClause,)
    assembly_format = "$source custom<OverflowClause>($overflow) attr-dict `:` type($result)"

    DEFAULTS: ClassVar = {"overflow": Overflow.NONE}

    def verify_op(self) -> None:
        if self.overflow == OverflowAttr(Overflow.NO_UNSIGNED_WRAP):
            self.fail("'no_unsigned_wrap' overflow flag is not supported")


class ComparisonOperation(CudaTileOperation):
    """Checks the result of `cmpi` and `cmpf`."""

    def verify_op(self) -> None:
        operand = self.operands[0].type
        if not isinstance(operand, TileType) or self.results[0].type != operand.with_element(i1):
            self.fail(
                "failed to verify that Result type has i1 element type and same shape as operands"
            )


def comparison_result(ty: TileType) -> Attribute:
    """The i1 tile that a comparison of tiles yields."""
    return ty.with_element(i1)


@tile_op
class CmpIOp(ComparisonOperation, FoldableInteger):
    """Element-wise integer comparison."""

    name = "cuda_tile.cmpi"

    T: ClassVar = VarConstraint("T", IntTile)
    lhs = operand_def(T)
    rhs = operand_def(T)
    comparison_predicate = prop_def(PredicateKind)
    signedness = prop_def(SignednessKind)
    result = result_def(I1Tile)

    traits = traits_def(Pure())
    custom_directives = (PredicateDirective, SignednessKeyword)
    assembly_format = (
        "custom<PredicateDirective>($comparison_predicate) $lhs `,` $rhs `,` "
        "custom<SignednessKeyword>($signedness) attr-dict `:` type($lhs) `->` type($result)"
    )

    DEFAULTS: ClassVar = {"result_type": TypeOf("lhs", comparison_result)}
