"""
Accumulators of WGMMAs that are in flight.

The values are computed when a WGMMA is issued, but may not be used before a wait. An array that
holds them knows its WGMMA; all ops but those that only move values report its use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.errors import ExecutionError, place_of
from tileiras_xdsl.interpreter.machine import BoundProgram, CallFrame, Step
from tileiras_xdsl.interpreter.values import Array, Value


@dataclass
class IssuedWgmma:
    """A WGMMA that a warp has issued."""

    op: Operation
    group: int
    """The number of its group among those of its warp."""
    is_over: bool = False


class InFlight(np.ndarray[Any, np.dtype[Any]]):
    """An array that a WGMMA in flight writes."""

    wgmma: IssuedWgmma | None

    def __array_finalize__(self, obj: npt.NDArray[Any] | None) -> None:
        self.wgmma = getattr(obj, "wgmma", None)


MOVES = (
    *("nvvm.wgmma.mma_async", "nvvm.wgmma.wait.group.sync.aligned"),
    *("nvgpu.warpgroup.mma", "nvgpu.warpgroup.wait"),
    *("vector.extract_strided_slice", "vector.insert_strided_slice"),
    *("vector.shuffle", "llvm.shufflevector", "llvm.insertvalue", "llvm.extractvalue"),
    *("builtin.unrealized_conversion_cast", "vector.shape_cast"),
)
"""Ops that may see results in flight, because they become no instruction."""


def has_wgmma(kernel: Operation) -> bool:
    """Whether a kernel has asynchronous WGMMAs."""
    names = ("nvvm.wgmma.mma_async", "nvgpu.warpgroup.mma")
    return any(op.name in names for op in kernel.walk())


def begun(values: Array, wgmma: IssuedWgmma) -> Array:
    """The result of a WGMMA that was issued."""
    result = values.view(InFlight)
    result.wgmma = wgmma
    return result


def wgmma_of(value: Value) -> IssuedWgmma | None:
    """The WGMMA in flight that a value is the result of."""
    if isinstance(value, tuple):
        found = (wgmma_of(part) for part in cast(tuple[Value, ...], value))
        return next((wgmma for wgmma in found if wgmma is not None), None)
    if not isinstance(value, InFlight) or value.wgmma is None or value.wgmma.is_over:
        return None
    return value.wgmma


def landed(value: Value) -> Value:
    """A value that is about to be used; raises if a WGMMA in flight still writes it."""
    if isinstance(value, tuple):
        return tuple(landed(part) for part in cast(tuple[Value, ...], value))
    if not isinstance(value, InFlight):
        return value
    wgmma = wgmma_of(value)
    if wgmma is not None:
        place = place_of(wgmma.op).rstrip(": ")
        raise ExecutionError(
            f"uses the result of '{wgmma.op.name}'{f' at {place}' if place else ''} that nobody "
            "has waited for"
        )
    return value.view(np.ndarray)


def passed_on(result: Array, *sources: Value) -> Array:
    """A value made by moving others around, some of which may be in flight."""
    for source in sources:
        wgmma = wgmma_of(source)
        if wgmma is not None:
            return begun(result, wgmma)
    return result


def guard_of(program: BoundProgram, op: Operation) -> Step | None:
    """A step in front of an op whose operands must not be in flight."""
    if not op.operands or op.regions or op.name in MOVES:
        return None
    operands = program.all(op.operands)

    def guard(frame: CallFrame) -> None:
        registers = frame.registers
        for operand in operands:
            value = registers[operand]
            if isinstance(value, InFlight | tuple):
                registers[operand] = landed(value)

    return guard
