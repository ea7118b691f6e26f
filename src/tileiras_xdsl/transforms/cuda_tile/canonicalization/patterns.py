"""
Folds and canonicalization patterns of `cuda_tile`, which its ops import when asked for them.

The dialect simplifies little: chains of `assume`, `select`, `if`, and the order of operands of
`addf`. A fold returns existing values; what changes an op in place is a pattern, since xDSL
forbids folds to modify the op.

Unlike MLIR's, xDSL's driver neither unites equal constants nor moves them to the start of the
function. So patterns compare constants by their elements, and `if` moves those of its branches
out of the way.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileiras_xdsl.dialects.cuda_tile.floating import AddFOp, MulFOp
from tileiras_xdsl.dialects.cuda_tile.shape import AssumeOp

from .conditionals import IF_PATTERNS
from .select import SELECT_PATTERNS, fold_select

__all__ = (
    "ADDF_PATTERNS",
    "IF_PATTERNS",
    "SELECT_PATTERNS",
    "MoveProductToLeft",
    "fold_assume",
    "fold_select",
)


def fold_assume(op: AssumeOp) -> Sequence[SSAValue] | None:
    """`assume P, (assume P, x)` is the inner one."""
    inner = op.value.owner
    if isinstance(inner, AssumeOp) and inner.predicate == op.predicate:
        return (inner.result,)
    return None


class MoveProductToLeft(RewritePattern):
    """`addf c, (mulf a, b)` → `addf (mulf a, b), c`, where `fuse-fma` looks for it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddFOp, rewriter: PatternRewriter, /):
        if isinstance(op.lhs.owner, MulFOp) or not isinstance(op.rhs.owner, MulFOp):
            return
        op.operands = (op.rhs, op.lhs)
        rewriter.notify_op_modified(op)


ADDF_PATTERNS: tuple[RewritePattern, ...] = (MoveProductToLeft(),)
