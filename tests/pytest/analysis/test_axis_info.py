"""
Axis info is sound: random programs are run by the interpreter, and each value is compared with its
axis info. `proofs/test_axis_info.py` has the rules of single ops, for all values; here they are
asked one after the other, in branches and loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.analysis import axis_info as rules
from tileiras_xdsl.analysis.axis_info import ANY_DIVISOR, AxisInfo, Sizes
from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, is_pointer
from tileiras_xdsl.interpreter import run as interpreter
from tileiras_xdsl.interpreter.machine import Body, BoundProgram, CallFrame, Signal, Step

from ..harness.cases import every
from ..harness.modules import ops_of
from ..harness.passes import lower
from ..harness.running import run_printing
from ..strategies.programs import random_program

# Checking


def runs_along(array: np.ndarray[Any, Any], dim: int, run: int) -> np.ndarray[Any, Any]:
    """The runs of an array along a dimension, one in each row."""
    moved = np.moveaxis(array, dim, -1)
    return moved.reshape(-1, run)


def divides(divisor: int, numbers: list[int]) -> bool:
    if divisor == ANY_DIVISOR:
        return not any(numbers)
    return all(number % divisor == 0 for number in numbers)


def violation(info: AxisInfo, value: Any, *, is_address: bool = False) -> str | None:
    """What axis info says wrongly of a value. The interpreter has addresses as signed numbers."""
    array = np.asarray(value)
    if array.dtype == np.bool_:
        array = array.astype(np.int64)
    array = array.astype(object)
    numbers = [int(number) for number in array.reshape(-1)]
    if not is_address and not all(info.low <= number <= info.high for number in numbers):
        return "range"
    if not divides(info.divisor, numbers):
        return "divisor"
    if array.shape != info.shape:
        return "shape"
    for dim in range(array.ndim):
        rows = runs_along(array, dim, info.contiguity[dim])
        for row in rows:
            expected = [int(row[0]) + info.step * i for i in range(len(row))]
            if [int(number) for number in row] != expected:
                return "contiguity"
        if not divides(info.divisibility[dim], [int(row[0]) for row in rows]):
            return "divisibility"
        for row in runs_along(array, dim, info.constancy[dim]):
            if any(number != row[0] for number in row):
                return "constancy"
    return None


class CheckingProgram(BoundProgram):
    """Compares all values with their axis info when they are computed."""

    axis_info: AxisInfoAnalysis
    checked = 0

    def check(self, values: Sequence[SSAValue]) -> Step:
        registers = self.all(values)

        def step(frame: CallFrame) -> None:
            for value, register in zip(values, registers, strict=True):
                if is_checked(value.type):
                    found = frame.registers[register]
                    info = self.axis_info[value]
                    is_address = is_pointer(get_element(value.type))
                    # In the body of a reduction, one for each of its lanes.
                    for each in np.reshape(found, (-1, *info.shape)):
                        wrong = violation(info, each, is_address=is_address)
                        assert wrong is None, f"{wrong} of {value}: {info} but {each}"
                    CheckingProgram.checked += 1

        return step

    def bind_block(self, block: Block) -> Body:
        body = super().bind_block(block)
        body.steps.insert(0, self.check(block.args))
        return body

    def bind(self, op: Operation) -> Step:
        step, check = super().bind(op), self.check(op.results)

        def checked(frame: CallFrame) -> Signal | None:
            signal = step(frame)
            check(frame)
            return signal

        return checked


def is_checked(ty: Attribute) -> bool:
    element = get_element(ty)
    return isinstance(element, IntegerType | IndexType) or is_pointer(element)


# Programs


@pytest.fixture(autouse=True)
def _checking(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(interpreter, "BoundProgram", CheckingProgram)


def check_programs(seeds: Sequence[int]) -> None:
    """Runs programs of `nv_tileaa`, and compares five values of each or more."""
    CheckingProgram.checked = 0
    for seed in seeds:
        program = random_program(seed)
        module = lower(program.module, "tileaa")
        (kernel,) = ops_of(module, FuncOp)
        CheckingProgram.axis_info = analyze(kernel)
        run_printing(module, grid=program.grid, args=program.arguments())
    assert CheckingProgram.checked > 5 * len(seeds)


@pytest.mark.part("kernels")
@pytest.mark.parametrize("first", every(12, range(0, 240, 20)))
def test_axis_info_holds_in_random_programs(first: int):
    check_programs(range(first, first + 20))


# The test itself


def _no_wrap(info: AxisInfo, bounds: rules.IntegerRange, *, may_wrap: bool = True) -> AxisInfo:
    low, high = max(info.low, bounds.low), min(info.high, bounds.high)
    return info if low > high else info._replace(low=low, high=high)


def _first_runs(first: AxisInfo, second: AxisInfo) -> list[int]:
    return list(first.constancy)


def _first_divisor(first: int, second: int) -> int:
    return first


def _whole_number(number: int) -> int:
    return number


def _first(first: AxisInfo, second: AxisInfo) -> AxisInfo:
    return first


def _inclusive(predicate: str, first: AxisInfo, second: AxisInfo, dim: int) -> int:
    return min(first.contiguity[dim], second.constancy[dim])


def _same_runs(info: AxisInfo, shape: Sizes) -> AxisInfo:
    return info._replace(shape=shape)


PLANTED: dict[str, tuple[Callable[..., object], int]] = {
    "wrap": (_no_wrap, 10),
    "equal_runs": (_first_runs, 1),
    "common_divisor": (_first_divisor, 0),
    "power_of_two": (_whole_number, 0),
    "join": (_first, 31),
    "_compared_run": (_inclusive, 8),
    "zero_extend": (_first, 41),
    "limit_runs": (_same_runs, 87),
}
"""What replaces a rule, and a program that shows it."""


@pytest.mark.parametrize("name", PLANTED)
def test_wrong_rules_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch):
    wrong, seed = PLANTED[name]
    monkeypatch.setattr(rules, name, wrong)
    with pytest.raises(AssertionError, match=r"(range|divis\w+|shape|con\w+) of "):
        check_programs([seed, *range(100)])


PREDICATES = {"lt": lt, "le": le, "gt": gt, "ge": ge, "eq": eq, "ne": ne}


@pytest.mark.parametrize("predicate", PREDICATES)
def test_ranges_that_a_comparison_allows(predicate: str):
    """All ranges of small numbers, signed and as unsigned numbers of three bits."""
    numbers = range(-4, 4)
    ranges = [AxisInfo((), low, high, 1) for low in numbers for high in range(low, 4)]
    for one, other, signed in product(ranges, ranges, (True, False)):
        found = rules.compared_ranges(predicate, one, other, signed=signed)
        for a, b in product(range(one.low, one.high + 1), range(other.low, other.high + 1)):
            if PREDICATES[predicate](*((a, b) if signed else (a % 8, b % 8))):
                assert found[0].low <= a <= found[0].high, (one, other, signed)
                assert found[1].low <= b <= found[1].high, (one, other, signed)
