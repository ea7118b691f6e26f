"""
What is known of integers: sums with a constant, and those that are 0 or 1 whatever happens.

Sums with a constant are what an address or a descriptor is made of, so that an instruction, or
inline assembly, can add the constant by itself.

    %c = llvm.mlir.constant(64 : i32) : i32
    %s = llvm.add %x, %c : i32                     split_sum(%s) = %x, 64

    %m = llvm.and %address, %mask : i32            mask 0x3ffff
    %u = llvm.lshr %m, %four : i32                 less than 0x4000
    %w = llvm.zext %u : i32 to i64
    %d = llvm.or %bits, %w : i64                   bits 0x4000404000010000
    %e = llvm.add %d, %two : i64                   split_descriptor(%e) = %u, 0x4000404000010002

The parity of the phase of an mbarrier is 0 or 1:

    ^head(%parity: i32):                       // 0 comes in at first, and what follows later
      %p = llvm.trunc %parity : i32 to i1      // nothing is lost
      …
      %flipped = llvm.xor %parity, %one : i32
      %next = llvm.select %wraps, %flipped, %parity : i1, i32
      llvm.br ^head(%next : i32)

`zext (trunc %parity to i1) to i32` is `%parity` then, without an instruction.
"""

from __future__ import annotations

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.dialects import llvm as extra

_ADDS = (arith.AddiOp, llvm.AddOp)
_ORS = (arith.OrIOp, llvm.OrOp)
_ANDS = (arith.AndIOp, llvm.AndOp)
_SHIFTS = (arith.ShRUIOp, llvm.LShrOp)
_EXTENSIONS = (arith.ExtUIOp, llvm.ZExtOp)


def constant_of(value: SSAValue) -> int | None:
    """What an integer is, if it is a constant."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case llvm.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case _:
            return None


def split_sum(value: SSAValue) -> tuple[SSAValue, int]:
    """An integer as a value and a constant that is added to it, which may be 0."""
    constant = 0
    while isinstance(value.owner, _ADDS):
        left, right = value.owner.operands
        if (known := constant_of(right)) is not None:
            value = left
        elif (known := constant_of(left)) is not None:
            value = right
        else:
            break
        constant += known
    return value, constant


def split_descriptor(value: SSAValue) -> tuple[SSAValue, int]:
    """
    The same of 64 bits. Fields that are constant are added to those that are not, if these have
    no bits in common; what is extended is left as it was before.
    """
    base, constant = split_sum(value)
    if isinstance(base.owner, _ORS):
        left, right = base.owner.operands
        for bits, other in ((constant_of(left), right), (constant_of(right), left)):
            if bits is not None and not bits & most_of(other):
                base, constant = other, constant + bits
                break
    if isinstance(base.owner, _EXTENSIONS) and base.owner.operands[0].type == IntegerType(32):
        base = base.owner.operands[0]
    return base, constant


def most_of(value: SSAValue) -> int:
    """All bits that an integer may have."""
    owner = value.owner
    if isinstance(owner, _EXTENSIONS):
        return most_of(owner.operands[0])
    if isinstance(owner, _SHIFTS) and (amount := constant_of(owner.operands[1])) is not None:
        return most_of(owner.operands[0]) >> amount
    if isinstance(owner, _ANDS):
        masks = [mask for each in owner.operands if (mask := constant_of(each)) is not None]
        if masks and masks[0] >= 0:
            return masks[0]
    assert isinstance(value.type, IntegerType)
    return (1 << value.type.width.data) - 1


# 0 or 1

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
