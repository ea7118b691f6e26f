"""Structured control flow: branches, loops, their terminators, and `assert`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FunctionType, StringAttr, i1
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.pattern_rewriter import RewritePattern
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import TypeOf, Value

from .base import (
    AnyType,
    CudaTileOperation,
    I1Scalar,
    I1Tile,
    IntScalar,
    OrderedEffects,
    StrAttr,
    same_type,
    tile_op,
)
from .floating import UnitKind
from .printing import add_implicit_terminator, format_types, parse_body, print_body
from .types import TensorViewType, TileType, TileViewType


def _types(values: Sequence[SSAValue]) -> tuple[Attribute, ...]:
    return tuple(value.type for value in values)


def _parenthesised(types: Sequence[Attribute]) -> str:
    return f"({format_types(types)})"


class RegionOperation(CudaTileOperation):
    """Checks shared by ops whose values flow through regions."""

    traits = traits_def(RecursiveMemoryEffect())

    def verify_no_views(self, what: str, types: Sequence[Attribute]) -> None:
        """Views cannot flow through control flow."""
        for index, ty in enumerate(types):
            self.verify_no_view(what, index, ty)

    def verify_no_view(self, what: str, index: int, ty: Attribute) -> None:
        if isinstance(ty, TensorViewType | TileViewType):
            kind = "tensor_view" if isinstance(ty, TensorViewType) else "tile view"
            self.fail(f"{what} {index} is a {kind}, which is not supported")


class TerminatorOperation(CudaTileOperation):
    """Ends a block; its operands are any values."""

    arguments = var_operand_def(AnyType)

    PARENTS: ClassVar[tuple[str, ...]] = ()
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"

    def __init__(self, *arguments: Value):
        super().__init__(operands=[arguments])

    def verify_op(self) -> None:
        parent = self.parent_op()
        if parent is not None and not self.may_end(parent):
            self.fail(f"expects parent op to be one of '{', '.join(self.PARENTS)}'")
        block = self.parent
        if block is not None and block.last_op is not self:
            self.fail("must be the last operation in the parent block")
        if parent is not None:
            self.verify_terminator(parent)

    def may_end(self, parent: Operation) -> bool:
        """Whether a block of `parent` may end in this op."""
        return parent.name in self.PARENTS

    def verify_terminator(self, parent: Operation) -> None:
        """Checks against the op that is ended or left."""

    def enclosing_loop(self, *wanted: str) -> Operation:
        """The op around all enclosing `if`s, which has to be one of `wanted`."""
        ancestor = self.parent_op()
        while isinstance(ancestor, IfOp):
            ancestor = ancestor.parent_op()
        if ancestor is not None and ancestor.name in wanted:
            return ancestor
        chain = ", ".join(f"'{name}'" for name in (*wanted, IfOp.name))
        error = VerifyException(
            f"'{self.name}' op can only be nested within a ancestor chain of {chain} operations"
        )
        if ancestor is not None:
            error.add_note(f"see unexpected ancestor operation '{ancestor.name}'")
        raise error


class FunctionLike(CudaTileOperation):
    """An op with a body that `return` may end: `entry`, and `testing$func` in tests."""

    REGION_NAMES: ClassVar = ("body",)


@tile_op
class YieldOp(TerminatorOperation):
    """Ends a branch of `if`, or the body of `reduce` and `scan`, with its values."""

    name = "cuda_tile.yield"
    PARENTS: ClassVar = ("cuda_tile.if", "cuda_tile.reduce", "cuda_tile.scan")
    traits = traits_def(Pure())


@tile_op
class BreakOp(TerminatorOperation):
    """Leaves the enclosing `loop` with its results."""

    name = "cuda_tile.break"
    PARENTS: ClassVar = ("cuda_tile.if", "cuda_tile.loop")

    def verify_terminator(self, parent: Operation) -> None:
        loop = self.enclosing_loop("cuda_tile.loop")
        if _types(self.operands) != tuple(loop.result_types):
            self.fail(
                "operand types must correspond to the parent loop result types: "
                f"{_parenthesised(_types(self.operands))} vs {_parenthesised(loop.result_types)}"
            )


@tile_op
class ContinueOp(TerminatorOperation):
    """Goes on with the next iteration of the enclosing `for` or `loop`."""

    name = "cuda_tile.continue"
    PARENTS: ClassVar = ("cuda_tile.for", "cuda_tile.if", "cuda_tile.loop")

    def verify_terminator(self, parent: Operation) -> None:
        loop = self.enclosing_loop("cuda_tile.for", "cuda_tile.loop")
        if isinstance(loop, ForOp):
            self._verify_types("for", "loop return types", tuple(loop.result_types))
        elif isinstance(loop, LoopOp):
            self._verify_types("loop", "loop iter_values", _types(loop.init_values))

    def _verify_types(self, loop: str, what: str, expected: Sequence[Attribute]) -> None:
        found = _types(self.operands)
        if found != tuple(expected):
            raise VerifyException(
                f"`{loop}` is missing a valid terminator. `continue` op should have operand "
                f"types that match the parent {what}: {_parenthesised(expected)}, but found: "
                f"{_parenthesised(found)}"
            )


@tile_op
class ReturnOp(TerminatorOperation):
    """Ends the kernel, also from inside an `if` or (13.4) a `loop`."""

    name = "cuda_tile.return"
    PARENTS: ClassVar = ("cuda_tile.entry", "cuda_tile.if", "cuda_tile.loop")

    def may_end(self, parent: Operation) -> bool:
        return isinstance(parent, FunctionLike) or super().may_end(parent)

    def verify_terminator(self, parent: Operation) -> None:
        ancestor: Operation | None = parent
        while ancestor is not None and ancestor.name in ("cuda_tile.if", "cuda_tile.loop"):
            ancestor = ancestor.parent_op()
        if not isinstance(ancestor, FunctionLike):
            self.fail(
                "must be used within a cuda_tile.entry, cuda_tile.if, or cuda_tile.loop operation"
            )
        function = ancestor.properties.get("function_type")
        expected = tuple(function.outputs) if isinstance(function, FunctionType) else ()
        count = len(self.operands)
        if count != len(expected):
            name = ancestor.properties.get("sym_name")
            symbol = name.data if isinstance(name, StringAttr) else "?"
            for_entry = (
                f" (has {count} operands, but entry function must return 0 operands)"
                if ancestor.name == "cuda_tile.entry"
                else ""
            )
            self.fail(
                f"has {count} operands, but enclosing function (@{symbol}) returns "
                f"{len(expected)}{for_entry}"
            )
        for index, (found, wanted) in enumerate(zip(_types(self.operands), expected, strict=True)):
            if found != wanted:
                self.fail(
                    f"type of return operand {index} ('{found}') doesn't match function result "
                    f"type ('{wanted}')"
                )


@tile_op
class IfOp(RegionOperation, HasCanonicalizationPatternsInterface):
    """
    A branch on a scalar condition. Branches end in `yield` with the results, or leave by
    `break`, `continue` or `return`.
    """

    name = "cuda_tile.if"

    condition = operand_def(I1Scalar)
    results_ = var_result_def(AnyType)
    then_region = region_def()
    else_region = region_def()
    REGION_NAMES: ClassVar = ("thenRegion", None)

    def public_names(self) -> Sequence[str | None]:
        # Numbered, but `assume` treats them as named: `%assume_`.
        return (None,)

    @property
    def has_else(self) -> bool:
        return bool(self.else_region.blocks)

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        condition = parser.parse_unresolved_operand()
        result_types: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            result_types.extend(
                parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            )
        then_region = add_implicit_terminator(parse_body(parser), YieldOp)
        else_region = Region()
        if parser.parse_optional_keyword("else") is not None:
            else_region = add_implicit_terminator(parse_body(parser), YieldOp)
        attributes = parser.parse_optional_attr_dict()
        op = cls(
            parser.resolve_operand(condition, TileType(i1)),
            result_types,
            then_region,
            else_region,
        )
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        if self.results:
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.result_types, printer.print_attribute)
        printer.print_string(" ")
        print_body(printer, self.then_region, "then", YieldOp)
        if self.has_else:
            printer.print_string(" else ")
            print_body(printer, self.else_region, "else", YieldOp)
        printer.print_op_attributes(self.attributes)

    def verify_structure(self) -> None:
        for index, region in enumerate(self.regions):
            if any(block.args for block in region.blocks):
                self.fail(f"region #{index} should have no arguments")
        super().verify_structure()

    def verify_op(self) -> None:
        self.verify_no_views("result type", self.result_types)
        self._verify_branch("then", self.then_region.block)
        if self.has_else:
            self._verify_branch("else", self.else_region.block)
        elif self.results:
            self.fail("has non-empty return type, must define else branch")

    def _verify_branch(self, name: str, block: Block) -> None:
        terminator = block.last_op
        if not isinstance(terminator, YieldOp | BreakOp | ContinueOp | ReturnOp):
            self.fail(f"{name} branch must end in one of yield, break, continue, return")
        if not isinstance(terminator, YieldOp):
            return
        yielded, expected = _types(terminator.operands), tuple(self.result_types)
        if yielded == expected:
            return
        if not yielded:
            self.fail(
                f"has return type of {format_types(expected)} but {name} branch does not yield "
                "anything"
            )
        if not expected:
            self.fail(f"does not return a value, but {name} branch yields {format_types(yielded)}")
        self.fail(
            f"type does not match yield type, {name} branch yields {format_types(yielded)} but "
            f"op result type is {format_types(expected)}"
        )

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.cuda_tile.canonicalization.patterns import IF_PATTERNS

        return IF_PATTERNS


class LoopLikeOperation(RegionOperation):
    """Checks shared by `for` and `loop`."""

    REGION_NAMES: ClassVar = ("region",)

    def verify_carried(
        self,
        init_values: Sequence[SSAValue],
        arguments: Sequence[SSAValue],
        result_types: Sequence[Attribute],
    ) -> None:
        if len(init_values) != len(arguments):
            self.fail(
                "mismatch in number of region iterator values and loop iterator inits: "
                f"{len(arguments)} vs {len(init_values)}"
            )
        for index, (init, argument) in enumerate(zip(init_values, arguments, strict=True)):
            if init.type != argument.type:
                self.fail(
                    f"init value {index} and region iter_value {index} have different type: "
                    f"'{init.type}' != '{argument.type}'"
                )
            self.verify_no_view("loop-carried value", index, init.type)
        self.verify_no_views("result type", result_types)


def _parse_iter_values(
    parser: Parser,
) -> tuple[list[Parser.UnresolvedArgument], list[UnresolvedOperand]]:
    """`iter_values(%a = %init, …)`, if present."""
    names: list[Parser.UnresolvedArgument] = []
    inits: list[UnresolvedOperand] = []

    def parse_pair() -> None:
        names.append(parser.parse_argument(expect_type=False))
        parser.parse_punctuation("=")
        inits.append(parser.parse_unresolved_operand())

    if parser.parse_optional_keyword("iter_values") is not None:
        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_pair)
    return names, inits


def _print_iter_values(
    printer: Printer, arguments: Sequence[SSAValue], inits: Sequence[SSAValue]
) -> None:
    def print_pair(pair: tuple[SSAValue, SSAValue]) -> None:
        printer.print_operand(pair[0])
        printer.print_string(" = ")
        printer.print_operand(pair[1])

    printer.print_string(" iter_values")
    with printer.in_parens():
        printer.print_list(zip(arguments, inits, strict=False), print_pair)


@tile_op
class ForOp(LoopLikeOperation):
    """
    A counted loop over `lower` to `upper` (exclusive) by a positive `step`, compared signed
    unless `unsigned` (13.2). The body ends in `continue` with the carried values.
    """

    name = "cuda_tile.for"

    BOUND: ClassVar = VarConstraint("BOUND", IntScalar)
    lower_bound = operand_def(BOUND)
    upper_bound = operand_def(BOUND)
    step = operand_def(BOUND)
    init_values = var_operand_def(AnyType)
    unsigned_cmp = opt_prop_def(UnitKind, prop_name="unsignedCmp")
    result_values = var_result_def(AnyType)
    body = region_def()

    DEFAULTS: ClassVar = {"result_values_type": TypeOf("init_values")}

    def public_names(self) -> Sequence[str | None]:
        return ("for",)

    @property
    def induction_variable(self) -> SSAValue:
        return self.body.block.args[0]

    @property
    def iter_values(self) -> Sequence[SSAValue]:
        """The carried values inside the body."""
        return self.body.block.args[1:]

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        unsigned = parser.parse_optional_keyword("unsigned") is not None
        induction = parser.parse_argument(expect_type=False)
        parser.parse_keyword("in")
        with parser.in_parens():
            lower = parser.parse_unresolved_operand()
            parser.parse_keyword("to")
            upper = parser.parse_unresolved_operand()
            parser.parse_punctuation(",")
            parser.parse_keyword("step")
            step = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        bound_type = parser.parse_type()
        names, inits = _parse_iter_values(parser)
        types: list[Attribute] = []
        position = parser.pos
        if parser.parse_optional_punctuation("->") is not None:
            types.extend(
                parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            )
        if len(types) != len(inits):
            parser.raise_error(
                "mismatch in number of loop-carried values and defined values", position
            )
        lower_bound, upper_bound, step_value = (
            parser.resolve_operand(bound, bound_type) for bound in (lower, upper, step)
        )
        init_values = parser.resolve_operands(inits, types, position)
        arguments = [
            induction.resolve(bound_type),
            *(name.resolve(ty) for name, ty in zip(names, types, strict=True)),
        ]
        body = add_implicit_terminator(parse_body(parser, arguments), ContinueOp)
        attributes = parser.parse_optional_attr_dict()
        op = cls(lower_bound, upper_bound, step_value, init_values, body, unsigned_cmp=unsigned)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        if self.unsigned_cmp is not None:
            printer.print_string(" unsigned")
        printer.print_string(" ")
        printer.print_operand(self.induction_variable)
        printer.print_string(" in (")
        printer.print_operand(self.lower_bound)
        printer.print_string(" to ")
        printer.print_operand(self.upper_bound)
        printer.print_string(", step ")
        printer.print_operand(self.step)
        printer.print_string(") : ")
        printer.print_attribute(self.lower_bound.type)
        if self.init_values:
            _print_iter_values(printer, self.iter_values, self.init_values)
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.result_types, printer.print_attribute)
        printer.print_string(" ")
        print_body(printer, self.body, "body", ContinueOp)
        printer.print_op_attributes(self.attributes)

    TYPE_GROUPS: ClassVar = (same_type("init_values", "result_values"),)
    GROUP_NAMES: ClassVar = {
        "lower_bound": "lowerBound",
        "upper_bound": "upperBound",
        "init_values": "initValues",
        "result_values": "resultValues",
    }

    def verify_regions_(self) -> None:
        block = self.body.block
        if not isinstance(block.last_op, ContinueOp):
            self.fail("body must end in continue")
        if not block.args:
            self.fail("expected at least one block argument for induction variable")
        induction, bound = block.args[0].type, self.lower_bound.type
        if induction != bound:
            self.fail(
                "expected induction variable to be same type as bounds and step: "
                f"'{induction}' vs '{bound}'"
            )
        self.verify_carried(self.init_values, block.args[1:], self.result_types)


@tile_op
class LoopOp(LoopLikeOperation):
    """
    An endless loop, left by `break` with its results (13.4: or by `return`). Carried values
    and results may differ.
    """

    name = "cuda_tile.loop"

    init_values = var_operand_def(AnyType)
    result_values = var_result_def(AnyType)
    body = region_def()

    @classmethod
    def parse(cls, parser: Parser) -> LoopOp:
        names, inits = _parse_iter_values(parser)
        types: list[Attribute] = []
        result_types: list[Attribute] = []
        position = parser.pos
        if parser.parse_optional_punctuation(":") is not None:
            types.extend(
                parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            )
            if not inits:
                types, result_types = [], types
            elif parser.parse_optional_punctuation("->") is not None:
                result_types.extend(
                    parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
                )
        if len(types) != len(inits):
            parser.raise_error("found different number of iter_values and types", position)
        init_values = parser.resolve_operands(inits, types, position)
        arguments = [name.resolve(ty) for name, ty in zip(names, types, strict=True)]
        body = add_implicit_terminator(parse_body(parser, arguments), ContinueOp)
        attributes = parser.parse_optional_attr_dict()
        op = cls(init_values, result_types, body)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        if self.init_values:
            _print_iter_values(printer, self.body.block.args, self.init_values)
            printer.print_string(" : ")
            printer.print_list(_types(self.init_values), printer.print_attribute)
        if self.results:
            printer.print_string(" -> " if self.init_values else " : ")
            printer.print_list(self.result_types, printer.print_attribute)
        printer.print_string(" ")
        print_body(printer, self.body, "body", ContinueOp)
        printer.print_op_attributes(self.attributes)

    def verify_regions_(self) -> None:
        block = self.body.block
        if not isinstance(block.last_op, ContinueOp | BreakOp | ReturnOp):
            self.fail("body must end in continue, break or return")
        self.verify_carried(self.init_values, block.args, self.result_types)


@tile_op
class AssertOp(CudaTileOperation):
    """Stops the program with a message if an element of the condition is false."""

    name = "cuda_tile.assert"

    condition = operand_def(I1Tile)
    message = prop_def(StrAttr)

    traits = traits_def(OrderedEffects())
    assembly_format = "$condition `,` $message attr-dict `:` type($condition)"
