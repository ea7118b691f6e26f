"""
What the hints of an entry come to.

Passes read them from `nv_tileaa.kernel_spec`: the number of warps is that of the block, and
occupancy limits registers. Nothing spreads a tile over the blocks of a cluster, so a cluster would
compute every tile several times: that hint is taken back and reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr

KERNEL_SPEC = "nv_tileaa.kernel_spec"


def take_back_hints(module: ModuleOp) -> Iterator[tuple[Operation, str]]:
    """Removes the hints that cannot be honoured; gives the kernels with what is to be said."""
    for op in module.walk():
        spec = op.attributes.get(KERNEL_SPEC)
        if not isinstance(spec, KernelSpecAttr):
            continue
        fields = spec.get_fields()
        if (blocks := fields.get("num_ctas", 1)) > 1:
            op.attributes[KERNEL_SPEC] = KernelSpecAttr(
                None, fields.get("occupancy"), fields.get("num_warps")
            )
            yield op, f"hint num_cta_in_cga = {blocks} is ignored, every tile has one block"
