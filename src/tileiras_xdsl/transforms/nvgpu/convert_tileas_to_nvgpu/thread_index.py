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
from tileiras_xdsl.dialects.nvvm import ShflOp, ShuffleKind
from tileiras_xdsl.dialects.nvvm.registers import SPECIAL_REGISTERS
from tileiras_xdsl.targets.machine import GROUP_THREADS

from .thread_builder import ThreadBuilder

GROUP_MASK: Final = GROUP_THREADS - 1
"""The bits of the thread index within a warpgroup."""


def get_thread(code: ThreadBuilder) -> SSAValue:
    """The thread index in the CTA, as an i32."""
    return code.hoist_once(
        "thread",
        lambda: IndexCastOp(code.hoist(gpu.ThreadIdOp(DimensionAttr(DimensionEnum.X))), i32),
    )


def get_lane(code: ThreadBuilder) -> SSAValue:
    """The lane: the thread index in the warp."""
    return code.hoist_once("lane", lambda: arith.AndIOp(get_thread(code), code.constant(31)))


def get_warp(code: ThreadBuilder) -> SSAValue:
    """The warp index in the CTA."""
    return code.hoist_once("warp", lambda: arith.ShRUIOp(get_thread(code), code.constant(5)))


def get_uniform_warp(code: ThreadBuilder) -> SSAValue:
    """
    The warp index, read from lane 0 by a shuffle: so ptxas knows that it is uniform in a warp,
    which it cannot tell from a shift of the thread index.
    """

    def make() -> ShflOp:
        mask, zero, last = code.constant(-1), code.constant(0), code.constant(31)
        return ShflOp(ShuffleKind.IDX, mask, get_warp(code), zero, last)

    return code.hoist_once("uniform warp", make)


def get_group(code: ThreadBuilder) -> SSAValue:
    """The warpgroup index in the CTA, uniform for ptxas, too."""
    return code.hoist_once("group", lambda: arith.ShRUIOp(get_uniform_warp(code), code.constant(2)))


def get_cluster_rank(code: ThreadBuilder) -> SSAValue:
    """The CTA rank in the cluster."""
    return code.hoist_once("cluster rank", lambda: SPECIAL_REGISTERS["cluster.ctarank"]())


def is_first_thread(code: ThreadBuilder) -> SSAValue:
    """Whether this is the first thread of the CTA."""
    return code.hoist_once("first", lambda: CmpiOp(get_thread(code), code.constant(0), "eq"))


def is_first_of_group(code: ThreadBuilder) -> SSAValue:
    """Whether this is the first thread of its warpgroup."""

    def number() -> arith.AndIOp:
        return arith.AndIOp(get_thread(code), code.constant(GROUP_MASK))

    return code.hoist_once(
        "first of group",
        lambda: CmpiOp(code.hoist_once("thread of group", number), code.constant(0), "eq"),
    )


# Coordinates by layouts


def apply_bases(
    code: ThreadBuilder, lane: Sequence[int], warp: Sequence[int], *, rematerialize: bool = False
) -> SSAValue | None:
    """
    The XOR of the bases of all bits that are set in the lane and warp index; none if all bases are
    zero. It is computed in the prologue.

    With `rematerialize` it is opaque to the compiler, so that addresses that follow from it are
    computed here. Otherwise LLVM and ptxas hoist all of them out of loops, where they stay live
    and are spilled. Under high register pressure even the XOR is computed here.
    """
    if not any(lane) and not any(warp):
        return None
    if rematerialize and code.kernel.has_high_register_pressure:
        thread = _make_opaque(code, get_thread(code))
        parts = (
            code.emit(arith.AndIOp(thread, code.constant(31))).result,
            code.emit(arith.ShRUIOp(thread, code.constant(5))).result,
        )
        return _xor_bases(code, parts, lane, warp, code.emit)
    key = ("linear", tuple(lane), tuple(warp))
    known = code.kernel.prologue.known.get(key)
    if known is None:
        parts = get_lane(code), get_warp(code)
        known = _xor_bases(code, parts, lane, warp, code.hoist)
        code.kernel.prologue.known[key] = known
    return _make_opaque(code, known) if rematerialize else known


def _make_opaque(code: ThreadBuilder, value: SSAValue) -> SSAValue:
    """
    The same number from a shuffle in which each lane reads itself. LLVM and ptxas neither move
    shuffles, which are convergent, nor see through them.
    """
    mask, last = code.constant(-1), code.constant(31)
    return code.emit(ShflOp(ShuffleKind.IDX, mask, value, get_lane(code), last)).result


def _xor_bases(
    code: ThreadBuilder,
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
            (_bit_field(code, source, *run, put) for run in _runs(bases)),
            (
                _single_bit(code, source, bit, basis, put)
                for bit, basis in enumerate(bases)
                if basis.bit_count() > 1
            ),
        )
        for value in contributions:
            known = value if known is None else put(arith.XOrIOp(known, value)).result
    assert known is not None
    return known


def _bit_field(
    code: ThreadBuilder,
    source: SSAValue,
    shift: int,
    mask: int,
    first: int,
    put: Callable[[Any], Any],
) -> SSAValue:
    value, left = source, log2(first)
    moved = left - shift
    if moved > 0:
        value = put(arith.ShLIOp(value, code.constant(moved))).result
    elif moved < 0:
        value = put(arith.ShRUIOp(value, code.constant(-moved))).result
    return put(arith.AndIOp(value, code.constant(mask << left))).result


def _single_bit(
    code: ThreadBuilder, source: SSAValue, bit: int, basis: int, put: Callable[[Any], Any]
) -> SSAValue:
    moved = put(arith.ShRUIOp(source, code.constant(bit))).result
    single = put(arith.AndIOp(moved, code.constant(1))).result
    return put(arith.MuliOp(single, code.constant(basis))).result


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


def get_coordinates(code: ThreadBuilder, layout: LinearLayout, dim: int, step: int = 1) -> SSAValue:
    """
    The coordinate along a dimension of every `step`-th element that the thread holds, as a
    vector of i32.
    """
    key = ("coordinates", layout, dim, step)
    known = code.kernel.prologue.known.get(key)
    if known is None:
        thread, registers = get_coordinate_parts(code, layout, dim, step)
        known = code.constants(registers)
        if thread is not None:
            lanes = vector.BroadcastOp(thread, VectorType(i32, [len(registers)]))
            known = code.hoist(arith.XOrIOp(code.hoist(lanes).results[0], known)).result
        code.kernel.prologue.known[key] = known
    return known


def get_coordinate_parts(
    code: ThreadBuilder, layout: LinearLayout, dim: int, step: int = 1
) -> tuple[SSAValue | None, list[int]]:
    """
    The coordinate along a dimension as the contribution of the thread (none if it is zero) and
    those of every `step`-th register. Layouts are linear over GF(2): the XOR combines them.
    """
    shape = layout.shape
    lane = [unflatten(basis, shape)[dim] for basis in layout.lane]
    warp = [unflatten(basis, shape)[dim] for basis in layout.warp]
    registers = [
        unflatten(layout.element(register=index), shape)[dim]
        for index in range(0, layout.registers, step)
    ]
    return apply_bases(code, lane, warp), registers


def is_owner(code: ThreadBuilder, layout: LinearLayout) -> SSAValue | None:
    """
    Whether the thread is the first that holds its elements, as an i1; none if every thread
    holds elements of its own.
    """
    mask = layout.free_bits("lane") | layout.free_bits("warp") << 5
    if not mask:
        return None

    def make() -> CmpiOp:
        bits = code.hoist(arith.AndIOp(get_thread(code), code.constant(mask))).result
        return CmpiOp(bits, code.constant(0), "eq")

    return code.hoist_once(("owner", mask), make)
