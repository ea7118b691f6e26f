"""
`vector`. A vector of higher rank is one of rank 1 in row-major order, so a part of it is a
shuffle, and a change of its shape is nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerType,
    VectorType,
    i64,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.dialects import vector as own_vector
from tileiras_xdsl.dialects.nvvm.base import element_of
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    OpT,
    PatternSet,
)

from .arith import compare
from .building import (
    FLOATS,
    add,
    get_fast_math,
    get_index,
    get_vector,
    make_constant,
    make_integer,
    make_shuffle,
    make_splat,
    make_vector,
    require_floats,
    row_major,
    widen,
)


def get_shape(ty: Attribute) -> tuple[int, ...]:
    """The shape of a vector; a scalar has none."""
    return ty.get_shape() if isinstance(ty, VectorType) else ()


def get_numbers(shape: Sequence[int], offsets: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """The numbers, in row-major order, of the elements of a part."""
    strides = row_major(shape)
    ranges = [range(offset, offset + size) for offset, size in zip(offsets, sizes, strict=True)]
    return [
        sum(index * stride for index, stride in zip(indices, strides, strict=True))
        for indices in product(*ranges)
    ]


class VectorPattern(ConversionPattern[OpT]):
    """A pattern of an op with one result."""

    def convert(self, op: OpT, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, self.build(op, rewriter))

    @abstractmethod
    def build(self, op: OpT, rewriter: ConversionRewriter) -> SSAValue:
        """The value that takes the place of the op's result."""


def get_number(
    rewriter: ConversionRewriter, position: Sequence[int | SSAValue], shape: Sequence[int]
) -> SSAValue:
    """The number of the element at a position."""
    number = get_index(rewriter, position, row_major(shape))
    return make_integer(rewriter, number) if isinstance(number, int) else number


def insert_part(
    rewriter: ConversionRewriter, whole: SSAValue, part: SSAValue, numbers: Iterable[int]
) -> SSAValue:
    """A vector with the elements of these numbers replaced by those of a part."""
    count = get_vector(whole.type).get_shape()[0]
    mask = list(range(count))
    for source, number in enumerate(numbers):
        mask[number] = count + source
    return make_shuffle(rewriter, whole, widen(rewriter, part, count), mask)


class ConvertExtract(VectorPattern[vector.ExtractOp]):
    """
    %x = vector.extract %v[1] : vector<2xf16> from vector<4x2xf16>
    %y = vector.extract %x[%i] : f16 from vector<2xf16>
    →
    %x = llvm.shufflevector %v, %v [2, 3] : vector<8xf16>
    %y = llvm.extractelement %x[%i : i64] : vector<2xf16>
    """

    def build(self, op: vector.ExtractOp, rewriter: ConversionRewriter) -> SSAValue:
        source, shape = rewriter.value(op.vector), get_shape(op.vector.type)
        position = get_position(op)
        if -1 in position:
            return rewriter.insert(own_llvm.PoisonOp(rewriter.type(op.result.type))).res
        if len(position) == len(shape) and not isinstance(op.result.type, VectorType):
            number = get_number(rewriter, position, shape)
            return rewriter.insert(own_llvm.ExtractElementOp(source, number)).res
        numbers = get_numbers(shape, *get_part(position, shape))
        return make_shuffle(rewriter, source, source, numbers)


class ConvertInsert(VectorPattern[vector.InsertOp]):
    """
    %w = vector.insert %x, %v[1] : vector<2xf16> into vector<4x2xf16>
    →
    %0 = llvm.shufflevector %x, %x [0, 1, -1, -1, -1, -1, -1, -1] : vector<2xf16>
    %w = llvm.shufflevector %v, %0 [0, 1, 8, 9, 4, 5, 6, 7] : vector<8xf16>
    """

    def build(self, op: vector.InsertOp, rewriter: ConversionRewriter) -> SSAValue:
        part, whole = rewriter.value(op.source), rewriter.value(op.dest)
        position, shape = get_position(op), get_shape(op.dest.type)
        if -1 in position:
            return rewriter.insert(own_llvm.PoisonOp(whole.type)).res
        if not isinstance(part.type, VectorType):
            number = get_number(rewriter, position, shape)
            return rewriter.insert(llvm.InsertElementOp(whole, part, number)).res
        numbers = get_numbers(shape, *get_part(position, shape))
        return insert_part(rewriter, whole, part, numbers)


def get_position(op: vector.ExtractOp | vector.InsertOp) -> list[int | SSAValue]:
    """The position of a part, static or not."""
    dynamic = iter(op.dynamic_position)
    return [
        next(dynamic) if position == DYNAMIC_INDEX else position
        for position in op.static_position.get_values()
    ]


def get_part(
    position: Sequence[int | SSAValue], shape: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The offsets and sizes of a part of a vector at a position."""
    rest = shape[len(position) :]
    offsets = [index for index in position if isinstance(index, int)]
    if len(offsets) != len(position):
        raise ConversionError("a vector at a position that is not known when it is compiled")
    return [*offsets, *[0] * len(rest)], [*[1] * len(position), *rest]


def get_offsets(
    op: own_vector.ExtractStridedSliceOp | own_vector.InsertStridedSliceOp, rank: int
) -> list[int]:
    """Where a slice begins in each dimension."""
    offsets = [offset.value.data for offset in op.offsets]
    return offsets + [0] * (rank - len(offsets))


class ConvertExtractStridedSlice(VectorPattern[own_vector.ExtractStridedSliceOp]):
    """
    %w = vector.extract_strided_slice %v {offsets = [4], sizes = [2], strides = [1]}
        : vector<8xf32> to vector<2xf32>
    →
    %w = llvm.shufflevector %v, %v [4, 5] : vector<8xf32>
    """

    def build(self, op: own_vector.ExtractStridedSliceOp, rewriter: ConversionRewriter) -> SSAValue:
        source, shape = rewriter.value(op.source), get_shape(op.source.type)
        offsets = get_offsets(op, len(shape))
        numbers = get_numbers(shape, offsets, get_shape(op.result.type))
        return make_shuffle(rewriter, source, source, numbers)


class ConvertInsertStridedSlice(VectorPattern[own_vector.InsertStridedSliceOp]):
    """
    %w = vector.insert_strided_slice %u, %v {offsets = [4], strides = [1]}
        : vector<2xf32> into vector<8xf32>
    →
    %0 = llvm.shufflevector %u, %u [0, 1, -1, -1, -1, -1, -1, -1] : vector<2xf32>
    %w = llvm.shufflevector %v, %0 [0, 1, 2, 3, 8, 9, 6, 7] : vector<8xf32>
    """

    def build(self, op: own_vector.InsertStridedSliceOp, rewriter: ConversionRewriter) -> SSAValue:
        part, whole = rewriter.value(op.source), rewriter.value(op.dest)
        shape, sizes = get_shape(op.dest.type), get_shape(op.source.type)
        offsets = get_offsets(op, len(shape))
        return insert_part(rewriter, whole, part, get_numbers(shape, offsets, sizes))


class ConvertFromElements(VectorPattern[Operation]):
    """
    %v = vector.from_elements %a, %b : vector<2xf32>
    →
    %0 = llvm.mlir.poison : vector<2xf32>
    %1 = llvm.insertelement %a, %0[%c0 : i64] : vector<2xf32>
    %v = llvm.insertelement %b, %1[%c1 : i64] : vector<2xf32>
    """

    def build(self, op: Operation, rewriter: ConversionRewriter) -> SSAValue:
        ty = get_vector(rewriter.type(op.results[0].type))
        values = rewriter.values(op.operands)
        if len(set(values)) == 1:
            return make_splat(rewriter, values[0], ty)
        return make_vector(rewriter, values, ty)


class ConvertToElements(ConversionPattern[own_vector.ToElementsOp]):
    """
    %a, %b = vector.to_elements %v : vector<2xf32>
    →
    %a = llvm.extractelement %v[%c0 : i64] : vector<2xf32>
    %b = llvm.extractelement %v[%c1 : i64] : vector<2xf32>
    """

    def convert(self, op: own_vector.ToElementsOp, rewriter: ConversionRewriter) -> None:
        source = rewriter.value(op.source)
        elements: list[SSAValue | None] = []
        for number, element in enumerate(op.elements):
            if element.first_use is None:
                elements.append(None)
                continue
            index = make_integer(rewriter, number)
            elements.append(rewriter.insert(own_llvm.ExtractElementOp(source, index)).res)
        rewriter.replace(op, elements)


class ConvertBroadcast(VectorPattern[Operation]):
    """
    %v = vector.broadcast %x : f32 to vector<4xf32>
    →
    %0 = llvm.mlir.poison : vector<4xf32>
    %1 = llvm.insertelement %x, %0[%c0 : i64] : vector<4xf32>
    %v = llvm.shufflevector %1, %1 [0, 0, 0, 0] : vector<4xf32>

    A vector is repeated along the dimensions that it lacks, or that have one element:

    %v = vector.broadcast %x : vector<2xf32> to vector<2x2xf32>
    →
    %v = llvm.shufflevector %x, %x [0, 1, 0, 1] : vector<2xf32>
    """

    def build(self, op: Operation, rewriter: ConversionRewriter) -> SSAValue:
        source = rewriter.value(op.operands[0])
        ty = get_vector(rewriter.type(op.results[0].type))
        if not isinstance(source.type, VectorType):
            return make_splat(rewriter, source, ty)
        own, shape = get_shape(op.operands[0].type), get_shape(op.results[0].type)
        padded = [*[1] * (len(shape) - len(own)), *own]
        strides = [
            0 if extent == 1 else stride
            for extent, stride in zip(padded, row_major(padded), strict=True)
        ]
        mask = [
            sum(index * stride for index, stride in zip(indices, strides, strict=True))
            for indices in product(*map(range, shape))
        ]
        return make_shuffle(rewriter, source, source, mask)


class ConvertShapeCast(VectorPattern[Operation]):
    """`vector.shape_cast` → nothing"""

    def build(self, op: Operation, rewriter: ConversionRewriter) -> SSAValue:
        return rewriter.value(op.operands[0])


class ConvertVectorShuffle(VectorPattern[vector.ShuffleOp]):
    """
    %w = vector.shuffle %u, %v [0, 3] : vector<2xf32>, vector<4xf32>
    →
    %0 = llvm.shufflevector %u, %u [0, 1, -1, -1] : vector<2xf32>
    %w = llvm.shufflevector %0, %v [0, 5] : vector<4xf32>
    """

    def build(self, op: vector.ShuffleOp, rewriter: ConversionRewriter) -> SSAValue:
        first, second = rewriter.value(op.v1), rewriter.value(op.v2)
        rows = (*get_shape(op.v1.type), 1)[0]
        size = prod(get_shape(op.v1.type)[1:])
        counts = [get_shape(value.type)[0] for value in (first, second)]
        count = max(counts)
        first, second = (widen(rewriter, value, count) for value in (first, second))
        mask: list[int] = []
        for row in op.mask.get_values():
            if row < 0:
                mask += [-1] * size
                continue
            start = row * size if row < rows else count + (row - rows) * size
            mask += range(start, start + size)
        return make_shuffle(rewriter, first, second, mask)


class ConvertVectorBitcast(VectorPattern[Operation]):
    """
    %w = vector.bitcast %v : vector<4xf16> to vector<2xi32>
    →
    %w = llvm.bitcast %v : vector<4xf16> to vector<2xi32>
    """

    def build(self, op: Operation, rewriter: ConversionRewriter) -> SSAValue:
        value, ty = rewriter.value(op.operands[0]), rewriter.type(op.results[0].type)
        return value if value.type == ty else rewriter.insert(llvm.BitcastOp(value, ty)).result


class ConvertFMA(ConversionPattern[vector.FMAOp]):
    """
    %r = vector.fma %a, %b, %c : vector<4xf32>
    →
    %r = llvm.intr.fma(%a, %b, %c) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    """

    def convert(self, op: vector.FMAOp, rewriter: ConversionRewriter) -> None:
        require_floats(op.res.type)
        lhs, rhs, acc = rewriter.values((op.lhs, op.rhs, op.acc))
        rewriter.replace(op, llvm.FMAOp(lhs, rhs, acc))


class ConvertCreateMask(VectorPattern[Operation]):
    """
    %m = vector.create_mask %n : vector<4xi1>
    →
    %0 = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
    %1 = … %n four times …
    %m = llvm.icmp "slt" %0, %1 : vector<4xi64>
    """

    def build(self, op: Operation, rewriter: ConversionRewriter) -> SSAValue:
        shape = get_shape(op.results[0].type)
        ty = VectorType(i64, [prod(shape)])
        masks: list[SSAValue] = []
        for axis, size in enumerate(op.operands):
            numbers = [indices[axis] for indices in product(*map(range, shape))]
            attribute = DenseIntOrFPElementsAttr.from_list(ty, numbers)
            steps = make_constant(rewriter, attribute)
            bound = make_splat(rewriter, rewriter.value(size), ty)
            masks.append(rewriter.insert(compare("slt", steps, bound)).res)
        mask, *others = masks
        for other in others:
            mask = rewriter.insert(llvm.AndOp(mask, other)).res
        return mask


@dataclass(frozen=True)
class VectorReduction:
    """What a kind of reduction becomes, and how its result is combined with another value."""

    reduce: type[own_llvm.ReduceIntrinsicOp]
    combine: type[Operation]


INTEGER_REDUCTIONS = {
    CombiningKindFlag.ADD: VectorReduction(own_llvm.VectorReduceAddOp, llvm.AddOp),
    CombiningKindFlag.MUL: VectorReduction(own_llvm.VectorReduceMulOp, llvm.MulOp),
    CombiningKindFlag.AND: VectorReduction(own_llvm.VectorReduceAndOp, llvm.AndOp),
    CombiningKindFlag.OR: VectorReduction(own_llvm.VectorReduceOrOp, llvm.OrOp),
    CombiningKindFlag.XOR: VectorReduction(own_llvm.VectorReduceXorOp, llvm.XOrOp),
    CombiningKindFlag.MINSI: VectorReduction(own_llvm.VectorReduceSMinOp, own_llvm.SMinOp),
    CombiningKindFlag.MAXSI: VectorReduction(own_llvm.VectorReduceSMaxOp, own_llvm.SMaxOp),
    CombiningKindFlag.MINUI: VectorReduction(own_llvm.VectorReduceUMinOp, own_llvm.UMinOp),
    CombiningKindFlag.MAXUI: VectorReduction(own_llvm.VectorReduceUMaxOp, own_llvm.UMaxOp),
}

FLOAT_REDUCTIONS = {
    CombiningKindFlag.MINNUMF: VectorReduction(own_llvm.VectorReduceFMinOp, llvm.VectorFMinOp),
    CombiningKindFlag.MAXNUMF: VectorReduction(own_llvm.VectorReduceFMaxOp, llvm.VectorFMaxOp),
    CombiningKindFlag.MINIMUMF: VectorReduction(
        own_llvm.VectorReduceFMinimumOp, own_llvm.MinimumOp
    ),
    CombiningKindFlag.MAXIMUMF: VectorReduction(
        own_llvm.VectorReduceFMaximumOp, own_llvm.MaximumOp
    ),
}

SEQUENTIAL_REDUCTIONS = {
    CombiningKindFlag.ADD: (llvm.VectorReduceFAddOp, -0.0),
    CombiningKindFlag.MUL: (llvm.VectorReduceFMulOp, 1.0),
}
"""Reductions that begin with a value, and one that changes nothing."""


class ConvertReduction(VectorPattern[vector.ReductionOp]):
    """
    %r = vector.reduction <add>, %v, %x : vector<4xf32> into f32
    %s = vector.reduction <maxsi>, %w, %y : vector<4xi32> into i32
    →
    %r = llvm.intr.vector.reduce.fadd(%x, %v) : (f32, vector<4xf32>) -> f32
    %0 = llvm.intr.vector.reduce.smax(%w) : (vector<4xi32>) -> i32
    %s = llvm.intr.smax(%0, %y) : (i32, i32) -> i32
    """

    def build(self, op: vector.ReductionOp, rewriter: ConversionRewriter) -> SSAValue:
        kind = op.kind.data
        source, acc = rewriter.value(op.vector), rewriter.optional(op.acc)
        element = element_of(source.type)
        if isinstance(element, IntegerType) and kind in INTEGER_REDUCTIONS:
            return self.reduce(rewriter, op, INTEGER_REDUCTIONS[kind], source, acc)
        if not isinstance(element, FLOATS):
            raise ConversionError(f"'{kind}' of '{op.vector.type}' cannot be computed")
        if kind in FLOAT_REDUCTIONS:
            return self.reduce(rewriter, op, FLOAT_REDUCTIONS[kind], source, acc)
        if kind not in SEQUENTIAL_REDUCTIONS:
            raise ConversionError(f"'{kind}' of '{op.vector.type}' cannot be computed")
        reduce, neutral = SEQUENTIAL_REDUCTIONS[kind]
        if acc is None:
            acc = make_constant(rewriter, FloatAttr(neutral, element))
        return rewriter.insert(reduce(acc, source, get_fast_math(op))).results[0]

    def reduce(
        self,
        rewriter: ConversionRewriter,
        op: Operation,
        reduction: VectorReduction,
        source: SSAValue,
        acc: SSAValue | None,
    ) -> SSAValue:
        """The reduction, with the other value."""
        result = rewriter.insert(reduction.reduce(source)).res
        if acc is None:
            return result
        is_float = isinstance(result.type, FLOATS)
        combined = reduction.combine.create(
            operands=[result, acc],
            result_types=[result.type],
            properties={"fastmathFlags": get_fast_math(op)} if is_float else {},
        )
        return rewriter.insert(combined).results[0]


def populate_vector(patterns: PatternSet) -> None:
    """Adds a pattern for each op of `vector` that code of one thread has."""
    add(patterns, own_vector.ExtractOp, ConvertExtract())
    add(patterns, own_vector.InsertOp, ConvertInsert())
    add(patterns, own_vector.ExtractStridedSliceOp, ConvertExtractStridedSlice())
    add(patterns, own_vector.InsertStridedSliceOp, ConvertInsertStridedSlice())
    add(patterns, own_vector.FromElementsOp, ConvertFromElements())
    add(patterns, own_vector.ToElementsOp, ConvertToElements())
    add(patterns, own_vector.SplatOp, ConvertBroadcast())
    add(patterns, own_vector.ShapeCastOp, ConvertShapeCast())
    add(patterns, own_vector.ReductionOp, ConvertReduction())
    add(patterns, vector.BroadcastOp, ConvertBroadcast())
    add(patterns, vector.ShuffleOp, ConvertVectorShuffle())
    add(patterns, vector.BitcastOp, ConvertVectorBitcast())
    add(patterns, vector.FMAOp, ConvertFMA())
    add(patterns, vector.CreateMaskOp, ConvertCreateMask())
