"""
Scalar evolution: how integers depend on others, on the tile block and on the counter of a loop.

Exactly, as linear expressions without overflow:

    linear = LinearAnalysis(analyze(function))
    linear[value]                  # 128 * %block_id + 127, as `LinearExpression`
    linear.difference(%ub, %lb)    # 1, if that is what it always is

What that says holds for the numbers themselves, not modulo a power of two: an op whose result might
wrap around is a symbol of its own. Divisions are exact if all coefficients are multiples of the
divisor; of minima, maxima and selections that are decided by ranges one operand is left. Symbols
have the ranges that the axis info analysis finds, and coordinates of the grid those that Tile IR
allows: before tile blocks are mapped to CTAs in another way. A value that something is assumed of
is a symbol, because it has another range than the value itself.

For heuristics, as a guess: `ScalarChanges` says in which direction a scalar changes as some number
grows, and by how much. Integers that wrap around are not thought of; neither a quotient by a large
number changes often, nor the remainder by what is added.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, i1
from xdsl.dialects.gpu import BlockIdOp, DimensionEnum, FuncOp, GridDimOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import NoMemoryEffect

from tileiras_xdsl.dialects.arith import IndexCastUIOp
from tileiras_xdsl.dialects.nv_tileaa import elementwise
from tileiras_xdsl.dialects.nv_tileaa.attributes import word
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.targets.machine import MAX_GRID_SIZE
from tileiras_xdsl.xdsl_extras.walking import integer_of

from .axis_info import integer_range_of
from .axis_info_analysis import AxisInfoAnalysis, comparison_of, may_wrap
from .slices import operands_first, operands_of, reachable

CASTS: Final = (
    *(arith.IndexCastOp, IndexCastUIOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp),
    *(elementwise.TruncIOp, AssumeOp),
)
SUMS: Final = (arith.AddiOp, elementwise.AddIOp)
DIFFERENCES: Final = (arith.SubiOp, elementwise.SubIOp)
PRODUCTS: Final = (arith.MuliOp, elementwise.MulIOp)
QUOTIENTS: Final = (
    *(arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp),
    elementwise.DivIOp,
)
REMAINDERS: Final = (arith.RemSIOp, arith.RemUIOp, elementwise.RemIOp)
EXTREMA: Final = (arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp)
COMPARISONS: Final = (arith.CmpiOp, elementwise.CmpIOp)

# Linear expressions

MAX_TERMS: Final = 64
"""A sum of more terms is a symbol, so that work is in proportion to the number of ops."""


def is_plus(value: SSAValue, base: SSAValue, number: int) -> bool:
    """Whether a value is the sum of another one and a constant, which may wrap around."""
    op = value.owner
    if not isinstance(op, SUMS):
        return False
    return op.operands[0] is base and integer_of(op.operands[1]) == number


@dataclass(frozen=True)
class LinearExpression:
    """The sum of some symbols, each times a coefficient that is not zero, and of a constant."""

    terms: Mapping[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    constant: int = 0

    def plus(self, other: LinearExpression, factor: int = 1) -> LinearExpression:
        """The sum of this and a multiple of another one."""
        terms = dict(self.terms)
        for symbol, coefficient in other.terms.items():
            terms[symbol] = terms.get(symbol, 0) + factor * coefficient
        kept = {symbol: coefficient for symbol, coefficient in terms.items() if coefficient}
        return LinearExpression(kept, self.constant + factor * other.constant)

    def times(self, factor: int) -> LinearExpression:
        return LinearExpression().plus(self, factor)


class LinearAnalysis:
    """The linear expressions of the values of a function."""

    def __init__(self, axis_info: AxisInfoAnalysis):
        self._axis_info = axis_info
        self._known: dict[SSAValue, LinearExpression] = {}
        self._flags: dict[SSAValue, bool | None] = {}
        """Whether conditions hold; None where that is not known."""

    def __getitem__(self, value: SSAValue) -> LinearExpression:
        for each in operands_first(value, self._operands_of, self._known):
            if each.type == i1:
                self._flags[each] = self._decide(each)
            found = self._of_op(each)
            is_short = found is not None and len(found.terms) <= MAX_TERMS
            self._known[each] = found if found and is_short else LinearExpression({each: 1})
        return self._known[value]

    def difference(self, first: SSAValue, second: SSAValue) -> int | None:
        """What one value is always more than another one; None if that is not known."""
        expression = self[first].plus(self[second], -1)
        return None if expression.terms else expression.constant

    def range_of(self, expression: LinearExpression) -> tuple[int, int]:
        """The least and the largest number that it can be."""
        low = high = expression.constant
        for symbol, coefficient in expression.terms.items():
            ends = [coefficient * end for end in self._range_of_symbol(symbol)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def _range_of_symbol(self, value: SSAValue) -> tuple[int, int]:
        match value.owner:
            case BlockIdOp():
                return 0, MAX_GRID_SIZE - 1
            case GridDimOp():
                return 1, MAX_GRID_SIZE
            case _:
                info = self._axis_info[value]
                return info.low, info.high

    def _operands_of(self, value: SSAValue) -> list[SSAValue]:
        """The integers and flags that the expression of one may be made of."""
        is_integer = isinstance(value.type, IntegerType | IndexType)
        if not is_integer or self._axis_info[value].value is not None:
            return []
        return [
            each for each in operands_of(value) if isinstance(each.type, IntegerType | IndexType)
        ]

    def _of_op(self, value: SSAValue) -> LinearExpression | None:
        """The expression of the result of an op; None if it is a symbol."""
        op = value.owner
        if not isinstance(value.type, IntegerType | IndexType) or not isinstance(op, Operation):
            return None
        if (constant := self._axis_info[value].value) is not None:
            return LinearExpression(constant=constant)
        if value.type == i1:
            # As a signed number, a flag that is one is minus one.
            return None
        operands = [self._known[each] for each in self._operands_of(value)]
        match op:
            case elementwise.AddIOp() | arith.AddiOp():
                return self._without_overflow(op, operands[0].plus(operands[1]))
            case elementwise.SubIOp() | arith.SubiOp():
                return self._without_overflow(op, operands[0].plus(operands[1], -1))
            case elementwise.MulIOp() | arith.MuliOp():
                for first, second in (operands, operands[::-1]):
                    if not second.terms:
                        return self._without_overflow(op, first.times(second.constant))
                return None
            case elementwise.DivIOp():
                return self._quotient(op, *operands)
            case arith.ExtSIOp() | arith.IndexCastOp() | elementwise.TruncIOp() | arith.TruncIOp():
                low, high = self.range_of(operands[0])
                is_same = integer_range_of(value.type).contain(low, high)
                return operands[0] if is_same and op.operands[0].type != i1 else None
            case arith.MaxSIOp() | arith.MinSIOp():
                return self._extremum(*operands, is_minimum=isinstance(op, arith.MinSIOp))
            case arith.SelectOp():
                chosen = self._flags[op.cond]
                return None if chosen is None else operands[1 if chosen else 2]
            case _:
                return None

    def _without_overflow(
        self, op: Operation, expression: LinearExpression
    ) -> LinearExpression | None:
        bounds = integer_range_of(op.results[0].type)
        is_exact = not may_wrap(op) or bounds.contain(*self.range_of(expression))
        return expression if is_exact else None

    def _quotient(
        self, op: elementwise.DivIOp, number: LinearExpression, divisor: LinearExpression
    ) -> LinearExpression | None:
        by = divisor.constant
        if divisor.terms or by <= 0 or any(each % by for each in number.terms.values()):
            return None
        low, high = self.range_of(number)
        if not op.is_signed and low < 0:
            return None
        rounding = word(op.rounding, "zero")
        if rounding == "zero":
            if low < 0 < high:
                return None
            rounding = "negative_inf" if low >= 0 else "positive_inf"
        rest = number.constant // by if rounding == "negative_inf" else -(-number.constant // by)
        terms = {symbol: each // by for symbol, each in number.terms.items()}
        return LinearExpression(terms, rest)

    def _extremum(
        self, first: LinearExpression, second: LinearExpression, *, is_minimum: bool
    ) -> LinearExpression | None:
        low, high = self.range_of(first.plus(second, -1))
        if low >= 0:
            return second if is_minimum else first
        if high <= 0:
            return first if is_minimum else second
        return None

    def _decide(self, condition: SSAValue) -> bool | None:
        """Whether a condition holds; None if that is not known."""
        if (constant := self._axis_info[condition].value) is not None:
            return bool(constant)
        match condition.owner:
            case elementwise.AndIOp() | arith.AndIOp() as op:
                both = [self._flags[each] for each in op.operands]
                return False if False in both else None if None in both else True
            case elementwise.CmpIOp() | arith.CmpiOp() as op:
                return self._compare(op)
            case _:
                return None

    def _compare(self, op: elementwise.CmpIOp | arith.CmpiOp) -> bool | None:
        predicate, signed = comparison_of(op)
        if not isinstance(ty := op.operands[0].type, IntegerType | IndexType) or ty == i1:
            return None
        first, second = (self[each] for each in op.operands)
        if not signed and min(self.range_of(first)[0], self.range_of(second)[0]) < 0:
            return None
        low, high = self.range_of(first.plus(second, -1))
        match predicate:
            case "lt":
                return True if high < 0 else False if low >= 0 else None
            case "le":
                return True if high <= 0 else False if low > 0 else None
            case "gt":
                return True if low > 0 else False if high <= 0 else None
            case "ge":
                return True if low >= 0 else False if high < 0 else None
            case _:
                return None


# Guesses


@dataclass(frozen=True)
class Change:
    """How a scalar changes; None where nobody knows."""

    direction: int | None
    """1 if it never decreases, -1 if it never increases, 0 if it stays."""
    amount: int | None
    """By how much, mostly."""

    @staticmethod
    def by(amount: int) -> Change:
        return Change((amount > 0) - (amount < 0), amount)

    def plus(self, other: Change, factor: int = 1) -> Change:
        """How the sum with another one, or its negative, changes."""
        direction = amount = None
        if self.direction is not None and other.direction is not None:
            direction = combine(self.direction, factor * other.direction)
        if self.amount is not None and other.amount is not None:
            amount = self.amount + factor * other.amount
        return Change(direction, amount)


STAYS: Final = Change(0, 0)
UNKNOWN: Final = Change(None, None)


def combine(first: int, second: int) -> int | None:
    """The direction of a sum; None if its terms go in opposite directions."""
    return None if first * second < 0 else first or second


class ScalarChanges:
    """How scalars change, given how some of them do, and what the others are computed from."""

    def __init__(
        self,
        given: Callable[[SSAValue], Change | None],
        inputs: Callable[[SSAValue], Collection[SSAValue]] = operands_of,
    ):
        self._given = given
        self._inputs = inputs
        self._known: dict[SSAValue, Change] = {}

    def __getitem__(self, value: SSAValue) -> Change:
        for each in operands_first(value, self._needed, self._known):
            given = self._given(each)
            self._known[each] = self._compute(each) if given is None else given
        return self._known[value]

    def _needed(self, value: SSAValue) -> Collection[SSAValue]:
        return self._inputs(value) if self._given(value) is None else ()

    def _compute(self, value: SSAValue) -> Change:
        changes = [self._known[each] for each in self._inputs(value)]
        if all(change == STAYS for change in changes):
            return STAYS
        found = self._of_result(value.owner, changes)
        if all(change.amount == 0 for change in changes):
            return Change(found.direction, 0)
        return found

    def _of_result(self, op: Operation | Block, changes: Sequence[Change]) -> Change:
        """How the result of an op changes, or what a loop carries."""
        if not isinstance(op, Operation) or isinstance(op, CASTS):
            return changes[0]
        if isinstance(op, SUMS):
            return changes[0].plus(changes[1])
        if isinstance(op, DIFFERENCES):
            return changes[0].plus(changes[1], -1)
        if isinstance(op, EXTREMA):
            return self._of_choice(changes)
        if isinstance(op, arith.SelectOp):
            return self._of_select(op, changes)
        if isinstance(op, PRODUCTS):
            return self._of_product(op, changes)
        if isinstance(op, QUOTIENTS + REMAINDERS):
            return self._of_division(op, changes)
        return UNKNOWN

    def _of_choice(self, changes: Sequence[Change]) -> Change:
        """The larger or the smaller of two numbers."""
        first, second = changes
        amount = first.amount if first.amount == second.amount else None
        return Change(first.plus(second).direction, amount)

    def _of_select(self, op: arith.SelectOp, changes: Sequence[Change]) -> Change:
        condition, *choices = changes
        found = self._of_choice(choices)
        compared = op.cond.owner
        if isinstance(compared, COMPARISONS) and {*compared.operands} == {op.lhs, op.rhs}:
            direction = found.direction
        else:
            usual = _usual_choice(op)
            direction = None if usual is None else choices[op.operands.index(usual) - 1].direction
        return Change(direction, None if condition.amount is None else found.amount)

    def _of_product(self, op: Operation, changes: Sequence[Change]) -> Change:
        direction = amount = None
        for change, other in zip(changes, reversed(op.operands), strict=True):
            if direction is None and _is_positive(other):
                direction = change.direction
            factor = usual_value(other)
            if amount is None and factor is not None and change.amount:
                amount = change.amount * factor
        is_known = all(change.amount is not None for change in changes)
        return Change(direction, amount if is_known else None)

    def _of_division(self, op: Operation, changes: Sequence[Change]) -> Change:
        (change, by), is_quotient = changes, isinstance(op, QUOTIENTS)
        direction = change.direction if is_quotient and _is_positive(op.operands[1]) else None
        amount = change.amount
        divisor = usual_value(op.operands[1])
        if amount is None or by.amount != 0:
            return Change(direction, None)
        if divisor is None:
            return Change(direction, 0 if is_quotient else amount)
        if amount % divisor == 0:
            return Change(direction, amount // divisor if is_quotient else 0)
        if not is_quotient:
            return Change(direction, amount % divisor)
        return Change(direction, 0 if abs(amount) < divisor else None)


def usual_value(value: SSAValue) -> int | None:
    """What a number is unless it is cut off, if it is a constant or at most one."""

    def bounds_of(value: SSAValue) -> Collection[SSAValue]:
        operands = operands_of(value)
        is_cast = len(operands) == 1 and isinstance(value.type, IntegerType | IndexType)
        return operands if is_cast or isinstance(value.owner, arith.MinSIOp) else ()

    numbers = map(integer_of, reachable([value], bounds_of))
    return min((number for number in numbers if number is not None and number > 0), default=None)


def _usual_choice(op: arith.SelectOp) -> SSAValue | None:
    """
    What an op selects where the other value is the least or the largest number of its type: the
    bound of a loop (`guard-masks`) that is replaced where integers would wrap around.
    """
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        number, ty = integer_of(other), other.type
        if number is not None and isinstance(ty, IntegerType):
            if abs(2 * number + 1) == (1 << ty.width.data) - 1:
                return value
    return None


def _is_positive(value: SSAValue) -> bool:
    """Whether a value is a positive constant."""
    return (integer_of(value) or 0) > 0


# Trip counts

DIMENSIONS: Final = (DimensionEnum.X, DimensionEnum.Y, DimensionEnum.Z)
"""In the order in which the GPU starts CTAs, the first one changing fastest."""


def trip_direction(loop: scf.ForOp, dimension: DimensionEnum) -> int | None:
    """
    How the trip count of a loop changes as a coordinate of the tile block grows. A loop whose ends
    move together, such as the one that `loop-split` puts behind another, has some iterations
    everywhere: it counts as one that does not change. Steps have to be constant: a loop over tile
    blocks by the size of the grid is another matter.
    """

    def given(value: SSAValue) -> Change | None:
        owner = value.owner
        if isinstance(owner, Block):
            return STAYS if isinstance(owner.parent_op(), FuncOp) else UNKNOWN
        if isinstance(owner, BlockIdOp | GridDimOp):
            is_coordinate = isinstance(owner, BlockIdOp) and owner.dimension.data == dimension
            return Change.by(1) if is_coordinate else STAYS
        return None if owner.has_trait(NoMemoryEffect) else UNKNOWN

    changes = ScalarChanges(given)
    first, last = (changes[bound].direction for bound in (loop.lb, loop.ub))
    if first is None or last is None or not _is_positive(loop.step):
        return None
    return 0 if first == last else combine(last, -first)


def trip_directions(loop: scf.ForOp) -> set[int | None]:
    """How the trip count of a loop changes with each of the coordinates of the tile block."""
    return {trip_direction(loop, dimension) for dimension in DIMENSIONS}
