"""
Tiles as functions of an index, which yield vectors along the last dimension; scratch memory.

A tile is computed where it is used, and stored only if several places need it and it is costly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects.builtin import i1, i8
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import llvm as own
from tileiras_xdsl.targets.cpu import UNROLL

from .arithmetic import bytes_of, i4, stored
from .emitter import Emitter, Index, vector

LANES: Final = 16
"""Elements of a vector, on every host, so that sums have one order."""
ALIGNMENT: Final = 64
"""Of tiles in scratch memory: a cache line."""

Get = Callable[[Sequence[Index], int], SSAValue]


@dataclass(eq=False)
class Guard:
    """A condition under which a tile may be read or written without a mask."""

    flag: SSAValue


@dataclass(eq=False)
class Ahead:
    """Lines of memory that will be read soon."""

    count: int
    address: Callable[[Index], SSAValue]
    """Of a line by its number, which may be beyond the last."""
    distance: Index
    """Bytes from what is read now."""

    def prefetch(self, e: Emitter, line: Index) -> None:
        """Brings a line to the second cache."""
        e.prefetch(self.address(line))

    def prefetch_beyond(self, e: Emitter, place: SSAValue) -> None:
        """Brings what is as far from an address to the second cache."""
        e.prefetch(e.binary("add", place, e.value(self.distance)))


@dataclass(eq=False)
class Pending:
    """A load that is done where its tile is stored, unless the memory of both overlaps."""

    source: Tile
    ends: tuple[SSAValue, SSAValue]
    """The first byte that is read, and the one after the last."""
    copy: Tile | None = None
    """Where the tile is while code for overlapping memory is being written."""
    first_reader: Operation | None = None
    """The first op that reads the tile."""
    is_slow: bool = False
    """Whether what is computed of it takes long, so that memory rests."""
    store: tuple[Operation, SSAValue] | None = None
    """A store of a row that comes later, and how many bytes from this one it is."""


@dataclass(eq=False)
class Tile:
    """A tile: `get(index, width)` yields so many elements along the last dimension."""

    shape: tuple[int, ...]
    element: Attribute
    get: Get
    guards: tuple[Guard, ...] = ()
    lanes: int = LANES
    """Elements that a loop computes at once: more where each takes a long chain of ops."""
    step: int | None = None
    """By how much integers grow along the last dimension, where that is known."""
    buffer: SSAValue | None = None
    """Scratch memory that holds the tile, row by row."""
    ahead: tuple[Ahead, ...] = ()
    """What the next iteration of the loop around it reads to compute it."""

    per_row: tuple[Tile, ...] = ()
    """What it is computed from that is the same for all elements of the last dimension."""
    across: int | None = None
    """The dimension along which elements are beside each other, if not the last: see `turn`."""
    pending: tuple[Pending, ...] = ()
    """The loads that it is computed from which a store may overtake."""
    in_order: Callable[[Callable[[Sequence[Index], int], None]], None] | None = None
    """Calls a function for one vector after the other, and then `get` yields that vector."""

    @property
    def count(self) -> int:
        return math.prod(self.shape)


def most_lanes(tiles: Sequence[Tile]) -> int:
    """Elements that a loop over tiles computes at once, if no tile is computed in blocks."""
    if any(each.across is not None for each in tiles):
        return LANES
    return max((each.lanes for each in tiles), default=LANES)


@dataclass(eq=False)
class Scratch:
    """Scratch memory of a thread: offsets are given out in order, and taken back in that order."""

    e: Emitter
    base: SSAValue
    used: int = 0
    most: int = 0
    pointers: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])

    def reserve(self, size: int) -> SSAValue:
        """The address of so many bytes."""
        offset = self.used
        self.used += -(-size // ALIGNMENT) * ALIGNMENT
        self.most = max(self.most, self.used)
        if offset not in self.pointers:
            op = own.GEPOp(self.base, [offset], i8, []) if offset else None
            self.pointers[offset] = self.base if op is None else self.e.at_start(op)
        return self.pointers[offset]


class Tiles:
    """Makes tiles, and writes them to memory."""

    def __init__(self, e: Emitter, scratch: SSAValue):
        self.e = e
        self.scratch = Scratch(e, scratch)
        self.inside: set[Guard] = set()
        """What is known to hold where code is being written."""
        self.parts: dict[Index, tuple[Index, int]] = {}
        """Indices in a block of `LANES`: its start, and the number in it."""

    def tile(self, shape: Sequence[int], element: Attribute, get: Get, *sources: Tile) -> Tile:
        """A tile that is computed where it is used, once for each index."""
        guards = tuple(dict.fromkeys(guard for each in sources for guard in each.guards))
        tile = Tile(tuple(shape), element, get, guards)
        tile.ahead = tuple(dict.fromkeys(each for source in sources for each in source.ahead))
        tile.pending = tuple(dict.fromkeys(each for source in sources for each in source.pending))

        def remembered(index: Sequence[Index], width: int) -> SSAValue:
            key = (tile, tuple(index), width, frozenset(self.inside & {*guards}))
            for scope in reversed(self.e.scopes):
                if key in scope:
                    return scope[key]
            result = self.e.scopes[-1][key] = get(index, width)
            return result

        tile.get = remembered
        return tile

    def turn(
        self, tile: Tile, dim: int, along: Callable[[Sequence[Index]], SSAValue | None]
    ) -> None:
        """
        Has a tile computed in blocks of `LANES` by `LANES`, where a nest of loops takes blocks (see
        `loops`): `along` yields a vector along another dimension than the last, if it can, and
        those of a block are transposed.
        """
        get, name = tile.get, object()
        tile.across = dim

        def turned(index: Sequence[Index], width: int) -> SSAValue:
            part = self.parts.get(index[dim]) if width == LANES else None
            if part is None:
                return get(index, width)
            start, number = part
            first = [*index]
            first[dim] = start
            for scope in reversed(self.e.scopes):
                if (name, number, *first) in scope:
                    return scope[name, number, *first]
            columns = [along([*first[:-1], self.e.add(first[-1], lane)]) for lane in range(LANES)]
            found = [each for each in columns if each is not None]
            if len(found) < LANES:
                return get(index, width)
            for at, row in enumerate(self.e.transpose(found)):
                self.e.scopes[-1][name, at, *first] = row
            return self.e.scopes[-1][name, number, *first]

        tile.get = turned

    def flat(self, shape: Sequence[int], index: Sequence[Index]) -> Index:
        """The position of an element, row by row."""
        place: Index = 0
        for size, each in zip(shape, index, strict=True):
            place = self.e.add(self.e.mul(place, size), each)
        return place

    def read(self, pointer: SSAValue, place: Index, element: Attribute, width: int) -> SSAValue:
        """Elements in memory, one beside the other."""
        held = stored(element)
        in_memory = i8 if held in (i1, i4) else held
        address = self.e.element_pointer(pointer, place, in_memory)
        value = self.e.load(vector(in_memory, width), address, bytes_of(element))
        return value if held == in_memory else self.e.cast("trunc", value, held)

    def write(self, value: SSAValue, pointer: SSAValue, place: Index, element: Attribute) -> None:
        """Stores elements beside each other."""
        held = stored(element)
        if held in (i1, i4):
            value, held = self.e.cast("zext", value, i8), i8
        self.e.store(value, self.e.element_pointer(pointer, place, held), bytes_of(element))

    def in_memory(self, shape: Sequence[int], element: Attribute, pointer: SSAValue) -> Tile:
        """The tile that scratch memory holds."""

        def get(index: Sequence[Index], width: int) -> SSAValue:
            return self.read(pointer, self.flat(shape, index), element, width)

        return Tile(tuple(shape), element, get, buffer=pointer)

    def reserve(self, shape: Sequence[int], element: Attribute) -> Tile:
        """Scratch memory for a tile."""
        return self.in_memory(
            shape, element, self.scratch.reserve(math.prod(shape) * bytes_of(element))
        )

    def loops(
        self,
        shape: Sequence[int],
        body: Callable[[Sequence[Index], int], None],
        lanes: int = LANES,
        tiles: Sequence[Tile] = (),
    ) -> None:
        """
        Loops over a tile: the last dimension in vectors. If one of the tiles that are computed in
        them has its elements beside each other along another dimension, that is in blocks.
        """
        e = self.e
        width = math.gcd(shape[-1], lanes) if shape else 1

        across = next((x.across for x in tiles if x.across is not None), None)
        is_inside = all(self.inside.issuperset(x.guards) for x in tiles if x.across is not None)
        if width != LANES or across is None or shape[across] % LANES or not is_inside:
            across = None

        def nest(dim: int, index: list[Index]) -> None:
            if dim == len(shape) and across is not None:
                start = index[across]
                self.parts = {e.add(start, part): (start, part) for part in range(LANES)}
                for each in self.parts:
                    body([*index[:across], each, *index[across + 1 :]], width)
                self.parts = {}
                return
            if dim == len(shape):
                body(index, width)
                return
            step = width if dim == len(shape) - 1 else LANES if dim == across else 1
            if dim == len(shape) - 1:
                self.compute_rows(tiles, index, width)

            def inner(i: Index, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                nest(dim + 1, [*index, i])
                return ()

            most = max(UNROLL * min(step, LANES), step)
            if dim == len(shape) - 1 and shape[dim] <= most and across is None:
                for i in range(0, shape[dim], step):
                    inner(i, ())
            else:
                e.loop(0, shape[dim], step, (), inner)

        nest(0, [])

    def compute_rows(self, tiles: Sequence[Tile], outer: Sequence[Index], width: int) -> None:
        """Computes what is the same for all of a row, in front of the loop over the row."""
        for row in dict.fromkeys(row for each in tiles for row in each.per_row):
            if len(row.shape) == len(outer) + 1:
                row.get([*outer, 0], width)

    def versions(self, guards: Sequence[Guard], body: Callable[[], None]) -> None:
        """Code for where all guards hold, and for all else."""
        open_guards = [guard for guard in guards if guard not in self.inside]
        if not open_guards:
            body()
            return
        flag = open_guards[0].flag
        for guard in open_guards[1:]:
            flag = self.e.binary("and", flag, guard.flag)

        def inside() -> Sequence[SSAValue]:
            self.inside |= {*open_guards}
            body()
            self.inside -= {*open_guards}
            return ()

        def outside() -> Sequence[SSAValue]:
            body()
            return ()

        self.e.branch(flag, inside, outside)

    def store(
        self,
        tile: Tile,
        target: Tile,
        lanes: int | None = None,
        place: Callable[[Sequence[Index]], Index] | None = None,
    ) -> Tile:
        """Writes a tile to scratch memory of its shape, row by row or where `place` says."""
        pointer = target.buffer
        assert pointer is not None

        def body(index: Sequence[Index], width: int) -> None:
            value = tile.get(index, width)
            where = self.flat(tile.shape, index) if place is None else place(index)
            self.write(value, pointer, where, tile.element)

        lanes = lanes or most_lanes([tile])
        self.versions(tile.guards, lambda: self.loops(tile.shape, body, lanes, [tile]))
        return target

    def materialize(self, tile: Tile) -> Tile:
        """The tile in scratch memory."""
        if tile.buffer is not None:
            return tile
        return self.store(tile, self.reserve(tile.shape, tile.element))
