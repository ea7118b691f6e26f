"""`pack` and `unpack`: reinterpret the bits as elements of another size, through shared memory."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, i8
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.arith import TruncIOp
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.matmul import PackOp, UnpackOp
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import register_type

from .exchange import (
    ElementOffsets,
    emit_offsets,
    loaded,
    read_elements,
    read_tile,
    share_tile,
    stored_type,
)
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .vectors import select_registers

BYTE = 8


def _bits(value: SSAValue) -> int:
    return element_bit_width(get_element(value.type))


@lowers("nv_tileaa.pack")
def lower_pack(code: ThreadBuilder, op: PackOp) -> None:
    bits = _bits(op.source)
    scratch = share_tile(code, code.value(op.source), code.layout(op.source))
    layout = code.layout(op.result)
    if bits >= BYTE:
        result = read_tile(code, scratch, i8, ElementOffsets.of(layout))
        code.set(op.result, result)
        return
    # In shared memory each sub-byte element has a byte of its own.
    share, count = BYTE // bits, layout.registers
    bytes_ = emit_offsets(code, ElementOffsets.of(layout))
    first = code.emit(arith.MuliOp(bytes_, code.constants([share] * count))).result
    numbers = code.emit(
        arith.AddiOp(
            select_registers(code, first, [n for n in range(count) for _ in range(share)]),
            code.constants(list(range(share)) * count),
        )
    ).result
    parts = read_elements(code, scratch, i8, numbers)
    shifts = code.constants([bits * n for n in range(share)] * count, i8)
    parts = code.emit(arith.ShLIOp(parts, shifts)).result
    packed = select_registers(code, parts, range(0, share * count, share))
    for number in range(1, share):
        part = select_registers(code, parts, range(number, share * count, share))
        packed = code.emit(arith.OrIOp(packed, part)).result
    code.set(op.result, packed)


@lowers("nv_tileaa.unpack")
def lower_unpack(code: ThreadBuilder, op: UnpackOp) -> None:
    bits = _bits(op.result)
    scratch = share_tile(code, code.value(op.source), code.layout(op.source))
    layout = code.layout(op.result)
    element = register_type(get_element(op.result.type))
    if bits >= BYTE:
        result = read_tile(code, scratch, stored_type(element), ElementOffsets.of(layout))
        code.set(op.result, loaded(code, result, element))
        return
    share, count = BYTE // bits, layout.registers
    numbers = emit_offsets(code, ElementOffsets.of(layout))
    shift = code.constants([share.bit_length() - 1] * count)
    bytes_ = read_elements(code, scratch, i8, code.emit(arith.ShRUIOp(numbers, shift)).result)
    within = code.emit(arith.AndIOp(numbers, code.constants([share - 1] * count))).result
    amount = code.emit(arith.MuliOp(within, code.constants([bits] * count))).result
    amount = code.emit(TruncIOp(amount, VectorType(i8, [count]))).result
    moved = code.emit(arith.ShRUIOp(bytes_, amount)).result
    mask = code.constants([(1 << bits) - 1] * count, i8)
    masked = code.emit(arith.AndIOp(moved, mask)).result
    code.set(op.result, loaded(code, masked, element))
