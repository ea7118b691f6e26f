"""
When tiles are loaded and products run, on Hopper.

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
from tileiras_xdsl.dialects.nvgpu.persistence import get_persistent_blocks, set_persistent_blocks
from tileiras_xdsl.targets.machine import GROUP_WARPS
from tileiras_xdsl.targets.warpgroups import Warpgroups
from tileiras_xdsl.transforms.common.compute_capability import get_target, get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all

from .kernel_model.requirements import KernelRequirements, find_requirements
from .kernel_model.staged_loads import Pipe, find_pipelines, is_rounded
from .kernel_model.warpgroup_stores import mark_warpgroup_stores
from .kernel_model.wgmma import find_wgmma_dots
from .schedule.stages import assign_stages

MAX_SAVING = 2
"""How far a kernel goes to save shared memory."""


@dataclass(frozen=True)
class TileasGenerateSchedulePass(ModulePass):
    """
    Decides for kernels with products by warpgroups which loads go through rings of stages, how
    many stages these have (see `targets.warpgroups`), who fills them, and which ops of a loop run
    an iteration ahead. A hint `occupancy` that cannot be met is lowered, with a remark.
    Kernels without such products stay as they are.
    """

    name = "tileas-generate-schedule"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            generate(function)


def generate(function: FuncOp) -> None:
    """Writes the schedule of a kernel into attributes."""
    products = find_wgmma_dots(function)
    if not products:
        return
    model = get_warpgroups(products[0])
    pipelines = find_pipelines(function)
    number_pipelines(pipelines)
    buffers = mark_warpgroup_stores(function, get_target(function).limits.store_buffers)
    needs = find_requirements(function, model, pipelines, buffers)
    for saving in range(1, MAX_SAVING + 1):
        if model.choose_stages(needs.rings, needs.reserved) is None:
            # It can do without buffers of stores.
            needs = find_requirements(
                function, model, pipelines, mark_warpgroup_stores(function, 0), saving
            )
    blocks, reason = choose_blocks(needs, model)
    depths = model.choose_stages(needs.rings, needs.reserved, blocks)
    if depths is None:
        total = needs.reserved + sum(ring.bytes for ring in needs.rings)
        fail(
            products[0],
            f"'{products[0].name}' op needs {total} bytes of shared memory, "
            f"but a block has {model.shared.opt_in}: use smaller tiles",
        )
    if reason is not None:
        REMARK.set(function, StringAttr(reason))
    set_blocks(function, blocks)
    for loop in find_all(function, scf.ForOp):
        assign_stages(loop)
    groups = needs.warps // GROUP_WARPS
    exchanges = model.exchanges_registers(groups, needs.registers, blocks)
    schedule = KernelSchedule(
        tuple(depths.stages),
        GROUP_WARPS if exchanges else 1,
        (model.producer_registers, model.consumer_registers) if exchanges else None,
    )
    SCHEDULE.set(function, ScheduleAttr(schedule))


def choose_blocks(needs: KernelRequirements, model: Warpgroups) -> tuple[int, str | None]:
    """How many blocks share a multiprocessor, and why these are fewer than a hint says."""
    first = None
    for blocks in range(needs.blocks, 1, -1):
        reason = model.why_not_blocks(
            blocks, needs.warps + 1, needs.registers, needs.rings, needs.reserved
        )
        if reason is None:
            return blocks, first
        first = first or f"hint occupancy = {needs.blocks} is not met: {reason}"
    return 1, first


def set_blocks(function: FuncOp, blocks: int) -> None:
    """Says how many blocks share a multiprocessor, if a hint asked for some or they stay."""
    spec = KERNEL_SPEC.get(function)
    if spec is not None and "occupancy" in spec.get_fields():
        KERNEL_SPEC.set(function, spec.replaced(occupancy=blocks))
    if get_persistent_blocks(function):
        set_persistent_blocks(function, blocks)


def number_pipelines(pipelines: Sequence[Pipe]) -> None:
    """Puts the number of its pipe into each load."""
    for number, groups in enumerate(pipelines):
        for load in (load for group in groups for load in group):
            PIPE.set(load, PipeAttr(number))
            if is_rounded(load):
                ELEMENT.set(load, FloatTF32Type())
