"""Resources that kernels with WGMMA ask for: shared memory, registers, warps and CTAs per SM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.hints import get_kernel_hint
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.targets.warpgroups import MultiStageBuffer, StageClocks, Warpgroups
from tileiras_xdsl.transforms.common.access_hints import get_hint
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .conversions import Room
from .exchanges import KernelModel
from .layout_rules import memory_bits
from .registers import is_staged, needed_registers
from .shared_memory import TMA_TILE_ALIGNMENT
from .staged_loads import LoadPipeline, find_loop, staged_bytes
from .tma_loads import is_change
from .tma_stores import TmaAccess, tma_store_bytes

RESERVED_BYTES = 1024
"""For barriers and tensor maps."""
SCRATCH_BYTES = 1024
"""For layout conversions and reductions, at least."""
SMALL_STORE_BYTES = 16 * 1024
"""For stores of a kernel that is short of shared memory."""


@dataclass(frozen=True)
class KernelRequirements:
    """The resources that a kernel asks for."""

    buffers: Sequence[MultiStageBuffer]
    reserved: int
    """Bytes of shared memory beside multi-stage buffers."""
    registers: int
    """Per thread, for tiles."""
    warps: int
    """Consumer warps."""
    occupancy: int
    """CTAs per SM: the hint `occupancy`."""


def find_requirements(
    function: FuncOp,
    model: Warpgroups,
    pipelines: Sequence[LoadPipeline],
    store_buffers: int,
    saving: int = 0,
) -> KernelRequirements:
    """
    The resources of a kernel whose loads know their pipelines, with so many bytes of staging
    buffers for stores. `saving` says how much of the scratch memory it does without.
    """
    groups = [group for pipeline in pipelines for group in pipeline]
    buffers = [make_buffer(pipeline, groups, model) for pipeline in pipelines]
    reserved = RESERVED_BYTES + store_buffers + scratch_bytes(function, saving)
    registers, warps = needed_registers(function), get_warps(function)
    return KernelRequirements(
        buffers, reserved, registers, warps, get_kernel_hint(function, "occupancy")
    )


def make_buffer(
    pipeline: LoadPipeline, groups: Sequence[Sequence[TiledLoadOp]], model: Warpgroups
) -> MultiStageBuffer:
    """The multi-stage buffer of a pipeline; its loop of least work needs the most stages."""
    size = staged_bytes(pipeline[0])
    loops = [loop for group in pipeline if (loop := find_loop(group[0])) is not None]
    if not loops:
        return MultiStageBuffer(size, None)
    hints = [hint for group in pipeline for load in group if (hint := get_hint(load, "latency"))]
    clocks = max((loop_clocks(loop, groups, model) for loop in loops), key=model.needed_stages)
    return MultiStageBuffer(size, clocks, max(hints, default=None))


def loop_clocks(
    loop: Operation, groups: Sequence[Sequence[TiledLoadOp]], model: Warpgroups
) -> StageClocks:
    """How long an iteration of a loop takes; one with loops inside takes long."""
    dots = find_all(loop, DotOp)
    tiles = sum(staged_bytes(group) for group in groups if find_loop(group[0]) is loop)
    work = [(multiply_adds(op), memory_bits(get_element(op.a.type))) for op in dots]
    if any(find_loop(op) is not loop for op in dots):
        return model.nesting_clocks
    return model.stage_clocks(work, tiles)


def multiply_adds(op: DotOp) -> int:
    """The multiply-adds of a dot: M * N * K."""
    return prod(get_shape(op.result.type)) * get_shape(op.a.type)[-1]


def scratch_bytes(function: FuncOp, saving: int = 0) -> int:
    """
    The scratch memory of a kernel, for layout conversions, reductions and stores. Tiles can be
    stored in small parts. Tiles in multi-stage buffers are not converted through scratch memory.
    """
    target = get_target(function)
    model = KernelModel(function, get_warps(function), Room.of(target))
    exchanged = [
        exchange_bytes(model, op)
        for op in walk(function)
        if not isinstance(op, TmaAccess) and not (is_change(op) and is_staged(op.operands[0]))
    ]
    stores = tma_store_bytes(function)
    if saving > 1:
        stores = min(stores, SMALL_STORE_BYTES)
    return max([SCRATCH_BYTES, stores, *exchanged])


def exchange_bytes(model: KernelModel, op: Operation) -> int:
    """The scratch memory that is live at once for an op, with padding for alignment."""
    return max(
        (
            sum(-(-size // TMA_TILE_ALIGNMENT) * TMA_TILE_ALIGNMENT for size in exchange.sizes)
            for exchange in model.exchanges(op)
        ),
        default=0,
    )
