"""
Drops masks in the iterations of a loop in which they are all true.

Before:  for %i in (%lb to %ub, step %one) {
           %s = mmaf …
           %c = cmpi greater_than_or_equal %rows, %i * 128 + iota, signed : tile<128x128xi1>
           %m = select %c, %s, %minus_infinity
           …
         }
After:   %last = floor((%row - 127) / 128) + 1       // in 64 bits, clamped to 32
         for %i in (%lb to %ub, step %one) {
           %s = mmaf …
           %all = cmpi less_than %i, %last, signed : tile<i1>
           %m = if %all {
             yield %s
           } else {
             %c = cmpi greater_than_or_equal %rows, %i * 128 + iota, signed : tile<128x128xi1>
             %m = select %c, %s, %minus_infinity
             yield %m
           }
           …
         }

`loop-split` makes two loops of that. A mask of causal attention is false in the last blocks of
keys only, one for the end of a sequence in the last one.

What is compared is linear in the induction variable and in the coordinates of elements, so the
iterations in which a comparison holds for all elements are those up to some number, or from some
number on. That number is computed before the loop, exactly: in 64 bits, from 32-bit scalars. Where
numbers that are compared could wrap around in some iteration of the loop, all iterations keep the
mask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.traits import Pure

from tileiras_xdsl.analysis.slices import operands_first
from tileiras_xdsl.dialects.cuda_tile.control_flow import ForOp, IfOp, YieldOp
from tileiras_xdsl.dialects.cuda_tile.conversion import ExtIOp, TruncIOp
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.enums import (
    ComparisonPredicate,
    ComparisonPredicateAttr,
    Overflow,
    OverflowAttr,
    Rounding,
    Signedness,
    SignednessAttr,
)
from tileiras_xdsl.dialects.cuda_tile.integer import (
    AddIOp,
    AndIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulIOp,
    NegIOp,
    OrIOp,
    ShLIOp,
    SubIOp,
)
from tileiras_xdsl.dialects.cuda_tile.matmul import MmaFOp, MmaFScaledOp, MmaIOp
from tileiras_xdsl.dialects.cuda_tile.shape import (
    AssumeOp,
    BroadcastOp,
    IotaOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.xdsl_extras.walking import find_all, find_in_block

from .canonicalization.values import (
    MAX_SLICE,
    get_constant,
    get_negated,
    is_defined_op,
    is_false,
    is_true,
)

# Integer tiles that are linear in the induction variable of a loop and in the places of elements.
#
# The rows of a causal mask, `%block * 128 + iota`, or its columns, `%i * 128 + iota`, are sums of
# multiples of scalars and of the coordinates of elements. Integers wrap around, so such a tile is
# congruent to the sum, modulo 2³²: where the sum itself fits in 32 bits, it is the tile.

MAX_FACTOR: Final = 1 << 20
"""Of a factor: sums of fewer than 2¹⁰ products of such and an i32 fit in 64 bits."""

MAX_TERMS: Final = 16


@dataclass(frozen=True)
class Linear:
    """
    `induction · i + Σ factor · scalar + constant + Σ coordinates[d] · x[d]`, where i is the
    induction variable and x the place of an element of a tile.
    """

    shape: tuple[int, ...] = ()
    induction: int = 0
    scalars: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Values of one element that are defined outside of the loop, with their factors."""
    constant: int = 0
    coordinates: tuple[int, ...] = ()
    """A factor for each dimension, zero for those of size one."""

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """The sum with a multiple of another one of the same shape."""
        scalars = {**self.scalars}
        for value, each in other.scalars.items():
            scalars[value] = scalars.get(value, 0) + factor * each
        return Linear(
            self.shape,
            self.induction + factor * other.induction,
            {value: each for value, each in scalars.items() if each},
            self.constant + factor * other.constant,
            tuple(a + factor * b for a, b in zip(self.coordinates, other.coordinates, strict=True)),
        )

    def times(self, factor: int) -> Linear:
        return Linear(self.shape, coordinates=(0,) * len(self.shape)).plus(self, factor)

    @property
    def is_small(self) -> bool:
        """Whether its exact values fit in 64 bits, with room to add some."""
        factors = [self.induction, *self.scalars.values(), *self.coordinates]
        return (
            len(factors) <= MAX_TERMS
            and all(abs(each) <= MAX_FACTOR for each in factors)
            and abs(self.constant) <= 1 << 48
        )

    def offset(self, choose: Callable[[int, int], int]) -> int:
        """The constant with the least (`min`) or the largest (`max`) that places add to it."""
        ends = zip(self.coordinates, self.shape, strict=True)
        return self.constant + sum(choose(0, factor * (size - 1)) for factor, size in ends)


def linear_of(value: SSAValue, loop: ForOp, known: dict[SSAValue, Linear | None]) -> Linear | None:
    """
    An i32 tile in a loop, or before it, as a sum; None if it is none that can be told. What is
    found out on the way is kept.
    """
    for each in operands_first(value, partial(_sources_of, loop=loop), known):
        known[each] = _linear_of(each, loop, known)
    return known[value]


def _sources_of(value: SSAValue, loop: ForOp) -> Sequence[SSAValue]:
    """The tiles that one is the sum of; none if it is a term, or no i32 tile."""
    op = value.owner
    ty = value.type
    if not isinstance(ty, TileType) or ty.element_type != i32 or not isinstance(op, Operation):
        return ()
    if get_constant(value) is not None or _is_scalar(value, loop):
        return ()
    # Poison where it overflows, which a branch must not depend on.
    return op.operands if op.properties.get("overflow", _WRAPS) == _WRAPS else ()


def _is_scalar(value: SSAValue, loop: ForOp) -> bool:
    """Whether a tile has one element, which is computed before a loop."""
    ty = value.type
    assert isinstance(ty, TileType)
    return ty.element_count() == 1 and not loop.is_ancestor(value.owner)


def _linear_of(
    value: SSAValue, loop: ForOp, known: Mapping[SSAValue, Linear | None]
) -> Linear | None:
    """A tile as a sum, given those that it is the sum of."""
    ty = value.type
    if not isinstance(ty, TileType) or ty.element_type != i32:
        return None
    shape = ty.get_shape()
    zeros = (0,) * len(shape)
    if value is loop.induction_variable:
        return Linear(induction=1)
    if (elements := get_constant(value)) is not None:
        number = elements.get_splat_value()
        return (
            Linear(shape, constant=int(number), coordinates=zeros) if number is not None else None
        )
    if _is_scalar(value, loop):
        while isinstance(value.owner, ReshapeOp):
            value = value.owner.source
        return Linear(shape, scalars={value: 1}, coordinates=zeros)
    op = value.owner
    if isinstance(op, IotaOp):
        return Linear(shape, coordinates=(int(shape[0] > 1),))
    sources = _sources_of(value, loop)
    found = [linear for source in sources if (linear := known[source]) is not None]
    if not isinstance(op, Operation) or not found or len(found) != len(sources):
        return None
    result = _combine(op, found, shape)
    return result if result is not None and result.is_small else None


_WRAPS: Final = OverflowAttr(Overflow.NONE)


def _combine(op: Operation, sources: Sequence[Linear], shape: tuple[int, ...]) -> Linear | None:
    """The result of an op from its operands."""
    match op, sources:
        case AddIOp(), (lhs, rhs):
            return lhs.plus(rhs)
        case SubIOp(), (lhs, rhs):
            return lhs.plus(rhs, -1)
        case NegIOp(), (source,):
            return source.times(-1)
        case MulIOp(), (lhs, rhs):
            if _is_constant(lhs):
                lhs, rhs = rhs, lhs
            return lhs.times(rhs.constant) if _is_constant(rhs) else None
        case ShLIOp(), (lhs, rhs) if _is_constant(rhs) and 0 <= rhs.constant < 31:
            return lhs.times(1 << rhs.constant)
        case AssumeOp(), (source,):
            return source
        case BroadcastOp(), (source,):
            # Dimensions of size one have no factor.
            return _with_shape(source, shape, source.coordinates)
        case PermuteOp(), (source,):
            order = op.get_permutation()
            return _with_shape(source, shape, [source.coordinates[dim] for dim in order])
        case ReshapeOp(), (source,):
            return _reshape(source, shape)
        case _:
            return None


def _is_constant(linear: Linear) -> bool:
    return not linear.induction and not linear.scalars and not any(linear.coordinates)


def _with_shape(source: Linear, shape: tuple[int, ...], coordinates: Sequence[int]) -> Linear:
    return Linear(shape, source.induction, source.scalars, source.constant, tuple(coordinates))


def _reshape(source: Linear, shape: tuple[int, ...]) -> Linear | None:
    """With dimensions of size one added or dropped, or no dimension that counts."""
    if any(source.coordinates):
        if [size for size in source.shape if size > 1] != [size for size in shape if size > 1]:
            return None
        factors = iter(
            factor
            for factor, size in zip(source.coordinates, source.shape, strict=True)
            if size > 1
        )
        return _with_shape(source, shape, [next(factors) if size > 1 else 0 for size in shape])
    return _with_shape(source, shape, (0,) * len(shape))


LEAST, LARGEST = -(1 << 31), (1 << 31) - 1
"""The range of an i32."""

OPPOSITES: Final = {
    ComparisonPredicate.LESS_THAN: ComparisonPredicate.GREATER_THAN_OR_EQUAL,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: ComparisonPredicate.GREATER_THAN,
    ComparisonPredicate.GREATER_THAN: ComparisonPredicate.LESS_THAN_OR_EQUAL,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: ComparisonPredicate.LESS_THAN,
}
"""What holds where a comparison does not; comparisons for equality are none of these."""

DOTS = (MmaFOp, MmaIOp, MmaFScaledOp)


@dataclass(frozen=True)
class GuardMasksPass(ModulePass):
    """
    Puts the selections of masked tiles in loops with dots into an `if`, which skips them in
    iterations in which the mask is the same for all elements. `loop-split` makes loops of it.

    A mask is a comparison of integers, or several combined by `andi` or `ori`. Masks of tiles that
    are smaller than what the dots of the loop compute are left alone, such as those of indices, as
    are masks in branches, and those in a loop that goes on with the results of another loop with
    dots: there the program, or its front end, has split the loop already.
    """

    name = "guard-masks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in find_all(op, ForOp, inner_first=True):
            selections = masked_selections(loop)
            if not selections:
                continue
            rewriter = LoopRewriter(loop)
            for selection in selections:
                rewriter.guard(selection)


def masked_selections(loop: ForOp) -> list[SelectOp]:
    """
    The selections in the body of a loop of tiles that are as large as the result of a dot in it,
    but not those in branches, which programs have guarded themselves.
    """
    selections = find_in_block(loop.body.block, SelectOp)
    dots = find_all(loop.body, *DOTS) if selections else []
    if not dots:
        return []
    least = min(count_elements(op.results[0]) for op in dots)
    found = [op for op in selections if count_elements(op.result) >= least]
    return [] if not found or continues_another(loop) else found


def count_elements(tile: SSAValue) -> int:
    """How many elements a tile has."""
    assert isinstance(tile.type, TileType)
    return tile.type.element_count()


def continues_another(loop: ForOp) -> bool:
    """
    Whether a loop goes on with what another one with dots computed: the program was split before,
    and this is the part that needs the mask.
    """
    return any(
        isinstance(owner := value.owner, ForOp) and find_all(owner.body, *DOTS)
        for value in loop.init_values
    )


@dataclass(frozen=True)
class Comparison:
    """A comparison, and whether it has to hold or not to hold."""

    compare: CmpIOp
    holds: bool


def find_comparisons(condition: SSAValue, holds: bool) -> list[Comparison] | str:
    """
    Comparisons that together imply that all of a mask holds, or none of it; or why there are none.
    """
    found: list[Comparison] = []
    for part, wanted in operands_first((condition, holds), _parts_of):
        if isinstance(part.owner, CmpIOp):
            found.append(Comparison(part.owner, wanted))
        elif not _parts_of((part, wanted)) and not (is_true if wanted else is_false)(part):
            return "the mask is no comparison of integers, and no combination of those"
    return found


def _parts_of(mask: tuple[SSAValue, bool]) -> Sequence[tuple[SSAValue, bool]]:
    """Masks that together imply that all of a mask holds, or none of it."""
    condition, holds = mask
    if (negated := get_negated(condition)) is not None:
        return [(negated, not holds)]
    match condition.owner:
        case BroadcastOp(source=source) | ReshapeOp(source=source):
            return [(source, holds)]
        case AndIOp(lhs=lhs, rhs=rhs) if holds:
            return [(lhs, holds), (rhs, holds)]
        case OrIOp(lhs=lhs, rhs=rhs) if not holds:
            return [(lhs, holds), (rhs, holds)]
        case _:
            return []


@dataclass
class Bounds:
    """The iterations in which some linear numbers are not negative, and fit in an i32."""

    uppers: list[SSAValue] = field(default_factory=list[SSAValue])
    """Iterations are below all of these (i64)."""
    lowers: list[SSAValue] = field(default_factory=list[SSAValue])
    """Iterations are none below any of these (i64)."""
    checks: list[SSAValue] = field(default_factory=list[SSAValue])
    """What has to be true before the loop."""


Key = tuple[tuple[SSAValue, bool], ...]


class LoopRewriter:
    """Guards the masks of a loop."""

    def __init__(self, loop: ForOp):
        self.loop = loop
        self.conditions: dict[Key, SSAValue | str] = {}
        """By comparisons: the condition that they hold for all elements, or why there is none."""
        self.multiples: dict[tuple[SSAValue, int], SSAValue] = {}
        """Of scalars, in 64 bits."""
        self.constants: dict[tuple[int, TileType], SSAValue] = {}
        self.linear: dict[SSAValue, Linear | None] = {}
        """Tiles as sums, None for those that are none."""

    def guard(self, selection: SelectOp) -> None:
        """Puts a selection into an `if`, if possible."""
        # The tile that is masked is kept, not what masks it.
        is_kept = get_constant(selection.val_if_true) is None
        holds = is_kept or get_constant(selection.val_if_false) is not None
        condition = self.find_condition(selection.cond, holds)
        if isinstance(condition, str):
            text = "a mask in every iteration"
            remark(selection, "Missed", "Pipeline", text, name="Mask", reason=condition)
            return
        kept = selection.val_if_true if holds else selection.val_if_false
        block = selection.parent
        assert block is not None
        then, otherwise = Block(), Block()
        choice = IfOp(condition, [selection.result.type], Region(then), Region(otherwise))
        choice.location = selection.location
        block.insert_op_before(choice, selection)
        (result,) = choice.results
        selection.result.replace_all_uses_with(result)
        selection.detach()
        for end, value in ((then, kept), (otherwise, selection.result)):
            terminator = YieldOp(value)
            terminator.location = selection.location
            end.add_op(terminator)
        otherwise.insert_op_before(selection, cast(Operation, otherwise.last_op))
        text = "mask only where it differs between elements; loops without it have the others"
        remark(selection, "Passed", "Pipeline", text, name="Mask")
        sink_condition(choice, selection.cond)

    def find_condition(self, mask: SSAValue, holds: bool) -> SSAValue | str:
        """The condition under which a mask holds for all elements, or for none, in the loop."""
        comparisons = find_comparisons(mask, holds)
        if isinstance(comparisons, str):
            return comparisons
        key = tuple((each.compare.result, each.holds) for each in comparisons)
        if key not in self.conditions:
            self.conditions[key] = self.build_condition(comparisons)
        return self.conditions[key]

    def build_condition(self, comparisons: Sequence[Comparison]) -> SSAValue | str:
        if self.loop.unsigned_cmp is not None or self.loop.induction_variable.type != TileType(i32):
            return "the induction variable is no signed i32"
        sides: list[tuple[Linear, Linear, Linear]] = []
        for comparison in comparisons:
            found = self.find_difference(comparison)
            if isinstance(found, str):
                return found
            sides.append(found)
        if not any(difference.induction for difference, _, _ in sides):
            return "the mask does not depend on the induction variable"
        bounds = Bounds()
        for difference, lhs, rhs in sides:
            self.add_bound(bounds, difference)
            self.add_range(bounds, lhs)
            self.add_range(bounds, rhs)
        return self.combine(bounds)

    def find_difference(self, comparison: Comparison) -> tuple[Linear, Linear, Linear] | str:
        """What is not negative where a comparison holds, with both of its sides."""
        compare = comparison.compare
        assert isinstance(compare.comparison_predicate, ComparisonPredicateAttr)
        predicate = compare.comparison_predicate.data
        if predicate not in OPPOSITES or compare.signedness != SignednessAttr(Signedness.SIGNED):
            return "the mask is no comparison of signed integers by size"
        if not comparison.holds:
            predicate = OPPOSITES[predicate]
        lhs, rhs = (linear_of(each, self.loop, self.linear) for each in (compare.lhs, compare.rhs))
        if lhs is None or rhs is None:
            return "what is compared is not linear in the induction variable and in coordinates"
        if not all(map(is_defined, (*lhs.scalars, *rhs.scalars))):
            return "what is compared may be poison"
        is_less = predicate in (
            ComparisonPredicate.LESS_THAN,
            ComparisonPredicate.LESS_THAN_OR_EQUAL,
        )
        difference = rhs.plus(lhs, -1) if is_less else lhs.plus(rhs, -1)
        if predicate in (ComparisonPredicate.LESS_THAN, ComparisonPredicate.GREATER_THAN):
            one = Linear(difference.shape, constant=1, coordinates=(0,) * len(difference.shape))
            difference = difference.plus(one, -1)
        return difference, lhs, rhs

    # What is computed before the loop

    def add_bound(self, bounds: Bounds, difference: Linear) -> None:
        """Bounds for iterations in which a number is not negative for any element."""
        scalars, rest, factor = difference.scalars, difference.offset(min), difference.induction
        if factor == 0:
            total = self.build_sum(scalars, rest)
            bounds.checks.append(self.compare(total, 0, ComparisonPredicate.GREATER_THAN_OR_EQUAL))
        elif factor < 0:
            # The first iteration in which it is negative.
            total = self.build_sum(scalars, rest - factor)
            bounds.uppers.append(self.divide(total, -factor, Rounding.NEGATIVE_INF))
        else:
            total = self.build_sum({each: -n for each, n in scalars.items()}, -rest)
            bounds.lowers.append(self.divide(total, factor, Rounding.POSITIVE_INF))

    def add_range(self, bounds: Bounds, side: Linear) -> None:
        """Checks that a number fits in an i32 for all elements and iterations."""
        is_scalar = [*side.scalars.values()] == [1] and not side.induction
        for choose, limit, predicate in (
            (max, LARGEST, ComparisonPredicate.LESS_THAN_OR_EQUAL),
            (min, LEAST, ComparisonPredicate.GREATER_THAN_OR_EQUAL),
        ):
            offset = side.offset(choose)
            if is_scalar and choose(offset, 0) == 0:
                continue
            scalars = dict(side.scalars)
            if side.induction:
                grows = (side.induction > 0) == (choose is max)
                end = self.loop.upper_bound if grows else self.loop.lower_bound
                scalars[end] = scalars.get(end, 0) + side.induction
                # The upper bound itself is not reached.
                offset -= side.induction if grows else 0
            known = [number_of(value) for value in scalars]
            if None not in known:
                ends = zip(known, scalars.values(), strict=True)
                if LEAST <= offset + sum((a or 0) * b for a, b in ends) <= LARGEST:
                    continue
            total = self.build_sum(scalars, offset)
            bounds.checks.append(self.compare(total, limit, predicate))

    def combine(self, bounds: Bounds) -> SSAValue:
        """The condition, in the loop, that the iteration is within bounds."""
        checked: SSAValue | None = None
        for check in bounds.checks:
            checked = check if checked is None else self.build(AndIOp(checked, check))
        parts: list[SSAValue] = []
        for values, extremum, never, predicate in (
            (bounds.uppers, MinIOp, LEAST, ComparisonPredicate.LESS_THAN),
            (bounds.lowers, MaxIOp, LARGEST, ComparisonPredicate.GREATER_THAN_OR_EQUAL),
        ):
            if not values:
                continue
            total = values[0]
            for value in values[1:]:
                total = self.build(extremum(total, value, Signedness.SIGNED))
            total = self.build(MaxIOp(total, self.number(LEAST), Signedness.SIGNED))
            total = self.build(MinIOp(total, self.number(LARGEST), Signedness.SIGNED))
            bound = self.build(TruncIOp(total, TileType(i32)))
            if checked is not None and not parts:
                bound = self.build(SelectOp(checked, bound, self.constant(never, TileType(i32))))
            compare = CmpIOp(self.loop.induction_variable, bound, predicate, Signedness.SIGNED)
            parts.append(self.build_inside(compare))
        if len(parts) == 1:
            return parts[0]
        return self.build_inside(AndIOp(*parts))

    def build_sum(self, scalars: dict[SSAValue, int], constant: int) -> SSAValue:
        """A sum of multiples of scalars, in 64 bits."""
        total: SSAValue | None = None
        for value, factor in scalars.items():
            if (number := number_of(value)) is not None:
                constant += factor * number
            else:
                term = self.build_multiple(value, factor)
                total = term if total is None else self.build(AddIOp(total, term))
        if total is None:
            return self.number(constant)
        return self.build(AddIOp(total, self.number(constant))) if constant else total

    def build_multiple(self, value: SSAValue, factor: int) -> SSAValue:
        if (value, factor) not in self.multiples:
            assert isinstance(value.type, TileType)
            source = self.build(ReshapeOp(value, TileType(i32))) if value.type.rank else value
            wide = self.build(ExtIOp(source, TileType(i64), Signedness.SIGNED))
            if factor != 1:
                wide = self.build(MulIOp(wide, self.number(factor)))
            self.multiples[value, factor] = wide
        return self.multiples[value, factor]

    def divide(self, value: SSAValue, divisor: int, rounding: Rounding) -> SSAValue:
        if divisor == 1:
            return value
        return self.build(DivIOp(value, self.number(divisor), Signedness.SIGNED, rounding))

    def compare(self, value: SSAValue, limit: int, predicate: ComparisonPredicate) -> SSAValue:
        return self.build(CmpIOp(value, self.number(limit), predicate, Signedness.SIGNED))

    def number(self, value: int) -> SSAValue:
        return self.constant(value, TileType(i64))

    def constant(self, value: int, ty: TileType) -> SSAValue:
        if (value, ty) not in self.constants:
            constant = ConstantOp(DenseElementsAttr.from_values(ty, [value]))
            self.constants[value, ty] = self.build(constant)
        return self.constants[value, ty]

    def build(self, op: Operation) -> SSAValue:
        """Inserts an op before the loop."""
        op.location = self.loop.location
        return Builder(InsertPoint.before(self.loop)).insert(op).results[0]

    def build_inside(self, op: Operation) -> SSAValue:
        """Inserts an op at the beginning of the body, behind those inserted before."""
        op.location = self.loop.location
        block = self.loop.body.block
        operands = [operand.owner for operand in op.operands]
        last = [owner for owner in block.ops if owner in operands]
        point = InsertPoint.after(last[-1]) if last else InsertPoint.at_start(block)
        return Builder(point).insert(op).results[0]


def number_of(value: SSAValue) -> int | None:
    """The number that a scalar is known to be."""
    elements = get_constant(value)
    number = None if elements is None else elements.get_splat_value()
    return None if number is None else int(number)


def is_defined(value: SSAValue) -> bool:
    """Whether a scalar is no poison if nothing that is loaded, or carried by a loop, is."""
    todo, seen = [value], {value}
    while todo:
        op = todo.pop().owner
        if not isinstance(op, Operation) or not (op.has_trait(Pure) or isinstance(op, AssumeOp)):
            continue
        if not isinstance(op, AssumeOp) and not is_defined_op(op):
            return False
        new = [operand for operand in op.operands if operand not in seen]
        todo += new
        seen.update(new)
        if len(seen) > MAX_SLICE:
            return False
    return True


def sink_condition(choice: IfOp, condition: SSAValue) -> None:
    """Moves what only the condition of a selection needs into the branch with the selection."""
    branch = choice.else_region.block
    outside: dict[Operation | Block, int] = {}
    """How many uses an op has outside of the branch."""
    todo = [condition]
    while todo:
        op = todo.pop().owner
        if not isinstance(op, Operation) or op.parent is not choice.parent:
            continue
        if op.regions or not op.has_trait(Pure):
            continue
        if op not in outside:
            uses = [use for result in op.results for use in result.uses]
            outside[op] = sum(not branch.is_ancestor(use.operation) for use in uses)
        if outside[op]:
            continue
        op.detach()
        branch.insert_op_before(op, cast(Operation, branch.first_op))
        for operand in op.operands:
            if operand.owner in outside:
                outside[operand.owner] -= 1
        todo += op.operands
