"""Steps of interpreters: a function applied to registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias


class Frame(Protocol):
    """The registers of one run of a function, and the block of the grid it runs in."""

    registers: list[Any]

    @property
    def block(self) -> Any: ...


Function: TypeAlias = Callable[..., Any]
"""Values of the operands to that of the result; a tuple if there are several, or none."""
Step: TypeAlias = Callable[[Frame], None]


def make_step(function: Function, operands: list[int], results: list[int]) -> Step:
    """A step for the usual numbers of operands and results, or for any."""
    if len(results) == 1:
        (result,) = results
        if len(operands) == 1:
            (only,) = operands

            def unary(frame: Frame) -> None:
                registers = frame.registers
                registers[result] = function(registers[only])

            return unary
        if len(operands) == 2:
            first, second = operands

            def binary(frame: Frame) -> None:
                registers = frame.registers
                registers[result] = function(registers[first], registers[second])

            return binary

    def general(frame: Frame) -> None:
        registers = frame.registers
        values = function(*[registers[operand] for operand in operands])
        _store(registers, results, values)

    return general


def make_step_in_block(function: Function, operands: list[int], results: list[int]) -> Step:
    """A step that also gets the block of the grid."""

    def step(frame: Frame) -> None:
        registers = frame.registers
        values = function(frame.block, *[registers[operand] for operand in operands])
        _store(registers, results, values)

    return step


def _store(registers: list[Any], results: list[int], values: Any) -> None:
    if len(results) == 1:
        registers[results[0]] = values
        return
    for result, value in zip(results, () if values is None else values, strict=True):
        registers[result] = value
