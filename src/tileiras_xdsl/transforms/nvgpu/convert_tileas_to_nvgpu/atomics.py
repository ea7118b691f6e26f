"""
Atomics on tensors of pointers, on tiles of views, and on scalars.

The owner of an element performs the atomic on it; for scalars that is the first thread. Old values
go through shared memory to the other threads that need them; if nobody does, the atomic becomes a
reduction (`red`), which returns nothing.

The GPU's atomic addition of f32 in global memory flushes subnormals to zero, unlike that of the CPU
interpreter, and the order of additions to the same address is unspecified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.analysis.access_layouts import widest_atomic_add
from tileiras_xdsl.analysis.axis_info import AxisInfo
from tileiras_xdsl.analysis.linear_layout import LinearLayout, unflatten
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicCASOp, AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileaa.views import TileUpdate
from tileiras_xdsl.dialects.nvvm import GLOBAL_POINTER
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentAtomicRMWOp,
    FragmentCmpXchgOp,
    element_bits,
)
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import memory_type

from .accesses import (
    Order,
    get_width,
    owned,
    select_vectors,
    unique_registers,
)
from .lowering_registry import lowers
from .memory import Elements
from .thread_builder import ThreadBuilder
from .vectors import element_of, index_pointer, select_registers
from .views import get_tensor, get_tile_access

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


@lowers("nv_tileaa.atomic_rmw")
def lower_atomic_rmw(builder: ThreadBuilder, op: AtomicRMWOp) -> None:
    order = Order.of(builder, op)
    elements = Elements(builder, op, op.result)
    mask = elements.mask(op.mask)
    value, addresses = elements.get(op.value), elements.get(op.pointer)
    is_used = op.result.first_use is not None
    if elements.is_tensor and not is_used:
        layout = elements.layout
        width = get_update_width(builder, op, layout, order, element_of(addresses.type))
        runs = Runs.of(op, layout, builder.kernel.axis_info[op.pointer])
        addresses = runs.addresses(
            builder, addresses, memory_type(get_element(op.value.type)), width
        )
        mask = None if mask is None else select_vectors(builder, mask, width)
    old = _emit_atomic_rmw(builder, op, order, value, addresses, mask, has_result=is_used)
    if old is not None:
        elements.finish(old)


@lowers("nv_tileaa.atomic_cas")
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
