"""Changes of shape: most only rename registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, TensorType, VectorType, i8
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.analysis.linear_layout import BitMap, LinearLayout, flatten
from tileiras_xdsl.dialects.arith import ExtSIOp, ExtUIOp, TruncIOp
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa import shape as tileaa
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import PackOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    AssumeOp,
    BroadcastOp,
    CatOp,
    ExpandDimsOperation,
    ExtractOp,
    InsertOp,
    MakeRangeOp,
    PermuteOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileas import shape as tileas
from tileiras_xdsl.dialects.nvvm.fragments import FragmentStoreOp, count_lanes, element_bits
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    cat_layout,
    find_extracted,
    register_type,
    result_layout,
)

from .barriers import sync_threads
from .exchange import (
    ElementOffsets,
    Window,
    as_i32,
    convert_value,
    emit_offsets,
    from_shared_type,
    read_elements,
    read_tile,
    read_windows,
    stored_type,
    to_shared_type,
    write_shared_tile,
)
from .lowering_registry import lowers
from .thread_builder import (
    ThreadBuilder,
    all_of,
    concatenate,
    element_of,
    extract,
    index_pointers,
    select_registers,
    splat,
)
from .thread_index import get_coordinates, is_owner


@lowers(
    *(tileaa.ViewOp, tileas.ViewOp, tileaa.ExpandDimsOp, tileas.ExpandDimsOp, PermuteOp),
)
def lower_reshape(
    builder: ThreadBuilder, op: ViewOperation | ExpandDimsOperation | PermuteOp
) -> None:
    """The registers of the source, whose layout in the other shape may not be the one wanted."""
    value, result = builder.lookup(op.source), op.results[0]
    if not isinstance(result.type, TensorType):
        builder.map(result, extract(builder, value, 0))
    elif not isinstance(op.source.type, TensorType):
        builder.map(result, splat(builder, value, builder.layout(result).registers))
    else:
        layout = result_layout(op, builder.layout(op.source))
        assert layout is not None
        builder.map(result, convert_value(builder, value, layout, builder.layout(result)))


@lowers(BroadcastOp)
def lower_broadcast(builder: ThreadBuilder, op: BroadcastOp) -> None:
    shape = get_shape(op.source.type)
    result = builder.layout(op.result)
    needed = result.restricted(shape)
    value = convert_value(builder, builder.lookup(op.source), builder.layout(op.source), needed)
    builder.map(op.result, select_registers(builder, value, broadcast_indices(result, needed)))


def broadcast_indices(result: LinearLayout, source: LinearLayout) -> list[int]:
    """For each register of a broadcast, the register of the source that it repeats."""
    crop = BitMap.cropping(result.shape, source.shape)
    registers = {source.element(register=index): index for index in range(source.registers)}
    return [
        registers[crop.apply(result.element(register=index))] for index in range(result.registers)
    ]


@lowers(CatOp)
def lower_cat(builder: ThreadBuilder, op: CatOp) -> None:
    layout = builder.layout(op.lhs)
    rhs = convert_value(builder, builder.lookup(op.rhs), builder.layout(op.rhs), layout)
    both = concatenate(builder, [builder.lookup(op.lhs), rhs])
    joined = cat_layout(layout, op.dim.value.data)
    builder.map(op.result, convert_value(builder, both, joined, builder.layout(op.result)))


@lowers(AssumeOp)
def lower_assume(builder: ThreadBuilder, op: AssumeOp) -> None:
    builder.map(op.result, *builder.lookup_all(op.value))


@lowers(MakeRangeOp)
def lower_make_range(builder: ThreadBuilder, op: MakeRangeOp) -> None:
    layout = builder.layout(op.result)
    coordinates = get_coordinates(builder, layout, 0)
    ty = builder.converted_type(op.result)
    assert isinstance(ty, VectorType)
    element = ty.get_element_type()
    assert isinstance(element, IntegerType)
    if element.width.data < 32:
        coordinates = builder.emit(TruncIOp(coordinates, ty)).result
    elif element.width.data > 32:
        coordinates = builder.emit(ExtUIOp(coordinates, ty)).result
    start = resize(builder, builder.lookup(op.start), element)
    builder.map(
        op.result, builder.emit(arith.AddiOp(coordinates, splat(builder, start, layout.registers)))
    )


def resize(builder: ThreadBuilder, value: SSAValue, ty: IntegerType) -> SSAValue:
    """A scalar integer in another width, with its sign."""
    source = value.type
    assert isinstance(source, IntegerType)
    if source.width.data < ty.width.data:
        return builder.emit(ExtSIOp(value, ty)).result
    if source.width.data > ty.width.data:
        return builder.emit(TruncIOp(value, ty)).result
    return value


def _slice_start(
    builder: ThreadBuilder, indices: Sequence[SSAValue], part: Sequence[int], whole: Sequence[int]
) -> SSAValue:
    """The linear index of the first element of a slice, as an i32."""
    start = builder.constant(0)
    for dim, index in enumerate(indices):
        position = [0] * len(whole)
        position[dim] = 1
        step = flatten(position, whole) * (part[dim] if part else 1)
        term = builder.binary("mul", as_i32(builder, builder.lookup(index)), step)
        start = builder.binary("add", start, term)
    return start


def _embedded(layout: LinearLayout, whole: Sequence[int]) -> ElementOffsets:
    """Where the elements of a slice at the start of a tile are in it."""

    def embed(linear_index: int) -> int:
        return flatten(layout.coordinates(linear_index), whole)

    return ElementOffsets(
        [embed(basis) for basis in layout.lane],
        [embed(basis) for basis in layout.warp],
        [embed(layout.element(register=index)) for index in range(layout.registers)],
    )


@lowers(ExtractOp)
def lower_extract(builder: ThreadBuilder, op: ExtractOp) -> None:
    """
    Registers that a thread has, else the tile goes through shared memory, where every thread finds
    what it wants.
    """
    value, whole = builder.lookup(op.source), builder.layout(op.source)
    is_scalar = not isinstance(op.result.type, TensorType)
    if whole.elements == 1:
        builder.map(op.result, extract(builder, value, 0) if is_scalar else value)
        return
    if not is_scalar:
        registers = find_extracted(op, whole, builder.layout(op.result))
        if registers is not None:
            builder.map(op.result, select_registers(builder, value, registers))
            return
    windows = write_shared_tile(builder, value, whole)
    part = () if is_scalar else get_shape(op.result.type)
    start = _slice_start(builder, op.indices, part, whole.shape)
    if is_scalar:
        linear_indices = splat(builder, start, 1)
    else:
        layout = builder.layout(op.result)
        linear_indices = emit_offsets(builder, _embedded(layout, whole.shape))
        splatted = splat(builder, start, layout.registers)
        linear_indices = builder.binary("add", linear_indices, splatted)
    elements = read_windows(builder, windows, element_of(value.type), linear_indices)
    builder.map(op.result, extract(builder, elements, 0) if is_scalar else elements)


@lowers(InsertOp)
def lower_insert(builder: ThreadBuilder, op: InsertOp) -> None:
    """The slice is written over the tile in shared memory."""
    value, whole = builder.lookup(op.destination), builder.layout(op.destination)
    windows = write_shared_tile(builder, value, whole)
    layout = builder.layout(op.source)
    part = to_shared_type(builder, builder.lookup(op.source))
    start = _slice_start(builder, op.indices, layout.shape, whole.shape)
    linear_indices = emit_offsets(builder, _embedded(layout, whole.shape))
    linear_indices = builder.binary(
        "add", linear_indices, splat(builder, start, count_lanes(part.type))
    )
    element = element_of(part.type)
    owner = is_owner(builder, layout)
    owned = None if owner is None else splat(builder, owner, count_lanes(part.type))
    offsets = ElementOffsets.of(builder.layout(op.result))
    read: SSAValue | None = None
    for window in windows:
        places, mask = window.locate(builder, linear_indices)
        addresses = index_pointers(builder, window.scratch, places, element)
        mask = all_of(builder, [mask, owned])
        builder.emit(
            FragmentStoreOp(part, addresses, mask=mask, alignment=element_bits(element) // 8)
        )
        sync_threads(builder)
        if window.is_whole:
            read = read_tile(builder, window.scratch, element_of(value.type), offsets)
            break
        places, mask = window.locate(builder, emit_offsets(builder, offsets))
        read = read_elements(builder, window.scratch, element_of(value.type), places, mask, read)
    assert read is not None
    builder.map(op.result, read)


# `pack` and `unpack`: reinterpret the bits as elements of another size, through shared memory.

BYTE = 8


def _bits(value: SSAValue) -> int:
    return element_bit_width(get_element(value.type))


def read_reinterpreted(
    builder: ThreadBuilder,
    windows: Iterator[Window],
    element: Attribute,
    layout: LinearLayout,
    factor: float,
) -> SSAValue:
    """A tile of elements whose number is `factor` times that of the tile that was written."""
    offsets = ElementOffsets.of(layout)
    read: SSAValue | None = None
    for window in windows:
        if window.is_whole:
            return read_tile(builder, window.scratch, element, offsets)
        resized = replace(window, elements=int(window.elements * factor))
        places, mask = resized.locate(builder, emit_offsets(builder, offsets))
        read = read_elements(builder, window.scratch, element, places, mask, read)
    assert read is not None
    return read


@lowers(PackOp)
def lower_pack(builder: ThreadBuilder, op: PackOp) -> None:
    bits = _bits(op.source)
    windows = write_shared_tile(builder, builder.lookup(op.source), builder.layout(op.source))
    layout = builder.layout(op.result)
    if bits >= BYTE:
        builder.map(op.result, read_reinterpreted(builder, windows, i8, layout, bits // BYTE))
        return
    # In shared memory each sub-byte element has a byte of its own.
    share, count = BYTE // bits, layout.registers
    bytes_ = emit_offsets(builder, ElementOffsets.of(layout))
    first = builder.binary("mul", bytes_, share)
    linear_indices = builder.binary(
        "add",
        select_registers(builder, first, [n for n in range(count) for _ in range(share)]),
        builder.constant_vector(list(range(share)) * count),
    )
    parts = read_windows(builder, windows, i8, linear_indices)
    shifts = builder.constant_vector([bits * n for n in range(share)] * count, i8)
    parts = builder.binary("shl", parts, shifts)
    packed = select_registers(builder, parts, range(0, share * count, share))
    for position in range(1, share):
        part = select_registers(builder, parts, range(position, share * count, share))
        packed = builder.binary("or", packed, part)
    builder.map(op.result, packed)


@lowers(UnpackOp)
def lower_unpack(builder: ThreadBuilder, op: UnpackOp) -> None:
    bits = _bits(op.result)
    windows = write_shared_tile(builder, builder.lookup(op.source), builder.layout(op.source))
    layout = builder.layout(op.result)
    element = register_type(get_element(op.result.type))
    if bits >= BYTE:
        result = read_reinterpreted(builder, windows, stored_type(element), layout, BYTE / bits)
        builder.map(op.result, from_shared_type(builder, result, element))
        return
    share, count = BYTE // bits, layout.registers
    linear_indices = emit_offsets(builder, ElementOffsets.of(layout))
    shift = builder.constant_vector([share.bit_length() - 1] * count)
    places = builder.binary("lshr", linear_indices, shift)
    bytes_ = read_windows(builder, windows, i8, places)
    within = builder.binary("and", linear_indices, share - 1)
    amount = builder.binary("mul", within, bits)
    amount = builder.emit(TruncIOp(amount, VectorType(i8, [count]))).result
    moved = builder.binary("lshr", bytes_, amount)
    mask = builder.constant_vector([(1 << bits) - 1] * count, i8)
    masked = builder.binary("and", moved, mask)
    builder.map(op.result, from_shared_type(builder, masked, element))
