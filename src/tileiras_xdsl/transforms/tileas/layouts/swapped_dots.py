"""
Dots with few rows, transposed: WGMMA has 64 rows, but as few as 8 columns.

    %d = nv_tileas.dot %q, %k, %c : tensor<16x64xf16>, tensor<64x128xf16>, tensor<16x128xf32>
    →
    %t = nv_tileas.dot %k', %q', %c' : tensor<128x64xf16>, tensor<64x16xf16>, tensor<128x16xf32>
    %d = nv_tileaa.permute %t {permutation = array<i32: 1, 0>} : …

A permutation only changes how a tile is read, so it costs nothing. Padding to 64 rows would take
the tensor cores as long as 64 rows do, and registers for accumulators that nobody needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import PermuteOp, SplatOp
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, PlainDotOp, ScaledDotOp
from tileiras_xdsl.targets.warpgroups import MIN_COLUMNS, WGMMA_M

from ..kernel_model.tma_loads import tile_or_reason
from ..kernel_model.wgmma_selection import group_by_loop

ROLES = {"signedness_lhs": "signedness_rhs", "signedness_rhs": "signedness_lhs"}
"""Properties of one operand that become those of the other."""


def swap_sides(
    dots: Sequence[DotOp], axis_info: AxisInfoAnalysis, can_use: Callable[[DotOp], bool]
) -> list[DotOp]:
    """
    Dots of which those with too few rows for an MMA from shared memory are transposed, in loops all
    of whose dots it can do then. Outside of loops nothing is loaded ahead, so `mma.sync` is as
    good.
    """
    found: list[DotOp] = []
    for loop, inside in group_by_loop(dots).items():
        swapped = inside
        if loop is not None:
            swapped = [_swap(op, axis_info) if _is_flat(op) else op for op in inside]
        if all(map(can_use, swapped)):
            found += swapped
            continue
        for old, new in zip(inside, swapped, strict=True):
            found.append(old if new is old else _swap_back(new))
    return found


def _is_flat(op: DotOp) -> bool:
    shape = get_shape(op.result.type)
    if isinstance(op, ScaledDotOp):
        return False
    return len(shape) == 2 and MIN_COLUMNS <= shape[0] < WGMMA_M <= shape[1]


def _swap(op: DotOp, axis_info: AxisInfoAnalysis) -> DotOp:
    """The transposed dot, if TMA can load what becomes operand A; else the dot."""
    if isinstance(tile_or_reason(op.b, axis_info), str):
        return op
    return _transpose(op)


def _transpose(op: DotOp) -> DotOp:
    """Replaces a dot by the transposed one."""
    made: list[Operation] = []

    def transpose(value: SSAValue) -> SSAValue:
        source = value.owner
        if isinstance(source, PermuteOp) and source.get_permutation() == (1, 0):
            return source.source
        change: PermuteOp | SplatOp = PermuteOp(value, (1, 0))
        if isinstance(source, SplatOp):
            shape = get_shape(value.type)[::-1]
            change = SplatOp(source.source, TensorType(get_element(value.type), shape))
        made.append(change)
        return change.result

    properties: dict[str, Attribute] = {
        ROLES.get(name, name): each
        for name, each in op.properties.items()
        if name != "operandSegmentSizes"
    }
    dot = PlainDotOp(
        transpose(op.b), transpose(op.a), transpose(op.accumulator), op.accumulate, properties
    )
    result = PermuteOp(dot.result, (1, 0))
    made += [dot, result]
    for each in made:
        each.location = op.location
    Rewriter.insert_op(made, InsertPoint.before(op))
    op.result.replace_all_uses_with(result.result)
    result.result.name_hint = op.result.name_hint
    Rewriter.erase_op(op)
    return dot


def _swap_back(op: DotOp) -> DotOp:
    """Replaces a transposed dot by the one that it was."""
    (use,) = op.result.uses
    permuted = use.operation
    dot = _transpose(op)
    permuted.results[0].replace_all_uses_with(dot.result)
    Rewriter.erase_op(permuted)
    return dot
