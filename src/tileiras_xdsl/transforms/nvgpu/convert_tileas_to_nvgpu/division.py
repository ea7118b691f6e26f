"""
Division by a broadcast divisor, as in softmax, which divides rows by their sums.

A correctly rounded division is a long sequence of instructions with a slow path. Here the
reciprocal of a divisor is computed once, correctly rounded; then a multiplication and two
Newton-Raphson corrections with FMAs give the correctly rounded quotient of each element
(Markstein's theorem), as long as no intermediate result is subnormal or overflows. That holds if
dividend and divisor are between 2^-62 and 2^62. One check of all elements of a thread decides;
otherwise all elements are divided one by one.
"""

from __future__ import annotations

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import TensorType, VectorType, f32, i32
from xdsl.ir import Block, Region, SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import DivFOp
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nvvm.base import RoundingMode
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes

from .shapes import broadcast_indices
from .thread_builder import ThreadBuilder
from .vectors import element_of, extract, select_registers

LEAST_USES = 4
"""The least number of quotients by the same divisor for which a reciprocal pays."""

MAGNITUDE = 0x7FFFFFFF
SMALLEST = 0x20800000
"""The bits of 2^-62."""
LARGEST = 0x5E800000
"""The bits of 2^62."""


def divide_by_broadcast(builder: ThreadBuilder, op: DivFOp) -> SSAValue | None:
    """The quotient of a fragment of f32 by a broadcast divisor; `None` if that does not pay."""
    broadcast = op.rhs.owner
    if not isinstance(broadcast, BroadcastOp) or not isinstance(op.result.type, TensorType):
        return None
    layout = builder.layout(op.result)
    source = layout.restricted(get_shape(broadcast.source.type))
    divisors = builder.lookup(broadcast.source)
    if (
        element_of(divisors.type) != f32
        or builder.layout(broadcast.source) != source
        or source.registers * LEAST_USES > layout.registers
    ):
        return None
    indices = broadcast_indices(layout, source)
    dividend = builder.lookup(op.lhs)
    is_normal = builder.emit(
        arith.AndIOp(_are_normal(builder, dividend), _are_normal(builder, divisors))
    ).result
    reciprocals = builder.emit(nvvm.RcpOp(divisors, RoundingMode.RN)).results[0]
    negated = builder.emit(arith.NegfOp(divisors)).result
    regions: list[Region] = []
    for is_fast in (True, False):
        block = Block()
        with builder.at_end_of(block):
            if is_fast:
                reciprocal = select_registers(builder, reciprocals, indices)
                divisor = select_registers(builder, negated, indices)
                quotient = builder.emit(arith.MulfOp(dividend, reciprocal)).result
                # The residual is exact, as one FMA computes it without rounding the product.
                for _ in range(2):
                    rest = builder.emit(math.FmaOp(divisor, quotient, dividend)).result
                    quotient = builder.emit(math.FmaOp(rest, reciprocal, quotient)).result
            else:
                quotient = builder.emit(arith.DivfOp(dividend, builder.lookup(op.rhs))).result
            builder.emit(scf.YieldOp(quotient))
        regions.append(Region(block))
    return builder.emit(scf.IfOp(is_normal, [dividend.type], regions[0], regions[1])).results[0]


def _are_normal(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """
    Whether the magnitudes of all elements are between 2^-62 and 2^62, as an i1. Bits of positive
    floats compare like integers, and one unsigned comparison checks both limits, as values below
    the lower one wrap around. A tree of maxima leaves a single comparison.
    """
    count = count_lanes(value.type)
    bits = builder.emit(arith.BitcastOp(value, VectorType(i32, [count]))).result
    magnitude = builder.emit(
        arith.AndIOp(bits, builder.constant_vector([MAGNITUDE] * count))
    ).result
    beyond = builder.emit(
        arith.SubiOp(magnitude, builder.constant_vector([SMALLEST] * count))
    ).result
    while count > 1:
        count //= 2
        halves = [
            select_registers(builder, beyond, range(start, 2 * count, 2)) for start in range(2)
        ]
        beyond = builder.emit(arith.MaxUIOp(halves[0], halves[1])).result
    limit = builder.constant(LARGEST - SMALLEST)
    return builder.emit(CmpiOp(extract(builder, beyond, 0), limit, "ule")).result
