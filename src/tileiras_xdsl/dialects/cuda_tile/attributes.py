"""
Attributes of the `cuda_tile` dialect that are not plain enumerations: the predicates of
`assume`, and optimization hints.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Attribute, Data, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind

from .printing import is_public
from .types import PtrType, TensorViewType, TileType, is_power_of_two, join_dims

# Predicates that `assume` states of values: what those of `cuda_tile` and of `nv_tileaa` have in
# common. The types that they can be stated of are for each dialect to say.


class Numbers:
    """How the numbers of predicates are read."""

    @staticmethod
    def parse_number(parser: AttrParser) -> int:
        return parser.parse_integer(allow_boolean=False)

    @staticmethod
    def parse_divisor(parser: AttrParser) -> int:
        return parser.parse_integer(allow_boolean=False, allow_negative=False)


class DivBy(Numbers, Data[tuple[int, int | None, int | None]], ABC):
    """
    `div_by<16>`: every element is divisible. `div_by<16, every 4 along 1>`: the first of each
    run of four elements along dimension 1 is, and the rest of the run counts up.
    """

    @property
    def divisor(self) -> int:
        return self.data[0]

    @property
    def every(self) -> int | None:
        return self.data[1]

    @property
    def along(self) -> int | None:
        return self.data[2]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, int | None, int | None]:
        every = along = None
        with parser.in_angle_brackets():
            divisor = cls.parse_divisor(parser)
            if parser.parse_optional_punctuation(",") is not None:
                if parser.parse_optional_keyword("every") is not None:
                    every = cls.parse_number(parser)
                if parser.parse_optional_keyword("along") is not None:
                    along = cls.parse_number(parser)
                if every is along is None:
                    parser.raise_error("expected 'every' or 'along'")
        return divisor, every, along

    def print_parameter(self, printer: Printer) -> None:
        run = [
            f" {word} {number}"
            for word, number in (("every", self.every), ("along", self.along))
            if number is not None
        ]
        printer.print_string(f"<{self.divisor}{',' if run else ''}{''.join(run)}>")

    def verify_run(self, shape: Sequence[int]) -> None:
        """Raises if runs do not lie along a dimension of this shape."""
        if self.every is None or self.along is None:
            return
        if not 0 <= self.along < len(shape):
            raise VerifyException(
                f"'{self.name}' every_dim ({self.along}) must be >= 0 and < tile rank "
                f"({len(shape)})"
            )
        if not 0 <= self.every <= shape[self.along]:
            raise VerifyException(
                f"expected '{self.name}' every_dim to be within 0 and the size of the respective "
                f"dimension ({shape[self.along]})"
            )


class SameElements(Numbers, Data[tuple[int, ...]], ABC):
    """`same_elements<[1, 4]>`: groups of that many elements along each dimension are equal."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        with parser.in_angle_brackets():
            return tuple(
                parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, lambda: cls.parse_number(parser)
                )
            )

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<[{join_dims(self.data)}]>")

    def verify_groups(self, shape: Sequence[int]) -> None:
        """Raises if groups do not lie in this shape."""
        if len(self.data) != len(shape):
            raise VerifyException(
                f"expected number of values in '{self.name}' ({len(self.data)}) to match rank of "
                f"constrained tile ({len(shape)})"
            )
        for index, (value, size) in enumerate(zip(self.data, shape, strict=True)):
            if not 0 <= value <= size:
                raise VerifyException(
                    f"expected '{self.name}' value {index} to be within 0 and the size of the "
                    f"respective dimension ({size})"
                )


class Bounded(Numbers, Data[tuple[int | None, int | None]], ABC):
    """`bounded<0, ?>`: inclusive signed bounds of every element; `?` is no bound."""

    @property
    def lower(self) -> int | None:
        return self.data[0]

    @property
    def upper(self) -> int | None:
        return self.data[1]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int | None, int | None]:
        def parse_bound() -> int | None:
            if parser.parse_optional_punctuation("?") is not None:
                return None
            return cls.parse_number(parser)

        with parser.in_angle_brackets():
            lower = parse_bound()
            parser.parse_punctuation(",")
            return lower, parse_bound()

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{join_dims(self.data)}>")

    def verify_bounds(self, element: IntegerType) -> None:
        """Raises if no integer of this type lies within the bounds."""
        half = 1 << (element.width.data - 1)
        for which, bound in (("lower", self.lower), ("upper", self.upper)):
            if bound is not None and not -half <= bound < half:
                raise VerifyException(
                    f"'{self.name}' expects {which} bound to be within [{-half}, {half - 1}]"
                )
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise VerifyException(
                f"'{self.name}' expects lower bound to be less than or equal to upper bound"
            )


# Which optimization hints there are: for which architectures, on which ops, and with which values.
#
# Hints never change what a program computes, so those that mean nothing are kept and have no
# effect. The public tools report them on request, and so do ours:
#
#     optimization_hints=<sm_90 = {num_cta_in_cga = 3}>
#     → power-of-2 expected for sm_90.num_cta_in_cga

NO_CLUSTERS: Final = ("sm_80", "sm_86", "sm_87", "sm_88", "sm_89")
"""The architectures without clusters."""
ARCHITECTURES: Final = (
    *NO_CLUSTERS,
    *("sm_90", "sm_100", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121", "default"),
)
"""What hints may be for; `default` is for all that have no hints of their own."""

CLUSTER: Final = "num_cta_in_cga"
WARPS: Final = "num_worker_warps_per_cta"
ALLOW_TMA: Final = "allow_tma"
MAX_WARPS: Final = 32
"""How many warps our kernels may have; the public tools expect 4 or 8."""

HINTS_OF_OPS: Final[Mapping[str, tuple[str, ...]]] = {
    "cuda_tile.entry": (CLUSTER, WARPS, "occupancy"),
    "cuda_tile.load_ptr_tko": ("latency",),
    "cuda_tile.store_ptr_tko": ("latency",),
    "cuda_tile.load_view_tko": ("latency", ALLOW_TMA),
    "cuda_tile.store_view_tko": ("latency", ALLOW_TMA),
}
"""The hints that mean something, by the ops that they are on."""


@dataclass(frozen=True)
class IntegerHint:
    """The values of a hint that is a number."""

    minimum: int
    maximum: int
    is_power_of_two: bool = False


_INTEGER_HINTS: Final = {
    CLUSTER: IntegerHint(1, 16, is_power_of_two=True),
    WARPS: IntegerHint(4, 8, is_power_of_two=True),
    "occupancy": IntegerHint(1, 32),
    "latency": IntegerHint(1, 10),
}
_ONE_CTA: Final = IntegerHint(1, 1, is_power_of_two=True)


def get_integer(value: Attribute) -> int | None:
    """The number that a hint is; none if it is something else, such as a boolean."""
    if not isinstance(value, IntegerAttr) or value.type == i1:
        return None
    return value.value.data


def find_fault(arch: str, key: str, value: Attribute) -> str | None:
    """What is wrong with the value of a hint, as the public tools see it; hints have other keys."""
    place = f"{arch}.{key}"
    if key == ALLOW_TMA:
        is_bool = isinstance(value, IntegerAttr) and value.type == i1
        return None if is_bool else f"boolean value expected for {place}"
    rule = _ONE_CTA if key == CLUSTER and arch in NO_CLUSTERS else _INTEGER_HINTS[key]
    number = get_integer(value)
    if number is None:
        return f"integer value expected for {place}"
    if rule.is_power_of_two and not is_power_of_two(number):
        return f"power-of-2 expected for {place}"
    if not rule.minimum <= number <= rule.maximum:
        return f"value {number} for {place} is not in [{rule.minimum}, {rule.maximum}]"
    return None


def is_used(arch: str, key: str, value: Attribute) -> bool:
    """Whether we follow a hint if we can; of keys that are not known there is no saying."""
    if key == WARPS:
        number = get_integer(value)
        return number is not None and is_power_of_two(number) and number <= MAX_WARPS
    known = key == ALLOW_TMA or key in _INTEGER_HINTS
    return not known or find_fault(arch, key, value) is None


def find_faults(op: Operation) -> Iterator[str]:
    """What the public tools say about the hints of an op."""
    hints = op.properties.get("optimization_hints")
    entries = getattr(hints, "value", None)
    if not isinstance(entries, DictionaryAttr):
        return
    known = HINTS_OF_OPS.get(op.name, ())
    for arch, entry in sorted(entries.data.items()):
        if arch not in ARCHITECTURES:
            yield f"unknown hint key {arch}"
            continue
        assert isinstance(entry, DictionaryAttr)
        for key, value in sorted(entry.data.items()):
            if key not in known:
                yield f"{key} is not known hint for current Operation"
            elif (fault := find_fault(arch, key, value)) is not None:
                yield fault


def verify_hints(module: Operation) -> None:
    """Fails on the first op with hints that the public tools do not understand."""
    for op in module.walk():
        if faults := list(find_faults(op)):
            message = f"Optimization hints verification failed: {'; '.join(faults)}"
            op.emit_error(message, VerifyException(message))


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
