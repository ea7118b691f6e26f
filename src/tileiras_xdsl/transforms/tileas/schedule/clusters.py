"""
Tiles that the CTAs of a cluster multicast to each other.

Neighbouring CTAs often need the same tile: all output tiles of a row read the same tiles of A, all
of a column those of B. Each CTA then loads half of it, multicast to both. Whether they do is not
known at compile time: a CTA computes its peer's coordinates as well as its own, once for each
output tile, and compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i1, i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from tileiras_xdsl.analysis.slices import operands_of, reachable
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.xdsl_extras.structure import last_of

from ..kernel_model.slicing import is_pure
from ..kernel_model.tma_loads import halve, whole_tiling

OpT = TypeVar("OpT", bound=Operation)


class PeerCta:
    """What the peer CTA of a cluster computes in an iteration of the persistent loop."""

    def __init__(
        self,
        loop: scf.ForOp,
        get: Callable[[SSAValue], SSAValue],
        common: Collection[SSAValue] = (),
    ):
        """With what is known to be the same in both CTAs."""
        self._loop = loop
        self._get = get
        self._number = loop.body.block.args[0]
        self._common = common
        self._values: dict[SSAValue, SSAValue] = {}
        self.ops: list[Operation] = []
        """The ops that compute it, to be inserted where the CTA's own values dominate."""

    def shares(self, load: TiledLoadOp) -> SSAValue | None:
        """Whether both CTAs load the same tile, as an i1; None if it cannot be computed."""
        tiling = whole_tiling(load)
        if tiling is None or halve(tiling) is None or self._may_differ(load.view):
            return None
        same: SSAValue | None = None
        for index in load.indices:
            if not self._may_differ(index):
                continue
            other = self._value_in_peer(index)
            if other is None:
                return None
            test = self._add(CmpiOp(self._get(index), other, "eq")).result
            same = test if same is None else self._add(arith.AndIOp(same, test)).result
        if same is None:
            same = self._add(arith.ConstantOp(IntegerAttr(1, i1))).result
        return same

    def _add(self, op: OpT) -> OpT:
        op.location = self._loop.location
        self.ops.append(op)
        return op

    def _may_differ(self, value: SSAValue) -> bool:
        """Whether a value may differ in the peer CTA."""
        if value in self._common:
            return False
        return any(
            each is self._number or (isinstance(each.owner, Operation) and each.owner.regions)
            for each in reachable([value], self._inputs)
        )

    def _inputs(self, value: SSAValue) -> Collection[SSAValue]:
        return () if value is self._number or value in self._common else _inputs(value)

    def _value_in_peer(self, value: SSAValue) -> SSAValue | None:
        """The value in the peer CTA, if scalar code outside of inner loops computes it."""
        body = self._loop.body.block
        if value is self._number:
            one = self._add(arith.ConstantOp(IntegerAttr(1, i32))).result
            return self._add(arith.XOrIOp(self._get(value), one)).result
        if not self._may_differ(value):
            return self._get(value)
        if value in self._values:
            return self._values[value]
        op = value.owner
        if not isinstance(op, Operation) or op.parent_block() is not body:
            return None
        if op.regions or not is_pure(op) or not isinstance(value.type, IntegerType | IndexType):
            return None
        operands = [self._value_in_peer(operand) for operand in op.operands]
        found = [operand for operand in operands if operand is not None]
        if len(found) < len(operands):
            return None
        clone = op.clone()
        for index, operand in enumerate(found):
            clone.operands[index] = operand
        self._add(clone)
        for old, new in zip(op.results, clone.results, strict=True):
            self._values[old] = new
        return self._values[value]


def _inputs(value: SSAValue) -> Collection[SSAValue]:
    """What a value depends on: operands of its op, or what a block argument is given."""
    if not isinstance(value, BlockArgument):
        return operands_of(value)
    op = value.owner.parent_op()
    if isinstance(op, scf.ForOp):
        if value.index == 0:
            return (op.lb, op.step)
        return (op.iter_args[value.index - 1], last_of(value.owner).operands[value.index - 1])
    return () if op is None else op.operands
