"""
Values while a program runs.

A tile is an array of its shape. A value of all threads of a CTA is an array with one more
dimension in front, for the threads; it has one row if it is the same for all of them. These
dimensions in front are the *lead*: none of tiles, one of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMStructType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.elements import float_to_bits

from .elements import bit_width, dtype_of, from_bits, from_bytes, to_bytes
from .errors import ExecutionError
from .types import element_of, shape_of

Array: TypeAlias = npt.NDArray[Any]
Mask: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Integers: TypeAlias = npt.NDArray[np.int64]
Value: TypeAlias = Any


def dtype_of_type(ty: Attribute) -> np.dtype[Any]:
    """The type of the arrays that hold values of a type."""
    try:
        return dtype_of(element_of(ty))
    except KeyError:
        raise ExecutionError(f"values of type '{ty}' cannot be run on the CPU") from None


def zeros(ty: Attribute, lead: tuple[int, ...]) -> Value:
    """The value that is zero everywhere."""
    match ty:
        case LLVMStructType():
            return tuple(zeros(field, lead) for field in ty.types)
        case LLVMArrayType():
            return tuple(zeros(ty.type, lead) for _ in range(ty.size.data))
        case _:
            return np.zeros((*lead, *shape_of(ty)), dtype_of_type(ty))


def literal_of(value: Attribute, ty: Attribute, lead: tuple[int, ...] = ()) -> Array:
    """The value of a constant of a type."""
    shape, element = shape_of(ty), element_of(ty)
    match value:
        case DenseIntOrFPElementsAttr():
            size = -(-bit_width(element) // 8)
            data = np.frombuffer(value.data.data, np.uint8).reshape(-1, size)
            wide = np.zeros((len(data), 8), np.uint8)
            wide[:, :size] = data
            bits = wide.view(np.uint64)[:, 0]
            if isinstance(element, IntegerType) and element.width.data < 64:
                bits = bits & np.uint64((1 << element.width.data) - 1)
        case FloatAttr():
            bits = np.array([float_to_bits(value.value.data, element)], np.uint64)
        case IntegerAttr():
            bits = np.array([value.value.data & ((1 << bit_width(element)) - 1)], np.uint64)
        case _:
            raise ExecutionError(f"constant '{value}' cannot be run on the CPU")
    elements, count = from_bits(bits, element), prod(shape)
    if len(elements) != count:
        elements = np.repeat(elements, count)
    return elements.reshape((*lead, *shape))


# Threads


def full(value: Array, threads: int) -> Array:
    """A value with a part for each thread."""
    if value.shape[0] == threads:
        return value
    return np.repeat(value, threads, axis=0)


def alike(values: Sequence[Array]) -> Sequence[Array]:
    """Arrays of one shape, as functions of floats take them."""
    shape = values[0].shape
    if all(value.shape == shape for value in values):
        return values
    return [np.ascontiguousarray(value) for value in np.broadcast_arrays(*values)]


def merge(mask: Mask, new: Value, old: Value) -> Value:
    """The new value for the threads of a mask, the old one for the others."""
    if new is old or old is None:
        return new
    if isinstance(new, tuple):
        parts = zip(cast(tuple[Value, ...], new), cast(tuple[Value, ...], old), strict=True)
        return tuple(merge(mask, a, b) for a, b in parts)
    if not isinstance(new, np.ndarray):
        return new
    array = cast(Array, new)
    wide = mask.reshape(mask.shape + (1,) * (array.ndim - mask.ndim))
    return np.where(wide, array, old)


# Bytes


def row_bits(ty: Attribute) -> int:
    """Bits that a value of a type takes in registers or memory."""
    element = element_of(ty)
    if bit_width(element) == 1 and not isinstance(ty, VectorType):
        return 8
    bits = 32 if bit_width(element) == 19 else bit_width(element)
    return bits * prod(shape_of(ty))


def row_bytes(value: Array, element: Attribute) -> Bytes:
    """The bytes of each thread's part, in two dimensions; elements of vectors are packed."""
    rows = np.ascontiguousarray(value).reshape(value.shape[0], -1)
    if bit_width(element) == 1 and rows.shape[1] > 1:
        return np.packbits(rows, axis=1, bitorder="little")
    if bit_width(element) == 4 and rows.shape[1] == 1:
        rows = np.concatenate((rows, np.zeros_like(rows)), axis=1)
    return to_bytes(rows, element).reshape(value.shape[0], -1)


def from_row_bytes(data: Bytes, element: Attribute, shape: tuple[int, ...]) -> Array:
    """The values that bytes of each thread are."""
    count = prod(shape)
    if bit_width(element) == 1 and count > 1:
        bits = np.unpackbits(np.ascontiguousarray(data), axis=1, bitorder="little")
        return bits[:, :count].astype(np.bool_).reshape(len(data), *shape)
    elements = from_bytes(np.ascontiguousarray(data), element).reshape(len(data), -1)
    return elements[:, :count].reshape(len(data), *shape)


def to_rows(value: Value, ty: Attribute) -> Bytes:
    """The bytes of each thread's part of a value of a type."""
    return row_bytes(value, element_of(ty))


def from_rows(data: Bytes, ty: Attribute) -> Array:
    """The value of a type that bytes of each thread are."""
    return from_row_bytes(data, element_of(ty), shape_of(ty))
