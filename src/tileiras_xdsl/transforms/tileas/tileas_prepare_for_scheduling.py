"""
Hoists epilogue loads above the main loop, in accumulator layout, and initializes accumulators
before the first MMA.

Before:  %acc = scf.for … { nv_tileas.dot … }
         %c = nv_tileas.tiled_load %v[%i, %j] : … -> tensor<128x256xf16, #coalesced>
         %d = nv_tileas.convert_layout %c : … -> tensor<128x256xf16, #mma>
         %r = nv_tileaa.addf %acc, %d
After:   %c = nv_tileas.tiled_load %v[%i, %j] : … -> tensor<128x256xf16, #mma>
         %acc = scf.for … { nv_tileas.dot … }
         %r = nv_tileaa.addf %acc, %c

Before:  %b = nv_tileas.tiled_load %v[%j] : … -> tensor<256xf16, #distributed>
         %c = nv_tileas.convert_layout %b : … -> tensor<256xf16, #columns>   a barrier of all warps
After:   %b = nv_tileas.tiled_load %v[%j] : … -> tensor<256xf16, #whole>     in each warp
         %c = nv_tileas.convert_layout %b : … -> tensor<256xf16, #columns>   shuffles

Before:  %s = nv_tileas.dot %a, %b, %s0
         %u = nv_tileaa.mulf %u0, %half
         %t = nv_tileas.dot %a, %c, %u
After:   %u = nv_tileaa.mulf %u0, %half
         %s = nv_tileas.dot %a, %b, %s0
         %t = nv_tileas.dot %a, %c, %u
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.layout_conversion import ThroughShared, plan_conversion
from tileiras_xdsl.analysis.linear_layout import LinearLayout, stays_in_warp
from tileiras_xdsl.analysis.matrix_layouts import contiguous_run
from tileiras_xdsl.analysis.memory_order import may_move_before
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ViewOperation
from tileiras_xdsl.dialects.nv_tileas.atoms import find_async_mmas
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, get_vector
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.targets.choices import MIN_ACCESS_BYTES, MOST_COPYING_ACCESSES
from tileiras_xdsl.transforms.common.kernel_spec import get_warpgroups, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .kernel_model.layout_rules import is_elementwise, is_root, set_anchor_layout
from .kernel_model.registers import consumer_registers, type_registers
from .kernel_model.slicing import is_pure


@dataclass(frozen=True)
class TileasPrepareForSchedulingPass(ModulePass):
    """
    Prepares kernels with WGMMA for software pipelining and warp specialization:

    - A tile that is loaded and then converted to another layout, such as the accumulator's, is
      loaded in that layout, if accesses stay wide enough. The conversion, and its shared memory,
      are gone.
    - A small tile of an epilogue of which each warp needs elements of other warps, such as a bias,
      is loaded by each warp as a whole: its conversion then makes no warp wait for others, so that
      one warpgroup multiplies while another one is in its epilogue.
    - Epilogue loads are hoisted above the main loop, if register pressure permits, to hide their
      latency.
    - Ops that initialize or rescale an accumulator are hoisted above the first WGMMA of their
      block, if they depend on none of them: ptxas serializes WGMMAs when a thread touches an
      accumulator register while one is in flight.
    """

    name = "tileas-prepare-for-scheduling"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if find_async_mmas(function):
                load_in_accumulator_layout(function)
                load_in_each_warp(function)
                hoist_epilogue_loads(function)
                hoist_accumulator_initialization(function)


def load_in_accumulator_layout(function: FuncOp) -> None:
    """Folds layout conversions into the loads whose tiles they convert."""
    for op in find_all(function, ConvertLayoutOp):
        target = layout_of(op.results[0].type)
        chain = find_chain(op.operands[0])
        if chain is None or target is None or not fits(chain[0], target):
            continue
        for each in chain:
            result = each.results[0]
            assert isinstance(result.type, TensorType)
            Rewriter.replace_value_with_new_type(result, with_layout(result.type, target))
        set_anchor_layout(chain[0], LAYOUT, target)
        op.results[0].replace_all_uses_with(op.operands[0])
        Rewriter.erase_op(op)


def load_in_each_warp(function: FuncOp) -> None:
    """
    Lets each warp load what conversions of epilogues would exchange between warps, of tiles of
    which threads have copies. In front of a main loop warpgroups are not apart yet.
    """
    for op in find_all(function, ConvertLayoutOp):
        if find_main_loop(op) is None:
            continue
        source, target = layout_of(op.operands[0].type), layout_of(op.results[0].type)
        if source is None or target is None or stays_in_warp(source, target):
            continue
        chain = find_chain(op.operands[0], through_views=True)
        if chain is None or not has_copies(target):
            continue
        layout = share_among_lanes(target)
        loaded = layout.reshape(get_shape(chain[0].results[0].type))
        bits = memory_bits(get_element(op.results[0].type))
        plan = plan_conversion(layout, target, bits, ldmatrix=True)
        if not fits(chain[0], loaded) or isinstance(plan, ThroughShared):
            continue
        for each in chain:
            result = each.results[0]
            assert isinstance(result.type, TensorType)
            layout = loaded.reshape(result.type.get_shape())
            Rewriter.replace_value_with_new_type(result, with_layout(result.type, layout))
        set_anchor_layout(chain[0], LAYOUT, loaded)
        widen_behind(op, chain)


def widen_behind(conversion: ConvertLayoutOp, chain: Sequence[Operation]) -> None:
    """
    Converts the layout of a tile before its elements become wider: a shuffle moves two elements of
    16 bits.
    """
    widening = chain[-1]
    views: list[Operation] = []
    while isinstance(widening, ViewOperation):
        views.insert(0, widening)
        widening = chain[len(chain) - 1 - len(views)]
    if not isinstance(widening, FpToFpOp):
        return
    narrow, wide = get_element(widening.source.type), get_element(widening.result.type)
    if memory_bits(narrow) >= memory_bits(wide):
        return
    result = conversion.results[0]
    after = FpToFpOp.create(
        operands=[result], result_types=[result.type], properties=dict(widening.properties)
    )
    after.location = widening.location
    Rewriter.insert_op(after, InsertPoint.after(conversion))
    result.replace_uses_with_if(after.result, lambda use: use.operation is not after)
    widening.result.replace_all_uses_with(widening.source)
    for op in (*views, conversion):
        ty = op.results[0].type
        assert isinstance(ty, TensorType)
        Rewriter.replace_value_with_new_type(
            op.results[0], TensorType(narrow, ty.get_shape(), ty.encoding)
        )
    Rewriter.erase_op(widening)


def share_among_lanes(layout: LinearLayout) -> LinearLayout:
    """
    A layout of the same elements in each warp, with fewer copies: lanes that have the same ones
    take a share of them each. Two neighbours stay together, for wide accesses.
    """
    copies = layout.free_bits("lane")
    lane, register = list(layout.lane), list(layout.register)
    for bit in range(len(lane)):
        if copies >> bit & 1 and len(register) > 1:
            lane[bit] = register.pop(1)
    return layout.replaced(register=register, lane=lane)


def find_chain(value: SSAValue, *, through_views: bool = False) -> list[Operation] | None:
    """
    The load and elementwise ops, and views if these are allowed, that compute a value, if they
    have no other use.
    """
    chain: list[Operation] = []
    while True:
        op = value.owner
        if not isinstance(op, Operation) or not value.has_one_use():
            return None
        chain.insert(0, op)
        if isinstance(op, TiledLoadOp):
            return chain
        if len(op.operands) != 1 or not (
            is_elementwise(op) or (through_views and isinstance(op, ViewOperation))
        ):
            return None
        value = op.operands[0]


def fits(load: Operation, layout: LinearLayout) -> bool:
    """
    Whether accesses are wide enough if a tile is loaded in a layout, and few enough if several
    threads load the same elements.
    """
    vector = get_vector(load)
    if vector is None:
        return False
    run = min(vector.width, contiguous_run(layout, vector.dim))
    if has_copies(layout) and layout.registers // run > MOST_COPYING_ACCESSES:
        return False
    return run * memory_bits(get_element(load.results[0].type)) >= 8 * MIN_ACCESS_BYTES


def has_copies(layout: LinearLayout) -> bool:
    """Whether several threads have the same elements."""
    return bool(layout.free_bits("lane") or layout.free_bits("warp"))


def hoist_epilogue_loads(function: FuncOp) -> None:
    """
    Hoists epilogue loads, with the address computation they depend on, above the main loop.
    """
    moved: dict[scf.ForOp, list[Operation]] = {}
    for op in filter(is_plain_load, walk(function)):
        loop = find_main_loop(op)
        if loop is None or not may_move_before(op, loop):
            continue
        needed = find_address_slice(op, loop)
        if needed is None or not has_registers_for(loop, [*moved.get(loop, ()), op]):
            continue
        for each in (*needed, op):
            each.detach()
            Rewriter.insert_op(each, InsertPoint.before(loop))
        moved.setdefault(loop, []).append(op)


def find_main_loop(op: Operation) -> scf.ForOp | None:
    """The last loop with WGMMAs before an op in its block."""
    before = op.prev_op
    while before is not None:
        if isinstance(before, scf.ForOp) and find_async_mmas(before):
            return before
        before = before.prev_op
    return None


def find_address_slice(load: Operation, loop: scf.ForOp) -> list[Operation] | None:
    """
    The ops after a loop that a load depends on, in order; None unless all of them can be hoisted.
    """
    block = loop.parent_block()
    assert block is not None
    needed = backward_slice(
        load.operands, lambda op: op.parent_block() is block and not op.is_before_in_block(loop)
    )
    if any(op.regions or not is_pure(op) for op in needed):
        return None
    return [op for op in block.ops if op in needed]


def has_registers_for(loop: scf.ForOp, loads: Sequence[Operation]) -> bool:
    """Whether registers suffice for loaded tiles beside the accumulators of a loop."""
    accumulators = sum(
        type_registers(result.type) for op in find_async_mmas(loop) for result in op.results
    )
    loaded = sum(type_registers(result.type) for load in loads for result in load.results)
    needed = accumulators + loaded + get_warpgroups(loop).overhead_registers
    return needed <= consumer_registers(loop)


def hoist_accumulator_initialization(function: FuncOp) -> None:
    """Hoists the computation of accumulators above the first WGMMA of its block."""
    firsts: dict[Block, Operation] = {}
    for op in find_async_mmas(function):
        block = op.parent_block()
        assert block is not None
        first = firsts.setdefault(block, op)
        if first is op:
            continue
        for each in find_hoistable_slice(op.operands[2], block, first) or ():
            each.detach()
            Rewriter.insert_op(each, InsertPoint.before(first))


def find_hoistable_slice(value: SSAValue, block: Block, first: Operation) -> list[Operation] | None:
    """The ops after a WGMMA that compute a value, in order; None if they cannot be hoisted."""
    after = list(block.ops)[block.get_operation_index(first) :]
    needed = backward_slice([value], after.__contains__)
    if not all(is_elementwise(op) or is_root(op) for op in needed):
        return None
    return [op for op in after if op in needed]
