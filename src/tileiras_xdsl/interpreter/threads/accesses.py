"""
Loads, stores and atomics of all threads: through global, shared, local and generic pointers.

An access is out of bounds if it lies in no piece of memory, and misaligned if its address is no
multiple of its size; both end the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import IntAttr, IntegerAttr, MemRefType, StringAttr, VectorType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nvgpu.types import is_shared_space
from tileiras_xdsl.interpreter.accesses import (
    WEAK,
    Semantics,
    semantics_of,
    turns,
    update_semantics_of,
)
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.memory import WIDEST_UNIT, Allocation, PagedAllocation
from tileiras_xdsl.interpreter.values import Array, Bytes, Integers, Mask, Reader, integer_of

from .outside import before_access, lanes_before_others, take_between
from .shadow import Touch
from .state import LOCAL_WINDOW, SHARED_WINDOW, WINDOW_SIZE, CtaThreads

GENERIC, GLOBAL, SHARED, CONSTANT, LOCAL, CLUSTER = 0, 1, 3, 4, 5, 7
SPACES = (GENERIC, GLOBAL, SHARED, CONSTANT, LOCAL, CLUSTER)


def space_of(ty: Attribute) -> int:
    """The number of the address space of a pointer, vector of pointers, or memref."""
    if isinstance(ty, VectorType):
        ty = ty.get_element_type()
    if isinstance(ty, LLVMPointerType):
        space = ty.addr_space
        number = space.data if isinstance(space, IntAttr) else GENERIC
    else:
        assert isinstance(ty, MemRefType)
        memory = ty.memory_space
        if is_shared_space(memory):
            return SHARED
        number = memory.value.data if isinstance(memory, IntegerAttr) else GLOBAL
        if isinstance(memory, StringAttr) or "private" in str(memory):
            number = LOCAL
    if number not in SPACES:
        raise ExecutionError(f"address space {number} cannot be run on the CPU")
    return number


@dataclass(frozen=True)
class How:
    """What an op says about its accesses."""

    op: Operation
    space: int
    """The number of the address space."""
    alignment: int | None = None
    """That it promises, if it does."""
    semantics: Semantics = WEAK
    party: int | None = None
    """Who does it for the threads, if somebody does."""
    updates: bool = False
    """Whether a party does it as the last part of atomic updates."""

    def of_part(self) -> How:
        """The same for a field of a struct."""
        return self if self.alignment is None else replace(self, alignment=None)


def how_of(op: Operation, ty: Attribute) -> How:
    """How an op accesses memory through a pointer or memref of a type."""
    alignment = integer_of(op, "alignment", 0) or None
    return How(op, space_of(ty), alignment, semantics_of(op))


def how_at(number: int) -> Reader:
    """Reads how an op accesses memory through an operand."""
    return lambda op: how_of(op, op.operands[number].type)


def update_of(op: Operation, ty: Attribute) -> How:
    """How an op changes memory through a pointer of a type."""
    return How(op, space_of(ty), semantics=update_semantics_of(op))


@dataclass(frozen=True)
class Lanes:
    """Single accesses of threads: where, and by whom."""

    addresses: Integers
    threads: Integers
    chosen: Integers | None
    """Which of all accesses these are, if not all of them."""
    count: int
    """How many there are in all."""

    def split(self, parts: int, size: int) -> Lanes:
        """The same accesses in parts of this many bytes each."""
        numbers = np.arange(parts)
        chosen = None
        if self.chosen is not None:
            chosen = (self.chosen[:, None] * parts + numbers).reshape(-1)
        addresses = (self.addresses[:, None] + numbers * size).reshape(-1)
        return Lanes(addresses, np.repeat(self.threads, parts), chosen, self.count * parts)

    def rows(self, part: Integers | None) -> Integers | None:
        """Which of all accesses some of these are, `None` for all."""
        if part is None or self.chosen is None:
            return self.chosen if part is None else part
        return self.chosen[part]


def lanes_of(cta: CtaThreads, addresses: Array, mask: Array | None) -> Lanes:
    """The accesses at addresses, one or more for each thread, that are to be performed."""
    pieces = addresses.shape[1] if addresses.ndim > 1 else 1
    flat = cta.full(addresses).reshape(-1)
    threads = cta.numbers if pieces == 1 else np.repeat(cta.numbers, pieces)
    wanted: Mask | None = None
    if mask is not None:
        wanted = cta.full(mask).reshape(-1)
    if cta.active is not None:
        here = cta.active if pieces == 1 else np.repeat(cta.active, pieces)
        wanted = here if wanted is None else here & wanted
    if wanted is None or wanted.all():
        return Lanes(flat, threads, None, len(flat))
    chosen = np.flatnonzero(wanted)
    return Lanes(flat[chosen], threads[chosen], chosen, len(flat))


def lanes_for(thread: int, addresses: Integers) -> Lanes:
    """Accesses that are made for one thread."""
    return Lanes(addresses, np.full(len(addresses), thread), None, len(addresses))


def _parts(
    cta: CtaThreads, space: int, lanes: Lanes, size: int, verb: str
) -> Iterator[tuple[Allocation, Integers | None, Integers, Integers]]:
    """Accesses by piece: which they are, their offsets, and their threads."""
    addresses = lanes.addresses
    rest: Integers | None = None
    while True:
        here = addresses if rest is None else addresses[rest]
        if not len(here):
            return
        piece, low = _piece_at(cta, space, int(here[0]))
        threads = lanes.threads if rest is None else lanes.threads[rest]
        if piece is None:
            raise ExecutionError(
                f"{cta.names.thread(threads[0])} {verb} {size} bytes {_nowhere(cta, int(here[0]))}"
            )
        length = cta.local.size if piece is cta.local.piece else piece.size
        offsets = here - low
        inside = (offsets >= 0) & (offsets <= length - size)
        if not inside[0]:
            raise ExecutionError(
                f"{cta.names.thread(threads[0])} {verb} {size} bytes at offset {offsets[0]} of "
                f"{piece.name}, which has {length} bytes{_index(piece, int(here[0]))}"
            )
        if piece.owned is not None:
            _check_owned(cta, piece, offsets[inside], threads[inside], size, verb)
        if piece is cta.local.piece:
            offsets = offsets + (threads - cta.first) * length
        if isinstance(piece, PagedAllocation):
            offsets[inside] = piece.place(here[inside])
        if space in (GENERIC, CLUSTER):
            _visit(cta, piece, threads[inside])
        if inside.all():
            yield piece, rest, offsets, threads
            return
        numbers = np.arange(len(addresses)) if rest is None else rest
        yield piece, numbers[inside], offsets[inside], threads[inside]
        rest = numbers[~inside]


def _piece_at(cta: CtaThreads, space: int, address: int) -> tuple[Allocation | None, int]:
    """The piece of an address, and the address of its first byte in this space."""
    if space == SHARED:
        return cta.shared, cta.shared.base
    if space == CLUSTER:
        piece = cta.cluster.piece_at(address)
        return piece, 0 if piece is None else piece.base
    if space == LOCAL or (space == GENERIC and 0 <= address - LOCAL_WINDOW < WINDOW_SIZE):
        return cta.local.piece, LOCAL_WINDOW
    if space == GENERIC and 0 <= address - SHARED_WINDOW < WINDOW_SIZE:
        piece = cta.cluster.piece_at(address - SHARED_WINDOW)
        return piece, SHARED_WINDOW + (0 if piece is None else piece.base)
    piece = cta.memory.find(address)
    return piece, 0 if piece is None else piece.base


def _visit(cta: CtaThreads, piece: Allocation, threads: Integers) -> None:
    """Threads access a piece, which may be the shared memory of another CTA of the cluster."""
    cluster = cta.cluster
    for other in cluster.ctas:
        if other.shared is piece and other.rank != cta.rank:
            cluster.check_begun(other.rank, threads)
            cluster.visit(other.rank, threads)


def _nowhere(cta: CtaThreads, address: int) -> str:
    """Where an address without memory is."""
    pieces = cta.memory.memory
    nearest = min(pieces, key=lambda piece: piece.distance(address, 1), default=None)
    if nearest is None:
        return f"at address {address:#x}, where there is no memory"
    far = f"{address - nearest.end} bytes past"
    if address < nearest.base:
        far = f"{nearest.base - address} bytes before"
    return f"at address {address:#x}, {far} {nearest.name}{_index(nearest, address)}"


def _index(piece: Allocation, address: int, word: str = "at") -> str:
    """An address as an index of the array it is near."""
    index = piece.describe(address) if piece.is_global else ""
    return f", {word} {index}" if index else ""


def _check_owned(
    cta: CtaThreads, piece: Allocation, offsets: Integers, threads: Integers, size: int, verb: str
) -> None:
    """Raises if bytes lie between the elements of a strided array."""
    assert piece.owned is not None
    missed = ~piece.owned[offsets[:, None] + np.arange(size)].all(axis=1)
    if missed.any():
        first = int(np.argmax(missed))
        raise ExecutionError(
            f"{cta.names.thread(threads[first])} {verb} {size} bytes at offset {offsets[first]} of "
            f"{piece.name}, which lie between its elements"
            f"{_index(piece, piece.base + int(offsets[first]), 'after')}"
        )


def unit_of(size: int, alignment: int | None) -> int:
    """Bytes by which an access is aligned: all of them, up to 16, unless less is promised."""
    natural = size & -size
    return min(natural, 16, alignment or natural)


def check_alignment(cta: CtaThreads, lanes: Lanes, unit: int, verb: str) -> None:
    """Raises if an address is no multiple of this many bytes."""
    wrong = lanes.addresses % unit != 0
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ExecutionError(
            f"{cta.names.thread(lanes.threads[index])} {verb} address "
            f"{int(lanes.addresses[index]):#x}, which is not aligned to {unit} bytes"
        )


def _crosses_pages(cta: CtaThreads, space: int, size: int, aligned: int) -> bool:
    """Whether accesses may touch two pages of an array, which are not held side by side."""
    return size > aligned and space in (GENERIC, GLOBAL) and cta.memory.memory.is_paged


def _units(piece: Allocation, offsets: Integers, size: int, unit: int) -> Integers:
    """The numbers of the units of accesses, one row for each."""
    first = (offsets + piece.phase) // unit
    return first[:, None] + np.arange(size // unit) if size > unit else first[:, None]


def load(how: How, cta: CtaThreads, lanes: Lanes, size: int, *, whole_warps: bool = False) -> Bytes:
    """The bytes that accesses read, a row for each; zeros for those not performed."""
    op, space, semantics = how.op, how.space, how.semantics

    def read(piece: Allocation, offsets: Integers, threads: Integers) -> Array:
        if piece.shadow is not None:
            touch = Touch(op, offsets, size, threads)
            if semantics.strong:
                piece.shadow.update(touch, is_load=True, semantics=semantics)
            elif how.party is not None:
                piece.shadow.read_for(touch, how.party)
            else:
                piece.shadow.read(touch, whole_warps=whole_warps)
        return piece.units(unit)[_units(piece, offsets, size, unit)]

    aligned = unit_of(size, how.alignment)
    check_alignment(cta, lanes, aligned, "reads")
    if _crosses_pages(cta, space, size, aligned):
        parts = lanes.split(size // aligned, aligned)
        return load(how, cta, parts, aligned, whole_warps=whole_warps).reshape(-1, size)
    unit = min(aligned, WIDEST_UNIT)
    columns = size // unit
    found = np.zeros((lanes.count, columns), np.dtype(f"u{unit}"))
    for piece, part, offsets, threads in _parts(cta, space, lanes, size, "reads"):
        asked = before_access(cta, op, piece, offsets, size, threads, asks=semantics.strong)
        first = lanes_before_others(cta, asked)
        data = read(piece, offsets[:first], threads[:first])
        if asked is not None and first is not None:
            take_between(cta, asked)
            data = np.concatenate((data, read(piece, offsets[first:], threads[first:])))
        rows = lanes.rows(part)
        if rows is None:
            found = data
        else:
            found[rows] = data
    return found.view(np.uint8).reshape(lanes.count, size)


def begin_update(how: How, cta: CtaThreads, lanes: Lanes, size: int) -> Bytes:
    """The bytes that an atomic update, which `store` ends, is about to replace."""
    op, space = how.op, how.space
    aligned = unit_of(size, how.alignment)
    if _crosses_pages(cta, space, size, aligned):
        parts = lanes.split(size // aligned, aligned)
        return begin_update(how, cta, parts, aligned).reshape(-1, size)
    unit = min(aligned, WIDEST_UNIT)
    found = np.zeros((len(lanes.addresses), size // unit), np.dtype(f"u{unit}"))
    for piece, part, offsets, threads in _parts(cta, space, lanes, size, "changes"):
        before_access(cta, op, piece, offsets, size, threads, asks=False)
        places = _units(piece, offsets, size, unit)
        found[... if part is None else part] = piece.units(unit)[places]
    return found.view(np.uint8).reshape(-1, size)


def store(how: How, cta: CtaThreads, lanes: Lanes, data: Bytes) -> None:
    """Writes the bytes of accesses, a row for each."""
    op, space, semantics, party = how.op, how.space, how.semantics, how.party
    size = data.shape[1]
    aligned = unit_of(size, how.alignment)
    check_alignment(cta, lanes, aligned, "writes")
    if _crosses_pages(cta, space, size, aligned):
        parts = lanes.split(size // aligned, aligned)
        store(how, cta, parts, np.ascontiguousarray(data).reshape(-1, aligned))
        return
    unit = min(aligned, WIDEST_UNIT)
    rows = np.ascontiguousarray(data).view(np.dtype(f"u{unit}"))
    if lanes.chosen is not None:
        rows = rows[lanes.chosen]
    for piece, part, offsets, threads in _parts(cta, space, lanes, size, "writes"):
        if not piece.writable:
            name = cta.names.thread(threads[0])
            raise ExecutionError(f"{name} writes to '{piece.name}', which is read-only")
        if not how.updates:
            before_access(cta, op, piece, offsets, size, threads, asks=False)
        written = rows if part is None else rows[part]
        places = _units(piece, offsets, size, unit)
        memory = piece.units(unit)
        memory[places] = written
        if piece.shadow is None:
            continue
        touch = Touch(op, offsets, size, threads)
        if how.updates:
            piece.shadow.update_for(touch, party, semantics)
        elif semantics.strong:
            piece.shadow.update(touch, is_store=True, semantics=semantics)
        elif party is not None:
            piece.shadow.write_for(touch, party)
        else:
            # What threads lose against each other is seen only after all have written.
            piece.shadow.write(touch, written, memory[places])


def update(
    how: How,
    cta: CtaThreads,
    lanes: Lanes,
    values: Bytes,
    combine: Callable[[Bytes, Bytes], Bytes],
    width: int | None = None,
) -> Bytes:
    """
    Replaces what is in memory by what `combine` makes of it and the bytes of accesses, one access
    after the other where they meet; returns what was there. In memory an access has `width`
    bytes, or as many as it has values.
    """
    op, space, semantics = how.op, how.space, how.semantics
    size = values.shape[1] if width is None else width
    check_alignment(cta, lanes, unit_of(size, None), "changes")
    rows = values if lanes.chosen is None else values[lanes.chosen]
    before = np.zeros((lanes.count, size), np.uint8)
    for piece, part, offsets, threads in _parts(cta, space, lanes, size, "changes"):
        if not piece.writable:
            name = cta.names.thread(threads[0])
            raise ExecutionError(f"{name} writes to '{piece.name}', which is read-only")
        before_access(cta, op, piece, offsets, size, threads, asks=True)
        if piece.shadow is not None:
            piece.shadow.update(Touch(op, offsets, size, threads), semantics=semantics)
        mine = rows if part is None else rows[part]
        old = np.empty((len(mine), size), np.uint8)
        for turn in turns(offsets):
            places = offsets[turn][:, None] + np.arange(size)
            old[turn] = there = piece.data[places]
            piece.data[places] = combine(there, mine[turn])
        where = lanes.rows(part)
        before[... if where is None else where] = old
    return before
