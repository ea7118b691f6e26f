"""
Issues loads early, and widens what they read late.

Before:  nv_tileaa.tiled_store %q, %v[%i] : …
         %k = nv_tileaa.tiled_load %w[%i] {nv_tileaa.independent} : … -> tensor<8x64xbf16>
After:   %k = nv_tileaa.tiled_load %w[%i] {nv_tileaa.independent} : … -> tensor<8x64xbf16>
         nv_tileaa.tiled_store %q, %v[%i] : …

Threads wait for memory once then, and not once for each group of loads: neither ptxas nor a thread
at a barrier issues a load before a store that may alias.

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
from xdsl.ir import Attribute, Block, Operation
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from tileiras_xdsl.analysis.live_tiles import is_cut
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.gpu import BarrierOp
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr, get_element
from tileiras_xdsl.dialects.nv_tileaa.decisions import INDEPENDENT, KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, MmaFScaledOp
from tileiras_xdsl.transforms.common.kernel_spec import (
    choose_num_warps,
    count_ctas,
    count_live_words,
    get_target,
    kernels,
)
from tileiras_xdsl.xdsl_extras.walking import find_all


@dataclass(frozen=True)
class HoistLoadsPass(ModulePass):
    """
    Moves loads that depend on no effect of their kernel, with what their addresses are computed of,
    above weak stores and barriers of their block. They stay behind all other effects, and behind
    ops that need all of a tile, such as reductions: what was loaded early would take registers
    meanwhile. Conversions of tiles to wider floats go below such ops, to their users, but not in
    loops, whose next iteration would wait for them.

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
                    hoist_in(block)
                    if block.parent_op() is function:
                        widen_late(block)


def hoist_in(block: Block) -> None:
    """Moves loads of a block above the first of the stores that precede them."""
    store: Operation | None = None
    passed: dict[Operation, None] = {}
    """Ops that loads may be moved above, or have to take with them."""
    for op in tuple(block.ops):
        if store is not None and INDEPENDENT.is_on(op):
            needed = backward_slice(op.operands, passed.__contains__)
            if all(map(is_side_effect_free, needed)):
                for each in (*filter(needed.__contains__, tuple(passed)), op):
                    each.detach()
                    block.insert_op_before(each, store)
                    passed.pop(each, None)
                continue
        if own_effects(op) == Effect.WRITE or isinstance(op, BarrierOp):
            # What a store of a scalar waits for, the loads would wait for in registers.
            if any(map(is_tile, op.operand_types)):
                store = store or op
        elif holds(op):
            store = None
            passed = {}
        if store is not None:
            passed[op] = None


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


def holds(op: Operation) -> bool:
    """Whether loads stay behind an op: it has other effects than loads, or needs whole tiles."""
    if op.regions or own_effects(op) & ~Effect.READ:
        return True
    return is_cut(op) and any(map(is_tile, op.result_types))
