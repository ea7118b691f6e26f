"""
The schedule of a kernel as a picture: which agent does what, and when.

    matmul: loop of 3 stages; 1 producer warp, 8 consumer warps
    cycles    0                   973                 1946
    producer  |0 p0           |1 p0           |2 p0          |
    tensor                    |0 dot               |1 dot
    cuda
    prologue to 973, steady state to 2919, drain to 3892

Loops are run for a few iterations on a model of the machine: the numbers of `targets` say how
long something takes, and the attributes that `tileas-generate-schedule` writes say in which
order agents do it, and how many buffer stages there are. Numbers before names are those of
iterations; `p0` are the loads that fill pipeline 0. Where there are several dots, they have
numbers, and a legend says which is which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from os.path import basename
from typing import Final, Literal

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas import decisions
from tileiras_xdsl.dialects.nv_tileas.atoms import StagedLoad, is_async_mma
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.targets.machine import Rates
from tileiras_xdsl.targets.warpgroups import Warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import get_warpgroups, get_warps, kernels
from tileiras_xdsl.transforms.tileas.kernel_model.copied_loads import find_copied_ops
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import staged_bytes
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import find_uses, is_view_like
from tileiras_xdsl.xdsl_extras.diagnostics import source_location
from tileiras_xdsl.xdsl_extras.walking import last_of

from .picture import (
    LINE,
    MARGIN,
    Canvas,
    MarksOf,
    Picture,
    colour,
    fit,
    no_marks,
    plural,
    type_name,
    value_name,
)

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
    ops: tuple[Operation, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True)
class Phase:
    """A part of the time of a loop."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class LoopTimeline:
    """The first iterations of a loop."""

    title: str
    activities: Sequence[Activity]
    phases: Sequence[Phase] = ()
    """Until the first iteration is under way as a whole; until nothing new begins; the rest."""
    legend: Mapping[str, str] = field(default_factory=dict[str, str])
    """What labels stand for: pipelines, and dots where there are several."""

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
                    room = max(1, last - first)
                    text = f"|{each.iteration} {each.label}"
                    if len(text) > room:
                        text = text.replace(" dot", " d")
                    text = text[:room]
                    _put(cells, first, text)
                    _put(cells, last, "|")
            lines.append(f"{row:10}{''.join(cells)}".rstrip())
        lines.append(", ".join(f"{phase.name} to {phase.end}" for phase in self.phases))
        dots = [name for name in self.legend if name.startswith("dot")]
        if len(dots) > 1:
            lines += [f"{name:10}{self.legend[name]}" for name in dots]
        return "\n".join(filter(None, lines))


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

    def to_picture(
        self, marks_of: MarksOf = no_marks, *, window: tuple[int, int] | None = None
    ) -> Picture:
        """
        A picture for browsers, in light or dark as their user likes it; of all cycles, or of those
        from one to another.
        """
        canvas = Canvas()
        _draw(canvas, self, marks_of, window)
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
    schedule = decisions.get_schedule(function)
    loops: list[LoopTimeline] = []
    for op in function.walk() if schedule is not None else ():
        body = _body(op)
        if schedule is not None and body is not None:
            if any(is_async_mma(each) for each in body.ops):
                title = _title(body, schedule, get_warps(function))
                machine = _Machine(body, schedule, get_warpgroups(function))
                activities = machine.run(iterations)
                loops.append(LoopTimeline(title, activities, _phases(activities), machine.legend()))
    return Timeline(name.data if isinstance(name, StringAttr) else "kernel", loops)


def is_scheduled(op: Operation) -> bool:
    """Whether a schedule is about an op: a load into a pipeline, or a WGMMA."""
    return decisions.get_pipeline_id(op) is not None or is_async_mma(op)


def _body(op: Operation) -> Block | None:
    """The body of a loop."""
    match op:
        case scf.ForOp():
            return op.body.block
        case scf.WhileOp():
            return op.after_region.block
        case _:
            return None


def _title(body: Block, schedule: decisions.KernelSchedule, warps: int) -> str:
    pipelines = sorted({n for op in body.ops if (n := decisions.get_pipeline_id(op)) is not None})
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
    schedule: decisions.KernelSchedule
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
        parent = self.body.parent_op()
        self._copied = set[Operation]() if parent is None else find_copied_ops(parent)
        order = list(self._order(iterations))
        self._loads: dict[int, list[StagedLoad]] = {}
        for op in self.body.ops:
            number = decisions.get_pipeline_id(op)
            if isinstance(op, StagedLoad) and number is not None:
                self._loads.setdefault(number, []).append(op)
        fills = [
            (i, number) for i, op in order if (number := decisions.get_pipeline_id(op)) is not None
        ]
        self._queue = list(dict.fromkeys(fills))
        for iteration, op in order:
            self.ready[iteration, op] = self._step(iteration, op)
        return _merge(self.activities)

    def _order(self, iterations: int) -> Iterator[tuple[int, Operation]]:
        """Ops with the iteration they belong to, in the order of software pipelining."""
        ops = [op for op in self.body.ops if op is not self.body.last_op]
        stages = {op: stage for op in ops if (stage := decisions.get_stage(op)) is not None}
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
        pipeline = decisions.get_pipeline_id(op)
        if pipeline is not None:
            return self._fill(iteration, pipeline)
        if is_async_mma(op):
            assert isinstance(op, DotOp)
            start = max(inputs, self.tensor)
            if not self.schedule.mma_warps:
                # Consumer warps issue it, behind all they do before.
                start = max(start, self.cuda)
            self.tensor = start + _dot_cycles(op, self.model)
            label = self._label(op)
            box = Activity("tensor", start, self.tensor, label, iteration, (op,))
            self.activities.append(box)
            for number in self._pipelines_of(op):
                key = (iteration, number)
                self.released[key] = max(self.released.get(key, 0), self.tensor)
            return self.tensor
        cycles = _thread_cycles(op, self.model.rates)
        if not cycles or op in self._copied:
            # Addresses of what producer threads copy are known in time.
            return inputs
        start = max(inputs, self.cuda)
        if isinstance(op, AggregateOperation) and not self.schedule.mma_warps:
            # Reductions wait for all WGMMAs in flight.
            start = max(start, self.tensor)
        self.cuda = start + cycles
        box = Activity("cuda", start, self.cuda, _name(op), iteration, (op,))
        self.activities.append(box)
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
            box = Activity("producer", start, self.producer, label, number, tuple(loads))
            self.activities.append(box)
        return self.filled[iteration, pipeline]

    def _label(self, op: Operation) -> str:
        """The name of a dot, with a number if there are several."""
        dots = [each for each in self.body.ops if is_async_mma(each)]
        return _name(op) if len(dots) == 1 else f"{_name(op)}{dots.index(op) + 1}"

    def legend(self) -> dict[str, str]:
        """What labels stand for."""
        found: dict[str, str] = {}
        for number, loads in sorted(self._loads.items()):
            tiles = ", ".join(type_name(load.result.type) for load in loads)
            found[f"p{number}"] = f"{plural(len(loads), 'load')} of {tiles}{_place(loads[0])}"
        for op in self.body.ops:
            if is_async_mma(op):
                assert isinstance(op, DotOp)
                a, b, c = (
                    "x".join(map(str, get_shape(each.type))) for each in (op.a, op.b, op.result)
                )
                cycles = _dot_cycles(op, self.model)
                name = value_name(op.result)
                named = f"{name} = " if name.startswith("%") else ""
                found[self._label(op)] = f"{named}{a} · {b} → {c}, {cycles} cycles{_place(op)}"
        return found

    def _pipelines_of(self, op: Operation) -> list[int]:
        return [
            number
            for number, loads in self._loads.items()
            if any(use.op is op for load in loads for use in find_uses(load.result))
        ]


def _place(op: Operation) -> str:
    """Where an op is in the source, if that is known."""
    found = source_location(op)
    return "" if found is None else f", {basename(found.filename.data)}:{found.line.data}"


def _phases(activities: Sequence[Activity]) -> list[Phase]:
    """
    A software-pipelined loop is in its steady state from the first dot of its second iteration to
    the last dot of its last one. Any other one is from the first dot until all is loaded.
    """
    tensor = [each for each in activities if each.row == "tensor"]
    if not tensor:
        return []
    end = max(each.end for each in activities)
    last = max(each.iteration for each in tensor)
    by_iteration = [[each.start for each in tensor if each.iteration == n] for n in range(last + 1)]
    if last and by_iteration[1][0] < by_iteration[0][-1]:
        begin, drain = by_iteration[1][0], by_iteration[last][-1]
    else:
        begin = by_iteration[0][0]
        drain = max((each.end for each in activities if each.row == "producer"), default=end)
    drain = min(max(begin, drain), end)
    return [
        Phase("prologue", 0, begin),
        Phase("steady state", begin, drain),
        Phase("drain", drain, end),
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
                ops = (*last.ops, *each.ops)
                merged[at] = Activity(each.row, last.start, each.end, names, each.iteration, ops)
                continue
        merged.append(each)
    return merged


# The picture

WIDTH: Final = 890.0
LEFT: Final = 90.0
BOX_HEIGHT: Final = 30
ROW_HEIGHT: Final = 36


PHASE_HEIGHT: Final = 18


def _draw(
    canvas: Canvas, timeline: Timeline, marks_of: MarksOf, window: tuple[int, int] | None
) -> None:
    y = float(MARGIN)
    if not timeline.loops:
        canvas.text(MARGIN, y + 12, str(timeline), "dim")
    for loop in timeline.loops:
        y = _draw_loop(canvas, timeline.kernel, loop, y, marks_of, window or (0, loop.end))


def _draw_loop(
    canvas: Canvas,
    kernel: str,
    loop: LoopTimeline,
    y: float,
    marks_of: MarksOf,
    window: tuple[int, int],
) -> float:
    first, last = window
    scale = WIDTH / max(1, last - first)

    def place(start: int, end: int) -> tuple[float, float] | None:
        """Where something is drawn, and how wide; none if it is not in the window."""
        begin, stop = max(start, first), min(end, last)
        if begin >= stop:
            return None
        return LEFT + (begin - first) * scale, max(1.0, (stop - begin) * scale)

    canvas.text(MARGIN, y + 12, f"{kernel}: {loop.title}", "head")
    y += 28
    bottom = y + PHASE_HEIGHT + len(ROWS) * ROW_HEIGHT
    for phase in loop.phases:
        if (found := place(phase.start, phase.end)) is not None:
            x, width = found
            with canvas.group(f"{phase.name}, cycles {phase.start} to {phase.end}"):
                canvas.rectangle(x, y, width, PHASE_HEIGHT - 4, "shade")
                if fit(phase.name, width - 8, "small") == phase.name:
                    canvas.text(x + 5, y + 11, phase.name, "small")
            if phase.start > first:
                canvas.line("back", (x, y), (x, bottom))
    y += PHASE_HEIGHT
    for row in ROWS:
        canvas.text(MARGIN, y + 19, row)
        for each in loop.activities:
            if each.row == row and (found := place(each.start, each.end)) is not None:
                marks = sorted({mark for op in each.ops for mark in marks_of(op)})
                _draw_box(canvas, each, *found, y, marks, loop.legend)
        y += ROW_HEIGHT
    canvas.line("rule", (LEFT, y), (LEFT + (last - first) * scale, y))
    for quarter in range(5):
        x = LEFT + quarter * (last - first) * scale / 4
        canvas.text(x, y + LINE, str(first + quarter * (last - first) // 4), "dim", "middle")
    canvas.text(MARGIN, y + LINE, "cycles", "dim")
    y += LINE
    for name, meaning in loop.legend.items():
        y += LINE
        ops = [op for each in loop.activities if each.label == name for op in each.ops]
        with canvas.group(meaning, sorted({mark for op in ops for mark in marks_of(op)})):
            canvas.text(LEFT, y + 4, f"{name}: {meaning}", "small")
    return y + 24


def _draw_box(
    canvas: Canvas,
    activity: Activity,
    x: float,
    width: float,
    y: float,
    marks: Sequence[int],
    legend: Mapping[str, str],
) -> None:
    start, end, iteration = activity.start, activity.end, activity.iteration
    meaning = legend.get(activity.label)
    tip = f"iteration {iteration}: {activity.label}, cycles {start} to {end}"
    with canvas.group(tip if meaning is None else f"{tip}\n{meaning}", marks):
        canvas.rectangle(x, y, width, BOX_HEIGHT, colour(iteration))
        for text in _shortened(str(iteration), activity.label.split()):
            for kind in ("", "small"):
                if fit(text, width - 6, kind) == text:
                    canvas.text(x + 3, y + 19, text, kind)
                    return


def _shortened(number: str, words: Sequence[str]) -> Iterator[str]:
    """The label of a box, then whole words of it, then the number alone."""
    yield " ".join((number, *words))
    for count in range(len(words) - 1, 0, -1):
        yield " ".join((number, *words[:count], "…"))
    yield number
