"""
Splits a tile that several dots of a loop read, and that has to stay for all of an iteration.

Before:  scf.for … iter_args(%o = …) -> (tensor<512x16xf32>) {
           %k, %t = nv_tileaa.tiled_load %v[%i, %c0] … -> tensor<128x512xbf16>, …
           %s = nv_tileaa.dot %k, %q, %zero : …                               // 128x512 by 512x16
           …
           %kt = nv_tileaa.permute %k …
           %n = nv_tileaa.dot %kt, %p, %o : …                                 // 512x128 by 128x16
           scf.yield %n
         }
After:   scf.for … iter_args(%o0 = …, %o1 = …) -> (tensor<256x16xf32>, tensor<256x16xf32>) {
           %k0, %t0 = nv_tileaa.tiled_load %w[%i, %c0] … -> tensor<128x256xbf16>, …
           %k1, %t1 = nv_tileaa.tiled_load %w[%i, %c1] … -> tensor<128x256xbf16>, …
           %s0 = nv_tileaa.dot %k0, %q0, %zero : …
           %s = nv_tileaa.dot %k1, %q1, %s0 : …
           …
           %n0 = nv_tileaa.dot %kt0, %p, %o0 : …
           %n1 = nv_tileaa.dot %kt1, %p, %o1 : …
           scf.yield %n0, %n1
         }

Keys and values of latent attention are one tile: the first dot of an iteration needs it, and so
does the last one. If shared memory has no room for a second buffer stage, nothing is loaded in the
meantime. Pieces have a stage each, which is free when the last dot has read it: the first pieces of
the next iteration are loaded while the others are still being read, and the first dot begins when
the first piece is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, i32, i64
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.slices import operands_first
from tileiras_xdsl.dialects.memory_order import Effect, effects_of, is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileaa.tokens import JoinMemTokenOp, is_token
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, TiledLoadOp, TiledStoreOp
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.warpgroups import WGMMA_M
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.xdsl_extras.structure import integer_of, last_of
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .merge_loads import OTHER_BYTES, find_live_loads, find_reading_dots, tile_bytes
from .parallel_dims import NotParallel, ParallelTiles, Store
from .piece_ops import (
    CutView,
    add_op,
    build_piece,
    can_cut_view,
    copy_with,
    cut_type,
    first_piece,
    operands_to_cut,
    piece_view,
    resize,
    whole_operands,
)

MOST_PIECES: Final = 4
"""With four, all but a quarter of a tile is loaded while another is still being read."""
ROWS: Final = 2 * WGMMA_M
"""Rows and columns of a piece of a dot: two warpgroups share them."""
DEPTH: Final = 64
"""Elements of a piece of an operand along K."""


@dataclass(frozen=True)
class SplitOperandsPass(ModulePass):
    """
    Splits tiles that are loaded in a loop and read by several dots of it, if operands of dots fit
    in shared memory, but not with a second buffer stage of such a tile. Each dot has to do with
    pieces: it adds them up if they are along its K, or computes a piece of its result from each.
    All that is computed from such a result, up to stores, is in pieces then. A remark says which.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - shared-bytes: the shared memory for operands of dots; what the architecture has without it.
      Pieces may then have any size.
    """

    name = "split-operands"

    compute_capability: str | int | float | None = None
    shared_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        if target.warpgroups is None and self.shared_bytes is None:
            return
        limit = self.shared_bytes or target.shared.limit(asks=True) - OTHER_BYTES
        least = Least() if self.shared_bytes is None else Least(1, 1)
        for function in find_all(op, FuncOp):
            for load in find_all(function, TiledLoadOp):
                if needs_pieces(function, load, limit):
                    split(function, load, least)


@dataclass(frozen=True)
class Least:
    """The smallest pieces of dots."""

    rows: int = ROWS
    depth: int = DEPTH


def needs_pieces(function: FuncOp, load: TiledLoadOp, limit: int) -> bool:
    """Whether dots read a tile throughout an iteration of a loop, and no second one fits."""
    block, loop = load.parent_block(), load.parent_op()
    if block is None or not isinstance(loop, scf.ForOp):
        return False
    dots = [dot for dot in find_reading_dots(load) if dot.parent_block() is block]
    if len(dots) < 2:
        return False
    operands = [each for each in find_live_loads(function, loop) if find_reading_dots(each)]
    total = sum(map(tile_bytes, operands))
    return total <= limit < total + tile_bytes(load)


def split(function: FuncOp, load: TiledLoadOp, least: Least) -> None:
    """Splits a tile along the dimension with most pieces, and the longest of these, if any."""
    best: tuple[int, CutTiles] | None = None
    shape = get_shape(load.result.type)
    for dim in sorted(range(len(shape)), key=lambda dim: -shape[dim]):
        tiles = CutTiles()
        try:
            tiles.add(load.result, dim)
        except NotParallel:
            continue
        pieces = count_pieces(function, tiles, least)
        if pieces > 1 and (best is None or pieces > best[0]):
            best = pieces, tiles
    if best is None:
        return
    builder = PiecesBuilder(*best)
    builder.rewrite(function)
    (first, *_) = builder.pieces[load.result]
    assert isinstance(first.owner, Operation)
    loop = first.owner.parent_op()
    assert isinstance(loop, scf.ForOp)
    whole, piece = ("x".join(map(str, each)) for each in (shape, get_shape(first.type)))
    remark(
        loop,
        "Passed",
        "Memory",
        f"tiles of {whole} are read by several dots, and two do not fit in shared memory: "
        f"{best[0]} pieces of {piece} have a buffer stage each",
    )
    builder.erase_old()


def count_pieces(function: FuncOp, tiles: CutTiles, least: Least) -> int:
    """Into how many pieces tiles can be cut; 1 if they cannot."""
    pieces = MOST_PIECES
    while pieces > 1 and not can_be_cut(function, tiles, pieces, least):
        pieces //= 2
    return pieces


def can_be_cut(function: FuncOp, tiles: CutTiles, pieces: int, least: Least) -> bool:
    """Whether all ops can be done in so many pieces, and dots of these are large enough."""
    if tiles.extent % pieces:
        return False
    for op in walk(function):
        if isinstance(op, DotOp):
            depth = get_shape(op.a.type)[-1]
            if op in tiles.reduced and (depth // pieces < least.depth or op.result in tiles.dims):
                return False
            along = tiles.dims.get(op.result)
            if along is not None and get_shape(op.result.type)[along] // pieces < least.rows:
                return False
        dim = tiles.dim_of(op)
        if dim is None or isinstance(op, scf.ForOp | scf.IfOp):
            continue
        if isinstance(op, CutView):
            if not can_cut_view(op, dim, pieces):
                return False
        elif own_effects(op) and not is_plain_load(op):
            return False
        if isinstance(op, Store):
            if not isinstance(op, TiledStoreOp):
                return False
        elif operands_to_cut(op, dim, pieces) is None:
            return False
    return True


@dataclass
class CutTiles(ParallelTiles):
    """Tiles that are cut together, some of them along K of a dot, which adds up the pieces."""

    reduced: dict[DotOp, None] = field(default_factory=dict[DotOp, None])
    """The dots that add up pieces."""

    def _add_user(self, value: SSAValue, use: Use) -> None:
        op = use.operation
        if isinstance(op, DotOp) and use.index < 2:
            rank = len(get_shape(value.type))
            if self.dims[value] == rank - 1 - use.index:
                self.reduced[op] = None
                self._mark(op.a, rank - 1)
                self._mark(op.b, rank - 2)
                return
        super()._add_user(value, use)


class PiecesBuilder:
    """Replaces ops by those of all pieces, one behind the other."""

    def __init__(self, number: int, tiles: CutTiles):
        self.number = number
        self.tiles = tiles
        self.pieces: dict[SSAValue, Sequence[SSAValue]] = {}
        self._cheap: dict[tuple[SSAValue, int], Sequence[SSAValue]] = {}
        self._views: dict[tuple[SSAValue, int], SSAValue] = {}
        self._constants: list[SSAValue] = []
        self._old: list[Operation] = []
        self._new: dict[Operation, None] = {}

    def rewrite(self, function: FuncOp) -> None:
        """Puts pieces beside what they replace."""
        start = InsertPoint.at_start(function.body.block)
        numbers = [arith.ConstantOp(IntegerAttr(n, i32)) for n in range(self.number)]
        self._constants = [number.result for number in numbers]
        for number in numbers:
            number.location = function.location
        Rewriter.insert_op(numbers, start)
        self._rewrite_block(function.body.block)

    def erase_old(self) -> None:
        """Erases what was replaced, and brings pieces to the dots that read them first."""
        for op in reversed(self._old):
            Rewriter.erase_op(op)
        for op in self._new:
            if isinstance(op, DotOp):
                self._bring_operands(op)

    def _bring_operands(self, dot: DotOp) -> None:
        """
        Moves loads of a piece, and reshapes of it, down to the dot that reads it first: what is
        loaded by threads takes registers until then.
        """
        block = dot.parent_block()
        assert block is not None
        places = {op: place for place, op in enumerate(block.ops)}
        end = places[dot]
        moved: set[Operation] = set()
        pending = [value.owner for value in dot.operands[:2]]
        while pending:
            op = pending.pop()
            if op not in self._new or not isinstance(op, Operation) or op not in places:
                continue
            users = {use.operation for result in op.results for use in result.uses}
            if any(places.get(each, end) < end and each not in moved for each in users):
                continue
            if any(
                effects_of(each) & ~Effect.READ
                for each, place in places.items()
                if places[op] < place < end
            ):
                continue
            moved.add(op)
            pending += [value.owner for value in op.operands]
        for op in sorted(moved, key=lambda op: places[op]):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(dot))

    def _rewrite_block(self, block: Block) -> None:
        for op in list(block.ops):
            match op:
                case scf.ForOp():
                    self._rewrite_loop(op)
                case scf.IfOp():
                    self._rewrite_branch(op)
                case DotOp() if op in self.tiles.reduced:
                    self._chain(op)
                case _ if op.results and self.tiles.is_cheap(op.results[0]):
                    continue
                case _ if (dim := self.tiles.dim_of(op)) is not None:
                    self._cut(op, dim)
                case _:
                    continue

    def _is_cut(self, value: SSAValue) -> bool:
        return value in self.tiles.dims

    def _all(self, value: SSAValue, dim: int) -> Sequence[SSAValue]:
        """The pieces of a tile."""
        if value in self.pieces:
            return self.pieces[value]
        for each, along in operands_first((value, dim), self._needed, self._cheap):
            self._cut_cheap(each, along)
        return self._cheap[value, dim]

    def _needed(self, piece: tuple[SSAValue, int]) -> Sequence[tuple[SSAValue, int]]:
        """The pieces of cheap tiles that pieces of one are computed from."""
        value, dim = piece
        assert self.tiles.is_cheap(value)
        assert isinstance(value.owner, Operation)
        needed = operands_to_cut(value.owner, dim, self.number) or ()
        return [each for each in needed if each[0] not in self.pieces]

    def _cut_cheap(self, value: SSAValue, dim: int) -> None:
        """Computes pieces of what follows from constants and scalars, where that is computed."""
        op = value.owner
        assert isinstance(op, Operation)
        needed = dict(operands_to_cut(op, dim, self.number) or ())
        parts = {operand: self._all(operand, along) for operand, along in needed.items()}
        types = [cut_type(result.type, dim, self.number) for result in op.results]
        made: list[Operation] = []
        found: list[SSAValue] = []
        for n, number in enumerate(self._constants):
            operands = [parts[each][n] if each in parts else each for each in op.operands]
            new = build_piece(op, operands, types, number, made, made)
            found.append(new.results[op.results.index(value)])
        self._insert(made, op, InsertPoint.after(op))
        self._cheap[value, dim] = found

    def _insert(self, ops: Sequence[Operation], source: Operation, point: InsertPoint) -> None:
        for op in ops:
            op.location = source.location
            self._new[op] = None
        Rewriter.insert_op(ops, point)

    def _cut(self, op: Operation, dim: int) -> None:
        """An op on tiles that are cut."""
        if isinstance(op, Store):
            needed = {each: dim for each in op.operands if isinstance(each.type, TensorType)}
        else:
            needed = dict(operands_to_cut(op, dim, self.number) or ())
        parts = {operand: self._all(operand, along) for operand, along in needed.items()}
        types = [
            cut_type(ty, dim, self.number) if isinstance(ty, TensorType) else ty
            for ty in op.result_types
        ]
        whole = whole_operands(op, dim)
        made: list[Operation] = []
        places = self._places(op, dim, made) if isinstance(op, CutView) else {}
        new: list[Operation] = []
        for n, number in enumerate(self._constants):
            operands = [
                parts[each][n] if each in parts and index not in whole else each
                for index, each in enumerate(op.operands)
            ]
            for index, values in places.items():
                operands[index] = values[n]
            new.append(build_piece(op, operands, types, number, made, made))
        for index, result in enumerate(op.results):
            results = [each.results[index] for each in new]
            if is_token(result.type):
                if not any(result.uses):
                    continue
                join = add_op(made, JoinMemTokenOp(*results))
                result.replace_all_uses_with(join.result)
            else:
                self.pieces[result] = results
        self._insert(made, op, InsertPoint.before(op))
        self._old.append(op)

    def _places(
        self, op: CutView, dim: int, made: list[Operation]
    ) -> dict[int, Sequence[SSAValue]]:
        """By index of the operand: the view of pieces, and their indices in it."""
        new_type, ratio = piece_view(op.view_type, dim, self.number)
        view = op.view.owner
        assert isinstance(view, BlockTileOp)
        if (op.view, dim) not in self._views:
            new_view = BlockTileOp(view.memref, new_type)
            self._insert([new_view], view, InsertPoint.after(view))
            self._views[op.view, dim] = new_view.result
        operands = list(op.operands)
        first = operands.index(op.indices[0])
        places: dict[int, Sequence[SSAValue]] = {
            operands.index(op.view): [self._views[op.view, dim]] * self.number
        }
        if integer_of(op.indices[dim]) == 0 and op.indices[dim].type == i32:
            places[first + dim] = self._constants
            return places
        for number, index in enumerate(op.indices):
            # Multiples of an index may not fit in 32 bits, outside of the tensor.
            places[first + number] = [resize(index, i64, made)] * self.number
        wide = places[first + dim][0]
        start = first_piece(wide, ratio, made, is_narrow=op.indices[dim].type != i64)
        places[first + dim] = [
            add_op(made, AddIOp(start, resize(number, i64, made))).result
            for number in self._constants
        ]
        return places

    def _chain(self, op: DotOp) -> None:
        """A dot that adds up its pieces."""
        rank = len(get_shape(op.a.type))
        lefts, rights = self._all(op.a, rank - 1), self._all(op.b, rank - 2)
        made: list[Operation] = []
        result: SSAValue = op.accumulator
        for left, right in zip(lefts, rights, strict=True):
            operands = [left, right, result, *op.operands[3:]]
            result = add_op(made, copy_with(op, operands, op.result_types)).results[0]
        self._insert(made, op, InsertPoint.before(op))
        op.result.replace_all_uses_with(result)
        self._old.append(op)

    # Loops and branches

    def _flat(self, values: Sequence[SSAValue], like: Sequence[SSAValue]) -> list[SSAValue]:
        """Values, or their pieces where those like them are cut."""
        found: list[SSAValue] = []
        for value, other in zip(values, like, strict=True):
            dim = self.tiles.dims.get(other)
            found += [value] if dim is None else self._all(value, dim)
        return found

    def _replace(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        """Maps values to others, or to pieces."""
        rest = list(new)
        for value in old:
            count = self.number if self._is_cut(value) else 1
            taken, rest = rest[:count], rest[count:]
            if self._is_cut(value):
                self.pieces[value] = taken
            else:
                value.replace_all_uses_with(taken[0])

    def _rewrite_loop(self, loop: scf.ForOp) -> None:
        old = loop.body.block
        if not any(map(self._is_cut, loop.results)):
            self._rewrite_block(old)
            return
        starts = self._flat(loop.iter_args, loop.results)
        body = Block(arg_types=[old.args[0].type, *(start.type for start in starts)])
        self._replace(old.args, body.args)
        terminator = last_of(old)
        for op in list(old.ops):
            if op is not terminator:
                op.detach()
                body.add_op(op)
        self._rewrite_block(body)
        end = scf.YieldOp(*self._flat(terminator.operands, loop.results))
        end.location = terminator.location
        body.add_op(end)
        self._finish(loop, scf.ForOp(loop.lb, loop.ub, loop.step, starts, Region(body)))

    def _rewrite_branch(self, branch: scf.IfOp) -> None:
        for region in branch.regions:
            for block in region.blocks:
                self._rewrite_block(block)
        if not any(map(self._is_cut, branch.results)):
            return
        regions: list[Region] = []
        types: list[Attribute] = []
        for region in branch.regions:
            block = region.block
            terminator = last_of(block)
            values = self._flat(terminator.operands, branch.results)
            types = [value.type for value in values]
            end = scf.YieldOp(*values)
            end.location = terminator.location
            Rewriter.erase_op(terminator)
            block.add_op(end)
            region.detach_block(block)
            regions.append(Region(block))
        self._finish(branch, scf.IfOp(branch.cond, types, regions[0], regions[1]))

    def _finish(self, old: Operation, new: Operation) -> None:
        new.attributes.update(old.attributes)
        self._insert([new], old, InsertPoint.before(old))
        self._replace(old.results, new.results)
        self._old.append(old)
