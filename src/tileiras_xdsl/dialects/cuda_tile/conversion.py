"""Explicit conversions between element types, and between tiles and packed bytes."""

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
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from .base import (
    CudaTileOperation,
    FloatTile,
    I8Tile,
    I64Tile,
    IntOrI4Tile,
    IntTile,
    NumberOrI4Tile,
    NumberTile,
    PtrTile,
    same_rank,
    same_shape,
    tile_op,
)
from .directives import ConversionTypes, OverflowClause, RoundingClause, SignednessKeyword
from .elements import element_bit_width
from .enums import Overflow, OverflowAttr, Rounding, RoundingAttr
from .floating import IEEE_MODES, UnitKind
from .integer import FoldableInteger, OverflowKind, RoundingKind, SignednessKind
from .types import FloatNV8E5M3FNUType, TileType


def element_of(value: SSAValue) -> Attribute:
    """Element type of a tile value."""
    assert isinstance(value.type, TileType)
    return value.type.element_type


class PlainConversion(CudaTileOperation):
    """A conversion without attributes: `op %x : T -> U`."""

    traits = traits_def(Pure())
    custom_directives = (ConversionTypes,)
    assembly_format = "$source attr-dict `:` custom<ConversionTypes>(type($source), type($result))"


class SourceConversion(PlainConversion):
    """A conversion of each element."""

    TYPE_GROUPS: ClassVar = (same_shape("source", "result"),)


@tile_op
class BitcastOp(SourceConversion):
    """Reinterprets the bits of elements of equal width."""

    name = "cuda_tile.bitcast"

    source = operand_def(NumberTile)
    result = result_def(NumberTile)

    def verify_op(self) -> None:
        source, result = (
            element_bit_width(element_of(value)) for value in (self.source, self.result)
        )
        if source != result:
            self.fail(
                f"types must be equal width, cannot convert '{self.source.type}' of width "
                f"{source} to type '{self.result.type}' of width {result}"
            )


@tile_op
class IntToPtrOp(SourceConversion):
    """A 64-bit address to a pointer."""

    name = "cuda_tile.int_to_ptr"

    source = operand_def(I64Tile)
    result = result_def(PtrTile)


@tile_op
class PtrToIntOp(SourceConversion):
    """A pointer to its 64-bit address."""

    name = "cuda_tile.ptr_to_int"

    source = operand_def(PtrTile)
    result = result_def(I64Tile)


@tile_op
class PtrToPtrOp(SourceConversion):
    """A pointer to another pointee type."""

    name = "cuda_tile.ptr_to_ptr"

    source = operand_def(PtrTile)
    result = result_def(PtrTile)


def _packed_bits(element: Attribute) -> int:
    """Bits of an element in packed form: tf32 takes a whole word."""
    return 32 if isinstance(element, FloatTF32Type) else element_bit_width(element)


class PackingOperation(PlainConversion):
    """Rank-1 tiles of equal size in bytes and different element widths (13.3)."""

    TYPE_GROUPS: ClassVar = (same_rank("source", "result"),)
    SINCE: ClassVar = "13.3"

    def verify_op(self) -> None:
        source, result = self.operands[0].type, self.results[0].type
        assert isinstance(source, TileType)
        assert isinstance(result, TileType)
        if source.rank != 1:
            self.fail("expects source and result to be rank-1 tiles")
        source_width = _packed_bits(source.element_type)
        result_width = _packed_bits(result.element_type)
        if source_width == result_width:
            self.fail("expects source and result to have different element type widths")
        source_bits = source.element_count() * source_width
        result_bits = result.element_count() * result_width
        for role, bits in (("source", source_bits), ("result", result_bits)):
            if bits % 8:
                self.fail(f"expects {role} tile to be byte-aligned")
        if source_bits != result_bits:
            self.fail(
                "expects source and result to have the same size in bytes, but got source tile "
                f"size {source_bits // 8} bytes and result tile size {result_bits // 8} bytes"
            )


@tile_op
class PackOp(PackingOperation):
    """Elements to the bytes that hold them."""

    name = "cuda_tile.pack"

    source = operand_def(NumberOrI4Tile)
    result = result_def(I8Tile)


@tile_op
class UnpackOp(PackingOperation):
    """Bytes to the elements they hold."""

    name = "cuda_tile.unpack"

    source = operand_def(I8Tile)
    result = result_def(NumberOrI4Tile)


class FromToConversion(CudaTileOperation):
    """A conversion of numbers: operand `from`, result `to`."""

    TYPE_GROUPS: ClassVar = (same_shape("from_", "to"),)
    GROUP_NAMES: ClassVar = {"from_": "from"}
    traits = traits_def(Pure())


@tile_op
class ExtIOp(FromToConversion, FoldableInteger):
    """Widens integers, by sign or by zeros."""

    name = "cuda_tile.exti"

    from_ = operand_def(IntOrI4Tile)
    signedness = prop_def(SignednessKind)
    to = result_def(IntOrI4Tile)
    custom_directives = (SignednessKeyword, ConversionTypes)
    assembly_format = (
        "$from_ custom<SignednessKeyword>($signedness) attr-dict `:` "
        "custom<ConversionTypes>(type($from_), type($to))"
    )

    def verify_op(self) -> None:
        if element_bit_width(element_of(self.to)) <= element_bit_width(element_of(self.from_)):
            self.fail("extending to smaller or identical integer")


@tile_op
class TruncIOp(FromToConversion, FoldableInteger):
    """Narrows integers."""

    name = "cuda_tile.trunci"

    from_ = operand_def(IntOrI4Tile)
    overflow = prop_def(OverflowKind, default_value=OverflowAttr(Overflow.NONE))
    to = result_def(IntOrI4Tile)
    custom_directives = (OverflowClause, ConversionTypes)
    assembly_format = (
        "$from_ custom<OverflowClause>($overflow) attr-dict `:` "
        "custom<ConversionTypes>(type($from_), type($to))"
    )

    DEFAULTS: ClassVar = {"overflow": Overflow.NONE}

    def verify_op(self) -> None:
        if element_bit_width(element_of(self.to)) >= element_bit_width(element_of(self.from_)):
            self.fail("truncating to larger or identical integer")


_ALL_IEEE_MODES = (*IEEE_MODES, Rounding.NEAREST_AWAY)
_LOW_PRECISION = (
    Float8E4M3FNType,
    Float8E5M2Type,
    Float4E2M1FNType,
    FloatNV8E5M3FNUType,
)
_WIDENING: dict[type[Attribute], tuple[type[Attribute], ...]] = {
    Float16Type: (Float32Type, Float64Type, FloatTF32Type),
    BFloat16Type: (Float32Type, Float64Type, FloatTF32Type),
    FloatTF32Type: (Float32Type, Float64Type),
    Float32Type: (Float64Type,),
    Float64Type: (),
    Float8E4M3FNType: (Float16Type, BFloat16Type, FloatTF32Type, Float32Type, Float64Type),
    Float8E5M2Type: (Float16Type, BFloat16Type, FloatTF32Type, Float32Type, Float64Type),
    Float8E8M0FNUType: (Float64Type,),
    Float4E2M1FNType: (Float16Type, BFloat16Type, FloatTF32Type, Float32Type, Float64Type),
    FloatNV8E5M3FNUType: (BFloat16Type, FloatTF32Type, Float32Type, Float64Type),
}
"""Targets that hold every value of a source, as the 13.4 tools count them."""


@tile_op
class FToFOp(FromToConversion):
    """Converts between floating-point types; the modes allowed depend on both."""

    name = "cuda_tile.ftof"

    from_ = operand_def(FloatTile)
    rounding_mode = prop_def(RoundingKind, default_value=RoundingAttr(Rounding.NEAREST_EVEN))
    to = result_def(FloatTile)
    custom_directives = (RoundingClause, ConversionTypes)
    assembly_format = (
        "$from_ custom<RoundingClause>($rounding_mode) attr-dict `:` "
        "custom<ConversionTypes>(type($from_), type($to))"
    )
    ROUNDING_MODES: ClassVar = _ALL_IEEE_MODES
    ROUNDING_DEFAULT: ClassVar = Rounding.NEAREST_EVEN
    ROUNDING_PARSER_IS_STRICT: ClassVar = True

    DEFAULTS: ClassVar = {"rounding_mode": Rounding.NEAREST_EVEN}

    def verify_op(self) -> None:
        source, target = element_of(self.from_), element_of(self.to)
        if source == target:
            self.fail("converting tiles must not be a no-op")
        allowed, reason = self._allowed_modes(source, target)
        if self.rounding_mode.data not in allowed:
            self.fail(f"invalid rounding mode specified{reason}")

    @staticmethod
    def _allowed_modes(source: Attribute, target: Attribute) -> tuple[tuple[Rounding, ...], str]:
        nearest, zero = Rounding.NEAREST_EVEN, Rounding.ZERO
        if isinstance(target, Float8E8M0FNUType):
            return (zero, Rounding.POSITIVE_INF), (
                " for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported"
            )
        if isinstance(target, _LOW_PRECISION):
            return (nearest,), (
                " for conversion to low-precision type. Only 'nearest_even' is supported"
            )
        if isinstance(target, _WIDENING[type(source)]):
            return _ALL_IEEE_MODES, (
                " for widening conversion. Only IEEE float rounding modes are supported: "
                "'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'"
            )
        if isinstance(source, Float64Type) and isinstance(target, Float32Type):
            return IEEE_MODES, (
                " for conversion from f64 to f32. Only 'nearest_even', 'zero', "
                "'negative_inf', and 'positive_inf' are supported"
            )
        if isinstance(source, Float32Type) and isinstance(target, FloatTF32Type):
            return (nearest, zero, Rounding.NEAREST_AWAY), (
                " for conversion from f32 to tf32. Only 'nearest_even', 'zero', and "
                "'nearest_away' are supported"
            )
        return (nearest, zero), (
            ". Only 'nearest_even' and 'zero' are supported for narrowing conversions to "
            "standard types"
        )


@tile_op
class FToIOp(FromToConversion):
    """
    Rounds floats towards zero to integers. Values out of range are undefined, or clamped
    with `saturating` (13.4).
    """

    name = "cuda_tile.ftoi"

    from_ = operand_def(FloatTile)
    signedness = prop_def(SignednessKind)
    rounding_mode = prop_def(RoundingKind)
    saturating = opt_prop_def(UnitKind)
    to = result_def(IntTile)
    custom_directives = (SignednessKeyword, RoundingClause, ConversionTypes)
    assembly_format = (
        "$from_ custom<SignednessKeyword>($signedness) custom<RoundingClause>($rounding_mode) "
        "(`saturating` $saturating^)? attr-dict `:` "
        "custom<ConversionTypes>(type($from_), type($to))"
    )
    ROUNDING_MODES: ClassVar = (Rounding.NEAREST_INT_TO_ZERO,)
    ROUNDING_DEFAULT: ClassVar = Rounding.NEAREST_INT_TO_ZERO
    ROUNDING_PARSER_IS_STRICT: ClassVar = True

    DEFAULTS: ClassVar = {"rounding_mode": Rounding.NEAREST_INT_TO_ZERO}

    def verify_op(self) -> None:
        if self.rounding_mode != RoundingAttr(Rounding.NEAREST_INT_TO_ZERO):
            self.fail("invalid rounding mode specified. Only 'nearest_int_to_zero' is supported")


@tile_op
class IToFOp(FromToConversion):
    """Converts integers to floats, to nearest even."""

    name = "cuda_tile.itof"

    from_ = operand_def(IntTile)
    signedness = prop_def(SignednessKind)
    rounding_mode = prop_def(RoundingKind)
    to = result_def(FloatTile)
    custom_directives = (SignednessKeyword, RoundingClause, ConversionTypes)
    assembly_format = (
        "$from_ custom<SignednessKeyword>($signedness) custom<RoundingClause>($rounding_mode) "
        "attr-dict `:` custom<ConversionTypes>(type($from_), type($to))"
    )
    ROUNDING_MODES: ClassVar = IEEE_MODES
    ROUNDING_DEFAULT: ClassVar = Rounding.NEAREST_EVEN
    ROUNDING_PARSER_IS_STRICT: ClassVar = True

    DEFAULTS: ClassVar = {"rounding_mode": Rounding.NEAREST_EVEN}

    def verify_op(self) -> None:
        if isinstance(element_of(self.to), Float8E8M0FNUType):
            self.fail(
                "integer to f8E8M0FNU conversion is not supported, please first convert to "
                "another float type"
            )
        if self.rounding_mode != RoundingAttr(Rounding.NEAREST_EVEN):
            self.fail("invalid rounding mode specified. Only 'nearest_even' is supported")
