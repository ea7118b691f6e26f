"""
Rows of accumulators times factors, as attention rescales what it has summed up when it finds a
larger score.

Most factors are one, and so is every factor of a warp more often than not, once it has seen enough
keys. Then products are what they were, bit for bit, and the warp skips them:

    %f = nv_tileaa.broadcast %g              %any = vote.any (%g0 != 1 or %g1 != 1)
    %y = nv_tileaa.mulf %x, %f        to     %y = scf.if %any { yield %x * %f } else { yield %x }
    nv_tileas.async.dot %a, %b, %y
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Block, Region, SSAValue

from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import MulFOp
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nvvm.base import VoteKind
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes
from tileiras_xdsl.dialects.nvvm.warp import VoteSyncOp

from .constants import literal
from .thread_builder import ThreadBuilder
from .thread_index import ALL_LANES
from .vectors import element_of, extract


def rescale_accumulator(builder: ThreadBuilder, op: MulFOp) -> SSAValue | None:
    """
    The product of an accumulator of f32 by a broadcast factor; `None` if op is something else, or
    the branch does not pay: with one or two warpgroups it changes the order in which they run
    (attention with d = 64 has 455 instead of 477 TFLOP/s, causal 405 instead of 412).
    """
    if not builder.kernel.is_interleaved or not isinstance(op.result.type, TensorType):
        return None
    if element_of(op.result.type) != f32 or not isinstance(op.rhs.owner, BroadcastOp):
        return None
    if not any(
        isinstance(use.operation, AsyncDotOp) and use.operation.accumulator is op.result
        for use in op.result.uses
    ):
        return None
    broadcast = op.rhs.owner
    own = builder.layout(op.result).restricted(get_shape(broadcast.source.type))
    if builder.layout(broadcast.source) != own:
        # Threads have other factors than those of their rows.
        return None
    accumulator, factors = builder.lookup(op.lhs), builder.lookup(broadcast.source)
    products, same = Block(), Block()
    condition = is_not_one(builder, factors)
    with builder.at_end_of(products):
        product = builder.emit(arith.MulfOp(accumulator, builder.lookup(op.rhs))).result
        builder.emit(scf.YieldOp(product))
    with builder.at_end_of(same):
        builder.emit(scf.YieldOp(accumulator))
    branch = scf.IfOp(condition, [accumulator.type], Region(products), Region(same))
    return builder.emit(branch).results[0]


def is_not_one(builder: ThreadBuilder, factors: SSAValue) -> SSAValue:
    """Whether some thread of the warp has a factor that is not one."""
    one = literal(builder, 1.0, f32)
    found: SSAValue | None = None
    for index in range(count_lanes(factors.type)):
        factor = extract(builder, factors, index)
        differs = builder.emit(arith.CmpfOp(factor, one, "une")).result
        found = differs if found is None else builder.emit(arith.OrIOp(found, differs)).result
    assert found is not None
    return builder.emit(VoteSyncOp(VoteKind.ANY, builder.constant(ALL_LANES), found)).result
