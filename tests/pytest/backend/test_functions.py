"""
Functions that are written out: their LLVM IR, run by NumPy, with instructions that are as wrong as
the PTX manual lets them be.
"""

import re
from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from .test_translate import translate

Array = npt.NDArray[Any]

EX2_ERROR: Final = 2.0**-22
"""The largest relative error of `ex2.approx.ftz.f32`."""
RCP_ULPS: Final = 1
"""The largest error of `rcp.approx.ftz.f32`."""
ERRORS: Final = list(product((-1, 0, 1), repeat=2))
"""The direction of the error of both; 0 is correct rounding."""


def farthest(value: Array, bound: Array, direction: int) -> Array:
    """The f32 that is farthest from a value on one side of it, within a bound."""
    if not direction:
        return value.astype(np.float32)
    found = (value + direction * bound).astype(np.float32)
    outside = np.abs(found - value) > bound
    return np.where(outside, np.nextafter(found, np.float32(-direction * np.inf)), found)


def unit(value: Array) -> Array:
    """The unit in the last place of f32 at values."""
    _, exponent = np.frexp(np.abs(value))
    return np.ldexp(1.0, np.maximum(exponent - 1, -126) - 23)


def flushed(value: Array) -> Array:
    return np.where(np.abs(value) < 2.0**-126, np.copysign(np.float32(0), value), value)


class Evaluator:
    """Runs the instructions of a kernel that computes a function of `%f` and stores it."""

    def __init__(self, text: str, errors: tuple[int, int]):
        self.ex2_error, self.rcp_error = errors
        self.lines = [line.strip() for line in text.splitlines()]
        self.values: dict[str, Array] = {}

    def run(self, argument: Array) -> Array:
        for line in self.lines:
            if found := re.match(r"define .*\(.*?float (%\w+)", line):
                self.values[found[1]] = argument
            elif found := re.match(r"store float (%\w+),", line):
                return self.values[found[1]]
            elif found := re.match(r"(%\w+) = (.*)", line):
                self.values[found[1]] = self.compute(found[2])
        raise AssertionError("nothing is stored")

    def operands(self, text: str) -> list[Any]:
        words = re.findall(r"(?:float|i1) (\S+?)(?=[,)]|$)|, ([^\s,)]+)$", text)
        return [self.operand(first or second) for first, second in words]

    def operand(self, word: str) -> Any:
        if word in self.values:
            return self.values[word]
        if word.startswith("0x"):
            return np.float32(np.uint64(int(word, 16)).view(np.float64))
        return np.float32(float(word))

    def compute(self, text: str) -> Array:
        if found := re.match(r"(?:tail )?call float @([\w.]+)\((.*)\)", text):
            return self.call(found[1], self.operands(found[2]))
        name, _, rest = text.partition(" ")
        operands = self.operands(rest)
        match name:
            case "fmul":
                return operands[0] * operands[1]
            case "fsub":
                return operands[0] - operands[1]
            case "fcmp":
                assert rest.startswith("olt")
                return np.less(operands[0], operands[1])
            case "select":
                condition, first, second = operands
                return np.where(np.asarray(condition), np.asarray(first), np.asarray(second))
            case _:
                raise AssertionError(text)

    def call(self, name: str, operands: Sequence[Any]) -> Array:
        match name:
            case "llvm.fma.f32":
                # Products of two f32 are exact in f64, and sums nearly: good for what is compared.
                a, b, c = (np.asarray(each, np.float64) for each in operands)
                return (a * b + c).astype(np.float32)
            case "llvm.fabs.f32":
                return np.abs(operands[0])
            case "llvm.copysign.f32":
                return np.copysign(*operands)
            case "llvm.nvvm.ex2.approx.ftz.f32":
                value = np.exp2(flushed(operands[0]).astype(np.float64))
                found = farthest(value, EX2_ERROR * value, self.ex2_error)
                is_exact = (value == 0) | ~np.isfinite(value.astype(np.float32))
                return flushed(np.where(is_exact, value.astype(np.float32), found))
            case "llvm.nvvm.rcp.approx.ftz.f":
                value = 1 / flushed(operands[0]).astype(np.float64)
                found = farthest(value, RCP_ULPS * unit(value), self.rcp_error)
                is_exact = (value == 0) | ~np.isfinite(value)
                return flushed(np.where(is_exact, value.astype(np.float32), found))
            case _:
                raise AssertionError(name)


TANH: Final = "%t = llvm.intr.tanh(%f) : (f32) -> f32"


def text_of(body: str, result: str) -> str:
    store = f"llvm.store %{result}, %g : f32, !llvm.ptr<1>"
    return translate(f"{body}\n{store}", "%g: !llvm.ptr<1>, %f: f32")


def arguments() -> Array:
    """f32 of all sizes and both signs, most of them where the functions are not constant."""
    bits = np.arange(0, 0x7F800000, 104729, dtype=np.uint32)
    common = np.arange(0x3B000000, 0x41800000, 211, dtype=np.uint32)
    numbers = np.concatenate((bits, common)).view(np.float32)
    return np.concatenate((numbers, -numbers))


def tanh(x: Array) -> Array:
    return np.tanh(x.astype(np.float64))


def evaluate(text: str, errors: tuple[int, int], x: Array) -> Array:
    with np.errstate(all="ignore"):
        return Evaluator(text, errors).run(x).astype(np.float64)


@pytest.mark.every(2)
@pytest.mark.parametrize("errors", ERRORS)
def test_tanh(errors: tuple[int, int]):
    """Within 1.4 ulp if instructions round correctly; if they are as wrong as they may be, 2.6."""
    x = arguments()
    expected = tanh(x)
    found = evaluate(text_of(TANH, "t"), errors, x)
    assert np.max(np.abs(found - expected) / unit(expected)) <= (2.6 if any(errors) else 1.4)
    assert np.array_equal(np.signbit(found), np.signbit(x))


def test_limits():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)
    found = evaluate(text_of(TANH, "t"), (0, 0), x)
    assert np.array_equal(found, tanh(x), equal_nan=True)
