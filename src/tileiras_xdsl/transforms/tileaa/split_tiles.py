"""
Splits tiles whose accumulators one CTA has no registers for, along dimensions that are parallel.

Before:  %a = scf.for %k … iter_args(%c = %zero) -> (tensor<256x256xf32>) { … nv_tileaa.dot … }
         %t = nv_tileaa.tiled_store %a, %v[%i, %j] …
After:   scf.for %n = %c0 to %c2 step %c1 : i32 {
           %a = scf.for %k … iter_args(%c = %zero) -> (tensor<128x256xf32>) { … nv_tileaa.dot … }
           %t = nv_tileaa.tiled_store %a, %p[%at, %j] …
         }

Accumulators that are live together are in registers. Where even the most warpgroups of
a CTA would have too few for them, dots would not use WGMMA and spill. So the loop, with all that
leads to it and follows from it, is done for one piece of the tiles after the other:
`parallel_dims.py` finds the tiles that are cut together, `split_region.py` what is repeated.

A tile is halved along the dimension after which the least has to be loaded, rows first, until
accumulators fit. Dots have no fewer rows than a WGMMA, and no fewer columns than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import SPLIT_TILES, UNSPLIT_TILES
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileaa.tokens import CreateMemTokenOp, JoinMemTokenOp
from tileiras_xdsl.targets.warpgroups import WGMMA_M, Warpgroups
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..tileas.kernel_model.accumulator_liveness import live_shapes
from .parallel_dims import NotParallel, find_parallel_tiles
from .split_region import PieceBuilder, SplitRegion, find_region
from .uplift_while_to_for import erase_dead

SMALLEST_DOT = WGMMA_M
"""Rows or columns of a piece of a dot."""


@dataclass(frozen=True)
class SplitTilesPass(ModulePass):
    """
    Computes tiles in pieces, one after the other, where accumulators do not fit in the registers of
    the warpgroups of a CTA and a dimension of theirs is parallel. Where none is, dots keep a remark
    that names the op in the way.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - accumulator-elements: accumulators of a loop with more elements do not fit; what warpgroups
      have registers for without it.
    """

    name = "split-tiles"

    compute_capability: str | int | float | None = None
    accumulator_elements: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        warpgroups = get_target(op, self.compute_capability).warpgroups
        if warpgroups is None and self.accumulator_elements is None:
            return
        limits = Limits(warpgroups, self.accumulator_elements)
        for function in find_all(op, FuncOp):
            split_all(function, limits)


@dataclass(frozen=True)
class Limits:
    """Which accumulators fit."""

    warpgroups: Warpgroups | None
    elements: int | None = None

    def fits(self, shapes: Sequence[Sequence[int]]) -> bool:
        """Whether the accumulators of a loop fit in registers."""
        if self.elements is not None:
            return sum(map(prod, shapes)) <= self.elements
        assert self.warpgroups is not None
        return self.warpgroups.choose_num_warpgroups([shapes]) is not None

    @property
    def least(self) -> int:
        """Rows and columns of the smallest piece of a dot."""
        return SMALLEST_DOT if self.elements is None else 1


def split_all(function: FuncOp, limits: Limits) -> None:
    """Splits all tiles of a kernel that do not fit and can be split."""
    refused: set[Operation] = set()
    while True:
        dots = next(
            (
                each
                for each in by_loop(function)
                if not all(map(limits.fits, live_shapes(each))) and refused.isdisjoint(each)
            ),
            None,
        )
        if dots is None:
            return
        plan = find_plan(function, dots, limits)
        if isinstance(plan, str):
            UNSPLIT_TILES.set(dots[0], StringAttr(plan))
            refused.update(dots)
            continue
        split_in_time(plan, dots)
        erase_dead(function.walk())


def by_loop(function: FuncOp) -> list[list[DotOp]]:
    """The dots of a kernel by the loop that they are in."""
    loops: dict[Operation | None, list[DotOp]] = {}
    for op in find_all(function, DotOp):
        loop = op.parent_op()
        while loop is not None and not isinstance(loop, scf.ForOp | scf.WhileOp):
            loop = loop.parent_op()
        loops.setdefault(loop, []).append(op)
    return list(loops.values())


def shapes_of(dots: Sequence[DotOp]) -> list[tuple[int, ...]]:
    """The shapes of accumulators."""
    return [get_shape(op.result.type) for op in dots]


@dataclass(frozen=True)
class Candidate:
    """A dimension of the first dot of a loop along which tiles can be split."""

    dim: int
    region: SplitRegion

    def cut(self, op: DotOp, pieces: int) -> DotShape:
        """What is left of a dot."""
        shape = DotShape.of(op)
        along = self.region.tiles.dims.get(op.result)
        return shape if along is None else shape.cut(along, pieces)


@dataclass(frozen=True)
class DotShape:
    """The shape of a dot."""

    result: tuple[int, ...]
    k: int

    @staticmethod
    def of(op: DotOp) -> DotShape:
        return DotShape(get_shape(op.result.type), get_shape(op.a.type)[-1])

    def cut(self, dim: int, pieces: int) -> DotShape:
        """A piece of the dot."""
        size = max(1, self.result[dim] // pieces)
        return DotShape((*self.result[:dim], size, *self.result[dim + 1 :]), self.k)

    @property
    def operands(self) -> int:
        """Elements of both operands."""
        *batch, m, n = self.result
        return prod(batch) * (m + n) * self.k


@dataclass
class Plan:
    """How tiles are split along one dimension."""

    candidate: Candidate
    pieces: int


def find_plan(function: FuncOp, dots: Sequence[DotOp], limits: Limits) -> Plan | str:
    """How to split the tiles of the dots of a loop; why not, if there is no way."""
    candidates: list[Candidate] = []
    reasons: list[str] = []
    seed = dots[0].result
    for dim in range(len(get_shape(seed.type))):
        try:
            region = find_region(function, find_parallel_tiles(seed, dim))
        except NotParallel as refusal:
            reasons.append(f"along dimension {dim}, {refusal}")
        else:
            candidates.append(Candidate(dim, region))
    shapes = [DotShape.of(op) for op in dots]
    pieces = dict.fromkeys((candidate.dim for candidate in candidates), 1)
    first: Candidate | None = None
    while not limits.fits([shape.result for shape in shapes]):
        best: tuple[int, Candidate, list[DotShape]] | None = None
        for candidate in candidates:
            halves = halve(candidate, dots, shapes, pieces[candidate.dim], limits)
            if halves is None:
                continue
            # Each half loads its operands.
            loaded = sum(shape.operands for shape in halves)
            if best is None or loaded < best[0]:
                best = loaded, candidate, halves
        if best is None:
            which = "; ".join(reasons) if not candidates else "no smaller pieces are possible"
            sizes = " and ".join("x".join(map(str, shape)) for shape in shapes_of(dots))
            return f"accumulators of {sizes} do not fit in registers and are not split: {which}"
        _, candidate, shapes = best
        first = first or candidate
        pieces[candidate.dim] *= 2
    assert first is not None
    return Plan(first, pieces[first.dim])


def halve(
    candidate: Candidate,
    dots: Sequence[DotOp],
    shapes: Sequence[DotShape],
    pieces: int,
    limits: Limits,
) -> list[DotShape] | None:
    """The dots of a loop with their tiles halved along a dimension; `None` if that cannot be."""
    tiles = candidate.region.tiles
    if 2 * pieces > tiles.extent:
        return None
    halves: list[DotShape] = []
    for op, shape in zip(dots, shapes, strict=True):
        dim = tiles.dims.get(op.result)
        if dim is not None:
            half = shape.cut(dim, 2)
            if dim >= len(half.result) - 2 and half.result[dim] < limits.least:
                return None
            shape = half
        halves.append(shape)
    return halves


def split_in_time(plan: Plan, dots: Sequence[DotOp]) -> None:
    """Replaces a region by a loop over its pieces."""
    region = plan.candidate.region
    like = region.ops[-1]
    escaping = region.escaping()
    zero, end, one = (arith.ConstantOp(IntegerAttr(number, i32)) for number in (0, plan.pieces, 1))
    before: list[Operation] = [zero, end, one]
    start = CreateMemTokenOp()
    if escaping:
        before.append(start)
    starts: list[SSAValue] = [start.result for _ in escaping]
    body = Block(arg_types=[i32, *(value.type for value in starts)])
    head: list[Operation] = []
    builder = PieceBuilder(region, plan.pieces, body.args[0], before, head)
    inside = [*builder.build()]
    ends: list[SSAValue] = []
    for token, argument in zip(escaping, body.args[1:], strict=True):
        # Behind the region is behind all pieces, which are in no order.
        join = JoinMemTokenOp(argument, builder.whole[token])
        inside.append(join)
        ends.append(join.result)
    inside = [*head, *inside, scf.YieldOp(*ends)]
    for op in (*before, *inside):
        op.location = op.location or like.location
    body.add_ops(inside)
    loop = scf.ForOp(zero.result, end.result, one.result, starts, Region(body))
    loop.location = dots[0].location
    SPLIT_TILES.set(loop, StringAttr(describe(plan, dots)))
    Rewriter.insert_op([*before, loop], InsertPoint.after(like))
    for token, result in zip(escaping, loop.results, strict=True):
        token.replace_all_uses_with(result)
    for op in reversed(region.ops):
        Rewriter.erase_op(op)


def describe(plan: Plan, dots: Sequence[DotOp]) -> str:
    """What a remark says."""
    whole = shapes_of(dots)[0]
    piece = plan.candidate.cut(dots[0], plan.pieces).result
    return (
        f"accumulators of {'x'.join(map(str, whole))} do not fit in the registers of a CTA: "
        f"tiles are split into {plan.pieces} pieces of {'x'.join(map(str, piece))} along dimension "
        f"{plan.candidate.dim}, one after the other"
    )
