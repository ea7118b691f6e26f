"""Attacks on `insert-runtime-checks`: what is fine stays as it is, what is not fails."""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run

from ..harness.passes import applied
from ..harness.running import Array
from .attacks import make

KERNEL = """
entry @k(%p: tile<ptr<i32>>, %x: tile<i64>, %n: tile<i32>) {
  %i = iota : tile<4xi64>
  %x1 = reshape %x : tile<i64> -> tile<1xi64>
  %xs = broadcast %x1 : tile<1xi64> -> tile<4xi64>
  %o = addi %i, %xs : tile<4xi64>
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ps = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %q = offset %ps, %o : tile<4xptr<i32>>, tile<4xi64> -> tile<4xptr<i32>>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %ns = broadcast %n1 : tile<1xi32> -> tile<4xi32>
  %j = iota : tile<4xi32>
  %m = cmpi less_than %j, %ns, signed : tile<4xi32> -> tile<4xi1>
  %t = store_ptr_tko weak %q, %j, %m : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token
  return
}"""


def outcome(x: int, n: int) -> Array | None:
    """What 16 integers are behind the kernel with checks; `None` if a check fails."""
    module = applied(load(KERNEL), make("insert-runtime-checks"))
    array = np.full(16, -1, np.int32)
    try:
        run(module, grid=1, args=[array, x, n, 0, array.nbytes])
    except ExecutionError as error:
        return None if "out of bounds of 'p'" in str(error) else np.zeros(0)
    return array


@pytest.mark.parametrize(
    ("x", "n"), [(0, 4), (12, 4), (13, 3), (15, 1), (-1, 0), (16, 0), (2**61, 0), (-(2**62), -5)]
)
def test_inside(x: int, n: int):
    """Lanes that are masked out may be anywhere."""
    expected = np.full(16, -1, np.int32)
    for lane in range(max(n, 0)):
        expected[x + lane] = lane
    np.testing.assert_array_equal(outcome(x, n), expected)


@pytest.mark.parametrize(
    ("x", "n"), [(-1, 1), (13, 4), (16, 1), (2**60, 1), (-(2**60), 1), (15, 2)]
)
def test_outside(x: int, n: int):
    assert outcome(x, n) is None


DIVISION = """
entry @k(%p: tile<ptr<i8>>, %x: tile<i8>, %y: tile<i8>) {
  %q = OP %x, %y SIGN : tile<i8>
  %t = store_ptr_tko weak %p, %q : tile<ptr<i8>>, tile<i8> -> token
  return
}"""


@pytest.mark.parametrize("op", ["divi", "remi"])
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_divisions(op: str, sign: str):
    """By zero, and of the least number by minus one."""
    text = DIVISION.replace("OP", op).replace("SIGN", sign)
    module, checked = load(text), applied(load(text), make("insert-runtime-checks"))
    for x, y in ((7, 2), (-128, -1), (-128, 1), (0, 5), (-1, -1), (1, 0), (0, 0)):
        found = np.zeros(1, np.int8)
        is_undefined = y == 0 or (op == "divi" and sign == "signed" and (x, y) == (-128, -1))
        try:
            run(checked, grid=1, args=[found, x, y, 0, 1])
        except ExecutionError:
            assert is_undefined or (x, y) == (-128, -1), f"{x} {op} {y}"
            continue
        assert not is_undefined, f"{x} {op} {y}"
        expected = np.zeros(1, np.int8)
        run(module, grid=1, args=[expected, x, y])
        assert found == expected
