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

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, TensorType, VectorType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info import AxisInfo
from tileiras_xdsl.analysis.linear_layout import LinearLayout, unflatten
from tileiras_xdsl.analysis.matrix_layouts import widest_atomic_add
from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import IntToPtrOp, PtrToIntOp
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    AddPtrOp,
    AtomicCASOp,
    AtomicRMWOp,
    PointerLoad,
)
from tileiras_xdsl.dialects.nv_tileaa.views import TileUpdate
from tileiras_xdsl.dialects.nv_tileas.memory import LoadOp, StoreOp
from tileiras_xdsl.dialects.nvvm import GLOBAL_POINTER
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentAtomicRMWOp,
    FragmentCmpXchgOp,
    count_lanes,
    element_bits,
)
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import is_packed, memory_type
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
from .thread_builder import (
    ThreadBuilder,
    all_of,
    element_of,
    extend_index,
    extract,
    index_pointer,
    select_registers,
    splat,
)
from .thread_index import is_first_thread
from .views import get_tensor, get_tile_access

# Pointers


@lowers(AddPtrOp)
def lower_addptr(builder: ThreadBuilder, op: AddPtrOp) -> None:
    base, offset = builder.lookup(op.base), builder.lookup(op.offset)
    if is_packed(op.elem_type):
        # A byte has two elements.
        wide = extend_index(builder, offset)
        one = builder.constant(1, i64)
        if isinstance(wide.type, VectorType):
            one = builder.constant_vector([1] * count_lanes(wide.type), i64)
        offset = builder.binary("ashr", wide, one)
    elif get_element(op.offset.type) == i1:
        # True is -1, as it is for LLVM, but not for everyone who reads this.
        offset = extend_index(builder, offset)
    builder.map(
        op.result, builder.emit(index_pointer(base, offset, memory_type(op.elem_type), base.type))
    )


@lowers(IntToPtrOp, PtrToIntOp)
def lower_pointer_cast(builder: ThreadBuilder, op: IntToPtrOp | PtrToIntOp) -> None:
    (source,), (result,) = op.operands, op.results
    cast = llvm.IntToPtrOp if isinstance(op, IntToPtrOp) else llvm.PtrToIntOp
    builder.map(result, builder.emit(cast(builder.lookup(source), builder.converted_type(result))))


# Loads


@lowers(LoadOp)
def lower_load(builder: ThreadBuilder, op: LoadOp) -> None:
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


@lowers(StoreOp)
def lower_store(builder: ThreadBuilder, op: StoreOp) -> None:
    order = Order.of(builder, op)
    elements = Elements(builder, op, op.value)
    width = get_width(op, elements.layout, elements.element) if elements.is_tensor else 1
    mask = elements.mask(op.mask, width)
    addresses, value = elements.get(op.pointer), elements.get(op.value)
    access = VectorAccess(select_vectors(builder, addresses, width), mask, width)
    store_vectors(builder, access, value, elements.element, order)


# Atomics on tensors of pointers, on tiles of views, and on scalars.
#
# The owner of an element performs the atomic on it; for scalars that is the first thread. Old
# values go through shared memory to the other threads that need them; if nobody does, the atomic
# becomes a reduction (`red`), which returns nothing.
#
# The GPU's atomic addition of f32 in global memory flushes subnormals to zero, unlike that of the
# CPU interpreter, and the order of additions to the same address is unspecified.

# Where LLVM has other words.
FLOAT_MODES = {"addf": "fadd", "max": "fmax", "min": "fmin"}
INTEGER_MODES = {"addu": "add"}
REDUCTIONS = ("relaxed", "release")
"""The orders in which memory can be changed without being read."""


def _emit_atomic_rmw(
    builder: ThreadBuilder,
    op: AtomicRMWOp | TileUpdate,
    order: Order,
    value: SSAValue,
    addresses: SSAValue,
    mask: SSAValue | None,
    *,
    has_result: bool,
) -> SSAValue | None:
    is_integer = isinstance(get_element(op.value.type), IntegerType)
    mode = op.rmw_mode.data
    update = FragmentAtomicRMWOp(
        value,
        addresses,
        mask,
        value.type if has_result else None,
        (INTEGER_MODES if is_integer else FLOAT_MODES).get(mode, mode),
        semantic=order.semantic,
        scope=order.scope or "gpu",
    )
    return builder.emit(update).result


def get_update_width(
    builder: ThreadBuilder,
    op: AtomicRMWOp | TileUpdate,
    layout: LinearLayout,
    order: Order,
    pointer: Attribute,
) -> int:
    """The vector width of a reduction: how many contiguous elements one `red` updates."""
    element = get_element(op.value.type)
    is_sum = op.rmw_mode.data == "addf" and order.semantic in REDUCTIONS
    if not is_sum or pointer != GLOBAL_POINTER:
        return 1
    return min(get_width(op, layout, element), widest_atomic_add(element, builder.kernel.target))


def lower_tile_update(builder: ThreadBuilder, op: TileUpdate) -> None:
    """An atomic on a tile by all threads; `tma_reductions` decides which tiles take this path."""
    full = builder.layout(op.value)
    layout = full.compressed()
    order = Order.of(builder, op)
    pointer = get_tensor(builder, op.view).base.type
    width = get_update_width(builder, op, layout, order, pointer)
    access = get_tile_access(builder, op, op.view, op.indices, layout, width).get()
    mask = owned(builder, layout, access.mask, layout.registers // width)
    value = unique_registers(builder, builder.lookup(op.value), full)
    _emit_atomic_rmw(builder, op, order, value, access.addresses, mask, has_result=False)


@dataclass(frozen=True)
class Runs:
    """
    Runs of registers whose pointers are contiguous: all follow from the first one by constants, so
    that only its pointer has to be live.
    """

    starts: Sequence[int]
    """For each register the first one of its run."""
    distances: Sequence[int]
    """For each register its distance from that, in elements."""

    @staticmethod
    def of(op: AtomicRMWOp, layout: LinearLayout, info: AxisInfo) -> Runs:
        """The runs that the axis info of the pointers proves."""
        size = element_bits(memory_type(get_element(op.value.type))) // 8
        moves = dict.fromkeys(range(len(layout.register)), 0)
        for bit, basis in enumerate(layout.register) if info.step == size else ():
            position = unflatten(basis, layout.shape)
            dims = [dim for dim, place in enumerate(position) if place]
            users = [each for each in layout.all_bases if each & basis]
            if len(dims) == len(users) == 1 and position[dims[0]] < info.contiguity[dims[0]]:
                moves[bit] = position[dims[0]]
        registers = range(layout.registers)
        fixed = sum(1 << bit for bit, move in moves.items() if not move)
        distances = [
            sum(move for bit, move in moves.items() if index >> bit & 1) for index in registers
        ]
        return Runs([index & fixed for index in registers], distances)

    def addresses(
        self, builder: ThreadBuilder, addresses: SSAValue, element: Attribute, width: int
    ) -> SSAValue:
        """The pointers of vectors: the one of the run plus a constant."""
        first = select_registers(builder, addresses, self.starts[::width])
        if not any(self.distances[::width]):
            return first
        distances = builder.constant_vector(self.distances[::width], i64)
        return builder.emit(index_pointer(first, distances, element, first.type)).result


@lowers(AtomicRMWOp)
def lower_atomic_rmw(builder: ThreadBuilder, op: AtomicRMWOp) -> None:
    order = Order.of(builder, op)
    elements = Elements(builder, op, op.result)
    mask = elements.mask(op.mask)
    value, addresses = elements.get(op.value), elements.get(op.pointer)
    is_used = op.result.first_use is not None
    if elements.is_tensor and not is_used:
        layout = elements.layout
        width = get_update_width(builder, op, layout, order, element_of(addresses.type))
        runs = Runs.of(op, layout, builder.kernel.model.axis_info[op.pointer])
        addresses = runs.addresses(
            builder, addresses, memory_type(get_element(op.value.type)), width
        )
        mask = None if mask is None else select_vectors(builder, mask, width)
    old = _emit_atomic_rmw(builder, op, order, value, addresses, mask, has_result=is_used)
    if old is not None:
        elements.finish(old)


@lowers(AtomicCASOp)
def lower_atomic_cas(builder: ThreadBuilder, op: AtomicCASOp) -> None:
    order = Order.of(builder, op)
    elements = Elements(builder, op, op.result)
    mask = elements.mask(op.mask)
    exchange = FragmentCmpXchgOp(
        elements.get(op.compare),
        elements.get(op.replacement),
        elements.get(op.pointer),
        mask=mask,
        semantic=order.semantic,
        scope=order.scope or "gpu",
    )
    old = builder.emit(exchange).result
    if op.result.first_use is not None:
        elements.finish(old)
