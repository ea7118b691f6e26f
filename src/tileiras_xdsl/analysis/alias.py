"""
Alias analysis: which accesses of a function may touch the same bytes.

Objects are told apart by the underlying root of pointers: two parameters may alias; an `alloca`
aliases nothing that existed before it, and globals do not alias each other. Two accesses to one
object do not alias if they go to different tiles of one view, or to disjoint byte ranges from one
pointer.

    %v = block_tile %m …                        tiles of 64 elements that do not overlap
    for %i: tiled_store %x, %v[%i]              no alias with itself in other iterations
    tiled_store %x, %v[%c0]; tiled_load %v[%c1] no alias

Whether two executions of accesses see the same operand values depends on the loops whose back
edges lie between them; these are given as `crossed`. Elements of a tensor may overlap unless its
strides exclude it, and then so may its tiles.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from itertools import accumulate

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntAttr, TensorType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.dialects.nv_tileaa import elementwise, memory, shape, views
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, PtrType, TiledViewType

from .axis_info import integer_range_of
from .axis_info_analysis import AxisInfoAnalysis, analyze, dims_of, element_bytes, memref_of
from .pointer_tiles import Extent, PointerTiles, is_invariant
from .slices import reachable, sources_of

GENERIC_SPACE = 0
MAX_ELEMENT_BYTES = 8

NOWHERE = frozenset[Operation]()
"""No back edge: both accesses are in one iteration of all loops around them."""

Root = Operation | BlockArgument | str
"""An underlying object: an `alloca`, a parameter, the name of a global, or any other definition."""


def get_roots(
    pointer: SSAValue, known: dict[SSAValue, frozenset[Root]] | None = None
) -> frozenset[Root]:
    """
    The underlying objects of a pointer, memref or view. Results are cached in `known`, so that a
    chain of pointers is followed once, not once for each access through it.
    """
    known = {} if known is None else known
    chain: list[SSAValue] = []
    sources = [pointer]
    while len(sources) == 1 and sources[0] not in known and not _is_argument_of_loop(sources[0]):
        chain.append(sources[0])
        sources = list(_sources(sources[0]))
    roots = _find_roots(sources, known) if sources else frozenset([_as_root(chain[-1])])
    known.update(dict.fromkeys(chain, roots))
    return roots


def _is_argument_of_loop(value: SSAValue) -> bool:
    """Whether a value is loop-carried, and so may be derived from itself."""
    return isinstance(value, BlockArgument) and bool(sources_of(value))


def _find_roots(
    pointers: Sequence[SSAValue], known: dict[SSAValue, frozenset[Root]]
) -> frozenset[Root]:
    roots: set[Root] = set()

    def following(value: SSAValue) -> list[SSAValue]:
        if value in known:
            roots.update(known[value])
            return []
        if not (sources := list(_sources(value))):
            roots.add(_as_root(value))
        return sources

    for _ in reachable(pointers, following):
        pass
    return frozenset(roots)


def _as_root(value: SSAValue) -> Root:
    """The root that a value without sources stands for."""
    if isinstance(value, BlockArgument):
        return value
    if isinstance(value.owner, memory.GetGlobalOp):
        return value.owner.global_name.string_value()
    assert isinstance(value.owner, Operation)
    return value.owner


_FIRST_OPERAND = (
    *(memory.AddPtrOp, shape.AssumeOp, shape.SplatOp, shape.ViewOperation, shape.BroadcastOp),
    *(shape.ExpandDimsOperation, shape.PermuteOp, shape.ExtractOp, views.MakeMemrefOp),
    views.BlockTileOp,
)


def _sources(value: SSAValue) -> Sequence[SSAValue]:
    """The values that a pointer is derived from."""
    owner = value.owner
    if isinstance(owner, _FIRST_OPERAND):
        return owner.operands[:1]
    match owner:
        case shape.CatOp() | shape.InsertOp():
            return owner.operands[:2]
        case arith.SelectOp():
            return owner.operands[1:]
        case _:
            return sources_of(value)


class RootKind(Enum):
    """The kind of object that a root stands for."""

    ANYTHING = auto()
    """A pointer of unknown provenance."""
    PARAMETER = auto()
    GLOBAL = auto()
    FRESH = auto()
    """A new object: an `alloca`."""

    @staticmethod
    def of(root: Root) -> RootKind:
        if isinstance(root, BlockArgument):
            parent = root.owner.parent_op()
            is_parameter = parent is not None and parent.has_trait(IsolatedFromAbove)
            return RootKind.PARAMETER if is_parameter else RootKind.ANYTHING
        if isinstance(root, str):
            return RootKind.GLOBAL
        return RootKind.FRESH if isinstance(root, memory.AllocaOp) else RootKind.ANYTHING

    def may_share_memory(self, other: RootKind) -> bool:
        """Whether two different roots of these kinds may point into one object."""
        if RootKind.ANYTHING in (self, other):
            return True
        if RootKind.FRESH in (self, other):
            return False
        return not (self is RootKind.GLOBAL and other is RootKind.GLOBAL)


def may_share_memory(first: Root, second: Root) -> bool:
    """Whether two roots may point into one object."""
    return first == second or RootKind.of(first).may_share_memory(RootKind.of(second))


@dataclass(frozen=True)
class MemoryLocation:
    """The memory location of an access: a tile of a view, or what pointers point to."""

    target: SSAValue
    roots: frozenset[Root]
    space: int
    scope: int
    indices: tuple[SSAValue, ...] = ()
    bytes: int = MAX_ELEMENT_BYTES
    """Of an element that is accessed through a pointer, at most."""

    @staticmethod
    def of(
        op: Operation, known: dict[SSAValue, frozenset[Root]] | None = None
    ) -> MemoryLocation | None:
        """The location that an op accesses, if it accesses memory; `known` as for `get_roots`."""
        size = None
        match op:
            case views.TileLoad() | views.TileStore() | views.TileUpdate():
                target, indices = op.view, tuple(op.indices)
            case memory.PointerLoad():
                target, indices, size = op.pointer, (), element_bytes(get_element(op.result.type))
            case memory.PointerStore():
                target, indices, size = op.pointer, (), element_bytes(get_element(op.value.type))
            case memory.AtomicRMWOp() | memory.AtomicCASOp():
                target, indices = op.pointer, ()
            case _:
                return None
        space, scope = GENERIC_SPACE, 0
        match get_element(target.type):
            case TiledViewType(memref=MemRefType(address_space=where, alias_scope=number)):
                space, scope = where.data, number.data
            case PtrType(address_space=where):
                space = where.data
            case LLVMPointerType(addr_space=IntAttr() as where):
                space = where.data
            case _:
                pass
        return MemoryLocation(
            target, get_roots(target, known), space, scope, indices, size or MAX_ELEMENT_BYTES
        )


class Aliases:
    """Alias queries about the accesses of one function."""

    def __init__(self, function: Operation):
        self._function = function
        self._places: dict[Operation, MemoryLocation | None] = {}
        self._roots: dict[SSAValue, frozenset[Root]] = {}
        self._sums: dict[SSAValue, BasePlusConstant] = {}

    @cached_property
    def axis_info(self) -> AxisInfoAnalysis:
        return analyze(self._function)

    @cached_property
    def pointers(self) -> PointerTiles:
        return PointerTiles(self.axis_info)

    def place(self, op: Operation) -> MemoryLocation | None:
        if op not in self._places:
            self._places[op] = MemoryLocation.of(op, self._roots)
        return self._places[op]

    def may_alias(
        self, first: Operation, second: Operation, crossed: Collection[Operation] = NOWHERE
    ) -> bool:
        """
        Whether two accesses may alias if back edges of the loops `crossed` lie between them. An op
        that is no access may touch anything.
        """
        one, other = self.place(first), self.place(second)
        if one is None or other is None:
            return True
        if GENERIC_SPACE not in (one.space, other.space) and one.space != other.space:
            return False
        if one.scope and other.scope and one.scope != other.scope:
            return False
        if not any(may_share_memory(a, b) for a in one.roots for b in other.roots):
            return False
        if isinstance(one.target.type, TiledViewType):
            return not self._are_other_tiles(one, other, crossed)
        return not self._are_other_ranges(one, other, crossed)

    def may_alias_in(
        self, first: Operation, second: Operation, loops: Collection[Operation]
    ) -> bool:
        """
        Whether two accesses may alias in the same or in different iterations of some loops. An
        induction variable differs only if the back edge of its own loop lies between them.
        """
        return any(self.may_alias(first, second, each) for each in (NOWHERE, *({x} for x in loops)))

    # Tiles of a view

    def _are_other_tiles(
        self, one: MemoryLocation, other: MemoryLocation, crossed: Collection[Operation]
    ) -> bool:
        ty, make = one.target.type, memref_of(one.target)
        if make is None or make is not memref_of(other.target) or ty != other.target.type:
            return False
        assert isinstance(ty, TiledViewType)
        if ty.get_sparse_dim() is not None or not is_invariant(make.result, crossed):
            return False
        tile, steps = ty.get_tile_shape(), ty.get_steps()
        different = [
            dim
            for dim in range(ty.rank)
            if steps[dim] >= tile[dim]
            and self.differ(one.indices[dim], other.indices[dim], crossed)
        ]
        if not different:
            return False
        return self.has_distinct_elements(make) or any(
            self._is_one_line(one, other, dim, ty, make, crossed) for dim in different
        )

    def has_distinct_elements(self, make: views.MakeMemrefOp) -> bool:
        """Whether strides exclude that two elements of a tensor have the same address."""
        sizes, strides = dims_of(make, self.axis_info.__getitem__)
        reach = 0
        for size, stride in sorted(
            zip(sizes, strides, strict=True), key=lambda dim: (dim[1].low, dim[1].high)
        ):
            if size.value == 1:
                continue
            if stride.low <= reach or size.low < 0:
                return False
            reach += (max(size.high, 1) - 1) * stride.high
        return True

    def _is_one_line(
        self,
        one: MemoryLocation,
        other: MemoryLocation,
        dim: int,
        ty: TiledViewType,
        make: views.MakeMemrefOp,
        crossed: Collection[Operation],
    ) -> bool:
        """Whether two tiles differ by a multiple of one dimension's stride only."""
        return self.has_lines(ty, make, dim) and all(
            place == dim or self.are_equal(one.indices[place], other.indices[place], crossed)
            for place in range(ty.rank)
        )

    def has_lines(self, ty: TiledViewType, make: views.MakeMemrefOp, dim: int) -> bool:
        """Whether tiles that differ in one index only are disjoint, whatever the other strides."""
        _, strides = dims_of(make, self.axis_info.__getitem__)
        stride = strides[ty.get_dim_map()[dim]]
        if stride.low <= 0 <= stride.high:
            return False
        return all(place == dim or size == 1 for place, size in enumerate(ty.get_tile_shape()))

    def are_equal(self, first: SSAValue, second: SSAValue, crossed: Collection[Operation]) -> bool:
        """Whether two integers are provably equal."""
        one, other = self.axis_info[first].value, self.axis_info[second].value
        if one is not None and one == other:
            return True
        return first is second and is_invariant(first, crossed)

    def differ(self, first: SSAValue, second: SSAValue, crossed: Collection[Operation]) -> bool:
        """Whether two integers provably differ: by range, by a constant, or by the iteration."""
        one, other = self.axis_info[first], self.axis_info[second]
        if one.high < other.low or other.high < one.low:
            return True
        left, right = self.split(first), self.split(second)
        if left.base is not right.base:
            return False
        if is_invariant(left.base, crossed):
            return (left.distance - right.distance) % (1 << integer_range_of(first.type).bits) != 0
        return left.distance == right.distance and self.counts(left.base, crossed)

    def counts(self, value: SSAValue, crossed: Collection[Operation]) -> bool:
        """Whether a value is the induction variable of the outermost loop crossed."""
        owner = value.owner
        loop = owner.parent_op() if isinstance(owner, Block) else None
        if not isinstance(loop, scf.ForOp) or loop not in crossed:
            return False
        if not isinstance(value, BlockArgument) or value.index != 0:
            return False
        if self.axis_info[loop.step].low <= 0:
            return False
        return all(other is loop or loop.is_ancestor(other) for other in crossed)

    def split(self, value: SSAValue) -> BasePlusConstant:
        """A value as base plus constant. Exact modulo 2^n, so values that wrap still differ."""
        chain: list[tuple[SSAValue, int]] = []
        while value not in self._sums:
            owner = value.owner
            term = None
            if isinstance(owner, elementwise.AddIOp | elementwise.SubIOp | arith.AddiOp):
                term = self._constant_term(owner)
            if term is None:
                self._sums[value] = BasePlusConstant(value, 0)
            else:
                chain.append((value, term.distance))
                value = term.base
        found = self._sums[value]
        for value, distance in reversed(chain):
            found = self._sums[value] = BasePlusConstant(found.base, found.distance + distance)
        return found

    def _constant_term(
        self, op: elementwise.OverflowOperation | arith.AddiOp
    ) -> BasePlusConstant | None:
        """An addition or subtraction as operand plus constant, if one operand is constant."""
        first, second = op.operands
        is_difference = isinstance(op, elementwise.SubIOp)
        constant = self.axis_info[second].value
        if constant is None and not is_difference:
            first, second = second, first
            constant = self.axis_info[second].value
        if constant is None:
            return None
        return BasePlusConstant(first, -constant if is_difference else constant)

    # Ranges behind a pointer

    def _are_other_ranges(
        self, one: MemoryLocation, other: MemoryLocation, crossed: Collection[Operation]
    ) -> bool:
        if isinstance(other.target.type, TiledViewType):
            return False
        return self.pointers.are_apart(self.get_extent(one), self.get_extent(other), crossed)

    def get_extent(self, place: MemoryLocation) -> Extent:
        """The bytes that an access through a pointer, or a tile of them, may touch."""
        return self.pointers.extent(place.target, place.bytes)


@dataclass(frozen=True)
class BasePlusConstant:
    """An integer as a base value plus a constant."""

    base: SSAValue
    distance: int


# Alias queries against sets of accesses, without a query for each pair.
#
# Accesses are numbered, and a set of them is an integer with a bit for each:
#
#     sets = AliasSets(aliases, accesses)
#     sets.candidates(op, among, loop)     those among some that may alias `op`
#
# What proves that two accesses do not alias (`analysis/alias.py`) is looked up instead: other
# objects by root, address space and alias scope; other tiles of a view by dimension, where indices
# differ because their integer ranges are disjoint (two prefix unions of sets, over sorted bounds)
# or because they are one base plus different constants (a dictionary); byte ranges from one
# pointer likewise. So a query takes a few set operations, however many accesses there are.
#
# Of the loops whose back edges lie between two accesses only the outermost around both matters. A
# value that both use is defined outside all loops that are not around both. It varies if it is
# defined in a loop that took its back edge, so in the outermost of these or not at all. And an
# induction variable tells iterations apart only if no loop around its own took a back edge.

Set = int
"""A set of accesses: bit `n` for number `n`."""

Terms = frozenset[tuple[SSAValue, int]]
"""Of an extent: accesses with the same ones are compared."""

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
        base = self._aliases.get_extent(place).base
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
        return self._before(low) | self._behind(high)

    def within(self, low: int, high: int) -> Set:
        """The intervals that are in another one, which is open."""
        return self._before(high) & self._behind(low)

    def _before(self, number: int) -> Set:
        """The intervals that end before a number."""
        return self._below[bisect_left(self._highs, number)]

    def _behind(self, number: int) -> Set:
        """The intervals that begin behind a number."""
        return self._above[len(self._lows) - bisect_right(self._lows, number)]


def _unions(sets: Iterable[Set]) -> list[Set]:
    """For each n, the union of the first n sets."""
    return list(accumulate(sets, lambda first, second: first | second, initial=0))


class Ranges:
    """Accesses to byte ranges from one base pointer."""

    def __init__(
        self, aliases: Aliases, base: SSAValue, accesses: Sequence[tuple[int, MemoryLocation]]
    ):
        self._aliases = aliases
        self._base = base
        found = [(number, aliases.get_extent(place)) for number, place in accesses]
        self.members: Set = sum(1 << number for number, _ in found)
        self._intervals = Intervals((number, extent.first, extent.last) for number, extent in found)
        alike: dict[Terms, list[tuple[int, int, int]]] = defaultdict(list)
        for number, extent in found:
            alike[extent.terms].append((number, extent.low, extent.high))
        self._alike = {terms: Intervals(members) for terms, members in alike.items()}

    def is_fixed(self, loop: Operation | None) -> bool:
        """Whether the base pointer is invariant in a loop."""
        return is_invariant(self._base, crossed_by(loop))

    def apart(self, place: MemoryLocation, loop: Operation | None) -> Set:
        """The accesses to disjoint byte ranges."""
        extent = self._aliases.get_extent(place)
        found = self._intervals.apart(extent.first, extent.last)
        moved = self._aliases.pointers.movement(extent, crossed_by(loop))
        if moved is None:
            return found
        same = self._alike[extent.terms]
        if moved:
            return found | same.within(extent.high - moved, extent.low + moved)
        return found | same.apart(extent.low, extent.high)


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
