"""
Which `scf.while` loops are counted loops: trip counts from an induction variable and a bound.

    find_count(loop, analyze(function))

A loop has a header with a test, and after it a body, which ends with the next loop-carried values,
and an exit, which ends with the loop's results. `scf.condition` chooses between the two, or an
`scf.if` in front of it that yields a constant flag in each arm:

    scf.while (%i = …) {                  scf.while (%i = …) {
      header                                header
      %test = …                             %test = …
      scf.condition(%test) …                %flag, … = scf.if %test {
    } do {                                    body                 scf.yield %true, …
      body                                  } else {
      scf.yield …                             exit                 scf.yield %false, …
    }                                       }
                                            scf.condition(%flag) …
                                          } do { … }

It is a counted loop if the test compares an induction variable, or its next value (a bottom-tested
loop), with a loop-invariant bound; if its step is loop-invariant and positive, added or subtracted;
and if the induction variable provably does not wrap around, unless the loop would then be infinite.
It does not if what is added is the step or what is left to the bound, whichever is less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import is_side_effect_free, is_speculatable

from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, CmpIOp, SubIOp, XOrIOp
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.xdsl_extras.walking import condition_of, integer_of, last_of, walk

from .axis_info import MIRRORED, NEGATED, AxisInfo, integer_range_of
from .axis_info_analysis import AxisInfoAnalysis, comparison_of, may_wrap


@dataclass(frozen=True)
class WhileStructure:
    """The header, test, body and exit of a loop."""

    loop: scf.WhileOp
    branch: scf.IfOp | None
    """The `scf.if` with body and exit, if there is one."""
    continues_in_then: bool
    """Whether its `then` region is the body."""
    test: SSAValue
    continues_if: bool
    """The value of the test with which the loop continues."""

    @property
    def condition(self) -> scf.ConditionOp:
        return condition_of(self.loop)

    @property
    def header_ops(self) -> list[Operation]:
        """The ops up to the test, the test included."""
        end = self.branch or self.condition
        ops = list(self.loop.before_region.block.ops)
        return ops[: ops.index(end)]

    def arm(self, *, continues: bool) -> Block | None:
        """The arm of the `scf.if` with the body, or with the exit."""
        if self.branch is None:
            return None
        is_first = continues == self.continues_in_then
        return (self.branch.true_region if is_first else self.branch.false_region).block

    @property
    def body_ops(self) -> list[Operation]:
        """The ops that run if the loop continues."""
        arm = self.arm(continues=True)
        ops = [] if arm is None else list(arm.ops)[:-1]
        return ops + list(self.loop.after_region.block.ops)[:-1]

    @property
    def exit_ops(self) -> list[Operation]:
        """The ops that run if it exits."""
        arm = self.arm(continues=False)
        return [] if arm is None else list(arm.ops)[:-1]

    def resolve(self, value: SSAValue, *, continues: bool = True) -> SSAValue:
        """The value that is passed on from the test to the body, or to the exit."""
        if isinstance(value, BlockArgument) and value.block is self.loop.after_region.block:
            value = self.condition.args[value.index]
        if isinstance(value, OpResult) and value.op is self.branch:
            arm = self.arm(continues=continues)
            assert arm is not None
            return last_of(arm).operands[value.index]
        return value

    @property
    def following(self) -> list[SSAValue]:
        """The next loop-carried values."""
        latch = last_of(self.loop.after_region.block)
        return [self.resolve(value) for value in latch.operands]

    @property
    def results(self) -> list[SSAValue]:
        """The loop's results, as the exit has them."""
        return [self.resolve(value, continues=False) for value in self.condition.args]

    def is_same(self, carried: SSAValue) -> Callable[[SSAValue], bool]:
        """Whether a value is a loop-carried one, as it is passed on from the test."""

        def is_same(value: SSAValue) -> bool:
            passed = self.resolve(without_assumptions(value))
            return without_assumptions(passed) is carried

        return is_same

    def is_invariant(self, value: SSAValue) -> bool:
        """Whether a value is loop-invariant."""
        return not self.loop.is_ancestor(value.owner)


@dataclass(frozen=True)
class InductionStep:
    """The step of an induction variable."""

    amount: SSAValue | None
    """The loop-invariant value of the step's magnitude, if there is one."""
    range: AxisInfo
    """The integer range of its magnitude, which is positive."""
    is_down: bool
    may_wrap: bool

    @property
    def constant(self) -> int | None:
        return self.range.value


@dataclass(frozen=True)
class CountedLoop:
    """
    A loop that runs while its induction variable compares as `lt`, `le`, `gt` or `ge`, signed, with
    a bound.
    """

    structure: WhileStructure
    slot: int
    """Which of the loop-carried values is the induction variable."""
    predicate: str
    bound: SSAValue
    step: InductionStep
    is_bottom_tested: bool
    """Whether the test comes after the body, and is that of the next value."""
    min_distance: int = 0
    """A lower bound of the distance from the initial value to the bound."""

    @property
    def initial(self) -> SSAValue:
        """The initial value of the induction variable."""
        return self.structure.loop.arguments[self.slot]


def find_counted_loop(loop: scf.WhileOp, axis_info: AxisInfoAnalysis) -> CountedLoop | None:
    """The induction variable and bound of a loop; `None` if it is not provably counted."""
    structure = find_while_structure(loop)
    comparison = None if structure is None else _find_comparison(structure)
    if structure is None or comparison is None:
        return None
    predicate, is_signed, sides = comparison
    following = structure.following
    for (left, right), relation in ((sides, predicate), (sides[::-1], MIRRORED[predicate])):
        if not structure.is_invariant(right):
            continue
        tested = without_assumptions(left)
        for slot, counter in enumerate(loop.before_region.block.args):
            is_bottom_tested = tested is without_assumptions(following[slot])
            if tested is not counter and not is_bottom_tested:
                continue
            step = find_induction_step(
                following[slot],
                axis_info,
                structure.is_same(counter),
                structure.is_invariant,
                right if relation == "lt" and not is_bottom_tested else None,
            )
            if step is None:
                continue
            count = CountedLoop(structure, slot, relation, right, step, is_bottom_tested)
            # The header of a top-tested loop is duplicated: into the loop and after it.
            is_free = all(is_side_effect_free(op) for op in structure.header_ops)
            if _can_be_bottom_tested(structure) if is_bottom_tested else is_free:
                return _prove(count, axis_info, is_signed=is_signed)
    return None


def find_trip_count(loop: scf.ForOp) -> int | None:
    """The number of iterations of a loop with constant bounds."""
    low, high, step = (integer_of(value) for value in (loop.lb, loop.ub, loop.step))
    if low is None or high is None or step is None:
        return None
    return len(range(low, high, step)) if step > 0 else None


def without_assumptions(value: SSAValue) -> SSAValue:
    """The value behind `assume` ops."""
    while isinstance(value.owner, AssumeOp):
        value = value.owner.value
    return value


def find_while_structure(loop: scf.WhileOp) -> WhileStructure | None:
    """The structure of a loop; `None` if no test tells its body from its exit."""
    flag = condition_of(loop).condition
    branch = flag.owner
    structure = WhileStructure(loop, None, True, flag, continues_if=True)
    if isinstance(branch, scf.IfOp) and branch.next_op is condition_of(loop):
        assert isinstance(flag, OpResult)
        first, second = (_known_flag(end) for end in _yielded(branch, flag.index))
        if first is None or second is None or first == second:
            return None
        structure = WhileStructure(loop, branch, first, branch.cond, continues_if=first)
    negated = structure.test.owner
    while isinstance(negated, XOrIOp | arith.XOrIOp) and _known_flag(negated.rhs) is True:
        structure = replace(structure, test=negated.lhs, continues_if=not structure.continues_if)
        negated = structure.test.owner
    return structure


def _yielded(branch: scf.IfOp, index: int) -> list[SSAValue]:
    """What the arms of an `scf.if` with results yield for one of them."""
    return [last_of(region.block).operands[index] for region in branch.regions]


def _known_flag(value: SSAValue) -> bool | None:
    """The constant that an i1 is, if it is one."""
    if isinstance(branch := value.owner, scf.IfOp):
        assert isinstance(value, OpResult)
        first, second = (_known_flag(end) for end in _yielded(branch, value.index))
        return first if first == second else None
    number = integer_of(value)
    return None if number is None else bool(number)


def _find_comparison(
    structure: WhileStructure,
) -> tuple[str, bool, tuple[SSAValue, SSAValue]] | None:
    """The comparison with which a loop continues: predicate, signedness and operands."""
    compare = structure.test.owner
    if not isinstance(compare, CmpIOp | arith.CmpiOp):
        return None
    predicate, is_signed = comparison_of(compare)
    ty = compare.lhs.type
    if not isinstance(ty, IntegerType) or ty.width.data == 1:
        return None
    if not structure.continues_if:
        predicate = NEGATED[predicate]
    return predicate, is_signed, (compare.lhs, compare.rhs)


def find_induction_step(
    following: SSAValue,
    axis_info: AxisInfoAnalysis,
    is_counter: Callable[[SSAValue], bool],
    is_invariant: Callable[[SSAValue], bool],
    bound: SSAValue | None = None,
) -> InductionStep | None:
    """
    The step of a loop-carried value, given the next one; `None` if it is not an induction
    variable. A loop with a bound may take what is left to it if that is less than the step.
    """

    def find(following: SSAValue) -> InductionStep | None:
        match following.owner:
            case AddIOp() | arith.AddiOp() as op:
                if is_counter(op.lhs):
                    return make(op, op.rhs, is_down=False)
                if is_counter(op.rhs):
                    return make(op, op.lhs, is_down=False)
            case SubIOp() | arith.SubiOp() as op if is_counter(op.lhs):
                return make(op, op.rhs, is_down=True)
            case AssumeOp() as op:
                return find(op.value)
            case scf.IfOp() as branch:
                assert isinstance(following, OpResult)
                first, second = (find(end) for end in _yielded(branch, following.index))
                if first is not None and second is not None and _are_equal(first, second):
                    return replace(first, may_wrap=first.may_wrap or second.may_wrap)
            case _:
                pass
        return None

    def make(op: Operation, amount: SSAValue, *, is_down: bool) -> InductionStep | None:
        limited = None if is_down or bound is None else _find_limited(amount, bound, is_counter)
        amount = amount if limited is None else limited
        interval, outside = axis_info[amount], amount if is_invariant(amount) else None
        if interval.value is None and outside is None:
            return None
        if limited is not None:
            # Without a sign, a negative number would be a large one.
            is_step = 0 < interval.low
            return InductionStep(outside, interval, is_down, may_wrap=False) if is_step else None
        if interval.value is not None and interval.value < 0:
            interval, outside, is_down = AxisInfo.constant(-interval.value), None, not is_down
        if not 0 < interval.low <= interval.high <= integer_range_of(amount.type).high:
            return None
        return InductionStep(outside, interval, is_down, may_wrap(op))

    return find(following)


def _find_limited(
    amount: SSAValue, bound: SSAValue, is_counter: Callable[[SSAValue], bool]
) -> SSAValue | None:
    """The step of `minui(step, bound - counter)`, which leads to no number beyond the bound."""
    least = amount.owner
    if not isinstance(least, arith.MinUIOp):
        return None
    for step, left in (least.operands, reversed(least.operands)):
        rest = left.owner
        if isinstance(rest, arith.SubiOp) and rest.lhs is bound and is_counter(rest.rhs):
            return step
    return None


def _are_equal(first: InductionStep, second: InductionStep) -> bool:
    """Whether two steps are equal."""
    if first.is_down != second.is_down:
        return False
    if first.constant is not None:
        return first.constant == second.constant
    return first.amount is second.amount


def _can_be_bottom_tested(structure: WhileStructure) -> bool:
    """
    Whether ops after the test may be speculated in the last iteration, and all that the exit uses
    is loop-carried.
    """
    if not all(is_side_effect_free(op) and is_speculatable(op) for op in structure.body_ops):
        return False
    carried, exit_ops = set(structure.following), structure.exit_ops
    used = [value for op in exit_ops for each in walk(op) for value in each.operands]
    return all(
        structure.is_invariant(value)
        or value in carried
        or any(op.is_ancestor(value.owner) for op in exit_ops)
        for value in (*used, *structure.results)
    )


def _prove(
    count: CountedLoop, axis_info: AxisInfoAnalysis, *, is_signed: bool
) -> CountedLoop | None:
    """
    The loop with a signed, ordered predicate, if the induction variable provably neither wraps
    around nor misses its bound.
    """
    if count.step.is_down:
        return _prove_down(count, axis_info, is_signed=is_signed)
    initial, bound, step = axis_info[count.initial], axis_info[count.bound], count.step.range
    if not is_signed and min(initial.low, bound.low) < 0:
        return None
    min_distance = bound.low - initial.high
    if count.predicate == "ne":
        return _prove_not_equal(count, initial, bound, min_distance)
    if count.predicate not in ("lt", "le"):
        return None
    inclusive = count.predicate == "le"
    most = integer_range_of(count.bound.type).high
    if inclusive and bound.high == most:
        return None
    # The value that fails the test: a step beyond the last that passes, or beyond the initial one.
    furthest = bound.high - (not inclusive) + step.high
    if count.is_bottom_tested:
        furthest = max(furthest, initial.high + step.high)
    if furthest > most and count.step.may_wrap and not (is_signed and _is_endless(count)):
        return None
    return replace(count, min_distance=min_distance + inclusive)


def _is_endless(count: CountedLoop) -> bool:
    """
    Whether a signed loop that wraps around is infinite. With a step of a power of two it visits
    the same values again, none of which is beyond the bound.
    """
    step = count.step.constant
    return not count.is_bottom_tested and step is not None and step.bit_count() == 1


def _prove_down(
    count: CountedLoop, axis_info: AxisInfoAnalysis, *, is_signed: bool
) -> CountedLoop | None:
    """The same for a negative step; the uplifted loop counts the distance from the start."""
    initial, bound, step = axis_info[count.initial], axis_info[count.bound], count.step.range
    limits = integer_range_of(count.bound.type)
    least = limits.low if is_signed else 0
    inclusive = count.predicate == "ge"
    min_distance = initial.low - bound.high
    if min(initial.low, bound.low) < least:
        return None
    # The distance, too, goes a step beyond the last one that passes the test.
    longest = initial.high - bound.low + inclusive
    if min_distance < limits.low or longest + step.high - 1 > limits.high:
        return None
    if count.predicate == "ne":
        return _prove_not_equal(count, initial, bound, min_distance)
    if count.predicate not in ("gt", "ge"):
        return None
    furthest = bound.low + (not inclusive) - step.high
    if count.is_bottom_tested:
        furthest = min(furthest, initial.low - step.high)
    if furthest < least and (count.step.may_wrap or not is_signed):
        return None
    return replace(count, min_distance=min_distance + inclusive)


def _prove_not_equal(
    count: CountedLoop, initial: AxisInfo, bound: AxisInfo, min_distance: int
) -> CountedLoop | None:
    """A loop with `!=`, if it starts on the right side of the bound and provably hits it."""
    step = count.step.constant
    if step is None or min_distance < (step if count.is_bottom_tested else 0):
        return None
    if not (initial.is_divisible_by(step) and bound.is_divisible_by(step)):
        return None
    return replace(count, predicate="gt" if count.step.is_down else "lt", min_distance=min_distance)
