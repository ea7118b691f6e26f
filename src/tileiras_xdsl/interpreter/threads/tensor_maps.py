"""
Tensor maps: the descriptors by which TMA accesses tensors in global memory.

The bits of the hardware's maps are not documented, so that a map has an encoding of our own in
its 128 bytes. Who launches a kernel writes it, or the kernel itself does, field by field; copies
read it from memory in both cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nvgpu import TmaEncodeDescriptorOp
from tileiras_xdsl.dialects.nvgpu.types import HostMap
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, InCta
from tileiras_xdsl.interpreter.values import Array, Bytes, Integers, integer, word
from tileiras_xdsl.targets import tma

from . import accesses
from .accesses import GENERIC, GLOBAL, SHARED, How, lanes_for, lanes_of
from .clocks import ClockedShadow
from .shadow import WARP
from .state import CtaThreads

ENCODING = np.dtype(
    [
        ("global_address", np.uint64),
        ("global_stride", np.uint64, (tma.MAX_RANK - 1,)),
        ("global_dim", np.uint32, (tma.MAX_RANK,)),
        ("box_dim", np.uint32, (tma.MAX_RANK,)),
        ("element_stride", np.uint32, (tma.MAX_RANK,)),
        ("rank", np.uint8),
        ("elemtype", np.uint8),
        ("interleave_layout", np.uint8),
        ("swizzle_mode", np.uint8),
        ("fill_mode", np.uint8),
        ("is_map", np.uint8),
        ("rest", np.uint8, (22,)),
    ]
)
"""The fields of a map, named as the instructions do that replace them."""

FIELDS: dict[str, tuple[np.dtype[Any], int]] = {
    name: (field[0], field[1]) for name, field in (ENCODING.fields or {}).items()
}
"""The types and places of the fields."""

STORAGE: dict[str, Attribute] = {
    str(ty): ty
    for ty in (
        *map(IntegerType, (8, 16, 32, 64)),
        *(Float16Type(), BFloat16Type(), Float32Type(), FloatTF32Type(), Float64Type()),
    )
}
"""The types that elements of maps have in memory, by name."""
CHUNK = tma.ALIGNMENT
"""Bytes that a swizzle keeps together, and that sizes are multiples of."""


@dataclass(frozen=True)
class DecodedTensorMap:
    """A tensor in global memory and the TMA tile; the innermost dimension comes first."""

    address: int
    sizes: tuple[int, ...]
    """In elements."""
    strides: tuple[int, ...]
    """In bytes; that of the innermost dimension is the size of an element."""
    traversed: tuple[int, ...]
    """The TMA tile, with the elements that are not copied."""
    element_strides: tuple[int, ...]
    """Every how many elements are copied."""
    kind: tma.MapElement
    swizzle: int
    """In bytes, 0 for none."""
    fills_nan: bool

    @property
    def box(self) -> tuple[int, ...]:
        """The shape of what is copied."""
        pairs = zip(self.traversed, self.element_strides, strict=True)
        return tuple(-(-extent // step) for extent, step in pairs)

    @property
    def element(self) -> Attribute:
        """The type that elements have in memory."""
        return STORAGE[self.kind.storage]

    @property
    def width(self) -> int:
        """Bytes of an element."""
        return self.kind.bytes

    @property
    def tma_tile_bytes(self) -> int:
        """Bytes of a TMA tile."""
        return prod(self.box) * self.width

    def fill(self) -> Bytes:
        """The bytes of an element outside of the tensor."""
        if not self.fills_nan:
            return np.zeros(self.width, np.uint8)
        # All types have a NaN whose bits are all set.
        return np.full(self.width, 0xFF, np.uint8)

    def check(self) -> None:
        """Raises if the hardware cannot have such a map."""
        if not all(1 <= step <= tma.MAX_ELEMENT_STRIDE for step in self.element_strides):
            raise ExecutionError(f"uses a tensor map with element strides {self.element_strides}")
        inner = self.traversed[0] * self.width
        for wrong, what in (
            (self.element_strides[0] != 1, "the innermost dimension has an element stride"),
            (self.address % CHUNK, f"the address {self.address:#x} is no multiple of {CHUNK}"),
            (
                inner % CHUNK,
                f"the innermost extent of the TMA tile is {inner} bytes, no multiple of {CHUNK}",
            ),
            (
                self.swizzle and inner > self.swizzle,
                f"the innermost extent of the TMA tile is {inner} bytes, more than a swizzle of "
                f"{self.swizzle}",
            ),
            *((not 1 <= size <= tma.MAX_EXTENT, f"a size is {size}") for size in self.sizes),
            *(
                (not 1 <= each <= tma.MAX_BOX, f"an extent of the TMA tile is {each}")
                for each in self.traversed
            ),
            *(
                (
                    stride % CHUNK or not 0 <= stride < tma.STRIDE_LIMIT,
                    f"a stride is {stride} bytes",
                )
                for stride in self.strides[1:]
            ),
        ):
            if wrong:
                raise ExecutionError(f"uses a tensor map that cannot be: {what}")


def swizzled(addresses: Integers, swizzle: int) -> Integers:
    """
    Where 16-byte chunks at addresses of shared memory are: bits from bit 7 on flip those from
    bit 4 on, three of them for a swizzle of 128 bytes, two for 64, one for 32.
    """
    return addresses ^ (addresses >> 3 & (swizzle - 1) & ~(CHUNK - 1)) if swizzle else addresses


# Memory


def decode(data: Bytes) -> DecodedTensorMap:
    """The map that bytes are."""
    record = data.view(ENCODING)[0]
    rank, kind = int(record["rank"]) + 1, tma.by_device_number(int(record["elemtype"]))
    swizzle = int(record["swizzle_mode"])
    if not record["is_map"] or rank > tma.MAX_RANK or kind is None:
        raise ExecutionError("uses memory as a tensor map that holds none")
    if tma.INTERLEAVES[int(record["interleave_layout"])] or swizzle >= len(tma.SWIZZLES):
        raise ExecutionError("uses a tensor map with interleaved elements")
    tensor_map = DecodedTensorMap(
        int(record["global_address"]),
        tuple(int(size) for size in record["global_dim"][:rank]),
        (kind.bytes, *(int(stride) for stride in record["global_stride"][: rank - 1])),
        tuple(int(size) for size in record["box_dim"][:rank]),
        tuple(int(step) for step in record["element_stride"][:rank]),
        kind,
        tma.SWIZZLES[swizzle],
        tma.FILLS[int(record["fill_mode"])] == "nan",
    )
    tensor_map.check()
    return tensor_map


def read_map(op: Operation, cta: CtaThreads, address: int, thread: int) -> DecodedTensorMap:
    """The map that a thread uses at an address of global memory."""
    if address % tma.MAP_ALIGNMENT:
        raise ExecutionError(f"a tensor map at {address:#x} is not aligned to {tma.MAP_ALIGNMENT}")
    lanes = lanes_for(thread, np.array([address]))
    data = accesses.load(How(op, GENERIC), cta, lanes, tma.MAP_BYTES)
    _check_acquired(cta, address, thread)
    return decode(data[0])


def keep_map(op: Operation, cta: CtaThreads, address: int) -> Callable[[], None]:
    """What raises if a map is no longer what it is now: a copy by means of it is in flight."""
    piece = cta.memory.find(address)
    if piece is None:
        return lambda: None
    place = slice(address - piece.base, address - piece.base + tma.MAP_BYTES)
    before = piece.data[place].tobytes()

    def check() -> None:
        if piece.data[place].tobytes() != before:
            text = "uses a tensor map that was written while the copy was in flight"
            raise ExecutionError(text, op, cta.index)

    return check


def encode(tensor_map: HostMap, arguments: Sequence[int], get_zeros: Callable[[], int]) -> Bytes:
    """
    The bytes of a map that a launcher passes, given addresses and numbers that it also does. As a
    launcher does, it takes zeros for a tensor without elements; `get_zeros` gives their address.
    """

    def numbers(given: Sequence[tuple[int, int | None]]) -> list[int]:
        return [value * (1 if at is None else arguments[at]) for value, at in given]

    data = np.zeros(1, ENCODING)
    record = data[0]
    rank = len(tensor_map.sizes)
    base, sizes, strides = (
        arguments[tensor_map.base],
        numbers(tensor_map.sizes),
        numbers(tensor_map.strides),
    )
    if 0 in sizes:
        base, sizes = get_zeros(), [tma.EMPTY_SIZE] * rank
    kind = tma.find_map_element(str(tensor_map.element))
    if kind is None:
        raise ExecutionError(f"asks for a tensor map of elements '{tensor_map.element}'")
    element_strides = tensor_map.element_strides or (1,) * rank
    DecodedTensorMap(
        base,
        tuple(sizes),
        (kind.bytes, *strides),
        tensor_map.box,
        element_strides,
        kind,
        tensor_map.swizzle,
        fills_nan=False,
    ).check()
    record["global_address"] = base
    record["global_dim"][:rank] = sizes
    record["global_stride"][: rank - 1] = strides
    record["box_dim"][:rank] = tensor_map.box
    record["element_stride"][:rank] = element_strides
    record["rank"], record["is_map"] = rank - 1, 1
    record["elemtype"] = kind.device
    record["swizzle_mode"] = tma.SWIZZLES.index(tensor_map.swizzle)
    return data.view(np.uint8)


# Maps that kernels make


ONE = np.ones(1, np.int64)


def _write_field(
    how: How, cta: CtaThreads, address: Array, name: str, value: Array, ordinal: int = 0
) -> None:
    """Writes a field of a map, the one of a dimension where each has one."""
    ty, start = FIELDS[name]
    size = ty.base.itemsize
    place = address + start + ordinal * size
    rows = cta.full(value).astype(np.int64).view(np.uint8).reshape(cta.threads, -1)
    accesses.store(how, cta, lanes_of(cta, place, None), rows[:, :size])


@THREADS.runs("nvvm.tensormap.replace", field=word("field"), ordinal=integer("ord", 0))
def run_replace(
    cta: CtaThreads, address: Array, value: Array, *, op: Operation, field: str, ordinal: int
) -> None:
    """Writes a field of a map."""
    how = How(op, SHARED)
    _write_field(how, cta, address, field, value, ordinal)
    _write_field(how, cta, address, "is_map", ONE)


@THREADS.binds("nvgpu.tma.encode.descriptor")
def bind_encode(op: TmaEncodeDescriptorOp, program: BoundProgram) -> InCta:
    """Writes all fields of a map."""
    how, rank, element = How(op, SHARED), len(op.dims), op.get_element()
    gaps = op.get_element_strides()
    fixed = {
        "rank": rank - 1,
        "elemtype": element.device,
        "interleave_layout": tma.INTERLEAVES.index(0),
        "swizzle_mode": tma.SWIZZLES.index(op.swizzle_bytes),
        "fill_mode": tma.FILLS.index("zero" if op.fill_nan is None else "nan"),
        "is_map": 1,
    }
    first = rank + len(op.strides)
    indices = {extent: first + index for index, extent in enumerate(op.extents)}
    box = [
        (extent, None) if isinstance(extent, int) else (0, indices[extent])
        for extent in op.get_box()
    ]

    def apply(cta: CtaThreads, address: Array, tensor: Array, *numbers: Array) -> tuple[()]:
        _write_field(how, cta, address, "global_address", tensor)
        for dim, (extent, index) in enumerate(box):
            own = extent * ONE if index is None else numbers[index]
            _write_field(how, cta, address, "box_dim", own, dim)
            _write_field(how, cta, address, "global_dim", numbers[dim], dim)
            _write_field(how, cta, address, "element_stride", gaps[dim] * ONE, dim)
        for dim, stride in enumerate(numbers[rank:first]):
            _write_field(how, cta, address, "global_stride", stride * element.bytes, dim)
        for name, number in fixed.items():
            _write_field(how, cta, address, name, number * ONE)
        return ()

    return InCta(apply)


@THREADS.runs("nvvm.tensormap.cp_fenceproxy")
def run_copy_map(cta: CtaThreads, target: Array, source: Array, *, op: Operation) -> None:
    """A warp copies a map to global memory."""
    cta.check_lanes(np.array([0xFFFFFFFF]))
    first = cta.rows % WARP == 0
    data = accesses.load(How(op, SHARED), cta, lanes_of(cta, source, first), tma.MAP_BYTES)
    accesses.store(How(op, GLOBAL), cta, lanes_of(cta, target, first), data)


@THREADS.runs(
    "nvvm.fence.proxy.acquire", "nvvm.fence.proxy.acquire.sync", "nvgpu.tma.fence.descriptor"
)
def run_acquire_map(cta: CtaThreads, *operands: Array) -> None:
    """Shows copies what was written to maps up to now."""
    clocks = cta.clocks
    if operands and clocks is not None:
        for thread, address in zip(
            cta.active_threads(), cta.full(operands[0])[cta.active_mask()], strict=True
        ):
            _acquired(cta).setdefault(int(address), {})[int(thread)] = clocks.now


def _acquired(cta: CtaThreads) -> dict[int, dict[int, int]]:
    """By the address of a map, when threads have acquired it last."""
    return cast(dict[int, dict[int, int]], cta.data.setdefault("acquired maps", {}))


def _check_acquired(cta: CtaThreads, address: int, thread: int) -> None:
    """
    Raises if copies may see an older state of a map than a thread does: unless its warp has
    acquired the map since it was written, or comes after a thread that has.
    """
    piece, clocks = cta.memory.find(address), cta.clocks
    if piece is None or clocks is None or not isinstance(piece.shadow, ClockedShadow):
        return
    written, warp = piece.shadow.last_written(address - piece.base, tma.MAP_BYTES), thread // WARP
    if written and not any(
        written <= time and (other // WARP == warp or time <= clocks.known[warp, other])
        for other, time in _acquired(cta).get(address, {}).items()
    ):
        raise ExecutionError(
            f"{cta.names.thread(thread)} uses a tensor map that was written in global memory, "
            "without 'nvvm.fence.proxy.acquire' in between"
        )
