"""
Selects dots for `tcgen05`.

    nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = …} : …

The accumulator is in tensor memory. Operand B is read from shared memory, where TMA puts it if it
is loaded, and consumer warps if it is computed; operand A, too, or from tensor memory if it is
computed from the accumulator of another dot, as the P of attention.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatTF32Type

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.matrix_layouts import STEP_BYTES
from tileiras_xdsl.analysis.mma_instructions import get_mma_instruction
from tileiras_xdsl.analysis.tensor_memory_layouts import (
    RowGrid,
    choose_row_grid,
    is_tensor_memory_shape,
    row_layout,
)
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05 import (
    COLUMN_STEP,
    INSTRUCTION_ROWS,
    TensorMemoryWarpgroups,
    accumulator_columns,
)
from tileiras_xdsl.transforms.common.accumulator_liveness import find_live_together
from tileiras_xdsl.transforms.common.scaled_dots import types_of, why_not_scaled_tcgen05

from .scaled_tcgen05 import find_written_scaled, scale_columns
from .tma_loads import find_load, operand_or_reason, tile_or_reason
from .wgmma_selection import ACCUMULATORS, may_be_rounded, takes_operands
from .written_operands import comes_from_dot, find_written_layouts, why_not_written

WORD_BITS = 32


def can_use_tcgen05(op: DotOp, target: Target, axis_info: AxisInfoAnalysis) -> bool:
    """Whether `tcgen05` can do a dot, with its operands as they are loaded."""
    return why_not_tcgen05(op, target, axis_info) is None


def why_not_tcgen05(op: DotOp, target: Target, axis_info: AxisInfoAnalysis) -> str | None:
    """Why `tcgen05` cannot do a dot; None if it can."""
    if not target.has("tcgen05"):
        return f"{target} has no tcgen05"
    if isinstance(op, ScaledDotOp):
        return why_not_scaled_operands(op, axis_info)
    mma = get_mma_instruction(op, target)
    shape, accumulator = get_shape(op.result.type), get_element(op.result.type)
    operands = f"{get_element(op.a.type)} and {get_element(op.b.type)}"
    if mma is None or not takes_operands(mma, op):
        return f"tcgen05 has no operands of {operands}"
    if mma.type_a in ("s8", "u8") and not target.has("tcgen05.i8"):
        return f"{target} has no tcgen05 of integers"
    if str(accumulator) not in ACCUMULATORS:
        return f"tcgen05 is not used for accumulators of {accumulator}"
    if len(shape) != 2:
        return f"tcgen05 has no batches, and there are {shape[0]}"
    if not is_tensor_memory_shape(shape) or shape[1] < COLUMN_STEP:
        return f"no MMAs of 64 or 128 rows and {COLUMN_STEP} columns make up {shape[0]}x{shape[1]}"
    k = get_shape(op.a.type)[1]
    if k * mma.instruction.element_bits < STEP_BYTES * 8:
        return f"K = {k} is less than {STEP_BYTES} bytes"
    operand = operand_or_reason(op.b, 0, axis_info, transposes_bytes=True)
    if isinstance(operand, str):
        if find_load(op.b) is None:
            reason = why_not_written(op, axis_info) or why_not_writable(op, 1)
            return (
                None if reason is None else f"operand B is not written to shared memory: {reason}"
            )
        is_loaded = not isinstance(tile_or_reason(op.b, axis_info), str)
        refusal = "tcgen05 cannot read" if is_loaded else "TMA cannot load"
        return f"{refusal} operand B: {operand}"
    if isinstance(mma.operand_type, FloatTF32Type) and not may_be_rounded(op.b, target):
        return "TMA cannot round operand B to tf32: some of its uses do not"
    if isinstance(operand_or_reason(op.a, 1, axis_info, transposes_bytes=True), str):
        reason = why_not_writable(op, 0)
        if reason is not None:
            return f"operand A is not written to shared memory: {reason}"
    return None


def why_not_scaled_operands(op: ScaledDotOp, axis_info: AxisInfoAnalysis) -> str | None:
    """
    Why `tcgen05` cannot do a block-scaled dot; None if it can. What TMA does not load threads write
    to shared memory, also if they have to load it: else they would multiply.
    """
    reason = why_not_scaled_tcgen05(types_of(op), get_shape(op.result.type), op.k)
    if reason is not None:
        return reason
    for index in find_written_scaled(op, axis_info)[:-2]:
        if (reason := why_not_writable(op, index)) is not None:
            return f"operand {'AB'[index]} is not written to shared memory: {reason}"
    return None


def why_not_writable(op: DotOp, index: int) -> str | None:
    """Why threads cannot write an operand as descriptors want it; None if they can."""
    ty = op.operands[index].type
    size = memory_bits(get_element(ty)) // 8
    part = min(get_shape(ty)[index], INSTRUCTION_ROWS)
    if find_written_layouts(get_shape(ty), 1 - index, size, part):
        return None
    return f"no descriptor can describe '{ty}'"


def keeps_a_in_tensor_memory(op: DotOp, grid: RowGrid) -> bool:
    """
    Whether operand A of a dot is written to tensor memory: if it is computed from an accumulator,
    each thread has a row of it, or the part that it writes.
    """
    shape, bits = get_shape(op.a.type), memory_bits(get_element(op.a.type))
    if (
        isinstance(op, ScaledDotOp)
        or find_load(op.a) is not None
        or shape[0] != INSTRUCTION_ROWS
        or grid.n > 1
    ):
        return False
    return comes_from_dot(op.a) and shape[1] * bits >= WORD_BITS


def operand_columns(op: DotOp) -> int:
    """Columns of tensor memory for operand A of a dot."""
    shape, bits = get_shape(op.a.type), memory_bits(get_element(op.a.type))
    return shape[1] * bits // WORD_BITS


def fitting_dots(dots: Sequence[DotOp], warpgroups: TensorMemoryWarpgroups) -> list[DotOp]:
    """Those of some dots whose accumulators, and operands in tensor memory, fit there together."""
    kept = list(dots)
    while kept:
        live = find_live_together(kept)
        num_warpgroups = warpgroups.choose_num_warpgroups(
            [[get_shape(each.result.type) for each in dots] for dots in live]
        )
        if num_warpgroups is not None:
            needed = [_columns(each, num_warpgroups) for each in live]
            if max(needed) <= warpgroups.columns:
                return kept
        # The largest accumulator is given up first.
        kept.remove(max(kept, key=lambda op: accumulator_columns(get_shape(op.result.type))))
    return kept


def _columns(dots: Sequence[DotOp], num_warpgroups: int) -> int:
    """Columns of accumulators that are live together, and of operands A."""
    total = 0
    for op in dots:
        shape = get_shape(op.result.type)
        total += accumulator_columns(shape)
        if keeps_a_in_tensor_memory(op, choose_row_grid(shape, num_warpgroups)):
            total += operand_columns(op)
        if isinstance(op, ScaledDotOp):
            total += sum(scale_columns(op))
    return total


def has_row_layout(op: DotOp, num_warpgroups: int) -> bool:
    """Whether warpgroups can divide the accumulator of a dot."""
    shape = get_shape(op.result.type)
    return row_layout(shape, choose_row_grid(shape, num_warpgroups)) is not None
