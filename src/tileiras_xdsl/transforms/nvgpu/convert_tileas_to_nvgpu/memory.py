"""
Accesses through pointers, and pointers themselves.

Accesses by tensors of pointers are vectorized as those to tiles of views are: pointers of
consecutive registers are contiguous, and one mask holds for a vector, as far as `nv_tileas.vector`
says.

A scalar is read by all threads, if the read is weak; otherwise the first thread reads it, and the
others get it from shared memory: another CTA may write between the reads of two threads, which
all have to agree. So it is with elements of a tile that several threads hold, which their owners
read. The first thread alone writes scalars.
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
    all_registers,
    encode,
    get_width,
    load_agreed,
    load_vectors,
    own_registers,
    owned,
    select_vectors,
    share,
    share_scalar,
    store_vectors,
)
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .thread_index import is_first_thread
from .vectors import all_of, extend_index, extract, index_pointer, splat

# Pointers


@lowers("nv_tileaa.addptr")
def lower_addptr(code: ThreadBuilder, op: AddPtrOp) -> None:
    base, offset = code.value(op.base), code.value(op.offset)
    if is_packed(op.elem_type):
        # A byte has two elements.
        wide = extend_index(code, offset)
        one = code.constant(1, i64)
        if isinstance(wide.type, VectorType):
            one = code.constants([1] * count_lanes(wide.type), i64)
        offset = code.emit(arith.ShRSIOp(wide, one)).result
    elif get_element(op.offset.type) == i1:
        # True is -1, as it is for LLVM, but not for everyone who reads this.
        offset = extend_index(code, offset)
    code.set(
        op.result, code.emit(index_pointer(base, offset, memory_type(op.elem_type), base.type))
    )


@lowers("nv_tileaa.int_to_ptr")
def lower_int_to_ptr(code: ThreadBuilder, op: IntToPtrOp) -> None:
    (source,), (result,) = op.operands, op.results
    code.set(result, code.emit(llvm.IntToPtrOp(code.value(source), code.type(result))))


@lowers("nv_tileaa.ptr_to_int")
def lower_ptr_to_int(code: ThreadBuilder, op: PtrToIntOp) -> None:
    (source,), (result,) = op.operands, op.results
    code.set(result, code.emit(llvm.PtrToIntOp(code.value(source), code.type(result))))


# Loads


@lowers("nv_tileas.load")
def lower_load(code: ThreadBuilder, op: PointerLoad) -> None:
    order = Order.of(code, op)
    if isinstance(op.result.type, TensorType):
        result = _load_tensor(code, op, order)
    else:
        result = _load_scalar(code, op, order)
    code.set(op.result, result)


def _load_tensor(code: ThreadBuilder, op: PointerLoad, order: Order) -> SSAValue:
    full = code.layout(op.result)
    check_layouts(code, op, op.result)
    layout = full.compressed()
    element = get_element(op.result.type)
    width = get_width(op, layout, element)
    addresses = own_registers(code, code.value(op.pointer), full)
    mask = other = None
    if op.mask is not None:
        mask = select_vectors(code, own_registers(code, code.value(op.mask), full), width)
        if op.other is not None:
            other = encode(code, own_registers(code, code.value(op.other), full), element)
    access = VectorAccess(select_vectors(code, addresses, width), mask, width)
    result = load_agreed(code, access, layout, element, order, other)
    return all_registers(code, result, full)


def _load_scalar(code: ThreadBuilder, op: PointerLoad, order: Order) -> SSAValue:
    element = op.result.type
    mask = None if op.mask is None else splat(code, code.value(op.mask), 1)
    other = None
    if op.mask is not None and op.other is not None:
        other = encode(code, splat(code, code.value(op.other), 1), element)
    if not order.is_weak:
        mask = all_of(code, [mask, splat(code, is_first_thread(code), 1)])
    access = VectorAccess(splat(code, code.value(op.pointer), 1), mask, 1)
    result = load_vectors(code, access, element, order, other)
    if not order.is_weak:
        result = share_scalar(code, result, element)
    return extract(code, result, 0)


def check_layouts(code: ThreadBuilder, op: Operation, value: SSAValue) -> None:
    """Fails unless all tensors of an access have the layout of one of them."""
    layout = code.layout(value)
    for each in (*op.operands, *op.results):
        if isinstance(each.type, TensorType) and code.layout(each) != layout:
            fail(op, f"expects the layout of '{value.type}', but got '{each.type}'")


# What threads change


class Elements:
    """
    What a store or an atomic through pointers changes, as vectors: the elements of a tensor that a
    thread holds, without copies, or a scalar.
    """

    def __init__(self, code: ThreadBuilder, op: Operation, value: SSAValue):
        self.code = code
        self.value = value
        self.element = get_element(value.type)
        self.is_tensor = isinstance(value.type, TensorType)
        if self.is_tensor:
            check_layouts(code, op, value)
            self.layout = code.layout(value).compressed()

    def get(self, value: SSAValue) -> SSAValue:
        """The elements of an operand."""
        if self.is_tensor:
            return own_registers(self.code, self.code.value(value), self.code.layout(self.value))
        return splat(self.code, self.code.value(value), 1)

    def mask(self, mask: SSAValue | None, width: int = 1) -> SSAValue | None:
        """Which vectors the thread updates: those that it owns; scalars are the first thread's."""
        given = None if mask is None else select_vectors(self.code, self.get(mask), width)
        if self.is_tensor:
            return owned(self.code, self.layout, given, self.layout.registers // width)
        return all_of(self.code, [given, splat(self.code, is_first_thread(self.code), 1)])

    def finish(self, old: SSAValue) -> None:
        """Gives what was there to all threads that need it."""
        code = self.code
        if not self.is_tensor:
            code.set(self.value, extract(code, share_scalar(code, old, self.element), 0))
            return
        shared = share(code, old, self.layout, self.element)
        code.set(self.value, all_registers(code, shared, code.layout(self.value)))


@lowers("nv_tileas.store")
def lower_store(code: ThreadBuilder, op: PointerStore) -> None:
    order = Order.of(code, op)
    elements = Elements(code, op, op.value)
    width = get_width(op, elements.layout, elements.element) if elements.is_tensor else 1
    mask = elements.mask(op.mask, width)
    addresses, value = elements.get(op.pointer), elements.get(op.value)
    access = VectorAccess(select_vectors(code, addresses, width), mask, width)
    store_vectors(code, access, value, elements.element, order)
