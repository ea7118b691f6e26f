"""
The two printing modes.

xDSL's own `Printer` gives the default text: prefixed names, labelled blocks, and one spelling
where the parser takes several. A `PublicSyntaxPrinter` gives what NVIDIA's 13.4 disassembler
prints for the same program. Ops ask `is_public(printer)` where the two differ in more than
prefixes.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from typing import TypeGuard

from xdsl.ir import Attribute, BlockArgument, ParametrizedAttribute, TypeAttribute
from xdsl.printer import Printer

PREFIX = "cuda_tile."


@dataclass(eq=False, repr=False)
class PublicSyntaxPrinter(Printer):
    """Prints types without `!cuda_tile.`, except in attribute dictionaries."""

    _in_dictionary: bool = field(default=False, init=False)

    def print_attribute(self, attribute: Attribute) -> None:
        if (
            isinstance(attribute, TypeAttribute)
            and attribute.name.startswith(PREFIX)
            and not self._in_dictionary
        ):
            self.print_bare_type(attribute)
        else:
            super().print_attribute(attribute)

    def print_bare_type(self, ty: TypeAttribute) -> None:
        """Prints a type of the dialect without its prefix."""
        self.print_string(ty.name.removeprefix(PREFIX))
        assert isinstance(ty, ParametrizedAttribute)
        ty.print_parameters(self)

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        """Without the argument's location, which the disassembler never prints."""
        self.print_ssa_value(arg)
        if print_type:
            self.print_string(": ")
            self.print_attribute(arg.type)

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        with self._dictionary():
            super().print_attr_dict(attr_dict)

    @contextmanager
    def _dictionary(self) -> Generator[None]:
        outer, self._in_dictionary = self._in_dictionary, True
        yield
        self._in_dictionary = outer


def is_public(printer: Printer) -> TypeGuard[PublicSyntaxPrinter]:
    """Whether the public text form is being printed."""
    return isinstance(printer, PublicSyntaxPrinter)


def bare_type(ty: TypeAttribute) -> str:
    """A type of the dialect as public text."""
    output = StringIO()
    PublicSyntaxPrinter(output).print_bare_type(ty)
    return output.getvalue()


def print_nested_type(printer: Printer, ty: TypeAttribute) -> None:
    """Prints a `cuda_tile` type in the parameters of another."""
    if is_public(printer):
        printer.print_bare_type(ty)
    else:
        printer.print_attribute(ty)
