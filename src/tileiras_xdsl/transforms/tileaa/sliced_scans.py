"""
Scans in pieces along their own axis, one piece after the other.

    %r = nv_tileaa.scan %x {axis = 0} : tensor<1024xf32> …
becomes, for a piece of 256 elements and the total %t of the pieces before it, tensor<1xf32>,
    %s = nv_tileaa.scan %piece {axis = 0} : tensor<256xf32> …
    %c = the body of the scan, of %t (in all lanes) and %s, lane by lane
    %r = arith.select %is_first, %s, %c
    %next = nv_tileaa.extract %r[255] … -> tensor<1xf32>

A scan in reverse goes over its pieces from the last to the first. A piece is combined with the
total as runs of threads are with those before them, so sums of floats are rounded in another
order. The first piece is not combined with identities, which may change it: 0.0 + -0.0 is 0.0.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, i32
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects.arith import SelectOp
from tileiras_xdsl.dialects.nv_tileaa.aggregate import ScanOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape, with_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp, ExtractOp, SplatOp
from tileiras_xdsl.xdsl_extras.structure import last_of

from .canonicalization.shape import is_elementwise


def is_in_reverse(op: ScanOp) -> bool:
    """Whether a scan begins at the last element."""
    return op.reverse is not None and bool(op.reverse.value.data)


def can_cut_scan(op: ScanOp) -> bool:
    """Whether a scan can be cut along its axis: its body can be applied to tiles."""
    is_inclusive = op.inclusive is None or bool(op.inclusive.value.data)
    *body, _ = op.body.block.ops
    return (
        is_inclusive
        and op.identities is not None
        and all(isinstance(each, IntegerAttr | FloatAttr) for each in op.identities)
        and all(isinstance(each, arith.ConstantOp) or is_elementwise(each) for each in body)
    )


def first_totals(op: ScanOp, ops: list[Operation]) -> list[SSAValue]:
    """Totals for the first piece, which does not use them: any values that the body can take."""
    assert op.identities is not None
    totals: list[SSAValue] = []
    for identity, result in zip(op.identities, op.results, strict=True):
        assert isinstance(identity, IntegerAttr | FloatAttr)
        scalar = arith.ConstantOp(identity)
        shape = list(get_shape(result.type))
        shape[op.get_axis()] = 1
        splat = SplatOp(scalar.result, with_shape(result.type, tuple(shape)))
        ops += [scalar, splat]
        totals.append(splat.result)
    return totals


def continue_scan(
    op: ScanOp,
    scanned: Sequence[SSAValue],
    totals: Sequence[SSAValue],
    is_first: SSAValue,
    ops: list[Operation],
) -> tuple[list[SSAValue], list[SSAValue]]:
    """A scanned piece combined with the totals before it, and the totals behind it."""
    wide: list[SSAValue] = []
    for total, part in zip(totals, scanned, strict=True):
        broadcast = BroadcastOp(total, part.type)
        ops.append(broadcast)
        wide.append(broadcast.result)
    results: list[SSAValue] = []
    for part, joined in zip(scanned, _combine(op, wide, scanned, ops), strict=True):
        select = SelectOp(is_first, part, joined)
        ops.append(select)
        results.append(select.result)
    axis = op.get_axis()
    shape = get_shape(scanned[0].type)
    zero = arith.ConstantOp(IntegerAttr(0, i32))
    last = arith.ConstantOp(IntegerAttr(0 if is_in_reverse(op) else shape[axis] - 1, i32))
    ops += [zero, last]
    indices = [last.result if dim == axis else zero.result for dim in range(len(shape))]
    following: list[SSAValue] = []
    for result, total in zip(results, totals, strict=True):
        extract = ExtractOp.create(operands=[result, *indices], result_types=[total.type])
        ops.append(extract)
        following.append(extract.result)
    return results, following


def _combine(
    op: ScanOp, before: Sequence[SSAValue], values: Sequence[SSAValue], ops: list[Operation]
) -> list[SSAValue]:
    """The body of a scan, lane by lane; the first of two arguments is what is scanned so far."""
    block = op.body.block
    shape = get_shape(values[0].type)
    tiles: dict[SSAValue, SSAValue] = {}
    for number, pair in enumerate(zip(before, values, strict=True)):
        tiles.update(zip(block.args[2 * number : 2 * number + 2], pair, strict=True))

    def as_tile(scalar: SSAValue) -> SSAValue:
        if scalar not in tiles:
            splat = SplatOp(scalar, TensorType(scalar.type, shape))
            ops.append(splat)
            tiles[scalar] = splat.result
        return tiles[scalar]

    *body, _ = block.ops
    for each in body:
        if isinstance(each, arith.ConstantOp):
            constant = each.clone()
            ops.append(constant)
            splat = SplatOp(constant.result, TensorType(constant.result.type, shape))
            ops.append(splat)
            tiles[each.result] = splat.result
            continue
        new = type(each).create(
            operands=[as_tile(operand) for operand in each.operands],
            result_types=[TensorType(result.type, shape) for result in each.results],
            properties=dict(each.properties),
            attributes=dict(each.attributes),
        )
        ops.append(new)
        tiles.update(zip(each.results, new.results, strict=True))
    return [as_tile(value) for value in last_of(block).operands]
