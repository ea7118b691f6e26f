"""Atomics, memory orders and scopes."""

import cuda.tile as ct
from cuda.tile import MemoryOrder as Order
from cuda.tile import MemoryScope as Scope

from .registry import Const, array, corpus, corpus_for, scalar


@corpus_for((ct.int32, ct.uint64), lambda t: (array(t), array(t), 64))
def atomic_modes(x, update, tile: Const):
    """Every read-modify-write mode of one integer type."""
    i = ct.arange(tile, dtype=ct.int32)
    u = ct.load(update, ct.bid(0), tile)
    u = ct.atomic_add(x, i, u)
    u = ct.atomic_max(x, i, u)
    u = ct.atomic_min(x, i, u)
    u = ct.atomic_and(x, i, u)
    u = ct.atomic_or(x, i, u)
    u = ct.atomic_xor(x, i, u)
    u = ct.atomic_xchg(x, i, u)
    ct.atomic_cas(x, i, u, u + 1)


@corpus(array(ct.float64), array(ct.float64), 32)
def atomic_float(x, update, tile: Const):
    """Addition, exchange and compare-and-swap of floats."""
    i = ct.arange(tile, dtype=ct.int32)
    u = ct.load(update, ct.bid(0), tile)
    before = ct.atomic_add(x, i, u)
    before = ct.atomic_xchg(x, i, before + u)
    ct.atomic_cas(x, i, before, u)


@corpus(array(ct.float16), array(ct.float16), 32)
def atomic_half(x, update, tile: Const):
    """Addition of f16."""
    ct.atomic_add(x, ct.arange(tile, dtype=ct.int32), ct.load(update, ct.bid(0), tile))


@corpus(array(ct.bfloat16), array(ct.bfloat16), 32, since="13.3")
def atomic_brain(x, update, tile: Const):
    """Addition of bf16."""
    ct.atomic_add(x, ct.arange(tile, dtype=ct.int32), ct.load(update, ct.bid(0), tile))


@corpus(array(ct.int32), 32)
def orders_and_scopes(x, tile: Const):
    """Each memory order with each scope."""
    i = ct.arange(tile, dtype=ct.int32)
    ct.atomic_add(x, i, 1, memory_order=Order.RELAXED, memory_scope=Scope.BLOCK)
    ct.atomic_add(x, i, 2, memory_order=Order.RELAXED, memory_scope=Scope.DEVICE)
    ct.atomic_add(x, i, 3, memory_order=Order.ACQUIRE, memory_scope=Scope.SYS)
    ct.atomic_max(x, i, 4, memory_order=Order.RELEASE, memory_scope=Scope.DEVICE)
    ct.atomic_min(x, i, 5, memory_order=Order.ACQ_REL, memory_scope=Scope.SYS)
    ct.atomic_cas(x, i, 6, 7, memory_order=Order.ACQUIRE, memory_scope=Scope.BLOCK)
    ct.atomic_cas(x, i, 7, 8, memory_order=Order.RELEASE, memory_scope=Scope.SYS)
    ct.atomic_xchg(x, i, 9, memory_order=Order.RELAXED, memory_scope=Scope.SYS, check_bounds=False)


@corpus(array(ct.int32), array(ct.int32), array(ct.float32), array(ct.float32))
def ordered_views(ready, seen, data, out):
    """Loads and stores of views with memory orders: wait for a flag, then publish another."""
    flag = ct.load(ready, 0, 1, memory_order=Order.ACQUIRE, memory_scope=Scope.DEVICE)
    while flag.item() == 0:
        flag = ct.load(ready, 0, 1, memory_order=Order.RELAXED, memory_scope=Scope.SYS)
    t = ct.load(data, ct.bid(0), 64)
    ct.store(out, ct.bid(0), t + 1.0, memory_order=Order.RELAXED, memory_scope=Scope.BLOCK)
    ct.store(seen, 0, flag + 1, memory_order=Order.RELEASE, memory_scope=Scope.DEVICE)


@corpus(array(ct.int32), array(ct.float32), array(ct.float32), 64)
def spin_lock(lock, x, total, tile: Const):
    """A compare-and-swap loop around a critical section."""
    t = ct.load(x, ct.bid(0), tile)
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=Order.ACQUIRE) == 1:
        pass
    ct.store(total, 0, ct.load(total, 0, tile) + t)
    ct.atomic_xchg(lock, 0, 0, memory_order=Order.RELEASE)


@corpus(array(ct.float32), array(ct.float32), 64)
def float_max_by_cas(x, out, tile: Const):
    """The maximum of floats, which no atomic mode offers, by a loop per block."""
    top = ct.max(ct.load(x, ct.bid(0), tile))
    old = ct.gather(out, 0)
    while old < top:
        seen = ct.atomic_cas(out, 0, old, top)
        if seen == old:
            break
        old = seen


@corpus(array(ct.float32), array(ct.float32), array(ct.int32), array(ct.float32), 256)
def last_block_reduces(x, partial, arrived, out, tile: Const):
    """Every block leaves a partial sum; the last one to arrive adds them up."""
    ct.scatter(partial, ct.bid(0), ct.sum(ct.load(x, ct.bid(0), tile)))
    ticket = ct.atomic_add(arrived, 0, 1, memory_order=Order.ACQ_REL)
    if ticket == ct.num_blocks(0) - 1:
        total = ct.zeros((tile,), ct.float32)
        for base in range(0, ct.num_blocks(0), tile):
            total += ct.gather(partial, base + ct.arange(tile, dtype=ct.int32))
        ct.scatter(out, 0, ct.sum(total))
        ct.scatter(arrived, 0, 0)


@corpus(array(ct.uint8), array(ct.int32), 1024)
def byte_histogram(x, bins, tile: Const):
    """One atomic per element, with a mask for the end of the input."""
    i = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    value = ct.gather(x, i).astype(ct.int32)
    memory = bins.get_raw_memory()
    memory.atomic_add_offset(value, 1, mask=i < x.shape[0], memory_order=Order.RELAXED)


@corpus(array(ct.int64), scalar(ct.int64), 16)
def raw_atomics(x, limit, tile: Const):
    """Read-modify-write at raw offsets, masked and unmasked."""
    memory = x.get_raw_memory()
    offset = ct.arange(tile, dtype=ct.int64)
    mask = offset < limit
    t = memory.atomic_max_offset(offset, 10, mask=mask)
    t = memory.atomic_min_offset(offset, t, mask=mask)
    t = memory.atomic_and_offset(offset, t)
    t = memory.atomic_or_offset(offset, t, memory_scope=Scope.BLOCK)
    t = memory.atomic_xor_offset(offset, t, mask=mask, memory_scope=Scope.SYS)
    t = memory.atomic_xchg_offset(offset, t)
    memory.atomic_cas_offset(offset, t, t + 1, mask=mask)


@corpus_for((ct.int32, ct.uint64), lambda t: (array(t, 2), array(t, 2)), since="13.3")
def view_reductions(x, update):
    """Reductions into a view, which return nothing."""
    tiles = x.tiled_view((8, 16))
    index = (ct.bid(0), ct.bid(1))
    u = ct.load(update, index, (8, 16))
    tiles.atomic_store_add(index, u)
    tiles.atomic_store_max(index, u)
    tiles.atomic_store_min(index, u)
    tiles.atomic_store_and(index, u)
    tiles.atomic_store_or(index, u)
    tiles.atomic_store_xor(index, u)


@corpus_for((ct.bfloat16, ct.float32), lambda t: [array(t, 2)] * 3, since="13.3")
def view_accumulate(a, b, c):
    """Add a sum into a view of float type."""
    index = (ct.bid(0), ct.bid(1))
    total = ct.load(a, index, (16, 16)) + ct.load(b, index, (16, 16))
    c.tiled_view((16, 16)).atomic_store_add(index, total)
