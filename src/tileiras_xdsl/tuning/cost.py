"""
The cost model of tuning: how long a launch takes, from the program as it was written, before
anything is compiled.

A tile block is walked once, with the trip counts that follow from the arguments of the launch. Its
tensor-core, L2 and thread work are cycles by the rates of the target; what a loop does overlaps, up
to a small rest, if two buffer stages fit shared memory. Tile blocks are dealt out to SMs in waves,
and nothing is faster than memory can bring the arrays.

The numbers are those of `targets`; what they leave open is named below. `docs/tuning.md` compares
predictions with measurements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, prod
from typing import Final, Literal, get_args

from xdsl.ir import Attribute, Block, Operation
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.analysis.scalar_values import ScalarValues
from tileiras_xdsl.compiler.compilation import Compilation
from tileiras_xdsl.compiler.options import Options
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.frontend import Program
from tileiras_xdsl.targets.capability import ComputeCapability
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.targets.target import Target, target_of
from tileiras_xdsl.targets.warpgroups import WGMMA_M
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.attributes import make_kernel_spec
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import memory_bits

Resource = Literal["tensor cores", "L2", "threads", "latency", "memory"]
"""What limits a launch."""

OVERLAP_REST: Final = 0.15
"""The share of work beside the longest that a loop does not hide."""
ITERATION: Final = 48
"""
Clocks of the barriers of an iteration: what the rates leave of `matmul_128x128x64` and
`matmul_128x256x64` on an H200 is 45 and 61.
"""
LATENCY: Final = 1000
"""Clocks from a load to its tile, on targets whose scheduling model does not say."""
LAUNCH_SECONDS: Final = 2e-6
"""A launch of nothing."""
MMA_SYNC_SHARE: Final = 0.55
"""Of the rate of WGMMA, what `mma.sync` reaches (434 of 785 TFLOP/s, docs/performance.md)."""
DEEPEST: Final = 12
"""Buffer stages at most."""
SAMPLES: Final = 5
"""Tile blocks of a grid that are walked."""

SPECIAL: Final = frozenset(
    f"cuda_tile.{name}"
    for name in (
        *("exp", "exp2", "log", "log2", "rsqrt", "sqrt", "sin", "cos", "tan", "tanh", "sinh"),
        *("cosh", "pow", "fpowf", "atan2", "divf"),
    )
)
"""Ops of the special function units."""
FREE: Final = (
    ct.BroadcastOp,
    ct.ReshapeOp,
    ct.IotaOp,
    ct.AssumeOp,
    ct.MakeTokenOp,
    ct.JoinTokensOp,
)
"""Ops on tiles that cost nothing."""


class UnpredictableError(DiagnosticException):
    """A program whose work the arguments of a launch do not decide."""


@dataclass(frozen=True)
class Machine:
    """A GPU."""

    target: Target
    sm_count: int
    gigahertz: float

    @staticmethod
    def of(arch: str, sm_count: int | None = None, gigahertz: float | None = None) -> Machine:
        """A GPU of an architecture, by default the one whose rates the target has."""
        target = target_of(ComputeCapability.parse(arch))
        rates = target.rates
        return Machine(target, sm_count or rates.sm_count, gigahertz or rates.gigahertz)

    @property
    def latency(self) -> int:
        model = self.target.warpgroups
        return LATENCY if model is None else model.load_cycles


@dataclass(frozen=True)
class Launch:
    """A launch, as far as the cost model cares; it goes to other processes."""

    grid: tuple[int, int, int]
    values: tuple[int | None, ...]
    """The parameters of the kernel that are integers, none for others."""
    array_bytes: int
    """Of all arrays together."""


@dataclass(frozen=True)
class Prediction:
    """How long a launch should take."""

    milliseconds: float
    limit: Resource
    """What it waits for most."""
    occupancy: int = 1
    """CTAs per SM."""


@dataclass
class Work:
    """Work of a tile block, in cycles of an SM that does nothing else."""

    tensor: float = 0.0
    l2: float = 0.0
    threads: float = 0.0

    def add(self, other: Work, times: float = 1.0) -> None:
        self.tensor += other.tensor * times
        self.l2 += other.l2 * times
        self.threads += other.threads * times

    def overlapped(self, rest: float = OVERLAP_REST) -> float:
        """Clocks if everything goes on at once, but for a rest."""
        longest = max(self.tensor, self.l2, self.threads)
        return longest + rest * (self.tensor + self.l2 + self.threads - longest)


@dataclass
class Cost:
    """The cost of some code of a tile block."""

    work: Work = field(default_factory=Work)
    """Of straight-line code."""
    total: Work = field(default_factory=Work)
    """All work, of loops as well."""
    loops: float = 0.0
    """Clocks of loops."""
    latency: float = 0.0
    """Clocks that the tile block waits and an SM can use for another one."""
    loaded: float = 0.0
    """Bytes that straight-line code loads."""
    num_bytes: float = 0.0
    """Bytes loaded and stored, of loops as well."""

    @property
    def busy(self) -> float:
        """Clocks of the SM."""
        return self.loops + self.work.overlapped()


@dataclass
class Resources:
    """What a kernel occupies, as far as tiles show it."""

    carried: int = 0
    """Registers of the tiles that a loop carries: 32-bit words of a CTA."""
    staged: int = 0
    """Bytes that an iteration of a loop with MMAs loads."""
    largest: int = 0
    """Elements of the largest tile."""
    accumulators: list[list[Sequence[int]]] = field(default_factory=list[list[Sequence[int]]])
    """Shapes of the results of MMAs, by loop."""


class CostModel:
    """Predicts the launches of a kernel."""

    def __init__(self, entry: ct.EntryOp, machine: Machine):
        self.entry = entry
        self.machine = machine
        self.target = machine.target
        self.resources = find_resources(entry)
        capability = self.target.capability
        self.hinted = make_kernel_spec(entry.optimization_hints, capability).occupancy
        self.tensor_share = self._tensor_share()

    def predict(self, launch: Launch) -> Prediction:
        """How long a launch takes."""
        total = prod(launch.grid)
        costs = [self._walk(launch, block) for block in _sample(launch.grid)]
        count = len(costs)
        busy = sum(cost.busy for cost in costs) / count
        latency = sum(cost.latency for cost in costs) / count
        occupancy = self.occupancy()
        cycles = _waves(total, self.machine.sm_count, occupancy, busy, latency)
        num_bytes = total * sum(cost.num_bytes for cost in costs) / count
        memory = min(num_bytes, launch.array_bytes) / (
            self.target.rates.memory_bytes * self.machine.sm_count
        )
        longest = costs[0].total
        for cost in costs[1:]:
            longest.add(cost.total)
        limit = _limit(longest)
        if memory > cycles:
            cycles, limit = memory, "memory"
        elif latency > occupancy * busy:
            limit = "latency"
        seconds = cycles / (self.machine.gigahertz * 1e9) + LAUNCH_SECONDS
        return Prediction(seconds * 1e3, limit, occupancy)

    def occupancy(self) -> int:
        """CTAs per SM: what a hint says, or what fits."""
        threads, registers = self.target.threads, self.target.registers
        if isinstance(self.hinted, int):
            return self.hinted
        if self.resources.accumulators:
            # Two warpgroups, and buffers of four stages.
            words = self.resources.carried + 2 * 128 * 64
            fits = [registers.per_sm // words, self.target.shared.per_sm // (4 * self._staged)]
        else:
            warps = max(1, min(8, self.resources.largest // self.target.warps.elements))
            words = 2 * self.resources.largest + warps * WARP_THREADS * 32
            fits = [threads.per_sm // (warps * WARP_THREADS), registers.per_sm // words]
        return max(1, min(threads.blocks, *fits))

    @property
    def _staged(self) -> int:
        return max(1, self.resources.staged)

    def _tensor_share(self) -> float:
        """The share of the rate of the tensor cores that MMAs can reach."""
        model = self.target.warpgroups
        loops = self.resources.accumulators
        if model is None or not loops:
            return 1.0
        matrices = [[shape[-2:] for shape in loop] for loop in loops]
        is_tall = all(shape[0] >= WGMMA_M for loop in matrices for shape in loop)
        fits = model.choose_num_warpgroups(matrices) is not None
        return 1.0 if is_tall and fits else MMA_SYNC_SHARE

    # A tile block

    def _walk(self, launch: Launch, block: Sequence[int]) -> Cost:
        scalars = ScalarValues(block, launch.grid)
        scalars.values.update(zip(self.entry.body.block.args, launch.values, strict=True))
        cost = self._cost(self.entry.body.block, scalars)
        if cost.loaded:
            cost.latency += self.machine.latency
        return cost

    def _cost(self, block: Block, scalars: ScalarValues) -> Cost:
        cost = Cost()
        for op in block.ops:
            match op:
                case ct.ForOp():
                    self._add_loop(cost, op, scalars)
                case ct.LoopOp():
                    raise UnpredictableError("a loop has no trip count")
                case ct.IfOp():
                    self._add_branch(cost, op, scalars)
                case _:
                    scalars.visit(op)
                    self._add_op(cost, op)
        return cost

    def _add_loop(self, cost: Cost, op: ct.ForOp, scalars: ScalarValues) -> None:
        """Every iteration counts as the one in the middle."""
        bounds = [scalars.values.get(each) for each in (op.lower_bound, op.upper_bound, op.step)]
        lower, upper, step = bounds
        if lower is None or upper is None or step is None or step <= 0:
            raise UnpredictableError("the trip count of a loop depends on what is in memory")
        trips = max(0, -(-(upper - lower) // step))
        if not trips:
            return
        scalars.values.update(dict.fromkeys(op.body.block.args))
        scalars.values[op.induction_variable] = lower + trips // 2 * step
        body = self._cost(op.body.block, scalars)
        cost.loops += trips * (body.loops + self._iteration(body))
        cost.latency += trips * body.latency
        if body.loaded:
            cost.latency += self.machine.latency
        cost.total.add(body.total, trips)
        cost.num_bytes += body.num_bytes * trips

    def _iteration(self, body: Cost) -> float:
        """Clocks of the code of an iteration, besides inner loops."""
        if body.loops or not body.loaded:
            return body.work.overlapped()
        stages = min(DEEPEST, int(self.target.shared.per_sm // body.loaded))
        if stages < 2:
            return body.work.overlapped(rest=1.0) + self.machine.latency
        # So many loads are in flight, however CTAs share them.
        return max(body.work.overlapped() + ITERATION, self.machine.latency / (stages - 1))

    def _add_branch(self, cost: Cost, op: ct.IfOp, scalars: ScalarValues) -> None:
        """The side that is taken, or the one that costs more."""
        condition = scalars.values.get(op.condition)
        regions = [region for region in (op.then_region, op.else_region)]
        if condition is not None:
            regions = [regions[0 if condition else 1]]
        sides = [self._cost(region.block, scalars) for region in regions if region.blocks]
        if not sides:
            return
        side = max(sides, key=lambda each: each.busy)
        cost.work.add(side.work)
        cost.total.add(side.total)
        cost.loops += side.loops
        cost.latency += side.latency
        cost.loaded += side.loaded
        cost.num_bytes += side.num_bytes

    def _add_op(self, cost: Cost, op: Operation) -> None:
        rates = self.target.rates
        work = Work()
        match op:
            case ct.MmaFOp() | ct.MmaIOp() | ct.MmaFScaledOp():
                work.tensor = self._mma_cycles(op)
            case ct.LoadViewOp() | ct.LoadPtrOp():
                size = _num_bytes(op.results[0].type)
                work.l2 = size / rates.l2_bytes
                cost.loaded += size
                cost.num_bytes += size
            case ct.StoreViewOp() | ct.StorePtrOp():
                size = _num_bytes((op.tile if isinstance(op, ct.StoreViewOp) else op.value).type)
                work.l2 = size / rates.l2_bytes
                cost.num_bytes += size
            case ct.AtomicRedViewOp() | ct.AtomicRMWOp() | ct.AtomicCASOp():
                value = op.arg if isinstance(op, ct.AtomicRMWOp) else op.operands[-1]
                size = 2 * max(_num_bytes(each.type) for each in (value, *op.operands))
                work.l2 = size / rates.l2_bytes
                cost.num_bytes += size
            case _:
                work.threads = self._thread_cycles(op)
        cost.work.add(work)
        cost.total.add(work)

    def _mma_cycles(self, op: Operation) -> float:
        left, result = op.operands[0].type, op.results[0].type
        assert isinstance(left, ct.TileType)
        count = prod(_shape(result)) * _shape(left)[-1]
        bits, rates = memory_bits(left.element_type), self.target.rates
        if bits > max(rates.multiply_adds) or str(left.element_type) == "f32":
            return count / rates.lanes
        return count / (rates.multiply_adds_of(bits) * self.tensor_share)

    def _thread_cycles(self, op: Operation) -> float:
        """How long all threads of an SM are busy with an op on tiles."""
        if isinstance(op, FREE) or op.has_trait(ConstantLike):
            return 0.0
        is_aggregate = isinstance(op, ct.ReduceOp | ct.ScanOp)
        values = op.operands if is_aggregate else op.results
        elements = max((prod(_shape(value.type)) for value in values), default=0)
        if elements <= 1:
            return 0.0
        rates = self.target.rates
        return elements / (rates.special_lanes if op.name in SPECIAL else rates.lanes)


def find_resources(entry: ct.EntryOp) -> Resources:
    """The tiles of a kernel."""
    found = Resources()
    by_loop: dict[Operation | None, list[Sequence[int]]] = {}
    for op in entry.walk():
        for result in op.results:
            found.largest = max(found.largest, prod(_shape(result.type)))
        if isinstance(op, ct.ForOp | ct.LoopOp):
            words = sum(_num_bytes(value.type) for value in op.init_values) // 4
            found.carried = max(found.carried, words)
        if isinstance(op, ct.MmaFOp | ct.MmaIOp | ct.MmaFScaledOp):
            loop = op.parent_op()
            by_loop.setdefault(loop, []).append(_shape(op.results[0].type))
    for loop in by_loop:
        if loop is not None:
            loads = (each for each in loop.walk() if isinstance(each, ct.LoadViewOp | ct.LoadPtrOp))
            staged = sum(_num_bytes(load.results[0].type) for load in loads)
            found.staged = max(found.staged, staged)
    found.accumulators = list(by_loop.values())
    return found


def predict(program: Program, options: Options, launch: Launch, machine: Machine) -> Prediction:
    """How long a launch of the only kernel of a program takes."""
    module = Compilation(program, options).lower("cuda-tile")
    entries = [op for op in module.walk() if isinstance(op, ct.EntryOp)]
    if len(entries) != 1:
        raise UnpredictableError(f"the program has {len(entries)} kernels, not one")
    return CostModel(entries[0], machine).predict(launch)


def _shape(ty: Attribute) -> tuple[int, ...]:
    return ty.get_shape() if isinstance(ty, ct.TileType) else ()


def _num_bytes(ty: Attribute) -> int:
    if not isinstance(ty, ct.TileType) or isinstance(ty.element_type, ct.PtrType):
        return 0
    return prod(ty.get_shape()) * memory_bits(ty.element_type) // 8


def _sample(grid: Sequence[int]) -> Iterable[tuple[int, int, int]]:
    """Some tile blocks from all over a grid."""
    total = prod(grid)
    count = min(SAMPLES, total)
    x, y = grid[:2]
    for number in range(count):
        index = (2 * number + 1) * total // (2 * count)
        yield index % x, index // x % y, index // (x * y)


def _waves(total: int, sm_count: int, occupancy: int, busy: float, latency: float) -> float:
    """Clocks of a grid: full waves, and one that need not be full."""
    waves, rest = divmod(total, sm_count * occupancy)
    cycles = waves * max(occupancy * busy, busy + latency)
    if rest:
        cycles += max(ceil(rest / sm_count) * busy, busy + latency)
    return cycles


def _limit(work: Work) -> Resource:
    names: tuple[Resource, ...] = get_args(Resource)[:3]
    amounts = (work.tensor, work.l2, work.threads)
    return max(zip(amounts, names, strict=True))[1]
