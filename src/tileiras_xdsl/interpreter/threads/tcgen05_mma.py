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
from typing import Final

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.analysis.tensor_memory_layouts import (
    LANES,
    SCALE_LANES,
    AccumulatorKind,
    accumulator_kind,
)
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.values import Array, Integers
from tileiras_xdsl.targets.tcgen05 import (
    KINDS,
    STEP_BYTES,
    TYPE_BITS,
    InstructionDescriptor,
    MmaKind,
)

from .matrix import is_any_negative
from .shadow import Touch
from .state import CtaThreads
from .tcgen05_operands import (
    chunk_offsets,
    chunks_at,
    decode_descriptor,
    element_bytes,
    k_major_places,
    mn_major_places,
    numbers_of,
    values_of,
)
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

STEP_COLUMNS: Final = STEP_BYTES // 4
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
        self.kind: MmaKind = KINDS[given.kind]
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

    def _decode(self) -> InstructionDescriptor:
        given = self.given
        try:
            how = InstructionDescriptor.decode(given.kind, given.instruction)
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
        if TYPE_BITS[self.how.a] < 8 and not self.kind.is_packed:
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
            places = k_major_places(extent, STEP_BYTES, *layout)
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
