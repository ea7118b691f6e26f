"""
Ops on pieces of tiles: what has to be cut for a result to be cut, and the op of one piece.

    %e = nv_tileaa.addf %x, %y : tensor<1024x64xf32>      dim 0 in 4: dim 0 of %x and %y in 4
    %x = nv_tileaa.tiled_load %v[%i, %j] : …              dim 0 in 4: a view of smaller tiles, and
                                                          index 4 * %i + the number of the piece
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyDenseElement,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.view_axis_info import FAR
from tileiras_xdsl.dialects.arith import ExtSIOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation, ReduceOp, ScanOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape, with_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, MulIOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp, MmaFScaledOp, PackingOperation
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicCASOp, AtomicRMWOp, LoadOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    BroadcastOp,
    CatOp,
    ExpandDimsOp,
    MakeRangeOp,
    PermuteOp,
    SplatOp,
    ViewOp,
)
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import (
    BlockTileOp,
    TiledAccess,
    TiledAtomicRMWOp,
    TiledLoadOp,
    TiledStoreOp,
    TileLoad,
    TileStore,
)
from tileiras_xdsl.xdsl_extras.structure import integer_of, splat_of

from .canonicalization.shape import is_elementwise
from .sliced_scans import can_cut_scan

OpT = TypeVar("OpT", bound=Operation)

CutView = TiledLoadOp | TiledStoreOp | TiledAtomicRMWOp


def operands_to_cut(op: Operation, dim: int, pieces: int) -> Sequence[tuple[SSAValue, int]] | None:
    """
    The operands that have to be cut for the results of an op to be cut along a dimension, and
    along which; `None` if there is no way.
    """
    match op:
        case arith.ConstantOp():
            value = op.value
            is_dense = isinstance(value, DenseIntOrFPElementsAttr)
            return () if is_dense and splat_of(value) is not None else None
        case SplatOp() | MakeRangeOp():
            return ()
        case TiledLoadOp():
            return () if can_cut_view(op, dim, pieces) else None
        case LoadOp() | AtomicRMWOp() | AtomicCASOp():
            tiles = [value for value in op.operands if isinstance(value.type, TensorType)]
            return [(tile, dim) for tile in tiles]
        case PermuteOp():
            return [(op.source, op.get_permutation()[dim])]
        case BroadcastOp():
            return [] if get_shape(op.source.type)[dim] == 1 else [(op.source, dim)]
        case ExpandDimsOp():
            if dim == op.get_axis():
                return None
            return [(op.source, dim - (dim > op.get_axis()))]
        case ViewOp():
            along = find_same_rows(get_shape(op.source.type), get_shape(op.result.type), dim)
            return None if along is None else [(op.source, along)]
        case PackingOperation():
            return [(op.source, dim)]
        case CatOp():
            # Pieces along its own dimension are of one operand, or of both.
            return None if dim == op.dim.value.data else [(op.lhs, dim), (op.rhs, dim)]
        case AggregateOperation():
            return _cut_aggregate(op, dim)
        case DotOp():
            return _cut_dot(dim, op.a, op.b, [op.accumulator], [], [])
        case MmaFScaledOp():
            return _cut_dot(dim, op.lhs, op.rhs, [op.acc], [op.lhs_scale], [op.rhs_scale])
        case _ if is_elementwise(op):
            return [(value, dim) for value in op.operands if isinstance(value.type, TensorType)]
        case _:
            return None


def _cut_aggregate(op: AggregateOperation, dim: int) -> Sequence[tuple[SSAValue, int]] | None:
    """
    Reductions and scans are independent along all dimensions but their own; of a scan, pieces along
    that depend on those before them.
    """
    if isinstance(op, ReduceOp):
        return [(value, dim + (dim >= op.get_axis())) for value in op.operands]
    if isinstance(op, ScanOp) and (dim != op.get_axis() or can_cut_scan(op)):
        return [(value, dim) for value in op.operands]
    return None


def _cut_dot(
    dim: int,
    a: SSAValue,
    b: SSAValue,
    results: Sequence[SSAValue],
    of_a: Sequence[SSAValue],
    of_b: Sequence[SSAValue],
) -> Sequence[tuple[SSAValue, int]]:
    """The operands of a dot by a dimension of its result: a batch, rows or columns."""
    rank = len(get_shape(a.type))
    cut = list(results)
    if dim != rank - 1:
        cut += [a, *of_a]
    if dim != rank - 2:
        cut += [b, *of_b]
    return [(value, dim) for value in cut]


def whole_operands(op: Operation, dim: int) -> Sequence[int]:
    """
    Which operands are whole tiles though the result is cut along a dimension: those of dots, the
    second one for rows, the first one for columns, and what is broadcast along the dimension. The
    same tile may be an operand that is cut, too, so it is not for values to say.
    """
    if not isinstance(op, DotOp | MmaFScaledOp):
        is_whole = isinstance(op, BroadcastOp) and not operands_to_cut(op, dim, 1)
        return (0,) if is_whole else ()
    rank = len(get_shape(op.result.type))
    if dim < rank - 2:
        return ()
    number = 1 if dim == rank - 2 else 0
    scales = 3
    return (number, scales + number) if isinstance(op, MmaFScaledOp) else (number,)


def cut_type(ty: Attribute, dim: int, pieces: int) -> Attribute:
    """The type of a piece of a tile."""
    shape = list(get_shape(ty))
    shape[dim] //= pieces
    return with_shape(ty, tuple(shape))


def build_piece(
    op: Operation,
    operands: Sequence[SSAValue],
    types: Sequence[Attribute],
    number: SSAValue,
    before: list[Operation],
    inside: list[Operation],
) -> Operation:
    """
    Builds the piece of a number of an op that is no access to a view, given its operands and types
    of results; what does not depend on the number is put `before`.
    """
    match op:
        case arith.ConstantOp():
            return add_op(before, arith.ConstantOp(_cut_splat(op, types[0])))
        case SplatOp():
            return add_op(before, copy_with(op, operands, types))
        case MakeRangeOp():
            size = get_shape(types[0])[0]
            ty = op.start.type
            assert isinstance(ty, IntegerType)
            step = add_op(before, arith.ConstantOp(IntegerAttr(size, ty))).result
            index = resize(number, ty, inside)
            moved = add_op(inside, MulIOp(index, step)).result
            start = add_op(inside, AddIOp(operands[0], moved)).result
            end = add_op(inside, AddIOp(start, step)).result
            return add_op(inside, copy_with(op, [start, end], types))
        case _:
            return add_op(inside, copy_with(op, operands, types))


def cut_view(
    op: CutView | TileLoad | TileStore,
    dim: int,
    pieces: int,
    number: SSAValue,
    memref: SSAValue,
    operands: list[SSAValue],
    before: list[Operation],
    inside: list[Operation],
) -> None:
    """Makes an access to a tile one to a piece of it, by its operands."""
    new_type, ratio = piece_view(op.view_type, dim, pieces)
    new_view = add_op(before, BlockTileOp(memref, new_type))
    operands[list(op.operands).index(op.view)] = new_view.result
    first = list(op.operands).index(op.indices[0])
    known = integer_of(op.indices[dim])
    indices = operands[first : first + len(op.indices)]
    is_zero = known == 0 and indices[dim].type == i32
    if not is_zero:
        # Multiples of the index may not fit in 32 bits, outside of the tensor.
        indices = [resize(index, i64, before) for index in indices]
        is_narrow = op.indices[dim].type != i64
        start = first_piece(indices[dim], ratio, before, is_narrow=is_narrow)
        wide = resize(number, i64, inside)
        indices[dim] = add_op(inside, AddIOp(start, wide)).result
    else:
        indices[dim] = number
    operands[first : first + len(indices)] = indices


def first_piece(index: SSAValue, ratio: int, ops: list[Operation], *, is_narrow: bool) -> SSAValue:
    """
    The index of the first piece of a tile, of an i64 that may be one of fewer bits. An index with
    which the product would wrap around is far outside of the tensor, and stays there.
    """
    if not is_narrow:
        far = FAR // ratio
        limits = [add_op(ops, arith.ConstantOp(IntegerAttr(n, i64))).result for n in (-far, far)]
        index = add_op(ops, arith.MaxSIOp(index, limits[0])).result
        index = add_op(ops, arith.MinSIOp(index, limits[1])).result
    factor = add_op(ops, arith.ConstantOp(IntegerAttr(ratio, i64))).result
    return add_op(ops, MulIOp(index, factor)).result


def piece_view(view: TiledViewType, dim: int, pieces: int) -> tuple[TiledViewType, int]:
    """The view whose tiles are pieces of those of a view, and how many it has for each of them."""
    shape, steps = list(view.get_tile_shape()), list(view.get_steps())
    shape[dim] //= pieces
    ratio = steps[dim] // shape[dim]
    steps[dim] = shape[dim]
    padding, sparse = view.get_padding(), view.get_sparse_dim()
    return TiledViewType(shape, view.memref, view.get_dim_map(), steps, padding, sparse), ratio


def can_cut_view(op: TiledAccess, dim: int, pieces: int) -> bool:
    """Whether pieces of a tile of a view are tiles of another."""
    view = op.view_type
    piece = view.get_tile_shape()[dim] // pieces
    (source,) = (operand for operand in op.operands if isinstance(operand.type, TiledViewType))
    return (
        isinstance(source.owner, BlockTileOp)
        and view.get_sparse_dim() is None
        and piece > 0
        and view.get_steps()[dim] % piece == 0
        and "align" not in op.properties
    )


def find_same_rows(source: Sequence[int], result: Sequence[int], dim: int) -> int | None:
    """
    The dimension of a tile that goes over the same elements, in row-major order, as a dimension of
    the tile in another shape together with those behind it.
    """
    outer = prod(result[:dim])
    for along, size in enumerate(source):
        if prod(source[:along]) == outer and size > 1:
            return along
    return None


def _cut_splat(op: arith.ConstantOp, ty: Attribute) -> DenseIntOrFPElementsAttr:
    """A constant of equal elements in another shape."""
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    element = splat_of(op.value)
    assert element is not None
    data = BytesAttr(element * prod(get_shape(ty)))
    return DenseIntOrFPElementsAttr(cast("TensorType[AnyDenseElement]", ty), data)


def resize(value: SSAValue, ty: IntegerType, ops: list[Operation]) -> SSAValue:
    """A signed integer in another width."""
    assert isinstance(value.type, IntegerType)
    if value.type == ty:
        return value
    is_wider = ty.width.data > value.type.width.data
    return add_op(ops, (ExtSIOp if is_wider else TruncIOp)(value, ty)).result


def mapped(op: Operation, pieces: Mapping[SSAValue, SSAValue]) -> list[SSAValue]:
    """The operands of an op in a piece."""
    return [pieces.get(operand, operand) for operand in op.operands]


def copy_with(op: OpT, operands: Sequence[SSAValue], types: Sequence[Attribute]) -> OpT:
    """An op of the same kind."""
    return type(op).create(
        operands=operands,
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=[region.clone() for region in op.regions],
    )


def add_op(ops: list[Operation], op: OpT) -> OpT:
    ops.append(op)
    return op
