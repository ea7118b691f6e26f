"""
Operands of `mma.sync`, from registers or from shared memory, one step of the instruction along K at
a time: only the fragments of that step are live.

Shared memory is read by `ldmatrix` where the layouts allow it. An address is the base of the
buffer, plus the swizzled offset of the thread, plus a constant. Addresses are arranged so that the
constant is an immediate of the instruction, and few thread offsets serve all steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, i8
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout, unflatten, xor_all
from tileiras_xdsl.analysis.matrix_layouts import (
    Instruction,
    MatrixAccess,
    matrix_access,
    offsets_of,
)
from tileiras_xdsl.dialects.nvvm.fragment_matrices import FragmentLdMatrixOp
from tileiras_xdsl.dialects.nvvm.fragments import FragmentLoadOp, element_bits

from .exchange import ElementOffsets
from .thread_builder import ThreadBuilder
from .thread_index import apply_bases
from .vectors import concatenate, index_pointer, index_pointers, select_registers

VECTOR_BYTES = 16
"""The widest access of a thread to shared memory."""


def split_steps(layout: LinearLayout, dim: int, size: int) -> tuple[list[int], list[int]]:
    """Register bits within a step along a dimension, and those that number the steps."""
    inner: list[int] = []
    outer: list[int] = []
    for bit, basis in enumerate(layout.register):
        (outer if unflatten(basis, layout.shape)[dim] >= size else inner).append(bit)
    return inner, outer


@dataclass
class MmaOperand:
    """An operand of a dot, in the layout of an MMA instruction."""

    builder: ThreadBuilder
    value: SSAValue
    """Registers, or the address of a buffer in shared memory."""
    layout: LinearLayout
    dim: int
    """The reduction dimension, K."""
    instruction: Instruction
    element: Attribute
    shared: LinearLayout | None = None
    """The layout in shared memory; `None` if the operand is in registers."""

    def __post_init__(self) -> None:
        self.inner, self.outer = split_steps(self.layout, self.dim, self.instruction.k)
        self._bases: dict[int, SSAValue] = {}

    @property
    def steps(self) -> int:
        return 1 << len(self.outer)

    def step(self, step_index: int) -> SSAValue:
        """The fragment of a step along K."""
        if self.shared is None:
            spread = sum(
                1 << bit for index, bit in enumerate(self.outer) if step_index >> index & 1
            )
            chosen = [
                spread | sum(1 << bit for index, bit in enumerate(self.inner) if each >> index & 1)
                for each in range(1 << len(self.inner))
            ]
            return select_registers(self.builder, self.value, chosen)
        offsets = offsets_of(self.shared, self.layout)
        start = xor_all([offsets.register[bit] for bit in self.outer], step_index)
        part = self.layout.replaced(register=[self.layout.register[bit] for bit in self.inner])
        bits = element_bits(self.element)
        for transposed in (False, True):
            access = matrix_access(self.shared, part, bits, transposed=transposed)
            if access is not None:
                return self._read_matrices(access, start)
        return self._read_vectors(offsets_of(self.shared, part), start)

    # Addresses

    def _base(self, lane: Sequence[int], warp: Sequence[int], xor: int) -> SSAValue:
        """The base address of a thread, with some bits of its offset XORed."""
        known = self._bases.get(xor)
        if known is None:
            builder = self.builder
            size = element_bits(self.element) // 8
            thread = apply_bases(
                builder, [size * each for each in lane], [size * each for each in warp]
            )
            if thread is None:
                thread = builder.constant(0)
            if xor:
                mask = builder.constant(size * xor)
                key = ("xor", thread, xor, size)
                source = thread
                thread = builder.get_or_emit_in_entry(key, lambda: arith.XOrIOp(source, mask))
            pointer = index_pointer(self.value, thread, i8, self.value.type)
            known = self._bases[xor] = builder.emit(pointer).result
        return known

    def _group_by_base(
        self, lane: Sequence[int], warp: Sequence[int], offsets: Sequence[int]
    ) -> list[tuple[SSAValue, list[int], list[int]]]:
        """
        Groups offsets by the bits that they share with the offset of the thread. Those bits have to
        be XORed (the swizzle); the others never carry, so they are added as constants. Each group
        is a base address, the constants, and the indices of its offsets.
        """
        thread_bits = 0
        for basis in (*lane, *warp):
            thread_bits |= basis
        groups: dict[int, list[int]] = {}
        for index, offset in enumerate(offsets):
            groups.setdefault(offset & thread_bits, []).append(index)
        return [
            (
                self._base(lane, warp, xor),
                [offsets[index] & ~thread_bits for index in indices],
                indices,
            )
            for xor, indices in groups.items()
        ]

    def _addresses(self, base: SSAValue, offsets: Sequence[int]) -> SSAValue:
        builder = self.builder
        return index_pointers(builder, base, builder.constant_vector(list(offsets)), self.element)

    # Reads

    def _read_matrices(self, access: MatrixAccess, start: int) -> SSAValue:
        builder = self.builder
        count = 1 << len(access.register)
        offsets = [start ^ xor_all(access.register, index) for index in range(count)]
        width = access.count * 32 // element_bits(self.element)
        parts: list[SSAValue] = []
        order: list[int] = []
        for base, added, indices in self._group_by_base(access.lane, access.warp, offsets):
            result = VectorType(self.element, [width * len(indices)])
            op = FragmentLdMatrixOp(
                self._addresses(base, added), result, access.count, access.transposed
            )
            parts.append(builder.emit(op).result)
            order.extend(indices)
        return self._ordered(parts, order, width)

    def _read_vectors(self, offsets: LinearLayout, start: int) -> SSAValue:
        builder = self.builder
        element_offsets = ElementOffsets.of(offsets)
        width = min(element_offsets.width, VECTOR_BYTES * 8 // element_bits(self.element))
        starts = [start ^ offset for offset in element_offsets.registers[::width]]
        alignment = width * element_bits(self.element) // 8
        parts: list[SSAValue] = []
        order: list[int] = []
        for base, added, indices in self._group_by_base(
            element_offsets.lane, element_offsets.warp, starts
        ):
            result = VectorType(self.element, [width * len(indices)])
            op = FragmentLoadOp(
                self._addresses(base, added), result_type=result, alignment=alignment
            )
            parts.append(builder.emit(op).result)
            order.extend(indices)
        return self._ordered(parts, order, width)

    def _ordered(self, parts: Sequence[SSAValue], order: Sequence[int], width: int) -> SSAValue:
        """Concatenates what was read, and puts each vector at its index."""
        positions = {vector: position for position, vector in enumerate(order)}
        chosen = [
            positions[vector] * width + each
            for vector in range(len(order))
            for each in range(width)
        ]
        return select_registers(self.builder, concatenate(self.builder, list(parts)), chosen)
