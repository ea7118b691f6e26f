"""
Patterns of dots, reductions, scans and five transcendental functions.
"""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerAttr, StringAttr, i32
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.dialects.nv_tileaa import aggregate, matmul
from tileiras_xdsl.dialects.nv_tileaa.aggregate import YieldOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .attributes import convert_property
from .control_flow import ControlFlow
from .exits import ExitKind, SingleExitFrame
from .one_to_one import ByFunction, add_same_names

TRANSCENDENTAL = (ct.Exp2Op, ct.Log2Op, ct.SinOp, ct.CosOp, ct.TanHOp)
"""Their `fastmath` decides between the precise and the fast library function."""


def input_precision(ty: Attribute) -> str:
    """The `input_precision` of a dot: f32 and f64 operands are not rounded."""
    assert isinstance(ty, TileType)
    return "ieee" if isinstance(ty.element_type, Float32Type | Float64Type) else "tf32"


def convert_mmaf(op: ct.MmaFOp, rewriter: ConversionRewriter) -> Operation:
    """
    %d = cuda_tile.mmaf %a, %b, %c : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    →
    %d = nv_tileaa.dot %a, %b, %c {input_precision = "tf32"}
        : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    """
    properties: dict[str, Attribute | None] = {
        "input_precision": StringAttr(input_precision(op.lhs.type)),
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

    def __init__(self, flow: ControlFlow):
        self.flow = flow

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
        types = rewriter.converter.convert_all(op.result_types)
        operands = rewriter.values(op.operands)
        body = rewriter.move_region(op.body)
        frame = SingleExitFrame(types, ExitKind.YIELD, lambda values, rewriter: YieldOp(*values))
        self.flow.set_frame(body.block, frame)
        new = op_class(operands, types, properties, body)
        new.attributes = attributes
        rewriter.replace(op, new)


def populate_aggregates(patterns: PatternSet, flow: ControlFlow) -> None:
    """Adds the patterns of dots, reductions, scans and transcendental functions."""
    patterns.add(ct.MmaFOp, ByFunction(convert_mmaf))
    patterns.add(ct.MmaIOp, ByFunction(convert_mmai))
    patterns.add(ct.ReduceOp, AggregatePattern(flow))
    patterns.add(ct.ScanOp, AggregatePattern(flow))
    add_same_names(patterns, TRANSCENDENTAL)
