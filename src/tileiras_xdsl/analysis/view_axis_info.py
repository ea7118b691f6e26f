"""
What is known of a view and of the tiles that accesses take from it.

    %m = make_memref %p sizes(%n, %k) strides(%s)     %p, %k, %s div_by<16>, f16
    %v = block_tile %m {tileSizes = array<i64: 64, 64>}
    tiled_load %v[%i, %j]                             eight neighbours along dimension 1 at once:
                                                      aligned to 16 bytes, and all of them
                                                      inside or all outside, as 8 divides %k

Bounds are then compared once for each vector, and not at all along a dimension where ranges, or
the access itself (`in_bounds`), say that the tile lies inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileaa.attributes import DivByAttr
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp

from .axis_info import (
    INDEX_BOUNDS,
    AxisInfo,
    common_divisor,
    joint_divisor,
    multiplied_divisor,
    multiply,
    offset_pointer,
    power_of_two,
)
from .axis_info_analysis import VECTOR_BYTES, AxisInfoAnalysis, dims_of, element_bytes, memref_of

UNKNOWN_DIM = AxisInfo.scalar(INDEX_BOUNDS.low, INDEX_BOUNDS.high)


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
    def of(view: SSAValue, facts: AxisInfoAnalysis) -> ViewAxisInfo:
        """What is known of a view; only what its type says if it is not made in sight."""
        ty = view.type
        assert isinstance(ty, TiledViewType)
        make = memref_of(view)
        if make is None:
            sizes, strides = (
                tuple(UNKNOWN_DIM if dim is None else AxisInfo.constant(dim) for dim in dims)
                for dims in (ty.memref.shape.data, ty.memref.strides.data)
            )
            return ViewAxisInfo(ty, sizes, strides, 1)
        base = facts[make.base]
        if make.offset is not None:
            size = element_bytes(ty.element_type)
            offset = facts[make.offset]
            base = AxisInfo.scalar(0, 1) if size is None else offset_pointer(base, offset, size)
        found = dims_of(make, facts.__getitem__)
        alignment = joint_divisor(base.divisor, _assumed_alignment(view))
        return ViewAxisInfo(ty, tuple(found[0]), tuple(found[1]), alignment)


def _assumed_alignment(view: SSAValue) -> int:
    """What is assumed of the memref behind a view."""
    alignment = 1
    owner = view.owner
    while isinstance(owner, BlockTileOp | AssumeOp):
        if isinstance(owner, AssumeOp) and isinstance(owner.predicate, DivByAttr):
            alignment = joint_divisor(alignment, owner.predicate.divisor)
        owner = owner.operands[0].owner
    return alignment


@dataclass(frozen=True)
class TileAxisInfo:
    """The tile that an access takes from a view; dimensions are those of the tile."""

    view: ViewAxisInfo
    starts: tuple[AxisInfo, ...]
    """Where the tile begins, in elements; along a sparse dimension, its rows."""
    promised: tuple[bool, ...]
    """Along which dimensions the access says that the tile lies inside."""

    @staticmethod
    def of(
        view: SSAValue,
        indices: Sequence[SSAValue],
        facts: AxisInfoAnalysis,
        in_bounds: Sequence[bool] | None = None,
    ) -> TileAxisInfo:
        """What is known of `view[indices]`."""
        found = ViewAxisInfo.of(view, facts)
        ty = found.type
        starts = tuple(
            facts[index]
            if dim == ty.get_sparse_dim()
            else multiply(facts[index], AxisInfo.constant(step), INDEX_BOUNDS, may_wrap=False)
            for dim, (index, step) in enumerate(zip(indices, ty.get_steps(), strict=True))
        )
        promised = tuple(in_bounds) if in_bounds else (False,) * ty.rank
        return TileAxisInfo(found, starts, promised)

    def size(self, dim: int) -> AxisInfo:
        """How many elements the tensor has along a dimension."""
        return self.view.sizes[self.view.type.get_dim_map()[dim]]

    def stride(self, dim: int) -> AxisInfo:
        """How many elements lie between neighbours along a dimension."""
        return self.view.strides[self.view.type.get_dim_map()[dim]]

    def extent(self, dim: int) -> int:
        """How many elements the tile has behind its start; rows of a sparse one are apart."""
        ty = self.view.type
        return 1 if dim == ty.get_sparse_dim() else ty.get_tile_shape()[dim]

    def is_in_bounds(self, dim: int) -> bool:
        """Whether the whole tile is known to lie in the tensor along a dimension."""
        if self.promised[dim]:
            return True
        start = self.starts[dim]
        return start.low >= 0 and start.high + self.extent(dim) <= self.size(dim).low

    def bounds_divisor(self, dim: int) -> int:
        """
        A divisor of the distance from the start of the tile to either end of the tensor: a
        vector whose length divides it, and its place in the tile, is inside or outside as a
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
        How many neighbours along a dimension can be accessed at once, wherever in the tile:
        next to each other in memory, aligned as a whole, and all inside or all outside.
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
        width = min(
            power_of_two(ty.get_tile_shape()[dim]),
            max(power_of_two(divisor) // size, 1),
            max(max_bytes // size, 1),
        )
        if not self.is_in_bounds(dim):
            width = min(width, power_of_two(self.bounds_divisor(dim)))
        return width
