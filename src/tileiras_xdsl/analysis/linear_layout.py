"""
Linear layouts, that is layouts as linear maps over GF(2): which thread holds which element.

Every dimension of a tile is a power of two, so the row-major number of an element is a string of
bits, and a layout says which of these bits each bit of a place flips. A place is made of inputs:
registers, lanes and warps for a tile that is spread over threads, an offset for one in memory.

    tile 8x4, 4 registers, 8 lanes:    register = [1, 2]    lane = [4, 8, 16]

Here a thread holds a row: register bit 0 flips bit 0 of the number (the next column), lane bit 0
flips bit 2 (the next row). A basis of 0 means that both places hold the same element: the tile
is replicated. Reshaping a tile changes only its shape, never the bases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from operator import mul
from typing import Final

REGISTER: Final = "register"
LANE: Final = "lane"
WARP: Final = "warp"
OFFSET: Final = "offset"

Bases = tuple[int, ...]
"""For each bit of an input, lowest first, the bits of an element's number that it flips."""

LANE_BITS: Final = 5


def log2(number: int) -> int:
    """The exponent of a power of two."""
    assert number.bit_count() == 1, f"{number} is no power of two"
    return number.bit_length() - 1


def xor_all(bases: Sequence[int], index: int) -> int:
    """The linear combination of bases that the bits of an index select."""
    result = 0
    for basis in bases:
        if index & 1:
            result ^= basis
        index >>= 1
    return result


@dataclass(frozen=True)
class LinearLayout:
    """A linear map from inputs to the row-major numbers of the elements of a tile."""

    shape: tuple[int, ...]
    inputs: tuple[tuple[str, Bases], ...]

    @staticmethod
    def distributed(
        shape: Sequence[int], register: Iterable[int], lane: Iterable[int], warp: Iterable[int]
    ) -> LinearLayout:
        """A tile that is distributed over the registers of threads."""
        inputs = ((REGISTER, tuple(register)), (LANE, tuple(lane)), (WARP, tuple(warp)))
        return LinearLayout(tuple(shape), inputs)

    @staticmethod
    def shared(shape: Sequence[int], offset: Iterable[int]) -> LinearLayout:
        """A tile in memory, by offsets in elements."""
        return LinearLayout(tuple(shape), ((OFFSET, tuple(offset)),))

    # Inputs

    def bases(self, name: str) -> Bases:
        """The bases of an input; none if it has no such input."""
        for each, bases in self.inputs:
            if each == name:
                return bases
        return ()

    @property
    def register(self) -> Bases:
        return self.bases(REGISTER)

    @property
    def lane(self) -> Bases:
        return self.bases(LANE)

    @property
    def warp(self) -> Bases:
        return self.bases(WARP)

    @property
    def offset(self) -> Bases:
        return self.bases(OFFSET)

    @property
    def registers(self) -> int:
        """How many registers a thread needs."""
        return 1 << len(self.register)

    @property
    def warps(self) -> int:
        return 1 << len(self.warp)

    @property
    def threads(self) -> int:
        return 1 << (len(self.lane) + len(self.warp))

    @property
    def elements(self) -> int:
        return prod(self.shape)

    def replaced(self, **bases: Iterable[int]) -> LinearLayout:
        """The layout with other bases for some inputs."""
        return replace(
            self,
            inputs=tuple((name, tuple(bases.get(name, old))) for name, old in self.inputs),
        )

    def mapped(self, function: BitMap, shape: Sequence[int]) -> LinearLayout:
        """The layout of a tile whose elements got new numbers, by a linear map of them."""
        inputs = tuple((name, tuple(map(function.apply, bases))) for name, bases in self.inputs)
        return LinearLayout(tuple(shape), inputs)

    # Elements

    def place(self, number: int) -> dict[str, int]:
        """Where an element is, with zero in copying bits."""
        packed = Solver(self.all_bases).solve(number)
        assert packed is not None, "the layout has no place for the element"
        return self.unpack(packed)

    def element(self, **place: int) -> int:
        """The number of the element at a place."""
        result = 0
        for name, bases in self.inputs:
            result ^= xor_all(bases, place.get(name, 0))
        return result

    def coordinates(self, number: int) -> tuple[int, ...]:
        """The position of an element in the tile."""
        return unflatten(number, self.shape)

    @property
    def all_bases(self) -> Bases:
        """The bases of all inputs, one input after the other."""
        return tuple(basis for _, bases in self.inputs for basis in bases)

    def unpack(self, number: int) -> dict[str, int]:
        """The place that a number stands for: the bits of all inputs, those of the first lowest."""
        place: dict[str, int] = {}
        for name, bases in self.inputs:
            place[name] = number & ((1 << len(bases)) - 1)
            number >>= len(bases)
        return place

    def inverse(self) -> BitMap:
        """
        Numbers of elements to numbers of places (see `unpack`). Of several places that hold an
        element it gives the one whose copying bits (see `free_bits`) are zero.
        """
        solver = Solver(self.all_bases)
        columns: list[int] = []
        for bit in range(log2(self.elements)):
            place = solver.solve(1 << bit)
            assert place is not None, "the layout has no place for some elements"
            columns.append(place)
        return BitMap(tuple(columns))

    def is_surjective(self) -> bool:
        """Whether every element has a place."""
        return rank(self.all_bases) == log2(self.elements)

    def free_bits(self, name: str) -> int:
        """
        The bits of an input that are copies: lower bits of it or earlier inputs reach the
        same elements without them."""
        seen: list[int] = []
        free = 0
        for each, bases in self.inputs:
            for bit, basis in enumerate(bases):
                if rank([*seen, basis]) == len(seen):
                    if each == name:
                        free |= 1 << bit
                else:
                    seen.append(basis)
        return free

    def owners(self, name: str) -> int:
        """
        The bits of an input that say who owns its elements: a place whose other bits are not
        all zero holds only copies.
        """
        return ((1 << len(self.bases(name))) - 1) & ~self.free_bits(name)

    # Tiling

    def tile(self, outer: LinearLayout) -> LinearLayout:
        """
        Copies of this layout, arranged as another layout says: the bits of each input are those
        of this layout, then those of the other one.
        """
        shape = tuple(map(mul, self.shape, outer.shape))
        names = dict.fromkeys(name for name, _ in (*self.inputs, *outer.inputs))
        inputs: list[tuple[str, Bases]] = []
        for name in names:
            inside = [flatten(self.coordinates(basis), shape) for basis in self.bases(name)]
            outside = [
                flatten([*map(mul, outer.coordinates(basis), self.shape)], shape)
                for basis in outer.bases(name)
            ]
            inputs.append((name, (*inside, *outside)))
        return LinearLayout(shape, tuple(inputs))

    # Changes of shape

    def reshape(self, shape: Sequence[int]) -> LinearLayout:
        """The same elements in row-major order, counted in another shape."""
        assert prod(shape) == self.elements
        return replace(self, shape=tuple(shape))

    def permute(self, order: Sequence[int]) -> LinearLayout:
        """The transposed tile: its dimension i is dimension `order[i]` of this one."""
        shape = tuple(self.shape[dim] for dim in order)
        return self.mapped(BitMap.permutation(self.shape, tuple(order)), shape)

    def slice(self, axis: int) -> LinearLayout:
        """
        Without a dimension: elements that differ only along it become one. Registers that hold
        copies are dropped.
        """
        shape = (*self.shape[:axis], *self.shape[axis + 1 :])
        return self.mapped(BitMap.dropping(self.shape, axis), shape).compressed()

    def restricted(self, shape: Sequence[int]) -> LinearLayout:
        """
        The part of a tile with coordinates below `shape`, as copies: bits of coordinates beyond
        are forgotten. This is where a broadcast to the whole tile comes from.
        """
        return self.mapped(BitMap.cropping(self.shape, tuple(shape)), shape).compressed()

    def compressed(self) -> LinearLayout:
        """Without the registers that hold copies of other registers."""
        return self.replaced(register=extend((), self.register))


@dataclass(frozen=True)
class BitMap:
    """A linear map of bit strings: what each bit of the argument becomes."""

    columns: Bases

    def apply(self, number: int) -> int:
        return xor_all(self.columns, number)

    @staticmethod
    @cache
    def permutation(shape: Sequence[int], order: Sequence[int]) -> BitMap:
        """Numbers in a shape to numbers in the shape with its dimensions in another order."""
        target = tuple(shape[dim] for dim in order)
        return BitMap._by_dims(bits_along(target, order.index(dim)) for dim in range(len(shape)))

    @staticmethod
    @cache
    def dropping(shape: Sequence[int], axis: int) -> BitMap:
        """Numbers in a shape to numbers in it without a dimension."""
        target = (*shape[:axis], *shape[axis + 1 :])
        columns = [bits_along(target, dim) for dim in range(len(target))]
        columns.insert(axis, [0] * log2(shape[axis]))
        return BitMap._by_dims(columns)

    @staticmethod
    @cache
    def cropping(shape: Sequence[int], target: Sequence[int]) -> BitMap:
        """Numbers in a shape to numbers in a smaller one of the same rank."""
        return BitMap._by_dims(
            _filled(bits_along(target, dim), log2(size)) for dim, size in enumerate(shape)
        )

    @staticmethod
    def _by_dims(columns: Iterable[Sequence[int]]) -> BitMap:
        """What the bits of each dimension become; those of the last one are the lowest."""
        return BitMap(tuple(column for dim in reversed(list(columns)) for column in dim))


def bits_along(shape: Sequence[int], dim: int) -> list[int]:
    """The numbers of the elements at 1, 2, 4, … along a dimension, and at 0 along others."""
    step = prod(shape[dim + 1 :])
    return [step << bit for bit in range(log2(shape[dim]))]


def flatten(position: Sequence[int], shape: Sequence[int]) -> int:
    """The row-major number of a position."""
    number = 0
    for coordinate, size in zip(position, shape, strict=True):
        number = number * size + coordinate
    return number


def unflatten(number: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The position of a row-major number."""
    position: list[int] = []
    for size in reversed(shape):
        position.append(number % size)
        number //= size
    return tuple(reversed(position))


# Linear algebra over bits
#
# A bit string is a vector over GF(2), the field of 0 and 1, whose sum is xor. A linear map is known
# by its columns, what it makes of single bits, and a layout is such a map. So all questions about
# layouts are Gaussian elimination:
#
#   which threads hold copies        rank: a column that adds nothing to the columns before it
#   where an element is              solve: which columns add up to its number
#   which places hold the same       kernel: sets of columns that add up to zero
#   what both layouts have in registers        intersection of the spans of some columns
#   a numbering of the rest          extend: columns that complete a basis
#
# Rows are kept by their highest bit, which no two of them share: to reduce a vector, the row with
# its highest bit is added as long as there is one. What is left is zero if the rows span it.


def rank(vectors: Iterable[int]) -> int:
    """How many of some bit strings are independent."""
    return len(_echelon(vectors))


def _echelon(vectors: Iterable[int]) -> dict[int, int]:
    """Independent combinations of some bit strings, by their highest bit."""
    rows: dict[int, int] = {}
    for vector in vectors:
        reduced = _reduce(vector, rows)
        if reduced:
            rows[reduced.bit_length()] = reduced
    return rows


def _reduce(vector: int, rows: dict[int, int]) -> int:
    while vector and (row := rows.get(vector.bit_length())):
        vector ^= row
    return vector


class Solver:
    """Finds which of some bit strings add up to another; earlier ones are preferred."""

    def __init__(self, vectors: Sequence[int]):
        self._rows: dict[int, tuple[int, int]] = {}
        self.kernel: list[int] = []
        """Sets of vectors that add up to zero; all others are made of these."""
        for index, vector in enumerate(vectors):
            # Beside each row is the set of vectors that add up to it, and so beside a zero one of
            # those that cancel out.
            rest, used = self._reduce(vector, 1 << index)
            if rest:
                self._rows[rest.bit_length()] = rest, used
            else:
                self.kernel.append(used)

    def solve(self, vector: int) -> int | None:
        """The set of vectors, as bits, that add up to one; `None` if there is no such set."""
        rest, used = self._reduce(vector, 0)
        return None if rest else used

    def _reduce(self, vector: int, used: int) -> tuple[int, int]:
        while vector and (row := self._rows.get(vector.bit_length())):
            vector ^= row[0]
            used ^= row[1]
        return vector, used


def extend(basis: Iterable[int], vectors: Iterable[int]) -> list[int]:
    """Those of some bit strings that are independent of a basis and of those before them."""
    rows = _echelon(basis)
    added: list[int] = []
    for vector in vectors:
        reduced = _reduce(vector, rows)
        if reduced:
            rows[reduced.bit_length()] = reduced
            added.append(vector)
    return added


def reduced(vectors: Iterable[int]) -> list[int]:
    """The basis of a span with the fewest bits set: the lowest bit of each is in no other."""
    rows: list[int] = []
    for vector in vectors:
        for row in rows:
            if vector & row & -row:
                vector ^= row
        if vector:
            rows = [row ^ vector if row & vector & -vector else row for row in rows]
            rows.append(vector)
    return sorted(rows, key=lambda row: row & -row)


def intersection(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """A basis of the bit strings that both spans have."""
    # A combination of both bases that is zero has the same sum on either side: a common element.
    left, right = extend((), left), extend((), right)
    mask = (1 << len(left)) - 1
    return reduced(xor_all(left, used & mask) for used in Solver([*left, *right]).kernel)


# Two layouts of one tile


def is_permutation_of_registers(source: LinearLayout, target: LinearLayout) -> bool:
    """Whether each thread has what it needs, in the same registers as all others."""
    return (
        source.lane == target.lane
        and source.warp == target.warp
        and rank(source.register) == rank((*source.register, *target.register))
    )


def stays_in_warp(source: LinearLayout, target: LinearLayout) -> bool:
    """Whether each warp has what it needs, in any of its lanes."""
    within = (*source.register, *source.lane)
    needed = [
        *target.register,
        *target.lane,
        *(a ^ b for a, b in zip(source.warp, target.warp, strict=True)),
    ]
    return rank(within) == rank((*within, *needed))


# Memory


BANKS: Final = 32
BANK_BYTES: Final = 4


def contiguous_registers(layout: LinearLayout, order: Sequence[int] | None = None) -> int:
    """
    How many registers, starting at the first, are neighbours along the fastest dimension of
    memory, for every thread and every group of this many registers. Dimensions are in `order`,
    fastest first.
    """
    if not layout.shape:
        return 1
    axis = len(layout.shape) - 1 if order is None else order[0]
    bits = 0
    for bit, basis in enumerate(layout.register):
        coordinates = layout.coordinates(basis)
        if any(each for dim, each in enumerate(coordinates) if dim != axis):
            break
        if coordinates[axis] != 1 << bit:
            break
        bits = bit + 1

    def starts(count: int) -> Iterable[int]:
        for name, bases in layout.inputs:
            yield from bases[count:] if name == REGISTER else bases

    while bits and any(layout.coordinates(basis)[axis] % (1 << bits) for basis in starts(bits)):
        bits -= 1
    return 1 << bits


def wavefronts(offsets: Sequence[int], width: int) -> int:
    """
    How often shared memory is read or written for one access of a warp: `offsets` in bytes, one
    for each lane, to `width` bytes each. Lanes of one phase move at most 128 bytes together; in
    a phase each bank gives one word to all who want it.
    """
    lanes = min(len(offsets), max(1, BANKS * BANK_BYTES // width))
    total = 0
    for first in range(0, len(offsets), lanes):
        words = {
            byte // BANK_BYTES
            for offset in offsets[first : first + lanes]
            for byte in range(offset, offset + width, min(width, BANK_BYTES))
        }
        used = [0] * BANKS
        for word in words:
            used[word % BANKS] += 1
        total += max(used)
    return total


def least_wavefronts(lanes: int, width: int) -> int:
    """What an access without bank conflicts takes."""
    return max(1, lanes * width // (BANKS * BANK_BYTES))


# Layouts to start from


def blocked(
    shape: Sequence[int],
    warps: int,
    *,
    vector: int = 1,
    order: Sequence[int] | None = None,
    lanes: int = 1 << LANE_BITS,
) -> LinearLayout:
    """
    Vectors of consecutive elements, then lanes, warps and the other registers, each along the
    dimensions of `order`, fastest first. A tile with fewer elements than threads is replicated.
    """
    order = tuple(reversed(range(len(shape)))) if order is None else tuple(order)
    bits = [basis for dim in order for basis in bits_along(shape, dim)]
    first = min(log2(vector), len(bits))
    rest = bits[first:]
    lane = _filled(rest[: log2(lanes)], log2(lanes))
    rest = rest[log2(lanes) :]
    warp = _filled(rest[: log2(warps)], log2(warps))
    register = bits[:first] + rest[log2(warps) :]
    return LinearLayout.distributed(shape, register, lane, warp)


def _filled(bases: Sequence[int], count: int) -> list[int]:
    return [*bases, *[0] * (count - len(bases))]
