"""
Factors of matrix products, from registers or from shared memory, a step of the instruction along
the summed dimension at a time: so only those registers are in use that the step needs.

Shared memory is read by `ldmatrix` where the layouts allow it. An address is the sum of what
threads have in common, of what a thread adds, which is the same for all tiles and swizzled as
some of them ask for, and of a constant.
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
from tileiras_xdsl.dialects.nvgpu import LdMatrixOp
from tileiras_xdsl.dialects.nvvm.fragments import FragmentLoadOp, element_bits

from .exchange import Places
from .thread_builder import ThreadBuilder
from .thread_index import apply_bases
from .vectors import concatenate, index_pointer, index_pointers, select_registers

PIECE_i8S = 16


def split_steps(layout: LinearLayout, dim: int, size: int) -> tuple[list[int], list[int]]:
    """The register bits within a step along a dimension, and those that count the steps."""
    inner: list[int] = []
    outer: list[int] = []
    for bit, basis in enumerate(layout.register):
        (outer if unflatten(basis, layout.shape)[dim] >= size else inner).append(bit)
    return inner, outer


@dataclass
class MmaOperand:
    """One factor of a product, in the layout of an instruction."""

    code: ThreadBuilder
    value: SSAValue
    """Registers, or an address."""
    layout: LinearLayout
    dim: int
    """The summed dimension."""
    instruction: Instruction
    element: Attribute
    shared: LinearLayout | None = None
    """Where elements are in shared memory, if they are there."""

    def __post_init__(self) -> None:
        self.inner, self.outer = split_steps(self.layout, self.dim, self.instruction.k)
        self._bases: dict[int, SSAValue] = {}

    @property
    def steps(self) -> int:
        return 1 << len(self.outer)

    def step(self, number: int) -> SSAValue:
        """The registers of a step."""
        if self.shared is None:
            spread = sum(1 << bit for index, bit in enumerate(self.outer) if number >> index & 1)
            chosen = [
                spread | sum(1 << bit for index, bit in enumerate(self.inner) if each >> index & 1)
                for each in range(1 << len(self.inner))
            ]
            return select_registers(self.code, self.value, chosen)
        offsets = offsets_of(self.shared, self.layout)
        start = xor_all([offsets.register[bit] for bit in self.outer], number)
        part = self.layout.replaced(register=[self.layout.register[bit] for bit in self.inner])
        bits = element_bits(self.element)
        for transposed in (False, True):
            access = matrix_access(self.shared, part, bits, transposed=transposed)
            if access is not None:
                return self._read_matrices(access, start)
        return self._read_pieces(offsets_of(self.shared, part), start)

    # Addresses

    def _base(self, lane: Sequence[int], warp: Sequence[int], flipped: int) -> SSAValue:
        """The address of the place of a thread, with some bits flipped."""
        known = self._bases.get(flipped)
        if known is None:
            code = self.code
            size = element_bits(self.element) // 8
            thread = apply_bases(
                code, [size * each for each in lane], [size * each for each in warp]
            )
            if thread is None:
                thread = code.constant(0)
            if flipped:
                mask = code.constant(size * flipped)
                key = ("flipped", thread, flipped, size)
                source = thread
                thread = code.once(key, lambda: arith.XOrIOp(source, mask))
            pointer = index_pointer(self.value, thread, i8, self.value.type)
            known = self._bases[flipped] = code.emit(pointer).result
        return known

    def _groups(
        self, lane: Sequence[int], warp: Sequence[int], offsets: Sequence[int]
    ) -> list[tuple[SSAValue, list[int], list[int]]]:
        """
        Offsets by the bits that they flip in what a thread adds: an address, which offsets are
        added to it, and which of all these are.
        """
        moved = 0
        for basis in (*lane, *warp):
            moved |= basis
        groups: dict[int, list[int]] = {}
        for index, offset in enumerate(offsets):
            groups.setdefault(offset & moved, []).append(index)
        return [
            (
                self._base(lane, warp, flipped),
                [offsets[index] & ~moved for index in indices],
                indices,
            )
            for flipped, indices in groups.items()
        ]

    def _addresses(self, base: SSAValue, offsets: Sequence[int]) -> SSAValue:
        code = self.code
        return index_pointers(code, base, code.constants(list(offsets)), self.element)

    # Reads

    def _read_matrices(self, access: MatrixAccess, start: int) -> SSAValue:
        code = self.code
        count = 1 << len(access.register)
        offsets = [start ^ xor_all(access.register, index) for index in range(count)]
        width = access.count * 32 // element_bits(self.element)
        parts: list[SSAValue] = []
        order: list[int] = []
        for base, added, indices in self._groups(access.lane, access.warp, offsets):
            result = VectorType(self.element, [width * len(indices)])
            op = LdMatrixOp(
                self._addresses(base, added),
                access.count,
                transpose=access.transposed,
                result_type=result,
            )
            parts.append(code.emit(op).result)
            order.extend(indices)
        return self._ordered(parts, order, width)

    def _read_pieces(self, offsets: LinearLayout, start: int) -> SSAValue:
        code = self.code
        places = Places.of(offsets)
        width = min(places.width, PIECE_i8S * 8 // element_bits(self.element))
        numbers = [start ^ number for number in places.registers[::width]]
        alignment = width * element_bits(self.element) // 8
        parts: list[SSAValue] = []
        order: list[int] = []
        for base, added, indices in self._groups(places.lane, places.warp, numbers):
            result = VectorType(self.element, [width * len(indices)])
            op = FragmentLoadOp(
                self._addresses(base, added), result_type=result, alignment=alignment
            )
            parts.append(code.emit(op).result)
            order.extend(indices)
        return self._ordered(parts, order, width)

    def _ordered(self, parts: Sequence[SSAValue], order: Sequence[int], width: int) -> SSAValue:
        """Parts together, each piece at its place."""
        places = {piece: position for position, piece in enumerate(order)}
        chosen = [
            places[piece] * width + each for piece in range(len(order)) for each in range(width)
        ]
        return select_registers(self.code, concatenate(self.code, list(parts)), chosen)
