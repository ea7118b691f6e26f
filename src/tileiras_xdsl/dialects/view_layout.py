"""How views cut tensors, at the levels of `cuda_tile` and of `nv_tileaa`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.types import (
    GatherScatterViewType,
    StridedViewType,
    TileViewType,
)
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType


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
