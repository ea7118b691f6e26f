"""
Which `scf.while` loops count.

    find_count(loop, analyze(function))

A loop is a test and two ways on from it: one that stays, which ends with the next values of what
the loop carries, and one that leaves, which ends with the results of the loop. The way on is
chosen by `scf.condition`, or by an `scf.if` in front of it that yields a constant flag in each arm:

    scf.while (%i = …) {                  scf.while (%i = …) {
      before                                before
      %test = …                             %test = …
      scf.condition(%test) …                %flag, … = scf.if %test {
    } do {                                    stay                 scf.yield %true, …
      stay                                  } else {
      scf.yield …                             leave                scf.yield %false, …
    }                                       }
                                            scf.condition(%flag) …
                                          } do { … }

Such a loop counts if the test compares a carried integer, or its next value, with a bound that does
not change, if a positive step that does not change is added to it or subtracted in every iteration,
and if it can be shown that no such step wraps around, unless the loop never ends then.
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
from tileiras_xdsl.xdsl_extras.structure import condition_of, integer_of, last_of
from tileiras_xdsl.xdsl_extras.walking import walk

from .axis_info import MIRRORED, NEGATED, AxisInfo, bounds_of
from .axis_info_analysis import AxisInfoAnalysis, comparison_of, may_wrap


@dataclass(frozen=True)
class Ways:
    """A loop as a test and two ways on from it."""

    loop: scf.WhileOp
    branch: scf.IfOp | None
    """The `scf.if` with the two ways."""
    is_first_stay: bool
    """Whether its first arm is the one that stays."""
    test: SSAValue
    stays_if: bool
    """What the test is where the loop goes on."""

    @property
    def condition(self) -> scf.ConditionOp:
        return condition_of(self.loop)

    @property
    def before(self) -> list[Operation]:
        """What comes before the test, and the test."""
        end = self.branch or self.condition
        ops = list(self.loop.before_region.block.ops)
        return ops[: ops.index(end)]

    def arm(self, *, stays: bool) -> Block | None:
        """The arm of the `scf.if` that stays, or leaves."""
        if self.branch is None:
            return None
        is_first = stays == self.is_first_stay
        return (self.branch.true_region if is_first else self.branch.false_region).block

    @property
    def stay(self) -> list[Operation]:
        """What is done if the loop goes on."""
        arm = self.arm(stays=True)
        ops = [] if arm is None else list(arm.ops)[:-1]
        return ops + list(self.loop.after_region.block.ops)[:-1]

    @property
    def leave(self) -> list[Operation]:
        """What is done if it does not."""
        arm = self.arm(stays=False)
        return [] if arm is None else list(arm.ops)[:-1]

    def resolve(self, value: SSAValue, *, stays: bool = True) -> SSAValue:
        """What a value is that is passed on from the test on one of the ways."""
        if isinstance(value, BlockArgument) and value.block is self.loop.after_region.block:
            value = self.condition.args[value.index]
        if isinstance(value, OpResult) and value.op is self.branch:
            arm = self.arm(stays=stays)
            assert arm is not None
            return last_of(arm).operands[value.index]
        return value

    @property
    def following(self) -> list[SSAValue]:
        """The next values of what the loop carries."""
        latch = last_of(self.loop.after_region.block)
        return [self.resolve(value) for value in latch.operands]

    @property
    def results(self) -> list[SSAValue]:
        """What the results of the loop are where it is left."""
        return [self.resolve(value, stays=False) for value in self.condition.args]

    def is_same(self, carried: SSAValue) -> Callable[[SSAValue], bool]:
        """Whether a value is a carried one, as it is passed on from the test."""

        def is_same(value: SSAValue) -> bool:
            passed = self.resolve(without_assumptions(value))
            return without_assumptions(passed) is carried

        return is_same

    def is_invariant(self, value: SSAValue) -> bool:
        """Whether a value is computed outside the loop."""
        return not self.loop.is_ancestor(value.owner)


@dataclass(frozen=True)
class Step:
    """What is added to a counter in every iteration, or subtracted."""

    amount: SSAValue | None
    """The step as a positive number, if there is a value outside the loop that is that."""
    range: AxisInfo
    """The range of the step, which is positive."""
    is_down: bool
    may_wrap: bool

    @property
    def constant(self) -> int | None:
        return self.range.value


@dataclass(frozen=True)
class Count:
    """
    A loop for as long as the counter is less than (`lt`), not greater than (`le`), greater than
    (`gt`) or not less than (`ge`) a bound, all of them signed.
    """

    ways: Ways
    slot: int
    """Which of the carried values is the counter."""
    predicate: str
    bound: SSAValue
    step: Step
    is_last: bool
    """Whether the test comes after the work, and is that of the next counter."""
    room: int = 0
    """By how much the first value of the counter is within the bound at least."""

    @property
    def initial(self) -> SSAValue:
        """The first value of the counter."""
        return self.ways.loop.arguments[self.slot]


def find_count(loop: scf.WhileOp, facts: AxisInfoAnalysis) -> Count | None:
    """How a loop counts; `None` if that cannot be shown."""
    ways = find_ways(loop)
    comparison = None if ways is None else _find_comparison(ways)
    if ways is None or comparison is None:
        return None
    predicate, is_signed, sides = comparison
    following = ways.following
    for (left, right), relation in ((sides, predicate), (sides[::-1], MIRRORED[predicate])):
        if not ways.is_invariant(right):
            continue
        tested = without_assumptions(left)
        for slot, counter in enumerate(loop.before_region.block.args):
            is_last = tested is without_assumptions(following[slot])
            if tested is not counter and not is_last:
                continue
            step = find_step(following[slot], facts, ways.is_same(counter), ways.is_invariant)
            if step is None:
                continue
            count = Count(ways, slot, relation, right, step, is_last)
            # What comes before a test that is first is computed both in the loop and behind it.
            is_free = all(is_side_effect_free(op) for op in ways.before)
            if _can_test_last(ways) if is_last else is_free:
                return _prove(count, facts, is_signed=is_signed)
    return None


def without_assumptions(value: SSAValue) -> SSAValue:
    """The value that assumptions are made of."""
    while isinstance(value.owner, AssumeOp):
        value = value.owner.value
    return value


def find_ways(loop: scf.WhileOp) -> Ways | None:
    """The test of a loop and the two ways on from it."""
    flag = condition_of(loop).condition
    branch = flag.owner
    ways = Ways(loop, None, True, flag, stays_if=True)
    if isinstance(branch, scf.IfOp) and branch.next_op is condition_of(loop):
        assert isinstance(flag, OpResult)
        first, second = (_known_flag(end) for end in _yielded(branch, flag.index))
        if first is None or second is None or first == second:
            return None
        ways = Ways(loop, branch, first, branch.cond, stays_if=first)
    negated = ways.test.owner
    while isinstance(negated, XOrIOp | arith.XOrIOp) and _known_flag(negated.rhs) is True:
        ways = replace(ways, test=negated.lhs, stays_if=not ways.stays_if)
        negated = ways.test.owner
    return ways


def _yielded(branch: scf.IfOp, index: int) -> list[SSAValue]:
    """What the arms of an `scf.if` with results yield for one of them."""
    return [last_of(region.block).operands[index] for region in branch.regions]


def _known_flag(value: SSAValue) -> bool | None:
    """What an i1 is for certain."""
    if isinstance(branch := value.owner, scf.IfOp):
        assert isinstance(value, OpResult)
        first, second = (_known_flag(end) for end in _yielded(branch, value.index))
        return first if first == second else None
    number = integer_of(value)
    return None if number is None else bool(number)


def _find_comparison(ways: Ways) -> tuple[str, bool, tuple[SSAValue, SSAValue]] | None:
    """What has to hold of which scalars for a loop to go on, and whether they are signed."""
    compare = ways.test.owner
    if not isinstance(compare, CmpIOp | arith.CmpiOp):
        return None
    predicate, is_signed = comparison_of(compare)
    ty = compare.lhs.type
    if not isinstance(ty, IntegerType) or ty.width.data == 1:
        return None
    if not ways.stays_if:
        predicate = NEGATED[predicate]
    return predicate, is_signed, (compare.lhs, compare.rhs)


def find_step(
    following: SSAValue,
    facts: AxisInfoAnalysis,
    is_counter: Callable[[SSAValue], bool],
    is_invariant: Callable[[SSAValue], bool],
) -> Step | None:
    """The step from a value that a loop carries to its next one."""

    def find(following: SSAValue) -> Step | None:
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

    def make(op: Operation, amount: SSAValue, *, is_down: bool) -> Step | None:
        interval, outside = facts[amount], amount if is_invariant(amount) else None
        if interval.value is None and outside is None:
            return None
        if interval.value is not None and interval.value < 0:
            interval, outside, is_down = AxisInfo.constant(-interval.value), None, not is_down
        if not 0 < interval.low <= interval.high <= bounds_of(amount.type).high:
            return None
        return Step(outside, interval, is_down, may_wrap(op))

    return find(following)


def _are_equal(first: Step, second: Step) -> bool:
    """Whether two steps are of the same length in the same direction."""
    if first.is_down != second.is_down:
        return False
    if first.constant is not None:
        return first.constant == second.constant
    return first.amount is second.amount


def _can_test_last(ways: Ways) -> bool:
    """
    Whether what comes after the test may be computed in the last iteration as well, and what is
    needed behind the loop is carried by it.
    """
    if not all(is_side_effect_free(op) and is_speculatable(op) for op in ways.stay):
        return False
    carried, leave = set(ways.following), ways.leave
    used = [value for op in leave for each in walk(op) for value in each.operands]
    return all(
        ways.is_invariant(value)
        or value in carried
        or any(op.is_ancestor(value.owner) for op in leave)
        for value in (*used, *ways.results)
    )


def _prove(count: Count, facts: AxisInfoAnalysis, *, is_signed: bool) -> Count | None:
    """
    The same, compared signed and by order, if the counter neither wraps around nor misses its
    bound.
    """
    if count.step.is_down:
        return _prove_down(count, facts, is_signed=is_signed)
    initial, bound, step = facts[count.initial], facts[count.bound], count.step.range
    if not is_signed and min(initial.low, bound.low) < 0:
        return None
    room = bound.low - initial.high
    if count.predicate == "ne":
        return _meet(count, initial, bound, room)
    if count.predicate not in ("lt", "le"):
        return None
    inclusive = count.predicate == "le"
    most = bounds_of(count.bound.type).high
    if inclusive and bound.high == most:
        return None
    # A step beyond the last number that passes the test, or beyond the first one.
    furthest = bound.high - (not inclusive) + step.high
    if count.is_last:
        furthest = max(furthest, initial.high + step.high)
    if furthest > most and count.step.may_wrap and not (is_signed and _is_endless(count)):
        return None
    return replace(count, room=room + inclusive)


def _is_endless(count: Count) -> bool:
    """
    Whether a loop that goes up signed never ends once it has wrapped around: it meets the same
    numbers again, none of which is beyond the bound.
    """
    step = count.step.constant
    return not count.is_last and step is not None and step.bit_count() == 1


def _prove_down(count: Count, facts: AxisInfoAnalysis, *, is_signed: bool) -> Count | None:
    """The same for a counter that goes down; what goes up instead is how far it has come."""
    initial, bound, step = facts[count.initial], facts[count.bound], count.step.range
    limits = bounds_of(count.bound.type)
    least = limits.low if is_signed else 0
    inclusive = count.predicate == "ge"
    room = initial.low - bound.high
    if min(initial.low, bound.low) < least:
        return None
    # The distance goes a step beyond the last one that passes the test, too.
    longest = initial.high - bound.low + inclusive
    if room < limits.low or longest + step.high - 1 > limits.high:
        return None
    if count.predicate == "ne":
        return _meet(count, initial, bound, room)
    if count.predicate not in ("gt", "ge"):
        return None
    furthest = bound.low + (not inclusive) - step.high
    if count.is_last:
        furthest = min(furthest, initial.low - step.high)
    if furthest < least and (count.step.may_wrap or not is_signed):
        return None
    return replace(count, room=room + inclusive)


def _meet(count: Count, initial: AxisInfo, bound: AxisInfo, room: int) -> Count | None:
    """A loop until the counter is the bound, if it starts on the right side and meets it."""
    step = count.step.constant
    if step is None or room < (step if count.is_last else 0):
        return None
    if not (initial.is_divisible_by(step) and bound.is_divisible_by(step)):
        return None
    return replace(count, predicate="gt" if count.step.is_down else "lt", room=room)
