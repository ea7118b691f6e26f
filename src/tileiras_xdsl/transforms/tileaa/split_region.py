"""
Cutting a part of a kernel along a dimension: which tiles are cut together, and what is repeated.

    %s = nv_tileaa.dot %q, %k, %zero : …                     dim 0: %q, %s
    %m = nv_tileaa.reduce %s {axis = 1} … -> tensor<256xf32>   dim 0: %s, %m
    %o = nv_tileaa.dot %p, %v, %acc : …                        dim 0: %p, %acc, %o

`ParallelTiles` starts at a dimension of a tile. From each tile that is cut it goes to what the tile
is computed from and to what is computed from it, through loops and branches, to loads and stores
(`tiling.py` says which operands and results of an op are cut together). The dimension is parallel
if that ends without a conflict: nothing is reduced, scanned, concatenated or multiplied along it.
Rows of attention are parallel, its columns are not. Constants, ranges, and what is computed from
nothing else are computed once more wherever a part of them is needed, so that one range can be cut
for rows and be whole for columns.

Before:  %a = scf.for %k … iter_args(%c = %zero) -> (tensor<256x256xf32>) {
           %x, %t1 = nv_tileaa.tiled_load %va[%i, %k] … -> tensor<256x64xbf16>, …
           %y, %t2 = nv_tileaa.tiled_load %vb[%k, %j] … -> tensor<64x256xbf16>, …
           %d = nv_tileaa.dot %x, %y, %c : …
         }
         %t3 = nv_tileaa.tiled_store %a, %vc[%i, %j] …
Piece:   %at = nv_tileaa.addi %first, %n : i64                                   // 2 * %i + %n
         %a = scf.for %k … iter_args(%c = %zero) -> (tensor<128x256xf32>) {
           %x, %t1 = nv_tileaa.tiled_load %pa[%at, %k] … -> tensor<128x64xbf16>, …
           …
         }
         %t3 = nv_tileaa.tiled_store %a, %pc[%at, %j] …

The region that `find_region` finds is a range of ops of one block. Parts repeat what is not cut,
so that has to be pure or plain loads; scalars stay before the region. A store is done in parts, or
the tiles are not split. `RegionBuilder` copies a region with one part of each tile, or with
several side by side.

Parts reorder accesses: those of the first one come before all of the second. Tokens are the only
order between accesses at this level, so that is legal unless a token orders two that may touch the
same memory, and these are not the same part of the same tile.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from typing_extensions import override
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue, Use
from xdsl.traits import is_side_effect_free

from tileiras_xdsl.analysis.alias import Aliases, is_invariant
from tileiras_xdsl.analysis.axis_info_analysis import memref_of
from tileiras_xdsl.analysis.memory_order import Ordering, ordering
from tileiras_xdsl.analysis.slices import operands_first
from tileiras_xdsl.dialects.memory_order import (
    ACCESS,
    Effect,
    effects_of,
    is_plain_load,
    own_effects,
)
from tileiras_xdsl.dialects.nv_tileaa import shape
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation, ScanOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicRMWOp, JoinMemTokenOp, is_token
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, TiledAccess, TiledStoreOp
from tileiras_xdsl.xdsl_extras.walking import ancestor_in, find_all, last_of, splat_of, walk

from .canonicalization.shape import is_elementwise
from .discharge_mem_tokens import TokenOrder
from .tiling import (
    PieceBuilder,
    Store,
    ViewAccess,
    add_op,
    can_cut_view,
    copy_with,
    needed_pieces,
    operand_dims,
    piece_type,
)

RESHAPES = (shape.BroadcastOp, shape.ExpandDimsOp, shape.PermuteOp, shape.ViewOp)


class NotParallel(Exception):
    """An op needs several parts at once, or cannot be done in parts."""

    def __init__(self, op: Operation, reason: str):
        super().__init__(f"'{op.name}' {reason}")
        self.op = op


def _cheap_operands(value: SSAValue) -> list[SSAValue]:
    """The tiles that one is computed from, if it may be computed wherever it is needed."""
    op = value.owner
    if not isinstance(op, Operation):
        return []
    if not isinstance(op, RESHAPES) and not (is_elementwise(op) and is_side_effect_free(op)):
        return []
    return [operand for operand in op.operands if isinstance(operand.type, TensorType)]


@dataclass
class ParallelTiles:
    """
    Tiles that are cut together, along a dimension each. If dots may add up products, a tile may
    also be cut along K of a dot.
    """

    adds_up: bool = False
    dims: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The dimension of each, but for those that are computed where they are needed."""
    stores: dict[Store, int] = field(default_factory=lambda: dict[Store, int]())
    """Of what is stored in parts."""
    cheap_dims: dict[SSAValue, set[int]] = field(default_factory=dict[SSAValue, set[int]])
    """The dimensions along which parts of those are needed."""
    reduced: dict[DotOp, None] = field(default_factory=dict[DotOp, None])
    """The dots that add up products of parts."""
    extent: int = 0
    """The number of parts at most."""
    _pending: list[SSAValue] = field(default_factory=list[SSAValue])
    _cheap: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])

    def add(self, tile: SSAValue, dim: int) -> None:
        """Adds a tile, and all that is cut with it; raises `NotParallel` if that is not."""
        self._mark(tile, dim)
        while self._pending:
            value = self._pending.pop()
            self._add_sources(value)
            for use in [*value.uses]:
                self._add_user(value, use)

    def is_cheap(self, value: SSAValue) -> bool:
        """Whether a tile is computed from constants, ranges and scalars only."""
        for each in operands_first(value, _cheap_operands, self._cheap):
            op = each.owner
            self._cheap[each] = isinstance(op, Operation) and self._is_cheap_op(op)
        return self._cheap[value]

    def _is_cheap_op(self, op: Operation) -> bool:
        if isinstance(op, arith.ConstantOp):
            return isinstance(op.value, DenseIntOrFPElementsAttr) and splat_of(op.value) is not None
        if isinstance(op, shape.SplatOp | shape.MakeRangeOp):
            return True
        tiles = _cheap_operands(op.results[0])
        return bool(tiles) and all(self._cheap[tile] for tile in tiles)

    def dim_of(self, op: Operation) -> int | None:
        """The dimension along which the results of an op, or what it stores, are cut."""
        if isinstance(op, Store):
            return self.stores.get(op)
        return next((self.dims[result] for result in op.results if result in self.dims), None)

    def owners(self) -> Iterator[Operation]:
        """The ops, loops and branches that tiles are cut in."""
        yield from self.stores
        yield from self.reduced
        for value in self.dims:
            op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
            assert op is not None
            yield op

    # How far it reaches

    def _mark(self, value: SSAValue, dim: int) -> None:
        """Adds a tile; of one that is computed anew for each part, what it is computed from."""
        pending = [(value, dim)]
        while pending:
            value, dim = pending.pop()
            owner = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
            assert owner is not None
            if self.dims.get(value, dim) != dim:
                raise NotParallel(owner, "has a tile that would be cut along two dimensions")
            size = get_shape(value.type)[dim]
            if size == 1:
                raise NotParallel(owner, "has a tile of size 1 there")
            self.extent = min(self.extent or size, size)
            if value in self.dims:
                continue
            if not self.is_cheap(value):
                self.dims[value] = dim
                self._pending.append(value)
                continue
            needed = self.cheap_dims.setdefault(value, set[int]())
            if dim not in needed:
                needed.add(dim)
                pending += reversed(self._needed(owner, dim))

    def _needed(self, op: Operation, dim: int) -> list[tuple[SSAValue, int]]:
        """The operands that are cut with the results of an op."""
        if isinstance(op, ScanOp) and op.get_axis() == dim:
            raise NotParallel(op, "scans along it")
        if isinstance(op, shape.CatOp) and op.dim.value.data == dim:
            raise NotParallel(op, "concatenates along it")
        needed = needed_pieces(op, dim, 1)
        if needed is None:
            raise NotParallel(op, "cannot be done in parts")
        return [*needed]

    def _add_sources(self, value: SSAValue) -> None:
        """Adds what a tile is computed from, and the other results of its op."""
        dim, owner = self.dims[value], value.owner
        loop = owner.parent_op() if isinstance(owner, Block) else owner
        match loop:
            case scf.ForOp():
                self._add_carried(loop, _carried_number(loop, value), dim)
            case scf.IfOp():
                number = loop.results.index(value)
                self._add_branches(loop, number, dim)
            case _:
                assert loop is not None
                is_aggregate = isinstance(loop, AggregateOperation)
                if not isinstance(owner, Operation) or (owner.regions and not is_aggregate):
                    raise NotParallel(loop, "passes tiles on")
                for result in owner.results:
                    if isinstance(result.type, TensorType):
                        self._mark(result, dim)
                for operand, along in self._needed(owner, dim):
                    self._mark(operand, along)

    def _add_carried(self, loop: scf.ForOp, number: int, dim: int) -> None:
        """Adds a tile that a loop carries."""
        for value in (
            loop.results[number],
            loop.body.block.args[1 + number],
            loop.iter_args[number],
            last_of(loop.body.block).operands[number],
        ):
            self._mark(value, dim)

    def _add_branches(self, branch: scf.IfOp, number: int, dim: int) -> None:
        """Adds a tile that a branch yields."""
        self._mark(branch.results[number], dim)
        for region in branch.regions:
            self._mark(last_of(region.block).operands[number], dim)

    def _add_user(self, value: SSAValue, use: Use) -> None:
        """Adds what is computed from a tile, or stored."""
        op, dim = use.operation, self.dims[value]
        match op:
            case scf.ForOp():
                self._add_carried(op, use.index - 3, dim)
            case scf.YieldOp():
                around = op.parent_op()
                if isinstance(around, scf.ForOp):
                    self._add_carried(around, use.index, dim)
                elif isinstance(around, scf.IfOp):
                    self._add_branches(around, use.index, dim)
                else:
                    raise NotParallel(op, "passes tiles on")
            case DotOp() if self.adds_up and self._is_along_k(use):
                self.reduced[op] = None
                self._mark(op.a, len(get_shape(op.a.type)) - 1)
                self._mark(op.b, len(get_shape(op.b.type)) - 2)
            case _ if isinstance(op, Store):
                if isinstance(op, TiledAccess) and not can_cut_view(op, dim, 1):
                    raise NotParallel(op, "has a view without parts")
                if isinstance(op, AtomicRMWOp) and any(op.result.uses):
                    raise NotParallel(op, "yields a tile")
                if self.stores.setdefault(op, dim) != dim:
                    raise NotParallel(op, "has a tile that would be cut along two dimensions")
                for operand in op.operands:
                    if isinstance(operand.type, TensorType):
                        self._mark(operand, dim)
            case _:
                self._mark(*self._result_of(op, use, dim))

    def _is_along_k(self, use: Use) -> bool:
        """Whether a tile is cut along K of the dot that multiplies it."""
        dot, index = use.operation, use.index
        if index > 1:
            return False
        tile = dot.operands[index]
        return self.dims[tile] == len(get_shape(tile.type)) - 1 - index

    def _result_of(self, op: Operation, use: Use, dim: int) -> tuple[SSAValue, int]:
        """The tile that an op computes from a part of another, and its dimension."""
        for result in op.results:
            if isinstance(result.type, TensorType):
                for along, size in enumerate(get_shape(result.type)):
                    dims = operand_dims(op, along, 1) if size > 1 else None
                    if dims is not None and dims.get(use.index) == dim:
                        return result, along
        raise NotParallel(op, "needs all parts of a tile")


def _carried_number(loop: scf.ForOp, value: SSAValue) -> int:
    """Which of the tiles that a loop carries a value is."""
    if isinstance(value, BlockArgument):
        return value.index - 1
    return loop.results.index(value)


@dataclass(frozen=True)
class SplitRegion:
    """The ops of a block that are done once for each part."""

    tiles: ParallelTiles
    block: Block
    ops: tuple[Operation, ...]
    """In order; what is between them and not among them stays before the region."""

    def all_ops(self) -> dict[Operation, None]:
        """The ops and those in them, in order."""
        return {each: None for op in self.ops for each in walk(op)}

    def escaping(self) -> list[SSAValue]:
        """What is used behind the region."""
        inside = self.all_ops()
        return [
            result
            for op in self.ops
            for result in op.results
            if any(use.operation not in inside for use in result.uses)
        ]


def find_region(function: FuncOp, tiles: ParallelTiles) -> SplitRegion:
    """The region that computes parallel tiles; raises `NotParallel` if it cannot be repeated."""
    owners = [*dict.fromkeys(tiles.owners())]
    block = _common_block(owners)
    members, (first, last) = _members_of(block, owners)
    ops = [*block.ops]
    chosen = _without_scalars(ops[first : last + 1], members)
    chosen = [*_feeding(ops[:first], chosen), *chosen]
    region = SplitRegion(tiles, block, tuple(chosen))
    for op in region.all_ops():
        _check_effects(op, tiles)
    for value in region.escaping():
        if not is_token(value.type):
            assert isinstance(value.owner, Operation)
            raise NotParallel(value.owner, "is used behind what is split")
    _check_order(function, region)
    return region


def find_whole_region(function: FuncOp, tiles: ParallelTiles) -> SplitRegion:
    """The part of a kernel in which tiles are cut, all of which is done once, not in parts."""
    block = function.body.block
    _, (first, last) = _members_of(block, tiles.owners())
    return SplitRegion(tiles, block, tuple(block.ops)[first : last + 1])


def _members_of(
    block: Block, owners: Iterable[Operation]
) -> tuple[set[Operation], tuple[int, int]]:
    """The ops of a block in which tiles are cut; the numbers of the first and of the last one."""
    members = {ancestor_in(block, op) for op in owners}
    for member in members:
        for op in walk(member):
            if op.regions and not isinstance(op, scf.ForOp | scf.IfOp | AggregateOperation):
                raise NotParallel(op, "cannot be done in parts")
    numbers = [number for number, op in enumerate(block.ops) if op in members]
    return members, (numbers[0], numbers[-1])


def _blocks_around(op: Operation) -> Iterator[Block]:
    """The blocks around an op, innermost first."""
    around = op
    while (block := around.parent_block()) is not None:
        yield block
        parent = block.parent_op()
        if parent is None or isinstance(parent, FuncOp):
            return
        around = parent


def _common_block(ops: Sequence[Operation]) -> Block:
    """The innermost block that ops, or loops and branches with them, are in."""
    shared = [*_blocks_around(ops[0])]
    for op in ops[1:]:
        around = set(_blocks_around(op))
        shared = [block for block in shared if block in around]
    return shared[0]


def _has_tiles(op: Operation) -> bool:
    return any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results))


def _is_movable(op: Operation) -> bool:
    """Whether an op may be done earlier, if its operands are there."""
    return not op.regions and (is_side_effect_free(op) or is_plain_load(op))


def _without_scalars(ops: Sequence[Operation], members: set[Operation]) -> list[Operation]:
    """Ops without scalar code that none of the others is needed for."""
    chosen: list[Operation] = []
    inside: set[Operation] = set()
    for op in ops:
        is_scalar = op not in members and not _has_tiles(op) and _is_movable(op)
        if not is_scalar or any(operand.owner in inside for operand in op.operands):
            chosen.append(op)
            inside.add(op)
    return chosen


def _feeding(before: Sequence[Operation], chosen: Sequence[Operation]) -> list[Operation]:
    """Ops before a region that compute tiles for nothing else, up to one with effects."""
    inside = {each for op in chosen for each in walk(op)}
    found: list[Operation] = []
    for op in reversed(before):
        if effects_of(op) & ~Effect.READ:
            break
        uses = [use.operation for result in op.results for use in result.uses]
        is_tile = any(isinstance(result.type, TensorType) for result in op.results)
        if is_tile and _is_movable(op) and uses and inside.issuperset(uses):
            found.append(op)
            inside.add(op)
    return found[::-1]


def _check_effects(op: Operation, tiles: ParallelTiles) -> None:
    effects = own_effects(op)
    if not effects or is_plain_load(op):
        return
    if effects & ~(ACCESS | Effect.ATOMIC) or not isinstance(op, Store):
        raise NotParallel(op, "must not be done once for each part")
    if op not in tiles.stores:
        raise NotParallel(op, "stores a tile that is not cut")


def _check_order(function: FuncOp, region: SplitRegion) -> None:
    """Checks that parts may come one after the other."""
    inside = region.all_ops()
    order, aliases = TokenOrder(function), Aliases(function)
    known = set(order.effects)
    loops: set[Operation] = {op for op in inside if isinstance(op, scf.ForOp | scf.WhileOp)}
    effects = [op for op in order.effects if op in inside]
    for op in inside:
        if own_effects(op) & Effect.WRITE and op not in known:
            raise NotParallel(op, "has an order that is not known")

    def is_free(first: Operation, second: Operation) -> bool:
        return not aliases.may_alias_in(first, second, loops) or _is_same_tile(
            region, aliases, first, second, loops
        )

    if (pair := _find_ordered(order, effects, is_free)) is not None:
        raise NotParallel(pair[1], f"is ordered behind '{pair[0].name}' of other parts")


def _find_ordered(
    order: TokenOrder,
    effects: Sequence[Operation],
    is_free: Callable[[Operation, Operation], bool],
) -> tuple[Operation, Operation] | None:
    """
    Two effects that tokens order and that must stay in order. `is_free` is asked of those that must
    only if they touch the same memory.
    """
    for second in effects:
        for first in effects:
            if not order.before[second] & order.bit[first]:
                continue
            needed = ordering(own_effects(first), own_effects(second))
            if needed is Ordering.ALWAYS:
                return first, second
            if needed is Ordering.SAME_MEMORY and not is_free(first, second):
                return first, second
    return None


def _is_same_tile(
    region: SplitRegion,
    aliases: Aliases,
    first: Operation,
    second: Operation,
    loops: set[Operation],
) -> bool:
    """Whether two accesses are to the same tile, along the dimension that is cut, in all loops."""
    dim = _common_dim(region, aliases, first, second, loops)
    if dim is None:
        return False
    assert isinstance(first, ViewAccess)
    assert isinstance(second, ViewAccess)
    return first.indices[dim] is second.indices[dim] and is_invariant(first.indices[dim], loops)


def _common_dim(
    region: SplitRegion,
    aliases: Aliases,
    first: Operation,
    second: Operation,
    loops: set[Operation],
) -> int | None:
    """
    The dimension along which tiles of the same partition are cut, if two accesses are to it, and
    elements with different indices along it are different ones: those of one tile are, those of
    several tiles of a tensor if its strides say so.
    """
    if not isinstance(first, ViewAccess) or not isinstance(second, ViewAccess):
        return None
    dim = region.tiles.dim_of(first)
    one, other = first.view.owner, second.view.owner
    if dim is None or dim != region.tiles.dim_of(second):
        return None
    if not isinstance(one, BlockTileOp) or not isinstance(other, BlockTileOp):
        return None
    make = memref_of(first.view)
    is_same = (
        one.memref is other.memref
        and is_invariant(one.memref, loops)
        and first.view_type.get_tile_shape() == second.view_type.get_tile_shape()
        and first.view_type.get_steps() == second.view_type.get_steps()
        and first.view_type.get_dim_map() == second.view_type.get_dim_map()
    )
    if not is_same or make is None:
        return None
    is_one_tile = all(
        index is place and is_invariant(index, loops)
        for index, place in zip(first.indices, second.indices, strict=True)
    )
    return dim if is_one_tile or aliases.has_distinct_elements(make) else None


def why_not_concurrent(function: FuncOp, region: SplitRegion) -> str | None:
    """
    Why CTAs cannot do a part each, with all that is not split done by each of them; `None` if they
    can. Nothing else may have effects, and no access of one may have to wait for one of another.
    """
    inside = region.all_ops()
    for op in walk(function):
        if op not in inside and own_effects(op) and not is_plain_load(op):
            return f"'{op.name}' is not split"
    order, aliases = TokenOrder(function), Aliases(function)
    loops = set[Operation](find_all(function, scf.ForOp, scf.WhileOp))

    def is_free(first: Operation, second: Operation) -> bool:
        return not aliases.may_alias_in(first, second, loops) or _are_apart(
            region, aliases, first, second, loops
        )

    if (pair := _find_ordered(order, order.effects, is_free)) is not None:
        return f"'{pair[1].name}' is ordered behind '{pair[0].name}' of other CTAs"
    return None


def _are_apart(
    region: SplitRegion,
    aliases: Aliases,
    first: Operation,
    second: Operation,
    loops: set[Operation],
) -> bool:
    """
    Whether the parts of a number of all tiles have nothing in common with others. Of a tensor that
    is stored tile by tile in a loop that is taken for granted, as if its strides said so.
    """
    is_one_store = first is second and isinstance(first, TiledStoreOp)
    dim = region.tiles.dim_of(first)
    if not is_one_store:
        dim = _common_dim(region, aliases, first, second, loops)
    if dim is None:
        return False
    assert isinstance(first, ViewAccess)
    view = first.view_type
    return view.get_steps()[dim] % view.get_tile_shape()[dim] == 0


@dataclass
class RegionPiece(PieceBuilder):
    """One part of the tiles of a region."""

    tiles: ParallelTiles = field(default_factory=ParallelTiles)
    cheap: dict[tuple[SSAValue, int], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, int], SSAValue]
    )
    """Parts of tiles that are computed where they are needed."""

    @override
    def get(self, value: SSAValue, dim: int | None = None) -> SSAValue:
        if dim is None or not self.tiles.is_cheap(value):
            return super().get(value, dim)
        for each, along in operands_first((value, dim), self._needed, self.cheap):
            # It is computed before the region.
            assert isinstance(each.owner, Operation)
            self.build_cheap(each.owner, along, self.head)
        return self.cheap[value, dim]

    def _needed(self, piece: tuple[SSAValue, int]) -> Sequence[tuple[SSAValue, int]]:
        """The parts of cheap tiles that the part of one is computed from."""
        value, dim = piece
        assert isinstance(value.owner, Operation)
        needed = needed_pieces(value.owner, dim, self.pieces) or ()
        return [each for each in needed if self.tiles.is_cheap(each[0])]

    def build_cheap(self, op: Operation, dim: int, ops: list[Operation]) -> None:
        """Builds an op that computes a tile from constants, ranges and scalars only."""
        new = self.build(op, dim, ops)
        for old, result in zip(op.results, new.results, strict=True):
            self.cheap[old, dim] = result


class RegionBuilder:
    """Copies a region, with the parts of some numbers in the place of each tile that is cut."""

    def __init__(
        self,
        region: SplitRegion,
        pieces: int,
        numbers: Sequence[SSAValue],
        before: list[Operation],
        head: list[Operation],
    ):
        """What does not depend on numbers is put `before`, what all of the region needs `head`."""
        self.region = region
        self.whole: dict[SSAValue, SSAValue] = {}
        """What stands for a value that is not cut."""
        tiles, early = region.tiles, dict[tuple[SSAValue, int], SSAValue]()
        self._pieces = [
            RegionPiece(
                pieces,
                number,
                before,
                head,
                tiles.dims,
                ChainMap({}, self.whole),
                early=early,
                tiles=tiles,
            )
            for number in numbers
        ]
        self.made: dict[Operation, None] = {}
        """The ops that are done in parts."""

    def build(self) -> list[Operation]:
        """The ops of the region, those at its start aside."""
        ops: list[Operation] = []
        for op in self.region.ops:
            self._build(op, ops)
        return ops

    def pieces_of(self, value: SSAValue, dim: int | None) -> list[SSAValue]:
        """The parts of a tile that is cut along a dimension, or the value that is not cut."""
        if dim is None:
            return [self.whole.get(value, value)]
        return [piece.get(value, dim) for piece in self._pieces]

    def _dim(self, value: SSAValue) -> int | None:
        return self.region.tiles.dims.get(value)

    def _set(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        """Notes what stands for values: for one that is cut, as many values as there are parts."""
        values = iter(new)
        for value in old:
            if self._dim(value) is None:
                self.whole[value] = next(values)
            else:
                for piece in self._pieces:
                    piece.values[value] = next(values)

    def _build(self, op: Operation, ops: list[Operation]) -> None:
        tiles, start = self.region.tiles, len(ops)
        match op:
            case scf.ForOp():
                self._build_loop(op, ops)
                return
            case scf.IfOp():
                self._build_branch(op, ops)
                return
            case DotOp() if op in tiles.reduced:
                self._add_up(op, ops)
            case _ if op.results and tiles.is_cheap(op.results[0]):
                for dim in sorted(tiles.cheap_dims.get(op.results[0], ())):
                    for piece in self._pieces:
                        piece.build_cheap(op, dim, ops)
                self._build_whole(op, ops)
            case _ if (dim := tiles.dim_of(op)) is not None:
                self._build_cut(op, dim, ops)
            case _:
                self._build_whole(op, ops)
                return
        self.made.update(dict.fromkeys(ops[start:]))

    def _build_whole(self, op: Operation, ops: list[Operation]) -> None:
        new = add_op(ops, op.clone(dict(self.whole)))
        self.whole.update(zip(op.results, new.results, strict=True))

    def _build_cut(self, op: Operation, dim: int, ops: list[Operation]) -> None:
        built = [piece.build(op, dim, ops) for piece in self._pieces]
        for index, result in enumerate(op.results):
            values = [new.results[index] for new in built]
            if len(values) > 1 and is_token(result.type) and any(result.uses):
                # Behind the op is behind all parts of it.
                values = [add_op(ops, JoinMemTokenOp(*values)).result]
            self._set([result], values)

    def _add_up(self, op: DotOp, ops: list[Operation]) -> None:
        """A dot that is cut along K: one dot after the other adds to the same accumulator."""
        rank = len(get_shape(op.a.type))
        pairs = zip(self.pieces_of(op.a, rank - 1), self.pieces_of(op.b, rank - 2), strict=True)
        result = self.whole.get(op.accumulator, op.accumulator)
        for left, right in pairs:
            result = add_op(ops, copy_with(op, [left, right, result], op.result_types)).result
            result.owner.location = op.location
        self.whole[op.result] = result

    def _flat(self, values: Sequence[SSAValue], like: Sequence[SSAValue]) -> list[SSAValue]:
        """What stands for values that are cut where those like them are."""
        pairs = zip(values, like, strict=True)
        return [each for value, other in pairs for each in self.pieces_of(value, self._dim(other))]

    def _build_loop(self, loop: scf.ForOp, ops: list[Operation]) -> None:
        starts = self._flat(loop.iter_args, loop.results)
        block = loop.body.block
        body = Block(arg_types=[block.args[0].type, *(start.type for start in starts)])
        self._set(block.args, body.args)
        body.add_ops(self._build_block(block, loop.results))
        bounds = [self.whole.get(value, value) for value in (loop.lb, loop.ub, loop.step)]
        new = add_op(ops, scf.ForOp(bounds[0], bounds[1], bounds[2], starts, Region(body)))
        self._finish(loop, new)

    def _build_branch(self, branch: scf.IfOp, ops: list[Operation]) -> None:
        regions = [
            Region(Block(self._build_block(region.block, branch.results)))
            if region.blocks
            else Region()
            for region in branch.regions
        ]
        types = [ty for result in branch.results for ty in self._types_of(result)]
        condition = self.whole.get(branch.cond, branch.cond)
        new = add_op(ops, scf.IfOp(condition, types, regions[0], regions[1]))
        self._finish(branch, new)

    def _types_of(self, value: SSAValue) -> list[Attribute]:
        """The types of what stands for a value."""
        if (dim := self._dim(value)) is None:
            return [value.type]
        return [piece_type(value.type, dim, piece.pieces) for piece in self._pieces]

    def _build_block(self, block: Block, results: Sequence[SSAValue]) -> list[Operation]:
        """The ops of a block whose terminator yields what the results of the op around it are."""
        ops: list[Operation] = []
        for op in block.ops:
            if isinstance(op, scf.YieldOp):
                end = add_op(ops, scf.YieldOp(*self._flat(op.operands, results)))
                end.location = op.location
            else:
                self._build(op, ops)
        return ops

    def _finish(self, old: Operation, new: Operation) -> None:
        new.location = old.location
        new.attributes.update(old.attributes)
        self._set(old.results, new.results)
