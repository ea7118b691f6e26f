"""
The memory of a device: allocations with bounds at addresses of their own.

Arrays keep their place relative to the buffer they are parts of, so that arguments that
overlap alias as they do on a device; buffers begin at multiples of 256 bytes with a gap
between them.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FIRST_ADDRESS = 0x7000_0000_0000
ALIGNMENT = 256
GAP = 4096
UNITS = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}

Array: TypeAlias = npt.NDArray[Any]
Bytes: TypeAlias = npt.NDArray[np.uint8]


@dataclass
class Allocation:
    """A piece of memory."""

    base: int
    data: Bytes
    name: str
    initialized: npt.NDArray[np.bool_] | None = None
    """Which bytes have been written; `None` if all have."""
    writable: bool = True
    shadow: Any = None
    """What the interpreter knows of who has accessed which bytes, if races are looked for."""
    is_global: bool = True
    """Whether all CTAs reach it."""
    _typed: dict[np.dtype[Any], Array] = field(default_factory=dict[np.dtype[Any], Array])

    @property
    def end(self) -> int:
        return self.base + len(self.data)

    def distance(self, address: int, size: int) -> int:
        """How far bytes at an address reach out of this memory."""
        return max(self.base - address, address + size - self.end, 0)

    def typed(self, dtype: np.dtype[Any]) -> Array:
        """The memory as elements of a type."""
        view = self._typed.get(dtype)
        if view is None:
            whole = len(self.data) // dtype.itemsize * dtype.itemsize
            view = self._typed[dtype] = self.data[:whole].view(dtype)
        return view

    def units(self, size: int) -> Array:
        """The memory as unsigned integers of some bytes."""
        return self.typed(UNITS[size])

    def replace(self, data: Bytes) -> None:
        """Moves the memory into another buffer of this process."""
        data[:] = self.data
        self.data = data
        self._typed.clear()

    def poison(self, array: Array) -> None:
        """Marks the bytes of an array that lies in this memory as never written."""
        if self.initialized is None:
            self.initialized = np.ones(len(self.data), np.bool_)
        first = first_byte(self.data) if len(self.data) else 0
        if array.size:
            np.ndarray(
                (*array.shape, array.itemsize),
                np.bool_,
                self.initialized,  # pyright: ignore[reportArgumentType]
                first_byte(array) - first,
                (*array.strides, 1),
            )[...] = False


@dataclass(frozen=True)
class Uninitialized:
    """An argument that has not been written yet: to read it first is an error, if checked."""

    array: Any


class Memory:
    """All allocations, by address."""

    lock: AbstractContextManager[Any]
    """Held while an atomic is performed."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._allocations: list[Allocation] = []
        self._next = FIRST_ADDRESS
        self.lock = nullcontext()

    def __iter__(self) -> Iterator[Allocation]:
        return iter(self._allocations)

    def allocate(self, data: Bytes, name: str, alignment: int = ALIGNMENT) -> Allocation:
        """Gives a buffer an address."""
        step = max(ALIGNMENT, alignment)
        base = -(-self._next // step) * step
        self._next = base + len(data) + GAP
        allocation = Allocation(base, data, name)
        self._bases.append(base)
        self._allocations.append(allocation)
        return allocation

    def free(self, allocations: Sequence[Allocation]) -> None:
        """Takes allocations back; if they are the newest ones, their addresses are used again."""
        for allocation in reversed(allocations):
            index = bisect_right(self._bases, allocation.base) - 1
            del self._allocations[index], self._bases[index]
            if index == len(self._bases):
                self._next = allocation.base

    def find(self, address: int) -> Allocation | None:
        """The allocation an address lies in."""
        index = bisect_right(self._bases, address) - 1
        if index < 0 or address >= self._allocations[index].end:
            return None
        return self._allocations[index]

    def add_arrays(self, arrays: Sequence[Array], names: Sequence[str]) -> list[int]:
        """
        Gives arrays addresses, in their order; those that share memory get addresses that
        overlap.
        """
        extents = [byte_bounds(array) for array in arrays]
        addresses = [0] * len(arrays)
        for group in overlapping(extents):
            low = min(extents[index][0] for index in group)
            high = max(extents[index][1] for index in group)
            name = " and ".join(names[index] for index in group)
            allocation = self.allocate(bytes_at(low, high - low), name)
            allocation.writable = all(arrays[index].flags.writeable for index in group)
            for index in group:
                addresses[index] = allocation.base + first_byte(arrays[index]) - low
        return addresses


def overlapping(extents: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The numbers of extents, those that overlap in one list, in their order."""
    groups: list[list[int]] = []
    end = 0
    for index in sorted(range(len(extents)), key=extents.__getitem__):
        low, high = extents[index]
        if groups and low < end:
            groups[-1].append(index)
        else:
            groups.append([index])
            end = high
        end = max(end, high)
    return sorted(sorted(group) for group in groups)


def first_byte(array: Array) -> int:
    """The address of the first element of an array in this process."""
    return array.__array_interface__["data"][0]


def byte_bounds(array: Array) -> tuple[int, int]:
    """The addresses an array spans in this process."""
    low = high = first_byte(array)
    if not array.size:
        return low, low
    for size, stride in zip(array.shape, array.strides, strict=True):
        if stride < 0:
            low += (size - 1) * stride
        else:
            high += (size - 1) * stride
    return low, high + array.itemsize


def bytes_at(address: int, size: int) -> Bytes:
    """The memory of this process at an address."""
    if not size:
        return np.empty(0, np.uint8)
    buffer = (ctypes.c_uint8 * size).from_address(address)
    return np.ctypeslib.as_array(buffer)
