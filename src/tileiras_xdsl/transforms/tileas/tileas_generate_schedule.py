"""
Schedules kernels with WGMMA: multi-stage buffers, warp specialization, software pipelining.

Before:  scf.for %k … {
           %a = nv_tileas.tiled_load %v[%i, %k]
           %b = nv_tileas.tiled_load %w[%k, %j]
           %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>}
         }
After:   %a = nv_tileas.tiled_load %v[%i, %k] {nv_tileas.pipe = #nv_tileas.pipe<0>}
         %b = nv_tileas.tiled_load %w[%k, %j] {nv_tileas.pipe = #nv_tileas.pipe<0>}
         …, and the kernel has
         {nv_tileas.schedule = #nv_tileas.schedule<stages = [4], producer_warps = 1>}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import FloatTF32Type, ModuleOp, StringAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    ELEMENT,
    PIPE,
    REMARK,
    SCHEDULE,
    KernelSchedule,
    PipeAttr,
    ScheduleAttr,
)
from tileiras_xdsl.dialects.nvgpu.persistence import get_persistent_ctas, set_persistent_ctas
from tileiras_xdsl.targets.machine import GROUP_WARPS
from tileiras_xdsl.targets.warpgroups import Warpgroups
from tileiras_xdsl.transforms.common.compute_capability import get_target, get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all

from .kernel_model.requirements import KernelRequirements, find_requirements
from .kernel_model.staged_loads import LoadPipeline, find_pipelines, is_rounded
from .kernel_model.warpgroup_stores import mark_warpgroup_stores
from .kernel_model.wgmma import find_wgmma_dots
from .schedule.stages import assign_stages

MAX_SAVING = 2
"""Ways to save shared memory: 1 drops staging buffers of stores, 2 cuts scratch memory as well."""


@dataclass(frozen=True)
class TileasGenerateSchedulePass(ModulePass):
    """
    Decides for kernels with WGMMA which loads go through multi-stage buffers, how many buffer
    stages these have (see `targets.warpgroups`), how many warps produce, whether registers are
    reallocated to consumer warps, and the pipeline stage of each op of a loop. A hint `occupancy`
    that cannot be met is lowered, with a remark. Other kernels are left as they are.
    """

    name = "tileas-generate-schedule"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            generate(function)


def generate(function: FuncOp) -> None:
    """Annotates a kernel with its schedule."""
    dots = find_wgmma_dots(function)
    if not dots:
        return
    model = get_warpgroups(dots[0])
    pipelines = find_pipelines(function)
    number_pipelines(pipelines)
    buffers = mark_warpgroup_stores(function, get_target(function).limits.store_buffers)
    requirements = find_requirements(function, model, pipelines, buffers)
    for saving in range(1, MAX_SAVING + 1):
        if model.choose_stages(requirements.buffers, requirements.reserved) is None:
            # Stores can do without buffers: they then wait for the store before.
            requirements = find_requirements(
                function, model, pipelines, mark_warpgroup_stores(function, 0), saving
            )
    occupancy, reason = choose_occupancy(requirements, model)
    chosen = model.choose_stages(requirements.buffers, requirements.reserved, occupancy)
    if chosen is None:
        total = requirements.reserved + sum(buffer.bytes for buffer in requirements.buffers)
        fail(
            dots[0],
            f"'{dots[0].name}' op needs {total} bytes of shared memory, "
            f"but a CTA has {model.shared.opt_in}: use smaller tiles",
        )
    if reason is not None:
        REMARK.set(function, StringAttr(reason))
    set_occupancy(function, occupancy)
    for loop in find_all(function, scf.ForOp):
        assign_stages(loop)
    groups = requirements.warps // GROUP_WARPS
    reallocates = model.reallocates_registers(groups, requirements.registers, occupancy)
    schedule = KernelSchedule(
        tuple(chosen.stages),
        GROUP_WARPS if reallocates else 1,
        (model.producer_registers, model.consumer_registers) if reallocates else None,
    )
    SCHEDULE.set(function, ScheduleAttr(schedule))


def choose_occupancy(requirements: KernelRequirements, model: Warpgroups) -> tuple[int, str | None]:
    """The CTAs per SM, and why they are fewer than a hint asks for."""
    first = None
    for occupancy in range(requirements.occupancy, 1, -1):
        reason = model.why_not_occupancy(
            occupancy,
            requirements.warps + 1,
            requirements.registers,
            requirements.buffers,
            requirements.reserved,
        )
        if reason is None:
            return occupancy, first
        first = first or f"hint occupancy = {requirements.occupancy} is not met: {reason}"
    return 1, first


def set_occupancy(function: FuncOp, occupancy: int) -> None:
    """Records the CTAs per SM, if a hint asked for some or the kernel is persistent."""
    spec = KERNEL_SPEC.get(function)
    if spec is not None and "occupancy" in spec.get_fields():
        KERNEL_SPEC.set(function, spec.replaced(occupancy=occupancy))
    if get_persistent_ctas(function):
        set_persistent_ctas(function, occupancy)


def number_pipelines(pipelines: Sequence[LoadPipeline]) -> None:
    """Annotates each load with the number of its pipeline."""
    for number, groups in enumerate(pipelines):
        for load in (load for group in groups for load in group):
            PIPE.set(load, PipeAttr(number))
            if is_rounded(load):
                ELEMENT.set(load, FloatTF32Type())
