"""
Fuses multiplications with the additions and subtractions that use them.

Before:  %m = cuda_tile.mulf %a, %b : tile<f32>
         %r = cuda_tile.subf %m, %c : tile<f32>
After:   %n = cuda_tile.negf %c : tile<f32>
         %r = cuda_tile.fma %a, %b, %n : tile<f32>

This changes results: the multiplication is no longer rounded. `addf %c, %m` is commuted first.
Not fused: a multiplication with other uses, a pair that differs in rounding mode or
`flush_to_zero`, `c - a * b`, and the second of two multiplications.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from tileiras_xdsl.dialects.cuda_tile.enums import RoundingAttr
from tileiras_xdsl.dialects.cuda_tile.floating import AddFOp, FmaOp, MulFOp, NegFOp, SubFOp
from tileiras_xdsl.transforms.common.rewriting import build, replace_by

from .canonicalization.patterns import MoveProductToLeft


class FuseMultiplication(RewritePattern):
    """`addf (mulf a, b), c` → `fma a, b, c`; `subf (mulf a, b), c` → `fma a, b, (negf c)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddFOp | SubFOp, rewriter: PatternRewriter, /):
        mul = op.lhs.owner
        if not isinstance(mul, MulFOp) or not mul.result.has_one_use():
            return
        rounding, flush_to_zero = op.rounding_mode, op.flush_to_zero
        if (mul.rounding_mode, mul.flush_to_zero) != (
            rounding,
            flush_to_zero,
        ):
            return
        assert isinstance(rounding, RoundingAttr)
        addend = op.rhs
        if isinstance(op, SubFOp):
            addend = build(rewriter, op.location, NegFOp(addend))
        fma = FmaOp(
            mul.lhs,
            mul.rhs,
            addend,
            rounding,
            flush_to_zero=flush_to_zero is not None,
        )
        replace_by(rewriter, op, fma)
        rewriter.erase(mul)


@dataclass(frozen=True)
class FuseFmaPass(ModulePass):
    """Fuses a multiplication and the addition or subtraction that uses it first into an `fma`."""

    name = "fuse-fma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns: list[RewritePattern] = [MoveProductToLeft(), FuseMultiplication()]
        PatternRewriteWalker(
            GreedyRewritePatternApplier(patterns, dce_enabled=False)
        ).rewrite_module(op)
