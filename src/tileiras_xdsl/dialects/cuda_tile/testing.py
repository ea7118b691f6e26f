"""The function op the tests use where an `entry` would be too restrictive."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.ir import Attribute, Region
from xdsl.irdl import prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, SymbolOpInterface

from tileiras_xdsl.xdsl_extras.dominance import SSADominance

from . import printing
from .base import StrAttr, tile_op
from .control_flow import FunctionLike, ReturnOp
from .debug_info import verify_function_debug_info
from .symbols import FunctionTypeKind


@tile_op
class TestingFuncOp(FunctionLike):
    """
    A function with arguments and results of any types, for tests only: no bytecode version
    has it, and `verify-cuda-tile-input` rejects it.
    """

    name = "cuda_tile.testing$func"

    sym_name = prop_def(StrAttr)
    function_type = prop_def(FunctionTypeKind)
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), SSADominance())

    def __init__(self, name: str, body: Region, result_types: Sequence[Attribute] = ()):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(
                    [argument.type for argument in body.block.args], result_types
                ),
            },
            regions=[body],
        )

    @property
    def symbol(self) -> str:
        return self.sym_name.data

    @classmethod
    def parse(cls, parser: Parser) -> TestingFuncOp:
        name = parser.parse_symbol_name()
        arguments = printing.parse_arguments(parser)
        result_types: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            )
            result_types.extend([parser.parse_type()] if types is None else types)
        body = printing.add_implicit_terminator(printing.parse_body(parser, arguments), ReturnOp)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            properties={
                "sym_name": name,
                "function_type": FunctionType.from_lists(
                    [argument.type for argument in arguments], result_types
                ),
            },
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.symbol)
        printing.print_arguments(printer, self.body.block.args)
        outputs = self._type().outputs.data
        if outputs:
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(outputs, printer.print_attribute)
        printer.print_string(" ")
        printing.print_body(printer, self.body, "body")
        printer.print_op_attributes(self.attributes)

    def _type(self) -> FunctionType:
        return self.function_type

    def verify_op(self) -> None:
        block = self.body.block
        found, expected = [argument.type for argument in block.args], list(self._type().inputs)
        if found != expected:
            self.fail(
                f"body has arguments ({printing.format_types(found)}), but the function type takes "
                f"({printing.format_types(expected)})"
            )

    def verify_regions_(self) -> None:
        if not isinstance(self.body.block.last_op, ReturnOp):
            self.fail("body must end in return")
        verify_function_debug_info(self, self.symbol)
