"""
The text front end.

`TextParser` is xDSL's parser with what MLIR's text has beyond it, and what the public
disassembler prints:

- `entry` and `global` at top level are the body of an implicit `cuda_tile.module @kernels`,
  and a `// Producer: …` comment above them is its producer;
- aliases may be used before they are defined;
- every kind of location is read, and an op without one gets its place in the text;
- whatever is wrong with the text is a `ParseError` with the place of the fault.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from math import prod
from typing import TYPE_CHECKING, Literal, NoReturn, cast, overload

from xdsl.context import Context
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    CallSiteLoc,
    ComplexType,
    FileLineColLoc,
    Float80Type,
    Float128Type,
    FloatAttr,
    FusedLoc,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    RankedStructure,
    ShapedType,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, ParserState
from xdsl.traits import SymbolOpInterface
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Position, Span, Token
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRLexer,
    MLIRToken,
    MLIRTokenKind,
    StringLiteral,
)

from tileiras_xdsl.xdsl_extras.bare_types import BareTypeParser

if TYPE_CHECKING:
    from tileiras_xdsl.dialects.cuda_tile import TileType

# The dialect is known by name and imported only where a text uses it: it takes longer to
# import than a small text of another dialect to parse.
DIALECT = "cuda_tile"
MODULE_LEVEL_OPS = ("entry", "global", "testing$func")
"""The ops that may stand at top level without a module and without the dialect's prefix."""

XDSL_ERRORS = (
    AssertionError,
    NotImplementedError,
    OverflowError,
    ValueError,
    VerifyException,
)
"""What xDSL's parser and attributes raise for wrong text, beside `ParseError`."""

IMPLICIT_MODULE_NAME = "kernels"
"""The name that modules read from bytecode have as well."""

MAX_INTEGER_LENGTH = 3000
"""Characters of an integer literal; Python refuses to print much longer numbers."""

MAX_INTEGER_WIDTH = (1 << 24) - 1
"""MLIR's limit; xDSL builds numbers of this many bits to check values."""

MAX_DENSE_ELEMENTS = 1 << 26
"""Elements of a dense literal; xDSL expands splats."""

MAX_EXPANDED_ALIASES = 1 << 16
MAX_EXPANDED_ALIASES_PER_CHARACTER = 16
"""
Aliases that the uses of aliases stand for, beside the length of the text. A definition that
uses the one before it twice doubles their number; debug information needs less than one for
each character.
"""

_PRODUCER = re.compile(r"(?>\s+|//(?! Producer: )[^\n]*+)*+// Producer: ([^\n\r]*)")

_PLAIN_TYPE = re.compile(r'!?[a-zA-Z_][\w$.]*+<(?:[^<>"#!/\n]++|<[^<>"#!/\n]*+>)*+>', re.ASCII)
"""
A type with parameters that depends on nothing but its text. What looks like one but is not
does no harm: only texts that were parsed as a whole are remembered.
"""

_ALIAS_SCAN = re.compile(
    r'"(?:[^"\\\n]++|\\.)*+"'  # strings
    r"|//[^\n]*+"  # comments
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<alias>[#!][\w$.-]++)(?>\s+|//[^\n]*+)*+=",
    re.ASCII,
)


def find_alias_definitions(text: str) -> dict[str, Position]:
    """
    Where each alias (`#name`, `!name`) is first defined at top level. Linear in the text,
    which need not be well-formed.
    """
    definitions: dict[str, Position] = {}
    depth = 0
    for match in _ALIAS_SCAN.finditer(text):
        match match.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth = max(depth - 1, 0)
            case "alias" if not depth:
                definitions.setdefault(match["alias"], match.start())
            case _:
                pass
    return definitions


_TOKEN = re.compile(
    r"(?>\s+|//[^\n]*+)*+(?:"
    r"(?P<PUNCTUATION>#-}|\{-#|->|[-:,()\[\]{}<>=+*/?|])"
    r"|(?P<BARE_IDENT>[a-zA-Z_][\w$.]*+)"
    r"|(?P<PERCENT_IDENT>%(?>\d+|[a-zA-Z$._-][\w$.-]*))"
    r"|(?P<HASH_IDENT>#(?>\d+|[a-zA-Z$._-][\w$.-]*))"
    r"|(?P<EXCLAMATION_IDENT>!(?>\d+|[a-zA-Z$._-][\w$.-]*))"
    r"|(?P<CARET_IDENT>\^(?>\d+|[a-zA-Z$._-][\w$.-]*))"
    r"|(?P<FLOAT_LIT>\d++\.\d*+(?:[eE][+-]?\d++)?)"
    r"|(?P<INTEGER_LIT>0x[0-9a-fA-F]++|\d++)"
    r")",
    re.ASCII,
)
"""Blanks and comments, then one of the tokens that make up nearly all of a text."""

_KINDS = {name: MLIRTokenKind[name] for name in _TOKEN.groupindex if name != "PUNCTUATION"}


class TextLexer(MLIRLexer):
    """xDSL's lexer, faster and safe against hostile text."""

    def lex(self) -> MLIRToken:
        content = self.input.content
        match = _TOKEN.match(content, self.pos)
        if match is None:
            return super().lex()
        name = match.lastgroup
        assert name is not None
        start, self.pos = match.span(name)
        if name == "PUNCTUATION":
            kind = KIND_BY_PUNCTUATION_SPELLING[content[start : self.pos]]
        else:
            kind = _KINDS[name]
            if kind is MLIRTokenKind.INTEGER_LIT and self.pos - start > MAX_INTEGER_LENGTH:
                span = Span(start, self.pos, self.input)
                raise ParseError(span, "integer literal is too long")
        return Token(kind, Span(start, self.pos, self.input))

    # As upstream, but without its backtracking, which is exponential in the length of an
    # unterminated string.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_number(self, start_pos: Position) -> MLIRToken:
        # Upstream asks `isnumeric`, which holds for characters such as a superscript two.
        if not "0" <= (first := self.input.content[start_pos]) <= "9":
            raise ParseError(
                Span(start_pos, start_pos + 1, self.input), f"Unexpected character: {first}"
            )
        return super()._lex_number(start_pos)


def _decode(source: str | bytes, name: str) -> str:
    """The text of the input, which must be valid in UTF-8 to be printed again."""
    try:
        if isinstance(source, bytes):
            return source.decode()
        if not source.isascii():
            source.encode()
        return source
    except UnicodeDecodeError as error:
        span = Span(error.start, error.end, Input(bytes(error.object), name))
        raise ParseError(span, "input is not UTF-8 text") from None
    except UnicodeEncodeError as error:
        span = Span(error.start, error.end, Input(error.object, name))
        raise ParseError(span, "input is not UTF-8 text") from None


@dataclass
class _TileLiteralError(Exception):
    """A `dense<…>` literal turns out to be one of a tile, which xDSL cannot build."""

    type: TileType


class TextParser(BareTypeParser):
    """Parses MLIR text, and the text the public disassembler prints."""

    def __init__(self, ctx: Context, source: str | bytes, name: str = "<unknown>") -> None:
        # The state is set below: the constructor would lex with xDSL's own lexer.
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(TextLexer(Input(_decode(source, name), name)))
        self._file_name = StringAttr(name)
        self._line_starts: list[Position] | None = None
        """Computed when the first location is needed."""
        self._op_names: list[Span] = []
        """The name tokens of the ops being parsed, outermost first."""
        self._alias_definitions: dict[str, Position] | None = None
        """Where aliases are defined; scanned for when one is used before its definition."""
        self._open_aliases: set[str] = set()
        """The aliases whose definitions are being parsed."""
        self._alias_sizes: dict[str, int] = {}
        """How many aliases each alias stands for, itself and those in its definition."""
        self._expanded_aliases = 0
        """The sum of the sizes of the aliases used so far, here or in the definition at hand."""
        size = len(self.lexer.input.content)
        self._max_expanded_aliases = (
            MAX_EXPANDED_ALIASES + MAX_EXPANDED_ALIASES_PER_CHARACTER * size
        )
        """Where that sum ends."""
        self._parsed_definitions: dict[Position, Position] = {}
        """Start and end of the alias definitions already parsed."""
        self._forward_values: dict[SSAValue, Span] = {}
        """What stood for values before their definitions, and where those are."""
        self._types: dict[tuple[str, str], TypeAttribute] = {}
        """
        The types parsed so far, by text and dialect. A text repeats few types many times, and
        parsing and checking them is about half of all work.
        """

    # Errors

    @contextmanager
    def _errors_located(self) -> Generator[None]:
        """Turns what xDSL raises for wrong text into a `ParseError`, at the current token."""
        try:
            yield
        except ParseError:
            raise
        except RecursionError as error:
            raise ParseError(self._current_token.span, "nesting is too deep") from error
        except XDSL_ERRORS as error:
            unsupported = isinstance(error, NotImplementedError)
            message = str(error) or ("not supported" if unsupported else type(error).__name__)
            raise ParseError(self._current_token.span, message) from error

    def _raise_verify_error(self, error: VerifyException, start: Position) -> NoReturn:
        """Reports `error` on the text between `start` and the current token."""
        text = self.lexer.input.content[start : self.pos].rstrip()
        self.raise_error(str(error), start, start + max(len(text), 1))

    # Files

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        with self._errors_located():
            ops = self._parse_top_level()
            if len(ops) == 1 and isinstance(ops[0], ModuleOp):
                return ops[0]
            if not ops:
                self.raise_error("Could not parse entire input!")
            if not allow_implicit_module:
                self.raise_error("builtin.module operation expected", 0)
            module = ModuleOp(ops)
            module.location = self._location_at(0)
            return module

    def _parse_top_level(self) -> list[Operation]:
        ops: list[Operation] = []
        bare_ops: list[Operation] = []
        bare_index = 0
        while (token := self._current_token).kind is not MLIRTokenKind.EOF:
            match token.kind:
                case MLIRTokenKind.HASH_IDENT | MLIRTokenKind.EXCLAMATION_IDENT:
                    self._parse_alias_def()
                case MLIRTokenKind.FILE_METADATA_BEGIN:
                    self._parse_file_metadata_dictionary()
                case MLIRTokenKind.BARE_IDENT if token.text in MODULE_LEVEL_OPS:
                    if not bare_ops:
                        bare_index = len(ops)
                    bare_ops.append(self._parse_module_level_op())
                case _:
                    if (op := self.parse_optional_operation()) is None:
                        self.raise_error("Could not parse entire input!")
                    ops.append(op)
        if self.forward_ssa_references:
            names = ", ".join(f"%{name}" for name in self.forward_ssa_references)
            self.raise_error(f"values used but not defined: [{names}]")
        # Once a value is defined its uses are replaced, but an op that is still being parsed then,
        # as the definition is in its region, uses what stood for it.
        for value, span in self._forward_values.items():
            if value.uses:
                self.raise_error("value is defined in a region of an op that uses it", span)
        if bare_ops:
            ops.insert(bare_index, self._make_implicit_module(bare_ops, ops))
        return ops

    def _parse_module_level_op(self) -> Operation:
        self._parser_state.dialect_stack.append(DIALECT)
        op = self.parse_operation()
        self._parser_state.dialect_stack.pop()
        return op

    def _make_implicit_module(
        self, body: Sequence[Operation], siblings: Sequence[Operation]
    ) -> Operation:
        taken = {
            symbol.data
            for op in siblings
            if (interface := op.get_trait(SymbolOpInterface)) is not None
            and (symbol := interface.get_sym_attr_name(op)) is not None
        }
        names = (f"{IMPLICIT_MODULE_NAME}_{index}" for index in count())
        name = IMPLICIT_MODULE_NAME
        while name in taken:
            name = next(names)
        properties: dict[str, Attribute] = {"sym_name": StringAttr(name)}
        if (producer := _PRODUCER.match(self.lexer.input.content)) is not None:
            properties["producer"] = StringAttr(producer[1])
        return self.ctx.get_op(f"{DIALECT}.module").create(
            properties=properties,
            regions=[Region(Block(body))],
            location=self._location_at(0),
        )

    # Operations and their locations

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        for value in self.forward_ssa_references.get(name, {}).values():
            self._forward_values[value] = span
        super()._register_ssa_definition(name, values, span)

    def parse_operation(self) -> Operation:
        depth = len(self._op_names)
        try:
            op = super().parse_operation()
        except VerifyException as error:
            span = self._op_names[depth] if depth < len(self._op_names) else None
            self.raise_error(str(error), span)
        if op.location is UNKNOWN_LOC:
            op.location = self._location_at(self._op_names[depth].start)
        del self._op_names[depth:]
        # A terminator that is not in the text has the location of the op it ends.
        for block in (block for region in op.regions for block in region.blocks):
            if (last_op := block.last_op) is not None and last_op.location is UNKNOWN_LOC:
                last_op.location = op.location
        return op

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        results = super()._parse_op_result_list()
        self._op_names.append(self._current_token.span)
        return results

    def _parse_block(self) -> Block:
        if self._current_token.kind is not MLIRTokenKind.CARET_IDENT:
            self.raise_error("expected an operation, the label of a block, or '}'")
        return super()._parse_block()

    def _get_op_by_name(self, name: str) -> type[Operation]:
        stack = self._parser_state.dialect_stack
        if (op_type := self.ctx.get_optional_op(name, dialect_stack=stack)) is None:
            self.raise_error(f"Operation {name} is not registered", self._op_names[-1])
        return op_type

    def _location_at(self, position: Position) -> FileLineColLoc:
        if self._line_starts is None:
            newlines = re.finditer("\n", self.lexer.input.content)
            self._line_starts = [0, *(newline.end() for newline in newlines)]
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        # Runs for every op, so the checks of the constructor are left out.
        location = FileLineColLoc.__new__(FileLineColLoc)
        object.__setattr__(location, "filename", self._file_name)
        object.__setattr__(location, "line", IntAttr(line))
        object.__setattr__(location, "column", IntAttr(column))
        return location

    def _parse_location(self) -> LocationAttr:
        """
        Parses a location without the keyword:
            location ::= `unknown` | attribute-alias | dialect-attribute
                       | string (`:` integer (`:` integer (`to` integer? `:` integer)?)?)?
                       | string `(` location `)`
                       | `callsite` `(` location `at` location `)`
                       | `fused` (`<` attribute `>`)? `[` (location (`,` location)*)? `]`
        """
        token = self._current_token
        if (text := self.parse_optional_str_literal()) is not None:
            return self._parse_file_or_name_location(StringAttr(text))
        if token.kind is MLIRTokenKind.HASH_IDENT:
            attribute = self.parse_attribute()
            if not isinstance(attribute, LocationAttr):
                self.raise_error(f"expected location attribute, got {attribute}", token.span)
            return attribute
        match self.parse_optional_identifier():
            case "unknown":
                # Not the shared instance, which marks ops without a location.
                return UnknownLoc()
            case "callsite":
                with self.in_parens():
                    callee = self._parse_location()
                    self.parse_keyword("at", " in callsite location")
                    return CallSiteLoc(callee, self._parse_location())
            case "fused":
                metadata: Attribute = NoneAttr()
                if self.parse_optional_punctuation("<") is not None:
                    metadata = self.parse_attribute()
                    self.parse_punctuation(">", " in fused location")
                locations = self.parse_comma_separated_list(
                    self.Delimiter.SQUARE, self._parse_location, " in fused location"
                )
                return FusedLoc(tuple(locations), metadata)
            case _:
                self.raise_error("expected location instance", token.span)

    def _parse_file_or_name_location(self, text: StringAttr) -> LocationAttr:
        def parse_number() -> IntAttr:
            return IntAttr(self.parse_integer(False, False, " in file location"))

        if self.parse_optional_punctuation(":") is not None:
            line, column = parse_number(), IntAttr(0)
            if self.parse_optional_punctuation(":") is not None:
                column = parse_number()
                if self.parse_optional_keyword("to") is not None:
                    # The end of a range has no place in xDSL's locations.
                    self.parse_optional_integer(False, False)
                    self.parse_punctuation(":", " in file location range")
                    parse_number()
            return FileLineColLoc(text, line, column)
        child: Attribute = NoneAttr()
        if self.parse_optional_punctuation("(") is not None:
            child = self._parse_location()
            self.parse_punctuation(")", " in name location")
        return NameLoc(text, child)

    # Aliases

    def _parse_alias_def(self) -> None:
        token = self._consume_token()
        alias, start = token.text, token.span.start
        if (end := self._parsed_definitions.get(start)) is not None:
            self._resume_from(end)
            return
        kind = "type" if alias.startswith("!") else "attribute"
        if alias in self.attribute_aliases:
            self.raise_error(f"re-declaration of alias '{alias}'", token.span)
        if "." in alias:
            self.raise_error(
                f"{kind} names with a '.' are reserved for dialect-defined names", token.span
            )
        self.parse_punctuation("=", f" after {kind} alias name")
        self._open_aliases.add(alias)
        outer_expanded, self._expanded_aliases = self._expanded_aliases, 1
        value = self.parse_type() if kind == "type" else self.parse_attribute()
        self._alias_sizes[alias] = self._expanded_aliases
        self._expanded_aliases = outer_expanded
        self._open_aliases.remove(alias)
        self.attribute_aliases[alias] = value
        self._parsed_definitions[start] = self.pos

    @overload
    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: Literal[False]
    ) -> Attribute: ...

    @overload
    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: Literal[True]
    ) -> TypeAttribute: ...

    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: bool
    ) -> Attribute:
        if "." not in attr_or_dialect_name and self._current_token.kind is not MLIRTokenKind.LESS:
            alias = f"{'!' if is_type else '#'}{attr_or_dialect_name}"
            if alias not in self.attribute_aliases:
                self._parse_forward_alias(alias)
            self._expanded_aliases += self._alias_sizes[alias]
            if self._expanded_aliases > self._max_expanded_aliases:
                use = self.lexer.input.content.rfind(alias, 0, self.pos)
                self.raise_error("aliases expand to too much", use, use + len(alias))
            return self.attribute_aliases[alias]
        if is_type:
            return super()._parse_extended_type_or_attribute(attr_or_dialect_name, True)
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, False)

    def _parse_forward_alias(self, alias: str) -> None:
        """Parses the definition of an alias further down, then goes on where it is used."""
        content, resume_at = self.lexer.input.content, self.pos
        if self._alias_definitions is None:
            self._alias_definitions = find_alias_definitions(content)
        use = content.rfind(alias, 0, resume_at)
        if (definition := self._alias_definitions.get(alias)) is None:
            self.raise_error(f"undefined symbol alias '{alias}'", use, use + len(alias))
        if alias in self._open_aliases:
            self.raise_error(
                f"alias '{alias}' is used in its own definition", use, use + len(alias)
            )
        dialect_stack = self._parser_state.dialect_stack
        self._parser_state.dialect_stack = dialect_stack[:1]
        self._resume_from(definition)
        self._parse_alias_def()
        self._parser_state.dialect_stack = dialect_stack
        self._resume_from(resume_at)

    # Types and attributes

    def parse_optional_type(self) -> TypeAttribute | None:
        start = self.pos
        match = _PLAIN_TYPE.match(self.lexer.input.content, start)
        if match is None:
            return self._parse_uncached_type(start)
        key = match[0], self._parser_state.dialect_stack[-1]
        if (known := self._types.get(key)) is not None:
            self._resume_from(match.end())
            return known
        parsed = self._parse_uncached_type(start)
        if parsed is not None and not self.lexer.input.content[match.end() : self.pos].strip():
            self._types[key] = parsed
        return parsed

    def _parse_uncached_type(self, start: Position) -> TypeAttribute | None:
        try:
            return super().parse_optional_type()
        except VerifyException as error:
            self._raise_verify_error(error, start)

    def parse_optional_attribute(self) -> Attribute | None:
        start = self.pos
        try:
            return super().parse_optional_attribute()
        except VerifyException as error:
            self._raise_verify_error(error, start)

    def parse_optional_str_literal(self) -> str | None:
        """As upstream, and escaped text beyond ASCII, which is how xDSL prints such strings."""
        token = self._current_token
        if token.kind is not MLIRTokenKind.BYTES_LIT:
            return super().parse_optional_str_literal()
        try:
            text = StringLiteral.from_span(token.span).string_contents
        except UnicodeDecodeError:
            return None
        self._consume_token()
        return text

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        span = self._current_token.span
        parsed = super()._parse_optional_integer_or_float_type()
        if isinstance(parsed, IntegerType) and parsed.bitwidth > MAX_INTEGER_WIDTH:
            self.raise_error(f"integer bitwidth is limited to {MAX_INTEGER_WIDTH} bits", span)
        return parsed

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        """As upstream, but for types of floats whose values cannot be printed."""
        start = self.pos
        parsed = super().parse_optional_builtin_int_or_float_attr()
        if isinstance(parsed, FloatAttr) and isinstance(parsed.type, Float80Type | Float128Type):
            self.raise_error(f"values of type {parsed.type} are not supported", start)
        return parsed

    def _parse_dense_literal_type(
        self,
    ) -> RankedStructure[IntegerType | IndexType | AnyFloat | ComplexType]:
        start = self.pos
        ty = self.parse_type()
        if ty.name == f"{DIALECT}.tile":
            raise _TileLiteralError(cast("TileType", ty))
        if isinstance(ty, ShapedType) and prod(ty.get_shape()) > MAX_DENSE_ELEMENTS:
            self.raise_error(
                f"dense literals are limited to {MAX_DENSE_ELEMENTS} elements", start, self.pos
            )
        self._resume_from(start)
        return super()._parse_dense_literal_type()

    @dataclass
    class _TensorLiteralElement(BareTypeParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
        """
        As upstream, but that a hexadecimal integer holds the bits of a float, which is how
        xDSL prints infinities.
        """

        def to_type(
            self,
            parser: AttrParser,
            type: AnyFloat | IntegerType | IndexType | ComplexType,  # noqa: A002
        ) -> bool | int | float | tuple[int, int] | tuple[float, float]:
            if not isinstance(type, AnyFloat) or not self.span.text.startswith("0x"):
                return super().to_type(parser, type)
            bits = self.to_int(parser)
            if bits >> type.bitwidth:
                parser.raise_error("hexadecimal float constant out of range for type", self.span)
            return type.unpack(bits.to_bytes(type.size, "little"), 1)[0]

    def _parse_optional_builtin_parametrized_attr(self) -> Attribute | None:
        start = self.pos
        try:
            return super()._parse_optional_builtin_parametrized_attr()
        except _TileLiteralError as error:
            self._resume_from(start)
            return self._parse_tile_literal(error.type)

    def _parse_tile_literal(self, ty: TileType) -> Attribute:
        """Parses `dense<values> : type`, the type being known."""
        from tileiras_xdsl.dialects.cuda_tile.elements import DenseLiteral
        from tileiras_xdsl.dialects.cuda_tile.types import is_number

        self.parse_keyword("dense")
        position = self.pos
        bits: list[int] = []
        shape: list[int] | None = None
        hex_data: bytes | None = None
        with self.in_angle_brackets():
            if (text := self.parse_optional_str_literal()) is not None:
                try:
                    hex_data = bytes.fromhex(text.removeprefix("0x"))
                except ValueError:
                    self.raise_error("elements hex string is invalid", position)
            elif not is_number(ty.element_type):
                self.raise_error(f"a '{ty}' has no literals", position)
            else:
                elements, shape = self._parse_tensor_literal()
                bits = [self._tile_element_bits(element, ty) for element in elements]
        self.parse_punctuation(":")
        self.parse_type()
        literal = DenseLiteral(ty.element_type, bits, shape or None, hex_data, position)
        return literal.resolve(self, ty)

    def _tile_element_bits(
        self, element: BareTypeParser._TensorLiteralElement, ty: TileType
    ) -> int:
        from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width, float_to_bits

        width = element_bit_width(ty.element_type)
        is_integer = isinstance(ty.element_type, IntegerType)
        if is_integer:
            value = element.to_int(self, allow_booleans=width == 1)
            if not -(1 << (width - 1)) <= value < (1 << width):
                self.raise_error("integer constant out of range for type", element.span)
            return value & ((1 << width) - 1)
        if isinstance(element.value, float):
            return float_to_bits(element.value, ty.element_type)
        value = element.to_int(self, allow_negative=False, allow_booleans=False)
        if not element.span.text.startswith("0x"):
            self.raise_error(
                "unexpected decimal integer literal for a floating point value", element.span
            )
        if value >> width:
            self.raise_error("hexadecimal float constant out of range for type", element.span)
        return value
