"""
MMAs that read operands from shared memory, WGMMA and `tcgen05`: which dots use them, and when their
accumulators have to be promoted.

# K-permutation

Accumulators of WGMMA become operand A of another one with elements of 8 bits, as in attention.

A thread has accumulators of columns 2 t and 2 t + 1 of every 8, but 8-bit elements of operand A of
columns 4 t to 4 t + 3 of every 16: four lanes would have to exchange them. They need not if operand
B of the first WGMMA has its even columns before odd ones in shared memory. For the instruction they
are columns like all others, so what are columns 2 t and 2 t + 1 of every 8 for it are columns 4 t
and 4 t + 2 of every 16 of the tile, and 4 t + 1 and 4 t + 3 in the second half of the registers:

    %k = nv_tileas.tiled_load %v[%i] {nv_tileas.k_permutation = #nv_tileas.k_permutation<1>} : …
    %s = nv_tileas.dot %q, %k, %zero {nv_tileas.layout = …} : …        even columns first
    %p = nv_tileaa.fp_to_fp %s : …
    %o = nv_tileas.dot %p, %v, %c {nv_tileas.layout_a = …} : …         only renames registers

TMA loads every second row, twice. All else follows from the layout of the accumulators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import (
    ROW_PERMUTATIONS,
    RowPermutation,
    SharedOperand,
    wgmma_a,
    wgmma_accumulator,
)
from tileiras_xdsl.analysis.mma_instructions import (
    SMALL_FLOATS,
    ScaledInstruction,
    choose_scaled_instruction,
)
from tileiras_xdsl.analysis.slices import operands_first, reachable
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp, is_zero
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED, LAYOUT_A
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BUFFER_ALIGNMENT
from tileiras_xdsl.targets.choices import PROMOTED_COLUMNS, PROMOTION_K
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.warpgroups import WGMMA_M
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import integer_of, last_of

from .copied_loads import is_by_tma
from .layout_rules import is_elementwise, is_root, result_layout, tensors
from .tma_loads import find_uses, tile_or_reason

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
    row_permutation: RowPermutation | None = None
    """The order of rows of an operand A in registers, if threads have neighbouring ones."""


def choose_warpgroup_grid(shape: Sequence[int], num_warpgroups: int) -> WarpgroupGrid:
    """Divides rows first: warpgroups along M share nothing but operand B."""
    m = min(num_warpgroups, shape[0] // WGMMA_M)
    return WarpgroupGrid(m, num_warpgroups // m)


def find_warpgroup_grid(
    shape: Sequence[int], layout: LinearLayout, num_warpgroups: int
) -> WarpgroupGrid | None:
    """How warpgroups divide an output tile in a layout."""
    ordered = ((False, each) for each in ROW_PERMUTATIONS)
    for k_permutation, row_permutation in ((False, None), (True, None), *ordered):
        m = 1
        while m <= num_warpgroups:
            n = num_warpgroups // m
            found = wgmma_accumulator(
                shape, m, n, k_permutation=k_permutation, row_permutation=row_permutation
            )
            if found == layout:
                return WarpgroupGrid(m, n, k_permutation, row_permutation)
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


BITS: Final = 8
"""Of elements of operand A: those of 16 bits are where accumulators of plain columns are."""
FIRST_CARRIED: Final = 3
"""Operands of `scf.for` before what it carries: the bounds and the step."""


@dataclass(frozen=True)
class KPermutation:
    """Dots whose accumulators have even columns first."""

    dots: Sequence[DotOp]
    loads: dict[TiledLoadOp, int]
    """The loads of their operands B, and the dimension of the tile that the columns are."""


def takes_accumulators(op: DotOp) -> bool:
    """Whether 8-bit elements of operand A are in registers, and come from accumulators of WGMMA."""
    if not is_wgmma(op) or LAYOUT_A.get(op) is None:
        return False
    if memory_bits(get_element(op.a.type)) != BITS:
        return False
    return any(is_wgmma(dot) for dot in _made_by(_web(op.a)))


def k_permutation_or_reason(
    op: DotOp, num_warpgroups: int, axis_info: AxisInfoAnalysis
) -> KPermutation | str:
    """
    The dots that have to have even columns first, so that operand A of a dot, which comes from
    their accumulators, need not be exchanged between lanes; or why they cannot.
    """
    web = _web(op.a)
    dots = _made_by(web)
    if not all(map(is_wgmma, dots)):
        return "a dot that it comes from is not a WGMMA"
    for each in web:
        for use in each.uses:
            user = use.operation
            if isinstance(user, DotOp) and use.index == 0 and LAYOUT_A.get(user) is not None:
                bits = memory_bits(get_element(each.type))
                if bits != BITS:
                    return f"accumulators are an operand A with elements of {bits} bits as well"
    accumulator, a = _layouts(op, num_warpgroups)
    if (accumulator.lane, accumulator.warp) != (a.lane, a.warp):
        return "warpgroups divide its columns"
    loads: dict[TiledLoadOp, int] = {}
    for dot in dots:
        tile = tile_or_reason(dot.b, axis_info)
        if isinstance(tile, str):
            return f"TMA does not load operand B of the dot that it comes from: {tile}"
        if not is_by_tma(tile.load) or HALVED.is_on(tile.load):
            return "TMA does not load all of operand B of the dot that it comes from"
        if any(use.op not in dots or use.operand_index != 1 for use in find_uses(tile.load.result)):
            return "operand B of the dot that it comes from is used elsewhere as well"
        dim = _find_dim(dot, tile.load, tile.chain)
        if isinstance(dim, str):
            return f"TMA cannot load every second column of operand B: {dim}"
        loads[tile.load] = dim
    return KPermutation(dots, loads)


def _layouts(op: DotOp, num_warpgroups: int) -> tuple[LinearLayout, LinearLayout]:
    """The layouts of accumulators with even columns first, and of operand A that they become."""
    shape = get_shape(op.a.type)
    source, grid = (
        choose_warpgroup_grid(each, num_warpgroups) for each in (shape, get_shape(op.result.type))
    )
    accumulator = wgmma_accumulator(shape, source.m, source.n, k_permutation=True)
    a = wgmma_a(shape, BITS, grid.m, grid.n)
    assert accumulator is not None
    assert a is not None
    return accumulator, a


def _find_dim(dot: DotOp, load: TiledLoadOp, chain: Sequence[Operation]) -> int | str:
    """The dimension of a loaded tile that the columns of operand B are, or why TMA cannot skip."""
    tiling = TmaTiling.of_or_reason(load.view_type)
    if isinstance(tiling, str):
        return tiling
    reason = "its columns are contiguous"
    size = memory_bits(get_element(dot.b.type)) // 8
    for dim, extent in enumerate(load.view_type.get_tile_shape()):
        if extent == 1:
            continue
        changed = tiling.k_permutation_or_reason(dim)
        if isinstance(changed, str):
            reason = changed
            continue
        layout: LinearLayout | None = changed.layout
        for each in chain:
            layout = None if layout is None else result_layout(each, layout)
        operand = None if layout is None else SharedOperand.of(layout, 0, size)
        if operand is not None and operand.k_permutation:
            return dim
    return reason


def _made_by(web: Sequence[SSAValue]) -> list[DotOp]:
    """The dots whose results are among some values."""
    return [value.owner for value in web if isinstance(value.owner, DotOp)]


def _web(value: SSAValue) -> list[SSAValue]:
    """The tiles that have to have the layout of one if no element is to be moved."""
    shape = get_shape(value.type)
    flexible: dict[SSAValue, bool] = {}

    def is_flexible(value: SSAValue) -> bool:
        """Whether a tile is made of scalars and rows only, in the layout that a user wants."""
        for each in operands_first(value, made_of, flexible):
            owner = each.owner
            flexible[each] = isinstance(owner, Operation) and (
                is_root(owner)
                or isinstance(owner, BroadcastOp)
                or (is_elementwise(owner) and all(flexible[tile] for tile in made_of(each)))
            )
        return flexible[value]

    def made_of(value: SSAValue) -> Sequence[SSAValue]:
        owner = value.owner
        if not isinstance(owner, Operation) or not is_elementwise(owner):
            return ()
        return tensors(owner.operands)

    def beside(value: SSAValue) -> Iterator[SSAValue]:
        owner = value.owner
        linked = [*_linked_by(owner, value)] if isinstance(owner, Operation) else []
        if isinstance(owner, Block) and isinstance(loop := owner.parent_op(), scf.ForOp):
            linked += _carried(loop, owner.args.index(value) - 1)
        for use in value.uses:
            user = use.operation
            if isinstance(user, scf.YieldOp) and isinstance(loop := user.parent_op(), scf.ForOp):
                linked += _carried(loop, use.index)
            elif isinstance(user, scf.YieldOp) and isinstance(arm := user.parent_op(), scf.IfOp):
                linked.append(arm.results[use.index])
            elif isinstance(user, scf.ForOp) and use.index >= FIRST_CARRIED:
                linked += _carried(user, use.index - FIRST_CARRIED)
            elif isinstance(user, DotOp):
                linked += [user.result] if use.index == 2 else []
            elif is_elementwise(user) or isinstance(user, ConvertLayoutOp):
                linked += [*user.operands, *user.results]
        return (
            each
            for each in tensors(linked)
            if get_shape(each.type) == shape and not is_flexible(each)
        )

    return list(reachable([value], beside))


def _linked_by(op: Operation, result: SSAValue) -> Iterator[SSAValue]:
    """The tiles in whose layout an op has its result."""
    match op:
        case DotOp():
            yield op.accumulator
        case scf.ForOp():
            yield from _carried(op, op.results.index(result))
        case scf.IfOp():
            index = op.results.index(result)
            yield from (last_of(region.block).operands[index] for region in op.regions)
        case _ if is_elementwise(op) or isinstance(op, ConvertLayoutOp):
            yield from op.operands
        case _:
            return


def _carried(loop: scf.ForOp, index: int) -> list[SSAValue]:
    """What a loop carries at an index: before, in and after it."""
    if index < 0:
        return []
    body = loop.body.block
    return [
        loop.iter_args[index],
        body.args[index + 1],
        last_of(body).operands[index],
        loop.results[index],
    ]
