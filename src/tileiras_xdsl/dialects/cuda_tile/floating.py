"""Floating-point arithmetic and math functions, over tiles of f16, bf16, f32 and f64."""

from __future__ import annotations

from typing import Any, ClassVar

from xdsl.dialects.builtin import Float32Type, UnitAttr
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.irdl import (
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import Commutative, Pure

from tileiras_xdsl.dialects.building import TypeOf, derive

from .base import (
    BaseFloatTile,
    CudaTileOperation,
    ExponentTile,
    I1Tile,
    attribute_of,
    same_shape,
    same_type,
    tile_op,
)
from .directives import FloatFlags, OrderingDirective, PredicateDirective, RoundingClause
from .enums import (
    ComparisonOrderingAttr,
    Rounding,
    RoundingAttr,
)
from .integer import ComparisonOperation, PredicateKind, RoundingKind, comparison_result
from .types import TileType, element_name

OrderingKind = attribute_of("Comparison ordering attribute", ComparisonOrderingAttr)
UnitKind = UnitAttr
"""The formats recognise unit attributes by this class, not by a constraint on it."""

IEEE_MODES = (
    Rounding.NEAREST_EVEN,
    Rounding.ZERO,
    Rounding.NEGATIVE_INF,
    Rounding.POSITIVE_INF,
)


class FloatOperation(CudaTileOperation):
    """Checks shared by ops with `flush_to_zero` or a rounding mode."""

    def verify_f32_only(self, modifier: str) -> None:
        """Rejects `modifier` on elements other than f32."""
        ty = self.results[0].type
        assert isinstance(ty, TileType)
        if not isinstance(ty.element_type, Float32Type):
            self.fail(
                f"{modifier} modifier only supported for f32 data type, but got: "
                f"'{element_name(ty.element_type)}'"
            )

    def verify_flush_to_zero(self) -> None:
        if self.properties.get("flush_to_zero") is not None:
            self.verify_f32_only("flush_to_zero")

    def verify_rounding(self, modes: tuple[Rounding, ...], *f32_only: Rounding) -> None:
        """Checks the mode, and that `flush_to_zero` and the modes of `f32_only` meet f32."""
        attribute = self.properties["rounding_mode"]
        assert isinstance(attribute, RoundingAttr)
        if attribute.data not in modes:
            self.fail(
                "invalid rounding mode specified, expect one of "
                f"[{', '.join(mode.value for mode in modes)}]"
            )
        self.verify_flush_to_zero()
        if attribute.data in f32_only:
            self.verify_f32_only(attribute.data.value)


class FloatUnaryOperation(FloatOperation):
    """One float tile to another of the same type."""

    T: ClassVar = VarConstraint("T", BaseFloatTile)
    source = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())


class PlainFloatUnaryOperation(FloatUnaryOperation):
    """Without modifiers: `sin %a : tile<f32>`."""

    assembly_format = "$source attr-dict `:` type($result)"


def _function(class_name: str, word: str, doc: str) -> type[PlainFloatUnaryOperation]:
    return tile_op(derive(PlainFloatUnaryOperation, class_name, f"cuda_tile.{word}", doc))


AbsFOp = _function("AbsFOp", "absf", "Absolute value.")
NegFOp = _function("NegFOp", "negf", "Negation.")
CeilOp = _function("CeilOp", "ceil", "Rounds up to an integer.")
FloorOp = _function("FloorOp", "floor", "Rounds down to an integer.")
SinOp = _function("SinOp", "sin", "Sine.")
CosOp = _function("CosOp", "cos", "Cosine.")
TanOp = _function("TanOp", "tan", "Tangent.")
SinHOp = _function("SinHOp", "sinh", "Hyperbolic sine.")
CosHOp = _function("CosHOp", "cosh", "Hyperbolic cosine.")
LogOp = _function("LogOp", "log", "Natural logarithm.")
Log2Op = _function("Log2Op", "log2", "Binary logarithm.")


class ApproximableUnaryOperation(FloatUnaryOperation):
    """Full precision or, for f32, the hardware's approximation."""

    rounding_mode = prop_def(RoundingKind, default_value=RoundingAttr(Rounding.FULL))

    custom_directives = (RoundingClause,)
    assembly_format = "$source custom<RoundingClause>($rounding_mode) attr-dict `:` type($result)"
    ROUNDING_MODES: ClassVar = (Rounding.APPROX, Rounding.FULL)
    ROUNDING_DEFAULT: ClassVar = Rounding.FULL
    ROUNDING_PARSER_IS_STRICT: ClassVar = False

    DEFAULTS: ClassVar = {"rounding_mode": Rounding.FULL}

    def verify_op(self) -> None:
        self.verify_rounding(self.ROUNDING_MODES, Rounding.APPROX)


@tile_op
class ExpOp(ApproximableUnaryOperation):
    """Exponential; a rounding mode since 13.3."""

    name = "cuda_tile.exp"


@tile_op
class TanHOp(ApproximableUnaryOperation):
    """Hyperbolic tangent; a rounding mode since 13.2."""

    name = "cuda_tile.tanh"


class FlushableUnaryOperation(FloatUnaryOperation):
    """With `flush_to_zero` for f32: `exp2 %a flush_to_zero : tile<f32>`."""

    flush_to_zero = opt_prop_def(UnitKind)

    assembly_format = "$source (`flush_to_zero` $flush_to_zero^)? attr-dict `:` type($result)"

    def verify_op(self) -> None:
        self.verify_flush_to_zero()


@tile_op
class Exp2Op(FlushableUnaryOperation):
    """Power of two."""

    name = "cuda_tile.exp2"


@tile_op
class RsqrtOp(FlushableUnaryOperation):
    """Reciprocal square root."""

    name = "cuda_tile.rsqrt"


@tile_op
class SqrtOp(FloatUnaryOperation):
    """Square root."""

    name = "cuda_tile.sqrt"

    rounding_mode = prop_def(RoundingKind)
    flush_to_zero = opt_prop_def(UnitKind)

    custom_directives = (RoundingClause,)
    assembly_format = (
        "$source custom<RoundingClause>($rounding_mode) (`flush_to_zero` $flush_to_zero^)? "
        "attr-dict `:` type($result)"
    )
    ROUNDING_MODES: ClassVar = (*IEEE_MODES, Rounding.APPROX)
    ROUNDING_DEFAULT: ClassVar = Rounding.NEAREST_EVEN
    ROUNDING_PARSER_IS_STRICT: ClassVar = False

    DEFAULTS: ClassVar = {"rounding_mode": Rounding.NEAREST_EVEN}

    def verify_op(self) -> None:
        self.verify_rounding(self.ROUNDING_MODES, Rounding.APPROX)


class FloatBinaryOperation(FloatOperation):
    """Two float tiles of one type to a third of the same."""

    T: ClassVar = VarConstraint("T", BaseFloatTile)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())


class RoundedBinaryOperation(FloatBinaryOperation):
    """With a rounding mode and, for f32, `flush_to_zero`."""

    rounding_mode = prop_def(RoundingKind)
    flush_to_zero = opt_prop_def(UnitKind)

    custom_directives = (RoundingClause,)
    assembly_format = (
        "$lhs `,` $rhs custom<RoundingClause>($rounding_mode) "
        "(`flush_to_zero` $flush_to_zero^)? attr-dict `:` type($result)"
    )
    ROUNDING_MODES: ClassVar = IEEE_MODES
    ROUNDING_DEFAULT: ClassVar = Rounding.NEAREST_EVEN
    ROUNDING_PARSER_IS_STRICT: ClassVar = True

    DEFAULTS: ClassVar = {"rounding_mode": Rounding.NEAREST_EVEN}

    def verify_op(self) -> None:
        self.verify_rounding(self.ROUNDING_MODES, Rounding.APPROX, Rounding.FULL)


@tile_op
class AddFOp(RoundedBinaryOperation, HasCanonicalizationPatternsInterface):
    """Element-wise sum."""

    name = "cuda_tile.addf"
    traits = traits_def(Commutative())

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.cuda_tile.canonicalization.patterns import ADDF_PATTERNS

        return ADDF_PATTERNS


@tile_op
class SubFOp(RoundedBinaryOperation):
    """Element-wise difference."""

    name = "cuda_tile.subf"


@tile_op
class MulFOp(RoundedBinaryOperation):
    """Element-wise product."""

    name = "cuda_tile.mulf"
    traits = traits_def(Commutative())


@tile_op
class DivFOp(RoundedBinaryOperation):
    """Element-wise quotient; `approx` and `full` are the faster f32 divisions."""

    name = "cuda_tile.divf"
    ROUNDING_MODES: ClassVar = (*IEEE_MODES, Rounding.APPROX, Rounding.FULL)
    ROUNDING_PARSER_IS_STRICT: ClassVar = False


@tile_op
class FmaOp(FloatOperation):
    """`lhs * rhs + acc` with one rounding."""

    name = "cuda_tile.fma"

    T: ClassVar = VarConstraint("T", BaseFloatTile)
    lhs = operand_def(T)
    rhs = operand_def(T)
    acc = operand_def(T)
    rounding_mode = prop_def(RoundingKind)
    flush_to_zero = opt_prop_def(UnitKind)
    result = result_def(T)

    traits = traits_def(Pure())
    custom_directives = (RoundingClause,)
    assembly_format = (
        "$lhs `,` $rhs `,` $acc custom<RoundingClause>($rounding_mode) "
        "(`flush_to_zero` $flush_to_zero^)? attr-dict `:` type($result)"
    )
    ROUNDING_MODES: ClassVar = IEEE_MODES
    ROUNDING_DEFAULT: ClassVar = Rounding.NEAREST_EVEN
    ROUNDING_PARSER_IS_STRICT: ClassVar = True

    DEFAULTS: ClassVar = {"rounding_mode": Rounding.NEAREST_EVEN}

    def verify_op(self) -> None:
        self.verify_rounding(self.ROUNDING_MODES)


@tile_op
class RemFOp(FloatBinaryOperation):
    """Truncated remainder; it has the sign of `lhs`."""

    name = "cuda_tile.remf"
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


@tile_op
class Atan2Op(CudaTileOperation):
    """Angle of the point whose coordinates are the operands (13.2)."""

    name = "cuda_tile.atan2"

    T: ClassVar = VarConstraint("T", BaseFloatTile)
    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)

    SINCE: ClassVar = "13.2"
    traits = traits_def(Pure())
    assembly_format = "$x `,` $y attr-dict `:` type($result)"


class PowerOperation(CudaTileOperation):
    """`source` to the power `exponent`."""

    T: ClassVar = VarConstraint("T", BaseFloatTile)
    source = operand_def(T)
    exponent = operand_def(T)
    result = result_def(T)

    TYPE_GROUPS: ClassVar = (same_type("result", "source", "exponent"),)
    traits = traits_def(Pure())


@tile_op
class PowOp(PowerOperation):
    """
    `source` to the power `exponent`. Spelled `pow` up to 13.3 and `fpowf` since:
    both parse, `pow` is printed, `fpowf` in public mode.
    """

    name = "cuda_tile.pow"
    PUBLIC_NAME: ClassVar = "fpowf"
    assembly_format = "$source `,` $exponent attr-dict `:` type($result)"


@irdl_op_definition
class FPowFOp(PowerOperation):
    """The 13.4 spelling of `pow`: whatever is parsed or created under it is a `PowOp`."""

    name = "cuda_tile.fpowf"

    @classmethod
    def parse(cls, parser: Parser) -> PowOp:  # pyright: ignore[reportIncompatibleMethodOverride]
        return PowOp.parse(parser)

    @classmethod
    def create(cls, **kwargs: Any) -> PowOp:  # pyright: ignore[reportIncompatibleMethodOverride]
        return PowOp.create(**kwargs)


@tile_op
class FPowIOp(CudaTileOperation):
    """`source` to an integer power (13.4)."""

    name = "cuda_tile.fpowi"

    T: ClassVar = VarConstraint("T", BaseFloatTile)
    source = operand_def(T)
    exponent = operand_def(ExponentTile)
    result = result_def(T)

    TYPE_GROUPS: ClassVar = (same_type("result", "source"), same_shape("source", "exponent"))
    SINCE: ClassVar = "13.4"
    traits = traits_def(Pure())
    assembly_format = "$source `,` $exponent attr-dict `:` type($source) `,` type($exponent)"


class FloatExtremumOperation(FloatBinaryOperation):
    """
    Minimum or maximum, +0 above -0. A NaN operand is ignored unless `propagate_nan` is set.
    """

    flush_to_zero = opt_prop_def(UnitKind)
    propagate_nan = opt_prop_def(UnitKind)

    traits = traits_def(Commutative())
    custom_directives = (FloatFlags,)
    assembly_format = (
        "$lhs `,` $rhs custom<FloatFlags>($flush_to_zero, $propagate_nan) "
        "attr-dict `:` type($result)"
    )

    def verify_op(self) -> None:
        self.verify_flush_to_zero()


@tile_op
class MaxFOp(FloatExtremumOperation):
    """Element-wise maximum."""

    name = "cuda_tile.maxf"


@tile_op
class MinFOp(FloatExtremumOperation):
    """Element-wise minimum."""

    name = "cuda_tile.minf"


@tile_op
class CmpFOp(ComparisonOperation):
    """Element-wise comparison; with NaN it is true exactly if unordered."""

    name = "cuda_tile.cmpf"

    T: ClassVar = VarConstraint("T", BaseFloatTile)
    lhs = operand_def(T)
    rhs = operand_def(T)
    comparison_predicate = prop_def(PredicateKind)
    comparison_ordering = prop_def(OrderingKind)
    result = result_def(I1Tile)

    traits = traits_def(Pure())
    custom_directives = (PredicateDirective, OrderingDirective)
    assembly_format = (
        "custom<PredicateDirective>($comparison_predicate) "
        "custom<OrderingDirective>($comparison_ordering) "
        "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    )

    DEFAULTS: ClassVar = {"result_type": TypeOf("lhs", comparison_result)}
