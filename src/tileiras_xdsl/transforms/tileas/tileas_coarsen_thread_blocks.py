"""
Thread-block coarsening: a CTA of a persistent kernel computes two tile blocks that share an operand
at once.

Before:  scf.for %n = %id to %total step %ctas {      // a tile block
           %row, %column = …                           // scalar code
           %d = scf.for %k … iter_args(%c = %zero) {
             %a = nv_tileas.tiled_load %v[%row, %k]
             %b = nv_tileas.tiled_load %w[%k, %column]
             nv_tileas.dot %a, %b, %c
           }
           nv_tileas.tiled_store %d, %u[%row, %column]
         }
After:   %pairs = min((%total + %ctas - 1) / (2 * %ctas) * %ctas, %total / 2)
         scf.for %p = %id to %pairs + %ctas step %ctas {
           %n = 2 * %p
           %same = scf.if %p < %pairs {
             … scalar code for %n, and for %n + 1
             scf.yield %column == %column1
           } else { scf.yield false }
           scf.if %same {
             … the same scalar code
             %d, %d1 = scf.for %k … iter_args(%c = %zero, %c1 = %zero) {
               %a = nv_tileas.tiled_load %v[%row, %k]
               %b = nv_tileas.tiled_load %w[%k, %column]
               nv_tileas.dot %a, %b, %c
               %a1 = nv_tileas.tiled_load %v[%row1, %k]
               nv_tileas.dot %a1, %b, %c1
             }
             … both stores
           } else {
             // Both of the pair, or all that are in none: %p + %pairs to %total step %ctas.
             scf.for %s = … { … as before }
           }
         }

This is unroll-and-jam of the loop over tile blocks, by two. The tile blocks of a pair need not
follow each other: those that are 8 apart have a row in common if programs number tile blocks by
groups of 8 rows. CTAs take pairs as long as all of them have some, and single tile blocks in the
end if that is less work for the last one: none does more rounds of tile blocks than before. If
the loop of dots has few iterations, all of them are single. A loop of their own takes as long for
each of these as the one that was there.

Tile blocks may run at the same time, in any order, and none of a persistent kernel waits for
another: any interleaving of the ops of two of them is one that a launch may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i1, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import BoundedAttr
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileas.atoms import find_async_mmas, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    COARSENED,
    UNCOARSENED,
)
from tileiras_xdsl.dialects.nvgpu.types import NO_WRAP
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.transforms.common.abi import DEVICE_MAPS_ABI, HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.walking import last_of

from .kernel_model.block_pairs import (
    BlockPairs,
    LargeTiles,
    NoPairs,
    find_block_pairs,
    find_carried,
    is_of,
)
from .kernel_model.persistence import find_persistent_loop
from .kernel_model.slicing import is_pure

OpT = TypeVar("OpT", bound=Operation)
Values = dict[SSAValue, SSAValue]
"""The clones of values."""


@dataclass(frozen=True)
class TileasCoarsenThreadBlocksPass(ModulePass):
    """
    Lets CTAs of persistent kernels with WGMMA compute two tile blocks at once that read the same
    tiles of an operand, if the accumulators of both fit in registers, and three buffer stages of
    their operands in shared memory. Each shared tile is loaded once. If it is operand A, WGMMAs
    have the columns of both tile blocks (`convert_tileas_to_nvgpu/wgmma.py`). Which operand may be
    shared, and by which tile blocks, is guessed from the code that computes its coordinates
    (`kernel_model/block_pairs.py`); whether two tile blocks share it is found out at run time, and
    two that do not are computed one after the other. A remark says why tile blocks stay single.

    - abi: kernels that build their tensor maps, with `device-maps`, stay as they are, and compile
      in half of the time.
    - enable: whether it does anything.
    """

    name = "tileas-coarsen-thread-blocks"

    abi: str = HOST_MAPS_ABI
    enable: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.enable or self.abi == DEVICE_MAPS_ABI:
            return
        for function in kernels(op):
            persistent = find_persistent_loop(function)
            if persistent is None or not all(map(is_wgmma, find_async_mmas(function))):
                continue
            try:
                pairs = find_block_pairs(function, persistent)
            except LargeTiles:
                continue
            except NoPairs as reason:
                text = "CTAs compute one tile block at a time"
                remark(function, "Missed", "TensorCore", text, reason=str(reason))
                continue
            COARSENED.set(function, UnitAttr())
            remark(function, "Passed", "TensorCore", describe(pairs))
            PairRewriter(pairs).rewrite()
            region_dce(function.body)


def describe(pairs: BlockPairs) -> str:
    """What a remark says."""
    tiles = " and ".join(
        "x".join(map(str, load.view_type.get_tile_shape())) for load in pairs.shared
    )
    return f"CTAs compute two tile blocks at once that need the same tiles of {tiles}"


class PairRewriter:
    """
    Rewrites the loop over tile blocks of one kernel. Scalar code divides tile blocks among CTAs, in
    numbers of i32.
    """

    def __init__(self, pairs: BlockPairs):
        self.pairs = pairs
        self.persistent = pairs.persistent
        self.block = Block()
        """What ops are appended to."""
        self.body = pairs.persistent.body.block
        self.argument: SSAValue = self.body.args[0]
        """The number of a tile block, in the ops of the loop that was there."""
        self.carried = find_carried(pairs.persistent)
        self.work = list(pairs.work)
        self._equal: set[SSAValue] = {*pairs.compared}
        """Values of a tile block that those of the other are equal to."""
        self._writes = False

    # Scalar code

    def add(self, op: OpT) -> OpT:
        op.location = self.persistent.location
        self.block.add_op(op)
        return op

    def number(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, i32))).result

    def plus(self, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(arith.AddiOp(first, second)).result

    def minus(self, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(arith.SubiOp(first, second)).result

    def times(self, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(arith.MuliOp(first, second)).result

    def divided(self, first: SSAValue, second: SSAValue) -> SSAValue:
        """The quotient of numbers that are not negative, which is faster than that of others."""
        return self.add(arith.DivUIOp(first, second)).result

    def both(self, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(arith.AndIOp(first, second)).result

    def compare(self, first: SSAValue, predicate: str, second: SSAValue) -> SSAValue:
        return self.add(CmpiOp(first, second, predicate)).result

    def select(self, condition: SSAValue, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(SelectOp(condition, first, second)).result

    # The loop over tile blocks

    def clone(self, ops: Sequence[Operation], values: Values) -> None:
        """Appends clones of ops, with their locations."""
        for op in ops:
            clone = op.clone(values)
            for old, new in zip(op.walk(), clone.walk(), strict=True):
                new.location = old.location
            self.block.add_op(clone)

    def rewrite(self) -> None:
        old = self.persistent
        outside = self.block = Block()
        pairs = self.divide_rounds()
        # Behind its pairs, a CTA has one more unit: all its single tile blocks.
        end = self.add(arith.MinSIOp(self.plus(pairs, old.step), old.ub)).result
        block = self.block = Block(arg_types=[i32])
        self.emit_unit(pairs)
        self.replace_loop(outside, scf.ForOp(old.lb, end, old.step, [], Region(block)))

    def replace_loop(self, before: Block, made: scf.ForOp) -> None:
        """Puts the ops of a block, and a loop behind them, where the old loop is."""
        old = self.persistent
        made.attributes.update(old.attributes)
        made.location = old.location
        ops = list(before.ops)
        for op in ops:
            op.detach()
        Rewriter.insert_op([*ops, made], InsertPoint.before(old))
        assert not any(result.first_use for result in old.results)
        Rewriter.erase_op(old)

    def divide_rounds(self) -> SSAValue:
        """Full rounds of pairs, or all tile blocks in pairs unless all CTAs have one left."""
        total, ctas, one = self.persistent.ub, self.persistent.step, self.number(1)
        two_rounds = self.plus(ctas, ctas)
        rounds = self.divided(self.minus(self.plus(total, ctas), one), two_rounds)
        half = self.divided(total, self.number(2))
        return self.add(arith.MinSIOp(self.times(rounds, ctas), half)).result

    def numbers_of(self, unit: SSAValue, pairs: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
        """
        The tile blocks of a pair, and by how much their numbers differ. Pairs are in groups, as
        many as these numbers are apart. The last group may be smaller: what its tile blocks share,
        if anything, is another operand.
        """
        distance = self.number(self.pairs.distance)
        group = self.times(self.divided(unit, distance), distance)
        apart = self.add(arith.MinSIOp(distance, self.minus(pairs, group))).result
        first = self.plus(unit, group)
        return first, self.plus(first, apart), apart

    def carried_values(self, number: SSAValue) -> list[SSAValue]:
        """What the loop over tile blocks would carry to the tile block of a number."""
        if not self.persistent.iter_args:
            return []
        values: Values = {self.argument: self.minus(number, self.persistent.step)}
        self.clone(self.carried, values)
        return [values.get(value, value) for value in last_of(self.body).operands]

    def emit_unit(self, pairs: SSAValue) -> None:
        """What a CTA does in an iteration: a pair of tile blocks, or all its single ones."""
        (unit,) = self.block.args
        first, second, apart = self.numbers_of(unit, pairs)
        is_pair = self.compare(unit, "slt", pairs)
        share = self.emit_test(first, second, is_pair)
        outer = self.block
        jammed = self.block = Block()
        self.emit_jammed([self.emit_scalars(number) for number in (first, second)])
        single = self.block = Block()
        self.emit_single(
            self.select(is_pair, first, self.plus(unit, pairs)),
            self.select(is_pair, self.plus(second, self.number(1)), self.persistent.ub),
            self.select(is_pair, apart, self.persistent.step),
            pairs,
        )
        self.block = outer
        self.add(scf.IfOp(share, [], Region(jammed), Region(single)))
        self.add(scf.YieldOp())

    def emit_scalars(self, number: SSAValue) -> Values:
        """The scalar code of a tile block of a pair."""
        # Divisions by which tile blocks have coordinates are faster if it is known to be so.
        number = self.add(AssumeOp(number, BoundedAttr((0, (1 << 31) - 1)))).result
        arguments = (number, *self.carried_values(number))
        values: Values = dict(zip(self.body.args, arguments, strict=True))
        self.clone(self.pairs.scalars, values)
        return values

    def emit_test(self, first: SSAValue, second: SSAValue, is_pair: SSAValue) -> SSAValue:
        """
        Whether both tile blocks of a pair share operands. Nothing of that is used again: scalar
        code stays where it is used, as the coordinates of a store are while the last WGMMAs run.
        """
        outer, self.block = self.block, Block()
        own, other = self.emit_scalars(first), self.emit_scalars(second)
        share = self.add(arith.ConstantOp(IntegerAttr(1, i1))).result
        for value in self.pairs.compared:
            same = self.compare(own[value], "eq", other[value])
            share = self.both(share, same)
        self.add(scf.YieldOp(share))
        pair, self.block = self.block, Block()
        self.add(scf.YieldOp(self.add(arith.ConstantOp(IntegerAttr(0, i1))).result))
        single, self.block = self.block, outer
        return self.add(scf.IfOp(is_pair, [i1], Region(pair), Region(single))).results[0]

    def emit_single(self, first: SSAValue, end: SSAValue, step: SSAValue, pairs: SSAValue) -> None:
        """Tile blocks one after the other, by the ops of the loop that was there."""
        carried = self.initial_values(first, pairs)
        types = [i32, *(value.type for value in carried)]
        outer, self.block = self.block, Block(arg_types=types)
        for old, new in zip(self.body.args, self.block.args, strict=True):
            old.replace_all_uses_with(new)
        for op in [op for op in self.body.ops if op is not self.body.last_op]:
            op.detach()
            self.block.add_op(op)
        self.argument = self.block.args[0]
        self.add(scf.YieldOp(*self.carried_values(self.plus(self.argument, step))))
        block, self.block = self.block, outer
        loop = self.add(scf.ForOp(first, end, step, carried, Region(block)))
        NO_WRAP.set(loop, UnitAttr())
        UNCOARSENED.set(loop, UnitAttr())
        self.add(scf.YieldOp())

    def initial_values(self, first: SSAValue, pairs: SSAValue) -> list[SSAValue]:
        """
        What the loop over single tile blocks carries to its first iteration. A CTA without pairs
        begins with the tile block that it would begin with anyway.
        """
        if not self.persistent.iter_args:
            return []
        has_pairs = self.compare(pairs, "sgt", self.number(0))
        outer, self.block = self.block, Block()
        values = self.carried_values(first)
        self.add(scf.YieldOp(*values))
        taken, self.block = self.block, Block()
        self.add(scf.YieldOp(*self.persistent.iter_args))
        other, self.block = self.block, outer
        types = [value.type for value in values]
        return [*self.add(scf.IfOp(has_pairs, types, Region(taken), Region(other))).results]

    # Two tile blocks at once

    def emit_jammed(self, maps: Sequence[Values]) -> None:
        """Both tile blocks of a pair, with one loop of dots."""
        for op in self.pairs.scalars:
            self.is_common(op)
        at = self.work.index(self.pairs.loop)
        self.emit_both(self.work[:at], maps)
        self.emit_loop(maps)
        self.emit_both(self.work[at + 1 :], maps)
        self.add(scf.YieldOp())

    def emit_both(self, ops: Sequence[Operation], maps: Sequence[Values]) -> None:
        """Ops of one tile block, and then those of the other that do not compute the same."""
        common = {op for op in ops if self.is_common(op)}
        for op in ops:
            self.clone([op], maps[0])
            if op in common:
                for result in op.results:
                    maps[1][result] = maps[0][result]
        self.clone([op for op in ops if op not in common], maps[1])

    def is_common(self, op: Operation) -> bool:
        """
        Whether an op computes the same for both tile blocks: it has no effects, and the same
        operands. A load reads the same as long as a tile block has not written anything.
        """
        if not is_pure(op) and not is_plain_load(op):
            self._writes = True
        if op.regions or not (is_pure(op) or (is_plain_load(op) and not self._writes)):
            return False
        if not all(self.is_equal(value) for value in op.operands):
            return False
        self._equal.update(op.results)
        return True

    def is_equal(self, value: SSAValue) -> bool:
        """Whether a value is the same for both tile blocks."""
        inside = (self.body, self.pairs.loop.body.block)
        return value in self._equal or not any(is_of(value, block) for block in inside)

    def emit_loop(self, maps: Sequence[Values]) -> None:
        """The loop of dots of both tile blocks."""
        loop, inner = self.pairs.loop, self.pairs.loop.body.block
        bounds = [maps[0].get(bound, bound) for bound in (loop.lb, loop.ub, loop.step)]
        carried = [values.get(value, value) for values in maps for value in loop.iter_args]
        counter, count = inner.args[0], len(loop.iter_args)
        types = [counter.type, *(value.type for value in carried)]
        outer, self.block = self.block, Block(arg_types=types)
        for index, values in enumerate(maps):
            values[counter] = self.block.args[0]
            start = 1 + index * count
            values.update(zip(inner.args[1:], self.block.args[start : start + count], strict=True))
        ops = [op for op in inner.ops if op is not inner.last_op]
        self._equal.add(counter)
        self.emit_both(ops, maps)
        yields = [values.get(value, value) for values in maps for value in last_of(inner).operands]
        self.add(scf.YieldOp(*yields)).location = last_of(inner).location
        block, self.block = self.block, outer
        made = scf.ForOp(bounds[0], bounds[1], bounds[2], carried, Region(block))
        made.attributes.update(loop.attributes)
        self.add(made).location = loop.location
        for index, values in enumerate(maps):
            results = made.results[index * count : (index + 1) * count]
            values.update(zip(loop.results, results, strict=True))
