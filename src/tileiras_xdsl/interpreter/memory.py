"""
The memory of a device: allocations with bounds at addresses of their own.

Arrays keep their place relative to the buffer they are parts of, so that arguments that
overlap alias as they do on a device. They are as little aligned as they are in this process, modulo
256 bytes; other memory begins at multiples of that. Between buffers is a red zone that no offset of
a tile crosses: an access that misses its own array hits no other. Bytes between the elements of a
strided array belong to nobody.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import ExecutionError

FIRST_ADDRESS = 0x1000_0000_0000
ALIGNMENT = 256
RED_ZONE = 1 << 38
"""Bytes between allocations: four times what an i32 index of the widest elements spans."""
WIDEST_UNIT = 8
UNITS = {size: np.dtype(f"u{size}") for size in (1, 2, 4, WIDEST_UNIT)}

Array: TypeAlias = npt.NDArray[Any]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Integers: TypeAlias = npt.NDArray[np.int64]


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
    arrays: Sequence[ArrayExtent] = ()
    """The arguments that lie in it."""
    owned: npt.NDArray[np.bool_] | None = None
    """Which bytes an argument has; `None` if all belong to one."""
    _typed: dict[np.dtype[Any], Array] = field(default_factory=dict[np.dtype[Any], Array])
    _units: dict[int, Array] = field(default_factory=dict[int, Array])

    @property
    def end(self) -> int:
        return self.base + self.size

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.data)

    def place(self, addresses: Integers) -> Integers:
        """Where in the data the bytes at addresses are, which lie in this memory."""
        return addresses - self.base

    def offset_of(self, place: int) -> int:
        """How many bytes behind the first one a place in the data is."""
        return place

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

    @property
    def phase(self) -> int:
        """Bytes from the last multiple of `WIDEST_UNIT` to the first byte."""
        return self.base % WIDEST_UNIT

    def units(self, size: int) -> Array:
        """
        The memory as unsigned integers of some bytes, from the last multiple of `WIDEST_UNIT` on:
        of an array that begins behind that, the first ones are not its own.
        """
        unit = UNITS[size]
        if not self.phase:
            return self.typed(unit)
        view = self._units.get(size)
        if view is None:
            # An array is at the same place modulo the unit in this process.
            whole = bytes_at(first_byte(self.data) - self.phase, len(self.data) + self.phase)
            view = self._units[size] = whole[: len(whole) // size * size].view(unit)
        return view

    def replace(self, data: Bytes) -> None:
        """Moves the memory into another buffer of this process."""
        data[:] = self.data
        self.data = data
        self._typed.clear()
        self._units.clear()

    def poison(self, array: Array) -> None:
        """Marks the bytes of an array that lies in this memory as never written."""
        if self.initialized is None:
            self.initialized = np.ones(len(self.data), np.bool_)
        first = first_byte(self.data) if len(self.data) else 0
        mark_elements(self.initialized, array, first_byte(array) - first, False)

    def describe(self, address: int) -> str:
        """An address near this memory in terms of the arrays in it; empty if there are none."""
        found = [array.describe(address) for array in self.arrays]
        return " and ".join(text for text in found if text)

    def name_byte(self, offset: int) -> str:
        """A byte by the element that it belongs to, where an array has it."""
        found = [array.name_byte(self.base + offset) for array in self.arrays]
        return " and ".join(text for text in found if text) or f"byte {offset} of '{self.name}'"


@dataclass(frozen=True)
class ArrayExtent:
    """Where an array argument lies."""

    name: str
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes."""
    itemsize: int

    def index(self, address: int) -> list[int]:
        """An address as an index of this array, by rows from its start, in bounds or not."""
        dims = [each for each in zip(self.shape, self.strides, strict=True) if each[0] > 1]
        descending = all(outer[1] >= inner[0] * inner[1] for outer, inner in pairwise(dims))
        if not self.shape or not descending or any(stride <= 0 for _, stride in dims):
            return []
        rest, index = address - self.address, list[int]()
        for size, stride in zip(self.shape, self.strides, strict=True):
            step, rest = divmod(rest, stride) if size > 1 else (0, rest)
            index.append(step)
        if len(self.shape) == 1 and self.shape[0] <= 1:
            index = [(address - self.address) // self.itemsize]
        return index

    def name_byte(self, address: int) -> str:
        """The element that the byte at an address belongs to; empty if there is none."""
        index = self.index(address)
        if not index or not all(0 <= i < n for i, n in zip(index, self.shape, strict=True)):
            return ""
        rest = address - self.address - sum(i * n for i, n in zip(index, self.strides, strict=True))
        return f"'{self.name}[{', '.join(map(str, index))}]'" if rest < self.itemsize else ""

    def describe(self, address: int) -> str:
        """An address by its index; empty if it has none."""
        index = ", ".join(map(str, self.index(address)))
        shape = ", ".join(map(str, self.shape)) + ("," if len(self.shape) == 1 else "")
        return f"{self.name}[{index}] of an array of shape ({shape})" if index else ""


@dataclass(frozen=True)
class Uninitialized:
    """An argument that has not been written yet: to read it first is an error, if checked."""

    array: Any


@dataclass(frozen=True)
class SparseArray:
    """
    An argument of any size of which only some parts are held, for kernels that touch little of it:
    `SparseArray(np.float32, 3 << 31, {1 << 31: part})`. What is between the parts is out of bounds.
    """

    dtype: npt.DTypeLike
    size: int
    """In elements, as the places of parts are."""
    parts: Mapping[int, Array]

    def __post_init__(self) -> None:
        end = 0
        for place, part in sorted(self.parts.items()):
            if part.dtype != np.dtype(self.dtype) or part.ndim != 1 or not part.flags.c_contiguous:
                raise ValueError(f"parts are contiguous rows of {np.dtype(self.dtype)}")
            if place < end:
                raise ValueError(f"the part at {place} begins before {end}")
            end = place + len(part)
        if end > self.size:
            raise ValueError(f"the last part ends at {end}, beyond the size {self.size}")


PAGE = 512
"""Bytes of a page, a multiple of those of any aligned access."""
FIRST_PAGES = 128
MOST_PAGES = 1 << 27
"""Of an array: 64 GB."""
MOST_HELD = 1 << 26
"""Bytes of the pages of an array that are held."""


class PagedArray:
    """
    An argument of any size that is made page by page, when a page is first accessed: `fill` gives
    the elements of some numbers. It keeps what a kernel writes, and is otherwise as it was.
    """

    def __init__(
        self,
        dtype: npt.DTypeLike,
        count: int,
        fill: Callable[[Integers], Array],
        place: int = 0,
    ):
        """An array of this many elements that begins at a place, in bytes modulo 256."""
        self.dtype = np.dtype(dtype)
        self.count = count
        """In elements."""
        self.fill = fill
        self.start = place
        """Of its first byte in its first page."""
        self.size = count * self.dtype.itemsize
        """In bytes."""
        pages = -(-(place + self.size) // PAGE)
        if pages > MOST_PAGES:
            raise ExecutionError(f"an array of {self.size} bytes is too large to be run on the CPU")
        self._slots = np.zeros(pages, np.int32)
        """For each page, which one of those that are held it is, from 1 on; 0 if it is not held."""
        self._pages = np.zeros(FIRST_PAGES, np.int64)
        """The numbers of those that are held."""
        self._held = 0
        self.data: Bytes = np.zeros(FIRST_PAGES * PAGE, np.uint8)
        """Those that are held, and room for more."""

    @property
    def pages(self) -> Integers:
        """The numbers of the pages that have been accessed, in order."""
        return np.sort(self._pages[: self._held])

    def place(self, offsets: Integers) -> Integers:
        """Where in the data the bytes at offsets are."""
        places = offsets + self.start
        pages = places // PAGE
        slots = self._slots[pages]
        if not slots.all():
            self._hold(np.unique(pages[slots == 0]))
            slots = self._slots[pages]
        return (slots.astype(np.int64) - 1) * PAGE + places % PAGE

    def offset_of(self, place: int) -> int:
        """How many bytes behind the first one a place in the data is."""
        return int(self._pages[place // PAGE]) * PAGE + place % PAGE - self.start

    def _hold(self, pages: Integers) -> None:
        """Makes pages."""
        first, last = self._held, self._held + len(pages)
        if last * PAGE > MOST_HELD:
            raise ExecutionError(
                f"more than {MOST_HELD} bytes of an array are accessed, which is too much to be "
                "run on the CPU"
            )
        if last > len(self._pages):
            room = max(2 * len(self._pages), last)
            data, numbers = np.zeros(room * PAGE, np.uint8), np.zeros(room, np.int64)
            data[: first * PAGE] = self.data[: first * PAGE]
            numbers[:first] = self._pages[:first]
            self.data, self._pages = data, numbers
        self._held = last
        self._pages[first:last] = pages
        self._slots[pages] = np.arange(first + 1, last + 1)
        self.data[first * PAGE : last * PAGE] = self.initial(pages).view(np.uint8)

    def numbers(self, pages: Integers) -> Integers:
        """The numbers of the elements of pages; those that are not in the array are as far off."""
        item = self.dtype.itemsize
        first = (pages * PAGE - self.start) // item
        return (first[:, None] + np.arange(PAGE // item)).reshape(-1)

    def initial(self, pages: Integers) -> Array:
        """The elements of pages as they are before anything is written."""
        numbers = np.clip(self.numbers(pages), 0, max(self.count - 1, 0))
        return np.ascontiguousarray(self.fill(numbers), self.dtype)

    def as_sparse(self, pages: Integers) -> SparseArray:
        """These pages as parts, which share the memory of this array."""
        self.place(pages * PAGE - self.start)
        typed, per_page = self.data.view(self.dtype), PAGE // self.dtype.itemsize
        parts: dict[int, Array] = {}
        for first, slot in zip(self.numbers(pages)[::per_page], self._slots[pages], strict=True):
            low, high = max(-int(first), 0), min(self.count - int(first), per_page)
            at = (int(slot) - 1) * per_page
            parts[int(first) + low] = typed[at + low : at + high]
        return SparseArray(self.dtype, self.count, parts)

    def read(self, pages: Integers) -> Array:
        """The elements of pages as they are."""
        found = np.empty((len(pages), PAGE), np.uint8)
        slots = self._slots[pages]
        held = slots > 0
        found[held] = self.data.reshape(-1, PAGE)[slots[held] - 1]
        if not held.all():
            found[~held] = self.initial(pages[~held]).view(np.uint8).reshape(-1, PAGE)
        return found.reshape(-1).view(self.dtype)

    def element(self, number: int) -> Array:
        """An element as it is."""
        page, rest = divmod(number * self.dtype.itemsize + self.start, PAGE)
        return self.read(np.array([page]))[rest // self.dtype.itemsize]


@dataclass
class PagedAllocation(Allocation):
    """The memory of an array of which only pages are held."""

    array: PagedArray = field(kw_only=True)

    @property
    def size(self) -> int:
        return self.array.size

    @property
    def phase(self) -> int:
        return 0

    def place(self, addresses: Integers) -> Integers:
        found = self.array.place(addresses - self.base)
        if self.data is not self.array.data:
            self._move()
        return found

    def offset_of(self, place: int) -> int:
        return self.array.offset_of(place)

    def _move(self) -> None:
        """The pages are in a larger buffer."""
        old = len(self.data)
        self.data = self.array.data
        self._typed.clear()
        self._units.clear()
        if self.initialized is not None:
            more = np.ones(len(self.data) - old, np.bool_)
            self.initialized = np.concatenate((self.initialized, more))
        if self.shadow is not None:
            self.shadow.resize(len(self.data))


class Memory:
    """All allocations, by address."""

    lock: AbstractContextManager[Any]
    """Held while an atomic is performed."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._allocations: list[Allocation] = []
        self._next = FIRST_ADDRESS
        self.lock = nullcontext()
        self.is_paged = False
        """Whether only pages of some arrays are held."""

    def __iter__(self) -> Iterator[Allocation]:
        return iter(self._allocations)

    def allocate(
        self, data: Bytes, name: str, alignment: int = ALIGNMENT, phase: int = 0
    ) -> Allocation:
        """Gives a buffer an address, this many bytes behind a multiple of its alignment."""
        step = max(ALIGNMENT, alignment)
        base = -(-self._next // step) * step + phase
        self._next = base + len(data) + RED_ZONE
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

    def add_sparse(self, array: SparseArray, name: str) -> int:
        """Gives an array an address, and memory to the parts of it that there are."""
        base = -(-self._next // ALIGNMENT) * ALIGNMENT
        item = np.dtype(array.dtype).itemsize
        for place, part in sorted(array.parts.items()):
            start = base + place * item
            data = bytes_at(first_byte(part), part.nbytes)
            about = ((array.size,), (item,), item)
            extents = [ArrayExtent(name, base, *about)]
            writable = bool(part.flags.writeable)
            self._bases.append(start)
            self._allocations.append(
                Allocation(start, data, name, writable=writable, arrays=extents)
            )
        self._next = base + array.size * item + RED_ZONE
        return base

    def add_paged(self, array: PagedArray, name: str) -> int:
        """Gives an array an address, whose pages are made when they are accessed."""
        base = -(-self._next // PAGE) * PAGE + array.start
        item = array.dtype.itemsize
        extent = ArrayExtent(name, base, (array.count,), (item,), item)
        self._bases.append(base)
        self._allocations.append(
            PagedAllocation(base, array.data, name, arrays=[extent], array=array)
        )
        self._next = base + array.size + RED_ZONE
        self.is_paged = True
        return base

    def track_writes(self) -> None:
        """Notes in all memory what is written, if some has not been: it may be copied anywhere."""
        if any(allocation.initialized is not None for allocation in self):
            for allocation in self:
                if allocation.initialized is None:
                    allocation.initialized = np.ones(len(allocation.data), np.bool_)

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
            allocation = self.allocate(bytes_at(low, high - low), name, phase=low % ALIGNMENT)
            # As at a launch: memory that an array may write to can be written to.
            allocation.writable = any(arrays[index].flags.writeable for index in group)
            extents_of_arrays: list[ArrayExtent] = []
            for index in group:
                array = arrays[index]
                address = addresses[index] = allocation.base + first_byte(array) - low
                about = (array.shape, array.strides, array.itemsize)
                extents_of_arrays.append(ArrayExtent(names[index], address, *about))
            allocation.arrays = extents_of_arrays
            if not any(arrays[index].nbytes == high - low for index in group):
                allocation.owned = np.zeros(high - low, np.bool_)
                for index in group:
                    offset = addresses[index] - allocation.base
                    mark_elements(allocation.owned, arrays[index], offset, True)
        return addresses


def mark_elements(mask: npt.NDArray[np.bool_], array: Array, offset: int, value: bool) -> None:
    """Marks the bytes of the elements of an array that begins at an offset of a buffer."""
    if array.size:
        np.ndarray(
            (*array.shape, array.itemsize),
            np.bool_,
            mask,  # pyright: ignore[reportArgumentType]
            offset,
            (*array.strides, 1),
        )[...] = value


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


def copy_arrays(arrays: Sequence[Array]) -> list[Array]:
    """
    Copies of arrays that are to each other as the arrays are: their strides are the same, and those
    that share memory share that of their copies. They are as much aligned, modulo 256 bytes.
    """
    bounds = [byte_bounds(array) for array in arrays]
    copies: dict[int, Bytes] = {}
    starts: dict[int, int] = {}
    start = end = 0
    for low, high in sorted(set(bounds)):
        if low >= end:
            start, end = low, high
        end = max(end, high)
        starts[low] = start
        copies[start] = bytes_at(start, end - start)
    for start, memory in copies.items():
        copies[start] = empty_bytes(len(memory), start)
        copies[start][:] = memory
    return [
        np.ndarray(
            array.shape,
            array.dtype,
            copies[starts[low]],  # pyright: ignore[reportArgumentType]
            first_byte(array) - starts[low],
            array.strides,
        )
        if array.size and not array.dtype.hasobject
        else array.copy()
        for array, (low, _) in zip(arrays, bounds, strict=True)
    ]


def empty_bytes(size: int, place: int) -> Bytes:
    """Memory of this process that begins where a place does, modulo 256 bytes."""
    whole = np.empty(size + ALIGNMENT, np.uint8)
    start = (place - first_byte(whole)) % ALIGNMENT
    return whole[start : start + size]


def bytes_at(address: int, size: int) -> Bytes:
    """The memory of this process at an address."""
    if not size:
        return np.empty(0, np.uint8)
    buffer = (ctypes.c_uint8 * size).from_address(address)
    return np.ctypeslib.as_array(buffer)
