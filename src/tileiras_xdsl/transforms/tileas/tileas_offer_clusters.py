"""
Offers launches clusters: CTAs of a persistent kernel that multicast what both need, or do not.

Before:  scf.for %n = %id to %total step %ctas {               // a tile block
           %row, %column = …                                     // scalar code
           scf.for %k … {
             %a = nv_tileas.tiled_load %v[%row, %k]
             %b = nv_tileas.tiled_load %w[%k, %column]
             nv_tileas.dot %a, %b, %c
           }
         }
After:   the same, where %b = … {nv_tileas.may_multicast} if tile blocks that follow each other
         mostly have the same %column, and the kernel has {nvgpu.optional_cluster = 2 : i32}

The kernel can be launched in clusters of two CTAs, or without (`LaunchRecord.optional_cluster`).
Both do the same work by the same code but for loads: `tileas-materialize-schedule` makes a second
loop of loads, in which each CTA of a cluster loads half of what both need.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i32
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.nv_tileas.decisions import MAY_MULTICAST
from tileiras_xdsl.dialects.nvgpu.persistence import OPTIONAL_CLUSTER, get_persistent_ctas
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.transforms.common.abi import HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.compute_capability import get_target, get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from .kernel_model.optional_clusters import NoClusters, NothingMissed, find_common_loads


@dataclass(frozen=True)
class TileasOfferClustersPass(ModulePass):
    """
    Lets a launch decide whether two neighbouring CTAs of a persistent kernel with WGMMA form a
    cluster, in which each loads half of the tiles that both need, multicast to both. That pays
    where the second-level cache limits a loop: if its tiles take as long to load as to multiply,
    and rows of memory do not begin at cache lines, so that each of them touches one more. Whether
    they do is known at launch (`LaunchRecord.clusters_of`). In a launch in clusters, CTAs and tile
    blocks are whole clusters, so that both CTAs of one do equally many tile blocks. Which operand
    both need is guessed from the code that computes its coordinates
    (`kernel_model/block_pairs.py`), and found out at run time. A remark says why there is no
    choice.

    - abi: kernels that anybody launches, with `device-maps`, stay as they are.
    - enable: whether it does anything.
    """

    name = "tileas-offer-clusters"

    abi: str = HOST_MAPS_ABI
    enable: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.enable or self.abi != HOST_MAPS_ABI or get_target(op).warpgroups is None:
            return
        for function in kernels(op):
            if not get_persistent_ctas(function):
                continue
            try:
                loads = find_common_loads(function)
            except NothingMissed:
                continue
            except NoClusters as reason:
                text = "launches cannot be in clusters, whose CTAs would share loads"
                remark(function, "Missed", "TensorCore", text, reason=str(reason))
                continue
            for load in loads:
                MAY_MULTICAST.set(load, UnitAttr())
            ctas = get_warpgroups(function).cluster_ctas
            OPTIONAL_CLUSTER.set(function, IntegerAttr(ctas, i32))
            remark(
                function,
                "Passed",
                "TensorCore",
                f"launches may be in clusters of {ctas} CTAs, which multicast what they have in "
                "common",
            )
