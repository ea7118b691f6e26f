"""
The cuTe layout attributes that tile metadata may carry, in basis-vector notation:
`#cute.layout<(1@0, 16@1)>`. They are attributes only; there are no cuTe types.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from xdsl.ir import Data, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

BasisPair: TypeAlias = tuple[int, int]
"""A number (stride or extent) and the dimension it belongs to."""

Basis: TypeAlias = "BasisPair | BasisTuple"


class BasisTuple(tuple[Basis, ...]):
    """A parenthesised list of pairs and tuples."""

    __slots__ = ()


_PAIR = re.compile(r"([0-9]+)\s*@\s*([0-9]+)")
_PARAMETER = re.compile(r"[^(),]+")


class BasisVectorAttr(Data[BasisTuple]):
    """A parenthesised list of `N@dim` pairs and nested lists."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> BasisTuple:
        token = parser._current_token  # pyright: ignore[reportPrivateUsage]
        if token.kind is not MLIRTokenKind.LESS:
            parser.raise_error(f"expected '<' after #{cls.name}")
        # MLIR's lexer, and so xDSL's, takes '@' only in front of a symbol name.
        text = parser._parse_dialect_symbol_body()  # pyright: ignore[reportPrivateUsage]
        try:
            return parse_basis(text)
        except ValueError as error:
            parser.raise_error(f"malformed #{cls.name} parameter {error}", token.span)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(format_basis(self.data))


def parse_basis(text: str) -> BasisTuple:
    """Parses `(1@0, (16@1, 4@0))`; `ValueError` names the malformed parameter."""
    open_tuples: list[list[Basis]] = [[]]
    position, expect_element = 0, True
    while position < len(text):
        char = text[position]
        if char.isspace():
            position += 1
        elif char == "(" and expect_element:
            open_tuples.append([])
            position += 1
        elif char == ")" and len(open_tuples) > 1 and not (expect_element and open_tuples[-1]):
            closed = BasisTuple(open_tuples.pop())
            open_tuples[-1].append(closed)
            expect_element = False
            position += 1
        elif char == "," and not expect_element and len(open_tuples) > 1:
            expect_element = True
            position += 1
        else:
            found = _PARAMETER.match(text, position)
            parameter = found.group().strip() if found else char
            pair = _PAIR.fullmatch(parameter)
            if pair is None or not expect_element:
                raise ValueError(f"'{parameter}': expected N@dim")
            open_tuples[-1].append((int(pair[1]), int(pair[2])))
            expect_element = False
            position += len(found.group()) if found else 1
    if len(open_tuples) != 1 or len(open_tuples[0]) != 1:
        raise ValueError(f"'{text}': expected one parenthesised list")
    (basis,) = open_tuples[0]
    if not isinstance(basis, BasisTuple):
        raise ValueError(f"'{text}': expected a parenthesised list")
    return basis


def format_basis(basis: Basis) -> str:
    """The text of a pair or tuple."""
    if isinstance(basis, BasisTuple):
        return f"({', '.join(format_basis(element) for element in basis)})"
    number, dimension = basis
    return f"{number}@{dimension}"


@irdl_attr_definition
class CuteLayoutAttr(BasisVectorAttr):
    """`#cute.layout<(1@0, 16@1)>`."""

    name = "cute.layout"


@irdl_attr_definition
class ShapeAttr(BasisVectorAttr):
    """`#cute.shape<(128@0, 64@1)>`."""

    name = "cute.shape"


@irdl_attr_definition
class StrideAttr(BasisVectorAttr):
    """`#cute.stride<(1@0, 128@1)>`."""

    name = "cute.stride"


Cute = Dialect("cute", [], [CuteLayoutAttr, ShapeAttr, StrideAttr])
