"""
A tile in shared memory: rows of 128 bytes across the 32 banks, and which element is where.

    bank     0         4         8         12
    0     0,0–7     0,8–15    0,16–23   0,24–31
    128   1,8–15    1,0–7     1,24–31   1,16–23

Colours are those of 16-byte units in a row of the tile: if they move from row to row, the layout is
swizzled. Below stands what reading a column costs in bank conflicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from xdsl.dialects.builtin import TensorType

from tileiras_xdsl.analysis.linear_layout import (
    BANK_BYTES,
    BANKS,
    LinearLayout,
    flatten,
    least_wavefronts,
    log2,
    wavefronts,
    xor_all,
)
from tileiras_xdsl.analysis.shared_layouts import CHUNK_BYTES
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.targets.machine import LINE_BYTES
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import memory_bits

from .picture import CHARACTER, HUES, LINE, MARGIN, Canvas, Picture, colour, fit, plural

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
    return canvas.finish(title or summary, "shared", _text(memory, title or summary))


def _draw(canvas: Canvas, memory: SharedMap, title: str) -> None:
    y = MARGIN + 12.0
    canvas.text(MARGIN, y, title, "head")
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
    for note in memory.notes():
        y += LINE
        canvas.text(MARGIN, y, note, "dim")


def _cells(memory: SharedMap) -> range:
    return range(0, memory.shown_bytes, memory.run_bytes)


def _text(memory: SharedMap, title: str) -> str:
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
