"""
What the masks of accesses say of the integers that their addresses are made of.

    %y = x + -1024
    %r = arith.remsi %y, 1024
    %m = x >= 1024
    %v = tt.load (a + %r), %m

Where `%y` is negative nothing is loaded: `%r` may as well be the low bits of `%y`, which are
contiguous where `%y` is. Inductor writes this for concatenations.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis.slices import reachable
from tileiras_xdsl.dialects import tt

from .affine import get_constant

_SPREADING: Final = ("tt.splat", "tt.broadcast")
_STEPS: Final = (*_SPREADING, "arith.addi", "arith.muli", "arith.extsi", "tt.addptr")
"""Ops by which an integer becomes part of an address."""
_LEAST: Final = {"sgt": 1, "sge": 0}
"""What is added to the right side of a comparison for the least left side for which it is true."""


def find_low_bits(remainder: Operation) -> int | None:
    """
    The low bits of the dividend that a remainder may be for all that it is used for; `None` if it
    has to be negative where the dividend is, or is not by a power of two.
    """
    dividend, divisor = remainder.operands[0], get_constant(remainder.operands[1])
    if divisor is None or divisor <= 0 or divisor & (divisor - 1):
        return None
    for value in reachable([remainder.results[0]], _following):
        for use in value.uses:
            op = use.operation
            if op.name in _STEPS:
                continue
            if not isinstance(op, tt.LoadOp | tt.StoreOp) or use.index or op.mask is None:
                return None
            if not _implies_positive(op.mask, dividend):
                return None
    return divisor - 1


def _following(value: SSAValue) -> list[SSAValue]:
    users = (use.operation for use in value.uses)
    return [op.results[0] for op in users if op.name in _STEPS]


def _implies_positive(mask: SSAValue, value: SSAValue) -> bool:
    """Whether a sum with a negative constant is not negative where a mask is true."""
    op, total = mask.owner, value.owner
    if isinstance(op, Block) or isinstance(total, Block):
        return False
    if op.name == "arith.andi" or op.name in _SPREADING:
        return any(_implies_positive(each, value) for each in op.operands)
    if not isinstance(op, arith.CmpiOp) or not isinstance(total, arith.AddiOp | arith.SubiOp):
        return False
    more = _LEAST.get(arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data])
    least, step = get_constant(op.rhs), get_constant(total.rhs)
    if more is None or least is None or step is None:
        return False
    if isinstance(total, arith.SubiOp):
        step = -step
    left = op.lhs
    if isinstance(left.owner, arith.ExtSIOp):
        left = left.owner.operands[0]
    return left is total.lhs and step < 0 <= least + more + step
