"""
Results of products that are under way.

The numbers are known when a product begins, but nobody may use them before a wait. An array that
holds them knows its product; ops other than those that move values around report its use.
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
class WgmmaInFlight:
    """A product that a warp has begun."""

    op: Operation
    group: int
    """The number of its group among those of its warp."""
    is_over: bool = False


class InFlight(np.ndarray[Any, np.dtype[Any]]):
    """An array that a product writes."""

    product: WgmmaInFlight | None

    def __array_finalize__(self, obj: npt.NDArray[Any] | None) -> None:
        self.product = getattr(obj, "product", None)


MOVES = (
    *("nvvm.wgmma.mma_async", "nvvm.wgmma.wait.group.sync.aligned"),
    *("nvgpu.warpgroup.mma", "nvgpu.warpgroup.mma.async", "nvgpu.warpgroup.wait"),
    *("vector.extract_strided_slice", "vector.insert_strided_slice"),
    *("vector.shuffle", "llvm.shufflevector", "llvm.insertvalue", "llvm.extractvalue"),
    *("builtin.unrealized_conversion_cast", "vector.shape_cast"),
)
"""Ops that may see results that are under way, because no instruction comes of them."""


def has_wgmma(kernel: Operation) -> bool:
    """Whether a kernel has products that run while it goes on."""
    names = ("nvvm.wgmma.mma_async", "nvgpu.warpgroup.mma", "nvgpu.warpgroup.mma.async")
    return any(op.name in names for op in kernel.walk())


def begun(values: Array, product: WgmmaInFlight) -> Array:
    """The result of a product that has begun."""
    result = values.view(InFlight)
    result.product = product
    return result


def wgmma_of(value: Value) -> WgmmaInFlight | None:
    """The product under way that a value is the result of."""
    if isinstance(value, tuple):
        found = (wgmma_of(part) for part in cast(tuple[Value, ...], value))
        return next((product for product in found if product is not None), None)
    if not isinstance(value, InFlight) or value.product is None or value.product.is_over:
        return None
    return value.product


def landed(value: Value) -> Value:
    """A value that is about to be used; raises if a product still writes it."""
    if isinstance(value, tuple):
        return tuple(landed(part) for part in cast(tuple[Value, ...], value))
    if not isinstance(value, InFlight):
        return value
    product = wgmma_of(value)
    if product is not None:
        place = place_of(product.op).rstrip(": ")
        raise ExecutionError(
            f"uses the result of '{product.op.name}'{f' at {place}' if place else ''} that nobody "
            "has waited for"
        )
    return value.view(np.ndarray)


def passed_on(result: Array, *sources: Value) -> Array:
    """A value made by moving others around, some of which may be under way."""
    for source in sources:
        product = wgmma_of(source)
        if product is not None:
            return begun(result, product)
    return result


def guard_of(program: BoundProgram, op: Operation) -> Step | None:
    """A step in front of an op whose operands must not be under way."""
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
