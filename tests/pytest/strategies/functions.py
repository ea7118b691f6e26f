"""
Random bodies of functions, built through the constructors of the ops.

A body is a sequence of ops chosen one after the other, each made of values at hand or of new
ones that are made for it.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, TypeVar

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    bf16,
    f4E2M1FN,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
    tf32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import (
    AtomicMode,
    MemoryOrdering,
    MemoryScope,
    Overflow,
    PtrType,
    Rounding,
    Signedness,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
)
from tileiras_xdsl.dialects.cuda_tile.elements import bits_to_float
from tileiras_xdsl.dialects.cuda_tile.floating import (
    ApproximableUnaryOperation,
    FloatExtremumOperation,
    FlushableUnaryOperation,
    RoundedBinaryOperation,
)
from tileiras_xdsl.dialects.cuda_tile.integer import (
    OverflowBinaryOperation,
    SignedBinaryOperation,
)
from tileiras_xdsl.dialects.cuda_tile.types import MAX_TILE_ELEMENTS

from .attributes import Locations, dense_elements, dictionaries, hints
from .draws import Draws
from .types import (
    BASE_FLOATS,
    BITS,
    FLOATS,
    INTEGERS,
    LARGE_SHAPES,
    NUMBERS,
    carried_types,
    element_bits,
    fits,
    fnv8E5M3FNU,
    i4,
    pointer_tiles,
    pointer_types,
    shapes,
    tensor_views,
    tile_types,
    tile_views,
)

OpT = TypeVar("OpT", bound=Operation)

TOKEN = TokenType()
I1, I32 = TileType(i1), TileType(i32)

IEEE_MODES = (
    Rounding.NEAREST_EVEN,
    Rounding.ZERO,
    Rounding.NEGATIVE_INF,
    Rounding.POSITIVE_INF,
)
MODED_FLOATS = (*BASE_FLOATS, f32, f32)
"""For ops with modes: f32 comes more often, as it alone has all of them."""
LOW_PRECISION = (f8E4M3FN, f8E5M2, f4E2M1FN, fnv8E5M3FNU)
WIDENING: dict[Attribute, tuple[Attribute, ...]] = {
    f16: (tf32, f32, f64),
    bf16: (tf32, f32, f64),
    tf32: (f32, f64),
    f32: (f64,),
    f64: (),
    f8E4M3FN: (f16, bf16, tf32, f32, f64),
    f8E5M2: (f16, bf16, tf32, f32, f64),
    f8E8M0FNU: (f64,),
    f4E2M1FN: (f16, bf16, tf32, f32, f64),
    fnv8E5M3FNU: (bf16, tf32, f32, f64),
}
"""The targets of a float conversion that hold every value of the source."""

MMA_ACCUMULATORS: dict[Attribute, tuple[Attribute, ...]] = {
    f16: (f16, f32),
    bf16: (f32,),
    f32: (f32,),
    f64: (f64,),
    tf32: (f32,),
    f8E4M3FN: (f16, f32),
    f8E5M2: (f16, f32),
}
MMA_SCALES: tuple[tuple[Attribute, Attribute, int], ...] = (
    (f8E4M3FN, f8E8M0FNU, 32),
    (f8E5M2, f8E8M0FNU, 32),
    (f4E2M1FN, f8E8M0FNU, 16),
    (f4E2M1FN, f8E8M0FNU, 32),
    (f4E2M1FN, f8E4M3FN, 16),
    (f4E2M1FN, fnv8E5M3FNU, 16),
    (f4E2M1FN, fnv8E5M3FNU, 32),
)
"""Element type, scale type and block size of scaled matrix multiplications."""

NAMES = ("a", "x", "cst", "true", "cst_-1", "arg0", "bcast", "view", "result", "_", "$.-", "for")
"""Name hints, among them those the printers hand out themselves."""

ATOMIC_ORDERINGS = tuple(
    ordering for ordering in MemoryOrdering if ordering is not MemoryOrdering.WEAK
)


def ftof_modes(source: Attribute, target: Attribute) -> tuple[Rounding, ...]:
    """The rounding modes of a conversion between two float types."""
    nearest, zero, away = Rounding.NEAREST_EVEN, Rounding.ZERO, Rounding.NEAREST_AWAY
    if target == f8E8M0FNU:
        return (zero, Rounding.POSITIVE_INF)
    if target in LOW_PRECISION:
        return (nearest,)
    if target in WIDENING[source]:
        return (*IEEE_MODES, away)
    if (source, target) == (f64, f32):
        return IEEE_MODES
    return (nearest, zero, away) if (source, target) == (f32, tf32) else (nearest, zero)


def atomic_elements(mode: AtomicMode) -> tuple[Attribute, ...]:
    """The element types an atomic combines."""
    if mode is AtomicMode.ADDF:
        return BASE_FLOATS
    return (i32, i64, f32, f64) if mode is AtomicMode.XCHG else (i32, i64)


@dataclass(frozen=True)
class Surroundings:
    """What the code at hand is in, which says how a branch may end."""

    carried: Sequence[Attribute] | None = None
    """What `continue` passes on; none outside of loops."""
    results: Sequence[Attribute] | None = None
    """What `break` leaves with; none where the next loop is a `for`."""
    returned: Sequence[Attribute] | None = None
    """What `return` gives back; none where there is a `for` or a body of `reduce` around."""
    is_pure: bool = False
    """Whether ops with effects are forbidden."""
    depth: int = 0
    """How many regions there are around."""


class FunctionBuilder:
    """Fills the blocks of one function."""

    def __init__(
        self,
        draws: Draws,
        locations: Locations,
        global_ops: Sequence[ct.GlobalOp],
        around: Surroundings,
    ):
        self.draws = draws
        self.locations = locations
        self.globals = global_ops
        self.around = around
        self.block = Block()
        self.visible: list[SSAValue] = []
        self.by_type: dict[Attribute, list[SSAValue]] = {}
        """The values of `visible`."""
        self.places = [locations.op() for _ in range(4)]
        """Locations for the ops; drawing one for each would take too long."""

    # Ops and values

    def add(self, op: OpT) -> OpT:
        """Appends an op, with a location and now and then attributes and names."""
        draws = self.draws
        op.location = draws.choose(self.places)
        if draws.flag(20):
            op.attributes = dictionaries(draws)
        for result in op.results:
            if draws.flag(15):
                result.name_hint = draws.choose(NAMES)
        self.block.add_op(op)
        self.show(op.results)
        return op

    def show(self, values: Sequence[SSAValue]) -> None:
        """Makes values visible from here on."""
        for value in values:
            self.visible.append(value)
            self.by_type.setdefault(value.type, []).append(value)

    def value(self, ty: Attribute) -> SSAValue:
        """A value of this type, one of those at hand or a new one."""
        known = self.by_type.get(ty)
        if known and self.draws.flag(70):
            return self.draws.choose(known)
        return self.make(ty)

    def values(self, types: Sequence[Attribute]) -> list[SSAValue]:
        return [self.value(ty) for ty in types]

    def tile(
        self, elements: Sequence[Attribute] = NUMBERS, *, min_rank: int = 0, max_rank: int = 3
    ) -> SSAValue:
        """A tile of one of these element types, one of those at hand or a new one."""
        known = [
            value
            for value in self.visible
            if isinstance(value.type, TileType)
            and value.type.element_type in elements
            and min_rank <= value.type.rank <= max_rank
        ]
        if known and self.draws.flag(50):
            return self.draws.choose(known)
        return self.make(tile_types(self.draws, elements, min_rank=min_rank, max_rank=max_rank))

    def scalar(self, elements: Sequence[Attribute] = INTEGERS) -> SSAValue:
        return self.value(TileType(self.draws.choose(elements)))

    def token(self) -> SSAValue | None:
        """A token for an op that may do without."""
        return self.value(TOKEN) if self.draws.flag() else None

    def mask(self, pointers: SSAValue) -> SSAValue | None:
        """A mask for a tile of pointers."""
        return self.value(tile_of(pointers).with_element(i1)) if self.draws.flag() else None

    def make(self, ty: Attribute) -> SSAValue:
        """A new value of this type."""
        match ty:
            case TileType():
                if isinstance(ty.element_type, PtrType):
                    return self.make_pointers(ty, ty.element_type)
                if ty.element_type == i4:
                    return self.add(ct.TruncIOp(self.value(ty.with_element(i8)), ty)).to
                return self.add(ct.ConstantOp(dense_elements(self.draws, ty))).result
            case TensorViewType():
                return self.make_tensor_view(ty)
            case ct.PartitionViewType():
                return self.add(ct.MakePartitionViewOp(self.value(ty.tensor_view), ty)).result
            case ct.StridedViewType():
                return self.add(ct.MakeStridedViewOp(self.value(ty.tensor_view), ty)).result
            case ct.GatherScatterViewType():
                return self.add(ct.MakeGatherScatterViewOp(self.value(ty.tensor_view), ty)).result
            case _:
                assert isinstance(ty, TokenType)
                return self.add(ct.MakeTokenOp()).result

    def make_pointers(self, ty: TileType, pointer: PtrType) -> SSAValue:
        names = [
            symbol.sym_name.data
            for symbol in self.globals
            if symbol.elements.element_type == pointer.pointee
        ]
        if names and not ty.rank and self.draws.flag():
            return self.add(ct.GetGlobalOp(ty, self.draws.choose(names))).result
        return self.add(ct.IntToPtrOp(self.value(ty.with_element(i64)), ty)).result

    def make_tensor_view(self, ty: TensorViewType) -> SSAValue:
        attribute = None if isinstance(ty.ptr_attr, NoneAttr) else ty.ptr_attr.data
        base = self.value(TileType(PtrType(ty.element_type, attribute)))
        size = TileType(self.draws.choose(INTEGERS))
        sizes = self.values([size for dim in ty.shape.data if dim is None])
        strides = self.values([size for stride in ty.strides.data if stride is None])
        return self.add(ct.MakeTensorViewOp(base, sizes, strides, ty)).result

    # Regions

    @contextmanager
    def nested(self, types: Sequence[Attribute], around: Surroundings) -> Generator[Block]:
        """Goes into a new block with arguments of these types."""
        outer = self.block, self.around, len(self.visible)
        self.block, self.around = Block(arg_types=types), replace(around, depth=around.depth + 1)
        for argument in self.block.args:
            argument.location = self.draws.choose(self.places)
            if self.draws.flag(30):
                argument.name_hint = self.draws.choose(NAMES)
        self.show(self.block.args)
        yield self.block
        self.block, self.around, known = outer
        while len(self.visible) > known:
            self.by_type[self.visible.pop().type].pop()

    def fill(self) -> None:
        """Appends random ops to the block."""
        draws, around = self.draws, self.around
        for _ in range(draws.integer(1, 3 if around.depth else 10)):
            makers = PURE_MAKERS if around.is_pure else MAKERS
            # More often in loops, for all the ways there are to leave them.
            if around.depth < 3 and draws.flag(15 if around.carried is None else 40):
                makers = PURE_REGION_MAKERS if around.is_pure else REGION_MAKERS
            draws.choose(makers)(self)

    def types(self) -> list[Attribute]:
        """Types of values that flow through control flow."""
        return [carried_types(self.draws) for _ in range(self.draws.choose((0, 0, 1, 2)))]

    def branch(self, results: Sequence[Attribute]) -> Region:
        """A branch of an `if`, ended in one of the ways that are open here."""
        around = self.around
        with self.nested((), around) as block:
            self.fill()
            ends: list[tuple[Callable[..., Operation], Sequence[Attribute]]] = [
                (ct.YieldOp, results)
            ]
            if around.carried is not None:
                ends.append((ct.ContinueOp, around.carried))
            if around.results is not None:
                ends.append((ct.BreakOp, around.results))
            if around.returned is not None:
                ends.append((ct.ReturnOp, around.returned))
            # Twice the chance for `yield`, lest everything after the `if` be unreachable.
            op_class, types = self.draws.choose((ends[0], *ends))
            self.add(op_class(*self.values(types)))
        return Region(block)

    # Integers and floats

    def overflow_binary(self, op_class: type[OverflowBinaryOperation]) -> None:
        lhs = self.tile(INTEGERS)
        overflow = self.draws.choose(tuple(Overflow))
        self.add(op_class(lhs, self.value(lhs.type), overflow))

    def binary(
        self,
        op_class: Callable[[SSAValue, SSAValue], Operation],
        elements: Sequence[Attribute],
    ) -> None:
        lhs = self.tile(elements)
        self.add(op_class(lhs, self.value(lhs.type)))

    def signed_binary(self, op_class: type[SignedBinaryOperation]) -> None:
        lhs = self.tile(INTEGERS)
        self.add(op_class(lhs, self.value(lhs.type), self.signedness()))

    def signedness(self) -> Signedness:
        return self.draws.choose(tuple(Signedness))

    def divi(self) -> None:
        lhs, signedness = self.tile(INTEGERS), self.signedness()
        modes = [Rounding.ZERO, Rounding.POSITIVE_INF]
        if signedness is Signedness.SIGNED:
            modes.append(Rounding.NEGATIVE_INF)
        self.add(ct.DivIOp(lhs, self.value(lhs.type), signedness, self.draws.choose(modes)))

    def negi(self) -> None:
        flags = [flag for flag in Overflow if flag is not Overflow.NO_UNSIGNED_WRAP]
        self.add(ct.NegIOp(self.tile(INTEGERS), self.draws.choose(flags)))

    def cmpi(self) -> None:
        lhs = self.tile(INTEGERS)
        predicate = self.draws.choose(tuple(ct.ComparisonPredicate))
        self.add(ct.CmpIOp(lhs, self.value(lhs.type), predicate, self.signedness()))

    def unary(
        self, op_class: Callable[[SSAValue], Operation], elements: Sequence[Attribute]
    ) -> None:
        self.add(op_class(self.tile(elements)))

    def rounding(self, value: SSAValue, modes: Sequence[Rounding], *f32_only: Rounding) -> Rounding:
        """One of the modes, those of `f32_only` if the elements are f32."""
        is_f32 = tile_of(value).element_type == f32
        return self.draws.choose([*modes, *f32_only * 2] if is_f32 else modes)

    def flush(self, value: SSAValue) -> bool:
        return tile_of(value).element_type == f32 and self.draws.flag()

    def approximable(self, op_class: type[ApproximableUnaryOperation]) -> None:
        source = self.tile(MODED_FLOATS)
        self.add(op_class(source, self.rounding(source, (Rounding.FULL,), Rounding.APPROX)))

    def flushable(self, op_class: type[FlushableUnaryOperation]) -> None:
        source = self.tile(MODED_FLOATS)
        self.add(op_class(source, flush_to_zero=self.flush(source)))

    def sqrt(self) -> None:
        source = self.tile(MODED_FLOATS)
        mode = self.rounding(source, IEEE_MODES, Rounding.APPROX)
        self.add(ct.SqrtOp(source, mode, flush_to_zero=self.flush(source)))

    def rounded_binary(
        self, op_class: type[RoundedBinaryOperation], f32_only: Sequence[Rounding] = ()
    ) -> None:
        lhs = self.tile(MODED_FLOATS)
        mode = self.rounding(lhs, IEEE_MODES, *f32_only)
        self.add(op_class(lhs, self.value(lhs.type), mode, flush_to_zero=self.flush(lhs)))

    def fma(self) -> None:
        lhs = self.tile(MODED_FLOATS)
        rhs, acc = self.value(lhs.type), self.value(lhs.type)
        mode = self.rounding(lhs, IEEE_MODES)
        self.add(ct.FmaOp(lhs, rhs, acc, mode, flush_to_zero=self.flush(lhs)))

    def fpowi(self) -> None:
        source = self.tile(BASE_FLOATS)
        element = self.draws.choose((i1, i8, i16, i32))
        self.add(ct.FPowIOp(source, self.value(tile_of(source).with_element(element))))

    def extremum(self, op_class: type[FloatExtremumOperation]) -> None:
        lhs = self.tile(MODED_FLOATS)
        self.add(
            op_class(
                lhs,
                self.value(lhs.type),
                propagate_nan=self.draws.flag(),
                flush_to_zero=self.flush(lhs),
            )
        )

    def cmpf(self) -> None:
        lhs = self.tile(BASE_FLOATS)
        predicate = self.draws.choose(tuple(ct.ComparisonPredicate))
        ordering = self.draws.choose(tuple(ct.ComparisonOrdering))
        self.add(ct.CmpFOp(lhs, self.value(lhs.type), predicate, ordering))

    # Conversions

    def bitcast(self) -> None:
        source = self.tile()
        ty = tile_of(source)
        width = BITS[ty.element_type]
        element = self.draws.choose([element for element in NUMBERS if BITS[element] == width])
        self.add(ct.BitcastOp(source, ty.with_element(element)))

    def int_to_ptr(self) -> None:
        source = self.tile((i64,))
        self.add(ct.IntToPtrOp(source, tile_of(source).with_element(pointer_types(self.draws))))

    def ptr_to_int(self) -> None:
        source = self.value(pointer_tiles(self.draws))
        self.add(ct.PtrToIntOp(source, tile_of(source).with_element(i64)))

    def ptr_to_ptr(self) -> None:
        source = self.value(pointer_tiles(self.draws))
        pointer = pointer_types(self.draws)
        self.add(ct.PtrToPtrOp(source, tile_of(source).with_element(pointer)))

    def packed(self) -> tuple[TileType, TileType]:
        """A tile and the bytes it packs to; elements of one byte cannot be packed."""
        elements = [element for element in (*NUMBERS, i4) if BITS[element] != 8]
        element = self.draws.choose(elements)
        width = 32 if element == tf32 else BITS[element]
        size = self.draws.choose([size for size in (1, 2, 8, 64) if size * width % 8 == 0])
        return TileType(element, (size,)), TileType(i8, (size * width // 8,))

    def pack(self) -> None:
        elements, packed = self.packed()
        self.add(ct.PackOp(self.value(elements), packed))

    def unpack(self) -> None:
        elements, packed = self.packed()
        self.add(ct.UnpackOp(self.value(packed), elements))

    def exti(self) -> None:
        source = self.tile((i1, i4, i8, i16, i32))
        ty = tile_of(source)
        wider = [to for to in (*INTEGERS, i4) if BITS[to] > BITS[ty.element_type]]
        target = ty.with_element(self.draws.choose(wider))
        self.add(ct.ExtIOp(source, target, self.signedness()))

    def trunci(self) -> None:
        source = self.tile((i4, i8, i16, i32, i64))
        ty = tile_of(source)
        narrower = [to for to in (*INTEGERS, i4) if BITS[to] < BITS[ty.element_type]]
        target = ty.with_element(self.draws.choose(narrower))
        self.add(ct.TruncIOp(source, target, self.draws.choose(tuple(Overflow))))

    def ftof(self) -> None:
        source = self.tile(FLOATS)
        ty = tile_of(source)
        element = self.draws.choose(
            [to for to in FLOATS if to != ty.element_type and fits(to, ty.get_shape())]
        )
        mode = self.draws.choose(ftof_modes(ty.element_type, element))
        self.add(ct.FToFOp(source, ty.with_element(element), mode))

    def ftoi(self) -> None:
        source = self.tile(FLOATS)
        target = tile_of(source).with_element(self.draws.choose(INTEGERS))
        saturating = self.draws.flag()
        self.add(ct.FToIOp(source, target, self.signedness(), saturating=saturating))

    def itof(self) -> None:
        source = self.tile(INTEGERS)
        ty = tile_of(source)
        element = self.draws.choose(
            [to for to in FLOATS if to != f8E8M0FNU and fits(to, ty.get_shape())]
        )
        self.add(ct.IToFOp(source, ty.with_element(element), self.signedness()))

    # Shapes, selection, pointers, assumptions

    def any_tile(self, *, min_rank: int = 0) -> SSAValue:
        """A tile of numbers or pointers."""
        if self.draws.flag(15):
            element = pointer_types(self.draws)
            return self.value(TileType(element, shapes(self.draws, min_rank=min_rank, limit=64)))
        return self.tile((*NUMBERS, i4), min_rank=min_rank)

    def broadcast(self) -> None:
        result = tile_of(self.any_tile())
        shape = [1 if self.draws.flag() else dim for dim in result.get_shape()]
        source = result.with_shape(shape) if fits(result.element_type, shape) else result
        self.add(ct.BroadcastOp(self.value(source), result))

    def reshape(self) -> None:
        source = self.any_tile()
        ty = tile_of(source)
        shape = self.draws.shuffled(ty.get_shape())
        if self.draws.flag():
            shape.insert(self.draws.integer(0, len(shape)), 1)
        elif ty.element_count() == 1 and fits(ty.element_type, ()):
            shape = []
        elif self.draws.flag():
            shape = [ty.element_count()]
        self.add(ct.ReshapeOp(source, ty.with_shape(shape)))

    def permute(self) -> None:
        source = self.any_tile(min_rank=2)
        shape = tile_of(source).get_shape()
        order = self.draws.shuffled(range(len(shape)))
        result = tile_of(source).with_shape([shape[dim] for dim in order])
        self.add(ct.PermuteOp(source, result, order))

    def cat(self) -> None:
        lhs = self.any_tile(min_rank=1)
        if tile_of(lhs).element_count() > MAX_TILE_ELEMENTS // 2:
            lhs = self.value(tile_types(self.draws, min_rank=1))
        shape = list(tile_of(lhs).get_shape())
        dim = self.draws.integer(0, len(shape) - 1)
        shape[dim] *= 2
        self.add(ct.CatOp(lhs, self.value(lhs.type), tile_of(lhs).with_shape(shape), dim))

    def slice_of(self, whole: TileType) -> TileType:
        shape = [dim // self.draws.choose((1, 2) if dim > 1 else (1,)) for dim in whole.get_shape()]
        return whole.with_shape(shape) if fits(whole.element_type, shape) else whole

    def extract(self) -> None:
        source = self.any_tile()
        indices = self.values([I32] * tile_of(source).rank)
        self.add(ct.ExtractOp(source, indices, self.slice_of(tile_of(source))))

    def insert(self) -> None:
        destination = self.any_tile()
        source = self.value(self.slice_of(tile_of(destination)))
        indices = self.values([I32] * tile_of(destination).rank)
        self.add(ct.InsertOp(source, destination, indices))

    def iota(self) -> None:
        element = self.draws.choose(INTEGERS)
        size = self.draws.choose((1, 2, 256, 2**24))
        self.add(ct.IotaOp(TileType(element, (min(size, 1 << BITS[element]),))))

    def select(self) -> None:
        value = self.any_tile()
        if tile_of(value).element_type == f4E2M1FN:
            value = self.value(TileType(f32))
        condition = self.value(tile_of(value).with_element(i1))
        self.add(ct.SelectOp(condition, value, self.value(value.type)))

    def offset(self) -> None:
        pointers = self.value(pointer_tiles(self.draws))
        element = self.draws.choose(INTEGERS)
        self.add(ct.OffsetOp(pointers, self.value(tile_of(pointers).with_element(element))))

    def constant(self) -> None:
        draws = self.draws
        match draws.integer(0, 9):
            case 9:
                ty = TileType(draws.choose(NUMBERS), draws.choose(LARGE_SHAPES))
            case 6 | 7 | 8:
                # More elements than are printed one by one.
                ty = TileType(draws.choose(NUMBERS), draws.choose(((128,), (16, 32), (2048,))))
            case _:
                ty = tile_types(draws)
        self.add(ct.ConstantOp(dense_elements(draws, ty)))

    def get_global(self) -> None:
        if not self.globals:
            self.constant()
            return
        symbol = self.draws.choose(self.globals)
        assert isinstance(symbol.sym_name, StringAttr)
        pointer = pointer_types(self.draws, (symbol.elements.element_type,))
        self.add(ct.GetGlobalOp(TileType(pointer), symbol.sym_name.data))

    def assume(self) -> None:
        draws = self.draws
        match draws.integer(0, 3):
            case 0:
                value = self.value(tensor_views(draws))
                predicate = ct.DivByAttr((1 << draws.integer(0, 62), None, None))
            case 1:
                value = self.tile(INTEGERS)
                predicate = self.bounds(tile_of(value))
            case 2:
                value = self.integers_or_pointers()
                groups = [draws.integer(0, dim) for dim in tile_of(value).get_shape()]
                predicate = ct.SameElementsAttr(tuple(groups))
            case _:
                value = self.integers_or_pointers()
                shape, every, along = tile_of(value).get_shape(), None, None
                if shape and draws.flag():
                    along = draws.integer(0, len(shape) - 1)
                    every = draws.integer(0, shape[along])
                predicate = ct.DivByAttr((1 << draws.integer(0, 62), every, along))
        self.add(ct.AssumeOp(value, predicate))

    def integers_or_pointers(self) -> SSAValue:
        return self.value(pointer_tiles(self.draws)) if self.draws.flag() else self.tile(INTEGERS)

    def bounds(self, ty: TileType) -> ct.BoundedAttr:
        half = 1 << (BITS[ty.element_type] - 1)
        low, high = sorted(self.draws.integer(-half, half - 1) for _ in range(2))
        return ct.BoundedAttr((self.draws.optional(low), self.draws.optional(high)))

    # Matrix multiplication

    def mma_shapes(self, depth: int = 1) -> tuple[list[int], list[int], list[int]]:
        """The shapes of both factors and of the sum; `depth` divides what is summed over."""
        rows, columns, blocks = (self.draws.choose((2, 4, 8)) for _ in range(3))
        batch = [self.draws.choose((1, 2))] if self.draws.flag(30) else []
        inner = depth * blocks
        return [*batch, rows, inner], [*batch, inner, columns], [*batch, rows, columns]

    def mmaf(self) -> None:
        element = self.draws.choose(tuple(MMA_ACCUMULATORS))
        lhs, rhs, acc = self.mma_shapes()
        accumulator = self.draws.choose(MMA_ACCUMULATORS[element])
        types = (TileType(element, lhs), TileType(element, rhs), TileType(accumulator, acc))
        self.add(ct.MmaFOp(*self.values(types), fast_acc=self.draws.flag()))

    def mmai(self) -> None:
        lhs, rhs, acc = self.mma_shapes()
        types = (TileType(i8, lhs), TileType(i8, rhs), TileType(i32, acc))
        a, b, c = self.values(types)
        self.add(ct.MmaIOp(a, b, c, self.signedness(), self.signedness()))

    def mmaf_scaled(self) -> None:
        element, scale, size = self.draws.choose(MMA_SCALES)
        lhs, rhs, acc = self.mma_shapes(size)
        lhs_scale, rhs_scale = list(lhs), list(rhs)
        lhs_scale[-1] //= size
        rhs_scale[-2] //= size
        types = (
            TileType(element, lhs),
            TileType(element, rhs),
            TileType(f32, acc),
            TileType(scale, lhs_scale),
            TileType(scale, rhs_scale),
        )
        self.add(ct.MmaFScaledOp(*self.values(types)))

    # Tokens, pointer memory, atomics, print

    def join_tokens(self) -> None:
        self.add(ct.JoinTokensOp(self.values([TOKEN] * self.draws.integer(2, 3))))

    def token_join(self) -> None:
        self.add(ct.TokenJoinOp(self.values([TOKEN] * self.draws.integer(0, 1))))

    def alloca(self) -> None:
        pointer = pointer_types(self.draws)
        self.add(
            ct.AllocaOp(
                TileType(pointer),
                self.draws.choose((0, 1, 64, 2**63 - 1)),
                self.draws.choose((8, 128, 2**62)),
                global_=self.draws.flag(),
            )
        )

    def ordering(self, last: MemoryOrdering) -> tuple[MemoryOrdering, MemoryScope | None]:
        """Ordering and scope of a load or store."""
        ordering = self.draws.choose((MemoryOrdering.WEAK, MemoryOrdering.RELAXED, last))
        weak = ordering is MemoryOrdering.WEAK
        return ordering, None if weak else self.draws.choose(tuple(MemoryScope))

    def memory(self, elements: Sequence[Attribute] = NUMBERS) -> tuple[SSAValue, TileType]:
        """Pointers, and the type of the tile they point to."""
        ty = tile_types(self.draws, elements, limit=64)
        pointer = pointer_types(self.draws, (ty.element_type,))
        return self.value(ty.with_element(pointer)), ty

    def load_ptr(self) -> None:
        source, ty = self.memory()
        mask, padding = self.mask(source), None
        # Without a mask, a padding of type i1 would read as one.
        if mask is not None or ty.element_type != i1:
            padding = self.value(ty) if self.draws.flag() else None
        ordering, scope = self.ordering(MemoryOrdering.ACQUIRE)
        self.add(
            ct.LoadPtrOp(
                source,
                mask,
                padding,
                self.token(),
                memory_ordering_semantics=ordering,
                memory_scope=scope,
                optimization_hints=self.hints(),
            )
        )

    def hints(self) -> ct.OptimizationHintsAttr | None:
        return hints(self.draws) if self.draws.flag(30) else None

    def store_ptr(self) -> None:
        destination, ty = self.memory()
        ordering, scope = self.ordering(MemoryOrdering.RELEASE)
        self.add(
            ct.StorePtrOp(
                destination,
                self.value(ty),
                self.mask(destination),
                self.token(),
                memory_ordering_semantics=ordering,
                memory_scope=scope,
                optimization_hints=self.hints(),
            )
        )

    def atomic_cas(self) -> None:
        pointers, ty = self.memory((i32, i64, f32, f64))
        compared, stored = self.values([ty] * 2)
        self.add(
            ct.AtomicCASOp(
                pointers,
                compared,
                stored,
                self.mask(pointers),
                self.token(),
                memory_ordering_semantics=self.draws.choose(ATOMIC_ORDERINGS),
                memory_scope=self.draws.choose(tuple(MemoryScope)),
            )
        )

    def atomic_rmw(self) -> None:
        modes = [mode for mode in AtomicMode if mode is not AtomicMode.CMPXCHG]
        mode = self.draws.choose(modes)
        pointers, ty = self.memory(atomic_elements(mode))
        self.add(
            ct.AtomicRMWOp(
                pointers,
                self.value(ty),
                self.mask(pointers),
                self.token(),
                mode=mode,
                memory_ordering_semantics=self.draws.choose(ATOMIC_ORDERINGS),
                memory_scope=self.draws.choose(tuple(MemoryScope)),
            )
        )

    def format(self) -> tuple[StringAttr, list[SSAValue]]:
        """A format string and the tiles it prints."""
        conversions = ("%d", "%5.2f", "%lld", "%x")
        arguments = [self.any_tile() for _ in range(self.draws.integer(0, 2))]
        pieces = [self.draws.choose(conversions) for _ in arguments]
        if self.draws.flag():
            pieces.append("%%")
        pieces.append(self.draws.text().replace("%", "%%"))
        return StringAttr("".join(self.draws.shuffled(pieces))), arguments

    def print_tko(self) -> None:
        fmt, arguments = self.format()
        self.add(ct.PrintTkoOp(fmt, arguments, self.token()))

    def print(self) -> None:
        self.add(ct.PrintOp(*self.format()))

    def assert_(self) -> None:
        self.add(ct.AssertOp(self.tile((i1,)), self.draws.text()))

    # Views

    def make_view(self, kind: type[TileViewType]) -> None:
        self.make(tile_views(self.draws, (kind,)))

    def get_tensor_shape(self) -> None:
        source = self.value(tensor_views(self.draws))
        assert isinstance(source.type, TensorViewType)
        self.add(ct.GetTensorShapeOp(source, self.size_types(source.type.rank)))

    def get_index_space_shape(self) -> None:
        source = self.value(tile_views(self.draws))
        assert isinstance(source.type, TileViewType)
        self.add(ct.GetIndexSpaceShapeOp(source, self.size_types(source.type.rank)))

    def size_types(self, rank: int) -> list[Attribute]:
        if self.draws.flag(20):
            return [TileType(self.draws.choose(INTEGERS)) for _ in range(rank)]
        return [TileType(self.draws.choose(INTEGERS))] * rank

    def indices(self, view: TileViewType) -> list[SSAValue]:
        types: list[Attribute] = [TileType(self.draws.choose((i32, *INTEGERS)))] * view.rank
        if isinstance(view, ct.GatherScatterViewType):
            size = view.get_tile_shape()[view.sparse_dim]
            types[view.sparse_dim] = TileType(self.draws.choose(INTEGERS), (size,))
        return self.values(types)

    def inbounds(self, rank: int) -> list[bool] | None:
        return [self.draws.flag() for _ in range(rank)] if self.draws.flag() else None

    def add_view_access(self, op: ct.LoadViewOp | ct.StoreViewOp) -> None:
        for name in ("addr_space", "align"):
            if self.draws.flag(20):
                op.properties[name] = IntegerAttr(self.draws.choose((0, 1, 16)), i64)
        self.add(op)

    def load_view(self) -> None:
        view = self.value(tile_views(self.draws))
        assert isinstance(view.type, TileViewType)
        ordering, scope = self.ordering(MemoryOrdering.ACQUIRE)
        self.add_view_access(
            ct.LoadViewOp(
                view,
                self.indices(view.type),
                self.token(),
                memory_ordering_semantics=ordering,
                memory_scope=scope,
                optimization_hints=self.hints(),
                inbounds=self.inbounds(view.type.rank),
            )
        )

    def store_view(self) -> None:
        view = self.value(tile_views(self.draws))
        assert isinstance(view.type, TileViewType)
        tile = self.value(view.type.get_tile_type())
        ordering, scope = self.ordering(MemoryOrdering.RELEASE)
        self.add_view_access(
            ct.StoreViewOp(
                tile,
                view,
                self.indices(view.type),
                self.mask(tile),
                self.token(),
                memory_ordering_semantics=ordering,
                memory_scope=scope,
                optimization_hints=self.hints(),
                inbounds=self.inbounds(view.type.rank),
            )
        )

    def atomic_red_view(self) -> None:
        refused = (AtomicMode.CMPXCHG, AtomicMode.XCHG)
        mode = self.draws.choose([mode for mode in AtomicMode if mode not in refused])
        kinds = (ct.PartitionViewType, ct.StridedViewType)
        view = self.value(tile_views(self.draws, kinds, atomic_elements(mode), padded=False))
        assert isinstance(view.type, TileViewType)
        scopes = [scope for scope in MemoryScope if scope is not MemoryScope.SYS]
        self.add(
            ct.AtomicRedViewOp(
                view,
                self.scalars(view.type.rank),
                self.value(view.type.get_tile_type()),
                self.token(),
                mode=mode,
                memory_scope=self.draws.choose(scopes),
            )
        )

    def scalars(self, number: int) -> list[SSAValue]:
        """Integers of one type, or of several."""
        if self.draws.flag(30):
            return [self.scalar() for _ in range(number)]
        return self.values([TileType(self.draws.choose(INTEGERS))] * number)

    # Regions

    def if_(self) -> None:
        condition = self.value(I1)
        results = self.types()
        then_region = self.branch(results)
        else_region = self.branch(results) if results or self.draws.flag() else None
        self.add(ct.IfOp(condition, results, then_region, else_region))

    def for_(self) -> None:
        bound = TileType(self.draws.choose(INTEGERS))
        lower, upper, step = self.values([bound] * 3)
        types = self.types()
        initial = self.values(types)
        around = replace(self.around, carried=types, results=None, returned=None)
        with self.nested((bound, *types), around) as block:
            self.fill()
            self.add(ct.ContinueOp(*self.values(types)))
        unsigned = self.draws.flag()
        self.add(ct.ForOp(lower, upper, step, initial, Region(block), unsigned_cmp=unsigned))

    def loop(self) -> None:
        types, results = self.types(), self.types()
        initial = self.values(types)
        around = replace(self.around, carried=types, results=results)
        with self.nested(types, around) as block:
            self.fill()
            ends: list[tuple[Callable[..., Operation], Sequence[Attribute]]] = [
                (ct.ContinueOp, types),
                (ct.BreakOp, results),
            ]
            if around.returned is not None:
                ends.append((ct.ReturnOp, around.returned))
            op_class, operands = self.draws.choose(ends)
            self.add(op_class(*self.values(operands)))
        self.add(ct.LoopOp(initial, results, Region(block)))

    def aggregate(self, op_class: type[ct.ReduceOp | ct.ScanOp]) -> None:
        draws = self.draws
        # The body would take 4-bit floats one by one, and there are no such tiles.
        elements = [element for element in (*NUMBERS, i4) if element != f4E2M1FN]
        operands = [self.tile(elements, min_rank=1)]
        shape = tile_of(operands[0]).get_shape()
        if draws.flag(30):
            operands.append(self.value(TileType(draws.choose(elements), shape)))
        dim = draws.integer(0, len(shape) - 1)
        scalars = [TileType(tile_of(operand).element_type) for operand in operands]
        identities = None
        # xDSL has no scalar attributes of types that are not builtin.
        if TileType(fnv8E5M3FNU) not in scalars and draws.flag(80):
            identities = [self.identity(ty.element_type) for ty in scalars]
        around = replace(self.around, carried=None, results=None, returned=None, is_pure=True)
        with self.nested([ty for ty in scalars for _ in range(2)], around) as block:
            self.fill()
            self.add(ct.YieldOp(*self.values(scalars)))
        if issubclass(op_class, ct.ReduceOp):
            self.add(op_class(operands, dim, identities, Region(block)))
        else:
            self.add(op_class(operands, dim, identities, Region(block), reverse=draws.flag()))

    def identity(self, element: Attribute) -> Attribute:
        """A typed scalar; of f16 and bf16 the type may be the other one."""
        if isinstance(element, IntegerType):
            width = BITS[element]
            bits = element_bits(self.draws, element)
            signed = bits - (1 << width) if width > 1 and bits >> (width - 1) else bits
            return IntegerAttr(signed, element)
        if element in (f16, bf16) and self.draws.flag(20):
            element = f16 if element == bf16 else bf16
        value = bits_to_float(element_bits(self.draws, element), element)
        assert isinstance(element, AnyFloat)
        return FloatAttr(value, element)


def tile_of(value: SSAValue) -> TileType:
    """The type of a value known to be a tile."""
    assert isinstance(value.type, TileType)
    return value.type


Maker: TypeAlias = Callable[[FunctionBuilder], None]
B = FunctionBuilder


def float_makers(builder: type[FunctionBuilder]) -> tuple[Maker, ...]:
    """Makers of arithmetic of floats, by a kind of builder."""
    return (
        *(
            partial(builder.unary, op_class=op_class, elements=BASE_FLOATS)
            for op_class in (
                ct.AbsFOp,
                ct.NegFOp,
                ct.CeilOp,
                ct.FloorOp,
                ct.SinOp,
                ct.CosOp,
                ct.TanOp,
                ct.SinHOp,
                ct.CosHOp,
                ct.LogOp,
                ct.Log2Op,
            )
        ),
        *(
            partial(builder.binary, op_class=op_class, elements=BASE_FLOATS)
            for op_class in (ct.RemFOp, ct.Atan2Op, ct.PowOp)
        ),
        *(partial(builder.approximable, op_class=op_class) for op_class in (ct.ExpOp, ct.TanHOp)),
        *(partial(builder.flushable, op_class=op_class) for op_class in (ct.Exp2Op, ct.RsqrtOp)),
        *(
            partial(builder.rounded_binary, op_class=op_class)
            for op_class in (ct.AddFOp, ct.SubFOp, ct.MulFOp)
        ),
        partial(
            builder.rounded_binary, op_class=ct.DivFOp, f32_only=(Rounding.APPROX, Rounding.FULL)
        ),
        *(partial(builder.extremum, op_class=op_class) for op_class in (ct.MaxFOp, ct.MinFOp)),
        builder.sqrt,
        builder.fma,
        builder.fpowi,
        builder.cmpf,
    )


PURE_MAKERS: tuple[Maker, ...] = (
    # Integers
    *(
        partial(B.overflow_binary, op_class=op_class)
        for op_class in (ct.AddIOp, ct.SubIOp, ct.MulIOp, ct.ShLIOp)
    ),
    *(
        partial(B.binary, op_class=op_class, elements=INTEGERS)
        for op_class in (ct.AndIOp, ct.OrIOp, ct.XOrIOp, ct.MulhiIOp)
    ),
    *(
        partial(B.signed_binary, op_class=op_class)
        for op_class in (ct.MaxIOp, ct.MinIOp, ct.RemIOp, ct.ShRIOp)
    ),
    partial(B.unary, op_class=ct.AbsIOp, elements=INTEGERS),
    B.divi,
    B.negi,
    B.cmpi,
    *float_makers(B),
    # Conversions
    B.bitcast,
    B.int_to_ptr,
    B.ptr_to_int,
    B.ptr_to_ptr,
    B.pack,
    B.unpack,
    B.exti,
    B.trunci,
    *(B.ftof, B.ftof),
    B.ftoi,
    B.itof,
    # Shapes, selection, pointers
    B.broadcast,
    B.reshape,
    B.permute,
    B.cat,
    B.extract,
    B.insert,
    B.iota,
    B.select,
    B.offset,
    # Symbols and constants
    *(B.constant, B.constant, B.constant),
    B.get_global,
    lambda builder: discard(builder.add(ct.GetTileBlockIdOp())),
    lambda builder: discard(builder.add(ct.GetNumTileBlocksOp())),
    # Matrix multiplication
    B.mmaf,
    B.mmai,
    B.mmaf_scaled,
    # Tokens and views
    lambda builder: discard(builder.add(ct.MakeTokenOp())),
    B.join_tokens,
    B.token_join,
    lambda builder: discard(builder.make(tensor_views(builder.draws))),
    *(
        partial(B.make_view, kind=kind)
        for kind in (ct.PartitionViewType, ct.StridedViewType, ct.GatherScatterViewType)
    ),
    B.get_tensor_shape,
    B.get_index_space_shape,
)
"""What may stand anywhere, the bodies of `reduce` and `scan` included."""

MAKERS: tuple[Maker, ...] = (
    *PURE_MAKERS,
    B.assume,
    B.assert_,
    B.print_tko,
    B.print,
    lambda builder: discard(builder.add(ct.MemoryFenceAliasOp(builder.value(TOKEN)))),
    lambda builder: discard(builder.add(ct.GdcWaitOp(builder.token()))),
    lambda builder: discard(builder.add(ct.GdcLaunchDependentsOp(builder.token()))),
    B.alloca,
    # Accesses have more variants than other ops, so they come more often.
    *(B.load_ptr, B.store_ptr, B.atomic_cas, B.atomic_rmw) * 2,
    *(B.load_view, B.store_view, B.atomic_red_view) * 2,
)

PURE_REGION_MAKERS: tuple[Maker, ...] = (
    B.if_,
    partial(B.aggregate, op_class=ct.ReduceOp),
    partial(B.aggregate, op_class=ct.ScanOp),
)
REGION_MAKERS: tuple[Maker, ...] = (*PURE_REGION_MAKERS, B.if_, B.if_, B.for_, B.loop)


def discard(value: object) -> None:
    """Makes a statement of an expression."""
