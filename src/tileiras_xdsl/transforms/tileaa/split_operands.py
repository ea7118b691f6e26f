"""
Splits tiles that several dots of a loop read, so that they need less shared memory.

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
meantime. Parts have a stage each, which is free when the last dot has read it: the first parts of
the next iteration are loaded while the others are still being read, and the first dot begins when
the first part is there.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.memory_order import Effect, effects_of, is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp, TiledStoreOp
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.choices import (
    BESIDE_OPERANDS_BYTES,
    OPERAND_PIECE_DEPTH,
    OPERAND_PIECE_ROWS,
    OPERAND_PIECES,
)
from tileiras_xdsl.transforms.common.kernel_spec import get_target
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .merge_loads import find_live_loads, find_reading_dots, tile_bytes
from .split_region import (
    NotParallel,
    ParallelTiles,
    RegionBuilder,
    SplitRegion,
    find_whole_region,
)
from .tiling import Store, add_op, operand_dims


@dataclass(frozen=True)
class SplitOperandsPass(ModulePass):
    """
    Splits tiles that are loaded in a loop and read by several dots of it, if operands of dots fit
    in shared memory, but not with a second buffer stage of such a tile. Each dot has to do with
    parts: it adds them up if they are along its K, or computes a part of its result from each.
    All that is computed from such a result, up to stores, is in parts then. A remark says which.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - shared-bytes: the shared memory for operands of dots; what the architecture has without it.
      Parts may then have any size.
    """

    name = "split-operands"

    compute_capability: str | int | float | None = None
    shared_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        if target.warpgroups is None and self.shared_bytes is None:
            return
        limit = self.shared_bytes or target.shared.limit(asks=True) - BESIDE_OPERANDS_BYTES
        least = Least() if self.shared_bytes is None else Least(1, 1)
        for function in find_all(op, FuncOp):
            if len(find_all(function, DotOp)) > 1:
                split_all(function, limit, least)


@dataclass(frozen=True)
class Least:
    """The smallest parts of dots."""

    rows: int = OPERAND_PIECE_ROWS
    depth: int = OPERAND_PIECE_DEPTH


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


def split_all(function: FuncOp, limit: int, least: Least) -> None:
    """Splits all tiles of a kernel that need it and can be split."""
    pending = find_all(function, TiledLoadOp)[::-1]
    while pending:
        load = pending.pop()
        if not needs_pieces(function, load, limit):
            continue
        best = find_pieces(function, load, least)
        if best is not None:
            copies = split(load, *best)
            results = (copies.get(each.result, each.result) for each in pending)
            pending = [op for value in results if isinstance(op := value.owner, TiledLoadOp)]


def find_pieces(
    function: FuncOp, load: TiledLoadOp, least: Least
) -> tuple[int, SplitRegion] | None:
    """The most parts that a tile can be cut into, along the longest dimension of these."""
    best: tuple[int, SplitRegion] | None = None
    shape = get_shape(load.result.type)
    for dim in sorted(range(len(shape)), key=lambda dim: -shape[dim]):
        tiles = ParallelTiles(adds_up=True)
        try:
            tiles.add(load.result, dim)
            region = find_whole_region(function, tiles)
        except NotParallel:
            continue
        pieces = count_pieces(region, least)
        if pieces > 1 and (best is None or pieces > best[0]):
            best = pieces, region
    return best


def split(load: TiledLoadOp, pieces: int, region: SplitRegion) -> Mapping[SSAValue, SSAValue]:
    """
    Replaces a region by a copy of it with all parts of each tile, one behind the other; returns
    the copies of what is not cut.
    """
    before: list[Operation] = []
    head: list[Operation] = []
    numbers = [add_op(before, arith.ConstantOp(IntegerAttr(n, i32))).result for n in range(pieces)]
    builder = RegionBuilder(region, pieces, numbers, before, head)
    inside = builder.build()
    first, *_ = builder.pieces_of(load.result, region.tiles.dims[load.result])
    new = [*before, *head, *inside]
    for op in (each for top in new for each in walk(top)):
        op.location = op.location or load.location
    Rewriter.insert_op(new, InsertPoint.after(region.ops[-1]))
    whole, piece = ("x".join(map(str, get_shape(value.type))) for value in (load.result, first))
    assert isinstance(first.owner, Operation)
    loop = first.owner.parent_op()
    assert isinstance(loop, scf.ForOp)
    remark(
        loop,
        "Passed",
        "Memory",
        f"tiles of {whole} are read by several dots, and two do not fit in shared memory: "
        f"{pieces} parts of {piece} have a buffer stage each",
    )
    for value in region.escaping():
        value.replace_all_uses_with(builder.whole[value])
    for op in reversed(region.ops):
        Rewriter.erase_op(op)
    for op in builder.made:
        if isinstance(op, DotOp):
            bring_operands(op, builder.made)
    return builder.whole


def count_pieces(region: SplitRegion, least: Least) -> int:
    """Into how many parts tiles can be cut; 1 if they cannot."""
    pieces = OPERAND_PIECES
    while pieces > 1 and not can_be_cut(region, pieces, least):
        pieces //= 2
    return pieces


def can_be_cut(region: SplitRegion, pieces: int, least: Least) -> bool:
    """Whether all ops can be done in this many parts, and dots of these are large enough."""
    tiles = region.tiles
    if tiles.extent % pieces:
        return False
    for op in region.all_ops():
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
        if isinstance(op, Store):
            if not isinstance(op, TiledStoreOp):
                return False
        elif own_effects(op) and not is_plain_load(op):
            return False
        if operand_dims(op, dim, pieces) is None:
            return False
    return True


def bring_operands(dot: DotOp, pieces: Container[Operation]) -> None:
    """
    Moves loads of a part, and reshapes of it, down to the dot that reads it first: what is
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
        if not isinstance(op, Operation) or op not in pieces or op not in places:
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
