"""
Atomics on tensors of pointers, on tiles of views, and on scalars.

Each element is changed once, by the thread that owns it; the first thread changes scalars. What
was there goes to the other threads that need it through shared memory, and nothing is read if
nobody needs it.

The GPU's sum of f32 in global memory takes numbers below the normal ones for 0, unlike that of the
CPU interpreter, and the order in which elements that meet are added is any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.access_layouts import widest_sum
from tileiras_xdsl.analysis.fact import Fact
from tileiras_xdsl.analysis.linear_layout import LinearLayout, unflatten
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicCASOp, AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
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
    all_registers,
    get_width,
    own_registers,
    owned,
    select_pieces,
    share,
    share_scalar,
)
from .exchange import element_of
from .memory import check_layouts
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .thread_index import is_first_thread
from .vectors import all_of, extract, index_pointer, select_registers, splat
from .views import get_pieces, get_tensor

FLOAT_MODES = {"addf": "fadd", "max": "fmax", "min": "fmin"}
INTEGER_MODES = {"addu": "add"}
REDUCTIONS = ("relaxed", "release")
"""The orders in which memory can be changed without being read."""


def get_update(mode: str, element: Attribute) -> str:
    """What an atomic does, in the words of LLVM."""
    is_integer = isinstance(element, IntegerType)
    return (INTEGER_MODES if is_integer else FLOAT_MODES).get(mode, mode)


def _is_used(value: SSAValue) -> bool:
    return any(True for _ in value.uses)


def _update(
    code: ThreadBuilder,
    op: AtomicRMWOp | TileUpdate,
    order: Order,
    value: SSAValue,
    addresses: SSAValue,
    mask: SSAValue | None,
    *,
    has_result: bool,
) -> SSAValue | None:
    kind = get_update(op.rmw_mode.data, get_element(op.value.type))
    update = FragmentAtomicRMWOp(
        value,
        addresses,
        mask,
        value.type if has_result else None,
        kind,
        semantic=order.semantic,
        scope=order.scope or "gpu",
    )
    return code.emit(update).result


def get_update_width(
    code: ThreadBuilder,
    op: AtomicRMWOp | TileUpdate,
    layout: LinearLayout,
    order: Order,
    pointer: Attribute,
) -> int:
    """How many neighbours of a tile are changed at once, if nobody needs what was there."""
    element = get_element(op.value.type)
    is_sum = op.rmw_mode.data == "addf" and order.semantic in REDUCTIONS
    if not is_sum or pointer != GLOBAL_POINTER:
        return 1
    return min(get_width(op, layout, element), widest_sum(element, code.kernel.target))


def lower_tile_update(code: ThreadBuilder, op: TileUpdate) -> None:
    """An atomic by all threads; `tma_reductions` decides which tiles are changed so."""
    type = op.view.type
    assert isinstance(type, TiledViewType)
    full = code.layout(op.value)
    layout = full.compressed()
    order = Order.of(code, op)
    pointer = get_tensor(code, op.view).base.type
    width = get_update_width(code, op, layout, order, pointer)
    pieces = get_pieces(code, op, op.view, op.indices, layout, width).get()
    mask = owned(code, layout, pieces.mask, layout.registers // width)
    value = own_registers(code, code.value(op.value), full)
    _update(code, op, order, value, pieces.addresses, mask, has_result=False)


@dataclass(frozen=True)
class Runs:
    """
    Registers whose pointers differ by numbers that are known: those that hold elements of a run
    of consecutive addresses.
    """

    starts: Sequence[int]
    """For each register that which stands for its run."""
    distances: Sequence[int]
    """For each register how many elements it is behind that."""

    @staticmethod
    def of(op: AtomicRMWOp, layout: LinearLayout, fact: Fact) -> Runs:
        """What is known of the pointers of an op: one more bit of a coordinate is so much more."""
        size = element_bits(memory_type(get_element(op.value.type))) // 8
        moves = dict.fromkeys(range(len(layout.register)), 0)
        for bit, basis in enumerate(layout.register) if fact.step == size else ():
            position = unflatten(basis, layout.shape)
            dims = [dim for dim, place in enumerate(position) if place]
            users = [each for each in layout.all_bases if each & basis]
            if len(dims) == len(users) == 1 and position[dims[0]] < fact.contiguity[dims[0]]:
                moves[bit] = position[dims[0]]
        registers = range(layout.registers)
        fixed = sum(1 << bit for bit, move in moves.items() if not move)
        distances = [
            sum(move for bit, move in moves.items() if index >> bit & 1) for index in registers
        ]
        return Runs([index & fixed for index in registers], distances)

    def addresses(
        self, code: ThreadBuilder, addresses: SSAValue, element: Attribute, width: int
    ) -> SSAValue:
        """The pointers of pieces: that of the run, moved by a constant."""
        first = select_registers(code, addresses, self.starts[::width])
        if not any(self.distances[::width]):
            return first
        distances = code.constants(self.distances[::width], i64)
        return code.emit(index_pointer(first, distances, element, first.type)).result


class _Elements:
    """
    What an atomic on pointers works on, as vectors: all elements of a thread that it owns, or a
    scalar.
    """

    def __init__(self, code: ThreadBuilder, op: Operation, result: SSAValue, mask: SSAValue | None):
        self.code = code
        self.result = result
        self.element = get_element(result.type)
        self.is_tensor = isinstance(result.type, TensorType)
        if self.is_tensor:
            check_layouts(code, op, result)
            layout = code.layout(result).compressed()
            given = None if mask is None else self.get(mask)
            self.mask = owned(code, layout, given, layout.registers)
        else:
            first = splat(code, is_first_thread(code), 1)
            self.mask = all_of(code, [None if mask is None else self.get(mask), first])

    def get(self, value: SSAValue) -> SSAValue:
        """The elements of an operand."""
        if self.is_tensor:
            return own_registers(self.code, self.code.value(value), self.code.layout(self.result))
        return splat(self.code, self.code.value(value), 1)

    def finish(self, old: SSAValue) -> None:
        """Gives what was there to all threads that need it."""
        code = self.code
        if not self.is_tensor:
            code.set(self.result, extract(code, share_scalar(code, old, self.element), 0))
            return
        full = code.layout(self.result)
        shared = share(code, old, full.compressed(), self.element)
        code.set(self.result, all_registers(code, shared, full))


@lowers("nv_tileaa.atomic_rmw")
def lower_atomic_rmw(code: ThreadBuilder, op: AtomicRMWOp) -> None:
    order = Order.of(code, op)
    elements = _Elements(code, op, op.result, op.mask)
    value, addresses, mask = elements.get(op.value), elements.get(op.pointer), elements.mask
    is_used = _is_used(op.result)
    if elements.is_tensor and not is_used:
        layout = code.layout(op.result).compressed()
        width = get_update_width(code, op, layout, order, element_of(addresses))
        runs = Runs.of(op, layout, code.kernel.facts[op.pointer])
        addresses = runs.addresses(code, addresses, memory_type(get_element(op.value.type)), width)
        mask = None if mask is None else select_pieces(code, mask, width)
    old = _update(code, op, order, value, addresses, mask, has_result=is_used)
    if old is not None:
        elements.finish(old)


@lowers("nv_tileaa.atomic_cas")
def lower_atomic_cas(code: ThreadBuilder, op: AtomicCASOp) -> None:
    order = Order.of(code, op)
    elements = _Elements(code, op, op.result, op.mask)
    exchange = FragmentCmpXchgOp(
        elements.get(op.compare),
        elements.get(op.replacement),
        elements.get(op.pointer),
        mask=elements.mask,
        semantic=order.semantic,
        scope=order.scope or "gpu",
    )
    old = code.emit(exchange).result
    if _is_used(op.result):
        elements.finish(old)
