"""
Ops hoisted to the start of a kernel's entry block: constants, and what depends on nothing but the
thread index.

As in MLIR's OperationFolder these ops are uniqued by a key and stand in front of all other code, in
the order in which they were first requested.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, Operation, SSAValue

OpT = TypeVar("OpT", bound=Operation)


class HoistedOps:
    """The uniqued ops at the start of a kernel's entry block."""

    def __init__(self, block: Block):
        self.known: dict[object, SSAValue] = {}
        """Results by key."""
        self._block = block
        self._last: Operation | None = None

    def insert(self, op: OpT, location: LocationAttr) -> OpT:
        """Appends an op to these, before all other code."""
        op.location = location
        if self._last is not None:
            self._block.insert_op_after(op, self._last)
        elif (first := self._block.first_op) is not None:
            self._block.insert_op_before(op, first)
        else:
            self._block.add_op(op)
        self._last = op
        return op

    def get_or_insert(
        self, key: object, make: Callable[[], Operation], location: LocationAttr
    ) -> SSAValue:
        """The result of the op of a key, which is made at the first request."""
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self.insert(make(), location).results[0]
        return known
