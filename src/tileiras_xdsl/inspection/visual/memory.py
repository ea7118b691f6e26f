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

from tileiras_xdsl.analysis.linear_layout import LinearLayout, Solver
from tileiras_xdsl.analysis.tensor_memory_layouts import (
    COLUMN,
    ROW,
    AccumulatorKind,
    accumulator_columns,
    accumulator_layout,
)
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import CreatePipelineOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers, get_shared_memory
from tileiras_xdsl.interpreter.errors import place_of
from tileiras_xdsl.interpreter.threads.tensor_cores import TensorEvent, TensorTrace
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05 import COLUMNS, LANES, WARP_LANES
from tileiras_xdsl.targets.tma import MAP_BYTES
from tileiras_xdsl.transforms.common.abi import DEVICE_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import allocate, find_built_maps
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess

from .picture import (
    AGENTS,
    CHARACTER,
    LINE,
    LOOPS,
    MARGIN,
    Canvas,
    MarksOf,
    Picture,
    colour,
    describe,
    fit,
    header,
    no_marks,
    plural,
    region_name,
    short_name,
    symbol,
    title_of,
    type_name,
)

WIDTH: Final = 900.0
HEIGHT: Final = 360.0
LEAST_HEIGHT: Final = 18.0
BAR_ROW: Final = 17.0
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
    y = canvas.head(title)
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
        allocate(function, target, DEVICE_MAPS_ABI)
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
        size = MAP_BYTES * len(find_built_maps(function, DEVICE_MAPS_ABI))
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
            top = y + bar.depth * BAR_ROW
            with self.canvas.group(bar.label, self.marks_of(bar.op)):
                self.canvas.rectangle(x, top, width, BAR_ROW - 3, bar.kind)
                if len(text := fit(bar.label, width - 6, "small")) > 3:
                    self.canvas.text(x + 4, top + 11, text, "small")
        return y + max((bar.depth + 1 for bar in self.usage.bars), default=0) * BAR_ROW + 8

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


# Tensor memory: where the elements of a tile are, and what a run of a kernel does to its columns.
#
#     accumulator F of 64x128: 128 lanes, 128 columns
#     lanes 0–15      rows 0–15
#     lanes 16–31     free
#     lanes 32–47     rows 16–31
#
# In pictures of a run steps go to the right and columns down. Light parts are allocated; an access
# is as long as it is under way, from its issue until it reads and writes.


TILE_WIDTH: Final = 640.0
LANE_HEIGHT: Final = 3.0
COLUMN_HEIGHT: Final = 1.25
TRACE_WIDTH: Final = 900.0
PARTS: Final = 4
"""Parts of the columns that a picture of a tile shows apart."""
ACCESS_COLOURS: Final = {"mma": 0, "cp": 3, "shift": 5, "ld": 2, "st": 4}
WORDS: Final = {
    "mma": "MMA",
    "cp": "copy",
    "shift": "shift",
    "ld": "load",
    "st": "store",
}


# A tile


@dataclass(frozen=True)
class TilePart:
    """Lanes and columns that hold neighbouring rows and columns of a tile, or nothing."""

    lanes: range
    columns: range
    rows: range | None
    elements: range | None

    @property
    def text(self) -> str:
        if self.rows is None or self.elements is None:
            return "free"
        return f"{_range('row', self.rows)}, {_range('column', self.elements)}"


def _range(noun: str, numbers: range) -> str:
    if len(numbers) == 1:
        return f"{noun} {numbers.start}"
    return f"{noun}s {numbers.start}–{numbers.stop - 1}"


def _parts(layout: LinearLayout, columns: int) -> Iterator[TilePart]:
    """A tile by groups of 16 lanes, and by parts of its columns."""
    solver = Solver((*layout.bases(COLUMN), *layout.bases(ROW)))
    bits = len(layout.bases(COLUMN))
    width = max(1, columns // PARTS)
    for lane in range(0, LANES, 16):
        for column in range(0, columns, width):
            number = solver.solve(lane * COLUMNS + column)
            lanes, across = range(lane, lane + 16), range(column, column + width)
            if number is None:
                yield TilePart(lanes, across, None, None)
                continue
            row, element = number >> bits, number & (1 << bits) - 1
            yield TilePart(lanes, across, range(row, row + 16), range(element, element + width))


def tensor_memory_picture(
    layout: LinearLayout | AccumulatorKind, n: int | None = None, title: str = ""
) -> Picture:
    """
    Where the rows and columns of a tile are in tensor memory: of an accumulator by the name of its
    layout and its columns, or of a layout with rows and columns.

        tensor_memory_picture("F", 128)
    """
    if isinstance(layout, str):
        if n is None:
            raise ValueError("the columns of the accumulator are needed")
        columns, found = accumulator_columns(layout, n), accumulator_layout(layout, n)
        title = title or f"Accumulator of {1 << len(found.bases(ROW))}x{n}, layout {layout}"
    else:
        found = layout
        last = 0
        for basis in layout.all_bases:
            last |= basis % COLUMNS
        columns = last + 1
        title = title or "A tile in tensor memory"
    parts = list(_parts(found, columns))
    canvas = Canvas()
    y = canvas.head(title)
    y += LINE + 4
    left = MARGIN + 13 * CHARACTER
    scale = TILE_WIDTH / columns
    canvas.text(MARGIN, y, "column", "dim")
    for part in parts[: columns // len(parts[0].columns)]:
        canvas.text(left + part.columns.start * scale, y, str(part.columns.start), "dim")
    y += 6
    for part in parts:
        top = y + part.lanes.start * LANE_HEIGHT
        x, width = left + part.columns.start * scale, len(part.columns) * scale
        height = len(part.lanes) * LANE_HEIGHT
        lanes = _range("lane", part.lanes)
        with canvas.group(f"{lanes}, {_range('column', part.columns)}: {part.text}"):
            is_free = part.rows is None
            kind = "shade" if is_free else colour((part.rows.start // 16) if part.rows else 0)
            canvas.rectangle(x, top, width, height, kind)
            lines = part.text.split(", ")
            for number, line in enumerate(lines):
                middle = top + height / 2 + 4 + (number - (len(lines) - 1) / 2) * 12
                canvas.text(x + width / 2, middle, fit(line, width, "small"), "small", "middle")
    for warp in range(LANES // WARP_LANES):
        top = y + warp * WARP_LANES * LANE_HEIGHT
        canvas.text(left - 6, top + 14, f"lane {warp * WARP_LANES}", "dim", "end")
        canvas.text(left - 6, top + 28, f"warp {warp}", "dim", "end")
        canvas.line("strong", (left, top), (left + TILE_WIDTH, top))
    y += LANES * LANE_HEIGHT + LINE
    note = f"{plural(columns, 'column')} of 512; thick lines: lanes that a warp reaches"
    canvas.text(MARGIN, y, note, "dim")
    return canvas.finish(title, "tensor-memory", "\n".join((title, *_tile_text(parts), note)))


def _tile_text(parts: Sequence[TilePart]) -> Iterator[str]:
    lines: dict[range, list[TilePart]] = {}
    for part in parts:
        lines.setdefault(part.lanes, []).append(part)
    for lanes, across in lines.items():
        first, last = across[0], across[-1]
        name = f"{_range('lane', lanes):<15}"
        if first.rows is None or first.elements is None or last.elements is None:
            yield f"{name} free"
            continue
        elements = range(first.elements.start, last.elements.stop)
        yield f"{name} {_range('row', first.rows)}, {_range('column', elements)}"


# A run


def tensor_memory_over_time(trace: TensorTrace, title: str = "Tensor memory") -> Picture:
    """
    What a run has done to the columns of tensor memory:

        trace = TensorTrace()
        run_threads(module, "gemm", grid, arguments, trace=trace)
        tensor_memory_over_time(trace)
    """
    canvas = Canvas()
    y = canvas.head(title)
    texts = [title]
    left = MARGIN + 11 * CHARACTER
    scale = TRACE_WIDTH / max(1, trace.step + 1)
    for memory in sorted({event.memory for event in trace.events}):
        events = [event for event in trace.events if event.memory == memory]
        last = max(event.columns.stop for event in events)
        y += LINE + 4
        canvas.text(MARGIN, y, f"SM {memory}", "")
        texts.append(f"SM {memory}")
        y += 6
        for event, end in _column_allocations(events, trace.step + 1):
            x, top = left + event.issued * scale, y + event.columns.start * COLUMN_HEIGHT
            with canvas.group(f"{_range('column', event.columns)}, allocated by {event.who}"):
                canvas.rectangle(
                    x, top, (end - event.issued) * scale, len(event.columns) * COLUMN_HEIGHT, "box"
                )
        for event in events:
            if event.kind not in ACCESS_COLOURS:
                continue
            end = event.ran or trace.step
            x, top = left + event.issued * scale, y + event.columns.start * COLUMN_HEIGHT
            height = len(event.columns) * COLUMN_HEIGHT
            if event.kind in ("ld", "st"):
                # A warp's lanes are a quarter of the height.
                height /= LANES / WARP_LANES
                top += event.lanes.start // WARP_LANES * height
            with canvas.group(_tip(event)):
                width = max(1.5, (end - event.issued) * scale)
                canvas.rectangle(x, top, width, height, colour(ACCESS_COLOURS[event.kind]))
        for column in range(0, last + 1, 64):
            canvas.text(left - 6, y + column * COLUMN_HEIGHT + 4, str(column), "dim", "end")
        y += last * COLUMN_HEIGHT
        texts += [f"{event.issued:>5}  {_tip(event)}" for event in events]
    y += LINE
    kinds = [kind for kind in ACCESS_COLOURS if any(event.kind == kind for event in trace.events)]
    x = float(left)
    for kind in kinds:
        canvas.rectangle(x, y, 12, 12, colour(ACCESS_COLOURS[kind]))
        canvas.text(x + 18, y + 10, WORDS[kind], "dim")
        x += 18 + (len(WORDS[kind]) + 3) * CHARACTER
    canvas.text(MARGIN, y + 10, "columns ↓", "dim")
    return canvas.finish(title, "tensor-memory", "\n".join(texts))


def _tip(event: TensorEvent) -> str:
    place = place_of(event.op).rstrip(": ")
    what = f"{event.kind} by {event.who}, {_range('column', event.columns)}"
    if event.kind in ("ld", "st"):
        what += f", {_range('lane', event.lanes)}"
    return f"{what}: '{event.op.name}'{f' at {place}' if place else ''}"


def _column_allocations(
    events: Sequence[TensorEvent], end: int
) -> Iterator[tuple[TensorEvent, int]]:
    """Allocations, and the step at which each ends."""
    for number, event in enumerate(events):
        if event.kind != "alloc":
            continue
        ends = (
            other.issued
            for other in events[number:]
            if other.kind == "dealloc" and other.columns == event.columns
        )
        yield event, next(ends, end)
