"""
Slots: shared memory in which consumer warps put one operand of WGMMA after the other.

    %a1, %b1 → dot 1       slots 0 and 1
    %a2, %b1 → dot 2       slots 2 and 1
    %a3, %b3 → dot 3       slots 0 and 2: what was there is read, and another was written since

An operand keeps its slot from the first dot of its block that reads it to the last one. A slot is
not taken again at once, so that the WGMMAs that read it may be in flight while the next operand is
written elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Block, SSAValue

from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp

from .layout_rules import memory_bits
from .shared_memory import BUFFER_ALIGNMENT

Operand = tuple[DotOp, int]
"""A dot, and the index of one of its operands."""


@dataclass
class Slot:
    """A slot while the operands of a block are assigned."""

    index: int
    last_use: int = -1
    """The position of the last dot that reads what is in it."""
    writes: int = 0
    """How many operands of the block were written before that."""


@dataclass
class OperandSlots:
    """Which slot each operand that consumer warps write has, and how large slots are."""

    of: dict[Operand, int] = field(default_factory=dict[Operand, int])
    sizes: list[int] = field(default_factory=list[int])

    @property
    def bytes(self) -> int:
        """Of all slots."""
        return sum(self.sizes)

    @staticmethod
    def plan(dots: Sequence[DotOp], find_written: Callable[[DotOp], Sequence[int]]) -> OperandSlots:
        """Assigns slots to the operands of some dots in program order that are written."""
        slots = OperandSlots()
        blocks: dict[Block | None, list[DotOp]] = {}
        for dot in dots:
            blocks.setdefault(dot.parent_block(), []).append(dot)
        for block_dots in blocks.values():
            slots._assign(block_dots, find_written)
        return slots

    def _assign(
        self, dots: Sequence[DotOp], find_written: Callable[[DotOp], Sequence[int]]
    ) -> None:
        """Assigns slots to the operands of a block, in which no slot is taken at first."""
        operands = [
            (position, dot, index)
            for position, dot in enumerate(dots)
            for index in find_written(dot)
        ]
        last = {(dot.operands[index], index): position for position, dot, index in operands}
        slots = [Slot(number) for number in range(len(self.sizes))]
        held: dict[tuple[SSAValue, int], Slot] = {}
        writes = 0
        for position, dot, index in operands:
            key = dot.operands[index], index
            if key not in held:
                size = _bytes(key[0])
                slot = self._choose(slots, size, position, writes)
                writes += 1
                self.sizes[slot.index] = max(self.sizes[slot.index], size)
                slot.last_use = last[key]
                held[key] = slot
            held[key].writes = writes
            self.of[dot, index] = held[key].index

    def _choose(self, slots: list[Slot], size: int, position: int, writes: int) -> Slot:
        """The slot that has to grow least, of those that are free and were not read just now."""
        free = [
            slot
            for slot in slots
            if slot.last_use < position and (slot.last_use < 0 or slot.writes < writes)
        ]
        if not free:
            self.sizes.append(0)
            slots.append(slot := Slot(len(slots)))
            return slot
        return min(free, key=lambda slot: (max(0, size - self.sizes[slot.index]), slot.last_use))


def _bytes(value: SSAValue) -> int:
    size = prod(get_shape(value.type)) * memory_bits(get_element(value.type)) // 8
    return -(-size // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
