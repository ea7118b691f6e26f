"""What accesses of tile dialects to memory do: through pointers, and through tiles of views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.enums import AtomicMode
from tileiras_xdsl.dialects.nv_tileaa import memory, views
from tileiras_xdsl.dialects.nv_tileaa.types import PADDINGS, MemRefType, ViewLayout
from tileiras_xdsl.dialects.nv_tileas import async_ops
from tileiras_xdsl.dialects.nv_tileas import memory as buffers

from .accesses import (
    ElementFormat,
    InBoundsPart,
    StridedArray,
    load,
    load_elements,
    load_part,
    part_of_tile,
    part_offsets,
    store,
    store_elements,
    update,
    window_of,
)
from .arithmetic import combiner
from .cta_state import CtaState
from .elements import bits_of, dtype_of, from_bits, round_to, signed
from .errors import ExecutionError
from .machine import TILES, BoundProgram, Function, InCta, slots
from .unwritten import check_written, unwritten_elements
from .values import (
    Array,
    Value,
    attribute,
    element_of,
    has,
    integers_of,
    pointee_of,
    shape_of,
    word_of,
)

if TYPE_CHECKING:
    from .checks import CheckedAccess


def binds_access(
    make: Callable[[Any], Function], operands: str, results: str, *ops: type[Operation]
) -> None:
    """Registers accesses: a function is made of the op, and takes operands by their names."""

    def bind(op: Operation, program: BoundProgram) -> InCta:
        indices = getattr(op, "index", None) or getattr(op, "indices", ())
        return InCta(make(op), [*slots(op, operands), *indices], slots(op, results))

    TILES.binds(*ops)(bind)


# Pointers


@TILES.runs(ct.OffsetOp, element=lambda op: pointee_of(op.operands[0].type))
@TILES.runs(memory.AddPtrOp, element=attribute("elem_type"))
def run_offset(address: Value, offset: Value, *, element: Attribute) -> Array:
    """An address moved by a number of elements."""
    fmt = ElementFormat.of(element)
    wide = signed(np.asarray(offset)).astype(np.int64)
    return np.asarray(address) + (wide >> 1 if fmt.packed else wide * fmt.size)


def active_lanes(mask: Array | None) -> Array | None:
    """The numbers of the lanes whose mask is true; `None` if all are."""
    if mask is None:
        return None
    flat = np.broadcast_to(mask, mask.shape).reshape(-1)
    return None if flat.all() else np.flatnonzero(flat)


def read_through(op: Operation, ty: Attribute) -> Function:
    """
    Reads a value of a type through pointers; lanes that are masked out yield the other value, or
    zero.
    """
    fmt, shape = ElementFormat.of(element_of(ty)), shape_of(ty)
    dtype = dtype_of(fmt.element)

    def apply(
        cta: CtaState, pointers: Value, mask: Array | None, other: Value, token: Value
    ) -> Value:
        addresses = np.asarray(pointers).reshape(-1)
        lanes = active_lanes(mask)

        def read(access: CheckedAccess | None) -> Array:
            chosen = addresses if lanes is None else addresses[lanes]
            if access is not None:
                access.lanes(lanes, shape)
            found = decode(load(cta, access, fmt, chosen), fmt)
            if lanes is None:
                return found.reshape(shape)
            if other is None:
                whole = np.zeros(prod(shape), dtype)
            else:
                whole = np.array(np.broadcast_to(other, shape), dtype).reshape(-1)
            whole[lanes] = found
            return whole.reshape(shape)

        return cta.perform(op, token, read)

    return apply


def decode(stored: Array, fmt: ElementFormat) -> Array:
    """What memory holds at pointers, as values; of a packed pair the first."""
    if fmt.packed:
        return from_bits(stored & 0xF, fmt.element)
    return fmt.decode(stored)


def encode(values: Array, fmt: ElementFormat) -> Array:
    """Values as memory holds them at pointers."""
    if fmt.packed:
        return bits_of(values, fmt.element).astype(np.uint8)
    return fmt.encode(values)


def write_through(op: Any) -> Function:
    """Writes through pointers."""
    ty = op.value.type
    fmt, shape = ElementFormat.of(element_of(ty)), shape_of(ty)

    def apply(
        cta: CtaState, pointers: Value, value: Value, mask: Array | None, token: Value
    ) -> Value:
        addresses = np.asarray(pointers).reshape(-1)
        values = np.broadcast_to(value, shape).reshape(-1)
        lanes, unwritten = active_lanes(mask), unwritten_elements(value, shape)

        def write(access: CheckedAccess | None) -> None:
            if access is not None:
                access.lanes(lanes, shape)
                if unwritten is not None:
                    flat = unwritten.reshape(-1)
                    access.stores(flat if lanes is None else flat[lanes])
            chosen = (addresses, values) if lanes is None else (addresses[lanes], values[lanes])
            store(cta, access, fmt, chosen[0], encode(chosen[1], fmt))

        return cta.perform(op, token, write, may_wait=True)[1]

    return apply


def _update_through(
    op: Operation,
    ty: Attribute,
    combine: Callable[..., Array],
    masked_out: Callable[[Array], Array],
) -> Function:
    """An atomic: replaces elements, and yields what was there."""
    fmt, shape = ElementFormat.of(element_of(ty)), shape_of(ty)

    def apply(
        cta: CtaState, pointers: Value, mask: Array | None, token: Value, *values: Value
    ) -> Value:
        addresses = np.asarray(pointers).reshape(-1)
        operands = [np.broadcast_to(value, shape).reshape(-1) for value in values]
        lanes = active_lanes(mask)

        def change(access: CheckedAccess | None) -> Array:
            if access is not None:
                access.lanes(lanes, shape)
            if lanes is None:
                return update(cta, access, fmt, addresses, operands, combine).reshape(shape)
            chosen = [operand[lanes] for operand in operands]
            old = update(cta, access, fmt, addresses[lanes], chosen, combine)
            whole = np.array(masked_out(operands[0]))
            whole[lanes] = old
            return whole.reshape(shape)

        return cta.perform(op, token, change)

    return apply


def _combiner_of(op: Operation, element: Attribute) -> Callable[..., Array]:
    """What an atomic makes of memory and a value."""
    mode = word_of(op, "mode", names=AtomicMode) or word_of(op, "rmw_mode", names=AtomicMode)
    return combiner(mode, element)


def combine_through(op: ct.AtomicRMWOp | memory.AtomicRMWOp) -> Function:
    """Combines memory with a value; masked lanes yield zero."""
    ty = (op.arg if isinstance(op, ct.AtomicRMWOp) else op.value).type
    return _update_through(op, ty, _combiner_of(op, element_of(ty)), np.zeros_like)


def exchange_through(op: ct.AtomicCASOp | memory.AtomicCASOp) -> Function:
    """Replaces memory where its bits are those of a value; masked lanes yield that value."""
    ty = op.result.type
    element = element_of(ty)

    def exchange(old: Array, wanted: Array, new: Array) -> Array:
        return np.where(bits_of(old, element) == bits_of(wanted, element), new, old)

    return _update_through(op, ty, exchange, np.asarray)


def _read_result(op: Operation) -> Function:
    return read_through(op, op.results[0].type)


BOTH_RESULTS = "result result_token"
binds_access(_read_result, "source mask padding_value token", BOTH_RESULTS, ct.LoadPtrOp)
binds_access(_read_result, "pointer mask other token", BOTH_RESULTS, memory.LoadOp, buffers.LoadOp)
binds_access(write_through, "destination value mask token", "result_token", ct.StorePtrOp)
binds_access(
    write_through, "pointer value mask token", "result_token", memory.StoreOp, buffers.StoreOp
)
binds_access(combine_through, "pointers mask token arg", BOTH_RESULTS, ct.AtomicRMWOp)
binds_access(combine_through, "pointer mask token value", BOTH_RESULTS, memory.AtomicRMWOp)
binds_access(exchange_through, "pointers mask token cmp val", BOTH_RESULTS, ct.AtomicCASOp)
binds_access(
    exchange_through, "pointer mask token compare replacement", BOTH_RESULTS, memory.AtomicCASOp
)


# Views


def padding_value(element: Attribute, word: str | None) -> Array:
    """What is read outside of a tensor; zero where it is not said."""
    if word in (None, "zero"):
        return np.zeros((), dtype_of(element))
    return round_to(np.asarray(PADDINGS[word]), element, saturate=False)


@TILES.binds(ct.MakeTensorViewOp, views.MakeMemrefOp)
def bind_make_tensor(op: ct.MakeTensorViewOp | views.MakeMemrefOp, program: BoundProgram) -> InCta:
    """A strided tensor at a pointer, or after it."""
    ty = op.results[0].type
    assert isinstance(ty, ct.TensorViewType | MemRefType)
    element, shape, steps = ty.element_type, ty.shape.data, ty.strides.data
    fmt = ElementFormat.of(element)
    if isinstance(op, views.MakeMemrefOp):
        offset, sizes, strides = op.offset, op.sizes, op.strides
    else:
        offset, sizes, strides = None, op.dynamic_shape, op.dynamic_strides
    count = len(sizes)

    def make(cta: CtaState, address: Value, offset: Value, *dynamic: Value) -> StridedArray:
        if offset is not None:
            address = run_offset(address, offset, element=element)
        numbers = [int(value) for value in dynamic]
        dynamic_sizes, dynamic_strides = iter(numbers[:count]), iter(numbers[count:])
        return StridedArray(
            int(address),
            fmt,
            tuple(next(dynamic_sizes) if dim is None else dim for dim in shape),
            tuple(next(dynamic_strides) if dim is None else dim for dim in steps),
        )

    return InCta(make, [op.base, offset, *sizes, *strides])


@TILES.runs(ct.MakePartitionViewOp, ct.MakeStridedViewOp, ct.MakeGatherScatterViewOp)
@TILES.runs(views.BlockTileOp)
def run_make_view(tensor: StridedArray) -> StridedArray:
    """A view is its tensor: its type says how it cuts that."""
    return tensor


def _dtypes(op: Operation) -> list[np.dtype[Any]]:
    return [dtype_of(element_of(result.type)) for result in op.results]


def _as_results(sizes: Sequence[int], dtypes: Sequence[np.dtype[Any]]) -> Value:
    found = [np.asarray(n).astype(dtype) for n, dtype in zip(sizes, dtypes, strict=True)]
    return found[0] if len(found) == 1 else found


@TILES.runs(ct.GetTensorShapeOp, views.GetTensorShapeOp, dtypes=_dtypes)
def run_tensor_shape(tensor: StridedArray, *, dtypes: Sequence[np.dtype[Any]]) -> Value:
    """The sizes of a tensor."""
    return _as_results(tensor.sizes, dtypes)


@TILES.runs(
    ct.GetIndexSpaceShapeOp,
    views.GetIndexSpaceShapeOp,
    layout=lambda op: ViewLayout.of(op.operands[0].type),
    dtypes=_dtypes,
)
def run_index_space(
    tensor: StridedArray, *, layout: ViewLayout, dtypes: Sequence[np.dtype[Any]]
) -> Value:
    """How many tiles there are along each dimension of a view."""
    sizes = [tensor.sizes[dim] for dim in layout.dim_map]
    counts = [-(-size // step) for size, step in zip(sizes, layout.steps, strict=True)]
    return _as_results(counts, dtypes)


FAR = 1 << 62
"""An index that is outside of every tensor."""


class TileAccess:
    """What the accesses to a tile of a view share."""

    def __init__(self, op: Any):
        self.op: Operation = op
        self.layout = ViewLayout.of(op.view.type)
        name = "inbounds" if has(op, "inbounds") else "in_bounds"
        self.in_bounds = [bool(each) for each in integers_of(op, name)] if has(op, name) else []
        """The dimensions that the tile is said to be inside of."""

    def part(
        self, indices: Sequence[Value], tensor: StridedArray, access: CheckedAccess | None
    ) -> InBoundsPart | None:
        """The part of the tile that lies in the tensor, if any does."""
        layout = self.layout
        starts = [int(index) * step for index, step in zip(indices, layout.steps, strict=True)]
        part = part_of_tile(tensor, layout.tile_shape, layout.dim_map, starts)
        if part is None or not part.whole:
            _check_in_bounds(access, self, tensor, starts)
        return part

    def sparse_offsets(self, indices: Sequence[Value], tensor: StridedArray) -> tuple[Array, Array]:
        """The elements of a gathered tile by their place, and which lie in the tensor."""
        layout = self.layout
        rank = len(layout.tile_shape)
        offsets, inside = np.zeros((), np.int64), np.ones((), np.bool_)
        for dim, size in enumerate(layout.tile_shape):
            index = indices[dim]
            if dim == layout.sparse_dim:
                places = np.asarray(index).astype(np.int64)
            else:
                start = max(-FAR, min(int(index) * layout.steps[dim], FAR))
                places = start + np.arange(size, dtype=np.int64)
            shape = [1] * rank
            shape[dim] = size
            places = places.reshape(shape)
            inside = inside & (places >= 0) & (places < tensor.sizes[dim])
            offsets = offsets + places * tensor.strides[dim]
        full = layout.tile_shape
        return np.broadcast_to(offsets, full), np.broadcast_to(inside, full)

    def places(
        self, indices: Sequence[Value], tensor: StridedArray, access: CheckedAccess | None
    ) -> tuple[InBoundsPart | Array, tuple[slice, ...] | Array] | None:
        """
        The elements in the tensor: by their place in memory, and by that in the tile; `None` if
        there are none.
        """
        if self.layout.sparse_dim is None:
            part = self.part(indices, tensor, access)
            return None if part is None else (part, part.slices)
        offsets, inside = self.sparse_offsets(indices, tensor)
        _check_sparse(access, self, indices, tensor)
        return (offsets[inside], inside) if inside.any() else None

    @cached_property
    def padding(self) -> Array:
        """What is read outside of the tensor."""
        word = word_of(self.op, "padding_value", "") or self.layout.padding
        return padding_value(self.layout.element, word)

    def padded(self) -> Array:
        """The tile where all of it lies outside of the tensor."""
        return np.full(self.layout.tile_shape, self.padding, dtype_of(self.layout.element))


def read_tile(op: Operation) -> Function:
    """Reads a tile of a view."""
    access_of = TileAccess(op)

    def apply(cta: CtaState, tensor: StridedArray, token: Value, *indices: Value) -> Value:
        def read(access: CheckedAccess | None) -> Array:
            found = access_of.places(indices, tensor, access)
            if access is not None:
                access.counts_tile(tensor.address, outside=found is None)
            if found is None:
                return access_of.padded()
            where, chosen = found
            if access is not None:
                access.tile(chosen, access_of.layout.tile_shape)
            if not isinstance(where, InBoundsPart):
                values = load_elements(cta, access, tensor, where)
            elif where.whole:
                return np.array(load_part(cta, access, tensor, where))
            else:
                values = load_part(cta, access, tensor, where)
            tile = access_of.padded()
            tile[chosen] = values
            return tile

        return cta.perform(op, token, read)

    return apply


def _check_sparse(
    access: CheckedAccess | None, tile: TileAccess, indices: Sequence[Value], tensor: StridedArray
) -> None:
    """A gathered tile that is said to lie in the tensor must do so."""
    if access is None or not access.checks_bounds:
        return
    starts = [0] * len(indices)
    for dim, index in enumerate(indices):
        if dim != tile.layout.sparse_dim:
            starts[dim] = int(index) * tile.layout.steps[dim]
        elif dim < len(tile.in_bounds) and tile.in_bounds[dim]:
            rows = np.asarray(index).astype(np.int64)
            outside = np.flatnonzero((rows < 0) | (rows >= tensor.sizes[dim]))
            if len(outside):
                lane = [0] * len(indices)
                lane[dim] = int(outside[0])
                raise ExecutionError(
                    f"is in bounds of dimension {dim} by promise, but accesses "
                    f"{int(rows[outside[0]])} of {tensor.sizes[dim]}",
                    lane=lane,
                )
    _check_in_bounds(access, tile, tensor, starts)


def _check_in_bounds(
    access: CheckedAccess | None, tile: TileAccess, tensor: StridedArray, starts: Sequence[int]
) -> None:
    """A tile that is said to lie in the tensor must do so."""
    if access is None or not access.checks_bounds:
        return
    layout = tile.layout
    for dim, (start, size) in enumerate(zip(starts, layout.tile_shape, strict=True)):
        if dim == layout.sparse_dim:
            continue
        extent = tensor.sizes[layout.dim_map[dim]]
        if dim < len(tile.in_bounds) and tile.in_bounds[dim]:
            if start < 0 or start + size > extent:
                lane = [0] * len(layout.tile_shape)
                lane[dim] = 0 if start < 0 else max(extent - start, 0)
                raise ExecutionError(
                    f"is in bounds of dimension {dim} by promise, but reaches from {start} to "
                    f"{start + size} of {extent}",
                    lane=lane,
                )


def write_tile(op: Operation) -> Function:
    """Writes the part of a tile that lies in the tensor."""
    access_of = TileAccess(op)
    layout = access_of.layout
    fmt = ElementFormat.of(layout.element)

    def apply(
        cta: CtaState,
        tensor: StridedArray,
        value: Value,
        lanes: Array | None,
        token: Value,
        *indices: Value,
    ) -> Value:
        values = np.broadcast_to(value, layout.tile_shape)
        unwritten = unwritten_elements(value, layout.tile_shape)

        def write(access: CheckedAccess | None) -> None:
            found = access_of.places(indices, tensor, access)
            if access is not None and (lanes is None or np.any(lanes)):
                access.counts_tile(tensor.address, outside=found is None)
            if found is None:
                return
            where, chosen = found
            picked = values[chosen]
            if fmt.packed:
                picked = bits_of(picked, fmt.element)
            if lanes is None and access is None and isinstance(where, InBoundsPart):
                window = None if fmt.packed else window_of(cta, tensor, where)
                if window is not None:
                    window[...] = fmt.encode(picked)
                    return
            offsets = part_offsets(where) if isinstance(where, InBoundsPart) else where
            numbers = np.arange(prod(layout.tile_shape)).reshape(layout.tile_shape)[chosen]
            if lanes is not None:
                kept = np.broadcast_to(lanes, layout.tile_shape)[chosen]
                offsets, picked, numbers = offsets[kept], picked[kept], numbers[kept]
            if access is not None:
                flat = numbers.reshape(-1)
                access.lanes(flat, layout.tile_shape)
                access.stores(None if unwritten is None else unwritten.reshape(-1)[flat])
            store_elements(cta, access, tensor, offsets, picked)

        return cta.perform(op, token, write, may_wait=True)[1]

    return apply


def combine_tile(op: Operation) -> Function:
    """Combines the part of a tile that lies in the tensor with a value."""
    access_of = TileAccess(op)
    layout = access_of.layout
    fmt = ElementFormat.of(layout.element)
    combine = _combiner_of(op, layout.element)

    def apply(
        cta: CtaState, tensor: StridedArray, value: Value, token: Value, *indices: Value
    ) -> Value:
        values = np.broadcast_to(value, layout.tile_shape)

        def change(access: CheckedAccess | None) -> None:
            part = access_of.part(indices, tensor, access)
            if access is not None:
                access.counts_tile(tensor.address, outside=part is None)
            if part is None:
                return
            if access is not None:
                access.through_view(tensor.address)
                access.tile(part.slices, layout.tile_shape)
            offsets = part_offsets(part).reshape(-1)
            addresses = tensor.address + offsets * fmt.dtype.itemsize
            picked = values[part.slices].reshape(-1)
            update(cta, access, fmt, addresses, [picked], combine)

        return cta.perform(op, token, change, may_wait=True)[1]

    return apply


@TILES.binds(buffers.PadOp)
def bind_pad(op: buffers.PadOp, program: BoundProgram) -> InCta:
    """Replaces what lies outside of the tensor."""
    access_of = TileAccess(op)

    def apply(cta: CtaState, tile: Array, view: StridedArray, *indices: Value) -> Array:
        part, whole = access_of.part(indices, view, None), access_of.padded()
        if part is not None:
            whole[part.slices] = tile[part.slices]
        return whole

    return InCta(apply)


binds_access(read_tile, "view token", "tile result_token", ct.LoadViewOp)
binds_access(read_tile, "view token", BOTH_RESULTS, views.TiledLoadOp, views.GatherLoadOp)
binds_access(read_tile, "view token", BOTH_RESULTS, buffers.TiledLoadOp, buffers.GatherLoadOp)
binds_access(write_tile, "view tile mask token", "result_token", ct.StoreViewOp)
for stores in (
    (views.TiledStoreOp, views.ScatterStoreOp),
    (buffers.TiledStoreOp, buffers.ScatterStoreOp),
):
    binds_access(write_tile, "view value mask token", "result_token", *stores)
binds_access(combine_tile, "view value token", "result_token", ct.AtomicRedViewOp)
binds_access(combine_tile, "view value token", "result_token", views.TiledAtomicRMWOp)
binds_access(combine_tile, "view value token", "result_token", buffers.TiledAtomicRMWOp)


# Asynchronous copies to buffers


@TILES.binds(async_ops.AsyncLoadOp)
def bind_async_load(op: async_ops.AsyncLoadOp, program: BoundProgram) -> InCta:
    """Begins to copy what pointers point to."""
    read = read_through(op, op.destination.type)

    def apply(cta: CtaState, destination: Array, *operands: Value) -> Value:
        found = read(cta, *operands, None)[0]
        check_written(found)
        return cta.copies.issue(destination, found)

    return InCta(apply, [op.destination, op.pointer, op.mask, op.other], [op.result])


@TILES.binds(async_ops.AsyncTiledLoadOp)
def bind_async_tiled_load(op: async_ops.AsyncTiledLoadOp, program: BoundProgram) -> InCta:
    """Begins to copy a tile of a view."""
    read = read_tile(op)

    def apply(cta: CtaState, destination: Array, view: StridedArray, *indices: Value) -> Value:
        found = read(cta, view, None, *indices)[0]
        check_written(found)
        return cta.copies.issue(destination, found)

    return InCta(apply, [op.destination, op.view, *op.indices], [op.result])
