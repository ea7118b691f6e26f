"""
Random programs at level 0 and level 3.

Integers, moves and single operations on floats are the same bit for bit. Sums are rounded in
another order: a float that a program with a product, a reduction or a scan of floats stores may
differ by `SUMS` times the precision of its type, relative to itself or to 1. Bodies of reductions
and scans that are not associative have no result to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.types import TileType, is_float
from tileiras_xdsl.interpreter.elements import bits_of, round_to

from ...harness.cases import every
from ...harness.passes import lower
from ...harness.running import arrays_of, run_printing
from ...strategies.programs import TileProgram, random_program

Array = npt.NDArray[Any]

FIRST, PROGRAMS, CHUNK = 300, 24, 6
SUMS = 64
"""In units of the precision of a type."""

ASSOCIATIVE = (ct.AddIOp, ct.MulIOp, ct.AndIOp, ct.OrIOp, ct.XOrIOp, ct.MaxIOp, ct.MinIOp)
FLOAT_SUMS = (ct.AddFOp, ct.MulFOp, ct.MaxFOp, ct.MinFOp)


def aggregates(module: ModuleOp) -> list[ct.ReduceOp | ct.ScanOp]:
    """The reductions and scans of a program."""
    return [op for op in module.walk() if isinstance(op, ct.ReduceOp | ct.ScanOp)]


def is_ordered(op: ct.ReduceOp | ct.ScanOp) -> bool:
    """Whether the result may depend on the order in which elements are combined."""
    block: Block = op.body.block
    last = block.last_op
    assert last is not None
    pairs = zip(block.args[::2], block.args[1::2], strict=True)
    return not all(
        isinstance(value.owner, (*ASSOCIATIVE, *FLOAT_SUMS))
        and {*value.owner.operands[:2]} == {*pair}
        for value, pair in zip(last.operands, pairs, strict=True)
    )


def is_rounded(module: ModuleOp) -> bool:
    """Whether a program sums floats in an order that nobody has to keep."""
    return any(
        isinstance(op, ct.MmaFOp | ct.MmaFScaledOp)
        or (
            isinstance(op, ct.ReduceOp | ct.ScanOp)
            and any(isinstance(o, FLOAT_SUMS) for o in op.body.walk())
        )
        for op in module.walk()
    )


def arguments_of(program: TileProgram, lowered: ModuleOp) -> list[Array | int | float]:
    """Arguments for threads: of floats of 8 bits the bits, of others what the type can hold."""
    entry = next(op for op in program.module.walk() if isinstance(op, ct.EntryOp))
    function = next(op for op in lowered.walk() if isinstance(op, FuncOp))
    types = zip(entry.body.block.arg_types, function.body.block.arg_types, strict=True)
    return [
        argument if isinstance(argument, np.ndarray) else scalar(argument, before, after)
        for argument, (before, after) in zip(program.arguments(), types, strict=True)
    ]


def scalar(value: float, before: Attribute, after: Attribute) -> float:
    """A scalar argument of a thread."""
    assert isinstance(before, TileType)
    if not is_float(before.element_type):
        return value
    rounded = round_to(np.asarray(float(value)), before.element_type)
    if isinstance(after, IntegerType):
        return int(bits_of(rounded, before.element_type))
    return float(rounded)


def outcome(
    module: ModuleOp, program: TileProgram, arguments: Sequence[Any]
) -> tuple[list[Array], str]:
    """The arrays and the text that a run leaves."""
    text = run_printing(module, grid=program.grid, args=arguments)
    return arrays_of(arguments), text


def precision(dtype: np.dtype[Any]) -> float:
    """The difference between 1 and the next larger number of a type."""
    one = np.ones(1, dtype)
    following = (one.view(f"u{dtype.itemsize}") + 1).astype(f"u{dtype.itemsize}").view(dtype)
    return float(following[0]) - 1


def assert_same(expected: Array, found: Array, message: str, *, is_rounded: bool) -> None:
    """Bit for bit, or within the error of sums; all that is not a number is alike."""
    is_integer = expected.dtype.kind in "iub"
    if is_integer:
        np.testing.assert_array_equal(found, expected, message)
        return
    with np.errstate(invalid="ignore"):
        wide, result = expected.astype(np.float64), found.astype(np.float64)
    if not is_rounded:
        np.testing.assert_array_equal(result, wide, message)
        return
    error = SUMS * precision(expected.dtype)
    np.testing.assert_allclose(result, wide, error, error, err_msg=message)


def compare(seed: int, opt: int) -> bool:
    """
    Runs a program at both levels; whether there was something to compare. What allocates memory
    while it runs cannot be run at level 3.
    """
    program = random_program(seed)
    lowered = lower(program.module, opt=opt)
    if any(op.name == "llvm.call" for op in lowered.walk()):
        return False
    found, said = outcome(lowered, program, arguments_of(program, lowered))
    if any(map(is_ordered, aggregates(program.module))):
        return False
    expected, text = outcome(program.module, program, program.arguments())
    rounded = is_rounded(program.module)
    for number, (before, after) in enumerate(zip(expected, found, strict=True)):
        assert_same(before, after, f"program {seed}, array {number}", is_rounded=rounded)
    # The sign of what is not a number is not determined.
    if not rounded:
        assert said.replace("-nan", "nan") == text.replace("-nan", "nan"), f"program {seed}"
    return True


@pytest.mark.parametrize("first", every(4, range(FIRST, FIRST + PROGRAMS, CHUNK)))
def test_random_programs_mean_the_same(first: int):
    compared = [compare(seed, opt=3 * (seed % 2)) for seed in range(first, first + CHUNK)]
    assert any(compared)
