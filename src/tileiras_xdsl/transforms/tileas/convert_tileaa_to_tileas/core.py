"""
The core of the conversion: memory, shape, dot, reduction and scan ops change their dialect, with
all of their attributes. Views, pointers, atomics through pointers and elementwise ops are legal
as they are.

    %x = nv_tileaa.tiled_load %v[%i] {in_bounds = array<i1: true>, atom = #nv_tileas.atom<ldg>} : …
    →
    %x = nv_tileas.tiled_load %v[%i] {in_bounds = array<i1: true>, atom = #nv_tileas.atom<ldg>} : …
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation

from tileiras_xdsl.dialects import nv_tileaa as aa
from tileiras_xdsl.dialects import nv_tileas as tas
from tileiras_xdsl.dialects.definitions import operations_in
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    PatternSet,
)

from .scaled_dot import ScaledDotPattern

RENAMED: tuple[type[Operation], ...] = (
    *(aa.memory.LoadOp, aa.memory.StoreOp, aa.views.TiledLoadOp, aa.views.TiledStoreOp),
    *(aa.views.TiledAtomicRMWOp, aa.views.GatherLoadOp, aa.views.ScatterStoreOp),
    *(aa.shape.ViewOp, aa.shape.ExpandDimsOp, aa.aggregate.ReduceOp, aa.aggregate.ScanOp),
    aa.queues.PragmaOp,
)
"""Ops that change nothing but their dialect."""

KEPT_OPS: tuple[type[Operation], ...] = (
    *operations_in(aa.elementwise),
    *(aa.shape.SplatOp, aa.shape.BroadcastOp, aa.shape.PermuteOp, aa.shape.CatOp),
    *(aa.shape.ExtractOp, aa.shape.InsertOp, aa.shape.MakeRangeOp, aa.shape.AssumeOp),
    *(aa.matmul.PackOp, aa.matmul.UnpackOp),
    *(aa.memory.AddPtrOp, aa.memory.AtomicRMWOp, aa.memory.AtomicCASOp),
    *(aa.memory.MemoryFenceAliasOp, aa.memory.GdcWaitOp, aa.memory.GdcLaunchDependentsOp),
    *(aa.memory.AllocaOp, aa.memory.GlobalOp, aa.memory.GetGlobalOp),
    *(aa.memory.PrintOp, aa.memory.AssertOp),
    *(aa.views.MakeMemrefOp, aa.views.BlockTileOp),
    *(aa.views.GetTensorShapeOp, aa.views.GetIndexSpaceShapeOp),
    aa.queues.PluginOp,
)
"""Ops of `nv_tileaa` that are legal beside those of `nv_tileas`."""


def carry_attributes(
    op: Operation, new_class: type[IRDLOperation]
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """
    The properties and attributes of an op as those of its successor. Some attributes, such as
    `atom`, are properties there.
    """
    known = new_class.get_irdl_definition().properties
    properties, attributes = dict(op.properties), dict(op.attributes)
    for name in op.attributes:
        if name in known:
            properties[name] = attributes.pop(name)
    return properties, attributes


class RenamePattern(ConversionPattern[Operation]):
    """`nv_tileaa.op` → `nv_tileas.op`, with the same operands, attributes and regions."""

    def __init__(self, new_class: type[IRDLOperation]):
        self.new_class = new_class

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        properties, attributes = carry_attributes(op, self.new_class)
        new = self.new_class.create(
            operands=rewriter.values(op.operands),
            result_types=[rewriter.type(ty) for ty in op.result_types],
            properties=properties,
            attributes=attributes,
            regions=[rewriter.move_region(region) for region in tuple(op.regions)],
        )
        rewriter.replace(op, new)


class DotPattern(ConversionPattern[aa.matmul.DotOp]):
    """`nv_tileaa.dot` → `nv_tileas.dot`, which takes a flag that says to accumulate."""

    def convert(self, op: aa.matmul.DotOp, rewriter: ConversionRewriter) -> None:
        properties, attributes = carry_attributes(op, tas.matmul.PlainDotOp)
        flag = rewriter.insert(arith.ConstantOp(IntegerAttr.from_bool(True)))
        a, b, accumulator = rewriter.values(op.operands)
        new = tas.matmul.PlainDotOp(a, b, accumulator, flag, properties)
        new.attributes.update(attributes)
        rewriter.replace(op, new)


def ends_new_body(op: Operation) -> bool:
    """Whether an op is the terminator of the body of an op of `nv_tileas`."""
    parent = op.parent_op()
    return parent is not None and parent.name.startswith("nv_tileas.")


def populate_core(patterns: PatternSet, target: ConversionTarget, machine: Target) -> None:
    """Adds the patterns for `nv_tileaa`, of which only some ops stay legal."""
    target.add_illegal_dialect(aa.NvTileaa.name)
    target.add_legal_op(*KEPT_OPS)
    modules = (tas.memory, tas.shape, tas.aggregate)
    new = {op.name.partition(".")[2]: op for op in operations_in(*modules)}
    for old_class in RENAMED:
        target.add_illegal_op(old_class)
        patterns.add(old_class, RenamePattern(new[old_class.name.partition(".")[2]]))
    patterns.add(aa.matmul.DotOp, DotPattern())
    patterns.add(aa.matmul.MmaFScaledOp, ScaledDotPattern(machine))
    target.add_dynamically_legal_op(aa.aggregate.YieldOp, lambda op: not ends_new_body(op))
    patterns.add(aa.aggregate.YieldOp, RenamePattern(tas.aggregate.YieldOp))
