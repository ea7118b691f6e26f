"""
TMA tiles, and their swizzled layouts in shared memory.

A tile of a view is copied as one or more TMA tiles (boxes): the contiguous dimension is cut into
rows of the swizzle atom, of 128 bytes or as many as there are; all other dimensions stay whole. (A
tile that is a single row stays whole, and is not swizzled.) The
rows of a TMA tile follow each other, then come those of the next one. The 16-byte chunks of a row
are swizzled, that is XORed with the row number, so that a column of chunks uses all banks:

    128x64xf16    one TMA tile of 128 rows of 128 bytes
    64x256xf16    four TMA tiles of 64 rows of 128 bytes, one for each 64 columns

TMA can also load every second row (an element stride of 2): one TMA tile has the even rows of a
tile, the next one the odd rows. WGMMA counts the columns of its result in the order of the rows of
operand B, so the result of such an operand has even columns before odd ones (`k_permutation`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from math import prod
from operator import mul
from typing import Final

from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.targets.machine import LINE_BYTES
from tileiras_xdsl.targets.tma import (
    ALIGNMENT,
    MAX_ADDRESSED_EXTENT,
    MAX_BOX,
    MAX_RANK,
    STRIDE_LIMIT,
    SWIZZLE_ATOM_ROWS,
    SWIZZLES,
    find_map_element,
)
from tileiras_xdsl.xdsl_extras.identity_cache import identity_cache

from .axis_info import multiplied_divisor
from .axis_info_analysis import (
    AxisInfoAnalysis,
    TileAxisInfo,
    ViewAxisInfo,
    element_bytes,
    memref_of,
)
from .linear_layout import LinearLayout, bits_along, flatten, log2

PIECE_BYTES: Final = ALIGNMENT


@dataclass(frozen=True)
class TmaTiling:
    """How TMA copies a tile of a view: as one or more TMA tiles."""

    type: TiledViewType
    element_bytes: int
    box: tuple[int, ...]
    """The shape of the TMA tile by dimension of the tensor, outermost first (`boxDim`)."""
    swizzle: int
    """The swizzle mode in bytes, 0 for none."""
    layout: LinearLayout
    """Of the tile in shared memory."""
    k_permutation: int | None = None
    """The dimension of the tensor along which a TMA tile has the even or the odd elements."""

    @staticmethod
    def of(ty: TiledViewType) -> TmaTiling | None:
        """The TMA tiling of a view's tiles; `None` if TMA cannot copy them."""
        tiling = TmaTiling.of_or_reason(ty)
        return tiling if isinstance(tiling, TmaTiling) else None

    @staticmethod
    @identity_cache
    def of_or_reason(ty: TiledViewType) -> TmaTiling | str:
        """The TMA tiling of a view's tiles, or why TMA cannot copy them."""
        size = element_bytes(ty.element_type)
        fastest = _fastest(ty)
        shape = ty.get_tile_shape()
        if size is None or find_map_element(str(ty.element_type)) is None:
            return f"TMA has no elements of type {ty.element_type}"
        if fastest is None:
            return "no stride is known to be 1"
        if ty.rank > MAX_RANK:
            return f"TMA has no tensors of more than {MAX_RANK} dimensions"
        if ty.get_sparse_dim() is not None:
            return "rows are gathered"
        dims = ty.get_dim_map()
        line = min(shape[fastest] * size, LINE_BYTES)
        lines = prod(shape) // shape[fastest]
        if line < PIECE_BYTES:
            return f"rows of {line} bytes are shorter than {PIECE_BYTES}"
        if ty.get_steps()[fastest] * size % PIECE_BYTES:
            return f"its tiles do not begin at multiples of {PIECE_BYTES} bytes"
        is_row = lines == 1 and shape[fastest] * size > line and shape[fastest] <= MAX_BOX
        if shape[fastest] * size > line and lines < SWIZZLE_ATOM_ROWS and not is_row:
            # The second TMA tile would not begin at a swizzle atom.
            return (
                f"a tile with rows of more than {line} bytes needs at least "
                f"{SWIZZLE_ATOM_ROWS} rows, but has {lines}"
            )
        order = _order(ty, fastest)
        extents = [*shape]
        # A single row is one TMA tile, which is not swizzled.
        extents[fastest] = shape[fastest] if is_row else line // size
        outermost = next((dim for dim in reversed(order) if shape[dim] > 1), fastest)
        if outermost != fastest:
            extents[outermost] = min(extents[outermost], MAX_BOX)
        if max(extents) > MAX_BOX:
            return f"a TMA tile has at most {MAX_BOX} elements along a dimension"
        box = tuple(extents[dims.index(dim)] for dim in range(ty.rank))
        layout = swizzled_layout(shape, order, size)
        return TmaTiling(ty, size, box, line if line in SWIZZLES and not is_row else 0, layout)

    def k_permutation_or_reason(self, dim: int) -> TmaTiling | str:
        """
        The tiling in which even elements along a dimension of the tile come before odd ones, in
        TMA tiles of their own; or why there is none.
        """
        shape, at = self.type.get_tile_shape(), self.type.get_dim_map()[dim]
        fastest = _fastest(self.type)
        assert fastest is not None
        if dim == fastest:
            return f"dimension {dim} is contiguous, of which TMA skips no elements"
        if self.box[at] != shape[dim]:
            return f"a TMA tile has at most {MAX_BOX} elements along a dimension, gaps included"
        half = prod(self.box) // self.box[self.type.get_dim_map()[fastest]] // 2
        if shape[dim] < 2 or half < SWIZZLE_ATOM_ROWS:
            return f"half of a TMA tile has {half} rows, fewer than {SWIZZLE_ATOM_ROWS}"
        box = (*self.box[:at], self.box[at] // 2, *self.box[at + 1 :])
        order = _order(self.type, fastest)
        layout = swizzled_layout(shape, order, self.element_bytes, k_permutation=dim)
        return replace(self, box=box, layout=layout, k_permutation=at)

    @property
    def element_strides(self) -> tuple[int, ...]:
        """Every how many elements TMA copies, by dimension of the tensor; all of them if empty."""
        if self.k_permutation is None:
            return ()
        return tuple(2 if dim == self.k_permutation else 1 for dim in range(self.type.rank))

    @property
    def traversed(self) -> tuple[int, ...]:
        """The TMA tile with what is between its elements, which is `boxDim` of a tensor map."""
        strides = self.element_strides or (1,) * self.type.rank
        return tuple(map(mul, self.box, strides))

    @property
    def is_long_row(self) -> bool:
        """Whether it is one row of more than 128 bytes, which only threads read."""
        return max(self.box) == prod(self.box) and self.tma_tile_bytes > LINE_BYTES

    @property
    def bytes(self) -> int:
        """Of the whole tile."""
        return prod(self.type.get_tile_shape()) * self.element_bytes

    @property
    def tma_tile_bytes(self) -> int:
        """Of one TMA tile."""
        return prod(self.box) * self.element_bytes

    def tma_tiles(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """
        The coordinates of each TMA tile in the tile, by dimension of the tensor, and its byte
        offset in shared memory.
        """
        dims, shape = self.type.get_dim_map(), self.type.get_tile_shape()
        starts = [
            # The even elements begin at the first one, the odd ones at the second one.
            range(2)
            if dim == self.k_permutation
            else range(0, shape[dims.index(dim)], self.box[dim])
            for dim in range(self.type.rank)
        ]
        offset = self.layout.inverse()
        for start in product(*starts):
            position = [*map(start.__getitem__, dims)]
            yield start, offset.apply(flatten(position, shape)) * self.element_bytes


def _fastest(ty: TiledViewType) -> int | None:
    """The contiguous dimension of a tile, the longest if several strides are 1."""
    shape, strides = ty.get_tile_shape(), ty.memref.strides.data
    found = [dim for dim, source in enumerate(ty.get_dim_map()) if strides[source] == 1]
    return max(found, key=shape.__getitem__, default=None)


def _order(ty: TiledViewType, fastest: int) -> list[int]:
    """The dimensions of a tile as they are in shared memory, the contiguous one first."""
    dims = sorted(zip(ty.get_dim_map(), range(ty.rank), strict=True), reverse=True)
    return [fastest, *(dim for _, dim in dims if dim != fastest)]


def swizzled_layout(
    shape: Sequence[int],
    order: Sequence[int],
    element_bytes: int,
    *,
    k_permutation: int | None = None,
) -> LinearLayout:
    """
    The swizzled layout of a tile in shared memory; `order` begins with the contiguous one. Rows
    with an even coordinate along the dimension `k_permutation` come before those with an odd one.
    """
    bits = {dim: bits_along(shape, dim) for dim in order}
    line = min(log2(LINE_BYTES // element_bytes), len(bits[order[0]]))
    inside, boxes = bits[order[0]][:line], bits[order[0]][line:]
    lines = [*chain.from_iterable(map(bits.__getitem__, order[1:]))]
    if k_permutation is not None:
        parity = bits[k_permutation][0]
        lines.remove(parity)
        lines.append(parity)
    pieces = inside[log2(PIECE_BYTES // element_bytes) :]
    skipped = log2(LINE_BYTES // PIECE_BYTES) - len(pieces)
    for piece, number in zip(pieces, range(skipped, len(lines)), strict=False):
        lines[number] ^= piece
    return LinearLayout.shared(shape, (*inside, *lines, *boxes))


def may_begin_outside(tile: TileAxisInfo) -> bool:
    """
    Whether a tile may have a negative start and still overlap its tensor: only if tiles overlap
    each other. TMA can load such tiles, but not store them.
    """
    ty = tile.view.type
    return any(
        tile.starts[dim].low < 0 and not tile.promised[dim] and step < extent
        for dim, (step, extent) in enumerate(zip(ty.get_steps(), ty.get_tile_shape(), strict=True))
    )


def why_not_copied(view: SSAValue, axis_info: AxisInfoAnalysis) -> str | None:
    """
    Why TMA cannot copy tiles of a tensor; `None` if it can. Address and strides have to be
    multiples of 16 bytes, sizes and strides within what coordinates and tensor maps can encode.
    There is no check at run time: an unknown size or stride can be too large only if it has 64
    bits. A stride that is a size of the tensor as well is negative only if the tensor is empty;
    nobody reads the strides of such a tensor.
    """
    ty = view.type
    assert isinstance(ty, TiledViewType)
    size = element_bytes(ty.element_type)
    if (make := memref_of(view)) is None:
        return "the op that makes the tensor is not visible"
    if size is None:
        return f"elements of type {ty.element_type} do not fill bytes"
    if _fastest(ty) is None:
        return "no stride is known to be 1"
    found = ViewAxisInfo.of(view, axis_info)
    if found.alignment % PIECE_BYTES:
        return f"its address is not known to be a multiple of {PIECE_BYTES} bytes"
    fastest = ty.get_dim_map()[_fastest(ty) or 0]
    given = iter(make.strides)
    operands = [next(given) if known is None else None for known in ty.memref.strides.data]
    for dim, stride in enumerate(found.strides):
        if dim == fastest:
            continue
        if multiplied_divisor(stride.divisor, size) % PIECE_BYTES:
            return f"stride {dim} is not known to be a multiple of {PIECE_BYTES} bytes"
        if stride.low < 0 and operands[dim] not in make.sizes:
            return f"stride {dim} may be negative"
        if stride.high * size >= STRIDE_LIMIT:
            return f"stride {dim} may be 2^{log2(STRIDE_LIMIT)} bytes or more"
    if any(extent.high > MAX_ADDRESSED_EXTENT for extent in found.sizes):
        return "its tensor may have 2^31 elements or more along a dimension"
    return None
