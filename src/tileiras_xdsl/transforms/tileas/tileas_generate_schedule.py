"""
Schedules kernels whose dots read tiles that TMA loads: multi-stage buffers, warp specialization,
software pipelining.

Before:  scf.for %k … {
           %a = nv_tileas.tiled_load %v[%i, %k]
           %b = nv_tileas.tiled_load %w[%k, %j]
           %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>}
         }
After:   %a = nv_tileas.tiled_load %v[%i, %k] {nv_tileas.pipe = #nv_tileas.pipe<0>}
         %b = nv_tileas.tiled_load %w[%k, %j] {nv_tileas.pipe = #nv_tileas.pipe<0>}
         …, and the kernel has
         {nv_tileas.schedule = #nv_tileas.schedule<stages = [4], producer_warps = 1>}

# The order of each warpgroup

Stores and atomics may follow themselves in the order of each warpgroup, without a barrier.

Before:  scf.for … {
           gpu.barrier {nv_tileaa.warpgroup_order}
           nv_tileas.tiled_store %x, %v[%i, %j] {nv_tileaa.warpgroup_order, nv_tileas.group_store}
         }
After:   %overlaps = %stride < %size
         scf.for … {
           scf.if %overlaps {
             gpu.barrier
           }
           nv_tileas.tiled_store %x, %v[%i, %j] {nv_tileaa.warpgroup_order, nv_tileas.group_store}
         }

Tokens order the tiles that a loop stores, or updates by relaxed atomics, and nobody knows whether
two of them are the same tile. If they are, each warpgroup changes the same part of it again, by a
bulk copy of the same thread, which waits until its last copy has written memory; no warpgroup waits
for another. If they are not, they have no address in common, unless elements of the tensor have,
which sizes and strides tell when the kernel runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatTF32Type, IntegerAttr, ModuleOp, i32, i64
from xdsl.dialects.gpu import BarrierOp, FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import memref_of
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC, WARPGROUP_ORDER
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.atoms import find_async_mmas, is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    CLUSTER,
    LOAD_GROUP,
    PAIR,
    PIPE,
    SCHEDULE,
    STAGE,
    STAGED,
    TMA_ELEMENT_TYPE,
    WARPGROUP_STORE,
    KernelSchedule,
    LoadGroupAttr,
    PipeAttr,
    ScheduleAttr,
)
from tileiras_xdsl.dialects.nv_tileas.memory import (
    GatherLoadOp,
    LoadOp,
    TiledAtomicRMWOp,
    TiledLoadOp,
    TiledStoreOp,
)
from tileiras_xdsl.dialects.nv_tileas.pipeline import find_resident_ctas
from tileiras_xdsl.dialects.nv_tileas.plan import get_plan
from tileiras_xdsl.dialects.nvgpu.types import get_persistent_ctas, set_persistent_ctas
from tileiras_xdsl.dialects.tileiras import explain, explains, remark
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.tcgen05 import ALLOCATED_COLUMNS, TensorMemoryWarpgroups
from tileiras_xdsl.targets.warpgroups import MIN_STAGES, IterationWork, Pipelining
from tileiras_xdsl.transforms.common.kernel_spec import (
    get_target,
    get_warpgroups,
    get_warps,
    kernels,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import ancestor_in, find_all, walk

from .kernel_model.iteration_work import (
    find_inner_loops,
    iteration_work,
    row_registers,
    why_no_ping_pong,
)
from .kernel_model.remarks import explain_schedule
from .kernel_model.requirements import (
    KernelRequirements,
    StoreStaging,
    alternates,
    find_requirements,
)
from .kernel_model.staged_loads import (
    LoadPipeline,
    are_successive,
    find_pipelines,
    find_staged_dots,
    is_rounded,
)
from .kernel_model.tensor_memory_webs import merge_places, needed_columns, shared_columns
from .kernel_model.tma_stores import mark_warpgroup_stores
from .kernel_model.written_operands import scale_buffer_bytes
from .schedule.software_pipelining import pipeline_loop_body
from .schedule.stages import assign_stages

Extent = SSAValue | int
"""A size or a stride."""


def relax_warpgroup_order(function: FuncOp) -> None:
    """
    Puts barriers that are there only for accesses which follow themselves into a branch, or removes
    them, if warpgroups do all of these by bulk copies. Otherwise they stay as they are.
    """
    accesses = find_all(function, TiledStoreOp, TiledAtomicRMWOp)
    stores = [*filter(WARPGROUP_ORDER.is_on, accesses)]
    barriers = [*filter(WARPGROUP_ORDER.is_on, find_all(function, BarrierOp))]
    if not stores and not barriers:
        return
    tensors = dict.fromkeys(memref_of(op.view) for op in stores)
    made = [make for make in tensors if make is not None and _has_small_extents(make)]
    are_relaxed = (
        len(made) == len(tensors)
        and all(map(WARPGROUP_STORE.is_on, stores))
        and all(_comes_before(make, op) for make in made for op in barriers)
    )
    overlaps = _overlap_of_any(made) if are_relaxed and barriers else None
    for op in barriers:
        WARPGROUP_ORDER.drop(op)
        if overlaps is not None:
            block = Block()
            branch = scf.IfOp(overlaps, [], Region(block))
            branch.location = op.location
            if (stage := STAGE.drop(op)) is not None:
                STAGE.set(branch, stage)
            Rewriter.insert_op(branch, InsertPoint.before(op))
            op.detach()
            block.add_ops([op, scf.YieldOp()])
        elif are_relaxed:
            Rewriter.erase_op(op)
    for op in () if are_relaxed else stores:
        WARPGROUP_ORDER.drop(op)


def _extents(make: MakeMemrefOp) -> list[tuple[Extent, Extent]]:
    """The stride and size of each dimension, innermost first as far as strides are known."""
    ty = make.result.type
    sizes, strides = iter(make.sizes), iter(make.strides)
    dims = [
        (next(strides) if stride is None else stride, next(sizes) if size is None else size)
        for stride, size in zip(ty.strides.data, ty.shape.data, strict=True)
    ]
    known = [(stride, size) for stride, size in dims if isinstance(stride, int)]
    known.sort(key=lambda dim: dim[0])
    return [*known, *(dim for dim in reversed(dims) if not isinstance(dim[0], int))]


def _has_small_extents(make: MakeMemrefOp) -> bool:
    """Whether products of sizes and strides fit in an i64."""
    return isinstance(make.parent_op(), FuncOp) and all(
        extent < 2**31 if isinstance(extent, int) else extent.type == i32
        for dim in _extents(make)
        for extent in dim
    )


def _comes_before(make: Operation, op: Operation) -> bool:
    """Whether a tensor is there before the loop of the kernel's block that an op is in."""
    block = make.parent_block()
    assert block is not None
    return make.is_before_in_block(ancestor_in(block, op))


def _overlap_of_any(tensors: Sequence[MakeMemrefOp]) -> SSAValue | None:
    """
    Whether elements of a tensor may have an address in common: unless each dimension's stride is at
    least the stride of the one inside of it, as often as that has elements. `None` if it is known
    that none have.
    """
    result: SSAValue | None = None
    ops: list[Operation] = []

    def add(op: Operation) -> SSAValue:
        ops.append(op)
        return op.results[0]

    def wide(extent: Extent) -> SSAValue:
        if isinstance(extent, int):
            return add(arith.ConstantOp(IntegerAttr(extent, i64)))
        return add(ExtSIOp(extent, i64))

    for make in tensors:
        reach: Extent = 1
        for stride, size in _extents(make):
            if not (isinstance(stride, int) and isinstance(reach, int) and stride >= reach):
                left, right = wide(stride), reach if isinstance(reach, SSAValue) else wide(reach)
                test = add(CmpiOp(left, right, "slt"))
                result = test if result is None else add(arith.OrIOp(result, test))
            if isinstance(stride, int) and isinstance(size, int):
                reach = stride * max(size, 1)
            else:
                least = add(arith.MaxSIOp(wide(size), wide(1)))
                reach = add(arith.MuliOp(wide(stride), least))
    last = max(tensors, key=_position)
    for op in ops if result is not None else ():
        op.location = last.location
    if result is not None:
        Rewriter.insert_op(ops, InsertPoint.after(last))
    return result


def _position(op: Operation) -> int:
    block = op.parent_block()
    assert block is not None
    return block.get_operation_index(op)


TWO_CTAS: Final = 2
"""Per SM: one has the exponentials while the other waits for MMAs."""


@dataclass(frozen=True)
class TileasGenerateSchedulePass(ModulePass):
    """
    Decides for kernels with WGMMA, or with dots by `mma.sync` that read buffer stages, which loads
    go through multi-stage buffers, how many buffer stages these have (see `targets.warpgroups`),
    how many producer warps there are, whether registers are reallocated to consumer warps, and for
    WGMMA the pipeline stage of each op of a loop. An SM has one CTA, two if each has one consumer
    warpgroup, or two that compute between MMAs (`Warpgroups.can_alternate`), and they fit, or as
    many as the hint `occupancy` asks for, if that is more than one; one that cannot be met is
    lowered, with a remark. CTAs that alternate are not software-pipelined, nor do their warpgroups
    take turns. Two CTAs with `tcgen05` fit more often if
    their tiles share columns: then loops are not software-pipelined, and no warp is there for MMAs
    only. Barriers that are there only because stores follow themselves
    (`nv_tileaa.warpgroup_order`) are removed where warpgroups store by copies of their own
    (`kernel_model/warpgroup_order.py`). Other kernels are left as they are.

    A plan of the kernel (`tileas-plan`) comes before what is said here of stages, occupancy and
    ping-pong scheduling.

    - ping_pong: consumer warpgroups issue WGMMAs alternately where that makes sense
      (`schedule/ping_pong.py`): one multiplies while the others work on the results of their own. A
      remark says why they do not. By default they do where that pays
      (`Warpgroups.ping_pong_pays`).
    - exclusive: a warpgroup keeps its turn until its WGMMAs are done. By default two do, and four
      (`Warpgroups.can_interleave`) do not.
    """

    name = "tileas-generate-schedule"

    ping_pong: bool | None = None
    exclusive: bool | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            generate(
                function,
                ping_pong=self.ping_pong,
                exclusive=self.exclusive,
            )
            relax_warpgroup_order(function)


def generate(
    function: FuncOp,
    *,
    ping_pong: bool | None = None,
    exclusive: bool | None = None,
) -> None:
    """Annotates a kernel with its schedule; the options are those of the pass."""
    staged = find_staged_dots(function)
    dots = find_async_mmas(function) or staged
    if not dots:
        return
    model = get_target(function).mma_pipelining if staged else None
    warpgroups = get_warpgroups(function) if model is None else model
    requirements = choose_default_occupancy(function, warpgroups)
    occupancy, reason = choose_occupancy(requirements, warpgroups)
    takes_turns = False
    if occupancy == 1 and reason is not None and requirements.columns:
        smaller = choose_two_ctas(function, warpgroups)
        if isinstance(smaller, str):
            reason = unmet_hint(requirements, smaller)
        else:
            if requirements.occupancy == TWO_CTAS:
                reason = None
            requirements, occupancy, takes_turns = smaller, TWO_CTAS, True
    chosen = warpgroups.choose_stages(requirements.buffers, requirements.reserved, occupancy)
    if staged and chosen is None:
        leave_to_threads(function)
        return
    if chosen is None:
        total = requirements.reserved + sum(buffer.bytes for buffer in requirements.buffers)
        fail(
            dots[0],
            f"'{dots[0].name}' op needs {total} bytes of shared memory, "
            f"but a CTA has {warpgroups.shared.opt_in}: use smaller tiles",
        )
    if reason is not None:
        remark(function, "Missed", "Pipeline", reason)
    set_occupancy(function, occupancy)
    is_blackwell = any(map(is_tcgen05, dots))
    has_own_columns = is_blackwell and merge_places(function, ALLOCATED_COLUMNS[-1] // occupancy)
    alternating = occupancy > 1 and requirements.alternates
    if not staged and not alternating and (not takes_turns or has_own_columns):
        # Warps with `mma.sync` multiply by themselves: while one computes, others do.
        for loop in find_all(function, scf.ForOp):
            assign_stages(loop)
        if is_blackwell and not has_own_columns and not has_columns_if_pipelined(function):
            for op in walk(function):
                STAGE.drop(op)
    # A CTA whose MMAs and threads take turns waits for its MMAs anyway.
    has_mma_warp = is_blackwell and (not takes_turns or any(map(STAGE.is_on, walk(function))))
    if has_mma_warp and (size := scale_buffer_bytes(function)):
        # An agent has two sets of scales: threads write one while MMAs read the other. Threads that
        # load operands by themselves need the registers of its warp.
        reserved = requirements.reserved + (MIN_STAGES - 1) * size
        double = warpgroups.choose_stages(requirements.buffers, reserved, occupancy)
        if double is None or not requirements.buffers:
            has_mma_warp = False
        else:
            chosen = double
    registers = None
    if takes_turns and has_mma_warp and isinstance(warpgroups, TensorMemoryWarpgroups):
        registers = warpgroups.registers_of_two_ctas(requirements.warps, row_registers(function))
    elif warpgroups.reallocates_registers(
        requirements.warps, requirements.registers, occupancy, alternates=alternating
    ):
        chooses = any(buffer.overlay is not None for buffer in requirements.buffers)
        registers = warpgroups.reallocated_registers(
            requirements.warps, copies=requirements.copies, chooses=chooses, occupancy=occupancy
        )
    target = get_target(function)
    no_ping_pong, work = why_no_ping_pong(function), list[IterationWork]()
    if no_ping_pong is None:
        work = [iteration_work(loop, target) for loop in find_inner_loops(function)]
    if ping_pong is None and get_plan(function).ping_pong is not None:
        ping_pong = get_plan(function).ping_pong == 1
    if ping_pong is None:
        pays = not alternating and warpgroups.ping_pong_pays(requirements.warps, work)
        ping_pong = no_ping_pong is None and pays
    if ping_pong and no_ping_pong is not None:
        text = "warpgroups do not multiply alternately"
        remark(function, "Missed", "Pipeline", text, name="PingPong", reason=no_ping_pong)
    number = get_warps(function) // WARPGROUP_WARPS if ping_pong and no_ping_pong is None else None
    if exclusive is None:
        exclusive = number is not None and warpgroups.is_exclusive(requirements.warps)
    schedule = KernelSchedule(
        tuple(chosen.stages),
        requirements.producer_warps if registers is None else WARPGROUP_WARPS,
        registers,
        1 if has_mma_warp else None,
        number,
        1 if exclusive and number is not None else None,
    )
    SCHEDULE.set(function, ScheduleAttr(schedule))
    if explains(function):
        requirements = replace(requirements, occupancy=occupancy)
        explain_schedule(function, warpgroups, requirements, schedule)


def has_columns_if_pipelined(function: FuncOp) -> bool:
    """
    Whether tensor memory has columns for all tiles of a kernel whose loops are software-pipelined:
    more of them are in use at the same time.
    """
    copy = function.clone()
    for loop in find_all(copy, scf.ForOp):
        pipeline_loop_body(loop)
    return needed_columns(copy) <= ALLOCATED_COLUMNS[-1]


def choose_two_ctas(function: FuncOp, warpgroups: Pipelining) -> KernelRequirements | str:
    """
    What a kernel needs if two of its CTAs share an SM, and tiles that are not in use at the same
    time have the same columns: in attention, threads of one compute exponentials while those of the
    other one wait for MMAs. Why they do not fit even so, if they do not.
    """
    assert isinstance(warpgroups, TensorMemoryWarpgroups)
    pipelines = find_pipelines(function, operands_only=False)
    annotate_pipelines(function, pipelines)
    smaller = choose_store_staging(function, warpgroups, pipelines, occupancy=TWO_CTAS)
    if PAIR.is_on(function) or any(map(CLUSTER.is_on, find_all(function, scf.ForOp))):
        reason = "CTAs of clusters share loads"
    else:
        reason = why_no_columns(shared_columns(function), TWO_CTAS) or warpgroups.why_not_two_ctas(
            smaller.warps, row_registers(function), smaller.buffers, smaller.reserved
        )
    if reason is None:
        return smaller
    choose_pipelines(function, warpgroups)
    return reason


def leave_to_threads(function: FuncOp) -> None:
    """No stage fits beside all else: threads load the tiles of dots by `mma.sync`."""
    annotate_pipelines(function, ())
    for op in find_staged_dots(function):
        STAGED.drop(op)
        text = "threads load operands of mma.sync"
        reason = "no buffer stage of them fits in shared memory beside all else"
        explain(op, "Missed", "TensorCore", text, name="Mma", reason=reason)


def choose_pipelines(function: FuncOp, warpgroups: Pipelining) -> KernelRequirements:
    """
    Annotates loads with their pipelines, and returns what the kernel then needs. Tiles that
    operands are computed from are loaded ahead if that leaves enough for a stage of each, and for
    as many CTAs per SM as a hint asks for. Successive load groups share a pipeline if there is not
    enough for a stage of each.
    """
    requirements = apply_pipelines(function, warpgroups, operands_only=False)
    stages = warpgroups.choose_stages(requirements.buffers, requirements.reserved)
    if stages is not None and meets_hint(requirements, warpgroups):
        return requirements
    fewer = apply_pipelines(function, warpgroups, operands_only=True)
    if warpgroups.choose_stages(fewer.buffers, fewer.reserved) is None:
        return apply_pipelines(function, warpgroups, operands_only=True, successive=True)
    if stages is None or meets_hint(fewer, warpgroups):
        return fewer
    return apply_pipelines(function, warpgroups, operands_only=False)


def meets_hint(requirements: KernelRequirements, warpgroups: Pipelining) -> bool:
    """Whether there are as many CTAs per SM as a hint asks for."""
    return choose_occupancy(requirements, warpgroups)[0] == requirements.occupancy


def apply_pipelines(
    function: FuncOp, warpgroups: Pipelining, *, operands_only: bool, successive: bool = False
) -> KernelRequirements:
    """Annotates loads with their pipelines, and returns what the kernel then needs."""
    pipelines = find_pipelines(function, operands_only=operands_only, successive=successive)
    annotate_pipelines(function, pipelines, successive=successive)
    return choose_store_staging(function, warpgroups, pipelines)


def choose_store_staging(
    function: FuncOp,
    warpgroups: Pipelining,
    pipelines: Sequence[LoadPipeline],
    occupancy: int = 1,
) -> KernelRequirements:
    """
    Takes the first way to stage tiles of stores that leaves shared memory for two stages of each
    multi-stage buffer that is filled repeatedly, else for one; the last way if none does. Returns
    what the kernel then needs.
    """
    for least in (MIN_STAGES, 1):
        for staging in StoreStaging:
            requirements = apply_store_staging(function, warpgroups, pipelines, staging)
            buffers = requirements.buffers
            chosen = warpgroups.choose_stages(buffers, requirements.reserved, occupancy)
            if chosen is not None and all(
                count >= min(least, warpgroups.wanted_stages(buffer))
                for count, buffer in zip(chosen.stages, buffers, strict=True)
            ):
                return requirements
    *_, last = StoreStaging
    return apply_store_staging(function, warpgroups, pipelines, last)


def apply_store_staging(
    function: FuncOp,
    warpgroups: Pipelining,
    pipelines: Sequence[LoadPipeline],
    staging: StoreStaging,
) -> KernelRequirements:
    """Marks the stores that get a staging buffer, and returns what the kernel then needs."""
    has_buffers = staging is StoreStaging.BUFFERS
    limit = get_target(function).limits.store_buffers if has_buffers else 0
    staging_bytes = mark_warpgroup_stores(function, limit)
    return find_requirements(function, warpgroups, pipelines, staging_bytes, staging)


def choose_default_occupancy(function: FuncOp, warpgroups: Pipelining) -> KernelRequirements:
    """
    The requirements of a kernel. If no hint says how many CTAs share an SM, there are as many as
    keep it busy, if they fit.
    """
    spec = KERNEL_SPEC.get(function)
    asked = get_plan(function).occupancy or warpgroups.default_occupancy(get_warps(function))
    if get_plan(function).occupancy is None and alternates(function):
        asked = TWO_CTAS
    if get_persistent_ctas(function) or find_resident_ctas(function) is not None:
        asked = 1
    if asked > 1 and spec is not None and spec.get_fields().get("occupancy", 1) == 1:
        KERNEL_SPEC.set(function, spec.replaced(occupancy=asked))
        requirements = choose_pipelines(function, warpgroups)
        if choose_occupancy(requirements, warpgroups)[0] == asked:
            return requirements
        KERNEL_SPEC.set(function, spec)
    return choose_pipelines(function, warpgroups)


def choose_occupancy(
    requirements: KernelRequirements, warpgroups: Pipelining
) -> tuple[int, str | None]:
    """The CTAs per SM, and why they are fewer than a hint asks for."""
    remark = None
    # Beside consumer warps there are producer warps, and one that issues MMAs by `tcgen05`.
    producers = requirements.producer_warps if requirements.buffers else 0
    for occupancy in range(requirements.occupancy, 1, -1):
        reason = warpgroups.why_not_occupancy(
            occupancy,
            requirements.warps,
            producers + bool(requirements.columns),
            requirements.accumulators,
            requirements.buffers,
            requirements.reserved,
            alternates=requirements.alternates,
        ) or why_no_columns(requirements.columns, occupancy)
        if reason is None:
            return occupancy, remark
        remark = remark or unmet_hint(requirements, reason)
    return 1, remark


def unmet_hint(requirements: KernelRequirements, reason: str) -> str:
    """What a remark says of fewer CTAs per SM than a hint or a plan asks for."""
    return f"occupancy = {requirements.occupancy} is not met: {reason}"


def why_no_columns(columns: int, occupancy: int) -> str | None:
    """Why this many CTAs per SM do not have this many columns each; None if they do."""
    most = ALLOCATED_COLUMNS[-1] // occupancy
    if columns <= most:
        return None
    return f"each needs {columns} columns of tensor memory and would have {most}"


def set_occupancy(function: FuncOp, occupancy: int) -> None:
    """Records the CTAs per SM, if a hint asked for some or the kernel is persistent."""
    spec = KERNEL_SPEC.get(function)
    if spec is not None and "occupancy" in spec.get_fields():
        KERNEL_SPEC.set(function, spec.replaced(occupancy=occupancy))
    if get_persistent_ctas(function):
        set_persistent_ctas(function, occupancy)
    if (residents := find_resident_ctas(function)) is not None:
        residents.ctas_per_sm = IntegerAttr(occupancy, i32)


def annotate_pipelines(
    function: FuncOp, pipelines: Sequence[LoadPipeline], *, successive: bool = False
) -> None:
    """
    Annotates each load with the index of its pipeline, and that of its load group where successive
    ones share the pipeline.
    """
    for load in find_all(function, TiledLoadOp, LoadOp, GatherLoadOp):
        PIPE.drop(load)
        LOAD_GROUP.drop(load)
        TMA_ELEMENT_TYPE.drop(load)
    for index, load_groups in enumerate(pipelines):
        is_numbered = successive and are_successive(load_groups)
        for number, loads in enumerate(load_groups):
            for load in loads:
                PIPE.set(load, PipeAttr(index))
                if is_numbered:
                    LOAD_GROUP.set(load, LoadGroupAttr(number))
                if TMA_ELEMENT_TYPE.can_be_on(load) and is_rounded(load):
                    TMA_ELEMENT_TYPE.set(load, FloatTF32Type())
