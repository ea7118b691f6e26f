"""
xDSL's `scf` with loops that carry nothing: upstream writes `scf.while : () -> () {`, which xDSL
does not read. The dialect takes the place of xDSL's in every context (see `universe.py`).
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, region_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer


@irdl_op_definition
class WhileOp(scf.WhileOp):
    """
    A loop whose first region decides, by `scf.condition`, whether the second runs, with which
    values; they are its results: `scf.while (%i = %x) : (i32) -> f32 { … } do { … }`.
    """

    name = "scf.while"

    arguments = var_operand_def()
    res = var_result_def()
    before_region = region_def("single_block")
    after_region = region_def("single_block")

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        if parser.parse_optional_punctuation(":") is None:
            return super().parse(parser)
        position = parser.pos
        ty = parser.parse_function_type()
        if ty.inputs.data:
            parser.raise_error("expected a value for each argument", position)
        before = parser.parse_region()
        parser.parse_keyword("do")
        after = parser.parse_region()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls((), ty.outputs.data, before, after)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        if self.arguments:
            super().print(printer)
            return
        printer.print_string(" : ")
        printer.print_attribute(FunctionType.from_lists([], self.result_types))
        printer.print_string(" ")
        printer.print_region(self.before_region)
        printer.print_string(" do ")
        printer.print_region(self.after_region)
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)


Scf = Dialect(
    scf.Scf.name,
    [WhileOp if op is scf.WhileOp else op for op in scf.Scf.operations],
    list(scf.Scf.attributes),
)
