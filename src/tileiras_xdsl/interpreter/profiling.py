"""
Marks of a profile: what threads write to its buffer.

Time is a number that moves when somebody of the CTA asks for it, so that the records of a warp, and
those of different warps that wait for each other, are in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import i64

from tileiras_xdsl.dialects.nv_tileas.profiling import (
    EVENT_SHIFT,
    HEADER,
    ProfileBeginOp,
    ProfileEndOp,
    ProfileMarkOp,
    ProfileOperation,
)

from .accesses import ElementFormat, store
from .cta_state import CtaState
from .machine import TILES, BoundProgram, InCta, slots
from .values import Array, Value

if TYPE_CHECKING:
    from .checks import CheckedAccess

_WORD = ElementFormat.of(i64)


def _write(cta: CtaState, op: ProfileOperation, buffer: Value, words: dict[int, int]) -> None:
    """Writes words, by their places, to the rows of the warps that an op is for."""
    layout = op.get_layout()
    x, y, z = cta.index
    slot, rest = divmod((z * cta.grid[1] + y) * cta.grid[0] + x, layout.every)
    if rest or slot >= layout.ctas:
        return
    rows = [(slot * layout.warps + warp) * layout.row for warp in op.get_warps()]
    places = np.array([row + place for row in rows for place in words], np.int64)
    values = np.array([word for _ in rows for word in words.values()], np.int64)

    def write(access: CheckedAccess | None) -> None:
        if access is not None:
            access.lanes(None, values.shape)
        store(cta, access, _WORD, int(np.asarray(buffer)) + places * _WORD.size, values)

    cta.perform(op, None, write, may_wait=True)


@TILES.binds(ProfileBeginOp)
def bind_begin(op: ProfileBeginOp, program: BoundProgram) -> InCta:
    """Warps begin."""

    def apply(cta: CtaState, buffer: Value) -> None:
        time = cta.read_clock()
        words = {"begin time": time, "begin": time, "entry": 0}
        _write(cta, op, buffer, {HEADER.index(name): word for name, word in words.items()})

    return InCta(apply, slots(op, "buffer"), [])


@TILES.binds(ProfileMarkOp)
def bind_mark(op: ProfileMarkOp, program: BoundProgram) -> InCta:
    """Warps begin something else."""
    event, records = op.event.value.data << EVENT_SHIFT, op.get_layout().records

    def apply(cta: CtaState, buffer: Value, count: Value) -> Array:
        number = int(np.asarray(count))
        if 0 <= number < records:
            _write(cta, op, buffer, {len(HEADER) + number: event | cta.read_clock()})
        return np.asarray(number + 1, np.int32)

    return InCta(apply, slots(op, "buffer count"), slots(op, "result"))


@TILES.binds(ProfileEndOp)
def bind_end(op: ProfileEndOp, program: BoundProgram) -> InCta:
    """Warps end."""

    def apply(cta: CtaState, buffer: Value, count: Value) -> None:
        time = cta.read_clock()
        words = {"end": time, "end time": time, "marks": int(np.asarray(count))}
        _write(cta, op, buffer, {HEADER.index(name): word for name, word in words.items()})

    return InCta(apply, slots(op, "buffer count"), [])
