"""
Elementwise operations, on scalars and on tensors: arithmetic, comparison, conversion.

Modes that a target has no use for are plain attributes; one that is absent has the value the
class's docstring gives, else `nearest_even`, `signed`, `none`. What has an exact counterpart
in `arith` (min and max, extensions, `select`, conversions between integers and floats) is
expressed by it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType, UnitAttr, i1
from xdsl.ir import Attribute
from xdsl.irdl import VarConstraint, operand_def, opt_prop_def, result_def, traits_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import OpT, TypeOf, define, diagnosed_op
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width

from .attributes import (
    ORDERING,
    OVERFLOW,
    PREDICATE,
    ROUNDING,
    SIGNEDNESS,
    BoolLike,
    Elementwise,
    FloatLike,
    IntegerLike,
    NumberLike,
    PointerLike,
    TileaaOperation,
    get_element,
    with_element,
    word,
)

Properties = Mapping[str, Attribute | None]


class UnaryOperation(TileaaOperation, ABC):
    """`op %x : T`, the result of the operand's type."""

    traits = traits_def(Pure(), Elementwise())
    assembly_format = "$source attr-dict `:` type($result)"


class UnaryIntegerOperation(UnaryOperation, ABC):
    """`op %x : T` on integers."""

    T: ClassVar = VarConstraint("T", IntegerLike)
    source = operand_def(T)
    result = result_def(T)


class UnaryFloatOperation(UnaryOperation, ABC):
    """`op %x : T` on floats."""

    T: ClassVar = VarConstraint("T", FloatLike)
    source = operand_def(T)
    result = result_def(T)


class BinaryOperation(TileaaOperation, ABC):
    """`op %a, %b : T`, operands and result of one type."""

    traits = traits_def(Pure(), Elementwise())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


class BinaryIntegerOperation(BinaryOperation, ABC):
    """`op %a, %b : T` on integers."""

    T: ClassVar = VarConstraint("T", IntegerLike)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)


class BinaryFloatOperation(BinaryOperation, ABC):
    """`op %a, %b : T` on floats."""

    T: ClassVar = VarConstraint("T", FloatLike)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)


def _op(base: type[OpT], class_name: str, word: str, doc: str) -> type[OpT]:
    """An op that differs from others of its base by its name only."""
    return define(base, class_name, f"nv_tileaa.{word}", doc)


class OverflowOperation(BinaryIntegerOperation, ABC):
    """Integer arithmetic that wraps around, or may assume not to."""

    overflow = opt_prop_def(OVERFLOW)


class SignedOperation(BinaryIntegerOperation, ABC):
    """Integer arithmetic that reads its operands as signed or unsigned."""

    signedness = opt_prop_def(SIGNEDNESS)

    @property
    def is_signed(self) -> bool:
        return word(self.signedness, "signed") == "signed"


AddIOp = _op(OverflowOperation, "AddIOp", "addi", "The sum.")
SubIOp = _op(OverflowOperation, "SubIOp", "subi", "The difference.")
MulIOp = _op(OverflowOperation, "MulIOp", "muli", "The low half of the product.")
ShLIOp = _op(OverflowOperation, "ShLIOp", "shli", "A shift to the left.")
AndIOp = _op(BinaryIntegerOperation, "AndIOp", "andi", "Bitwise and.")
OrIOp = _op(BinaryIntegerOperation, "OrIOp", "ori", "Bitwise or.")
XOrIOp = _op(BinaryIntegerOperation, "XOrIOp", "xori", "Bitwise exclusive or.")
RemIOp = _op(SignedOperation, "RemIOp", "remi", "The remainder of division towards zero.")
ShRIOp = _op(SignedOperation, "ShRIOp", "shri", "A shift to the right, arithmetic if signed.")


@diagnosed_op
class DivIOp(SignedOperation):
    """The quotient, rounded as `rounding` says: `zero` (if absent), or either infinity."""

    name = "nv_tileaa.divi"

    rounding = opt_prop_def(ROUNDING)


MulhiIOp = _op(
    BinaryIntegerOperation, "MulhiIOp", "mulhii", "The high half of the unsigned product."
)
AbsIOp = _op(
    UnaryIntegerOperation, "AbsIOp", "absi", "The magnitude; that of the smallest number is itself."
)


@diagnosed_op
class NegIOp(UnaryIntegerOperation):
    """The negative."""

    name = "nv_tileaa.negi"

    overflow = opt_prop_def(OVERFLOW)


class ComparisonOperation(TileaaOperation, ABC):
    """`op %a, %b : T -> U`, U having the shape of T and elements of i1."""

    result = result_def(BoolLike)
    comparison_predicate = opt_prop_def(PREDICATE)

    traits = traits_def(Pure(), Elementwise())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    DEFAULTS: ClassVar = {"result_type": TypeOf("lhs", lambda ty: with_element(ty, i1))}


class BooleanPatterns(HasCanonicalizationPatternsTrait):
    """The folds of comparisons of truth values."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.tileaa.canonicalization import booleans as patterns

        return patterns.BOOLEAN_PATTERNS


@diagnosed_op
class CmpIOp(ComparisonOperation):
    """Compares integers by `comparison_predicate` (`equal` if absent)."""

    name = "nv_tileaa.cmpi"

    traits = traits_def(Pure(), Elementwise(), BooleanPatterns())

    T: ClassVar = VarConstraint("T", IntegerLike)
    lhs = operand_def(T)
    rhs = operand_def(T)
    signedness = opt_prop_def(SIGNEDNESS)

    @property
    def is_signed(self) -> bool:
        return word(self.signedness, "signed") == "signed"


@diagnosed_op
class CmpFOp(ComparisonOperation):
    """
    Compares floats by `comparison_predicate` (`equal` if absent); with a NaN it is false if
    `comparison_ordering` is `ordered` (or absent), else true.
    """

    name = "nv_tileaa.cmpf"

    T: ClassVar = VarConstraint("T", FloatLike)
    lhs = operand_def(T)
    rhs = operand_def(T)
    comparison_ordering = opt_prop_def(ORDERING)


AbsFOp = _op(UnaryFloatOperation, "AbsFOp", "absf", "The magnitude.")
NegFOp = _op(UnaryFloatOperation, "NegFOp", "negf", "The negative.")
CeilOp = _op(UnaryFloatOperation, "CeilOp", "ceil", "The next integral value above.")
FloorOp = _op(UnaryFloatOperation, "FloorOp", "floor", "The next integral value below.")
SinOp = _op(UnaryFloatOperation, "SinOp", "sin", "The sine.")
CosOp = _op(UnaryFloatOperation, "CosOp", "cos", "The cosine.")
TanOp = _op(UnaryFloatOperation, "TanOp", "tan", "The tangent.")
SinhOp = _op(UnaryFloatOperation, "SinhOp", "sinh", "The hyperbolic sine.")
CoshOp = _op(UnaryFloatOperation, "CoshOp", "cosh", "The hyperbolic cosine.")
LogOp = _op(UnaryFloatOperation, "LogOp", "log", "The natural logarithm.")
Log2Op = _op(UnaryFloatOperation, "Log2Op", "log2", "The logarithm to base two.")


@diagnosed_op
class ExpOp(UnaryFloatOperation):
    """The exponential; its rounding mode is `full` if absent."""

    name = "nv_tileaa.exp"

    rounding_mode = opt_prop_def(ROUNDING)


@diagnosed_op
class TanhOp(UnaryFloatOperation):
    """The hyperbolic tangent; its rounding mode is `full` if absent."""

    name = "nv_tileaa.tanh"

    rounding_mode = opt_prop_def(ROUNDING)


@diagnosed_op
class Exp2Op(UnaryFloatOperation):
    """Two to a power."""

    name = "nv_tileaa.exp2"

    flush_to_zero = opt_prop_def(UnitAttr)


@diagnosed_op
class RsqrtOp(UnaryFloatOperation):
    """The reciprocal of the square root."""

    name = "nv_tileaa.rsqrt"

    flush_to_zero = opt_prop_def(UnitAttr)


@diagnosed_op
class SqrtOp(UnaryFloatOperation):
    """The square root."""

    name = "nv_tileaa.sqrt"

    rounding_mode = opt_prop_def(ROUNDING)
    flush_to_zero = opt_prop_def(UnitAttr)


class RoundedOperation(BinaryFloatOperation, ABC):
    """Float arithmetic with a rounding mode."""

    rounding_mode = opt_prop_def(ROUNDING)
    flush_to_zero = opt_prop_def(UnitAttr)


AddFOp = _op(RoundedOperation, "AddFOp", "addf", "The sum.")
SubFOp = _op(RoundedOperation, "SubFOp", "subf", "The difference.")
MulFOp = _op(RoundedOperation, "MulFOp", "mulf", "The product.")
DivFOp = _op(
    RoundedOperation, "DivFOp", "divf", "The quotient; the mode may be `approx` or `full`."
)
RemFOp = _op(BinaryFloatOperation, "RemFOp", "remf", "The remainder of division towards zero.")
Atan2Op = _op(
    BinaryFloatOperation,
    "Atan2Op",
    "atan2",
    "The angle of a vector, the coordinates in the order of `cuda_tile.atan2`.",
)
PowOp = _op(BinaryFloatOperation, "PowOp", "pow", "A power.")


class ExtremumOperation(BinaryFloatOperation, ABC):
    """The other operand if one is a NaN, unless `propagate_nan`; +0 counts more than -0."""

    flush_to_zero = opt_prop_def(UnitAttr)
    propagate_nan = opt_prop_def(UnitAttr)


MaxFOp = _op(ExtremumOperation, "MaxFOp", "maxf", "The larger one.")
MinFOp = _op(ExtremumOperation, "MinFOp", "minf", "The smaller one.")


@diagnosed_op
class FmaOp(TileaaOperation):
    """`lhs * rhs + acc`, rounded once."""

    name = "nv_tileaa.fma"

    T: ClassVar = VarConstraint("T", FloatLike)
    lhs = operand_def(T)
    rhs = operand_def(T)
    acc = operand_def(T)
    result = result_def(T)
    rounding_mode = opt_prop_def(ROUNDING)
    flush_to_zero = opt_prop_def(UnitAttr)

    traits = traits_def(Pure(), Elementwise())
    assembly_format = "$lhs `,` $rhs `,` $acc attr-dict `:` type($result)"


@diagnosed_op
class FPowIOp(TileaaOperation):
    """A float to an integer power."""

    name = "nv_tileaa.fpowi"

    T: ClassVar = VarConstraint("T", FloatLike)
    source = operand_def(T)
    exponent = operand_def(IntegerLike)
    result = result_def(T)

    traits = traits_def(Pure(), Elementwise())
    assembly_format = "$source `,` $exponent attr-dict `:` type($source) `,` type($exponent)"


class ConversionOperation(TileaaOperation, ABC):
    """`op %x : T to U`."""

    traits = traits_def(Pure(), Elementwise())
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"


@diagnosed_op
class TruncIOp(ConversionOperation):
    """The low bits."""

    name = "nv_tileaa.trunci"

    source = operand_def(IntegerLike)
    result = result_def(IntegerLike)
    overflow = opt_prop_def(OVERFLOW)

    def verify_(self) -> None:
        source, result = get_element(self.source.type), get_element(self.result.type)
        assert isinstance(source, IntegerType)
        assert isinstance(result, IntegerType)
        if source.width.data <= result.width.data:
            raise VerifyException(f"cannot truncate '{source}' to '{result}'")


@diagnosed_op
class FpToFpOp(ConversionOperation):
    """A float in another format; the only op that changes the width of floats."""

    name = "nv_tileaa.fp_to_fp"

    source = operand_def(FloatLike)
    result = result_def(FloatLike)
    rounding_mode = opt_prop_def(ROUNDING)


@diagnosed_op
class BitcastOp(ConversionOperation):
    """The same bits as another type."""

    name = "nv_tileaa.bitcast"

    source = operand_def(NumberLike)
    result = result_def(NumberLike)

    def verify_(self) -> None:
        source, result = get_element(self.source.type), get_element(self.result.type)
        if element_bit_width(source) != element_bit_width(result):
            raise VerifyException(f"'{source}' and '{result}' have different widths")


@diagnosed_op
class IntToPtrOp(ConversionOperation):
    """The pointer of an address."""

    name = "nv_tileaa.int_to_ptr"

    source = operand_def(IntegerLike)
    result = result_def(PointerLike)


@diagnosed_op
class PtrToIntOp(ConversionOperation):
    """The address of a pointer."""

    name = "nv_tileaa.ptr_to_int"

    source = operand_def(PointerLike)
    result = result_def(IntegerLike)
