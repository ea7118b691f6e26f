"""
What becomes of types:

    index                       i64
    vector<4xindex>             vector<4xi64>
    vector<4x2xf16>             vector<8xf16>, in row-major order
    f8E4M3FN                    i8, as the other floats of 8 bits
    memref<64x64xf16, 3>        !llvm.ptr<3>, the address of the element at zeros
    !ptr_xdsl.ptr               !llvm.ptr
    tensor<…>                   nothing
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    FloatTF32Type,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.dialects.ptr import PtrType
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from tileiras_xdsl.dialects.nvvm.base import element_of
from tileiras_xdsl.transforms.nvvm.llvm_types import convert_memref
from tileiras_xdsl.xdsl_extras.dialect_conversion import ConversionError, TypeConversions

FLOATS = (BFloat16Type, Float16Type, Float32Type, Float64Type)
"""The floats that LLVM computes with."""


def _small_floats() -> tuple[type[Attribute], ...]:
    classes = AnyFloat.__args__
    kept = (*FLOATS, Float80Type, Float128Type)
    return tuple(float_class for float_class in classes if float_class not in kept)


_SMALL_FLOATS = _small_floats()
"""tf32, and the floats of 8 bits and less."""


def convert_element(ty: Attribute) -> Attribute:
    """The element of a vector, or a scalar."""
    match ty:
        case IndexType():
            return i64
        case FloatTF32Type():
            return i32
        case _ if isinstance(ty, _SMALL_FLOATS):
            return i8
        case _:
            return ty


def convert_vector(ty: VectorType) -> Attribute | None:
    """A vector of rank 1 of all elements."""
    if ty.get_num_scalable_dims():
        return None
    old, shape = ty.get_element_type(), ty.get_shape()
    element = convert_element(old)
    if element is old and len(shape) == 1:
        return ty
    return VectorType(element, [prod(shape)])


CONVERSIONS: Final[TypeConversions] = {
    IndexType: lambda _: i64,
    VectorType: convert_vector,
    MemRefType: convert_memref,
    UnrankedMemRefType: lambda _: None,
    PtrType: lambda _: LLVMPointerType(),
    TensorType: lambda _: None,
    UnrankedTensorType: lambda _: None,
    **dict.fromkeys(_SMALL_FLOATS, convert_element),
}
"""What becomes of all types."""


def require_floats(*types: Attribute) -> None:
    """Raises unless LLVM computes with these types."""
    for ty in types:
        if not isinstance(element_of(ty), FLOATS):
            raise ConversionError(f"LLVM cannot compute with '{ty}'")


def get_vector(ty: Attribute) -> VectorType:
    """A type known to be a vector."""
    assert isinstance(ty, VectorType)
    return ty


def get_width(ty: Attribute) -> int:
    """The bits of an integer, or of each of a vector."""
    element = element_of(ty)
    assert isinstance(element, IntegerType)
    return element.width.data


def with_element(ty: Attribute, element: Attribute) -> Attribute:
    """A type with other elements."""
    return VectorType(element, ty.get_shape()) if isinstance(ty, VectorType) else element


def row_major(shape: Sequence[int]) -> list[int]:
    """The strides of elements that lie one after the other."""
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def get_strides(ty: Attribute) -> list[int]:
    """The strides of a memory reference, in elements; `ConversionError` if one is not known."""
    assert isinstance(ty, MemRefType)
    strides: list[int | None]
    match ty.layout:
        case NoneAttr():
            # The extent of the first dimension does not count.
            shape = ty.get_shape()
            strides = [
                None if DYNAMIC_INDEX in shape[axis + 1 :] else prod(shape[axis + 1 :])
                for axis in range(len(shape))
            ]
        case StridedLayoutAttr():
            strides = list(ty.layout.get_strides())
        case _:
            raise ConversionError(f"the layout of '{ty}' is not given by strides")
    known = [stride for stride in strides if stride is not None]
    if len(known) != len(strides):
        raise ConversionError(f"'{ty}' has strides that are not known when it is compiled")
    return known


def get_offset(ty: Attribute) -> int:
    """Where the element at zeros lies after the base of a memory reference."""
    assert isinstance(ty, MemRefType)
    match ty.layout:
        case NoneAttr():
            return 0
        case StridedLayoutAttr(offset=offset) if not isinstance(offset, NoneAttr):
            return offset.data
        case _:
            raise ConversionError(f"'{ty}' has an offset that is not known when it is compiled")


def get_size(ty: Attribute) -> int:
    """The bytes between two elements of a type in memory."""
    match ty:
        case IntegerType():
            return max(1, 1 << (ty.width.data - 1).bit_length() >> 3)
        case VectorType():
            count = prod(ty.get_shape())
            return 1 << (get_size(ty.get_element_type()) * count - 1).bit_length()
        case LLVMPointerType():
            return 8
        case _ if isa(ty, AnyFloat):
            return ty.bitwidth // 8
        case _:
            raise ConversionError(f"the size of '{ty}' is not known")
