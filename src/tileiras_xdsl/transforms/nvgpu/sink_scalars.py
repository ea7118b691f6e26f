"""
Moves scalars to where they are used: into branches, and behind loops.

Before:  %n = arith.divsi %k, %c64 : i32                      // of an argument
         %o = arith.xori %row, %column : i32                  // of the thread index
         scf.if %is_consumer {
           nvvm.setmaxregister increase 240
           %a = scf.for … to %n … { … nvvm.fragment.mma … }
           … %o …
         } else {
           nvvm.setmaxregister decrease 24
           scf.for … to %n … { … nvvm.cp.async.bulk.tensor.… … }
         }
After:   scf.if %is_consumer {
           nvvm.setmaxregister increase 240
           %n = arith.divsi %k, %c64 : i32
           %a = scf.for … to %n … { … nvvm.fragment.mma … }
           %o = arith.xori %row, %column : i32
           … %o …
         } else {
           nvvm.setmaxregister decrease 24
           %m = arith.divsi %k, %c64 : i32
           scf.for … to %m … { … nvvm.cp.async.bulk.tensor.… … }
         }

What depends on nothing but arguments and the thread index is computed where a kernel starts, and
agents share it. Each such scalar is live in all loops up to its last use, beside fragments of
accumulators, and ptxas spills those that are live where registers are reallocated, even if there
are registers left [P]. An agent runs its own copy, so no thread computes more than before.

LLVM neither copies, nor moves what is also used where it stands. Its own pass `sink` moves all it
can, and made more spills than it removed in attention.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nvvm import SetMaxRegisterOp, WgmmaMmaAsyncOp
from tileiras_xdsl.dialects.nvvm.fragments import FragmentMmaOp
from tileiras_xdsl.xdsl_extras.walking import ancestor_in, find_all, walk

SCALARS = (IntegerType, IndexType, LLVMPointerType)
"""Counters, predicates and addresses."""
LOOPS = (scf.ForOp, scf.WhileOp)


@dataclass(frozen=True)
class SinkScalarsPass(ModulePass):
    """
    Moves integers and addresses that are computed without effects to where they are used, in
    kernels whose dots are by `mma.sync` and whose agents reallocate registers: into the branches of
    an `scf.if` if nothing else uses them, with a copy for each, and behind loops. Nothing moves
    into a loop.
    """

    name = "sink-scalars"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in find_all(op, FuncOp):
            if is_short_of_registers(function):
                sink_block(function.body.block)


def is_short_of_registers(function: FuncOp) -> bool:
    """Whether agents reallocate registers, and all dots are by `mma.sync`, from registers."""
    found = find_all(function, SetMaxRegisterOp, FragmentMmaOp, WgmmaMmaAsyncOp)
    kinds = {*map(type, found)}
    return kinds == {SetMaxRegisterOp, FragmentMmaOp}


def is_scalar(op: Operation) -> bool:
    """Whether an op computes a scalar, and does nothing else."""
    return (
        len(op.results) == 1
        and isinstance(op.results[0].type, SCALARS)
        and not op.regions
        and not isinstance(op, arith.ConstantOp)
        and own_effects(op) is Effect.NONE
    )


def sink_block(block: Block) -> None:
    """Moves the scalars of a block, users first, then those of branches in it."""
    order = {op: number for number, op in enumerate(block.ops)}
    loops = [0]
    for op in order:
        loops.append(loops[-1] + any(isinstance(each, LOOPS) for each in walk(op)))
    moved_before: dict[Operation, Operation] = {}
    front: dict[Operation, Operation] = {}
    for op in reversed(order):
        if not is_scalar(op) or op.results[0].first_use is None:
            continue
        users = {ancestor_in(block, use.operation) for use in op.results[0].uses}
        places = {moved_before.get(user, user) for user in users}
        first = min(places, key=lambda place: order[place])
        if users == {first} and isinstance(first, scf.IfOp) and op.results[0] is not first.cond:
            copy_into(op, first)
        elif loops[order[first]] > loops[order[op]]:
            op.detach()
            block.insert_op_before(op, front.get(first, first))
            front[first], moved_before[op] = op, first
    for op in list(block.ops):
        if isinstance(op, scf.IfOp):
            for branch in branches_of(op):
                sink_block(branch)


def branches_of(op: scf.IfOp) -> Iterator[Block]:
    """The blocks of an `scf.if`."""
    for region in op.regions:
        yield from region.blocks


def copy_into(op: Operation, branch: scf.IfOp) -> None:
    """Computes what only branches use at the start of each one that does."""
    for block in branches_of(branch):
        region = block.parent_region()
        assert region is not None
        copy: Operation | None = None
        for use in tuple(op.results[0].uses):
            if not region.is_ancestor(use.operation):
                continue
            if copy is None:
                copy = op.clone()
                copy.location = op.location
                first = block.first_op
                assert first is not None
                if isinstance(first, SetMaxRegisterOp):
                    first = first.next_op
                    assert first is not None
                Rewriter.insert_op(copy, InsertPoint.before(first))
            use.operation.operands[use.index] = copy.results[0]
    Rewriter.erase_op(op)
