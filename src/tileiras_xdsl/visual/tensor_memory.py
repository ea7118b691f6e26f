"""
Tensor memory: where the elements of a tile are, and what a run of a kernel does to its columns.

    accumulator F of 64x128: 128 lanes, 128 columns
    lanes 0–15      rows 0–15
    lanes 16–31     free
    lanes 32–47     rows 16–31

In pictures of a run steps go to the right and columns down. Light parts are allocated; an access is
as long as it is under way, from its issue until it reads and writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tileiras_xdsl.analysis.linear_layout import LinearLayout, Solver
from tileiras_xdsl.analysis.tensor_memory_layouts import (
    COLUMN,
    COLUMNS,
    LANES,
    ROW,
    WARP_LANES,
    AccumulatorKind,
    accumulator_columns,
    accumulator_layout,
)
from tileiras_xdsl.interpreter.errors import place_of
from tileiras_xdsl.interpreter.threads.tensor_cores import TensorEvent, TensorTrace

from .picture import CHARACTER, LINE, MARGIN, Canvas, Picture, colour, fit, plural

WIDTH: Final = 640.0
LANE_HEIGHT: Final = 3.0
COLUMN_HEIGHT: Final = 1.25
TRACE_WIDTH: Final = 900.0
PARTS: Final = 4
"""Parts of the columns that a picture of a tile shows apart."""
COLOURS: Final = {"mma": 0, "cp": 3, "shift": 5, "ld": 2, "st": 4}
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
    y = MARGIN + 12.0
    canvas.text(MARGIN, y, title, "head")
    y += LINE + 4
    left = MARGIN + 13 * CHARACTER
    scale = WIDTH / columns
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
        canvas.line("strong", (left, top), (left + WIDTH, top))
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
    y = MARGIN + 12.0
    canvas.text(MARGIN, y, title, "head")
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
        for event, end in _allocations(events, trace.step + 1):
            x, top = left + event.issued * scale, y + event.columns.start * COLUMN_HEIGHT
            with canvas.group(f"{_range('column', event.columns)}, allocated by {event.who}"):
                canvas.rectangle(
                    x, top, (end - event.issued) * scale, len(event.columns) * COLUMN_HEIGHT, "box"
                )
        for event in events:
            if event.kind not in COLOURS:
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
                canvas.rectangle(x, top, width, height, colour(COLOURS[event.kind]))
        for column in range(0, last + 1, 64):
            canvas.text(left - 6, y + column * COLUMN_HEIGHT + 4, str(column), "dim", "end")
        y += last * COLUMN_HEIGHT
        texts += [f"{event.issued:>5}  {_tip(event)}" for event in events]
    y += LINE
    kinds = [kind for kind in COLOURS if any(event.kind == kind for event in trace.events)]
    x = float(left)
    for kind in kinds:
        canvas.rectangle(x, y, 12, 12, colour(COLOURS[kind]))
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


def _allocations(events: Sequence[TensorEvent], end: int) -> Iterator[tuple[TensorEvent, int]]:
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
