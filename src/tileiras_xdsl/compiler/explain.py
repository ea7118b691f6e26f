"""
What was decided about a kernel, and why, for those who ask.

Nothing here decides: modules are looked at after `tileas-generate-schedule`, and again at the end
of the stage `tileas`. Reasons come from the functions that refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.analysis.axis_info_analysis import VECTOR_BYTES, AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.tma_tiles import TmaTile
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicCASOp, AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncTiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    KernelSchedule,
    get_pipeline_id,
    get_schedule,
    get_stage,
    get_vector,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import (
    GatherLoadOp,
    LoadOp,
    ScatterStoreOp,
    StoreOp,
    TiledAtomicRMWOp,
    TiledLoadOp,
    TiledStoreOp,
)
from tileiras_xdsl.dialects.nvgpu.persistence import get_cluster_blocks, get_persistent_blocks
from tileiras_xdsl.targets.machine import GROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.warpgroups import (
    GROUP_ROWS,
    MAX_COLUMNS,
    MIN_COLUMNS,
    MIN_STAGES,
    Ring,
    Warpgroups,
    loop_registers,
)
from tileiras_xdsl.transforms.common.abi import OWN_LAUNCHES
from tileiras_xdsl.transforms.common.compute_capability import get_target, get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import get_warps, kernels
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import memory_bits
from tileiras_xdsl.transforms.tileas.kernel_model.persistence import why_not_persistent
from tileiras_xdsl.transforms.tileas.kernel_model.registers import is_staged
from tileiras_xdsl.transforms.tileas.kernel_model.requirements import (
    RESERVED_BYTES,
    KernelRequirements,
    find_requirements,
)
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import BOX_STORES, has_atom
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import find_pipelines
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import find_uses, tma_tile_or_reason
from tileiras_xdsl.transforms.tileas.kernel_model.tma_store_selection import (
    why_no_tma_store,
    why_not_preferred,
)
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_stores import warpgroup_store_bytes
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import (
    WARP_ATOM,
    get_wgmma,
    is_wgmma,
)
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma_selection import (
    by_loop,
    find_group_grid,
    is_for_warpgroups,
    why_not_warpgroups,
)

from .remarks import Kind, Remark

NO_READER: Final = "no product of warpgroups reads it"


@dataclass
class Explainer:
    """Looks at a module twice, and remembers why loads are not done by the accelerator."""

    abi: str
    refusals: dict[tuple[Attribute, str], str] = field(
        default_factory=dict[tuple[Attribute, str], str]
    )
    """Why the accelerator cannot do a load, by its location and tile."""
    readers: dict[tuple[Attribute, str], str] = field(
        default_factory=dict[tuple[Attribute, str], str]
    )
    """Who reads a load, for whom it does none."""

    def after_scheduling(self, module: ModuleOp) -> Iterator[Remark]:
        """Products, stores, and what is scheduled, of a module that has its schedule."""
        for function in kernels(module):
            facts = analyze(function)
            for op in function.walk():
                if not isinstance(op, TiledLoadOp):
                    continue
                key = op.location, describe(op.result.type)
                self.readers[key] = _reader(op)
                if isinstance(reason := tma_tile_or_reason(op, facts), str):
                    self.refusals[key] = reason
        yield from explain_schedule(module, self.abi)

    def at_end(self, module: ModuleOp) -> Iterator[Remark]:
        """The loads that are not done by the accelerator, of a module at the end of its stage."""
        for function in kernels(module):
            seen: set[tuple[Attribute, str]] = set()
            for op in function.walk():
                if isinstance(op, AsyncTiledLoadOp):
                    ty = op.destination.type
                elif isinstance(op, TiledLoadOp | GatherLoadOp | LoadOp) and op.atom is None:
                    ty = op.result.type
                else:
                    continue
                key = op.location, describe(ty)
                # The first stages of a ring are loaded elsewhere, by a copy of the op.
                if key not in seen and isinstance(ty, TensorType):
                    known = self.readers if isinstance(op, AsyncTiledLoadOp) else self.refusals
                    yield _load(op, ty, known.get(key, NO_READER))
                seen.add(key)


def explain_schedule(module: ModuleOp, abi: str) -> Iterator[Remark]:
    """Products, stores, and what is scheduled, of a module that has its schedule."""
    target = get_target(module)
    for function in kernels(module):
        facts = analyze(function)
        schedule = get_schedule(function)
        for op in function.walk():
            match op:
                case DotOp():
                    yield _product(op, target, facts, function)
                case TiledStoreOp() | TiledAtomicRMWOp():
                    yield _store(op, function, facts)
                case StoreOp() | ScatterStoreOp() if isinstance(op.value.type, TensorType):
                    yield _scattered(op, "Store", op.value.type)
                case AtomicRMWOp() | AtomicCASOp() if isinstance(op.result.type, TensorType):
                    yield _scattered(op, "Atomic", op.result.type)
                case TiledLoadOp() if schedule is not None and get_pipeline_id(op) is not None:
                    yield _staged_load(op, schedule)
                case scf.ForOp():
                    yield from _loop(op)
                case _:
                    pass
        if schedule is not None:
            yield from _kernel(function, schedule, abi)


def describe(ty: Attribute) -> str:
    """A tile in a few characters, `128x64xf16`."""
    return "x".join(map(str, (*get_shape(ty), get_element(ty))))


# Products


def _product(op: DotOp, target: Target, facts: AxisInfoAnalysis, function: FuncOp) -> Remark:
    text, warps = f"product of {describe(op.a.type)} and {describe(op.b.type)}", get_warps(function)
    if is_wgmma(op):
        return _wgmma(op, text, warps)
    reason = why_not_warpgroups(op, target, facts)
    if reason is None:
        products = [each for each in function.walk() if isinstance(each, DotOp)]
        found = [each for each in products if is_for_warpgroups(each, target, facts)]
        assert target.warpgroups is not None
        reason = _why_not_together(op, by_loop(found), target.warpgroups)
    product = get_wgmma(op, target)
    if product is None:
        reason = f"no instruction has these types and sums in {get_element(op.result.type)}"
        return _tensorcore("Missed", "NoInstruction", op, f"{text}: single operations", reason)
    size = product.instruction
    instruction = f"m{size.m}n{size.n}k{size.k}"
    if op.atom is None or op.atom.data == "fma":
        sizes = "x".join(map(str, (*get_shape(op.result.type), get_shape(op.a.type)[-1])))
        reason = f"{sizes} is smaller than {instruction}"
        return _tensorcore("Missed", "NoInstruction", op, f"{text}: single operations", reason)
    text = f"{text}: mma.sync {instruction} of {warps} warps"
    kind: Kind = "Missed" if target.warpgroups is not None else "Passed"
    return _tensorcore(kind, "Mma", op, text, reason)


def _why_not_together(op: DotOp, loops: Sequence[Sequence[DotOp]], model: Warpgroups) -> str:
    """Why warpgroups do not multiply though they could, given all products that they could do."""
    # Registers of a thread for the sums of a loop, if as many warpgroups share them as can.
    shapes = [[get_shape(each.result.type) for each in loop] for loop in loops]
    needed = [loop_registers([each], model.max_groups) for each in shapes]
    if max(needed) <= model.max_accumulators:
        return f"warpgroups cannot share its {get_shape(op.result.type)[1]} columns"
    own = next(number for loop, number in zip(loops, needed, strict=True) if op in loop)
    is_own = own > model.max_accumulators
    return (
        f"all sums of {'its' if is_own else 'another'} loop take "
        f"{own if is_own else max(needed)} registers of a thread of {model.max_groups} "
        f"warpgroups, and {model.max_accumulators} are for sums"
    )


def _wgmma(op: DotOp, text: str, warps: int) -> Remark:
    shape, layout = get_shape(op.result.type), layout_of(op.result.type)
    groups = warps // GROUP_WARPS
    grid = None if layout is None else find_group_grid(shape, layout, groups)
    columns = shape[1] // (1 if grid is None else grid.n)
    columns = max(MIN_COLUMNS, min(columns, MAX_COLUMNS))
    terms = 256 // memory_bits(get_element(op.a.type))
    sharers = f"{groups} warpgroup{'s' if groups > 1 else ''}"
    text = f"{text}: wgmma m{GROUP_ROWS}n{columns}k{terms} of {sharers}"
    left = "shared memory" if is_staged(op.a) else "registers"
    return _tensorcore("Passed", "Wgmma", op, text, f"left factor from {left}")


def _tensorcore(kind: Kind, name: str, op: Operation, text: str, reason: str = "") -> Remark:
    return Remark.at(op, kind, "TensorCore", text, name=name, reason=reason)


# Loads and stores


def _memory(kind: Kind, name: str, op: Operation, text: str, reason: str = "") -> Remark:
    return Remark.at(op, kind, "Memory", text, name=name, reason=reason)


def _boxes(ty: Attribute) -> str:
    assert isinstance(ty, TiledViewType)
    box = TmaTile.of(ty)
    assert box is not None
    sizes = "x".join(map(str, box.box))
    swizzle = f"swizzle of {box.swizzle} bytes" if box.swizzle else "no swizzle"
    return f"boxes of {sizes}, {swizzle}"


def _staged_load(op: TiledLoadOp, schedule: KernelSchedule) -> Remark:
    pipe = get_pipeline_id(op)
    assert pipe is not None
    stages = schedule.stages[pipe]
    ring = f"ring {pipe} of {stages} stages" if stages > 1 else "loaded once"
    reason = f"{_boxes(op.view.type)}; {ring}"
    return _memory("Passed", "TmaLoad", op, f"TMA load of {describe(op.result.type)}", reason)


def _store(
    op: TiledStoreOp | TiledAtomicRMWOp, function: Operation, facts: AxisInfoAnalysis
) -> Remark:
    name, word = ("Store", "store") if isinstance(op, TiledStoreOp) else ("Atomic", "atomic")
    tile = describe(op.value.type)
    if has_atom(op, *BOX_STORES):
        return _memory("Passed", f"Tma{name}", op, f"TMA {word} of {tile}", _boxes(op.view.type))
    reason = why_not_preferred(function)
    kind: Kind = "Passed" if reason is not None else "Missed"
    reason = reason or why_no_tma_store(op, facts) or ""
    return _memory(kind, name, op, f"{word} of {tile} by threads{_width(op)}", f"no TMA: {reason}")


def _scattered(op: Operation, name: str, ty: Attribute) -> Remark:
    is_view = isinstance(op, ScatterStoreOp)
    where = "rows are scattered" if is_view else "it goes through pointers"
    text = f"{name.lower()} of {describe(ty)} by threads{_width(op)}"
    return _memory("Passed", name, op, text, f"no TMA: {where}")


def _width(op: Operation) -> str:
    """How much a thread moves at once."""
    vector = get_vector(op)
    if vector is None:
        return ""
    return f", {vector.width} elements at once" if vector.width > 1 else ", element by element"


def _reader(op: TiledLoadOp) -> str:
    """Who reads a tile, of those that do not read what the accelerator loads."""
    products = [use.op for use in find_uses(op.result) if isinstance(use.op, DotOp)]
    atoms = {product.atom.data for product in products if product.atom is not None}
    if WARP_ATOM in atoms:
        return "products by mma.sync read it"
    return "products of single operations read it" if "fma" in atoms else NO_READER


def _load(
    op: AsyncTiledLoadOp | TiledLoadOp | GatherLoadOp | LoadOp, ty: Attribute, refusal: str
) -> Remark:
    tile = describe(ty)
    name, text = "Load", f"load of {tile} by threads{_width(op)}"
    if isinstance(op, AsyncTiledLoadOp):
        name, text = "CpAsync", f"cp.async load of {tile}{_width(op)}"
    if isinstance(op, LoadOp):
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
        reason if is_wide else f"{reason}; no more are known to lie together, aligned, in bounds",
    )


# Loops and kernels


def _loop(loop: scf.ForOp) -> Iterator[Remark]:
    """Which ops run ahead."""
    ops = [
        (stage, op.name.partition(".")[2])
        for op in loop.body.block.ops
        if (stage := get_stage(op)) is not None and _is_tile_work(op)
    ]
    ops.sort(key=lambda each: each[0].order)
    names = [[name for stage, name in ops if stage.stage == number] for number in (0, 1)]
    if all(names):
        ahead, behind = (", ".join(dict.fromkeys(each)) for each in names)
        text = f"one iteration ahead: {ahead}; behind: {behind}"
        yield _tensorcore("Passed", "Ahead", loop, text)


def _is_tile_work(op: Operation) -> bool:
    return isinstance(op, DotOp | TiledLoadOp | LoadOp) or any(
        layout_of(result.type) is not None and len(get_shape(result.type)) > 1
        for result in op.results
    )


def _kernel(function: FuncOp, schedule: KernelSchedule, abi: str) -> Iterator[Remark]:
    model = get_warpgroups(function)
    buffers = warpgroup_store_bytes(function)
    needs = find_requirements(function, model, find_pipelines(function), buffers)
    blocks = needs.blocks
    rings = sum(
        ring.bytes * stages for ring, stages in zip(needs.rings, schedule.stages, strict=True)
    )
    used, limit = rings + needs.reserved, model.shared.of_block(blocks)
    yield _memory(
        "Analysis",
        "Shared",
        function,
        f"{used} of {limit} bytes of shared memory",
        f"rings {rings}, exchanges and stores {needs.reserved - RESERVED_BYTES}, "
        f"barriers and maps {RESERVED_BYTES}",
    )
    for number, (ring, stages) in enumerate(zip(needs.rings, schedule.stages, strict=True)):
        yield from _ring(function, number, ring, stages, model)
    yield _registers(function, needs, schedule, model)
    yield _persistence(function, abi)


def _ring(
    function: FuncOp, number: int, ring: Ring, stages: int, model: Warpgroups
) -> Iterator[Remark]:
    clocks, wanted = ring.clocks, model.wanted_stages(ring)
    if clocks is None:
        return
    if ring.latency is not None:
        reason = f"hint latency = {ring.latency} asks for {wanted}"
    elif clocks == model.nesting_clocks:
        reason = f"the loops inside take long: {wanted} are enough"
    else:
        reason = (
            f"loads take up to {model.load_clocks} clocks, an iteration {clocks.tensor} of tensor "
            f"cores, {clocks.l2} of L2 and {clocks.memory} of memory: {wanted} are enough"
        )
    if stages < wanted:
        reason += ", shared memory has no room for more"
    text = f"ring {number} has {stages} stages of {ring.bytes} bytes"
    kind: Kind = "Missed" if stages < min(wanted, MIN_STAGES) else "Analysis"
    yield _tensorcore(kind, "Stages", function, text, reason)


def _registers(
    function: FuncOp, needs: KernelRequirements, schedule: KernelSchedule, model: Warpgroups
) -> Remark:
    cap = model.registers.cap((needs.warps + 1) * needs.blocks)
    text = f"tiles take about {needs.registers} registers of a thread"
    if schedule.registers is None:
        warps = f"{needs.warps} warps that multiply, {schedule.producer_warps} that loads"
        return _tensorcore("Analysis", "Registers", function, text, f"{cap} are there: {warps}")
    small, large = schedule.registers
    reason = (
        f"too many for the {cap} beside a producer warp: {schedule.producer_warps} of these keep "
        f"{small}, those that multiply have {large}"
    )
    return _tensorcore("Analysis", "Registers", function, text, reason)


def _persistence(function: FuncOp, abi: str) -> Remark:
    if blocks := get_persistent_blocks(function):
        text = f"blocks stay, {blocks} for each multiprocessor, and do the work of many"
        if (size := get_cluster_blocks(function)) > 1:
            text += f"; {size} that are neighbours share what they load"
        return _tensorcore("Passed", "Persistent", function, text)
    reason = why_not_persistent(function)
    if abi != OWN_LAUNCHES:
        reason = f"the ABI {abi} leaves launches to others"
    return _tensorcore("Missed", "Persistent", function, "blocks do not stay", reason or "")
