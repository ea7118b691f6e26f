"""
The layouts of WGMMA.

    nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>, nv_tileas.layout = …,
        nv_tileas.layout_a = …} : …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.dialects.builtin import FloatTF32Type, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.matrix_layouts import wgmma_a, wgmma_accumulator
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    EVEN_FIRST,
    LAYOUT,
    LAYOUT_A,
    EvenFirstAttr,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, PlainDotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ViewOp
from tileiras_xdsl.dialects.tileiras import explain
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05_schedule import TensorMemoryWarpgroups
from tileiras_xdsl.targets.warpgroups import MIN_COLUMNS, Warpgroups, live_registers
from tileiras_xdsl.transforms.common.accumulator_liveness import find_live_together, live_shapes
from tileiras_xdsl.transforms.common.kernel_spec import get_occupancy, set_warps
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..kernel_model.copied_loads import mark_copied, unmark_copied
from ..kernel_model.even_first import even_first_or_reason, takes_accumulators
from ..kernel_model.interleaved_dots import are_interleaved
from ..kernel_model.layout_rules import memory_bits, set_anchor_layout
from ..kernel_model.tile_pressure import peak_words
from ..kernel_model.tma_loads import find_load, operand_or_reason
from ..kernel_model.wgmma import WGMMA_ATOM, get_mma_instruction
from ..kernel_model.wgmma_grid import choose_warpgroup_grid
from ..kernel_model.wgmma_selection import (
    NOT_MIXED,
    can_use_wgmma,
    drop_mixed,
    drop_unfitting,
    find_copied_operands,
    find_copied_views,
    find_possible,
    find_shared_tiles,
    find_wasted_copies,
    operand_bytes,
    refuse,
    why_not_wgmma,
)
from ..kernel_model.written_operands import find_written_layouts, keeps_a_in_registers
from .carried_tiles import carry_accumulators
from .dot_anchors import convert_operand
from .swapped_dots import swap_sides
from .tcgen05_layouts import assign_tcgen05

SEGMENTS = "operandSegmentSizes"


def assign_wgmma(
    function: FuncOp, target: Target, *, even_first: bool = True
) -> Mapping[DotOp, str]:
    """
    Assigns WGMMA to the dots of a kernel that it can do, and the number of warpgroups; orders
    columns of operands B for an operand A of 8 bits, if `even_first` allows that. Returns why the
    other dots are none.
    """
    for load in find_all(function, TiledLoadOp):
        EVEN_FIRST.drop(load)
        unmark_copied(load)
    warpgroups = target.warpgroups
    refusals: dict[DotOp, str] = {}
    if warpgroups is None:
        return refusals
    dots = [_drop_batch(op) for op in find_all(function, DotOp)]
    if not dots:
        return refusals
    carry_accumulators(function)
    if isinstance(warpgroups, TensorMemoryWarpgroups):
        return assign_tcgen05(function, dots, target, warpgroups)
    axis_info = analyze(function)
    dots = swap_sides(dots, axis_info, lambda op: can_use_wgmma(op, target, axis_info))
    for load in find_copied_views(dots, axis_info):
        mark_copied(load)
    while True:
        refusals.clear()
        found, num_warpgroups = _choose_dots(
            function, dots, target, warpgroups, axis_info, refusals
        )
        wasted = find_wasted_copies(found, dots, num_warpgroups, target, axis_info)
        if not wasted:
            break
        for load in wasted:
            unmark_copied(load)
    if not found:
        return refusals
    set_warps(function, WARPGROUP_WARPS * num_warpgroups)
    for op in found:
        mma = get_mma_instruction(op, target)
        if mma is not None and isinstance(mma.operand_type, FloatTF32Type):
            for number in (0, 1):
                convert_operand(op, number, mma.operand_type)
    for load in find_copied_operands(found, num_warpgroups, target, axis_info):
        mark_copied(load)
    for op in found:
        _assign(op, num_warpgroups)
    if even_first:
        for op in found:
            _order_columns(op, num_warpgroups, axis_info)
    return refusals


def _choose_dots(
    function: FuncOp,
    dots: Sequence[DotOp],
    target: Target,
    warpgroups: Warpgroups,
    axis_info: AxisInfoAnalysis,
    refusals: dict[DotOp, str],
) -> tuple[list[DotOp], int]:
    """
    The dots of a kernel that WGMMA does, and the number of warpgroups that it takes. Why it does
    not do the others goes to `refusals`.
    """
    found = find_possible(dots, lambda op: why_not_wgmma(op, target, axis_info), refusals)
    found = refuse(refusals, found, drop_mixed(found, dots), NOT_MIXED.format("WGMMA"))
    tiles = peak_words(function, find_shared_tiles(found, axis_info))
    live, operand_words = live_shapes(found), max(map(computed_words, found), default=0)
    num_warpgroups = warpgroups.choose_num_warpgroups(live, tiles, operand_words)
    if num_warpgroups is None:
        refusals.update(why_not_together(found, warpgroups))
        return [], 0
    if (
        num_warpgroups == warpgroups.max_warpgroups
        and get_occupancy(function) == 1
        and len(found) == len(dots)
        and are_interleaved(found)
        and warpgroups.can_interleave(live, operand_words)
    ):
        num_warpgroups = warpgroups.interleaved_warpgroups
    shared = [op for op in found if can_share(op, num_warpgroups, axis_info)]
    for op in found:
        if op not in shared:
            columns = get_shape(op.result.type)[1]
            refusals[op] = f"its N = {columns} cannot be divided among warpgroups"
    kept = drop_unfitting(shared, num_warpgroups, target, axis_info)
    if len(kept) < len(shared):
        total = operand_bytes(shared, num_warpgroups, axis_info)
        reason = f"operands of WGMMAs would take {total} bytes of shared memory"
        refuse(refusals, shared, kept, reason)
    return kept, num_warpgroups


def why_not_together(dots: Sequence[DotOp], warpgroups: Warpgroups) -> dict[DotOp, str]:
    """Why dots that WGMMA could do are none: accumulators that are live together do not fit."""
    live = find_live_together(dots)
    # Accumulator registers per thread, with as many warpgroups as possible.
    shapes = [[get_shape(each.result.type) for each in some] for some in live]
    needed = [live_registers([each], warpgroups.max_warpgroups) for each in shapes]
    limit, reasons = warpgroups.max_accumulator_registers, dict[DotOp, str]()
    for op in dots:
        own = max(number for some, number in zip(live, needed, strict=True) if op in some)
        where, number = ("with its own", own) if own > limit else ("elsewhere", max(needed))
        reasons[op] = (
            f"accumulators that are live {where} take {number} registers per thread with "
            f"{warpgroups.max_warpgroups} warpgroups, more than {limit}"
        )
    return reasons


def computed_words(op: DotOp) -> int:
    """The words of an operand A that is computed: it is in registers."""
    if find_load(op.a) is not None:
        return 0
    return prod(get_shape(op.a.type)) * memory_bits(get_element(op.a.type)) // 32


def can_share(op: DotOp, num_warpgroups: int, axis_info: AxisInfoAnalysis) -> bool:
    """Whether warpgroups can divide a dot: a matrix descriptor can address the part of each."""
    shape = get_shape(op.result.type)
    grid = choose_warpgroup_grid(shape, num_warpgroups)
    columns = shape[1] // grid.n
    if columns < MIN_COLUMNS:
        return False
    operand = operand_or_reason(op.b, 0, axis_info)
    if isinstance(operand, str):
        size = memory_bits(get_element(op.b.type)) // 8
        return bool(find_written_layouts(get_shape(op.b.type), 0, size, columns))
    return operand.offset(columns) is not None


def _drop_batch(op: DotOp) -> DotOp:
    """A batched dot of one batch without the batch dimension."""
    shape = get_shape(op.result.type)
    if len(shape) != 3 or shape[0] != 1 or isinstance(op, ScaledDotOp):
        return op
    values = [_reshape(op, value, get_shape(value.type)[1:]) for value in op.operands[:3]]
    properties = {name: each for name, each in op.properties.items() if name != SEGMENTS}
    dot = PlainDotOp(values[0], values[1], values[2], op.accumulate, properties)
    dot.location = op.location
    Rewriter.insert_op(dot, InsertPoint.before(op))
    result = _reshape(op, dot.result, shape)
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)
    return dot


def _reshape(op: Operation, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    view = ViewOp(value, TensorType(get_element(value.type), shape))
    view.location = op.location
    Rewriter.insert_op(view, InsertPoint.before(op))
    return view.result


def _assign(op: DotOp, num_warpgroups: int) -> None:
    shape = get_shape(op.result.type)
    grid = choose_warpgroup_grid(shape, num_warpgroups)
    accumulator = wgmma_accumulator(shape, grid.m, grid.n)
    bits = memory_bits(get_element(op.a.type))
    a = wgmma_a(get_shape(op.a.type), bits, grid.m, grid.n)
    assert accumulator is not None
    assert a is not None
    op.properties["atom"] = AtomAttr(WGMMA_ATOM)
    set_anchor_layout(op, LAYOUT, accumulator)
    if keeps_a_in_registers(op, grid):
        set_anchor_layout(op, LAYOUT_A, a)


def _order_columns(op: DotOp, num_warpgroups: int, axis_info: AxisInfoAnalysis) -> None:
    """Puts accumulators where operand A of a dot has them, if that takes TMA loads only."""
    if not takes_accumulators(op):
        return
    found = even_first_or_reason(op, num_warpgroups, axis_info)
    if isinstance(found, str):
        text = "threads exchange accumulators that become operand A"
        explain(op, "Missed", "TensorCore", text, name="EvenFirst", reason=found)
        return
    for load, dim in found.loads.items():
        EVEN_FIRST.set(load, EvenFirstAttr(dim))
    for dot in found.dots:
        shape = get_shape(dot.result.type)
        grid = choose_warpgroup_grid(shape, num_warpgroups)
        accumulator = wgmma_accumulator(shape, grid.m, grid.n, even_first=True)
        assert accumulator is not None
        set_anchor_layout(dot, LAYOUT, accumulator)
