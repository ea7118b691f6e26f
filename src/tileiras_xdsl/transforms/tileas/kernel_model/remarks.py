"""
The texts of remarks on dots, accesses and schedules, where `tileiras.explain` asks for them.

    remark(op, "Passed", "Memory", "TMA load of 128x64xf16", name="TmaLoad", reason=…)

Each is for the pass that decides: reasons are arguments, or were decided by that pass as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.analysis.axis_info_analysis import VECTOR_BYTES, AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.matrix_layouts import contiguous_run
from tileiras_xdsl.analysis.mma_instructions import get_mma_instruction
from tileiras_xdsl.analysis.tensor_memory_layouts import instruction_rows
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicCASOp, AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileas.atoms import (
    TMA_STORES,
    StagedLoad,
    has_atom,
    is_async_mma,
    is_stored,
    is_tcgen05,
)
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    LAYOUT,
    PAIR,
    STAGED,
    KernelSchedule,
    get_pipeline_id,
    get_stage,
    get_vector,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import (
    GatherLoadOp,
    LoadOp,
    ScatterStoreOp,
    StoreOp,
    TiledAtomicRMWOp,
    TiledLoadOp,
    TiledStoreOp,
)
from tileiras_xdsl.dialects.nv_tileas.pipeline import find_resident_ctas
from tileiras_xdsl.dialects.nv_tileas.plan import get_plan
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TMEM
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.dialects.nvgpu.types import get_cluster_ctas, get_persistent_ctas
from tileiras_xdsl.dialects.tileiras import RemarkKind, remark
from tileiras_xdsl.targets.choices import RESERVED_BYTES
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05 import MOST_COLUMNS
from tileiras_xdsl.targets.warpgroups import (
    MAX_COLUMNS,
    MIN_COLUMNS,
    MIN_STAGES,
    WGMMA_M,
    MultiStageBuffer,
    Pipelining,
)
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.transforms.common.scaled_dots import types_of
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .allocation import tile_bytes
from .copied_loads import is_by_tma
from .layout_rules import get_anchor_layout
from .registers import is_made, is_staged
from .requirements import KernelRequirements
from .tma_loads import find_uses, tma_tiling_or_reason, whole_tiling
from .tma_stores import why_no_tma_store, why_tma_stores_not_preferred
from .wgmma import MMA_SYNC_ATOM, find_warpgroup_grid, get_scaled_instruction
from .written_operands import A_INDEX, B_INDEX, find_written_indices

ThreadLoad = TiledLoadOp | GatherLoadOp | LoadOp

NO_READER: Final = "no MMA reads it from shared memory"


def describe(ty: Attribute) -> str:
    """A tile type in short, `128x64xf16`."""
    return "x".join(map(str, (*get_shape(ty), get_element(ty))))


def _tensorcore(kind: RemarkKind, name: str, op: Operation, text: str, reason: str = "") -> None:
    remark(op, kind, "TensorCore", text, name=name, reason=reason)


def _memory(kind: RemarkKind, name: str, op: Operation, text: str, reason: str = "") -> None:
    remark(op, kind, "Memory", text, name=name, reason=reason)


# Dots


def explain_other_dots(
    function: FuncOp, target: Target, refusals: Mapping[DotOp, str], not_staged: str | None
) -> None:
    """
    Tells of the dots of a kernel that are no asynchronous MMAs, given why, and why those by
    `mma.sync` do not read buffer stages. `explain_schedule` tells of the others.
    """
    for op in find_all(function, DotOp):
        if not is_async_mma(op):
            reason = refusals.get(op) or not_staged or f"{target} has no wgmma"
            _explain_dot(op, target, get_warps(function), reason)


def _explain_dot(op: DotOp, target: Target, warps: int, reason: str) -> None:
    text = f"dot of {describe(op.a.type)} and {describe(op.b.type)}"
    if isinstance(op, ScaledDotOp):
        mma = get_scaled_instruction(op, target)
        size = mma.instruction
        text = _scaled(op)
        text += f": mma.sync m{size.m}n{size.n}k{size.k} kind::{mma.kind} of {warps} warps"
        _tensorcore("Passed", "Mma", op, text)
        return
    mma = get_mma_instruction(op, target)
    if mma is None:
        reason = f"no MMA has these types and accumulators of {get_element(op.result.type)}"
        _tensorcore("Missed", "NoInstruction", op, f"{text}: FMAs", reason)
        return
    size = mma.instruction
    instruction = f"m{size.m}n{size.n}k{size.k}"
    if op.atom is None or op.atom.data == "fma":
        sizes = "x".join(map(str, (*get_shape(op.result.type), get_shape(op.a.type)[-1])))
        reason = f"{sizes} is smaller than {instruction}"
        _tensorcore("Missed", "NoInstruction", op, f"{text}: FMAs", reason)
        return
    text = f"{text}: mma.sync {instruction} of {warps} warps"
    if STAGED.is_on(op):
        text += ", operands from buffer stages that TMA fills"
    _tensorcore("Passed" if target.warpgroups is None else "Missed", "Mma", op, text, reason)


def _scaled(op: ScaledDotOp) -> str:
    m, n = get_shape(op.result.type)[-2:]
    return f"block-scaled dot {m}x{n}x{op.k} of {types_of(op)}"


def _explain_async_dot(op: DotOp, warps: int) -> None:
    if isinstance(op, ScaledDotOp):
        _explain_scaled_tcgen05(op, warps)
        return
    text = f"dot of {describe(op.a.type)} and {describe(op.b.type)}"
    instruction_k = 256 // memory_bits(get_element(op.a.type))
    shape, written = get_shape(op.result.type), find_written_indices(op)
    if is_tcgen05(op):
        rows, columns = instruction_rows(shape), min(shape[1], MOST_COLUMNS)
        text = f"{text}: tcgen05.mma m{rows}n{columns}k{instruction_k}, read by {warps} warps"
        name, source = "Tcgen05", "tensor" if get_memory(op.a.type) == TMEM else "shared"
        reason = f"operand A from {source} memory"
        if written == [A_INDEX]:
            reason = "operand A written to shared memory by consumer warps"
    else:
        num_warpgroups, layout = warps // WARPGROUP_WARPS, layout_of(op.result.type)
        grid = None if layout is None else find_warpgroup_grid(shape, layout, num_warpgroups)
        columns = shape[1] // (1 if grid is None else grid.n)
        columns = max(MIN_COLUMNS, min(columns, MAX_COLUMNS))
        sharers = f"{num_warpgroups} warpgroup{'s' if num_warpgroups > 1 else ''}"
        text = f"{text}: wgmma m{WGMMA_M}n{columns}k{instruction_k} of {sharers}"
        name = "Wgmma"
        in_shared = is_staged(op.a) and not is_made(op)
        reason = f"operand A from {'shared memory' if in_shared else 'registers'}"
        if grid is not None and grid.k_permutation:
            reason += ", even columns of operand B before odd ones"
    if written == [A_INDEX, B_INDEX]:
        reason = "operands written to shared memory by consumer warps"
    elif written == [B_INDEX]:
        reason += ", operand B written to shared memory by consumer warps"
    _tensorcore("Passed", name, op, text, reason)


def _explain_scaled_tcgen05(op: ScaledDotOp, warps: int) -> None:
    shape, kind = get_shape(op.result.type)[-2:], types_of(op).kind
    assert kind is not None
    rows, columns = instruction_rows(shape), min(shape[1], MOST_COLUMNS)
    text = f"{_scaled(op)}: tcgen05.mma m{rows}n{columns}k{kind.k} kind::{kind.name}, "
    loaded = [index not in find_written_indices(op) for index in (A_INDEX, B_INDEX)]
    reason = "scales are written to shared memory by consumer warps"
    if not all(loaded):
        names = "operands" if not any(loaded) else f"operand {'AB'[loaded.index(False)]}"
        reason = f"{names} and {reason}"
    _tensorcore("Passed", "Tcgen05", op, f"{text}read by {warps} warps", reason)


# Accesses


def _count_together(op: Operation, ty: Attribute) -> int | None:
    """
    How many elements of a tile one access has: as many as are aligned and in bounds, and as a
    thread has side by side.
    """
    vector = get_vector(op)
    if vector is None:
        return None
    layout = layout_of(ty) or get_anchor_layout(op, LAYOUT, ty)
    return vector.width if layout is None else min(vector.width, contiguous_run(layout, vector.dim))


def _width(number: int | None) -> str:
    """The vector width of an access."""
    if number is None:
        return ""
    return f", {number} elements per access" if number > 1 else ", not vectorized"


def _tma_tiles(tiling: TmaTiling | None) -> str:
    assert tiling is not None
    sizes = "x".join(map(str, tiling.box))
    swizzle = f"swizzle of {tiling.swizzle} bytes" if tiling.swizzle else "no swizzle"
    order = ", even rows before odd ones" if tiling.k_permutation is not None else ""
    return f"TMA tiles of {sizes}, {swizzle}{order}"


def explain_stores(function: FuncOp, axis_info: AxisInfoAnalysis) -> None:
    """Tells what does the stores and atomics of a kernel."""
    not_preferred = why_tma_stores_not_preferred(function)
    for op in walk(function):
        match op:
            case TiledStoreOp() | TiledAtomicRMWOp():
                _explain_store(op, not_preferred, axis_info)
            case StoreOp() | ScatterStoreOp() if isinstance(op.value.type, TensorType):
                _explain_scattered(op, "Store", op.value.type)
            case AtomicRMWOp() | AtomicCASOp() if isinstance(op.result.type, TensorType):
                _explain_scattered(op, "Atomic", op.result.type)
            case _:
                pass


def _explain_store(
    op: TiledStoreOp | TiledAtomicRMWOp, not_preferred: str | None, axis_info: AxisInfoAnalysis
) -> None:
    name, tile = "Store" if isinstance(op, TiledStoreOp) else "Atomic", describe(op.value.type)
    if has_atom(op, *TMA_STORES):
        text, tiles = f"TMA {name.lower()} of {tile}", _tma_tiles(TmaTiling.of(op.view_type))
        _memory("Passed", f"Tma{name}", op, text, tiles)
        return
    kind: RemarkKind = "Passed" if not_preferred is not None else "Missed"
    reason = not_preferred or why_no_tma_store(op, axis_info)
    text = f"{name.lower()} of {tile} by threads{_width(_count_together(op, op.value.type))}"
    _memory(kind, name, op, text, f"no TMA: {reason}")


def _explain_scattered(op: Operation, name: str, ty: Attribute) -> None:
    is_view = isinstance(op, ScatterStoreOp)
    where = "rows are scattered" if is_view else "it goes through pointers"
    text = f"{name.lower()} of {describe(ty)} by threads{_width(_count_together(op, ty))}"
    _memory("Passed", name, op, text, f"no TMA: {where}")


def explain_prefetches(loop: scf.ForOp, loads: Sequence[ThreadLoad], stages: int) -> None:
    """Tells of prefetches by the threads of a loop, whose distance is one less than the stages."""
    size = sum(tile_bytes(load.result.type) for load in loads)
    number = f"{len(loads)} load{'s' if len(loads) > 1 else ''}"
    text = f"software pipelining: {number} with prefetch distance {stages - 1}"
    reason = f"{stages} buffer stages of {size} bytes"
    remark(loop, "Passed", "Pipeline", text, name="Prefetches", reason=reason)
    for load in loads:
        _explain_async_load(load)


def _explain_async_load(op: ThreadLoad) -> None:
    dots = [use.op for use in find_uses(op.result) if isinstance(use.op, DotOp)]
    atoms = {dot.atom.data for dot in dots if dot.atom is not None}
    reader = "a dot by FMAs reads it" if "fma" in atoms else NO_READER
    reader = "mma.sync reads it" if MMA_SYNC_ATOM in atoms else reader
    _explain_thread_load(op, "CpAsync", f"cp.async load of {describe(op.result.type)}", reader)


def explain_loads(function: FuncOp) -> None:
    """Tells of the loads that are left to threads, which wait for them."""
    axis_info: AxisInfoAnalysis | None = None
    for op in find_all(function, TiledLoadOp, GatherLoadOp, LoadOp):
        if op.atom is not None or not isinstance(op.result.type, TensorType):
            continue
        reason = NO_READER
        if isinstance(op, TiledLoadOp):
            axis_info = axis_info or analyze(function)
            tiling = tma_tiling_or_reason(op, axis_info)
            reason = tiling if isinstance(tiling, str) else reason
        _explain_thread_load(op, "Load", f"load of {describe(op.result.type)} by threads", reason)


def _explain_thread_load(op: ThreadLoad, name: str, text: str, reason: str) -> None:
    if not isinstance(op, TiledLoadOp):
        reason = "it goes through pointers" if isinstance(op, LoadOp) else "rows are gathered"
    vector, reason = get_vector(op), f"no TMA: {reason}"
    aligned = None if vector is None else vector.width
    # Copies need not have the layout of the tile that threads read then.
    number = aligned if name == "CpAsync" else _count_together(op, op.result.type)
    is_wide = (number or 1) * memory_bits(get_element(op.result.type)) >= VECTOR_BYTES * 8
    if number != aligned:
        reason += "; a thread has no more elements side by side"
    elif not is_wide:
        reason += "; wider accesses may be unaligned or out of bounds"
    _memory("Passed" if is_wide else "Missed", name, op, f"{text}{_width(number)}", reason)


# Schedules


def explain_schedule(
    function: FuncOp,
    pipelining: Pipelining,
    requirements: KernelRequirements,
    schedule: KernelSchedule,
) -> None:
    """Tells of the MMAs, the loads that producer warps do, the loops and what a kernel takes."""
    axis_info: AxisInfoAnalysis | None = None
    for op in walk(function):
        match op:
            case DotOp() if is_async_mma(op):
                _explain_async_dot(op, requirements.warps)
            case TiledLoadOp() | LoadOp() | GatherLoadOp() if get_pipeline_id(op) is not None:
                if is_by_tma(op):
                    text, why = f"TMA load of {describe(op.result.type)}", whole_tiling(op)
                    reason = f"{_tma_tiles(why)}; {_pipeline(op, schedule)}"
                    _memory("Passed", "TmaLoad", op, text, reason)
                else:
                    axis_info = axis_info or analyze(function)
                    _explain_copied_load(op, schedule, axis_info)
            case scf.ForOp():
                _explain_stages(op)
            case _:
                pass
    _explain_resources(function, pipelining, requirements, schedule)
    _explain_persistence(function)


def _pipeline(op: StagedLoad, schedule: KernelSchedule) -> str:
    number = get_pipeline_id(op)
    assert number is not None
    stages = schedule.stages[number]
    return f"pipeline {number} of {stages} stages" if stages > 1 else "loaded once"


def _explain_copied_load(
    op: StagedLoad, schedule: KernelSchedule, axis_info: AxisInfoAnalysis
) -> None:
    kind = "load" if is_stored(op) else "cp.async load"
    text = f"{kind} of {describe(op.result.type)} by {schedule.producer_warps} producer warps"
    if isinstance(op, TiledLoadOp):
        why = tma_tiling_or_reason(op, axis_info)
    else:
        why = "it goes through pointers" if isinstance(op, LoadOp) else "rows are gathered"
    reason = f"no TMA: {why}; {_pipeline(op, schedule)}"
    vector = get_vector(op)
    width = _width(None if vector is None else vector.width)
    _memory("Passed", "CpAsync", op, f"{text}{width}", reason)


def _explain_stages(loop: scf.ForOp) -> None:
    """The pipeline stages of the ops of a loop."""
    ops = [
        (stage, op.name.partition(".")[2])
        for op in loop.body.block.ops
        if (stage := get_stage(op)) is not None and _is_tile_work(op)
    ]
    ops.sort(key=lambda each: each[0].order)
    names = [[name for stage, name in ops if stage.stage == number] for number in (0, 1)]
    if all(names):
        first, last = (", ".join(dict.fromkeys(each)) for each in names)
        text = f"software pipelining: {first} in stage 0, {last} in stage 1"
        _tensorcore("Passed", "Ahead", loop, text)


def _is_tile_work(op: Operation) -> bool:
    return isinstance(op, DotOp | TiledLoadOp | LoadOp) or any(
        layout_of(result.type) is not None and len(get_shape(result.type)) > 1
        for result in op.results
    )


def _explain_resources(
    function: FuncOp,
    pipelining: Pipelining,
    requirements: KernelRequirements,
    schedule: KernelSchedule,
) -> None:
    buffers = [*zip(requirements.buffers, schedule.stages, strict=True)]
    buffered = sum(buffer.bytes * stages for buffer, stages in buffers)
    limit = pipelining.shared.per_cta(requirements.occupancy)
    text = f"{buffered + requirements.reserved} of {limit} bytes of shared memory"
    reason = (
        f"multi-stage buffers {buffered}, scratch memory and stores "
        f"{requirements.reserved - RESERVED_BYTES}, barriers and tensor maps {RESERVED_BYTES}"
    )
    _memory("Analysis", "Shared", function, text, reason)
    for number, (buffer, stages) in enumerate(buffers):
        _explain_buffer(function, number, buffer, stages, pipelining)
    warps = requirements.warps + 1 + (schedule.mma_warps or 0)
    cap = pipelining.registers.cap(warps * requirements.occupancy)
    text, count = (
        f"tiles take about {requirements.registers} registers per thread",
        schedule.producer_warps,
    )
    if schedule.registers is None:
        reason = f"{cap} available: {requirements.warps} consumer warps, "
        reason += f"{count} producer warp{'s' if count > 1 else ''}"
        if schedule.mma_warps:
            reason += ", an MMA warp"
    else:
        producer, consumer = schedule.registers
        reason = (
            f"more than the {cap} available beside a producer warp: register reallocation leaves "
            f"{producer} to {count} producer warps, and gives {consumer} to consumer warps"
        )
    _tensorcore("Analysis", "Registers", function, text, reason)


def _explain_buffer(
    function: FuncOp, number: int, buffer: MultiStageBuffer, stages: int, pipelining: Pipelining
) -> None:
    cycles, wanted = buffer.cycles, pipelining.wanted_stages(buffer)
    if cycles is None:
        return
    if buffer.latency is not None:
        planned = get_plan(function).stages is not None
        source = "the plan" if planned else f"hint latency = {buffer.latency}"
        reason = f"{source} asks for {wanted}"
    elif cycles == pipelining.nesting_cycles:
        reason = f"inner loops take long: {wanted} stages suffice"
    else:
        reason = (
            f"loads take up to {pipelining.load_cycles} cycles, an iteration {cycles.tensor} of "
            f"tensor cores, {cycles.l2} of L2 and {cycles.memory} of memory: {wanted} stages "
            "suffice"
        )
    if stages < wanted:
        reason += ", but no more fit into shared memory"
    text = f"pipeline {number} has {stages} stages of {buffer.bytes} bytes"
    kind: RemarkKind = "Missed" if stages < min(wanted, MIN_STAGES) else "Analysis"
    _tensorcore(kind, "Stages", function, text, reason)


def _explain_persistence(function: FuncOp) -> None:
    residents = find_resident_ctas(function)
    ctas = get_persistent_ctas(function) or (residents and residents.ctas_per_sm.value.data)
    if not ctas:
        return
    text = f"persistent kernel, {ctas} CTA{'s' if ctas > 1 else ''} per SM"
    size = get_cluster_ctas(function)
    if residents is not None:
        text += "; the CTAs beyond those return at once"
    elif size > 1 and not PAIR.is_on(function):
        text += f"; clusters of {size} CTAs multicast the tiles that they share"
    _tensorcore("Passed", "Persistent", function, text)
