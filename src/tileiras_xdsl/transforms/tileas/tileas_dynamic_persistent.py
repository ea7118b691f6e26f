"""
Persistent kernels: each CTA loops over the work of many tile blocks.

Before:  %x = gpu.block_id x
         … work of tile block %x …
After:   (%gx: i32, %gy: i32, %gz: i32 after the other parameters)
         scf.for %n = block_id x to %gx * %gy * %gz step grid_dim x {
           %x = %n mod %gx
           … work of tile block %x …
         }
         and the kernel has {nvgpu.persistent = 1 : i32}, or what its hint `occupancy` says

The name of the pass is NVIDIA's; the schedule is static, a grid-stride loop.

With the ABI `device-maps` others launch the kernel, with a CTA for each tile block. As many of
them as the GPU holds loop over all tile blocks, and the others return at once:

After:   %r = nv_tileas.resident_ctas {ctas_per_sm = 1 : i32}
         %id = linear CTA index
         %end = %id < %r ? grid_dim x * grid_dim y * grid_dim z : 0
         scf.for %n = %id to %end step %r iter_args(%x = block_id x) {
           … work of tile block %x …
           scf.yield (%n + %r) mod grid_dim x
         } {nv_tileas.early_return}

No CTA waits for another, so it does not matter how many of them run at the same time. A CTA knows
its first tile block without a division, and finds the next one while it works on the last. Of a
grid whose tile blocks an i32 cannot count, each CTA does its own and no other.

If tile blocks have more iterations the larger one of their coordinates is, or fewer, as those of
causal attention, each CTA takes them in pairs: one, and then the one that is as far from the other
end of the grid. So all have about the same work:

After:   scf.for %n = 0 to 2 * pairs of this CTA step 1 {
           %u = %id + %n / 2 * %r
           %number = %n mod 2 == 0 ? %u : number of tile blocks - 1 - %u
           … work of tile block %number …
         }

With `host-maps` and the hint `num_cta_in_cga = 2` (`num_ctas` of `nv_tileaa.kernel_spec`),
neighbouring CTAs form a cluster, so that a multicast loads what both need:
{gpu.known_cluster_size = array<i32: 2, 1, 1>}, and at the loop
{nv_tileas.cluster = #nv_tileas.cluster<2>}. Both have to run equally many iterations, so the last
one may have no work; it stores nothing. Where clusters are impossible, the hint is removed, with a
remark that says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IndexType,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum, FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import GRID_LIMITS
from tileiras_xdsl.analysis.memory_order import (
    AddressValues,
    is_independent,
    is_invariant,
    may_be_hoisted_across,
)
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, IndexCastOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.gpu import BlockIdOp, DimensionQueryOp, GridDimOp
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import BoundedAttr
from tileiras_xdsl.dialects.nv_tileaa.decisions import AFTER_GRID_WAIT, INDEPENDENT, INVARIANT
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileas.atoms import find_async_mmas
from tileiras_xdsl.dialects.nv_tileas.decisions import CLUSTER, EARLY_RETURN, PAIR, ClusterAttr
from tileiras_xdsl.dialects.nv_tileas.pipeline import ResidentCtasOp
from tileiras_xdsl.dialects.nv_tileas.types import (
    get_kernel_hint,
    ignore_cluster_hint,
    take_cluster_hint,
)
from tileiras_xdsl.dialects.nvgpu.types import (
    BLOCKS_ARE_CLUSTERS,
    CLUSTER_SIZES,
    NO_WRAP,
    set_persistent_ctas,
)
from tileiras_xdsl.dialects.tileiras import explain
from tileiras_xdsl.targets.tcgen05 import PAIR_CTAS
from tileiras_xdsl.transforms.common.abi import HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.walking import last_of, walk

from .kernel_model.persistence import (
    has_visible_effect,
    needs_mirroring,
    why_no_cluster,
    why_not_persistent,
)
from .kernel_model.slicing import QUERIES, scalar_code

DIMENSIONS = (DimensionEnum.X, DimensionEnum.Y, DimensionEnum.Z)
COUNTABLE: Final = 1 << 30
"""How many tile blocks a kernel that anybody launches counts by an i32."""
MOST_RESIDENTS: Final = 1 << 20
"""More CTAs than any GPU holds; the index that a CTA would do next fits in an i32 as well."""


@dataclass(frozen=True)
class TileasDynamicPersistentPass(ModulePass):
    """
    Makes kernels with WGMMA persistent, so that the tiles of the next output tile are loaded while
    the epilogue of the current one is stored, and tensor maps are built once for many output tiles.
    Kernels whose tile blocks take different times that follow from nothing but their coordinates,
    by sums and multiples of these, do long and short ones in turn. Those whose tile blocks differ
    in another way, wait for each other, or are in clusters already, are left to the hardware
    scheduler. Clusters whose CTAs share a tile block are not in the way with `device-maps`: none of
    these waits for another. Neither are pairs, which take their next tile block together.

    - abi: with `host-maps` the launcher has to know: it passes the grid, and launches as many CTAs
      as the GPU holds at once. With `device-maps` the CTAs of any launch find out themselves
      whether they have work.
    """

    name = "tileas-dynamic-persistent"

    abi: str = "host-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if function.kernel is None:
                continue
            refusal = why_not_persistent(function)
            if self.abi != HOST_MAPS_ABI:
                if refusal is None:
                    # A pair of CTAs would have the last tile block left over.
                    mirrors = not PAIR.is_on(function) and needs_mirroring(function)
                    ResidentKernelRewriter(function, mirrors=mirrors).rewrite()
                else:
                    _explain(function, refusal)
                continue
            if BLOCKS_ARE_CLUSTERS.is_on(function) and not PAIR.is_on(function):
                _explain(function, refusal or "launches count clusters")
                continue
            if get_kernel_hint(function, "num_ctas") > 1:
                reason = refusal or why_no_cluster(function)
                if reason is None and needs_mirroring(function):
                    reason = "the trip count of a loop depends on the tile block"
                if reason is not None:
                    ignore_cluster_hint(function, reason)
                    refusal = why_not_persistent(function)
            if refusal is None:
                ctas = get_kernel_hint(function, "num_ctas")
                mirrors = not PAIR.is_on(function) and needs_mirroring(function)
                PersistentKernelRewriter(function, ctas, mirrors=mirrors).rewrite()
            else:
                _explain(function, refusal)


def _explain(function: FuncOp, refusal: str) -> None:
    """Tells why a kernel is not persistent, if one would expect that of it."""
    if find_async_mmas(function):
        text = "not a persistent kernel"
        explain(function, "Missed", "TensorCore", text, name="Persistent", reason=refusal)


@dataclass(frozen=True)
class MirroredShare:
    """What a CTA does if tile blocks take longer the larger their number is, or the smaller."""

    index: SSAValue
    """Of the CTA."""
    step: SSAValue
    """How many CTAs work."""
    total: SSAValue
    """How many tile blocks there are."""


class PersistentKernelRewriter:
    """Rewrites one kernel into a persistent one, whose launcher passes the grid."""

    def __init__(self, function: FuncOp, cluster: int = 1, *, mirrors: bool = False):
        self.function = function
        self.block = function.body.block
        self.cluster = cluster
        self.mirrors = mirrors
        self._share: MirroredShare | None = None
        self._total: SSAValue | None = None
        """The number of tile blocks, if iterations may be beyond the last one."""

    def rewrite(self) -> None:
        """Puts all that depends on the tile block into a loop."""
        addresses = AddressValues(self.function)
        for op in walk(self.function):
            # Stores for one tile block are unordered with loads for another, also when one CTA
            # runs both.
            if is_independent(op):
                INDEPENDENT.set(op, UnitAttr())
            elif may_be_hoisted_across(op):
                AFTER_GRID_WAIT.set(op, UnitAttr())
            if is_plain_load(op) and op.results[0] in addresses and is_invariant(op):
                INVARIANT.set(op, UnitAttr())
        block, last = self.block, last_of(self.block)
        outside = scalar_code(block, excluded=QUERIES)
        inside = [op for op in block.ops if op not in outside and op is not last]
        body = Block(arg_types=[i32])
        for op in inside:
            op.detach()
        body.add_ops(inside)
        grid, (first, end, step) = self.divide_work(body, last)
        carried, terminator = self.carried_values(), scf.YieldOp()
        terminator.location = self.function.location
        body.add_op(terminator)
        numbers = self.decode(body, grid)
        for op in [*body.walk()]:
            self._replace(op, numbers, grid)
        loop = scf.ForOp(first, end, step, carried, Region(body))
        loop.location = self.function.location
        Rewriter.insert_op(loop, InsertPoint.before(last))
        self.mark(loop)

    def divide_work(
        self, body: Block, last: Operation
    ) -> tuple[Sequence[SSAValue], tuple[SSAValue, SSAValue, SSAValue]]:
        """
        The sizes of the grid, and the first tile block of a CTA, the end and the step of its loop
        over tile blocks. The body is what it does for each.
        """
        grid = [self._add_size(dimension, last) for dimension in DIMENSIONS]
        if PAIR.is_on(self.function):
            # A tile block has two CTAs, whose indices along x follow each other.
            grid[0] = self.add(arith.MuliOp(grid[0], self.constant(PAIR_CTAS, last)), last)
        first = self.add(BlockIdOp(DimensionAttr(DimensionEnum.X)), last)
        step = self.add(GridDimOp(DimensionAttr(DimensionEnum.X)), last)
        total = self.add(arith.MuliOp(grid[0], grid[1]), last)
        total = self.add(arith.MuliOp(total, grid[2]), last)
        end = total
        if self.cluster > 1:
            # All CTAs of a cluster run equally many iterations; excess ones store nothing.
            end = self._round_up(total, last)
            self._guard_writes(body, total)
            self._total = total
        first, step = (self.add(IndexCastOp(value, i32), last) for value in (first, step))
        if self.mirrors:
            return grid, self.mirror(MirroredShare(first, step, total), last)
        return grid, (first, end, step)

    def mirror(self, share: MirroredShare, last: Operation) -> tuple[SSAValue, SSAValue, SSAValue]:
        """The bounds of a loop over tile blocks that takes them in pairs."""
        self._share = share
        zero, one, two = (self.constant(number, last) for number in range(3))
        half = self.add(arith.DivSIOp(share.total, two), last)
        pairs = self.add(arith.SubiOp(share.total, half), last)
        left = self.add(arith.SubiOp(pairs, share.index), last)
        more = self.add(arith.SubiOp(self.add(arith.AddiOp(left, share.step), last), one), last)
        rounds = self.add(arith.DivSIOp(more, share.step), last)
        # The tile block in the middle of an odd number of them is alone.
        behind = self.add(arith.MuliOp(rounds, share.step), last)
        behind = self.add(arith.AddiOp(behind, share.index), last)
        next_pair = self.add(arith.SubiOp(behind, share.step), last)
        last_pair = self.add(arith.SubiOp(pairs, one), last)
        has_last = self.add(CmpiOp(next_pair, last_pair, "eq"), last)
        is_odd = self.add(CmpiOp(pairs, half, "ne"), last)
        is_alone = self.add(arith.AndIOp(has_last, is_odd), last)
        end = self.add(arith.MuliOp(rounds, two), last)
        end = self.add(arith.SubiOp(end, self.add(SelectOp(is_alone, one, zero), last)), last)
        return zero, self.add(arith.MaxSIOp(end, zero), last), one

    def mirrored(self, turn: SSAValue, before: Operation) -> SSAValue:
        """The number of the tile block that a CTA does in one of its turns."""
        share = self._share
        assert share is not None
        one, zero = self.constant(1, before), self.constant(0, before)
        rounds = self.add(arith.ShRSIOp(turn, one), before)
        number = self.add(arith.MuliOp(rounds, share.step), before)
        number = self.add(arith.AddiOp(number, share.index), before)
        last = self.add(arith.SubiOp(share.total, one), before)
        other = self.add(arith.SubiOp(last, number), before)
        bit = self.add(arith.AndIOp(turn, one), before)
        is_first = self.add(CmpiOp(bit, zero, "eq"), before)
        return self.add(SelectOp(is_first, number, other), before)

    def carried_values(self) -> Sequence[SSAValue]:
        """The initial values of what the loop over tile blocks carries."""
        return ()

    def mark(self, loop: scf.ForOp) -> None:
        """
        Marks the kernel and its loop for the passes and the launcher, which launches no grid whose
        tile blocks, with a step more, an i32 does not count.
        """
        NO_WRAP.set(loop, UnitAttr())
        if self.cluster > 1:
            CLUSTER.set(loop, ClusterAttr(self.cluster))
            sizes = [take_cluster_hint(self.function), 1, 1]
            self.function.attributes[CLUSTER_SIZES[0]] = DenseArrayBase.from_list(i32, sizes)
        types = list(self.block.arg_types)
        self.function.function_type = FunctionType.from_lists(types, [])
        set_persistent_ctas(self.function, get_kernel_hint(self.function, "occupancy"))

    def _add_size(self, dimension: DimensionEnum, before: Operation) -> SSAValue:
        """Adds a parameter for a size of the grid, with the same bounds as `gridDim`."""
        argument = self.block.insert_arg(i32, len(self.block.args))
        argument.name_hint = f"grid_{dimension}"
        bounds = BoundedAttr((1, GRID_LIMITS[str(dimension)]))
        size = self.add(AssumeOp(argument, bounds), before)
        size.name_hint = argument.name_hint
        return size

    def add(self, op: Operation, before: Operation) -> SSAValue:
        op.location = self.function.location
        Rewriter.insert_op(op, InsertPoint.before(before))
        return op.results[0]

    def constant(self, number: int, before: Operation) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(number, i32)), before)

    def _round_up(self, total: SSAValue, before: Operation) -> SSAValue:
        """Rounds up to a multiple of the cluster size."""
        rest, mask = self.constant(self.cluster - 1, before), self.constant(-self.cluster, before)
        more = self.add(arith.AddiOp(total, rest), before)
        return self.add(arith.AndIOp(more, mask), before)

    def _guard_writes(self, body: Block, total: SSAValue) -> None:
        """Predicates writes on the tile block being inside of the grid."""
        first = body.first_op
        assert first is not None
        is_there = self.add(CmpiOp(body.args[0], total, "slt"), first)
        for op in [each for each in body.ops if has_visible_effect(each)]:
            block = Block()
            branch = scf.IfOp(is_there, [], Region(block))
            branch.location = op.location
            Rewriter.insert_op(branch, InsertPoint.before(op))
            op.detach()
            block.add_ops([op, scf.YieldOp()])

    def decode(self, body: Block, grid: Sequence[SSAValue]) -> dict[DimensionEnum, SSAValue]:
        """The coordinates in the grid of the tile block that an iteration computes."""
        number: SSAValue = body.args[0]
        first = body.first_op
        assert first is not None
        if self.mirrors:
            number = self.mirrored(number, first)
        if self._total is not None:
            least = self.add(arith.SubiOp(self._total, self.constant(1, first)), first)
            number = self.add(arith.MinSIOp(number, least), first)
        return self.coordinates_of(number, grid, first)

    def coordinates_of(
        self, number: SSAValue, grid: Sequence[SSAValue], before: Operation
    ) -> dict[DimensionEnum, SSAValue]:
        """The coordinates in the grid of the tile block of a number."""
        x = self.add(arith.RemSIOp(number, grid[0]), before)
        number = self.add(arith.DivSIOp(number, grid[0]), before)
        y = self.add(arith.RemSIOp(number, grid[1]), before)
        z = self.add(arith.DivSIOp(number, grid[1]), before)
        return dict(zip(DIMENSIONS, (x, y, z), strict=True))

    def _replace(
        self, op: Operation, numbers: dict[DimensionEnum, SSAValue], grid: Sequence[SSAValue]
    ) -> None:
        """Replaces block ids and grid sizes by those of the tile block and the real grid."""
        match op:
            case gpu.BlockIdOp():
                value = numbers[op.dimension.data]
            case gpu.GridDimOp():
                value = grid[DIMENSIONS.index(op.dimension.data)]
            case _:
                return
        cast = IndexCastOp(value, IndexType())
        cast.location = op.location
        Rewriter.replace_op(op, cast)


class ResidentKernelRewriter(PersistentKernelRewriter):
    """
    Rewrites one kernel into a persistent one that is launched with a CTA for each tile block. The
    first CTAs, as many as the GPU holds, do the work of all.
    """

    _own: Sequence[SSAValue]
    """The coordinates of the CTA."""
    _step: SSAValue
    """How many CTAs work."""

    def divide_work(
        self, body: Block, last: Operation
    ) -> tuple[Sequence[SSAValue], tuple[SSAValue, SSAValue, SSAValue]]:
        grid = self._query(GridDimOp, last)
        x, y, z = self._own = self._query(BlockIdOp, last)
        row = self.add(arith.MuliOp(z, grid[1]), last)
        row = self.add(arith.AddiOp(row, y), last)
        index = self.add(arith.MuliOp(row, grid[0]), last)
        index = self.add(arith.AddiOp(index, x), last)
        wide = [self.add(ExtSIOp(size, i64), last) for size in grid]
        total = self.add(arith.MuliOp(wide[0], wide[1]), last)
        total = self.add(arith.MuliOp(total, wide[2]), last)
        limit = self.add(arith.ConstantOp(IntegerAttr(COUNTABLE, i64)), last)
        is_countable = self.add(CmpiOp(total, limit, "sle"), last)
        residents = self.add(ResidentCtasOp(get_kernel_hint(self.function, "occupancy")), last)
        if PAIR.is_on(self.function):
            residents = self._whole_pairs(residents, last)
        self._step = self.add(AssumeOp(residents, BoundedAttr((1, MOST_RESIDENTS))), last)
        has_work = self.add(CmpiOp(index, self._step, "slt"), last)
        zero, one = self.constant(0, last), self.constant(1, last)
        count = self.add(TruncIOp(total, i32), last)
        first, end, step = index, count, self._step
        if self.mirrors:
            first, end, step = self.mirror(MirroredShare(index, self._step, count), last)
        end = self.add(SelectOp(has_work, end, zero), last)
        first = self.add(SelectOp(is_countable, first, zero), last)
        end = self.add(SelectOp(is_countable, end, one), last)
        bounds = BoundedAttr((0, COUNTABLE))
        first = self.add(AssumeOp(first, bounds), last)
        end = self.add(AssumeOp(end, bounds), last)
        return grid, (first, end, step)

    def _whole_pairs(self, residents: SSAValue, before: Operation) -> SSAValue:
        """As many CTAs as are in pairs: both of a pair take their next tile block together."""
        mask, least = self.constant(-PAIR_CTAS, before), self.constant(PAIR_CTAS, before)
        return self.add(
            arith.MaxSIOp(self.add(arith.AndIOp(residents, mask), before), least), before
        )

    def _query(self, kind: type[DimensionQueryOp], before: Operation) -> list[SSAValue]:
        """The coordinates of the CTA, or the sizes of the grid, as i32."""
        found: list[SSAValue] = []
        for dimension in DIMENSIONS:
            query = self.add(kind(DimensionAttr(dimension)), before)
            found.append(self.add(IndexCastOp(query, i32), before))
        return found

    def carried_values(self) -> Sequence[SSAValue]:
        return self._own

    def decode(self, body: Block, grid: Sequence[SSAValue]) -> dict[DimensionEnum, SSAValue]:
        terminator = last_of(body)
        if self.mirrors:
            following = arith.AddiOp(body.args[0], self.constant(1, terminator))
            number = self.mirrored(self.add(following, terminator), terminator)
        else:
            number = self.add(arith.AddiOp(body.args[0], self._step), terminator)
        terminator.operands = [*self.coordinates_of(number, grid, terminator).values()]
        carried = [body.insert_arg(i32, len(body.args)) for _ in DIMENSIONS]
        return dict(zip(DIMENSIONS, carried, strict=True))

    def mark(self, loop: scf.ForOp) -> None:
        EARLY_RETURN.set(loop, UnitAttr())
