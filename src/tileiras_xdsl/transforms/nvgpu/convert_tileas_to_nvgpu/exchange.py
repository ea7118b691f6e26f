"""Tiles in scratch memory, through which threads exchange elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, VectorType, i1, i8, i32, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, ExtUIOp, IndexCastOp, TruncIOp
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentLoadOp,
    FragmentStoreOp,
    count_lanes,
    element_bits,
)

from .barriers import sync_threads, take_scratch
from .thread_builder import ThreadBuilder
from .thread_index import apply_bases, is_owner
from .vectors import element_of, index_pointers, splat, with_element

VECTOR_BYTES = 16
"""The widest access of a thread to shared memory."""


def is_narrow(element: Attribute) -> bool:
    """Whether an integer is smaller than a byte."""
    return isinstance(element, IntegerType) and element.width.data < 8


def to_shared_type(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A fragment in the type that shared memory holds: at least a byte, integers for pointers."""
    element = element_of(value.type)
    if is_narrow(element):
        return builder.emit(ExtUIOp(value, with_element(value.type, i8))).result
    if isinstance(element, LLVMPointerType):
        return builder.emit(llvm.PtrToIntOp(value, with_element(value.type, i64))).results[0]
    return value


def from_shared_type(builder: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """A fragment that was read from shared memory in its own type: inverts `to_shared_type`."""
    if element == i1:
        zero = builder.constants([0] * count_lanes(value.type), i8)
        return builder.emit(CmpiOp(value, zero, "ne")).result
    if is_narrow(element):
        return builder.emit(TruncIOp(value, with_element(value.type, element))).result
    if isinstance(element, LLVMPointerType):
        return builder.emit(llvm.IntToPtrOp(value, with_element(value.type, element))).results[0]
    return value


def stored_type(element: Attribute) -> Attribute:
    """The type that elements have in shared memory."""
    if is_narrow(element):
        return i8
    return i64 if isinstance(element, LLVMPointerType) else element


@dataclass(frozen=True)
class ElementOffsets:
    """Element offsets of a thread: bases of lane and warp bits, and an offset per register."""

    lane: Sequence[int]
    warp: Sequence[int]
    registers: Sequence[int]

    @staticmethod
    def of(layout: LinearLayout) -> ElementOffsets:
        """The row-major offsets of the elements that a thread holds."""
        numbers = [layout.element(register=index) for index in range(layout.registers)]
        return ElementOffsets(layout.lane, layout.warp, numbers)

    @property
    def width(self) -> int:
        """The vector width: how many consecutive registers hold aligned, contiguous elements."""
        width = 1
        while (
            2 * width <= len(self.registers)
            and all(
                self.registers[start + i] == self.registers[start] + i
                and self.registers[start] % (2 * width) == 0
                for start in range(0, len(self.registers), 2 * width)
                for i in range(2 * width)
            )
            and all(basis % (2 * width) == 0 for basis in (*self.lane, *self.warp))
        ):
            width *= 2
        return width


def emit_offsets(builder: ThreadBuilder, offsets: ElementOffsets, step: int = 1) -> SSAValue:
    """The offsets of every `step`-th element, as a vector of i32."""
    numbers = builder.constants(list(offsets.registers[::step]))
    thread = apply_bases(builder, offsets.lane, offsets.warp)
    if thread is None:
        return numbers
    splatted = splat(builder, thread, len(offsets.registers) // step)
    return builder.emit(arith.XOrIOp(splatted, numbers)).result


def write_tile(
    builder: ThreadBuilder,
    address: SSAValue,
    value: SSAValue,
    offsets: ElementOffsets,
    owner: SSAValue | None,
) -> None:
    """Writes the elements of a fragment to their offsets, by the threads that own them."""
    value = to_shared_type(builder, value)
    element = element_of(value.type)
    size = element_bits(element) // 8
    width = min(offsets.width, VECTOR_BYTES // size)
    addresses = index_pointers(builder, address, emit_offsets(builder, offsets, width), element)
    mask = None if owner is None else splat(builder, owner, len(offsets.registers) // width)
    builder.emit(FragmentStoreOp(value, addresses, mask=mask, alignment=size * width))


def read_tile(
    builder: ThreadBuilder, address: SSAValue, element: Attribute, offsets: ElementOffsets
) -> SSAValue:
    """Reads the elements at some offsets."""
    stored = stored_type(element)
    size = element_bits(stored) // 8
    width = min(offsets.width, VECTOR_BYTES // size)
    addresses = index_pointers(builder, address, emit_offsets(builder, offsets, width), stored)
    result = VectorType(stored, [len(offsets.registers)])
    value = builder.emit(
        FragmentLoadOp(addresses, result_type=result, alignment=size * width)
    ).result
    return from_shared_type(builder, value, element)


def write_shared_tile(builder: ThreadBuilder, value: SSAValue, layout: LinearLayout) -> SSAValue:
    """Writes a whole tile to scratch memory, row-major, and synchronizes."""
    size = element_bits(stored_type(element_of(value.type))) // 8
    scratch = take_scratch(builder, layout.elements * size)
    write_tile(builder, scratch, value, ElementOffsets.of(layout), is_owner(builder, layout))
    sync_threads(builder)
    return scratch


def read_elements(
    builder: ThreadBuilder, scratch: SSAValue, element: Attribute, numbers: SSAValue
) -> SSAValue:
    """Reads the elements whose offsets are in a vector of i32."""
    stored = stored_type(element)
    addresses = index_pointers(builder, scratch, numbers, stored)
    result = VectorType(stored, [count_lanes(numbers.type)])
    size = element_bits(stored) // 8
    value = builder.emit(FragmentLoadOp(addresses, result_type=result, alignment=size)).result
    return from_shared_type(builder, value, element)


def as_i32(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A scalar integer as an i32."""
    ty = value.type
    if ty == i32:
        return value
    if not isinstance(ty, IntegerType):
        return builder.emit(IndexCastOp(value, i32)).result
    if ty.width.data > 32:
        return builder.emit(TruncIOp(value, i32)).result
    return builder.emit(ExtSIOp(value, i32)).result
