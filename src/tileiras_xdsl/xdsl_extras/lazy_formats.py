"""
Assembly formats that are understood when they are first used.

xDSL parses the format of every op when its class is defined, which is a third of what importing
the dialects of a compilation takes. A command that reads bytecode and writes a cubin neither
parses nor prints text.
"""

from __future__ import annotations

from functools import cached_property

from xdsl.irdl import OpDef
from xdsl.irdl.declarative_assembly_format import FormatDirective, FormatProgram


class LazyFormatProgram(FormatProgram):
    """A format as text, until it is used."""

    def __init__(self, input: str, op_def: OpDef):  # noqa: A002
        # The base class is frozen, and has its statements from the start.
        self.__dict__["source"] = (input, op_def)

    @cached_property
    def stmts(self) -> tuple[FormatDirective, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        from xdsl.irdl.declarative_assembly_format_parser import FormatParser

        text, op_def = self.__dict__["source"]
        return FormatParser(text, op_def).parse_format().stmts


def use_lazy_formats() -> None:
    """
    Makes the formats of all ops that are defined from now on lazy, in the whole process. A format
    that is wrong is then found when it is used, so this is not for tests of dialects.
    """
    FormatProgram.from_str = staticmethod(LazyFormatProgram)
