"""
Tensor memory: 128 lanes of 512 columns of 32-bit words, which the CTAs of an SM share.

Columns are allocated, all lanes of them. What was allocated is undefined until somebody writes it;
whoever reads or writes must own the columns, and a warp reaches 32 lanes only. Sets of words are
blocks: ranges of lanes and of columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from tileiras_xdsl.analysis.tensor_memory_layouts import AccumulatorKind, accumulator_columns
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.values import Array, Integers
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.targets.tcgen05 import (
    ACCESS_SHAPES,
    COLUMNS,
    LANE_SHIFT,
    LANES,
    LEAST_COLUMNS,
    WARP_LANES,
)

FREE: Final = -1


class Block(NamedTuple):
    """Words of neighbouring lanes and columns."""

    lanes: slice
    columns: slice

    @staticmethod
    def of(lane: int, lanes: int, column: int, columns: int) -> Block:
        return Block(slice(lane, lane + lanes), slice(column, column + columns))


Words: TypeAlias = Sequence[Block]


def lane_and_column(address: int) -> tuple[int, int]:
    """What an address says."""
    return address >> LANE_SHIFT & 0xFFFF, address & 0xFFFF


@dataclass(frozen=True)
class Columns:
    """Columns that a CTA has allocated."""

    first: int
    count: int
    owner: int
    """The number of the CTA's first thread."""
    warp: int


class TensorMemory:
    """The tensor memory of an SM."""

    def __init__(self, number: int):
        self.number = number
        self.words: Array = np.zeros((LANES, COLUMNS), np.uint32)
        self.is_defined: Array = np.zeros((LANES, COLUMNS), np.bool_)
        self.owners: Integers = np.full(COLUMNS, FREE, np.int64)
        """Who has allocated a column: the number of a CTA's first thread."""
        self.allocated: dict[int, Columns] = {}
        """By their first column."""
        self.permit: int | None = None
        """The CTA that may allocate, and has not given others the right to."""
        self.last_writes: Integers = np.zeros((LANES, COLUMNS), np.int64)
        """The numbers of the accesses that wrote words last, 0 for none."""
        self.last_reads: dict[int, Integers] = {}
        """The same of reads, by party."""

    # Allocation

    def place_for(self, count: int) -> int | None:
        """The first columns that are free, if there are this many next to each other."""
        for first in range(0, COLUMNS - count + 1, LEAST_COLUMNS):
            if (self.owners[first : first + count] == FREE).all():
                return first
        return None

    def allocate(self, first: int, count: int, owner: int, warp: int) -> None:
        """Gives columns to a CTA; nothing is known of what they hold."""
        where = slice(first, first + count)
        self.owners[where] = owner
        self.is_defined[:, where] = False
        self.last_writes[:, where] = 0
        for reads in self.last_reads.values():
            reads[:, where] = 0
        self.allocated[first] = Columns(first, count, owner, warp)

    def free(self, columns: Columns) -> None:
        """Takes columns back."""
        self.owners[columns.first : columns.first + columns.count] = FREE
        del self.allocated[columns.first]

    def allocations_of(self, owner: int) -> list[Columns]:
        """What a CTA has allocated and not given back."""
        return [columns for columns in self.allocated.values() if columns.owner == owner]

    # Checks

    def check_owned(self, words: Words, owner: int, verb: str) -> None:
        """Raises if words are not there, or not in columns that a CTA has allocated."""
        for lanes, columns in words:
            if lanes.stop > LANES or columns.stop > COLUMNS:
                raise ExecutionError(
                    f"{verb} lanes {lanes.start} to {lanes.stop - 1}, columns {columns.start} to "
                    f"{columns.stop - 1} of tensor memory, which has {LANES} lanes of {COLUMNS} "
                    "columns"
                )
            found = self.owners[columns]
            bad = found != owner
            if bad.any():
                at = int(np.argmax(bad))
                whose = "nobody has" if found[at] == FREE else "another CTA has"
                raise ExecutionError(
                    f"{verb} column {columns.start + at} of tensor memory, which {whose} allocated"
                )

    def check_defined(self, words: Words, verb: str) -> None:
        """Raises if words were never written since they were allocated."""
        for lanes, columns in words:
            part = self.is_defined[lanes, columns]
            if not part.all():
                lane, column = (int(n) for n in np.argwhere(~part)[0])
                raise ExecutionError(
                    f"{verb} lane {lanes.start + lane}, column {columns.start + column} of tensor "
                    "memory, which was never written"
                )

    def define(self, words: Words) -> None:
        """Words are written from now on."""
        for block in words:
            self.is_defined[block] = True


# Accesses of warps


class AccessPlaces(NamedTuple):
    """Where the registers of the threads of a warp are, counted from an address."""

    lanes: Integers
    """By thread and register, of which a packed one counts twice."""
    columns: Integers
    words: tuple[Block, ...]


@cache
def access_places(name: str, repeat: int, offset: int, pack: bool) -> AccessPlaces:
    """
    What `tcgen05.ld` or `tcgen05.st` of a shape moves. With `pack`, a register is the low halves of
    two neighbouring columns.
    """
    shape, share = ACCESS_SHAPES[name], 2 if pack else 1
    registers = np.arange(shape.registers * repeat * share)
    places = np.array(
        [[shape.place(int(r) // share, t) for r in registers] for t in range(WARP_THREADS)]
    )
    lanes, columns = places[..., 0], places[..., 1] * share + registers % share
    width = shape.columns * repeat * share
    words = [Block.of(0, shape.lanes, 0, width)]
    if shape.has_offset:
        # It counts columns of memory, which do not become more.
        columns[WARP_THREADS // 2 :] += offset
        words.append(Block.of(0, shape.lanes, offset, width))
    return AccessPlaces(lanes, columns, tuple(words))


def check_warp_lanes(name: str, lane: int, warp: int) -> None:
    """Raises if a warp, by its number in its CTA, cannot access the lane of an address."""
    first = warp % (LANES // WARP_LANES) * WARP_LANES
    shape = ACCESS_SHAPES[name]
    if lane % shape.lanes:
        raise ExecutionError(
            f"the lane of an address of shape {name} must be a multiple of {shape.lanes}, but is "
            f"{lane}"
        )
    if not first <= lane <= first + WARP_LANES - shape.lanes:
        raise ExecutionError(
            f"warp {warp} accesses lane {lane} of tensor memory, but reaches lanes {first} to "
            f"{first + WARP_LANES - 1} only"
        )


def moved(words: Words, lane: int, column: int) -> list[Block]:
    """Blocks counted from an address."""
    return [
        Block(
            slice(lanes.start + lane, lanes.stop + lane),
            slice(columns.start + column, columns.stop + column),
        )
        for lanes, columns in words
    ]


# Matrices


class MatrixPart(NamedTuple):
    """A part of a matrix in tensor memory."""

    rows: slice
    columns: slice
    block: Block


def accumulator_parts(
    kind: AccumulatorKind, n: int, lane: int, column: int
) -> tuple[MatrixPart, ...]:
    """Where the parts of one CTA's accumulator of N columns are, at an address."""
    width = accumulator_columns(kind, n)
    everything = slice(0, n)
    match kind:
        case "A" | "D":
            return (MatrixPart(slice(0, LANES), everything, Block.of(lane, LANES, column, n)),)
        case "C" | "F":
            return tuple(
                MatrixPart(
                    slice(16 * warp, 16 * warp + 16),
                    everything,
                    Block.of(lane + WARP_LANES * warp, 16, column, n),
                )
                for warp in range(4)
            )
        case "B" | "E" | "G":
            folds = 4 if kind == "G" else 2
            rows = LANES // folds
            return tuple(
                MatrixPart(
                    slice(0, rows),
                    slice(part * width, (part + 1) * width),
                    Block.of(lane + part * rows, rows, column, width),
                )
                for part in range(folds)
            )


def words_of(parts: Sequence[MatrixPart]) -> list[Block]:
    """The words of a matrix."""
    return [part.block for part in parts]


def get_matrix(memory: TensorMemory, parts: Sequence[MatrixPart]) -> Array:
    """The words of a matrix, by row and column."""
    if len(parts) == 1:
        return memory.words[parts[0].block]
    rows = max(part.rows.stop for part in parts)
    columns = max(part.columns.stop for part in parts)
    found = np.empty((rows, columns), np.uint32)
    for part in parts:
        found[part.rows, part.columns] = memory.words[part.block]
    return found


def put_matrix(
    memory: TensorMemory, parts: Sequence[MatrixPart], values: Array, kept: Array | None = None
) -> None:
    """Writes the words of a matrix, but for lanes that are kept."""
    for part in parts:
        new = values[part.rows, part.columns]
        if kept is None:
            memory.words[part.block] = new
        else:
            stays = kept[part.block.lanes][:, None]
            memory.words[part.block] = np.where(stays, memory.words[part.block], new)


def without_lanes(words: Words, kept: Array | None) -> Iterator[Block]:
    """Blocks without lanes that are kept."""
    for block in words:
        if kept is None:
            yield block
            continue
        first, last = block.lanes.start, block.lanes.stop
        lane = first
        while lane < last:
            start = lane
            while lane < last and not kept[lane]:
                lane += 1
            if lane > start:
                yield Block(slice(start, lane), block.columns)
            while lane < last and kept[lane]:
                lane += 1
