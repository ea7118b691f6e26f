"""
The part of a kernel that computes parallel tiles, and a copy of it that computes one piece.

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

The region is a range of ops of one block. Pieces repeat what is not cut, so that has to be pure or
plain loads; scalars stay before the region. A store is done in pieces, or the tiles are not split.

Pieces reorder accesses: those of the first one come before all of the second. Tokens are the only
order between accesses at this level, so that is legal unless a token orders two that may touch the
same memory, and these are not the same piece of the same tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType, i64
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
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
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp
from tileiras_xdsl.dialects.nv_tileaa.tokens import is_token
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, TiledStoreOp
from tileiras_xdsl.xdsl_extras.structure import integer_of
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .discharge_mem_tokens import TokenOrder
from .parallel_dims import NotParallel, ParallelTiles, Store
from .piece_ops import (
    CutView,
    add_op,
    build_piece,
    cut_type,
    first_piece,
    operands_to_cut,
    piece_view,
    resize,
    whole_operands,
)


@dataclass(frozen=True)
class SplitRegion:
    """The ops of a block that are done once for each piece."""

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
    owners = dict.fromkeys(tiles.owners())
    block = _common_block(list(owners))
    members = {_ancestor_in(block, op) for op in owners}
    for member in members:
        for op in walk(member):
            if op.regions and not isinstance(op, scf.ForOp | scf.IfOp | AggregateOperation):
                raise NotParallel(op, "cannot be done in pieces")
    ops = [*block.ops]
    numbers = [number for number, op in enumerate(ops) if op in members]
    first, last = numbers[0], numbers[-1]
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


def _ancestor_in(block: Block, op: Operation) -> Operation:
    """The op of a block that an op is, or is in."""
    while op.parent_block() is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


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
        raise NotParallel(op, "must not be done once for each piece")
    if op not in tiles.stores:
        raise NotParallel(op, "stores a tile that is not cut")


def _check_order(function: FuncOp, region: SplitRegion) -> None:
    """Checks that pieces may come one after the other."""
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
        raise NotParallel(pair[1], f"is ordered behind '{pair[0].name}' of other pieces")


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
    assert isinstance(first, CutView)
    assert isinstance(second, CutView)
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
    if not isinstance(first, CutView) or not isinstance(second, CutView):
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
    Why CTAs cannot do a piece each, with all that is not split done by each of them; `None` if they
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
    Whether the pieces of a number of all tiles have nothing in common with others. Of a tensor that
    is stored tile by tile in a loop that is taken for granted, as if its strides said so.
    """
    is_one_store = first is second and isinstance(first, TiledStoreOp)
    dim = region.tiles.dim_of(first)
    if not is_one_store:
        dim = _common_dim(region, aliases, first, second, loops)
    if dim is None:
        return False
    assert isinstance(first, CutView)
    view = first.view_type
    return view.get_steps()[dim] % view.get_tile_shape()[dim] == 0


@dataclass
class PieceBuilder:
    """Builds the piece of a number of a region."""

    region: SplitRegion
    pieces: int
    number: SSAValue
    before: list[Operation]
    """Ops that do not depend on the number, before the region."""
    head: list[Operation]
    """Ops at the start of the piece."""
    whole: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """What stands for a value that is cut, or not at all."""
    cheap: dict[tuple[SSAValue, int], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, int], SSAValue]
    )
    """Pieces of tiles that are computed where they are needed."""
    _inside: set[Operation] = field(init=False)
    _views: dict[tuple[SSAValue, int], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, int], SSAValue]
    )
    _indices: dict[tuple[SSAValue, int], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, int], SSAValue]
    )

    def __post_init__(self) -> None:
        self._inside = set(self.region.all_ops())

    def build(self) -> list[Operation]:
        """The ops of the piece, those at its start aside."""
        ops: list[Operation] = []
        for op in self.region.ops:
            self._build(op, ops)
        return ops

    def _get(self, value: SSAValue, dim: int | None) -> SSAValue:
        """What stands for a value, cut along a dimension or as a whole."""
        if dim is None or not self.region.tiles.is_cheap(value):
            return self.whole.get(value, value)
        for each, along in operands_first((value, dim), self._needed, self.cheap):
            # It is computed before the region.
            assert isinstance(each.owner, Operation)
            self._build_cheap(each.owner, along, self.head)
        return self.cheap[value, dim]

    def _needed(self, piece: tuple[SSAValue, int]) -> Sequence[tuple[SSAValue, int]]:
        """The pieces of cheap tiles that the piece of one is computed from."""
        value, dim = piece
        assert isinstance(value.owner, Operation)
        needed = operands_to_cut(value.owner, dim, self.pieces) or ()
        return [each for each in needed if self.region.tiles.is_cheap(each[0])]

    def _dim(self, value: SSAValue) -> int | None:
        return self.region.tiles.dims.get(value)

    def _build(self, op: Operation, ops: list[Operation]) -> None:
        tiles = self.region.tiles
        match op:
            case scf.ForOp():
                self._build_loop(op, ops)
            case scf.IfOp():
                self._build_branch(op, ops)
            case _ if op.results and tiles.is_cheap(op.results[0]):
                for dim in self._wanted(op):
                    self._build_cheap(op, dim, ops)
                self._build_whole(op, ops)
            case _ if (dim := tiles.dim_of(op)) is not None:
                self._build_cut(op, dim, ops)
            case _:
                self._build_whole(op, ops)

    def _build_whole(self, op: Operation, ops: list[Operation]) -> None:
        new = op.clone(dict(self.whole))
        ops.append(new)
        self.whole.update(zip(op.results, new.results, strict=True))

    def _wanted(self, op: Operation) -> Sequence[int]:
        """The dimensions along which a cheap tile may be needed in pieces."""
        return sorted(self.region.tiles.cheap_dims.get(op.results[0], ()))

    def _build_cheap(self, op: Operation, dim: int, ops: list[Operation]) -> None:
        needed = dict(operands_to_cut(op, dim, self.pieces) or ())
        operands = [self._get(operand, needed.get(operand)) for operand in op.operands]
        types = [cut_type(result.type, dim, self.pieces) for result in op.results]
        new = build_piece(op, operands, types, self.number, ops, ops)
        new.location = op.location
        for old, result in zip(op.results, new.results, strict=True):
            self.cheap[old, dim] = result

    def _build_cut(self, op: Operation, dim: int, ops: list[Operation]) -> None:
        if isinstance(op, Store):
            needed = {value: dim for value in op.operands if isinstance(value.type, TensorType)}
        else:
            needed = dict(operands_to_cut(op, dim, self.pieces) or ())
        whole = whole_operands(op, dim)
        operands = [
            self._get(operand, None if index in whole else needed.get(operand))
            for index, operand in enumerate(op.operands)
        ]
        types = [
            cut_type(ty, dim, self.pieces) if isinstance(ty, TensorType) else ty
            for ty in op.result_types
        ]
        if isinstance(op, CutView):
            self._cut_view(op, dim, operands, ops)
        new = build_piece(op, operands, types, self.number, ops, ops)
        new.location = op.location
        self.whole.update(zip(op.results, new.results, strict=True))

    def _cut_view(
        self,
        op: CutView,
        dim: int,
        operands: list[SSAValue],
        ops: list[Operation],
    ) -> None:
        """Makes an access to a tile one to a piece of it, by its operands."""
        new_type, ratio = piece_view(op.view_type, dim, self.pieces)
        made = op.view.owner
        assert isinstance(made, BlockTileOp)
        is_before = made.memref.owner not in self._inside
        if (op.view, dim) not in self._views or not is_before:
            memref = self.whole.get(made.memref, made.memref)
            view = add_op(self.before if is_before else ops, BlockTileOp(memref, new_type))
            view.location = made.location
            self._views[op.view, dim] = view.result
        operands[list(op.operands).index(op.view)] = self._views[op.view, dim]
        first = list(op.operands).index(op.indices[0])
        if integer_of(op.indices[dim]) == 0 and op.indices[dim].type == self.number.type:
            operands[first + dim] = self.number
            return
        for number, index in enumerate(op.indices):
            at = operands[first + number]
            if number == dim:
                at = self._piece_index(index, at, ratio, ops)
            else:
                at = self._wide(index, at, ops)
            operands[first + number] = at

    def _is_outside(self, value: SSAValue) -> bool:
        """Whether a value is there before the region."""
        owner = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
        return owner not in self._inside

    def _wide(self, index: SSAValue, at: SSAValue, ops: list[Operation]) -> SSAValue:
        """An index in 64 bits: multiples of one may not fit in 32, outside of the tensor."""
        if not self._is_outside(index):
            return resize(at, i64, ops)
        if (index, 0) not in self._indices:
            self._indices[index, 0] = resize(at, i64, self.before)
        return self._indices[index, 0]

    def _piece_index(
        self, index: SSAValue, at: SSAValue, ratio: int, ops: list[Operation]
    ) -> SSAValue:
        """The index of a piece of a tile."""
        is_outside = self._is_outside(index)
        if is_outside and (index, ratio) in self._indices:
            return self._indices[index, ratio]
        place, head = (self.before, self.head) if is_outside else (ops, ops)
        wide = resize(at, i64, place)
        start = first_piece(wide, ratio, place, is_narrow=at.type != i64)
        result = add_op(head, AddIOp(start, resize(self.number, i64, head))).result
        if is_outside:
            self._indices[index, ratio] = result
        return result

    def _build_loop(self, loop: scf.ForOp, ops: list[Operation]) -> None:
        starts = [
            self._get(start, self._dim(result))
            for start, result in zip(loop.iter_args, loop.results, strict=True)
        ]
        block = loop.body.block
        body = Block(arg_types=[block.args[0].type, *(start.type for start in starts)])
        self.whole.update(zip(block.args, body.args, strict=True))
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
        types = [
            result.type
            if (dim := self._dim(result)) is None
            else cut_type(result.type, dim, self.pieces)
            for result in branch.results
        ]
        condition = self.whole.get(branch.cond, branch.cond)
        new = add_op(ops, scf.IfOp(condition, types, regions[0], regions[1]))
        self._finish(branch, new)

    def _build_block(self, block: Block, results: Sequence[SSAValue]) -> list[Operation]:
        """The ops of a block whose terminator yields what the results of the op around it are."""
        ops: list[Operation] = []
        for op in block.ops:
            if isinstance(op, scf.YieldOp):
                values = [
                    self._get(value, self._dim(result))
                    for value, result in zip(op.operands, results, strict=True)
                ]
                end = add_op(ops, scf.YieldOp(*values))
                end.location = op.location
            else:
                self._build(op, ops)
        return ops

    def _finish(self, old: Operation, new: Operation) -> None:
        new.location = old.location
        new.attributes.update(old.attributes)
        self.whole.update(zip(old.results, new.results, strict=True))
