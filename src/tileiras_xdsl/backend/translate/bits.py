"""
Integers that are 0 or 1 whatever happens, such as the parity of the phase of an mbarrier:

    ^head(%parity: i32):                       // 0 comes in at first, and what follows later
      %p = llvm.trunc %parity : i32 to i1      // nothing is lost
      …
      %flipped = llvm.xor %parity, %one : i32
      %next = llvm.select %wraps, %flipped, %parity : i1, i32
      llvm.br ^head(%next : i32)

`zext (trunc %parity to i1) to i32` is `%parity` then, without an instruction.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.dialects import llvm as extra

_SELECTS = (llvm.SelectOp, extra.SelectOp)


def is_bit(value: SSAValue) -> bool:
    """
    Whether an integer is 0 or 1: by what defines it, if all that comes in at a block, or that is
    stored to a variable of the thread, is so.
    """
    seen: set[SSAValue] = set()
    rest = [value]
    while rest:
        value = rest.pop()
        if value in seen:
            continue
        seen.add(value)
        if (sources := _sources(value)) is None:
            return False
        rest.extend(sources)
    return True


def _sources(value: SSAValue) -> list[SSAValue] | None:
    """The integers that have to be 0 or 1 for another to be so; `None` if it may be anything."""
    if isinstance(value, BlockArgument):
        return _incoming(value)
    match value.owner:
        case llvm.ConstantOp(value=IntegerAttr() as number):
            return [] if number.value.data in (0, 1) else None
        case llvm.XOrOp() | llvm.AndOp() | llvm.OrOp() as op:
            return list(op.operands)
        case llvm.ZExtOp() as op:
            return [] if op.arg.type == i1 else [op.arg]
        case llvm.LoadOp() as op:
            return _stored(op)
        case Operation() as op if isinstance(op, _SELECTS):
            return [op.lhs, op.rhs]
        case _:
            return None


def _incoming(argument: BlockArgument) -> list[SSAValue] | None:
    """What comes in as an argument of a block."""
    block = argument.owner
    region = block.parent
    if region is None or region.first_block is block:
        return None
    found: list[SSAValue] = []
    for use in block.uses:
        values = _passed(use.operation, use.index, block)
        if values is None:
            return None
        found.append(values[argument.index])
    return found


def _passed(branch: Operation, index: int, block: Block) -> list[SSAValue] | None:
    """What a branch passes to one of its successors."""
    assert branch.successors[index] is block
    match branch:
        case llvm.BrOp():
            return list(branch.arguments)
        case llvm.CondBrOp():
            return list(branch.else_arguments if index else branch.then_arguments)
        case _:
            return None


def _stored(load: llvm.LoadOp) -> list[SSAValue] | None:
    """What is stored to a variable that only such loads and stores know, and one of them first."""
    if not isinstance(load.ptr.owner, llvm.AllocaOp):
        return None
    found: list[SSAValue] = []
    for use in load.ptr.uses:
        match use.operation:
            case llvm.LoadOp():
                continue
            case llvm.StoreOp(value=value) if use.index and value.type == load.results[0].type:
                found.append(value)
            case _:
                return None
    return found
