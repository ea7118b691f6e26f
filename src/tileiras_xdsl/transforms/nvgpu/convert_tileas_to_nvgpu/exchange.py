"""Tiles in scratch memory, through which threads exchange elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

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
from tileiras_xdsl.transforms.tileas.kernel_model.exchanges import window_elements

from .barriers import sync_threads, take_scratch
from .thread_builder import ThreadBuilder
from .thread_index import apply_bases, is_owner
from .vectors import element_of, index_pointers, select_registers, splat, with_element

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
        zero = builder.constant_vector([0] * count_lanes(value.type), i8)
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
        linear_indices = [layout.element(register=index) for index in range(layout.registers)]
        return ElementOffsets(layout.lane, layout.warp, linear_indices)

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
    linear_indices = builder.constant_vector(list(offsets.registers[::step]))
    thread = apply_bases(builder, offsets.lane, offsets.warp)
    if thread is None:
        return linear_indices
    splatted = splat(builder, thread, len(offsets.registers) // step)
    return builder.emit(arith.XOrIOp(splatted, linear_indices)).result


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


@dataclass(frozen=True)
class Window:
    """The part of a row-major tile that is in scratch memory."""

    scratch: SSAValue
    index: int
    """How many windows come before it."""
    elements: int
    is_whole: bool
    """Whether it is the whole tile."""

    def locate(
        self, builder: ThreadBuilder, linear_indices: SSAValue
    ) -> tuple[SSAValue, SSAValue | None]:
        """
        Where elements of the tile are in the window, and which of them are in it; `None` if all
        are.
        """
        if self.is_whole:
            return linear_indices, None
        count = count_lanes(linear_indices.type)
        bits = self.elements.bit_length() - 1
        window = builder.emit(
            arith.ShRUIOp(linear_indices, builder.constant_vector([bits] * count))
        ).result
        mask = builder.emit(
            CmpiOp(window, builder.constant_vector([self.index] * count), "eq")
        ).result
        within = builder.constant_vector([self.elements - 1] * count)
        return builder.emit(arith.AndIOp(linear_indices, within)).result, mask


def write_shared_tile(
    builder: ThreadBuilder, value: SSAValue, layout: LinearLayout
) -> Iterator[Window]:
    """
    Writes a tile to scratch memory, row-major, and synchronizes: the whole tile, or if that does
    not fit one window of it after the other. The first window is written by the call, the others
    when the iterator gets there, so that the one before has been read.
    """
    windows = _share_windows(builder, value, layout)
    return chain([next(windows)], windows)


def _share_windows(
    builder: ThreadBuilder, value: SSAValue, layout: LinearLayout
) -> Iterator[Window]:
    size = element_bits(stored_type(element_of(value.type))) // 8
    elements = window_elements(layout.elements, size, builder.kernel.scratch_budget)
    for index in range(layout.elements // elements):
        scratch = take_scratch(builder, elements * size)
        window = Window(scratch, index, elements, elements == layout.elements)
        write_window(builder, window, value, layout)
        sync_threads(builder)
        yield window


def write_window(
    builder: ThreadBuilder, window: Window, value: SSAValue, layout: LinearLayout
) -> None:
    """The owners of elements in a window of a tile write them to it."""
    owner, offsets = is_owner(builder, layout), ElementOffsets.of(layout)
    if window.is_whole:
        write_tile(builder, window.scratch, value, offsets, owner)
        return
    size = window.elements
    lane, warp = ([basis % size for basis in bases] for bases in (offsets.lane, offsets.warp))
    # The window of an element is that of its register, XORed with what the thread adds.
    thread = apply_bases(
        builder,
        [basis // size for basis in offsets.lane],
        [basis // size for basis in offsets.warp],
    )
    groups: dict[int, list[int]] = {}
    for register, offset in enumerate(offsets.registers):
        groups.setdefault(offset // size ^ window.index, []).append(register)
    for wanted, registers in groups.items():
        condition = owner
        if thread is not None:
            condition = builder.emit(CmpiOp(thread, builder.constant(wanted), "eq")).result
            if owner is not None:
                condition = builder.emit(arith.AndIOp(condition, owner)).result
        elif wanted:
            continue
        places = ElementOffsets(lane, warp, [offsets.registers[each] % size for each in registers])
        part = select_registers(builder, value, registers)
        write_tile(builder, window.scratch, part, places, condition)


def read_elements(
    builder: ThreadBuilder,
    scratch: SSAValue,
    element: Attribute,
    linear_indices: SSAValue,
    mask: SSAValue | None = None,
    other: SSAValue | None = None,
) -> SSAValue:
    """
    Reads the elements whose offsets are in a vector of i32; where a mask is false, they are those
    of `other`, or 0.
    """
    stored = stored_type(element)
    addresses = index_pointers(builder, scratch, linear_indices, stored)
    result = VectorType(stored, [count_lanes(linear_indices.type)])
    size = element_bits(stored) // 8
    if other is not None:
        other = to_shared_type(builder, other)
    load = FragmentLoadOp(addresses, mask=mask, other=other, result_type=result, alignment=size)
    return from_shared_type(builder, builder.emit(load).result, element)


def read_windows(
    builder: ThreadBuilder,
    windows: Iterator[Window],
    element: Attribute,
    linear_indices: SSAValue,
) -> SSAValue:
    """Reads elements of a tile, by their linear indices, from all its windows."""
    found: SSAValue | None = None
    for window in windows:
        places, mask = window.locate(builder, linear_indices)
        found = read_elements(builder, window.scratch, element, places, mask, found)
    assert found is not None
    return found


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
