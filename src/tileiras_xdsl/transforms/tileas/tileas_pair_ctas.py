"""
Makes pairs of CTAs that issue MMAs together.

Before:  "gpu.func"() … {gpu.known_cluster_size = array<i32: 2, 1, 1>, nvgpu.blocks_are_clusters}
         %a = nv_tileas.tiled_load %v[%own, %k] : … -> tensor<128x64xf16>
         %b = nv_tileas.tiled_load %w[%k, %j] : … -> tensor<64x256xf16>
         %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm100>} : …
After:   "gpu.func"() … {…, nv_tileas.pair}
         %b = nv_tileas.tiled_load %w[%k, %j] {nv_tileas.halved = #nv_tileas.halved<1>} : …
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED, PAIR, HalvedAttr
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from .kernel_model.mma_exchanges import halves_or_reason, is_pair_candidate


@dataclass(frozen=True)
class TileasPairCtasPass(ModulePass):
    """
    Decides which kernels multiply by pairs of CTAs (`cta_group::2`): those whose clusters have two,
    with 128 rows of a product each, that issue the same MMAs on the same tiles of B. Of these tiles
    each CTA then loads half, so that stages are smaller and there are more of them, and L2 is read
    less. What ops compute does not change: a tile is whole, wherever its halves are.

    Of a kernel that could not be one, a remark says why; its CTAs do their rows each for itself.
    """

    name = "tileas-pair-ctas"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if not is_pair_candidate(function):
                continue
            halves = halves_or_reason(function)
            if isinstance(halves, str):
                text = "no pair of CTAs multiplies"
                remark(function, "Missed", "TensorCore", text, name="Pair", reason=halves)
                continue
            PAIR.set(function, UnitAttr())
            text = "pairs of CTAs multiply; each loads half of operand B"
            remark(function, "Passed", "TensorCore", text, name="Pair")
            for load, dim in halves.items():
                HALVED.set(load, HalvedAttr(dim))
