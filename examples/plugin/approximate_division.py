"""
A pass that makes divisions of f32 approximate.

Before:  %q = cuda_tile.divf %a, %b rounding<nearest_even> : tile<16xf32>
After:   %q = cuda_tile.divf %a, %b rounding<approx> : tile<16xf32>
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.universe import Universe

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.enums import Rounding, RoundingAttr


class ApproximateDivision(RewritePattern):
    """`divf` of f32 that is rounded to nearest becomes an approximate one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ct.DivFOp, rewriter: PatternRewriter, /) -> None:
        is_f32 = op.result.type.element_type == f32
        if is_f32 and op.rounding_mode.data == Rounding.NEAREST_EVEN:
            op.rounding_mode = RoundingAttr(Rounding.APPROX)
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class ApproximateDivisionPass(ModulePass):
    """Divisions of f32 by the special function unit: a few units in the last place, and quicker."""

    name = "approximate-division"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(ApproximateDivision()).rewrite_module(op)


UNIVERSE = Universe(all_passes={ApproximateDivisionPass.name: lambda: ApproximateDivisionPass})
