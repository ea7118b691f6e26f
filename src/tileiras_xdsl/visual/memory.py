"""
The shared memory of a kernel, and the live ranges of its buffers.

    gemm: 214016 of 232448 bytes
    0–147455       stages     3 stages of tensor<128x64xf16> and …; ops 22 to 46 of 50
    147456–147503  barriers   3 stages, full and empty; ops 22 to 46 of 50

Offsets go down, the program goes to the right. Light parts are allocated, dark ones live: memory
for a loop is live as long as the loop runs. The numbers are those of
`tileas-allocate-shared-memory`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import CreatePipelineOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers, get_shared_memory
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tma import MAP_BYTES
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import allocate
from tileiras_xdsl.transforms.tileas.kernel_model.map_requests import find_built_maps
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess

from .picture import (
    CHARACTER,
    LINE,
    MARGIN,
    Canvas,
    MarksOf,
    Picture,
    colour,
    fit,
    no_marks,
    plural,
)
from .words import (
    AGENTS,
    LOOPS,
    describe,
    header,
    region_name,
    short_name,
    symbol,
    title_of,
    type_name,
)

WIDTH: Final = 900.0
HEIGHT: Final = 360.0
LEAST_HEIGHT: Final = 18.0
ROW: Final = 17.0
COLOURS: Final = {"stages": 0, "barriers": 3, "buffer": 6, "staging buffer": 4, "scratch": 2}


@dataclass(frozen=True)
class SharedAllocation:
    """A buffer in shared memory that an op was given."""

    start: int
    size: int
    what: str
    user: Operation | None
    is_scratch: bool = False


@dataclass(frozen=True)
class Span:
    """A buffer and its live range, as positions in the program."""

    buffer: SharedAllocation
    start: int
    """In bytes, from the start of shared memory."""
    first: int
    last: int

    @property
    def end(self) -> int:
        return self.start + self.buffer.size

    @property
    def stages(self) -> int:
        """The buffer stages of a pipeline."""
        user = self.buffer.user
        return user.get_num_stages() if isinstance(user, CreatePipelineOp) else 1

    @property
    def use(self) -> str:
        """What it is for."""
        user = self.buffer.user
        if user is None:
            return "tensor maps"
        if not isinstance(user, CreatePipelineOp):
            return short_name(user)
        tiles = [type_name(ty) for ty in user.result.type.element_types]
        if self.buffer.what == "barriers":
            return f"{plural(self.stages, 'stage')}, full and empty"
        return f"{plural(self.stages, 'stage')} of {' and '.join(tiles)}"


@dataclass(frozen=True)
class Bar:
    """A loop or an agent, by the positions of its ops."""

    op: Operation
    label: str
    kind: str
    first: int
    last: int
    depth: int


@dataclass(frozen=True)
class Usage:
    """The shared memory of a kernel."""

    function: Operation
    size: int
    limit: int
    ops: Sequence[Operation]
    """In the order of the program."""
    spans: Sequence[Span]
    """By where they start."""
    bars: Sequence[Bar]


def shared_memory_over_time(module: ModuleOp | FuncOp, *, marks_of: MarksOf = no_marks) -> Picture:
    """The shared memory of the kernels of a module at the end of stage `tileas`, or of one."""
    title = title_of("Shared memory", module)
    canvas = Canvas()
    y = MARGIN + 12.0
    canvas.text(MARGIN, y, title, "head")
    texts = [title]
    for usage in _usages(module):
        y = _Drawing(canvas, usage, marks_of).draw(y + 8)
        texts += _texts(usage)
    return canvas.finish(title, "memory", "\n".join(texts))


def _usages(wanted: ModuleOp | FuncOp) -> Iterator[Usage]:
    module: Operation = wanted
    while not isinstance(module, ModuleOp):
        parent = module.parent_op()
        if parent is None:
            raise ValueError("the kernel is in no module")
        module = parent
    copy = module.clone()
    target = get_target(copy)
    for function, original in zip(kernels(copy), kernels(module), strict=True):
        if wanted in (module, original):
            yield _measure(function, target)


def _measure(function: FuncOp, target: Target) -> Usage:
    """The shared memory of a kernel; it is allocated if it was not."""
    if get_shared_memory(function) is None:
        allocate(function, target, host_maps=False)
    memory = get_shared_memory(function)
    assert memory is not None
    ops = [op for op in function.walk() if op is not function]
    position = {op: index for index, op in enumerate(ops)}
    extents = {op: index + sum(1 for _ in op.walk()) - 1 for op, index in position.items()}
    bars = list(_bars(function, position, 0))
    spans: list[Span] = []
    for buffer in dict.fromkeys(_allocations(function, ops, memory.scratch)):
        first, last = _live_range(buffer, position, extents)
        spans.append(Span(buffer, buffer.start, first, last))
    spans.sort(key=lambda span: (span.start, span.first, span.buffer.size))
    return Usage(function, memory.size, memory.limit, ops, spans, bars)


def _allocations(
    function: FuncOp, ops: Sequence[Operation], scratch: int
) -> Iterator[SharedAllocation]:
    """The buffers of all ops of a kernel."""
    if slots := get_buffers(function):
        yield SharedAllocation(slots[0].offset, slots[0].size, "number of maps", None)
        size = MAP_BYTES * len(find_built_maps(function, host_maps=False))
        yield SharedAllocation(scratch, size, "scratch", None, is_scratch=True)
    for op in ops:
        for number, buffer in enumerate(get_buffers(op)):
            what = "scratch" if buffer.offset >= scratch else _use_of(op, number)
            yield SharedAllocation(
                buffer.offset, buffer.size, what, op, is_scratch=what == "scratch"
            )


def _use_of(op: Operation, number: int) -> str:
    """What a permanent buffer of an op is for."""
    if isinstance(op, CreatePipelineOp):
        return ("stages", "barriers")[number]
    if isinstance(op, TmaAccess):
        return "staging buffer"
    return "memory" if isinstance(op, AllocaOp) else "buffer"


def _bars(op: Operation, position: dict[Operation, int], depth: int) -> Iterator[Bar]:
    """The loops and agents in an op, outer ones first."""
    for index, region in enumerate(op.regions):
        inside = [each for block in region.blocks for each in block.walk()]
        if op.name in AGENTS and inside:
            first, last = position[inside[0]], position[inside[-1]]
            yield Bar(op, region_name(op, index), "box", first, last, depth)
        elif op.name in LOOPS and index == 0:
            first = position[op]
            last = first + sum(1 for _ in op.walk()) - 1
            yield Bar(op, header(op), "shade", first, last, depth)
        inner = depth + (op.name in AGENTS or op.name in LOOPS)
        for block in region.blocks:
            for each in block.ops:
                yield from _bars(each, position, inner)


def _live_range(
    buffer: SharedAllocation, position: dict[Operation, int], extents: dict[Operation, int]
) -> tuple[int, int]:
    """The first and last position where a buffer is live."""
    if buffer.user is None:
        return 0, 0 if buffer.is_scratch else max(extents.values(), default=0)
    users = [] if buffer.is_scratch else list(_readers(buffer.user))
    holder = buffer.user.parent_op()
    found: list[tuple[int, int]] = []
    for user in users or [buffer.user]:
        outer, parent = user, user.parent_op()
        while parent is not None and parent is not holder:
            outer = parent if parent.name in LOOPS else outer
            parent = parent.parent_op()
        if outer in position:
            found.append((position[outer], extents[outer]))
    return min(first for first, _ in found), max(last for _, last in found)


def _readers(op: Operation) -> Iterator[Operation]:
    """The users of an op's results, and of slices of them."""
    for result in op.results:
        for use in result.uses:
            if short_name(use.operation) == "create_iterator":
                continue
            yield use.operation
            if short_name(use.operation) == "extract_slice":
                yield from _readers(use.operation)


@dataclass
class _Drawing:
    """Draws the memory of a kernel."""

    canvas: Canvas
    usage: Usage
    marks_of: MarksOf
    left: float = MARGIN + 60.0

    def draw(self, y: float) -> float:
        """Draws it below `y`; returns where it ends."""
        usage, canvas = self.usage, self.canvas
        share = 100 * usage.size / usage.limit
        y += LINE
        canvas.text(
            MARGIN,
            y,
            f"{symbol(usage.function)}: {usage.size} bytes, {share:.0f} % of the limit of a CTA",
        )
        y = self._draw_bars(y + 8)
        heights = self._heights()
        top = y
        places = {bound: top + height for bound, height in heights.items()}
        bottom = max(places.values(), default=top)
        for span in usage.spans:
            self._draw_span(span, places[span.start], places[span.end])
        previous = -LINE
        for bound, place in sorted(places.items()):
            if place - previous >= 11 or bound == usage.size:
                canvas.text(self.left - 6, place + 4, str(bound), "dim small", "end")
                previous = place
        canvas.line("rule", (self.left, bottom), (self.left + WIDTH, bottom))
        if not usage.spans:
            canvas.text(self.left, top + LINE, "no shared memory is used", "dim")
        x, y = self.left, bottom + 10
        for what in dict.fromkeys(span.buffer.what for span in usage.spans):
            canvas.rectangle(x, y, 14, 12, _kind(what))
            canvas.text(x + 20, y + 10, what, "dim")
            x += (len(what) + 5) * CHARACTER
        note = "bytes down, the program to the right; small buffers are taller than they should be"
        canvas.text(self.left, y + 12 + LINE, note, "dim")
        return y + 2 * LINE

    def _x(self, position: float) -> float:
        return self.left + WIDTH * position / max(1, len(self.usage.ops))

    def _heights(self) -> dict[int, float]:
        """How far below the first byte each boundary of a buffer is drawn."""
        bounds = sorted({bound for span in self.usage.spans for bound in (span.start, span.end)})
        heights: dict[int, float] = {}
        y = 0.0
        for index, bound in enumerate(bounds):
            if index:
                size = bound - bounds[index - 1]
                y += max(LEAST_HEIGHT, HEIGHT * size / max(1, self.usage.size))
            heights[bound] = y
        return heights

    def _draw_bars(self, y: float) -> float:
        """Loops and agents above the axis, one row for each level of nesting."""
        for bar in self.usage.bars:
            x, width = self._x(bar.first), self._x(bar.last + 1) - self._x(bar.first)
            top = y + bar.depth * ROW
            with self.canvas.group(bar.label, self.marks_of(bar.op)):
                self.canvas.rectangle(x, top, width, ROW - 3, bar.kind)
                if len(text := fit(bar.label, width - 6, "small")) > 3:
                    self.canvas.text(x + 4, top + 11, text, "small")
        return y + max((bar.depth + 1 for bar in self.usage.bars), default=0) * ROW + 8

    def _draw_span(self, span: Span, top: float, bottom: float) -> None:
        buffer = span.buffer
        marks = self.marks_of(buffer.user) if buffer.user is not None else ()
        tip = f"{buffer.what}: bytes {span.start} to {span.end - 1}, for {span.use}"
        if buffer.user is not None:
            tip += f"; {describe(buffer.user)}"
        x, end = self._x(span.first), self._x(span.last + 1)
        if buffer.is_scratch:
            end = max(end, x + 6)
        kind = _kind(buffer.what)
        with self.canvas.group(tip, marks):
            if not buffer.is_scratch:
                self.canvas.rectangle(self.left, top, WIDTH, bottom - top, "box")
            self.canvas.rectangle(x, top, end - x, bottom - top, kind)
            for stage in range(1, span.stages if buffer.what == "stages" else 1):
                y = top + (bottom - top) * stage / span.stages
                self.canvas.line("rule", (x, y), (end, y))
            label = f"{buffer.what}: {span.use}"
            width = len(label) * CHARACTER + 10
            if buffer.is_scratch and end - x < width:
                return
            x = max(self.left, min(x, self.left + WIDTH - width))
            self.canvas.text(x + 5, top + 13, fit(label, WIDTH))


def _kind(what: str) -> str:
    return colour(COLOURS.get(what, 5))


def _texts(usage: Usage) -> Iterator[str]:
    yield f"{symbol(usage.function)}: {usage.size} of {usage.limit} bytes"
    rows = [
        (f"{span.start}–{span.end - 1}", span.buffer.what, span.use, span.first, span.last)
        for span in usage.spans
    ]
    width = max((len(row[0]) for row in rows), default=0)
    for num_bytes, what, use, first, last in rows:
        when = f"op {first}" if first == last else f"ops {first} to {last}"
        yield f"  {num_bytes:{width}}  {what:14}  {use}; {when} of {len(usage.ops)}"
