"""What patterns do to ops so that new ones know where they come from."""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter


def build(rewriter: PatternRewriter, location: LocationAttr, op: Operation) -> SSAValue:
    """Inserts an op with one result before the matched one, at a location."""
    op.location = location
    return rewriter.insert(op).results[0]


def replace_by(rewriter: PatternRewriter, op: Operation, new: Operation) -> None:
    """Puts an op in place of the matched one, at its location."""
    new.location = op.location
    rewriter.replace(op, new)
