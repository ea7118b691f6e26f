"""
What ops and instructions cost: clocks of the unit of an SM that each keeps busy, bytes, how often
it runs, and how long its agent waits there.

At the end of the stage `tileas`, the agents of a kernel are run on a model of an SM (`cost`),
and each op has what it took there. Later stages and PTX have what each op or instruction of threads
takes by itself (`cost.threads`), for all warps that work on tiles, or for one in code of the
producer; how often it runs follows from the loops around it, whose trip
counts are those of the loops of tiles that they came from, and from the branches around the op on
tiles that it came from. What is in descriptors, the bytes of TMA and the shapes of `tcgen05.mma`,
comes from the op on tiles with the same mark. All of it is static: nothing is measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import pairwise
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from tileiras_xdsl.cost import threads
from tileiras_xdsl.cost.cpu import CpuEstimate
from tileiras_xdsl.cost.model import Launch, estimate_kernel
from tileiras_xdsl.cost.report import LABEL, Estimate, Trace
from tileiras_xdsl.cost.warpgroups import UnknownScheduleError
from tileiras_xdsl.transforms.common.kernel_spec import get_target, get_warps, kernels
from tileiras_xdsl.xdsl_extras.walking import walk

from .provenance import (
    Branches,
    Marks,
    Place,
    get_branches,
    get_marks,
    number_branches,
    place_of,
)
from .resources import number
from .search import IrLine, shorten

if TYPE_CHECKING:
    from .exploration import Exploration
    from .steps import PassStep
    from .texts import MarkedText

HEAD: Final = ("times", "bytes", "waits", "unit")
SHOWN: Final = 20
"""Lines of the text."""
IN_DESCRIPTORS: Final = {"TMA": "L2", "tensor cores": "tensor cores"}
"""Kinds of instructions that do not say what they do, and the unit that does it."""

_LABEL: Final = re.compile(r"(\$L[\w$]+):")
_BRANCH: Final = re.compile(r"\bbra\b|^\$L[\w$]+[,;]$")
"""Branches, and the lines of tables of targets."""
_TARGETS: Final = re.compile(r"(\$L[\w$]+)")
_FUNCTION: Final = re.compile(r"(?:\.\w+\s+)*\.(?:entry|func)\b")


@dataclass(frozen=True)
class OpCost:
    """What an op takes."""

    clocks: float
    """Of the unit that it keeps busy longest, each time that a CTA runs it."""
    unit: str
    bytes: float = 0.0
    """Moved each time."""
    times: float = 1.0
    """How often a CTA runs it."""
    waits: float = 0.0
    """Clocks that its agent waits there, each time."""

    @property
    def total(self) -> float:
        """Clocks of the unit in all."""
        return self.clocks * self.times

    def __add__(self, other: OpCost) -> OpCost:
        """Of two that are on the same line."""
        longer = self if self.total >= other.total else other
        return OpCost(
            max(self.clocks, other.clocks)
            if self.unit != other.unit
            else self.clocks + other.clocks,
            longer.unit,
            self.bytes + other.bytes,
            max(self.times, other.times),
            max(self.waits, other.waits),
        )


class CostError(ValueError):
    """A step whose cost is not known."""


@dataclass(frozen=True, eq=False, repr=False)
class Costs:
    """
    The cost of each line of a step or of PTX.

        c = s.cost()
        c[97]                   of a line, from 1; None if it takes nothing
        c.of(op)                of an op of the step
        c.heaviest              the lines by clocks in all, the longest first
        c.annotated             all lines with their cost
    """

    name: str
    lines: Sequence[str] = field(repr=False)
    marks: Sequence[Marks] = field(repr=False)
    costs: Sequence[OpCost | None] = field(repr=False)
    """For each line."""
    estimates: Sequence[Estimate | CpuEstimate] = field(repr=False)
    """Of the kernels, from the stage `tileas`."""
    time: str = "clocks"
    """What an op takes is counted in."""

    def __getitem__(self, line: int) -> OpCost | None:
        if not 1 <= line <= len(self.costs):
            raise CostError(f"{self.name} has {len(self.costs)} lines, not {line}")
        return self.costs[line - 1]

    def of(self, what: Operation | IrLine) -> OpCost | None:
        """Of an op that the exploration gave out, or a hit of a search; all lines of its marks."""
        marks = what.marks if isinstance(what, IrLine) else get_marks(what)
        if isinstance(what, IrLine) and what.line <= len(self.lines):
            if self.lines[what.line - 1].strip() == what.text.strip():
                return self[what.line]
        wanted, found = set(marks), None
        for cost, own in zip(self.costs, self.marks, strict=True):
            if cost is not None and wanted & set(own):
                found = cost if found is None else found + cost
        return found

    @cached_property
    def heaviest(self) -> Sequence[tuple[int, OpCost]]:
        """Lines, from 1, with their cost; the ones that take longest in all come first."""
        found = [(n, cost) for n, cost in enumerate(self.costs, 1) if cost is not None]
        # Waiting is no work: of lines that only wait, those that wait longest come first.
        return sorted(found, key=lambda each: (-each[1].total, -each[1].waits * each[1].times))

    @property
    def annotated(self) -> str:
        """All lines, with what they take before them."""
        head, *rows = _rows(self.costs, self.time)
        lines = (f"{row} │ {line}" for row, line in zip(rows, self.lines, strict=True))
        return "\n".join((f"{head} │", *lines))

    @property
    def summary(self) -> str:
        """What it is, and what limits the kernels."""
        limits = "; ".join(f"@{each.kernel} is limited by {each.limit}" for each in self.estimates)
        return f"{self.name}: {LABEL}; {limits}"

    def __str__(self) -> str:
        shown = self.heaviest[:SHOWN]
        head, *rows = _rows([cost for _, cost in shown], self.time)
        lines = (
            f"{row}  {line:5}  {shorten(self.lines[line - 1].strip())}"
            for row, (line, _) in zip(rows, shown, strict=True)
        )
        return "\n".join((self.summary, f"{head}   line", *lines))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """The heaviest lines, and all to be opened."""
        most = max((cost.total for _, cost in self.heaviest), default=0.0) or 1.0
        rows = "".join(
            "<tr>"
            + "".join(f'<td style="text-align:right">{escape(cell)}</td>' for cell in _cells(cost))
            + f'<td style="text-align:left;white-space:pre;font-family:monospace;background:'
            f"linear-gradient(to right,#f59e0b44 {100 * cost.total / most:.0f}%,transparent 0)"
            f'">{line:5}  {escape(shorten(self.lines[line - 1].strip()))}</td></tr>'
            for line, cost in self.heaviest[:SHOWN]
        )
        head = "".join(f"<th>{name}</th>" for name in (self.time, *HEAD, "line"))
        style = "overflow:auto;white-space:pre;max-height:40em"
        return (
            f"<p>{escape(self.summary)}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}"
            f"</tbody></table><details><summary>all lines</summary>"
            f'<pre style="{style}">{escape(self.annotated)}</pre></details>'
        )


def _cells(cost: OpCost) -> tuple[str, str, str, str, str]:
    return (
        number(round(cost.clocks, 2)),
        number(round(cost.times, 1)),
        number(cost.bytes) if cost.bytes else "",
        number(round(cost.waits)) if round(cost.waits) else "",
        cost.unit,
    )


def _rows(costs: Sequence[OpCost | None], time: str) -> Iterator[str]:
    """The head of a table, and a row for each cost: numbers, and the unit at the left."""
    head = (time, *HEAD)
    rows = [head, *(("",) * len(head) if cost is None else _cells(cost) for cost in costs)]
    *numbers, last = (max(map(len, column)) for column in zip(*rows, strict=True))
    for *cells, unit in rows:
        found = (text.rjust(width) for text, width in zip(cells, numbers, strict=True))
        yield "  ".join((*found, unit.ljust(last)))


@dataclass
class CostModel:
    """The costs of the steps of an exploration, for one launch or none."""

    exploration: Exploration
    launch: Launch | None = None
    _tiles: dict[Operation, OpCost] = field(default_factory=dict[Operation, OpCost], init=False)
    """Of the end of the stage `tileas`."""
    trips: dict[Place, float] = field(default_factory=dict[Place, float], init=False)
    """How often loops run, by what they came from."""
    shares: dict[int, float] = field(default_factory=dict[int, float], init=False)
    """How often branches are taken, of the times that there is a choice, by their numbers."""
    estimates: list[Estimate] = field(default_factory=list[Estimate], init=False)

    def __post_init__(self) -> None:
        self._tiles = dict(self._run(self.exploration.step("tileas").snapshot.module))

    def _run(self, module: ModuleOp) -> Iterator[tuple[Operation, OpCost]]:
        """Runs the kernels of a module of tiles."""
        target, numbers = get_target(module), number_branches(module)
        for function in kernels(module):
            trace = Trace()
            try:
                estimate = estimate_kernel(function, target, self.launch, trace=trace)
            except UnknownScheduleError as error:
                raise CostError(f"@{function.sym_name.data} has no cost: {error}") from None
            self.estimates.append(estimate)
            for loop, trips in trace.trips():
                place = place_of(loop)
                self.trips[place] = max(trips, self.trips.get(place, 0.0))
            self.shares |= {numbers[region]: share for region, share in trace.shares()}
            ctas = estimate.ctas
            for op, use in trace.uses.items():
                if not use.times or not (use.busy or use.waited):
                    continue
                unit, clocks = max(use.busy.items(), key=itemgetter(1), default=("waiting", 0.0))
                clocks /= use.times
                moved, waited = use.bytes / use.times, use.waited / use.times
                yield op, OpCost(clocks, unit, moved, use.times / ctas, waited)

    @cached_property
    def _warps(self) -> int:
        module = self.exploration.step("tileas").snapshot.module
        return max(map(get_warps, kernels(module)))

    @cached_property
    def _by_places(self) -> Mapping[tuple[str, Place], list[OpCost]]:
        """What units do for ops on tiles."""
        found: dict[tuple[str, Place], list[OpCost]] = {}
        for op, cost in self._tiles.items():
            found.setdefault((cost.unit, place_of(op)), []).append(cost)
        return found

    def of_step(self, step: PassStep) -> Costs:
        """Of a module of the stages `tileas` to `nvvm`."""
        module = step.snapshot.module
        if step.stage == "tileas":
            last = self.exploration.step("tileas").snapshot
            costs = self._tiles if step.snapshot is last else dict(self._run_again(module))
        elif step.stage in ("nvgpu", "nvvm"):
            costs = dict(self._of_threads(module))
        else:
            raise CostError(f"ops of the stage {step.stage} have no cost, those of tileas have")
        return Costs(step.name, step.lines, step.marks, by_lines(step, costs), self.estimates)

    def _run_again(self, module: ModuleOp) -> Iterator[tuple[Operation, OpCost]]:
        """A module before the end of its stage, whose ops are run as they are."""
        model = CostModel.__new__(CostModel)
        model.exploration, model.launch = self.exploration, self.launch
        model.trips, model.shares, model.estimates = {}, {}, []
        yield from model._run(module)

    def _of_threads(self, module: ModuleOp) -> Iterator[tuple[Operation, OpCost]]:
        target = get_target(self.exploration.step("tileas").snapshot.module)
        around, producers = _LoopNest(self.trips), threads.find_producers(module)
        rest: dict[tuple[str, Place], list[tuple[Operation, float]]] = {}
        for op in walk(module):
            times = around.times(op) * self._share_of(get_branches(op))
            warps = threads.PRODUCER_WARPS if _is_in(op, producers) else self._warps
            cost = threads.cost_of_op(op, target, warps)
            if cost is not None:
                yield op, OpCost(cost.clocks, cost.unit, cost.bytes, times)
            elif (unit := IN_DESCRIPTORS.get(threads.kind_of_name(op.name))) is not None:
                rest.setdefault((unit, place_of(op)), []).append((op, times))
        for key, ops in rest.items():
            for (op, times), cost in zip(ops, self._shares(key, len(ops)), strict=True):
                yield op, OpCost(cost.clocks, cost.unit, cost.bytes, times)

    def _share_of(self, branches: Branches) -> float:
        """How often ops in branches run, of the times that they would without these."""
        return prod(self.shares.get(each, 1.0) for each in branches)

    def _shares(self, key: tuple[str, Place], count: int) -> Iterator[OpCost]:
        """What an op on tiles takes, divided among the instructions that it became."""
        tiles = self._by_places.get(key, [OpCost(0.0, key[0])])
        clocks, moved = (max(each) for each in zip(*((t.clocks, t.bytes) for t in tiles)))
        part = len(tiles) / count
        for _ in range(count):
            yield OpCost(clocks * part, key[0], moved * part)

    def of_ptx(self, text: MarkedText) -> Costs:
        """Of the instructions of PTX."""
        target = get_target(self.exploration.step("tileas").snapshot.module)
        times, producer = _ptx_times(text, self.trips)
        found: list[OpCost | None] = [None] * len(text.lines)
        rest: dict[tuple[str, Place], list[int]] = {}
        times = [
            count * self._share_of(branches)
            for count, branches in zip(times, text.branches, strict=True)
        ]
        for at, line in enumerate(text.lines):
            warps = threads.PRODUCER_WARPS if at in producer else self._warps
            for instruction in threads.instructions_of(line):
                cost = threads.cost_of_instruction(instruction, line, target, warps)
                unit = IN_DESCRIPTORS.get(threads.kind_of(instruction))
                if cost is not None:
                    made = OpCost(cost.clocks, cost.unit, cost.bytes, times[at])
                    known = found[at]
                    found[at] = made if known is None else known + made
                elif unit is not None:
                    rest.setdefault((unit, (text.marks[at], text.branches[at])), []).append(at)
        for key, places in rest.items():
            for at, cost in zip(places, self._shares(key, len(places)), strict=True):
                found[at] = OpCost(cost.clocks, cost.unit, cost.bytes, times[at])
        return Costs(text.name, text.lines, text.marks, found, self.estimates)


def by_lines(step: PassStep, costs: Mapping[Operation, OpCost]) -> list[OpCost | None]:
    """The costs of the lines of a step."""
    listing = step.snapshot.listing
    found: list[OpCost | None] = [None] * len(listing.lines)
    for line, ops in listing.ops.items():
        for op in ops:
            if (cost := costs.get(op)) is not None:
                known = found[line]
                found[line] = cost if known is None else known + cost
    return found


@dataclass
class _LoopNest:
    """How often ops run, from the loops around them."""

    trips: Mapping[Place, float]
    _known: dict[Operation, float] = field(default_factory=dict[Operation, float])
    _blocks: dict[Block, float] = field(default_factory=dict[Block, float])

    def times(self, op: Operation) -> float:
        """How often an op runs."""
        block = op.parent
        if block is None:
            return 1.0
        if block not in self._blocks:
            parent = op.parent_op()
            around = 1.0 if parent is None else self.times(parent)
            if isinstance(parent, scf.ForOp | scf.WhileOp):
                around *= self.trips.get(place_of(parent), 1.0)
            region = block.parent
            assert region is not None
            for each, count in _loops_of_blocks(list(region.blocks), self.trips):
                self._blocks[each] = around * count
        return self._blocks[block]


def _loops_of_blocks(
    blocks: Sequence[Block], trips: Mapping[Place, float]
) -> Iterator[tuple[Block, float]]:
    """How often blocks run each time that their region does."""
    places = {block: at for at, block in enumerate(blocks)}
    branches = [block.last_op for block in blocks]
    successors = [
        [] if last is None else [places[each] for each in last.successors] for last in branches
    ]

    def trips_of(number: int) -> float | None:
        last = branches[number]
        return None if last is None else trips.get(place_of(last))

    yield from zip(blocks, threads.count_times(successors, trips_of), strict=True)


def _is_in(op: Operation, blocks: set[Block]) -> bool:
    """Whether an op is in one of some blocks, or nested in an op that is."""
    around: Operation | None = op
    while blocks and around is not None:
        if around.parent in blocks:
            return True
        around = around.parent_op()
    return False


def _ptx_times(text: MarkedText, trips: Mapping[Place, float]) -> tuple[list[float], set[int]]:
    """How often lines of PTX run, and those that the producer runs."""
    times, producer = [1.0] * len(text.lines), set[int]()
    starts = [at for at, line in enumerate(text.lines) if _FUNCTION.match(line) is not None]
    for first, last in pairwise((*starts, len(text.lines))):
        found = _function_times(text, first, last, trips)
        for at, (count, is_producer) in zip(range(first, last), found, strict=True):
            times[at] = count
            if is_producer:
                producer.add(at)
    return times, producer


def _function_times(
    text: MarkedText, first: int, last: int, trips: Mapping[Place, float]
) -> Iterator[tuple[float, bool]]:
    """
    How often each line runs, and whether the producer runs it. Blocks end at branches, and begin
    at labels.
    """
    block_of: list[int] = []
    branches: list[list[tuple[int, str]]] = [[]]
    ends: list[bool] = [False]
    labels: dict[str, int] = {}
    issued, shared = set[int](), set[int]()
    for at in range(first, last):
        line = text.lines[at].strip()
        label = _LABEL.match(line)
        is_target = line.startswith("$L") and label is None
        if label is not None or (branches[-1] and not is_target):
            branches.append([])
            ends.append(False)
        if label is not None:
            labels[label[1]] = len(branches) - 1
        block_of.append(len(branches) - 1)
        for instruction in threads.instructions_of(line):
            if threads.is_issued(instruction):
                issued.add(block_of[-1])
            elif threads.is_shared_work(instruction, threads.kind_of(instruction)):
                shared.add(block_of[-1])
        if _BRANCH.search(line) is not None:
            branches[-1] += [(at, target) for target in _TARGETS.findall(line)]
        ends[-1] = ends[-1] or line.startswith(("bra.uni", "bra ", "ret", "exit", "brx", "trap"))
    successors = [
        [labels[target] for _, target in found if target in labels]
        + ([number + 1] if number + 1 < len(branches) and not ends[number] else [])
        for number, found in enumerate(branches)
    ]

    def trips_of(number: int) -> float | None:
        places = ((text.marks[at], text.branches[at]) for at, _ in branches[number])
        known = [*map(trips.get, places)]
        return next((each for each in known if each is not None), None)

    times = threads.count_times(successors, trips_of)
    producer = threads.find_producer_blocks(successors, issued, shared)
    return ((times[block], block in producer) for block in block_of)
