"""Simulates plans of layout conversions on arrays of registers."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tileiras_xdsl.analysis.layout_conversion import (
    Identity,
    LocalSelect,
    Plan,
    Renaming,
    Select,
    SharedAccess,
    Shuffles,
    ThroughShared,
)
from tileiras_xdsl.analysis.linear_layout import LANE_BITS, xor_all
from tileiras_xdsl.analysis.matrix_layouts import WORD_BITS, MatrixAccess

Registers: TypeAlias = NDArray[Any]
"""What threads hold: [thread, register]; lanes of a warp are neighbours."""


def is_odd(mask: int) -> bool:
    """Whether an odd number of bits is set."""
    return bool(mask.bit_count() & 1)


def combined(bases: Sequence[int]) -> list[int]:
    """The value of each index whose bits flip what the bases say."""
    return [xor_all(bases, index) for index in range(1 << len(bases))]


def apply_plan(plan: Plan, registers: Registers) -> Registers:
    """
    Applies a plan to the registers of the source, [thread, register]; returns those of the target.
    """
    match plan:
        case Identity():
            return registers
        case Renaming():
            return registers[:, plan.indices]
        case LocalSelect():
            return _apply_selects(plan.selects, registers)[:, plan.indices]
        case Shuffles():
            return _apply_shuffles(plan, registers)
        case ThroughShared():
            return _apply_shared(plan, registers)


def _apply_selects(selects: Iterable[Select], registers: Registers) -> Registers:
    threads = range(len(registers))
    for select in selects:
        chosen = [
            is_odd(thread % (1 << LANE_BITS) & select.lane)
            ^ is_odd(thread >> LANE_BITS & select.warp)
            for thread in threads
        ]
        registers = np.where(
            np.array(chosen)[:, None],
            registers[:, select.when_true],
            registers[:, select.when_false],
        )
    return registers


def _apply_shuffles(plan: Shuffles, registers: Registers) -> Registers:
    registers = _apply_selects(plan.before, registers)
    got: list[Registers] = []
    for word in plan.words:
        source: list[int] = []
        for thread in range(len(registers)):
            warp, lane = divmod(thread, 1 << LANE_BITS)
            from_lane = xor_all(plan.lane, lane) ^ xor_all(plan.warp, warp) ^ word.xor
            source.append(warp << LANE_BITS | from_lane)
        got.append(registers[source][:, word.registers])
    return _apply_selects(plan.after, np.concatenate(got, axis=1))[:, plan.indices]


def _apply_shared(plan: ThroughShared, registers: Registers) -> Registers:
    loaded: list[Registers] = []
    threads = [divmod(thread, 1 << LANE_BITS) for thread in range(len(registers))]
    for gather in plan.gather:
        memory = np.zeros(1 << len(plan.shared.offset), registers.dtype)
        for (warp, lane), stored in zip(threads, registers[:, gather], strict=True):
            if not (warp & plan.copy_warps or lane & plan.copy_lanes):
                memory[moved_offsets(plan.store, lane, warp, plan.memory_bits)] = stored
        read = [moved_offsets(plan.load, lane, warp, plan.memory_bits) for warp, lane in threads]
        loaded.append(memory[read])
    return np.concatenate(loaded, axis=1)[:, plan.spread]


def moved_offsets(
    access: SharedAccess | MatrixAccess, lane: int, warp: int, element_bits: int
) -> list[int]:
    """Where in memory, in elements, the registers of a thread are that an access moves."""
    if isinstance(access, SharedAccess):
        start = xor_all(access.lane, lane) ^ xor_all(access.warp, warp)
        inside = range(access.width)
    else:
        # A lane holds parts of rows whose addresses other lanes give.
        start = xor_all(access.warp, warp)
        word = max(1, WORD_BITS // element_bits)
        inside: Sequence[int] = []
        for matrix in range(access.count):
            for part in range(word):
                row, column = lane >> 2, (lane & 3) * word + part
                if access.transposed:
                    row, column = column, row
                inside.append(xor_all(access.lane, matrix << 3 | row) ^ column)
    return [start ^ piece ^ each for piece in combined(access.register) for each in inside]
