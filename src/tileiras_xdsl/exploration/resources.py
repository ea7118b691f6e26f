"""
What kernels take of an SM: registers, shared memory, occupancy, instructions by kind, and how long
they are expected to take. Registers and spills are what ptxas says, where there is one; all else is
read off the IR and the PTX, and times are static estimates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Final

from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.dialects.nv_tileas.decisions import TENSOR_MEMORY
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_shared_memory
from tileiras_xdsl.estimate.model import NOMINAL, Launch, estimate_kernel
from tileiras_xdsl.estimate.model import find_occupancy as expected_occupancy
from tileiras_xdsl.estimate.prediction import predict
from tileiras_xdsl.estimate.ptx import PtxKind, count_kinds, functions_of
from tileiras_xdsl.estimate.report import LABEL, Estimate
from tileiras_xdsl.estimate.strands import UnknownScheduleError
from tileiras_xdsl.targets.occupancy import Occupancy, find_occupancy
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from .tables import NotedTable, Table, number

if TYPE_CHECKING:
    from .exploration import Exploration


NOTE: Final = (
    f"clocks and limits: {LABEL}; without a launch, loops whose trip count is not known have "
    f"{NOMINAL.inner} iterations"
)


@dataclass(frozen=True)
class KernelResources:
    """One kernel."""

    kernel: str
    threads: int
    """Of a CTA."""
    registers: int | None
    """Of a thread; none if there is no ptxas."""
    spills: int | None
    """Bytes that a thread writes and reads for want of registers."""
    shared: int
    """Bytes of a CTA."""
    occupancy: Occupancy
    instructions: Mapping[PtxKind, int]
    """Of PTX."""
    estimate: Estimate | None
    """None of kernels that the model does not understand."""
    cluster: int = 1
    persistent: int = 0
    """CTAs per SM of a persistent kernel, else 0."""

    def cells(self) -> Iterator[tuple[str, str]]:
        """What there is to say of it, in the order of a table."""
        yield "threads", number(self.threads)
        yield "registers", number(self.registers)
        yield "spilled bytes", number(self.spills)
        yield "shared memory, bytes", number(self.shared)
        yield "CTAs per SM", number(self.occupancy.ctas)
        yield "occupancy", f"{self.occupancy.share:.0%}"
        yield "occupancy limited by", self.occupancy.limit
        if self.cluster > 1:
            yield "CTAs of a cluster", number(self.cluster)
        if self.persistent:
            yield "persistent CTAs per SM", number(self.persistent)
        yield "PTX instructions", number(sum(self.instructions.values()))
        for kind, count in self.instructions.items():
            yield f"  {kind}", number(count)
        if (estimate := self.estimate) is not None:
            loop = estimate.main_loop
            if estimate.waves is None:
                yield "estimated clocks per CTA", number(round(estimate.clocks_per_cta))
            else:
                yield "estimated clocks", number(round(estimate.clocks))
                made = predict(estimate)
                time = estimate.milliseconds if made is None else made.microseconds / 1e3
                yield "estimated ms", f"{time:.4g}"
            if loop is not None:
                yield "  of an iteration", number(round(loop.clocks))
            if estimate.ideal:
                yield "  of tensor core peak", f"{estimate.share:.0%}"
            yield "  limited by", estimate.limit.partition(" (")[0]


class Resources(NotedTable, tuple[KernelResources, ...]):
    """All kernels of a program; as a string and in notebooks a table."""

    __slots__ = ()

    NOTE = NOTE

    @property
    def table(self) -> Table:
        """A column for each kernel."""
        return Table(("", *(each.kernel for each in self)), join_cells([*map(cells_of, self)]))


def cells_of(kernel: KernelResources) -> dict[str, str]:
    """A column of a table."""
    return dict(kernel.cells())


def join_cells(columns: Sequence[Mapping[str, str]]) -> list[tuple[str, ...]]:
    """Rows of a table, of all names in the order in which columns have them."""
    names: list[str] = []
    for column in columns:
        at = 0
        for name in column:
            if name in names:
                at = names.index(name) + 1
            else:
                names.insert(at, name)
                at += 1
    return [(name, *(column.get(name, "–") for column in columns)) for name in names]


def find_resources(exploration: Exploration, launch: Launch | None = None) -> Resources:
    """Of all kernels of a program that went all the way."""
    texts = exploration.texts
    instructions = {name: count_kinds(lines) for name, lines in functions_of(texts.ptx.text)}
    tiled = exploration.step("tileas").snapshot.module
    functions = {function.sym_name.data: function for function in kernels(tiled)}
    found: list[KernelResources] = []
    for record in texts.records:
        function = functions[record.entry]
        threads = prod(record.threads or (1,))
        # Without ptxas, what was allocated for tiles.
        memory, columns = get_shared_memory(function), TENSOR_MEMORY.get(function)
        shared = record.static_shared or (0 if memory is None else memory.size)
        shared = max(shared, record.shared or 0)
        occupancy = find_occupancy(
            *(get_target(tiled), threads, record.registers, shared),
            0 if columns is None else columns.data,
        )
        found.append(
            KernelResources(
                kernel=record.entry,
                threads=threads,
                registers=record.registers,
                spills=None
                if record.registers is None
                else record.spill_stores + record.spill_loads,
                shared=shared,
                occupancy=occupancy,
                instructions=instructions.get(record.entry, {}),
                estimate=_estimate(function, occupancy.ctas, launch),
                cluster=prod(record.cluster),
                persistent=record.persistent,
            )
        )
    return Resources(found)


def _estimate(function: FuncOp, occupancy: int, launch: Launch | None) -> Estimate | None:
    target = get_target(function)
    # What a kernel asks for may be less than what fits.
    ctas = max(1, min(occupancy, expected_occupancy(function, target)))
    try:
        return estimate_kernel(function, target, launch, ctas)
    except UnknownScheduleError:
        return None
