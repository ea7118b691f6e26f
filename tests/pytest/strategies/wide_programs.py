"""
Random programs for all stages, down to code of threads: larger, deeper, and determined to the bit.

`random_wide_program(seed)` is built like the programs of `programs.py`, with these differences:

- Tiles have up to thousands of elements, ranks go to eight, regions lie eight deep in one another,
  kernels have hundreds of parameters and hints, tensors may have a size of zero, and strides of
  inputs are negative or zero. Of some tiles nothing but single elements is used.
- What an architecture may round in its own way, or sum in its own order, is not computed with: such
  results go to arrays of their own, which are compared within bounds. Sums of floats are sums of
  small integers, bodies of `reduce` and `scan` are associative.
- Bits of NaNs are not looked at: the GPU has one NaN, the interpreter keeps payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    f4E2M1FN,
    f8E8M0FNU,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import (
    AtomicMode,
    DenseElementsAttr,
    MemoryOrdering,
    MemoryScope,
    Rounding,
    Signedness,
    TileType,
)
from tileiras_xdsl.dialects.cuda_tile.attributes import ARCHITECTURES
from tileiras_xdsl.dialects.cuda_tile.enums import RoundingAttr
from tileiras_xdsl.interpreter import SparseArray

from .draws import Draws
from .functions import I32, tile_of
from .program_accesses import Dims, Slot
from .program_builder import Place, Results, TileProgram
from .programs import GRIDS, MAKERS, PURE_MAKERS, REGION_MAKERS, VALUE_MAKERS, B, Builder, Maker
from .types import BASE_FLOATS, BITS, FLOATS, INTEGERS, NUMBERS, fnv8E5M3FNU, tf32

INEXACT: tuple[type[Operation], ...] = (
    ct.SinOp,
    ct.CosOp,
    ct.TanOp,
    ct.SinHOp,
    ct.CosHOp,
    ct.LogOp,
    ct.Log2Op,
    ct.Atan2Op,
    ct.PowOp,
    ct.ExpOp,
    ct.TanHOp,
    ct.Exp2Op,
    ct.RsqrtOp,
    ct.FPowIOp,
)
"""What no two implementations compute to the same bit."""
APPROXIMATE = (Rounding.APPROX, Rounding.FULL)
ORDERED = (
    ct.ComparisonPredicate.LESS_THAN,
    ct.ComparisonPredicate.GREATER_THAN,
    ct.ComparisonPredicate.LESS_THAN_OR_EQUAL,
    ct.ComparisonPredicate.GREATER_THAN_OR_EQUAL,
)


@dataclass(frozen=True)
class Scale:
    """How large a program is."""

    limit: int
    max_rank: int
    max_depth: int
    budget: int


SCALES = (
    *(Scale(32, 4, 3, 150),) * 3,
    *(Scale(256, 4, 3, 100),) * 3,
    *(Scale(2048, 3, 3, 60),) * 2,
    Scale(64, 8, 3, 100),
    Scale(16, 3, 8, 200),
)


@dataclass(frozen=True)
class WideProgram(TileProgram):
    """A program, and which of its arguments hold results that are not determined to the bit."""

    loose: frozenset[int] = frozenset()


def is_inexact(op: Operation) -> bool:
    """Whether results of an op depend on who computes them."""
    if isinstance(op, INEXACT):
        return True
    mode = op.properties.get("rounding_mode")
    return isinstance(mode, RoundingAttr) and mode.data in APPROXIMATE


class WideBuilder(Builder):
    """Chooses among all there is, but for what is not determined."""

    scopes = tuple(MemoryScope)
    view_scopes = (MemoryScope.TL_BLK, MemoryScope.CLUSTER, MemoryScope.GPU)
    orderings = tuple(order for order in MemoryOrdering if order is not MemoryOrdering.WEAK)
    modes = tuple(mode for mode in AtomicMode if mode is not AtomicMode.CMPXCHG)

    def __init__(self, draws: Draws, seed: int, grid: tuple[int, int, int], scale: Scale):
        self.limit = scale.limit
        self.max_rank = scale.max_rank
        self.max_depth = scale.max_depth
        self.input_size = max(256, 2 * scale.limit)
        self.is_small = False
        """Whether floats are made that sums of are exact."""
        super().__init__(draws, seed, grid)
        self.budget = draws.integer(scale.budget // 3, scale.budget)
        self.loose_results: dict[Attribute, Results] = {}

    # What is not determined

    def add(self, op: Any) -> Any:
        if not is_inexact(op):
            return super().add(op)
        if self.place.is_pure:
            # In the body of a reduction, nothing can be stored: another op takes its place.
            self.hide(op)
            self.show([op.operands[0]])
            return op
        self.hide(op)
        self.observe_loosely(op.results[0])
        return op

    def observe_loosely(self, value: SSAValue) -> None:
        """Makes a tile a part of the results that are compared within bounds."""
        if not self.may_access():
            return
        exact, self.results = self.results, self.loose_results
        ty = tile_of(value)
        size = max(ty.element_count(), 8)
        slot: Slot = self.new_slot(ty.element_type, size, is_chained=self.place.is_ordered)
        self.results = exact
        self.store_lanes(slot, value)

    def finish_results(self) -> None:
        super().finish_results()
        exact, self.results = self.results, self.loose_results
        super().finish_results()
        self.results = exact

    # Floats without bits

    def determined(self, elements: Sequence[Attribute]) -> list[Attribute]:
        """Those element types of which bits may be looked at."""
        return [element for element in elements if isinstance(element, IntegerType)]

    def bitcast(self) -> None:
        source = self.tile(INTEGERS)
        ty = tile_of(source)
        width = BITS[ty.element_type]
        elements = [to for to in NUMBERS if BITS[to] == width and to != tf32]
        self.add(ct.BitcastOp(source, ty.with_element(self.draws.choose(elements))))

    def pack(self) -> None:
        elements, packed = self.packed()
        if isinstance(elements.element_type, IntegerType):
            self.add(ct.PackOp(self.value(elements), packed))

    def unpack(self) -> None:
        elements, packed = self.packed()
        if elements.element_type != tf32:
            self.add(ct.UnpackOp(self.value(packed), elements))

    def atomic_cas(self) -> None:
        # Of floats, bits are compared.
        elements, self.elements = self.elements, [i32, i64]
        super().atomic_cas()
        self.elements = elements

    def format(self) -> tuple[StringAttr, list[SSAValue]]:
        value = self.tile((i8, i32, i64), max_rank=1)
        if tile_of(value).element_count() > 64:
            return StringAttr("text\n"), []
        return StringAttr(self.draws.choose(("%d\n", "%5i\n", "%x\n"))), [value]

    def view_mask(self, ty: TileType) -> SSAValue | None:
        if not self.draws.flag(25):
            return None
        return self.value(ty.with_element(i1))

    # Sums

    def value(self, ty: Attribute) -> SSAValue:
        if self.is_small and isinstance(ty, TileType) and ty.element_type in FLOATS:
            return self.small_floats(ty)
        return super().value(ty)

    def small_floats(self, ty: TileType, mask: int = 3) -> SSAValue:
        """A tile of numbers from zero to three."""
        element = ty.element_type
        if element in (f8E8M0FNU, fnv8E5M3FNU, f4E2M1FN) or self.draws.flag(20):
            numbers = (1.0, 2.0) if element == f8E8M0FNU else (0.0, 1.0, 2.0, 3.0)[: mask + 1]
            values = [self.draws.choose(numbers) for _ in range(ty.element_count())]
            return self.hide(ct.ConstantOp(DenseElementsAttr.from_values(ty, values))).result
        integers = self.masked(self.value(ty.with_element(self.draws.choose((i8, i32)))), mask)
        return self.hide(ct.IToFOp(integers, ty, Signedness.SIGNED)).to

    def summed(self, maker: Callable[[], None]) -> None:
        self.is_small = True
        maker()
        self.is_small = False

    def mma_shapes(self, depth: int = 1) -> tuple[list[int], list[int], list[int]]:
        draws = self.draws
        sizes = (2, 4, 16) if self.limit < 256 else (8, 16, 32, 64)
        room = max(self.limit, 64)
        rows, columns, inner = (draws.choose(sizes) for _ in range(3))
        inner = depth * draws.choose((1, 2)) if depth > 1 else inner
        while max(rows * inner, inner * columns, rows * columns) > max(room, 4 * depth):
            rows, columns = max(rows // 2, 2), max(columns // 2, 2)
            inner = inner if depth > 1 else max(inner // 2, 2)
        batch = [draws.choose((1, 2))] if draws.flag(30) else []
        return [*batch, rows, inner], [*batch, inner, columns], [*batch, rows, columns]

    def mmaf(self) -> None:
        self.summed(super().mmaf)

    def mmaf_scaled(self) -> None:
        self.summed(super().mmaf_scaled)

    # Reductions

    def aggregate(self, op_class: type[ct.ReduceOp | ct.ScanOp]) -> None:
        draws = self.draws
        ty = self.tile_type((*INTEGERS, *BASE_FLOATS), min_rank=1)
        shape = ty.get_shape()
        kind = "sum"
        if isinstance(ty.element_type, IntegerType):
            kind = draws.choose(("any", "any", "first" if BITS[ty.element_type] > 8 else "any"))
        elif draws.flag(60):
            kind = "extremum"
        if kind == "sum":
            operands = [self.small_floats(ty)]
        elif kind == "first":
            operands = [self.masked(self.value(ty), 0x3FFF)]
        else:
            operands = [self.value(ty)]
        for _ in range(draws.choose((0, 0, 0, 1, 2)) if kind != "first" else 1):
            element = draws.choose(INTEGERS)
            operands.append(self.value(TileType(element, shape)))
        dim = draws.integer(0, len(shape) - 1)
        scalars = [TileType(tile_of(operand).element_type) for operand in operands]
        around = Place(is_pure=True, depth=max(self.place.depth, 1))
        yielded: list[SSAValue] = []
        identities: list[Attribute] = []
        with self.inside([scalar for scalar in scalars for _ in range(2)], around) as block:
            pairs = list(zip(block.args[0::2], block.args[1::2], strict=True))
            if kind == "first":
                # As in argmax; of equal elements the first or the last one is taken. No element is
                # as the first one that is compared with.
                lhs, rhs = pairs[0]
                number = draws.integer(0, 3)
                op = ct.CmpIOp(lhs, rhs, ORDERED[number], Signedness.SIGNED)
                chosen = self.hide(op).result
                yielded = [self.hide(ct.SelectOp(chosen, a, b)).result for a, b in pairs]
                identities = [self.zero(scalar.element_type) for scalar in scalars]
                identities[0] = IntegerAttr(-1 if number % 2 else 0x7FFF, scalars[0].element_type)  # pyright: ignore
            else:
                for lhs, rhs in pairs:
                    value, identity = self.associative(lhs, rhs, kind)
                    yielded.append(value)
                    identities.append(identity)
            self.hide(ct.YieldOp(*yielded))
        if issubclass(op_class, ct.ReduceOp):
            self.add(op_class(operands, dim, identities, Region(block)))
        else:
            self.add(op_class(operands, dim, identities, Region(block), reverse=draws.flag()))

    def zero(self, element: Attribute) -> Attribute:
        if isinstance(element, IntegerType):
            return IntegerAttr(0, element)
        assert isinstance(element, AnyFloat)
        return FloatAttr(0.0, element)

    def associative(self, lhs: SSAValue, rhs: SSAValue, kind: str) -> tuple[SSAValue, Attribute]:
        """What a reduction makes of two elements, and the element that changes nothing."""
        element, draws = tile_of(lhs).element_type, self.draws
        if not isinstance(element, IntegerType):
            if kind == "sum":
                op: Any = ct.AddFOp(lhs, rhs, Rounding.NEAREST_EVEN)
                return self.hide(op).result, self.zero(element)
            is_max = draws.flag()
            op_class = ct.MaxFOp if is_max else ct.MinFOp
            op = op_class(lhs, rhs, propagate_nan=draws.flag())
            limit = float("-inf") if is_max else float("inf")
            assert isinstance(element, AnyFloat)
            return self.hide(op).result, FloatAttr(limit, element)
        width = element.width.data
        ones = (1 << width) - 1
        least = -(1 << (width - 1)) if width > 1 else -1
        match draws.integer(0, 6):
            case 0:
                return self.hide(ct.MulIOp(lhs, rhs)).result, _integer(1, element)
            case 1:
                return self.hide(ct.XOrIOp(lhs, rhs)).result, _integer(0, element)
            case 2:
                return self.hide(ct.AndIOp(lhs, rhs)).result, _integer(ones, element)
            case 3:
                return self.hide(ct.OrIOp(lhs, rhs)).result, _integer(0, element)
            case 4:
                op = ct.MaxIOp(lhs, rhs, Signedness.SIGNED)
                return self.hide(op).result, _integer(least, element)
            case 5:
                op = ct.MinIOp(lhs, rhs, Signedness.UNSIGNED)
                return self.hide(op).result, _integer(ones, element)
            case _:
                return self.hide(ct.AddIOp(lhs, rhs)).result, _integer(0, element)

    # Tensors

    def empty_view(self) -> None:
        """Tiles of a tensor without elements: padding is read, and nothing is written."""
        if not self.may_access():
            return
        draws = self.draws
        element = draws.choose(NUMBERS)
        tile = self.tile_shape(element)
        sizes = [draws.choose((1, 3, size)) for size in tile]
        sizes[draws.integer(0, len(sizes) - 1)] = 0
        padding = ct.PaddingValue.ZERO
        ty = ct.TensorViewType(element, [None] * len(tile), [None] * len(tile))
        counts = [self.parameters.add(I32, size) for size in sizes]
        strides = [self.parameters.add(I32, prod(sizes[n + 1 :]) or 1) for n in range(len(sizes))]
        base = self.input(element)
        tensor = self.hide(ct.MakeTensorViewOp(base, counts, strides, ty)).result
        view = ct.PartitionViewType(list(tile), ty, None, padding)
        source = self.hide(ct.MakePartitionViewOp(tensor, view)).result
        indices = [self.bounded(i32, 3) for _ in tile]
        if draws.flag():
            self.add(ct.LoadViewOp(source, indices))
        else:
            self.hide(ct.StoreViewOp(self.value(view.get_tile_type()), source, indices))

    def single_elements(self) -> None:
        """A tile of which nothing but some elements is used."""
        if not self.may_access():
            return
        draws = self.draws
        element = draws.choose([e for e in NUMBERS if BITS[e] >= 8])
        tile = [draws.choose((1, 2, 4)) for _ in range(draws.integer(1, 3))]
        sizes = [draws.integer(1, size + 1) for size in tile]
        ty = ct.TensorViewType(element, [None] * len(tile), [None] * len(tile))
        counts = [self.parameters.add(I32, size) for size in sizes]
        strides = [self.parameters.add(I32, prod(sizes[n + 1 :])) for n in range(len(sizes))]
        tensor = self.hide(ct.MakeTensorViewOp(self.input(element), counts, strides, ty)).result
        view = ct.PartitionViewType(tile, ty, None, ct.PaddingValue.ZERO)
        source = self.hide(ct.MakePartitionViewOp(tensor, view)).result
        integer = draws.choose((i32, i64))
        indices = [self.bounded(integer, 3) for _ in tile]
        places = [[self.bounded(i32, size) for size in tile] for _ in range(draws.integer(1, 3))]
        whole = self.hide(ct.LoadViewOp(source, indices)).tile
        one = TileType(element, [1] * len(tile))
        for place in places:
            part = self.hide(ct.ExtractOp(whole, place, one)).result
            self.observe(self.add(ct.ReshapeOp(part, TileType(element))).result)

    def backwards(self) -> None:
        """A tensor that runs backwards or stands still: strides are negative or zero."""
        draws = self.draws
        element = draws.choose([e for e in NUMBERS if e != f4E2M1FN])
        tile = self.tile_shape(element)
        sizes = [max(1, size - draws.integer(0, 1)) for size in tile]
        if prod(sizes) > self.input_size // 2:
            return
        dims = Dims(tuple(sizes), tuple(prod(sizes[n + 1 :]) for n in range(len(sizes))))
        signs = [draws.choose((-1, -1, 0, 1)) for _ in sizes]
        strides = [sign * stride for sign, stride in zip(signs, dims.strides, strict=True)]
        pairs = zip(sizes, strides, strict=True)
        start = sum((size - 1) * -stride for size, stride in pairs if stride < 0)
        base = self.hide(ct.OffsetOp(self.input(element), self.splat(I32, start))).result
        ty = ct.TensorViewType(element, list(sizes), [None] * len(tile))
        given = [self.parameters.add(TileType(i64), stride) for stride in strides]
        tensor = self.hide(ct.MakeTensorViewOp(base, [], given, ty)).result
        view = ct.PartitionViewType(list(tile), ty, None, ct.PaddingValue.ZERO)
        source = self.hide(ct.MakePartitionViewOp(tensor, view)).result
        zeros = [self.splat(I32, 0)] * len(tile)
        self.add(ct.LoadViewOp(source, zeros))

    def far(self) -> None:
        """A tile of a tensor of more than 2^31 elements, of which only that tile is in memory."""
        if not self.place.is_ordered or self.place.repeats or self.place.depth >= 0:
            # Once for each block would be a race.
            return
        draws = self.draws
        element = draws.choose([e for e in NUMBERS if e not in (f4E2M1FN, i1)])
        tile = [draws.choose((4, 16))] if draws.flag() else [draws.choose((2, 4)), 16]
        row = draws.integer(1 << 14, 1 << 16)
        columns = draws.choose((1 << 31, 1 << 33)) // row + draws.integer(1, 999)
        if len(tile) == 1:
            size = draws.integer((1 << 31) + 1, 1 << 33)
            sizes, strides = [size], [1]
        else:
            sizes, strides = [row, columns], [columns, 1]
        if draws.flag(20) and len(tile) == 2:
            # Few rows that are far apart.
            sizes, strides = [5, 40], [draws.integer(1 << 31, 1 << 33), 1]
        is_last = [draws.flag(70) for _ in sizes]
        indices = [
            (size - 1) // part if last else draws.integer(0, (size - 1) // part)
            for size, part, last in zip(sizes, tile, is_last, strict=True)
        ]
        data = self.far_parts(element, tile, sizes, strides, indices)
        base = self.parameters.add(TileType(ct.PtrType(element)), data)
        ty = ct.TensorViewType(element, [None] * len(tile), [*[None] * (len(tile) - 1), 1])
        counts = [self.parameters.add(TileType(i64), size) for size in sizes]
        steps = [self.parameters.add(TileType(i64), stride) for stride in strides[:-1]]
        tensor = self.hide(ct.MakeTensorViewOp(base, counts, steps, ty)).result
        view = ct.PartitionViewType(tile, ty, None, ct.PaddingValue.ZERO)
        source = self.hide(ct.MakePartitionViewOp(tensor, view)).result
        index_type = TileType(i64 if max(indices) >= 1 << 31 else draws.choose((i32, i64)))
        places = [self.splat(index_type, index) for index in indices]
        if draws.flag(70):
            self.add(ct.LoadViewOp(source, places, None, optimization_hints=self.hints()))
        elif prod(self.grid) == 1:
            self.hide(ct.StoreViewOp(self.value(view.get_tile_type()), source, places))
        else:
            offset = sum(
                index * part * stride
                for index, part, stride in zip(indices, tile, strides, strict=True)
            )
            pointer = self.hide(ct.OffsetOp(base, self.splat(TileType(i64), offset))).result
            self.add(ct.LoadPtrOp(pointer))

    def far_parts(
        self,
        element: Attribute,
        tile: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
        indices: Sequence[int],
    ) -> SparseArray:
        """The memory of one tile, a part for each row."""
        starts = [index * part for index, part in zip(indices, tile, strict=True)]
        ends = [
            min(start + part, size) for start, part, size in zip(starts, tile, sizes, strict=True)
        ]
        rows = range(starts[0], ends[0]) if len(tile) == 2 else (0,)
        length = ends[-1] - starts[-1]
        parts: dict[int, Any] = {}
        for row in rows:
            place = starts[-1] + (row * strides[0] if len(tile) == 2 else 0)
            parts[place] = self.parameters.elements(element, length)
        end = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) + 1
        return SparseArray(next(iter(parts.values())).dtype, end, parts)

    # Parameters and hints

    def many_parameters(self, count: int) -> None:
        """Hundreds of numbers, of which some are used."""
        used: list[SSAValue] = []
        for number in range(count):
            element = self.draws.choose((i8, i32, i64, i1))
            value = self.parameters.add(TileType(element), self.parameters.scalar(element))
            if number % 7 == 0 and element == i32:
                used.append(value)
        total = self.splat(I32, 0)
        for value in used:
            total = self.hide(ct.AddIOp(total, value)).result
        self.show([total])

    def entry_hints(self) -> ct.OptimizationHintsAttr | None:
        draws = self.draws
        if draws.flag(60):
            return None
        arch = draws.choose(("default", "sm_90", "sm_100", "sm_80"))
        assert arch in ARCHITECTURES
        hints: dict[str, int] = {}
        if draws.flag():
            hints["num_worker_warps_per_cta"] = draws.choose((4, 8))
        if draws.flag(30):
            hints["occupancy"] = draws.choose((1, 2, 4))
        if draws.flag(25) and arch in ("default", "sm_90", "sm_100"):
            hints["num_cta_in_cga"] = 2
        return ct.OptimizationHintsAttr.from_dict({arch: hints})


def _integer(number: int, element: IntegerType) -> Attribute:
    width = element.width.data
    bits = number & ((1 << width) - 1)
    signed = bits - (1 << width) if width > 1 and bits >> (width - 1) else bits
    return IntegerAttr(signed, element)


def _of(maker: Maker) -> Maker:
    """The same maker, of a builder that may have its own."""
    function: Any = getattr(maker, "func", maker)
    arguments: dict[str, Any] = getattr(maker, "keywords", {})
    name: str = getattr(function, "__name__", "")
    if getattr(B, name, None) is not function:
        return maker
    return lambda builder: getattr(builder, name)(**arguments)


WIDE_PURE_MAKERS = tuple(map(_of, PURE_MAKERS))
WIDE_VALUE_MAKERS = tuple(map(_of, VALUE_MAKERS))
WIDE_MAKERS: tuple[Maker, ...] = (
    *map(_of, MAKERS),
    lambda builder: _wide(builder).empty_view(),
    lambda builder: _wide(builder).single_elements(),
    lambda builder: _wide(builder).backwards(),
    lambda builder: _wide(builder).far(),
)


def _wide(builder: Any) -> WideBuilder:
    assert isinstance(builder, WideBuilder)
    return builder


WideBuilder.makers = WIDE_MAKERS
WideBuilder.value_makers = WIDE_VALUE_MAKERS
WideBuilder.pure_makers = WIDE_PURE_MAKERS
WideBuilder.region_makers = tuple(map(_of, REGION_MAKERS))


def random_wide_program(seed: int) -> WideProgram:
    """A program that can be run at all stages, the same for the same seed."""
    draws = Draws.from_seed(f"wide program {seed}")
    grid = draws.choose(GRIDS)
    builder = WideBuilder(draws, seed, grid, draws.choose(SCALES))
    budget = builder.budget
    if draws.flag(4):
        builder.many_parameters(draws.integer(100, 400))
    # Some in turn, so that what is rare by chance is not rare.
    for makers, count in ((WIDE_VALUE_MAKERS, 4), (WIDE_MAKERS, 2)):
        for number in range(count * seed, count * seed + count):
            makers[number % len(makers)](builder)
    builder.budget = budget
    for _ in range(draws.integer(1, 3)):
        draws.choose(builder.region_makers)(builder)
    builder.fill()
    builder.add(ct.ReturnOp())
    builder.finish_results()
    entry = ct.EntryOp("kernel", Region(builder.entry_block), builder.entry_hints())
    module = builtin.ModuleOp([ct.ModuleOp("program", [*builder.symbols, entry])])
    for number, argument in enumerate(builder.entry_block.args):
        argument.name_hint = f"p{number}"
    bases = {results.base for results in builder.loose_results.values()}
    loose = frozenset(
        number for number, argument in enumerate(builder.entry_block.args) if argument in bases
    )
    return WideProgram(seed, module, grid, tuple(builder.parameters.values), loose)
