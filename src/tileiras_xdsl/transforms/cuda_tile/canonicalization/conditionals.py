"""
Canonicalization patterns of `cuda_tile.if`.

A branch that ends in `yield` gives the results; one that leaves (by `break`, `continue` or
`return`) gives none, and nothing after the op is run. A pattern never moves an op across
another one with effects, nor out of a branch, constants excepted.
"""

from __future__ import annotations

from xdsl.ir import OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileiras_xdsl.dialects.cuda_tile.control_flow import IfOp
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp
from tileiras_xdsl.dialects.cuda_tile.types import TileType

from .branches import (
    build_if,
    erase_from,
    get_yield,
    inline_branch,
    is_leaving,
    is_only_terminator,
    replace_results,
    set_yielded,
)
from .values import (
    build_and,
    build_not,
    build_select,
    can_select,
    get_negated,
    is_false,
    is_same,
    is_true,
)


class HoistConstants(RewritePattern):
    """
    Moves the constants of both branches to the start of the block around the `if`, where they
    keep no other pattern from matching.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        assert op.parent is not None
        constants = [
            inner
            for branch in op.regions
            for block in branch.blocks
            for inner in block.ops
            if isinstance(inner, ConstantOp)
        ]
        for constant in reversed(constants):
            constant.detach()
            rewriter.insert(constant, InsertPoint.at_start(op.parent))


class SwapNegatedBranches(RewritePattern):
    """`if (xori p, true) {A} else {B}` → `if p {B} else {A}`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        condition = get_negated(op.condition)
        if condition is None or not op.has_else:
            return
        then_region, else_region = op.regions
        op.regions = (else_region, then_region)
        op.operands[0] = condition
        rewriter.notify_op_modified(op)


class DropUnusedResults(RewritePattern):
    """Drops the results nobody uses, if a branch yields them."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        if all(map(is_leaving, op.regions)) or all(result.uses for result in op.results):
            return
        unused = {index: result for index, result in enumerate(op.results) if not result.uses}
        replace_results(op, unused, rewriter)


class YieldToValue(RewritePattern):
    """
    Finds the value of a result outside of the branches, which both yield. The op stays.

    | then yields | else yields | the result is |
    | --- | --- | --- |
    | `x` | `x` | `x` |
    | `true` | `false` | the condition |
    | `false` | `true` | `xori` of the condition and `true` |
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        then_yield, else_yield = get_yield(op.then_region), get_yield(op.else_region)
        if then_yield is None or else_yield is None:
            return
        values = zip(op.results, then_yield.operands, else_yield.operands, strict=True)
        for result, if_true, if_false in values:
            if result.uses:
                value = self.find_value(op, if_true, if_false, rewriter)
                if value is not None:
                    rewriter.replace_all_uses_with(result, value)

    def find_value(
        self, op: IfOp, if_true: SSAValue, if_false: SSAValue, rewriter: PatternRewriter
    ) -> SSAValue | None:
        if is_same(if_true, if_false):
            return if_true
        # The condition is a scalar, the constants may be tiles of any shape.
        if if_true.type != op.condition.type:
            return None
        if is_true(if_true) and is_false(if_false):
            return op.condition
        if is_false(if_true) and is_true(if_false):
            return build_not(rewriter, op.location, op.condition)
        return None


class InlineStaticBranch(RewritePattern):
    """
    `if true {A} else {B}` → `A`, and `if false …` → `B` or nothing. Code after a branch that
    leaves is erased.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        if is_true(op.condition):
            inline_branch(op, op.then_region, rewriter)
        elif is_false(op.condition):
            inline_branch(op, op.else_region, rewriter)


class IfToSelect(RewritePattern):
    """
    Takes results out of an `if` whose results are all tiles, when they come from outside.

    `%r = if %c -> (T) {A  yield %a} else {B  yield %b}` →
    `%r = select %c, %a, %b` and `if %c {A} else {B}`.

    Where one branch leaves, the result is the value of the other.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        then_yield, else_yield = get_yield(op.then_region), get_yield(op.else_region)
        then_yield, else_yield = then_yield or else_yield, else_yield or then_yield
        if then_yield is None or else_yield is None:
            return
        if not all(isinstance(ty, TileType) for ty in op.result_types):
            return
        pairs = zip(then_yield.operands, else_yield.operands, strict=True)
        hoistable = {
            index: pair
            for index, pair in enumerate(pairs)
            if not any(is_defined_in_branch(op, value) for value in pair)
            and (is_same(*pair) or can_select(pair[0].type))
        }
        if not hoistable:
            return
        replacements = {
            index: select_result(op, index, if_true, if_false, rewriter)
            for index, (if_true, if_false) in hoistable.items()
        }
        replace_results(op, replacements, rewriter)


def select_result(
    op: IfOp, index: int, if_true: SSAValue, if_false: SSAValue, rewriter: PatternRewriter
) -> SSAValue:
    """Builds what a result is, given its values where the condition holds and where not."""
    value = build_select(rewriter, op.location, op.condition, if_true, if_false)
    if value is not if_true:
        value.name_hint = op.results[index].name_hint
    return value


def is_defined_in_branch(op: IfOp, value: SSAValue) -> bool:
    """Whether a value that a branch yields is computed in the branch."""
    return isinstance(value, OpResult) and value.op.parent_op() is op


class DropEmptyElse(RewritePattern):
    """`if %c {A} else {}` without results → `if %c {A}`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        terminator = get_yield(op.else_region)
        if op.results or terminator is None or not is_only_terminator(op.else_region):
            return
        rewriter.erase(terminator)
        op.else_region.erase_block(op.else_region.block)
        rewriter.notify_op_modified(op)


class MergeAdjacent(RewritePattern):
    """
    Merges an `if` into the one directly before it that has the same condition, or its negation.

    `%r = if %c {A  yield %a} else {B  yield %b}` and `%s = if %c {C  yield %d} else {return}` →
    `%r, %s = if %c {A C  yield %a, %d} else {B  return}`.

    A branch of the first that leaves takes nothing from the second.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        first, constants = self.find_previous(op)
        if first is None:
            return
        if op.condition is first.condition:
            seconds = (op.then_region, op.else_region)
        elif is_negation(op.condition, first.condition):
            seconds = (op.else_region, op.then_region)
        else:
            return
        firsts = (first.then_region, first.else_region)
        sides = tuple(zip(firsts, seconds, strict=True))
        if not any(second.blocks and not is_leaving(branch) for branch, second in sides):
            return
        for constant in constants:
            constant.detach()
            rewriter.insert(constant, InsertPoint.before(first))
        then_region, else_region = (
            self.join_branches(first, branch, second, rewriter) for branch, second in sides
        )
        results = (*first.results, *op.results)
        build_if(first, first.condition, results, then_region, else_region, rewriter)
        rewriter.erase(op)
        rewriter.erase(first)

    def find_previous(self, op: IfOp) -> tuple[IfOp | None, list[ConstantOp]]:
        """The `if` directly before this one, and the constants between them."""
        constants: list[ConstantOp] = []
        previous = op.prev_op
        while isinstance(previous, ConstantOp):
            constants.insert(0, previous)
            previous = previous.prev_op
        return (previous if isinstance(previous, IfOp) else None), constants

    def join_branches(
        self, first: IfOp, branch: Region, second: Region, rewriter: PatternRewriter
    ) -> Region:
        """The region that runs a branch of the first `if`, then one of the second."""
        if not branch.blocks:
            return second
        terminator = get_yield(branch)
        if terminator is None or not second.blocks:
            return branch
        values = tuple(terminator.operands)
        for result, value in zip(first.results, values, strict=True):
            rewriter.replace_uses_with_if(
                result, value, lambda use: second.is_ancestor(use.operation)
            )
        if (second_yield := get_yield(second)) is not None:
            set_yielded(second_yield, (*values, *second_yield.operands), rewriter)
        rewriter.erase(terminator)
        rewriter.inline_block(second.block, InsertPoint.at_end(branch.block))
        return branch


def is_negation(lhs: SSAValue, rhs: SSAValue) -> bool:
    """Whether one of two conditions is computed as the negation of the other."""
    return get_negated(lhs) is rhs or get_negated(rhs) is lhs


class CollapseNested(RewritePattern):
    """
    Merges an `if` with the only op in its then branch.

    `if %p { if %q {A} }` → `if (andi %p, %q) {A}`, or `if (select %p, %q, false) {A}` where `%q`
    may be poison if `%p` does not hold.

    With results, the two else branches must consist of yields, and agree in the results that
    come from the inner `if`. Other results are selected by the outer condition.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        inner = op.then_region.block.first_op
        outer_yield = get_yield(op.then_region)
        if not isinstance(inner, IfOp) or inner.next_op is not outer_yield:
            return
        if outer_yield is None or not all(map(self.is_simple_else, (op, inner))):
            return
        inner_yield = get_yield(inner.then_region)
        if inner_yield is None and (op.has_else or inner.has_else):
            return
        kept: dict[int, SSAValue] = {}
        selected: dict[int, tuple[SSAValue, SSAValue]] = {}
        for index, value in enumerate(outer_yield.operands):
            otherwise = get_yielded(op.else_region, index)
            if isinstance(value, OpResult) and value.op is inner:
                if not is_same(get_yielded(inner.else_region, value.index), otherwise):
                    return
                kept[index] = get_yielded(inner.then_region, value.index)
            elif can_select(value.type):
                selected[index] = (value, otherwise)
            else:
                return
        self.rewrite(op, inner, kept, selected, rewriter)

    def is_simple_else(self, op: IfOp) -> bool:
        """Whether the else branch is absent or a `yield` alone."""
        return not op.has_else or (
            get_yield(op.else_region) is not None and is_only_terminator(op.else_region)
        )

    def rewrite(
        self,
        op: IfOp,
        inner: IfOp,
        kept: dict[int, SSAValue],
        selected: dict[int, tuple[SSAValue, SSAValue]],
        rewriter: PatternRewriter,
    ) -> None:
        both = build_and(rewriter, op.location, op.condition, inner.condition)
        for index, (value, otherwise) in selected.items():
            choice = select_result(op, index, value, otherwise, rewriter)
            rewriter.replace_all_uses_with(op.results[index], choice)
        if (inner_yield := get_yield(inner.then_region)) is not None:
            set_yielded(inner_yield, tuple(kept.values()), rewriter)
        else_region = Region()
        if kept and (else_yield := get_yield(op.else_region)) is not None:
            set_yielded(else_yield, [else_yield.operands[index] for index in kept], rewriter)
            else_region = op.else_region
        results = [op.results[index] for index in kept]
        build_if(op, both, results, inner.then_region, else_region, rewriter)
        rewriter.erase(op)


def get_yielded(branch: Region, index: int) -> SSAValue:
    """A value of a branch known to yield."""
    terminator = get_yield(branch)
    assert terminator is not None
    return terminator.operands[index]


class SplitLeavingBranches(RewritePattern):
    """
    `if %c {A  continue} else {B  break}` → `if %c {A  continue}`, then `B  break`. What came
    after the `if` is unreachable and erased.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /):
        if not all(map(is_leaving, op.regions)):
            return
        else_block = op.else_region.block
        if (following := op.next_op) is not None:
            erase_from(following, rewriter)
        new_op = build_if(op, op.condition, (), op.then_region, Region(), rewriter)
        rewriter.inline_block(else_block, InsertPoint.after(new_op))
        rewriter.erase(op)


IF_PATTERNS: tuple[RewritePattern, ...] = (
    HoistConstants(),
    SwapNegatedBranches(),
    DropUnusedResults(),
    YieldToValue(),
    InlineStaticBranch(),
    IfToSelect(),
    DropEmptyElse(),
    MergeAdjacent(),
    CollapseNested(),
    SplitLeavingBranches(),
)
"""In the order they are tried."""
