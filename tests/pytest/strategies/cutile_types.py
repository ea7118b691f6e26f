"""
Element types of cuTile, and how numbers are rounded to them.

All floats are kept as float64 numbers that the type has; integers and booleans as NumPy has them,
which wrap around as those of cuTile do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class DType:
    """An element type."""

    name: str
    kind: str
    """`b`, `i`, `u` or `f`, as NumPy has them."""
    bits: int
    storage: npt.DTypeLike
    """What arrays of it are made of."""
    precision: int = 0
    """Of floats: bits of the significand, with the first one."""
    smallest: int = 0
    """The exponent of the smallest normal number."""
    largest: float = 0.0
    is_restricted: bool = False
    """Whether it takes no part in arithmetic, only in conversions and products of matrices."""

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def is_integer(self) -> bool:
        return self.kind in "iu"

    @property
    def unit(self) -> float:
        """The largest relative error of a rounding to nearest."""
        return 2.0**-self.precision

    @property
    def tiny(self) -> float:
        """The largest absolute error of a rounding to nearest of what is less than normal."""
        return 2.0 ** (self.smallest - self.precision)

    @property
    def limits(self) -> tuple[int, int]:
        """Of integers: the smallest and the largest one."""
        high = self.bits - (self.kind == "i")
        return (-(1 << high) if self.kind == "i" else 0, (1 << high) - 1)

    def round(self, exact: Array) -> Array:
        """The nearest numbers, ties to even; infinity behind the largest one."""
        if self.bits == 64:
            return exact
        with np.errstate(all="ignore"):
            _, exponent = np.frexp(exact)
            step = np.ldexp(1.0, np.maximum(exponent, self.smallest + 1) - self.precision)
            nearest = np.rint(exact / step) * step
        finite = np.isfinite(exact)
        over = finite & (np.abs(nearest) > self.largest)
        return np.where(finite, np.where(over, np.copysign(np.inf, exact), nearest), exact)

    def __repr__(self) -> str:
        return self.name


def _float(
    name: str, storage: npt.DTypeLike, bits: int, precision: int, exponents: int, **more: Any
) -> DType:
    largest = (2 - 2.0 ** (1 - precision)) * 2.0 ** (2 ** (exponents - 1) - 1)
    smallest = 2 - 2 ** (exponents - 1)
    values: dict[str, Any] = {"largest": largest, **more}
    return DType(name, "f", bits, storage, precision, smallest, **values)


float16 = _float("float16", np.float16, 16, 11, 5)
bfloat16 = _float("bfloat16", ml_dtypes.bfloat16, 16, 8, 8)
float32 = _float("float32", np.float32, 32, 24, 8)
float64 = _float("float64", np.float64, 64, 53, 11)
tfloat32 = _float("tfloat32", np.float32, 32, 11, 8, is_restricted=True)
float8_e4m3fn = _float(
    "float8_e4m3fn", ml_dtypes.float8_e4m3fn, 8, 4, 4, largest=448.0, is_restricted=True
)
float8_e5m2 = _float("float8_e5m2", ml_dtypes.float8_e5m2, 8, 3, 5, is_restricted=True)
bool_ = DType("bool_", "b", 8, np.bool_)
int8, int16, int32, int64 = (
    DType(f"int{bits}", "i", bits, np.dtype(f"int{bits}")) for bits in (8, 16, 32, 64)
)
uint8, uint16, uint32, uint64 = (
    DType(f"uint{bits}", "u", bits, np.dtype(f"uint{bits}")) for bits in (8, 16, 32, 64)
)

ALL = {
    each.name: each
    for each in (
        *(float16, bfloat16, float32, float64, tfloat32, float8_e4m3fn, float8_e5m2),
        *(bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    )
}
FLOATS_BY_RANK = (float16, bfloat16, float32, float64)


def promote(a: DType, b: DType) -> DType:
    """The type of an operation on two types, by the table of cuTile's documentation."""
    if a == b:
        return a
    if a.is_restricted or b.is_restricted:
        raise TypeError(f"{a} and {b} have no common type")
    if a.kind == "b":
        return b
    if b.kind == "b":
        return a
    if a.is_float and b.is_float:
        if {a, b} == {float16, bfloat16}:
            raise TypeError(f"{a} and {b} have no common type")
        return max(a, b, key=FLOATS_BY_RANK.index)
    if a.is_float or b.is_float:
        return a if a.is_float else b
    if a.kind != b.kind:
        raise TypeError(f"{a} and {b} have no common type")
    return a if a.bits > b.bits else b


def promote_number(a: DType, number: float) -> DType:
    """The type of an operation on a tile and a number of the source, which adapts to the tile."""
    if isinstance(number, bool):
        return a
    if isinstance(number, int):
        return int32 if a.kind == "b" else a
    return a if a.is_float else float32
