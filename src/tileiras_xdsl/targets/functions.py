"""
Instructions that ptxas makes of functions of an f32 and of divisions.

Counted in the SASS of kernels that compute one function of eight elements of each thread, less
those of the same kernel with an addition in its place (ptxas 13.4, sm_90a, 2026-11-19). Slow paths,
of subnormal numbers or large arguments, are not counted: threads jump over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Expansion:
    """The instructions of an element."""

    issued: float
    special: float = 0.0
    """Of these, those of the special function units."""
    fma: float = 0.0
    """Of the FMA units."""
    alu: float = 0.0
    """Of the ALU."""
    branches: bool = False
    """Whether threads jump over a slow path: the next element begins behind it."""


REDUCED: Final = Expansion(4, special=1, fma=2, alu=1)
"""A special function whose subnormal arguments are scaled, and its results."""

EXPANSIONS: Final[Mapping[str, Expansion]] = {
    "divf": Expansion(15, special=1, fma=8, alu=3, branches=True),
    "divf.approx": Expansion(5, special=1, fma=3, alu=1),
    "divf.approx.ftz": Expansion(2, special=1, fma=1),
    "divf.full": Expansion(8, special=1, fma=5, alu=2),
    "divf.broadcast": Expansion(8, fma=5, alu=3),
    "exp": Expansion(8, special=1, fma=6, alu=1),
    "exp.approx": Expansion(5, special=1, fma=3, alu=1),
    "exp2": REDUCED,
    "exp2.ftz": Expansion(1, special=1),
    "log": Expansion(20, fma=13, alu=6),
    "log2": Expansion(22, fma=15, alu=6),
    "tanh": Expansion(15, special=2, fma=9, alu=4),
    "tanh.approx": Expansion(1, special=1),
    "rsqrt": REDUCED,
    "rsqrt.ftz": Expansion(1, special=1),
    "sqrt": Expansion(15, special=1, fma=5, alu=6, branches=True),
    "sqrt.approx": REDUCED,
    "sqrt.approx.ftz": Expansion(2, special=1, fma=1),
    "sin": Expansion(26, special=2, fma=12, alu=10, branches=True),
    "cos": Expansion(28, special=2, fma=12, alu=12, branches=True),
    "pow": Expansion(80, special=1, fma=43, alu=32, branches=True),
}
"""
By the name of an op, how it is rounded, and whether it flushes to zero. `divf.broadcast` is a
quotient by one of few divisors, whose reciprocals are computed once.
"""
