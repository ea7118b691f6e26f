"""
Accesses of `vector` that are more than one load or store: under a mask, of several rows, in
another order, or over the bounds of a memory reference.

What is not masked becomes loads and stores of elements that lie one after the other. What is
becomes an access of single elements, each of which has a predicate: no thread branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from xdsl.dialects import llvm, memref, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.dialects.nvvm.base import element_of
from tileiras_xdsl.dialects.nvvm.fragments import FragmentLoadOp, FragmentStoreOp
from tileiras_xdsl.transforms.nvvm.convert_to_llvm.arith import compare
from tileiras_xdsl.transforms.nvvm.convert_to_llvm.building import (
    get_access_options,
    get_integer,
    get_size,
    get_strides,
    get_vector,
    make_constant,
    make_integer,
    make_shuffle,
    make_splat,
    row_major,
    widen,
)
from tileiras_xdsl.transforms.nvvm.convert_to_llvm.vector import get_shape
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .memref import get_address, get_element, get_type, move, require_contiguous

MAX_COPIED_ELEMENTS = 256
"""Of `memref.copy`, whose loads and stores are written one by one."""


def get_runs(offsets: Sequence[int]) -> list[range]:
    """The positions of offsets in parts whose offsets grow by one."""
    runs: list[range] = []
    start = 0
    for position in range(1, len(offsets) + 1):
        if position == len(offsets) or offsets[position] != offsets[position - 1] + 1:
            runs.append(range(start, position))
            start = position
    return runs


# Without a mask. Offsets count elements from the address of the first.


def load(
    rewriter: ConversionRewriter, address: SSAValue, offsets: Sequence[int], ty: VectorType
) -> SSAValue:
    """A vector of the elements at these offsets, each of which is loaded once."""
    wanted = sorted(set(offsets))
    size = get_size(ty.get_element_type())
    parts: list[SSAValue] = []
    for run in get_runs(wanted):
        part = VectorType(ty.get_element_type(), [len(run)])
        source = move(rewriter, address, wanted[run.start], ty.get_element_type())
        parts.append(rewriter.insert(own_llvm.LoadOp(source, part, alignment=size)).results[0])
    whole = join(rewriter, parts)
    numbers = {offset: number for number, offset in enumerate(wanted)}
    return make_shuffle(rewriter, whole, whole, [numbers[offset] for offset in offsets])


def store(
    rewriter: ConversionRewriter, value: SSAValue, address: SSAValue, offsets: Sequence[int]
) -> None:
    """Stores the elements of a vector at these offsets."""
    element = element_of(value.type)
    order = sorted(range(len(offsets)), key=lambda lane: offsets[lane])
    for run in get_runs([offsets[lane] for lane in order]):
        lanes = [order[position] for position in run]
        part = make_shuffle(rewriter, value, value, lanes)
        target = move(rewriter, address, offsets[lanes[0]], element)
        rewriter.insert(own_llvm.StoreOp(part, target, alignment=get_size(element)))


def join(rewriter: ConversionRewriter, parts: Sequence[SSAValue]) -> SSAValue:
    """One vector of the elements of several."""
    counts = [get_vector(part.type).get_shape()[0] for part in parts]
    total = sum(counts)
    whole, done = widen(rewriter, parts[0], total), counts[0]
    for part, count in zip(parts[1:], counts[1:], strict=True):
        wide = widen(rewriter, part, total)
        mask = [*range(done), *range(total, total + count)]
        mask += [-1] * (total - len(mask))
        whole = make_shuffle(rewriter, whole, wide, mask)
        done += count
    return whole


# With a mask


def scatter(
    rewriter: ConversionRewriter, address: SSAValue, offsets: Sequence[int], element: Attribute
) -> SSAValue:
    """The addresses of elements."""
    if isinstance(element, IntegerType) and element.width.data % 8:
        raise ConversionError(f"elements of '{element}' cannot be accessed under a mask")
    assert isinstance(address.type, llvm.LLVMPointerType)
    ty = VectorType(i64, [len(offsets)])
    attribute = DenseIntOrFPElementsAttr.from_list(ty, list(offsets))
    indices = make_constant(rewriter, attribute)
    # What the mask leaves out need not be in bounds.
    new = own_llvm.GEPOp.create(
        operands=[address, indices],
        properties={
            "elem_type": element,
            "noWrapFlags": IntegerAttr(0, i32),
            "rawConstantIndices": DenseArrayBase.from_list(i32, [llvm.GEP_USE_SSA_VAL]),
        },
        result_types=[VectorType(address.type, [len(offsets)])],
    )
    return rewriter.insert(new).results[0]


def masked_load(
    rewriter: ConversionRewriter,
    address: SSAValue,
    offsets: Sequence[int],
    mask: SSAValue,
    other: SSAValue,
) -> SSAValue:
    """A vector of the elements at these offsets, or of others where the mask is false."""
    ty = get_vector(other.type)
    element = ty.get_element_type()
    addresses = scatter(rewriter, address, offsets, element)
    load = FragmentLoadOp(
        addresses, result_type=ty, mask=mask, other=other, alignment=get_size(element)
    )
    return rewriter.insert(load).result


def masked_store(
    rewriter: ConversionRewriter,
    value: SSAValue,
    address: SSAValue,
    offsets: Sequence[int],
    mask: SSAValue,
) -> None:
    """Stores the elements of a vector at these offsets where the mask is true."""
    element = element_of(value.type)
    addresses = scatter(rewriter, address, offsets, element)
    store = FragmentStoreOp(value, addresses, mask=mask, alignment=get_size(element))
    rewriter.insert(store)


class ConvertMaskedLoad(ConversionPattern[vector.MaskedLoadOp]):
    """
    %v = vector.maskedload %m[%i], %mask, %other
        : memref<64xf32, 1>, vector<2xi1>, vector<2xf32> into vector<2xf32>
    →
    %0 = llvm.getelementptr inbounds %m[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %1 = llvm.getelementptr %0[dense<[0, 1]>]
        : (!llvm.ptr<1>, vector<2xi64>) -> vector<2x!llvm.ptr<1>>, f32
    %v = nvvm.fragment.load %1 mask(%mask : vector<2xi1>) other(%other : vector<2xf32>)
        {alignment = 4 : i64} : vector<2x!llvm.ptr<1>> -> vector<2xf32>
    """

    def convert(self, op: vector.MaskedLoadOp, rewriter: ConversionRewriter) -> None:
        require_contiguous(op.base.type)
        mask, other = rewriter.value(op.mask), rewriter.value(op.pass_thru)
        address = get_address(rewriter, op.base, op.indices)
        offsets = range(get_vector(other.type).get_shape()[0])
        rewriter.replace(op, masked_load(rewriter, address, offsets, mask, other))


class ConvertMaskedStore(ConversionPattern[vector.MaskedStoreOp]):
    """
    vector.maskedstore %m[%i], %mask, %v : memref<64xf32, 1>, vector<2xi1>, vector<2xf32>
    →
    … the addresses of the elements
    nvvm.fragment.store %v, %1 mask(%mask : vector<2xi1>) {alignment = 4 : i64}
        : vector<2xf32>, vector<2x!llvm.ptr<1>>
    """

    def convert(self, op: vector.MaskedStoreOp, rewriter: ConversionRewriter) -> None:
        require_contiguous(op.base.type)
        mask, value = rewriter.value(op.mask), rewriter.value(op.value_to_store)
        address = get_address(rewriter, op.base, op.indices)
        offsets = range(get_vector(value.type).get_shape()[0])
        masked_store(rewriter, value, address, offsets, mask)
        rewriter.replace(op, [])


class Transfer:
    """Which elements a transfer reads or writes."""

    type: MemRefType
    """Of the memory."""
    shape: tuple[int, ...]
    """Of the vector."""
    axes: list[int | None]
    """For each dimension of the vector, that of the memory, unless it repeats elements."""
    offsets: list[int]
    """For each element of the vector, where it is in memory."""

    def __init__(self, op: vector.TransferReadOp | vector.TransferWriteOp, ty: Attribute):
        source = op.source.type
        if not isinstance(source, MemRefType):
            raise ConversionError(f"'{source}' is no memory")
        assert isinstance(ty, VectorType)
        if source.get_element_type() != ty.get_element_type():
            raise ConversionError(f"the elements of '{source}' are not those of '{ty}'")
        self.type, self.shape = source, ty.get_shape()
        self.axes = [
            expression.position if isinstance(expression, AffineDimExpr) else None
            for expression in op.permutation_map.data.results
        ]
        strides = get_strides(source)
        steps = [0 if axis is None else strides[axis] for axis in self.axes]
        self.offsets = [
            sum(index * step for index, step in zip(indices, steps, strict=True))
            for indices in self.positions
        ]

    @property
    def positions(self) -> list[tuple[int, ...]]:
        """The indices of the elements of the vector."""
        return list(product(*map(range, self.shape)))

    def mask_numbers(self) -> list[int]:
        """For each element of the vector, that of the mask, whose order is that of the memory."""
        used = sorted(
            (axis, dimension) for dimension, axis in enumerate(self.axes) if axis is not None
        )
        strides = row_major([self.shape[dimension] for _, dimension in used])
        return [
            sum(
                indices[dimension] * stride
                for (_, dimension), stride in zip(used, strides, strict=True)
            )
            for indices in self.positions
        ]


def get_mask(
    rewriter: ConversionRewriter,
    op: vector.TransferReadOp | vector.TransferWriteOp,
    transfer: Transfer,
) -> SSAValue | None:
    """Which elements are in bounds and not masked; nothing if all are."""
    masks: list[SSAValue] = []
    if op.mask is not None:
        mask = rewriter.value(op.mask)
        numbers = transfer.mask_numbers()
        masks.append(make_shuffle(rewriter, mask, mask, numbers))
    for dimension, (axis, in_bounds) in enumerate(zip(transfer.axes, op.in_bounds, strict=True)):
        if axis is None or in_bounds.value.data:
            continue
        masks.extend(get_bounds(rewriter, op, transfer, dimension, axis))
    if not masks:
        return None
    whole, *others = masks
    for other in others:
        whole = rewriter.insert(llvm.AndOp(whole, other)).res
    return whole


def get_bounds(
    rewriter: ConversionRewriter,
    op: vector.TransferReadOp | vector.TransferWriteOp,
    transfer: Transfer,
    dimension: int,
    axis: int,
) -> list[SSAValue]:
    """
    %0 = llvm.sub %extent, %i : i64
    %1 = … %0 in every lane …
    %2 = llvm.icmp "slt" %lanes, %1 : vector<4xi64>
    """
    extent = transfer.type.get_shape()[axis]
    if extent == DYNAMIC_INDEX:
        raise ConversionError(
            f"extent {axis} of '{transfer.type}' is not known when it is compiled, and "
            "'in_bounds' does not say that it is large enough"
        )
    index = rewriter.value(op.indices[axis])
    lanes = [indices[dimension] for indices in transfer.positions]
    if (number := get_integer(index)) is not None:
        known = [number + lane < extent for lane in lanes]
        if all(known):
            return []
        ty = VectorType(i1, [len(lanes)])
        attribute = DenseIntOrFPElementsAttr.from_list(ty, list(map(int, known)))
        return [make_constant(rewriter, attribute)]
    ty = VectorType(i64, [len(lanes)])
    steps = DenseIntOrFPElementsAttr.from_list(ty, lanes)
    left = rewriter.insert(llvm.SubOp(make_integer(rewriter, extent), index)).res
    bound = make_splat(rewriter, left, ty)
    return [rewriter.insert(compare("slt", make_constant(rewriter, steps), bound)).res]


class ConvertTransferRead(ConversionPattern[vector.TransferReadOp]):
    """
    %v = vector.transfer_read %m[%i, %j], %x {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
    →
    … the address of the element at %i, %j
    %v = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>

    Rows that do not follow each other in memory are loaded one by one. Without `in_bounds`, and
    with a mask, elements are loaded as by `vector.maskedload`.
    """

    def convert(self, op: vector.TransferReadOp, rewriter: ConversionRewriter) -> None:
        transfer = Transfer(op, op.result.type)
        ty = get_vector(rewriter.type(op.result.type))
        mask = get_mask(rewriter, op, transfer)
        address = get_address(rewriter, op.source, op.indices)
        if mask is None:
            value = load(rewriter, address, transfer.offsets, ty)
        else:
            other = make_splat(rewriter, rewriter.value(op.padding), ty)
            value = masked_load(rewriter, address, transfer.offsets, mask, other)
        rewriter.replace(op, value)


class ConvertTransferWrite(ConversionPattern[vector.TransferWriteOp]):
    """
    vector.transfer_write %v, %m[%i, %j] {in_bounds = [true]} : vector<4xf32>, memref<8x4xf32>
    →
    … the address of the element at %i, %j
    llvm.store %v, %0 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    """

    def convert(self, op: vector.TransferWriteOp, rewriter: ConversionRewriter) -> None:
        transfer = Transfer(op, op.vector.type)
        value = rewriter.value(op.vector)
        mask = get_mask(rewriter, op, transfer)
        address = get_address(rewriter, op.source, op.indices)
        if mask is None:
            store(rewriter, value, address, transfer.offsets)
        else:
            masked_store(rewriter, value, address, transfer.offsets, mask)
        rewriter.replace(op, [])


class ConvertMemrefCopy(ConversionPattern[memref.CopyOp]):
    """
    "memref.copy"(%m, %n) : (memref<4xf32, 1>, memref<4xf32, 3>) -> ()
    →
    %0 = llvm.load %m {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf32>
    llvm.store %0, %n {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr<3>

    Every thread that comes by copies all of it.
    """

    def convert(self, op: memref.CopyOp, rewriter: ConversionRewriter) -> None:
        types = get_type(op.source), get_type(op.destination)
        shape = types[0].get_shape()
        if DYNAMIC_INDEX in shape or not 0 < prod(shape) <= MAX_COPIED_ELEMENTS:
            raise ConversionError(
                f"a thread copies 1 to {MAX_COPIED_ELEMENTS} elements whose number is known when "
                f"it is compiled, not '{types[0]}': write a loop of the threads of a CTA, or use "
                "nvgpu.device_async_copy"
            )
        positions = list(product(*map(range, shape)))
        offsets = [
            [
                sum(index * stride for index, stride in zip(indices, strides, strict=True))
                for indices in positions
            ]
            for strides in map(get_strides, types)
        ]
        element = get_element(rewriter, op.source)
        ty = VectorType(element, [len(positions)])
        source, destination = rewriter.values((op.source, op.destination))
        value = load(rewriter, source, offsets[0], ty)
        store(rewriter, value, destination, offsets[1])
        rewriter.replace(op, [])


class ConvertVectorLoad(ConversionPattern[vector.LoadOp]):
    """
    %v = vector.load %m[%i] : memref<64xf32, 3>, vector<4xf32>
    →
    %0 = llvm.getelementptr inbounds %m[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %v = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr<3> -> vector<4xf32>

    The memory is aligned for its elements only, unless an attribute `alignment` says more.
    """

    def convert(self, op: vector.LoadOp, rewriter: ConversionRewriter) -> None:
        require_rank_1(op.result.type)
        require_contiguous(op.base.type)
        ty = rewriter.type(op.result.type)
        address = get_address(rewriter, op.base, op.indices)
        options = get_access_options(op, get_size(get_element(rewriter, op.base)))
        rewriter.replace(op, own_llvm.LoadOp(address, ty, **options))


class ConvertVectorStore(ConversionPattern[vector.StoreOp]):
    """
    vector.store %v, %m[%i] : memref<64xf32, 3>, vector<4xf32>
    →
    %0 = llvm.getelementptr inbounds %m[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    llvm.store %v, %0 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr<3>
    """

    def convert(self, op: vector.StoreOp, rewriter: ConversionRewriter) -> None:
        require_rank_1(op.vector.type)
        require_contiguous(op.base.type)
        value = rewriter.value(op.vector)
        address = get_address(rewriter, op.base, op.indices)
        options = get_access_options(op, get_size(get_element(rewriter, op.base)))
        rewriter.replace(op, own_llvm.StoreOp(value, address, **options))


def require_rank_1(ty: Attribute) -> None:
    """Raises unless the elements of a vector lie one after the other in memory."""
    if len(get_shape(ty)) > 1:
        raise ConversionError(f"'{ty}' has more than one dimension")


def populate_transfers(patterns: PatternSet) -> None:
    """Adds patterns for accesses to memrefs of many elements at once."""
    patterns.add(vector.LoadOp, ConvertVectorLoad())
    patterns.add(vector.StoreOp, ConvertVectorStore())
    patterns.add(vector.MaskedLoadOp, ConvertMaskedLoad())
    patterns.add(vector.MaskedStoreOp, ConvertMaskedStore())
    patterns.add(vector.TransferReadOp, ConvertTransferRead())
    patterns.add(vector.TransferWriteOp, ConvertTransferWrite())
    patterns.add(memref.CopyOp, ConvertMemrefCopy())
