"""
Scalar integers as linear expressions of others, without overflow.

    linear = LinearAnalysis(analyze(function))
    linear[value]                  # 128 * %block_id + 127, as `LinearExpression`
    linear.difference(%ub, %lb)    # 1, if that is what it always is

What it says holds for the numbers themselves, not modulo a power of two: an op whose result might
wrap around is a symbol of its own. Divisions are exact if all coefficients are multiples of the
divisor; of minima, maxima and selections that are decided by ranges one operand is left. Symbols
have the ranges that the axis info analysis finds, and coordinates of the grid those that Tile IR
allows: before tile blocks are mapped to CTAs in another way. A value that something is assumed of
is a symbol, because it has another range than the value itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, i1
from xdsl.dialects.gpu import BlockIdOp, GridDimOp
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects.nv_tileaa import elementwise
from tileiras_xdsl.dialects.nv_tileaa.base import word
from tileiras_xdsl.targets.machine import MAX_GRID_SIZE
from tileiras_xdsl.xdsl_extras.structure import integer_of

from .axis_info import integer_range_of
from .axis_info_analysis import AxisInfoAnalysis, comparison_of, may_wrap
from .slices import operands_first, operands_of

MAX_TERMS: Final = 64
"""A sum of more terms is a symbol, so that work is in proportion to the number of ops."""


def is_plus(value: SSAValue, base: SSAValue, number: int) -> bool:
    """Whether a value is the sum of another one and a constant, which may wrap around."""
    op = value.owner
    if not isinstance(op, elementwise.AddIOp | arith.AddiOp):
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
