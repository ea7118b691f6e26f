"""
Stream-K: CTAs of a persistent kernel share tile blocks where the last wave would leave some idle.

Before:  scf.for %n = %id to %total step %ctas {               // a tile block
           %d = scf.for %k = %lb to %ub step %s iter_args(%c = %zero) { … }
           … epilogue of %d …
         }
After:   scf.for %u = %id to %end step %ctas iter_args(%part = …) {
           %n = arith.select %whole, %u, %part                   // a tile block
           %resumes, %stops = …                                  // whether another CTA shares it
           %init = scf.if %resumes { nv_tileas.workspace_load %slot_before } else { %zero }
           %d = scf.for %k = %begin to %end step %s iter_args(%c = %init) { … }
           scf.if %stops {
             nv_tileas.workspace_store %slot, %d
           } else {
             … epilogue of %d …
           }
         }

CTAs do whole tile blocks in rounds, and divide the iterations of the last rounds evenly: they lie
in a row, tile block by tile block, and CTA `i` does those from `i * q` to `(i + 1) * q`. That is at
least one tile block for each CTA, so at most two CTAs share one. A CTA begins with the head of the
tile block that it shares with the next CTA, and hands over what the loop carries then. It ends with
the tail of the tile block that it shares with the CTA before, which has handed over by then: nobody
waits long, and only for CTAs of smaller indices, which a launch starts first.

The loop carries the same values through the same iterations in the same order, so that results are
the same bit for bit, however many SMs there are. There is nothing to reduce.

CTAs do this in gangs: those of a gang divide tile blocks whose numbers follow each other in the
same way. Such tile blocks mostly read the same tiles of an operand, which are in the cache only if
that happens at about the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from tileiras_xdsl.dialects.arith import ExtSIOp, SelectOp
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import BoundedAttr
from tileiras_xdsl.dialects.nv_tileaa.decisions import INDEPENDENT
from tileiras_xdsl.dialects.nv_tileaa.memory import AddPtrOp
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    STREAM_K,
    TILE_BLOCK,
    WHOLE_TILE_BLOCKS,
)
from tileiras_xdsl.dialects.nv_tileas.workspace import WorkspaceLoadOp, WorkspaceStoreOp
from tileiras_xdsl.dialects.nvgpu.persistence import WORKSPACE, get_persistent_ctas
from tileiras_xdsl.dialects.nvvm import GLOBAL_POINTER
from tileiras_xdsl.transforms.common.abi import WORKSPACE_FLAGS
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.transforms.common.tile_block_loops import TileBlockLoopRewriter

from .kernel_model.slicing import is_pure
from .kernel_model.stream_k import KeepsTileBlocks, StreamK, find_stream_k

MOST_CTAS: Final = 1 << 13
CUT_BITS: Final = 16
MOST_ITERATIONS: Final = (1 << CUT_BITS) - 1
"""Of a tile block: an i32 counts the iterations of some rounds of tile blocks, too."""
MOST_TILE_BLOCKS: Final = 1 << 30
"""That are divided: an i32 counts some rounds more."""
GANG: Final = 8
"""
CTAs in a gang. On an H200, f16 8192x8192x8192 in tiles of 128x256x64 has 0.999 of the speed of
whole tile blocks without gangs, 1.012 with 4 CTAs in a gang, and 1.014 with 8.
"""


@dataclass(frozen=True)
class TileasStreamKPass(ModulePass):
    """
    Divides the iterations of the last rounds of tile blocks evenly among the CTAs of persistent
    kernels with WGMMA, if their main loop has the same trip count in all tile blocks. Whether
    anything is divided is decided at run time, by the sizes of the grid and the trip count: only if
    that spares CTAs enough iterations. Launches pass a workspace (`nvgpu.workspace`), so the ABI
    is `host-maps`: kernels that anybody launches stay as they are. A remark says why others do.

    - enable: whether it does anything.
    - rescaled: whether also attention is divided, where threads rescale accumulators, if its WGMMAs
      take longer than its exponentials. It takes longer to compile then.
    """

    name = "tileas-stream-k"

    enable: bool = True
    rescaled: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.enable:
            return
        for function in kernels(op):
            if not get_persistent_ctas(function):
                continue
            try:
                found = find_stream_k(function, rescaled=self.rescaled)
            except KeepsTileBlocks as reason:
                WHOLE_TILE_BLOCKS.set(function, StringAttr(str(reason)))
                continue
            StreamKRewriter(function, found).rewrite()
            region_dce(function.body)
            STREAM_K.set(function, UnitAttr())


@dataclass(frozen=True)
class Share:
    """
    What a CTA does: whole tile blocks, and then its part of those that are divided. Iterations of
    the loop over tile blocks have the numbers of these as long as they are whole; behind them they
    are further rounds, whose tile blocks count down.
    """

    end: SSAValue
    """Of the loop over tile blocks."""
    divided: SSAValue
    """The first tile block that is divided; behind all of them if none is."""
    next: SSAValue
    """The tile block that it begins with when it has done its whole ones."""
    head: SSAValue
    """The tile block of which it does the first iterations, or -1."""
    tail: SSAValue
    """The tile block of which it does the last iterations, or -1."""
    cuts: SSAValue
    """
    How many iterations of the head it does, and in the upper half of the bits how many of the tail
    another CTA does: producer warps have few registers.
    """


class StreamKRewriter(TileBlockLoopRewriter):
    """Rewrites the loop over tile blocks of one kernel."""

    def __init__(self, function: FuncOp, found: StreamK):
        super().__init__(found.singles)
        self.function, self.loop, self.paired = function, found.loop, found.paired
        self.slot_bytes, self.least_spared = found.slot_bytes, found.least_spared
        self.flag_bytes = found.flag_bytes
        all_units = found.persistent
        self.index, self.ctas = all_units.lb, all_units.step
        self.total = all_units.ub if found.paired is None else found.paired.lhs

    def rewrite(self) -> None:
        old = self.persistent
        workspace, idle = self.add_parameters()
        outside = self.block = Block()
        share = self.divide(idle)
        end = share.end
        if self.paired is not None:
            end = self.limit_pairs(self.paired, share, outside)
            outside = Block()
        block = self.block = Block(arg_types=[i32, i32])
        self.emit_unit(share, workspace)
        made = scf.ForOp(old.lb, end, old.step, [share.next], Region(block))
        self.replace_loop(outside, made)

    def limit_pairs(self, paired: arith.MinSIOp, share: Share, before: Block) -> SSAValue:
        """
        Only whole tile blocks are in pairs. The end of the loop over single ones: of a pair that
        shares nothing, as before, or that of all units.
        """
        for op in [*before.ops]:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(paired))
        paired.operands[1] = share.divided
        chosen = self.persistent.ub.owner
        assert isinstance(chosen, SelectOp)
        chosen.operands[2] = share.end
        return chosen.result

    def add_parameters(self) -> Sequence[SSAValue]:
        """Parameters for the address of the workspace, and for the idle CTAs of the last wave."""
        block = self.function.body.block
        added: list[SSAValue] = []
        for ty, name in ((GLOBAL_POINTER, "workspace"), (i32, "idle_ctas")):
            added.append(block.insert_arg(ty, len(block.args)))
            added[-1].name_hint = name
        self.function.function_type = FunctionType.from_lists(list(block.arg_types), [])
        WORKSPACE.set(self.function, IntegerAttr(self.slot_bytes, i64))
        return added

    def most_ctas(self) -> int:
        """How many CTAs may hand over tiles: there are no flags for more."""
        return min(MOST_CTAS, WORKSPACE_FLAGS // self.flag_bytes)

    def count_iterations(self) -> SSAValue:
        """The trip count of the main loop, 0 if an i32 might not count it."""
        loop, zero, one = self.loop, self.number(0), self.number(1)
        first, end = loop.lb, loop.ub
        is_counted = self.all_of(
            [self.compare(first, "sge", zero), self.compare(first, "slt", end)]
        )
        last = self.minus(self.minus(end, first), one)
        count = self.plus(self.divided(last, loop.step), one)
        return self.select(is_counted, count, zero)

    def divide(self, idle: SSAValue) -> Share:
        """What a CTA does; most of it is computed only where there may be something to divide."""
        total, ctas = self.total, self.ctas
        zero, none = self.number(0), self.number(-1)
        count = self.count_iterations()
        least = self.number(self.least_spared)
        may_pay = self.all_of(
            [
                self.compare(count, "sle", self.number(MOST_ITERATIONS)),
                self.compare(ctas, "sle", self.number(self.most_ctas())),
                self.compare(total, "sle", self.number(MOST_TILE_BLOCKS)),
                self.compare(self.times(idle, count), "sge", self.times(ctas, least)),
            ]
        )
        outer, self.block = self.block, Block()
        share = self.divide_rounds(count)
        self.add(scf.YieldOp(*share))
        taken, self.block = self.block, Block()
        self.add(scf.YieldOp(total, total, zero, none, none, zero))
        other, self.block = self.block, outer
        types = [i32] * len(share)
        return Share(*self.add(scf.IfOp(may_pay, types, Region(taken), Region(other))).results)

    def divide_rounds(self, count: SSAValue) -> Sequence[SSAValue]:
        """The share of a CTA, given the trip count of the main loop."""
        index, total, ctas = self.index, self.total, self.ctas
        zero, one, none = (self.number(n) for n in (0, 1, -1))
        gang = self.number(GANG)
        rounds = self.divided(total, ctas)
        # An even number of whole rounds: more often gangs have no tile blocks left over then, and
        # all of them are in pairs if any are.
        full = self.both(self.minus(rounds, one), self.number(-2))
        others = self.times(full, ctas)
        left = self.minus(total, others)
        # A gang does a tile block for each of its CTAs at once, which is counted as one here.
        tiles, gangs = self.divided(left, gang), self.divided(ctas, gang)
        # On a GPU with fewer SMs than a gang has, a division still needs a divisor.
        gangs = self.add(arith.MaxSIOp(gangs, one)).result
        iterations = self.times(tiles, count)
        quota = self.divided(iterations, gangs)
        more = self.minus(iterations, self.times(quota, gangs))
        spared = self.minus(self.times(self.plus(self.minus(rounds, full), one), count), quota)
        pays = self.all_of(
            [
                self.compare(ctas, "sge", gang),
                self.compare(self.times(tiles, gang), "eq", left),
                self.compare(spared, "sge", self.number(self.least_spared)),
                self.compare(quota, "sge", count),
            ]
        )
        number = self.divided(index, gang)
        rank = self.minus(index, self.times(number, gang))
        begin = self.plus(self.times(number, quota), self.add(arith.MinSIOp(number, more)).result)
        has_more = self.compare(number, "slt", more)
        end = self.plus(self.plus(begin, quota), self.select(has_more, one, zero))
        first, last = self.divided(begin, count), self.divided(end, count)
        tail_begin = self.minus(begin, self.times(first, count))
        head_end = self.minus(end, self.times(last, count))
        has_tail = self.compare(tail_begin, "sgt", zero)
        has_head = self.compare(head_end, "sgt", zero)
        after = self.select(has_head, self.plus(last, one), last)
        # The last CTAs are too few for a gang: they do whole tile blocks only.
        takes_part = self.both(pays, self.compare(number, "slt", gangs))
        has_head, has_tail = (self.both(takes_part, each) for each in (has_head, has_tail))
        parts = self.select(takes_part, self.minus(after, first), zero)
        before = self.plus(others, rank)
        return (
            self.select(pays, self.plus(others, self.times(parts, ctas)), total),
            self.select(pays, others, total),
            self.plus(before, self.times(self.minus(after, one), gang)),
            self.select(has_head, self.plus(before, self.times(last, gang)), none),
            self.select(has_tail, self.plus(before, self.times(first, gang)), none),
            self.plus(self.times(tail_begin, self.number(1 << CUT_BITS)), head_end),
        )

    def emit_unit(self, share: Share, workspace: SSAValue) -> None:
        """What a CTA does in an iteration: a tile block, or a part of one."""
        old, loop = self.persistent, self.loop
        body, (unit, part) = old.body.block, self.block.args
        is_whole = self.compare(unit, "slt", share.divided)
        number = self.select(is_whole, unit, part)
        following = self.select(is_whole, part, self.minus(part, self.number(GANG)))
        # Divisions by which tile blocks have coordinates are faster if it is known to be so.
        known = self.add(AssumeOp(number, BoundedAttr((0, (1 << 31) - 1))))
        TILE_BLOCK.set(known, UnitAttr())
        number = known.result
        body.args[0].replace_all_uses_with(number)
        ops = [op for op in body.ops if op is not body.last_op]
        for op in ops:
            op.detach()
        position = ops.index(loop)
        self.block.add_ops(ops[:position])
        # By the tile block, not by the unit: LLVM would make the last iteration a loop of its own.
        resumes = self.compare(number, "eq", share.tail)
        stops = self.compare(number, "eq", share.head)
        first, end = loop.lb, loop.ub
        lower = self.add(arith.ShRUIOp(share.cuts, self.number(CUT_BITS))).result
        lower = self.select(resumes, lower, self.number(0))
        upper = self.both(share.cuts, self.number(MOST_ITERATIONS))
        bounds = [self.plus(first, self.times(each, loop.step)) for each in (lower, upper)]
        initial = self.emit_initial_values(resumes, workspace)
        loop.operands = [bounds[0], self.select(stops, bounds[1], end), loop.step, *initial]
        self.block.add_op(loop)
        epilogue = ops[position + 1 :]
        early = find_early_ops(epilogue, loop)
        self.block.add_ops(early)
        outer, self.block = self.block, Block()
        self.add(WorkspaceStoreOp(*self.find_slot(workspace, self.index), loop.results))
        self.add(scf.YieldOp())
        hands_over, self.block = self.block, Block()
        self.block.add_ops(op for op in epilogue if op not in early)
        self.add(scf.YieldOp())
        finishes, self.block = self.block, outer
        self.add(scf.IfOp(stops, [], Region(hands_over), Region(finishes)))
        self.add(scf.YieldOp(following))

    def emit_initial_values(self, resumes: SSAValue, workspace: SSAValue) -> Sequence[SSAValue]:
        """What the main loop carries at first: what another CTA has handed over, or what it did."""
        initial = self.loop.iter_args
        types = [value.type for value in initial]
        outer, self.block = self.block, Block()
        before = self.minus(self.index, self.number(GANG))
        load = self.add(WorkspaceLoadOp(*self.find_slot(workspace, before), types))
        self.add(scf.YieldOp(*load.results))
        taken, self.block = self.block, Block()
        self.add(scf.YieldOp(*initial))
        other, self.block = self.block, outer
        return self.add(scf.IfOp(resumes, types, Region(taken), Region(other))).results

    def find_slot(self, workspace: SSAValue, index: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Where a CTA hands over tiles, behind all flags, and where its flags are."""
        wide = self.add(ExtSIOp(index, i64)).result
        slot, flags = (
            self.add(arith.MuliOp(wide, self.wide_number(size))).result
            for size in (self.slot_bytes, self.flag_bytes)
        )
        slot = self.add(arith.AddiOp(slot, self.wide_number(WORKSPACE_FLAGS))).result
        return self.move(workspace, slot), self.move(workspace, flags)

    def wide_number(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, i64))).result

    def move(self, pointer: SSAValue, offset: SSAValue) -> SSAValue:
        """An address, moved by so many bytes."""
        moved = AddPtrOp.build(
            operands=[pointer, offset],
            result_types=[pointer.type],
            properties={"elem_type": i8},
        )
        return self.add(moved).result


def find_early_ops(ops: Sequence[Operation], loop: scf.ForOp) -> list[Operation]:
    """
    The ops of an epilogue that do not need what the main loop computes: scalars, and loads that may
    be done at any time. While the last MMAs of the loop are in flight, they take no time.
    """
    late: set[Operation] = {loop}
    early: list[Operation] = []
    for op in ops:
        is_free = is_pure(op) or (is_plain_load(op) and INDEPENDENT.is_on(op))
        if op.regions or not is_free or any(value.owner in late for value in op.operands):
            late.add(op)
        else:
            early.append(op)
    return early
