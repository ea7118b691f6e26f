"""Binders of accesses to memory, shared by both tile dialects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.enums import AtomicMode

from .accesses import (
    Format,
    Tensor,
    combiner,
    load,
    load_elements,
    load_part,
    part_of_tile,
    part_offsets,
    store,
    store_elements,
    update,
)
from .blocks import BlockState
from .elements import bits_of, dtype_of, from_bits, round_to, signed
from .errors import ExecutionError
from .machine import Direct, Frame, Program, Value
from .memory import Array
from .types import ViewLayout, element_of, shape_of, tensor_dims, word_of

if TYPE_CHECKING:
    from .checks import Access


def _optional(program: Program, value: SSAValue | None) -> int | None:
    return None if value is None else program.register(value)


def _get(frame: Frame, register: int | None) -> Value:
    return None if register is None else frame.registers[register]


def _set_all(program: Program, values: Sequence[SSAValue | None]) -> list[int | None]:
    return [_optional(program, value) for value in values]


def _finish(frame: Frame, registers: Sequence[int | None], values: Sequence[Value]) -> None:
    for register, value in zip(registers, values, strict=True):
        if register is not None:
            frame.registers[register] = value


def active_lanes(mask: Array | None, count: int) -> Array | None:
    """The numbers of the lanes whose mask is true; `None` if all are."""
    if mask is None:
        return None
    flat = np.broadcast_to(mask, mask.shape).reshape(-1)
    return None if flat.all() else np.flatnonzero(flat)


def as_stored(values: Array, format: Format) -> Array:
    """Values as `store` and `store_elements` take them: packed ones as bits."""
    return bits_of(values, format.element) if format.packed else values


def bind_load(
    op: Operation,
    program: Program,
    pointer: SSAValue,
    mask: SSAValue | None,
    other: SSAValue | None,
    token: SSAValue | None,
    results: Sequence[SSAValue | None],
    type: Attribute | None = None,
) -> Direct:
    """
    Reads through pointers; lanes that are masked out yield the other value, or zero. The type of
    what is read is that of the first result if it is not given.
    """
    type = op.results[0].type if type is None else type
    format, shape = Format.of(element_of(type)), shape_of(type)
    dtype = dtype_of(format.element)
    source = program.register(pointer)
    masks, others, tokens = (_optional(program, value) for value in (mask, other, token))
    outputs = _set_all(program, results)

    def step(frame: Frame) -> None:
        addresses = np.asarray(frame.registers[source]).reshape(-1)
        lanes = active_lanes(_get(frame, masks), len(addresses))

        def read(access: Access | None) -> Array:
            chosen = addresses if lanes is None else addresses[lanes]
            if access is not None:
                access.lanes(lanes, shape)
            found = decode(load(frame.block, access, format, chosen), format)
            if lanes is None:
                return found.reshape(shape)
            fallback = _get(frame, others)
            if fallback is None:
                whole = np.zeros(prod(shape), dtype)
            else:
                whole = np.array(np.broadcast_to(fallback, shape), dtype).reshape(-1)
            whole[lanes] = found
            return whole.reshape(shape)

        values = frame.block.perform(op, _get(frame, tokens), read)
        _finish(frame, outputs, values)

    return Direct(step)


def decode(stored: Array, format: Format) -> Array:
    """What memory holds at pointers, as values; of a packed pair the first."""
    if format.packed:
        return from_bits(stored & 0xF, format.element)
    return format.decode(stored)


def encode(values: Array, format: Format) -> Array:
    """Values as memory holds them at pointers."""
    if format.packed:
        return bits_of(values, format.element).astype(np.uint8)
    return format.encode(values)


def bind_store(
    op: Operation,
    program: Program,
    pointer: SSAValue,
    value: SSAValue,
    mask: SSAValue | None,
    token: SSAValue | None,
    result: SSAValue | None,
) -> Direct:
    """Writes through pointers."""
    format, shape = Format.of(element_of(value.type)), shape_of(value.type)
    target, source = program.register(pointer), program.register(value)
    masks, tokens = _optional(program, mask), _optional(program, token)
    outputs = _set_all(program, [result])

    def step(frame: Frame) -> None:
        addresses = np.asarray(frame.registers[target]).reshape(-1)
        values = np.broadcast_to(frame.registers[source], shape).reshape(-1)
        lanes = active_lanes(_get(frame, masks), len(addresses))

        def write(access: Access | None) -> None:
            if access is not None:
                access.lanes(lanes, shape)
            chosen = (addresses, values) if lanes is None else (addresses[lanes], values[lanes])
            store(frame.block, access, format, chosen[0], encode(chosen[1], format))

        _, result_token = frame.block.perform(op, _get(frame, tokens), write, may_wait=True)
        _finish(frame, outputs, [result_token])

    return Direct(step)


def bind_update(
    op: Operation,
    program: Program,
    pointer: SSAValue,
    values: Sequence[SSAValue],
    mask: SSAValue | None,
    token: SSAValue | None,
    results: Sequence[SSAValue | None],
    combine: Callable[..., Array],
    masked_out: Callable[[Sequence[Array]], Array],
) -> Direct:
    """An atomic: replaces elements, and yields what was there."""
    type = values[0].type
    format, shape = Format.of(element_of(type)), shape_of(type)
    target, sources = program.register(pointer), program.all(values)
    masks, tokens = _optional(program, mask), _optional(program, token)
    outputs = _set_all(program, results)

    def step(frame: Frame) -> None:
        addresses = np.asarray(frame.registers[target]).reshape(-1)
        operands = [np.broadcast_to(frame.registers[s], shape).reshape(-1) for s in sources]
        lanes = active_lanes(_get(frame, masks), len(addresses))

        def change(access: Access | None) -> Array:
            if access is not None:
                access.lanes(lanes, shape)
            if lanes is None:
                old = update(frame.block, access, format, addresses, operands, combine)
                return old.reshape(shape)
            chosen = [operand[lanes] for operand in operands]
            old = update(frame.block, access, format, addresses[lanes], chosen, combine)
            whole = np.array(masked_out(operands))
            whole[lanes] = old
            return whole.reshape(shape)

        values = frame.block.perform(op, _get(frame, tokens), change)
        _finish(frame, outputs, values)

    return Direct(step)


def bind_rmw(
    op: Operation,
    program: Program,
    mode_name: str,
    pointer: SSAValue,
    value: SSAValue,
    mask: SSAValue | None,
    token: SSAValue | None,
    results: Sequence[SSAValue | None],
) -> Direct:
    """Combines memory with a value."""
    mode = word_of(op, mode_name, "", AtomicMode)
    combine = combiner(mode, element_of(value.type))
    return bind_update(
        op,
        program,
        pointer,
        [value],
        mask,
        token,
        results,
        combine,
        lambda operands: np.zeros_like(operands[0]),
    )


def bind_cas(
    op: Operation,
    program: Program,
    pointer: SSAValue,
    compare: SSAValue,
    replacement: SSAValue,
    mask: SSAValue | None,
    token: SSAValue | None,
    results: Sequence[SSAValue | None],
) -> Direct:
    """Replaces memory where its bits are those of a value; masked lanes yield that value."""
    element = element_of(compare.type)

    def exchange(old: Array, wanted: Array, new: Array) -> Array:
        return np.where(bits_of(old, element) == bits_of(wanted, element), new, old)

    return bind_update(
        op,
        program,
        pointer,
        [compare, replacement],
        mask,
        token,
        results,
        exchange,
        lambda operands: operands[0],
    )


# Views

PADDINGS = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": np.nan,
    "pos_inf": np.inf,
    "neg_inf": -np.inf,
}


def padding_value(element: Attribute, word: str | None) -> Array:
    """What is read outside of a tensor; zero where it is not said."""
    if word in (None, "zero"):
        return np.zeros((), dtype_of(element))
    return round_to(np.asarray(PADDINGS[word]), element, saturate=False)


def bind_make_tensor(
    op: Operation,
    program: Program,
    base: SSAValue,
    sizes: Sequence[SSAValue],
    strides: Sequence[SSAValue],
) -> Callable[..., Tensor]:
    """A strided tensor at a pointer."""
    element, shape, steps = tensor_dims(op.results[0].type)
    format = Format.of(element)
    count = len(sizes)

    def make(address: Value, *dynamic: Value) -> Tensor:
        numbers = [int(value) for value in dynamic]
        dynamic_sizes, dynamic_strides = iter(numbers[:count]), iter(numbers[count:])
        return Tensor(
            int(address),
            format,
            tuple(next(dynamic_sizes) if dim is None else dim for dim in shape),
            tuple(next(dynamic_strides) if dim is None else dim for dim in steps),
        )

    return make


def index_space(layout: ViewLayout, tensor: Tensor) -> list[int]:
    """How many tiles there are along each dimension of a view."""
    sizes = [tensor.sizes[dim] for dim in layout.dim_map]
    return [-(-size // step) for size, step in zip(sizes, layout.steps, strict=True)]


FAR = 1 << 62
"""An index that is outside of every tensor."""


class TileAccess:
    """What the accesses to a tile of a view share."""

    def __init__(
        self,
        op: Operation,
        program: Program,
        view: SSAValue,
        indices: Sequence[SSAValue],
        in_bounds: Sequence[bool],
    ):
        self.op = op
        self.layout = ViewLayout.of(view.type)
        self.view, self.indices = program.register(view), program.all(indices)
        self.in_bounds = in_bounds

    def index_values(self, frame: Frame) -> list[Value]:
        """The indices of the tile; the access may happen when registers hold others."""
        return [frame.registers[index] for index in self.indices]

    def starts(self, indices: Sequence[Value]) -> list[int]:
        """Where the tile begins, of each of its dimensions."""
        steps = self.layout.steps
        return [int(index) * step for index, step in zip(indices, steps, strict=True)]

    def sparse_offsets(self, indices: Sequence[Value], tensor: Tensor) -> tuple[Array, Array]:
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


def bind_tile_load(
    access_of: TileAccess,
    program: Program,
    token: SSAValue | None,
    results: Sequence[SSAValue | None],
) -> Direct:
    """Reads a tile of a view."""
    op, layout = access_of.op, access_of.layout
    padding = padding_value(layout.element, word_of(op, "padding_value", "") or layout.padding)
    dtype = dtype_of(layout.element)
    tokens = _optional(program, token)
    outputs = _set_all(program, results)

    def read_part(
        frame: Frame, indices: Sequence[Value], tensor: Tensor, access: Access | None
    ) -> Array:
        starts = access_of.starts(indices)
        part = part_of_tile(tensor, layout.tile_shape, layout.dim_map, starts)
        if part is None or not part.whole:
            _check_in_bounds(access, access_of, tensor, starts)
        if part is None:
            return np.full(layout.tile_shape, padding, dtype)
        if access is not None:
            access.tile(part.slices, layout.tile_shape)
        values = load_part(frame.block, access, tensor, part)
        if part.whole:
            return np.array(values)
        whole = np.full(layout.tile_shape, padding, dtype)
        whole[part.slices] = values
        return whole

    def read_sparse(
        frame: Frame, indices: Sequence[Value], tensor: Tensor, access: Access | None
    ) -> Array:
        offsets, inside = access_of.sparse_offsets(indices, tensor)
        _check_sparse(access, access_of, indices, tensor)
        whole = np.full(layout.tile_shape, padding, dtype)
        if access is not None:
            access.lanes(np.flatnonzero(inside), layout.tile_shape)
        whole[inside] = load_elements(frame.block, access, tensor, offsets[inside])
        return whole

    read_tile = read_part if layout.sparse_dim is None else read_sparse

    def step(frame: Frame) -> None:
        tensor = frame.registers[access_of.view]

        indices = access_of.index_values(frame)

        def read(access: Access | None) -> Array:
            return read_tile(frame, indices, tensor, access)

        _finish(frame, outputs, frame.block.perform(op, _get(frame, tokens), read))

    return Direct(step)


def _check_sparse(
    access: Access | None, tile: TileAccess, indices: Sequence[Value], tensor: Tensor
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
    access: Access | None, tile: TileAccess, tensor: Tensor, starts: Sequence[int]
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
                raise ExecutionError(
                    f"is in bounds of dimension {dim} by promise, but reaches from {start} to "
                    f"{start + size} of {extent}",
                    lane=_lane_outside(dim, start, extent, layout.tile_shape),
                )


def _lane_outside(dim: int, start: int, extent: int, shape: Sequence[int]) -> list[int]:
    """The first lane of a tile that lies outside along a dimension."""
    lane = [0] * len(shape)
    lane[dim] = 0 if start < 0 else max(extent - start, 0)
    return lane


def bind_tile_store(
    access_of: TileAccess,
    program: Program,
    value: SSAValue,
    mask: SSAValue | None,
    token: SSAValue | None,
    result: SSAValue | None,
) -> Direct:
    """Writes the part of a tile that lies in the tensor."""
    op, layout = access_of.op, access_of.layout
    format = Format.of(layout.element)
    source, masks, tokens = (_optional(program, v) for v in (value, mask, token))
    outputs = _set_all(program, [result])

    def places(indices: Sequence[Value], tensor: Tensor, access: Access | None):
        """Elements by their place in memory, and by their place in the tile."""
        if layout.sparse_dim is not None:
            offsets, inside = access_of.sparse_offsets(indices, tensor)
            _check_sparse(access, access_of, indices, tensor)
            return offsets[inside], inside
        starts = access_of.starts(indices)
        part = part_of_tile(tensor, layout.tile_shape, layout.dim_map, starts)
        if part is None or not part.whole:
            _check_in_bounds(access, access_of, tensor, starts)
        if part is None:
            return None
        return part, part.slices

    def step(frame: Frame) -> None:
        tensor = frame.registers[access_of.view]
        values = np.broadcast_to(_get(frame, source), layout.tile_shape)
        lanes = _get(frame, masks)
        indices = access_of.index_values(frame)

        def write(access: Access | None) -> None:
            found = places(indices, tensor, access)
            if found is None:
                return
            where, chosen = found
            picked = as_stored(values[chosen], format)
            if lanes is None and access is None and not isinstance(where, np.ndarray):
                window = None if format.packed else _writable(frame.block, tensor, where)
                if window is not None:
                    window[...] = format.encode(picked)
                    return
            offsets = where if isinstance(where, np.ndarray) else part_offsets(where)
            numbers = np.arange(prod(layout.tile_shape)).reshape(layout.tile_shape)[chosen]
            if lanes is not None:
                kept = np.broadcast_to(lanes, layout.tile_shape)[chosen]
                offsets, picked, numbers = offsets[kept], picked[kept], numbers[kept]
            if access is not None:
                access.lanes(numbers.reshape(-1), layout.tile_shape)
            store_elements(frame.block, access, tensor, offsets, picked)

        _, result_token = frame.block.perform(op, _get(frame, tokens), write, may_wait=True)
        _finish(frame, outputs, [result_token])

    return Direct(step)


def _writable(block: BlockState, tensor: Tensor, part: object) -> Array | None:
    from .accesses import Part, window_of

    assert isinstance(part, Part)
    return window_of(block, tensor, part)


def bind_tile_update(
    access_of: TileAccess,
    program: Program,
    mode_name: str,
    value: SSAValue,
    token: SSAValue | None,
    result: SSAValue | None,
) -> Direct:
    """Combines the part of a tile that lies in the tensor with a value."""
    op, layout = access_of.op, access_of.layout
    format = Format.of(layout.element)
    combine = combiner(word_of(op, mode_name, "", AtomicMode), layout.element)
    source, tokens = program.register(value), _optional(program, token)
    outputs = _set_all(program, [result])

    def step(frame: Frame) -> None:
        tensor: Tensor = frame.registers[access_of.view]
        values = np.broadcast_to(frame.registers[source], layout.tile_shape)

        starts = access_of.starts(access_of.index_values(frame))

        def change(access: Access | None) -> None:
            part = part_of_tile(tensor, layout.tile_shape, layout.dim_map, starts)
            if part is None or not part.whole:
                _check_in_bounds(access, access_of, tensor, starts)
            if part is None:
                return
            if access is not None:
                access.through_view(tensor.address)
                access.tile(part.slices, layout.tile_shape)
            offsets = part_offsets(part).reshape(-1)
            addresses = tensor.address + offsets * format.dtype.itemsize
            picked = values[part.slices].reshape(-1)
            update(frame.block, access, format, addresses, [picked], combine)

        _, result_token = frame.block.perform(op, _get(frame, tokens), change, may_wait=True)
        _finish(frame, outputs, [result_token])

    return Direct(step)


# Pointers


def add_offset(address: Value, offset: Value, element: Attribute) -> Array:
    """An address moved by a number of elements."""
    format = Format.of(element)
    wide = signed(np.asarray(offset)).astype(np.int64)
    return np.asarray(address) + (wide >> 1 if format.packed else wide * format.size)
