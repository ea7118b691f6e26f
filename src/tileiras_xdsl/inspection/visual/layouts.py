"""
The layout of a tile as a colour map: which warp, lane and register hold which element.

    tile 4x4 in 1 warp, 8 of 32 lanes, 2 registers each
          0       1       2       3
    0  t0 r0   t0 r1   t1 r0   t1 r1
    1  t2 r0   …

Small tiles are shown whole. Of others there is a map of the warps, and the first elements one by
one, or by runs that a thread holds of a row. Elements that several threads hold say how many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from xdsl.dialects.builtin import TensorType

from tileiras_xdsl.analysis.linear_layout import (
    BANK_BYTES,
    BANKS,
    LinearLayout,
    Solver,
    flatten,
    least_wavefronts,
    log2,
    wavefronts,
    xor_all,
)
from tileiras_xdsl.analysis.matrix_layouts import CHUNK_BYTES
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.targets.machine import LINE_BYTES

from .picture import CHARACTER, HUES, LINE, MARGIN, Canvas, Picture, colour, fit, plural

WHOLE: Final = 128
"""Tiles of this many elements are shown element by element."""
SHOWN_ROWS: Final = 16
SHOWN_CELLS: Final = 8
"""Cells of a row that are shown of a larger tile."""
LONGEST_RUN: Final = 8
MAP_CELLS: Final = 32
"""Cells along each side of the map of warps."""
MAP_WIDTH: Final = 512.0
CELL_HEIGHT: Final = 30
LISTED_COPIES: Final = 7


@dataclass(frozen=True)
class Place:
    """Where an element is."""

    warp: int
    lane: int
    register: int

    def __str__(self) -> str:
        return f"warp {self.warp}, lane {self.lane}, register {self.register}"


@dataclass(frozen=True)
class TileMap:
    """A tile as rows and columns; leading dimensions are part of the rows."""

    layout: LinearLayout

    @cached_property
    def places(self) -> tuple[int, ...]:
        """For each bit of the number of an element, the place that it flips, packed."""
        return self.layout.inverse().columns

    @cached_property
    def copying(self) -> tuple[int, ...]:
        """Places that may be added to one without changing the element, as a basis."""
        return tuple(Solver(self.layout.all_bases).kernel)

    @property
    def copies(self) -> int:
        """How many places hold each element."""
        return 1 << len(self.copying)

    @cached_property
    def run(self) -> int:
        """How many neighbours in a row a cell stands for: they are in one thread."""
        if self.layout.elements <= WHOLE:
            return 1
        run = 1
        for packed in self.places[: log2(self.layout.shape[-1])]:
            if run == LONGEST_RUN or self._unpack(packed).lane or self._unpack(packed).warp:
                break
            run *= 2
        return run

    @cached_property
    def columns(self) -> int:
        """Elements in a row; vectors are wrapped."""
        if len(self.layout.shape) > 1:
            return self.layout.shape[-1]
        return min(self.layout.elements, 2 * SHOWN_CELLS * self.run)

    @property
    def rows(self) -> int:
        return self.layout.elements // self.columns

    @property
    def shown_rows(self) -> int:
        return self.rows if self._is_small else min(self.rows, SHOWN_ROWS)

    @property
    def shown_columns(self) -> int:
        return self.columns if self._is_small else min(self.columns, SHOWN_CELLS * self.run)

    @property
    def _is_small(self) -> bool:
        return self.layout.elements <= WHOLE and self.columns <= MAP_CELLS

    @property
    def is_whole(self) -> bool:
        """Whether all elements are shown."""
        return (self.shown_rows, self.shown_columns) == (self.rows, self.columns)

    def _unpack(self, packed: int) -> Place:
        place = self.layout.unpack(packed)
        return Place(place["warp"], place["lane"], place["register"])

    def place(self, number: int) -> Place:
        """Where an element is first."""
        return self._unpack(xor_all(self.places, number))

    def other_places(self, number: int) -> list[Place]:
        """Where else it is."""
        packed = xor_all(self.places, number)
        others = sorted(packed ^ xor_all(self.copying, index) for index in range(1, self.copies))
        return sorted(map(self._unpack, others), key=lambda p: (p.warp, p.lane, p.register))

    def position(self, number: int) -> str:
        """The coordinates of an element."""
        return f"({', '.join(map(str, self.layout.coordinates(number)))})"

    def row_name(self, row: int) -> str:
        """What stands before a row: all coordinates but the last."""
        if len(self.layout.shape) < 2:
            return str(row * self.columns)
        return ",".join(map(str, self.layout.coordinates(row * self.columns)[:-1]))

    def column_name(self, column: int) -> str:
        """What stands above a column."""
        return f"+{column}" if len(self.layout.shape) < 2 and self.rows > 1 else str(column)

    def warps_of(self, first: int, numbers: Iterable[int]) -> list[int]:
        """The warps that hold the elements of a box: the first, and bits that lead to others."""
        found = {self.place(first).warp}
        for number in numbers:
            flipped = self.place(number).warp
            found |= {warp ^ flipped for warp in found}
        return sorted(found)

    def summary(self) -> str:
        """The layout in a line."""
        layout = self.layout
        shape = "x".join(map(str, layout.shape)) or "scalar"
        parts = (
            plural(layout.warps, "warp"),
            plural(1 << len(layout.lane), "lane"),
            plural(layout.registers, "register"),
        )
        return f"tile {shape} in {' × '.join(parts)}"

    def copy_notes(self) -> list[str]:
        """Which threads hold the same."""
        if self.copies == 1:
            return []
        notes = [f"×{self.copies}: each element is in {self.copies} places"]
        for name in ("register", "lane", "warp"):
            free = self.layout.free_bits(name)
            bits = [bit for bit in range(free.bit_length()) if free >> bit & 1]
            if bits:
                listed = " and ".join(", ".join(map(str, bits)).rsplit(", ", 1))
                noun = "bit" if len(bits) == 1 else "bits"
                notes.append(f"{name}s that differ in {noun} {listed} of their number hold copies")
        return notes


def layout_picture(layout: LinearLayout | TensorType, title: str = "") -> Picture:
    """
    The layout of a tile in registers, or of the tensor type that has it:

        layout_picture(wgmma_accumulator(64, 64, 4))
    """
    found = layout_of(layout) if isinstance(layout, TensorType) else layout
    if found is None:
        raise ValueError(f"'{layout}' has no layout")
    if found.offset or not found.lane:
        raise ValueError("the tile is in shared memory: take shared_picture")
    tile = TileMap(found)
    title = title or tile.summary()
    canvas = Canvas()
    y = _head(canvas, tile, title)
    if not tile.is_whole:
        y = _draw_map(canvas, tile, y)
    y = _draw_cells(canvas, tile, y)
    _draw_legend(canvas, tile, y)
    return canvas.finish(title, "layout", _text(tile, title))


def _head(canvas: Canvas, tile: TileMap, title: str) -> float:
    y = canvas.head(title)
    if title != tile.summary():
        y += LINE
        canvas.text(MARGIN, y, tile.summary(), "dim")
    return y + 8


def _bits(first: int, count: int, stride: int) -> list[int]:
    """The numbers with one bit, from one up to a count, in elements of a stride."""
    return [stride << bit for bit in range(first, log2(count))]


def _same_warp(tile: TileMap, size: int, stride: int) -> int:
    """How far one can go along a side of the tile without leaving a warp."""
    extent = 1
    for number in _bits(0, size, stride):
        if tile.place(number).warp:
            break
        extent *= 2
    return max(extent, size // MAP_CELLS)


def _draw_map(canvas: Canvas, tile: TileMap, y: float) -> float:
    """The whole tile, by the warps that hold its parts."""
    y += LINE
    canvas.text(MARGIN, y, "warps that hold the parts of the tile", "dim")
    y += 8
    height = _same_warp(tile, tile.rows, tile.columns)
    width = _same_warp(tile, tile.columns, 1)
    inside = (*_bits(0, height, tile.columns), *_bits(0, width, 1))
    across, down = tile.columns // width, tile.rows // height
    size_x = MAP_WIDTH / across
    size_y = max(12.0, min(MAP_WIDTH * tile.rows / tile.columns, MAP_WIDTH * 0.6) / down)
    left = MARGIN + 40.0
    for row in range(down):
        canvas.text(left - 6, y + row * size_y + 10, tile.row_name(row * height), "dim", "end")
        for column in range(across):
            first = row * height * tile.columns + column * width
            warps = tile.warps_of(first, inside)
            last = first + (height - 1) * tile.columns + width - 1
            names = ", ".join(map(str, warps))
            tip = f"{tile.position(first)} to {tile.position(last)}: " + (
                f"warp {names}" if len(warps) == 1 else f"warps {names}"
            )
            x, top = left + column * size_x, y + row * size_y
            with canvas.group(tip):
                canvas.rectangle(x, top, size_x, size_y, colour(warps[0]))
                if len(warps) == 1 and size_x > 2 * CHARACTER:
                    middle = top + size_y / 2 + 4
                    canvas.text(x + size_x / 2, middle, f"w{names}", "", "middle")
    scale_x, scale_y = size_x / width, size_y / height
    shown = tile.shown_columns * scale_x, tile.shown_rows * scale_y
    if shown[0] >= 3 and shown[1] >= 3:
        canvas.rectangle(left, y, *shown, "window")
    y += down * size_y + LINE
    canvas.text(
        left,
        y,
        f"the dashed part: {plural(tile.shown_rows, 'row')} of "
        f"{plural(tile.shown_columns, 'element')}",
        "accent",
    )
    return y + 8


def _cell_texts(tile: TileMap, number: int) -> tuple[str, str]:
    place = tile.place(number)
    who = f"w{place.warp} t{place.lane}" if tile.layout.warps > 1 else f"t{place.lane}"
    registers = [tile.place(number + index).register for index in range(tile.run)]
    what = f"r{registers[0]}"
    if tile.run > 1:
        is_range = registers == list(range(registers[0], registers[0] + tile.run))
        what += f"–{registers[-1]}" if is_range else ",…"
    return who, what + (f" ×{tile.copies}" if tile.copies > 1 else "")


def _tip(tile: TileMap, number: int) -> str:
    place = tile.place(number)
    if tile.run > 1:
        registers = [tile.place(number + index).register for index in range(tile.run)]
        last = tile.position(number + tile.run - 1)
        tip = (
            f"elements {tile.position(number)} to {last}: warp {place.warp}, "
            f"lane {place.lane}, registers {', '.join(map(str, registers))}"
        )
    else:
        tip = f"element {tile.position(number)}: {place}"
    others = tile.other_places(number)
    if others:
        tip += f"; also {'; '.join(map(str, others[:LISTED_COPIES]))}"
        if len(others) > LISTED_COPIES:
            tip += f"; and {len(others) - LISTED_COPIES} more"
    return tip


def _draw_cells(canvas: Canvas, tile: TileMap, y: float) -> float:
    """Elements, or runs of them, one by one."""
    rows, columns = tile.shown_rows, tile.shown_columns // tile.run
    texts = [
        [_cell_texts(tile, row * tile.columns + column * tile.run) for column in range(columns)]
        for row in range(rows)
    ]
    longest = max(len(line) for row in texts for cell in row for line in cell)
    width = max(34.0, longest * CHARACTER + 6)
    names = [tile.row_name(row) for row in range(rows)]
    left = MARGIN + max(map(len, names)) * CHARACTER + 6
    y += LINE
    for column in range(columns):
        name = tile.column_name(column * tile.run)
        canvas.text(left + column * width + width / 2, y, name, "dim", "middle")
    y += 5
    for row in range(rows):
        top = y + row * CELL_HEIGHT
        canvas.text(left - 6, top + 19, names[row], "dim", "end")
        for column in range(columns):
            number = row * tile.columns + column * tile.run
            x = left + column * width
            with canvas.group(_tip(tile, number)):
                canvas.rectangle(x, top, width, CELL_HEIGHT, colour(tile.place(number).lane))
                for index, line in enumerate(texts[row][column]):
                    canvas.text(x + width / 2, top + 13 + 12 * index, line, "", "middle")
    _outline_warps(canvas, tile, left, y, width)
    return y + rows * CELL_HEIGHT + 10


def _outline_warps(canvas: Canvas, tile: TileMap, left: float, top: float, width: float) -> None:
    """Lines around what belongs to one warp."""
    rows, columns = tile.shown_rows, tile.shown_columns // tile.run

    def warp(row: int, column: int) -> int | None:
        if not (0 <= row < rows and 0 <= column < columns):
            return None
        return tile.place(row * tile.columns + column * tile.run).warp

    for row in range(rows + 1):
        for first, last in _stretches([warp(row - 1, c) != warp(row, c) for c in range(columns)]):
            y = top + row * CELL_HEIGHT
            canvas.line("strong", (left + first * width, y), (left + last * width, y))
    for column in range(columns + 1):
        for first, last in _stretches(
            [warp(r, column - 1) != warp(r, column) for r in range(rows)]
        ):
            x = left + column * width
            canvas.line("strong", (x, top + first * CELL_HEIGHT), (x, top + last * CELL_HEIGHT))


def _stretches(flags: Sequence[bool]) -> Iterable[tuple[int, int]]:
    """Where neighbouring flags are set, from and up to."""
    first = None
    for index, flag in enumerate((*flags, False)):
        if flag and first is None:
            first = index
        elif not flag and first is not None:
            yield first, index
            first = None


def _notes(tile: TileMap) -> list[str]:
    who = "w1 t5: lane 5 of warp 1" if tile.layout.warps > 1 else "t5: lane 5"
    return [f"{who}; r3: its register 3; thick lines: warps", *tile.copy_notes()]


def _draw_legend(canvas: Canvas, tile: TileMap, y: float) -> None:
    lanes = 1 << len(tile.layout.lane)
    owners = tile.layout.owners("lane")
    y += 4
    canvas.text(MARGIN, y + 12, "lanes", "dim")
    x = MARGIN + 7 * CHARACTER
    for lane in range(lanes):
        if lane & ~owners:
            continue
        with canvas.group(f"lane {lane}"):
            canvas.rectangle(x, y, 20, 16, colour(lane))
            canvas.text(x + 10, y + 12, str(lane), "", "middle")
        x += 20
    y += 18
    canvas.notes((fit(note, 900) for note in _notes(tile)), y)


def _text(tile: TileMap, title: str) -> str:
    rows, columns = tile.shown_rows, tile.shown_columns // tile.run
    table = [["", *(tile.column_name(column * tile.run) for column in range(columns))]]
    for row in range(rows):
        first = row * tile.columns
        cells = [" ".join(_cell_texts(tile, first + c * tile.run)) for c in range(columns)]
        table.append([tile.row_name(row), *cells])
    widths = [max(len(line[index]) for line in table) for index in range(columns + 1)]
    lines = [title] if title == tile.summary() else [title, tile.summary()]
    for line in table:
        cells = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    if not tile.is_whole:
        lines.append(
            f"… {rows} of {tile.rows} rows, {tile.shown_columns} of {tile.columns} columns"
        )
    return "\n".join((*lines, *_notes(tile)))


# A tile in shared memory: rows of 128 bytes across the 32 banks, and which element is where.
#
#     bank     0         4         8         12
#     0     0,0–7     0,8–15    0,16–23   0,24–31
#     128   1,8–15    1,0–7     1,24–31   1,16–23
#
# Colours are those of 16-byte units in a row of the tile: if they move from row to row, the layout
# is swizzled. Below stands what reading a column costs in bank conflicts.


SHOWN_LINES: Final = 16
BYTE_WIDTH: Final = 6.5
ROW_HEIGHT: Final = 20
PHASE_LANES: Final = 8
"""Lanes whose 16-byte accesses form one wavefront."""


@dataclass(frozen=True)
class SharedMap:
    """A tile as rows of memory."""

    layout: LinearLayout
    element_bytes: int

    @property
    def bytes(self) -> int:
        return self.element_bytes << len(self.layout.offset)

    @property
    def lines(self) -> int:
        """Rows of 128 bytes."""
        return -(-self.bytes // LINE_BYTES)

    @property
    def shown_bytes(self) -> int:
        return min(self.bytes, SHOWN_LINES * LINE_BYTES)

    @cached_property
    def fastest(self) -> int:
        """The contiguous dimension."""
        if not self.layout.offset:
            return 0
        first = self.layout.coordinates(self.layout.offset[0])
        return next((dim for dim, each in enumerate(first) if each), 0)

    @cached_property
    def run(self) -> int:
        """Elements of a cell: contiguous ones, up to 16 bytes."""
        run = 1
        for basis in self.layout.offset:
            position = self.layout.coordinates(basis)
            step = [0] * len(position)
            step[self.fastest] = run
            if list(position) != step or 2 * run * self.element_bytes > CHUNK_BYTES:
                break
            run *= 2
        return run

    @property
    def run_bytes(self) -> int:
        return self.run * self.element_bytes

    def element(self, offset: int) -> tuple[int, ...]:
        """The element at an offset in bytes."""
        number = xor_all(self.layout.offset, offset // self.element_bytes)
        return self.layout.coordinates(number)

    def hue(self, offset: int) -> int:
        """The colour of a cell: its position in its row of the tile."""
        position = self.element(offset)
        return position[self.fastest] // self.run % HUES if position else 0

    def cell_text(self, offset: int) -> str:
        """The elements of a cell: coordinates, the contiguous one as a range."""
        position = self.element(offset)
        names = [str(each) for each in position]
        if self.run > 1:
            first = position[self.fastest]
            names[self.fastest] = f"{first}–{first + self.run - 1}"
        return ",".join(names)

    def tip(self, offset: int) -> str:
        """Offset, banks and elements of a cell."""
        last = offset + self.run_bytes - 1
        first_bank, last_bank = (each % LINE_BYTES // BANK_BYTES for each in (offset, last))
        banks = (
            f"bank {first_bank}" if first_bank == last_bank else f"banks {first_bank}–{last_bank}"
        )
        if self.run == 1:
            what = f"element {_tuple(self.element(offset))}"
        else:
            end = self.element(last)
            what = f"elements {_tuple(self.element(offset))} to {_tuple(end)}"
        return f"bytes {offset}–{last}, {banks}: {what}"

    def column_cost(self) -> str:
        """Bank conflicts of reading eight cells of a column of the tile."""
        rows = [dim for dim in range(len(self.layout.shape)) if dim != self.fastest]
        if not rows or not self.layout.is_surjective():
            return ""
        below, size = rows[-1], self.layout.shape[rows[-1]]
        count = min(PHASE_LANES, size)
        inverse = self.layout.inverse()
        offsets: list[int] = []
        for index in range(count):
            position = [0] * len(self.layout.shape)
            position[below] = index
            number = flatten(position, self.layout.shape)
            offsets.append(inverse.apply(number) * self.element_bytes)
        found = wavefronts(offsets, self.run_bytes)
        best = least_wavefronts(count, self.run_bytes)
        cells = plural(count, "cell")
        if found == best:
            return f"{cells} of a column are read without bank conflicts"
        return f"{cells} of a column take {found} wavefronts instead of {best}: bank conflicts"

    def swizzle(self) -> str:
        """Which address bits are XORed into the position of a cell in its row."""
        moved: list[str] = []
        for bit, basis in enumerate(self.layout.offset):
            position = self.layout.coordinates(basis)
            others = [each for dim, each in enumerate(position) if dim != self.fastest]
            if position and position[self.fastest] and any(others):
                moved.append(str(bit + log2(self.element_bytes)))
        if not moved:
            return "not swizzled"
        return (
            f"swizzled by {'bit' if len(moved) == 1 else 'bits'} {', '.join(moved)} of the address"
        )

    def notes(self) -> list[str]:
        """What the picture shows, in words."""
        notes = [
            f"a cell is {plural(self.run_bytes, 'byte')}; colours: positions in a row of the tile; "
            f"{self.swizzle()}",
            self.column_cost(),
        ]
        hidden = self.lines - -(-self.shown_bytes // LINE_BYTES)
        if hidden > 0:
            notes.append(f"{plural(hidden, 'more row')} of 128 bytes are not shown")
        return [note for note in notes if note]


def _tuple(position: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, position))})"


def shared_picture(
    layout: LinearLayout | TensorType, element_bytes: int | None = None, title: str = ""
) -> Picture:
    """
    A tile in shared memory, or the tensor type that has its layout:

        shared_picture(swizzled((64, 64), fastest=1, element_bytes=2), 2)
    """
    found = layout_of(layout) if isinstance(layout, TensorType) else layout
    if found is None or found.lane:
        raise ValueError(f"'{layout}' has no layout in shared memory")
    if isinstance(layout, TensorType):
        element_bytes = max(1, memory_bits(get_element(layout)) // 8)
    if element_bytes is None:
        raise ValueError("the bytes of an element are needed")
    memory = SharedMap(found, element_bytes)
    shape = "x".join(map(str, found.shape)) or "scalar"
    summary = f"tile {shape} of {plural(element_bytes, 'byte')} each, in shared memory"
    canvas = Canvas()
    _draw(canvas, memory, title or summary)
    return canvas.finish(title or summary, "shared", _shared_text(memory, title or summary))


def _draw(canvas: Canvas, memory: SharedMap, title: str) -> None:
    y = canvas.head(title)
    y += LINE + 8
    longest = max(len(memory.cell_text(at)) for at in _cells(memory))
    byte_width = max(BYTE_WIDTH, min(2 * BYTE_WIDTH, (longest * CHARACTER + 4) / memory.run_bytes))
    left = MARGIN + 6 * CHARACTER
    canvas.text(MARGIN, y, "bank", "dim")
    for bank in range(BANKS):
        x = left + (bank + 0.5) * BANK_BYTES * byte_width
        canvas.text(x, y, str(bank), "dim", "middle")
    y += 6
    for line in range(0, memory.shown_bytes, LINE_BYTES):
        middle = y + line // LINE_BYTES * ROW_HEIGHT + 14
        canvas.text(left - 6, middle, str(line), "dim", "end")
    for offset in _cells(memory):
        line, column = divmod(offset, LINE_BYTES)
        x, top = left + column * byte_width, y + line * ROW_HEIGHT
        width = memory.run_bytes * byte_width
        with canvas.group(memory.tip(offset)):
            canvas.rectangle(x, top, width, ROW_HEIGHT, colour(memory.hue(offset)))
            if (text := memory.cell_text(offset)) == fit(text, width):
                canvas.text(x + width / 2, top + 14, text, "", "middle")
    height = -(-memory.shown_bytes // LINE_BYTES) * ROW_HEIGHT
    for bank in range(0, BANKS + 1, CHUNK_BYTES // BANK_BYTES):
        x = left + bank * BANK_BYTES * byte_width
        canvas.line("rule", (x, y), (x, y + height))
    y += height + 6
    canvas.notes(memory.notes(), y)


def _cells(memory: SharedMap) -> range:
    return range(0, memory.shown_bytes, memory.run_bytes)


def _shared_text(memory: SharedMap, title: str) -> str:
    cells = list(_cells(memory))
    width = max(len(memory.cell_text(at)) for at in cells) + 2
    in_line = LINE_BYTES // memory.run_bytes
    across = min(in_line, len(cells))
    banks = (str(index * memory.run_bytes // BANK_BYTES).ljust(width) for index in range(across))
    lines = [title, f"{'bank':8}{''.join(banks)}".rstrip()]
    for first in range(0, len(cells), in_line):
        texts = (memory.cell_text(at).ljust(width) for at in cells[first : first + in_line])
        lines.append(f"{cells[first]:<8}{''.join(texts)}".rstrip())
    return "\n".join((*lines, *memory.notes()))
