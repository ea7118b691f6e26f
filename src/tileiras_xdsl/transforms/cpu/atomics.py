"""Atomics: `atomicrmw` on integers, a loop around `cmpxchg` on floats; one element at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, TensorType, i1, i64
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.dialects import llvm as own
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.llvm import AtomicBinOp, AtomicOrdering
from tileiras_xdsl.dialects.nv_tileaa import memory, views
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape

from .arithmetic import Unsupported, bytes_of, narrow, stored, widen
from .emitter import Emitter, Index
from .tiles import Tile

if TYPE_CHECKING:
    from .cpu_lower_tiles import KernelLowering

ORDERS: Final = {
    "weak": AtomicOrdering.NOT_ATOMIC,
    "relaxed": AtomicOrdering.MONOTONIC,
    **{each.value: each for each in AtomicOrdering},
}
"""By what Tile IR calls them; all threads of the process are in every scope."""
ON_INTEGERS: Final = {
    **{each.value.removeprefix("_"): each for each in AtomicBinOp},
    **{"xchg": AtomicBinOp.XCHG, "addu": AtomicBinOp.ADD},
}
ON_FLOATS: Final[dict[str, Callable[[Emitter, SSAValue, SSAValue], SSAValue]]] = {
    "addf": lambda e, x, y: e.binary("fadd", x, y),
    "max": lambda e, x, y: e.function("maximumnum", x, y),
    "min": lambda e, x, y: e.function("minimumnum", x, y),
}


def order_of(op: memory.OrderedAccess) -> AtomicOrdering:
    """How an access orders others."""
    return ORDERS[op.get_semantic()]


def exchange(
    e: Emitter, pointer: SSAValue, old: SSAValue, new: SSAValue, order: AtomicOrdering
) -> tuple[SSAValue, SSAValue]:
    """Replaces an integer if it is `old`: what was there, and whether it was."""
    failure = {
        AtomicOrdering.RELEASE: AtomicOrdering.MONOTONIC,
        AtomicOrdering.ACQ_REL: AtomicOrdering.ACQUIRE,
    }.get(order, order)
    both = e.append(own.AtomicCmpXchgOp(pointer, old, new, order.attr, failure.attr))
    found, done = (
        e.append(llvm.ExtractValueOp(DenseArrayBase.from_list(i64, [at]), both, ty))
        for at, ty in enumerate((old.type, i1))
    )
    return found, done


def update(
    e: Emitter,
    pointer: SSAValue,
    value: SSAValue,
    element: Attribute,
    mode: str,
    order: AtomicOrdering,
) -> SSAValue:
    """Combines an element in memory with a value; what was there."""
    held, bits = stored(element), IntegerType(8 * bytes_of(element))
    if not is_float(element) or mode == "xchg":
        if mode not in ON_INTEGERS:
            raise Unsupported(f"'{mode}'")
        number = e.cast("bitcast", value, bits)
        kind = ON_INTEGERS[mode].attr
        return e.cast("bitcast", e.append(own.AtomicRMWOp(pointer, number, kind, order.attr)), held)
    combine = ON_FLOATS[mode]

    def attempt(old: SSAValue) -> tuple[SSAValue, SSAValue]:
        operands = [widen(e, each, element) for each in (e.cast("bitcast", old, held), value)]
        new = e.cast("bitcast", narrow(e, combine(e, *operands), element), bits)
        found, done = exchange(e, pointer, old, new, order)
        return e.binary("xor", done, e.constant(1, i1)), found

    first = e.load(bits, pointer, bytes_of(element), AtomicOrdering.MONOTONIC)
    return e.cast("bitcast", e.repeat(first, attempt), held)


def on_elements(
    k: KernelLowering,
    op: memory.AtomicRMWOp | memory.AtomicCASOp,
    masked_out: SSAValue | None,
    change: Callable[[SSAValue, Callable[[SSAValue], SSAValue]], SSAValue],
) -> None:
    """
    Does an atomic on one element after the other, in the order of the tile; an element that is
    masked out yields a value, or zero. `change` takes the address, and what gives an element of a
    tile.
    """
    e, t = k.e, k.t
    element = get_element(op.result.type)
    pointer = k.tile(op.pointer)
    chosen = None if op.mask is None else k.tile(op.mask)
    target = t.reserve(get_shape(op.result.type), element)

    def body(index: Sequence[Index], _: int) -> None:
        def one(value: SSAValue) -> SSAValue:
            return element_at(k.tile(value), index)

        def changed() -> Sequence[SSAValue]:
            address = e.append(own.IntToPtrOp(element_at(pointer, index)))
            return (change(address, one),)

        def kept() -> Sequence[SSAValue]:
            return (e.constant(0, stored(element)) if masked_out is None else one(masked_out),)

        if chosen is None:
            (old,) = changed()
        else:
            (old,) = e.branch(element_at(chosen, index), changed, kept, [stored(element)])
        assert target.buffer is not None
        t.write(old, target.buffer, t.flat(target.shape, index), element)

    t.loops(target.shape, body, lanes=1)
    if op.result_token is not None:
        k.values[op.result_token] = None
    is_tile = isinstance(op.result.type, TensorType)
    k.values[op.result] = target if is_tile else target.get((), 1)


def element_at(tile: Tile, index: Sequence[Index]) -> SSAValue:
    """An element; a scalar is one everywhere."""
    return tile.get(index if tile.shape else (), 1)


def atomic_rmw(k: KernelLowering, op: memory.AtomicRMWOp) -> None:
    """Combines elements in memory with values."""
    element, mode = get_element(op.value.type), op.rmw_mode.data

    def change(pointer: SSAValue, one: Callable[[SSAValue], SSAValue]) -> SSAValue:
        return update(k.e, pointer, one(op.value), element, mode, order_of(op))

    on_elements(k, op, None, change)


def atomic_cas(k: KernelLowering, op: memory.AtomicCASOp) -> None:
    """Replaces elements in memory whose bits are those of others."""
    element = get_element(op.result.type)
    bits = IntegerType(8 * bytes_of(element))

    def change(pointer: SSAValue, one: Callable[[SSAValue], SSAValue]) -> SSAValue:
        old, new = (k.e.cast("bitcast", one(each), bits) for each in (op.compare, op.replacement))
        found, _ = exchange(k.e, pointer, old, new, order_of(op))
        return k.e.cast("bitcast", found, stored(element))

    on_elements(k, op, op.compare, change)


def tiled_atomic_rmw(k: KernelLowering, op: views.TiledAtomicRMWOp) -> None:
    """Combines the elements of a tile that lie in the array with values."""
    e, t = k.e, k.t
    address, mask, guards = k.place(op)
    tile, element = k.tile(op.value), get_element(op.value.type)

    def body(index: Sequence[Index], _: int) -> None:
        value = element_at(tile, index)

        def changed() -> Sequence[SSAValue]:
            pointer = e.append(own.IntToPtrOp(address(index, 1)[0]))
            update(e, pointer, value, element, op.rmw_mode.data, order_of(op))
            return ()

        if k.is_inside(guards):
            changed()
        else:
            e.branch(mask(index, 1), changed)

    shape = get_shape(op.value.type)
    t.versions((*tile.guards, *guards), lambda: t.loops(shape, body, lanes=1))
    if op.result_token is not None:
        k.values[op.result_token] = None
