"""
How each op is cut: what MLIR's `TilingInterface` says of an op.

    %e = nv_tileaa.addf %x, %y : tensor<1024x64xf32>      dim 0 in 4: dim 0 of %x and %y in 4
    %r = nv_tileaa.reduce %e {axis = 1} … -> tensor<1024xf32>                dim 0 of %e in 4
    %s = nv_tileaa.permute %e {permutation = [1, 0]} … -> tensor<64x1024xf32>
                                                          dim 1 in 4: dim 0 of %e in 4
    %x = nv_tileaa.tiled_load %v[%i, %j] : …              dim 0 in 4: a view of smaller tiles, and
                                                          index 4 * %i + the number of the part

`operand_dims` says which parts of which operands a part of the results is computed from, and
`PieceBuilder` builds the op of a part. Two drivers use them: `tile_slices.py` computes parts of a
value from parts of what it depends on, `split_region.py` cuts a whole part of a kernel.

A scan is cut along its own axis, too, where parts are computed one after the other:

    %r = nv_tileaa.scan %x {axis = 0} : tensor<1024xf32> …
becomes, for a part of 256 elements and the total %t of the parts before it, tensor<1xf32>,
    %s = nv_tileaa.scan %part {axis = 0} : tensor<256xf32> …
    %c = the body of the scan, of %t (in all lanes) and %s, lane by lane
    %r = arith.select %is_first, %s, %c
    %next = nv_tileaa.extract %r[255] … -> tensor<1xf32>

A scan in reverse goes over its parts from the last to the first. A part is combined with the
total as runs of threads are with those before them, so sums of floats are rounded in another
order. The first part is not combined with identities, which may change it: 0.0 + -0.0 is 0.0.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyDenseElement,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import FAR
from tileiras_xdsl.dialects.arith import ExtSIOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileaa import aggregate, matmul, memory, shape, views
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape, with_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, MulIOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.xdsl_extras.walking import integer_of, last_of, splat_of

from .canonicalization.shape import is_elementwise

OpT = TypeVar("OpT", bound=Operation)

ViewAccess = views.TileLoad | views.TileStore | views.TileUpdate
Store = views.TileStore | views.TileUpdate | memory.PointerStore | memory.AtomicRMWOp
"""What writes a tile: an atomic does, too, if nothing needs what was there before."""

# What a part is computed from


def operand_dims(op: Operation, dim: int, pieces: int) -> Mapping[int, int] | None:
    """
    For what an op computes or stores to be cut along a dimension: the operands that are cut, by
    their index, and along which dimension of theirs. All others are needed as a whole. `None` if
    there is no way.
    """
    match op:
        case arith.ConstantOp():
            value = op.value
            is_dense = isinstance(value, DenseIntOrFPElementsAttr)
            return {} if is_dense and splat_of(value) is not None else None
        case shape.SplatOp() | shape.MakeRangeOp():
            return {}
        case views.TileLoad() | views.TileStore() | views.TileUpdate():
            return _tiles_of(op, dim) if can_cut_view(op, dim, pieces) else None
        case memory.PointerLoad() | memory.PointerStore():
            return _tiles_of(op, dim)
        case memory.AtomicRMWOp() | memory.AtomicCASOp():
            return _tiles_of(op, dim)
        case shape.PermuteOp():
            return {0: op.get_permutation()[dim]}
        case shape.BroadcastOp():
            return {} if get_shape(op.source.type)[dim] == 1 else {0: dim}
        case shape.ExpandDimsOperation():
            axis = op.get_axis()
            return None if dim == axis else {0: dim - (dim > axis)}
        case shape.ViewOperation():
            along = find_same_rows(get_shape(op.source.type), get_shape(op.result.type), dim)
            return None if along is None else {0: along}
        case matmul.PackingOperation():
            return {0: dim}
        case shape.CatOp():
            # Parts along its own dimension are of one operand, or of both.
            return None if dim == op.dim.value.data else {0: dim, 1: dim}
        case aggregate.ReduceOp():
            return dict.fromkeys(range(len(op.operands)), dim + (dim >= op.get_axis()))
        case aggregate.ScanOp():
            # Parts along its own axis depend on those before them.
            can_cut = dim != op.get_axis() or can_cut_scan(op)
            return _tiles_of(op, dim) if can_cut else None
        case matmul.DotOp() | matmul.MmaFScaledOp():
            return _dot_operands(op, dim)
        case _:
            return _tiles_of(op, dim) if is_elementwise(op) else None


def _tiles_of(op: Operation, dim: int) -> Mapping[int, int]:
    """All tiles among the operands of an op, along one dimension."""
    return {index: dim for index, ty in enumerate(op.operand_types) if isinstance(ty, TensorType)}


def _dot_operands(op: matmul.DotOp | matmul.MmaFScaledOp, dim: int) -> Mapping[int, int]:
    """
    Those of a dot by a dimension of its result: of a batch all, else the accumulator, and operand A
    with its scales for rows, or operand B with its scales for columns.
    """
    rank = len(get_shape(op.result.type))
    of_a, of_b, accumulator = (0, 3), (1, 4), 2
    cut = [accumulator, *(of_a if dim != rank - 1 else ()), *(of_b if dim != rank - 2 else ())]
    return {index: dim for index in cut if index < len(op.operands)}


def needed_pieces(op: Operation, dim: int, pieces: int) -> Sequence[tuple[SSAValue, int]] | None:
    """The tiles among the operands of an op that are cut, and along which dimension."""
    dims = operand_dims(op, dim, pieces)
    return None if dims is None else [(op.operands[index], along) for index, along in dims.items()]


def can_cut_view(op: views.TiledAccess, dim: int, pieces: int) -> bool:
    """Whether parts of a tile of a view are tiles of another."""
    view = op.view_type
    piece = view.get_tile_shape()[dim] // pieces
    (source,) = (operand for operand in op.operands if isinstance(operand.type, TiledViewType))
    return (
        isinstance(source.owner, views.BlockTileOp)
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


def piece_type(ty: Attribute, dim: int, pieces: int) -> Attribute:
    """The type of a part of a tile; what is no tile is not cut."""
    if not isinstance(ty, TensorType):
        return ty
    sizes = list(get_shape(ty))
    sizes[dim] //= pieces
    return with_shape(ty, tuple(sizes))


# The op of a part


@dataclass
class PieceBuilder:
    """Builds the ops of the part of a number."""

    pieces: int
    number: SSAValue
    before: list[Operation]
    """Ops that do not depend on the number."""
    head: list[Operation]
    """Ops that do, behind which all others come."""
    cut: Container[SSAValue]
    """The tiles that are cut."""
    values: MutableMapping[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """What stands for a value: a part of it, or a copy. Others are there before all parts."""
    combined: tuple[SSAValue, SSAValue] | None = None
    """An index, and what is `pieces` times that plus the number."""
    early: dict[tuple[SSAValue, int], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, int], SSAValue]
    )
    """What was put before: views of parts, indices of 64 bits, and those of first parts."""
    _indices: dict[tuple[SSAValue, int], SSAValue] = field(
        init=False, default_factory=dict[tuple[SSAValue, int], SSAValue]
    )

    def get(self, value: SSAValue, dim: int | None = None) -> SSAValue:
        """What stands for a value, cut along a dimension or as a whole."""
        return value if dim is None and value in self.cut else self.values.get(value, value)

    def build(
        self, op: Operation, dim: int, ops: list[Operation], before: list[Operation] | None = None
    ) -> Operation:
        """
        Appends the op of this part, which is cut along a dimension. What does not depend on the
        number may be put `before`.
        """
        dims = operand_dims(op, dim, self.pieces)
        assert dims is not None
        operands = [self.get(value, dims.get(index)) for index, value in enumerate(op.operands)]
        types = [piece_type(ty, dim, self.pieces) for ty in op.result_types]
        early = ops if before is None else before
        match op:
            case arith.ConstantOp():
                new = add_op(early, _cut_splat(op, types[0]))
            case shape.SplatOp() if op.operands[0] not in self.values:
                new = add_op(early, copy_with(op, operands, types))
            case shape.MakeRangeOp():
                ty = op.start.type
                assert isinstance(ty, IntegerType)
                size = arith.ConstantOp(IntegerAttr(get_shape(types[0])[0], ty))
                step = add_op(early, size).result
                moved = add_op(ops, MulIOp(resize(self.number, ty, ops), step)).result
                start = add_op(ops, AddIOp(operands[0], moved)).result
                end = add_op(ops, AddIOp(start, step)).result
                new = add_op(ops, copy_with(op, [start, end], types))
            case views.TileLoad() | views.TileStore() | views.TileUpdate():
                self._cut_view(op, dim, operands, ops)
                new = add_op(ops, copy_with(op, operands, types))
            case _:
                new = add_op(ops, copy_with(op, operands, types))
        new.location = op.location
        return new

    def _cut_view(
        self, op: ViewAccess, dim: int, operands: list[SSAValue], ops: list[Operation]
    ) -> None:
        """Makes an access to a tile one to a part of it, by its operands."""
        new_type, ratio = piece_view(op.view_type, dim, self.pieces)
        old = op.view.owner
        assert isinstance(old, views.BlockTileOp)
        is_before = old.memref not in self.values
        if (op.view, dim) not in self.early or not is_before:
            tiles = views.BlockTileOp(self.get(old.memref), new_type)
            tiles.location = old.location
            self.early[op.view, dim] = add_op(self.before if is_before else ops, tiles).result
        operands[list(op.operands).index(op.view)] = self.early[op.view, dim]
        first = list(op.operands).index(op.indices[0])
        index = op.indices[dim]
        if integer_of(index) == 0 and index.type == self.number.type:
            operands[first + dim] = self.number
            return
        if ratio == self.pieces and (known := self._find_combined(index, ops)) is not None:
            operands[first + dim] = known
            return
        for number, index in enumerate(op.indices):
            at = operands[first + number]
            find = self._piece_index if number == dim else self._wide_index
            operands[first + number] = find(index, at, ratio, ops)

    def _find_combined(self, index: SSAValue, ops: list[Operation]) -> SSAValue | None:
        """The index of the part, if that is known without a product."""
        if self.combined is None:
            return None
        known, part = self.combined
        if index is known:
            return part
        wide = index.owner
        if not isinstance(wide, ExtSIOp) or wide.operands[0] is not known:
            return None
        return add_op(ops, ExtSIOp(part, wide.result.type)).result

    def _wide_index(
        self, index: SSAValue, at: SSAValue, ratio: int, ops: list[Operation]
    ) -> SSAValue:
        """An index in 64 bits: multiples of one may not fit in 32, outside of the tensor."""
        if index in self.values:
            return resize(at, i64, ops)
        if (index, 0) not in self.early:
            self.early[index, 0] = resize(at, i64, self.before)
        return self.early[index, 0]

    def _piece_index(
        self, index: SSAValue, at: SSAValue, ratio: int, ops: list[Operation]
    ) -> SSAValue:
        """The index of a part of a tile."""
        if index in self.values:
            start = _first_piece(at, ratio, ops)
            return add_op(ops, AddIOp(start, resize(self.number, i64, ops))).result
        if (index, ratio) not in self.early:
            self.early[index, ratio] = _first_piece(at, ratio, self.before)
        if (index, ratio) not in self._indices:
            wide = resize(self.number, i64, self.head)
            result = add_op(self.head, AddIOp(self.early[index, ratio], wide)).result
            self._indices[index, ratio] = result
        return self._indices[index, ratio]


def _first_piece(index: SSAValue, ratio: int, ops: list[Operation]) -> SSAValue:
    """
    The index of the first part of a tile, in 64 bits. An index with which the product would wrap
    around is far outside of the tensor, and stays there.
    """
    is_narrow = index.type != i64
    index = resize(index, i64, ops)
    if not is_narrow:
        far = FAR // ratio
        limits = [add_op(ops, arith.ConstantOp(IntegerAttr(n, i64))).result for n in (-far, far)]
        index = add_op(ops, arith.MaxSIOp(index, limits[0])).result
        index = add_op(ops, arith.MinSIOp(index, limits[1])).result
    factor = add_op(ops, arith.ConstantOp(IntegerAttr(ratio, i64))).result
    return add_op(ops, MulIOp(index, factor)).result


def piece_view(view: TiledViewType, dim: int, pieces: int) -> tuple[TiledViewType, int]:
    """The view whose tiles are parts of those of a view, and how many it has for each of them."""
    sizes, steps = list(view.get_tile_shape()), list(view.get_steps())
    sizes[dim] //= pieces
    ratio = steps[dim] // sizes[dim]
    steps[dim] = sizes[dim]
    padding, sparse = view.get_padding(), view.get_sparse_dim()
    return TiledViewType(sizes, view.memref, view.get_dim_map(), steps, padding, sparse), ratio


def _cut_splat(op: arith.ConstantOp, ty: Attribute) -> arith.ConstantOp:
    """A constant of equal elements in another shape."""
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    element = splat_of(op.value)
    assert element is not None
    data = BytesAttr(element * prod(get_shape(ty)))
    return arith.ConstantOp(DenseIntOrFPElementsAttr(cast("TensorType[AnyDenseElement]", ty), data))


def resize(value: SSAValue, ty: IntegerType, ops: list[Operation]) -> SSAValue:
    """A signed integer in another width."""
    assert isinstance(value.type, IntegerType)
    if value.type == ty:
        return value
    is_wider = ty.width.data > value.type.width.data
    return add_op(ops, (ExtSIOp if is_wider else TruncIOp)(value, ty)).result


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


# Scans along their own axis


def is_in_reverse(op: aggregate.ScanOp) -> bool:
    """Whether a scan begins at the last element."""
    return op.reverse is not None and bool(op.reverse.value.data)


def can_cut_scan(op: aggregate.ScanOp) -> bool:
    """Whether a scan can be cut along its axis: its body can be applied to tiles."""
    is_inclusive = op.inclusive is None or bool(op.inclusive.value.data)
    *body, _ = op.body.block.ops
    return (
        is_inclusive
        and op.identities is not None
        and all(isinstance(each, IntegerAttr | FloatAttr) for each in op.identities)
        and all(isinstance(each, arith.ConstantOp) or is_elementwise(each) for each in body)
    )


def first_totals(op: aggregate.ScanOp, ops: list[Operation]) -> list[SSAValue]:
    """Totals for the first part, which does not use them: any values that the body can take."""
    assert op.identities is not None
    totals: list[SSAValue] = []
    for identity, result in zip(op.identities, op.results, strict=True):
        assert isinstance(identity, IntegerAttr | FloatAttr)
        scalar = add_op(ops, arith.ConstantOp(identity))
        sizes = list(get_shape(result.type))
        sizes[op.get_axis()] = 1
        splat = shape.SplatOp(scalar.result, with_shape(result.type, tuple(sizes)))
        totals.append(add_op(ops, splat).result)
    return totals


def continue_scan(
    op: aggregate.ScanOp,
    scanned: Sequence[SSAValue],
    totals: Sequence[SSAValue],
    is_first: SSAValue,
    ops: list[Operation],
) -> tuple[Sequence[SSAValue], list[SSAValue]]:
    """A scanned part combined with the totals before it, and the totals behind it."""
    wide = [
        add_op(ops, shape.BroadcastOp(total, part.type)).result
        for total, part in zip(totals, scanned, strict=True)
    ]
    results = [
        add_op(ops, SelectOp(is_first, part, joined)).result
        for part, joined in zip(scanned, _combine(op, wide, scanned, ops), strict=True)
    ]
    axis = op.get_axis()
    sizes = get_shape(scanned[0].type)
    zero = add_op(ops, arith.ConstantOp(IntegerAttr(0, i32)))
    place = 0 if is_in_reverse(op) else sizes[axis] - 1
    last = add_op(ops, arith.ConstantOp(IntegerAttr(place, i32)))
    indices = [last.result if dim == axis else zero.result for dim in range(len(sizes))]
    following: list[SSAValue] = []
    for result, total in zip(results, totals, strict=True):
        extract = shape.ExtractOp.create(operands=[result, *indices], result_types=[total.type])
        following.append(add_op(ops, extract).result)
    return results, following


def _combine(
    op: aggregate.ScanOp,
    before: Sequence[SSAValue],
    values: Sequence[SSAValue],
    ops: list[Operation],
) -> list[SSAValue]:
    """The body of a scan, lane by lane; the first of two arguments is what is scanned so far."""
    block = op.body.block
    sizes = get_shape(values[0].type)
    tiles: dict[SSAValue, SSAValue] = {}
    for number, pair in enumerate(zip(before, values, strict=True)):
        tiles.update(zip(block.args[2 * number : 2 * number + 2], pair, strict=True))

    def as_tile(scalar: SSAValue) -> SSAValue:
        if scalar not in tiles:
            splat = shape.SplatOp(scalar, TensorType(scalar.type, sizes))
            tiles[scalar] = add_op(ops, splat).result
        return tiles[scalar]

    *body, _ = block.ops
    for each in body:
        if isinstance(each, arith.ConstantOp):
            constant = add_op(ops, each.clone())
            tiles[each.result] = as_tile(constant.result)
            continue
        new = type(each).create(
            operands=[as_tile(operand) for operand in each.operands],
            result_types=[TensorType(result.type, sizes) for result in each.results],
            properties=dict(each.properties),
            attributes=dict(each.attributes),
        )
        ops.append(new)
        tiles.update(zip(each.results, new.results, strict=True))
    return [as_tile(value) for value in last_of(block).operands]
