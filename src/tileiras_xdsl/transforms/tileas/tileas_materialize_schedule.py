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

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, ModuleOp, StringAttr, UnitAttr, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.memory_order import follows_loads, is_invariant
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    AGENTS,
    AHEAD,
    DRAINED,
    HALVED,
    HALVED_TILES,
    REMATERIALIZED,
    SCHEDULE,
    SLOT,
    WARP_RELEASE,
    HalvedTiles,
    HalvedTilesAttr,
    KernelSchedule,
    SlotAttr,
    get_pipeline_id,
    get_schedule,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    AgentSwitchOp,
    CreateIteratorOp,
    CreatePipelineOp,
)
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nv_tileas.types import PipelineType
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.transforms.common.kernel_spec import get_warpgroups, get_warps, kernels
from tileiras_xdsl.transforms.common.rewriting import erase_unused
from tileiras_xdsl.transforms.tileas.schedule.ping_pong import (
    ComputeBuilder,
    MmaBuilder,
    is_read_by_mmas,
    is_read_by_threads,
)
from tileiras_xdsl.xdsl_extras.discardable_attributes import verify_discardable_attributes
from tileiras_xdsl.xdsl_extras.walking import find_all, last_of, walk

from .kernel_model.iteration_work import make_model
from .kernel_model.mma_exchanges import MmaPartition, NotSeparable, partition
from .kernel_model.slicing import unspecialized_code
from .kernel_model.staged_loads import (
    find_alternatives,
    find_staged_dots,
    first_and_last,
    get_pipelines,
    stage_order,
    staged_types,
)
from .kernel_model.written_operands import find_written_operands
from .schedule.agents import AgentBuilder, ProducerBuilder, ScheduledPipeline
from .schedule.consumer import ConsumerBuilder, OperandBuffer, OperandBuffers
from .schedule.ping_pong import ExclusivePingPongBuilder, PingPongBuilder
from .schedule.software_pipelining import pipeline_loops
from .schedule.stages import Prefetches, find_chain, hoist

# Whether consumer warps beside an MMA agent keep what they do in memory behind loads.
#
# A consumer warp that reads a tile has waited for its load. Beside an MMA agent it does not: it
# learns of a load from the MMA agent, when that hands over the result of a dot that it has issued
# after it. An op that may change what was loaded, or lets others do so, has to come after such a
# result:
#
#     %a = tiled_load …                 %a = tiled_load …
#     %d = dot %a, …                    store release … token = %a's
#     … threads receive %d …            %d = dot %a, …
#     store release …                   no: the load may still run


def find_unordered(function: FuncOp, partition: MmaPartition) -> Operation | None:
    """An op of consumer warps that would not be behind a load; `None` if there is none."""
    return _Walk(function, partition).run()


class _Walk:
    """Goes through a kernel in program order, loops twice."""

    def __init__(self, function: FuncOp, partition: MmaPartition):
        self.function = function
        self.partition = partition
        self.loads = {
            load
            for load in find_all(function, TiledLoadOp)
            if get_pipeline_id(load) is not None and not is_invariant(load)
        }
        self.positions = {op: number for number, op in enumerate(walk(function))}
        self.fresh: set[TiledLoadOp] = set()
        """Loads that threads know nothing of, of this iteration of the innermost loop."""
        self.old: set[TiledLoadOp] = set()
        """The same, of iterations before."""

    def run(self) -> Operation | None:
        if not self.loads:
            return None
        for block in self.function.body.blocks:
            if (found := self._visit(block)) is not None:
                return found
        return None

    def _visit(self, block: Block) -> Operation | None:
        for op in block.ops:
            self._receive(self.partition.received.get(op, ()))
            if isinstance(op, TiledLoadOp) and op in self.loads:
                self.fresh.add(op)
            elif any(region.blocks for region in op.regions) and not isinstance(op, DotOp):
                if (found := self._visit_body(op)) is not None:
                    return found
            elif (self.fresh or self.old) and follows_loads(op):
                return op
        return None

    def _visit_body(self, op: Operation) -> Operation | None:
        for _ in range(2):
            for region in op.regions:
                for block in region.blocks:
                    if (found := self._visit(block)) is not None:
                        return found
            self.old |= self.fresh
            self.fresh.clear()
        return None

    def _receive(self, values: Iterable[SSAValue]) -> None:
        """Threads learn of the loads that the MMA agent has waited for before a dot."""
        for value in values:
            last = self._last_dot(value)
            self.old = {load for load in self.old if self._is_awaited_after(load, last)}
            if not isinstance(value, BlockArgument):
                self.fresh = {load for load in self.fresh if self._is_awaited_after(load, last)}

    def _is_awaited_after(self, load: TiledLoadOp, last: int) -> bool:
        """Whether the MMA agent waits for a load after a dot: where the tile is first used."""
        return self.positions[first_and_last(load)[0]] > last

    def _last_dot(self, value: SSAValue) -> int:
        """The last dot behind a value, of which the MMA agent tells."""
        owner = value.owner
        inside = owner.walk() if isinstance(owner, Operation) else _ops_of(owner)
        dots = [each for each in inside if isinstance(each, DotOp) and is_tcgen05(each)]
        return max((self.positions[dot] for dot in dots), default=-1)


def _ops_of(block: Block) -> Iterable[Operation]:
    for op in block.ops:
        yield from op.walk()


@dataclass(frozen=True)
class TileasMaterializeSchedulePass(ModulePass):
    """
    Rewrites kernels that have a schedule (see `tileas-generate-schedule`): software-pipelines loops
    whose ops have pipeline stages, and splits the kernel into a producer agent, which loads, and a
    consumer agent, which does all the rest, with the pipelines of the schedule between them. With
    `mma_warps` dots by `tcgen05` are of a third agent, between the two; if they cannot be, a remark
    says why. With `turns` the warpgroups of the consumer issue WGMMAs one after the other
    (`nv_tileas.ping_pong.wait`, `nv_tileas.ping_pong.arrive`). Other kernels are left as they are.
    """

    name = "tileas-materialize-schedule"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if (schedule := get_schedule(function)) is not None:
                verify_discardable_attributes(function)
                materialize(function, schedule)
                SCHEDULE.drop(function)
                if has_high_register_pressure(function):
                    REMATERIALIZED.set(function, UnitAttr())


def materialize(function: FuncOp, schedule: KernelSchedule) -> None:
    """Applies the schedule of a kernel."""
    for conversion in find_all(function, ConvertLayoutOp):
        if chain := find_chain(conversion):
            hoist(conversion, chain)
    pipeline_loops(function)
    for loop in find_all(function, scf.ForOp):
        if loads := [*filter(AHEAD.is_on, loop.body.block.ops)]:
            Prefetches(loop, loads).rewrite()
    block = function.body.block
    ops = list(block.ops)
    unspecialized = unspecialized_code(block)
    specialized = [op for op in ops[:-1] if op not in unspecialized]
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
        if schedule.ping_pong is None:
            consumer = ConsumerBuilder(pipelines, iterators, buffers)
        else:
            builder = ExclusivePingPongBuilder if schedule.exclusive else PingPongBuilder
            model = make_model(function)
            consumer = builder(pipelines, iterators, buffers, schedule.ping_pong, model)
    agents.append(ScheduledAgent("consumer", consumer, get_warps(function), 0))
    blocks = [agent.builder.build(specialized) for agent in agents]
    properties: dict[str, Attribute] = {
        "num_warps": DenseArrayBase.from_list(i32, [agent.warps for agent in agents]),
        "warp_id": DenseArrayBase.from_list(i32, [agent.first_warp for agent in agents]),
    }
    if schedule.registers is not None and pipelines:
        counts = [schedule.registers[agent.name == "consumer"] for agent in agents]
        properties["max_regs"] = DenseArrayBase.from_list(i32, counts)
    switch = AgentSwitchOp([], [], [*map(Region, blocks)], properties)
    switch.location = function.location
    if producer is not None and producer.is_shared:
        DRAINED.set(switch, UnitAttr())
    if separation.partition is not None:
        AGENTS.set(switch, ArrayAttr([StringAttr(agent.name) for agent in agents]))
    elif separation.refusal is not None:
        text = f"MMAs have no warp of their own: {separation.refusal}"
        remark(function, "Missed", "Pipeline", text)
    Rewriter.insert_op(switch, InsertPoint.before(last_of(block)))
    for op in reversed(specialized):
        Rewriter.erase_op(op)
    erase_unused(function.body)


def has_high_register_pressure(function: FuncOp) -> bool:
    """Whether accumulators of a loop take this many registers that none is left for addresses."""
    loops: Counter[Operation | None] = Counter()
    for dot in find_all(function, AsyncDotOp):
        loops[dot.parent_op()] += get_shape(dot.a.type)[0] * get_shape(dot.b.type)[1]
    if not loops:
        return False
    limit = get_warpgroups(function).high_pressure_accumulator_registers
    return max(loops.values()) >= limit * get_warps(function) * WARP_THREADS


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
        found = partition(function)
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
        by_threads = any(map(is_read_by_threads, load_groups))
        by_mmas = any(map(is_read_by_mmas, load_groups))
        is_shared = is_separate and by_threads and by_mmas
        create = CreatePipelineOp(ty, stages, 2 if is_shared else None)
        create.location = load_groups[0][0].location
        tiles = stage_order(load_groups[0])
        if any(map(HALVED.is_on, tiles)):
            halved = [n for n, load in enumerate(tiles) if HALVED.is_on(load)]
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
    found = list(pipelines)
    alternatives = find_alternatives([pipeline.load_groups for pipeline in pipelines])
    if not alternatives:
        return found
    slot = 1 + max((operand.slot for operand in find_written_operands(function)), default=-1)
    for index, other in alternatives.items():
        for number, its_other in ((index, other), (other, index)):
            pipeline = pipelines[number]
            assert isinstance(pipeline.value.owner, CreatePipelineOp)
            SLOT.set(pipeline.value.owner, SlotAttr(slot))
            found[number] = replace(pipeline, alternative=its_other)
        slot += 1
    return found
