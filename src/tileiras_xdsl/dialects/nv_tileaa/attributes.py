"""
Attributes of `nv_tileaa`: the predicates of `assume`, and what is known of a kernel.

Modes (rounding, signedness, memory order, …) are plain strings, checked by the ops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, IntegerType, NoneAttr
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.cuda_tile.types import is_power_of_two, join_dims

from .base import get_element, get_shape, is_pointer
from .types import MemRefType


class Predicate(ABC):
    """A fact that `assume` states of a value."""

    @property
    @abstractmethod
    def is_elementwise(self) -> bool:
        """Whether it says the same of every lane, whatever its position."""

    @abstractmethod
    def verify_value(self, type: Attribute) -> None:
        """Raises if it cannot be stated of values of this type."""


@irdl_attr_definition
class DivByAttr(Data[tuple[int, int | None, int | None]], Predicate):
    """
    `div_by<16>`: every element is divisible. `div_by<16, every 4 along 1>`: the first of each
    run of four elements along dimension 1 is, and the rest of the run counts up.
    """

    name = "nv_tileaa.div_by"

    @property
    def divisor(self) -> int:
        return self.data[0]

    @property
    def every(self) -> int | None:
        return self.data[1]

    @property
    def along(self) -> int | None:
        return self.data[2]

    @property
    def is_elementwise(self) -> bool:
        return self.every is None

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, int | None, int | None]:
        with parser.in_angle_brackets():
            divisor = parser.parse_integer(allow_boolean=False, allow_negative=False)
            every = along = None
            if parser.parse_optional_punctuation(",") is not None:
                if parser.parse_optional_keyword("every") is not None:
                    every = parser.parse_integer(allow_boolean=False)
                if parser.parse_optional_keyword("along") is not None:
                    along = parser.parse_integer(allow_boolean=False)
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

    def verify_value(self, type: Attribute) -> None:
        this = f"'{self.name}'"
        element = get_element(type)
        if not (isinstance(element, IntegerType | MemRefType) or is_pointer(element)):
            raise VerifyException(f"{this} is valid only for integers, pointers and memrefs")
        if not is_power_of_two(self.divisor):
            raise VerifyException(f"{this} divisor must be a power of 2")
        if (self.every is None) != (self.along is None):
            raise VerifyException(f"{this} 'every'/'along' must be used in combination")
        if self.every is None or self.along is None:
            return
        shape = get_shape(type)
        if not 0 <= self.along < len(shape):
            raise VerifyException(
                f"{this} every_dim ({self.along}) must be >= 0 and < tile rank ({len(shape)})"
            )
        if not 0 <= self.every <= shape[self.along]:
            raise VerifyException(
                f"expected {this} every_dim to be within 0 and the size of the respective "
                f"dimension ({shape[self.along]})"
            )


@irdl_attr_definition
class BoundedAttr(Data[tuple[int | None, int | None]], Predicate):
    """`bounded<0, ?>`: inclusive signed bounds of every element; `?` is no bound."""

    name = "nv_tileaa.bounded"

    @property
    def lower(self) -> int | None:
        return self.data[0]

    @property
    def upper(self) -> int | None:
        return self.data[1]

    @property
    def is_elementwise(self) -> bool:
        return True

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int | None, int | None]:
        def parse_bound() -> int | None:
            if parser.parse_optional_punctuation("?") is not None:
                return None
            return parser.parse_integer(allow_boolean=False)

        with parser.in_angle_brackets():
            lower = parse_bound()
            parser.parse_punctuation(",")
            return lower, parse_bound()

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{join_dims(self.data)}>")

    def verify_value(self, type: Attribute) -> None:
        this = f"'{self.name}'"
        element = get_element(type)
        if not isinstance(element, IntegerType):
            raise VerifyException(f"{this} is valid only for integers")
        half = 1 << (element.width.data - 1)
        for which, bound in (("lower", self.lower), ("upper", self.upper)):
            if bound is not None and not -half <= bound < half:
                raise VerifyException(
                    f"{this} expects {which} bound to be within [{-half}, {half - 1}]"
                )
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise VerifyException(
                f"{this} expects lower bound to be less than or equal to upper bound"
            )


@irdl_attr_definition
class SameElementsAttr(Data[tuple[int, ...]], Predicate):
    """`same_elements<[1, 4]>`: groups of that many elements along each dimension are equal."""

    name = "nv_tileaa.same_elements"

    @property
    def is_elementwise(self) -> bool:
        return False

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        with parser.in_angle_brackets():
            return tuple(
                parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
                )
            )

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<[{join_dims(self.data)}]>")

    def verify_value(self, type: Attribute) -> None:
        this = f"'{self.name}'"
        element, shape = get_element(type), get_shape(type)
        if not (isinstance(element, IntegerType) or is_pointer(element)):
            raise VerifyException(f"{this} is valid only for integers and pointers")
        if len(self.data) != len(shape):
            raise VerifyException(
                f"expected number of values in {this} ({len(self.data)}) to match rank of "
                f"constrained tile ({len(shape)})"
            )
        for index, (value, size) in enumerate(zip(self.data, shape, strict=True)):
            if not 0 <= value <= size:
                raise VerifyException(
                    f"expected {this} value {index} to be within 0 and the size of the "
                    f"respective dimension ({size})"
                )


@irdl_attr_definition
class KernelSpecAttr(ParametrizedAttribute):
    """
    How a kernel is to be launched: `#nv_tileaa.kernel_spec<num_ctas = 2, occupancy = 1>`.
    What is not there is for the compiler to choose.
    """

    name = "nv_tileaa.kernel_spec"

    num_ctas: IntAttr | NoneAttr
    """Blocks in a cluster."""
    occupancy: IntAttr | NoneAttr
    """Blocks wanted on a multiprocessor."""
    num_warps: IntAttr | NoneAttr
    """Warps in a block."""

    def __init__(
        self,
        num_ctas: int | None = None,
        occupancy: int | None = None,
        num_warps: int | None = None,
    ):
        super().__init__(*(_optional(field) for field in (num_ctas, occupancy, num_warps)))

    def verify(self) -> None:
        for name, value in self.get_fields().items():
            if value <= 0:
                raise VerifyException(f"{name} must be positive, but got {value}")

    def get_fields(self) -> dict[str, int]:
        """The fields that are there."""
        names = ("num_ctas", "occupancy", "num_warps")
        return {
            name: field.data
            for name, field in zip(names, self.parameters, strict=True)
            if isinstance(field, IntAttr)
        }

    def replaced(self, **fields: int | None) -> KernelSpecAttr:
        """The same with some fields changed, or gone if none."""
        return KernelSpecAttr(**{**self.get_fields(), **fields})

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        fields: dict[str, int | None] = dict.fromkeys(("num_ctas", "occupancy", "num_warps"))

        def parse_field() -> None:
            position = parser.pos
            key = parser.parse_identifier()
            if key not in fields:
                parser.raise_error(f"expected one of {', '.join(fields)}, got '{key}'", position)
            parser.parse_punctuation("=")
            if fields[key] is not None:
                parser.raise_error(f"'{key}' is given twice", position)
            fields[key] = parser.parse_integer(allow_boolean=False, allow_negative=False)

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
        return [_optional(field) for field in fields.values()]

    def print_parameters(self, printer: Printer) -> None:
        fields = (f"{name} = {value}" for name, value in self.get_fields().items())
        printer.print_string(f"<{', '.join(fields)}>")


def _optional(value: int | None) -> IntAttr | NoneAttr:
    return NoneAttr() if value is None else IntAttr(value)
