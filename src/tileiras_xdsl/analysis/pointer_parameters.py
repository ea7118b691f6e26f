"""The parameters that accesses of programs of `cuda_tile` are computed from."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.control_flow import ContinueOp, ForOp, IfOp, YieldOp
from tileiras_xdsl.dialects.cuda_tile.conversion import PtrToPtrOp
from tileiras_xdsl.dialects.cuda_tile.memory import (
    AtomicCASOp,
    AtomicRMWOp,
    LoadPtrOp,
    StorePtrOp,
)
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
from tileiras_xdsl.dialects.cuda_tile.views import (
    AtomicRedViewOp,
    LoadViewOp,
    MakeTensorViewOp,
    MakeViewOperation,
    StoreViewOp,
)

PointerAccess = LoadPtrOp | StorePtrOp | AtomicRMWOp | AtomicCASOp
ViewAccess = LoadViewOp | StoreViewOp | AtomicRedViewOp

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


def find_tensor(access: ViewAccess) -> MakeTensorViewOp | None:
    """Where the tensor is made that an access to a tile of a view is about, if that is known."""
    made = access.view.owner
    tensor = made.operands[0].owner if isinstance(made, MakeViewOperation) else None
    return tensor if isinstance(tensor, MakeTensorViewOp) else None


def accessed_parameter(access: PointerAccess | ViewAccess) -> SSAValue | None:
    """The only parameter that an access can be about; `None` if that is not known."""
    if isinstance(access, PointerAccess):
        return find_parameter(access.operands[0])
    tensor = find_tensor(access)
    return None if tensor is None else find_parameter(tensor.base)
