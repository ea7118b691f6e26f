"""
What a kernel computes once, where it starts: constants, and what depends on nothing but the number
of the thread.

As in MLIR's OperationFolder there is one op of each, found by a key, in front of all other code.
They stand in the order in which they were first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, Operation, SSAValue

OpT = TypeVar("OpT", bound=Operation)


class Prologue:
    """The ops at the start of a kernel."""

    def __init__(self, block: Block):
        self.known: dict[object, SSAValue] = {}
        """What was computed, by key."""
        self._block = block
        self._last: Operation | None = None

    def insert(self, op: OpT, location: LocationAttr) -> OpT:
        """Puts an op behind those that are there, before all other code."""
        op.location = location
        if self._last is not None:
            self._block.insert_op_after(op, self._last)
        elif (first := self._block.first_op) is not None:
            self._block.insert_op_before(op, first)
        else:
            self._block.add_op(op)
        self._last = op
        return op

    def once(self, key: object, make: Callable[[], Operation], location: LocationAttr) -> SSAValue:
        """The result of the op of a key."""
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self.insert(make(), location).results[0]
        return known
