"""Types of values, the same for all levels."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, TensorType, VectorType, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.types import (
    GatherScatterViewType,
    PtrType,
    StridedViewType,
    TileType,
    TileViewType,
)
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
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


@dataclass(frozen=True)
class ViewLayout:
    """How a view cuts a tensor; the same for the view types of both levels."""

    tile_shape: tuple[int, ...]
    dim_map: tuple[int, ...]
    steps: tuple[int, ...]
    padding: str | None
    sparse_dim: int | None
    element: Attribute

    @staticmethod
    def of(ty: Attribute) -> ViewLayout:
        """The layout of a view type."""
        if isinstance(ty, TiledViewType):
            return ViewLayout(
                ty.get_tile_shape(),
                ty.get_dim_map(),
                ty.get_steps(),
                ty.get_padding(),
                ty.get_sparse_dim(),
                ty.element_type,
            )
        assert isinstance(ty, TileViewType)
        steps, sparse_dim = ty.get_tile_shape(), None
        if isinstance(ty, StridedViewType):
            steps = ty.get_traversal_strides()
        elif isinstance(ty, GatherScatterViewType):
            # Where rows are given one by one, the other indices count elements too.
            steps, sparse_dim = (1,) * ty.rank, ty.sparse_dim
        return ViewLayout(
            ty.get_tile_shape(),
            ty.get_dim_map(),
            steps,
            None if ty.padding is None else ty.padding.value,
            sparse_dim,
            ty.tensor_view.element_type,
        )
