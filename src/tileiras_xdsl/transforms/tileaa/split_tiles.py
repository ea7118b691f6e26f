"""
Splits tiles whose accumulators do not fit in the registers of a CTA, along parallel dimensions.

Before:  %a = scf.for %k … iter_args(%c = %zero) -> (tensor<256x256xf32>) { … nv_tileaa.dot … }
         %t = nv_tileaa.tiled_store %a, %v[%i, %j] …
After:   scf.for %n = %c0 to %c2 step %c1 : i32 {
           %a = scf.for %k … iter_args(%c = %zero) -> (tensor<128x256xf32>) { … nv_tileaa.dot … }
           %t = nv_tileaa.tiled_store %a, %p[%at, %j] …
         }

Block-scaled dots are split as others are: scales of A with the rows of A, those of B with the
columns of B.

Accumulators that are live together are in registers. Where even the most warpgroups of
a CTA would have too few for them, dots would not use WGMMA and spill. So the loop, with all that
leads to it and follows from it, is done for one part of the tiles after the other:
`split_region.py` finds the tiles that are cut together, and what is repeated.

If others launch the kernel, parts are done by the CTAs of a cluster, as far as the architecture
can run enough of them at the same time (`tile_ctas`). Grids then count clusters, so that the kernel
is launched as before:

After:   %b = gpu.block_id x
         %n = %b mod 2
         %x = %b div 2                                       // what the index of the CTA was before
         …
         and the kernel has
         {gpu.known_cluster_size = array<i32: 2, 1, 1>, nvgpu.blocks_are_clusters}

All that is not split is done by each of them, so it may have no effects, and no CTA may have to
wait for another (`why_not_concurrent`). A kernel that loops over tiles by the size of the grid gets
the CTAs that the hint `num_cta_in_cga` (`num_ctas` of `nv_tileaa.kernel_spec`) asks for, as far as
they are needed to fill the GPU, and no others: the grid was chosen for these.

A tile is halved along the dimension after which the least has to be loaded, rows first, until
accumulators fit. Dots have no fewer rows than a WGMMA, and no fewer columns than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i32,
)
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum, FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.arith import IndexCastOp
from tileiras_xdsl.dialects.gpu import BlockIdOp, DimensionQueryOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr, get_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import (
    KERNEL_SPEC,
)
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, AndIOp, DivIOp, MulIOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp, MmaFScaledOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileaa.memory import CreateMemTokenOp, JoinMemTokenOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ExpandDimsOp, PermuteOp, ViewOp
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.types import (
    get_kernel_hint,
    ignore_cluster_hint,
    take_cluster_hint,
)
from tileiras_xdsl.dialects.nvgpu.types import BLOCKS_ARE_CLUSTERS, CLUSTER_SIZES
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05 import (
    INSTRUCTION_ROWS,
    MOST_COLUMNS,
    PAIR_COLUMN_STEP,
)
from tileiras_xdsl.targets.warpgroups import WGMMA_M, Pipelining
from tileiras_xdsl.transforms.common.abi import HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.accumulator_liveness import (
    find_live_together,
    group_by_loop,
    live_shapes,
)
from tileiras_xdsl.transforms.common.kernel_spec import choose_num_warps, get_target
from tileiras_xdsl.transforms.common.scaled_dots import has_scaled_pieces
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .split_depth import split_depths
from .split_region import (
    NotParallel,
    ParallelTiles,
    RegionBuilder,
    SplitRegion,
    find_region,
    why_not_concurrent,
)
from .tiling import add_op
from .uplift_while_to_for import erase_dead

# Products that a pair of CTAs can do together, each with half of the rows of A and the columns of
# B.
#
#     %d = nv_tileaa.dot %a, %b, %c : tensor<256x64xf16>, tensor<64x256xf16>, tensor<256x256xf32>
#
# The CTAs of a cluster do 128 rows each. Both need all of B, so if a pair multiplies, each loads
# half of it (`tileas-pair-ctas`). Of a block-scaled product each has the scales of its rows of A,
# and all of those of B. What is decided there needs more than can be seen of tiles here.


def why_no_pair_product(
    dots: Sequence[DotOp | MmaFScaledOp], rows: Sequence[int | None]
) -> str | None:
    """
    Why a pair of CTAs cannot do dots of which each has this many rows; None if it can. A dot that
    is not split along its rows has None.
    """
    for op, left in zip(dots, rows, strict=True):
        shape = get_shape(op.result.type)
        if len(shape) != 2:
            return f"an accumulator has {len(shape)} dimensions"
        if left != INSTRUCTION_ROWS:
            each = "its rows are not split" if left is None else f"each CTA would have {left} rows"
            return f"MMAs of a pair have {INSTRUCTION_ROWS} rows of each CTA, but {each}"
        if shape[1] > MOST_COLUMNS or shape[1] % PAIR_COLUMN_STEP:
            return (
                f"MMAs of a pair have a multiple of {PAIR_COLUMN_STEP} columns up to "
                f"{MOST_COLUMNS}, but there are {shape[1]}"
            )
        for name, value in zip("AB", op.operands[:2], strict=True):
            if not is_loaded(value):
                return f"operand {name} is not loaded"
    return None


def is_loaded(value: SSAValue) -> bool:
    """Whether a tile is loaded, and only reshaped after that, or unpacked from its bytes."""
    while isinstance(op := value.owner, Operation):
        if isinstance(op, TiledLoadOp):
            return True
        if not isinstance(op, ViewOp | ExpandDimsOp | PermuteOp | UnpackOp):
            return False
        value = op.operands[0]
    return False


Dot = DotOp | MmaFScaledOp
SMALLEST_DOT = WGMMA_M
"""Rows or columns of a part of a dot."""


@dataclass(frozen=True)
class SplitTilesPass(ModulePass):
    """
    Computes tiles in parts, one after the other, where accumulators do not fit in the registers of
    the warpgroups of a CTA and a dimension of theirs is parallel. Where none is, dots keep a remark
    that names the op in the way. K of dots is split where shared memory has room for two buffer
    stages only (`split_depth.py`).

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - accumulator-elements: accumulators of a loop with more elements do not fit; what warpgroups
      have registers for without it.
    - abi: with `device-maps` others launch kernels, with a CTA for each tile block.
    """

    name = "split-tiles"

    compute_capability: str | int | float | None = None
    accumulator_elements: int | None = None
    abi: str = HOST_MAPS_ABI

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        model = target.warpgroups or target.mma_pipelining
        if model is None and self.accumulator_elements is None:
            return
        for function in find_all(op, FuncOp):
            spec = KERNEL_SPEC.get(function) or KernelSpecAttr()
            warps = choose_num_warps(function, spec, target)
            limits = Limits(target, model, warps, self.accumulator_elements)
            split_all(function, limits, ClusterShare.of(function, target, self.abi))
            if model is not None:
                split_depths(function, model, target)


def power_of_two(number: int) -> int:
    """The largest one that is not larger."""
    return 1 << (number.bit_length() - 1)


@dataclass(frozen=True)
class Limits:
    """Which accumulators fit."""

    target: Target
    model: Pipelining | None
    warps: int
    """Of the kernel, unless warpgroups are chosen for its accumulators."""
    elements: int | None = None

    def find_dots(self, function: FuncOp) -> list[Dot]:
        """The dots of a kernel; block-scaled ones if tensor cores multiply their parts."""
        return [
            op
            for op in find_all(function, DotOp, MmaFScaledOp)
            if isinstance(op, DotOp) or has_scaled_pieces(op, self.target)
        ]

    def fits(self, shapes: Sequence[Sequence[int]]) -> bool:
        """Whether the accumulators of a loop fit in registers."""
        if self.elements is not None:
            return sum(map(prod, shapes)) <= self.elements
        assert self.model is not None
        return self.model.fits(shapes, self.warps)

    def least(self, op: Dot, dim: int) -> int:
        """Rows or columns of the smallest part of a dot."""
        if isinstance(op, MmaFScaledOp) and self.target.has("tcgen05") and is_rows(op, dim):
            return INSTRUCTION_ROWS
        return SMALLEST_DOT if self.elements is None else 1


def split_all(function: FuncOp, limits: Limits, share: ClusterShare) -> None:
    """Splits all tiles of a kernel that do not fit and can be split."""
    refused: set[Operation] = set()
    while True:
        dots = next(
            (
                each
                for each in group_by_loop(limits.find_dots(function)).values()
                if not all(map(limits.fits, live_shapes(each))) and refused.isdisjoint(each)
            ),
            None,
        )
        if dots is None:
            break
        plan = find_plan(function, dots, limits)
        if isinstance(plan, str):
            remark(dots[0], "Missed", "Tiles", plan)
            refused.update(dots)
            continue
        split(plan, dots, share)
        erase_dead(function.walk())
    if share.is_asked_for and share.left > 1:
        for dots in group_by_loop(limits.find_dots(function)).values():
            plan = find_plan(function, dots, limits, share.left)
            if not isinstance(plan, str) and share.can_take(plan, dots):
                split(plan, dots, share)
                erase_dead(function.walk())
                break
    share.finish()


def is_rows(op: Dot, dim: int) -> bool:
    """Whether a dimension of the result of a dot is that of its rows."""
    return dim == len(get_shape(op.result.type)) - 2


def shapes_of(dots: Sequence[Dot]) -> list[tuple[int, ...]]:
    """The shapes of accumulators."""
    return [get_shape(op.result.type) for op in dots]


@dataclass(frozen=True)
class Candidate:
    """A dimension of the first dot of a loop along which tiles can be split."""

    dim: int
    region: SplitRegion

    def cut(self, op: Dot, pieces: int) -> DotShape:
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
    def of(op: Dot) -> DotShape:
        return DotShape(get_shape(op.result.type), get_shape(op.operands[0].type)[-1])

    def cut(self, dim: int, pieces: int) -> DotShape:
        """A part of the dot."""
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


def find_plan(function: FuncOp, dots: Sequence[Dot], limits: Limits, least: int = 1) -> Plan | str:
    """
    How to split the tiles of the dots of a loop, into this many parts at least; why not, if there
    is no way.
    """
    candidates: list[Candidate] = []
    reasons: list[str] = []
    seed = dots[0].result
    for dim in range(len(get_shape(seed.type))):
        tiles = ParallelTiles()
        try:
            tiles.add(seed, dim)
            region = find_region(function, tiles)
        except NotParallel as refusal:
            reasons.append(f"along dimension {dim}, {refusal}")
        else:
            candidates.append(Candidate(dim, region))
    shapes = [DotShape.of(op) for op in dots]
    pieces = dict.fromkeys((candidate.dim for candidate in candidates), 1)
    first: Candidate | None = None
    live = find_live_together(dots)

    def is_too_large() -> bool:
        sizes = {op: shape.result for op, shape in zip(dots, shapes, strict=True)}
        return not all(limits.fits([sizes[op] for op in together]) for together in live)

    while prod(pieces.values()) < least or is_too_large():
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
            which = "; ".join(reasons) if not candidates else "no smaller parts are possible"
            sizes = " and ".join("x".join(map(str, shape)) for shape in shapes_of(dots))
            return f"accumulators of {sizes} do not fit in registers and are not split: {which}"
        _, candidate, shapes = best
        first = first or candidate
        pieces[candidate.dim] *= 2
    assert first is not None
    return Plan(first, pieces[first.dim])


def halve(
    candidate: Candidate,
    dots: Sequence[Dot],
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
            if dim >= len(half.result) - 2 and half.result[dim] < limits.least(op, dim):
                return None
            shape = half
        halves.append(shape)
    return halves


def why_no_pair(function: FuncOp, plan: Plan, dots: Sequence[Dot]) -> str | None:
    """Why a pair of CTAs cannot do the parts of a plan together; None if it can."""
    if len(find_all(function, DotOp, MmaFScaledOp)) > len(dots):
        return "other loops have dots as well"
    dims = plan.candidate.region.tiles.dims
    rows = [
        plan.candidate.cut(op, plan.pieces).result[0] if dims.get(op.result) == 0 else None
        for op in dots
    ]
    return why_no_pair_product(dots, rows)


@dataclass(eq=False)
class ClusterShare:
    """The CTAs of a cluster, and which parts of a tile block they do."""

    function: FuncOp
    ctas: int
    is_asked_for: bool = field(default=False, kw_only=True)
    """Whether this many CTAs do a tile that one of them could do alone."""
    is_pair: bool = field(default=False, kw_only=True)
    """Whether CTAs do a part each only if they multiply as a pair."""
    used: int = field(default=1, init=False)
    """The CTAs that do parts so far."""
    texts: list[str] = field(default_factory=list[str], init=False)
    """What a remark says of the parts."""
    refusal: str | None = field(default=None, init=False)
    """Why CTAs cannot do a part each."""
    _id: DimensionQueryOp | None = field(default=None, init=False)

    @staticmethod
    def of(function: FuncOp, target: Target, abi: str) -> ClusterShare:
        """
        Those of a kernel. Who launches one that loops over tiles has `occupancy` tile blocks of
        `num_ctas` CTAs for each SM of the GPU, so fewer CTAs fill it. Where pairs multiply, the
        CTAs of a cluster share tiles that a pair multiplies, and no others, if a hint asks for two.
        Else what we launch ourselves is persistent, which clusters that share a tile would not be.
        Without multicast, clusters have nothing to share: a CTA does all parts.
        """
        if not target.has("multicast"):
            return ClusterShare(function, 1)
        asked = get_kernel_hint(function, "num_ctas")
        if find_all(function, gpu.GridDimOp):
            ctas = max(1, min(asked, target.cluster) // get_kernel_hint(function, "occupancy"))
            return ClusterShare(function, power_of_two(ctas), is_asked_for=True)
        pair = 1 if target.warpgroups is None else target.warpgroups.pair_ctas
        if pair == 1:
            return ClusterShare(function, 1 if abi == HOST_MAPS_ABI else target.tile_ctas)
        if asked == pair:
            return ClusterShare(function, pair, is_asked_for=True, is_pair=True)
        return ClusterShare(function, 1)

    @property
    def left(self) -> int:
        """Into how many parts those of each CTA may be split."""
        return self.ctas // self.used

    def can_take(self, plan: Plan, dots: Sequence[Dot]) -> bool:
        """Whether CTAs can do a part each."""
        if self.left == 1:
            return False
        if self.is_pair:
            reason = why_no_pair(self.function, plan, dots)
            if reason is not None:
                text = "no pair of CTAs multiplies"
                remark(self.function, "Missed", "TensorCore", text, name="Pair", reason=reason)
                return False
        refusal = why_not_concurrent(self.function, plan.candidate.region)
        self.refusal = self.refusal or refusal
        return refusal is None

    def take(self, plan: Plan, dots: Sequence[Dot]) -> tuple[int, SSAValue | None]:
        """How many CTAs do the parts of a plan, and the number of each among them."""
        if not self.can_take(plan, dots):
            return 1, None
        ctas = min(self.left, plan.pieces)
        if self._id is None:
            self._id = BlockIdOp(DimensionAttr(DimensionEnum.X))
            self._cast = IndexCastOp(self._id.result, i32)
            self._insert(self._id, self._cast)
        rest, ops = self._cast.result, list[Operation]()
        if self.used > 1:
            used = add_op(ops, arith.ConstantOp(IntegerAttr(self.used, i32)))
            rest = add_op(ops, divide(rest, used.result)).result
        mask = add_op(ops, arith.ConstantOp(IntegerAttr(ctas - 1, i32)))
        number = add_op(ops, AndIOp(rest, mask.result))
        self._insert(*ops, after=self._cast)
        self.used *= ctas
        return ctas, number.result

    def _insert(self, *ops: Operation, after: Operation | None = None) -> None:
        for op in ops:
            op.location = self.function.location
        start = InsertPoint.at_start(self.function.body.block)
        Rewriter.insert_op(ops, start if after is None else InsertPoint.after(after))

    def finish(self) -> None:
        """Makes the indices of CTAs and the size of the grid those of clusters."""
        if self.used == 1:
            if self.refusal is not None and get_kernel_hint(self.function, "num_ctas") > 1:
                ignore_cluster_hint(self.function, f"every tile has one CTA: {self.refusal}")
            return
        function = self.function
        for op in find_all(function, gpu.BlockIdOp, gpu.GridDimOp):
            if op is self._id or op.dimension.data != DimensionEnum.X:
                continue
            number = IndexCastOp(op.results[0], i32)
            ctas = arith.ConstantOp(IntegerAttr(self.used, i32))
            of_cluster = divide(number.result, ctas.result)
            result = IndexCastOp(of_cluster.result, IndexType())
            self._insert(number, ctas, of_cluster, result, after=op)
            op.results[0].replace_uses_with_if(
                result.result, lambda use, number=number: use.operation is not number
            )
        take_cluster_hint(function)
        sizes = DenseArrayBase.from_list(i32, [self.used, 1, 1])
        function.attributes[CLUSTER_SIZES[0]] = sizes
        BLOCKS_ARE_CLUSTERS.set(function, UnitAttr())
        remark(function, "Passed", "Tiles", "; ".join(self.texts))


def divide(number: SSAValue, by: SSAValue) -> DivIOp:
    """A quotient of numbers that are not negative."""
    return DivIOp.create(
        operands=[number, by],
        result_types=[number.type],
        properties={"signedness": StringAttr("signed")},
    )


def split(plan: Plan, dots: Sequence[Dot], share: ClusterShare) -> None:
    """Replaces a region by its parts: one, or a loop over several that a CTA does."""
    region = plan.candidate.region
    like, escaping = region.ops[-1], region.escaping()
    ctas, number = share.take(plan, dots)
    before: list[Operation] = []
    head: list[Operation] = []
    if number is not None:
        share.texts.append(describe(plan, dots, ctas))
    if number is not None and ctas == plan.pieces:
        builder = RegionBuilder(region, plan.pieces, [number], before, head)
        inside = builder.build()
        new = [*before, *head, *inside]
        results: Sequence[SSAValue] = [builder.whole[token] for token in escaping]
    else:
        loop = make_loop(region, plan.pieces // ctas, before)
        body = loop.body.block
        first: SSAValue = body.args[0]
        if number is not None:
            factor = add_op(before, arith.ConstantOp(IntegerAttr(ctas, i32)))
            scaled = add_op(head, MulIOp(first, factor.result))
            first = add_op(head, AddIOp(scaled.result, number)).result
        builder = RegionBuilder(region, plan.pieces, [first], before, head)
        inside = builder.build()
        # Behind the region is behind all parts, which are in no order.
        joins = [
            JoinMemTokenOp(argument, builder.whole[token])
            for token, argument in zip(escaping, body.args[1:], strict=True)
        ]
        body.add_ops([*head, *inside, *joins, scf.YieldOp(*(join.result for join in joins))])
        if number is None:
            remark(dots[0], "Passed", "Tiles", describe(plan, dots))
        loop.location = dots[0].location
        new = [*before, loop]
        results = loop.results
    for op in new:
        for each in walk(op):
            each.location = each.location or like.location
    Rewriter.insert_op(new, InsertPoint.after(like))
    for token, result in zip(escaping, results, strict=True):
        token.replace_all_uses_with(result)
    for op in reversed(region.ops):
        Rewriter.erase_op(op)


def make_loop(region: SplitRegion, pieces: int, before: list[Operation]) -> scf.ForOp:
    """An empty loop over parts, which carries tokens that are used behind the region."""
    zero, end, one = (arith.ConstantOp(IntegerAttr(number, i32)) for number in (0, pieces, 1))
    before += [zero, end, one]
    starts: list[SSAValue] = []
    if escaping := region.escaping():
        starts = [add_op(before, CreateMemTokenOp()).result] * len(escaping)
    body = Block(arg_types=[i32, *(value.type for value in starts)])
    return scf.ForOp(zero.result, end.result, one.result, starts, Region(body))


def describe(plan: Plan, dots: Sequence[Dot], ctas: int = 1) -> str:
    """What a remark says."""
    whole = "x".join(map(str, shapes_of(dots)[0]))
    piece = "x".join(map(str, plan.candidate.cut(dots[0], plan.pieces).result))
    pieces = f"{plan.pieces} parts of {piece} along dimension {plan.candidate.dim}"
    if ctas == 1:
        return (
            f"accumulators of {whole} do not fit in the registers of a CTA: tiles are split into "
            f"{pieces}, one after the other"
        )
    return (
        f"tiles with accumulators of {whole} are split into {pieces}, for {ctas} CTAs of a cluster"
    )
