"""
What accesses to memory have in common: elements as memory holds them, pieces, order, and results
that all threads need.

In memory an i1 is a byte that is 0 or not, a tf32 is an f32 whose low bits do not matter, and two
elements of 4 bits share a byte, the first one in its low half; a pointer to such an element points
to its byte.

Of several threads, or registers, that hold the same element one owns it: it alone writes, and
performs atomics. An access that releases comes behind a barrier, so that it publishes what all
threads of the block did before; one that acquires is followed by a barrier, so that all of them
see what was published.
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
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout, Solver, contiguous_registers
from tileiras_xdsl.dialects.arith import CmpiOp, ExtUIOp, TruncIOp
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.memory import OrderedAccess
from tileiras_xdsl.dialects.nv_tileas.decisions import get_vector
from tileiras_xdsl.dialects.nvvm.fragments import (
    MAX_PIECE_BITS,
    FragmentLoadOp,
    FragmentStoreOp,
    count_lanes,
    element_bits,
)
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import (
    is_packed,
    memory_type,
    register_type,
)

from .barriers import sync_threads, take_scratch
from .thread_builder import ThreadBuilder
from .thread_index import apply_bases, is_first_thread, is_owner
from .vectors import all_of, index_pointer, index_pointers, select_registers, splat

SCOPES = {"tl_blk": "cta", "cluster": "cluster", "gpu": "gpu", "sys": "sys"}
RELEASING = ("release", "acq_rel", "seq_cst")
ACQUIRING = ("acquire", "acq_rel", "seq_cst")
TF32_MASK = -1 << 13


# Elements


def decode(code: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """What memory holds, as registers do; packed elements are in the low halves of bytes."""
    ty, count = value.type, count_lanes(value.type)
    assert isinstance(ty, VectorType)
    if element == i1:
        return code.emit(CmpiOp(value, code.constants([0] * count, i8), "ne")).result
    if isinstance(element, FloatTF32Type):
        bits = code.emit(arith.BitcastOp(value, VectorType(i32, [count]))).result
        kept = arith.AndIOp(bits, code.constants([TF32_MASK] * count))
        return code.emit(arith.BitcastOp(code.emit(kept), ty)).result
    if is_packed(element):
        value = code.emit(arith.AndIOp(value, code.constants([15] * count, i8))).result
    held = register_type(element)
    if ty.get_element_type() != held:
        return code.emit(TruncIOp(value, VectorType(held, [count]))).result
    return value


def encode(code: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Registers, as memory holds their elements."""
    ty = value.type
    assert isinstance(ty, VectorType)
    stored = memory_type(element)
    if ty.get_element_type() == stored:
        return value
    return code.emit(ExtUIOp(value, VectorType(stored, ty.get_shape()))).result


def splat_bits(code: ThreadBuilder, bits: int, element: Attribute, count: int) -> SSAValue:
    """A vector of elements that have these bits, as memory holds them."""
    stored = memory_type(element)
    if isinstance(element, FloatTF32Type):
        bits <<= 13
    width = element_bits(stored)
    signed = bits - (1 << width) if bits >> (width - 1) else bits
    numbers = code.constants([signed] * count, IntegerType(width))
    if isinstance(stored, IntegerType):
        return numbers
    return code.emit(arith.BitcastOp(numbers, VectorType(stored, [count]))).result


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


def own_registers(code: ThreadBuilder, value: SSAValue, layout: LinearLayout) -> SSAValue:
    """The registers of a tile without those that hold copies of others."""
    indices = register_map(layout, layout.compressed())
    assert indices is not None
    return select_registers(code, value, indices)


def all_registers(code: ThreadBuilder, value: SSAValue, layout: LinearLayout) -> SSAValue:
    """All registers of a tile, given those that hold no copies."""
    indices = register_map(layout.compressed(), layout)
    assert indices is not None
    return select_registers(code, value, indices)


# Pieces


def get_width(op: Operation, layout: LinearLayout, element: Attribute) -> int:
    """How many elements of a tile an instruction accesses."""
    vector = get_vector(op)
    if vector is None:
        return 1
    bits = element_bit_width(element) if is_packed(element) else element_bits(memory_type(element))
    return min(
        vector.width,
        contiguous_registers(layout, [vector.dim]) if layout.shape else 1,
        MAX_PIECE_BITS // bits,
    )


def select_pieces(code: ThreadBuilder, value: SSAValue, width: int) -> SSAValue:
    """The first element of every piece."""
    return select_registers(code, value, range(0, count_lanes(value.type), width))


def owned(
    code: ThreadBuilder, layout: LinearLayout, mask: SSAValue | None, count: int
) -> SSAValue | None:
    """The mask of what a thread may write: it must own its elements."""
    owner = is_owner(code, layout)
    return mask if owner is None else all_of(code, [mask, splat(code, owner, count)])


@dataclass(frozen=True)
class Pieces:
    """How a thread accesses its part of a tile."""

    addresses: SSAValue
    mask: SSAValue | None
    width: int
    """Elements of a piece."""


# Order


@dataclass(frozen=True)
class Order:
    """The place of an access in the memory order."""

    semantic: str
    scope: str | None
    volatile: bool = False

    @staticmethod
    def of(code: ThreadBuilder, op: OrderedAccess) -> Order:
        """The order that an op asks for."""
        scope = None if op.mem_scope is None else SCOPES[op.mem_scope.data]
        if scope == "cluster" and not code.kernel.target.has("clusters"):
            # Without clusters a block is one of its own.
            scope = "cta"
        return Order(op.get_semantic(), scope, op.volatile is not None)

    @property
    def is_weak(self) -> bool:
        return self.semantic == "weak" and not self.volatile


WEAK = Order("weak", None)


def load_pieces(
    code: ThreadBuilder,
    pieces: Pieces,
    element: Attribute,
    order: Order = WEAK,
    other: SSAValue | None = None,
) -> SSAValue:
    """Reads pieces; those that are masked out are `other`, as memory holds it, or 0."""
    count = count_lanes(pieces.addresses.type) * pieces.width
    stored = memory_type(element)
    load = FragmentLoadOp(
        pieces.addresses,
        result_type=VectorType(stored, [count]),
        mask=pieces.mask,
        other=None if pieces.mask is None else other,
        alignment=pieces.width * element_bits(stored) // 8,
        volatile=order.volatile,
        semantic=order.semantic,
        scope=order.scope,
    )
    return decode(code, code.emit(load).result, element)


def store_pieces(
    code: ThreadBuilder,
    pieces: Pieces,
    value: SSAValue,
    element: Attribute,
    order: Order = WEAK,
) -> None:
    """Writes pieces."""
    stored = encode(code, value, element)
    code.emit(
        FragmentStoreOp(
            stored,
            pieces.addresses,
            mask=pieces.mask,
            alignment=pieces.width * element_bits(stored.type) // 8,
            volatile=order.volatile,
            semantic=order.semantic,
            scope=order.scope,
        )
    )


# Shared memory


def move(code: ThreadBuilder, base: SSAValue, offset: SSAValue, element: Attribute) -> SSAValue:
    """A pointer moved by so many elements."""
    return code.compute(index_pointer, base, offset, element, base.type)


def scratch_addresses(
    code: ThreadBuilder, base: SSAValue, layout: LinearLayout, element: Attribute
) -> SSAValue:
    """Where the elements of a thread lie in shared memory that has them in their order."""
    thread = apply_bases(code, layout.lane, layout.warp)
    registers = [layout.element(register=index) for index in range(layout.registers)]
    used = 0
    for basis in (*layout.lane, *layout.warp):
        used |= basis
    if not any(used & each for each in registers):
        if thread is not None:
            base = move(code, base, thread, element)
        return index_pointers(code, base, code.constants(registers), element)
    assert thread is not None
    offsets = arith.XOrIOp(splat(code, thread, len(registers)), code.constants(registers))
    return index_pointers(code, base, code.emit(offsets).result, element)


def write_scratch(
    code: ThreadBuilder, base: SSAValue, value: SSAValue, layout: LinearLayout, element: Attribute
) -> None:
    """Puts the elements of a tile into shared memory in their order; owners do it."""
    distinct = layout.compressed()
    addresses = scratch_addresses(code, base, distinct, memory_type(element))
    pieces = Pieces(addresses, owned(code, distinct, None, distinct.registers), 1)
    store_pieces(code, pieces, own_registers(code, value, layout), element)


def scratch_bytes(layout: LinearLayout, element: Attribute) -> int:
    """The size of a tile in shared memory."""
    return layout.elements * element_bits(memory_type(element)) // 8


def share(
    code: ThreadBuilder, value: SSAValue, layout: LinearLayout, element: Attribute
) -> SSAValue:
    """What the owners of elements hold, in all threads that need it: a vector of registers."""
    if is_owner(code, layout) is None:
        return value
    scratch = take_scratch(code, scratch_bytes(layout, element))
    write_scratch(code, scratch, value, layout, element)
    sync_threads(code)
    distinct = layout.compressed()
    addresses = scratch_addresses(code, scratch, distinct, memory_type(element))
    result = load_pieces(code, Pieces(addresses, None, 1), element)
    return all_registers(code, result, layout)


def load_agreed(
    code: ThreadBuilder,
    pieces: Pieces,
    layout: LinearLayout,
    element: Attribute,
    order: Order,
    other: SSAValue | None = None,
) -> SSAValue:
    """
    Reads the pieces of a tile, so that all threads that hold an element have the same value of it.
    A strong read of an element happens once, by its owner: others may write it at any time.
    """
    if order.is_weak or is_owner(code, layout) is None:
        return load_pieces(code, pieces, element, order, other)
    count = count_lanes(pieces.addresses.type)
    mask = owned(code, layout, pieces.mask, count)
    mine = load_pieces(code, Pieces(pieces.addresses, mask, pieces.width), element, order, other)
    return share(code, mine, layout, element)


def agree(
    code: ThreadBuilder, value: SSAValue, layout: LinearLayout, element: Attribute, order: Order
) -> SSAValue:
    """What was read for a tile, so that all threads that hold an element have that of its owner."""
    return value if order.is_weak else share(code, value, layout, element)


def share_scalar(code: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """What the first thread holds in a vector of one element, in all threads."""
    stored = memory_type(element)
    scratch = take_scratch(code, element_bits(stored) // 8)
    address = splat(code, scratch, 1)
    store_pieces(code, Pieces(address, splat(code, is_first_thread(code), 1), 1), value, element)
    sync_threads(code)
    result = load_pieces(code, Pieces(address, None, 1), element)
    return result
