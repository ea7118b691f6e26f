"""
TMA tiles in shared memory: how threads write them, and their coordinates in the tensor.
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
from tileiras_xdsl.dialects.nvgpu import StMatrixOp
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


def write_places(
    code: ThreadBuilder,
    address: SSAValue,
    value: SSAValue,
    places: LinearLayout,
    owner: SSAValue | None,
) -> None:
    """Writes the registers of a part to their offsets, by `stmatrix` where the layout allows."""
    bits = element_bits(element_of(value.type))
    row_major = LinearLayout.shared(
        places.shape, (1 << bit for bit in range(log2(places.elements)))
    )
    for transposed in (False, True) if owner is None else ():
        access = matrix_access(row_major, places, bits, transposed=transposed)
        if access is not None:
            rows = vector_addresses(
                code, address, access, element_of(value.type), rematerialize=True
            )
            code.emit(StMatrixOp(value, rows, num=access.count, transpose=transposed))
            return
    width = min(ElementOffsets.of(places).width, VECTOR_BITS // bits)
    vectors = SharedAccess(width, places.register[log2(width) :], places.lane, places.warp)
    targets = vector_addresses(code, address, vectors, element_of(value.type), rematerialize=True)
    mask = None if owner is None else splat(code, owner, count_lanes(targets.type))
    code.emit(FragmentStoreOp(value, targets, mask=mask, alignment=width * bits // 8))


def tile_axis_info(code: ThreadBuilder, op: TmaAccess) -> TileAxisInfo:
    """What is known of the tile of a store or an atomic."""
    return TileAxisInfo.of(op.view, op.indices, code.kernel.axis_info, op.get_in_bounds())


def writes_only_inside(code: ThreadBuilder, op: TmaAccess) -> SSAValue | None:
    """
    Whether TMA stores of a tile write nothing behind the rows of its tensor, as an i1; none if that
    is known. TMA writes whole units of 16 bytes, the last of which may reach over the end.
    """
    view, ty = op.view, op.view_type
    dim = map_dims(view)[0]
    at = ty.get_dim_map().index(dim)
    tile = tile_axis_info(code, op)
    size = element_bits(memory_type(ty.element_type)) // 8
    if tile.is_in_bounds(at) or tile.size(at).divisor * size % ALIGNMENT == 0:
        return None
    rows = views.value_of(code, views.get_tensor(code, view).sizes[dim])
    mask = code.constant(ALIGNMENT // size - 1, i64)
    rest = code.compute(arith.AndIOp, rows, mask)
    return code.emit(CmpiOp(rest, code.constant(0, i64), "eq")).result


@contextmanager
def unless_outside(code: ThreadBuilder, op: TmaAccess) -> Generator[None]:
    """
    Appends to a branch that is taken if the tensor of a view is not empty and the rows of the tile
    do not begin before it; to no branch if both are known. The tensor map of an empty tensor
    describes a zero, which loads read and stores must not overwrite. Along the innermost dimension
    no coordinate can stand for one before the tensor (`stored_coordinates`).
    """
    condition = _is_inside(code, op)
    if condition is None:
        yield
        return
    with only_if(code, condition):
        yield


def _is_inside(code: ThreadBuilder, op: TmaAccess) -> SSAValue | None:
    """Whether a tile may have elements of its tensor, as an i1; none if that is known."""
    ty, tile = op.view_type, tile_axis_info(code, op)
    conditions: list[SSAValue | None] = []
    for at, dim in enumerate(ty.get_dim_map()):
        if tile.is_in_bounds(at):
            continue
        if tile.size(at).low <= 0:
            size = views.value_of(code, views.get_tensor(code, op.view).sizes[dim])
            conditions.append(code.emit(CmpiOp(size, code.constant(0, i64), "sgt")).result)
        if tile.starts[at].low < 0 and dim == map_dims(op.view)[0]:
            index = views.value_of(code, views.get_number(code, op.indices[at]))
            conditions.append(code.emit(CmpiOp(index, code.constant(0, i64), "sge")).result)
    return all_of(code, conditions)


def tma_tile_coordinates(
    code: ThreadBuilder, view: SSAValue, indices: Sequence[SSAValue], start: Sequence[int]
) -> list[SSAValue]:
    """The coordinates of a TMA tile in its tensor, given its start in the tile."""
    ty = view.type
    assert isinstance(ty, TiledViewType)
    tile = TileAxisInfo.of(view, indices, code.kernel.axis_info)
    coordinates: list[SSAValue] = []
    for place, dim in enumerate(map_dims(view)):
        at = ty.get_dim_map().index(dim)
        index, step = views.get_number(code, indices[at]), ty.get_steps()[at]
        number = views.add(code, views.multiply(code, index, step), start[dim])
        info = tile.starts[at]
        is_small = COORDINATES[0] <= info.low and info.high + start[dim] <= COORDINATES[1]
        coordinates.append(_coordinate(code, number, is_small, is_innermost=place == 0))
    return coordinates


def stored_coordinates(
    code: ThreadBuilder, op: TmaAccess, coordinates: Sequence[SSAValue]
) -> list[SSAValue]:
    """
    The coordinates of a TMA store: negative ones fault, so the greatest coordinate replaces them,
    which is out of bounds as well. A tile that begins before its tensor has no elements of it
    (`tma_tiles.may_begin_outside`).
    """
    ty, tile = op.view_type, tile_axis_info(code, op)
    innermost, *others = coordinates
    found = [innermost]
    for coordinate, dim in zip(others, map_dims(op.view)[1:], strict=True):
        at = ty.get_dim_map().index(dim)
        if tile.starts[at].low < 0 and not tile.promised[at]:
            most = code.constant(COORDINATES[1])
            coordinate = code.compute(arith.MinUIOp, coordinate, most)
        found.append(coordinate)
    return found


def _coordinate(
    code: ThreadBuilder, number: views.Number, is_small: bool, *, is_innermost: bool
) -> SSAValue:
    """
    A coordinate as an i32. One that does not fit is out of bounds, since the tensor is smaller:
    it is clamped, or along the innermost dimension, where coordinates have to stay multiples of
    16 bytes, replaced by one that is out of bounds.
    """
    least, most = COORDINATES
    if isinstance(number, int):
        return code.constant(number if least <= number <= most else OUTSIDE)
    if not is_small and not is_innermost:
        number = code.compute(arith.MaxSIOp, number, code.constant(least, i64))
        number = code.compute(arith.MinSIOp, number, code.constant(most, i64))
    short = code.compute(TruncIOp, number, i32)
    if is_small or not is_innermost:
        return short
    fits = code.compute(_are_equal, number, code.compute(ExtSIOp, short, i64))
    return code.compute(SelectOp, fits, short, code.constant(OUTSIDE))


def _are_equal(first: SSAValue, second: SSAValue) -> CmpiOp:
    return CmpiOp(first, second, "eq")
