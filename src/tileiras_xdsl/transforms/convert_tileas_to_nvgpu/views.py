"""
Tiles of views: addresses and bounds.

A tile is accessed in pieces of as many consecutive registers as the op's `nv_tileas.vector` says,
which whoever chose the layout has proved to be aligned, consecutive in memory, and inside or
outside of the tensor as a whole. Bounds are checked along the dimensions that `in_bounds` does
not exempt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType, i1, i8, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.arith import CmpiOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import (
    BlockTileOp,
    MakeMemrefOp,
    TiledAccess,
    TileLoad,
    TileStore,
)
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentLoadOp,
    FragmentStoreOp,
    element_bits,
)

from .thread_code import ThreadCode, index_pointer, lowers
from .types import register_type

VECTOR = "nv_tileas.vector"
"""How many elements of a tile an instruction accesses."""

Number = int | SSAValue
"""A number that is known, or an i64."""


@dataclass(frozen=True)
class Tensor:
    """A strided tensor in memory."""

    base: SSAValue
    sizes: Sequence[Number]
    strides: Sequence[Number]


@lowers("nv_tileaa.make_memref")
def lower_make_memref(code: ThreadCode, op: MakeMemrefOp) -> None:
    type = op.result.type
    assert isinstance(type, MemRefType)
    base = code.value(op.base)
    if op.offset is not None:
        offset = code.widen(code.value(op.offset))
        base = move(code, base, offset, memory_type(type.element_type))
    numbers = [code.widen(code.value(value)) for value in (*op.sizes, *op.strides)]
    code.set(op.result, base, *numbers)


@lowers("nv_tileaa.block_tile")
def lower_block_tile(code: ThreadCode, op: BlockTileOp) -> None:
    code.set(op.result, *code.parts(op.memref))


def get_tensor(code: ThreadCode, view: SSAValue) -> Tensor:
    """The tensor that a view, or a tile of it, is of."""
    type = view.type
    memref = type.memref if isinstance(type, TiledViewType) else type
    assert isinstance(memref, MemRefType)
    base, *dynamic = code.parts(view)
    rest = iter(dynamic)
    sizes = [next(rest) if size is None else size for size in memref.shape.data]
    strides = [next(rest) if stride is None else stride for stride in memref.strides.data]
    return Tensor(base, sizes, strides)


def memory_type(element: Attribute) -> Attribute:
    """The type that an element has in memory."""
    return i8 if element == i1 else register_type(element)


def multiply(code: ThreadCode, first: Number, second: Number) -> Number:
    """A product of i64."""
    if isinstance(first, int):
        first, second = second, first
    if isinstance(first, int) and isinstance(second, int):
        return first * second
    if second == 1:
        return first
    if second == 0:
        return 0
    return code.emit(arith.MuliOp(value_of(code, first), value_of(code, second))).result


def add(code: ThreadCode, first: Number, second: Number) -> Number:
    """A sum of i64."""
    if isinstance(first, int) and isinstance(second, int):
        return first + second
    if first == 0:
        return second
    if second == 0:
        return first
    return code.emit(arith.AddiOp(value_of(code, first), value_of(code, second))).result


def value_of(code: ThreadCode, number: Number, type: IntegerType = i64) -> SSAValue:
    """A number as a value."""
    return code.constant(number, type) if isinstance(number, int) else number


def move(code: ThreadCode, base: SSAValue, offset: SSAValue, element: Attribute) -> SSAValue:
    """A pointer moved by so many elements."""
    return code.emit(index_pointer(base, offset, element, base.type)).result


@dataclass(frozen=True)
class Pieces:
    """How a thread accesses its part of a tile."""

    addresses: SSAValue
    mask: SSAValue | None
    alignment: int


def get_pieces(
    code: ThreadCode,
    op: TiledAccess,
    view: SSAValue,
    indices: Sequence[SSAValue],
    layout: LinearLayout,
) -> Pieces:
    """The addresses of the pieces of a tile, and which of them lie in the tensor."""
    type = view.type
    assert isinstance(type, TiledViewType)
    tensor = get_tensor(code, view)
    width = get_width(op, layout)
    count = layout.registers // width
    element = memory_type(type.element_type)
    in_bounds = [False] * type.rank
    if op.in_bounds is not None:
        in_bounds = [bool(flag) for flag in op.in_bounds.get_values()]

    base = tensor.base
    origin_offset: Number = 0
    offsets: SSAValue | None = None
    constant_offsets = [0] * count
    masks: list[SSAValue | None] = []
    for dim, (step, index) in enumerate(zip(type.get_steps(), indices, strict=True)):
        stride = tensor.strides[type.get_dim_map()[dim]]
        size = tensor.sizes[type.get_dim_map()[dim]]
        origin = multiply(code, code.widen(code.value(index)), step)
        origin_offset = add(code, origin_offset, multiply(code, origin, stride))
        thread, registers = code.coordinate_parts(layout, dim, width)
        if isinstance(stride, int) and thread is None:
            constant_offsets = [
                old + stride * coordinate
                for old, coordinate in zip(constant_offsets, registers, strict=True)
            ]
        else:
            coordinates = code.widen(code.coordinates(layout, dim, width))
            scale = code.splat(value_of(code, stride), count)
            if stride != 1:
                coordinates = code.emit(arith.MuliOp(coordinates, scale)).result
            offsets = _sum(code, offsets, coordinates)
        if not in_bounds[dim]:
            masks.append(_check_bounds(code, layout, dim, width, origin, size))
    if any(constant_offsets):
        offsets = _sum(code, offsets, code.constants(constant_offsets, i64))
    if offsets is None:
        offsets = code.constants([0] * count, i64)
    if origin_offset != 0:
        base = move(code, base, value_of(code, origin_offset), element)
    return Pieces(
        code.addresses(base, offsets, element),
        code.all_of(masks),
        width * element_bits(element) // 8,
    )


def get_width(op: Operation, layout: LinearLayout) -> int:
    """How many elements an instruction accesses."""
    match op.attributes.get(VECTOR):
        case IntegerAttr() as number:
            return min(number.value.data, layout.registers)
        case _:
            return 1


def _sum(code: ThreadCode, first: SSAValue | None, second: SSAValue) -> SSAValue:
    return second if first is None else code.emit(arith.AddiOp(first, second)).result


def _check_bounds(
    code: ThreadCode, layout: LinearLayout, dim: int, width: int, origin: Number, size: Number
) -> SSAValue:
    """
    Which pieces lie in the tensor along a dimension. How much of the tile does is the same for
    all threads and fits 32 bits, so that is what coordinates are compared with.
    """
    extent = layout.shape[dim]
    negated = multiply(code, origin, -1)
    inside = value_of(code, add(code, size, negated))
    inside = code.emit(arith.MaxSIOp(inside, code.constant(0, i64))).result
    inside = code.emit(arith.MinSIOp(inside, code.constant(extent, i64))).result
    end = code.emit(TruncIOp(inside, i32)).result
    start = code.emit(arith.MinSIOp(value_of(code, negated), code.constant(extent, i64))).result
    start = code.emit(arith.MaxSIOp(start, code.constant(0, i64))).result
    start = code.emit(TruncIOp(start, i32)).result
    coordinates = code.coordinates(layout, dim, width)
    count = layout.registers // width
    below = CmpiOp(coordinates, code.splat(end, count), "slt")
    above = CmpiOp(coordinates, code.splat(start, count), "sge")
    return code.emit(arith.AndIOp(code.emit(below), code.emit(above))).result


@lowers("nv_tileas.tiled_load")
def lower_tiled_load(code: ThreadCode, op: TileLoad) -> None:
    layout = code.layout(op.result)
    pieces = get_pieces(code, op, op.view, op.indices, layout)
    type = code.type(op.result)
    assert isinstance(type, VectorType)
    load = FragmentLoadOp(pieces.addresses, type, mask=pieces.mask, alignment=pieces.alignment)
    code.set(op.result, code.emit(load))


@lowers("nv_tileas.tiled_store")
def lower_tiled_store(code: ThreadCode, op: TileStore) -> None:
    layout = code.layout(op.value)
    pieces = get_pieces(code, op, op.view, op.indices, layout)
    mask = pieces.mask
    owner = code.is_owner(layout)
    if owner is not None:
        count = layout.registers // get_width(op, layout)
        mask = code.all_of([mask, code.splat(owner, count)])
    code.emit(
        FragmentStoreOp(
            code.value(op.value), pieces.addresses, mask=mask, alignment=pieces.alignment
        )
    )
