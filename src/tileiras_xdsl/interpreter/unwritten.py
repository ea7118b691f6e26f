"""
Values read from memory that nobody has written.

A program may copy such bytes: what it stores them to counts as not written either. It may not
compute with them. A tile of which some elements were never written knows them; ops that only move
elements pass that on, all others report the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct

from .arithmetic import tile_ops
from .errors import ExecutionError
from .machine import BoundProgram, CallFrame, Signal, Step
from .values import Array, Mask, Value


class UnwrittenTile(np.ndarray[Any, np.dtype[Any]]):
    """A tile with elements that were never written."""

    elements: Mask
    """Which ones."""
    error: ExecutionError
    """What to say if one is used."""


def mark_unwritten(value: Array, elements: Mask, error: ExecutionError) -> UnwrittenTile:
    """A tile of whose elements some were never written."""
    result = np.array(value).view(UnwrittenTile)
    result.elements, result.error = elements, error
    return result


def unwritten_elements(value: Value, shape: Sequence[int]) -> Mask | None:
    """Which elements of a tile were never written; `None` if all were."""
    if not isinstance(value, UnwrittenTile):
        return None
    return np.broadcast_to(value.elements, tuple(shape))


def check_written(value: Value) -> None:
    """Raises if a value that is about to be used was never written."""
    if isinstance(value, UnwrittenTile):
        raise value.error


def _positions() -> dict[str, int | None]:
    """The ops that move elements of their first this many operands, `None` for those of all."""
    found: dict[str, int | None] = {}
    for word in "reshape view expand_dims broadcast splat permute convert_layout assume".split():
        found.update(dict.fromkeys(tile_ops(word), 1))
    found.update(dict.fromkeys(tile_ops("extract"), 1))
    found.update(dict.fromkeys(tile_ops("insert"), 2))
    found.update(dict.fromkeys(tile_ops("cat"), 2))
    return found


MOVES = _positions()
STORES = frozenset(
    name
    for word in "store store_ptr_tko store_view_tko tiled_store scatter_store".split()
    for name in tile_ops(word)
)
PASSES_ON = (ct.ForOp, ct.LoopOp, ct.IfOp, scf.ForOp, scf.WhileOp, scf.IfOp)
"""Control flow, which hands values to its regions."""


def track_unwritten(program: BoundProgram, op: Operation, step: Step) -> Step:
    """The step of an op that passes on what was never written, or reports its use."""
    if not op.operands or isinstance(op, PASSES_ON):
        return step
    if op.name in MOVES:
        return _moves(program, op, step)
    operands = program.all(op.operands)
    if op.name in STORES:
        stored: SSAValue = getattr(op, "tile", None) or getattr(op, "value")
        operands = program.all([operand for operand in op.operands if operand is not stored])

    def checked(frame: CallFrame) -> Signal | None:
        registers = frame.registers
        for operand in operands:
            if isinstance(registers[operand], UnwrittenTile):
                check_written(registers[operand])
        return step(frame)

    return checked


def _moves(program: BoundProgram, op: Operation, step: Step) -> Step:
    """Moves what is known of elements like the elements themselves."""
    moved = program.all(op.operands[: MOVES[op.name]])
    used = program.all(op.operands[MOVES[op.name] :])
    result = program.register(op.results[0])

    def move(frame: CallFrame) -> Signal | None:
        registers = frame.registers
        for operand in used:
            check_written(registers[operand])
        values = [registers[operand] for operand in moved]
        if not any(isinstance(value, UnwrittenTile) for value in values):
            return step(frame)
        error = next(value.error for value in values if isinstance(value, UnwrittenTile))
        for operand, value in zip(moved, values, strict=True):
            registers[operand] = _elements_of(value)
        step(frame)
        elements = np.asarray(registers[result])
        for operand, value in zip(moved, values, strict=True):
            registers[operand] = np.asarray(value)
        step(frame)
        found: npt.NDArray[Any] = np.asarray(registers[result])
        registers[result] = mark_unwritten(found, elements, error) if elements.any() else found
        for operand, value in zip(moved, values, strict=True):
            registers[operand] = value
        return None

    return move


def _elements_of(value: Value) -> Mask:
    if isinstance(value, UnwrittenTile):
        return value.elements
    return np.zeros(np.shape(value), np.bool_)
