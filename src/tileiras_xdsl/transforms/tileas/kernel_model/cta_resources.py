"""
What a CTA of a kernel without dots takes of an SM.
"""

from __future__ import annotations

from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.analysis.live_tiles import LiveTiles
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_shared_memory
from tileiras_xdsl.targets.target import CtaResources, Target
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all

from .allocation import make_model
from .registers import type_registers


def find_resources(function: FuncOp, target: Target) -> CtaResources | None:
    """What a CTA of a kernel takes; None if the kernel has dots, or no shared memory yet."""
    memory = get_shared_memory(function)
    if memory is None or find_all(function, DotOperation):
        return None
    model = make_model(function, target, memory.scratch, memory.limit)
    live = LiveTiles(type_registers, lambda op: bool(model.exchanges(op)))
    return CtaResources(get_warps(function), live.in_function(function), memory.size)
