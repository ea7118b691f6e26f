"""
Layouts again, with fewer conversions.

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

from .layouts.apply import apply_layouts


@dataclass(frozen=True)
class TileasRemoveLayoutConversionsPass(ModulePass):
    """
    Spreads layouts anew from the ops that ask for one. Whatever is cheap to compute again takes
    the layout of its users, what a loop carries that of what its body yields, and a store that
    of its value if it is as good as its own. All other values keep theirs, and are converted.
    """

    name = "tileas-remove-layout-conversions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            apply_layouts(function, is_lazy=True)
