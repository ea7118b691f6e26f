"""Resources that scheduled kernels ask for: shared memory, registers, warps and CTAs per SM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import chain, filterfalse
from math import prod

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.queues import PluginOp, ResourceOperation
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.atoms import (
    TMA_STORES,
    find_async_mmas,
    has_atom,
    is_copied,
    is_tcgen05,
    is_wgmma,
)
from tileiras_xdsl.dialects.nv_tileas.decisions import LOAD_GROUP
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.plan import get_plan
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    BUFFER_ALIGNMENT,
    MAP_STATE_BYTES,
    TMA_TILE_ALIGNMENT,
)
from tileiras_xdsl.dialects.nv_tileas.types import get_hint, get_kernel_hint
from tileiras_xdsl.targets.choices import RESERVED_BYTES, SCRATCH_BYTES, SMALL_STORE_BYTES
from tileiras_xdsl.targets.machine import WARP_THREADS, WARPGROUP_WARPS, WORD_BITS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tma import MAP_BYTES
from tileiras_xdsl.targets.warpgroups import (
    IterationCycles,
    MultiStageBuffer,
    Pipelining,
    live_registers,
)
from tileiras_xdsl.transforms.common.accumulator_liveness import live_shapes
from tileiras_xdsl.transforms.common.kernel_spec import get_target, get_warpgroups, get_warps
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .copied_loads import COPYING_WARPS, find_copied_ops, is_by_tma
from .exchanges import KernelModel
from .iteration_work import are_interleaved
from .layout_rules import ScratchBudget
from .registers import is_staged, needed_registers, partial_sum_registers
from .staged_loads import (
    LoadGroup,
    LoadPipeline,
    find_alternatives,
    find_loop,
    find_uses,
    staged_bytes,
)
from .tensor_memory_webs import needed_columns
from .tma_loads import can_rebuild_map, find_load, is_view_like
from .tma_stores import TmaAccess, tma_store_bytes
from .wgmma import OperandSlots
from .written_operands import find_written_indices

# Resource limits of a CTA, and the check that `execute` and `plugin` stay within them.
#
#     "nv_tileaa.execute"() <{…, shared_memory_bytes = 1073741824 : i64, …}> : () -> ()
#     error: 'nv_tileaa.execute' op needs 1073741824 bytes of shared memory, but sm_90 has 232448


def available(target: Target) -> dict[str, int]:
    """The limits of a CTA for resources that plugins ask for, in the order of the checks."""
    return {
        "max_registers": target.registers.thread,
        "named_barriers": target.threads.barriers,
        "shared_memory_bytes": target.shared.opt_in,
        "tensor_memory_bytes": 0 if target.tensor_memory is None else target.tensor_memory.bytes,
    }


PHRASES = {
    "max_registers": "registers per thread",
    "named_barriers": "named barriers",
    "shared_memory_bytes": "bytes of shared memory",
    "tensor_memory_bytes": "bytes of tensor memory",
}


def check_resources(module: ModuleOp, target: Target) -> None:
    """Fails at the first op that exceeds a limit."""
    for op in find_all(module, ResourceOperation):
        _check(op, target)
        if isinstance(op, PluginOp):
            _check_plugin(op)


def _check(op: ResourceOperation, target: Target) -> None:
    for name, limit in available(target).items():
        needed = _get_amount(op, name)
        if needed > limit:
            fail(op, f"'{op.name}' op needs {needed} {PHRASES[name]}, but {target} has {limit}")


def _check_plugin(op: PluginOp) -> None:
    """A plugin is known by name only, and has a layout for each of its tensors, or none."""
    if op.bodies:
        fail(op, f"'{op.name}' op has regions", "plugin has unsupported feature")
    for layouts, values in ((op.input_layouts, op.arguments), (op.output_layouts, op.values)):
        tensors = sum(isinstance(value.type, TensorType) for value in values)
        if layouts.data and len(layouts) != tensors:
            message = f"'{op.name}' op has {len(layouts)} layouts for {tensors} tensors"
            fail(op, message, "fails to assign layout")


def _get_amount(op: Operation, name: str) -> int:
    amount = op.properties[name]
    assert isinstance(amount, IntegerAttr)
    return amount.value.data


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
    accumulators: int
    """
    Per thread, for accumulators that are live together, the largest computed operand, and partial
    sums.
    """
    warps: int
    """Consumer warps."""
    occupancy: int
    """CTAs per SM: the hint `occupancy`."""
    columns: int = 0
    """Of tensor memory."""
    alternates: bool = False
    """Whether two of its CTAs should share an SM (`alternates`)."""
    copies: int = 0
    """Tiles of which producer threads have addresses at a time, to copy them by `cp.async`."""

    @property
    def producer_warps(self) -> int:
        """At least, if there are buffers."""
        return COPYING_WARPS if self.copies else 1


def find_requirements(
    function: FuncOp,
    warpgroups: Pipelining,
    pipelines: Sequence[LoadPipeline],
    staging_bytes: int,
    staging: StoreStaging = StoreStaging.BUFFERS,
) -> KernelRequirements:
    """
    The resources of a kernel whose loads are annotated with their pipelines, with this many bytes
    of staging buffers for stores.
    """
    load_groups = [*chain.from_iterable(pipelines)]
    buffers = make_buffers(pipelines, warpgroups, get_plan(function).stages)
    for index, other in find_alternatives(pipelines).items():
        buffers[index] = replace(buffers[index], overlay=other)
    reserved = RESERVED_BYTES + staging_bytes + scratch_bytes(function, staging)
    reserved += rebuilt_map_bytes(function, load_groups)
    # Consumer warps write operands.
    reserved += OperandSlots.plan(find_async_mmas(function), find_written_indices).bytes
    registers, warps = needed_registers(function), get_warps(function)
    return KernelRequirements(
        buffers,
        reserved,
        registers,
        accumulator_registers(function, warps) or registers,
        warps,
        get_kernel_hint(function, "occupancy"),
        needed_columns(function) if any(map(is_tcgen05, find_async_mmas(function))) else 0,
        alternates=alternates(function),
        copies=max(map(count_copies, load_groups), default=0),
    )


def alternates(function: FuncOp) -> bool:
    """
    Whether two CTAs of a kernel should share an SM: threads compute between its WGMMAs, and have
    registers for that.
    """
    dots, warps = find_async_mmas(function), get_warps(function)
    return (
        all(map(is_wgmma, dots))
        and are_interleaved(dots)
        and get_warpgroups(function).can_alternate(accumulator_registers(function, warps), warps)
    )


def count_copies(loads: LoadGroup) -> int:
    """
    The tiles of a load group of which producer threads have addresses: addresses of views advance
    from row to row, so that one at a time is enough.
    """
    copied = [*filter(is_copied, loads)]
    return max(sum(not isinstance(op, TiledLoadOp) for op in copied), min(1, len(copied)))


def accumulator_registers(function: FuncOp, warps: int) -> int:
    """
    Registers per thread for the accumulators of WGMMAs, the largest computed operand, and partial
    sums that are promoted.
    """
    dots = [*filterfalse(is_tcgen05, find_async_mmas(function))]
    if not dots:
        return 0
    operand = max(map(computed_words, dots)) // (WARP_THREADS * warps)
    partial = max(map(partial_sum_registers, dots))
    return live_registers(live_shapes(dots), warps // WARPGROUP_WARPS) + operand + partial


def computed_words(op: DotOp) -> int:
    """The words of an operand A that is computed: it is in registers."""
    if find_load(op.a) is not None:
        return 0
    return prod(get_shape(op.a.type)) * memory_bits(get_element(op.a.type)) // WORD_BITS


def rebuilt_map_bytes(function: FuncOp, load_groups: Sequence[LoadGroup]) -> int:
    """
    For tensor maps that are built inside of loops: at most one for each staged load, and for each
    warpgroup one for each TMA store.
    """
    views = [load.view for load in filter(is_by_tma, chain.from_iterable(load_groups))]
    stores = [
        op.view for op in walk(function) if isinstance(op, TmaAccess) and has_atom(op, *TMA_STORES)
    ]
    views += stores * max(1, get_warps(function) // WARPGROUP_WARPS)
    return sum(map(can_rebuild_map, views)) * (MAP_BYTES + MAP_STATE_BYTES)


def make_buffers(
    pipelines: Sequence[LoadPipeline], warpgroups: Pipelining, stages: int | None = None
) -> list[MultiStageBuffer]:
    """The multi-stage buffers of all pipelines of a kernel, of this many stages if given."""
    loops: dict[Operation, list[LoadGroup]] = {}
    for loads in chain.from_iterable(pipelines):
        if (loop := find_loop(loads[0])) is not None:
            loops.setdefault(loop, []).append(loads)
    cycles = {loop: loop_cycles(loop, inside, warpgroups) for loop, inside in loops.items()}
    return [_make_buffer(pipeline, cycles, warpgroups, stages) for pipeline in pipelines]


def _make_buffer(
    pipeline: LoadPipeline,
    cycles: Mapping[Operation, IterationCycles],
    warpgroups: Pipelining,
    stages: int | None,
) -> MultiStageBuffer:
    """
    The multi-stage buffer of a pipeline, given the cycles of loops, of this many stages if a plan
    says so. If it is filled repeatedly, the
    loop of least work needs the most stages, or of successive load groups the one whose dots do the
    least.
    """
    # Each tile of a stage begins at a multiple of the alignment.
    size = sum(-(-staged_bytes([load]) // BUFFER_ALIGNMENT) for load in pipeline[0])
    repeated: list[IterationCycles] = []
    for loads in pipeline:
        loop = find_loop(loads[0])
        if LOAD_GROUP.is_on(loads[0]):
            repeated.append(read_cycles(loads, warpgroups))
        elif loop is not None:
            repeated.append(cycles[loop])
    size *= BUFFER_ALIGNMENT
    if not repeated:
        return MultiStageBuffer(size, None)
    hints = [hint for loads in pipeline for load in loads if (hint := get_hint(load, "latency"))]
    if stages is not None:
        # A latency is the number of loads in flight, beside the stage that is being used.
        hints = [stages - 1]
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
