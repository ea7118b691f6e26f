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

from collections.abc import Mapping, Sequence
from itertools import repeat

from xdsl.ir import Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileiras_xdsl.dialects.cuda_tile.control_flow import IfOp, YieldOp
from tileiras_xdsl.dialects.cuda_tile.conversion import ExtIOp
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.enums import (
    ComparisonPredicate,
    ComparisonPredicateAttr,
    Signedness,
)
from tileiras_xdsl.dialects.cuda_tile.floating import AddFOp, MulFOp
from tileiras_xdsl.dialects.cuda_tile.integer import CmpIOp, XOrIOp
from tileiras_xdsl.dialects.cuda_tile.shape import AssumeOp, SelectOp
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.transforms.common.rewriting import replace_by

from .values import (
    build_and,
    build_not,
    build_select,
    can_select,
    get_constant,
    get_negated,
    has_i1_elements,
    is_false,
    is_one,
    is_same,
    is_true,
    is_zero,
)

# Folds and patterns of `cuda_tile.select`.


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


# What the passes over `cuda_tile.if` ask about branches, and the rewrites they share.


def get_yield(branch: Region) -> YieldOp | None:
    """The `yield` that ends a branch; `None` if there is no branch or it leaves otherwise."""
    block = branch.first_block
    return block.last_op if block is not None and isinstance(block.last_op, YieldOp) else None


def is_leaving(branch: Region) -> bool:
    """Whether a branch ends in `break`, `continue` or `return`: nothing after the op is run."""
    return bool(branch.blocks) and get_yield(branch) is None


def is_only_terminator(branch: Region) -> bool:
    """Whether a branch consists of its terminator."""
    block = branch.first_block
    return block is not None and block.first_op is block.last_op


def erase_from(op: Operation, rewriter: PatternRewriter) -> None:
    """Erases unreachable code: an op and all that follows it in its block."""
    doomed = [op]
    while (following := doomed[-1].next_op) is not None:
        doomed.append(following)
    # Last first, so that no op is erased before its users.
    for op in reversed(doomed):
        rewriter.erase(op)


def inline_branch(op: IfOp, branch: Region, rewriter: PatternRewriter) -> bool:
    """
    Replaces an `if` by one of its branches, which may be absent. If that branch leaves, the
    rest of the block is unreachable and erased. Returns whether the code after the op stays.
    """
    if not branch.blocks:
        rewriter.erase(op)
        return True
    block, terminator = branch.block, get_yield(branch)
    if terminator is None:
        rewriter.inline_block(block, InsertPoint.before(op))
        erase_from(op, rewriter)
        return False
    values = tuple(terminator.operands)
    rewriter.erase(terminator)
    rewriter.inline_block(block, InsertPoint.before(op))
    rewriter.replace(op, (), values)
    return True


def set_yielded(terminator: YieldOp, values: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    """Makes a `yield` give other values."""
    terminator.operands = values
    rewriter.notify_op_modified(terminator)


def build_if(
    op: IfOp,
    condition: SSAValue,
    results: Sequence[SSAValue],
    then_region: Region,
    else_region: Region,
    rewriter: PatternRewriter,
) -> IfOp:
    """
    Inserts an `if` in place of `op`, before it, with the contents of the given regions, and
    lets the uses of `results` use its results, in order.
    """
    new_op = IfOp(
        condition,
        [result.type for result in results],
        rewriter.move_region_contents_to_new_regions(then_region),
        rewriter.move_region_contents_to_new_regions(else_region),
    )
    new_op.location = op.location
    new_op.attributes = dict(op.attributes)
    rewriter.insert(new_op, InsertPoint.before(op))
    for result, new_result in zip(results, new_op.results, strict=True):
        new_result.name_hint = result.name_hint
        rewriter.replace_all_uses_with(result, new_result)
    return new_op


def replace_results(
    op: IfOp, replacements: Mapping[int, SSAValue], rewriter: PatternRewriter
) -> None:
    """
    Rebuilds an `if` without some of its results, for which the given values are used; both
    branches keep their code.
    """
    kept = [index for index in range(len(op.results)) if index not in replacements]
    for branch in op.regions:
        if (terminator := get_yield(branch)) is not None:
            set_yielded(terminator, [terminator.operands[index] for index in kept], rewriter)
    build_if(
        op,
        op.condition,
        [op.results[index] for index in kept],
        op.then_region,
        op.else_region,
        rewriter,
    )
    for index, value in replacements.items():
        rewriter.replace_all_uses_with(op.results[index], value)
    rewriter.erase(op)


# Canonicalization patterns of `cuda_tile.if`.
#
# A branch that ends in `yield` gives the results; one that leaves (by `break`, `continue` or
# `return`) gives none, and nothing after the op is run. A pattern never moves an op across
# another one with effects, nor out of a branch, constants excepted.


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
