"""
Tokens, memory access through pointer tiles, atomics and `print`.

The suffix `_tko` says that an op is ordered by tokens: its effect comes after those of the
ops its token depends on, and before nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypeVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure

from tileiras_xdsl.dialects.building import TypeOf

from .attributes import OptimizationHintsAttr
from .base import (
    AnyTile,
    CudaTileOperation,
    I1Tile,
    I32Attr,
    NonNegativeI64Attr,
    NumberTile,
    OrderedEffects,
    PtrScalar,
    PtrTile,
    StrAttr,
    Token,
    attribute_of,
    same_shape,
    same_type,
    tile_op,
)
from .directives import I64Keyword
from .elements import element_bit_width
from .enums import AtomicMode, MemoryOrdering, MemoryScope, NamedInt
from .floating import UnitKind
from .printing import is_public
from .shape import tile_type
from .types import TOKEN, PtrType, TileType, element_name, is_power_of_two

HintsKind = attribute_of("Optimization hints attribute", OptimizationHintsAttr)

NamedIntT = TypeVar("NamedIntT", bound=NamedInt)

SCOPE_ALIASES = {"device": MemoryScope.GPU}


def i32_attr(value: int) -> IntegerAttr:
    """An `i32` attribute."""
    return IntegerAttr(value, i32)


def named_value(attribute: Attribute | None, names: type[NamedIntT]) -> NamedIntT | None:
    """The named value of an `i32` attribute; `None` if absent or not one of the names."""
    if not isinstance(attribute, IntegerAttr):
        return None
    value = attribute.value.data
    return names(value) if value in set(names) else None


class TokenOrderedOperation(CudaTileOperation):
    """Ordering and scope of an access, and the pieces of syntax that show them."""

    traits = traits_def(OrderedEffects())

    RESERVED: ClassVar[tuple[str, ...]] = (
        "memory_ordering_semantics",
        "memory_scope",
        "operandSegmentSizes",
        "mode",
        "optimization_hints",
        "token",
    )
    """Attributes that keywords, operands or clauses show: never in the dictionary as well."""

    @property
    def ordering(self) -> MemoryOrdering:
        """The memory ordering; `weak` for an access that states none."""
        value = named_value(self.properties.get("memory_ordering_semantics"), MemoryOrdering)
        return MemoryOrdering.WEAK if value is None else value

    @property
    def scope(self) -> MemoryScope | None:
        return named_value(self.properties.get("memory_scope"), MemoryScope)

    def public_gap(self) -> str | None:
        if self.ordering is MemoryOrdering.SEQ_CST:
            return "memory ordering 'seq_cst'"
        if self.scope is MemoryScope.CLUSTER:
            return "memory scope 'cluster'"
        if named_value(self.properties.get("mode"), AtomicMode) is AtomicMode.ADDU:
            return "mode 'addu'"
        return None

    def verify_named(self, name: str, names: type[NamedInt]) -> None:
        """An `i32` outside the named values is not an ordering, a scope or a mode."""
        attribute = self.properties.get(name)
        if attribute is not None and named_value(attribute, names) is None:
            words = ", ".join(names.keywords())
            self.fail(
                f"attribute '{name}' failed to satisfy constraint: 32-bit signless integer "
                f"attribute with one of the values {words}"
            )

    def verify_access(self, kind: str, last: MemoryOrdering) -> None:
        """Orderings and scope of a load (`last` = acquire) or store (release)."""
        self.verify_named("memory_ordering_semantics", MemoryOrdering)
        self.verify_named("memory_scope", MemoryScope)
        ordering = self.ordering
        if ordering not in (MemoryOrdering.WEAK, MemoryOrdering.RELAXED, last):
            self.fail(
                f"expect one of: weak, relaxed, or {last.keyword}, but got: {ordering.keyword}"
            )
        if ordering is MemoryOrdering.WEAK:
            if self.scope is not None:
                self.fail(f"weak {kind} must not have memory scope")
        elif self.scope is None:
            self.fail(f"memory scope is required for {ordering.keyword} {kind}")

    def verify_atomic_ordering(self) -> None:
        self.verify_named("memory_ordering_semantics", MemoryOrdering)
        self.verify_named("memory_scope", MemoryScope)
        if self.ordering is MemoryOrdering.WEAK:
            self.fail(
                "memory ordering semantics must be one of: relaxed, acquire, release, acq_rel"
            )

    def print_ordering(self, printer: Printer) -> None:
        """` acquire gpu`."""
        printer.print_string(f" {self.ordering.keyword}")
        if (scope := self.scope) is not None:
            public = is_public(printer) and scope is MemoryScope.GPU
            printer.print_string(" device" if public else f" {scope.keyword}")

    def print_token(self, printer: Printer, token: SSAValue | None) -> None:
        """` token=%t`."""
        if token is not None:
            printer.print_string(" token=")
            printer.print_operand(token)

    def print_hints(self, printer: Printer) -> None:
        """` optimization_hints = <…>`."""
        hints = self.properties.get("optimization_hints")
        if isinstance(hints, OptimizationHintsAttr):
            printer.print_string(" optimization_hints = ")
            hints.print_parameters(printer)

    def print_types(self, printer: Printer, values: Iterable[SSAValue | None]) -> None:
        """` : T, U -> V`, of the values that are present and of the results."""
        printer.print_string(" : ")
        printer.print_list(
            [value.type for value in values if value is not None], printer.print_attribute
        )
        printer.print_string(" -> ")
        printer.print_list(self.result_types, printer.print_attribute)


def _parse_word(
    parser: Parser, names: type[NamedIntT], aliases: dict[str, NamedIntT], message: str
) -> NamedIntT:
    position = parser.pos
    word = parser.parse_optional_identifier() or parser.parse_optional_str_literal()
    if word is None:
        parser.raise_error(message, position)
    values = names.keywords() | aliases
    if word not in values:
        parser.raise_error(f"{message}, got: '{word}'", position)
    return values[word]


def parse_ordering(
    parser: Parser,
    message: str = (
        "expected string or keyword containing one of the following enum values for attribute "
        "'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]"
    ),
) -> dict[str, Attribute]:
    """The keyword of the memory ordering."""
    value = _parse_word(parser, MemoryOrdering, {}, message)
    return {"memory_ordering_semantics": i32_attr(value)}


def parse_scope(
    parser: Parser,
    message: str = (
        "expected string or keyword containing one of the following enum values for attribute "
        "'memory_scope' [tl_blk, device, sys]"
    ),
) -> dict[str, Attribute]:
    """The keyword of the memory scope."""
    value = _parse_word(parser, MemoryScope, SCOPE_ALIASES, message)
    return {"memory_scope": i32_attr(value)}


def parse_optional_scope(parser: Parser) -> dict[str, Attribute]:
    """The keyword of the memory scope, unless an operand follows at once."""
    if parser._current_token.text.startswith("%"):  # pyright: ignore[reportPrivateUsage]
        return {}
    return parse_scope(parser)


def parse_mode(parser: Parser) -> dict[str, Attribute]:
    """The keyword of the atomic mode."""
    message = (
        "expected string or keyword containing one of the following enum values for attribute "
        "'mode' [and, or, xor, add, addf, max, min, umax, umin, xchg]"
    )
    return {"mode": i32_attr(_parse_word(parser, AtomicMode, {}, message))}


def parse_optional_token(parser: Parser) -> UnresolvedOperand | None:
    """`token=%t`, spaced as one likes."""
    if parser.parse_optional_keyword("token") is None:
        return None
    parser.parse_punctuation("=")
    return parser.parse_unresolved_operand()


def parse_optional_hints(parser: Parser) -> dict[str, Attribute]:
    """`optimization_hints = <…>`."""
    if parser.parse_optional_keyword("optimization_hints") is None:
        return {}
    parser.parse_punctuation("=")
    return {
        "optimization_hints": OptimizationHintsAttr.new(
            OptimizationHintsAttr.parse_parameters(parser)
        )
    }


def parse_attributes(parser: Parser, reserved: Sequence[str]) -> dict[str, Attribute]:
    """The trailing dictionary, which may not name what the structured syntax shows."""
    position = parser.pos
    attributes = parser.parse_optional_attr_dict()
    for name in reserved:
        if name in attributes:
            parser.raise_error(
                f"attribute '{name}' is already given by the structured syntax", position
            )
    return attributes


def segments(*operands: Sequence[SSAValue]) -> DenseArrayBase:
    """`operandSegmentSizes` of these groups."""
    return DenseArrayBase.from_list(i32, [len(group) for group in operands])


def parse_operands(parser: Parser) -> list[UnresolvedOperand]:
    """`%a, %b, …`, at least one."""
    return parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)


def parse_operand_types(parser: Parser, operands: Sequence[UnresolvedOperand]) -> list[SSAValue]:
    """`: T, U, …`, one type for each operand."""
    parser.parse_punctuation(":")
    position = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return list(parser.resolve_operands(operands, types, position))


def parse_result_types(parser: Parser) -> list[Attribute]:
    """`-> T, token`."""
    parser.parse_punctuation("->")
    return list(parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type))


def resolve_token(parser: Parser, token: UnresolvedOperand | None) -> list[SSAValue]:
    """The token operand as a group of at most one."""
    return [] if token is None else [parser.resolve_operand(token, TOKEN)]


def is_mask(value: SSAValue) -> bool:
    """Whether an optional operand after the pointers is the mask, not the padding."""
    ty = value.type
    return isinstance(ty, TileType) and ty.element_type == IntegerType(1)


@tile_op
class MakeTokenOp(CudaTileOperation):
    """A token that depends on nothing."""

    name = "cuda_tile.make_token"

    result = result_def(Token)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"


@tile_op
class JoinTokensOp(CudaTileOperation):
    """A token that depends on all of its operands."""

    name = "cuda_tile.join_tokens"

    tokens = var_operand_def(Token)
    result = result_def(Token)
    traits = traits_def(Pure())
    assembly_format = "$tokens attr-dict `:` type($result)"

    def verify_op(self) -> None:
        if len(self.tokens) < 2:
            self.fail("expect two or more tokens")


@tile_op
class TokenJoinOp(CudaTileOperation):
    """
    Joins any number of tokens, `token.join [%a, %b]`. With two or more it parses to
    `join_tokens`, which takes no fewer.
    """

    name = "cuda_tile.token.join"

    tokens = var_operand_def(Token)
    result = result_def(Token)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        tokens = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        ty = parser.parse_type()
        op_class = cls if len(tokens) < 2 else JoinTokensOp
        return op_class.create(
            operands=[parser.resolve_operand(token, ty) for token in tokens],
            result_types=[ty],
            attributes=attributes,
        )

    def public_gap(self) -> str:
        return "a join of fewer than two tokens"

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_square_brackets():
            printer.print_list(self.tokens, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@tile_op
class MemoryFenceAliasOp(CudaTileOperation):
    """Orders accesses through aliasing views (13.4)."""

    name = "cuda_tile.memory_fence_alias_tko"

    token = operand_def(Token)
    result_token = result_def(Token)
    SINCE: ClassVar = "13.4"
    traits = traits_def(OrderedEffects())

    @classmethod
    def parse(cls, parser: Parser) -> MemoryFenceAliasOp:
        token = resolve_token(parser, parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        ty: Attribute = TOKEN
        if parser.parse_optional_punctuation("->") is not None:
            ty = parser.parse_type()
        return cls.create(operands=token, result_types=[ty], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.token)
        printer.print_op_attributes(self.attributes)
        if not is_public(printer):
            printer.print_string(" -> ")
            printer.print_attribute(self.result_token.type)


class GridDependencyOperation(CudaTileOperation):
    """Programmatic dependent launch (13.4): `gdc_wait_tko token = %t -> token`."""

    token = opt_operand_def(Token)
    result_token = result_def(Token)
    SINCE: ClassVar = "13.4"
    traits = traits_def(OrderedEffects())

    @classmethod
    def parse(cls, parser: Parser) -> GridDependencyOperation:
        token = parse_optional_token(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation("->")
        ty = parser.parse_type()
        return cls.create(
            operands=resolve_token(parser, token), result_types=[ty], attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        if self.token is not None:
            printer.print_string(" token = " if is_public(printer) else " token=")
            printer.print_operand(self.token)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" -> ")
        printer.print_attribute(self.result_token.type)


@tile_op
class GdcWaitOp(GridDependencyOperation):
    """Waits for the grids this one depends on."""

    name = "cuda_tile.gdc_wait_tko"


@tile_op
class GdcLaunchDependentsOp(GridDependencyOperation):
    """Lets the grids that depend on this one start."""

    name = "cuda_tile.gdc_launch_dependents_tko"


@tile_op
class AllocaOp(CudaTileOperation):
    """Memory of the tile block, or of the grid with `global` (13.3)."""

    name = "cuda_tile.alloca"

    num_elem = prop_def(NonNegativeI64Attr)
    alignment = prop_def(NonNegativeI64Attr)
    global_ = opt_prop_def(UnitKind, prop_name="global")
    result = result_def(PtrScalar)

    SINCE: ClassVar = "13.3"
    traits = traits_def(OrderedEffects())
    custom_directives = (I64Keyword,)
    assembly_format = (
        "`num_elem` `=` custom<I64Keyword>($num_elem) `,` `alignment` `=` "
        "custom<I64Keyword>($alignment) (`global` $global^)? attr-dict `:` type($result)"
    )

    def verify_op(self) -> None:
        alignment = self.alignment.value.data
        if not is_power_of_two(alignment):
            self.fail("'alignment' must be power of two")
        pointer = tile_type(self.result).element_type
        assert isinstance(pointer, PtrType)
        width = element_bit_width(pointer.pointee)
        natural = 1 if width == 1 else width // 8
        if alignment < natural:
            self.fail(
                f"'alignment' ({alignment}) must be at least the natural size ({natural} bytes) "
                f"for element type '{element_name(pointer.pointee)}'"
            )


def points_to(pointers: TileType, value: TileType) -> bool:
    """Whether `pointers` are pointers to elements like those of `value`, one for each."""
    pointer = pointers.element_type
    return (
        isinstance(pointer, PtrType)
        and pointer.pointee == value.element_type
        and pointers.shape == value.shape
    )


def _loaded_type(pointers: TileType) -> Attribute:
    assert isinstance(pointers.element_type, PtrType)
    return pointers.with_element(pointers.element_type.pointee)


@tile_op
class LoadPtrOp(TokenOrderedOperation):
    """
    Loads through a tile of pointers. Lanes whose mask is false load `padding_value`, or an
    unspecified value.

    A padding that reads like a mask, of type `i1` and without one, is printed as `padding=%x`.
    """

    name = "cuda_tile.load_ptr_tko"

    source = operand_def(PtrTile)
    mask = opt_operand_def(I1Tile)
    padding_value = opt_operand_def(NumberTile)
    token = opt_operand_def(Token)
    memory_ordering_semantics = prop_def(I32Attr)
    memory_scope = opt_prop_def(I32Attr)
    optimization_hints = opt_prop_def(HintsKind)
    result = result_def(AnyTile)
    result_token = result_def(Token)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RESULT_HINTS: ClassVar = ("result", "result_token")

    DEFAULTS: ClassVar = {
        "result_type": TypeOf("source", _loaded_type),
        "memory_ordering_semantics": MemoryOrdering.WEAK,
    }

    @classmethod
    def parse(cls, parser: Parser) -> LoadPtrOp:
        properties = parse_ordering(parser) | parse_optional_scope(parser)
        operands = parse_operands(parser)
        is_padding = parser.parse_optional_keyword("padding") is not None
        if is_padding:
            parser.parse_punctuation("=")
            operands.append(parser.parse_unresolved_operand())
        token = parse_optional_token(parser)
        properties |= parse_optional_hints(parser)
        attributes = parse_attributes(parser, cls.RESERVED)
        values = parse_operand_types(parser, operands)
        if len(values) > 3:
            parser.raise_error("expected at most a pointer, a mask and a padding value")
        result_types = parse_result_types(parser)
        optional = values[1:]
        mask = [
            value
            for value in optional[:1]
            if len(optional) == 2 or (is_mask(value) and not is_padding)
        ]
        groups = (values[:1], mask, optional[len(mask) :], resolve_token(parser, token))
        return build_access(cls, groups, result_types, properties, attributes)

    def print(self, printer: Printer) -> None:
        self.print_ordering(printer)
        printer.print_string(" ")
        values = [
            value for value in (self.source, self.mask, self.padding_value) if value is not None
        ]
        listed = len(values) - self._must_name_padding(printer)
        printer.print_list(values[:listed], printer.print_operand)
        for padding in values[listed:]:
            printer.print_string(" padding=")
            printer.print_operand(padding)
        self.print_token(printer, self.token)
        self.print_hints(printer)
        printer.print_op_attributes(self.attributes)
        self.print_types(printer, values)

    def _must_name_padding(self, printer: Printer) -> bool:
        padding = self.padding_value
        return (
            self.mask is None
            and padding is not None
            and is_mask(padding)
            and not is_public(printer)
        )

    def verify_op(self) -> None:
        source, result = tile_type(self.source), tile_type(self.result)
        if not points_to(source, result):
            self.fail(
                "failed to verify that `source` type is expected a pointer type of `result` type"
            )
        if self.mask is not None and tile_type(self.mask).shape != source.shape:
            self.fail("failed to verify that shape of 'mask' must match the shape of 'source'")
        if self.padding_value is not None and self.padding_value.type != result:
            self.fail(
                "failed to verify that type of 'paddingValue' must match the type of 'result'"
            )
        self.verify_access("load", MemoryOrdering.ACQUIRE)


OpT = TypeVar("OpT", bound=TokenOrderedOperation)


def build_access(
    op_class: type[OpT],
    groups: Sequence[Sequence[SSAValue]],
    result_types: Sequence[Attribute],
    properties: dict[str, Attribute],
    attributes: dict[str, Attribute],
) -> OpT:
    """Creates an op with segmented operands from parsed pieces."""
    return op_class.create(
        operands=[value for group in groups for value in group],
        result_types=result_types,
        properties=properties | {"operandSegmentSizes": segments(*groups)},
        attributes=attributes,
    )


@tile_op
class StorePtrOp(TokenOrderedOperation):
    """Stores through a tile of pointers, in the lanes whose mask is true."""

    name = "cuda_tile.store_ptr_tko"

    destination = operand_def(PtrTile)
    value = operand_def(AnyTile)
    mask = opt_operand_def(I1Tile)
    token = opt_operand_def(Token)
    memory_ordering_semantics = prop_def(I32Attr)
    memory_scope = opt_prop_def(I32Attr)
    optimization_hints = opt_prop_def(HintsKind)
    result_token = result_def(Token)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    DEFAULTS: ClassVar = {"memory_ordering_semantics": MemoryOrdering.WEAK}

    @classmethod
    def parse(cls, parser: Parser) -> StorePtrOp:
        properties = parse_ordering(parser) | parse_optional_scope(parser)
        operands = parse_operands(parser)
        token = parse_optional_token(parser)
        properties |= parse_optional_hints(parser)
        attributes = parse_attributes(parser, cls.RESERVED)
        values = parse_operand_types(parser, operands)
        if len(values) not in (2, 3):
            parser.raise_error("expected a pointer, a value and at most a mask")
        result_types = parse_result_types(parser)
        groups = (values[:1], values[1:2], values[2:], resolve_token(parser, token))
        return build_access(cls, groups, result_types, properties, attributes)

    def print(self, printer: Printer) -> None:
        self.print_ordering(printer)
        printer.print_string(" ")
        values = [value for value in (self.destination, self.value, self.mask) if value is not None]
        printer.print_list(values, printer.print_operand)
        self.print_token(printer, self.token)
        self.print_hints(printer)
        printer.print_op_attributes(self.attributes)
        self.print_types(printer, values)

    def verify_op(self) -> None:
        destination, value = tile_type(self.destination), tile_type(self.value)
        if not points_to(destination, value):
            self.fail(
                "failed to verify that `destination` type is expected a pointer type of `value` "
                "type"
            )
        if self.mask is not None and tile_type(self.mask).shape != destination.shape:
            self.fail("failed to verify that shape of 'destination' must match the shape of 'mask'")
        self.verify_access("store", MemoryOrdering.RELEASE)


class AtomicOperation(TokenOrderedOperation):
    """Checks shared by compare-and-swap and read-modify-write."""

    RESULT_HINTS: ClassVar = ("result", "result_token")

    def verify_pointee(self, pointers: SSAValue, value: SSAValue, name: str) -> None:
        pointer = tile_type(pointers).element_type
        assert isinstance(pointer, PtrType)
        element = tile_type(value).element_type
        if pointer.pointee != element:
            self.fail(
                f"expected pointee type ('{element_name(pointer.pointee)}') to match element "
                f"type of '{name}' ('{element_name(element)}')"
            )

    def verify_mask(self, pointers: SSAValue, mask: SSAValue | None, names: str) -> None:
        if mask is not None and tile_type(mask).shape != tile_type(pointers).shape:
            self.fail(f"failed to verify that all of {{{names}}} have same shape")


@tile_op
class AtomicCASOp(AtomicOperation):
    """Stores `val` where memory equals `cmp`, bit by bit; yields what was there."""

    name = "cuda_tile.atomic_cas_tko"

    pointers = operand_def(PtrTile)
    cmp = operand_def(AnyTile)
    val = operand_def(AnyTile)
    mask = opt_operand_def(I1Tile)
    token = opt_operand_def(Token)
    memory_ordering_semantics = prop_def(I32Attr)
    memory_scope = prop_def(I32Attr)
    result = result_def(AnyTile)
    result_token = result_def(Token)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RESERVED: ClassVar = (
        *TokenOrderedOperation.RESERVED,
        "success_ordering",
        "failure_ordering",
    )
    TYPE_GROUPS: ClassVar = (
        same_shape("pointers", "cmp", "val", "result"),
        same_type("cmp", "val", "result"),
    )

    DEFAULTS: ClassVar = {"result_type": TypeOf("val")}

    @classmethod
    def parse(cls, parser: Parser) -> AtomicCASOp:
        properties = parse_ordering(parser) | parse_scope(parser)
        position = parser.pos
        operands = parse_operands(parser)
        if len(operands) not in (3, 4):
            parser.raise_error("expected pointers, compare, value and at most a mask", position)
        token = parse_optional_token(parser)
        attributes = parse_attributes(parser, cls.RESERVED)
        pointers, cmp, val, *mask = operands
        values = parse_operand_types(parser, (pointers, val, *mask))
        compare = parser.resolve_operand(cmp, values[1].type)
        result_types = parse_result_types(parser)
        groups = (
            values[:1],
            [compare],
            values[1:2],
            values[2:],
            resolve_token(parser, token),
        )
        return build_access(cls, groups, result_types, properties, attributes)

    def print(self, printer: Printer) -> None:
        self.print_ordering(printer)
        printer.print_string(" ")
        mask = [] if self.mask is None else [self.mask]
        printer.print_list([self.pointers, self.cmp, self.val, *mask], printer.print_operand)
        self.print_token(printer, self.token)
        printer.print_op_attributes(self.attributes)
        self.print_types(printer, [self.pointers, self.val, *mask])

    def verify_op(self) -> None:
        self.verify_pointee(self.pointers, self.val, "val")
        if element_bit_width(tile_type(self.val).element_type) not in (32, 64):
            self.fail("expect only float or integer types with 32 or 64 bit")
        self.verify_mask(self.pointers, self.mask, "pointers, val, cmp and mask")
        self.verify_atomic_ordering()


def atomic_mode_error(mode: AtomicMode, element: Attribute) -> str | None:
    """Why `mode` cannot combine these elements, if it cannot."""
    if mode is AtomicMode.ADDF:
        if isinstance(element, Float16Type | BFloat16Type | Float32Type | Float64Type):
            return None
        return "'addf' works only with floats f16, bf16, f32, and f64"
    if mode is AtomicMode.XCHG:
        if not isinstance(element, PtrType) and element_bit_width(element) in (32, 64):
            return None
        return "'xchg' works only with integers or float of 32 or 64 bitwidth"
    if isinstance(element, IntegerType) and element.width.data in (32, 64):
        return None
    return f"'{mode.keyword}' works only with integers i32 and i64"


@tile_op
class AtomicRMWOp(AtomicOperation):
    """Combines `arg` into memory; yields what was there."""

    name = "cuda_tile.atomic_rmw_tko"

    pointers = operand_def(PtrTile)
    arg = operand_def(AnyTile)
    mask = opt_operand_def(I1Tile)
    token = opt_operand_def(Token)
    memory_ordering_semantics = prop_def(I32Attr)
    memory_scope = prop_def(I32Attr)
    mode = prop_def(I32Attr)
    result = result_def(AnyTile)
    result_token = result_def(Token)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RESERVED: ClassVar = (*TokenOrderedOperation.RESERVED, "ordering", "kind")
    TYPE_GROUPS: ClassVar = (
        same_shape("pointers", "arg", "result"),
        same_type("arg", "result"),
    )

    DEFAULTS: ClassVar = {"result_type": TypeOf("arg")}

    @property
    def atomic_mode(self) -> AtomicMode | None:
        return named_value(self.mode, AtomicMode)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        properties = parse_ordering(parser) | parse_scope(parser)
        if parser._current_token.text.startswith("%"):  # pyright: ignore[reportPrivateUsage]
            pointers = parser.parse_unresolved_operand()
            parser.parse_punctuation(",")
            properties |= parse_mode(parser)
        else:
            properties |= parse_mode(parser)
            pointers = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        position = parser.pos
        operands = parse_operands(parser)
        if len(operands) > 2:
            parser.raise_error("expected pointers, a value and at most a mask", position)
        token = parse_optional_token(parser)
        attributes = parse_attributes(parser, cls.RESERVED)
        values = parse_operand_types(parser, (pointers, *operands))
        result_types = parse_result_types(parser)
        groups = (values[:1], values[1:2], values[2:], resolve_token(parser, token))
        return build_access(cls, groups, result_types, properties, attributes)

    def print(self, printer: Printer) -> None:
        self.print_ordering(printer)
        mask = [] if self.mask is None else [self.mask]
        mode = self.atomic_mode
        assert mode is not None
        if is_public(printer):
            printer.print_string(" ")
            printer.print_operand(self.pointers)
            printer.print_string(f", {mode.keyword}, ")
        else:
            printer.print_string(f" {mode.keyword} ")
            printer.print_operand(self.pointers)
            printer.print_string(", ")
        printer.print_list([self.arg, *mask], printer.print_operand)
        self.print_token(printer, self.token)
        printer.print_op_attributes(self.attributes)
        self.print_types(printer, [self.pointers, self.arg, *mask])

    def verify_op(self) -> None:
        self.verify_pointee(self.pointers, self.arg, "arg")
        self.verify_mask(self.pointers, self.mask, "pointers, arg, mask")
        self.verify_named("mode", AtomicMode)
        mode = self.atomic_mode
        assert mode is not None
        if mode is AtomicMode.CMPXCHG:
            self.fail("'cmpxchg' has no compare operand here; use 'cuda_tile.atomic_cas_tko'")
        error = atomic_mode_error(mode, tile_type(self.arg).element_type)
        if error is not None:
            self.fail(error)
        self.verify_atomic_ordering()


_CONVERSIONS = frozenset("diuoxXeEfFgGaAcsSpn%")


def count_conversions(fmt: str) -> int | None:
    """
    Conversions of a printf format, `None` if one is not ended. One starts at `%` and ends at
    the first conversion letter; `%%` is a literal.
    """
    count, position = 0, 0
    last_end = max(map(fmt.rfind, _CONVERSIONS))
    while (position := fmt.find("%", position)) >= 0:
        if fmt.startswith("%%", position):
            position += 2
            continue
        if last_end <= position:
            return None
        count += 1
        position += 1
    return count


class PrintOperation(CudaTileOperation):
    """Checks the format string of the print ops."""

    traits = traits_def(OrderedEffects())

    def verify_format(self, fmt: str, arguments: int) -> None:
        expected = count_conversions(fmt)
        if expected is None:
            self.fail("found unterminated format expression")
        if expected != arguments:
            self.fail(f"incorrect number of operands: expected {expected}, found {arguments}")


@tile_op
class PrintTkoOp(PrintOperation):
    """Prints tiles by a printf format, ordered by tokens (13.2)."""

    name = "cuda_tile.print_tko"

    args = var_operand_def(AnyTile)
    token = opt_operand_def(Token)
    str = prop_def(StrAttr)
    result_token = opt_result_def(Token)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RESERVED: ClassVar = ("token", "str", "operandSegmentSizes")

    def __init__(self, fmt: StringAttr, args: Sequence[SSAValue], token: SSAValue | None = None):
        super().__init__(operands=[args, token], result_types=[TOKEN], properties={"str": fmt})

    @classmethod
    def parse(cls, parser: Parser) -> PrintTkoOp:
        fmt, operands = parse_format_and_operands(parser)
        token = parse_optional_token(parser)
        attributes = parse_attributes(parser, cls.RESERVED)
        values = parse_operand_types(parser, operands) if operands else []
        result_types = (
            parse_result_types(parser)
            if parser._current_token.text == "->"  # pyright: ignore[reportPrivateUsage]
            else []
        )
        tokens = resolve_token(parser, token)
        return cls.create(
            operands=[*values, *tokens],
            result_types=result_types,
            properties={"str": fmt, "operandSegmentSizes": segments(values, tokens)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_format_and_operands(printer, self.str, self.args)
        if self.token is not None:
            printer.print_string(" token=")
            printer.print_operand(self.token)
        printer.print_op_attributes(self.attributes)
        print_argument_types(printer, self.args)
        if self.results:
            printer.print_string(" -> ")
            printer.print_list(self.result_types, printer.print_attribute)

    def verify_op(self) -> None:
        self.verify_format(self.str.data, len(self.args))


@tile_op
class PrintOp(PrintOperation):
    """The 13.1 print, without tokens; in text only, bytecode of 13.1 reads as `print_tko`."""

    name = "cuda_tile.print"

    args = var_operand_def(AnyTile)
    str = prop_def(StrAttr)

    RESERVED: ClassVar = ("str",)

    def __init__(self, fmt: StringAttr, args: Sequence[SSAValue]):
        super().__init__(operands=[args], properties={"str": fmt})

    @classmethod
    def parse(cls, parser: Parser) -> PrintOp:
        fmt, operands = parse_format_and_operands(parser)
        attributes = parse_attributes(parser, cls.RESERVED)
        values = parse_operand_types(parser, operands) if operands else []
        return cls.create(operands=values, properties={"str": fmt}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        print_format_and_operands(printer, self.str, self.args)
        printer.print_op_attributes(self.attributes)
        print_argument_types(printer, self.args)

    def verify_op(self) -> None:
        self.verify_format(self.str.data, len(self.args))


def parse_format_and_operands(parser: Parser) -> tuple[StringAttr, list[UnresolvedOperand]]:
    """`"fmt", %a, …`."""
    fmt = StringAttr(parser.parse_str_literal())
    operands: list[UnresolvedOperand] = []
    if parser.parse_optional_punctuation(",") is not None:
        operands = parse_operands(parser)
    return fmt, operands


def print_format_and_operands(
    printer: Printer, fmt: Attribute, operands: Sequence[SSAValue]
) -> None:
    """Prints `"fmt", %a, …`."""
    printer.print_string(" ")
    printer.print_attribute(fmt)
    for operand in operands:
        printer.print_string(", ")
        printer.print_operand(operand)


def print_argument_types(printer: Printer, arguments: Sequence[SSAValue]) -> None:
    """` : T, U`, if there are any."""
    if arguments:
        printer.print_string(" : ")
        printer.print_list([value.type for value in arguments], printer.print_attribute)
