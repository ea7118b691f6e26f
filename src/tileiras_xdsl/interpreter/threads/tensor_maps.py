"""
Tensor maps: what copies of boxes have to know about a tensor in global memory.

The bits of the hardware's maps are not documented, so that a map has an encoding of our own in
its 128 bytes. Who launches a kernel writes it, or the kernel itself does, field by field; copies
read it from memory in both cases.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nvgpu.host_maps import HostMap
from tileiras_xdsl.dialects.nvvm.barriers import (
    MAX_TENSOR_RANK,
    TENSOR_MAP_BYTES,
    TENSOR_MAP_ELEMENTS,
)
from tileiras_xdsl.interpreter.elements import memory_bytes
from tileiras_xdsl.interpreter.errors import ExecutionError

from . import accesses
from .accesses import GENERIC, GLOBAL, SHARED, Lanes, lanes_of
from .attributes import integer_of, word_of
from .clocks import ClockedShadow
from .machine import InBlock, Program, binds
from .names import WARP
from .state import BlockState
from .values import Array, Bytes, Integers

ENCODING = np.dtype(
    [
        ("global_address", np.uint64),
        ("global_stride", np.uint64, (MAX_TENSOR_RANK - 1,)),
        ("global_dim", np.uint32, (MAX_TENSOR_RANK,)),
        ("box_dim", np.uint32, (MAX_TENSOR_RANK,)),
        ("element_stride", np.uint32, (MAX_TENSOR_RANK,)),
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

UNSIGNED = (0, 1, 2, 4)
ELEMENTS: dict[int, Attribute] = {
    **{0: i8, 1: IntegerType(16), 2: i32, 3: i32, 4: i64, 5: i64},
    **{6: Float16Type(), 7: Float32Type(), 8: Float32Type(), 9: Float64Type()},
    **{10: BFloat16Type(), 11: FloatTF32Type(), 12: FloatTF32Type()},
}
"""The element types by their numbers in a map."""
SWIZZLES = (0, 32, 64, 128)
"""Bytes of a pattern by the number of a swizzle."""
CHUNK = 16
"""Bytes that a swizzle keeps together, and that sizes are multiples of."""
LARGEST_BOX = 256
MAP_ALIGNMENT = 64
ADDRESS_ALIGNMENT = 128
"""Of a box in shared memory."""


@dataclass(frozen=True)
class TensorMap:
    """A tensor in global memory, and the boxes that copies take; the innermost dimension first."""

    address: int
    sizes: tuple[int, ...]
    """In elements."""
    strides: tuple[int, ...]
    """In bytes; that of the innermost dimension is the size of an element."""
    box: tuple[int, ...]
    element: Attribute
    is_unsigned: bool
    swizzle: int
    """In bytes, 0 for none."""
    fills_nan: bool

    @property
    def width(self) -> int:
        """Bytes of an element."""
        return memory_bytes(self.element)

    @property
    def box_bytes(self) -> int:
        """Bytes of a box."""
        return prod(self.box) * self.width

    def fill(self) -> Bytes:
        """The bytes of an element outside of the tensor."""
        if not self.fills_nan:
            return np.zeros(self.width, np.uint8)
        # All types have a NaN whose bits are all set.
        return np.full(self.width, 0xFF, np.uint8)

    def check(self) -> None:
        """Raises if the hardware cannot have such a map."""
        inner = self.box[0] * self.width
        for wrong, what in (
            (self.address % CHUNK, f"the address {self.address:#x} is no multiple of {CHUNK}"),
            (inner % CHUNK, f"the innermost box is {inner} bytes, no multiple of {CHUNK}"),
            (
                self.swizzle and inner > self.swizzle,
                f"the innermost box is {inner} bytes, more than a swizzle of {self.swizzle}",
            ),
            *((size < 1, f"a size is {size}") for size in self.sizes),
            *((not 1 <= each <= LARGEST_BOX, f"a box size is {each}") for each in self.box),
            *(
                (stride % CHUNK or stride >= 1 << 40, f"a stride is {stride} bytes")
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


def decode(data: Bytes) -> TensorMap:
    """The map that bytes are."""
    record = data.view(ENCODING)[0]
    rank, kind = int(record["rank"]) + 1, int(record["elemtype"])
    swizzle = int(record["swizzle_mode"])
    if not record["is_map"] or rank > MAX_TENSOR_RANK or kind not in ELEMENTS:
        raise ExecutionError("uses memory as a tensor map that holds none")
    if record["interleave_layout"] or swizzle >= len(SWIZZLES):
        raise ExecutionError("uses a tensor map with interleaved elements")
    if any(int(step) != 1 for step in record["element_stride"][:rank]):
        raise ExecutionError("uses a tensor map with element strides other than 1")
    element = ELEMENTS[kind]
    map = TensorMap(
        int(record["global_address"]),
        tuple(int(size) for size in record["global_dim"][:rank]),
        (memory_bytes(element), *(int(stride) for stride in record["global_stride"][: rank - 1])),
        tuple(int(size) for size in record["box_dim"][:rank]),
        element,
        kind in UNSIGNED,
        SWIZZLES[swizzle],
        bool(record["fill_mode"]),
    )
    map.check()
    return map


def read_map(op: Operation, block: BlockState, address: int, thread: int) -> TensorMap:
    """The map that a thread uses at an address of global memory."""
    if address % MAP_ALIGNMENT:
        raise ExecutionError(f"a tensor map at {address:#x} is not aligned to {MAP_ALIGNMENT}")
    lanes = Lanes(np.array([address]), np.array([thread]), None, 1)
    data = accesses.load(op, block, GENERIC, lanes, TENSOR_MAP_BYTES)
    _check_acquired(block, address, thread)
    return decode(data[0])


def encode(map: HostMap, arguments: Sequence[int]) -> Bytes:
    """The bytes of a map that a launcher passes, given addresses and numbers that it also does."""

    def numbers(given: Sequence[tuple[int, int | None]]) -> list[int]:
        return [value * (1 if at is None else arguments[at]) for value, at in given]

    data = np.zeros(1, ENCODING)
    record = data[0]
    rank = len(map.sizes)
    record["global_address"] = arguments[map.base]
    record["global_dim"][:rank] = numbers(map.sizes)
    record["global_stride"][: rank - 1] = numbers(map.strides)
    record["box_dim"][:rank] = map.box
    record["element_stride"] = 1
    record["rank"], record["is_map"] = rank - 1, 1
    record["elemtype"] = TENSOR_MAP_ELEMENTS[str(map.element)]
    record["swizzle_mode"] = SWIZZLES.index(map.swizzle)
    return data.view(np.uint8)


# Maps that kernels make


def _field(op: Operation) -> tuple[int, int]:
    """Where the field that an op replaces is, and how many bytes it has."""
    type, start = FIELDS[word_of(op, "field") or ""]
    size = type.base.itemsize
    return start + integer_of(op, "ord", 0) * size, size


@binds("nvvm.tensormap.replace")
def bind_replace(op: Operation, program: Program) -> InBlock:
    """Writes a field of a map."""
    (start, size), (_, flag) = _field(op), FIELDS["is_map"]

    def apply(block: BlockState, address: Array, value: Array) -> tuple[()]:
        rows = block.full(value).astype(np.int64).view(np.uint8).reshape(block.threads, -1)
        accesses.store(op, block, SHARED, lanes_of(block, address + start, None), rows[:, :size])
        ones = np.ones((block.threads, 1), np.uint8)
        accesses.store(op, block, SHARED, lanes_of(block, address + flag, None), ones)
        return ()

    return InBlock(apply)


@binds("nvvm.tensormap.cp_fenceproxy")
def bind_copy_map(op: Operation, program: Program) -> InBlock:
    """A warp copies a map to global memory."""

    def apply(block: BlockState, target: Array, source: Array) -> tuple[()]:
        block.check_lanes(np.array([0xFFFFFFFF]))
        first = block.rows % WARP == 0
        data = accesses.load(op, block, SHARED, lanes_of(block, source, first), TENSOR_MAP_BYTES)
        accesses.store(op, block, GLOBAL, lanes_of(block, target, first), data)
        return ()

    return InBlock(apply)


@binds("nvvm.fence.proxy.acquire", "nvvm.fence.proxy.acquire.sync", "nvgpu.tma.fence.descriptor")
def bind_acquire_map(op: Operation, program: Program) -> InBlock:
    """Shows copies what was written to maps up to now."""

    def apply(block: BlockState, *operands: Array) -> tuple[()]:
        clocks = block.clocks
        if operands and clocks is not None:
            for thread, address in zip(
                block.active_threads(), block.full(operands[0])[block.active_mask()], strict=True
            ):
                _acquired(block)[int(thread) // WARP, int(address)] = clocks.now
        return ()

    return InBlock(apply)


def _acquired(block: BlockState) -> dict[tuple[int, int], int]:
    """When warps have acquired maps last."""
    return cast(dict[tuple[int, int], int], block.data.setdefault("acquired maps", {}))


def _check_acquired(block: BlockState, address: int, thread: int) -> None:
    """Raises if copies may see an older state of a map than a thread does."""
    piece = block.memory.find(address)
    if piece is None or not isinstance(piece.shadow, ClockedShadow):
        return
    written = piece.shadow.last_written(address - piece.base, TENSOR_MAP_BYTES)
    if written > _acquired(block).get((thread // WARP, address), 0):
        raise ExecutionError(
            f"{block.names.thread(thread)} uses a tensor map that was written in global memory, "
            "without 'nvvm.fence.proxy.acquire' in between"
        )
