"""
The warpgroups of the agents of a CTA, each of which runs the ops of its agent in order.

An op on tiles works like a stream: the first elements of its result come soon after the first ones
of its operands, and the last ones when the unit is done. Where threads synchronize (waits,
barriers), all that was before has to be done. Asynchronous ops, MMAs, TMA loads and stores, only
begin where they are.

Of a loop that runs often, some iterations stand for others (`Sample`): those until buffers are full
and the last ones are run, and between them a few of the steady state. What is left out takes as
long and keeps units as busy as those few.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, ClassVar, Final, TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import ConstantLike

from tileiras_xdsl.analysis.scalar_evolution import QUOTIENTS, REMAINDERS
from tileiras_xdsl.analysis.slices import operands_of, reachable, sources_of
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicCASOp, AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileas import (
    async_ops,
    atoms,
    matmul,
    memory,
    ping_pong,
    pipeline,
    profiling,
    shape,
    shared_memory,
    tensor_memory,
)
from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED, MULTICAST, UNCOARSENED, get_vector
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.dialects.nvgpu import DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp
from tileiras_xdsl.targets.choices import (
    ACCESS_INSTRUCTIONS,
    DIVISION_INSTRUCTIONS,
    EXCHANGE_INSTRUCTIONS,
    REDUCTION_INSTRUCTIONS,
    SCALAR_INSTRUCTIONS,
)
from tileiras_xdsl.targets.machine import WARP_THREADS, WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.xdsl_extras.walking import condition_of, find_all, find_around, last_of, walk

from .clock import (
    START,
    Demand,
    Request,
    Schedulers,
    Signal,
    Stamp,
    TensorCores,
    Unit,
    Wgmma,
    latest,
)
from .report import Trace
from .work import (
    THREAD_UNITS,
    UNITS,
    ExchangeWork,
    Product,
    Scalars,
    UnitName,
    Work,
    count_elements,
    count_sectors,
    count_shared_bytes,
    count_stored,
    exchange_of,
    find_array,
    is_in_shared_memory,
    loaded_bytes,
    product_of,
    renames_registers,
    stored_bytes,
    tile_bytes,
    work_of,
)

Steps = Generator[Signal | None]
"""What a warpgroup does: it waits for a signal, or lets others go first that are not as far."""

LOADS: Final = "latency of loads"
STORES: Final = "latency of stores"
STAGING: Final = "staging of stores"
SYNCHRONIZATION: Final = "synchronization"
LATENCY: Final = "latency of operations"
BRANCHES: Final = "branches"
"""Causes that are no units."""


Stages: TypeAlias = tuple[tuple[int, int], ...]
"""Pipelines, and which fillings of them."""


@dataclass(slots=True)
class Tile:
    """When the elements of a tile are there."""

    first: Stamp
    last: Stamp
    stages: Stages = ()
    """The buffer stages that it is in."""
    chained: Stamp | None = None
    """When an MMA may add to it, if one made it: before others know that it is there."""
    pending: Signal | None = None
    """What says when it is there, if a WGMMA makes it."""


@dataclass
class Pipeline:
    """A multi-stage buffer."""

    stages: int
    consumers: int = 1
    """Warpgroups that release a stage."""
    producers: int = 1
    """Warpgroups that commit it."""
    filled: dict[int, Signal] = field(default_factory=dict[int, Signal])
    released: dict[int, Signal] = field(default_factory=dict[int, Signal])
    in_use: dict[int, Stamp] = field(default_factory=dict[int, Stamp])
    """When what reads a stage asynchronously is done with it."""

    def when_filled(self, number: int) -> Signal:
        return self.filled.setdefault(number, Signal(self.producers))

    def when_released(self, number: int) -> Signal:
        return self.released.setdefault(number, Signal(self.consumers))


def make_units() -> dict[UnitName, Unit]:
    """Units that have done nothing yet."""
    return {name: Unit(name) for name in UNITS}


Runner = Callable[["Warpgroup", Any], Steps | None]
"""What a warpgroup does about an op: at once, or in steps."""

RUNNERS: Final[dict[type[Operation], Runner]] = {}
"""By class of op, or a class that it derives from; all others are arithmetic."""
BESIDE: Final[set[type[Operation]]] = set()
"""Those before which arithmetic need not be done: they neither synchronize nor access memory."""


def runs(*kinds: type[Any], beside: bool = False) -> Callable[[Runner], Runner]:
    """Says which ops a method of `Warpgroup` is for."""

    def register(runner: Runner) -> Runner:
        RUNNERS.update(dict.fromkeys(kinds, runner))
        if beside:
            BESIDE.update(kinds)
        return runner

    return register


@cache
def find_runner(kind: type[Operation]) -> tuple[Runner | None, bool]:
    """What runs ops of a class, and whether arithmetic before them may go on beside."""
    found = next((each for each in kind.__mro__ if each in RUNNERS), None)
    return (None, True) if found is None else (RUNNERS[found], found in BESIDE)


def kernel_around(op: Operation) -> FuncOp:
    """The kernel that an op is in."""
    found = find_around(op, FuncOp)
    assert found is not None
    return found


def is_division(op: Operation) -> bool:
    """Whether an op divides integers by a number that is not constant."""
    if not isinstance(op, (*QUOTIENTS, *REMAINDERS)):
        return False
    divisor = op.operands[1].owner
    return not (isinstance(divisor, Operation) and divisor.has_trait(ConstantLike))


EXCHANGES: Final = (shape.ConvertLayoutOp, shape.ShuffleOp, memory.CopyOp)
"""Ops that may take tiles through shared memory."""


class UnknownScheduleError(Exception):
    """A kernel that the model does not understand: some warpgroups wait, or run, forever."""


MOST_OPS: Final = 4_000_000
"""Of all warpgroups together."""


def _is_beside_loads(op: async_ops.AsyncDotOp) -> bool:
    block = op.parent_block()
    ops = [] if block is None else [*block.ops]
    dots = [each for each in ops if isinstance(each, DotOperation)]
    loads = (memory.TiledLoadOp, memory.GatherLoadOp, memory.LoadOp)
    return dots == [op] and any(isinstance(each, loads) for each in ops)


@dataclass(eq=False, slots=True)
class Elementwise:
    """A share of an elementwise op or of a reduction, as a warpgroup runs it again and again."""

    op: Operation
    operands: Sequence[SSAValue]
    results: Sequence[SSAValue]
    reduces: bool
    work: Work


@dataclass(frozen=True)
class Group:
    """Elementwise ops that run together."""

    ops: Sequence[Elementwise]
    """They stay as long as the group, and so do their addresses."""
    outside: Sequence[SSAValue]
    """Operands that none of them computes."""
    operations: float
    demand: Demand | None
    """None if they take no time."""


def _group(ops: Sequence[Elementwise], slow: float) -> Group:
    inside = {result for each in ops for result in each.results}
    outside = [value for each in ops for value in each.operands if value not in inside]
    total: dict[UnitName, float] = {}
    for each in ops:
        for name, clocks in each.work.clocks.items():
            total[name] = total.get(name, 0.0) + clocks
    operations = sum(each.work.operations for each in ops)
    return Group(ops, outside, operations, Demand.of(total, slow) if total else None)


def is_number(value: SSAValue) -> bool:
    """Whether a scalar is an integer or a float, and not a view, a token or the like."""
    return isinstance(value.type, IntegerType | IndexType | AnyFloat)


def find_deciding(function: FuncOp) -> set[SSAValue]:
    """
    The values that trip counts, branches, pipelines and the strides of tensors in memory follow
    from. What else is computed of numbers decides which elements are accessed, and no times.
    """
    used: list[SSAValue] = []
    for op in walk(function):
        used += decided_by(op)
        if find_runner(type(op))[0] is None and not all(map(is_number, op.results)):
            used += op.operands
    return set(reachable(used, made_of))


@dataclass
class Costs:
    """What the ops of a kernel take, which is the same in all simulations of it."""

    target: Target
    elementwise: dict[tuple[Operation, float], Elementwise] = field(
        default_factory=dict[tuple[Operation, float], Elementwise]
    )
    """Shares of ops."""
    groups: dict[tuple[float, ...], Group] = field(default_factory=dict[tuple[float, ...], Group])
    """Those that run together, by their addresses and how many times longer they take."""
    slots: dict[float, Demand] = field(default_factory=dict[float, Demand])
    """Demands of so many issue slots."""
    products: dict[tuple[Operation, float], Product] = field(
        default_factory=dict[tuple[Operation, float], Product]
    )
    """What shares of dots take."""
    beside_loads: dict[async_ops.AsyncDotOp, bool] = field(
        default_factory=dict[async_ops.AsyncDotOp, bool]
    )
    """Whether threads load tiles beside a dot."""
    exchanges: dict[Operation, ExchangeWork] = field(default_factory=dict[Operation, ExchangeWork])
    """What ops take that move tiles between threads."""
    loads: dict[Operation, float] = field(default_factory=dict[Operation, float])
    """The bytes of what ops load."""
    arrays: dict[Operation, int | None] = field(default_factory=dict[Operation, "int | None"])
    """The parameters whose arrays ops access."""
    plans: dict[Block, Sequence[Planned]] = field(default_factory=dict[Block, "Sequence[Planned]"])
    """What warpgroups do about the ops of blocks."""
    nested: dict[Operation, bool] = field(default_factory=dict[Operation, bool])
    """Whether loops have others in them (`Trips.known`)."""
    keeps_all: bool = False
    """Whether somebody looks at all ops, also at those that no time depends on."""
    deciding: set[SSAValue] | None = None
    """The scalars that decide how often ops run, and how rows lie in memory."""

    def elementwise_of(self, op: Operation, share: float) -> Elementwise:
        """A share of an elementwise op, or of a reduction."""
        found = self.elementwise.get((op, share))
        if found is None:
            work = work_of(op, self.target, share)
            found = Elementwise(op, [*op.operands], [*op.results], bool(op.regions), work)
            self.elementwise[op, share] = found
        return found

    def group_of(self, ops: Sequence[Elementwise], slow: float) -> Group:
        """What shares of ops take that run together."""
        key = slow, *map(id, ops)
        found = self.groups.get(key)
        if found is None:
            found = self.groups[key] = _group(ops, slow)
        return found

    def slots_of(self, slots: float) -> Demand:
        """What this many instructions take that are no ops."""
        found = self.slots.get(slots)
        if found is None:
            found = self.slots[slots] = Demand.of({"issue": slots})
        return found

    def product_of(self, op: DotOperation, share: float) -> Product:
        """The same of a dot."""
        found = self.products.get((op, share))
        if found is None:
            found = self.products[op, share] = product_of(op, self.target, share)
        return found

    def exchange_of(self, op: Operation, warps: int) -> ExchangeWork:
        """What an op takes that moves a tile between this many warps."""
        found = self.exchanges.get(op)
        if found is None:
            found = self.exchanges[op] = exchange_of(op, self.target, warps)
        return found

    def loaded_bytes(self, op: Operation) -> float:
        """The bytes of what an op loads."""
        found = self.loads.get(op)
        if found is None:
            found = self.loads[op] = loaded_bytes(op)
        return found

    def array_of(self, op: Operation) -> int | None:
        """The parameter whose array an op accesses; None if that is not one for sure."""
        if op not in self.arrays:
            self.arrays[op] = find_array(op)
        return self.arrays[op]

    def is_beside_loads(self, op: async_ops.AsyncDotOp) -> bool:
        """Whether a dot is the only one of its block, and threads load tiles beside it."""
        found = self.beside_loads.get(op)
        if found is None:
            found = self.beside_loads[op] = _is_beside_loads(op)
        return found

    def count_instructions(self, warps: int) -> float:
        """About how many instructions the code of a warp has, of all that was run."""
        works = (each.work for each in self.elementwise.values())
        issued = sum(work.clocks.get("issue", 0.0) for work in works)
        number, lanes = issued * max(1.0, WARPGROUP_WARPS / warps), warps * WARP_THREADS
        for op, runner, _ in map(_plan, (op for block in self.plans for op in block.ops)):
            if runner is Warpgroup._evaluate:  # pyright: ignore[reportPrivateUsage]
                number += DIVISION_INSTRUCTIONS if is_division(op) else SCALAR_INSTRUCTIONS
            elif (width := _width_of(op)) is not None:
                number += ACCESS_INSTRUCTIONS * max(1, count_elements(op) / width / lanes)
            elif isinstance(op, AggregateOperation):
                number += REDUCTION_INSTRUCTIONS
            elif isinstance(op, EXCHANGES) and runner is not Warpgroup._compute:  # pyright: ignore[reportPrivateUsage]
                number += EXCHANGE_INSTRUCTIONS * count_elements(op) / lanes
        return number

    def plan_of(self, block: Block) -> Sequence[Planned]:
        """What a warpgroup does about the ops of a block."""
        found = self.plans.get(block)
        if found is None:
            planned = [_plan(op) for op in block.ops]
            found = self.plans[block] = [each for each in planned if self._matters(*each[:2])]
        return found

    def _matters(self, op: Operation, runner: Runner) -> bool:
        """Whether time may depend on an op: no trip count does on most scalars."""
        is_scalar = runner is Warpgroup._evaluate  # pyright: ignore[reportPrivateUsage]
        if self.keeps_all or not is_scalar or is_division(op):
            return True
        if self.deciding is None:
            self.deciding = find_deciding(kernel_around(op))
        return any(not is_number(result) or result in self.deciding for result in op.results)


@dataclass
class Sm:
    """The units of an SM."""

    costs: Costs
    target: Target = field(init=False)
    units: dict[UnitName, Unit] = field(default_factory=make_units)
    ideal: float = 0.0
    """Clocks of the tensor cores at their full rate for all that was multiplied."""
    multiply_adds: float = 0.0
    """Of products; this and what follows with iterations that were left out."""
    by_element: dict[str, float] = field(default_factory=dict[str, float])
    """The same of tensor cores, by the type of operands."""
    operations: float = 0.0
    """Of elementwise ops and reductions, of floats."""
    num_bytes: float = 0.0
    """Loaded and stored."""
    by_array: dict[tuple[int | None, bool], float] = field(
        default_factory=dict["tuple[int | None, bool]", float]
    )
    """The same by the parameter of an array, and whether they are stored."""
    guessed: set[Operation] = field(default_factory=set[Operation])
    """Loops whose trip counts nothing says, and branches with loops that may not be taken."""
    active: float = 1.0
    """The share of the SMs that have CTAs at the same time."""
    loading: float = 1.0
    """How many bytes can be in flight, as a share of those that memory needs to be busy."""
    ops_left: int = MOST_OPS
    """How many ops are still followed."""
    in_l2: frozenset[int] | None = None
    """If arrays are larger than what L2 keeps, those that it keeps nevertheless."""
    trace: Trace | None = None
    """What keeps what ops do."""

    @property
    def load(self) -> float:
        """The latency of loads, while this many SMs load."""
        return self.target.timing.load * self.load_share()

    def thread_load(self, array: int | None) -> float:
        """The same of loads of an array by threads."""
        timing = self.target.timing
        clocks = timing.thread_load or timing.load
        if self.in_l2 is not None and array not in self.in_l2:
            clocks = timing.memory_load or clocks
        return clocks * self.load_share()

    @property
    def store(self) -> float:
        """The latency of stores."""
        return self.target.timing.store * self.load_share()

    def load_share(self, used: float = 1.0) -> float:
        """Of latencies under load, what is left if so much of what memory could move is moved."""
        idle = self.target.timing.idle_share
        return idle + (1 - idle) * min(self.active, self.loading, used)

    def __post_init__(self) -> None:
        self.target = self.costs.target
        if self.trace is not None:
            for name, unit in self.units.items():
                unit.on_take = partial(self.trace.take, name)


@dataclass(frozen=True)
class Sample:
    """The iterations of a loop that are run: the first ones, some that count more, the last."""

    LEAST: ClassVar = 2
    """
    Iterations that stand for those that are left out, or as many as buffers have stages: while
    loads are waited for, every this many iterations there is a pause.
    """
    WARM_UP: ClassVar = 4
    """Iterations before them, besides those that fill buffers; as many as these are behind them."""
    RUNS: ClassVar = 2
    """Runs of a loop that are measured, of which the first one finds buffers empty."""
    OUTER: ClassVar = 2
    """Iterations before that of a loop with loops in it, in each of which buffers are filled."""

    number: int
    """Of the loop, of those that an agent comes to."""
    steady: int
    """The number of the loop whose iterations say how long those take that are left out."""
    first: int
    measured: int
    """Iterations that count more."""
    skipped: int

    @property
    def last(self) -> int:
        """The iteration behind which others are left out."""
        return self.first + self.measured

    @property
    def is_measured(self) -> bool:
        """Whether they are those of this run of the loop."""
        return self.steady == self.number

    @property
    def share(self) -> float:
        """How many are left out for each that counts more."""
        return self.skipped / self.measured


@dataclass
class Samples:
    """
    The loops of a CTA of which some iterations stand for others. All agents leave out the same
    number, so that they fill and release as many buffer stages. The agent that is behind the
    others says how long an iteration takes: they wait for it, or have run ahead.
    """

    chosen: list[Sample] = field(default_factory=list[Sample])
    """What is run of each loop that agents come to."""
    runs: dict[Operation, list[int]] = field(default_factory=dict[Operation, list[int]])
    """The numbers of a loop each time that it is measured."""
    measured: dict[int, tuple[Stamp, Stamp]] = field(
        default_factory=dict[int, "tuple[Stamp, Stamp]"]
    )
    """From when to when the iterations of a loop ran that stand for others."""
    left_out: dict[int, float] = field(default_factory=dict[int, float])
    """The iterations of a loop that are left out, in all iterations of loops around it."""

    def choose(
        self, op: Operation, number: int, trips: int, stages: int, *, is_outer: bool
    ) -> Sample | None:
        """What is run of the loop that an agent comes to after this many others."""
        if number == len(self.chosen):
            first, measured, runs = stages + Sample.WARM_UP, max(stages, Sample.LEAST), [number]
            if is_outer:
                first, measured, stages = Sample.OUTER, 1, 1
            else:
                runs = self.runs.setdefault(op, [])
                if len(runs) == Sample.RUNS:
                    first, measured, stages = 0, 1, 0
            skipped = max(0, trips - first - measured - stages)
            if skipped and first and not is_outer:
                runs.append(number)
            steady = runs[-1] if runs else number
            self.chosen.append(Sample(number, steady, first, measured, skipped))
        sample = self.chosen[number]
        if not sample.skipped:
            return None
        if trips < sample.last + sample.skipped:
            raise UnknownScheduleError("agents have other loops")
        return sample

    def measure(self, sample: Sample, begin: Stamp, end: Stamp, times: float) -> float:
        """
        An agent ran the iterations that count more, in so many iterations of loops around. How long
        those take that are left out, as far as agents know.
        """
        self.left_out[sample.number] = times * sample.skipped
        known = self.measured.get(sample.number)
        if known is None or known[1].time < end.time:
            self.measured[sample.number] = begin, end
        begin, end = self.measured[sample.steady]
        return (end.time - begin.time) * sample.skipped / self.chosen[sample.steady].measured

    def _steady(self) -> Generator[tuple[Stamp, Stamp, float]]:
        """From when to when iterations ran that stand for others, and how often they do."""
        for number, times in self.left_out.items():
            steady = self.chosen[number].steady
            yield *self.measured[steady], times / self.chosen[steady].measured

    @property
    def clocks(self) -> float:
        """Of all that is left out."""
        return sum(share * (end.time - begin.time) for begin, end, share in self._steady())

    def add_path(self, found: dict[str, float]) -> None:
        """Adds the critical path through what is left out to that of what was run."""
        for begin, end, share in self._steady():
            for cause, clocks in end.path(begin.time).items():
                found[cause] = found.get(cause, 0.0) + share * clocks


@dataclass
class Trips:
    """How often loops run whose trip count is not known."""

    inner: int
    outer: int
    """Those with other loops in them."""
    most_tiles: int | None = None
    """Iterations of a loop over tiles of a persistent kernel, or pairs, that are run at most."""
    is_sampled: bool = False
    """Whether some iterations stand for others."""
    known: dict[Operation, bool] = field(default_factory=dict[Operation, bool])
    """Whether loops have others in them."""
    alike: dict[Operation, bool] = field(default_factory=dict[Operation, bool])
    """Whether all iterations do the same (`repeats`)."""

    def limit(self, op: Operation, trips: int) -> int:
        """The iterations of a loop that are run."""
        if self.most_tiles is None or trips <= self.most_tiles or not self.is_outer(op):
            return trips
        if UNCOARSENED.is_on(op):
            return self.most_tiles
        return self.most_tiles if find_around(op, scf.ForOp, scf.WhileOp) is None else trips

    def is_outer(self, op: Operation) -> bool:
        """
        Whether a loop, or that of another agent with the same bounds, has loops in it: an agent
        may have no use for them.
        """
        if op not in self.known:
            inner = (find_all(each, scf.ForOp, scf.WhileOp) for each in _same_loops(op))
            self.known[op] = any(len(each) > 1 for each in inner)
        return self.known[op]

    def repeats(self, op: Operation) -> bool:
        """Whether all iterations of a loop with loops in it run as many of these."""
        if op not in self.alike:
            self.alike[op] = not any(map(_depends_on_iteration, _same_loops(op)))
        return self.alike[op]


def _same_loops(op: Operation) -> list[Operation]:
    """A loop, and those of other agents with the same bounds."""
    if not isinstance(op, scf.ForOp):
        return [op]
    bounds = [*op.operands][:3]
    loops = find_all(kernel_around(op), scf.ForOp)
    return [each for each in loops if [*each.operands][:3] == bounds]


def _depends_on_iteration(loop: Operation) -> bool:
    """Whether loops and branches in a loop may go on in another way in some of its iterations."""
    deciding = (value for op in walk(loop) if op is not loop for value in decided_by(op))
    blocks = [block for region in loop.regions for block in region.blocks]
    return any(value.owner in blocks for value in reachable(deciding, made_of))


def decided_by(op: Operation) -> Sequence[SSAValue]:
    """The scalars that say how often ops in an op run."""
    match op:
        case scf.ForOp():
            return (op.lb, op.ub, op.step)
        case scf.IfOp():
            return (op.cond,)
        case scf.ConditionOp():
            return (op.condition,)
        case _:
            return ()


def made_of(value: SSAValue) -> Sequence[SSAValue]:
    """What a value follows from, also by way of loops and branches."""
    return (*operands_of(value), *sources_of(value))


@dataclass
class Iterations:
    """The iterations of a loop, as a warpgroup went through them."""

    loop: Operation
    ends: list[float]
    """When it began, and when each iteration ended that was run."""
    busy: list[dict[UnitName, float]]
    """Clocks of units until then."""
    sample: Sample | None = None
    left_out: float = 0.0
    """Clocks of iterations that were not run."""
    times: float = 1.0
    """In how many iterations of loops around it."""

    @property
    def trips(self) -> int:
        """All iterations."""
        return len(self.ends) - 1 + (0 if self.sample is None else self.sample.skipped)

    @property
    def steady(self) -> tuple[int, int]:
        """The first and the last iteration of the steady state, of those that were run."""
        if self.sample is not None:
            return self.sample.first, self.sample.last
        return self.trips // 2, self.trips

    @property
    def total(self) -> float:
        """Clocks of all iterations."""
        return self.ends[-1] - self.ends[0] + self.left_out


@dataclass
class Agent:
    """An agent of a CTA; its warpgroups share barriers, and the MMAs that one of them issues."""

    number: int
    block: Block
    warps: int
    warpgroups: int
    barriers: dict[int, Signal] = field(default_factory=dict[int, Signal])
    commits: dict[int, Signal] = field(default_factory=dict[int, Signal])
    ping_pong: dict[tuple[int, int], Signal] = field(default_factory=dict[tuple[int, int], Signal])
    """What passes turns on: the warpgroup whose turn it is, and how many it had before."""
    loops: list[Iterations] = field(default_factory=list[Iterations])
    is_idle: bool = True
    """Whether it did nothing."""
    marks: list[tuple[int, int, float]] = field(default_factory=list[tuple[int, int, float]])
    """The warpgroup, event and time of marks of a profile."""


class Warpgroup:
    """A warpgroup of an agent, or all warps of one that has fewer."""

    def __init__(
        self,
        sm: Sm,
        agent: Agent,
        number: int,
        pipelines: dict[SSAValue, Pipeline],
        scalars: Scalars,
        trips: Trips,
        values: dict[SSAValue, object],
        begin: Stamp,
        spawn: Callable[[pipeline.AgentSwitchOp, Warpgroup], Signal],
        tensor_cores: TensorCores,
        schedulers: Schedulers | None,
        samples: Samples | None,
    ):
        self.sm = sm
        self.agent = agent
        self.number = number
        self.pipelines = pipelines
        self.scalars = scalars
        self.trips = trips
        self.values = dict(values)
        self.share = 1 / agent.warpgroups
        self.slow = max(1.0, 4 / (agent.warps / agent.warpgroups))
        self.begin = begin
        self.now = begin
        """Where the warpgroup is."""
        self.early = begin
        """Where ptxas moves loads to: behind the last wait, or the begin of an iteration."""
        self.done = self.now
        """When all that it has begun, but for asynchronous ops, is done."""
        self.mmas = START
        """When the MMAs that it has issued are done."""
        self.copies = START
        """When stores have read shared memory."""
        self.stored = START
        """When all that it has stored is in memory."""
        self.staged: dict[object, Stamp] = {}
        """The same for each staging buffer."""
        self.groups: list[Stamp] = []
        self.group = START
        self.num_barriers = 0
        self.num_commits = 0
        self.streams: list[list[Elementwise]] = []
        """
        Ops on tiles that were not done yet: those of a list run together, as instructions of ops
        that need only some elements of each other are mixed; those of the next one need all.
        """
        self.needs: dict[SSAValue, int] = {}
        """The list from which on they can be used."""
        self.ping_pong_count = 0
        self.num_passed = 0
        self.cursor = self.now.time
        """When it wants to go on; others that want to earlier go first."""
        self.op: Operation | None = None
        """What it runs, if that is traced."""
        self.spawn = spawn
        self.tensor_cores = tensor_cores
        self.schedulers = schedulers
        """What shares arithmetic units out, if warps issue in order."""
        self.samples = samples
        self.age = 0
        """How many warpgroups began before."""
        self.times = 1.0
        """How many iterations what it does stands for."""
        self.num_loops = 0
        self.left_out = 0.0
        """Clocks of iterations that were not run, of all loops so far."""
        self.steps: Steps = self._run_block(agent.block)

    # Values

    def get(self, value: SSAValue) -> object:
        return self.values.get(value)

    def integer(self, value: SSAValue) -> int | None:
        number = self.values.get(value)
        return number if isinstance(number, int) else None

    def tile(self, value: SSAValue) -> Tile:
        found = self.values.get(value)
        return found if isinstance(found, Tile) else Tile(START, START)

    def tiles(self, values: Sequence[SSAValue]) -> list[Tile]:
        return [tile for value in values if isinstance(tile := self.values.get(value), Tile)]

    # Control flow

    def _run_block(self, block: Block) -> Steps:
        sm, trace = self.sm, self.sm.trace
        for op, runner, is_beside in sm.costs.plan_of(block):
            if self.streams and not is_beside:
                yield from self._flush()
            sm.ops_left -= 1
            if sm.ops_left < 0:
                raise UnknownScheduleError("its loops run too often to be followed")
            if trace is not None and not isinstance(op, CONTROL_FLOW):
                yield from self._run_traced(op, runner, trace)
            elif (steps := runner(self, op)) is not None:
                yield from steps

    def _run_traced(self, op: Operation, runner: Runner, trace: Trace) -> Steps:
        trace.begin(op, self)
        self.op = op
        begin = latest(self.now, self.done).time
        if (steps := runner(self, op)) is not None:
            yield from steps
        if self.now.time > begin and not isinstance(op, pipeline.AgentSwitchOp):
            trace.wait(op, self, begin, self.now.time)

    def _bind(self, olds: Sequence[SSAValue], values: Sequence[object]) -> None:
        for old, value in zip(olds, values, strict=True):
            self.values[old] = value

    def _operands(self, op: Operation, first: int = 0) -> list[object]:
        return [self.values.get(value) for value in op.operands[first:]]

    def _nominal(self, op: Operation) -> int:
        return self.trips.outer if self.trips.is_outer(op) else self.trips.inner

    def _begin(self, op: Operation) -> Iterations:
        found = Iterations(op, [self.done.time], [], times=self.times)
        if self.number == 0:
            found.busy.append(self._busy())
            self.agent.loops.append(found)
            if (trace := self.sm.trace) is not None:
                trace.runs[op] = trace.runs.get(op, 0) + 1
        return found

    def _busy(self) -> dict[UnitName, float]:
        return {name: unit.busy for name, unit in self.sm.units.items()}

    def _end(self, iterations: Iterations) -> None:
        iterations.ends.append(latest(self.done, self.now).time)
        if self.number == 0:
            iterations.busy.append(self._busy())
            if (trace := self.sm.trace) is not None:
                trace.iterations[iterations.loop] = trace.iterations.get(iterations.loop, 0) + 1

    @runs(scf.ForOp)
    def _run_for(self, op: scf.ForOp) -> Steps:
        lower, upper, step = (self.integer(each) for each in (op.lb, op.ub, op.step))
        if lower is not None and upper is not None and step:
            trips = self.trips.limit(op, max(0, -(-(upper - lower) // step)))
        else:
            trips = self._nominal(op)
            self.sm.guessed.add(op)
        block, iterations = op.body.block, self._begin(op)
        is_outer = self.trips.is_outer(op)
        if self.samples is not None and (not is_outer or self.trips.repeats(op)):
            stages = max((each.stages for each in self.pipelines.values()), default=0)
            sample = self.samples.choose(op, self.num_loops, trips, stages, is_outer=is_outer)
            iterations.sample = sample
            self.num_loops += 1
        sample, begin, number, times = iterations.sample, self.now, 0, self.times
        left_out = before = self.left_out
        carried = self._operands(op, 3)
        while number < trips:
            if sample is not None and number == sample.first:
                begin, before = latest(self.done, self.now), self.left_out
                self.times = times * (1 + sample.share)
            index = None if lower is None or step is None else lower + number * step
            self._bind(block.args, [index, *carried])
            self.early = self.now
            yield from self._run_block(block)
            carried = self._operands(last_of(block))
            self._end(iterations)
            number += 1
            if sample is not None and number == sample.last:
                end, number = latest(self.done, self.now), number + sample.skipped
                self.times = times
                assert self.samples is not None
                inner = self.left_out - before
                self.left_out += self.samples.measure(sample, begin, end, times)
                self.left_out += sample.share * inner
        iterations.left_out = self.left_out - left_out
        self._bind(op.results, carried)

    @property
    def end(self) -> Stamp:
        """When all that it has begun is done."""
        return latest(self.done, self.now, self.stored)

    @property
    def clocks(self) -> float:
        """Until then, with iterations that were left out."""
        return self.end.time + (0.0 if self.samples is None else self.samples.clocks)

    def path(self) -> dict[str, float]:
        """Clocks of the critical path to its end, by what takes them."""
        found = self.end.path()
        if self.samples is not None:
            self.samples.add_path(found)
        return found

    @runs(scf.WhileOp)
    def _run_while(self, op: scf.WhileOp) -> Steps:
        before, after, iterations = op.before_region.block, op.after_region.block, self._begin(op)
        carried, left = self._operands(op), self._nominal(op)
        while True:
            self._bind(before.args, carried)
            yield from self._run_block(before)
            condition = condition_of(op)
            passed = self._operands(condition, 1)
            known, left = self.integer(condition.condition), left - 1
            if known is None:
                self.sm.guessed.add(op)
            if not known if known is not None else left < 0:
                break
            self._bind(after.args, passed)
            yield from self._run_block(after)
            carried = self._operands(last_of(after))
            self._end(iterations)
        self._bind(op.results, passed)

    @runs(scf.IfOp)
    def _run_if(self, op: scf.IfOp) -> Steps:
        condition = self.integer(op.cond)
        if condition is None and find_all(op, scf.ForOp, scf.WhileOp):
            self.sm.guessed.add(op)
        region = op.true_region if condition is None or condition else op.false_region
        if self.number == 0 and self.sm.trace is not None:
            self.sm.trace.choose(op, region)
        if not region.blocks:
            return
        yield from self._run_block(region.block)
        found = self._operands(last_of(region.block))[: len(op.results)]
        if condition is None:
            # A guess says nothing of numbers: a loop that goes on while one is true would not end.
            found = [
                None if is_number(each) else value
                for each, value in zip(op.results, found, strict=True)
            ]
        self._bind(op.results, found)

    # Ops

    @runs(scf.YieldOp, scf.ConditionOp, pipeline.PipelineYieldOp, profiling.ProfileOperation)
    def _skip(self, op: Operation) -> None:
        """Others do what is to be done about it."""

    @runs(pipeline.AgentSwitchOp)
    def _switch(self, op: pipeline.AgentSwitchOp) -> Steps:
        return self._wait(self.spawn(op, self), 0)

    @runs(profiling.ProfileMarkOp)
    def _mark(self, op: profiling.ProfileMarkOp) -> None:
        time = latest(self.now, self.done).time
        self.agent.marks.append((self.number, op.event.value.data, time))

    def _reach(self, stamp: Stamp) -> Steps:
        """Lets others go first that are ready earlier."""
        self.cursor = stamp.time
        yield None

    def _synchronize(self, stamp: Stamp, clocks: float = 0) -> None:
        self.now = self.early = stamp.after(clocks, SYNCHRONIZATION)
        self.done = latest(self.now, self.done)
        self.cursor = self.now.time

    def _wait(self, signal: Signal, clocks: float) -> Steps:
        """Waits for a signal, after all that came before."""
        while not signal.is_set:
            yield signal
        self._synchronize(latest(self.done, signal.stamp.after(clocks, SYNCHRONIZATION)))

    # Pipelines

    @runs(pipeline.CreatePipelineOp, beside=True)
    def _create_pipeline(self, op: pipeline.CreatePipelineOp) -> None:
        self.pipelines[op.results[0]] = Pipeline(op.num_stages.value.data)

    @runs(pipeline.CreateIteratorOp, pipeline.IncIterOp, beside=True)
    def _iterate(self, op: Operation) -> None:
        number = self.integer(op.operands[0]) if isinstance(op, pipeline.IncIterOp) else None
        self.values[op.results[0]] = 0 if number is None else number + 1

    @runs(pipeline.CreateNullTokenOp, beside=True)
    def _create_null_token(self, op: pipeline.CreateNullTokenOp) -> None:
        self.values[op.results[0]] = None

    def _pipeline(self, op: Operation) -> Pipeline:
        return self.pipelines[op.operands[0]]

    @runs(pipeline.ProducerAcquireOp)
    def _acquire(self, op: pipeline.ProducerAcquireOp) -> Steps:
        buffer, number = self._pipeline(op), self.integer(op.operands[1]) or 0
        self.values[op.results[0]] = number
        if number >= buffer.stages:
            signal = buffer.when_released(number - buffer.stages)
            yield from self._wait(signal, self.sm.target.timing.wait)

    @runs(pipeline.ProducerWriteOp)
    def _write(self, op: pipeline.ProducerWriteOp) -> Steps:
        block = op.regions[0].block
        yield from self._run_block(block)
        number = self.get(op.operands[1])
        found = self.tiles(last_of(block).operands)
        filled = latest(self.done, *(tile.last for tile in found))
        if any(get_memory(value.type) == tensor_memory.TMEM for value in last_of(block).operands):
            # MMAs so far, or what threads have written.
            filled = latest(filled, self.mmas)
        self.values[op.results[0]] = (number, filled)

    @runs(pipeline.ProducerCommitOp)
    def _commit_stage(self, op: pipeline.ProducerCommitOp) -> None:
        token = self.get(op.operands[1])
        if isinstance(token, tuple):
            number, filled = token  # pyright: ignore[reportUnknownVariableType]
            self._pipeline(op).when_filled(number).arrive(filled)  # pyright: ignore

    @runs(pipeline.ConsumerWaitOp)
    def _wait_stage(self, op: pipeline.ConsumerWaitOp) -> Steps:
        buffer, number = self._pipeline(op), self.integer(op.operands[1]) or 0
        self.values[op.results[0]] = number
        yield from self._issue_slots(self.sm.target.timing.stage_slots)
        yield from self._wait(buffer.when_filled(number), self.sm.target.timing.wait)

    @runs(pipeline.ConsumerReadOp)
    def _read_stage(self, op: pipeline.ConsumerReadOp) -> None:
        number = self.integer(op.operands[1]) or 0
        index = list(self.pipelines).index(op.operands[0])
        tile = Tile(self.now, self.now, ((index, number),))
        block = op.regions[0].block
        self._bind(block.args, [tile] * len(block.args))
        self.values[op.results[0]] = number
        self._bind(op.results[1:], [tile] * (len(op.results) - 1))

    @runs(pipeline.ConsumerReleaseOp)
    def _release(self, op: pipeline.ConsumerReleaseOp) -> None:
        number = self.integer(op.operands[1])
        if number is not None:
            buffer = self._pipeline(op)
            stamp = latest(self.done, buffer.in_use.pop(number, START))
            buffer.when_released(number).arrive(stamp)

    def _use(self, tile: Tile, until: Stamp) -> None:
        """A buffer stage is read until then."""
        pipelines = list(self.pipelines.values())
        for index, number in tile.stages:
            known = pipelines[index].in_use
            known[number] = latest(known.get(number, START), until)

    # Barriers and MMAs

    @runs(shared_memory.BarrierOp)
    def _meet(self, op: shared_memory.BarrierOp) -> Steps:
        count = self.agent.warpgroups
        signal = self.agent.barriers.setdefault(self.num_barriers, Signal(count))
        self.num_barriers += 1
        signal.arrive(self.done)
        yield from self._wait(signal, self.sm.target.timing.barrier)

    @property
    def _next_warpgroup(self) -> int:
        """Whose turn it is after this one."""
        return (self.number + 1) % self.agent.warpgroups

    def _turn(self, warpgroup: int, number: int) -> Signal:
        return self.agent.ping_pong.setdefault((warpgroup, number), Signal())

    @runs(ping_pong.PingPongBeginOp)
    def _begin_ping_pong(self, op: ping_pong.PingPongBeginOp) -> None:
        if self._next_warpgroup == 0:
            self._arrive_ping_pong(op)

    @runs(ping_pong.PingPongWaitOp)
    def _wait_ping_pong(self, op: ping_pong.PingPongWaitOp) -> Steps:
        signal = self._turn(self.number, self.ping_pong_count)
        self.ping_pong_count += 1
        yield from self._issue_slots(self.sm.target.timing.barrier_slots)
        yield from self._wait(signal, self.sm.target.timing.barrier)

    @runs(ping_pong.PingPongArriveOp)
    def _arrive_ping_pong(self, op: Operation) -> None:
        """The next warpgroup may go on; nobody waits for what is asynchronous."""
        self._turn(self._next_warpgroup, self.num_passed).arrive(self.now)
        self.num_passed += 1

    def _issue_slots(self, slots: float) -> Steps:
        """Instructions around ops on tiles, of each warp: addresses, stages, phases, branches."""
        if slots and self.schedulers is not None:
            yield from self._reach(self.now)
            demand = self.sm.costs.slots_of(slots)
            self.now = yield from self._take(self.schedulers, self.now, demand)
            self._trace_units(self.op, demand.clocks, self.now.time)
            self.done = latest(self.done, self.now)

    def _take(
        self,
        schedulers: Schedulers,
        ready: Stamp,
        demand: Demand,
    ) -> Generator[Signal | None, None, Stamp]:
        """
        Takes units, beside other warpgroups; when that is done.
        """
        request = Request(self.age, ready, demand, self.times)
        schedulers.request(request)
        while not request.done.is_set:
            yield request.done
        return request.done.stamp

    def _trace_units(
        self, op: Operation | None, clocks: Mapping[UnitName, float], end: float
    ) -> None:
        """Tells a trace that units were busy for an op until then."""
        self.op = op
        for name, each in clocks.items():
            on_take = self.sm.units[name].on_take
            if on_take is not None and each:
                on_take(end - each, end)

    @runs(tensor_memory.CommitDotsOp)
    def _commit(self, op: tensor_memory.CommitDotsOp) -> None:
        """The warpgroup that issues MMAs signals when they are done."""
        signal = self.agent.commits.setdefault(self.num_commits, Signal())
        self.num_commits += 1
        self.values[op.results[0]] = signal
        if self.number == 0:
            signal.arrive(latest(self.done, self.mmas))

    @runs(tensor_memory.WaitDotsOp)
    def _wait_commit(self, op: tensor_memory.WaitDotsOp) -> Steps:
        signal = self.get(op.operands[0])
        if isinstance(signal, Signal):
            yield from self._wait(signal, self.sm.target.timing.wait)

    @runs(async_ops.AsyncFutureWaitOp)
    def _wait_future(self, op: async_ops.AsyncFutureWaitOp) -> Steps:
        tile = self.tile(op.operands[0])
        if tile.pending is not None:
            yield from self._wait(tile.pending, 0)
        else:
            self._synchronize(latest(self.done, tile.last))
        self.values[op.results[0]] = Tile(self.now, self.now)

    @runs(DotOperation)
    def _multiply(self, op: DotOperation) -> Steps:
        timing = self.sm.target.timing
        by_one = isinstance(op, matmul.DotOp) and atoms.is_tcgen05(op)
        operands = self.tiles(op.operands)
        if by_one and self.number:
            self.values[op.results[0]] = Tile(self.now, self.now)
            return
        product = self.sm.costs.product_of(op, 1.0 if by_one else self.share)
        instructions = min(4, product.instructions) if by_one else 1
        issued = self.now.after(timing.mma_issue * instructions, "issue of MMAs")
        is_async = by_one or isinstance(op, async_ops.AsyncDotOp)
        ready = latest(issued, *(tile.chained or tile.last for tile in operands))
        units = self.sm.units
        yield from self._reach(ready)
        self._count(product)
        if isinstance(op, async_ops.AsyncDotOp) and product.unit == "tensor cores":
            yield from self._issue(op, product, ready)
            return
        unit = units[product.unit]
        if product.unit in THREAD_UNITS and self.schedulers is not None:
            taken: dict[UnitName, float] = {product.unit: product.clocks}
            begin, end = ready, (yield from self._take(self.schedulers, ready, Demand.of(taken)))
            self._trace_units(op, taken, end.time)
        else:
            begin, end = unit.take(ready, product.clocks, self.times)
        shared = product.shared_bytes / timing.shared_bytes
        _, read = units["shared memory"].take(begin, shared, self.times)
        end = latest(end, read)
        if end is not unit.free:
            # Operands come more slowly than they are multiplied.
            unit.free = end
        done = end.after(timing.mma_latency, "latency of MMAs")
        for tile in operands:
            self._use(tile, done)
        if not is_async:
            self.done = latest(self.done, done)
        self.mmas = latest(self.mmas, done)
        self.values[op.results[0]] = Tile(done, done, chained=end)

    def _count(self, product: Product) -> None:
        multiply_adds = product.multiply_adds * self.times
        self.sm.ideal += product.ideal * self.times
        self.sm.multiply_adds += multiply_adds
        if product.unit == "tensor cores":
            known = self.sm.by_element
            known[product.element] = known.get(product.element, 0.0) + multiply_adds

    def _issue(self, op: async_ops.AsyncDotOp, product: Product, ready: Stamp) -> Steps:
        """Issues the WGMMAs of a dot, as soon as there is room for them."""
        timing, number = self.sm.target.timing, product.instructions
        operands = self.tiles(op.operands)
        yield from self._issue_slots(timing.mma_slots * number)
        ready = latest(ready, self.now)
        if self.sm.costs.is_beside_loads(op):
            ready = ready.after(timing.mma_setup, "issue of MMAs")
            yield from self._reach(ready)

        def on_done(done: Stamp) -> None:
            for tile in operands:
                self._use(tile, done)

        shared = product.shared_bytes / timing.shared_bytes
        mma = Wgmma(
            *(self, op, ready, number, product.clocks / number, shared / number),
            *(timing.mma_latency, on_done, self.times),
        )
        self.tensor_cores.issue(mma)
        self.values[op.results[0]] = Tile(ready, ready, pending=mma.done)
        while not mma.taken.is_set:
            yield mma.taken
        self.now = latest(self.now, mma.taken.stamp)
        self.done = latest(self.done, self.now)

    @runs(tensor_memory.TensorMemoryLoadOp, tensor_memory.TensorMemoryStoreOp)
    def _access_tensor_memory(
        self, op: tensor_memory.TensorMemoryLoadOp | tensor_memory.TensorMemoryStoreOp
    ) -> Steps:
        timing, is_load = self.sm.target.timing, isinstance(op, tensor_memory.TensorMemoryLoadOp)
        name: UnitName = "tensor memory loads" if is_load else "tensor memory stores"
        size = tile_bytes(op.operands[0].type) * self.share * self.slow
        source = self.tile(op.operands[0])
        ready = self.now if is_load else latest(self.now, source.first)
        yield from self._reach(ready)
        begin, end = self.sm.units[name].take(ready, size / timing.tensor_memory_bytes, self.times)
        first = begin.after(timing.tensor_memory_latency, LATENCY)
        last = latest(end.after(timing.tensor_memory_latency, LATENCY), first)
        if not is_load:
            last = latest(last, source.last.after(timing.tensor_memory_latency, LATENCY))
        self.done = latest(self.done, last)
        self.values[op.results[0]] = Tile(first, last)

    @runs(tensor_memory.TensorMemoryScaleOp)
    def _scale_tensor_memory(self, op: tensor_memory.TensorMemoryScaleOp) -> Steps:
        """Loads, multiplies and stores some columns after the other, as if no factor were one."""
        target, units = self.sm.target, self.sm.units
        clocks = tile_bytes(op.result.type) * self.share * self.slow
        clocks /= target.timing.tensor_memory_bytes
        ready = latest(self.now, self.tile(op.factors).last)
        yield from self._reach(ready)
        begin, loaded = units["tensor memory loads"].take(ready, clocks, self.times)
        units["FMA"].take(begin, clocks, self.times)
        units["issue"].take(begin, clocks / 2, self.times)
        _, stored = units["tensor memory stores"].take(begin, clocks, self.times)
        last = latest(loaded, stored).after(2 * target.timing.tensor_memory_latency, LATENCY)
        self.done = latest(self.done, last)
        self.values[op.result] = Tile(last, last)

    # Memory

    @runs(tensor_memory.TensorMemoryFenceOp)
    def _fence(self, op: tensor_memory.TensorMemoryFenceOp) -> None:
        self._synchronize(self.done)

    @runs(shared_memory.WaitCopiesOp)
    def _wait_copies(self, op: shared_memory.WaitCopiesOp) -> None:
        self._synchronize(latest(self.done, self.copies))

    @runs(DeviceAsyncCreateGroupOp)
    def _create_group(self, op: DeviceAsyncCreateGroupOp) -> None:
        self.groups.append(self.group)

    @runs(DeviceAsyncWaitOp)
    def _wait_groups(self, op: DeviceAsyncWaitOp) -> None:
        left = 0 if op.num_groups is None else op.num_groups.value.data
        done = self.groups[: len(self.groups) - left]
        self._synchronize(latest(self.done, *done))

    @runs(
        memory.TiledLoadOp,
        memory.GatherLoadOp,
        memory.LoadOp,
        async_ops.AsyncTiledLoadOp,
        async_ops.AsyncLoadOp,
    )
    def _load(self, op: Operation) -> Steps:
        units = self.sm.units
        is_copy = isinstance(op, async_ops.AsyncTiledLoadOp | async_ops.AsyncLoadOp)
        size = self.sm.costs.loaded_bytes(op)
        if is_in_shared_memory(op):
            yield from self._access_shared_memory(op)
            return
        is_tma = isinstance(op.parent_op(), pipeline.ProducerWriteOp)
        size *= 1.0 if is_tma else self.share
        if HALVED.is_on(op):
            # The other CTA of a pair loads the rest.
            size /= 2
        self._move(op, size, is_stored=False)
        if MULTICAST.is_on(op):
            # That of a cluster does, and both get all of it: as many bytes are on their way.
            size /= 2
        issued = self.now
        if not is_copy and not is_tma:
            issued = latest(self.early, *(tile.last for tile in self.tiles(op.operands)))
        yield from self._reach(self.now)
        copied = self.now
        if is_tma and atoms.is_copied(op):
            copies = size / atoms.get_copied_bytes(op) / WARP_THREADS
            timing = self.sm.target.timing
            each = timing.element_copy if atoms.is_stored(op) else timing.copy
            _, copied = units["shared memory"].take(self.now, copies * each, self.times)
        crossed = self.scalars.count_crossed(op.operands[0]) * self.sm.active
        clocks = size * max(1.0, crossed) / self.sm.target.rates.l2_bytes
        # Loads of threads come between the requests that TMA makes of one load.
        by_turns = self.sm.target.timing.in_order and not is_tma
        begin, end = units["L2"].take(issued, clocks, self.times, by_turns=by_turns)
        latency = self.sm.load if is_tma else self.sm.thread_load(self.sm.costs.array_of(op))
        first = begin.after(latency, LOADS)
        last = latest(end, first, copied)
        if is_copy:
            self.group = latest(self.group, last)
        # Threads wait for what they load where they use it, and not at barriers before.
        for result in op.results:
            self.values[result] = Tile(last, last) if is_tma else Tile(first, last)

    @runs(
        memory.TiledStoreOp,
        memory.ScatterStoreOp,
        memory.StoreOp,
        memory.TiledAtomicRMWOp,
        AtomicRMWOp,
        AtomicCASOp,
    )
    def _store(self, op: Operation) -> Steps:
        if is_in_shared_memory(op):
            yield from self._access_shared_memory(op)
            return
        timing, units = self.sm.target.timing, self.sm.units
        size = stored_bytes(op) * self.share
        found = self.tiles(op.operands)
        first = latest(self.now, *(tile.first for tile in found))
        last = latest(self.now, *(tile.last for tile in found))
        self._move(op, size, is_stored=True)
        yield from self._reach(first)
        rate = self.sm.target.rates.l2_bytes
        if not atoms.has_atom(op, *atoms.TMA_STORES):
            _, end = units["L2"].take(first, timing.store_slots * size / rate, self.times)
            sectors = count_sectors(op) * self.share * self.sm.active
            _, updated = units["atomics"].take(first, sectors / timing.atomic_sectors, self.times)
            end = latest(end, updated)
            self.done = latest(self.done, last)
            self.stored = latest(self.stored, latest(end, last).after(self.sm.store, STORES))
            for result in op.results:
                self.values[result] = Tile(end.after(self.sm.load, LOADS), end)
            return
        # Staged in shared memory, from where TMA takes it.
        ready = latest(first, self.staged.get(op, START))
        begin, staged = units["shared memory"].take(ready, size / timing.shared_bytes, self.times)
        if timing.staging_elements:
            # All warpgroups convert and write at the same time.
            slow = begin.after(count_stored(op) / timing.staging_elements, STAGING)
            staged = latest(staged, slow)
        staged = latest(staged, last).after(timing.barrier, SYNCHRONIZATION)
        self.done = latest(self.done, staged)
        yield from self._reach(staged)
        _, read = units["shared memory"].take(staged, size / timing.shared_bytes, self.times)
        _, end = units["L2"].take(staged, size / rate, self.times)
        self.stored = latest(self.stored, latest(read, end).after(self.sm.store, STORES))
        self.staged[op] = read
        self.copies = latest(self.copies, read)

    def _access_shared_memory(self, op: Operation) -> Steps:
        """Loads, stores and atomics of threads there; nobody waits for stores."""
        target, found = self.sm.target, self.tiles(op.operands)
        ready = latest(self.now, *(tile.last for tile in found))
        yield from self._reach(ready)
        clocks = count_shared_bytes(op) * self.share / target.timing.shared_bytes
        begin, end = self.sm.units["shared memory"].take(ready, clocks, self.times)
        self.now = latest(self.now, begin)
        if isinstance(op, AtomicRMWOp) and op.mask is not None:
            elements = count_stored(op) / (self.agent.warps * WARP_THREADS)
            self.now = self.now.after(elements * target.timing.masked_atomic, BRANCHES)
        self.done = latest(self.done, self.now, end)
        for result in op.results:
            self.values[result] = Tile(begin, end)

    def _move(self, op: Operation, size: float, *, is_stored: bool) -> None:
        self.sm.num_bytes += size * self.times
        key = self.sm.costs.array_of(op), is_stored
        self.sm.by_array[key] = self.sm.by_array.get(key, 0.0) + size * self.times
        if self.sm.trace is not None:
            self.sm.trace.move(op, size)

    @runs(*EXCHANGES)
    def _exchange(self, op: Operation) -> Steps:
        """Through shared memory, and back; one way where one of both tiles is there."""
        found = self.tiles(op.operands)
        ready = latest(self.now, *(tile.last for tile in found))
        work = self.sm.costs.exchange_of(op, self.agent.warps)
        clocks = work.wavefronts * self.share * self.slow
        yield from self._reach(ready)
        begin, end = self.sm.units["shared memory"].take(ready, clocks, self.times)
        end = end.after(work.barriers * self.sm.target.timing.barrier, SYNCHRONIZATION)
        for tile in found:
            self._use(tile, end)
        self.done = latest(self.done, end)
        for result in op.results:
            self.values[result] = Tile(begin, end)

    # Arithmetic

    def _evaluate(self, op: Operation) -> None:
        """An op on scalars, which takes no time unless it divides or waits for what is loaded."""
        if is_division(op) and self.sm.target.timing.scalar_division:
            self.now = self.now.after(self.sm.target.timing.scalar_division, LATENCY)
        known = [self.integer(value) for value in op.operands]
        for result, number in zip(op.results, self.scalars.evaluate(op, known) or ()):
            self.values[result] = number
        if found := self.tiles(op.operands):
            last = latest(*(tile.last for tile in found))
            for result in op.results:
                self.values[result] = Tile(last, last)

    def _compute(self, op: Operation) -> Steps | None:
        """An elementwise op, or a reduction."""
        each = self.sm.costs.elementwise_of(op, self.share)
        return self._take_units(each) if self.schedulers is None else self._stream(each)

    def _take_units(self, op: Elementwise) -> Steps:
        """An op that begins as soon as its operands are there, whatever came before."""
        first, last, stages = self._read(op)
        work = op.work
        if work.clocks:
            self.sm.operations += work.operations * self.times
            yield from self._reach(first)
            ends = [last]
            begin = first
            for name, clocks in work.clocks.items():
                unit = self.sm.units[name]
                started, end = unit.take(first, clocks * self.slow, self.times)
                begin, ends = latest(begin, started), [*ends, end]
            first = begin.after(work.latency, LATENCY)
            last = latest(*ends).after(work.latency, LATENCY)
            stages = ()
            self.done = latest(self.done, last)
        self._define(op, first, last, stages)

    def _read(self, op: Elementwise) -> tuple[Stamp, Stamp, Stages]:
        """When the first and the last elements of all operands of an op are there, and where."""
        first = last = self.now
        stages: Stages = ()
        for value in op.operands:
            tile = self.values.get(value)
            if isinstance(tile, Tile):
                if tile.first.time > first.time:
                    first = tile.first
                if tile.last.time > last.time:
                    last = tile.last
                stages += tile.stages
        return first, last, stages

    def _define(self, op: Elementwise, first: Stamp, last: Stamp, stages: Stages) -> None:
        """Says when the results of an op are there."""
        for result in op.results:
            # All elements are needed for the first one of a reduction.
            self.values[result] = Tile(last if op.reduces else first, last, stages)

    def _stream(self, op: Elementwise) -> Steps | None:
        """An op on tiles runs together with those before, unless it needs all elements of one."""
        if not self.streams:
            if op.work.clocks:
                self._join(op)
            else:
                self._finish(op, self.now, self.now)
            return None
        for value in op.operands:
            if value not in self.needs and self.tile(value).first.time > self.now.time:
                # Those before do not wait for a tile that comes later.
                return self._flush_and_join(op)
        self._join(op)
        return None

    def _flush_and_join(self, op: Elementwise) -> Steps:
        yield from self._flush()
        self._join(op)

    def _join(self, op: Elementwise) -> None:
        """Adds an op to those that run together."""
        level = 0
        for value in op.operands:
            level = max(level, self.needs.get(value, 0))
        while len(self.streams) <= level:
            self.streams.append([])
        self.streams[level].append(op)
        for result in op.results:
            self.needs[result] = level + op.reduces

    def _flush(self) -> Steps:
        """Runs what was streamed."""
        streams, self.streams, self.needs = self.streams, [], {}
        for ops in filter(None, streams):
            group = self.sm.costs.group_of(ops, self.slow)
            ready = latest(self.now, *(tile.first for tile in self.tiles(group.outside)))
            self.sm.operations += group.operations * self.times
            end = ready
            if group.demand is not None:
                assert self.schedulers is not None
                yield from self._reach(ready)
                end = yield from self._take(self.schedulers, ready, group.demand)
            for each in ops:
                self._finish(each, ready, end)
                if self.sm.trace is not None:
                    self._trace_units(each.op, each.work.clocks, end.time)

    def _finish(self, op: Elementwise, begin: Stamp, end: Stamp) -> None:
        """An op on tiles is done by then."""
        first, last, stages = self._read(op)
        if op.work.clocks:
            first = latest(first, begin).after(op.work.latency, LATENCY)
            last = latest(last, end).after(op.work.latency, LATENCY)
            self.now = latest(self.now, end)
            self.done = latest(self.done, last)
            stages = ()
        self._define(op, first, last, stages)


CONTROL_FLOW: Final = (scf.ForOp, scf.WhileOp, scf.IfOp)
Planned = tuple[Operation, Runner, bool]
"""An op, what a warpgroup does about it, and whether arithmetic before it may go on beside."""


def _width_of(op: Operation) -> int | None:
    """The elements of an access of a thread; None of other ops."""
    if (vector := get_vector(op)) is not None:
        return vector.width
    return 1 if isinstance(op, memory.LoadOp | memory.StoreOp) else None


def _plan(op: Operation) -> Planned:
    runner, is_beside = find_runner(type(op))
    if isinstance(op, EXCHANGES) and renames_registers(op):
        runner, is_beside = None, True
    if runner is None:
        is_scalar = not any(
            isinstance(each.type, TensorType) for each in (*op.operands, *op.results)
        )
        runner = Warpgroup._evaluate if is_scalar else Warpgroup._compute  # pyright: ignore[reportPrivateUsage]
    return op, runner, is_beside
