"""
Patterns of memory accesses, pointers, tokens and views, and of modules and functions. Accesses keep
their tokens; there are no barriers at this level.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, StringAttr, UnitAttr
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileiras_xdsl.dialects.cuda_tile.types import GatherScatterViewType, TileViewType
from tileiras_xdsl.dialects.nv_tileaa import memory, views
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileaa.tokens import CreateMemTokenOp, JoinMemTokenOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.targets.capability import ComputeCapability
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .attributes import convert_hints, make_kernel_spec
from .control_flow import ControlFlow
from .exits import ExitKind, SingleExitFrame
from .one_to_one import ByFunction, OneToOne, add_same_names, carry_attributes
from .types import get_pointee

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

    def __init__(self, flow: ControlFlow, capability: ComputeCapability):
        self.flow, self.capability = flow, capability

    def convert(self, op: ct.EntryOp, rewriter: ConversionRewriter) -> None:
        assert isinstance(op.function_type, FunctionType)
        function_type = rewriter.converter.convert_function_type(op.function_type)
        body = rewriter.move_region(op.body)
        frame = SingleExitFrame((), ExitKind.RETURN, lambda values, rewriter: gpu.ReturnOp(values))
        self.flow.set_frame(body.block, frame)
        attributes: dict[str, Attribute] = {"sym_name": StringAttr(op.symbol)}
        hints = op.optimization_hints
        attributes[KERNEL_SPEC.name] = make_kernel_spec(hints, self.capability)
        if isinstance(hints, OptimizationHintsAttr) and hints.value.data:
            attributes["optimization_hints"] = convert_hints(hints)
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

    def __init__(self, flow: ControlFlow):
        self.flow = flow

    def convert(self, op: ct.TestingFuncOp, rewriter: ConversionRewriter) -> None:
        assert isinstance(op.function_type, FunctionType)
        function_type = rewriter.converter.convert_function_type(op.function_type)
        body = rewriter.move_region(op.body)
        outputs = tuple(function_type.outputs)
        frame = SingleExitFrame(
            outputs, ExitKind.RETURN, lambda values, rewriter: func.ReturnOp(*values)
        )
        self.flow.set_frame(body.block, frame)
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
            result_types=[rewriter.type(result) for result in op.result_types],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        rewriter.replace(op, new)


def populate_functions_and_views(
    patterns: PatternSet, flow: ControlFlow, capability: ComputeCapability
) -> None:
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
    patterns.add(ct.EntryOp, EntryPattern(flow, capability))
    patterns.add(ct.TestingFuncOp, TestingFuncPattern(flow))
    patterns.add(func.FuncOp, FuncPattern())
    for op_class in (func.CallOp, func.ReturnOp, PoisonOp):
        patterns.add(op_class, RetypePattern())
