"""Vectors of registers: how they are made, taken apart, and used as addresses and masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    TensorType,
    UnitAttr,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import GEP_USE_SSA_VAL
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.arith import ExtSIOp, IndexCastOp
from tileiras_xdsl.dialects.building import dense_array, vector_of
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes
from tileiras_xdsl.dialects.vector import ExtractOp, shuffle_lanes

from .thread_builder import ThreadBuilder

NO_WRAP: Final[Mapping[str, Attribute]] = {"noWrapFlags": IntegerAttr(0, i32)}
BY_OPERAND: Final = DenseArrayBase.from_list(i32, [GEP_USE_SSA_VAL])
IN_BOUNDS: Final = UnitAttr()
"""The only index of an address is an operand."""


def element_of(ty: Attribute) -> Attribute:
    """The element of a vector or tensor; a scalar is its own."""
    return ty.get_element_type() if isinstance(ty, VectorType | TensorType) else ty


def with_element(ty: Attribute, element: Attribute) -> Attribute:
    """A vector of as many other elements, or the scalar."""
    return VectorType(element, ty.get_shape()) if isinstance(ty, VectorType) else element


def splat(builder: ThreadBuilder, scalar: SSAValue, count: int) -> SSAValue:
    """A vector of equal elements."""
    return builder.emit(vector.BroadcastOp(scalar, vector_of(scalar.type, count))).results[0]


def select_registers(builder: ThreadBuilder, value: SSAValue, indices: Sequence[int]) -> SSAValue:
    """The vector of some elements of another."""
    if list(indices) == list(range(count_lanes(value.type))):
        return value
    return builder.emit(shuffle_lanes(value, value, indices)).result


def concatenate(builder: ThreadBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """The concatenation of vectors of one type, whose number is a power of two."""
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [_join(builder, first, second) for first, second in pairs]
    return values[0]


def _join(builder: ThreadBuilder, first: SSAValue, second: SSAValue) -> SSAValue:
    lanes = range(2 * count_lanes(first.type))
    return builder.emit(shuffle_lanes(first, second, lanes)).result


def extract(builder: ThreadBuilder, value: SSAValue, index: int) -> SSAValue:
    """An element of a vector."""
    return builder.emit(ExtractOp(value, [index], element_of(value.type))).results[0]


def all_of(builder: ThreadBuilder, masks: Sequence[SSAValue | None]) -> SSAValue | None:
    """The conjunction of vectors of i1; `None` stands for all-true."""
    result = None
    for mask in masks:
        if mask is not None:
            result = mask if result is None else builder.emit(arith.AndIOp(result, mask)).result
    return result


def extend_index(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A vector or scalar of integers as i64, signed."""
    element, target = element_of(value.type), with_element(value.type, i64)
    if element == i64:
        return value
    if isinstance(element, IndexType):
        return builder.get_or_emit(IndexCastOp, value, target)
    return builder.get_or_emit(ExtSIOp, value, target)


def index_pointers(
    builder: ThreadBuilder, base: SSAValue, offsets: SSAValue, element: Attribute
) -> SSAValue:
    """A vector of pointers: a base moved by a vector of numbers of elements."""
    result = with_element(offsets.type, base.type)
    return builder.emit(index_pointer(base, offsets, element, result)).result


def index_pointer(
    base: SSAValue, offset: SSAValue, element: Attribute, result_type: Attribute
) -> llvm.GEPOp:
    """A pointer, or a vector of pointers, moved by numbers of elements."""
    return llvm.GEPOp.create(
        operands=[base, offset],
        result_types=[result_type],
        properties={**NO_WRAP, "rawConstantIndices": BY_OPERAND, "elem_type": element},
    )


def move_pointer(address: SSAValue, num_bytes: int) -> llvm.GEPOp:
    """An address in shared memory moved by a constant."""
    indices = dense_array(i32, (num_bytes,))
    return llvm.GEPOp.create(
        operands=[address],
        result_types=[SHARED_POINTER],
        properties={
            **NO_WRAP,
            "rawConstantIndices": indices,
            "elem_type": i8,
            "inbounds": IN_BOUNDS,
        },
    )
