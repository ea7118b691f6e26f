"""Types of values, the same for all levels."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, TensorType, VectorType, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.types import (
    PtrType,
    TileType,
)
from tileiras_xdsl.dialects.nv_tileas.types import AsyncType


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
