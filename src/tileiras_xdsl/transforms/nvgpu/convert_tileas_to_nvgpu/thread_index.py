"""Thread, lane, warp and warpgroup index, and the coordinates of a tile that a thread holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import VectorType, i32
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum
from xdsl.ir import SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2, unflatten
from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.arith import CmpiOp, IndexCastOp
from tileiras_xdsl.dialects.nv_tileas.decisions import REMATERIALIZED
from tileiras_xdsl.dialects.nvvm import ShflOp, ShuffleKind
from tileiras_xdsl.dialects.nvvm.warp import SPECIAL_REGISTERS
from tileiras_xdsl.targets.machine import WARPGROUP_THREADS

from .thread_builder import ThreadBuilder

ALL_LANES: Final = -1
"""The mask of all lanes of a warp."""

WARPGROUP_MASK: Final = WARPGROUP_THREADS - 1
"""The bits of the thread index within a warpgroup."""


def get_thread(builder: ThreadBuilder) -> SSAValue:
    """The thread index in the CTA, as an i32."""
    return builder.get_or_emit_in_entry(
        "thread",
        lambda: IndexCastOp(
            builder.emit_in_entry(gpu.ThreadIdOp(DimensionAttr(DimensionEnum.X))), i32
        ),
    )


def get_lane(builder: ThreadBuilder) -> SSAValue:
    """The lane: the thread index in the warp."""
    return builder.get_or_emit_in_entry(
        "lane", arith.AndIOp, get_thread(builder), builder.constant(31)
    )


def get_warp(builder: ThreadBuilder) -> SSAValue:
    """The warp index in the CTA."""
    return builder.get_or_emit_in_entry(
        "warp", arith.ShRUIOp, get_thread(builder), builder.constant(5)
    )


def get_uniform_warp(builder: ThreadBuilder) -> SSAValue:
    """
    The warp index, read from lane 0 by a shuffle: so ptxas knows that it is uniform in a warp,
    which it cannot tell from a shift of the thread index.
    """
    mask, zero, last = builder.constant(-1), builder.constant(0), builder.constant(31)
    operands = mask, get_warp(builder), zero, last
    return builder.get_or_emit_in_entry("uniform warp", ShflOp, ShuffleKind.IDX, *operands)


def get_warpgroup(builder: ThreadBuilder) -> SSAValue:
    """The warpgroup index in the CTA, uniform for ptxas, too."""
    return builder.get_or_emit_in_entry(
        "group", arith.ShRUIOp, get_uniform_warp(builder), builder.constant(2)
    )


def get_cluster_rank(builder: ThreadBuilder) -> SSAValue:
    """The CTA rank in the cluster."""
    return builder.get_or_emit_in_entry("cluster rank", SPECIAL_REGISTERS["cluster.ctarank"])


def is_first_thread(builder: ThreadBuilder) -> SSAValue:
    """Whether this is the first thread of the CTA."""
    return builder.get_or_emit_in_entry(
        "first", CmpiOp, get_thread(builder), builder.constant(0), "eq"
    )


def is_first_of_warp(builder: ThreadBuilder) -> SSAValue:
    """Whether this is the first thread of its warp."""
    return builder.get_or_emit_in_entry(
        "first of warp", CmpiOp, get_lane(builder), builder.constant(0), "eq"
    )


def is_first_of_warpgroup(builder: ThreadBuilder) -> SSAValue:
    """Whether this is the first thread of its warpgroup."""
    thread, mask = get_thread(builder), builder.constant(WARPGROUP_MASK)
    inside = builder.get_or_emit_in_entry("thread of group", arith.AndIOp, thread, mask)
    return builder.get_or_emit_in_entry("first of group", CmpiOp, inside, builder.constant(0), "eq")


# Coordinates by layouts


def apply_bases(
    builder: ThreadBuilder, lane: Sequence[int], warp: Sequence[int], *, rematerialize: bool = False
) -> SSAValue | None:
    """
    The XOR of the bases of all bits that are set in the lane and warp index; `None` if all bases
    are zero. It is computed in the entry block.

    With `rematerialize` it is opaque to the compiler, so that addresses that follow from it are
    computed here. Otherwise LLVM and ptxas hoist all of them out of loops, where they stay live
    and are spilled. In kernels with `nv_tileas.rematerialized` even the XOR is computed here.
    """
    if not any(lane) and not any(warp):
        return None
    if rematerialize and REMATERIALIZED.is_on(builder.kernel.function):
        thread = make_opaque(builder, get_thread(builder))
        parts = (
            builder.binary("and", thread, 31),
            builder.binary("lshr", thread, 5),
        )
        return _xor_bases(builder, parts, lane, warp, builder.emit)
    key = ("linear", tuple(lane), tuple(warp))
    known = builder.kernel.hoisted.get(key)
    if known is None:
        parts = get_lane(builder), get_warp(builder)
        known = _xor_bases(builder, parts, lane, warp, builder.emit_in_entry)
        builder.kernel.hoisted[key] = known
    return make_opaque(builder, known) if rematerialize else known


def make_opaque(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """
    The same value from a shuffle in which each lane reads itself. LLVM and ptxas neither move
    shuffles, which are convergent, nor see through them.
    """
    mask, last = builder.constant(-1), builder.constant(31)
    return builder.emit(ShflOp(ShuffleKind.IDX, mask, value, get_lane(builder), last)).result


def _xor_bases(
    builder: ThreadBuilder,
    sources: tuple[SSAValue, SSAValue],
    lane: Sequence[int],
    warp: Sequence[int],
    put: Callable[[Any], Any],
) -> SSAValue:
    """
    The XOR of the bases of the set bits of two indices, computed where `put` inserts ops. Bits
    whose bases are consecutive powers of two take one shift and mask together.
    """
    known: SSAValue | None = None
    for source, bases in zip(sources, (lane, warp), strict=True):
        contributions = chain(
            (_bit_field(builder, source, *run, put) for run in _runs(bases)),
            (
                _single_bit(builder, source, bit, basis, put)
                for bit, basis in enumerate(bases)
                if basis.bit_count() > 1
            ),
        )
        for value in contributions:
            known = value if known is None else put(arith.XOrIOp(known, value)).result
    assert known is not None
    return known


def _bit_field(
    builder: ThreadBuilder,
    source: SSAValue,
    shift: int,
    mask: int,
    first: int,
    put: Callable[[Any], Any],
) -> SSAValue:
    value, left = source, log2(first)
    moved = left - shift
    if moved > 0:
        value = put(arith.ShLIOp(value, builder.constant(moved))).result
    elif moved < 0:
        value = put(arith.ShRUIOp(value, builder.constant(-moved))).result
    return put(arith.AndIOp(value, builder.constant(mask << left))).result


def _single_bit(
    builder: ThreadBuilder, source: SSAValue, bit: int, basis: int, put: Callable[[Any], Any]
) -> SSAValue:
    moved = put(arith.ShRUIOp(source, builder.constant(bit))).result
    single = put(arith.AndIOp(moved, builder.constant(1))).result
    return put(arith.MuliOp(single, builder.constant(basis))).result


def _runs(bases: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """
    Runs of bits whose bases are consecutive powers of two: first bit, mask, and the basis of the
    first bit.
    """
    bit = 0
    while bit < len(bases):
        if bases[bit].bit_count() != 1:
            bit += 1
            continue
        length = 1
        while bit + length < len(bases) and bases[bit + length] == bases[bit] << length:
            length += 1
        yield bit, (1 << length) - 1, bases[bit]
        bit += length


def get_coordinates(
    builder: ThreadBuilder, layout: LinearLayout, dim: int, step: int = 1
) -> SSAValue:
    """
    The coordinate along a dimension of every `step`-th element that the thread holds, as a
    vector of i32.
    """
    key = ("coordinates", layout, dim, step)
    known = builder.kernel.hoisted.get(key)
    if known is None:
        thread, registers = get_coordinate_parts(builder, layout, dim, step)
        known = builder.constant_vector(registers)
        if thread is not None:
            thread_vector = vector.BroadcastOp(thread, VectorType(i32, [len(registers)]))
            known = builder.emit_in_entry(
                arith.XOrIOp(builder.emit_in_entry(thread_vector).results[0], known)
            ).result
        builder.kernel.hoisted[key] = known
    return known


def get_coordinate_parts(
    builder: ThreadBuilder, layout: LinearLayout, dim: int, step: int = 1
) -> tuple[SSAValue | None, list[int]]:
    """
    The coordinate along a dimension as the contribution of the thread (`None` if it is zero)
    and those of every `step`-th register. Layouts are linear over GF(2): the XOR combines them.
    """
    shape = layout.shape
    lane = [unflatten(basis, shape)[dim] for basis in layout.lane]
    warp = [unflatten(basis, shape)[dim] for basis in layout.warp]
    registers = [
        unflatten(layout.element(register=index), shape)[dim]
        for index in range(0, layout.registers, step)
    ]
    return apply_bases(builder, lane, warp), registers


def is_owner(builder: ThreadBuilder, layout: LinearLayout) -> SSAValue | None:
    """
    Whether the thread is the first that holds its elements, as an i1; `None` if every thread
    holds elements of its own.
    """
    mask = layout.free_bits("lane") | layout.free_bits("warp") << 5
    if not mask:
        return None

    def make() -> CmpiOp:
        bits = builder.emit_in_entry(
            arith.AndIOp(get_thread(builder), builder.constant(mask))
        ).result
        return CmpiOp(bits, builder.constant(0), "eq")

    return builder.get_or_emit_in_entry(("owner", mask), make)
