"""
Tiles that a CTA hands over to another one, through memory.

A slot has the vectors of all threads side by side, vector by vector, of one tile after the other.
Elsewhere there is a flag of each thread. A thread stores its vectors and sets its flag (release);
the same thread of the other CTA waits for that (acquire), loads them, and clears the flag.
"""

from __future__ import annotations

from math import gcd

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType, i8, i32
from xdsl.ir import Block, Region, SSAValue

from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.workspace import (
    FLAG_BYTES,
    WorkspaceLoadOp,
    WorkspaceStoreOp,
)
from tileiras_xdsl.dialects.nvvm.base import VoteKind
from tileiras_xdsl.dialects.nvvm.fragments import MAX_VECTOR_BITS, element_bits
from tileiras_xdsl.dialects.nvvm.warp import VoteSyncOp
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import memory_type

from .accesses import (
    Order,
    VectorAccess,
    load_vectors,
    replicated_registers,
    store_vectors,
    unique_registers,
)
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder
from .thread_index import ALL_LANES, get_thread
from .vectors import extract, index_pointer, index_pointers, splat

RELEASE = Order("release", "gpu")
ACQUIRE = Order("acquire", "gpu")


@lowers("nv_tileas.workspace_store")
def lower_workspace_store(builder: ThreadBuilder, op: WorkspaceStoreOp) -> None:
    slot = Slot(builder, builder.lookup(op.slot), builder.lookup(op.flags))
    for value in op.values:
        access = slot.next_tile(value)
        registers = unique_registers(builder, builder.lookup(value), builder.layout(value))
        store_vectors(builder, access, registers, get_element(value.type))
    slot.set_flag(1, RELEASE)


@lowers("nv_tileas.workspace_load")
def lower_workspace_load(builder: ThreadBuilder, op: WorkspaceLoadOp) -> None:
    slot = Slot(builder, builder.lookup(op.slot), builder.lookup(op.flags))
    accesses = [slot.next_tile(value) for value in op.values]
    slot.wait_for_flag()
    for value, access in zip(op.values, accesses, strict=True):
        loaded = load_vectors(builder, access, get_element(value.type))
        builder.map(value, replicated_registers(builder, loaded, builder.layout(value)))
    slot.set_flag(0, Order("relaxed", "gpu"))


class Slot:
    """Where the threads of a CTA store tiles, and those of another one load them."""

    def __init__(self, builder: ThreadBuilder, base: SSAValue, flags: SSAValue):
        self.builder = builder
        self.base, self.flags = base, flags
        self.threads = builder.kernel.consumer_threads
        self.bytes = 0
        """Of the tiles so far."""

    def next_tile(self, value: SSAValue) -> VectorAccess:
        """The accesses of a thread to what it holds of the next tile."""
        assert isinstance(value.type, TensorType)
        element = memory_type(get_element(value.type))
        size = element_bits(element) // 8
        registers = self.builder.layout(value).compressed().registers
        width = gcd(registers, MAX_VECTOR_BITS // 8 // size)
        step = self.threads * width * size
        offsets = [self.bytes + index * step for index in range(registers // width)]
        self.bytes += step * (registers // width)
        own = self.move(self.base, get_thread(self.builder), width * size)
        addresses = index_pointers(self.builder, own, self.builder.constant_vector(offsets), i8)
        return VectorAccess(addresses, None, width)

    def move(self, base: SSAValue, index: SSAValue, size: int) -> SSAValue:
        """An address, moved by so many pieces of a size."""
        builder = self.builder
        offset = builder.emit(arith.MuliOp(index, builder.constant(size))).result
        return builder.emit(index_pointer(base, offset, i8, base.type)).result

    def flag(self) -> VectorAccess:
        """The access of a thread to its flag."""
        own = self.move(self.flags, get_thread(self.builder), FLAG_BYTES)
        return VectorAccess(splat(self.builder, own, 1), None, 1)

    def set_flag(self, value: int, order: Order) -> None:
        access = self.flag()
        store_vectors(self.builder, access, self.builder.constant_vector([value]), i32, order)

    def wait_for_flag(self) -> None:
        """
        Loads the flag until it is set for all threads of the warp, so that ptxas knows that they
        go on together: what follows stays in uniform registers.
        """
        builder, access = self.builder, self.flag()
        before, after = Block(), Block()
        with builder.at_end_of(before):
            flag = extract(builder, load_vectors(builder, access, i32, ACQUIRE), 0)
            is_clear = builder.emit(CmpiOp(flag, builder.constant(0), "eq")).result
            lanes = builder.constant(ALL_LANES)
            again = builder.emit(VoteSyncOp(VoteKind.ANY, lanes, is_clear)).result
            builder.emit(scf.ConditionOp(again))
        with builder.at_end_of(after):
            builder.emit(scf.YieldOp())
        builder.emit(scf.WhileOp([], [], Region(before), Region(after)))
