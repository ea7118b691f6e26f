"""Rows divided by one number each: rounded as a division of each element is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from tileiras_xdsl import load

from ...harness.passes import lower
from .tile_kernels import Kernel

Floats = npt.NDArray[np.float32]

ROWS, COLUMNS = 8, 1024
SPECIAL = (
    *(0.0, -0.0, 1.0, -1.0, 3.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754942e-38),
    *(1.1754944e-38, 3.4028235e38, 2.0**-62, 2.0**62, 2.0**-63, 2.0**63, 1.9999999, 1 + 2**-23),
)


def make_kernel(dividends: Floats, divisors: Floats) -> Kernel:
    """A kernel that divides rows."""
    kernel = Kernel()
    rows = kernel.values((ROWS, COLUMNS), "f32", dividends)
    column = kernel.values((ROWS, 1), "f32", divisors)
    wide = kernel.add(f"broadcast {column} : tile<{ROWS}x1xf32> -> tile<{ROWS}x{COLUMNS}xf32>")
    quotient = kernel.add(f"divf {rows}, {wide} : tile<{ROWS}x{COLUMNS}xf32>")
    kernel.store(quotient, (ROWS, COLUMNS), "f32")
    return kernel


def check(dividends: Floats, divisors: Floats, opt: int = 3) -> None:
    """Divides rows in a kernel, and by NumPy."""
    found = make_kernel(dividends, divisors).check(opt)[-1]
    with np.errstate(all="ignore"):
        expected = dividends.astype(np.float32) / np.repeat(divisors, COLUMNS).astype(np.float32)
    np.testing.assert_array_equal(found, expected)
    signs = np.isnan(expected) | (np.signbit(expected) == np.signbit(found))
    assert signs.all()


def test_there_is_one_reciprocal_for_each_row():
    kernel = make_kernel(np.ones(ROWS * COLUMNS, np.float32), np.ones(ROWS, np.float32))
    names = [op.name for op in lower(load(kernel.text())).walk()]
    assert names.count("nvvm.rcp.f") == 1


@pytest.mark.parametrize("exponents", [(-60, 60), (-3, 3), (-149, 127)])
def test_random_numbers(exponents: tuple[int, int]):
    rng = np.random.default_rng(exponents[1])

    def numbers(count: int) -> Floats:
        return (rng.uniform(-2, 2, count) * 2.0 ** rng.integers(*exponents, count)).astype(
            np.float32
        )

    check(numbers(ROWS * COLUMNS), numbers(ROWS))


def test_mantissas_of_ones():
    """Divisors for which rounding the reciprocal loses most."""
    divisors = np.full(ROWS, 0x3FFFFFFF, np.uint32) - np.arange(ROWS, dtype=np.uint32)
    dividends = 0x3F800000 + np.random.default_rng(0).integers(0, 1 << 23, ROWS * COLUMNS)
    check(dividends.astype(np.uint32).view(np.float32), divisors.view(np.float32))


@pytest.mark.parametrize("first", range(0, len(SPECIAL), ROWS))
def test_special_numbers(first: int):
    special = np.array(SPECIAL, np.float32)
    divisors = np.resize(special[first:], ROWS)
    check(np.resize(special, ROWS * COLUMNS), divisors)


@pytest.mark.parametrize("opt", [0, 2])
def test_other_levels(opt: int):
    rng = np.random.default_rng(opt)
    check(rng.random(ROWS * COLUMNS, np.float32), rng.random(ROWS, np.float32), opt)
