"""
Warp specialization and software pipelining, as a schedule says.

Before:  scf.for %k … iter_args(%c = …) {
           %a = nv_tileas.tiled_load %v[%i, %k] {nv_tileas.pipe = #nv_tileas.pipe<0>}
           %b = nv_tileas.tiled_load %w[%k, %j] {nv_tileas.pipe = #nv_tileas.pipe<0>}
           %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>}
         }
After:   %p = nv_tileas.async.pipeline.create_pipeline {numStages = 4 : i32} : …
         nv_tileas.async.pipeline.agent_switch {num_warps = array<i32: 1, 8>} {
           scf.for %k … iter_args(%it = …) {
             producer_acquire %p[%it]; producer_write { tiled_load; tiled_load }; producer_commit
           }
         } {
           scf.for %k … iter_args(%c = …, %it = …) {
             consumer_wait %p[%it]; %a, %b = consumer_read
             %f = nv_tileas.async.dot %a, %b, %c
             %d = nv_tileas.async.future_wait %f
             consumer_release %p
           }
         }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, ModuleOp, StringAttr, UnitAttr, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from tileiras_xdsl.dialects.nv_tileas.decisions import (
    AGENTS,
    DRAINED,
    HALVED,
    HALVED_TILES,
    SCHEDULE,
    SLOT,
    WARP_RELEASE,
    HalvedTiles,
    HalvedTilesAttr,
    KernelSchedule,
    SlotAttr,
    get_schedule,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    AgentSwitchOp,
    CreateIteratorOp,
    CreatePipelineOp,
)
from tileiras_xdsl.dialects.nv_tileas.types import PipelineType
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.transforms.common.kernel_spec import get_warps, kernels
from tileiras_xdsl.xdsl_extras.discardable_attributes import verify_discardable_attributes
from tileiras_xdsl.xdsl_extras.structure import last_of
from tileiras_xdsl.xdsl_extras.walking import find_all

from .kernel_model.agent_order import find_unordered
from .kernel_model.mma_exchanges import MmaPartition, NotSeparable, partition
from .kernel_model.slicing import unspecialized_code
from .kernel_model.staged_loads import (
    find_alternatives,
    get_pipelines,
    stage_order,
    staged_types,
)
from .kernel_model.staged_mma import find_staged_dots
from .kernel_model.turns import make_model
from .kernel_model.written_operands import find_written_operands
from .schedule.agents import (
    AgentBuilder,
    ConsumerBuilder,
    OperandBuffer,
    OperandBuffers,
    ProducerBuilder,
    ScheduledPipeline,
)
from .schedule.joined_loops import pipeline_loops
from .schedule.loads_ahead import load_ahead
from .schedule.mma_agent import (
    ComputeBuilder,
    MmaBuilder,
    is_read_by_mmas,
    is_read_by_threads,
)
from .schedule.staged_conversions import hoist_conversions
from .schedule.turns import ExclusiveTurnBuilder, TurnBuilder


@dataclass(frozen=True)
class TileasMaterializeSchedulePass(ModulePass):
    """
    Rewrites kernels that have a schedule (see `tileas-generate-schedule`): software-pipelines loops
    whose ops have pipeline stages, and splits the kernel into a producer agent, which loads, and a
    consumer agent, which does all the rest, with the pipelines of the schedule between them. With
    `mma_warps` dots by `tcgen05` are of a third agent, between the two; if they cannot be, a remark
    says why. With `turns` the warpgroups of the consumer issue WGMMAs one after the other
    (`nv_tileas.turn.wait`, `nv_tileas.turn.pass`). Other kernels are left as they are.
    """

    name = "tileas-materialize-schedule"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if (schedule := get_schedule(function)) is not None:
                verify_discardable_attributes(function)
                materialize(function, schedule)
                SCHEDULE.drop(function)


def materialize(function: FuncOp, schedule: KernelSchedule) -> None:
    """Applies the schedule of a kernel."""
    hoist_conversions(function)
    pipeline_loops(function)
    for loop in find_all(function, scf.ForOp):
        load_ahead(loop)
    block = function.body.block
    ops = list(block.ops)
    unspecialized = unspecialized_code(block)
    specialized = [op for op in ops if op not in unspecialized and op is not block.last_op]
    if not specialized:
        return
    point = InsertPoint.before(specialized[0])
    separation = separate(function, schedule)
    pipelines = create_pipelines(
        function, schedule, point, is_separate=separation.partition is not None
    )
    exchanges = create_exchanges(function, separation, point)
    iterators_by_role: dict[str, list[SSAValue]] = {}
    for role in ("producer", "consumer"):
        iterators = [CreateIteratorOp(each.value, role) for each in (*pipelines, *exchanges)]
        for iterator in iterators:
            iterator.location = function.location
        Rewriter.insert_op(iterators, point)
        iterators_by_role[role] = [iterator.result for iterator in iterators]
    agents: list[ScheduledAgent] = []
    producer: ProducerBuilder | None = None
    first, mma_warps = get_warps(function), schedule.mma_warps or 0
    if pipelines:
        producer = ProducerBuilder(pipelines, iterators_by_role["producer"])
        warps = schedule.producer_warps
        if schedule.registers is not None and separation.partition is not None:
            # Registers are reallocated by warpgroups.
            warps -= mma_warps
        agents.append(ScheduledAgent("producer", producer, warps, first))
        first += warps
    if separation.partition is not None:
        builders = separate_builders(
            separation.partition, [*pipelines, *exchanges], len(pipelines), iterators_by_role
        )
        agents.append(ScheduledAgent("mma", builders[0], mma_warps, first))
        consumer: ConsumerBuilder = builders[1]
    else:
        buffers = create_operand_buffers(function, point)
        iterators = iterators_by_role["consumer"]
        if schedule.turns is None:
            consumer = ConsumerBuilder(pipelines, iterators, buffers)
        else:
            builder = ExclusiveTurnBuilder if schedule.exclusive else TurnBuilder
            model = make_model(function)
            consumer = builder(pipelines, iterators, buffers, schedule.turns, model)
    agents.append(ScheduledAgent("consumer", consumer, get_warps(function), 0))
    blocks = [agent.builder.build(specialized) for agent in agents]
    properties: dict[str, Attribute] = {
        "num_warps": DenseArrayBase.from_list(i32, [agent.warps for agent in agents]),
        "warp_id": DenseArrayBase.from_list(i32, [agent.first_warp for agent in agents]),
    }
    if schedule.registers is not None and pipelines:
        counts = [schedule.registers[agent.name == "consumer"] for agent in agents]
        properties["max_regs"] = DenseArrayBase.from_list(i32, counts)
    switch = AgentSwitchOp([], [], [Region(block) for block in blocks], properties)
    switch.location = function.location
    if producer is not None and producer.is_multicast:
        DRAINED.set(switch, UnitAttr())
    if separation.partition is not None:
        AGENTS.set(switch, ArrayAttr([StringAttr(agent.name) for agent in agents]))
    elif separation.refusal is not None:
        text = f"MMAs have no warp of their own: {separation.refusal}"
        remark(function, "Missed", "Pipeline", text)
    Rewriter.insert_op(switch, InsertPoint.before(last_of(block)))
    for op in reversed(specialized):
        Rewriter.erase_op(op)
    region_dce(function.body)


@dataclass(frozen=True)
class ScheduledAgent:
    """An agent with its warps."""

    name: str
    builder: AgentBuilder
    warps: int
    first_warp: int


@dataclass(frozen=True)
class Separation:
    """What the MMA agent of a kernel does, or why it has none."""

    partition: MmaPartition | None = None
    refusal: str | None = None


def separate(function: FuncOp, schedule: KernelSchedule) -> Separation:
    """What the MMA agent does, if the schedule has one."""
    if not schedule.mma_warps:
        return Separation()
    try:
        found = partition(function, schedule.scale_stages or 1)
    except NotSeparable as error:
        return Separation(refusal=str(error))
    if (op := find_unordered(function, found)) is not None:
        return Separation(refusal=f"'{op.name}' has to come after loads that only MMAs wait for")
    return Separation(found)


def create_exchanges(
    function: FuncOp, separation: Separation, point: InsertPoint
) -> list[ScheduledPipeline]:
    """Creates the pipelines between MMAs and threads."""
    pipelines: list[ScheduledPipeline] = []
    for exchange in separation.partition.exchanges if separation.partition else ():
        create = CreatePipelineOp(PipelineType([exchange.ty]), exchange.stages)
        create.location = function.location
        Rewriter.insert_op(create, point)
        pipelines.append(ScheduledPipeline(create.result, exchange.stages, ()))
    return pipelines


def separate_builders(
    found: MmaPartition,
    pipelines: Sequence[ScheduledPipeline],
    first: int,
    iterators: Mapping[str, Sequence[SSAValue]],
) -> tuple[MmaBuilder, ComputeBuilder]:
    """
    The MMA agent and the consumer, given the pipelines of loads and, from an index on, those of
    tensor memory.
    """
    exchanges = {exchange: first + n for n, exchange in enumerate(found.exchanges)}

    def starts(*, is_mma: bool) -> list[SSAValue]:
        roles = ["producer" if each.to_mma != is_mma else "consumer" for each in exchanges]
        return [iterators[role][n] for n, role in enumerate(["consumer"] * first + roles)]

    return (
        MmaBuilder(pipelines, starts(is_mma=True), found, exchanges),
        ComputeBuilder(pipelines, starts(is_mma=False), found, exchanges),
    )


def create_operand_buffers(function: FuncOp, point: InsertPoint) -> OperandBuffers:
    """Creates the buffers of operands that consumer warps write."""
    buffers: dict[tuple[Attribute, int], OperandBuffer] = {}
    found: dict[tuple[DotOp, int], OperandBuffer] = {}
    for operand in find_written_operands(function):
        key = operand.type, operand.slot
        if key not in buffers:
            create = AllocTensorOp(operand.type)
            SLOT.set(create, SlotAttr(operand.slot))
            create.location = operand.dot.location
            Rewriter.insert_op(create, point)
            buffers[key] = OperandBuffer(create.result, operand.slot)
        found[operand.dot, operand.index] = buffers[key]
    return found


def create_pipelines(
    function: FuncOp, schedule: KernelSchedule, point: InsertPoint, *, is_separate: bool
) -> list[ScheduledPipeline]:
    """Creates the pipelines of a kernel, which an MMA agent and threads may read."""
    pipelines: list[ScheduledPipeline] = []
    is_staged = bool(find_staged_dots(function))
    for number, load_groups in get_pipelines(function).items():
        ty = PipelineType(staged_types(load_groups[0]))
        stages = schedule.stages[number]
        by_threads, by_mmas = (
            any(map(reads, load_groups)) for reads in (is_read_by_threads, is_read_by_mmas)
        )
        is_shared = is_separate and by_threads and by_mmas
        create = CreatePipelineOp(ty, stages, 2 if is_shared else None)
        create.location = load_groups[0][0].location
        tiles = stage_order(load_groups[0])
        halved = [n for n, load in enumerate(tiles) if HALVED.is_on(load)]
        if halved:
            HALVED_TILES.set(create, HalvedTilesAttr(HalvedTiles(tuple(halved))))
        if is_staged or (by_threads and (is_separate or not by_mmas)):
            WARP_RELEASE.set(create, UnitAttr())
        Rewriter.insert_op(create, point)
        pipelines.append(ScheduledPipeline(create.result, stages, load_groups))
    return share_memory(function, pipelines)


def share_memory(
    function: FuncOp, pipelines: Sequence[ScheduledPipeline]
) -> list[ScheduledPipeline]:
    """Puts pipelines into the same slot that are in different regions of a branch."""
    alternatives = find_alternatives([pipeline.load_groups for pipeline in pipelines])
    slot = 1 + max((operand.slot for operand in find_written_operands(function)), default=-1)
    found = list(pipelines)
    for index, other in alternatives.items():
        for number, its_other in ((index, other), (other, index)):
            pipeline = pipelines[number]
            assert isinstance(pipeline.value.owner, CreatePipelineOp)
            SLOT.set(pipeline.value.owner, SlotAttr(slot))
            found[number] = replace(pipeline, alternative=its_other)
        slot += 1
    return found
