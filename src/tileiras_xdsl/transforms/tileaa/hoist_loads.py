"""
Issues loads early and once, and widens what they read late.

Before:  nv_tileaa.tiled_store %q, %v[%i] : …
         %k = nv_tileaa.tiled_load %w[%i] {nv_tileaa.independent} : … -> tensor<8x64xbf16>
After:   %k = nv_tileaa.tiled_load %w[%i] {nv_tileaa.independent} : … -> tensor<8x64xbf16>
         nv_tileaa.tiled_store %q, %v[%i] : …

Threads wait for memory once then, and not once for each group of loads: neither ptxas nor a thread
at a barrier issues a load before a store that may alias.

Before:  %x = nv_tileaa.load %p {nv_tileaa.independent} : …
         %sum = nv_tileaa.reduce %x …
         %y = nv_tileaa.load %p {nv_tileaa.independent} : …
         %w = nv_tileaa.load %q {nv_tileaa.independent} : …
After:   %x = nv_tileaa.load %p {nv_tileaa.independent} : …
         %w = nv_tileaa.load %q {nv_tileaa.independent} : …
         %sum = nv_tileaa.reduce %x …

What `%y` was is `%x`. Warps wait for each other at a reduction, and would wait for `%w` after it.
That takes registers across the reduction, so it is done as far as an SM has enough CTAs left.

Before:  %w = nv_tileaa.fp_to_fp %loaded : tensor<4096xbf16> to tensor<4096xf32>
         %sum = nv_tileaa.reduce %x …
         %y = nv_tileaa.mulf %w, …
After:   %sum = nv_tileaa.reduce %x …
         %w = nv_tileaa.fp_to_fp %loaded : tensor<4096xbf16> to tensor<4096xf32>
         %y = nv_tileaa.mulf %w, …

Across the reduction a thread has half as many registers of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from tileiras_xdsl.analysis.live_tiles import is_cut
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.gpu import BarrierOp
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr, get_element
from tileiras_xdsl.dialects.nv_tileaa.decisions import INDEPENDENT, KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, MmaFScaledOp
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.kernel_spec import (
    choose_num_warps,
    count_ctas,
    count_live_words,
    count_words,
    get_target,
    kernels,
    leaves_enough,
)
from tileiras_xdsl.xdsl_extras.walking import find_all


@dataclass(frozen=True)
class HoistLoadsPass(ModulePass):
    """
    Moves loads that depend on no effect of their kernel, with what their addresses are computed of,
    above weak stores and barriers of their block. They stay behind all other effects, and behind
    ops that need all of a tile: what was loaded early would take registers meanwhile. Outside of
    loops they go above reductions and stores of scalars as well, and one that reads what an earlier
    one did is not done again, as long as an SM has registers for as many CTAs as before, or for so
    many that some of them load while one computes. Conversions of tiles to wider floats go below
    ops that need all of a tile, to their users, but not in loops, whose next iteration would wait
    for them.

    Kernels with dots stay as they are, for TMA loads their operands, and those whose tiles leave an
    SM with a single CTA.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    """

    name = "hoist-loads"

    compute_capability: str | int | float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        for function in kernels(op):
            if find_all(function, DotOperation, MmaFScaledOp):
                continue
            blocks = {load.parent: None for load in function.walk() if INDEPENDENT.is_on(load)}
            spec = KERNEL_SPEC.get(function) or KernelSpecAttr()
            warps = choose_num_warps(function, spec, target)
            if blocks and count_ctas(count_live_words(function), warps, target) > 1:
                for block in blocks:
                    assert block is not None
                    if block.parent_op() is function:
                        room = Room(function, warps, target)
                        reuse_in(block, room)
                        hoist_in(block, room)
                        widen_late(block)
                    hoist_in(block)


class Room:
    """Registers that loads of a kernel may take where others would not be live yet, or again."""

    def __init__(self, function: FuncOp, warps: int, target: Target):
        self.function = function
        self.warps = warps
        self.target = target
        self.before = self.words = count_live_words(function)

    def take(self, load: Operation) -> bool:
        """Takes the registers of what a load reads, if there are enough."""
        words = self.words + count_words(load.result_types[0])
        return self._set(words, self.target.streaming.early_warps)

    def recount(self) -> bool:
        """Counts what is live now, if that leaves enough."""
        return self._set(count_live_words(self.function), self.target.streaming.warps)

    def _set(self, words: int, least: int) -> bool:
        loads = [
            op for op in self.function.walk() if INDEPENDENT.is_on(op) and op.results[0].first_use
        ]
        loaded = sum(count_words(op.result_types[0]) for op in loads)
        fits = leaves_enough(words, self.before, loaded, self.warps, self.target, least)
        self.words = words if fits else self.words
        return fits


def reuse_in(block: Block, room: Room) -> None:
    """Replaces loads of a block by earlier ones of the same addresses, as far as there is room."""
    known: dict[object, Operation] = {}
    same: dict[SSAValue, SSAValue] = {}
    """Values that are equal to earlier ones."""
    for op in tuple(block.ops):
        is_load = INDEPENDENT.is_on(op)
        if not (is_load or is_moved(op)):
            continue
        attributes = (*op.attributes.items(), *op.properties.items())
        operands = tuple(same.get(each, each) for each in op.operands)
        key = op.name, frozenset(attributes), operands, tuple(op.result_types)
        earlier = known.setdefault(key, op)
        if earlier is not op:
            same.update(zip(op.results, earlier.results, strict=True))
            if is_load:
                replace_by(op, earlier, room)


def replace_by(load: Operation, earlier: Operation, room: Room) -> None:
    """Replaces a load by an earlier one, if there are registers for what is live longer then."""
    uses = [(use, result) for result in load.results for use in result.uses]
    for old, new in zip(load.results, earlier.results, strict=True):
        old.replace_all_uses_with(new)
    if room.recount():
        Rewriter.erase_op(load)
    else:
        for use, result in uses:
            use.operation.operands[use.index] = result


def hoist_in(block: Block, room: Room | None = None) -> None:
    """
    Moves loads of a block above the first of the stores that precede them; with registers for them,
    above stores of scalars and reductions as well.
    """
    first: Operation | None = None
    passed: dict[Operation, None] = {}
    """Ops that loads may be moved above, or have to take with them."""
    for op in tuple(block.ops):
        if first is not None and INDEPENDENT.is_on(op):
            needed = backward_slice(op.operands, passed.__contains__)
            if all(map(is_moved, needed)) and (room is None or room.take(op)):
                for each in (*filter(needed.__contains__, tuple(passed)), op):
                    each.detach()
                    block.insert_op_before(each, first)
                    passed.pop(each, None)
                continue
        if own_effects(op) == Effect.WRITE or (room and isinstance(op, AggregateOperation)):
            # What a store of a scalar waits for, the loads would wait for in registers.
            if room or any(map(is_tile, op.operand_types)):
                first = first or op
        elif orders(op) or (room is None and needs_tiles(op)):
            first = None
            passed = {}
        if first is not None:
            passed[op] = None


def is_moved(op: Operation) -> bool:
    """Whether a load takes an op with it that it needs."""
    return is_side_effect_free(op) and not op.regions


def widen_late(block: Block) -> None:
    """Moves conversions to wider floats below ops that need all of another tile, to their users."""
    numbers = {op: number for number, op in enumerate(block.ops)}
    cuts = [numbers[op] for op in numbers if is_cut(op) and any(map(is_tile, op.operand_types))]
    for op in reversed(tuple(numbers)):
        if isinstance(op, FpToFpOp) and is_tile(op.result.type) and widens(op):
            users = [block.find_ancestor_op_in_block(use.operation) for use in op.result.uses]
            known = [user for user in users if user is not None]
            if len(known) == len(users) > 0:
                first = min(known, key=numbers.__getitem__)
                if any(numbers[op] < cut < numbers[first] for cut in cuts):
                    op.detach()
                    block.insert_op_before(op, first)
                    numbers[op] = numbers[first]


def is_tile(ty: Attribute) -> bool:
    """Whether a value is a tile."""
    return isinstance(ty, TensorType)


def widens(op: FpToFpOp) -> bool:
    """Whether elements have more bits than before."""
    before, after = (element_bit_width(get_element(ty)) for ty in (op.source.type, op.result.type))
    return before < after


def orders(op: Operation) -> bool:
    """Whether loads stay behind an op whatever registers there are."""
    if isinstance(op, BarrierOp | AggregateOperation):
        return False
    return bool(op.regions) or bool(own_effects(op) & ~Effect.READ)


def needs_tiles(op: Operation) -> bool:
    """Whether an op that makes a tile needs all of another one."""
    return bool(op.regions) or (is_cut(op) and any(map(is_tile, op.result_types)))
