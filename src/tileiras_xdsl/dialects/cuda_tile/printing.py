"""
The two printing modes.

xDSL's own `Printer` gives the default text: prefixed names, labelled blocks, the spellings
decided in section X of the requirements. `PublicPrinter` gives what NVIDIA's 13.4
disassembler prints for the same program (P-12). Ops ask `is_public(printer)` where the two
differ in more than prefixes.
"""

from __future__ import annotations

from typing import TypeGuard

from xdsl.ir import TypeAttribute
from xdsl.printer import Printer

BARE_DIALECT_PREFIX = "cuda_tile."


class PublicPrinter(Printer):
    """Prints the public text form."""

    def print_bare_type(self, type: TypeAttribute) -> None:
        raise NotImplementedError


def is_public(printer: Printer) -> TypeGuard[PublicPrinter]:
    """Whether the public text form is being printed."""
    return isinstance(printer, PublicPrinter)


def print_nested_type(printer: Printer, type: TypeAttribute) -> None:
    """Prints a `cuda_tile` type in the parameters of another."""
    if is_public(printer):
        printer.print_bare_type(type)
    else:
        printer.print_attribute(type)
