"""
Attributes of the `cuda_tile` dialect that are not plain enumerations: the predicates of
`assume`, and optimization hints.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind

from .hints import is_used
from .predicates import Bounded, DivBy, Numbers, SameElements
from .printing import is_public
from .types import PtrType, TensorViewType, TileType, is_power_of_two

_INT64_MIN = -(2**63)
_INT64_MAX = 2**63 - 1
_MAX_DIVISOR = 2**62


class AssumePredicate(Numbers, Data[Any], ABC):
    """A predicate that `assume` states of a value; its numbers have 64 bits."""

    @staticmethod
    def parse_number(parser: AttrParser) -> int:
        position = parser.pos
        value = parser.parse_integer(allow_boolean=False)
        if not _INT64_MIN <= value <= _INT64_MAX:
            parser.raise_error("integer value too large", position)
        return value

    @staticmethod
    def parse_divisor(parser: AttrParser) -> int:
        position = parser.pos
        divisor = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if divisor >= 2**64:
            parser.raise_error("integer value too large", position)
        return divisor

    @abstractmethod
    def verify_with_value_type(self, ty: Attribute) -> None:
        """Raises `VerifyException` if it cannot be stated of a value of this type."""


def _element_of(ty: Attribute) -> Attribute | None:
    return ty.element_type if isinstance(ty, TileType) else None


def _is_int_or_ptr_tile(ty: Attribute) -> bool:
    """Integers of any width: unlike arithmetic, predicates take i4."""
    return isinstance(_element_of(ty), IntegerType | PtrType)


@irdl_attr_definition
class DivByAttr(AssumePredicate, DivBy):
    """
    `div_by<16>`: every element is divisible. `div_by<16, every 4 along 1>`: the first of
    each run of four elements along dimension 1 is, and the rest of the run counts up.

    The value holds divisor, `every` and `along`.
    """

    name = "cuda_tile.div_by"

    def verify_with_value_type(self, ty: Attribute) -> None:
        divisor, every, along = self.divisor, self.every, self.along
        this = f"'{self.name}'"
        if not is_power_of_two(divisor):
            raise VerifyException(f"{this} divisor must be a power of 2")
        if (every is None) != (along is None):
            raise VerifyException(f"{this} 'every'/'along' must be used in combination")
        if divisor > _MAX_DIVISOR:
            raise VerifyException(f"{this} divisor is too large")
        if isinstance(ty, TensorViewType):
            if every is not None:
                raise VerifyException(
                    f"{this} 'every'/'along' cannot be used if the constrained value is a "
                    "tensor_view"
                )
            return
        if every is not None and isinstance(ty, TileType) and not ty.rank:
            raise VerifyException(
                f"{this} 'every'/'along' cannot be used if the constrained value is a 0D tile"
            )
        if not _is_int_or_ptr_tile(ty):
            raise VerifyException(
                f"{this} is valid only for tile of integer/pointer or tensor_view values"
            )
        assert isinstance(ty, TileType)
        self.verify_run(ty.get_shape())


@irdl_attr_definition
class SameElementsAttr(AssumePredicate, SameElements):
    __doc__ = SameElements.__doc__

    name = "cuda_tile.same_elements"

    def verify_with_value_type(self, ty: Attribute) -> None:
        if not _is_int_or_ptr_tile(ty):
            raise VerifyException(f"'{self.name}' is valid only for tile of integer/pointer values")
        assert isinstance(ty, TileType)
        self.verify_groups(ty.get_shape())


@irdl_attr_definition
class BoundedAttr(AssumePredicate, Bounded):
    __doc__ = Bounded.__doc__

    name = "cuda_tile.bounded"

    def verify_with_value_type(self, ty: Attribute) -> None:
        element = _element_of(ty)
        if not isinstance(element, IntegerType):
            raise VerifyException(f"'{self.name}' is valid only for tile of integer values")
        self.verify_bounds(element)


ASSUME_PREDICATES: Mapping[str, type[AssumePredicate]] = {
    "div_by": DivByAttr,
    "same_elements": SameElementsAttr,
    "bounded": BoundedAttr,
}


def parse_assume_predicate(parser: AttrParser) -> AssumePredicate:
    """`div_by<16>` or `#cuda_tile.div_by<16>`."""
    position = parser.pos
    if (word := parser.parse_optional_identifier()) is not None:
        if (definition := ASSUME_PREDICATES.get(word)) is None:
            parser.raise_error(
                f"unknown assume predicate attribute: {word} "
                "(expected 'div_by', 'same_elements', or 'bounded')",
                position,
            )
        return definition.new(definition.parse_parameter(parser))
    attribute = parser.parse_optional_attribute()
    if not isinstance(attribute, AssumePredicate):
        parser.raise_error("expected assume predicate attribute", position)
    return attribute


HintValue: TypeAlias = int | bool | Attribute


@irdl_attr_definition
class OptimizationHintsAttr(ParametrizedAttribute):
    """
    Hints by architecture, `optimization_hints<sm_100 = {allow_tma = false, latency = 5}>`.
    Unknown architectures, keys and values are kept and change nothing.
    """

    name = "cuda_tile.optimization_hints"

    value: DictionaryAttr

    @staticmethod
    def from_dict(hints: Mapping[str, Mapping[str, HintValue]]) -> OptimizationHintsAttr:
        """From Python values: numbers become `i64`, booleans `i1`."""

        def attribute(value: HintValue) -> Attribute:
            if isinstance(value, bool):
                return IntegerAttr.from_bool(value)
            if isinstance(value, int):
                return IntegerAttr(value, i64)
            return value

        return OptimizationHintsAttr(
            DictionaryAttr(
                {
                    arch: DictionaryAttr({key: attribute(value) for key, value in entry.items()})
                    for arch, entry in hints.items()
                }
            )
        )

    def verify(self) -> None:
        for arch, entry in self.value.data.items():
            if not isinstance(entry, DictionaryAttr):
                raise VerifyException(
                    "expected dictionary attribute for optimization_hints entry "
                    f"`{arch}` got value={entry}"
                )

    def lookup(self, arch: str, key: str) -> Attribute | None:
        """
        The value for this architecture, else the one under `default`; a value that is not
        valid counts as absent.
        """
        for name in (arch, "default"):
            entry = self.value.data.get(name)
            if isinstance(entry, DictionaryAttr) and key in entry.data:
                if is_used(name, key, value := entry.data[key]):
                    return value
        return None

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        entries = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, lambda: _parse_hint_entry(parser)
        )
        return [DictionaryAttr(_unique(parser, entries))]

    def print_parameters(self, printer: Printer) -> None:
        def print_arch(entry: tuple[str, Attribute]) -> None:
            arch, hints = entry
            assert isinstance(hints, DictionaryAttr)
            printer.print_identifier_or_string_literal(arch)
            printer.print_string(" = ")
            with printer.in_braces():
                printer.print_list(sorted(hints.data.items()), print_hint)

        def print_hint(entry: tuple[str, Attribute]) -> None:
            key, value = entry
            printer.print_identifier_or_string_literal(key)
            printer.print_string(" = ")
            if isinstance(value, IntegerAttr) and (is_public(printer) or value.type == i64):
                value.print_without_type(printer)
            else:
                printer.print_attribute(value)

        with printer.in_angle_brackets():
            printer.print_list(sorted(self.value.data.items()), print_arch)


def _parse_hint_entry(parser: AttrParser) -> tuple[str, Attribute]:
    arch = parser.expect(parser.parse_optional_identifier_or_str_literal, "expected a hint key")
    parser.parse_punctuation("=")
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if token.kind is not MLIRTokenKind.L_BRACE:
        position = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, DictionaryAttr):
            parser.raise_error(
                f"expected dictionary attribute for optimization_hints entry `{arch}` "
                f"got value={value}",
                position,
            )
        return arch, value

    def parse_hint() -> tuple[str, Attribute]:
        key = parser.expect(parser.parse_optional_identifier_or_str_literal, "expected a hint key")
        parser.parse_punctuation("=")
        return key, parser.parse_attribute()

    hints = parser.parse_comma_separated_list(parser.Delimiter.BRACES, parse_hint)
    return arch, DictionaryAttr(_unique(parser, hints))


def _unique(parser: AttrParser, entries: Sequence[tuple[str, Attribute]]) -> dict[str, Attribute]:
    result: dict[str, Attribute] = {}
    for key, value in entries:
        if key in result:
            parser.raise_error(f"duplicate optimization_hints key `{key}`")
        result[key] = value
    return result
