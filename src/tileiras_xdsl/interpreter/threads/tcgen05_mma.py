"""
`tcgen05.mma`: what one instruction computes, and what it touches.

Sums of floats are those of float32 within an instruction, in NumPy's order, to which the
accumulator is added: as for WGMMA, so that the hardware's result, whose order is not documented, is
within the bounds of any order. Sums of block-scaled products are computed in float64 and rounded
once. Integers are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import ml_dtypes
import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.analysis.tensor_memory_layouts import (
    SCALE_LANES,
    AccumulatorKind,
    accumulator_kind,
)
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.values import Array, Bytes, Integers
from tileiras_xdsl.targets import tcgen05
from tileiras_xdsl.targets.tcgen05 import LANES

from .cluster import CTA_SPAN
from .matrix import is_any_negative
from .shadow import Touch
from .state import CtaThreads
from .tensor_cores import TensorCores
from .tensor_maps import CHUNK
from .tensor_memory import (
    Block,
    MatrixPart,
    TensorMemory,
    accumulator_parts,
    get_matrix,
    lane_and_column,
    put_matrix,
    without_lanes,
    words_of,
)

# Operands of `tcgen05.mma` and `tcgen05.cp`: from the bytes of shared or tensor memory to numbers.
#
# A descriptor says where 16-byte chunks of a matrix are, in the canonical layouts of the PTX ISA.
# With `w` the bytes of a row of the swizzle, byte b of row r along K, or of row k along M or N, is
# at
#
# | matrix | K-major | MN-major | | --- | --- | --- | | plain | r / 8 * stride + b / 16 * leading +
# r % 8 * 16 | b / 16 * stride + k / 8 * leading + … | | swizzled | r / 8 * stride + r % 8 * w + b
# | b / w * leading + b % w + k / 8 * stride + k % 8 * w |
#
# Then the bits of the address from bit 7 on flip those from bit 4 on. `128B_atom_32B` has patterns
# of four K rows, and moves 32 bytes at a time. All bytes are looked up like this, so that a wrong
# stride gives wrong numbers.

FORMATS: Final[dict[str, Any]] = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
    "ue8m0": ml_dtypes.float8_e8m0fnu,
}
"""Types of at most 8 bits."""


@cache
def values_of(name: str) -> Array:
    """What the bits of a type of at most 8 bits stand for, as float32."""
    if name == "ue4m3":
        return np.tile(values_of("e4m3")[:128], 2)
    bits = np.arange(1 << tcgen05.TYPE_BITS[name], dtype=np.uint8)
    return bits.view(FORMATS[name]).astype(np.float32)


def numbers_of(chunks: Bytes, name: str, *, is_packed: bool) -> Array:
    """
    The elements of chunks of 16 bytes, in the last dimension. Types of 4 or 6 bits are packed
    densely, or they are 16 in the lower bits of each chunk, whose rest is padding.
    """
    chunks = np.ascontiguousarray(chunks)
    match name:
        case "f16":
            return chunks.view(np.float16).astype(np.float32)
        case "bf16":
            return (chunks.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
        case "tf32":
            # The hardware looks at 19 bits only.
            return (chunks.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
        case "s8":
            return chunks.view(np.int8)
        case "u8":
            return chunks
        case _:
            pass
    bits = tcgen05.TYPE_BITS[name]
    if bits == 8:
        return values_of(name)[chunks]
    if bits == 4:
        data = chunks if is_packed else chunks[..., : CHUNK // 2]
        return values_of(name)[np.stack((data & 15, data >> 4), axis=-1)].reshape(
            *chunks.shape[:-1], -1
        )
    # Sixteen elements of 6 bits are 12 bytes: four are three bytes.
    triples = chunks[..., :12].reshape(*chunks.shape[:-1], 4, 3).astype(np.uint32)
    whole = triples[..., 0] | triples[..., 1] << 8 | triples[..., 2] << 16
    fields = whole[..., None] >> np.arange(0, 24, 6, dtype=np.uint32) & 63
    return values_of(name)[fields].reshape(*chunks.shape[:-1], 16)


def element_bytes(name: str, *, is_packed: bool) -> float:
    """Bytes of an element in shared memory."""
    return 0.5 if is_packed else max(8, tcgen05.TYPE_BITS[name]) / 8


# Shared memory


def decode_descriptor(bits: int, what: str, *, by_k: bool = True) -> tcgen05.SharedDescriptor:
    """
    What a descriptor says; raises if it is none, or its pattern does not begin at its boundary.
    `by_k`: rows are those of K-major matrices, of which an instruction reads 32 bytes.
    """
    try:
        found = tcgen05.SharedDescriptor.decode(bits)
    except ValueError as error:
        raise ExecutionError(f"{what}: {error}") from error
    if found.base_offset or found.is_leading_absolute:
        raise ExecutionError(f"{what}: a descriptor with a base offset cannot be run on the CPU")
    rows = {"128B": 8, "128B_atom_32B": 4, "64B": 4, "32B": 2, "none": 1}[found.swizzle]
    if found.address >> 7 & rows - 1:
        raise ExecutionError(
            f"{what}: the descriptor's address {found.address:#x} is not aligned to the "
            f"{rows * 128} bytes of the pattern of swizzle {found.swizzle}"
        )
    width = tcgen05.SWIZZLE_BYTES[found.swizzle]
    if by_k and found.swizzle != "none" and found.address % width + tcgen05.STEP_BYTES > width:
        raise ExecutionError(
            f"{what}: 32 bytes from address {found.address:#x} are not in one row of {width} bytes "
            f"of swizzle {found.swizzle}"
        )
    return found


@cache
def k_major_places(rows: int, row_bytes: int, leading: int, stride: int, swizzle: str) -> Integers:
    """Where chunks of rows are, by row and along K, counted from the address."""
    row, byte = np.arange(rows)[:, None], np.arange(0, row_bytes, CHUNK)[None]
    if swizzle == "none":
        return row // 8 * stride + byte // CHUNK * leading + row % 8 * CHUNK
    return row // 8 * stride + row % 8 * tcgen05.SWIZZLE_BYTES[swizzle] + byte


@cache
def mn_major_places(k: int, along: int, leading: int, stride: int, swizzle: str) -> Integers:
    """Where chunks of K rows are, by row and along M or N, of this many bytes."""
    row, byte = np.arange(k)[:, None], np.arange(0, along, CHUNK)[None]
    if swizzle == "none":
        return byte // CHUNK * stride + row // 8 * leading + row % 8 * CHUNK
    width, rows = tcgen05.SWIZZLE_BYTES[swizzle], 4 if swizzle == "128B_atom_32B" else 8
    return byte // width * leading + byte % width + row // rows * stride + row % rows * width


def flipped(addresses: Integers, swizzle: str) -> Integers:
    """Where chunks at addresses are, in a swizzle."""
    if swizzle == "none":
        return addresses
    if swizzle == "128B_atom_32B":
        return addresses ^ (addresses >> 2 & 0x60)
    return addresses ^ (addresses >> 3 & (tcgen05.SWIZZLE_BYTES[swizzle] - 1) & ~(CHUNK - 1))


def chunk_offsets(
    cta: CtaThreads, matrix: tcgen05.SharedDescriptor, places: Integers, what: str
) -> Integers:
    """Offsets in the shared memory of a CTA of the chunks of a matrix, which must be inside."""
    # A descriptor has no room for the rank of the CTA.
    offsets = flipped(matrix.address + places, matrix.swizzle) - cta.shared.base % CTA_SPAN
    low, high = int(offsets.min()), int(offsets.max()) + CHUNK
    if low < 0 or high > len(cta.shared.data):
        raise ExecutionError(
            f"{what}: reads bytes {low} to {high} of {cta.shared.name}, which has "
            f"{len(cta.shared.data)} bytes"
        )
    return offsets


def chunks_at(cta: CtaThreads, offsets: Integers) -> Bytes:
    """The chunks of shared memory at offsets, with their bytes last."""
    found = cta.shared.units(8).reshape(-1, 2)[offsets // CHUNK]
    return found.view(np.uint8)


STEP_COLUMNS: Final = tcgen05.STEP_BYTES // 4
"""Columns of operand A in tensor memory that an instruction reads."""
ONE_THREAD: Final = 1 << 17
"""Multiplications that NumPy does without threads."""
SCALE_ADDRESS: Final = 0x3FFFFFFF
"""The bits of an address of scale factors; compilers keep in the others which byte they are."""


@dataclass(frozen=True)
class MmaOperands:
    """What an MMA is given, by one thread."""

    op: Operation
    kind: str
    group: int
    """CTAs that work together."""
    accumulator: int
    left: int
    """A descriptor, or an address of tensor memory."""
    right: int
    instruction: int
    accumulates: bool
    is_left_in_tensor_memory: bool = False
    block: int | None = None
    """Elements along K that have a scale factor, if they do not all have 1."""
    left_scales: int = 0
    right_scales: int = 0
    downscale: int = 0
    """The accumulator is multiplied by two to the power of minus that."""
    kept: Sequence[int] = ()
    """Masks of lanes that are not written, 32 lanes each."""
    collector: str = "discard"
    shifts_left: bool = False
    """Whether rows of A are taken one lane further down, but for the last one."""


class Mma:
    """An MMA that was issued: its operands are known, and were checked."""

    def __init__(self, cta: CtaThreads, thread: int, given: MmaOperands):
        self.given, self.cta, self.thread = given, cta, thread
        self.kind: tcgen05.MmaKind = tcgen05.KINDS[given.kind]
        self.how = self._decode()
        self.ctas = pair_of(cta, given.group, thread)
        cores = cta.cores
        assert cores is not None
        self.cores: TensorCores = cores
        self.memories = [cores.memory_of(each) for each in self.ctas]
        self.layout: AccumulatorKind = self._layout()
        self.parts = self._accumulator()
        self.left_parts: tuple[MatrixPart, ...] = ()
        self.left_offsets: list[Integers] = []
        rows = self.how.m // given.group
        if given.is_left_in_tensor_memory:
            self.left_parts = self._left_in_tensor_memory()
        else:
            self.left_offsets = self._offsets(given.left, "A", self.how.a, self.how.trans_a, rows)
        columns = self.how.n // given.group
        self.right_offsets = self._offsets(given.right, "B", self.how.b, self.how.trans_b, columns)
        self.kept = self._kept_lanes()

    # Checks

    def _decode(self) -> tcgen05.InstructionDescriptor:
        given = self.given
        try:
            how = tcgen05.InstructionDescriptor.decode(given.kind, given.instruction)
        except ValueError as error:
            raise ExecutionError(str(error)) from error
        why = how.why_not(given.group)
        if why is not None:
            raise ExecutionError(f"instruction descriptor {given.instruction:#010x}: {why}")
        if how.long_k:
            raise ExecutionError("K = 96 cannot be run on the CPU")
        return how

    def _layout(self) -> AccumulatorKind:
        found = accumulator_kind(self.how.m, self.given.group)
        assert found is not None
        return found

    def _accumulator(self) -> tuple[MatrixPart, ...]:
        lane, column = lane_and_column(self.given.accumulator)
        lanes = (0, 16) if self.layout == "F" else (0,)
        if lane not in lanes:
            wanted = " or ".join(str(each) for each in lanes)
            raise ExecutionError(
                f"the accumulator of {self.how.m} rows is at lane {lane} of tensor memory, but "
                f"must be at lane {wanted}"
            )
        return accumulator_parts(self.layout, self.how.n, lane, column)

    def _left_in_tensor_memory(self) -> tuple[MatrixPart, ...]:
        if self.how.trans_a:
            raise ExecutionError("operand A in tensor memory must be K-major")
        if self.layout == "B":
            raise ExecutionError("A in tensor memory of folded rows cannot be run on the CPU")
        if tcgen05.TYPE_BITS[self.how.a] < 8 and not self.kind.is_packed:
            raise ExecutionError(
                f"operand A of {self.how.a} in tensor memory cannot be run on the CPU"
            )
        lane, column = lane_and_column(self.given.left)
        if lane not in ((0, 16) if self.layout == "F" else (0,)):
            raise ExecutionError(
                f"operand A is at lane {lane} of tensor memory, but must be at lane 0"
            )
        return accumulator_parts(self.layout, STEP_COLUMNS, lane, column)

    def _offsets(
        self, bits: int, name: str, element: str, is_transposed: bool, extent: int
    ) -> list[Integers]:
        """Offsets of the chunks of an operand in the shared memory of each CTA."""
        what = f"operand {name}"
        matrix = decode_descriptor(bits, what, by_k=not is_transposed)
        layout = (matrix.leading, matrix.stride, matrix.swizzle)
        if is_transposed:
            if (element == "tf32") != (matrix.swizzle == "128B_atom_32B"):
                raise ExecutionError(
                    f"{what}: an MN-major matrix of {element} cannot have swizzle {matrix.swizzle}"
                )
            along = int(extent * element_bytes(element, is_packed=self.kind.is_packed))
            places = mn_major_places(self.kind.k, along, *layout)
        else:
            if matrix.swizzle == "128B_atom_32B":
                raise ExecutionError(f"{what}: a K-major matrix cannot have swizzle 128B_atom_32B")
            places = k_major_places(extent, tcgen05.STEP_BYTES, *layout)
        return [chunk_offsets(cta, matrix, places, what) for cta in self.ctas]

    def _kept_lanes(self) -> list[Array | None]:
        """For each CTA the lanes that are not written."""
        masks = self.given.kept
        if not masks:
            return [None] * len(self.ctas)
        if len(masks) != 4 * len(self.ctas):
            raise ExecutionError(f"has {len(masks)} masks of lanes")
        bits = np.array(masks, np.int64)[:, None] >> np.arange(32) & 1
        return list(bits.astype(np.bool_).reshape(len(self.ctas), LANES))

    def _scale_words(self) -> list[tuple[int, Block]]:
        """The columns of scale factors: how many rows they are for, and where they are."""
        if self.given.block is None:
            return []
        rows = (self.how.m // self.given.group, self.how.n)
        found: list[tuple[int, Block]] = []
        for address, count in zip(
            (self.given.left_scales, self.given.right_scales), rows, strict=True
        ):
            lane, column = lane_and_column(address & SCALE_ADDRESS)
            if lane:
                raise ExecutionError(
                    f"scale factors are at lane {lane} of tensor memory, but must be at lane 0"
                )
            found.append((count, Block.of(0, LANES, column, -(-count // SCALE_LANES))))
        return found

    # Order

    def issue(self) -> None:
        """Checks what the MMA touches, and lets it run some time."""
        given, order = self.given, self.cores.order
        scales = [block for _, block in self._scale_words()]
        inputs = [*words_of(self.left_parts), *scales]
        for cta, memory, kept in zip(self.ctas, self.memories, self.kept, strict=True):
            owner, results = cta.first, list(without_lanes(words_of(self.parts), kept))
            memory.check_owned(inputs, owner, "reads")
            memory.check_owned(results, owner, "writes")
            memory.check_defined(inputs, "reads")
            if given.accumulates:
                memory.check_defined(results, "adds to")
        self._collect()
        access = None
        if order is not None:
            shape = (given.accumulator, self.how.m, self.how.n, given.group, given.kind)
            access = order.begin(given.op, "mma", self.thread, shape)
            self.cores.touch(self.ctas, access)
            who = np.array([self.thread])
            for number, cta in enumerate(self.ctas):
                shadow = cta.shared.shadow
                for offsets in (self.left_offsets, self.right_offsets):
                    if offsets and shadow is not None:
                        chunks = offsets[number].reshape(-1)
                        shadow.read_for(Touch(given.op, chunks, CHUNK, who), access.party.complete)
            for memory, kept in zip(self.memories, self.kept, strict=True):
                order.reads(memory, inputs, access)
                order.writes(memory, list(without_lanes(words_of(self.parts), kept)), access)
        for memory, kept in zip(self.memories, self.kept, strict=True):
            memory.define(list(without_lanes(words_of(self.parts), kept)))
        words = words_of(self.parts)
        ends = [self.cores.note("mma", given.op, cta, words, self.thread) for cta in self.ctas]

        def run() -> None:
            for end in ends:
                end()
            self.run()

        self.cores.issue(given.op, "mma", self.thread, run, access)

    def _collect(self) -> None:
        """Raises if the left operand is to be in the collector buffer, but is not."""
        collector, mine = self.cores.collector, self.thread
        operand = (self.given.left, self.given.is_left_in_tensor_memory, self.how.m, self.how.a)
        if self.given.collector in ("use", "lastuse") and collector.get(mine) != operand:
            raise ExecutionError(
                "uses operand A of the collector buffer, which no MMA before has filled with it"
            )
        if self.given.collector == "fill":
            collector[mine] = operand
        elif self.given.collector != "use":
            collector.pop(mine, None)

    # Numbers

    def run(self) -> None:
        """Reads, multiplies and writes."""
        how = self.how
        rights = [
            self._matrix(cta, offsets, how.b, is_transposed=how.trans_b)
            for cta, offsets in zip(self.ctas, self.right_offsets, strict=True)
        ]
        right = np.concatenate(rights) if len(rights) > 1 else rights[0]
        for number, (cta, memory) in enumerate(zip(self.ctas, self.memories, strict=True)):
            if self.left_parts:
                left = self._left(memory)
            else:
                left = self._matrix(
                    cta, self.left_offsets[number], how.a, is_transposed=how.trans_a
                )
            before = get_matrix(memory, self.parts) if self.given.accumulates else None
            result = self._multiply(memory, left, right, before)
            put_matrix(memory, self.parts, result, self.kept[number])

    def _matrix(
        self, cta: CtaThreads, offsets: Integers, element: str, *, is_transposed: bool
    ) -> Array:
        """An operand, [m or n, k]."""
        chunks = chunks_at(cta, offsets).reshape(*offsets.shape, CHUNK)
        found = numbers_of(chunks, element, is_packed=self.kind.is_packed)
        rows = found.reshape(offsets.shape[0], -1)
        return rows.T if is_transposed else rows

    def _left(self, memory: TensorMemory) -> Array:
        """Operand A in tensor memory, whose elements are packed along K."""
        words = np.ascontiguousarray(get_matrix(memory, self.left_parts))
        chunks = words.view(np.uint8).reshape(len(words), -1, CHUNK)
        found = numbers_of(chunks, self.how.a, is_packed=self.kind.is_packed)
        rows = found.reshape(len(words), -1)
        return np.concatenate((rows[1:], rows[-1:])) if self.given.shifts_left else rows

    def _multiply(
        self, memory: TensorMemory, left: Array, right: Array, before: Array | None
    ) -> Array:
        """The words of the result."""
        how = self.how
        if how.d == "s32":
            return self._multiply_integers(left, right, before)
        old = None if before is None else _floats(before, how.d)
        if old is not None and self.given.downscale:
            old = old * np.float32(2.0**-self.given.downscale)
        left = -left if how.negate_a else left
        right = -right if how.negate_b else right
        if self.given.block is not None:
            (a, b) = (
                _scales(memory, block, count, ident, len_scales, how.scale or "ue8m0")
                for (count, block), ident, len_scales in zip(
                    self._scale_words(),
                    (how.scale_a_id, how.scale_b_id),
                    [self.kind.k // self.given.block] * 2,
                    strict=True,
                )
            )
            left = left.astype(np.float64) * np.repeat(a, self.given.block, axis=1)
            right = right.astype(np.float64) * np.repeat(b, self.given.block, axis=1)
        result = _product(left, right)
        if old is not None:
            result = result + old
        if how.d == "f16":
            return result.astype(np.float16).view(np.uint16).astype(np.uint32)
        return result.astype(np.float32).view(np.uint32)

    def _multiply_integers(self, left: Array, right: Array, before: Array | None) -> Array:
        # Products of bytes are exact in float32, and so is the sum of 32 of them.
        result = _product(left.astype(np.float32), right.astype(np.float32)).astype(np.int64)
        if before is not None:
            result += before.view(np.int32)
        if self.how.saturate:
            result = np.clip(result, -(1 << 31), (1 << 31) - 1)
        return result.astype(np.int32).view(np.uint32)


def _product(left: Array, right: Array) -> Array:
    """`left @ right.T`, some columns after the others: NumPy's threads would make it slow."""
    step = max(8, ONE_THREAD // left.size)
    if step >= len(right):
        return left @ right.T
    return np.concatenate(
        [left @ right[at : at + step].T for at in range(0, len(right), step)], axis=1
    )


def _floats(words: Array, name: str) -> Array:
    """What accumulators hold, those of 16 bits in the lower half of a word."""
    words = np.ascontiguousarray(words)
    if name == "f16":
        return words.astype(np.uint16).view(np.float16).astype(np.float32)
    return words.view(np.float32)


def _scales(
    memory: TensorMemory, block: Block, rows: int, first: int, count: int, name: str
) -> Array:
    """Scale factors by row and along K: some bytes of a word, which all warps' lanes have."""
    words = memory.words[:, block.columns].reshape(-1, SCALE_LANES, memory.words[block].shape[1])
    if (words != words[0]).any():
        raise ExecutionError(
            f"scale factors in columns {block.columns.start} to {block.columns.stop - 1} of tensor "
            "memory differ between the lanes of warps"
        )
    # Lanes are rows modulo 32, columns are further rows.
    mine = np.ascontiguousarray(words[0].T).reshape(-1)[:rows]
    taken = mine.view(np.uint8).reshape(-1, 4)[:, first : first + count]
    if name == "ue4m3" and is_any_negative(taken):
        raise ExecutionError("a scale is negative, but ue4m3 has no sign")
    return values_of(name)[taken].astype(np.float64)


def pair_of(cta: CtaThreads, group: int, thread: int) -> list[CtaThreads]:
    """The CTAs that an instruction is for: this one, or the pair that it belongs to."""
    if group == 1:
        return [cta.cluster.ctas[cta.rank]]
    cluster = cta.cluster
    if cluster.size % 2:
        raise ExecutionError(
            f"is for a pair of CTAs, but the cluster has {cluster.size}: none that is even"
        )
    even = cta.rank & ~1
    who = np.array([thread])
    cluster.check_runs(cta.rank ^ 1, who)
    cluster.check_begun(cta.rank ^ 1, who)
    return [cluster.ctas[even], cluster.ctas[even + 1]]
