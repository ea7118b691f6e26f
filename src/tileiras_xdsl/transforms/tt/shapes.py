"""Rules for ops that make, arrange and combine tensors, and for dots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, prod
from typing import Final, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float32Type,
    FloatAttr,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    bf16,
    f16,
    f32,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import tt
from tileiras_xdsl.dialects.cuda_tile import ComparisonPredicate, Signedness
from tileiras_xdsl.dialects.cuda_tile.types import TileType

from .control_flow import FunctionBody
from .emitter import Emitter, Results, flatten, rule


@rule("tt.make_range")
def convert_make_range(emitter: Emitter, op: tt.MakeRangeOp) -> Results:
    """Numbers from zero on, and the start added."""
    numbers = emitter.one(ct.IotaOp(emitter.type(op.result.type)))
    start = op.start.value.data
    return ct.AddIOp(numbers, emitter.like(numbers, start)) if start else numbers


@rule("tt.splat")
def convert_splat(emitter: Emitter, op: tt.SplatOp) -> Results:
    """
    %r = tt.splat %x : f32 -> tensor<4x8xf32>
    →
    %0 = cuda_tile.reshape %x : tile<f32> -> tile<1x1xf32>
    %r = cuda_tile.broadcast %0 : tile<1x1xf32> -> tile<4x8xf32>
    """
    return emitter.broadcast(emitter.value(op.src), tt.shape_of(op.result.type))


@rule("tt.expand_dims", "tt.reshape", "tt.unsplat")
def convert_reshape(emitter: Emitter, op: Operation) -> Results:
    """The same elements in another shape; their order is kept although it may be free."""
    return emitter.reshape(emitter.value(op.operands[0]), tt.shape_of(op.results[0].type))


@rule("tt.broadcast")
def convert_broadcast(emitter: Emitter, op: tt.BroadcastOp) -> Results:
    """Repeats extents of one."""
    return emitter.broadcast(emitter.value(op.src), tt.shape_of(op.result.type))


@rule("tt.trans")
def convert_trans(emitter: Emitter, op: tt.TransOp) -> Results:
    """A permutation; that of one dimension is the value."""
    return permute(emitter, emitter.value(op.src), op.get_order())


def permute(emitter: Emitter, value: SSAValue, order: Sequence[int]) -> SSAValue:
    """A tile with its dimensions in another order."""
    if list(order) == sorted(order):
        return value
    ty = emitter.tile(value)
    result = ty.with_shape([ty.get_shape()[dim] for dim in order])
    return emitter.one(ct.PermuteOp(value, result, permutation=list(order)))


def concatenate(emitter: Emitter, lhs: SSAValue, rhs: SSAValue, dim: int) -> SSAValue:
    """One tile behind another of the same shape."""
    ty = emitter.tile(lhs)
    shape = list(ty.get_shape())
    shape[dim] *= 2
    return emitter.one(ct.CatOp(lhs, rhs, ty.with_shape(shape), dim=dim))


def extract(
    emitter: Emitter, value: SSAValue, shape: Sequence[int], position: Sequence[int]
) -> SSAValue:
    """A part of a tile, which counts in such parts."""
    indices = [emitter.integer(index) for index in position]
    return emitter.one(ct.ExtractOp(value, indices, emitter.tile(value).with_shape(shape)))


@rule("tt.cat")
def convert_cat(emitter: Emitter, op: tt.CatOp) -> Results:
    """One tile behind another."""
    return concatenate(emitter, emitter.value(op.lhs), emitter.value(op.rhs), 0)


@rule("tt.join")
def convert_join(emitter: Emitter, op: tt.JoinOp) -> Results:
    """Both with a new last dimension, one behind the other in it."""
    shape = tt.shape_of(op.result.type)
    lhs, rhs = (
        emitter.reshape(value, (*shape[:-1], 1)) for value in emitter.list_values(op.operands)
    )
    return concatenate(emitter, lhs, rhs, len(shape) - 1)


@rule("tt.split")
def convert_split(emitter: Emitter, op: tt.SplitOp) -> Results:
    """Both parts of the last dimension, without it."""
    value = emitter.value(op.src)
    *rest, _ = emitter.tile(value).get_shape()
    return [
        emitter.reshape(extract(emitter, value, (*rest, 1), (*[0] * len(rest), index)), rest)
        for index in (0, 1)
    ]


# Reductions and scans

_IDENTITIES: Final[dict[str, float]] = {
    "arith.addf": -0.0,
    "arith.mulf": 1.0,
    "arith.maxnumf": -inf,
    "arith.maximumf": -inf,
    "arith.minnumf": inf,
    "arith.minimumf": inf,
    "arith.addi": 0,
    "arith.ori": 0,
    "arith.xori": 0,
    "arith.maxui": 0,
    "arith.muli": 1,
    "arith.andi": -1,
    "arith.minui": -1,
}


def find_identity(op: tt.AggregateOperation) -> IntegerAttr | FloatAttr | None:
    """What changes nothing when it is combined, if the region is a single op that is known."""
    block = op.combine_op.block
    first = block.first_op
    if len(op.srcs) > 1 or first is None or first.next_op is not block.last_op:
        return None
    end = block.last_op
    if end is None or list(end.operands) != list(first.results):
        return None
    if set(first.operands) != set(block.args):
        return None
    element = tt.element_of(op.srcs[0].type)
    if isinstance(element, IntegerType):
        half = 1 << (element.width.data - 1)
        edges = {"arith.maxsi": -half, "arith.minsi": half - 1}
        number = edges.get(first.name, _IDENTITIES.get(first.name))
        if number is None or not isinstance(number, int):
            return None
        return IntegerAttr(number, element, truncate_bits=True)
    number = _IDENTITIES.get(first.name)
    return None if number is None else float_attr(number, element)


def any_identity(ty: Attribute) -> IntegerAttr | FloatAttr:
    """Zero: a reduction does not depend on what is said to be its identity."""
    element = tt.element_of(ty)
    if isinstance(element, IntegerType):
        return IntegerAttr(0, element)
    return float_attr(0.0, element)


def float_attr(number: float, element: Attribute) -> FloatAttr:
    """A float of a type that is known to be one of floats."""
    return FloatAttr(number, cast(AnyFloat, element))


def convert_body(emitter: Emitter, op: tt.AggregateOperation) -> Region:
    """The region, with the two elements of each operand side by side."""
    source = op.combine_op.block
    count = len(op.srcs)
    types = [emitter.type(argument.type) for argument in source.args[:count]]
    block = Block(arg_types=[ty for ty in types for _ in range(2)])
    with emitter.inside(block), emitter.of_each_element(()):
        for index in range(count):
            emitter.values[source.args[index]] = block.args[2 * index]
            emitter.values[source.args[count + index]] = block.args[2 * index + 1]
        emitter.emit(ct.YieldOp(*run_body(emitter, source)))
    return Region(block)


def run_body(emitter: Emitter, block: Block) -> list[SSAValue]:
    """Converts the ops of a region; returns what it ends with."""
    for op in block.ops:
        if op is block.last_op:
            return emitter.list_values(op.operands)
        emitter.run(op)
    return []


@rule("tt.reduce")
def convert_reduce(emitter: Emitter, op: tt.ReduceOp) -> Results:
    """
    %r = "tt.reduce"(%a, %b) <{axis = 0 : i32}> ({ ^bb0(%a0, %b0, %a1, %b1): … })
    →
    %r = cuda_tile.reduce %a, %b dim=0 … (%a0, %a1, %b0, %b1) { … }
    """
    known = find_identity(op)
    identities = [any_identity(v.type) for v in op.srcs] if known is None else [known]
    sources = emitter.list_values(op.srcs)
    body = convert_body(emitter, op)
    return ct.ReduceOp(sources, op.axis.value.data, identities, body)


@rule("tt.scan")
def convert_scan(emitter: Emitter, op: tt.ScanOp) -> Results:
    """The same, if the identity is known; else in steps that need none."""
    sources, axis = emitter.list_values(op.srcs), op.axis.value.data
    is_reverse = bool(op.reverse.value.data)
    known = find_identity(op)
    if known is None:
        return scan_by_halves(emitter, op, sources, axis, is_reverse)
    body = convert_body(emitter, op)
    return ct.ScanOp(sources, axis, [known], body, reverse=is_reverse)


def scan_by_halves(
    emitter: Emitter, op: tt.ScanOp, values: list[SSAValue], axis: int, is_reverse: bool
) -> list[SSAValue]:
    """
    Scans runs of 1, 2, 4, … elements: the second half of a run is combined with the last element
    of the first half, or the first half with the first element of the second if it is reverse.
    """
    shape = emitter.tile(values[0]).get_shape()
    before, extent, after = shape[:axis], shape[axis], shape[axis + 1 :]
    half = 1
    while half < extent:
        runs = extent // (2 * half)
        part = (*before, runs, 1, half, *after)
        edge = (*before, runs, 1, 1, *after)

        def take(value: SSAValue, index: int) -> SSAValue:
            split = emitter.reshape(value, (*before, runs, 2, half, *after))
            position = [0] * len(part)
            position[axis + 1] = index
            return extract(emitter, split, part, position)

        def take_edge(value: SSAValue) -> SSAValue:
            position = [0] * len(part)
            position[axis + 2] = 0 if is_reverse else half - 1
            found = extract(emitter, value, edge, position)
            return emitter.broadcast(found, part)

        first = [take(value, 0) for value in values]
        second = [take(value, 1) for value in values]
        fixed, changed = (second, first) if is_reverse else (first, second)
        changed = combine(emitter, op.combine_op.block, [*map(take_edge, fixed), *changed], part)
        first, second = (changed, second) if is_reverse else (first, changed)
        values = [
            emitter.reshape(concatenate(emitter, low, high, axis + 1), shape)
            for low, high in zip(first, second, strict=True)
        ]
        half *= 2
    return values


def combine(
    emitter: Emitter, block: Block, arguments: Sequence[SSAValue], lanes: Sequence[int]
) -> list[SSAValue]:
    """A region of scalars, for all elements of tiles at once."""
    with emitter.inside(emitter.block), emitter.of_each_element(lanes):
        emitter.values |= zip(block.args, arguments, strict=True)
        return run_body(emitter, block)


@rule("tt.map_elementwise")
def convert_map(emitter: Emitter, op: tt.MapElementwiseOp) -> Results:
    """The region for all elements at once, or for the first, second, … of all packs."""
    pack, shape = op.pack.value.data, tt.shape_of(op.results[0].type)
    lanes = lanes_of(emitter, shape, pack)
    values = [
        part for value in emitter.list_values(op.srcs) for part in split_packs(emitter, value, pack)
    ]
    entry = op.scalar_op.first_block
    assert entry is not None
    with emitter.inside(emitter.block), emitter.of_each_element(lanes):
        found = flatten(FunctionBody(emitter, is_kernel=False).run(entry, values))
    return [
        join_packs(emitter, found[index : index + pack], shape)
        for index in range(0, len(found), pack)
    ]


def lanes_of(emitter: Emitter, shape: Sequence[int], pack: int) -> tuple[int, ...]:
    """The shape of the first elements of all packs."""
    if prod(shape) % pack:
        emitter.fail(f"has packs of {pack} of {prod(shape)} elements")
    return tuple(shape) if pack == 1 else (prod(shape) // pack, 1)


def split_packs(emitter: Emitter, value: SSAValue, pack: int) -> list[SSAValue]:
    """The first, second, … elements of all packs."""
    if pack == 1:
        return [value]
    lanes = lanes_of(emitter, emitter.tile(value).get_shape(), pack)
    split = emitter.reshape(value, (lanes[0], pack))
    return [extract(emitter, split, lanes, (0, index)) for index in range(pack)]


def join_packs(emitter: Emitter, parts: Sequence[SSAValue], shape: Sequence[int]) -> SSAValue:
    """What such elements are the parts of."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [concatenate(emitter, *pair, 1) for pair in pairs]
    return emitter.reshape(parts[0], shape)


# Gathers and histograms, by memory of the tile block


@dataclass(frozen=True)
class Scratch:
    """Memory of a tile block. Accesses of it are in an order of their own."""

    emitter: Emitter
    pointer: SSAValue
    element: Attribute

    @staticmethod
    def of(emitter: Emitter, element: Attribute, count: int) -> Scratch:
        """Memory for so many elements."""
        pointer = TileType(ct.PtrType(element))
        alloca = ct.AllocaOp(num_elem=count, alignment=_ALIGNMENT, result_type=pointer)
        return Scratch(emitter, emitter.one(alloca), element)

    def at(self, index: SSAValue) -> SSAValue:
        """Pointers to elements."""
        shape = self.emitter.tile(index).get_shape()
        return self.emitter.one(ct.OffsetOp(self.emitter.broadcast(self.pointer, shape), index))

    def store(self, index: SSAValue, value: SSAValue) -> SSAValue:
        """Stores elements; the token of that."""
        before = self.emitter.one(ct.MakeTokenOp())
        return self.emitter.one(ct.StorePtrOp(self.at(index), value, None, before))

    def load(self, index: SSAValue, mask: SSAValue | None, token: SSAValue) -> SSAValue:
        """Loads elements; zeros where a mask is false."""
        ty = self.emitter.tile(index).with_element(self.element)
        padding = None if mask is None else self.emitter.constant(ty, 0)
        return self.emitter.one(ct.LoadPtrOp(self.at(index), mask, padding, token))


_ALIGNMENT: Final = 16
"""Of the memory of a tile block: the widest access of a thread."""


def below(emitter: Emitter, index: SSAValue, limit: int) -> SSAValue:
    """Which integers are less than a number, and not negative."""
    bound = emitter.like(index, limit)
    return emitter.compare(ComparisonPredicate.LESS_THAN, index, bound, signed=False)


def number(emitter: Emitter, shape: Sequence[int]) -> SSAValue:
    """The place of each element of a tile, row after row."""
    return emitter.reshape(emitter.iota((prod(shape),), 0), shape)


@rule("tt.gather")
def convert_gather(emitter: Emitter, op: tt.GatherOp) -> Results:
    """
    The tile is stored to memory of the tile block, and elements are loaded from there; zeros where
    indices lie outside.
    """
    source, indices = emitter.value(op.src), emitter.extend(emitter.value(op.indices), 32)
    axis, ty = op.axis.value.data, emitter.tile(source)
    if isinstance(ty.element_type, ct.PtrType):
        emitter.fail("has no conversion for pointers")
    shape, wanted = ty.get_shape(), emitter.tile(indices).get_shape()
    element = ty.element_type
    if element == i1:
        source = emitter.extend(source, 8, signed=False)
    memory = Scratch.of(emitter, emitter.tile(source).element_type, prod(shape))
    stored = memory.store(number(emitter, shape), source)
    index_type = emitter.tile(indices).element_type
    assert isinstance(index_type, IntegerType)
    place: SSAValue | None = None
    for dim in range(len(shape)):
        along = indices if dim == axis else emitter.iota(wanted, dim, index_type)
        stride = prod(shape[dim + 1 :])
        part = along if stride == 1 else emitter.one(ct.MulIOp(along, emitter.like(along, stride)))
        place = part if place is None else emitter.one(ct.AddIOp(place, part))
    assert place is not None
    found = memory.load(place, below(emitter, indices, shape[axis]), stored)
    if element == i1:
        found = emitter.one(ct.TruncIOp(found, emitter.tile(found).with_element(i1)))
    return found


@rule("tt.histogram")
def convert_histogram(emitter: Emitter, op: tt.HistogramOp) -> Results:
    """Elements add one to counters in memory of the tile block."""
    result = emitter.type(op.result.type)
    bins, count = result.get_shape()[0], prod(tt.shape_of(op.src.type))
    source = emitter.reshape(emitter.value(op.src), (count,))
    source = emitter.extend(source, 32, signed=False)
    is_counted = below(emitter, source, bins)
    if op.mask is not None:
        given = emitter.reshape(emitter.value(op.mask), (count,))
        is_counted = emitter.all_of((is_counted, given))
    counts, memory = TileType(i32, (bins,)), Scratch.of(emitter, i32, bins)
    places = number(emitter, (bins,))
    stored = memory.store(places, emitter.constant(counts, 0))
    ones = emitter.constant(TileType(i32, (count,)), 1)
    added = emitter.emit(
        ct.AtomicRMWOp(
            memory.at(source),
            ones,
            is_counted,
            stored,
            mode=ct.AtomicMode.ADD,
            memory_ordering_semantics=ct.MemoryOrdering.RELAXED,
            memory_scope=ct.MemoryScope.TL_BLK,
        )
    )
    found = memory.load(places, None, added.results[-1])
    return found if found.type == result else emitter.extend(found, 64)


# Dots

_BY_PARTS: Final = {
    tt.InputPrecision.TF32X3: (FloatTF32Type, 2),
    tt.InputPrecision.BF16X3: (BFloat16Type, 2),
    tt.InputPrecision.BF16X6: (BFloat16Type, 3),
}
"""The type and the number of parts that an operand is the sum of."""


@rule("tt.dot")
def convert_dot(emitter: Emitter, op: tt.DotOp) -> Results:
    """
    `mmaf` or `mmai`; f32 is rounded to tf32, multiplied as it is (`ieee`), or split in parts, of
    which all products but the smallest are added up, from the smallest on.
    """
    a, b, c = emitter.list_values((op.a, op.b, op.c))
    left, right = (emitter.tile(value).element_type for value in (a, b))
    if isinstance(left, IntegerType):
        sign = Signedness.SIGNED
        return ct.MmaIOp(a, b, c, signedness_lhs=sign, signedness_rhs=sign)
    if left != right:  # Both kinds of f8 in one dot.
        a, b = (emitter.to_float(value, f16) for value in (a, b))
    if isinstance(left, Float32Type):
        word = tt.find_word(op.input_precision, tt.InputPrecision, "inputPrecision")
        if word is tt.InputPrecision.TF32:
            a, b = (emitter.to_float(value, FloatTF32Type()) for value in (a, b))
        elif word in _BY_PARTS:
            element, count = _BY_PARTS[tt.InputPrecision(word)]
            return multiply_parts(emitter, a, b, c, element(), count)
    depth = emitter.tile(a).get_shape()[-1]
    is_small = isinstance(left, Float8E4M3FNType | Float8E5M2Type) and left == right
    fast = is_small and op.max_num_imprecise_acc.value.data >= depth
    accumulator = emitter.tile(c).element_type
    if isinstance(left, BFloat16Type) and not isinstance(accumulator, Float32Type):
        wide = emitter.one(ct.MmaFOp(a, b, emitter.to_float(c, f32)))
        return emitter.to_float(wide, accumulator)
    return ct.MmaFOp(a, b, c, fast_acc=fast)


def split_parts(
    emitter: Emitter, value: SSAValue, element: Attribute, count: int
) -> Iterator[SSAValue]:
    """Floats of which a tile of f32 is the sum, the largest first."""
    for index in range(count):
        part = emitter.to_float(value, element)
        yield part
        if index + 1 < count:
            value = emitter.one(ct.SubFOp(value, emitter.to_float(part, f32)))


def multiply_parts(
    emitter: Emitter, a: SSAValue, b: SSAValue, c: SSAValue, element: Attribute, count: int
) -> SSAValue:
    """The sum of products of parts."""
    left, right = (list(split_parts(emitter, value, element, count)) for value in (a, b))
    pairs = [pair for pair in product(range(count), repeat=2) if sum(pair) < count]
    total = emitter.like(c, 0.0)
    for i, j in sorted(pairs, key=sum, reverse=True):
        total = emitter.one(ct.MmaFOp(left[i], right[j], total))
    return emitter.one(ct.AddFOp(total, c))


_ELEMENTS: Final[dict[tt.NamedInt, Attribute]] = {
    tt.ScaleDotElemType.E4M3: Float8E4M3FNType(),
    tt.ScaleDotElemType.E5M2: Float8E5M2Type(),
    tt.ScaleDotElemType.E2M1: Float4E2M1FNType(),
    tt.ScaleDotElemType.BF16: bf16,
    tt.ScaleDotElemType.FP16: f16,
}


@rule("tt.dot_scaled")
def convert_dot_scaled(emitter: Emitter, op: tt.DotScaledOp) -> Results:
    """
    The operands times their scales as bf16, or as f16 if one of them is f16, and their dot: what
    Triton does too where there is no instruction for it.
    """
    words = [
        tt.find_word(attribute, tt.ScaleDotElemType, name)
        for attribute, name in ((op.a_elem_type, "a_elem_type"), (op.b_elem_type, "b_elem_type"))
    ]
    element: Attribute = f16 if tt.ScaleDotElemType.FP16 in words else bf16
    sides: list[SSAValue] = []
    for index, (value, scale, word, packed) in enumerate(
        (
            (op.a, op.a_scale, words[0], op.lhs_k_pack),
            (op.b, op.b_scale, words[1], op.rhs_k_pack),
        )
    ):
        if word not in _ELEMENTS:
            emitter.fail(f"has no conversion for elements of {word.keyword}")
        rank = len(tt.shape_of(value.type))
        swap = [*range(rank - 2), rank - 1, rank - 2]
        tile = emitter.value(value)
        # K last, as it is in the scales of both.
        tile = permute(emitter, tile, swap) if index else tile
        # Two elements of a byte are neighbors along K, or along the rows.
        outer = swap if not packed.value.data else range(rank)
        tile = unpack(emitter, permute(emitter, tile, outer), _ELEMENTS[word])
        tile = permute(emitter, tile, outer)
        if scale is not None:
            tile = apply_scale(emitter, tile, emitter.value(scale))
        tile = emitter.to_float(tile, element)
        sides.append(permute(emitter, tile, swap) if index else tile)
    c = emitter.value(op.c)
    result = emitter.one(ct.MmaFOp(*sides, emitter.to_float(c, f32)))
    return emitter.to_float(result, emitter.tile(c).element_type)


def unpack(emitter: Emitter, value: SSAValue, element: Attribute) -> SSAValue:
    """Floats that integers hold, as f32 or wider; two of four bits to a byte, the lower first."""
    ty = emitter.tile(value)
    if isinstance(element, Float4E2M1FNType):
        *rest, last = ty.get_shape()
        flat = emitter.reshape(value, (prod(ty.get_shape()),))
        pairs = TileType(element, (2 * prod(ty.get_shape()),))
        # The conversion goes first: tiles of four bits have few ops.
        floats = emitter.to_float(emitter.one(ct.UnpackOp(flat, pairs)), f32)
        return emitter.reshape(floats, (*rest, 2 * last))
    if isinstance(ty.element_type, IntegerType):
        value = emitter.one(ct.BitcastOp(value, ty.with_element(element)))
    return emitter.to_float(value, f32)


def apply_scale(emitter: Emitter, value: SSAValue, scale: SSAValue) -> SSAValue:
    """Floats times powers of two, of which there is one for each run along the last dimension."""
    ty = emitter.tile(scale)
    if isinstance(ty.element_type, IntegerType):
        scale = emitter.one(ct.BitcastOp(scale, ty.with_element(Float8E8M0FNUType())))
    factors = emitter.to_float(scale, f32)
    *rest, depth = emitter.tile(value).get_shape()
    blocks = ty.get_shape()[-1]
    runs = (*rest, blocks, depth // blocks)
    factors = emitter.broadcast(emitter.reshape(factors, (*rest, blocks, 1)), runs)
    scaled = emitter.one(ct.MulFOp(emitter.reshape(value, runs), factors))
    return emitter.reshape(scaled, (*rest, depth))
