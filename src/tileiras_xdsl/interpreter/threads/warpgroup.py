"""
WGMMA.

The warps of a warpgroup reach a WGMMA one after the other; the last one computes it for all. It
reads shared memory through descriptors, as the hardware does:

| bits | field |
| --- | --- |
| 0-13 | address, in units of 16 bytes |
| 16-29 | leading-dimension offset (LBO), in units of 16 bytes |
| 32-45 | stride-dimension offset (SBO), in units of 16 bytes |
| 49-51 | base offset |
| 62-63 | swizzle: none, 128, 64, 32 bytes |

A WGMMA reads its operands until its group is waited for; writes to them before that are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    Float16Type,
    FloatTF32Type,
    IntegerType,
    MemRefType,
    StringAttr,
    VectorType,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nvgpu.matrix import get_part
from tileiras_xdsl.dialects.nvvm.base import MatrixShapeAttr
from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.elements import bit_width
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, InCta
from tileiras_xdsl.interpreter.values import (
    Array,
    Bytes,
    Integers,
    Value,
    element_of,
    from_row_bytes,
    full,
    has,
    integer,
    integer_of,
    integers_of,
    property_of,
    row_bits,
    to_rows,
    word,
)
from tileiras_xdsl.targets.tma import DESCRIPTOR_SWIZZLES

from .accesses import How, space_of
from .cluster import CTA_SPAN
from .copies import IssuedWgmma, begun, landed, wgmma_of
from .matrix import ELEMENTS, join_registers, split_registers
from .pointers import element_address, memref_address, store_value
from .shadow import WARP, Touch
from .state import CtaThreads
from .tensor_maps import CHUNK, swizzled
from .warp import ALL_LANES

WARPS = 4
ROWS = 64
STEP_BYTES = 32
"""Bytes of an operand along k in one instruction."""
ONE_THREAD = 1 << 17
"""Multiplications that NumPy does without threads."""
TRANSPOSED = (Float16Type(), BFloat16Type())
"""Elements of matrices that may have m or n innermost."""


# Descriptors


@dataclass(frozen=True)
class Descriptor:
    """A matrix in shared memory; all in bytes."""

    address: int
    leading: int
    stride: int
    swizzle: int

    @staticmethod
    def of(bits: int) -> Descriptor:
        """What the bits of a descriptor say."""
        if bits >> 49 & 7:
            raise ExecutionError("a descriptor with a base offset cannot be run on the CPU")
        address, leading, stride = ((bits >> at & 0x3FFF) << 4 for at in (0, 16, 32))
        return Descriptor(address, leading, stride, DESCRIPTOR_SWIZZLES[bits >> 62 & 3])


def describe(address: Array, leading: int, stride: int, swizzle: int) -> Array:
    """The bits of descriptors of matrices at addresses."""
    bits = (leading >> 4 & 0x3FFF) << 16 | (stride >> 4 & 0x3FFF) << 32
    bits |= DESCRIPTOR_SWIZZLES.index(swizzle) << 62
    return ((address & 0x3FFFF) >> 4) | np.uint64(bits).astype(np.int64)


@cache
def _offsets(extent: int, is_transposed: bool, leading: int, stride: int, swizzle: int) -> Integers:
    """
    Where the chunks of an operand of one instruction are, starting at its address: by row of m or n
    and along k; of a transposed one by row of k, 16 elements, and along `extent` bytes of m or n.
    """
    inner = swizzle or CHUNK
    if is_transposed:
        k, along = np.arange(16)[:, None], np.arange(0, extent, CHUNK)[None]
        if not swizzle:
            return along // CHUNK * stride + k // 8 * leading + k % 8 * CHUNK
        return along // inner * leading + along % inner + k // 8 * stride + k % 8 * inner
    row, along = np.arange(extent)[:, None], np.arange(0, STEP_BYTES, CHUNK)[None]
    step = along // CHUNK * leading if not swizzle else along
    return row // 8 * stride + row % 8 * inner + step


@dataclass(frozen=True)
class WgmmaOperand:
    """An operand in shared memory: how it is stored, and how descriptors of its steps differ."""

    extent: int
    """Along m or n."""
    element: Attribute
    is_transposed: bool
    steps: int
    grows_by: int

    @property
    def width(self) -> int:
        """Bytes of an element."""
        return 4 if isinstance(self.element, FloatTF32Type) else bit_width(self.element) // 8

    def chunks(self, cta: CtaThreads, bits: int) -> Integers:
        """Offsets in shared memory of its chunks, by step."""
        parts: list[Integers] = []
        for step in range(self.steps):
            matrix = Descriptor.of(bits + step * self.grows_by)
            extent = self.extent * self.width if self.is_transposed else self.extent
            layout = (matrix.leading, matrix.stride, matrix.swizzle)
            places = _offsets(extent, self.is_transposed, *layout)
            parts.append(swizzled(matrix.address + places, matrix.swizzle))
        # A descriptor has no room for the rank of the CTA.
        offsets = np.stack(parts) - cta.shared.base % CTA_SPAN
        low, high = int(offsets.min()), int(offsets.max()) + CHUNK
        if low < 0 or high > len(cta.shared.data):
            raise ExecutionError(
                f"reads bytes {low} to {high} of shared memory, which has "
                f"{len(cta.shared.data)} bytes"
            )
        return offsets

    def matrix(self, cta: CtaThreads, offsets: Integers) -> Array:
        """Its elements, [m or n, k]."""
        chunks = cta.shared.units(8).reshape(-1, 2)[offsets // CHUNK].view(np.uint8)
        if self.is_transposed:
            # By step, row of k, and bytes along m or n.
            rows = chunks.reshape(self.steps * 16, -1)
            return _elements(rows, self.element).T
        rows = chunks.swapaxes(0, 1).reshape(self.extent, -1)
        return _elements(rows, self.element)


def _elements(rows: Bytes, element: Attribute) -> Array:
    """The elements that bytes are; of tf32 the hardware looks at 19 bits only."""
    rows = np.ascontiguousarray(rows)
    if isinstance(element, FloatTF32Type):
        return (rows.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return from_row_bytes(rows, element, (rows.shape[1] * 8 // bit_width(element),))


# Fragments


def to_matrix(fragments: Array) -> Array:
    """The accumulator [64, n] of what 128 threads hold: pairs of columns, then rows, columns."""
    parts = fragments.reshape(WARPS, 8, 4, -1, 2, 2)
    return parts.transpose(0, 4, 1, 3, 2, 5).reshape(ROWS, -1)


def to_fragments(matrix: Array) -> Array:
    """The opposite of `to_matrix`."""
    parts = matrix.reshape(WARPS, 2, 8, -1, 4, 2)
    return parts.transpose(0, 2, 4, 3, 1, 5).reshape(WARPS * WARP, -1)


def to_left_matrix(fragments: Array, steps: int) -> Array:
    """The left operand [64, k] of what 128 threads hold in registers."""
    parts = fragments.reshape(WARPS, 8, 4, steps, 2, 2, -1)
    return parts.transpose(0, 5, 1, 3, 4, 2, 6).reshape(ROWS, -1)


# Groups of warps

Part: TypeAlias = tuple[Array, ...]
"""The operands of the threads of a warp."""


@dataclass
class WarpgroupRendezvous:
    """A warpgroup, and those of its warps that have reached a WGMMA."""

    party: int | None
    """Who the group is when it reads shared memory."""
    op: Operation | None = None
    parts: dict[int, Part] = field(default_factory=dict[int, Part])
    results: dict[int, Array] = field(default_factory=dict[int, Array])
    turns: int = 0


@dataclass
class WgmmaProgress:
    """The WGMMAs of a warp."""

    is_fenced: bool = False
    committed: int = 0
    in_flight: list[IssuedWgmma] = field(default_factory=list[IssuedWgmma])
    times: dict[int, int] = field(default_factory=dict[int, int])
    """When groups were committed."""


def _rendezvous(cta: CtaThreads, group: int) -> WarpgroupRendezvous:
    all_rendezvous = cast(dict[int, WarpgroupRendezvous], cta.data.setdefault("warpgroups", {}))
    if group not in all_rendezvous:
        if (group + 1) * WARPS * WARP > cta.size:
            raise ExecutionError(f"needs four warps, but the CTA has {cta.size} threads")
        name = f"WGMMAs of warps {group * WARPS} to {group * WARPS + WARPS - 1}"
        name += cta.names.whose(cta.first)
        party, clocks = None, cta.clocks
        if clocks is not None:
            party = clocks.add_party(name)
            clocks.completed.append(party)
        all_rendezvous[group] = WarpgroupRendezvous(party)
    return all_rendezvous[group]


def _progress(cta: CtaThreads, warp: int) -> WgmmaProgress:
    every = cast(dict[int, WgmmaProgress], cta.data.setdefault("wgmma", {}))
    return every.setdefault(warp, WgmmaProgress())


def _group(cta: CtaThreads, warp: int) -> int:
    """The number of the group of a warp in its CTA."""
    return (warp - cta.first // WARP) // WARPS


def _warps(cta: CtaThreads) -> list[int]:
    """The warps that execute, which must be whole."""
    cta.check_lanes(ALL_LANES)
    return [int(warp) for warp in np.unique(cta.active_threads() // WARP)]


def _meet(
    op: Operation,
    cta: CtaThreads,
    operands: Part,
    compute: Callable[[WarpgroupRendezvous, int, Part], Array],
) -> Array:
    """What the last warp of each group computes of the operands of all four, for these threads."""
    operands = tuple(cta.full(operand) for operand in operands)
    warps = _warps(cta)
    turns: dict[int, int] = {}
    for warp in warps:
        rendezvous = _rendezvous(cta, _group(cta, warp))
        if rendezvous.parts and rendezvous.op is not op:
            name = cta.names.warp(warp)
            raise ExecutionError(f"{name} is at another WGMMA than the rest of its warpgroup")
        mine = cta.warps == warp
        turns[warp] = rendezvous.turns
        rendezvous.op = op
        rendezvous.parts[warp] = tuple(operand[mine] for operand in operands)
        if len(rendezvous.parts) == WARPS:
            parts = [rendezvous.parts[each] for each in sorted(rendezvous.parts)]
            whole = tuple(np.concatenate(column) for column in zip(*parts, strict=True))
            rows = compute(rendezvous, _group(cta, warp), whole)
            rendezvous.results = dict(
                zip(sorted(rendezvous.parts), np.split(rows, WARPS), strict=True)
            )
            rendezvous.parts = {}
            rendezvous.turns += 1
            cta.happened()
    found: list[Array] = []
    for warp in warps:
        rendezvous = _rendezvous(cta, _group(cta, warp))
        while rendezvous.turns == turns[warp]:
            here = ", ".join(str(each - cta.first // WARP) for each in sorted(rendezvous.parts))
            cta.wait(f"for its group of four warps, of which {here} are there", op)
        found.append(rendezvous.results[warp])
    return found[0] if len(found) == 1 else np.concatenate(found)


# WGMMAs


@dataclass(frozen=True)
class Multiplication:
    """The operands of a WGMMA."""

    op: Operation
    n: int
    types: tuple[str, str, str]
    left: WgmmaOperand
    right: WgmmaOperand
    accumulates: bool
    left_type: Attribute
    accumulator_type: Attribute

    @property
    def is_left_in_registers(self) -> bool:
        """Whether the left operand is no descriptor."""
        return isinstance(self.left_type, VectorType | LLVMStructType)

    def run(self, cta: CtaThreads, a: Value, b: Array, c: Value) -> Array:
        """Issues the WGMMA; the bytes of registers to those of the result."""
        left = _rows(cta, a, self.left_type) if self.is_left_in_registers else a
        operands = (left, b, _rows(cta, c, self.accumulator_type))
        return _meet(self.op, cta, operands, partial(self._compute, cta))

    def _compute(
        self, cta: CtaThreads, rendezvous: WarpgroupRendezvous, group: int, operands: Part
    ) -> Array:
        """The result of a warpgroup, by thread and byte, of operands by thread."""
        a, b, c = operands
        used = [self.right.chunks(cta, _same(b))]
        right = self.right.matrix(cta, used[0])
        if self.is_left_in_registers:
            left = to_left_matrix(_elements(a, self.left.element), self.left.steps)
        else:
            used.append(self.left.chunks(cta, _same(a)))
            left = self.left.matrix(cta, used[1])
        if cta.shared.shadow is not None:
            who = (np.arange(WARPS) + group * WARPS) * WARP + cta.first
            for offsets in used:
                chunks = offsets.reshape(-1)
                cta.shared.shadow.read_for(Touch(self.op, chunks, CHUNK, who), rendezvous.party)
        before = to_matrix(from_row_bytes(c, ELEMENTS[self.types[0]], (self.n // 2,)))
        if not self.accumulates:
            before = np.zeros_like(before)
        result = to_fragments(self._multiply(left, right.T, before))
        return np.ascontiguousarray(result).view(np.uint8)

    def _multiply(self, a: Array, b: Array, c: Array) -> Array:
        """Some columns after the others: NumPy would use threads for all at once, which is slow."""
        columns = max(8, ONE_THREAD // (ROWS * a.shape[1]))
        return np.concatenate(
            [
                self._multiply_some(a, b[:, at : at + columns], c[:, at : at + columns])
                for at in range(0, self.n, columns)
            ],
            axis=1,
        )

    def _multiply_some(self, a: Array, b: Array, c: Array) -> Array:
        if isinstance(self.left.element, IntegerType):
            signs = [ty[0] == "s" for ty in self.types[1:]]
            return numerics.mmai(a, b, c, lhs_signed=signs[0], rhs_signed=signs[1])
        total = ELEMENTS[self.types[0]]
        return numerics.mmaf(self.left.element, self.right.element, total, a, b, c)


def row_bits_of(ty: Attribute) -> int:
    """Bits that a thread holds of a value, which may be a struct."""
    if isinstance(ty, LLVMStructType):
        return sum(row_bits(field) for field in ty.types)
    return row_bits(ty)


def _same(descriptors: Array) -> int:
    """The descriptor, which must be the same for all threads."""
    if (descriptors != descriptors[0]).any():
        raise ExecutionError("the descriptor of a matrix differs between threads")
    return int(descriptors[0])


def _rows(cta: CtaThreads, value: Value, ty: Attribute) -> Bytes:
    """The bytes of registers, which this same WGMMA may still be writing."""
    if isinstance(ty, LLVMStructType):
        parts = [np.asarray(part) for part in cast(Sequence[Array], value)]
        return join_registers(cta, parts, list(ty.types))
    return to_rows(cta.full(np.asarray(value)), ty)


def _multiplication(op: Operation, accumulator_type: Attribute) -> Multiplication:
    """The operands of an op; raises if there is no such WGMMA."""
    shape, words = property_of(op, "shape"), property_of(op, "types")
    if shape is None or not isinstance(words, ArrayAttr):
        raise ExecutionError("a WGMMA without shape and types cannot be run on the CPU")
    is_matrix = isinstance(shape, MatrixShapeAttr)
    m, n, k = shape.extents if is_matrix else integers_of(op, "shape")
    d, a, b = types = [word.data for word in cast(Sequence[StringAttr], words.data)]
    elements = [ELEMENTS.get(ty) for ty in (a, b)]
    trans = [property_of(op, f"trans_{name}") is not None for name in "ab"]
    size = {"s32": 32, "f32": 32, "f16": 16}.get(d)
    if elements[0] is None or elements[1] is None or m != ROWS or size is None:
        raise ExecutionError(f"a WGMMA m{m}n{n}k{k} of {', '.join(types)} cannot be run")
    steps = integer_of(op, "k_steps", 1)
    left, right = (
        WgmmaOperand(extent, element, is_transposed, steps, integer_of(op, f"{name}_step", 0))
        for name, extent, element, is_transposed in zip(
            "ab", (ROWS, n), (elements[0], elements[1]), trans, strict=True
        )
    )
    for operand in (left, right):
        if operand.is_transposed and operand.element not in TRANSPOSED:
            raise ExecutionError(f"a matrix of {operand.element} cannot be stored transposed")
        if operand.width * k != STEP_BYTES:
            raise ExecutionError(f"k must be {STEP_BYTES // operand.width}, but got {k}")
    if row_bits_of(accumulator_type) != n // 2 * size:
        raise ExecutionError(
            f"the accumulator must have {n // 2 * size} bits, but is '{accumulator_type}'"
        )
    accumulates = integer_of(op, "scale_d", 1) != 0
    left_type = op.operands[0].type
    return Multiplication(op, n, (d, a, b), left, right, accumulates, left_type, accumulator_type)


def _begin(cta: CtaThreads, multiplication: Multiplication, a: Value, b: Array, c: Value) -> Value:
    """Issues a WGMMA; yields the result, which is in flight."""
    in_flight = wgmma_of(c) is not None
    uses_registers = multiplication.is_left_in_registers
    states = [_progress(cta, warp) for warp in _warps(cta)]
    if not all(state.is_fenced for state in states) and (uses_registers or not in_flight):
        raise ExecutionError(
            "multiplies with registers that may be written still: 'nvvm.wgmma.fence.aligned' must "
            "come first, and again after a wait"
        )
    rows = multiplication.run(cta, landed(a) if uses_registers else a, b, c)
    wgmma = IssuedWgmma(multiplication.op, states[0].committed)
    for state in states:
        state.in_flight.append(wgmma)
    result = split_registers(rows, multiplication.accumulator_type)
    if isinstance(result, tuple):
        return tuple(begun(part, wgmma) for part in cast(tuple[Array, ...], result))
    return begun(result, wgmma)


@THREADS.runs("nvvm.wgmma.fence.aligned")
def run_fence(cta: CtaThreads) -> None:
    """Orders registers and shared memory before WGMMAs."""
    for warp in _warps(cta):
        _progress(cta, warp).is_fenced = True


@THREADS.runs("nvvm.wgmma.commit.group.sync.aligned")
def run_commit(cta: CtaThreads) -> None:
    """Commits the WGMMAs issued so far as a group."""
    time = 0 if cta.clocks is None else cta.clocks.tick()
    for warp in _warps(cta):
        state = _progress(cta, warp)
        state.times[state.committed] = time
        state.committed += 1


def _wait(cta: CtaThreads, groups: int) -> None:
    """Waits until at most this many groups are in flight."""
    for warp in _warps(cta):
        state = _progress(cta, warp)
        state.is_fenced = False
        kept = state.committed - groups
        for wgmma in state.in_flight:
            wgmma.is_over |= wgmma.group < kept
        state.in_flight = [wgmma for wgmma in state.in_flight if not wgmma.is_over]
        over = [time for group, time in state.times.items() if group < kept]
        state.times = {group: time for group, time in state.times.items() if group >= kept}
        party = _rendezvous(cta, _group(cta, warp)).party
        if over and cta.clocks is not None and party is not None:
            known = cta.clocks.nothing()
            known[party] = max(over)
            cta.clocks.acquire([warp], known)


@THREADS.binds("nvvm.wgmma.mma_async")
def bind_mma_async(op: Operation, program: BoundProgram) -> InCta:
    """Issues WGMMAs."""
    wgmma = _multiplication(op, op.results[0].type)

    def apply(cta: CtaThreads, a: Value, b: Array, c: Value) -> Value:
        return _begin(cta, wgmma, a, b, c)

    return InCta(apply)


@THREADS.runs(
    "nvvm.wgmma.wait.group.sync.aligned",
    "nvgpu.warpgroup.wait",
    groups=integer("groups", 0),
    is_single=lambda op: len(op.results) == 1,
)
def run_wait(cta: CtaThreads, *accumulators: Value, groups: int, is_single: bool) -> Value:
    """Waits until at most this many groups are in flight; accumulators pass through."""
    _wait(cta, groups)
    return accumulators[0] if is_single else accumulators


@THREADS.runs("nvvm.pmevent", is_single=lambda op: len(op.results) == 1)
def run_pmevent(*values: Value, is_single: bool) -> Value:
    """Nothing that can be seen; values pass through."""
    return values[0] if is_single else values


@THREADS.runs("nvvm.artificial_dependence")
def run_artificial_dependence(value: Value, _on: Value) -> Value:
    """The value; a word of shared memory is read, but nothing depends on what it is."""
    return value


# `nvgpu`


@THREADS.runs(
    "nvgpu.warpgroup.generate.descriptor",
    leading=integer("leading_byte_offset"),
    stride=integer("matrix_stride"),
    swizzle=word("swizzle_mode"),
)
def run_descriptor(value: Value, *, leading: int, stride: int, swizzle: str) -> Array:
    """The descriptor of a matrix."""
    span = 0 if swizzle == "none" else int(swizzle.removesuffix("B"))
    return describe(memref_address(value), leading, stride, span)


@THREADS.binds("nvgpu.warpgroup.mma")
def bind_warpgroup_mma(op: Operation, program: BoundProgram) -> InCta:
    """A dot of whole tiles, which waits unless it is asynchronous."""
    accumulator_type = op.results[0].type
    tiles, tile_step = integer_of(op, "m_tiles", 1), integer_of(op, "a_tile_step", 0)
    is_async = has(op, "async")
    part = accumulator_type if tiles == 1 else get_part(accumulator_type, tiles)
    wgmma = _multiplication(op, part)

    def apply(cta: CtaThreads, a: Value, b: Array, c: Value) -> Value:
        run_fence(cta)
        if tiles == 1:
            result = _begin(cta, wgmma, a, b, c)
        else:
            whole = full(cast(Array, c), cta.threads)
            size = whole.shape[1] // tiles
            parts = [
                _begin(cta, wgmma, a + tile * tile_step, b, whole[:, tile * size :][:, :size])
                for tile in range(tiles)
            ]
            last = wgmma_of(parts[-1])
            assert last is not None
            result = begun(np.concatenate([np.asarray(each) for each in parts], axis=1), last)
        run_commit(cta)
        if not is_async:
            _wait(cta, 0)
            return landed(result)
        return result

    return InCta(apply)


@THREADS.binds("nvgpu.warpgroup.mma.store")
def bind_mma_store(op: Operation, program: BoundProgram) -> InCta:
    """Each thread stores its fragment of an accumulator."""
    source, target = op.operands[0].type, op.operands[1].type
    if not isinstance(target, MemRefType):
        raise ExecutionError(f"stores to '{target}', which cannot be run on the CPU")
    how, element = How(op, space_of(target)), element_of(source)
    _, n = target.get_shape()

    def apply(cta: CtaThreads, value: Value, memref: Value) -> None:
        parts = cast(Sequence[Array], value)
        elements = np.stack(parts, axis=1) if isinstance(value, tuple) else cast(Array, value)
        thread = cta.thread_ids[0] % (WARPS * WARP)
        for number in range(elements.shape[1]):
            tile, i = divmod(number, n // 2)
            row = ROWS * tile + 16 * (thread // WARP) + thread % WARP // 4 + 8 * (i // 2 % 2)
            column = 8 * (i // 4) + 2 * (thread % 4) + i % 2
            address = element_address(memref, (row, column), target)
            store_value(how, cta, address, elements[:, number], element)

    return InCta(apply)
