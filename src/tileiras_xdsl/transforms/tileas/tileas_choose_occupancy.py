"""
Chooses how many CTAs of a kernel without dots share an SM.

Before:  gpu.func @k(…) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, …}
After:   gpu.func @k(…) kernel attributes
             {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 4>, …}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC, OPEN_REGISTERS
from tileiras_xdsl.dialects.nv_tileas.plan import get_plan
from tileiras_xdsl.dialects.nvgpu.copies import DeviceAsyncCreateGroupOp
from tileiras_xdsl.dialects.tileiras import explains, remark
from tileiras_xdsl.targets.target import CtaResources
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all

from .kernel_model.allocation import find_resources


@dataclass(frozen=True)
class TileasChooseOccupancyPass(ModulePass):
    """
    Gives kernels without dots an occupancy. It is as high as registers for the tiles that are live
    at once, and shared memory, allow, up to `Streaming.resident_warps`: with too few warps memory
    is not kept busy while others compute.

    It limits registers where loads go through shared memory: there ptxas would take fewer, and wait
    for one element after the other; and where tiles leave too few for all else: there ptxas would
    take more, and leave one CTA per SM. Elsewhere ptxas, if it is told no number, finds one for
    which more CTAs share an SM (docs/journal/2026-11-19-elementwise.md).

    A hint of more than one CTA is followed, unless tiles would take more registers than threads
    then have, or CTAs more shared memory: it is lowered until they do not, and a remark says why.
    Tiles that are live across a reduction leave `Streaming.registers` to all else. A plan is
    followed even if threads spill: whether that pays, the cost model says.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    """

    name = "tileas-choose-occupancy"

    compute_capability: str | int | float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        for function in kernels(op):
            spec, resources = KERNEL_SPEC.get(function), find_resources(function, target)
            if spec is None or resources is None:
                continue
            asked = spec.get_fields().get("occupancy", 1)
            is_planned, missed = get_plan(function).occupancy is not None, None
            if asked == 1 and not is_planned:
                occupancy = target.streaming.occupancy(target, resources)
                is_staged = bool(find_all(function, DeviceAsyncCreateGroupOp))
                has_room = target.streaming.has_room(target, resources, occupancy)
                if occupancy > 1 and has_room and not is_staged:
                    OPEN_REGISTERS.set(function, UnitAttr())
            else:
                why_not = target.why_no_room if is_planned else target.why_not_resident
                occupancy, missed = lower_hint(asked, resources, why_not)
                if missed is not None:
                    text = f"occupancy = {asked} is not met: {missed}"
                    remark(function, "Missed", "Pipeline", text)
            if occupancy != asked:
                KERNEL_SPEC.set(function, spec.replaced(occupancy=occupancy))
            if explains(function):
                ctas = f"{occupancy} CTA{'s' if occupancy > 1 else ''}"
                warps = f"{resources.warps} warp{'s' if resources.warps > 1 else ''}"
                text = f"registers for {ctas} of {warps} per SM"
                available = target.registers.cap(occupancy * resources.warps)
                reason = (
                    f"tiles take about {resources.registers} of {available} registers per thread, "
                    f"a CTA {resources.shared} bytes of shared memory"
                )
                if is_planned and missed is not None:
                    reason = missed
                remark(function, "Analysis", "Resources", text, name="Occupancy", reason=reason)


def lower_hint(
    asked: int, resources: CtaResources, why_not: Callable[[int, CtaResources], str | None]
) -> tuple[int, str | None]:
    """As many CTAs per SM as a hint asks for, or as there can be, and then why."""
    reason = why_not(asked, resources)
    if reason is None or asked == 1:
        return asked, None
    fitting = (ctas for ctas in range(asked - 1, 1, -1) if why_not(ctas, resources) is None)
    return next(fitting, 1), reason
