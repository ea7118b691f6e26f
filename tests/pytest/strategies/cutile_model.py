"""
A model of cuTile's module `ct` on NumPy: the source of a kernel is executed as plain Python, block
by block, with this in place of `cuda.tile`. It is written from cuTile's documentation and shares
nothing with the compiler and its interpreters, so that it shows mistakes that they all have.

Every element of a tile has a bound of its error: how far what a right compiler computes may be from
the model's value. It is 0 where arithmetic is exact or correctly rounded from exact operands, and
infinite where anything is right, as for padding that is not determined. The rules, for a type with
unit roundoff u (running error analysis, Higham, "Accuracy and Stability of Numerical Algorithms",
3.3):

- Sums, differences and quotients of exact operands are the nearest number, so the error stays 0. Of
  operands with errors, these are propagated, and both the model's rounding and the compiler's are
  added: u times the result each.
- cuTile contracts products with a following addition, so that their rounding does not happen: its
  error, which is 0 if the product is exact, is part of the bound.
- A sum of n elements in any order has an error of (n - 1) u sum |x|. It is exact if all partial
  sums are: elements are multiples of a power of two, and the sum of their absolute values is less
  than 1/u of it.
- Tensor cores truncate: 4 u for each of K additions of a product of matrices. The same test says
  where they are exact.
- Functions are good to a few units in the last place; of operands with errors, the function is
  taken at both ends of the interval if it is monotonic, else its slope is bounded.
- A comparison that the errors leave open may have both results. What is chosen by it has the
  distance of both choices as an error. Integers have no errors but infinite ones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeAlias, cast

import numpy as np

from . import cutile_types as types
from .cutile_types import Array as NumPyArray
from .cutile_types import DType, promote, promote_number

Number: TypeAlias = "bool | int | float"
Operand: TypeAlias = "Tile | Number"
Shape: TypeAlias = "int | Sequence[Any]"

FUNCTION_ULPS = 4
"""Units in the last place that elementary functions may be off."""
FAST_UNIT = 2.0**-14
"""The unit roundoff of sums of products of 8-bit floats on tensor cores of Hopper."""


class OpenBranch(Exception):
    """A condition of the source depends on errors: the kernel has no defined result."""


class Tile:
    """A tile: values of a type with bounds of their errors."""

    def __init__(self, dtype: DType, value: Any, error: Any = 0.0):
        self.dtype = dtype
        stored = np.float64 if dtype.is_float else dtype.storage
        self.value: NumPyArray = np.asarray(value, stored)
        self.error: NumPyArray = np.broadcast_to(np.asarray(error, np.float64), self.value.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    def map(self, function: Callable[[NumPyArray], NumPyArray]) -> Tile:
        """What only moves elements."""
        return Tile(self.dtype, function(self.value), function(self.error))

    def item(self) -> Tile:
        return self.reshape(())

    def reshape(self, shape: Shape) -> Tile:
        return self.map(lambda array: array.reshape(_tuple(shape)))

    def permute(self, axes: Sequence[int]) -> Tile:
        return self.map(lambda array: array.transpose(axes))

    def transpose(self, axis0: int | None = None, axis1: int | None = None) -> Tile:
        if axis0 is None or axis1 is None:
            return self.map(np.transpose)
        return self.map(lambda array: array.swapaxes(axis0, axis1))

    def astype(self, dtype: DType, **_: Any) -> Tile:
        return astype(self, dtype)

    def extract(self, index: Shape, shape: Shape) -> Tile:
        return extract(self, index, shape)

    def __getitem__(self, index: Any) -> Tile:
        return self.map(lambda array: array[index])

    def __index__(self) -> int:
        if self.error.any():
            raise OpenBranch("an index depends on errors")
        return int(self.value)

    def __bool__(self) -> bool:
        if self.error.any():
            raise OpenBranch("a condition depends on errors")
        return bool(self.value)

    def __add__(self, other: Operand) -> Tile:
        return add(self, other)

    def __radd__(self, other: Operand) -> Tile:
        return add(other, self)

    def __sub__(self, other: Operand) -> Tile:
        return sub(self, other)

    def __rsub__(self, other: Operand) -> Tile:
        return sub(other, self)

    def __mul__(self, other: Operand) -> Tile:
        return mul(self, other)

    def __rmul__(self, other: Operand) -> Tile:
        return mul(other, self)

    def __truediv__(self, other: Operand) -> Tile:
        return truediv(self, other)

    def __rtruediv__(self, other: Operand) -> Tile:
        return truediv(other, self)

    def __floordiv__(self, other: Operand) -> Tile:
        return floordiv(self, other)

    def __rfloordiv__(self, other: Operand) -> Tile:
        return floordiv(other, self)

    def __mod__(self, other: Operand) -> Tile:
        return mod(self, other)

    def __rmod__(self, other: Operand) -> Tile:
        return mod(other, self)

    def __and__(self, other: Operand) -> Tile:
        return _bitwise(np.bitwise_and, self, other)

    def __or__(self, other: Operand) -> Tile:
        return _bitwise(np.bitwise_or, self, other)

    def __xor__(self, other: Operand) -> Tile:
        return _bitwise(np.bitwise_xor, self, other)

    def __lshift__(self, other: Operand) -> Tile:
        return _bitwise(np.left_shift, self, other)

    def __rshift__(self, other: Operand) -> Tile:
        return _bitwise(np.right_shift, self, other)

    def __lt__(self, other: Operand) -> Tile:
        return _compare(np.less, self, other)

    def __le__(self, other: Operand) -> Tile:
        return _compare(np.less_equal, self, other)

    def __gt__(self, other: Operand) -> Tile:
        return _compare(np.greater, self, other)

    def __ge__(self, other: Operand) -> Tile:
        return _compare(np.greater_equal, self, other)

    def __eq__(self, other: object) -> Any:
        assert isinstance(other, Tile | int | float)
        return _compare(np.equal, self, other)

    def __ne__(self, other: object) -> Any:
        assert isinstance(other, Tile | int | float)
        return _compare(np.not_equal, self, other)

    def __neg__(self) -> Tile:
        return Tile(self.dtype, -self.value, self.error)

    def __invert__(self) -> Tile:
        return Tile(self.dtype, ~self.value, self.error)


def _tuple(shape: Shape) -> tuple[Any, ...]:
    return tuple(shape) if isinstance(shape, Sequence) else (shape,)


def _several(values: Any) -> tuple[Any, ...]:
    """What may be one or a tuple of them."""
    return cast("tuple[Any, ...]", values) if isinstance(values, tuple) else (values,)


def _numbers(index: Any) -> tuple[int, ...]:
    return tuple(operator.index(each) for each in _several(index))


def scalar(value: Number, dtype: DType | None = None) -> Tile:
    """A number that is not a constant, as parameters and indices of blocks are."""
    if dtype is None:
        is_integer = isinstance(value, int) and not isinstance(value, bool)
        dtype = types.int32 if is_integer else types.float32
    return _converted(value, dtype)


# Arithmetic.


def _common(x: Operand, y: Operand) -> tuple[Tile, Tile, DType]:
    """Both operands in their common type; numbers of the source have that of the other."""
    if isinstance(x, Tile) and isinstance(y, Tile):
        dtype = promote(x.dtype, y.dtype)
    elif isinstance(x, Tile):
        assert not isinstance(y, Tile)
        dtype = promote_number(x.dtype, y)
    else:
        assert isinstance(y, Tile)
        dtype = promote_number(y.dtype, x)
    return _converted(x, dtype), _converted(y, dtype), dtype


def _converted(x: Operand, dtype: DType) -> Tile:
    if isinstance(x, Tile):
        return astype(x, dtype)
    return Tile(dtype, dtype.round(np.asarray(x, np.float64)) if dtype.is_float else x)


def _rounded(dtype: DType, exact: NumPyArray, spread: NumPyArray, *, is_final: bool = True) -> Tile:
    """
    A result that would be `exact` within `spread` but for the rounding to its type, which does not
    happen, or is another one, if that is not final.
    """
    value = dtype.round(exact)
    with np.errstate(all="ignore"):
        own = np.abs(value - exact)
        if dtype.bits == 64:
            # The model has no more digits, so nothing is known of its own rounding.
            own = np.abs(exact) * dtype.unit
        size = np.abs(exact) + spread
        both = spread + own + size * dtype.unit + dtype.tiny
        error = np.where(spread > 0, both, 0.0 if is_final else own)
        # Within the error, it may be infinite.
        error = np.where((spread > 0) & (size > dtype.largest), np.inf, error)
    return Tile(dtype, value, _known(error, value))


def _known(error: NumPyArray, value: NumPyArray) -> NumPyArray:
    """Infinities and NaNs of exact operands have no error, others any."""
    odd = ~np.isfinite(value) & np.isnan(error)
    return np.where(odd, 0.0, np.where(np.isnan(error), np.inf, error))


def _unknown(*tiles: Tile) -> NumPyArray:
    """The error of integers: infinite where one of the operands has an error."""
    found = np.zeros(np.broadcast_shapes(*(each.shape for each in tiles)))
    for each in tiles:
        found = np.where(each.error > 0, np.inf, found)
    return found


def _arithmetic(
    function: Callable[[NumPyArray, NumPyArray], NumPyArray],
    x: Operand,
    y: Operand,
    spread: Callable[[Tile, Tile], NumPyArray],
    *,
    is_final: bool = True,
) -> Tile:
    a, b, dtype = _common(x, y)
    with np.errstate(all="ignore"):
        result = function(a.value, b.value)
        if not dtype.is_float:
            return Tile(dtype, result, _unknown(a, b))
        return _rounded(dtype, result, np.nan_to_num(spread(a, b), nan=np.inf), is_final=is_final)


def _sum_spread(a: Tile, b: Tile) -> NumPyArray:
    return a.error + b.error


def _product_spread(a: Tile, b: Tile) -> NumPyArray:
    # Nothing times infinity is nothing here: zero is exact.
    parts = (
        (np.abs(a.value), b.error),
        (np.abs(b.value), a.error),
        (a.error, b.error),
    )
    spread = np.zeros(np.broadcast_shapes(a.shape, b.shape))
    for p, q in parts:
        spread = spread + np.where((p == 0) | (q == 0), 0.0, p * q)
    return spread


def _quotient_spread(a: Tile, b: Tile) -> NumPyArray:
    exact = np.abs(a.value / b.value)
    wide = (np.abs(a.value) + a.error) / (np.abs(b.value) - b.error) - exact
    open_divisor = b.error >= np.abs(b.value)
    has_error = (a.error > 0) | (b.error > 0)
    return np.where(has_error, np.where(open_divisor, np.inf, wide), 0.0)


def add(x: Operand, y: Operand, **_: Any) -> Tile:
    return _arithmetic(np.add, x, y, _sum_spread)


def sub(x: Operand, y: Operand, **_: Any) -> Tile:
    return _arithmetic(np.subtract, x, y, _sum_spread)


def mul(x: Operand, y: Operand, **_: Any) -> Tile:
    return _arithmetic(np.multiply, x, y, _product_spread, is_final=False)


def truediv(x: Operand, y: Operand, **_: Any) -> Tile:
    a, b, dtype = _common(x, y)
    dtype = dtype if dtype.is_float else types.float32
    return _arithmetic(np.divide, astype(a, dtype), astype(b, dtype), _quotient_spread)


def floordiv(x: Operand, y: Operand) -> Tile:
    """Of integers, rounded down; dividing by zero is not defined."""
    a, b, dtype = _common(x, y)
    assert dtype.is_integer
    return Tile(dtype, np.floor_divide(a.value, b.value), _unknown(a, b))


def mod(x: Operand, y: Operand) -> Tile:
    """Of integers, with the sign of the divisor."""
    a, b, dtype = _common(x, y)
    assert dtype.is_integer
    return Tile(dtype, np.mod(a.value, b.value), _unknown(a, b))


def cdiv(x: Operand, y: Operand) -> Any:
    return -((-x) // y)


def _bitwise(function: Callable[..., NumPyArray], x: Operand, y: Operand) -> Tile:
    a, b, dtype = _common(x, y)
    assert not dtype.is_float
    return Tile(dtype, function(a.value, b.value), _unknown(a, b))


def _compare(function: Callable[..., NumPyArray], x: Operand, y: Operand) -> Tile:
    a, b, _ = _common(x, y)
    with np.errstate(all="ignore"):
        spread = a.error + b.error
        is_open = (spread > 0) & ~(np.abs(1.0 * a.value - b.value) > spread)
        result = function(a.value, b.value)
    return Tile(types.bool_, result, np.where(is_open, np.inf, 0.0))


def _extremum(function: Any, nan_function: Any, x: Any, y: Any, propagate_nan: bool) -> Any:
    if not isinstance(x, Tile) and not isinstance(y, Tile):
        return function(x, y).item()
    a, b, dtype = _common(x, y)
    if not dtype.is_float:
        return Tile(dtype, function(a.value, b.value), _unknown(a, b))
    chosen = nan_function if propagate_nan else function
    with np.errstate(all="ignore"):
        # One may take the place of the other within its error.
        return Tile(dtype, chosen(a.value, b.value), np.maximum(a.error, b.error))


def minimum(x: Any, y: Any, *, propagate_nan: bool = False, **_: Any) -> Any:
    return _extremum(np.fmin, np.minimum, x, y, propagate_nan)


def maximum(x: Any, y: Any, *, propagate_nan: bool = False, **_: Any) -> Any:
    return _extremum(np.fmax, np.maximum, x, y, propagate_nan)


def absolute(x: Tile) -> Tile:
    return Tile(x.dtype, np.abs(x.value), x.error)


def where(condition: Tile, x: Operand, y: Operand) -> Tile:
    a, b, dtype = _common(x, y) if isinstance(x, Tile) or isinstance(y, Tile) else _both(x, y)
    value = np.where(condition.value, a.value, b.value)
    error = np.where(condition.value, a.error, b.error)
    if condition.error.any():
        with np.errstate(all="ignore"):
            apart = np.abs(1.0 * a.value - b.value) + np.maximum(a.error, b.error)
        if not dtype.is_float:
            apart = np.where(apart > 0, np.inf, 0.0)
        error = np.where(condition.error > 0, apart, error)
    return Tile(dtype, value, error)


def _both(x: Number, y: Number) -> tuple[Tile, Tile, DType]:
    is_float = isinstance(x, float) or isinstance(y, float)
    dtype = types.float32 if is_float else types.int32
    return _converted(x, dtype), _converted(y, dtype), dtype


# Conversions.


def astype(x: Operand, dtype: DType, **_: Any) -> Tile:
    if not isinstance(x, Tile):
        return _converted(x, dtype)
    if x.dtype == dtype:
        return x
    if dtype.is_float:
        return _rounded(dtype, x.value.astype(np.float64), x.error)
    if x.dtype.is_float:
        # Towards zero; what does not fit is not defined.
        with np.errstate(all="ignore"):
            low, high = np.trunc(x.value - x.error), np.trunc(x.value + x.error)
            limits = dtype.limits
            fits = (low == high) & (low >= limits[0]) & (high <= limits[1])
            value = np.where(fits, low, 0).astype(dtype.storage)
        return Tile(dtype, value, np.where(fits, 0.0, np.inf))
    return Tile(dtype, x.value.astype(dtype.storage), x.error)


def bitcast(x: Tile, dtype: DType) -> Tile:
    bits = x.value.astype(x.dtype.storage).view(np.dtype(dtype.storage))
    return Tile(dtype, bits, np.where(x.error > 0, np.inf, 0.0))


# Functions.


def _function(
    function: Callable[[NumPyArray], NumPyArray],
    *,
    slope: float | None = None,
    ulps: float = FUNCTION_ULPS,
) -> Callable[..., Tile]:
    """A function of floats; monotonic, or with a slope of at most so much."""

    def apply(x: Tile, **_: Any) -> Tile:
        with np.errstate(all="ignore"):
            exact = function(x.value)
            if slope is None:
                ends = (function(x.value - x.error), function(x.value + x.error))
                spread = np.maximum(*(np.abs(end - exact) for end in ends))
            else:
                spread = slope * x.error
            spread = np.where(x.error > 0, np.nan_to_num(spread, nan=np.inf), 0.0)
            # Results less than normal may be flushed to zero.
            least = 2.0**x.dtype.smallest
            own = 2 * ulps * x.dtype.unit * np.abs(exact) + np.where(exact == 0, 0.0, least)
            is_special = ~np.isfinite(exact) & (x.error == 0)
            return _rounded(x.dtype, exact, np.where(is_special, 0.0, spread + own))

    return apply


def _step(function: Callable[[NumPyArray], NumPyArray]) -> Callable[..., Tile]:
    """A function with steps: `floor` and `ceil`."""

    def apply(x: Tile, **_: Any) -> Tile:
        with np.errstate(all="ignore"):
            low, high = function(x.value - x.error), function(x.value + x.error)
        value = function(x.value)
        error = np.where(x.error > 0, np.nan_to_num(np.abs(high - low), nan=np.inf), 0.0)
        return Tile(x.dtype, value, error)

    return apply


def _rsqrt(x: NumPyArray) -> NumPyArray:
    return 1.0 / np.sqrt(x)


def isnan(x: Tile) -> Tile:
    return Tile(types.bool_, np.isnan(x.value), np.where(x.error == np.inf, np.inf, 0.0))


# Shapes.


def expand_dims(x: Tile, axis: int) -> Tile:
    return x.map(lambda array: np.expand_dims(array, axis))


def cat(tiles: Sequence[Tile], axis: int) -> Tile:
    a, b = tiles
    return Tile(
        a.dtype,
        np.concatenate((a.value, b.value), axis),
        np.concatenate((a.error, b.error), axis),
    )


def broadcast_to(x: Tile, shape: Shape) -> Tile:
    return x.map(lambda array: np.broadcast_to(array, _tuple(shape)))


def extract(x: Tile, index: Shape, shape: Shape) -> Tile:
    places = zip(_numbers(index), _tuple(shape), strict=True)
    return x[tuple(slice(place * size, place * size + size) for place, size in places)]


def arange(size: int, *, dtype: DType, start: Any = 0, step: Any = 1) -> Tile:
    return Tile(dtype, int(start) + int(step) * np.arange(size))


def full(shape: Shape, value: Any, dtype: DType) -> Tile:
    filled = astype(value, dtype)
    return filled.map(lambda array: np.broadcast_to(array, _tuple(shape)))


def zeros(shape: Shape, dtype: DType) -> Tile:
    return full(shape, 0, dtype)


def ones(shape: Shape, dtype: DType) -> Tile:
    return full(shape, 1, dtype)


# Reductions and scans.


def granularity(x: NumPyArray, axis: int | tuple[int, ...] | None) -> NumPyArray:
    """The largest power of two of which all elements along an axis are multiples."""
    mantissa, exponent = np.frexp(np.where(np.isfinite(x), x, 0.0))
    bits = (mantissa * 2.0**53).astype(np.int64)
    lowest = (bits & -bits).astype(np.float64)
    power = np.where(bits == 0, np.inf, np.ldexp(lowest, exponent - 53))
    return np.min(power, axis=axis, keepdims=True)


def _sum_error(dtype: DType, x: Tile, axis: Any, count: int) -> NumPyArray:
    """The error of sums along an axis in any order, with the axis."""
    size = np.sum(np.abs(x.value) + x.error, axis=axis, keepdims=True)
    errors = np.sum(x.error, axis=axis, keepdims=True)
    is_exact = (errors == 0) & (size * dtype.unit <= granularity(x.value, axis))
    with np.errstate(all="ignore"):
        bound = errors + 2 * count * dtype.unit * size + count * dtype.tiny
    return np.where(is_exact, 0.0, bound)


def _axes(x: Tile, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    return tuple(each % x.ndim for each in _tuple(axis))


def _squeezed(x: Tile, axes: tuple[int, ...], keepdims: bool) -> Tile:
    return x if keepdims else x.map(lambda array: np.squeeze(array, axes))


def sum_(x: Tile, axis: Any = None, *, keepdims: bool = False, **_: Any) -> Tile:
    axes = _axes(x, axis)
    total = np.sum(x.value, axis=axes, keepdims=True, dtype=x.value.dtype)
    if x.dtype.is_float:
        count = int(np.prod([x.shape[each] for each in axes]))
        error = _sum_error(x.dtype, x, axes, count)
        return _squeezed(_rounded_sum(x.dtype, total, error), axes, keepdims)
    error = np.max(x.error, axis=axes, keepdims=True)
    return _squeezed(Tile(x.dtype, total, error), axes, keepdims)


def _rounded_sum(dtype: DType, total: NumPyArray, error: NumPyArray) -> Tile:
    value = dtype.round(total)
    return Tile(dtype, value, np.where(error > 0, error + np.abs(value - total), 0.0))


def _reduced(function: Any) -> Callable[..., Tile]:
    def apply(x: Tile, axis: Any = None, *, keepdims: bool = False, **_: Any) -> Tile:
        axes = _axes(x, axis)
        value = function(x.value, axis=axes, keepdims=True)
        error = np.max(x.error, axis=axes, keepdims=True)
        return _squeezed(Tile(x.dtype, value, error), axes, keepdims)

    return apply


def _place(function: Any) -> Callable[..., Tile]:
    """The first place of the largest or smallest element; any, if elements have errors."""

    def apply(x: Tile, axis: int, *, keepdims: bool = False) -> Tile:
        place = function(x.value, axis=axis, keepdims=True)
        error = np.where(np.max(x.error, axis=axis, keepdims=True) > 0, np.inf, 0.0)
        return _squeezed(Tile(types.int32, place, error), _axes(x, axis), keepdims)

    return apply


def _slices(x: Tile, axis: int) -> list[Tile]:
    return [
        x.map(lambda array, number=number: np.take(array, number, axis))
        for number in range(x.shape[axis])
    ]


def _in_any_order(x: Tile, total: Tile, axis: int) -> Tile:
    """The sum of a tile along an axis, which was made in one order."""
    if not x.dtype.is_float:
        return total
    error = np.squeeze(_sum_error(x.dtype, x, axis, x.shape[axis]), axis)
    return Tile(total.dtype, total.value, 2 * error)


def reduce_(x: Any, axis: int, function: Any, identity: Any, *, keepdims: bool = False) -> Any:
    """By a function that is associative and commutative; of floats, a sum."""
    tiles: tuple[Tile, ...] = _several(x)
    parts = list(zip(*(_slices(each, axis) for each in tiles), strict=True))
    total = parts[0]
    for part in parts[1:]:
        total = _several(function(*total, *part))
    total = tuple(map(partial(_in_any_order, axis=axis), tiles, total))
    if keepdims:
        total = tuple(expand_dims(each, axis) for each in total)
    return total if isinstance(x, tuple) else total[0]


def scan(x: Any, axis: int, function: Any, identity: Any, *, reverse: bool = False) -> Any:
    """By a function of integers that is associative."""
    tiles: tuple[Tile, ...] = _several(x)
    parts = list(zip(*(_slices(each, axis) for each in tiles), strict=True))
    if reverse:
        parts.reverse()
    found = [parts[0]]
    for part in parts[1:]:
        found.append(_several(function(*found[-1], *part)))
    if reverse:
        found.reverse()
    results = tuple(
        _stacked([each[number] for each in found], axis) for number in range(len(tiles))
    )
    return results if isinstance(x, tuple) else results[0]


def _stacked(tiles: list[Tile], axis: int) -> Tile:
    value = np.stack([each.value for each in tiles], axis)
    return Tile(tiles[0].dtype, value, np.stack([each.error for each in tiles], axis))


def cumsum(x: Tile, axis: int = 0, *, reverse: bool = False, **_: Any) -> Tile:
    flipped = x.map(lambda array: np.flip(array, axis)) if reverse else x
    value = np.cumsum(flipped.value, axis=axis, dtype=flipped.value.dtype)
    if x.dtype.is_float:
        error = np.broadcast_to(_sum_error(x.dtype, x, axis, x.shape[axis]), x.shape)
        found = _rounded_sum(x.dtype, value, error)
    else:
        unknown = np.maximum.accumulate(flipped.error, axis=axis)
        found = Tile(x.dtype, value, unknown)
    return found.map(lambda array: np.flip(array, axis)) if reverse else found


# Products of matrices.


def mma(x: Tile, y: Tile, acc: Tile, **_: Any) -> Tile:
    if acc.dtype.is_integer:
        product = np.matmul(x.value.astype(np.int64), y.value.astype(np.int64))
        value = (product + acc.value).astype(np.int32)
        return Tile(acc.dtype, value, _unknown(acc))
    unit = FAST_UNIT if x.dtype.bits == 8 else acc.dtype.unit
    left, right = np.abs(x.value), np.abs(y.value)
    exact = np.matmul(x.value, y.value) + acc.value
    size = np.matmul(left + x.error, right + y.error) + np.abs(acc.value) + acc.error
    spread = acc.error
    if x.error.any() or y.error.any():
        spread = spread + np.matmul(x.error, right + y.error) + np.matmul(left, y.error)
    steps = granularity(x.value, None) * granularity(y.value, None)
    step = np.minimum(steps.reshape(()), granularity(acc.value, None).reshape(()))
    is_exact = (spread == 0) & (size * unit <= step)
    count = x.shape[-1] + 1
    bound = spread + 4 * count * unit * size + count * acc.dtype.tiny
    return _rounded_sum(acc.dtype, exact, np.where(is_exact, 0.0, bound))


# Memory.


@dataclass
class Memory:
    """An array in global memory, with errors of its elements."""

    data: NumPyArray
    dtype: DType
    error: NumPyArray

    @staticmethod
    def of(data: NumPyArray) -> Memory:
        dtype = next(each for each in types.ALL.values() if each.storage == data.dtype)
        return Memory(data, dtype, np.zeros(data.shape))

    @property
    def shape(self) -> tuple[Tile, ...]:
        return tuple(scalar(size) for size in self.data.shape)

    @property
    def ndim(self) -> int:
        return self.data.ndim

    def permuted(self, order: Any) -> Memory:
        axes = tuple(range(self.ndim))
        axes = axes if order == "C" else axes[::-1] if order == "F" else order
        return Memory(self.data.transpose(axes), self.dtype, self.error.transpose(axes))

    def take(self, index: Any) -> Tile:
        data = self.data[index]
        return Tile(
            self.dtype, data.astype(np.float64) if self.dtype.is_float else data, self.error[index]
        )

    def put(self, index: Any, value: NumPyArray, error: NumPyArray) -> None:
        self.data[index] = value.astype(self.data.dtype)
        self.error[index] = error


PADDING = {
    "UNDETERMINED": None,
    "ZERO": 0.0,
    "NEG_ZERO": -0.0,
    "NAN": np.nan,
    "POS_INF": np.inf,
    "NEG_INF": -np.inf,
}


def _filled(shape: tuple[int, ...], dtype: DType, mode: str) -> Tile:
    padding = PADDING[mode]
    value = np.full(shape, 0 if padding is None else padding)
    return Tile(dtype, value, np.full(shape, np.inf if padding is None else 0.0))


def _window(
    index: Sequence[int], shape: Sequence[int], sizes: Sequence[int]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """The part of an array that a tile covers, and the part of the tile that has it."""
    inside, own = list[slice](), list[slice]()
    for place, length, size in zip(index, shape, sizes, strict=True):
        low, high = max(place * length, 0), min(place * length + length, size)
        high = max(low, high)
        inside.append(slice(low, high))
        own.append(slice(low - place * length, high - place * length))
    return tuple(inside), tuple(own)


def load(
    array: Memory,
    index: Any,
    shape: Any,
    *,
    order: Any = "C",
    padding_mode: str = "UNDETERMINED",
    **_: Any,
) -> Tile:
    source, sizes = array.permuted(order), _tuple(shape)
    found = _filled(sizes, array.dtype, padding_mode)
    inside, own = _window(_numbers(index), sizes, source.data.shape)
    part, error = source.take(inside), np.array(found.error)
    found.value[own] = part.value
    error[own] = part.error
    return Tile(array.dtype, found.value, error)


def store(array: Memory, index: Any, tile: Tile, *, order: Any = "C", **_: Any) -> None:
    target, place = array.permuted(order), _numbers(index)
    if tile.ndim == 0:
        tile = tile.reshape((1,) * target.ndim)
    assert tile.dtype == array.dtype
    inside, own = _window(place, tile.shape, target.data.shape)
    target.put(inside, tile.value[own], tile.error[own])


def _indices(array: Memory, indices: Any, mask: Any) -> tuple[tuple[NumPyArray, ...], NumPyArray]:
    """Places of elements, and which of them there are."""
    parts = _several(indices)
    shapes = [each.shape if isinstance(each, Tile) else () for each in (*parts, mask)]
    shape = np.broadcast_shapes(*shapes)
    exists = np.ones(shape, np.bool_)
    places: list[NumPyArray] = []
    for part, size in zip(parts, array.data.shape, strict=True):
        place = np.broadcast_to(_certain(part).astype(np.int64), shape)
        exists &= (place >= 0) & (place < size)
        places.append(place)
    if mask is not None:
        exists = exists & _certain(mask)
    return tuple(places), exists


def _certain(x: Any) -> NumPyArray:
    if isinstance(x, Tile):
        if x.error.any():
            raise OpenBranch("an index or a mask depends on errors")
        return x.value
    return np.asarray(x)


def gather(
    array: Memory, indices: Any, *, mask: Any = None, padding_value: Any = 0, **_: Any
) -> Tile:
    places, exists = _indices(array, indices, mask)
    found = array.take(tuple(np.where(exists, each, 0) for each in places))
    padding = astype(padding_value, array.dtype)
    value = np.where(exists, found.value, padding.value)
    return Tile(array.dtype, value, np.where(exists, found.error, padding.error))


def scatter(array: Memory, indices: Any, value: Any, *, mask: Any = None, **_: Any) -> None:
    places, exists = _indices(array, indices, mask)
    tile = astype(value, array.dtype)
    written = tile.map(lambda part: np.broadcast_to(part, exists.shape)[exists])
    array.put(tuple(each[exists] for each in places), written.value, written.error)


@dataclass
class Slice:
    """A part of a dimension, for advanced indexing."""

    start: Any
    length: int


def _advanced(array: Memory, indices: Any) -> tuple[Tile, ...]:
    """Indices of all elements, which broadcast to the tile."""
    found: list[Tile] = []
    for axis, each in enumerate(indices):
        shape = [1] * len(indices)
        shape[axis] = -1
        tile = each
        if isinstance(each, Slice):
            tile = arange(each.length, dtype=types.int64, start=each.start)
        found.append(astype(tile, types.int64).reshape(tuple(shape)))
    return tuple(found)


def load_advanced_indexing(
    array: Memory, indices: Any, *, padding_mode: str = "UNDETERMINED", **_: Any
) -> Tile:
    places = _advanced(array, indices)
    padding = _filled((), array.dtype, padding_mode)
    return gather(array, places, padding_value=padding)


def store_advanced_indexing(array: Memory, indices: Any, tile: Tile, **_: Any) -> None:
    scatter(array, _advanced(array, indices), tile)


def _atomic(function: Callable[[Tile, Tile], Tile]) -> Callable[..., None]:
    """One without its result, which depends on the order of blocks as that of equal places does."""

    def apply(array: Memory, indices: Any, update: Any, **_: Any) -> None:
        places, exists = _indices(array, indices, None)
        tile = broadcast_to(astype(update, array.dtype), exists.shape)
        for each in map(tuple, np.argwhere(exists)):
            place = tuple(part[each] for part in places)
            # A rounding depends on the order, too.
            changed = function(array.take(place), tile[each])
            array.put(place, changed.value, changed.error)

    return apply


def _atomic_add(x: Tile, y: Tile) -> Tile:
    return _arithmetic(np.add, x, y, _sum_spread, is_final=False)


def num_tiles(array: Memory, axis: int, shape: Any, order: Any = "C") -> Tile:
    size = array.permuted(order).data.shape[axis]
    return scalar(-(-size // _tuple(shape)[axis]))


# The module, and what Python has that kernels use.


def _itself(function: Callable[..., None]) -> Callable[..., None]:
    return function


def module(block: Sequence[int], grid: Sequence[int]) -> SimpleNamespace:
    """What `ct` is for one block of a grid."""
    members: dict[str, Any] = {
        **types.ALL,
        "kernel": _itself,
        "Constant": {int: int, float: float, bool: bool},
        "PaddingMode": SimpleNamespace(**{name: name for name in PADDING}),
        "MemoryOrder": SimpleNamespace(RELAXED="relaxed", ACQ_REL="acq_rel"),
        "bid": tuple(map(scalar, block)).__getitem__,
        "num_blocks": tuple(map(scalar, grid)).__getitem__,
        "abs": absolute,
        "sum": sum_,
        "max": _reduced(np.fmax.reduce),
        "min": _reduced(np.fmin.reduce),
        "argmax": _place(np.argmax),
        "argmin": _place(np.argmin),
        "reduce": reduce_,
        "exp": _function(np.exp),
        "exp2": _function(np.exp2),
        "log": _function(np.log),
        "log2": _function(np.log2),
        "sqrt": _function(np.sqrt, ulps=1),
        "rsqrt": _function(_rsqrt),
        "tanh": _function(np.tanh),
        "sin": _function(np.sin, slope=1.0),
        "cos": _function(np.cos, slope=1.0),
        "floor": _step(np.floor),
        "ceil": _step(np.ceil),
        "reshape": Tile.reshape,
        "permute": Tile.permute,
        "transpose": Tile.transpose,
        "Slice": Slice,
        "atomic_add": _atomic(_atomic_add),
        "atomic_max": _atomic(maximum),
        "atomic_min": _atomic(minimum),
        "atomic_and": _atomic(Tile.__and__),
        "atomic_or": _atomic(Tile.__or__),
        "atomic_xor": _atomic(Tile.__xor__),
    }
    members |= {
        function.__name__: function
        for function in (
            *(add, sub, mul, truediv, floordiv, mod, cdiv, minimum, maximum, where),
            *(astype, bitcast, isnan, expand_dims, cat, broadcast_to, extract, arange, full),
            *(zeros, ones, scan, cumsum, mma, load, store, gather, scatter, num_tiles),
            *(load_advanced_indexing, store_advanced_indexing),
        )
    }
    return SimpleNamespace(**members)


def numbers_of(*bounds: Any) -> Iterator[Tile]:
    """Python's `range`; what it counts is no constant."""
    return map(scalar, range(*map(operator.index, bounds)))


BUILTINS = {"range": numbers_of, "min": minimum, "max": maximum, "abs": absolute}


def run(source: str, name: str, grid: Sequence[int], arguments: Sequence[Any]) -> None:
    """
    Executes a kernel, one block after the other. Arrays are `Memory`; numbers that are parameters
    and not constants are scalar tiles.
    """
    text = source.replace("import cuda.tile as ct\n", "\n")
    sizes = (*grid, *(1,) * (3 - len(grid)))
    code = compile(text, f"<model of {name}>", "exec")
    with np.errstate(all="ignore"):
        for z, y, x in np.ndindex(sizes[::-1]):
            scope: dict[str, Any] = {**BUILTINS, "ct": module((x, y, z), sizes)}
            exec(code, scope)
            scope[name](*arguments)
