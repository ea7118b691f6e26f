"""Pointers and memrefs, and loads, stores and atomics through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    MemRefType,
    SymbolRefAttr,
    VectorType,
    i64,
)
from xdsl.dialects.llvm import (
    GEP_USE_SSA_VAL,
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.llvm import AtomicBinOp
from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.accesses import Semantics, fence_of
from tileiras_xdsl.interpreter.arithmetic import Combine, combiner
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, Function, InCta, slots
from tileiras_xdsl.interpreter.values import (
    Array,
    Bytes,
    Reader,
    Value,
    element_of,
    from_row_bytes,
    from_rows,
    integer_of,
    integers_of,
    operand_element,
    operand_type,
    property_of,
    result_element,
    result_type,
    row_bits,
    row_bytes,
    shape_of,
    to_rows,
    word,
    word_of,
)

from . import accesses
from .accesses import (
    CLUSTER,
    GENERIC,
    LOCAL,
    SHARED,
    How,
    Lanes,
    how_at,
    how_of,
    lanes_of,
    space_of,
    update_of,
)
from .outside import wait_for_grids
from .state import SHARED_WINDOW, CtaThreads

# Sizes


def alignment_of(ty: Attribute) -> int:
    """Bytes a value of a type is aligned to in memory, by LLVM's rules."""
    match ty:
        case LLVMStructType():
            return max((alignment_of(field) for field in ty.types), default=1)
        case LLVMArrayType():
            return alignment_of(ty.type)
        case _:
            size = size_of(ty)
            return 1 << max(size - 1, 0).bit_length()


def size_of(ty: Attribute) -> int:
    """Bytes a value of a type takes in memory."""
    match ty:
        case LLVMPointerType() | IndexType():
            return 8
        case LLVMStructType():
            size = 0
            for field in ty.types:
                size = -(-size // alignment_of(field)) * alignment_of(field) + size_of(field)
            return -(-size // alignment_of(ty)) * alignment_of(ty)
        case LLVMArrayType():
            return ty.size.data * size_of(ty.type)
        case VectorType():
            return -(-row_bits(ty) // 8)
        case FixedBitwidthType():
            return -(-row_bits(ty) // 8)
        case _:
            raise ExecutionError(f"'{ty}' has no size in memory")


def _field(ty: LLVMStructType, index: int) -> tuple[int, Attribute]:
    """Where a field of a struct is, and its type."""
    offset = 0
    for number, field in enumerate(ty.types):
        offset = -(-offset // alignment_of(field)) * alignment_of(field)
        if number == index:
            return offset, field
        offset += size_of(field)
    raise ExecutionError(f"'{ty}' has no field {index}")


# Addresses


@THREADS.binds("llvm.getelementptr")
def bind_gep(op: Operation, program: BoundProgram) -> Function:
    """An address, or some, by indices."""
    ty = property_of(op, "elem_type")
    assert ty is not None
    fixed = 0
    scales: list[int] = []
    for number, index in enumerate(integers_of(op, "rawConstantIndices")):
        if number == 0:
            scale = size_of(ty)
        elif isinstance(ty, LLVMStructType):
            offset, ty = _field(ty, index)
            fixed += offset
            continue
        else:
            assert isinstance(ty, LLVMArrayType)
            ty = ty.type
            scale = size_of(ty)
        if index == GEP_USE_SSA_VAL:
            scales.append(scale)
        else:
            fixed += index * scale
    rank = len(shape_of(op.results[0].type))

    def apply(pointer: Array, *indices: Array) -> Array:
        address = _ranked(pointer, rank)
        for index, scale in zip(indices, scales, strict=True):
            address = address + _ranked(index, rank).astype(np.int64) * scale
        return address + fixed if fixed else address

    return apply


def _ranked(value: Array, rank: int) -> Array:
    """A scalar as a vector of one element, where vectors are wanted."""
    return value[:, None] if value.ndim <= rank else value


@THREADS.runs("llvm.ptrtoint", element=result_element)
def run_ptrtoint(value: Value, *, element: Attribute) -> Value:
    """The number of an address."""
    return numerics.trunci(i64, element, value)


@THREADS.runs("llvm.inttoptr", element=operand_element(0))
def run_inttoptr(value: Value, *, element: Attribute) -> Value:
    """The address of a number."""
    return numerics.exti(element, i64, value, signed=False)


@THREADS.binds("llvm.addrspacecast", "memref.memory_space_cast")
def bind_addrspacecast(op: Operation, program: BoundProgram) -> Function:
    """A pointer to the same memory through another address space."""
    source, result = space_of(op.operands[0].type), space_of(op.results[0].type)
    shift = 0
    if source in (SHARED, CLUSTER) and result == GENERIC:
        shift = SHARED_WINDOW
    elif source == GENERIC and result in (SHARED, CLUSTER):
        shift = -SHARED_WINDOW

    def apply(value: Value) -> Value:
        if isinstance(value, tuple):
            address, *rest = cast(tuple[Value, ...], value)
            return (address + shift, *rest)
        return value + shift

    return apply


@THREADS.binds("llvm.mlir.addressof")
def bind_addressof(op: Operation, program: BoundProgram) -> InCta:
    """The address of a global variable."""
    symbol = _symbol_of(op, "global_name")
    space_of(op.results[0].type)

    def apply(cta: CtaThreads) -> Array:
        return np.array([cta.addresses[symbol]], np.int64)

    return InCta(apply)


def _symbol_of(op: Operation, name: str) -> str:
    symbol = property_of(op, name)
    assert isinstance(symbol, SymbolRefAttr)
    return symbol.string_value()


@THREADS.binds("llvm.alloca")
def bind_alloca(op: Operation, program: BoundProgram) -> InCta:
    """A variable of each thread."""
    ty = property_of(op, "elem_type")
    assert ty is not None
    size = size_of(ty)
    alignment = max(integer_of(op, "alignment", 1), alignment_of(ty))
    if space_of(op.results[0].type) not in (GENERIC, LOCAL):
        raise ExecutionError(f"has a result of type '{op.results[0].type}'")

    def apply(cta: CtaThreads, count: Array) -> Array:
        number = cta.uniform(count, "the number of elements")
        return np.array([cta.local.place(op, size * number, alignment)], np.int64)

    return InCta(apply)


@THREADS.runs("llvm.intr.stacksave")
def run_stacksave() -> Value:
    """The stack of a thread: variables keep their places, so it does not matter."""
    return np.zeros(1, np.int64)


@THREADS.runs(
    *("llvm.intr.stackrestore", "llvm.intr.assume", "nvvm.nanosleep", "nvvm.setmaxregister"),
    *("nvvm.fence.proxy.release", "nvvm.griddepcontrol.launch.dependents"),
    *("nvvm.prefetch.tensormap", "nvgpu.tma.prefetch.descriptor"),
    "nvvm.cp.async.bulk.tensor.prefetch",
)
def run_nothing(*values: Value) -> None:
    """Nothing that can be seen: there is no cache, and memory has one order here."""


# Scalars and vectors


def load_value(how: How, cta: CtaThreads, address: Array, ty: Attribute) -> Value:
    """A value of a type that each thread reads."""
    if isinstance(ty, LLVMStructType):
        fields, part = [_field(ty, number) for number in range(len(ty.types))], how.of_part()
        return tuple(load_value(part, cta, address + offset, each) for offset, each in fields)
    return from_rows(accesses.load(how, cta, lanes_of(cta, address, None), size_of(ty)), ty)


def store_value(how: How, cta: CtaThreads, address: Array, value: Value, ty: Attribute) -> None:
    """Each thread writes a value of a type."""
    if isinstance(ty, LLVMStructType):
        for number, part in enumerate(value):
            offset, field = _field(ty, number)
            store_value(how.of_part(), cta, address + offset, part, field)
        return
    data = to_rows(cta.full(value), ty)
    accesses.store(how, cta, lanes_of(cta, address, None), data)


@THREADS.runs("llvm.load", how=how_at(0), ty=result_type)
def run_load(cta: CtaThreads, address: Array, *, how: How, ty: Attribute) -> Value:
    """Reads a value."""
    return load_value(how, cta, address, ty)


@THREADS.runs("llvm.store", how=how_at(1), ty=operand_type(0))
def run_store(cta: CtaThreads, value: Value, address: Array, *, how: How, ty: Attribute) -> None:
    """Writes a value."""
    store_value(how, cta, address, value, ty)


# Fragments


@THREADS.binds("nvvm.fragment.load")
def bind_fragment_load(op: Operation, program: BoundProgram) -> InCta:
    """Reads a fragment piece by piece; pieces that the mask leaves out come from `other`."""
    ty, how = op.results[0].type, how_of(op, op.operands[0].type)
    (pieces,) = shape_of(op.operands[0].type)
    size, element, shape = row_bits(ty) // 8 // pieces, element_of(ty), shape_of(ty)

    def apply(cta: CtaThreads, addresses: Array, mask: Array | None, other: Value) -> Array:
        data = accesses.load(how, cta, lanes_of(cta, addresses, mask), size)
        value = from_row_bytes(data.reshape(cta.threads, pieces * size), element, shape)
        if mask is None or other is None:
            return value
        return np.where(np.repeat(mask, shape[0] // pieces, axis=1), value, other)

    return InCta(apply, slots(op, "addresses mask other"))


@THREADS.binds("nvvm.fragment.store")
def bind_fragment_store(op: Operation, program: BoundProgram) -> InCta:
    """Writes a fragment piece by piece, except for those that the mask leaves out."""
    (pieces,) = shape_of(op.operands[1].type)
    how, element = how_of(op, op.operands[1].type), element_of(op.operands[0].type)

    def apply(cta: CtaThreads, value: Array, addresses: Array, mask: Array | None) -> None:
        data = row_bytes(cta.full(value), element).reshape(cta.threads * pieces, -1)
        accesses.store(how, cta, lanes_of(cta, addresses, mask), data)

    return InCta(apply, slots(op, "value addresses mask"))


# Atomics


def _combiner_of(word: str, element: Attribute) -> Combine:
    """What an atomic makes of memory and a value."""
    return combiner(word.removeprefix("_"), element, "an atomic")


@THREADS.binds("llvm.atomicrmw")
def bind_atomicrmw(op: Operation, program: BoundProgram) -> InCta:
    """Changes a value in memory, one thread after the other; yields the old one."""
    how, ty = update_of(op, op.operands[0].type), op.results[0].type
    element, shape = element_of(ty), shape_of(ty)
    attribute = property_of(op, "bin_op")
    assert isinstance(attribute, IntegerAttr)
    function = _combiner_of(AtomicBinOp.of(attribute).value, element)

    def combine(old: Bytes, new: Bytes) -> Bytes:
        values = (from_row_bytes(data, element, shape) for data in (old, new))
        return row_bytes(function(*values), element)

    def apply(cta: CtaThreads, address: Array, value: Array) -> Array:
        data = row_bytes(cta.full(value), element)
        old = accesses.update(how, cta, lanes_of(cta, address, None), data, combine)
        return from_row_bytes(old, element, shape)

    return InCta(apply)


@THREADS.binds("llvm.cmpxchg")
def bind_cmpxchg(op: Operation, program: BoundProgram) -> InCta:
    """Replaces a value in memory if it is the expected one, one thread after the other."""
    how, element = update_of(op, op.operands[0].type), element_of(op.operands[1].type)

    def combine(old: Bytes, both: Bytes) -> Bytes:
        size = old.shape[1]
        equal = (old == both[:, :size]).all(axis=1)
        return np.where(equal[:, None], both[:, size:], old)

    def apply(cta: CtaThreads, address: Array, expected: Array, value: Array) -> Value:
        pair = [row_bytes(cta.full(part), element) for part in (expected, value)]
        size, both = pair[0].shape[1], np.concatenate(pair, axis=1)
        old = accesses.update(how, cta, lanes_of(cta, address, None), both, combine, size)
        return from_row_bytes(old, element, ()), (old == pair[0]).all(axis=1)

    return InCta(apply)


@THREADS.binds("nvvm.fragment.atomicrmw")
def bind_fragment_atomicrmw(op: Operation, program: BoundProgram) -> InCta:
    """Changes elements in memory, one after the other; those the mask leaves out yield 0."""
    function = _combiner_of(word_of(op, "bin_op"), element_of(op.operands[0].type))
    return _fragment_update(op, ["value"], lambda old, values: function(old, values[0]))


@THREADS.binds("nvvm.fragment.cmpxchg")
def bind_fragment_cmpxchg(op: Operation, program: BoundProgram) -> InCta:
    """Replaces elements in memory that are as expected; those left out yield what is expected."""

    def combine(old: Array, values: Sequence[Array]) -> Array:
        bits = np.dtype(f"u{old.dtype.itemsize}")
        return np.where(old.view(bits) == values[0].view(bits), values[1], old)

    return _fragment_update(op, ["compare", "value"], combine)


def _fragment_update(
    op: Operation,
    names: Sequence[str],
    function: Callable[[Array, Sequence[Array]], Array],
) -> InCta:
    """An atomic on each element of a fragment; of two values the first one is what is left out."""
    places_of, *operands = slots(op, f"addresses mask {' '.join(names)}")
    assert places_of is not None
    ty, how = op.operands[0].type, update_of(op, places_of.type)
    element, shape = element_of(ty), shape_of(ty)
    size = row_bits(element) // 8

    def combine(old: Bytes, packed: Bytes) -> Bytes:
        parts = [packed[:, start : start + size] for start in range(0, packed.shape[1], size)]
        values = [from_row_bytes(np.ascontiguousarray(part), element, ()) for part in parts]
        return row_bytes(function(from_row_bytes(old, element, ()), values), element)

    def apply(cta: CtaThreads, places: Array, wanted: Array | None, *values: Array) -> Array:
        if (width := shape[0] // places.shape[1]) > 1:
            places = np.repeat(places, width, axis=1)
            steps = np.arange(0, width * size, size, dtype=np.int64)
            places = places + np.tile(steps, shape[0] // width)
            wanted = None if wanted is None else np.repeat(wanted, width, axis=1)
        rows = [row_bytes(cta.full(value), element).reshape(-1, size) for value in values]
        data = np.concatenate(rows, axis=1)
        old = accesses.update(how, cta, lanes_of(cta, places, wanted), data, combine, size)
        value = from_row_bytes(old.reshape(cta.threads, -1), element, shape)
        return value if wanted is None or len(values) == 1 else np.where(wanted, value, values[0])

    return InCta(apply, [places_of, *operands], op.results[:1] or [None])


@THREADS.runs("llvm.fence", "nvvm.fence.acq_rel", "nvvm.fence.sc", semantics=fence_of)
def run_fence(cta: CtaThreads, *, semantics: Semantics) -> None:
    """Acquires for the strong reads before it, and releases for the strong writes after it."""
    if cta.clocks is not None:
        threads = cta.active_threads()
        if semantics.acquires:
            cta.clocks.acquire_earlier(threads, semantics.scope)
        if semantics.releases:
            cta.clocks.release_later(threads, semantics.scope)


@THREADS.runs("nvvm.griddepcontrol.wait")
def run_grid_wait(cta: CtaThreads) -> None:
    """Waits for the grid that the launch depends on: threads come after what it has written."""
    if cta.environment is not None:
        wait_for_grids(cta, cta.environment)


@THREADS.runs("nvvm.fence.proxy", kind=word("kind"), space=word("space"))
def run_proxy_fence(cta: CtaThreads, *, kind: str, space: str) -> None:
    """
    Shows what threads have done, to memory of a kind, to asynchronous accesses. The shared memory
    of other CTAs is not that of `shared::cta`.
    """
    if (clocks := cta.clocks) is not None:
        if kind in ("async", "async.shared"):
            for each in [cta] if space == "cta" else cta.cluster.ctas:
                clocks.fence(cta.active_threads(), clocks.fenced[each.number], each.number)
        if kind in ("async", "async.global"):
            clocks.fence(cta.active_threads(), clocks.fenced_globally)


# Memrefs


def strides_of(ty: MemRefType) -> list[int | None]:
    """The strides of a memref; `None` for those known at run time only."""
    strides = ty.get_strides()
    if strides is None:
        raise ExecutionError(f"'{ty}' has no strides")
    return [None if stride is None or stride == DYNAMIC_INDEX else stride for stride in strides]


def static_memref(address: Array, ty: MemRefType) -> Value:
    """The value of a memref whose sizes and strides are known."""
    strides = strides_of(ty)
    if DYNAMIC_INDEX in ty.get_shape() or None in strides:
        raise ExecutionError(f"'{ty}' has sizes that are not known")
    sizes = tuple(np.array([size]) for size in ty.get_shape())
    return address, sizes, tuple(np.array([stride]) for stride in strides)


def element_address(memref: Value, indices: Sequence[Array], ty: MemRefType) -> Array:
    """The addresses of elements."""
    address, _, strides = memref
    bits = row_bits(ty.element_type)
    position = np.zeros(1, np.int64)
    for index, stride in zip(indices, strides, strict=True):
        position = position + index.astype(np.int64) * stride
    return address + (position * bits >> 3)


@THREADS.runs("memref.extract_aligned_pointer_as_index")
def memref_address(value: Value) -> Array:
    """The address that a pointer or memref begins at."""
    return cast(Array, value[0]) if isinstance(value, tuple) else cast(Array, value)


def _static_type(ty: Attribute) -> MemRefType:
    """The type of a memref whose sizes and strides are known."""
    assert isinstance(ty, MemRefType)
    static_memref(np.zeros(1, np.int64), ty)
    return ty


@THREADS.binds("memref.get_global")
def bind_get_global(op: Operation, program: BoundProgram) -> InCta:
    """A global variable."""
    symbol, ty = _symbol_of(op, "name"), _static_type(op.results[0].type)

    def apply(cta: CtaThreads) -> Value:
        return static_memref(np.array([cta.addresses[symbol]], np.int64), ty)

    return InCta(apply)


@THREADS.binds("memref.alloca")
def bind_memref_alloca(op: Operation, program: BoundProgram) -> InCta:
    """A variable of each thread."""
    ty = op.results[0].type
    assert isinstance(ty, MemRefType)
    size = -(-prod(ty.get_shape()) * row_bits(ty.element_type) // 8)
    alignment = integer_of(op, "alignment", 16)

    def apply(cta: CtaThreads) -> Value:
        place = cta.local.place(op, size, alignment)
        return static_memref(np.array([place], np.int64), ty)

    return InCta(apply)


@THREADS.runs("gpu.dynamic_shared_memory")
def run_dynamic_shared(cta: CtaThreads) -> Value:
    """The shared memory that the launch adds."""
    start = cta.addresses["dynamic shared memory"]
    size = cta.shared.end - start
    return np.array([start], np.int64), (np.array([size]),), (np.array([1]),)


@THREADS.runs("memref.cast", "memref.assume_alignment")
def run_memref_cast(value: Value, *, op: Operation) -> Value:
    """The same memref."""
    return value if op.results else ()


@THREADS.runs("memref.view", ty=lambda op: _static_type(op.results[0].type))
def run_view(memref: Value, shift: Array, *sizes: Array, ty: MemRefType) -> Value:
    """Bytes as elements of another type."""
    return static_memref(memref[0] + shift, ty)


@THREADS.binds("memref.subview")
def bind_subview(op: Operation, program: BoundProgram) -> Function:
    """A part of a memref."""
    source, result = op.operands[0].type, op.results[0].type
    assert isinstance(source, MemRefType)
    assert isinstance(result, MemRefType)
    lists = [integers_of(op, f"static_{name}") for name in ("offsets", "sizes", "strides")]
    kept = _kept_dims(lists[1], result)
    bits = row_bits(source.element_type)

    def apply(memref: Value, *dynamic: Array) -> Value:
        address, _, strides = memref
        given = iter(dynamic)
        offsets, sizes, steps = (
            [next(given) if n == DYNAMIC_INDEX else np.array([n]) for n in static]
            for static in lists
        )
        position = sum(
            (at * by for at, by in zip(offsets, strides, strict=True)), np.zeros(1, np.int64)
        )
        inner = [by * step for by, step in zip(strides, steps, strict=True)]
        return (
            address + (position * bits >> 3),
            tuple(sizes[dim] for dim in kept),
            tuple(inner[dim] for dim in kept),
        )

    return apply


def _kept_dims(sizes: Sequence[int], result: MemRefType) -> list[int]:
    """The dimensions of a part that its type has; those of size 1 may be left out."""
    rank = len(result.get_shape())
    spare = len(sizes) - rank
    kept: list[int] = []
    for dim, size in enumerate(sizes):
        if spare and size == 1 and (len(kept) == rank or result.get_shape()[len(kept)] != 1):
            spare -= 1
        else:
            kept.append(dim)
    return kept


@THREADS.runs("memref.dim")
def run_dim(memref: Value, index: Array) -> Array:
    """The size of a dimension."""
    return memref[1][int(index[0])]


def _element_bytes(ty: Attribute) -> int:
    """Bytes of an element of a vector, or of a scalar."""
    return size_of(ty.get_element_type() if isinstance(ty, VectorType) else ty)


def _how_to_memref(number: int) -> Reader:
    """How an op accesses the memref of an operand, by elements if it promises nothing else."""

    def read(op: Operation) -> How:
        value = op.operands[0].type if number else op.results[0].type
        how = how_of(op, op.operands[number].type)
        return how if how.alignment is not None else replace(how, alignment=_element_bytes(value))

    return read


@THREADS.runs(
    "memref.load", "vector.load", how=_how_to_memref(0), ty=operand_type(0), result=result_type
)
def run_memref_load(
    cta: CtaThreads,
    memref: Value,
    *indices: Array,
    how: How,
    ty: MemRefType,
    result: Attribute,
) -> Value:
    """Reads an element, or a vector of them, at indices."""
    return load_value(how, cta, element_address(memref, indices, ty), result)


@THREADS.runs(
    *("memref.store", "vector.store"),
    how=_how_to_memref(1),
    ty=operand_type(1),
    source=operand_type(0),
)
def run_memref_store(
    cta: CtaThreads,
    value: Value,
    memref: Value,
    *indices: Array,
    how: How,
    ty: MemRefType,
    source: Attribute,
) -> None:
    """Writes an element, or a vector of them, at indices."""
    store_value(how, cta, element_address(memref, indices, ty), value, source)


def _element_lanes(
    cta: CtaThreads, memref: Value, indices: Sequence[Array], ty: MemRefType, mask: Array
) -> Lanes:
    """Accesses to neighbouring elements under a mask, one by one."""
    size = size_of(ty.element_type)
    first = element_address(memref, indices, ty)
    places = first[:, None] + size * np.arange(mask.shape[1], dtype=np.int64)
    return lanes_of(cta, places, mask)


@THREADS.runs("vector.maskedload", how=how_at(0), ty=operand_type(0), result=result_type)
def run_masked_load(
    cta: CtaThreads,
    memref: Value,
    *operands: Array,
    how: How,
    ty: MemRefType,
    result: Attribute,
) -> Array:
    """Reads the elements of a vector that a mask names, the others are given."""
    *indices, mask, other = operands
    lanes = _element_lanes(cta, memref, indices, ty, mask)
    data = accesses.load(how, cta, lanes, _element_bytes(result))
    return np.where(mask, from_rows(data.reshape(cta.threads, -1), result), other)


@THREADS.runs("vector.maskedstore", how=how_at(0), ty=operand_type(0), element=operand_element(-1))
def run_masked_store(
    cta: CtaThreads,
    memref: Value,
    *operands: Array,
    how: How,
    ty: MemRefType,
    element: Attribute,
) -> None:
    """Writes the elements of a vector that a mask names."""
    *indices, mask, value = operands
    lanes = _element_lanes(cta, memref, indices, ty, mask)
    data = row_bytes(cta.full(value), element).reshape(-1, size_of(element))
    accesses.store(how, cta, lanes, data)
