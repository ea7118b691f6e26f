"""Folds and patterns of `cuda_tile.select`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileiras_xdsl.dialects.cuda_tile.conversion import ExtIOp
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.enums import (
    ComparisonPredicate,
    ComparisonPredicateAttr,
    Signedness,
)
from tileiras_xdsl.dialects.cuda_tile.integer import CmpIOp, XOrIOp
from tileiras_xdsl.dialects.cuda_tile.shape import SelectOp
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.transforms.common.rewriting import replace_by

from .values import (
    build_not,
    get_constant,
    get_negated,
    has_i1_elements,
    is_false,
    is_one,
    is_same,
    is_true,
    is_zero,
)


def fold_select(op: SelectOp) -> Sequence[SSAValue] | None:
    """The existing value a `select` stands for, if there is one."""
    if_true, if_false = op.val_if_true, op.val_if_false
    if is_same(if_true, if_false):
        return (if_true,)
    if is_true(op.cond):
        return (if_true,)
    if is_false(op.cond):
        return (if_false,)
    if is_true(if_true) and is_false(if_false):
        return (op.cond,)
    return _fold_equality(op)


def _fold_equality(op: SelectOp) -> Sequence[SSAValue] | None:
    """`a == b ? a : b` is `b`, and `a != b ? a : b` is `a`."""
    compare = op.cond.owner
    if not isinstance(compare, CmpIOp):
        return None
    if_true, if_false = op.val_if_true, op.val_if_false
    lhs, rhs = compare.lhs, compare.rhs
    if not (
        (is_same(if_true, lhs) and is_same(if_false, rhs))
        or (is_same(if_true, rhs) and is_same(if_false, lhs))
    ):
        return None
    assert isinstance(compare.comparison_predicate, ComparisonPredicateAttr)
    match compare.comparison_predicate.data:
        case ComparisonPredicate.EQUAL:
            return (if_false,)
        case ComparisonPredicate.NOT_EQUAL:
            return (if_true,)
        case _:
            return None


class SelectOfNegatedCondition(RewritePattern):
    """`select (xori p, true), a, b` → `select p, b, a`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter, /):
        if (condition := get_negated(op.cond)) is None:
            return
        op.operands = (condition, op.val_if_false, op.val_if_true)
        rewriter.notify_op_modified(op)


class SelectOfSelect(RewritePattern):
    """
    Looks through operands that choose by the same condition.

    `select c, (select c, a, b), z` → `select c, a, z`;
    `select c, z, (select c, a, b)` → `select c, z, b`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter, /):
        if_true, if_false = op.val_if_true.owner, op.val_if_false.owner
        if isinstance(if_true, SelectOp) and is_same(if_true.cond, op.cond):
            op.operands[1] = if_true.val_if_true
        elif isinstance(if_false, SelectOp) and is_same(if_false.cond, op.cond):
            op.operands[2] = if_false.val_if_false
        else:
            return
        rewriter.notify_op_modified(op)


class SelectToNot(RewritePattern):
    """`select c, false, true` → `xori c, true`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter, /):
        if is_false(op.val_if_true) and is_true(op.val_if_false):
            replace_by(rewriter, op, XOrIOp(op.cond, op.val_if_false))


class SelectOfConstants(RewritePattern):
    """`select [true, false], [1, 2], [3, 4]` → `constant [1, 4]`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter, /):
        condition = get_constant(op.cond)
        if_true, if_false = get_constant(op.val_if_true), get_constant(op.val_if_false)
        if condition is None or if_true is None or if_false is None or condition.is_splat:
            return
        bits = [
            chosen if choice else other
            for choice, chosen, other in zip(
                condition.get_bits(), _elements(if_true), _elements(if_false), strict=False
            )
        ]
        constant = ConstantOp(DenseElementsAttr.from_bits(if_true.type, bits))
        replace_by(rewriter, op, constant)


def _elements(value: DenseElementsAttr) -> Sequence[int] | repeat[int]:
    return repeat(value.get_bits()[0]) if value.is_splat else value.get_bits()


class SelectToExtension(RewritePattern):
    """`select c, 1, 0` → `exti c unsigned`; `select c, 0, 1` → `exti (xori c, true) unsigned`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter, /):
        if has_i1_elements(op.result) or not isinstance(op.result.type, TileType):
            return
        if is_one(op.val_if_true) and is_zero(op.val_if_false):
            condition = op.cond
        elif is_zero(op.val_if_true) and is_one(op.val_if_false):
            condition = build_not(rewriter, op.location, op.cond)
        else:
            return
        extension = ExtIOp(condition, op.result.type, Signedness.UNSIGNED)
        replace_by(rewriter, op, extension)


SELECT_PATTERNS: tuple[RewritePattern, ...] = (
    SelectOfNegatedCondition(),
    SelectOfSelect(),
    SelectToNot(),
    SelectOfConstants(),
    SelectToExtension(),
)
"""In the order they are tried."""
