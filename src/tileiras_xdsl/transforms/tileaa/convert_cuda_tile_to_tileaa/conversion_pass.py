"""
Lowers public Tile IR to the alias-aware dialect.

    cuda_tile.module @m {
      entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) { … }
    }
    →
    "gpu.module"() <{sym_name = "m"}> ({
      "gpu.func"() <{function_type = (!llvm.ptr<1>, i32) -> (), kernel}> ({ … }) {sym_name = "k"}
    })

Of arithmetic, comparison, conversion and indexing, `mini`, `exti`, `ftoi` and `select`
become ops of `arith`, which has one for each signedness; every other elementwise op keeps its name
in `nv_tileaa`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    FloatTF32Type,
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i32,
)
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.dialects import arith as tensor_arith
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileiras_xdsl.dialects.cuda_tile.base import CudaTileOperation
from tileiras_xdsl.dialects.cuda_tile.elements import (
    DenseElementsAttr,
    bits_to_float,
    element_bit_width,
    float_to_bits,
)
from tileiras_xdsl.dialects.cuda_tile.enums import (
    Rounding,
    RoundingAttr,
    Signedness,
    SignednessAttr,
)
from tileiras_xdsl.dialects.cuda_tile.symbols import constant_name
from tileiras_xdsl.dialects.cuda_tile.types import (
    FloatNV8E5M3FNUType,
    GatherScatterViewType,
    TileType,
    TileViewType,
)
from tileiras_xdsl.dialects.nv_tileaa import aggregate, matmul, memory, shape, views
from tileiras_xdsl.dialects.nv_tileaa import elementwise as aa
from tileiras_xdsl.dialects.nv_tileaa.aggregate import YieldOp
from tileiras_xdsl.dialects.nv_tileaa.decisions import COMPUTE_CAPABILITY, KERNEL_SPEC, TARGET_SPEC
from tileiras_xdsl.dialects.nv_tileaa.memory import CreateMemTokenOp, GlobalOp, JoinMemTokenOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.targets.choices import LOCAL_BYTES
from tileiras_xdsl.targets.machine import CapabilityOption, ComputeCapability
from tileiras_xdsl.targets.target import UnknownTarget, target_of
from tileiras_xdsl.transforms.common.kernel_spec import BAD_OPTION, DEFAULT_CAPABILITY
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    PatternSet,
    TypeConverter,
    apply_partial_conversion,
    fail,
)
from tileiras_xdsl.xdsl_extras.walking import find_all, parents, walk

from .control_flow import ControlFlow, ExitKind, SingleExitFrame, populate_control_flow
from .types import (
    CONVERSIONS,
    ByFunction,
    OneToOne,
    add_same_names,
    carry_attributes,
    convert_hints,
    convert_predicate,
    convert_properties,
    convert_property,
    get_pointee,
    make_kernel_spec,
)

SAME_ARITHMETIC: tuple[type[Operation], ...] = (
    *(ct.AddIOp, ct.SubIOp, ct.MulIOp, ct.MulhiIOp, ct.DivIOp, ct.RemIOp, ct.ShLIOp, ct.ShRIOp),
    *(ct.AndIOp, ct.OrIOp, ct.XOrIOp, ct.AbsIOp, ct.NegIOp, ct.CmpIOp, ct.AbsFOp, ct.NegFOp),
    *(ct.CeilOp, ct.FloorOp, ct.TanOp, ct.SinHOp, ct.CosHOp, ct.LogOp, ct.ExpOp, ct.SqrtOp),
    *(ct.AddFOp, ct.SubFOp, ct.MulFOp, ct.DivFOp, ct.RemFOp, ct.Atan2Op, ct.PowOp, ct.FPowIOp),
    *(ct.MaxFOp, ct.MinFOp, ct.CmpFOp, ct.BitcastOp),
    *(ct.PackOp, ct.UnpackOp, ct.PermuteOp, ct.CatOp),
)


@dataclass(frozen=True)
class BySignedness(ConversionPattern[Operation]):
    """
    `mini signed` → `arith.minsi`, `mini unsigned` → `arith.minui`, and so on. Conversions round
    as the default mode says; ops of `arith` have no other, so they keep an unusual one, and that
    they are `saturating`, as attributes.
    """

    signed: type[Operation]
    unsigned: type[Operation]
    rounding: Rounding | None = None
    """The mode that the ops of `arith` have."""

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        is_signed = op.properties["signedness"] == SignednessAttr(Signedness.SIGNED)
        new = (self.signed if is_signed else self.unsigned).create(
            operands=rewriter.values(op.operands),
            result_types=rewriter.types(op.result_types),
            attributes=dict(op.attributes),
        )
        if "saturating" in op.properties:
            new.attributes["saturating"] = op.properties["saturating"]
        mode = op.properties.get("rounding_mode")
        if isinstance(mode, RoundingAttr) and mode.data is not self.rounding:
            new.attributes["rounding_mode"] = StringAttr(mode.data.value)
        rewriter.replace(op, new)


def convert_select(op: ct.SelectOp, rewriter: ConversionRewriter) -> Operation:
    """`select` → `arith.select`."""
    return tensor_arith.SelectOp(*rewriter.values(op.operands))


def convert_iota(op: ct.IotaOp, rewriter: ConversionRewriter) -> Operation:
    """
    %r = cuda_tile.iota : tile<8xi32>
    →
    %0 = arith.constant 0 : i32
    %1 = arith.constant 8 : i32
    %r = nv_tileaa.make_range %0, %1 : i32 to tensor<8xi32>
    """
    ty = op.result.type
    assert isinstance(ty, TileType)
    start, end = (
        rewriter.insert(arith.ConstantOp(IntegerAttr(bound, i32)))
        for bound in (0, ty.element_count())
    )
    return shape.MakeRangeOp(start, end, rewriter.type(ty))


def is_scalar(ty: Attribute) -> bool:
    """Whether a type is a tile of one element without dimensions."""
    return isinstance(ty, TileType) and not ty.rank


def convert_reshape(op: ct.ReshapeOp, rewriter: ConversionRewriter) -> Operation | SSAValue:
    """A scalar becomes a `splat`, or stays one; other reshapes become a `view`."""
    source, ty = rewriter.value(op.source), rewriter.type(op.result.type)
    if not is_scalar(op.source.type):
        return shape.ViewOp(source, ty)
    return source if source.type == ty else shape.SplatOp(source, ty)


def convert_broadcast(op: ct.BroadcastOp, rewriter: ConversionRewriter) -> Operation | SSAValue:
    """`broadcast` keeps its name; that of a scalar to a scalar is the scalar."""
    source = rewriter.value(op.source)
    if is_scalar(op.source.type):
        return source
    return shape.BroadcastOp(source, rewriter.type(op.result.type))


def convert_extract(op: ct.ExtractOp, rewriter: ConversionRewriter) -> Operation | SSAValue:
    """`extract` keeps its name; that of a scalar is the scalar."""
    source = rewriter.value(op.source)
    if not op.indices:
        return source
    return shape.ExtractOp(source, rewriter.values(op.indices), rewriter.type(op.result.type))


def convert_insert(op: ct.InsertOp, rewriter: ConversionRewriter) -> Operation | SSAValue:
    """`insert` keeps its name; that into a scalar is the scalar that is inserted."""
    if not op.indices:
        return rewriter.value(op.source)
    return OneToOne(shape.InsertOp).build(op, rewriter)


class GridPattern(ConversionPattern[Operation]):
    """
    %x, %y, %z = cuda_tile.get_tile_block_id : tile<i32>
    →
    %0 = gpu.block_id x
    %x = arith.index_cast %0 : index to i32

    for the dimensions that are used; `get_num_tile_blocks` in the same way.
    """

    def __init__(self, op_class: type[gpu.DimensionQueryOp]):
        self.op_class = op_class

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        values: list[SSAValue | None] = []
        for result, dimension in zip(op.results, gpu.DimensionEnum, strict=True):
            if result.first_use is None:
                values.append(None)
                continue
            index = rewriter.insert(self.op_class(gpu.DimensionAttr(dimension)))
            carry_attributes(op, index)
            values.append(rewriter.insert(arith.IndexCastOp(index, i32)).result)
        rewriter.replace(op, values)


def populate_arithmetic(patterns: PatternSet) -> None:
    """Adds the patterns of arithmetic, comparison, conversion, indexing and control flow."""
    add_same_names(patterns, SAME_ARITHMETIC)
    patterns.add(ct.FPowFOp, OneToOne(aa.PowOp))
    patterns.add(ct.FToFOp, OneToOne(aa.FpToFpOp))
    patterns.add(ct.MinIOp, BySignedness(arith.MinSIOp, arith.MinUIOp))
    patterns.add(ct.ExtIOp, BySignedness(tensor_arith.ExtSIOp, tensor_arith.ExtUIOp))
    cut = Rounding.NEAREST_INT_TO_ZERO
    patterns.add(ct.FToIOp, BySignedness(tensor_arith.FPToSIOp, tensor_arith.FPToUIOp, cut))
    patterns.add(ct.SelectOp, ByFunction(convert_select))
    patterns.add(ct.IotaOp, ByFunction(convert_iota))
    patterns.add(ct.ReshapeOp, ByFunction(convert_reshape))
    patterns.add(ct.BroadcastOp, ByFunction(convert_broadcast))
    patterns.add(ct.ExtractOp, ByFunction(convert_extract))
    patterns.add(ct.InsertOp, ByFunction(convert_insert))
    patterns.add(ct.GetTileBlockIdOp, GridPattern(gpu.BlockIdOp))
    patterns.add(ct.GetNumTileBlocksOp, GridPattern(gpu.GridDimOp))
    populate_control_flow(patterns)


# Patterns of dots, reductions, scans and five transcendental functions.

TRANSCENDENTAL = (ct.Exp2Op, ct.Log2Op, ct.SinOp, ct.CosOp, ct.TanHOp)
"""Their `fastmath` decides between the precise and the fast library function."""


def convert_mmaf(op: ct.MmaFOp, rewriter: ConversionRewriter) -> Operation:
    """
    %d = cuda_tile.mmaf %a, %b, %c : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    →
    %d = nv_tileaa.dot %a, %b, %c {input_precision = "tf32"}
        : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    """
    assert isinstance(op.lhs.type, TileType)
    is_exact = isinstance(op.lhs.type.element_type, Float32Type | Float64Type)
    properties: dict[str, Attribute | None] = {
        "input_precision": StringAttr("ieee" if is_exact else "tf32"),
        "fast_acc": op.fast_acc,
    }
    a, b, accumulator = rewriter.values((op.lhs, op.rhs, op.acc))
    return matmul.DotOp(a, b, accumulator, properties)


def convert_mmai(op: ct.MmaIOp, rewriter: ConversionRewriter) -> Operation:
    """
    %d = cuda_tile.mmai %a, %b, %c signed unsigned : tile<16x16xi8>, …
    →
    %d = nv_tileaa.dot %a, %b, %c {signedness_lhs = "signed", signedness_rhs = "unsigned"} : …
    """
    properties = dict(
        convert_property(name, op.properties[name]) for name in ("signedness_lhs", "signedness_rhs")
    )
    a, b, accumulator = rewriter.values((op.lhs, op.rhs, op.acc))
    return matmul.DotOp(a, b, accumulator, properties)


class AggregatePattern(ConversionPattern[Operation]):
    """
    %s = cuda_tile.reduce %x dim=1 identities=[0.0 : f32] : tile<8x64xf32> -> tile<8xf32>
    (%a: tile<f32>, %b: tile<f32>) { … yield %c : tile<f32> }
    →
    %s = nv_tileaa.reduce %x {axis = 1 : i32, identities = [0.0 : f32]}
        : tensor<8x64xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32): … nv_tileaa.yield %c : f32 }

    `scan` in the same way, with `inclusive` (true unless it says otherwise) and `reverse`.
    """

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        assert isinstance(op, ct.ReduceOp | ct.ScanOp)
        attributes = dict(op.attributes)
        properties: dict[str, Attribute | None] = {"axis": IntegerAttr(op.get_dim(), i32)}
        op_class: type[aggregate.ReduceOp | aggregate.ScanOp] = aggregate.ReduceOp
        if isinstance(op, ct.ScanOp):
            op_class = aggregate.ScanOp
            inclusive = attributes.pop("inclusive", IntegerAttr.from_bool(True))
            properties |= {"inclusive": inclusive, "reverse": op.reverse}
        properties["identities"] = op.identities
        types = rewriter.types(op.result_types)
        operands = rewriter.values(op.operands)
        body = rewriter.move_region(op.body)
        frame = SingleExitFrame(types, ExitKind.YIELD, lambda values, rewriter: YieldOp(*values))
        rewriter.state(ControlFlow).frames[body.block] = frame
        new = op_class(operands, types, body, properties)
        new.attributes = attributes
        rewriter.replace(op, new)


def populate_aggregates(patterns: PatternSet) -> None:
    """Adds the patterns of dots, reductions, scans and transcendental functions."""
    patterns.add(ct.MmaFOp, ByFunction(convert_mmaf))
    patterns.add(ct.MmaIOp, ByFunction(convert_mmai))
    patterns.add(ct.ReduceOp, AggregatePattern())
    patterns.add(ct.ScanOp, AggregatePattern())
    add_same_names(patterns, TRANSCENDENTAL)


# The eight patterns that other passes use on their own: each function adds exactly one to a
# caller's set. The conversion pass adds them last.


def has_literals(elements: DenseElementsAttr) -> bool:
    """
    Whether xDSL has literals of all elements. It has none of one type, and for other types its
    literals of NaNs may lose sign and payload. Zeros of both signs it takes for equal elements.
    """
    element = elements.element_type
    if isinstance(element, IntegerType | FloatTF32Type):
        return True
    if not elements.is_splat and len(set(elements.get_values())) == 1:
        return False
    return not isinstance(element, FloatNV8E5M3FNUType) and all(
        float_to_bits(bits_to_float(bits, element), element) == bits
        for bits in set(elements.get_bits())
    )


def make_literals(elements: DenseElementsAttr) -> DenseElementsAttr:
    """The same elements, or integers with their bits where xDSL has no literals of them."""
    if has_literals(elements):
        return elements
    bits = IntegerType(element_bit_width(elements.element_type))
    return DenseElementsAttr(TileType(bits, elements.type.get_shape()), elements.data)


def make_scalar(elements: DenseElementsAttr) -> IntegerAttr | FloatAttr:
    """The literal of one element."""
    element, (value, *_) = elements.element_type, elements.get_values()
    if not isinstance(element, IntegerType):
        return FloatAttr(value, element)  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportCallIssue]
    if element.width.data == 1:
        return IntegerAttr.from_bool(bool(value))
    return IntegerAttr(int(value), element)


def make_dense(elements: DenseElementsAttr) -> DenseIntOrFPElementsAttr:
    """The literal of all elements of a tile."""
    element, shape = elements.element_type, elements.type.get_shape()
    if isinstance(element, IntegerType):
        ty = TensorType(element, shape)
        return DenseIntOrFPElementsAttr.from_list(ty, [int(v) for v in elements.get_values()])
    data = elements.data.data
    if elements.is_splat:
        data *= elements.type.element_count()
    return DenseIntOrFPElementsAttr(TensorType(element, shape), BytesAttr(data))  # pyright: ignore[reportUnknownVariableType, reportArgumentType]


class ConvertTileConstant(ConversionPattern[ct.ConstantOp]):
    """
    %c = cuda_tile.constant <f32: 1.0> : tile<8xf32>
    →
    %s = arith.constant 1.000000e+00 : f32
    %c = nv_tileaa.splat %s : f32 to tensor<8xf32>

    A scalar has no `splat`; unequal elements are an `arith.constant` of a dense tensor.
    Elements that xDSL has no literals for come from their bits by a `bitcast`.
    """

    def convert(self, op: ct.ConstantOp, rewriter: ConversionRewriter) -> None:
        literals, ty = make_literals(op.elements), rewriter.type(op.result.type)
        if not literals.is_splat:
            value = self._typed(arith.ConstantOp(make_dense(literals)), ty, rewriter)
        else:
            scalar = arith.ConstantOp(make_scalar(literals))
            value = self._typed(scalar, op.elements.element_type, rewriter)
            if isinstance(ty, TensorType):
                value = rewriter.insert(shape.SplatOp(value, ty)).result
        carry_attributes(op, value.op)
        # The hint of the old result is one that no other value has, which takes a look at all of
        # the kernel.
        value.name_hint = constant_name(op.elements)
        rewriter.replace(op, value)

    def _typed(self, constant: arith.ConstantOp, ty: Attribute, rewriter: ConversionRewriter):
        rewriter.insert(constant)
        if constant.result.type == ty:
            return constant.result
        return rewriter.insert(aa.BitcastOp(constant, ty)).result


class GlobalPattern(ConversionPattern[ct.GlobalOp]):
    """
    cuda_tile.global @g alignment = 128 <f32: [1.0, 2.0]> : tile<2xf32>
    →
    nv_tileaa.global @g {value = dense<[1.0, 2.0]> : tensor<2xf32>, alignment = 128 : i64}
    """

    def convert(self, op: ct.GlobalOp, rewriter: ConversionRewriter) -> None:
        properties = convert_properties(op)
        literals, element = make_literals(op.elements), op.elements.element_type
        properties["value"] = make_dense(literals)
        if literals.element_type != element:
            properties["elem_type"] = element
        new = GlobalOp.create(
            properties=properties,
            attributes=dict(op.attributes),
        )
        rewriter.replace(op, new)


def convert_assume(op: ct.AssumeOp, rewriter: ConversionRewriter) -> Operation:
    """`assume div_by<16>, %x` → `nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<16>}`."""
    return shape.AssumeOp(rewriter.value(op.value), convert_predicate(op.predicate))


def adder(
    op_class: type[Operation], pattern: ConversionPattern[Any]
) -> Callable[[PatternSet], None]:
    """A function that adds a pattern."""
    return lambda patterns: patterns.add(op_class, pattern)


add_trunci_pattern = adder(ct.TruncIOp, OneToOne(aa.TruncIOp))
add_rsqrt_pattern = adder(ct.RsqrtOp, OneToOne(aa.RsqrtOp))
add_maxi_pattern = adder(ct.MaxIOp, BySignedness(arith.MaxSIOp, arith.MaxUIOp))
add_itof_pattern = adder(
    ct.IToFOp,
    BySignedness(tensor_arith.SIToFPOp, tensor_arith.UIToFPOp, Rounding.NEAREST_EVEN),
)
add_global_pattern = adder(ct.GlobalOp, GlobalPattern())
add_fma_pattern = adder(ct.FmaOp, OneToOne(aa.FmaOp))
add_constant_pattern = adder(ct.ConstantOp, ConvertTileConstant())
add_assume_pattern = adder(ct.AssumeOp, ByFunction(convert_assume))

SINGLETON_ADDERS = (
    add_trunci_pattern,
    add_rsqrt_pattern,
    add_maxi_pattern,
    add_itof_pattern,
    add_global_pattern,
    add_fma_pattern,
    add_constant_pattern,
    add_assume_pattern,
)


# Patterns of memory accesses, pointers, tokens and views, and of modules and functions. Accesses
# keep their tokens; there are no barriers at this level.

SAME_NAME: tuple[type[Operation], ...] = (
    *(ct.MemoryFenceAliasOp, ct.GdcWaitOp, ct.GdcLaunchDependentsOp, ct.AssertOp, ct.GetGlobalOp),
    *(ct.IntToPtrOp, ct.PtrToIntOp, ct.GetTensorShapeOp, ct.GetIndexSpaceShapeOp, ct.MmaFScaledOp),
)

ORDERED: tuple[tuple[type[Operation], type[Operation]], ...] = (
    (ct.LoadPtrOp, memory.LoadOp),
    (ct.StorePtrOp, memory.StoreOp),
    (ct.AtomicCASOp, memory.AtomicCASOp),
    (ct.AtomicRMWOp, memory.AtomicRMWOp),
    (ct.AtomicRedViewOp, views.TiledAtomicRMWOp),
    (ct.PrintTkoOp, memory.PrintOp),
)
"""Accesses, whose names no longer say that they have tokens."""


def convert_offset(op: ct.OffsetOp, rewriter: ConversionRewriter) -> Operation:
    """`offset` → `addptr`, which says what the offsets count."""
    base, offset = rewriter.values((op.ptr, op.offset))
    return memory.AddPtrOp(base, offset, get_pointee(op.ptr.type))


def convert_ptr_to_ptr(op: ct.PtrToPtrOp, rewriter: ConversionRewriter) -> SSAValue:
    """Pointers have no pointee any more: `ptr_to_ptr` is its operand."""
    return rewriter.value(op.source)


def convert_alloca(op: ct.AllocaOp, rewriter: ConversionRewriter) -> Operation:
    """`alloca` keeps its name, and says what it holds."""
    new = OneToOne(memory.AllocaOp).build(op, rewriter)
    new.properties["elem_type"] = get_pointee(op.result.type)
    return new


# Memory of a tile block is shared memory: pointers to it that are used for nothing but accesses
# say so, and all others of the kernel stay pointers to global memory. In a loop it is the same
# memory in each iteration: a barrier lets threads finish what they do with it in the one before.


def place_memory(function: Operation) -> None:
    """Has each `alloca` for which there is room, and what is made of it, point to shared memory."""
    room = LOCAL_BYTES
    for op in find_all(function, memory.AllocaOp):
        if any(isinstance(each, scf.ForOp | WhileOp) for each in parents(op)):
            Rewriter.insert_op(barrier := gpu.BarrierOp(), InsertPoint.before(op))
            barrier.location = op.location
        size = op.num_elem.value.data * max(8, element_bit_width(op.elem_type)) // 8
        pointers = [] if op.global_ is not None or size > room else find_pointers(op.result)
        for pointer in pointers:
            ty: Attribute = SHARED_POINTER
            if isinstance(pointer.type, TensorType):
                ty = TensorType(ty, pointer.type.get_shape())
            Rewriter.replace_value_with_new_type(pointer, ty)
        room -= size if pointers else 0


def find_pointers(first: SSAValue) -> list[SSAValue]:
    """All pointers that are made of one; none if more is done with them than accesses."""
    pointers, pending = list[SSAValue](), [first]
    while pending:
        pointers.append(pointer := pending.pop())
        for use in pointer.uses:
            user = use.operation
            if isinstance(user, MOVES) and not use.index:
                pending += user.results
            elif not isinstance(user, ACCESSES) or use.index:
                return []
    return pointers


MOVES = (memory.AddPtrOp, shape.SplatOp, shape.ViewOp, shape.BroadcastOp)
"""Ops that make pointers of a pointer."""
ACCESSES = (memory.PointerLoad, memory.PointerStore, memory.AtomicRMWOp, memory.AtomicCASOp)
"""Ops that use them for nothing else."""


def convert_print(op: ct.PrintOp, rewriter: ConversionRewriter) -> Operation:
    """`print`, which is in no order, → `nv_tileaa.print` without tokens."""
    fmt = op.properties["str"]
    assert isinstance(fmt, StringAttr)
    return memory.PrintOp(fmt, rewriter.values(op.operands), with_token=False)


def convert_join(op: Operation, rewriter: ConversionRewriter) -> Operation | SSAValue:
    """
    A join of several tokens → `join_mem_token`, in order. A join of one is that token, and a
    join of none, or `make_token`, a new one, so that whatever comes later still has a token.
    """
    tokens = rewriter.values(op.operands)
    if len(tokens) == 1:
        return tokens[0]
    return JoinMemTokenOp(*tokens) if tokens else CreateMemTokenOp()


def convert_tensor_view(op: ct.MakeTensorViewOp, rewriter: ConversionRewriter) -> Operation:
    """`make_tensor_view` → `make_memref`."""
    return views.MakeMemrefOp(
        rewriter.value(op.base),
        rewriter.values(op.dynamic_shape),
        rewriter.values(op.dynamic_strides),
        rewriter.type(op.result.type),
    )


def convert_tile_view(op: Operation, rewriter: ConversionRewriter) -> Operation:
    """`make_partition_view`, and those of other views, → `block_tile`."""
    ty = rewriter.type(op.results[0].type)
    assert isinstance(ty, TiledViewType)
    return views.BlockTileOp(rewriter.value(op.operands[0]), ty)


class ViewAccessPattern(ConversionPattern[Operation]):
    """
    `load_view_tko` → `tiled_load`, or `gather_load` of a gather/scatter view;
    `store_view_tko` → `tiled_store`, or `scatter_store`. They carry the padding of the view.
    """

    def __init__(self, tiled: type[Operation], sparse: type[Operation]):
        self.tiled, self.sparse = OneToOne(tiled), OneToOne(sparse)

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        assert isinstance(op, ct.LoadViewOp | ct.StoreViewOp)
        view = op.view.type
        assert isinstance(view, TileViewType)
        pattern = self.sparse if isinstance(view, GatherScatterViewType) else self.tiled
        new = pattern.build(op, rewriter)
        if view.padding is not None:
            new.properties["padding_value"] = StringAttr(view.padding.value)
        rewriter.replace(op, new)


class ModulePattern(ConversionPattern[ct.ModuleOp]):
    """`module` → `gpu.module`."""

    def convert(self, op: ct.ModuleOp, rewriter: ConversionRewriter) -> None:
        new = gpu.ModuleOp.create(
            properties={"sym_name": op.sym_name},
            attributes=dict(op.attributes),
            regions=[rewriter.move_region(op.body)],
        )
        if op.producer is not None:
            new.attributes["producer"] = op.producer
        rewriter.replace(op, new)


class EntryPattern(ConversionPattern[ct.EntryOp]):
    """
    `entry` → a `gpu.func` that is a kernel. `nv_tileaa.kernel_spec` has its optimization hints for
    the architecture; those for all architectures are kept as a dictionary.
    """

    def __init__(self, capability: ComputeCapability):
        self.capability = capability

    def convert(self, op: ct.EntryOp, rewriter: ConversionRewriter) -> None:
        assert isinstance(op.function_type, FunctionType)
        function_type = rewriter.converter.convert_function_type(op.function_type)
        body = rewriter.move_region(op.body)
        frame = SingleExitFrame((), ExitKind.RETURN, lambda values, rewriter: gpu.ReturnOp(values))
        rewriter.state(ControlFlow).frames[body.block] = frame
        attributes: dict[str, Attribute] = {"sym_name": StringAttr(op.symbol)}
        hints = op.optimization_hints
        attributes[KERNEL_SPEC.name] = make_kernel_spec(hints, self.capability)
        if isinstance(hints, OptimizationHintsAttr) and hints.value.data:
            attributes["optimization_hints"] = convert_hints(hints.value)
        for name in ("arg_attrs", "res_attrs"):
            if name in op.properties:
                attributes[name] = op.properties[name]
        new = gpu.FuncOp.create(
            properties={"function_type": function_type, "kernel": UnitAttr()},
            attributes=attributes | op.attributes,
            regions=[body],
        )
        rewriter.replace(op, new)


class TestingFuncPattern(ConversionPattern[ct.TestingFuncOp]):
    """`testing$func` → `func.func`."""

    def convert(self, op: ct.TestingFuncOp, rewriter: ConversionRewriter) -> None:
        assert isinstance(op.function_type, FunctionType)
        function_type = rewriter.converter.convert_function_type(op.function_type)
        body = rewriter.move_region(op.body)
        outputs = tuple(function_type.outputs)
        frame = SingleExitFrame(
            outputs, ExitKind.RETURN, lambda values, rewriter: func.ReturnOp(*values)
        )
        rewriter.state(ControlFlow).frames[body.block] = frame
        new = func.FuncOp(op.symbol, function_type, body)
        carry_attributes(op, new)
        rewriter.replace(op, new)


class FuncPattern(ConversionPattern[func.FuncOp]):
    """A `func.func` with types of `cuda_tile` in its signature gets converted ones."""

    def convert(self, op: func.FuncOp, rewriter: ConversionRewriter) -> None:
        function_type = rewriter.converter.convert_function_type(op.function_type)
        new = func.FuncOp.create(
            properties={**op.properties, "function_type": function_type},
            attributes=dict(op.attributes),
            regions=[rewriter.move_region(op.body)],
        )
        rewriter.replace(op, new)


class RetypePattern(ConversionPattern[Operation]):
    """`func.call` and `func.return`, and `ub.poison`, with converted types."""

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        new = type(op).create(
            operands=rewriter.values(op.operands),
            result_types=rewriter.types(op.result_types),
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        rewriter.replace(op, new)


def populate_functions_and_views(patterns: PatternSet, capability: ComputeCapability) -> None:
    """Adds the patterns of memory, views, modules and functions."""
    add_same_names(patterns, SAME_NAME)
    for source, target in ORDERED:
        patterns.add(source, OneToOne(target))
    patterns.add(ct.OffsetOp, ByFunction(convert_offset))
    patterns.add(ct.PtrToPtrOp, ByFunction(convert_ptr_to_ptr))
    patterns.add(ct.AllocaOp, ByFunction(convert_alloca))
    patterns.add(ct.PrintOp, ByFunction(convert_print))
    for token_op in (ct.MakeTokenOp, ct.JoinTokensOp, ct.TokenJoinOp):
        patterns.add(token_op, ByFunction(convert_join))
    patterns.add(ct.MakeTensorViewOp, ByFunction(convert_tensor_view))
    for view_op in (ct.MakePartitionViewOp, ct.MakeStridedViewOp, ct.MakeGatherScatterViewOp):
        patterns.add(view_op, ByFunction(convert_tile_view))
    patterns.add(ct.LoadViewOp, ViewAccessPattern(views.TiledLoadOp, views.GatherLoadOp))
    patterns.add(ct.StoreViewOp, ViewAccessPattern(views.TiledStoreOp, views.ScatterStoreOp))
    patterns.add(ct.ModuleOp, ModulePattern())
    patterns.add(ct.EntryOp, EntryPattern(capability))
    patterns.add(ct.TestingFuncOp, TestingFuncPattern())
    patterns.add(func.FuncOp, FuncPattern())
    for op_class in (func.CallOp, func.ReturnOp, PoisonOp):
        patterns.add(op_class, RetypePattern())


FAILURE = "failed to convert cuda_tile to nv_tileaa"
LEGAL_DIALECTS = ("arith", "nv_tileaa", "func", "gpu", "scf", "math")
NEWEST = "13.4"


def has_legal_types(op: Operation) -> bool:
    """Whether no value that an op uses or defines is of `cuda_tile`."""
    return not any(type(value.type) in CONVERSIONS for value in (*op.operands, *op.results))


def has_legal_signature(op: Operation) -> bool:
    """Whether no argument or result of a function is of `cuda_tile`."""
    assert isinstance(op, func.FuncOp)
    types = (*op.function_type.inputs, *op.function_type.outputs)
    return not any(type(ty) in CONVERSIONS for ty in types)


@cache
def make_target() -> ConversionTarget:
    """
    `cuda_tile` must go, six dialects may stay. A poison stays if its type does, and so does
    what belongs to a function signature.
    """
    target = ConversionTarget()
    target.add_legal_dialect(*LEGAL_DIALECTS)
    target.add_illegal_dialect(ct.CudaTile.name)
    target.add_dynamically_legal_op(PoisonOp, has_legal_types)
    target.add_dynamically_legal_op(func.FuncOp, has_legal_signature)
    target.add_dynamically_legal_op(func.CallOp, has_legal_types)
    target.add_dynamically_legal_op(func.ReturnOp, has_legal_types)
    return target


@cache
def make_patterns(capability: ComputeCapability) -> PatternSet:
    """All conversion patterns, those that other passes use on their own last."""
    patterns = PatternSet()
    populate_arithmetic(patterns)
    populate_functions_and_views(patterns, capability)
    populate_aggregates(patterns)
    for add_pattern in SINGLETON_ADDERS:
        add_pattern(patterns)
    return patterns


def parse_version(version: str) -> tuple[int, ...]:
    """`13.4` as numbers."""
    try:
        return tuple(map(int, version.split(".")))
    except ValueError:
        message = f"{FAILURE}: '{version}' is no Tile IR version, such as {NEWEST}"
        raise PassFailedException(message) from None


CPU = "cpu"
"""In place of a compute capability, for a program that does not go to a GPU."""


@dataclass(frozen=True)
class ConvertCudaTileToTileaaPass(ModulePass):
    """
    Converts all of `cuda_tile` to `nv_tileaa`, `arith`, `scf`, `gpu` and `func`, or fails and
    leaves the module as it was.

    Options: `compute-capability` (`sm_90`, `sm_90a`, `90` or `9.0`; `cpu` for none) must be given;
    `tile-ir-version` (13.4) is the version whose ops are accepted, newer ones are refused.
    The module gets `nv_tileaa.compute_capability` and `nv_tileaa.target_spec`, but not for a CPU.
    """

    name = "convert-cuda-tile-to-tileaa"

    compute_capability: CapabilityOption = None
    tile_ir_version: CapabilityOption = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        is_for_cpu = self.compute_capability == CPU
        try:
            capability = (
                DEFAULT_CAPABILITY
                if is_for_cpu
                else ComputeCapability.parse(self.compute_capability)
            )
            target_of(capability)
        except UnknownTarget as error:
            raise PassFailedException(str(error)) from None
        except ValueError:
            example = "{compute-capability=sm_90}"
            raise PassFailedException(f"{BAD_OPTION}, as in '{self.name}{example}'") from None
        self._verify_versions(op)
        converter, patterns = TypeConverter(CONVERSIONS), make_patterns(capability)
        apply_partial_conversion(op, make_target(), converter, patterns, FAILURE)
        if is_for_cpu:
            return
        for function in find_all(op, gpu.FuncOp):
            place_memory(function)
        COMPUTE_CAPABILITY.set(op, IntegerAttr(capability.number, i32))
        TARGET_SPEC.set(op, StringAttr(capability.name))

    def _verify_versions(self, module: ModuleOp) -> None:
        """No op may be newer than the version asked for."""
        if self.tile_ir_version is None:
            return
        version = str(self.tile_ir_version)
        accepted = parse_version(version)
        if accepted >= parse_version(NEWEST):
            return
        for op in walk(module):
            if isinstance(op, CudaTileOperation) and parse_version(op.SINCE) > accepted:
                message = f"'{op.name}' op needs Tile IR {op.SINCE}, but {version} was asked for"
                fail(op, message, FAILURE)
