"""
Operands of WGMMA that consumer warps write to shared memory.

    %p = nv_tileaa.fp_to_fp %e : …                     computed, or carried by a loop
    %b = nv_tileas.copy %p into(%buffer : …) : …       swizzled, as TMA would have loaded it
    %d = nv_tileas.async.dot %v, %b, %c : …

Operand B is read from shared memory only. One that no load puts there is written by the threads
that computed it, and so is an operand A that would take too many registers; transposed where the
instruction reads its type K-major only. Between the writes and the WGMMA there is a proxy fence and
a barrier (`tileas-insert-barriers`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import (
    SharedOperand,
    contiguous_registers,
    matrix_access,
    offsets_of,
)
from tileiras_xdsl.analysis.slices import operands_of, reachable
from tileiras_xdsl.analysis.tma_tiles import swizzled_layout
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.atoms import find_async_mmas
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT_A
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.warpgroups import WGMMA_M
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all

from .registers import is_staged
from .scaled_tcgen05 import scale_shared_layout, transposes_bytes
from .tma_loads import find_load, tile_or_reason
from .wgmma import OperandSlots, WarpgroupGrid, choose_warpgroup_grid

A_INDEX, B_INDEX = 0, 1


def find_written_layouts(
    shape: Sequence[int],
    summed: int,
    element_bytes: int,
    part: int,
    *,
    transposes_bytes: bool = False,
) -> list[LinearLayout]:
    """
    The layouts in shared memory in which WGMMA can read an operand, given which of its dimensions
    is K, if warpgroups have this many rows or columns of it each: K-major first, which all types
    can have.
    """
    found: list[LinearLayout] = []
    for order in ((summed, 1 - summed), (1 - summed, summed)):
        layout = swizzled_layout(shape, order, element_bytes)
        operand = SharedOperand.of(layout, summed, element_bytes, transposes_bytes=transposes_bytes)
        if operand is not None and operand.offset(part) is not None:
            if layout not in found:
                found.append(layout)
    return found


def keeps_a_in_registers(op: DotOp, grid: WarpgroupGrid) -> bool:
    """
    Whether operand A of a dot is in registers if TMA does not load it. If warpgroups divide
    columns, each of them would have a copy of it, and 16-bit accumulators only are in the layout
    of operand A, or close to it.
    """
    if find_load(op.a) is not None or find_load(op.b) is not None:
        return True
    return grid.n == 1 and memory_bits(get_element(op.a.type)) == 16 and comes_from_dot(op.a)


def why_not_written(op: DotOp, axis_info: AxisInfoAnalysis) -> str | None:
    """Why threads do not write operand B of a dot to shared memory; None if they do."""
    load = find_load(op.a)
    if load is None or load.parent_block() is not op.parent_block():
        return None
    if isinstance(reason := tile_or_reason(op.a, axis_info), str):
        # Loads for `mma.sync` run ahead in a multi-stage buffer, those of consumer warps do not.
        return f"operand A is loaded by threads in the same block, as TMA cannot: {reason}"
    return None


@dataclass(frozen=True)
class WrittenOperand:
    """An operand that consumer warps write, and the slot that they write it to."""

    dot: DotOp
    index: int
    """Of the operand."""
    type: TensorType
    """In shared memory."""
    slot: int


def find_written_operands(function: FuncOp) -> list[WrittenOperand]:
    """The operands of the WGMMAs of a kernel that consumer warps write."""
    num_warpgroups = get_warps(function) // WARPGROUP_WARPS
    slots = OperandSlots.plan(find_async_mmas(function), find_written_indices)
    return [
        WrittenOperand(dot, index, written_type(dot, index, num_warpgroups), slot)
        for (dot, index), slot in slots.of.items()
    ]


def scale_buffer_bytes(function: FuncOp) -> int:
    """The shared memory of scales among the operands that consumer warps write."""
    if not find_all(function, ScaledDotOp):
        return 0
    plan = OperandSlots.plan(find_async_mmas(function), find_written_indices)
    scales = {
        slot
        for (dot, index), slot in plan.of.items()
        if isinstance(dot, ScaledDotOp) and index >= dot.scale_index
    }
    return sum(plan.sizes[slot] for slot in scales)


def find_written_indices(dot: DotOp) -> list[int]:
    """Which operands of a WGMMA consumer warps write: those with no other place."""
    indices: list[int] = []
    if not is_staged(dot.a) and LAYOUT_A.get(dot) is None:
        indices.append(A_INDEX)
    if not is_staged(dot.b):
        indices.append(B_INDEX)
    if isinstance(dot, ScaledDotOp):
        indices += (dot.scale_index, dot.scale_index + 1)
    return indices


def written_type(dot: DotOp, index: int, num_warpgroups: int) -> TensorType:
    """The type of an operand in shared memory: in the layout that takes the fewest writes."""
    ty = dot.operands[index].type
    assert isinstance(ty, TensorType)
    if isinstance(dot, ScaledDotOp) and index >= dot.scale_index:
        group_dim = dot.scale_index + 1 - index
        return with_layout(ty, scale_shared_layout(get_shape(ty), group_dim))
    transposed = isinstance(dot, ScaledDotOp) and transposes_bytes(dot)
    bits = memory_bits(get_element(ty))
    grid = choose_warpgroup_grid(get_shape(dot.result.type), num_warpgroups)
    part = WGMMA_M if index == A_INDEX else get_shape(ty)[1] // grid.n
    layouts = find_written_layouts(
        get_shape(ty), 1 - index, bits // 8, part, transposes_bytes=transposed
    )
    registers = layout_of(ty)
    assert layouts
    assert registers is not None
    return with_layout(ty, min(layouts, key=lambda each: _writes(each, registers, bits)))


def _writes(shared: LinearLayout, registers: LinearLayout, bits: int) -> int:
    """How many instructions write the registers of a thread: each writes four words at most."""
    registers = registers.compressed()
    for transposed in (False, True):
        access = matrix_access(shared, registers, bits, transposed=transposed)
        if access is not None:
            return 1 << len(access.register)
    return registers.registers // contiguous_registers(offsets_of(shared, registers), bits)


# Chains of dots: dots whose operands come from other dots.

MAX_DISTANCE = 64
"""How many ops are searched between two dots."""


def feeds_dot(op: DotOp) -> bool:
    """Whether the result feeds another dot, or operand A comes from one."""
    return _reaches(op.result) or comes_from_dot(op.a)


def _reaches(value: SSAValue) -> bool:
    """Whether a value is used, directly or not, as operand A of a dot."""

    def results(value: SSAValue) -> Iterator[SSAValue]:
        for use in value.uses:
            if not isinstance(use.operation, DotOp):
                yield from use.operation.results

    return any(
        isinstance(use.operation, DotOp) and use.index == 0
        for each in reachable([value], results, MAX_DISTANCE)
        for use in each.uses
    )


def comes_from_dot(value: SSAValue) -> bool:
    """Whether a value is computed from the result of a dot."""

    def sources(value: SSAValue) -> Collection[SSAValue]:
        has_regions = isinstance(value.owner, Operation) and value.owner.regions
        return () if has_regions else operands_of(value)

    values = reachable([value], sources, MAX_DISTANCE)
    return any(isinstance(each.owner, DotOp) for each in values)
