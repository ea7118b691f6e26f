"""The parameter that a pointer is computed from, in programs of `cuda_tile`."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.control_flow import ContinueOp, ForOp, IfOp, YieldOp
from tileiras_xdsl.dialects.cuda_tile.conversion import PtrToPtrOp
from tileiras_xdsl.dialects.cuda_tile.shape import (
    AssumeOp,
    BroadcastOp,
    ExtractOp,
    OffsetOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
from tileiras_xdsl.dialects.cuda_tile.symbols import EntryOp

FORWARDING = (OffsetOp, ReshapeOp, BroadcastOp, PermuteOp, AssumeOp, ExtractOp, PtrToPtrOp)
"""Ops whose first operand is the pointer that their result is computed from."""


def find_parameter(value: SSAValue) -> SSAValue | None:
    """The parameter that a pointer is computed from; `None` if it is not the only one."""
    found: set[SSAValue] = set()
    seen: set[SSAValue] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, FORWARDING):
            waiting.append(owner.operands[0])
        elif isinstance(owner, SelectOp):
            waiting += owner.operands[1:]
        elif isinstance(owner, IfOp):
            waiting += _yielded(owner, owner.results.index(value))
        elif isinstance(owner, ForOp):
            waiting += _carried(owner, owner.results.index(value))
        elif isinstance(owner, Block) and isinstance(loop := owner.parent_op(), ForOp):
            waiting += _carried(loop, owner.args.index(value) - 1)
        elif isinstance(owner, Block) and isinstance(owner.parent_op(), EntryOp):
            found.add(value)
        else:
            return None
    return found.pop() if len(found) == 1 else None


def _yielded(branch: IfOp, number: int) -> list[SSAValue]:
    """What the branches of an `if` yield."""
    ends = [region.block.last_op for region in branch.regions if region.blocks]
    return [end.operands[number] for end in ends if isinstance(end, YieldOp)]


def _carried(loop: ForOp, number: int) -> list[SSAValue]:
    """What a loop-carried value may be."""
    ends = [op for op in loop.body.walk() if isinstance(op, ContinueOp) and _loop_of(op) is loop]
    return [loop.init_values[number], *(end.operands[number] for end in ends)]


def _loop_of(op: Operation) -> Operation | None:
    """The loop that an op continues."""
    parent = op.parent_op()
    while isinstance(parent, IfOp):
        parent = parent.parent_op()
    return parent
