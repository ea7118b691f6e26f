"""
`print` and `assert`: a function of the host is called with the number of the op among those of the
kernel, its values in scratch memory, and the CTA.

    void report(i64 number, ptr values, i64 cta)

The attribute `cpu.reports` says what each number stands for. A failed assertion ends the launch.
Its CTA stops there, unless the assertion is in a loop or branch: then it goes on to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, StringAttr, i1, i8, i64
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileaa import memory
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape

from .emitter import Index
from .tiles import Tile

if TYPE_CHECKING:
    from .cpu_lower_tiles import KernelLowering


def in_scratch(k: KernelLowering, values: Sequence[SSAValue]) -> list[Tile]:
    """Values in scratch memory, in order and one beside the other, each in a cache line."""
    places = [k.t.reserve(get_shape(each.type), get_element(each.type)) for each in values]
    for value, place in zip(values, places, strict=True):
        k.t.store(k.tile(value), place)
    return places


def report(
    k: KernelLowering, kind: str, text: StringAttr, values: Sequence[SSAValue], data: SSAValue
) -> None:
    """Calls the function of the host."""
    types = ArrayAttr(each.type for each in values)
    number = k.e.constant(len(k.reports), i64)
    k.reports.append(ArrayAttr([StringAttr(kind), text, types]))
    k.e.call_pointer(k.reporter, number, data, k.cta)


def lower_print(k: KernelLowering, op: memory.PrintOp) -> None:
    """Shows values."""
    used = k.t.scratch.used
    places = in_scratch(k, op.arguments)
    data = places[0].buffer if places else None
    report(k, "print", op.str_, op.arguments, data or k.t.scratch.base)
    k.t.scratch.used = used
    if op.result_token is not None:
        k.values[op.result_token] = None


def lower_assert(k: KernelLowering, op: memory.AssertOp) -> None:
    """Reports a condition that does not hold everywhere; what follows in the kernel is else."""
    e = k.e
    (place,) = in_scratch(k, [op.condition])
    data = place.buffer
    assert data is not None

    def holds(i: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        byte = e.load(i8, e.element_pointer(data, i, i8), 1)
        return (e.binary("and", carried[0], e.compare("ne", byte, e.constant(0, i8))),)

    (flag,) = e.loop(0, place.count, 1, [e.constant(1, i1)], holds)

    def rest() -> Sequence[SSAValue]:
        if op.parent is k.block:
            k.ops(k.block, op.next_op)
        return ()

    def failed() -> Sequence[SSAValue]:
        report(k, "assert", op.message, [op.condition], data)
        return ()

    e.branch(flag, rest, failed)
