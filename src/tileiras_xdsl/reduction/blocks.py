"""Makes control flow between blocks simpler: one way of two, one block instead of two."""

from __future__ import annotations

from functools import partial

from xdsl.dialects import cf, llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region

from tileiras_xdsl.reduction.edits import Edit, Strategy, is_attached
from tileiras_xdsl.xdsl_extras.walking import walk


def _branch(op: Operation, is_taken: bool, module: ModuleOp) -> None:
    if not is_attached(op, module):
        return
    match op:
        case cf.ConditionalBranchOp():
            target = op.then_block if is_taken else op.else_block
            values = op.then_arguments if is_taken else op.else_arguments
            new: Operation = cf.BranchOp(target, *values)
        case llvm.CondBrOp():
            target = op.successors[0 if is_taken else 1]
            values = op.then_arguments if is_taken else op.else_arguments
            new = llvm.BrOp(target, *values)
        case _:
            return
    block = op.parent
    assert block is not None
    assert block.parent is not None
    op.detach()
    op.erase()
    block.add_op(new)
    _erase_unreachable(block.parent)


def _erase_unreachable(region: Region) -> None:
    first = region.first_block
    reached: set[Block] = set()
    pending = [] if first is None else [first]
    while pending:
        block = pending.pop()
        if block in reached:
            continue
        reached.add(block)
        if block.last_op is not None:
            pending += block.last_op.successors
    for block in list(region.blocks):
        if block not in reached:
            block.drop_all_references()
    for block in list(region.blocks):
        if block not in reached:
            region.erase_block(block, safe_erase=False)


def _merge(op: Operation, module: ModuleOp) -> None:
    """A block that only this branch leads to comes in its place."""
    if not is_attached(op, module):
        return
    block, target = op.parent, op.successors[0]
    assert block is not None
    if target is block or list(target.predecessors()) != [block]:
        return
    for argument, value in zip(target.args, op.operands, strict=True):
        argument.replace_all_uses_with(value)
    op.detach()
    op.erase()
    for inner in list(target.ops):
        inner.detach()
        block.add_op(inner)
    region = block.parent
    assert region is not None
    region.erase_block(target)


def find_branches(module: ModuleOp) -> list[Edit]:
    """Branches on a condition, to either side, and blocks that follow one another."""
    edits: list[Edit] = []
    for op in walk(module):
        if isinstance(op, cf.ConditionalBranchOp | llvm.CondBrOp):
            edits += [partial(_branch, op, is_taken, module) for is_taken in (True, False)]
        elif isinstance(op, cf.BranchOp | llvm.BrOp):
            edits.append(partial(_merge, op, module))
    return edits


BRANCHES = Strategy("branches", find_branches)
