"""
Tiles that CTAs hand over to each other, through the workspace of a launch.

A slot has the elements of tiles, row by row, one tile after the other. A CTA has one flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.nv_tileas.workspace import WorkspaceLoadOp, WorkspaceStoreOp

from .accesses import ElementFormat, load, store
from .cta_state import CtaState
from .errors import ExecutionError
from .machine import TILES, BoundProgram, InCta
from .memory_ops import decode, encode
from .types import element_of, shape_of
from .values import Array, Value

FLAG = ElementFormat.of(i32)


class Slot:
    """Where tiles of some types are in a slot."""

    def __init__(self, types: Sequence[Attribute]):
        self.tiles: list[tuple[ElementFormat, tuple[int, ...], Array]] = []
        """The format of elements, the shape, and the offset of each element in bytes."""
        end = 0
        for ty in types:
            fmt, shape = ElementFormat.of(element_of(ty)), shape_of(ty)
            self.tiles.append((fmt, shape, end + fmt.size * np.arange(prod(shape))))
            end += fmt.size * prod(shape)


def is_set(cta: CtaState, flag: int) -> Array:
    """Whether tiles are there."""
    return load(cta, None, FLAG, np.array([flag])) != 0


def set_flag(cta: CtaState, flag: int, value: int) -> None:
    store(cta, None, FLAG, np.array([flag]), np.array([value], np.int32))


@TILES.binds(WorkspaceStoreOp)
def bind_workspace_store(op: WorkspaceStoreOp, program: BoundProgram) -> InCta:
    """Stores tiles, and sets the flag."""
    slot = Slot([value.type for value in op.values])

    def apply(cta: CtaState, base: Value, flags: Value, *values: Value) -> None:
        address, flag = int(np.asarray(base)), int(np.asarray(flags))
        for (fmt, shape, offsets), value in zip(slot.tiles, values, strict=True):
            flat = np.broadcast_to(np.asarray(value), shape).reshape(-1)
            store(cta, None, fmt, address + offsets, encode(flat, fmt))
        if is_set(cta, flag).all():
            raise ExecutionError("stores tiles before those that are there have been loaded")
        set_flag(cta, flag, 1)
        if cta.checker is not None and cta.order is not None:
            cta.checker.hand_over(cta.order, flag)
        if cta.turn is not None:
            cta.turn.happened()

    return InCta(apply, op.operands, ())


@TILES.binds(WorkspaceLoadOp)
def bind_workspace_load(op: WorkspaceLoadOp, program: BoundProgram) -> InCta:
    """Waits for the flag, loads tiles, and clears it."""
    slot = Slot([value.type for value in op.values])

    def apply(cta: CtaState, base: Value, flags: Value) -> Array | tuple[Array, ...]:
        address, flag = int(np.asarray(base)), int(np.asarray(flags))
        while not (found := is_set(cta, flag)).all():
            if cta.turn is None:
                raise ExecutionError("waits for tiles that no CTA has stored")
            cta.turn.answer(op, found)
        if cta.checker is not None and cta.order is not None:
            cta.checker.take_over(cta.order, flag)
        tiles = tuple(
            np.array(decode(load(cta, None, fmt, address + offsets), fmt)).reshape(shape)
            for fmt, shape, offsets in slot.tiles
        )
        set_flag(cta, flag, 0)
        return tiles[0] if len(tiles) == 1 else tiles

    return InCta(apply, op.operands, op.results)
