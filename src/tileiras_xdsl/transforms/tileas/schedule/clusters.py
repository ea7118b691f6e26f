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
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from tileiras_xdsl.analysis.reachability import reaching
from tileiras_xdsl.analysis.slices import operands_first, operands_of, reachable, sources_of
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp

from ..kernel_model.slicing import is_pure
from ..kernel_model.tma_loads import halve, whole_tiling

OpT = TypeVar("OpT", bound=Operation)


class PeerCta:
    """What the peer CTA of a cluster computes in an iteration of the persistent loop."""

    def __init__(self, loop: scf.ForOp, get: Callable[[SSAValue], SSAValue]):
        self._loop = loop
        self._get = get
        self._number = loop.body.block.args[0]
        self._values: dict[SSAValue, SSAValue | None] = {}
        """What values are in the peer CTA, None if that cannot be computed."""
        self._differing: dict[SSAValue, int] = {}
        """Whether values may differ in the peer CTA."""
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
        if value not in self._differing:
            found = [*reachable([value], self._unknown_inputs)]
            edges = [(source, each) for each in found for source in self._unknown_inputs(each)]
            seeds = {each: self._differing.get(each, self._is_other(each)) for each in found}
            self._differing |= reaching(edges, seeds)
        return bool(self._differing[value])

    def _is_other(self, value: SSAValue) -> bool:
        """Whether a value differs whatever it is computed from."""
        owner = value.owner
        return value is self._number or (isinstance(owner, Operation) and bool(owner.regions))

    def _unknown_inputs(self, value: SSAValue) -> Collection[SSAValue]:
        is_known = value is self._number or value in self._differing
        return () if is_known else _inputs(value)

    def _value_in_peer(self, value: SSAValue) -> SSAValue | None:
        """The value in the peer CTA, if scalar code outside of inner loops computes it."""
        for each in operands_first(value, self._cloned_operands, self._values):
            self._values[each] = self._compute_in_peer(each)
        return self._values[value]

    def _compute_in_peer(self, value: SSAValue) -> SSAValue | None:
        """The value in the peer CTA, if its operands there are known."""
        if value is self._number:
            one = self._add(arith.ConstantOp(IntegerAttr(1, i32))).result
            return self._add(arith.XOrIOp(self._get(value), one)).result
        if not self._may_differ(value):
            return self._get(value)
        operands = self._cloned_operands(value)
        found = [other for each in operands if (other := self._values[each]) is not None]
        if not operands or len(found) < len(operands):
            return None
        assert isinstance(value, OpResult)
        clone = value.op.clone()
        clone.operands = found
        return self._add(clone).results[value.index]

    def _cloned_operands(self, value: SSAValue) -> Collection[SSAValue]:
        """The operands of an op that is repeated for the peer CTA."""
        op = value.owner
        if not isinstance(op, Operation) or op.parent_block() is not self._loop.body.block:
            return ()
        if op.regions or not is_pure(op) or not isinstance(value.type, IntegerType | IndexType):
            return ()
        return op.operands if self._may_differ(value) else ()


def _inputs(value: SSAValue) -> Collection[SSAValue]:
    """What a value depends on: operands of its op, or what a block argument is given."""
    if not isinstance(value, BlockArgument):
        return operands_of(value)
    op = value.owner.parent_op()
    if isinstance(op, scf.ForOp):
        return (op.lb, op.step) if value.index == 0 else sources_of(value)
    return () if op is None else op.operands
