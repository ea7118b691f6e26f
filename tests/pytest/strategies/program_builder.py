"""Values, control flow and pure ops of random programs that can be run; see `programs.py`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    bf16,
    f4E2M1FN,
    f8E8M0FNU,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import (
    DenseElementsAttr,
    Overflow,
    PtrType,
    Rounding,
    Signedness,
    TileType,
    TokenType,
)
from tileiras_xdsl.dialects.cuda_tile.integer import OverflowBinaryOperation
from tileiras_xdsl.interpreter import SparseArray
from tileiras_xdsl.interpreter.elements import bits_of, from_bits, round_to, storage_dtype, to_bytes

from .attributes import Locations
from .draws import Draws
from .functions import (
    I1,
    I32,
    TOKEN,
    FunctionBuilder,
    OpT,
    Surroundings,
    tile_of,
)
from .types import (
    BASE_FLOATS,
    BITS,
    FLOATS,
    INTEGERS,
    NUMBERS,
    element_bits,
    fits,
    fnv8E5M3FNU,
    i4,
    shapes,
)

Array: TypeAlias = npt.NDArray[Any]

WIDE_INTEGERS = (i8, i16, i32, i64)
INPUT_SIZE = 256
"""Elements of an input."""
ADDRESSABLE: tuple[Attribute, ...] = tuple(element for element in NUMBERS if element != f4E2M1FN)
"""What pointers in tiles point to; two 4-bit floats share an address."""
SAME_SIZE: tuple[tuple[Attribute, ...], ...] = ((i16, f16, bf16), (i32, f32), (i64, f64))
"""Elements whose memory may be read as that of another."""


@dataclass(frozen=True)
class TileProgram:
    """A kernel, its grid, and what it is called with."""

    seed: int
    module: builtin.ModuleOp
    grid: tuple[int, int, int]
    values: tuple[Any, ...]

    def arguments(self) -> list[Any]:
        """New arrays and scalars for a run."""
        return [copy_argument(value) for value in self.values]


def copy_argument(value: Any) -> Any:
    """An argument that shares no memory with another."""
    match value:
        case np.ndarray():
            return value.copy()
        case SparseArray():
            parts = {place: part.copy() for place, part in value.parts.items()}
            return SparseArray(value.dtype, value.size, parts)
        case _:
            return value


@dataclass(frozen=True)
class Place(Surroundings):
    """What the code at hand is in."""

    counter: SSAValue | None = None
    """What counts the rounds of the loop around."""
    passes_order: bool = False
    """Whether the loop around carries the token that orders accesses."""
    repeats: bool = False
    """Whether the code may run more than once."""
    is_ordered: bool = True
    """Whether the token that orders accesses may be replaced here."""


@dataclass
class Results:
    """The array of one element type that results go to: the same part for each block."""

    base: SSAValue
    stride: SSAValue
    used: int = 0
    chained: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Offset and size of the slots that are accessed in order only."""


class Parameters:
    """The parameters of a kernel, which come to be when they are needed."""

    def __init__(self, seed: int, block: Block):
        self.block = block
        self.generator = np.random.default_rng(seed)
        self.values: list[Any] = []

    def add(self, ty: TileType, value: Array | SparseArray | float) -> SSAValue:
        """A new parameter, called with this value."""
        self.values.append(value)
        return self.block.insert_arg(ty, len(self.block.args))

    def elements(self, element: Attribute, count: int) -> Array:
        """Memory of elements: mostly numbers of everyday size, some of any bits."""
        generator = self.generator
        bits = generator.integers(0, 1 << min(BITS[element], 63), count, np.uint64)
        if isinstance(element, IntegerType):
            plain = generator.integers(-16, 16, count).astype(np.uint64)
            plain &= np.uint64((1 << BITS[element]) - 1)
        else:
            numbers = generator.standard_normal(count) * 2
            if element == f8E8M0FNU:
                numbers = np.abs(numbers) + 0.25
            plain = bits_of(round_to(numbers, element, "nearest_even"), element).astype(np.uint64)
        chosen = np.where(generator.random(count) < 0.75, plain, bits)
        return to_bytes(from_bits(chosen, element), element).view(storage_dtype(element))

    def scalar(self, element: Attribute) -> int | float:
        """The value of a scalar parameter."""
        if isinstance(element, IntegerType):
            return int(self.generator.integers(-8, 32)) % (1 << element.width.data)
        return float(np.round(self.generator.standard_normal() * 3, 2))


class ProgramBuilder(FunctionBuilder, ABC):
    """Fills the body of a kernel: values, control flow, and ops without effects."""

    makers: Sequence[Callable[[Any], None]]
    value_makers: Sequence[Callable[[Any], None]]
    pure_makers: Sequence[Callable[[Any], None]]
    region_makers: Sequence[Callable[[Any], None]]

    limit = 32
    """Elements of a tile."""
    max_rank = 4
    max_depth = 3
    """Of regions in one another."""
    input_size = INPUT_SIZE

    def __init__(self, draws: Draws, seed: int, grid: tuple[int, int, int]):
        super().__init__(draws, Locations(draws), [], Place(depth=-1))
        self.place = Place(returned=(), depth=-1)
        self.grid = grid
        self.budget = draws.choose((5, 15, 30, 80))
        """How many ops there may be before it is time to come to an end."""
        self.shapes = [shapes(draws, max_rank=self.max_rank, limit=self.limit) for _ in range(3)]
        self.elements = [
            *(draws.choose(INTEGERS) for _ in range(2)),
            *(draws.choose(BASE_FLOATS) for _ in range(2)),
            draws.choose(NUMBERS),
        ]
        """The shapes and element types that most tiles of this program have."""
        self.symbols: list[ct.GlobalOp] = []
        self.entry_block = self.block
        self.parameters = Parameters(seed, self.entry_block)
        self.inputs: dict[Attribute, SSAValue] = {}
        self.scalars_at_hand: dict[Attribute, SSAValue] = {}
        self.results: dict[Attribute, Results] = {}
        self.shared: dict[object, SSAValue] = {}
        """Counters by element type and mode."""
        self.sizes: dict[SSAValue, tuple[int, ...]] = {}
        """The sizes of tensor views."""
        self.order = self.hide(ct.MakeTokenOp()).result
        self.block_id = self.hide(ct.GetTileBlockIdOp())
        self.block_number = self.number_of_block()

    # Ops and values

    def add(self, op: OpT) -> OpT:
        self.hide(op)
        self.show(op.results)
        return op

    def hide(self, op: OpT) -> OpT:
        """Appends an op whose results are not for everyone."""
        self.block.add_op(op)
        self.budget -= 1
        return op

    def number_of_block(self) -> SSAValue:
        """The number of this block of the grid."""
        x, y, z = self.block_id.results
        _, high, _ = self.grid
        grid = self.hide(ct.GetNumTileBlocksOp())
        column = self.hide(ct.MulIOp(z, self.splat(I32, high))).result
        row = self.hide(ct.AddIOp(column, y)).result
        start = self.hide(ct.MulIOp(row, grid.results[0])).result
        return self.hide(ct.AddIOp(start, x)).result

    def splat(self, ty: TileType, number: int) -> SSAValue:
        """A constant integer."""
        bits = number & ((1 << BITS[ty.element_type]) - 1)
        return self.hide(ct.ConstantOp(DenseElementsAttr.from_bits(ty, [bits]))).result

    def masked(self, value: SSAValue, mask: int) -> SSAValue:
        """The bits of an integer that are set in a mask."""
        return self.hide(ct.AndIOp(value, self.splat(tile_of(value), mask))).result

    def spread(self, scalar: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tile of copies of a scalar."""
        if not shape:
            return scalar
        ty = tile_of(scalar)
        one = self.hide(ct.ReshapeOp(scalar, ty.with_shape([1] * len(shape)))).result
        return self.hide(ct.BroadcastOp(one, ty.with_shape(shape))).result

    def bounded(self, element: Attribute, count: int) -> SSAValue:
        """A scalar from zero to below a number."""
        ty = TileType(element)
        if count == 1 or self.draws.flag(30):
            return self.splat(ty, self.draws.integer(0, count - 1))
        value = self.value(ty)
        if count & (count - 1) == 0:
            return self.masked(value, count - 1)
        return self.hide(ct.RemIOp(value, self.splat(ty, count), Signedness.UNSIGNED)).result

    def tile(
        self,
        elements: Sequence[Attribute] = NUMBERS,
        *,
        min_rank: int = 0,
        max_rank: int | None = None,
    ) -> SSAValue:
        if max_rank is None:
            max_rank = self.max_rank
        known = [
            value
            for value in self.visible
            if isinstance(value.type, TileType)
            and value.type.element_type in elements
            and min_rank <= value.type.rank <= max_rank
        ]
        if known and self.draws.flag(85):
            # Of two, the newer one: long chains of ops find more than many short ones.
            return known[max(self.draws.integer(0, len(known) - 1) for _ in range(2))]
        return self.make(self.tile_type(elements, min_rank, max_rank))

    def tile_type(
        self,
        elements: Sequence[Attribute] = NUMBERS,
        min_rank: int = 0,
        max_rank: int | None = None,
    ) -> TileType:
        """A type of a tile, mostly one of few, so that values of equal types meet."""
        draws = self.draws
        if max_rank is None:
            max_rank = self.max_rank
        shape = shapes(draws, min_rank=min_rank, max_rank=max_rank, limit=self.limit)
        if draws.flag(80):
            usual = [shape for shape in self.shapes if min_rank <= len(shape) <= max_rank]
            shape = draws.choose(usual) if usual else shape
            elements = [element for element in elements if element in self.elements] or elements
        element = draws.choose(elements)
        return TileType(element, shape if fits(element, shape) else (2, *shape[1:]))

    def types(self) -> list[Attribute]:
        count = self.draws.choose((0, 1, 1, 2))
        if count == 2 and self.draws.flag():
            return [self.carried_type()] * 2
        return [self.carried_type() for _ in range(count)]

    def carried_type(self) -> Attribute:
        match self.draws.integer(0, 9):
            case 0:
                return TokenType()
            case 1:
                return TileType(PtrType(self.draws.choose(ADDRESSABLE)))
            case _:
                return self.tile_type((*NUMBERS, i4), max_rank=2)

    def make(self, ty: Attribute) -> SSAValue:
        if not isinstance(ty, TileType):
            return super().make(ty)
        element = ty.element_type
        if isinstance(element, PtrType):
            return self.make_pointers(ty, element)
        if element == i4:
            return self.add(ct.TruncIOp(self.value(ty.with_element(i8)), ty)).to
        is_large = ty.element_count() > self.input_size
        match self.draws.integer(0, 3):
            case 0 | 1 if not self.place.is_pure and not is_large:
                return self.load_input(ty)
            case 2 if element not in (f4E2M1FN, fnv8E5M3FNU):
                return self.spread_parameter(ty)
            case _:
                return self.make_constant(ty)

    def make_constant(self, ty: TileType) -> SSAValue:
        count = ty.element_count()
        if count == 1 or self.draws.flag(30):
            bits = [self.bits(ty.element_type)]
        else:
            patterns = [self.bits(ty.element_type) for _ in range(4)]
            bits = [self.draws.choose(patterns) for _ in range(count)]
        return self.add(ct.ConstantOp(DenseElementsAttr.from_bits(ty, bits))).result

    def bits(self, element: Attribute) -> int:
        """The bits of an element, mostly those of a number of everyday size."""
        if self.draws.flag(30):
            return element_bits(self.draws, element)
        if isinstance(element, IntegerType):
            return self.draws.integer(-20, 20) & ((1 << BITS[element]) - 1)
        number = self.draws.integer(-32, 64) / 16
        if element == f8E8M0FNU:
            number = 2.0 ** self.draws.integer(-3, 3)
        return int(bits_of(round_to(np.asarray(number), element, "nearest_even"), element))

    def spread_parameter(self, ty: TileType) -> SSAValue:
        """Copies of a scalar parameter."""
        element = ty.element_type
        if element not in self.scalars_at_hand or self.draws.flag(20):
            self.scalars_at_hand[element] = self.parameters.add(
                TileType(element), self.parameters.scalar(element)
            )
        value = self.spread(self.scalars_at_hand[element], ty.get_shape())
        self.show([value])
        return value

    # Regions

    @contextmanager
    def inside(self, types: Sequence[Attribute], place: Place) -> Generator[Block]:
        """Goes into a new block."""
        outer, order = self.place, self.order
        self.place = replace(place, depth=place.depth + 1)
        with self.nested(types, self.place) as block:
            yield block
        self.place, self.order = outer, order

    def fill(self) -> None:
        draws, place = self.draws, self.place
        known = len(self.visible)
        for _ in range(draws.integer(1, 3) if place.depth >= 0 else 12):
            if self.budget < 0:
                break
            if place.is_pure:
                makers = self.pure_makers
            elif place.depth < self.max_depth and draws.flag(25 if place.carried is None else 45):
                makers = self.region_makers
            elif draws.flag(50):
                # Several at once: what they compute takes few ops, unlike accesses.
                makers = self.value_makers
                for _ in range(3):
                    draws.choose(makers)(self)
            else:
                makers = self.makers
            draws.choose(makers)(self)
        if not place.is_pure:
            self.observe_unused(self.visible[known:], 2 if place.depth >= 0 else 8)

    def leave(
        self, op_class: Callable[..., ct.ContinueOp | ct.BreakOp], types: Sequence[Attribute]
    ) -> None:
        """Ends a block by going to the next round of a loop, or out of it."""
        operands = self.values(types)
        if op_class is ct.ContinueOp and self.place.counter is not None:
            one = self.splat(I32, 1)
            operands = [self.hide(ct.AddIOp(self.place.counter, one)).result, *operands]
        if self.place.passes_order:
            operands.append(self.order)
        self.add(op_class(*operands))

    def arm(self, results: Sequence[Attribute], place: Place, *, ordered: bool) -> Region:
        """A branch of an `if`, ended in one of the ways that are open here."""
        with self.inside((), place) as block:
            self.fill()
            way = self.draws.integer(0, 5)
            if way in (0, 3) and place.carried is not None:
                self.leave(ct.ContinueOp, place.carried)
            elif way == 1 and place.results is not None:
                self.leave(ct.BreakOp, place.results)
            elif way == 2 and place.returned is not None:
                self.add(ct.ReturnOp())
            else:
                self.add(ct.YieldOp(*self.values(results), *([self.order] if ordered else [])))
        return Region(block)

    def condition(self) -> SSAValue:
        """A scalar that is true or false, rarely a constant."""
        if self.draws.flag(40):
            return self.value(I1)
        element = self.draws.choose(WIDE_INTEGERS)
        value = self.value(TileType(element))
        if self.draws.flag(30) and element == i32:
            value = self.block_id.results[self.draws.integer(0, 2)]
        predicate = self.draws.choose(tuple(ct.ComparisonPredicate))
        limit = self.splat(tile_of(value), self.draws.integer(-2, 12))
        return self.add(ct.CmpIOp(value, limit, predicate, self.signedness())).result

    def if_(self) -> None:
        condition, place = self.condition(), self.place
        ordered = not place.is_pure and place.is_ordered and self.draws.flag(80)
        place = replace(place, is_ordered=ordered)
        results = self.types()
        then_region = self.arm(results, place, ordered=ordered)
        has_else = results or ordered or self.draws.flag()
        else_region = self.arm(results, place, ordered=ordered) if has_else else None
        types = [*results, *([TOKEN] if ordered else [])]
        op = self.hide(ct.IfOp(condition, types, then_region, else_region))
        self.show(op.results[: len(results)])
        if ordered:
            self.order = op.results[-1]

    def loop_bounds(self) -> tuple[SSAValue, SSAValue, SSAValue, bool]:
        """Lower bound, upper bound and step of a short loop, and whether they are unsigned."""
        draws = self.draws
        element = draws.choose((i1, i8, i16, i32, i32, i32, i64))
        ty, width, unsigned = TileType(element), BITS[element], draws.flag(40)
        if element == i1:
            return self.splat(ty, 0), self.value(ty), self.splat(ty, 1), True
        low, high = self.masked(self.value(ty), 3), self.masked(self.value(ty), 7)
        if draws.flag(40):
            low, high = self.splat(ty, draws.integer(0, 2)), self.splat(ty, draws.integer(1, 6))
        step = self.splat(ty, draws.choose((1, 1, 2, 3)))
        if draws.flag(30):
            # Around zero, or around the number where the sign changes.
            middle = self.splat(ty, (1 << (width - 1)) - 3 if unsigned else -3)
            low, high = (self.hide(ct.AddIOp(bound, middle)).result for bound in (low, high))
        elif unsigned and draws.flag(40):
            # So large that they would be negative.
            high = self.hide(ct.OrIOp(high, self.splat(ty, 1 << (width - 1)))).result
            step = self.splat(ty, 1 << (width - 2))
        return low, high, step, unsigned

    def for_(self) -> None:
        low, high, step, unsigned = self.loop_bounds()
        types = self.types()
        initial, place = self.values(types), self.place
        ordered = place.is_ordered and self.draws.flag(80)
        initial += [self.order] if ordered else []
        limit = self.splat(tile_of(low), self.draws.integer(-1, 5))
        around = replace(
            place,
            carried=types,
            results=None,
            returned=None,
            counter=None,
            passes_order=ordered,
            repeats=True,
            is_ordered=ordered,
        )
        carried = [*types, *([TOKEN] if ordered else [])]
        with self.inside((low.type, *carried), around) as block:
            if ordered:
                self.take_order(block)
            if self.draws.flag():
                self.split_point(block.args[0], limit, unsigned=unsigned)
            self.fill()
            self.leave(ct.ContinueOp, types)
        op = self.hide(ct.ForOp(low, high, step, initial, Region(block), unsigned_cmp=unsigned))
        self.finish_loop(op.results, types, ordered=ordered)

    def split_point(self, index: SSAValue, limit: SSAValue, *, unsigned: bool) -> None:
        """A branch on the induction variable, at which loops can be split."""
        if tile_of(index).element_type == i1:
            return
        predicate = self.draws.choose(tuple(ct.ComparisonPredicate)[2:])
        signedness = Signedness.UNSIGNED if unsigned else Signedness.SIGNED
        condition = self.hide(ct.CmpIOp(index, limit, predicate, signedness)).result
        place = replace(self.place, carried=None, results=None, returned=None, is_ordered=False)
        ty = self.tile_type(NUMBERS, max_rank=1)
        arms = [self.arm([ty], place, ordered=False) for _ in range(2)]
        op = self.add(ct.IfOp(condition, [ty], *arms))
        if self.place.is_ordered:
            self.observe(op.results[0])

    def take_order(self, block: Block) -> None:
        """The last argument of a block is the token that orders accesses."""
        self.order = block.args[-1]
        self.by_type[self.order.type].remove(self.order)
        self.visible.remove(self.order)

    def finish_loop(
        self, results: Sequence[SSAValue], types: Sequence[Attribute], *, ordered: bool
    ) -> None:
        self.show(results[: len(types)])
        if ordered:
            self.order = results[-1]

    def loop(self) -> None:
        types, results, place = self.types(), self.types(), self.place
        ordered = place.is_ordered and self.draws.flag(80)
        tokens = [TOKEN] if ordered else []
        initial = [self.splat(I32, 0), *self.values(types), *([self.order] if ordered else [])]
        around = replace(
            place,
            carried=types,
            results=results,
            passes_order=ordered,
            repeats=True,
            is_ordered=ordered,
        )
        with self.inside((I32, *types, *tokens), around) as block:
            self.place = replace(self.place, counter=block.args[0])
            if ordered:
                self.take_order(block)
            limit = self.splat(I32, self.draws.integer(1, 3))
            at_least = ct.ComparisonPredicate.GREATER_THAN_OR_EQUAL
            is_last = self.hide(ct.CmpIOp(block.args[0], limit, at_least, Signedness.SIGNED))
            with self.inside((), self.place) as last:
                self.leave(ct.BreakOp, results)
            self.hide(ct.IfOp(is_last.result, [], Region(last), None))
            self.fill()
            way = self.draws.integer(0, 9)
            if way < 3:
                self.leave(ct.BreakOp, results)
            elif way == 3 and place.returned is not None:
                self.add(ct.ReturnOp())
            else:
                self.leave(ct.ContinueOp, types)
        op = self.hide(ct.LoopOp(initial, [*results, *tokens], Region(block)))
        self.finish_loop(op.results, results, ordered=ordered)

    def aggregate(self, op_class: type[ct.ReduceOp | ct.ScanOp]) -> None:
        draws = self.draws
        elements = [e for e in NUMBERS if e not in (f4E2M1FN, fnv8E5M3FNU)]
        operands = [self.tile(elements, min_rank=1)]
        shape = tile_of(operands[0]).get_shape()
        for _ in range(draws.choose((0, 0, 0, 1, 2))):
            operands.append(self.value(TileType(draws.choose(elements), shape)))
        dim = draws.integer(0, len(shape) - 1)
        scalars = [TileType(tile_of(operand).element_type) for operand in operands]
        identities = [self.identity(ty.element_type) for ty in scalars]
        # Random bodies are run element by element if there is control flow in them.
        random_body = draws.flag(50 if prod(shape) <= 16 else 15)
        around = Place(is_pure=True, depth=max(self.place.depth, 1))
        with self.inside([ty for ty in scalars for _ in range(2)], around) as block:
            if random_body:
                self.fill()
                yielded = self.values(scalars)
            else:
                pairs = zip(block.args[0::2], block.args[1::2], strict=True)
                yielded = [self.combined(lhs, rhs) for lhs, rhs in pairs]
                if len(scalars) > 1 and draws.flag(60):
                    yielded = self.chosen(block, yielded)
            self.add(ct.YieldOp(*yielded))
        if issubclass(op_class, ct.ReduceOp):
            self.add(op_class(operands, dim, identities, Region(block)))
        else:
            self.add(op_class(operands, dim, identities, Region(block), reverse=draws.flag()))

    def combined(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """What the usual reductions make of two elements."""
        element, draws = tile_of(lhs).element_type, self.draws
        if isinstance(element, IntegerType):
            match draws.integer(0, 5):
                case 0:
                    return self.add(ct.MaxIOp(lhs, rhs, self.signedness())).result
                case 1:
                    return self.add(ct.MinIOp(lhs, rhs, self.signedness())).result
                case 2:
                    return self.add(ct.XOrIOp(lhs, rhs)).result
                case 3:
                    return self.add(ct.SubIOp(lhs, rhs)).result
                case 4:
                    return self.add(ct.MulIOp(lhs, rhs)).result
                case _:
                    return self.add(ct.AddIOp(lhs, rhs)).result
        if element not in BASE_FLOATS:
            return draws.choose((lhs, rhs))
        match draws.integer(0, 4):
            case 0:
                return self.add(ct.MaxFOp(lhs, rhs, propagate_nan=draws.flag())).result
            case 1:
                return self.add(ct.MinFOp(lhs, rhs, propagate_nan=draws.flag())).result
            case 2:
                return self.add(ct.MulFOp(lhs, rhs, Rounding.NEAREST_EVEN)).result
            case _:
                return self.add(ct.AddFOp(lhs, rhs, Rounding.NEAREST_EVEN)).result

    def chosen(self, block: Block, combined: list[SSAValue]) -> list[SSAValue]:
        """One of two elements of each operand by a comparison of the first, as in argmax."""
        lhs, rhs = block.args[:2]
        element = tile_of(lhs).element_type
        predicate = self.draws.choose(tuple(ct.ComparisonPredicate))
        if isinstance(element, IntegerType):
            condition = self.add(ct.CmpIOp(lhs, rhs, predicate, self.signedness())).result
        elif element in BASE_FLOATS:
            ordering = self.draws.choose(tuple(ct.ComparisonOrdering))
            condition = self.add(ct.CmpFOp(lhs, rhs, predicate, ordering)).result
        else:
            return combined
        pairs = zip(block.args[0::2], block.args[1::2], strict=True)
        return [self.add(ct.SelectOp(condition, a, b)).result for a, b in pairs]

    def identity(self, element: Attribute) -> Attribute:
        if isinstance(element, IntegerType):
            return IntegerAttr(0, element)
        assert isinstance(element, AnyFloat)
        return FloatAttr(1.0, element)

    # Integers and floats

    def overflow(self, op_class: type[OverflowBinaryOperation]) -> None:
        """With a promise not to overflow if operands are small enough for it."""
        lhs = self.tile(INTEGERS)
        rhs = self.value(lhs.type)
        flag, width = Overflow.NONE, BITS[tile_of(lhs).element_type]
        if width > 1 and self.draws.flag(40):
            lhs, rhs = self.masked(lhs, 7), self.masked(rhs, 7)
            safe = [Overflow.NO_SIGNED_WRAP]
            if op_class is not ct.SubIOp:
                safe += [Overflow.NO_UNSIGNED_WRAP, Overflow.NO_WRAP]
            flag = self.draws.choose(safe)
        if op_class is ct.ShLIOp:
            rhs = self.masked(rhs, 3 if flag is not Overflow.NONE else width - 1)
        self.add(op_class(lhs, rhs, flag))

    def shri(self) -> None:
        lhs = self.tile(INTEGERS)
        amount = self.masked(self.value(lhs.type), BITS[tile_of(lhs).element_type] - 1)
        self.add(ct.ShRIOp(lhs, amount, self.signedness()))

    def quotient(self) -> tuple[SSAValue, SSAValue, Signedness]:
        """A dividend, and a divisor that is neither 0 nor -1."""
        lhs, signedness = self.tile(INTEGERS), self.signedness()
        ty = tile_of(lhs)
        if ty.element_type == i1:
            return lhs, self.splat(ty, 1), Signedness.UNSIGNED
        divisor = self.masked(self.value(lhs.type), -3)
        return lhs, self.hide(ct.OrIOp(divisor, self.splat(ty, 1))).result, signedness

    def divi(self) -> None:
        lhs, rhs, signedness = self.quotient()
        modes = [Rounding.ZERO, Rounding.POSITIVE_INF]
        if signedness is Signedness.SIGNED:
            modes.append(Rounding.NEGATIVE_INF)
        self.add(ct.DivIOp(lhs, rhs, signedness, self.draws.choose(modes)))

    def remi(self) -> None:
        self.add(ct.RemIOp(*self.quotient()))

    def negi(self) -> None:
        source = self.tile(INTEGERS)
        if tile_of(source).element_type != i1 and self.draws.flag():
            flag = self.draws.choose((Overflow.NO_SIGNED_WRAP, Overflow.NO_WRAP))
            source = self.masked(source, 15)
            self.add(ct.NegIOp(source, flag))
        else:
            self.add(ct.NegIOp(source))

    def trunci(self) -> None:
        source = self.tile((i4, *WIDE_INTEGERS[1:], i8))
        ty = tile_of(source)
        narrower = [to for to in (*INTEGERS, i4) if BITS[to] < BITS[ty.element_type]]
        element = self.draws.choose(narrower)
        flag = Overflow.NONE
        if BITS[element] > 4 and self.draws.flag():
            source, flag = self.masked(source, 63), self.draws.choose(tuple(Overflow))
        self.add(ct.TruncIOp(source, ty.with_element(element), flag))

    def ftoi(self) -> None:
        source = self.tile(FLOATS)
        ty = tile_of(source)
        element, saturating = self.draws.choose(INTEGERS), True
        if ty.element_type in BASE_FLOATS and element != i1 and self.draws.flag():
            # Only what fits may be converted without saturation.
            low, high = (
                self.hide(ct.ConstantOp(DenseElementsAttr.from_values(ty, [limit]))).result
                for limit in (0.0, 100.0)
            )
            source = self.hide(ct.MinFOp(source, high)).result
            source, saturating = self.hide(ct.MaxFOp(source, low)).result, False
        target = ty.with_element(element)
        self.add(ct.FToIOp(source, target, self.signedness(), saturating=saturating))

    # Shapes and selection

    def any_tile(self, *, min_rank: int = 0) -> SSAValue:
        if self.draws.flag(12):
            return self.value(self.pointer_type(min_rank))
        return self.tile((*NUMBERS, i4), min_rank=min_rank)

    def pointer_type(self, min_rank: int = 0) -> TileType:
        """A tile of pointers to inputs."""
        shape = shapes(self.draws, min_rank=min_rank, max_rank=3, limit=16)
        return TileType(PtrType(self.draws.choose(ADDRESSABLE)), shape)

    def cat(self) -> None:
        lhs = self.any_tile(min_rank=1)
        shape = list(tile_of(lhs).get_shape())
        if prod(shape) > 64:
            return
        dim = self.draws.integer(0, len(shape) - 1)
        shape[dim] *= 2
        self.add(ct.CatOp(lhs, self.value(lhs.type), tile_of(lhs).with_shape(shape), dim))

    def positions(self, whole: TileType, part: TileType) -> list[SSAValue]:
        """Where a part lies in a whole, counted in parts."""
        counts = zip(whole.get_shape(), part.get_shape(), strict=True)
        return [self.bounded(i32, size // step) for size, step in counts]

    def extract(self) -> None:
        source = self.any_tile()
        part = self.slice_of(tile_of(source))
        self.add(ct.ExtractOp(source, self.positions(tile_of(source), part), part))

    def insert(self) -> None:
        destination = self.any_tile()
        part = self.slice_of(tile_of(destination))
        places = self.positions(tile_of(destination), part)
        self.add(ct.InsertOp(self.value(part), destination, places))

    def iota(self) -> None:
        element = self.draws.choose(INTEGERS)
        size = self.draws.choose((1, 2, 8, 32))
        self.add(ct.IotaOp(TileType(element, (min(size, 1 << BITS[element]),))))

    def constant(self) -> None:
        self.make_constant(self.tile_type())

    def mma_shapes(self, depth: int = 1) -> tuple[list[int], list[int], list[int]]:
        rows, columns, blocks = (self.draws.choose((1, 2, 4)) for _ in range(3))
        batch = [self.draws.choose((1, 2))] if self.draws.flag(30) else []
        inner = depth * (blocks if depth == 1 else 1)
        rows, columns = max(rows, 2), max(columns, 2)
        return [*batch, rows, inner], [*batch, inner, columns], [*batch, rows, columns]

    # Facts

    def assert_(self) -> None:
        """Something that is true."""
        value = self.tile(INTEGERS)
        masked = self.masked(value, 1)
        if tile_of(value).element_type == i1:
            condition = self.add(ct.OrIOp(value, self.splat(tile_of(value), 1))).result
        else:
            unequal = ct.ComparisonPredicate.NOT_EQUAL
            two = self.splat(tile_of(value), 2)
            condition = self.add(ct.CmpIOp(masked, two, unequal, self.signedness())).result
        self.add(ct.AssertOp(condition, self.draws.choose(("", "odd", 'a "quote"'))))

    def assume(self) -> None:
        draws = self.draws
        match draws.integer(0, 4):
            case 0:
                value = self.masked(self.tile(WIDE_INTEGERS), 31)
                predicate = ct.BoundedAttr((draws.optional(0), draws.optional(31)))
            case 1:
                value = self.masked(self.tile(WIDE_INTEGERS), -8)
                predicate = ct.DivByAttr((draws.choose((1, 2, 8)), None, None))
            case 2:
                shape = shapes(draws, max_rank=3, limit=self.limit)
                value = self.spread(self.value(TileType(draws.choose(INTEGERS))), shape)
                predicate = ct.SameElementsAttr(tuple(shape))
            case 3:
                size = draws.choose((4, 8, 16))
                element = draws.choose(WIDE_INTEGERS)
                value = self.hide(ct.IotaOp(TileType(element, (size,)))).result
                predicate = ct.DivByAttr((draws.choose((1, 4)), 4, 0))
            case _:
                value = self.input(draws.choose(ADDRESSABLE))
                predicate = ct.DivByAttr((16, None, None))
        self.add(ct.AssumeOp(value, predicate))

    # Memory

    def input(self, element: Attribute) -> SSAValue:
        """The array of an element type that is only read."""
        if element not in self.inputs:
            data = self.parameters.elements(element, self.input_size)
            self.inputs[element] = self.parameters.add(TileType(PtrType(element)), data)
        return self.inputs[element]

    @abstractmethod
    def load_input(self, ty: TileType) -> SSAValue:
        """A tile that is read from an input."""

    @abstractmethod
    def observe_unused(self, values: Sequence[SSAValue], limit: int) -> None:
        """Makes some of the values that nothing uses a part of the results."""

    @abstractmethod
    def observe(self, value: SSAValue) -> None:
        """Makes a tile of numbers a part of the results."""
