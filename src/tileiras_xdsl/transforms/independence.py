"""
Loads that nothing of their kernel has to be done before.

Such a load can be done by other warps, far ahead. One that comes before all stores of its kernel
is independent as it stands; for others, the tokens that order them say so, and as these are dropped
`discharge-mem-tokens` leaves the mark `nv_tileaa.independent`.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.base import is_plain_load

INDEPENDENT: Final = "nv_tileaa.independent"
"""The mark of loads that no effect of their kernel has to be done before."""

WRITES: Final = ("store", "atomic", "print", "execute", "plugin")
"""What the names of ops that change memory, or hide what they do, have in them."""


def is_write(op: Operation) -> bool:
    """Whether an op may change what a load reads."""
    return any(word in op.name for word in WRITES)


def follows_writes(load: Operation) -> bool:
    """Whether some op that may change memory can come before a load."""
    top = load
    while (parent := top.parent_op()) is not None and not isinstance(parent, FuncOp):
        top = parent
    around = top if top is not load else None
    if around is not None and any(map(is_write, around.walk())):
        return True
    block = top.parent_block()
    if block is None:
        return True
    for op in block.ops:
        if op is top:
            return False
        if any(map(is_write, op.walk())):
            return True
    return True


def is_independent(load: Operation) -> bool:
    """Whether a load may be done before all else of its kernel."""
    return is_plain_load(load) and (INDEPENDENT in load.attributes or not follows_writes(load))
