"""
Alias queries against sets of accesses, without a query for each pair.

Accesses are numbered, and a set of them is an integer with a bit for each:

    sets = AliasSets(aliases, accesses)
    sets.candidates(op, among, loop)     those among some that may alias `op`

What proves that two accesses do not alias (`analysis/alias.py`) is looked up instead: other objects
by root, address space and alias scope; other tiles of a view by dimension, where indices differ
because their integer ranges are disjoint (two prefix unions of sets, over sorted bounds) or because
they are one base plus different constants (a dictionary); byte ranges from one pointer likewise. So
a query takes a few set operations, however many accesses there are.

Of the loops whose back edges lie between two accesses only the outermost around both matters. A
value that both use is defined outside all loops that are not around both. It varies if it is
defined in a loop that took its back edge, so in the outermost of these or not at all. And an
induction variable tells iterations apart only if no loop around its own took a back edge.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects.nv_tileaa import views
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType

from .alias import GENERIC_SPACE, NOWHERE, Aliases, MemoryLocation, Root, RootKind, is_invariant
from .axis_info import integer_range_of
from .axis_info_analysis import memref_of

Set = int
"""A set of accesses: bit `n` for number `n`."""

ViewKey = tuple[views.MakeMemrefOp, TiledViewType]
"""The tensor and tiling that two accesses must share for their tiles to be compared."""


def crossed_by(loop: Operation | None) -> frozenset[Operation]:
    """`crossed` for `Aliases`, given the outermost loop that took its back edge."""
    return NOWHERE if loop is None else frozenset([loop])


class AliasSets:
    """Sets of accesses of one function by location, built lazily."""

    def __init__(self, aliases: Aliases, accesses: Sequence[Operation]):
        self._aliases = aliases
        self._accesses = accesses

    @cached_property
    def _places(self) -> list[MemoryLocation | None]:
        return [self._aliases.place(op) for op in self._accesses]

    @cached_property
    def _objects(self) -> Objects:
        return Objects(self._places)

    def candidates(self, op: Operation, among: Set, loop: Operation | None) -> Set:
        """
        Those among some accesses that may alias an op, if `loop` is the outermost loop around both
        whose back edge lies between them. A superset: some of them may still be disproven by a
        query of the pair.
        """
        place = self._aliases.place(op)
        if place is None:
            return among
        among &= self._objects.sharing(place)
        if not among:
            return among
        key = self._key_of(place)
        group = None if key is None else self._groups.get(key)
        if group is None or among & ~group.members or not group.is_fixed(loop):
            return among
        return among & ~group.apart(place, loop)

    @cached_property
    def _groups(self) -> dict[ViewKey | SSAValue, Views | Ranges]:
        members: dict[ViewKey | SSAValue, list[tuple[int, MemoryLocation]]] = defaultdict(list)
        for number, place in enumerate(self._places):
            key = None if place is None else self._key_of(place)
            if place is not None and key is not None:
                members[key].append((number, place))
        return {
            key: Ranges(self._aliases, key, found)
            if isinstance(key, SSAValue)
            else Views(self._aliases, *key, found)
            for key, found in members.items()
        }

    def _key_of(self, place: MemoryLocation) -> ViewKey | SSAValue | None:
        ty = place.target.type
        if isinstance(ty, TiledViewType):
            make = memref_of(place.target)
            return None if make is None or ty.get_sparse_dim() is not None else (make, ty)
        base = self._aliases.get_range(place.target).base
        return None if isinstance(base.type, TensorType) else base


class Objects:
    """Accesses by their underlying objects."""

    def __init__(self, places: Iterable[MemoryLocation | None]):
        self._anywhere: Set = 0
        self._by_root: dict[Root, Set] = defaultdict(int)
        self._by_kind: dict[RootKind, Set] = defaultdict(int)
        self._by_space: dict[int, Set] = defaultdict(int)
        self._by_scope: dict[int, Set] = defaultdict(int)
        self._known: dict[tuple[frozenset[Root], int, int], Set] = {}
        for number, place in enumerate(places):
            bit = 1 << number
            if place is None:
                self._anywhere |= bit
                continue
            for root in place.roots:
                self._by_root[root] |= bit
            for kind in set(map(RootKind.of, place.roots)):
                self._by_kind[kind] |= bit
            self._by_space[place.space] |= bit
            self._by_scope[place.scope] |= bit

    def sharing(self, place: MemoryLocation) -> Set:
        """The accesses that may share an object with one."""
        key = (place.roots, place.space, place.scope)
        if key not in self._known:
            self._known[key] = self._find(place)
        return self._known[key]

    def _find(self, place: MemoryLocation) -> Set:
        found: Set = 0
        for root in place.roots:
            found |= self._by_root[root]
        for kind in set(map(RootKind.of, place.roots)):
            for other, accesses in self._by_kind.items():
                if kind.may_share_memory(other):
                    found |= accesses
        if place.space != GENERIC_SPACE:
            found &= self._by_space[GENERIC_SPACE] | self._by_space[place.space]
        if place.scope:
            found &= self._by_scope[0] | self._by_scope[place.scope]
        return found | self._anywhere


class Intervals:
    """Numbered closed intervals, and which of them are disjoint from another one."""

    def __init__(self, intervals: Iterable[tuple[int, int, int]]):
        lows: dict[int, Set] = defaultdict(int)
        highs: dict[int, Set] = defaultdict(int)
        for number, low, high in intervals:
            lows[low] |= 1 << number
            highs[high] |= 1 << number
        self._highs = sorted(highs)
        self._below = _unions(highs[high] for high in self._highs)
        """For each n, the union of the intervals with the n lowest upper ends."""
        self._lows = sorted(lows)
        self._above = _unions(lows[low] for low in reversed(self._lows))
        """For each n, the union of the intervals with the n highest lower ends."""

    def apart(self, low: int, high: int) -> Set:
        """The intervals that are disjoint from another one."""
        below = bisect_left(self._highs, low)
        above = len(self._lows) - bisect_right(self._lows, high)
        return self._below[below] | self._above[above]


def _unions(sets: Iterable[Set]) -> list[Set]:
    """For each n, the union of the first n sets."""
    return list(accumulate(sets, lambda first, second: first | second, initial=0))


class Ranges:
    """Accesses to byte ranges from one base pointer."""

    def __init__(
        self, aliases: Aliases, base: SSAValue, accesses: Iterable[tuple[int, MemoryLocation]]
    ):
        self._aliases = aliases
        self._base = base
        found = [(number, aliases.get_range(place.target)) for number, place in accesses]
        self.members: Set = sum(1 << number for number, _ in found)
        self._intervals = Intervals(
            (number, interval.low, interval.high - 1) for number, interval in found
        )

    def is_fixed(self, loop: Operation | None) -> bool:
        """Whether the base pointer is invariant in a loop."""
        return is_invariant(self._base, crossed_by(loop))

    def apart(self, place: MemoryLocation, loop: Operation | None) -> Set:
        """The accesses to disjoint byte ranges."""
        interval = self._aliases.get_range(place.target)
        return self._intervals.apart(interval.low, interval.high - 1)


class Views:
    """Accesses to tiles of one tensor with one tiling."""

    def __init__(
        self,
        aliases: Aliases,
        make: views.MakeMemrefOp,
        ty: TiledViewType,
        accesses: Sequence[tuple[int, MemoryLocation]],
    ):
        self._aliases = aliases
        self._make = make
        self._type = ty
        self._accesses = accesses
        self.members: Set = sum(1 << number for number, _ in accesses)

    @cached_property
    def _dims(self) -> list[Indices]:
        return [
            Indices(
                self._aliases, [(number, place.indices[dim]) for number, place in self._accesses]
            )
            for dim in range(self._type.rank)
        ]

    @cached_property
    def _separate(self) -> list[int]:
        """The dimensions along which tiles with different indices do not overlap."""
        tile, steps = self._type.get_tile_shape(), self._type.get_steps()
        return [dim for dim in range(self._type.rank) if steps[dim] >= tile[dim]]

    @cached_property
    def _lines(self) -> list[int]:
        """The dimensions along which tiles are disjoint whatever the other strides are."""
        return [
            dim for dim in self._separate if self._aliases.has_lines(self._type, self._make, dim)
        ]

    @cached_property
    def _has_distinct_elements(self) -> bool:
        return self._aliases.has_distinct_elements(self._make)

    def is_fixed(self, loop: Operation | None) -> bool:
        """Whether the tensor is invariant in a loop."""
        return is_invariant(self._make.result, crossed_by(loop))

    def apart(self, place: MemoryLocation, loop: Operation | None) -> Set:
        """The accesses to other tiles."""
        found: Set = 0
        if self._has_distinct_elements:
            for dim in self._separate:
                found |= self._dims[dim].different(place.indices[dim], loop)
            return found
        for dim in self._lines:
            on_line = self._dims[dim].different(place.indices[dim], loop)
            for other, index in enumerate(place.indices):
                if other != dim:
                    on_line &= self._dims[other].equal(index, loop)
            found |= on_line
        return found


class Indices:
    """Accesses by their index along one dimension."""

    def __init__(self, aliases: Aliases, indices: Sequence[tuple[int, SSAValue]]):
        self._aliases = aliases
        axis_info = aliases.axis_info
        self._ranges = Intervals(
            (number, axis_info[index].low, axis_info[index].high) for number, index in indices
        )
        self._by_value: dict[SSAValue, Set] = defaultdict(int)
        self._by_constant: dict[int, Set] = defaultdict(int)
        self._by_base: dict[SSAValue, Set] = defaultdict(int)
        self._by_sum: dict[tuple[SSAValue, int], Set] = defaultdict(int)
        """By base and constant, exact."""
        self._by_wrapped_sum: dict[tuple[SSAValue, int], Set] = defaultdict(int)
        """By base and constant modulo 2^n."""
        for number, index in indices:
            bit = 1 << number
            self._by_value[index] |= bit
            constant = axis_info[index].value
            if constant is not None:
                self._by_constant[constant] |= bit
            total = aliases.split(index)
            self._by_base[total.base] |= bit
            self._by_sum[total.base, total.distance] |= bit
            self._by_wrapped_sum[total.base, _wrapped(index, total.distance)] |= bit

    def different(self, index: SSAValue, loop: Operation | None) -> Set:
        """The accesses whose index differs from another one; as `Aliases.differ`."""
        info = self._aliases.axis_info[index]
        found = self._ranges.apart(info.low, info.high)
        total = self._aliases.split(index)
        if is_invariant(total.base, crossed_by(loop)):
            key = (total.base, _wrapped(index, total.distance))
            found |= self._by_base[total.base] & ~self._by_wrapped_sum[key]
        elif self._aliases.counts(total.base, crossed_by(loop)):
            found |= self._by_sum[total.base, total.distance]
        return found

    def equal(self, index: SSAValue, loop: Operation | None) -> Set:
        """The accesses whose index is the same as another one; as `Aliases.are_equal`."""
        constant = self._aliases.axis_info[index].value
        found = 0 if constant is None else self._by_constant[constant]
        if is_invariant(index, crossed_by(loop)):
            found |= self._by_value[index]
        return found


def _wrapped(index: SSAValue, distance: int) -> int:
    return distance % (1 << integer_range_of(index.type).bits)
