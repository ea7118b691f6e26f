"""What kernels take of a CPU: code, scratch memory, and how long they are expected to take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.cost.cpu import CpuEstimate, estimate_on_cpu
from tileiras_xdsl.cost.model import NOMINAL, Launch
from tileiras_xdsl.cost.report import LABEL, Prediction
from tileiras_xdsl.driver.compiler.cpu import host_rates
from tileiras_xdsl.targets.cpu import LAUNCH_MICROSECONDS
from tileiras_xdsl.xdsl_extras.walking import walk

from .cost import CostError, Costs, OpCost, by_lines
from .resources import NotedTable, Table, cells_of, join_cells, number

if TYPE_CHECKING:
    from .exploration import CpuExploration
    from .steps import PassStep

STAGE: Final = "tileaa"
"""The last stage that has tiles."""
NOTE: Final = (
    f"times: {LABEL}; without a launch, of one tile block, in which loops whose trip count is not "
    f"known have {NOMINAL.inner} iterations"
)
_LABEL: Final = re.compile(r"(?:_?(\w+)):")
_CODE: Final = re.compile(r"\s+([a-z]\w+)")
_VECTOR: Final = re.compile(r"[xyz]mm\d|\bv\d+\.")


@dataclass(frozen=True)
class CpuResources:
    """One kernel."""

    kernel: str
    scratch: int
    """Bytes of memory for each thread."""
    instructions: int
    vectors: int
    """Instructions that have vectors."""
    estimate: CpuEstimate
    launch: Launch | None

    def cells(self) -> Iterator[tuple[str, str]]:
        """What there is to say of it, in the order of a table."""
        yield "scratch memory, bytes", number(self.scratch)
        yield "instructions", number(self.instructions)
        yield "  with vectors", number(self.vectors)
        estimate = self.estimate
        time = estimate.microseconds - (LAUNCH_MICROSECONDS if self.launch is None else 0.0)
        kind = "tile block" if self.launch is None else "launch"
        yield f"estimated µs of a {kind}", f"{time:.4g}"
        yield "  limited by", estimate.limit


class CpuResourcesTable(NotedTable, tuple[CpuResources, ...]):
    """All kernels of a program; as a string and in notebooks a table."""

    __slots__ = ()

    NOTE = NOTE

    @property
    def table(self) -> Table:
        """A column for each kernel."""
        return Table(("", *(each.kernel for each in self)), join_cells([*map(cells_of, self)]))


def find_estimates(
    exploration: CpuExploration, launch: Launch | None, step: PassStep | None = None
) -> list[CpuEstimate]:
    """Those of all kernels, as they are at the end of the last stage that has tiles."""
    module = (step or exploration.step(STAGE)).snapshot.module
    functions = (op for op in walk(module) if isinstance(op, FuncOp))
    return [estimate_on_cpu(each, host_rates(), launch) for each in functions]


def find_resources(exploration: CpuExploration, launch: Launch | None) -> CpuResourcesTable:
    """Of all kernels of a program that went all the way."""
    code = dict(_functions(exploration.asm))
    scratch = {each.name: each.scratch for each in exploration.compiled.kernels}
    return CpuResourcesTable(
        CpuResources(
            *(each.kernel, scratch[each.kernel], len(code[each.kernel])),
            sum(_VECTOR.search(line) is not None for line in code[each.kernel]),
            each,
            launch,
        )
        for each in find_estimates(exploration, launch)
    )


def _functions(asm: str) -> Iterator[tuple[str, list[str]]]:
    """The instructions of each function."""
    found: list[str] = []
    for line in asm.splitlines():
        if (label := _LABEL.match(line)) is not None:
            found = []
            yield label[1], found
        elif _CODE.match(line) is not None:
            found.append(line)


def predict_on_cpu(estimate: CpuEstimate) -> Prediction:
    """The time of a launch."""
    time = estimate.microseconds
    return Prediction(estimate.kernel, "cpu", time, LAUNCH_MICROSECONDS, 0.0, estimate.limits)


def find_costs(exploration: CpuExploration, launch: Launch | None, step: PassStep) -> Costs:
    """What each op of a step of level 1 takes of a core, in nanoseconds."""
    if step.stage != STAGE:
        raise CostError(f"ops of the stage {step.stage} have no cost, those of {STAGE} have")
    estimates = find_estimates(exploration, launch, step)
    costs = {
        op: OpCost(1e9 * work.seconds, work.unit, work.bytes, times)
        for each in estimates
        for op, work in each.work.items()
        if (times := each.times.get(op))
    }
    found: Sequence[OpCost | None] = by_lines(step, costs)
    return Costs(step.name, step.lines, step.marks, found, estimates, "ns")
