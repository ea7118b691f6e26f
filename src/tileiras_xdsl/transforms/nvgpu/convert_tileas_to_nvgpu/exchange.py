"""Tiles in scratch memory, for threads to exchange elements."""

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

PIECE_BYTES = 16


def is_narrow(element: Attribute) -> bool:
    """Whether an integer is smaller than a byte."""
    return isinstance(element, IntegerType) and element.width.data < 8


def storable(code: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A fragment of what shared memory holds: bytes at least, integers for pointers."""
    element = element_of(value.type)
    if is_narrow(element):
        return code.emit(ExtUIOp(value, with_element(value.type, i8))).result
    if isinstance(element, LLVMPointerType):
        return code.emit(llvm.PtrToIntOp(value, with_element(value.type, i64))).results[0]
    return value


def loaded(code: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """What a fragment was before it was made storable."""
    if element == i1:
        zero = code.constants([0] * count_lanes(value.type), i8)
        return code.emit(CmpiOp(value, zero, "ne")).result
    if is_narrow(element):
        return code.emit(TruncIOp(value, with_element(value.type, element))).result
    if isinstance(element, LLVMPointerType):
        return code.emit(llvm.IntToPtrOp(value, with_element(value.type, element))).results[0]
    return value


def stored_type(element: Attribute) -> Attribute:
    """The type that elements have in shared memory."""
    if is_narrow(element):
        return i8
    return i64 if isinstance(element, LLVMPointerType) else element


@dataclass(frozen=True)
class Places:
    """Where a thread finds elements: numbers that lane and warp, and registers, flip."""

    lane: Sequence[int]
    warp: Sequence[int]
    registers: Sequence[int]

    @staticmethod
    def of(layout: LinearLayout) -> Places:
        """The row-major numbers of the elements that a thread holds."""
        numbers = [layout.element(register=index) for index in range(layout.registers)]
        return Places(layout.lane, layout.warp, numbers)

    @property
    def width(self) -> int:
        """How many neighbours are in consecutive registers, from a multiple of their number on."""
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


def numbers_of(code: ThreadBuilder, places: Places, step: int = 1) -> SSAValue:
    """The numbers of every `step`-th element, as a vector of i32."""
    numbers = code.constants(list(places.registers[::step]))
    thread = apply_bases(code, places.lane, places.warp)
    if thread is None:
        return numbers
    lanes = splat(code, thread, len(places.registers) // step)
    return code.emit(arith.XOrIOp(lanes, numbers)).result


def write_tile(
    code: ThreadBuilder,
    address: SSAValue,
    value: SSAValue,
    places: Places,
    owner: SSAValue | None,
) -> None:
    """Writes the elements of a fragment to their numbers, by the threads that own them."""
    value = storable(code, value)
    element = element_of(value.type)
    size = element_bits(element) // 8
    width = min(places.width, PIECE_BYTES // size)
    addresses = index_pointers(code, address, numbers_of(code, places, width), element)
    mask = None if owner is None else splat(code, owner, len(places.registers) // width)
    code.emit(FragmentStoreOp(value, addresses, mask=mask, alignment=size * width))


def read_tile(
    code: ThreadBuilder, address: SSAValue, element: Attribute, places: Places
) -> SSAValue:
    """Reads the elements at some numbers."""
    stored = stored_type(element)
    size = element_bits(stored) // 8
    width = min(places.width, PIECE_BYTES // size)
    addresses = index_pointers(code, address, numbers_of(code, places, width), stored)
    result = VectorType(stored, [len(places.registers)])
    value = code.emit(FragmentLoadOp(addresses, result_type=result, alignment=size * width)).result
    return loaded(code, value, element)


def share_tile(code: ThreadBuilder, value: SSAValue, layout: LinearLayout) -> SSAValue:
    """A whole tile in scratch memory, by row-major numbers, behind a barrier."""
    size = element_bits(stored_type(element_of(value.type))) // 8
    scratch = take_scratch(code, layout.elements * size)
    write_tile(code, scratch, value, Places.of(layout), is_owner(code, layout))
    sync_threads(code)
    return scratch


def read_elements(
    code: ThreadBuilder, scratch: SSAValue, element: Attribute, numbers: SSAValue
) -> SSAValue:
    """Reads the elements whose numbers are in a vector of i32."""
    stored = stored_type(element)
    addresses = index_pointers(code, scratch, numbers, stored)
    result = VectorType(stored, [count_lanes(numbers.type)])
    size = element_bits(stored) // 8
    value = code.emit(FragmentLoadOp(addresses, result_type=result, alignment=size)).result
    return loaded(code, value, element)


def as_i32(code: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A scalar integer as an i32."""
    ty = value.type
    if ty == i32:
        return value
    if not isinstance(ty, IntegerType):
        return code.emit(IndexCastOp(value, i32)).result
    if ty.width.data > 32:
        return code.emit(TruncIOp(value, i32)).result
    return code.emit(ExtSIOp(value, i32)).result
