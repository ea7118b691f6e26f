"""
Values while a program runs.

A tile is an array of its shape. A value of all threads of a CTA is an array with one more
dimension in front, for the threads; it has one row if it is the same for all of them. These
dimensions in front are the *lead*: none of tiles, one of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
    i64,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.cuda_tile.elements import float_to_bits
from tileiras_xdsl.dialects.cuda_tile.enums import NamedInt
from tileiras_xdsl.dialects.cuda_tile.types import (
    PtrType,
    TileType,
)
from tileiras_xdsl.dialects.nv_tileas.types import AsyncType

from .elements import bit_width, dtype_of, from_bits, from_bytes, to_bytes
from .errors import ExecutionError

# Types of values, the same for all levels.


def element_of(ty: Attribute) -> Attribute:
    """
    The element of a tile, tensor or vector, or of one to come; a scalar is its own element. An i64
    for indices and pointers of LLVM.
    """
    if isinstance(ty, AsyncType):
        ty = ty.value_type
    if isinstance(ty, TileType):
        return ty.element_type
    element = ty.get_element_type() if isinstance(ty, TensorType | VectorType) else ty
    return i64 if isinstance(element, IndexType | LLVMPointerType) else element


def shape_of(ty: Attribute) -> tuple[int, ...]:
    """The shape of a tile, tensor or vector; a scalar has none."""
    return ty.get_shape() if isinstance(ty, TileType | TensorType | VectorType) else ()


def pointee_of(ty: Attribute) -> Attribute:
    """What a tile of typed pointers points to."""
    element = element_of(ty)
    assert isinstance(element, PtrType)
    return element.pointee


# Attributes of ops, as words and numbers.
#
# What a function needs to know of its op before it runs is read by a *reader*, a function of the
# op; see `Registry.runs`.

Reader: TypeAlias = Callable[[Operation], Any]
"""What is known of an op before it runs."""


def property_of(op: Operation, name: str) -> Attribute | None:
    """A property or attribute of an op."""
    return op.properties.get(name, op.attributes.get(name))


def word_of(
    op: Operation, name: str, default: str = "", names: type[NamedInt] | None = None
) -> str:
    """A text or an enumeration of an op, as its word; or a number with a name."""
    attribute = property_of(op, name)
    if isinstance(attribute, IntegerAttr):
        return default if names is None else names(attribute.value.data).keyword
    data = getattr(attribute, "data", None)
    return default if data is None else str(getattr(data, "value", data))


def is_signed(op: Operation, name: str = "signedness") -> bool:
    """Whether integers are signed, as they are unless an op says otherwise."""
    return word_of(op, name, "signed") == "signed"


def has(op: Operation, name: str) -> bool:
    """Whether an attribute is there, and is not false."""
    attribute = property_of(op, name)
    return (
        bool(attribute.value.data) if isinstance(attribute, IntegerAttr) else attribute is not None
    )


def integer_of(op: Operation, name: str, default: int | None = None) -> int:
    """An integer attribute of an op."""
    attribute = property_of(op, name)
    if not isinstance(attribute, IntegerAttr):
        assert default is not None, name
        return default
    return attribute.value.data


def integers_of(op: Operation, name: str) -> list[int]:
    """An array of integers of an op."""
    attribute = property_of(op, name)
    if isinstance(attribute, DenseArrayBase):
        return list(cast(DenseArrayBase[IntegerType], attribute).get_values())
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        return [int(number) for number in cast(Sequence[int], attribute.get_values())]
    assert isinstance(attribute, ArrayAttr)
    numbers = cast(Sequence[IntegerAttr], attribute.data)
    return [number.value.data for number in numbers]


# Readers


def attribute(name: str) -> Reader:
    """Reads an attribute, which is there."""
    return lambda op: op.properties[name]


def word(name: str, default: str = "") -> Reader:
    """Reads a word."""
    return lambda op: word_of(op, name, default)


def flag(name: str) -> Reader:
    """Reads whether an attribute is there."""
    return lambda op: has(op, name)


def integer(name: str, default: int | None = None) -> Reader:
    """Reads an integer."""
    return lambda op: integer_of(op, name, default)


def integers(name: str) -> Reader:
    """Reads an array of integers."""
    return lambda op: integers_of(op, name)


def operand_type(number: int) -> Reader:
    """Reads the type of an operand."""
    return lambda op: op.operands[number].type


def operand_element(number: int) -> Reader:
    """Reads the element of the type of an operand."""
    return lambda op: element_of(op.operands[number].type)


def operand_shape(number: int) -> Reader:
    """Reads the shape of an operand."""
    return lambda op: shape_of(op.operands[number].type)


def has_results(op: Operation) -> bool:
    """Whether an op has results."""
    return bool(op.results)


def result_type(op: Operation) -> Attribute:
    """The type of the first result of an op."""
    return op.results[0].type


def result_element(op: Operation) -> Attribute:
    """The element of the type of the first result of an op."""
    return element_of(op.results[0].type)


def result_shape(op: Operation) -> tuple[int, ...]:
    """The shape of the first result of an op."""
    return shape_of(op.results[0].type)


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
