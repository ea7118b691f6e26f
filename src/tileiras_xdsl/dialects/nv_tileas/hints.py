"""
Optimization hints of a kernel, which are fields of `nv_tileaa.kernel_spec`.

A pass that follows a cluster hint removes it from the specification, and so does one that cannot,
with a remark that says why.
"""

from __future__ import annotations

from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.tileiras import HINTS, remark


def get_kernel_hint(function: FuncOp, name: str) -> int:
    """An optimization hint of a kernel; 1 if it has none."""
    spec = KERNEL_SPEC.get(function)
    return 1 if spec is None else spec.get_fields().get(name, 1)


def take_cluster_hint(function: FuncOp) -> int:
    """Removes the cluster hint from the specification; returns the CTAs per cluster it asks for."""
    blocks = get_kernel_hint(function, "num_ctas")
    if (spec := KERNEL_SPEC.get(function)) is not None:
        KERNEL_SPEC.set(function, spec.replaced(num_ctas=None))
    return blocks


def ignore_cluster_hint(function: FuncOp, reason: str) -> None:
    """Removes the cluster hint from the specification; a remark says why it is ignored."""
    text = f"hint num_cta_in_cga = {take_cluster_hint(function)} is ignored, {reason}"
    remark(function, "Missed", HINTS, text)
