"""The events of a kernel with marks, and the tracks of the records in its buffer."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileas.decisions import AGENTS
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nv_tileas.profiling import (
    EVENT_SHIFT,
    HEADER,
    PROFILE,
    ProfileLayout,
    ProfileMarkOp,
)
from tileiras_xdsl.profiling import ProfileError
from tileiras_xdsl.xdsl_extras.diagnostics import first_file_location
from tileiras_xdsl.xdsl_extras.walking import find_all

from .profile import Event, Track

CLOCK_MASK = (1 << EVENT_SHIFT) - 1
"""`%clock` has so many bits, and begins again after the last."""

Words = npt.NDArray[np.int64]


def get_layout(function: FuncOp) -> ProfileLayout:
    """The layout of the buffer of a kernel with marks."""
    if (layout := PROFILE.get(function)) is None:
        raise ProfileError(f"the kernel @{function.sym_name.data} has no marks")
    return layout.data


def find_events(function: FuncOp) -> dict[int, Event]:
    """What the marks of a kernel are about."""
    return {
        op.event.value.data: Event(find_role(op), op.kind.data, op.label.data, find_place(op))
        for op in find_all(function, ProfileMarkOp)
    }


def find_role(op: Operation) -> str:
    """What the warps are that run an op."""
    inner, outer = op, op.parent_op()
    while outer is not None and not isinstance(outer, AgentSwitchOp):
        inner, outer = outer, outer.parent_op()
    if outer is None:
        return "threads"
    regions = [
        region for region in outer.regions if any(each is inner for each in region.block.ops)
    ]
    number = list(outer.regions).index(regions[0])
    if (listed := AGENTS.get(outer)) is not None:
        return [each.data for each in listed if isinstance(each, StringAttr)][number]
    return ["producer", "consumer"][-len(outer.regions) :][number]


def find_roles(function: FuncOp) -> dict[int, str]:
    """What each warp is that writes records."""
    return {
        warp: find_role(op) for op in find_all(function, ProfileMarkOp) for warp in op.get_warps()
    }


def find_place(op: Operation) -> str:
    """The line of the program that an op comes from."""
    place = first_file_location(op.location)
    if place is None:
        return ""
    return f"{place.filename.data.rpartition('/')[2]}:{place.line.data}"


def read_tracks(function: FuncOp, buffer: Words) -> list[Track]:
    """The tracks of all warps that wrote anything, with times from when their CTA began on."""
    layout, roles = get_layout(function), find_roles(function)
    rows = buffer.reshape(layout.ctas, layout.warps, layout.row)
    tracks: list[Track] = []
    for slot in range(layout.ctas):
        written = [warp for warp in roles if rows[slot, warp, HEADER.index("begin")]]
        if not written:
            continue
        entries = [int(rows[slot, warp, HEADER.index("entry")]) for warp in written]
        zero = _first(entries)
        tracks += (
            _read_track(rows[slot, warp], slot * layout.every, warp, roles[warp], zero)
            for warp in written
        )
    return sort_tracks(tracks)


def _read_track(row: Words, cta: int, warp: int, role: str, zero: int) -> Track:
    header = {name: int(word) for name, word in zip(HEADER, row, strict=False)}
    records = [int(word) for word in row[len(HEADER) :][: header["marks"]]]
    return Track(
        cta,
        warp,
        role,
        tuple(word >> EVENT_SHIFT for word in records),
        tuple(_since(word, zero) for word in records),
        _since(header["end"], zero),
        header["marks"],
        header["begin"] >> EVENT_SHIFT,
        header["begin time"],
    )


def measure_clock(buffer: Words, layout: ProfileLayout) -> float:
    """Gigahertz of the SMs: clocks for each nanosecond, of the warps that took longest."""
    rows = buffer.reshape(-1, layout.row)
    header = {name: rows[:, number] for number, name in enumerate(HEADER)}
    times = header["end time"] - header["begin time"]
    clocks = (header["end"] - header["begin"]) & CLOCK_MASK
    longest = int(np.argmax(np.where(header["begin"] != 0, times, 0)))
    return float(clocks[longest] / times[longest]) if times[longest] > 0 else 0.0


def _first(clocks: list[int]) -> int:
    """The earliest of some clocks, which may have begun again between them."""
    base = clocks[0]
    return min(clocks, key=lambda clock: _signed(clock - base))


def _signed(difference: int) -> int:
    difference &= CLOCK_MASK
    return difference - (CLOCK_MASK + 1) if difference > CLOCK_MASK // 2 else difference


def _since(word: int, zero: int) -> int:
    return (word - zero) & CLOCK_MASK


def sort_tracks(tracks: Iterable[Track]) -> list[Track]:
    """Producers first, then those who use what they load."""
    known = ("producer", "mma", "consumer", "threads")
    return sorted(tracks, key=lambda track: (track.cta, known.index(track.role), track.warp))
