"""
Group A: arithmetic, comparison, conversion and indexing; control flow is in
`control_flow.py`. What P-06 does not send to `arith` keeps its name.
"""

from __future__ import annotations

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import arith as tensor_arith
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.enums import (
    Rounding,
    RoundingAttr,
    Signedness,
    SignednessAttr,
)
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.dialects.nv_tileaa import elementwise as aa
from tileiras_xdsl.dialects.nv_tileaa import matmul, shape
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .control_flow import ControlFlow, populate_control_flow
from .one_to_one import OneToOne, add_one_to_one, carry_attributes

ELEMENTWISE: tuple[tuple[type[Operation], type[Operation]], ...] = (
    (ct.AddIOp, aa.AddIOp),
    (ct.SubIOp, aa.SubIOp),
    (ct.MulIOp, aa.MulIOp),
    (ct.MulhiIOp, aa.MulhiIOp),
    (ct.DivIOp, aa.DivIOp),
    (ct.RemIOp, aa.RemIOp),
    (ct.ShLIOp, aa.ShLIOp),
    (ct.ShRIOp, aa.ShRIOp),
    (ct.AndIOp, aa.AndIOp),
    (ct.OrIOp, aa.OrIOp),
    (ct.XOrIOp, aa.XOrIOp),
    (ct.AbsIOp, aa.AbsIOp),
    (ct.NegIOp, aa.NegIOp),
    (ct.CmpIOp, aa.CmpIOp),
    (ct.AbsFOp, aa.AbsFOp),
    (ct.NegFOp, aa.NegFOp),
    (ct.CeilOp, aa.CeilOp),
    (ct.FloorOp, aa.FloorOp),
    (ct.TanOp, aa.TanOp),
    (ct.SinHOp, aa.SinhOp),
    (ct.CosHOp, aa.CoshOp),
    (ct.LogOp, aa.LogOp),
    (ct.ExpOp, aa.ExpOp),
    (ct.SqrtOp, aa.SqrtOp),
    (ct.AddFOp, aa.AddFOp),
    (ct.SubFOp, aa.SubFOp),
    (ct.MulFOp, aa.MulFOp),
    (ct.DivFOp, aa.DivFOp),
    (ct.RemFOp, aa.RemFOp),
    (ct.Atan2Op, aa.Atan2Op),
    (ct.PowOp, aa.PowOp),
    (ct.FPowFOp, aa.PowOp),
    (ct.FPowIOp, aa.FPowIOp),
    (ct.MaxFOp, aa.MaxFOp),
    (ct.MinFOp, aa.MinFOp),
    (ct.CmpFOp, aa.CmpFOp),
    (ct.BitcastOp, aa.BitcastOp),
    (ct.FToFOp, aa.FpToFpOp),
    (ct.PackOp, matmul.PackOp),
    (ct.UnpackOp, matmul.UnpackOp),
    (ct.PermuteOp, shape.PermuteOp),
    (ct.CatOp, shape.CatOp),
)


def is_signed(attribute: Attribute) -> bool:
    """Whether a signedness attribute says `signed`."""
    return attribute == SignednessAttr(Signedness.SIGNED)


class MinIPattern(ConversionPattern[ct.MinIOp]):
    """`mini` → `arith.minsi` or `arith.minui`."""

    def convert(self, op: ct.MinIOp, rewriter: ConversionRewriter) -> None:
        op_class = arith.MinSIOp if is_signed(op.signedness) else arith.MinUIOp
        new = op_class(rewriter.value(op.lhs), rewriter.value(op.rhs))
        carry_attributes(op, new)
        rewriter.replace(op, new)


class ExtIPattern(ConversionPattern[ct.ExtIOp]):
    """`exti` → `arith.extsi` or `arith.extui`."""

    def convert(self, op: ct.ExtIOp, rewriter: ConversionRewriter) -> None:
        op_class = tensor_arith.ExtSIOp if is_signed(op.signedness) else tensor_arith.ExtUIOp
        new = op_class(rewriter.value(op.from_), rewriter.type(op.to.type))
        carry_attributes(op, new)
        rewriter.replace(op, new)


class FToIPattern(ConversionPattern[ct.FToIOp]):
    """
    `ftoi` → `arith.fptosi` or `arith.fptoui`, which cut as the default rounding mode says; a
    `saturating` conversion keeps that attribute.
    """

    def convert(self, op: ct.FToIOp, rewriter: ConversionRewriter) -> None:
        op_class = tensor_arith.FPToSIOp if is_signed(op.signedness) else tensor_arith.FPToUIOp
        new = op_class(rewriter.value(op.from_), rewriter.type(op.to.type))
        carry_attributes(op, new)
        if op.saturating is not None:
            new.attributes["saturating"] = op.saturating
        carry_rounding(new, op.rounding_mode, Rounding.NEAREST_INT_TO_ZERO)
        rewriter.replace(op, new)


def carry_rounding(op: Operation, rounding: Attribute, default: Rounding) -> None:
    """An `arith` op has no rounding mode, so it keeps an unusual one as an attribute."""
    assert isinstance(rounding, RoundingAttr)
    if rounding.data is not default:
        op.attributes["rounding_mode"] = StringAttr(rounding.data.value)


class SelectPattern(ConversionPattern[ct.SelectOp]):
    """`select` → `arith.select`."""

    def convert(self, op: ct.SelectOp, rewriter: ConversionRewriter) -> None:
        new = tensor_arith.SelectOp(*rewriter.values(op.operands))
        carry_attributes(op, new)
        rewriter.replace(op, new)


class IotaPattern(ConversionPattern[ct.IotaOp]):
    """
    %r = cuda_tile.iota : tile<8xi32>
    →
    %0 = arith.constant 0 : i32
    %1 = arith.constant 8 : i32
    %r = nv_tileaa.make_range %0, %1 : i32 to tensor<8xi32>
    """

    def convert(self, op: ct.IotaOp, rewriter: ConversionRewriter) -> None:
        type = op.result.type
        assert isinstance(type, TileType)
        start, end = (
            rewriter.insert(arith.ConstantOp(IntegerAttr(bound, i32)))
            for bound in (0, type.element_count())
        )
        new = shape.MakeRangeOp(start, end, rewriter.type(type))
        carry_attributes(op, new)
        rewriter.replace(op, new)


class ReshapePattern(ConversionPattern[ct.ReshapeOp]):
    """A scalar becomes a `splat`, or stays one; other reshapes become a `view`."""

    def convert(self, op: ct.ReshapeOp, rewriter: ConversionRewriter) -> None:
        source, type = rewriter.value(op.source), rewriter.type(op.result.type)
        is_scalar = isinstance(op.source.type, TileType) and not op.source.type.rank
        if is_scalar and source.type == type:
            rewriter.replace(op, source)
            return
        new = (shape.SplatOp if is_scalar else shape.ViewOp)(source, type)
        carry_attributes(op, new)
        rewriter.replace(op, new)


class BroadcastPattern(ConversionPattern[ct.BroadcastOp]):
    """`broadcast` keeps its name; that of a scalar to a scalar is the scalar."""

    def convert(self, op: ct.BroadcastOp, rewriter: ConversionRewriter) -> None:
        source, type = rewriter.value(op.source), rewriter.type(op.result.type)
        if isinstance(op.source.type, TileType) and not op.source.type.rank:
            rewriter.replace(op, source)
            return
        new = shape.BroadcastOp(source, type)
        carry_attributes(op, new)
        rewriter.replace(op, new)


class ExtractPattern(ConversionPattern[ct.ExtractOp]):
    """`extract` keeps its name; that of a scalar is the scalar."""

    def convert(self, op: ct.ExtractOp, rewriter: ConversionRewriter) -> None:
        source = rewriter.value(op.source)
        if not op.indices:
            rewriter.replace(op, source)
            return
        new = shape.ExtractOp(source, rewriter.values(op.indices), rewriter.type(op.result.type))
        carry_attributes(op, new)
        rewriter.replace(op, new)


class InsertPattern(ConversionPattern[ct.InsertOp]):
    """`insert` keeps its name; that into a scalar is the scalar that is inserted."""

    def convert(self, op: ct.InsertOp, rewriter: ConversionRewriter) -> None:
        if not op.indices:
            rewriter.replace(op, rewriter.value(op.source))
            return
        rewriter.replace(op, OneToOne(shape.InsertOp).build(op, rewriter))


class GridPattern(ConversionPattern[Operation]):
    """
    %x, %y, %z = cuda_tile.get_tile_block_id : tile<i32>
    →
    %0 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %x = arith.index_cast %0 : index to i32

    for the dimensions that are used; `get_num_tile_blocks` in the same way.
    """

    def __init__(self, op_class: type[gpu.BlockIdOp | gpu.GridDimOp]):
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


def populate_group_a(patterns: PatternSet, flow: ControlFlow) -> None:
    """Adds the patterns of group A."""
    add_one_to_one(patterns, *ELEMENTWISE)
    patterns.add(ct.MinIOp, MinIPattern())
    patterns.add(ct.ExtIOp, ExtIPattern())
    patterns.add(ct.FToIOp, FToIPattern())
    patterns.add(ct.SelectOp, SelectPattern())
    patterns.add(ct.IotaOp, IotaPattern())
    patterns.add(ct.ReshapeOp, ReshapePattern())
    patterns.add(ct.BroadcastOp, BroadcastPattern())
    patterns.add(ct.ExtractOp, ExtractPattern())
    patterns.add(ct.InsertOp, InsertPattern())
    patterns.add(ct.GetTileBlockIdOp, GridPattern(gpu.BlockIdOp))
    patterns.add(ct.GetNumTileBlocksOp, GridPattern(gpu.GridDimOp))
    populate_control_flow(patterns, flow)
