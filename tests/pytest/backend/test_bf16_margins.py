"""Why a division without a slow path gives the same bf16."""

import numpy as np

FLOAT_ULP = 2.0**-23
"""Of f32, relative to the smallest number of a binade."""


def test_quotients_are_further_from_midpoints_than_the_error_of_div_full():
    """All pairs of significands of 8 bits; exponents only scale quotients."""
    significands = np.arange(128, 256, dtype=np.int64)
    dividend, divisor = significands[:, None], significands[None, :]
    dividend = np.where(dividend < divisor, 2 * dividend, dividend)
    # Quotients are in [1, 2), bf16 are 2^-7 apart there, and midpoints odd multiples of 2^-8.
    rest = (dividend << 8) % (2 * divisor)
    distance = np.abs(rest - divisor) / (divisor * 256)
    assert distance.min() > 4 * FLOAT_ULP
