"""
The schedule of a kernel as a picture: which agent does what, and when.

    matmul: loop of 3 stages; 1 producer warp, 8 consumer warps
    cycles    0                   973                 1946
    producer  |0 p0           |1 p0           |2 p0          |
    tensor                    |0 dot               |1 dot
    cuda

Loops are run for a few iterations on a model of the machine: the numbers of `targets` say how
long something takes, and the attributes that `tileas-generate-schedule` writes say in which
order agents do it, and how many buffer stages there are. Numbers before names are those of
iterations; `p0` are the loads that fill pipeline 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, Literal

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    KernelSchedule,
    get_pipeline_id,
    get_schedule,
    get_stage,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.targets.machine import Rates
from tileiras_xdsl.targets.warpgroups import Warpgroups
from tileiras_xdsl.transforms.common.compute_capability import get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import get_warps, kernels
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import memory_bits
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import staged_bytes
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import find_uses, is_view_like
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import is_async_mma
from tileiras_xdsl.xdsl_extras.structure import last_of

from .picture import LINE, MARGIN, Canvas, Picture, colour, fit, plural

Row = Literal["producer", "tensor", "cuda"]
ROWS: Final[tuple[Row, ...]] = ("producer", "tensor", "cuda")
"""The producer agent; the tensor cores and the CUDA cores, for the consumer agent."""

ITERATIONS: Final = 3
TEXT_WIDTH: Final = 100
SPECIAL: Final = frozenset({"exp", "exp2", "log", "log2", "rsqrt", "sqrt", "sin", "cos", "tanh"})
"""Functions that the special function units compute."""
FREE: Final = frozenset({"broadcast", "splat", "expand_dims"})
"""Ops that are free."""


@dataclass(frozen=True)
class Activity:
    """Something that takes time, drawn as a box."""

    row: Row
    start: int
    """In cycles."""
    end: int
    label: str
    iteration: int


@dataclass(frozen=True)
class LoopTimeline:
    """The first iterations of a loop."""

    title: str
    activities: Sequence[Activity]

    @property
    def end(self) -> int:
        """When all is done."""
        return max((each.end for each in self.activities), default=0)

    def __str__(self) -> str:
        scale = self.end / TEXT_WIDTH or 1
        marks = [" "] * (TEXT_WIDTH + 12)
        for tenth in range(0, 10, 2):
            _put(marks, tenth * TEXT_WIDTH // 10, str(round(tenth * self.end / 10)))
        lines = [self.title, f"{'cycles':10}{''.join(marks).rstrip()}"]
        for row in ROWS:
            cells = [" "] * (TEXT_WIDTH + 1)
            for each in self.activities:
                if each.row == row:
                    first, last = round(each.start / scale), round(each.end / scale)
                    text = f"|{each.iteration} {each.label}"[: max(1, last - first)]
                    _put(cells, first, text)
                    _put(cells, last, "|")
            lines.append(f"{row:10}{''.join(cells)}".rstrip())
        return "\n".join(lines)


def _put(cells: list[str], first: int, text: str) -> None:
    cells[first : first + len(text)] = text


@dataclass(frozen=True)
class Timeline:
    """The loops of a kernel that have a schedule."""

    kernel: str
    loops: Sequence[LoopTimeline]

    def __str__(self) -> str:
        if not self.loops:
            return f"{self.kernel}: no loop has a schedule"
        return "\n\n".join(f"{self.kernel}: {loop}" for loop in self.loops)

    def to_picture(self) -> Picture:
        """A picture for browsers, in light or dark as their user likes it."""
        canvas = Canvas()
        _draw(canvas, self)
        return canvas.finish(f"Schedule of {self.kernel}", "schedule", str(self))

    def to_svg(self) -> str:
        """The text of the picture."""
        return self.to_picture().svg

    def _repr_svg_(self) -> str:
        return self.to_svg()


def module_timelines(module: ModuleOp) -> list[Timeline]:
    """The timelines of all kernels of a module that has its schedule."""
    return [schedule_timeline(function) for function in kernels(module)]


def schedule_timeline(function: FuncOp, iterations: int = ITERATIONS) -> Timeline:
    """The timeline of a kernel, after `tileas-generate-schedule`."""
    name = function.attributes.get("sym_name") or function.properties.get("sym_name")
    schedule = get_schedule(function)
    loops: list[LoopTimeline] = []
    for op in function.walk() if schedule is not None else ():
        body = _body(op)
        if schedule is not None and body is not None:
            if any(is_async_mma(each) for each in body.ops):
                title = _title(body, schedule, get_warps(function))
                machine = _Machine(body, schedule, get_warpgroups(function))
                loops.append(LoopTimeline(title, machine.run(iterations)))
    return Timeline(name.data if isinstance(name, StringAttr) else "kernel", loops)


def is_scheduled(op: Operation) -> bool:
    """Whether a schedule is about an op: a load into a pipeline, or a WGMMA."""
    return get_pipeline_id(op) is not None or is_async_mma(op)


def _body(op: Operation) -> Block | None:
    """The body of a loop."""
    match op:
        case scf.ForOp():
            return op.body.block
        case scf.WhileOp():
            return op.after_region.block
        case _:
            return None


def _title(body: Block, schedule: KernelSchedule, warps: int) -> str:
    pipelines = sorted({n for op in body.ops if (n := get_pipeline_id(op)) is not None})
    stages = " and ".join(str(schedule.stages[number]) for number in pipelines)
    producers = plural(schedule.producer_warps, "producer warp")
    if schedule.mma_warps:
        producers += f", {plural(schedule.mma_warps, 'MMA warp')}"
    return f"loop of {stages} stages; {producers}, {plural(warps, 'consumer warp')}"


# The model


@dataclass
class _Machine:
    """Simulates a loop: agents do one thing after the other, and wait for each other's tiles."""

    body: Block
    schedule: KernelSchedule
    model: Warpgroups
    activities: list[Activity] = field(default_factory=list[Activity])
    ready: dict[tuple[int, Operation], int] = field(
        default_factory=dict[tuple[int, Operation], int]
    )
    """When the results of an op of an iteration are ready."""
    filled: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    """When the buffer stage of a pipeline for an iteration is full."""
    released: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    """When the buffer stage of a pipeline for an iteration is empty again."""
    producer: int = 0
    tensor: int = 0
    cuda: int = 0

    def run(self, iterations: int) -> list[Activity]:
        """The activities of some iterations."""
        order = list(self._order(iterations))
        self._loads: dict[int, list[TiledLoadOp]] = {}
        for op in self.body.ops:
            if isinstance(op, TiledLoadOp) and (number := get_pipeline_id(op)) is not None:
                self._loads.setdefault(number, []).append(op)
        fills = [(i, number) for i, op in order if (number := get_pipeline_id(op)) is not None]
        self._queue = list(dict.fromkeys(fills))
        for iteration, op in order:
            self.ready[iteration, op] = self._step(iteration, op)
        return _merge(self.activities)

    def _order(self, iterations: int) -> Iterator[tuple[int, Operation]]:
        """Ops with the iteration they belong to, in the order of software pipelining."""
        ops = [op for op in self.body.ops if op is not self.body.last_op]
        stages = {op: stage for op in ops if (stage := get_stage(op)) is not None}
        if not stages:
            yield from ((i, op) for i in range(iterations) for op in ops)
            return
        ops.sort(key=lambda op: stages[op].order)
        yield from ((0, op) for op in ops if stages[op].stage == 0)
        for i in range(iterations):
            for op in ops:
                if stages[op].stage == 1:
                    yield i, op
                elif i + 1 < iterations:
                    yield i + 1, op

    def _step(self, iteration: int, op: Operation) -> int:
        """Runs an op; returns when its results are ready."""
        inputs = max([0, *(self._time(iteration, value) for value in op.operands)])
        pipeline = get_pipeline_id(op)
        if pipeline is not None:
            return self._fill(iteration, pipeline)
        if is_async_mma(op):
            assert isinstance(op, DotOp)
            start = max(inputs, self.tensor)
            if not self.schedule.mma_warps:
                # Consumer warps issue it, behind all they do before.
                start = max(start, self.cuda)
            self.tensor = start + _dot_cycles(op, self.model)
            self.activities.append(Activity("tensor", start, self.tensor, _name(op), iteration))
            for number in self._pipelines_of(op):
                key = (iteration, number)
                self.released[key] = max(self.released.get(key, 0), self.tensor)
            return self.tensor
        cycles = _thread_cycles(op, self.model.rates)
        if not cycles:
            return inputs
        start = max(inputs, self.cuda)
        if isinstance(op, AggregateOperation) and not self.schedule.mma_warps:
            # Reductions wait for all WGMMAs in flight.
            start = max(start, self.tensor)
        self.cuda = start + cycles
        self.activities.append(Activity("cuda", start, self.cuda, _name(op), iteration))
        return self.cuda

    def _time(self, iteration: int, value: SSAValue) -> int:
        """When a value is ready; those from outside of the loop are from the start."""
        if isinstance(value, BlockArgument):
            if value.owner is not self.body or iteration == 0:
                return 0
            index = value.index - isinstance(self.body.parent_op(), scf.ForOp)
            operands = last_of(self.body).operands
            return 0 if index < 0 else self._time(iteration - 1, operands[index])
        owner = value.owner
        assert isinstance(owner, Operation)
        return self.ready.get((iteration, owner), 0)

    def _fill(self, iteration: int, pipeline: int) -> int:
        """Fills the buffer stage of an iteration, and all that the producer fills before it."""
        while (iteration, pipeline) not in self.filled:
            number, other = self._queue.pop(0)
            loads = self._loads[other]
            free = self.released.get((number - self.schedule.stages[other], other), 0)
            start = max(self.producer, free)
            self.producer = start + staged_bytes(loads) // self.model.rates.l2_bytes
            self.filled[number, other] = self.producer
            label = f"p{other}"
            self.activities.append(Activity("producer", start, self.producer, label, number))
        return self.filled[iteration, pipeline]

    def _pipelines_of(self, op: Operation) -> list[int]:
        return [
            number
            for number, loads in self._loads.items()
            if any(use.op is op for load in loads for use in find_uses(load.result))
        ]


def _name(op: Operation) -> str:
    return op.name.rpartition(".")[2]


def _dot_cycles(op: DotOp, model: Warpgroups) -> int:
    count = prod(get_shape(op.result.type)) * get_shape(op.a.type)[-1]
    bits = memory_bits(get_element(op.a.type))
    return model.iteration_cycles([(count, bits)], 0).tensor


def _thread_cycles(op: Operation, rates: Rates) -> int:
    """How long the CUDA cores are busy with an op on the tiles of a CTA."""
    name = _name(op)
    if is_view_like(op) or name in FREE or op.has_trait(ConstantLike):
        return 0
    values = op.operands if isinstance(op, AggregateOperation) else op.results
    sizes = [prod(get_shape(v.type)) for v in values if isinstance(v.type, TensorType)]
    lanes = rates.special_lanes if name in SPECIAL else rates.lanes
    return max(sizes, default=0) // lanes


def _merge(activities: Sequence[Activity]) -> list[Activity]:
    """One activity for what CUDA cores do in a row for an iteration; names in it appear once."""
    merged: list[Activity] = []
    for each in activities:
        at = next((n for n in reversed(range(len(merged))) if merged[n].row == each.row), None)
        if at is not None and each.row == "cuda":
            last = merged[at]
            if last.end == each.start and last.iteration == each.iteration:
                names = " ".join(dict.fromkeys([*last.label.split(), *each.label.split()]))
                merged[at] = Activity(each.row, last.start, each.end, names, each.iteration)
                continue
        merged.append(each)
    return merged


# The picture

WIDTH: Final = 890.0
LEFT: Final = 90.0
BOX_HEIGHT: Final = 30
ROW_HEIGHT: Final = 36


def _draw(canvas: Canvas, timeline: Timeline) -> None:
    y = float(MARGIN)
    if not timeline.loops:
        canvas.text(MARGIN, y + 12, str(timeline), "dim")
    for loop in timeline.loops:
        y = _draw_loop(canvas, timeline.kernel, loop, y)


def _draw_loop(canvas: Canvas, kernel: str, loop: LoopTimeline, y: float) -> float:
    scale = WIDTH / max(1, loop.end)
    canvas.text(MARGIN, y + 12, f"{kernel}: {loop.title}", "head")
    y += 28
    for row in ROWS:
        canvas.text(MARGIN, y + 19, row)
        for each in loop.activities:
            if each.row == row:
                _draw_box(canvas, each, scale, y)
        y += ROW_HEIGHT
    canvas.line("rule", (LEFT, y), (LEFT + loop.end * scale, y))
    for quarter in range(5):
        x = LEFT + quarter * loop.end * scale / 4
        canvas.text(x, y + LINE, str(quarter * loop.end // 4), "dim", "middle")
    canvas.text(MARGIN, y + LINE, "cycles", "dim")
    return y + 34


def _draw_box(canvas: Canvas, activity: Activity, scale: float, y: float) -> None:
    start, end, iteration = activity.start, activity.end, activity.iteration
    x, width = LEFT + start * scale, max(1.0, (end - start) * scale)
    label = f"{iteration} {activity.label}"
    tip = f"iteration {iteration}: {activity.label}, cycles {start} to {end}"
    with canvas.group(tip):
        canvas.rectangle(x, y, width, BOX_HEIGHT, colour(iteration))
        if len(text := fit(label, width - 5)) >= 2:
            canvas.text(x + 5, y + 19, text)
