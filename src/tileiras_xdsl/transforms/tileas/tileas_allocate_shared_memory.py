"""
Allocates shared memory.

Before:  %p = nv_tileas.async.pipeline.create_pipeline {numStages = 4 : i32} : …
         %y = nv_tileas.convert_layout %x : …
After:   %p = nv_tileas.async.pipeline.create_pipeline {numStages = 4 : i32,
             nv_tileas.buffers = [#nv_tileas.buffer<0, 65536>, #nv_tileas.buffer<65536, 64>]} : …
         %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<66560, 4096>]} : …
         and the kernel has
         {nv_tileas.shared_memory = #nv_tileas.shared_memory<70656, 66560, 232448>}
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileiras_xdsl.transforms.common.abi import ABIS
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .kernel_model.allocation import allocate


@dataclass(frozen=True)
class TileasAllocateSharedMemoryPass(ModulePass):
    """
    Gives every op that uses shared memory its buffers. Those that live as long as the kernel come
    first: allocas of the program, buffers, the stages of pipelines, staging buffers of stores,
    mbarriers. Scratch memory for layout conversions, reductions and stores is after them; uses
    without a barrier between them get disjoint ranges where there is room. A kernel that exceeds
    the limit of a CTA is an error at the op that needs most.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - abi: who makes tensor maps: `device-maps`, `driver-maps` or `host-maps`; a kernel that builds
      its own needs memory for them.
    """

    name = "tileas-allocate-shared-memory"

    compute_capability: str | int | float | None = None
    abi: str = "device-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        if self.abi not in ABIS:
            fail(op, f"there is no ABI '{self.abi}' (expected {' or '.join(ABIS)})")
        for function in kernels(op):
            allocate(function, target, self.abi)
