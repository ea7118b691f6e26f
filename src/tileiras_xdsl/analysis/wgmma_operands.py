"""
WGMMA operands in shared memory, and their matrix descriptors.

An operand has the layout of `tma_tiles`. If it is K-major, one instruction reads 32 bytes of each
row; if it is MN-major (transposed), it reads as many rows as its K. Fields of the matrix descriptor
are in units of 16 bytes:

    bits  0-13  address
    bits 16-29  leading dimension byte offset: to the next TMA tile, if transposed
    bits 32-45  stride dimension byte offset: to the next 8 rows
    bits 62-63  1, 2, 3 for a swizzle of 128, 64, 32 bytes
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tileiras_xdsl.targets.machine import LINE_BYTES
from tileiras_xdsl.targets.tma import DESCRIPTOR_SWIZZLES, SWIZZLE_ATOM_ROWS

from .linear_layout import LinearLayout
from .tma_tiles import PIECE_BYTES, swizzled_layout

STEP_BYTES: Final = 32
"""What one instruction reads of a row along K."""
ADDRESS_MASK: Final = 0x3FFFF
"""The address bits that a descriptor encodes; higher ones are the CTA's rank in its cluster."""


@dataclass(frozen=True)
class SharedOperand:
    """Operand A, [m, k], or B, [k, n], in shared memory."""

    is_transposed: bool
    """Whether it is MN-major: the contiguous dimension is not K."""
    line: int
    """Bytes of a row of the swizzle atom."""
    lines: int
    """Rows of a TMA tile, or of both that have its even and its odd rows."""
    element_bytes: int
    k_permutation: bool = False
    """Whether even columns of operand B come before odd ones."""

    @staticmethod
    def of(
        layout: LinearLayout,
        reduction_dim: int,
        element_bytes: int,
        *,
        transposes_bytes: bool = False,
    ) -> SharedOperand | None:
        """How an MMA reads an operand, given which of its dimensions is K; `None` if it cannot."""
        operand = SharedOperand.of_or_reason(
            layout, reduction_dim, element_bytes, transposes_bytes=transposes_bytes
        )
        return operand if isinstance(operand, SharedOperand) else None

    @staticmethod
    def of_or_reason(
        layout: LinearLayout,
        reduction_dim: int,
        element_bytes: int,
        *,
        transposes_bytes: bool = False,
    ) -> SharedOperand | str:
        """
        How an MMA reads an operand, given which of its dimensions is K, or why it cannot. WGMMA
        transposes elements of two bytes only, `tcgen05` those of one as well.
        """
        transposable = (1, 2) if transposes_bytes else (2,)
        if len(layout.shape) != 2:
            return f"it has {len(layout.shape)} dimensions"
        reason = "its layout in shared memory is not that of TMA tiles"
        for fastest in (reduction_dim, 1 - reduction_dim):
            order = (fastest, 1 - fastest)
            k_permutation = layout != swizzled_layout(layout.shape, order, element_bytes)
            if k_permutation and not (
                # Columns of operand B, which are rows in shared memory.
                order == (0, 1)
                and reduction_dim == 0
                and layout.shape[1] > 1
                and layout == swizzled_layout(layout.shape, order, element_bytes, k_permutation=1)
            ):
                continue
            line = min(layout.shape[fastest] * element_bytes, LINE_BYTES)
            lines = layout.shape[1 - fastest]
            is_transposed = fastest != reduction_dim
            if is_transposed and element_bytes not in transposable:
                size = f"{element_bytes} byte{'s' if element_bytes > 1 else ''}"
                reason = f"an operand with elements of {size} has to be K-major"
            elif line not in DESCRIPTOR_SWIZZLES:
                least = min(size for size in DESCRIPTOR_SWIZZLES if size)
                reason = f"rows of {line} bytes are shorter than {least}"
            elif lines < SWIZZLE_ATOM_ROWS:
                reason = f"it has {lines} rows, fewer than {SWIZZLE_ATOM_ROWS}"
            else:
                return SharedOperand(is_transposed, line, lines, element_bytes, k_permutation)
        return reason

    def half(self, columns: int) -> SharedOperand:
        """Half of operand B along this many columns, in shared memory of its own."""
        if not self.is_transposed:
            return replace(self, lines=self.lines // 2)
        return replace(self, line=min(columns // 2 * self.element_bytes, LINE_BYTES))

    @property
    def k(self) -> int:
        """K of one instruction."""
        return STEP_BYTES // self.element_bytes

    @property
    def leading(self) -> int:
        """The leading dimension byte offset."""
        return self.lines * self.line if self.is_transposed else PIECE_BYTES

    @property
    def stride(self) -> int:
        """The stride dimension byte offset."""
        return SWIZZLE_ATOM_ROWS * self.line

    @property
    def descriptor(self) -> int:
        """The matrix descriptor of an operand at address 0."""
        return (
            DESCRIPTOR_SWIZZLES.index(self.line) << 62
            | self.stride // PIECE_BYTES << 32
            | self.leading // PIECE_BYTES << 16
        )

    def uniform_steps(self, steps: int) -> int:
        """How many K steps have the same distance: those in one row, unless transposed."""
        return steps if self.is_transposed else min(steps, self.line // STEP_BYTES)

    @property
    def step(self) -> int:
        """Bytes from one K step to the next."""
        return self.k * self.line if self.is_transposed else STEP_BYTES

    def step_offset(self, step: int) -> int:
        """The byte offset of a K step."""
        if self.is_transposed:
            return step * self.step
        per_line = self.line // STEP_BYTES
        return step // per_line * self.lines * self.line + step % per_line * STEP_BYTES

    def offset(self, place: int) -> int | None:
        """The byte offset of row (or column) `place`; `None` if no descriptor can begin there."""
        if not self.is_transposed:
            return place * self.line if place % SWIZZLE_ATOM_ROWS == 0 else None
        per_line = self.line // self.element_bytes
        return place // per_line * self.lines * self.line if place % per_line == 0 else None

    def descriptor_offset(self, place: int, step: int = 0) -> int:
        """The same where a descriptor is known to be able to begin, for a K step."""
        offset = self.offset(place)
        assert offset is not None
        return offset + self.step_offset(step)
