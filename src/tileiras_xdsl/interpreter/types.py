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


def element_of(type: Attribute) -> Attribute:
    """
    The element of a tile, tensor or vector, or of one to come; a scalar is its own element. An i64
    for indices and pointers of LLVM.
    """
    if isinstance(type, AsyncType):
        type = type.value_type
    if isinstance(type, TileType):
        return type.element_type
    element = type.get_element_type() if isinstance(type, TensorType | VectorType) else type
    return i64 if isinstance(element, IndexType | LLVMPointerType) else element


def shape_of(type: Attribute) -> tuple[int, ...]:
    """The shape of a tile, tensor or vector; a scalar has none."""
    return type.get_shape() if isinstance(type, TileType | TensorType | VectorType) else ()


def pointee_of(type: Attribute) -> Attribute:
    """What a tile of typed pointers points to."""
    element = element_of(type)
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
    def of(type: Attribute) -> ViewLayout:
        """The layout of a view type."""
        if isinstance(type, TiledViewType):
            return ViewLayout(
                type.get_tile_shape(),
                type.get_dim_map(),
                type.get_steps(),
                type.get_padding(),
                type.get_sparse_dim(),
                type.element_type,
            )
        assert isinstance(type, TileViewType)
        steps, sparse_dim = type.get_tile_shape(), None
        if isinstance(type, StridedViewType):
            steps = type.get_traversal_strides()
        elif isinstance(type, GatherScatterViewType):
            # Where rows are given one by one, the other indices count elements too.
            steps, sparse_dim = (1,) * type.rank, type.sparse_dim
        return ViewLayout(
            type.get_tile_shape(),
            type.get_dim_map(),
            steps,
            None if type.padding is None else type.padding.value,
            sparse_dim,
            type.tensor_view.element_type,
        )
