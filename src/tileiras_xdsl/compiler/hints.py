"""
What the hints of an entry come to.

Passes read them from `nv_tileaa.kernel_spec`: the number of warps is that of the block, and
occupancy limits registers. Nothing spreads a tile over the blocks of a cluster, so a cluster would
compute every tile several times. What can be had instead is a cluster of blocks that share what
they load, each with a tile of its own: `tileas-dynamic-persistent` makes it. Where it does not, the
hint is taken back and reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileaa.matmul import Product
from tileiras_xdsl.targets import hopper
from tileiras_xdsl.transforms.common.compute_capability import ComputeCapability, get_capability
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_mma import has_warpgroup_products
from tileiras_xdsl.transforms.tileas.tileas_dynamic_persistent import (
    why_no_cluster,
    why_not_persistent,
)


def take_back_hints(module: ModuleOp, *, may_stay: bool) -> Iterator[tuple[Operation, str]]:
    """
    Removes the hints that cannot be honoured; gives the kernels with what is to be said. Blocks
    may stay, or never do.
    """
    capability = get_capability(module, None)
    for op in module.walk():
        if not isinstance(op, FuncOp) or (spec := KERNEL_SPEC.get(op)) is None:
            continue
        if (blocks := spec.get_fields().get("num_ctas", 1)) == 1:
            continue
        if may_stay:
            reason = why_not_persistent(op) or why_no_cluster(op)
        else:
            reason = _why_not_without_staying(op, blocks, capability)
        if reason is not None:
            KERNEL_SPEC.set(op, spec.replaced(num_ctas=None))
            yield op, f"hint num_cta_in_cga = {blocks} is ignored, {reason}"


def _why_not_without_staying(function: FuncOp, blocks: int, capability: ComputeCapability) -> str:
    """Why there are no clusters if blocks do not stay, and what it takes if they could."""
    reason = "every tile has one block"
    if (
        blocks == hopper.CLUSTER_BLOCKS
        and has_warpgroup_products(capability)
        and any(isinstance(op, Product) for op in function.walk())
    ):
        reason += ": pairs that share loads need --abi host-maps and -O3"
    return reason
