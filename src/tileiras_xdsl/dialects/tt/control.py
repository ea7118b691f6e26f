"""Functions and calls of `tt`, and ops with a region that combines elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.memory_order import UnknownEffects

from .base import TritonOperation
from .types import element_of, shape_of, with_shape

RESERVED = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


@diagnosed_op
class FuncOp(TritonOperation):
    """
    A function: a kernel if it is `public`. Of arguments, `tt.divisibility` says what their values,
    or addresses in bytes, are multiples of.
    """

    name = "tt.func"

    sym_name = prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    sym_visibility = opt_prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        inputs: Sequence[Attribute],
        outputs: Sequence[Attribute],
        body: Region,
        visibility: str | None = "public",
    ):
        super().__init__(
            operands=[],
            result_types=[],
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(inputs, outputs),
                "sym_visibility": None if visibility is None else StringAttr(visibility),
            },
            regions=[body],
        )

    @property
    def symbol(self) -> str:
        """Its name."""
        return self.sym_name.data

    @property
    def is_kernel(self) -> bool:
        """Whether it can be launched, and not only called."""
        return self.sym_visibility is None or self.sym_visibility.data != "private"

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        visibility = parser.parse_optional_visibility_keyword()
        name, inputs, outputs, body, extra, arg_attrs, res_attrs = parse_func_op_like(
            parser, reserved_attr_names=RESERVED
        )
        properties: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "function_type": FunctionType.from_lists(inputs, outputs),
        }
        for key, value in (
            ("sym_visibility", visibility),
            ("arg_attrs", arg_attrs),
            ("res_attrs", res_attrs),
        ):
            if value is not None:
                properties[key] = value
        attributes = {} if extra is None else dict(extra.data)
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(f" {self.sym_visibility.data}")
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            self.attributes,
            arg_attrs=self.arg_attrs,
            res_attrs=self.res_attrs,
            reserved_attr_names=RESERVED,
        )

    def verify_(self) -> None:
        if (block := self.body.first_block) is None:
            return
        found, expected = tuple(block.arg_types), tuple(self.function_type.inputs)
        if found != expected:
            self.fail("expects the arguments of its body to be those of its type")


@diagnosed_op
class CallOp(TritonOperation):
    """Calls a function: `tt.call @f(%x) : (f32) -> f32`."""

    name = "tt.call"

    callee = prop_def(SymbolRefAttr)
    arguments = var_operand_def()
    result = var_result_def()
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])

    traits = traits_def(UnknownEffects())

    assembly_format = (
        "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, results)"
    )


@diagnosed_op
class ReturnOp(TritonOperation):
    """Ends a function with its values."""

    name = "tt.return"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"

    def verify_(self) -> None:
        parent = self.parent_op()
        if not isinstance(parent, FuncOp):
            self.fail("expects to end a 'tt.func'")
        found, expected = list(self.operand_types), list(parent.function_type.outputs)
        if found != expected:
            names = ", ".join(f"'{ty}'" for ty in expected)
            self.fail(f"expects values of types ({names}), which the function returns")


class AggregateOperation(TritonOperation):
    """
    Combines elements along an axis. The region takes all accumulators, then all elements; Triton
    prints it in the generic form.
    """

    srcs = var_operand_def()
    axis = prop_def(IntegerAttr)
    result = var_result_def()
    combine_op = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    def verify_aggregate(self) -> None:
        """Checks operands, axis and region."""
        if not self.srcs:
            self.fail("expects at least one operand")
        if len({shape_of(value.type) for value in self.srcs}) > 1:
            self.fail("expects operands of one shape")
        self.verify_axis(self.axis.value.data, len(shape_of(self.srcs[0].type)))
        elements = [element_of(value.type) for value in self.srcs]
        block = self.combine_op.first_block
        if block is None or list(block.arg_types) != elements * 2:
            self.fail("expects a region that takes two elements of each operand")
        if len(self.results) != len(self.srcs):
            self.fail("expects as many results as operands")


@diagnosed_op
class ReduceOp(AggregateOperation):
    """Combines all elements along an axis, in no particular order."""

    name = "tt.reduce"

    def verify_(self) -> None:
        self.verify_aggregate()
        axis = self.axis.value.data
        for source, result in zip(self.srcs, self.results, strict=True):
            shape = shape_of(source.type)
            expected = with_shape(source.type, (*shape[:axis], *shape[axis + 1 :]))
            self.verify_type("a result", result.type, expected)


@diagnosed_op
class ScanOp(AggregateOperation):
    """Combines each element with those before it, or behind it if `reverse`, along an axis."""

    name = "tt.scan"

    reverse = prop_def(BoolAttr)

    def verify_(self) -> None:
        self.verify_aggregate()
        for source, result in zip(self.srcs, self.results, strict=True):
            self.verify_type("a result", result.type, source.type)


class AggregateReturnOperation(TritonOperation):
    """Ends the region of an aggregate with what was combined."""

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "$arguments attr-dict `:` type($arguments)"


@diagnosed_op
class ReduceReturnOp(AggregateReturnOperation):
    """Ends the region of `reduce`."""

    name = "tt.reduce.return"


@diagnosed_op
class ScanReturnOp(AggregateReturnOperation):
    """Ends the region of `scan`."""

    name = "tt.scan.return"
