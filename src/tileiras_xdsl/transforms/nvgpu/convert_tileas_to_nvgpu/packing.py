"""`pack` and `unpack`: reinterpret the bits as elements of another size, through shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, i8
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.arith import TruncIOp
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.matmul import PackOp, UnpackOp
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import register_type

from .exchange import (
    ElementOffsets,
    Window,
    emit_offsets,
    from_shared_type,
    read_elements,
    read_tile,
    read_windows,
    stored_type,
    write_shared_tile,
)
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder
from .vectors import select_registers

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


@lowers("nv_tileaa.pack")
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
    first = builder.emit(arith.MuliOp(bytes_, builder.constant_vector([share] * count))).result
    linear_indices = builder.emit(
        arith.AddiOp(
            select_registers(builder, first, [n for n in range(count) for _ in range(share)]),
            builder.constant_vector(list(range(share)) * count),
        )
    ).result
    parts = read_windows(builder, windows, i8, linear_indices)
    shifts = builder.constant_vector([bits * n for n in range(share)] * count, i8)
    parts = builder.emit(arith.ShLIOp(parts, shifts)).result
    packed = select_registers(builder, parts, range(0, share * count, share))
    for position in range(1, share):
        part = select_registers(builder, parts, range(position, share * count, share))
        packed = builder.emit(arith.OrIOp(packed, part)).result
    builder.map(op.result, packed)


@lowers("nv_tileaa.unpack")
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
    places = builder.emit(arith.ShRUIOp(linear_indices, shift)).result
    bytes_ = read_windows(builder, windows, i8, places)
    within = builder.emit(
        arith.AndIOp(linear_indices, builder.constant_vector([share - 1] * count))
    ).result
    amount = builder.emit(arith.MuliOp(within, builder.constant_vector([bits] * count))).result
    amount = builder.emit(TruncIOp(amount, VectorType(i8, [count]))).result
    moved = builder.emit(arith.ShRUIOp(bytes_, amount)).result
    mask = builder.constant_vector([(1 << bits) - 1] * count, i8)
    masked = builder.emit(arith.AndIOp(moved, mask)).result
    builder.map(op.result, from_shared_type(builder, masked, element))
