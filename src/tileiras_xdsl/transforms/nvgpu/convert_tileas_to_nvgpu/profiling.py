"""
Marks of a profile: the first thread of a warp writes the clock of its SM to a row of the buffer.

    %n = nv_tileas.profile.mark %p[%m] {event = 2 : i32, …} : !llvm.ptr<1>

becomes

    %fits = arith.cmpi ult, %m, %limit            the records of a row, 0 for all other threads
    scf.if %fits {
      %clock = nvvm.read.ptx.sreg.clock : i32
      … a word of event and clock …
      llvm.store %word, %place : i64, !llvm.ptr<1>
    }
    %n = arith.addi %m, %one : i32
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32, i64
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import gpu, llvm
from tileiras_xdsl.dialects.arith import CmpiOp, ExtUIOp, IndexCastOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileas.profiling import (
    EVENT_SHIFT,
    HEADER,
    ProfileBeginOp,
    ProfileEndOp,
    ProfileLayout,
    ProfileMarkOp,
    ProfileOperation,
)
from tileiras_xdsl.dialects.nvvm import read_register

from .barriers import only_if
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder, index_pointer
from .thread_index import get_warp, is_first_of_warp

WORD_BYTES = 8


@lowers(ProfileBeginOp)
def lower_begin(builder: ThreadBuilder, op: ProfileBeginOp) -> None:
    entry = builder.get_or_emit_in_entry("profile entry", lambda: read_register("clock"))
    with only_if(builder, _is_recorded(builder, op)):
        time = builder.emit(read_register("globaltimer")).result
        clock = builder.emit(read_register("clock")).result
        sm = builder.emit(read_register("smid")).result
        shift = builder.constant(EVENT_SHIFT, i64)
        high = builder.emit(arith.ShLIOp(_widen(builder, sm), shift)).result
        word = builder.emit(arith.OrIOp(high, _widen(builder, clock))).result
        _write_header(builder, op, {"begin time": time, "begin": word, "entry": entry})


@lowers(ProfileMarkOp)
def lower_mark(builder: ThreadBuilder, op: ProfileMarkOp) -> None:
    count = builder.lookup(op.count)
    fits = builder.emit(CmpiOp(count, _find_limit(builder, op), "ult")).result
    with only_if(builder, fits):
        clock = builder.emit(read_register("clock")).result
        event = builder.constant(op.event.value.data << EVENT_SHIFT, i64)
        word = builder.emit(arith.OrIOp(_widen(builder, clock), event)).result
        first = builder.get_or_emit_in_entry(
            ("profile records", op.get_layout()),
            lambda: arith.AddiOp(_find_row(builder, op), builder.constant(len(HEADER))),
        )
        _write(builder, op, builder.emit(arith.AddiOp(first, count)).result, word)
    builder.map(op.result, builder.emit(arith.AddiOp(count, builder.constant(1))).result)


@lowers(ProfileEndOp)
def lower_end(builder: ThreadBuilder, op: ProfileEndOp) -> None:
    count = builder.lookup(op.count)
    with only_if(builder, _is_recorded(builder, op)):
        clock = builder.emit(read_register("clock")).result
        time = builder.emit(read_register("globaltimer")).result
        _write_header(builder, op, {"end": clock, "end time": time, "marks": count})


def _write_header(builder: ThreadBuilder, op: ProfileOperation, words: dict[str, SSAValue]) -> None:
    row = _find_row(builder, op)
    for name, word in words.items():
        number = builder.constant(HEADER.index(name))
        place = builder.emit(arith.AddiOp(row, number)).result
        _write(builder, op, place, _widen(builder, word))


def _write(builder: ThreadBuilder, op: ProfileOperation, index: SSAValue, word: SSAValue) -> None:
    buffer = builder.lookup(op.operands[0])
    place = builder.emit(index_pointer(buffer, index, i64, buffer.type)).result
    builder.emit(llvm.StoreOp(word, place, alignment=WORD_BYTES))


def _widen(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    return value if value.type == i64 else builder.emit(ExtUIOp(value, i64)).result


# What is known from the start


def _is_recorded(builder: ThreadBuilder, op: ProfileOperation) -> SSAValue:
    """Whether a thread writes at all."""
    limit = _find_limit(builder, op)
    return builder.get_or_emit_in_entry(
        ("profile recorded", tuple(op.get_warps())),
        lambda: CmpiOp(limit, builder.constant(0), "ne"),
    )


def _find_limit(builder: ThreadBuilder, op: ProfileOperation) -> SSAValue:
    """How many marks a thread writes: as many as a row has room for, or none."""
    layout, warps = op.get_layout(), op.get_warps()

    def make() -> SelectOp:
        is_first = is_first_of_warp(builder)
        is_chosen = builder.emit_in_entry(arith.AndIOp(is_first, _is_any(builder, warps))).result
        is_chosen = builder.emit_in_entry(
            arith.AndIOp(is_chosen, _is_recorded_cta(builder, layout))
        ).result
        return SelectOp(is_chosen, builder.constant(layout.records), builder.constant(0))

    return builder.get_or_emit_in_entry(("profile limit", tuple(warps)), make)


def _is_any(builder: ThreadBuilder, warps: Sequence[int]) -> SSAValue:
    """Whether a thread is in one of some warps."""
    found: SSAValue | None = None
    for warp in warps:
        compare = CmpiOp(get_warp(builder), builder.constant(warp), "eq")
        is_this = builder.emit_in_entry(compare).result
        if found is not None:
            is_this = builder.emit_in_entry(arith.OrIOp(found, is_this)).result
        found = is_this
    assert found is not None
    return found


def _find_cta(builder: ThreadBuilder) -> SSAValue:
    """The linear index of the CTA, as an i64."""

    def make() -> Operation:
        number: SSAValue | None = None
        for dimension in (DimensionEnum.Z, DimensionEnum.Y, DimensionEnum.X):
            axis = DimensionAttr(dimension)
            index = _as_i64(builder, gpu.BlockIdOp(axis))
            if number is not None:
                size = _as_i64(builder, gpu.GridDimOp(axis))
                scaled = builder.emit_in_entry(arith.MuliOp(number, size)).result
                index = builder.emit_in_entry(arith.AddiOp(scaled, index)).result
            number = index
        assert number is not None
        return arith.AddiOp(number, builder.constant(0, i64))

    return builder.get_or_emit_in_entry("profile cta", make)


def _as_i64(builder: ThreadBuilder, query: gpu.BlockIdOp | gpu.GridDimOp) -> SSAValue:
    index = builder.emit_in_entry(query).results[0]
    return builder.emit_in_entry(IndexCastOp(index, i64)).results[0]


def _find_slot(builder: ThreadBuilder, layout: ProfileLayout) -> SSAValue:
    """Which CTA this is of those that are recorded, if it is one of these."""
    every = builder.constant(layout.every, i64)
    return builder.get_or_emit_in_entry(
        ("profile slot", layout), lambda: arith.DivUIOp(_find_cta(builder), every)
    )


def _is_recorded_cta(builder: ThreadBuilder, layout: ProfileLayout) -> SSAValue:
    def make() -> arith.AndIOp:
        every, zero = builder.constant(layout.every, i64), builder.constant(0, i64)
        rest = builder.emit_in_entry(arith.RemUIOp(_find_cta(builder), every)).result
        is_first = builder.emit_in_entry(CmpiOp(rest, zero, "eq")).result
        limit = builder.constant(layout.ctas, i64)
        is_there = CmpiOp(_find_slot(builder, layout), limit, "ult")
        return arith.AndIOp(is_first, builder.emit_in_entry(is_there).result)

    return builder.get_or_emit_in_entry(("profile recorded cta", layout), make)


def _find_row(builder: ThreadBuilder, op: ProfileOperation) -> SSAValue:
    """The first word of the row of the warp, if that is recorded."""
    layout = op.get_layout()

    def make() -> arith.MuliOp:
        slot = builder.emit_in_entry(TruncIOp(_find_slot(builder, layout), i32)).result
        warps = builder.constant(layout.warps)
        first = builder.emit_in_entry(arith.MuliOp(slot, warps)).result
        row = builder.emit_in_entry(arith.AddiOp(first, get_warp(builder))).result
        return arith.MuliOp(row, builder.constant(layout.row))

    return builder.get_or_emit_in_entry(("profile row", layout), make)
