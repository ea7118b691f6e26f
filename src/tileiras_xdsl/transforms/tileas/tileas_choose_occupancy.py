"""
Chooses how many CTAs of a kernel without dots share an SM.

Before:  gpu.func @k(…) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, …}
After:   gpu.func @k(…) kernel attributes
             {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 4>, …}
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.passes import ModulePass

from tileiras_xdsl.analysis.live_tiles import LiveTiles
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_shared_memory
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import get_warps, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all

from .kernel_model.allocation import make_model
from .kernel_model.registers import type_registers


@dataclass(frozen=True)
class TileasChooseOccupancyPass(ModulePass):
    """
    Gives kernels without dots, and without a hint, an occupancy, which limits their registers:
    ptxas would take as many as there are, and leave an SM with too few warps to keep memory busy
    while others compute. It is as high as registers for the tiles that are live at once, and
    shared memory, allow, up to `Streaming.resident_warps`.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    """

    name = "tileas-choose-occupancy"

    compute_capability: str | int | float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        for function in kernels(op):
            spec = KERNEL_SPEC.get(function)
            if spec is not None and "occupancy" not in spec.get_fields():
                if (occupancy := choose_occupancy(function, target)) > 1:
                    KERNEL_SPEC.set(function, spec.replaced(occupancy=occupancy))


def choose_occupancy(function: FuncOp, target: Target) -> int:
    """CTAs per SM that registers and shared memory suffice for; 1 if the kernel has dots."""
    memory = get_shared_memory(function)
    if memory is None or find_all(function, DotOperation):
        return 1
    model = make_model(function, target, memory.scratch, memory.limit)
    live = LiveTiles(type_registers, lambda op: bool(model.exchanges(op)))
    shared = target.shared.per_sm // max(1, memory.size + target.shared.reserved)
    return target.streaming.occupancy(
        target.registers, shared, get_warps(function), live.in_function(function)
    )
