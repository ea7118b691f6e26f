"""
Sums with a constant: what an address or a descriptor is made of, so that an instruction, or inline
assembly, can add the constant by itself.

    %c = llvm.mlir.constant(64 : i32) : i32
    %s = llvm.add %x, %c : i32                     split_sum(%s) = %x, 64

    %m = llvm.and %address, %mask : i32            mask 0x3ffff
    %u = llvm.lshr %m, %four : i32                 less than 0x4000
    %w = llvm.zext %u : i32 to i64
    %d = llvm.or %bits, %w : i64                   bits 0x4000404000010000
    %e = llvm.add %d, %two : i64                   split_descriptor(%e) = %u, 0x4000404000010002
"""

from __future__ import annotations

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import SSAValue

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
