"""
Modules, kernels, globals and constants, and the function op that tests use where an `entry` would
be too restrictive.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from typing import ClassVar

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import (
    Attribute,
    Block,
    ErasedSSAValue,
    Operation,
    OpResult,
    Region,
    SSAValue,
    SSAValues,
)
from xdsl.irdl import opt_prop_def, prop_def, region_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    ConstantLike,
    IsolatedFromAbove,
    NoTerminator,
    Pure,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.xdsl_extras.dominance import SSADominance, has_graph_regions
from tileiras_xdsl.xdsl_extras.walking import walk

from . import printing
from .attributes import OptimizationHintsAttr
from .base import (
    AttributeKind,
    CudaTileOperation,
    I32Scalar,
    I64Attr,
    NumberTile,
    PtrScalar,
    StrAttr,
    attribute_of,
    tile_op,
)
from .control_flow import FunctionLike, ReturnOp
from .debug_info import (
    verify_function_debug_info,
    verify_function_location,
    verify_no_debug_scope,
    verify_op_scopes,
)
from .directives import (
    DenseLiteralAndType,
    TypeOnce,
    parse_dense_literal_and_type,
    parse_sized_integer,
    print_dense_literal_and_type,
)
from .elements import DenseElementsAttr, is_nan_bits
from .enums import SymbolVisibility, SymbolVisibilityAttr
from .floating import UnitKind
from .memory import HintsKind
from .shape import tile_type
from .types import PtrType, TileType, element_name

# Names of constants: `%true`, `%cst_42`, `%cst`, computed from the value whatever the input
# called them.
#
# xDSL's printer appends `_1`, `_2`, … to a repeated hint without looking whether the result is
# in use, and its parser cuts such endings off. `%cst_1` could thus be the second unnamed float
# or the integer 1. The hints handed out here are unique among the constants of a kernel.

UNNAMED = "cst"


def constant_name(value: DenseElementsAttr) -> str:
    """`true`, `false` or `cst_i1` for bits, `cst_NaN`, `cst_` and the integer, or `cst`."""
    element = value.element_type
    if not isinstance(element, IntegerType):
        is_nan = value.is_splat and is_nan_bits(value.get_bits()[0], element)
        return "cst_NaN" if is_nan else UNNAMED
    splat = value.get_splat_value()
    if element.width.data == 1:
        return "cst_i1" if splat is None else "true" if splat else "false"
    return UNNAMED if splat is None else f"cst_{splat}"


def public_constant_name(value: DenseElementsAttr) -> str:
    """The name NVIDIA's tools give: with the element type, and with small float values."""
    name = constant_name(value)
    if name in ("true", "false", "cst_i1"):
        return name
    splat = value.get_splat_value()
    if isinstance(splat, float) and splat.is_integer() and 0 <= splat < 2**64:
        if math.copysign(1.0, splat) > 0:
            name = f"cst_{int(splat)}"
    return f"{name}_{element_name(value.element_type)}"


class ConstantResult(OpResult):
    """The result of a `constant`; its name hint is computed, and setting it does nothing."""

    @property
    def name_hint(self) -> str | None:
        scope = _scope_of(self.op)
        # The first constant of a kernel is printed before the others, whatever has happened to
        # the kernel since the last print; only in a graph region a use may come before it.
        if _is_first(self.op, scope) or (self._name is None and has_graph_regions(scope)):
            _name_constants(scope)
        return self._name or self.plain_name

    @name_hint.setter
    def name_hint(self, name: str | None) -> None:
        pass

    def replace_all_uses_with(self, value: SSAValue) -> None:
        if value is self or not isinstance(value, ConstantResult | ErasedSSAValue):
            super().replace_all_uses_with(value)
            return
        # These need no name, and to ask for one may take a look at the whole kernel.
        for use in tuple(self.uses):
            use.operation.operands[use.index] = value

    def settle_name(self, name: str) -> None:
        """Sets the hint to a name that no other value of the kernel is printed as."""
        self._name = name

    @property
    def elements(self) -> DenseElementsAttr | None:
        """The value of the constant; invalid IR may have none."""
        value = self.op.properties.get("value")
        return value if isinstance(value, DenseElementsAttr) else None

    @property
    def plain_name(self) -> str:
        """The name that the value alone gives, unique or not."""
        return UNNAMED if self.elements is None else constant_name(self.elements)


def _is_isolated(op: Operation) -> bool:
    return op.has_trait(IsolatedFromAbove, value_if_unregistered=False)


def _scope_of(op: Operation) -> Operation:
    """The innermost isolated op around `op`, within which the names of values are distinct."""
    scope = op
    while (parent := scope.parent_op()) is not None:
        scope = parent
        if _is_isolated(scope):
            break
    return scope


def _values(scope: Operation, *, nested_scopes: bool = False) -> Iterator[SSAValue]:
    """The values below `scope` in the order of their definitions."""
    for region in scope.regions:
        for block in region.blocks:
            yield from block.args
            for op in block.ops:
                yield from op.results
                if op.regions and (nested_scopes or not _is_isolated(op)):
                    yield from _values(op, nested_scopes=nested_scopes)


def _constants(scope: Operation) -> Iterator[ConstantResult]:
    return (value for value in _values(scope) if isinstance(value, ConstantResult))


def _is_first(op: Operation, scope: Operation) -> bool:
    """Whether no constant comes before `op` in its scope; looks at the nearest ops first."""
    while op is not scope and (block := op.parent) is not None:
        earlier = op.prev_op
        while earlier is not None:
            if _has_constants(earlier):
                return False
            earlier = earlier.prev_op
        if (parent := op.parent_op()) is None:
            break
        blocks = (other for region in parent.regions for other in region.blocks)
        for earlier_block in takewhile(lambda other: other is not block, blocks):
            if any(map(_has_constants, earlier_block.ops)):
                return False
        op = parent
    return True


def _has_constants(op: Operation) -> bool:
    """Whether `op` is a constant or has some in its regions."""
    if op.regions and not _is_isolated(op):
        return next(_constants(op), None) is not None
    return any(isinstance(result, ConstantResult) for result in op.results)


def _name_constants(scope: Operation) -> None:
    """Settles the hints of all constants of a kernel."""
    printed_elsewhere = {_numbered(number) for number in range(_count_others(scope))}
    unnamed: list[ConstantResult] = []
    taken = set(printed_elsewhere)
    for constant in _constants(scope):
        name, elements = constant.plain_name, constant.elements
        if name == UNNAMED or elements is None:
            unnamed.append(constant)
            continue
        if name in printed_elsewhere:
            name = public_constant_name(elements)
        constant.settle_name(name)
        taken.add(name)
    free = (name for name in map(_numbered, count()) if name not in taken)
    for constant, name in zip(unnamed, free, strict=False):
        constant.settle_name(name)


def _count_others(scope: Operation) -> int:
    """
    How many values share the hint `cst` with the constants of a scope: other values in it and
    below, and all in the scopes around, whose numbers xDSL continues.
    """
    others = sum(
        value.name_hint == UNNAMED
        for value in _values(scope, nested_scopes=True)
        if not isinstance(value, ConstantResult)
    )
    while scope.parent_op() is not None:
        scope = _scope_of(scope)
        others += sum(
            (value.plain_name if isinstance(value, ConstantResult) else value.name_hint) == UNNAMED
            for value in _values(scope)
        )
    return others


def _numbered(number: int) -> str:
    """What xDSL prints for a repeated hint `cst`: `cst`, `cst_1`, `cst_2`, …"""
    return UNNAMED if number == 0 else f"{UNNAMED}_{number}"


def _is_dictionary_array(attribute: Attribute) -> bool:
    return isinstance(attribute, ArrayAttr) and all(
        isinstance(element, DictionaryAttr) for element in attribute
    )


def _is_flat_symbol(attribute: Attribute) -> bool:
    return isinstance(attribute, SymbolRefAttr) and not attribute.nested_references.data


DenseKind = attribute_of("dense elements attribute", DenseElementsAttr)
VisibilityKind = attribute_of("symbol visibility attribute", SymbolVisibilityAttr)
FunctionTypeKind = attribute_of("type attribute of function type", FunctionType)
ArrayKind = AttributeKind[ArrayAttr[DictionaryAttr]](
    "Array of dictionary attributes", _is_dictionary_array
)
SymbolRefKind = AttributeKind[SymbolRefAttr](
    "flat symbol reference attribute", _is_flat_symbol, SymbolRefAttr
)


@dataclass(frozen=True)
class ModuleSymbols(SymbolTable):
    """The names of a module's members, of which no two may be equal."""

    def verify(self, op: Operation) -> None:
        met: set[Attribute] = set()
        for member in op.regions[0].block.ops:
            name = member.get_attr_or_prop("sym_name")
            if isinstance(name, StringAttr):
                if name in met:
                    raise VerifyException(f"redefinition of symbol named '{name.data}'")
                met.add(name)


@tile_op
class ModuleOp(CudaTileOperation):
    """The root of a Tile IR program: entries and globals."""

    name = "cuda_tile.module"

    sym_name = prop_def(StrAttr)
    producer = opt_prop_def(StrAttr)
    body = region_def()

    REGION_NAMES: ClassVar = ("body",)
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), ModuleSymbols())

    def __init__(self, name: str, ops: Sequence[Operation] | Region, producer: str | None = None):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "producer": None if producer is None else StringAttr(producer),
            },
            regions=[ops if isinstance(ops, Region) else Region(Block(ops))],
        )

    @classmethod
    def parse(cls, parser: Parser) -> ModuleOp:
        name = parser.parse_symbol_name()
        attributes: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("attributes") is not None:
            attributes = parser.parse_optional_attr_dict()
        body = printing.parse_body(parser)
        properties: dict[str, Attribute] = {"sym_name": name}
        if "producer" in attributes:
            properties["producer"] = attributes.pop("producer")
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        attributes = dict(self.attributes)
        if self.producer is not None:
            attributes["producer"] = self.producer
        printer.print_op_attributes(attributes, print_keyword=True)
        printer.print_string(" ")
        with printer.in_braces():
            with printer.indented():
                for op in self.body.block.ops:
                    printer.print_string("\n")
                    printer.print_op(op)
            printer.print_string("\n")

    def verify_structure(self) -> None:
        super().verify_structure()
        block = self.body.first_block
        if block is not None and block.args:
            self.fail("region #0 should have no arguments")

    def verify_regions_(self) -> None:
        for op in self.body.block.ops:
            if isinstance(op, FunctionLike):
                continue
            if not op.has_trait(SymbolOpInterface, value_if_unregistered=False):
                self.fail("non-symbol operations are not allowed in a module body")
            verify_no_debug_scope(op)
        self._verify_symbol_uses()

    def _verify_symbol_uses(self) -> None:
        """As in MLIR after everything else, and for all of them with one table."""
        targets = _globals_of(self)
        for op in walk(self):
            if isinstance(op, GetGlobalOp):
                try:
                    op.verify_target(targets)
                except VerifyException as error:
                    op.emit_error(f"Operation does not verify: {error}", error)


@tile_op
class EntryOp(FunctionLike):
    """A kernel. Its tile parameters are scalars; it returns nothing."""

    name = "cuda_tile.entry"

    sym_name = prop_def(StrAttr)
    function_type = prop_def(FunctionTypeKind)
    arg_attrs = opt_prop_def(ArrayKind)
    res_attrs = opt_prop_def(ArrayKind)
    optimization_hints = opt_prop_def(HintsKind)
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), SSADominance())

    def __init__(self, name: str, body: Region, hints: OptimizationHintsAttr | None = None):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(
                    [argument.type for argument in body.block.args], []
                ),
                "optimization_hints": hints,
            },
            regions=[body],
        )

    @property
    def symbol(self) -> str:
        return self.sym_name.data

    @classmethod
    def parse(cls, parser: Parser) -> EntryOp:
        name = parser.parse_symbol_name()
        arguments = printing.parse_arguments(parser)
        properties: dict[str, Attribute] = {
            "sym_name": name,
            "function_type": FunctionType.from_lists([argument.type for argument in arguments], []),
        }
        if parser.parse_optional_keyword("optimization_hints") is not None:
            parser.parse_punctuation("=")
            properties["optimization_hints"] = OptimizationHintsAttr.new(
                OptimizationHintsAttr.parse_parameters(parser)
            )
        body = printing.add_implicit_terminator(printing.parse_body(parser, arguments), ReturnOp)
        attributes = parser.parse_optional_attr_dict()
        properties |= {
            name: attributes.pop(name) for name in ("arg_attrs", "res_attrs") if name in attributes
        }
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.symbol)
        printing.print_arguments(printer, self.body.block.args)
        hints = self.optimization_hints
        if isinstance(hints, OptimizationHintsAttr) and (
            hints.value.data or not printing.is_public(printer)
        ):
            printer.print_string(" optimization_hints=")
            hints.print_parameters(printer)
        printer.print_string(" ")
        printing.print_body(printer, self.body, "body")
        attributes = dict(self.attributes)
        if not printing.is_public(printer):
            attributes |= {
                name: self.properties[name]
                for name in ("arg_attrs", "res_attrs")
                if name in self.properties
            }
        printer.print_op_attributes(attributes)

    def verify_op(self) -> None:
        block = self.body.block
        ty = self.function_type
        if ty.outputs.data:
            self.fail("entry op must not return values")
        for argument in ty.inputs:
            if isinstance(argument, TileType) and argument.rank:
                self.fail("entry op must have scalar types (rank 0 !cuda_tile.tile)")
        found = [argument.type for argument in block.args]
        if found != list(ty.inputs):
            self.fail(
                f"entry block has arguments ({printing.format_types(found)}), but the function "
                f"type takes ({printing.format_types(tuple(ty.inputs))})"
            )
        verify_function_location(self, self.symbol)

    def verify_regions_(self) -> None:
        if not isinstance(self.body.block.last_op, ReturnOp):
            self.fail("body must end in return")
        verify_op_scopes(self)


@tile_op
class GlobalOp(CudaTileOperation):
    """An array in global memory with its initial elements."""

    name = "cuda_tile.global"

    sym_name = prop_def(StrAttr)
    value = prop_def(DenseKind)
    alignment = prop_def(I64Attr, default_value=IntegerAttr(0, i64))
    constant = opt_prop_def(UnitKind)
    symbol_visibility = prop_def(
        VisibilityKind, default_value=SymbolVisibilityAttr(SymbolVisibility.PUBLIC)
    )

    traits = traits_def(SymbolOpInterface())

    DEFAULTS: ClassVar = {"alignment": 0, "symbol_visibility": SymbolVisibility.PUBLIC}

    @property
    def elements(self) -> DenseElementsAttr:
        return self.value

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        properties: dict[str, Attribute] = {}
        for visibility in SymbolVisibility:
            if parser.parse_optional_keyword(visibility.value) is not None:
                properties["symbol_visibility"] = SymbolVisibilityAttr(visibility)
                break
        if parser.parse_optional_keyword("constant") is not None:
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        if parser.parse_optional_keyword("alignment") is not None:
            parser.parse_punctuation("=")
            properties["alignment"] = IntegerAttr(parse_sized_integer(parser, 64), i64)
        attributes = parser.parse_optional_attr_dict()
        properties["value"] = parse_dense_literal_and_type(parser)
        return cls.create(properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.symbol_visibility == SymbolVisibilityAttr(SymbolVisibility.PRIVATE):
            printer.print_string(" private")
        if printing.is_public(printer):
            printer.print_string(" ")
        if self.constant is not None:
            printer.print_string(" constant")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        if self.alignment.value.data:
            printer.print_string(f" alignment = {self.alignment.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        print_dense_literal_and_type(printer, self.elements)

    def verify_op(self) -> None:
        if self.elements.type.rank != 1:
            self.fail("type must have rank 1")


def _globals_of(table: Operation) -> dict[Attribute, GlobalOp]:
    """The globals in a symbol table, which need not be valid yet, by name."""
    return {
        op.properties["sym_name"]: op
        for region in table.regions
        for block in region.blocks
        for op in block.ops
        if isinstance(op, GlobalOp) and "sym_name" in op.properties
    }


@tile_op
class GetGlobalOp(CudaTileOperation):
    """The address of a global."""

    name = "cuda_tile.get_global"

    name_ = prop_def(SymbolRefKind, prop_name="name")
    result = result_def(PtrScalar)

    traits = traits_def(Pure())
    assembly_format = "$name attr-dict `:` type($result)"

    def verify_op(self) -> None:
        table = self.parent_op()
        while table is not None and not table.has_trait(SymbolTable, value_if_unregistered=False):
            table = table.parent_op()
        if table is not None and not isinstance(table, ModuleOp):  # which does it itself
            self.verify_target(_globals_of(table))

    def verify_target(self, targets: Mapping[Attribute, GlobalOp]) -> None:
        """Checks that one of these globals is meant, and that the pointer fits it."""
        symbol = self.name_.string_value()
        target = targets.get(self.name_.root_reference)
        if target is None:
            self.fail(f"'{symbol}' does not reference a valid global")
        value = target.properties.get("value")
        if not isinstance(value, DenseElementsAttr):
            return
        pointer, element = tile_type(self.result).element_type, value.element_type
        assert isinstance(pointer, PtrType)
        if pointer.pointee != element:
            self.fail(
                f"pointee type of result type '{pointer}' does not match type "
                f"'{element_name(element)}' of the global @{symbol}"
            )


class GridQueryOperation(CudaTileOperation):
    """Three grid coordinates of one type: `op : tile<i32>`."""

    traits = traits_def(Pure())
    custom_directives = (TypeOnce,)

    def __init__(self) -> None:
        super().__init__(result_types=[TileType(i32)] * 3)


@tile_op
class GetTileBlockIdOp(GridQueryOperation):
    """The coordinates of this tile block in the grid."""

    name = "cuda_tile.get_tile_block_id"

    block_id_x = result_def(I32Scalar)
    block_id_y = result_def(I32Scalar)
    block_id_z = result_def(I32Scalar)
    RESULT_HINTS: ClassVar = ("blockId_x", "blockId_y", "blockId_z")
    assembly_format = (
        "attr-dict `:` custom<TypeOnce>(type($block_id_x), type($block_id_y), type($block_id_z))"
    )


@tile_op
class GetNumTileBlocksOp(GridQueryOperation):
    """The size of the grid."""

    name = "cuda_tile.get_num_tile_blocks"

    grid_size_x = result_def(I32Scalar)
    grid_size_y = result_def(I32Scalar)
    grid_size_z = result_def(I32Scalar)
    RESULT_HINTS: ClassVar = ("gridSize_x", "gridSize_y", "gridSize_z")
    assembly_format = (
        "attr-dict `:` custom<TypeOnce>(type($grid_size_x), type($grid_size_y), type($grid_size_z))"
    )


@tile_op
class ConstantOp(CudaTileOperation, HasFolderInterface):
    """A tile of known elements: `constant <i32: [1, 2]> : tile<2xi32>`."""

    name = "cuda_tile.constant"

    value = prop_def(DenseKind)
    result = result_def(NumberTile)

    traits = traits_def(Pure(), ConstantLike())
    custom_directives = (DenseLiteralAndType,)
    assembly_format = "custom<DenseLiteralAndType>($value, type($result)) attr-dict"

    def __init__(self, value: DenseElementsAttr):
        super().__init__(result_types=[value.type], properties={"value": value})

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.results) == 1:
            self.results = SSAValues((ConstantResult(self.results[0].type, self, 0),))

    @property
    def elements(self) -> DenseElementsAttr:
        return self.value

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return (self.elements,)

    def public_names(self) -> Sequence[str | None]:
        return (public_constant_name(self.elements),)

    def verify_op(self) -> None:
        if self.elements.type != self.result.type:
            self.fail("failed to verify that all of {value, result} have same type")


class MaterializeConstant(ConstantMaterializationInterface):
    """What folds yield as elements is a `constant`."""

    def materialize_constant(self, value: Attribute, type: Attribute) -> Operation | None:  # noqa: A002
        return ConstantOp(value) if isinstance(value, DenseElementsAttr) else None


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
