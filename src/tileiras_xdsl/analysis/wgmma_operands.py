"""
Factors of warpgroup products in shared memory: the descriptors that `wgmma` reads them by.

A factor lies as `tensor_boxes` puts it. If the dimension that is summed up is the fastest, a line
has several steps of 32 bytes; else a step is as many lines as it has terms. Descriptors grow by
units of 16 bytes:

    bits  0-13  address        16-29  from box to box (leading)     32-45  from 8 lines to the next
    bits 62-63  1, 2, 3 for lines of 128, 64, 32 bytes
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tileiras_xdsl.targets.machine import LINE_BYTES
from tileiras_xdsl.targets.tma import DESCRIPTOR_SWIZZLES

from .linear_layout import LinearLayout
from .tma_tiles import PIECE_BYTES, SWIZZLED_LINES, tma_tile_layout

STEP_BYTES: Final = 32
"""What one instruction takes of a line along the summed dimension."""
ADDRESS_MASK: Final = 0x3FFFF
"""The bits of an address that count; others say which block of a cluster it belongs to."""


@dataclass(frozen=True)
class SharedOperand:
    """A factor of a product, [m, k] or [k, n], in shared memory."""

    is_transposed: bool
    """Whether the fastest dimension is not the summed one."""
    line: int
    """Bytes of a line."""
    lines: int
    """Of a box."""
    element_bytes: int

    @staticmethod
    def of(layout: LinearLayout, summed: int, element_bytes: int) -> SharedOperand | None:
        """How a factor can be read, given which of its dimensions is summed; none if it cannot."""
        factor = SharedOperand.of_or_reason(layout, summed, element_bytes)
        return factor if isinstance(factor, SharedOperand) else None

    @staticmethod
    def of_or_reason(layout: LinearLayout, summed: int, element_bytes: int) -> SharedOperand | str:
        """How a factor can be read, given which of its dimensions is summed, or why it cannot."""
        if len(layout.shape) != 2:
            return f"it has {len(layout.shape)} dimensions"
        reason = "its elements lie in no order of boxes"
        for fastest in (summed, 1 - summed):
            if layout != tma_tile_layout(layout.shape, (fastest, 1 - fastest), element_bytes):
                continue
            line = min(layout.shape[fastest] * element_bytes, LINE_BYTES)
            lines = layout.shape[1 - fastest]
            is_transposed = fastest != summed
            if is_transposed and element_bytes != 2:
                size = f"{element_bytes} byte{'s' if element_bytes > 1 else ''}"
                reason = f"elements of {size} have to lie along the summed dimension"
            elif line not in DESCRIPTOR_SWIZZLES:
                least = min(size for size in DESCRIPTOR_SWIZZLES if size)
                reason = f"lines of {line} bytes are shorter than {least}"
            elif lines < SWIZZLED_LINES:
                reason = f"its lines, {lines}, are fewer than {SWIZZLED_LINES}"
            else:
                return SharedOperand(is_transposed, line, lines, element_bytes)
        return reason

    @property
    def terms(self) -> int:
        """How many terms one instruction sums up."""
        return STEP_BYTES // self.element_bytes

    @property
    def descriptor(self) -> int:
        """The descriptor of a factor at address 0."""
        leading = self.lines * self.line if self.is_transposed else PIECE_BYTES
        stride = SWIZZLED_LINES * self.line
        return (
            DESCRIPTOR_SWIZZLES.index(self.line) << 62
            | stride // PIECE_BYTES << 32
            | leading // PIECE_BYTES << 16
        )

    def run(self, steps: int) -> int:
        """After how many of so many steps their distance changes."""
        return steps if self.is_transposed else min(steps, self.line // STEP_BYTES)

    @property
    def step(self) -> int:
        """From one step to the next, in bytes."""
        return self.terms * self.line if self.is_transposed else STEP_BYTES

    def step_offset(self, step: int) -> int:
        """Where a step begins, in bytes."""
        if self.is_transposed:
            return step * self.step
        per_line = self.line // STEP_BYTES
        return step // per_line * self.lines * self.line + step % per_line * STEP_BYTES

    def offset(self, place: int) -> int | None:
        """Where rows (or columns) from a place on begin, in bytes; none if no descriptor can."""
        if not self.is_transposed:
            return place * self.line if place % SWIZZLED_LINES == 0 else None
        per_line = self.line // self.element_bytes
        return place // per_line * self.lines * self.line if place % per_line == 0 else None
