"""Questions about structured control flow and constants that xDSL has no answer to."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue


def last_of(block: Block) -> Operation:
    """The last op of a block, its terminator."""
    assert block.last_op is not None
    return block.last_op


def condition_of(loop: scf.WhileOp) -> scf.ConditionOp:
    """What decides whether a loop goes on."""
    last = last_of(loop.before_region.block)
    assert isinstance(last, scf.ConditionOp)
    return last


def splat_of(elements: DenseIntOrFPElementsAttr) -> bytes | None:
    """
    The bytes of one element, if all elements have the same. What xDSL calls a splat may have zeros
    of both signs.
    """
    data, count = elements.data.data, len(elements)
    first = data[: len(data) // count] if count else b""
    return first if count and first * count == data else None


def integer_of(value: SSAValue) -> int | None:
    """What an integer is, if it is an `arith.constant`."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case _:
            return None


def ancestor_in(block: Block, op: Operation) -> Operation:
    """The op of a block that an op is, or is in."""
    found = block.find_ancestor_op_in_block(op)
    assert found is not None
    return found


def ops_between(first: Operation, last: Operation) -> list[Operation]:
    """The ops after one and in front of another in the same block."""
    found: list[Operation] = []
    op = first.next_op
    while op is not None and op is not last:
        found.append(op)
        op = op.next_op
    return found
