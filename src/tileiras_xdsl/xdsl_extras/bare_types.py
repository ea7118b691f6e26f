"""
Dialect types without their prefix.

Inside the ops and types of its own dialect MLIR lets `!cuda_tile.tile<4xf32>` be written
`tile<4xf32>`; xDSL only knows the prefixed spelling. A dialect opts in by listing a
`BareTypes` interface, and its ops parse with `BareTypeParser.view(parser)`.

Beside them: encodings of tensors that only some shapes can have, as `VerifiableTensorEncoding` of
MLIR.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from xdsl.dialect_interfaces import DialectInterface
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Data, Operation, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, Parser
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind


class BareTypes(DialectInterface):
    """The types of a dialect that may be written without `!<dialect>.` in front."""

    types: Mapping[str, type[TypeAttribute]]

    def __init__(self, types: Iterable[type[TypeAttribute]]):
        self.types = {ty.name.split(".", 1)[1]: ty for ty in types}


def parse_optional_bare_type(
    parser: AttrParser, types: Mapping[str, type[TypeAttribute]]
) -> TypeAttribute | None:
    """Parses one of `types` without its dialect prefix, if the next word is one."""
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if token.kind is not MLIRTokenKind.BARE_IDENT:
        return None
    if (definition := types.get(token.text)) is None:
        return None
    parser._consume_token()  # pyright: ignore[reportPrivateUsage]
    if issubclass(definition, ParametrizedAttribute):
        return definition.new(definition.parse_parameters(parser))
    assert issubclass(definition, Data)
    return definition(definition.parse_parameter(parser))


class BareTypeParser(Parser):
    """
    A parser that accepts bare types of the dialect whose op is being parsed, and a label
    in front of a body whose arguments stand in the op's header.
    """

    @classmethod
    def view(cls, parser: Parser) -> BareTypeParser:
        """
        The same parser (shared state, shared position) seen as a `BareTypeParser`, so that
        plain `xdsl-opt`, which builds its own parser, accepts bare types as well.
        """
        if isinstance(parser, BareTypeParser):
            return parser
        view: Self = cls.__new__(cls)
        view.__dict__ = parser.__dict__
        return view

    def parse_optional_type(self) -> TypeAttribute | None:
        if self._current_token.kind is MLIRTokenKind.BARE_IDENT:
            dialect = self.ctx.get_optional_dialect(self._parser_state.dialect_stack[-1])
            if dialect is not None and (bare := dialect.get_interface(BareTypes)):
                parsed = parse_optional_bare_type(self, bare.types)
                if parsed is not None:
                    return parsed
        return super().parse_optional_type()

    def parse_type(self) -> TypeAttribute:
        parsed = self.parse_optional_type()
        if parsed is None:
            token = self._current_token
            is_word = token.kind is MLIRTokenKind.BARE_IDENT
            self.raise_error(
                f"type expected, unknown type: {token.text}" if is_word else "type expected"
            )
        return parsed

    def parse_body(self, arguments: Iterable[Parser.Argument] = ()) -> Region:
        """
        Parses a single-block body, its arguments given by the op's header:
            body ::= `{` (`^` label `:`)? operation* `}`
        """
        self.parse_punctuation("{")
        if self._parse_optional_token(MLIRTokenKind.CARET_IDENT) is not None:
            self.parse_punctuation(":")
        outer_values = self.ssa_values.copy()
        arguments = tuple(arguments)
        block = Block(arg_types=[argument.type for argument in arguments])
        for value, argument in zip(block.args, arguments, strict=True):
            self._register_ssa_definition(argument.name.text[1:], (value,), argument.name)
            if argument.location is not None:
                value.location = argument.location
        self._parse_block_body(block)
        self.parse_punctuation("}")
        self.ssa_values = outer_values
        return Region(block)


class VerifiableTensorEncoding(ABC):
    """An encoding that says which tensors can have it."""

    @abstractmethod
    def verify_shape(self, shape: Sequence[int]) -> None:
        """Raises `VerifyException` if a tensor of a shape cannot have it."""


@dataclass(frozen=True)
class VerifiedEncodings(OpTrait):
    """
    Makes the verifier of an op check the encodings of all tensors in its regions.

    Meant for function-like ops: xDSL's `TensorType` takes any attribute as its encoding.
    """

    def verify(self, op: Operation) -> None:
        # By identity, as hashing a type takes longer than to look at it again.
        seen: set[int] = set()
        for block in op.walk_blocks():
            _verify_encodings(block.args, seen)
            for each in block.ops:
                _verify_encodings(each.results, seen)


def _verify_encodings(values: Iterable[SSAValue], seen: set[int]) -> None:
    for value in values:
        ty = value.type
        if id(ty) not in seen:
            seen.add(id(ty))
            if isinstance(ty, TensorType):
                verify_encoding(ty)


def verify_encoding(ty: TensorType) -> None:
    """Raises `VerifyException` if a tensor has an encoding that its shape cannot have."""
    if isinstance(encoding := ty.encoding, VerifiableTensorEncoding):
        try:
            encoding.verify_shape(ty.get_shape())
        except VerifyException as error:
            raise VerifyException(f"encoding of '{ty}': {error}") from error
