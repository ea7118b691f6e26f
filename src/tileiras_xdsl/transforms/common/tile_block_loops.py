"""What rewrites of the loop over tile blocks of a persistent kernel have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp

OpT = TypeVar("OpT", bound=Operation)


class TileBlockLoopRewriter:
    """
    Builds what takes the place of a loop over tile blocks, with scalar code that divides these
    among CTAs. All numbers are i32.
    """

    def __init__(self, persistent: scf.ForOp):
        self.persistent = persistent
        self.block = Block()
        """What ops are appended to."""

    def add(self, op: OpT) -> OpT:
        op.location = self.persistent.location
        self.block.add_op(op)
        return op

    def number(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, i32))).result

    def plus(self, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(arith.AddiOp(first, second)).result

    def minus(self, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(arith.SubiOp(first, second)).result

    def times(self, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(arith.MuliOp(first, second)).result

    def divided(self, first: SSAValue, second: SSAValue) -> SSAValue:
        """The quotient of numbers that are not negative, which is faster than that of others."""
        return self.add(arith.DivUIOp(first, second)).result

    def both(self, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(arith.AndIOp(first, second)).result

    def all_of(self, conditions: Sequence[SSAValue]) -> SSAValue:
        result, *others = conditions
        for each in others:
            result = self.both(result, each)
        return result

    def compare(self, first: SSAValue, predicate: str, second: SSAValue) -> SSAValue:
        return self.add(CmpiOp(first, second, predicate)).result

    def select(self, condition: SSAValue, first: SSAValue, second: SSAValue) -> SSAValue:
        return self.add(SelectOp(condition, first, second)).result

    def replace_loop(self, before: Block, made: scf.ForOp) -> None:
        """Puts the ops of a block, and a loop behind them, where the old loop is."""
        old = self.persistent
        made.attributes.update(old.attributes)
        made.location = old.location
        ops = list(before.ops)
        for op in ops:
            op.detach()
        Rewriter.insert_op([*ops, made], InsertPoint.before(old))
        assert not any(result.first_use for result in old.results)
        Rewriter.erase_op(old)
