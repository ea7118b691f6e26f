"""
Axis info of views, and of the tiles that accesses load or store.

    %m = make_memref %p sizes(%n, %k) strides(%s)     %p, %k, %s div_by<16>, f16
    %v = block_tile %m {tileSizes = array<i64: 64, 64>}
    tiled_load %v[%i, %j]                             vectors of 8 along dimension 1: aligned to
                                                      16 bytes, and in bounds or out of bounds
                                                      as a whole, as 8 divides %k

So there is one bounds check for each vector, and none along a dimension where integer ranges, or
`in_bounds` of the access, prove that the tile is in bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileaa.attributes import DivByAttr
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp

from .axis_info import (
    INDEX_RANGE,
    AxisInfo,
    common_divisor,
    joint_divisor,
    multiplied_divisor,
    multiply,
    offset_pointer,
    power_of_two,
)
from .axis_info_analysis import VECTOR_BYTES, AxisInfoAnalysis, dims_of, element_bytes, memref_of

UNKNOWN_DIM = AxisInfo.scalar(INDEX_RANGE.low, INDEX_RANGE.high)

FAR: Final = 1 << 60
"""No tensor has so many elements along a dimension."""


def may_be_far(index: AxisInfo, step: int) -> bool:
    """Whether an index of tiles may be so large that its product with the step wraps around."""
    return index.low * step < -FAR or index.high * step > FAR


@dataclass(frozen=True)
class ViewAxisInfo:
    """A strided tensor cut into tiles; sizes and strides are those of the tensor."""

    type: TiledViewType
    sizes: tuple[AxisInfo, ...]
    strides: tuple[AxisInfo, ...]
    """In elements."""
    alignment: int
    """A divisor of the address of the first element, in bytes."""

    @staticmethod
    def of(view: SSAValue, axis_info: AxisInfoAnalysis) -> ViewAxisInfo:
        """The axis info of a view; from its type alone if its `make_memref` is not visible."""
        ty = view.type
        assert isinstance(ty, TiledViewType)
        make = memref_of(view)
        if make is None:
            sizes, strides = (
                tuple(UNKNOWN_DIM if dim is None else AxisInfo.constant(dim) for dim in dims)
                for dims in (ty.memref.shape.data, ty.memref.strides.data)
            )
            return ViewAxisInfo(ty, sizes, strides, 1)
        base = axis_info[make.base]
        if make.offset is not None:
            size = element_bytes(ty.element_type)
            offset = axis_info[make.offset]
            base = AxisInfo.scalar(0, 1) if size is None else offset_pointer(base, offset, size)
        found = dims_of(make, axis_info.__getitem__)
        alignment = joint_divisor(base.divisor, _assumed_alignment(view))
        return ViewAxisInfo(ty, tuple(found[0]), tuple(found[1]), alignment)


def _assumed_alignment(view: SSAValue) -> int:
    """The alignment that `assume` ops state of the memref behind a view."""
    alignment = 1
    owner = view.owner
    while isinstance(owner, BlockTileOp | AssumeOp):
        if isinstance(owner, AssumeOp) and isinstance(owner.predicate, DivByAttr):
            alignment = joint_divisor(alignment, owner.predicate.divisor)
        owner = owner.operands[0].owner
    return alignment


@dataclass(frozen=True)
class TileAxisInfo:
    """The tile of a view that an access loads or stores; dimensions are those of the tile."""

    view: ViewAxisInfo
    starts: tuple[AxisInfo, ...]
    """Where the tile begins, in elements; along a sparse dimension, its rows."""
    promised: tuple[bool, ...]
    """Along which dimensions the access has `in_bounds`."""

    @staticmethod
    def of(
        view: SSAValue,
        indices: Sequence[SSAValue],
        axis_info: AxisInfoAnalysis,
        in_bounds: Sequence[bool] | None = None,
    ) -> TileAxisInfo:
        """The axis info of `view[indices]`."""
        found = ViewAxisInfo.of(view, axis_info)
        ty = found.type
        starts = tuple(
            axis_info[index]
            if dim == ty.get_sparse_dim()
            else multiply(axis_info[index], AxisInfo.constant(step), INDEX_RANGE, may_wrap=False)
            for dim, (index, step) in enumerate(zip(indices, ty.get_steps(), strict=True))
        )
        promised = tuple(in_bounds) if in_bounds else (False,) * ty.rank
        return TileAxisInfo(found, starts, promised)

    def size(self, dim: int) -> AxisInfo:
        """The size of the tensor along a dimension."""
        return self.view.sizes[self.view.type.get_dim_map()[dim]]

    def stride(self, dim: int) -> AxisInfo:
        """The stride of the tensor along a dimension, in elements."""
        return self.view.strides[self.view.type.get_dim_map()[dim]]

    def extent(self, dim: int) -> int:
        """The extent of the tile from its start; 1 along a sparse dimension of gathered rows."""
        ty = self.view.type
        return 1 if dim == ty.get_sparse_dim() else ty.get_tile_shape()[dim]

    def is_in_bounds(self, dim: int) -> bool:
        """Whether the tile is proven to be in bounds along a dimension."""
        if self.promised[dim]:
            return True
        start = self.starts[dim]
        return start.low >= 0 and start.high + self.extent(dim) <= self.size(dim).low

    def bounds_divisor(self, dim: int) -> int:
        """
        A divisor of the distance from the start of the tile to either end of the tensor. A vector
        whose length divides it, and its offset in the tile, is in bounds or out of bounds as a
        whole.
        """
        if dim == self.view.type.get_sparse_dim():
            return 1
        return common_divisor(self.size(dim).divisor, self.starts[dim].divisor)

    def alignment(self) -> int:
        """A divisor of the address of the first element of the tile, in bytes."""
        size = element_bytes(self.view.type.element_type)
        if size is None:
            return 1
        divisor = self.view.alignment
        for dim, start in enumerate(self.starts):
            moved = multiplied_divisor(start.divisor, self.stride(dim).divisor)
            divisor = common_divisor(divisor, multiplied_divisor(moved, size))
        return divisor

    def vector_width(self, dim: int, max_bytes: int = VECTOR_BYTES) -> int:
        """
        The vector width of accesses along a dimension, anywhere in the tile: contiguous in memory,
        aligned to the vector, and in bounds or out of bounds as a whole.
        """
        width = self.aligned_width(dim, max_bytes)
        if not self.is_in_bounds(dim):
            width = min(width, power_of_two(self.bounds_divisor(dim)))
        return width

    def aligned_width(self, dim: int, max_bytes: int = VECTOR_BYTES) -> int:
        """
        How many elements along a dimension, anywhere in the tile, are contiguous in memory and
        aligned as a whole, of which the last may be out of bounds.
        """
        ty = self.view.type
        size = element_bytes(ty.element_type)
        if size is None or self.stride(dim).value != 1 or dim == ty.get_sparse_dim():
            return 1
        divisor = self.alignment()
        for other in range(ty.rank):
            if other != dim and self.extent(other) > 1:
                apart = multiplied_divisor(self.stride(other).divisor, size)
                divisor = common_divisor(divisor, apart)
        return min(
            power_of_two(ty.get_tile_shape()[dim]),
            max(power_of_two(divisor) // size, 1),
            max(max_bytes // size, 1),
        )
