"""Folds of `nv_tileaa` comparisons of truth values that were made numbers."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, TensorType, i1
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileiras_xdsl.dialects.arith import ExtUIOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, word
from tileiras_xdsl.dialects.nv_tileaa.elementwise import CmpIOp, XOrIOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    BroadcastOp,
    ExpandDimsOp,
    MakeRangeOp,
    SplatOp,
    ViewOp,
)
from tileiras_xdsl.transforms.common.rewriting import build, replace_by
from tileiras_xdsl.xdsl_extras.walking import integer_of

MAX_DEPTH = 8
"""Of the ops that a number is computed by, this many one after the other are looked through."""


class CompareTruthValues(RewritePattern):
    """
    Whether a truth value is another number than 0 or 1 needs no numbers.

    Before:  %a = arith.extui %p : tensor<2x2xi1> to tensor<2x2xi32>
             %b = nv_tileaa.make_range %c0, %c2 : i32 to tensor<2xi32>      // 0 and 1
             %c = (a broadcast of %b) : tensor<2x2xi32>
             %r = nv_tileaa.cmpi %a, %c {comparison_predicate = "not_equal"} : …
    After:   %q = nv_tileaa.cmpi %b, %zeros {comparison_predicate = "not_equal"} : …
             %s = (a broadcast of %q) : tensor<2x2xi1>
             %r = nv_tileaa.xori %p, %s : tensor<2x2xi1>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CmpIOp, rewriter: PatternRewriter, /):
        if word(op.comparison_predicate, "equal") != "not_equal":
            return
        sides = op.lhs, op.rhs
        if not any(isinstance(side.owner, ExtUIOp) for side in sides):
            return
        first, second = (find_truth(side) for side in sides)
        if first is None or second is None:
            return
        lhs, rhs = (make(rewriter, op) for make in (first, second))
        replace_by(rewriter, op, XOrIOp(lhs, rhs))


Truth = Callable[[PatternRewriter, Operation], SSAValue]
"""Makes the truth values of numbers that are 0 or 1."""


def find_truth(value: SSAValue, depth: int = 0) -> Truth | None:
    """How the truth values of numbers are made; none if they may be others than 0 and 1."""
    op = value.owner
    match op:
        case ExtUIOp(input=source) if get_element(source.type) == i1:
            return lambda rewriter, at: source
        case MakeRangeOp() if (integer_of(op.start), integer_of(op.end)) == (0, 2):
            return lambda rewriter, at: is_not_zero(rewriter, at, value)
        case _ if depth == MAX_DEPTH or not isinstance(op, Operation):
            return None
        case XOrIOp():
            parts = [find_truth(operand, depth + 1) for operand in op.operands]
            first, second = parts
            if first is None or second is None:
                return None
            return lambda rewriter, at: build(
                rewriter, at.location, XOrIOp(first(rewriter, at), second(rewriter, at))
            )
        case ViewOp() | BroadcastOp() | ExpandDimsOp():
            inner = find_truth(op.source, depth + 1)
            if inner is None:
                return None
            return lambda rewriter, at: build(
                rewriter, at.location, reshaped(op, inner(rewriter, at))
            )
        case _:
            return None


def reshaped(op: ViewOp | BroadcastOp | ExpandDimsOp, value: SSAValue) -> Operation:
    """An op that changes a shape, of truth values."""
    ty = op.result.type
    return type(op).create(
        operands=[value],
        result_types=[TensorType(i1, ty.get_shape()) if isinstance(ty, TensorType) else i1],
        properties=dict(op.properties),
    )


def is_not_zero(rewriter: PatternRewriter, at: Operation, value: SSAValue) -> SSAValue:
    """Which numbers of a tensor are not zero."""
    element = get_element(value.type)
    assert isinstance(element, IntegerType)
    zero = build(rewriter, at.location, arith.ConstantOp(IntegerAttr(0, element)))
    zeros = build(rewriter, at.location, SplatOp(zero, value.type))
    return build(rewriter, at.location, CmpIOp(value, zeros, comparison_predicate="not_equal"))


BOOLEAN_PATTERNS: tuple[RewritePattern, ...] = (CompareTruthValues(),)
