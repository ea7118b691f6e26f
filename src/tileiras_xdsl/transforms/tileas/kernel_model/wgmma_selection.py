"""
Selects dots for WGMMA, and the layouts of their operands and accumulators.

    nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>, nv_tileas.layout = …,
        nv_tileas.layout_a = …} : …

Operand B comes from shared memory, where TMA or producer threads put it if it is loaded, and
consumer warps if it is computed or carried by a loop. Operand A comes from there if it is loaded,
else it is in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import prod
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import FloatTF32Type, f32
from xdsl.dialects.gpu import BlockIdOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import STEP_BYTES, SharedOperand
from tileiras_xdsl.analysis.memory_order import function_of
from tileiras_xdsl.analysis.mma_instructions import MmaInstruction, get_mma_instruction
from tileiras_xdsl.analysis.slices import backward_slice, reachable
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.atoms import CopiedLoad, StagedLoad
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, LoadOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nv_tileas.types import allows_tma
from tileiras_xdsl.dialects.tileiras import explain
from tileiras_xdsl.targets.choices import (
    BESIDE_OPERANDS_BYTES,
    HELD_REGISTERS,
    LEAST_BESIDE_OPERANDS_BYTES,
    PROMOTED_COLUMNS,
)
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.warpgroups import MIN_COLUMNS, MIN_STAGES, WGMMA_M
from tileiras_xdsl.transforms.common.accumulator_liveness import group_by_loop
from tileiras_xdsl.xdsl_extras.walking import find_all

from .copied_loads import find_contiguous, held_registers, shared_layout, why_not_copied
from .layout_rules import is_tensor, result_layout
from .requirements import multiply_adds
from .scaled_tcgen05 import find_written_scaled, transposes_bytes
from .staged_loads import LoadPipeline, group_loads, is_row, share_pipelines, staged_bytes
from .tma_loads import (
    can_map,
    find_load,
    find_tma_tiling,
    find_uses,
    is_rounding,
    is_view_like,
    operand_or_reason,
    tile_or_reason,
    why_not_scalar,
)
from .wgmma import OperandSlots, choose_warpgroup_grid, needs_accumulator_promotion
from .written_operands import A_INDEX, B_INDEX, keeps_a_in_registers, why_not_written

KeepsA = Callable[[DotOp, int], bool]
"""
Whether operand A of a dot is not written to shared memory, given the number of warpgroups: TMA
loads it, or it is in registers or in tensor memory.
"""
ACCUMULATORS = ("f32", "i32")
NOT_MIXED: Final = "operand B would have to be written, and another dot of the loop is no {}"


def find_possible(
    dots: Sequence[DotOp], why_not: Callable[[DotOp], str | None], refusals: dict[DotOp, str]
) -> list[DotOp]:
    """The dots that nothing forbids; why the others are none of them goes to `refusals`."""
    found: list[DotOp] = []
    for op in dots:
        if (reason := why_not(op)) is None:
            found.append(op)
        else:
            refusals[op] = reason
    return found


def refuse(
    refusals: dict[DotOp, str], found: Sequence[DotOp], kept: list[DotOp], reason: str
) -> list[DotOp]:
    """Those of the dots found that are kept; the reason why others are not goes to `refusals`."""
    for op in found:
        if op not in kept:
            refusals[op] = reason
    return kept


def why_not_wgmma(op: DotOp, target: Target, axis_info: AxisInfoAnalysis) -> str | None:
    """Why WGMMA cannot do a dot with its operands as they are loaded; None if it can."""
    if target.warpgroups is None:
        return f"{target} has no wgmma"
    mma = get_mma_instruction(op, target)
    shape, accumulator = get_shape(op.result.type), get_element(op.result.type)
    operands = f"{get_element(op.a.type)} and {get_element(op.b.type)}"
    if mma is None or not takes_operands(mma, op):
        return f"wgmma has no operands of {operands}"
    if str(accumulator) not in ACCUMULATORS:
        return f"wgmma is not used for accumulators of {accumulator}"
    if len(shape) != 2:
        return f"wgmma has no batches, and there are {shape[0]}"
    if shape[0] < WGMMA_M or shape[1] < MIN_COLUMNS:
        return f"{shape[0]}x{shape[1]} is smaller than {WGMMA_M}x{MIN_COLUMNS}"
    k = get_shape(op.a.type)[1]
    if k * mma.instruction.element_bits < STEP_BYTES * 8:
        return f"K = {k} is less than {STEP_BYTES} bytes"
    operand = operand_or_reason(op.b, 0, axis_info)
    if isinstance(operand, str):
        if find_load(op.b) is None:
            reason = why_not_written(op, axis_info)
            return (
                None if reason is None else f"operand B is not written to shared memory: {reason}"
            )
        is_loaded = not isinstance(tile_or_reason(op.b, axis_info), str)
        if is_loaded:
            return f"wgmma cannot read operand B: {operand}"
        copied = copied_load_or_reason(op, B_INDEX, axis_info)
        if isinstance(copied, str) and copied != operand:
            operand += f"; producer threads cannot copy it: {copied}"
        return f"TMA cannot load operand B: {operand}"
    if isinstance(mma.operand_type, FloatTF32Type) and not may_be_rounded(op.b, target):
        return "TMA cannot round operand B to tf32: some of its uses do not"
    return None


def may_be_rounded(value: SSAValue, target: Target) -> bool:
    """Whether all uses of a loaded tile round it to tf32, or are MMA operands of tf32."""
    load = find_load(value)
    assert load is not None
    if get_element(load.result.type) != f32:
        return True
    for use in find_uses(load.result):
        mma = get_mma_instruction(use.op, target) if isinstance(use.op, DotOp) else None
        is_mma_operand = (
            mma is not None
            and use.operand_index < 2
            and isinstance(mma.operand_type, FloatTF32Type)
        )
        if not is_mma_operand and not any(map(is_rounding, use.chain)):
            return False
    return True


def takes_operands(mma: MmaInstruction, op: DotOp) -> bool:
    """Whether an MMA takes the operands of a dot without a conversion except for rounding."""
    operands = (get_element(op.a.type), get_element(op.b.type))
    if isinstance(mma.operand_type, FloatTF32Type):
        return all(operand in (f32, mma.operand_type) for operand in operands)
    if mma.operand_type is not None and {*operands} != {mma.operand_type}:
        return False
    return mma.type_a != "f64"


def drop_mixed(found: Sequence[DotOp], dots: Sequence[DotOp]) -> list[DotOp]:
    """
    Those of some dots that WGMMA can do, without the ones of loops where threads would have to
    write all their operands B, and which have other dots: loads of these run ahead only if nothing
    in the kernel is a WGMMA.
    """
    kept: list[DotOp] = []
    for inside in group_by_loop(dots).values():
        chosen = [op for op in inside if op in found]
        is_mixed = len(chosen) < len(inside)
        if not is_mixed or any(find_load(op.b) is not None for op in chosen):
            kept += chosen
    return kept


def keeps_a_of_wgmma(op: DotOp, num_warpgroups: int) -> bool:
    """Whether operand A of a WGMMA is in registers if TMA does not load it."""
    grid = choose_warpgroup_grid(get_shape(op.result.type), num_warpgroups)
    return keeps_a_in_registers(op, grid)


def drop_unfitting(
    dots: Sequence[DotOp],
    num_warpgroups: int,
    target: Target,
    axis_info: AxisInfoAnalysis,
    keeps_a: KeepsA = keeps_a_of_wgmma,
    *,
    transposed: bool = False,
) -> list[DotOp]:
    """
    Those of some dots whose operands fit in shared memory together. Dots whose operand B threads
    write are given up first, the one that needs the most memory first; then dots of loaded tiles
    that do not even fit if successive ones share buffers (`staged_loads.py`), those of least work
    first.
    """
    kept = list(dots)
    limit = target.shared.limit(asks=True) - BESIDE_OPERANDS_BYTES
    # Of each dot once, as all others are left out in turn below.
    loads = {op: find_shared_loads([op], axis_info, transposed=transposed) for op in dots}
    # In the order of the program, as `find_staged_loads` has them.
    every = find_all(function_of(dots[0]), TiledLoadOp, LoadOp, GatherLoadOp) if dots else ()

    def loads_of(some: Sequence[DotOp]) -> list[StagedLoad]:
        found = set(chain.from_iterable(map(loads.__getitem__, some)))
        return [load for load in every if load in found]

    def measure(some: Sequence[DotOp]) -> int:
        return bytes_of_operands(some, loads_of(some), num_warpgroups, axis_info, keeps_a)

    def without(op: DotOp) -> int:
        others = [each for each in kept if each is not op]
        return measure(others)

    while measure(kept) > limit:
        written = [op for op in kept if find_load(op.b) is None or isinstance(op, ScaledDotOp)]
        if not written:
            break
        kept.remove(min(written, key=without))
    most = target.shared.limit(asks=True) - LEAST_BESIDE_OPERANDS_BYTES
    while measure(kept) > most:
        pipelines = share_successive(kept, loads_of(kept), axis_info)
        if bytes_in(pipelines, kept, num_warpgroups, axis_info, keeps_a) <= most:
            break
        readers = [
            [op for op in kept if any(load in loads[op] for group in each for load in group)]
            for each in pipelines
        ]
        if not readers:
            break
        dropped = min(readers, key=lambda some: sum(map(multiply_adds, some)))
        kept = [op for op in kept if op not in dropped]
    return kept


def share_successive(
    dots: Sequence[DotOp], loads: Sequence[StagedLoad], axis_info: AxisInfoAnalysis
) -> list[LoadPipeline]:
    """The pipelines of loads for some dots, which successive load groups share."""
    return share_pipelines(
        group_loads(loads, successive=True),
        axis_info,
        lambda _, use: use.op in dots and use.operand_index in (A_INDEX, B_INDEX),
    )


def operand_bytes(
    dots: Sequence[DotOp],
    num_warpgroups: int,
    axis_info: AxisInfoAnalysis,
    keeps_a: KeepsA = keeps_a_of_wgmma,
    *,
    transposed: bool = False,
) -> int:
    """The shared memory for one stage of each operand of some dots that is not elsewhere."""
    loads = find_shared_loads(dots, axis_info, transposed=transposed)
    return bytes_of_operands(dots, loads, num_warpgroups, axis_info, keeps_a)


def bytes_of_operands(
    dots: Sequence[DotOp],
    loads: Sequence[StagedLoad],
    num_warpgroups: int,
    axis_info: AxisInfoAnalysis,
    keeps_a: KeepsA,
) -> int:
    """The same, given the loads of tiles that TMA loads for these dots."""
    pipelines = share_pipelines(group_loads(loads), axis_info)
    return bytes_in(pipelines, dots, num_warpgroups, axis_info, keeps_a)


def bytes_in(
    pipelines: Sequence[LoadPipeline],
    dots: Sequence[DotOp],
    num_warpgroups: int,
    axis_info: AxisInfoAnalysis,
    keeps_a: KeepsA,
) -> int:
    """The same, given the pipelines of loaded tiles."""

    def find_written(op: DotOp) -> list[int]:
        if isinstance(op, ScaledDotOp):
            return find_written_scaled(op, axis_info)
        indices = [] if keeps_a(op, num_warpgroups) else [A_INDEX]
        return indices if find_load(op.b) is not None else [*indices, B_INDEX]

    loaded = sum(staged_bytes(pipeline[0]) for pipeline in pipelines)
    return loaded + OperandSlots.plan(dots, find_written).bytes


def find_copied_loads(dots: Sequence[DotOp], axis_info: AxisInfoAnalysis) -> list[CopiedLoad]:
    """The loads of operands that producer threads can copy because TMA cannot load them."""
    found: dict[CopiedLoad, None] = {}
    for op in dots:
        for index in (A_INDEX, B_INDEX):
            load = copied_load_or_reason(op, index, axis_info)
            if not isinstance(load, str):
                found[load] = None
    return list(found)


def explain_pointers(dots: Sequence[DotOp], axis_info: AxisInfoAnalysis) -> None:
    """Says why producer threads cannot copy operands of WGMMAs that go through pointers."""
    for op in dots:
        for index in (A_INDEX, B_INDEX):
            load, _ = _find_source(op.operands[index])
            if isinstance(load, LoadOp | GatherLoadOp):
                reason = copied_load_or_reason(op, index, axis_info)
                if isinstance(reason, str):
                    text = f"producer threads cannot copy operand {'AB'[index]}"
                    explain(op, "Missed", "TensorCore", text, name="Copied", reason=reason)


def find_wasted_copies(
    found: Sequence[DotOp],
    copied: Sequence[CopiedLoad],
    num_warpgroups: int,
    target: Target,
    axis_info: AxisInfoAnalysis,
) -> Sequence[CopiedLoad]:
    """
    Those of the loads that producer threads copy that they are not to, given the dots that
    WGMMA does: others read them as well, or two stages of all operands do not fit.
    """
    if not copied:
        return []
    wasted = [op for op in copied if not all(use.op in found for use in find_uses(op.result))]
    if wasted:
        return wasted
    limit = target.shared.limit(asks=True) - BESIDE_OPERANDS_BYTES
    needed = MIN_STAGES * operand_bytes(found, num_warpgroups, axis_info)
    return copied if needed > limit else []


def has_registers_for_made(op: DotOp, target: Target) -> bool:
    """
    Whether there are registers for what a dot adds to, partial sums of it, and an operand B that
    threads make.
    """
    warpgroups = target.warpgroups
    if warpgroups is None:
        return False
    partial = PROMOTED_COLUMNS // 2 if needs_accumulator_promotion(op) else 0
    made = prod(get_shape(op.b.type)) * memory_bits(get_element(op.b.type)) // WORD_BITS
    return warpgroups.has_registers_for_made(get_shape(op.result.type), made, partial)


def makes_only_b(op: DotOp, target: Target, axis_info: AxisInfoAnalysis) -> bool:
    """
    Whether threads have to make operand B of a dot of a loop, of tiles that TMA loads there, and
    have registers for it, while WGMMA can read operand A from shared memory, be it as A or as B.
    Rows of the result must not be combined: their elements would be in other threads if the dot
    were transposed.
    """
    block = op.parent_block()
    if block is None or not isinstance(operand_or_reason(op.b, 0, axis_info), str):
        return False
    if isinstance(operand_or_reason(op.a, 1, axis_info), str):
        return False
    made = backward_slice([op.b], lambda each: each.parent_block() is block)
    loads = [each for each in made if is_plain_load(each) and is_tensor(each.results[0])]
    tiles = [each for each in loads if not is_row(each)]
    if not tiles or any(isinstance(each, DotOp) for each in made):
        return False
    for each in tiles:
        # Threads would wait for memory: only rows are few enough to be loaded ahead.
        if not isinstance(each, TiledLoadOp) or find_tma_tiling(each, axis_info) is None:
            return False
        if why_not_scalar(each) is not None:
            return False

    def results(value: SSAValue) -> Iterator[SSAValue]:
        for use in value.uses:
            if use.operation.parent_block() is block:
                yield from use.operation.results

    users = (use.operation for value in reachable([op.result], results) for use in value.uses)
    if any(isinstance(each, DotOp | AggregateOperation) for each in users):
        return False
    return has_registers_for_made(op, target)


def copied_load_or_reason(op: DotOp, index: int, axis_info: AxisInfoAnalysis) -> CopiedLoad | str:
    """
    The load for an operand of a dot that TMA cannot do, but producer threads by `cp.async`: of a
    view, of gathered rows, or through pointers; or why there is none. The other operand is loaded
    in the same loop, too.
    """
    operand = _loaded_operand_or_reason(op, index, axis_info)
    if isinstance(operand, str):
        return operand
    load, is_by_threads = operand
    if not is_by_threads:
        return "TMA loads it"
    other = 1 - index
    beside = _loaded_operand_or_reason(op, other, axis_info)
    if isinstance(beside, str):
        return f"operand {'AB'[other]} is not loaded beside it: {beside}"
    if isinstance(load, LoadOp) and isinstance(beside[0], LoadOp):
        held = held_registers(load, axis_info) + held_registers(beside[0], axis_info)
        if held > HELD_REGISTERS:
            return f"threads would hold addresses of both operands in {held} registers"
    if not all(has_fixed_map(each.view) for each in find_tma_loads(op, axis_info)):
        return "a tensor map of the kernel may have to be built in a loop, by the thread that loads"
    return load


def _loaded_operand_or_reason(
    op: DotOp, index: int, axis_info: AxisInfoAnalysis
) -> tuple[StagedLoad, bool] | str:
    """
    The load in the loop of a dot, of an operand that WGMMA can read, and whether it takes producer
    threads; or why there is none.
    """
    load, chain = _find_source(op.operands[index])
    if not isinstance(load, TiledLoadOp | GatherLoadOp | LoadOp):
        return "it is not loaded"
    block = op.parent_block()
    if block is None or not isinstance(block.parent_op(), scf.ForOp):
        return "it is in no loop"
    if load.parent_block() is not block:
        return "operands are loaded in different blocks"
    if isinstance(load, TiledLoadOp) and find_tma_tiling(load, axis_info) is not None:
        operand = operand_or_reason(op.operands[index], 1 - index, axis_info)
        return operand if isinstance(operand, str) else (load, False)
    if isinstance(load, TiledLoadOp) and not allows_tma(load):
        return "its hints forbid TMA"
    if any(map(is_rounding, chain)) or get_element(load.result.type) == f32:
        return "copies do not round to tf32"
    dim = find_contiguous(load, axis_info)
    if isinstance(dim, str):
        return dim
    if (reason := why_not_copied(load, axis_info)) is not None:
        return reason
    operand = _copied_operand_or_reason(op, index, shared_layout(load, dim), chain)
    return operand if isinstance(operand, str) else (load, True)


def _find_source(value: SSAValue) -> tuple[Operation | Block, list[Operation]]:
    """What a value comes from, and the reshapes and layout conversions in between, in order."""
    chain: list[Operation] = []
    source = value.owner
    while isinstance(source, Operation) and is_view_like(source):
        chain.insert(0, source)
        source = source.operands[0].owner
    return source, chain


def _copied_operand_or_reason(
    op: DotOp, index: int, layout: LinearLayout, chain: Sequence[Operation]
) -> SharedOperand | str:
    """How WGMMA reads an operand that is copied in a layout, and reshaped; or why it cannot."""
    for each in chain:
        if isinstance(each, ConvertLayoutOp):
            continue
        changed = result_layout(each, layout)
        if changed is None:
            return f"'{each.name}' moves elements of the tile"
        layout = changed
    size = memory_bits(get_element(op.operands[index].type)) // 8
    return SharedOperand.of_or_reason(layout, 1 - index, size)


def find_tma_loads(op: Operation, axis_info: AxisInfoAnalysis) -> list[TiledLoadOp]:
    """The loads of the kernel around an op that TMA can do."""
    return [
        each
        for each in find_all(function_of(op), TiledLoadOp)
        if find_tma_tiling(each, axis_info) is not None
    ]


def has_fixed_map(view: SSAValue) -> bool:
    """Whether the tensor map of a view is the same for all tile blocks of a launch."""
    if not can_map(view):
        return False
    return not any(isinstance(op, BlockIdOp) for op in backward_slice([view]))


def find_shared_tiles(dots: Sequence[DotOp], axis_info: AxisInfoAnalysis) -> set[SSAValue]:
    """The tiles that TMA loads into shared memory for some dots."""
    return {load.result for load in find_shared_loads(dots, axis_info)}


def find_shared_loads(
    dots: Sequence[DotOp], axis_info: AxisInfoAnalysis, *, transposed: bool = False
) -> list[StagedLoad]:
    """The loads of tiles that TMA loads into shared memory for some dots."""
    loads: dict[StagedLoad, None] = {}
    for op in dots:
        for value, summed in ((op.a, 1), (op.b, 0)):
            load = find_load(value)
            operand = operand_or_reason(
                value, summed, axis_info, transposes_bytes=transposed and transposes_bytes(op)
            )
            if load is not None and not isinstance(operand, str):
                loads[load] = None
    return list(loads)
