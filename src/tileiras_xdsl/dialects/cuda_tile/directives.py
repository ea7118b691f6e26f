"""Custom directives: the pieces of syntax the declarative format cannot say by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i1, i32, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from .attributes import AssumePredicate, parse_assume_predicate
from .elements import DenseElementsAttr, parse_literal
from .enums import (
    CodedEnum,
    CodedEnumAttr,
    ComparisonOrdering,
    ComparisonOrderingAttr,
    ComparisonPredicate,
    ComparisonPredicateAttr,
    Overflow,
    OverflowAttr,
    Rounding,
    RoundingAttr,
    Signedness,
    SignednessAttr,
)
from .printing import is_public
from .types import TileType


def _parse_keyword(parser: Parser, enum_type: type[CodedEnum], message: str) -> CodedEnum:
    position = parser.pos
    word = parser.parse_optional_identifier()
    if word is None or word not in tuple(enum_type):
        got = "" if word is None else f", got: '{word}'"
        parser.raise_error(f"{message}{got}", position)
    return enum_type(word)


class KeywordDirective(CustomDirective):
    """An enum property written as its bare keyword."""

    attribute: AttributeVariable
    ATTR_CLASS: ClassVar[type[CodedEnumAttr[CodedEnum]]]
    ENUM_TYPE: ClassVar[type[CodedEnum]]
    MESSAGE: ClassVar[str]

    def parse(self, parser: Parser, state: ParsingState) -> None:
        word = _parse_keyword(parser, self.ENUM_TYPE, self.MESSAGE)
        self.attribute.set(state, self.ATTR_CLASS(word))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.attribute.get(op)
        assert isinstance(attribute, CodedEnumAttr)
        state.print_whitespace(printer)
        printer.print_string(attribute.data.value)


@irdl_custom_directive
class SignednessKeyword(KeywordDirective):
    """`signed` or `unsigned`."""

    attribute: AttributeVariable
    ATTR_CLASS: ClassVar = SignednessAttr
    ENUM_TYPE: ClassVar = Signedness
    MESSAGE: ClassVar[str] = "expected signedness to be one of: {'signed', 'unsigned'}"


@irdl_custom_directive
class PredicateDirective(KeywordDirective):
    """The relation of a comparison."""

    attribute: AttributeVariable
    ATTR_CLASS: ClassVar = ComparisonPredicateAttr
    ENUM_TYPE: ClassVar = ComparisonPredicate
    MESSAGE: ClassVar[str] = (
        "expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', "
        "'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}"
    )


@irdl_custom_directive
class OrderingDirective(KeywordDirective):
    """`ordered` or `unordered`."""

    attribute: AttributeVariable
    ATTR_CLASS: ClassVar = ComparisonOrderingAttr
    ENUM_TYPE: ClassVar = ComparisonOrdering
    MESSAGE: ClassVar[str] = "expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}"


@irdl_custom_directive
class OverflowClause(CustomDirective):
    """`overflow<no_wrap>`; absent means `none`."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        flag = Overflow.NONE
        if parser.parse_optional_keyword("overflow") is not None:
            with parser.in_angle_brackets():
                word = _parse_keyword(
                    parser,
                    Overflow,
                    "expected overflow to be one of: {'none', 'no_signed_wrap', "
                    "'no_unsigned_wrap', 'no_wrap'}",
                )
            flag = Overflow(word)
        self.attribute.set(state, OverflowAttr(flag))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.attribute.get(op)
        assert isinstance(attribute, OverflowAttr)
        if attribute.data is not Overflow.NONE:
            state.print_whitespace(printer)
            printer.print_string(f"overflow<{attribute.data.value}>")


class HasRounding(Protocol):
    """An op with a `rounding<…>` clause."""

    ROUNDING_MODES: ClassVar[tuple[Rounding, ...]]
    """Modes the parser names when it meets an unknown one."""
    ROUNDING_DEFAULT: ClassVar[Rounding]
    """The mode of the text form without the clause."""
    ROUNDING_PARSER_IS_STRICT: ClassVar[bool]
    """Whether the parser already rejects modes that are not in `ROUNDING_MODES`."""


@irdl_custom_directive
class RoundingClause(CustomDirective):
    """`rounding<zero>`; absent means the op's `ROUNDING_DEFAULT`."""

    attribute: AttributeVariable
    LEAVES_SPACE: ClassVar[bool] = True
    """Whether NVIDIA's printer leaves the space that would have come before the clause."""

    def parse(self, parser: Parser, state: ParsingState) -> None:
        op_type = cast("type[HasRounding]", state.op_type)
        mode = op_type.ROUNDING_DEFAULT
        if parser.parse_optional_keyword("rounding") is not None:
            with parser.in_angle_brackets():
                mode = self._parse_mode(parser, op_type)
        self.attribute.set(state, RoundingAttr(mode))

    @staticmethod
    def _parse_mode(parser: Parser, op_type: type[HasRounding]) -> Rounding:
        position = parser.pos
        word = parser.parse_identifier(" as rounding mode")
        accepted = op_type.ROUNDING_MODES if op_type.ROUNDING_PARSER_IS_STRICT else tuple(Rounding)
        if word not in accepted:
            away = Rounding.NEAREST_AWAY
            expected = ", ".join(f"'{mode}'" for mode in op_type.ROUNDING_MODES if mode != away)
            since_13_4 = f" (since 13.4 also '{away}')" if away in op_type.ROUNDING_MODES else ""
            parser.raise_error(
                f"expected rounding mode to be one of: {expected}, got: '{word}'{since_13_4}",
                position,
            )
        return Rounding(word)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.attribute.get(op)
        assert isinstance(attribute, RoundingAttr)
        if attribute.data is not cast(HasRounding, op).ROUNDING_DEFAULT:
            state.print_whitespace(printer)
            printer.print_string(f"rounding<{attribute.data.value}>")
        elif is_public(printer) and self.LEAVES_SPACE:
            printer.print_string(" ")


@irdl_custom_directive
class TightRoundingClause(RoundingClause):
    """The clause of `divi`, which leaves nothing behind."""

    attribute: AttributeVariable
    LEAVES_SPACE: ClassVar = False


@irdl_custom_directive
class FloatFlags(CustomDirective):
    """`flush_to_zero` and `propagate_nan`, in any order; printed in that order."""

    flush_to_zero: AttributeVariable
    propagate_nan: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        from xdsl.dialects.builtin import UnitAttr

        flags = {"flush_to_zero": self.flush_to_zero, "propagate_nan": self.propagate_nan}
        while flags:
            for word, attribute in flags.items():
                if parser.parse_optional_keyword(word) is not None:
                    attribute.set(state, UnitAttr())
                    del flags[word]
                    break
            else:
                return

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for attribute in (self.flush_to_zero, self.propagate_nan):
            if attribute.get(op) is not None:
                state.print_whitespace(printer)
                printer.print_string(attribute.name)


@irdl_custom_directive
class ConversionTypes(CustomDirective):
    """`T -> U`; `T to U`, as MLIR's `arith` writes conversions, is accepted too."""

    source: TypeDirective
    target: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.source.set(state, (parser.parse_type(),))
        if parser.parse_optional_keyword("to") is None:
            parser.parse_punctuation("->")
        self.target.set(state, (parser.parse_type(),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_attribute(self.source.get(op)[0])
        printer.print_string(" -> ")
        printer.print_attribute(self.target.get(op)[0])


@irdl_custom_directive
class DenseLiteralAndType(CustomDirective):
    """`<f32: [1.0, 2.0]> : tile<2xf32>`."""

    value: AttributeVariable
    type: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        value = parse_dense_literal_and_type(parser)
        self.value.set(state, value)
        self.type.set(state, (value.type,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        value = self.value.get(op)
        assert isinstance(value, DenseElementsAttr)
        state.print_whitespace(printer)
        print_dense_literal_and_type(printer, value)


def parse_dense_literal_and_type(parser: Parser) -> DenseElementsAttr:
    """Parses `<elem: values> : T`."""
    with parser.in_angle_brackets():
        literal = parse_literal(parser)
    parser.parse_punctuation(":")
    position = parser.pos
    ty = parser.parse_type()
    if not isinstance(ty, TileType):
        parser.raise_error(
            "result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or "
            "f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, "
            f"but got '{ty}'",
            position,
        )
    return literal.resolve(parser, ty)


def print_dense_literal_and_type(printer: Printer, value: DenseElementsAttr) -> None:
    """Prints `<elem: values> : T`."""
    with printer.in_angle_brackets():
        value.print_literal(printer)
    printer.print_string(" : ")
    printer.print_attribute(value.type)


@irdl_custom_directive
class AssumePredicateClause(CustomDirective):
    """`div_by<16>` without its prefix."""

    predicate: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.predicate.set(state, parse_assume_predicate(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        predicate = self.predicate.get(op)
        assert isinstance(predicate, AssumePredicate)
        state.print_whitespace(printer)
        printer.print_string(predicate.name.split(".", 1)[1])
        predicate.print_parameter(printer)


@irdl_custom_directive
class Permutation(CustomDirective):
    """`[2, 0, 1]`, an array of `i32`."""

    permutation: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        values = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_sized_integer(parser, 32)
        )
        self.permutation.set(state, DenseArrayBase.from_list(i32, values))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        permutation = self.permutation.get(op)
        assert isinstance(permutation, DenseArrayBase)
        values = array_values(permutation)
        state.print_whitespace(printer)
        printer.print_string(f"[{', '.join(map(str, values))}]")


def parse_sized_integer(parser: Parser, width: int) -> int:
    """An integer that fits the signed range of `width` bits."""
    position = parser.pos
    value = parser.parse_integer(allow_boolean=False)
    if not -(1 << (width - 1)) <= value < 1 << (width - 1):
        parser.raise_error("integer constant out of range for attribute", position)
    return value


@irdl_custom_directive
class ScalarI32Indices(CustomDirective):
    """`[%i, %j]`, possibly empty; the indices are `tile<i32>`, so their types are not shown."""

    indices: VariadicOperandVariable
    types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        self.indices.set(state, indices)
        self.types.set(state, (TileType(i32),) * len(indices))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        with printer.in_square_brackets():
            printer.print_list(self.indices.get(op), printer.print_operand)
        state.should_emit_space = True
        state.last_was_punctuation = False


@irdl_custom_directive
class TypeOnce(CustomDirective):
    """One type for several results (`get_tile_block_id : tile<i32>`)."""

    first: TypeDirective
    second: TypeDirective
    third: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        ty = parser.parse_type()
        for directive in (self.first, self.second, self.third):
            directive.set(state, (ty,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_attribute(self.first.get(op)[0])


@irdl_custom_directive
class ViewOperandType(CustomDirective):
    """The type of a view; its tensor view is the operand's type."""

    tensor_view: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        from .types import TileViewType

        position = parser.pos
        ty = parser.parse_type()
        expected = cast("type[HasViewName]", state.op_type).VIEW_NAME
        if not isinstance(ty, TileViewType) or not ty.name.endswith(f".{expected}"):
            parser.raise_error(f"expected '{expected}' type, but got '{ty}'", position)
        self.result.set(state, (ty,))
        self.tensor_view.set(state, (ty.tensor_view,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_attribute(self.result.get(op)[0])


class HasViewName(Protocol):
    """An op that makes a view of one kind."""

    VIEW_NAME: ClassVar[str]


def array_values(array: DenseArrayBase) -> tuple[int, ...]:
    """The integers of a dense array."""
    return tuple(cast("DenseArrayBase[IntegerType]", array).get_values())


def bool_array(values: Sequence[bool]) -> DenseArrayBase:
    """`array<i1: …>`."""
    return DenseArrayBase.from_list(i1, [int(value) for value in values])


def i64_attr(value: int) -> Attribute:
    """An `i64` attribute."""
    return IntegerAttr(value, i64)


@irdl_custom_directive
class I64Keyword(CustomDirective):
    """The number of an `i64` property."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.attribute.set(state, i64_attr(parse_sized_integer(parser, 64)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.attribute.get(op)
        assert isinstance(attribute, IntegerAttr)
        state.print_whitespace(printer)
        printer.print_string(str(attribute.value.data))
