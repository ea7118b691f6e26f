"""
Plans layout conversions.

Before:  %y = nv_tileas.convert_layout %x : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>
After:   %y = nv_tileas.convert_layout %x {nv_tileas.plan = "ThroughShared"} : …
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tileiras_xdsl.analysis.layout_conversion import Identity, plan_conversion
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileas.decisions import PLAN
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all


@dataclass(frozen=True)
class TileasMaterializeConvertLayoutPass(ModulePass):
    """
    Removes layout conversions that move nothing, and annotates all others with how they are done:
    by renaming registers, by shuffles within warps, or through shared memory.
    """

    name = "tileas-materialize-convert-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in find_all(op, ConvertLayoutOp):
            self._materialize(each)

    def _materialize(self, op: ConvertLayoutOp) -> None:
        source, result = op.operands[0], op.results[0]
        before, after = layout_of(source.type), layout_of(result.type)
        if before is None or after is None:
            fail(op, "failed to query target spec for convert_layout")
        bits = memory_bits(get_element(result.type))
        plan = plan_conversion(before, after, bits)
        if isinstance(plan, Identity):
            result.replace_all_uses_with(source)
            Rewriter.erase_op(op)
            return
        PLAN.set(op, StringAttr(type(plan).__name__))
