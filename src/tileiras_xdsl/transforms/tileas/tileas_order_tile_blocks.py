"""
Starts the tile blocks that take longest first.

Before:  %x = gpu.block_id x
         %y = gpu.block_id y
         scf.for %i = %zero to %x step %one { … a dot … }
After:   %n = %y * grid_dim x + %x
         %first = %n / (8 * grid_dim x) * 8
         %count = min(8, grid_dim y - %first)
         %rest = %n mod (8 * grid_dim x)
         %x = grid_dim x - 1 - %rest / %count
         %y = %first + %rest mod %count
         scf.for %i = %zero to %x step %one { … a dot … }
         and the kernel has {nv_tileas.longest_first}

The GPU starts CTAs in the order of their indices, x first. If those that start last take longest,
most SMs have nothing to do while these finish.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, UnitAttr, i32, i64
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import GRID_LIMITS
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, IndexCastOp, SelectOp
from tileiras_xdsl.dialects.gpu import BlockIdOp, DimensionQueryOp, GridDimOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import BoundedAttr
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileas.decisions import LONGEST_FIRST
from tileiras_xdsl.dialects.tileiras import explain
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all

from .kernel_model.block_pairs import BlockOrder, choose_order

COUNTABLE: Final = 1 << 27
"""How many tile blocks are ordered; a multiple of their number fits in an i32 as well."""


@dataclass(frozen=True)
class TileasOrderTileBlocksPass(ModulePass):
    """
    Permutes the tile blocks of kernels in which the trip count of a loop with dots grows with one
    coordinate of the tile block, or falls, and with no other, so that those with most iterations
    are started first. If that coordinate is x, some neighbours along the next coordinate of the
    grid that the kernel uses are taken together (`Target.block_neighbours`): all first tile blocks
    of these, then all second ones. More neighbours would read more at the same time than the
    second-level cache holds. Otherwise the coordinate counts from the other end, if need be.

    Nothing else changes, as no order of tile blocks is promised. Kernels are left as they are if
    tile blocks may wait for each other, if the order of what they do shows, if CTAs are in clusters
    or if the kernel is persistent.
    """

    name = "tileas-order-tile-blocks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if function.kernel is None or LONGEST_FIRST.is_on(function):
                continue
            order = choose_order(function)
            if isinstance(order, BlockOrder) and order.is_change:
                TileBlockRewriter(function, order).rewrite()
                LONGEST_FIRST.set(function, UnitAttr())
                text = "tile blocks with most iterations start first"
                explain(function, "Passed", "TensorCore", text, name="BlockOrder")
            elif isinstance(order, str):
                text = "tile blocks start in the order of their indices"
                explain(function, "Missed", "TensorCore", text, name="BlockOrder", reason=order)


class TileBlockRewriter:
    """Replaces the coordinates of the tile block in one kernel."""

    def __init__(self, function: FuncOp, order: BlockOrder):
        self.function = function
        self.order = order
        first = function.body.block.first_op
        assert first is not None
        self.point = InsertPoint.before(first)

    def rewrite(self) -> None:
        """Puts the permutation at the beginning of the kernel."""
        queries = find_all(self.function, BlockIdOp)
        replaced = self.permute()
        for query in queries:
            if (value := replaced.get(query.dimension.data)) is not None:
                query.result.replace_all_uses_with(value)
                Rewriter.erase_op(query)

    def permute(self) -> dict[DimensionEnum, SSAValue]:
        """The new coordinates, by dimension."""
        along, beside = self.order.along, self.order.beside
        own, size = self.query(BlockIdOp, along), self.query(GridDimOp, along)
        if beside is None:
            return self.as_indices({along: self.from_end(own, size)})
        other, others = self.query(BlockIdOp, beside), self.query(GridDimOp, beside)
        wide = [self.add(ExtSIOp(each, i64)) for each in (size, others)]
        total = self.add(arith.MuliOp(wide[0], wide[1]))
        limit = self.add(arith.ConstantOp(IntegerAttr(COUNTABLE, i64)))
        is_countable = self.add(CmpiOp(total, limit, "sle"))
        # Of a grid whose tile blocks cannot be counted, each CTA does its own.
        one, most = self.constant(1), self.constant(get_target(self.function).block_neighbours)
        number = self.add(arith.AddiOp(self.add(arith.MuliOp(other, size)), own))
        group_size = self.add(arith.MuliOp(size, most))
        group_size = self.add(SelectOp(is_countable, group_size, one))
        first = self.add(arith.MuliOp(self.add(arith.DivSIOp(number, group_size)), most))
        rest = self.add(arith.RemSIOp(number, group_size))
        count = self.add(arith.MinSIOp(self.add(arith.SubiOp(others, first)), most))
        count = self.add(SelectOp(is_countable, count, one))
        row = self.add(arith.DivSIOp(rest, count))
        new = self.from_end(row, size) if self.order.is_reversed else row
        new_other = self.add(arith.AddiOp(first, self.add(arith.RemSIOp(rest, count))))
        return self.as_indices(
            {
                along: self.add(SelectOp(is_countable, new, own)),
                beside: self.add(SelectOp(is_countable, new_other, other)),
            }
        )

    def from_end(self, place: SSAValue, size: SSAValue) -> SSAValue:
        """The same place, counted from the other end."""
        last = self.add(arith.SubiOp(size, self.constant(1)))
        return self.add(arith.SubiOp(last, place))

    def as_indices(self, values: dict[DimensionEnum, SSAValue]) -> dict[DimensionEnum, SSAValue]:
        """Coordinates with the bounds that those of the CTA have."""
        return {
            dimension: self.add(
                IndexCastOp(
                    self.add(AssumeOp(value, BoundedAttr((0, GRID_LIMITS[str(dimension)] - 1)))),
                    IndexType(),
                )
            )
            for dimension, value in values.items()
        }

    def query(self, kind: type[DimensionQueryOp], dimension: DimensionEnum) -> SSAValue:
        """A coordinate of the CTA, or a size of the grid, as an i32."""
        return self.add(IndexCastOp(self.add(kind(DimensionAttr(dimension))), i32))

    def constant(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, i32)))

    def add(self, op: Operation) -> SSAValue:
        op.location = self.function.location
        Rewriter.insert_op(op, self.point)
        return op.results[0]
