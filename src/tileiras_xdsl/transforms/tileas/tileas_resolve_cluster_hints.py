"""
Drops cluster hints that no pass has followed.

Before:  "gpu.func"() <{…, kernel}> ({…})
             {…, nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2, occupancy = 3>}
After:   "gpu.func"() <{…, kernel}> ({…})
             {…, nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 3>}, and a remark
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint, ignore_cluster_hint
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all

NO_SHARING = "every tile has one CTA"
HOW_TO_SHARE = "clusters that multicast loads need --abi host-maps and -O3"


@dataclass(frozen=True)
class TileasResolveClusterHintsPass(ModulePass):
    """
    Drops the cluster hints that are left, with a remark: a cluster would compute every tile several
    times. A hint that is still there was not followed. `split-tiles` consumes it if tiles are
    distributed over the CTAs of a cluster, and `tileas-dynamic-persistent` if CTAs with an output
    tile each multicast loads.
    """

    name = "tileas-resolve-cluster-hints"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if get_kernel_hint(function, "num_ctas") > 1:
                could_share = _could_share(function, get_target(op))
                reason = f"{NO_SHARING}: {HOW_TO_SHARE}" if could_share else NO_SHARING
                ignore_cluster_hint(function, reason)


def _could_share(function: FuncOp, target: Target) -> bool:
    """Whether `tileas-dynamic-persistent` may make clusters for a kernel."""
    return (
        target.warpgroups is not None
        and get_kernel_hint(function, "num_ctas") == target.warpgroups.cluster_ctas
        and bool(find_all(function, DotOperation))
    )
