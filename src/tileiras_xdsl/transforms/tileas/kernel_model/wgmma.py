"""
MMAs that read operands from shared memory, WGMMA and `tcgen05`: which dots use them, and when their
accumulators have to be promoted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import f32
from xdsl.ir import Block, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import wgmma_accumulator
from tileiras_xdsl.analysis.mma_instructions import (
    SMALL_FLOATS,
    ScaledInstruction,
    choose_scaled_instruction,
)
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import is_zero
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BUFFER_ALIGNMENT
from tileiras_xdsl.targets.choices import PROMOTED_COLUMNS, PROMOTION_K
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.warpgroups import WGMMA_M
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import integer_of

MMA_SYNC_ATOM = "mma.sm80"
"""The atom of `mma.sync`."""


def needs_accumulator_promotion(op: DotOp | AsyncDotOp) -> bool:
    """
    Whether the partial sums of an FP8 dot have to be promoted to f32. Those of a dot that adds to
    nothing, and has no more than `PROMOTION_K` along K, are its result.
    """
    if is_tcgen05(op) or op.fast_acc is not None:
        return False
    if str(get_element(op.a.type)) not in SMALL_FLOATS:
        return False
    return get_shape(op.a.type)[-1] > PROMOTION_K or not overwrites_accumulator(op)


def overwrites_accumulator(op: DotOp | AsyncDotOp) -> bool:
    """Whether a dot is known to add to nothing: the accumulator is zero, or not read."""
    if op.accumulate is not None and integer_of(op.accumulate) == 0:
        return True
    return is_zero(op.accumulator)


def has_one_partial_sum(op: DotOp | AsyncDotOp) -> bool:
    """
    Whether the partial sums of an FP8 dot that are promoted are those of one dot that adds to
    nothing, and fit in registers beside the accumulators. Then threads go on until the sums are
    needed, and add them to the accumulators there.
    """
    if not is_wgmma(op) or not needs_accumulator_promotion(op):
        return False
    layout = layout_of(op.accumulator.type)
    return (
        get_shape(op.a.type)[-1] <= PROMOTION_K
        and always_reads_accumulator(op)
        and layout is not None
        and layout.registers <= PROMOTED_COLUMNS // 2
    )


def is_waited_for_in_parts(op: DotOp | AsyncDotOp) -> bool:
    """Whether threads wait for parts of an FP8 dot as they issue it, to promote partial sums."""
    return needs_accumulator_promotion(op) and not has_one_partial_sum(op)


def always_reads_accumulator(dot: DotOp | AsyncDotOp) -> bool:
    """Whether a dot is known to read its accumulator."""
    return dot.accumulate is None or integer_of(dot.accumulate) not in (None, 0)


def get_scaled_instruction(op: ScaledDotOp, target: Target) -> ScaledInstruction:
    """The instruction of a block-scaled dot; fails if the target has none."""
    sizes = (*get_shape(op.result.type)[-2:], op.k)
    a, b = op.elements
    elements = a, get_element(op.scale_a.type)
    found = choose_scaled_instruction(*elements, op.get_block(), sizes, target)
    others = b, get_element(op.scale_b.type)
    if found is None or elements != others or get_element(op.result.type) != f32:
        fail(
            op,
            f"{target} has no mma.sync with block_scale for '{op.a.type}', '{op.b.type}', "
            f"'{op.scale_a.type}' and '{op.scale_b.type}'",
        )
    return found


# How warpgroups divide the output tile of a WGMMA.


@dataclass(frozen=True)
class WarpgroupGrid:
    """How warpgroups divide an output tile."""

    m: int
    n: int
    k_permutation: bool = False
    """Whether even columns come before odd ones, as operand B has them in shared memory."""


def choose_warpgroup_grid(shape: Sequence[int], num_warpgroups: int) -> WarpgroupGrid:
    """Divides rows first: warpgroups along M share nothing but operand B."""
    m = min(num_warpgroups, shape[0] // WGMMA_M)
    return WarpgroupGrid(m, num_warpgroups // m)


def find_warpgroup_grid(
    shape: Sequence[int], layout: LinearLayout, num_warpgroups: int
) -> WarpgroupGrid | None:
    """How warpgroups divide an output tile in a layout."""
    for k_permutation in (False, True):
        m = 1
        while m <= num_warpgroups:
            n = num_warpgroups // m
            if wgmma_accumulator(shape, m, n, k_permutation=k_permutation) == layout:
                return WarpgroupGrid(m, n, k_permutation)
            m *= 2
    return None


# Slots: shared memory in which consumer warps put one operand of WGMMA after the other.
#
#     %a1, %b1 → dot 1       slots 0 and 1
#     %a2, %b1 → dot 2       slots 2 and 1
#     %a3, %b3 → dot 3       slots 0 and 2: what was there is read, and another was written since
#
# An operand keeps its slot from the first dot of its block that reads it to the last one. A slot
# is not taken again at once, so that the WGMMAs that read it may be in flight while the next
# operand is written elsewhere.

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
        if not operands:
            return
        last = {(dot.operands[index], index): position for position, dot, index in operands}
        slots = [*map(Slot, range(len(self.sizes)))]
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
