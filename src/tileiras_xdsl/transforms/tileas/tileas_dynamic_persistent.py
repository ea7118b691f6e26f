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

With the hint `num_cta_in_cga = 2` (`num_ctas` of `nv_tileaa.kernel_spec`), neighbouring CTAs form a
cluster, so that a multicast loads what both need: {gpu.known_cluster_size = array<i32: 2, 1, 1>},
and at the loop {nv_tileas.cluster = #nv_tileas.cluster<2>}. Both have to run equally many
iterations, so the last one may have no work; it stores nothing. Where clusters are impossible, the
hint is replaced by {nv_tileas.ignored_hint = …}, which says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
)
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum, FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import GRID_LIMITS
from tileiras_xdsl.analysis.memory_order import is_independent, is_invariant, may_be_hoisted_across
from tileiras_xdsl.dialects.arith import CmpiOp, IndexCastOp
from tileiras_xdsl.dialects.gpu import BlockIdOp, GridDimOp
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import BoundedAttr
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import AFTER_GRID_WAIT, INDEPENDENT, INVARIANT
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileas.decisions import CLUSTER, ClusterAttr
from tileiras_xdsl.dialects.nv_tileas.hints import (
    get_kernel_hint,
    ignore_cluster_hint,
    take_cluster_hint,
)
from tileiras_xdsl.dialects.nvgpu.persistence import CLUSTER_SIZES, set_persistent_ctas
from tileiras_xdsl.transforms.common.abi import HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.structure import last_of
from tileiras_xdsl.xdsl_extras.walking import walk

from .kernel_model.persistence import has_visible_effect, why_no_cluster, why_not_persistent
from .kernel_model.slicing import QUERIES, scalar_code

DIMENSIONS = (DimensionEnum.X, DimensionEnum.Y, DimensionEnum.Z)


@dataclass(frozen=True)
class TileasDynamicPersistentPass(ModulePass):
    """
    Makes kernels with WGMMA persistent, so that the tiles of the next output tile are loaded while
    the epilogue of the current one is stored. The launcher has to know: it passes the grid, and
    launches as many CTAs as the GPU holds at once. Kernels whose tile blocks take different times,
    wait for each other, or are in clusters already, are left to the hardware scheduler.

    - abi: kernels become persistent with `host-maps` only, where we launch them ourselves.
    """

    name = "tileas-dynamic-persistent"

    abi: str = "host-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.abi != HOST_MAPS_ABI:
            return
        for function in kernels(op):
            if function.kernel is None:
                continue
            refusal = why_not_persistent(function)
            if get_kernel_hint(function, "num_ctas") > 1:
                reason = refusal or why_no_cluster(function)
                if reason is not None:
                    ignore_cluster_hint(function, reason)
            if refusal is None:
                PersistentKernelRewriter(function, get_kernel_hint(function, "num_ctas")).rewrite()


class PersistentKernelRewriter:
    """Rewrites one kernel into a persistent one."""

    def __init__(self, function: FuncOp, cluster: int = 1):
        self.function = function
        self.block = function.body.block
        self.cluster = cluster

    def rewrite(self) -> None:
        """Puts all that depends on the tile block into a loop."""
        for op in walk(self.function):
            # Stores for one tile block are unordered with loads for another, also when one CTA
            # runs both.
            if is_independent(op):
                INDEPENDENT.set(op, UnitAttr())
            elif may_be_hoisted_across(op):
                AFTER_GRID_WAIT.set(op, UnitAttr())
            if is_plain_load(op) and not get_shape(op.results[0].type) and is_invariant(op):
                INVARIANT.set(op, UnitAttr())
        block, last = self.block, last_of(self.block)
        outside = scalar_code(block, excluded=QUERIES)
        inside = [op for op in block.ops if op not in outside and op is not last]
        grid = [self._add_size(dimension, last) for dimension in DIMENSIONS]
        body = Block(arg_types=[i32])
        for op in inside:
            op.detach()
        body.add_ops(inside)
        first = self._add(BlockIdOp(DimensionAttr(DimensionEnum.X)), last)
        step = self._add(GridDimOp(DimensionAttr(DimensionEnum.X)), last)
        total = self._add(arith.MuliOp(grid[0], grid[1]), last)
        total = self._add(arith.MuliOp(total, grid[2]), last)
        end_number = total
        if self.cluster > 1:
            # All CTAs of a cluster run equally many iterations; excess ones store nothing.
            end_number = self._round_up(total, last)
            self._guard_writes(body, total)
        numbers = self._decode(body, grid, total)
        end = scf.YieldOp()
        end.location = self.function.location
        body.add_op(end)
        for op in [*body.walk()]:
            self._replace(op, numbers, grid)
        bounds = [self._add(IndexCastOp(value, i32), last) for value in (first, step)]
        loop = scf.ForOp(bounds[0], end_number, bounds[1], [], Region(body))
        if self.cluster > 1:
            CLUSTER.set(loop, ClusterAttr(self.cluster))
            sizes = [take_cluster_hint(self.function), 1, 1]
            self.function.attributes[CLUSTER_SIZES[0]] = DenseArrayBase.from_list(i32, sizes)
        loop.location = self.function.location
        Rewriter.insert_op(loop, InsertPoint.before(last))
        self.function.function_type = FunctionType.from_lists(list(block.arg_types), [])
        set_persistent_ctas(self.function, get_kernel_hint(self.function, "occupancy"))

    def _add_size(self, dimension: DimensionEnum, before: Operation) -> SSAValue:
        """Adds a parameter for a size of the grid, with the same bounds as `gridDim`."""
        argument = self.block.insert_arg(i32, len(self.block.args))
        argument.name_hint = f"grid_{dimension}"
        bounds = BoundedAttr((1, GRID_LIMITS[str(dimension)]))
        size = self._add(AssumeOp(argument, bounds), before)
        size.name_hint = argument.name_hint
        return size

    def _add(self, op: Operation, before: Operation) -> SSAValue:
        op.location = self.function.location
        Rewriter.insert_op(op, InsertPoint.before(before))
        return op.results[0]

    def _round_up(self, total: SSAValue, before: Operation) -> SSAValue:
        """Rounds up to a multiple of the cluster size."""
        rest = self._add(arith.ConstantOp(IntegerAttr(self.cluster - 1, i32)), before)
        mask = self._add(arith.ConstantOp(IntegerAttr(-self.cluster, i32)), before)
        more = self._add(arith.AddiOp(total, rest), before)
        return self._add(arith.AndIOp(more, mask), before)

    def _guard_writes(self, body: Block, total: SSAValue) -> None:
        """Predicates writes on the tile block being inside of the grid."""
        first = body.first_op
        assert first is not None
        is_there = self._add(CmpiOp(body.args[0], total, "slt"), first)
        for op in [each for each in body.ops if has_visible_effect(each)]:
            block = Block()
            branch = scf.IfOp(is_there, [], Region(block))
            branch.location = op.location
            Rewriter.insert_op(branch, InsertPoint.before(op))
            op.detach()
            block.add_ops([op, scf.YieldOp()])

    def _decode(
        self, body: Block, grid: Sequence[SSAValue], total: SSAValue
    ) -> dict[DimensionEnum, SSAValue]:
        """The coordinates in the grid of the tile block that an iteration computes."""
        number: SSAValue = body.args[0]
        first = body.first_op
        assert first is not None
        if self.cluster > 1:
            one = self._add(arith.ConstantOp(IntegerAttr(1, i32)), first)
            least = self._add(arith.SubiOp(total, one), first)
            number = self._add(arith.MinSIOp(number, least), first)
        x = self._add(arith.RemSIOp(number, grid[0]), first)
        number = self._add(arith.DivSIOp(number, grid[0]), first)
        y = self._add(arith.RemSIOp(number, grid[1]), first)
        z = self._add(arith.DivSIOp(number, grid[1]), first)
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
        cast.result.name_hint = op.results[0].name_hint
        Rewriter.insert_op(cast, InsertPoint.before(op))
        op.results[0].replace_all_uses_with(cast.result)
        Rewriter.erase_op(op)
