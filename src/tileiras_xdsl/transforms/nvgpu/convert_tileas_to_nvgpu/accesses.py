"""
What memory accesses have in common: elements as memory holds them, vectorized accesses, memory
order, and results that several threads need.

In memory an i1 is a byte that is 0 or not, a tf32 is an f32 whose low bits do not matter, and two
elements of 4 bits share a byte, the first one in its low half; a pointer to such an element points
to its byte.

Of several threads, or registers, that hold the same element one owns it: only the owner stores it
and performs atomics on it. A barrier precedes a release, so that it publishes what all threads of
the CTA did before, and follows an acquire, so that all of them see what was published.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FloatTF32Type,
    IntegerType,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout, Solver, contiguous_registers
from tileiras_xdsl.dialects.arith import ExtUIOp, TruncIOp
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.memory import OrderedAccess
from tileiras_xdsl.dialects.nv_tileas.decisions import get_vector
from tileiras_xdsl.dialects.nvvm.fragments import (
    MAX_VECTOR_BITS,
    FragmentLoadOp,
    FragmentStoreOp,
    count_lanes,
    element_bits,
)
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    is_packed,
    memory_type,
    register_type,
)

from .barriers import sync_threads, take_scratch
from .thread_builder import (
    ThreadBuilder,
    all_of,
    index_pointer,
    index_pointers,
    select_registers,
    splat,
)
from .thread_index import apply_bases, is_first_thread, is_owner

SCOPES = {"tl_blk": "cta", "cluster": "cluster", "gpu": "gpu", "sys": "sys"}
RELEASING = ("release", "acq_rel", "seq_cst")
TF32_MASK = -1 << 13


# Elements


def decode(builder: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """What memory holds, as registers do; packed elements are in the low halves of bytes."""
    ty, count = value.type, count_lanes(value.type)
    assert isinstance(ty, VectorType)
    if element == i1:
        return builder.compare("ne", value, 0)
    if isinstance(element, FloatTF32Type):
        bits = builder.emit(arith.BitcastOp(value, VectorType(i32, [count]))).result
        kept = arith.AndIOp(bits, builder.constant_vector([TF32_MASK] * count))
        return builder.emit(arith.BitcastOp(builder.emit(kept), ty)).result
    if is_packed(element):
        value = builder.binary("and", value, 15)
    held = register_type(element)
    if ty.get_element_type() != held:
        return builder.emit(TruncIOp(value, VectorType(held, [count]))).result
    return value


def encode(builder: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Registers, as memory holds their elements."""
    ty = value.type
    assert isinstance(ty, VectorType)
    stored = memory_type(element)
    if ty.get_element_type() == stored:
        return value
    return builder.emit(ExtUIOp(value, VectorType(stored, ty.get_shape()))).result


def splat_bits(builder: ThreadBuilder, bits: int, element: Attribute, count: int) -> SSAValue:
    """A vector of elements that have these bits, as memory holds them."""
    stored = memory_type(element)
    if isinstance(element, FloatTF32Type):
        bits <<= 13
    width = element_bits(stored)
    signed = bits - (1 << width) if bits >> (width - 1) else bits
    numbers = builder.constant_vector([signed] * count, IntegerType(width))
    if isinstance(stored, IntegerType):
        return numbers
    return builder.emit(arith.BitcastOp(numbers, VectorType(stored, [count]))).result


# Registers


@lru_cache(maxsize=1024)
def register_map(source: LinearLayout, target: LinearLayout) -> tuple[int, ...] | None:
    """
    For each register of the target the register of the source that has the same element, if the
    same holds in all threads.
    """
    if source.lane != target.lane or source.warp != target.warp:
        return None
    solver = Solver(source.register)
    found = [solver.solve(basis) for basis in target.register]
    if None in found:
        return None
    indices: list[int] = []
    for index in range(target.registers):
        combined = 0
        for bit, each in enumerate(found):
            if index >> bit & 1 and each is not None:
                combined ^= each
        indices.append(combined)
    return tuple(indices)


def unique_registers(builder: ThreadBuilder, value: SSAValue, layout: LinearLayout) -> SSAValue:
    """The registers of a tile without those that hold copies of others."""
    indices = register_map(layout, layout.compressed())
    assert indices is not None
    return select_registers(builder, value, indices)


def replicated_registers(builder: ThreadBuilder, value: SSAValue, layout: LinearLayout) -> SSAValue:
    """All registers of a tile, given those that hold no copies."""
    indices = register_map(layout.compressed(), layout)
    assert indices is not None
    return select_registers(builder, value, indices)


# Vectorized accesses


def get_width(op: Operation, layout: LinearLayout, element: Attribute) -> int:
    """How many elements of a tile an instruction accesses."""
    vector = get_vector(op)
    if vector is None:
        return 1
    bits = element_bit_width(element) if is_packed(element) else element_bits(memory_type(element))
    return min(
        vector.width,
        contiguous_registers(layout, [vector.dim]) if layout.shape else 1,
        MAX_VECTOR_BITS // bits,
    )


def select_vectors(builder: ThreadBuilder, value: SSAValue, width: int) -> SSAValue:
    """The first element of every vector."""
    return select_registers(builder, value, range(0, count_lanes(value.type), width))


def owned(
    builder: ThreadBuilder, layout: LinearLayout, mask: SSAValue | None, count: int
) -> SSAValue | None:
    """The mask of what a thread may store: only elements that it owns."""
    owner = is_owner(builder, layout)
    return mask if owner is None else all_of(builder, [mask, splat(builder, owner, count)])


@dataclass(frozen=True)
class VectorAccess:
    """The vectorized accesses of a thread to its part of a tile."""

    addresses: SSAValue
    mask: SSAValue | None
    width: int
    """Elements of one access."""


# Order


@dataclass(frozen=True)
class Order:
    """Semantics and scope of an access in the memory model."""

    semantic: str
    scope: str | None
    volatile: bool = False

    @staticmethod
    def of(builder: ThreadBuilder, op: OrderedAccess) -> Order:
        """The order that an op asks for."""
        scope = None if op.mem_scope is None else SCOPES[op.mem_scope.data]
        if scope == "cluster" and not builder.kernel.target.has("clusters"):
            # Without clusters, every CTA is a cluster of its own.
            scope = "cta"
        return Order(op.get_semantic(), scope, op.volatile is not None)

    @property
    def is_weak(self) -> bool:
        return self.semantic == "weak" and not self.volatile


WEAK = Order("weak", None)


def load_vectors(
    builder: ThreadBuilder,
    access: VectorAccess,
    element: Attribute,
    order: Order = WEAK,
    other: SSAValue | None = None,
) -> SSAValue:
    """Loads vectors; those that are masked out are `other`, as memory holds it, or 0."""
    count = count_lanes(access.addresses.type) * access.width
    stored = memory_type(element)
    load = FragmentLoadOp(
        access.addresses,
        result_type=VectorType(stored, [count]),
        mask=access.mask,
        other=None if access.mask is None else other,
        alignment=access.width * element_bits(stored) // 8,
        volatile=order.volatile,
        semantic=order.semantic,
        scope=order.scope,
    )
    return decode(builder, builder.emit(load).result, element)


def store_vectors(
    builder: ThreadBuilder,
    access: VectorAccess,
    value: SSAValue,
    element: Attribute,
    order: Order = WEAK,
) -> None:
    """Stores vectors."""
    stored = encode(builder, value, element)
    builder.emit(
        FragmentStoreOp(
            stored,
            access.addresses,
            mask=access.mask,
            alignment=access.width * element_bits(stored.type) // 8,
            volatile=order.volatile,
            semantic=order.semantic,
            scope=order.scope,
        )
    )


# Shared memory


def move(builder: ThreadBuilder, base: SSAValue, offset: SSAValue, element: Attribute) -> SSAValue:
    """A pointer, advanced by this many elements."""
    return builder.get_or_emit(index_pointer, base, offset, element, base.type)


def scratch_addresses(
    builder: ThreadBuilder, base: SSAValue, layout: LinearLayout, element: Attribute
) -> SSAValue:
    """The addresses of the elements of a thread in a row-major tile in shared memory."""
    thread = apply_bases(builder, layout.lane, layout.warp)
    registers = [layout.element(register=index) for index in range(layout.registers)]
    used = 0
    for basis in (*layout.lane, *layout.warp):
        used |= basis
    if not any(used & each for each in registers):
        if thread is not None:
            base = move(builder, base, thread, element)
        return index_pointers(builder, base, builder.constant_vector(registers), element)
    assert thread is not None
    offsets = arith.XOrIOp(
        splat(builder, thread, len(registers)), builder.constant_vector(registers)
    )
    return index_pointers(builder, base, builder.emit(offsets).result, element)


def write_scratch(
    builder: ThreadBuilder,
    base: SSAValue,
    value: SSAValue,
    layout: LinearLayout,
    element: Attribute,
) -> None:
    """The owners write the elements of a tile to shared memory, row-major."""
    distinct = layout.compressed()
    addresses = scratch_addresses(builder, base, distinct, memory_type(element))
    access = VectorAccess(addresses, owned(builder, distinct, None, distinct.registers), 1)
    store_vectors(builder, access, unique_registers(builder, value, layout), element)


def scratch_bytes(layout: LinearLayout, element: Attribute) -> int:
    """The size of a tile in shared memory."""
    return layout.elements * element_bits(memory_type(element)) // 8


def broadcast_from_owners(
    builder: ThreadBuilder, value: SSAValue, layout: LinearLayout, element: Attribute
) -> SSAValue:
    """Broadcasts elements from their owners to all threads that hold them, by shared memory."""
    if is_owner(builder, layout) is None:
        return value
    scratch = take_scratch(builder, scratch_bytes(layout, element))
    write_scratch(builder, scratch, value, layout, element)
    sync_threads(builder)
    distinct = layout.compressed()
    addresses = scratch_addresses(builder, scratch, distinct, memory_type(element))
    result = load_vectors(builder, VectorAccess(addresses, None, 1), element)
    return replicated_registers(builder, result, layout)


def load_consistent(
    builder: ThreadBuilder,
    access: VectorAccess,
    layout: LinearLayout,
    element: Attribute,
    order: Order,
    other: SSAValue | None = None,
) -> SSAValue:
    """
    Loads a tile so that all threads that hold an element get the same value. A strong load of an
    element is done by its owner alone: other CTAs may store to it at any time, so that two loads
    could differ.
    """
    if order.is_weak or is_owner(builder, layout) is None:
        return load_vectors(builder, access, element, order, other)
    count = count_lanes(access.addresses.type)
    mask = owned(builder, layout, access.mask, count)
    mine = load_vectors(
        builder, VectorAccess(access.addresses, mask, access.width), element, order, other
    )
    return broadcast_from_owners(builder, mine, layout, element)


def make_consistent(
    builder: ThreadBuilder, value: SSAValue, layout: LinearLayout, element: Attribute, order: Order
) -> SSAValue:
    """A loaded tile, with the element of its owner in all threads that hold it."""
    return value if order.is_weak else broadcast_from_owners(builder, value, layout, element)


def broadcast_scalar(builder: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Broadcasts a vector of one element from the first thread to all threads."""
    stored = memory_type(element)
    scratch = take_scratch(builder, element_bits(stored) // 8)
    address = splat(builder, scratch, 1)
    store_vectors(
        builder,
        VectorAccess(address, splat(builder, is_first_thread(builder), 1), 1),
        value,
        element,
    )
    sync_threads(builder)
    result = load_vectors(builder, VectorAccess(address, None, 1), element)
    return result
