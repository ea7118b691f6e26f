"""
`scf.while` as blocks and branches, which xDSL's `convert-scf-to-cf` leaves as it is.

    %r = scf.while (%x = %init) : (i32) -> i32 {
      …
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%z: i32):
      …
      scf.yield %w : i32
    }
    …
    →
      cf.br ^before(%init : i32)
    ^before(%x: i32):
      …
      cf.cond_br %c, ^after(%y : i32), ^end(%y : i32)
    ^after(%z: i32):
      …
      cf.br ^before(%w : i32)
    ^end(%r: i32):
      …

The number after the last one of a `scf.for` may be one that its type does not have, and then wraps
around. Unless it is known not to, what is left is compared with the step.

    %r = scf.for %i = %a to %b step %s iter_args(%x = %init) -> (f32) : i32 {
      …
      scf.yield %y : f32
    }
    →
      %c = arith.cmpi slt, %a, %b : i32
      cf.cond_br %c, ^body(%a, %init : i32, f32), ^end(%init : f32)
    ^body(%i: i32, %x: f32):
      …
      %left = arith.subi %b, %i : i32
      %more = arith.cmpi ugt, %left, %s : i32
      %next = arith.addi %i, %s : i32
      cf.cond_br %more, ^body(%next, %y : i32, f32), ^end(%y : f32)
    ^end(%r: f32):
      …
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import BlockInsertPoint, Rewriter
from xdsl.transforms.convert_scf_to_cf import ForLowering, IfLowering, SwitchLowering

from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nvgpu.types import NO_WRAP, ends_before_wrapping
from tileiras_xdsl.transforms.common.rewriting import erase_unused
from tileiras_xdsl.xdsl_extras.walking import find_all, integer_of

ENCLOSING: dict[type[Operation], RewritePattern] = {
    scf.ForOp: ForLowering(),
    scf.IfOp: IfLowering(),
    scf.IndexSwitchOp: SwitchLowering(),
}
"""Ops that must go with a loop in them, since they hold a single block; and xDSL's patterns."""


@dataclass(frozen=True)
class ConvertScfWhileToCfPass(ModulePass):
    """
    Converts every `scf.while` to basic blocks and branches, every `scf.for` that may step beyond
    the last number of its type, and the `scf` ops around these, whose regions cannot hold more
    than one block. `convert-scf-to-cf` converts the rest.

    - all: converts the rest as well and erases dead ops, in a fraction of the time: xDSL's greedy
      driver tries all patterns on all ops, until none matches.
    """

    name = "convert-scf-while-to-cf"

    all: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = {*(find_all(op, *ENCLOSING, scf.WhileOp) if self.all else find_loops(op))}
        # Outer ops come first, so that each one still holds single blocks; of one block the last op
        # does, so that what comes after it is moved once.
        for loop in [each for each in op.walk(reverse=True) if each in found]:
            if isinstance(loop, scf.WhileOp):
                convert_while(loop)
            elif isinstance(loop, scf.ForOp) and may_wrap(loop):
                convert_wrapping_for(loop)
            else:
                convert_enclosing(loop)
        if self.all:
            erase_unused(op)


def find_loops(root: Operation) -> set[Operation]:
    """Loops that xDSL does not convert, and the `scf` ops around one."""
    found: set[Operation] = set()
    for op in find_all(root, scf.WhileOp, scf.ForOp):
        if not isinstance(op, scf.ForOp) or may_wrap(op):
            found |= {op, *get_enclosing(op)}
    return found


def get_enclosing(op: Operation) -> Iterator[Operation]:
    """The ops around one that have to be converted with it, inner ones first."""
    parent = op.parent_op()
    while isinstance(parent, (*ENCLOSING, scf.WhileOp)):
        yield parent
        parent = parent.parent_op()


def convert_enclosing(op: Operation) -> None:
    """Converts an op by xDSL's pattern; new ops get its location."""
    location = op.location

    def locate(new: Operation) -> None:
        new.location = location

    rewriter = PatternRewriter(op)
    rewriter.operation_insertion_handler = [locate]
    ENCLOSING[type(op)].match_and_rewrite(op, rewriter)


def may_wrap(loop: scf.ForOp) -> bool:
    """Whether a step from the last number of a loop may lead to one that its type does not have."""
    if NO_WRAP.is_on(loop):
        return False
    end, step = integer_of(loop.ub), integer_of(loop.step)
    return step != 1 and (
        end is None or step is None or not ends_before_wrapping(loop.ub.type, end, step)
    )


def convert_wrapping_for(loop: scf.ForOp) -> None:
    """A loop that takes a step only if there is another iteration."""
    start, body = loop.parent_block(), loop.body.block
    assert start is not None
    end = start.split_before(loop, arg_types=loop.result_types)
    for result, argument in zip(loop.results, end.args, strict=True):
        result.replace_all_uses_with(argument)

    latch = body.last_op
    assert isinstance(latch, scf.YieldOp)
    values = list(latch.arguments)
    is_any = CmpiOp(loop.lb, loop.ub, "slt")
    append(start, loop, is_any)
    first = [loop.lb, *loop.iter_args]
    append(start, loop, cf.ConditionalBranchOp(is_any, body, first, end, loop.iter_args))
    left = arith.SubiOp(loop.ub, body.args[0])
    has_more = CmpiOp(left.result, loop.step, "ugt")
    following = arith.AddiOp(body.args[0], loop.step)
    for op in (left, has_more, following):
        append(body, loop, op)
    again = [following.result, *values]
    replace(latch, cf.ConditionalBranchOp(has_more, body, again, end, values))

    move_blocks(loop.body, end)
    Rewriter.erase_op(loop)


def convert_while(loop: scf.WhileOp) -> None:
    """Puts the blocks of a loop after the block that it is in."""
    start = loop.parent_block()
    assert start is not None
    before, after = loop.before_region.block, loop.after_region.block
    end = start.split_before(loop, arg_types=loop.result_types)
    for result, argument in zip(loop.results, end.args, strict=True):
        result.replace_all_uses_with(argument)

    condition, latch = before.last_op, after.last_op
    assert isinstance(condition, scf.ConditionOp)
    assert isinstance(latch, scf.YieldOp)
    append(start, loop, cf.BranchOp(before, *loop.arguments))
    flag, *values = condition.operands
    replace(condition, cf.ConditionalBranchOp(flag, after, values, end, values))
    replace(latch, cf.BranchOp(before, *latch.arguments))

    for region in (loop.before_region, loop.after_region):
        move_blocks(region, end)
    Rewriter.erase_op(loop)


def append(block: Block, source: Operation, op: Operation) -> None:
    """Adds an op to the end of a block, at the location of another."""
    op.location = source.location
    block.add_op(op)


def replace(terminator: Operation, branch: Operation) -> None:
    """Ends a block otherwise."""
    block = terminator.parent_block()
    assert block is not None
    append(block, terminator, branch)
    Rewriter.erase_op(terminator)


def move_blocks(region: Region, behind: Block) -> None:
    """Moves the blocks of a region in front of a block of another."""
    Rewriter.inline_region(region, BlockInsertPoint.before(behind))
