"""How bodies are parsed and printed: labelled by default, bare in public mode."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, BlockArgument, Operation, Region
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileiras_xdsl.xdsl_extras.bare_types import BareTypeParser

from .printing import is_public


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
