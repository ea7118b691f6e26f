"""
Propagates layouts again, with fewer conversions.

Before:  %c = arith.constant … : tensor<64xf32, #a>
         %d = nv_tileas.convert_layout %c : tensor<64xf32, #a> -> tensor<64xf32, #b>
         %y = nv_tileaa.addf %x, %d : tensor<64xf32, #b>
After:   %c = arith.constant … : tensor<64xf32, #b>
         %y = nv_tileaa.addf %x, %c : tensor<64xf32, #b>
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileiras_xdsl.transforms.common.kernel_spec import kernels

from .layouts.rewriting import apply_layouts


@dataclass(frozen=True)
class TileasRemoveLayoutConversionsPass(ModulePass):
    """
    Propagates layouts from anchors. Whatever is cheap to rematerialize takes the layout of its
    users, a loop-carried value that of what the body yields, and a store that of its value if it
    coalesces as well. All other values keep theirs, and are converted.
    """

    name = "tileas-remove-layout-conversions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            apply_layouts(function, is_lazy=True)
