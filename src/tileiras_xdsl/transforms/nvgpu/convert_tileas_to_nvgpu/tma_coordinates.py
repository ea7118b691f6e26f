"""
TMA tiles: their coordinates in the tensor, bounds checks, and how threads stage them in shared
memory. The copies are issued in `pipelines` (loads), `tma_stores`, `warpgroup_stores` and
`tma_reductions`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.layout_conversion import SharedAccess
from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import matrix_access
from tileiras_xdsl.analysis.view_axis_info import TileAxisInfo
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nvvm.fragment_matrices import FragmentStMatrixOp
from tileiras_xdsl.dialects.nvvm.fragments import FragmentStoreOp, count_lanes, element_bits
from tileiras_xdsl.targets.tma import ALIGNMENT, COORDINATES, OUTSIDE
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import map_dims
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import memory_type
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess

from . import views
from .barriers import only_if
from .convert_layout import vector_addresses
from .exchange import ElementOffsets
from .thread_builder import ThreadBuilder
from .vectors import all_of, element_of, splat

VECTOR_BITS: Final = 128
"""The widest store of a thread."""

TmaCopy = Callable[[SSAValue, SSAValue, Sequence[SSAValue]], Operation]
"""Makes a TMA copy from an address in shared memory, a tensor map and coordinates."""


def write_at_offsets(
    builder: ThreadBuilder,
    address: SSAValue,
    value: SSAValue,
    offsets: LinearLayout,
    owner: SSAValue | None,
) -> None:
    """Writes registers to their offsets, by `stmatrix` where the layout allows."""
    bits = element_bits(element_of(value.type))
    row_major = LinearLayout.shared(
        offsets.shape, (1 << bit for bit in range(log2(offsets.elements)))
    )
    for transposed in (False, True) if owner is None else ():
        access = matrix_access(row_major, offsets, bits, transposed=transposed)
        if access is not None:
            rows = vector_addresses(
                builder, address, access, element_of(value.type), rematerialize=True
            )
            builder.emit(FragmentStMatrixOp(value, rows, access.count, transposed))
            return
    width = min(ElementOffsets.of(offsets).width, VECTOR_BITS // bits)
    vectors = SharedAccess(width, offsets.register[log2(width) :], offsets.lane, offsets.warp)
    targets = vector_addresses(
        builder, address, vectors, element_of(value.type), rematerialize=True
    )
    mask = None if owner is None else splat(builder, owner, count_lanes(targets.type))
    builder.emit(FragmentStoreOp(value, targets, mask=mask, alignment=width * bits // 8))


def tile_axis_info(builder: ThreadBuilder, op: TmaAccess) -> TileAxisInfo:
    """What is known of the tile of a store or an atomic."""
    return TileAxisInfo.of(op.view, op.indices, builder.kernel.axis_info, op.get_in_bounds())


def writes_only_inside(builder: ThreadBuilder, op: TmaAccess) -> SSAValue | None:
    """
    Whether TMA stores of a tile write nothing past the end of the rows of its tensor, as an i1;
    `None` if statically known to hold. TMA writes whole units of 16 bytes, the last of which may
    reach over the end.
    """
    view, ty = op.view, op.view_type
    dim = map_dims(view)[0]
    at = ty.get_dim_map().index(dim)
    tile = tile_axis_info(builder, op)
    size = element_bits(memory_type(ty.element_type)) // 8
    if tile.is_in_bounds(at) or tile.size(at).divisor * size % ALIGNMENT == 0:
        return None
    row_length = views.value_of(builder, views.get_tensor(builder, view).sizes[dim])
    mask = builder.constant(ALIGNMENT // size - 1, i64)
    rest = builder.get_or_emit(arith.AndIOp, row_length, mask)
    return builder.emit(CmpiOp(rest, builder.constant(0, i64), "eq")).result


@contextmanager
def if_in_bounds(builder: ThreadBuilder, op: TmaAccess) -> Generator[None]:
    """
    Appends to a branch that is taken if the tensor of a view is not empty and the rows of the tile
    do not begin before it; to no branch if both are statically known. The tensor map of an empty
    tensor describes a zero, which loads read and stores must not overwrite. Along the innermost
    dimension no coordinate can stand for one before the tensor (`clamp_store_coordinates`).
    """
    condition = _is_inside(builder, op)
    if condition is None:
        yield
        return
    with only_if(builder, condition):
        yield


def _is_inside(builder: ThreadBuilder, op: TmaAccess) -> SSAValue | None:
    """Whether a tile may be in bounds, at least in part, as an i1; `None` if statically known."""
    ty, tile = op.view_type, tile_axis_info(builder, op)
    conditions: list[SSAValue | None] = []
    for at, dim in enumerate(ty.get_dim_map()):
        if tile.is_in_bounds(at):
            continue
        if tile.size(at).low <= 0:
            size = views.value_of(builder, views.get_tensor(builder, op.view).sizes[dim])
            conditions.append(builder.emit(CmpiOp(size, builder.constant(0, i64), "sgt")).result)
        if tile.starts[at].low < 0 and dim == map_dims(op.view)[0]:
            index = views.value_of(builder, views.fold_integer(builder, op.indices[at]))
            conditions.append(builder.emit(CmpiOp(index, builder.constant(0, i64), "sge")).result)
    return all_of(builder, conditions)


def tma_tile_coordinates(
    builder: ThreadBuilder, view: SSAValue, indices: Sequence[SSAValue], start: Sequence[int]
) -> list[SSAValue]:
    """The coordinates of a TMA tile in its tensor, given its start in the tile."""
    ty = view.type
    assert isinstance(ty, TiledViewType)
    tile = TileAxisInfo.of(view, indices, builder.kernel.axis_info)
    coordinates: list[SSAValue] = []
    for position, dim in enumerate(map_dims(view)):
        at = ty.get_dim_map().index(dim)
        origin = views.start_of_tile(builder, indices[at], ty.get_steps()[at])
        value = views.add(builder, origin, start[dim])
        info = tile.starts[at]
        is_small = COORDINATES[0] <= info.low and info.high + start[dim] <= COORDINATES[1]
        coordinates.append(_coordinate(builder, value, is_small, is_innermost=position == 0))
    return coordinates


def clamp_store_coordinates(
    builder: ThreadBuilder, op: TmaAccess, coordinates: Sequence[SSAValue]
) -> list[SSAValue]:
    """
    The coordinates of a TMA store: negative ones fault, so the greatest coordinate replaces them,
    which is out of bounds as well. A tile that begins before its tensor has no elements of it
    (`tma_tiles.may_begin_outside`).
    """
    ty, tile = op.view_type, tile_axis_info(builder, op)
    innermost, *others = coordinates
    found = [innermost]
    for coordinate, dim in zip(others, map_dims(op.view)[1:], strict=True):
        at = ty.get_dim_map().index(dim)
        if tile.starts[at].low < 0 and not tile.promised[at]:
            most = builder.constant(COORDINATES[1])
            coordinate = builder.get_or_emit(arith.MinUIOp, coordinate, most)
        found.append(coordinate)
    return found


def _coordinate(
    builder: ThreadBuilder, value: views.OpFoldResult, is_small: bool, *, is_innermost: bool
) -> SSAValue:
    """
    A coordinate as an i32. One that does not fit is out of bounds, since the tensor is smaller:
    it is clamped, or along the innermost dimension, where coordinates have to stay multiples of
    16 bytes, replaced by one that is out of bounds.
    """
    least, most = COORDINATES
    if isinstance(value, int):
        return builder.constant(value if least <= value <= most else OUTSIDE)
    if not is_small and not is_innermost:
        value = builder.get_or_emit(arith.MaxSIOp, value, builder.constant(least, i64))
        value = builder.get_or_emit(arith.MinSIOp, value, builder.constant(most, i64))
    short = builder.get_or_emit(TruncIOp, value, i32)
    if is_small or not is_innermost:
        return short
    fits = builder.get_or_emit(_are_equal, value, builder.get_or_emit(ExtSIOp, short, i64))
    return builder.get_or_emit(SelectOp, fits, short, builder.constant(OUTSIDE))


def _are_equal(first: SSAValue, second: SSAValue) -> CmpiOp:
    return CmpiOp(first, second, "eq")
