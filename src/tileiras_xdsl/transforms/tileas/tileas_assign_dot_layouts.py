"""
Chooses MMA instructions and layouts for dots.

Before:  %d = nv_tileas.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
After:   %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm80>,
             nv_tileas.layout = #nv_tileas.layout<…>, nv_tileas.layout_a = …,
             nv_tileas.layout_b = …} : tensor<64x32xf16>, …
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.tileiras import explains
from tileiras_xdsl.transforms.common.kernel_spec import get_target, get_warps, kernels
from tileiras_xdsl.xdsl_extras.walking import walk

from .kernel_model.remarks import explain_other_dots
from .layouts.dot_layouts import DotAnchors, assign_wgmma, mark_staged_dots


@dataclass(frozen=True)
class TileasAssignDotLayoutsPass(ModulePass):
    """
    Selects the MMA instruction of each dot, WGMMA or `mma.sync`, or else FMAs, and the layouts of
    its operands and accumulator. Operands are converted where no instruction takes their type. The
    passes that assign layouts to all tensors follow.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - k-permutation: loads even rows of operands before odd ones where accumulators of a WGMMA
      become an operand A of 8 bits of another one, so that threads need not exchange elements.
      On by default.
    """

    name = "tileas-assign-dot-layouts"

    compute_capability: str | int | float | None = None
    k_permutation: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        for function in kernels(op):
            refusals = assign_wgmma(function, target, k_permutation=self.k_permutation)
            anchors = DotAnchors(target, get_warps(function))
            for each in walk(function):
                anchors.assign(each)
            not_staged = mark_staged_dots(function, target)
            if explains(function):
                explain_other_dots(function, target, refusals, not_staged)
