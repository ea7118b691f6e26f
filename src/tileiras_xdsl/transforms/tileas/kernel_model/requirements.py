"""Resources that scheduled kernels ask for: shared memory, registers, warps and CTAs per SM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from math import prod

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.decisions import LOAD_GROUP
from tileiras_xdsl.dialects.nv_tileas.hints import get_kernel_hint
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.tma import MAP_BYTES
from tileiras_xdsl.targets.warpgroups import IterationCycles, MultiStageBuffer, Pipelining
from tileiras_xdsl.transforms.common.access_hints import get_hint
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .copied_loads import COPYING_WARPS, find_copied_ops, is_by_tma, is_copied
from .exchanges import KernelModel
from .layout_conversions import ScratchBudget
from .layout_rules import memory_bits
from .registers import is_staged, needed_registers
from .shared_memory import (
    BUFFER_ALIGNMENT,
    MAP_STATE_BYTES,
    TMA_STORES,
    TMA_TILE_ALIGNMENT,
    has_atom,
)
from .staged_loads import (
    LoadGroup,
    LoadPipeline,
    find_alternatives,
    find_loop,
    find_uses,
    staged_bytes,
)
from .tensor_maps import can_rebuild_map
from .tensor_memory_webs import needed_columns
from .tma_loads import is_view_like
from .tma_stores import TmaAccess, tma_store_bytes
from .written_operands import operand_buffer_bytes

RESERVED_BYTES = 1024
"""For barriers and tensor maps."""
SCRATCH_BYTES = 1024
"""For layout conversions and reductions, at least."""
SMALL_STORE_BYTES = 16 * 1024
"""For stores, or layout conversions, of a kernel that is short of shared memory."""


class StoreStaging(Enum):
    """Where tiles of TMA stores are staged in shared memory, from the fastest to the smallest."""

    BUFFERS = auto()
    """Stores in loops have staging buffers of their own."""
    SCRATCH = auto()
    """All stores go through scratch memory, and wait for the store before."""
    SMALL_SCRATCH = auto()
    """The same, in subtiles of at most `SMALL_STORE_BYTES`, as do layout conversions."""


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
    columns: int = 0
    """Of tensor memory."""
    producer_warps: int = 1
    """At least, if there are buffers."""


def find_requirements(
    function: FuncOp,
    warpgroups: Pipelining,
    pipelines: Sequence[LoadPipeline],
    staging_bytes: int,
    staging: StoreStaging = StoreStaging.BUFFERS,
) -> KernelRequirements:
    """
    The resources of a kernel whose loads are annotated with their pipelines, with so many bytes of
    staging buffers for stores.
    """
    load_groups = [load_group for pipeline in pipelines for load_group in pipeline]
    alternatives = find_alternatives(pipelines)
    buffers = [
        replace(buffer, overlay=alternatives.get(index))
        for index, buffer in enumerate(make_buffers(pipelines, warpgroups))
    ]
    reserved = RESERVED_BYTES + staging_bytes + scratch_bytes(function, staging)
    reserved += rebuilt_map_bytes(function, load_groups)
    reserved += operand_buffer_bytes(function)
    registers, warps = needed_registers(function), get_warps(function)
    return KernelRequirements(
        buffers,
        reserved,
        registers,
        warps,
        get_kernel_hint(function, "occupancy"),
        needed_columns(function),
        COPYING_WARPS if any(is_copied(x) for each in load_groups for x in each) else 1,
    )


def rebuilt_map_bytes(function: FuncOp, load_groups: Sequence[LoadGroup]) -> int:
    """
    For tensor maps that are built inside of loops: at most one for each staged load, and for each
    warpgroup one for each TMA store.
    """
    views = [load.view for loads in load_groups for load in loads if is_by_tma(load)]
    stores = [
        op.view for op in walk(function) if isinstance(op, TmaAccess) and has_atom(op, *TMA_STORES)
    ]
    views += stores * max(1, get_warps(function) // WARPGROUP_WARPS)
    return sum(map(can_rebuild_map, views)) * (MAP_BYTES + MAP_STATE_BYTES)


def make_buffers(
    pipelines: Sequence[LoadPipeline], warpgroups: Pipelining
) -> list[MultiStageBuffer]:
    """The multi-stage buffers of all pipelines of a kernel."""
    loops: dict[Operation, list[LoadGroup]] = {}
    for loads in (loads for pipeline in pipelines for loads in pipeline):
        if (loop := find_loop(loads[0])) is not None:
            loops.setdefault(loop, []).append(loads)
    cycles = {loop: loop_cycles(loop, inside, warpgroups) for loop, inside in loops.items()}
    return [_make_buffer(pipeline, cycles, warpgroups) for pipeline in pipelines]


def _make_buffer(
    pipeline: LoadPipeline, cycles: Mapping[Operation, IterationCycles], warpgroups: Pipelining
) -> MultiStageBuffer:
    """
    The multi-stage buffer of a pipeline, given the cycles of loops. If it is filled repeatedly, the
    loop of least work needs the most stages, or of successive load groups the one whose dots do the
    least.
    """
    # Each tile of a stage begins at a multiple of the alignment.
    tiles = [staged_bytes([load]) for load in pipeline[0]]
    size = sum(-(-tile // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT for tile in tiles)
    repeated: list[IterationCycles] = []
    for loads in pipeline:
        loop = find_loop(loads[0])
        if LOAD_GROUP.is_on(loads[0]):
            repeated.append(read_cycles(loads, warpgroups))
        elif loop is not None:
            repeated.append(cycles[loop])
    if not repeated:
        return MultiStageBuffer(size, None)
    hints = [hint for loads in pipeline for load in loads if (hint := get_hint(load, "latency"))]
    longest = max(repeated, key=warpgroups.needed_stages)
    return MultiStageBuffer(size, longest, max(hints, default=None))


def read_cycles(loads: LoadGroup, warpgroups: Pipelining) -> IterationCycles:
    """Lower bounds on the cycles of the dots that read the tiles of a load group."""
    dots = {use.op: None for load in loads for use in find_uses(load.result)}
    return warpgroups.iteration_cycles(_work_of(dots), staged_bytes(loads))


def loop_cycles(
    loop: Operation, load_groups: Sequence[LoadGroup], warpgroups: Pipelining
) -> IterationCycles:
    """
    Lower bounds on the cycles of an iteration with some load groups; with an inner loop, that takes
    as long as loads.
    """
    dots = find_all(loop, DotOp)
    tiles = sum(map(staged_bytes, load_groups))
    if any(find_loop(op) is not loop for op in dots):
        return warpgroups.nesting_cycles
    return warpgroups.iteration_cycles(_work_of(dots), tiles)


def _work_of(ops: Iterable[Operation]) -> list[tuple[int, int]]:
    """The multiply-adds of those of some ops that are dots, and the bits of their operands."""
    return [
        (multiply_adds(op), memory_bits(get_element(op.a.type)))
        for op in ops
        if isinstance(op, DotOp)
    ]


def multiply_adds(op: DotOp | AsyncDotOp) -> int:
    """The multiply-adds of a dot: M * N * K."""
    return prod(get_shape(op.get_types()[2])) * get_shape(op.a.type)[-1]


def scratch_bytes(function: FuncOp, staging: StoreStaging) -> int:
    """
    The scratch memory of a kernel, for layout conversions, reductions and stores. Tiles in
    multi-stage buffers are not converted through scratch memory.
    """
    budget = ScratchBudget.of(get_target(function))
    if staging is StoreStaging.SMALL_SCRATCH:
        budget = replace(budget, base=budget.limit - SMALL_STORE_BYTES)
    model = KernelModel(function, get_warps(function), budget)
    copied = find_copied_ops(function)
    exchanged = [
        exchange_bytes(model, op)
        for op in walk(function)
        if not isinstance(op, TmaAccess)
        and op not in copied
        and not (is_view_like(op) and is_staged(op.operands[0]))
    ]
    stores = tma_store_bytes(function)
    if staging is StoreStaging.SMALL_SCRATCH:
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
