"""
How long a kernel takes on a CPU, from its module at level 1: what its ops do one after the other on
a core, and what memory takes to bring the arrays to all cores. Static: nothing is run.

| unit | does |
| --- | --- |
| dots | products and sums of dots |
| arithmetic | what is done element by element, reductions and scans |
| functions | `exp` and the like, divisions |
| cache | bytes of tiles that are loaded and stored, and of those that loops carry |
| single elements | gathers, scatters and atomics |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis.scalar_values import ScalarValues
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa import memory, views
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation, ScanOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, MmaFScaledOp
from tileiras_xdsl.targets.cpu import (
    ATOMIC_LANES,
    FUNCTION_LANES,
    LAUNCH_MICROSECONDS,
    LIBRARY_LANES,
    SCAN_LANES,
    SINGLE_LANES,
    CpuRates,
)

from .model import NOMINAL, Launch
from .work import FREE, SPECIAL, stored_bytes, tile_bytes

LIBRARY: Final = frozenset({"tan", "sinh", "cosh", "pow", "atan2"})
"""Functions that the C library computes, one element after the other."""
SAMPLES: Final = 16
"""Tile blocks that are looked at, of all that a launch has."""
MEMORY: Final = "memory"


@dataclass(frozen=True)
class CpuWork:
    """What an op does each time that it runs."""

    unit: str
    seconds: float
    """Of one core."""
    bytes: float = 0.0
    operations: float = 0.0
    """On floats; an FMA has two."""


@dataclass
class CpuEstimate:
    """A kernel on all cores, for a launch or for one tile block."""

    kernel: str
    rates: CpuRates
    blocks: int
    array_bytes: float
    work: Mapping[Operation, CpuWork]
    times: Mapping[Operation, float]
    """How often a tile block runs each op, on average."""
    guessed: int = 0
    """Loops whose trip counts are not known."""
    units: dict[str, float] = field(init=False)
    """Seconds of a core by unit, of a tile block."""

    def __post_init__(self) -> None:
        self.units = {}
        for op, each in self.work.items():
            seconds = each.seconds * self.times.get(op, 0.0)
            self.units[each.unit] = self.units.get(each.unit, 0.0) + seconds

    def total(self, what: str) -> float:
        """`bytes` or `operations` of all tile blocks."""
        each = (getattr(work, what) * self.times.get(op, 0.0) for op, work in self.work.items())
        return sum(each) * self.blocks

    @property
    def limits(self) -> dict[str, float]:
        """Microseconds that all cores take with each unit alone, and that memory takes."""
        # Of the last round, some cores have nothing to do.
        cores = min(self.rates.cores, self.blocks)
        rounds = -(-self.blocks // cores)
        found = {unit: 1e6 * seconds * rounds for unit, seconds in self.units.items() if seconds}
        return {**found, MEMORY: 1e6 * self.array_bytes / self.rates.memory}

    @property
    def microseconds(self) -> float:
        """What a core does takes turns; memory works beside it."""
        limits = self.limits
        waits = limits.pop(MEMORY)
        return max(sum(limits.values()), waits) + LAUNCH_MICROSECONDS

    @property
    def limit(self) -> str:
        """What takes longest."""
        limits = self.limits
        return max(limits, key=lambda name: limits[name])


def work_on_cpu(op: Operation, rates: CpuRates) -> CpuWork | None:
    """What an op of level 1 takes; none for one that takes nothing worth the name."""
    name = op.name.rpartition(".")[2]
    lane = 2 / rates.flops
    if isinstance(op, DotOperation | MmaFScaledOp):
        shape = get_shape(op.results[0].type)
        operations = 2.0 * prod(shape) * get_shape(op.operands[0].type)[-1]
        return CpuWork("dots", operations / rates.flops, operations=operations)
    if isinstance(op, memory.AtomicRMWOp | memory.AtomicCASOp | views.TiledAtomicRMWOp):
        elements = max(prod(get_shape(value.type)) for value in op.operands if _is_tile(value))
        return CpuWork("single elements", ATOMIC_LANES * elements * lane, stored_bytes(op))
    if isinstance(op, memory.LoadOp | views.TiledLoadOp | views.GatherLoadOp):
        moved = tile_bytes(op.results[0].type)
    elif isinstance(op, memory.StoreOp | views.TiledStoreOp | views.ScatterStoreOp):
        moved = stored_bytes(op)
    elif isinstance(op, scf.ForOp | scf.WhileOp):
        return None
    else:
        values = op.operands if isinstance(op, AggregateOperation) else op.results
        tiles = [value for value in values if isinstance(value.type, TensorType)]
        if name in FREE or not tiles or isinstance(op.parent_op(), AggregateOperation):
            return None
        elements = max(prod(get_shape(value.type)) for value in tiles)
        element = get_element(tiles[0].type)
        lanes = max(1.0, element_bit_width(element) / 32) if isinstance(element, AnyFloat) else 1.0
        if name in LIBRARY:
            lanes *= LIBRARY_LANES
        elif name in SPECIAL or name in ("divf", "divi", "remf", "remi", "sqrt"):
            lanes *= FUNCTION_LANES
        elif isinstance(op, ScanOp):
            lanes *= SCAN_LANES
        unit = "functions" if lanes >= FUNCTION_LANES else "arithmetic"
        floats = elements if isinstance(element, AnyFloat) else 0
        return CpuWork(unit, elements * lanes * lane, operations=floats)
    if isinstance(op, views.GatherLoadOp | views.ScatterStoreOp):
        elements = moved * 8 / element_bit_width(get_element((*op.results, *op.operands)[0].type))
        return CpuWork("single elements", SINGLE_LANES * elements * lane, moved)
    return CpuWork("cache", moved / rates.cache, moved)


def _is_tile(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def estimate_on_cpu(function: FuncOp, rates: CpuRates, launch: Launch | None) -> CpuEstimate:
    """A kernel of level 1. Without a launch, one tile block, and loops of nominal trip counts."""
    grid = (1, 1, 1) if launch is None else launch.grid
    blocks = prod(grid)
    counter = _Counter(launch)
    step = max(1, blocks // SAMPLES)
    chosen = range(step // 2, blocks, step)
    for number in chosen:
        x, rest = number % grid[0], number // grid[0]
        counter.run(function, (x, rest % grid[1], rest // grid[1]))
    work = {op: each for op in function.walk() if (each := work_on_cpu(op, rates)) is not None}
    times = {op: count / len(chosen) for op, count in counter.times.items()}
    name = function.sym_name.data
    array_bytes = 0.0 if launch is None else launch.array_bytes
    return CpuEstimate(name, rates, blocks, array_bytes, work, times, len(counter.guessed))


class _Counter:
    """How often ops run, in the tile blocks that were looked at."""

    def __init__(self, launch: Launch | None):
        self._launch = launch
        self.times: dict[Operation, float] = {}
        self.guessed: set[Operation] = set()

    def run(self, function: FuncOp, index: tuple[int, int, int]) -> None:
        """A tile block."""
        launch = self._launch
        scalars = ScalarValues(index, None if launch is None else launch.grid)
        if launch is not None:
            scalars.values |= dict(zip(function.body.block.args, launch.values, strict=False))
        self._block(function.body.block, 1.0, scalars)

    def _block(self, block: Block, times: float, scalars: ScalarValues) -> None:
        for op in block.ops:
            self.times[op] = self.times.get(op, 0.0) + times
            match op:
                case scf.ForOp():
                    self._loop(op, times, scalars)
                case scf.IfOp():
                    taken = scalars.values.get(op.cond)
                    regions = [each for each in op.regions if each.blocks]
                    for number, region in enumerate(regions):
                        share = 0.5 if taken is None else float(bool(taken) == (number == 0))
                        self._block(region.block, times * share, scalars)
                case scf.WhileOp():
                    self.guessed.add(op)
                    for region in op.regions:
                        self._block(region.block, times * NOMINAL.inner, scalars)
                case _ if not op.regions:
                    scalars.visit(op)
                case _:
                    pass

    def _loop(self, op: scf.ForOp, times: float, scalars: ScalarValues) -> None:
        """A loop as long as it is; in its middle, if what is in it depends on where it is."""
        first, end, step = (scalars.values.get(each) for each in (op.lb, op.ub, op.step))
        if first is None or end is None or not step:
            self.guessed.add(op)
            trips = NOMINAL.inner
        else:
            trips = max(0, -(-(end - first) // step))
            scalars.values[op.body.block.args[0]] = first + trips // 2 * step
        if trips:
            self._block(op.body.block, times * trips, scalars)
