"""
Remarks that explain what was decided about a kernel, and why.

Nothing is decided here: modules are inspected after `tileas-generate-schedule`, and again at the
end of the stage `tileas`. Reasons come from the functions that refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.analysis.axis_info_analysis import VECTOR_BYTES, AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.tensor_memory_tiles import instruction_rows
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicCASOp, AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncLoadOp, AsyncTiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.attributes import get_memory
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    EMULATED,
    EVEN_FIRST,
    LONGEST_FIRST,
    PAIR,
    STAGED,
    KernelSchedule,
    get_pipeline_id,
    get_schedule,
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
from tileiras_xdsl.dialects.nv_tileas.shape import ExtractSliceOp
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TMEM
from tileiras_xdsl.dialects.nvgpu import DeviceAsyncWaitOp
from tileiras_xdsl.dialects.nvgpu.persistence import get_cluster_ctas, get_persistent_ctas
from tileiras_xdsl.estimate.model import estimate_kernel
from tileiras_xdsl.estimate.report import LABEL
from tileiras_xdsl.estimate.strands import UnknownScheduleError
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05_schedule import MOST_COLUMNS, TensorMemoryWarpgroups
from tileiras_xdsl.targets.warpgroups import (
    MAX_COLUMNS,
    MIN_COLUMNS,
    MIN_STAGES,
    WGMMA_M,
    MultiStageBuffer,
    Pipelining,
    Warpgroups,
    live_registers,
)
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import get_occupancy, get_warps, kernels
from tileiras_xdsl.transforms.tileas.kernel_model.accumulator_liveness import find_live_together
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import tile_bytes
from tileiras_xdsl.transforms.tileas.kernel_model.block_order import choose_order
from tileiras_xdsl.transforms.tileas.kernel_model.copied_loads import (
    StagedLoad,
    is_by_tma,
    is_stored,
)
from tileiras_xdsl.transforms.tileas.kernel_model.cta_resources import find_resources
from tileiras_xdsl.transforms.tileas.kernel_model.even_first import (
    even_first_or_reason,
    takes_accumulators,
)
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import memory_bits
from tileiras_xdsl.transforms.tileas.kernel_model.persistence import (
    find_resident_ctas,
    why_not_persistent,
)
from tileiras_xdsl.transforms.tileas.kernel_model.registers import is_staged
from tileiras_xdsl.transforms.tileas.kernel_model.requirements import (
    RESERVED_BYTES,
    KernelRequirements,
    StoreStaging,
    find_requirements,
)
from tileiras_xdsl.transforms.tileas.kernel_model.scaled_tcgen05 import types_of
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import TMA_STORES, has_atom
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import get_pipelines
from tileiras_xdsl.transforms.tileas.kernel_model.staged_mma import get_pipelining, why_not_staged
from tileiras_xdsl.transforms.tileas.kernel_model.tcgen05_selection import (
    fitting_dots,
    why_not_tcgen05,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import (
    find_uses,
    tma_tiling_or_reason,
    whole_tiling,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tma_store_selection import (
    why_no_tma_store,
    why_tma_stores_not_preferred,
)
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_stores import warpgroup_store_bytes
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import (
    MMA_SYNC_ATOM,
    get_mma_instruction,
    get_scaled_instruction,
    is_tcgen05,
    is_wgmma,
)
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma_grid import find_warpgroup_grid
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma_selection import (
    NOT_THROUGH_POINTERS,
    copied_operand_or_reason,
    drop_mixed,
    drop_unfitting,
    operand_bytes,
    why_not_wgmma,
)
from tileiras_xdsl.transforms.tileas.kernel_model.written_operands import (
    A_INDEX,
    B_INDEX,
    find_written_indices,
)
from tileiras_xdsl.xdsl_extras.walking import find_all

from .remarks import Remark, RemarkKind

NO_READER: Final = "no WGMMA reads it"


@dataclass
class Explainer:
    """Inspects a module twice, and remembers why TMA does not do a load."""

    refusals: dict[tuple[Attribute, str], str] = field(
        default_factory=dict[tuple[Attribute, str], str]
    )
    """Why TMA cannot do a load, by its location and tile."""
    readers: dict[tuple[Attribute, str], str] = field(
        default_factory=dict[tuple[Attribute, str], str]
    )
    """Which reader makes TMA useless for a load."""

    def after_scheduling(self, module: ModuleOp) -> Iterator[Remark]:
        """Remarks about dots, stores and the schedule, of a scheduled module."""
        for function in kernels(module):
            axis_info = analyze(function)
            for op in function.walk():
                if not isinstance(op, TiledLoadOp):
                    continue
                key = op.location, describe(op.result.type)
                self.readers[key] = _reader(op)
                if isinstance(reason := tma_tiling_or_reason(op, axis_info), str):
                    self.refusals[key] = reason
        yield from explain_schedule(module)

    def at_end(self, module: ModuleOp) -> Iterator[Remark]:
        """
        Remarks about loads that TMA does not do, and estimates, of a module at the end of its
        stage.
        """
        for function in kernels(module):
            yield from _occupancy(function, get_target(module))
            yield _estimate(function, get_target(module))
            seen: set[tuple[Attribute, str]] = set()
            for op in function.walk():
                if isinstance(op, scf.ForOp):
                    yield from _loads_ahead(op)
                    continue
                if isinstance(op, AsyncTiledLoadOp | AsyncLoadOp):
                    ty = op.destination.type
                elif isinstance(op, TiledLoadOp | GatherLoadOp | LoadOp) and op.atom is None:
                    ty = op.result.type
                else:
                    continue
                key = op.location, describe(ty)
                # The prologue of a software pipeline loads by a copy of the op.
                if key not in seen and isinstance(ty, TensorType):
                    known = self.readers if isinstance(op, AsyncTiledLoadOp) else self.refusals
                    yield _load(op, ty, known.get(key, NO_READER))
                seen.add(key)


def explain_schedule(module: ModuleOp) -> Iterator[Remark]:
    """Remarks about dots, stores and the schedule, of a scheduled module."""
    target = get_target(module)
    for function in kernels(module):
        axis_info = analyze(function)
        schedule, dots = get_schedule(function), Dots(function, target, axis_info)
        for op in function.walk():
            match op:
                case DotOp():
                    yield _dot(op, dots)
                case TiledStoreOp() | TiledAtomicRMWOp():
                    yield _store(op, function, axis_info)
                case StoreOp() | ScatterStoreOp() if isinstance(op.value.type, TensorType):
                    yield _scattered(op, "Store", op.value.type)
                case AtomicRMWOp() | AtomicCASOp() if isinstance(op.result.type, TensorType):
                    yield _scattered(op, "Atomic", op.result.type)
                case TiledLoadOp() | LoadOp() | GatherLoadOp() if (
                    schedule is not None and get_pipeline_id(op) is not None
                ):
                    if is_by_tma(op):
                        yield _staged_load(op, schedule)
                    else:
                        yield _copied_load(op, schedule, axis_info)
                case scf.ForOp():
                    yield from _loop(op)
                case _:
                    pass
        if schedule is not None:
            yield from _kernel(function, schedule)


def describe(ty: Attribute) -> str:
    """A tile type in short, `128x64xf16`."""
    return "x".join(map(str, (*get_shape(ty), get_element(ty))))


# Dots


@dataclass
class Dots:
    """
    The dots of a kernel, and which of them tensor cores could do together, asynchronously. That is
    found once, and only if a dot is kept from it by others: it takes long for hundreds of them.
    """

    function: FuncOp
    target: Target
    axis_info: AxisInfoAnalysis

    @property
    def num_warpgroups(self) -> int:
        return get_warps(self.function) // WARPGROUP_WARPS

    @cached_property
    def all(self) -> list[DotOp]:
        return find_all(self.function, DotOp)

    @cached_property
    def possible(self) -> list[DotOp]:
        """Those that could be WGMMAs by themselves, or MMAs in tensor memory."""
        target, axis_info = self.target, self.axis_info
        why_not = why_not_tcgen05 if target.has("tcgen05") else why_not_wgmma
        return [each for each in self.all if why_not(each, target, axis_info) is None]

    @cached_property
    def unmixed(self) -> list[DotOp]:
        return drop_mixed(self.possible, self.all)

    @cached_property
    def fitting(self) -> list[DotOp]:
        return drop_unfitting(self.possible, self.num_warpgroups, self.target, self.axis_info)

    @cached_property
    def operand_bytes(self) -> int:
        return operand_bytes(self.possible, self.num_warpgroups, self.axis_info)

    @cached_property
    def live_together(self) -> Sequence[Sequence[DotOp]]:
        return find_live_together(self.possible)


def _dot(op: DotOp, dots: Dots) -> Remark:
    function, target, axis_info = dots.function, dots.target, dots.axis_info
    text, warps = f"dot of {describe(op.a.type)} and {describe(op.b.type)}", get_warps(function)
    if isinstance(op, ScaledDotOp):
        return _scaled_dot(op, warps, target)
    if (emulated := EMULATED.get(op)) is not None:
        text = f"block-scaled {text}: FMAs of f32"
        return _tensorcore("Missed", "NoInstruction", op, text, emulated.data)
    if is_wgmma(op):
        return _wgmma(op, text, warps, axis_info)
    if is_tcgen05(op):
        return _tcgen05(op, text, warps)
    if target.has("tcgen05"):
        reason = _why_not_tcgen05(op, dots)
    else:
        reason = why_not_wgmma(op, target, axis_info)
    if reason is None:
        assert target.warpgroups is not None
        if op not in dots.unmixed:
            reason = "operand B would have to be written, and another dot of the loop is no WGMMA"
        elif op not in dots.fitting:
            total = dots.operand_bytes
            reason = f"operands of WGMMAs would take {total} bytes of shared memory"
        else:
            reason = _why_not_together(op, dots.live_together, target.warpgroups)
    mma = get_mma_instruction(op, target)
    if mma is None:
        reason = f"no MMA has these types and accumulators of {get_element(op.result.type)}"
        return _tensorcore("Missed", "NoInstruction", op, f"{text}: FMAs", reason)
    size = mma.instruction
    instruction = f"m{size.m}n{size.n}k{size.k}"
    if op.atom is None or op.atom.data == "fma":
        sizes = "x".join(map(str, (*get_shape(op.result.type), get_shape(op.a.type)[-1])))
        reason = f"{sizes} is smaller than {instruction}"
        return _tensorcore("Missed", "NoInstruction", op, f"{text}: FMAs", reason)
    text = f"{text}: mma.sync {instruction} of {warps} warps"
    kind: RemarkKind = "Missed" if target.warpgroups is not None else "Passed"
    if STAGED.is_on(op):
        text += ", operands from buffer stages that TMA fills"
    elif target.mma_pipelining is not None and target.warpgroups is None:
        reason = why_not_staged(function, target, axis_info) or reason
    return _tensorcore(kind, "Mma", op, text, reason)


def _scaled_dot(op: ScaledDotOp, warps: int, target: Target) -> Remark:
    (m, n), k = get_shape(op.result.type)[-2:], op.k
    types = types_of(op)
    text = f"block-scaled dot {m}x{n}x{k} of {types}"
    kind = types.kind
    if is_tcgen05(op) and kind is not None:
        rows, columns = instruction_rows((m, n)), min(n, MOST_COLUMNS)
        text += f": tcgen05.mma m{rows}n{columns}k{kind.k} kind::{kind.name}, read by {warps} warps"
        loaded = [index not in find_written_indices(op) for index in (A_INDEX, B_INDEX)]
        reason = "scales are written to shared memory by consumer warps"
        if not all(loaded):
            names = "operands" if not any(loaded) else f"operand {'AB'[loaded.index(False)]}"
            reason = f"{names} and {reason}"
        return _tensorcore("Passed", "Tcgen05", op, text, reason)
    mma = get_scaled_instruction(op, target)
    size = mma.instruction
    text += f": mma.sync m{size.m}n{size.n}k{size.k} kind::{mma.kind} of {warps} warps"
    return _tensorcore("Passed", "Mma", op, text)


def _why_not_tcgen05(op: DotOp, dots: Dots) -> str:
    """Why a dot is not done by `tcgen05`."""
    target = dots.target
    reason = why_not_tcgen05(op, target, dots.axis_info)
    if reason is not None:
        return reason
    if op not in dots.unmixed:
        return "operand B would have to be written, and another dot of the loop is no tcgen05"
    if isinstance(target.warpgroups, TensorMemoryWarpgroups):
        if op not in fitting_dots(dots.possible, target.warpgroups):
            return "accumulators that are live together do not fit in tensor memory or in registers"
    return "operands would not fit in shared memory, or tiles in tensor memory"


def _tcgen05(op: DotOp, text: str, warps: int) -> Remark:
    shape = get_shape(op.result.type)
    rows, columns = instruction_rows(shape), min(shape[1], MOST_COLUMNS)
    instruction_k = 256 // memory_bits(get_element(op.a.type))
    readers = f"read by {warps} warps"
    text = f"{text}: tcgen05.mma m{rows}n{columns}k{instruction_k}, {readers}"
    written = find_written_indices(op)
    reason = f"operand A from {'tensor' if get_memory(op.a.type) == TMEM else 'shared'} memory"
    if written == [A_INDEX, B_INDEX]:
        reason = "operands written to shared memory by consumer warps"
    elif written == [A_INDEX]:
        reason = "operand A written to shared memory by consumer warps"
    elif written == [B_INDEX]:
        reason += ", operand B written to shared memory by consumer warps"
    return _tensorcore("Passed", "Tcgen05", op, text, reason)


def _why_not_together(op: DotOp, live: Sequence[Sequence[DotOp]], warpgroups: Warpgroups) -> str:
    """
    Why a dot that could be a WGMMA is none, given those that could be and have accumulators that
    are live together.
    """
    # Accumulator registers per thread, with as many warpgroups as possible.
    shapes = [[get_shape(each.result.type) for each in dots] for dots in live]
    needed = [live_registers([each], warpgroups.max_warpgroups) for each in shapes]
    if max(needed) <= warpgroups.max_accumulator_registers:
        return f"its N = {get_shape(op.result.type)[1]} cannot be divided among warpgroups"
    own = max(number for dots, number in zip(live, needed, strict=True) if op in dots)
    is_own = own > warpgroups.max_accumulator_registers
    return (
        f"accumulators that are live {'with its own' if is_own else 'elsewhere'} take "
        f"{own if is_own else max(needed)} registers per thread with {warpgroups.max_warpgroups} "
        f"warpgroups, more than {warpgroups.max_accumulator_registers}"
    )


def _wgmma(op: DotOp, text: str, warps: int, axis_info: AxisInfoAnalysis) -> Remark:
    shape, layout = get_shape(op.result.type), layout_of(op.result.type)
    num_warpgroups = warps // WARPGROUP_WARPS
    grid = None if layout is None else find_warpgroup_grid(shape, layout, num_warpgroups)
    columns = shape[1] // (1 if grid is None else grid.n)
    columns = max(MIN_COLUMNS, min(columns, MAX_COLUMNS))
    instruction_k = 256 // memory_bits(get_element(op.a.type))
    sharers = f"{num_warpgroups} warpgroup{'s' if num_warpgroups > 1 else ''}"
    text = f"{text}: wgmma m{WGMMA_M}n{columns}k{instruction_k} of {sharers}"
    written = find_written_indices(op)
    source = "shared memory" if is_staged(op.a) else "registers"
    reason = f"operand A from {source}"
    copied = None if is_staged(op.a) else copied_operand_or_reason(op, axis_info)
    if isinstance(copied, str) and copied != NOT_THROUGH_POINTERS:
        reason += f", as producer threads cannot copy it: {copied}"
    if takes_accumulators(op):
        found = even_first_or_reason(op, num_warpgroups, axis_info)
        if isinstance(found, str):
            reason += f", where threads exchange accumulators: {found}"
        elif all(EVEN_FIRST.is_on(load) for load in found.loads):
            reason += ", where accumulators are already"
    if grid is not None and grid.even_first:
        reason += ", even columns of operand B before odd ones"
    if written == [A_INDEX, B_INDEX]:
        reason = "operands written to shared memory by consumer warps"
    elif written == [B_INDEX]:
        reason += ", operand B written to shared memory by consumer warps"
    return _tensorcore("Passed", "Wgmma", op, text, reason)


def _tensorcore(kind: RemarkKind, name: str, op: Operation, text: str, reason: str = "") -> Remark:
    return Remark.at(op, kind, "TensorCore", text, name=name, reason=reason)


# Loads and stores


def _memory(kind: RemarkKind, name: str, op: Operation, text: str, reason: str = "") -> Remark:
    return Remark.at(op, kind, "Memory", text, name=name, reason=reason)


def _tma_tiles(tiling: TmaTiling | None) -> str:
    assert tiling is not None
    sizes = "x".join(map(str, tiling.box))
    swizzle = f"swizzle of {tiling.swizzle} bytes" if tiling.swizzle else "no swizzle"
    order = ", even rows before odd ones" if tiling.even_first is not None else ""
    return f"TMA tiles of {sizes}, {swizzle}{order}"


def _pipeline(op: StagedLoad, schedule: KernelSchedule) -> str:
    number = get_pipeline_id(op)
    assert number is not None
    stages = schedule.stages[number]
    return f"pipeline {number} of {stages} stages" if stages > 1 else "loaded once"


def _copied_load(op: StagedLoad, schedule: KernelSchedule, axis_info: AxisInfoAnalysis) -> Remark:
    kind = "load" if is_stored(op) else "cp.async load"
    text = (
        f"{kind} of {describe(op.result.type)} by {schedule.producer_warps} producer warps"
        f"{_width(op)}"
    )
    if isinstance(op, TiledLoadOp):
        why = tma_tiling_or_reason(op, axis_info)
    else:
        why = "it goes through pointers" if isinstance(op, LoadOp) else "rows are gathered"
    reason = f"no TMA: {why}; {_pipeline(op, schedule)}"
    return _memory("Passed", "CpAsync", op, text, reason)


def _staged_load(op: TiledLoadOp, schedule: KernelSchedule) -> Remark:
    reason = f"{_tma_tiles(whole_tiling(op))}; {_pipeline(op, schedule)}"
    return _memory("Passed", "TmaLoad", op, f"TMA load of {describe(op.result.type)}", reason)


def _store(
    op: TiledStoreOp | TiledAtomicRMWOp, function: Operation, axis_info: AxisInfoAnalysis
) -> Remark:
    name, word = ("Store", "store") if isinstance(op, TiledStoreOp) else ("Atomic", "atomic")
    tile = describe(op.value.type)
    if has_atom(op, *TMA_STORES):
        tiles = _tma_tiles(TmaTiling.of(op.view_type))
        return _memory("Passed", f"Tma{name}", op, f"TMA {word} of {tile}", tiles)
    reason = why_tma_stores_not_preferred(function)
    kind: RemarkKind = "Passed" if reason is not None else "Missed"
    reason = reason or why_no_tma_store(op, axis_info) or ""
    return _memory(kind, name, op, f"{word} of {tile} by threads{_width(op)}", f"no TMA: {reason}")


def _scattered(op: Operation, name: str, ty: Attribute) -> Remark:
    is_view = isinstance(op, ScatterStoreOp)
    where = "rows are scattered" if is_view else "it goes through pointers"
    text = f"{name.lower()} of {describe(ty)} by threads{_width(op)}"
    return _memory("Passed", name, op, text, f"no TMA: {where}")


def _width(op: Operation) -> str:
    """The vector width of an access."""
    vector = get_vector(op)
    if vector is None:
        return ""
    return f", {vector.width} elements per access" if vector.width > 1 else ", not vectorized"


def _reader(op: TiledLoadOp) -> str:
    """Which reader of a tile does not read it from shared memory."""
    dots = [use.op for use in find_uses(op.result) if isinstance(use.op, DotOp)]
    atoms = {dot.atom.data for dot in dots if dot.atom is not None}
    if MMA_SYNC_ATOM in atoms:
        return "mma.sync reads it"
    return "a dot by FMAs reads it" if "fma" in atoms else NO_READER


def _load(
    op: AsyncTiledLoadOp | AsyncLoadOp | TiledLoadOp | GatherLoadOp | LoadOp,
    ty: Attribute,
    refusal: str,
) -> Remark:
    tile = describe(ty)
    name, text = "Load", f"load of {tile} by threads{_width(op)}"
    if isinstance(op, AsyncTiledLoadOp | AsyncLoadOp):
        name, text = "CpAsync", f"cp.async load of {tile}{_width(op)}"
    if isinstance(op, LoadOp | AsyncLoadOp):
        reason = "no TMA: it goes through pointers"
    elif isinstance(op, GatherLoadOp):
        reason = "no TMA: rows are gathered"
    else:
        reason = f"no TMA: {refusal}"
    vector = get_vector(op)
    number = 1 if vector is None else vector.width
    is_wide = number * memory_bits(get_element(ty)) >= VECTOR_BYTES * 8
    return _memory(
        "Passed" if is_wide else "Missed",
        name,
        op,
        text,
        reason if is_wide else f"{reason}; wider accesses may be unaligned or out of bounds",
    )


# Loops and kernels


def _loop(loop: scf.ForOp) -> Iterator[Remark]:
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
        yield _tensorcore("Passed", "Ahead", loop, text)


def _loads_ahead(loop: scf.ForOp) -> Iterator[Remark]:
    """How far ahead a loop loads that waits for its copies."""
    if not any(isinstance(op, DeviceAsyncWaitOp) for op in loop.body.block.ops):
        return
    slices = [
        op.destination.owner for op in loop.walk() if isinstance(op, AsyncTiledLoadOp | AsyncLoadOp)
    ]
    buffers = {op.source: op for op in slices if isinstance(op, ExtractSliceOp)}
    stages = max((get_shape(buffer.type)[0] for buffer in buffers), default=1)
    size = sum(tile_bytes(buffer.type) for buffer in buffers)
    loads = f"{len(buffers)} load{'s' if len(buffers) > 1 else ''}"
    ahead = f"{stages - 1} iteration{'s' if stages > 2 else ''} ahead"
    text = f"software pipelining: {loads} {ahead}"
    reason = f"{stages} buffer stages of {size // stages} bytes"
    yield Remark.at(loop, "Passed", "Pipeline", text, name="LoadsAhead", reason=reason)


def _occupancy(function: FuncOp, target: Target) -> Iterator[Remark]:
    """How many CTAs of a kernel without dots share an SM, and what each takes of it."""
    resources = find_resources(function, target)
    if resources is None:
        return
    ctas = get_occupancy(function)
    text = f"registers for {ctas} CTA{'s' if ctas > 1 else ''} of {resources.warps} warps per SM"
    reason = (
        f"tiles take about {resources.registers} of {target.registers.cap(ctas * resources.warps)} "
        f"registers per thread, a CTA {resources.shared} bytes of shared memory"
    )
    yield Remark.at(function, "Analysis", "Resources", text, name="Occupancy", reason=reason)


def _estimate(function: FuncOp, target: Target) -> Remark:
    """How long a kernel should take, by its schedule, and what limits it."""
    try:
        estimate = estimate_kernel(function, target)
    except UnknownScheduleError as error:
        text = f"no {LABEL.partition(',')[0]}"
        return _tensorcore("Analysis", "Estimate", function, text, str(error))
    text, reason = estimate.summary()
    category = "TensorCore" if estimate.ideal else "Memory"
    return Remark.at(function, "Analysis", category, text, name="Estimate", reason=reason)


def _is_tile_work(op: Operation) -> bool:
    return isinstance(op, DotOp | TiledLoadOp | LoadOp) or any(
        layout_of(result.type) is not None and len(get_shape(result.type)) > 1
        for result in op.results
    )


def _kernel(function: FuncOp, schedule: KernelSchedule) -> Iterator[Remark]:
    warpgroups = get_pipelining(function)
    requirements, buffered = _requirements(function, schedule, warpgroups)
    limit = warpgroups.shared.per_cta(requirements.occupancy)
    used = buffered + requirements.reserved
    yield _memory(
        "Analysis",
        "Shared",
        function,
        f"{used} of {limit} bytes of shared memory",
        f"multi-stage buffers {buffered}, scratch memory and stores "
        f"{requirements.reserved - RESERVED_BYTES}, barriers and tensor maps {RESERVED_BYTES}",
    )
    for number, (buffer, stages) in enumerate(
        zip(requirements.buffers, schedule.stages, strict=True)
    ):
        yield from _buffer(function, number, buffer, stages, warpgroups)
    yield _registers(function, requirements, schedule, warpgroups)
    yield _persistence(function)
    yield from _block_order(function)


def _requirements(
    function: FuncOp, schedule: KernelSchedule, warpgroups: Pipelining
) -> tuple[KernelRequirements, int]:
    """
    What a kernel needs, and the bytes of its multi-stage buffers: with stores staged in the first
    way that leaves room for these.
    """
    pipelines, staging_bytes = get_pipelines(function).values(), warpgroup_store_bytes(function)
    found = [
        find_requirements(function, warpgroups, [*pipelines], staging_bytes, staging)
        for staging in StoreStaging
    ]
    buffers = zip(found[0].buffers, schedule.stages, strict=True)
    buffered = sum(buffer.bytes * stages for buffer, stages in buffers)
    limit = warpgroups.shared.per_cta(found[0].occupancy)
    fitting = (each for each in found if buffered + each.reserved <= limit)
    return next(fitting, found[-1]), buffered


def _buffer(
    function: FuncOp, number: int, buffer: MultiStageBuffer, stages: int, warpgroups: Pipelining
) -> Iterator[Remark]:
    cycles, wanted = buffer.cycles, warpgroups.wanted_stages(buffer)
    if cycles is None:
        return
    if buffer.latency is not None:
        reason = f"hint latency = {buffer.latency} asks for {wanted}"
    elif cycles == warpgroups.nesting_cycles:
        reason = f"inner loops take long: {wanted} stages suffice"
    else:
        reason = (
            f"loads take up to {warpgroups.load_cycles} cycles, an iteration {cycles.tensor} of "
            f"tensor cores, {cycles.l2} of L2 and {cycles.memory} of memory: {wanted} stages "
            "suffice"
        )
    if stages < wanted:
        reason += ", but no more fit into shared memory"
    text = f"pipeline {number} has {stages} stages of {buffer.bytes} bytes"
    kind: RemarkKind = "Missed" if stages < min(wanted, MIN_STAGES) else "Analysis"
    yield _tensorcore(kind, "Stages", function, text, reason)


def _registers(
    function: FuncOp,
    requirements: KernelRequirements,
    schedule: KernelSchedule,
    warpgroups: Pipelining,
) -> Remark:
    others = 1 + (schedule.mma_warps or 0)
    cap = warpgroups.registers.cap((requirements.warps + others) * requirements.occupancy)
    text = f"tiles take about {requirements.registers} registers per thread"
    if schedule.registers is None:
        count = schedule.producer_warps
        producers = f"{count} producer warp{'s' if count > 1 else ''}"
        warps = f"{requirements.warps} consumer warps, {producers}"
        if schedule.mma_warps:
            warps += ", an MMA warp"
        return _tensorcore("Analysis", "Registers", function, text, f"{cap} available: {warps}")
    producer, consumer = schedule.registers
    reason = (
        f"more than the {cap} available beside a producer warp: register reallocation leaves "
        f"{producer} to {schedule.producer_warps} producer warps, and gives {consumer} to consumer "
        "warps"
    )
    return _tensorcore("Analysis", "Registers", function, text, reason)


def _block_order(function: FuncOp) -> Iterator[Remark]:
    text = "tile blocks with most iterations start first"
    if LONGEST_FIRST.is_on(function):
        yield _tensorcore("Passed", "BlockOrder", function, text)
    elif isinstance(reason := choose_order(function), str):
        yield _tensorcore(
            "Missed",
            "BlockOrder",
            function,
            "tile blocks start in the order of their indices",
            reason,
        )


def _persistence(function: FuncOp) -> Remark:
    residents = find_resident_ctas(function)
    own_loop = "" if residents is None else "; the CTAs beyond those return at once"
    if ctas := get_persistent_ctas(function) or (residents and residents.ctas_per_sm.value.data):
        text = f"persistent kernel, {ctas} CTA{'s' if ctas > 1 else ''} per SM"
        size = get_cluster_ctas(function)
        if size > 1 and residents is None and not PAIR.is_on(function):
            text += f"; clusters of {size} CTAs multicast the tiles that they share"
        return _tensorcore("Passed", "Persistent", function, text + own_loop)
    reason = why_not_persistent(function)
    if reason is None and get_cluster_ctas(function) > 1:
        reason = "launches count clusters"
    return _tensorcore("Missed", "Persistent", function, "not a persistent kernel", reason or "")
