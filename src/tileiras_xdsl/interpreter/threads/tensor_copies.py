"""
TMA copies and bulk copies between global and shared memory.

A copy to shared memory reads at once; its bytes come when somebody waits for the barrier that they
complete on, and until then nobody may touch where they go, or write what they are read from. A copy
to global memory is done at once, but counts as in flight until its thread waits for its group: who
changes the shared memory that it reads before that, or reads the global memory that it writes, is
reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import gcd, prod
from typing import TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import FloatTF32Type, IntegerType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import nvgpu
from tileiras_xdsl.dialects.nvvm import BULK_TENSOR_LOADS, BULK_TENSOR_STORES, copies
from tileiras_xdsl.dialects.nvvm.tcgen05 import group_size
from tileiras_xdsl.interpreter.accesses import RELAXED_GLOBALLY, WEAK
from tileiras_xdsl.interpreter.elements import round_to
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, InCta
from tileiras_xdsl.interpreter.values import (
    Array,
    Bytes,
    Integers,
    Value,
    flag,
    from_row_bytes,
    integer,
    row_bytes,
    word_of,
)
from tileiras_xdsl.targets.tma import ALIGNMENT, SWIZZLE_ATOM_ROWS, UNSWIZZLED_ALIGNMENT

from . import accesses
from .accesses import GLOBAL, How, lanes_for
from .cluster import CTA_SPAN, RANK_BIT
from .mbarriers import barrier_at
from .pointers import memref_address
from .shadow import WARP, Touch
from .state import CtaThreads
from .tensor_maps import CHUNK, DecodedTensorMap, keep_map, read_map, swizzled
from .vectors import combiner

# TMA tiles


@dataclass(frozen=True)
class TmaTileRows:
    """Where a TMA tile is in global memory: its rows along the innermost dimension, in bounds."""

    rows: Integers
    """The numbers of the rows, of all that the TMA tile has."""
    addresses: Integers
    """Of the first element inside of each."""
    first: int
    """The first byte of a row that is inside, and how many are."""
    size: int

    @property
    def alignment(self) -> int:
        """Bytes that all addresses are multiples of, up to a chunk."""
        return gcd(CHUNK, self.size, int(np.bitwise_or.reduce(self.addresses)))

    def apart(self) -> list[slice]:
        """Groups of rows that have no address in common: all rows, unless strides are small."""
        steps = np.diff(np.sort(self.addresses))
        if (steps >= self.size).all():
            return [slice(None)]
        return [slice(row, row + 1) for row in range(len(self.rows))]


def find_tma_tile(tensor_map: DecodedTensorMap, at: Sequence[int]) -> TmaTileRows | None:
    """The part of the TMA tile at coordinates that is in bounds."""
    low = max(at[0], 0)
    high = min(at[0] + tensor_map.box[0], tensor_map.sizes[0])
    if low >= high:
        return None
    # Steps of the outer dimensions, the outermost first, for each row of the TMA tile.
    outer = tensor_map.box[:0:-1]
    steps = np.indices(outer).reshape(len(outer), prod(outer))[::-1]
    sizes, strides, gaps = (
        np.array(each[1:], np.int64)[:, None]
        for each in (tensor_map.sizes, tensor_map.strides, tensor_map.element_strides)
    )
    places = steps * gaps + np.array(at[1:], np.int64)[:, None]
    rows = np.flatnonzero(((places >= 0) & (places < sizes)).all(axis=0))
    if not len(rows):
        return None
    addresses = tensor_map.address + low * tensor_map.width + (places * strides).sum(axis=0)
    first, size = (low - at[0]) * tensor_map.width, (high - low) * tensor_map.width
    return TmaTileRows(rows, addresses[rows], first, size)


def _chunks(cta: CtaThreads, tensor_map: DecodedTensorMap, address: int, what: str) -> Integers:
    """Offsets in shared memory of the chunks of a TMA tile at an address."""
    alignment = max(tensor_map.swizzle * SWIZZLE_ATOM_ROWS, UNSWIZZLED_ALIGNMENT)
    if address % alignment:
        kind = (
            f"with a swizzle of {tensor_map.swizzle} bytes" if tensor_map.swizzle else "of a tensor"
        )
        raise ExecutionError(
            f"a TMA tile {kind} at address {address:#x} of shared memory is not aligned to "
            f"{alignment} bytes"
        )
    return _shared(
        cta,
        swizzled(address + np.arange(0, tensor_map.tma_tile_bytes, CHUNK), tensor_map.swizzle),
        what,
    )


def _shared(cta: CtaThreads, addresses: Integers, what: str) -> Integers:
    """Offsets in shared memory of chunks, which must be inside."""
    offsets = addresses - cta.shared.base
    if offsets.min() < 0 or offsets.max() + CHUNK > len(cta.shared.data):
        raise ExecutionError(
            f"{what} bytes {offsets.min()} to {offsets.max() + CHUNK} of shared memory, which has "
            f"{len(cta.shared.data)} bytes"
        )
    return offsets


# Copies to shared memory


def begin_load(
    op: Operation,
    cta: CtaThreads,
    barrier: int,
    offsets: Integers,
    data: Bytes,
    thread: int,
    check: Callable[[], None] | None = None,
) -> None:
    """
    Chunks are on their way to shared memory, and complete their bytes on a barrier. What must not
    change until then is checked when they come.
    """
    who = np.array([thread])
    target = barrier_at(cta, barrier, who)
    shared, party = cta.shared, target.party
    if shared.shadow is not None:
        shared.shadow.begin_arrival(Touch(op, offsets, CHUNK, np.repeat(who, len(offsets))))

    def come() -> int:
        if check is not None:
            check()
        shared.units(CHUNK // 2).reshape(-1, 2)[offsets // CHUNK] = data.view(np.uint64)
        if shared.shadow is not None:
            shared.shadow.arrive(offsets, CHUNK, party)
        return data.size

    target.copies.append(come)
    cta.happened()


def _as_copied(data: Bytes, tensor_map: DecodedTensorMap) -> Bytes:
    """Rows of a tensor as they come to shared memory: copies round to tf32."""
    if not isinstance(tensor_map.element, FloatTF32Type):
        return data
    values = np.ascontiguousarray(data).view(np.float32)
    return round_to(values, tensor_map.element).view(np.uint8)


def load_tma_tile(
    op: Operation,
    cta: CtaThreads,
    target: int,
    tensor_map: DecodedTensorMap,
    at: Sequence[int],
    barrier: int,
    thread: int,
    check: Callable[[], None],
) -> None:
    """A thread issues a TMA load; elements out of bounds are filled."""
    offsets = _chunks(cta, tensor_map, target, "copies to")
    data = read_tma_tile(op, cta, tensor_map, at, barrier, thread)
    begin_load(op, cta, barrier, offsets, data.reshape(-1, CHUNK), thread, check)


def read_tma_tile(
    op: Operation,
    cta: CtaThreads,
    tensor_map: DecodedTensorMap,
    at: Sequence[int],
    barrier: int,
    thread: int,
) -> Bytes:
    """The rows of a TMA tile of a tensor."""
    row_bytes = tensor_map.box[0] * tensor_map.width
    data = np.empty((prod(tensor_map.box[1:]), row_bytes), np.uint8)
    data[:] = np.tile(tensor_map.fill(), tensor_map.box[0])
    tile = find_tma_tile(tensor_map, at)
    if tile is not None:
        lanes = lanes_for(thread, tile.addresses)
        party = barrier_at(cta, barrier, lanes.threads[:1]).party
        inside = accesses.load(How(op, GLOBAL, tile.alignment, party=party), cta, lanes, tile.size)
        data[tile.rows, tile.first : tile.first + tile.size] = _as_copied(inside, tensor_map)
    return data


# Copies to global memory


@dataclass
class Store:
    """A copy to global memory that is in flight."""

    op: Operation
    group: int
    """The number of its group among those of its thread."""
    time: int
    has_read: bool = False


@dataclass
class Stores:
    """The copies to global memory of a thread."""

    reader: int | None
    """Who they are when they read shared memory, when they write, and when they reduce."""
    writer: int | None
    updater: int | None
    committed: int = 0
    under_way: list[Store] = field(default_factory=list[Store])

    def wait(self, cta: CtaThreads, thread: int, groups: int, only_reads: bool) -> None:
        """Waits until this many groups are left, or have been read."""
        clocks = cta.clocks
        for store in self.under_way:
            if store.group >= self.committed - groups:
                continue
            store.has_read = True
            if clocks is not None:
                known = clocks.nothing()
                known[self.reader] = store.time
                if not only_reads:
                    known[self.writer] = known[self.updater] = store.time
                clocks.acquire([thread // WARP], known)
        if not only_reads:
            kept = self.committed - groups
            self.under_way = [store for store in self.under_way if store.group >= kept]


def _all_stores(cta: CtaThreads) -> dict[int, Stores]:
    return cast(dict[int, Stores], cta.data.setdefault("stores", {}))


def _stores_of(cta: CtaThreads, thread: int) -> Stores:
    stores = _all_stores(cta)
    if thread not in stores:
        clocks = cta.clocks
        who = cta.names.thread(thread)
        names = (
            *(f"a store that {who} has issued", f"the store of {who}"),
            f"the reduction of {who}",
        )
        reader, writer, updater = (
            None if clocks is None else clocks.add_party(name) for name in names
        )
        if clocks is not None:
            clocks.is_update[updater] = True
        stores[thread] = Stores(reader, writer, updater)
    return stores[thread]


def check_end(cta: CtaThreads) -> None:
    """Raises if a CTA ends while copies still read its shared memory."""
    for thread, stores in _all_stores(cta).items():
        for store in stores.under_way:
            if not store.has_read:
                raise ExecutionError(
                    f"{cta.names.thread(thread)} ends without waiting until its copy has read "
                    "shared memory",
                    store.op,
                    cta.index,
                )


def read_for_store(op: Operation, cta: CtaThreads, offsets: Integers, thread: int) -> Bytes:
    """The chunks that a copy of a thread reads of shared memory."""
    stores, shared = _stores_of(cta, thread), cta.shared
    if shared.shadow is not None:
        shared.shadow.read_for(Touch(op, offsets, CHUNK, np.array([thread])), stores.reader)
    time = 0 if cta.clocks is None else cta.clocks.now
    stores.under_way.append(Store(op, stores.committed, time))
    return shared.units(CHUNK // 2).reshape(-1, 2)[offsets // CHUNK].view(np.uint8)


def write_global(
    op: Operation,
    cta: CtaThreads,
    addresses: Integers,
    data: Bytes,
    thread: int,
    alignment: int,
    *,
    updates: bool = False,
) -> None:
    """Writes rows of bytes for a copy of a thread, or for a reduction, which is atomic."""
    lanes = lanes_for(thread, addresses)
    stores = _stores_of(cta, thread)
    party = stores.updater if updates else stores.writer
    semantics = RELAXED_GLOBALLY if updates else WEAK
    how = How(op, GLOBAL, alignment, semantics, party, updates)
    accesses.store(how, cta, lanes, data)
    if cta.clocks is not None:
        cta.clocks.tick()


Combine = Callable[[Array, Array], Array]


def store_tma_tile(
    op: Operation,
    cta: CtaThreads,
    source: int,
    tensor_map: DecodedTensorMap,
    at: Sequence[int],
    thread: int,
    combine: Combine | None = None,
) -> None:
    """
    A thread issues a TMA store; what is out of bounds is left out, except
    that whole units of 16 bytes are written.
    """
    offsets = _chunks(cta, tensor_map, source, "copies")
    store_rows(op, cta, offsets, tensor_map, at, thread, combine)


def store_rows(
    op: Operation,
    cta: CtaThreads,
    offsets: Integers,
    tensor_map: DecodedTensorMap,
    at: Sequence[int],
    thread: int,
    combine: Combine | None = None,
) -> None:
    """Writes chunks of shared memory, which are a TMA tile, to a tensor."""
    data = read_for_store(op, cta, offsets, thread).reshape(prod(tensor_map.box[1:]), -1)
    tile = find_tma_tile(tensor_map, at)
    if tile is None:
        return
    rest = tile.size % CHUNK
    if rest and tile.first + tile.size < tensor_map.box[0] * tensor_map.width:
        raise ExecutionError(
            f"writes {CHUNK - rest} bytes past the end of rows of the tensor, for copies write "
            f"whole units of {CHUNK} bytes"
        )
    inside = np.ascontiguousarray(data[tile.rows, tile.first : tile.first + tile.size])
    if combine is None:
        write_global(op, cta, tile.addresses, inside, thread, tile.alignment)
        return
    shape = (tile.size // tensor_map.width,)
    for part in tile.apart():
        addresses = tile.addresses[part]
        lanes = lanes_for(thread, addresses)
        old = accesses.begin_update(How(op, GLOBAL, tile.alignment), cta, lanes, tile.size)
        values = [from_row_bytes(each, tensor_map.element, shape) for each in (old, inside[part])]
        result = row_bytes(combine(*values), tensor_map.element)
        write_global(op, cta, addresses, result, thread, tile.alignment, updates=True)


# Ops


def _each_thread(
    values: Sequence[SSAValue], act: Callable[[CtaThreads, int, list[int]], None]
) -> InCta:
    """Does something for each thread, with the operands it has."""

    def apply(cta: CtaThreads, *operands: Value) -> None:
        given = [cta.full(memref_address(operand)) for operand in operands]
        for row in np.flatnonzero(cta.active_mask()):
            act(cta, int(cta.numbers[row]), [int(value[row]) for value in given])

    return InCta(apply, values)


def _targets(cta: CtaThreads, mask: list[int]) -> list[CtaThreads]:
    """The CTAs of a cluster that a copy goes to: this one, or those of a mask."""
    if not mask:
        return [cta]
    bits = mask[0] & 0xFFFF
    ranks = [rank for rank in range(bits.bit_length()) if bits >> rank & 1]
    for rank in ranks:
        cta.cluster.check_rank(rank)
    return [cta.cluster.ctas[rank] for rank in ranks]


def _place_in(target: CtaThreads, address: int) -> int:
    """The same address in the shared memory of a CTA of the cluster."""
    return address % CTA_SPAN + target.rank * CTA_SPAN


def _signal_in(op: TensorLoad, target: CtaThreads, address: int) -> int:
    """
    The address of the barrier that a load to a CTA completes on: its own, or for a pair of CTAs
    that of the one which the address says, or of the even one.
    """
    if isinstance(op, nvgpu.TmaAsyncLoadOp):
        rank = target.rank
    elif op.leader_barrier is not None:
        rank = target.rank & ~1
    elif group_size(op.group) == 2:
        rank = target.rank & ~1 | address >> RANK_BIT & 1
    else:
        rank = target.rank
    return address % CTA_SPAN + rank * CTA_SPAN


TensorLoad: TypeAlias = nvgpu.TmaAsyncLoadOp | copies.BulkTensorLoadOp


@THREADS.binds(*(load.name for load in BULK_TENSOR_LOADS.values()), "nvgpu.tma.async.load")
def bind_tensor_load(op: Operation, program: BoundProgram) -> InCta:
    """TMA load."""
    if word_of(op, "mode", "tile") != "tile":
        raise ExecutionError("copies of images cannot be run on the CPU")
    assert isinstance(op, nvgpu.TmaAsyncLoadOp | copies.BulkTensorLoadOp)
    tensor_map = op.descriptor if isinstance(op, nvgpu.TmaAsyncLoadOp) else op.tensor_map
    coordinates = list(op.coordinates)
    masks = [] if op.multicast_mask is None else [op.multicast_mask]

    def act(cta: CtaThreads, thread: int, operands: list[int]) -> None:
        place, source, signal, *rest = operands
        at, mask = rest[: len(coordinates)], rest[len(coordinates) :]
        tensor_map = _map_at(op, cta, source, at, thread)
        check = keep_map(op, cta, source)
        for target in _targets(cta, mask):
            to, barrier = _place_in(target, place), _signal_in(op, target, signal)
            load_tma_tile(op, target, to, tensor_map, at, barrier, thread, check)

    return _each_thread([op.dst, tensor_map, op.barrier, *coordinates, *masks], act)


@THREADS.binds(copies.BulkTensorGather4Op.name)
def bind_gather(op: copies.BulkTensorGather4Op, program: BoundProgram) -> InCta:
    """TMA load of four rows, which come one after the other."""
    masks = [] if op.multicast_mask is None else [op.multicast_mask]

    def act(cta: CtaThreads, thread: int, operands: list[int]) -> None:
        place, source, signal, column, *rest = operands
        rows, mask = rest[:4], rest[4:]
        tensor_map = _row_map(op, cta, source, column, rows, thread)
        check = keep_map(op, cta, source)
        for target in _targets(cta, mask):
            to, barrier = _place_in(target, place), _signal_in(op, target, signal)
            size = tensor_map.tma_tile_bytes
            data = [
                read_tma_tile(op, target, tensor_map, (column, row), barrier, thread)
                for row in rows
            ]
            offsets = _row_chunks(target, tensor_map, to, "copies to")
            chunks = np.concatenate(data).reshape(4 * size // CHUNK, CHUNK)
            begin_load(op, target, barrier, offsets, chunks, thread, check)

    return _each_thread([op.dst, op.tensor_map, op.barrier, *op.coordinates, *masks], act)


@THREADS.binds(copies.BulkTensorScatter4Op.name)
def bind_scatter(op: copies.BulkTensorScatter4Op, program: BoundProgram) -> InCta:
    """TMA store of four rows."""

    def act(cta: CtaThreads, thread: int, operands: list[int]) -> None:
        source, address, column, *rows = operands
        tensor_map = _row_map(op, cta, address, column, rows, thread)
        if min(column, *rows) < 0:
            raise ExecutionError("copies a row to a negative coordinate: an illegal instruction")
        offsets = _row_chunks(cta, tensor_map, source, "copies")
        for row, part in zip(rows, np.split(offsets, 4), strict=True):
            store_rows(op, cta, part, tensor_map, (column, row), thread)

    return _each_thread([op.src, op.tensor_map, *op.coordinates], act)


def _row_map(
    op: Operation, cta: CtaThreads, address: int, column: int, rows: Sequence[int], thread: int
) -> DecodedTensorMap:
    """A map whose TMA tile is a part of a row."""
    tensor_map = _map_at(op, cta, address, (column, rows[0]), thread)
    if tensor_map.box[1] != 1:
        raise ExecutionError(
            f"gathers rows with a tensor map whose box has {tensor_map.box[1]} rows"
        )
    return tensor_map


def _row_chunks(cta: CtaThreads, tensor_map: DecodedTensorMap, address: int, what: str) -> Integers:
    """Offsets in shared memory of the chunks of four rows at an address."""
    if address % UNSWIZZLED_ALIGNMENT:
        raise ExecutionError(
            f"rows at address {address:#x} of shared memory are not aligned to "
            f"{UNSWIZZLED_ALIGNMENT} bytes"
        )
    steps = np.arange(0, 4 * tensor_map.tma_tile_bytes, CHUNK)
    return _shared(cta, swizzled(address + steps, tensor_map.swizzle), what)


def _map_at(
    op: Operation, cta: CtaThreads, address: int, at: Sequence[int], thread: int
) -> DecodedTensorMap:
    """A map of as many dimensions as there are coordinates, and which can have such."""
    tensor_map = read_map(op, cta, address, thread)
    if len(tensor_map.box) != len(at):
        raise ExecutionError(
            f"uses a tensor map of rank {len(tensor_map.box)} with {len(at)} coordinates"
        )
    if at[0] * tensor_map.width % ALIGNMENT:
        raise ExecutionError(
            f"copies a TMA tile at {at[0]} along the innermost dimension, which is no multiple of "
            f"{ALIGNMENT} bytes: an illegal instruction"
        )
    return tensor_map


def _map_to_store(
    op: Operation, cta: CtaThreads, address: int, at: Sequence[int], thread: int
) -> DecodedTensorMap:
    """The same of a TMA store or reduction."""
    if min(at) < 0:
        raise ExecutionError(f"copies a TMA tile to coordinate {min(at)}: an illegal instruction")
    return _map_at(op, cta, address, at, thread)


@THREADS.binds(*(store.name for store in BULK_TENSOR_STORES.values()), "nvgpu.tma.async.store")
def bind_tensor_store(op: Operation, program: BoundProgram) -> InCta:
    """TMA store."""
    assert isinstance(op, nvgpu.TmaAsyncStoreOp | copies.BulkTensorStoreOp)
    tensor_map = op.descriptor if isinstance(op, nvgpu.TmaAsyncStoreOp) else op.tensor_map

    def act(cta: CtaThreads, thread: int, operands: list[int]) -> None:
        source, address, *at = operands
        store_tma_tile(op, cta, source, _map_to_store(op, cta, address, at, thread), at, thread)

    return _each_thread([op.src, tensor_map, *op.coordinates], act)


@THREADS.binds("nvvm.cp.async.bulk.tensor.reduce")
def bind_tensor_reduce(op: copies.BulkTensorReduceOp, program: BoundProgram) -> InCta:
    """TMA reduction."""
    kind = op.red_op.data.value

    def act(cta: CtaThreads, thread: int, operands: list[int]) -> None:
        source, address, *at = operands
        tensor_map = _map_to_store(op, cta, address, at, thread)
        if kind not in tensor_map.kind.reductions:
            raise ExecutionError(f"reduces by '{kind}' with a tensor map of {tensor_map.kind.name}")
        word = kind
        if kind in ("min", "max") and isinstance(tensor_map.element, IntegerType):
            # The instruction does not say whether integers have a sign: their map does.
            word = f"{kind}si" if tensor_map.kind.is_signed else f"{kind}ui"
        combine = combiner(word, tensor_map.element)
        store_tma_tile(op, cta, source, tensor_map, at, thread, combine)

    return _each_thread([op.src, op.tensor_map, *op.coordinates], act)


def _check_bytes(**numbers: int) -> None:
    """Raises unless all are multiples of a chunk."""
    for name, number in numbers.items():
        if number % CHUNK or (name == "size" and number <= 0):
            raise ExecutionError(f"copies bytes whose {name} {number:#x} is no multiple of {CHUNK}")


@THREADS.binds("nvvm.cp.async.bulk.shared.cluster.global")
def bind_bulk_load(op: Operation, program: BoundProgram) -> InCta:
    """Begins to copy bytes to shared memory."""
    assert isinstance(op, copies.BulkLoadOp)
    masks = [] if op.multicast_mask is None else [op.multicast_mask]

    def act(cta: CtaThreads, thread: int, operands: list[int]) -> None:
        target, source, barrier, size, *mask = operands
        _check_bytes(target=target, source=source, size=size)
        steps = np.arange(0, size, CHUNK)
        lanes = lanes_for(thread, source + steps)
        for other in _targets(cta, mask):
            offsets = _shared(other, _place_in(other, target) + steps, "copies to")
            signal = _place_in(other, barrier)
            party = barrier_at(other, signal, lanes.threads[:1]).party
            data = accesses.load(How(op, GLOBAL, party=party), other, lanes, CHUNK)
            begin_load(op, other, signal, offsets, data, thread)

    return _each_thread([*op.slots[:4], *masks], act)


@THREADS.binds("nvvm.cp.async.bulk.global.shared.cta")
def bind_bulk_store(op: Operation, program: BoundProgram) -> InCta:
    """Copies bytes from shared memory."""
    assert isinstance(op, copies.BulkStoreOp)

    def act(cta: CtaThreads, thread: int, operands: list[int]) -> None:
        target, source, size = operands
        _check_bytes(target=target, source=source, size=size)
        offsets = _shared(cta, source + np.arange(0, size, CHUNK), "copies")
        data = read_for_store(op, cta, offsets, thread)
        write_global(op, cta, target + np.arange(0, size, CHUNK), data, thread, CHUNK)

    return _each_thread(op.slots[:3], act)


# Groups


@THREADS.runs("nvvm.cp.async.bulk.commit.group")
def run_commit(cta: CtaThreads) -> None:
    """Makes a group of the copies to global memory begun."""
    for thread in cta.active_threads():
        if int(thread) in _all_stores(cta):
            _stores_of(cta, int(thread)).committed += 1


@THREADS.runs(
    "nvvm.cp.async.bulk.wait_group",
    groups=integer("groups", 0),
    only_reads=flag("read"),
)
def run_wait(cta: CtaThreads, *, groups: int, only_reads: bool) -> None:
    """Waits until this many groups are left, or have been read."""
    for thread in cta.active_threads():
        if int(thread) in _all_stores(cta):
            _stores_of(cta, int(thread)).wait(cta, int(thread), groups, only_reads)
