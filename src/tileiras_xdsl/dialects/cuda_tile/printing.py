"""
The two printing modes.

xDSL's own `Printer` gives the default text: prefixed names, labelled blocks, and one spelling
where the parser takes several. A `PublicSyntaxPrinter` gives what NVIDIA's 13.4 disassembler
prints for the same program. Ops ask `is_public(printer)` where the two differ in more than
prefixes.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from typing import TypeGuard

from xdsl.ir import (
    Attribute,
    BlockArgument,
    Operation,
    ParametrizedAttribute,
    Region,
    TypeAttribute,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileiras_xdsl.xdsl_extras.bare_types import BareTypeParser

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


# How bodies are parsed and printed: labelled by default, bare in public mode.


def parse_body(parser: Parser, arguments: Sequence[Parser.Argument] = ()) -> Region:
    """`{ (^label:)? op* }`, the arguments of its block given by the op's header."""
    return BareTypeParser.view(parser).parse_body(arguments)


def print_body(
    printer: Printer, region: Region, label: str, implicit: type[Operation] | None = None
) -> None:
    """
    Prints a body. The public form leaves out the label, and a terminator of the `implicit`
    kind without operands.
    """
    with printer.in_braces():
        if not is_public(printer):
            printer.print_string(f"\n^{label}:")
        with printer.indented():
            for op in region.block.ops:
                if is_public(printer) and is_implicit_terminator(op, implicit):
                    continue
                printer.print_string("\n")
                printer.print_op(op)
        printer.print_string("\n")


def is_implicit_terminator(op: Operation, implicit: type[Operation] | None) -> bool:
    """Whether the public form leaves this terminator out."""
    return implicit is not None and isinstance(op, implicit) and not op.operands


def add_implicit_terminator(region: Region, terminator: type[Operation]) -> Region:
    """Ends every block of a parsed body that has no terminator with `terminator`."""
    from xdsl.traits import IsTerminator

    for block in region.blocks:
        last = block.last_op
        if last is None or not last.has_trait(IsTerminator, value_if_unregistered=True):
            block.add_op(terminator.create())
    return region


def print_arguments(printer: Printer, arguments: Sequence[BlockArgument]) -> None:
    """`(%a: T, %b: U)`."""
    with printer.in_parens():
        printer.print_list(arguments, printer.print_block_argument)


def parse_arguments(parser: Parser) -> list[Parser.Argument]:
    """`(%a: T loc(…), %b: U)`."""

    def parse_argument() -> Parser.Argument:
        argument = parser.parse_argument()
        argument.location = parser.parse_optional_location()
        return argument

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)


def format_types(types: Sequence[Attribute]) -> str:
    """Types as diagnostics list them: `'T', 'U'`."""
    return ", ".join(f"'{ty}'" for ty in types)
