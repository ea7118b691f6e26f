"""`reduce` and `scan`: a pure body combines elements along one dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    Float16Type,
    FloatAttr,
    IntegerAttr,
    NoneType,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect, is_side_effect_free
from xdsl.utils.exceptions import VerifyException

from . import printing
from .base import AnyTile, BoolAttr, CudaTileOperation, NonNegativeI32Attr, attribute_of, tile_op
from .control_flow import YieldOp
from .directives import parse_sized_integer
from .elements import float_to_bits, format_float
from .memory import parse_attributes
from .shape import tile_type
from .types import TileType, element_name

ArrayKind = attribute_of("array attribute", ArrayAttr)


def parse_identities(parser: Parser) -> ArrayAttr:
    """`identities=[0.0 : f32, …]`."""
    parser.parse_keyword("identities")
    parser.parse_punctuation("=")
    return ArrayAttr(
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
    )


def print_scalar(printer: Printer, attribute: Attribute) -> None:
    """
    A typed scalar. MLIR, and so the public text, leaves out `: i64`, and `: f64` after a
    decimal number.
    """
    if isinstance(attribute, FloatAttr):
        text = format_float(float_to_bits(attribute.value.data, attribute.type), attribute.type)
        printer.print_string(text)
        if printing.is_public(printer) and attribute.type == f64 and not text.startswith("0x"):
            return
        printer.print_string(" : ")
        printer.print_attribute(attribute.type)
    elif (
        isinstance(attribute, IntegerAttr) and attribute.type == i64 and printing.is_public(printer)
    ):
        printer.print_string(str(attribute.value.data))
    else:
        printer.print_attribute(attribute)


class AggregateOperation(CudaTileOperation):
    """
    Syntax, parsing and checks of `reduce` and `scan`. A form with
    `{axis = 1 : i32}`, arguments in a block header and no identities is accepted as well.
    """

    operands_ = var_operand_def(AnyTile)
    dim = prop_def(NonNegativeI32Attr)
    identities = opt_prop_def(ArrayKind)
    results_ = var_result_def(AnyTile)
    body = region_def()

    REGION_NAMES: ClassVar = ("body",)
    traits = traits_def(RecursiveMemoryEffect())

    def get_dim(self) -> int:
        return self.dim.value.data

    def public_gap(self) -> str | None:
        return "missing identities" if self.identities is None else None

    def operand_tiles(self) -> list[TileType]:
        return [tile_type(operand) for operand in self.operands]

    @classmethod
    def parse(cls, parser: Parser) -> AggregateOperation:
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parse_attributes(parser, ("dim", "identities"))
        properties: dict[str, Attribute] = {}
        if (axis := attributes.pop("axis", None)) is not None:
            properties["dim"] = axis
        elif parser.parse_optional_keyword("dim") is not None:
            parser.parse_punctuation("=")
            properties["dim"] = IntegerAttr(parse_sized_integer(parser, 32), i32)
        cls.parse_flags(parser, properties, attributes)
        if parser._current_token.text == "identities":  # pyright: ignore[reportPrivateUsage]
            properties["identities"] = parse_identities(parser)
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation("->")
        result_types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        values = parser.resolve_operands(operands or (), types, position)
        if parser._current_token.text == "(":  # pyright: ignore[reportPrivateUsage]
            body = printing.parse_body(parser, printing.parse_arguments(parser))
        else:
            body = parser.parse_region()
        return cls.create(
            operands=values,
            result_types=result_types,
            properties=properties,
            attributes=attributes,
            regions=[body],
        )

    @classmethod
    def parse_flags(
        cls, parser: Parser, properties: dict[str, Attribute], attributes: dict[str, Attribute]
    ) -> None:
        """Parses what stands between `dim` and `identities`."""

    def print_flags(self, printer: Printer) -> None:
        """Prints what stands between `dim` and `identities`."""

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" dim={self.get_dim()}")
        self.print_flags(printer)
        if isinstance(self.identities, ArrayAttr):
            printer.print_string(" identities=[")
            printer.print_list(self.identities.data, lambda value: print_scalar(printer, value))
            printer.print_string("]")
        printer.print_string(" : ")
        printer.print_list([value.type for value in self.operands], printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_list(self.result_types, printer.print_attribute)
        printer.print_string(" \n" if printing.is_public(printer) else " ")
        printing.print_arguments(printer, self.body.block.args)
        printer.print_string(" ")
        printing.print_body(printer, self.body, "body")

    def verify_op(self) -> None:
        tiles = self.operand_tiles()
        if not tiles:
            self.fail("expected 1 or more operands, but found 0")
        if len({tile.shape for tile in tiles}) > 1:
            self.fail("requires the same shape for all operands")
        if len(self.results) != len(tiles):
            self.fail("expect same number of operands and results")
        self._verify_identities(tiles)
        rank = tiles[0].rank
        if self.get_dim() >= rank:
            self.fail(f"dimension ({self.get_dim()}) is out of bound [0, {rank})")

    def _verify_identities(self, tiles: Sequence[TileType]) -> None:
        if not isinstance(self.identities, ArrayAttr):
            return
        identities = self.identities.data
        if len(identities) != len(tiles):
            self.fail(
                f"expect identities to match the number of operands but got: {len(tiles)} "
                f"operands and {len(identities)} identities"
            )
        for index, (tile, identity) in enumerate(zip(tiles, identities, strict=True)):
            found: Attribute = NoneType()
            if isinstance(identity, FloatAttr | IntegerAttr):
                found = identity.type  # pyright: ignore[reportUnknownMemberType]
            if found == tile.element_type or _both_half(found, tile.element_type):
                continue
            self.fail(
                f"expect same type for operand at index: {index} and identity at index: {index} "
                f"but got: '{element_name(tile.element_type)}' and '{element_name(found)}'"
            )

    def _verify_arguments(self, tiles: Sequence[TileType], block: Block) -> None:
        expected = 2 * len(tiles)
        if len(block.args) != expected:
            self.fail(f"expect {expected} block arguments but got: {len(block.args)}")
        for index, argument in enumerate(block.args):
            if not isinstance(argument.type, TileType) or argument.type.rank:
                self.fail(f"expect 0-rank tile type at index: {index} but got: '{argument.type}'")
        for index, tile in enumerate(tiles):
            first, second = (
                tile_type(argument).element_type
                for argument in block.args[2 * index : 2 * index + 2]
            )
            if first != second:
                self.fail(
                    f"expect same element type for block argument at index: {2 * index} and "
                    f"{2 * index + 1} but got: '{element_name(first)}' and "
                    f"'{element_name(second)}'"
                )
            if first != tile.element_type:
                self.fail(
                    f"expect same type for operand at index: {index} and block argument at "
                    f"index: {2 * index} but got: '{element_name(tile.element_type)}' and "
                    f"'{element_name(first)}'"
                )

    def _verify_terminator(self, tiles: Sequence[TileType], block: Block) -> None:
        terminator = block.last_op
        if not isinstance(terminator, YieldOp):
            self.fail("body must end in yield")
        yielded = terminator.operands
        if len(yielded) != len(tiles):
            self.fail(
                f"expect number of terminators operands ({len(yielded)}) to match number of "
                f"operands ({len(tiles)})"
            )
        for index, (tile, value) in enumerate(zip(tiles, yielded, strict=True)):
            found = value.type.element_type if isinstance(value.type, TileType) else value.type
            if found != tile.element_type:
                self.fail(
                    f"expect same type for operand at index: {index} and terminator argument at "
                    f"index: {index} but got: '{element_name(tile.element_type)}' and "
                    f"'{element_name(found)}'"
                )

    def verify_regions_(self) -> None:
        tiles, block = self.operand_tiles(), self.body.block
        self._verify_arguments(tiles, block)
        self._verify_terminator(tiles, block)
        self._verify_effects()

    def _verify_effects(self) -> None:
        for op in self.body.walk():
            if op.has_trait(RecursiveMemoryEffect, value_if_unregistered=False):
                continue  # whatever has an effect is inside it
            if not is_side_effect_free(op):
                # 13.3 asks for pure ops, 13.4 for memory-effect-free ones.
                op.emit_error(
                    "Operation does not verify",
                    VerifyException(
                        f"'{op.name}' op only memory-effect-free operations are allowed inside "
                        f"'{self.name}' (only pure operations are allowed inside '{self.name}')"
                    ),
                )


def _both_half(first: Attribute, second: Attribute) -> bool:
    """The public verifier does not tell f16 and bf16 identities apart."""
    half = (Float16Type, BFloat16Type)
    return isinstance(first, half) and isinstance(second, half)


@tile_op
class ReduceOp(AggregateOperation):
    """
    Combines all elements along `dim`, in no particular order, to tiles without it. The body
    takes an element and an accumulator for each operand.
    """

    name = "cuda_tile.reduce"
    RESULT_HINTS: ClassVar = ("reduce",)
    DEFAULT_HINT: ClassVar = "red"

    def __init__(
        self,
        operands: Sequence[SSAValue],
        dim: int,
        identities: Sequence[Attribute] | None,
        body: Region,
    ):
        types = [
            tile.with_shape((*tile.get_shape()[:dim], *tile.get_shape()[dim + 1 :]))
            for tile in map(tile_type, operands)
        ]
        super().__init__(
            operands=[operands],
            result_types=[types],
            properties={
                "dim": IntegerAttr(dim, i32),
                "identities": None if identities is None else ArrayAttr(identities),
            },
            regions=[body],
        )

    def verify_regions_(self) -> None:
        dim = self.get_dim()
        expected = [
            tile.with_shape((*tile.get_shape()[:dim], *tile.get_shape()[dim + 1 :]))
            for tile in self.operand_tiles()
        ]
        if list(self.result_types) != expected:
            self.fail(
                f"inferred type(s) {printing.format_types(expected)} are incompatible with return "
                f"type(s) of operation {printing.format_types(self.result_types)}"
            )
        super().verify_regions_()


@tile_op
class ScanOp(AggregateOperation):
    """
    Inclusive prefix combination along `dim`, from the last index with `reverse`. The body
    takes an accumulator and an element for each operand.
    """

    name = "cuda_tile.scan"

    reverse = prop_def(BoolAttr, default_value=IntegerAttr.from_bool(False))

    def __init__(
        self,
        operands: Sequence[SSAValue],
        dim: int,
        identities: Sequence[Attribute] | None,
        body: Region,
        *,
        reverse: bool = False,
    ):
        super().__init__(
            operands=[operands],
            result_types=[[operand.type for operand in operands]],
            properties={
                "dim": IntegerAttr(dim, i32),
                "reverse": IntegerAttr.from_bool(reverse),
                "identities": None if identities is None else ArrayAttr(identities),
            },
            regions=[body],
        )

    @property
    def is_reverse(self) -> bool:
        return bool(self.reverse.value.data)

    @classmethod
    def parse_flags(
        cls, parser: Parser, properties: dict[str, Attribute], attributes: dict[str, Attribute]
    ) -> None:
        if (reverse := attributes.pop("reverse", None)) is not None:
            properties["reverse"] = reverse
        elif parser.parse_optional_keyword("reverse") is not None:
            parser.parse_punctuation("=")
            properties["reverse"] = IntegerAttr.from_bool(parser.parse_boolean())

    def print_flags(self, printer: Printer) -> None:
        printer.print_string(f" reverse={'true' if self.is_reverse else 'false'}")

    def verify_op(self) -> None:
        super().verify_op()
        pairs = zip(self.operand_tiles(), self.result_types, strict=True)
        for index, (tile, result) in enumerate(pairs):
            if tile != result:
                self.fail(
                    f"expect same type for operand at index: {index} and result at index: {index}"
                )
