"""
Accesses through pointers, and pointers themselves.

Accesses by tensors of pointers are vectorized as those to tiles of views are: pointers of
consecutive registers are contiguous, and one mask holds for a vector, as far as `nv_tileas.vector`
says.

A scalar is read by all threads, if the read is weak; otherwise the first thread reads it, and the
others get it from shared memory: another CTA may write between the reads of two threads, which
all have to agree. The same goes for elements of a tile that several threads hold: their owners read
them. The first thread alone writes scalars.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, VectorType, i1, i64
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import IntToPtrOp, PtrToIntOp
from tileiras_xdsl.dialects.nv_tileaa.memory import AddPtrOp, PointerLoad, PointerStore
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import is_packed, memory_type
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .accesses import (
    Order,
    VectorAccess,
    broadcast_from_owners,
    broadcast_scalar,
    encode,
    get_width,
    load_consistent,
    load_vectors,
    owned,
    replicated_registers,
    select_vectors,
    store_vectors,
    unique_registers,
)
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder
from .thread_index import is_first_thread
from .vectors import all_of, extend_index, extract, index_pointer, splat

# Pointers


@lowers("nv_tileaa.addptr")
def lower_addptr(builder: ThreadBuilder, op: AddPtrOp) -> None:
    base, offset = builder.lookup(op.base), builder.lookup(op.offset)
    if is_packed(op.elem_type):
        # A byte has two elements.
        wide = extend_index(builder, offset)
        one = builder.constant(1, i64)
        if isinstance(wide.type, VectorType):
            one = builder.constant_vector([1] * count_lanes(wide.type), i64)
        offset = builder.emit(arith.ShRSIOp(wide, one)).result
    elif get_element(op.offset.type) == i1:
        # True is -1, as it is for LLVM, but not for everyone who reads this.
        offset = extend_index(builder, offset)
    builder.map(
        op.result, builder.emit(index_pointer(base, offset, memory_type(op.elem_type), base.type))
    )


@lowers("nv_tileaa.int_to_ptr")
def lower_int_to_ptr(builder: ThreadBuilder, op: IntToPtrOp) -> None:
    (source,), (result,) = op.operands, op.results
    builder.map(
        result,
        builder.emit(llvm.IntToPtrOp(builder.lookup(source), builder.converted_type(result))),
    )


@lowers("nv_tileaa.ptr_to_int")
def lower_ptr_to_int(builder: ThreadBuilder, op: PtrToIntOp) -> None:
    (source,), (result,) = op.operands, op.results
    builder.map(
        result,
        builder.emit(llvm.PtrToIntOp(builder.lookup(source), builder.converted_type(result))),
    )


# Loads


@lowers("nv_tileas.load")
def lower_load(builder: ThreadBuilder, op: PointerLoad) -> None:
    order = Order.of(builder, op)
    if isinstance(op.result.type, TensorType):
        result = _load_tensor(builder, op, order)
    else:
        result = _load_scalar(builder, op, order)
    builder.map(op.result, result)


def _load_tensor(builder: ThreadBuilder, op: PointerLoad, order: Order) -> SSAValue:
    full = builder.layout(op.result)
    check_layouts(builder, op, op.result)
    layout = full.compressed()
    element = get_element(op.result.type)
    width = get_width(op, layout, element)
    addresses = unique_registers(builder, builder.lookup(op.pointer), full)
    mask = other = None
    if op.mask is not None:
        mask = select_vectors(
            builder, unique_registers(builder, builder.lookup(op.mask), full), width
        )
        if op.other is not None:
            other = encode(
                builder, unique_registers(builder, builder.lookup(op.other), full), element
            )
    access = VectorAccess(select_vectors(builder, addresses, width), mask, width)
    result = load_consistent(builder, access, layout, element, order, other)
    return replicated_registers(builder, result, full)


def _load_scalar(builder: ThreadBuilder, op: PointerLoad, order: Order) -> SSAValue:
    element = op.result.type
    mask = None if op.mask is None else splat(builder, builder.lookup(op.mask), 1)
    other = None
    if op.mask is not None and op.other is not None:
        other = encode(builder, splat(builder, builder.lookup(op.other), 1), element)
    if not order.is_weak:
        mask = all_of(builder, [mask, splat(builder, is_first_thread(builder), 1)])
    access = VectorAccess(splat(builder, builder.lookup(op.pointer), 1), mask, 1)
    result = load_vectors(builder, access, element, order, other)
    if not order.is_weak:
        result = broadcast_scalar(builder, result, element)
    return extract(builder, result, 0)


def check_layouts(builder: ThreadBuilder, op: Operation, value: SSAValue) -> None:
    """Fails unless all tensors of an access have the layout of one of them."""
    layout = builder.layout(value)
    for each in (*op.operands, *op.results):
        if isinstance(each.type, TensorType) and builder.layout(each) != layout:
            fail(op, f"expects the layout of '{value.type}', but got '{each.type}'")


# What threads change


class Elements:
    """
    What a store or an atomic through pointers changes, as vectors: the elements of a tensor that a
    thread holds, without copies, or a scalar.
    """

    def __init__(self, builder: ThreadBuilder, op: Operation, value: SSAValue):
        self.builder = builder
        self.value = value
        self.element = get_element(value.type)
        self.is_tensor = isinstance(value.type, TensorType)
        if self.is_tensor:
            check_layouts(builder, op, value)
            self.layout = builder.layout(value).compressed()

    def get(self, value: SSAValue) -> SSAValue:
        """The elements of an operand."""
        if self.is_tensor:
            return unique_registers(
                self.builder, self.builder.lookup(value), self.builder.layout(self.value)
            )
        return splat(self.builder, self.builder.lookup(value), 1)

    def mask(self, mask: SSAValue | None, width: int = 1) -> SSAValue | None:
        """Which vectors the thread updates: those that it owns; scalars are the first thread's."""
        given = None if mask is None else select_vectors(self.builder, self.get(mask), width)
        if self.is_tensor:
            return owned(self.builder, self.layout, given, self.layout.registers // width)
        return all_of(self.builder, [given, splat(self.builder, is_first_thread(self.builder), 1)])

    def finish(self, old: SSAValue) -> None:
        """Gives what was there to all threads that need it."""
        builder = self.builder
        if not self.is_tensor:
            builder.map(
                self.value, extract(builder, broadcast_scalar(builder, old, self.element), 0)
            )
            return
        shared = broadcast_from_owners(builder, old, self.layout, self.element)
        builder.map(self.value, replicated_registers(builder, shared, builder.layout(self.value)))


@lowers("nv_tileas.store")
def lower_store(builder: ThreadBuilder, op: PointerStore) -> None:
    order = Order.of(builder, op)
    elements = Elements(builder, op, op.value)
    width = get_width(op, elements.layout, elements.element) if elements.is_tensor else 1
    mask = elements.mask(op.mask, width)
    addresses, value = elements.get(op.pointer), elements.get(op.value)
    access = VectorAccess(select_vectors(builder, addresses, width), mask, width)
    store_vectors(builder, access, value, elements.element, order)
