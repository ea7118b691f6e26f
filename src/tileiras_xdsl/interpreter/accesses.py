"""
Reading and writing memory: through pointers, and through tiles of views.

An access outside all allocations is an error if bounds are checked. Otherwise it reads zeros
and writes nothing, which is as good as what a device does.

Memory semantics: a release makes known what its thread has done and comes after; an acquire that
reads what was released, or what atomic updates or later stores of the thread have made of it, comes
after that. It counts only if each of the two is in the scope of the other. A fence does the same
for the strong writes after it, or the strong reads before it. Copies that are in flight are not
part of what a thread has done: they are after a wait for their group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import FloatTF32Type
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.llvm import ORDERINGS

from .elements import bits_of, dtype_of, from_bits, is_packed, memory_bytes
from .errors import ExecutionError
from .memory import Allocation, Array, PagedAllocation
from .values import Integers, integer_of, property_of, word_of

if TYPE_CHECKING:
    from .checks import CheckedAccess
    from .cta_state import CtaState


SCOPES = ("cta", "cluster", "gpu", "sys")
"""Whose accesses an acquire or a release orders, from few threads to all."""
CTA, CLUSTER, GPU, SYSTEM = range(len(SCOPES))
"""Scopes, from that of a CTA to that of the system."""
SYNC_SCOPES = {"block": CTA, "singlethread": CTA, "cluster": CLUSTER, "device": GPU}
"""As LLVM names them; all others are the system."""
ACQUIRES = ("acquire", "acq_rel", "seq_cst")
RELEASES = ("release", "acq_rel", "seq_cst")
WEAK_WORDS = ("", "weak", "not_atomic", "unordered")

Actor: TypeAlias = tuple[int, int] | int
"""A CTA: the number of its cluster, and its rank there; or the number of an other CTA."""


@dataclass(frozen=True)
class Semantics:
    """What an access orders, and for whom."""

    strong: bool
    acquires: bool = False
    releases: bool = False
    scope: int = SYSTEM


WEAK, RELAXED = Semantics(False), Semantics(True)
RELAXED_GLOBALLY = Semantics(True, scope=GPU)


def semantics_of(op: Operation) -> Semantics:
    """The semantics of an access or a fence: by words of PTX, or orderings of LLVM."""
    word, scope = word_of(op, "semantic"), SYSTEM
    for name in ("ordering", "success_ordering"):
        if property_of(op, name) is not None:
            word = ORDERINGS[integer_of(op, name)]
            scope = SYNC_SCOPES.get(word_of(op, "syncscope"), SYSTEM)
    if (given := word_of(op, "scope")) in SCOPES:
        scope = SCOPES.index(given)
    if word in WEAK_WORDS:
        return RELAXED if property_of(op, "volatile_") is not None else WEAK
    return Semantics(True, word in ACQUIRES, word in RELEASES, scope)


def update_semantics_of(op: Operation) -> Semantics:
    """The semantics of an atomic, which is relaxed if it does not say more."""
    found = semantics_of(op)
    return found if found.strong else RELAXED


def fence_of(op: Operation) -> Semantics:
    """The semantics of a fence, which acquires and releases if it does not say less."""
    found = semantics_of(op)
    if found.strong:
        return found
    scope = word_of(op, "scope")
    return Semantics(True, True, True, SCOPES.index(scope) if scope in SCOPES else SYSTEM)


@dataclass(frozen=True, eq=False)
class ActorRelease:
    """What an acquire comes after that reads what was released."""

    actor: Actor
    scope: int
    known: Integers
    thread: int | None = None
    """Whose strong stores, to the same place, go on with it."""

    def reaches(self, actor: Actor, scope: int) -> bool:
        """Whether an access of somebody, of a scope, and this one are in each other's scopes."""
        return min(scope, self.scope) >= needed_scope(self.actor, actor)


def needed_scope(first: Actor, second: Actor) -> int:
    """The narrowest scope that two are in."""
    if first == second:
        return CTA
    if isinstance(first, tuple) and isinstance(second, tuple) and first[0] == second[0]:
        return CLUSTER
    return GPU


Addresses = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

READ, WRITE, ATOMIC = "read", "write", "atomic"


@dataclass(frozen=True)
class ElementFormat:
    """How elements of a type lie in memory."""

    element: Attribute
    dtype: np.dtype[Any]
    size: int
    """Bytes of an element; of two if it is packed."""
    packed: bool
    """Whether a byte holds two elements."""
    is_bool: bool
    is_tf32: bool

    @staticmethod
    def of(element: Attribute) -> ElementFormat:
        dtype = dtype_of(element)
        packed = is_packed(element)
        is_bool = dtype == np.bool_
        stored = np.dtype(np.uint8) if packed or is_bool else dtype
        is_tf32 = isinstance(element, FloatTF32Type)
        return ElementFormat(element, stored, memory_bytes(element), packed, is_bool, is_tf32)

    def decode(self, stored: Array) -> Array:
        """What memory holds, as values."""
        if self.is_bool:
            return stored != 0
        # Memory of tf32 may hold any float32; the spare bits are not read.
        return from_bits(bits_of(stored, self.element), self.element) if self.is_tf32 else stored

    def encode(self, values: Array) -> Array:
        """Values, as memory holds them."""
        return values.astype(np.uint8) if self.is_bool else values


class Groups:
    """The lanes of an access by allocation: indices of lanes, and their byte offsets."""

    def __init__(
        self, cta: CtaState, addresses: Addresses, size: int, access: CheckedAccess | None
    ):
        self.parts: list[tuple[Allocation, npt.NDArray[np.int64] | None, Addresses]] = []
        if not addresses.size:
            return
        memory = cta.memory
        low, high = int(addresses.min()), int(addresses.max())
        allocation = memory.find(low)
        if allocation is not None and high + size <= allocation.end:
            self.parts.append((allocation, None, allocation.place(addresses)))
            return
        self._split(cta, addresses, size, access)

    def _split(
        self, cta: CtaState, addresses: Addresses, size: int, access: CheckedAccess | None
    ) -> None:
        inside = np.zeros(len(addresses), np.bool_)
        for allocation in cta.memory:
            chosen = (addresses >= allocation.base) & (addresses <= allocation.end - size)
            if not chosen.any():
                continue
            inside |= chosen
            lanes = np.flatnonzero(chosen)
            self.parts.append((allocation, lanes, allocation.place(addresses[lanes])))
        if not inside.all() and access is not None:
            access.out_of_bounds(int(np.flatnonzero(~inside)[0]), addresses, size)


def _elements(allocation: Allocation, fmt: ElementFormat, offsets: Addresses) -> Array:
    """The elements at byte offsets."""
    size = fmt.dtype.itemsize
    if size == 1:
        return allocation.data.view(fmt.dtype)[offsets]
    if not (offsets & (size - 1)).any():
        return allocation.typed(fmt.dtype)[offsets // size]
    pieces = allocation.data[offsets[:, None] + np.arange(size)]
    return pieces.view(fmt.dtype)[:, 0]


def _assign(allocation: Allocation, fmt: ElementFormat, offsets: Addresses, values: Array) -> None:
    """Changes the elements at byte offsets."""
    size = fmt.dtype.itemsize
    if size == 1:
        allocation.data.view(fmt.dtype)[offsets] = values
    elif not (offsets & (size - 1)).any():
        allocation.typed(fmt.dtype)[offsets // size] = values
    else:
        pieces = np.ascontiguousarray(values).view(np.uint8).reshape(-1, size)
        allocation.data[offsets[:, None] + np.arange(size)] = pieces


def load(
    cta: CtaState, access: CheckedAccess | None, fmt: ElementFormat, addresses: Addresses
) -> Array:
    """The elements at addresses of any shape, flat."""
    result = np.zeros(addresses.shape, fmt.dtype)
    for allocation, lanes, offsets in Groups(cta, addresses, fmt.size, access).parts:
        if access is not None:
            access.touch(READ, allocation, offsets, fmt.size, lanes)
        values = _elements(allocation, fmt, offsets)
        if lanes is None:
            return values
        result[lanes] = values
    return result


def store(
    cta: CtaState,
    access: CheckedAccess | None,
    fmt: ElementFormat,
    addresses: Addresses,
    values: Array,
) -> None:
    """Writes elements at flat addresses."""
    for allocation, lanes, offsets in Groups(cta, addresses, fmt.size, access).parts:
        if access is not None:
            access.touch(WRITE, allocation, offsets, fmt.size, lanes)
        _check_writable(allocation)
        written = values if lanes is None else values[lanes]
        _assign(allocation, fmt, offsets, written)
        if access is not None and access.excludes_others:
            lost = _bytes_of(written, fmt) != _bytes_of(_elements(allocation, fmt, offsets), fmt)
            if lost.any():
                access.overwritten(allocation, offsets, int(np.argmax(lost.any(axis=1))), lanes)


def _bytes_of(elements: Array, fmt: ElementFormat) -> npt.NDArray[np.uint8]:
    """A row of bytes for each element."""
    whole = np.ascontiguousarray(elements, fmt.dtype)
    return whole.view(np.uint8).reshape(-1, fmt.dtype.itemsize)


def _check_writable(allocation: Allocation) -> None:
    if not allocation.writable:
        raise ExecutionError(f"writes to '{allocation.name}', which is read-only")


def update(
    cta: CtaState,
    access: CheckedAccess | None,
    fmt: ElementFormat,
    addresses: Addresses,
    values: Sequence[Array],
    combine: Callable[..., Array],
) -> Array:
    """
    Replaces elements by what `combine` makes of them and the values, one lane after the
    other; returns what was there.
    """
    old = np.zeros(addresses.shape, fmt.dtype)
    with cta.memory.lock:
        for allocation, lanes, offsets in Groups(cta, addresses, fmt.size, access).parts:
            if access is not None:
                access.touch(ATOMIC, allocation, offsets, fmt.size, lanes)
            parts = values if lanes is None else [value[lanes] for value in values]
            before = _update_part(allocation, fmt, offsets, parts, combine)
            if lanes is None:
                return before
            old[lanes] = before
    return old


def _update_part(
    allocation: Allocation,
    fmt: ElementFormat,
    offsets: Addresses,
    values: Sequence[Array],
    combine: Callable[..., Array],
) -> Array:
    _check_writable(allocation)
    before = np.empty(offsets.shape, fmt.dtype)
    for turn in turns(offsets):
        places = offsets[turn]
        before[turn] = old = _elements(allocation, fmt, places)
        _assign(allocation, fmt, places, combine(old, *[value[turn] for value in values]))
    return before


def turns(offsets: Addresses) -> Sequence[slice | npt.NDArray[np.int64]]:
    """Lanes in turns, each without an offset twice; those of one offset keep their order."""
    order = np.argsort(offsets, kind="stable")
    numbers = np.arange(len(offsets))
    in_order = offsets[order]
    is_first = np.concatenate(([True], in_order[1:] != in_order[:-1]))
    if is_first.all():
        return [slice(None)]
    ranks = np.empty_like(numbers)
    ranks[order] = numbers - np.maximum.accumulate(np.where(is_first, numbers, 0))
    by_rank = np.argsort(ranks, kind="stable")
    return np.split(by_rank, np.flatnonzero(np.diff(ranks[by_rank])) + 1)


# Tiles of views


@dataclass(frozen=True)
class StridedArray:
    """A strided tensor in memory; sizes and strides count elements."""

    address: int
    format: ElementFormat
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class InBoundsPart:
    """The part of a tile that lies in the tensor: where it is, and which part it is."""

    slices: tuple[slice, ...]
    origin: int
    """Element of the tensor's memory at which it begins."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    whole: bool


def part_of_tile(
    tensor: StridedArray, tile: Sequence[int], dim_map: Sequence[int], starts: Sequence[int]
) -> InBoundsPart | None:
    """The part of the tile beginning at `starts` that lies in the tensor."""
    slices: list[slice] = []
    shape: list[int] = []
    strides: list[int] = []
    origin, whole = 0, True
    for size, dim, start in zip(tile, dim_map, starts, strict=True):
        low = max(0, -start)
        high = min(size, tensor.sizes[dim] - start)
        if high <= low:
            return None
        whole = whole and high - low == size
        slices.append(slice(low, high))
        shape.append(high - low)
        strides.append(tensor.strides[dim])
        origin += (start + low) * tensor.strides[dim]
    return InBoundsPart(tuple(slices), origin, tuple(shape), tuple(strides), whole)


def window_of(cta: CtaState, tensor: StridedArray, part: InBoundsPart) -> Array | None:
    """A view of the memory of a part, if one allocation holds it all."""
    size = tensor.format.dtype.itemsize
    address = tensor.address + part.origin * size
    dims = list(zip(part.shape, part.strides, strict=True))
    reaches = [(extent - 1) * stride for extent, stride in dims]
    low = address + size * sum(reach for reach in reaches if reach < 0)
    high = address + size * (sum(reach for reach in reaches if reach > 0) + 1)
    allocation = cta.memory.find(address)
    if allocation is None or low < allocation.base or high > allocation.end:
        return None
    if not allocation.writable or isinstance(allocation, PagedAllocation):
        return None
    return np.ndarray(
        part.shape,
        tensor.format.dtype,
        allocation.data,  # pyright: ignore[reportArgumentType]
        address - allocation.base,
        # A stride along which there is one element may be of any size.
        [stride * size if extent > 1 else 0 for extent, stride in dims],
    )


def part_offsets(part: InBoundsPart) -> npt.NDArray[np.int64]:
    """The elements of a part, relative to the tensor."""
    # A number of any size as one of 64 bits with a sign.
    offsets = np.array((part.origin + (1 << 63)) % (1 << 64) - (1 << 63), np.int64)
    for extent, stride in zip(part.shape, part.strides, strict=True):
        offsets = offsets[..., None] + np.arange(extent, dtype=np.int64) * stride
    return offsets


def load_elements(
    cta: CtaState,
    access: CheckedAccess | None,
    tensor: StridedArray,
    offsets: npt.NDArray[np.int64],
) -> Array:
    """Elements of a tensor by their place in it, of the shape of `offsets`."""
    if access is not None:
        access.through_view(tensor.address)
    fmt, flat = tensor.format, offsets.reshape(-1)
    if not fmt.packed:
        found = load(cta, access, fmt, tensor.address + flat * fmt.dtype.itemsize)
        return fmt.decode(found).reshape(offsets.shape)
    pairs = load(cta, access, fmt, tensor.address + (flat >> 1))
    bits = (pairs >> ((flat & 1) * 4).astype(np.uint8)) & 0xF
    return from_bits(bits, fmt.element).reshape(offsets.shape)


def store_elements(
    cta: CtaState,
    access: CheckedAccess | None,
    tensor: StridedArray,
    offsets: npt.NDArray[np.int64],
    bits_or_values: Array,
) -> None:
    """Changes elements of a tensor by their place in it; packed ones are given as bits."""
    if access is not None:
        access.through_view(tensor.address)
    fmt, flat = tensor.format, offsets.reshape(-1)
    values = bits_or_values.reshape(-1)
    if not fmt.packed:
        store(
            cta,
            access,
            fmt,
            tensor.address + flat * fmt.dtype.itemsize,
            fmt.encode(values),
        )
        return
    # Two elements of a byte are written one after the other.
    for nibble in (0, 1):
        chosen = (flat & 1) == nibble
        if not chosen.any():
            continue
        addresses = tensor.address + (flat[chosen] >> 1)
        keep = np.uint8(0xF0 if nibble == 0 else 0x0F)
        old = load(cta, None, fmt, addresses)
        new = (old & keep) | ((values[chosen] & 0xF) << (4 * nibble)).astype(np.uint8)
        store(cta, None if access is None else access.only(chosen), fmt, addresses, new)


def load_part(
    cta: CtaState, access: CheckedAccess | None, tensor: StridedArray, part: InBoundsPart
) -> Array:
    """The elements of a part of a tile; possibly a view of memory."""
    if access is None and not tensor.format.packed:
        window = window_of(cta, tensor, part)
        if window is not None:
            return tensor.format.decode(window)
    return load_elements(cta, access, tensor, part_offsets(part))
