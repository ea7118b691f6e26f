"""
Runs the CTAs that share an SM, and what follows for a launch.

All warpgroups of all CTAs go on in the order of time; one that waits for a signal goes on when that
is there. If none can go on before all are done, the kernel is one that the model does not
understand.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from math import prod
from operator import index
from statistics import fmean
from typing import Any

from xdsl.dialects import gpu, scf
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, SSAValue

from tileiras_xdsl.analysis.slices import operands_of, reachable
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas import decisions
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    AgentSwitchOp,
    ConsumerReleaseOp,
    ProducerCommitOp,
    find_resident_ctas,
)
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_shared_memory
from tileiras_xdsl.dialects.nvgpu.types import (
    BLOCKS_ARE_CLUSTERS,
    PROGRAMMATIC,
    get_cluster_ctas,
    get_persistent_ctas,
)
from tileiras_xdsl.targets.machine import BYTE_BITS, WARP_THREADS, WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.kernel_spec import count_warps, get_target, get_warps, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .clock import START, Schedulers, Signal, TensorCores, Unit
from .report import Estimate, LoopEstimate, Trace
from .warpgroups import (
    LOADS,
    MOST_OPS,
    STORES,
    Agent,
    Costs,
    Iterations,
    Pipeline,
    Samples,
    Sm,
    Trips,
    UnknownScheduleError,
    Warpgroup,
    decided_by,
    made_of,
)
from .work import THREAD_UNITS, Scalars, UnitName

# What an estimate wants to know of a launch: the grid, numbers, and the bytes of arrays.


def make_launch(grid: tuple[int, int, int], flat: Sequence[Any]) -> Launch:
    """
    Of a grid and the parameters of a kernel; arrays need not have elements, and those whose sizes
    are unknown (`tx.array(dtype, rank)`) say nothing.
    """
    values: list[int | None] = []
    arrays: dict[int, float] = {}
    for number, value in enumerate(flat):
        shape = getattr(value, "shape", None)
        values.append(_integer(value) if shape is None or shape == () else None)
        if shape and None not in shape:
            arrays[number] = float(prod(map(int, shape)) * _itemsize(value))
    return Launch(grid, values, sum(arrays.values()), arrays)


def _integer(value: object) -> int | None:
    try:
        return index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        return None


def _itemsize(value: Any) -> int:
    size = getattr(value, "itemsize", None)
    return int(size if size is not None else value.element_size())


NOMINAL = Trips(inner=32, outer=4)
"""Trip counts that nothing says."""
NOMINAL_BLOCK = (NOMINAL.inner // 2, 0, 0)
"""A CTA, if there is no launch: where masks are triangles, one in the middle."""
LEAST_TRIPS = 4
"""A loop that runs less often has no steady state."""
FEW_TILES = 2
"""Tiles of a persistent kernel that are simulated, if all take the same time."""
SPREAD = 4
"""Tile blocks that stand for all of a grid, if they do not do the same."""
QUARTERS = ((0, 2, 1), (1, 0, 3), (2, 3, 0), (3, 1, 2))
"""Which parts of the axes they are in."""
JITTER = (5**0.5 / 2, 2**0.5, 3**0.5)
"""How far the place in a part is from that of the one before: passes may order tile blocks anew."""
POINTER_BYTES = 8
WHOLE_CTA = -1
"""The number of the agent that all others are in."""
LIGHTER = 4
"""Steps in which clocks and latencies come to agree."""
MOST_NOMINAL_OPS = 60_000
"""That are followed without a launch, for a remark: less than half a second."""


@dataclass(frozen=True)
class Launch:
    """The sizes of a launch."""

    grid: tuple[int, int, int]
    """As the program counts tile blocks."""
    values: Sequence[int | None]
    """The parameters of the kernel that are integers, None for others."""
    array_bytes: float = 0.0
    """Of all arrays together."""
    arrays: Mapping[int, float] = field(default_factory=dict[int, float])
    """The same of each, by the number of its parameter, as far as that is known."""


@dataclass
class Simulation:
    """CTAs that share an SM."""

    sm: Sm
    trips: Trips
    heap: list[tuple[float, int, Warpgroup | TensorCores | Schedulers]] = field(
        default_factory=list[tuple[float, int, Warpgroup | TensorCores | Schedulers]]
    )
    order: count[int] = field(default_factory=count)
    ages: count[int] = field(default_factory=count)
    unfinished: dict[Warpgroup, Signal] = field(default_factory=dict[Warpgroup, Signal])
    agents: list[Agent] = field(default_factory=list[Agent])
    clocks: float = 0.0
    """Until all CTAs are done, with iterations that were left out."""
    last: Warpgroup | None = None
    """What is done last."""
    ctas: int = 1

    def __post_init__(self) -> None:
        units = self.sm.units
        self.tensor_cores = TensorCores(
            *(units["tensor cores"], units["shared memory"], self.sm.target.timing.mma_queue),
            *(self.push, self.sm.trace),
        )
        self.schedulers: Schedulers | None = None
        if self.sm.target.timing.in_order:
            shared: dict[UnitName, Unit] = {name: units[name] for name in THREAD_UNITS}
            self.schedulers = Schedulers(shared, self.push)

    def start(self, warpgroup: Warpgroup, done: Signal) -> None:
        """Lets a warpgroup go, which arrives when it is done."""
        self.unfinished[warpgroup] = done
        warpgroup.age = next(self.ages)
        self.push(warpgroup)

    def push(self, warpgroup: Warpgroup | TensorCores | Schedulers) -> None:
        heapq.heappush(self.heap, (warpgroup.cursor, next(self.order), warpgroup))

    def spawn(self, switch: AgentSwitchOp, parent: Warpgroup) -> Signal:
        """Starts the agents of a CTA."""
        warps = switch.num_warps.get_values() if switch.num_warps is not None else ()
        agents = [
            Agent(number, region.block, number_of, max(1, number_of // WARPGROUP_WARPS))
            for number, (region, number_of) in enumerate(
                zip(switch.agents, map(int, warps), strict=True)
            )
        ]
        for value, pipeline in parent.pipelines.items():
            releasing = [
                agent.warpgroups
                for agent, region in zip(agents, switch.agents, strict=True)
                if any(op.operands[0] is value for op in find_all(region, ConsumerReleaseOp))
            ]
            pipeline.consumers = max(1, sum(releasing))
            committing = [
                agent.warpgroups
                for agent, region in zip(agents, switch.agents, strict=True)
                if any(op.operands[0] is value for op in find_all(region, ProducerCommitOp))
            ]
            pipeline.producers = max(1, sum(committing))
        self.agents += agents
        done = Signal(sum(agent.warpgroups for agent in agents))
        for agent in agents:
            for number in range(agent.warpgroups):
                warpgroup = Warpgroup(
                    *(self.sm, agent, number, parent.pipelines, parent.scalars, self.trips),
                    *(parent.values, parent.done, self.spawn, self.tensor_cores, self.schedulers),
                    parent.samples,
                )
                self.start(warpgroup, done)
        return done

    def count_working(self) -> int:
        """CTAs that do not return at once."""
        return sum(agent.number == WHOLE_CTA and not agent.is_idle for agent in self.agents)

    def run(self) -> None:
        """To the end."""
        while self.heap:
            warpgroup = heapq.heappop(self.heap)[2]
            if self.sm.trace is not None and isinstance(warpgroup, Warpgroup):
                self.sm.trace.warpgroup = warpgroup
            try:
                signal = next(warpgroup.steps)
            except StopIteration:
                assert isinstance(warpgroup, Warpgroup)
                done = warpgroup.end
                if warpgroup.agent.number == WHOLE_CTA and warpgroup.clocks > self.clocks:
                    self.clocks, self.last = warpgroup.clocks, warpgroup
                warpgroup.agent.is_idle &= done.time <= warpgroup.begin.time
                self.unfinished.pop(warpgroup).arrive(done)
                continue
            if signal is None or signal.is_set:
                self.push(warpgroup)
            else:
                signal.waiting.append(lambda warpgroup=warpgroup: self.push(warpgroup))
        if self.unfinished:
            stuck = sorted({warpgroup.agent.number for warpgroup in self.unfinished})
            raise UnknownScheduleError(f"agents {stuck} wait for each other")


def find_occupancy(function: FuncOp, target: Target) -> int:
    """CTAs of a kernel per SM: what it asks for, or what fits."""
    return count_persistent(function) or _hinted(function) or _count_fitting(function, target)


def _hinted(function: FuncOp) -> int:
    """CTAs per SM that a kernel was made for; 0 if it does not say."""
    spec = KERNEL_SPEC.get(function)
    return 0 if spec is None else int(spec.get_fields().get("occupancy", 0))


def _count_fitting(function: FuncOp, target: Target) -> int:
    """CTAs of a kernel that fit on an SM, however many registers they take."""
    warps = count_warps(function)
    threads = warps * WARP_THREADS
    fits = [target.threads.blocks, target.threads.per_sm // threads]
    memory, columns = get_shared_memory(function), decisions.TENSOR_MEMORY.get(function)
    if memory is not None:
        fits.append(target.shared.per_sm // (memory.size + target.shared.reserved))
    if columns is not None and target.tensor_memory is not None:
        fits.append(target.tensor_memory.columns // columns.data)
    # Kernels with agents take the registers that one CTA has, or as many as they were made for.
    if find_all(function, AgentSwitchOp):
        fits.append(max(_hinted(function), 8 // warps))
    return max(1, min(fits))


def count_persistent(function: FuncOp) -> int:
    """CTAs per SM of a kernel that loops over tiles, by what launches it or by itself; else 0."""
    residents = find_resident_ctas(function)
    return get_persistent_ctas(function) or (
        0 if residents is None else residents.ctas_per_sm.value.data
    )


@dataclass(frozen=True)
class Simulated:
    """The CTAs of a kernel that share an SM, after they ran."""

    simulation: Simulation
    occupancy: int
    waves: int
    """How often the SM has such CTAs."""
    blocks: int
    """All CTAs."""


def estimate_fitting(
    function: FuncOp, target: Target, launch: Launch | None = None, fitting: int | None = None
) -> Estimate:
    """
    Estimates a kernel for as many CTAs per SM as a persistent one asks for, or as fit by what is
    known at the end of the stage `tileas`, but no more than fit by what its code takes. A hint
    limits registers, and not how many CTAs share an SM.
    """
    expected = count_persistent(function) or _count_fitting(function, target)
    ctas = expected if fitting is None else max(1, min(fitting, expected))
    return estimate_kernel(function, target, launch, ctas)


def estimate_kernel(
    function: FuncOp,
    target: Target,
    launch: Launch | None = None,
    occupancy: int | None = None,
    *,
    trace: Trace | None = None,
    nominal: Trips = NOMINAL,
) -> Estimate:
    """
    Estimates a kernel at the end of the stage `tileas`. Without a launch, loops have nominal trip
    counts, and the numbers are those of the CTAs that share an SM: this many, or as many as fit by
    what is known at that stage. A trace keeps what each op does, in each iteration of loops; else
    some iterations stand for others, unless agents divide them into other loops.
    """
    costs = Costs(target, keeps_all=trace is not None)
    if trace is None:
        with suppress(UnknownScheduleError):
            sampled = replace(nominal, is_sampled=True)
            return _estimate(function, costs, launch, occupancy, None, sampled)
    return _estimate(function, costs, launch, occupancy, trace, nominal)


def _estimate(
    function: FuncOp,
    costs: Costs,
    launch: Launch | None,
    occupancy: int | None,
    trace: Trace | None,
    nominal: Trips,
) -> Estimate:
    if trace is None and launch is not None:
        repeated = _simulate_tiles(function, costs, launch, occupancy, nominal)
        if repeated is not None:
            return _report(function, *repeated, launch)
    done = _simulate(function, costs, launch, occupancy, trace=trace, nominal=nominal)
    if launch is None or count_persistent(function) or not _depends_on_block(function):
        later = [done.simulation] if done.waves > 1 else []
        return _report(function, done, Waves(done.simulation, later, done.waves), launch)

    def simulate(first: int) -> Simulation:
        return _simulate(
            function, costs, launch, occupancy, nominal=nominal, first=first
        ).simulation

    resident = costs.target.rates.sm_count * done.occupancy
    ctas = done.blocks // prod(launch.grid)
    spread = [simulate(ctas * block) for block in spread_blocks(launch.grid)]
    if done.waves > 1 and not spread[-1].count_working():
        if not simulate(resident).count_working():
            # Some CTAs of the first wave work for all others.
            only = Waves(done.simulation, [], 1)
            return _report(function, done, only, launch, others_return=True)
    typical = replace(done, simulation=spread[SPREAD // 2])
    return _report(function, typical, Spread(spread, done.waves), launch)


def spread_blocks(grid: tuple[int, int, int]) -> list[int]:
    """
    Tile blocks that stand for all of a grid: one of each quarter of each axis (a Latin hypercube),
    not in the same place of each, so that they are not all of one kind.
    """
    found: list[int] = []
    for number, quarters in enumerate(QUARTERS, 1):
        x, y, z = (
            int((quarter + number * jitter % 1) * size / SPREAD)
            for quarter, jitter, size in zip(quarters, JITTER, grid, strict=True)
        )
        found.append(x + grid[0] * (y + grid[1] * z))
    return found


def _simulate_tiles(
    function: FuncOp, costs: Costs, launch: Launch, occupancy: int | None, nominal: Trips
) -> tuple[Simulated, Tiles] | None:
    """
    Some tiles of a persistent kernel whose tiles all take the same time, from which the time of all
    of them follows; None of other kernels, and if there are few.
    """
    if not count_persistent(function) or BLOCKS_ARE_CLUSTERS.is_on(function):
        return None
    few = FEW_TILES + decisions.COARSENED.is_on(function)
    target = costs.target
    resident = target.rates.sm_count * (occupancy or find_occupancy(function, target))
    tiles = -(-prod(launch.grid) // resident)
    if tiles <= few or any(map(_depends_on_tile, find_all(function, scf.ForOp))):
        return None
    found: list[Simulated] = []
    for number in (few - 1, few):
        some = replace(nominal, most_tiles=number)
        found.append(_simulate(function, costs, launch, occupancy, nominal=some))
        if len({each.trips for each in _inner_loops(found[-1].simulation)}) != 1:
            return None
    fewer, more = (each.simulation for each in found)
    if decisions.COARSENED.is_on(function) and _has_pairs(more):
        if any(decisions.UNCOARSENED.is_on(each.loop) for each in _tile_loops(more)):
            return None
        # Behind pairs, there may be a single tile.
        return found[-1], Tiles(fewer, more, few, tiles / 2)
    return found[-1], Tiles(fewer, more, few, tiles)


def _depends_on_tile(loop: scf.ForOp) -> bool:
    """Whether the trip count of a loop may be another for each iteration of one around it."""
    bounds = reachable((loop.lb, loop.ub, loop.step), operands_of)
    owners = (value.owner.parent_op() for value in bounds if isinstance(value.owner, Block))
    return any(isinstance(owner, scf.ForOp | scf.WhileOp) for owner in owners)


def _depends_on_block(function: FuncOp) -> bool:
    """
    Whether CTAs may run other iterations, take other branches or load rows that lie in memory in
    another way, and not only access other elements.
    """
    deciding: list[SSAValue] = []
    for op in walk(function):
        deciding += decided_by(op)
        if isinstance(op, MakeMemrefOp):
            deciding += (*op.sizes, *op.strides)
    return any(isinstance(value.owner, gpu.BlockIdOp) for value in reachable(deciding, made_of))


def _has_pairs(simulation: Simulation) -> bool:
    """Whether a loop over pairs of tiles had some; its last iteration does all single ones."""
    return any(
        each.trips > 1 and not decisions.UNCOARSENED.is_on(each.loop)
        for each in _tile_loops(simulation)
    )


def _tile_loops(simulation: Simulation) -> list[Iterations]:
    """What the loops over tiles did."""
    return [
        each
        for agent in simulation.agents
        for each in agent.loops
        if simulation.trips.is_outer(each.loop)
    ]


def _inner_loops(simulation: Simulation) -> list[Iterations]:
    """What loops without loops in them did, each time."""
    return [
        each
        for agent in simulation.agents
        for each in agent.loops
        if not simulation.trips.is_outer(each.loop)
    ]


@dataclass(frozen=True)
class Waves:
    """Waves of CTAs: the first one, and some of the others."""

    first: Simulation
    later: Sequence[Simulation]
    number: int

    def total(self, count: Callable[[Simulation], float]) -> float:
        """Of all waves."""
        rest = [count(each) for each in self.later]
        return count(self.first) + (self.number - 1) * (sum(rest) / len(rest) if rest else 0.0)

    def clocks(self, share: float) -> float:
        """Until the last one is done, if an SM has such a share of the CTAs of them on average."""
        if not self.later:
            return self.first.clocks
        # Small CTAs begin as others end; of large ones, the last wave takes as long as all others.
        more = self.number - 1 if self.first.ctas == 1 else max(0.0, self.number * share - 1)
        return self.first.clocks + more * sum(map(_period, self.later)) / len(self.later)


@dataclass(frozen=True)
class Spread:
    """CTAs all over a grid that do not do the same."""

    found: Sequence[Simulation]
    waves: int

    def total(self, count: Callable[[Simulation], float]) -> float:
        """Of all waves."""
        return self.waves * fmean(map(count, self.found))

    def clocks(self, share: float) -> float:
        """Until the last one is done, if an SM has such a share of the CTAs of waves on average."""
        clocks = [each.clocks for each in self.found]
        if self.waves == 1:
            return max(clocks)
        period, work = fmean(map(_period, self.found)), self.waves * share
        if self.found[0].ctas > 1:
            return fmean(clocks) + max(0.0, work - 1) * period
        # The more they differ, the less do they end in waves: CTAs begin as others end, and SMs
        # that have none left wait for what others have, half of one on average.
        differ = 1 - min(clocks) / max(clocks)
        return (1 - differ) * self.waves * period + differ * (work * period + clocks[-1] / 2)


@dataclass(frozen=True)
class Tiles:
    """Tiles of a persistent kernel, or pairs, of which some were simulated, and one more."""

    fewer: Simulation
    more: Simulation
    simulated: int
    number: float

    def total(self, count: Callable[[Simulation], float]) -> float:
        """Of all tiles."""
        found = count(self.more)
        return found + (self.number - self.simulated) * (found - count(self.fewer))

    def clocks(self, share: float) -> float:
        """Until the last one is done."""
        return self.total(lambda each: each.clocks)


def simulate_kernel(
    function: FuncOp,
    target: Target,
    launch: Launch | None = None,
    *,
    nominal: Trips = NOMINAL,
) -> Simulated:
    """Runs the first CTAs of a kernel that share an SM, as many as fit."""
    return _simulate(function, Costs(target), launch, None, nominal=nominal)


def _simulate(
    function: FuncOp,
    costs: Costs,
    launch: Launch | None,
    occupancy: int | None,
    *,
    trace: Trace | None = None,
    nominal: Trips,
    first: int = 0,
) -> Simulated:
    """Runs the CTAs of a kernel that share an SM, from the first one on."""
    target = costs.target
    occupancy = occupancy or find_occupancy(function, target)
    sms, persistent = target.rates.sm_count, count_persistent(function)
    ctas = get_cluster_ctas(function) if BLOCKS_ARE_CLUSTERS.is_on(function) else 1
    blocks = 1 if launch is None else prod(launch.grid) * ctas
    resident = sms * occupancy
    grid = None if launch is None else (launch.grid[0] * ctas, *launch.grid[1:])
    waves = 1
    trips = replace(nominal, known=costs.nested)
    if persistent and launch is not None:
        if get_persistent_ctas(function):
            grid = (min(blocks, resident), 1, 1)
        trips = replace(trips, outer=-(-blocks // resident))
    elif launch is not None:
        waves = -(-blocks // resident)
    ops = MOST_OPS if launch is not None else MOST_NOMINAL_OPS
    sm = Sm(costs, ops_left=ops, trace=trace)
    if launch is not None:
        sm.active = min(1.0, blocks / sms)
        if launch.array_bytes:
            in_flight = target.rates.memory_bytes * target.timing.load
            sm.loading = min(1.0, launch.array_bytes / sms / in_flight)
        if _is_from_memory(function, target, launch):
            sm.in_l2 = _find_small(launch, target)
    simulation = Simulation(sm, trips)
    simulation.ctas = min(occupancy, -(-blocks // sms)) if launch is not None else occupancy
    for number in range(simulation.ctas):
        block = NOMINAL_BLOCK
        if grid is not None:
            block = _block(min(first + number * sms, blocks - 1), grid)
        tiles = nominal.inner if launch is None else None
        scalars = Scalars(block, grid, tiles, resident=sms)
        values = _parameters(function, launch)
        agent = Agent(WHOLE_CTA, function.body.block, get_warps(function), _warpgroups(function))
        pipelines: dict[SSAValue, Pipeline] = {}
        setup = target.timing.agent_setup if _has_agents(function) else target.timing.setup
        begin = START.after(setup, "start of CTAs")
        samples = Samples() if nominal.is_sampled else None
        for warpgroup_number in range(agent.warpgroups):
            warpgroup = Warpgroup(
                *(sm, agent, warpgroup_number, pipelines, scalars, simulation.trips, values),
                *(begin, simulation.spawn, simulation.tensor_cores, simulation.schedulers),
                samples,
            )
            simulation.start(warpgroup, Signal())
        simulation.agents.append(agent)
    simulation.run()
    return Simulated(simulation, occupancy, waves, blocks)


def _is_from_memory(function: FuncOp, target: Target, launch: Launch) -> bool:
    """Whether L2 does not keep what is loaded. Without products, nothing is loaded twice."""
    if target.board is None or find_all(function, DotOperation):
        return False
    return launch.array_bytes > target.board.l2_bytes


def _find_small(launch: Launch, target: Target) -> frozenset[int]:
    """
    The arrays that stay in L2 however much else passes through it, as all SMs load them again and
    again: those with fewer bytes than the share of an SM.
    """
    assert target.board is not None
    share = target.board.l2_bytes / target.rates.sm_count
    return frozenset(number for number, size in launch.arrays.items() if size <= share)


def _has_agents(function: FuncOp) -> bool:
    return bool(find_all(function, AgentSwitchOp))


def _warpgroups(function: FuncOp) -> int:
    """Of a kernel without agents; the code around agents is run once."""
    if _has_agents(function):
        return 1
    return max(1, get_warps(function) // WARPGROUP_WARPS)


def _block(index: int, grid: Sequence[int]) -> tuple[int, int, int]:
    x, rest = index % grid[0], index // grid[0]
    return x, rest % grid[1], rest // grid[1] % grid[2]


def _parameters(function: FuncOp, launch: Launch | None) -> dict[SSAValue, object]:
    if launch is None:
        return {}
    arguments = function.body.block.args
    found: dict[SSAValue, object] = {
        argument: number for argument, number in zip(arguments, launch.values) if number is not None
    }
    if get_persistent_ctas(function):
        # The grid that was asked for, behind all other integers.
        found |= dict(zip(arguments[len(launch.values) :], launch.grid))
    return found


def _period(simulation: Simulation) -> float:
    """
    How long after a wave of CTAs the next one is done. CTAs that share an SM drift apart: while one
    waits for loads, others keep the units busy.
    """
    clocks, units = simulation.clocks, simulation.sm.units
    busiest = max(unit.total for unit in units.values())
    path = {} if simulation.last is None else simulation.last.path()
    shared = max(busiest, sum(path.get(unit.name, 0.0) for unit in units.values()))
    return max(busiest, clocks - shared * (1 - 1 / simulation.ctas))


def _report(
    function: FuncOp,
    done: Simulated,
    counts: Waves | Spread | Tiles,
    launch: Launch | None,
    *,
    others_return: bool = False,
) -> Estimate:
    simulation, waves, blocks = done.simulation, done.waves, done.blocks
    sm, occupancy = simulation.sm, done.occupancy
    target = sm.target
    scale = 1.0
    if launch is not None:
        # The busiest SM was simulated, others may have one CTA or tile less.
        per_sm = blocks / target.rates.sm_count
        simulated = waves * simulation.ctas
        if count_persistent(function):
            simulated = -(-blocks // target.rates.sm_count)
        scale = 1.0 if others_return else per_sm / simulated
    instructions = sm.costs.count_instructions(get_warps(function))
    total, path = counts.total, {} if simulation.last is None else simulation.last.path()
    num_bytes = total(lambda each: each.sm.num_bytes)
    clocks = counts.clocks(scale)
    if launch is not None:
        busiest = max(total(lambda each, name=name: each.sm.units[name].total) for name in sm.units)
        clocks = max(busiest, _lighten(clocks, path, num_bytes, sm))
    clocks += instructions * target.timing.fetch
    # Without products, nothing is loaded twice.
    memory = 0.0 if sm.multiply_adds else sm.num_bytes / target.rates.memory_bytes
    array_bytes = kept = 0.0
    if launch is not None:
        moved = {
            key: total(lambda each: each.sm.by_array.get(key, 0.0)) * scale for key in sm.by_array
        }
        working = min(1.0, occupancy * target.rates.sm_count / blocks)

        def is_kept(size: float) -> bool:
            # Without products, a CTA loads again what it has loaded itself.
            board = target.board
            return board is None or sm.multiply_adds > 0 or size * working <= board.l2_bytes

        array_bytes = count_traffic(launch, moved, target.rates.sm_count, is_kept)
        kept = count_kept(launch, moved, target.rates.sm_count)
        memory = min(array_bytes, num_bytes) / target.rates.memory_bytes
    return Estimate(
        kernel=function.sym_name.data,
        target=target,
        clocks=max(clocks, memory),
        ideal=total(lambda each: each.sm.ideal) * scale,
        busy={name: total(lambda each: each.sm.units[name].total) for name in sm.units},
        path=path,
        loops=[
            replace(each, total=each.total * clocks / simulation.clocks)
            for each in _loops(simulation)
        ],
        occupancy=occupancy,
        waves=blocks / (target.rates.sm_count * occupancy) if launch is not None else None,
        memory=memory,
        ctas=simulation.ctas,
        multiply_adds=total(lambda each: each.sm.multiply_adds) * scale,
        operations=total(lambda each: each.sm.operations) * scale,
        num_bytes=num_bytes * scale,
        array_bytes=array_bytes,
        kept_bytes=kept,
        sm_clocks=clocks,
        instructions=instructions,
        rounds=total(_count_rounds) * scale,
        balance=scale,
        by_element={
            name: total(lambda each: each.sm.by_element.get(name, 0.0)) * scale
            for name in sm.by_element
        },
        guessed=len(sm.guessed),
        launched=_count_launched(function, blocks, occupancy, target) if launch is not None else 0,
        overlaps=PROGRAMMATIC.is_on(function),
        parameter_bytes=sum(_count_bytes(each.type) for each in function.body.block.args),
        returning=(
            blocks - simulation.count_working() * target.rates.sm_count
            if others_return
            else _count_returning(function, blocks, occupancy, target)
        ),
        free=occupancy - simulation.count_working() if others_return else 0,
    )


def _lighten(clocks: float, path: Mapping[str, float], num_bytes: float, sm: Sm) -> float:
    """
    The clocks of a kernel whose latencies are those under the load that it is to memory: of what
    memory could bring in its time, the share that it moves. The less that is, the shorter it waits,
    and the more it moves in that time.
    """
    total = sum(path.values())
    waits = (path.get(LOADS, 0.0) + path.get(STORES, 0.0)) / total if total else 0.0
    found = clocks
    for _ in range(LIGHTER if waits else 0):
        used = num_bytes / found / sm.target.rates.memory_bytes
        found = clocks * (1 - waits * (1 - min(1.0, sm.load_share(used) / sm.load_share())))
    return found


def _count_bytes(ty: Attribute) -> int:
    """Of a parameter: a number, or a pointer."""
    is_number = isinstance(ty, IntegerType | AnyFloat)
    return element_bit_width(ty) // BYTE_BITS if is_number else POINTER_BYTES


def _count_rounds(simulation: Simulation) -> float:
    """
    How often CTAs run the body of the loop that takes longest, of those without loops in them; once
    each without loops.
    """
    loops = _inner_loops(simulation)
    longest = max(loops, key=lambda each: each.total, default=None)
    same = [
        each.trips * each.times
        for each in loops
        if longest is not None and each.loop is longest.loop
    ]
    return float(max(simulation.ctas, sum(same)))


def count_traffic(
    launch: Launch,
    moved: Mapping[tuple[int | None, bool], float],
    sms: int,
    is_kept: Callable[[float], bool],
) -> float:
    """
    What an SM moves to and from memory, given what it moves through L2: no more of an array than
    there is, as often as it is loaded or once if L2 keeps so many bytes until they are loaded
    again, and once if it is stored.
    """
    if not launch.arrays or not {number for number, _ in moved} <= launch.arrays.keys():
        return launch.array_bytes / sms
    total = 0.0
    for (number, is_stored), size in moved.items():
        array = launch.arrays[number or 0] / sms
        # Masked elements are counted, though nothing is loaded of them.
        passes = 1 if is_stored or is_kept(array * sms) else max(1, int(size / array + 1 / 4))
        total += min(passes * array, size)
    return total


def count_kept(launch: Launch, moved: Mapping[tuple[int | None, bool], float], sms: int) -> float:
    """
    What L2 would have to keep of what an SM moves: as `count_traffic`, but once of an array that
    is both loaded and stored.
    """
    if not launch.arrays or not {number for number, _ in moved} <= launch.arrays.keys():
        return launch.array_bytes / sms
    sizes: dict[int | None, float] = {}
    for (number, _), size in moved.items():
        sizes[number] = max(sizes.get(number, 0.0), size)
    return sum(min(launch.arrays[number or 0] / sms, size) for number, size in sizes.items())


def _count_launched(function: FuncOp, blocks: int, occupancy: int, target: Target) -> int:
    """CTAs of a launch: no more than the GPU holds, if what launches a kernel knows that."""
    if get_persistent_ctas(function):
        return min(blocks, occupancy * target.rates.sm_count)
    return blocks


def _count_returning(function: FuncOp, blocks: int, occupancy: int, target: Target) -> int:
    """
    CTAs that leave their work to others: all but those that the GPU holds, if anybody launches
    a persistent kernel."""
    if get_persistent_ctas(function) or not count_persistent(function):
        return 0
    return max(0, blocks - occupancy * target.rates.sm_count)


def _loops(simulation: Simulation) -> list[LoopEstimate]:
    """
    The innermost loops of the agents, from the iterations in the middle, on average over CTAs:
    those of some may take longer, as others are preferred.
    """
    found: dict[tuple[int, object], list[LoopEstimate]] = {}
    total: dict[tuple[int, object], float] = {}
    for agent in simulation.agents:
        for each in agent.loops:
            key = agent.number, each.loop
            total[key] = total.get(key, 0.0) + each.times * each.total
            made = None if simulation.trips.is_outer(each.loop) else _loop(agent, each)
            if made is not None:
                found.setdefault(key, []).append(made)
    return [replace(_average(loops), total=total[key]) for key, loops in found.items()]


def _average(loops: Sequence[LoopEstimate]) -> LoopEstimate:
    """Of the longest runs of a loop."""
    trips = max(each.trips for each in loops)
    longest = [each for each in loops if each.trips == trips]
    return replace(longest[0], clocks=sum(each.clocks for each in longest) / len(longest))


def _loop(agent: Agent, each: Iterations) -> LoopEstimate | None:
    if each.trips < LEAST_TRIPS or (each.sample is not None and not each.sample.is_measured):
        return None
    first, last = each.steady
    return LoopEstimate(
        agent=agent.number,
        loop=each.loop,
        trips=each.trips,
        clocks=(each.ends[last] - each.ends[first]) / (last - first),
        busy={
            name: (each.busy[last][name] - before) / (last - first)
            for name, before in each.busy[first].items()
        },
    )


def estimate_module(module: ModuleOp, launch: Launch | None = None) -> list[Estimate]:
    """The estimates of all kernels of a module at the end of the stage `tileas`."""
    target = get_target(module)
    return [estimate_kernel(function, target, launch) for function in kernels(module)]
