"""
Predicates that `assume` states of values: what those of `cuda_tile` and of `nv_tileaa` have in
common. The types that they can be stated of are for each dialect to say.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Data
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from .types import join_dims


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
