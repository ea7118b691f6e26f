"""
xDSL's `gpu` with what it lacks: queries about clusters, shuffles and reductions of a subgroup,
`printf`, dynamic shared memory. Queries are pure, barriers are ordered with accesses.

The dialect takes the place of xDSL's in every context (see `universe.py`). Each op that replaces
one is a subclass of it, so that passes and patterns of xDSL find it. Modules, functions, queries
and barriers print in the form of upstream; others in the generic form, as xDSL's do, but the form
of upstream is read as well where it is given here.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects import gpu
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i1,
    i32,
)
from xdsl.dialects.gpu import AllReduceOpAttr, DimensionAttr, DimensionEnum
from xdsl.dialects.utils.format import print_func_argument
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    attr_def,
    eq,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoTerminator,
    Pure,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa
from xdsl.utils.str_enum import StrEnum

from tileiras_xdsl.dialects.building import (
    BuiltOperation,
    EnumAttr,
    OpT,
    Value,
    derive,
    spaced_enum_attribute,
)
from tileiras_xdsl.dialects.memory_order import Fences
from tileiras_xdsl.xdsl_extras.bare_types import VerifiedEncodings

# Attributes


class AddressSpace(StrEnum):
    """Memories of a GPU."""

    GLOBAL = "global"
    WORKGROUP = "workgroup"
    PRIVATE = "private"


@irdl_attr_definition
class AddressSpaceAttr(EnumAttr[AddressSpace]):
    """`#gpu.address_space<workgroup>`"""

    name = "gpu.address_space"
    enum_type = AddressSpace


class ShuffleMode(StrEnum):
    """Which lane a lane reads from."""

    XOR = "xor"
    UP = "up"
    DOWN = "down"
    IDX = "idx"


class Reduction(StrEnum):
    """How values are combined, with upstream's names for minima and maxima."""

    ADD = "add"
    MUL = "mul"
    MINUI = "minui"
    MINSI = "minsi"
    MINNUMF = "minnumf"
    MAXUI = "maxui"
    MAXSI = "maxsi"
    MAXNUMF = "maxnumf"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MINIMUMF = "minimumf"
    MAXIMUMF = "maximumf"
    MIN = "min"
    MAX = "max"


ShuffleModeAttr = spaced_enum_attribute("gpu.shuffle_mode", ShuffleMode)
ReductionAttr = spaced_enum_attribute("gpu.all_reduce_op", Reduction)

# Modules and functions

SIZES = DenseArrayBase.constr(i32)


@irdl_op_definition
class ModuleOp(gpu.ModuleOp):
    """The code of a GPU: `gpu.module @kernels { … }`."""

    name = "gpu.module"

    body = region_def("single_block")
    sym_name = prop_def(SymbolNameConstraint())

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), SymbolTable())

    assembly_format = "$sym_name attr-dict-with-keyword $body"


@irdl_op_definition
class FuncOp(gpu.FuncOp):
    """
    A function of a GPU. What has no keyword stands in the dictionary of attributes.

        gpu.func @softmax(%input: !llvm.ptr<1> {nv.readonly}, %n: i32) kernel attributes {…} {
          gpu.return
        }
    """

    name = "gpu.func"

    body = region_def()
    sym_name = attr_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    kernel = opt_prop_def(UnitAttr)
    known_block_size = opt_attr_def(SIZES, attr_name="gpu.known_block_size")
    known_grid_size = opt_attr_def(SIZES, attr_name="gpu.known_grid_size")

    traits = traits_def(
        IsolatedFromAbove(), HasParent(gpu.ModuleOp), SymbolOpInterface(), VerifiedEncodings()
    )

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN,
            lambda: (parser.parse_argument(), parser.parse_optional_dictionary_attr_dict()),
        )
        outputs: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->") is not None:
            outputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        function_type = FunctionType.from_lists([each.type for each, _ in arguments], outputs)
        properties: dict[str, Attribute] = {"function_type": function_type}
        if parser.parse_optional_keyword("kernel") is not None:
            properties["kernel"] = UnitAttr()
        keywords = parser.parse_optional_attr_dict_with_keyword()
        attributes: dict[str, Attribute] = {"sym_name": name}
        if keywords is not None:
            attributes |= keywords.data
        if any(attrs for _, attrs in arguments):
            attributes["arg_attrs"] = ArrayAttr(DictionaryAttr(attrs) for _, attrs in arguments)
        body = parser.parse_region([each for each, _ in arguments])
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        block = self.body.blocks.first
        arguments = () if block is None else block.args
        listed = self.attributes.get("arg_attrs")
        if not isa(listed, ArrayAttr[DictionaryAttr]) or len(listed) != len(arguments):
            listed = None
        attrs = [DictionaryAttr({})] * len(arguments) if listed is None else listed
        with printer.in_parens():
            printer.print_list(
                zip(arguments, attrs, strict=True), lambda each: print_func_argument(printer, *each)
            )
        if self.function_type.outputs:
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.function_type.outputs, printer.print_attribute)
        if self.kernel is not None:
            printer.print_string(" kernel")
        reserved = ("sym_name",) if listed is None else ("sym_name", "arg_attrs")
        printer.print_op_attributes(
            self.attributes, reserved_attr_names=reserved, print_keyword=True
        )
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


@irdl_op_definition
class ReturnOp(gpu.ReturnOp):
    """The end of a function of a GPU: `gpu.return`, or `gpu.return %x : f32`."""

    name = "gpu.return"

    args = var_operand_def()

    traits = traits_def(IsTerminator(), HasParent(gpu.FuncOp))

    assembly_format = "attr-dict ($args^ `:` type($args))?"


# Queries


def _parse_index_type(parser: Parser) -> None:
    if parser.parse_optional_punctuation(":") is not None:
        position = parser.pos
        if (ty := parser.parse_type()) != IndexType():
            parser.raise_error(f"expected 'index', but got '{ty}'", position)


class QueryOp(BuiltOperation, ABC):
    """A question about the place of a thread, which has one answer: `gpu.lane_id`."""

    result = result_def(IndexType)

    traits = traits_def(Pure())

    def __init__(self) -> None:
        IRDLOperation.__init__(self, result_types=[IndexType()])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`gpu.lane_id`, with or without `: index`."""
        attributes = parser.parse_optional_attr_dict()
        _parse_index_type(parser)
        op = cls()
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        """Keeps away that of the replaced op, which would check everything again."""


class DimensionQueryOp(BuiltOperation, ABC):
    """A query in one dimension: `gpu.thread_id x`."""

    dimension = prop_def(DimensionAttr)
    result = result_def(IndexType)

    traits = traits_def(Pure())

    def __init__(self, dim: DimensionAttr):
        IRDLOperation.__init__(self, result_types=[IndexType()], properties={"dimension": dim})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`gpu.thread_id x`, with or without `: index`."""
        op = cls(DimensionAttr(parser.parse_str_enum(DimensionEnum)))
        op.attributes = parser.parse_optional_attr_dict()
        _parse_index_type(parser)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.dimension.data}")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        """Keeps away that of the replaced op, which would check everything again."""


def _query(base: type[OpT], class_name: str, word: str, what: str) -> type[OpT]:
    """A query, also in the place of the op that xDSL has for it."""
    replaced: type[Operation] | None = getattr(gpu, class_name, None)
    name = f"gpu.{word}"
    doc = f"{what}: `{name}{' x' if issubclass(base, DimensionQueryOp) else ''}`."
    also = () if replaced is None else (replaced,)
    return irdl_op_definition(derive(base, class_name, name, doc, also))


ClusterIdOp = _query(DimensionQueryOp, "ClusterIdOp", "cluster_id", "The position of the cluster")
ClusterDimOp = _query(DimensionQueryOp, "ClusterDimOp", "cluster_dim", "The number of clusters")
ClusterBlockIdOp = _query(
    DimensionQueryOp, "ClusterBlockIdOp", "cluster_block_id", "The position in the cluster"
)
ClusterDimBlocksOp = _query(
    DimensionQueryOp, "ClusterDimBlocksOp", "cluster_dim_blocks", "The CTAs of a cluster"
)
ThreadIdOp = _query(DimensionQueryOp, "ThreadIdOp", "thread_id", "The position in the CTA")
BlockIdOp = _query(DimensionQueryOp, "BlockIdOp", "block_id", "The position in the grid")
BlockDimOp = _query(DimensionQueryOp, "BlockDimOp", "block_dim", "The threads of a CTA")
GridDimOp = _query(DimensionQueryOp, "GridDimOp", "grid_dim", "The CTAs of the grid")
GlobalIdOp = _query(
    DimensionQueryOp, "GlobalIdOp", "global_id", "The position of the thread in the grid"
)
LaneIdOp = _query(QueryOp, "LaneIdOp", "lane_id", "The position in the subgroup")
SubgroupIdOp = _query(
    QueryOp, "SubgroupIdOp", "subgroup_id", "The position of the subgroup in the CTA"
)
SubgroupSizeOp = _query(QueryOp, "SubgroupSizeOp", "subgroup_size", "The threads of a subgroup")
NumSubgroupsOp = _query(QueryOp, "NumSubgroupsOp", "num_subgroups", "The subgroups of a CTA")


# What threads do together


class OrderedOperation(BuiltOperation, ABC):
    """An operation that is never removed, moved across another, or merged with one."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


@irdl_op_definition
class BarrierOp(OrderedOperation, gpu.BarrierOp):
    """All threads of the CTA meet: `gpu.barrier`."""

    name = "gpu.barrier"

    traits = traits_def(Fences())

    @classmethod
    def parse(cls, parser: Parser) -> BarrierOp:
        op = cls()
        op.attributes = parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ShuffleOp(OrderedOperation):
    """
    The value of another lane of the subgroup, and whether that lane is one of the first `width`.

        %r, %valid = "gpu.shuffle"(%value, %offset, %width) {mode = #gpu<shuffle_mode xor>}
            : (f32, i32, i32) -> (f32, i1)
    """

    name = "gpu.shuffle"

    T: ClassVar = VarConstraint("T", AnyAttr())

    value = operand_def(T)
    offset = operand_def(eq(i32))
    width = operand_def(eq(i32))
    mode = prop_def(ShuffleModeAttr)
    result = result_def(T)
    valid = result_def(eq(i1))

    @classmethod
    def parse(cls, parser: Parser) -> ShuffleOp:
        """`gpu.shuffle xor %value, %offset, %width : f32`"""
        mode = parser.parse_str_enum(ShuffleMode)
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        offset = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        width = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        ty = parser.parse_type()
        op = cls(
            parser.resolve_operand(value, ty),
            parser.resolve_operand(offset, i32),
            parser.resolve_operand(width, i32),
            mode,
        )
        op.attributes = attributes
        return op


@irdl_op_definition
class SubgroupReduceOp(OrderedOperation):
    """
    Combines the values of the lanes of a subgroup, or of every `cluster_size` of them, which
    are `cluster_stride` apart; `uniform`: all lanes take part.

        %r = "gpu.subgroup_reduce"(%x) {op = #gpu<all_reduce_op add>, uniform} : (f32) -> f32
    """

    name = "gpu.subgroup_reduce"

    T: ClassVar = VarConstraint("T", AnyAttr())

    value = operand_def(T)
    op = prop_def(ReductionAttr)
    uniform = opt_prop_def(UnitAttr)
    cluster_size = opt_prop_def(IntegerAttr[IntegerType])
    cluster_stride = opt_prop_def(IntegerAttr[IntegerType])
    result = result_def(T)

    def verify_(self) -> None:
        size = 1 if self.cluster_size is None else self.cluster_size.value.data
        if size < 1 or size & (size - 1):
            raise VerifyException(f"cluster size {size} is not a power of two")
        stride = 1 if self.cluster_stride is None else self.cluster_stride.value.data
        if stride < 1 or stride & (stride - 1):
            raise VerifyException(f"cluster stride {stride} is not a power of two")
        if self.cluster_stride is not None and self.cluster_size is None:
            raise VerifyException("cluster stride can only be specified if cluster size is")


@irdl_op_definition
class AllReduceOp(OrderedOperation, gpu.AllReduceOp):
    """
    Combines the values of all threads of the CTA.

        %r = "gpu.all_reduce"(%x) ({}) {op = #gpu<all_reduce_op add>} : (f32) -> f32
    """

    name = "gpu.all_reduce"

    operand = operand_def()
    op = opt_prop_def(ReductionAttr)
    uniform = opt_prop_def(UnitAttr)
    result = result_def()
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        if self.result.type != self.operand.type:
            raise VerifyException(
                f"expects a result of type '{self.operand.type}', but got '{self.result.type}'"
            )
        if (self.op is None) != bool(self.body.blocks):
            raise VerifyException("expects either an op attribute or a non-empty body")
        if self.body.blocks and self.body.blocks[0].arg_types != (self.operand.type,) * 2:
            raise VerifyException(f"expects a body with two arguments of '{self.operand.type}'")


# Output and memory


@irdl_op_definition
class PrintfOp(OrderedOperation):
    """
    Prints values by a format of C.

        "gpu.printf"(%x, %y) {format = "%d %f\\0A"} : (i32, f32) -> ()
    """

    name = "gpu.printf"

    args = var_operand_def()
    format = prop_def(StringAttr)

    def __init__(self, fmt: str, args: Sequence[Value] = ()):
        super().__init__(operands=[args], properties={"format": StringAttr(fmt)})

    @classmethod
    def parse(cls, parser: Parser) -> PrintfOp:
        """`gpu.printf "%d %f\\n", %x, %y : i32, f32`."""
        fmt = parser.parse_str_literal()
        args: list[UnresolvedOperand] = []
        while parser.parse_optional_punctuation(",") is not None:
            args.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        types: list[Attribute] = []
        position = parser.pos
        if args:
            parser.parse_punctuation(":")
            types = [*parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)]
        op = cls(fmt, parser.resolve_operands(args, types, position))
        op.attributes = attributes
        return op


@irdl_op_definition
class DynamicSharedMemoryOp(BuiltOperation):
    """
    The shared memory that the launch adds, as bytes.

        %m = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, #gpu.address_space<workgroup>>
    """

    name = "gpu.dynamic_shared_memory"

    memory = result_def(MemRefType)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> DynamicSharedMemoryOp:
        """`gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>`"""
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(result_types=[parser.parse_type()], attributes=attributes)

    def verify_(self) -> None:
        ty = self.memory.type
        space = ty.memory_space
        is_shared = (isinstance(space, IntegerAttr) and space.value.data == 3) or (
            isinstance(space, AddressSpaceAttr) and space.data is AddressSpace.WORKGROUP
        )
        if not is_shared:
            raise VerifyException(f"expects a memref in shared memory, but got '{ty}'")
        if ty.get_shape() != (DYNAMIC_INDEX,) or str(ty.element_type) != "i8":
            raise VerifyException(f"expects a memref of bytes, '?xi8', but got '{ty}'")


ADDITIONS: tuple[type[Operation], ...] = (
    *(ClusterIdOp, ClusterDimOp, ClusterBlockIdOp, ClusterDimBlocksOp),
    *(ShuffleOp, SubgroupReduceOp, PrintfOp, DynamicSharedMemoryOp),
)

REPLACEMENTS: dict[str, type[Operation]] = {
    op.name: op
    for op in (
        *(ThreadIdOp, BlockIdOp, BlockDimOp, GridDimOp, GlobalIdOp),
        *(LaneIdOp, SubgroupIdOp, SubgroupSizeOp, NumSubgroupsOp),
        *(BarrierOp, AllReduceOp, ModuleOp, FuncOp, ReturnOp),
    )
}

GPU = Dialect(
    gpu.GPU.name,
    [*(REPLACEMENTS.get(op.name, op) for op in gpu.GPU.operations), *ADDITIONS],
    [
        *(attr for attr in gpu.GPU.attributes if attr is not AllReduceOpAttr),
        *(ReductionAttr, AddressSpaceAttr, ShuffleModeAttr),
    ],
)
