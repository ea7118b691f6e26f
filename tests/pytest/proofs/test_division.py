"""
Quotients by a broadcast divisor, `convert_tileas_to_nvgpu/division.py`: a reciprocal and two
corrections by FMAs round correctly.

For floats of few bits of precision all pairs of mantissas are tried; for f32, every divisor of a
sample with the dividends whose quotients are closest to the middle of two floats, where rounding
goes wrong first, and numbers at the limits of the exponents for which the quick way is taken.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest

Floats = npt.NDArray[np.float64]
SINGLE = 24
"""Bits of precision of f32."""
SAMPLE = 400
"""Divisors of f32."""


def rounded(values: Floats, bits: int) -> Floats:
    """The nearest floats with some bits of precision, ties to even, and any exponent."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)


def divide(dividend: Floats, divisor: Floats, bits: int) -> Floats:
    """What threads compute; f64 holds all sums and products of so few bits exactly."""
    reciprocal = rounded(1 / divisor, bits)
    quotient = rounded(dividend * reciprocal, bits)
    for _ in range(2):
        rest = rounded(dividend - divisor * quotient, bits)
        quotient = rounded(rest * reciprocal + quotient, bits)
    return quotient


@pytest.mark.parametrize(
    "bits", [*range(2, 9), *(pytest.param(b, marks=pytest.mark.long) for b in (9, 10, 11, 12))]
)
def test_all_mantissas(bits: int):
    """Exponents are those of the quotient: other ones scale all that is computed."""
    mantissas = np.arange(1 << bits - 1, 1 << bits, dtype=np.float64)
    dividend, divisor = np.meshgrid(mantissas, mantissas)
    found = divide(dividend, divisor, bits)
    # The quotient of so few bits is not close enough to a middle for f64 to round twice.
    np.testing.assert_array_equal(found, rounded(dividend / divisor, bits))


def nearest(value: Fraction) -> Fraction:
    """The nearest float of 24 bits."""
    if not value:
        return value
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    for shift in (SINGLE - exponent, SINGLE - exponent - 1, SINGLE - exponent + 1):
        scaled = abs(value) * Fraction(2) ** shift
        if 1 << SINGLE - 1 <= scaled < 1 << SINGLE:
            number = Fraction(round(scaled)) / Fraction(2) ** shift
            return number if value > 0 else -number
    raise AssertionError(value)


def divide_exactly(dividend: Fraction, divisor: Fraction) -> Fraction:
    reciprocal = nearest(1 / divisor)
    quotient = nearest(dividend * reciprocal)
    for _ in range(2):
        rest = nearest(dividend - divisor * quotient)
        quotient = nearest(rest * reciprocal + quotient)
    return quotient


def hard_dividends(divisor: int) -> list[int]:
    """Mantissas whose quotients by an odd mantissa are next to the middle of two floats."""
    found: list[int] = []
    for shift in (SINGLE, SINGLE + 1):
        inverse = pow(pow(2, shift, divisor), -1, divisor)
        for rest in (1, -1, 2, -2, 3, -3):
            # The quotient times 2^shift is an integer and `rest / divisor`; an odd one is a middle.
            number = rest * inverse % divisor
            while number < 1 << SINGLE - 1:
                number += divisor
            if number < 1 << SINGLE:
                found.append(number)
    return found


def test_hard_cases():
    random = np.random.default_rng(7)
    divisors = {1 | int(n) for n in random.integers(1 << SINGLE - 1, 1 << SINGLE, SAMPLE)}
    divisors |= {(1 << SINGLE) - 1, (1 << SINGLE - 1) + 1, 0xAAAAAB, 0x800003, 0xFFFFFD}
    tried = 0
    for divisor in divisors:
        for dividend in hard_dividends(divisor):
            exact = Fraction(dividend, divisor)
            assert divide_exactly(Fraction(dividend), Fraction(divisor)) == nearest(exact)
            tried += 1
    assert tried > 4 * SAMPLE


def test_limits_of_exponents():
    """Between 2^-62 and 2^62 all that is computed, but residuals of zero, is a normal number."""
    least, most = Fraction(1, 2**62), Fraction(2**62)
    normal, largest = Fraction(1, 2**126), Fraction(2**128)
    step = 1 + Fraction(1, 1 << SINGLE - 1)
    numbers = [
        least,
        least * step,
        least * Fraction(3, 2),
        most,
        most / step,
        most * Fraction(2, 3),
    ]
    for dividend in map(nearest, numbers):
        for divisor in map(nearest, numbers):
            reciprocal = nearest(1 / divisor)
            quotient = nearest(dividend * reciprocal)
            rest = nearest(dividend - divisor * quotient)
            for value in (reciprocal, quotient, rest):
                assert not value or normal <= abs(value) < largest
            assert divide_exactly(dividend, divisor) == nearest(dividend / divisor)
