"""
Axis info of the integers or pointers in a scalar or tensor, and its transfer functions.

    %i = make_range 0, 256                 contiguity [256]  divisibility [∞]  constancy [1]
    %b = splat (%id * 256)                 contiguity [1]    divisibility [256] constancy [256]
    %o = addi %i, %b                       contiguity [256]  divisibility [256] constancy [1]
    %m = cmpi %o < splat (%n, div_by<16>)                                       constancy [16]

Integers are signed, except for i1, whose values are 0 and 1, and wrap around. Divisors that are
powers of two survive overflow. So does a contiguous run that starts at a multiple of its length:
the length is a power of two, so the run cannot wrap in the middle. Vectorized accesses therefore
need no integer range analysis to be proven.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product, starmap
from math import gcd, lcm
from operator import mul
from typing import Final, NamedTuple

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape, is_pointer

ANY_DIVISOR = 1 << 62
"""The divisor of zero, which is a multiple of every integer."""

INDEX_BITS = 64
POINTER_BITS = 64

Sizes = tuple[int, ...]


class IntegerRange(NamedTuple):
    """The smallest and largest integer of a type, and its width."""

    low: int
    high: int
    bits: int

    def contain(self, low: int, high: int) -> bool:
        return self.low <= low and high <= self.high


I1_RANGE = IntegerRange(0, 1, 1)
POINTER_RANGE = IntegerRange(0, (1 << POINTER_BITS) - 1, POINTER_BITS)
INDEX_RANGE = IntegerRange(-(1 << 63), (1 << 63) - 1, INDEX_BITS)
_RANGE_OF_WIDTH = {1: I1_RANGE}


def integer_range_of(ty: Attribute) -> IntegerRange:
    """The integer range of a type's elements; that of index if they are no integers."""
    element = get_element(ty)
    if isinstance(element, IntegerType):
        bits = element.width.data
        found = _RANGE_OF_WIDTH.get(bits)
        if found is None:
            half = 1 << (bits - 1)
            found = _RANGE_OF_WIDTH[bits] = IntegerRange(-half, half - 1, bits)
        return found
    return POINTER_RANGE if is_pointer(element) else INDEX_RANGE


def is_tracked(ty: Attribute) -> bool:
    """Whether the analysis tracks values of a type: integers, indices and pointers."""
    element = get_element(ty)
    return isinstance(element, IntegerType | IndexType) or is_pointer(element)


# Divisors


def power_of_two(number: int) -> int:
    """The largest power of two that divides a number."""
    return number & -number


def common_divisor(first: int, second: int) -> int:
    """A divisor of multiples of either: the greatest common divisor."""
    if first == ANY_DIVISOR:
        return second
    if second == ANY_DIVISOR:
        return first
    return gcd(first, second)


def joint_divisor(first: int, second: int) -> int:
    """A divisor of multiples of both: the least common multiple, if it is not too large."""
    if first == ANY_DIVISOR or second == ANY_DIVISOR:
        return ANY_DIVISOR
    joint = lcm(first, second)
    return joint if joint < ANY_DIVISOR else max(first, second)


def multiplied_divisor(first: int, second: int) -> int:
    """A divisor of the product of a multiple of each."""
    if first == ANY_DIVISOR or second == ANY_DIVISOR:
        return ANY_DIVISOR
    product = first * second
    return product if product < ANY_DIVISOR else min(power_of_two(product), ANY_DIVISOR >> 1)


def divisor_of_constant(value: int) -> int:
    """The largest divisor of a number."""
    if value == 0:
        return ANY_DIVISOR
    divisor = abs(value)
    return divisor if divisor < ANY_DIVISOR else min(power_of_two(divisor), ANY_DIVISOR >> 1)


class AxisInfo(NamedTuple):
    """
    A lattice element: what holds for all elements of a value, whenever it is computed.

    A run is an aligned group of consecutive elements along one dimension. Its length is a power of
    two that divides the size of the dimension.
    """

    shape: Sizes
    low: int
    """The integer range's lower bound, inclusive."""
    high: int
    """Its upper bound, inclusive."""
    divisor: int
    """Divides every element; `ANY_DIVISOR` if all are zero. In bytes for pointers."""
    contiguity: Sizes = ()
    """For each dimension, the length of runs in which elements increase by `step`."""
    divisibility: Sizes = ()
    """For each dimension, a divisor of the first element of each of these runs."""
    constancy: Sizes = ()
    """For each dimension, the length of runs of equal elements."""
    step: int = 1
    """1 for integers; for pointers the bytes of an element, 0 if that is not known."""

    @classmethod
    def top(cls, ty: Attribute) -> AxisInfo:
        """The top of the lattice: what holds for every value of a type."""
        bounds = integer_range_of(ty)
        shape = get_shape(ty)
        ones = (1,) * len(shape)
        step = 0 if is_pointer(get_element(ty)) else 1
        return cls(shape, bounds.low, bounds.high, 1, ones, ones, ones, step)

    @classmethod
    def constant(cls, value: int, shape: Sizes = ()) -> AxisInfo:
        """All elements are one constant."""
        divisor = divisor_of_constant(value)
        if not shape:
            return cls((), value, value, divisor)
        ones = (1,) * len(shape)
        return cls(shape, value, value, divisor, ones, (divisor,) * len(shape), runs(shape))

    @classmethod
    def scalar(cls, low: int, high: int, divisor: int = 1) -> AxisInfo:
        """A scalar with an integer range."""
        if low == high:
            divisor = divisor_of_constant(low)
        return cls((), low, high, divisor)

    @property
    def value(self) -> int | None:
        """The constant that all elements are, if they are."""
        return self.low if self.low == self.high else None

    def is_divisible_by(self, number: int) -> bool:
        """Whether every element is divisible."""
        return self.divisor == ANY_DIVISOR or self.divisor % number == 0

    def start_divisor(self, dim: int, run: int) -> int:
        """A divisor of the elements at multiples of `run` along a dimension."""
        contiguity = self.contiguity[dim]
        if run >= contiguity:
            return self.divisibility[dim]
        within = common_divisor(self.divisibility[dim], run * self.step)
        return joint_divisor(within, self.divisor)


def runs(shape: Sizes) -> Sizes:
    """The longest runs that each dimension can have."""
    return tuple(map(power_of_two, shape))


def make(
    shape: Sizes,
    low: int,
    high: int,
    divisor: int,
    contiguity: Sequence[int],
    divisibility: Sequence[int],
    constancy: Sequence[int],
    step: int = 1,
) -> AxisInfo:
    """Axis info whose divisors of all elements and of first elements of runs refine each other."""
    if low == high and step == 1:
        return AxisInfo.constant(low, shape)
    if not shape:
        return AxisInfo((), low, high, divisor, step=step)
    for length, first in zip(contiguity, divisibility, strict=True):
        if length == 1:
            divisor = joint_divisor(divisor, first)
    if divisor != 1:
        divisibility = [joint_divisor(first, divisor) for first in divisibility]
    return AxisInfo(
        shape, low, high, divisor, tuple(contiguity), tuple(divisibility), tuple(constancy), step
    )


def wrap(info: AxisInfo, bounds: IntegerRange, *, may_wrap: bool = True) -> AxisInfo:
    """
    Axis info of integers truncated to a range, given that of the unbounded integers. Without
    `may_wrap`, overflow is undefined behaviour, so the range is clamped.
    """
    shape, low, high, divisor, contiguity, divisibility, constancy, step = info
    if bounds.contain(low, high):
        return info
    if not may_wrap:
        low, high = max(low, bounds.low), min(high, bounds.high)
        if low > high:
            low, high = bounds.low, bounds.high
        return make(shape, low, high, divisor, contiguity, divisibility, constancy, step)
    limit = 1 << bounds.bits
    divisor = common_divisor(divisor, limit)
    if not shape:
        return AxisInfo((), bounds.low, bounds.high, divisor, step=step)
    # A run may not contain a wrap-around point, so it has at most half of the type's integers.
    lengths = [
        min(length, power_of_two(first), max(limit >> 1, 1))
        for length, first in zip(contiguity, divisibility, strict=True)
    ]
    firsts = [
        common_divisor(info.start_divisor(dim, length), limit) for dim, length in enumerate(lengths)
    ]
    return make(shape, bounds.low, bounds.high, divisor, lengths, firsts, constancy, step)


def join(first: AxisInfo, second: AxisInfo) -> AxisInfo:
    """The join of two lattice elements."""
    if first == second:
        return first
    return _merge(first, second, first.shape, runs(first.shape))


def _merge(first: AxisInfo, second: AxisInfo, shape: Sizes, choice: Sequence[int]) -> AxisInfo:
    """Elements of one or the other, where runs of length `choice` come from the same one."""
    low, high = min(first.low, second.low), max(first.high, second.high)
    divisor = common_divisor(first.divisor, second.divisor)
    step = first.step
    if not shape:
        return AxisInfo((), low, high, divisor, step=step if step == second.step else 0)
    if first.step != second.step:
        step = first.step or second.step
        contiguity = [1] * len(choice)
    else:
        contiguity = [*map(min, first.contiguity, second.contiguity, choice)]
    firsts = _common_starts(first, second, contiguity)
    constancy = [*map(min, first.constancy, second.constancy, choice)]
    return make(shape, low, high, divisor, contiguity, firsts, constancy, step)


def widen(old: AxisInfo, new: AxisInfo, bounds: IntegerRange) -> AxisInfo:
    """Widening: a bound that still moves goes to the type's, so that the fixpoint comes soon."""
    low = new.low if new.low >= old.low else bounds.low
    high = new.high if new.high <= old.high else bounds.high
    if (low, high) == (new.low, new.high):
        return new
    return new._replace(low=low, high=high)


def select(condition: AxisInfo, first: AxisInfo, second: AxisInfo) -> AxisInfo:
    """`arith.select`: elements of one where the condition holds, else of the other."""
    if condition.value is not None:
        return first if condition.value else second
    choice = condition.constancy if condition.shape else runs(first.shape)
    return _merge(first, second, first.shape, choice)


# Arithmetic


def equal_runs(first: AxisInfo, second: AxisInfo) -> list[int]:
    """The constancy of an elementwise result: runs in which both operands are constant."""
    return [*map(min, first.constancy, second.constancy)]


def _elementwise(
    first: AxisInfo,
    second: AxisInfo,
    low: int,
    high: int,
    divisor: int,
    constancy: Sequence[int] = (),
) -> AxisInfo:
    """An elementwise result with a range, a divisor and constancy, but no contiguity."""
    shape = first.shape
    if low == high:
        return AxisInfo.constant(low, shape)
    if not shape:
        return AxisInfo((), low, high, divisor)
    ones = (1,) * len(shape)
    constancy = constancy or equal_runs(first, second)
    return AxisInfo(shape, low, high, divisor, ones, (divisor,) * len(shape), tuple(constancy))


def unknown(first: AxisInfo, second: AxisInfo, bounds: IntegerRange) -> AxisInfo:
    """The result of any elementwise op: only constancy carries over."""
    return _elementwise(first, second, bounds.low, bounds.high, 1)


def add(
    first: AxisInfo, second: AxisInfo, bounds: IntegerRange, *, may_wrap: bool = True
) -> AxisInfo:
    """The sum."""
    low, high = first.low + second.low, first.high + second.high
    lengths = [
        max(min(run, equal), min(other_equal, other_run))
        for run, equal, other_equal, other_run in zip(
            first.contiguity, second.constancy, first.constancy, second.contiguity, strict=True
        )
    ]
    return wrap(_sum(first, second, low, high, lengths), bounds, may_wrap=may_wrap)


def subtract(
    first: AxisInfo, second: AxisInfo, bounds: IntegerRange, *, may_wrap: bool = True
) -> AxisInfo:
    """The difference."""
    low, high = first.low - second.high, first.high - second.low
    lengths = [*map(min, first.contiguity, second.constancy)]
    return wrap(_sum(first, second, low, high, lengths), bounds, may_wrap=may_wrap)


def _sum(
    first: AxisInfo, second: AxisInfo, low: int, high: int, contiguity: Sequence[int]
) -> AxisInfo:
    """A sum or difference: a common divisor of the operands divides it."""
    divisor = common_divisor(first.divisor, second.divisor)
    firsts = _common_starts(first, second, contiguity)
    return make(first.shape, low, high, divisor, contiguity, firsts, equal_runs(first, second))


def _common_starts(first: AxisInfo, second: AxisInfo, contiguity: Sequence[int]) -> list[int]:
    """Common divisors of both operands' first elements of runs."""
    return [
        common_divisor(first.start_divisor(dim, run), second.start_divisor(dim, run))
        for dim, run in enumerate(contiguity)
    ]


def multiply(
    first: AxisInfo, second: AxisInfo, bounds: IntegerRange, *, may_wrap: bool = True
) -> AxisInfo:
    """The product. As a factor, the power of two of a shift need not be in the range."""
    if first.value == 1:
        return wrap(second, bounds, may_wrap=may_wrap)
    if second.value == 1:
        return wrap(first, bounds, may_wrap=may_wrap)
    corners = [*starmap(mul, product((first.low, first.high), (second.low, second.high)))]
    divisor = multiplied_divisor(first.divisor, second.divisor)
    multiplied = _elementwise(first, second, min(corners), max(corners), divisor)
    return wrap(multiplied, bounds, may_wrap=may_wrap)


def negate(info: AxisInfo, bounds: IntegerRange, *, may_wrap: bool = True) -> AxisInfo:
    """The negative."""
    negative = _elementwise(info, info, -info.high, -info.low, info.divisor)
    return wrap(negative, bounds, may_wrap=may_wrap)


def magnitude(info: AxisInfo, bounds: IntegerRange) -> AxisInfo:
    """The absolute value; that of the smallest integer wraps to itself."""
    if info.low >= 0:
        return info
    low = max(0, -info.high)
    high = max(abs(info.low), abs(info.high))
    return wrap(_elementwise(info, info, low, high, info.divisor), bounds)


def _nonzero(info: AxisInfo) -> tuple[int, int]:
    """The range of a divisor, without zero: division by zero is undefined behaviour."""
    low = 1 if info.low == 0 else info.low
    high = -1 if info.high == 0 else info.high
    return (low, high) if low <= high else (1, 1)


def _divide_towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


QUOTIENTS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "negative_inf": int.__floordiv__,
    "positive_inf": lambda a, b: -(-a // b),
}
"""The roundings of a quotient that are not towards zero."""


def divide(
    first: AxisInfo, second: AxisInfo, bounds: IntegerRange, rounding: str = "zero"
) -> AxisInfo:
    """The quotient of signed numbers."""
    if second.value == 1:
        return first
    if bounds is I1_RANGE:
        return unknown(first, second, bounds)
    low, high = _nonzero(second)
    if low < 0 < high:
        reach = max(abs(first.low), abs(first.high))
        smallest, largest = -reach, reach
    else:
        quotient = QUOTIENTS.get(rounding, _divide_towards_zero)
        corners = [*starmap(quotient, product((first.low, first.high), (low, high)))]
        smallest, largest = min(corners), max(corners)
    divisor = 1
    constancy: Sequence[int] = ()
    if (by := second.value) is not None and by > 0:
        if first.is_divisible_by(by):
            divisor = first.divisor if first.divisor == ANY_DIVISOR else first.divisor // by
        if rounding == "negative_inf" or (rounding == "zero" and first.low >= 0):
            constancy = _aligned_runs(first, second, by)
    return wrap(_elementwise(first, second, smallest, largest, divisor, constancy), bounds)


def _aligned_runs(first: AxisInfo, second: AxisInfo, multiple: int) -> list[int]:
    """
    The constancy of a floor division by `multiple`: contiguous runs that contain no multiple but
    their first element, or constant runs where these are longer.
    """
    found = equal_runs(first, second)
    for dim, length in enumerate(first.contiguity):
        run = min(length, power_of_two(first.divisibility[dim]), power_of_two(multiple))
        found[dim] = max(found[dim], run)
    return found


def remainder(first: AxisInfo, second: AxisInfo, bounds: IntegerRange) -> AxisInfo:
    """The remainder of signed division towards zero."""
    if bounds is I1_RANGE:
        return unknown(first, second, bounds)
    low, high = _nonzero(second)
    reach = max(abs(low), abs(high)) - 1
    if first.low >= 0 and low > 0 and first.high < low:
        return first
    smallest = 0 if first.low >= 0 else max(-reach, first.low)
    largest = 0 if first.high <= 0 else min(reach, first.high)
    divisor = common_divisor(first.divisor, second.divisor)
    by = second.value
    if by is not None and by != 0 and first.is_divisible_by(by):
        smallest = largest = 0
    if not first.shape or by is None or by <= 0 or first.low < 0:
        return _elementwise(first, second, smallest, largest, divisor)
    return _cyclic(first, second, by, smallest, largest, divisor)


def _cyclic(
    first: AxisInfo, second: AxisInfo, by: int, low: int, high: int, divisor: int
) -> AxisInfo:
    """A remainder by a constant: runs that start at multiples of their length stay contiguous."""
    contiguity = [
        min(length, power_of_two(start), power_of_two(by))
        for length, start in zip(first.contiguity, first.divisibility, strict=True)
    ]
    firsts = [
        common_divisor(first.start_divisor(dim, run), by) for dim, run in enumerate(contiguity)
    ]
    constancy = equal_runs(first, second)
    return make(first.shape, low, high, divisor, contiguity, firsts, constancy)


def shift_left(
    first: AxisInfo, second: AxisInfo, bounds: IntegerRange, *, may_wrap: bool = True
) -> AxisInfo:
    """A left shift: multiplication by a power of two."""
    amount = second.value
    if amount is None:
        divisor = power_of_two(first.divisor) if second.low >= 0 else 1
        return _elementwise(first, second, bounds.low, bounds.high, divisor)
    if not 0 <= amount < bounds.bits:
        return unknown(first, second, bounds)
    multiplier = AxisInfo.constant(1 << amount, first.shape)
    return multiply(first, multiplier, bounds, may_wrap=may_wrap)


def shift_right(first: AxisInfo, second: AxisInfo, bounds: IntegerRange) -> AxisInfo:
    """An arithmetic right shift: floor division by a power of two."""
    amount = second.value
    if bounds is I1_RANGE or (amount is not None and not 0 <= amount < bounds.bits):
        return unknown(first, second, bounds)
    if amount is not None:
        multiplier = AxisInfo.constant(1 << amount, first.shape)
        return divide(first, multiplier, INDEX_RANGE, "negative_inf")
    low, high = (0, first.high) if first.low >= 0 else (min(first.low, 0), max(first.high, 0))
    return _elementwise(first, second, low, high, 1)


def bit_and(first: AxisInfo, second: AxisInfo, bounds: IntegerRange) -> AxisInfo:
    """Bitwise and."""
    if first.value is not None and second.value is None:
        first, second = second, first
    if (mask := second.value) is not None:
        if mask > 0 and power_of_two(mask + 1) == mask + 1:
            by = AxisInfo.constant(mask + 1, first.shape)
            if first.low >= 0:
                return remainder(first, by, INDEX_RANGE)
            if first.shape:
                # The remainder of division towards negative infinity.
                divisor = common_divisor(first.divisor, mask + 1)
                return _cyclic(first, by, mask + 1, 0, mask, divisor)
        if mask < 0 and power_of_two(mask) == -mask:
            rounded = divide(
                first, AxisInfo.constant(-mask, first.shape), INDEX_RANGE, "negative_inf"
            )
            return multiply(rounded, AxisInfo.constant(-mask, first.shape), INDEX_RANGE)
    low, high = bounds.low, bounds.high
    limits = [info.high for info in (first, second) if info.low >= 0]
    if limits:
        low, high = 0, min(limits)
    elif first.high < 0 and second.high < 0:
        high = -1
    divisor = max(power_of_two(first.divisor), power_of_two(second.divisor))
    return _elementwise(first, second, low, high, min(divisor, ANY_DIVISOR >> 1))


def _disjoint(first: AxisInfo, second: AxisInfo) -> bool:
    """Whether no bit is set in both."""
    return first.low >= 0 and first.high < power_of_two(second.divisor)


def _bit_divisor(first: AxisInfo, second: AxisInfo) -> int:
    """A divisor of a bitwise combination: the trailing zeros that both have."""
    common = min(power_of_two(first.divisor), power_of_two(second.divisor))
    return min(common, ANY_DIVISOR >> 1)


def _ones_above(*numbers: int) -> int:
    """The smallest 2^n - 1 that is not less than any of some numbers."""
    return (1 << max(numbers).bit_length()) - 1


def bit_or(first: AxisInfo, second: AxisInfo, bounds: IntegerRange) -> AxisInfo:
    """Bitwise or."""
    if _disjoint(first, second) or _disjoint(second, first):
        return add(first, second, bounds, may_wrap=False)
    low, high = bounds.low, bounds.high
    if first.low >= 0 and second.low >= 0:
        low, high = max(first.low, second.low), _ones_above(first.high, second.high)
    return wrap(_elementwise(first, second, low, high, _bit_divisor(first, second)), bounds)


def bit_xor(first: AxisInfo, second: AxisInfo, bounds: IntegerRange) -> AxisInfo:
    """Bitwise exclusive or."""
    if _disjoint(first, second) or _disjoint(second, first):
        return add(first, second, bounds, may_wrap=False)
    low, high = bounds.low, bounds.high
    if first.value is not None and second.value is not None:
        low = high = first.value ^ second.value
    elif first.low >= 0 and second.low >= 0:
        low, high = 0, _ones_above(first.high, second.high)
    return wrap(_elementwise(first, second, low, high, _bit_divisor(first, second)), bounds)


def extremum(first: AxisInfo, second: AxisInfo, *, is_minimum: bool) -> AxisInfo:
    """The lesser, or the greater, of signed numbers."""
    if first.high <= second.low:
        return first if is_minimum else second
    if second.high <= first.low:
        return second if is_minimum else first
    choose = min if is_minimum else max
    low, high = choose(first.low, second.low), choose(first.high, second.high)
    return _elementwise(first, second, low, high, common_divisor(first.divisor, second.divisor))


# Comparisons

MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def compare(
    predicate: str, first: AxisInfo, second: AxisInfo, *, signed: bool, width: int
) -> AxisInfo:
    """
    The i1 result of `eq`, `ne`, `lt`, `le`, `gt` or `ge`.

    A contiguous run that is compared with a multiple of its length has the same result throughout:
    this is the constancy of masks of vectorized accesses.
    """
    is_ordered = predicate not in ("eq", "ne")
    low, high = 0, 1
    # Ranges are signed: they decide unsigned and i1 comparisons only of non-negative integers.
    if not is_ordered or (width > 1 and (signed or (first.low >= 0 and second.low >= 0))):
        low, high = _decide(predicate, first, second)
    if low == high:
        return AxisInfo.constant(low, first.shape)
    if not first.shape:
        return AxisInfo.scalar(0, 1)
    constancy = equal_runs(first, second)
    if is_ordered and width > 1:
        for dim, found in enumerate(constancy):
            run = max(
                _compared_run(predicate, first, second, dim),
                _compared_run(MIRRORED[predicate], second, first, dim),
            )
            constancy[dim] = max(found, run)
    return _elementwise(first, second, 0, 1, 1, constancy)


def _decide(predicate: str, first: AxisInfo, second: AxisInfo) -> tuple[int, int]:
    """The range of a comparison's result that the operands' ranges allow."""
    if predicate in ("gt", "ge"):
        predicate, first, second = MIRRORED[predicate], second, first
    match predicate:
        case "lt":
            always, never = first.high < second.low, first.low >= second.high
        case "le":
            always, never = first.high <= second.low, first.low > second.high
        case _:
            always = first.value is not None and first.value == second.value
            never = first.high < second.low or first.low > second.high
            if predicate == "ne":
                always, never = never, always
    return int(always), int(not never)


def _compared_run(predicate: str, first: AxisInfo, second: AxisInfo, dim: int) -> int:
    """The constancy of comparing contiguous runs of `first` with constant runs of `second`."""
    limit = second.divisor
    if predicate in ("le", "gt"):
        # x <= n is x < n + 1.
        limit = divisor_of_constant(second.low + 1) if second.value is not None else 1
    return min(
        first.contiguity[dim],
        second.constancy[dim],
        power_of_two(first.divisibility[dim]),
        power_of_two(limit),
    )


def compared_ranges(
    predicate: str, first: AxisInfo, second: AxisInfo, *, signed: bool
) -> tuple[AxisInfo, AxisInfo]:
    """The ranges of two scalars, refined by a comparison of them that holds."""
    if predicate in ("gt", "ge"):
        second, first = compared_ranges(MIRRORED[predicate], second, first, signed=signed)
        return first, second
    if predicate == "ne":
        return first, second
    if predicate == "eq":
        low, high = max(first.low, second.low), min(first.high, second.high)
        return assume_range(first, low, high), assume_range(second, low, high)
    gap = 1 if predicate == "lt" else 0
    if not signed:
        # Unsigned below a non-negative integer implies non-negative.
        if second.low < 0:
            return first, second
        first = assume_range(first, 0, None)
    below = assume_range(first, None, second.high - gap)
    return below, assume_range(second, first.low + gap, None)


# Conversions


def sign_extend(info: AxisInfo, source: IntegerRange) -> AxisInfo:
    """Sign extension; that of a true i1 is -1."""
    return negate(info, INDEX_RANGE) if source is I1_RANGE else info


def zero_extend(info: AxisInfo, source: IntegerRange) -> AxisInfo:
    """Zero extension."""
    if info.low >= 0:
        return info
    limit = 1 << source.bits
    return wrap(info, IntegerRange(0, limit - 1, source.bits))


# Shapes


def splat(info: AxisInfo, shape: Sizes) -> AxisInfo:
    """A scalar splat to a tensor."""
    rank = len(shape)
    divisors = (info.divisor,) * rank
    return AxisInfo(
        shape, info.low, info.high, info.divisor, (1,) * rank, divisors, runs(shape), info.step
    )


def counting(start: AxisInfo, size: int, bounds: IntegerRange) -> AxisInfo:
    """`make_range`: consecutive integers, starting at one."""
    run = power_of_two(size)
    divisor = 1 if size > 1 else start.divisor
    first = start.divisor if run == size else common_divisor(start.divisor, run)
    numbers = make((size,), start.low, start.high + size - 1, divisor, [run], [first], [1])
    return wrap(numbers, bounds)


def with_dims(info: AxisInfo, shape: Sizes, sources: Sequence[int | None]) -> AxisInfo:
    """Permuted, added or broadcast dimensions: each is a source dimension, or none if constant."""
    contiguity = [1 if source is None else info.contiguity[source] for source in sources]
    firsts = [info.divisor if source is None else info.divisibility[source] for source in sources]
    constancy = [
        power_of_two(size) if source is None else info.constancy[source]
        for size, source in zip(shape, sources, strict=True)
    ]
    return make(shape, info.low, info.high, info.divisor, contiguity, firsts, constancy, info.step)


def limit_runs(info: AxisInfo, shape: Sizes) -> AxisInfo:
    """An aligned part of a tensor: its runs fit in the smaller shape."""
    if not shape:
        return AxisInfo((), info.low, info.high, info.divisor, step=info.step)
    limits = runs(shape)
    contiguity = [min(run, limit) for run, limit in zip(info.contiguity, limits, strict=True)]
    firsts = [info.start_divisor(dim, run) for dim, run in enumerate(contiguity)]
    constancy = [min(run, limit) for run, limit in zip(info.constancy, limits, strict=True)]
    return make(shape, info.low, info.high, info.divisor, contiguity, firsts, constancy, info.step)


def joined_parts(first: AxisInfo, second: AxisInfo, shape: Sizes, part: Sizes) -> AxisInfo:
    """
    A tensor that is assembled from two others, whose borders lie at multiples of the sizes of
    `part`.
    """
    return _merge(first, second, shape, runs(part))


def reshape(info: AxisInfo, shape: Sizes) -> AxisInfo:
    """
    A row-major reshape. Dimensions of both shapes are grouped so that groups have the same number
    of elements; runs along a group are those of its innermost dimensions.
    """
    if not shape:
        return AxisInfo((), info.low, info.high, info.divisor, step=info.step)
    rank = len(shape)
    contiguity, firsts, constancy = [1] * rank, [info.divisor] * rank, [1] * rank
    for olds, news in _groups(info.shape, shape):
        inner, equal = olds[-1], 1
        run = info.contiguity[inner]
        for dim in reversed(olds):
            equal *= info.constancy[dim]
            if info.constancy[dim] != info.shape[dim]:
                break
        stride = 1
        for dim in reversed(news):
            size = power_of_two(shape[dim])
            if stride == 1:
                contiguity[dim] = min(run, size)
                firsts[dim] = info.start_divisor(inner, contiguity[dim])
            constancy[dim] = 1 if equal % stride else min(equal // stride, size)
            stride *= shape[dim]
    return make(shape, info.low, info.high, info.divisor, contiguity, firsts, constancy, info.step)


def _groups(old: Sizes, new: Sizes) -> list[tuple[list[int], list[int]]]:
    """Groups of dimensions of two shapes with equally many elements, without unit dimensions."""
    olds = [dim for dim, size in enumerate(old) if size != 1]
    news = [dim for dim, size in enumerate(new) if size != 1]
    groups: list[tuple[list[int], list[int]]] = []
    while olds and news:
        taken: tuple[list[int], list[int]] = ([olds.pop()], [news.pop()])
        left, right = old[taken[0][0]], new[taken[1][0]]
        while left != right:
            if left < right:
                taken[0].insert(0, olds.pop())
                left *= old[taken[0][0]]
            else:
                taken[1].insert(0, news.pop())
                right *= new[taken[1][0]]
        groups.append(taken)
    return groups


# Pointers


def offset_pointer(base: AxisInfo, offset: AxisInfo, size: int) -> AxisInfo:
    """`addptr`: a pointer plus an offset in elements of `size` bytes."""
    low, high = POINTER_RANGE.low, POINTER_RANGE.high

    def in_bytes(divisor: int) -> int:
        return power_of_two(multiplied_divisor(divisor, size))

    divisor = common_divisor(base.divisor, in_bytes(offset.divisor))
    shape = base.shape
    if not shape:
        return AxisInfo((), low, high, divisor, step=size)
    contiguity: list[int] = []
    firsts: list[int] = []
    for dim in range(len(shape)):
        run = min(base.constancy[dim], offset.contiguity[dim])
        if base.step == size:
            run = max(run, min(base.contiguity[dim], offset.constancy[dim]))
        contiguity.append(run)
        moved = in_bytes(offset.start_divisor(dim, run))
        firsts.append(common_divisor(base.start_divisor(dim, run), moved))
    return make(shape, low, high, divisor, contiguity, firsts, equal_runs(base, offset), step=size)


# Assumptions


def assume_divisor(info: AxisInfo, divisor: int) -> AxisInfo:
    """`div_by<divisor>`: all elements are divisible."""
    shape, low, high, known, contiguity, divisibility, constancy, step = info
    joint = joint_divisor(known, divisor)
    return make(shape, low, high, joint, contiguity, divisibility, constancy, step)


def assume_runs(info: AxisInfo, divisor: int, every: int, along: int) -> AxisInfo:
    """`div_by<divisor, every, along>`: contiguous runs along a dimension start at multiples."""
    if every == 0 or info.step == 0:
        return info
    run = power_of_two(gcd(every, info.shape[along]))
    contiguity, divisibility = list(info.contiguity), list(info.divisibility)
    length = max(run, contiguity[along])
    known = info.start_divisor(along, length)
    if length % every:
        divisor = common_divisor(divisor, run * info.step) if length == run else 1
    contiguity[along], divisibility[along] = length, joint_divisor(known, divisor)
    shape, low, high, known, _, _, constancy, step = info
    return make(shape, low, high, known, contiguity, divisibility, constancy, step)


def assume_range(info: AxisInfo, low: int | None, high: int | None) -> AxisInfo:
    """`bounded<low, high>`; contradictory bounds are ignored."""
    lower = info.low if low is None else max(info.low, low)
    upper = info.high if high is None else min(info.high, high)
    if lower > upper:
        return info
    if lower == upper:
        return AxisInfo.constant(lower, info.shape)
    return info._replace(low=lower, high=upper)


def assume_equal(info: AxisInfo, groups: Sequence[int]) -> AxisInfo:
    """`same_elements<groups>`: constancy along each dimension."""
    constancy = tuple(
        max(known, power_of_two(gcd(group, size)) if group else 1)
        for known, group, size in zip(info.constancy, groups, info.shape, strict=True)
    )
    return info._replace(constancy=constancy)


# Literals


def of_elements(numbers: Sequence[int], shape: Sizes) -> AxisInfo:
    """Axis info of a dense constant, given by its elements in row-major order."""
    divisor = ANY_DIVISOR
    for number in numbers:
        divisor = common_divisor(divisor, divisor_of_constant(number))
    contiguity: list[int] = []
    firsts: list[int] = []
    constancy: list[int] = []
    stride = len(numbers)
    for size in shape:
        stride //= size
        run = _longest_run(numbers, size, stride, 1)
        contiguity.append(run)
        constancy.append(_longest_run(numbers, size, stride, 0))
        first = ANY_DIVISOR
        for place, number in enumerate(numbers):
            if place // stride % size % run == 0:
                first = common_divisor(first, divisor_of_constant(number))
        firsts.append(first)
    return make(shape, min(numbers), max(numbers), divisor, contiguity, firsts, constancy)


def _longest_run(numbers: Sequence[int], size: int, stride: int, step: int) -> int:
    """The longest runs along a dimension in which elements increase by `step`."""
    run = power_of_two(size)
    for place, number in enumerate(numbers):
        position = place // stride % size
        while run > 1 and position % run and number != numbers[place - stride] + step:
            run //= 2
    return run
