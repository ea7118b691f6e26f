"""
The layouts of dots by `tcgen05`, as long as their accumulators are still in registers.

    nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = …,
        nv_tileas.layout_a = …} : …

They are those in which threads read an accumulator from tensor memory, and write an operand A
there: each has a row. `tileas-assign-tensor-memory` follows, when all layouts are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from xdsl.dialects.builtin import FloatTF32Type
from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.analysis.tensor_memory_tiles import choose_row_grid, row_layout
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, LAYOUT_A
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05_schedule import TensorMemoryWarpgroups
from tileiras_xdsl.transforms.common.accumulator_liveness import live_shapes
from tileiras_xdsl.transforms.common.kernel_spec import set_warps

from ..kernel_model.layout_rules import set_anchor_layout
from ..kernel_model.scaled_tcgen05 import is_written
from ..kernel_model.tcgen05_selection import (
    can_use_tcgen05,
    fitting_dots,
    has_row_layout,
    keeps_a_in_tensor_memory,
    why_not_tcgen05,
)
from ..kernel_model.tile_pressure import peak_words
from ..kernel_model.tma_loads import find_load
from ..kernel_model.wgmma import TCGEN05_ATOM, get_mma_instruction
from ..kernel_model.wgmma_selection import (
    NOT_MIXED,
    drop_mixed,
    drop_unfitting,
    find_possible,
    find_shared_tiles,
    refuse,
)
from .dot_anchors import convert_operand
from .prepared_dots import PreparedDots
from .swapped_dots import swap_sides
from .tensor_memory_plan import drop_overflowing

NO_COLUMNS: Final = (
    "accumulators that are live together do not fit in tensor memory or in registers"
)
NO_ROOM: Final = "operands would not fit in shared memory, or tiles in tensor memory"


def assign_tcgen05(
    function: FuncOp, dots: list[DotOp], target: Target, warpgroups: TensorMemoryWarpgroups
) -> Mapping[DotOp, str]:
    """
    Assigns `tcgen05` to the dots of a kernel that it can do, and the number of warpgroups.
    Block-scaled dots that it cannot do are computed in f32. Returns why it does not do the others.
    """
    scaled = PreparedDots(function)
    refusals = assign_dots(function, [scaled.prepare(op) for op in dots], target, warpgroups)
    scaled.emulate_others()
    return refusals


def assign_dots(
    function: FuncOp, dots: list[DotOp], target: Target, warpgroups: TensorMemoryWarpgroups
) -> Mapping[DotOp, str]:
    """The same, for dots whose operands are as `tcgen05` reads them."""
    axis_info = analyze(function)
    dots = swap_sides(dots, axis_info, lambda op: can_use_tcgen05(op, target, axis_info))
    refusals: dict[DotOp, str] = {}
    found = find_possible(dots, lambda op: why_not_tcgen05(op, target, axis_info), refusals)
    found = refuse(refusals, found, drop_mixed(found, dots), NOT_MIXED.format("tcgen05"))
    found = refuse(refusals, found, fitting_dots(found, warpgroups), NO_COLUMNS)
    num_warpgroups = warpgroups.choose_num_warpgroups(live_shapes(found))
    if num_warpgroups is None:
        return refusals
    if any(isinstance(op, ScaledDotOp) and is_written(op, axis_info) for op in found):
        # Each thread loads and writes half as much.
        num_warpgroups = warpgroups.max_warpgroups

    def keep(num_warpgroups: int) -> list[DotOp]:
        """Those of the dots found that so many warpgroups can do."""
        kept = [op for op in found if has_row_layout(op, num_warpgroups)]
        count = None
        # Load groups that threads read as well share no buffers: fewer dots may need more memory.
        while len(kept) != count:
            count = len(kept)
            kept = drop_unfitting(kept, num_warpgroups, target, axis_info, keeps_a, transposed=True)
            kept = drop_overflowing(
                function,
                kept,
                warpgroups.columns,
                lambda op: _assign(op, num_warpgroups),
                lambda kept: drop_mixed(kept, dots),
            )
        return kept

    kept = keep(num_warpgroups)
    if len(kept) < len(dots):
        # Accumulators of the others are in registers.
        elsewhere = {*find_shared_tiles(kept, axis_info), *(op.result for op in kept)}
        if warpgroups.is_short_of_registers(peak_words(function, elsewhere), num_warpgroups):
            num_warpgroups = warpgroups.max_warpgroups
            kept = keep(num_warpgroups)
    found = refuse(refusals, found, kept, NO_ROOM)
    if not found:
        return refusals
    set_warps(function, WARPGROUP_WARPS * num_warpgroups)
    for op in found:
        mma = None if isinstance(op, ScaledDotOp) else get_mma_instruction(op, target)
        if mma is not None and isinstance(mma.operand_type, FloatTF32Type):
            for number in (0, 1):
                convert_operand(op, number, mma.operand_type)
        _assign(op, num_warpgroups)
    return refusals


def keeps_a(op: DotOp, num_warpgroups: int) -> bool:
    """Whether operand A of a dot is loaded to shared memory, or written to tensor memory."""
    grid = choose_row_grid(get_shape(op.result.type), num_warpgroups)
    return find_load(op.a) is not None or keeps_a_in_tensor_memory(op, grid)


def _assign(op: DotOp, num_warpgroups: int) -> None:
    shape = get_shape(op.result.type)
    grid = choose_row_grid(shape, num_warpgroups)
    accumulator = row_layout(shape, grid)
    assert accumulator is not None
    op.properties["atom"] = AtomAttr(TCGEN05_ATOM)
    set_anchor_layout(op, LAYOUT, accumulator)
    if keeps_a_in_tensor_memory(op, grid):
        a = row_layout(get_shape(op.a.type), grid)
        assert a is not None
        set_anchor_layout(op, LAYOUT_A, a)
