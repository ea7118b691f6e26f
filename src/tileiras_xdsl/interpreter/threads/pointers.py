"""Pointers and memrefs, and loads, stores and atomics through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.llvm import AtomicBinOp
from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.errors import ExecutionError

from . import accesses
from .accesses import CLUSTER, GENERIC, LOCAL, SHARED, Lanes, lanes_of, space_of
from .attributes import integer_of, integers_of, property_of, word_of
from .machine import Direct, Frame, Function, InBlock, Program, binds, unary
from .outside import wait_for_grids
from .semantics import WEAK, Semantics, fence_of, semantics_of, update_semantics_of
from .state import SHARED_WINDOW, BlockState
from .values import (
    Array,
    Bytes,
    Value,
    element_of,
    from_row_bytes,
    from_rows,
    row_bits,
    row_bytes,
    shape_of,
    to_rows,
)

# Sizes


def alignment_of(type: Attribute) -> int:
    """Bytes a value of a type is aligned to in memory, by LLVM's rules."""
    match type:
        case LLVMStructType():
            return max((alignment_of(field) for field in type.types), default=1)
        case LLVMArrayType():
            return alignment_of(type.type)
        case _:
            size = size_of(type)
            return 1 << max(size - 1, 0).bit_length()


def size_of(type: Attribute) -> int:
    """Bytes a value of a type takes in memory."""
    match type:
        case LLVMPointerType() | IndexType():
            return 8
        case LLVMStructType():
            size = 0
            for field in type.types:
                size = -(-size // alignment_of(field)) * alignment_of(field) + size_of(field)
            return -(-size // alignment_of(type)) * alignment_of(type)
        case LLVMArrayType():
            return type.size.data * size_of(type.type)
        case VectorType():
            return -(-row_bits(type) // 8)
        case FixedBitwidthType():
            return -(-row_bits(type) // 8)
        case _:
            raise ExecutionError(f"'{type}' has no size in memory")


def _field(type: LLVMStructType, index: int) -> tuple[int, Attribute]:
    """Where a field of a struct is, and its type."""
    offset = 0
    for number, field in enumerate(type.types):
        offset = -(-offset // alignment_of(field)) * alignment_of(field)
        if number == index:
            return offset, field
        offset += size_of(field)
    raise ExecutionError(f"'{type}' has no field {index}")


# Addresses


@binds("llvm.getelementptr")
def bind_gep(op: Operation, program: Program) -> Function:
    """An address, or some, by indices."""
    type = property_of(op, "elem_type")
    assert type is not None
    fixed = 0
    scales: list[int] = []
    for number, index in enumerate(integers_of(op, "rawConstantIndices")):
        if number == 0:
            scale = size_of(type)
        elif isinstance(type, LLVMStructType):
            offset, type = _field(type, index)
            fixed += offset
            continue
        else:
            assert isinstance(type, LLVMArrayType)
            type = type.type
            scale = size_of(type)
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


@binds("llvm.ptrtoint")
def bind_ptrtoint(op: Operation, program: Program) -> Function:
    """The number of an address."""
    element = element_of(op.results[0].type)
    return unary(lambda value: numerics.trunci(i64, element, value))


@binds("llvm.inttoptr")
def bind_inttoptr(op: Operation, program: Program) -> Function:
    """The address of a number."""
    element = element_of(op.operands[0].type)
    return unary(lambda value: numerics.exti(element, i64, value, signed=False))


@binds("llvm.addrspacecast", "memref.memory_space_cast")
def bind_addrspacecast(op: Operation, program: Program) -> Function:
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


@binds("llvm.mlir.addressof")
def bind_addressof(op: Operation, program: Program) -> InBlock:
    """The address of a global variable."""
    name = property_of(op, "global_name")
    assert isinstance(name, SymbolRefAttr)
    symbol = name.string_value()
    space_of(op.results[0].type)

    def apply(block: BlockState) -> Array:
        return np.array([block.addresses[symbol]], np.int64)

    return InBlock(apply)


@binds("llvm.alloca")
def bind_alloca(op: Operation, program: Program) -> InBlock:
    """A variable of each thread."""
    type = property_of(op, "elem_type")
    assert type is not None
    size = size_of(type)
    alignment = max(integer_of(op, "alignment", 1), alignment_of(type))
    if space_of(op.results[0].type) not in (GENERIC, LOCAL):
        raise ExecutionError(f"has a result of type '{op.results[0].type}'")

    def apply(block: BlockState, count: Array) -> Array:
        number = block.uniform(count, "the number of elements")
        return np.array([block.local.place(op, size * number, alignment)], np.int64)

    return InBlock(apply)


@binds("llvm.intr.stacksave")
def bind_stacksave(op: Operation, program: Program) -> Function:
    """The stack of a thread: variables keep their places, so it does not matter."""
    return lambda: np.zeros(1, np.int64)


@binds("llvm.intr.stackrestore", "llvm.intr.assume", "nvvm.nanosleep", "nvvm.setmaxregister")
def bind_nothing(op: Operation, program: Program) -> Function:
    """Nothing that can be seen."""
    return lambda *values: ()


# Scalars and vectors


def _alignment(op: Operation, default: int | None) -> int | None:
    attribute = property_of(op, "alignment")
    return attribute.value.data if isinstance(attribute, IntegerAttr) else default


def load_value(
    op: Operation,
    block: BlockState,
    space: int,
    address: Array,
    type: Attribute,
    *,
    alignment: int | None = None,
    semantics: Semantics = WEAK,
) -> Value:
    """A value of a type that each thread reads."""
    if isinstance(type, LLVMStructType):
        fields = [_field(type, number) for number in range(len(type.types))]
        return tuple(
            load_value(op, block, space, address + offset, field, semantics=semantics)
            for offset, field in fields
        )
    lanes = lanes_of(block, address, None)
    data = accesses.load(op, block, space, lanes, size_of(type), alignment, semantics=semantics)
    return from_rows(data, type)


def store_value(
    op: Operation,
    block: BlockState,
    space: int,
    address: Array,
    value: Value,
    type: Attribute,
    *,
    alignment: int | None = None,
    semantics: Semantics = WEAK,
) -> None:
    """Each thread writes a value of a type."""
    if isinstance(type, LLVMStructType):
        for number, part in enumerate(value):
            offset, field = _field(type, number)
            store_value(op, block, space, address + offset, part, field, semantics=semantics)
        return
    data = to_rows(block.full(value), type)
    lanes = lanes_of(block, address, None)
    accesses.store(op, block, space, lanes, data, alignment, semantics=semantics)


@binds("llvm.load")
def bind_load(op: Operation, program: Program) -> InBlock:
    """Reads a value."""
    space, type = space_of(op.operands[0].type), op.results[0].type
    alignment, semantics = _alignment(op, None), semantics_of(op)

    def apply(block: BlockState, address: Array) -> Value:
        return load_value(op, block, space, address, type, alignment=alignment, semantics=semantics)

    return InBlock(apply)


@binds("llvm.store")
def bind_store(op: Operation, program: Program) -> InBlock:
    """Writes a value."""
    type, space = op.operands[0].type, space_of(op.operands[1].type)
    alignment, semantics = _alignment(op, None), semantics_of(op)

    def apply(block: BlockState, value: Value, address: Array) -> tuple[()]:
        store_value(
            op, block, space, address, value, type, alignment=alignment, semantics=semantics
        )
        return ()

    return InBlock(apply)


# Fragments


def operand_register(op: Operation, name: str, program: Program) -> int | None:
    """The register of an operand that may not be there."""
    value = cast(SSAValue | None, getattr(op, name, None))
    return None if value is None else program.register(value)


def optional(frame: Frame, register: int | None) -> Array | None:
    """The value of an operand that may not be there."""
    return None if register is None else frame.registers[register]


@binds("nvvm.fragment.load")
def bind_fragment_load(op: Operation, program: Program) -> Direct:
    """Reads a fragment piece by piece; pieces that the mask leaves out come from `other`."""
    addresses, mask, other = (
        operand_register(op, name, program) for name in ("addresses", "mask", "other")
    )
    type, result = op.results[0].type, program.register(op.results[0])
    assert addresses is not None
    (pieces,) = shape_of(op.operands[0].type)
    space, size = space_of(op.operands[0].type), row_bits(type) // 8 // pieces
    element, shape = element_of(type), shape_of(type)
    alignment, semantics = _alignment(op, None), semantics_of(op)

    def step(frame: Frame) -> None:
        block = frame.block
        wanted = optional(frame, mask)
        lanes = lanes_of(block, frame.registers[addresses], wanted)
        data = accesses.load(op, block, space, lanes, size, alignment, semantics=semantics)
        data = data.reshape(block.threads, pieces * size)
        value = from_row_bytes(data, element, shape)
        rest = optional(frame, other)
        if wanted is not None and rest is not None:
            chosen = np.repeat(wanted, shape[0] // pieces, axis=1)
            value = np.where(chosen, value, rest)
        frame.registers[result] = value

    return Direct(step)


@binds("nvvm.fragment.store")
def bind_fragment_store(op: Operation, program: Program) -> Direct:
    """Writes a fragment piece by piece, except for those that the mask leaves out."""
    value, addresses, mask = (
        operand_register(op, name, program) for name in ("value", "addresses", "mask")
    )
    assert value is not None
    assert addresses is not None
    (pieces,) = shape_of(op.operands[1].type)
    space, element = space_of(op.operands[1].type), element_of(op.operands[0].type)
    alignment, semantics = _alignment(op, None), semantics_of(op)

    def step(frame: Frame) -> None:
        block = frame.block
        lanes = lanes_of(block, frame.registers[addresses], optional(frame, mask))
        data = row_bytes(block.full(frame.registers[value]), element)
        data = data.reshape(block.threads * pieces, -1)
        accesses.store(op, block, space, lanes, data, alignment, semantics=semantics)

    return Direct(step)


# Atomics


def _bin_op(kind: AtomicBinOp, element: Attribute) -> Callable[[Array, Array], Array]:
    """What an atomic makes of memory and a value."""
    match kind:
        case AtomicBinOp.XCHG:
            return lambda old, new: new
        case AtomicBinOp.ADD:
            return lambda old, new: numerics.addi(element, old, new)
        case AtomicBinOp.SUB:
            return lambda old, new: numerics.subi(element, old, new)
        case AtomicBinOp.AND:
            return lambda old, new: numerics.andi(element, old, new)
        case AtomicBinOp.NAND:
            return lambda old, new: ~numerics.andi(element, old, new)
        case AtomicBinOp.OR:
            return lambda old, new: numerics.ori(element, old, new)
        case AtomicBinOp.XOR:
            return lambda old, new: numerics.xori(element, old, new)
        case AtomicBinOp.MAX | AtomicBinOp.UMAX:
            is_signed = kind is AtomicBinOp.MAX
            return lambda old, new: numerics.maxi(element, old, new, signed=is_signed)
        case AtomicBinOp.MIN | AtomicBinOp.UMIN:
            is_signed = kind is AtomicBinOp.MIN
            return lambda old, new: numerics.mini(element, old, new, signed=is_signed)
        case AtomicBinOp.FADD:
            return lambda old, new: numerics.addf(element, old, new)
        case AtomicBinOp.FSUB:
            return lambda old, new: numerics.subf(element, old, new)
        case AtomicBinOp.FMAX | AtomicBinOp.FMAXIMUM:
            nan = kind is AtomicBinOp.FMAXIMUM
            return lambda old, new: numerics.maxf(element, old, new, propagate_nan=nan)
        case AtomicBinOp.FMIN | AtomicBinOp.FMINIMUM:
            nan = kind is AtomicBinOp.FMINIMUM
            return lambda old, new: numerics.minf(element, old, new, propagate_nan=nan)
        case _:
            raise ExecutionError(f"an atomic '{kind.value}' cannot be run on the CPU")


@binds("llvm.atomicrmw")
def bind_atomicrmw(op: Operation, program: Program) -> InBlock:
    """Changes a value in memory, one thread after the other; yields the old one."""
    space, type = space_of(op.operands[0].type), op.results[0].type
    element, shape = element_of(type), shape_of(type)
    attribute = property_of(op, "bin_op")
    assert isinstance(attribute, IntegerAttr)
    function, semantics = _bin_op(AtomicBinOp.of(attribute), element), update_semantics_of(op)

    def combine(old: Bytes, new: Bytes) -> Bytes:
        values = (from_row_bytes(data, element, shape) for data in (old, new))
        return row_bytes(function(*values), element)

    def apply(block: BlockState, address: Array, value: Array) -> Array:
        lanes = lanes_of(block, address, None)
        data = row_bytes(block.full(value), element)
        old = accesses.update(op, block, space, lanes, data, combine, semantics=semantics)
        return from_row_bytes(old, element, shape)

    return InBlock(apply)


@binds("llvm.cmpxchg")
def bind_cmpxchg(op: Operation, program: Program) -> InBlock:
    """Replaces a value in memory if it is the expected one, one thread after the other."""
    space, element = space_of(op.operands[0].type), element_of(op.operands[1].type)
    semantics = update_semantics_of(op)

    def combine(old: Bytes, both: Bytes) -> Bytes:
        size = old.shape[1]
        equal = (old == both[:, :size]).all(axis=1)
        return np.where(equal[:, None], both[:, size:], old)

    def apply(block: BlockState, address: Array, expected: Array, value: Array) -> Value:
        lanes = lanes_of(block, address, None)
        pair = [row_bytes(block.full(part), element) for part in (expected, value)]
        size, both = pair[0].shape[1], np.concatenate(pair, axis=1)
        old = accesses.update(
            op, block, space, lanes, both, combine, width=size, semantics=semantics
        )
        return from_row_bytes(old, element, ()), (old == pair[0]).all(axis=1)

    return InBlock(apply)


@binds("nvvm.fragment.atomicrmw")
def bind_fragment_atomicrmw(op: Operation, program: Program) -> Direct:
    """Changes elements in memory, one after the other; those the mask leaves out yield 0."""
    word = word_of(op, "bin_op")
    kind = AtomicBinOp(f"_{word}" if word in ("and", "or", "xor") else word)
    function = _bin_op(kind, element_of(op.operands[0].type))
    return _fragment_update(op, program, ["value"], lambda old, values: function(old, values[0]))


@binds("nvvm.fragment.cmpxchg")
def bind_fragment_cmpxchg(op: Operation, program: Program) -> Direct:
    """Replaces elements in memory that are as expected; those left out yield what is expected."""

    def combine(old: Array, values: Sequence[Array]) -> Array:
        bits = np.dtype(f"u{old.dtype.itemsize}")
        return np.where(old.view(bits) == values[0].view(bits), values[1], old)

    return _fragment_update(op, program, ["compare", "value"], combine, fallback="compare")


def _fragment_update(
    op: Operation,
    program: Program,
    names: Sequence[str],
    function: Callable[[Array, Sequence[Array]], Array],
    fallback: str | None = None,
) -> Direct:
    """An atomic on each element of a fragment."""
    addresses, mask = (operand_register(op, name, program) for name in ("addresses", "mask"))
    registers = [operand_register(op, name, program) for name in names]
    other = None if fallback is None else operand_register(op, fallback, program)
    assert addresses is not None
    type = op.operands[0].type
    element, shape = element_of(type), shape_of(type)
    space = space_of(cast(SSAValue, getattr(op, "addresses")).type)
    size, semantics = row_bits(element) // 8, update_semantics_of(op)
    result = program.register(op.results[0]) if op.results else None

    def combine(old: Bytes, packed: Bytes) -> Bytes:
        parts = [packed[:, start : start + size] for start in range(0, packed.shape[1], size)]
        values = [from_row_bytes(np.ascontiguousarray(part), element, ()) for part in parts]
        return row_bytes(function(from_row_bytes(old, element, ()), values), element)

    def step(frame: Frame) -> None:
        block = frame.block
        wanted, places = optional(frame, mask), frame.registers[addresses]
        if (width := shape[0] // places.shape[1]) > 1:
            places = np.repeat(places, width, axis=1)
            steps = np.arange(0, width * size, size, dtype=np.int64)
            places = places + np.tile(steps, shape[0] // width)
            wanted = None if wanted is None else np.repeat(wanted, width, axis=1)
        lanes = lanes_of(block, places, wanted)
        values = [block.full(frame.registers[each]) for each in registers if each is not None]
        rows = [row_bytes(value, element).reshape(-1, size) for value in values]
        data = np.concatenate(rows, axis=1)
        old = accesses.update(
            op, block, space, lanes, data, combine, width=size, semantics=semantics
        )
        if result is None:
            return
        value = from_row_bytes(old.reshape(block.threads, -1), element, shape)
        rest = optional(frame, other)
        if wanted is not None and rest is not None:
            value = np.where(wanted, value, rest)
        frame.registers[result] = value

    return Direct(step)


@binds(
    "nvvm.fence.proxy.release",
    "nvvm.griddepcontrol.launch.dependents",
    "nvvm.prefetch.tensormap",
    "nvgpu.tma.prefetch.descriptor",
)
def bind_hint(op: Operation, program: Program) -> Function:
    """Memory has one order here, so that these have nothing to do."""
    return lambda *values: ()


@binds("llvm.fence", "nvvm.fence.acq_rel", "nvvm.fence.sc")
def bind_fence(op: Operation, program: Program) -> InBlock:
    """Acquires for the strong reads before it, and releases for the strong writes behind it."""
    semantics = fence_of(op)

    def apply(block: BlockState) -> tuple[()]:
        if block.clocks is not None:
            threads = block.active_threads()
            if semantics.acquires:
                block.clocks.acquire_earlier(threads, semantics.scope)
            if semantics.releases:
                block.clocks.release_later(threads, semantics.scope)
        return ()

    return InBlock(apply)


@binds("nvvm.griddepcontrol.wait")
def bind_grid_wait(op: Operation, program: Program) -> InBlock:
    """Waits for the grid that the launch depends on: threads come after what it has written."""

    def apply(block: BlockState) -> tuple[()]:
        if block.environment is not None:
            wait_for_grids(block, block.environment)
        return ()

    return InBlock(apply)


@binds("nvvm.fence.proxy", "nvgpu.fence.proxy")
def bind_proxy_fence(op: Operation, program: Program) -> InBlock:
    """Shows what threads have done, to memory of a kind, to asynchronous accesses."""
    kind = word_of(op, "kind")
    is_shared, is_global = kind in ("async", "async.shared"), kind in ("async", "async.global")

    def apply(block: BlockState) -> tuple[()]:
        if (clocks := block.clocks) is not None:
            if is_shared:
                clocks.fence(block.active_threads(), clocks.fenced)
            if is_global:
                clocks.fence(block.active_threads(), clocks.fenced_globally)
        return ()

    return InBlock(apply)


# Memrefs


def strides_of(type: MemRefType) -> list[int | None]:
    """The strides of a memref; `None` for those known at run time only."""
    strides = type.get_strides()
    if strides is None:
        raise ExecutionError(f"'{type}' has no strides")
    return [None if stride is None or stride == DYNAMIC_INDEX else stride for stride in strides]


def static_memref(address: Array, type: MemRefType) -> Value:
    """The value of a memref whose sizes and strides are known."""
    strides = strides_of(type)
    if DYNAMIC_INDEX in type.get_shape() or None in strides:
        raise ExecutionError(f"'{type}' has sizes that are not known")
    sizes = tuple(np.array([size]) for size in type.get_shape())
    return address, sizes, tuple(np.array([stride]) for stride in strides)


def element_address(memref: Value, indices: Sequence[Array], type: MemRefType) -> Array:
    """The addresses of elements."""
    address, _, strides = memref
    bits = row_bits(type.element_type)
    position = np.zeros(1, np.int64)
    for index, stride in zip(indices, strides, strict=True):
        position = position + index.astype(np.int64) * stride
    return address + (position * bits >> 3)


def memref_address(value: Value) -> Array:
    """The address that a pointer or memref begins at."""
    return cast(Array, value[0]) if isinstance(value, tuple) else cast(Array, value)


@binds("memref.get_global")
def bind_get_global(op: Operation, program: Program) -> InBlock:
    """A global variable."""
    name = property_of(op, "name")
    assert isinstance(name, SymbolRefAttr)
    symbol, type = name.string_value(), op.results[0].type
    assert isinstance(type, MemRefType)
    static_memref(np.zeros(1, np.int64), type)

    def apply(block: BlockState) -> Value:
        return static_memref(np.array([block.addresses[symbol]], np.int64), type)

    return InBlock(apply)


@binds("memref.alloca")
def bind_memref_alloca(op: Operation, program: Program) -> InBlock:
    """A variable of each thread."""
    type = op.results[0].type
    assert isinstance(type, MemRefType)
    size = -(-prod(type.get_shape()) * row_bits(type.element_type) // 8)
    alignment = integer_of(op, "alignment", 16)

    def apply(block: BlockState) -> Value:
        place = block.local.place(op, size, alignment)
        return static_memref(np.array([place], np.int64), type)

    return InBlock(apply)


@binds("gpu.dynamic_shared_memory")
def bind_dynamic_shared(op: Operation, program: Program) -> InBlock:
    """The shared memory that the launch adds."""

    def apply(block: BlockState) -> Value:
        start = block.addresses["dynamic shared memory"]
        size = block.shared.end - start
        return np.array([start], np.int64), (np.array([size]),), (np.array([1]),)

    return InBlock(apply)


@binds("memref.cast", "memref.assume_alignment")
def bind_memref_cast(op: Operation, program: Program) -> Function:
    """The same memref."""
    return unary(lambda value: value if op.results else ())


@binds("memref.view")
def bind_view(op: Operation, program: Program) -> Function:
    """Bytes as elements of another type."""
    type = op.results[0].type
    assert isinstance(type, MemRefType)
    static_memref(np.zeros(1, np.int64), type)

    def apply(memref: Value, shift: Array, *sizes: Array) -> Value:
        return static_memref(memref[0] + shift, type)

    return apply


def _mixed(static: Sequence[int], dynamic: list[Array]) -> list[Array]:
    """Numbers that are known, and those of the run in between."""
    return [dynamic.pop(0) if n == DYNAMIC_INDEX else np.array([n]) for n in static]


@binds("memref.subview")
def bind_subview(op: Operation, program: Program) -> Function:
    """A part of a memref."""
    source, result = op.operands[0].type, op.results[0].type
    assert isinstance(source, MemRefType)
    assert isinstance(result, MemRefType)
    lists = [integers_of(op, f"static_{name}") for name in ("offsets", "sizes", "strides")]
    kept = _kept_dims(lists[1], result)
    bits = row_bits(source.element_type)

    def apply(memref: Value, *dynamic: Array) -> Value:
        address, _, strides = memref
        given = list(dynamic)
        offsets, sizes, steps = (_mixed(static, given) for static in lists)
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


@binds("memref.dim")
def bind_dim(op: Operation, program: Program) -> Function:
    """The size of a dimension."""

    def apply(memref: Value, index: Array) -> Array:
        return memref[1][int(index[0])]

    return apply


@binds("memref.extract_aligned_pointer_as_index")
def bind_memref_pointer(op: Operation, program: Program) -> Function:
    """The address of a memref."""
    return memref_address


@binds("memref.load", "vector.load")
def bind_memref_load(op: Operation, program: Program) -> InBlock:
    """Reads an element, or a vector of them, at indices."""
    type, result = op.operands[0].type, op.results[0].type
    assert isinstance(type, MemRefType)
    space = space_of(type)
    alignment = _alignment(op, size_of(element_or_scalar(result)))

    def apply(block: BlockState, memref: Value, *indices: Array) -> Value:
        address = element_address(memref, indices, type)
        return load_value(op, block, space, address, result, alignment=alignment)

    return InBlock(apply)


def element_or_scalar(type: Attribute) -> Attribute:
    """The element type of a vector, as it is; a scalar is its own element."""
    return type.get_element_type() if isinstance(type, VectorType) else type


@binds("memref.store", "vector.store")
def bind_memref_store(op: Operation, program: Program) -> InBlock:
    """Writes an element, or a vector of them, at indices."""
    result, type = op.operands[0].type, op.operands[1].type
    assert isinstance(type, MemRefType)
    space = space_of(type)
    alignment = _alignment(op, size_of(element_or_scalar(result)))

    def apply(block: BlockState, value: Value, memref: Value, *indices: Array) -> tuple[()]:
        address = element_address(memref, indices, type)
        store_value(op, block, space, address, value, result, alignment=alignment)
        return ()

    return InBlock(apply)


def _element_lanes(
    block: BlockState, memref: Value, indices: Sequence[Array], type: MemRefType, mask: Array
) -> Lanes:
    """Accesses to neighbouring elements under a mask, one by one."""
    size = size_of(type.element_type)
    first = element_address(memref, indices, type)
    places = first[:, None] + size * np.arange(mask.shape[1], dtype=np.int64)
    return lanes_of(block, places, mask)


@binds("vector.maskedload")
def bind_masked_load(op: Operation, program: Program) -> InBlock:
    """Reads the elements of a vector that a mask names, the others are given."""
    type, result = op.operands[0].type, op.results[0].type
    assert isinstance(type, MemRefType)
    space, element = space_of(type), element_of(result)
    (count,) = shape_of(result)

    def apply(block: BlockState, memref: Value, *rest: Array) -> Value:
        *indices, mask, other = rest
        lanes = _element_lanes(block, memref, indices, type, mask)
        data = accesses.load(op, block, space, lanes, size_of(element))
        value = from_row_bytes(data.reshape(block.threads, -1), element, (count,))
        return np.where(mask, value, other)

    return InBlock(apply)


@binds("vector.maskedstore")
def bind_masked_store(op: Operation, program: Program) -> InBlock:
    """Writes the elements of a vector that a mask names."""
    type = op.operands[0].type
    assert isinstance(type, MemRefType)
    space, element = space_of(type), element_of(op.operands[-1].type)

    def apply(block: BlockState, memref: Value, *rest: Array) -> tuple[()]:
        *indices, mask, value = rest
        lanes = _element_lanes(block, memref, indices, type, mask)
        data = row_bytes(block.full(value), element).reshape(-1, size_of(element))
        accesses.store(op, block, space, lanes, data)
        return ()

    return InBlock(apply)
