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

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntAttr, TensorType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.dialects.nv_tileaa import elementwise, memory, shape, views
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, PtrType, TiledViewType

from .axis_info import integer_range_of
from .axis_info_analysis import AxisInfoAnalysis, analyze, dims_of, element_bytes, memref_of
from .slices import reachable, sources_of

GENERIC_SPACE = 0

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

    @staticmethod
    def of(
        op: Operation, known: dict[SSAValue, frozenset[Root]] | None = None
    ) -> MemoryLocation | None:
        """The location that an op accesses, if it accesses memory; `known` as for `get_roots`."""
        match op:
            case views.TileLoad() | views.TileStore() | views.TileUpdate():
                target, indices = op.view, tuple(op.indices)
            case memory.PointerLoad() | memory.PointerStore():
                target, indices = op.pointer, ()
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
        return MemoryLocation(target, get_roots(target, known), space, scope, indices)


class Aliases:
    """Alias queries about the accesses of one function."""

    def __init__(self, function: Operation):
        self._function = function
        self._places: dict[Operation, MemoryLocation | None] = {}
        self._roots: dict[SSAValue, frozenset[Root]] = {}
        self._sums: dict[SSAValue, BasePlusConstant] = {}
        self._ranges: dict[SSAValue, ByteRange] = {}

    @cached_property
    def axis_info(self) -> AxisInfoAnalysis:
        return analyze(self._function)

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
        self, op: elementwise.AddIOp | elementwise.SubIOp | arith.AddiOp
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
        left, right = self.get_range(one.target), self.get_range(other.target)
        if left.base is not right.base or not is_invariant(left.base, crossed):
            return False
        if isinstance(left.base.type, TensorType):
            return False
        return left.high <= right.low or right.high <= left.low

    def get_range(self, pointer: SSAValue) -> ByteRange:
        """The bytes, relative to a base pointer, that an access through a pointer may touch."""
        chain: list[tuple[SSAValue, int, int]] = []
        while pointer not in self._ranges:
            owner = pointer.owner
            low, high = 0, 0
            match owner:
                case memory.AddPtrOp() if (size := element_bytes(owner.elem_type)) is not None:
                    offset = self.axis_info[owner.offset]
                    low, high = offset.low * size, offset.high * size
                case shape.AssumeOp() | shape.SplatOp() | shape.ViewOperation():
                    pass
                case shape.ExpandDimsOperation() | shape.BroadcastOp():
                    pass
                case shape.PermuteOp() | shape.ExtractOp():
                    pass
                case _:
                    self._ranges[pointer] = ByteRange(pointer, 0, MAX_ELEMENT_BYTES)
                    break
            chain.append((pointer, low, high))
            pointer = owner.operands[0]
        found = self._ranges[pointer]
        for pointer, low, high in reversed(chain):
            found = ByteRange(found.base, found.low + low, found.high + high)
            self._ranges[pointer] = found
        return found


MAX_ELEMENT_BYTES = 8


@dataclass(frozen=True)
class BasePlusConstant:
    """An integer as a base value plus a constant."""

    base: SSAValue
    distance: int


@dataclass(frozen=True)
class ByteRange:
    """The bytes [low, high) relative to a base pointer."""

    base: SSAValue
    low: int
    high: int


def is_invariant(value: SSAValue, loops: Collection[Operation]) -> bool:
    """Whether a value is invariant in some loops."""
    block = value.owner if isinstance(value, BlockArgument) else value.owner.parent_block()
    around = None if not isinstance(block, Block) else block.parent_op()
    while around is not None:
        if around in loops:
            return False
        around = around.parent_op()
    return True
