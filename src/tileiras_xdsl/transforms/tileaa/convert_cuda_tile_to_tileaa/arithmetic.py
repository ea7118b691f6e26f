"""
Patterns of arithmetic, comparison, conversion and indexing. `mini`, `exti`, `ftoi` and `select`
become ops of `arith`, which has one for each signedness; every other elementwise op keeps its name
in `nv_tileaa`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import arith as tensor_arith
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.cuda_tile.enums import (
    Rounding,
    RoundingAttr,
    Signedness,
    SignednessAttr,
)
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.dialects.nv_tileaa import elementwise as aa
from tileiras_xdsl.dialects.nv_tileaa import shape
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .control_flow import populate_control_flow
from .types import ByFunction, OneToOne, add_same_names, carry_attributes

SAME_NAME: tuple[type[Operation], ...] = (
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


def populate_arithmetic(patterns: PatternSet) -> None:
    """Adds the patterns of arithmetic, comparison, conversion, indexing and control flow."""
    add_same_names(patterns, SAME_NAME)
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
