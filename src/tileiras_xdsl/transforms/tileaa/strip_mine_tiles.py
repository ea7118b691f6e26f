"""
Strip-mining: ops on tiles that do not fit in registers become a loop over parts of these tiles.

Before:  %a, %t1 = nv_tileaa.tiled_load %va[%i, %j] … -> tensor<1024x1024xf32>, …
         %e = nv_tileaa.exp %a : tensor<1024x1024xf32>
         %t2 = nv_tileaa.tiled_store %e, %ve[%i, %j] token(%t0) …
After:   %pa = nv_tileaa.block_tile … -> !nv_tileaa.tiled_view<16x1024, …>       and %pe
         scf.for %n = %c0 to %c64 step %c1 : i32 {
           %at = nv_tileaa.addi %first, %n : i64                                 // 64 * %i + %n
           %a, %t1 = nv_tileaa.tiled_load %pa[%at, %j] … -> tensor<16x1024xf32>, …
           %e = nv_tileaa.exp %a : tensor<16x1024xf32>
           %t2 = nv_tileaa.tiled_store %e, %pe[%at, %j] token(%t0) …
         }

A loop has one root: a store or an atomic without a result, whose tile is cut along a dimension, or
a dot, whose operands are cut along K. What the root needs is computed part by part in the loop,
back to loads (`tiling.py` says which ops can be cut along which dimensions). An element
is computed by the same ops as before; a dot adds up its products in the same order.

Loads move behind ops that stood between them and the root, and are interleaved with the stores of
the loop. Up to this level tokens are the only order between accesses, so that is legal if nothing
has the token of a load, or nothing but a store that overwrites the tile in place. One access that
others are ordered behind may be cut, too, if nothing with an effect stands between it and the root:
the token of the loop stands for that of all its parts.

A reduction that is too large along its own axis is a root, too: the loop carries what is reduced
so far, which is reduced once more together with each part. So does the loop of a root with a scan
(`tiling.py`). Of a tile that does not fit and of which a slice is extracted, only that slice
is computed; this needs no loop.

What is still too large cannot be computed part by part where it is needed: other accesses are
ordered behind a load, control flow passes a tile on, or two ops need parts along different
dimensions. Such a tile is kept in memory (`spill_tiles.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, TensorType, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.memory_order import Effect, Updates, own_effects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation, ReduceOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    get_element,
    get_shape,
    is_pointer,
    with_shape,
)
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp, MmaFScaledOp
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    AtomicCASOp,
    AtomicRMWOp,
    CreateMemTokenOp,
    JoinMemTokenOp,
    LoadOp,
    StoreOp,
)
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    CatOp,
    ExpandDimsOp,
    ExtractOp,
    MakeRangeOp,
    SplatOp,
    ViewOp,
)
from tileiras_xdsl.dialects.nv_tileaa.views import TiledAtomicRMWOp, TiledLoadOp, TiledStoreOp
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.choices import PIECE_SHARE, SMALLEST_DOT, TILE_INSTRUCTIONS, WHOLE_SHARE
from tileiras_xdsl.transforms.common.kernel_spec import get_target
from tileiras_xdsl.transforms.common.scaled_dots import is_scaled_by_instruction
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .canonicalization.shape import is_elementwise
from .spill_tiles import spill_branches, spill_for, spill_result, spill_view, spill_while
from .tile_slices import (
    Cut,
    Running,
    StripPlan,
    find_slice_plan,
    instructions_per_element,
    token_users,
)
from .tiling import PieceBuilder, add_op, first_totals, is_in_reverse, resize
from .uplift_while_to_for import erase_dead

Root = TiledStoreOp | StoreOp | TiledAtomicRMWOp | AtomicRMWOp | DotOp | MmaFScaledOp
DOTS = (DotOp, MmaFScaledOp)
ANYWHERE = (arith.ConstantOp, SplatOp, MakeRangeOp, TiledLoadOp, LoadOp)
"""Ops whose tiles may be computed once more, in parts, wherever they are needed."""


@dataclass(frozen=True)
class StripMineTilesPass(ModulePass):
    """
    Computes tiles that do not fit in registers in parts, one after the other: stores of tiles
    larger than the register file, with what they store, and dots with operands larger than shared
    memory.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - tile-bytes: tiles of more bytes do not fit; those of the architecture without it.
    """

    name = "strip-mine-tiles"

    compute_capability: str | int | float | None = None
    tile_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        limits = Limits(4 * target.registers.per_sm, target.shared.opt_in)
        if self.tile_bytes is not None:
            limits = Limits(self.tile_bytes, self.tile_bytes)
        for function in find_all(op, FuncOp):
            if limits.hold(function):
                continue
            cut_all(function, limits)
            for spill in (spill_structured, spill_accesses, spill_all):
                if spill(function, limits):
                    cut_all(function, limits)


def cut_all(function: FuncOp, limits: Limits) -> None:
    """Cuts everything in a kernel that does not fit and can be cut."""
    if any([extract_early(each, limits) for each in find_all(function, ExtractOp)]):
        erase_dead(function.walk())
    # Stores first: a dot whose result is cut has smaller operands.
    changed = [
        strip_mine(root, limits)
        for kind in ((TiledStoreOp, StoreOp, TiledAtomicRMWOp, AtomicRMWOp), DOTS)
        for root in find_all(function, *kind)
    ]
    if any(changed):
        erase_dead(function.walk())
    if any([reduce_in_pieces(op, limits) for op in find_all(function, ReduceOp)]):
        erase_dead(function.walk())


def spill_structured(function: FuncOp, limits: Limits) -> bool:
    """Keeps tiles that do not fit in memory where control flow passes them on."""
    changed = False
    for op in find_all(function, scf.ForOp, scf.WhileOp, scf.IfOp):
        match op:
            case scf.ForOp():
                changed |= spill_for(op, limits.is_too_large)
            case scf.WhileOp():
                changed |= spill_while(op, limits.is_too_large)
            case _:
                changed |= spill_branches(op, limits.is_too_large)
    return changed


def spill_accesses(function: FuncOp, limits: Limits) -> bool:
    """
    Keeps tiles that do not fit in memory where accesses that others are ordered behind, or tiles in
    other shapes, are in the way.
    """
    changed = False
    for op in find_all(function, TiledLoadOp, LoadOp, AtomicRMWOp, AtomicCASOp, ViewOp):
        if not limits.is_too_large(op.result):
            continue
        if isinstance(op, ViewOp):
            spill_view(op)
        elif op.has_trait(Updates) or own_effects(op) != Effect.READ or token_users(op):
            spill_result(op.result)
        else:
            continue
        changed = True
    return changed


def spill_all(function: FuncOp, limits: Limits) -> bool:
    """Keeps all tiles that still do not fit in memory, but for those that can be had anywhere."""
    changed = False
    for op in walk(function):
        if isinstance(op, ANYWHERE) or (op.regions and not isinstance(op, AggregateOperation)):
            continue
        for result in op.results:
            if limits.is_too_large(result):
                spill_result(result)
                changed = True
    return changed


@dataclass(frozen=True)
class Limits:
    """
    What fits: bytes of a tile in registers, and of the operands of a dot in shared memory. And how
    many instructions a store and what it needs may become, for all threads together.
    """

    tile: int
    operands: int
    instructions: int = TILE_INSTRUCTIONS

    @property
    def dot(self) -> int:
        """Dots are not cut to fewer rows or columns than this."""
        return SMALLEST_DOT if 4 * SMALLEST_DOT**2 * PIECE_SHARE <= self.tile else 1

    def share(self, root: Root, plan: StripPlan) -> float:
        """How much of what fits a part takes."""
        if isinstance(root, DOTS):
            return measure(root, plan) / self.operands
        return max(measure(root, plan) / self.tile, plan.instructions() / self.instructions)

    def fits(self, root: Root, plan: StripPlan, parts: int) -> bool:
        """Whether this many roots like one that is not cut fit."""
        if self.share(root, plan) * parts > 1:
            return False
        has_dots = isinstance(root, DOTS) or any(isinstance(op, DOTS) for op in plan.ops)
        return has_dots or measure(root, plan) <= WHOLE_SHARE * self.tile

    def hold(self, function: FuncOp) -> bool:
        """
        Whether all of a kernel fits as it is. What one root needs is found by a look at all that it
        depends on, which for many roots takes longer than a look at the kernel.
        """
        instructions = 0
        for op in walk(function):
            for result in op.results:
                if isinstance(result.type, TensorType) and (
                    _bytes(result) > WHOLE_SHARE * self.tile
                ):
                    return False
            if isinstance(op, DOTS) and measure_dot(op) > self.operands:
                return False
            shape = get_shape(op.results[0].type) if op.results else ()
            if shape and is_elementwise(op):
                instructions += instructions_per_element(op) * prod(shape)
        return instructions <= self.instructions

    def is_too_large(self, value: SSAValue) -> bool:
        """Whether a value is a tile that does not fit in registers."""
        return isinstance(value.type, TensorType) and _bytes(value) > self.tile


def strip_mine(root: Root, limits: Limits, *, is_piece: bool = False) -> bool:
    """
    Replaces a root whose tiles do not fit by a loop, if it can be cut; whether it was. A part with
    a dot that is still large is cut along another dimension, too.
    """
    cut = find_cut(root, limits, is_piece=is_piece)
    if cut is None:
        return False
    piece = StripMining(root, cut, limits).apply()
    is_large = limits.share(root, cut) * PIECE_SHARE > 1
    if not is_piece and is_large and any(isinstance(op, DOTS) for op in cut.ops):
        strip_mine(piece, limits, is_piece=True)
    return True


def find_cut(root: Root, limits: Limits, *, is_piece: bool = False) -> StripPlan | None:
    """How to cut a root, `None` if all tiles fit or it cannot be cut."""
    best: tuple[float, StripPlan] | None = None
    # Parts that do not depend on each other are better.
    for in_order, cuts in product((False, True), [*root_cuts(root)]):
        whole = find_slice_plan(root, cuts, 1, in_order=in_order)
        if whole is None:
            continue
        if limits.fits(root, whole, PIECE_SHARE if is_piece else 1):
            return None
        pieces = 2
        plan = None
        while (finer := find_slice_plan(root, cuts, pieces, in_order=in_order)) is not None:
            if not finer.keeps_dots(limits.dot):
                break
            plan = finer
            if limits.share(root, plan) * PIECE_SHARE <= 1:
                break
            pieces *= 2
        if plan is None:
            continue
        size = limits.share(root, plan)
        if size * PIECE_SHARE <= 1:
            return plan
        if best is None or size < best[0]:
            best = size, plan
    return None if best is None else best[1]


def measure(root: Root, plan: StripPlan) -> int:
    """
    The bytes that a part needs: those of the operands of a dot together, or of the largest tile
    that a store depends on, but for operands of dots, which may be cut along K.
    """
    if isinstance(root, DOTS):
        return measure_dot(root, plan)
    return max(
        (plan.elements(value) * _width(value) // 8 for value in plan.tiles_outside_dots()),
        default=0,
    )


def measure_dot(root: DotOp | MmaFScaledOp, plan: StripPlan | None = None) -> int:
    """The bytes of the operands of a dot, or of parts of them."""
    # Scaled operands are multiplied as f32, unless there is an instruction for them.
    is_widened = isinstance(root, MmaFScaledOp) and not is_scaled_by_instruction(root)
    total = 0
    for value in root.operands[:2]:
        elements = prod(get_shape(value.type)) if plan is None else plan.elements(value)
        total += (32 if is_widened else _width(value)) * elements // 8
    return total


def _bytes(value: SSAValue) -> int:
    """The bytes of a tile in registers."""
    return prod(get_shape(value.type)) * _width(value) // 8


def _width(value: SSAValue) -> int:
    """Bits of an element in a register; of a pointer, those of its offset."""
    element = get_element(value.type)
    if is_pointer(element):
        return 32
    width = element_bit_width(element)
    return max(8, 1 << (width - 1).bit_length())


def root_cuts(root: Root) -> Iterator[Cut]:
    """The ways to cut a root: the dimension of each of its operands that are cut."""
    if isinstance(root, DOTS) and len(set(root.operands)) < len(root.operands):
        # One tile would have to be cut along two dimensions, or be needed as a whole, too.
        return
    match root:
        case DotOp():
            rank = len(get_shape(root.a.type))
            yield {root.a: rank - 1, root.b: rank - 2}
        case MmaFScaledOp():
            rank = len(get_shape(root.lhs.type))
            yield {
                root.lhs: rank - 1,
                root.rhs: rank - 2,
                root.lhs_scale: rank - 1,
                root.rhs_scale: rank - 2,
            }
        case AtomicRMWOp() if any(root.result.uses):
            return
        case _:
            for dim in range(len(get_shape(root.value.type))):
                values = [value for value in root.operands if isinstance(value.type, TensorType)]
                yield dict.fromkeys(values, dim)


def _joined_tokens(token: SSAValue) -> list[SSAValue]:
    """The tokens that a token joins, each once."""
    joined: dict[SSAValue, None] = {}
    seen: set[SSAValue] = set()
    pending = [token]
    while pending:
        token = pending.pop()
        if token in seen:
            continue
        seen.add(token)
        if isinstance(token.owner, JoinMemTokenOp):
            pending += reversed(token.owner.tokens)
        else:
            joined[token] = None
    return [*joined]


def extract_early(op: ExtractOp, limits: Limits) -> bool:
    """
    Computes nothing but the extracted slice of a tile that does not fit, along all dimensions in
    which that can be cut; whether there is one.
    """
    changed = False
    whole = op.source.type
    for dim, index in enumerate(op.indices):
        shape, result = get_shape(op.source.type), get_shape(op.result.type)
        size = prod(shape) * _width(op.source) // 8
        pieces = shape[dim] // (result[dim] if result else 1)
        if size <= limits.tile or pieces == 1:
            continue
        plan = find_slice_plan(op, {op.source: dim}, pieces)
        if plan is None:
            continue
        before: list[Operation] = []
        number = resize(index, i32, before)
        assert isinstance(index.type, IntegerType)
        zero = arith.ConstantOp(IntegerAttr(0, index.type))
        piece = plan.build(number, before, before).values[op.source]
        before.append(zero)
        for each in before:
            each.location = op.location
        Rewriter.insert_op(before, InsertPoint.before(op))
        op.operands[op.operands.index(op.source)] = piece
        op.operands[1 + dim] = zero.result
        changed = True
    if changed:
        remark(
            op,
            "Missed",
            "Resources",
            f"a tile of '{whole}' does not fit in registers: nothing but the extracted slice of it "
            "is computed",
        )
    return changed


def reduce_in_pieces(op: ReduceOp, limits: Limits) -> bool:
    """Cuts a reduction of tiles that do not fit along its axis, if it can be; whether it was."""
    cut = dict.fromkeys(op.operands, op.get_axis())

    def size(plan: StripPlan) -> int:
        return max(plan.elements(value) * _width(value) // 8 for value in plan.dims)

    plan = find_slice_plan(op, cut, 1)
    if plan is None or size(plan) <= limits.tile:
        return False
    pieces = 1
    while size(plan) * PIECE_SHARE > limits.tile:
        pieces *= 2
        finer = find_slice_plan(op, cut, pieces)
        if finer is None:
            break
        plan = finer
    if plan.pieces == 1:
        return False
    _build_reduction(op, plan)
    return True


def _build_reduction(op: ReduceOp, plan: StripPlan) -> None:
    """Replaces a reduction by that of its first part, and a loop over the others."""
    zero, end, one = (arith.ConstantOp(IntegerAttr(number, i32)) for number in (0, plan.pieces, 1))
    before: list[Operation] = [zero, end, one]
    first = plan.build_root(plan.build(zero.result, before, before))
    body = Block(arg_types=[i32, *first.result_types])
    inside: list[Operation] = []
    piece = plan.build_root(plan.build(body.args[0], before, inside))
    axis = op.get_axis()
    joined: list[SSAValue] = []
    for total, part in zip(body.args[1:], piece.results, strict=True):
        both = [ExpandDimsOp(value, axis) for value in (total, part)]
        shape = list(get_shape(both[0].result.type))
        shape[axis] = 2
        ty = with_shape(both[0].result.type, tuple(shape))
        cat = CatOp(both[0].result, both[1].result, ty, axis)
        inside += [*both, cat]
        joined.append(cat.result)
    total = ReduceOp(joined, op.result_types, op.body.clone(), dict(op.properties))
    inside += [total, scf.YieldOp(*total.results)]
    for each in (*before, *inside):
        each.location = each.location or op.location
    body.add_ops(inside)
    loop = scf.ForOp(one.result, end.result, one.result, first.results, Region(body))
    loop.location = op.location
    largest = max(plan.dims, key=plan.elements)
    remark(
        op,
        "Missed",
        "Resources",
        f"a tile of '{largest.type}' does not fit in registers: it is reduced in {plan.pieces} "
        "parts, one after the other",
    )
    Rewriter.insert_op(before, InsertPoint.before(op))
    Rewriter.replace_op(op, loop)


class StripMining:
    """The rewriting of one root."""

    def __init__(self, root: Root, plan: StripPlan, limits: Limits):
        self.root = root
        self.plan = plan
        self.limits = limits

    def apply(self) -> Root:
        """Builds the loop before the root, and erases the root; returns the part of it."""
        root, plan = self.root, self.plan
        before: list[Operation] = []
        zero, end, one = (
            arith.ConstantOp(IntegerAttr(number, i32)) for number in (0, plan.pieces, 1)
        )
        before += [zero, end, one]
        carried = self._carried(before)
        totals = {op: first_totals(op, before) for op in plan.scans}
        starts = [value for value, _ in carried] + [each for op in totals for each in totals[op]]
        pinned = plan.pinned
        ordered = None if pinned is None else pinned.result_token
        if pinned is not None and ordered is not None:
            if (token := pinned.token) is None:
                before.append(create := CreateMemTokenOp())
                token = create.result
            starts.append(token)
        body = Block(arg_types=[i32, *(value.type for value in starts)])
        number = body.args[0]
        inside: list[Operation] = []
        arguments = iter(body.args[1 + len(carried) :])
        is_first = CmpiOp(number, zero.result, "eq")
        running = Running(
            is_first.result,
            {op: [next(arguments) for _ in firsts] for op, firsts in totals.items()},
        )
        if totals:
            inside.append(is_first)
        if any(map(is_in_reverse, totals)):
            last = arith.ConstantOp(IntegerAttr(plan.pieces - 1, i32))
            before.append(last)
            inside.append(from_end := arith.SubiOp(last.result, number))
            number = from_end.result
        builder = plan.build(number, before, inside, running)
        self._map_carried(body.args[1] if carried else None, builder)
        piece = plan.build_root(builder)
        numbers = [root.results.index(result) for _, result in carried]
        ends = [piece.results[number] for number in numbers]
        if carried and not isinstance(root, DOTS) and root.token is None:
            # Parts are in no order, but what comes after the root comes after all of them.
            inside.append(all_pieces := JoinMemTokenOp(body.args[1], *ends))
            ends = [all_pieces.result]
        ends += [total for op in totals for total in running.totals[op]]
        if ordered is not None:
            # Behind the access is behind all of its parts, which are in no order.
            inside.append(join := JoinMemTokenOp(body.args[-1], builder.values[ordered]))
            ends.append(join.result)
        inside.append(scf.YieldOp(*ends))
        for op in (*before, *inside):
            op.location = op.location or root.location
        body.add_ops(inside)
        loop = scf.ForOp(zero.result, end.result, one.result, starts, Region(body))
        loop.location = root.location
        remark(root, "Missed", "Resources", self._describe())
        Rewriter.insert_op([*before, loop], InsertPoint.before(root))
        for (_, result), new in zip(carried, loop.results[: len(carried)], strict=True):
            result.replace_all_uses_with(new)
        if ordered is not None:
            ordered.replace_all_uses_with(loop.results[-1])
        Rewriter.erase_op(root, safe_erase=False)
        if pinned is not None:
            self._erase_pinned(pinned)
        assert isinstance(piece, Root)
        return piece

    def _erase_pinned(self, pinned: Operation) -> None:
        """Erases an access that is done in parts, and what was computed from it."""
        block = pinned.parent
        for op in reversed(self.plan.ops):
            is_unused = all(result.first_use is None for result in op.results)
            if op.parent is block and is_unused:
                Rewriter.erase_op(op)
            if op is pinned:
                return

    def _carried(self, before: list[Operation]) -> list[tuple[SSAValue, SSAValue]]:
        """
        What the loop carries: the accumulator of a dot, or the token of a store that something
        comes after. Its first value, and the result of the root that its last one replaces.
        """
        root = self.root
        match root:
            case DotOp():
                return [(root.accumulator, root.result)]
            case MmaFScaledOp():
                return [(root.acc, root.result)]
            case _:
                token, result = root.token, root.result_token
                if result is None or not any(result.uses):
                    return []
                if token is None:
                    before.append(create := CreateMemTokenOp())
                    return [(create.result, result)]
                return [(self._first_token(token, before), result)]

    def _first_token(self, token: SSAValue, before: list[Operation]) -> SSAValue:
        """What the first part of a root comes after: its token without loads in parts."""
        given = _joined_tokens(token)
        if not any(map(self._is_in_pieces, given)):
            return token
        join = JoinMemTokenOp(*filter(None, map(self._token_before, given)))
        before.append(join)
        return join.result

    def _is_in_pieces(self, token: SSAValue) -> bool:
        """Whether a token is that of a load in parts."""
        return isinstance(token.owner, TiledLoadOp) and token.owner in self.plan.ops

    def _token_before(self, token: SSAValue) -> SSAValue | None:
        """The token that a load in parts comes after; other tokens are as they are."""
        load = token.owner
        return load.token if isinstance(load, TiledLoadOp) and self._is_in_pieces(token) else token

    def _map_carried(self, argument: SSAValue | None, builder: PieceBuilder) -> None:
        """What stands for the accumulator or the token of the root in the body of the loop."""
        root, values = self.root, builder.values
        match root:
            case DotOp() if argument is not None:
                values[root.accumulator] = argument
            case MmaFScaledOp() if argument is not None:
                values[root.acc] = argument
            case DotOp() | MmaFScaledOp():
                pass
            case _:
                if (token := root.token) is None:
                    return
                after = argument or self._first_token(token, builder.before)
                moved = [values[each] for each in _joined_tokens(token) if self._is_in_pieces(each)]
                if moved:
                    join = add_op(builder.head, JoinMemTokenOp(after, *moved))
                    after = join.result
                values[token] = after

    def _describe(self) -> str:
        """What a remark says."""
        root, plan = self.root, self.plan
        if isinstance(root, DOTS):
            size = measure(root, plan.coarsened())
            what = f"the operands of the dot have {size} bytes, which do not fit in shared memory"
            return f"{what}: K is cut into {plan.pieces} parts, one after the other"
        largest = max(plan.tiles_outside_dots(), key=plan.elements)
        whole = plan.coarsened()
        fits = measure(root, whole) <= self.limits.tile
        if fits and whole.instructions() > self.limits.instructions:
            return (
                f"the stored tile of '{largest.type}' takes too many instructions: it is computed "
                f"in {plan.pieces} parts, one after the other"
            )
        return (
            f"a tile of '{largest.type}' does not fit in registers: the stored tile is computed in "
            f"{plan.pieces} parts, one after the other"
        )
