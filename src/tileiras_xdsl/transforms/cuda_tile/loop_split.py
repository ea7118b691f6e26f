"""
Loop splitting: two loops where a comparison of the induction variable with an invariant flips.

Before:  for %i in (%lb to %ub, step %one) : tile<i32> {
           %c = cmpi less_than %i, %v, signed : tile<i32> -> tile<i1>
           if %c {A} else {B}
         }
After:   %lo = mini %v, %ub signed : tile<i32>
         %hi = maxi %v, %lb signed : tile<i32>
         for %i in (%lb to %lo, step %one) : tile<i32> {A}
         for %i in (%hi to %ub, step %one) : tile<i32> {B}

Loops are visited innermost first, their `if`s, nested ones included, in post-order; the first
one that can be split ends the search, and new loops are not visited again.

Where the step is not the constant one, the second loop starts at the first value of the
induction variable that is not below the split point. The split point is brought between the
bounds before, so that no intermediate value overflows if the last step of the loop does not.

Not split: comparisons for equality, of another signedness than the loop's, or with a value
computed in the loop; loops over i1; an `if` in the body of the loop with a branch that leaves
by anything but `continue`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileiras_xdsl.dialects.cuda_tile.aggregate import ReduceOp
from tileiras_xdsl.dialects.cuda_tile.control_flow import (
    ContinueOp,
    ForOp,
    FunctionLike,
    IfOp,
    YieldOp,
)
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr, element_bit_width
from tileiras_xdsl.dialects.cuda_tile.enums import (
    ComparisonPredicate,
    ComparisonPredicateAttr,
    Rounding,
    Signedness,
    SignednessAttr,
)
from tileiras_xdsl.dialects.cuda_tile.integer import (
    AddIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulIOp,
    SubIOp,
)
from tileiras_xdsl.dialects.cuda_tile.matmul import MmaFOp, MmaIOp
from tileiras_xdsl.dialects.cuda_tile.memory import LoadPtrOp, StorePtrOp
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.dialects.cuda_tile.views import LoadViewOp, StoreViewOp
from tileiras_xdsl.xdsl_extras.walking import find_all, find_around

from .canonicalization.patterns import inline_branch
from .canonicalization.values import get_splat_bits, is_one

THRESHOLD_NAME = "cuda_tile.loop_split"
"""The discardable attribute that overrides the option on an `if`, a `for` or a function."""

WORTHWHILE = (
    LoadPtrOp,
    LoadViewOp,
    StorePtrOp,
    StoreViewOp,
    MmaFOp,
    MmaIOp,
    ReduceOp,
    IfOp,
    ForOp,
)
"""Ops of which one in a branch is worth a split, whatever the threshold."""

MIRRORED = {
    ComparisonPredicate.LESS_THAN: ComparisonPredicate.GREATER_THAN,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: ComparisonPredicate.GREATER_THAN_OR_EQUAL,
    ComparisonPredicate.GREATER_THAN: ComparisonPredicate.LESS_THAN,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: ComparisonPredicate.LESS_THAN_OR_EQUAL,
}
"""The predicates a loop can be split by, with those for exchanged operands."""

TRUE_FIRST = (ComparisonPredicate.LESS_THAN, ComparisonPredicate.LESS_THAN_OR_EQUAL)
"""The predicates that hold before the split point, and not after it."""

EXCLUSIVE = (ComparisonPredicate.LESS_THAN_OR_EQUAL, ComparisonPredicate.GREATER_THAN)
"""The predicates that flip after the value compared with, not at it."""


@dataclass(frozen=True)
class Split:
    """A loop and the comparison `induction variable <predicate> bound` to split it by."""

    loop: ForOp
    compare: CmpIOp
    predicate: ComparisonPredicate
    bound: SSAValue

    @property
    def signedness(self) -> Signedness:
        return get_signedness(self.loop)

    def apply(self) -> None:
        """Replaces the loop by two."""
        loop = self.loop
        middle, start = self.build_bounds()
        is_true_first = self.predicate in TRUE_FIRST
        first = self.build_half(loop.lower_bound, middle, loop.init_values, is_true_first)
        second = self.build_half(start, loop.upper_bound, first.results, not is_true_first)
        for old, new_first, new_second in zip(
            loop.results, first.results, second.results, strict=True
        ):
            new_first.name_hint = new_second.name_hint = old.name_hint
            old.replace_all_uses_with(new_second)
        assert loop.parent is not None
        loop.parent.insert_ops_before((first, second), loop)
        loop.parent.erase_op(loop)

    def build_bounds(self) -> tuple[SSAValue, SSAValue]:
        """Builds the end of the first loop and the start of the second."""
        loop, signedness = self.loop, self.signedness
        lower, upper, step = loop.lower_bound, loop.upper_bound, loop.step
        point = self.build_split_point()
        middle = self.build(MinIOp(point, upper, signedness))
        if is_one(step):
            return middle, self.build(MaxIOp(point, lower, signedness))
        clamped = self.build(MaxIOp(middle, lower, signedness))
        # Not negative, but as a signed number possibly too large: hence unsigned.
        distance = self.build(SubIOp(clamped, lower))
        steps = DivIOp(distance, step, Signedness.UNSIGNED, Rounding.POSITIVE_INF)
        offset = self.build(MulIOp(self.build(steps), step))
        return middle, self.build(AddIOp(lower, offset))

    def build_split_point(self) -> SSAValue:
        """Builds the first value of the induction variable for which the comparison flips."""
        if self.predicate not in EXCLUSIVE:
            return self.bound
        ty = self.bound.type
        assert isinstance(ty, TileType)
        one = self.build(ConstantOp(DenseElementsAttr.from_values(ty, [1])))
        following = self.build(AddIOp(self.bound, one))
        if get_splat_bits(self.bound) not in (None, self.get_largest_bits()):
            return following
        # The largest number has no successor, but it is above every induction variable, too.
        return self.build(MaxIOp(following, self.bound, self.signedness))

    def get_largest_bits(self) -> int:
        assert isinstance(self.bound.type, TileType)
        width = element_bit_width(self.bound.type.element_type)
        return (1 << (width - (self.signedness is Signedness.SIGNED))) - 1

    def build(self, op: Operation) -> SSAValue:
        """Inserts an op before the loop."""
        op.location = self.loop.location
        return Builder(InsertPoint.before(self.loop)).insert(op).results[0]

    def build_half(
        self, lower: SSAValue, upper: SSAValue, init_values: Sequence[SSAValue], value: bool
    ) -> ForOp:
        """A copy of the loop in which the comparison has a known value."""
        values: dict[SSAValue, SSAValue] = {}
        body = Region()
        self.loop.body.clone_into(body, value_mapper=values)
        compare = values[self.compare.result]
        for branch in tuple(body.block.ops):
            if isinstance(branch, IfOp) and branch.condition is compare:
                chosen = branch.then_region if value else branch.else_region
                if not inline_branch(branch, chosen, PatternRewriter(branch)):
                    break
        replace_by_constant(compare, value)
        half = ForOp(
            lower,
            upper,
            self.loop.step,
            init_values,
            body,
            unsigned_cmp=self.signedness is Signedness.UNSIGNED,
        )
        half.location = self.loop.location
        return half


def replace_by_constant(compare: SSAValue, value: bool) -> None:
    """Erases a comparison; if it has uses left, they get a constant."""
    op = compare.owner
    assert isinstance(op, CmpIOp)
    assert op.parent is not None
    if compare.uses:
        constant = ConstantOp(DenseElementsAttr.from_values(TileType(i1), [value]))
        constant.location = op.location
        op.parent.insert_op_before(constant, op)
        compare.replace_all_uses_with(constant.result)
    op.parent.erase_op(op)


def get_signedness(loop: ForOp) -> Signedness:
    """How a loop compares its induction variable."""
    return Signedness.SIGNED if loop.unsigned_cmp is None else Signedness.UNSIGNED


def match_split(loop: ForOp, branch: IfOp) -> Split | None:
    """The split that an `if` somewhere in a loop suggests."""
    compare, induction = branch.condition.owner, loop.induction_variable
    if not isinstance(compare, CmpIOp) or induction.type == TileType(i1):
        return None
    if compare.signedness != SignednessAttr(get_signedness(loop)):
        return None
    assert isinstance(compare.comparison_predicate, ComparisonPredicateAttr)
    predicate = compare.comparison_predicate.data
    if predicate not in MIRRORED:
        return None
    if compare.lhs is induction:
        split = Split(loop, compare, predicate, compare.rhs)
    elif compare.rhs is induction:
        split = Split(loop, compare, MIRRORED[predicate], compare.lhs)
    else:
        return None
    # The owner of an argument of the loop is its block, which is inside, too.
    return None if loop.is_ancestor(split.bound.owner) else split


def get_threshold(branch: IfOp, loop: ForOp, default: int) -> int:
    """The threshold for an `if`: its own, the loop's, the function's, or the default."""
    for op in (branch, loop, find_around(loop, FunctionLike)):
        threshold = None if op is None else op.attributes.get(THRESHOLD_NAME)
        if isinstance(threshold, IntegerAttr):
            return threshold.value.data
    return default


def is_profitable(branch: IfOp, threshold: int) -> bool:
    """
    Whether getting rid of an `if` is worth two loops: never for 0, always for 1, else if a
    branch has that many ops, or an expensive one.
    """
    if threshold <= 1:
        return threshold == 1
    blocks = [block for region in branch.regions for block in region.blocks]
    return any(
        len(block.ops) > threshold or any(isinstance(op, WORTHWHILE) for op in block.ops)
        for block in blocks
    )


def is_removable(branch: IfOp) -> bool:
    """Whether each branch can take the place of an `if` in the body of a loop."""
    return all(
        isinstance(block.last_op, YieldOp | ContinueOp)
        for region in branch.regions
        for block in region.blocks
    )


def find_split(loop: ForOp, default_threshold: int) -> Split | None:
    """The first split of a loop that is possible and profitable."""
    for branch in loop.body.walk(region_first=True):
        if not isinstance(branch, IfOp) or (split := match_split(loop, branch)) is None:
            continue
        users = (use.operation for use in split.compare.result.uses)
        branches = [user for user in users if isinstance(user, IfOp)]
        if any(
            is_profitable(user, get_threshold(user, loop, default_threshold)) for user in branches
        ) and all(is_removable(user) for user in branches if user.parent is loop.body.block):
            return split
    return None


@dataclass(frozen=True)
class LoopSplitPass(ModulePass):
    """
    Splits a `for` in two where the condition of an `if` in it flips, as in causal attention.

    - split-threshold: 0 splits nothing; 1, the default, whatever is possible; a larger number
      only for a branch with that many ops, or with a load, store, `mmaf`, `mmai`, `reduce`,
      `if` or `for`. The integer attribute `cuda_tile.loop_split` on the `if`, on the `for` or
      on the function, in that order, overrides it.
    """

    name = "loop-split"

    split_threshold: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in find_all(op, ForOp, inner_first=True):
            if (split := find_split(loop, self.split_threshold)) is not None:
                split.apply()
